//! The parts of the exhaustive walk of the iteration protocol.
#![allow(
    dead_code,
    unreachable_pub,
    missing_docs,
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods
)]

pub mod explore;
pub mod key;
pub mod moves;

use crate::iterating::*;
use endstate::engine::Engine;
use endstate::protocols::Mission;
use endstate::protocols::iteration::State;
use std::collections::BTreeSet;

pub const AT: u64 = 1_800_000_000_000;
pub const MOST_STATES: usize = 60_000;
/// How often on a path: more iterations, another command, a trouble, a grant.
pub type Fuel = [u8; 4];
pub const MORE: usize = 0;
pub const COMMAND: usize = 1;
pub const TROUBLE: usize = 2;
pub const GRANT: usize = 3;

#[derive(Clone)]
pub struct Node {
    pub engine: Engine,
    pub world: World,
    pub fuel: Fuel,
}

pub struct Walk {
    pub name: String,
    pub start: Node,
    pub commands: bool,
    pub troubles: bool,
    pub counted: Option<Counter>,
}

pub struct Move {
    pub label: String,
    pub fuel: Option<usize>,
    pub world: Option<World>,
    pub fact: Option<Fact>,
}

#[derive(Default)]
pub struct Reached {
    pub decided: BTreeSet<String>,
    pub continuations: BTreeSet<Continuation>,
    pub asked: BTreeSet<String>,
    pub ends: BTreeSet<String>,
    pub codes: BTreeSet<Code>,
    pub states: usize,
    pub transitions: usize,
    pub refused: usize,
}

pub fn state(node: &Node) -> &State {
    match &node.engine.snapshot().mission {
        Mission::Iteration(state) => state,
        _ => panic!("another protocol"),
    }
}
