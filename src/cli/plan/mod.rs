//! Plan documents: read, checked, imported, made, put in order, improved; nothing here needs a mission.

mod caret;
mod change;
mod import;
mod judged;
mod lint;
mod ritual;
mod show;
mod table;

use super::Place;
use super::begin::Protocol;
use super::exit::{Exit, Fault};
use clap::{Args, Subcommand};
use endstate::native::plans::{self, OnDisk};
use endstate::plan::command::evaluate;
use endstate::plan::families::{self, Family};
use endstate::plan::model::{Read, Remark, Weight};
use endstate::plan::{self, write};
use endstate::vocab::error::Code;
use serde_json::json;
use std::path::{Path, PathBuf};

pub(crate) use ritual::christen;

/// What to do with a plan.
#[derive(Debug, Subcommand)]
pub(crate) enum Plan {
    /// Read a plan and say what was understood; of a folder, a table of all plans in it.
    #[command(
        after_help = "Examples:\n  endstate plan parse docs/EXECUTION_PLAN.md --json\n  endstate plan parse docs/"
    )]
    Parse(Which),
    /// Say in ten lines whether a plan can run: counts, the first faults, the kind of each sprint.
    #[command(
        after_help = "Examples:\n  endstate plan lint --strict\n  endstate plan lint --criteria"
    )]
    Lint {
        #[command(flatten)]
        which: Which,
        /// Warnings count as faults.
        #[arg(long)]
        strict: bool,
        /// Say of each criterion which commands will be run, and what a verifier will judge.
        #[arg(long)]
        criteria: bool,
        /// Say every remark with its line.
        #[arg(long)]
        all: bool,
    },
    /// Write a plan in the canonical grammar: Layer, counts and Summary follow from what it says.
    #[command(after_help = "Example:\n  endstate plan fmt --check")]
    Fmt {
        #[command(flatten)]
        which: Which,
        /// Print the document and write nothing.
        #[arg(long)]
        dry_run: bool,
        /// Write nothing; the exit status says whether the plan is written so.
        #[arg(long, conflicts_with = "dry_run")]
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
        Plan::Lint { which, strict, criteria, all } => {
            if let Some((protocol, path)) = of_other_protocol(place, which)? {
                return lint::other(place, protocol, &path);
            }
            let open = open(place, which)?;
            let stale = import::stale(place, open.file.root(), &open.read);
            if *criteria {
                lint::criteria(place, &open);
            }
            let exit = lint::lint(place, &open, *strict, *all)?;
            Ok(if *strict && stale { Exit::Refused } else { exit })
        }
        Plan::Fmt { which, dry_run, check } => fmt(place, &open(place, which)?, *dry_run, *check),
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
    family: Family,
    read: Read,
}

impl Open {
    /// Its path, as short as people would write it.
    fn name(&self, place: &Place) -> String {
        let short = self.file.path.strip_prefix(&place.root).unwrap_or(&self.file.path);
        short.display().to_string()
    }

    fn many(&self, weight: Weight) -> usize {
        self.read.remarks.iter().filter(|one| one.weight == weight).count()
    }

    /// Its faults, warnings and notes.
    fn counts(&self) -> [usize; 3] {
        [Weight::Fault, Weight::Warning, Weight::Note].map(|weight| self.many(weight))
    }
}

/// Documents that a protocol beside that of sprints has readers for, and what its mission would be begun with: the
/// folder of a phase, or the file itself.
fn of_other_protocol(place: &Place, which: &Which) -> Result<Option<(Protocol, String)>, Fault> {
    let Some(path) = &which.path else { return Ok(None) };
    let relative = path.strip_prefix(&place.root).unwrap_or(path);
    let named = |path: &Path| path.to_string_lossy().into_owned();
    if place.root.join(path).is_dir() {
        return Ok(Some((Protocol::Grid, named(relative))));
    }
    let (entry, files) = plans::with_siblings(&plans::plan(&place.root, Some(path))?);
    let family = families::read(&files, &entry).and_then(|(family, _)| family.protocol());
    Ok(match family {
        Some("grid") => {
            relative.parent().map(|folder| (Protocol::Grid, named(&Path::new(".").join(folder))))
        }
        Some(_) => Some((Protocol::Promise, named(relative))),
        None => None,
    })
}

fn open(place: &Place, which: &Which) -> Result<Open, Fault> {
    read(plans::plan(&place.root, which.path.as_deref())?)
}

fn read(file: OnDisk) -> Result<Open, Fault> {
    let (entry, files) = plans::with_siblings(&file);
    let (family, read) = plan::open(&files, &entry)?;
    Ok(Open { file, family, read })
}

/// Refuses a plan with faults: nothing is built on what cannot be read. What a canonical plan declares of itself may be mended.
fn sound(place: &Place, open: &Open, mended: bool) -> Result<(), Fault> {
    let mended = mended && open.family == Family::Canonical;
    let goes = |one: &Remark| mended && one.code == Code::PlanDisagrees;
    let stays = |one: &&Remark| one.weight == Weight::Fault && !goes(one);
    let Some(first) = open.read.remarks.iter().find(stays) else { return Ok(()) };
    lint::remarks(place, open, lint::SHOWN);
    Err(first.diagnostic().into())
}

/// Writes a plan in the canonical grammar.
fn fmt(place: &Place, open: &Open, dry_run: bool, check: bool) -> Result<Exit, Fault> {
    sound(place, open, true)?;
    let text = write::document(&open.read.plan);
    let changed = text != open.file.text;
    match (dry_run || check, place.out.json) {
        (true, false) if dry_run => place.out.say(&text),
        (true, _) => {}
        (false, _) if changed => change::keep_and_replace(place, &open.file, &text)?,
        (false, _) => {}
    }
    let word = if changed { "not canonical" } else { "canonical" };
    if !dry_run {
        place.out.say(format!("{}: {word}", open.name(place)));
    }
    place.out.object(&json!({
        "result": "fmt", "path": open.name(place), "family": open.family.as_str(), "changed": changed, "text": text,
    }));
    Ok(if check && changed { Exit::Refused } else { Exit::Done })
}
