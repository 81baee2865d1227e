//! The viewer: a page in which the engine itself runs, served to the browser of this machine or written into one file.
//!
//! What is shown is found in this order: a directory with a mission (or its state directory) is served live; a file lies in
//! the page as it is, and the page finds out what it is. [`page`] finds the page and puts files into it; [`content`] tells
//! whether they can be shown, [`out`] where the page may be written; [`server`] serves it and a growing journal; [`http`]
//! reads a request and writes an answer.

mod beside;
mod content;
mod http;
mod out;
mod page;
mod server;

use super::exit::{Exit, Fault};
use super::{Place, inspect};
use endstate::native::HostError;
use endstate::native::store::Places;
use page::Page;
use serde_json::json;
use std::fs;
use std::path::{Path, PathBuf};

#[derive(Debug, clap::Args)]
pub(crate) struct View {
    /// A repository with a mission, a state directory, a journal, a snapshot, or a plan document. By default
    /// the mission here.
    path: Option<PathBuf>,
    /// Print the mission as nodes and edges for any front end, as JSON, and serve nothing.
    #[arg(long, conflicts_with_all = ["path", "html"])]
    print: bool,
    /// Write one file with the page, the engine and the journal in it, which opens from disk, offline. It is a
    /// new file, or takes the place of one that was written in this way.
    #[arg(long, value_name = "OUT")]
    html: Option<PathBuf>,
    /// Say the address and open no browser.
    #[arg(long)]
    no_open: bool,
    /// The page of the viewer, where it is not found by itself.
    #[arg(long, value_name = "FILE")]
    page: Option<PathBuf>,
}

/// What is shown.
enum Shown {
    /// A journal that may grow; with the repository, if commands can be given.
    Live { journal: PathBuf, repository: Option<PathBuf> },
    /// Files as they are, by name.
    Files(Vec<(String, Vec<u8>)>),
}

/// Serves the viewer, or writes it.
pub(crate) fn view(place: &Place, view: &View) -> Result<Exit, Fault> {
    if view.print {
        return inspect::view(place);
    }
    let path = view.path.clone().unwrap_or_else(|| PathBuf::from("."));
    let shown = find(place, &path)?;
    let page = Page::find(view.page.as_deref())?;
    match &view.html {
        Some(out) => write(place, out, &page, (&path, shown)),
        None => serve(place, page, shown, view.no_open),
    }
}

fn find(place: &Place, path: &Path) -> Result<Shown, Fault> {
    let full = place.root.join(path);
    let kind = fs::metadata(&full).map_err(|error| HostError::io("read", &full, error))?;
    if kind.is_file() {
        let is_journal = full.extension().is_some_and(|end| end == "jsonl");
        return match is_journal {
            true => Ok(Shown::Live { journal: full, repository: None }),
            false => page::documents(&place.root, &full).map(Shown::Files),
        };
    }
    let places = Places::of(&full);
    places.check()?;
    if places.journal().exists() {
        return Ok(Shown::Live { journal: places.journal(), repository: Some(full) });
    }
    match full.join("journal.jsonl") {
        journal if journal.exists() => Ok(Shown::Live { journal, repository: None }),
        _ if page::has_plans(&full) => page::cluster(&full).map(Shown::Files),
        _ => Err(places.absent().into()),
    }
}

fn write(
    place: &Place,
    out: &Path,
    page: &Page,
    (path, shown): (&Path, Shown),
) -> Result<Exit, Fault> {
    let (source, files) = match shown {
        Shown::Files(files) => (place.root.join(path), files),
        Shown::Live { journal, .. } => {
            // Before the journal is read: a mission that runs writes the journal first.
            let newest = beside::newest(&journal);
            let bytes =
                fs::read(&journal).map_err(|error| HostError::io("read", &journal, error))?;
            let told = beside::told(newest, &bytes);
            let files = [Some(("journal.jsonl".to_owned(), bytes)), told];
            (journal, files.into_iter().flatten().collect())
        }
    };
    content::check(&source, &files)?;
    let out = place.root.join(out);
    let bytes = page.with_files(&files);
    out::write(&out, &source, &bytes)?;
    place.out.say(format!("{}: {} bytes", out.display(), bytes.len()));
    place.out.object(&json!({"result": "written", "path": out, "bytes": bytes.len()}));
    Ok(Exit::Done)
}

fn serve(place: &Place, page: Page, shown: Shown, no_open: bool) -> Result<Exit, Fault> {
    let server = server::Server::bind(place, page, shown)?;
    let url = server.url();
    place.out.say(format!("the viewer is at {url}"));
    place.out.say("Ctrl-C ends it");
    place.out.object(&json!({"result": "serving", "url": url}));
    if !no_open && !open_browser(&url) {
        place.out.say("no browser could be opened: open the address yourself");
    }
    server.serve()
}

/// Asks the desktop to open an address of ours. It is one argument of a program, never a line for a shell.
fn open_browser(url: &str) -> bool {
    let program = match std::env::consts::OS {
        "macos" => "open",
        _ => "xdg-open",
    };
    let quiet = std::process::Stdio::null;
    let mut command = std::process::Command::new(program);
    command.arg(url).stdin(quiet()).stdout(quiet()).stderr(quiet());
    command.status().is_ok_and(|status| status.success())
}
