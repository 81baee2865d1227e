//! The ignore lines of the mission: contract files are tracked, everything else under `.agent/`
//! (state, histories, the engine's own `.agent/endstate/`, scratch) is not.
//!
//! A blanket line such as `.agent/` hides the contract files as well, whatever comes after it, so
//! it goes. Every other byte of the file stays.

/// The lines, in order, without line ends.
pub fn gitignore_lines() -> [&'static str; 8] {
    [
        "# completion protocol",
        ".agent/*",
        "!.agent/README.md",
        "!.agent/mission.md",
        "!.agent/profile.json",
        "!.agent/verify_completion_stop.sh",
        "!.agent/verify_completion_control_plane.sh",
        ".agent/tmp/",
    ]
}

/// Lines that ignore the whole directory.
const BLANKETS: [&str; 6] = [".agent", ".agent/", "/.agent", "/.agent/", "**/.agent", "**/.agent/"];

/// `old` with the lines of [`gitignore_lines`]. Merging a second time changes nothing.
pub fn merge_gitignore(old: &str) -> String {
    let (mark, body) = match old.strip_prefix('\u{feff}') {
        Some(body) => ("\u{feff}", body),
        None => ("", old),
    };
    let kept = body.split_inclusive('\n').filter(|line| !BLANKETS.contains(&pattern(line)));
    let mut merged: String = std::iter::once(mark).chain(kept).collect();
    if has_block(&merged) {
        return merged;
    }
    let end = if body.contains("\r\n") { "\r\n" } else { "\n" };
    if merged.len() > mark.len() && !merged.ends_with('\n') {
        merged.push_str(end);
    }
    for line in gitignore_lines() {
        merged.push_str(line);
        merged.push_str(end);
    }
    merged
}

/// What git makes of a line: without its end and without trailing spaces.
fn pattern(line: &str) -> &str {
    line.trim_end_matches(['\n', '\r', ' ', '\t'])
}

/// Whether the patterns of the block are there in their order. Git lets the last match win, so
/// other lines between them do no harm; the comment is not checked.
fn has_block(text: &str) -> bool {
    let mut lines = text.lines().map(pattern);
    gitignore_lines()[1..].iter().all(|wanted| lines.any(|line| line == *wanted))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(end: &str) -> String {
        gitignore_lines().iter().map(|line| format!("{line}{end}")).collect()
    }

    #[track_caller]
    fn check(old: &str, expected: &str) {
        let merged = merge_gitignore(old);
        assert_eq!(merged, expected);
        assert_eq!(merge_gitignore(&merged), merged, "a second time changes something");
    }

    #[test]
    fn the_block_is_appended_once() {
        check("", &block("\n"));
        check("target/\n", &format!("target/\n{}", block("\n")));
        check("target/", &format!("target/\n{}", block("\n")));
        check("a\r\nb", &format!("a\r\nb\r\n{}", block("\r\n")));
        check(&block("\n"), &block("\n"));
        check(&block("\r\n"), &block("\r\n"));
        let own = block("\n").replace("# completion protocol\n", "x\n");
        check(&own, &own);
    }

    #[test]
    fn blanket_lines_go_and_everything_else_stays() {
        let blankets =
            [".agent/", ".agent", "/.agent/", "/.agent", ".agent/  ", "**/.agent/", "**/.agent"];
        for blanket in blankets {
            let old = format!("# mine \n\n{blanket}\n!keep\\ \n");
            check(&old, &format!("# mine \n\n!keep\\ \n{}", block("\n")));
            check(blanket, &block("\n"));
            let after = format!("{}{blanket}\n", block("\n"));
            check(&after, &block("\n"));
        }
        check(".agent/\r\nx\r\n", &format!("x\r\n{}", block("\r\n")));
        check("\u{feff}.agent/\nx\n", &format!("\u{feff}x\n{}", block("\n")));
        let near = "x.agent/\n.agents/\n# .agent/\n.agent/tmp\n";
        check(near, &format!("{near}{}", block("\n")));
    }

    #[test]
    fn a_damaged_block_is_appended_whole() {
        let damaged = block("\n").replace("!.agent/mission.md\n", "");
        check(&damaged, &format!("{damaged}{}", block("\n")));
    }
}
