//! `composite`: several conditions as one. `and` needs all of them, `or` any; `first` looks at them in
//! their order and stops at the first that holds, so that later ones are not even asked.

use super::{Answer, Criteria, Eval, Handler, Verdict};
use crate::mission::prelude::*;
use crate::protocols::iteration::definition::{Behavior, CompletionConfig, MOST_NESTING};
use crate::view::ClosedBy;

/// The most conditions, those of inner composites counted one by one.
const MOST_CONDITIONS: usize = 32;

/// See [`super::Handler::Composite`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[schemars(rename = "CompositeHandler")]
pub struct Composite {
    /// How the conditions are joined.
    pub operator: Operator,
    /// The conditions, at least one.
    pub conditions: Vec<Handler>,
}

words! {
    /// How conditions are joined.
    #[schemars(rename = "CompositeOperator")]
    Operator {
        And "and" "All must hold.";
        Or "or" "One must hold.";
        First "first" "The first that holds, in order, decides.";
    }
}

impl Operator {
    fn words(self) -> &'static str {
        match self {
            Operator::And => "all of",
            Operator::Or => "any of",
            Operator::First => "the first of",
        }
    }
}

pub(super) fn make(
    config: &CompletionConfig,
    at: &str,
    make: &dyn Fn(&Behavior, &str) -> Result<Handler>,
) -> Result<Composite> {
    // A definition may come without having been read by us.
    if at.matches("conditions").count() >= MOST_NESTING {
        let expected = format!("at most {MOST_NESTING} levels of conditions");
        return Err(Error::new(Code::TooDeep, at, expected, "a deeper one"));
    }
    let operator = match config.operator.as_deref() {
        Some("and") => Operator::And,
        Some("or") => Operator::Or,
        Some("first") => Operator::First,
        other => {
            let (at, expected) = (format!("{at}.operator"), "`and`, `or` or `first`");
            let code = if other.is_some() { Code::UnknownValue } else { Code::MissingField };
            return Err(Error::new(code, at, expected, other.unwrap_or("no such field")));
        }
    };
    if config.conditions.is_empty() {
        let at = format!("{at}.conditions");
        return Err(Error::new(Code::EmptyCriteria, at, "at least one condition", "none"));
    }
    let each = config.conditions.iter().enumerate();
    let conditions = each.map(|(place, one)| make(one, &format!("{at}.conditions[{place}]")));
    let conditions = conditions.collect::<Result<Vec<Handler>>>()?;
    let count: usize = conditions.iter().map(|one| one.leaves().len()).sum();
    match count <= MOST_CONDITIONS {
        true => Ok(Composite { operator, conditions }),
        false => {
            let (at, expected) =
                (format!("{at}.conditions"), format!("at most {MOST_CONDITIONS} in all"));
            Err(Error::new(Code::NumberOutOfRange, at, expected, count.to_string()))
        }
    }
}

impl Composite {
    pub(super) fn criteria(&self) -> Criteria {
        let each: Vec<Criteria> = self.conditions.iter().map(Handler::criteria).collect();
        let short: Vec<&str> = each.iter().map(|one| one.short.as_str()).collect();
        let lines: Vec<String> =
            each.iter().map(|one| format!("- {}", one.detailed.replace('\n', "\n  "))).collect();
        let words = self.operator.words();
        Criteria {
            short: format!("{words}: {}", short.join("; ")),
            detailed: format!("You are done by {words} these:\n{}", lines.join("\n")),
        }
    }

    pub(super) fn weakest(&self) -> ClosedBy {
        self.conditions.iter().map(Handler::closed_by).min().unwrap_or(ClosedBy::Claimed)
    }

    /// What the conditions come to, as far as they are answered.
    pub(super) fn evaluate(&self, answers: &[Option<Answer>], next: &mut usize) -> Eval {
        let each: Vec<Eval> =
            self.conditions.iter().map(|one| one.evaluate_from(answers, next)).collect();
        match self.operator {
            Operator::And => all_of(&each),
            Operator::Or => any_of(&each),
            Operator::First => first_of(&each),
        }
    }
}

fn known(each: &[Eval], finding: Finding) -> impl Iterator<Item = &Verdict> {
    each.iter().filter_map(move |one| match one {
        Eval::Known(verdict) if verdict.finding == finding => Some(verdict),
        Eval::Known(_) | Eval::Needs(_) => None,
    })
}

fn needs(each: &[Eval]) -> Option<Eval> {
    each.iter().find(|one| matches!(one, Eval::Needs(_))).cloned()
}

/// What these verdicts say together, each sentence once; how it was shown is the weakest of them.
fn together<'a>(finding: Finding, parts: impl Iterator<Item = &'a Verdict> + Clone) -> Eval {
    let mut words: Vec<&str> = parts.clone().map(|one| one.words.as_str()).collect();
    words.dedup();
    let closed_by = parts.map(|one| one.closed_by).min().unwrap_or(ClosedBy::Claimed);
    Eval::Known(Verdict { finding, words: words.join("; "), closed_by })
}

/// One that does not hold decides, whatever the others are.
fn all_of(each: &[Eval]) -> Eval {
    let against = || known(each, Finding::DoesNotHold);
    let unknown = || known(each, Finding::NotShown);
    if against().next().is_some() {
        let not: Vec<&Verdict> = against().collect();
        return together(Finding::DoesNotHold, not.into_iter());
    }
    if let Some(needs) = needs(each) {
        return needs;
    }
    let (finding, parts): (_, Vec<&Verdict>) = match unknown().next() {
        Some(_) => (Finding::NotShown, unknown().collect()),
        None => (Finding::Holds, known(each, Finding::Holds).collect()),
    };
    // No condition at all is no completion.
    match parts.is_empty() {
        false => together(finding, parts.into_iter()),
        true => together(Finding::NotShown, parts.into_iter()),
    }
}

/// One that holds decides, whatever the others are.
fn any_of(each: &[Eval]) -> Eval {
    let holding: Vec<&Verdict> = known(each, Finding::Holds).collect();
    if !holding.is_empty() {
        return together(Finding::Holds, holding.into_iter());
    }
    needs(each).unwrap_or_else(|| none_of(each))
}

/// In order: what comes before must be answered first.
fn first_of(each: &[Eval]) -> Eval {
    for one in each {
        match one {
            Eval::Needs(_) => return one.clone(),
            Eval::Known(verdict) if verdict.finding == Finding::Holds => return one.clone(),
            Eval::Known(_) => {}
        }
    }
    none_of(each)
}

fn none_of(each: &[Eval]) -> Eval {
    let unknown: Vec<&Verdict> = known(each, Finding::NotShown).collect();
    match unknown.is_empty() {
        false => together(Finding::NotShown, unknown.into_iter()),
        true => {
            let not: Vec<&Verdict> = known(each, Finding::DoesNotHold).collect();
            let finding = if not.is_empty() { Finding::NotShown } else { Finding::DoesNotHold };
            together(finding, not.into_iter())
        }
    }
}
