//! Events that cannot be read, or that may not happen now: refused, and nothing is changed.

use super::*;

pub const TALES: &[Tale] = &[
    tale(
        "unreadable-events-are-refused",
        "Empty, cut, marked, listed and too deep texts are each refused with a place",
        unreadable,
    ),
    tale(
        "ill-formed-events-are-refused",
        "Unknown words, missing, unknown, doubled and ill-typed fields are each named",
        ill_formed,
    ),
    tale(
        "numbers-out-of-range-are-refused",
        "No number that a reader would round, no time beyond the year 9999",
        numbers,
    ),
    tale(
        "answers-to-nothing-are-refused",
        "Unknown, stale and wrong answers are told apart",
        answers,
    ),
    tale(
        "runs-out-of-order-are-refused",
        "A run starts once, moves only when started, and ends by its own end",
        runs,
    ),
    tale(
        "wrong-outcomes-are-refused",
        "A write is not answered with a commit, nor a commit with a write",
        outcomes,
    ),
];

fn expect(story: &mut Story, text: &str, code: &str, at: &str) {
    let error = story.raw_refused(text);
    assert_eq!((error.code.as_str(), error.at.as_str()), (code, at), "{text}: {error}");
}

fn unreadable() -> Story {
    let mut story = Story::new(Story::small());
    let deep = format!("{{\"at\":{}", "[".repeat(97));
    let cases = [
        ("", "empty", ""),
        (" \n", "empty", ""),
        ("\u{feff}{}", "byte_order_mark", ""),
        ("{\"at\":1,\"fact\":{\"type\":\"host_reco", "truncated", "fact.type"),
        ("[]", "not_an_object", ""),
        ("[1,{\"type\":\"timer_fired\",\"data\":{\"effect\":\"0.1\"}}]", "not_an_object", ""),
        ("nonsense", "syntax", "line 1 column 2"),
        (deep.as_str(), "too_deep", "byte 101"),
    ];
    for (text, code, at) in cases {
        expect(&mut story, text, code, at);
    }
    story
}

fn ill_formed() -> Story {
    let mut story = Story::new(Story::small());
    let cases = [
        (
            r#"{"fact":{"type":"timer_fired","data":{"effect":"0.1"}}}"#,
            "missing_field",
            "line 1 column 55",
        ),
        (r#"{"at":1,"fact":{"type":"dreamt","data":{}}}"#, "unknown_value", "fact.type"),
        (
            r#"{"at":1,"fact":{"type":"timer_fired","data":{"effect":"0.1","loud":true}}}"#,
            "unknown_field",
            "fact.data.loud",
        ),
        (
            r#"{"at":1,"at":2,"fact":{"type":"timer_fired","data":{"effect":"0.1"}}}"#,
            "duplicate_field",
            "at",
        ),
        (
            r#"{"at":"now","fact":{"type":"timer_fired","data":{"effect":"0.1"}}}"#,
            "wrong_type",
            "at",
        ),
        (
            r#"{"at":1,"fact":{"type":"timer_fired","data":{"effect":"first"}}}"#,
            "invalid_value",
            "fact.data.effect",
        ),
    ];
    for (text, code, at) in cases {
        expect(&mut story, text, code, at);
    }
    story
}

fn numbers() -> Story {
    let mut story = Story::new(Story::small());
    let timed = |at: &str| {
        format!(
            "{{\"at\":{at},\"fact\":{{\"type\":\"host_recovered\",\"data\":{{\"from\":\"stall\",\"note\":\"\"}}}}}}"
        )
    };
    let cases = [
        ("9007199254740992", "number_out_of_range", "byte 6"),
        ("253402300800000", "number_out_of_range", "at"),
        ("-1", "number_out_of_range", "at"),
        ("1.5", "wrong_type", "at"),
    ];
    for (number, code, at) in cases {
        expect(&mut story, &timed(number), code, at);
    }
    story.raw(&timed("253402300799999")).unwrap();
    story
}

fn answers() -> Story {
    let mut story = Story::new(Story::small());
    let first: EffectId = "0.1".parse().unwrap();
    let performed =
        |effect| Fact::EffectPerformed(EffectPerformed { effect, outcome: Outcome::Nothing });
    let unknown = story.refused(performed("9.1".parse().unwrap()));
    assert_eq!(unknown.code, Code::UnknownEffect);
    assert_eq!(story.refused(performed(first)).code, Code::WrongAnswer);
    story.settle();
    assert_eq!(story.refused(performed(first)).code, Code::StaleAnswer);
    story
}

fn runs() -> Story {
    let mut story = Story::going();
    let (effect, _) = story.role().unwrap();
    let entries =
        || vec![ProgressEntry { kind: "activity".to_owned(), text: "reading".to_owned() }];
    let progress = || Fact::RunProgressed(RunProgressed { effect, entries: entries() });
    let start = || Fact::RunStarted(RunStarted { effect, session: None, confined: false });
    assert_eq!(story.refused(progress()).code, Code::NotStarted);
    story.begin("regrounder");
    story.fact(progress());
    assert_eq!(story.engine.view().runs[0].last_line.as_deref(), Some("reading"));
    assert_eq!(story.refused(start()).code, Code::AlreadyStarted);
    let problem = Error::new(Code::HostFailed, "", "", "").diagnostic();
    let failed = Fact::EffectFailed(EffectFailed { effect, problem });
    assert_eq!(story.refused(failed).code, Code::WrongAnswer);
    story
}

fn outcomes() -> Story {
    let mut story = Story::new(Story::small());
    let effect = story.settle_until("commit_files").effect.id;
    let outcome = Outcome::File { digest: digest(""), length: 0 };
    let error = story.refused(Fact::EffectPerformed(EffectPerformed { effect, outcome }));
    assert_eq!((error.code, error.at.as_str()), (Code::WrongAnswer, "outcome"));
    story.settle_until("commit_files");
    story.settle();
    story
}
