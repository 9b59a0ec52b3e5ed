//! Applies the rules of a format to its records.

use super::column_rule::ColumnUse;
use super::context::MappingContext;
use super::format_rules::{Extras, MappingRules};
use crate::feeds::IssueCode;
use crate::formats::draft_row::{DraftIssue, DraftOption, DraftRow};
use crate::formats::records::headings::Headings;
use crate::formats::records::record::Record;
use crate::formats::values::availability::parse_availability;
use crate::formats::values::category_path::parse_category_path;
use crate::formats::values::date_text::{DateReading, parse_date};
use crate::formats::values::markup::to_plain_text;
use crate::formats::values::price_text::parse_price;

/// Words that shops write for a value that is not there.
const BLANK_WORDS: [&str; 4] = ["n/a", "null", "none", "-"];

/// Mapper of one file.
pub struct RecordMapper<'a> {
    rules: &'a dyn MappingRules,
    context: MappingContext<'a>,
    /// Use of each column, by its number in [`Headings`].
    uses: Vec<ColumnUse>,
    extras: Extras,
}

impl<'a> RecordMapper<'a> {
    /// Maps by `rules`, with the account's `context`.
    #[must_use]
    pub fn new(rules: &'a dyn MappingRules, context: MappingContext<'a>) -> Self {
        Self { rules, context, uses: Vec::new(), extras: Extras::default() }
    }

    /// The row that a record means.
    pub fn map_record(&mut self, headings: &Headings, record: &Record) -> DraftRow {
        let mut row = DraftRow { place: record.place, ..DraftRow::default() };
        self.extras.clear();
        let currency = self.find_currency(headings, record);
        let mut filler = RowFiller {
            row: &mut row,
            extras: &mut self.extras,
            context: &self.context,
            currency: currency.as_deref(),
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
        row
    }

    /// Currency that a column of the record names; the columns' uses are looked up on the way.
    fn find_currency(&mut self, headings: &Headings, record: &Record) -> Option<String> {
        for name in &headings.names()[self.uses.len()..] {
            self.uses.push(self.rules.find_use(name));
        }
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
}

impl RowFiller<'_> {
    fn fill(&mut self, becomes: ColumnUse, column: &str, text: &str) {
        match becomes {
            ColumnUse::Id => set_first(&mut self.row.id, text),
            ColumnUse::Sku => set_first(&mut self.row.sku, text),
            ColumnUse::Gtin => set_first(&mut self.row.gtin, text),
            ColumnUse::Group => set_first(&mut self.row.group, text),
            ColumnUse::Title => set_first(&mut self.row.title, &to_plain_text(text)),
            ColumnUse::Description => set_first(&mut self.row.description, &to_plain_text(text)),
            ColumnUse::Link => set_first(&mut self.row.link, text),
            ColumnUse::Brand => set_first(&mut self.row.brand, &to_plain_text(text)),
            ColumnUse::Image | ColumnUse::MoreImages => self.add_images(becomes, text),
            ColumnUse::CategoryPath(within) => self.add_path(text, within),
            ColumnUse::CategoryPaths(between, within) => {
                text.split(between).for_each(|path| self.add_path(path, within));
            }
            ColumnUse::Tags => {
                let tags = text.split([',', '|']).map(str::trim).filter(|tag| !tag.is_empty());
                self.row.tags.extend(tags.map(to_plain_text));
            }
            ColumnUse::Price | ColumnUse::SalePrice => self.add_price(becomes, column, text),
            ColumnUse::SaleDates => self.set_sale_dates(column, text),
            ColumnUse::SaleStart | ColumnUse::SaleEnd | ColumnUse::Start | ColumnUse::End => {
                self.set_date(becomes, column, text);
            }
            ColumnUse::Availability => match parse_availability(text) {
                Some(in_stock) => self.row.in_stock = self.row.in_stock.or(Some(in_stock)),
                None => self.add_issue(IssueCode::AvailabilityUnknown, column),
            },
            ColumnUse::Quantity => set_first(&mut self.row.quantity, text),
            ColumnUse::Option => self.add_option(0, column, text),
            ColumnUse::OptionName(position) => self.option(position).name = to_plain_text(text),
            ColumnUse::OptionValue(position) => self.option(position).value = to_plain_text(text),
            ColumnUse::Attribute => self.add_attribute(column, text),
            ColumnUse::Extra(extra) => self.extras.push(extra, text.to_owned()),
            ColumnUse::Currency | ColumnUse::LeftOut => {}
        }
    }

    fn add_issue(&mut self, code: IssueCode, column: &str) {
        self.row.issues.push(DraftIssue { code, column: column.to_owned() });
    }

    /// Several addresses may stand in one value: they are separated where another begins.
    fn add_images(&mut self, becomes: ColumnUse, text: &str) {
        for address in split_addresses(text) {
            if becomes == ColumnUse::Image && self.row.image.is_none() {
                self.row.image = Some(address.to_owned());
            } else if self.row.image.as_deref() != Some(address) {
                self.row.more_images.push(address.to_owned());
            }
        }
    }

    fn add_path(&mut self, text: &str, separator: char) {
        let path = parse_category_path(text, separator);
        if !path.is_empty() && !self.row.categories.contains(&path) {
            self.row.categories.push(path);
        }
    }

    fn add_price(&mut self, becomes: ColumnUse, column: &str, text: &str) {
        let read = parse_price(text, self.currency, self.context);
        if read.is_none() {
            self.add_issue(IssueCode::PriceUnreadable, column);
        }
        let prices =
            if becomes == ColumnUse::Price { &mut self.row.prices } else { &mut self.row.sale_prices };
        prices.extend(read);
    }

    fn set_sale_dates(&mut self, column: &str, text: &str) {
        // A date with slashes has two of them; the one between two dates stands in the middle.
        let slashes: Vec<usize> = text.match_indices('/').map(|(at, _)| at).collect();
        let Some(middle) = slashes.get(slashes.len() / 2).copied() else {
            return self.add_issue(IssueCode::DateMalformed, column);
        };
        self.set_date(ColumnUse::SaleStart, column, &text[..middle]);
        self.set_date(ColumnUse::SaleEnd, column, &text[middle + 1..]);
    }

    /// An unreadable date stays as sent: a sale with it is off, a product with it is not shown.
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

    fn add_option(&mut self, position: u8, name: &str, value: &str) {
        let value = to_plain_text(value);
        self.row.options.push(DraftOption { position, name: name.to_owned(), value });
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

    fn add_attribute(&mut self, column: &str, text: &str) {
        let attributes = &mut self.row.attributes;
        match attributes.iter_mut().find(|(name, _)| name == column) {
            Some((_, values)) => values.push(text.to_owned()),
            None => attributes.push((column.to_owned(), vec![text.to_owned()])),
        }
    }
}

/// The first value of a field counts.
fn set_first(field: &mut Option<String>, text: &str) {
    if field.is_none() && !text.is_empty() {
        *field = Some(text.to_owned());
    }
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
    starts.into_iter().zip(ends).map(move |(start, end)| text[start..end].trim_matches(is_between))
        .filter(|address| !address.is_empty())
}
