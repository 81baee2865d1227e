//! One proposes, three vote.

use crate::mission::role::Cast;
use crate::vocab::role::{Access, Tier};

const fn cast(name: &'static str, schema: &'static str) -> Cast {
    Cast { name, schema, access: Access::ReadOnly, tier: Tier::Standard }
}

pub(super) const PROPOSER: Cast = cast("vote-proposer", "report-vote-proposer");
pub(super) const VOTERS: [Cast; 3] = [
    cast("vote-first", "report-vote-voter"),
    cast("vote-second", "report-vote-voter"),
    cast("vote-third", "report-vote-voter"),
];
/// The roles that only claim.
pub(super) const CLAIMANTS: [&str; 1] = [PROPOSER.name];
