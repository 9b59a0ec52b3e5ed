//! Choice of the attributes that get a column of the index, for facets, filters and sorts; all others are searched as
//! text.

use super::product_document::ProductDocument;
use super::values::{Attribute, AttributeValue, Measure};
use std::collections::{BTreeSet, HashMap};

/// Columns of attributes in an index.
const COLUMNS_MAX: usize = 200;
/// An attribute has a column when at least one in this many products holds it.
const PRODUCTS_A_HOLDER: u64 = 100;
/// Longer values are sentences and no choices of a facet.
const CHOICE_BYTES_MAX: usize = 100;
/// Maximum number of names counted: a shop that invents a name for each product must not fill the memory.
const NAMES_MAX: usize = 20_000;
/// Units counted at most of an attribute.
const UNITS_MAX: usize = 16;

/// Type of the values of a column.
#[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord)]
pub enum AttributeKind {
    /// Texts; numbers among them are texts too.
    Text,
    /// Numbers, all of one unit or of none, and their texts.
    Number,
}

/// An attribute with a column.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AttributeColumn {
    /// Its name as the shop writes it.
    pub name: String,
    /// Type of its values.
    pub kind: AttributeKind,
    /// Number of products that hold it.
    pub products: u64,
    /// The unit that most of its numbers have, or empty.
    pub unit: String,
    /// True if it is an option of variants.
    pub is_option: bool,
}

/// The attributes with columns, by name.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct AttributeStatistics {
    columns: Vec<AttributeColumn>,
}

impl AttributeStatistics {
    /// The columns in the order of their names.
    #[must_use]
    pub fn columns(&self) -> &[AttributeColumn] {
        &self.columns
    }

    /// The position of the column of the attribute with exactly this name.
    #[must_use]
    pub fn position(&self, name: &str) -> Option<usize> {
        self.columns.binary_search_by(|column| column.name.as_str().cmp(name)).ok()
    }

    /// The column of the attribute that a request means: the one with exactly this name, else the first that differs in
    /// case alone.
    #[must_use]
    pub fn column(&self, name: &str) -> Option<&AttributeColumn> {
        let exact = self.position(name).and_then(|position| self.columns.get(position));
        exact.or_else(|| {
            let lower = name.to_lowercase();
            self.columns.iter().find(|column| column.name.to_lowercase() == lower)
        })
    }

    /// One line per column: products, kind (a capital for an option), unit and name, separated by tabs.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut out = String::new();
        for AttributeColumn { name, kind, products, unit, is_option } in &self.columns {
            let kind = if *kind == AttributeKind::Number { 'n' } else { 't' };
            let kind = if *is_option { kind.to_ascii_uppercase() } else { kind };
            out.push_str(&format!("{products}\t{kind}\t{unit}\t{name}\n"));
        }
        out.into_bytes()
    }

    /// The columns of encoded bytes; `None` for other bytes.
    #[must_use]
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let lines = std::str::from_utf8(bytes).ok()?.lines();
        let columns = lines.map(|line| {
            let mut parts = line.splitn(4, '\t');
            let products = parts.next()?.parse().ok()?;
            let letter = parts.next()?;
            let kind = match letter {
                "n" | "N" => AttributeKind::Number,
                "t" | "T" => AttributeKind::Text,
                _ => return None,
            };
            let is_option = letter.bytes().all(|letter| letter.is_ascii_uppercase());
            let unit = parts.next()?.to_owned();
            Some(AttributeColumn { name: parts.next()?.to_owned(), kind, products, unit, is_option })
        });
        columns.collect::<Option<Vec<_>>>().map(|columns| Self { columns })
    }
}

#[derive(Default)]
struct AttributeTally {
    products: u64,
    values: u64,
    numbers: u64,
    sentences: u64,
    /// The units of its numbers, the first few, and how many numbers have each; several make it a column of texts.
    units: Vec<(String, u64)>,
    is_option: bool,
}

/// Counts the attributes of products.
pub struct AttributeCounter {
    seen: HashMap<String, AttributeTally>,
    named: BTreeSet<String>,
    products: u64,
}

impl AttributeCounter {
    /// Counts nothing yet. The attributes that the account names have a column even if few products hold them.
    #[must_use]
    pub fn new(named: impl IntoIterator<Item = String>) -> Self {
        Self { seen: HashMap::new(), named: named.into_iter().collect(), products: 0 }
    }

    /// Counts the attributes of a product, in any of its variants.
    pub fn add_product(&mut self, product: &ProductDocument) {
        self.add(&product.held_attributes());
        for option in product.variants.iter().flat_map(|variant| &variant.options) {
            if let Some(seen) = self.seen.get_mut(&option.name) {
                seen.is_option = true;
            }
        }
    }

    /// Counts the attributes of a product without variants.
    pub fn add(&mut self, attributes: &[Attribute]) {
        self.products += 1;
        for Attribute { name, values } in attributes {
            // A facet could not ask for a name with a control character.
            if name.contains(char::is_control) {
                continue;
            }
            if !self.seen.contains_key(name) {
                if self.seen.len() >= NAMES_MAX && !self.named.contains(name) {
                    continue;
                }
                self.seen.insert(name.clone(), AttributeTally::default());
            }
            if let Some(seen) = self.seen.get_mut(name) {
                seen.products += 1;
                values.iter().for_each(|value| seen.count(value));
            }
        }
    }

    /// The attributes that get columns: those held by one product in a hundred whose values are mostly no sentences;
    /// the 200 most frequent, named ones before all others.
    #[must_use]
    pub fn finish(self) -> AttributeStatistics {
        let Self { seen, named, products } = self;
        let is_common = |seen: &AttributeTally| seen.products.saturating_mul(PRODUCTS_A_HOLDER) >= products;
        let is_choice = |seen: &AttributeTally| seen.sentences * 2 <= seen.values;
        let mut chosen: Vec<(String, AttributeTally)> = seen
            .into_iter()
            .filter(|(name, seen)| named.contains(name) || (is_common(seen) && is_choice(seen)))
            .collect();
        chosen.sort_by(|(a, of_a), (b, of_b)| {
            let by_name = named.contains(b).cmp(&named.contains(a));
            by_name.then(of_b.products.cmp(&of_a.products)).then_with(|| a.cmp(b))
        });
        chosen.truncate(COLUMNS_MAX);
        let mut columns: Vec<AttributeColumn> =
            chosen.into_iter().map(|(name, seen)| seen.into_column(name)).collect();
        columns.sort_by(|a, b| a.name.cmp(&b.name));
        AttributeStatistics { columns }
    }
}

impl AttributeTally {
    fn count(&mut self, value: &AttributeValue) {
        self.values += 1;
        match value {
            AttributeValue::Text(text) => self.sentences += u64::from(text.len() > CHOICE_BYTES_MAX),
            AttributeValue::Number(Measure { unit, .. }) => {
                self.numbers += 1;
                let unit = unit.as_deref().unwrap_or_default();
                match self.units.iter().position(|(known, _)| known == unit) {
                    Some(place) => self.units[place].1 += 1,
                    None if self.units.len() < UNITS_MAX => self.units.push((unit.to_owned(), 1)),
                    None => {}
                }
            }
        }
    }

    fn into_column(self, name: String) -> AttributeColumn {
        let is_number = self.numbers == self.values && self.units.len() == 1;
        let kind = if is_number { AttributeKind::Number } else { AttributeKind::Text };
        // Among equal counts the first in the order of letters wins, whatever came first.
        let most =
            self.units.into_iter().max_by(|(a, of_a), (b, of_b)| of_a.cmp(of_b).then_with(|| b.cmp(a)));
        let unit = most.map(|(unit, _)| unit).unwrap_or_default();
        AttributeColumn { name, kind, products: self.products, unit, is_option: self.is_option }
    }
}
