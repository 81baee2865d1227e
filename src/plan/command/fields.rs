//! Fields that a number needs and the plan does not have: asked of a role, and filled in by its answers.

use super::super::judge::{Answers, PlanQuestion, said_words};
use super::super::model::{Kind, Plan, Sprint, id};
use super::{Field, live};
use crate::vocab::question::{Answer, ChoiceOption, QuestionKind};
use serde::Serialize;
use std::collections::BTreeSet;

/// The answer that there is nothing.
const NONE: &str = "none";

/// A field that an answer filled in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Filled {
    /// The sprint.
    pub sprint: String,
    /// The field.
    pub field: Field,
    /// What was filled in.
    pub value: String,
}

/// What is missing of the fields a command needs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    /// What answers filled in.
    pub filled: Vec<Filled>,
    /// What is left to ask.
    pub questions: Vec<PlanQuestion>,
}

/// Fills in what answers say, and asks for the rest. Only sprints that are to run are asked about.
pub fn fill(plan: &mut Plan, needs: &[Field], answers: &Answers) -> Asked {
    let mut asked = Asked::default();
    let open: BTreeSet<String> = live(plan).map(|(unit, sprint)| id(unit, sprint)).collect();
    for (own, sprint) in plan.sprints_mut().filter(|(own, _)| open.contains(own)) {
        needs.iter().for_each(|field| asked.one(sprint, &own, *field, answers));
    }
    asked
}

/// Whether a sprint must name the files it writes and has named none. What writes nothing is complete without.
pub fn lacks_files(sprint: &Sprint) -> bool {
    sprint.kind == Kind::Code && sprint.creates.is_empty() && sprint.changes.is_empty()
}

/// The lines a sprint writes: nothing is written by what is run, waited for or looked at.
pub fn lines(sprint: &Sprint) -> Option<u32> {
    sprint.lines_of_code.or((sprint.kind != Kind::Code).then_some(0))
}

impl Asked {
    fn one(&mut self, sprint: &mut Sprint, id: &str, field: Field, answers: &Answers) {
        let about = format!("sprint {} ({})", sprint.label, sprint.name);
        let number = |key: &str| match answers.get(key)? {
            Answer::Text { text: word } | Answer::Choice { option: word } => {
                word.trim().parse().ok()
            }
            Answer::Confirmation { .. } | Answer::ManualStep { .. } => None,
        };
        let (key, text, kind, known) = match field {
            Field::Files if lacks_files(sprint) => {
                let creates = self.files(&format!("creates:{id}"), &about, "create", answers);
                let changes = self.files(&format!("changes:{id}"), &about, "change", answers);
                let all = [creates.clone(), changes.clone()].concat().join(", ");
                (sprint.creates, sprint.changes) = (creates, changes);
                if !all.is_empty() {
                    self.filled(id, field, all);
                }
                return;
            }
            Field::Lines if lines(sprint).is_none() => {
                let key = format!("lines:{id}");
                sprint.lines_of_code = number(&key);
                let text = format!("About how many lines does {about} write? Only the number.");
                (key, text, QuestionKind::FreeText, sprint.lines_of_code)
            }
            Field::Risk if sprint.risk.is_none() => {
                let key = format!("risk:{id}");
                let known = number(&key).filter(|risk| (1..=5).contains(risk));
                sprint.risk = known.and_then(|risk| u8::try_from(risk).ok());
                let text = format!("How risky is {about}? The highest that fits.");
                (key, text, risks(), known)
            }
            _ => return,
        };
        match known {
            Some(known) => self.filled(id, field, known.to_string()),
            None => self.questions.push(PlanQuestion { id: key, text, kind }),
        }
    }

    /// The files an answer lists; asks if there is none.
    fn files(&mut self, key: &str, about: &str, verb: &str, answers: &Answers) -> Vec<String> {
        let Some(words) = said_words(answers, key) else {
            let text = format!(
                "Which files does {about} {verb}? Their paths from the folder of the plan with commas between them, or `{NONE}`."
            );
            self.questions.push(PlanQuestion::words(key.to_owned(), text));
            return Vec::new();
        };
        let paths = words.split(',').map(|path| path.trim().trim_matches('`').trim());
        paths.filter(|path| !path.is_empty() && *path != NONE).map(str::to_owned).collect()
    }

    fn filled(&mut self, sprint: &str, field: Field, value: String) {
        self.filled.push(Filled { sprint: sprint.to_owned(), field, value });
    }
}

/// The scale of the field "Risk" (seed 6a); priorities put it on three steps (seed 16b).
fn risks() -> QuestionKind {
    let rows = [
        ("1", "simple create, read, update, delete; or configuration"),
        ("2", "files or calls of the system"),
        ("3", "complex algorithms"),
        ("4", "technology or patterns that are new to the project"),
        ("5", "calls of systems outside"),
    ];
    let option = |(id, label): (&str, &str)| ChoiceOption {
        id: id.to_owned(),
        label: label.to_owned(),
        trade_off: "a riskier sprint comes earlier and gets a stronger model".to_owned(),
    };
    QuestionKind::Choice { options: rows.into_iter().map(option).collect() }
}
