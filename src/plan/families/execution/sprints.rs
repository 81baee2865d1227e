//! Where the sprints are: the first of three forms of which there is any.

use super::super::lines::{Table, titled};
use super::super::outline::Outline;
use super::words::{self, NAME, SPRINT, TASK};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// A sprint, found.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// Its label.
    pub(super) label: String,
    /// Its name.
    pub(super) name: String,
    /// The line that says so.
    pub(super) head: usize,
    /// The lines that say the rest.
    pub(super) body: Range<usize>,
    /// It is the row of a table.
    pub(super) row: bool,
    /// Of a row, what its columns say: their words, and the cells.
    pub(super) cells: Vec<(String, String)>,
    /// The headings it stands under, the nearest first; sprints are none.
    pub(super) above: Vec<usize>,
}

/// The sprints of a document.
pub(super) fn find(outline: &Outline<'_>, tables: &[Table]) -> Vec<Found> {
    let headings = Headings::new(outline, tables);
    let forms = [Headings::sprints, Headings::rows, Headings::tasks];
    let all = forms.iter().map(|form| form(&headings)).find(|found| !found.is_empty());
    let mut all = all.unwrap_or_default();
    let heads: BTreeSet<usize> = all.iter().map(|one| one.head).collect();
    all.iter_mut().for_each(|one| one.above.retain(|at| !heads.contains(at)));
    all
}

/// The headings of a document.
struct Headings<'a, 't> {
    tables: &'t [Table],
    /// How many lines the document has.
    end: usize,
    /// Place, level, words.
    headings: Vec<(usize, usize, &'a str)>,
    /// The heading each of them stands under, as its place among them.
    parents: Vec<Option<usize>>,
}

impl<'a, 't> Headings<'a, 't> {
    fn new(outline: &Outline<'a>, tables: &'t [Table]) -> Self {
        let all = outline.lines.iter().enumerate();
        let headings: Vec<_> =
            all.filter_map(|(at, line)| Some((at, line.level()?, line.words))).collect();
        let mut open: Vec<usize> = Vec::new();
        let mut parents = Vec::with_capacity(headings.len());
        for (place, (_, level, _)) in headings.iter().enumerate() {
            while open.last().is_some_and(|above| headings[*above].1 >= *level) {
                open.pop();
            }
            parents.push(open.last().copied());
            open.push(place);
        }
        Headings { tables, end: outline.lines.len(), headings, parents }
    }

    /// The lines of the headings a heading stands under, the nearest first.
    fn above(&self, place: Option<usize>) -> Vec<usize> {
        let all = std::iter::successors(place, |place| self.parents[*place]);
        all.map(|place| self.headings[place].0).collect()
    }

    /// Behind the last line below a heading, up to the next one that `ends`.
    fn end(&self, place: usize, ends: impl Fn(&(usize, usize, &'a str)) -> bool) -> usize {
        let next = self.headings[place + 1..].iter().find(|one| ends(one));
        next.map_or(self.end, |(at, _, _)| *at)
    }

    fn sprints(&self) -> Vec<Found> {
        let all = self.headings.iter().enumerate().filter_map(|(place, (head, level, text))| {
            let (label, name) = titled(text, &SPRINT)?;
            let ends =
                |one: &(usize, usize, &str)| one.1 <= *level || titled(one.2, &SPRINT).is_some();
            Some(Found {
                label: label.to_owned(),
                name: name.to_owned(),
                head: *head,
                body: head + 1..self.end(place, ends),
                above: self.above(self.parents[place]),
                ..Found::default()
            })
        });
        all.collect()
    }

    fn rows(&self) -> Vec<Found> {
        let fits = |table: &&Table| {
            table.columns.first().is_some_and(|first| words::is(first, &SPRINT))
                && table.column(&NAME).is_some()
        };
        self.tables.iter().filter(fits).flat_map(|table| self.table(table)).collect()
    }

    fn table(&self, table: &Table) -> Vec<Found> {
        let after = self.headings.partition_point(|(at, _, _)| *at < table.lines.start);
        let above = self.above(after.checked_sub(1));
        let named = table.column(&NAME);
        let row = |(head, cells): &(usize, Vec<String>)| {
            let first = cells.first()?;
            let bare = ["sprint ", ""].iter().find_map(|before| {
                titled(&format!("{before}{first}"), &SPRINT).map(|(label, _)| label.to_owned())
            });
            let name = named.and_then(|at| cells.get(at)).cloned().unwrap_or_default();
            // A cell too many has no column.
            let columns =
                table.columns.iter().map(String::as_str).chain(std::iter::repeat("Other"));
            let rest = columns.zip(cells).enumerate().skip(1);
            let rest = rest.filter(|(at, (_, cell))| Some(*at) != named && !cell.is_empty());
            Some(Found {
                label: bare?,
                name,
                head: *head,
                body: head + 1..head + 1,
                row: true,
                cells: rest.map(|(_, (column, cell))| (column.to_owned(), cell.clone())).collect(),
                above: above.clone(),
            })
        };
        table.rows.iter().filter_map(row).collect()
    }

    fn tasks(&self) -> Vec<Found> {
        let mut groups: Vec<(&str, usize, usize)> = Vec::new();
        for (place, (_, _, text)) in self.headings.iter().enumerate() {
            let Some((label, _)) = titled(text, &[TASK]) else { continue };
            let Some((group, _)) = label.split_once('.') else { continue };
            match groups.last_mut() {
                Some((last, _, to)) if *last == group => *to = place,
                _ => groups.push((group, place, place)),
            }
        }
        let mut shared: BTreeMap<Option<usize>, usize> = BTreeMap::new();
        for (_, from, _) in &groups {
            *shared.entry(self.parents[*from]).or_default() += 1;
        }
        let sprint = |(label, from, to): &(&str, usize, usize)| {
            // A section of one group is the sprint; one of several holds them.
            let own = self.parents[*from].filter(|above| {
                shared.get(&Some(*above)) == Some(&1) && self.headings[*above].1 > 1
            });
            let (head, level, _) = self.headings[*to];
            let end = self.end(*to, |one| one.1 <= level || titled(one.2, &[TASK]).is_some());
            let first = own.unwrap_or(*from);
            let name = own.map(|above| self.headings[above].2.to_owned());
            Found {
                label: (*label).to_owned(),
                name: name.unwrap_or_else(|| format!("Sprint {label}")),
                head: self.headings[first].0,
                body: self.headings[first].0 + usize::from(own.is_some())..end.max(head + 1),
                above: self.above(self.parents[first]),
                ..Found::default()
            }
        };
        groups.iter().map(sprint).collect()
    }
}
