//! Commands that run at the end only, one time: after every other has held, and never again.

use crate::common::*;
use endstate::Continuation;
use endstate::engine::{Config, Engine};
use endstate::mission::proof::ProofConfig;
use endstate::protocols::ProtocolConfig;
use endstate::snapshot::Snapshot;
use endstate::view::{How, Shown};
use endstate::vocab::effect::{Order, Outstanding};
use endstate::vocab::error::{Code, Error};
use endstate::vocab::event::*;
use endstate::vocab::json;
use endstate::vocab::role::Usage;
use serde_json::json;

fn argv(line: &str) -> Vec<String> {
    line.split(' ').map(str::to_owned).collect()
}

/// A mission of one slice that was judged, with its last run under way: what is left is its end.
fn judged(verification: &[&str], once: &[&str]) -> (Story, EffectId) {
    let mut mission = Story::small();
    mission.verification_commands = verification.iter().map(|line| argv(line)).collect();
    let once = once.iter().map(|line| argv(line)).collect();
    let proof = ProofConfig { once, ..ProofConfig::default() };
    let config = Config { proof, ..Config::new(ProtocolConfig::Completion(mission)) };
    let mut story = Story::start(&config, World::new());
    story.go();
    story.plan(&["S1"]);
    story.implement("S1");
    story.verify("S1");
    story.reconcile("S1", None);
    story.judge_all();
    let last = story.begin("regrounder");
    (story, last)
}

/// The room and the words of a command that is run in one.
fn in_room(order: &Order) -> Option<(String, String)> {
    let Order::RunCommand(command) = order else { return None };
    let room = command.room.as_ref()?;
    Some((room.name.clone(), command.argv.join(" ")))
}

/// Every command that was ordered in a room so far.
fn ordered(story: &Story) -> Vec<(String, String)> {
    let effects = story.taken.iter().flat_map(|(_, applied)| &applied.effects);
    effects.filter_map(|one| in_room(&one.order)).collect()
}

fn pairs(all: &[(&str, &str)]) -> Vec<(String, String)> {
    all.iter().map(|(room, line)| ((*room).to_owned(), (*line).to_owned())).collect()
}

/// To the end, where this command comes to what is said; a snapshot goes on alike once it was written and read.
fn ended(
    (mut story, last): (Story, EffectId),
    line: &str,
    comes: impl Fn(EffectId) -> CommandExited,
) -> (Story, Vec<Shown>) {
    let said = json!({
        "plan_basis": "all shown", "can_stop": true,
        "remaining_release_blockers": 0, "remaining_high_value_gaps": 0,
    });
    let (report, usage) = (Some(report(said)), Usage::default());
    let (outcome, problem) = (RunOutcome::Success, None);
    story.fact(Fact::RunEnded(RunEnded { effect: last, outcome, report, problem, usage }));
    for _ in 0..100 {
        let text = json::encode(story.engine.snapshot());
        story.engine = Engine::open(Snapshot::read(&text).unwrap()).unwrap();
        assert_eq!(json::encode(story.engine.snapshot()), text);
        let pending = story.engine.pending();
        let mut ours = pending
            .iter()
            .filter(|one| in_room(&one.effect.order).is_some_and(|(_, own)| own == line));
        let fact = match ours.next() {
            Some(Outstanding { effect, .. }) => Some(Fact::CommandExited(comes(effect.id))),
            None => pending.iter().find_map(|one| story.world.perform(&story.engine, one)),
        };
        match fact {
            Some(fact) => drop(story.fact(fact)),
            None => break,
        }
    }
    assert_eq!(story.engine.continuation(), Continuation::Done);
    let shown = story.engine.view().end.unwrap().shown;
    (story, shown)
}

fn holds(effect: EffectId) -> CommandExited {
    CommandExited::new(effect, Some(0), String::new())
}

/// How each criterion of the mission was shown.
fn of_mission(shown: &[Shown]) -> Vec<(&str, How)> {
    let own = shown.iter().filter(|one| one.item.is_empty());
    own.map(|one| (one.criterion.as_str(), one.how)).collect()
}

#[test]
fn it_runs_one_time_after_all_others_have_held() {
    let begun = judged(&["make test"], &["make deploy", "make announce"]);
    let (story, shown) = ended(begun, "make deploy", holds);
    let expected = [
        ("0", "make test"),
        ("1", "make test"),
        ("2", "make test"),
        ("2", "make deploy"),
        ("2", "make announce"),
    ];
    assert_eq!(ordered(&story), pairs(&expected));
    let observed = |name| (name, How::Observed);
    let all = ["verification command", "once 1", "once 2"].map(observed);
    let own = of_mission(&shown);
    assert!(all.iter().all(|one| own.contains(one)), "{shown:?}");
}

#[test]
fn it_alone_needs_one_room() {
    let (story, shown) = ended(judged(&[], &["make deploy"]), "make deploy", holds);
    assert_eq!(ordered(&story), pairs(&[("2", "make deploy")]));
    assert_eq!(of_mission(&shown), [("once 1", How::Observed)]);
}

#[test]
fn where_another_does_not_hold_it_does_not_run() {
    let mut begun = judged(&["make test"], &["make deploy"]);
    begun.0.world.exits.insert("proof 1".to_owned(), (Some(1), String::new()));
    let (story, shown) = ended(begun, "make deploy", holds);
    assert_eq!(ordered(&story), pairs(&[("0", "make test"), ("1", "make test")]));
    let own = shown.iter().find(|one| one.criterion == "once 1").unwrap();
    assert_eq!((own.how, own.enough), (How::Claimed, false));
    assert!(own.by.contains("was not run in a room"), "{}", own.by);
}

#[test]
fn what_failed_or_was_lost_is_not_tried_again_and_lets_nothing_follow() {
    let lost = |effect| {
        let lost = Error::new(Code::RunLost, "make", "its exit status", "none").diagnostic();
        CommandExited::unknown(effect, lost)
    };
    let failed = |effect| CommandExited::new(effect, Some(2), "no such host".to_owned());
    let ways: [fn(EffectId) -> CommandExited; 2] = [lost, failed];
    for comes in ways {
        let begun = judged(&[], &["make deploy", "make announce"]);
        let (story, shown) = ended(begun, "make deploy", comes);
        assert_eq!(ordered(&story), pairs(&[("2", "make deploy")]));
        let claimed = |name| (name, How::Claimed);
        assert_eq!(of_mission(&shown), ["once 1", "once 2"].map(claimed));
    }
}

#[test]
fn what_may_change_more_than_a_room_is_named_unless_it_runs_once() {
    let named = |verification: &[&str], once: &[&str]| {
        let mut mission = Story::small();
        mission.verification_commands = verification.iter().map(|line| argv(line)).collect();
        let once = once.iter().map(|line| argv(line)).collect();
        let proof = ProofConfig { once, ..ProofConfig::default() };
        let config = Config { proof, ..Config::new(ProtocolConfig::Completion(mission)) };
        let all = Engine::start(&config, 0).unwrap().0.dangerous_commands();
        all.into_iter().collect::<Vec<_>>()
    };
    let lines =
        ["make test", "npm publish", "./ops/Deploy.sh", "docker-compose down", "make countdown"];
    assert_eq!(
        named(&lines, &["make deploy"]),
        ["./ops/Deploy.sh", "docker-compose down", "npm publish"]
    );
    assert_eq!(named(&lines[..2], &["npm publish"]), [""; 0]);
}
