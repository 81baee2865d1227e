//! The protocols. Each is a folder with the same files, read in the same order; none imports
//! another.

// Not within the list below: a module that a macro declares is never formatted.
pub mod completion;
pub mod grid;
pub mod iteration;
pub mod promise;
pub mod sprint;
// The example of CONTRIBUTING.md: what a protocol takes.
#[cfg(any(test, feature = "sixth"))]
#[path = "../../tests/sixth/mod.rs"]
pub mod sixth;

use crate::mission::Protocol;
use crate::mission::finding::Finding;
use crate::mission::prelude::*;
use crate::mission::role::{Roles, known};
use crate::vocab::json;
use schemars::Schema;

/// The list of the protocols: name, folder, and what it is started with. What is not particular to one knows them by this
/// list only.
macro_rules! protocols {
    ($( $(#[doc = $doc:literal])* $(#[cfg($when:meta)])? $name:ident $folder:ident($config:ty); )*) => {
        /// One protocol and its state.
        #[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
        #[serde(tag = "protocol", content = "state", rename_all = "snake_case", deny_unknown_fields)]
        pub enum Mission {
            $( $(#[doc = $doc])* $(#[cfg($when)])? $name(Box<$folder::State>), )*
        }

        /// What a protocol is started with.
        #[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
        #[serde(tag = "protocol", content = "settings", rename_all = "snake_case", deny_unknown_fields)]
        pub enum ProtocolConfig {
            $(
                #[doc = concat!("See [`Mission::", stringify!($name), "`].")]
                $(#[cfg($when)])? $name($config),
            )*
        }

        impl Mission {
            /// The state a config begins with.
            ///
            /// # Errors
            /// `malformed` for a config that says too little or too much.
            pub(crate) fn start(config: &ProtocolConfig) -> Result<Mission> {
                Ok(match config {
                    $( $(#[cfg($when)])? ProtocolConfig::$name(config) => Mission::$name(Box::new($folder::start(config)?)), )*
                })
            }

            /// The behaviour of the protocol.
            pub(crate) fn protocol(&self) -> &dyn Protocol {
                match self {
                    $( $(#[cfg($when)])? Mission::$name(state) => state.as_ref(), )*
                }
            }

            /// The behaviour of the protocol, to change its state.
            pub(crate) fn protocol_mut(&mut self) -> &mut dyn Protocol {
                match self {
                    $( $(#[cfg($when)])? Mission::$name(state) => state.as_mut(), )*
                }
            }

            /// The protocol's name.
            pub fn name(&self) -> &'static str {
                match self {
                    $( $(#[cfg($when)])? Mission::$name(_) => stringify!($folder), )*
                }
            }
        }

        impl ProtocolConfig {
            /// Takes in what the repository tells roles, by the name of the role; see
            /// [`RoleSettings::prompt`](crate::mission::role::RoleSettings::prompt). What the config says itself stands.
            ///
            /// # Errors
            /// `unknown_value` for a role that the protocol does not have.
            pub fn tell_roles(&mut self, texts: &BTreeMap<String, String>) -> Result<()> {
                for (name, text) in texts {
                    let role = match self {
                        $( $(#[cfg($when)])? ProtocolConfig::$name(config) => {
                            known::<$folder::State, _>(config.settings(name), name)?
                        } )*
                    };
                    role.prompt.get_or_insert_with(|| text.clone());
                }
                Ok(())
            }

            /// The protocol's name.
            pub fn name(&self) -> &'static str {
                match self {
                    $( $(#[cfg($when)])? ProtocolConfig::$name(_) => stringify!($folder), )*
                }
            }
        }

        /// What roles must return, protocol by protocol.
        pub(crate) fn report_schemas() -> Vec<(&'static str, Schema)> {
            let mut all = Vec::new();
            $( $(#[cfg($when)])? all.extend($folder::report::schemas()); )*
            all
        }
    };
}

protocols! {
    /// A mission in a repository, one slice at a time, to a judged stop.
    Completion completion(completion::Config);
    /// Tasks whose criteria a player claims and a coach verifies, turn by turn.
    Promise promise(promise::Config);
    /// One agent, prompted again and again until its completion handler says stop.
    Iteration iteration(Box<iteration::Config>);
    /// A written plan: work units in parallel, sprints in order, each checked before the next.
    Sprint sprint(Box<sprint::Config>);
    /// A planned cluster: waves of parallel blocks, each wave verified, gaps closed.
    Grid grid(Box<grid::Config>);
    /// The example: a proposal, three votes, accepted by two.
    #[cfg(any(test, feature = "sixth"))]
    Sixth sixth(sixth::Config);
}

/// Checks one line of a file of records.
pub type LineCheck = fn(&str) -> Result<()>;

/// The files of records that protocols keep in directories of their own, with what checks a line.
pub const RECORDS: [(&str, LineCheck); 3] = [
    (sprint::files::DECISIONS, sprint::files::check_line),
    (promise::files::TURNS, promise::files::check_line),
    (iteration::files::SUMMARIES, iteration::files::check_line),
];

/// What is found in one canonical file of any protocol, by itself; `None` for one that is not there.
///
/// # Errors
/// `unknown_file` for a path that nobody checks.
pub fn check_file(path: &str, content: Option<&[u8]>) -> Result<Vec<Finding>> {
    let Some((_, check)) = RECORDS.iter().find(|(known, _)| *known == path) else {
        return completion::files::check::check_one(path, content);
    };
    let Some(content) = content else { return Ok(Vec::new()) };
    let lines = content.strip_suffix(b"\n").unwrap_or(content).split(|byte| *byte == b'\n');
    let lines = lines.filter(|_| !content.is_empty()).enumerate();
    let faults = lines.filter_map(|(place, line)| {
        let error = json::utf8(line).and_then(check).err()?;
        Some(Finding::fault(path, &error.within(&format!("line {}", place + 1))))
    });
    Ok(faults.take(MOST_RECORD_FAULTS).collect())
}

/// More faults of records than this say nothing new.
const MOST_RECORD_FAULTS: usize = 100;
