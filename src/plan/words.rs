//! The words that carry a text, so that two texts about one thing are found to be.

use super::model::Sprint;
use std::collections::BTreeSet;

/// The words of a text that carry it, without endings.
pub(super) fn significant(text: &str) -> BTreeSet<String> {
    const LIGHT: &[&str] = &[
        "must", "shall", "should", "with", "from", "that", "this", "into", "have", "when", "want",
        "able", "user", "each", "will", "their", "them", "then", "than", "also", "every", "there",
    ];
    let words = text.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase);
    let words = words.filter(|word| word.chars().count() > 3 && !LIGHT.contains(&word.as_str()));
    words
        .map(|word| {
            word.trim_end_matches("ing").trim_end_matches("ed").trim_end_matches('s').to_owned()
        })
        .collect()
}

/// The same of everything that a sprint is to do and show.
pub(super) fn words_of(sprint: &Sprint) -> BTreeSet<String> {
    let tasks = sprint.tasks.iter().map(|one| one.text.as_str());
    let exit = sprint.exit.iter().map(|one| one.text.as_str());
    [sprint.name.as_str(), sprint.goal.as_deref().unwrap_or_default()]
        .into_iter()
        .chain(tasks)
        .chain(exit)
        .flat_map(significant)
        .collect()
}
