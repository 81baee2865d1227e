//! A canonical plan of any document: an agent labels its places, the engine copies the text, checks every label and asks
//! about the rest.

use super::Place;
use crate::cli::drive::interrupts;
use crate::cli::exit::{Exit, Fault};
use clap::Args;
use endstate::native::agent::Agent;
use endstate::native::redact::printable;
use endstate::native::{HostError, consult, plans};
use endstate::plan::import::{
    self as make, Ask, Fault as Breach, Imported, Next, Question, Rule, Shown, Why,
};
use endstate::plan::model::Read;
use endstate::vocab::effect::SpawnRole;
use endstate::vocab::error::{Code, Error, clip};
use endstate::vocab::role::{Access, Limits, Tier};
use endstate::vocab::text::one_line;
use serde_json::json;
use std::fmt::Display;
use std::path::{Path, PathBuf};

/// How many lines to look at are shown, and all commands; all of them are in the answer to `--json`.
const SHOWN: usize = 40;

/// See the help.
#[derive(Debug, Args)]
pub(crate) struct Import {
    /// The document.
    #[arg(value_name = "FILE")]
    path: PathBuf,
    /// Who labels it: exec:COMMAND, script:FILE, or the name of a real agent.
    #[arg(long, value_name = "AGENT")]
    agent: String,
    /// Where the plan is written; else EXECUTION_PLAN.md beside the document.
    #[arg(long, value_name = "PLAN")]
    to: Option<PathBuf>,
    /// Write the plan although questions are left.
    #[arg(long)]
    accept: bool,
    /// Print the plan and write nothing.
    #[arg(long)]
    dry_run: bool,
}

pub(super) fn import(place: &Place, how: &Import) -> Result<Exit, Fault> {
    let file = plans::read(&place.root.join(&how.path))?;
    let to = match &how.to {
        Some(path) => place.root.join(path),
        None => file.root().join(plans::PLAN),
    };
    if to.exists() && !how.dry_run {
        let at = to.display().to_string();
        let (expected, got) = ("no plan there yet, or another path by --to", "a file");
        return Err(Fault::new(Exit::Refused, "file_exists", &at, expected, got));
    }
    let name = file.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let (state, ask) = make::start(&name, &file.text)?;
    let (questions, imported) = labelled(place, how, &file.text, state, ask)?;
    told(place, &questions, &imported);
    // What the user takes must be a plan all the same.
    let no_plan = |one: &&Question| one.fault.rule == Rule::Plan;
    if let Some(Question { fault, .. }) = questions.iter().find(no_plan).filter(|_| how.accept) {
        return Err(Error::new(Code::InvalidValue, "plan", &*fault.expected, &*fault.got).into());
    }
    let open = !questions.is_empty() && !how.accept;
    match (how.dry_run, open, place.out.json) {
        (true, _, false) => place.out.say(&imported.plan),
        (true, _, true) | (_, true, _) => {}
        (false, false, _) => plans::write(&to, &imported.plan)?,
    }
    let written = !how.dry_run && !open;
    place.out.say(match (written, open) {
        (true, _) => format!("written: {}; next: plan lint --criteria", to.display()),
        (_, true) => format!(
            "{} questions are left and nothing is written: mend the document and import it anew, or take the plan as it is by --accept",
            questions.len()
        ),
        _ => "nothing is written".to_owned(),
    });
    place.out.object(&json!({
        "result": "import", "source": file.path, "path": to, "written": written, "questions": questions,
        "review": imported.review, "text": imported.plan,
    }));
    Ok(if open { Exit::Waiting } else { Exit::Done })
}

/// Asks the agent, part by part, until every part is labelled or given up.
fn labelled(
    place: &Place,
    how: &Import,
    text: &str,
    mut state: make::Import,
    mut ask: Ask,
) -> Result<(Vec<Question>, Imported), Fault> {
    let program =
        std::env::current_exe().map_err(|error| HostError::io("find", "this program", error))?;
    let agent = Agent::parse(&how.agent, &program)?;
    // The role sees a copy of the document and nothing else.
    let folder = tempfile::tempdir().map_err(|error| HostError::io("make", "a folder", error))?;
    plans::write(&folder.path().join("source.md"), text)?;
    loop {
        let (part, parts, attempt) = (ask.part, ask.parts, ask.attempt);
        if !how.dry_run {
            place.out.say(format!("asking the agent: part {part} of {parts}, attempt {attempt} …"));
        }
        let report = answer(place, &agent, folder.path(), &ask)?;
        match state.answer(&report) {
            Next::Ask(next) => ask = next,
            Next::Again(next, faults) => {
                say_faults(place, &faults);
                ask = next;
            }
            Next::Question(questions, imported) => return Ok((questions, imported)),
            Next::Done(imported) => return Ok((Vec::new(), imported)),
            Next::Failed(faults) => {
                let first = faults.first().map(Breach::told).unwrap_or_default();
                let expected = "an answer that can be read";
                return Err(Fault::new(Exit::Refused, "role_failed", "import", expected, &first));
            }
        }
    }
}

fn answer(place: &Place, agent: &Agent, folder: &Path, ask: &Ask) -> Result<String, Fault> {
    let order = SpawnRole {
        role: make::ROLE.to_owned(),
        item: None,
        visit: u64::from(ask.attempt),
        prompt: ask.prompt.clone(),
        report_schema: make::SCHEMA.to_owned(),
        tier: Tier::Standard,
        access: Access::ReadOnly,
        limits: Limits::default(),
        corrects: None,
    };
    let stop = interrupts();
    Ok(consult::consult(agent, &order, &place.root, folder, &|| stop.is_raised())?)
}

fn say_faults(place: &Place, faults: &[Breach]) {
    for fault in faults.iter().take(5) {
        place.out.say(printable(&format!("  sent back: {}", fault.told())));
    }
    place.out.object(&json!({"sent_back": faults}));
}

/// Counts by kind, what to look at, and what is asked.
fn told(place: &Place, questions: &[Question], imported: &Imported) {
    let review = &imported.review;
    let counts = review.counts.iter().map(|(kind, many)| format!("{many} {}", word(kind)));
    place.out.say(counts.collect::<Vec<_>>().join(", "));
    let shown = |(at, one): &(usize, &Shown)| *at < SHOWN || one.why == Why::Run;
    let (shown, rest): (Vec<_>, Vec<_>) = review.shown.iter().enumerate().partition(shown);
    for (_, one) in shown {
        let text = clip(&one_line(&one.text), 100);
        place.out.say(printable(&format!("  line {}, {}: {text}", one.line, word(one.why))));
    }
    if !rest.is_empty() {
        place.out.say(format!("  {} lines more: --json has all", rest.len()));
    }
    for one in questions {
        place.out.say(printable(&format!("question: {}", one.fault.told())));
        place.out.say(printable(&format!("  the document: {}", clip(&one_line(&one.source), 300))));
        place.out.say(printable(&format!("  the plan:     {}", clip(&one_line(&one.plan), 300))));
    }
}

/// A word of a list, for people.
fn word(value: impl Display) -> String {
    value.to_string().replace('_', " ")
}

/// Warns of a plan whose source is another one than it was made of, or is not there. Whether it did.
pub(super) fn stale(place: &Place, root: &Path, read: &Read) -> bool {
    let Some(source) = &read.plan.settings.source else { return false };
    let said = match plans::read(&root.join(&source.file)) {
        Ok(file) if !make::is_stale(source, &file.text) => return false,
        Ok(_) => "changed since this plan was made of it: import it anew",
        Err(_) => "cannot be read: this plan was made of it",
    };
    place.out.say(printable(&format!("warning: {} {said}", source.file)));
    place.out.object(&json!({"stale": source.file}));
    true
}
