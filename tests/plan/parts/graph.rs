use endstate::plan::graph::*;

#[test]
fn cycles_are_named() {
    let none = [("a", "b"), ("b", "c"), ("a", "c")];
    assert_eq!(cycle(none.into_iter()), None);
    let loops = [("a", "b"), ("b", "c"), ("c", "b"), ("c", "d")];
    let found = cycle(loops.into_iter()).unwrap();
    assert!(found == ["b", "c", "b"] || found == ["c", "b", "c"], "{found:?}");
    assert_eq!(cycle([("a", "a")].into_iter()), Some(vec!["a".to_owned(), "a".to_owned()]));
}

#[test]
fn the_heaviest_chain_is_found() {
    let edges =
        [("a", "b"), ("b", "c"), ("a", "d"), ("d", "e"), ("e", "f"), ("x", "y"), ("y", "x")];
    let ids = ["a", "b", "c", "d", "e", "f", "g", "x", "y"];
    let (levels, chain) = chains(ids.into_iter(), edges.into_iter(), |_| 1);
    assert_eq!(chain, ["a", "d", "e", "f"]);
    assert_eq!((levels.get("f"), levels.get("x"), levels.get("g")), (Some(&3), None, Some(&0)));
    let heavy = |id: &str| if id == "c" { 9 } else { 1 };
    assert_eq!(chains(ids.into_iter(), edges.into_iter(), heavy).1, ["a", "b", "c"]);
    let reached: Vec<_> = reach(edges.into_iter())("d").into_iter().collect();
    assert_eq!(reached, ["e", "f"]);
}

#[test]
fn levels_behind_a_cycle_are_those_first_reached() {
    let edges = [("a", "b"), ("b", "c"), ("c", "b"), ("gone", "a")];
    let levels = levels(["a", "b", "c"].into_iter(), edges.into_iter());
    let expected = [("a", 1), ("b", 2), ("c", 0), ("gone", 0)];
    assert_eq!(levels, expected.map(|(id, level)| (id.to_owned(), level)).into());
}

#[test]
fn levels_follow_the_longest_way() {
    let edges = [("a", "b"), ("b", "c"), ("a", "c")];
    let levels = levels(["a", "b", "c", "d"].into_iter(), edges.into_iter());
    let expected = [("a", 0), ("b", 1), ("c", 2), ("d", 0)];
    assert_eq!(levels, expected.map(|(id, level)| (id.to_owned(), level)).into());
}
