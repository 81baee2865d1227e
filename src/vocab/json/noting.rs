//! What was written by hand after a form, and says more than the form asks for.

use super::node::{Fault, Node};
use super::shape::{self, Slot};
use super::{MOST_BYTES, Readable, Segment, guard, no_object, path_of, tree, twice, unfit};
use crate::vocab::error::{Code, Error, Result};
use std::collections::BTreeSet;

/// As [`decode`](super::decode), for what somebody wrote by hand after a form: a field that the form does not know, at any
/// depth, is taken out and named by its path; the rest counts.
///
/// # Errors
/// As [`decode`](super::decode); `duplicate_field` for a field twice in one object.
pub fn decode_noting<T: Readable>(text: &str) -> Result<(T, Vec<String>)> {
    let mut read: Option<T> = None;
    let unknown = fill(&mut read, text)?;
    Ok((shape::found(read), unknown))
}

fn fill(slot: &mut dyn Slot, text: &str) -> Result<Vec<String>> {
    guard(text)?;
    let (mut node, mut unknown) = (tree(text)?, Vec::new());
    if matches!(node, Node::List(_)) {
        return Err(no_object());
    }
    each_once(&node)?;
    // Each field costs a reading: all of them together no more than the longest text.
    let mut left = MOST_BYTES;
    loop {
        let Err(fault) = slot.fill(node.clone()) else { return Ok(unknown) };
        left = left.saturating_sub(text.len());
        match (left > 0).then(|| take_out(&mut node, &fault)).flatten() {
            Some(path) => unknown.push(path),
            None => return Err(beside(unfit(&fault, text), &unknown)),
        }
    }
}

/// A fault beside fields that no form knows: one of them may be the one that is missing, by another name.
fn beside(mut fault: Error, unknown: &[String]) -> Error {
    let near =
        unknown.iter().filter(|path| path.rsplit_once('.').map_or("", |(at, _)| at) == fault.at);
    let names: Vec<String> = near.take(3).map(|path| format!("`{path}`")).collect();
    if fault.code == Code::MissingField && !names.is_empty() {
        fault.got = format!("{}, but {}, which is unknown", fault.got, names.join(", "));
    }
    fault
}

/// Takes the field out that a fault says no form knows, and answers with its path.
fn take_out(node: &mut Node, fault: &Fault) -> Option<String> {
    let name = fault.0.what.strip_prefix("unknown field `")?.split('`').next()?;
    // Where a variant is told by a field, its object is read first and judged later: the path ends there.
    let to_holder = &fault.0.path[usize::from(fault.0.named)..];
    let holder = to_holder.iter().rev().try_fold(node, |holder, step| match (holder, step) {
        (Node::List(items), Segment::Place(place)) => items.get_mut(*place),
        (Node::Object(fields), Segment::Field(Some(name))) => {
            fields.iter_mut().find(|(known, _)| known == name).map(|(_, value)| value)
        }
        _ => None,
    })?;
    let Node::Object(fields) = holder else { return None };
    let place = fields.iter().position(|(known, _)| known == name)?;
    fields.remove(place);
    let path = path_of(to_holder.iter().rev());
    Some(if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") })
}

/// Whether no object has a field twice.
fn each_once(node: &Node) -> Result<()> {
    match node {
        Node::Object(fields) => {
            let mut seen = BTreeSet::new();
            fields.iter().try_for_each(|(name, value)| match seen.insert(name) {
                true => each_once(value).map_err(|error| error.within(name)),
                false => Err(twice(name, name)),
            })
        }
        Node::List(items) => items.iter().try_for_each(each_once),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_form_knows_is_taken_out_and_named() {
        use crate::vocab::verdict::Verdict;
        #[derive(Debug, Readable)]
        struct Form {
            rows: Vec<Verdict>,
        }
        let row = |more: &str, evidence: &str| {
            let held = r#""criterion":"c","finding":"holds","method":"ran it""#;
            format!(r#"{{"rows":[{{{held}{more},"evidence":[{evidence}]}}]}}"#)
        };
        let test = r#"{"kind":"test","id":"t","note":"n"},{"kind":"manual","note":"seen","by":1}"#;
        let (form, unknown) = decode_noting::<Form>(&row(r#","note":"n","a.b":2"#, test)).unwrap();
        assert_eq!(form.rows[0].evidence.len(), 2);
        let mut named = unknown.clone();
        named.sort();
        let at = |name: &str| format!("rows[0].{name}");
        let all = ["a.b", "evidence[0].note", "evidence[1].by", "note"].map(at);
        assert_eq!(named, all);

        let fault = |text: &str| decode_noting::<Form>(text).unwrap_err();
        let twice = fault(&row(r#","note":1,"method":"other""#, ""));
        assert_eq!(twice.code, Code::DuplicateField);
        let renamed = fault(r#"{"rows":[{"criterion":"c","result":"holds","method":"ran it"}]}"#);
        assert_eq!((renamed.code, renamed.at.as_str()), (Code::MissingField, "rows[0]"));
        assert!(renamed.got.contains("`rows[0].result`"), "{renamed:?}");
    }
}
