//! Whether one file refers to another: by an import, an include, a path, or the name of its module as code.
//!
//! A link without a pattern holds only over such a reference. That both files are there, or that a comment
//! speaks of the other, shows nothing; what cannot be told is left to the recognizer.

use super::source::{Kind, Source, extension, read};
use crate::vocab::evidence::normal;

/// Files that stand for their folder.
const FOLDER: [&str; 10] =
    ["index", "mod", "__init__", "__main__", "main", "lib", "route", "page", "+page", "+server"];
/// Ends of names that stand for each other where scripts import scripts.
const SCRIPTS: [&str; 8] = ["js", "jsx", "ts", "tsx", "mjs", "cjs", "mts", "cts"];
/// Headers, and what they declare.
const HEADERS: [&str; 3] = ["h", "hpp", "hh"];
const DECLARED: [&str; 5] = ["c", "cc", "cpp", "cxx", "m"];

/// Whether the text of the file `from` refers to the file `to`.
pub(super) fn refers(from: &str, text: &str, to: &str) -> bool {
    let (from, to) = (normal(from), normal(to));
    if from == to || to.is_empty() {
        return false;
    }
    let target = Target::of(&from, &to);
    let kind = Kind::of_text(&from, text);
    let source = read(kind, text);
    match kind {
        // Where quotes cannot be told every word may be a path.
        Kind::Markup | Kind::Sheet | Kind::Plain => {
            source.code.split(apart).any(|word| target.named_by(word))
        }
        Kind::Hash | Kind::Sql | Kind::Lua | Kind::Haskell => {
            let words = source
                .code
                .split(apart)
                .chain(source.quoted.iter().flat_map(|one| one.split(apart)));
            words.into_iter().any(|word| target.named_by(word)) || target.required(&from, &source)
        }
        Kind::Script | Kind::Rust | Kind::Curly | Kind::Php | Kind::Python => {
            source.quoted.iter().any(|words| target.named_by(words))
                || target.is_module(&from, &source)
        }
    }
}

/// What ends a path in running text.
fn apart(letter: char) -> bool {
    !(letter.is_alphanumeric() || matches!(letter, '_' | '.' | '/' | '@' | '~' | '+' | '-'))
}

/// The file that is looked for, as those who refer to it may spell it.
struct Target<'a> {
    /// The folder of the file that refers.
    here: Vec<&'a str>,
    /// The parts of its path.
    parts: Vec<&'a str>,
    /// The same without the end of its name; without its name where it stands for its folder.
    stems: Vec<Vec<&'a str>>,
    end: &'a str,
}

impl<'a> Target<'a> {
    fn of(from: &'a str, to: &'a str) -> Target<'a> {
        let folder = from.rsplit_once('/').map_or("", |(folder, _)| folder);
        let parts: Vec<&str> = split(to);
        let end = extension(to);
        let name = parts.last().copied().unwrap_or_default();
        let stem = name.strip_suffix(end).and_then(|name| name.strip_suffix('.')).unwrap_or(name);
        let folders = parts.iter().take(parts.len().saturating_sub(1)).copied();
        let mut stems = vec![folders.clone().chain([stem]).collect::<Vec<&str>>()];
        if FOLDER.contains(&stem) && parts.len() > 1 {
            stems.push(folders.collect());
        }
        Target { here: split(folder), parts, stems, end }
    }

    /// The name of its module: that of its folder where it stands for that.
    fn module(&self) -> &'a str {
        self.stems.last().and_then(|parts| parts.last()).copied().unwrap_or_default()
    }

    /// Whether a path, as written in the file that refers, leads to it.
    fn named_by(&self, written: &str) -> bool {
        let path = written.trim().split(['?', '#']).next().unwrap_or_default();
        let path = path.trim_end_matches(['.', ',', ':', ';']);
        if path.is_empty() || path.contains(char::is_whitespace) || path.contains("://") {
            return false;
        }
        let parts = split(path);
        if path.starts_with('.') {
            return resolved(&self.here, &parts).is_some_and(|parts| self.is(&parts));
        }
        // A variable may stand in front: what comes behind the last step upwards counts.
        let parts: Vec<&str> = path.rsplit("..").next().map(split).unwrap_or_default();
        let alias = parts.first().is_some_and(|part| part.starts_with(['@', '~', '#', '$']));
        let beyond: Vec<&str> = parts.iter().skip(usize::from(alias)).copied().collect();
        let named = parts.last().is_some_and(|name| name.contains('.'));
        // A word alone is no path; a name with its end is, unless every folder has one of that name.
        let enough = alias || beyond.len() > 1 || (named && self.stems.len() == 1);
        let beside = resolved(&self.here, &parts);
        enough && (self.ends_with(&beyond) || beside.is_some_and(|parts| self.is(&parts)))
    }

    /// Whether these are the parts of its path, in one of its spellings.
    fn is(&self, parts: &[&str]) -> bool {
        self.parts == parts || self.stems.iter().any(|stem| stem == &self.bare(parts))
    }

    /// Whether its path, in one of its spellings, ends with these parts.
    fn ends_with(&self, parts: &[&str]) -> bool {
        let bare = self.bare(parts);
        !parts.is_empty()
            && (self.parts.ends_with(parts) || self.stems.iter().any(|stem| stem.ends_with(&bare)))
    }

    /// Parts without the end of the last one, where that may stand for the end of this file.
    fn bare<'b>(&self, parts: &[&'b str]) -> Vec<&'b str> {
        let mut parts = parts.to_vec();
        if let Some(last) = parts.last_mut()
            && let Some((stem, end)) = last.rsplit_once('.')
        {
            let scripts = SCRIPTS.contains(&end) && SCRIPTS.contains(&self.end);
            let header = HEADERS.contains(&end) && DECLARED.contains(&self.end);
            if scripts || header {
                *last = stem;
            }
        }
        parts
    }

    /// Whether code names its module, by the rules of the language.
    fn is_module(&self, from: &str, source: &Source) -> bool {
        match extension(from) {
            "rs" => self.end == "rs" && rust(&source.code, self.module()),
            "py" | "pyi" => source.code.lines().any(|line| self.imported(line, &source.code)),
            "go" => self.end == "go" && source.quoted.iter().any(|path| self.is_package(path)),
            "java" | "kt" | "kts" | "scala" | "cs" | "swift" | "php" | "dart" => {
                let name = self.module();
                let class = name.starts_with(char::is_uppercase);
                class && words(&source.code).any(|word| word == name)
            }
            "c" | "h" | "cc" | "cpp" | "cxx" | "hpp" | "hh" | "m" => {
                source.code.lines().any(|line| self.included(line))
            }
            _ => false,
        }
    }

    /// A package is the folder of its files; who is in it needs no import.
    fn is_package(&self, path: &str) -> bool {
        let folder: Vec<&str> =
            self.parts.iter().take(self.parts.len().saturating_sub(1)).copied().collect();
        !folder.is_empty() && folder != self.here && split(path).ends_with(&folder)
    }

    /// `#include <queue.h>`; the one in quotes is a path.
    fn included(&self, line: &str) -> bool {
        let line = line.trim().strip_prefix('#').map(str::trim_start).unwrap_or_default();
        let path = line.strip_prefix("include").map(str::trim).unwrap_or_default();
        let path = path.strip_prefix('<').and_then(|path| path.split('>').next());
        path.is_some_and(|path| self.ends_with(&split(path)))
    }

    /// `import a.queue`, `from a.queue import Queue`, `from a import queue`, `from . import queue`.
    fn imported(&self, line: &str, code: &str) -> bool {
        let mut words = line.split_whitespace();
        match (words.next(), words.next()) {
            (Some("import"), Some(_)) => {
                let named = line.trim().trim_start_matches("import").split(',');
                named
                    .filter_map(|one| one.split_whitespace().next())
                    .any(|path| self.is_dotted(path, ""))
            }
            (Some("from"), Some(path)) if self.is_dotted(path, "") => true,
            (Some("from"), Some(path)) => {
                let (_, names) = line.split_once("import").unwrap_or_default();
                // Names in brackets go on over lines.
                let open = names.trim_start().starts_with('(');
                let all = open.then(|| code.split_once(line)).flatten().map(|(_, behind)| behind);
                let more = all.and_then(|behind| behind.split(')').next()).unwrap_or_default();
                let names =
                    names.split(apart).chain(more.split(apart).filter(|_| !names.contains(')')));
                names.into_iter().any(|name| !name.is_empty() && self.is_dotted(path, name))
            }
            _ => false,
        }
    }

    /// Whether a dotted path, with a name behind it, leads to it. Leading dots count folders upwards.
    fn is_dotted(&self, path: &str, name: &str) -> bool {
        let dots = path.chars().take_while(|letter| *letter == '.').count();
        let parts: Vec<&str> =
            path.split('.').chain([name]).filter(|part| !part.is_empty()).collect();
        if parts.is_empty() {
            return false;
        }
        if dots == 0 {
            return self.stems.iter().any(|stem| stem.ends_with(&parts));
        }
        let Some(up) = self.here.len().checked_sub(dots - 1) else { return false };
        let whole: Vec<&str> = self.here.iter().take(up).copied().chain(parts).collect();
        self.stems.contains(&whole)
    }

    /// `require_relative 'queue'` and `require 'app/queue'` need no end of the name.
    fn required(&self, from: &str, source: &Source) -> bool {
        let relative =
            |path: &String| resolved(&self.here, &split(path)).is_some_and(|parts| self.is(&parts));
        let ruby = extension(from) == "rb" && source.code.contains("require");
        ruby && source.quoted.iter().any(relative)
    }
}

/// The module of this name in Rust: declared, or a part of a path; in a `use` also in its brackets.
fn rust(code: &str, name: &str) -> bool {
    let mut used = false;
    let mut before = "";
    let mut rest = code;
    while let Some((word, tail)) = next_word(rest) {
        let gap = rest.split(word).next().unwrap_or_default();
        used = (used && !gap.contains(';')) || word == "use";
        let path = gap.trim_end().ends_with("::") || tail.trim_start().starts_with("::");
        if word == name && (before == "mod" || path || used) {
            return true;
        }
        (before, rest) = (word, tail);
    }
    false
}

/// The first word of a text and what comes behind it.
fn next_word(text: &str) -> Option<(&str, &str)> {
    let begin = text.find(|letter: char| letter.is_alphanumeric() || letter == '_')?;
    let text = text.get(begin..)?;
    let end = text.find(|letter: char| !(letter.is_alphanumeric() || letter == '_'));
    text.split_at_checked(end.unwrap_or(text.len()))
}

fn words(code: &str) -> impl Iterator<Item = &str> {
    code.split(|letter: char| !(letter.is_alphanumeric() || letter == '_'))
}

fn split(path: &str) -> Vec<&str> {
    path.split('/').filter(|part| !part.is_empty()).collect()
}

/// A path from a folder on; `None` above the root.
fn resolved<'a>(here: &[&'a str], parts: &[&'a str]) -> Option<Vec<&'a str>> {
    let mut whole = here.to_vec();
    for part in parts {
        match *part {
            "." => {}
            ".." => drop(whole.pop()?),
            part => whole.push(part),
        }
    }
    Some(whole)
}

#[cfg(test)]
mod tests {
    use super::refers;

    fn check(from: &str, to: &str, yes: &[&str], no: &[&str]) {
        for text in yes {
            assert!(refers(from, text, to), "{from} refers to {to}: {text}");
        }
        for text in no {
            assert!(!refers(from, text, to), "{from} does not refer to {to}: {text}");
        }
    }

    #[test]
    fn scripts_import_by_path() {
        let yes = [
            "import { take } from './queue';",
            "import { take } from \"./queue.js\"",
            "const queue = require('../lib/queue')",
            "import('@/lib/queue')",
            "new Worker('src/lib/queue.ts')",
        ];
        let no = [
            "// import { take } from './queue';\n",
            "/* './queue' */ const queue = 1",
            "const queue = [] // the queue",
            "import queue from 'queue'",
            "import { queue } from './other/queue'",
            "const words = 'see ./queue for more'",
        ];
        check("src/lib/app.ts", "src/lib/queue.ts", &yes, &no);
        check(
            "src/a.tsx",
            "src/queue/index.ts",
            &["import q from './queue'"],
            &["import q from './index'"],
        );
        check(
            "web/chat.tsx",
            "src/app/api/chat/route.ts",
            &["fetch('/api/chat')"],
            &["fetch('/chat')", "// '/api/chat'"],
        );
    }

    #[test]
    fn rust_names_modules() {
        let yes = [
            "mod queue;",
            "use crate::queue::Queue;",
            "use super::{log, queue};",
            "queue::take()",
            "include!(\"queue.rs\")",
        ];
        let no = [
            "// mod queue;\n",
            "let queue = 1;",
            "let text = \"queue::take\";",
            "fn queue<'a>(x: &'a str) {}",
            "use a::b; let queue = 1;",
        ];
        check("src/main.rs", "src/queue.rs", &yes, &no);
        check("src/main.rs", "src/queue/mod.rs", &["pub mod queue;"], &["mod mods;"]);
    }

    #[test]
    fn python_imports_modules() {
        let yes = [
            "import app.queue",
            "import os, app.queue as q",
            "from app.queue import Queue",
            "from app import log, queue",
            "from . import queue",
            "from .queue import (\n  Queue,\n)",
            "from . import (\n  log,\n  queue,\n)\n",
        ];
        let no = [
            "# import app.queue",
            "queue = []",
            "\"\"\"\nimport app.queue\n\"\"\"",
            "from .. import queue",
            "from app import queued",
            "print('import app.queue')",
        ];
        check("app/main.py", "app/queue.py", &yes, &no);
        check(
            "main.py",
            "app/queue/__init__.py",
            &["import app.queue", "from app import queue"],
            &["import app"],
        );
    }

    #[test]
    fn other_languages_have_their_own_ways() {
        check(
            "cmd/main.go",
            "internal/queue/take.go",
            &["import \"example.org/m/internal/queue\""],
            &["// \"example.org/m/internal/queue\"", "queue := 1"],
        );
        check(
            "src/main.c",
            "include/queue.h",
            &["#include \"queue.h\"", "#include <queue.h>"],
            &["// #include \"queue.h\"", "int queue;"],
        );
        check("src/main.c", "src/queue.c", &["#include \"queue.h\""], &["/* \"queue.h\" */"]);
        check(
            "a/Main.java",
            "a/Queue.java",
            &["import a.Queue;", "new Queue()"],
            &["// Queue", "String s = \"Queue\";"],
        );
        check(
            "lib/app.rb",
            "lib/queue.rb",
            &["require_relative 'queue'"],
            &["# require_relative 'queue'", "queue = 'x'"],
        );
        check(
            "bin/run.sh",
            "lib/queue.sh",
            &["source lib/queue.sh", ". \"$HERE/../lib/queue.sh\""],
            &["# lib/queue.sh", "queue"],
        );
        check(
            "index.html",
            "js/app.js",
            &["<script src=\"js/app.js\"></script>"],
            &["<!-- js/app.js --> app"],
        );
        check("style/a.css", "style/b.css", &["@import url(b.css);"], &["/* b.css */"]);
        check(
            "README.md",
            "doc/bell.md",
            &["[the bell](doc/bell.md)", "See `doc/bell.md`."],
            &["the bell", "<!-- doc/bell.md -->"],
        );
        check(
            "db/all.sql",
            "db/bell.sql",
            &["\\i db/bell.sql", "source 'db/bell.sql'"],
            &["-- db/bell.sql", "/* db/bell.sql */"],
        );
        check("compose.yaml", "conf/app.toml", &["file: ./conf/app.toml"], &["file: app"]);
        check("a.ts", "a.ts", &[], &["import './a'"]);
    }
}
