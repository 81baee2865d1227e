use endstate::plan::estimate::Fitness;
use endstate::plan::judge::{Answers, PlanQuestion};
use endstate::plan::quality::*;
use endstate::plan::read::parse;
use endstate::vocab::question::Answer;

fn one(body: &str) -> (SprintCheck, Vec<PlanQuestion>) {
    let plan = parse(&format!("## Sprint 1: A\n\n{body}")).plan;
    let (mut checks, left) = checks(&plan, 50, &Answers::new());
    (checks.remove(0), left)
}

#[test]
fn good_sprints_pass() {
    let (check, left) = one(
        "**Tasks**:\n1. Create `src/a.rs`\n2. Add tests\n\n**Exit criteria**:\n- [ ] `cargo test a` passes\n",
    );
    assert!(check.is_atomic() && check.is_testable() && left.is_empty(), "{check:?}");
    assert_eq!((check.turns, check.fitness), (2 + 1 + 1 + 1 + 5, Fitness::Right));
}

#[test]
fn each_fault_is_told() {
    let tasks = "**Tasks**:\n1. Create `src/a/x.rs`\n2. Create `src/a/y.rs`\n3. Create `src/b/x.rs`\n4. Edit `src/b/z.rs`\n";
    let (check, left) = one(&format!("{tasks}\n**Exit criteria**:\n- [ ] All works correctly\n"));
    assert!(
        !check.single_concern
            && !check.machine_verifiable
            && !check.no_vague_words
            && !check.coverage
            && !check.explicit_io
    );
    assert_eq!(left[0].id, "concern:plan/1");
    let plan = parse(&format!("## Sprint 1: A\n\n{tasks}")).plan;
    let answers = [("concern:plan/1".to_owned(), Answer::Confirmation { yes: true })].into();
    assert!(checks(&plan, 50, &answers).0[0].single_concern);
    let (check, _) = one("**Tasks**:\n1. Make it nice\n");
    assert!(!check.clear_artifact);
}
