//! A source text without its comments: the rest is code, and separately the texts in quotes.
//!
//! No parser: enough of each language to tell a comment from a text and a text from code. A part that is in
//! doubt is left out, so that nothing is found where nothing may be.

use std::collections::BTreeMap;

/// What begins and ends texts of several lines in Python.
const TRIPLE: [&str; 2] = ["\"\"\"", "'''"];

/// The longest regular expression of a script.
const MOST_PATTERN: usize = 2_000;

/// How a language writes comments and texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// `//`, `/* */`; `"`, `'`, and a backtick over several lines.
    Script,
    /// The same with lifetimes and raw texts.
    Rust,
    /// The same without backticks: C, Java, Swift and the like.
    Curly,
    /// As [`Kind::Curly`], with `#`; a comment also ends where the code does.
    Php,
    /// `--`, `/* */`; plain quotes.
    Sql,
    /// `--`, `--[[ ]]`; plain quotes.
    Lua,
    /// `--`, `{- -}`; `"` only, for `'` is a part of names.
    Haskell,
    /// `#`; triple quotes.
    Python,
    /// `#`; plain quotes.
    Hash,
    /// `<!-- -->`, and no quotes that can be relied on.
    Markup,
    /// `/* */` only.
    Sheet,
    /// Nothing is a comment.
    Plain,
}

impl Kind {
    /// The kind of a file, by the end of its name.
    pub(super) fn of(path: &str) -> Kind {
        match extension(path) {
            "js" | "jsx" | "ts" | "tsx" | "mjs" | "cjs" | "mts" | "cts" | "go" => Kind::Script,
            "rs" => Kind::Rust,
            "c" | "h" | "cc" | "cpp" | "cxx" | "hpp" | "hh" | "m" | "java" | "kt" | "kts"
            | "scala" | "cs" | "swift" | "dart" | "groovy" | "gradle" | "proto" | "zig" | "sol"
            | "glsl" | "jsonc" | "json5" => Kind::Curly,
            "php" => Kind::Php,
            "sql" => Kind::Sql,
            "lua" => Kind::Lua,
            "hs" | "elm" | "purs" | "ada" | "adb" | "ads" | "vhd" | "vhdl" => Kind::Haskell,
            "py" | "pyi" => Kind::Python,
            "rb" | "sh" | "bash" | "zsh" | "fish" | "pl" | "ex" | "exs" | "yaml" | "yml"
            | "toml" | "mk" | "ps1" | "r" | "jl" | "nim" | "tf" | "hcl" | "cfg" | "conf"
            | "ini" | "env" | "properties" | "cmake" | "graphql" | "gql" | "nix" => Kind::Hash,
            "html" | "htm" | "xml" | "svg" | "md" | "mdx" | "vue" | "svelte" | "astro" => {
                Kind::Markup
            }
            "css" | "scss" | "less" => Kind::Sheet,
            _ => Kind::of_name(path),
        }
    }

    /// Files that are known by their names.
    fn of_name(path: &str) -> Kind {
        let name = path.rsplit('/').next().unwrap_or_default();
        match name.split('.').next().unwrap_or_default() {
            "Makefile" | "makefile" | "GNUmakefile" | "Dockerfile" | "Containerfile"
            | "Gemfile" | "Rakefile" | "Justfile" | "justfile" | "Procfile" => Kind::Hash,
            _ => Kind::Plain,
        }
    }

    /// The kind of a file, by its name; where that does not say, by the program its first line names.
    pub(super) fn of_text(path: &str, text: &str) -> Kind {
        let program = text.lines().next().and_then(|line| line.strip_prefix("#!"));
        match (Kind::of(path), program) {
            (Kind::Plain, Some(one)) if one.contains("python") => Kind::Python,
            (Kind::Plain, Some(one)) if ["node", "deno", "bun"].iter().any(|p| one.contains(p)) => {
                Kind::Script
            }
            (Kind::Plain, Some(_)) => Kind::Hash,
            (kind, _) => kind,
        }
    }

    fn line_comment(self) -> Option<&'static str> {
        match self {
            Kind::Script | Kind::Rust | Kind::Curly | Kind::Php => Some("//"),
            Kind::Python | Kind::Hash => Some("#"),
            Kind::Sql | Kind::Lua | Kind::Haskell => Some("--"),
            Kind::Markup | Kind::Sheet | Kind::Plain => None,
        }
    }

    fn block_comment(self) -> Option<(&'static str, &'static str)> {
        match self {
            Kind::Script | Kind::Rust | Kind::Curly | Kind::Php | Kind::Sql | Kind::Sheet => {
                Some(("/*", "*/"))
            }
            Kind::Lua => Some(("--[[", "]]")),
            Kind::Haskell => Some(("{-", "-}")),
            Kind::Markup => Some(("<!--", "-->")),
            Kind::Python | Kind::Hash | Kind::Plain => None,
        }
    }

    fn is_quote(self, letter: char) -> bool {
        match self {
            Kind::Script => matches!(letter, '"' | '\'' | '`'),
            Kind::Rust | Kind::Haskell => letter == '"',
            Kind::Curly | Kind::Php | Kind::Sql | Kind::Lua | Kind::Python | Kind::Hash => {
                matches!(letter, '"' | '\'')
            }
            Kind::Markup | Kind::Sheet | Kind::Plain => false,
        }
    }
}

/// The end of a file's name, behind the last dot.
pub(super) fn extension(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or_default();
    name.rsplit_once('.').map_or("", |(_, end)| end)
}

/// A text, taken apart.
#[derive(Debug, Default)]
pub(super) struct Source {
    /// Code without comments; each text in it is an empty one.
    pub(super) code: String,
    /// What stood in quotes, in order.
    pub(super) quoted: Vec<String>,
    /// The text without its comments; a blank or the end of a line is in the place of each.
    pub(super) plain: String,
    /// Signs of which no text in quotes can begin before so many bytes are left: none would ever end.
    endless: BTreeMap<char, usize>,
}

/// Takes a text apart.
pub(super) fn read(kind: Kind, text: &str) -> Source {
    let mut source = Source::default();
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        if let Some(behind) = comment(kind, rest, &source.code) {
            let several = between(rest, behind).contains('\n');
            source.plain.push(if several { '\n' } else { ' ' });
            rest = behind;
        } else if let Some(behind) = quote(kind, rest, &mut source) {
            let words = between(rest, behind);
            source.plain.push_str(if is_docstring(kind, words, &source.plain) {
                " "
            } else {
                words
            });
            rest = behind;
        } else {
            source.code.push(letter);
            source.plain.push(letter);
            rest = after(rest, letter.len_utf8());
        }
    }
    source
}

/// The part of a text in front of its rest.
fn between<'a>(text: &'a str, rest: &str) -> &'a str {
    text.get(..text.len() - rest.len()).unwrap_or_default()
}

/// What begins a line of Python in three quotes only speaks of the code.
fn is_docstring(kind: Kind, words: &str, before: &str) -> bool {
    let alone = || before.rsplit('\n').next().is_some_and(|line| line.trim().is_empty());
    kind == Kind::Python && TRIPLE.iter().any(|sign| words.starts_with(sign)) && alone()
}

/// A text without its comments, texts in quotes included.
pub(super) fn without_comments(path: &str, text: &str) -> String {
    let kind = Kind::of_text(path, text);
    let plain = read(kind, text).plain;
    let end = extension(path);
    if !["html", "htm", "vue", "svelte", "astro", "css", "scss", "less"].contains(&end) {
        return plain;
    }
    // Scripts and sheets that stand in pages have comments of their own.
    let spoken = |line: &&str| !line.trim_start().starts_with("//");
    let lines: Vec<&str> = plain.split('\n').filter(spoken).collect();
    read(Kind::Sheet, &lines.join("\n")).plain
}

fn after(text: &str, bytes: usize) -> &str {
    text.get(bytes..).unwrap_or_default()
}

/// What comes behind the first `end` in `text`; nothing if there is none.
fn behind<'a>(text: &'a str, end: &str) -> &'a str {
    text.split_once(end).map_or("", |(_, rest)| rest)
}

/// What comes behind a comment, if one begins here.
fn comment<'a>(kind: Kind, rest: &'a str, before: &str) -> Option<&'a str> {
    // In a shell `$#` and the middle of a word are no comments.
    let alone = before.chars().next_back().is_none_or(char::is_whitespace);
    let hash = kind == Kind::Hash && !alone;
    if let Some((open, close)) = kind.block_comment()
        && let Some(inner) = rest.strip_prefix(open)
    {
        return Some(behind(inner, close));
    }
    let attribute = rest.starts_with("#[");
    let also = kind == Kind::Php && rest.starts_with('#') && !attribute;
    let begins = also || kind.line_comment().is_some_and(|sign| rest.starts_with(sign) && !hash);
    begins.then(|| {
        let line = rest.find('\n').unwrap_or(rest.len());
        let code = rest.find("?>").filter(|_| kind == Kind::Php).unwrap_or(line);
        after(rest, line.min(code))
    })
}

/// What comes behind a regular expression of a script, if one begins here: after a sign or a word behind which nothing
/// is divided, and up to its end on the same line.
fn pattern<'a>(kind: Kind, rest: &'a str, before: &str) -> Option<&'a str> {
    let inner = rest.strip_prefix('/').filter(|inner| !inner.starts_with(['/', '*']))?;
    let code = before.trim_end();
    let word = code.rsplit(|letter: char| !letter.is_alphanumeric()).next().unwrap_or_default();
    let sign = code.is_empty() || code.ends_with(BEFORE_PATTERN) || code.ends_with("=>");
    if kind != Kind::Script || !(sign || WORDS_BEFORE.contains(&word)) {
        return None;
    }
    let (mut escaped, mut class) = (false, false);
    for (at, letter) in inner.char_indices() {
        match letter {
            '\n' => return None,
            _ if at > MOST_PATTERN => return None,
            '/' if !escaped && !class => return Some(after(inner, at + 1)),
            '[' if !escaped => class = true,
            ']' if !escaped => class = false,
            _ => {}
        }
        escaped = !escaped && letter == '\\';
    }
    None
}

/// Signs behind which a slash divides nothing.
const BEFORE_PATTERN: [char; 14] =
    ['(', ',', '=', ':', '[', '!', '&', '|', '?', '{', ';', '+', '*', '%'];
/// Words of which the same is true.
const WORDS_BEFORE: [&str; 8] = ["return", "typeof", "case", "in", "of", "void", "throw", "yield"];

/// What comes behind a text in quotes, if one begins here; what it says is noted.
fn quote<'a>(kind: Kind, rest: &'a str, source: &mut Source) -> Option<&'a str> {
    if let Some(behind) = pattern(kind, rest, &source.code) {
        source.code.push_str("\"\"");
        return Some(behind);
    }
    if kind == Kind::Rust
        && let Some(behind) = rust_only(rest, &source.code)
    {
        source.code.push_str("\"\"");
        return Some(behind);
    }
    if kind == Kind::Python {
        // Several lines of words are no path.
        for sign in TRIPLE {
            if let Some(inner) = rest.strip_prefix(sign) {
                source.code.push_str("\"\"");
                return Some(behind(inner, sign));
            }
        }
    }
    let sign = rest.chars().next().filter(|letter| kind.is_quote(*letter))?;
    if source.endless.get(&sign).is_some_and(|left| rest.len() > *left) {
        return None;
    }
    let one_line = !(sign == '`' || kind == Kind::Rust);
    let inner = after(rest, sign.len_utf8());
    let (mut words, mut escaped) = (String::new(), false);
    for (at, letter) in inner.char_indices() {
        if one_line && letter == '\n' {
            // It never ends on its line: it was none. Nor does one that begins behind it on that line: of what
            // stands there each sign is escaped.
            source.endless.insert(sign, inner.len() - at);
            return None;
        }
        if !escaped && letter == sign {
            source.quoted.push(words);
            source.code.push_str("\"\"");
            return Some(after(inner, at + letter.len_utf8()));
        }
        escaped = !escaped && letter == '\\';
        words.push(letter);
    }
    source.endless.insert(sign, 0);
    None
}

/// Letters and raw texts of Rust; a lifetime is neither.
fn rust_only<'a>(rest: &'a str, before: &str) -> Option<&'a str> {
    if let Some(inner) = rest.strip_prefix('\'') {
        let mut letters = inner.char_indices();
        return match (letters.next()?, letters.next()) {
            ((_, '\\'), Some((at, escaped))) => {
                let tail = after(inner, at + escaped.len_utf8());
                tail.split_once('\'').map(|(_, behind)| behind)
            }
            (_, Some((at, '\''))) => Some(after(inner, at + 1)),
            _ => None,
        };
    }
    let word = before.chars().next_back().is_some_and(|letter| letter.is_alphanumeric());
    let inner = rest.strip_prefix('r').filter(|_| !word)?;
    let signs = inner.chars().take_while(|letter| *letter == '#').count();
    let words = after(inner, signs).strip_prefix('"')?;
    Some(behind(words, &format!("\"{}", "#".repeat(signs))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(kind: Kind, text: &str) -> (String, Vec<String>) {
        let source = read(kind, text);
        (source.code, source.quoted)
    }

    #[test]
    fn what_never_ends_is_looked_at_once() {
        let text = "\\`".repeat(300_000);
        assert_eq!(read(Kind::Script, &format!("`{text}")).code.len(), text.len() + 1);
        let text = "\\\"".repeat(300_000);
        assert_eq!(read(Kind::Curly, &format!("\"{text}\n\"a\"")).quoted, ["a"]);
        let text = "(/[".repeat(30_000);
        assert_eq!(read(Kind::Script, &text).code, text);
    }

    #[test]
    fn a_text_without_comments_keeps_what_stands_in_quotes() {
        for (path, text, plain) in [
            ("a.js", "a('//x') // b\nc/* d */e", "a('//x')  \nc e"),
            ("a.js", "/* a\nb */import './c'\nr=/[/*]/;", "\nimport './c'\nr=/[/*]/;"),
            ("a.rs", "/// a\nuse b; // c", " \nuse b;  "),
            ("a.py", "\"\"\"import a\"\"\"\nq = \"\"\"b\"\"\" # c", " \nq = \"\"\"b\"\"\"  "),
            ("a.yaml", "# a\nb: 'c#d' # e", " \nb: 'c#d'  "),
            ("a.tf", "# a\n b", " \n b"),
            ("a.gradle", "// a\napply from: 'b'", " \napply from: 'b'"),
            ("app/Dockerfile", "# COPY a\nCOPY b", " \nCOPY b"),
            ("bin/run", "#!/usr/bin/env node\n// a\nb()", "#!/usr/bin/env node\n \nb()"),
            ("bin/run", "#!/bin/sh\n# a\nb", " \n \nb"),
            ("a.vue", "<!-- a --><script>\n // b\nc /* d */\n", " <script>\nc  \n"),
            ("a.scss", "// a\nb { c: url('//d') }", "b { c: url('//d') }"),
            ("a.md", "see `src/**/*.ts`, <!-- a -->b", "see `src/**/*.ts`,  b"),
            ("a.txt", "// a", "// a"),
        ] {
            assert_eq!(without_comments(path, text), plain, "{path}: {text}");
        }
    }

    #[test]
    fn comments_and_texts_are_no_code() {
        let quoted = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        assert_eq!(
            code(Kind::Script, "a('//x', `b\nc`) // './d'\n/* './e' */f"),
            ("a(\"\", \"\") \nf".to_owned(), quoted(&["//x", "b\nc"]))
        );
        let text = "fn a<'b>(c: &'b str) { '\"'; '\\''; r#\"\"q\"\"#; \"d\" } // e";
        assert_eq!(
            code(Kind::Rust, text),
            ("fn a<'b>(c: &'b str) { \"\"; \"\"; \"\"; \"\" } ".to_owned(), quoted(&["d"]))
        );
        assert_eq!(
            code(Kind::Python, "'''import a\n'''\nimport b # c\n"),
            ("\"\"\nimport b \n".to_owned(), quoted(&[]))
        );
        assert_eq!(
            code(Kind::Hash, "echo $# 'x' # y\n"),
            ("echo $# \"\" \n".to_owned(), quoted(&["x"]))
        );
        assert_eq!(code(Kind::Markup, "don't <!-- a -->b").0, "don't b");
        // What looks like a comment in a regular expression is none; a division is no expression.
        for (text, rest) in [
            ("r=/[/*]/; a", "r=\"\"; a"),
            ("s.split(/\\/\\/\"/g)\nb", "s.split(\"\"g)\nb"),
            ("return /'/.test(c) // d", "return \"\".test(c) "),
            ("a / b / c // d", "a / b / c "),
            ("(a) / 'b' / c", "(a) / \"\" / c"),
            ("<p></p><a>/</a>", "<p></p><a>/</a>"),
            ("x = /never", "x = /never"),
        ] {
            assert_eq!(code(Kind::Script, text).0, rest, "{text}");
        }
        assert_eq!(
            code(Kind::Php, "<?php // x ?><p><?php f(); # y\n#[A]\n").0,
            "<?php ?><p><?php f(); \n#[A]\n"
        );
        assert_eq!(code(Kind::Sql, "select 1 -- two\n/* a */from '--b'").0, "select 1 \nfrom \"\"");
        assert_eq!(code(Kind::Lua, "--[[ a\nb ]]f() -- c\nlocal d").0, "f() \nlocal d");
        assert_eq!(code(Kind::Haskell, "{- a -}f' = g' -- b\n").0, "f' = g' \n");
        // A quote that never ends opens nothing.
        assert_eq!(code(Kind::Script, "/'/.test(a)\nimport 'b'").1, ["b"]);
        assert_eq!(code(Kind::Curly, "/* never ends").0, "");
    }
}
