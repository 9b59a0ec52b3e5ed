//! Lists of prices, and prices by customer group or account.

use std::borrow::Cow;

use super::coerce::list_elements;
use super::context::{NormaliserContext, RowFault, RowWarnings};
use super::price::{DecimalPrice, PriceFault, currency};
use super::shape::key;
use crate::feeds::fields::{FieldSpec, FieldType, PRICE_PAIR};
use crate::feeds::issue::IssueCode;
use crate::feeds::json::value::{JsonType, JsonValue};
use crate::feeds::json::{escape, transcode, unescape};

/// Writes a list of canonical prices; false when there are none. Errors: an element is not a price.
pub(super) fn prices(
    field: &'static str,
    value: JsonValue<'_>,
    context: &NormaliserContext<'_>,
    notes: &mut RowWarnings<'_, '_>,
    out: &mut Vec<u8>,
) -> Result<bool, RowFault> {
    let default = context.default_currency.and_then(currency);
    let mut any_rounded = false;
    let mut any_without = false;
    let start = out.len();
    for element in list_elements(value) {
        let Some(text) = price_text(field, element)? else { continue };
        let (price, was_rounded) = match DecimalPrice::parse(&text, default) {
            Ok(read) => read,
            Err(PriceFault::CurrencyMissing) => {
                any_without = true;
                continue;
            }
            Err(PriceFault::Malformed) => return Err(RowFault::field(IssueCode::PriceMalformed, field)),
            Err(PriceFault::CurrencyUnknown) => {
                return Err(RowFault::field(IssueCode::CurrencyUnknown, field));
            }
        };
        any_rounded |= was_rounded;
        out.push(if out.len() == start { b'[' } else { b',' });
        out.push(b'"');
        price.write(out);
        out.push(b'"');
    }
    if any_rounded {
        notes.warn(IssueCode::PriceRounded, field);
    }
    if any_without {
        notes.warn(IssueCode::PriceWithoutCurrency, field);
    }
    let any_written = out.len() > start;
    if any_written {
        out.push(b']');
    }
    Ok(any_written)
}

/// Writes that there are no prices, where a list or an object says so because it is empty; false for anything else.
pub(super) fn write_empty(field: &FieldSpec, value: JsonValue<'_>, out: &mut Vec<u8>) -> bool {
    let is_blank = |element| matches!(price_text(field.name, element), Ok(None));
    let is_empty = matches!(value.json_type(), JsonType::List | JsonType::Object);
    let is_empty = is_empty && value.elements().all(is_blank);
    let empty: &[u8] = match field.kind {
        FieldType::Prices if is_empty => b"[]",
        FieldType::GroupPrices | FieldType::AccountPrices if is_empty => b"{}",
        _ => return false,
    };
    out.extend_from_slice(empty);
    true
}

/// Returns true if none of these canonical prices is in the account's currency; false if it has none.
pub(super) fn lacks_currency(prices: &[u8], context: &NormaliserContext<'_>) -> bool {
    let Some(currency) = context.default_currency.and_then(currency) else { return false };
    let code = currency.code().as_bytes();
    !prices.windows(code.len()).any(|letters| letters == code)
}

fn price_text<'a>(field: &'static str, element: JsonValue<'a>) -> Result<Option<Cow<'a, str>>, RowFault> {
    match element.json_type() {
        JsonType::Null | JsonType::False => Ok(None),
        JsonType::Number => Ok(Some(Cow::Borrowed(element.as_sent()))),
        JsonType::String => Ok(element.decode_text().filter(|text| !text.trim().is_empty())),
        JsonType::True | JsonType::List | JsonType::Object => {
            Err(RowFault::field(IssueCode::FieldWrongType, field))
        }
    }
}

/// Writes prices by customer group, `{"group": {"Prices": [...], "SalePrices": [...]}}`; in a list
/// the position is the group. False when no group has a price.
pub(super) fn group_prices(
    field: &'static str,
    value: JsonValue<'_>,
    context: &NormaliserContext<'_>,
    notes: &mut RowWarnings<'_, '_>,
    out: &mut Vec<u8>,
) -> Result<bool, RowFault> {
    let is_object = value.is_object();
    keyed_prices(field, value, context, notes, out, |position, group, out| {
        if is_object {
            transcode(group, out);
        } else {
            out.extend_from_slice(position.to_string().as_bytes());
        }
    })
}

/// Writes prices by account under the accounts' tags; a list has no account ids and is refused.
pub(super) fn account_prices(
    field: &'static str,
    value: JsonValue<'_>,
    context: &NormaliserContext<'_>,
    notes: &mut RowWarnings<'_, '_>,
    out: &mut Vec<u8>,
) -> Result<bool, RowFault> {
    if value.json_type() == JsonType::List && value.elements().next().is_some() {
        return Err(RowFault::field(IssueCode::FieldWrongType, field));
    }
    keyed_prices(field, value, context, notes, out, |_, account, out| {
        escape(&(context.account_tag)(&unescape(account)), out);
    })
}

fn keyed_prices(
    field: &'static str,
    value: JsonValue<'_>,
    context: &NormaliserContext<'_>,
    notes: &mut RowWarnings<'_, '_>,
    out: &mut Vec<u8>,
    write_key: impl Fn(usize, &str, &mut Vec<u8>),
) -> Result<bool, RowFault> {
    check_keyed(field, value)?;
    let start = out.len();
    out.push(b'{');
    for (position, (name, entry)) in value.entries().enumerate() {
        check_keyed(field, entry)?;
        let before = out.len();
        if before > start + 1 {
            out.push(b',');
        }
        out.push(b'"');
        write_key(position, name, out);
        out.extend_from_slice(b"\":");
        if !price_pair(field, entry, context, notes, out)? {
            out.truncate(before);
        }
    }
    if out.len() == start + 1 {
        out.truncate(start);
        return Ok(false);
    }
    out.push(b'}');
    Ok(true)
}

/// Objects and lists have keys; `null`, `false`, `""` mean that there are no prices.
fn check_keyed(field: &'static str, value: JsonValue<'_>) -> Result<(), RowFault> {
    match value.json_type() {
        JsonType::List | JsonType::Object | JsonType::Null | JsonType::False => Ok(()),
        JsonType::String if value.inner() == Some("") => Ok(()),
        _ => Err(RowFault::field(IssueCode::FieldWrongType, field)),
    }
}

/// Writes one `{"Prices": ..., "SalePrices": ...}`; false when it has no price.
fn price_pair(
    field: &'static str,
    entry: JsonValue<'_>,
    context: &NormaliserContext<'_>,
    notes: &mut RowWarnings<'_, '_>,
    out: &mut Vec<u8>,
) -> Result<bool, RowFault> {
    if entry.json_type() == JsonType::List && entry.elements().next().is_some() {
        return Err(RowFault::field(IssueCode::FieldWrongType, field));
    }
    let mut pair = [None; PRICE_PAIR.len()];
    for (name, value) in entry.entries() {
        let name = unescape(name);
        let Some(slot) = PRICE_PAIR.iter().position(|field| field.is_named(&name)) else { continue };
        if pair[slot].is_some_and(|earlier| !value.is_same(earlier)) {
            return Err(RowFault::field(IssueCode::DuplicateKey, field));
        }
        pair[slot] = Some(value);
    }
    let start = out.len();
    out.push(b'{');
    for (FieldSpec { name, .. }, value) in PRICE_PAIR.iter().zip(pair) {
        let Some(value) = value else { continue };
        let before = out.len();
        key(name, out);
        if !prices(field, value, context, notes, out)? {
            out.truncate(before);
        }
    }
    let any_written = out.len() > start + 1;
    out.push(b'}');
    Ok(any_written)
}
