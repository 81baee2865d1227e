//! What the settings of every protocol must be.

use crate::vocab::error::{Code, Error, Result, ensure_none};
use crate::vocab::text::one_line;
use std::fmt::Display;
use std::ops::RangeInclusive;

/// Each of these fields has words.
pub(crate) fn have_words<'a>(
    fields: impl IntoIterator<Item = (&'a str, &'a String)>,
) -> Result<()> {
    ensure_none(fields.into_iter().find(|(_, text)| one_line(text).is_empty()), |(field, _)| {
        Error::new(Code::MissingField, field, "some words", "blank text")
    })
}

/// Each of these fields lies within its range.
pub(crate) fn in_range<'a, N: PartialOrd + Display>(
    fields: impl IntoIterator<Item = (&'a str, N, RangeInclusive<N>)>,
) -> Result<()> {
    ensure_none(
        fields.into_iter().find(|(_, value, range)| !range.contains(value)),
        |(field, value, range)| {
            let expected = format!("{} to {}", range.start(), range.end());
            Error::new(Code::NumberOutOfRange, field, expected, value.to_string())
        },
    )
}

/// The number of a setting that is not given.
pub(crate) fn number<const N: u32, T: From<u32>>() -> T {
    N.into()
}

/// A config whose `roles` say what is set of each `Role`.
macro_rules! roles {
    () => {
        impl $crate::mission::role::Roles for Config {
            fn settings(&mut self, role: &str) -> Option<&mut $crate::mission::role::RoleSettings> {
                Some(self.roles.entry(Role::parse(role)?).or_default())
            }
        }
    };
}

pub(crate) use roles;
