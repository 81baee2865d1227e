use endstate::plan::prioritize::sound;
use endstate::plan::recount::*;

#[test]
fn numbers_that_were_right_are_set_anew() {
    let plan = |core: u32, total: u32| {
        format!(
            "| Work Unit | Sprints | Layer |\n|--|--|--|\n| Core | **{core}** (small) | 1 |\n| Docs | 7 | 2 |\n\n## Core\n\n### Sprint 1: a\n\n## Docs\n\n### Sprint 2: b\n\n\
             ## Summary\n\n| Metric | Value |\n|--|--|\n| Total sprints | {total} |\n"
        )
    };
    let before = sound(&plan(1, 2)).unwrap();
    let split = |text: String| text.replace("## Docs", "### Sprint 1b: c\n\n## Docs");
    assert_eq!(recount(&before, &split(plan(1, 2))).unwrap(), split(plan(2, 3)));
    let said = |total: u32| {
        format!("{}\n**Total sprints**: {total}\n", plan(1, 2).split("## Summary").next().unwrap())
    };
    let inner = said(2).replace("## Docs", "### Sprint 1b: c\n\n## Docs");
    let counted = recount(&sound(&said(2)).unwrap(), &inner).unwrap();
    assert!(counted.ends_with("**Total sprints**: 3\n"), "{counted}");
    let lines = |core: u32, total: u32| {
        format!(
            "# P\n\n{total} sprints in total.\n\n## Work Unit: Core\n\n**Sprints**: {core}\n\n### Sprint 1: a\n\n## Work Unit: Docs\n\n### Sprint 2: b\n"
        )
    };
    let more = lines(1, 2).replace("### Sprint 2", "### Sprint 2a: c\n\n### Sprint 2");
    let more = more.replace("### Sprint 1: a", "### Sprint 1: a\n\n### Sprint 1b: d");
    let counted = recount(&sound(&lines(1, 2)).unwrap(), &more).unwrap();
    assert!(counted.starts_with("# P\n\n4 sprints in total."), "{counted}");
    assert!(counted.contains("**Sprints**: 2\n"), "{counted}");
    let wrong = sound(&plan(5, 9)).unwrap();
    assert_eq!(recount(&wrong, &split(plan(5, 9))).unwrap(), split(plan(5, 9)));
}
