//! All plans of a folder in a table: what each says about its own size, and what was found.

use super::{Exit, Fault, Place};
use endstate::native::error::HostError;
use endstate::native::plans;
use endstate::native::redact::printable;
use endstate::plan::model::{Counted, Plan, Weight};
use endstate::plan::read::{Parsed, parse};
use endstate::vocab::error::{Code, Error};
use serde_json::json;
use std::fs;
use std::path::{Path, PathBuf};

/// The most documents that are read.
const MOST_FILES: usize = 10_000;
/// The deepest folder that is looked into.
const DEEPEST: usize = 32;

/// Reads every Markdown document in a folder and below it. Documents without a sprint are counted; the
/// rest is one row each, and where the numbers differ a row below says why.
pub(super) fn table(place: &Place, folder: &Path) -> Result<Exit, Fault> {
    let mut files = Vec::new();
    documents(folder, DEEPEST, &mut files)?;
    files.sort();
    place.out.say(format!("{:<72} {:>8} {:>5}  {}", "file", "declared", "found", "remarks"));
    let (mut plans, mut others, mut differ, mut faulty, mut unread) = (0, 0, 0, 0, 0);
    for path in &files {
        let name = path.strip_prefix(folder).unwrap_or(path).display().to_string();
        let parsed = match plans::read(path) {
            Ok(file) => parse(&file.text),
            Err(error) => {
                unread += 1;
                place.out.say(format!(
                    "{:<72} {}",
                    shortened(&name),
                    printable(&error.to_string())
                ));
                place.out.object(&json!({"file": name, "unread": error.code()}));
                continue;
            }
        };
        if parsed.plan.units.is_empty() {
            others += 1;
            place.out.object(&json!({"file": name, "found": 0, "remarks": parsed.remarks}));
            continue;
        }
        plans += 1;
        let faults = parsed.faults().count();
        faulty += usize::from(faults > 0);
        differ += usize::from(row(place, &name, &parsed, faults));
    }
    place.out.say(format!(
        "{plans} plans, {differ} with another total than declared, {faulty} with faults; {others} documents without a sprint, \
         {unread} that cannot be read"
    ));
    place.out.object(&json!({
        "result": "table", "plans": plans, "differ": differ, "faulty": faulty, "others": others, "unread": unread,
    }));
    Ok(Exit::Done)
}

/// One plan; whether it declares something else than was found.
fn row(place: &Place, name: &str, parsed: &Parsed, faults: usize) -> bool {
    let Parsed { plan, remarks, .. } = parsed;
    let all = plan.sprints().count();
    let live = plan.sprints().filter(|one| !one.deferred).count();
    let declared = declared(plan);
    let many = |weight: Weight| remarks.iter().filter(|one| one.weight == weight).count();
    let said = declared.map_or("—".to_owned(), |count| count.to_string());
    let deferred = if live < all { format!(" ({} deferred)", all - live) } else { String::new() };
    place.out.say(format!(
        "{:<72} {said:>8} {all:>5}  {faults} faults, {} warnings, {} notes{deferred}",
        shortened(name),
        many(Weight::Warning),
        many(Weight::Note),
    ));
    let reasons: Vec<_> = remarks.iter().filter(|one| explains(one.code)).collect();
    let differs = declared.is_some_and(|count| !(live..=all).contains(&(count as usize)));
    for one in reasons.iter().filter(|_| differs) {
        place.out.say(format!(
            "  line {}: {} {}, expected {}",
            one.line,
            one.code.sentence(),
            printable(&one.got),
            printable(&one.expected)
        ));
    }
    place.out.object(&json!({
        "file": name, "declared": declared, "found": all, "deferred": all - live, "units": plan.units.len(),
        "faults": faults, "differs": differs, "why": reasons, "remarks": remarks.len(),
    }));
    differs
}

/// The codes that say why a total is another one.
fn explains(code: Code) -> bool {
    matches!(code, Code::PlanDisagrees | Code::DuplicateId | Code::TooLarge)
}

/// The total of sprints that a plan declares: its own, else the sum of its table of units.
fn declared(plan: &Plan) -> Option<u32> {
    let total = plan.declared.iter().find(|one| one.of == Counted::Sprints).map(|one| one.count);
    total.or_else(|| {
        let each: Option<Vec<u32>> = plan.units.iter().map(|unit| unit.promised).collect();
        each.map(|counts| counts.into_iter().fold(0, u32::saturating_add))
    })
}

/// The end of a path tells more than its beginning.
fn shortened(name: &str) -> String {
    let name = printable(name);
    let letters: Vec<char> = name.chars().collect();
    match letters.len() > 72 {
        true => format!("…{}", letters[letters.len() - 71..].iter().collect::<String>()),
        false => name.to_string(),
    }
}

/// Markdown documents below a folder. Hidden folders and links to folders are not followed.
fn documents(folder: &Path, deeper: usize, found: &mut Vec<PathBuf>) -> Result<(), Fault> {
    let entries = fs::read_dir(folder).map_err(|error| HostError::io("read", folder, error))?;
    for entry in entries {
        let entry = entry.map_err(|error| HostError::io("read", folder, error))?;
        let path = entry.path();
        let kind = entry.file_type().map_err(|error| HostError::io("read", &path, error))?;
        let hidden = entry.file_name().to_string_lossy().starts_with('.');
        if kind.is_dir() && !hidden && deeper > 0 {
            documents(&path, deeper - 1, found)?;
        } else if kind.is_file() && path.extension().is_some_and(|ending| ending == "md") {
            found.push(path);
        }
        if found.len() > MOST_FILES {
            let expected = format!("at most {MOST_FILES} documents");
            let at = folder.display().to_string();
            return Err(HostError::Core(Error::new(Code::TooLarge, at, expected, "more")).into());
        }
    }
    Ok(())
}
