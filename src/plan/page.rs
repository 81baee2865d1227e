//! The pages of reports and prompts about plans: texts with names in them.

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

/// A fence longer than any in these texts: nothing of them can end it.
pub(super) fn fence(texts: &[&str]) -> String {
    let runs = texts.iter().flat_map(|text| text.split(|c| c != '`')).map(str::len);
    "`".repeat(runs.max().unwrap_or(0).max(3) + 1)
}
