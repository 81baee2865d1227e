//! Texts of people, made fit for a line.

/// `text` with every run of white space and control characters made one space.
pub fn one_line(text: &str) -> String {
    let blank = |c: char| c.is_whitespace() || c.is_control();
    text.split(blank).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}
