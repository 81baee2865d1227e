//! An iteration mission from an agent definition.

use super::{Settings, read};
use crate::cli::Place;
use crate::cli::exit::Fault;
use endstate::native::HostError;
use endstate::protocols::iteration;
use std::collections::BTreeMap;
use std::fs;

/// An agent definition, with the templates of its caller.
pub(super) fn config(
    place: &Place,
    path: &str,
    settings: &Settings,
) -> Result<iteration::Config, Fault> {
    let text = read(&place.root, path)?;
    let registered: Vec<String> = settings.handlers.iter().map(|(name, _)| name.clone()).collect();
    let definition = iteration::definition::parse_with(&text, &registered)
        .map_err(|error| error.within(path))?;
    let name = definition.display_name.clone().unwrap_or_else(|| definition.name.clone());
    let mut config = iteration::Config::new(name, definition);
    config.registered = registered;
    config.follow_head = true;
    config.args = settings.args.iter().cloned().collect();
    if let Some(directory) = &settings.templates {
        config.templates = templates(place, directory)?;
    }
    Ok(config)
}

/// Every `NAME.md` of a directory of the repository.
fn templates(place: &Place, directory: &str) -> Result<BTreeMap<String, String>, Fault> {
    let full = place.root.join(directory);
    let fail = |error| HostError::io("read", &full, error);
    let mut all = BTreeMap::new();
    for entry in fs::read_dir(&full).map_err(fail)? {
        let name = entry.map_err(fail)?.file_name().to_string_lossy().into_owned();
        if let Some(stem) = name.strip_suffix(".md") {
            all.insert(stem.to_owned(), read(&place.root, &format!("{directory}/{name}"))?);
        }
    }
    Ok(all)
}
