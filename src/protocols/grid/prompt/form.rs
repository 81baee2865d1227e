//! The form of each report, with an example.

use super::super::decide;
use super::super::report::{limits, of_recognizer};
use super::super::role::Role;
use super::super::state::{Block, State};
use crate::mission::report;
use crate::vocab::criterion::Criterion;
use crate::vocab::json;

/// The most must-haves that one header names.
const MOST_OPEN: usize = 50;

pub(super) fn form(state: &State, role: Role, item: &str, text: &mut String) {
    // On patrol what was shown at another head is shown again.
    let patrol = role == Role::Recognizer && state.core.wave >= state.core.waves.len();
    let due = |block: &Block, one: &Criterion| {
        !one.settled() || (patrol && !one.waived() && state.is_stale(block))
    };
    let of = |block: &&Block| {
        let open = block.criteria.iter().filter(|one| due(block, one));
        open.map(|one| format!("{}/{}", block.id, one.id)).collect::<Vec<_>>()
    };
    let all: Vec<String> = state.judged().iter().flat_map(of).collect();
    let more = all.len().saturating_sub(MOST_OPEN);
    let more = (more > 0).then(|| format!("and {more} more"));
    let open: Vec<String> = all.into_iter().take(MOST_OPEN).chain(more).collect();
    let open = if open.is_empty() { "none".to_owned() } else { open.join(", ") };
    match role {
        Role::Recognizer => text.push_str(&of_recognizer()),
        role => text.push_str(&limits::told(role)),
    }
    let tries = state.core.tries.get(&State::step(role, item));
    let correction = tries.and_then(|tries| tries.correction.as_ref());
    let failed = tries.is_some_and(|tries| tries.attempts > 0)
        || state.blocks.get(item).is_some_and(|block| !block.failures.is_empty());
    let form = report::Form {
        anchor: &state.core.settings.mission,
        open: &open,
        language: "`json` (or `yaml`)",
        schema: role.schema(),
        example: &example(state, role, item),
        correction: correction.map(|correction| (correction.of, &correction.fault)),
        again: failed && state.core.counts.refused_reports > 1,
    };
    text.push_str(&form.text());
}

const LESSONS: &str = "\"lessons_learned\": {\"codebase_patterns\": [], \"gotchas\": [], \"user_preferences\": [], \
                       \"almost_did\": [], \"fragile_areas\": []}";

fn example(state: &State, role: Role, item: &str) -> String {
    match role {
        Role::Planner => {
            let closes = if state.core.planned { "\"closes\": [\"block/criterion\"], " } else { "" };
            format!(
                "{{\"cluster\": \"…\", \"total_blocks\": 1, \"total_waves\": 1, \"plans\": [{{\"id\": \"01\", \"wave\": 1, \
                 {closes}\"depends_on\": [],\n  \"autonomous\": true, \"files_modified\": [], \"objective\": \"…\", \"frontmatter\": \
                 {{\"phase\": \"01-…\", \"must_haves\":\n  {{\"truths\": [\"…\"], \"artifacts\": [{{\"path\": \"…\", \"provides\": \"…\", \
                 \"min_lines\": 1, \"exports\": []}}],\n   \"key_links\": [{{\"from\": \"…\", \"to\": \"…\", \"via\": \"…\", \"pattern\": \
                 \"…\"}}]}}}},\n  \"content\": \"<objective>…</objective> <context>…</context> <threads>…</threads>\"}}],\n \
                 \"wave_structure\": {{\"1\": [\"01\"]}}, {LESSONS}}}"
            )
        }
        Role::Executor => format!(
            "{{\"block\": {}, \"status\": \"SUCCESS|CHECKPOINT|FAILURE\",\n \"summary\": {{\"subsystem\": \"…\", \"provides\": [], \
             \"affects\": [], \"tech-stack\": {{\"added\": []}},\n  \"key-files\": {{\"created\": [], \"modified\": []}}, \"commits\": \
             [\"…\"], \"decisions\": [], \"already_there\": false, \"words\": \"…\"}},\n \"claims\": [{{\"criterion\": \"AC-001\", \"evidence\": [{{\"kind\": \"command\", \
             \"command\": \"…\", \"exit_status\": 0}}]}}],\n \"checkpoint\": {{\"type\": \"human-verify|decision|human-action\", \
             \"completed_threads\": [{{\"thread\": \"1.1\", \"name\": \"…\", \"commit\": \"…\", \"files\": []}}],\n  \"total_threads\": 3, \
             \"current_thread\": {{\"thread\": \"1.2\", \"name\": \"…\", \"status\": \"blocked\"}}, \"resume_point\": \"…\", \"awaiting\": \"…\",\n  \
             \"what_was_built\": \"…\", \"how_to_verify\": [\"…\"], \"decision\": \"…\", \"options\": [{{\"option\": \"a\", \"pros\": \"…\", \
             \"cons\": \"…\"}}],\n  \"automation_attempted\": \"…\", \"what_you_need_to_do\": \"…\", \"verify_after\": \"…\"}},\n \"failure\": \
             {{\"thread\": \"…\", \"attempts\": 1, \"tried\": [{{\"approach\": \"…\", \"reason\": \"…\"}}], \"created\": [], \"commits\": [],\n  \
             \"hypothesis\": \"…\", \"suggested_retry\": \"…\", \"do_not_retry\": [\"…\"]}},\n \"deviations\": [{{\"rule\": 1, \"description\": \
             \"…\", \"files\": []}}], \"approaches\": [\"…\"], {LESSONS}}}",
            json::encode(item)
        ),
        Role::Recognizer => {
            let first = state.judged().first().map(|block| block.id.clone()).unwrap_or_default();
            format!(
                "{{\"verdict\": \"GAPS_FOUND|CLEAR|CRITICAL_ANOMALY\",\n \"verdicts\": [{{\"block\": {}, \"criterion\": \"AC-001\", \
                 \"finding\": \"does_not_hold|holds|not_shown\",\n  \"method\": \"what you ran or read\", \"evidence\": [{{\"kind\": \
                 \"command\", \"command\": \"…\", \"exit_status\": 0}}]}}],\n \"gaps\": [{{\"block\": \"…\", \"criterion\": \"…\", \"reason\": \
                 \"…\", \"missing\": []}}], \"anomaly\": null, {LESSONS}}}",
                json::encode(&first)
            )
        }
        Role::Debugger => {
            let known = decide::debugged(state).and_then(|block| block.debug.as_ref());
            let focus = known.map(|session| session.current_focus.clone()).unwrap_or_default();
            format!(
                "{{\"status\": \"investigating|hypothesis|testing|resolved\", \"hypotheses\": [{{\"hypothesis\": \"…\", \
                 \"status\": \"TESTING\", \"evidence\": \"…\"}}],\n \"tried\": [], \"ruled_out\": [], \"current_focus\": {}, \
                 \"findings\": \"…\", {LESSONS}}}",
                json::encode(&focus)
            )
        }
        Role::RefinementLead => "{\"context\": \"…\", \"personas\": [{\"name\": \"…\", \"goal\": \"…\", \"traits\": \"…\"}]}".to_owned(),
        Role::VisualInspector | Role::E2eExerciser | Role::PersonaSimulator => format!(
            "{{\"findings\": [{{\"priority\": \"P0|P1|P2|P3\", \"title\": \"…\", \"where\": \"…\", \"expected\": \"…\"}}],\n \
             \"screenshots\": [], {LESSONS}}}"
        ),
        Role::Learner => "{\"project_type\": \"…\", \"tech_stack\": [], \"complexity\": \"simple|medium|complex|massive\",\n \
                          \"what_worked\": [], \"what_failed\": [], \"patterns\": [], \"recommendations\": []}".to_owned(),
    }
}
