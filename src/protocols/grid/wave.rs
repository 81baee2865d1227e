//! Verdicts: they close must-haves or leave gaps.
//!
//! The engine computes the verdict; the recognizer's word is an input. `CLEAR` over a must-have that is not
//! shown, or over an artifact that the host saw is a stub, is overruled and the record says so.

use super::report::{GapForm, RecognizerReport, WaveVerdict};
use super::state::{Anomaly, BlockStatus, Gap, Patrol, State, Verification};
use super::{anomaly, files, gaps, outcome};
use crate::mission::prelude::*;
use crate::vocab::ledger::{self, Judgement};
use crate::vocab::verdict::Verdict;

/// The most gaps that are kept.
pub(super) const MOST_GAPS: usize = 200;

/// Takes the verdict of a recognizer, on a wave or on patrol.
///
/// # Errors
/// `unknown_item`, `unknown_criterion`, `duplicate_id`, `own_verdict`, `missing_field` for a row that says
/// not how, `inconsistent_verdict` for `GAPS_FOUND` over nothing; nothing is changed then.
pub(super) fn verified(state: &mut State, run: &Run, report: &RecognizerReport) -> Result<()> {
    let ids: Vec<String> = state.to_judge().iter().map(|block| block.id.clone()).collect();
    let patrol = state.is_behind();
    let (mut judgements, mut idle) = (Vec::new(), Vec::new());
    known_blocks(state, report, &ids)?;
    for id in &ids {
        let Some(block) = state.blocks.get(id) else { continue };
        let rows = report.verdicts.iter().filter(|row| row.block == *id);
        let verdicts: Vec<Verdict> = rows.map(Verdict::from).collect();
        if !verdicts.is_empty() && block.worked_on_by(&run.by) {
            let at = format!("verdicts of {id}");
            let got = format!("run {} of a session that worked on {id}", run.by.run);
            return Err(Error::new(Code::OwnVerdict, at, "a run of another session", got));
        }
        ledger::check_verdicts(&block.criteria, &verdicts, &run.by)
            .map_err(|error| error.within(&format!("verdicts of {id}")))?;
        let mut verdicts = with_looks(state, id, verdicts);
        idle.extend(gaps::by_nothing(state, id, &mut verdicts));
        judgements.push((
            id.clone(),
            Judgement {
                by: run.by.clone(),
                commit: state.head_word(),
                verdicts,
                must_fix: Vec::new(),
            },
        ));
    }
    let offered = gaps::offered(state, report, &anomaly::of(state, report, &ids));
    state.core.warmth.merge(&report.lessons_learned);
    // A person decides on an anomaly; until then nothing else in its report counts.
    let counts = report.verdict != WaveVerdict::CriticalAnomaly;
    for (id, judgement) in judgements.iter().filter(|_| counts) {
        settle(state, id, judgement, patrol);
    }
    conclude(state, run, report, &ids, patrol)?;
    if counts {
        gaps::shown(state, &ids, run);
        gaps::tell(state, &offered);
        gaps::unmoved(state, &idle);
    } else {
        anomaly::keep(state, report, &offered);
    }
    Ok(())
}

/// Every row is about a block that is judged now.
fn known_blocks(state: &State, report: &RecognizerReport, ids: &[String]) -> Result<()> {
    let Some(row) = report.verdicts.iter().find(|row| !ids.contains(&row.block)) else {
        return Ok(());
    };
    let mut expected = format!("one of {}", ids.join(", "));
    // What an earlier wave closed is judged at the end; what is seen of it before is not lost.
    if state.blocks.get(&row.block).is_some_and(|block| block.status.satisfies()) {
        expected.push_str(&format!(
            "; what does not hold any more of {} is no row but a gap: name its block, the must-have and the reason in `gaps`, \
             with GAPS_FOUND",
            row.block
        ));
    }
    Err(Error::new(Code::UnknownItem, "verdicts", expected, &row.block))
}

/// The host's look counts in addition to the recognizer's report: a stub is a stub whatever is said of it.
fn with_looks(state: &State, id: &str, mut verdicts: Vec<Verdict>) -> Vec<Verdict> {
    let Some(block) = state.blocks.get(id) else { return verdicts };
    for criterion in &block.criteria {
        let look = state.core.verification.mechanical.get(&format!("{id}/{}", criterion.id));
        let Some(look) = look.filter(|look| look.refutes()) else { continue };
        let said = verdicts.iter().position(|verdict| verdict.criterion == criterion.id);
        if said.is_some_and(|place| verdicts[place].finding == Finding::DoesNotHold) {
            continue;
        }
        if let Some(place) = said {
            verdicts.remove(place);
        }
        let note = format!("the host looked: {}", look.line());
        verdicts.push(Verdict {
            criterion: criterion.id.clone(),
            finding: Finding::DoesNotHold,
            method: note.clone(),
            evidence: vec![crate::vocab::evidence::Evidence::Manual { note }],
        });
    }
    verdicts
}

/// Enters the verdicts on one block. On patrol what was verified must be shown again if it went stale.
fn settle(state: &mut State, id: &str, judgement: &Judgement, patrol: bool) {
    let Some(block) = state.blocks.get(id) else { return };
    let stale = patrol && state.is_stale(block);
    let ordinal = state.core.life.ordinal();
    let run = judgement.by.run;
    state.blocks.change(id, |block| {
        ledger::settle(&mut block.criteria, &[judgement], &judgement.commit);
        let mut lost = false;
        for criterion in &mut block.criteria {
            let found = ledger::finding(judgement, &criterion.id);
            let gone = match found {
                Finding::DoesNotHold => true,
                Finding::NotShown => stale,
                Finding::Holds => false,
            };
            if criterion.verified() && gone {
                let row = judgement.verdicts.iter().find(|one| one.criterion == criterion.id);
                let why =
                    row.map_or("not shown again at this head".to_owned(), |row| row.method.clone());
                criterion.state = CriterionState::Rejected { run, why };
                lost = true;
            }
        }
        if patrol && !lost {
            block.verified_ordinal = ordinal;
        }
        if patrol && lost {
            block.status = BlockStatus::Executed;
        }
    });
    if stale {
        let judgement = std::slice::from_ref(&judgement);
        state.blocks.change(id, |block| {
            ledger::renew(&mut block.criteria, judgement, &judgement[0].commit);
        });
    }
}

/// What the verdict comes to.
fn conclude(
    state: &mut State,
    run: &Run,
    report: &RecognizerReport,
    ids: &[String],
    patrol: bool,
) -> Result<()> {
    let mut gaps = match report.verdict {
        // What the rows would have settled is open; what they doubt, and what was named, is a gap.
        WaveVerdict::CriticalAnomaly => anomaly::gaps(state, report),
        WaveVerdict::Clear | WaveVerdict::GapsFound => not_shown(state, report, ids),
    };
    let (clear, mut gone) = (gaps.is_empty(), doubted_gone(state, report));
    if report.verdict == WaveVerdict::Clear && !clear {
        overrule(state, &format!("CLEAR over {}", gaps[0].name()));
    }
    if report.verdict == WaveVerdict::GapsFound {
        let named = other_gaps(report, &gaps);
        let (named, open): (Vec<Gap>, Vec<Gap>) =
            named.into_iter().partition(|gap| outcome::has_let_go(state, gap));
        gone.retain(|gap| named.iter().all(|one| one.name() != gap.name()));
        gone.extend(named);
        gaps.extend(open);
        if gaps.is_empty() && gone.is_empty() {
            // A no is never turned into a yes, and nobody can close a gap that nobody names.
            let (expected, got) = ("the gaps that were found", "GAPS_FOUND without a gap");
            return Err(Error::new(Code::InconsistentVerdict, "gaps", expected, got));
        }
    }
    gone.iter().for_each(|gap| outcome::seen_again(state, gap, run.by.run));
    let beyond = gaps.len().saturating_sub(MOST_GAPS);
    if beyond > 0 {
        let text = format!(
            "{beyond} gaps beyond {MOST_GAPS} are not told: they are found again when those are closed"
        );
        State::note(&mut state.core.concerns, text);
    }
    gaps.truncate(MOST_GAPS);
    let verdict = match report.verdict {
        WaveVerdict::CriticalAnomaly => WaveVerdict::CriticalAnomaly,
        WaveVerdict::Clear | WaveVerdict::GapsFound if gaps.is_empty() => WaveVerdict::Clear,
        WaveVerdict::Clear | WaveVerdict::GapsFound => WaveVerdict::GapsFound,
    };
    if !patrol {
        state.record(Some(verdict), Some(run.by.run));
    }
    files::verified(state, verdict, patrol);
    state.core.verification = Verification::default();
    state.core.gaps = gaps;
    match verdict {
        WaveVerdict::Clear if patrol => {
            let ordinal = state.core.life.ordinal();
            state.core.patrol = Some(Patrol { run: run.by.run, ordinal, head: state.head_word() });
        }
        WaveVerdict::Clear => {}
        WaveVerdict::GapsFound => found(state, patrol),
        WaveVerdict::CriticalAnomaly => anomalous(state, report),
    }
    Ok(())
}

/// A person is asked about an anomaly, as often as it takes: see `raise`.
fn anomalous(state: &mut State, report: &RecognizerReport) {
    let text = anomaly::text(report);
    let problem = Error::new(Code::CriticalAnomaly, "verification", "a wave in order", &text);
    state.core.life.last_problem = Some(problem.diagnostic());
    State::note(&mut state.core.concerns, format!("anomaly: {text}"));
    state.core.anomaly = Some(Anomaly { wave: state.core.wave, text });
}

/// What a report's rows say against must-haves that a person waived.
fn doubted_gone(state: &State, report: &RecognizerReport) -> Vec<Gap> {
    let doubts = report.verdicts.iter().filter(|row| row.doubts());
    let all = doubts.map(|row| {
        let (block, criterion) = (row.block.clone(), row.criterion.clone());
        let method = one_line(&row.method);
        let reason = match row.finding {
            Finding::Holds => format!("said to hold, on evidence that speaks against it: {method}"),
            Finding::DoesNotHold | Finding::NotShown => method,
        };
        Gap { block, criterion, reason }
    });
    all.filter(|gap| outcome::has_let_go(state, gap)).collect()
}

fn overrule(state: &mut State, why: &str) {
    state.core.counts.overruled += 1;
    state.core.life.files.say(Level::Warning, format!("The recognizer is overruled: {why}"));
}

fn found(state: &mut State, patrol: bool) {
    let name = if patrol { "patrol".to_owned() } else { format!("wave {}", state.wave_number()) };
    let first = state.core.gaps.first().map(Gap::name).unwrap_or_default();
    let got = format!("{} gaps, the first {first}", state.core.gaps.len());
    let problem = Error::new(Code::GapsFound, name, "every must-have shown", got);
    state.core.life.last_problem = Some(problem.diagnostic());
    state.core.life.files.say(Level::Warning, problem.to_string());
}

/// A gap for each must-have that is not settled.
fn not_shown(state: &State, report: &RecognizerReport, ids: &[String]) -> Vec<Gap> {
    let mut found = Vec::new();
    for block in ids.iter().filter_map(|id| state.blocks.get(id)) {
        for criterion in block.criteria.iter().filter(|one| !one.settled()) {
            let known = gaps::open(block).find(|one| one.criterion == criterion.id);
            let why = match (&criterion.state, known) {
                (CriterionState::Rejected { why, .. }, _) => why.clone(),
                (_, Some(told)) => told.reason.clone(),
                _ => unspoken(state, &block.id, &criterion.id),
            };
            let reason = said(report, &block.id, &criterion.id).unwrap_or(why);
            let reason = one_line(&reason);
            found.push(Gap { block: block.id.clone(), criterion: criterion.id.clone(), reason });
        }
    }
    found
}

/// Why a must-have is open if no row is about it, or none that is good enough.
fn unspoken(state: &State, block: &str, criterion: &str) -> String {
    match state.core.verification.mechanical.get(&format!("{block}/{criterion}")) {
        Some(look) => format!("not shown; the host looked: {}", look.line()),
        None => "not shown".to_owned(),
    }
}

/// Everything a report says of the gap of a must-have, each once; `None` where it names none.
pub(super) fn said(report: &RecognizerReport, block: &str, criterion: &str) -> Option<String> {
    let about = |gap: &&GapForm| {
        gap.block.as_deref() == Some(block) && gap.criterion.as_deref() == Some(criterion)
    };
    let mut all: Vec<String> = Vec::new();
    for line in report.gaps.iter().filter(about).map(words) {
        if !all.contains(&line) {
            all.push(line);
        }
    }
    (!all.is_empty()).then(|| all.join("; and: "))
}

/// What a gap says, whole: how long it may be is the report's form to say.
pub(super) fn words(gap: &GapForm) -> String {
    one_line(&match gap.missing.is_empty() {
        true => gap.reason.clone(),
        false => format!("{}; missing: {}", gap.reason, gap.missing.join(", ")),
    })
}

/// Gaps the recognizer named that are no must-haves. They are closed like the others; the must-haves of the plans that
/// close them show that.
pub(super) fn other_gaps(report: &RecognizerReport, known: &[Gap]) -> Vec<Gap> {
    let all = report.gaps.iter().map(|gap| Gap {
        block: one_line(gap.block.as_deref().unwrap_or_default()),
        criterion: one_line(gap.criterion.as_deref().unwrap_or_default()),
        reason: words(gap),
    });
    all.filter(|gap| !known.iter().any(|one| one.name() == gap.name())).collect()
}
