//! After a plan was rewritten: who waits for whom must be what it was. The new text is read again and compared, so
//! that no spelling of a name, however odd, makes a sprint wait for another without anybody's word.

use super::contents::{self, Said};
use super::document::LineRange;
use super::model::{Dependency, Plan, unit_of};
use super::outline::Outline;
use super::prioritize::{faultless, front_end};
use crate::vocab::error::{Code, Error, Result, clip};
use std::collections::{BTreeMap, BTreeSet};

/// A wait that is not what it was, by the ids of the new plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Stray {
    /// With the line of the plan it is of.
    pub(super) edge: Dependency,
    /// It was there and is no more; else it is there and was not.
    pub(super) lost: bool,
}

/// Where the waits of a new plan are not the `expected` ones. What follows from nothing but places binds like the rest:
/// whoever wrote a sprint behind another without a word meant it to come after.
pub(super) fn strays(expected: &[Dependency], new: &[Dependency]) -> Vec<Stray> {
    let missing = |these: &[Dependency], those: &[Dependency], lost: bool| {
        let known: BTreeSet<(&str, &str)> = those.iter().map(pair).collect();
        let stray = these.iter().filter(|one| one.from != one.to && !known.contains(&pair(one)));
        stray.map(|one| Stray { edge: one.clone(), lost }).collect::<Vec<_>>()
    };
    let mut all = missing(expected, new, true);
    all.extend(missing(new, expected, false));
    all
}

fn pair(one: &Dependency) -> (&str, &str) {
    (&one.from, &one.to)
}

/// The id of a sprint with its new label, if it has one.
pub(super) fn renamed(id: &str, labels: &BTreeMap<String, String>) -> String {
    labels.get(id).map_or_else(|| id.to_owned(), |label| format!("{}/{label}", unit_of(id)))
}

/// The waits of a plan by the new labels of its sprints.
pub(super) fn followed(plan: &Plan, labels: &BTreeMap<String, String>) -> Vec<Dependency> {
    let follow = |one: &Dependency| Dependency {
        from: renamed(&one.from, labels),
        to: renamed(&one.to, labels),
        ..one.clone()
    };
    plan.dependencies.iter().map(follow).collect()
}

/// A plan as it was, and the new labels of its sprints.
pub(super) struct Moved<'a> {
    pub(super) text: &'a str,
    pub(super) plan: &'a Plan,
    pub(super) labels: &'a BTreeMap<String, String>,
}

/// Checks that everybody waits for those they waited for, and that every sprint says what it said.
///
/// # Errors
/// `invalid_change` at the line that would say something else.
pub(super) fn check(moved: &Moved<'_>, new: &str) -> Result<()> {
    let read = faultless(new).map_err(|fault| {
        let got = format!("{}: {}, not {}", fault.at, fault.got, fault.expected);
        Error::new(Code::InvalidChange, "the plan in its new order", "a plan without a fault", got)
    })?;
    let expected = followed(moved.plan, moved.labels);
    if let Some(stray) = strays(&expected, &read.plan.dependencies).first() {
        return Err(moved.refused(stray));
    }
    match contents::astray(moved.plan, &read.plan, |id| renamed(id, moved.labels), &BTreeSet::new())
    {
        Some((sprint, said, lost)) => Err(moved.changed(sprint.as_deref(), &said, lost)),
        None => Ok(()),
    }
}

impl Moved<'_> {
    /// What to say of a wait that would change: the line as it stands, and who would wait for whom.
    fn refused(&self, stray: &Stray) -> Error {
        let was: BTreeMap<String, &str> = self
            .plan
            .sprints()
            .map(|one| (renamed(&one.id, self.labels), one.id.as_str()))
            .collect();
        let old = |id: &str| was.get(id).map_or_else(|| id.to_owned(), |id| (*id).to_owned());
        let (from, to) = (old(&stray.edge.from), old(&stray.edge.to));
        let line = if stray.lost { stray.edge.line } else { self.line_of(&to) };
        let would = if stray.lost { "would no longer wait" } else { "would wait" };
        let got = format!(
            "`{}`, after which {} {would} for {}",
            self.words(line),
            self.shown(&to),
            self.shown(&from)
        );
        let expected = format!(
            "names that get the new numbers with their sprints (`Sprint {}`)",
            from.split_once('/').map_or("2", |(_, label)| label)
        );
        Error::new(Code::InvalidChange, format!("line {line}"), expected, got)
    }

    /// A line as it stands.
    fn words(&self, line: u32) -> String {
        let outline = Outline::read(self.text, front_end(self.text, self.plan));
        clip(outline.source(&outline.bytes(LineRange { first: line, last: line })).trim(), 120)
    }

    /// What to say of a sprint that would say something else.
    fn changed(&self, sprint: Option<&str>, (said, line): &Said, lost: bool) -> Error {
        let begins = sprint.and_then(|id| self.plan.sprint(id)).map_or(1, |one| one.lines.first);
        let of = sprint.map_or_else(|| "the plan".to_owned(), |id| self.shown(id));
        let line = if lost { *line } else { begins };
        let got = match lost {
            true => format!("`{}`, after which {of} would say something else", self.words(line)),
            false => format!("{of}, which would say more: `{}`", clip(said.trim(), 120)),
        };
        let expected =
            "lines that say the same in the new order, and headings that get the new numbers";
        Error::new(Code::InvalidChange, format!("line {line}"), expected, got)
    }

    /// The line that says whom a sprint or unit waits for, else the one it begins with.
    fn line_of(&self, id: &str) -> u32 {
        let said = self.plan.dependencies.iter().find(|one| one.to == id);
        let begins = || match self.plan.sprint(id) {
            Some(sprint) => Some(sprint.lines.first),
            None => self.plan.unit(id).map(|unit| unit.lines.first),
        };
        said.map(|one| one.line).or_else(begins).unwrap_or(1)
    }

    fn shown(&self, id: &str) -> String {
        match self.plan.sprint(id) {
            Some(sprint) => format!("{} {} ({})", sprint.word, sprint.label, sprint.name),
            None => format!("`{id}`"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::judge::Answers;
    use super::super::prioritize::{prioritize, sound};
    use super::*;
    use crate::plan::model::Origin;

    /// Page goes behind Core and Wire, so that all three get other numbers; App says whom it waits for.
    fn plan(said: &str) -> String {
        format!(
            "# P\n\n## Sprint 1: Docs\n\n**Depends on**: none\n\n**Tasks**:\n1. Write the page\n\n\
             ## Sprint 2: Core\n\n**Depends on**: none\n\n**Tasks**:\n1. Write the crypto core with a third-party API\n\n\
             ## Sprint 3: Wire\n\n**Depends on**: none\n\n**Tasks**:\n1. Write the crypto wire with a third-party API\n\n\
             ## Sprint 4: App\n\n{said}\n\n**Tasks**:\n1. Write the app\n"
        )
    }

    /// Who waits for whom, by names, without what follows from places.
    fn waits(text: &str) -> BTreeSet<(String, String)> {
        let plan = sound(text).unwrap();
        let name = |id: &str| plan.sprint(id).map_or(id.to_owned(), |one| one.name.clone());
        let said = plan.dependencies.iter().filter(|one| one.origin != Origin::Order);
        said.map(|one| (name(&one.from), name(&one.to))).collect()
    }

    /// Every label before every spelling of one sprint or two: all of them follow.
    #[test]
    fn numbers_without_a_noun_follow_their_sprints() {
        let sure = |label: &str, said: &str| match label {
            "Depends on" => true,
            "Prerequisites" => false,
            _ => said == "2",
        };
        let labels = ["Depends on", "After", "Needs", "Blocked by", "Requires", "Prerequisites"];
        let one = ["2", "2 (Core)", "2.", "#2", "S2", "Sprint 2", "plan/2", "2 complete"];
        let two = [
            "2, 3",
            "2-3",
            "2–3",
            "2 to 3",
            "2 & 3",
            "2 and 3",
            "#2 and #3",
            "S2, S3",
            "Sprints 2-3",
            "Sprint 2 and 3",
            "3, 2",
        ];
        for label in labels {
            for (said, many) in one.map(|said| (said, 1)).into_iter().chain(two.map(|one| (one, 2)))
            {
                let text = plan(&format!("**{label}**: {said}"));
                // What the reader does not take for a name behind other labels is nothing to follow.
                let known = sound(&text).is_ok_and(|_| waits(&text).len() == many);
                assert!(known || !sure(label, said), "{label}: {said}");
                if !known {
                    continue;
                }
                let was = waits(&text);
                let done = prioritize(&text, &Answers::new()).unwrap();
                assert!(done.text.contains("## Sprint 1: Core"), "{}", done.text);
                assert_eq!(waits(&done.text), was, "{label}: {said}\n{}", done.text);
            }
        }
        for said in ["Depends on 2.", "Depends on 2 and 3.", "This sprint depends on 2."] {
            let text = plan(said);
            let done = prioritize(&text, &Answers::new()).unwrap();
            assert!(!waits(&text).is_empty(), "{said}");
            assert_eq!(waits(&done.text), waits(&text), "{said}\n{}", done.text);
        }
    }

    #[test]
    fn what_blocks_others_and_what_is_tabled_follows_too() {
        let blocks = plan("**Depends on**: none").replacen(
            "**Depends on**: none\n\n**Tasks**:\n1. Write the crypto core",
            "**Blocks**: 3, 4\n\n**Tasks**:\n1. Write the crypto core",
            1,
        );
        let tabled = plan("").replace(
            "# P\n",
            "# P\n\n| Sprint | Depends on |\n|--|--|\n| 1 | none |\n| 2 | none |\n| 3 | none |\n| 4 | 2-3 |\n",
        );
        for text in [blocks, tabled] {
            let done = prioritize(&text, &Answers::new()).unwrap();
            assert_eq!(waits(&text).len(), 2, "{text}");
            assert_eq!(waits(&done.text), waits(&text), "{}", done.text);
        }
    }

    /// Where a text cannot follow, nothing is written, and it is said which.
    #[test]
    fn what_would_change_is_told() {
        let text = "# P\n\n## Sprint 1: A\n\n**Depends on**: none\n\n## Sprint 2: B\n\n**Depends on**: 1\n";
        let plan = sound(text).unwrap();
        let labels = [("plan/1", "2"), ("plan/2", "1")];
        let labels = labels.map(|(id, label)| (id.to_owned(), label.to_owned())).into();
        let moved = Moved { text, plan: &plan, labels: &labels };
        let good = "# P\n\n## Sprint 1: B\n\n**Depends on**: 2\n\n## Sprint 2: A\n\n**Depends on**: none\n";
        assert_eq!(check(&moved, good), Ok(()));
        let lost = check(&moved, &good.replace(": 2\n", ": none\n")).unwrap_err();
        assert_eq!((lost.code, lost.at.as_str()), (Code::InvalidChange, "line 9"));
        let expected =
            "`**Depends on**: 1`, after which Sprint 2 (B) would no longer wait for Sprint 1 (A)";
        assert_eq!(lost.got, expected);
        assert!(lost.expected.contains("`Sprint 1`"), "{lost}");
        let more = good.replace(
            "2: A\n\n**Depends on**: none",
            "2: A\n\n**Depends on**: 3\n\n## Sprint 3: C\n\n**Depends on**: none",
        );
        let gained = check(&moved, &more).unwrap_err();
        assert!(gained.got.ends_with("Sprint 1 (A) would wait for `plan/3`"), "{gained}");
        assert!(check(&moved, &good.replace(": 2\n", ": 1\n")).is_err());
    }

    /// A command is left as it was written; where its words would be given other numbers, nothing is.
    #[test]
    fn what_would_read_otherwise_is_told() {
        let run = "- [ ] `grep 'Sprint 2' plan.md` succeeds";
        let text = plan(&format!("**Depends on**: none\n\n**Exit criteria**:\n{run}"));
        let told = prioritize(&text, &Answers::new()).unwrap_err();
        assert_eq!(told.code, Code::InvalidChange);
        let got = format!("`{run}`, after which Sprint 4 (App) would say something else");
        assert_eq!(told.got, got);
        // A heading whose number does not follow is another sprint.
        let text = "# P\n\n## Sprint 1: A\n\n**Depends on**: none\n\n## Sprint 2: B\n\n**Depends on**: none\n";
        let read = sound(text).unwrap();
        let labels = [("plan/1", "2"), ("plan/2", "1")];
        let labels = labels.map(|(id, label)| (id.to_owned(), label.to_owned())).into();
        let moved = Moved { text, plan: &read, labels: &labels };
        assert_eq!(check(&moved, text).unwrap_err().at, "line 3");
    }
}
