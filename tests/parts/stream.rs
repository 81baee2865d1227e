//! A journal in pieces says the same as the journal in one piece, whatever the pieces and whatever
//! is wrong with it.

use endstate::journal::{Entry, Header, Position, Replay};
use endstate::stream::Stream;
use endstate::vocab::error::Result;
use endstate::vocab::event::{Event, Fact, HostRecovered, Recovery};
use endstate::vocab::json;
use endstate::{Applied, Config, Engine};

fn journal(events: u64) -> Vec<u8> {
    let config: Config = json::decode(include_str!("../bad_input_config.json")).unwrap();
    let (mut engine, Applied { decided, .. }) = Engine::start(&config, 1).unwrap();
    let mut position = Position::default();
    let mut text = position.write(&Header::new(config, 1, decided)) + "\n";
    for at in 1..=events {
        let note = format!("Grüße {at}");
        let fact = Fact::HostRecovered(HostRecovered { from: Recovery::Restart, note });
        let event = Event { at, fact };
        let Applied { decided, .. } = engine.apply(&event).unwrap();
        text += &position.write(&Entry { event, decided });
        text += "\n";
    }
    text.into_bytes()
}

fn in_pieces(bytes: &[u8], size: usize) -> Result<Replay> {
    let mut stream = Stream::new();
    for piece in bytes.chunks(size) {
        stream.push(piece)?;
    }
    stream.finish()
}

fn check(bytes: &[u8], sizes: &[usize]) {
    let whole = format!("{:?}", endstate::replay(bytes));
    for size in sizes {
        assert_eq!(format!("{:?}", in_pieces(bytes, *size)), whole, "pieces of {size}");
    }
}

#[test]
fn pieces_of_any_size_are_the_same_journal() {
    let bytes = journal(4);
    assert_eq!(endstate::replay(&bytes).unwrap().events, 4);
    check(&bytes, &(1..=bytes.len()).collect::<Vec<_>>());
    for end in 0..bytes.len() {
        check(&bytes[..end], &[1, 13, 512, 1_000_000]);
    }
}

#[test]
fn damage_is_the_same_in_pieces() {
    let bytes = journal(3);
    for place in 0..bytes.len() {
        let mut other = bytes.clone();
        other[place] ^= 1;
        let last = place + 1 == bytes.len();
        assert_eq!(endstate::replay(&other).is_ok(), last, "byte {place}");
        check(&other, &[7, 256]);
    }
}
