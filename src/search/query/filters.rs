//! Filters: which of the matching products are wanted.

use rust_decimal::Decimal;
use rust_decimal::prelude::ToPrimitive;
use serde_json::{Map, Value};

use super::columns::AttributeColumns;
use super::fault::QueryFault;
use super::product_property::{ProductProperty, ValueStorage};
use crate::limits;
use crate::search::document::{AttributeKind, AttributeValue};

/// Parts of a unit of currency that an amount counts.
pub const AMOUNT_PARTS: i64 = 10_000;

/// The filters of a query: all must hold. In each, one of the values must.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Filters {
    pub(super) all: Vec<PropertyFilter>,
}

/// Condition on one property.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct PropertyFilter {
    pub subject: ProductProperty,
    pub wanted: FilterCondition,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum FilterCondition {
    /// One of these texts.
    Texts(Vec<String>),
    /// One of these texts or numbers.
    Values(Vec<String>, Vec<f64>),
    /// From the first to the second, both included.
    Between(f64, f64),
    /// The same for a price, in parts of its unit ([`AMOUNT_PARTS`]).
    Amounts(i64, i64),
    /// The flag with this bit is set, or is not.
    Flag(u64, bool),
}

impl FilterCondition {
    /// Returns true if a number is wanted.
    pub(super) fn wants_number(&self, number: f64) -> bool {
        match self {
            Self::Values(_, numbers) => numbers.contains(&number),
            Self::Between(from, to) => (*from..=*to).contains(&number),
            _ => false,
        }
    }
}

/// The filter on the price.
#[derive(Debug, Clone, Copy)]
pub(super) struct PriceFilter {
    /// Its bit.
    pub bit: u32,
    from: i64,
    to: i64,
}

impl PriceFilter {
    /// Returns true if a price, in parts of a unit, is wanted.
    pub(super) fn wants(&self, price: Option<i64>) -> bool {
        price.is_some_and(|price| (self.from..=self.to).contains(&price))
    }
}

impl Filters {
    /// No filters.
    pub const NONE: Self = Self { all: Vec::new() };

    /// Reads the filters of a request:
    /// `{"Brand": ["A"], "Category": ["12"], "Price": {"From": 10, "To": 50}, "InStock": true, "Attributes":
    /// {"Colour": ["red"], "Width": {"To": 80}}}`. `null` is no filter.
    ///
    /// # Errors
    /// When a name is unknown or not allowed here, a value has the wrong shape, or there are too many.
    pub fn parse(filters: &Value, columns: &AttributeColumns) -> Result<Self, QueryFault> {
        let mut all: Vec<PropertyFilter> = Vec::new();
        for (name, value) in object(filters, "Filters")? {
            if name == "Attributes" {
                for (attribute, value) in object(value, "Filters.Attributes")? {
                    let path = format!("Filters.Attributes.{attribute}");
                    let subject = ProductProperty::attribute(attribute, &path, columns)?;
                    all.extend(parse_filter(subject, value, &path, columns)?);
                }
                continue;
            }
            let path = format!("Filters.{name}");
            let known = ["Brand", "Category", "Price", "InStock", "NewArrival", "OnOffer"];
            if !known.contains(&name.as_str()) {
                let sentence = format!("is not known; allowed are {} and Attributes", known.join(", "));
                return Err(QueryFault::new(path, sentence));
            }
            all.extend(parse_filter(ProductProperty::parse(name, &path, columns)?, value, &path, columns)?);
        }
        for (number, filter) in all.iter().enumerate() {
            if all[..number].iter().any(|earlier| earlier.subject == filter.subject) {
                return Err(QueryFault::new(format!("Filters.{}", filter.subject.name()), "is named twice"));
            }
        }
        if all.len() > limits::SEARCH_FILTERS {
            return Err(QueryFault::new(
                "Filters",
                format!("more than {} filters in a query", limits::SEARCH_FILTERS),
            ));
        }
        Ok(Self { all })
    }

    /// These, and products of one brand or category only, unless the filters name one already.
    #[must_use]
    pub fn within(&self, subject: ProductProperty, id: String) -> Self {
        let mut all = self.all.clone();
        if all.iter().all(|filter| filter.subject != subject) {
            all.push(PropertyFilter { subject, wanted: FilterCondition::Texts(vec![id]) });
        }
        Self { all }
    }

    /// True if there are no filters.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Returns true if a filter is on an attribute without a column, so that it finds nothing.
    #[must_use]
    pub fn has_unheld(&self, columns: &AttributeColumns) -> bool {
        self.subjects().any(|subject| subject.is_unheld(columns))
    }

    /// Properties that are filtered by.
    pub fn subjects(&self) -> impl Iterator<Item = &ProductProperty> {
        self.all.iter().map(|filter| &filter.subject)
    }

    /// Each filter by itself, with the name of its subject.
    pub fn each_filter(&self) -> impl Iterator<Item = (String, Self)> {
        self.all.iter().map(|filter| (filter.subject.name(), Self { all: vec![filter.clone()] }))
    }

    /// True if a filter is on the price, and so needs the currency in which prices are compared.
    #[must_use]
    pub fn has_price(&self) -> bool {
        self.all.iter().any(|filter| filter.subject == ProductProperty::Price)
    }

    /// The wanted price range, in parts of a unit.
    #[must_use]
    pub fn prices(&self) -> Option<(i64, i64)> {
        self.all.iter().find_map(|filter| match filter.wanted {
            FilterCondition::Amounts(from, to) => Some((from, to)),
            _ => None,
        })
    }

    /// The filter on the price.
    pub(super) fn price_filter(&self) -> Option<PriceFilter> {
        let (from, to) = self.prices()?;
        Some(PriceFilter { bit: self.bit(&ProductProperty::Price), from, to })
    }

    /// The categories that are wanted.
    #[must_use]
    pub fn categories(&self) -> &[String] {
        let wanted = self.all.iter().find(|filter| filter.subject == ProductProperty::Category);
        match wanted.map(|filter| &filter.wanted) {
            Some(FilterCondition::Texts(ids)) => ids,
            _ => &[],
        }
    }

    /// The bit of the filter on this subject; 0 if there is none.
    pub(super) fn bit(&self, subject: &ProductProperty) -> u32 {
        let found = self.all.iter().position(|filter| filter.subject == *subject);
        found.map_or(0, |number| 1 << number)
    }
}

/// The members of an object; none of `null`.
fn object<'v>(
    value: &'v Value,
    path: &str,
) -> Result<impl Iterator<Item = (&'v String, &'v Value)>, QueryFault> {
    let members = match value {
        Value::Null => None,
        Value::Object(members) => Some(members.iter()),
        _ => return Err(QueryFault::new(path, "has to be an object")),
    };
    Ok(members.into_iter().flatten())
}

fn parse_filter(
    subject: ProductProperty,
    value: &Value,
    path: &str,
    columns: &AttributeColumns,
) -> Result<Option<PropertyFilter>, QueryFault> {
    if value.is_null() {
        return Ok(None);
    }
    let wanted = match (subject.value_storage(columns), value) {
        (ValueStorage::Flag(flag), Value::Bool(is_set)) => Some(FilterCondition::Flag(flag, *is_set)),
        (ValueStorage::Flag(_), _) => return Err(QueryFault::new(path, "has to be true or false")),
        (ValueStorage::Prices, Value::Object(range)) => Some(parse_amounts(range, path)?),
        (ValueStorage::Prices, _) => {
            return Err(QueryFault::new(
                path,
                "has to be an object with From, To or both, such as {\"From\": 10}",
            ));
        }
        (ValueStorage::Attribute(_), Value::Object(range)) => Some(parse_between(range, path)?),
        (ValueStorage::Attribute(kind), _) => parse_values(value, path, kind)?,
        (ValueStorage::Texts, _) => parse_texts(value, path)?,
    };
    Ok(wanted.map(|wanted| PropertyFilter { subject, wanted }))
}

/// The values of a list; one value is a list of one.
fn values<'v>(value: &'v Value, path: &str) -> Result<&'v [Value], QueryFault> {
    let values = match value {
        Value::Array(values) => values.as_slice(),
        _ => std::slice::from_ref(value),
    };
    if values.len() > limits::SEARCH_FILTER_VALUES {
        return Err(QueryFault::new(
            path,
            format!("has {} values; at most {} are allowed", values.len(), limits::SEARCH_FILTER_VALUES),
        ));
    }
    Ok(values)
}

/// Texts; a number is the text of its digits, as in feeds. An empty list filters nothing.
fn parse_texts(value: &Value, path: &str) -> Result<Option<FilterCondition>, QueryFault> {
    let mut texts = Vec::new();
    for value in values(value, path)? {
        let text = match value {
            Value::String(text) => text.clone(),
            Value::Number(number) => number.to_string(),
            _ => return Err(QueryFault::new(path, "has to be a list of texts, such as [\"red\"]")),
        };
        if text.len() > limits::ITEM_ID_BYTES {
            let sentence = format!("a value is longer than {} bytes", limits::ITEM_ID_BYTES);
            return Err(QueryFault::new(path, sentence));
        }
        texts.push(text);
    }
    Ok((!texts.is_empty()).then_some(FilterCondition::Texts(texts)))
}

/// Texts and numbers of an attribute: a text is a value as it was sent; a number is any text for it where all values
/// are numbers, else its digits.
fn parse_values(
    value: &Value,
    path: &str,
    kind: AttributeKind,
) -> Result<Option<FilterCondition>, QueryFault> {
    if kind == AttributeKind::Text {
        return parse_texts(value, path);
    }
    let (numbers, texts): (Vec<Value>, Vec<Value>) =
        values(value, path)?.iter().cloned().partition(Value::is_number);
    let numbers: Vec<f64> = numbers.iter().filter_map(number).collect();
    let texts = match parse_texts(&Value::Array(texts), path)? {
        Some(FilterCondition::Texts(texts)) => texts.iter().map(|text| without_unit(text)).collect(),
        _ => Vec::new(),
    };
    Ok((!numbers.is_empty() || !texts.is_empty()).then_some(FilterCondition::Values(texts, numbers)))
}

/// A column of numbers has its unit once.
fn without_unit(text: &str) -> String {
    match AttributeValue::parse(text.trim()) {
        AttributeValue::Number(measure) => measure.digits().to_owned(),
        AttributeValue::Text(text) => text,
    }
}

fn number(value: &Value) -> Option<f64> {
    let number = match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    };
    number.filter(|number| number.is_finite())
}

/// From and To of a range, each read by `read`; a missing bound is the least or the greatest value.
fn parse_range<T: PartialOrd + Copy>(
    range: &Map<String, Value>,
    path: &str,
    [least, most]: [T; 2],
    read: impl Fn(&Value) -> Option<T>,
) -> Result<(T, T), QueryFault> {
    let mut bounds = [None, None];
    for (name, value) in range {
        let place = match name.as_str() {
            "From" => 0,
            "To" => 1,
            _ => {
                return Err(QueryFault::new(
                    format!("{path}.{name}"),
                    "is not known; allowed are From and To",
                ));
            }
        };
        if value.is_null() {
            continue;
        }
        let bound = read(value);
        bounds[place] =
            Some(bound.ok_or_else(|| QueryFault::new(format!("{path}.{name}"), "has to be a number"))?);
    }
    if bounds == [None, None] {
        return Err(QueryFault::new(path, "needs From, To or both"));
    }
    let [from, to] = bounds;
    let from = from.unwrap_or(least);
    let to = to.unwrap_or(most);
    if from > to {
        return Err(QueryFault::new(path, "From has to be at most To"));
    }
    Ok((from, to))
}

fn parse_between(range: &Map<String, Value>, path: &str) -> Result<FilterCondition, QueryFault> {
    let (from, to) = parse_range(range, path, [f64::NEG_INFINITY, f64::INFINITY], number)?;
    Ok(FilterCondition::Between(from, to))
}

fn parse_amounts(range: &Map<String, Value>, path: &str) -> Result<FilterCondition, QueryFault> {
    let (from, to) = parse_range(range, path, [i64::MIN, i64::MAX], amount)?;
    Ok(FilterCondition::Amounts(from, to))
}

/// The parts of a unit that a number stands for, rounded; from its decimals, which a floating-point number lacks.
fn amount(value: &Value) -> Option<i64> {
    let text = match value {
        Value::Number(number) => number.to_string(),
        Value::String(text) => text.trim().to_owned(),
        _ => return None,
    };
    let number = text.parse().or_else(|_| Decimal::from_scientific(&text)).ok()?;
    number.checked_mul(Decimal::from(AMOUNT_PARTS))?.round().to_i64()
}
