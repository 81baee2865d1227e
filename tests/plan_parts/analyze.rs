use endstate::plan::analyze::*;
use endstate::plan::judge::Answers;

const PLAN: &str = "\
# Shop

## Sprint 1: Cart

**Tasks**:
1. Create `src/cart.rs`
2. TBD: the format of the list

**Exit criteria**:
- [ ] `make test` passes

## Sprint 2: Pay

**Entry criteria**:
- [ ] Sprint 1 exit criteria met and `keys.json` exists

**Tasks**:
1. Create `src/pay.rs` for paying by card

**Exit criteria**:
- [ ] Paying works correctly
";

#[test]
fn three_passes_find_what_is_there() {
    let requirements = "## Requirements\n- Pay by card\n- Print a receipt\n";
    let found = analyze(PLAN, Some(requirements), 50, &Answers::new());
    assert!(found.point_a.documented.is_empty() && !found.point_a.clear && !found.point_b.clear);
    assert_eq!(found.point_a.assumed, ["`keys.json` is there when sprint 2 starts"]);
    let covered: Vec<_> = found.coverage.iter().map(|one| one.sprints.join(" ")).collect();
    assert_eq!(covered, ["plan/2", ""]);
    let open: Vec<_> =
        found.questions.iter().map(|one| (one.line, one.kind, one.blocks.join(" "))).collect();
    assert_eq!(open, [(7, OpenKind::Undecided, "plan/1 plan/2".to_owned())]);
    let critical: Vec<_> = found
        .issues
        .iter()
        .filter(|one| one.severity == Severity::Critical)
        .map(|one| one.at.as_str())
        .collect();
    assert_eq!(critical, ["requirement R-002, line 3", "sprint 1, task 2 (line 7)"]);
    assert!(found.left.iter().any(|one| one.id == "bridges"));
    assert_eq!(found.order.critical_path, ["plan/1", "plan/2"]);
}

#[test]
fn what_is_no_plan_is_critical() {
    let found = analyze("# x", None, 50, &Answers::new());
    assert_eq!(found.issues[0].severity, Severity::Critical);
}
