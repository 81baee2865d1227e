//! Paths of files in running text, and what is done to them.

use super::wordlist::WordList;
use std::collections::BTreeSet;

/// Endings that make a word a file.
static ENDINGS: WordList = WordList::new(&[
    "bash",
    "c",
    "cc",
    "cfg",
    "cjs",
    "conf",
    "cpp",
    "cs",
    "css",
    "csv",
    "dart",
    "env",
    "ex",
    "exs",
    "go",
    "gradle",
    "graphql",
    "h",
    "hpp",
    "html",
    "ini",
    "java",
    "jl",
    "js",
    "json",
    "jsonl",
    "jsx",
    "kt",
    "lock",
    "log",
    "lua",
    "m",
    "md",
    "mjs",
    "mm",
    "php",
    "pl",
    "plist",
    "proto",
    "py",
    "rb",
    "rs",
    "rst",
    "scala",
    "scss",
    "sh",
    "sql",
    "svelte",
    "svg",
    "swift",
    "tf",
    "toml",
    "ts",
    "tsx",
    "txt",
    "vue",
    "xcconfig",
    "xctestplan",
    "xml",
    "yaml",
    "yml",
    "zig",
]);

/// Names that are files without an ending.
static NAMES: WordList = WordList::new(&[
    "Makefile",
    "Dockerfile",
    "Justfile",
    "Gemfile",
    "Rakefile",
    "Procfile",
    "CMakeLists.txt",
]);

/// Whether a letter may be part of a path.
fn is_part(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '/' | '.' | '_' | '-' | '+' | '@' | '~' | '$' | '{' | '}')
}

/// What a byte says of its letter: whole documents are searched for paths.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Byte {
    Part,
    Other,
    /// It is one of several.
    Wide,
}

static BYTES: [Byte; 256] = {
    let mut bytes = [Byte::Wide; 256];
    let mut byte = 0;
    while byte < 128 {
        let letter = byte as u8;
        let part = letter.is_ascii_alphanumeric()
            || matches!(
                letter,
                b'/' | b'.' | b'_' | b'-' | b'+' | b'@' | b'~' | b'$' | b'{' | b'}'
            );
        bytes[byte] = if part { Byte::Part } else { Byte::Other };
        byte += 1;
    }
    bytes
};

/// The next byte from `at` on whose letter is part of a path, or is not.
fn next(text: &str, at: usize, part: bool) -> usize {
    let over = if part { Byte::Other } else { Byte::Part };
    let mut at = at;
    loop {
        let rest = text.as_bytes().get(at..).unwrap_or_default();
        let Some(step) = rest.iter().position(|byte| BYTES[usize::from(*byte)] != over) else {
            return text.len();
        };
        at += step;
        // A letter beyond ASCII is looked at as such.
        let letter = text.get(at..).and_then(|rest| rest.chars().next()).unwrap_or_default();
        if letter.is_ascii() || is_part(letter) == part {
            return at;
        }
        at += letter.len_utf8();
    }
}

/// The paths of a text with their bytes, in order; a path counts each time it is named.
pub fn paths(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        while at < text.len() {
            let start = next(text, at, true);
            at = next(text, start, false);
            let word = path_at(text, start, at);
            if word.is_some() {
                return word;
            }
        }
        None
    })
}

/// Those of them with an ending. Only what has a dot is looked at: whole documents are searched for these.
pub fn with_endings(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        while let Some(dot) = text[at..].find('.').map(|step| at + step) {
            let before = text[at..dot].chars().rev().take_while(|letter| is_part(*letter));
            let start = dot - before.map(char::len_utf8).sum::<usize>();
            at = next(text, dot, false);
            let word = path_at(text, start, at).filter(|(_, word)| word.contains('.'));
            if word.is_some() {
                return word;
            }
        }
        None
    })
}

/// The path among some letters that may be part of one.
fn path_at(text: &str, start: usize, end: usize) -> Option<(usize, &str)> {
    let marks = text[start..end].bytes().rev();
    let marks = marks.take_while(|mark| matches!(mark, b'.' | b'-' | b'/')).count();
    let word = &text[start..end - marks];
    (is_path(word) && !is_address(&text[..start], word)).then_some((start, word))
}

/// The part of `https://host/file` behind the colon.
fn is_address(before: &str, word: &str) -> bool {
    before.ends_with("://") || before.ends_with(':') && word.starts_with("//")
}

fn is_path(word: &str) -> bool {
    // Most words are none, and need no closer look.
    let named = word.as_bytes().last() == Some(&b'e') && word.ends_with("file");
    if !named && !word.as_bytes().contains(&b'.') {
        return false;
    }
    let name = word.rsplit('/').next().unwrap_or_default();
    if NAMES.has(name) {
        return true;
    }
    let Some((stem, ending)) = name.rsplit_once('.') else { return false };
    let letters =
        stem.chars().any(char::is_alphabetic) || name.starts_with('.') && word.contains('/');
    letters
        && ENDINGS.has(ending)
        && !(word.starts_with('.') && !word.contains('/') && stem.is_empty())
}

/// A path that cannot lie below the project.
pub fn is_outside(path: &str) -> bool {
    path.starts_with(['/', '~', '$']) || path.split('/').any(|step| step == "..")
}

/// The folder of a path; empty for the root.
pub fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// "Add x to", "add x in": the file is there already.
fn added(before: &str) -> bool {
    let bare = before.trim_end_matches(['`', ' ']);
    let adds = ["add ", "introduce "].iter().any(|verb| before.contains(verb));
    bare.ends_with(" to") || adds && (bare.ends_with(" in") || bare.ends_with(" into"))
}

/// What a text does with files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Touched {
    /// Files it makes.
    pub created: BTreeSet<String>,
    /// Files it changes.
    pub modified: BTreeSet<String>,
    /// Files it only speaks of.
    pub read: BTreeSet<String>,
}

const MAKE: &[&str] =
    &["create", "write", "add", "scaffold", "generate", "new", "introduce", "author", "define"];
const CHANGE: &[&str] = &[
    "modify",
    "edit",
    "update",
    "extend",
    "change",
    "fix",
    "refactor",
    "rename",
    "move",
    "remove",
    "delete",
    "replace",
    "wire",
    "in",
    "patch",
    "rewrite",
    "document",
    "extract",
    "implement",
    "correct",
    "bump",
    "migrate",
    "append",
    "insert",
    "adjust",
    "convert",
];
const LOOK: &[&str] = &[
    "read", "see", "from", "per", "mirror", "follow", "using", "check", "verify", "use", "run",
    "confirm", "open",
];

impl Touched {
    /// Adds the files of one task, by the nearest verb before each.
    pub fn task(&mut self, text: &str) {
        for (at, path) in paths(text) {
            let before = text[..at].to_lowercase();
            let words =
                before.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
            // "In `a.rs`: …" changes it; "Create the types in `a.rs`" makes it.
            let many = words.clone().count();
            let verb = words
                .rev()
                .zip((0..many).rev())
                .filter(|(word, at)| *word != "in" || *at == 0)
                .map(|(word, _)| word)
                .find_map(|word| {
                    let bare = word.strip_suffix('s').unwrap_or(word);
                    let is = |list: &[&str]| list.contains(&word) || list.contains(&bare);
                    if is(LOOK) {
                        Some(0)
                    } else if is(MAKE) {
                        Some(1)
                    } else if is(CHANGE) {
                        Some(2)
                    } else {
                        None
                    }
                });
            let to = match verb {
                // "Add x to a.rs" changes it; "add a.rs" makes it.
                Some(1) if added(&before) => &mut self.modified,
                Some(1) => &mut self.created,
                Some(2) | None => &mut self.modified,
                Some(_) => &mut self.read,
            };
            to.insert(path.to_owned());
        }
    }

    /// Adds the files of a condition: they are only looked at.
    pub fn condition(&mut self, text: &str) {
        self.read.extend(paths(text).map(|(_, path)| path.to_owned()));
    }

    /// A file counts once: made, else changed, else read.
    pub fn settle(&mut self) {
        let Touched { created, modified, read } = self;
        modified.retain(|path| !created.contains(path));
        read.retain(|path| !created.contains(path) && !modified.contains(path));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_are_paths() {
        let text = "Edit `src/a.rs`, Makefile and docs/x.md. See https://a.b/c.md, 1.2, e.g. v1.0.md, Foo.bar, .gitignore ../x/y.toml.";
        let found: Vec<_> = paths(text).map(|(_, path)| path).collect();
        assert_eq!(found, ["src/a.rs", "Makefile", "docs/x.md", "v1.0.md", "../x/y.toml"]);
        let odd = format!("{text} é.md …x.md a.mdé.md.. .md /é/b.rs, Makefile. ñ");
        let ends = paths(&odd).filter(|(_, path)| path.contains('.')).collect::<Vec<_>>();
        assert_eq!(with_endings(&odd).collect::<Vec<_>>(), ends);
        assert!(
            is_outside("../x") && is_outside("/x") && is_outside("~/x") && !is_outside("a/b.c")
        );
        assert_eq!((folder("a/b/c.rs"), folder("c.rs")), ("a/b", ""));
    }

    #[test]
    fn files_are_made_changed_or_read() {
        let mut touched = Touched::default();
        touched.task("Create `src/new.rs` that follows `src/old.rs`; add a line to `Makefile`");
        touched.task("In `src/mod.rs`: declare it");
        touched.condition("`src/new.rs` and `README.md` exist");
        touched.settle();
        let list = |set: &BTreeSet<String>| set.iter().cloned().collect::<Vec<_>>().join(" ");
        assert_eq!(list(&touched.created), "src/new.rs");
        assert_eq!(list(&touched.modified), "Makefile src/mod.rs");
        assert_eq!(list(&touched.read), "README.md src/old.rs");
    }
}
