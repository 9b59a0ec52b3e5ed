//! A row sorted by the fields of its section, and its normal form.

use std::borrow::Cow;
use std::collections::HashSet;

use super::coerce::WrongType;
use super::context::{ItemKey, NormaliserContext, RowFault, RowWarnings};
use super::reading::{bounded_id, object_members};
use super::shape::{FIELDS_MAX, RowShape, key, write_key};
use super::{coerce, contacts, options, price_lists};
use crate::dates::DateText;
use crate::feeds::fields::misnamed::FieldTable;
use crate::feeds::fields::{FieldRequirement, FieldSpec, FieldType, VARIANTS_FIELD};
use crate::feeds::issue::{IssueCode, shorten_name};
use crate::feeds::json::text::write_text;
use crate::feeds::json::value::JsonValue;
use crate::feeds::json::{JsonMember, compact, keep_each_once, transcode};
use crate::feeds::reader::RawRow;
use crate::feeds::section::FeedPart;
use crate::limits;

/// A row sorted into documented fields and attributes.
pub(super) struct SortedRow<'a> {
    shape: &'static RowShape,
    values: [Option<JsonValue<'a>>; FIELDS_MAX],
    attributes: Vec<JsonMember<'a>>,
    left_out: HashSet<ListElement>,
    /// Canonical prices of a product's variants: a product that has none of its own is sold for these.
    variant_prices: Vec<u8>,
    /// Lists of prices are kept where they are empty, because they take the place of others.
    keeps_empty_prices: bool,
}

/// An element of a list: the field's name, and the element's position.
pub(super) type ListElement = (&'static str, usize);

/// Reads and sorts a row, and warns of names that resemble a documented one. Errors: no object, malformed, or a field
/// twice with different values.
pub(super) fn sort<'a>(
    shape: &'static RowShape,
    row: &RawRow<'a>,
    context: &NormaliserContext<'_>,
    notes: &mut RowWarnings<'_, '_>,
) -> Result<SortedRow<'a>, RowFault> {
    let members = object_members(row, |name| shape.core_name(name))?;
    sort_members(shape, members, FieldTable::Rows(row.section), context, notes)
}

/// The same of the members of a checked object, each there once, whose fields are those of `table`.
pub(super) fn sort_members<'a>(
    shape: &'static RowShape,
    members: Vec<JsonMember<'a>>,
    table: FieldTable,
    context: &NormaliserContext<'_>,
    notes: &mut RowWarnings<'_, '_>,
) -> Result<SortedRow<'a>, RowFault> {
    let mut attributes = members;
    let mut values = [None; FIELDS_MAX];
    let mut conflict = None;
    attributes.retain(|member| {
        let Some(position) = shape.position(&member.name()) else { return true };
        let FieldSpec { name, kind, .. } = &shape.fields[position];
        if *kind == FieldType::Attributes && !member.value.is_object() {
            return true;
        }
        match values[position] {
            None => values[position] = Some(member.value),
            Some(earlier) if member.value.is_same(earlier) => {}
            Some(_) => conflict = Some(*name),
        }
        false
    });
    let is_given = |field: &FieldSpec| shape.position(field.name).is_some_and(|at| values[at].is_some());
    notes.warn_misnamed(table, context, &attributes, is_given);
    if let Some(name) = conflict {
        return Err(RowFault::field(IssueCode::DuplicateKey, name));
    }
    let mut sorted = SortedRow {
        shape,
        values,
        attributes,
        left_out: HashSet::new(),
        variant_prices: Vec::new(),
        keeps_empty_prices: false,
    };
    sorted.flatten_attributes()?;
    Ok(sorted)
}

impl<'a> SortedRow<'a> {
    /// The value sent for a documented field.
    pub(super) fn value(&self, name: &str) -> Option<JsonValue<'a>> {
        self.values[self.shape.position(name)?]
    }

    /// The identifier sent for a documented field. Errors: wrong type, too long, NUL.
    pub(super) fn id(&self, name: &'static str, max_bytes: usize) -> Result<Option<Cow<'a, str>>, RowFault> {
        let Some(value) = self.value(name) else { return Ok(None) };
        let id = coerce::id(value).map_err(|WrongType| RowFault::field(IssueCode::FieldWrongType, name))?;
        id.map(|id| bounded_id(id, max_bytes))
            .transpose()
            .map_err(|refusal| RowFault::field(refusal.code, name))
    }

    /// Leaves elements of aligned lists out.
    pub(super) fn leave_out(&mut self, places: HashSet<ListElement>) {
        self.left_out = places;
    }

    /// Puts the variants of a product, a list in normal form, in the place of those that were sent; `None`: there are
    /// none. `prices` are theirs.
    pub(super) fn set_variants(&mut self, variants: Option<JsonValue<'a>>, prices: Vec<u8>) {
        if let Some(position) = self.shape.position(VARIANTS_FIELD) {
            self.values[position] = variants;
        }
        self.variant_prices = prices;
    }

    /// Keeps empty lists of prices.
    pub(super) fn keep_empty_prices(&mut self) {
        self.keeps_empty_prices = true;
    }

    /// The attributes.
    pub(super) fn attributes(&self) -> &[JsonMember<'a>] {
        &self.attributes
    }

    /// Leaves out the attributes for which `is_kept` is false.
    pub(super) fn retain_attributes(&mut self, is_kept: impl FnMut(&JsonMember<'a>) -> bool) {
        self.attributes.retain(is_kept);
    }

    /// Forgets the attributes, where rows may not keep any.
    pub(super) fn without_attributes(mut self) -> Self {
        self.attributes.clear();
        self
    }

    /// Members of an `Attributes` object are attributes like any other, except names of accounts: they mean the
    /// documented field, or an account id would be kept as it was sent.
    fn flatten_attributes(&mut self) -> Result<(), RowFault> {
        let nested = self.shape.fields.iter().position(|field| field.kind == FieldType::Attributes);
        let Some(nested) = nested.and_then(|position| self.values[position].take()) else { return Ok(()) };
        for member in nested.entries().map(JsonMember::from_entry) {
            let position = self.shape.position(&member.name());
            let position = position.filter(|position| self.shape.fields[*position].kind.names_accounts());
            match position.map(|position| &mut self.values[position]) {
                None => self.attributes.push(member),
                Some(place @ None) => *place = Some(member.value),
                Some(Some(earlier)) if member.value.is_same(*earlier) => {}
                Some(Some(_)) => {
                    let field = self.shape.core_name(&member.name()).map(std::borrow::Cow::Borrowed);
                    return Err(RowFault { code: IssueCode::DuplicateKey, field });
                }
            }
        }
        keep_each_once(&mut self.attributes, 0).map_err(|repeated| RowFault {
            code: IssueCode::DuplicateKey,
            field: Some(shorten_name(repeated.name().into_owned())),
        })
    }

    /// Writes the normal form: `ids` first, then the other documented fields that have a value, then
    /// the attributes. Errors: a field that cannot be coerced.
    pub(super) fn write(
        &self,
        ids: &[(&'static str, Option<&str>)],
        context: &NormaliserContext<'_>,
        notes: &mut RowWarnings<'_, '_>,
        out: &mut Vec<u8>,
    ) -> Result<(), RowFault> {
        out.push(b'{');
        for (name, id) in ids {
            if let Some(id) = id {
                key(name, out);
                write_text(id, out);
            }
        }
        for (field, value) in self.shape.fields.iter().zip(&self.values) {
            let start = out.len();
            let mut is_written = field.kind == FieldType::Id;
            if let Some(value) = value
                && !is_written
            {
                key(field.name, out);
                is_written = write_field(field, *value, &self.left_out, context, notes, out)?
                    || (self.keeps_empty_prices && price_lists::write_empty(field, *value, out));
                if !is_written {
                    out.truncate(start);
                }
            }
            if let FieldRequirement::Wanted(code) = field.need {
                self.warn_wanted(field, code, &out[start..], context, notes);
            }
        }
        self.write_attributes(out);
        out.push(b'}');
        Ok(())
    }

    /// Warns of a wanted field for which nothing was `written`, and of prices that the shop's shoppers do not see.
    fn warn_wanted(
        &self,
        field: &FieldSpec,
        code: IssueCode,
        written: &[u8],
        context: &NormaliserContext<'_>,
        notes: &mut RowWarnings<'_, '_>,
    ) {
        let is_price = code == IssueCode::PriceMissing && notes.row.section == FeedPart::PRODUCTS;
        let has_other_prices = is_price && !self.variant_prices.is_empty();
        if written.is_empty() && !has_other_prices {
            notes.warn(code, field.name);
        } else if is_price
            && [written, &self.variant_prices]
                .iter()
                .all(|prices| price_lists::lacks_currency(prices, context))
        {
            notes.warn(IssueCode::PriceOtherCurrency, field.name);
        }
    }

    /// The same for an item, whose text people wrote: no address in it stays.
    pub(super) fn write_text(
        &self,
        ids: &[(&'static str, Option<&str>)],
        context: &NormaliserContext<'_>,
        notes: &mut RowWarnings<'_, '_>,
        out: &mut Vec<u8>,
    ) -> Result<(), RowFault> {
        let start = out.len();
        self.write(ids, context, notes, out)?;
        contacts::warn_and_blank(self.shape, start, notes, out);
        Ok(())
    }

    fn write_attributes(&self, out: &mut Vec<u8>) {
        if self.attributes.is_empty() {
            return;
        }
        key("Attributes", out);
        out.push(b'{');
        for attribute in &self.attributes {
            write_key(out, |out| transcode(attribute.key, out));
            compact(attribute.value.as_sent(), out);
        }
        out.push(b'}');
    }
}

/// Writes a date as it was sent, with a warning if it is unreadable; false for a value that stands for no date.
pub(super) fn write_date(
    field: &FieldSpec,
    value: JsonValue<'_>,
    notes: &mut RowWarnings<'_, '_>,
    out: &mut Vec<u8>,
) -> Result<bool, RowFault> {
    let start = out.len();
    if !coerce::text(value, out)
        .map_err(|WrongType| RowFault::field(IssueCode::FieldWrongType, field.name))?
    {
        return Ok(false);
    }
    let written = out.get(start + 1..out.len() - 1).unwrap_or_default();
    match DateText::parse(&String::from_utf8_lossy(written)) {
        DateText::Blank => return Ok(false),
        DateText::Date(_) => {}
        DateText::Malformed => notes.warn(IssueCode::DateMalformed, field.name),
    }
    Ok(true)
}

/// Writes a value in the type of its field; false when there is nothing to write.
pub(super) fn write_field(
    field: &FieldSpec,
    value: JsonValue<'_>,
    left_out: &HashSet<ListElement>,
    context: &NormaliserContext<'_>,
    notes: &mut RowWarnings<'_, '_>,
    out: &mut Vec<u8>,
) -> Result<bool, RowFault> {
    let written = match field.kind {
        FieldType::Text => coerce::text(value, out),
        FieldType::Date => return write_date(field, value, notes, out),
        FieldType::Embedded => Ok(coerce::embedded_json(value, out)),
        FieldType::Options => return options::options(field.name, value, notes, out),
        FieldType::Swatches => return options::swatches(field.name, value, notes, out),
        FieldType::Variants => {
            // In their normal form: [`SortedRow::set_variants`].
            out.extend_from_slice(value.as_sent().as_bytes());
            Ok(true)
        }
        FieldType::Flag => coerce::flag(value, out),
        FieldType::Number => coerce::number(value, out),
        FieldType::List => coerce::list(value, out),
        FieldType::AlignedList => {
            coerce::aligned_list(value, out, |position| left_out.contains(&(field.name, position)))
        }
        FieldType::Tags => coerce::converted_list(value, out, |text| text.trim().to_owned()),
        FieldType::Accounts => coerce::converted_list(value, out, |id| (context.account_tag)(id)),
        FieldType::Prices => return price_lists::prices(field.name, value, context, notes, out),
        FieldType::GroupPrices => return price_lists::group_prices(field.name, value, context, notes, out),
        FieldType::AccountPrices => {
            return price_lists::account_prices(field.name, value, context, notes, out);
        }
        FieldType::Id
        | FieldType::Attributes
        | FieldType::Ignored
        | FieldType::Moment
        | FieldType::Amount => Ok(false),
    };
    written.map_err(|WrongType| RowFault::field(IssueCode::FieldWrongType, field.name))
}

impl RowShape {
    /// Writes the normal form of a row whose key is its `Id`.
    pub(super) fn write_item(
        &'static self,
        row: &RawRow<'_>,
        context: &NormaliserContext<'_>,
        out: &mut Vec<u8>,
        notes: &mut RowWarnings<'_, '_>,
    ) -> Result<ItemKey, RowFault> {
        let sorted = sort(self, row, context, notes)?;
        let id = sorted.id("Id", limits::ITEM_ID_BYTES)?;
        let id = id.ok_or(RowFault::field(IssueCode::IdMissing, "Id"))?;
        if let Some(noticed) = context.noticed.filter(|_| row.section == FeedPart::CATEGORIES) {
            let title = sorted.value("DisplayName").and_then(JsonValue::decode_text);
            noticed.categories.category(&id, title.as_deref());
        }
        sorted.write_text(&[("Id", Some(&id))], context, notes, out)?;
        Ok(ItemKey { id: id.into_owned(), sku: None, children: Vec::new() })
    }
}
