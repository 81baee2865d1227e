//! The canonical plan: what is written is read back, nothing is lost, and no text is too hostile.

use endstate::plan::document::LineRange;
use endstate::plan::model::*;
use endstate::plan::{check, clause, line, order, read, write};
use endstate::vocab::error::Code;
use proptest::prelude::*;

/// Lines that look like structure, and others that no reader may trip over.
const HOSTILE: [&str; 62] = [
    "",
    "   ",
    "\t",
    "# title",
    "#",
    "## x",
    "## Summary",
    "## Work Units",
    "## Work Unit: a",
    "## Work Unit:",
    "## Work Unit x",
    "### Sprint 1: x",
    "### Sprint 2a (added): y",
    "### Sprint",
    "### Sprint one two",
    "## Sprint 3: z",
    "### x",
    "#### Sprint 4: w",
    "```",
    "````",
    "~~~",
    "~~~~ rust",
    "``` sh",
    "  ```",
    "\\```",
    "\\\\~~~",
    "\\",
    "\\\\",
    "\\## x",
    "\\### Sprint 1: x",
    " \\## x",
    "**Status**: done",
    "**Status**: odd",
    "**Depends on**: 1, `a,b`, none",
    "**Depends on**: none",
    "**Notes**:",
    "**Tasks**:",
    "**Exit criteria**:",
    "**Entry criteria**: x",
    "**Exit criteria**: y",
    "**Timeout**: 90m",
    "**Reads**: `a`, b",
    "- [ ] AC-001: x",
    "- [x] AC-002 (added): `cargo test` passes",
    "- y",
    "  - `grep -c a b` prints 3",
    "* [X] z",
    "12. [ ] (added) t",
    "1) u",
    "   deeper",
    "\tx",
    "      deep",
    "> q",
    "| a | b | 1 | 1 | none |",
    "| Work Unit | Directory | Sprints | Layer | Dependencies |",
    "|---|---|---|---|---|",
    "---",
    "...",
    "[x] boxed",
    "(added) more",
    "日本語の行",
    "a\rb",
];

fn hostile() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => proptest::sample::select(HOSTILE.to_vec()).prop_map(str::to_owned),
        1 => "[\\PC\r]{0,12}".prop_map(|text| text.trim_end_matches('\r').to_owned()),
    ]
}

fn text(most: usize) -> impl Strategy<Value = String> {
    proptest::collection::vec(hostile(), 0..most).prop_map(|lines| lines.join("\n"))
}

fn note() -> impl Strategy<Value = String> {
    text(7).prop_map(|text| line::trimmed(&text).to_owned())
}

fn words() -> impl Strategy<Value = String> {
    let blank = |line: &str| if line.trim().is_empty() { String::new() } else { line.to_owned() };
    text(4).prop_map(move |text| {
        let text = line::trimmed(&text).trim_start();
        text.split('\n').map(blank).collect::<Vec<_>>().join("\n")
    })
}

fn name() -> impl Strategy<Value = String> {
    prop_oneof!["[\\PC]{0,10}", Just("a | b, `c` \\".to_owned()), Just("名前: x".to_owned())]
        .prop_map(|name| name.trim().to_owned())
}

fn names() -> impl Strategy<Value = Vec<String>> {
    let one = prop_oneof![
        "[\\PC]{1,8}",
        proptest::sample::select(vec![
            "none", "a,b", "`x`", "`` y", "\\", ".", " pad ", "a|b", "core/2a", "``"
        ])
        .prop_map(str::to_owned),
    ];
    proptest::collection::vec(
        one.prop_map(|one| one.trim().to_owned()).prop_filter("some", |one| !one.is_empty()),
        0..3,
    )
}

fn criterion() -> impl Strategy<Value = Criterion> {
    ("[A-Z][A-Z0-9]{0,2}(-[A-Z0-9]{1,3}){1,2}", words(), any::<bool>(), any::<bool>()).prop_map(
        |(id, words, ticked, added)| Criterion {
            added,
            ..clause::criterion(id, &words, ticked, LineRange::default())
        },
    )
}

fn task() -> impl Strategy<Value = Task> {
    (words(), any::<Option<bool>>(), any::<bool>()).prop_map(|(text, ticked, added)| Task {
        text,
        ticked,
        added,
        ..Task::default()
    })
}

fn sprint() -> impl Strategy<Value = Sprint> {
    let kinds = vec![Kind::Code, Kind::Command, Kind::Background, Kind::Deferred, Kind::Manual];
    let status = vec![Status::Pending, Status::Done, Status::Deferred];
    let model = vec![None, Some(Model::Small), Some(Model::Standard), Some(Model::Large)];
    let select = (
        proptest::sample::select(kinds),
        proptest::sample::select(status),
        proptest::sample::select(model),
        proptest::option::of(names()),
        proptest::option::of(0..1_u64 << 53),
        proptest::option::of(name().prop_filter("some", |name| !name.is_empty())),
    );
    let lists = (
        proptest::collection::vec(criterion(), 0..3),
        proptest::collection::vec(task(), 0..3),
        proptest::collection::vec(criterion(), 0..3),
    );
    let numbers = (any::<Option<u32>>(), any::<Option<u8>>(), any::<bool>());
    ("[0-9a-zé京._-]{1,4}", name(), select, (names(), names(), names()), numbers, lists, note())
        .prop_map(
            |(
                label,
                name,
                (kind, status, model, depends_on, timeout, priority),
                files,
                numbers,
                lists,
                notes,
            )| Sprint {
                label,
                name,
                status,
                depends_on,
                kind,
                model,
                timeout,
                priority,
                notes,
                reads: files.0,
                creates: files.1,
                changes: files.2,
                lines_of_code: numbers.0,
                risk: numbers.1,
                added: numbers.2,
                entry: lists.0,
                tasks: lists.1,
                exit: lists.2,
                ..Sprint::default()
            },
        )
}

fn unit() -> impl Strategy<Value = Unit> {
    (name(), name(), names(), note(), proptest::collection::vec(sprint(), 0..3)).prop_map(
        |(name, directory, depends_on, notes, sprints)| Unit {
            name,
            directory,
            depends_on,
            notes,
            sprints,
            ..Unit::default()
        },
    )
}

fn settings() -> impl Strategy<Value = Settings> {
    let word = || "[a-zA-Z\"\\\\é京:#{ ]{0,8}x";
    (
        proptest::option::of(word()),
        proptest::option::of((word(), "[0-9a-f]{64}")),
        proptest::sample::select(vec![None, Some(Model::Small), Some(Model::Large)]),
        proptest::option::of(1..1_000_000_000_u64),
        proptest::option::of(1..9_u32),
    )
        .prop_map(|(feature_name, source, model, timeout, attempts)| Settings {
            feature_name,
            model,
            timeout,
            attempts,
            source: source.map(|(file, sha256)| Source { file, sha256 }),
            command_timeout: timeout,
        })
}

fn plan() -> impl Strategy<Value = Plan> {
    (settings(), any::<bool>(), name(), note(), proptest::collection::vec(unit(), 0..4)).prop_map(
        |(settings, other, title, notes, mut units)| {
            for (place, unit) in units.iter_mut().enumerate() {
                unit.name = format!("{}{place}", unit.name);
            }
            let front = write::front(&settings, if other { "owner: me # kept\n" } else { "" });
            Plan { front, settings, title, notes, units }
        },
    )
}

/// A plan without its line numbers.
fn unplaced(mut plan: Plan) -> Plan {
    for unit in &mut plan.units {
        unit.lines = LineRange::default();
        for sprint in &mut unit.sprints {
            sprint.lines = LineRange::default();
            sprint
                .entry
                .iter_mut()
                .chain(&mut sprint.exit)
                .for_each(|one| one.lines = LineRange::default());
            sprint.tasks.iter_mut().for_each(|one| one.lines = LineRange::default());
        }
    }
    plan
}

fn words_of(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty())
}

/// Each non-blank line of each sprint is in its definition; fields are written in their own way.
fn nothing_lost(source: &str, plan: &Plan) -> Result<(), TestCaseError> {
    let lines: Vec<&str> = source.trim_start_matches('\u{feff}').split('\n').collect();
    for (unit, sprint) in plan.sprints() {
        let written = write::sprint(unit, sprint);
        for line in &lines[sprint.lines.first as usize..sprint.lines.last as usize] {
            let said = line::item(line).map_or(*line, |item| item.text);
            let is_field = line::field(line).is_some();
            let lost = words_of(said).find(|word| !written.contains(word));
            prop_assert!(is_field || lost.is_none(), "{line:?} is not in {written:?}");
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn what_is_written_is_read_back(plan in plan()) {
        let text = write::write(&plan);
        let read = read::read(&text);
        prop_assert_eq!(unplaced(read.plan.clone()), plan, "{}", text);
        let odd: Vec<_> = read.remarks.iter().filter(|remark| remark.code != Code::DuplicateId).collect();
        prop_assert!(odd.is_empty(), "{odd:?}\n{text}");
        prop_assert_eq!(write::write(&read.plan), text);
    }

    #[test]
    fn any_text_comes_to_rest(lines in proptest::collection::vec(hostile(), 0..40), returns in any::<bool>()) {
        let text = lines.join(if returns { "\r\n" } else { "\n" });
        let first = read::read(&text).plan;
        nothing_lost(&text, &first)?;
        let once = write::write(&first);
        let second = read::read(&once).plan;
        prop_assert_eq!(unplaced(second.clone()), unplaced(first), "{}", once);
        prop_assert_eq!(write::write(&second), once);
    }

    #[test]
    fn bytes_are_only_text(bytes in proptest::collection::vec(any::<u8>(), 0..300), front in any::<bool>()) {
        let text = String::from_utf8_lossy(&bytes);
        let text = if front { format!("---\n{text}\n---\n## Work Units\n{text}") } else { text.into_owned() };
        let read = read::read(&text);
        check::located(&read.plan, &text);
        prop_assert_eq!(read.remarks.iter().any(|one| one.got == "a NUL byte"), text.contains('\0'));
        let once = write::write(&read.plan);
        prop_assert_eq!(write::write(&read::read(&once).plan), once);
    }
}

fn first(text: &str) -> Criterion {
    clause::criterion("AC-001".to_owned(), text, false, LineRange::default())
}

fn exit(status: u8) -> Expect {
    if status == 0 { Expect::Succeed } else { Expect::ExitWith { status } }
}

#[test]
fn clauses_are_commands_only_in_these_forms() {
    let print = |text: &str| Expect::Print { text: text.to_owned() };
    let only = |text: &str| Expect::PrintOnly { text: text.to_owned() };
    let taken: [(&str, &str, Expect, Option<u64>, bool); 79] = [
        ("`cargo test` exits 0", "cargo test", exit(0), None, false),
        ("`make` exits with status 2.", "make", exit(2), None, false),
        ("`make` exits status 2;", "make", exit(2), None, false),
        ("`make` succeeds within 5m", "make", exit(0), Some(300_000), false),
        ("`make check`.", "make check", exit(0), None, false),
        ("`make bad` fails", "make bad", Expect::Fail, None, false),
        ("`make bad` exits non-zero", "make bad", Expect::Fail, None, false),
        ("`git status -s` prints nothing", "git status -s", Expect::BeSilent, None, false),
        ("`rg TODO src` returns no matches", "rg TODO src", Expect::FindNothing, None, false),
        ("`app -V` prints `1.2`", "app -V", print("1.2"), None, false),
        ("`app` prints exactly `` a`b ``", "app", only("a`b"), None, false),
        ("`wc -l a` prints 3", "wc -l a", only("3"), None, false),
        ("`n a` returns at least 3.", "n a", Expect::PrintAtLeast { number: 3 }, None, false),
        ("`n a` returns ≥ 3", "n a", Expect::PrintAtLeast { number: 3 }, None, false),
        ("`rg a b` returns **zero** matches.", "rg a b", Expect::FindNothing, None, false),
        ("`rg a b` returns a match", "rg a b", exit(0), None, false),
        ("`make` still passes", "make", exit(0), None, false),
        ("`make` exits 0. (F3)", "make", exit(0), None, true),
        ("`a b` finds at least one match.", "a b", exit(0), None, false),
        // More may be said in a further sentence, and behind figures and code.
        ("`make` passes. The page is complete.", "make", exit(0), None, true),
        ("`make` exits 0. A person reads it.", "make", exit(0), None, true),
        // What a mark sets apart cannot take the ending back: a verifier judges it.
        ("`make` passes; all cases of `A` do.", "make", exit(0), None, true),
        ("`make` passes — as before", "make", exit(0), None, true),
        ("`make` exits 0 – not here", "make", exit(0), None, true),
        ("`make` exits 0 - not here", "make", exit(0), None, true),
        ("`make` exits 3 — as before", "make", exit(3), None, true),
        (
            "`git clean -fdx` exits 0 (must never be run here)",
            "git clean -fdx",
            exit(0),
            None,
            true,
        ),
        ("`git clean -fdx` exits 0;\nnot here", "git clean -fdx", exit(0), None, true),
        ("`make` fails (never)", "make", Expect::Fail, None, true),
        ("`make` passes (never)", "make", exit(0), None, true),
        ("`make` passes (NEVER)", "make", exit(0), None, true),
        ("`rg a b` returns a match (never)", "rg a b", exit(0), None, true),
        ("`make` fails (not here)", "make", Expect::Fail, None, true),
        ("`rg a b` returns no matches (in `c`)", "rg a b", Expect::FindNothing, None, true),
        ("`make` exits 3 (as before)", "make", exit(3), None, true),
        ("`make` exits 0 on Linux", "make", exit(0), None, true),
        ("`make` exits **0** at the head. (F3)", "make", exit(0), None, true),
        ("`make` exits 3 within 5m on Linux", "make", exit(3), Some(300_000), true),
        ("`make` exits 0 unless it rains", "make", exit(0), None, true),
        ("`app` prints `1.2` once", "app", print("1.2"), None, true),
        ("`app` prints exactly `1` (one)", "app", only("1"), None, true),
        ("`wc -l a` prints 3 (one a file)", "wc -l a", only("3"), None, true),
        ("`n a` shows ≥2 (two)", "n a", Expect::PrintAtLeast { number: 2 }, None, true),
        ("`n a` prints at least 2 now", "n a", Expect::PrintAtLeast { number: 2 }, None, true),
        ("`n a` prints at most 2 now", "n a", Expect::PrintAtMost { number: 2 }, None, true),
        ("`n` prints at most 3", "n", Expect::PrintAtMost { number: 3 }, None, false),
        // Success may have more said of it: that is judged, whatever it is.
        ("`make` passes from a clean tree", "make", exit(0), None, true),
        ("`make` passes and the log is empty", "make", exit(0), None, true),
        ("`make` passes and `make all`", "make", exit(0), None, true),
        ("`make` is green in both", "make", exit(0), None, true),
        ("`make` passes nowhere", "make", exit(0), None, true),
        ("`make` succeeds never", "make", exit(0), None, true),
        ("`make` passes no longer", "make", exit(0), None, true),
        ("`make lint` exits 0 and 2", "make lint", exit(0), None, true),
        ("`rg a b` returns a match in each", "rg a b", exit(0), None, true),
        // A remark in brackets before an ending is judged, too.
        ("`make` (core, `b` (c)) is green.", "make", exit(0), None, true),
        ("`make` (no longer) passes", "make", exit(0), None, true),
        ("`make x` (no flags) exits non-zero", "make x", Expect::Fail, None, true),
        // The success may be said before the colon or behind the dash.
        ("All tests pass: `make all`", "make all", exit(0), None, true),
        ("**Builds succeed** (all of them): `make all`.", "make all", exit(0), None, true),
        ("`make all` — all tests pass", "make all", exit(0), None, true),
        // What is said of an output in other words is judged as a whole.
        ("`app --help` shows all flags", "app --help", Expect::Exit, None, true),
        ("`rg a b` returns no matches in tests", "rg a b", Expect::Exit, None, true),
        ("`rg a b` returns no production matches", "rg a b", Expect::Exit, None, true),
        ("`make` prints at least 3, or none", "make", Expect::Exit, None, true),
        ("`make` prints at least 80%", "make", Expect::Exit, None, true),
        ("`make` prints at least -3", "make", Expect::Exit, None, true),
        ("`rg foo src` prints nothing, except the banner", "rg foo src", Expect::Exit, None, true),
        ("Build: `make` passes", "make", exit(0), None, true),
        ("`a.rs`: built, so: `make` passes", "make", exit(0), None, true),
        ("日本語の文書: `make` passes", "make", exit(0), None, true),
        ("words\n- [x] `make` exits 0", "make", exit(0), None, true),
        ("`` echo `date` `` exits\n0", "echo `date`", exit(0), None, false),
        ("`cat <in >out` passes", "cat <in >out", exit(0), None, false),
        ("`git ls-files a` returns nothing", "git ls-files a", Expect::BeSilent, None, false),
        ("`go test ./...` passes", "go test ./...", exit(0), None, false),
        ("`./check.sh` passes", "./check.sh", exit(0), None, false),
        ("`CI=1 make` passes", "CI=1 make", exit(0), None, false),
        ("`bin/Check all` passes", "bin/Check all", exit(0), None, false),
    ];
    for (text, line, expect, within, judged) in taken {
        let read = first(text);
        let command = Command { line: line.to_owned(), expect, within };
        assert_eq!((read.commands, read.judged), (vec![command], judged), "{text}");
    }
    let words = [
        "`src/main.rs`",
        "`src/main.rs` exists",
        "`Vec::new` returns `x`",
        "`make` does not pass",
        "`make` not passes",
        "`make` passes or is skipped",
        "`make` (or `ninja`) passes",
        "`make all` (OR `ninja`) passes",
        "All tests pass or are skipped: `make all`",
        "All tests pass: `make`",
        "All tests pass: `make all` on Linux",
        "`Foo bar` shows a page",
        "`app` shows a page",
        "`make` fails on Linux",
        "`rg a b` returns 0",
        "`isReady` returns `true`",
        "`Kind(id: 1, name: 2)`",
        "`make` prints 2 or 3",
        "`make` exits 256",
        "`make` prints 0.5",
        "`make` prints 3 lines",
        "`make` prints 80%",
        "`run …` passes",
        // What may take it back, whatever the words are.
        "`grep -rn foo src` — no hits",
        "`a b` — fails",
        "`git clean -fdx` — must never be run here",
        "Must exit non-zero: `make bad x`",
        "Returns nothing: `grep -r y src`",
        "not: `test -f x`",
        "Never do this: `git push --force origin main`",
        "Forbidden: `git stash drop`",
        "**Verify**: `a b`",
        "`make lint` exits with 0, 1 or 2",
        "`make lint` exits with 0 or 2",
        "`make lint` exits with 0 OR 2",
        "`make lint` exits with 0 **or** 2",
        "`make lint` exits with 0 2",
        "`make` exits 0: not here",
        "`make` exits 0.not here",
        "`make` prints `x` or `y`",
        "`make` prints `x`, `y`",
        "`rg a b` returns 1 match",
        "`make check` within 90s",
        "`a b` and `c d`",
        "Either of:\n- `a b`\n- `c d`",
        "**Either of:**\n- `a b` passes\n- `c d` passes",
        "Not to be run.\n- `a b`",
        "`a b`\n- Not to be run.",
        "`make test` fails, then passes after the change",
        "`## Usage section`",
        "`key: value of it`",
        "`\"hello world\"`",
        "`42 tests passed`",
        "`$ make all` passes",
        "`go ...` passes",
        "`ls src/...` passes",
        "`ls ./..../...` passes",
        "`make` — all of it is built",
        "`make all` - all of it is built",
        "`GET /health` — it is there",
        "`run_all` passes",
        "`AllTests` passes",
        "`docs/a.md` passes",
        "`a::b` passes",
        "`isReady` returns nothing",
        "`app` returns nothing",
        "`run <name>` passes",
        "`run <your name>` exits 0",
        "`` ` ` `` is a tick",
        "`make\nall` passes",
        "` ` passes",
        "running `make` passes",
        "`make` passesno",
        "`make`passes",
        "\\`make all`",
        "`a b`: see below",
        "`a b` exits",
        "`a b` within 5m of it",
        "`make` within 5m",
        "`a b` exits 0x1",
        "the command: `make` passes, note: never",
        "`a b` (old)",
        "```\n`a b` exits 0\n```",
        "x\n\n`a b` exits 0",
        "`make` prints ` `",
        "not a sub-item\n`a b` exits 0",
        "make test exits 0",
    ];
    for text in words {
        let read = first(text);
        assert!(read.commands.is_empty() && read.judged, "{text}: {:?}", read.commands);
    }
    for text in [
        "`a b` and `c d` exit 0",
        "`a b` exits 0 and `c d` exits 0",
        "`a b` + `c d` pass (F3)",
        "`a b`\n- `c d`.",
    ] {
        let lines: Vec<String> = first(text).commands.into_iter().map(|one| one.line).collect();
        assert_eq!(lines, ["a b", "c d"], "{text}");
    }
    assert!(!first("—").judged && first("").commands.is_empty());
    // What is said of a list by a line that has a command, too, no form can tell either.
    assert_eq!(first("`a b` exits 0 in either of:\n- `c d` passes").commands.len(), 1);
    // However many are joined: no stack is used for it.
    let many = "`a b` passes and ".repeat(30_000) + "`c d` passes";
    assert_eq!(first(&many).commands.len(), 30_001);
}

#[test]
fn what_a_program_writes_as_a_criterion_is_read_back() {
    let text = |text: &str| text.to_owned();
    let expect = [
        exit(0),
        exit(7),
        Expect::Fail,
        Expect::BeSilent,
        Expect::FindNothing,
        Expect::Print { text: text("a`b") },
        Expect::PrintOnly { text: text(" `x") },
        Expect::PrintAtLeast { number: 3 },
        Expect::PrintAtMost { number: 0 },
    ];
    let line = |(place, expect): (usize, Expect)| Command {
        line: ["make", "a `b`", "x `", "echo a\\"][place % 4].to_owned(),
        expect,
        within: [None, Some(90_000), Some(1)][place % 3],
    };
    let all: Vec<Command> = expect.into_iter().enumerate().map(line).collect();
    for words in ["", "It is fast.", "Its parts:\n- one\n\nand more"] {
        for count in 0..=all.len() {
            let read = first(&clause::written(words, &all[..count]));
            assert_eq!((&read.commands[..], read.judged), (&all[..count], !words.is_empty()));
        }
    }
}

const PAGE: &str = include_str!("../../docs/plan-format.md");

/// What the words of the page's table mean.
fn meaning(words: &str) -> Expect {
    let number = words.rsplit(' ').next().and_then(|word| word.parse::<u64>().ok());
    let code = line::spans(words).first().map(|span| span.text.to_owned());
    match (words, number, code) {
        ("exit with another status than 0", ..) => Expect::Fail,
        ("exit with status 0 and print nothing", ..) => Expect::BeSilent,
        ("exit by itself; what it prints is judged", ..) => Expect::Exit,
        ("exit with status 1 and print nothing", ..) => Expect::FindNothing,
        (_, Some(number), _) if words.starts_with("exit with status ") => exit(number as u8),
        (_, Some(number), _) if words.starts_with("print a number of at least ") => {
            Expect::PrintAtLeast { number }
        }
        (_, Some(number), _) if words.starts_with("print a number of at most ") => {
            Expect::PrintAtMost { number }
        }
        (_, _, Some(text)) if words.ends_with(" as whole words") => Expect::Print { text },
        (_, _, Some(text)) if words.ends_with(" and nothing else") => Expect::PrintOnly { text },
        _ => unreachable!("the page says {words:?}"),
    }
}

#[test]
fn the_page_says_what_the_reader_does() {
    let rows = PAGE.split_once("| Ending |").unwrap().1.lines().skip(2);
    let mut endings = 0;
    for row in rows.take_while(|line| line.starts_with('|')) {
        let cells = line::cells(row).unwrap();
        let spans = line::spans(&cells[0]);
        let shown: Vec<&str> = spans.iter().map(|span| span.text).collect();
        let shown = if cells[0].starts_with('(') { vec!["."] } else { shown };
        for ending in shown {
            let read = first(&format!("`make all` {ending}"));
            assert_eq!(read.commands.len(), 1, "{ending}");
            assert_eq!(
                (read.commands[0].expect.clone(), read.judged),
                (meaning(&cells[1]), cells[1].ends_with("judged")),
                "{ending}"
            );
            endings += 1;
        }
    }
    assert_eq!(endings, 27);
    let example = PAGE.split_once("````markdown\n").unwrap().1.split_once("````").unwrap().0;
    let read = endstate::plan::canonical(example).unwrap();
    assert_eq!(read.remarks, []);
    assert_eq!(write::write(&read.plan), example);
    assert_eq!(unplaced(read::read(&example.replace('\n', "\r\n")).plan), unplaced(read.plan));
    assert!(PAGE.lines().count() <= 120);
}

/// A plan of these sprints and rows, and the remarks about it: weight, code, line, column, width.
fn remarks(text: &str) -> Vec<(Weight, Code, u32, u32, u32)> {
    let read = endstate::plan::checked(read::read(text), text);
    read.remarks.iter().map(|one| (one.weight, one.code, one.line, one.column, one.width)).collect()
}

const TABLE: &str = "# t\n## Work Units\n| Work Unit | Directory | Sprints | Layer | Dependencies |\n|---|---|---|---|---|\n";

#[test]
fn faults_of_a_document_have_their_exact_place() {
    use Weight::{Fault, Warning};
    let done = "**Exit criteria**:\n- [ ] it holds\n";
    let sprint = |head: &str, more: &str| format!("### Sprint {head}\n{more}{done}");
    let one = sprint("1: a", "");
    let cases = [
        (String::new(), vec![(Fault, Code::EmptyPlan, 1, 1, 0)]),
        (format!("{one}\0"), vec![(Fault, Code::InvalidValue, 4, 1, 0)]),
        (format!("{one}\n```\n### Sprint 2: b"), vec![(Fault, Code::Syntax, 5, 1, 0)]),
        (format!("---\n{one}"), vec![(Fault, Code::Syntax, 1, 1, 0)]),
        (format!("---\nplan: endstate/9\n---\n{one}"), vec![(Fault, Code::UnknownFormat, 2, 1, 4)]),
        (
            format!("---\na: 1\ndefaults:\n  timeout: 5x\n---\n{one}"),
            vec![(Fault, Code::InvalidValue, 4, 3, 7)],
        ),
        (
            format!("---\ndefaults: {{modle: large}}\n---\n{one}"),
            vec![(Warning, Code::UnknownField, 2, 12, 5)],
        ),
        // What is no key of a plan is nobody's business.
        (format!("---\na: [\na: 2\n---\n{one}"), vec![]),
        (
            format!("---\nplan: endstate/1\ndefaults: {{model: small, model: large}}\n---\n{one}"),
            vec![(Fault, Code::DuplicateField, 3, 12, 5)],
        ),
        (
            format!("---\nfeature_name: |\n  A\nsource: {{file: a.md}}\n---\n{one}"),
            vec![(Fault, Code::InvalidValue, 2, 1, 12), (Fault, Code::MissingField, 4, 1, 6)],
        ),
        (
            format!(
                "---\ndefaults: {{attempts: 1,\n  model: small}} # two lines\nsource: \"a.md\"\n---\n{one}"
            ),
            vec![
                (Fault, Code::InvalidValue, 2, 1, 8),
                (Fault, Code::InvalidValue, 3, 3, 5),
                (Fault, Code::InvalidValue, 4, 1, 6),
            ],
        ),
        (
            format!(
                "---\nsource: {{file: \"a, b #1\", sha256: 'x'}} # 'why'\ndefaults:\n  attempts: 0\n---\n{one}"
            ),
            vec![(Fault, Code::InvalidValue, 4, 3, 8)],
        ),
        (format!("{one}### Sprint two parts"), vec![(Fault, Code::Syntax, 4, 1, 0)]),
        (format!("{one}## Sprint 2: b"), vec![(Fault, Code::Syntax, 4, 1, 0)]),
        (
            sprint("1: a", "**Kind**: code\n**Depends on**: code\n"),
            vec![(Fault, Code::DependencyUnknown, 3, 17, 4)],
        ),
        (sprint("1: a", "**Status**: odd\n"), vec![(Fault, Code::InvalidValue, 2, 13, 3)]),
        (sprint("1: a", "**Risk**: 9\n"), vec![(Fault, Code::NumberOutOfRange, 2, 11, 1)]),
        (sprint("1: a", "**Timeout**: 0s\n"), vec![(Fault, Code::NumberOutOfRange, 2, 14, 2)]),
        (
            format!("{one}- [ ] `a b` passes within 0s"),
            vec![(Fault, Code::NumberOutOfRange, 4, 1, 0)],
        ),
        (
            sprint("1: a", "**Lines**: 9\n**Lines**: 9\n"),
            vec![(Fault, Code::DuplicateField, 3, 1, 0)],
        ),
        (sprint("1: a", "**Staus**: done\n"), vec![(Warning, Code::UnknownField, 2, 1, 0)]),
        (sprint("1: a", "**Tasks**: much\n"), vec![(Warning, Code::Syntax, 2, 1, 0)]),
        ("### Sprint 1: a\n".to_owned(), vec![(Warning, Code::EmptyCriteria, 1, 12, 1)]),
        (format!("{one}{one}"), vec![(Fault, Code::DuplicateId, 4, 12, 1)]),
        (format!("{one}- [ ] AC-1: a\n- [ ] AC-1: b"), vec![(Fault, Code::DuplicateId, 5, 7, 4)]),
        (format!("{one}- [ ] AC-1: —"), vec![(Fault, Code::Empty, 4, 7, 4)]),
        (
            sprint("1: a", "**Depends on**: 京, plan\n").replace(", plan", ""),
            vec![(Fault, Code::DependencyUnknown, 2, 17, 1)],
        ),
        (
            sprint("1: a", "**Depends on**: 2\n") + &sprint("2: b", ""),
            vec![(Fault, Code::OutOfOrder, 2, 17, 1)],
        ),
        (sprint("1: a", "**Depends on**: 1\n"), vec![(Fault, Code::DependencyCycle, 2, 17, 1)]),
        (sprint("1: a", "**Depends on**: plan\n"), vec![(Fault, Code::DependencyCycle, 1, 1, 0)]),
        (
            format!("{TABLE}| a | . | 1 | 1 | b-2 |\n{one}"),
            vec![(Fault, Code::DependencyUnknown, 5, 19, 3)],
        ),
        (
            format!("{TABLE}| a | . | 2 | 3 | none |\n{one}"),
            vec![(Fault, Code::PlanDisagrees, 5, 1, 0); 2],
        ),
        (
            format!("{TABLE}| a | . | 1 | 1 | none |\n| a | b | 1 | 1 | none |\n{one}"),
            vec![(Fault, Code::DuplicateId, 6, 1, 0)],
        ),
        (
            format!("{TABLE}| a | . | 1 | 1 |\n{one}"),
            vec![(Fault, Code::Syntax, 5, 1, 0), (Fault, Code::PlanDisagrees, 6, 1, 0)],
        ),
        (
            format!("## Work Unit: a\n{one}## Work Unit: a\n"),
            vec![(Fault, Code::DuplicateId, 5, 1, 0)],
        ),
        (
            format!("## Work Unit: a\n{one}## Work Unit:\n"),
            vec![(Fault, Code::InvalidValue, 5, 1, 0), (Fault, Code::EmptyPlan, 5, 1, 0)],
        ),
        (
            format!("{one}## Summary\n| Metric | Value |\n|--|--|\n| Total sprints | 2 |\n"),
            vec![(Fault, Code::PlanDisagrees, 7, 1, 0)],
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(remarks(&text), expected, "{text}");
    }
}

#[test]
fn a_circle_names_all_that_are_in_it() {
    let unit = |name: &str, more: &str| {
        format!("## Work Unit: {name}\n### Sprint 1: x\n{more}**Exit criteria**:\n- [ ] y\n")
    };
    let rows = "| a | . | 1 | 1 | b |\n| b | . | 1 | 1 | c/1 |\n| c | . | 1 | 1 | none |\n";
    let text = format!(
        "{TABLE}{rows}{}{}{}",
        unit("a", ""),
        unit("b", ""),
        unit("c", "**Depends on**: a\n")
    );
    let plan = read::read(&text).plan;
    let found = check::check(&plan);
    assert_eq!(found.len(), 1, "{found:?}");
    let mut ids: Vec<&str> = found[0].got.split(" -> ").collect();
    assert_eq!(ids.first(), ids.last());
    ids.pop();
    ids.sort_unstable();
    assert_eq!((found[0].code, ids), (Code::DependencyCycle, vec!["a", "a/1", "b", "b/1", "c/1"]));
    // Two units whose sprints wait for each other's are no circle.
    let crossed = "## Work Unit: a\n### Sprint 1: x\n### Sprint 2: x\n**Depends on**: 1, b/1\n## Work Unit: b\n### Sprint 1: x\n\
                   ### Sprint 2: x\n**Depends on**: 1, a/1\n";
    let plan = read::read(crossed).plan;
    assert!(check::check(&plan).iter().all(|one| one.code == Code::EmptyCriteria));
}

#[test]
fn references_edges_and_layers() {
    let rows = "| a | . | 2 | 1 | none |\n| b | . | 1 | 2 | a |\n| 2 | . | 1 | 3 | b/1, a |\n";
    let text = format!(
        "{TABLE}{rows}## Work Unit: a\n### Sprint 1: x\n### Sprint 2: y\n## Work Unit: b\n### Sprint 1: z\n**Depends on**: a/2\n\
         ## Work Unit: 2\n### Sprint 1: w\n"
    );
    let plan = read::read(&text).plan;
    let index = order::Index::new(&plan);
    let target =
        |unit: usize, name: &str| index.resolve(&plan.units[unit].name, name).map(|one| one.id());
    assert_eq!(target(0, "2").as_deref(), Some("a/2"));
    assert_eq!(target(1, "2").as_deref(), Some("2"));
    assert_eq!(target(1, "a/1").as_deref(), Some("a/1"));
    assert_eq!((target(1, "c"), target(1, "a/3")), (None, None));
    let edges: Vec<String> =
        order::edges(&plan).iter().map(|(from, to)| format!("{from} {to}")).collect();
    assert_eq!(edges, ["a/1 a/2", "a b", "a/2 b/1", "b/1 2", "a 2"]);
    let layers = [("2", 3), ("a", 1), ("b", 2)].map(|(unit, layer)| (unit.to_owned(), layer));
    assert_eq!(order::layers(&plan), layers.into());
}

#[test]
fn notes_are_kept_where_they_stand() {
    let text = "# t\nabout it\n\n## Work Unit: a\nof a\n### Sprint 1: x\nfirst\n**Tasks**:\n1. do\n   it\nthen\n\n2. more\n\nlast\n\
                ## Decisions\nnone yet\n### Deeper\n";
    let plan = read::read(text).plan;
    let unit = &plan.units[0];
    assert_eq!(
        (plan.notes.as_str(), unit.notes.as_str()),
        ("about it\n\n## Decisions\nnone yet\n### Deeper", "of a")
    );
    let tasks: Vec<&str> = unit.sprints[0].tasks.iter().map(|task| task.text.as_str()).collect();
    assert_eq!(tasks, ["do\nit\nthen", "more"]);
    assert_eq!(unit.sprints[0].notes, "first\n\nlast");
    assert_eq!(unit.sprints[0].lines, LineRange { first: 6, last: 15 });
    assert_eq!(unit.sprints[0].tasks[0].lines, LineRange { first: 9, last: 11 });
}

#[test]
fn ids_are_given_by_place_and_pass_over_those_that_are_taken() {
    let text = "### Sprint 1: x\n**Entry criteria**:\n- a\n**Exit criteria**:\n- [x] b\n- AC-003: c\n* d\n1. AC-1 (added): e\n";
    let plan = read::read(text).plan;
    let sprint = &plan.units[0].sprints[0];
    assert_eq!(sprint.entry[0].id, "EC-001");
    let exit: Vec<(&str, bool, bool)> =
        sprint.exit.iter().map(|one| (one.id.as_str(), one.ticked, one.added)).collect();
    assert_eq!(
        exit,
        [
            ("AC-001", true, false),
            ("AC-003", false, false),
            ("AC-004", false, false),
            ("AC-1", false, true)
        ]
    );
}

#[test]
fn size_and_depth_are_no_danger() {
    let headings: String = (0..100_000).map(|number| format!("### Sprint {number}: x\n")).collect();
    let read = endstate::plan::checked(read::read(&headings), &headings);
    assert_eq!(read.plan.sprints().count(), 100_000);
    let deep: String =
        (0..1000).map(|depth| format!("{}- `a b` exits 0\n", " ".repeat(depth))).collect();
    let text = format!("### Sprint 1: x\n**Exit criteria**:\n{deep}");
    assert_eq!(read::read(&text).plan.units[0].sprints[0].exit[0].commands.len(), 1000);
    let unclosed: String =
        (0..20_000).map(|count| format!("{} x\n", "`".repeat(3 + count % 50))).collect();
    assert_eq!(line::guarded(&unclosed, line::Within::Unit).len(), 20_001);
    let ticks = (1..1500).map(|count| "`".repeat(count)).collect::<Vec<_>>().join(" ");
    assert!(line::spans(&ticks).is_empty());
}

#[test]
fn only_a_document_that_says_so_is_canonical() {
    for text in [
        "",
        "plan: endstate/1",
        "# t\n---\nplan: endstate/1\n---\n",
        "---\nname: x\n---\nplan: endstate/1\n",
        "---\nplan: other\n---",
    ] {
        assert!(endstate::plan::canonical(text).is_none(), "{text}");
    }
    assert!(endstate::plan::canonical("\u{feff}---\r\nplan: \"endstate/2\"\r\n---\r\n").is_some());
}
