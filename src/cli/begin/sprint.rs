//! A sprint mission from a written plan.

use super::{Settings, read, tell, tell_as};
use crate::cli::Place;
use crate::cli::drive;
use crate::cli::exit::Fault;
use endstate::native::plans;
use endstate::protocols::sprint;
use std::path::Path;

/// A written plan, and what an earlier supervisor recorded beside it.
pub(super) fn config(
    place: &Place,
    path: &str,
    settings: &Settings,
) -> Result<sprint::Config, Fault> {
    let file = plans::plan(&place.root, Some(Path::new(path)))?;
    let (name, files) = plans::with_siblings(&file);
    let folder = path.strip_suffix(&name).unwrap_or_default();
    let files = files.into_iter().map(|(name, text)| (format!("{folder}{name}"), text)).collect();
    let project = drive::name_of(&place.root);
    let planned = sprint::plan::config(path, &files, &project)?;
    let sprint::plan::Planned { mut config, notes, .. } = planned;
    let notes = notes.iter().map(|one| (one.weight.as_str(), one.diagnostic().to_string()));
    tell_as(place, path, notes);
    config.trusted = settings.trust;
    config.max_turns = settings.max_turns.unwrap_or(config.max_turns);
    config.max_parallel = settings.parallel.unwrap_or(config.max_parallel);
    config.force_from_attempt = settings.force_from_attempt.unwrap_or(config.force_from_attempt);
    config.poll_interval_ms =
        settings.poll.map_or(config.poll_interval_ms, |s| s.saturating_mul(1_000));
    for build in &settings.builds {
        let argv = shlex::split(build).filter(|argv| !argv.is_empty());
        let argv =
            argv.ok_or_else(|| Fault::usage("--build", "a program with its arguments", build))?;
        config.build.push(sprint::config::CommandLine { argv, ..Default::default() });
    }
    let state = sprint::files::state_path(&config.root);
    if place.root.join(&state).is_file() {
        let recorded = sprint::files::read::state(&read(&place.root, &state)?);
        let told = recorded.adopt(&mut config);
        tell(place, &state, told.into_iter());
    }
    Ok(config)
}
