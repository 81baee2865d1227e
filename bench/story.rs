// The work that the benches measure: a mission with so many slices, held open, and the events of
// its first slices being done. Shared by `benches/engine.rs` and `examples/bench_data.rs`.
//
// The host is the world in memory of `tests/common`. What a host computes itself (digests of
// rendered files, for one) is done while the story is written down, and not measured.

use crate::common::Story;
use endstate::Snapshot;
use endstate::vocab::event::{Event, Fact, ProgressEntry, RunProgressed};

/// The sizes that are compared.
pub(crate) const SIZES: [usize; 3] = [10, 1_000, 100_000];
/// How many slices are done; fewer than the smallest size has.
const DONE: usize = 3;

/// A snapshot and what happens after it.
pub(crate) struct Bench {
    pub(crate) snapshot: Snapshot,
    pub(crate) events: Vec<Event>,
}

/// A mission of `items` slices right after it was planned, and their ids.
fn planned(items: usize) -> (Story, Vec<String>) {
    let ids: Vec<String> = (1..=items).map(|n| format!("S{n:06}")).collect();
    let mut story = Story::started();
    story.plan(&ids.iter().map(String::as_str).collect::<Vec<_>>());
    story.taken.clear();
    (story, ids)
}

/// The snapshot of a planned mission of `items` slices.
#[allow(dead_code, reason = "only the benches open snapshots")]
pub(crate) fn snapshot(items: usize) -> Snapshot {
    planned(items).0.engine.snapshot().clone()
}

/// A planned mission of `items` slices, and the events in which the first few of them are
/// implemented, reviewed, audited and accepted. The events are of one kind and number at any size.
pub(crate) fn story(items: usize) -> Bench {
    let (mut story, ids) = planned(items);
    let snapshot = story.engine.snapshot().clone();
    for pair in ids.windows(2).take(DONE) {
        let [id, next] = pair else { continue };
        implement(&mut story, id);
        story.verify(id);
        story.reconcile(id, Some(next));
    }
    let events = story.taken.into_iter().map(|(event, _)| event).collect();
    Bench { snapshot, events }
}

/// As [`Story::implement`], with signs of life on the way.
fn implement(story: &mut Story, id: &str) {
    let effect = story.begin("implementer");
    for line in 0..8 {
        let text = format!("working on it, line {line}");
        let entries = vec![ProgressEntry { kind: "activity".to_owned(), text }];
        story.fact(Fact::RunProgressed(RunProgressed { effect, entries }));
    }
    let path = format!("src/{id}.c");
    let commit = story.world.commit(&[path.as_str()]);
    story.end(effect, crate::common::report(crate::common::claim(id, &commit)));
}
