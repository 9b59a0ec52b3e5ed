//! The order of an answer's items, when it is not by relevance.

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap};
use std::io;

use tantivy::DocId;

use super::columns::AttributeColumns;
use super::facets::keep_first;
use super::fault::QueryFault;
use super::product_property::ProductProperty;
use super::segment::{SegmentAttribute, SegmentColumns, ValueBuffer, each_value};
use super::selected_product::{GroupKey, SelectedProduct};
use super::variant_group::VariantGroup;
use super::variants::ordinals_of;

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

    /// The price by which a group is sorted: the least of the variants that pass, or the most where the dearest comes
    /// first.
    pub(super) fn price_of(&self, group: &VariantGroup<'_>) -> Option<i64> {
        let prices = group.passing_except(0).filter_map(|variant| group.outcomes.prices[variant]);
        if matches!(self, Self::Price(Direction::Down)) { prices.max() } else { prices.min() }
    }

    /// The key by which an order by an attribute places a group of variants.
    pub(super) fn group_key(
        &self,
        group: &VariantGroup<'_>,
        columns: &SegmentColumns,
        attributes: &AttributeColumns,
    ) -> io::Result<GroupKey> {
        let Self::Attribute(name, direction) = self else { return Ok(GroupKey::OfProduct) };
        let Some(axis) = attributes.number(name).and_then(|column| group.table.axis(column)) else {
            return Ok(GroupKey::OfProduct);
        };
        let values = columns.attribute(name)?;
        let ordinals = group.ordinals_on(&axis, &values, 0);
        let numbers = values.numbers_of_texts(|text| attributes.number_of_text(name, text))?;
        Ok(GroupKey::OfGroup(key_of_values(&ordinals, numbers, *direction)))
    }

    /// The passing variants of a group whose values decide its place in an order by an attribute; `None` where all do.
    ///
    /// # Errors
    /// When a column cannot be read.
    pub fn deciding_variants(
        &self,
        group: &VariantGroup<'_>,
        columns: &SegmentColumns,
        attributes: &AttributeColumns,
    ) -> io::Result<Option<Vec<usize>>> {
        let Self::Attribute(name, direction) = self else { return Ok(None) };
        let Some(axis) = attributes.number(name).and_then(|column| group.table.axis(column)) else {
            return Ok(None);
        };
        let values = columns.attribute(name)?;
        let Some(texts) = &values.texts else { return Ok(None) };
        let numbers = values.numbers_of_texts(|text| attributes.number_of_text(name, text))?;
        let ordinals: Vec<u64> = ordinals_of(texts, group.document).collect();
        let mut held: BTreeMap<usize, Vec<u64>> =
            group.passing_except(0).map(|variant| (variant, Vec::new())).collect();
        axis.each_place(|variant, place| {
            if let Some(held) = held.get_mut(&variant) {
                held.extend(ordinals.get(place));
            }
        });
        let key_of = |ordinals: &[u64]| key_of_values(ordinals, numbers, *direction);
        let all: Vec<u64> = held.values().flatten().copied().collect();
        let key = key_of(&all);
        Ok(Some(held.into_iter().filter(|(_, own)| key_of(own) == key).map(|(variant, _)| variant).collect()))
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
    /// Its place among all that were selected in the segment.
    part: usize,
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
        keep_first(&mut ranked, self.most, |(place, id)| (keys[*place].is_none(), keys[*place], *id, *place));
        let kept_ids: Vec<u64> = ranked.iter().map(|(_, id)| id.unwrap_or_default()).collect();
        places = ranked.into_iter().map(|(place, _)| place).collect();
        let id_texts = columns.id.texts(&kept_ids)?;
        let text_keys = places.iter().filter_map(|place| keys[*place].filter(|key| self.is_text(*key)));
        let text_keys: Vec<u64> = text_keys.map(|key| self.ascending(key)).collect();
        let mut key_texts = self.key_texts(columns, &text_keys)?.unwrap_or_default().into_iter();
        for (place, id) in places.iter().zip(id_texts) {
            let key = match keys[*place] {
                Some(key) if self.is_text(key) => key_texts.next().map(Key::Text),
                key => key.map(|key| self.number_key(key)),
            };
            let sorted = SortedHit { segment, selected: selected[*place], id };
            self.found.push(SortCandidate { key, sorted, part: *place });
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
        let mut ascending = match self.sort {
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
                // A product that is there in parts is read once.
                let mut distinct = documents.to_vec();
                distinct.dedup();
                let keys = attribute_keys(&*columns.attribute(name)?, &distinct, *direction);
                let keys: HashMap<DocId, Option<u64>> = distinct.into_iter().zip(keys).collect();
                documents.iter().map(|document| keys.get(document).copied().flatten()).collect()
            }
        };
        for (key, selected) in ascending.iter_mut().zip(selected) {
            if let GroupKey::OfGroup(own) = selected.key {
                *key = own;
            }
        }
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

    /// The texts that keys stand for, of the places whose keys do; `None` when the column has no texts.
    fn key_texts(&self, columns: &SegmentColumns, keys: &[u64]) -> io::Result<Option<Vec<String>>> {
        match self.sort {
            Sort::Title(_) => columns.title.texts(keys).map(Some),
            Sort::Attribute(name, _) => {
                let ordinals: Vec<u64> = keys.iter().map(|key| key.saturating_sub(FIRST_TEXT)).collect();
                columns.attribute(name)?.texts.as_ref().map(|column| column.texts(&ordinals)).transpose()
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
    // Parts of one product keep the order in which they were selected.
    by_key.then_with(|| a.sorted.id.cmp(&b.sorted.id)).then_with(|| a.part.cmp(&b.part))
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

/// The key of a product by some of its values, given by their ordinals, in a column whose texts stand for `numbers`.
fn key_of_values(ordinals: &[u64], numbers: &[f64], direction: Direction) -> Option<u64> {
    let number_of = |ordinal: &u64| numbers.get(*ordinal as usize).copied().filter(|number| !number.is_nan());
    let outermost = |keys: &mut dyn Iterator<Item = u64>| match direction {
        Direction::Up => keys.min(),
        Direction::Down => keys.max(),
    };
    let number = outermost(&mut ordinals.iter().filter_map(number_of).map(tantivy::f64_to_u64));
    number.or_else(|| outermost(&mut ordinals.iter().map(|ordinal| FIRST_TEXT + ordinal)))
}
