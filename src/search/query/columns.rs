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

/// Set when the product can be bought now.
pub const IN_STOCK: u64 = 1;
/// Set when the shop marks it as new.
pub const NEW_ARRIVAL: u64 = 2;
/// Set when the shop marks it as on offer.
pub const ON_OFFER: u64 = 4;

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
        let columns = statistics.columns().iter();
        let held = |column: &AttributeColumn| ColumnSummary {
            kind: column.kind,
            unit: Some(column.unit.clone()).filter(|unit| !unit.is_empty()),
            products: column.products,
        };
        Self { by_name: columns.map(|column| (column.name.clone(), held(column))).collect() }
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
        let attributes = attributes_of(&document.attributes, columns);
        if !attributes.is_empty() {
            into.add_object(self.attributes, attributes);
        }
    }
}

fn flags_of(document: &ProductDocument) -> u64 {
    let mut flags = 0;
    for (is_set, flag) in
        [(document.in_stock, IN_STOCK), (document.new_arrival, NEW_ARRIVAL), (document.on_offer, ON_OFFER)]
    {
        if is_set {
            flags |= flag;
        }
    }
    flags
}

fn first_bytes(text: &str, bytes: usize) -> &str {
    &text[..text.floor_char_boundary(bytes)]
}

/// Values of the attributes that have a column, each once, by the names of the columns.
fn attributes_of(attributes: &[Attribute], columns: &AttributeColumns) -> BTreeMap<String, OwnedValue> {
    let mut filled: BTreeMap<String, Vec<OwnedValue>> = BTreeMap::new();
    for attribute in attributes {
        let Some(ColumnSummary { kind, unit, .. }) = columns.by_name.get(&attribute.name) else { continue };
        let values =
            attribute.values.iter().flat_map(|value| column_values(value, *kind, unit.as_deref())).flatten();
        let into = filled.entry(column_name(&attribute.name)).or_default();
        for value in values {
            if !into.contains(&value) {
                into.push(value);
            }
        }
    }
    filled.retain(|_, values| !values.is_empty());
    filled.into_iter().map(|(name, values)| (name, OwnedValue::Array(values))).collect()
}

/// The text of a value, and its number in the unit of the column. A column of numbers has no number of another unit,
/// and leaves the unit out of its texts.
fn column_values(value: &AttributeValue, kind: AttributeKind, unit: Option<&str>) -> [Option<OwnedValue>; 2] {
    let number = match value {
        AttributeValue::Number(measure) => Some(measure),
        AttributeValue::Text(_) => None,
    };
    let is_same = |measure: &&Measure| measure.unit.as_deref() == unit;
    let number = number.filter(is_same).filter(|measure| measure.number.is_finite());
    let text = match kind {
        AttributeKind::Number => number.map(Measure::digits),
        AttributeKind::Text => Some(value.text()),
    };
    let text = text.filter(|text| !text.is_empty() && text.len() <= VALUE_BYTES);
    let text = text.map(|text| OwnedValue::Str(text.to_owned()));
    [text, number.map(|measure| OwnedValue::F64(measure.number))]
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
