//! To come.

use super::*;

pub const TALES: &[Tale] = &[];
