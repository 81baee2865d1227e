//! Answers with one thing wrong: each is caught by a rule, asked about, or shows a line that an honest one does not.

use super::labeller::{Labelled, labelled};
use super::operators::{Chance, OPERATORS};
use super::{DOCUMENTS, first, real, told};
use endstate::plan::import::{Next, Shown, Span};
use std::collections::{BTreeMap, BTreeSet};

/// How often each operator was found out, and in which way.
type Figures = BTreeMap<&'static str, BTreeMap<String, u32>>;
type Play = fn(&str, &[Span]) -> Next;

/// A document, and what an honest answer comes to.
struct Honest {
    document: Labelled,
    end: Next,
    shown: BTreeSet<Shown>,
}

impl Honest {
    fn new(document: Labelled, play: Play) -> Self {
        let end = play(&document.text, &document.spans);
        let Next::Done(imported) = &end else { unreachable!("{}", told(&end)) };
        let shown = imported.review.shown.iter().cloned().collect();
        Honest { document, end, shown }
    }

    /// How a spoiled answer was found out.
    fn found(&self, spoiled: &Next) -> Option<String> {
        match spoiled {
            Next::Again(_, faults) => faults.first().map(|one| format!("caught by {:?}", one.rule)),
            Next::Question(questions, _) => {
                questions.first().map(|one| format!("asked by {:?}", one.fault.rule))
            }
            Next::Done(imported) => {
                let mut new = imported.review.shown.iter().filter(|one| !self.shown.contains(one));
                new.next().map(|one| format!("shown as {:?}", one.why))
            }
            Next::Ask(_) | Next::Failed(_) => None,
        }
    }

    /// Applies an operator; `false` if it finds nothing to spoil, or its answer comes to the very same plan: where a mark
    /// is cut off words that only say that their line is kept as it stands.
    fn spoil(&self, turn: usize, chance: &mut Chance, play: Play, figures: &mut Figures) -> bool {
        let (name, operator) = OPERATORS[turn % OPERATORS.len()];
        let Some(spoiled) = operator(&self.document, chance) else { return false };
        let Labelled { text, spans } = &self.document;
        assert_ne!(&spoiled, spans, "{name} changed nothing");
        let end = play(text, &spoiled);
        if end == self.end {
            assert!(["span cut", "shifted by one"].contains(&name), "{name}: {spoiled:#?}");
            return false;
        }
        let how = self.found(&end).unwrap_or_else(|| {
            let old = spans.iter().filter(|one| !spoiled.contains(one));
            let new = spoiled.iter().filter(|one| !spans.contains(one));
            unreachable!("{name} was missed: {:#?}", old.chain(new).collect::<Vec<_>>())
        });
        *figures.entry(name).or_default().entry(how).or_default() += 1;
        true
    }
}

#[test]
fn five_hundred_spoiled_answers_are_caught_asked_or_shown() {
    let documents = DOCUMENTS.iter().map(|(_, marked)| Honest::new(labelled(marked), first));
    let documents: Vec<Honest> = documents.collect();
    let (mut chance, mut figures, mut applied) = (Chance(25), Figures::new(), 0);
    for turn in 0..5000 {
        let document = &documents[chance.below(documents.len())];
        applied += u32::from(document.spoil(turn, &mut chance, first, &mut figures));
        if applied == 500 {
            break;
        }
    }
    println!("{figures:#?}");
    assert_eq!((applied, figures.len()), (500, OPERATORS.len()));
    for (name, ways) in figures {
        assert!(ways.values().sum::<u32>() >= 30, "{name}: {ways:?}");
    }
}

/// As many of each real document.
#[test]
fn spoiled_answers_about_real_documents_are_caught_asked_or_shown() {
    const EACH: u32 = 30;
    let (mut chance, mut figures, mut all) = (Chance(26), Figures::new(), 0);
    for (_, name, text) in real::documents() {
        let (honest, mut applied) = (Honest::new(real::structured(&text), real::played), 0);
        for turn in 0..500 {
            applied += u32::from(honest.spoil(turn, &mut chance, real::played, &mut figures));
            if applied == EACH {
                break;
            }
        }
        assert_eq!(applied, EACH, "{name}");
        all += applied;
    }
    let mut ways: BTreeMap<&str, u32> = BTreeMap::new();
    for (how, times) in figures.values().flatten() {
        *ways.entry(how.split(' ').next().unwrap()).or_default() += times;
    }
    println!("{figures:#?}");
    real::say(&format!("spoiled answers about real documents: {all}, {ways:?}"));
    assert!(all == 0 || all >= 500 && figures.len() == OPERATORS.len(), "{all}");
}
