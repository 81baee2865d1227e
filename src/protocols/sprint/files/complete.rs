//! `COMPLETE_<PROJECT>.md`: what was verifiably done, sprint by sprint as it is completed; when the mission is
//! done, the verification of the whole with its verdict. Every number is computed from the state.

use super::super::model;
use super::super::state::{Sprint, SprintStatus, State, TaskKind};
use super::cadence;
use super::cell;
use crate::mission::Head;
use crate::vocab::criterion::CriterionState;
use crate::vocab::error::clip;
use crate::vocab::role::Tier;
use crate::vocab::time::{Millis, rfc3339};
use std::fmt::Write;

pub(super) fn render(state: &State, head: &Head) -> String {
    let settings = &state.core.settings;
    let done = completed(state);
    let began = state.core.began_at.unwrap_or(head.at);
    let updated = done.iter().filter_map(|one| one.completed_at).max().unwrap_or(began);
    let mut page = format!(
        "# Completed Work — {}\n\nKept by the sprint supervisor\nStart: {}\nLast updated: {}\n",
        cell(&settings.project),
        rfc3339(began),
        rfc3339(updated)
    );
    summary(state, &done, &mut page);
    page.push_str("\n---\n\n## Work Units\n");
    for sprint in &done {
        entry(state, sprint, &mut page);
    }
    if let Some(end) = &state.core.done {
        verification(state, end.at, &mut page);
        cadence::render(state, end.at, &mut page);
        verdict(state, &mut page);
    }
    page
}

/// Completed sprints, in the order they were completed.
pub(super) fn completed(state: &State) -> Vec<&Sprint> {
    let done = state.sprints.iter().filter(|one| one.status == SprintStatus::Completed);
    let mut done: Vec<&Sprint> = done.collect();
    done.sort_by_key(|sprint| sprint.completed_at);
    done
}

/// The tier of the run that completed a sprint.
pub(super) fn tier(sprint: &Sprint) -> Option<Tier> {
    sprint.tries.last().map(|one| one.tier)
}

/// From the first dispatch to the first completion; nothing for what was only shown here.
pub(super) fn duration(sprint: &Sprint) -> Millis {
    let both = sprint.first_dispatched_at.zip(sprint.completed_at);
    both.map_or(0, |(began, ended)| ended.saturating_sub(began))
}

/// The time in which its runs were alive.
pub(super) fn worked(sprint: &Sprint) -> Millis {
    sprint.tries.iter().map(|one| one.ended_at.saturating_sub(one.started_at)).sum()
}

/// Attempts over all resumes, for the count begins again with each.
fn attempts(sprint: &Sprint, most: u32) -> String {
    let live = format!("{}/{most}", sprint.attempt);
    match sprint.failures.checked_add(1) == Some(sprint.attempt) {
        true => live,
        false => format!(
            "{live} since it was taken up again, {} in all ({} failed)",
            sprint.failures.saturating_add(1),
            sprint.failures
        ),
    }
}

/// Turns of the last run, as far as it told them.
fn turns(sprint: &Sprint, most: u32) -> String {
    match sprint.tries.last().map_or(0, |one| u64::from(one.turns)) {
        0 => "not reported".to_owned(),
        turns => {
            format!("{turns}/{most} ({}% of budget)", cadence::percent(turns, u64::from(most)))
        }
    }
}

/// How many sprints the runs of each tier completed.
pub(super) fn usage(done: &[&Sprint]) -> [(Tier, u64); 3] {
    let count = |wanted: Tier| {
        let made = done.iter().filter(|sprint| tier(sprint) == Some(wanted));
        u64::try_from(made.count()).unwrap_or(u64::MAX)
    };
    [Tier::Small, Tier::Standard, Tier::Large].map(|tier| (tier, count(tier)))
}

/// What they cost, in units of the cheapest.
pub(super) fn cost(usage: &[(Tier, u64); 3]) -> u64 {
    usage.iter().map(|(tier, count)| count * model::cost(*tier)).sum()
}

/// Models and how often: `small×3, large×1`.
pub(super) fn models(state: &State, usage: &[(Tier, u64); 3]) -> String {
    let used = usage.iter().filter(|(_, count)| *count > 0);
    let used: Vec<String> =
        used.map(|(tier, count)| format!("{}×{count}", state.core.settings.name(*tier))).collect();
    if used.is_empty() { "none yet".to_owned() } else { used.join(", ") }
}

fn summary(state: &State, done: &[&Sprint], page: &mut String) {
    let usage = usage(done);
    let total: Millis = done.iter().map(|sprint| duration(sprint)).sum();
    let word = match state.core.done {
        Some(_) => "",
        None => " (in progress)",
    };
    let _ = write!(
        page,
        "\n## Summary\n\n- Total sprints planned: {}\n- Total sprints completed: {}{word}\n- Models used: \
         {}\n- Total cost: {}x (relative: small=1x, standard=10x, large=30x)\n- Total duration: {}\n",
        state.sprints.len(),
        done.len(),
        models(state, &usage),
        cost(&usage),
        cadence::span(total)
    );
    if state.core.done.is_some() {
        page.push_str("\n### Model Usage\n\n");
        model_table(state, &usage, page);
    }
}

fn entry(state: &State, sprint: &Sprint, page: &mut String) {
    let settings = &state.core.settings;
    let unit = state.units.get(&sprint.unit);
    let model = tier(sprint).map_or("none", |tier| settings.name(tier)).to_owned();
    let score = sprint.choice.as_ref().map_or("—".to_owned(), |one| model::shown(one.sixths));
    let commits: Vec<String> = sprint.commits.iter().map(|one| commit(state, one)).collect();
    let moment = |at: Option<Millis>| at.map_or("—".to_owned(), rfc3339);
    let _ = write!(
        page,
        "\n### ✓ Sprint {}: {}\n\n- **Work Unit**: {}\n- **Status**: COMPLETED\n- **Type**: {}\n- \
         **Model**: {model} (complexity score: {score})\n- **Attempts**: {}\n- **Timing**:\n  - Started: \
         {}\n  - Completed: {}\n  - **Duration: {}**\n  - **Turns used: {}**\n- \
         **Git commits**: {}\n- **Exit criteria verified**:\n",
        sprint.plan.label,
        cell(&sprint.plan.name),
        cell(unit.map_or(&sprint.unit, |unit| &unit.name)),
        sprint.kind.as_str(),
        attempts(sprint, settings.max_retries),
        moment(sprint.first_dispatched_at),
        moment(sprint.completed_at),
        cadence::span(duration(sprint)),
        turns(sprint, settings.max_turns),
        if commits.is_empty() { "none".to_owned() } else { commits.join(", ") }
    );
    for criterion in &sprint.criteria {
        let text = format!("{}: {}", criterion.id, cell(criterion.text.trim()));
        let line = match &criterion.state {
            CriterionState::Verified { method, .. } => {
                format!("✓ {text} ({})", cell(&clip(method, 120)))
            }
            CriterionState::Waived { why, .. } => format!("– {text} (let go: {})", cell(why)),
            CriterionState::Open
            | CriterionState::Claimed { .. }
            | CriterionState::Rejected { .. } => format!("… {text} (waits for the gate)"),
        };
        let _ = writeln!(page, "  - {line}");
    }
    if !sprint.outside.is_empty() {
        let paths: Vec<String> = sprint.outside.iter().take(20).map(|path| cell(path)).collect();
        let _ = writeln!(page, "- **Outside its directory**: {}", paths.join(", "));
    }
    page.push_str("\n---\n");
}

/// A commit in short, with a word where it is not in the history any more.
fn commit(state: &State, id: &str) -> String {
    let short = clip(id, 7);
    let short = short.trim_end_matches('…');
    match state.core.gone.contains(id) {
        true => format!("{short} (no longer in the history)"),
        false => short.to_owned(),
    }
}

/// How many commits of a sprint are not in the history any more.
fn gone(state: &State, sprint: &Sprint) -> usize {
    sprint.commits.iter().filter(|one| state.core.gone.contains(*one)).count()
}

/// How bad something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Severity {
    Critical,
    High,
    Low,
}

impl Severity {
    fn as_str(self) -> &'static str {
        match self {
            Severity::Critical => "CRITICAL",
            Severity::High => "HIGH",
            Severity::Low => "LOW",
        }
    }
}

struct Issue {
    title: String,
    severity: Severity,
    details: String,
    impact: &'static str,
    recommendation: &'static str,
}

fn verified(sprint: &Sprint) -> (usize, usize) {
    let shown = |one: &&crate::vocab::criterion::Criterion| {
        matches!(one.state, CriterionState::Verified { .. })
    };
    (sprint.criteria.iter().filter(shown).count(), sprint.criteria.len())
}

/// A completed code sprint of whose runs no commit is known.
pub(super) fn uncommitted(sprint: &Sprint) -> bool {
    sprint.status == SprintStatus::Completed
        && sprint.kind == TaskKind::Code
        && sprint.commits.is_empty()
        && sprint.runs > 0
}

/// Everything that keeps the verdict from being a plain yes.
fn issues(state: &State) -> Vec<Issue> {
    let mut found = Vec::new();
    if let (Some(now), Some(plan)) = (&state.core.plan_seen, &state.core.settings.plan) {
        found.push(Issue {
            title: format!("{} is another plan than the mission began with", cell(&plan.path)),
            severity: Severity::High,
            details: format!("Its digest was {} and is {}.", clip(&plan.digest, 12), clip(now, 12)),
            impact: "Everything was done and shown by the plan the mission began with.",
            recommendation: "Compare the two; put the first one back, or begin a new mission.",
        });
    }
    for line in &state.core.lost_heads {
        found.push(Issue {
            title: "Commits are gone from the branch".to_owned(),
            severity: Severity::High,
            details: format!("The head was {}.", cell(line)),
            impact: "What only they held is not in what was shown.",
            recommendation: "Look at them by that id, and bring back what is needed.",
        });
    }
    for (place, problem) in state.core.gates_waived.iter().enumerate() {
        found.push(Issue {
            title: format!("gate/{} failed and was let go", place + 1),
            severity: Severity::High,
            details: cell(problem),
            impact: "What builds and tests everything together did not hold.",
            recommendation: "Run it by hand, and reopen the sprint it speaks of.",
        });
    }
    if !state.core.dirty_kept.is_empty() {
        let paths = state.core.dirty_kept.iter().take(20).map(|one| cell(&one.path));
        found.push(Issue {
            title: "Work is not committed".to_owned(),
            severity: Severity::High,
            details: format!("You left it so: {}.", paths.collect::<Vec<_>>().join(", ")),
            impact: "What was shown was shown with it; the commits alone were not.",
            recommendation: "Commit it, then show the criteria again.",
        });
    }
    for sprint in state.sprints.iter() {
        let name = format!("Sprint {} of {}", sprint.plan.label, sprint.unit);
        if sprint.status != SprintStatus::Completed {
            let skipped = sprint.status == SprintStatus::Skipped;
            found.push(Issue {
                title: format!("{name} is missing from the completion log"),
                severity: if skipped { Severity::High } else { Severity::Critical },
                details: format!("It stands in the plan and is {}.", sprint.status.as_str()),
                impact: "What the plan asks for here was not shown to be there.",
                recommendation: "Look at the decisions log, then reopen it or take it out of the plan.",
            });
            continue;
        }
        for entry in &sprint.entry_waived {
            found.push(Issue {
                title: format!("{name} began without its entry criterion {}", entry.id),
                severity: Severity::Low,
                details: format!("It was let go: {}", cell(&entry.why)),
                impact: "What the plan wants to hold before it was not shown.",
                recommendation: "See whether it holds now.",
            });
        }
        for criterion in sprint.criteria.iter().filter(|one| one.waived()) {
            found.push(Issue {
                title: format!("{name}: {} was not verified", criterion.id),
                severity: Severity::High,
                details: format!("It was let go: {}", cell(criterion.text.trim())),
                impact: "Nobody has shown that it holds.",
                recommendation: "Verify it by hand, or reopen the sprint.",
            });
        }
        if gone(state, sprint) > 0 {
            let lost = sprint.commits.iter().filter(|one| state.core.gone.contains(*one));
            let lost: Vec<String> = lost.map(|one| clip(one, 12)).collect();
            found.push(Issue {
                title: format!("{name} has commits that are no longer in the history"),
                severity: Severity::Low,
                details: format!("The history was rewritten behind them: {}.", lost.join(", ")),
                impact: "Its criteria were shown at the final head; these commits lead nowhere.",
                recommendation: "Find its work by its paths.",
            });
        }
        if uncommitted(sprint) {
            found.push(Issue {
                title: format!("{name} has no commits"),
                severity: Severity::High,
                details: "It is a code sprint, and no commit of its runs is known.".to_owned(),
                impact: "Its work cannot be found in the history.",
                recommendation: "Look at the history of its directory.",
            });
        }
    }
    found
}

fn verification(state: &State, at: Millis, page: &mut String) {
    let _ = write!(
        page,
        "\n## Final Verification — {}\n\n### Coverage Check\n\n| Sprint | Planned | Completed | Status |\n\
         |--------|---------|-----------|--------|\n",
        rfc3339(at)
    );
    for sprint in state.sprints.iter() {
        let (mark, word) = match sprint.status {
            SprintStatus::Completed => ("✓", "VERIFIED"),
            SprintStatus::Skipped => ("✗", "LET GO"),
            SprintStatus::Deferred => ("✗", "PUT OFF"),
            _ => ("✗", "MISSING FROM COMPLETION LOG"),
        };
        let _ = writeln!(page, "| {} | ✓ | {mark} | {word} |", cell(&sprint.id));
    }
    criteria_check(state, page);
    commit_check(state, page);
    let issues = issues(state);
    let _ = write!(page, "\n## Issues Found: {}\n", issues.len());
    for (place, issue) in issues.iter().enumerate() {
        let _ = write!(
            page,
            "\n### Issue {}: {}\n\n- **Severity**: {}\n- **Details**: {}\n- **Impact**: {}\n- \
             **Recommendation**: {}\n",
            place + 1,
            issue.title,
            issue.severity.as_str(),
            issue.details,
            issue.impact,
            issue.recommendation
        );
    }
}

fn result(failed: usize, what: &str) -> String {
    match failed {
        0 => "\n**Result**: ✓ none missing\n".to_owned(),
        many => format!("\n**Result**: ✗ {many} {what}\n"),
    }
}

fn criteria_check(state: &State, page: &mut String) {
    page.push_str("\n### Exit Criteria Verification\n\n");
    let mut failed = 0;
    for sprint in completed(state) {
        let (shown, all) = verified(sprint);
        let mark = if shown == all { "✓" } else { "✗" };
        failed += usize::from(shown != all);
        let _ = writeln!(page, "- {}: {shown}/{all} criteria verified {mark}", cell(&sprint.id));
        for open in sprint.criteria.iter().filter(|one| one.waived()) {
            let _ = writeln!(page, "  - Missing: {} {}", open.id, cell(open.text.trim()));
        }
    }
    page.push_str(&result(failed, "sprints have unverified exit criteria"));
}

fn commit_check(state: &State, page: &mut String) {
    page.push_str("\n### Git Commit Verification\n\n");
    let mut failed = 0;
    for sprint in completed(state) {
        let id = cell(&sprint.id);
        if sprint.kind != TaskKind::Code {
            let _ = writeln!(page, "- {id} ({}): N/A (not a code sprint)", sprint.kind.as_str());
            continue;
        }
        if sprint.runs == 0 {
            let _ = writeln!(page, "- {id} (code): N/A (done before the mission)");
            continue;
        }
        let found = sprint.commits.len();
        failed += usize::from(found == 0);
        let mark = if found == 0 { "✗" } else { "✓" };
        let lost = match gone(state, sprint) {
            0 => String::new(),
            lost => format!(", {lost} no longer in the history"),
        };
        let _ = writeln!(page, "- {id} (code): {found} commits{lost} {mark}");
    }
    page.push_str(&result(failed, "code sprints have no commits"));
}

fn verdict(state: &State, page: &mut String) {
    let issues = issues(state);
    let count = |wanted: Severity| issues.iter().filter(|one| one.severity == wanted).count();
    page.push_str("\n---\n\n## Verdict\n\n");
    // What ends with nothing let go passed, as the exit status of the mission says; but for commits that are gone from
    // the branch, which the user went on without: everything was shown again, and what only they held was not.
    if issues.iter().all(|issue| issue.severity == Severity::Low) {
        page.push_str(
            "✓ VERIFICATION PASSED\n\nEvery sprint of the plan is in this log, and every exit criterion was \
             shown.\n",
        );
        if !issues.is_empty() {
            let _ = writeln!(page, "\n**Notes**: {} (see above)", issues.len());
        }
        return;
    }
    let _ = write!(
        page,
        "✗ VERIFICATION FAILED\n\nEvery work unit came to its end, but {} points are left.\n\n**Critical \
         issues**: {} (must resolve)\n**Recommended fixes**: {} (should resolve)\n",
        issues.len(),
        count(Severity::Critical),
        count(Severity::High) + count(Severity::Low)
    );
    for line in &state.core.lost_heads {
        let _ = writeln!(page, "**Gone from the branch**: {}", cell(line));
    }
}

/// What the user is told at the end: the verification, the performance, what each model did.
pub(super) fn told(state: &State, at: Millis) -> String {
    let done = completed(state);
    let mark = |bad: usize| if bad == 0 { "✓" } else { "✗" };
    let whole = done.iter().filter(|one| verified(one).0 == verified(one).1).count();
    let code = done.iter().filter(|one| one.kind == TaskKind::Code);
    // What was done before the mission has no commits of its runs.
    let (code, before): (Vec<&&Sprint>, Vec<&&Sprint>) = code.partition(|one| one.runs > 0);
    let committed = code.iter().filter(|one| !one.commits.is_empty()).count();
    let before = match before.len() {
        0 => String::new(),
        many => format!(", {many} done before the mission"),
    };
    let all = state.sprints.len();
    let mut text = format!(
        "Sprint Supervisor Complete: {all} sprints across {} work units.\n{} Coverage: {}/{all} sprints \
         accounted for\n{} Exit criteria: {whole}/{} sprints fully verified\n{} Git commits: {committed}/{} \
         code sprints have commits{before}",
        state.units.len(),
        mark(all - done.len()),
        done.len(),
        mark(done.len() - whole),
        done.len(),
        mark(code.len() - committed),
        code.len(),
    );
    performance(state, &done, at, &mut text);
    let issues = issues(state).len();
    if issues > 0 {
        let _ = write!(text, "\n✗ {issues} issues found");
    }
    for line in &state.core.lost_heads {
        let _ = write!(text, "\n✗ Gone from the branch: {line}");
    }
    let path = super::complete_path(&state.core.settings.root, &state.core.settings.project);
    let _ = write!(text, "\nThe whole analysis: {path}");
    text
}

fn performance(state: &State, done: &[&Sprint], at: Millis, text: &mut String) {
    let usage = usage(done);
    let began = state.core.began_at.unwrap_or(at);
    let total: Millis = done.iter().map(|one| duration(one)).sum();
    let many = u64::try_from(done.len()).unwrap_or(u64::MAX);
    let _ = write!(
        text,
        "\nTotal time: {} ({} → {})\nAverage sprint: {}\nParallelism efficiency: {}%\nModel usage: {}",
        cadence::span(at.saturating_sub(began)),
        rfc3339(began),
        rfc3339(at),
        cadence::span(total.checked_div(many).unwrap_or(0)),
        cadence::overlap(done, at.saturating_sub(began)),
        models(state, &usage)
    );
    text.push_str("\n\n");
    model_table(state, &usage, text);
    let _ = write!(
        text,
        "Total cost: {}x (relative; {} = 1x)",
        cost(&usage),
        cell(&state.core.settings.names.small)
    );
}

/// What each model completed, and what that costs.
fn model_table(state: &State, usage: &[(Tier, u64); 3], text: &mut String) {
    text.push_str("| Model | Sprints | Relative Cost |\n|-------|---------|---------------|\n");
    for (tier, many) in usage {
        let name = cell(state.core.settings.name(*tier));
        let _ = writeln!(text, "| {name} | {many} | {}x |", many * model::cost(*tier));
    }
}
