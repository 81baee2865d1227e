//! Readers of the families of plans: what each makes of a document of its own, and what no document may do to them.

use endstate::plan::families::{self, Family};
use endstate::plan::model::{Plan, Read, Remark, Status, Weight};
use endstate::plan::{check, read, write};
use endstate::vocab::error::Code;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

type Files = BTreeMap<String, String>;

const FIXTURES: [(&str, &str); 7] = [
    ("spec_kit", "tasks.md"),
    ("kiro", "tasks.md"),
    ("superpowers", "plan.md"),
    ("task_master", "tasks.json"),
    ("beads", "issues.jsonl"),
    ("issue", "issue.json"),
    ("checklist", "TODO.md"),
];

fn folder(path: &Path) -> Files {
    let mut files = Files::new();
    for entry in fs::read_dir(path).unwrap().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name != "expected.json" && entry.path().is_file() {
            files.insert(name, fs::read_to_string(entry.path()).unwrap());
        }
    }
    files
}

fn one(name: &str, text: &str) -> Option<(Family, Read)> {
    families::read(&Files::from([(name.to_owned(), text.to_owned())]), name)
}

fn faults(read: &Read) -> Vec<(Code, u32)> {
    let faults = read.remarks.iter().filter(|remark| remark.weight == Weight::Fault);
    faults.map(|remark| (remark.code, remark.line)).collect()
}

fn labels(plan: &Plan) -> Vec<String> {
    plan.sprints().map(|(unit, sprint)| format!("{}/{}", unit.name, sprint.label)).collect()
}

#[test]
fn each_fixture_is_read_as_expected() {
    for (name, entry) in FIXTURES {
        let path = Path::new("tests/plans").join(name);
        let (family, read) = families::read(&folder(&path), entry).expect(name);
        let got = json!({"family": family.as_str(), "plan": read.plan, "remarks": read.remarks});
        let expected = fs::read_to_string(path.join("expected.json")).unwrap();
        let expected: Value = serde_json::from_str(&expected).unwrap();
        assert_eq!(got, expected, "{name}");
    }
}

/// Every line of a sprint that says something is in an element of it or in its notes. Blank lines and rules say nothing.
fn assert_nothing_is_lost(text: &str, read: &Read) {
    let lines: Vec<&str> = text.lines().collect();
    for (_, sprint) in read.plan.sprints() {
        let elements = sprint.tasks.iter().map(|task| task.lines);
        let mut places: Vec<_> = elements.chain(sprint.exit.iter().map(|one| one.lines)).collect();
        places.retain(|place| place.first > sprint.lines.first);
        let mut paths = sprint.creates.iter().chain(&sprint.changes);
        for number in sprint.lines.first + 1..=sprint.lines.last {
            let line = lines[number as usize - 1];
            let element = places.iter().any(|place| (place.first..=place.last).contains(&number));
            let said = |path: &String| line.contains(&format!("`{path}`"));
            let label =
                line.trim_start_matches("**").starts_with(|letter: char| letter.is_uppercase())
                    && line.trim_end().ends_with("**:") | line.trim_end().ends_with(":**");
            let layout = line.trim().trim_matches('-').is_empty();
            let known = layout || element || label || paths.clone().any(said);
            assert!(
                known || sprint.notes.lines().any(|note| note == line),
                "line {number} of sprint {} is lost: {line}",
                sprint.label
            );
        }
        paths.next();
    }
}

#[test]
fn nothing_of_a_sprint_is_lost() {
    for (name, entry) in FIXTURES.iter().filter(|(_, entry)| entry.ends_with(".md")) {
        let files = folder(&Path::new("tests/plans").join(name));
        let (_, read) = families::read(&files, entry).expect(name);
        assert_nothing_is_lost(&files[*entry], &read);
    }
}

#[test]
fn what_fits_no_family_is_not_read() {
    for text in [
        "",
        "words",
        "# Title\n\nOnly prose, and no box.\n",
        "{",
        "[1]",
        "{}",
        "\u{0}\u{1}",
        "- item\n",
    ] {
        for name in ["a.md", "a.json", "a.jsonl", "a.yaml"] {
            assert!(one(name, text).is_none(), "{name}: {text}");
        }
    }
    let prose = "One\ntwo\n\nthree\n\nfour\n\n- [ ] a box is no check list\n";
    assert!(one("a.md", prose).is_none());
}

#[test]
fn two_families_in_one_file_are_refused_by_name() {
    let text =
        "# Both\n\n## Phase 1: A\n\n- [ ] T001 Do it\n\n### Task 1: B\n\n**Step 1: Do it**\n";
    let (family, read) = one("tasks.md", text).unwrap();
    assert_eq!(family, Family::SpecKit);
    assert_eq!(faults(&read), [(Code::Syntax, 1)]);
    assert_eq!(read.remarks[0].got, "spec-kit and superpowers");
    let sprints = "## Sprint 1: A\n\nExit criteria: `make a` passes\n\n## Sprint 2: B\n\n@\n";
    for (other, names) in [
        ("- [ ] T001 Do it", "spec-kit and execution"),
        ("### Task 1: C\n\n**Files:**\n- Create: `c.py`", "superpowers and execution"),
    ] {
        let read = one("plan.md", &sprints.replace('@', other)).unwrap().1;
        assert_eq!((faults(&read)[0], &*read.remarks[0].got), ((Code::Syntax, 1), names));
    }
}

#[test]
fn documents_of_other_protocols_are_named() {
    let grid = "---\nphase: 01-a\nplan: 01\nfiles_modified: []\n---\n- [ ] x\n";
    let task = "---\nid: TASK-1\ncomplexity: 2\n---\n## Acceptance Criteria\n- [ ] it holds\n";
    let feature = "id: F\nname: n\ntasks:\n- id: T\n  file_path: t.md\n";
    for (name, text, family, protocol) in [
        ("01-01-PLAN.md", grid, Family::GetShitDone, "grid"),
        ("t.md", task, Family::Promise, "promise"),
        ("f.yaml", feature, Family::Promise, "promise"),
    ] {
        let (found, read) = one(name, text).unwrap();
        assert_eq!((found, found.protocol()), (family, Some(protocol)));
        assert_eq!(read, Read::default());
    }
    let plain = "---\nid: x\n---\n- [ ] a\n- [ ] b\n- [ ] c\n";
    assert_eq!(one("t.md", plain).unwrap().0, Family::Checklist);
}

#[test]
fn wrong_types_are_faults_at_their_lines() {
    let text = "{\"tasks\": [\n{\"id\": 1, \"title\": \"a\", \"dependencies\": \"2\"},\n7,\n\
        {\"id\": 2, \"title\": [\"b\"],\n \"status\": \"open\", \"status\": \"asleep\"},\n{\"id\": 3, \"title\": \"c\",\n\
        \"subtasks\": [true, {\"id\": 1, \"title\": \"d\", \"dependencies\": [{}]}]}\n]}";
    let (family, read) = one("tasks.json", text).unwrap();
    assert_eq!(family, Family::TaskMaster);
    let expected = [
        (Code::WrongType, 2),
        (Code::NotAnObject, 3),
        (Code::WrongType, 4),
        (Code::DuplicateField, 5),
        (Code::NotAnObject, 7),
        (Code::WrongType, 7),
    ];
    assert_eq!(faults(&read), expected);
    let warned = |remark: &&Remark| remark.weight == Weight::Warning;
    let warned: Vec<_> =
        read.remarks.iter().filter(warned).map(|one| (one.code, one.line)).collect();
    assert_eq!(warned, [(Code::UnknownValue, 5)]);
}

#[test]
fn a_line_of_beads_that_is_no_object_is_a_fault_there() {
    let text = "{\"id\":\"a\",\"title\":\"A\",\"status\":\"open\"}\n\n[1]\n{\"id\":\"b\",\n";
    let (_, read) = one("issues.jsonl", text).unwrap();
    assert_eq!(faults(&read), [(Code::NotAnObject, 3), (Code::Truncated, 4)]);
    assert_eq!(read.plan.notes, "[1]\n{\"id\":\"b\",");
}

#[test]
fn deep_and_huge_values_do_no_harm() {
    let deep = format!(
        "{{\"title\":\"t\",\"body\":\"b\",\"x\":{}{}}}",
        "[".repeat(9000),
        "]".repeat(9000)
    );
    assert!(one("issue.json", &deep).is_none());
    let huge =
        "{\"tasks\":[{\"id\":1e999,\"title\":99999999999999999999999,\"dependencies\":[-5]}]}";
    let (_, read) = one("tasks.json", huge).unwrap();
    assert_eq!(labels(&read.plan), ["plan/1e999"]);
    assert_eq!(read.plan.units[0].sprints[0].name, "99999999999999999999999");
    let nested: String =
        (0..1000).map(|depth| format!("{}- [ ] x{depth}\n", "  ".repeat(depth))).collect();
    let (_, read) = one("a.md", &nested).unwrap();
    assert_eq!(read.plan.units[0].sprints[0].tasks.len(), 1000);
    let headings = "# h\n- [ ] x\n".repeat(100_000);
    assert_eq!(one("a.md", &headings).unwrap().1.plan.units[0].sprints.len(), 100_000);
}

#[test]
fn circles_keep_every_sprint_and_duplicates_stay() {
    let text = "{\"tasks\":[{\"id\":1,\"title\":\"a\",\"dependencies\":[2]},{\"id\":2,\"title\":\"b\",\"dependencies\":[1]},\
        {\"id\":3,\"title\":\"c\",\"dependencies\":[3]},{\"id\":3,\"title\":\"d\"}]}";
    let (_, read) = one("tasks.json", text).unwrap();
    assert_eq!(labels(&read.plan), ["plan/3", "plan/3", "plan/1", "plan/2"]);
    let line = |id: &str, on: &str| {
        let of = format!(
            "{{\"issue_id\":\"{id}\",\"depends_on_id\":\"{on}\",\"type\":\"parent-child\"}}"
        );
        format!(
            "{{\"id\":\"{id}\",\"title\":\"t\",\"status\":\"open\",\"issue_type\":\"epic\",\"dependencies\":[{of}]}}\n"
        )
    };
    let (_, read) =
        one("issues.jsonl", &[line("a", "b"), line("b", "a"), line("c", "c")].concat()).unwrap();
    assert!(
        read.plan.units.iter().all(|unit| !unit.sprints.is_empty()),
        "{:?}",
        labels(&read.plan)
    );
    assert_eq!(labels(&read.plan).len(), 3);
}

#[test]
fn line_ends_marks_and_tabs_change_nothing() {
    for (name, entry) in FIXTURES.iter().filter(|(_, entry)| entry.ends_with(".md")) {
        let files = folder(&Path::new("tests/plans").join(name));
        let other = files.iter().map(|(name, text)| {
            let text = text.replace("\n  ", "\n\t").replace('\n', "\r\n");
            (name.clone(), format!("\u{feff}{text}"))
        });
        let tidy = |read: Read| json!(read.plan).to_string().replace("\\t", "  ");
        let (plain, other) =
            (families::read(&files, entry), families::read(&other.collect(), entry));
        assert_eq!(tidy(other.unwrap().1), tidy(plain.unwrap().1), "{name}");
    }
}

#[test]
fn what_a_step_expects_is_never_run() {
    let expected = [
        "PASS. Output: `3 tests ok`",
        "2 pass, 1 fail (the new test)",
        "0 tests pass",
        "PASS or FAIL",
        "Pass unless the flag is set",
        "tests pass? No, they fail.",
        "this: `rm -r build`",
        "`rm -r build`",
        "`rm -r build` passes.",
    ];
    for expected in expected {
        let text =
            format!("### Task 1: A\n\n**Step 1: B**\n\nRun: `cargo test`\nExpected: {expected}\n");
        let (_, read) = one("plan.md", &text).unwrap();
        let exit = &read.plan.units[0].sprints[0].exit;
        assert!(exit[0].judged && exit[0].commands.is_empty(), "{exit:?}");
    }
}

#[test]
fn what_a_step_expects_in_closed_form_is_run_or_is_of_the_step_before() {
    let exit = |expected: &str| {
        let text =
            format!("### Task 1: A\n\n**Step 1: B**\n\nRun: `cargo test`\nExpected: {expected}\n");
        one("plan.md", &text).unwrap().1.plan.units[0].sprints[0].exit.clone()
    };
    for expected in ["PASS", "**PASS**", "All 12 tests pass.", "Test passes", "PASS (in 3 s)"] {
        assert_eq!(exit(expected)[0].commands.len(), 1, "{expected}");
    }
    for expected in ["FAIL", "FAIL with an error", "test fails with ImportError"] {
        assert_eq!(exit(expected), [], "{expected}");
    }
}

#[test]
fn other_scripts_are_read_alike() {
    let text = "# 庭の計画\n\n## 春\n\n- [x] 土を掘る\n- [x] 種をまく\n\n## 夏\n\n- [ ] 草を抜く\n";
    let (family, read) = one("a.md", text).unwrap();
    assert_eq!(family, Family::Checklist);
    let names: Vec<_> =
        read.plan.sprints().map(|(_, one)| (one.name.as_str(), one.status)).collect();
    assert_eq!(names, [("春", Status::Done), ("夏", Status::Pending)]);
}

/// Without places, and without the front matter that a written plan has.
fn bare(plan: &Plan) -> Value {
    fn strip(value: &mut Value) {
        match value {
            Value::Object(fields) => {
                fields.remove("lines");
                fields.values_mut().for_each(strip);
            }
            Value::Array(list) => list.iter_mut().for_each(strip),
            _ => {}
        }
    }
    let mut value = json!(plan);
    value["front"] = Value::Null;
    strip(&mut value);
    value
}

/// It starts: no reader and no rule of plans finds a fault, and as a canonical plan it is the same.
fn assert_starts(name: &str, found: &Read) {
    assert_eq!(faults(found), [], "{name}");
    let checked = Read { plan: found.plan.clone(), remarks: check::check(&found.plan) };
    assert_eq!(faults(&checked), [], "{name}");
    let again = read::read(&write::write(&found.plan));
    assert_eq!(faults(&again), [], "{name}");
    assert_eq!(bare(&again.plan), bare(&found.plan), "{name}");
}

#[test]
fn each_fixture_starts() {
    for (name, entry) in FIXTURES {
        let files = folder(&Path::new("tests/plans").join(name));
        assert_starts(name, &families::read(&files, entry).unwrap().1);
    }
}

#[test]
fn a_plan_with_a_line_lost_or_twice_is_still_read_whole() {
    for (name, entry) in FIXTURES {
        let files = folder(&Path::new("tests/plans").join(name));
        let lines: Vec<&str> = files[entry].lines().collect();
        for place in 0..lines.len() {
            for (before, after) in [(place, place + 1), (place + 1, place)] {
                let text = [&lines[..before], &lines[after..]].concat().join("\n");
                let mut other = files.clone();
                other.insert(entry.to_owned(), text.clone());
                let Some((_, found)) = families::read(&other, entry) else { continue };
                if entry.ends_with(".md") {
                    assert_nothing_is_lost(&text, &found);
                }
                let again = read::read(&write::write(&found.plan));
                let whole = faults(&found).is_empty() && check::check(&found.plan).is_empty();
                assert!(!whole || bare(&again.plan) == bare(&found.plan), "{name}:\n{text}");
            }
        }
    }
}

fn corpus() -> Option<PathBuf> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus");
    if !corpus.join("families").is_dir() {
        use std::io::Write;
        // Past the test command, which swallows what tests that pass print.
        _ = writeln!(std::io::stderr(), "SKIPPED: corpus is absent ({})", corpus.display());
        return None;
    }
    Some(corpus)
}

/// The folders at or below `root` with files in them.
fn folders(root: &Path) -> Vec<PathBuf> {
    let (mut found, mut open) = (Vec::new(), vec![root.to_path_buf()]);
    while let Some(folder) = open.pop() {
        let inner = fs::read_dir(&folder).unwrap().flatten().map(|entry| entry.path());
        open.extend(inner.filter(|path| path.is_dir()));
        found.push(folder);
    }
    found.sort();
    found
}

#[test]
fn every_real_plan_starts_and_loses_nothing() {
    let Some(corpus) = corpus() else { return };
    let mut counted: BTreeMap<&str, usize> = BTreeMap::new();
    let beside = ["spec.md", "plan.md", "requirements.md", "design.md"];
    for path in folders(&corpus.join("families")) {
        let files = folder(&path);
        for name in files.keys().filter(|name| !beside.contains(&name.as_str())) {
            let place = path.join(name).display().to_string();
            let (family, found) = families::read(&files, name).expect(&place);
            assert_starts(&place, &found);
            if name.ends_with(".md") {
                assert_nothing_is_lost(&files[name], &found);
            }
            *counted.entry(family.as_str()).or_default() += 1;
        }
    }
    for (family, least) in
        [("spec-kit", 2), ("kiro", 2), ("superpowers", 3), ("task-master", 1), ("beads", 1)]
    {
        assert!(counted.get(family) >= Some(&least), "{family}: {counted:?}");
    }
}

#[test]
fn real_documents_of_other_protocols_are_named() {
    let Some(corpus) = corpus() else { return };
    let mut count = 0;
    for (folder_of, family) in
        [("gsd", Family::GetShitDone), ("guardkit/features", Family::Promise)]
    {
        for path in folders(&corpus.join(folder_of)) {
            for (name, text) in folder(&path) {
                if name.ends_with("-PLAN.md") || name.ends_with(".yaml") {
                    assert_eq!(one(&name, &text).map(|(family, _)| family), Some(family), "{name}");
                    count += 1;
                }
            }
        }
    }
    assert!(count > 40, "{count}");
}
