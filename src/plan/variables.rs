//! The variables of a dispatch template that are filled in, by what people call them.

/// Names for one thing each, as words in small letters: the unit, its directory, the sprint's number, its name, what is
/// in it, the root of the project, the plan, the mission.
pub const NAMES: [&[&str]; 8] = [
    &["work unit name", "unit name", "work unit", "unit", "package name", "package"],
    &["work unit dir", "work unit directory", "directory", "dir"],
    &["sprint number", "sprint id", "sortie number", "sortie id", "n", "id"],
    &["sprint name", "sortie name", "name", "title"],
    &["sprint definition", "definition", "tasks"],
    &["project root", "root"],
    &["execution plan", "plan path", "plan"],
    &["mission"],
];

/// A name as words in small letters: `SPRINT_NAME` is "sprint name".
pub fn worded(name: &str) -> String {
    name.trim().to_ascii_lowercase().replace(['_', '-', '.'], " ")
}

/// Whether a variable with its marks, `<SPRINT_NAME>` or `{n}`, is filled in.
pub fn is_known(variable: &str) -> bool {
    let name = worded(variable.trim_matches(|c: char| "<>{}$".contains(c)));
    NAMES.iter().any(|names| names.contains(&name.as_str()))
}

/// A template with each `{{ name }}` replaced once; what is put in is not looked at again.
pub(super) fn fill(template: &str, values: &[(&str, String)]) -> String {
    let mut pieces = template.split("{{ ");
    let mut filled = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let (name, rest) = piece.split_once(" }}").unwrap_or(("", piece));
        filled.extend(values.iter().filter(|one| one.0 == name).map(|one| one.1.as_str()));
        filled.push_str(rest);
    }
    filled
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_known_by_their_names() {
        for name in ["<SPRINT_NAME>", "{n}", "{{tasks}}", "$PROJECT_ROOT", "${mission}"] {
            assert!(is_known(name), "{name}");
        }
        assert!(!is_known("<TICKET>") && !is_known("{}"));
    }
}
