//! Criteria that cannot be met now: put to the coach once, then to the user.

use super::*;

pub const TALES: &[Tale] = &[
    tale(
        "blocked-and-confirmed",
        "A confirmed block is the user's; mended, the next turn goes on",
        mended,
    ),
    tale(
        "blocked-and-waived",
        "A confirmed block is let go and the task ends with a waiver",
        waived,
    ),
    tale("blocked-and-stopped", "The user ends the turns of a blocked task", stopped),
    tale("blocked-and-denied", "A denied block is feedback; insisted on, it is the user's", denied),
];

fn blocked_turn(story: &mut Story, turn: u32, confirmed: bool) {
    let mut claim = row("AC-002", "blocked");
    claim["evidence"] = json!("needs a key that is not here");
    play_rows(story, "T1", turn, vec![row("AC-001", "verified"), claim]);
    assert!(story.prompt().contains("AC-002: blocked"));
    let verdict = json!({"criterion_id": "AC-002", "player_status": "blocked", "coach_verified": false,
        "verification_method": "looked for the key", "discrepancy": "it is in the vault",
        "blocked": confirmed, "evidence": []});
    story.run(
        "coach",
        coach("T1", turn, "feedback", vec![check("AC-001", "verified", true), verdict]),
    );
}

fn mended() -> Story {
    let mut story = going(single());
    blocked_turn(&mut story, 1, true);
    assert_eq!(story.topic(), "blocked");
    assert_eq!(record(&story)["blocking_criteria"][0]["criterion_id"], "AC-002");
    story.choose("mended");
    assert!(story.prompt().contains("The user says that AC-002 can be met now"));
    turn(&mut story, "T1", 2, 2, &[]);
    done(&story);
    story
}

fn waived() -> Story {
    let mut story = going(single());
    blocked_turn(&mut story, 1, true);
    story.choose("waive");
    assert!(story.prompt().contains("[waived by the user]"));
    turn(&mut story, "T1", 2, 1, &[]);
    done(&story);
    assert_eq!(story.engine.view().end.unwrap().waived, ["T1/AC-002"]);
    story
}

fn stopped() -> Story {
    let mut story = going(single());
    blocked_turn(&mut story, 1, true);
    story.choose("stop");
    assert_eq!(story.engine.continuation(), Continuation::Blocked);
    assert_eq!(at(&story, "T1", "/play/stop"), "blocked");
    story
}

fn denied() -> Story {
    let mut story = going(single());
    blocked_turn(&mut story, 1, false);
    assert_eq!((story.topic().as_str(), story.due().as_str()), ("", "player"));
    blocked_turn(&mut story, 2, false);
    assert_eq!(story.topic(), "blocked");
    assert!(story.question().unwrap().1.text.contains("for the second time"));
    story
}
