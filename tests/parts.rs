//! Parts by themselves: readers of agents' output, the MCP server, the journal in pieces, bad input, damaged files, and what
//! holds of the sources and the documentation.
#![allow(clippy::unwrap_used, clippy::panic, clippy::disallowed_methods, clippy::disallowed_types)]

#[path = "parts/agents.rs"]
mod agents;
#[path = "parts/bad_input.rs"]
mod bad_input;
#[path = "parts/contract_scripts.rs"]
mod contract_scripts;
#[path = "parts/damaged_files.rs"]
mod damaged_files;
#[path = "parts/docs.rs"]
mod docs;
#[path = "parts/examples.rs"]
mod examples;
#[path = "parts/layers.rs"]
mod layers;
#[path = "parts/mcp.rs"]
mod mcp;
#[path = "parts/protocols.rs"]
mod protocols;
#[path = "parts/stream.rs"]
mod stream;
