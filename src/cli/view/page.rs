//! The page of the viewer, which the npm package builds: where it is, and how files are put into it.
//!
//! The page is one file in windows-1252, where every byte is a letter; see `js/viewer/payload.ts`. It is never
//! looked for inside the repository that is shown, since whoever works there could have changed it.

use super::super::exit::Fault;
use endstate::native::HostError;
use endstate::protocols::promise::feature;
use endstate::vocab::json;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// Where files are put.
const PLACE: &[u8] = b"<!--journal-->";
/// How the document begins; where it is served, it is told so here.
const HTML: &[u8] = b"<html lang=\"en\"";
/// Where `node js/build.mjs` leaves the page, from the root of the sources.
const BUILT: &str = "target/npm/stage/viewer.html";
/// The largest plan document that is put into the page.
const MOST_BYTES: u64 = 64 * 1024 * 1024;

/// The page.
pub(super) struct Page(Vec<u8>);

impl Page {
    /// The page that is named, or that lies with this program.
    pub(super) fn find(named: Option<&Path>) -> Result<Page, Fault> {
        let candidates = match named {
            Some(path) => vec![path.to_owned()],
            None => candidates(),
        };
        for path in &candidates {
            match fs::read(path) {
                Ok(bytes) => return Page::of(path, bytes),
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                Err(error) => return Err(HostError::io("read", path, error).into()),
            }
        }
        #[cfg(feature = "viewer-page")]
        if named.is_none() {
            return Ok(Page(include_bytes!(env!("ENDSTATE_VIEWER_PAGE")).to_vec()));
        }
        let build = sources().map(|root| root.join("js/build.mjs")).filter(|file| file.is_file());
        let how = match build {
            Some(file) => format!("run `node '{}'`", file.display()),
            None => format!("run `node js/build.mjs` in the sources and name {BUILT} by --page"),
        };
        let at = named.map_or("viewer.html".to_owned(), |path| path.display().to_string());
        Err(Fault::usage(&at, &format!("the page of the viewer: {how}"), "none"))
    }

    fn of(path: &Path, bytes: Vec<u8>) -> Result<Page, Fault> {
        match find(&bytes, PLACE).is_some() && find(&bytes, HTML).is_some() {
            true => Ok(Page(bytes)),
            false => {
                let at = path.display().to_string();
                Err(Fault::usage(&at, "the page of the viewer", "another file"))
            }
        }
    }

    /// The page with these files in it.
    pub(super) fn with_files(&self, files: &[(String, Vec<u8>)]) -> Vec<u8> {
        let mut blocks = Vec::new();
        for (name, bytes) in files {
            let head = "<script type=\"application/octet-stream\" data-file=\"";
            blocks.extend_from_slice(head.as_bytes());
            blocks.extend_from_slice(attribute(name).as_bytes());
            blocks.extend_from_slice(b"\">");
            encode(bytes, &mut blocks);
            blocks.extend_from_slice(b"</script>\n");
        }
        self.replace(PLACE, &blocks)
    }

    /// The page that asks its server for a growing journal; told of the event of the newest snapshot.
    pub(super) fn live(&self, newest: Option<u64>) -> Vec<u8> {
        let snapshot = newest.map(|event| format!(" data-snapshot=\"{event}\""));
        let head = [HTML, b" data-live=\"\"", snapshot.unwrap_or_default().as_bytes()].concat();
        self.replace(HTML, &head)
    }

    fn replace(&self, from: &[u8], to: &[u8]) -> Vec<u8> {
        let Some(at) = find(&self.0, from) else { return self.0.clone() };
        [&self.0[..at], to, &self.0[at + from.len()..]].concat()
    }
}

fn candidates() -> Vec<PathBuf> {
    let mut all = Vec::new();
    all.extend(std::env::var_os("ENDSTATE_VIEWER").map(PathBuf::from));
    let program = std::env::current_exe().and_then(fs::canonicalize).unwrap_or_default();
    let Some(directory) = program.parent() else { return all };
    all.push(directory.join("viewer.html"));
    all.push(directory.join("../share/endstate/viewer.html"));
    all.extend(sources().map(|root| root.join(BUILT)));
    all
}

/// Where a program that cargo has built was built: it lies in target/<profile>.
fn sources() -> Option<PathBuf> {
    let program = std::env::current_exe().and_then(fs::canonicalize).ok()?;
    program.ancestors().find(|one| one.ends_with("target"))?.parent().map(Path::to_owned)
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len()).position(|window| window == wanted)
}

/// See `js/viewer/payload.ts`: every byte as it is, but for five.
fn encode(bytes: &[u8], out: &mut Vec<u8>) {
    for byte in bytes {
        match byte {
            0 | b'\n' | b'\r' | b'<' | b'=' => out.extend_from_slice(&[b'=', byte + 64]),
            other => out.push(*other),
        }
    }
}

/// A text as the value of an attribute, in ASCII.
fn attribute(text: &str) -> String {
    let letter = |letter: char| match letter {
        'a'..='z' | 'A'..='Z' | '0'..='9' | '.' | '-' | '_' | '/' => letter.to_string(),
        other => format!("&#{};", u32::from(other)),
    };
    text.chars().map(letter).collect()
}

/// A document by itself, and a feature file with the task documents it names.
pub(super) fn documents(root: &Path, path: &Path) -> Result<Vec<(String, Vec<u8>)>, Fault> {
    let bytes = read(path)?;
    let mut files = vec![(name(path), bytes.clone())];
    let yaml = path.extension().is_some_and(|end| end == "yaml" || end == "yml");
    if let Some(feature) =
        json::utf8(&bytes).ok().filter(|_| yaml).and_then(|text| feature::parse(text).ok())
    {
        for wanted in feature.tasks.iter().filter_map(|task| task.file_path.as_deref()) {
            let inside =
                Path::new(wanted).components().all(|part| matches!(part, Component::Normal(_)));
            let task = root.join(wanted);
            // A document that is not there is told in the page.
            if inside && task.is_file() {
                files.push((wanted.to_owned(), read(&task)?));
            }
        }
    }
    Ok(files)
}

/// How the plans of a cluster are called.
const CLUSTER: &str = "-PLAN.md";

fn plans(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let mut all: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    all.retain(|path| name(path).ends_with(CLUSTER) && path.is_file());
    all.sort();
    all
}

/// Whether plans of a cluster lie in a directory.
pub(super) fn has_plans(directory: &Path) -> bool {
    !plans(directory).is_empty()
}

/// The plans of a cluster, in the order of their names.
pub(super) fn cluster(directory: &Path) -> Result<Vec<(String, Vec<u8>)>, Fault> {
    plans(directory).iter().map(|path| Ok((name(path), read(path)?))).collect()
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn read(path: &Path) -> Result<Vec<u8>, Fault> {
    let fail = |error| HostError::io("read", path, error);
    let length = fs::metadata(path).map_err(fail)?.len();
    if length > MOST_BYTES {
        let expected = format!("at most {MOST_BYTES} bytes");
        return Err(Fault::usage(&path.display().to_string(), &expected, &length.to_string()));
    }
    Ok(fs::read(path).map_err(fail)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_lie_in_the_page_as_text_that_ends_nothing() {
        let page = Page(b"<!doctype html><html lang=\"en\"><!--journal--></html>".to_vec());
        let files = vec![("a\"><b>.jsonl".to_owned(), b"</script>\0\r=\xff".to_vec())];
        let text = String::from_utf8_lossy(&page.with_files(&files)).into_owned();
        assert!(
            text.contains("data-file=\"a&#34;&#62;&#60;b&#62;.jsonl\">=|/script>=@=M=}"),
            "{text}"
        );
        assert_eq!(text.matches("</script>").count(), 1);
        assert!(
            String::from_utf8_lossy(&page.live(None)).contains("<html lang=\"en\" data-live=\"\">")
        );
        let text = String::from_utf8_lossy(&page.live(Some(7))).into_owned();
        assert!(text.contains("<html lang=\"en\" data-live=\"\" data-snapshot=\"7\">"), "{text}");
    }
}
