//! Host code as handler.

use super::*;

pub const TALES: &[Tale] = &[
    tale("host-code-decides", "It is given the run and says no, then yes; observed", decides),
    tale(
        "host-code-sees-actions",
        "Announced actions, read from blocks, and nothing else",
        actions,
    ),
    tale(
        "host-code-writes-the-next-prompt",
        "Its prompt stands in the template's place, once",
        prompt,
    ),
    tale(
        "host-code-has-a-memory",
        "What it asks to be kept comes back with the next consult",
        memory,
    ),
    tale(
        "host-code-unreadable-is-asked-again",
        "An answer that does not fit shows nothing",
        unreadable,
    ),
    tale(
        "host-code-never-answers",
        "Three times in a row: the user is asked, and tries again",
        silent,
    ),
    tale("host-code-never-answers-and-on", "The user sends the agent once more", sent_on),
    tale("host-code-never-answers-and-stop", "The user stops; resuming asks it again", stopped),
    tale("host-code-answers-too-late", "A withdrawn consult takes no answer", late),
    tale(
        "host-code-of-a-registered-type",
        "A completion type that the host registered",
        registered,
    ),
    tale("host-code-after-a-failed-run", "It is not asked: a failed run completes nothing", failed),
];

fn custom() -> Story {
    going(config("custom", json!({"handlerPath": "completion/decide.ts"})))
}

fn decides() -> Story {
    let mut story = custom();
    iterate(&mut story, WORK);
    let (_, handler, input) = consulted(&story);
    assert_eq!(handler, HANDLER);
    assert_eq!((&input["iteration"], &input["assistantResponses"]), (&json!(1), &json!([WORK])));
    assert_eq!(input["definition"]["name"], "helper");
    answer(&mut story, "{\"complete\":false}");
    goes_on(&story, 1);
    iterate(&mut story, WORK);
    answer(&mut story, "{\"complete\":true,\"description\":\"3 decisions were made\"}");
    done(&story, "observed", 2);
    assert_eq!(story.core("/done/description"), "3 decisions were made");
    assert_eq!(history(&story)[1]["description"], "3 decisions were made");
    story
}

fn actions() -> Story {
    let mut story = custom();
    let words = "One.\n```action\n{\"type\":\"decision\",\"text\":\"a\"}\n```\n```json\n[{\"type\":\"note\"},{\"kind\":\"x\"},7]\n\
                 ```\n```actions\n{\"type\":\"no\"}\n```\n```action\nnot json\n```\n{\"type\":\"no\"}\n```action\n{\"type\":1}\n```";
    iterate(&mut story, words);
    let (_, _, input) = consulted(&story);
    let found: Vec<&str> = input["detectedActions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["type"].as_str().unwrap())
        .collect();
    assert_eq!(found, ["decision", "note"]);
    story
}

fn prompt() -> Story {
    let mut story = custom();
    iterate(&mut story, WORK);
    answer(&mut story, "{\"complete\":false,\"prompt\":\"Ask {uv-nobody} about the date.\"}");
    assert!(story.prompt().contains("Ask {uv-nobody} about the date."));
    assert!(story.prompt().contains("- iteration 1: Worked on it"), "{}", story.prompt());
    iterate(&mut story, WORK);
    answer(&mut story, "{\"complete\":false}");
    assert!(!story.prompt().contains("about the date"));
    story
}

fn memory() -> Story {
    let mut story = custom();
    iterate(&mut story, WORK);
    assert_eq!(consulted(&story).2["memory"], Value::Null);
    answer(&mut story, "{\"complete\":false,\"memory\":\"2\"}");
    iterate(&mut story, WORK);
    assert_eq!(consulted(&story).2["memory"], "2");
    answer(&mut story, "{\"complete\":false}");
    iterate(&mut story, WORK);
    assert_eq!(consulted(&story).2["memory"], "2");
    story
}

fn unreadable() -> Story {
    let mut story = custom();
    iterate(&mut story, WORK);
    let long = format!("{{\"complete\":true,\"memory\":\"{}\"}}", "m".repeat(4_097));
    let cases = [
        ("yes", "syntax"),
        ("{\"complete\":\"true\"}", "wrong_type"),
        ("{\"complete\":true,\"because\":1}", "unknown_field"),
        ("{}", "missing_field"),
        (long.as_str(), "too_large"),
        ("[true]", "not_an_object"),
    ];
    for (text, code) in cases {
        answer(&mut story, text);
        assert_eq!(story.problem(), code, "{text}");
        if story.topic() == "handler_silent" {
            story.choose("retry");
        }
        consulted(&story);
    }
    assert_eq!(story.core("/iteration"), 1);
    answer(&mut story, "{\"complete\":true}");
    done(&story, "observed", 1);
    assert_eq!(warnings(&story).len(), 6);
    story
}

fn unanswered() -> Story {
    let mut story = custom();
    iterate(&mut story, WORK);
    for _ in 0..3 {
        assert_eq!(story.topic(), "");
        no_answer(&mut story);
    }
    assert_eq!(
        (story.topic().as_str(), story.problem().as_str()),
        ("handler_silent", "run_timed_out")
    );
    story
}

fn silent() -> Story {
    let mut story = unanswered();
    story.choose("retry");
    answer(&mut story, "{\"complete\":true}");
    done(&story, "observed", 1);
    story
}

fn sent_on() -> Story {
    let mut story = unanswered();
    story.choose("go_on");
    goes_on(&story, 1);
    assert_eq!(finding(&story), "not_shown");
    story
}

fn stopped() -> Story {
    let mut story = unanswered();
    story.choose("block");
    assert_eq!(story.engine.continuation(), Continuation::Blocked);
    story.say(Command::Resume);
    answer(&mut story, "{\"complete\":false}");
    goes_on(&story, 1);
    story
}

fn late() -> Story {
    let mut story = custom();
    iterate(&mut story, WORK);
    let (effect, _, _) = consulted(&story);
    let item = "helper".to_owned();
    story.say(Command::Skip { item, reason: "not needed any more".to_owned() });
    let answer = Some("{\"complete\":false}".to_owned());
    let error = story.refused(Fact::Consulted(Consulted { effect, answer, problem: None }));
    assert_eq!(error.code, Code::StaleAnswer);
    assert_eq!(story.engine.continuation(), Continuation::Done);
    story
}

fn registered() -> Story {
    let document = json!({"name": "helper", "behavior": {"completionType": "facilitator"}});
    let registered = vec!["facilitator".to_owned()];
    let definition = definition::parse_with(&document.to_string(), &registered).unwrap();
    let mut story = going(Config { registered, ..Config::new(MISSION, definition) });
    iterate(&mut story, WORK);
    assert_eq!(consulted(&story).1, "facilitator");
    answer(&mut story, "{\"complete\":true}");
    done(&story, "observed", 1);
    story
}

fn failed() -> Story {
    let mut story = custom();
    fails(&mut story, RunOutcome::Failed);
    goes_on(&story, 1);
    iterate(&mut story, WORK);
    answer(&mut story, "{\"complete\":true}");
    done(&story, "observed", 2);
    story
}
