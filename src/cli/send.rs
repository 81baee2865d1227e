//! Commands and answers of the user: through the inbox to a live driver, or, with none alive, by
//! taking the lock, giving the command to the engine, and letting host work settle.

use super::begin::{self, MOST_BYTES};
use super::drive::finish;
use super::exit::{Exit, Fault};
use super::screen::Screen;
use super::{Place, init, state};
use endstate::native::inside;
use endstate::native::lock::Lock;
use endstate::native::post::{Posted, post};
use endstate::native::store::{self, Places};
use endstate::native::{Driver, HostError, Quiet, StopFlag};
use endstate::plan::clause;
use endstate::plan::document::LineRange;
use endstate::protocols::sprint;
use endstate::vocab::command::{Command, PlanChange};
use endstate::vocab::effect::Outstanding;
use endstate::vocab::error::Code;
use endstate::vocab::event::{EffectId, Fact, QuestionAnswered, UserCommanded};
use endstate::vocab::json;
use endstate::vocab::shown::ShownBy;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

/// See the help.
#[derive(Debug, clap::Args)]
pub(crate) struct Amend {
    /// A JSON file `{"changes": [...]}`; `-` for standard input.
    #[arg(required_unless_present_any = ["criteria", "waive"])]
    file: Option<PathBuf>,
    /// One more criterion for an item; may be given again.
    #[arg(long = "criterion", value_name = "ITEM=TEXT", value_parser = begin::pair)]
    criteria: Vec<(String, String)>,
    /// Let a criterion go; may be given again.
    #[arg(long, value_name = "ITEM=CRITERION", value_parser = begin::pair, requires = "reason")]
    waive: Vec<(String, String)>,
    /// Why criteria are let go; is kept.
    #[arg(long, default_value = "", hide_default_value = true)]
    reason: String,
}

impl Amend {
    /// The command that the line asks for.
    pub(crate) fn command(self, directory: &Path) -> Result<Command, Fault> {
        let mut changes = match &self.file {
            Some(file) => changes(directory, file)?,
            None => Vec::new(),
        };
        let more = self.criteria.into_iter();
        changes.extend(more.map(|(item, text)| added(item, text)));
        changes.extend(self.waive.into_iter().map(|(item, criterion)| {
            PlanChange::WaiveCriterion { item, criterion, reason: self.reason.clone() }
        }));
        Ok(Command::Amend { changes })
    }
}

/// A criterion as a plan would have it: its commands are run, its words are judged.
fn added(item: String, text: String) -> PlanChange {
    let read = clause::criterion(String::new(), &text, false, LineRange::default());
    let commands = read.commands.iter().map(sprint::plan::line).collect();
    let shown = ShownBy { commands, judged: read.judged };
    let shown_by = (!shown.commands.is_empty()).then_some(shown);
    PlanChange::AddCriterion { item, text, shown_by }
}

/// What a file of changes holds.
#[derive(Debug, json::Readable)]
#[serde(deny_unknown_fields)]
struct Changes {
    changes: Vec<PlanChange>,
}

fn changes(directory: &Path, file: &Path) -> Result<Vec<PlanChange>, Fault> {
    let full = directory.join(file);
    let fail = |error| HostError::io("read", &full, error);
    let mut bytes = Vec::new();
    let source: Box<dyn Read> = match file.as_os_str() == "-" {
        true => Box::new(std::io::stdin()),
        false => Box::new(fs::File::open(&full).map_err(fail)?),
    };
    source.take(MOST_BYTES + 1).read_to_end(&mut bytes).map_err(fail)?;
    if u64::try_from(bytes.len()).unwrap_or(u64::MAX) > MOST_BYTES {
        let at = full.display().to_string();
        return Err(Fault::usage(&at, &format!("at most {MOST_BYTES} bytes"), "more"));
    }
    let read = json::utf8(&bytes).and_then(json::decode::<Changes>);
    Ok(read.map_err(|error| error.within(&file.display().to_string()))?.changes)
}

/// Gives a command.
pub(crate) fn command(place: &Place, command: Command) -> Result<Exit, Fault> {
    send(place, Fact::UserCommanded(UserCommanded { id: None, command }))
}

/// Answers a question.
pub(crate) fn answer(place: &Place, words: &[String]) -> Result<Exit, Fault> {
    let opened = store::peek(&Places::of(&place.root))?;
    let open = state::questions(&opened.engine);
    let ids: Vec<String> = open.iter().map(|(id, _)| id.to_string()).collect();
    let named = words.first().and_then(|word| word.parse::<EffectId>().ok());
    let (wanted, words) = match named {
        Some(id) if words.len() > 1 => (Some(id), &words[1..]),
        _ => (None, words),
    };
    let fault = |expected: &str, got: &str| {
        Err(Fault::new(Exit::Refused, "unknown_effect", "question", expected, got))
    };
    let chosen = match (wanted, open.as_slice()) {
        (_, []) => return fault("an open question", "none"),
        (None, [one]) => Some(one),
        (None, _) => return fault(&format!("the id of one of {}", ids.join(", ")), "no id"),
        (Some(id), _) => open.iter().find(|(one, _)| *one == id),
    };
    let Some((id, question)) = chosen else {
        let got = wanted.map(|id| id.to_string()).unwrap_or_default();
        return fault(&format!("one of {}", ids.join(", ")), &got);
    };
    let answer = question.kind.read(&words.join(" "))?;
    send(place, Fact::QuestionAnswered(QuestionAnswered { effect: *id, answer }))
}

/// Gives a command or an answer to whoever drives the mission, or takes it here.
pub(crate) fn send(place: &Place, fact: Fact) -> Result<Exit, Fault> {
    let places = Places::of(&place.root);
    places.check()?;
    inside::refuse(&places).map_err(HostError::from)?;
    if !places.journal().exists() {
        return Err(places.absent().into());
    }
    if Lock::held_by(&places.lock()).is_some() {
        return by_inbox(place, &places, fact);
    }
    match by_lock(place, fact.clone()) {
        // Somebody came in the moment between.
        Err(fault) if fault.exit == Exit::Locked => by_inbox(place, &places, fact),
        other => other,
    }
}

fn by_lock(place: &Place, fact: Fact) -> Result<Exit, Fault> {
    let mut driver = Driver::open(&place.root, init::held())?;
    let mut screen = Screen::new(place.out, driver.engine());
    let commanded = matches!(fact, Fact::UserCommanded(_));
    if commanded && driver.engine().pending().iter().any(Outstanding::live) {
        // What a driver that was cut off left at work is no more: that comes first, or the command would wait for it.
        driver.run(&mut screen, &StopFlag::default())?;
    }
    match fact {
        Fact::UserCommanded(fact) => driver.command(fact.command).map_err(unattended)?,
        Fact::QuestionAnswered(fact) => driver.answer(fact.effect, fact.answer)?,
        other => return Err(Fault::usage("fact", "a command or an answer", other.name())),
    };
    let ended = driver.run(&mut screen, &StopFlag::default());
    drop(screen);
    ended?;
    finish(place, "taken", &driver);
    Ok(Exit::Done)
}

/// Who asks a mission to go on that nobody drives, and that nothing keeps from going on, wants a driver.
fn unattended(error: HostError) -> Fault {
    let fault = Fault::from(error);
    if fault.code != Code::NotPaused.as_str() {
        return fault;
    }
    let got = format!("{}, with nobody at work on it: `endstate run` drives it", fault.got);
    Fault { got, ..fault }
}

fn by_inbox(place: &Place, places: &Places, fact: Fact) -> Result<Exit, Fault> {
    match post(places, fact.into(), &mut Quiet)? {
        Posted::By(pid) => {
            let who = pid.map_or("its driver".to_owned(), |pid| format!("process {pid}"));
            place.out.say(format!("{who}, which drives the mission, has taken it"));
            let opened = store::peek(places)?;
            let chain = &opened.position.chain;
            place.out.object(&state::summary("taken", &opened.engine, &place.root, chain));
        }
        // The driver ended before it came to the letter: one of ours took it.
        Posted::Here(driver) => finish(place, "taken", &driver),
    }
    Ok(Exit::Done)
}
