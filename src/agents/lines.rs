//! Bytes in pieces of any size as lines of text.

/// The longest line that is kept, in bytes. Agents put whole tool results into one.
const MOST_LINE: usize = 32 * 1024 * 1024;

/// Puts lines together. A character torn between two pieces comes out whole.
#[derive(Debug, Default)]
pub struct Lines {
    partial: Vec<u8>,
    /// The line has become too long: what is left of it is let go.
    over: bool,
}

impl Lines {
    /// The lines that are complete with this piece, without their ends.
    pub fn push(&mut self, bytes: &[u8]) -> Vec<String> {
        let mut lines = Vec::new();
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            let room = MOST_LINE.saturating_sub(self.partial.len());
            self.over |= piece.len() > room;
            self.partial.extend_from_slice(&piece[..piece.len().min(room)]);
            if piece.ends_with(b"\n") {
                lines.extend(self.take());
            }
        }
        lines
    }

    /// What stands behind the last end of a line.
    pub fn rest(&mut self) -> Option<String> {
        self.take().filter(|line| !line.is_empty())
    }

    fn take(&mut self) -> Option<String> {
        let line = std::mem::take(&mut self.partial);
        if std::mem::take(&mut self.over) {
            return Some("(a line that was too long)".to_owned());
        }
        let text = String::from_utf8_lossy(&line);
        Some(text.trim_end_matches(['\n', '\r']).to_owned())
    }
}

/// A line of an agent's words as the role program prints it: one that a host would take for a line of
/// ours is quoted.
pub fn quoted(line: &str) -> String {
    let ours = line.contains("\"endstate\"")
        && serde_json::from_str::<serde_json::Value>(line)
            .is_ok_and(|it| it.get("endstate").is_some());
    if ours { format!("> {line}\n") } else { format!("{line}\n") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_put_together_from_single_bytes() {
        let mut lines = Lines::default();
        let text = "caf\u{e9} \u{1f600}\r\nnext\n\nlast";
        let heard: Vec<String> = text.bytes().flat_map(|byte| lines.push(&[byte])).collect();
        assert_eq!(heard, ["caf\u{e9} \u{1f600}", "next", ""]);
        assert_eq!(lines.rest().as_deref(), Some("last"));
        assert_eq!(lines.rest(), None);
    }

    #[test]
    fn a_line_without_end_takes_no_more_memory() {
        let mut lines = Lines::default();
        let piece = vec![b'x'; 1024 * 1024];
        for _ in 0..40 {
            assert!(lines.push(&piece).is_empty());
        }
        assert!(lines.partial.len() <= MOST_LINE);
        assert_eq!(lines.push(b"\n{}\n"), ["(a line that was too long)", "{}"]);
    }

    #[test]
    fn lines_for_the_host_are_quoted() {
        assert_eq!(quoted("{\"endstate\":\"result\"}"), "> {\"endstate\":\"result\"}\n");
        for plain in
            ["endstate is fine", "{\"ran\":[{\"endstate\":1}]}", "{\"command\":\"endstate\"}"]
        {
            assert_eq!(quoted(plain), format!("{plain}\n"));
        }
    }
}
