//! What of a criterion is a command, and what its words are for. A command is a whole code span, or several joined by
//! `and`, and one of a closed table of endings, at the start of an item or sub-item or behind its last colon. Behind success,
//! figures and code more may be said: it asks for more, and a verifier judges it. Failure and silence end their clause, since
//! what else is said there may take them back; what is said of an output in other words is judged as a whole. A word of
//! success may also stand before the colon or behind a dash. All else is words. There is no list of programs and none of
//! phrases: a sentence that is not in the table is not guessed at.

use super::document::LineRange;
use super::line::{self, Span};
use super::model::{Command, Criterion, Expect, Sprint};
use crate::vocab::json::MOST_INTEGER;
use std::collections::BTreeSet;

/// What an ending expects, by its number and its code span.
type Expects = fn(u64, &str) -> Option<Expect>;

/// What may be said behind an ending: nothing but a new clause, or more words of the same.
type More = bool;
const END: More = false;
const OPEN: More = true;

/// The endings: their words, what may be said behind them, and what they expect. `a|b` is one of both, `[a]` may be missing,
/// `SAYS` is one of [`SAYS`], `N` is a whole number and `X` a code span. `docs/plan-format.md` shows the whole table.
const ENDINGS: [(&str, More, Expects); 15] = [
    (SUCCESS[0], OPEN, |_, _| Some(Expect::Succeed)),
    (SUCCESS[1], OPEN, |_, _| Some(Expect::Succeed)),
    ("exits|exit [with] [status|code] N", OPEN, |number, _| {
        let status = u8::try_from(number).ok()?;
        Some(if status == 0 { Expect::Succeed } else { Expect::ExitWith { status } })
    }),
    ("exits|exit non-zero", END, |_, _| Some(Expect::Fail)),
    ("fails|fail", END, |_, _| Some(Expect::Fail)),
    ("SAYS nothing", END, |_, _| Some(Expect::BeSilent)),
    ("SAYS no|zero|0 matches|match|results|hits", END, |_, _| Some(Expect::FindNothing)),
    ("SAYS [a] match|matches", OPEN, |_, _| Some(Expect::Succeed)),
    ("SAYS at least one|1 match|matches", OPEN, |_, _| Some(Expect::Succeed)),
    ("SAYS [at] least|≥|>= N", OPEN, |number, _| Some(Expect::PrintAtLeast { number })),
    ("SAYS [at] most|≤|<= N", OPEN, |number, _| Some(Expect::PrintAtMost { number })),
    // What returns 0 may print it, exit with it, or find nothing: that is not guessed.
    ("SAYS [exactly] N", END, |number, said| {
        let told = number > 0 || !said.starts_with("return");
        told.then(|| Expect::PrintOnly { text: number.to_string() })
    }),
    ("SAYS exactly X", OPEN, |_, text| Some(Expect::PrintOnly { text: text.to_owned() })),
    ("SAYS X", OPEN, |_, text| Some(Expect::Print { text: text.to_owned() })),
    ("SAYS", OPEN, |_, _| Some(Expect::Exit)),
];

/// The endings that [`alone`] looks for apart from a command, too.
const SUCCESS: [&str; 2] = ["passes|pass|succeeds|succeed", "is|are green"];

/// What `SAYS` stands for. But for what is printed, it could be said of a symbol, too: the span must have a space in it.
const SAYS: &str = "prints|print|returns|return|outputs|output|shows|show|finds|find";

/// Reads the text of a criterion, without bullet, box and id: its commands, and whether words are left to judge.
pub fn criterion(id: String, text: &str, ticked: bool, lines: LineRange) -> Criterion {
    let (mut found, mut judged, mut listed) = (Vec::new(), false, false);
    for block in blocks(text) {
        let own = if block.item && !listed { command(&block.text) } else { None };
        judged |= own.as_ref().map_or_else(|| says(&block.text), |one| one.words);
        // What is said of a list by the words above it, no form can tell: all must hold, or one.
        listed |= lists(&block);
        found.extend(own);
    }
    // Without an ending nothing says that a span is a command, unless nothing else is said at all.
    found.retain(|one| one.ends || !judged);
    let commands = found.into_iter().flat_map(|one| one.commands).collect();
    Criterion { id, text: text.to_owned(), commands, judged, ticked, added: false, lines }
}

/// The label of a criterion, whether it was added, and its text.
pub fn labelled(text: &str) -> (Option<(&str, bool)>, &str) {
    let found = line::criterion_label(text).and_then(|end| {
        let (id, behind) = text.split_at_checked(end)?;
        let bare = behind.strip_prefix(" (added)");
        Some(((id, bare.is_some()), bare.unwrap_or(behind).strip_prefix(':')?.trim_start()))
    });
    found.map_or((None, text), |(id, rest)| (Some(id), rest))
}

/// Gives the criteria of a sprint that have no label one.
pub fn number(sprint: &mut Sprint) {
    let all = sprint.entry.iter().chain(&sprint.exit);
    let taken: BTreeSet<String> = all.map(|one| one.id.clone()).collect();
    number_by(&mut sprint.entry, "EC", &taken);
    number_by(&mut sprint.exit, "AC", &taken);
}

/// Gives criteria without a label one of these letters by their place, passing over those that are taken.
pub fn number_by(criteria: &mut [Criterion], letters: &str, taken: &BTreeSet<String>) {
    let mut next = 0;
    for (place, one) in criteria.iter_mut().enumerate().filter(|(_, one)| one.id.is_empty()) {
        next = (next + 1).max(place + 1);
        while taken.contains(&format!("{letters}-{next:03}")) {
            next += 1;
        }
        one.id = format!("{letters}-{next:03}");
    }
}

/// The text of a criterion made by a program: its words, then each command as a sub-item; before them if they would be a
/// list that a colon begins. [`criterion`] reads the same commands back. A single command without words is the text itself.
pub fn written(words: &str, commands: &[Command]) -> String {
    let clauses = commands.iter().map(clause).collect::<Vec<_>>().join("\n- ");
    match (words.trim(), clauses.is_empty()) {
        (words, true) => words.to_owned(),
        ("", false) => clauses,
        (words, _) if blocks(words).iter().any(lists) => format!("{clauses}\n\n{words}"),
        (words, _) => format!("{words}\n- {clauses}"),
    }
}

/// A command as an item says it.
pub fn clause(command: &Command) -> String {
    let ending = match &command.expect {
        Expect::Succeed => "exits 0".to_owned(),
        Expect::ExitWith { status } => format!("exits {status}"),
        Expect::Fail => "fails".to_owned(),
        Expect::Exit => "prints what is said here".to_owned(),
        Expect::BeSilent => "prints nothing".to_owned(),
        Expect::FindNothing => "prints no matches".to_owned(),
        Expect::Print { text } => format!("prints {}", line::code(text)),
        Expect::PrintOnly { text } => format!("prints exactly {}", line::code(text)),
        Expect::PrintAtLeast { number } => format!("prints at least {number}"),
        Expect::PrintAtMost { number } => format!("prints at most {number}"),
    };
    let within = command.within.map(|time| format!(" within {}", line::shown(time)));
    format!("{} {ending}{}", line::code(&command.line), within.unwrap_or_default())
}

fn says(text: &str) -> bool {
    text.chars().any(char::is_alphanumeric)
}

/// A paragraph of a criterion. Only an item or sub-item can be a command.
struct Block {
    text: String,
    item: bool,
}

/// Whether a paragraph begins a list.
fn lists(block: &Block) -> bool {
    block.text.trim_end_matches(['*', '_', ' ']).ends_with([':', '：'])
}

fn blocks(text: &str) -> Vec<Block> {
    let lines: Vec<&str> = text.lines().collect();
    let outside = line::outside_fences(&lines);
    let mut blocks = vec![Block { text: String::new(), item: true }];
    let mut open = true;
    for (place, (line, outside)) in lines.iter().zip(outside).enumerate() {
        let says = outside && !line.trim().is_empty();
        let item = line::item(line).filter(|_| outside && place > 0);
        match blocks.last_mut().filter(|_| open && says && item.is_none()) {
            Some(block) => {
                block.text.push_str(if place > 0 { "\n" } else { "" });
                block.text.push_str(line.trim());
            }
            None => {
                let text = item.map_or(*line, |item| item.text).to_owned();
                blocks.push(Block { text, item: item.is_some() });
            }
        }
        open = says;
    }
    blocks
}

/// Commands, where what is said of them ends, what may follow, whether an ending says it, and whether other words stand by.
struct Clause {
    commands: Vec<Command>,
    to: usize,
    more: More,
    ends: bool,
    words: bool,
}

/// The commands of a paragraph.
fn command(text: &str) -> Option<Clause> {
    if !text.contains('`') {
        return None;
    }
    let spans = line::spans(text);
    let at_start = spans.first().filter(|span| text[..span.range.start].trim().is_empty());
    let read = |place| at(text, &spans, place).or_else(|| alone(text, &spans, place));
    at_start.and_then(|_| read(0)).or_else(|| {
        let place = behind_colon(text, &spans)?;
        read(place).map(|one| Clause { words: true, ..one })
    })
}

/// A span without an ending behind it: the words before its colon or behind its dash say that it succeeds, or nothing else is
/// said at all.
fn alone(text: &str, spans: &[Span<'_>], place: usize) -> Option<Clause> {
    let Span { range, text: line } = spans.get(place)?;
    let (before, behind) = (&text[..range.start], text[range.end..].trim_start());
    let succeeds = |words: &str| {
        let starts = words.match_indices(' ').map(|(at, _)| at);
        let found = |at| SUCCESS.iter().find_map(|success| ends(words, at, success, &[]));
        starts.filter_map(found).any(|(_, _, to)| may_follow(&words[to..], OPEN))
    };
    let only =
        before.trim().is_empty() && spans.len() == 1 && matches!(behind.trim_end(), "" | ".");
    let told = succeeds(before.trim_end_matches([':', ' ', '*']))
        || behind.starts_with(['—', '–', '-']) && succeeds(behind);
    let fits = line.contains(' ') && is_runnable(line) && may_follow(behind, END);
    let commands = vec![Command { line: (*line).into(), expect: Expect::Succeed, within: None }];
    let clause = Clause { commands, to: text.len(), more: END, ends: told, words: told };
    (fits && (told || only)).then_some(clause)
}

/// The place of the span that stands right behind the last colon outside of spans.
fn behind_colon(text: &str, spans: &[Span<'_>]) -> Option<usize> {
    let next = |at: usize| spans.partition_point(|span| span.range.end <= at);
    let outside = |at: &usize| spans.get(next(*at)).is_none_or(|span| *at < span.range.start);
    let colon = text.rmatch_indices(':').map(|(at, _)| at).find(outside)?;
    let between = &text[colon + 1..spans.get(next(colon))?.range.start];
    (!between.is_empty() && between.trim().is_empty()).then_some(next(colon))
}

/// The commands that the spans from `place` on and the words behind them are: a clause, and others joined by `and`.
fn at(text: &str, spans: &[Span<'_>], place: usize) -> Option<Clause> {
    let mut found = one(text, spans, place)?;
    while let Some(more) = joined(text, spans, found.to).and_then(|place| one(text, spans, place)) {
        found.commands.extend(more.commands);
        (found.to, found.more, found.words) = (more.to, more.more, found.words || more.words);
    }
    let rest = &text[found.to..];
    found.words |= says(rest);
    may_follow(rest, found.more).then_some(found)
}

/// The place of the span that `and` joins to a clause that ends at `from`.
fn joined(text: &str, spans: &[Span<'_>], from: usize) -> Option<usize> {
    let rest = text[from..].trim_start();
    let behind = rest.get(4..).filter(|_| rest[..4].eq_ignore_ascii_case("and "))?;
    let from = text.len() - behind.trim_start().len();
    spans.binary_search_by_key(&from, |span| span.range.start).ok()
}

/// The commands of one clause.
fn one(text: &str, spans: &[Span<'_>], place: usize) -> Option<Clause> {
    let rest = spans.get(place..)?;
    let joins = |pair: &[Span<'_>]| {
        let between = text[pair[0].range.end..pair[1].range.start].trim();
        matches!(between, "and" | "+" | "," | ", and")
    };
    let many = 1 + rest.windows(2).take_while(|pair| joins(pair)).count();
    let (group, behind) = rest.split_at_checked(many)?;
    let end = group.last()?.range.end;
    let remark = aside(text, end);
    let end = remark.unwrap_or(end);
    // These may stand before an ending, and change nothing.
    let start = ends(text, end, "[each|both|all|still]", behind).map_or(end, |(_, _, to)| to);
    let ending = |(words, more, expects): &(&str, More, Expects)| {
        let (number, said, to) = ends(text, start, words, behind)?;
        let verb = text[start..].trim_start();
        let prints = verb.starts_with("print") || verb.starts_with("output");
        let (within, to) = within(text, to);
        let follows = may_follow(&text[to..], *more) || joined(text, spans, to).is_some();
        let spaced = words.starts_with("SAYS") && !prints;
        expects(number, said).filter(|_| follows).map(|one| (one, within, to, spaced, *more))
    };
    let (expect, within, to, spaced, more) = ENDINGS.iter().find_map(ending)?;
    let words = remark.is_some() || expect == Expect::Exit;
    let fits = |span: &Span<'_>| is_runnable(span.text) && (!spaced || span.text.contains(' '));
    let command =
        |span: &Span<'_>| Command { line: span.text.to_owned(), expect: expect.clone(), within };
    let commands = group.iter().map(command).collect();
    group.iter().all(fits).then_some(Clause { commands, to, more, ends: true, words })
}

/// Where a remark in brackets ends that stands behind a place; one that begins with `or` names something else.
fn aside(text: &str, from: usize) -> Option<usize> {
    let rest = text[from..].trim_start().strip_prefix('(').filter(|rest| !begins_with_or(rest))?;
    let mut depth = 1_usize;
    let close = rest.char_indices().find(|(_, c)| {
        depth = depth + usize::from(*c == '(') - usize::from(*c == ')');
        depth == 0
    })?;
    Some(text.len() - rest.len() + close.0 + 1)
}

fn begins_with_or(text: &str) -> bool {
    text.split(|c: char| !c.is_alphabetic())
        .next()
        .is_some_and(|word| word.eq_ignore_ascii_case("or"))
}

/// Follows the words of an ending from a place: its number, its code span and where it ends.
fn ends<'a>(
    text: &'a str,
    from: usize,
    words: &str,
    spans: &[Span<'a>],
) -> Option<(u64, &'a str, usize)> {
    let (mut number, mut said, mut at) = (0, text[from..].trim_start(), from);
    for word in words.split(' ') {
        // Emphasis says nothing.
        let start = text.len() - text[at..].trim_start_matches([' ', '\n', '\t', '*']).len();
        let next = text[start..].split(char::is_whitespace).next().unwrap_or_default();
        let apart = at > from && !text[..at].ends_with(|c: char| c.is_alphanumeric() || c == '`');
        if start == at && !apart {
            return None;
        }
        at = match word {
            "N" => {
                let digits = next.bytes().take_while(u8::is_ascii_digit).count();
                number = next[..digits].parse().ok().filter(|one| *one <= MOST_INTEGER)?;
                start + digits
            }
            "X" => {
                let span = spans.iter().find(|span| span.range.start == start)?;
                said = Some(span.text).filter(|text| is_line(text))?;
                span.range.end
            }
            _ => {
                let may_miss = word.starts_with('[');
                let all = if word == "SAYS" { SAYS } else { word.trim_matches(['[', ']']) };
                let taken = all.split('|').find(|one| {
                    let sign = !one.starts_with(char::is_alphanumeric);
                    next.strip_prefix(one).is_some_and(|rest| {
                        sign || !rest.starts_with(|c: char| c.is_alphanumeric() || c == '-')
                    })
                });
                match taken {
                    Some(word) => start + word.len(),
                    None if may_miss => at,
                    None => return None,
                }
            }
        };
    }
    Some((number, said, at))
}

/// ` within <duration>` from a place, and where it ends.
fn within(text: &str, from: usize) -> (Option<u64>, usize) {
    let read = || {
        let rest = text[from..].trim_start().strip_prefix("within ")?.trim_start();
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
        Some((line::duration(&rest[..end])?, text.len() - rest.len() + end))
    };
    read().filter(|(_, to)| *to > from).map_or((None, from), |(time, to)| (Some(time), to))
}

/// Whether a text may stand behind an ending: a new clause, which a mark begins, or if it may, more words of the same.
/// `or` begins another case.
fn may_follow(text: &str, more: More) -> bool {
    let text = text.trim_start_matches('*');
    let rest = text.trim_start();
    let apart = rest.len() < text.len();
    let goes_on = more && apart && rest.starts_with(char::is_alphabetic) && !begins_with_or(rest);
    let mark = rest.strip_prefix(['.', ';', '—', '–', '-']);
    let closes = mark.is_some_and(|text| text.is_empty() || text.starts_with(char::is_whitespace));
    goes_on || rest.is_empty() || closes || apart && rest.starts_with('(')
}

fn is_line(text: &str) -> bool {
    !text.trim().is_empty() && !text.contains(['\n', '\r'])
}

/// Whether a span can be run as it stands: one line that begins with a program, nothing left out and nothing to be filled in.
pub(super) fn is_runnable(text: &str) -> bool {
    let mut words = text.split_whitespace();
    let program = words.next().unwrap_or_default();
    let alone = words.next().is_none();
    is_line(text) && is_program(program, alone) && !has_ellipsis(text) && !has_placeholder(text)
}

/// Whether a word can name a program: it has the letters of one, and capitals only if it is a path or sets something. `[`
/// and `!` are programs, too. A word that stands alone may be a symbol or a path as well: none with `_`, `.`, `/` or `:` is taken, but for `./x`.
fn is_program(word: &str, alone: bool) -> bool {
    let begins = word.starts_with(|c: char| c.is_alphabetic() || "./_~".contains(c));
    let shaped = word.chars().all(|c| c.is_alphanumeric() || "./_~-+=$:'\"".contains(c));
    let shaped = begins && shaped && !word.ends_with(':') || matches!(word, "[" | "!");
    let path = word.starts_with("./") || !alone && word.contains(['/', '=', '$']);
    let symbol = word.contains(char::is_uppercase) || alone && word.contains(['_', '.', '/', ':']);
    shaped && (path || !symbol)
}

/// `…` or `...`, but for the wildcard at the end of a path that begins with a point: `./...`.
fn has_ellipsis(text: &str) -> bool {
    text.split_whitespace().any(|word| {
        let wild = word.strip_suffix("/...").filter(|path| path.starts_with('.'));
        let word = wild.unwrap_or(word);
        word.contains('…') || word.contains("...")
    })
}

/// `<x>`: angle brackets right around words, as no redirection has them.
fn has_placeholder(text: &str) -> bool {
    text.split('<').skip(1).any(|rest| {
        let inner = rest.split('>').next().filter(|inner| inner.len() < rest.len());
        inner.is_some_and(|inner| {
            inner.starts_with(char::is_alphanumeric) && inner.ends_with(char::is_alphanumeric)
        })
    })
}
