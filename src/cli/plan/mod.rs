//! Plan documents: read, checked, made, put in order, improved; nothing here needs a mission.

mod caret;
mod change;
mod import;
mod judged;
mod ritual;
mod show;
mod table;

use super::Place;
use super::exit::{Exit, Fault};
use clap::{Args, Subcommand};
use endstate::canon;
use endstate::native::plans::{self, OnDisk};
use endstate::native::redact::printable;
use endstate::plan::evaluate;
use endstate::plan::model::Weight;
use endstate::plan::read::{Parsed, parse};
use endstate::vocab::error::Code;
use serde_json::json;
use std::path::PathBuf;

pub(crate) use ritual::christen;

/// What to do with a plan.
#[derive(Debug, Subcommand)]
pub(crate) enum Plan {
    /// Read a plan and say what was understood; of a folder, a table of all plans in it.
    #[command(
        after_help = "Examples:\n  endstate plan parse docs/EXECUTION_PLAN.md --json\n  endstate plan parse docs/"
    )]
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
    /// Write a canonical plan as its grammar says: Layer, counts and Summary follow from the rest.
    #[command(after_help = "Example:\n  endstate plan fmt --check")]
    Fmt {
        #[command(flatten)]
        which: Which,
        /// Write nothing; the exit status says whether the plan is written so.
        #[arg(long)]
        check: bool,
    },
    /// Make a canonical plan of any document: an agent labels its places, the engine copies, checks and asks.
    #[command(
        after_help = "Example:\n  endstate plan import TODO.md --agent 'exec:my-agent --print' --to EXECUTION_PLAN.md"
    )]
    Import(import::Import),
    /// Levels, the longest chain, bottlenecks, and how many sprints could run at the same time.
    #[command(after_help = "Example:\n  endstate plan graph --mermaid > plan.mmd")]
    Graph {
        #[command(flatten)]
        which: Which,
        /// Print the graph for mermaid instead.
        #[arg(long)]
        mermaid: bool,
    },
    /// Make a plan of a requirements document.
    #[command(
        after_help = "Examples:\n  endstate plan breakdown\n  endstate plan breakdown docs/PRD.md --dry-run"
    )]
    Breakdown {
        /// The document; else REQUIREMENTS.md, PRD.md, SPEC.md or README.md here.
        #[arg(value_name = "REQUIREMENTS")]
        path: Option<PathBuf>,
        #[command(flatten)]
        how: How,
    },
    /// Score the sprints, put the urgent ones first, give numbers anew.
    #[command(after_help = "Example:\n  endstate plan prioritize --dry-run")]
    Prioritize {
        #[command(flatten)]
        which: Which,
        #[command(flatten)]
        how: How,
    },
    /// Check every sprint and mend what can be mended: split, merge, word criteria anew.
    #[command(after_help = "Example:\n  endstate plan evaluate --max-turns 40 --dry-run")]
    Evaluate {
        #[command(flatten)]
        which: Which,
        #[command(flatten)]
        how: How,
        /// Turns that each sprint may take.
        #[arg(long, default_value_t = evaluate::BUDGET, value_parser = clap::value_parser!(u32).range(1..), value_name = "N")]
        max_turns: u32,
    },
    /// Look at a plan in three passes and write ANALYSIS_REPORT.md; the plan stays as it is.
    #[command(after_help = "Example:\n  endstate plan analyze --requirements docs/PRD.md")]
    Analyze {
        #[command(flatten)]
        which: Which,
        #[command(flatten)]
        how: How,
        /// Turns that each sprint may take.
        #[arg(long, default_value_t = evaluate::BUDGET, value_parser = clap::value_parser!(u32).range(1..), value_name = "N")]
        max_turns: u32,
        /// The requirements it was made of; else REQUIREMENTS.md, PRD.md or SPEC.md beside it.
        #[arg(long, value_name = "FILE")]
        requirements: Option<PathBuf>,
    },
    /// Give a running plan a new operation name.
    #[command(
        after_help = "Example:\n  endstate plan name-feature --agent 'exec:my-agent --print'"
    )]
    NameFeature {
        #[command(flatten)]
        which: Which,
        #[command(flatten)]
        how: How,
    },
}

/// Where judgements come from, and whether files are written.
#[derive(Debug, Args)]
pub(crate) struct How {
    /// Who answers what arithmetic cannot: exec:COMMAND or script:FILE.
    #[arg(long, value_name = "AGENT")]
    agent: Option<String>,
    /// Answers in a file, as an agent would give them.
    #[arg(long, value_name = "FILE", conflicts_with = "agent")]
    answers: Option<PathBuf>,
    /// Print the document and write nothing.
    #[arg(long)]
    dry_run: bool,
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
        Plan::Parse(Which { path: Some(path) }) if place.root.join(path).is_dir() => {
            table::table(place, &place.root.join(path))
        }
        Plan::Parse(which) => show::parse(place, &open(place, which)?),
        Plan::Lint { which, strict } => lint(place, &open(place, which)?, *strict),
        Plan::Fmt { which, check } => {
            fmt(place, &plans::plan(&place.root, which.path.as_deref())?, *check)
        }
        Plan::Import(how) => import::import(place, how),
        Plan::Graph { which, mermaid } => show::graph(place, &open(place, which)?, *mermaid),
        Plan::Breakdown { path, how } => change::breakdown(place, path.as_deref(), how),
        Plan::Prioritize { which, how } => change::prioritize(place, &open(place, which)?, how),
        Plan::Evaluate { which, how, max_turns } => {
            change::evaluate(place, &open(place, which)?, how, *max_turns)
        }
        Plan::Analyze { which, how, max_turns, requirements } => {
            change::analyze(place, &open(place, which)?, how, *max_turns, requirements.as_deref())
        }
        Plan::NameFeature { which, how } => change::name(place, &open(place, which)?, how),
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
    // Once for all remarks: of a long document there may be thousands.
    let lines: Vec<&str> = open.file.text.lines().collect();
    for remark in &open.parsed.remarks {
        place.out.say(match remark.code {
            Code::ReadAsText => caret::brief(&name, remark),
            _ => caret::draw(&name, &lines, remark),
        });
        place.out.object(&json!({"remark": remark}));
    }
    [Weight::Fault, Weight::Warning, Weight::Note]
        .map(|weight| open.parsed.remarks.iter().filter(|remark| remark.weight == weight).count())
}

/// Refuses a plan with faults that no rewriting mends: nothing is built on what cannot be read.
fn sound(place: &Place, open: &Open) -> Result<(), Fault> {
    let Some(first) = open.parsed.unreadable().next() else { return Ok(()) };
    let lines: Vec<&str> = open.file.text.lines().collect();
    place.out.say(caret::draw(&open.name(place), &lines, first));
    Err(first.diagnostic().into())
}

/// Writes a canonical plan as its grammar says. What it declares of itself is mended; any other fault is refused.
fn fmt(place: &Place, file: &OnDisk, check: bool) -> Result<Exit, Fault> {
    let name = file.path.display().to_string();
    let read = canon::canonical(&file.text).ok_or_else(|| {
        let expected =
            "`plan: endstate/1` in its front matter; `endstate plan import` makes such a plan";
        Fault::new(Exit::Refused, "unknown_family", &name, expected, "another document")
    })?;
    let fault = |one: &&canon::model::Remark| {
        one.weight == canon::model::Weight::Fault && one.code != Code::PlanDisagrees
    };
    if let Some(fault) = read.remarks.iter().find(fault) {
        return Err(fault.diagnostic().into());
    }
    let text = canon::write::write(&read.plan);
    let changed = text != file.text;
    if changed && !check {
        plans::replace(file, &text)?;
    }
    let word = match (changed, check) {
        (false, _) => "is canonical",
        (true, true) => "is not canonical",
        (true, false) => "is canonical now",
    };
    place.out.say(printable(&format!("{name} {word}")));
    place.out.object(&json!({"result": "fmt", "path": name, "changed": changed, "text": text}));
    Ok(if check && changed { Exit::Refused } else { Exit::Done })
}
