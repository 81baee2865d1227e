//! Which model a sprint gets: the table and the five overrides.

use super::*;

pub const TALES: &[Tale] = &[
    tale("small-model", "Five points and less", small),
    tale("standard-model", "Six to twelve points", standard),
    tale("large-model", "Thirteen points and more", large),
    tale("forced-by-attempt", "The third attempt forces the strongest model", by_attempt),
    tale("forced-by-foundation", "A foundation of five forces the strongest model", by_foundation),
    tale("forced-by-open-questions", "Open questions force the strongest model", by_questions),
    tale(
        "continuation-is-never-weaker",
        "A continuation has the standard model at least",
        continuation,
    ),
    tale("forced-from-the-second", "The attempt that forces is a setting", second),
];

fn with(traits: Traits) -> Story {
    let mut config = single(vec![shown("AC-001")]);
    config.units[0].sprints[0].traits = traits;
    going(config)
}

fn tier(story: &Story) -> Tier {
    ordered(story, "a/1").tier
}

fn small() -> Story {
    let story = with(Traits { turns: 9, ..Traits::default() });
    assert_eq!((tier(&story), at(&story, "a/1", "/choice/sixths")), (Tier::Small, json!(12)));
    assert!(logged(&story, "Model: small"));
    story
}

fn standard() -> Story {
    let story = with(Traits { turns: 25, files: 4, risk: 2, ..Traits::default() });
    assert_eq!((tier(&story), at(&story, "a/1", "/choice/sixths")), (Tier::Standard, json!(54)));
    story
}

fn large() -> Story {
    let traits =
        Traits { turns: 60, files: 12, risk: 5, clarity: Clarity::OpenEnded, ..Traits::default() };
    let story = with(traits);
    assert_eq!((tier(&story), at(&story, "a/1", "/choice/sixths")), (Tier::Large, json!(156)));
    assert!(page(&story, "SUPERVISOR_STATE.md").contains("- Complexity score: 26.0"));
    story
}

fn by_attempt() -> Story {
    let mut story = with(Traits::default());
    fails(&mut story, "a/1");
    assert_eq!(tier(&story), Tier::Small);
    fails(&mut story, "a/1");
    assert_eq!((tier(&story), attempt(&story, "a/1")), (Tier::Large, 3));
    work(&mut story, "a/1", &[]);
    done(&story);
    let page = page(&story, "COMPLETE_Greeter.md");
    assert!(page.contains("- **Model**: large") && page.contains("- Total cost: 30x"));
    story
}

fn by_foundation() -> Story {
    let mut first = part("1");
    first.traits.foundation = true;
    let rest = (2..=6).map(|number| part(&number.to_string()));
    let sprints = std::iter::once(first).chain(rest).collect();
    let story = going(mission(vec![unit("a", &[], sprints)]));
    assert_eq!((tier(&story), at(&story, "a/1", "/dependents")), (Tier::Large, json!(5)));
    story
}

fn by_questions() -> Story {
    let story = with(Traits { open_questions: true, ..Traits::default() });
    assert_eq!(tier(&story), Tier::Large);
    story
}

fn continuation() -> Story {
    let mut story = with(Traits::default());
    assert_eq!(tier(&story), Tier::Small);
    work_partly(&mut story, "a/1");
    assert_eq!(tier(&story), Tier::Standard);
    story
}

fn second() -> Story {
    let mut story =
        going(sprint::Config { force_from_attempt: 2, ..single(vec![shown("AC-001")]) });
    fails(&mut story, "a/1");
    assert_eq!((tier(&story), attempt(&story, "a/1")), (Tier::Large, 2));
    story
}
