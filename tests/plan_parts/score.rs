use endstate::plan::judge::Answers;
use endstate::plan::read::parse;
use endstate::plan::score::*;

const PLAN: &str = "\
# P

## Sprint 1: Core types

**Entry criteria**: none

**Tasks**:
1. Create `src/types.rs`

**Exit criteria**:
- [ ] `cargo build --all` succeeds

## Sprint 2: Client

**Entry criteria**:
- [ ] Sprint 1 complete

**Tasks**:
1. Create `src/client.rs` that makes API calls with `src/types.rs`
2. Add tests
3. Add docs
4. Add examples

**Exit criteria**:
- [ ] `cargo test client` passes

## Sprint 3: Page

**Entry criteria**:
- [ ] Sprint 1 complete

**Tasks**:
1. Show `src/types.rs` on a page

**Exit criteria**:
- [ ] The page is there
";

#[test]
fn scores_are_the_weighed_sum_in_sixths() {
    let plan = parse(PLAN).plan;
    let (scores, left) = scores(&plan, &Answers::new());
    let row = |at: usize| {
        (
            scores[at].depth,
            scores[at].foundation,
            scores[at].risk,
            scores[at].complexity,
            scores[at].sixths,
            scores[at].thousandths(),
        )
    };
    // 2×3 + 2 + 1 + (1+1+2)/6
    assert_eq!(row(0), (2, true, 1, [1, 1, 2], 58, 9_700));
    assert_eq!(row(1), (0, false, 3, [2, 1, 3], 24, 4_000));
    assert_eq!(row(2), (0, false, 1, [1, 1, 1], 9, 1_500));
    assert_eq!(
        scores[0].reason(),
        "blocks 2 downstream sprints, establishes what later sprints build on, low complexity"
    );
    let ids: Vec<_> = left.iter().map(|one| one.id.as_str()).collect();
    assert_eq!(ids, ["technology:plan/1", "technology:plan/3"]);
    let new = endstate::vocab::question::Answer::Confirmation { yes: true };
    let answers = [("technology:plan/3".to_owned(), new)].into();
    let (scores, left) = endstate::plan::score::scores(&plan, &answers);
    assert_eq!((scores[2].risk, left.len()), (3, 1));
}
