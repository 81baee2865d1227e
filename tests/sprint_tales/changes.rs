//! Whose change it was: of the plan, of what lies outside a directory, of what a gate names, of what a
//! killed run left.

use super::*;

pub const TALES: &[Tale] = &[
    tale("left-twice", "Uncommitted work of an earlier run is not done", left_twice),
    tale("plan-edited-side-by-side", "Nobody innocent is blamed for a changed plan", beside),
    tale("plan-edited-and-put-back", "A plan that is put back lets the mission end", put_back),
    tale("plan-edited-by-the-only-run", "The run that was alone is known, also later", alone),
    tale("work-outside-its-directory", "Commits outside of a unit's directory are work", outside),
    tale("uncommitted-at-the-end", "Work that nobody committed is no end", uncommitted),
    tale("left-uncommitted", "The user leaves work uncommitted", left_uncommitted),
    tale(
        "command-commits-at-the-end",
        "A command that commits is no end at a head nobody verified",
        command_commits,
    ),
    tale("command-leaves-a-file", "What the last command leaves is asked about", command_leaves),
    tale(
        "command-checks-out-a-branch",
        "A gate that leaves another branch is told",
        command_strays,
    ),
    tale("another-branch", "A run that leaves another branch is told, not believed", branch),
    tale("stays-on-a-branch", "The user goes on on another branch", stays),
    tale("one-commit-shows-one-sprint", "What was counted for one is not for another", disputed),
    tale("one-commit-in-two-directories", "One commit in two directories is one sprint's", joint),
    tale(
        "log-names-the-commits-of-each",
        "The completion log names the commits of each sprint, and of no other",
        of_each,
    ),
    tale(
        "committed-before-its-start-is-known",
        "Who was sent is at work before its start is known, and its commits wait for it",
        before_its_start,
    ),
    tale(
        "in-the-directory-of-another",
        "What lies only in the directory of a unit under way is no other run's",
        of_another,
    ),
    tale("report-names-its-commit", "A commit belongs to the report that names it", names),
    tale("text-names-its-paths", "A commit belongs to the sprint whose text names it", speaks),
    tale("history-rewritten", "Commits that are gone from the branch are told", rewritten),
    tale("gate-names-two-files-alike", "A path says more than the name of a file", alike),
    tale("killed-twice", "Work that was left is not forgotten at the second kill", killed_twice),
    tale("one-at-a-time", "Who is alone by the limit is not told of others", one_at_a_time),
    tale("recorded-as-fatal", "What is recorded as given up is not tried again unasked", recorded),
    tale("template-with-bounds", "A prompt from a template has its bounds", template),
    tale("retry-is-never-weaker", "A retry never gets a weaker model", never_weaker),
    tale("skipped-stands-as-skipped", "The table says that a sprint was let go", skipped),
    tale(
        "history-folded",
        "Commits that a rewritten history left behind are named as such",
        folded,
    ),
];

/// A mission of these units whose plan is a file.
pub(super) fn planned(units: Vec<UnitConfig>) -> Story {
    let mut config = mission(units);
    let text = "# Plan\n";
    let digest = endstate::engine::digest(text);
    config.plan = Some(PlanFile { path: "PLAN.md".to_owned(), digest });
    let mut story = Story::start(&wrap(config), World::new());
    story.world.files.insert("PLAN.md".to_owned(), text.to_owned());
    story.go();
    story
}

fn pair() -> Vec<UnitConfig> {
    vec![unit("a", &[], vec![part("1")]), unit("b", &[], vec![part("1")])]
}

/// `a/1` changes the plan while `b/1` runs, and `b/1` ends first.
fn changed() -> Story {
    let mut story = planned(pair());
    let (a, b) = (begin(&mut story, "a/1"), begin(&mut story, "b/1"));
    story.world.files.insert("PLAN.md".to_owned(), "# Done\n".to_owned());
    finish(&mut story, b, "b/1", says("b/1", "completed", &[]));
    assert_eq!((status(&story, "b/1"), attempt(&story, "b/1")), ("COMPLETED".into(), 1));
    finish(&mut story, a, "a/1", says("a/1", "completed", &[]));
    assert_eq!(story.topic(), "plan_changed");
    assert_ne!(story.engine.continuation(), Continuation::Done);
    story
}

fn beside() -> Story {
    let mut story = changed();
    story.choose("keep");
    done(&story);
    let page = page(&story, "COMPLETE_Greeter.md");
    assert!(page.contains("PLAN.md is another plan than the mission began with"), "{page}");
    assert!(page.contains("VERIFICATION FAILED") && page.contains("- **Impact**:"));
    // The exit status of the mission says the same.
    assert_eq!(story.engine.view().end.unwrap().waived, ["plan"]);
    story
}

fn put_back() -> Story {
    let mut story = changed();
    story.choose("put_back");
    assert_eq!(story.topic(), "plan_changed");
    story.world.files.insert("PLAN.md".to_owned(), "# Plan\n".to_owned());
    story.choose("put_back");
    done(&story);
    assert!(page(&story, "COMPLETE_Greeter.md").contains("VERIFICATION PASSED"));
    story
}

fn alone() -> Story {
    let mut story = planned(vec![unit("a", &[], vec![part("1")])]);
    let a = begin(&mut story, "a/1");
    story.world.files.insert("PLAN.md".to_owned(), "# Done\n".to_owned());
    fire(&mut story, "watchdog");
    finish(&mut story, a, "a/1", says("a/1", "completed", &[]));
    assert_eq!((attempt(&story, "a/1"), story.problem().as_str()), (2, "canonical_touched"));
    story
}

fn outside() -> Story {
    let mut story = going(mission(pair()));
    let (a, b) = (begin(&mut story, "a/1"), begin(&mut story, "b/1"));
    finish(&mut story, b, "b/1", says("b/1", "completed", &[]));
    story.world.commit(&["src/a.txt"]);
    story.end(a, report(says("a/1", "completed", &[])));
    assert_eq!((status(&story, "a/1"), attempt(&story, "a/1")), ("COMPLETED".into(), 1));
    done(&story);
    let page = page(&story, "COMPLETE_Greeter.md");
    assert!(page.contains("- **Outside its directory**: src/a.txt"), "{page}");
    assert_eq!(at(&story, "b/1", "/outside"), json!([]));
    story
}

/// The run commits in its directory and leaves something outside of it; what was dirty before it is the user's.
fn dirty_end() -> Story {
    let mut world = World::new();
    world.dirty.insert("notes.txt".to_owned(), "d0".to_owned());
    let units = vec![unit("a", &[], vec![part("1")])];
    let mut story = Story::start(&wrap(mission(units)), world);
    story.go();
    let run = begin(&mut story, "a/1");
    story.world.dirty.insert("lib/a.sh".to_owned(), "d1".to_owned());
    finish(&mut story, run, "a/1", says("a/1", "completed", &[]));
    assert_eq!((status(&story, "a/1"), story.topic()), ("COMPLETED".into(), "uncommitted".into()));
    let text = story.question().unwrap().1.text;
    assert!(text.contains("lib/a.sh") && !text.contains("notes.txt"), "{text}");
    story
}

fn uncommitted() -> Story {
    let mut story = dirty_end();
    story.choose("look");
    assert_eq!(story.topic(), "uncommitted");
    story.choose("block");
    assert_eq!(story.core("/blocked/code"), "dirty_tree");
    story.world.commit(&["lib/a.sh"]);
    story.say(Command::Resume);
    assert!(logged(&story, "Gate 2 held") || logged(&story, "Gate 1 held"));
    done(&story);
    assert!(story.engine.view().end.unwrap().waived.is_empty());
    story
}

fn left_uncommitted() -> Story {
    let mut story = dirty_end();
    story.choose("keep");
    done(&story);
    assert_eq!(story.engine.view().end.unwrap().waived, ["uncommitted"]);
    let page = page(&story, "COMPLETE_Greeter.md");
    assert!(page.contains("Work is not committed") && page.contains("lib/a.sh"), "{page}");
    // Nobody told its turns, so nothing is said about estimates.
    assert!(page.contains("**Average estimation error**: not known"), "{page}");
    story
}

/// A sprint whose command does something to the tree: commits these paths, or leaves them.
fn command_works(path: &str, leaves: bool) -> Story {
    let mut story = going(mission(vec![unit("a", &[], vec![part("1")])]));
    story.world.works.insert("check a/1 AC-001".to_owned(), (vec![path.to_owned()], leaves));
    work(&mut story, "a/1", &[]);
    story
}

/// The command of the last sprint commits; the one that shows everything again commits once more, then no more.
fn command_commits() -> Story {
    let mut story = command_works("a/made.rs", false);
    let shown = story.world.commits[1].0.clone();
    assert_eq!((status(&story, "a/1"), story.topic()), ("COMPLETED".into(), "head_moved".into()));
    let text = story.question().unwrap().1.text;
    assert!(text.contains(&shown) && text.contains(&story.head()), "{text}");
    let gate = (vec!["a/more.rs".to_owned()], false);
    story.world.works.insert("gate 2".to_owned(), gate);
    let spent = |story: &Story| story.engine.snapshot().head.budget.left(Counter::Questions);
    let before = spent(&story);
    story.choose("go_on");
    assert_eq!(story.topic(), "head_moved");
    assert_eq!(spent(&story), before - 1, "every round spends a question");
    story.choose("block");
    assert_eq!(story.core("/blocked/code"), "not_shown");
    story.say(Command::Resume);
    done(&story);
    assert_eq!(story.core("/done/head"), json!(story.head()));
    assert!(logged(&story, "Gate 3 held"));
    story
}

/// The last command leaves a file that nobody committed.
fn command_leaves() -> Story {
    let mut story = command_works("report.html", true);
    assert_eq!((status(&story, "a/1"), story.topic()), ("COMPLETED".into(), "uncommitted".into()));
    assert!(story.question().unwrap().1.text.contains("report.html"));
    story.choose("keep");
    done(&story);
    story
}

/// A gate's command checks another branch out.
fn command_strays() -> Story {
    let mut config = mission(vec![unit("a", &[], vec![part("1")])]);
    config.build = vec![line("make all")];
    let mut story = going(config);
    let run = begin(&mut story, "a/1");
    story.world.commit(&["a/part1.rs"]);
    story.fact(Fact::RunEnded(RunEnded {
        effect: run,
        outcome: RunOutcome::Success,
        report: Some(report(says("a/1", "completed", &[]))),
        problem: None,
        usage: Usage::default(),
    }));
    while !logged(&story, "Gate 1") {
        let pending = story.engine.pending();
        let fact = pending.iter().find_map(|one| story.world.perform(&story.engine, one));
        story.fact(fact.unwrap());
    }
    story.world.branch = Some("tmp".to_owned());
    story.settle();
    assert_eq!(story.topic(), "other_head");
    story.world.branch = None;
    story.choose("restored");
    done(&story);
    story
}

/// A run commits on another branch and leaves it checked out.
fn strayed() -> Story {
    let mut story = going(mission(vec![unit("a", &[], vec![part("1")])]));
    let run = begin(&mut story, "a/1");
    story.world.branch = Some("tmp".to_owned());
    finish(&mut story, run, "a/1", says("a/1", "completed", &[]));
    assert_eq!(story.engine.continuation(), Continuation::AwaitUserInput);
    assert!(story.question().unwrap().1.text.contains("branch main, but branch tmp"));
    story
}

fn branch() -> Story {
    let mut story = strayed();
    story.world.branch = None;
    story.choose("restored");
    done(&story);
    story
}

fn stays() -> Story {
    let mut story = strayed();
    story.choose("accept");
    done(&story);
    story
}

fn alike() -> Story {
    let mut config = mission(pair());
    config.build = vec![line("make all")];
    let mut story = going(config);
    let said = (Some(2), "error in a/one.py".to_owned());
    story.world.exits.insert("gate 1".to_owned(), said);
    let (a, b) = (begin(&mut story, "a/1"), begin(&mut story, "b/1"));
    story.world.commit(&["a/one.py"]);
    story.end(a, report(says("a/1", "completed", &[])));
    story.world.commit(&["b/one.py"]);
    story.end(b, report(says("b/1", "completed", &[])));
    assert_eq!((due(&story), attempt(&story, "b/1")), (vec!["a/1".to_owned()], 1));
    story
}

fn killed_twice() -> Story {
    let mut story = going(mission(vec![unit("a", &[], vec![part("1")])]));
    let run = begin(&mut story, "a/1");
    story.say(Command::Kill);
    story.world.dirty.insert("a/half.rs".to_owned(), "d1".to_owned());
    story.failed(run, RunOutcome::Lost);
    story.say(Command::Resume);
    let run = begin(&mut story, "a/1");
    story.say(Command::Stop { mode: StopMode::Kill });
    story.failed(run, RunOutcome::Lost);
    let page = page(&story, "SUPERVISOR_STATE.md");
    assert!(page.contains("has uncommitted work from killed sprint 1"), "{page}");
    story.say(Command::Resume);
    assert!(ordered(&story, "a/1").prompt.contains("not committed: a/half.rs"));
    assert_eq!(attempt(&story, "a/1"), 1);
    story.world.dirty.clear();
    work(&mut story, "a/1", &[]);
    done(&story);
    story
}

/// What a first run left is not done because a second one did not touch it.
fn left_twice() -> Story {
    let mut story = going(mission(vec![unit("a", &[], vec![part("1")])]));
    let run = begin(&mut story, "a/1");
    story.world.dirty.insert("a/half.rs".to_owned(), "d1".to_owned());
    story.failed(run, RunOutcome::Failed);
    let run = begin(&mut story, "a/1");
    story.world.commit(&["a/log.txt"]);
    story.end(run, report(says("a/1", "completed", &[])));
    assert!(ordered(&story, "a/1").prompt.contains("not committed: a/half.rs"));
    story.world.dirty.clear();
    work(&mut story, "a/1", &[]);
    done(&story);
    story
}

fn one_at_a_time() -> Story {
    let mut story = going(sprint::Config { max_parallel: 1, ..mission(pair()) });
    assert_eq!(due(&story), ["a/1"]);
    assert!(!ordered(&story, "a/1").prompt.contains("Others are at work"));
    work(&mut story, "a/1", &[]);
    work(&mut story, "b/1", &[]);
    done(&story);
    story
}

fn recorded() -> Story {
    use sprint::status::SprintStatus;
    let mut config = mission(vec![unit("a", &[], vec![part("1")])]);
    config.units[0].sprints[0].begins = Begins::Adopted { status: SprintStatus::Fatal, attempt: 3 };
    let mut story = going(config);
    assert_eq!((status(&story, "a/1"), due(&story).len()), ("FATAL".into(), 0));
    assert_eq!(unit_status(&story, "a"), "BLOCKED");
    assert_eq!(story.engine.continuation(), Continuation::Blocked);
    story.say(Command::Resume);
    assert_eq!((due(&story), attempt(&story, "a/1")), (vec!["a/1".to_owned()], 1));
    story
}

fn template() -> Story {
    let mut config = single(vec![shown("AC-001")]);
    config.template = Some("Do sprint {sprint number}.".to_owned());
    let story = going(config);
    let prompt = ordered(&story, "a/1").prompt;
    assert!(prompt.contains("Do sprint 1.") && prompt.contains("## Boundaries"), "{prompt}");
    story
}

fn never_weaker() -> Story {
    let mut story = going(single(vec![shown("AC-001")]));
    work_partly(&mut story, "a/1");
    assert_eq!(ordered(&story, "a/1").tier, Tier::Standard);
    fails(&mut story, "a/1");
    assert_eq!((attempt(&story, "a/1"), ordered(&story, "a/1").tier), (2, Tier::Standard));
    work(&mut story, "a/1", &[]);
    done(&story);
    story
}

fn skipped() -> Story {
    let units = vec![unit("a", &[], vec![part("1")]), unit("b", &[], vec![part("1")])];
    let mut story = going(mission(units));
    for _ in 0..3 {
        fails(&mut story, "a/1");
    }
    assert!(page(&story, "SUPERVISOR_STATE.md").contains("Blocked work units: 1"));
    story.say(Command::Skip { item: "a/1".to_owned(), reason: "not needed".to_owned() });
    let table = page(&story, "SUPERVISOR_STATE.md");
    assert!(table.contains("| Unit a | — | COMPLETED | 1/1 | SKIPPED |"), "{table}");
    story
}

/// The second sprint folds the commit of the first into its own.
fn folded() -> Story {
    let mut story = going(mission(vec![unit("a", &[], vec![part("1"), part("2")])]));
    work(&mut story, "a/1", &[]);
    let first = story.head();
    let run = begin(&mut story, "a/2");
    story.world.commits.pop();
    story
        .world
        .commits
        .push(("f".repeat(40), vec!["a/part1.rs".to_owned(), "a/part2.rs".to_owned()]));
    story.end(run, report(says("a/2", "completed", &[])));
    assert_eq!(story.topic(), "other_head");
    story.choose("accept");
    done(&story);
    let page = page(&story, "COMPLETE_Greeter.md");
    let short = &first[..7];
    assert!(
        page.contains(&format!("**Git commits**: {short} (no longer in the history)")),
        "{page}"
    );
    assert!(page.contains("**Git commits**: fffffff\n"), "{page}");
    assert!(page.contains("has commits that are no longer in the history"), "{page}");
    assert!(story.engine.view().end.unwrap().waived.is_empty());
    story
}

/// Two units that work in the same directory.
fn together() -> (Story, EffectId, EffectId) {
    let mut units = pair();
    units.iter_mut().for_each(|unit| unit.directory = String::new());
    let mut story = going(mission(units));
    let (a, b) = (begin(&mut story, "a/1"), begin(&mut story, "b/1"));
    (story, a, b)
}

/// The same run says it once more, and names these commits.
fn name(story: &mut Story, sprint: &str, ids: &[&str]) {
    assert!(ordered(story, sprint).prompt.contains("Your last report could not be taken"));
    let run = begin(story, sprint);
    let mut block = says(sprint, "completed", &[]);
    block["findings"] = ids.iter().map(|id| json!(format!("committed as {}", &id[..9]))).collect();
    story.end(run, report(block));
}

fn disputed() -> Story {
    let (mut story, a, b) = together();
    // It did nothing and ends first: the commit of its neighbour is not its own.
    let commit = story.world.commit(&["a/part1.rs"]);
    story.end(b, report(says("b/1", "completed", &[])));
    assert_eq!((attempt(&story, "b/1"), story.problem()), (1, "no_commit".to_owned()));
    name(&mut story, "b/1", &[]);
    assert_eq!((attempt(&story, "b/1"), story.problem()), (2, "no_commit".to_owned()));
    assert!(ordered(&story, "b/1").prompt.contains("no commit of its work was seen"));
    story.end(a, report(says("a/1", "completed", &[])));
    assert_eq!((status(&story, "a/1"), attempt(&story, "a/1")), ("RUNNING".into(), 1));
    name(&mut story, "a/1", &[&commit]);
    assert_eq!((status(&story, "a/1"), attempt(&story, "a/1")), ("COMPLETED".into(), 1));
    work(&mut story, "b/1", &[]);
    done(&story);
    story
}

/// One commit that touches the directories of two units is one's: of the one that names it.
fn joint() -> Story {
    let mut story = going(mission(pair()));
    let (a, b) = (begin(&mut story, "a/1"), begin(&mut story, "b/1"));
    let commit = story.world.commit(&["a/part1.rs", "b/part1.rs"]);
    story.end(b, report(says("b/1", "completed", &[])));
    assert_eq!((attempt(&story, "b/1"), story.problem()), (1, "no_commit".to_owned()));
    name(&mut story, "b/1", &[&commit]);
    assert_eq!(status(&story, "b/1"), "COMPLETED");
    story.end(a, report(says("a/1", "completed", &[])));
    assert_eq!((attempt(&story, "a/1"), story.problem()), (2, "no_commit".to_owned()));
    work(&mut story, "a/1", &[]);
    done(&story);
    story
}

/// Three at work: two in directories of their own, one anywhere. All have committed when the first one ends.
fn of_each() -> Story {
    let mut units = pair();
    units.push(unit("c", &[], vec![part("1")]));
    units[2].directory = String::new();
    let mut story = going(mission(units));
    let sprints = ["a/1", "b/1", "c/1"];
    let runs = sprints.map(|sprint| begin(&mut story, sprint));
    let commits: Vec<Vec<String>> = ["a/one.rs", "b/one.rs", "top.rs"]
        .map(|path| vec![story.world.commit(&[path]), story.world.commit(&[path, "Makefile"])])
        .to_vec();
    for (place, run) in runs.into_iter().enumerate().rev() {
        let mut block = says(sprints[place], "completed", &[]);
        block["findings"] = json!([format!("committed as {}", commits[place].join(" and "))]);
        story.end(run, report(block));
        assert_eq!(status(&story, sprints[place]), "COMPLETED");
    }
    done(&story);
    let page = page(&story, "COMPLETE_Greeter.md");
    for (sprint, own) in sprints.into_iter().zip(&commits) {
        assert_eq!(at(&story, sprint, "/commits"), json!(own), "{sprint}");
        let short: Vec<&str> = own.iter().map(|id| &id[..7]).collect();
        assert!(page.contains(&format!("**Git commits**: {}\n", short.join(", "))), "{page}");
    }
    story
}

/// Two are sent together, and the first has ended before the host says that the second has begun.
fn before_its_start() -> Story {
    let mut story = planned(pair());
    exits(&mut story, "b/1", "AC-001", 1);
    let a = begin(&mut story, "a/1");
    assert_eq!(due(&story), ["b/1"]);
    let theirs = story.world.commit(&["b/part1.rs"]);
    story.world.files.insert("PLAN.md".to_owned(), "# Done\n".to_owned());
    finish(&mut story, a, "a/1", says("a/1", "completed", &[]));
    assert_eq!((status(&story, "a/1"), attempt(&story, "a/1")), ("COMPLETED".into(), 1));
    assert_eq!(at(&story, "a/1", "/commits"), json!([story.head()]));
    let b = begin(&mut story, "b/1");
    let mut block = says("b/1", "partial", &[]);
    block["remaining"] = json!(["the rest"]);
    story.end(b, report(block));
    // Something moved, so it goes on from there.
    assert_eq!((status(&story, "b/1"), attempt(&story, "b/1")), ("DISPATCHED".into(), 1));
    assert_eq!(at(&story, "b/1", "/commits"), json!([theirs]));
    exits(&mut story, "b/1", "AC-001", 0);
    work(&mut story, "b/1", &[]);
    story.choose("keep");
    done(&story);
    story
}

/// A run of `b` may have left it before it was given up.
fn of_another() -> Story {
    let mut story = going(mission(pair()));
    (0..3).for_each(|_| fails(&mut story, "b/1"));
    assert_eq!(unit_status(&story, "b"), "BLOCKED");
    let a = begin(&mut story, "a/1");
    story.world.commit(&["b/part1.rs"]);
    story.end(a, report(says("a/1", "completed", &[])));
    assert_eq!((attempt(&story, "a/1"), story.problem()), (2, "no_commit".to_owned()));
    let a = begin(&mut story, "a/1");
    let both = story.world.commit(&["b/part1.rs", "Makefile"]);
    story.end(a, report(says("a/1", "completed", &[])));
    assert_eq!(
        (status(&story, "a/1"), at(&story, "a/1", "/commits")),
        ("COMPLETED".into(), json!([both]))
    );
    story
}

fn names() -> Story {
    let (mut story, a, b) = together();
    let first = story.world.commit(&["one"]);
    let second = story.world.commit(&["two"]);
    let mut block = says("b/1", "completed", &[]);
    block["findings"] = json!([format!("committed as {}", &second[..9])]);
    story.end(b, report(block));
    assert_eq!(status(&story, "b/1"), "COMPLETED");
    story.end(a, report(says("a/1", "completed", &[])));
    assert_eq!((attempt(&story, "a/1"), story.problem()), (1, "no_commit".to_owned()));
    name(&mut story, "a/1", &[&first]);
    assert_eq!((status(&story, "a/1"), attempt(&story, "a/1")), ("COMPLETED".into(), 1));
    done(&story);
    story
}

fn speaks() -> Story {
    let mut units = pair();
    units.iter_mut().for_each(|unit| unit.directory = String::new());
    units[0].sprints[0].definition.push_str(" Write `src/one.rs`.");
    both_name_it(units.clone());
    let mut story = going(mission(units));
    let (a, b) = (begin(&mut story, "a/1"), begin(&mut story, "b/1"));
    story.world.commit(&["src/one.rs"]);
    story.end(b, report(says("b/1", "completed", &[])));
    name(&mut story, "b/1", &[]);
    assert_eq!((attempt(&story, "b/1"), story.problem()), (2, "no_commit".to_owned()));
    story.end(a, report(says("a/1", "completed", &[])));
    assert_eq!((status(&story, "a/1"), attempt(&story, "a/1")), ("COMPLETED".into(), 1));
    story
}

/// What the texts of two name is nobody's before a report names it.
fn both_name_it(mut units: Vec<UnitConfig>) {
    units[1].sprints[0].definition.push_str(" Read `src/one.rs`.");
    let mut story = going(mission(units));
    let (a, b) = (begin(&mut story, "a/1"), begin(&mut story, "b/1"));
    let commit = story.world.commit(&["src/one.rs"]);
    story.end(b, report(says("b/1", "completed", &[])));
    name(&mut story, "b/1", &[]);
    assert_eq!((attempt(&story, "b/1"), story.problem()), (2, "no_commit".to_owned()));
    story.end(a, report(says("a/1", "completed", &[])));
    name(&mut story, "a/1", &[&commit]);
    assert_eq!(status(&story, "a/1"), "COMPLETED");
}

fn rewritten() -> Story {
    let mut story = going(single(vec![shown("AC-001")]));
    let run = begin(&mut story, "a/1");
    let (old, _) = story.world.commits.pop().unwrap();
    story.world.commit(&["start"]);
    finish(&mut story, run, "a/1", says("a/1", "completed", &[]));
    assert_eq!(story.topic(), "other_head");
    story.choose("accept");
    done(&story);
    assert!(
        page(&story, "SUPERVISOR_STATE.md").contains(&format!("- Gone from the branch: {old}"))
    );
    let page = page(&story, "COMPLETE_Greeter.md");
    assert!(page.contains("Commits are gone from the branch") && page.contains(&old), "{page}");
    let verdict = page.split("## Verdict").nth(1).unwrap();
    assert!(verdict.contains(&format!("**Gone from the branch**: {old}")), "{verdict}");
    let view = story.engine.view();
    assert!(view.reason.contains(&format!("gone from the branch: {old}")), "{}", view.reason);
    brought_back();
    story
}

/// Who brings the commits back has lost nothing.
fn brought_back() {
    let mut story = going(single(vec![shown("AC-001")]));
    let run = begin(&mut story, "a/1");
    let lost = story.world.commits.pop().unwrap();
    finish(&mut story, run, "a/1", says("a/1", "completed", &[]));
    assert_eq!(story.topic(), "other_head");
    story.world.commits.push(lost);
    story.world.commit(&["a/more"]);
    story.choose("restored");
    done(&story);
    assert!(!story.engine.view().reason.contains("gone from the branch"));
    assert!(page(&story, "COMPLETE_Greeter.md").contains("VERIFICATION PASSED"));
}
