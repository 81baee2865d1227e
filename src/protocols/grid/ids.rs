//! Must-haves by their whole ids, as prompts print them: `01-01/AC-002` is the must-have `AC-002` of block `01-01`.

use super::report::RecognizerReport;
use super::state::State;
use crate::vocab::error::{Code, Error, Result, clip};

/// Reads whole ids in rows and gaps as their two parts, so that one must-have has one name.
///
/// # Errors
/// `inconsistent_verdict` with the place, if a row names one block and the id of another.
pub(super) fn apart(state: &State, report: &mut RecognizerReport) -> Result<()> {
    for (place, row) in report.verdicts.iter_mut().enumerate() {
        if let Some((block, criterion)) = whole(state, &row.criterion) {
            one_block(&format!("verdicts[{place}].criterion"), &row.block, &block)?;
            (row.block, row.criterion) = (block, criterion);
        }
    }
    for (place, gap) in report.gaps.iter_mut().enumerate() {
        let said = gap.criterion.as_deref().and_then(|criterion| whole(state, criterion));
        if let Some((block, criterion)) = said {
            let beside = gap.block.as_deref().unwrap_or_default();
            one_block(&format!("gaps[{place}].criterion"), beside, &block)?;
            (gap.block, gap.criterion) = (Some(block), Some(criterion));
        }
    }
    Ok(())
}

/// The block and the must-have of a whole id.
fn whole(state: &State, said: &str) -> Option<(String, String)> {
    let (block, criterion) = said.trim().split_once('/')?;
    let known = state.blocks.get(block).is_some() && !criterion.is_empty();
    known.then(|| (block.to_owned(), criterion.to_owned()))
}

fn one_block(at: &str, beside: &str, block: &str) -> Result<()> {
    if beside.trim().is_empty() || beside.trim() == block {
        return Ok(());
    }
    let expected = format!("a must-have of block {}", clip(beside.trim(), 80));
    Err(Error::new(Code::InconsistentVerdict, at, expected, format!("one of block {block}")))
}
