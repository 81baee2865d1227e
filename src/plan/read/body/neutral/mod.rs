//! Words over commands: those that say no more than that the commands are run and succeed, and those that bend it.
//! Nouns are without end, so a word that is not known counts; the words that say where, when and with what something
//! is run, and those that turn a sentence around, are a closed class.

mod lists;

use lists::{BENDS, COMMANDS, KINDS, RUN, SIGNS, TURNED, WELL};

/// How words over commands change what is said of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bend {
    /// They say no more than that the commands are run and succeed.
    None,
    /// They are not known. What says itself how it ends stays so.
    Unknown,
    /// They turn it around: nothing below them is shown by success.
    Turned,
    /// They say where, when or with what something is run, which no command below them does.
    Placed,
}

impl Bend {
    pub(super) fn of(words: &str) -> Bend {
        let mut small = words.to_lowercase().replace('’', "'");
        if is_known(&small) && !turns(&small) && !each_other(&small) {
            return Bend::None;
        }
        small = WELL.iter().fold(small, |small, well| small.replace(well, " "));
        let bare = small.trim_end_matches(|c: char| !c.is_alphanumeric());
        // "Verify with:" over commands says no more than "Verify:".
        let bare = [" with", " using", " via"].iter().find_map(|end| bare.strip_suffix(end));
        let small = bare.unwrap_or(&small);
        if places(small) || each_other(small) {
            return Bend::Placed;
        }
        match (turns(small), is_known(small)) {
            (true, _) => Bend::Turned,
            (false, true) => Bend::None,
            (false, false) => Bend::Unknown,
        }
    }
}

/// Whether all words are known to change nothing.
fn is_known(small: &str) -> bool {
    let all: Vec<&str> = words(small).collect();
    // "3 checks", but not "of sprint 9".
    let counted = |place: usize| {
        let number = all[place].bytes().all(|byte| byte.is_ascii_digit());
        number && place == 0 && all.get(1).is_some_and(|word| COMMANDS.has(word))
    };
    (0..all.len()).all(|place| RUN.has(all[place]) || KINDS.has(all[place]) || counted(place))
}

fn words(small: &str) -> impl Iterator<Item = &str> {
    small.split(|c: char| !c.is_alphanumeric() && c != '\'').filter(|word| !word.is_empty())
}

/// Whether words turn around what is said of commands.
pub(super) fn turns(text: &str) -> bool {
    let small = text.to_lowercase().replace('’', "'");
    let all: Vec<&str> = words(&small).collect();
    let status = |pair: &[&str]| {
        ["exit", "exits", "code", "status"].contains(&pair[0])
            && pair[1] != "0"
            && pair[1].bytes().all(|byte| byte.is_ascii_digit())
    };
    all.iter().any(|word| TURNED.has(word) || word.ends_with("n't"))
        || all.windows(2).any(status)
        || small.contains(SIGNS)
}

/// Whether words say where, when or with what something is run.
pub(super) fn places(text: &str) -> bool {
    text.contains(['`', '=']) || words(&text.to_lowercase()).any(|word| BENDS.has(word))
}

/// "For each package": once for all of them shows less.
fn each_other(small: &str) -> bool {
    let all: Vec<&str> = words(small).collect();
    all.windows(2).any(|pair| ["each", "every"].contains(&pair[0]) && !COMMANDS.has(pair[1]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_over_commands_bend_what_is_said_of_them() {
        for (bend, all) in [
            (
                Bend::None,
                &[
                    "Exit criteria",
                    "all must pass",
                    "machine-verifiable",
                    "Hard gates:",
                    "3 checks",
                    "Run from the repo root:",
                    "Verify with:",
                    "run from repo root",
                    "This sprint passes if:",
                    "No regressions:",
                    "At the end, all of these must pass:",
                    "The sprint is complete when all of the following hold:",
                    "Each command must exit with 0.",
                    "Python:",
                ][..],
            ),
            (Bend::Unknown, &["Auth module", "of sprint 9", "Denied:", "Broken:"]),
            (Bend::Turned, &["Must fail", "❌ These commands:", "Exit code 2:", "Don't pass"]),
            (
                Bend::Placed,
                &[
                    "On the staging server",
                    "In every crate",
                    "For each package:",
                    "With the feature flag off",
                    "run in `web/`",
                    "Any of:",
                    "Before the migration:",
                ],
            ),
        ] {
            for words in all {
                assert_eq!(Bend::of(words), bend, "{words}");
            }
        }
    }
}
