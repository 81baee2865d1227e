//! The state of the mission for readers of its state file, which must not say that it runs while it waits.

use super::decide::{is_under_way, spends};
use super::facts::FactName;
use super::orders::waits;
use super::state::State;
use crate::mission::dispatch::Dispatch;
use crate::mission::files::is_file_work;
use crate::mission::guard::Guard;
use crate::mission::prelude::*;
use crate::mission::standing;

impl State {
    /// The state file of a running mission is written again when the mission's state differs, whatever else is in it.
    pub(super) fn say_where_it_stands(&mut self, head: &Head) {
        if head.control != Control::Running || self.core.life.done.is_some() {
            return;
        }
        let stands = Some(rest(self, head)).filter(|one| *one != Continuation::Continue);
        if self.core.stands != stands {
            self.core.stands = stands;
            self.touch_state();
        }
    }
}

/// The state of the mission after its pending writes and notices: the state file says so, and while that
/// file is being written the mission goes on only because of it.
fn rest(state: &State, head: &Head) -> Continuation {
    let moves = |order: &Order| is_under_way(order) && !is_file_work(order);
    if head.awaits(moves) {
        return Continuation::Continue;
    }
    if head.followed.strayed.is_some() {
        return Continuation::AwaitUserInput;
    }
    let asks = standing::asked(head) || !state.core.life.asking.is_empty();
    let waits_for = |asks: bool| match asks {
        true => Continuation::AwaitUserInput,
        false => Continuation::Blocked,
    };
    let stuck = state.core.life.asks_of_failure();
    if stuck || state.core.life.blocked.is_some() {
        return waits_for(stuck || standing::asked(head));
    }
    let held = standing::unseen::<_, FactName>(state, head)
        .or_else(|| standing::spent(head, spends(state, head)));
    let goes_on = state.rule(head).is_some() || waits(state).next().is_some();
    match held {
        Some(Guard::BudgetSpent(_)) => waits_for(head.budget.left(Counter::Questions) > 0),
        Some(_) => Continuation::Continue,
        None if goes_on => Continuation::Continue,
        None => waits_for(asks),
    }
}
