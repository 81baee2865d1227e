use endstate::plan::judge::Answers;
use endstate::plan::naming::*;
use endstate::plan::read::parse;
use endstate::vocab::error::Code;
use endstate::vocab::question::Answer;
use endstate::vocab::role::Tier;

#[test]
fn names_are_given_when_a_plan_starts() {
    let plan = parse("# P\n").plan;
    assert_eq!(Ritual::of(&plan, false, false), Ritual::TooEarly);
    assert_eq!(Ritual::of(&plan, true, false), Ritual::Ceremony);
    assert_eq!(Ritual::of(&plan, false, true), Ritual::Renaming);
    let named = parse("---\nfeature_name: OPERATION A\n---\n# P\n").plan;
    assert_eq!(Ritual::of(&named, false, false), Ritual::Renaming);
    assert_eq!(order(&plan).tier, Tier::Small);
}

#[test]
fn names_are_checked_and_kept_in_the_front_matter() {
    let said =
        |text: &str| name(&[(QUESTION.to_owned(), Answer::Text { text: text.to_owned() })].into());
    assert_eq!(said("\"OPERATION PAPER TIGER\"").unwrap(), "OPERATION PAPER TIGER");
    for bad in [
        "Paper Tiger",
        "OPERATION",
        "OPERATION x",
        "OPERATION A: B",
        "OPERATION A B C D E",
        "OPERATION\n---\nevil: 1",
    ] {
        assert_eq!(said(bad).unwrap_err().code, Code::InvalidValue, "{bad}");
    }
    assert_eq!(name(&Answers::new()).unwrap_err().code, Code::MissingField);
    for (text, expected) in [
        ("# P\n", "---\nfeature_name: OPERATION A\n---\n\n# P\n"),
        ("---\nx: 1\r\n---\n# P\n", "---\nx: 1\r\nfeature_name: OPERATION A\n---\n# P\n"),
        (
            "---\nfeature_name: old\nx: [1]\n---\n# P  \n",
            "---\nfeature_name: OPERATION A\nx: [1]\n---\n# P  \n",
        ),
    ] {
        assert_eq!(with_name(text, "OPERATION A").unwrap(), expected);
        assert_eq!(parse(expected).plan.field(FIELD), Some("OPERATION A"));
    }
    assert_eq!(with_name("---\nopen", "OPERATION A").unwrap_err().code, Code::Truncated);
}
