//! Missions of tests rest on what a scripted team judges: their user accepts that, unless a line says otherwise.

/// What is said behind such a line.
pub(crate) fn accepting(arguments: &[&str]) -> &'static [&'static str] {
    let drives = matches!(arguments.first(), Some(&("run" | "refine" | "init")));
    match drives && !arguments.contains(&"--accept") {
        true => &["--accept", "judged"],
        false => &[],
    }
}
