//! Handlers that judge by the count and by what a run said: iterate, manual, structured, project.

use super::*;
use endstate::mission::proof::ProofConfig;
use endstate::view::How;
use endstate::vocab::command::Accept;

pub const TALES: &[Tale] = &[
    tale(
        "iterate-completes-at-its-maximum",
        "Three runs of three: no, no, yes; counted",
        seeds_test,
    ),
    tale("iterate-of-one-run", "A maximum of one is one run, the initial one", one_run),
    tale("iterate-counts-failed-runs", "A failed and a lost run are runs", failed_runs),
    tale(
        "lost-work-is-told",
        "The next run hears of the commits of one that was lost or failed",
        lost_work,
    ),
    tale(
        "iterate-whose-only-run-failed",
        "A failed run completes nothing: at the ceiling the user is asked",
        the_only_run_failed,
    ),
    tale(
        "no-condition-after-a-failed-run",
        "Neither the count nor the world completes it, lost, failed or silent",
        every_condition_fails_with_its_run,
    ),
    tale("keyword-alone-on-a-line", "The word on a line of its own ends it, as a claim", keyword),
    tale(
        "keyword-negated-or-quoted-ends-nothing",
        "In a sentence, a block, an indented line, another case: not done",
        negated,
    ),
    tale("keyword-anywhere", "With `match: anywhere` the word may stand in a sentence", anywhere),
    tale("keyword-of-a-failed-run", "What a failed run said counts for nothing", failed_keyword),
    tale("signal-with-exact-tag", "A longer tag is another signal", exact_tag),
    tale("signal-with-required-fields", "The block must hold what it must hold", required),
    tale("signal-with-required-names", "Fields by name may hold anything", required_names),
    tale("project-through-its-phases", "Phase by phase to complete, each with its prompt", phases),
    tale("project-never-goes-back", "An earlier phase named later changes nothing", never_back),
    tale("project-phase-in-a-sentence", "Loose phrases count with `match: anywhere` only", loose),
    tale("project-carries-its-labels", "Labels of the definition are in the prompt", labels),
    tale(
        "what-only-words-show-is-asked-about",
        "Before the work a run proposes a command, the user takes it, and it shows the end",
        asked_about,
    ),
];

fn seeds_test() -> Story {
    let mut story = going(config("iterate", json!({"maxIterations": 3})));
    iterate(&mut story, WORK);
    goes_on(&story, 1);
    iterate(&mut story, WORK);
    goes_on(&story, 2);
    iterate(&mut story, WORK);
    done(&story, "counted", 3);
    assert_eq!(history(&story).len(), 3);
    assert_eq!(status(&story)["done"]["closed_by"], "counted");
    story
}

fn one_run() -> Story {
    let mut story = going(config("iterate", json!({"maxIterations": 1})));
    assert!(story.prompt().contains("iteration 1 of at most 1"));
    iterate(&mut story, WORK);
    done(&story, "counted", 1);
    story
}

fn failed_runs() -> Story {
    let mut story = going(config("iterate", json!({"maxIterations": 3})));
    fails(&mut story, RunOutcome::Failed);
    goes_on(&story, 1);
    fails(&mut story, RunOutcome::Lost);
    goes_on(&story, 2);
    iterate(&mut story, WORK);
    done(&story, "counted", 3);
    let outcomes: Vec<Value> = history(&story).iter().map(|one| one["outcome"].clone()).collect();
    assert_eq!(outcomes, ["failed", "lost", "success"]);
    story
}

fn lost_work() -> Story {
    let config = config("iterate", json!({"maxIterations": 4}));
    let mut story = going(Config { follow_head: true, ..config });
    for outcome in [RunOutcome::Lost, RunOutcome::Failed] {
        let run = begin(&mut story);
        let commit = story.world.commit(&["a.rs"]);
        story.failed(run, outcome);
        assert!(story.tells_of(None, &commit), "{}", story.prompt());
    }
    iterate(&mut story, WORK);
    assert!(!story.prompt().contains("did not report"), "{}", story.prompt());
    iterate(&mut story, WORK);
    done(&story, "counted", 4);
    story
}

fn the_only_run_failed() -> Story {
    let mut story = going(config("iterate", json!({"maxIterations": 1})));
    fails(&mut story, RunOutcome::Failed);
    assert_eq!(story.engine.continuation(), Continuation::AwaitUserInput);
    assert_eq!((story.topic().as_str(), story.problem().as_str()), ("ceiling", "run_failed"));
    story.choose("more");
    iterate(&mut story, WORK);
    done(&story, "counted", 2);
    story
}

fn every_condition_fails_with_its_run() -> Story {
    let conditions = json!([
        {"completionType": "iterate", "completionConfig": {"maxIterations": 1}},
        {"completionType": "check", "completionConfig": {"command": ["true"]}},
    ]);
    let settings = json!({"operator": "or", "conditions": conditions});
    let mut story = going(config("composite", settings));
    for (number, outcome) in [RunOutcome::Failed, RunOutcome::Lost].into_iter().enumerate() {
        fails(&mut story, outcome);
        goes_on(&story, number as u64 + 1);
    }
    // What both conditions say is said once.
    let status = status(&story);
    let said = status["description"].as_str().unwrap();
    assert_eq!(said.matches("A run ended").count(), 1, "{said}");
    let run = begin(&mut story);
    story.end(run, " \n");
    assert_eq!(story.engine.continuation(), Continuation::AwaitUserInput, "{}", story.topic());
    story
}

fn manual(settings: Value) -> Story {
    let mut settings = settings;
    settings["completionKeyword"] = json!("TASK_COMPLETE");
    going(config("manual", settings))
}

fn keyword() -> Story {
    let mut story = manual(json!({}));
    assert!(story.prompt().contains("TASK_COMPLETE"));
    iterate(&mut story, WORK);
    goes_on(&story, 1);
    iterate(&mut story, "All of it is done.\n\n  TASK_COMPLETE  \n");
    done(&story, "claimed", 2);
    assert!(story.core("/done/description").as_str().unwrap().contains("TASK_COMPLETE"));
    story
}

fn negated() -> Story {
    let mut story = manual(json!({}));
    let cases = [
        "I will not say TASK_COMPLETE yet.",
        "The rule says:\n```\nTASK_COMPLETE\n```\n",
        "~~~text\nTASK_COMPLETE\n```\nTASK_COMPLETE",
        "    TASK_COMPLETE\nas the plan has it",
        "> TASK_COMPLETE",
        "task_complete\nTask_Complete",
        "TASK_COMPLETE.",
    ];
    for (made, words) in cases.iter().enumerate() {
        iterate(&mut story, words);
        goes_on(&story, made as u64 + 1);
        assert_eq!(finding(&story), "does_not_hold", "{words}");
    }
    story
}

fn anywhere() -> Story {
    let mut story = manual(json!({"match": "anywhere"}));
    iterate(&mut story, "task_complete");
    goes_on(&story, 1);
    iterate(&mut story, "I will not say TASK_COMPLETE yet.");
    done(&story, "claimed", 2);
    story
}

fn failed_keyword() -> Story {
    let mut story = manual(json!({}));
    let effect = begin(&mut story);
    story.fact(Fact::RunEnded(RunEnded {
        effect,
        outcome: RunOutcome::Partial,
        report: Some("Out of turns.\nTASK_COMPLETE\n".to_owned()),
        problem: None,
        usage: Usage { turns_exhausted: true, ..Usage::default() },
    }));
    story.settle();
    goes_on(&story, 1);
    assert_eq!(story.problem(), "run_exhausted");
    assert!(story.prompt().contains("Out of turns."), "the summary is kept all the same");
    story
}

fn exact_tag() -> Story {
    let mut story = going(config("structured", json!({"signalType": "done-signal"})));
    for (made, words) in [
        "```done-signal-2\n{}\n```",
        "```Done-Signal\n{}\n```",
        "```done-signal\nnot json\n```",
        "```done-signal\n[]\n```",
        "```done-signal\n{}",
        "done-signal",
    ]
    .iter()
    .enumerate()
    {
        iterate(&mut story, words);
        goes_on(&story, made as u64 + 1);
    }
    iterate(&mut story, "Done.\n```done-signal\n{\"result\": \"complete\"}\n```\n");
    done(&story, "claimed", 7);
    story
}

fn required() -> Story {
    let fields = json!({"status": "ok", "tests": {"failed": 0}});
    let settings = json!({"signalType": "report", "requiredFields": fields});
    let mut story = going(config("structured", settings));
    assert!(story.prompt().contains("status = \"ok\""));
    iterate(&mut story, "```report\n{\"status\": \"ok\"}\n```");
    goes_on(&story, 1);
    iterate(&mut story, "```report\n{\"status\": \"ok\", \"tests\": {\"failed\": 1}}\n```");
    goes_on(&story, 2);
    iterate(
        &mut story,
        "```report\n{\"tests\": {\"failed\": 0}, \"status\": \"ok\", \"more\": 1}\n```",
    );
    done(&story, "claimed", 3);
    story
}

fn required_names() -> Story {
    let settings = json!({"signalType": "report", "requiredFields": ["status", "by"]});
    let mut story = going(config("structured", settings));
    iterate(&mut story, "```report\n{\"status\": null}\n```");
    goes_on(&story, 1);
    iterate(&mut story, "```report\n{\"status\": null, \"by\": 0}\n```");
    done(&story, "claimed", 2);
    story
}

fn project(settings: Value) -> Story {
    going(with_args(config("project", settings), &[("project", "7")]))
}

fn phase(story: &Story) -> String {
    story.core("/phase").as_str().unwrap().to_owned()
}

fn phases() -> Story {
    let mut story = project(json!({}));
    assert!(story.prompt().contains("in phase preparation"));
    iterate(&mut story, "Read the board.\nPhase: Processing\n");
    assert_eq!(phase(&story), "processing");
    assert!(story.prompt().contains("in phase processing"));
    iterate(&mut story, WORK);
    assert_eq!(phase(&story), "processing");
    iterate(&mut story, "phase:review");
    assert!(story.prompt().contains("in phase review"));
    iterate(&mut story, "phase: complete");
    done(&story, "claimed", 4);
    story
}

fn never_back() -> Story {
    let mut story = project(json!({}));
    iterate(&mut story, "phase: review");
    iterate(&mut story, "phase: processing\nphase: preparation");
    assert_eq!(phase(&story), "review");
    assert!(story.prompt().contains("in phase review"));
    iterate(&mut story, "We are not in phase: complete yet.\n```\nphase: complete\n```");
    assert_eq!(phase(&story), "review");
    goes_on(&story, 3);
    story
}

fn loose() -> Story {
    let mut story = project(json!({"match": "anywhere"}));
    iterate(&mut story, "Now starting implementation of the parts.");
    assert_eq!(phase(&story), "processing");
    iterate(&mut story, "All parts are there, Moving to Review.");
    assert_eq!(phase(&story), "review");
    iterate(&mut story, "So the project complete is.");
    done(&story, "claimed", 3);
    story
}

fn labels() -> Story {
    let document = json!({
        "name": "helper",
        "behavior": {"completionType": "project"},
        "github": {"labels": {"inProgress": "doing", "completion": {"add": ["done", "seen"], "remove": []}}},
    });
    let definition = definition::parse(&document.to_string()).unwrap();
    let story = going(with_args(Config::new(MISSION, definition), &[("project", "7")]));
    assert!(story.prompt().contains("completion.add: done, seen; inProgress: doing"));
    story
}

fn asked_about() -> Story {
    let known = held(config("iterate", json!({"maxIterations": 1})), &[]).config;
    let proof = ProofConfig { accept: Accept::Ask, ..known.proof.clone() };
    let mut story = Story::start(&Start { proof, ..known }, World::new());
    story.go();
    let row = json!({"criterion": "WORDS-1", "argv": ["make", "greets"], "reason": "it greets"});
    let run = story.begin_in("proposer", None);
    story.end(run, crate::common::report_for(MISSION, json!({"criteria": [row]})));
    assert_eq!(story.topic(), "proof");
    story.world.exits.insert("proof 0".to_owned(), (Some(2), String::new()));
    story.choose("take");
    assert!(story.prompt().contains("- completion: `make greets`"));
    iterate(&mut story, WORK);
    done(&story, "counted", 1);
    let shown = story.engine.view().end.unwrap().shown;
    assert_eq!((shown[0].how, shown[0].enough), (How::Observed, true), "{shown:?}");
    story
}
