//! Fields that searches and recommendations share.

use serde_json::Value;
use serde_json::value::RawValue;

use crate::api::json_fields::{JsonFields, RequestFields as _, unreadable};
use crate::limits;
use crate::search::pricing::Currency;
use crate::transport::refusal::Refusal;

/// A whole number from `least` to `most`, or the default.
///
/// # Errors
/// A refusal that names the field and the range.
pub fn number(
    fields: &JsonFields<'_>,
    name: &'static str,
    default: usize,
    range: std::ops::RangeInclusive<usize>,
) -> Result<usize, Refusal> {
    if fields.as_sent(&[name])?.is_none_or(|sent| sent.is_empty() || sent == "null") {
        return Ok(default);
    }
    let number = usize::try_from(fields.number(&[name])?).ok().filter(|number| range.contains(number));
    number.ok_or_else(|| Refusal::malformed(format!("{name} has to be {} to {}", range.start(), range.end())))
}

/// The fields of a product that are needed.
///
/// # Errors
/// A refusal when they are no list of texts, or too many.
pub fn needed_fields(fields: &JsonFields<'_>) -> Result<Vec<String>, Refusal> {
    let needed = fields.opt_texts("Fields")?.unwrap_or_default();
    if needed.len() > limits::SEARCH_FIELDS {
        return Err(Refusal::malformed(format!("Fields has up to {} names", limits::SEARCH_FIELDS)));
    }
    Ok(needed)
}

/// Reads the text that was typed, `""` when it is not there.
pub(super) fn query(fields: &JsonFields<'_>) -> Result<String, Refusal> {
    let query = text(fields, "Query")?;
    if query.len() > limits::SEARCH_QUERY_BYTES {
        Err(Refusal::malformed(format!("Query has up to {} bytes", limits::SEARCH_QUERY_BYTES)))
    } else {
        Ok(query)
    }
}

/// A text, `""` when it is not there.
pub(super) fn text(fields: &JsonFields<'_>, name: &'static str) -> Result<String, Refusal> {
    Ok(fields.opt_text(&[name])?.unwrap_or_default())
}

/// Any JSON, null when it is not there.
///
/// # Errors
/// A refusal when it is given twice with different values, holds a number beyond the largest that is read, or is nested
/// deeper than is read.
pub fn value(fields: &JsonFields<'_>, name: &'static str) -> Result<Value, Refusal> {
    let value = fields.find(&[name])?.map(|value| serde_json::from_str(RawValue::get(value)));
    let value = value.transpose().map(Option::unwrap_or_default);
    value.map_err(|fault| unreadable(name, &fault, "any JSON"))
}

/// A currency by its three letters, if one is named.
///
/// # Errors
/// A refusal when no currency has these letters.
pub fn currency(fields: &JsonFields<'_>) -> Result<Option<Currency>, Refusal> {
    let Some(code) = fields.opt_text(&["Currency"])?.filter(|code| !code.is_empty()) else { return Ok(None) };
    let malformed = || Refusal::malformed("Currency has to be three letters of ISO 4217, such as EUR");
    currency_of(&code).map(Some).ok_or_else(malformed)
}

/// The currency of three letters in any case; `None` for any other text.
pub fn currency_of(code: &str) -> Option<Currency> {
    let code = code.to_ascii_uppercase();
    iso_currency::Currency::from_code(&code)?;
    code.as_bytes().try_into().ok()
}
