//! The order of an answer's items, when it is not by relevance.

use std::cmp::Ordering;
use std::io;

use tantivy::DocId;

use super::columns::AttributeColumns;
use super::facets::keep_first;
use super::fault::QueryFault;
use super::product_property::ProductProperty;
use super::segment::{SegmentAttribute, SegmentColumns, TextColumn, ValueBuffer, each_value};
use super::selection::SelectedProduct;

/// The key of the first text of an attribute: more than that of any number.
const FIRST_TEXT: u64 = 0xFFF0_0000_0000_0001;

/// Order of the items; equal ones are ordered by their id.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Sort {
    /// The best first.
    #[default]
    Relevance,
    /// The price that the caller pays; products without one last.
    Price(Direction),
    /// The day on which the shop first shows it, the latest first.
    Newest,
    /// The title, without regard to case and marks.
    Title(Direction),
    /// An attribute that has a column: numbers before texts; products without it last.
    Attribute(String, Direction),
}

/// Direction of an order: the end that comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// The least first.
    Up,
    /// The most first.
    Down,
}

impl Sort {
    /// Reads `relevance`, `price`, `newest`, `title` or `Attributes.NAME`; a leading `-` reverses the order of all but
    /// `relevance` and `newest`. An attribute without a column gives no order: then it is relevance.
    ///
    /// # Errors
    /// When the name is no such order, no attribute can be named so, or prices have no currency.
    pub fn parse(name: &str, columns: &AttributeColumns, has_currency: bool) -> Result<Self, QueryFault> {
        let is_down = name.starts_with('-');
        let direction = if is_down { Direction::Down } else { Direction::Up };
        let sort = match name.strip_prefix('-').unwrap_or(name) {
            "relevance" | "" if !is_down => Self::Relevance,
            "newest" if !is_down => Self::Newest,
            "price" => Self::Price(direction),
            "title" => Self::Title(direction),
            plain => {
                let Some(attribute) = plain.strip_prefix("Attributes.") else {
                    let allowed =
                        "relevance, newest, price, title and Attributes.NAME, the last three also with a -";
                    let sentence = format!("{name:?} is not known; allowed are {allowed}");
                    return Err(QueryFault::new("Sort", sentence));
                };
                match ProductProperty::attribute(attribute, "Sort", columns)? {
                    ProductProperty::Attribute(name) if columns.kind(&name).is_some() => {
                        Self::Attribute(name, direction)
                    }
                    _ => Self::Relevance,
                }
            }
        };
        if matches!(sort, Self::Price(_)) && !has_currency {
            return Err(QueryFault::new("Sort", "prices are compared in one currency: name it in Currency"));
        }
        Ok(sort)
    }

    fn direction(&self) -> Direction {
        match self {
            Self::Relevance | Self::Newest => Direction::Down,
            Self::Price(direction) | Self::Title(direction) | Self::Attribute(_, direction) => *direction,
        }
    }
}

/// A place in the order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SortedHit {
    /// The segment, by its number in the order in which segments were added.
    pub segment: usize,
    /// The product as it was selected there.
    pub selected: SelectedProduct,
    /// Its id.
    pub id: String,
}

/// The first items in an order, over segments.
pub struct Sorting<'q> {
    sort: &'q Sort,
    most: usize,
    segments: usize,
    found: Vec<SortCandidate>,
}

/// Value by which candidates are compared; a text stands for ordinals of several segments.
#[derive(Debug, Clone, PartialEq)]
enum Key {
    Number(f64),
    Amount(i64),
    Text(String),
}

struct SortCandidate {
    key: Option<Key>,
    sorted: SortedHit,
}

impl<'q> Sorting<'q> {
    /// The first `most` by this order; with [`Sort::Relevance`] they are ordered by id.
    #[must_use]
    pub fn new(sort: &'q Sort, most: usize) -> Self {
        Self { sort, most, segments: 0, found: Vec::new() }
    }

    /// Adds the products selected in a segment.
    ///
    /// # Errors
    /// When a column cannot be read.
    pub fn add(&mut self, columns: &SegmentColumns, selected: &[SelectedProduct]) -> io::Result<()> {
        let segment = self.segments;
        self.segments += 1;
        let documents: Vec<DocId> = selected.iter().map(|selected| selected.document).collect();
        let keys = self.keys(columns, selected, &documents)?;
        let mut places = first_places(&keys, self.most);
        let documents_of =
            |places: &[usize]| places.iter().map(|place| documents[*place]).collect::<Vec<DocId>>();
        let ids = first_values(columns.id.ordinals(), &documents_of(&places));
        let mut ranked: Vec<_> = places.into_iter().zip(ids).collect();
        keep_first(&mut ranked, self.most, |(place, id)| (keys[*place].is_none(), keys[*place], *id));
        let kept_ids: Vec<u64> = ranked.iter().map(|(_, id)| id.unwrap_or_default()).collect();
        places = ranked.into_iter().map(|(place, _)| place).collect();
        let id_texts = columns.id.texts(&kept_ids)?;
        let has_texts = places.iter().any(|place| keys[*place].is_some_and(|key| self.is_text(key)));
        let key_texts = if has_texts { self.key_texts(columns, &documents, &places)? } else { None };
        for (number, (place, id)) in places.iter().zip(id_texts).enumerate() {
            let key = match (&key_texts, keys[*place]) {
                (_, None) => None,
                (Some(texts), Some(key)) if self.is_text(key) => Some(Key::Text(texts[number].clone())),
                (_, Some(key)) => Some(self.number_key(key)),
            };
            self.found
                .push(SortCandidate { key, sorted: SortedHit { segment, selected: selected[*place], id } });
        }
        Ok(())
    }

    /// The items in their order.
    #[must_use]
    pub fn finish(mut self) -> Vec<SortedHit> {
        let is_down = self.sort.direction() == Direction::Down;
        self.found.sort_unstable_by(|a, b| compare(a, b, is_down));
        self.found.truncate(self.most);
        self.found.into_iter().map(|candidate| candidate.sorted).collect()
    }

    /// A number for each product that orders them within the segment, the first the least; `None` comes last.
    fn keys(
        &self,
        columns: &SegmentColumns,
        selected: &[SelectedProduct],
        documents: &[DocId],
    ) -> io::Result<Vec<Option<u64>>> {
        let ascending = match self.sort {
            Sort::Relevance => vec![Some(0); selected.len()],
            Sort::Price(_) => {
                selected.iter().map(|selected| selected.price.map(tantivy::i64_to_u64)).collect()
            }
            Sort::Newest => {
                let days = first_values(&columns.newest, documents).into_iter();
                days.map(|day| day.map(tantivy::i64_to_u64)).collect()
            }
            Sort::Title(_) => first_values(columns.title.ordinals(), documents),
            Sort::Attribute(name, direction) => {
                attribute_keys(&*columns.attribute(name)?, documents, *direction)
            }
        };
        if self.sort.direction() == Direction::Up {
            return Ok(ascending);
        }
        Ok(ascending.into_iter().map(|key| key.map(|key| u64::MAX - key)).collect())
    }

    /// Returns true if a key stands for a text.
    fn is_text(&self, key: u64) -> bool {
        match self.sort {
            Sort::Title(_) => true,
            Sort::Attribute(..) => self.ascending(key) >= FIRST_TEXT,
            _ => false,
        }
    }

    fn ascending(&self, key: u64) -> u64 {
        if self.sort.direction() == Direction::Up { key } else { u64::MAX - key }
    }

    /// The texts that belong to the keys of these products; `None` when keys are numbers.
    fn key_texts(
        &self,
        columns: &SegmentColumns,
        documents: &[DocId],
        places: &[usize],
    ) -> io::Result<Option<Vec<String>>> {
        let kept: Vec<DocId> = places.iter().map(|place| documents[*place]).collect();
        let texts_of = |column: &TextColumn, direction| {
            let ordinals = outermost_in_any_order(column, &kept, direction);
            column.texts(&ordinals)
        };
        match self.sort {
            Sort::Title(direction) => texts_of(&columns.title, *direction).map(Some),
            Sort::Attribute(name, direction) => {
                let column = columns.attribute(name)?;
                column.texts.as_ref().map(|column| texts_of(column, *direction)).transpose()
            }
            _ => Ok(None),
        }
    }

    fn number_key(&self, key: u64) -> Key {
        let key = self.ascending(key);
        match self.sort {
            Sort::Attribute(..) => Key::Number(tantivy::u64_to_f64(key)),
            _ => Key::Amount(tantivy::u64_to_i64(key)),
        }
    }
}

/// By key in the direction, without one last, equal ones by id upwards.
fn compare(a: &SortCandidate, b: &SortCandidate, is_down: bool) -> Ordering {
    let by_key = match (&a.key, &b.key) {
        (None, None) => Ordering::Equal,
        (None, Some(_)) => Ordering::Greater,
        (Some(_), None) => Ordering::Less,
        (Some(a), Some(b)) => {
            let order = match (a, b) {
                (Key::Number(a), Key::Number(b)) => a.total_cmp(b),
                (Key::Amount(a), Key::Amount(b)) => a.cmp(b),
                (Key::Text(a), Key::Text(b)) => a.cmp(b),
                (_, Key::Text(_)) => Ordering::Less,
                (Key::Text(_), _) => Ordering::Greater,
                _ => Ordering::Equal,
            };
            if is_down { order.reverse() } else { order }
        }
    };
    by_key.then_with(|| a.sorted.id.cmp(&b.sorted.id))
}

/// The places of the first keys, and of all keys equal to the last of these; in no order.
fn first_places(keys: &[Option<u64>], most: usize) -> Vec<usize> {
    let rank = |key: &Option<u64>| (key.is_none(), *key);
    if keys.len() <= most || most == 0 {
        return (0..keys.len()).collect();
    }
    let mut ranks: Vec<_> = keys.iter().map(rank).collect();
    let (_, last, _) = ranks.select_nth_unstable(most - 1);
    (0..keys.len()).filter(|place| rank(&keys[*place]) <= *last).collect()
}

/// A number for each product that orders them by an attribute: first products with a numeric value, then the others by
/// their texts.
fn attribute_keys(column: &SegmentAttribute, documents: &[DocId], direction: Direction) -> Vec<Option<u64>> {
    let mut keys = vec![None; documents.len()];
    if let Some(texts) = &column.texts {
        let ordinals = outermost_values(texts.ordinals(), documents, direction).into_iter();
        keys = ordinals.map(|ordinal| ordinal.map(|ordinal| FIRST_TEXT + ordinal)).collect();
    }
    if let Some(numbers) = &column.numbers {
        let numbers = outermost_values(numbers, documents, direction);
        for (key, number) in keys.iter_mut().zip(numbers) {
            *key = number.map(tantivy::f64_to_u64).or(*key);
        }
    }
    keys
}

fn first_values<T>(column: &tantivy::columnar::Column<T>, documents: &[DocId]) -> Vec<Option<T>>
where
    T: PartialOrd + Copy + std::fmt::Debug + Send + Sync + 'static,
{
    let mut values = vec![None; documents.len()];
    column.first_vals(documents, &mut values);
    values
}

/// Value of each document; among several, the first in the direction.
fn outermost_values<T>(
    column: &tantivy::columnar::Column<T>,
    documents: &[DocId],
    direction: Direction,
) -> Vec<Option<T>>
where
    T: PartialOrd + Copy + Default + std::fmt::Debug + Send + Sync + 'static,
{
    let mut values: Vec<Option<T>> = vec![None; documents.len()];
    each_value(column, documents, &mut ValueBuffer::default(), |place, value| {
        let is_first = values[place].is_none_or(|other| match direction {
            Direction::Up => value < other,
            Direction::Down => value > other,
        });
        if is_first {
            values[place] = Some(value);
        }
    });
    values
}

/// The same for documents in any order; 0 without a value.
fn outermost_in_any_order(column: &TextColumn, documents: &[DocId], direction: Direction) -> Vec<u64> {
    let one = |document: &DocId| {
        let values = column.ordinals().values_for_doc(*document);
        match direction {
            Direction::Up => values.min(),
            Direction::Down => values.max(),
        }
    };
    documents.iter().map(|document| one(document).unwrap_or_default()).collect()
}
