//! Which criteria a command shows, and what it must do for that.
//!
//! Commands in criteria are evidence only where the whole sentence around them is understood: "`make test`
//! passes", "Run `a` and `b`, both exit 0". The grammar is closed. One word that it does not know (a "not", an
//! "or", an "at least", a second claim behind a dash) may turn the sense around, so that such a sentence is left
//! to the verifier, and the author is told that its command is not run.

use super::classify::is_command;
use super::model::Expectation;
use super::outline::spans;
use crate::vocab::criterion::unlabelled;

/// What a criterion with a command in it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shown {
    /// This command shows it.
    By {
        /// One command line; several that must all succeed are joined.
        command: String,
        /// What it must do.
        expect: Expectation,
    },
    /// The command in it shows nothing, and why.
    NotBy(&'static str),
}

const UNSAID: &str = "the words around it are not all known to say what it must do";
const PARTIAL: &str = "it is no whole command";
const MUTE: &str = "its exit status says nothing";

/// Words before a command that change nothing.
const LEADS: &[&str] = &[
    "run",
    "running",
    "both",
    "verify",
    "verify that",
    "verify by running",
    "verify with",
    "verified by",
    "check",
    "check that",
    "confirm",
    "confirm that",
    "ensure",
    "ensure that",
    "command",
    "the command",
    "build",
    "test",
    "tests",
    "lint",
    "format",
    "formatting",
    "verification",
];

/// Claims that a command behind them shows, if it succeeds.
const CLAIMS: &[&str] = &[
    "build succeeds",
    "the build succeeds",
    "build passes",
    "the build passes",
    "project builds",
    "the project builds",
    "it builds",
    "code compiles",
    "the code compiles",
    "tests pass",
    "all tests pass",
    "unit tests pass",
    "lint passes",
];

/// What binds a claim to the command behind it.
const BINDS: &[&str] = &[":", "with", "via", "using", "—", "–"];

/// Words behind commands that say that they succeed.
const SUCCEEDS: &[&str] = &[
    "succeed",
    "succeeds",
    "pass",
    "passes",
    "both pass",
    "both succeed",
    "all pass",
    "all succeed",
    "is green",
    "are green",
    "must succeed",
    "must pass",
    "exit 0",
    "exits 0",
    "both exit 0",
    "all exit 0",
    "exits with 0",
    "exit with 0",
    "exits zero",
    "exits with code 0",
    "exit with code 0",
    "exits with status 0",
    "exit with status 0",
    "exits with exit code 0",
    "exits with status code 0",
    "exits code 0",
    "exit code 0",
    "exit status 0",
    "returns exit code 0",
    "( exit 0 )",
    "( exits 0 )",
    "( exit code 0 )",
    "( exit status 0 )",
    "→ exit 0",
    "→ exits 0",
    "exits successfully",
    "exit successfully",
    "succeeds ( exit 0 )",
    "succeeds ( exit code 0 )",
    "passes ( exit 0 )",
    "completes successfully",
    "complete successfully",
    "completes without errors",
    "finishes without errors",
    "runs successfully",
    "runs without error",
    "runs without errors",
    "run without errors",
    "succeeds without errors",
    "succeed without errors",
    "succeeds with no errors",
    "builds",
    "build",
    "builds successfully",
    "builds without errors",
    "compiles",
    "compile",
    "compiles successfully",
    "compiles without errors",
    "passes without errors",
    "passes with no errors",
    "passes with no failures",
    "passes with zero failures",
    "passes with 0 failures",
];

/// Words behind a command that must fail.
const FAILS: &[&str] = &[
    "fails",
    "exits non-zero",
    "exits nonzero",
    "exits with a non-zero status",
    "exits with a non-zero code",
    "exits with a non-zero exit code",
    "exits with non-zero status",
];

/// Words behind a command that prints nothing.
const SILENT: &[&str] = &[
    "returns nothing",
    "prints nothing",
    "outputs nothing",
    "produces no output",
    "has no output",
    "prints no output",
    "returns no output",
    "returns empty",
    "output is empty",
    "is empty",
    "→ nothing",
];

/// Words behind a search that finds nothing.
const UNFOUND: &[&str] = &[
    "finds nothing",
    "finds no matches",
    "finds no match",
    "returns no matches",
    "returns no match",
    "returns zero matches",
    "returns 0 matches",
    "returns no results",
    "returns zero results",
    "returns 0 results",
    "returns no hits",
    "returns zero hits",
    "returns 0 hits",
    "returns no lines",
    "returns zero lines",
    "has no matches",
    "has zero matches",
    "shows no matches",
    "matches nothing",
];

/// Words before the number that a counting command prints.
const COUNTS: &[&str] = &["returns exactly", "returns", "outputs", "equals", "is", "==", "=", "→"];

/// Words before the whole of what any command prints.
const EXACTLY: &[&str] = &[
    "prints exactly",
    "outputs exactly",
    "returns exactly",
    "prints only",
    "outputs only",
    "output equals",
    "output is exactly",
];

/// Words behind all of that which change nothing.
const TAILS: &[&str] =
    &["again", "still", "locally", "in ci", "on ci", "too", "as well", "afterwards"];

/// How a criterion with a command in it is shown; `None` without one.
pub fn shown(text: &str) -> Option<Shown> {
    let text = unlabelled(text);
    let all = spans(text);
    if !all.iter().any(|(_, code)| is_command(code)) {
        return None;
    }
    let sentence = Sentence::of(text, &all);
    Some(sentence.read().unwrap_or_else(Shown::NotBy))
}

/// A sentence in words: small letters, marks apart, `§` for each code span.
struct Sentence<'t> {
    words: String,
    codes: Vec<&'t str>,
}

impl<'t> Sentence<'t> {
    fn of(text: &'t str, all: &[(usize, &'t str)]) -> Sentence<'t> {
        let mut words = String::new();
        let mut at = 0;
        for (start, code) in all {
            // Whatever stands for a span must not be in the text.
            words.push_str(&apart(text.get(at..*start).unwrap_or_default()));
            words.push_str(" § ");
            at = start + code.len();
        }
        words.push_str(&apart(text.get(at..).unwrap_or_default()));
        let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
        let words = words.trim_end_matches([' ', '.', ';']).to_owned();
        Sentence { words, codes: all.iter().map(|(_, code)| *code).collect() }
    }

    fn read(&self) -> Result<Shown, &'static str> {
        let (words, claimed) = led(&self.words);
        let groups = groups(words).ok_or(UNSAID)?;
        let commands = groups.iter().map(|(many, _)| many).sum::<usize>();
        let values = self.codes.get(commands..).unwrap_or_default();
        let commands = self.codes.get(..commands).unwrap_or_default();
        if commands.iter().any(|code| !is_command(code)) {
            return Err(UNSAID);
        }
        if commands.iter().any(|code| !is_whole(code)) {
            return Err(PARTIAL);
        }
        if let ([command], [(_, said)]) = (commands, groups.as_slice()) {
            let expect = expectation(command, said, values, claimed)?;
            return Ok(Shown::By { command: (*command).to_owned(), expect });
        }
        let succeed = groups.iter().all(|(_, said)| is_one(said, SUCCEEDS));
        if !succeed || !values.is_empty() || !commands.iter().all(|code| is_plain(code)) {
            return Err(UNSAID);
        }
        if commands.iter().any(|code| is_mute(code)) {
            return Err(MUTE);
        }
        let each: Vec<String> = commands.iter().map(|code| format!("( {code} )")).collect();
        Ok(Shown::By { command: each.join(" && "), expect: Expectation::Success })
    }
}

/// Small letters, with marks as words of their own and without emphasis.
fn apart(text: &str) -> String {
    let mut words = String::new();
    for letter in text.chars() {
        match letter {
            '*' | '_' | '`' => {}
            '§' => words.push('?'),
            ',' | ';' | ':' | '(' | ')' | '—' | '–' | '→' | '?' | '!' => {
                words.extend([' ', letter, ' ']);
            }
            _ => words.extend(letter.to_lowercase()),
        }
    }
    words.replace("->", " → ").replace("=>", " → ")
}

/// What follows a phrase as whole words.
fn behind<'w>(words: &'w str, phrase: &str) -> Option<&'w str> {
    let rest = words.strip_prefix(phrase)?;
    (rest.is_empty() || rest.starts_with(' ')).then(|| rest.trim_start())
}

fn is_one(words: &str, phrases: &[&str]) -> bool {
    phrases.contains(&words)
}

/// The words from the first command on, and whether what was before it says that it succeeds.
fn led(words: &str) -> (&str, bool) {
    let mut rest = words;
    for claim in CLAIMS {
        let Some(tail) = behind(words, claim) else { continue };
        let inside = tail.strip_prefix("( ").and_then(|inside| inside.strip_suffix(" )"));
        let bound = BINDS.iter().find_map(|bind| behind(tail, bind));
        if let Some(command) = inside.or(bound) {
            return (behind(command, "run").unwrap_or(command), true);
        }
    }
    for _ in 0..3 {
        let lead = LEADS.iter().filter_map(|lead| behind(rest, lead)).min_by_key(|rest| rest.len());
        let Some(tail) = lead else { break };
        rest = behind(tail, ":").unwrap_or(tail);
    }
    (rest, false)
}

/// How many commands stand together, and what is said of them, group for group.
fn groups(words: &str) -> Option<Vec<(usize, String)>> {
    let mut found: Vec<(usize, String)> = Vec::new();
    let mut rest = words;
    loop {
        let mut many = 0;
        while let Some(tail) = rest.strip_prefix('§') {
            many += 1;
            rest = tail.trim_start();
            match joined(rest) {
                Some(next) => rest = next,
                None => break,
            }
        }
        if many == 0 {
            return None;
        }
        let (said, next) = next_group(rest);
        found.push((many, without_tail(said).to_owned()));
        match next {
            Some(next) => rest = next,
            None => return Some(found),
        }
    }
}

/// The words from the next command on, if only an "and" stands before it.
fn joined(words: &str) -> Option<&str> {
    const JOINTS: [&str; 5] = [", and §", "and §", ", §", "; and §", "; §"];
    let joint = JOINTS.iter().find(|joint| words.starts_with(*joint))?;
    words.get(joint.len() - '§'.len_utf8()..)
}

/// What is said of a group, and where the next one begins. A value ("prints exactly `x`") is none.
fn next_group(words: &str) -> (&str, Option<&str>) {
    let starts = words.char_indices().filter(|(_, letter)| matches!(letter, ',' | ';' | 'a'));
    for (at, _) in starts {
        let free = at == 0 || words[..at].ends_with(' ');
        if let Some(next) = joined(&words[at..]).filter(|_| free) {
            return (words[..at].trim_end(), Some(next));
        }
    }
    (words, None)
}

fn without_tail(words: &str) -> &str {
    let words = words.strip_prefix("still ").unwrap_or(words);
    let tail = TAILS.iter().find_map(|tail| words.strip_suffix(tail)?.strip_suffix(' '));
    tail.unwrap_or(words)
}

/// What one command must do.
fn expectation(
    command: &str,
    said: &str,
    values: &[&str],
    claimed: bool,
) -> Result<Expectation, &'static str> {
    let alone = said.is_empty();
    if values.is_empty() && (alone || is_one(said, SUCCEEDS)) {
        let mute = is_mute(command) || alone && is_telling(command);
        return if mute { Err(MUTE) } else { Ok(Expectation::Success) };
    }
    if claimed {
        return Err(UNSAID);
    }
    if values.is_empty() && is_one(said, FAILS) && !is_mute(command) {
        return Ok(Expectation::Failure);
    }
    if values.is_empty() && (is_one(said, UNFOUND) || is_one(said, SILENT)) {
        return match searches(command) {
            true => Ok(Expectation::Status { code: 1 }),
            false if is_one(said, SILENT) && !is_counting(command) => Ok(Expectation::Silence),
            false => Err(UNSAID),
        };
    }
    if let Some(code) = status(said).filter(|_| values.is_empty() && !is_mute(command)) {
        return Ok(Expectation::Status { code });
    }
    let text = printed(said, values).ok_or(UNSAID)?;
    let number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let exactly = EXACTLY.iter().any(|phrase| behind(said, phrase).is_some());
    match exactly || number && is_counting(command) {
        true => Ok(Expectation::Exactly { text }),
        false => Err(UNSAID),
    }
}

/// "exits with status 2".
fn status(said: &str) -> Option<u8> {
    const EXITS: [&str; 6] = [
        "exits",
        "exits with",
        "exits with code",
        "exits with status",
        "exits with exit code",
        "exits with status code",
    ];
    let mut rests = EXITS.iter().filter_map(|phrase| behind(said, phrase));
    rests.find_map(|rest| rest.parse().ok().filter(|_| rest.bytes().all(|b| b.is_ascii_digit())))
}

/// The value behind "returns", "prints exactly".
fn printed(said: &str, values: &[&str]) -> Option<String> {
    let mut phrases = COUNTS.iter().chain(EXACTLY).chain(&["prints"]);
    // The longest of them leaves the least.
    let rests = phrases.by_ref().filter_map(|phrase| behind(said, phrase));
    let value = rests.min_by_key(|rest| rest.len())?;
    match (value, values) {
        ("§", [one]) if !one.trim().is_empty() => Some((*one).to_owned()),
        ("zero", []) => Some("0".to_owned()),
        (number, []) if number.bytes().all(|byte| byte.is_ascii_digit()) => {
            (!number.is_empty()).then(|| number.to_owned())
        }
        _ => None,
    }
}

/// The words of a command with what quotes hold together; `None` if a quote stays open.
fn shell_words(command: &str) -> Option<Vec<String>> {
    let mut words = vec![];
    let (mut word, mut quote, mut any) = (String::new(), None, false);
    let mut letters = command.chars();
    while let Some(letter) = letters.next() {
        match (letter, quote) {
            ('\\', None | Some('"')) => {
                word.push(letters.next()?);
                any = true;
            }
            (mark, Some(open)) if mark == open => quote = None,
            ('\'' | '"', None) => (quote, any) = (Some(letter), true),
            (space, None) if space.is_whitespace() => {
                if any {
                    words.push(std::mem::take(&mut word));
                }
                any = false;
            }
            _ => {
                word.push(letter);
                any = true;
            }
        }
    }
    if any {
        words.push(word);
    }
    quote.is_none().then_some(words)
}

/// The last command of a line, and whether it reads what another prints.
fn last(command: &str) -> Option<(Vec<String>, bool)> {
    let words = shell_words(command)?;
    let bars = |word: &String| ["|", "||", "&&", ";"].contains(&word.as_str());
    let at = words.iter().rposition(bars);
    let fed = at.is_some_and(|at| words[at] == "|");
    let from = at.map_or(0, |at| at + 1);
    let setting = |word: &&String| word.contains('=') && !word.starts_with('-');
    let settings = words[from..].iter().take_while(setting).count();
    Some((words[from + settings..].to_vec(), fed))
}

/// Programs that search, with what they are called by.
fn search_words(command: &str) -> Option<(Vec<String>, bool)> {
    let (words, fed) = last(command)?;
    let first = words.first()?.as_str();
    let skip = match first {
        "grep" | "egrep" | "fgrep" | "rg" => 1,
        "git" if words.get(1).is_some_and(|word| word == "grep") => 2,
        _ => return None,
    };
    Some((words[skip..].to_vec(), fed))
}

/// A search by itself, or the last of a pipeline: 1 is its status where nothing is found.
fn searches(command: &str) -> bool {
    let joined = ["&&", "||", ";", "&", "!", "\n", "$("].iter().any(|mark| command.contains(mark));
    search_words(command).is_some() && (!joined || is_quoted_only(command))
}

/// Whether such marks are only inside of quotes.
fn is_quoted_only(command: &str) -> bool {
    let words = shell_words(command).unwrap_or_default();
    let marks = ["&&", "||", ";", "&", "!"];
    !command.contains(['\n']) && !command.contains("$(") && {
        let bare = words.iter().any(|word| marks.contains(&word.as_str()) || word.ends_with(';'));
        !bare
    }
}

/// Whether all that a command prints is one number: `… | wc -l`, `grep -c` in one file.
fn is_counting(command: &str) -> bool {
    let Some((words, fed)) = last(command) else { return false };
    if words.first().is_some_and(|word| word == "wc") {
        return fed || words.iter().any(|word| word.starts_with('<'));
    }
    let Some((words, fed)) = search_words(command) else { return false };
    let flag = |letter: char| {
        words
            .iter()
            .any(|word| word.starts_with('-') && !word.starts_with("--") && word.contains(letter))
    };
    let count = flag('c') || words.iter().any(|word| word == "--count");
    let files = words.iter().filter(|word| !word.starts_with('-')).count();
    count
        && !flag('r')
        && !flag('R')
        && files == if fed { 1 } else { 2 }
        && !words.iter().any(|word| word.contains('*') && word.contains('/'))
}

/// Commands whose exit status is 0 whatever they find.
fn is_mute(command: &str) -> bool {
    const SINKS: [&str; 12] = [
        "tail", "head", "tee", "cat", "sort", "wc", "sed", "tr", "cut", "uniq", "less", "xcpretty",
    ];
    let Some((words, fed)) = last(command) else { return true };
    let first = words.first().map(String::as_str).unwrap_or_default();
    let sink = fed && SINKS.contains(&first) && !command.contains("pipefail");
    sink || words.len() <= 2 && ["true", ":", "echo"].contains(&first)
}

/// Commands that tell something; by themselves they claim nothing.
fn is_telling(command: &str) -> bool {
    let Some((words, _)) = last(command) else { return true };
    let word = |place: usize| words.get(place).map(String::as_str).unwrap_or_default();
    let checks = ["--exit-code", "--quiet", "--check", "--error-unmatch"];
    match word(0) {
        "git" => {
            ["diff", "log", "status", "show", "blame", "branch", "tag"].contains(&word(1))
                && !words.iter().any(|word| checks.contains(&word.as_str()))
        }
        "wc" | "echo" | "find" | "stat" => true,
        _ => words.len() == 2 && word(1) == "--version",
    }
}

/// Whether nothing is left out of a command: no place holder, no open quote, no missing operand.
fn is_whole(command: &str) -> bool {
    let Some(words) = shell_words(command) else { return false };
    // Between quotes the same marks are letters to search for.
    let holder = |word: &str| {
        let named = word.starts_with('<') && word.ends_with('>');
        word == "..." || word.contains('…') || named || word.starts_with('#')
    };
    if command.split_whitespace().any(holder) {
        return false;
    }
    let open = ["|", "||", "&&", "&", "\\", ">", "<", "-e", "-p"];
    let ends = |word: &String| open.contains(&word.as_str());
    if words.last().is_none_or(ends) {
        return false;
    }
    if let Some((searched, fed)) = search_words(command) {
        let recursive = |word: &String| {
            word == "--recursive"
                || word.starts_with('-') && !word.starts_with("--") && word.contains(['r', 'R'])
        };
        let bare = searched.iter().filter(|word| !word.starts_with('-')).count();
        let everywhere = fed
            || searched.iter().any(recursive)
            || command.contains("git grep")
            || command.trim_start().starts_with("rg ");
        let fed_file = command.contains('<');
        let pattern = searched.iter().any(|word| word == "-e" || word == "-f");
        return bare >= if everywhere || fed_file || pattern { 1 } else { 2 };
    }
    let Some((words, fed)) = last(command) else { return false };
    let first = words.first().map(String::as_str).unwrap_or_default();
    let operands = words.iter().skip(1).filter(|word| !word.starts_with('-')).count();
    match first {
        "test" | "[" => operands >= 1,
        "cat" | "wc" | "head" | "tail" | "jq" if !fed => operands >= 1,
        "" => false,
        _ => true,
    }
}

/// Whether a command stays one when it is put between parentheses beside others.
fn is_plain(command: &str) -> bool {
    let odd = |mark: char| command.matches(mark).count() % 2 == 1;
    let risky = ['#', '\\', '(', ')', '\n', '{', '}'];
    !command.contains(risky)
        && !command.contains("<<")
        && !odd('\'')
        && !odd('"')
        && !command.replace("&&", "").replace(">&", "").contains('&')
}

#[cfg(test)]
#[path = "shown_tests.rs"]
mod tests;
