//! What a run said, read once: its report is looked into for what it cites, for attribution and to be judged.

use super::{Ended, Particular, Run};
use crate::vocab::error::{Code, Error, Result};
use crate::vocab::json::{Readable, Serialize};
use schemars::JsonSchema;
use std::any::Any;
use std::fmt;
use std::sync::Arc;

/// A report in the type that its protocol reads it in.
#[derive(Clone)]
pub(crate) struct Understood {
    report: Arc<dyn Any + Send + Sync>,
    /// What is unusual in it, but not wrong.
    pub(super) notes: Vec<String>,
}

impl Understood {
    /// A report as it was read.
    pub(crate) fn of<T: Any + Send + Sync>(report: T) -> Understood {
        Understood { report: Arc::new(report), notes: Vec::new() }
    }

    /// The same, with what is unusual in it.
    pub(crate) fn noting(self, notes: impl IntoIterator<Item = String>) -> Understood {
        Understood { notes: notes.into_iter().collect(), ..self }
    }

    /// The report.
    ///
    /// # Errors
    /// `broken_outbox` if the protocol reads this role in another type.
    pub(crate) fn get<T: Any>(&self) -> Result<&T> {
        let other =
            || Error::new(Code::BrokenOutbox, "report", std::any::type_name::<T>(), "other");
        self.report.downcast_ref().ok_or_else(other)
    }
}

/// The text of a report that counts. What was read in it is no part of the state: one that comes from disk is read again.
#[derive(Clone, Serialize, Readable, JsonSchema)]
#[serde(transparent)]
#[schemars(inline)]
pub struct Said {
    text: String,
    #[serde(skip)]
    understood: Option<Understood>,
}

impl Said {
    /// A text with what was read in it.
    pub(crate) fn new(text: &str, understood: Understood) -> Said {
        Said { text: text.to_owned(), understood: Some(understood) }
    }

    /// The text.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// What the protocol reads in it.
    ///
    /// # Errors
    /// As [`Particular::understand`].
    pub(crate) fn read(&self, mission: &dyn Particular, run: &Run) -> Result<Understood> {
        match &self.understood {
            Some(known) => Ok(known.clone()),
            None => mission.understand(&run.role, &run.item, &self.text),
        }
    }
}

impl Ended {
    /// The report of this run, if it left one.
    pub(crate) fn understood(&self, mission: &dyn Particular) -> Option<Understood> {
        self.report.as_ref()?.read(mission, &self.run).ok()
    }
}

impl PartialEq for Said {
    fn eq(&self, other: &Said) -> bool {
        self.text == other.text
    }
}

impl Eq for Said {}

impl fmt::Debug for Said {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.text.fmt(to)
    }
}
