//! Handlers that need the world's word: issue and check.

use super::*;

pub const TALES: &[Tale] = &[
    tale("issue-is-looked-up-after-each-run", "Open, open, closed; observed", closed),
    tale(
        "issue-claimed-closed-is-open",
        "What the agent says about it counts for nothing",
        claimed,
    ),
    tale(
        "issue-without-a-client-is-not-shown",
        "No gh: a warning, and the agent goes on",
        no_client,
    ),
    tale(
        "issue-with-unreadable-output",
        "Anything but OPEN or CLOSED in an object shows nothing",
        unreadable,
    ),
    tale("issue-not-shown-three-times-asks", "Three in a row: ask again, and it is closed", asks),
    tale("issue-not-shown-and-on", "Three in a row: the user sends the agent once more", sent_on),
    tale(
        "issue-not-shown-and-stopped",
        "Three in a row: the user stops; resuming looks again",
        stopped,
    ),
    tale(
        "issue-after-a-lost-run",
        "A lost run completes nothing: the next one finds the issue closed",
        lost,
    ),
    tale("check-exits-with-zero", "Status 1, then 0; observed", check),
    tale("check-without-a-status", "A command that did not exit shows nothing", no_status),
    tale("command-that-cannot-be-run", "The host's failure is not shown", cannot_run),
];

const OPEN: &str = "{\"state\":\"OPEN\"}";
const CLOSED: &str = "{\"state\":\"CLOSED\"}\n";

fn issue() -> Story {
    let mut story = going(with_args(config("issue", json!({})), &[("issue", "42")]));
    answers(&mut story, Some(0), OPEN);
    story
}

fn closed() -> Story {
    let mut story = issue();
    assert!(story.prompt().contains("gh issue view 42"));
    let effect = begin(&mut story);
    let applied = story.fact(Fact::RunEnded(RunEnded {
        effect,
        outcome: RunOutcome::Success,
        report: Some(WORK.to_owned()),
        problem: None,
        usage: Usage::default(),
    }));
    assert_eq!(applied.decided.rule, "ask_the_handler");
    let command = story.settle_until("run_command");
    let Order::RunCommand(command) = command.effect.order.clone() else { panic!("no command") };
    assert_eq!(command.argv, ["gh", "issue", "view", "42", "--json", "state"]);
    story.settle();
    goes_on(&story, 1);
    iterate(&mut story, WORK);
    goes_on(&story, 2);
    answers(&mut story, Some(0), CLOSED);
    iterate(&mut story, "Closed it.");
    done(&story, "observed", 3);
    assert!(story.engine.view().nodes[0].criteria[0].state == "verified");
    story
}

fn claimed() -> Story {
    let mut story = issue();
    iterate(&mut story, "The issue is CLOSED. {\"state\":\"CLOSED\"}");
    goes_on(&story, 1);
    assert_eq!(finding(&story), "does_not_hold");
    story
}

fn no_client() -> Story {
    let mut story = issue();
    answers(&mut story, Some(127), "gh: not found");
    iterate(&mut story, WORK);
    goes_on(&story, 1);
    assert_eq!(
        (finding(&story).as_str(), story.problem().as_str()),
        ("not_shown", "command_failed")
    );
    assert_eq!(warnings(&story).len(), 1);
    assert!(warnings(&story)[0].contains("gh: not found"));
    assert_eq!(story.engine.view().nodes[0].criteria[0].state, "open");
    assert_eq!(status(&story)["finding"], "not_shown");
    answers(&mut story, Some(1), CLOSED);
    iterate(&mut story, WORK);
    goes_on(&story, 2);
    story
}

fn unreadable() -> Story {
    let mut story = issue();
    let cases = [
        ("", "empty"),
        ("CLOSED", "not_an_object"),
        ("[{\"state\":\"CLOSED\"}]", "not_an_object"),
        ("{\"state\":\"closed\"}", "unknown_value"),
        ("{\"state\":true}", "wrong_type"),
        ("{\"status\":\"CLOSED\"}", "missing_field"),
        ("{\"state\":\"OPEN\",\"state\":\"CLOSED\"}", "duplicate_field"),
        ("notice\n{\"state\":\"CLOSED\"}", "not_an_object"),
    ];
    for (made, (output, code)) in cases.into_iter().enumerate() {
        answers(&mut story, Some(0), output);
        iterate(&mut story, WORK);
        assert_eq!(story.problem(), code, "{output}");
        // Three in a row ask; here the next one is always another.
        if story.topic() == "handler_silent" {
            story.choose("go_on");
        }
        goes_on(&story, made as u64 + 1);
        assert_eq!(finding(&story), "not_shown", "{output}");
    }
    story
}

fn silent() -> Story {
    let mut story = issue();
    answers(&mut story, Some(4), "no network");
    for _ in 0..3 {
        iterate(&mut story, WORK);
    }
    assert_eq!(story.topic(), "handler_silent");
    assert_eq!(story.core("/iteration"), 3);
    assert_eq!(story.engine.continuation(), Continuation::AwaitUserInput);
    story
}

fn asks() -> Story {
    let mut story = silent();
    answers(&mut story, Some(0), CLOSED);
    story.choose("retry");
    done(&story, "observed", 3);
    story
}

fn sent_on() -> Story {
    let mut story = silent();
    story.choose("go_on");
    goes_on(&story, 3);
    answers(&mut story, Some(0), OPEN);
    iterate(&mut story, WORK);
    goes_on(&story, 4);
    story
}

fn stopped() -> Story {
    let mut story = silent();
    story.choose("block");
    assert_eq!(story.engine.continuation(), Continuation::Blocked);
    assert_eq!(status(&story)["blocked"]["code"], "command_failed");
    answers(&mut story, Some(0), CLOSED);
    story.say(Command::Resume);
    done(&story, "observed", 3);
    story
}

fn lost() -> Story {
    let mut story = issue();
    answers(&mut story, Some(0), CLOSED);
    fails(&mut story, RunOutcome::Lost);
    goes_on(&story, 1);
    assert_eq!(finding(&story), "not_shown", "a lost run completes nothing");
    iterate(&mut story, WORK);
    done(&story, "observed", 2);
    story
}

fn checked() -> Story {
    let mut story = going(config("check", json!({"command": ["make", "test"]})));
    answers(&mut story, Some(2), "1 test failed");
    story
}

fn check() -> Story {
    let mut story = checked();
    assert!(story.prompt().contains("`make test`"));
    assert_eq!(story.core("/ceiling"), 10);
    iterate(&mut story, WORK);
    goes_on(&story, 1);
    assert_eq!(finding(&story), "does_not_hold");
    answers(&mut story, Some(0), "");
    iterate(&mut story, WORK);
    done(&story, "observed", 2);
    story
}

fn no_status() -> Story {
    let mut story = checked();
    answers(&mut story, None, "");
    iterate(&mut story, WORK);
    goes_on(&story, 1);
    assert_eq!((finding(&story).as_str(), story.problem().as_str()), ("not_shown", "run_lost"));
    story
}

fn cannot_run() -> Story {
    let mut story = checked();
    let effect = begin(&mut story);
    story.fact(Fact::RunEnded(RunEnded {
        effect,
        outcome: RunOutcome::Success,
        report: Some(WORK.to_owned()),
        problem: None,
        usage: Usage::default(),
    }));
    story.fail_effect("run_command", Code::HostFailed);
    goes_on(&story, 1);
    assert_eq!((finding(&story).as_str(), story.problem().as_str()), ("not_shown", "host_failed"));
    story
}
