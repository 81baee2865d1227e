//! What was decided so far, for everybody who is sent: what people say reaches whoever begins after they said it.

use super::super::files;
use super::super::state::State;
use super::data;
use std::fmt::Write;

/// The most characters of what people decided that a prompt has room for; docs/grid.md says so.
const MOST_SAID: usize = 40_000;

/// The section of decisions; none where nothing was decided.
pub(super) fn decided(state: &State, text: &mut String) {
    let core = &state.core;
    if core.said.is_empty() && core.decisions.is_empty() && core.before.is_empty() {
        return;
    }
    text.push_str(
        "\n## Decisions Made\n\nThey hold for the whole cluster, not only for the block they were made in; where two \
         contradict each other the later one counts. Work with them. Who judges tells what contradicts them.\n",
    );
    for (title, lines, most) in [
        ("Decided before this mission, the latest last", &core.before, MOST_SAID),
        ("What people decided and said, the latest last", &core.said, MOST_SAID),
        ("What those who worked decided, the latest last", &core.decisions, usize::MAX),
    ] {
        if !lines.is_empty() {
            text.push_str(&data(title, &latest(lines, most), usize::MAX));
        }
    }
}

/// The latest lines that there is room for, none of them cut; how many came before is said, and where they stand.
fn latest(lines: &[String], most: usize) -> String {
    let mut room = most;
    let fits = |line: &&String| match room.checked_sub(line.chars().count() + 3) {
        Some(left) => {
            room = left;
            true
        }
        None => false,
    };
    let kept = lines.iter().rev().take_while(fits).count();
    let before = lines.len() - kept;
    let mut text = String::new();
    if before > 0 {
        let _ = writeln!(text, "- {before} earlier ones: read them in {}", files::STATE);
    }
    for line in lines.iter().skip(before) {
        let _ = writeln!(text, "- {line}");
    }
    text
}
