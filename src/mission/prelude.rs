//! The words that nearly every file of a protocol needs: those of the mission and of the vocabulary, and what their types are
//! derived with. A file imports them all, and then names what is particular to it.

pub(crate) use super::life::{Life, Particular, Run};
pub(crate) use super::{Context, Continuation, Control, Head, Intent};
pub(crate) use crate::vocab::budget::Counter;
pub(crate) use crate::vocab::criterion::{Criterion, CriterionState};
pub(crate) use crate::vocab::effect::{Level, Order};
pub(crate) use crate::vocab::error::{Code, Diagnostic, Error, Result, clip, ensure, ensure_none};
pub(crate) use crate::vocab::event::EffectId;
pub(crate) use crate::vocab::evidence::{Evidence, Finding};
pub(crate) use crate::vocab::json::Readable;
pub(crate) use crate::vocab::repository::Repository;
pub(crate) use crate::vocab::role::{Access, Tier};
pub(crate) use crate::vocab::text::one_line;
pub(crate) use crate::vocab::time::Millis;
pub(crate) use crate::vocab::word::words;
pub(crate) use schemars::JsonSchema;
pub(crate) use serde::Serialize;
pub(crate) use std::collections::{BTreeMap, BTreeSet};
pub(crate) use std::sync::Arc;
