//! A grid mission from a goal, or from the plans of one phase.

use super::settings::Models;
use super::{Settings, read, tell};
use crate::cli::Place;
use crate::cli::exit::Fault;
use crate::cli::point::pointed;
use endstate::native::HostError;
use endstate::protocols::grid;
use endstate::protocols::grid::role::ModelTier;
use endstate::vocab::error::{Code, Error};
use std::fs;

/// A goal, or a directory with the plans of one phase.
pub(super) fn config(
    place: &Place,
    goal: &str,
    settings: &Settings,
) -> Result<grid::Config, Fault> {
    let mut config = match place.root.join(goal).is_dir() {
        false if looks_like_a_path(goal) => {
            let expected = "a directory that holds the plans of one phase, or a goal in words";
            let got = match place.root.join(goal).exists() {
                true => format!("{goal}, a file"),
                false => format!("{goal}, which is not there"),
            };
            return Err(Error::new(Code::InvalidValue, "GOAL", expected, got).into());
        }
        false => grid::Config::new(goal, Vec::new()),
        true => {
            let plans = plans(place, goal)?;
            let phase = plans.first().map(|plan| plan.phase.clone()).unwrap_or_default();
            if let Some(other) = plans.iter().find(|plan| plan.phase != phase) {
                let (expected, got) =
                    (format!("plans of one phase, {phase}"), other.phase.as_str());
                let at = other.path.clone().unwrap_or_default() + ": phase";
                let error = Error::new(Code::InvalidValue, at, expected, got);
                return Err(in_its_file(place, &plans, error).into());
            }
            let config =
                grid::Config::new(format!("Phase {phase}, as planned in {goal}"), plans.clone());
            grid::start(&config).map_err(|error| in_its_file(place, &plans, error))?;
            config
        }
    };
    config.max_parallel = settings.parallel.unwrap_or(config.max_parallel);
    config.automatic = settings.automatic;
    config.trusted = settings.trust;
    config.refine = settings.refine.then_some(grid::state::Scope::All);
    config.model_tier = settings.models.map(|models| match models {
        Models::Quality => ModelTier::Quality,
        Models::Balanced => ModelTier::Balanced,
        Models::Budget => ModelTier::Budget,
    });
    Ok(config)
}

/// A fault of plans taken together, with its line in the document of the plan it speaks of.
fn in_its_file(place: &Place, plans: &[grid::plan::Plan], error: Error) -> Error {
    let mut paths = plans.iter().filter_map(|plan| plan.path.as_deref());
    let of = |path: &&str| error.at.strip_prefix(*path).is_some_and(|rest| rest.starts_with(": "));
    let Some(path) = paths.find(of) else { return error };
    let text = read(&place.root, path).unwrap_or_default();
    let at = error.at[path.len() + 2..].to_owned();
    pointed(Error { at, ..error }, path, &text)
}

/// One word with a slash in it, or the name of a document: nobody words a goal like that.
fn looks_like_a_path(goal: &str) -> bool {
    let goal = goal.trim();
    let word = !goal.contains(char::is_whitespace);
    word && (goal.contains('/') || goal.ends_with(".md"))
}

/// Every `*-PLAN.md` of a directory, in the order of their names.
fn plans(place: &Place, directory: &str) -> Result<Vec<grid::plan::Plan>, Fault> {
    let directory = directory.trim_end_matches('/');
    let full = place.root.join(directory);
    let fail = |error| HostError::io("read", &full, error);
    let mut names = Vec::new();
    for entry in fs::read_dir(&full).map_err(fail)? {
        names.push(entry.map_err(fail)?.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    passed_over(place, directory, &names);
    names.retain(|name| name.ends_with("-PLAN.md"));
    let mut plans = Vec::new();
    for name in names {
        let path = format!("{directory}/{name}");
        let text = read(&place.root, &path)?;
        let read = grid::plan::parse(&name, &text).map_err(|error| pointed(error, &path, &text))?;
        tell(place, &path, read.faults.iter().chain(&read.notes).map(ToString::to_string));
        plans.push(grid::plan::Plan { path: Some(path), ..read.plan });
    }
    match plans.is_empty() {
        false => Ok(plans),
        true => Err(Fault::usage(directory, "a directory with *-PLAN.md files", "none in it")),
    }
}

/// What looks like a plan and is not read is told: Markdown with the word "plan" in its name that does not end with
/// `-PLAN.md`, and plans in folders below.
fn passed_over(place: &Place, directory: &str, names: &[String]) {
    let full = place.root.join(directory);
    let mut told = Vec::new();
    for name in names {
        let at = full.join(name);
        if at.is_dir() {
            let inner = fs::read_dir(&at).into_iter().flatten().flatten();
            let below =
                inner.filter(|one| speaks_of_plan(&one.file_name().to_string_lossy())).count();
            if below > 0 {
                told.push(format!(
                    "{name}/ has {below} plans that are not read: a folder is one phase"
                ));
            }
        } else if speaks_of_plan(name) && !name.ends_with("-PLAN.md") {
            told.push(format!(
                "{name} is not read: the name of a plan ends with -PLAN.md, in these letters"
            ));
        }
    }
    tell(place, directory, told.into_iter());
}

/// Whether a name is one of Markdown that has the word "plan", in whatever letters.
fn speaks_of_plan(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    let stem = lower.strip_suffix(".md").or_else(|| lower.strip_suffix(".markdown"));
    let mut words =
        stem.into_iter().flat_map(|stem| stem.split(|c: char| !c.is_ascii_alphanumeric()));
    words.any(|word| word == "plan") || stem.is_some_and(|stem| stem.ends_with("plan"))
}
