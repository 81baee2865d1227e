//! Takes over the directory of another completion engine.

use super::begin;
use super::drive::name_of;
use super::exit::{Exit, Fault};
use super::{Place, detect, init, state};
use clap::Args;
use endstate::native::adoption;
use endstate::protocols::ProtocolConfig;
use endstate::protocols::completion::files::{Finding, Mode, STATE};
use endstate::protocols::completion::state::Adoption;
use endstate::protocols::{Mission, completion};
use endstate::view::Next;
use endstate::{Config, Engine};
use serde_json::{Value, json};

/// See the help.
#[derive(Debug, Args)]
pub(crate) struct Adopt {
    /// Overlook, and name, what a strict reader refuses.
    #[arg(long)]
    lenient: bool,
    /// How many stop judges must agree, where the directory does not say.
    #[arg(long, value_name = "N")]
    judges: Option<u32>,
    /// A command that verifies the repository; may be given again. By default it is detected.
    #[arg(long, value_name = "COMMAND")]
    verify: Vec<String>,
}

/// Does it.
pub(crate) fn adopt(place: &Place, wanted: &Adopt) -> Result<Exit, Fault> {
    init::usable(&place.root)?;
    let mode = if wanted.lenient { Mode::Lenient } else { Mode::Strict };
    let adoption = adoption::read(&place.root, mode)?;
    let directory = adoption.directory.clone();
    if directory.layout.is_none() {
        let expected = "a directory of another completion engine";
        return Err(Fault::new(Exit::Refused, "no_mission", ".agent", expected, "none"));
    }
    let Some(mission) = adoption::mission(&place.root, &directory) else {
        return Err(nameless(&adoption));
    };
    for (word, findings) in [("note", &directory.notes), ("fault", &directory.faults)] {
        for finding in findings {
            place.out.say(finding.to_string());
            place.out.object(&json!({word: finding}));
        }
    }
    let config = config(place, wanted, mission, adoption)?;
    let driver = begin::create(place, config)?;
    let (exit, _) = init::onboard(place, "adopt", driver, false)?;
    if exit == Exit::Done {
        next(place, &directory.notes, &directory.faults)?;
    }
    Ok(exit)
}

/// The first file whose fault keeps the mission from being known.
fn nameless(adoption: &Adoption) -> Fault {
    let fault = adoption.directory.faults.first();
    let (path, got) = match fault {
        Some(Finding { path, diagnostic, .. }) => (path.as_str(), diagnostic.to_string()),
        None => (STATE, "no file names a mission".to_owned()),
    };
    let code = fault.map_or("file_missing", |fault| fault.diagnostic.code.as_str());
    Fault::new(Exit::Refused, code, path, "a file that names the mission", &got)
}

fn config(
    place: &Place,
    wanted: &Adopt,
    mission: String,
    adoption: Adoption,
) -> Result<Config, Fault> {
    let profile = adoption.directory.profile.as_ref();
    let name = profile.map(|file| file.project_name.clone());
    let name = name.unwrap_or_else(|| name_of(&place.root));
    let mut settings = completion::Config::new(mission, name);
    if let Some(judges) = wanted.judges {
        settings.required_stop_judges = judges;
    }
    settings.docs_surfaces = detect::docs(&place.root);
    settings.verification_commands = init::verification(place, &wanted.verify)?;
    settings.onboard = true;
    settings.adopted = Some(Box::new(adoption));
    Ok(Config::new(ProtocolConfig::Completion(settings)))
}

/// Whose turn it is and why, once everything is on disk.
fn next(place: &Place, notes: &[Finding], faults: &[Finding]) -> Result<(), Fault> {
    let places = endstate::native::store::Places::of(&place.root);
    let opened = endstate::native::store::peek(&places)?;
    let engine = &opened.engine;
    let Next { role, action } = engine.view().next;
    let role = role.unwrap_or_else(|| "none".to_owned());
    let rule = rule(engine);
    place.out.say(format!("next: {role}, by rule {rule}: {action}"));
    for line in reasons(engine, &rule) {
        place.out.say(format!("why: {line}"));
    }
    let reground = adopted(engine).and_then(|state| state.core.reground.as_ref());
    for detail in reground.iter().flat_map(|one| one.details.iter().take(20)) {
        place.out.say(format!("  {detail}"));
    }
    place.out.say("ready: `endstate run --agent …` goes on with it");
    let mut summary = state::summary("adopt", engine, &place.root, &opened.position.chain);
    if let Value::Object(fields) = &mut summary {
        let more = json!({"next_role": role, "next_action": action, "rule": rule,
            "reasons": reasons(engine, &rule), "why": engine.why(), "notes": notes, "faults": faults});
        fields.extend(more.as_object().cloned().unwrap_or_default());
    }
    place.out.object(&summary);
    Ok(())
}

/// The state that was taken over.
fn adopted(engine: &Engine) -> Option<&completion::State> {
    match &engine.snapshot().mission {
        Mission::Completion(state) => Some(state),
        #[allow(unreachable_patterns)]
        _ => None,
    }
}

/// Why this rule: the facts against every rule before it.
fn reasons(engine: &Engine, rule: &str) -> Vec<String> {
    let others = engine.why().others;
    let before = others.iter().take_while(|other| other.name != rule);
    let lines = before.filter_map(|other| {
        let fact = other.against.as_ref()?;
        let word = if fact.value { "holds" } else { "does not hold" };
        Some(format!("not {}, for {} {word}: {}", other.name, fact.fact, fact.detail))
    });
    let reground = adopted(engine).and_then(|state| state.core.reground.as_ref());
    let distrust = reground.map(|one| format!("the state is not trusted: {:?}", one.reason));
    lines.chain(distrust).collect()
}

/// The rule that decides, or that would if no guard stood before it.
pub(crate) fn rule(engine: &Engine) -> String {
    let why = engine.why();
    let first = why.others.iter().find(|other| other.against.is_none());
    match (why.chosen.rule, first) {
        (None, Some(other)) => other.name.clone(),
        (Some(_), _) | (None, None) => why.chosen.name,
    }
}
