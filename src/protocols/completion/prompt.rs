//! What each role is told. Everything it needs stands in the text or in a file it is pointed to;
//! nothing is left to the memory of a conversation.

use super::plan;
use super::reground::{Purpose, purpose};
use super::report::schema_name;
use super::role::Role;
use super::state::{Active, Correction, Slice, State};
use crate::mission::Head;
use crate::mission::report;
use crate::vocab::criterion::CriterionState;
use crate::vocab::error::clip;
use std::fmt::Write;

/// The eight ranks of `completion-default`, first to last.
pub const PRIORITIES: [&str; 8] = [
    "what is shipped contradicts its documentation or configuration",
    "safety, security, loss of data, or a critical path that fails open or closed the wrong way",
    "start, installation, migration or restart on the critical path",
    "an operator's way out: emergency, rollback, recovery",
    "the normal way through the product",
    "documentation, configuration and runbooks that lag behind",
    "depth of regression tests",
    "final closure and tidiness",
];

/// How many slices a prompt lists; the rest is in the plan file.
const MOST_LISTED: usize = 30;

/// The prompt of `role` in this state.
pub(super) fn prompt(
    state: &State,
    head: &Head,
    role: Role,
    correction: Option<&Correction>,
) -> String {
    let mut text = opening(state, role);
    let body = match role {
        Role::Bootstrapper => bootstrapper(state),
        Role::Regrounder => regrounder(state, head),
        Role::Implementer => implementer(state),
        Role::Reviewer => verifier(state, "review", REVIEW),
        Role::Auditor => verifier(state, "audit", AUDIT),
        Role::StopJudge => judge(state),
    };
    text.push_str(&body);
    text.push_str(COMMON);
    let form = report::Form {
        anchor: &state.core.settings.mission,
        open: "<ids separated by commas, or none>",
        language: "`json`",
        schema: schema_name(role),
        example: example(role),
        correction: correction.map(|correction| (correction.of, &correction.fault)),
        again: state.core.attempts > 0 && state.core.counts.refused_reports > 1,
    };
    text + &form.text()
}

fn opening(state: &State, role: Role) -> String {
    let seen = state.core.seen.as_ref();
    let head = seen.map_or("none", |seen| seen.head_word());
    format!(
        "MISSION ANCHOR: {}\n\nYou are the {} of this mission. You work alone, in this repository, at \
         head {head}. Truth is what is in the repository now; notes, summaries and memories count for \
         nothing against it. You never start another role.\n\n",
        state.core.settings.mission,
        role.name()
    )
}

const COMMON: &str = "
## Ground rules

- The engine owns every file under `.agent/`. Read `.agent/state.json`, `.agent/plan.json` and
  `.agent/active-slice.json` when you need them, also after your memory was compacted. Never write them.
- Scratch goes to `.agent/tmp/`, never to the system's temporary folder. Nothing that matters lives only there.
- Proof is typed: a test by its id, a command with its exit status, a file with a line, or what you did and
  saw by hand. Words alone prove nothing. What you could not find out is `not_shown`; say so.
";

fn bootstrapper(state: &State) -> String {
    format!(
        "## Your task\n\nTracked contract files are missing or unusable: {}. Look at the repository and \
         report what they need to say: which documentation must stay true to what is shipped, and which \
         commands verify the repository as a whole. Each command is a program with its arguments, without \
         a shell. Only name commands you have seen to exist. Change nothing: the engine writes and commits \
         the files.\n",
        state.core.contract.needs.join(", ")
    )
}

fn regrounder(state: &State, head: &Head) -> String {
    let mut text = String::from("## Your task\n\n");
    match purpose(state, head) {
        Purpose::Recover => {
            if let Some(reground) = &state.core.reground {
                let _ = writeln!(
                    text,
                    "The canonical state must be grounded anew ({:?}). What is known:",
                    reground.reason
                );
                for detail in reground.details.iter().take(40) {
                    let _ = writeln!(text, "- {}", clip(detail, 500));
                }
            }
        }
        Purpose::Select => text.push_str("No slice is selected although work is open. Select exactly one.\n"),
        Purpose::Reconcile => text.push_str(
            "The latest committed slice has its review and audit. Decide: accepted or reopened. Accepted \
             needs every criterion verified by both, nothing to fix, and a clean worktree.\n",
        ),
        Purpose::Final => text.push_str(
            "All judges agree and the stop verifier passed. Say with `can_stop` whether the mission ends \
             here. If not, add or reopen the slice that is missing.\n",
        ),
    }
    committed(state, &mut text);
    text.push_str(PLANNING);
    for (rank, class) in PRIORITIES.iter().enumerate() {
        let _ = writeln!(text, "  {}. {class}", rank + 1);
    }
    listing(state, &mut text);
    for note in &state.core.notes {
        let _ = writeln!(text, "- {}", clip(note, 1_000));
    }
    text
}

const PLANNING: &str = "
How to plan:
- Check every slice against the repository as it is now, closed ones too. Name closed slices whose criteria no
  longer hold under `reopened`.
- A slice has a goal, contract ids, at least one criterion that somebody else can verify, and a rank.
- Criteria and contract ids are locked. You may add; you may not reword, weaken or drop. What should go is a
  proposal, and the user decides.
- `blocked_on` names slices that must be closed first. Select only what waits for nothing open.
- Select one slice, the most valuable by rank; equal ranks keep the order of the plan. Never select the next
  slice over a dirty worktree: reopen the latest one instead, to clean up.
- Ranks:
";

fn committed(state: &State, text: &mut String) {
    let Some(active) = &state.core.active else { return };
    let Some(claim) = &active.claim else { return };
    let _ = writeln!(text, "\nThe slice {} is committed as {}.", active.slice_id, claim.commit);
    for (word, judgement) in [("review", &active.review), ("audit", &active.audit)] {
        let Some(judgement) = judgement else { continue };
        let _ = writeln!(text, "The {word} (run {}) found:", judgement.by.run);
        for verdict in &judgement.verdicts {
            let method = clip(&verdict.method, 300);
            let _ = writeln!(text, "- {}: {:?} ({method})", verdict.criterion, verdict.finding);
        }
        for finding in &judgement.must_fix {
            let _ = writeln!(text, "- must be fixed: {}", clip(finding, 500));
        }
    }
    if let Some(seen) = state.core.seen.as_ref().filter(|seen| !seen.dirty.is_empty()) {
        let paths: Vec<&str> = seen.dirty.iter().take(20).map(|one| one.path.as_str()).collect();
        let _ = writeln!(
            text,
            "The worktree is dirty: {}. Only `reopened` is taken.",
            paths.join(", ")
        );
    }
    if let Some(reason) = &state.core.skip_verification {
        let _ = writeln!(text, "The user has switched verification off: {reason}");
    }
}

fn listing(state: &State, text: &mut String) {
    let shown: Vec<&Slice> = state.slices.live().take(MOST_LISTED).collect();
    let total = state.slices.len();
    let _ = writeln!(text, "\nThe plan has {total} slices, {} of them open:", state.open_slices());
    for slice in shown {
        let status = slice.status;
        let goal = clip(&slice.goal, 200);
        let _ = writeln!(text, "- {} [{status}, rank {}] {goal}", slice.slice_id, slice.priority);
    }
    let counts = [state.core.grounding.release_blockers, state.core.grounding.high_value_gaps];
    let word =
        |count: Option<u64>| count.map_or("not counted".to_owned(), |count| count.to_string());
    let _ = writeln!(
        text,
        "Release blockers: {}. High-value gaps: {}. Documentation surfaces: {}.",
        word(counts[0]),
        word(counts[1]),
        surfaces(state)
    );
}

fn surfaces(state: &State) -> String {
    match state.core.profile.docs_surfaces.is_empty() {
        true => "none named".to_owned(),
        false => state.core.profile.docs_surfaces.join(", "),
    }
}

fn implementer(state: &State) -> String {
    let (Some(active), Some(slice)) = subject(state) else { return String::new() };
    let mut text = format!(
        "## Your task\n\nDo this one slice and nothing else.\n\n{}",
        handoff(active, slice)
    );
    let _ = write!(
        text,
        "\nHow to work:\n\
         - Make the smallest change that is right.\n\
         - Give proof for each criterion: a test in the repository where one can be written, else a check \
         that gives the same answer every time.\n\
         - Verify narrowly first (what you changed), then broadly (the repository's own checks).\n\
         - Keep documentation, configuration and runbooks true to what is shipped ({}).\n\
         - Commit everything that belongs to the slice; leave the worktree clean. Report the full id that \
         `git rev-parse HEAD` prints. A commit that an earlier, lost run left for this slice may be finished \
         and reported.\n\
         - If the plan turns out wrong (wrong boundaries, a missing prerequisite, another order), do not \
         redesign it: report `plan_drift` with the facts and the slices they affect, without a commit.\n\
         - If something only the user can settle is in the way, report `blocked` and say exactly what.\n",
        surfaces(state)
    );
    text
}

fn handoff(active: &Active, slice: &Slice) -> String {
    let mut text = format!(
        "Slice {}: {}\nWhy now: {}\nRank: {}\nContract ids: {}\nBasis commit: {}\nContract ids open before: \
         {}\nRelease blockers before: {}\nHigh-value gaps before: {}\n",
        slice.slice_id,
        slice.goal,
        slice.why_now,
        slice.priority,
        slice.contract_ids.join(", "),
        active.basis_commit,
        active
            .remaining_contract_ids_before
            .iter()
            .take(100)
            .cloned()
            .collect::<Vec<_>>()
            .join(", "),
        active.release_blocker_count_before,
        active.high_value_gap_count_before
    );
    text.push_str("Criteria:\n");
    for criterion in &slice.criteria {
        let state = match &criterion.state {
            CriterionState::Waived { .. } => " (waived)",
            CriterionState::Open
            | CriterionState::Claimed { .. }
            | CriterionState::Verified { .. }
            | CriterionState::Rejected { .. } => "",
        };
        let _ = writeln!(text, "- {}{state}: {}", criterion.id, criterion.text);
    }
    for (title, lines) in [
        ("Blocked on", &slice.blocked_on),
        ("Notes that bind you", &active.locked_notes),
        ("Must be fixed", &active.must_fix),
    ] {
        for line in lines {
            let _ = writeln!(text, "{title}: {line}");
        }
    }
    text
}

fn subject(state: &State) -> (Option<&Active>, Option<&Slice>) {
    let active = state.core.active.as_ref();
    (active, active.and_then(|active| state.slices.get(&active.slice_id)))
}

const REVIEW: &str = "Read the change from the basis to the commit. Find out for each criterion whether it \
holds at that commit: run the tests, read the code, try it. Look for what is wrong, missing or larger than \
the slice needs, and whether the documentation surfaces are still true.";

const AUDIT: &str = "Audit the commit against the contract, not against the reviewer: for each criterion, find \
proof of your own. Check that nothing promised was weakened, that the plan still covers what is left, that \
the documentation surfaces are true, and count the release blockers and high-value gaps that remain.";

fn verifier(state: &State, word: &str, task: &str) -> String {
    let (Some(active), Some(slice)) = subject(state) else { return String::new() };
    let commit = active.claim.as_ref().map_or("none", |claim| claim.commit.as_str());
    let mut text = format!(
        "## Your task\n\n{task}\n\nYou may not change the worktree, the index, branches or tags: a {word} \
         that leaves the tree different is refused.\n\nCommit under {word}: {commit}\n\n{}",
        handoff(active, slice)
    );
    text.push_str("\nWhat the implementer offers as proof:\n");
    for criterion in &slice.criteria {
        if let CriterionState::Claimed { evidence, .. } = &criterion.state {
            let lines: Vec<String> = evidence.iter().map(|one| clip(&one.line(), 300)).collect();
            let _ = writeln!(text, "- {}: {}", criterion.id, lines.join("; "));
        }
    }
    let _ = writeln!(text, "Documentation surfaces: {}.", surfaces(state));
    text
}

fn judge(state: &State) -> String {
    let mut text = String::from(
        "## Your task\n\nEvery planned slice is closed. Judge, on your own and from the repository alone, \
         whether this mission may stop at this head: is what it promised there, shown and documented? Run the \
         repository's checks. One honest no is worth more than a polite yes.\n",
    );
    let stale = plan::stale_criteria(state);
    if !stale.is_empty() {
        text.push_str("\nThese criteria were verified, but what they cover was touched since. Each needs a verdict here:\n");
        for one in &stale {
            let _ = writeln!(
                text,
                "- slice {}, criterion {}: {}",
                one.slice_id, one.criterion, one.text
            );
        }
    }
    let deferred = plan::deferred(state);
    if !deferred.is_empty() {
        let _ = writeln!(text, "\nPut off with the user's word: {}.", deferred.join(", "));
    }
    let _ = writeln!(text, "\nDocumentation surfaces: {}.", surfaces(state));
    text
}

/// A valid report block of each role.
pub(super) fn example(role: Role) -> &'static str {
    match role {
        Role::Bootstrapper => {
            r#"{"mission": "<the mission anchor>", "docs_surfaces": ["README.md"], "verification_commands": [["make", "test"]]}"#
        }
        Role::Regrounder => {
            r#"{"plan_basis": "read the sources, ran the tests", "slices": [{"slice_id": "S1", "goal": "…", "acceptance_criteria": ["AC-1: …"], "contract_ids": ["C-1"], "priority": 5, "why_now": "…", "blocked_on": []}], "selected": {"slice_id": "S1", "locked_notes": []}, "reconciliation": null, "reopened": [], "proposals": [], "remaining_release_blockers": 0, "remaining_high_value_gaps": 0, "release_blocker_ids": [], "can_stop": null}"#
        }
        Role::Implementer => {
            r#"{"slice_id": "S1", "outcome": "implemented", "commit_sha": "<40 digits>", "claims": [{"criterion": "AC-1", "status": "complete", "evidence": [{"kind": "command", "command": "make test", "exit_status": 0}]}]}"#
        }
        Role::Reviewer => {
            r#"{"slice_id": "S1", "commit_sha": "<40 digits>", "verdicts": [{"criterion": "AC-1", "finding": "holds", "method": "ran the test", "evidence": [{"kind": "test", "id": "tests/a.sh"}]}], "docs": "holds", "must_fix_findings": [], "acceptable": true}"#
        }
        Role::Auditor => {
            r#"{"slice_id": "S1", "commit_sha": "<40 digits>", "verdicts": [{"criterion": "AC-1", "finding": "holds", "method": "read the code", "evidence": [{"kind": "file", "path": "src/a.c", "line": 12}]}], "docs": "holds", "must_fix_findings": [], "acceptable": true, "release_blocker_count": 0, "high_value_gap_count": 0}"#
        }
        Role::StopJudge => {
            r#"{"head_sha": "<40 digits>", "can_stop": true, "blocker_count": 0, "high_value_gap_count": 0, "stale_verdicts": [], "reasons": ["ran every check at this head"]}"#
        }
    }
}
