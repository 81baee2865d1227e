//! Room for the next mission: the record of the one that ended is moved aside.

use super::Place;
use super::exit::{Exit, Fault};
use endstate::native::HostError;
use endstate::native::archive::{self, Archived};
use endstate::vocab::json;
use endstate::{Continuation, Engine};
use serde_json::json;

/// See the help.
#[derive(Debug, clap::Args)]
pub(crate) struct Archive {
    /// Also a mission that is not done: nobody can go on with it then.
    #[arg(long)]
    unfinished: bool,
}

/// Does it.
pub(crate) fn archive(place: &Place, options: &Archive) -> Result<Exit, Fault> {
    let resting = match archive::resting(&place.root) {
        Err(error) if options.unfinished && archive::lost(&error) => return remains(place, &error),
        resting => resting?,
    };
    let continuation = resting.engine.continuation();
    if continuation != Continuation::Done && !options.unfinished {
        let got = json::encode(&continuation);
        let expected = "a mission that is done; any other with --unfinished";
        let got = got.trim_matches('"');
        return Err(Fault::new(Exit::Refused, "mission_exists", "MISSION", expected, got));
    }
    let mission = resting.engine.mission().to_owned();
    let archived = resting.archive()?;
    tell(place, &mission, &archived);
    place.out.object(&json!({
        "result": "archive", "mission": mission, "path": archived.path, "tracked": archived.tracked,
    }));
    Ok(Exit::Done)
}

/// Takes aside what a mission left whose journal is gone or does not hold.
fn remains(place: &Place, why: &HostError) -> Result<Exit, Fault> {
    let archived = archive::remains(&place.root)?;
    let path = &archived.path;
    let state = match why {
        HostError::JournalMissing { .. } => "without a journal",
        _ => "with a journal that does not hold",
    };
    place.out.say(format!("archived: what was left {state} is in {path}"));
    tracked(place, &archived);
    place.out.object(&json!({
        "result": "archive", "mission": null, "path": path, "tracked": archived.tracked,
    }));
    Ok(Exit::Done)
}

/// Says where the record went, and what is left to do.
fn tell(place: &Place, mission: &str, archived: &Archived) {
    let path = &archived.path;
    place.out.say(format!(
        "archived: {} is in {path}; see it with `endstate view {path}/endstate`",
        endstate::vocab::text::printable(mission)
    ));
    tracked(place, archived);
}

fn tracked(place: &Place, archived: &Archived) {
    if archived.tracked > 0 {
        place.out.say(format!(
            "{} files of it are tracked by git: `git commit -m 'Archive a mission' -- .agent` removes them there",
            archived.tracked
        ));
    }
}

/// Makes room where the mission that is there is done; whether it did.
pub(crate) fn done_aside(place: &Place) -> Result<bool, Fault> {
    let resting = archive::resting(&place.root)?;
    let done = resting.engine.continuation() == Continuation::Done;
    if done {
        let mission = resting.engine.mission().to_owned();
        let archived = resting.archive()?;
        tell(place, &mission, &archived);
    }
    Ok(done)
}

/// Another mission than the one that is there.
pub(crate) fn another(there: &Engine, title: &str, wanted: &str) -> Fault {
    let expected = match there.continuation() {
        Continuation::Done => {
            format!("{title}, which is done: `endstate archive` makes room for another")
        }
        _ => format!("{title}, which is not done: `endstate run --resume` goes on with it"),
    };
    Fault::new(Exit::Refused, "anchor_mismatch", "MISSION", &expected, wanted)
}
