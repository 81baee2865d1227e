//! Tests of the canonical files, by subject.
#![allow(clippy::unwrap_used)]

mod adopting;
mod bad_inputs;
mod checking;
mod histories;
mod round_trip;
