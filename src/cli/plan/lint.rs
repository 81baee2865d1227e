//! What is wrong with a plan, in ten lines; and what of it will be run and judged.

use super::{Open, Place, caret};
use crate::cli::begin::{self, Protocol, Settings};
use crate::cli::drive::Limits;
use crate::cli::exit::{Exit, Fault};
use endstate::native::plans;
use endstate::native::redact::printable;
use endstate::plan::clause;
use endstate::plan::model::{Criterion, Kind, Sprint, Weight};
use endstate::protocols::{ProtocolConfig, sprint};
use endstate::vocab::error::clip;
use endstate::vocab::text::one_line;
use endstate::{Config, Engine};
use serde_json::json;
use std::collections::BTreeMap;

/// How many remarks are shown where not all are.
pub(super) const SHOWN: usize = 5;

/// Counts, the first faults, the kind of each sprint. Faults make the plan unfit.
pub(super) fn lint(place: &Place, open: &Open, strict: bool, all: bool) -> Result<Exit, Fault> {
    let [faults, warnings, notes] = open.counts();
    let bad = faults > 0 || strict && warnings > 0;
    remarks(place, open, if all { usize::MAX } else { SHOWN });
    // A result without a fault is said of what begins, and of nothing else.
    if faults == 0 {
        starts(open)?;
    }
    let plan = &open.read.plan;
    let mut kinds: BTreeMap<Kind, Vec<&str>> = BTreeMap::new();
    for (_, sprint) in plan.sprints() {
        kinds.entry(sprint.kind).or_default().push(&sprint.label);
    }
    let kinds = kinds.iter().map(|(kind, labels)| format!("{kind} {}", labels.join(" ")));
    place.out.say(clip(&format!("kinds: {}", kinds.collect::<Vec<_>>().join("; ")), 200));
    let all = || plan.sprints().flat_map(|(_, sprint)| sprint.entry.iter().chain(&sprint.exit));
    let commands: usize = all().map(|one| one.commands.len()).sum();
    let judged = all().filter(|one| one.judged).count();
    place.out.say(format!(
        "criteria: {} ({commands} commands are run, {judged} are judged)",
        all().count()
    ));
    let (units, sprints) = (plan.units.len(), plan.sprints().count());
    place.out.say(format!(
        "{} plan: {units} units, {sprints} sprints; {faults} faults, {warnings} warnings, {notes} notes",
        open.family.as_str()
    ));
    place.out.object(&json!({
        "result": "lint", "plan": open.name(place), "family": open.family.as_str(), "units": units, "sprints": sprints,
        "criteria": all().count(), "commands": commands, "judged": judged, "faults": faults, "warnings": warnings,
        "notes": notes,
    }));
    Ok(if bad { Exit::Refused } else { Exit::Done })
}

/// Whether `run` would begin a plan without a fault: its mission, begun without being made.
fn starts(open: &Open) -> Result<(), Fault> {
    let (entry, files) = plans::with_siblings(&open.file);
    let planned = sprint::plan::config(&entry, &files, "project")?;
    let mission = ProtocolConfig::Sprint(Box::new(planned.config));
    endstate::start(&Config::new(mission), 0)?;
    Ok(())
}

/// Documents of another protocol: what refuses them is the start of its own mission.
pub(super) fn other(place: &Place, protocol: Protocol, path: &str) -> Result<Exit, Fault> {
    let config = begin::config(place, protocol, path, &Settings::default(), Limits::default())?;
    let name = format!("{protocol:?}").to_lowercase();
    let runs = Engine::start(&config, 0)?.0.expected_runs();
    place.out.say(format!("{name} plan: 0 faults, about {runs} runs"));
    place.out.say(printable(&format!("`endstate run --protocol {name} {path}` begins it")));
    place.out.object(&json!({
        "result": "lint", "plan": path, "protocol": name, "expected_runs": runs, "faults": 0,
    }));
    Ok(Exit::Done)
}

/// Says the remarks: the heaviest first, each on one line where not all are wanted, and how many are left out.
pub(super) fn remarks(place: &Place, open: &Open, most: usize) {
    let name = open.name(place);
    // Once for all remarks: of a long document there may be thousands.
    let lines: Vec<&str> = open.file.text.lines().collect();
    let mut remarks: Vec<_> = open.read.remarks.iter().collect();
    remarks.sort_by_key(|one| (std::cmp::Reverse(one.weight), one.line));
    let drawn = most > SHOWN || remarks.len() == 1;
    for remark in remarks.iter().take(most) {
        place.out.say(match remark.weight {
            Weight::Fault | Weight::Warning if drawn => caret::draw(&name, &lines, remark),
            _ => caret::brief(&name, remark),
        });
    }
    if remarks.len() > most {
        place.out.say(format!("{} remarks more: --all", remarks.len() - most));
    }
    open.read.remarks.iter().for_each(|remark| place.out.object(&json!({"remark": remark})));
}

/// What will be run, and what will be judged.
pub(super) fn criteria(place: &Place, open: &Open) {
    for (unit, sprint) in open.read.plan.sprints() {
        place.out.say(printable(&format!("{}/{}: {}", unit.name, sprint.label, sprint.name)));
        one_part(place, sprint, "entry", &sprint.entry);
        one_part(place, sprint, "exit", &sprint.exit);
    }
}

fn one_part(place: &Place, sprint: &Sprint, part: &str, criteria: &[Criterion]) {
    for one in criteria {
        for command in &one.commands {
            place.out.say(printable(&format!(
                "  {part} {} run   {}",
                one.id,
                clause::clause(command)
            )));
        }
        if one.judged {
            let words = clip(&one_line(&one.text), 120);
            place.out.say(printable(&format!("  {part} {} judge {words}", one.id)));
        }
        place.out.object(&json!({"criterion": one, "sprint": sprint.label, "part": part}));
    }
}
