//! The files of this protocol, all below `.grid/` and ignored by git: the state of the cluster, its plans
//! and summaries, the entries that executors wrote while at work, verdicts, findings to refine, debug
//! sessions, and learnings for the next cluster.

use super::pages::{outcome_of, scratchpad, state_page, summary, verification};
use super::plan::{self, Plan};
use super::queries::Due;
use super::report::{Learnings, WaveVerdict};
use super::scratchpad::{Entry, MOST_ENTRIES};
use super::state::{Block, BlockStatus, Core, State};
use crate::mission::Protocol;
use crate::mission::prelude::*;
use crate::vocab::time::rfc3339;
use std::fmt::Write;

/// Where everything lies.
pub const DIRECTORY: &str = ".grid/";
/// Keeps git away from the directory.
pub const IGNORE: &str = ".grid/.gitignore";
/// Keeps git away from scratch.
pub const SCRATCH_IGNORE: &str = ".agent/tmp/.gitignore";
/// The state of the cluster.
pub const STATE: &str = ".grid/STATE.md";
/// What executors write while at work.
pub const SCRATCHPAD: &str = ".grid/SCRATCHPAD.md";
/// What they wrote in earlier waves; only ever appended to.
pub const ARCHIVE: &str = ".grid/SCRATCHPAD_ARCHIVE.md";
/// What was learned, cluster by cluster; only ever appended to.
pub const LEARNINGS: &str = ".grid/LEARNINGS.md";
/// What the last verification found.
pub const VERIFICATION: &str = ".grid/VERIFICATION.md";
/// What the refinement found.
pub const REFINEMENT_PLAN: &str = ".grid/REFINEMENT_PLAN.md";
/// Settings of a person: `model_tier`. Only read.
pub const CONFIG: &str = ".grid/config.json";
/// Debug sessions.
pub const DEBUG: &str = ".grid/debug/";
/// Plans and summaries.
pub const PHASES: &str = ".grid/phases/";

/// What a refinement swarm keeps: pictures, and what each of it saw.
pub const REFINEMENT: &str = ".grid/refinement/";

/// The longest memory of earlier clusters that is given to a planner, in characters.
pub(super) const MOST_LEARNINGS: usize = 16_000;

/// The path of a plan the engine writes.
pub(super) fn plan_path(plan: &Plan) -> String {
    format!("{PHASES}{}/{}-PLAN.md", plan.phase, plan.id)
}

/// The path of a summary.
pub(super) fn summary_path(plan: &Plan) -> String {
    format!("{PHASES}{}/{}-SUMMARY.md", plan.phase, plan.id)
}

/// Enters an entry of the scratchpad, unless its run has said the same before.
pub(super) fn enter(state: &mut State, entry: Entry) -> bool {
    if state.core.scratchpad.iter().any(|known| known.repeats(&entry)) {
        return false;
    }
    state.core.life.files.say(Level::Info, entry.line());
    state.core.scratchpad.push(entry);
    state.core.counts.entries += 1;
    if state.core.scratchpad.len() > MOST_ENTRIES {
        let oldest = state.core.scratchpad.remove(0);
        super::handover::leave(state, &oldest);
        state.core.life.files.append(ARCHIVE, oldest.render().trim_end());
    }
    state.core.life.files.touch(SCRATCHPAD);
    true
}

/// What was written in a wave goes into the archive, and the scratchpad is empty again.
pub(super) fn archive(state: &mut State, wave: u32) {
    super::handover::wave_closed(state);
    if state.core.scratchpad.is_empty() {
        return;
    }
    let phase = state
        .blocks
        .iter()
        .rev()
        .find(|block| block.wave == wave)
        .map(|block| block.plan.phase.clone());
    let mut text = format!(
        "---\nwave: {wave}\nphase: {}\narchived: {}\n---\n",
        phase.unwrap_or_default(),
        rfc3339(state.core.scratchpad.last().map_or(0, |entry| entry.at))
    );
    for entry in std::mem::take(&mut state.core.scratchpad) {
        let _ = write!(text, "\n{}", entry.render());
        super::handover::leave(state, &entry);
    }
    state.core.life.files.append(ARCHIVE, text.trim_end());
    state.core.life.files.touch(SCRATCHPAD);
}

/// A block was executed: its summary is due.
pub(super) fn summarise(state: &mut State, id: &str) {
    if let Some(block) = state.blocks.get(id) {
        let path = summary_path(&block.plan);
        state.core.life.files.touch(&path);
    }
}

/// A verification came to something.
pub(super) fn verified(state: &mut State, verdict: WaveVerdict, patrol: bool) {
    let (what, word) = match patrol {
        true => ("Patrol".to_owned(), super::outcome::of(Some(verdict), state.blocks.iter())),
        false => (format!("Wave {}", state.wave_number()), verdict.as_str()),
    };
    state.core.life.files.say(Level::Info, format!("{what}: {word}"));
    state.core.life.files.touch(VERIFICATION);
    state.touch_state();
}

/// Files that show what this event changed are due again, and dated.
pub(super) fn refresh(state: &mut State, at: Millis) {
    let Some(before) = state.core.before().filter(|_| state.touched()) else { return };
    let wanted = |core: &Core| core.life.files.known.get(VERIFICATION).map(|file| file.wanted);
    let verified = wanted(before) != wanted(&state.core);
    let due = changed(state, before);
    if verified || due.iter().any(|path| path == VERIFICATION) {
        state.core.verified_at = at;
    }
    due.iter().for_each(|path| state.core.life.files.touch(path));
}

/// Paths of files that are there and show something else now than before the event.
fn changed(state: &State, before: &Core) -> BTreeSet<String> {
    let core = &state.core;
    let (mut due, mut blocks) = (BTreeSet::new(), false);
    for (old, new) in state.blocks.changes() {
        blocks |= (old.status, old.wave) != (new.status, new.wave)
            || (&old.criteria, &old.gaps) != (&new.criteria, &new.gaps);
        let plan = plan_path(&new.plan);
        if core.life.files.known.contains_key(&plan)
            && (&old.plan, old.wave) != (&new.plan, new.wave)
            && plan::render(&old.plan, old.wave) != plan::render(&new.plan, new.wave)
        {
            due.insert(plan);
        }
        // What closes gaps may stand otherwise now by what became of them.
        let closes =
            |gap: &str| new.criteria.iter().any(|one| gap == format!("{}/{}", new.id, one.id));
        if old.criteria != new.criteria {
            let closing = state.blocks.iter().filter(|one| one.status == BlockStatus::Verified);
            let closing = closing.filter(|one| one.plan.closes.iter().any(|gap| closes(gap)));
            due.extend(
                closing
                    .filter(|one| super::outcome::word(state, one) != one.status.as_str())
                    .map(|one| summary_path(&one.plan)),
            );
        }
        let page = summary_path(&new.plan);
        if core.life.files.known.contains_key(&page)
            && outcome_of(state, old, &before.unnamed) != outcome_of(state, new, &core.unnamed)
        {
            due.insert(page);
        }
    }
    if blocks || position(before) != position(core) {
        due.insert(STATE.to_owned());
    }
    if before.unnamed != core.unnamed {
        let among = before.unnamed.iter().chain(&core.unnamed).flat_map(|one| &one.among);
        let named = among.filter_map(|id| state.blocks.get(id));
        due.extend(named.map(|block| summary_path(&block.plan)));
    }
    if blocks || judged(before) != judged(core) {
        due.insert(VERIFICATION.to_owned());
    }
    if before.refinement != core.refinement || (blocks && core.refinement.is_some()) {
        due.insert(REFINEMENT_PLAN.to_owned());
    }
    due.retain(|path| core.life.files.known.contains_key(path));
    due
}

/// What the page of the verification shows in addition to blocks.
fn judged(core: &Core) -> impl PartialEq + '_ {
    let unnamed = super::unattributed::lines(&core.unnamed, None);
    let skipped = core.refinement.as_ref().map(|one| &one.skipped).filter(|all| !all.is_empty());
    let anomalies = (&core.anomaly, &core.anomalies);
    (&core.gaps, &core.records, anomalies, &core.gone, unnamed, skipped)
}

/// What the state file shows in addition to blocks.
fn position(core: &Core) -> impl PartialEq + '_ {
    let plan = (&core.cluster, core.planned, &core.waves, core.wave);
    let lists = (&core.said, &core.decisions, &core.concerns);
    (plan, lists, &core.records, &core.patrol, &core.life.done)
}

/// The state of the blocks that fix a priority: the one of this id, and those with a number after it.
fn mending(state: &State, id: &str) -> Vec<String> {
    let of = |block: &&Block| {
        let rest = block.id.strip_prefix(id);
        block.plan.phase == "refinement"
            && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', 'x']))
    };
    state.blocks.iter().filter(of).map(|one| super::outcome::stands(state, one)).collect()
}

/// What was learned goes behind what earlier clusters learned.
pub(super) fn learn(state: &mut State, report: &Learnings, at: Millis) {
    let day = rfc3339(at);
    let line = one_line;
    let mut text = String::new();
    if state.core.learnings.as_deref().is_none_or(|known| known.trim().is_empty()) {
        text.push_str("# Grid Learnings\n\nWhat earlier clusters learned. Read at the start, written at the end.\n\n---\n\n");
    }
    let _ = write!(
        text,
        "## Entry: {} - {}\n\n**Project Type:** {}\n**Tech Stack:** {}\n**Complexity:** {}\n",
        day.get(..10).unwrap_or_default(),
        state.core.cluster,
        line(&report.project_type),
        line(&report.tech_stack.join(", ")),
        line(&report.complexity)
    );
    for (title, lines) in [
        ("What Worked", &report.what_worked),
        ("What Failed", &report.what_failed),
        ("Patterns Discovered", &report.patterns),
        ("Recommendations for Similar Projects", &report.recommendations),
    ] {
        let _ = write!(text, "\n### {title}\n");
        for one in lines.iter().map(|one| line(one)).filter(|one| !one.is_empty()) {
            let _ = writeln!(text, "- {one}");
        }
    }
    text.push_str("\n---");
    state.core.life.files.append(LEARNINGS, &text);
    state.core.captured = true;
}

/// The content of a projection.
///
/// # Errors
/// `unknown_file` for another path.
pub(super) fn render(state: &State, _: &Head, path: &str) -> Result<String> {
    let of = |path: &str| {
        state
            .blocks
            .iter()
            .find(|block| plan_path(&block.plan) == path || summary_path(&block.plan) == path)
    };
    match path {
        IGNORE | SCRATCH_IGNORE => Ok("*\n".to_owned()),
        STATE => Ok(state_page(state)),
        SCRATCHPAD => Ok(scratchpad(state)),
        VERIFICATION => Ok(verification(state)),
        REFINEMENT_PLAN => Ok(state
            .core
            .refinement
            .as_ref()
            .map(|one| one.render(|id| mending(state, id)))
            .unwrap_or_default()),
        other => {
            if let Some(block) = of(other) {
                return Ok(match other.ends_with("-PLAN.md") {
                    true => plan::render(&block.plan, block.wave),
                    false => summary(state, block, &state.core.unnamed),
                });
            }
            let session = state
                .blocks
                .iter()
                .filter_map(|block| block.debug.as_ref())
                .find(|one| one.path() == other);
            session.map(|session| session.render()).ok_or_else(|| {
                Error::new(Code::UnknownFile, "path", "a file of the grid protocol", other)
            })
        }
    }
}

/// Where the cluster is, in a word.
pub(super) fn phase(state: &State) -> &'static str {
    match state.due() {
        Due::Memory => "memory",
        Due::Plan => "plan",
        Due::Debug => "debug",
        Due::Gaps => "gap_closure",
        Due::Execute => "execute",
        Due::Look | Due::Verify => "verify",
        Due::Patrol => "patrol",
        Due::Lead | Due::Swarm => "refine",
        Due::Capture => "capture",
        Due::Nothing => "rest",
    }
}
