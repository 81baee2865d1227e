//! Time as data: milliseconds since the Unix epoch, never read from a clock.

use super::error::{Code, Error, Result};

/// Milliseconds since 1970-01-01T00:00:00Z.
pub type Millis = u64;

/// The last moment the engine accepts: the end of the year 9999.
pub const LATEST: Millis = 253_402_300_799_999;

/// `at` as RFC 3339 in UTC with milliseconds, the form of every time in a file.
pub fn rfc3339(at: Millis) -> String {
    let signed = i64::try_from(at.min(LATEST)).unwrap_or(0);
    match jiff::Timestamp::from_millisecond(signed) {
        Ok(moment) => format!("{moment:.3}"),
        Err(_) => "1970-01-01T00:00:00.000Z".to_owned(),
    }
}

/// Reads an RFC 3339 text.
///
/// # Errors
/// [`Code::InvalidValue`] if the text is no such time or lies before 1970.
pub fn parse_rfc3339(text: &str) -> Result<Millis> {
    text.parse::<jiff::Timestamp>()
        .ok()
        .and_then(|moment| Millis::try_from(moment.as_millisecond()).ok())
        .ok_or_else(|| Error::new(Code::InvalidValue, "", "an RFC 3339 time", text))
}
