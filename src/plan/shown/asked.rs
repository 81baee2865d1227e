//! Whether commands ask how another one ended: what they say then may be that it must fail.

/// What stands for the status of the command before.
const STATUSES: [&str; 7] =
    ["$?", "${?", "PIPESTATUS", "pipestatus", "LASTEXITCODE", "ERRORLEVEL", "$status"];

/// Whether a text holds the status of a command, other than to end with it: `make a || exit $?` says nothing new.
pub(in crate::plan) fn asks_status(code: &str) -> bool {
    // A variable of that name is one where somebody sets it.
    let set = code.contains("status=") || code.contains("read status");
    STATUSES.iter().any(|status| {
        let mut places = code.match_indices(status).map(|(at, _)| at);
        places.any(|at| {
            let (before, behind) = (&code[..at], &code[at + status.len()..]);
            match *status {
                "$?" => !is_handed_on(before, behind),
                "$status" => !set && !behind.starts_with(|c: char| c.is_alphanumeric() || c == '_'),
                _ => true,
            }
        })
    })
}

/// Whether a status stands in `|| exit $?`.
fn is_handed_on(before: &str, behind: &str) -> bool {
    let left = |word: &str| {
        let before = before.trim_end_matches([' ', '"']).strip_suffix(word);
        before.is_some_and(|before| before.trim_end_matches(' ').ends_with("||"))
    };
    let ends = behind.trim_start_matches('"').trim_start_matches(' ');
    (left("exit") || left("return"))
        && (ends.is_empty() || ends.starts_with(['\n', ';', ')', '}', '\r']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_that_somebody_looks_at_is_known() {
        for code in [
            "echo $?",
            "echo \"$?\"",
            "echo ${?}",
            "test $? -eq 2",
            "rc=$?",
            "echo $status",
            "make a || exit $? && make b",
            "# must leave $? at 2",
            "echo ${PIPESTATUS[0]}",
        ] {
            assert!(asks_status(code), "{code}");
        }
        for code in [
            "make a",
            "make a || exit $?",
            "make a || exit \"$?\"\nmake b",
            "make a || return $?; make b",
            "status=$(curl -s url); test \"$status\" = ok",
            "test $statuses = 2",
        ] {
            assert!(!asks_status(code), "{code}");
        }
    }
}
