//! The columns of the index: the properties of a product that filters, facets and sorts read.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;

use tantivy::TantivyDocument;
use tantivy::schema::{FAST, Field, JsonObjectOptions, OwnedValue, Schema, SchemaBuilder, TextOptions};

use crate::search::document::{
    Attribute, AttributeColumn, AttributeKind, AttributeStatistics, AttributeValue, Measure, ProductDocument,
};
use crate::search::text::fold_text;

/// The column of a product's id. It is also indexed, so the schema of the index adds it (`STRING | FAST`).
pub const ID: &str = "id";
/// The column of the brand's id.
pub const BRAND: &str = "brand_id";
/// The column of the ids of the categories and of all their ancestors.
pub const CATEGORIES: &str = "category_ids";
/// The column of the folded title, to sort by.
pub const TITLE: &str = "title_order";
/// The column of flags: [`IN_STOCK`] and the others.
pub const FLAGS: &str = "flags";
/// The column of the second in which it is first shown, since 1970.
pub const NEWEST: &str = "newest";
/// The columns of attributes, below one name each.
pub const ATTRIBUTES: &str = "attribute";

/// Set when the product, or one of its variants, can be bought now.
pub const IN_STOCK: u64 = 1;
/// Set when the shop marks it as new.
pub const NEW_ARRIVAL: u64 = 2;
/// Set when the shop marks it as on offer.
pub const ON_OFFER: u64 = 4;
/// Set when the product, or one of its variants, cannot be bought now.
pub const SOLD_OUT: u64 = 8;

/// Longest value of an attribute in a column; a longer one is a description.
const VALUE_BYTES: usize = 200;
/// Bytes of a folded title by which titles are sorted.
const TITLE_BYTES: usize = 120;

#[derive(Debug, Clone, PartialEq)]
struct ColumnSummary {
    kind: AttributeKind,
    unit: Option<String>,
    /// Number of products that have it.
    products: u64,
    /// Its place among the columns in the order of their names.
    number: u8,
    /// True if it is an option of variants.
    is_option: bool,
}

/// The attributes that have a column.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AttributeColumns {
    by_name: HashMap<String, ColumnSummary>,
}

impl AttributeColumns {
    /// Those of the statistics.
    #[must_use]
    pub fn new(statistics: &AttributeStatistics) -> Self {
        let columns = (0..=u8::MAX).zip(statistics.columns());
        let held = |number: u8, column: &AttributeColumn| ColumnSummary {
            kind: column.kind,
            unit: Some(column.unit.clone()).filter(|unit| !unit.is_empty()),
            products: column.products,
            number,
            is_option: column.is_option,
        };
        Self {
            by_name: columns.map(|(number, column)| (column.name.clone(), held(number, column))).collect(),
        }
    }

    /// The shop's spelling of the column that a request names, perhaps in another case.
    #[must_use]
    pub fn find_name(&self, name: &str) -> Option<&str> {
        if let Some((exact, _)) = self.by_name.get_key_value(name) {
            return Some(exact);
        }
        let lower = name.to_lowercase();
        self.names().filter(|other| other.to_lowercase() == lower).min()
    }

    /// Kind of values in its column, if it has one.
    #[must_use]
    pub fn kind(&self, name: &str) -> Option<AttributeKind> {
        self.by_name.get(name).map(|held| held.kind)
    }

    /// The unit that most of its numbers have.
    #[must_use]
    pub fn unit(&self, name: &str) -> Option<&str> {
        self.by_name.get(name).and_then(|held| held.unit.as_deref())
    }

    /// The number of its column, the same as long as the index has the same statistics.
    #[must_use]
    pub fn number(&self, name: &str) -> Option<u8> {
        self.by_name.get(name).map(|held| held.number)
    }

    /// Returns true if it is an option of variants.
    #[must_use]
    pub fn is_option(&self, name: &str) -> bool {
        self.by_name.get(name).is_some_and(|held| held.is_option)
    }

    /// The names of the most frequent ones.
    #[must_use]
    pub fn most_held(&self, most: usize) -> Vec<&str> {
        let mut all: Vec<_> = self.by_name.iter().collect();
        all.sort_by_key(|(name, held)| (Reverse(held.products), *name));
        all.into_iter().take(most).map(|(name, _)| name.as_str()).collect()
    }

    /// Their names, in no order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.by_name.keys().map(String::as_str)
    }
}

/// The fields of the index that are columns.
#[derive(Debug, Clone, Copy)]
pub struct ColumnFields {
    /// Ids of brands.
    pub brand: Field,
    /// Ids of categories with those above them.
    pub categories: Field,
    /// Folded titles.
    pub title: Field,
    /// Bits such as [`IN_STOCK`].
    pub flags: Field,
    /// When products were first shown.
    pub newest: Field,
    /// Attributes that have a column.
    pub attributes: Field,
}

/// Adds the columns to a new schema; all except [`ID`].
pub fn add_columns(schema: &mut SchemaBuilder) -> ColumnFields {
    let text = TextOptions::default().set_fast("raw");
    ColumnFields {
        brand: schema.add_text_field(BRAND, text.clone()),
        categories: schema.add_text_field(CATEGORIES, text.clone()),
        title: schema.add_text_field(TITLE, text),
        flags: schema.add_u64_field(FLAGS, FAST),
        newest: schema.add_i64_field(NEWEST, FAST),
        attributes: schema.add_json_field(ATTRIBUTES, JsonObjectOptions::default().set_fast("raw")),
    }
}

impl ColumnFields {
    /// The columns of a schema that was read.
    ///
    /// # Errors
    /// When it lacks one.
    pub fn from_schema(schema: &Schema) -> tantivy::Result<Self> {
        Ok(Self {
            brand: schema.get_field(BRAND)?,
            categories: schema.get_field(CATEGORIES)?,
            title: schema.get_field(TITLE)?,
            flags: schema.get_field(FLAGS)?,
            newest: schema.get_field(NEWEST)?,
            attributes: schema.get_field(ATTRIBUTES)?,
        })
    }

    /// Writes a product's columns.
    pub fn fill(&self, document: &ProductDocument, columns: &AttributeColumns, into: &mut TantivyDocument) {
        if !document.brand_id.is_empty() {
            into.add_text(self.brand, &document.brand_id);
        }
        for (number, id) in document.categories.iter().enumerate() {
            if !document.categories[..number].contains(id) {
                into.add_text(self.categories, id);
            }
        }
        into.add_text(self.title, first_bytes(&fold_text(&document.title), TITLE_BYTES));
        into.add_u64(self.flags, flags_of(document));
        into.add_i64(self.newest, document.newest);
        let attributes = attributes_of(&document.held_attributes(), columns);
        if !attributes.is_empty() {
            into.add_object(self.attributes, attributes);
        }
    }
}

fn flags_of(document: &ProductDocument) -> u64 {
    let is_sold_out = match document.variants.as_slice() {
        [] => !document.in_stock,
        variants => variants.iter().any(|variant| !variant.in_stock),
    };
    let mut flags = 0;
    for (is_set, flag) in [
        (document.in_stock, IN_STOCK),
        (document.new_arrival, NEW_ARRIVAL),
        (document.on_offer, ON_OFFER),
        (is_sold_out, SOLD_OUT),
    ] {
        if is_set {
            flags |= flag;
        }
    }
    flags
}

fn first_bytes(text: &str, bytes: usize) -> &str {
    &text[..text.floor_char_boundary(bytes)]
}

/// Values of the attributes that have a column, each once, by the names of the columns: the texts in the order of their
/// bytes, which is that of their ordinals in every segment, then the numbers.
fn attributes_of(attributes: &[Attribute], columns: &AttributeColumns) -> BTreeMap<String, OwnedValue> {
    let mut filled: BTreeMap<String, OwnedValue> = BTreeMap::new();
    for attribute in attributes {
        let Some(summary) = columns.by_name.get(&attribute.name) else { continue };
        let texts = summary.texts(&attribute.values).into_iter().map(|text| OwnedValue::Str(text.to_owned()));
        let numbers = attribute.values.iter().filter_map(|value| summary.number_of(value));
        let mut numbers: Vec<f64> = numbers.map(|measure| measure.number).collect();
        numbers.sort_unstable_by(f64::total_cmp);
        numbers.dedup();
        let values: Vec<_> = texts.chain(numbers.into_iter().map(OwnedValue::F64)).collect();
        if !values.is_empty() {
            filled.insert(column_name(&attribute.name), OwnedValue::Array(values));
        }
    }
    filled
}

impl ColumnSummary {
    /// The number of a value in the unit of the column.
    fn number_of<'v>(&self, value: &'v AttributeValue) -> Option<&'v Measure> {
        let AttributeValue::Number(measure) = value else { return None };
        let is_same = measure.unit.as_deref() == self.unit.as_deref();
        Some(measure).filter(|measure| is_same && measure.number.is_finite())
    }

    /// The text of a value. A column of numbers has no number of another unit, and leaves the unit out of its texts.
    fn text_of<'v>(&self, value: &'v AttributeValue) -> Option<&'v str> {
        let text = match self.kind {
            AttributeKind::Number => self.number_of(value).map(Measure::digits),
            AttributeKind::Text => Some(value.text()),
        };
        text.filter(|text| !text.is_empty() && text.len() <= VALUE_BYTES)
    }

    /// The texts of values, each once, in the order of their bytes.
    fn texts<'v>(&self, values: &'v [AttributeValue]) -> Vec<&'v str> {
        let mut texts: Vec<&str> = values.iter().filter_map(|value| self.text_of(value)).collect();
        texts.sort_unstable();
        texts.dedup();
        texts
    }
}

impl AttributeColumns {
    /// The texts that a product's column of this attribute holds for some of its values, in their order there; none
    /// without a column.
    #[must_use]
    pub fn texts<'v>(&self, name: &str, values: &'v [AttributeValue]) -> Vec<&'v str> {
        self.by_name.get(name).map(|column| column.texts(values)).unwrap_or_default()
    }

    /// The number that a text of this attribute's column stands for.
    #[must_use]
    pub fn number_of_text(&self, name: &str, text: &str) -> Option<f64> {
        let column = self.by_name.get(name)?;
        let AttributeValue::Number(measure) = AttributeValue::parse(text) else { return None };
        // A column of numbers leaves the unit out.
        let is_same =
            column.kind == AttributeKind::Number || measure.unit.as_deref() == column.unit.as_deref();
        Some(measure.number).filter(|number| is_same && number.is_finite())
    }
}

/// The name of an attribute as a column name: letters and digits as they are, every other sign as its number.
pub(super) fn column_name(attribute: &str) -> String {
    let mut name = String::with_capacity(attribute.len());
    for letter in attribute.chars() {
        if letter.is_alphanumeric() {
            name.push(letter);
        } else {
            // Writing to a text cannot fail.
            let _ = write!(name, "_{:x}_", u32::from(letter));
        }
    }
    name
}
