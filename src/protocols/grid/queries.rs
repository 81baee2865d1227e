//! Questions to the state that several moves ask: what is due, what may begin, what is stale; and the small changes that
//! several make.

use super::files;
use super::role::Role;
use super::state::{Block, BlockStatus, State};
use crate::mission::life::Correction;
use crate::mission::prelude::*;
use crate::vocab::budget::Budget;
use crate::vocab::evidence::normal;

/// What is to be done next, whoever is at work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Due {
    /// Nothing by itself.
    Nothing,
    /// Read what earlier clusters learned.
    Memory,
    /// Plan the cluster.
    Plan,
    /// Investigate a failure.
    Debug,
    /// Plan the closure of gaps.
    Gaps,
    /// Execute blocks.
    Execute,
    /// Look at artifacts.
    Look,
    /// Verify a wave.
    Verify,
    /// Look at everything again.
    Patrol,
    /// Infer who uses the project.
    Lead,
    /// Send the swarm.
    Swarm,
    /// Write down what was learned.
    Capture,
}

impl Due {
    /// Who is sent for it, if it is one role for all of it.
    pub(super) fn role(self) -> Option<Role> {
        match self {
            Due::Plan | Due::Gaps => Some(Role::Planner),
            Due::Execute => Some(Role::Executor),
            Due::Verify | Due::Patrol => Some(Role::Recognizer),
            Due::Debug => Some(Role::Debugger),
            Due::Lead => Some(Role::RefinementLead),
            Due::Capture => Some(Role::Learner),
            Due::Nothing | Due::Memory | Due::Look | Due::Swarm => None,
        }
    }
}

/// The most decisions of the user that are kept.
pub(super) const MOST_SAID: usize = 200;
/// The most decisions of executors, and the most concerns, that are kept.
pub(super) const MOST_NOTED: usize = 50;

/// Counters whose shares are told and confirmed.
pub(super) const SHARED_OUT: [Counter; 3] =
    [Counter::RoleRuns, Counter::Tokens, Counter::CostMicros];

impl State {
    /// What is due.
    pub(super) fn due(&self) -> Due {
        let core = &self.core;
        if core.learnings.is_none() {
            return Due::Memory;
        }
        if !core.planned {
            return Due::Plan;
        }
        if self.blocks.live().any(|block| block.status == BlockStatus::Debugging) {
            return Due::Debug;
        }
        if !self.is_behind() && self.ready().next().is_some() {
            return Due::Execute;
        }
        if !core.gaps.is_empty() {
            return Due::Gaps;
        }
        match self.is_behind() {
            false => self.due_in_wave(),
            true => self.due_behind_waves(),
        }
    }

    fn due_in_wave(&self) -> Due {
        let executed = || self.blocks.live().filter(|block| block.status == BlockStatus::Executed);
        let at_work = |block: &Block| block.status != BlockStatus::Executed && !self.waits(block);
        let at_work = self.blocks.live().any(at_work);
        // What waits for something that is executed is not begun before that is judged.
        let waiting = |block: &Block| block.status == BlockStatus::Pending && !self.waits(block);
        let waiting = self.wave_blocks().any(waiting);
        if at_work
            || waiting
            || !executed().any(|block| !block.criteria.iter().all(|one| one.settled()))
        {
            return Due::Nothing;
        }
        self.look_or(Due::Verify)
    }

    /// First the artifacts are looked at, then somebody judges.
    fn look_or(&self, then: Due) -> Due {
        let ordinal = self.core.life.seen.as_ref().map(|seen| seen.ordinal);
        let looked = self.core.verification.looked_at == ordinal && ordinal.is_some();
        match looked || super::artifact::paths(self).is_empty() {
            true => then,
            false => Due::Look,
        }
    }

    /// All waves are over: everything is looked at again.
    pub(super) fn is_behind(&self) -> bool {
        self.core.wave >= self.core.waves.len()
    }

    /// Rounds of gap closure, and how many there may be: of the present wave, or behind all.
    pub(super) fn rounds(&self) -> (u32, u32) {
        match self.is_behind() {
            false => (self.core.gap_rounds, self.core.gap_limit),
            true => (self.core.patrol_rounds, self.core.patrol_limit),
        }
    }

    fn due_behind_waves(&self) -> Due {
        let core = &self.core;
        if self.patrol_due() {
            return self.look_or(Due::Patrol);
        }
        if let Some(refinement) = core.refinement.as_ref().filter(|one| !one.planned) {
            if refinement.needs_lead() {
                return Due::Lead;
            }
            if refinement.due().next().is_some() {
                return Due::Swarm;
            }
        }
        match core.settings.capture && !core.captured && self.blocks.count("verified") > 0 {
            true => Due::Capture,
            false => Due::Nothing,
        }
    }

    /// Whether something that was verified was not shown at the present head.
    fn patrol_due(&self) -> bool {
        let ordinal = self.core.life.seen.as_ref().map(|seen| seen.ordinal);
        let shown = self.core.patrol.as_ref().map(|patrol| patrol.ordinal);
        self.core.life.skip_verification.is_none()
            && shown != ordinal
            && self.to_patrol().next().is_some()
    }

    /// Closed blocks with something that was verified.
    pub(super) fn to_patrol(&self) -> impl Iterator<Item = &Block> {
        let closed = self.blocks.iter().filter(|block| block.status == BlockStatus::Verified);
        closed.filter(|block| block.judged())
    }

    /// What of a closed block changed after it was verified: its files, by its plan and by what its executor named.
    pub(super) fn changed_since(&self, block: &Block) -> Vec<String> {
        let after = |path: &str| {
            self.touches.get(path).is_some_and(|ordinal| ordinal > block.verified_ordinal)
        };
        let named: BTreeSet<String> = block
            .paths
            .iter()
            .cloned()
            .chain(block.plan.files_modified.iter().map(|one| normal(one)))
            .collect();
        named.into_iter().filter(|path| after(path)).collect()
    }

    /// Blocks that were verified and that somebody changed since, with what; none where everything is judged anyway.
    pub(super) fn written_over(&self) -> Vec<(&Block, Vec<String>)> {
        if self.is_behind() {
            return Vec::new();
        }
        let all = self.to_patrol().map(|block| (block, self.changed_since(block)));
        all.filter(|(_, paths)| !paths.is_empty()).collect()
    }

    /// The blocks whose must-haves are judged next: those executed, or on patrol those that are closed.
    pub(super) fn to_judge(&self) -> Vec<&Block> {
        let executed: Vec<&Block> =
            self.blocks.live().filter(|block| block.status == BlockStatus::Executed).collect();
        match executed.is_empty() {
            false => executed,
            true => self.to_patrol().collect(),
        }
    }

    /// Blocks of the present wave, in order.
    pub(super) fn wave_blocks(&self) -> impl Iterator<Item = &Block> {
        let ids = self.core.waves.get(self.core.wave).map(Vec::as_slice).unwrap_or_default();
        ids.iter().filter_map(|id| self.blocks.get(id))
    }

    /// Blocks of the present wave that may be executed, whoever is at work.
    pub(super) fn ready(&self) -> impl Iterator<Item = &Block> {
        // A block with an architectural change waits until the user has spoken.
        let decided = |block: &&Block| super::block::undecided(block).next().is_none();
        let begins = move |block: &&Block| match block.status {
            BlockStatus::Pending | BlockStatus::Retry => self.may_begin(block),
            _ => false,
        };
        self.wave_blocks().filter(decided).filter(begins)
    }

    /// Whether everything a block waits for is through, each time somebody is sent for it.
    pub(super) fn may_begin(&self, block: &Block) -> bool {
        let through =
            |id: &String| self.blocks.get(id).is_some_and(|one| self.is_through(one, block));
        block.depends_on.iter().all(through)
            && (!self.opened_again() || self.open_before(block).is_empty())
    }

    /// Whether a block is to be begun, or retried, and waits for another.
    pub(super) fn waits(&self, block: &Block) -> bool {
        matches!(block.status, BlockStatus::Pending | BlockStatus::Retry) && !self.may_begin(block)
    }

    /// Whether one block is as far as another that waits for it needs it: closed. A block that closes a gap goes on
    /// from the executed blocks of its wave, since none of them is closed before the gap is.
    fn is_through(&self, one: &Block, waiting: &Block) -> bool {
        let beside = one.wave == waiting.wave && one.status == BlockStatus::Executed;
        one.status.satisfies() || (beside && waiting.plan.gap_closure)
    }

    /// Whether something that was closed may have been opened since.
    fn opened_again(&self) -> bool {
        let core = &self.core;
        core.counts.reopened > 0 || core.patrol_rounds > 0 || !core.gone.is_empty()
    }

    /// The dependencies of a block that are not through. A closed block depends on closed blocks, unless something was
    /// reopened: then the dependencies of closed ones count as well, up to those that were skipped.
    pub(super) fn open_before(&self, block: &Block) -> Vec<&Block> {
        let deep = self.opened_again() && !block.plan.gap_closure;
        let (mut open, mut known) = (Vec::new(), BTreeSet::new());
        let mut next: Vec<&String> = block.depends_on.iter().collect();
        while let Some(id) = next.pop() {
            let Some(one) = self.blocks.get(id).filter(|_| known.insert(id)) else { continue };
            if !self.is_through(one, block) {
                open.push(one);
            } else if deep && one.status == BlockStatus::Verified {
                next.extend(&one.depends_on);
            }
        }
        open
    }

    /// Whether two blocks change one file, or one of them a folder that has files of the other.
    pub(super) fn overlap(one: &Block, other: &Block) -> bool {
        let mine = &one.plan.files_modified;
        one.id != other.id
            && other.plan.files_modified.iter().any(|path| mine.iter().any(|own| meets(path, own)))
    }

    /// Items with a run in the outbox, alive, or ended and not judged.
    pub(super) fn taken(&self, head: &Head) -> BTreeSet<String> {
        let spawns = crate::mission::check::spawns(head);
        let ordered = spawns.filter_map(|(spawn, _)| spawn.item.clone());
        let ended = self.core.life.ended.iter().map(|ended| ended.run.item.clone());
        ordered.chain(ended).chain(self.core.life.runs.iter().map(|run| run.item.clone())).collect()
    }

    /// The fault that a run of this role has to correct.
    pub(super) fn correction(&self, role: Role, item: &str) -> Option<&Correction> {
        self.core.life.correction(role.as_str(), &self.step(role.as_str(), item))
    }

    /// The number of the present wave, from 1.
    pub(super) fn wave_number(&self) -> u32 {
        u32::try_from(self.core.wave.saturating_add(1)).unwrap_or(u32::MAX)
    }

    /// The head in words.
    pub(super) fn head_word(&self) -> String {
        self.core.life.head_word().to_owned()
    }

    /// Whether what was verified about a block may no longer hold at the present head.
    pub(super) fn is_stale(&self, block: &Block) -> bool {
        // Which files a must-have rests on only its executor said: any other head is another one.
        self.core.life.seen.as_ref().is_none_or(|seen| block.verified_ordinal != seen.ordinal)
    }

    /// A block has another state now.
    pub(super) fn set_status(&mut self, id: &str, status: BlockStatus) {
        let was = self.blocks.get(id).map(|block| block.status);
        if was == Some(BlockStatus::Active) {
            self.touch_programs();
        }
        self.blocks.change(id, |block| {
            block.status = status;
            if status != BlockStatus::Checkpoint {
                block.asked.clear();
            }
        });
        self.touch_state();
    }

    /// The scratchpad says who is at work, once it is there.
    pub(super) fn touch_programs(&mut self) {
        if self.core.life.files.known.contains_key(files::SCRATCHPAD) {
            self.core.life.files.touch(files::SCRATCHPAD);
        }
    }

    /// The state file has another content now.
    pub(super) fn touch_state(&mut self) {
        self.core.life.files.touch(files::STATE);
    }

    /// Whether a share of a budget asks for a word of the user before anything more is spent.
    pub(super) fn beyond(&self, budget: &Budget, counter: Counter) -> bool {
        let account = budget.account(counter);
        let share = account.spent.saturating_mul(100)
            >= account.limit.saturating_mul(self.core.settings.confirm_percent);
        share
            && budget.left(counter) > 0
            && !self.core.confirmed.contains(&share_key(counter, account.limit))
    }

    /// Moves blocks into a new wave behind all others.
    pub(super) fn append_wave(&mut self, ids: &[String]) {
        let waves = Arc::make_mut(&mut self.core.waves);
        for wave in waves.iter_mut() {
            wave.retain(|id| !ids.contains(id));
        }
        waves.push(ids.to_vec());
        let number = u32::try_from(waves.len()).unwrap_or(u32::MAX);
        for id in ids {
            self.blocks.change(id, |block| block.wave = number);
        }
        self.touch_state();
    }

    /// A block that is taken up again joins the present wave.
    pub(super) fn join_wave(&mut self, id: &str) {
        let (place, number) = (self.core.wave, self.wave_number());
        let waves = Arc::make_mut(&mut self.core.waves);
        for wave in waves.iter_mut() {
            wave.retain(|one| one != id);
        }
        if let Some(wave) = waves.get_mut(place) {
            wave.push(id.to_owned());
        }
        self.blocks.change(id, |block| {
            (block.wave, block.attempts) = (number, 0);
            block.status = BlockStatus::Pending;
            block.put_off_with = false;
        });
        self.touch_state();
    }

    /// The step of a role came to something.
    pub(super) fn step_done(&mut self, role: Role, item: &str) {
        let step = self.step(role.as_str(), item);
        self.core.life.step_done(&step);
    }

    /// A decision of the user, in whole: the latest are kept.
    pub(super) fn said(&mut self, line: &str) {
        let list = &mut self.core.said;
        list.push(crate::vocab::text::one_line(line));
        let surplus = list.len().saturating_sub(MOST_SAID);
        list.drain(..surplus);
    }

    /// Something stands in the way: the user is told, and people find it again.
    pub(super) fn concern(&mut self, line: String) {
        State::note(&mut self.core.concerns, line.clone());
        self.core.life.files.say(Level::Warning, line);
    }

    /// The same, as a problem.
    pub(super) fn problem(&mut self, error: &Error) {
        State::note(&mut self.core.concerns, error.to_string());
        self.core.life.last_problem = Some(error.diagnostic());
    }

    /// Does all of it, or nothing.
    pub(super) fn whole<T>(&mut self, work: impl FnOnce(&mut State) -> Result<T>) -> Result<T> {
        let (mark, core) = (self.blocks.mark(), self.core.clone());
        work(self).inspect_err(|_| {
            self.blocks.rollback_to(mark);
            self.core = core;
        })
    }

    /// A decision or a concern that people should find again; bounded.
    pub(super) fn note(list: &mut Vec<String>, line: String) {
        list.push(crate::vocab::text::one_line(&line));
        let surplus = list.len().saturating_sub(MOST_NOTED);
        list.drain(..surplus);
    }
}

/// The key under which a share of a budget is remembered.
pub(super) fn share_key(counter: Counter, limit: u64) -> String {
    format!("{}:{limit}", counter.as_str())
}

/// Whether two paths are one file, or one of them a folder that has the other. A pattern counts as the folder it
/// begins in. Names that differ only in capitals are one file on some disks.
pub(super) fn meets(path: &str, other: &str) -> bool {
    let within = |path: &str, folder: &str| {
        let rest = path.strip_prefix(folder.trim_end_matches('/'));
        folder.is_empty() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    let (path, other) = (path.to_lowercase(), other.to_lowercase());
    let (path, other) = (folder_of(&path), folder_of(&other));
    within(path, other) || within(other, path)
}

/// What a pattern of paths surely lies in; a path without wildcards is that itself.
fn folder_of(path: &str) -> &str {
    match path.split_once(['*', '?', '[', '{']) {
        None => path,
        Some((before, _)) => before.rsplit_once('/').map_or("", |(folder, _)| folder),
    }
}
