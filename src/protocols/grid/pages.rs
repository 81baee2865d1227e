//! The content of the files that people read: the state of the cluster, the outcome of a block, the verdicts.

use super::queries::MOST_NOTED;
use super::report::WaveVerdict;
use super::state::{Block, BlockStatus, Gap, Passed, State, Unnamed};
use super::{closures, gaps, outcome, unattributed};
use crate::mission::prelude::*;
use crate::mission::template::{Fields, fields, lines, render, rows};
use crate::vocab::json;
use crate::vocab::time::rfc3339;
use std::fmt::Write;

pub(super) fn scratchpad(state: &State) -> String {
    let programs: Vec<String> = state
        .blocks
        .live()
        .filter(|block| block.status == BlockStatus::Active)
        .map(|block| super::block::program(&block.id))
        .collect();
    // Without an entry nothing was ever written.
    let last = state.core.scratchpad.last();
    let updated = last.map_or("null".to_owned(), |entry| rfc3339(entry.at));
    let mut text = format!(
        "---\nupdated: {updated}\nactive_programs: {}\n---\n",
        crate::vocab::json::encode(&programs)
    );
    for entry in &state.core.scratchpad {
        let _ = write!(text, "\n{}", entry.render());
    }
    text
}

/// The state of the cluster: front matter for programs, the rest for people.
pub(super) fn state_page(state: &State) -> String {
    let core = &state.core;
    let wave = || state.wave_blocks().next();
    let current = state.blocks.live().next().or_else(wave).or(state.blocks.iter().last());
    let counts = outcome::counts(state);
    let status = match (&core.life.done, core.planned) {
        (Some(_), _) => "done",
        (None, true) => "in_progress",
        (None, false) => "planning",
    };
    let decisions = core.said.iter().chain(&core.decisions);
    let full = core.decisions.len().max(core.concerns.len()) >= MOST_NOTED;
    let stopped = |block: &Block| format!("block {} ({})", block.id, outcome::stands(state, block));
    let told = fields! {
        cluster: json::encode(&core.cluster),
        phase: json::encode(&current.map(|block| &block.plan.phase)),
        block: json::encode(&current.map(|block| &block.id)),
        status: status,
        place: current.map(|block| place(state, block)),
        wave: state.wave_number().min(u32::try_from(core.waves.len()).unwrap_or(u32::MAX)),
        waves: core.waves.len(),
        progress: bar(counts.settled, counts.total),
        tree: tree(state),
        decisions: lines("line", decisions),
        concerns: lines("line", &core.concerns),
        full: full.then(|| fields! { most: MOST_NOTED }),
        before: part(core.before.iter().cloned()),
        session: rfc3339(core.stamp.at),
        stopped: current.map_or("nothing open".to_owned(), stopped),
    };
    render(include_str!("files/STATE.md"), &told)
}

/// The lines of a part of a page; no part without a line.
fn part(all: impl IntoIterator<Item = String>) -> Option<Fields> {
    let all: Vec<String> = all.into_iter().collect();
    (!all.is_empty()).then(|| fields! { lines: lines("line", all) })
}

/// Which of the phases a block belongs to, in the order of the plan.
fn place(state: &State, block: &Block) -> Fields {
    let mut phases: Vec<&str> = Vec::new();
    for block in state.blocks.iter() {
        let phase = block.plan.phase.as_str();
        phases.extend((!phases.contains(&phase)).then_some(phase));
    }
    let number = phases.iter().take_while(|phase| **phase != block.plan.phase).count() + 1;
    fields! { number: number, of: phases.len(), name: one_line(&block.plan.phase) }
}

/// The title of decisions in the state file.
const DECISIONS: &str = "Decisions Made";
/// The title of those that were made before the mission.
const BEFORE: &str = "Decisions Made Before";
/// The most decisions from before the mission that are kept.
const MOST_BEFORE: usize = 250;

/// Decisions from before the mission, each in one line: the latest are kept.
pub(super) fn latest_before(lines: &[String]) -> Vec<String> {
    let surplus = lines.len().saturating_sub(MOST_BEFORE);
    lines.iter().skip(surplus).map(|line| one_line(line)).filter(|line| !line.is_empty()).collect()
}

/// The decisions that a state file lists, the latest last: those from before its mission, then its own.
pub fn decisions(page: &str) -> Vec<String> {
    let under = |title: &str| {
        let heading = format!("## {title}");
        let lines = page.lines().skip_while(move |line| *line != heading).skip(1);
        let own = lines.take_while(|line| !line.starts_with("## "));
        own.filter_map(|line| line.strip_prefix("- ")).map(str::to_owned).collect::<Vec<_>>()
    };
    latest_before(&[under(BEFORE), under(DECISIONS)].concat())
}

/// Twenty signs, one for each twentieth that is shown.
fn bar(settled: usize, total: usize) -> String {
    let share = |of: usize| settled.saturating_mul(of).checked_div(total).unwrap_or(0);
    let (signs, percent) = (share(20), share(100));
    format!("[{}{}] {percent}%", "|".repeat(signs), " ".repeat(20 - signs.min(20)))
}

/// The cluster as a tree: waves, blocks, verdicts.
pub(super) fn tree(state: &State) -> String {
    let mut text = String::new();
    for (place, wave) in state.core.waves.iter().enumerate() {
        let number = place + 1;
        let _ = writeln!(text, "Wave {number}");
        for block in wave.iter().filter_map(|id| state.blocks.get(id)) {
            let mark = match outcome::stands(state, block) {
                word if word == BlockStatus::Verified.as_str() => "done".to_owned(),
                word => word,
            };
            let kind = if block.plan.gap_closure { " (closes gaps)" } else { "" };
            let _ = writeln!(
                text,
                "|-- {}: {}{kind} [{mark}]",
                block.id,
                clip(&one_line(&block.plan.objective), 80)
            );
        }
        let record =
            state.core.records.iter().find(|record| usize::try_from(record.wave) == Ok(number));
        if let Some(record) = record {
            let word = outcome::of_wave(state, Some(record));
            let waived = let_go(wave.iter().filter_map(|id| state.blocks.get(id))).count();
            let waived = match waived {
                0 => String::new(),
                count => format!(", let go: {count}"),
            };
            let rounds = record.gap_rounds;
            let _ =
                writeln!(text, "|-- Recognizer: {word}, {rounds} rounds of gap closure{waived}");
        }
    }
    if let Some(patrol) = &state.core.patrol {
        let word = outcome::of(Some(WaveVerdict::Clear), state.blocks.iter());
        let _ = writeln!(text, "Patrol\n|-- Recognizer: {word} at {}", clip(&patrol.head, 10));
    }
    text
}

/// What became of a block.
pub(super) fn summary(state: &State, block: &Block, all: &[Unnamed]) -> String {
    render(include_str!("files/SUMMARY.md"), &outcome_of(state, block, all))
}

/// The same in the fields of its page.
pub(super) fn outcome_of(state: &State, block: &Block, all: &[Unnamed]) -> Fields {
    let stands = outcome::stands(state, block);
    let judged = block.status == BlockStatus::Verified && stands != block.status.as_str();
    let decisions = block.summary.iter().flat_map(|one| &one.decisions);
    let passed = (!block.passed.is_empty()).then_some(&block.passed);
    let deviations = (!block.deviations.is_empty()).then(|| block.done_beside());
    let words = block.summary.as_deref().and_then(|one| one.words.as_deref());
    front(block).and(fields! {
        objective: &block.plan.objective,
        words: quoted(words.unwrap_or_default()),
        deviations: deviations.map(|all| fields! { lines: lines("line", all) }),
        gaps: part(block.gaps.iter().map(|gap| gaps::line(block, gap))),
        checkpoints: passed.map(|all| fields! { all: rows(all.iter().map(checkpoint)) }),
        verification: judged.then(|| fields! { stands: stands }),
        decisions: part(decisions.map(|line| one_line(line))),
        approaches: part(block.approaches.iter().cloned()),
        noted: part(super::block::noted(block)),
        prose: (!block.prose.is_empty())
            .then(|| fields! { text: quoted(&block.prose.join("\n\n")) }),
        unattributed: part(unattributed::lines(all, Some(&block.id))),
    })
}

/// The front matter of a summary, for readers that compute.
fn front(block: &Block) -> Fields {
    let empty = super::report::Summary::default();
    let summary = block.summary.as_deref().unwrap_or(&empty);
    let patterns = &summary.tech_stack.patterns;
    let lessons = block.lessons.render("  ");
    let lessons = lessons.strip_suffix('\n').filter(|_| !block.lessons.is_empty());
    fields! {
        phase: json::encode(&block.plan.phase),
        plan: json::encode(&block.id),
        subsystem: json::encode(&summary.subsystem.clone().unwrap_or_default()),
        requires: json::encode(&summary.requires),
        provides: json::encode(&summary.provides),
        affects: json::encode(&summary.affects),
        added: json::encode(&summary.tech_stack.added),
        patterns: (!patterns.is_empty()).then(|| fields! { list: json::encode(patterns) }),
        created: json::encode(&summary.key_files.created),
        modified: json::encode(&summary.key_files.modified),
        commits: json::encode(&summary.commits),
        already_there: summary.already_there,
        lessons: lessons.map(|text| fields! { text: text }),
    }
}

/// A checkpoint that was passed.
fn checkpoint(passed: &Passed) -> Fields {
    fields! {
        kind: json::encode(&passed.kind).replace('"', ""),
        by: if passed.automatic { "automatic" } else { "user" },
        answer: &passed.answer,
        asked: (!passed.asked.is_empty()).then(|| fields! { text: &passed.asked }),
        also: lines("line", &passed.also),
    }
}

/// Words of an agent, set off so that no line of theirs is taken for one of ours.
pub(super) fn quoted(text: &str) -> String {
    text.lines().map(|line| format!("> {line}")).collect::<Vec<_>>().join("\n")
}

/// All waivers: block, must-have, by whom, and why.
pub(super) fn let_go<'a>(
    blocks: impl Iterator<Item = &'a Block>,
) -> impl Iterator<Item = (&'a str, &'a str, &'a str, &'a str)> {
    blocks.flat_map(|block| {
        block.criteria.iter().filter_map(|one| match &one.state {
            CriterionState::Waived { by, why } => {
                Some((block.id.as_str(), one.id.as_str(), by.as_str(), why.as_str()))
            }
            _ => None,
        })
    })
}

pub(super) fn verification(state: &State) -> String {
    let core = &state.core;
    let last = core.records.last();
    let counts = outcome::counts(state);
    // If nobody judged, there is no time at which anything was verified.
    let judged = last.is_some_and(|record| record.verdict.is_some())
        || core.anomaly.is_some()
        || core.patrol.is_some();
    let at = if judged { rfc3339(core.verified_at) } else { "null".to_owned() };
    let of_blocks =
        let_go(state.blocks.iter()).map(|(block, of, by, why)| waived(block, of, by, why));
    let skipped = core.refinement.iter().flat_map(|one| &one.skipped);
    let skipped = skipped.map(|(persona, why)| waived("refinement", persona, "user", why));
    let unjudged = state.blocks.iter().filter_map(|one| Some((one, one.unjudged()?)));
    let unjudged: Vec<Fields> = unjudged.map(|(block, why)| unverified(block, &why)).collect();
    let blocks = state.blocks.iter().filter(|block| block.status != BlockStatus::Pending);
    let told = fields! {
        wave: last.map_or(0, |record| record.wave),
        at: at,
        status: outcome::verdict(state),
        shown: counts.shown(),
        total: counts.total,
        gaps: rows(core.gaps.iter().map(open_gap)),
        waived: rows(of_blocks.chain(skipped)),
        not_verified: (!unjudged.is_empty()).then(|| fields! { all: rows(unjudged) }),
        listed: rows(listed(state)),
        blocks: rows(blocks.map(|block| of_block(state, block))),
    };
    render(include_str!("files/VERIFICATION.md"), &told)
}

fn open_gap(gap: &Gap) -> Fields {
    fields! {
        block: json::encode(&gap.block),
        criterion: json::encode(&gap.criterion),
        reason: json::encode(&gap.reason),
    }
}

fn waived(block: &str, criterion: &str, by: &str, why: &str) -> Fields {
    fields! {
        block: json::encode(&block),
        criterion: json::encode(&criterion),
        by: json::encode(&by),
        reason: json::encode(&one_line(why)),
    }
}

/// A block that is closed and that nobody judged, with the reason.
fn unverified(block: &Block, why: &str) -> Fields {
    fields! { block: json::encode(&block.id), reason: json::encode(&why) }
}

/// The lists of the front matter that have a line.
fn listed(state: &State) -> impl Iterator<Item = Fields> {
    let all = [
        ("anomalies_told", super::anomaly::lines(state)),
        ("gone_from_the_branch", state.core.gone.clone()),
        ("named_by_no_report", unattributed::lines(&state.core.unnamed, None)),
    ];
    let full = all.into_iter().filter(|(_, all)| !all.is_empty());
    full.map(|(name, all)| {
        fields! { name: name, lines: lines("line", all.iter().map(json::encode)) }
    })
}

/// A block with each must-have and what became of it.
fn of_block(state: &State, block: &Block) -> Fields {
    let criterion = |one: &Criterion| {
        let gaps = block.gaps.iter().filter(|gap| gap.criterion == one.id);
        fields! {
            criterion: &one.id,
            text: one_line(&one.text),
            word: closures::line(state, block, one),
            gaps: lines("line", gaps.map(|gap| gaps::line(block, gap))),
        }
    };
    fields! {
        id: &block.id,
        stands: outcome::stands(state, block),
        criteria: rows(block.criteria.iter().map(criterion)),
    }
}
