//! `iterate`: done after so many runs, the initial one included, however they ended.

use super::{Answer, Criteria, Heard};
use crate::mission::prelude::*;
use crate::protocols::iteration::definition::CompletionConfig;

/// See [`super::Handler::Iterate`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[schemars(rename = "IterateHandler")]
pub struct Iterate {
    /// How many runs.
    pub max: u64,
}

pub(super) fn make(config: &CompletionConfig, at: &str) -> Result<Iterate> {
    let missing = || {
        let at = format!("{at}.maxIterations");
        Error::new(Code::MissingField, at, "how many runs", "no such field")
    };
    config.max_iterations.map(|max| Iterate { max }).ok_or_else(missing)
}

impl Iterate {
    pub(super) fn criteria(&self) -> Criteria {
        let max = self.max;
        Criteria {
            short: format!("{max} iterations"),
            detailed: format!(
                "You have {max} iterations in all. Use each for the next most useful piece of the work, \
                 and end each with what you did and what is left."
            ),
        }
    }

    /// What the count of runs says.
    pub fn hear(&self, heard: &Heard<'_>) -> Answer {
        let (made, max) = (heard.iteration, self.max);
        Answer::shown(made >= max, format!("{made} of {max} iterations were made"))
    }
}
