//! Money without floats: a decimal number, as JSON writes it, in thousand-millionths of the unit.

/// Digits behind the point that are kept.
const DIGITS: i64 = 9;

/// `0.00012` as 120,000; rounded half up. Negative, absurd and unreadable amounts are nothing.
pub fn nanos(text: &str) -> u64 {
    let (digits, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let all: String = [whole, fraction].concat();
    let plain = !all.is_empty() && all.bytes().all(|byte| byte.is_ascii_digit());
    let (true, Ok(exponent)) = (plain, exponent.parse::<i64>()) else { return 0 };
    let behind = i64::try_from(fraction.len()).unwrap_or(i64::MAX);
    let shift = DIGITS.saturating_add(exponent).saturating_sub(behind);
    scaled(all.trim_start_matches('0'), shift)
}

/// The number with `digits`, times ten to the `shift`.
fn scaled(digits: &str, shift: i64) -> u64 {
    if digits.is_empty() {
        return 0;
    }
    if shift >= 0 {
        let zeros = usize::try_from(shift).unwrap_or(usize::MAX).min(30);
        return format!("{digits}{}", "0".repeat(zeros)).parse().unwrap_or(0);
    }
    let cut = usize::try_from(shift.unsigned_abs()).unwrap_or(usize::MAX);
    let Some(keep) = digits.len().checked_sub(cut) else { return 0 };
    let (kept, lost) = digits.split_at(keep);
    let up = u64::from(lost.as_bytes().first().is_some_and(|digit| *digit >= b'5'));
    match kept {
        "" => up,
        kept => kept.parse::<u64>().map_or(0, |kept| kept.saturating_add(up)),
    }
}

/// Thousand-millionths as millionths, rounded half up.
pub fn micros(nanos: u64) -> u64 {
    (nanos.saturating_add(500)) / 1_000
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_read_exactly() {
        for (text, expected) in [
            ("0", 0),
            ("0.00012", 120_000),
            ("0.00011999999999999999", 120_000),
            ("1e-5", 10_000),
            ("1.25E-2", 12_500_000),
            ("3", 3_000_000_000),
            ("12.5e1", 125_000_000_000),
            ("0.0000000004", 0),
            ("0.0000000005", 1),
            ("-1", 0),
            ("nan", 0),
            ("", 0),
            ("1e999999999999", 0),
            ("1e-99999999999999999999", 0),
            ("99999999999999999999999999", 0),
        ] {
            assert_eq!(nanos(text), expected, "{text}");
        }
        assert_eq!((micros(499), micros(500), micros(120_000)), (0, 1, 120));
    }
}
