//! Closed lists of words, as files spell them.

/// A word of a closed list.
pub trait Word: Copy + Sized + 'static {
    /// All of them, in the seed's order.
    const ALL: &'static [Self];
    /// The exact spelling.
    fn as_str(self) -> &'static str;
    /// The word of this exact spelling.
    fn parse(text: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|word| word.as_str() == text)
    }
}

/// Makes such lists: of each its words, with their spelling and what they mean. The first word is the default.
macro_rules! words {
    ($( $(#[$about:meta])* $name:ident { $( $variant:ident $text:literal $doc:literal; )* } )*) => { $(
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[derive(serde::Serialize, $crate::vocab::json::Readable, schemars::JsonSchema)]
        $(#[$about])*
        pub enum $name {
            #[default]
            $( #[doc = $doc] #[serde(rename = $text)] $variant, )*
        }

        impl $crate::vocab::word::Word for $name {
            const ALL: &'static [Self] = &$name::ALL;
            fn as_str(self) -> &'static str {
                $name::as_str(self)
            }
        }

        impl $name {
            /// All of them, in this order.
            pub const ALL: [Self; [$( $text ),*].len()] = [$( $name::$variant ),*];

            /// The word of this exact spelling.
            pub fn parse(text: &str) -> Option<Self> {
                $crate::vocab::word::Word::parse(text)
            }

            /// The exact spelling.
            pub fn as_str(self) -> &'static str {
                match self { $( $name::$variant => $text, )* }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }
    )* };
}

pub(crate) use words;
