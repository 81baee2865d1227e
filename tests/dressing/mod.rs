//! Reports as agents dress them: right in what they say, and different each time in how they say it.
#![allow(dead_code, reason = "each suite uses its part")]

use serde_json::Value;
use std::cell::RefCell;

/// Numbers that follow from a seed.
#[derive(Clone, Debug)]
pub struct Seeded(u64);

impl Seeded {
    pub fn new(seed: u64) -> Self {
        Seeded(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % most as u64).unwrap()
    }

    fn one<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len())]
    }
}

thread_local! {
    static DRESSED: RefCell<Option<Seeded>> = const { RefCell::new(None) };
}

/// From now on every report of this thread's stories is dressed by this seed.
pub fn dress_by(seed: Option<u64>) {
    DRESSED.with(|one| *one.borrow_mut() = seed.map(Seeded::new));
}

/// A report as the agent of this thread says it.
pub fn said(text: String) -> String {
    DRESSED.with(|one| match one.borrow_mut().as_mut() {
        Some(seeded) => dressed(&text, seeded),
        None => text,
    })
}

/// What stands before and behind reports.
const BEFORE: [&str; 5] = [
    "",
    "I have finished. Here is my report:\n\n",
    "# Summary\n\nAll of it is done; `make test` passes.\n\n---\n\n",
    "Let me write the report now.\n\n1. looked at it\n2. did it\n\n",
    "The log says:\n\n```text\nok 1\nok 2\n```\n\n",
];
const BEHIND: [&str; 5] = [
    "",
    "\nTell me if anything is unclear.\n",
    "\n---\n\n*End of the report.*\n",
    "\nThe tests said:\n\n```json\n{\"passed\": 3, \"failed\": 0}\n```\n",
    "\n~~~sh\nmake test\n~~~\n",
];

/// The same report in other clothes.
pub fn dressed(text: &str, seeded: &mut Seeded) -> String {
    let found = text.split_once("\n```json\n").and_then(|(head, tail)| {
        let (block, _) = tail.rsplit_once("\n```")?;
        Some((head, serde_json::from_str::<Value>(block).ok()?))
    });
    let made = match found {
        Some((head, block)) => in_block(head, block, seeded),
        None => {
            let text = text.replace("```", seeded.one(&["```", "~~~", "````"]));
            format!("{}{text}\n{}", seeded.one(&BEFORE[..2]), seeded.one(&BEHIND[..2]))
        }
    };
    match seeded.below(4) {
        0 => made.replace('\n', "\r\n"),
        _ => made,
    }
}

fn in_block(head: &str, mut block: Value, seeded: &mut Seeded) -> String {
    if seeded.below(3) == 0 {
        with_marks(&mut block);
    }
    if seeded.below(3) == 0 {
        with_remarks(&mut block, seeded);
    }
    let block = match seeded.below(2) {
        0 => block.to_string(),
        _ => serde_json::to_string_pretty(&block).unwrap(),
    };
    let (open, close) = [
        ("```json", "```"),
        ("```", "```"),
        ("~~~json", "~~~"),
        ("````JSON", "````"),
        ("~~~~", "~~~~"),
        ("```jsonc", "```"),
    ][seeded.below(6)];
    let fenced = format!("{open}\n{block}\n{close}\n");
    let fenced = match seeded.below(6) {
        0 => format!("{fenced}\nAgain, for the record:\n\n{fenced}"),
        1 => fenced.lines().map(|line| format!("> {line}\n")).collect(),
        2 => fenced.lines().map(|line| format!("  {line}\n")).collect(),
        _ => fenced,
    };
    let head = header(head, seeded);
    let (before, behind) = (seeded.one(&BEFORE), seeded.one(&BEHIND));
    let made = match seeded.below(6) {
        0 => format!("{before}{fenced}\n{head}\n{behind}"),
        1 if open == "```json" => format!("{before}````markdown\n{head}\n\n{fenced}````\n{behind}"),
        _ => format!("{before}{head}\n\n{fenced}{behind}"),
    };
    match seeded.below(8) {
        0 => made.replace('\n', "\r"),
        1 => format!("\u{feff}{made}"),
        _ => made,
    }
}

/// The header and what follows it, line by line.
fn header(head: &str, seeded: &mut Seeded) -> String {
    let way = seeded.below(10);
    let line = |line: &str| match (line.split_once(": "), way) {
        (Some((name, value)), 0) => format!("**{name}:** {value}"),
        (Some((name, value)), 1) => format!("**{name}**: `{value}`"),
        (Some((name, value)), 2) => format!("- {name} — {value}"),
        (_, 3) => format!("> {line}"),
        (Some(_), 4) => String::new(),
        (Some(_), 5) => format!("### {line}"),
        (Some((name, value)), 6) => format!("{}: {}", name.to_lowercase(), value.to_uppercase()),
        (Some((name, _)), 7) => format!("{name}: …\n{line}"),
        _ => line.to_owned(),
    };
    let end = if way == 8 { " " } else { "\n" };
    head.lines().map(|one| line(one) + end).collect()
}

/// Fields that no form asked for, in the rows of lists.
fn with_remarks(value: &mut Value, seeded: &mut Seeded) {
    match value {
        Value::Object(fields) => fields.values_mut().for_each(|one| with_remarks(one, seeded)),
        Value::Array(items) => {
            for one in items {
                with_remarks(one, seeded);
                let name = seeded.one(&["remark", "confidence", "notes_of_mine"]);
                if let Some(row) = one.as_object_mut().filter(|_| seeded.below(2) == 0) {
                    row.insert(name.to_owned(), "as it was".into());
                }
            }
        }
        _ => {}
    }
}

/// Marks of Markdown in what is said in words.
fn with_marks(value: &mut Value) {
    const WORDS: [&str; 8] = [
        "method",
        "note",
        "plan_basis",
        "statement",
        "feedback",
        "verification_method",
        "why_now",
        "rationale",
    ];
    match value {
        Value::Object(fields) => {
            for (name, one) in fields.iter_mut() {
                match one {
                    // What is at its limit would be refused for its length.
                    Value::String(text) if WORDS.contains(&name.as_str()) && text.len() < 500 => {
                        *text = format!("**{text}**: ran `it`, and\n\n```sh\nmake test\n```\n");
                    }
                    other => with_marks(other),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(with_marks),
        _ => {}
    }
}
