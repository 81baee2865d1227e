//! What `check --level files` says of damaged files of a completion mission, held to a record: one line a damage, with
//! the severity, code and place of each finding and its clipped words.
//!
//! Whole files are in `damaged/agent`. Every row of [`BYTES`] is done to each of them, every row of [`SHAPES`] and
//! [`VALUES`] to each field of their objects; pairs of the latter show which fault comes first.
//! `ENDSTATE_WRITE_DAMAGED=1 cargo test --test parts damaged_files` writes the record anew.

use endstate::protocols::completion::files::Finding;
use endstate::protocols::completion::files::check::check_one;
use endstate::vocab::error::clip;
use endstate::vocab::json;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The same numbers for the same name, so that another row or field changes no line but its own.
struct Random(u64);

impl Random {
    fn of(name: &str) -> Random {
        let mix = |hash: u64, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        Random(name.bytes().fold(0xcbf2_9ce4_8422_2325, mix))
    }

    fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % most.max(1) as u64).unwrap()
    }

    fn one_of<T: Clone>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())].clone()
    }
}

/// What is done to the bytes of a file.
type Bytes = fn(&str, &mut Random) -> Vec<u8>;
const BYTES: [(&str, Bytes); 17] = [
    ("empty", |_, _| Vec::new()),
    ("blank", |_, _| b" \n\n".to_vec()),
    ("another JSON", |_, random| random.one_of(&["[]", "null", "7", "{}", "\"{}\""]).into()),
    ("too deep", |_, _| ["{\"a\":".repeat(200), "1".into(), "}".repeat(200)].concat().into()),
    ("no text", |text, random| put(text, random, b"\xff")),
    ("an odd byte", |text, random| put(text, random, b"\0")),
    ("an odd letter", |text, random| put(text, random, b"}")),
    ("an odd quote", |text, random| put(text, random, b"\"")),
    ("a byte order mark", |text, _| format!("\u{feff}{text}").into()),
    ("cut", |text, random| text.as_bytes()[..random.below(text.len())].to_vec()),
    ("cut at its end", |text, _| text.as_bytes()[..text.len().saturating_sub(1)].to_vec()),
    ("twice", |text, _| text.repeat(2).into()),
    ("other line ends", |text, _| text.replace('\n', "\r\n").into()),
    ("without a line", |text, random| lines(text, random, |_| Vec::new())),
    ("a line twice", |text, random| lines(text, random, |line| vec![line, line])),
    ("a blank line", |text, random| lines(text, random, |line| vec![line, ""])),
    ("60 bad lines", |text, _| [text, &"{}\n".repeat(60)].concat().into()),
];

fn put(text: &str, random: &mut Random, what: &[u8]) -> Vec<u8> {
    let (before, behind) = text.as_bytes().split_at(random.below(text.len()));
    [before, what, behind].concat()
}

fn lines<'a>(text: &'a str, random: &mut Random, becomes: fn(&'a str) -> Vec<&'a str>) -> Vec<u8> {
    let mut lines: Vec<&str> = text.lines().collect();
    let at = random.below(lines.len());
    lines.splice(at..=at, becomes(lines[at]));
    (lines.join("\n") + "\n").into()
}

/// What is done to a field as a whole, once it is taken out of its object.
type Shape = fn(&mut Map<String, Value>, String, Value);
const SHAPES: [(&str, Shape); 3] = [
    ("dropped", |_, _, _| ()),
    ("renamed", |object, name, value| drop(object.insert(name.to_uppercase(), value))),
    ("written twice", |object, name, value| {
        object.extend([(name.clone() + TWICE, value.clone()), (name, value)]);
    }),
];
/// Told apart from the first of its name until the object is text.
const TWICE: &str = "#twice";

/// What a field's value becomes, if the row is one for such a value.
type Becomes = fn(&Value, &mut Random) -> Option<Value>;
const VALUES: [(&str, Becomes); 9] = [
    ("null", |value, _| (!value.is_null()).then_some(Value::Null)),
    ("of another type", |value, random| {
        let all = [json!(true), json!(3), json!("three"), json!([]), json!({"a": 1})];
        let kind = std::mem::discriminant::<Value>;
        Some(random.one_of(&all)).filter(|other| kind(other) != kind(value))
    }),
    ("blank", |value, random| value.as_str().map(|_| json!(random.one_of(&["", " \n"])))),
    ("another word", |value, random| {
        let words = ["another", "Done", "idle", "none", "selected", "k\u{fc}hl"];
        value.as_str().map(|_| json!(random.one_of(&words)))
    }),
    ("another time", |value, random| {
        let times = ["yesterday", "2026-02-30T00:00:00Z", "2026-01-01", "1969-12-31T23:59:59Z"];
        value.as_str()?.starts_with("20").then(|| json!(random.one_of(&times)))
    }),
    ("another number", |value, random| {
        let all = [json!(-1), json!(0), json!(9), json!(1.5), json!(1_u64 << 53), json!(u64::MAX)];
        value.is_number().then(|| random.one_of(&all))
    }),
    ("emptied", |value, _| value.get(0).map(|_| json!([]))),
    ("with an entry twice", |value, _| Some(json!([value.get(0)?, value.get(0)?]))),
    ("with an odd entry", |value, random| {
        let odd = [json!(null), json!(1), json!(""), json!(["a"]), json!({})];
        Some(json!([value.get(0)?, random.one_of(&odd)]))
    }),
];
const ROWS: usize = SHAPES.len() + VALUES.len();

/// Every field at any depth: its object's place, and its name.
fn fields(value: &Value, place: &str, found: &mut Vec<(String, String)>) {
    let members: Vec<(String, &Value)> = match value {
        Value::Object(object) => object.iter().map(|(name, one)| (name.clone(), one)).collect(),
        Value::Array(all) => all.iter().enumerate().map(|(i, one)| (i.to_string(), one)).collect(),
        _ => Vec::new(),
    };
    for (name, one) in members {
        if value.is_object() && place != "/mood" {
            found.push((place.to_owned(), name.clone()));
        }
        fields(one, &format!("{place}/{name}"), found);
    }
}

/// The objects of a file: the one it is, or one a line; nothing if it is neither.
fn objects(text: &str) -> Vec<Value> {
    let whole = serde_json::from_str(text).map(|one| vec![one]);
    whole.or_else(|_| text.lines().map(serde_json::from_str).collect()).unwrap_or_default()
}

/// The file again: one object on many lines, several on one each.
fn written(objects: &[Value], pretty: bool) -> Vec<u8> {
    let lines = objects.iter().map(|one| match pretty {
        true => serde_json::to_string_pretty(one).unwrap() + "\n",
        false => one.to_string() + "\n",
    });
    lines.collect::<String>().replace(TWICE, "").into()
}

/// One field of a file's objects, damaged by the row of this number; its place and the row's name.
fn damage(all: &mut [Value], row: usize, at: usize, random: &mut Random) -> Option<String> {
    let (line, mut places) = (random.below(all.len()), Vec::new());
    fields(&all[line], "", &mut places);
    let (place, name) = places.swap_remove(at % places.len());
    let object = all[line].pointer_mut(&place)?.as_object_mut()?;
    let done = match row.checked_sub(SHAPES.len()) {
        Some(row) => {
            let value = VALUES[row].1(&object[&name], random)?;
            object.insert(name.clone(), value);
            VALUES[row].0
        }
        None => {
            let value = object.remove(&name)?;
            SHAPES[row].1(object, name.clone(), value);
            SHAPES[row].0
        }
    };
    Some(format!("{place}/{name} {done}"))
}

/// How many pairs of damages there are of each file of objects.
const PAIRS: usize = 40;

/// A file, damaged in every way: what was done, and the bytes.
fn damaged(file: &str, text: &str) -> Vec<(String, Vec<u8>)> {
    let row = |(name, act): &(&str, Bytes)| {
        (name.to_string(), act(text, &mut Random::of(&format!("{file} {name}"))))
    };
    let mut told: Vec<_> = BYTES.iter().map(row).collect();
    let whole = objects(text);
    let Some(first) = whole.first() else { return told };
    let (mut places, pretty) = (Vec::new(), whole.len() == 1);
    fields(first, "", &mut places);
    for (at, row) in (0..places.len()).flat_map(|at| (0..ROWS).map(move |row| (at, row))) {
        let (mut all, mut random) = (whole.clone(), Random::of(&format!("{file} {at} {row}")));
        if let Some(done) = damage(&mut all, row, at, &mut random) {
            told.push((done, written(&all, pretty)));
        }
    }
    for pair in 0..PAIRS {
        let (mut all, mut random) = (whole.clone(), Random::of(&format!("{file} pair {pair}")));
        let mut another = || damage(&mut all, random.below(ROWS), random.below(99), &mut random);
        let done: Vec<String> = std::iter::repeat_with(&mut another).flatten().take(2).collect();
        told.push((done.join(", "), written(&all, pretty)));
    }
    told
}

fn said(finding: &Finding) -> String {
    let one = &finding.diagnostic;
    let severity = json::encode(&finding.severity);
    let (severity, at) = (severity.trim_matches('"'), clip(&one.at, 90));
    let said = format!("{severity} {} at `{at}`: {}", one.code, clip(&one.expected, 60));
    let said = format!("{said}; got {}", clip(&one.got, 60));
    let visible = |c: char| if c.is_control() { c.escape_default().to_string() } else { c.into() };
    said.chars().map(visible).collect()
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/damaged")
}

/// What was done, and what is found: the first findings of many. An idle slice has another form than a live one, so
/// `active-slice.json` is there in both.
fn record() -> String {
    let files = std::fs::read_dir(folder().join("agent")).unwrap();
    let mut files: Vec<PathBuf> = files.map(|file| file.unwrap().path()).collect();
    files.sort();
    let mut told = String::new();
    for path in files {
        let (file, text) =
            (path.file_name().unwrap().to_string_lossy(), std::fs::read_to_string(&path).unwrap());
        let path = format!(".agent/{}", file.replace(".idle", ""));
        let mut told_of = |done: &str, bytes: Option<&[u8]>| {
            let found = check_one(&path, bytes).unwrap();
            let many = found.len().checked_sub(8).filter(|more| *more > 0);
            let mut said: Vec<String> = found.iter().take(8).map(said).collect();
            said.extend(many.map(|more| format!("{more} more")));
            said.extend(many.and(found.last()).map(self::said));
            let said = if said.is_empty() { "nothing".to_owned() } else { said.join(" | ") };
            told += &format!("{file}: {done} => {said}\n");
        };
        told_of("whole", Some(text.as_bytes()));
        told_of("absent", None);
        damaged(&file, &text).iter().for_each(|(done, bytes)| told_of(done, Some(bytes)));
    }
    told
}

/// Lines that went and lines that came, those of one damage side by side.
fn differences(was: &str, is: &str) -> Vec<String> {
    let (old, new): (BTreeSet<&str>, BTreeSet<&str>) =
        (was.lines().collect(), is.lines().collect());
    let gone = old.difference(&new).map(|line| format!("- {line}"));
    let mut told: Vec<String> =
        gone.chain(new.difference(&old).map(|line| format!("+ {line}"))).collect();
    told.sort_by(|one, other| one[2..].cmp(&other[2..]));
    told
}

#[test]
fn damaged_files_are_told_as_before() {
    let (path, is) = (folder().join("record.txt"), record());
    let whole = is.lines().filter(|line| line.contains(": whole => "));
    assert_eq!(whole.filter(|line| line.contains("fault")).count(), 0);
    if std::env::var_os("ENDSTATE_WRITE_DAMAGED").is_some() {
        std::fs::write(&path, &is).unwrap();
    }
    let told = differences(&std::fs::read_to_string(&path).unwrap(), &is);
    let hint =
        "ENDSTATE_WRITE_DAMAGED=1 cargo test --test parts damaged_files writes the record anew";
    assert!(told.is_empty(), "{} lines differ; {hint}:\n{}", told.len(), told.join("\n"));
}

/// A record with another code, or another damage, is not the same.
#[test]
fn a_difference_is_told() {
    let was = "a: cut => fault x\na: empty => nothing\n";
    assert_eq!(differences(was, was), Vec::<String>::new());
    let is = was.replace("fault x", "fault y");
    assert_eq!(differences(was, &is), ["- a: cut => fault x", "+ a: cut => fault y"]);
    assert_eq!(differences(was, "a: cut => fault x\n"), ["- a: empty => nothing"]);
}
