//! The first state. Whatever can be known to be wrong before the first run is refused here: settings,
//! arguments, templates.

use super::files::{GITIGNORE, STATUS, SUMMARIES};
use super::handler::project::Phase;
use super::handler::{self, Handler};
use super::role;
use super::state::{Config, Core, Settings, State};
use super::template;
use crate::mission::prelude::*;
use crate::mission::role::{RoleSettings, Roles};
use crate::mission::settings;
use crate::mission::table::FactTable;
use crate::vocab::table::map_of;

/// The most summaries, and characters of each, that a prompt may carry.
const MOST_SUMMARIES: u32 = 100;
const MOST_SUMMARY_CHARS: u32 = 10_000;

impl Roles for Config {
    fn settings(&mut self, role: &str) -> Option<&mut RoleSettings> {
        (role == role::AGENT).then_some(&mut self.role)
    }
}

/// The state a config begins with.
///
/// # Errors
/// Kind `malformed`: `missing_field`, `invalid_value`, `number_out_of_range`, `unknown_value`,
/// `empty_criteria` or `unresolved_variable`, with the field.
pub fn start(config: &Config) -> Result<State> {
    let handler = made(config)?;
    check(config).map_err(|error| error.within("mission.settings"))?;
    let role = config.role.check(role::AGENT);
    role.map_err(|error| error.within("mission.settings"))?;
    template::check(&handler, &config.templates, &config.args)
        .map_err(|error| error.within("mission.settings"))?;
    let own = handler.ceiling(&config.definition.behavior.completion_config);
    let ceiling = match &handler {
        // Its count is what completes it.
        Handler::Iterate(one) => one.max,
        _ => config.ceiling.unwrap_or(own),
    };
    let mut core = Core {
        life: Life::default(),
        settings: Arc::new(settings(config, handler, ceiling)),
        iteration: 0,
        ceiling,
        phase: Phase::Preparation,
        summaries: Vec::new(),
        unseen: config.follow_head,
        judging: None,
        last: None,
        unshown: 0,
        next_prompt: None,
        memory: None,
        note: None,
        done: None,
        unshown_answers: 0,
        status: String::new(),
        facts: FactTable::default(),
    };
    core.life.files.touch(GITIGNORE);
    core.life.files.touch(STATUS);
    core.life.files.known.entry(SUMMARIES.to_owned()).or_default();
    for note in notes(config, &core.settings.handler) {
        core.life.files.say(Level::Info, note);
    }
    Ok(State { core: core.into() })
}

fn made(config: &Config) -> Result<Handler> {
    let made = handler::of_config(&config.definition, &config.args, &config.registered);
    made.map_err(|error| match error.at.starts_with("args.") {
        true => error.within("mission.settings"),
        false => error.within("mission.settings.definition"),
    })
}

fn settings(config: &Config, handler: Handler, ceiling: u64) -> Settings {
    let named: BTreeSet<String> =
        template::names(&handler).into_iter().map(|(name, _)| name).collect();
    let used = config.templates.iter().filter(|(name, _)| named.contains(*name));
    Settings {
        mission: config.mission.clone(),
        definition: config.definition.clone(),
        templates: map_of(used.map(|(name, text)| (name.clone(), text.clone()))),
        handler,
        args: config.args.clone(),
        ceiling,
        attempts_per_step: config.attempts_per_step,
        summaries: config.summaries,
        summary_chars: config.summary_chars,
        role: config.role.clone(),
        follow_head: config.follow_head,
    }
}

fn check(config: &Config) -> Result<()> {
    settings::have_words([("mission", &config.mission)])?;
    handler::bounded(config.ceiling, "ceiling")?;
    settings::in_range([
        ("attempts_per_step", config.attempts_per_step, 1..=1_000),
        ("summaries", config.summaries, 0..=MOST_SUMMARIES),
        ("summary_chars", config.summary_chars, 1..=MOST_SUMMARY_CHARS),
    ])
}

/// What is unusual but not wrong: arguments that nothing uses, or that one of our own variables hides,
/// and templates of other handlers.
fn notes(config: &Config, handler: &Handler) -> Vec<String> {
    let names = template::names(handler);
    let texts = names.iter().map(|(name, _)| template::text(name, &config.templates));
    let used: BTreeSet<&str> = texts.flat_map(template::variables).collect();
    let (taken, own) = (handler.takes(), handler.variables());
    let reserved = template::EVERYWHERE.into_iter().chain(template::LATER).chain([template::PHASE]);
    let hidden: BTreeSet<&str> = reserved.chain(own.iter().map(|(name, _)| *name)).collect();
    let mut all = Vec::new();
    for name in config.args.keys() {
        if hidden.contains(name.as_str()) {
            all.push(format!(
                "the argument `{name}` is hidden by the variable uv-{name} of the engine"
            ));
        } else if !used.contains(name.as_str())
            && !taken.iter().any(|one| one == name || one == "*")
        {
            all.push(format!("the argument `{name}` is used by no template"));
        }
    }
    let known = |name: &&String| names.iter().any(|(known, _)| known == *name);
    for name in config.templates.keys().filter(|name| !known(name)) {
        all.push(format!("the template `{name}` is none of a handler of type {}", handler.word()));
    }
    all
}
