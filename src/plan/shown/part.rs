//! What is known of a part of a line of the shell, and of two parts that stand together.

use super::program::Shell;

/// What a line throws away of its commands, the worst last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Lost {
    #[default]
    Nothing,
    /// How a program went that only tells something: what it printed is there all the same.
    Told,
    /// How a program went.
    Status,
    /// Which way a choice went, or whether a loop ran at all.
    Way,
    /// How a program went that stands before a pipe.
    Piped,
}

/// What is known of a part of a line.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Part {
    /// It may fail.
    pub fails: bool,
    /// It throws away how one of its commands went.
    pub lost: Lost,
    /// It ends, and certainly not with 0.
    pub sure: bool,
    /// It certainly ends the shell it is in.
    pub leaves: bool,
    /// It may end the shell it is in with 0.
    pub slips: bool,
    /// Whatever fails in it ends the shell it is in, with a failure.
    pub stops: bool,
    /// It only prepares for others.
    pub ready: bool,
    /// It hands on what it is fed.
    pub sink: bool,
    /// It only tells something: how it went shows in what it prints.
    pub tells: bool,
}

impl Part {
    pub(super) const LOST: Part = Part {
        fails: false,
        lost: Lost::Status,
        sure: false,
        leaves: false,
        slips: false,
        stops: false,
        ready: false,
        sink: false,
        tells: false,
    };

    /// What a list begins with.
    pub(super) const EMPTY: Part =
        Part { lost: Lost::Nothing, ready: true, tells: true, ..Part::LOST };

    /// What is known once another command of a list follows.
    pub(super) fn then(self, one: Part) -> Part {
        let passed = one.slips || !one.ready && !one.stops;
        Part {
            fails: self.fails || one.stops && one.fails,
            lost: self.lost.max(one.lost).max(status(passed)),
            slips: self.slips || one.slips,
            ready: self.ready && one.ready,
            tells: self.tells && one.tells,
            ..self
        }
    }

    /// What is known of a list that ends with this command.
    pub(super) fn ended(self, last: Part) -> Part {
        Part {
            fails: self.fails || last.fails,
            lost: self.lost.max(last.lost),
            sure: last.sure && !self.slips,
            slips: self.slips || last.slips,
            ready: self.ready && last.ready,
            tells: self.tells && last.tells,
            sink: false,
            ..last
        }
    }

    /// What is known of a loop over these commands, which may run them never or many times.
    pub(super) fn repeated(self) -> Part {
        Part { stops: self.stops, ..Part::EMPTY.then(self) }
    }

    pub(super) fn and(self, next: Part) -> Part {
        let slips = self.slips || next.slips;
        Part {
            fails: self.fails || next.fails,
            lost: self.lost.max(next.lost).max(status(self.slips)),
            sure: (self.sure || next.sure) && !slips,
            leaves: self.leaves || next.leaves && !self.fails,
            slips,
            stops: (self.stops || !self.fails) && next.stops,
            ready: self.ready && next.ready,
            sink: false,
            tells: self.tells && next.tells,
        }
    }

    /// What an alternative loses on its way to a certain failure matters to nobody; nor how what prepares went.
    pub(super) fn or(self, next: Part, own: bool) -> Part {
        let sure = next.sure || own;
        let ready = self.ready && (next.ready || sure);
        Part {
            fails: self.fails && sure,
            lost: self.lost.max(status(!sure && !ready)),
            sure: self.sure && sure,
            leaves: self.leaves,
            slips: self.slips || next.slips && !own,
            stops: sure && next.leaves,
            ready,
            sink: false,
            tells: self.tells && next.tells,
        }
    }

    pub(super) fn piped(self, next: Part, shell: &Shell) -> Part {
        let hands_on = next.sink || !next.fails;
        let lost = match (shell.pipefail, self.tells) {
            (true, _) => self.lost,
            (false, false) => self.lost.max(Lost::Piped),
            (false, true) if hands_on => Lost::Told,
            (false, true) => Lost::Nothing,
        };
        Part {
            fails: next.fails && !next.sink || shell.pipefail && self.fails,
            lost: next.lost.max(lost),
            sure: next.sure,
            stops: shell.ends(),
            tells: self.tells && next.tells,
            ..Part::default()
        }
    }
}

fn status(lost: bool) -> Lost {
    if lost { Lost::Status } else { Lost::Nothing }
}
