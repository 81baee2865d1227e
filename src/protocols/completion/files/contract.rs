//! The texts of the contract files: templates beside this module.
//!
//! The mission's anchor is one line, because reports repeat it in one line: [`mission_md`] writes
//! it so, and [`anchor_of`] also reads one that a person has wrapped. Scripts are bash; every
//! argument of a command is in single quotes, so that no shell ever interprets it.

use crate::mission::template::{fields, lines, render};
use crate::vocab::error::{Code, Error, Result, ensure};
pub use crate::vocab::text::one_line;

/// The line of the mission file that the anchor follows.
pub const ANCHOR_LINE: &str = "Mission anchor:";

/// `README.md`: what the directory is for.
pub fn readme(project: &str) -> String {
    render(include_str!("README.md"), &fields! { project: one_line(project) })
}

/// `mission.md`: the mission's anchor, made one line.
pub fn mission_md(anchor: &str) -> String {
    format!("# Mission\n\n{ANCHOR_LINE}\n{}\n", one_line(anchor))
}

/// The anchor in the text of a `mission.md`: what follows [`ANCHOR_LINE`], up to a blank line or a
/// heading, as one line.
pub fn anchor_of(text: &str) -> Option<String> {
    let mut lines = text.lines();
    let same_line = lines.find_map(|line| line.trim().strip_prefix(ANCHOR_LINE))?;
    if !same_line.trim().is_empty() {
        return Some(one_line(same_line));
    }
    let mut rest = lines.map(str::trim).skip_while(|line| line.is_empty());
    let first = rest.next()?;
    let wrapped = rest.take_while(|line| !line.is_empty() && !line.starts_with('#'));
    let words: Vec<&str> = std::iter::once(first).chain(wrapped).collect();
    Some(one_line(&words.join(" ")))
}

/// `verify_completion_control_plane.sh`: runs `endstate check --level files` in the root of the
/// repository. Exit status 127 if `endstate` is not found, else that of the check.
pub fn control_plane_script() -> String {
    include_str!("verify_completion_control_plane.sh").to_owned()
}

/// `verify_completion_stop.sh`: the control-plane script, then each command, in the root of the
/// repository. The first that fails ends the script with its status.
///
/// # Errors
/// `invalid_value` for a command without a word, or with a NUL character, which no process can be
/// given.
pub fn stop_script(commands: &[Vec<String>]) -> Result<String> {
    let quoted = commands.iter().enumerate().map(|(position, command)| {
        quote(command).map_err(|error| error.within(&format!("[{position}]")))
    });
    let commands = lines("command", quoted.collect::<Result<Vec<_>>>()?);
    Ok(render(include_str!("verify_completion_stop.sh"), &fields! { commands: commands }))
}

/// The words of a command in single quotes.
fn quote(command: &[String]) -> Result<String> {
    let refuse = |got: &str| Error::new(Code::InvalidValue, "", "the words of a command", got);
    match command.first() {
        None => return Err(refuse("no word")),
        Some(program) if program.is_empty() => return Err(refuse("an empty program name")),
        Some(_) => {}
    }
    ensure(!command.iter().any(|word| word.contains('\0')), || refuse("a NUL character"))?;
    let quoted = command.iter().map(|word| format!("'{}'", word.replace('\'', "'\\''")));
    Ok(quoted.collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn anchors_are_read_back() {
        let corpus_like = "# Mission\n\nMission anchor:\nSmoke-test mission.";
        assert_eq!(anchor_of(corpus_like).as_deref(), Some("Smoke-test mission."));
        assert_eq!(anchor_of(&mission_md(" a\r\n b\u{7}c ")).as_deref(), Some("a b c"));
        assert_eq!(anchor_of("Mission anchor: on the line").as_deref(), Some("on the line"));
        let wrapped = "Mission anchor:\r\n\r\none\r\ntwo\r\n## Notes\r\nthree";
        assert_eq!(anchor_of(wrapped).as_deref(), Some("one two"));
        assert_eq!(anchor_of(&mission_md("# not a heading")).as_deref(), Some("# not a heading"));
        assert_eq!(anchor_of("Mission anchor:\n \n"), None);
        assert_eq!(anchor_of("# Mission\nDo it."), None);
    }

    #[test]
    fn commands_that_no_process_can_be_given_are_refused() {
        for command in [vec![], vec![""], vec!["a", "b\0"]] {
            let command = command.into_iter().map(str::to_owned).collect();
            let error = stop_script(&[vec!["ok".to_owned()], command]).unwrap_err();
            assert_eq!((error.code, error.at.as_str()), (Code::InvalidValue, "[1]"));
        }
    }
}
