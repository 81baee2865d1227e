//! What the user says: skip, defer, reopen, amend, skip verification, and what is refused.

use super::*;

pub const TALES: &[Tale] = &[
    tale(
        "defer-before-others",
        "The question names all that would be given up",
        defer_before_others,
    ),
    tale("skip-a-sprint", "A sprint that is let go satisfies what waits for it", skip),
    tale("defer-a-sprint", "A sprint that is put off satisfies nothing", defer),
    tale("deferred-is-taken-up", "What was put off is done after all", taken_up),
    tale("reopen-a-completed-sprint", "A completed sprint is opened again", reopen),
    tale(
        "reopen-beside-a-report-to-be-mended",
        "One run of a unit, where the next sprint's report is to be mended",
        reopen_beside,
    ),
    tale("reopen-after-the-end", "A sprint is opened again after the end", reopen_end),
    tale("add-a-sprint", "A new sprint at the end of a unit", add),
    tale("add-a-criterion", "One more criterion", criterion),
    tale(
        "word-a-replan-anew",
        "A plan proven wrong is worded anew, and its command is run",
        reword,
    ),
    tale(
        "send-a-replan-again",
        "A plan proven wrong is sent again with a word of the user",
        resend,
    ),
    tale(
        "word-vague-criteria-anew",
        "Vague criteria are worded anew as the question says",
        reword_vague,
    ),
    tale("waive-a-criterion", "One criterion is let go", waive),
    tale("skip-verification", "Nothing is verified any more", unverified),
    tale(
        "skip-verification-of-commands",
        "What commands would have shown at the end is let go by name",
        unverified_commands,
    ),
    tale("refused-commands", "Commands without meaning are refused", refused),
];

fn reopen_beside() -> Story {
    let units = vec![
        unit("a", &[], vec![part("1"), part("2")]),
        unit("b", &[], vec![part("1"), part("2")]),
    ];
    let mut story = going(mission(units));
    let (a, _b) = (begin(&mut story, "a/1"), begin(&mut story, "b/1"));
    finish(&mut story, a, "a/1", says("a/1", "completed", &[]));
    let run = begin(&mut story, "a/2");
    story.say(Command::Reopen { item: "a/1".to_owned(), reason: "look again".to_owned() });
    story.end(run, "no report");
    assert_eq!((due(&story), status(&story, "a/2")), (vec!["a/1".to_owned()], "RUNNING".into()));
    work(&mut story, "a/1", &[]);
    assert_eq!(due(&story), ["a/2"]);
    work(&mut story, "a/2", &[]);
    story
}

fn skip() -> Story {
    let units = vec![unit("a", &[], vec![part("1")]), unit("b", &["a"], vec![part("1")])];
    let mut story = going(mission(units));
    story.say(Command::Skip { item: "a/1".to_owned(), reason: "done elsewhere".to_owned() });
    assert_eq!(
        (unit_status(&story, "a"), due(&story)),
        ("COMPLETED".into(), vec!["b/1".to_owned()])
    );
    work(&mut story, "b/1", &[]);
    done(&story);
    assert_eq!(story.engine.view().end.unwrap().waived, ["a/1/AC-001"]);
    story
}

fn defer() -> Story {
    let mut story = going(mission(vec![unit("a", &[], vec![part("1"), part("2")])]));
    work(&mut story, "a/1", &[]);
    story.say(Command::Defer { item: "a/2".to_owned(), reason: "later".to_owned() });
    assert_eq!(story.topic(), "end_with_deferred");
    story.answer(Answer::Confirmation { yes: true });
    done(&story);
    let view = story.engine.view();
    assert!(view.reason.contains("1 of 2 sprints closed, 1 put off"), "{}", view.reason);
    assert_eq!(view.end.unwrap().deferred, ["a/2"]);
    story
}

/// What only waits for deferred work is named, too, before it is given up.
fn defer_before_others() -> Story {
    let units = vec![
        unit("a", &[], vec![part("1"), part("2")]),
        unit("b", &["a"], vec![part("1"), part("2")]),
    ];
    let mut story = going(mission(units));
    work(&mut story, "a/1", &[]);
    story.say(Command::Defer { item: "a/2".to_owned(), reason: "later".to_owned() });
    assert_eq!(story.topic(), "end_with_deferred");
    let text = story.question().unwrap().1.text;
    assert!(text.contains("a/2, and what waits for it: b/1, b/2"), "{text}");
    story.answer(Answer::Confirmation { yes: true });
    done(&story);
    assert_eq!(story.engine.view().end.unwrap().deferred, ["a/2", "b/1", "b/2"]);
    story
}

fn taken_up() -> Story {
    let mut story = going(single(vec![shown("AC-001")]));
    story.say(Command::Defer { item: "a/1".to_owned(), reason: "later".to_owned() });
    story.answer(Answer::Confirmation { yes: false });
    work(&mut story, "a/1", &[]);
    done(&story);
    story
}

fn again(story: &mut Story, sprint: &str) {
    let reason = "it is slow".to_owned();
    story.say(Command::Reopen { item: sprint.to_owned(), reason });
    assert!(ordered(story, sprint).prompt.contains("it is slow"));
}

fn reopen() -> Story {
    let mut story = going(mission(vec![unit("a", &[], vec![part("1"), part("2")])]));
    work(&mut story, "a/1", &[]);
    let reason = "it is slow".to_owned();
    let run = begin(&mut story, "a/2");
    story.say(Command::Reopen { item: "a/1".to_owned(), reason });
    finish(&mut story, run, "a/2", says("a/2", "completed", &[]));
    assert_eq!(due(&story), ["a/1"]);
    let run = begin(&mut story, "a/1");
    story.world.commit(&["a/faster.rs"]);
    story.end(run, report(says("a/1", "completed", &[])));
    done(&story);
    story
}

fn reopen_end() -> Story {
    let mut story = going(single(vec![shown("AC-001")]));
    work(&mut story, "a/1", &[]);
    done(&story);
    again(&mut story, "a/1");
    work(&mut story, "a/1", &[]);
    done(&story);
    story
}

fn new_item(id: &str) -> NewItem {
    NewItem {
        id: id.to_owned(),
        goal: "Greet in two languages".to_owned(),
        shown_by: Vec::new(),
        acceptance_criteria: vec!["both greetings are shown".to_owned()],
        contract_ids: Vec::new(),
        priority: 5,
        why_now: "asked for".to_owned(),
        blocked_on: Vec::new(),
    }
}

fn add() -> Story {
    let mut story = going(single(vec![shown("AC-001")]));
    let changes = vec![PlanChange::AddItem { item: new_item("a/2") }];
    story.say(Command::Amend { changes });
    work(&mut story, "a/1", &[]);
    work(&mut story, "a/2", &["AC-001"]);
    verify(&mut story, "a/2", &["AC-001"], &[]);
    done(&story);
    story
}

fn criterion() -> Story {
    let mut story = going(single(vec![shown("AC-001")]));
    let text = "it is documented".to_owned();
    let changes = vec![PlanChange::AddCriterion { item: "a/1".to_owned(), text, shown_by: None }];
    story.say(Command::Amend { changes });
    assert!(ordered(&story, "a/1").prompt.contains("AC-002: it is documented"));
    work(&mut story, "a/1", &["AC-002"]);
    verify(&mut story, "a/1", &["AC-002"], &[]);
    done(&story);
    story
}

/// The only criterion is the wrong one: a better one comes, and the old one goes.
fn worded_anew(story: &mut Story, old: &str, text: &str, shown: Option<CommandLine>) {
    let item = "a/1".to_owned();
    let shown_by = shown.map(|line| ShownBy { commands: vec![line], judged: false });
    let more = PlanChange::AddCriterion { item: item.clone(), text: text.to_owned(), shown_by };
    let reason = "the plan is wrong".to_owned();
    let gone = PlanChange::WaiveCriterion { item, criterion: old.to_owned(), reason };
    story.say(Command::Amend { changes: vec![more, gone] });
}

fn replanned() -> Story {
    let mut story = going(single(vec![shown("AC-001")]));
    let run = begin(&mut story, "a/1");
    let mut block = says("a/1", "replan", &[]);
    block["reasons"] = json!(["it should print yes"]);
    story.end(run, report(block));
    assert_eq!(status(&story, "a/1"), "REPLAN");
    story
}

fn reword() -> Story {
    let mut story = replanned();
    let shown =
        CommandLine { expect: Expect::PrintOnly { text: "yes".to_owned() }, ..line("sh a.sh") };
    worded_anew(&mut story, "AC-001", "`sh a.sh` prints exactly `yes`", Some(shown));
    assert!(ordered(&story, "a/1").prompt.contains("`sh a.sh` prints exactly `yes`"));
    let said = |text: &str| (Some(0), text.to_owned());
    story.world.exits.insert("check a/1 AC-002".to_owned(), said("no"));
    work(&mut story, "a/1", &[]);
    assert_eq!((attempt(&story, "a/1"), story.problem().as_str()), (2, "command_failed"));
    story.world.exits.insert("check a/1 AC-002".to_owned(), said("yes"));
    work(&mut story, "a/1", &[]);
    done(&story);
    assert_eq!(story.engine.view().end.unwrap().waived, ["a/1/AC-001"]);
    story
}

fn resend() -> Story {
    let mut story = replanned();
    again(&mut story, "a/1");
    work(&mut story, "a/1", &[]);
    done(&story);
    story
}

fn reword_vague() -> Story {
    let mut story = going(single(vec![vague("AC-001")]));
    let text = story.question().unwrap().1.text;
    let told = "endstate amend --criterion 'a/1=NEW WORDS' --waive a/1=AC-001 --reason WHY";
    assert!(text.contains(told), "{text}");
    // Words that are vague again are asked about again.
    worded_anew(&mut story, "AC-001", "The code is of high quality and works correctly", None);
    assert_eq!(story.topic(), "vague");
    story.choose("block");
    worded_anew(&mut story, "AC-002", "`make test` passes", Some(line("make test")));
    story.say(Command::Resume);
    work(&mut story, "a/1", &[]);
    done(&story);
    story
}

fn waive() -> Story {
    let mut story = going(single(vec![shown("AC-001"), judged("AC-002")]));
    let (item, criterion) = ("a/1".to_owned(), "AC-002".to_owned());
    let change = PlanChange::WaiveCriterion { item, criterion, reason: "no need".to_owned() };
    story.say(Command::Amend { changes: vec![change] });
    work(&mut story, "a/1", &[]);
    done(&story);
    assert_eq!(story.engine.view().end.unwrap().waived, ["a/1/AC-002"]);
    story
}

fn unverified() -> Story {
    let mut story = going(single(vec![judged("AC-001")]));
    story.say(Command::SkipVerification { reason: "a spike".to_owned() });
    work(&mut story, "a/1", &["AC-001"]);
    done(&story);
    assert_eq!(story.engine.view().end.unwrap().waived, ["a/1/AC-001"]);
    story
}

fn unverified_commands() -> Story {
    let sprints = vec![of("1", vec![shown("AC-001"), judged("AC-002")]), part("2")];
    let mut config = mission(vec![unit("a", &[], sprints)]);
    config.build = vec![line("make all")];
    let mut story = going(config);
    work(&mut story, "a/1", &["AC-002"]);
    verify(&mut story, "a/1", &["AC-002"], &[]);
    story.say(Command::SkipVerification { reason: "a spike".to_owned() });
    work(&mut story, "a/2", &[]);
    done(&story);
    // What was judged still stands: nothing of its own was touched.
    let waived = story.engine.view().end.unwrap().waived;
    assert_eq!(waived, ["a/1/AC-001", "a/2/AC-001", "gate/1"]);
    let page = page(&story, "COMPLETE_Greeter.md");
    assert!(page.contains("not shown at the final head: a spike"), "{page}");
    assert!(page.contains("`make all` was not run: a spike"), "{page}");
    story
}

fn refused() -> Story {
    let mut story = going(mission(vec![unit("a", &[], vec![part("1"), part("2")])]));
    let text = |text: &str| text.to_owned();
    let skip = |item: &str, reason: &str| Command::Skip { item: text(item), reason: text(reason) };
    let amend = |change: PlanChange| Command::Amend { changes: vec![change] };
    let reopen = |item: &str| Command::Reopen { item: text(item), reason: text("so") };
    for (command, code) in [
        (skip("z/9", "so"), Code::UnknownItem),
        (skip("a/1", " "), Code::MissingField),
        (reopen("a/1"), Code::ItemNotClosed),
        (Command::Amend { changes: Vec::new() }, Code::InvalidChange),
        (amend(PlanChange::Reorder { order: Vec::new() }), Code::InvalidChange),
        (amend(PlanChange::AddItem { item: new_item("a/1") }), Code::DuplicateId),
        (amend(PlanChange::AddItem { item: new_item("z/1") }), Code::UnknownItem),
        (
            amend(PlanChange::WaiveCriterion {
                item: text("a/1"),
                criterion: text("AC-009"),
                reason: text("so"),
            }),
            Code::UnknownCriterion,
        ),
    ] {
        assert_eq!(story.command_refused(command).code, code);
    }
    let mut waits = new_item("a/3");
    waits.blocked_on = vec![text("z/1")];
    let add = amend(PlanChange::AddItem { item: waits });
    assert_eq!(story.command_refused(add).code, Code::DependencyUnknown);
    begin(&mut story, "a/1");
    assert_eq!(story.command_refused(skip("a/1", "so")).code, Code::ItemActive);
    story
}
