use endstate::plan::evaluate::*;
use endstate::plan::judge::Answers;
use endstate::plan::prioritize::sound;
use std::collections::BTreeSet;

fn sprint(label: &str, entry: &str, tasks: &str, exit: &str) -> String {
    format!(
        "## Sprint {label}: Name {label}\n\n**Entry criteria**:\n- [ ] {entry}\n\n**Tasks**:\n{tasks}\n**Exit criteria**:\n{exit}\n---\n\n"
    )
}

#[test]
fn vague_and_missing_criteria_become_checks() {
    let one = sprint(
        "1",
        "no prerequisites",
        "1. Create `src/a.rs`\n",
        "- [ ] `make check` works correctly.\n- [ ] `src/a.rs` is complete\n- [ ] `make test` passes\n",
    );
    let two = sprint(
        "2",
        "Sprint 1 done",
        "1. Create `src/b.rs` and its tests\n",
        "- [ ] It looks nice\n",
    );
    let text = format!("# P\n\n{one}{two}");
    let done = evaluate(&text, 20, &Answers::new()).unwrap();
    // The tests of the whole say nothing about the second, and a file that exists need not be complete.
    let expected = text
        .replace("`make check` works correctly.", "`make check` exits 0")
        .replace("- [ ] It looks nice\n", "- [ ] It looks nice\n- [ ] File exists: `src/b.rs`\n");
    assert_eq!(done.text, expected);
    assert_eq!(done.fixes.len(), 2);
    let ids: Vec<_> = done.left.iter().map(|one| one.id.as_str()).collect();
    assert_eq!(ids, ["wording:plan/1/AC-002"]);
    assert!(done.after.iter().all(|one| one.machine_verifiable));
    assert_eq!(evaluate(&done.text, 20, &Answers::new()).unwrap().fixes, []);
}

/// Whatever is put in the place of a criterion says at least as much.
#[test]
fn no_rewrite_is_weaker() {
    let tasks = "1. Create `src/a.rs`\n";
    for words in [
        "`src/a.rs` is complete",
        "`bin/settle data.csv` works correctly",
        "`make deploy` is finished",
    ] {
        let exit = format!("- [ ] {words}\n- [ ] `make test` passes\n");
        let text = sprint("1", "none", tasks, &exit);
        let done = evaluate(&text, 20, &Answers::new()).unwrap();
        assert_eq!((&done.text, done.fixes.len()), (&text, 0), "{words}");
        assert_eq!(done.left[0].id, "wording:plan/1/AC-001", "{words}");
    }
    let text =
        sprint("1", "none", tasks, "- [ ] `src/a.rs` is complete\n- [ ] `make test` passes\n");
    let told = |answer: &str| {
        let answer = endstate::vocab::question::Answer::Text { text: answer.to_owned() };
        evaluate(&text, 20, &[("wording:plan/1/AC-001".to_owned(), answer)].into()).unwrap()
    };
    // Not measurable; measurable, and about something else.
    for answer in ["It is fine", "`make lint` passes"] {
        assert_eq!(told(answer).text, text, "{answer}");
    }
    let better = "`grep -c todo src/a.rs` returns 0";
    assert!(told(better).text.contains(better));
}

/// What sprints are to be shown by is not taken from the rest of the plan.
#[test]
fn a_sprint_without_a_check_does_not_get_that_of_others() {
    let one = sprint("1", "none", "1. Create `src/a.rs`\n", "- [ ] `make test` passes\n");
    let two = sprint(
        "2",
        "Sprint 1 done",
        "1. Tune the cache\n2. Tune the index\n",
        "- [ ] The lead agrees\n",
    );
    let text = format!("# P\n\n{one}{two}");
    let done = evaluate(&text, 20, &Answers::new()).unwrap();
    assert_eq!(done.text, text);
    let asked = done.left.iter().find(|one| one.id == "exit:plan/2").unwrap();
    assert!(asked.text.starts_with("Which command or file shows that sprint 2"), "{}", asked.text);
}

/// A change that would make the plan unreadable is taken back, and the others are not.
#[test]
fn changes_that_break_a_plan_are_taken_back_alone() {
    let small = |label: &str| {
        let entry = match label {
            "1" => "none".to_owned(),
            _ => format!("Sprint {} complete", label.parse::<u32>().unwrap() - 1),
        };
        let (tasks, exit) =
            (format!("1. Create `src/{label}.rs`\n"), format!("- [ ] `make {label}` passes\n"));
        sprint(label, &entry, &tasks, &exit)
    };
    // In the table, 1 and 2 together would wait for themselves.
    let table = "| Sprint | Name | Depends on |\n|--|--|--|\n| 1 | A | none |\n| 2 | B | 1 |\n";
    let all = ["1", "2", "3", "4"].map(small).concat();
    let done = evaluate(&format!("# P\n\n{table}\n{all}"), 70, &Answers::new()).unwrap();
    let labels: Vec<_> = done.fixes.iter().map(|fix| fix.what.as_str()).collect();
    assert_eq!(labels, ["3 and 4", "2 and 3"], "{}", done.text);
    assert_eq!(sound(&done.text).unwrap().sprints().count(), 2);
}

/// What a sprint says beside its place in the order is not lost when it joins the one before.
#[test]
fn joined_sprints_lose_nothing_but_their_order() {
    let one = sprint("1", "none", "1. Create `src/a.rs`\n", "- [ ] `make a` passes\n");
    let two = |entry: &str| {
        let two = sprint("2", entry, "1. Create `src/b.rs`\n", "- [ ] `make b` passes\n");
        evaluate(&format!("# P\n\n{one}{two}"), 70, &Answers::new()).unwrap()
    };
    let done = two("Sprint 1 complete");
    assert_eq!(done.fixes.len(), 1);
    assert_eq!(done.text.matches("Entry criteria").count(), 1, "{}", done.text);
    assert_eq!(two("Sprint 1 complete and `keys.json` exists").fixes, []);
    let field = done.text.replace("; Name 2", "").replace(
        "**Tasks**:\n1. Create `src/b.rs`",
        "## Sprint 2: B\n\n**Depends on**: Sprint 1\n\n**Tasks**:\n1. Create `src/b.rs`",
    );
    let done = evaluate(&field, 70, &Answers::new()).unwrap();
    assert_eq!(
        (done.fixes.len(), done.text.matches("Depends on").count()),
        (1, 0),
        "{}",
        done.text
    );
}

#[test]
fn tasks_of_the_second_half_are_counted_anew() {
    let tasks: String = (1..=8).map(|n| format!("{n}. Create `src/f{n}.rs`\n")).collect();
    let text = sprint("1", "no prerequisites", &tasks, "- [ ] `make build` succeeds\n");
    let done = evaluate(&text, 30, &Answers::new()).unwrap();
    assert!(
        done.text.contains("**Tasks**:\n\n1. Create `src/f5.rs`\n2. Create `src/f6.rs`"),
        "{}",
        done.text
    );
    assert_eq!(done.fixes[0].what, "Name 1: 30 turns; from task 5 on");
}

/// Nothing is taken from elsewhere for a criterion that does not say it.
#[test]
fn what_a_criterion_does_not_name_is_left() {
    let one = sprint(
        "1",
        "none",
        "1. Create `src/a.rs`, which reads config.json\n",
        "- [ ] The logic works correctly\n- [ ] The module is complete\n- [ ] `src/a.rs` and its tests are complete\n\
         - [ ] `gh workflow view tests.yml` succeeds\n",
    );
    let done = evaluate(&one, 20, &Answers::new()).unwrap();
    assert_eq!((done.text.as_str(), done.fixes.len()), (one.as_str(), 0), "{:?}", done.fixes);
    assert_eq!(done.left.len(), 3, "{:?}", done.left);
    let data = sprint("1", "none", "1. Create config.json\n", "- [ ] It looks nice\n");
    assert_eq!(evaluate(&data, 20, &Answers::new()).unwrap().text, data);
}

#[test]
fn what_cannot_be_computed_is_left_and_answers_are_used() {
    let text = sprint("1", "none", "1. Think about it\n", "- [ ] It works well\n");
    let done = evaluate(&text, 20, &Answers::new()).unwrap();
    assert_eq!((done.text.as_str(), done.fixes.len()), (text.as_str(), 0));
    let ids: Vec<_> = done.left.iter().map(|one| one.id.as_str()).collect();
    assert_eq!(ids, ["wording:plan/1/AC-001", "exit:plan/1"]);
    let answer =
        endstate::vocab::question::Answer::Text { text: "`make check`\nexits 0".to_owned() };
    let done = evaluate(&text, 20, &[("wording:plan/1/AC-001".to_owned(), answer)].into()).unwrap();
    assert!(
        done.text.contains("- [ ] `make check` exits 0\n") && done.left.is_empty(),
        "{}",
        done.text
    );
}

#[test]
fn large_sprints_become_two_and_all_that_waited_waits_for_the_second() {
    let tasks: String = (1..=8).map(|n| format!("{n}. Create `src/f{n}.rs`\n")).collect();
    let large = sprint("1", "no prerequisites", &tasks, "- [ ] `make build` succeeds\n");
    let next = sprint(
        "2",
        "Sprint 1 exit criteria met",
        "1. Create `src/x.rs`\n",
        "- [ ] `make build` succeeds\n",
    );
    let done = evaluate(&format!("# P\n\n{large}{next}"), 30, &Answers::new()).unwrap();
    let plan = sound(&done.text).unwrap();
    let rows: Vec<_> = plan
        .sprints()
        .map(|one| (one.label.as_str(), one.name.as_str(), one.tasks.len()))
        .collect();
    assert_eq!(
        rows,
        [("1", "Name 1 (part 1)", 4), ("2", "Name 1 (part 2)", 4), ("3", "Name 2", 1)]
    );
    let edges: Vec<_> =
        plan.dependencies.iter().map(|one| format!("{}>{}", one.from, one.to)).collect();
    assert_eq!(edges, ["plan/1>plan/2", "plan/2>plan/3"]);
    assert!(done.after.iter().all(|one| one.bounded_scope), "{:?}", done.after);
    assert_eq!(plan.sprint("plan/1").unwrap().exit.len(), 5);
}

#[test]
fn small_sprints_join_the_next() {
    let one = sprint("1", "no prerequisites", "1. Say `a`\n", "- [ ] `make a` passes\n");
    let two = sprint("2", "Sprint 1 done", "1. Create `src/b.rs`\n", "- [ ] `make b` passes\n");
    let three = sprint(
        "3",
        "Sprint 2 done",
        "1. Create `src/c.rs`\n2. Create `src/d.rs`\n3. Create `src/e.rs`\n",
        "- [ ] `make c` passes\n",
    );
    let done = evaluate(&format!("# P\n\n{one}{two}{three}"), 60, &Answers::new()).unwrap();
    let plan = sound(&done.text).unwrap();
    let rows: Vec<_> = plan
        .sprints()
        .map(|one| (one.label.as_str(), one.name.as_str(), one.tasks.len(), one.exit.len()))
        .collect();
    assert_eq!(rows, [("1", "Name 1; Name 2", 2, 2), ("2", "Name 3", 3, 1)], "{}", done.text);
    assert_eq!(plan.dependencies.len(), 1);
}

/// A part gets the files that it makes itself, not those of the whole.
#[test]
fn parts_end_with_their_own_files() {
    let tasks = "1. Create `a/x.rs`\n2. Create `a/y.rs`\n3. Create `b/x.rs`\n4. Create `b/y.rs`\n";
    let text = sprint("1", "none", tasks, "- [ ] The lead agrees\n");
    let done = evaluate(&text, 50, &Answers::new()).unwrap();
    let plan = sound(&done.text).unwrap();
    let exit: Vec<Vec<&str>> =
        plan.sprints().map(|one| one.exit.iter().map(|one| one.text.as_str()).collect()).collect();
    let own = ["File exists: `b/x.rs`", "File exists: `b/y.rs`"];
    assert_eq!(exit[0], ["File exists: `a/x.rs`", "File exists: `a/y.rs`"]);
    assert_eq!(exit[1], [&["The lead agrees"][..], &own[..]].concat());
}

/// What waits for nobody may begin first, and is not put behind another; links to a sprint go with its heading.
#[test]
fn what_waits_for_nobody_stays_alone_and_links_are_kept() {
    let small = |label: &str, more: &str| {
        format!(
            "## Sprint {label}: S{label}\n\n{more}**Tasks**:\n1. Fix `a{label}.md`\n\n**Exit criteria**:\n\
             - [ ] `make test` passes\n\n"
        )
    };
    let free = small("2", "**Depends on**: none\n\n");
    let notes = "## Notes\n\nSee [it](#sprint-2-s2) and [that](#sprint-3-s3).\n";
    let text = format!("# P\n\n{}{free}{notes}", small("1", ""));
    let done = evaluate(&text, 200, &Answers::new()).unwrap();
    assert_eq!(done.text, text);
    let text = format!("# P\n\n{}{}{}{notes}", small("1", ""), small("2", ""), small("3", ""));
    let done = evaluate(&text, 200, &Answers::new()).unwrap();
    let heads: Vec<&str> = done.text.lines().filter(|line| line.starts_with("## Sprint")).collect();
    let linked = match heads.as_slice() {
        ["## Sprint 1: S1; S2; S3"] => ["sprint-1-s1-s2-s3", "sprint-1-s1-s2-s3"],
        ["## Sprint 1: S1; S2", "## Sprint 2: S3"] => ["sprint-1-s1-s2", "sprint-2-s3"],
        _ => panic!("{heads:?}"),
    };
    let [it, that] = linked;
    let expected = format!("See [it](#{it}) and [that](#{that}).");
    assert!(done.text.contains(&expected), "{}", done.text);
}

/// Nobody is sent to what is waited for, started or done by a person, so no code becomes a part of it.
#[test]
fn only_sprints_of_one_kind_are_joined() {
    let small = |label: &str, more: &str| {
        format!(
            "## Sprint {label}: S{label}\n\n{more}**Tasks**:\n1. Write `docs/{label}.md`\n\n**Exit criteria**:\n\
             - [ ] `test -f docs/{label}.md` exits 0\n\n"
        )
    };
    let merges = |one: &str, other: &str| {
        let kind = |word: &str| {
            if word.is_empty() { String::new() } else { format!("**Type**: {word}\n\n") }
        };
        let text = format!("# P\n\n{}{}", small("1", &kind(one)), small("2", &kind(other)));
        evaluate(&text, 200, &Answers::new()).unwrap().fixes.len()
    };
    for kind in ["deferred", "manual", "background", "command"] {
        assert_eq!((merges("", kind), merges(kind, "")), (0, 0), "{kind}");
    }
    for (kind, expected) in [("", 1), ("code", 1), ("command", 1), ("deferred", 0), ("manual", 0)] {
        assert_eq!(merges(kind, kind), expected, "{kind}");
    }
}

/// A sprint that took another in does not name itself among those it waits for.
#[test]
fn joined_sprints_wait_for_those_both_waited_for() {
    let sprint = |label: &str, depends: &str, tasks: u32| {
        let tasks: String =
            (1..=tasks).map(|n| format!("{n}. Create `src/p{label}/f{n}.rs`\n")).collect();
        format!(
            "## Sprint {label}: S{label}\n\n**Depends on**: {depends}\n\n**Tasks**:\n{tasks}\n**Exit criteria**:\n\
             - [ ] `make s{label}` passes\n\n"
        )
    };
    let text = |last: &str| {
        let first = [sprint("1", "none", 8), sprint("2", "none", 8), sprint("3", "Sprint 2", 1)];
        format!("# P\n\n{}{}{}", first.concat(), sprint("4", last, 1), sprint("5", "Sprint 4", 8))
    };
    let edges = |text: &str| {
        let plan = sound(text).unwrap();
        let all = plan.dependencies.iter().map(|one| format!("{}>{}", one.from, one.to));
        all.collect::<Vec<_>>().join(" ")
    };
    let done = evaluate(&text("Sprints 2 and 3"), 70, &Answers::new()).unwrap();
    assert_eq!(done.fixes.len(), 1, "{:?} {:?}", done.fixes, done.undone);
    assert_eq!(edges(&done.text), "plan/2>plan/3 plan/3>plan/4", "{}", done.text);
    assert!(!done.text.contains("Sprints 2 and 3"), "{}", done.text);
    // The first of the two does not wait for Sprint 1, so the line would have to be worded anew.
    let done = evaluate(&text("Sprints 1 and 3"), 70, &Answers::new()).unwrap();
    assert!(done.fixes.iter().all(|fix| fix.what != "3 and 4"), "{:?}", done.fixes);
    let why = "`plan/3` would name itself among those it waits for";
    assert!(done.undone.iter().any(|fix| fix.what.ends_with(why)), "{:?}", done.undone);
}

/// Two small sprints, of which the second goes on below its heading as given.
fn pair(exit: &str, below: &str) -> String {
    format!(
        "# P\n\n## Sprint 1: S1\n\n**Tasks**:\n1. Fix `a1.md`\n\n**Exit criteria**:\n\n{exit}\n\n\
         ## Sprint 2: S2\n{below}\n"
    )
}

/// All criteria of a plan with the way they are checked.
fn criteria(text: &str) -> BTreeSet<String> {
    let plan = sound(text).unwrap();
    let all = plan.sprints().flat_map(|one| one.exit.iter().chain(&one.entry));
    all.map(|one| format!("{:?} {}", one.check, one.text)).collect()
}

/// What stood below a heading does not become a part of the criterion that stands before it now.
#[test]
fn joined_sprints_ask_for_what_they_asked_for() {
    let mut joined = 0;
    for exit in [
        "- [ ] `test ! -d tmp`",
        "Verify: `test -f b`",
        "- [ ] `make a` passes\n- [ ] `make b` passes",
    ] {
        for below in [
            "Rename `a.py` to `b.py`.\n\n**Exit criteria**:\n- [ ] `test -f b.py`",
            "Rename `a.py` to `b.py`.\nExit: `test -f b.py`",
            "Remove `tmp/`.",
            "**Priority**: 3\nRemove `tmp/`.\n\n1. Fix `a2.md`",
            "1. Fix `a2.md`\n\n**Exit criteria**:\n- [ ] `test -f b.py`",
            "- [ ] Fix `a2.md`",
            "**Depends on**: Sprint 1\n\nRemove `tmp/`.\n1. Fix `a2.md`",
            "**Entry criteria**: Sprint 1 complete\nRemove `tmp/`.",
        ] {
            let text = pair(exit, below);
            let done = evaluate(&text, 200, &Answers::new()).unwrap();
            joined += done.fixes.len();
            let gone = |one: &&String| !one.contains("Sprint 1");
            let was: BTreeSet<String> = criteria(&text).iter().filter(gone).cloned().collect();
            assert!(was.is_subset(&criteria(&done.text)), "{text}\n{}", done.text);
            let words: Vec<&str> =
                text.split_whitespace().filter(|one| one.contains("tmp/")).collect();
            assert!(words.iter().all(|word| done.text.contains(word)), "{}", done.text);
        }
    }
    assert!(joined > 5, "{joined}");
}

/// What the second asks for before it begins may be what the first makes.
#[test]
fn what_begins_with_more_than_the_one_before_stays_alone() {
    let one =
        |entry: &str| sprint("1", entry, "1. Create `src/a.rs`\n", "- [ ] `test -f lexer.md`\n");
    let two = |first: &str, entry: &str| {
        let entry = format!("Sprint 1 complete\n- [ ] {entry}");
        let two = sprint("2", &entry, "1. Create `src/b.rs`\n", "- [ ] `make b` passes\n");
        evaluate(&format!("# P\n\n{}{two}", one(first)), 70, &Answers::new()).unwrap().fixes
    };
    for entry in ["`test -f lexer.md`", "Lexer reviewed by a person", "`keys.json` exists"] {
        assert_eq!(two("none", entry), [], "{entry}");
    }
    let both = "`keys.json` exists";
    assert_eq!(two(both, both), []);
}

/// Names are joined inside of the marks around them, and a range of sprints that are one is that one.
#[test]
fn headings_and_ranges_stay_what_they_are() {
    let small = |number: u32, name: &str| {
        let most = if number == 3 { 9 } else { 1 };
        let tasks: String = (1..=most).map(|task| format!("{task}. Fix `a{task}.md`\n")).collect();
        format!(
            "## {name}\n\n**Tasks**:\n{tasks}\n**Exit criteria**:\n- [ ] `make t{number}` passes\n\n"
        )
    };
    let plan = |more: &str, heads: [&str; 3]| {
        let all: String = (1..).zip(heads).map(|(number, head)| small(number, head)).collect();
        format!("# P\n\nSprints 1-3 are all.{more}\n\n{all}")
    };
    let heads = ["**Sprint 1: Make**", "**Sprint 2: Use**", "**Sprint 3: End**"];
    let done = evaluate(&plan("", heads), 400, &Answers::new()).unwrap();
    assert!(done.text.contains("## **Sprint 1: Make; Use; End**\n"), "{}", done.text);
    assert!(done.text.contains("Sprints 1 are all."), "{}", done.text);
    let heads = ["Sprint 1: Make", "Sprint 2: Use", "Sprint 3: End"];
    let text = plan("", heads);
    let all = (5..40).map(|step| evaluate(&text, 5 * step, &Answers::new()).unwrap().text);
    let two = all.into_iter().find(|text| sound(text).unwrap().sprints().count() == 2).unwrap();
    assert!(two.contains("Sprints 1-2 are all."), "{two}");
    // On a branch of that name, a number cannot follow.
    let text = plan(" On `feature/sprint-3`.", heads);
    let done = evaluate(&text, 400, &Answers::new()).unwrap();
    assert_eq!(done.text, text);
    assert!(
        done.undone.iter().any(|fix| fix.what.ends_with("is named where that cannot follow")),
        "{:?}",
        done.undone
    );
}

/// What is added to the end of a sprint is not gone on with by what stands below.
#[test]
fn what_is_added_stands_by_itself() {
    let text = "# P\n\n## Sprint 1: A\n\n**Tasks**:\n1. Create `src/a.rs`\n\n**Exit criteria**:\n- [ ] It looks nice\n---\nRemember the rest.\n";
    let done = evaluate(text, 20, &Answers::new()).unwrap();
    let exit = |text: &str| sound(text).unwrap().units[0].sprints[0].exit.len();
    assert_eq!(exit(&done.text), exit(text) + done.fixes.len(), "{}", done.text);
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(128))]

    /// Whatever is joined: all is still asked for, everybody waits for the same, and nothing more is to be done after.
    #[test]
    fn a_second_time_there_is_nothing_to_mend(
        rows in proptest::collection::vec((0..7_usize, 0..6_usize, 0..4_usize, 0..9_usize), 1..9),
        budget in proptest::sample::select(vec![40_u32, 60, 90, 200]),
        head in 0..4_usize,
    ) {
        let said = ["", "", "", "**Depends on**: none\n\n", "**Depends on**: Sprint #\n\n",
            "**Entry criteria**:\n- [ ] Sprint # complete\n\n", "**Entry criteria**:\n- [ ] Sprint # complete\n- [ ] `test -f a@.md`\n\n"];
        let tasks = ["1. Fix `a/@.md`\n", "1. Fix `a/@.md`\n2. Fix `b/@.md`\n", "Rename `a@.py`.\n", "- Fix `a/@.md`\n- Write `a/x@.md`\n- Add `b/@.md`\n- Add `b/x@.md`\n",
            "**Tasks**:\n1. Create `src/@.rs`\n", "**Type**: command\n\n1. Run `make @`\n"];
        let exits = ["\n**Exit criteria**:\n- [ ] `make t@` passes\n", "Exit: `test -f b@.py`\n", "\n", "\nVerify: `test ! -d t@`\n"];
        let heads = ["## Sprint @: ", "## Sprint @/9 ", "## @. ", "## **Sprint @: "];
        let mut text = "# P\n\nSee Sprint 1.\n\n".to_owned();
        for (number, (say, task, exit, other)) in (1..).zip(&rows) {
            let say = if number == 1 && said[*say].contains('#') { "" } else { said[*say] };
            let close = if head == 3 { "**" } else { "" };
            let blank = if other % 2 == 0 { "\n" } else { "" };
            let name = ["A", "B", "C", "D", "E", "F", "G", "H", "I"][number - 1];
            let say = say.replace('#', &(other % number.max(2)).max(1).to_string());
            let part = format!("{}{name}{close}\n{blank}{say}{}{}\n", heads[head], tasks[*task], exits[*exit]);
            text.push_str(&part.replace('@', &number.to_string()));
        }
        if sound(&text).is_ok() {
            let once = evaluate(&text, budget, &Answers::new()).unwrap();
            let kept = |text: &str| -> BTreeSet<String> {
                criteria(text).into_iter().filter(|one| !one.contains("Sprint ")).collect()
            };
            proptest::prop_assert!(kept(&text).is_subset(&kept(&once.text)), "{}\n{}", &text, &once.text);
            let twice = evaluate(&once.text, budget, &Answers::new()).unwrap();
            proptest::prop_assert_eq!(&twice.text, &once.text, "{}\n{:?}", &text, &twice.fixes);
        }
    }
}
