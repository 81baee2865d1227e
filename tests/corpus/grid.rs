//! What the grid peer really wrote, and what its own functions made of it.
//!
//! The corpus lies beside the repository and is not part of it; where it is absent, nothing is tested and the
//! output says so. Where we differ from the peer's functions, `docs/deviations.md` lists the row; the list is
//! checked both ways.

use endstate::plan::document;
use endstate::protocols::grid::plan::{self, Plan, PlanDocument};
use endstate::protocols::grid::schedule::schedule;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Past the test command, which swallows what tests that pass print.
fn say(words: &str) {
    use std::io::Write;
    let _ = writeln!(std::io::stderr(), "{words}");
}

fn corpus() -> Option<PathBuf> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus");
    if !corpus.join("gsd").is_dir() {
        say(&format!("SKIPPED: corpus is absent ({})", corpus.display()));
        return None;
    }
    Some(corpus)
}

fn files(root: &Path) -> Vec<PathBuf> {
    let (mut found, mut open) = (Vec::new(), vec![root.to_path_buf()]);
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { open.push(path) } else { found.push(path) }
        }
    }
    found.sort();
    found
}

/// `phases__01-foundation__01-02-PLAN.md` as the name of the plan's own file.
fn plan_name(path: &Path) -> String {
    let name = path.file_name().unwrap().to_string_lossy().into_owned();
    name.rsplit("__").next().unwrap().to_owned()
}

#[test]
fn every_file_is_understood_or_diagnosed() {
    let Some(corpus) = corpus() else { return };
    let (mut understood, mut diagnosed) = (0, Vec::new());
    for path in files(&corpus.join("gsd")).into_iter().chain(files(&corpus.join("adversarial"))) {
        let bytes = fs::read(&path).unwrap();
        let text = String::from_utf8_lossy(&bytes);
        let name = plan_name(&path);
        let fault =
            match (plan::parse(&name, &text), document::read(&text), name.ends_with("-PLAN.md")) {
                (Ok(_), _, true) | (_, Ok(_), false) => None,
                (Err(error), _, true) | (_, Err(error), false) => Some(error),
            };
        match fault {
            None => understood += 1,
            Some(error) => {
                assert!(!error.at.is_empty() && !error.expected.is_empty(), "{name}: {error}");
                diagnosed.push(format!("{name}: {}", error.code));
            }
        }
    }
    say(&format!(
        "grid corpus: {understood} understood, {} diagnosed: {diagnosed:?}",
        diagnosed.len()
    ));
    let named = |code: &str| diagnosed.iter().any(|line| line.contains(code));
    assert!(
        understood >= 40
            && named("truncated")
            && named("duplicate_field")
            && named("invalid_value")
    );
}

/// Plans with orders to their reader in them are data: nothing of them becomes a setting.
#[test]
fn hostile_plans_set_nothing() {
    let Some(corpus) = corpus() else { return };
    for path in files(&corpus.join("adversarial/gsd/security")) {
        let text = fs::read_to_string(&path).unwrap();
        assert!(plan::parse(&plan_name(&path), &text).is_err(), "{} is no plan", path.display());
        let framed = format!("---\nphase: 01-x\nplan: \"01\"\n---\n{text}");
        let read = plan::parse("01-01-PLAN.md", &framed).unwrap().plan;
        assert_eq!((read.phase.as_str(), read.verify, read.autonomous), ("01-x", true, true));
        assert_eq!(read.content, text, "kept as it is");
    }
}

fn bare(id: &str, front: &str) -> Plan {
    let text = format!(
        "---\nphase: 01-x\nplan: \"{id}\"\n{front}\n---\n\n<objective>o</objective>\n<task><name>t</name></task>\n"
    );
    plan::parse(&format!("{id}-PLAN.md"), &text).unwrap().plan
}

/// Waves, dependencies and disagreements, in the words of the peer.
fn index(plans: &[Plan]) -> Value {
    let Ok(made) = schedule(plans, &BTreeSet::new()) else { return json!({"rc": 1}) };
    let mut waves: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (place, wave) in made.waves.iter().enumerate() {
        waves.insert((place + 1).to_string(), wave.clone());
    }
    let disagree = plans
        .iter()
        .filter(|plan| plan.declared_wave.is_some_and(|wave| Some(wave) != made.wave(&plan.id)));
    json!({
        "waves": waves,
        "depends_on": plans.iter().map(|plan| (plan.id.clone(), made.depends_on[&plan.id].clone())).collect::<BTreeMap<_, _>>(),
        "disagree": disagree.map(|plan| plan.id.clone()).collect::<Vec<_>>(),
        "has_checkpoints": plans.iter().any(|plan| !plan.autonomous),
    })
}

fn peers_index(out: &Value) -> Value {
    if out["rc"] == 1 {
        return json!({"rc": 1});
    }
    let plans = out["plans"].as_array().unwrap();
    let warned = out["warnings"].as_array().cloned().unwrap_or_default();
    let id = |line: &Value| line.as_str().unwrap().split([' ', ':']).nth(1).unwrap().to_owned();
    json!({
        "waves": out["waves"],
        "depends_on": plans.iter().map(|plan| (plan["id"].as_str().unwrap().to_owned(), plan["depends_on"].clone())).collect::<BTreeMap<_, _>>(),
        "disagree": warned.iter().map(id).collect::<Vec<_>>(),
        "has_checkpoints": out["has_checkpoints"],
    })
}

/// The plans of a row as they lie in the corpus, in the order of the row; nothing if one is missing.
fn plans_there(corpus: &Path, phase: &str, row: &Value) -> Option<Vec<Plan>> {
    let one = |plan: &Value| {
        let name = format!("{}-PLAN.md", plan["id"].as_str().unwrap());
        let path = corpus.join("gsd/klausbot").join(format!("phases__{phase}__{name}"));
        let text = fs::read_to_string(path).ok()?;
        Some(plan::parse(&name, &text).unwrap().plan)
    };
    row["plans"].as_array().unwrap().iter().map(one).collect()
}

/// The plans of a row whose files are not in the corpus, made again from what the row says of them: only waves and
/// dependencies are compared then, and no reading of a file.
fn plans_of(row: &Value) -> Vec<Plan> {
    let warned = row["warnings"].as_array().cloned().unwrap_or_default();
    let declared = |id: &str| {
        let line = warned
            .iter()
            .filter_map(Value::as_str)
            .find(|line| line.contains(&format!("Plan {id}:")))?;
        line.split("wave: ").nth(1)?.split(' ').next()?.parse::<u32>().ok()
    };
    let one = |plan: &Value| {
        let id = plan["id"].as_str().unwrap();
        let mut made = bare(
            id,
            &format!("depends_on: {}\nautonomous: {}", plan["depends_on"], plan["autonomous"]),
        );
        made.phase = format!("{}-x", row["phase"].as_str().unwrap());
        made.declared_wave = declared(id);
        made
    };
    row["plans"].as_array().unwrap().iter().map(one).collect()
}

fn structure(read: &PlanDocument) -> Value {
    let field =
        |what: &endstate::vocab::error::Diagnostic| (what.at.clone(), what.expected.clone());
    json!({
        "valid": read.faults.is_empty(),
        "task_count": read.threads.len(),
        "errors": read.faults.len(),
        "tasks": read.threads.iter().map(|thread| json!({
            "name": thread.name, "hasFiles": thread.has_files, "hasAction": thread.has_action,
            "hasVerify": thread.has_verify, "hasDone": thread.has_done,
        })).collect::<Vec<_>>(),
        "warnings": read.notes.iter().map(field).filter(|(at, _)| at.starts_with("thread")).count(),
    })
}

fn peers_structure(row: &Value) -> Value {
    json!({
        "valid": row["valid"], "task_count": row["task_count"], "tasks": row["tasks"],
        "errors": row["errors"].as_array().unwrap().len(), "warnings": row["warnings"].as_array().unwrap().len(),
    })
}

fn front(plan: &Plan, nested: bool) -> Value {
    let must = &plan.must_haves;
    let mut front = json!({
        "phase": plan.phase, "depends_on": plan.depends_on, "files_modified": plan.files_modified,
        "autonomous": plan.autonomous.to_string(), "wave": plan.declared_wave.map(|wave| wave.to_string()),
        "truths": must.truths,
    });
    if nested {
        front["artifacts"] =
            json!(must.artifacts.iter().map(|one| one.path.clone()).collect::<Vec<_>>());
    }
    front
}

fn peers_front(row: &Value, nested: bool) -> Value {
    let mut front = json!({
        "phase": row["phase"], "depends_on": row["depends_on"], "files_modified": row["files_modified"],
        "autonomous": row["autonomous"], "wave": row["wave"], "truths": row["must_haves"]["truths"],
    });
    if nested {
        front["artifacts"] = row["must_haves"]["artifacts"].clone();
    }
    front
}

/// Whether each row is met, by its name.
fn rows(corpus: &Path) -> BTreeMap<String, bool> {
    let oracle: Value =
        serde_json::from_str(&fs::read_to_string(corpus.join("oracles/gsd_oracle.json")).unwrap())
            .unwrap();
    let mut met = BTreeMap::new();
    for (name, row) in oracle["synthetic"].as_object().unwrap() {
        let given = row["plans"].as_array().unwrap();
        let plans: Vec<Plan> = given
            .iter()
            .map(|one| bare(one[0].as_str().unwrap(), one[1].as_str().unwrap()))
            .collect();
        met.insert(format!("gsd/synthetic[{name}]"), index(&plans) == peers_index(&row["out"]));
    }
    let real = &oracle["klausbot"];
    let mut read_whole = Vec::new();
    for (name, row) in real["phase_plan_index"].as_object().unwrap() {
        let there = plans_there(corpus, name, row);
        read_whole.extend(there.is_some().then_some(name.as_str()));
        let plans = there.unwrap_or_else(|| plans_of(row));
        met.insert(format!("gsd/phase_plan_index[{name}]"), index(&plans) == peers_index(row));
    }
    assert_eq!(read_whole, ["01-foundation", "02-core-loop"], "phases whose plans are there");
    let read = |path: &str| -> Option<PlanDocument> {
        let path = path.strip_prefix(".planning/")?.replace('/', "__");
        let text = fs::read_to_string(corpus.join("gsd/klausbot").join(&path)).ok()?;
        Some(plan::parse(&plan_name(Path::new(&path)), &text).unwrap())
    };
    let mut absent = BTreeSet::new();
    for (path, row) in real["plan_structure"].as_object().unwrap() {
        let name = path.rsplit('/').next().unwrap();
        match read(path) {
            None => drop(absent.insert(format!("plan_structure[{name}]"))),
            Some(read) => {
                met.insert(
                    format!("gsd/plan_structure[{name}]"),
                    structure(&read) == peers_structure(row),
                );
            }
        }
    }
    for (path, row) in real["frontmatter"].as_object().unwrap() {
        let name = path.rsplit('/').next().unwrap();
        if let Some(read) = read(path) {
            assert_eq!(front(&read.plan, false), peers_front(row, false), "{path}");
            met.insert(
                format!("gsd/frontmatter[{name}]"),
                front(&read.plan, true) == peers_front(row, true),
            );
        } else {
            absent.insert(format!("frontmatter[{name}]"));
        }
    }
    assert_eq!(absent, without_file(), "rows whose file is not in the corpus");
    met
}

/// The rows that `docs/deviations.md` lists: `- gsd/kind[row]: why`.
fn listed() -> BTreeSet<String> {
    let page = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/deviations.md"))
        .unwrap();
    let rows = page.lines().filter_map(|line| line.strip_prefix("- gsd/"));
    rows.map(|line| format!("gsd/{}", line.split_once("]:").unwrap().0) + "]").collect()
}

/// The rows of which `docs/deviations.md` says that their file is not in the corpus: `- no file: gsd/kind: names`.
fn without_file() -> BTreeSet<String> {
    let page = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/deviations.md"))
        .unwrap();
    let rows = page.lines().filter_map(|line| line.strip_prefix("- no file: gsd/"));
    let names = rows.filter_map(|line| line.split_once(": "));
    let of = |(kind, names): (&str, &str)| {
        let kind = kind.to_owned();
        let names: Vec<String> = names.split(", ").map(str::to_owned).collect();
        names.into_iter().map(move |name| format!("{kind}[{name}]"))
    };
    names.flat_map(of).collect()
}

/// The peer drops such a wait; that ours does not is a row of the list.
#[test]
fn a_dependency_that_is_a_bare_number_is_a_listed_deviation() {
    let plans = [bare("01-01", "depends_on: []"), bare("01-02", "depends_on: [1]")];
    let made = schedule(&plans, &BTreeSet::new()).unwrap();
    assert_eq!(made.depends_on["01-02"], ["01-01"]);
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/deviations.md");
    let page = fs::read_to_string(page).unwrap();
    let row = page.lines().find(|line| line.contains("(`bare_number_dep`)")).unwrap();
    assert!(row.contains("the plan of that number in the same phase"), "{row}");
}

#[test]
fn every_row_of_the_oracle_is_met_or_listed() {
    let Some(corpus) = corpus() else { return };
    let (rows, listed) = (rows(&corpus), listed());
    let kind = |name: &str| format!("{}[*]", name.split('[').next().unwrap());
    let is_listed = |name: &String| listed.contains(name) || listed.contains(&kind(name));
    let unlisted: Vec<&String> = rows
        .iter()
        .filter(|(name, met)| !**met && !is_listed(name))
        .map(|(name, _)| name)
        .collect();
    let met = rows.values().filter(|met| **met).count();
    say(&format!("grid oracle: {} rows, {met} met", rows.len()));
    assert!(unlisted.is_empty(), "neither met nor listed: {unlisted:#?}");
    let idle: Vec<&String> = listed
        .iter()
        .filter(|name| {
            let of = |row: &&String| *row == *name || kind(row) == **name;
            let mine: Vec<&String> = rows.keys().filter(of).collect();
            mine.is_empty() || mine.iter().all(|row| rows[*row])
        })
        .collect();
    assert!(idle.is_empty(), "listed, but met or unknown: {idle:?}");
}
