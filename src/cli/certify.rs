//! Certificates: what the end of a mission rests on, signed by its user, and verified by others.

use super::Place;
use super::exit::{Exit, Fault};
use endstate::native::certificate::{self, Predicate};
use endstate::native::{HostError, durable, regular, store::Places};
use serde_json::json;
use std::io::Read;
use std::path::{Path, PathBuf};

/// See the help.
#[derive(Debug, clap::Args)]
pub(crate) struct Certify {
    /// The private key, as PEM [default: endstate/key.pem in the user's configuration]
    #[arg(long, value_name = "FILE")]
    key: Option<PathBuf>,
    /// Make that key first, and its public half beside it (`.pub`).
    #[arg(long)]
    new_key: bool,
    /// Where to write to; `-` for standard output.
    #[arg(long, value_name = "FILE", default_value = "done.intoto.jsonl")]
    out: PathBuf,
}

/// See the help.
#[derive(Debug, clap::Args)]
pub(crate) struct Verify {
    /// The certificate.
    file: PathBuf,
    /// The public key of who signed, as PEM [default: endstate/key.pem.pub in the user's configuration]
    #[arg(long, value_name = "FILE")]
    key: Option<PathBuf>,
    /// Run the deciding commands again, in rooms made from nothing.
    #[arg(long)]
    rerun: bool,
}

/// The user's own key, where none is named.
fn own_key() -> Result<PathBuf, Fault> {
    let none = || Fault::usage("--key", "a key, or HOME to be set", "neither");
    certificate::own_key().ok_or_else(none)
}

/// Writes a certificate.
pub(crate) fn certify(place: &Place, directory: &Path, options: &Certify) -> Result<Exit, Fault> {
    let named = options.key.as_ref().map(|named| directory.join(named));
    let key = named.map_or_else(own_key, Ok)?;
    if options.new_key {
        certificate::new_key(&key)?;
        place.out.say(format!("a key was made: {} (public: {0}.pub)", key.display()));
    }
    let out = place.root.join(&options.out);
    let text = certificate::certify(&place.root, &key, Some(&out))?;
    if options.out == Path::new("-") {
        place.out.raw(&text);
        return Ok(Exit::Done);
    }
    let staging = Places::of(&place.root).staging;
    durable::replace(&out, &staging, text.as_bytes(), false)
        .map_err(|error| HostError::io("write", &out, error))?;
    place.out.say(format!("certified: {}", out.display()));
    place.out.object(&json!({"result": "certify", "file": out, "key": key}));
    Ok(Exit::Done)
}

/// Verifies one. The status is that of the end it certifies.
pub(crate) fn verify(place: &Place, directory: &Path, options: &Verify) -> Result<Exit, Fault> {
    let named = options.key.as_ref().map(|named| directory.join(named));
    let own = || Ok(own_key()?.with_added_extension("pub"));
    let key = named.map_or_else(own, Ok::<_, Fault>)?;
    let file = directory.join(&options.file);
    let mut bytes = Vec::new();
    let read = regular::open(&file).and_then(|mut file| file.read_to_end(&mut bytes));
    read.map_err(|error| HostError::io("read", &file, error))?;
    let statement = certificate::verify(&place.root, &bytes, &key)?;
    let ran = options.rerun.then(|| certificate::rerun(&place.root, &statement)).transpose()?;
    let Predicate { mission, end, commands, agents, .. } = &statement.predicate;
    let (enough, all) = (end.shown.iter().filter(|one| one.enough).count(), end.shown.len());
    let commit = statement.commit();
    place.out.say(format!("the certificate holds: {mission} at {commit}"));
    place
        .out
        .say(format!("{enough} of {all} criteria are shown as its user wanted; agents: {agents}"));
    let ran = match ran {
        Some(ran) => format!("deciding commands run again: {ran}, and all came to the same"),
        None => {
            format!(
                "deciding commands run in rooms then: {}; --rerun runs them again",
                commands.len()
            )
        }
    };
    place.out.say(ran);
    place.out.object(&json!({"result": "verify", "statement": statement, "rerun": options.rerun}));
    Ok(Exit::of_end(end))
}
