//! Planning: plans become waves, gaps become plans that close them, findings of the swarm become fixes.

use super::files;
use super::plan::{Front, MustHaves, Plan, of_front};
use super::refine::Merged;
use super::report::{Planned, PlannerReport, Priority, limits};
use super::start::enter;
use super::state::{Block, BlockStatus, Gap, State, Verification};
use crate::mission::prelude::*;

/// The most findings of the swarm that one plan fixes.
const MOST_FIXES: usize = 50;

/// Takes the plan of a cluster, or of its gaps.
///
/// # Errors
/// What of it does not fit together; nothing is changed then.
pub(super) fn planned(state: &mut State, report: &PlannerReport) -> Result<()> {
    totals(report)?;
    let closing = state.core.planned;
    let phase = state.blocks.iter().last().map(|block| block.plan.phase.clone());
    let mut plans = Vec::new();
    for (place, one) in report.plans.iter().enumerate() {
        let made = super::content::whole(one)
            .map(|one| plan(&one, phase.as_deref()))
            .map_err(|error| error.within(&format!("plans[{place}]")))?;
        plans.push(match closing {
            true => Plan { gap_closure: true, declared_wave: None, ..made },
            false => made,
        });
    }
    if closing {
        check_closes(state, &plans)?;
        check_judged(&plans)?;
    }
    let entered = enter(state, plans)?;
    if closing {
        check_waits(state, &entered.waves.concat())?;
    }
    state.core.warmth.merge(&report.lessons_learned);
    match closing {
        true => {
            let ids = entered.waves.concat();
            keep_in_sight(state, &ids);
            close_gaps(state, ids);
        }
        false => {
            disagreements(state, report, &entered.waves);
            if let Some(name) = &report.cluster {
                state.core.cluster = one_line(name);
            }
            state.core.waves = Arc::new(entered.waves);
            state.core.planned = true;
            let text = format!("{} plans in {} waves", state.blocks.len(), state.core.waves.len());
            state.core.life.files.say(Level::Info, text);
        }
    }
    state.touch_state();
    Ok(())
}

fn totals(report: &PlannerReport) -> Result<()> {
    let count = u32::try_from(report.plans.len()).unwrap_or(u32::MAX);
    if let Some(total) = report.total_blocks.filter(|total| *total != count) {
        let expected = format!("{count}, as many as there are plans");
        return Err(Error::new(Code::InvalidValue, "total_blocks", expected, total.to_string()));
    }
    let known: BTreeSet<&str> = report.plans.iter().map(|plan| plan.id.as_str()).collect();
    let mut named =
        report.wave_structure.iter().flat_map(|(wave, ids)| ids.iter().map(move |id| (wave, id)));
    ensure_none(named.find(|(_, id)| !known.contains(id.as_str())), |(wave, id)| {
        let at = format!("wave_structure.{wave}");
        Error::new(Code::UnknownItem, at, "the id of a plan", id)
    })
}

/// Where the planner's waves are not those of the dependencies, the dependencies win.
fn disagreements(state: &mut State, report: &PlannerReport, waves: &[Vec<String>]) {
    if let Some(total) =
        report.total_waves.filter(|total| usize::try_from(*total) != Ok(waves.len()))
    {
        let text = format!(
            "The planner says {total} waves; by their dependencies there are {}",
            waves.len()
        );
        state.core.life.files.say(Level::Warning, text);
    }
    for (wave, ids) in &report.wave_structure {
        let place =
            |id: &String| waves.iter().position(|wave| wave.contains(id)).map(|place| place + 1);
        for id in
            ids.iter().filter(|id| place(id).map(|place| place.to_string()).as_ref() != Some(wave))
        {
            let is = place(id).unwrap_or(0);
            let text = format!(
                "The planner puts {id} into wave {wave}; by its dependencies it is in {is}"
            );
            state.core.life.files.say(Level::Warning, text);
        }
    }
}

/// A plan with all that was said of it: what is said beside its front matter counts first.
fn plan(one: &Planned, phase: Option<&str>) -> Plan {
    let front = &one.frontmatter;
    let named = front.phase.as_deref().or(one.phase.as_deref()).or(phase);
    let phase = named.unwrap_or("01-cluster").to_owned();
    let said = |beside: &Vec<String>, front: &Vec<String>| {
        if beside.is_empty() { front.clone() } else { beside.clone() }
    };
    let front = Front {
        wave: one.wave.or(front.wave),
        depends_on: said(&one.depends_on, &front.depends_on),
        files_modified: said(&one.files_modified, &front.files_modified),
        autonomous: one.autonomous.or(front.autonomous),
        closes: said(&one.closes, &front.closes),
        ..front.clone()
    };
    let objective = one_line(one.objective.as_deref().unwrap_or_default());
    of_front(one.id.clone(), phase, &front, objective, one.content.clone())
}

/// Closure plans close gaps that there are.
fn check_closes(state: &State, plans: &[Plan]) -> Result<()> {
    let known: BTreeSet<String> = state.core.gaps.iter().map(Gap::name).collect();
    for (place, plan) in plans.iter().enumerate() {
        if let Some(odd) = plan.closes.iter().find(|name| !known.contains(*name)) {
            let at = format!("plans[{place}].closes");
            let expected = known.iter().cloned().collect::<Vec<_>>().join(", ");
            return Err(Error::new(Code::UnknownCriterion, at, format!("one of {expected}"), odd));
        }
    }
    Ok(())
}

/// What closes a gap is judged: a gap is not closed by leaving it out of sight.
fn check_judged(plans: &[Plan]) -> Result<()> {
    ensure_none(plans.iter().position(|plan| !plan.verify), |place| {
        let at = format!("plans[{place}].frontmatter.verify");
        Error::new(Code::InvalidValue, at, "true: what closes a gap is judged", "false")
    })
}

/// Closure plans wait for nothing that comes later, or they would never begin.
fn check_waits(state: &State, ids: &[String]) -> Result<()> {
    let beside = |id: &String| {
        ids.contains(id)
            || state.blocks.get(id).is_some_and(|one| {
                // What is not executed yet may wait for what is mended here.
                let here = one.wave == state.wave_number() && one.status == BlockStatus::Executed;
                here || one.status.satisfies()
            })
    };
    for block in ids.iter().filter_map(|id| state.blocks.get(id)) {
        if let Some(later) = block.depends_on.iter().find(|id| !beside(id)) {
            let at = format!("plans of {}: depends_on", block.id);
            let expected = "blocks of this wave that were executed, or closed ones";
            return Err(Error::new(Code::DependencyOpen, at, expected, later));
        }
    }
    Ok(())
}

/// A gap that is no open must-have of any block becomes one of the block that closes it: its executor and
/// the next recognizer are shown it, and it is judged like all others.
fn keep_in_sight(state: &mut State, ids: &[String]) {
    let open = |gap: &&Gap| {
        state.blocks.get(&gap.block).is_some_and(|block| {
            block.criteria.iter().any(|one| one.id == gap.criterion && !one.settled())
        })
    };
    let beside: Vec<Gap> = state.core.gaps.iter().filter(|gap| !open(gap)).cloned().collect();
    for gap in beside {
        let closes = |id: &&String| {
            let plan = state.blocks.get(id).map(|block| &block.plan);
            plan.is_some_and(|plan| plan.closes.contains(&gap.name()))
        };
        let Some(id) = ids.iter().find(closes).or(ids.first()) else { return };
        let head = state.head_word();
        state.blocks.change(id, |block| {
            let more = must_have(block, &gap);
            super::gaps::enter(
                block,
                &more.id,
                &gap.reason,
                &super::gaps::Offered::default(),
                &head,
            );
            block.criteria.push(more);
        });
    }
}

/// What a must-have says that is about a gap.
pub(super) fn gap_text(gap: &Gap) -> String {
    match gap.name().as_str() {
        "/" => format!("No gap any more: {}", gap.reason),
        name => format!("No gap any more ({name}): {}", gap.reason),
    }
}

/// A gap as one more must-have of a block.
pub(super) fn must_have(block: &Block, gap: &Gap) -> Criterion {
    let text = gap_text(gap);
    let known = block.criteria.iter().filter(|one| one.id.starts_with("GAP-")).count();
    Criterion::open(format!("GAP-{:03}", known + 1), text)
}

/// Closure plans join the present wave; after all waves they make a new one, with the blocks they fix.
fn close_gaps(state: &mut State, ids: Vec<String>) {
    state.core.counts.gap_rounds += 1;
    state.core.gaps.clear();
    state.core.verification = Verification::default();
    let behind = state.is_behind();
    let round = if behind { state.core.patrol_rounds } else { state.core.gap_rounds } + 1;
    for id in &ids {
        state.blocks.change(id, |block| block.round = round);
    }
    if behind {
        state.core.patrol_rounds += 1;
        let open: Vec<String> = state
            .blocks
            .live()
            .map(|block| block.id.clone())
            .filter(|id| !ids.contains(id))
            .collect();
        return state.append_wave(&[open, ids].concat());
    }
    state.core.gap_rounds += 1;
    let (wave, number) = (state.core.wave, state.wave_number());
    if let Some(wave) = Arc::make_mut(&mut state.core.waves).get_mut(wave) {
        wave.extend(ids.iter().cloned());
    }
    for id in &ids {
        state.blocks.change(id, |block| block.wave = number);
    }
}

/// The findings of the swarm become plans, and one wave for each priority, the worst first.
pub(super) fn plan_fixes(state: &mut State) {
    let Some(refinement) = state.core.refinement.as_mut() else { return };
    refinement.planned = true;
    let refinement = refinement.clone();
    for priority in [Priority::P0, Priority::P1, Priority::P2] {
        // The word in front keeps a title from being read as the label of a must-have.
        let truths: Vec<String> = refinement.of(priority).flat_map(mended).collect();
        let plans: Vec<Plan> = truths
            .chunks(MOST_FIXES)
            .enumerate()
            .map(|(place, truths)| fix(state, priority, place, truths))
            .collect();
        let ids: Vec<String> = plans.iter().map(|plan| plan.id.clone()).collect();
        if ids.is_empty() {
            continue;
        }
        match enter(state, plans).map(drop) {
            Ok(()) => state.append_wave(&ids),
            // What was found is never passed over in silence.
            Err(error) => state.core.life.blocked = Some(error.diagnostic()),
        }
    }
    state.core.life.files.touch(files::REFINEMENT_PLAN);
    state.touch_state();
}

/// A finding as a must-have; where more was said of it than one can hold, as one for each who spoke.
fn mended(one: &Merged) -> Vec<String> {
    let of = |words: &str| format!("Mended: {} ({}): {words}", one.title, one.place);
    let whole = of(&one.words());
    match whole.chars().count() > limits::MOST_MUST_HAVE {
        false => vec![whole],
        true => std::iter::once(&one.expected).chain(&one.also).map(|words| of(words)).collect(),
    }
}

/// A plan that fixes findings of a priority.
fn fix(state: &State, priority: Priority, place: usize, truths: &[String]) -> Plan {
    let mut id = super::refine::mends(priority);
    if place > 0 {
        id.push_str(&format!("-{}", place + 1));
    }
    while state.blocks.get(&id).is_some() {
        id.push('x');
    }
    let front = Front {
        must_haves: Some(MustHaves { truths: truths.to_vec(), ..MustHaves::default() }),
        ..Front::default()
    };
    let objective = format!("Mend what the refinement found at {}", priority.as_str());
    of_front(id, "refinement".to_owned(), &front, objective, pictures(state, priority))
}

/// The body of a plan of fixes, with the pictures of those who found the faults; blank if there are none.
fn pictures(state: &State, priority: Priority) -> String {
    let Some(refinement) = &state.core.refinement else { return String::new() };
    let lines = refinement.pictured(priority);
    match lines.as_slice() {
        [] => String::new(),
        lines => format!(
            "\n<objective>\nMend what the refinement found at {}\n</objective>\n\n<context>\nPictures that were taken:\n{}\n\
             </context>\n",
            priority.as_str(),
            lines.join("\n")
        ),
    }
}
