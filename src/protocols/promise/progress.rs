//! The progress of a task, and how far the player's word can be trusted, in whole numbers.

/// `verified` of `total` in percent, half up; 0 of nothing.
pub fn percent(verified: u64, total: u64) -> u64 {
    if total == 0 {
        return 0;
    }
    let (verified, total) = (u128::from(verified), u128::from(total));
    u64::try_from((verified * 200 + total) / (total * 2)).unwrap_or(u64::MAX)
}

/// Progress in words: `3/7 verified, 43 %`.
pub fn line(verified: u64, total: u64) -> String {
    format!("{verified}/{total} verified, {} %", percent(verified, total))
}

/// The honesty of one turn in words: claims verified over claims made. A turn without claims shows
/// nothing about it.
pub fn honesty(verified: u64, claimed: u64) -> String {
    match claimed {
        0 => "not shown".to_owned(),
        _ => format!("{verified}/{claimed} claims verified, {} %", percent(verified, claimed)),
    }
}

/// Whether honesty has collapsed: the mean of the last three scores lies under 3/10. `turns` are
/// (claims verified, claims made), oldest first; turns without claims have no score.
pub fn collapsed(turns: &[(u64, u64)]) -> bool {
    let count = |number: u64| u128::from(number.min(u64::from(u32::MAX)));
    let scored = turns.iter().rev().filter(|(_, claimed)| *claimed > 0);
    let last: Vec<(u128, u128)> = scored
        .take(3)
        .map(|(verified, claimed)| (count(*verified.min(claimed)), count(*claimed)))
        .collect();
    let [(a, b), (c, d), (e, f)] = last[..] else { return false };
    // (a/b + c/d + e/f) / 3 < 3/10, without a division.
    10 * (a * d * f + c * b * f + e * b * d) < 9 * b * d * f
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentages_round_half_up() {
        for (verified, total, expected) in
            [(0, 0, 0), (0, 3, 0), (1, 3, 33), (2, 3, 67), (1, 8, 13), (3, 7, 43), (7, 7, 100)]
        {
            assert_eq!(percent(verified, total), expected, "{verified}/{total}");
        }
        assert_eq!(percent(1, 200), 1);
        assert_eq!(percent(u64::MAX, u64::MAX), 100);
        assert_eq!(percent(u64::MAX, 1), u64::MAX);
        assert_eq!(line(3, 7), "3/7 verified, 43 %");
    }

    #[test]
    fn honesty_collapses_under_three_tenths_exactly() {
        assert!(!collapsed(&[(3, 10), (3, 10), (3, 10)]));
        assert!(collapsed(&[(3, 10), (3, 10), (299, 1000)]));
        assert!(collapsed(&[(9, 9), (0, 1), (0, 1), (0, 1)]));
        assert!(!collapsed(&[(0, 1), (0, 1)]));
        assert!(!collapsed(&[(0, 1), (0, 1), (0, 0)]));
        assert!(collapsed(&[(0, 1), (0, 0), (0, 1), (0, 0), (0, 1)]));
        assert!(!collapsed(&[(0, 1), (0, 1), (9, 10)]));
        assert!(collapsed(&[(0, u64::MAX), (0, u64::MAX), (0, u64::MAX)]));
        assert!(!collapsed(&[(u64::MAX, u64::MAX); 3]));
        assert_eq!(honesty(0, 0), "not shown");
        assert_eq!(honesty(7, 13), "7/13 claims verified, 54 %");
    }
}
