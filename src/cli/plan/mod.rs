//! Plan documents: read, checked, made, put in order, improved; nothing here needs a mission.

mod caret;
mod show;

use super::Place;
use super::exit::{Exit, Fault};
use clap::{Args, Subcommand};
use endstate::native::plans::{self, OnDisk};
use endstate::plan::model::Weight;
use endstate::plan::read::{Parsed, parse};
use serde_json::json;
use std::path::PathBuf;

/// What to do with a plan.
#[derive(Debug, Subcommand)]
pub(crate) enum Plan {
    /// Read a plan and say what was understood.
    #[command(after_help = "Example:\n  endstate plan parse docs/EXECUTION_PLAN.md --json")]
    Parse(Which),
    /// Say what is wrong with a plan, with line and column.
    #[command(after_help = "Example:\n  endstate plan lint --strict")]
    Lint {
        #[command(flatten)]
        which: Which,
        /// Warnings count as faults.
        #[arg(long)]
        strict: bool,
    },
    /// Levels, the longest chain, bottlenecks, and how many sprints could run at the same time.
    #[command(after_help = "Example:\n  endstate plan graph --mermaid > plan.mmd")]
    Graph {
        #[command(flatten)]
        which: Which,
        /// Print the graph for mermaid instead.
        #[arg(long)]
        mermaid: bool,
    },
}

/// Which plan.
#[derive(Debug, Args)]
pub(crate) struct Which {
    /// The plan; else EXECUTION_PLAN.md here or in the nearest folder above.
    #[arg(value_name = "PLAN")]
    path: Option<PathBuf>,
}

/// Does it.
pub(crate) fn plan(place: &Place, what: &Plan) -> Result<Exit, Fault> {
    match what {
        Plan::Parse(which) => show::parse(place, &open(place, which)?),
        Plan::Lint { which, strict } => lint(place, &open(place, which)?, *strict),
        Plan::Graph { which, mermaid } => show::graph(place, &open(place, which)?, *mermaid),
    }
}

/// A plan that was read.
struct Open {
    file: OnDisk,
    parsed: Parsed,
}

impl Open {
    /// Its path, as short as people would write it.
    fn name(&self, place: &Place) -> String {
        let short = self.file.path.strip_prefix(&place.root).unwrap_or(&self.file.path);
        short.display().to_string()
    }
}

fn open(place: &Place, which: &Which) -> Result<Open, Fault> {
    let file = plans::plan(&place.root, which.path.as_deref())?;
    let parsed = parse(&file.text);
    Ok(Open { file, parsed })
}

/// Remarks with their lines; faults make the plan unfit.
fn lint(place: &Place, open: &Open, strict: bool) -> Result<Exit, Fault> {
    let counts = remarks(place, open);
    let [faults, warnings, notes] = counts;
    place.out.say(format!("{faults} faults, {warnings} warnings, {notes} notes"));
    place.out.object(&json!({
        "result": "lint", "plan": open.name(place), "faults": faults, "warnings": warnings, "notes": notes,
    }));
    let bad = faults > 0 || strict && warnings > 0;
    Ok(if bad { Exit::Refused } else { Exit::Done })
}

/// Says every remark; the numbers of faults, warnings and notes.
fn remarks(place: &Place, open: &Open) -> [usize; 3] {
    let name = open.name(place);
    for remark in &open.parsed.remarks {
        place.out.say(caret::draw(&name, &open.file.text, remark));
        place.out.object(&json!({"remark": remark}));
    }
    [Weight::Fault, Weight::Warning, Weight::Note]
        .map(|weight| open.parsed.remarks.iter().filter(|remark| remark.weight == weight).count())
}

/// Refuses a plan with faults: nothing is built on what cannot be read.
#[allow(dead_code)]
fn sound(place: &Place, open: &Open) -> Result<(), Fault> {
    let Some(first) = open.parsed.faults().next() else { return Ok(()) };
    place.out.say(caret::draw(&open.name(place), &open.file.text, first));
    Err(first.diagnostic().into())
}
