//! One rule for all protocols: the mission's head goes forward from its base, on its branch. If a look finds another
//! head, no protocol judges it: the user is asked first, and told which commits are gone and which command
//! brings them back. The engine asks, before the protocols and outside them.

use super::ask;
use super::guard::Guard;
use super::template::fields;
use super::unreported;
use crate::mission::Intent;
use crate::mission::{Control, Head};
use crate::vocab::budget::Counter;
use crate::vocab::command::Command;
use crate::vocab::effect::{Order, Outstanding};
use crate::vocab::error::{Code, Diagnostic, Error, clip};
use crate::vocab::event::Fact;
use crate::vocab::json::{Readable, Serialize};
use crate::vocab::question::{Answer, Question};
use crate::vocab::repository::Repository;
use schemars::JsonSchema;
use std::sync::Arc;

/// The topic of the question.
const TOPIC: &str = "other_head";
/// The most lost commits that are kept, and the most that a question names.
const MOST_LOST: usize = 100;
const MOST_NAMED: usize = 10;

/// The branch and the head that the mission follows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Followed {
    /// The branch; `None` before the first look on one.
    pub branch: Option<String>,
    /// Its head as last seen; `None` if unborn.
    pub head: Option<String>,
    /// What was found in its place, before the user has said what to do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strayed: Option<Strayed>,
}

/// What is checked out where the mission's head should be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Strayed {
    /// The branch; `None` for a detached head.
    pub branch: Option<String>,
    /// The commit; `None` if the branch is unborn.
    pub head: Option<String>,
    /// Commits of the mission's head that are not behind this one, the newest first.
    pub lost: Vec<String>,
}

/// Who takes a fact.
pub(crate) enum Taken {
    /// The protocol.
    ByProtocol,
    /// Nobody else: it was about the head alone.
    Here,
    /// Nobody else, and nothing goes on.
    Blocks(Diagnostic),
}

/// Takes what is about the head, before the protocol hears of it.
pub(crate) fn take(
    head: &mut Head,
    subject: Option<&Arc<Outstanding>>,
    fact: &Fact,
    over: bool,
) -> Taken {
    match fact {
        Fact::RepositoryObserved(fact) if !over => looked(head, &fact.repository),
        Fact::QuestionAnswered(fact) if subject.is_some_and(|one| is_ours(&one.effect.order)) => {
            answered(head, &fact.answer)
        }
        // The user may have fixed it before the resume: the host looks again.
        Fact::UserCommanded(fact) if matches!(fact.command, Command::Resume) => {
            head.followed.strayed = None;
            head.withdraw(is_ours);
            Taken::ByProtocol
        }
        _ => Taken::ByProtocol,
    }
}

fn is_ours(order: &Order) -> bool {
    matches!(order, Order::AskUser(question) if question.topic == TOPIC)
}

fn looked(head: &mut Head, repository: &Repository) -> Taken {
    if let Some(problem) = head.followed.gone(repository) {
        return Taken::Blocks(problem);
    }
    let found = head.followed.strays(repository);
    let Some(found) = found else {
        let Followed { branch, head: at, strayed } = &mut *head.followed;
        if repository.problem.is_none() && repository.branch.is_some() {
            branch.clone_from(&repository.branch);
        }
        (*at, *strayed) = (repository.head.clone(), None);
        return Taken::ByProtocol;
    };
    head.followed.strayed = Some(found);
    // What has not begun would begin in the wrong place; and one question is asked at a time.
    head.withdraw(|order| matches!(order, Order::SpawnRole(_) | Order::AskUser(_)));
    match head.budget.left(Counter::Questions) {
        0 => blocks(head),
        _ => Taken::Here,
    }
}

/// Resuming looks again.
fn blocks(head: &mut Head) -> Taken {
    let Some(found) = head.followed.strayed.take() else { return Taken::ByProtocol };
    Taken::Blocks(head.followed.problem(&found))
}

fn answered(head: &mut Head, answer: &Answer) -> Taken {
    let Answer::Choice { option } = answer else { return Taken::Here };
    match option.as_str() {
        "restored" => head.followed.strayed = None,
        "accept" => {
            if let Some(Strayed { branch, head: at, lost }) = head.followed.strayed.take() {
                unreported::dropped(head, &lost);
                head.followed = Followed { branch, head: at, strayed: None }.into();
            }
        }
        _ => return blocks(head),
    }
    Taken::Here
}

/// Whether the user is to say where the mission goes on. The question is ordered last, behind the files that tell of it.
pub(crate) fn asks(head: &Head) -> bool {
    let may = head.control == Control::Running && head.budget.left(Counter::Questions) > 0;
    may && head.followed.strayed.is_some()
}

/// What is ordered while the user is to say where the mission goes on: nothing that works in the tree, and the question.
/// Answers with what held the orders back, if it held all of them.
pub(crate) fn hold(head: &mut Head, over: bool, orders: &mut Vec<Intent>) -> Option<&'static str> {
    if over && head.followed.strayed.take().is_some() {
        head.withdraw(is_ours);
    }
    let found = head.followed.strayed.as_ref()?;
    let due = orders.len();
    keep_quiet(orders);
    let held = due > 0 && orders.is_empty();
    if asks(head) && !head.awaits(is_ours) {
        orders.push(Order::AskUser(head.followed.question(found)).into());
    }
    held.then(|| Guard::QuestionOpen.name())
}

/// Leaves what works in no tree.
pub(crate) fn keep_quiet(orders: &mut Vec<Intent>) {
    use Order::{AppendHistory, Notify, SetTimer, StopRole, WriteFile};
    orders.retain(|Intent { order, .. }| {
        matches!(order, StopRole(_) | SetTimer(_) | Notify(_) | WriteFile(_) | AppendHistory(_))
    });
}

impl Followed {
    /// Nothing was looked at yet.
    pub(crate) fn is_new(&self) -> bool {
        *self == Followed::default()
    }

    /// A repository that was there and is none now: all of its commits are lost, and no command of ours brings them back.
    fn gone(&self, repository: &Repository) -> Option<Diagnostic> {
        let problem = repository.problem.as_ref()?;
        let gone = problem.code == Code::NotARepository && self.branch.is_some();
        let head = self.head.as_deref().unwrap_or("no commit");
        let was = || format!("the repository with branch {} at {head}", self.home());
        gone.then(|| Error::new(problem.code, "repository", was(), &problem.got).diagnostic())
    }

    /// What is in the place of the mission's head, if it is not that head, nor one that came of it.
    fn strays(&self, repository: &Repository) -> Option<Strayed> {
        let elsewhere = self.branch.is_some() && repository.branch != self.branch;
        let mended = |problem: &Diagnostic| problem.code != Code::DetachedHead;
        if repository.problem.as_ref().is_some_and(mended) {
            // The protocol says what is in the way: a merge, or no repository at all.
            return None;
        }
        let since = repository.since.as_deref();
        let left = repository.head.is_none() || since.is_some_and(|since| !since.descends);
        let left = left && self.head.is_some() && repository.head != self.head;
        let mut lost = since.map(|since| since.lost.clone()).unwrap_or_default();
        lost.truncate(MOST_LOST);
        if left && lost.is_empty() {
            lost.extend(self.head.clone());
        }
        let (branch, head) = (repository.branch.clone(), repository.head.clone());
        (elsewhere || left).then_some(Strayed { branch, head, lost })
    }

    /// Whether what was found lies on another branch, or on none.
    fn elsewhere(&self, found: &Strayed) -> bool {
        self.branch.is_some() && self.branch != found.branch
    }

    /// The command that goes back, and loses nothing that is not committed.
    fn back(&self, found: &Strayed) -> String {
        match (&self.branch, &self.head) {
            (Some(branch), _) if self.elsewhere(found) => format!("git switch {}", quoted(branch)),
            // Without a commit there is nothing else that could be kept.
            (_, Some(head)) if found.head.is_none() => format!("git reset {head}"),
            (_, Some(head)) => format!("git reset --keep {head}"),
            (_, None) => "git switch -".to_owned(),
        }
    }

    fn problem(&self, found: &Strayed) -> Diagnostic {
        let back = self.back(found);
        let (code, expected) = match (self.elsewhere(found), &found.branch) {
            (true, Some(_)) => (Code::OtherBranch, format!("branch {}: {back}", self.home())),
            (true, None) => (Code::DetachedHead, format!("branch {}: {back}", self.home())),
            (false, _) => {
                (Code::NotDescendant, format!("a head that follows the last one: {back}"))
            }
        };
        Error::new(code, "repository", expected, found.words()).diagnostic()
    }

    fn home(&self) -> String {
        clip(self.branch.as_deref().unwrap_or("none"), 200)
    }

    fn question(&self, found: &Strayed) -> Question {
        let named: Vec<String> =
            found.lost.iter().take(MOST_NAMED).map(|id| clip(id, 12)).collect();
        let more = found.lost.len() - named.len();
        let lost = (!named.is_empty()).then(|| {
            let more = (more > 0).then(|| fields! { number: more });
            fields! { count: found.lost.len(), named: named.join(", "), more: more }
        });
        let branch = self.branch.as_deref().filter(|_| self.head.is_some());
        ask::other_head(&fields! {
            elsewhere: self.elsewhere(found),
            home: self.home(),
            found: found.words(),
            back: self.back(found),
            renamed: branch.map(|branch| fields! { branch: quoted(branch) }),
            at: self.head.as_deref().unwrap_or("none"),
            head: found.head.as_deref().unwrap_or("unborn"),
            // What going back leaves on no branch.
            left: found.head.is_some(),
            lost: lost,
        })
    }
}

impl Strayed {
    fn words(&self) -> String {
        let at = self.head.as_deref().map_or("no commit".to_owned(), |head| clip(head, 12));
        match &self.branch {
            Some(branch) => format!("branch {} ({at})", clip(branch, 200)),
            None => format!("a detached head ({at})"),
        }
    }
}

/// A name as a word of a shell.
fn quoted(name: &str) -> String {
    shlex::try_quote(name).map_or_else(|_| "-".to_owned(), |word| word.into_owned())
}
