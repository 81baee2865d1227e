//! The numbers of the completion log and of what the user is told.

use super::*;

pub const TALES: &[Tale] = &[
    tale("numbers-of-what-is-shown-again", "Shown again at the end changes no number", again),
    tale("numbers-of-all-attempts", "Attempts count over all resumes, upgrades too", attempts),
    tale("killall-is-reported", "A killall says what it left", killed),
];

fn later(story: &mut Story, minutes: u64) {
    story.at += minutes * 60_000;
}

/// Both units work for ten minutes, side by side; what the first did is touched by the second.
fn again() -> Story {
    let mut wide = unit("b", &[], vec![part("1"), part("2")]);
    wide.directory = String::new();
    let mut story = going(mission(vec![unit("a", &[], vec![part("1")]), wide]));
    let (a, b) = (begin(&mut story, "a/1"), begin(&mut story, "b/1"));
    later(&mut story, 10);
    story.world.commit(&["b/x.rs"]);
    let commit = story.world.commit(&["a/x.rs"]);
    let mut block = says("a/1", "completed", &[]);
    block["findings"] = json!([format!("committed as {commit}")]);
    story.end(a, report(block));
    let first = at(&story, "a/1", "/completed_at");
    story.end(b, report(says("b/1", "completed", &[])));
    let run = begin(&mut story, "b/2");
    later(&mut story, 10);
    story.world.commit(&["a/x.rs", "b/y.rs"]);
    story.end(run, report(says("b/2", "completed", &[])));
    done(&story);
    assert_eq!(at(&story, "a/1", "/completed_at"), first);
    let page = page(&story, "COMPLETE_Greeter.md");
    for line in [
        "**Critical Path**: b/1 → b/2 (20.",
        "**Parallelism gain**: 1.5×, 10.",
        "**Total elapsed time**: 20.",
        "**Total turns used**: not reported",
        "**Turns used: not reported**",
        "| early | 1 | 10.2 minutes | Learning phase |",
        "### Model Usage",
    ] {
        assert!(page.contains(line), "{line}\n{page}");
    }
    let efficiency = page.split("**Parallelism efficiency**: ").nth(1).unwrap();
    let efficiency: u64 = efficiency.split('%').next().unwrap().parse().unwrap();
    assert!((140..=150).contains(&efficiency), "{efficiency}%: two were at work half of the time");
    let order: Vec<usize> =
        ["### ✓ Sprint 1", "### ✓ Sprint 2"].map(|title| page.find(title).unwrap()).to_vec();
    assert!(order.is_sorted());
    story
}

fn attempts() -> Story {
    let mut story = going(single(vec![shown("AC-001")]));
    for _ in 0..3 {
        fails(&mut story, "a/1");
    }
    story.say(Command::Resume);
    work(&mut story, "a/1", &[]);
    done(&story);
    let page = page(&story, "COMPLETE_Greeter.md");
    let line = "- **Attempts**: 1/3 since it was taken up again, 4 in all (3 failed)";
    assert!(page.contains(line), "{page}");
    assert!(page.contains("(1 upgrades needed on retry)"), "{page}");
    story
}

fn killed() -> Story {
    let mut story = going(mission(vec![unit("a", &[], vec![part("1"), part("2")])]));
    work(&mut story, "a/1", &[]);
    let run = begin(&mut story, "a/2");
    story.say(Command::Kill);
    assert!(!at(&story, "a/2", "/id").is_null());
    story.world.dirty.insert("a/half.rs".to_owned(), "d1".to_owned());
    let (outcome, usage) = (RunOutcome::Lost, Usage::default());
    story.fact(Fact::RunEnded(RunEnded {
        effect: run,
        outcome,
        report: None,
        problem: None,
        usage,
    }));
    let one = story.settle_until("notify");
    let Order::Notify(told) = &one.effect.order else { panic!("{one:?}") };
    assert!(told.text.contains("Agents terminated: 1"), "{}", told.text);
    assert!(told.text.contains("Work units with uncommitted work: Unit a"), "{}", told.text);
    assert!(told.text.contains("| Unit a | KILLED | 1 | yes | restart 2 |"), "{}", told.text);
    story.settle();
    story
}
