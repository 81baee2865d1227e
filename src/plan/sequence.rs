//! The order that sprints get: within each unit the most urgent of those that may run comes first.
//!
//! A sprint that says nothing waits for the one before it, and that wait is as good as any other. So it stays right
//! behind that one and goes where it goes; and a unit that begins with such a sprint keeps it there, since behind
//! another it would wait for that.

use super::model::{Origin, Plan, WorkUnit};
use super::order;
use super::score::SprintScore;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// The ids in their new order. `leading` are the sprints that wait for nobody only because nobody is before them.
pub(super) fn new_order(
    plan: &Plan,
    scores: &[SprintScore],
    leading: &BTreeSet<String>,
) -> Vec<String> {
    let dependents = order::dependents(plan);
    let score = scores.iter().map(|one| (one.sprint.as_str(), one.sixths)).collect();
    let placed = plan.dependencies.iter().filter(|one| one.origin == Origin::Order);
    let tied = placed.map(|one| (one.from.as_str(), one.to.as_str())).collect();
    let mut order = Vec::new();
    for unit in &plan.units {
        let runs = runs(unit, &tied);
        let mut after = after(unit, &runs, &dependents);
        if unit.sprints.first().is_some_and(|first| leading.contains(&first.id)) {
            after[0].extend(1..runs.len());
        }
        let places = by_score(unit, &runs, &after, &score);
        order.extend(places.into_iter().map(|place| unit.sprints[place].id.clone()));
    }
    order
}

/// The places of the sprints of a unit, those together that stay together.
fn runs(unit: &WorkUnit, tied: &BTreeSet<(&str, &str)>) -> Vec<Vec<usize>> {
    let mut runs: Vec<Vec<usize>> = Vec::new();
    for (place, sprint) in unit.sprints.iter().enumerate() {
        let before = place.checked_sub(1).map(|before| unit.sprints[before].id.as_str());
        let stays = before.is_some_and(|before| tied.contains(&(before, sprint.id.as_str())));
        match runs.last_mut().filter(|_| stays) {
            Some(run) => run.push(place),
            None => runs.push(vec![place]),
        }
    }
    runs
}

/// For each run the others that wait for one of its sprints.
fn after(
    unit: &WorkUnit,
    runs: &[Vec<usize>],
    dependents: &BTreeMap<String, BTreeSet<String>>,
) -> Vec<BTreeSet<usize>> {
    let members = runs.iter().enumerate();
    let members = members.flat_map(|(run, places)| places.iter().map(move |place| (*place, run)));
    let run_of: BTreeMap<&str, usize> =
        members.map(|(place, run)| (unit.sprints[place].id.as_str(), run)).collect();
    let of = |(run, places): (usize, &Vec<usize>)| {
        let all = places.iter().filter_map(|place| dependents.get(&unit.sprints[*place].id));
        let others = all.flatten().filter_map(|id| run_of.get(id.as_str()).copied());
        others.filter(|other| *other != run).collect()
    };
    runs.iter().enumerate().map(of).collect()
}

/// The places in their new order; as they were, if no order keeps every run together.
fn by_score(
    unit: &WorkUnit,
    runs: &[Vec<usize>],
    after: &[BTreeSet<usize>],
    score: &BTreeMap<&str, u32>,
) -> Vec<usize> {
    let mut waits = vec![0_usize; runs.len()];
    after.iter().flatten().for_each(|run| waits[*run] += 1);
    // What is put off has no score and keeps behind the others; of equal ones the earlier goes first.
    let key = |run: usize| (score.get(unit.sprints[runs[run][0]].id.as_str()), Reverse(run));
    let mut free: BTreeSet<_> = (0..runs.len()).filter(|run| waits[*run] == 0).map(key).collect();
    let mut places = Vec::new();
    while let Some((_, Reverse(run))) = free.pop_last() {
        places.extend(&runs[run]);
        for next in &after[run] {
            waits[*next] -= 1;
            if waits[*next] == 0 {
                free.insert(key(*next));
            }
        }
    }
    if places.len() < unit.sprints.len() { (0..unit.sprints.len()).collect() } else { places }
}

#[cfg(test)]
mod tests {
    use super::super::judge::Answers;
    use super::super::prioritize::{prioritize, sound};
    use super::super::score::scores;
    use super::*;
    use proptest::prelude::*;

    /// What a sprint may say of whom it waits for; the number is of one before it.
    const SAID: [&str; 9] = [
        "",
        "",
        "",
        "**Depends on**: none\n\n",
        "**Depends on**: none\n\n",
        "**Depends on**: Sprint #\n\n",
        "**Entry criteria**:\n- [ ] Sprint # exit criteria met\n\n",
        "**Entry criteria**: no prerequisites\n\n",
        "**Priority**: 3 — old\n\n**Depends on**: #\n\n",
    ];
    const TASKS: [&str; 4] = [
        "**Tasks**:\n1. Write the page\n",
        "**Tasks**:\n1. Call the third-party API\n\n**Exit criteria**:\n- [ ] `make test` passes\n",
        "1. Write the parser\n2. Read `a.toml`\n",
        "Text of the author.\n\n- Create `src/a.rs`\n",
    ];
    /// How headings are written: the number of the sprint, then its name.
    const HEADS: [&str; 4] = ["## Sprint @: ", "## @. ", "## @) ", "## Sprint @/9 "];

    fn plan(rows: &[(usize, usize, usize)], head: usize, blank: bool, units: bool) -> String {
        let mut text = "# P\n\nSee Sprint 1.\n\n".to_owned();
        for (number, (said, tasks, other)) in (1..).zip(rows) {
            if units && number % 4 == 1 {
                text.push_str(["## Core\n\n", "## Web\n\n", "## Docs\n\n"][number / 4 % 3]);
            }
            let said = if number == 1 && SAID[*said].contains('#') { SAID[3] } else { SAID[*said] };
            let said = said.replace('#', &(other % number.max(2)).max(1).to_string());
            let head = if units { "### Sprint @: " } else { HEADS[head] };
            text.push_str(&head.replace('@', &number.to_string()));
            text.push_str(["A", "B", "C", "D", "E", "F", "G", "H", "I"][number - 1]);
            text.push_str(if blank { "\n\n" } else { "\n" });
            text.push_str(&said);
            text.push_str(TASKS[*tasks]);
            text.push('\n');
        }
        text
    }

    type Pairs = BTreeSet<(String, String)>;

    /// Who waits for whom, and what each sprint is to do, by names.
    fn said(text: &str) -> (Pairs, Pairs) {
        let plan = sound(text).unwrap();
        let name = |id: &str| plan.sprint(id).map_or(id.to_owned(), |one| one.name.clone());
        let waits = plan.dependencies.iter().map(|one| (name(&one.from), name(&one.to)));
        let tasks = plan
            .sprints()
            .flat_map(|one| one.tasks.iter().map(|task| (one.name.clone(), task.text.clone())));
        (waits.collect(), tasks.collect())
    }

    proptest! {
        /// Whatever is said and whatever is not: everybody waits for those they waited for, and once in order nothing
        /// changes any more.
        #[test]
        fn waits_are_kept_and_the_order_comes_to_rest(
            rows in proptest::collection::vec((0..SAID.len(), 0..TASKS.len(), 0..9_usize), 1..9),
            head in 0..HEADS.len(),
            blank in any::<bool>(),
            units in any::<bool>(),
        ) {
            let text = plan(&rows, head, blank, units);
            prop_assume!(sound(&text).is_ok());
            let once = match prioritize(&text, &Answers::new()) {
                Ok(done) => done.text,
                Err(fault) => return Err(TestCaseError::fail(format!("{fault}\n{text}"))),
            };
            prop_assert_eq!(said(&once), said(&text), "{}\n{}", &text, &once);
            let twice = prioritize(&once, &Answers::new()).unwrap().text;
            prop_assert_eq!(&twice, &once, "{}", &text);
        }
    }

    /// App says nothing and stands behind Wire, so it goes with it.
    #[test]
    fn who_says_nothing_stays_behind_the_one_it_waits_for() {
        let none = "**Depends on**: none\n\n";
        let sprint = |number: u32, name: &str, said: &str, task: &str| {
            format!("## Sprint {number}: {name}\n\n{said}**Tasks**:\n1. {task}\n\n")
        };
        let text = format!(
            "# P\n\n{}{}{}{}",
            sprint(1, "Docs", none, "Write the page"),
            sprint(2, "Core", none, "Write the crypto core with a third-party API"),
            sprint(3, "Wire", none, "Write the crypto wire with a third-party API"),
            sprint(4, "App", "", "Write the app"),
        );
        let once = prioritize(&text, &Answers::new()).unwrap().text;
        let names = sound(&once).unwrap().sprints().map(|one| one.name.clone()).collect::<Vec<_>>();
        assert_eq!(names, ["Wire", "App", "Core", "Docs"]);
        assert_eq!(said(&once), said(&text));
        assert_eq!(prioritize(&once, &Answers::new()).unwrap().text, once);
        // A first sprint that says nothing would wait for whatever is put before it.
        let silent = text.replacen(none, "", 1);
        let once = prioritize(&silent, &Answers::new()).unwrap().text;
        assert!(once.contains("## Sprint 1: Docs"), "{once}");
        assert_eq!(said(&once), said(&silent));
    }

    #[test]
    fn where_no_order_keeps_all_together_nothing_moves() {
        let text = "# P\n\n## Sprint 1: A\n\n## Sprint 2: B\n\n## Sprint 3: C\n\n**Depends on**: Sprint 1\n\n**Blocks**: Sprint 2\n";
        let plan = sound(text).unwrap();
        let (scores, _) = scores(&plan, &Answers::new());
        let order = new_order(&plan, &scores, &BTreeSet::new());
        assert_eq!(order, ["plan/1", "plan/2", "plan/3"], "{:?}", plan.dependencies);
    }
}
