//! endstate: a protocol engine that drives long-running agent work to a verified end.
//!
//! The engine has no input or output of its own. It takes a [`Snapshot`] and an
//! [`Event`](vocab::event::Event) and answers with a new snapshot and
//! [`Effect`](vocab::effect::Effect)s, which a thin host performs. Work that is called done and is not,
//! and loops that never end, are impossible by construction: every claim needs typed evidence, every
//! verdict a run of its own, every dispatch a unit of a budget.
//!
//! # The contract
//!
//! [`start`]`(config, at)` and [`step`]`(snapshot, event)` answer with a [`Step`]. [`Engine`] does the
//! same with the state held open. All of it is pure and total: every input gives a step, or an
//! [`Error`](vocab::error::Error) that leaves the state as it was.
//!
//! # What the host owes
//!
//! 1. Redact secrets, then give the event to the engine.
//! 2. If it is accepted, append it to the [`journal`] and make it durable. If that fails, throw the
//!    engine away and open it again from disk.
//! 3. Then perform the effects in order, runs in parallel where several are ordered.
//! 4. Feed the answers back one at a time; their order is the order of the journal.
//!
//! After a crash: the newest snapshot, the journal's tail, and [`Engine::pending`] again.
//!
//! # Words
//!
//! An *item* (here a slice) has *criteria*; a *run* of a role *claims* them with *evidence*; other runs
//! give *verdicts*; a *gate* decides what is next, or why we stop; what only a person can say is a
//! *question*.
//!
//! # One step
//!
//! ```
//! use endstate::protocols::{ProtocolConfig, completion};
//! use endstate::vocab::event::{Event, Fact, RepositoryObserved};
//! use endstate::vocab::repository::Repository;
//! use endstate::{Config, Continuation, start, step};
//!
//! let mission = completion::Config::new("Greet every visitor by name.", "greeter");
//! let config = Config { budget: Default::default(), ..Config::new(ProtocolConfig::Completion(mission)) };
//! let begun = start(&config, 1_800_000_000_000)?;
//! // Before anything else the engine wants to know what is there.
//! assert_eq!(begun.effects[0].order.name(), "observe");
//! assert_eq!(begun.continuation, Continuation::Paused);
//!
//! // The host looks, and answers by the id of the effect. Times are milliseconds of its clock.
//! let head = Some("4f2a".repeat(10));
//! let repository = Repository { head, branch: Some("main".to_owned()), ..Repository::default() };
//! let seen = RepositoryObserved { effect: begun.effects[0].id, repository };
//! let event = Event { at: 1_800_000_000_500, fact: Fact::RepositoryObserved(seen) };
//! let next = step(&begun.snapshot, &event)?;
//! // The canonical files are not there yet: they are the next orders.
//! assert_eq!(next.decided.rule, "write_canonical_files");
//!
//! // The same answer a second time answers nothing. An error changes nothing.
//! let error = step(&next.snapshot, &event).unwrap_err();
//! assert_eq!(error.code.as_str(), "stale_answer");
//! # Ok::<(), endstate::vocab::error::Error>(())
//! ```

// By this name what is derived to be read finds the tree, here as in the tests and the program.
extern crate self as endstate;

pub mod vocab;

mod admit;
pub mod agents;
pub mod chronicle;
pub mod engine;
pub mod journal;
pub mod layout;
pub mod mcp;
pub mod mission;
pub mod picture;
pub mod plan;
pub mod protocols;
pub mod schema;
pub mod snapshot;
pub mod stream;
pub mod tape;
pub mod view;
pub mod why;

#[cfg(feature = "native")]
pub mod native;

pub use engine::{Applied, Config, Decided, Engine, Step, check_report, start, step};
pub use journal::replay;
pub use snapshot::{Continuation, Snapshot};

/// The examples of the README and of docs/hosts.md are compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
#[doc = include_str!("../docs/hosts.md")]
struct Pages;
