//! Answers that nobody would give.

use super::labeller::{self, answer};
use super::operators::Chance;
use super::span;
use endstate::plan::import::{self, MOST_ATTEMPTS, Next, Span, start};

/// Answers without sense, over sources without sense: never a panic, always an end.
#[test]
fn wild_answers_come_to_an_end() {
    let mut chance = Chance(7);
    let pieces = [
        "# ", "## S 1", "- ", "- [ ] ", "`a b`", "|", "x", " ", "\n", "\n\n", "```\n", "é", "12",
        "> ", "\t", "---", "\r\n",
    ];
    for _ in 0..400 {
        let text: String = (0..40).map(|_| pieces[chance.below(pieces.len())]).collect();
        let Ok((mut import, _)) = start("a.md", &format!("{text}\nend")) else {
            unreachable!("{text}")
        };
        let place = |chance: &mut Chance| match chance.below(3) {
            0 => chance.below(25).to_string(),
            _ => format!("{}:{}", chance.below(25), chance.below(12)),
        };
        let spans: Vec<Span> = (0..12)
            .map(|_| {
                let kind = labeller::KINDS[chance.below(labeller::KINDS.len())].1;
                let parent = u32::try_from(chance.below(14)).ok().filter(|one| *one < 12);
                let mut one = span(kind, parent, &place(&mut chance), &place(&mut chance));
                one.label = (kind == import::Kind::Sprint).then(|| chance.below(4).to_string());
                one
            })
            .collect();
        // Each answer can be read, so the last one gives a plan, however wrong.
        let ends = (0..MOST_ATTEMPTS).map(|_| import.answer(&answer(&spans))).last();
        let questions = match ends {
            Some(Next::Question(questions, _)) => questions,
            Some(Next::Done(_)) => Vec::new(),
            other => unreachable!("{text}: {other:?}"),
        };
        let odd = questions.iter().find(|one| one.fault.expected.contains("reads as it was made"));
        assert_eq!(odd, None, "{text}");
    }
}
