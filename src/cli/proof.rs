//! What the user says before the work of how its end is shown, and how it was in the end.

use super::Place;
use super::exit::Fault;
use super::out::Out;
use clap::{Args, ValueEnum};
use endstate::Engine;
use endstate::mission::proof::{ProofConfig, Rooms};
use endstate::native::git::Git;
use endstate::native::redact::printable;
use endstate::native::{Driver, kept};
use endstate::view::{How, Shown, View};
use endstate::vocab::command::{Accept, Command};
use serde_json::json;
use std::path::Path;

/// The most criteria that the last words name one by one.
const MOST_NAMED: usize = 40;

/// How the end of a new mission is shown.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct Proof {
    /// What is enough for an end with status 0: what the engine observed, or what another run judged, too. Unless it is said here,
    /// you are asked before the work, where no command shows a criterion.
    #[arg(long, value_enum, value_name = "WHAT")]
    accept: Option<Enough>,
    /// Make no rooms for the commands that decide: what was seen in the worktree is all there is, and shows nothing.
    #[arg(long)]
    in_place: bool,
    /// A command that makes a fresh checkout ready for the commands that decide, e.g. `npm ci`; may be given again.
    #[arg(long = "room-setup", value_name = "COMMAND")]
    setup: Vec<String>,
    /// A file, or a directory with a slash at its end, that the work may not change these commands by, e.g. `tests/`; may be
    /// given again. Files that a command names are protected without it.
    #[arg(long, value_name = "PATH")]
    protect: Vec<String>,
    /// A variable of the environment that these commands need; may be given again.
    #[arg(long = "room-env", value_name = "NAME")]
    variables: Vec<String>,
    /// A file that git ignores and these commands need, e.g. `.env.test`: they find it as it is now; may be given again.
    #[arg(long = "room-file", value_name = "PATH")]
    files: Vec<String>,
    /// Give these commands no network; `--room-setup` has it.
    #[arg(long = "room-offline")]
    offline: bool,
    /// A command that runs at the end only, one time, after every other has held, e.g. `make deploy`; may be given again. It is
    /// a criterion of the mission.
    #[arg(long, value_name = "COMMAND")]
    once: Vec<String>,
}

/// See [`Proof::accept`].
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Enough {
    /// What the engine observed.
    Observed,
    /// What another run judged, too.
    Judged,
    /// What you say when you are asked before the work.
    Ask,
}

impl From<Enough> for Accept {
    fn from(enough: Enough) -> Accept {
        match enough {
            Enough::Judged => Accept::Judged,
            Enough::Observed => Accept::Observed,
            Enough::Ask => Accept::Ask,
        }
    }
}

impl Proof {
    /// Says to a mission that was begun what is enough for its end. What a room needs is said before the work.
    pub(crate) fn tell_late(&self, driver: &mut Driver) -> Result<(), Fault> {
        match self.accept.map(Accept::from) {
            Some(what) if driver.engine().snapshot().head.proof.config.accept != what => {
                Ok(driver.command(Command::Accept { what }).map(drop)?)
            }
            _ => Ok(()),
        }
    }

    /// As a config says it.
    pub(crate) fn config(&self, root: &Path) -> Result<ProofConfig, Fault> {
        let accept = self.accept.map_or(Accept::Ask, Accept::from);
        let (setup, once) = (argvs("--room-setup", &self.setup)?, argvs("--once", &self.once)?);
        let (protect, variables) = (self.protect.clone(), self.variables.clone());
        let room = if self.in_place { Rooms::InPlace } else { Rooms::Fresh };
        let files = kept::room_files(root, &self.files)?;
        Ok(ProofConfig {
            accept,
            files,
            offline: self.offline,
            room,
            setup,
            protect,
            variables,
            once,
        })
    }
}

/// The words of each command that an option was given.
fn argvs(option: &str, lines: &[String]) -> Result<Vec<Vec<String>>, Fault> {
    let argv = |line: &String| {
        let words = shlex::split(line).filter(|words| !words.is_empty());
        words.ok_or_else(|| Fault::usage(option, "a program and its arguments", line))
    };
    lines.iter().map(argv).collect()
}

/// Names commands that may change more than a room, and run again and again.
pub(crate) fn say_dangerous(out: Out, engine: &Engine) {
    for command in engine.dangerous_commands() {
        let how = "may run while the work goes on, and runs three times at its end";
        let instead = "declare it by `--once` instead, and it runs at the end only, one time";
        out.say(printable(&format!("`{command}` {how}: {instead}")));
        out.object(&json!({"dangerous_command": command}));
    }
}

/// Names files that decide, are there and are not committed: what they were before the work nobody can say after it.
pub(crate) fn say_uncommitted(place: &Place, engine: &Engine) -> Result<(), Fault> {
    let due = !engine.snapshot().head.proof.looked;
    for file in engine.deciding_files().into_iter().filter(|_| due) {
        if place.root.join(&file).is_file() && !Git::of(&place.root).is_committed(&file)? {
            let what = "what rests on it is not observed; commit it, and begin anew";
            place.out.say(printable(&format!("{file} decides and is not committed: {what}")));
            place.out.object(&json!({"uncommitted": file}));
        }
    }
    Ok(())
}

/// Says before the work how much of its end no command shows.
pub(crate) fn say_without_command(out: Out, engine: &Engine) {
    let (left, all) = engine.without_command();
    let proof = &engine.snapshot().head.proof;
    let accept = proof.config.accept;
    let asked = accept == Accept::Ask && proof.proposal.is_some();
    if left == 0 || engine.is_over() || accept == Accept::Judged || asked {
        return;
    }
    let then = match accept {
        Accept::Ask => "commands are proposed for them, and you are asked before the work",
        Accept::Observed | Accept::Judged => {
            "what roles say of them ends with status 4, or with 0 where a judge's word is enough (`--accept judged`)"
        }
    };
    out.say(format!("no command shows {left} of {all} criteria: {then}"));
    out.object(&json!({"criteria": all, "without_command": left}));
}

/// Says of a mission that was done already that other files are committed now than were proved.
pub(crate) fn say_moved(place: &Place, engine: &Engine) -> Result<bool, Fault> {
    let proved = engine.view().end.and_then(|end| end.proved_at);
    let Some(proved) = proved.filter(|_| engine.is_over()) else { return Ok(false) };
    if Git::of(&place.root).is_as_at(&proved)? {
        return Ok(false);
    }
    let what = "what is committed now was not looked at";
    place.out.say(format!("the end was proved at commit {proved}: {what}"));
    place.out.object(&json!({"proved_at": proved}));
    Ok(true)
}

/// What the end rests on, one line a criterion; what is not enough comes first.
pub(crate) fn lines(view: &View) -> Vec<String> {
    let mut shown = view.end.as_ref().map_or(Vec::new(), |end| end.shown.clone());
    shown.sort_by_key(|one| one.enough);
    let count = |how: How| shown.iter().filter(|one| one.how == how).count();
    let counts = [(How::Observed, "observed"), (How::Judged, "judged"), (How::Claimed, "claimed")];
    let counts = counts.map(|(how, word)| format!("{} {word}", count(how))).join(", ");
    let head = || format!("what the end rests on: {counts}; agents: {}", view.agents);
    let head = (!shown.is_empty()).then(head);
    let more = shown.len().saturating_sub(MOST_NAMED);
    let more = (more > 0).then(|| format!("  and {more} more; `endstate status --json` names all"));
    head.into_iter().chain(shown.iter().take(MOST_NAMED).map(line)).chain(more).collect()
}

fn line(one: &Shown) -> String {
    let how = match one.how {
        How::Observed => "observed",
        How::Judged => "judged",
        How::Claimed => "claimed",
        How::Waived => "waived",
    };
    let name = [one.item.as_str(), one.criterion.as_str()].join(" ");
    printable(&format!("  {how:<8}  {}: {}", name.trim(), one.by))
}
