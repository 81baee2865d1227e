//! What follows from the state as a whole after each fact: steps that need no run are passed, waves that are over are
//! closed, the user is asked what only the user can say, and the cluster ends.

use super::facts::FactName;
use super::queries::{Due, SHARED_OUT, share_key};
use super::report::{CheckpointType, WaveVerdict};
use super::role::Role;
use super::state::{Block, BlockStatus, Stamp, State, Topic, Verification, WaveRecord};
use super::{files, outcome, uncommitted};
use crate::mission::life;
use crate::mission::prelude::*;
use crate::mission::table;
use crate::vocab::ledger;
use crate::vocab::table::ids_of;

/// How often the checkpoints of one block are confirmed without a person.
const MOST_AUTOMATIC: usize = 5;

impl State {
    /// After each fact: pass the steps that need no run, close waves, raise the questions that follow from the
    /// state, end the cluster, and date the facts.
    pub(super) fn settle_all(&mut self, head: &Head) {
        if self.core.life.goes_on(head) {
            self.pass_automatically();
            outcome::let_go_with_gaps(self);
            self.advance();
            self.plan_fixes();
            self.tell_shares(head);
            self.raise(head);
            self.come_to_an_end();
        }
        files::refresh(self, head.at);
        let revision = self.core.life.files.known.get(files::STATE).map_or(0, |file| file.wanted);
        if self.core.stamp.revision != revision {
            self.core.stamp = Stamp { at: head.at, revision };
        }
        table::note_all::<_, FactName>(self, head);
    }

    /// In automatic mode what a person would only confirm is confirmed, and recorded as such.
    fn pass_automatically(&mut self) {
        if !self.core.settings.automatic {
            return;
        }
        let verify = |block: &&Block| {
            block.checkpoint.as_ref().is_some_and(|one| one.kind == CheckpointType::HumanVerify)
        };
        let waiting = self.blocks.live().filter(|block| block.status == BlockStatus::Checkpoint);
        let decided = |block: &&Block| super::block::undecided(block).next().is_none();
        // Who wants to be confirmed again and again needs somebody who looks.
        let seldom = |block: &&Block| {
            block.passed.iter().filter(|one| one.automatic).count() < MOST_AUTOMATIC
        };
        // Who found it wrong looks again.
        let unopposed = |block: &&Block| block.objections().next().is_none();
        for id in ids_of(waiting.filter(verify).filter(unopposed).filter(decided).filter(seldom)) {
            let words = "confirmed automatically; nobody looked";
            super::checkpoint::pass(self, &id, words, true, false);
        }
    }

    /// Closes waves that are over, one after the other.
    fn advance(&mut self) {
        let ended = self.core.life.ended.iter().map(|ended| &ended.run);
        // Those who judge a wave find it as it was.
        if self.core.life.runs.iter().chain(ended).any(|run| run.role == Role::Recognizer.as_str())
        {
            return;
        }
        while !self.is_behind() {
            self.put_off_dependants();
            self.let_go_unverified();
            let open = self
                .wave_blocks()
                .any(|block| !block.status.rests() && block.status != BlockStatus::Executed);
            if self.core.anomaly.is_some() || !self.core.gaps.is_empty() {
                return;
            }
            if open {
                return self.close_for_others();
            }
            let executed =
                ids_of(self.blocks.live().filter(|block| block.status == BlockStatus::Executed));
            let unsettled = |id: &String| {
                self.blocks
                    .get(id)
                    .is_some_and(|block| block.criteria.iter().any(|one| !one.settled()))
            };
            if executed.iter().any(unsettled) {
                return;
            }
            self.close_all(&executed);
            self.close_wave();
        }
    }

    fn close_all(&mut self, ids: &[String]) {
        let ordinal = self.core.life.ordinal();
        for id in ids {
            self.blocks.change(id, |block| {
                block.status = BlockStatus::Verified;
                block.verified_ordinal = ordinal;
            });
        }
    }

    /// What was judged and found in order is closed before its wave is, where others of the wave wait for it.
    fn close_for_others(&mut self) {
        if self.blocks.count(BlockStatus::Executed.as_str()) == 0 {
            return;
        }
        let waiting = self.wave_blocks().filter(|block| self.waits(block));
        let settled = |block: &&Block| {
            block.status == BlockStatus::Executed && block.criteria.iter().all(|one| one.settled())
        };
        let due = waiting.flat_map(|block| self.open_before(block)).filter(settled);
        let due: BTreeSet<String> = due.map(|block| block.id.clone()).collect();
        if !due.is_empty() {
            self.close_all(&due.into_iter().collect::<Vec<_>>());
            self.touch_state();
        }
    }

    fn close_wave(&mut self) {
        let wave = self.wave_number();
        let last = self.core.records.last().filter(|record| record.wave == wave).cloned();
        if last.is_none() {
            self.record(None, None);
            // "Nobody judged" takes the place of a verdict.
            self.core.life.files.touch(files::VERIFICATION);
        }
        files::archive(self, wave);
        let word = outcome::of_wave(self, self.core.records.last());
        self.core.life.files.say(Level::Info, format!("Wave {wave} is closed: {word}"));
        self.core.wave += 1;
        self.core.verification = Verification::default();
        self.core.gap_rounds = 0;
        self.core.gap_limit = self.core.settings.max_gap_rounds;
        self.touch_state();
    }

    /// Notes the verdict on the present wave; the last one counts.
    pub(super) fn record(&mut self, verdict: Option<WaveVerdict>, run: Option<EffectId>) {
        let wave = self.wave_number();
        self.core.records.retain(|record| record.wave != wave);
        let (commit, gap_rounds) = (self.head_word(), self.core.gap_rounds);
        self.core.records.push(WaveRecord { wave, verdict, run, commit, gap_rounds });
    }

    /// A block that waits for a deferred block is deferred as well.
    fn put_off_dependants(&mut self) {
        while self.blocks.count(BlockStatus::Deferred.as_str()) > 0 {
            let off = |block: &&Block| {
                let before = || self.open_before(block);
                self.waits(block) && before().iter().any(|one| one.status == BlockStatus::Deferred)
            };
            let next = self.wave_blocks().find(off).map(|block| block.id.clone());
            let Some(id) = next else { return };
            let text = format!("{id} waits for what was put off, and is put off");
            self.core.life.files.say(Level::Warning, text);
            self.blocks.change(&id, |block| block.put_off_with = true);
            self.set_status(&id, BlockStatus::Deferred);
        }
    }

    /// If verification was opted out, must-haves count as waived: by the plan with its reason, or by
    /// the user for the rest of the session.
    fn let_go_unverified(&mut self) {
        let session = self.core.life.skip_verification.clone();
        let due: Vec<(String, &str, String)> = self
            .blocks
            .live()
            .filter(|block| block.status == BlockStatus::Executed)
            .filter_map(|block| {
                let plan = block.plan.verify_reason.clone().filter(|_| !block.plan.verify);
                let by_plan = plan.map(|why| (block.id.clone(), "plan", why));
                by_plan.or_else(|| session.clone().map(|why| (block.id.clone(), "user", why)))
            })
            .collect();
        for (id, by, why) in due {
            self.blocks.change(&id, |block| ledger::waive_open(&mut block.criteria, by, &why));
        }
    }

    /// When the whole swarm is heard, its findings become waves of fixes, the worst first.
    fn plan_fixes(&mut self) {
        let behind = self.is_behind() && self.core.planned;
        let heard = self
            .core
            .refinement
            .as_ref()
            .is_some_and(|one| !one.planned && !one.needs_lead() && one.due().next().is_none());
        if behind && heard {
            super::planning::plan_fixes(self);
        }
    }

    /// Tells once that most of a budget is spent.
    fn tell_shares(&mut self, head: &Head) {
        for counter in SHARED_OUT {
            let account = head.budget.account(counter);
            let warn = self.core.settings.warn_percent;
            let share = account.spent.saturating_mul(100) >= account.limit.saturating_mul(warn);
            let key = share_key(counter, account.limit);
            if account.limit > 0 && share && !self.core.warned.contains(&key) {
                self.core.warned.insert(key);
                let text = format!(
                    "{} of {} of the budget {} are spent",
                    account.spent,
                    account.limit,
                    counter.as_str()
                );
                self.core.life.files.say(Level::Warning, text);
            }
        }
    }

    /// Questions that no single fact raises but the state as a whole. Failures come before checkpoints,
    /// and neither is asked while something of the wave can still be executed.
    fn raise(&mut self, head: &Head) {
        if !self.core.life.asking.is_empty() {
            return;
        }
        if let Some(trust) = super::declared::to_ask(self) {
            return self.core.life.ask(&trust);
        }
        if let Some(anomaly) = &self.core.anomaly {
            let text = anomaly.text.clone();
            return self.core.life.ask(&Topic::Anomaly { text });
        }
        let due = self.due();
        let runs = !matches!(due, Due::Nothing | Due::Memory | Due::Look);
        let beyond = SHARED_OUT.into_iter().find(|counter| self.beyond(&head.budget, *counter));
        if let (true, Some(counter)) = (runs, beyond) {
            let limit = head.budget.account(counter).limit;
            return self.core.life.ask(&Topic::Threshold { counter, limit });
        }
        if !self.core.life.at_rest() {
            return;
        }
        let (rounds, limit) = self.rounds();
        if due == Due::Gaps && rounds >= limit {
            let count = u32::try_from(self.core.gaps.len()).unwrap_or(u32::MAX);
            return self.core.life.ask(&Topic::GapsRemain { count });
        }
        if due != Due::Execute
            && let Some(topic) = self.stuck_or_checkpoint()
        {
            return self.core.life.ask(&topic);
        }
        let Some(seen) = self.core.life.seen.as_ref().filter(|seen| seen.fresh) else { return };
        // An executor may still have to tidy up after itself; when it is not due, nobody will.
        let mended = self.core.life.left_by_a_run && due == Due::Execute;
        if !(seen.dirty.is_empty() || mended && uncommitted::is_mended(self, &seen.dirty)) {
            let paths = seen.dirty.iter().map(|dirty| dirty.path.clone()).collect();
            match uncommitted::to_be_looked_at(self, &seen.dirty) {
                Some(block) => self.core.life.ask(&Topic::Checkpoint { block }),
                None => self.core.life.asking.push(life::Topic::DirtyTree { paths }),
            }
        }
    }

    fn stuck_or_checkpoint(&self) -> Option<Topic> {
        let of = |status| self.blocks.live().find(move |block| block.status == status);
        let open = |block: &&Block| !block.status.rests();
        let changed = |block: &Block| {
            let changes = super::block::listed(block);
            (!changes.is_empty()).then(|| Topic::Architecture { block: block.id.clone(), changes })
        };
        if let Some(topic) = self.wave_blocks().filter(open).find_map(changed) {
            return Some(topic);
        }
        if let Some(block) = of(BlockStatus::Stuck) {
            return Some(Topic::BlockFailed { block: block.id.clone() });
        }
        of(BlockStatus::Checkpoint).map(|block| Topic::Checkpoint { block: block.id.clone() })
    }

    /// The end: every wave over, nothing due, a clean tree at a head at which everything was shown.
    fn come_to_an_end(&mut self) {
        let core = &self.core;
        let fresh = core.life.seen.as_ref().is_some_and(|seen| seen.fresh && seen.dirty.is_empty());
        let rest = core.life.at_rest() && core.life.asking.is_empty();
        let over = core.planned && self.is_behind() && self.due() == Due::Nothing;
        if !(fresh && rest && over) {
            return;
        }
        if self.blocks.count("deferred") > 0 && !core.life.end_with_deferred {
            return self.core.life.asking.push(life::Topic::EndWithDeferred);
        }
        self.end();
        self.touch_state();
    }

    fn end(&mut self) {
        let kept = self.blocks.iter().filter(|block| block.status != BlockStatus::Deferred);
        let mut waived: Vec<String> =
            kept.flat_map(|block| ledger::waived(&block.id, &block.criteria)).collect();
        // A member of the swarm that was skipped is listed like a waived must-have.
        let skipped = self.core.refinement.iter().flat_map(|one| one.skipped.keys());
        waived.extend(skipped.map(|item| format!("refinement/{item}")));
        let deferred = self.blocks.iter().filter(|block| block.status == BlockStatus::Deferred);
        self.core.life.end(waived, ids_of(deferred));
    }
}
