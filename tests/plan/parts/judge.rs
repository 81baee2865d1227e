use endstate::plan::judge::*;
use endstate::vocab::error::Code;
use endstate::vocab::question::{Answer, QuestionKind};
use endstate::vocab::role::{Access, Tier};

#[test]
fn answers_have_the_type_that_was_asked_for() {
    let asked = [
        PlanQuestion { id: "a".to_owned(), text: "?".to_owned(), kind: QuestionKind::Confirmation },
        PlanQuestion::words("b".to_owned(), "?".to_owned()),
    ];
    let yes = r#"{"id": "a", "answer": {"type": "confirmation", "yes": true}}"#;
    let report = |body: &str| format!("Here:\n\n```json\n{{\"answers\": [{body}]}}\n```\n");
    let answers = read(&report(yes), &asked).unwrap();
    assert_eq!(answers.get("a"), Some(&Answer::Confirmation { yes: true }));
    assert_eq!((answers.len(), said_words(&answers, "b")), (1, None));
    for (text, code) in [
        ("nothing".to_owned(), Code::BlockMissing),
        (report(&format!("{yes}, {yes}")), Code::DuplicateId),
        (report(&yes.replace("\"a\"", "\"c\"")), Code::UnknownValue),
        (report(&yes.replace("\"a\"", "\"b\"")), Code::AnswerType),
        (report("1"), Code::WrongType),
    ] {
        assert_eq!(read(&text, &asked).unwrap_err().code, code, "{text}");
    }
    let order = spawn(&asked, "````\nx", Tier::Small);
    assert!(order.prompt.contains("`````\n````\nx\n`````") && order.access == Access::ReadOnly);
}
