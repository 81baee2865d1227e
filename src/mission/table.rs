//! Dispatch tables as tables: a rule is a number, a name, a condition on named facts, and an action.
//! The first rule that applies wins. The explanation of a decision is computed from the same table.

use super::guard::Guard;
use super::picture;
use crate::mission::Head;
use crate::vocab::json::{Readable, Serialize};
use crate::vocab::on_write::OnWrite;
use crate::why::{Choice, FactSeen, Other, Unblock, Why};
use schemars::JsonSchema;
use std::collections::BTreeMap;

/// One row of a dispatch table.
pub(crate) struct Rule<F: 'static, A> {
    /// Its number, from 1.
    pub(crate) number: u32,
    /// Its name.
    pub(crate) name: &'static str,
    /// The facts it needs, with the value it needs them to have.
    pub(crate) when: &'static [(F, bool)],
    /// What it does.
    pub(crate) action: A,
}

/// Declares the dispatch table `RULES` of a protocol, whose rules do an `$does`: of each rule its number and name, the facts it
/// needs, and what it does.
macro_rules! rules {
    ($(#[$about:meta])* $does:ty; $(
        $number:literal $name:literal [$( $fact:ident: $value:literal ),*] => $action:expr;
    )*) => {
        /// One row of the dispatch table.
        pub(crate) type Rule = $crate::mission::table::Rule<FactName, $does>;

        $(#[$about])*
        pub(super) static RULES: [Rule; [$( $number ),*].len()] = [$( Rule {
            number: $number,
            name: $name,
            when: &[$( (FactName::$fact, $value) ),*],
            action: $action,
        } ),*];
    };
}

pub(crate) use rules;

/// A named fact about a state.
pub(crate) trait NamedFact<S>: Copy + Ord + 'static {
    /// The word in JSON.
    fn word(self) -> &'static str;
    /// Whether it holds.
    fn holds(self, state: &S, head: &Head) -> bool;
    /// What is behind it, in words.
    fn detail(self, state: &S, head: &Head) -> String;
    /// The facts of a state with the events that set them.
    fn table(state: &S) -> &FactTable<Self>;
    /// The same, to note what they are now.
    fn table_mut(state: &mut S) -> &mut FactTable<Self>;
    /// Every fact.
    fn all() -> &'static [Self];

    /// The fact that a guard speaks of; `None` for a spent budget.
    fn of_guard(guard: Guard) -> Option<Self>;

    /// The fact with its value and the event since which it has it.
    fn seen(self, state: &S, head: &Head) -> FactSeen {
        let value = self.holds(state, head);
        FactSeen {
            fact: self.word().to_owned(),
            value,
            since: Self::table(state).since(self, value, head.seq),
            detail: self.detail(state, head),
        }
    }
}

/// A value with the event that set it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FactState {
    /// Whether it holds.
    pub value: bool,
    /// Since which event.
    pub since: u64,
}

/// All facts as last evaluated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(transparent)]
#[schemars(rename = "FactTableOf{F}")]
pub struct FactTable<F: Ord>(OnWrite<BTreeMap<F, FactState>>);

impl<F: Ord> Default for FactTable<F> {
    fn default() -> Self {
        FactTable(OnWrite::default())
    }
}

impl<F: Ord + Copy> FactTable<F> {
    /// Since which event a fact has the value it has now.
    pub(crate) fn since(&self, name: F, value: bool, now: u64) -> u64 {
        self.0.get(&name).filter(|known| known.value == value).map_or(now, |known| known.since)
    }

    /// Whether a fact had another value, or none.
    fn misses(&self, name: F, value: bool) -> bool {
        self.0.get(&name).is_none_or(|known| known.value != value)
    }
}

/// Notes what every fact is after an event. Where nothing changed, nothing is written.
pub(crate) fn note_all<S, F: NamedFact<S>>(state: &mut S, head: &Head) {
    for fact in F::all() {
        let value = fact.holds(state, head);
        if F::table(state).misses(*fact, value) {
            F::table_mut(state).0.insert(*fact, FactState { value, since: head.seq });
        }
    }
}

/// Asks a closure of a declaration; says to the compiler what it is given.
pub(crate) fn ask<S, T>(state: &S, head: &Head, question: impl Fn(&S, &Head) -> T) -> T {
    question(state, head)
}

/// Declares the named facts of a protocol: first the seven that every mission has, told by
/// [`super::standing::Stands`], then its own: name, word in JSON, whether it holds, and what is behind it.
macro_rules! facts {
    (
        $(#[$meta:meta])* $state:ty;
        $( $(#[$doc:meta])* $name:ident $word:literal: $holds:expr, $detail:expr; )*
    ) => {
        /// A fact about the snapshot.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        #[derive(serde::Serialize, crate::vocab::json::Readable, schemars::JsonSchema)]
        #[serde(rename_all = "snake_case")]
        $(#[$meta])*
        pub enum FactName {
            /// The user has started the mission.
            Started,
            /// The user has not paused or stopped it.
            NotPaused,
            /// It has not come to its end.
            NotDone,
            /// Nothing outside it is in the way.
            NotBlocked,
            /// No question waits for the user.
            NoQuestionOpen,
            /// No effect that everything waits for is under way.
            NothingOutstanding,
            /// The repository was looked at since anything could have changed it.
            ObservationFresh,
            $( $(#[$doc])* $name, )*
        }

        impl $crate::mission::table::NamedFact<$state> for FactName {
            fn word(self) -> &'static str {
                match self {
                    FactName::Started => "started",
                    FactName::NotPaused => "not_paused",
                    FactName::NotDone => "not_done",
                    FactName::NotBlocked => "not_blocked",
                    FactName::NoQuestionOpen => "no_question_open",
                    FactName::NothingOutstanding => "nothing_outstanding",
                    FactName::ObservationFresh => "observation_fresh",
                    $( FactName::$name => $word, )*
                }
            }

            fn all() -> &'static [FactName] {
                &[
                    FactName::Started,
                    FactName::NotPaused,
                    FactName::NotDone,
                    FactName::NotBlocked,
                    FactName::NoQuestionOpen,
                    FactName::NothingOutstanding,
                    FactName::ObservationFresh,
                    $( FactName::$name, )*
                ]
            }

            fn of_guard(guard: $crate::mission::guard::Guard) -> Option<FactName> {
                use $crate::mission::guard::Guard;
                Some(match guard {
                    Guard::WaitingForAnswer | Guard::RunLive => FactName::NothingOutstanding,
                    Guard::NotStarted => FactName::Started,
                    Guard::Paused => FactName::NotPaused,
                    Guard::Done => FactName::NotDone,
                    Guard::Blocked => FactName::NotBlocked,
                    Guard::QuestionOpen => FactName::NoQuestionOpen,
                    Guard::ObservationMissing => FactName::ObservationFresh,
                    Guard::BudgetSpent(_) => return None,
                })
            }

            fn table(state: &$state) -> &$crate::mission::table::FactTable<FactName> {
                &state.core.facts
            }

            fn table_mut(
                state: &mut $state,
            ) -> &mut $crate::mission::table::FactTable<FactName> {
                &mut state.core.facts
            }

            fn holds(self, state: &$state, head: &$crate::mission::Head) -> bool {
                use $crate::mission::standing as at;
                match self {
                    FactName::Started => at::started(head),
                    FactName::NotPaused => !at::paused(head),
                    FactName::NotDone => !at::Stands::over(state),
                    FactName::NotBlocked => state.core.life.blocked.is_none(),
                    FactName::NoQuestionOpen => {
                        state.core.life.asking.is_empty() && !at::asked(head)
                    }
                    FactName::NothingOutstanding => {
                        !head.awaits(<$state as at::Stands>::is_awaited)
                    }
                    FactName::ObservationFresh => at::Stands::fresh(state),
                    $( FactName::$name => {
                        $crate::mission::table::ask(state, head, $holds)
                    } )*
                }
            }

            fn detail(self, state: &$state, head: &$crate::mission::Head) -> String {
                use $crate::mission::standing as at;
                match self {
                    FactName::Started | FactName::NotPaused => {
                        format!("control is {:?}", head.control)
                    }
                    FactName::NotDone => {
                        at::Stands::end_words(state).unwrap_or_else(|| at::Stands::missing(state))
                    }
                    FactName::ObservationFresh => at::Stands::seen_words(state),
                    FactName::NotBlocked => {
                        let blocked = state.core.life.blocked.as_ref();
                        blocked.map_or("nothing blocks".to_owned(), ToString::to_string)
                    }
                    FactName::NoQuestionOpen | FactName::NothingOutstanding => {
                        $crate::mission::picture::waiting_words(head)
                    }
                    $( FactName::$name => {
                        $crate::mission::table::ask(state, head, $detail)
                    } )*
                }
            }
        }
    };
}

pub(crate) use facts;

/// The first rule that applies.
pub(crate) fn first<S, F: NamedFact<S>, A>(
    rules: &'static [Rule<F, A>],
    state: &S,
    head: &Head,
) -> Option<&'static Rule<F, A>> {
    rules.iter().find(|rule| applies(rule, state, head))
}

/// Whether every fact that a rule needs holds.
pub(crate) fn applies<S, F: NamedFact<S>, A>(rule: &Rule<F, A>, state: &S, head: &Head) -> bool {
    lacks(rule, state, head).next().is_none()
}

fn lacks<'a, S, F: NamedFact<S>, A>(
    rule: &'a Rule<F, A>,
    state: &'a S,
    head: &'a Head,
) -> impl Iterator<Item = F> + 'a {
    let failed = rule.when.iter().filter(|(fact, value)| fact.holds(state, head) != *value);
    failed.map(|(fact, _)| *fact)
}

/// What decided, as a protocol found it.
pub(crate) struct Decision<F: 'static, A: 'static> {
    /// The whole table.
    pub(crate) rules: &'static [Rule<F, A>],
    /// The rule that applies; nothing where none does.
    pub(crate) rule: Option<&'static Rule<F, A>>,
    /// The guard before it, if one holds.
    pub(crate) guard: Option<Guard>,
    /// What the rule does, in words.
    pub(crate) action: String,
    /// Nothing moves by itself.
    pub(crate) stopped: bool,
}

/// Why the next step is what it is.
pub(crate) fn why<S, F: NamedFact<S>, A>(state: &S, head: &Head, decision: Decision<F, A>) -> Why {
    let Decision { rules, rule, guard, action, stopped } = decision;
    let (chosen, because) = match (guard, rule) {
        (None, Some(rule)) => {
            let chosen = Choice { name: rule.name.to_owned(), rule: Some(rule.number), action };
            (chosen, rule.when.iter().map(|(fact, _)| fact.seen(state, head)).collect())
        }
        (None, None) => {
            let action = format!("No rule applies: {action}");
            (Choice { name: "no_rule".to_owned(), rule: None, action }, Vec::new())
        }
        (Some(guard), rule) => {
            let action = match rule {
                Some(rule) => format!("{}; then {}", guard.words(), rule.name),
                None => format!("{}; no rule applies as yet", guard.words()),
            };
            let chosen = Choice { name: guard.name().to_owned(), rule: None, action };
            (chosen, guard_facts::<S, F>(state, head, guard))
        }
    };
    let own = rule.filter(|_| guard.is_none()).map(|rule| rule.number);
    let others = rules.iter().filter(|other| Some(other.number) != own);
    let other = |other: &Rule<F, A>| Other {
        rule: other.number,
        name: other.name.to_owned(),
        against: lacks(other, state, head).next().map(|fact| fact.seen(state, head)),
    };
    Why {
        others: others.map(other).collect(),
        unblock: guard.filter(|_| stopped).and_then(|guard| unblock(rules, state, head, guard)),
        waiting_for: picture::waiting(head),
        seq: head.seq,
        at: head.at,
        chosen,
        because,
    }
}

fn guard_facts<S, F: NamedFact<S>>(state: &S, head: &Head, guard: Guard) -> Vec<FactSeen> {
    if let Guard::BudgetSpent(counter) = guard {
        let account = head.budget.account(counter);
        return vec![FactSeen {
            fact: format!("budget_left:{}", counter.as_str()),
            value: false,
            since: head.seq,
            detail: format!("{} of {} spent", account.spent, account.limit),
        }];
    }
    F::of_guard(guard).map(|fact| fact.seen(state, head)).into_iter().collect()
}

/// The continuing rule with the fewest failed facts, ties in table order; what the guard lacks comes
/// first.
fn unblock<S, F: NamedFact<S>, A>(
    rules: &'static [Rule<F, A>],
    state: &S,
    head: &Head,
    guard: Guard,
) -> Option<Unblock> {
    let rule = rules.iter().min_by_key(|rule| lacks(rule, state, head).count())?;
    let mut facts = guard_facts::<S, F>(state, head, guard);
    facts.extend(lacks(rule, state, head).map(|fact| fact.seen(state, head)));
    Some(Unblock { rule: rule.name.to_owned(), lacks: facts, hint: guard.hint().to_owned() })
}
