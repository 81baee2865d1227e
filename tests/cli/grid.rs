//! Grid from the command line: the demo, a goal, a directory of plans, a refinement, and what goes wrong.

use crate::common::{Said, endstate, git, repository};
use crate::protocols::{asked, demo};
use serde_json::Value;
use std::fs;
use std::path::Path;

#[test]
fn the_grid_demo_comes_to_its_verified_end() {
    let (last, _dir) = demo("grid");
    assert_eq!((&last["items"], &last["items_done"]), (&4.into(), &4.into()));
    assert_eq!((&last["closed_by"], &last["failures"]), (&"verified".into(), &1.into()));
    assert_eq!((&last["checkpoints"], &last["gap_rounds"]), (&1.into(), &1.into()));
    asked(&last);
    let repo = Path::new(last["repo"].as_str().unwrap());
    let text = |path: &str| fs::read_to_string(repo.join(".grid").join(path)).unwrap();
    let state = text("STATE.md");
    assert!(state.contains("status: done") && state.contains("] 100%"), "{state}");
    assert!(state.contains("Wave 2\n|-- 01-03: A manual for the bell. [done]"), "{state}");
    assert!(text("VERIFICATION.md").contains("status: CLEAR"));
    assert!(text("phases/01-bell/01-01-SUMMARY.md").contains("[Rule 2 - Missing Critical]"));
    assert!(text("phases/01-bell/01-04-PLAN.md").contains("gap_closure: true"));
    let archive = text("SCRATCHPAD_ARCHIVE.md");
    assert!(archive.contains("wave: 1") && archive.contains("there is no compiler"), "{archive}");
    assert!(text("LEARNINGS.md").contains("a compiled program -> plain sh"));
}

/// A planner of two plans that list one file, executors, and a recognizer that sees both.
const TEAM: &str = r#"
runs:
  - when: {role: planner}
    report:
      block:
        plans:
          - id: 01-01
            objective: Say hello
            files_modified: [hello.txt]
            frontmatter: {phase: 01-base, must_haves: {truths: [hello.txt greets]}}
            content: "<objective>Say hello</objective>"
          - id: 01-02
            objective: Say it twice
            files_modified: [hello.txt]
            frontmatter: {phase: 01-base, must_haves: {truths: [hello.txt greets twice]}}
            content: "<objective>Say it twice</objective>"
  - when: {role: executor}
    do:
      - append: {path: hello.txt, text: "hello from ${item}\n"}
      - commit: "${item}"
    report:
      block:
        block: ${item}
        status: SUCCESS
        summary: {commits: ["${head}"], key-files: {modified: [hello.txt]}}
  - when: {role: recognizer}
    report:
      block:
        verdict: CLEAR
        verdicts:
          - {block: 01-01, criterion: AC-001, finding: holds, method: read it, evidence: [{kind: file, path: hello.txt, line: 1}]}
          - {block: 01-02, criterion: AC-001, finding: holds, method: read it, evidence: [{kind: file, path: hello.txt, line: 2}]}
  - when: {role: learner}
    report: {block: {project_type: text}}
"#;

/// A repository with a team and further files.
fn with(team: &str, files: &[(&str, &str)]) -> tempfile::TempDir {
    let dir = repository();
    for (path, text) in [("team.yaml", team)].iter().chain(files) {
        let path = dir.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    git(dir.path(), &["add", "."]);
    git(dir.path(), &["commit", "-q", "-m", "a cluster"]);
    dir
}

fn run(root: &Path, words: &[&str]) -> Said {
    let mut line = vec!["run", "--protocol", "grid", "--agent", "script:team.yaml", "--json"];
    line.extend(words);
    endstate(root, &line)
}

/// The facts of the journal, in order.
fn facts(root: &Path) -> Vec<Value> {
    let text = fs::read_to_string(root.join(".agent/endstate/journal.jsonl")).unwrap();
    let lines = text.lines().skip(1).map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines.map(|line| line["body"]["event"]["fact"].clone()).collect()
}

/// How many runs were at work at once, at the most.
fn at_once(root: &Path) -> usize {
    let (mut live, mut most) = (0_usize, 0);
    for fact in facts(root) {
        match fact["type"].as_str().unwrap() {
            "run_started" => live += 1,
            "run_ended" => live -= 1,
            _ => {}
        }
        most = most.max(live);
    }
    most
}

#[test]
fn a_goal_is_planned_and_two_blocks_on_one_file_never_meet() {
    let dir = with(TEAM, &[]);
    let last = run(dir.path(), &["A text that greets twice", "--parallel", "4"]).expect(0).last();
    assert_eq!(
        (&last["closed_by"], &last["items_done"]),
        (&"verified".into(), &2.into()),
        "{last}"
    );
    assert_eq!(at_once(dir.path()), 1, "both change hello.txt");
    let text = fs::read_to_string(dir.path().join("hello.txt")).unwrap();
    assert_eq!(text, "hello from 01-01\nhello from 01-02\n");
    let plan = dir.path().join(".grid/phases/01-base/01-02-PLAN.md");
    assert!(fs::read_to_string(plan).unwrap().contains("files_modified: [\"hello.txt\"]"));
    assert_eq!(git(dir.path(), &["status", "--porcelain", "--untracked-files=all"]), "");
}

const PLAN: &str = "---\nphase: 01-base\nplan: \"01\"\nfiles_modified: [hello.txt]\nmust_haves: {truths: [hello.txt greets]}\n---\n\n<objective>\nSay hello\n</objective>\n";

const ALONE: &str = r#"
runs:
  - when: {role: executor, prompt: the choice is loud}
    do:
      - write: {path: hello.txt, text: "HELLO\n"}
      - commit: hello
    report:
      block: {block: 01-01, status: SUCCESS, summary: {commits: ["${head}"], key-files: {created: [hello.txt]}}}
  - when: {role: executor}
    report:
      block:
        block: 01-01
        status: CHECKPOINT
        checkpoint:
          type: decision
          current_thread: {thread: "1", name: the tone, status: blocked}
          resume_point: write it
          decision: how loud it is
          options: [{option: loud, pros: heard}, {option: quiet, pros: polite}]
  - when: {role: recognizer}
    report: &seen
      block:
        verdict: CLEAR
        verdicts: [{block: 01-01, criterion: AC-001, finding: holds, method: read it, evidence: [{kind: file, path: hello.txt, line: 1}]}]
  - when: {role: learner}
    report: {block: {project_type: text}}
"#;

#[test]
fn a_checkpoint_is_answered_once_and_by_an_option_that_is_there() {
    let dir = with(ALONE, &[("plans/01-01-PLAN.md", PLAN)]);
    let asked = run(dir.path(), &["plans"]).expect(10);
    assert!(asked.last()["reason"].as_str().unwrap().contains("how loud it is"), "{}", asked.out);
    let answer = |words: &str| endstate(dir.path(), &["answer", words, "--json"]);
    assert_eq!(answer("deafening").expect(13).code(), "answer_type");
    assert_eq!(run(dir.path(), &[]).expect(10).last()["checkpoints"], 0);
    answer("loud").expect(0);
    // It goes on by itself only when it is driven: nothing is open any more.
    let again = answer("quiet").expect(13);
    assert!(!again.code().is_empty(), "{}", again.out);
    let last = run(dir.path(), &["plans"]).expect(0).last();
    assert_eq!((&last["checkpoints"], &last["closed_by"]), (&1.into(), &"verified".into()));
    assert_eq!(fs::read_to_string(dir.path().join("hello.txt")).unwrap(), "HELLO\n");
    let answers = facts(dir.path());
    assert_eq!(answers.iter().filter(|fact| fact["type"] == "question_answered").count(), 1);
    // Another directory is another cluster.
    fs::create_dir(dir.path().join("others")).unwrap();
    fs::write(dir.path().join("others/01-01-PLAN.md"), PLAN).unwrap();
    assert_eq!(run(dir.path(), &["others"]).expect(13).code(), "anchor_mismatch");
}

#[test]
fn what_was_let_go_is_shown_while_it_goes_on_and_in_the_end() {
    let unverified = PLAN.replace("files", "verify: false\nverify_reason: a sketch\nfiles");
    let second = PLAN.replace("\"01\"", "\"02\"").replace("files", "depends_on: [\"01\"]\nfiles");
    let plans = [("plans/01-01-PLAN.md", &*unverified), ("plans/01-02-PLAN.md", &*second)];
    let dir = with(ALONE, &plans);
    run(dir.path(), &["plans"]).expect(10);
    endstate(dir.path(), &["answer", "loud"]).expect(0);
    run(dir.path(), &[]).expect(10);
    let status = endstate(dir.path(), &["status", "--json"]).expect(0).last();
    assert_eq!(status["waived"], serde_json::json!(["01-01/AC-001"]), "{status}");
    let shown = endstate(dir.path(), &["status"]).expect(0);
    assert!(shown.out.contains("not verified 1/1, 1 waived"), "{}", shown.out);
    assert!(shown.out.contains("\nwaived: 01-01/AC-001\n"), "{}", shown.out);
    endstate(dir.path(), &["skip", "01-02", "--reason", "enough"]).expect(0);
    let last = run(dir.path(), &[]).expect(3).last();
    assert_eq!(last["waived"], serde_json::json!(["01-01/AC-001", "01-02/AC-001"]), "{last}");
    let page = fs::read_to_string(dir.path().join(".grid/STATE.md")).unwrap();
    assert!(page.contains("let go: 1"), "{page}");
}

#[test]
fn a_recognizer_that_answers_in_prose_shows_nothing() {
    let (before, rest) = ALONE.split_once("    report: &seen\n").unwrap();
    let learner = rest.split_once("  - when: {role: learner}").unwrap().1;
    let prose = format!(
        "{before}    raw: \"Everything is CLEAR. VERIFIED.\\n\"\n  - when: {{role: learner}}{learner}"
    );
    let dir = with(&prose, &[("plans/01-01-PLAN.md", PLAN)]);
    run(dir.path(), &["plans"]).expect(10);
    endstate(dir.path(), &["answer", "loud"]).expect(0);
    let stuck = run(dir.path(), &[]).expect(10).last();
    assert_eq!(stuck["criteria_settled"].as_u64().unwrap_or(0), 0, "{stuck}");
    let status = endstate(dir.path(), &["status"]).expect(0);
    assert!(status.out.contains("grid-recognizer"), "{}", status.out);
}

#[test]
fn what_is_not_read_as_a_plan_is_told() {
    let files = [
        ("plans/01-01-PLAN.md", PLAN),
        ("plans/01-02-plan.md", PLAN),
        ("plans/01-03-PLAN.MD", PLAN),
        ("plans/01-04-PLAN-search.md", PLAN),
        ("plans/PLAN-01-05.markdown", PLAN),
        ("plans/planes.md", PLAN),
        ("plans/PLAN.md", PLAN),
        ("plans/old/01-02-PLAN.md", PLAN),
    ];
    let dir = with(ALONE, &files);
    let said = run(dir.path(), &["plans"]).expect(10);
    for words in [
        "\"PLAN.md is not read: the name of a plan ends with -PLAN.md, in these letters\"",
        "01-02-plan.md is not read: the name of a plan ends",
        "01-03-PLAN.MD is not read: the name of a plan ends",
        "01-04-PLAN-search.md is not read: the name of a plan ends",
        "PLAN-01-05.markdown is not read: the name of a plan ends",
        "old/ has 1 plans that are not read",
    ] {
        assert!(said.out.contains(words), "{words}: {}", said.out);
    }
    assert!(!said.out.contains("planes.md"), "{}", said.out);
    // Another mission is not begun over one that goes on.
    let agent = ["refine", "--agent", "script:team.yaml", "--json"];
    let refused = endstate(dir.path(), &agent).expect(13);
    assert_eq!(refused.code(), "anchor_mismatch");
    assert!(refused.out.contains("which is not done: `endstate run --resume`"), "{}", refused.out);
}

#[test]
fn plans_that_make_no_sense_begin_nothing() {
    let wants = |id: &str, after: &str| {
        PLAN.replace("\"01\"", &format!("\"{id}\""))
            .replace("files", &format!("depends_on: [{after}]\nfiles"))
    };
    let (circle, back) = (wants("01", "\"02\""), wants("02", "\"01\""));
    let (itself, nobody) = (wants("01", "\"01\""), wants("01", "\"07\""));
    let (twice, unclosed) =
        (PLAN.replace("plan:", "phase: x\nplan:"), PLAN.replace("\n---\n\n", "\n"));
    let (null, elsewhere) =
        (PLAN.replace("greets", "gr\0eets"), PLAN.replace("01-base", "02-more"));
    let silent = PLAN.replace("files", "verify: false\nfiles");
    let huge = PLAN.replace("files", &format!("x: [{}]\nfiles", "item, ".repeat(60_000)));
    let outside = PLAN.replace("truths: [", "artifacts: [{path: ../x}], truths: [");
    let labels = PLAN.replace("[hello.txt greets]", "[\"AC-001: a\", \"AC-001: b\"]");
    let (one, two) = ("plans/01-01-PLAN.md: ", "plans/01-02-PLAN.md: ");
    for (plans, code, at) in [
        (vec![&*circle, &back], "dependency_cycle", format!("{one}line 4: depends_on")),
        (vec![&itself], "dependency_cycle", format!("{one}line 4: depends_on")),
        (vec![PLAN, &nobody], "dependency_unknown", format!("{two}line 4: depends_on")),
        (vec![&twice], "duplicate_field", format!("{one}line 3 column 1")),
        (vec![&unclosed], "truncated", format!("{one}line 1")),
        (vec![&null], "invalid_value", format!("{one}line 5")),
        (vec![PLAN, &elsewhere], "invalid_value", format!("{two}line 2: phase")),
        (vec![&silent], "missing_field", format!("{one}verify_reason")),
        (vec![&huge], "too_large", format!("{one}line 2")),
        (vec!["no front matter\n"], "missing_field", format!("{one}line 1")),
        (vec![&outside], "invalid_value", format!("{one}line 5: must_haves.artifacts[0].path")),
        (vec![PLAN, &labels], "duplicate_id", format!("{two}line 5: must_haves.truths[1]")),
    ] {
        let names = ["plans/01-01-PLAN.md", "plans/01-02-PLAN.md"];
        let files: Vec<(&str, &str)> = names.into_iter().zip(plans).collect();
        let dir = with(ALONE, &files);
        let said = run(dir.path(), &["plans"]).expect(13);
        assert_eq!(said.code(), code, "{}", said.out);
        assert_eq!(said.last()["error"]["at"], at, "{}", said.out);
        assert!(!dir.path().join(".agent").exists(), "{code} left something behind");
    }
    let dir = with(ALONE, &[("empty/README.md", "nothing\n")]);
    assert_eq!(run(dir.path(), &["empty"]).expect(2).code(), "usage");
    // A pipe that nobody writes to, and a folder, under the name of a plan.
    let dir = with(ALONE, &[("pipes/README.md", ""), ("folders/01-01-PLAN.md/README.md", "")]);
    let pipe = dir.path().join("pipes/01-01-PLAN.md");
    assert!(std::process::Command::new("mkfifo").arg(pipe).status().unwrap().success());
    for plans in ["pipes", "folders"] {
        assert_eq!(run(dir.path(), &[plans]).expect(13).code(), "file_missing");
    }
}

const SWARM: &str = r#"
runs:
  - when: {role: refinement-lead}
    report:
      block:
        context: a text
        personas: [{name: Ada, goal: read it}, {name: Bo, goal: hear it}, {name: Cy, goal: sing it}]
  - when: {role: e2e-exerciser}
    report: {block: {findings: [{priority: P0, title: nobody is greeted, where: README.md, expected: a greeting}]}}
  - when: {role: visual-inspector}
    report: {block: {findings: [{priority: P3, title: a dull colour, where: README.md, expected: blue}]}}
  - when: {role: persona-simulator}
    report: {block: {findings: []}}
  - when: {role: executor, item: refine-p0}
    do:
      - write: {path: hello.txt, text: "hello\n"}
      - commit: hello
    report:
      block: {block: refine-p0, status: SUCCESS, summary: {commits: ["${head}"], key-files: {created: [hello.txt]}}}
  - when: {role: recognizer}
    report:
      block:
        verdict: CLEAR
        verdicts: [{block: refine-p0, criterion: AC-001, finding: holds, method: read it, evidence: [{kind: file, path: hello.txt, line: 1}]}]
  - when: {role: learner}
    report: {block: {project_type: text}}
"#;

#[test]
fn a_refinement_sends_who_is_named_and_mends_what_is_worst() {
    for (who, members, items) in [("visual", 1, 0), ("e2e", 1, 1), ("personas", 3, 0), ("", 5, 1)] {
        let dir = with(SWARM, &[]);
        let mut line = vec!["refine", "--agent", "script:team.yaml", "--json"];
        line.extend(Some(who).filter(|who| !who.is_empty()));
        let last = endstate(dir.path(), &line).expect(0).last();
        assert_eq!(
            (&last["items"], &last["items_done"]),
            (&items.into(), &items.into()),
            "{who}: {last}"
        );
        let page = fs::read_to_string(dir.path().join(".grid/REFINEMENT_PLAN.md")).unwrap();
        assert!(page.contains(&format!("members: {members}\n")), "{who}: {page}");
        let mended = page.contains("## P0 (mended)\n\n- nobody is greeted (README.md)");
        assert_eq!(mended, items == 1, "{who}: {page}");
        assert_eq!(dir.path().join("hello.txt").exists(), items == 1, "{who}");
    }
    let dir = with(SWARM, &[]);
    endstate(dir.path(), &["refine", "nobody", "--agent", "script:team.yaml"]).expect(2);
}

#[test]
fn a_mission_that_is_done_makes_room_for_the_next() {
    let dir = with(TEAM, &[("swarm.yaml", SWARM)]);
    let root = dir.path();
    assert_eq!(
        endstate(root, &["archive", "--json"]).expect(13).code(),
        "no_mission",
        "nothing is there to be archived"
    );
    run(root, &["Greet", "--begin"]).expect(0);
    assert_eq!(endstate(root, &["archive", "--json"]).expect(13).code(), "mission_exists");
    run(root, &["Greet"]).expect(0);
    let refused = run(root, &["Greet again"]).expect(13);
    assert_eq!(refused.code(), "anchor_mismatch");
    assert!(refused.out.contains("`endstate archive`"), "{}", refused.out);

    // What was built is refined; the record of who built it is kept, and what was decided there is told.
    let state = root.join(".grid/STATE.md");
    let page = fs::read_to_string(&state).unwrap();
    let page =
        page.replacen("## Decisions Made\n", "## Decisions Made\n- 01: the look is plain\n", 1);
    fs::write(&state, page).unwrap();
    let line = ["refine", "e2e", "--agent", "script:swarm.yaml", "--json"];
    let last = endstate(root, &line).expect(0).last();
    assert_eq!((&last["items"], &last["items_done"]), (&1.into(), &1.into()), "{last}");
    let kept = |number: u8| format!(".agent/archive/{number:03}/endstate/journal.jsonl");
    let journal = fs::read_to_string(root.join(".agent/endstate/journal.jsonl")).unwrap();
    assert!(journal.contains("\"decided\":[\"01: the look is plain\"]"), "{journal}");
    let page = fs::read_to_string(&state).unwrap();
    assert!(page.contains("## Decisions Made Before\n- 01: the look is plain\n"), "{page}");
    let replay = endstate(root, &["replay", &kept(1), "--json"]).expect(0).last();
    assert_eq!(replay["continuation"], "done");
    git(root, &["diff", "--exit-code", "HEAD"]);

    endstate(root, &["archive"]).expect(0);
    assert!(root.join(kept(2)).exists() && !root.join(".agent/endstate").exists());
    assert!(root.join(".agent/archive/002/.grid/VERIFICATION.md").exists());
    assert!(
        !root.join(".grid/VERIFICATION.md").exists() && root.join(".grid/LEARNINGS.md").exists()
    );
    let said = run(root, &["Greet again"]).expect(0);
    assert!(!said.out.contains("foreign_write"), "{}", said.out);
    endstate(root, &["check"]).expect(0);
}

#[test]
fn options_that_say_nothing_are_not_passed_over() {
    let dir = with(TEAM, &[]);
    let said = run(dir.path(), &["Greet", "--max-turns", "3"]).expect(2);
    assert_eq!(
        (said.code().as_str(), &said.last()["error"]["at"]),
        ("usage", &"--max-turns".into())
    );
    run(dir.path(), &["Greet", "--parallel", "2", "--begin"]).expect(0);
    let said = run(dir.path(), &["Greet", "--parallel", "4"]).expect(0);
    assert!(said.out.contains("--parallel changes nothing: the mission has begun"), "{}", said.out);
}

#[test]
fn a_mission_that_is_only_begun_says_what_of_its_plans_disagrees() {
    let plan = "---\nphase: 01-base\nplan: 1\nwave: 3\nmust_haves: {truths: [it greets]}\n---\n<objective>Say hello</objective>\n";
    let dir = with(TEAM, &[("plans/01-01-PLAN.md", plan)]);
    let said = run(dir.path(), &["plans", "--begin"]).expect(0);
    assert!(said.out.contains("expected wave 1, by its dependencies, got wave 3"), "{}", said.out);
}

#[test]
fn a_run_does_not_speak_for_the_user() {
    let dir = with(TEAM, &[]);
    run(dir.path(), &["Greet", "--begin"]).expect(0);
    let root = fs::canonicalize(dir.path()).unwrap();
    for words in
        [&["skip-verification", "--reason", "trust me", "--json"][..], &["answer", "yes", "--json"]]
    {
        let mut line = crate::common::program(dir.path(), words);
        line.env("ENDSTATE_RUN", "3.1").env("ENDSTATE_ROOT", &root);
        let output = line.output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!(output.status.code(), Some(13), "{said}");
    }
    endstate(dir.path(), &["skip-verification", "--reason", "mine"]).expect(0);
}

#[test]
fn status_draws_a_mission_of_one_wave_as_a_tree_too() {
    let plan = "---\nphase: 01-base\nplan: 1\nmust_haves: {truths: [it greets]}\n---\n<objective>Say hello</objective>\n";
    let dir = with(TEAM, &[("plans/01-01-PLAN.md", plan)]);
    run(dir.path(), &["plans", "--begin"]).expect(0);
    let said = endstate(dir.path(), &["status"]).expect(0);
    let tree = "  wave 1\n  |-- 01-01        pending      0/1  Say hello\n";
    assert!(said.out.contains(tree), "{}", said.out);
}

/// Nobody is sent before the user has seen the command; then the end rests on it.
#[test]
fn a_command_that_a_plan_declares_is_asked_about_and_decides() {
    let (team, last) = TEAM.rsplit_once("          - {block: 01-02").unwrap();
    let team = format!("{team}  - when{}", last.split_once("  - when").unwrap().1);
    for (word, status) in [("hello", 0), ("bye", 4)] {
        let plan = format!(
            "---\nphase: 01-base\nplan: 1\nfiles_modified: [hello.txt]\nmust_haves: {{truths: [hello.txt greets]}}\n---\n\n\
             <task>\n<name>Say it</name>\n<action>Say it.</action>\n\
             <verify><automated>grep -q {word} hello.txt &amp;&amp; ! grep -q x hello.txt</automated></verify>\n</task>\n"
        );
        let dir = with(&team, &[("plans/01-01-PLAN.md", &plan)]);
        let command = format!("grep -q {word} hello.txt && ! grep -q x hello.txt");
        let asked = run(dir.path(), &["plans", "--accept", "judged"]).expect(10);
        assert!(asked.out.contains(&command), "{}", asked.out);
        assert!(!dir.path().join("hello.txt").exists());
        endstate(dir.path(), &["answer", "trust"]).expect(0);
        let said = run(dir.path(), &[]).expect(status);
        let view = endstate(dir.path(), &["view", "--print"]).expect(0).out;
        let view: Value = serde_json::from_str(&view).unwrap();
        let shown = view["end"]["shown"].as_array().unwrap();
        let one = shown.iter().find(|one| one["criterion"] == "VERIFY-001").unwrap();
        assert_eq!(one["enough"], status == 0, "{one} {}", said.out);
        assert!(one["by"].as_str().unwrap().contains(&command), "{one}");
    }
}
