//! What people decide reaches everybody who begins after that, whichever block it was said of.

use super::*;
use grid::state::Scope;

pub const TALES: &[Tale] = &[
    tale(
        "decision-reaches-all",
        "What was chosen at one block is told to all who come after, at other blocks as well",
        reaches,
    ),
    tale(
        "debugger-is-told",
        "Who finds out why a block fails is told all that was said of it",
        debugged,
    ),
    tale("skipped-is-judged", "Who judges is told what was let go, and why", skipped),
    tale("added-and-why", "Why a block was added is told to who builds and judges it", added),
    tale(
        "decisions-for-the-swarm",
        "The swarm and who mends for it are told what was decided",
        swarm,
    ),
    tale(
        "decided-before",
        "Who refines what another mission built is told what was decided there",
        before,
    ),
    tale("decisions-beyond-room", "Decisions beyond the room of a prompt are counted", beyond),
];

const CHOSEN: &str =
    "- 01: where names are kept: the choice is postgres (for: many writers; against: a server)\n";

fn told(prompt: &str, parts: &[&str]) {
    let (_, decided) =
        prompt.split_once("## Decisions Made\n").unwrap_or_else(|| panic!("{prompt}"));
    for part in parts {
        assert!(decided.contains(part), "{part}: {decided}");
    }
}

fn choose(story: &mut Story) {
    execute(story, "01", checkpoint("01", "decision"));
    let text = serde_json::to_string(&story.question().unwrap().1).unwrap();
    assert!(text.contains("For: many writers") && text.contains("Against: a server"), "{text}");
    story.choose("postgres");
}

fn reaches() -> Story {
    let mut story = going(cluster(vec![plan("01", &[]), plan("02", &["01"])]));
    choose(&mut story);
    build(&mut story, "01");
    recognize(&mut story, &[]);
    told(&prompt_of(&story, "02"), &[CHOSEN]);
    build(&mut story, "02");
    told(&story.prompt(), &[CHOSEN]);
    recognize(&mut story, &["02/AC-001"]);
    assert_eq!(story.due(), "planner");
    told(&story.prompt(), &[CHOSEN]);
    close(&mut story, "fix", &["02/AC-001"], &[]);
    assert!(story.prompt().contains("PATROL"));
    told(&story.prompt(), &[CHOSEN]);
    recognize(&mut story, &[]);
    done(&story);
    story
}

fn debugged() -> Story {
    let mut story = going(cluster(vec![plan("01", &[])]));
    choose(&mut story);
    execute(&mut story, "01", checkpoint("01", "human-action"));
    manual(&mut story, false, "the mail never came");
    story.say(Command::Resume);
    manual(&mut story, true, "clicked it");
    for way in ["static linking", "dynamic linking", "no linking"] {
        execute(&mut story, "01", failure("01", way, &[]));
    }
    assert_eq!(story.topic(), "block_failed");
    story.choose("debug");
    let prompt = story.prompt();
    told(&prompt, &[CHOSEN]);
    for part in [
        "- 01/AC-001: 01 works\n",
        "<objective>\nBuild 01\n</objective>",
        "a person said: not done: the mail never came\n",
        "options: sqlite (for: one file; against: one writer); postgres",
        "answer: done: clicked it\n",
    ] {
        assert!(prompt.contains(part), "{part}: {prompt}");
    }
    story
}

fn skipped() -> Story {
    let mut story = going(cluster(vec![plan("01", &[]), plan("02", &["01"])]));
    let reason = "another team ships it".to_owned();
    story.say(Command::Skip { item: "01".to_owned(), reason });
    let line = "- 01 was let go: another team ships it\n";
    told(&prompt_of(&story, "02"), &[line]);
    build(&mut story, "02");
    let of_block = "01 (Build 01): The user let it go: another team ships it\n";
    for _ in 0..2 {
        told(&story.prompt(), &[line]);
        assert!(story.prompt().contains(of_block), "{}", story.prompt());
        recognize(&mut story, &[]);
    }
    done(&story);
    story
}

fn added() -> Story {
    let mut story = going(single());
    let item = |why: &str| NewItem {
        id: "extra".to_owned(),
        goal: "Say goodbye".to_owned(),
        shown_by: Vec::new(),
        acceptance_criteria: vec!["it says goodbye".to_owned()],
        contract_ids: Vec::new(),
        priority: 5,
        why_now: why.to_owned(),
        blocked_on: vec!["01".to_owned()],
    };
    let amend =
        |why: &str| Command::Amend { changes: vec![PlanChange::AddItem { item: item(why) }] };
    assert_eq!(story.command_refused(amend(&"x".repeat(4_001))).code, Code::TooLarge);
    story.say(amend("visitors leave without a word"));
    build(&mut story, "01");
    let page = &story.world.files[".grid/STATE.md"];
    assert!(
        page.contains("- extra was added: Say goodbye: visitors leave without a word\n"),
        "{page}"
    );
    recognize(&mut story, &[]);
    let of_block = "- The user added it: visitors leave without a word\n";
    assert!(prompt_of(&story, "extra").contains(of_block), "{}", prompt_of(&story, "extra"));
    build(&mut story, "extra");
    for _ in 0..2 {
        assert!(story.prompt().contains(of_block), "{}", story.prompt());
        recognize(&mut story, &[]);
    }
    done(&story);
    story
}

fn swarm() -> Story {
    let mut story = going(grid::Config { refine: Some(Scope::E2e), ..single() });
    choose(&mut story);
    build(&mut story, "01");
    recognize(&mut story, &[]);
    recognize(&mut story, &[]);
    told(&prompt_of(&story, "e2e"), &[CHOSEN]);
    let effect = story.begin_item("e2e-exerciser", "e2e");
    let crash = json!([{"priority": "P0", "title": "a crash", "where": "/", "expected": "none"}]);
    story.end(effect, report(json!({"findings": crash})));
    told(&prompt_of(&story, "refine-p0"), &[CHOSEN]);
    build(&mut story, "refine-p0");
    for _ in 0..2 {
        told(&story.prompt(), &[CHOSEN]);
        recognize(&mut story, &[]);
    }
    done(&story);
    story
}

fn beyond() -> Story {
    let mut story = going(cluster(vec![plan("01", &[]), plan("02", &[])]));
    for round in 0..12 {
        execute(&mut story, "01", checkpoint("01", "human-verify"));
        if round == 0 {
            build(&mut story, "02");
        }
        manual(&mut story, false, &format!("{}:{round}", "x".repeat(3_900)));
    }
    let prompt = prompt_of(&story, "01");
    told(&prompt, &["- 2 earlier ones: read them in .grid/STATE.md\n", "x:2\n", "x:11\n"]);
    let (_, decided) = prompt.split_once("## Decisions Made\n").unwrap();
    assert!(!decided.contains("x:1\n"), "the earliest are counted");
    story
}

fn before() -> Story {
    let lines = (0..251).map(|n| format!("01: choice {n}")).collect::<Vec<_>>();
    let mut story = going(grid::Config {
        refine: Some(Scope::E2e),
        refine_only: true,
        decided: lines,
        ..cluster(Vec::new())
    });
    let parts =
        ["Decided before this mission, the latest last", "- 01: choice 1\n", "- 01: choice 250\n"];
    told(&prompt_of(&story, "e2e"), &parts);
    let effect = story.begin_item("e2e-exerciser", "e2e");
    let crash = json!([{"priority": "P0", "title": "a crash", "where": "/", "expected": "none"}]);
    story.end(effect, report(json!({"findings": crash})));
    told(&prompt_of(&story, "refine-p0"), &parts);
    execute(&mut story, "refine-p0", checkpoint("refine-p0", "decision"));
    story.choose("postgres");
    build(&mut story, "refine-p0");
    for _ in 0..2 {
        told(&story.prompt(), &parts);
        recognize(&mut story, &[]);
    }
    done(&story);
    let handed = grid::decisions(&story.world.files[".grid/STATE.md"]);
    assert_eq!((handed.len(), handed[0].as_str()), (250, "01: choice 2"));
    let last = "refine-p0: where names are kept: the choice is postgres (for: many writers; against: a server)";
    assert_eq!(handed[249], last);
    story
}
