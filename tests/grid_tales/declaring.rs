//! The commands that plans declare: who is asked about them, when, and what they show at the end.

use super::*;
use endstate::view::{How, Shown};
use endstate::vocab::effect::RunCommand;

pub const TALES: &[Tale] = &[
    tale(
        "a-declared-command",
        "A command of a plan is asked about once and run twice at the end",
        trusted,
    ),
    tale(
        "a-declared-command-fails",
        "A declared command that does not hold is named at the end, whatever judges said",
        fails,
    ),
    tale(
        "no-declared-command",
        "Where the user wants none run, judges' words are what there is",
        judged,
    ),
    tale(
        "declared-and-blocked",
        "Who wants neither is asked again when the mission is resumed",
        blocked,
    ),
    tale(
        "declared-by-a-planner",
        "A planner's command is asked about although the plans are trusted, one that is trusted is not",
        planner,
    ),
    tale("declared-and-let-go", "A block that is let go is shown by no command", let_go),
    tale("what-is-a-command", "Only what stands in `<automated>` is a command", what_is_one),
    tale(
        "commands-that-are-none",
        "A command that cannot be one goes back to the planner",
        refused,
    ),
];

/// The body of a plan whose thread has this to verify.
fn body(verify: &str) -> String {
    format!(
        "\n<task type=\"auto\">\n<name>one</name>\n<action>Do it.</action>\n<verify>{verify}</verify>\n</task>\n"
    )
}

fn automated(commands: &[&str]) -> String {
    body(&commands.iter().map(|one| format!("<automated>{one}</automated>")).collect::<String>())
}

fn declaring(id: &str, commands: &[&str]) -> Plan {
    Plan { content: automated(commands), ..plan(id, &[]) }
}

fn closed(story: &mut Story) {
    build(story, "01");
    recognize(story, &[]);
    recognize(story, &[]);
    done(story);
}

/// What was ordered to be run, in its order.
fn ran(story: &Story) -> Vec<RunCommand> {
    let all = story.taken.iter().flat_map(|(_, applied)| &applied.effects);
    let command = |order: &Order| match order {
        Order::RunCommand(command) => Some(command.clone()),
        _ => None,
    };
    all.filter_map(|effect| command(&effect.order)).collect()
}

fn shown(story: &Story, criterion: &str) -> Option<Shown> {
    let shown = story.engine.view().end.unwrap().shown;
    shown.into_iter().find(|one| one.criterion == criterion)
}

fn told(story: &Story) -> String {
    story.question().unwrap().1.text
}

fn trusted() -> Story {
    let mut story = going(cluster(vec![declaring("01", &["npm test -- foo &amp;&amp; ./lint"])]));
    assert_eq!((story.topic().as_str(), items(&story).len()), ("trust", 0));
    let text = told(&story);
    assert!(text.starts_with("Plans declare 1 commands"), "{text}");
    assert!(text.ends_with("\n  bash -c 'npm test -- foo && ./lint'"), "{text}");
    story.choose("trust");
    assert!(
        story.prompt().contains("that they run as before the work: `npm test -- foo && ./lint`")
    );
    build(&mut story, "01");
    assert!(story.prompt().contains("no rows of yours: `npm test -- foo && ./lint`"));
    assert!(ran(&story).is_empty(), "nothing is run before the end");
    recognize(&mut story, &[]);
    recognize(&mut story, &[]);
    done(&story);
    let ran = ran(&story);
    assert!(ran.iter().all(|one| one.room.is_some() && one.argv[..2] == ["bash", "-c"]));
    assert_eq!(
        ran.iter().map(|one| &one.argv[2]).collect::<Vec<_>>(),
        ["npm test -- foo && ./lint"; 3],
        "before the work, and twice after it"
    );
    let one = shown(&story, "VERIFY-001").unwrap();
    assert_eq!((one.item.as_str(), one.how, one.enough), ("01", How::Observed, true));
    assert_eq!(shown(&story, "AC-001").unwrap().how, How::Judged);
    story
}

fn fails() -> Story {
    let mut story = going(cluster(vec![declaring("01", &["make check"])]));
    story.choose("trust");
    story.world.exits.insert("proof 1".to_owned(), (Some(2), "1 failed".to_owned()));
    closed(&mut story);
    let one = shown(&story, "VERIFY-001").unwrap();
    assert_eq!((one.how, one.enough), (How::Claimed, false));
    assert!(one.by.contains("make check"), "{}", one.by);
    story
}

fn judged() -> Story {
    let mut story = going(cluster(vec![declaring("01", &["make check"])]));
    story.choose("judges");
    assert!(!story.prompt().contains("the engine runs these"));
    closed(&mut story);
    assert_eq!((ran(&story).len(), shown(&story, "VERIFY-001")), (0, None));
    assert_eq!(shown(&story, "AC-001").unwrap().how, How::Judged);
    story
}

fn blocked() -> Story {
    let mut story = going(cluster(vec![declaring("01", &["make check"])]));
    story.choose("block");
    assert_eq!(story.engine.continuation(), Continuation::Blocked);
    story.say(Command::Resume);
    assert_eq!(story.topic(), "trust");
    story.choose("trust");
    assert_eq!(items(&story), ["01"]);
    story
}

fn planner() -> Story {
    let plans = vec![declaring("01", &["make one"])];
    let mut story = going(grid::Config { trusted: true, ..cluster(plans) });
    assert_eq!(items(&story), ["01"], "nobody is asked about what is trusted");
    build(&mut story, "01");
    recognize(&mut story, &["01/AC-001"]);
    let mut fix = closing("fix", &["01/AC-001"]);
    fix["content"] = json!(automated(&["make one", "rm -r build; make two"]));
    story.run("planner", json!({"plans": [fix]}));
    assert_eq!((story.topic().as_str(), items(&story).len()), ("trust", 0));
    assert!(told(&story).ends_with(":\n  bash -c 'rm -r build; make two'"), "{}", told(&story));
    story.choose("trust");
    build(&mut story, "fix");
    recognize(&mut story, &["01/AC-002"]);
    let mut more = closing("more", &["01/AC-002"]);
    more["content"] = json!(automated(&["make one"]));
    story.run("planner", json!({"plans": [more]}));
    build(&mut story, "more");
    recognize(&mut story, &[]);
    recognize(&mut story, &[]);
    done(&story);
    let ran = ran(&story);
    let ran: Vec<&str> = ran.iter().map(|one| one.argv[2].as_str()).collect();
    assert_eq!(ran, ["make one", "rm -r build; make two"].repeat(3));
    story
}

fn let_go() -> Story {
    let mut story = going(cluster(vec![declaring("01", &["make check"]), plan("02", &[])]));
    story.choose("trust");
    story.say(Command::Skip { item: "01".to_owned(), reason: "not now".to_owned() });
    build(&mut story, "02");
    recognize(&mut story, &[]);
    recognize(&mut story, &[]);
    done(&story);
    assert_eq!((ran(&story).len(), shown(&story, "VERIFY-001").unwrap().how), (0, How::Waived));
    story
}

fn what_is_one() -> Story {
    let verify = "npm run build works\n<!-- <automated>old</automated> -->\n<automated>\n  a &lt; b | c\n</automated> or \
                  <automated>grep -q '<!--' x</automated><automated>MISSING — write the test first</automated>\
                  <automated>echo &amp;lt;\r\necho 2</automated><automated/>";
    let content = format!(
        "<automated>beside</automated>{}<task><name>b</name><verify>make test</verify></task>\n\
         <thread>\n<verify>\n<automated>last</automated>\n",
        body(verify)
    );
    let story = going(cluster(vec![Plan { content, ..plan("01", &[]) }]));
    let text = told(&story);
    let lines: Vec<&str> = text.lines().skip(1).collect();
    let expected = [
        "  bash -c 'a < b | c'",
        "  bash -c 'grep -q '\\''<!--'\\'' x'",
        "  bash -c 'echo &lt;\\necho 2'",
        "  bash -c 'last'",
    ];
    assert_eq!(lines, expected.map(|line| line.replace("'last'", "last")), "{text}");
    let unclosed = body("<!-- x <automated>a</automated>");
    let unclosed = going(cluster(vec![Plan { content: unclosed, ..plan("01", &[]) }]));
    assert!(told(&unclosed).ends_with("\n  bash -c a"), "{}", told(&unclosed));
    let words = cluster(vec![Plan { content: body("npm test, by hand"), ..plan("01", &[]) }]);
    assert_eq!(items(&going(words)), ["01"]);
    story
}

fn refused() -> Story {
    let mut story = going(cluster(Vec::new()));
    let long = "x".repeat(2_001);
    let many = vec!["true"; 101];
    let at = "thread `one`: <automated>";
    for (content, code, at) in [
        (automated(&["make\u{0}test"]), "invalid_value", at),
        (automated(&["make \u{1b}[2Ktest"]), "invalid_value", at),
        (automated(&["\n "]), "missing_field", at),
        (body("<automated>make test"), "missing_field", at),
        ("<task><verify><automated>".to_owned(), "missing_field", "thread `unnamed`: <automated>"),
        (automated(&[&long]), "too_large", at),
        (automated(&many), "too_large", "<automated>"),
    ] {
        let text = format!("---\nphase: 01-x\nplan: 1\n---\n{content}");
        assert!(grid::plan::parse("01-01-PLAN.md", &text).is_err(), "{content:?}");
        let of_config = Plan { content: content.clone(), ..plan("01", &[]) };
        let error = grid::start(&cluster(vec![of_config])).unwrap_err();
        let place = format!("mission.settings.plans[0].{at}");
        assert_eq!((error.code.as_str(), error.at), (code, place), "{content:?}");
        // What no text has is taken out of a report before it is read.
        if content.contains(|c: char| c.is_control() && c != '\n') {
            continue;
        }
        let mut one = planned("01", &[]);
        one["content"] = json!(content);
        story.run("planner", json!({"plans": [one]}));
        let told = ["code", "at"].map(|field| story.core(&format!("/last_problem/{field}")));
        assert_eq!(told, [json!(code), json!(format!("plans[0].{at}"))], "{content:?}");
        if story.topic() == "step_stuck" {
            story.choose("retry");
        }
    }
    assert!(story.core("/planned") == false);
    story
}
