//! The command line of endstate: see [`cli`].

// This side does the IO that clippy.toml keeps out of the core.
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

mod cli;

fn main() -> std::process::ExitCode {
    cli::main()
}
