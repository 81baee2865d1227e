//! A value that is copied when it is written, and only then: to keep it aside costs nothing.

use crate::vocab::json::{Readable, Serialize};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use std::borrow::Cow;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

/// Clones share the value until one of them writes; that one writes to a copy. Reads, is written as JSON and has the
/// schema as the value itself. To borrow it for writing copies it, whether or not anything is written: who may have nothing
/// to write looks first.
#[derive(Clone, Debug, Default, Serialize, Readable)]
#[serde(transparent)]
pub struct OnWrite<T> {
    now: Arc<T>,
    // Said, lest every value would have to have a default.
    #[serde(skip, default = "Option::default")]
    before: Option<Arc<T>>,
}

impl<T> OnWrite<T> {
    /// Keeps the value aside, to be able to go back.
    pub fn begin(&mut self) {
        self.before = Some(Arc::clone(&self.now));
    }

    /// The value as it was then; `None` where nothing has begun.
    pub fn before(&self) -> Option<&T> {
        self.before.as_deref()
    }

    /// Whether anything was written since then.
    pub fn touched(&self) -> bool {
        self.before.as_ref().is_none_or(|before| !Arc::ptr_eq(before, &self.now))
    }

    /// Forgets how it was.
    pub fn commit(&mut self) {
        self.before = None;
    }

    /// Goes back to how it was.
    pub fn rollback(&mut self) {
        self.now = self.before.take().unwrap_or_else(|| Arc::clone(&self.now));
    }
}

impl<T: Eq> PartialEq for OnWrite<T> {
    fn eq(&self, other: &Self) -> bool {
        self.now == other.now
    }
}

impl<T: Eq> Eq for OnWrite<T> {}

impl<T> From<T> for OnWrite<T> {
    fn from(value: T) -> Self {
        OnWrite { now: Arc::new(value), before: None }
    }
}

impl<T> Deref for OnWrite<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.now
    }
}

impl<T: Clone> DerefMut for OnWrite<T> {
    fn deref_mut(&mut self) -> &mut T {
        Arc::make_mut(&mut self.now)
    }
}

impl<T: JsonSchema> JsonSchema for OnWrite<T> {
    fn inline_schema() -> bool {
        T::inline_schema()
    }

    fn schema_name() -> Cow<'static, str> {
        T::schema_name()
    }

    fn schema_id() -> Cow<'static, str> {
        T::schema_id()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        T::json_schema(generator)
    }
}
