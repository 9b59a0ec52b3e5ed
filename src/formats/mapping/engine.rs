//! Applies the rules of a format to its records.

use std::borrow::Cow;
use std::collections::HashMap;

use rust_decimal::Decimal;

use super::column_rule::ColumnUse;
use super::context::MappingContext;
use super::format_rules::{Extras, MappingRules};
use crate::feeds::IssueCode;
use crate::formats::draft_row::{DraftIssue, DraftOption, DraftRow};
use crate::formats::records::headings::Headings;
use crate::formats::records::record::FeedRecord;
use crate::formats::values::availability::parse_availability;
use crate::formats::values::category_path::{drop_repeated_paths, parse_category_path};
use crate::formats::values::date_text::{DateReading, parse_date};
use crate::formats::values::markup::to_plain_text;
use crate::formats::values::price_text::parse_price;
use crate::formats::values::quantity_text::parse_quantity;

/// Words that shops write for a value that is not there.
const BLANK_WORDS: [&str; 4] = ["n/a", "null", "none", "-"];

/// Categories of a row.
const CATEGORIES_MAX: usize = 500;
/// Options of a row, which are compared one by one; further ones are attributes. A variant of Lethe has fewer.
const OPTIONS_MAX: usize = 40;

/// Attributes that are compared one by one; a row with more gets a map of their names.
const ATTRIBUTES_UNMAPPED_MAX: usize = 32;

/// Mapper of one file.
pub struct RecordMapper<'a> {
    rules: Box<dyn MappingRules + 'a>,
    context: MappingContext<'a>,
    /// Use of each column, by its number in [`Headings`].
    uses: Vec<ColumnUse>,
    extras: Extras,
}

impl<'a> RecordMapper<'a> {
    /// Maps by `rules`, with the account's `context`.
    #[must_use]
    pub fn new(rules: impl MappingRules + 'a, context: MappingContext<'a>) -> Self {
        Self { rules: Box::new(rules), context, uses: Vec::new(), extras: Extras::default() }
    }

    /// The row that a record means.
    pub fn map_record(&mut self, headings: &Headings, record: &FeedRecord) -> DraftRow {
        let mut row = DraftRow { place: record.place, ..DraftRow::default() };
        self.extras.clear();
        let currency = self.find_currency(headings, record);
        let mut filler = RowFiller {
            row: &mut row,
            extras: &mut self.extras,
            context: &self.context,
            currency: currency.as_deref(),
            attribute_name: None,
            attribute_positions: HashMap::new(),
        };
        for value in &record.values {
            let text = value.text.as_str();
            if BLANK_WORDS.iter().any(|word| text.eq_ignore_ascii_case(word)) {
                continue;
            }
            let becomes = self.uses.get(value.column).copied().unwrap_or(ColumnUse::Attribute);
            filler.fill(becomes, headings.name(value.column), text);
        }
        self.rules.complete(&mut row, &self.extras, &self.context);
        drop_repeated_paths(&mut row.categories);
        drop_false_sales(&mut row);
        row
    }

    /// Currency that a column of the record names; the columns' uses are looked up on the way.
    fn find_currency(&mut self, headings: &Headings, record: &FeedRecord) -> Option<String> {
        let new_names = headings.names().iter().skip(self.uses.len());
        self.uses.extend(new_names.map(|name| self.rules.find_use(name)));
        let is_currency = |column: usize| self.uses.get(column) == Some(&ColumnUse::Currency);
        record.values.iter().find(|value| is_currency(value.column)).map(|value| value.text.clone())
    }
}

/// Row of a record while it is filled.
struct RowFiller<'a> {
    row: &'a mut DraftRow,
    extras: &'a mut Extras,
    context: &'a MappingContext<'a>,
    currency: Option<&'a str>,
    /// Name that waits for its value.
    attribute_name: Option<String>,
    /// Position of each attribute, once there are more than [`ATTRIBUTES_UNMAPPED_MAX`].
    attribute_positions: HashMap<String, usize>,
}

impl RowFiller<'_> {
    fn fill(&mut self, becomes: ColumnUse, column: &str, text: &str) {
        match becomes {
            ColumnUse::Id => set_first(&mut self.row.id, text),
            ColumnUse::Sku => set_first(&mut self.row.sku, text),
            ColumnUse::Gtin => {
                set_first(&mut self.row.gtin, text.split([',', ';', '|']).next().unwrap_or("").trim())
            }
            ColumnUse::Group => set_first(&mut self.row.group, text),
            ColumnUse::Title => set_plain(&mut self.row.title, text),
            ColumnUse::Description => set_plain(&mut self.row.description, text),
            ColumnUse::Link => set_first(&mut self.row.link, &decode_address(text)),
            ColumnUse::Brand => set_plain(&mut self.row.brand, text),
            ColumnUse::Image | ColumnUse::MoreImages => self.add_images(becomes, text),
            ColumnUse::CategoryPath(within) => self.add_path(text, within),
            ColumnUse::CategoryPaths(between, within) => {
                text.split(between).for_each(|path| self.add_path(path, within));
            }
            ColumnUse::Tags => {
                let tags = text.split([',', '|']).map(to_plain_text).filter(|tag| !tag.is_empty());
                self.row.tags.extend(tags);
            }
            ColumnUse::Price | ColumnUse::SalePrice => self.add_price(becomes, column, text),
            ColumnUse::SaleDates => self.set_sale_dates(column, text),
            ColumnUse::SaleStart | ColumnUse::SaleEnd | ColumnUse::Start | ColumnUse::End => {
                self.set_date(becomes, column, text);
            }
            ColumnUse::Availability => self.set_availability(column, text),
            ColumnUse::Quantity => match parse_quantity(text, self.context.is_decimal_comma) {
                Some(quantity) => set_first(&mut self.row.quantity, &quantity),
                // Some tables write words into this column.
                None => self.set_availability(column, text),
            },
            ColumnUse::Option => self.add_option(column, text),
            ColumnUse::OptionNamed(name) => self.add_option(name, text),
            ColumnUse::OptionName(position) => self.option(position).name = to_plain_text(text),
            ColumnUse::OptionValue(position) => self.option(position).value = to_plain_text(text),
            ColumnUse::Attribute => self.add_attribute(column, text),
            ColumnUse::AttributeNamed(name) => self.add_attribute(name, text),
            ColumnUse::AttributeName => self.attribute_name = Some(to_plain_text(text)),
            ColumnUse::AttributeValue => {
                if let Some(name) = self.attribute_name.take() {
                    self.add_attribute(&name, text);
                }
            }
            ColumnUse::PackedAttributes => self.add_packed_attributes(column, text),
            ColumnUse::Extra(extra) => self.extras.push(extra, text.to_owned()),
            ColumnUse::Currency | ColumnUse::LeftOut => {}
        }
    }

    fn add_issue(&mut self, code: IssueCode, column: &str) {
        self.row.issues.push(DraftIssue { code, column: column.to_owned() });
    }

    fn set_availability(&mut self, column: &str, text: &str) {
        match parse_availability(text) {
            Some(in_stock) => self.row.in_stock = self.row.in_stock.or(Some(in_stock)),
            None => self.add_issue(IssueCode::AvailabilityUnknown, column),
        }
    }

    /// Adds the addresses of a value, which are separated where another begins.
    fn add_images(&mut self, becomes: ColumnUse, text: &str) {
        let text = decode_address(text);
        for address in split_addresses(&text) {
            if becomes == ColumnUse::Image && self.row.image.is_none() {
                self.row.image = Some(address.to_owned());
            } else if self.row.image.as_deref() != Some(address) {
                self.row.more_images.push(address.to_owned());
            }
        }
    }

    fn add_path(&mut self, text: &str, separator: char) {
        if self.row.categories.len() == CATEGORIES_MAX {
            return;
        }
        let path = parse_category_path(text, separator);
        if !path.is_empty() {
            self.row.categories.push(path);
        }
    }

    /// Adds a price; the first of a currency counts.
    fn add_price(&mut self, becomes: ColumnUse, column: &str, text: &str) {
        let Some(price) = parse_price(text, self.currency, self.context) else {
            return self.add_issue(IssueCode::PriceUnreadable, column);
        };
        let prices =
            if becomes == ColumnUse::Price { &mut self.row.prices } else { &mut self.row.sale_prices };
        if !prices.iter().any(|known| currency_of(known) == currency_of(&price)) {
            prices.push(price);
        }
    }

    /// Splits a range at its middle slash: each date has two of its own or none, so that their number is odd.
    fn set_sale_dates(&mut self, column: &str, text: &str) {
        let slashes: Vec<usize> = text.match_indices('/').map(|(at, _)| at).collect();
        let middle = slashes.get(slashes.len() / 2).filter(|_| slashes.len() % 2 == 1);
        let Some((start, end)) = middle.map(|middle| text.split_at(*middle)) else {
            // Unreadable, and so the sale is off.
            return set_first(&mut self.row.sale_start, text);
        };
        self.set_date(ColumnUse::SaleStart, column, start);
        self.set_date(ColumnUse::SaleEnd, column, end.trim_start_matches('/'));
    }

    /// Sets a date. An unreadable one stays as sent: a sale with it is off, a product with it is not shown.
    fn set_date(&mut self, becomes: ColumnUse, column: &str, text: &str) {
        let text = text.trim();
        let iso = match parse_date(text, self.context) {
            DateReading::Blank => return,
            DateReading::Date { iso, is_ambiguous } => {
                if is_ambiguous {
                    self.add_issue(IssueCode::DateAmbiguous, column);
                }
                iso
            }
            DateReading::Malformed => text.to_owned(),
        };
        let date = match becomes {
            ColumnUse::SaleStart => &mut self.row.sale_start,
            ColumnUse::SaleEnd => &mut self.row.sale_end,
            ColumnUse::Start => &mut self.row.start,
            _ => &mut self.row.end,
        };
        set_first(date, &iso);
    }

    /// Adds an option; its first value counts.
    fn add_option(&mut self, name: &str, text: &str) {
        if self.row.options.len() >= OPTIONS_MAX {
            return self.add_attribute(name, text);
        }
        let value = plain_value(text).into_owned();
        if !value.is_empty() && !self.row.options.iter().any(|option| option.name == name) {
            self.row.options.push(DraftOption { position: 0, name: name.to_owned(), value });
        }
    }

    /// The option of a number, which its name and its value share.
    fn option(&mut self, position: u8) -> &mut DraftOption {
        let options = &mut self.row.options;
        let known = options.iter().position(|option| option.position == position);
        let index = known.unwrap_or_else(|| {
            options.push(DraftOption { position, ..DraftOption::default() });
            options.len() - 1
        });
        &mut options[index]
    }

    fn add_attribute(&mut self, name: &str, text: &str) {
        let value = plain_value(text);
        if value.is_empty() || name.is_empty() {
            return;
        }
        let position = self.find_attribute(name);
        match position.and_then(|position| self.row.attributes.get_mut(position)) {
            Some((_, values)) => values.push(value.into_owned()),
            None => self.row.attributes.push((name.to_owned(), vec![value.into_owned()])),
        }
    }

    fn find_attribute(&mut self, name: &str) -> Option<usize> {
        let attributes = &self.row.attributes;
        if attributes.len() <= ATTRIBUTES_UNMAPPED_MAX {
            return attributes.iter().position(|(known, _)| known == name);
        }
        let unmapped = attributes.iter().enumerate().skip(self.attribute_positions.len());
        self.attribute_positions.extend(unmapped.map(|(position, (name, _))| (name.clone(), position)));
        self.attribute_positions.get(name).copied()
    }

    /// Adds attributes of a list. A part without a colon belongs to the value before it, which has a comma.
    fn add_packed_attributes(&mut self, column: &str, text: &str) {
        let mut attributes: Vec<String> = Vec::new();
        for part in text.split(',') {
            match attributes.last_mut() {
                Some(last) if !part.contains(':') => last.extend([",", part]),
                _ => attributes.push(part.to_owned()),
            }
        }
        for attribute in attributes {
            let parts: Vec<&str> = attribute.splitn(3, ':').map(str::trim).collect();
            match parts[..] {
                [_, name, value] | [name, value] => self.add_attribute(name, value),
                _ => self.add_attribute(column, &attribute),
            }
        }
    }
}

/// Makes options the attributes of a row that is no variant.
pub(super) fn turn_options_into_attributes(row: &mut DraftRow) {
    for DraftOption { name, value, .. } in std::mem::take(&mut row.options) {
        if !row.attributes.iter().any(|(known, _)| *known == name) {
            row.attributes.push((name, vec![value]));
        }
    }
}

/// Marks a row as not in stock if nothing is left and nothing is said about availability.
pub(super) fn close_empty_stock(row: &mut DraftRow) {
    let quantity = row.quantity.as_deref().and_then(|quantity| quantity.parse::<Decimal>().ok());
    if row.in_stock.is_none() && quantity.is_some_and(|quantity| quantity <= Decimal::ZERO) {
        row.in_stock = Some(false);
    }
}

/// Drops sale prices that are 0 or not lower than the price; without one left, the dates of the sale too.
pub fn drop_false_sales(row: &mut DraftRow) {
    if row.sale_prices.is_empty() {
        return;
    }
    let prices = &row.prices;
    row.sale_prices.retain(|sale| {
        let Some(amount) = amount_of(sale) else { return true };
        let same_currency = prices.iter().filter(|price| currency_of(price) == currency_of(sale));
        let is_lower = same_currency.filter_map(|price| amount_of(price)).all(|price| amount < price);
        is_lower && !amount.is_zero()
    });
    if row.sale_prices.is_empty() {
        row.sale_start = None;
        row.sale_end = None;
    }
}

/// Currency of a price as [`parse_price`] writes it; empty if it names none.
fn currency_of(price: &str) -> &str {
    price.split_once(' ').map_or("", |(_, currency)| currency)
}

fn amount_of(price: &str) -> Option<Decimal> {
    price.split(' ').next()?.parse().ok()
}

/// Sets a field that has no value yet.
fn set_first(field: &mut Option<String>, text: &str) {
    if field.is_none() && !text.is_empty() {
        *field = Some(text.to_owned());
    }
}

/// As [`set_first`], without markup.
fn set_plain(field: &mut Option<String>, text: &str) {
    if field.is_none() {
        *field = Some(to_plain_text(text)).filter(|plain| !plain.is_empty());
    }
}

/// A value without tags and entities. One that has neither stays as it is: brackets and braces may be its own.
fn plain_value(text: &str) -> Cow<'_, str> {
    if text.contains(['<', '&']) { Cow::Owned(to_plain_text(text)) } else { Cow::Borrowed(text) }
}

/// An address whose `&` was encoded once too often.
fn decode_address(text: &str) -> Cow<'_, str> {
    if text.contains("&amp;") { Cow::Owned(text.replace("&amp;", "&")) } else { Cow::Borrowed(text) }
}

/// Addresses of a value that lists them with commas, bars, semicolons or white space between.
fn split_addresses(text: &str) -> impl Iterator<Item = &str> {
    let is_between = |letter: char| matches!(letter, ',' | '|' | ';') || letter.is_whitespace();
    let mut starts: Vec<usize> = text
        .match_indices("http")
        .map(|(at, _)| at)
        .filter(|at| *at == 0 || text[..*at].ends_with(is_between))
        .collect();
    if starts.first() != Some(&0) {
        starts.insert(0, 0);
    }
    let ends: Vec<usize> = starts.iter().skip(1).copied().chain([text.len()]).collect();
    starts
        .into_iter()
        .zip(ends)
        .map(move |(start, end)| text[start..end].trim_matches(is_between))
        .filter(|address| !address.is_empty())
}

#[cfg(test)]
#[path = "engine_tests.rs"]
mod tests;
