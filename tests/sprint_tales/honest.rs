//! A world in which everybody does what they are asked to: agents that commit and say what they committed, verifiers
//! that find it, commands that hold. Who of several moves next is drawn from a seed.

use super::*;
use endstate::protocols::Mission;
use endstate::vocab::error::Kind;
use endstate::vocab::question::QuestionKind;
use std::collections::BTreeMap;

/// A sequence of numbers that a seed tells (an LCG; the upper bits are the good ones).
#[derive(Clone)]
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// A number below `sides`.
    pub fn roll(&mut self, sides: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % sides.max(1)
    }

    /// Whether something happens that happens once in `many` times.
    pub fn one_in(&mut self, many: usize) -> bool {
        self.roll(many) == 0
    }

    pub fn pick<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.roll(all.len())]
    }
}

/// What a mission is played with.
pub struct Honest {
    pub dice: Dice,
    /// The files that the runs of a sprint change; of a sprint that is not here, one of its own.
    pub files: BTreeMap<String, Vec<String>>,
    /// The commit that a run made.
    commits: BTreeMap<EffectId, String>,
    /// One in so many runs or commands does not go well; 0 for none.
    pub hiccups: usize,
    /// Several sprints of one unit were to be judged at once.
    pub together: bool,
}

impl Honest {
    pub fn new(seed: u64) -> Self {
        let (files, commits) = (BTreeMap::new(), BTreeMap::new());
        Honest { dice: Dice::new(seed), files, commits, hiccups: 0, together: false }
    }

    /// Plays until the mission stands still; answers with how many runs it took.
    pub fn play(&mut self, story: &mut Story) -> usize {
        let mut runs = 0;
        for _ in 0..2_000 {
            self.host(story);
            self.together |= judged_together(story);
            let pending = story.engine.pending();
            let spawns: Vec<_> = pending
                .iter()
                .filter_map(|one| match &one.effect.order {
                    Order::SpawnRole(spawn) => Some((one.effect.id, one.live(), spawn.clone())),
                    _ => None,
                })
                .collect();
            if spawns.is_empty() {
                return runs;
            }
            if self.hiccups > 0 && self.dice.one_in(20) {
                self.user(story);
                continue;
            }
            let (effect, live, spawn) = self.dice.pick(&spawns).clone();
            runs += usize::from(!live);
            self.moves(story, effect, live, &spawn);
        }
        panic!("it never ends: {:#?}", story.engine.why());
    }

    /// Host work, one piece after the other.
    fn host(&mut self, story: &mut Story) {
        for _ in 0..500 {
            let pending = story.engine.pending();
            let work = pending
                .iter()
                .find_map(|one| Some((one, story.world.perform(&story.engine, one)?)));
            let Some((one, mut fact)) = work else { return };
            if let (Fact::CommandExited(exited), true) = (&mut fact, self.hiccup()) {
                exited.status = Some(1);
                exited.output = format!("{} did not hold", one.effect.order.name());
            }
            story.fact(fact);
        }
        panic!("host work never ends: {:#?}", story.engine.pending());
    }

    /// The user does something that the mission may refuse, but never in a broken state; a pause ends at once.
    pub fn user(&mut self, story: &mut Story) {
        let Mission::Sprint(state) = &story.engine.snapshot().mission else { panic!("no sprints") };
        let ids: Vec<String> = state.sprints.iter().map(|sprint| sprint.id.clone()).collect();
        let (item, reason) = (self.dice.pick(&ids).clone(), "so".to_owned());
        let command = match self.dice.roll(8) {
            0 => Command::Pause,
            1 => Command::Stop { mode: StopMode::Drain },
            2 => Command::Kill,
            3 => Command::Skip { item, reason },
            4 => Command::Defer { item, reason },
            _ => Command::Reopen { item, reason },
        };
        for command in [command, Command::Resume] {
            let fact = Fact::UserCommanded(UserCommanded { id: None, command });
            if let Err(error) = story.try_fact(fact) {
                assert_ne!(error.kind, Kind::Broken, "{error}");
            }
            self.host(story);
        }
    }

    /// Something is answered to what is asked; `false` if nothing is.
    pub fn answer(&mut self, story: &mut Story) -> bool {
        let Some((effect, question)) = story.question() else { return false };
        let answer = match &question.kind {
            QuestionKind::Choice { options } => {
                Answer::Choice { option: self.dice.pick(options).id.clone() }
            }
            QuestionKind::Confirmation => Answer::Confirmation { yes: true },
            QuestionKind::ManualStep { .. } => {
                Answer::ManualStep { done: true, note: String::new() }
            }
            QuestionKind::FreeText => Answer::Text { text: "so".to_owned() },
        };
        story.fact(Fact::QuestionAnswered(QuestionAnswered { effect, answer }));
        true
    }

    fn hiccup(&mut self) -> bool {
        self.hiccups > 0 && self.dice.one_in(self.hiccups)
    }

    /// A run is started, commits, or ends with its report.
    fn moves(
        &mut self,
        story: &mut Story,
        effect: EffectId,
        live: bool,
        spawn: &endstate::vocab::effect::SpawnRole,
    ) {
        let item = spawn.item.clone().unwrap();
        let agent = plain(&spawn.role) == "agent";
        if !live {
            story.fact(Fact::RunStarted(RunStarted { effect, session: None, confined: false }));
        } else if agent && !self.commits.contains_key(&effect) {
            let own = vec![format!("{item}.rs")];
            let files = self.files.get(&item).unwrap_or(&own).clone();
            let files: Vec<&str> = files.iter().map(String::as_str).collect();
            self.commits.insert(effect, story.world.commit(&files));
        } else {
            let text = match (agent, self.hiccup()) {
                (_, true) if self.dice.one_in(3) => "I have finished.".to_owned(),
                (true, hiccup) => self.says(story, effect, &item, hiccup),
                (false, hiccup) => judges(story, &item, hiccup),
            };
            let outcome = RunOutcome::Success;
            let (problem, usage) = (None, Usage::default());
            let lost = self.hiccup();
            story.fact(Fact::RunEnded(RunEnded {
                effect,
                outcome: if lost { RunOutcome::Lost } else { outcome },
                report: (!lost).then_some(text),
                problem,
                usage,
            }));
        }
    }

    fn says(&self, story: &Story, effect: EffectId, item: &str, partly: bool) -> String {
        let ids = judged_of(story, item);
        let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
        let mut block = match partly {
            true => says(item, "partial", &[]),
            false => says(item, "completed", &ids),
        };
        if partly {
            block["remaining"] = json!(["the rest"]);
        }
        block["findings"] = json!([format!("committed {}", self.commits[&effect])]);
        report(block)
    }
}

fn judges(story: &Story, item: &str, badly: bool) -> String {
    let ids = judged_of(story, item);
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    let bad = if badly { &ids[..ids.len().min(1)] } else { &[] };
    report(verdicts_on(item, &ids, bad))
}

/// The criteria of a sprint that no command shows.
fn judged_of(story: &Story, item: &str) -> Vec<String> {
    let Mission::Sprint(state) = &story.engine.snapshot().mission else { panic!("no sprints") };
    let sprint = state.sprints.get(item).unwrap();
    let all = sprint.criteria.iter().zip(&sprint.checks);
    all.filter(|(_, check)| **check == Check::Verifier).map(|(one, _)| one.id.clone()).collect()
}

fn judged_together(story: &Story) -> bool {
    let Mission::Sprint(state) = &story.engine.snapshot().mission else { panic!("no sprints") };
    let judged = state.sprints.iter().filter(|one| one.status.as_str() == "VERIFYING");
    let units: Vec<&String> = judged.map(|one| &one.unit).collect();
    units.iter().enumerate().any(|(place, unit)| units[..place].contains(unit))
}
