//! What the protocols do alike, once.
//!
//! A protocol imports from here and from the vocabulary, never from another protocol. What is here
//! knows no status names and no plan: the shape of a dispatch table and of its explanation
//! ([`table`]), what keeps every rule from acting ([`guard`]), the header and the block of a report
//! ([`report`]), what is asked of every command and answer ([`admitted`]), where a mission stands
//! ([`standing`]), questions that mean the same everywhere ([`ask`]), files that are projections or only
//! grow ([`files`]), runs and what they leave ([`run`]), the repository as last seen ([`seen`]), whether its
//! head is still the mission's ([`follow`]), what came and was never reported ([`unreported`]), what goes
//! stale ([`stale`]), the parts of a picture ([`picture`]), and the moves that read alike ([`moves`]).

pub(crate) mod admitted;
pub(crate) mod ask;
pub mod files;
pub mod finding;
pub mod follow;
pub(crate) mod guard;
pub(crate) mod invariant;
pub(crate) mod moves;
pub(crate) mod picture;
pub(crate) mod report;
pub mod role;
pub mod run;
pub mod seen;
pub(crate) mod stale;
pub(crate) mod standing;
pub mod table;
pub mod tree;
pub mod unreported;
