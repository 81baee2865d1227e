//! Drivers and agents of small missions of all five protocols are ended by SIGKILL at moments that a seed tells, and
//! driven on: each mission ends done, no work was committed twice, and of no run that ended well the report was lost.
//!
//! The agent (`random_kills/agent.sh`) believes what it is told: who is not told of a lost run's commit does it again.
//! By default two missions of each protocol; `ENDSTATE_KILL_ALL=1` plays ten. `js/tests/suites/node-random-kills.mjs` does
//! the same to the host for Node, with the same agent.

use crate::binary;
use crate::binary::{endstate, facts, git, kill, opened, processes, say};
use endstate::Continuation;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// A run waits more than it works.
const THREADS: usize = 4;
const KIT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/random_kills");
/// How each is begun, and the items whose work is done once.
const MISSIONS: [(&str, &[&str], &[&str]); 5] = [
    ("completion", &["run", "Two files say which they are"], &["S1", "S2"]),
    (
        "promise",
        &["run", "--protocol", "promise", "tasks/feature.yaml", "--test", "true"],
        &["T1", "T2"],
    ),
    ("sprint", &["run", "--protocol", "sprint", "--trust", "--poll", "1"], &["plan/1", "plan/2"]),
    ("grid", &["run", "--protocol", "grid", "plans"], &["01-01", "01-02", "01-03"]),
    ("iteration", &["run", "--protocol", "iteration", "agent.json"], &["one", "two"]),
];
/// What is answered where a step was lost too often.
const ANSWERS: [&str; 4] = ["retry", "again", "more", "accept"];

/// Numbers that a seed tells.
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % most
    }
}

struct Mission {
    root: PathBuf,
    line: Vec<String>,
    items: &'static [&'static str],
}

impl Mission {
    fn new(folder: &Path, seed: u64) -> Mission {
        let (name, line, items) = MISSIONS[usize::try_from(seed).unwrap() % MISSIONS.len()];
        let root = folder.join(format!("{name} {seed}"));
        binary::copy(&Path::new(KIT).join(name), &root);
        binary::repository(&root, &[]);
        let agent = format!("exec:sh {KIT}/agent.sh");
        let line = line.iter().copied().chain(["--agent", &agent, "--json"]).map(str::to_owned);
        Mission { root, line: line.collect(), items }
    }

    fn line(&self) -> Vec<&str> {
        self.line.iter().map(String::as_str).collect()
    }

    fn driver(&self) -> Child {
        let mut command = binary::command(&self.root, &self.line());
        command.current_dir(&self.root).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    }

    /// Ends agents, the driver, or both, again and again. Answers with how often.
    fn disturb(&self, dice: &mut Dice) -> usize {
        let mut kills = 0;
        for _ in 0..3 + dice.below(3) {
            let mut driver = self.driver();
            std::thread::sleep(Duration::from_millis(40 + dice.below(500)));
            let what = dice.below(3);
            if what > 0 {
                let agents = processes(&self.root);
                kills += agents.len();
                agents.into_iter().for_each(kill);
            }
            if what == 1 {
                std::thread::sleep(Duration::from_millis(dice.below(300)));
            }
            kills += usize::from(driver.try_wait().unwrap().is_none());
            driver.kill().unwrap();
            driver.wait().unwrap();
        }
        kills
    }

    /// Drives to the end, and answers what lost runs lead to.
    fn finish(&self, at: &str) {
        for _ in 0..8 {
            let mut command = binary::command(&self.root, &self.line());
            let said = binary::said(command.current_dir(&self.root));
            if said.status == Some(0) {
                return;
            }
            let answers = |word: &&str| endstate(&self.root, &["answer", word]).status == Some(0);
            assert_eq!(said.status, Some(10), "{at}: {said:#?}");
            assert!(ANSWERS.iter().any(answers), "{at}: nobody knows an answer: {said:#?}");
        }
        panic!("{at}: asked again and again");
    }

    fn check(&self, at: &str) {
        assert_eq!(opened(&self.root).engine.continuation(), Continuation::Done, "{at}");
        let log = git(&self.root, &["log", "--format=%s"]);
        for item in self.items {
            let work = format!("work {item}");
            let times = log.lines().filter(|line| *line == work).count();
            assert_eq!(times, 1, "{at}: the work of {item} was committed {times} times:\n{log}");
        }
        let outcomes = self.outcomes(at);
        for run in fs::read_dir(self.root.join(".agent/endstate/runs")).unwrap().flatten() {
            let status = fs::read_to_string(run.path().join("status")).unwrap_or_default();
            let name = run.file_name().into_string().unwrap();
            if status == "0\n" {
                assert_eq!(
                    outcomes.get(&name).map(String::as_str),
                    Some("success"),
                    "{at}: run {name}"
                );
            }
        }
        assert_eq!(processes(&self.root), Vec::<u32>::new(), "{at}");
    }

    /// How each run ended; no run ends twice.
    fn outcomes(&self, at: &str) -> BTreeMap<String, String> {
        let mut all = BTreeMap::new();
        for fact in facts(&self.root).iter().filter(|fact| fact["type"] == "run_ended") {
            let of = |name: &str| fact["data"][name].as_str().unwrap().to_owned();
            assert_eq!(all.insert(of("effect"), of("outcome")), None, "{at}: {fact}");
        }
        all
    }
}

#[test]
fn missions_come_to_their_end_whoever_is_killed_and_do_no_work_twice() {
    let began = Instant::now();
    // In memory where there is such a place: SIGKILL does not care, and it is faster.
    let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
    // A mission that fails is left to be looked at.
    let folder = folder.keep();
    let many = if std::env::var_os("ENDSTATE_KILL_ALL").is_some() { 50 } else { 10 };
    let (next, kills) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let play = || {
        while let Some(seed) = Some(next.fetch_add(1, Ordering::SeqCst)).filter(|seed| *seed < many)
        {
            let seed = seed as u64;
            let mission = Mission::new(&folder, seed);
            let at = format!("seed {seed}, {}", mission.root.display());
            kills.fetch_add(mission.disturb(&mut Dice(seed)), Ordering::SeqCst);
            mission.finish(&at);
            mission.check(&at);
        }
    };
    std::thread::scope(|scope| {
        (0..THREADS).for_each(|_| drop(scope.spawn(play)));
    });
    let (kills, seconds) = (kills.into_inner(), began.elapsed().as_secs());
    say(&format!("random kills: {many} missions, {kills} processes killed, {seconds} s"));
    assert!(kills >= many * 2, "{kills} kills");
    fs::remove_dir_all(folder).unwrap();
}
