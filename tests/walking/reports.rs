//! What roles may report in the walk: the good, the bad and the ugly, per role.

use super::explore::Node;
use crate::common::{MISSION, World, report};
use serde_json::{Value, json};

/// A run that ends with a report, and what it did to the world.
pub struct Said {
    pub label: String,
    pub world: World,
    pub text: String,
    /// Whether it changes the world in a way it should not have.
    pub wild: bool,
}

fn said(label: &str, world: &World, text: String) -> Said {
    Said { label: label.to_owned(), world: world.clone(), text, wild: false }
}

fn block(label: &str, world: &World, block: Value) -> Said {
    said(label, world, report(block))
}

pub fn slice(id: &str, after: &[&str]) -> Value {
    json!({
        "slice_id": id, "goal": format!("Do {id}"),
        "acceptance_criteria": ["AC-A: it works", "AC-B: it is tested"],
        "contract_ids": [format!("C-{id}")], "priority": 5, "why_now": "it is next",
        "blocked_on": after,
    })
}

fn ground(mut fields: Value) -> Value {
    let base = json!({
        "plan_basis": "read everything", "remaining_release_blockers": 0,
        "remaining_high_value_gaps": 0,
    });
    for (name, value) in base.as_object().unwrap() {
        fields.as_object_mut().unwrap().entry(name).or_insert(value.clone());
    }
    fields
}

/// Reports that cannot be read, whatever the role, and a right one of another mission.
fn unreadable(world: &World, right: &str) -> Vec<Said> {
    let good = report(json!({}));
    vec![
        said("no block", world, good.replace("```json", "```")),
        said("no header", world, "```json\n{}\n```".to_owned()),
        said("wrong anchor", world, right.replacen(MISSION, "Another mission.", 1)),
    ]
}

/// What the role that is alive may report. `every` asks for the whole catalogue.
pub fn reports(node: &Node, role: &str, every: bool) -> Vec<Said> {
    let mut all = match role {
        "completion-bootstrapper" => bootstrap(node, every),
        "completion-regrounder" => reground(node, every),
        "completion-implementer" => implement(node, every),
        "completion-reviewer" | "completion-auditor" => verify(node, role, every),
        _ => judge(node, every),
    };
    if every {
        let right = all.first().map(|first| first.text.clone()).unwrap_or_default();
        all.extend(unreadable(&node.world, &right));
        if role != "completion-implementer" {
            let mut world = node.world.clone();
            world.dirty.insert("src/S1.c".to_owned(), "d1".to_owned());
            let label = "touches the tree".to_owned();
            all.push(Said { label, world, text: right, wild: true });
        }
    }
    // What opens another plan is kept rare, or every combination of plans would be walked.
    let plans = ["add criterion", "let go of S2", "let go of S1/AC-B", "reopen S1"];
    all.iter_mut()
        .filter(|one| plans.contains(&one.label.as_str()))
        .for_each(|one| one.wild = true);
    all
}

fn bootstrap(node: &Node, every: bool) -> Vec<Said> {
    let good = json!({"mission": crate::common::MISSION, "docs_surfaces": ["README.md"],
                      "verification_commands": [["make", "test"]]});
    let mut all = vec![block("good", &node.world, good.clone())];
    if every {
        let mut other = good;
        other["mission"] = json!("Something else.");
        all.push(block("other mission", &node.world, other));
    }
    all
}

fn reground(node: &Node, every: bool) -> Vec<Said> {
    let world = &node.world;
    let say = |label: &str, fields: Value| block(label, world, ground(fields));
    let active = node.state().core.active.as_ref().map(|active| active.slice_id.clone());
    let id = active.unwrap_or("S1".to_owned());
    let decide = |decision: &str, findings: Value| json!({"slice_id": id, "decision": decision, "must_fix_findings": findings});
    let select = |id: &str| json!({"slice_id": id});
    let plan = json!([slice("S1", &[]), slice("S2", &["S1"])]);
    let mut all = vec![
        say("plan", json!({"slices": plan, "selected": select("S1")})),
        say("select S2", json!({"selected": select("S2")})),
        say("select S1", json!({"selected": select("S1")})),
        say("select none", json!({})),
        say("accept", json!({"reconciliation": decide("accepted", json!([]))})),
        say(
            "accept, select S2",
            json!({"reconciliation": decide("accepted", json!([])), "selected": select("S2")}),
        ),
        say("send back", json!({"reconciliation": decide("reopened", json!(["mend it"]))})),
        say(
            "reopen S1",
            json!({"reopened": [{"slice_id": "S1", "reason": "lost"}], "selected": select("S1"), "can_stop": false}),
        ),
        say("may stop", json!({"can_stop": true})),
        say("ask", json!({"question": {"text": "Which colour?"}, "can_stop": false})),
        say("block", json!({"blocked": "no network", "can_stop": false})),
    ];
    if every {
        all.extend(bad_grounds(&say, &decide));
    }
    all
}

fn bad_grounds(
    say: &dyn Fn(&str, Value) -> Said,
    decide: &dyn Fn(&str, Value) -> Value,
) -> Vec<Said> {
    let changed = |name: &str, value: Value| {
        let mut one = slice("S1", &[]);
        one[name] = value;
        json!({"slices": [one]})
    };
    let criteria = "acceptance_criteria";
    vec![
        say("send back for nothing", json!({"reconciliation": decide("reopened", json!([]))})),
        say(
            "decide on another",
            json!({"reconciliation": {"slice_id": "S9", "decision": "accepted"}}),
        ),
        say("select unknown", json!({"selected": {"slice_id": "S9"}})),
        say("plan without selection", json!({"slices": [slice("S1", &[]), slice("S2", &["S1"])]})),
        say("reword", changed(criteria, json!(["AC-A: it does something", "AC-B: it is tested"]))),
        say("drop criterion", changed(criteria, json!(["AC-A: it works"]))),
        say("no criteria", changed(criteria, json!([]))),
        say(
            "add criterion",
            changed(criteria, json!(["AC-A: it works", "AC-B: it is tested", "AC-C: it is fast"])),
        ),
        say("drop contract", changed("contract_ids", json!([]))),
        say("wrong rank", changed("priority", json!(9))),
        say("circle", json!({"slices": [slice("S1", &["S2"]), slice("S2", &["S1"])]})),
        say("twice", json!({"slices": [slice("S1", &[]), slice("S1", &[])]})),
        say("reopen open", json!({"reopened": [{"slice_id": "S2", "reason": "lost"}]})),
        say("reopen S1 for no reason", json!({"reopened": [{"slice_id": "S1", "reason": " "}]})),
        say("may stop with gaps", json!({"can_stop": true, "remaining_high_value_gaps": 2})),
        say("may not stop", json!({"can_stop": false})),
        say(
            "let go of S2",
            json!({"proposals": [{"slice_id": "S2", "reason": "not needed"}], "can_stop": false}),
        ),
        say(
            "let go of S1/AC-B",
            json!({"proposals": [{"slice_id": "S1", "criterion": "AC-B", "reason": "moot"}]}),
        ),
        say(
            "let go of nothing known",
            json!({"proposals": [{"slice_id": "S1", "criterion": "AC-9", "reason": "moot"}]}),
        ),
    ]
}

fn claim(id: &str, commit: &str, evidence: Value) -> Value {
    let one = |id: &str| json!({"criterion": id, "status": "complete", "evidence": evidence});
    json!({"slice_id": id, "outcome": "implemented", "commit_sha": commit,
           "claims": [one("AC-A"), one("AC-B")]})
}

fn shown() -> Value {
    json!([{"kind": "command", "command": "make test", "exit_status": 0}])
}

fn implement(node: &Node, every: bool) -> Vec<Said> {
    let Some(active) = node.state().core.active.as_ref() else { return Vec::new() };
    let id = active.slice_id.as_str();
    let path = format!("src/{id}.c");
    let mut done = node.world.clone();
    done.dirty.clear();
    let commit = done.commit(&[path.as_str()]);
    let mut all = vec![
        block("claim", &done, claim(id, &commit, shown())),
        block(
            "plan drift",
            &node.world,
            json!({"slice_id": id, "outcome": "plan_drift", "drift_facts": ["there is no door"]}),
        ),
        block(
            "blocked",
            &node.world,
            json!({"slice_id": id, "outcome": "blocked", "blocker": "no key"}),
        ),
    ];
    let head = node.world.head().unwrap_or_default();
    all.push(block("claim the head", &node.world, claim(id, &head, shown())));
    if every {
        all.extend(bad_claims(node, id, &done, &commit));
        all.extend(wild_claims(node, id));
    }
    all
}

/// Claims that are refused although the commit is there; the commit stays and may be claimed later.
fn bad_claims(node: &Node, id: &str, done: &World, commit: &str) -> Vec<Said> {
    let failed = json!([{"kind": "command", "command": "make test", "exit_status": 1}]);
    let with = |change: &dyn Fn(&mut Value)| {
        let mut said = claim(id, commit, shown());
        change(&mut said);
        said
    };
    let drift = json!({"slice_id": id, "outcome": "plan_drift"});
    let stuck = json!({"slice_id": id, "outcome": "blocked"});
    let nowhere = claim(id, &"0".repeat(40), shown());
    vec![
        block("no evidence", done, claim(id, commit, json!([]))),
        block("failed evidence", done, claim(id, commit, failed)),
        block("one claim", done, with(&|said| said["claims"] = json!([said["claims"][0]]))),
        block("unknown claim", done, with(&|said| said["claims"][1]["criterion"] = json!("AC-9"))),
        block("claim twice", done, with(&|said| said["claims"][1]["criterion"] = json!("AC-A"))),
        block("partial", done, with(&|said| said["claims"][0]["status"] = json!("partial"))),
        block("other slice", done, with(&|said| said["slice_id"] = json!("S9"))),
        block("no commit", &node.world, with(&|said| said["commit_sha"] = Value::Null)),
        block("commit of nowhere", &node.world, nowhere),
        block("drift without facts", &node.world, drift),
        block("blocked by nothing", &node.world, stuck),
    ]
}

/// Claims over a world that the implementer left in disorder.
fn wild_claims(node: &Node, id: &str) -> Vec<Said> {
    let mut all = Vec::new();
    let mut wild = |label: &str, change: &dyn Fn(&mut World) -> String| {
        let mut world = node.world.clone();
        let commit = change(&mut world);
        let text = report(claim(id, &commit, shown()));
        all.push(Said { label: label.to_owned(), world, text, wild: true });
    };
    wild("leaves dirt", &|world| {
        world.dirty.insert("notes.txt".to_owned(), "d2".to_owned());
        world.commit(&["src/S1.c"])
    });
    wild("commits only state", &|world| world.commit(&[".agent/README.md"]));
    wild("touches the other", &|world| world.commit(&["src/S1.c", "src/S2.c"]));
    wild(super::moves::REWRITES, &|world| {
        world.commits.clear();
        world.commit(&["rewritten.c"])
    });
    wild("touches the plan", &|world| {
        world.files.insert(".agent/plan.json".to_owned(), "{}".to_owned());
        world.commit(&["src/S1.c"])
    });
    all
}

fn verify(node: &Node, role: &str, every: bool) -> Vec<Said> {
    let Some(active) = node.state().core.active.as_ref() else { return Vec::new() };
    let commit = active.claim.as_ref().map(|claim| claim.commit.clone()).unwrap_or_default();
    let id = active.slice_id.as_str();
    let verdict = |id: &str, found: &str| json!({"criterion": id, "finding": found, "method": "ran it", "evidence": shown()});
    let good = || {
        let mut said = json!({
            "slice_id": id, "commit_sha": commit, "docs": "holds", "must_fix_findings": [],
            "acceptable": true, "verdicts": [verdict("AC-A", "holds"), verdict("AC-B", "holds")],
        });
        if role == "completion-auditor" {
            said["release_blocker_count"] = json!(0);
            said["high_value_gap_count"] = json!(0);
        }
        said
    };
    let with = |label: &str, changes: &[(&str, Value)]| {
        let mut said = good();
        changes.iter().for_each(|(name, value)| said[*name] = value.clone());
        block(label, &node.world, said)
    };
    let no = json!(["mend it"]);
    let mut all = vec![
        with("good", &[]),
        with(
            "refuse",
            &[
                ("acceptable", json!(false)),
                ("must_fix_findings", no.clone()),
                ("verdicts", json!([verdict("AC-A", "does_not_hold")])),
            ],
        ),
    ];
    if every {
        let unsure = json!([verdict("AC-A", "not_shown"), verdict("AC-B", "holds")]);
        let prose = json!([
            {"criterion": "AC-A", "finding": "holds", "method": "it is fine"},
            {"criterion": "AC-B", "finding": "holds", "method": "it is fine"},
        ]);
        let unknown = json!([verdict("AC-9", "holds")]);
        let twice = json!([verdict("AC-A", "holds"), verdict("AC-A", "holds")]);
        let blank = json!([{"criterion": "AC-A", "finding": "holds", "method": " "}]);
        all.extend([
            with("refuse without findings", &[("acceptable", json!(false))]),
            with(
                "refuse, all hold",
                &[("acceptable", json!(false)), ("must_fix_findings", no.clone())],
            ),
            with("accept with findings", &[("must_fix_findings", no)]),
            with("accept false docs", &[("docs", json!("not_shown"))]),
            with("accept unshown", &[("verdicts", unsure)]),
            with("accept by prose", &[("verdicts", prose)]),
            with("other commit", &[("commit_sha", json!("0"))]),
            with("other slice", &[("slice_id", json!("S9"))]),
            with("unknown criterion", &[("verdicts", unknown)]),
            with("verdict twice", &[("verdicts", twice)]),
            with("no method", &[("verdicts", blank)]),
        ]);
    }
    all
}

fn judge(node: &Node, every: bool) -> Vec<Said> {
    let head = node.world.head().unwrap_or_default();
    let verdict = |slice: &str, id: &str| {
        json!({"slice_id": slice, "criterion": id, "finding": "holds", "method": "ran it",
               "evidence": shown()})
    };
    let closed: Vec<Value> = ["S1", "S2"]
        .iter()
        .flat_map(|slice| ["AC-A", "AC-B"].map(|id| verdict(slice, id)))
        .collect();
    let word = |label: &str, head: &str, yes: bool, gaps: u32, reasons: Value, stale: Value| {
        block(
            label,
            &node.world,
            json!({"head_sha": head, "can_stop": yes, "blocker_count": 0,
                   "high_value_gap_count": gaps, "reasons": reasons, "stale_verdicts": stale}),
        )
    };
    let why = || json!(["looked"]);
    let mut all = vec![
        word("yes", &head, true, 0, why(), json!(closed)),
        word("no", &head, false, 1, json!(["no manual"]), json!([])),
    ];
    if every {
        all.extend([
            word("yes with gaps", &head, true, 1, why(), json!(closed)),
            word("no for no reason", &head, false, 1, json!([]), json!([])),
            word("yes without the stale", &head, true, 0, why(), json!([])),
            word("another head", "0", true, 0, why(), json!(closed)),
        ]);
    }
    all
}
