//! The expected result of a command, and a word on what of its output no agent can mend.

use super::files;
use super::state::{CommandLine, Config};
pub(super) use crate::mission::expectation::{expected, found, words};
use crate::mission::expectation::{has_words, outcome};
use crate::vocab::error::Diagnostic;
use crate::vocab::event::CommandExited;

/// As [`outcome`], with a word on the part of the output that the mission itself wrote: no agent can fix that part.
///
/// # Errors
/// As [`outcome`].
pub(super) fn judged(
    settings: &Config,
    line: &CommandLine,
    fact: &CommandExited,
) -> Result<(), Diagnostic> {
    outcome(line, fact).map_err(|mut problem| {
        let own = [
            files::state_path(&settings.root),
            files::complete_path(&settings.root, &settings.project),
        ];
        // What is clipped on its way to people is clipped at its end.
        problem.got.insert_str(0, &own_words(&own, &fact.output));
        problem
    })
}

fn own_words(own: &[String], output: &str) -> String {
    let seen = own.iter().filter(|path| has_words(output, path));
    let told = seen.map(|path| {
        format!(
            "the supervisor's own {path} (`git rm --cached {path}`, or name it at the end of .gitignore); "
        )
    });
    told.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_the_mission_in_the_output_is_told_with_the_way_out() {
        let own = "w/SUPERVISOR_STATE.md";
        let told = own_words(&[own.to_owned()], " M w/SUPERVISOR_STATE.md\n");
        assert!(told.contains("git rm --cached w/SUPERVISOR_STATE.md"), "{told}");
        assert_eq!(own_words(&[own.to_owned()], " M other.md\n"), "");
    }
}
