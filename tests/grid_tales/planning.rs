//! Plans: what a planner may return, and what becomes of it.

use super::*;

pub const TALES: &[Tale] = &[
    tale(
        "must-haves-beside-the-front",
        "Must-haves beside the front matter go back: nobody would read them",
        beside_the_front,
    ),
    tale(
        "planner-plans",
        "A planner cuts the mission into plans, which are written to disk",
        plans,
    ),
    tale("planner-in-yaml", "A planner may answer in the YAML of the format", in_yaml),
    tale(
        "declared-waves-disagree",
        "Where declared waves disagree, dependencies win, and it is said",
        disagree,
    ),
    tale(
        "a-cycle-is-refused",
        "Plans in a circle go back to the planner once, then count as a failure",
        cycle,
    ),
    tale("self-dependency", "A plan that waits for itself is a circle", itself),
    tale("unknown-dependency", "A plan that waits for nobody that exists goes back", unknown),
    tale("another-phase", "A dependency on another phase is ignored and noted", elsewhere),
    tale("totals-are-checked", "Totals that do not fit the plans go back", totals),
    tale("hostile-plan-paths", "Ids and paths that leave the repository are refused", paths),
    tale("verify-false-needs-a-reason", "A plan that opts out without a reason goes back", reason),
    tale("planner-fails", "A planner that fails again and again is a question", fails),
    tale("learnings-are-given", "What earlier clusters learned is given to the planner", learned),
    tale("closes-nothing", "A plan that closes what nobody asks for is told", closes_nothing),
    tale(
        "a-document-as-content",
        "Front matter in the content of a plan counts, where no field says something else",
        document,
    ),
    tale("a-plan-that-asks-nothing", "A plan without a purpose goes back", asks_nothing),
    tale("model-tiers", "The tier of models is read from .grid/config.json", tiers),
    tale("a-strange-config", "A config nobody can read is said and not obeyed", strange),
];

fn unplanned() -> Story {
    going(cluster(Vec::new()))
}

fn block() -> Value {
    json!({
        "cluster": "Greeter", "total_blocks": 2, "total_waves": 2,
        "plans": [planned("01", &[]), planned("02", &["01"])],
        "wave_structure": {"1": ["01"], "2": ["02"]},
        "lessons_learned": {"fragile_areas": ["the parser"]},
    })
}

fn plans() -> Story {
    let mut story = unplanned();
    assert_eq!(story.due(), "planner");
    story.run("planner", block());
    assert_eq!(items(&story), ["01"]);
    let page = &story.world.files[".grid/phases/01-base/02-PLAN.md"];
    let read = grid::plan::parse("02-PLAN.md", page).unwrap().plan;
    assert_eq!((read.depends_on, read.declared_wave), (vec!["01".to_owned()], Some(2)));
    assert!(story.world.files[".grid/STATE.md"].contains("cluster: \"Greeter\""));
    build(&mut story, "01");
    recognize(&mut story, &[]);
    build(&mut story, "02");
    recognize(&mut story, &[]);
    recognize(&mut story, &[]);
    done(&story);
    story
}

fn in_yaml() -> Story {
    let mut story = unplanned();
    let effect = story.begin("planner");
    let text = format!(
        "MISSION ANCHOR: {MISSION}\nRemaining contract IDs: none\n\n## PLANNING COMPLETE\n\n```yaml\ncluster: greeter\n\
         total_blocks: 1\ntotal_waves: 1\nplans:\n- id: \"01\"\n  path: .grid/phases/01-foundation/01-PLAN.md\n  wave: 1\n  depends_on: []\n  \
         autonomous: true\n  files_modified: [src/01.rs]\n  objective: greet\n  frontmatter: {{phase: 01-foundation, must_haves: {{truths: \
         [it greets]}}}}\n  content: |\n    <objective>greet</objective>\nwave_structure:\n  1: [\"01\"]\n```\n"
    );
    story.end(effect, text);
    assert_eq!(items(&story), ["01"], "{}", story.problem());
    assert!(story.world.files.contains_key(".grid/phases/01-foundation/01-PLAN.md"));
    story
}

fn disagree() -> Story {
    let mut story = unplanned();
    let mut block = block();
    block["plans"][1]["wave"] = json!(5);
    block["wave_structure"] = json!({"1": ["01", "02"]});
    block["total_waves"] = json!(1);
    let effect = story.begin("planner");
    story.fact(Fact::RunEnded(RunEnded {
        effect,
        outcome: RunOutcome::Success,
        report: Some(report(block)),
        problem: None,
        usage: Usage::default(),
    }));
    story.settle_until("notify");
    let texts = notices(&story);
    assert!(
        texts.iter().any(|text| text.contains("wave 5") && text.contains("wave 2")),
        "{texts:?}"
    );
    assert!(texts.iter().any(|text| text.contains("into wave 1") && text.contains("it is in 2")));
    story.settle();
    assert_eq!(items(&story), ["01"]);
    story
}

/// A planner that writes a whole document, as `PLAN.md` is.
fn document() -> Story {
    let mut story = unplanned();
    let content = |truth: &str| {
        format!(
            "---\nphase: 01-base\nplan: 1\nfiles_modified: [src/01.rs]\nmust_haves:\n  truths:\n    - {truth}\n---\n\n\
             <objective>\nGreet by name\n</objective>\n"
        )
    };
    let mut one = json!({"id": "01", "content": content("it greets")});
    one["frontmatter"] = json!({"must_haves": {"truths": ["it sings"]}});
    story.run("planner", json!({"plans": [one]}));
    assert_eq!((story.problem().as_str(), story.due().as_str()), ("inconsistent_plan", "planner"));
    let told = "plans[0].content: front matter.must_haves";
    assert!(story.prompt().contains(told), "{}", story.prompt());
    one["frontmatter"] = json!({"must_haves": {"truths": []}});
    story.run("planner", json!({"plans": [one]}));
    assert_eq!(at(&story, "01", "/criteria/0/text"), "it greets");
    assert_eq!(at(&story, "01", "/plan/objective"), "Greet by name");
    let page = &story.world.files[".grid/phases/01-base/01-PLAN.md"];
    assert_eq!(page.matches("must_haves").count(), 1, "{page}");
    build(&mut story, "01");
    recognize(&mut story, &[]);
    recognize(&mut story, &[]);
    done(&story);
    story
}

fn asks_nothing() -> Story {
    let mut story = unplanned();
    for content in ["", "Do it.", "---\n\nDo it.\n", "---\nphase: 01-base\n---\nDo it.\n"] {
        story.run("planner", json!({"plans": [{"id": "01", "content": content}]}));
        assert_eq!(story.problem(), "missing_field", "{content}");
        assert!(story.core("/planned") == false);
    }
    story
}

/// The notices that are ordered.
fn notices(story: &Story) -> Vec<String> {
    let pending = story.engine.pending().into_iter();
    let text = pending.filter_map(|one| match one.effect.order.clone() {
        Order::Notify(notice) => Some(notice.text),
        _ => None,
    });
    text.collect()
}

fn closes_nothing() -> Story {
    let closing = Plan {
        closes: vec!["01/AC-001".to_owned(), "01/AC-009".to_owned()],
        ..plan("02", &["01"])
    };
    let mut story = Story::start(&of(cluster(vec![plan("01", &[]), closing])), World::new());
    story.command(Command::Start);
    story.settle_until("notify");
    assert_eq!(notices(&story), ["02 closes 01/AC-009, which is no must-have of any plan"]);
    story.settle();
    story
}

fn sent_back(story: &mut Story, block: Value, code: &str) {
    story.run("planner", block);
    assert_eq!((story.problem().as_str(), story.due().as_str()), (code, "planner"));
    assert!(story.prompt().contains("Your last report could not be taken"), "{}", story.prompt());
}

fn cycle() -> Story {
    let mut story = unplanned();
    let circle = json!({"plans": [planned("01", &["02"]), planned("02", &["01"])]});
    sent_back(&mut story, circle.clone(), "dependency_cycle");
    story.run("planner", circle);
    assert_eq!(story.core("/steps/grid-planner/attempts"), 1);
    story.run("planner", json!({"plans": [planned("01", &[])]}));
    assert_eq!(items(&story), ["01"]);
    story
}

fn itself() -> Story {
    let mut story = unplanned();
    sent_back(&mut story, json!({"plans": [planned("01", &["01"])]}), "dependency_cycle");
    story
}

fn unknown() -> Story {
    let mut story = unplanned();
    sent_back(&mut story, json!({"plans": [planned("01", &["09"])]}), "dependency_unknown");
    sent_back_twice(&mut story);
    story
}

fn sent_back_twice(story: &mut Story) {
    story.run("planner", json!({"plans": []}));
    assert_eq!(story.problem(), "missing_field");
    story.run("planner", json!({"plans": [planned("01", &[]), planned("01", &[])]}));
    assert_eq!(story.problem(), "duplicate_id");
}

fn elsewhere() -> Story {
    let mut story = unplanned();
    story.run("planner", json!({"plans": [planned("01", &["17-01"])]}));
    assert_eq!(items(&story), ["01"]);
    assert_eq!(at(&story, "01", "/depends_on"), json!([]));
    story
}

fn totals() -> Story {
    let mut story = unplanned();
    let mut block = block();
    block["total_blocks"] = json!(3);
    sent_back(&mut story, block.clone(), "invalid_value");
    block["total_blocks"] = json!(2);
    block["wave_structure"] = json!({"1": ["01", "99"]});
    story.run("planner", block);
    assert_eq!(story.problem(), "unknown_item");
    story
}

fn paths() -> Story {
    let mut story = unplanned();
    let mut block = json!({"plans": [planned("../../etc", &[])]});
    sent_back(&mut story, block.clone(), "invalid_value");
    block = json!({"plans": [planned("01", &[])]});
    block["plans"][0]["frontmatter"]["must_haves"]["artifacts"] =
        json!([{"path": "../../etc/passwd"}]);
    story.run("planner", block.clone());
    assert_eq!(story.problem(), "invalid_value");
    block["plans"][0]["frontmatter"]["must_haves"]["artifacts"] = json!([{"path": ".git/config"}]);
    story.run("planner", block);
    assert_eq!(story.problem(), "invalid_value");
    assert!(
        story
            .world
            .files
            .keys()
            .all(|path| path.starts_with(".grid/") || path.starts_with(".agent/"))
    );
    story
}

fn reason() -> Story {
    let mut story = unplanned();
    let mut block = json!({"plans": [planned("01", &[])]});
    block["plans"][0]["frontmatter"]["verify"] = json!(false);
    sent_back(&mut story, block.clone(), "missing_field");
    block["plans"][0]["frontmatter"]["verify_reason"] = json!("a spike");
    story.run("planner", block);
    build(&mut story, "01");
    done(&story);
    story
}

fn fails() -> Story {
    let mut story = unplanned();
    for _ in 0..3 {
        story.fail("planner", RunOutcome::Lost);
    }
    assert_eq!(story.topic(), "step_stuck");
    story.choose("retry");
    assert_eq!(story.due(), "planner");
    for _ in 0..3 {
        story.fail("planner", RunOutcome::Failed);
    }
    story.choose("block");
    assert_eq!(story.engine.continuation(), Continuation::Blocked);
    story.say(Command::Resume);
    assert_eq!(story.due(), "planner");
    story
}

fn learned() -> Story {
    let mut world = World::new();
    let text = "# Grid Learnings\n\n## Entry: 2030-01-01 - Old\n- Barrel exports work\n";
    world.files.insert(".grid/LEARNINGS.md".to_owned(), text.to_owned());
    let mut story = Story::start(&of(cluster(Vec::new())), world);
    story.go();
    assert!(story.prompt().contains("Barrel exports work"));
    story
}

fn tier_of(story: &Story) -> String {
    let tier = story.engine.pending().into_iter().find_map(|one| match one.effect.order.clone() {
        Order::SpawnRole(spawn) => Some(spawn.tier),
        _ => None,
    });
    serde_json::to_value(tier.unwrap()).unwrap().as_str().unwrap().to_owned()
}

fn tiers() -> Story {
    let mut world = World::new();
    world.files.insert(
        ".grid/config.json".to_owned(),
        "{\"model_tier\": \"budget\", \"other\": 1}".to_owned(),
    );
    let mut story = Story::start(&of(single()), world);
    story.command(Command::Start);
    story.settle_until("notify");
    assert_eq!(notices(&story), [".grid/config.json: nobody reads other"]);
    story.settle();
    assert_eq!(tier_of(&story), "standard");
    execute(&mut story, "01", failure("01", "linking by hand", &[]));
    assert_eq!(tier_of(&story), "large", "what failed is tried by a stronger one");
    build(&mut story, "01");
    assert_eq!(tier_of(&story), "small");
    story
}

fn strange() -> Story {
    let mut world = World::new();
    world.files.insert(".grid/config.json".to_owned(), "{\"model_tier\": \"free\"}".to_owned());
    let mut story = Story::start(&of(single()), world);
    story.go();
    assert_eq!((story.problem().as_str(), tier_of(&story).as_str()), ("unknown_value", "large"));
    story
}

fn beside_the_front() -> Story {
    let mut story = going(cluster(Vec::new()));
    let mut one = planned("01", &[]);
    let front = one["frontmatter"].as_object_mut().unwrap();
    let must = front.remove("must_haves").unwrap();
    let right = json!({"plans": [planned("01", &[])]});
    (one["must_haves"], one["verify"]) = (must, json!(false));
    story.run("planner", json!({"plans": [one]}));
    assert_eq!((story.problem().as_str(), story.due().as_str()), ("invalid_value", "planner"));
    let prompt = story.prompt();
    assert!(
        prompt.contains("plans[0].must_haves: expected must_haves, verify in `frontmatter`"),
        "{prompt}"
    );
    story.run("planner", right);
    assert_eq!(items(&story), ["01"]);
    story
}
