//! Tagged enums: adjacently, where the object holds the value in a field of its own ([`tagged`]), and internally ([`told`]).
//!
//! serde's own derive can take the two in either order, and compiles every type within once more for that. Here a value that
//! comes before its name is kept as a tree, from which types are read anyway.

use super::json::Node;
use serde::Deserialize;
use serde::de::Error;

/// Reads a value that came before the name of its variant.
pub(crate) fn late<'de, T: Deserialize<'de>, E: Error>(early: Node<'de>) -> Result<T, E> {
    T::deserialize(early).map_err(E::custom)
}

/// Makes such an enum readable: its name, the two fields, and its variants, each of one value.
macro_rules! tagged {
    ($name:ident, $tag:literal, $content:literal: $($(#[cfg($when:meta)])? $variant:ident),* $(,)?) => {
        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                use serde::de::{Error, MapAccess, Visitor};
                use $crate::vocab::json::Node;

                #[derive(Clone, Copy, serde::Deserialize)]
                #[serde(rename_all = "snake_case")]
                enum Tag {
                    $($(#[cfg($when)])? $variant,)*
                }

                #[derive(serde::Deserialize)]
                #[serde(field_identifier)]
                enum Field {
                    #[serde(rename = $tag)]
                    Tag,
                    #[serde(rename = $content)]
                    Content,
                }

                struct Both;

                impl<'de> Visitor<'de> for Both {
                    type Value = $name;

                    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                        f.write_str("an object")
                    }

                    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<$name, A::Error> {
                        let mut tag: Option<Tag> = None;
                        let mut read: Option<$name> = None;
                        let mut early: Option<Node<'de>> = None;
                        while let Some(field) = map.next_key()? {
                            match (field, tag) {
                                (Field::Tag, None) => tag = Some(map.next_value()?),
                                (Field::Tag, Some(_)) => return Err(A::Error::duplicate_field($tag)),
                                (Field::Content, _) if read.is_some() || early.is_some() => {
                                    return Err(A::Error::duplicate_field($content));
                                }
                                (Field::Content, None) => early = Some(map.next_value()?),
                                $($(#[cfg($when)])? (Field::Content, Some(Tag::$variant)) => {
                                    read = Some($name::$variant(map.next_value()?));
                                })*
                            }
                        }
                        match (tag, read, early) {
                            (_, Some(read), _) => Ok(read),
                            (None, None, _) => Err(A::Error::missing_field($tag)),
                            (Some(_), None, None) => Err(A::Error::missing_field($content)),
                            $($(#[cfg($when)])? (Some(Tag::$variant), None, Some(early)) => {
                                $crate::vocab::tagged::late(early).map($name::$variant)
                            })*
                        }
                    }
                }

                // A variant that is not listed could be written and not be read again.
                let _all = |value: &$name| match value {
                    $($(#[cfg($when)])? $name::$variant(_) => {})*
                };
                from.deserialize_map(Both)
            }
        }
    };
}

/// Makes an internally tagged enum readable. What is derived to be read is a twin of it (`remote`), since serde writes and
/// reads an enum in one way only, and this one is written as serde does.
macro_rules! told {
    (
        $(default $default:ident;)?
        #[serde(tag = $tag:literal, $($rest:tt)*)]
        $(#[$meta:meta])*
        $vis:vis enum $name:ident { $($body:tt)* }
    ) => {
        $(#[$meta])*
        #[serde(tag = $tag, $($rest)*)]
        $vis enum $name { $($body)* }

        $(impl Default for $name {
            fn default() -> Self {
                $name::$default
            }
        })?

        const _: () = {
            type Told = $name;

            #[derive(serde::Deserialize)]
            #[serde(remote = "Told", $($rest)*)]
            enum Twin { $($body)* }

            impl<'de> serde::Deserialize<'de> for $name {
                fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                    Twin::deserialize($crate::vocab::json::Told { from, tag: $tag })
                }
            }
        };
    };
}

pub(crate) use {tagged, told};

#[cfg(test)]
mod tests {
    use crate::vocab::error::Code;
    use crate::vocab::event::Fact;
    use crate::vocab::json;

    #[derive(Debug, serde::Deserialize)]
    struct Row {
        #[serde(rename = "seen")]
        _seen: Vec<crate::vocab::evidence::Evidence>,
    }

    const FIRED: &str = r#"{"effect":"3.1"}"#;

    fn code(text: &str) -> Option<Code> {
        json::decode::<Fact>(text).err().map(|error| error.code)
    }

    #[test]
    fn name_and_value_come_in_either_order() {
        let first = json::decode::<Fact>(&format!(r#"{{"type":"timer_fired","data":{FIRED}}}"#));
        let last = json::decode::<Fact>(&format!(r#"{{"data":{FIRED},"type":"timer_fired"}}"#));
        assert!(matches!(first, Ok(Fact::TimerFired(_))), "{first:?}");
        assert_eq!(first, last);
    }

    #[test]
    fn each_fault_has_its_code_in_either_order() {
        assert_eq!(code(r#"{"type":"timer_fired"}"#), Some(Code::MissingField));
        assert_eq!(code(&format!(r#"{{"data":{FIRED}}}"#)), Some(Code::MissingField));
        assert_eq!(code(r#"{"type":"sleep","data":{}}"#), Some(Code::UnknownValue));
        assert_eq!(code(r#"{"type":"timer_fired","more":1}"#), Some(Code::UnknownField));
        for text in
            [r#"{"type":"timer_fired","data":{"x":1}}"#, r#"{"data":{"x":1},"type":"timer_fired"}"#]
        {
            assert_eq!(code(text), Some(Code::UnknownField), "{text}");
        }
        let twice = format!(r#"{{"data":{FIRED},"data":{FIRED},"type":"timer_fired"}}"#);
        assert_eq!(code(&twice), Some(Code::DuplicateField));
    }

    #[test]
    fn a_name_beside_its_value_has_the_same_faults() {
        let fault = |text: &str| json::decode::<Row>(text).map_err(|error| (error.code, error.at));
        let row = |seen: &str| format!(r#"{{"seen":[{seen}]}}"#);
        let at = |seen: &str| fault(&row(seen)).unwrap_err();
        let here = |code: Code| (code, "seen[0]".to_owned());
        assert!(fault(&row(r#"{"id":"t","kind":"test"}"#)).is_ok());
        assert_eq!(at(r#"{"id":"t"}"#), here(Code::MissingField));
        assert_eq!(at(r#"{"kind":"test"}"#), here(Code::MissingField));
        assert_eq!(at(r#"{"kind":"test","id":1}"#), here(Code::WrongType));
        assert_eq!(at(r#"{"kind":"test","id":"t","x":1}"#), here(Code::UnknownField));
        assert_eq!(at("7"), (Code::WrongType, "seen[0]".to_owned()));
        for (tag, code) in [(r#""x""#, Code::UnknownValue), ("true", Code::WrongType)] {
            assert_eq!(at(&format!(r#"{{"kind":{tag}}}"#)), (code, "seen[0].kind".to_owned()));
        }
        assert_eq!(at(r#"{"kind":"test","kind":"test"}"#).0, Code::DuplicateField);
    }
}
