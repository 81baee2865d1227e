//! Prints every JSON Schema as one object, by name. The build of the npm package runs it, because the schemas are
//! data there: code that makes them would be a large part of the WebAssembly module, and nobody would run it.
//!
//! `cargo run --no-default-features --example schemas`
#![allow(clippy::disallowed_methods)]

use std::collections::BTreeMap;
use std::io::Write;

fn main() -> std::io::Result<()> {
    let all: BTreeMap<_, _> = endstate::schema::schemas().into_iter().collect();
    let mut out = std::io::stdout().lock();
    serde_json::to_writer(&mut out, &all)?;
    out.write_all(b"\n")
}
