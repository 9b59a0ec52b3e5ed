//! Rows in their normal form, one file per section.
//!
//! Every function takes a raw row and answers `None` after pushing exactly one bad issue, or its result and perhaps
//! warnings. Names that resemble a documented one are reported for bad rows too.

mod account_prices;
mod brands;
mod categories;
mod children;
mod coerce;
mod contacts;
mod deletions;
mod memberships;
mod phone;
mod price;
mod price_lists;
mod products;
mod shape;
mod users;

#[cfg(test)]
mod products_tests;

pub use account_prices::deleted_account_price;
pub use contacts::profile_without_forgotten;
pub use deletions::deleted_id;
pub use memberships::{CategoryChange, category_change};
pub(super) use price::parse_amount;
pub use price::{DecimalPrice, PriceFault};
pub use users::{UserRow, normalise_user};

use super::categories_named::CategoriesNamed;
use super::fields::FieldSpec;
use super::fields::misnamed::NearMisses;
use super::issue::{Issue, IssueCode};
use super::json::{Flaw, JsonMember, JsonValue, Malformed, scan_row};
use super::reader::RawRow;
use super::section::Section;
use crate::addresses;
use crate::limits;
use std::borrow::Cow;

/// Facts about an account that its rows need.
pub struct NormaliserContext<'a> {
    /// ISO 4217 code for prices without a currency.
    pub default_currency: Option<&'a str>,
    /// The keyed tag that stands for an account id (a personal identifier) in everything written.
    pub account_tag: &'a dyn Fn(&str) -> String,
    /// Collects observations over all rows of the feed or delta; without it none are reported.
    pub noticed: Option<&'a Noticed>,
}

/// Observations over all rows of a feed or delta.
#[derive(Default)]
pub struct Noticed {
    /// Near misses among field names.
    pub names: NearMisses,
    /// Names by which products give their categories.
    pub categories: CategoriesNamed,
}

/// Keys by which a row is found.
#[derive(Clone, PartialEq, Eq)]
pub struct ItemKey {
    /// The id as text; for account prices `tag|product id`.
    pub id: String,
    /// The SKU, if the row has one.
    pub sku: Option<String>,
    /// Ids and SKUs of a product's variants, which are no items of their own.
    pub children: Vec<String>,
}

/// Appends the normal form of an item of the catalogue to `out`, in the shape of its section. `None`: a bad row, with
/// exactly one bad issue and nothing appended; or a part without items, with neither.
pub fn normalise_item(
    row: &RawRow<'_>,
    context: &NormaliserContext<'_>,
    out: &mut Vec<u8>,
    issues: &mut Vec<Issue>,
) -> Option<ItemKey> {
    let shape = match row.section.section()? {
        Section::Products => return products::normalise_product(row, context, out, issues),
        Section::AccountPrices => return account_prices::normalise_account_price(row, context, out, issues),
        Section::Categories => &categories::SHAPE,
        Section::Brands => &brands::SHAPE,
    };
    reading(row, out, issues, |out, notes| shape.write_item(row, context, out, notes))
}

/// Reason why a row is bad.
struct RowFault {
    code: IssueCode,
    field: Option<Cow<'static, str>>,
}

impl RowFault {
    const fn from_code(code: IssueCode) -> Self {
        Self { code, field: None }
    }

    const fn field(code: IssueCode, field: &'static str) -> Self {
        Self { code, field: Some(Cow::Borrowed(field)) }
    }
}

/// A row that is being read, and the receiver of its warnings.
struct Notes<'r, 'i> {
    row: &'r RawRow<'r>,
    issues: &'i mut Vec<Issue>,
}

impl Notes<'_, '_> {
    fn warn(&mut self, code: IssueCode, field: &'static str) {
        self.issues.push(Issue::new(self.row, code, Some(Cow::Borrowed(field))));
    }

    /// Warns of names among those of other fields that resemble a documented one, unless the row has that one too.
    fn warn_misnamed(
        &mut self,
        context: &NormaliserContext<'_>,
        others: &[JsonMember<'_>],
        is_given: impl Fn(&FieldSpec) -> bool,
    ) {
        let Some(Noticed { names, .. }) = context.noticed else { return };
        for (position, member) in others.iter().enumerate() {
            let name = member.name();
            let Some(meant) = names.find_meant_field(self.row.section, position, &name) else { continue };
            if is_given(meant.field) {
                continue;
            }
            // An issue quotes no word of a person; a name from the table is Lethe's own.
            let is_personal = self.row.section.is_personal();
            let written = meant.written.filter(|_| is_personal).map(Cow::Borrowed);
            let name = written.unwrap_or_else(|| shorten_name(name.into_owned()));
            self.issues.push(Issue::misnamed_field(self.row, Some(name), meant.field.name));
        }
    }
}

/// Runs `read` on a row; a refusal becomes the row's one issue and leaves `out` as it was.
fn reading<T>(
    row: &RawRow<'_>,
    out: &mut Vec<u8>,
    issues: &mut Vec<Issue>,
    read: impl FnOnce(&mut Vec<u8>, &mut Notes<'_, '_>) -> Result<T, RowFault>,
) -> Option<T> {
    let written = out.len();
    let noted = issues.len();
    match read(out, &mut Notes { row, issues }) {
        Ok(result) => Some(result),
        Err(RowFault { code, field }) => {
            out.truncate(written);
            let warnings = issues.split_off(noted);
            issues.push(Issue::new(row, code, field));
            // Possible reasons why the row is bad.
            issues.extend(warnings.into_iter().filter(|issue| issue.code == IssueCode::FieldMisnamed));
            None
        }
    }
}

/// The members of a row that must be an object. `core` returns Lethe's spelling of a documented name.
fn object_members<'a>(
    row: &RawRow<'a>,
    core: impl Fn(&str) -> Option<&'static str>,
) -> Result<Vec<JsonMember<'a>>, RowFault> {
    let mut members = Vec::with_capacity(32);
    let value = check_row(row.json, &mut members, core)?;
    if !value.is_object() {
        return Err(RowFault::from_code(IssueCode::RowNotObject));
    }
    Ok(members)
}

/// The row as a checked value.
fn check_row<'a>(
    json: &'a [u8],
    members: &mut Vec<JsonMember<'a>>,
    core: impl Fn(&str) -> Option<&'static str>,
) -> Result<JsonValue<'a>, RowFault> {
    scan_row(json, members).map_err(|Flaw { malformed, key }| {
        let code = match malformed {
            Malformed::Syntax => IssueCode::RowSyntax,
            Malformed::InvalidUtf8 => IssueCode::RowInvalidUtf8,
            Malformed::LoneSurrogate => IssueCode::RowLoneSurrogate,
            Malformed::NumberTooLarge => IssueCode::RowNumberTooLarge,
            Malformed::TooDeep => IssueCode::RowTooDeep,
            Malformed::TooManyFields => IssueCode::RowTooManyFields,
            Malformed::DuplicateKey => IssueCode::DuplicateKey,
        };
        RowFault { code, field: key.map(|key| core(&key).map_or_else(|| shorten_name(key), Cow::Borrowed)) }
    })
}

/// An id that can stand in an index: bounded, and without NUL, which PostgreSQL's texts cannot hold.
fn storable_id(id: Cow<'_, str>) -> Result<Cow<'_, str>, RowFault> {
    bounded_id(id, limits::ITEM_ID_BYTES)
}

/// The same of an id that may have `max_bytes`.
fn bounded_id(id: Cow<'_, str>, max_bytes: usize) -> Result<Cow<'_, str>, RowFault> {
    if id.len() > max_bytes {
        return Err(RowFault::from_code(IssueCode::IdTooLong));
    }
    if id.contains('\0') {
        return Err(RowFault::from_code(IssueCode::IdMalformed));
    }
    Ok(id)
}

/// A field name from a row, short enough to be repeated, and without any address.
pub(super) fn shorten_name(name: String) -> Cow<'static, str> {
    let mut name = addresses::without_addresses(&name).unwrap_or(name);
    // PostgreSQL's texts hold no NUL.
    name.retain(|letter| letter != '\0');
    name.truncate(name.floor_char_boundary(limits::ISSUE_FIELD_BYTES));
    Cow::Owned(name)
}
