//! What stands in the files that people read: where the cluster is, what became of a block, what is verified.

use super::queries::MOST_NOTED;
use super::report::WaveVerdict;
use super::state::{Block, BlockStatus, State, Unnamed};
use super::{closures, gaps, outcome, unattributed};
use crate::vocab::criterion::CriterionState;
use crate::vocab::error::clip;
use crate::vocab::json;
use crate::vocab::text::one_line;
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

/// Where the cluster stands: front matter for readers that compute, the rest for people.
pub(super) fn state_page(state: &State) -> String {
    let core = &state.core;
    let wave = || state.wave_blocks().next();
    let current = state.blocks.live().next().or_else(wave).or(state.blocks.iter().last());
    let counts = outcome::counts(state);
    let status = match (&core.done, core.planned) {
        (Some(_), _) => "done",
        (None, true) => "in_progress",
        (None, false) => "planning",
    };
    let mut text = format!(
        "---\ncluster: {}\ncurrent_phase: {}\ncurrent_block: {}\nstatus: {status}\n---\n\n## Current Position\n\
         {}Wave: {} of {}\nStatus: {status}\n\nProgress: {}\n\n```\n{}```\n",
        json::encode(&core.cluster),
        json::encode(&current.map(|block| &block.plan.phase)),
        json::encode(&current.map(|block| &block.id)),
        current.map_or(String::new(), |block| phase_line(state, block)),
        state.wave_number().min(u32::try_from(core.waves.len()).unwrap_or(u32::MAX)),
        core.waves.len(),
        bar(counts.settled, counts.total),
        tree(state)
    );
    let decisions = [core.said.as_slice(), &core.decisions].concat();
    for (title, lines) in [(DECISIONS, &decisions), ("Blockers/Concerns", &core.concerns)] {
        let _ = write!(text, "\n## {title}\n");
        for line in lines {
            let _ = writeln!(text, "- {line}");
        }
    }
    if core.decisions.len().max(core.concerns.len()) >= MOST_NOTED {
        let _ = write!(
            text,
            "\nOf concerns and of what executors decided the latest {MOST_NOTED} stand here; all that executors decided stands in \
             the summaries of their blocks.\n"
        );
    }
    if !core.before.is_empty() {
        let _ = write!(text, "\n## {BEFORE}\n");
        for line in &core.before {
            let _ = writeln!(text, "- {line}");
        }
    }
    let at = current.map_or("nothing open".to_owned(), |block| {
        format!("block {} ({})", block.id, outcome::stands(state, block))
    });
    let _ = write!(
        text,
        "\n## Session Continuity\nLast session: {}\nStopped at: {at}\n",
        rfc3339(core.stamp.at)
    );
    text
}

/// Which of the phases a block belongs to, in the order of the plan.
fn phase_line(state: &State, block: &Block) -> String {
    let mut phases: Vec<&str> = Vec::new();
    for block in state.blocks.iter() {
        let phase = block.plan.phase.as_str();
        phases.extend((!phases.contains(&phase)).then_some(phase));
    }
    let place = phases.iter().take_while(|phase| **phase != block.plan.phase).count() + 1;
    format!("Phase: {place} of {} ({})\n", phases.len(), one_line(&block.plan.phase))
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

pub(super) fn summary(state: &State, block: &Block, all: &[Unnamed]) -> String {
    let empty = super::report::Summary::default();
    let summary = block.summary.as_deref().unwrap_or(&empty);
    let list = |lines: &[String]| json::encode(lines);
    let mut text = format!(
        "---\nphase: {}\nplan: {}\nsubsystem: {}\nrequires: {}\nprovides: {}\naffects: {}\ntech-stack:\n  added: {}\n{}key-files:\n  \
         created: {}\n  modified: {}\ncommits: {}\n",
        json::encode(&block.plan.phase),
        json::encode(&block.id),
        json::encode(&summary.subsystem.clone().unwrap_or_default()),
        json::encode(&summary.requires),
        list(&summary.provides),
        list(&summary.affects),
        list(&summary.tech_stack.added),
        patterns(&summary.tech_stack.patterns),
        list(&summary.key_files.created),
        list(&summary.key_files.modified),
        list(&summary.commits)
    );
    if summary.already_there {
        text.push_str("already_there: true\n");
    }
    if !block.lessons.is_empty() {
        let _ = write!(text, "lessons_learned:\n{}", block.lessons.render("  "));
    }
    let _ = write!(
        text,
        "---\n\n# {}\n\n{}\n",
        block.plan.objective,
        quoted(summary.words.as_deref().unwrap_or_default())
    );
    if !block.deviations.is_empty() {
        text.push_str("\n## Deviations\n\n");
        for line in block.done_beside() {
            let _ = writeln!(text, "- {line}");
        }
    }
    if !block.gaps.is_empty() {
        text.push_str("\n## Gaps\n\n");
        for gap in &block.gaps {
            let _ = writeln!(text, "- {}", gaps::line(block, gap));
        }
    }
    if !block.passed.is_empty() {
        text.push_str("\n## Checkpoints\n\n");
        for passed in &block.passed {
            let by = if passed.automatic { "automatic" } else { "user" };
            let _ = writeln!(
                text,
                "- {} ({by}): {}",
                json::encode(&passed.kind).replace('"', ""),
                passed.answer
            );
            if !passed.asked.is_empty() {
                let _ = writeln!(text, "  asked: {}", passed.asked);
            }
            for line in &passed.also {
                let _ = writeln!(text, "  {line}");
            }
        }
    }
    let stands = outcome::stands(state, block);
    if block.status == BlockStatus::Verified && stands != block.status.as_str() {
        let _ = write!(text, "\n## Verification\n\n{stands}\n");
    }
    let decisions = block.summary.iter().flat_map(|one| &one.decisions);
    section(&mut text, "Decisions", decisions.map(|line| one_line(line)));
    section(&mut text, "Approaches", block.approaches.iter().cloned());
    section(&mut text, "Noted", super::block::noted(block).into_iter());
    if !block.prose.is_empty() {
        let _ =
            write!(text, "\n## Said around the reports\n\n{}\n", quoted(&block.prose.join("\n\n")));
    }
    let commits = unattributed::lines(all, Some(&block.id));
    if !commits.is_empty() {
        text.push_str("\n## Commits that no report names\n\n");
        for line in commits {
            let _ = writeln!(text, "- {line}");
        }
    }
    text
}

/// Patterns among the tools, as a line of front matter; blank if there are none.
fn patterns(lines: &[String]) -> String {
    match lines {
        [] => String::new(),
        lines => format!("  patterns: {}\n", json::encode(lines)),
    }
}

/// A section of lines; nothing if there are none.
fn section(text: &mut String, title: &str, lines: impl Iterator<Item = String>) {
    let mut lines = lines.peekable();
    if lines.peek().is_some() {
        let _ = write!(text, "\n## {title}\n\n");
        lines.for_each(|line| {
            let _ = writeln!(text, "- {line}");
        });
    }
}

/// Words of an agent, set off so that no line of theirs is taken for one of ours.
pub(super) fn quoted(text: &str) -> String {
    text.lines().map(|line| format!("> {line}")).collect::<Vec<_>>().join("\n")
}

/// What was let go: block, must-have, by whom, and why.
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
    // Where nobody judged there is no time at which anything was verified.
    let judged = last.is_some_and(|record| record.verdict.is_some())
        || core.anomaly.is_some()
        || core.patrol.is_some();
    let at = if judged { rfc3339(core.verified_at) } else { "null".to_owned() };
    let mut text = format!(
        "---\nwave: {}\nverified: {at}\nstatus: {}\nscore: {}/{} must-haves\ngaps:\n",
        last.map_or(0, |record| record.wave),
        outcome::verdict(state),
        counts.shown(),
        counts.total
    );
    for gap in &core.gaps {
        let _ = writeln!(
            text,
            "  - block: {}\n    criterion: {}\n    reason: {}",
            json::encode(&gap.block),
            json::encode(&gap.criterion),
            json::encode(&gap.reason)
        );
    }
    text.push_str("waived:\n");
    for (block, criterion, by, why) in let_go(state.blocks.iter()) {
        let _ = writeln!(
            text,
            "  - block: {}\n    criterion: {}\n    by: {}\n    reason: {}",
            json::encode(block),
            json::encode(criterion),
            json::encode(by),
            json::encode(&one_line(why))
        );
    }
    for (persona, why) in core.refinement.iter().flat_map(|one| &one.skipped) {
        let _ = writeln!(
            text,
            "  - block: \"refinement\"\n    criterion: {}\n    by: \"user\"\n    reason: {}",
            json::encode(persona),
            json::encode(&one_line(why))
        );
    }
    text.push_str(&not_verified(state));
    text.push_str(&listed("anomalies_told", &super::anomaly::lines(state)));
    text.push_str(&listed("gone_from_the_branch", &core.history.gone));
    text.push_str(&listed("named_by_no_report", &unattributed::lines(&core.unnamed, None)));
    text.push_str("---\n\n# Verification\n");
    for block in state.blocks.iter().filter(|block| block.status != BlockStatus::Pending) {
        let _ = write!(text, "\n## {} ({})\n\n", block.id, outcome::stands(state, block));
        for criterion in &block.criteria {
            let word = closures::line(state, block, criterion);
            let _ = writeln!(text, "- {} {}: {word}", criterion.id, one_line(&criterion.text));
            for gap in block.gaps.iter().filter(|one| one.criterion == criterion.id) {
                let _ = writeln!(text, "  - gap: {}", gaps::line(block, gap));
            }
        }
    }
    text
}

/// Blocks that are closed and that nobody judged, with the reason; blank where there is none.
fn not_verified(state: &State) -> String {
    let mut text = String::new();
    for (block, why) in state.blocks.iter().filter_map(|one| Some((one, one.unjudged()?))) {
        let (id, why) = (json::encode(&block.id), json::encode(&why));
        let _ = write!(text, "  - block: {id}\n    reason: {why}\n");
    }
    if text.is_empty() { text } else { format!("not_verified:\n{text}") }
}

/// A list in the front matter; blank where there is nothing.
fn listed(name: &str, lines: &[String]) -> String {
    match lines {
        [] => String::new(),
        lines => {
            let lines = lines.iter().map(|line| format!("  - {}\n", json::encode(line)));
            format!("{name}:\n{}", lines.collect::<String>())
        }
    }
}
