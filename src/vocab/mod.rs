//! The shared vocabulary: what every protocol speaks, in the order it happens.
//!
//! A host reports an [`event`]; the engine answers with [`effect`]s. Work is cut into items with
//! [`criterion`] lists; a run [`evidence`]s its claims; other runs give a [`verdict`]; the
//! [`ledger`] joins the three. Every dispatch spends from a [`budget`]. Whatever cannot be read or
//! is not allowed is an [`error`].

pub mod budget;
pub mod command;
pub mod continuation;
pub mod criterion;
pub mod digest;
pub mod effect;
pub mod error;
pub mod event;
pub mod evidence;
pub(crate) mod exit_status;
pub(crate) mod fenced;
pub mod json;
pub mod ledger;
pub mod on_write;
pub mod question;
pub mod repository;
pub mod role;
pub mod shown;
pub mod table;
pub mod test_report;
pub mod text;
pub mod time;
pub mod verdict;
pub mod word;
