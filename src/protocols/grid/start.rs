//! The first state, and how plans become blocks: checked by themselves, put into waves, their must-haves
//! made criteria.

use super::plan::{self, Plan};
use super::refine::{Refinement, Scope};
use super::role::Role;
use super::schedule::{self, Schedule};
use super::state::{Block, Config, Core, State};
use super::{declared, files};
use crate::mission::files::Files;
use crate::mission::prelude::*;
use crate::mission::role;
use crate::mission::settings;
use crate::vocab::criterion;
use crate::vocab::table::{Ledgered, Table};

const MOST: u32 = 1_000;
/// The most plans of one cluster.
pub(super) const MOST_PLANS: usize = 2_000;

/// The most of such faults that are told.
const MOST_TOLD: usize = 40;

/// The state a config begins with.
///
/// # Errors
/// `missing_field`, `number_out_of_range`, `duplicate_id`, `dependency_unknown`, `dependency_cycle`,
/// `invalid_value`, each with its place.
pub fn start(config: &Config) -> Result<State> {
    let settings = "mission.settings";
    check(config).map_err(|error| error.within(settings))?;
    let mut kept = Files::default();
    for path in [files::IGNORE, files::SCRATCH_IGNORE, files::STATE] {
        kept.touch(path);
    }
    let mut state = State {
        core: core(config, kept).into(),
        blocks: Table::default(),
        touches: Ledgered::default(),
    };
    if !config.plans.is_empty() {
        let schedule =
            enter(&mut state, config.plans.clone()).map_err(|error| written(config, error))?;
        state.core.waves = Arc::new(schedule.waves);
        state.core.planned = true;
        // The user knows these plans; what a role writes later nobody has seen.
        if config.trusted {
            let commands = state.core.declared.due.clone();
            declared::settle(&mut state, commands, true);
        }
    }
    state.blocks.commit();
    Ok(state)
}

/// A fault of a plan that a person wrote names its document; any other one its place in the settings.
fn written(config: &Config, error: Error) -> Error {
    let mut paths = config.plans.iter().filter_map(|plan| plan.path.as_deref());
    match paths.any(|path| error.at.starts_with(path)) {
        true => error,
        false => error.within("mission.settings"),
    }
}

fn core(config: &Config, files: Files) -> Core {
    let scope = config.refine.or(config.refine_only.then_some(Scope::All));
    Core {
        settings: Arc::new(Config {
            mission: one_line(&config.mission),
            plans: Vec::new(),
            decided: Vec::new(),
            capture: config.capture && !config.refine_only,
            ..config.clone()
        }),
        cluster: clip(&one_line(&config.mission), 80),
        tier: config.model_tier.unwrap_or_default(),
        planned: config.refine_only,
        gap_limit: config.max_gap_rounds,
        patrol_limit: config.max_gap_rounds,
        refinement: scope.map(|scope| Refinement { scope, ..Refinement::default() }),
        before: super::pages::latest_before(&config.decided),
        life: Life { files, ..Life::default() },
        ..Core::default()
    }
}

settings::roles!();

fn check(config: &Config) -> Result<()> {
    role::check(&config.roles, Role::as_str)?;
    settings::have_words([("mission", &config.mission)])?;
    if config.refine_only && !config.plans.is_empty() {
        let (expected, got) = ("no plans where nothing is built", config.plans.len().to_string());
        return Err(Error::new(Code::InvalidValue, "plans", expected, got));
    }
    settings::in_range([
        ("max_parallel", config.max_parallel, 1..=MOST),
        ("max_gap_rounds", config.max_gap_rounds, 1..=MOST),
        ("attempts_per_block", config.attempts_per_block, 1..=MOST),
        ("attempts_per_step", config.attempts_per_step, 1..=MOST),
    ])?;
    let (warn, confirm) = (config.warn_percent, config.confirm_percent);
    settings::in_range([("warn_percent", warn, 1..=100), ("confirm_percent", confirm, 1..=100)])
}

/// Checks plans and makes them blocks. The caller places the waves that are answered.
///
/// # Errors
/// The fault of a plan, with its place; nothing is changed then.
pub(super) fn enter(state: &mut State, mut plans: Vec<Plan>) -> Result<Schedule> {
    for path in plans.iter_mut().flat_map(|plan| &mut plan.files_modified) {
        *path = crate::vocab::evidence::normal(path);
    }
    ensure!(!plans.is_empty(), Code::MissingField, "plans", "at least one plan", "none")?;
    if plans.len() + state.blocks.len() > MOST_PLANS {
        let expected = format!("at most {MOST_PLANS} plans");
        return Err(Error::new(Code::TooLarge, "plans", expected, plans.len().to_string()));
    }
    let known: BTreeSet<String> = state.blocks.iter().map(|block| block.id.clone()).collect();
    let schedule = schedule::schedule(&plans, &known)?;
    let mut criteria = Vec::new();
    for (place, plan) in plans.iter().enumerate() {
        let named = |error: Error| Error { at: plan::place(plan, place, &error.at), ..error };
        plan::check(plan).map_err(named)?;
        criteria.push(must_haves(plan).map_err(named)?);
    }
    for (plan, criteria) in plans.into_iter().zip(criteria) {
        declared::enter(state, &plan);
        let depends_on = schedule.depends_on.get(&plan.id).cloned().unwrap_or_default();
        let wave = schedule.wave(&plan.id).unwrap_or(1);
        if plan.path.is_none() {
            state.core.life.files.touch(&files::plan_path(&plan));
        }
        state.blocks.push(block(plan, depends_on, wave, criteria));
    }
    for note in &schedule.notes {
        state.core.life.files.say(Level::Warning, note.to_string());
    }
    if !state.core.planned {
        closes_known(state);
    }
    Ok(schedule)
}

/// A plan that was there from the start may say that it closes what no plan asks for: nothing comes of that.
fn closes_known(state: &mut State) {
    let is = |name: &str| {
        let (id, criterion) = name.rsplit_once('/')?;
        state.blocks.get(id)?.criteria.iter().find(|one| one.id == criterion)
    };
    let named = state.blocks.iter().flat_map(|block| {
        block.plan.closes.iter().map(move |name| (block.id.as_str(), name.as_str()))
    });
    let odd = named.filter(|(_, name)| is(name).is_none());
    let lines: Vec<String> = odd
        .map(|(id, name)| {
            let name = clip(&one_line(name), 100);
            format!("{id} closes {name}, which is no must-have of any plan")
        })
        .take(MOST_TOLD)
        .collect();
    for line in lines {
        state.core.life.files.say(Level::Warning, line);
    }
}

fn block(plan: Plan, depends_on: Vec<String>, wave: u32, criteria: Vec<Criterion>) -> Block {
    let artifacts =
        plan.must_haves.artifacts.iter().map(|one| crate::vocab::evidence::normal(&one.path));
    let paths = plan.files_modified.iter().cloned().chain(artifacts).collect();
    let (id, plan) = (plan.id.clone(), Arc::new(plan));
    Block { id, depends_on, wave, criteria, paths, plan, ..Block::default() }
}

/// The must-haves of a plan as criteria: truths, artifacts, links; without any, the objective itself.
fn must_haves(plan: &Plan) -> Result<Vec<Criterion>> {
    let truths = plan.must_haves.truths.clone();
    let mut all = match truths.is_empty() {
        true => Vec::new(),
        false => criterion::from_texts(&truths).map_err(|error| {
            let at = error.at.replacen("acceptance_criteria", "must_haves.truths", 1);
            Error { at, ..error }
        })?,
    };
    for (place, artifact) in plan.must_haves.artifacts.iter().enumerate() {
        if !plan::inside(&artifact.path) {
            let at = format!("must_haves.artifacts[{place}].path");
            let expected = "a path inside the repository, and none of `.git`, `.agent` or `.grid`";
            return Err(Error::new(Code::InvalidValue, at, expected, &artifact.path));
        }
        let provides = artifact.provides.clone().unwrap_or_else(|| "as planned".to_owned());
        let text = format!("{} is there, real and in use: {provides}", artifact.path);
        all.push(Criterion::open(format!("ART-{:03}", place + 1), text));
    }
    for (place, link) in plan.must_haves.key_links.iter().enumerate() {
        let via = link.via.clone().unwrap_or_else(|| "any way that works".to_owned());
        let text = format!("{} leads to {} by {via}", link.from, link.to);
        all.push(Criterion::open(format!("LINK-{:03}", place + 1), text));
    }
    if all.is_empty() {
        let text = match plan.closes.is_empty() {
            true => plan.objective.clone(),
            false => super::closures::text(&plan.closes),
        };
        all.push(Criterion::open("AC-001", text));
    }
    let ids: BTreeSet<&str> = all.iter().map(|one| one.id.as_str()).collect();
    match ids.len() == all.len() {
        true => Ok(all),
        false => Err(Error::new(Code::DuplicateId, "must_haves", "an id of its own", "one twice")),
    }
}
