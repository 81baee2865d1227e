//! Whether agents are confined, as a line says it.

use clap::{Args, ValueEnum};
use endstate::native::confine::Confine;

/// See [`Confine`].
#[derive(Clone, Copy, Debug, Default, Args)]
pub(crate) struct Confining {
    /// Keep agents from writing what the engine keeps, by bubblewrap: `auto` where it works, `required` starts none where it
    /// does not. ENDSTATE_BWRAP names its program.
    #[arg(long, value_enum, value_name = "WHEN", default_value_t)]
    confine: When,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum When {
    #[default]
    Auto,
    Required,
    Never,
}

impl From<Confining> for Confine {
    fn from(line: Confining) -> Confine {
        match line.confine {
            When::Auto => Confine::Auto,
            When::Required => Confine::Required,
            When::Never => Confine::Never,
        }
    }
}
