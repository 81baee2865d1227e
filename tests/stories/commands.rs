//! What the user can say at any time.

use super::*;

pub const TALES: &[Tale] = &[
    tale(
        "pause-withdraws-and-resume-looks-again",
        "A pause withdraws what has not started; a paused mission dispatches nothing",
        pause,
    ),
    tale(
        "pause-lets-a-live-run-end-and-count",
        "What runs goes on through a pause, and its report counts",
        pause_live,
    ),
    tale("kill-ends-the-live-run", "Kill stops what runs; resume begins the step again", kill),
    tale("stop-drain-and-stop-wait", "Two ways of coming to rest without a kill", stop),
    tale("skip-a-slice-waives-it", "A skipped slice is waived and satisfies its dependants", skip),
    tale(
        "defer-a-slice-then-end-with-it",
        "With nothing but deferred work left the user is asked whether to end",
        defer,
    ),
    tale("deferred-slice-is-taken-up", "Answered no, deferred work is taken up again", take_up),
    tale("reopen-a-closed-slice", "The user opens a closed slice again, with the reason", reopen),
    tale(
        "reopen-after-done",
        "A mission that is done goes on when a slice is opened again",
        reopen_done,
    ),
    tale("amend-the-plan", "The user adds, reorders, ranks and waives; all changes or none", amend),
    tale(
        "skip-verification-waives-what-is-not-shown",
        "Without review and audit criteria are waived by the user, never verified",
        skip_verification,
    ),
    tale(
        "commands-that-are-refused",
        "Commands that make no sense now are refused with a code each",
        refused,
    ),
];

fn pause() -> Story {
    let mut story = Story::planned();
    let (spawn, _) = story.role().unwrap();
    let applied = story.command(Command::Pause);
    assert_eq!(applied.decided.withdrawn, [spawn]);
    story.settle();
    assert_eq!(story.engine.continuation(), Continuation::Paused);
    assert_eq!(story.file("state.json")["continuation_policy"], "paused");
    assert_eq!(story.due(), "");
    let late = story.refused(Fact::RunStarted(RunStarted {
        effect: spawn,
        session: None,
        confined: false,
    }));
    assert_eq!(late.code, Code::StaleAnswer);
    story.recover(Recovery::Restart);
    assert_eq!(story.due(), "", "whatever arrives");
    story.say(Command::Resume);
    assert_eq!(story.due(), "implementer");
    story
}

fn pause_live() -> Story {
    let mut story = Story::planned();
    let effect = story.begin("implementer");
    story.say(Command::Pause);
    let commit = story.world.commit(&["src/S1.c"]);
    story.end(effect, report(claim("S1", &commit)));
    assert_eq!(story.due(), "");
    story.say(Command::Resume);
    assert_eq!(story.due(), "reviewer");
    story
}

fn kill() -> Story {
    let mut story = Story::planned();
    let effect = story.begin("implementer");
    let applied = story.command(Command::Kill);
    assert_eq!(applied.decided.effects[0].order, "stop_role");
    story.settle();
    story.failed(effect, RunOutcome::Lost);
    assert_eq!(story.engine.continuation(), Continuation::Paused);
    story.say(Command::Resume);
    assert_eq!(story.due(), "implementer");
    story
}

fn stop() -> Story {
    let mut story = Story::planned();
    let effect = story.begin("implementer");
    let drained = story.command(Command::Stop { mode: StopMode::Drain });
    assert!(drained.effects.iter().all(|one| one.order.name() != "stop_role"));
    story.settle();
    story.say(Command::Resume);
    let asked = story.command(Command::Stop { mode: StopMode::Wait });
    assert_eq!(asked.effects[0].order.name(), "stop_role");
    story.settle();
    story.failed(effect, RunOutcome::Partial);
    assert_eq!(story.file("state.json")["continuation_policy"], "paused");
    story
}

fn skip() -> Story {
    let mut story = Story::going();
    let after = with(slice("S2"), "/blocked_on", json!(["S1"]));
    story.run("regrounder", ground(vec![slice("S1"), after], Some("S1")));
    story.say(Command::Skip { item: "S1".to_owned(), reason: "not ours".to_owned() });
    assert_eq!(story.file("plan.json")["candidate_slices"][0]["status"], "cancelled");
    assert_eq!((story.rule().as_str(), story.due().as_str()), ("reground_to_select", "regrounder"));
    story.run("regrounder", ground(vec![], Some("S2")));
    story.implement("S2");
    story.verify("S2");
    story.reconcile("S2", None);
    story.judge_all();
    story.finish();
    assert_eq!(story.core("/done/waived"), json!(["S1/AC-001", "S1/AC-002"]));
    story
}

/// S1 is closed and S2 put off.
fn deferred() -> Story {
    let mut story = Story::going();
    story.plan(&["S1", "S2"]);
    story.say(Command::Defer { item: "S2".to_owned(), reason: "next year".to_owned() });
    story.implement("S1");
    story.verify("S1");
    story.reconcile("S1", None);
    assert_eq!(story.topic(), "end_with_deferred");
    story
}

fn defer() -> Story {
    let mut story = deferred();
    story.answer(Answer::Confirmation { yes: true });
    assert!(story.prompt().contains("S2"));
    story.judge_all();
    story.finish();
    assert_eq!(story.core("/done/deferred"), json!(["S2"]));
    story
}

fn take_up() -> Story {
    let mut story = deferred();
    story.answer(Answer::Confirmation { yes: false });
    assert_eq!(story.rule(), "reground_to_select");
    assert_eq!(story.file("plan.json")["candidate_slices"][1]["status"], "planned");
    story
}

fn reopen() -> Story {
    let mut story = Story::closed();
    story.say(Command::Reopen { item: "S1".to_owned(), reason: "it greets nobody".to_owned() });
    assert_eq!((story.rule().as_str(), story.due().as_str()), ("reground_to_select", "regrounder"));
    story.run("regrounder", ground(vec![], Some("S1")));
    assert_eq!(story.file("active-slice.json")["must_fix_findings"], json!(["it greets nobody"]));
    let records = &story.world.files[canonical::SLICE_HISTORY];
    assert!(records.lines().last().unwrap().contains("\"role\":\"user\""));
    story
}

fn reopen_done() -> Story {
    let mut story = Story::closed();
    story.judge_all();
    story.finish();
    let error = story.command_refused(Command::Pause);
    assert_eq!(error.code, Code::MissionDone);
    story.say(Command::Reopen { item: "S1".to_owned(), reason: "one more visitor".to_owned() });
    assert_eq!(story.engine.continuation(), Continuation::Continue);
    assert_eq!(story.file("state.json")["project_done"], false);
    assert_eq!(story.due(), "regrounder");
    story
}

fn item(id: &str) -> NewItem {
    NewItem {
        id: id.to_owned(),
        goal: "Say goodbye".to_owned(),
        shown_by: Vec::new(),
        acceptance_criteria: vec!["goodbye is said".to_owned()],
        contract_ids: vec!["C-2".to_owned()],
        priority: 5,
        why_now: "asked for".to_owned(),
        blocked_on: Vec::new(),
    }
}

fn amend() -> Story {
    let mut story = Story::planned();
    let before = story.state();
    let half = vec![
        PlanChange::AddItem { item: item("S2") },
        PlanChange::SetPriority { item: "S9".to_owned(), priority: 1 },
    ];
    assert_eq!(story.command_refused(Command::Amend { changes: half }).code, Code::UnknownItem);
    assert_eq!(story.state(), before);
    let waiver = PlanChange::WaiveCriterion {
        item: "S1".to_owned(),
        criterion: "AC-002".to_owned(),
        reason: "no runner".to_owned(),
    };
    let changes = vec![
        PlanChange::AddItem { item: item("S2") },
        PlanChange::AddCriterion {
            item: "S1".to_owned(),
            text: "it is polite".to_owned(),
            shown_by: None,
        },
        waiver,
        PlanChange::SetPriority { item: "S2".to_owned(), priority: 1 },
        PlanChange::Reorder { order: vec!["S2".to_owned(), "S1".to_owned()] },
    ];
    story.say(Command::Amend { changes });
    let plan = story.file("plan.json");
    assert_eq!(plan["candidate_slices"][0]["slice_id"], "S2");
    assert_eq!(plan["candidate_slices"][1]["acceptance_criteria"][2], "it is polite");
    assert_eq!(
        plan["candidate_slices"][1]["evidence"],
        json!(["AC-002: waived by user: no runner"])
    );
    assert_eq!(story.file("active-slice.json")["acceptance_criteria"][2], "it is polite");
    assert_eq!(story.due(), "implementer");
    story
}

fn skip_verification() -> Story {
    let mut story = Story::committed();
    story.say(Command::SkipVerification { reason: "a demonstration".to_owned() });
    assert_eq!(
        (story.rule().as_str(), story.due().as_str()),
        ("reground_to_reconcile", "regrounder")
    );
    story.reconcile("S1", None);
    let state = &story.state()["slices"][0]["criteria"][0]["state"];
    assert_eq!((&state["state"], &state["why"]), (&json!("waived"), &json!("a demonstration")));
    story.judge_all();
    story.finish();
    assert_eq!(story.core("/done/waived"), json!(["S1/AC-001", "S1/AC-002"]));
    story
}

fn refused() -> Story {
    let mut story = Story::new(Story::small());
    story.settle();
    let text = |text: &str| text.to_owned();
    let skip = |item: &str, reason: &str| Command::Skip { item: text(item), reason: text(reason) };
    assert_eq!(story.command_refused(Command::Resume).code, Code::NotStarted);
    story.say(Command::Start);
    assert_eq!(story.command_refused(Command::Start).code, Code::AlreadyStarted);
    assert_eq!(story.command_refused(Command::Resume).code, Code::NotPaused);
    assert_eq!(story.command_refused(skip("S1", "no")).code, Code::UnknownItem);
    story.plan(&["S1"]);
    let reopen = Command::Reopen { item: text("S1"), reason: text("again") };
    assert_eq!(story.command_refused(reopen).code, Code::ItemNotClosed);
    assert_eq!(story.command_refused(skip("S1", " ")).code, Code::MissingField);
    let grant = Command::Grant { counter: Counter::RoleRuns, amount: 0 };
    assert_eq!(story.command_refused(grant).code, Code::InvalidGrant);
    let reorder = vec![PlanChange::Reorder { order: vec![] }];
    assert_eq!(
        story.command_refused(Command::Amend { changes: reorder }).code,
        Code::InvalidChange
    );
    story.begin("implementer");
    assert_eq!(story.command_refused(skip("S1", "now")).code, Code::ItemActive);
    let pause = || {
        Fact::UserCommanded(UserCommanded { id: Some("c-1".to_owned()), command: Command::Pause })
    };
    story.fact(pause());
    story.settle();
    assert_eq!(story.refused(pause()).code, Code::DuplicateCommand);
    assert_eq!(story.command_refused(Command::Pause).code, Code::AlreadyPaused);
    story
}
