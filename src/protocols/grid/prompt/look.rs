//! What those are told who look at what was built: the swarm, and who writes down what was learned.

use super::super::files;
use super::super::outcome;
use super::super::state::State;
use super::part;
use crate::vocab::error::clip;
use std::fmt::Write;

pub(super) fn persona(state: &State, item: &str, text: &mut String) {
    let persona = state.core.refinement.as_ref().and_then(|refinement| refinement.persona(item));
    let Some(persona) = persona else { return };
    let line = crate::vocab::text::one_line;
    let _ = write!(
        text,
        "\n## What to do\n\nYou are {}, who wants: {}. {}\n\nUse the project as this person would, start to end. Report \
         what stops, confuses or disappoints you; a title, a place and an expectation have at most 1,000 characters each, \
         and what is longer goes back to you. Write what you see below `.grid/refinement/personas/`; change \
         nothing else.\n",
        line(&persona.name),
        line(&persona.goal),
        line(&persona.traits)
    );
}

pub(super) fn learner(state: &State, text: &mut String) {
    text.push_str(
        "\n## What to do\n\nThe cluster is done. Say what the next one should know: patterns that can be used again, \
         what caused trouble and how it was mended, advice. Nothing that only holds here. Change nothing in the \
         tree. Of each block you are told the beginning of its summary: all of it stands below `.grid/phases/`.\n",
    );
    let lines: Vec<String> = state
        .blocks
        .iter()
        .map(|block| {
            let words = block
                .summary
                .as_ref()
                .and_then(|summary| summary.words.clone())
                .unwrap_or_default();
            format!(
                "{} [{}] {}: {}",
                block.id,
                outcome::stands(state, block),
                clip(&block.plan.objective, 120),
                clip(&crate::vocab::text::one_line(&words), 200)
            )
        })
        .collect();
    text.push_str(&part("What was built", &lines.join("\n"), 16_000, files::STATE));
    text.push_str(&part(
        "What stood in the way",
        &state.core.concerns.join("\n"),
        8_000,
        files::STATE,
    ));
}

pub(super) const LEAD: &str = "
## What to do

Find out what kind of project this is and who is likely to use it. Name three to five people who differ: who they
are, what they want, what they are like. Change nothing in the tree.
";

pub(super) const VISUAL: &str = "
## What to do

Look at every route and screen. Keep pictures below `.grid/refinement/screenshots/`. Report what looks wrong, with
its place and what would be right. Change nothing else. Nothing you say is cut: a title, a place and
an expectation have at most 1,000 characters each, and what is longer goes back to you.
";

pub(super) const E2E: &str = "
## What to do

Use everything that can be used: click, type, submit, break. Keep pictures below `.grid/refinement/e2e/`. Report what
does not work, with its place and what would be right. Change nothing else. Nothing you say is cut: a title, a place and
an expectation have at most 1,000 characters each, and what is longer goes back to you.
";
