//! Lists of words that every sentence of a plan is asked for. Most words are in none of them, and their first byte
//! tells that without a comparison.

use super::phrases::is_word;

/// Up to 128 words or phrases in a fixed order.
#[derive(Debug)]
pub(super) struct WordList {
    all: &'static [&'static str],
    /// Which of them have a byte of these last five bits first, and which second or end before it, one bit each.
    heads: [[u128; 32]; 2],
}

impl WordList {
    /// A list without empty words.
    pub(super) const fn new(all: &'static [&'static str]) -> WordList {
        assert!(all.len() <= 128, "one bit for each word");
        let mut heads = [[0_u128; 32]; 2];
        let mut place = 0;
        while place < all.len() {
            let word = all[place].as_bytes();
            heads[0][(word[0] & 31) as usize] |= 1 << place;
            let mut second = 0;
            while second < 32 {
                if word.len() < 2 || word[1] as usize & 31 == second {
                    heads[1][second] |= 1 << place;
                }
                second += 1;
            }
            place += 1;
        }
        WordList { all, heads }
    }

    /// The words that may begin as a text does.
    fn near(&self, text: &str) -> impl Iterator<Item = &'static str> {
        let near = |place: usize| {
            let byte = text.as_bytes().get(place)?;
            Some(self.heads[place][usize::from(byte & 31)])
        };
        let (all, mut bits) = (self.all, near(0).unwrap_or(0) & near(1).unwrap_or(u128::MAX));
        std::iter::from_fn(move || {
            let place = (bits != 0).then(|| bits.trailing_zeros() as usize)?;
            bits &= bits - 1;
            all.get(place).copied()
        })
    }

    /// Whether a word is one of them.
    pub(super) fn has(&self, word: &str) -> bool {
        self.near(word).any(|one| one == word)
    }

    /// The same of lists in small letters, whatever the case of the word.
    pub(super) fn has_any_case(&self, word: &str) -> bool {
        // The last five bits of a letter are those of its other case.
        self.near(word).any(|one| is_word(word, one))
    }

    /// What stands behind each of them that a text begins with.
    pub(super) fn behind<'t>(&self, text: &'t str) -> impl Iterator<Item = &'t str> {
        self.near(text).filter_map(move |one| text.strip_prefix(one))
    }

    /// The words that begin with a text, and what they have behind it.
    pub(super) fn from(&self, text: &str) -> impl Iterator<Item = (&'static str, &'static str)> {
        self.near(text).filter_map(move |one| Some((one, one.strip_prefix(text)?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_whole_and_at_the_beginning() {
        static SOME: WordList = WordList::new(&["is", "is green", "→ nothing", "pass", "Pass"]);
        assert!(SOME.has("is green") && SOME.has("→ nothing") && SOME.has("Pass"));
        assert!(!SOME.has("") && !SOME.has("i") && !SOME.has("PASS") && !SOME.has("is gree"));
        assert!(SOME.has_any_case("IS Green") && !SOME.has_any_case("IS Gree"));
        assert_eq!(SOME.behind("is green, too").collect::<Vec<_>>(), [" green, too", ", too"]);
        assert_eq!(SOME.from("is").collect::<Vec<_>>(), [("is", ""), ("is green", " green")]);
        assert_eq!(SOME.from("").count() + SOME.behind("").count(), 0);
    }
}
