//! What every type that is read from a tree shares: `derive(Readable)` makes calls of it. Nothing here depends on the type.

use super::node::{Fault, Node};
use super::read::Readable;
use serde::de::Error;
use std::borrow::Cow;
use std::fmt;

/// Where the value of a field is put.
pub trait Slot {
    /// Reads it.
    ///
    /// # Errors
    /// If it does not fit.
    fn fill(&mut self, node: Node<'_>) -> Result<(), Fault>;

    /// There is none of this name.
    ///
    /// # Errors
    /// Unless the type has a value for that.
    fn absent(&mut self, name: &'static str) -> Result<(), Fault>;
}

impl<T: Readable> Slot for Option<T> {
    fn fill(&mut self, node: Node<'_>) -> Result<(), Fault> {
        *self = Some(T::read(node)?);
        Ok(())
    }

    fn absent(&mut self, name: &'static str) -> Result<(), Fault> {
        *self = Some(T::absent(name)?);
        Ok(())
    }
}

/// A field that is read in a way of its own.
#[derive(Debug)]
pub struct With<T> {
    /// What was read.
    pub value: Option<T>,
    read: fn(Node<'_>) -> Result<T, Fault>,
}

impl<T> With<T> {
    /// To be read so.
    pub fn new(read: fn(Node<'_>) -> Result<T, Fault>) -> Self {
        With { value: None, read }
    }
}

impl<T> Slot for With<T> {
    fn fill(&mut self, node: Node<'_>) -> Result<(), Fault> {
        self.value = Some((self.read)(node)?);
        Ok(())
    }

    fn absent(&mut self, name: &'static str) -> Result<(), Fault> {
        Err(Fault::missing_field(name))
    }
}

/// What was read: a slot is filled where reading went well.
pub fn found<T>(slot: Option<T>) -> T {
    match slot {
        Some(value) => value,
        None => unreachable!("reading went well, and a value is missing"),
    }
}

/// A value that its type refuses.
pub fn refused(why: impl fmt::Display) -> Fault {
    Fault::custom(why)
}

/// The fields of a type.
#[derive(Debug)]
pub struct Shape {
    /// By which names they are read.
    pub names: &'static [&'static str],
    /// The field that each name stands for.
    pub places: &'static [u8],
    /// A bit for each field that must be there, or be known to its type as missing.
    pub must: u64,
    /// Whether other fields are refused.
    pub strict: bool,
}

impl Shape {
    /// Reads each field into the slot at its place.
    ///
    /// # Errors
    /// The first fault in the order of the text; then what is missing.
    pub fn read(&self, node: Node<'_>, slots: &mut [&mut dyn Slot]) -> Result<(), Fault> {
        let (mut seen, mut next) = (0_u64, 0);
        for (name, value) in node.fields(&"an object")? {
            let Some(at) = self.find(&name, next) else {
                if self.strict {
                    return Err(Fault::unknown_field(&name, self.names).named(name));
                }
                continue;
            };
            next = at + 1;
            let place = self.places[at];
            if seen & (1 << place) != 0 {
                return Err(Fault::duplicate_field(self.names[at]).named(name));
            }
            seen |= 1 << place;
            slots[usize::from(place)].fill(value).map_err(|fault| fault.within(name))?;
        }
        let missing = self.must & !seen;
        for (name, place) in self.names.iter().zip(self.places) {
            if missing & (1 << place) != 0 {
                slots[usize::from(*place)].absent(name)?;
            }
        }
        Ok(())
    }

    /// Fields mostly come in the order in which they are declared.
    fn find(&self, name: &str, next: usize) -> Option<usize> {
        match self.names.get(next) {
            Some(known) if *known == name => Some(next),
            _ => self.names.iter().position(|known| *known == name),
        }
    }
}

/// How the variant of a choice is told.
#[derive(Debug)]
pub enum Told {
    /// By a word, or by the name of the one field of an object, which holds what the variant holds.
    Alone,
    /// By this field, beside those of its value.
    Beside(&'static str),
    /// By the first of these fields; the second has its value.
    Apart {
        /// Both.
        names: &'static [&'static str; 2],
        /// Whether other fields are refused.
        strict: bool,
    },
}

/// What a variant holds.
#[derive(Debug)]
pub enum Content<'a> {
    /// A word has nothing.
    Nothing,
    /// This.
    Value(Node<'a>),
    /// The fields beside the one that names the variant. One that holds nothing leaves them alone.
    Beside(Node<'a>),
    /// The field of this name is not there.
    Missing(&'static str),
}

impl<'a> Content<'a> {
    /// Of a variant that holds a value.
    ///
    /// # Errors
    /// If its field is missing.
    pub fn node(self) -> Result<Node<'a>, Fault> {
        match self {
            Content::Nothing => Ok(Node::Null),
            Content::Value(node) | Content::Beside(node) => Ok(node),
            Content::Missing(name) => Err(Fault::missing_field(name)),
        }
    }

    /// Of a variant that holds nothing.
    ///
    /// # Errors
    /// If there is something.
    pub fn nothing(self) -> Result<(), Fault> {
        match self {
            Content::Value(Node::Null)
            | Content::Nothing
            | Content::Beside(_)
            | Content::Missing(_) => Ok(()),
            Content::Value(other) => Err(other.unfit(&"nothing")),
        }
    }
}

type Words = &'static [&'static str];
type Take<'t> = &'t mut dyn FnMut(usize, Content<'_>) -> Result<(), Fault>;

impl Told {
    /// Hands over which of the variants it is, and what it holds.
    ///
    /// # Errors
    /// If there is no such variant, or what it holds does not fit.
    pub fn read(&self, node: Node<'_>, words: Words, take: Take<'_>) -> Result<(), Fault> {
        match self {
            Told::Alone => {
                let (name, content) = alone(node)?;
                take(known(&name, words)?, content)
            }
            Told::Beside(tag) => {
                let (variant, rest) = beside(node, tag, words)?;
                // The object was read first and is judged now: its place ends at the object.
                take(variant, Content::Beside(rest)).map_err(Fault::custom)
            }
            Told::Apart { names, strict } => apart(node, names, *strict, words, take),
        }
    }
}

/// Which of the words this is.
///
/// # Errors
/// If it is none.
pub fn word(node: Node<'_>, words: Words) -> Result<usize, Fault> {
    let (name, content) = alone(node)?;
    let variant = known(&name, words)?;
    content.nothing()?;
    Ok(variant)
}

fn known(name: &str, words: Words) -> Result<usize, Fault> {
    let place = words.iter().position(|word| *word == name);
    place.ok_or_else(|| Fault::unknown_variant(name, words))
}

fn alone(node: Node<'_>) -> Result<(Cow<'_, str>, Content<'_>), Fault> {
    match node {
        Node::Text(name) => Ok((name, Content::Nothing)),
        Node::Object(mut fields) if fields.len() == 1 => {
            let (name, content) = fields.swap_remove(0);
            Ok((name, Content::Value(content)))
        }
        other => Err(other.unfit(&"a word")),
    }
}

fn beside<'a>(node: Node<'a>, tag: &'static str, words: Words) -> Result<(usize, Node<'a>), Fault> {
    let (mut variant, mut rest) = (None, Vec::new());
    for (name, value) in node.fields(&"an object")? {
        if name != tag {
            rest.push((name, value));
        } else if variant.is_some() {
            return Err(Fault::duplicate_field(tag).named(name));
        } else {
            let read = match value {
                Node::Text(word) => known(&word, words),
                other => Err(other.unfit(&"variant identifier")),
            };
            variant = Some(read.map_err(|fault| fault.within(name))?);
        }
    }
    Ok((variant.ok_or_else(|| Fault::missing_field(tag))?, Node::Object(rest)))
}

/// The two fields come in either order: a value that comes before its name is kept until then.
fn apart(
    node: Node<'_>,
    names: &'static [&'static str; 2],
    strict: bool,
    words: Words,
    take: Take<'_>,
) -> Result<(), Fault> {
    let [tag, content] = names;
    let (mut variant, mut early, mut taken) = (None, None, false);
    for (name, value) in node.fields(&"an object")? {
        if name == *tag {
            if variant.is_some() {
                return Err(Fault::duplicate_field(tag).named(name));
            }
            variant = Some(word(value, words).map_err(|fault| fault.within(name))?);
        } else if name == *content {
            if taken || early.is_some() {
                return Err(Fault::duplicate_field(content).named(name));
            }
            match variant {
                None => early = Some(value),
                Some(variant) => {
                    take(variant, Content::Value(value)).map_err(|fault| fault.within(name))?;
                    taken = true;
                }
            }
        } else if strict {
            return Err(Fault::unknown_field(&name, names).named(name));
        }
    }
    match (variant, early) {
        (Some(_), _) if taken => Ok(()),
        (None, _) => Err(Fault::missing_field(tag)),
        (Some(variant), None) => take(variant, Content::Missing(content)),
        (Some(variant), Some(early)) => take(variant, Content::Value(early)).map_err(Fault::custom),
    }
}

#[cfg(test)]
mod tests {
    use crate::vocab::error::Code;
    use crate::vocab::event::Fact;
    use crate::vocab::json;

    #[derive(Debug, crate::vocab::json::Readable)]
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
