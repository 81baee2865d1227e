//! Ordered rows by id, with an undo log: what an event touches costs, and nothing else.
//!
//! A refused event leaves the engine exactly as it was. Small state is simply kept aside for that;
//! state that grows with the plan lives in a [`Table`] or a [`Ledgered`] map, which remember the
//! old value of each row they change until [`Table::commit`] or [`Table::rollback`].

use crate::vocab::json::{Fault, Node, Readable};
use schemars::JsonSchema;
use serde::de::Error;
use serde::{Serialize, Serializer};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A row of a [`Table`].
pub trait Row: Clone {
    /// Its unique id.
    fn id(&self) -> &str;
    /// The group it is counted in.
    fn group(&self) -> &'static str;
    /// Whether it is found by [`Table::live`].
    fn is_live(&self) -> bool;
}

/// Makes a row of what has an `id` and is counted by its `status`, and says which of its kind are live.
macro_rules! row {
    ($name:ty, $row:ident => $live:expr) => {
        impl $crate::vocab::table::Row for $name {
            fn id(&self) -> &str {
                &self.id
            }

            fn group(&self) -> &'static str {
                self.status.as_str()
            }

            fn is_live(&self) -> bool {
                let $row = self;
                $live
            }
        }
    };
}

pub(crate) use row;

/// The ids of rows, for what changes them one by one.
pub(crate) fn ids_of<'a, T: Row + 'a>(rows: impl Iterator<Item = &'a T>) -> Vec<String> {
    rows.map(|row| row.id().to_owned()).collect()
}

#[derive(Clone, Debug)]
enum Undo<T> {
    Changed(usize, Arc<T>),
    Pushed,
    Reordered(Vec<usize>),
}

/// Rows in order, found by id in logarithmic time, counted by group. A clone shares every row with
/// its original until one of them changes it, so that many moments of one mission fit into memory.
#[derive(Clone, Debug)]
pub struct Table<T> {
    rows: Vec<Arc<T>>,
    places: Arc<BTreeMap<String, usize>>,
    groups: BTreeMap<&'static str, usize>,
    live: BTreeSet<usize>,
    undo: Vec<Undo<T>>,
}

impl<T> Default for Table<T> {
    fn default() -> Self {
        Table {
            rows: Vec::new(),
            places: Arc::default(),
            groups: BTreeMap::new(),
            live: BTreeSet::new(),
            undo: Vec::new(),
        }
    }
}

impl<T: Eq> PartialEq for Table<T> {
    fn eq(&self, other: &Self) -> bool {
        self.rows == other.rows
    }
}

impl<T: Eq> Eq for Table<T> {}

impl<T: Row> Table<T> {
    /// A table of `rows`; of rows with one id, the first is found.
    pub fn from_rows(rows: Vec<T>) -> Self {
        let mut table = Table::default();
        for row in rows {
            table.insert(row);
        }
        table
    }

    fn insert(&mut self, row: T) {
        let place = self.rows.len();
        Arc::make_mut(&mut self.places).entry(row.id().to_owned()).or_insert(place);
        *self.groups.entry(row.group()).or_default() += 1;
        if row.is_live() {
            self.live.insert(place);
        }
        self.rows.push(Arc::new(row));
    }

    /// The row of this id.
    pub fn get(&self, id: &str) -> Option<&T> {
        self.places.get(id).and_then(|place| self.row(*place))
    }

    /// The place of the row of this id, from 0.
    pub fn place(&self, id: &str) -> Option<usize> {
        self.places.get(id).copied()
    }

    fn row(&self, place: usize) -> Option<&T> {
        self.rows.get(place).map(Arc::as_ref)
    }

    /// All rows in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &T> + ExactSizeIterator + Clone {
        self.rows.iter().map(Arc::as_ref)
    }

    /// Live rows in order, whatever lies between them.
    pub fn live(&self) -> impl Iterator<Item = &T> {
        self.live.iter().filter_map(|place| self.row(*place))
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// How many rows are in a group.
    pub fn count(&self, group: &str) -> usize {
        self.groups.get(group).copied().unwrap_or(0)
    }

    /// Adds a row at the end. The caller has checked that its id is new.
    pub fn push(&mut self, row: T) {
        self.insert(row);
        self.undo.push(Undo::Pushed);
    }

    /// Changes the row of this id; `false` if there is none.
    pub fn change(&mut self, id: &str, change: impl FnOnce(&mut T)) -> bool {
        let mut change = Some(change);
        self.change_row(id, &mut |row| {
            if let Some(change) = change.take() {
                change(row);
            }
        })
    }

    /// Compiled once for the table, and not for each change.
    fn change_row(&mut self, id: &str, change: &mut dyn FnMut(&mut T)) -> bool {
        let Some(place) = self.places.get(id).copied() else { return false };
        let Some(row) = self.rows.get_mut(place) else { return false };
        let before = Arc::clone(row);
        let row = Arc::make_mut(row);
        change(row);
        let (after, live) = (row.group(), row.is_live());
        self.regroup(before.group(), after);
        self.mark_live(place, live);
        self.undo.push(Undo::Changed(place, before));
        true
    }

    fn mark_live(&mut self, place: usize, live: bool) {
        if live {
            self.live.insert(place);
        } else {
            self.live.remove(&place);
        }
    }

    fn regroup(&mut self, from: &'static str, to: &'static str) {
        if let Some(count) = self.groups.get_mut(from) {
            *count -= 1;
        }
        *self.groups.entry(to).or_default() += 1;
    }

    /// Puts the rows into the order of `ids`; `false`, and nothing done, unless it names each once.
    pub fn reorder(&mut self, ids: &[String]) -> bool {
        let places: Option<Vec<usize>> =
            ids.iter().map(|id| self.places.get(id).copied()).collect();
        let Some(places) = places else { return false };
        let mut sorted = places.clone();
        sorted.sort_unstable();
        sorted.dedup();
        if sorted.len() != self.rows.len() || places.len() != self.rows.len() {
            return false;
        }
        self.permute(&places);
        self.undo.push(Undo::Reordered(places));
        true
    }

    fn permute(&mut self, places: &[usize]) {
        let rows = places.iter().filter_map(|place| self.rows.get(*place).cloned()).collect();
        self.rows = rows;
        let places = self.rows.iter().enumerate().map(|(at, row)| (row.id().to_owned(), at));
        self.places = Arc::new(map_of(places));
        let live = self.rows.iter().enumerate().filter(|(_, row)| row.is_live());
        self.live = live.map(|(place, _)| place).collect();
    }

    /// Whether anything changed since the last commit.
    pub fn touched(&self) -> bool {
        !self.undo.is_empty()
    }

    /// The rows that changed since the last commit, as they are now.
    pub fn touched_rows(&self) -> impl Iterator<Item = &T> {
        let mut pushed = self.rows.len();
        self.undo.iter().rev().filter_map(move |undo| match undo {
            Undo::Changed(place, _) => self.row(*place),
            Undo::Pushed => {
                pushed -= 1;
                self.row(pushed)
            }
            Undo::Reordered(_) => None,
        })
    }

    /// Rows that changed since the last commit, as they were before a change and as they are now.
    pub fn changes(&self) -> impl Iterator<Item = (&T, &T)> {
        self.undo.iter().filter_map(|undo| match undo {
            Undo::Changed(_, before) => self.get(before.id()).map(|now| (before.as_ref(), now)),
            Undo::Pushed | Undo::Reordered(_) => None,
        })
    }

    /// Forgets how it was.
    pub fn commit(&mut self) {
        self.undo.clear();
    }

    /// A place to go back to.
    pub fn mark(&self) -> usize {
        self.undo.len()
    }

    /// Goes back to how it was at the last commit.
    pub fn rollback(&mut self) {
        self.rollback_to(0);
    }

    /// Goes back to how it was at `mark`.
    pub fn rollback_to(&mut self, mark: usize) {
        while self.undo.len() > mark {
            let Some(undo) = self.undo.pop() else { return };
            match undo {
                Undo::Changed(place, before) => {
                    let now = self.rows[place].group();
                    self.regroup(now, before.group());
                    self.mark_live(place, before.is_live());
                    self.rows[place] = before;
                }
                Undo::Pushed => {
                    if let Some(row) = self.rows.pop() {
                        Arc::make_mut(&mut self.places).remove(row.id());
                        self.live.remove(&self.rows.len());
                        if let Some(count) = self.groups.get_mut(row.group()) {
                            *count -= 1;
                        }
                    }
                }
                Undo::Reordered(places) => {
                    let mut inverse = vec![0; places.len()];
                    for (to, from) in places.iter().enumerate() {
                        inverse[*from] = to;
                    }
                    self.permute(&inverse);
                }
            }
        }
    }
}

impl<T: Serialize> Serialize for Table<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(&self.rows)
    }
}

impl<T: Row + Readable> Readable for Table<T> {
    fn read(node: Node<'_>) -> Result<Self, Fault> {
        let rows = Vec::<T>::read(node)?;
        let count = rows.len();
        let table = Table::from_rows(rows);
        match table.places.len() == count {
            true => Ok(table),
            false => Err(Fault::custom("invalid value: an id twice, expected unique ids")),
        }
    }
}

impl<T: JsonSchema> JsonSchema for Table<T> {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        format!("TableOf{}", T::schema_name()).into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        <Vec<T>>::json_schema(generator)
    }
}

/// A map of pairs, put in one by one: to collect it sorts first, and brings a sort of its own for each kind of iterator.
pub(crate) fn map_of<K: Ord, V>(pairs: impl IntoIterator<Item = (K, V)>) -> BTreeMap<K, V> {
    let mut map = BTreeMap::new();
    map.extend(pairs);
    map
}

/// A map from names to numbers with an undo log.
#[derive(Clone, Debug, Default, Serialize, Readable, JsonSchema)]
#[serde(transparent)]
pub struct Ledgered {
    values: BTreeMap<String, u64>,
    #[serde(skip)]
    undo: Vec<(String, Option<u64>)>,
}

impl PartialEq for Ledgered {
    fn eq(&self, other: &Self) -> bool {
        self.values == other.values
    }
}

impl Eq for Ledgered {}

impl Ledgered {
    /// The number of this name.
    pub fn get(&self, name: &str) -> Option<u64> {
        self.values.get(name).copied()
    }

    /// The numbers of the names that begin with `start`.
    pub fn beginning<'a>(&'a self, start: &'a str) -> impl Iterator<Item = u64> + 'a {
        let from = self.values.range(start.to_owned()..);
        from.take_while(move |(name, _)| name.starts_with(start)).map(|(_, value)| *value)
    }

    /// Sets the number of this name.
    pub fn set(&mut self, name: &str, value: u64) {
        let before = self.values.insert(name.to_owned(), value);
        self.undo.push((name.to_owned(), before));
    }

    /// All names and numbers, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, u64)> {
        self.values.iter().map(|(name, value)| (name.as_str(), *value))
    }

    /// Whether anything changed since the last commit.
    pub fn touched(&self) -> bool {
        !self.undo.is_empty()
    }

    /// Forgets how it was.
    pub fn commit(&mut self) {
        self.undo.clear();
    }

    /// A place to go back to.
    pub fn mark(&self) -> usize {
        self.undo.len()
    }

    /// Goes back to how it was at the last commit.
    pub fn rollback(&mut self) {
        self.rollback_to(0);
    }

    /// Goes back to how it was at `mark`.
    pub fn rollback_to(&mut self, mark: usize) {
        while self.undo.len() > mark {
            let Some((name, before)) = self.undo.pop() else { return };
            match before {
                Some(value) => self.values.insert(name, value),
                None => self.values.remove(&name),
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Debug, PartialEq)]
    struct Pair(String, bool);

    impl Row for Pair {
        fn id(&self) -> &str {
            &self.0
        }
        fn group(&self) -> &'static str {
            if self.1 { "on" } else { "off" }
        }
        fn is_live(&self) -> bool {
            self.1
        }
    }

    #[test]
    fn a_clone_shares_its_rows_and_nothing_else() {
        let rows = ["a", "b"].map(|id| Pair(id.to_owned(), false));
        let mut table = Table::from_rows(rows.to_vec());
        let kept = table.clone();
        table.change("a", |row| row.1 = true);
        table.push(Pair("c".to_owned(), true));
        assert!(Arc::ptr_eq(&table.rows[1], &kept.rows[1]));
        assert!(kept.iter().eq(&rows) && kept.get("c").is_none());
        assert_eq!((kept.count("on"), table.count("on")), (0, 2));
    }

    #[test]
    fn rollback_restores_rows_order_and_counts() {
        let rows = ["a", "b", "c"].map(|id| Pair(id.to_owned(), false));
        let mut table = Table::from_rows(rows.to_vec());
        table.push(Pair("d".to_owned(), true));
        table.change("a", |row| row.1 = true);
        assert!(table.reorder(&["d", "c", "b", "a"].map(str::to_owned)));
        table.change("c", |row| row.1 = true);
        assert_eq!((table.count("on"), table.count("off")), (3, 1));
        assert_eq!(table.iter().next().map(Row::id), Some("d"));
        assert!(!table.reorder(&["d", "c", "b", "b"].map(str::to_owned)));
        let live: Vec<&str> = table.live().map(Row::id).collect();
        assert_eq!(live, ["d", "c", "a"]);
        table.rollback();
        assert_eq!(table.live().count(), 0);
        assert!(table.iter().eq(&rows));
        assert_eq!((table.count("on"), table.count("off"), table.len()), (0, 3, 3));
        assert!(table.get("d").is_none() && table.get("a") == Some(&rows[0]));
    }
}
