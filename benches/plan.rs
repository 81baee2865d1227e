//! How fast canonical plans are read, natively on one core: megabytes a second at 1, 10 and 100 MB.
//!
//! What counts is the time the processor spends on this thread, so that other work on the machine makes no
//! difference.
//!
//! `cargo bench --bench plan --no-default-features [-- --check 20]` prints a table, and as its last line one
//! object of JSON. With `--check N` it fails below N MB/s, or if 100 MB cost more than 1.5 times as much
//! a byte as 1 MB. Two documents have two thousand sprints: one of 3.8 KB each, the median of the public
//! plans we know (they have 1.9 to 11.6 KB a sprint), and one of 1.2 KB each, denser than any of these, which is
//! measured and held to nothing. The others are made of larger ones, twenty to the megabyte, so that 100 MB have two
//! thousand, too. `--largest N` leaves out what is larger; `--only N` reads one document once, for a profiler.
#![allow(clippy::disallowed_methods, clippy::disallowed_types, clippy::float_arithmetic)]

use endstate::plan;
use endstate::plan::model::Weight;
use std::fmt::Write;
use std::time::Duration;

const MB: usize = 1_000_000;
/// The most sprints of a document here.
const MOST_SPRINTS: usize = 2_000;
/// The most that one byte of the largest document may cost, in bytes of the smallest.
const LINEAR: f64 = 1.5;

/// A sprint with headings, lists, tables, fences and prose, of at least `size` bytes.
fn sprint(out: &mut String, number: usize, size: usize) {
    let start = out.len();
    let _ = write!(
        out,
        "### Sprint {number}: Part {number} of the work\n\n**Priority**: 4.5 — much is built on it\n**Reads**: `docs/notes.md`\n\n"
    );
    let _ = write!(out, "**Entry criteria**:\n- [ ] First of its kind, `src/base.rs` is there\n");
    out.push_str("\n**Tasks**:\n\n");
    let mut place = 0;
    while out.len() - start + 700 < size || place < 4 {
        place += 1;
        let _ = write!(
            out,
            "{place}. Create `src/part_{number}/file_{place}.rs` with a **reader** of records and its errors\n   - one \
             function for each field, about 40 lines\n   - tests in `tests/part_{number}.rs`\n"
        );
    }
    let _ = write!(
        out,
        "\n**Exit criteria**:\n- [ ] `cargo test part_{number}` passes\n- [ ] `src/part_{number}/file_1.rs` has a function \
         `read`\n- [ ] No warnings in the build\n  - `make build` exits 0\n  - `test -f src/part_{number}/file_1.rs`\n\n\
         **Notes**:\nThe table says what is read, and by whom.\n\n| Field | Bytes | Read by |\n|---|---|---|\n| id | 4 | \
         `read_id` |\n| name | 12 | `read_name` |\n\n```bash\n# what is built\nmake build\n```\n\n"
    );
}

/// The size for sprints with no more than every one has.
const DENSEST: usize = 1_500;

/// A plan of `bytes` bytes, of sprints of `each` bytes.
fn document(bytes: usize, each: usize) -> String {
    let mut out = String::from("---\nplan: endstate/1\n---\n# The plan\n\n");
    let mut number = 0;
    while out.len() < bytes && number < MOST_SPRINTS {
        number += 1;
        sprint(&mut out, number, each);
    }
    out
}

/// The time that the processor spent on this thread so far.
#[cfg(unix)]
fn spent() -> Duration {
    use rustix::time::{ClockId, clock_gettime};
    let now = clock_gettime(ClockId::ThreadCPUTime);
    let (seconds, nanos) = (now.tv_sec.unsigned_abs(), now.tv_nsec.unsigned_abs());
    Duration::from_secs(seconds) + Duration::from_nanos(nanos)
}

/// Without such a clock, the time on the wall.
#[cfg(not(unix))]
fn spent() -> Duration {
    static BEGIN: std::sync::LazyLock<std::time::Instant> =
        std::sync::LazyLock::new(std::time::Instant::now);
    BEGIN.elapsed()
}

/// What [`spent`] counts.
const CLOCK: &str = if cfg!(unix) { "thread CPU time" } else { "wall time" };

/// How often all documents are read one after the other: a machine that is slow for a while is so for one of them.
const PASSES: usize = 3;

/// A document, the sprints in it, and the fastest of its readings in MB/s.
struct Reading {
    text: String,
    /// It may not be slower than is allowed.
    held: bool,
    /// It is the one that the largest is compared with.
    small: bool,
    sprints: usize,
    speed: f64,
}

impl Reading {
    fn megabytes(&self) -> f64 {
        self.text.len() as f64 / MB as f64
    }

    /// Reads it some times, or once. What else the machine does only ever adds, so the fastest counts.
    fn measure(&mut self, once: bool) {
        let rounds = if once { 1 } else { (20 * MB / self.text.len()).clamp(2, 10) };
        for _ in 0..rounds {
            let begin = spent();
            let read = std::hint::black_box(plan::canonical(std::hint::black_box(&self.text)));
            let passed = (spent() - begin).as_secs_f64();
            let read = read.unwrap_or_default();
            self.sprints = read.plan.sprints().count();
            let fault = read.remarks.iter().find(|one| one.weight == Weight::Fault);
            assert!(fault.is_none(), "{fault:?}");
            self.speed = self.speed.max(self.megabytes() / passed);
        }
    }
}

fn main() {
    let words: Vec<String> = std::env::args().collect();
    let number = |name: &str| {
        let at = words.iter().position(|word| word == name)?;
        words.get(at + 1)?.parse::<usize>().ok()
    };
    let check = number("--check").map(|least| least as f64);
    let largest = number("--largest").unwrap_or(100);
    let only = number("--only");
    let sizes = [
        (3 * MB, DENSEST),
        (8 * MB, 4_000),
        (MB, MB / 20),
        (10 * MB, MB / 20),
        (100 * MB, MB / 20),
    ];
    let asked = |size: usize| size <= largest * MB && only.is_none_or(|only| only * MB == size);
    let asked = sizes.into_iter().filter(|(size, _)| asked(*size));
    let made = asked.map(|(size, each)| Reading {
        text: document(size, each),
        held: each > DENSEST,
        small: size == MB,
        sprints: 0,
        speed: 0.0,
    });
    let mut rows: Vec<Reading> = made.collect();
    for _ in 0..if only.is_some() { 1 } else { PASSES } {
        rows.iter_mut().for_each(|row| row.measure(only.is_some()));
    }
    println!("{CLOCK}, one core\n      MB  sprints     MB/s");
    for row in &rows {
        println!("{:>8.1}{:>9}{:>9.1}", row.megabytes(), row.sprints, row.speed);
    }
    let held = rows.iter().filter(|row| row.held);
    let slowest = held.map(|row| row.speed).fold(f64::MAX, f64::min);
    let small = rows.iter().find(|row| row.small);
    let ratio = small.map_or(1.0, |small| small.speed / rows[rows.len() - 1].speed);
    let list = rows.iter().map(|row| {
        serde_json::json!({"mb": row.megabytes(), "sprints": row.sprints, "mb_per_s": row.speed})
    });
    let list: Vec<_> = list.collect();
    println!(
        "{}",
        serde_json::json!({"bench": "plan_parse", "clock": CLOCK, "slowest": slowest, "ratio": ratio, "rows": list})
    );
    if let Some(least) = check
        && (slowest < least || ratio > LINEAR)
    {
        eprintln!("at least {least} MB/s and at most {LINEAR} times the cost a byte are allowed");
        std::process::exit(1);
    }
}
