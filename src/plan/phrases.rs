//! Finds any of some phrases in a text in one pass, whatever the case of their letters.
//!
//! A plan is asked the same few questions at every sentence: does it speak of "exists", "returns", "works
//! correctly"? One search for each phrase would read the sentence a hundred times. Here the first three bytes
//! of a place say which phrases can begin there, and only those are compared.

/// Up to 64 phrases in small letters. Letters beyond ASCII have one case here.
#[derive(Debug)]
pub(super) struct Phrases {
    all: &'static [&'static str],
    /// For the last five bits of each of the first three bytes, the same for both cases of a letter: which phrases
    /// have them there, one bit each.
    bytes: [[u64; 32]; 3],
    /// For the same of a first byte, which second ones any phrase has behind it.
    pairs: [u32; 32],
}

impl Phrases {
    /// Phrases that can be looked for.
    pub(super) const fn new(all: &'static [&'static str]) -> Phrases {
        assert!(all.len() <= 64, "one bit for each phrase");
        let mut bytes = [[0_u64; 32]; 3];
        let mut pairs = [0_u32; 32];
        let mut place = 0;
        while place < all.len() {
            let phrase = all[place].as_bytes();
            let behind = if phrase.len() > 1 { 1 << (phrase[1] & 31) } else { u32::MAX };
            pairs[(phrase[0] & 31) as usize] |= behind;
            let mut at = 0;
            while at < 3 {
                let mut byte = 0;
                while byte < 32 {
                    if at >= phrase.len() || phrase[at] as usize & 31 == byte {
                        bytes[at][byte] |= 1 << place;
                    }
                    byte += 1;
                }
                at += 1;
            }
            place += 1;
        }
        Phrases { all, bytes, pairs }
    }

    /// Which of the phrases that may do so begin at a byte, one bit each.
    fn at(&self, text: &[u8], at: usize, maybe: u64) -> u64 {
        let (mut maybe, mut found) = (maybe, 0);
        while maybe != 0 {
            let phrase = self.all[maybe.trailing_zeros() as usize].as_bytes();
            let there = text.get(at..at + phrase.len());
            if there.is_some_and(|there| there.eq_ignore_ascii_case(phrase)) {
                found |= maybe & maybe.wrapping_neg();
            }
            maybe &= maybe - 1;
        }
        found
    }

    /// Every place where phrases begin, with a bit for each of those.
    fn places<'t>(&'t self, text: &'t str) -> impl Iterator<Item = (usize, u64)> + 't {
        let text = text.as_bytes();
        let mut at = 0;
        std::iter::from_fn(move || {
            loop {
                let rest = text.get(at..).filter(|rest| !rest.is_empty())?;
                // A phrase may end with the text, before its second byte.
                let start = at + self.near(rest).unwrap_or(rest.len() - 1);
                let byte = |place: usize| usize::from(text.get(place).copied().unwrap_or(0) & 31);
                let bits = (0..3).map(|place| self.bytes[place][byte(start + place)]);
                let maybe = bits.fold(u64::MAX, |all, bits| all & bits);
                at = start + 1;
                let found = self.at(text, start, maybe);
                if found != 0 {
                    return Some((start, found));
                }
            }
        })
    }

    /// The first place of a text whose two bytes may begin a phrase. Most bytes of a plan are looked at here only.
    fn near(&self, text: &[u8]) -> Option<usize> {
        text.windows(2)
            .position(|pair| self.pairs[usize::from(pair[0] & 31)] >> (pair[1] & 31) & 1 == 1)
    }

    /// Which phrases a text has anywhere: bit 0 for the first, and so on.
    pub(super) fn found(&self, text: &str) -> u64 {
        self.places(text).fold(0, |all, (_, found)| all | found)
    }

    /// Whether a text has one of them.
    pub(super) fn within(&self, text: &str) -> bool {
        self.places(text).next().is_some()
    }

    /// Every place and phrase in a text, as its bytes.
    pub(super) fn spots<'t>(
        &'t self,
        text: &'t str,
    ) -> impl Iterator<Item = std::ops::Range<usize>> + 't {
        self.places(text).flat_map(move |(at, found)| {
            let all = self.all.iter().enumerate().rev();
            let here = all.filter(move |(place, _)| found >> place & 1 == 1);
            here.map(move |(_, phrase)| at..at + phrase.len())
        })
    }
}

/// Whether a word is one in small letters, whatever its case.
pub(super) fn is_word(word: &str, small: &str) -> bool {
    match word.is_ascii() {
        true => word.eq_ignore_ascii_case(small),
        false => word.to_lowercase() == small,
    }
}

/// Whether some bytes of a text are whole words: no letter or digit stands right beside them.
pub(super) fn is_apart(text: &str, at: &std::ops::Range<usize>) -> bool {
    let before = text[..at.start].chars().next_back();
    let behind = text[at.end..].chars().next();
    !before.is_some_and(char::is_alphanumeric) && !behind.is_some_and(char::is_alphanumeric)
}

/// What follows a phrase in small letters that a text begins with, whatever its case.
pub(super) fn behind<'t>(text: &'t str, phrase: &str) -> Option<&'t str> {
    let (head, rest) = text.split_at_checked(phrase.len())?;
    head.eq_ignore_ascii_case(phrase).then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_are_found_anywhere_and_in_any_case() {
        static SOME: Phrases = Phrases::new(&["is done", "is", "≥", "=="]);
        let spots: Vec<_> = SOME.spots("This IS Done, x ≥ 2==").collect();
        assert_eq!(spots, [2..4, 5..7, 5..12, 16..19, 21..23]);
        assert_eq!((SOME.found("a ≥ b"), SOME.found("is"), SOME.found("i")), (4, 2, 0));
        static MARK: Phrases = Phrases::new(&["!"]);
        assert_eq!(MARK.spots("a! b!").collect::<Vec<_>>(), [1..2, 4..5]);
        assert!(SOME.within("this") && !SOME.within("≤ = ="));
        assert!(is_apart("a (is) b", &(3..5)) && !is_apart("this", &(2..4)));
        assert!(is_word("ALL", "all") && !is_word("alle", "all"));
        assert_eq!((behind("Wait for it", "wait for"), behind("é", "w")), (Some(" it"), None));
    }
}
