//! `issue`: done when an issue is closed. Whether it is, is looked at after each run; when the host
//! cannot tell, nothing is shown.

use super::{Answer, Args, Criteria, number_argument};
use crate::mission::prelude::*;
use crate::protocols::iteration::definition::CompletionConfig;
use crate::vocab::event::CommandExited;
use crate::vocab::json::RawObject;

/// The argument that holds the number, unless the definition names another.
const ARGUMENT: &str = "issue";

/// See [`super::Handler::Issue`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[schemars(rename = "IssueHandler")]
pub struct Issue {
    /// The number of the issue.
    pub number: u64,
    /// The argument it came from.
    pub argument: String,
}

pub(super) fn make(config: &CompletionConfig, args: Option<&Args>) -> Result<Issue> {
    let argument = config.issue_param.clone().unwrap_or_else(|| ARGUMENT.to_owned());
    // A definition alone has no number yet; any will do to look at the rest.
    let number = number_argument(args, &argument)?.unwrap_or(1);
    Ok(Issue { number, argument })
}

impl Issue {
    pub(super) fn criteria(&self) -> Criteria {
        let number = self.number;
        Criteria {
            short: format!("Issue #{number} is closed"),
            detailed: format!(
                "Do what issue #{number} asks for. When all of it is done and nothing is left to check, \
                 close the issue with `gh issue close {number}`. Whether it is closed is looked up after \
                 each of your runs; saying that it is does not count."
            ),
        }
    }

    /// The command that tells its state.
    pub fn argv(&self) -> Vec<String> {
        let number = self.number.to_string();
        ["gh", "issue", "view", &number, "--json", "state"].map(str::to_owned).to_vec()
    }

    /// What the command's end says.
    pub fn read(&self, exited: &CommandExited) -> Answer {
        if exited.status != Some(0) {
            return Answer::not_shown(super::check::ended(exited, "gh"));
        }
        match self.state(&exited.output) {
            Ok(true) => Answer::shown(true, format!("issue #{} is closed", self.number)),
            Ok(false) => Answer::shown(false, format!("issue #{} is open", self.number)),
            Err(problem) => Answer::not_shown(problem),
        }
    }

    /// Whether the output says that it is closed.
    fn state(&self, output: &str) -> Result<bool, Diagnostic> {
        let object = RawObject::read(output).map_err(|error| error.within("gh").diagnostic())?;
        let state =
            object.field::<String>("state").map_err(|error| error.within("gh").diagnostic())?;
        match state.as_str() {
            "CLOSED" => Ok(true),
            "OPEN" => Ok(false),
            other => {
                let expected = "`OPEN` or `CLOSED`";
                Err(Error::new(Code::UnknownValue, "gh.state", expected, other).diagnostic())
            }
        }
    }
}
