//! Whether a code span has the form of a command line though nobody knows its program, and whether the words around
//! it say that it is one.

use super::super::wordlist::WordList;
use super::grammar::{EXACTLY, FAILS, SUCCEEDS};
use super::marks::{Mark, is_words, marks};
use super::tools::is_tool;

/// What a code span looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// The name of a program or a path to one, with words behind it.
    Line,
    /// Plain words, of which the first may be the name of a program: "login flow", "mytool check".
    Words,
    /// The same, but for a first word that may be a type, a file or a sentence as well.
    Doubtful,
    /// One word that may be a program.
    Name,
    /// A type, a symbol, a file, a sentence.
    Other,
}

/// What the words around a code span say of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Claim {
    /// It exits: only what is run does.
    Exits,
    /// It is to be run.
    Told,
    /// It passes, succeeds or fails, or is what something is checked with.
    Runs,
    /// It works, or will: what has no look of a command is rather a part of the product.
    Works,
    /// Something that may be said of others, too.
    Other,
}

/// First words of code, of statements and of sentences.
static NO_PROGRAM: WordList = WordList::new(&[
    "a",
    "all",
    "an",
    "any",
    "async",
    "await",
    "class",
    "const",
    "def",
    "each",
    "enum",
    "every",
    "extension",
    "fn",
    "for",
    "from",
    "func",
    "function",
    "if",
    "impl",
    "import",
    "insert",
    "interface",
    "it",
    "its",
    "let",
    "mod",
    "namespace",
    "new",
    "no",
    "not",
    "one",
    "our",
    "package",
    "private",
    "protocol",
    "pub",
    "public",
    "return",
    "select",
    "static",
    "struct",
    "switch",
    "that",
    "the",
    "these",
    "this",
    "throw",
    "trait",
    "two",
    "type",
    "use",
    "var",
    "when",
    "with",
    "your",
]);
/// Further words that only a sentence or an expression has.
static NO_ARGUMENT: WordList = WordList::new(&[
    "=", "==", "!=", "=>", "->", "→", ":=", "+", "<=", ">=", "?", "is", "are", "the", "and", "or",
    "not", "of", "with", "that",
]);
/// Endings of files that can be run by their path.
const SCRIPTS: [&str; 11] =
    ["sh", "bash", "zsh", "py", "rb", "js", "mjs", "ts", "pl", "php", "swift"];
/// Words before a command of the shell.
const BEFORE: [&str; 4] = ["!", "time", "env", "command"];

/// The form of a code span.
pub(super) fn form(code: &str) -> Form {
    // Most spans are words and nothing else.
    if is_words(code) {
        return form_of(code.split_whitespace(), code);
    }
    let Some(all) = marks(code) else { return Form::Other };
    let first = all.split(|mark| matches!(mark, Mark::Between(_))).find(|one| !one.is_empty());
    let words = first.unwrap_or_default().iter().filter_map(|mark| match mark {
        Mark::Word(word) => Some(word.as_str()),
        Mark::Between(_) => None,
    });
    form_of(words, code)
}

/// The form of the words of the first command in a code span.
fn form_of<'w>(words: impl Iterator<Item = &'w str>, code: &str) -> Form {
    let mut words = words.skip_while(|word| BEFORE.contains(word) || is_setting(word));
    let Some(program) = words.next() else { return Form::Other };
    let more: Vec<&str> = words.collect();
    let odd = |word: &&str| NO_ARGUMENT.has(word) || word.ends_with([',', ':']);
    if NO_PROGRAM.has(program) || program.ends_with([',', ':']) || more.iter().any(odd) {
        return Form::Other;
    }
    let alone = more.is_empty();
    match (shape(program), alone) {
        (Form::Line, true) => Form::Name,
        (Form::Doubtful, true) => Form::Other,
        (Form::Line, false) if !is_tool(program) && !is_built(program, &more, code) => Form::Words,
        (shape, _) => shape,
    }
}

/// Whether words have the look of a command line: a path, an option, a file, something quoted.
fn is_built(program: &str, more: &[&str], code: &str) -> bool {
    let marked = |word: &&str| {
        let inside = word.trim_end_matches(['.', '!', '?']);
        word.starts_with('-') && word.len() > 1
            || *word == "."
            || inside.contains(['/', '.', '=', '*', '$', ':', '@'])
    };
    let odd = |c: char| c.is_ascii_digit() || "/.~$_".contains(c);
    program.contains(odd) || more.iter().any(marked) || code.contains(['"', '\'', '|', ';', '&'])
}

/// What the first word of a line may be.
fn shape(program: &str) -> Form {
    let within = |c: char| {
        let mark = matches!(c, '.' | '_' | '+' | '-' | '/' | '~' | '$' | '@' | '{' | '}');
        c.is_ascii_alphanumeric() || mark
    };
    let begins = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '/' | '~' | '$');
    if !program.starts_with(begins) || !program.chars().all(within) || program.ends_with(['/', '.'])
    {
        return Form::Other;
    }
    let name = program.rsplit('/').next().unwrap_or_default();
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    let is_file = ending.starts_with(|c: char| c.is_ascii_alphabetic());
    if program.contains('/') {
        return if is_file && !SCRIPTS.contains(&ending) { Form::Doubtful } else { Form::Line };
    }
    let small = program.bytes().all(|byte| !byte.is_ascii_uppercase());
    let word = program.starts_with(|c: char| c.is_ascii_lowercase());
    let loud = program.bytes().all(|byte| !byte.is_ascii_lowercase());
    match (small && word && !is_file, loud) {
        (true, _) => Form::Line,
        (false, true) => Form::Other,
        (false, false) => Form::Doubtful,
    }
}

fn is_setting(word: &str) -> bool {
    let name = word.split_once('=').map_or("", |(name, _)| name);
    !name.is_empty()
        && name.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_')
}

/// What is said by the words behind a code span, which the grammar has one list for.
pub(super) fn claim(said: &str) -> Claim {
    /// First words of phrases that are said of code and of files as well.
    const OF_OTHERS: [&str; 14] = [
        "are", "build", "builds", "compile", "compiles", "complete", "ends", "has", "have", "is",
        "must", "output", "returns", "should",
    ];
    if is_exit(said) {
        return Claim::Exits;
    }
    if ["works", "should work"].contains(&said) {
        return Claim::Works;
    }
    let head = said.split(' ').next().unwrap_or_default();
    let code = ["build", "builds", "compile", "compiles"].contains(&head);
    let verb = !OF_OTHERS.contains(&head) && head.starts_with(char::is_alphabetic);
    let runs = [&SUCCEEDS, &FAILS, &EXACTLY].iter().any(|list| {
        let mut begun =
            list.from(head).filter(|(_, rest)| rest.is_empty() || rest.starts_with(' '));
        begun.any(|(phrase, _)| verb || !code && super::behind(said, phrase).is_some())
    });
    if runs || head == "prints" || head == "outputs" { Claim::Runs } else { Claim::Other }
}

/// Whether words speak of how something exits; "exit criteria" does not.
pub(super) fn is_exit(words: &str) -> bool {
    const STATUS: [&str; 7] = ["0", "code", "codes", "status", "zero", "with", "non-zero"];
    let mut rest = words.split_whitespace().peekable();
    std::iter::from_fn(|| Some((rest.next()?, rest.peek().copied()))).any(|pair| match pair {
        ("exits" | "exited", _) | ("exit", None) => true,
        ("exit", Some(next)) => {
            STATUS.contains(&next) || next.starts_with(|c: char| c.is_ascii_digit())
        }
        _ => false,
    })
}

/// Whether a span is a command beyond doubt.
pub(super) fn is_sure(code: &str, claim: Claim) -> bool {
    match (form(code), claim) {
        (Form::Line, Claim::Exits | Claim::Told | Claim::Runs | Claim::Works) => true,
        (Form::Words, Claim::Exits | Claim::Told) => true,
        (Form::Doubtful, Claim::Exits) => true,
        // What has underscores may be the tool of an agent.
        (Form::Name, Claim::Told) => code.contains('/'),
        (Form::Name, Claim::Exits) => !code.contains('_') || code.contains('/'),
        (Form::Line | Form::Words | Form::Doubtful | Form::Name, _) | (Form::Other, _) => false,
    }
}

/// Whether the author of a sentence may mean a command by a span, so that it is named if it is not run. `before` and
/// `after` are the words beside it.
pub(super) fn is_meant(code: &str, before: &str, after: &str) -> bool {
    let form = form(code);
    if form == Form::Other {
        return is_exit(after) || is_exit(before);
    }
    let claim = claim(after.trim_start_matches(['(', ')', '→', ' ']));
    let told = ["run", "running", "command"].iter().any(|lead| before.ends_with(lead))
        || super::order(before) != Claim::Other;
    let bare = before.is_empty() && after.is_empty();
    let counts = super::behind(after, "returns").is_some_and(|rest| {
        rest.starts_with(|c: char| c.is_ascii_digit())
            || ["zero", "nothing", "no"].iter().any(|word| super::behind(rest, word).is_some())
    });
    let said = !matches!(claim, Claim::Other | Claim::Works);
    match form {
        Form::Line if claim == Claim::Works || after.starts_with('→') => true,
        Form::Line | Form::Words => {
            said || told || bare || counts || is_exit(before) || is_exit(after)
        }
        Form::Doubtful => said || told || bare && code.contains(" -"),
        // The name of a test passes as well; a name with capitals or underscores is none of a program.
        Form::Name => claim == Claim::Exits || claim == Claim::Runs && !code.contains('_') || told,
        Form::Other => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_have_the_form_of_commands_or_none() {
        for (form_of, codes) in [
            (
                Form::Line,
                "bin/check all|timeout 60 make test|just test|eslint src|golangci-lint run|perl t.pl|cmp a b|touch x|X=1 just a|! cmp a b|./tools/a.py -x|python3.12 t.py|ack 'a = b' src",
            ),
            (Form::Words, "login flow|mytool check|sign-in page|next step"),
            (Form::Name, "true|mytool|bin/check|./check|test_login|scripts/a.py"),
            (Form::Doubtful, "Rscript t.R|check.py x|UserService logs in|src/a.rs x"),
            (
                Form::Other,
                "Foo|src/a.rs|a.rs|--flag|-x y|Foo::bar()|foo(a, b)|a == b|let x = 3|GET /a|the user logs in|first, then|@a/b|HTTP 200|\"x y|import foo|name: value|Result<T> x|error is shown|{ a }|",
            ),
        ] {
            for code in codes.split('|') {
                assert_eq!(form(code), form_of, "{code}");
            }
        }
    }
}
