//! Options of a variant, and the swatches of a product's options.

use std::borrow::Cow;

use super::coerce::{WrongType, element_text};
use super::context::{RowFault, RowWarnings};
use super::shape::write_key;
use crate::feeds::issue::IssueCode;
use crate::feeds::json::value::{JsonType, JsonValue};
use crate::feeds::json::{compact, escape, unescape, write_text};
use crate::limits;

/// Names of the members of an option in a list of options.
const NAME: &str = "Name";
const VALUE: &str = "Value";

/// Writes options, `{"Colour":"Red"}`, from such an object or from a list of `{"Name": …, "Value": …}`; false when
/// there are none. Options without a value are none; one that is too long, and those after the most, are left out and
/// reported. Errors: anything else, or an option with two values.
pub(super) fn options(
    field: &'static str,
    value: JsonValue<'_>,
    notes: &mut RowWarnings<'_, '_>,
    out: &mut Vec<u8>,
) -> Result<bool, RowFault> {
    let wrong = |WrongType| RowFault::field(IssueCode::FieldWrongType, field);
    let mut written: Vec<(String, String)> = Vec::new();
    for option in list_options(value).map_err(wrong)? {
        let (name, value) = option;
        let name = name.trim();
        let value = option_text(value).map_err(wrong)?;
        let value = value.trim();
        if value.is_empty() {
            continue;
        }
        if name.is_empty() {
            return Err(wrong(WrongType));
        }
        if let Some((_, earlier)) = written.iter().find(|(earlier, _)| earlier == name) {
            if earlier != value {
                return Err(RowFault::field(IssueCode::DuplicateKey, field));
            }
            continue;
        }
        if is_too_long(field, name, value.len(), limits::VARIANT_VALUE_BYTES, notes) {
            continue;
        }
        if written.len() == limits::VARIANT_OPTIONS {
            notes.warn(IssueCode::VariantOptionsTooMany, field);
            break;
        }
        written.push((name.to_owned(), value.to_owned()));
    }
    if written.is_empty() {
        return Ok(false);
    }
    out.push(b'{');
    for (name, value) in &written {
        write_named_text(name, value, out);
    }
    out.push(b'}');
    Ok(true)
}

/// An option as it was sent: its name, and its value.
type SentOption<'a> = (Cow<'a, str>, JsonValue<'a>);

/// The options of an object, or of a list of objects.
fn list_options(value: JsonValue<'_>) -> Result<Vec<SentOption<'_>>, WrongType> {
    match value.json_type() {
        JsonType::Object => Ok(value.entries().map(|(name, value)| (unescape(name), value)).collect()),
        JsonType::List => value
            .elements()
            .filter(|option| option.json_type() != JsonType::Null)
            .map(listed_option)
            .collect(),
        _ if is_blank(value) => Ok(Vec::new()),
        _ => Err(WrongType),
    }
}

fn listed_option(option: JsonValue<'_>) -> Result<SentOption<'_>, WrongType> {
    if !option.is_object() {
        return Err(WrongType);
    }
    let member = |wanted: &str| {
        let mut named = option.entries().filter(|(name, _)| unescape(name).eq_ignore_ascii_case(wanted));
        named.next().map(|(_, value)| value)
    };
    let name = member(NAME).map_or(Ok(Cow::Borrowed("")), element_text)?;
    Ok((name, member(VALUE).unwrap_or(JsonValue::from_trusted("null"))))
}

/// The text of an option's value; a list of one is that one.
fn option_text(value: JsonValue<'_>) -> Result<Cow<'_, str>, WrongType> {
    if value.json_type() != JsonType::List {
        return element_text(value);
    }
    let mut elements = value.elements();
    let first = elements.next();
    match elements.next() {
        None => first.map_or(Ok(Cow::Borrowed("")), element_text),
        Some(_) => Err(WrongType),
    }
}

/// Writes swatches, `{"Colour":{"Red":"#cc0000"}}`; false when there are none. Errors: another type.
pub(super) fn swatches(
    field: &'static str,
    value: JsonValue<'_>,
    notes: &mut RowWarnings<'_, '_>,
    out: &mut Vec<u8>,
) -> Result<bool, RowFault> {
    let start = out.len();
    out.push(b'{');
    for (number, (option, values)) in swatch_entries(field, value)?.enumerate() {
        if number == limits::VARIANT_OPTIONS {
            notes.warn(IssueCode::VariantOptionsTooMany, field);
            break;
        }
        let option = unescape(option);
        if is_too_long(field, &option, 0, 0, notes) || is_blank(values) {
            continue;
        }
        write_key(out, |out| escape(&option, out));
        out.push(b'{');
        for (name, shown) in swatch_entries(field, values)? {
            let name = unescape(name);
            let shown = element_text(shown);
            let shown = shown.map_err(|WrongType| RowFault::field(IssueCode::FieldWrongType, field))?;
            let shown = shown.trim();
            let is_long = name.len() > limits::VARIANT_VALUE_BYTES || shown.len() > limits::FEED_URL_BYTES;
            if is_long {
                notes.warn_named(IssueCode::VariantValueTooLong, format!("{field}.{option}"));
            } else if !shown.is_empty() {
                write_named_text(&name, shown, out);
            }
        }
        out.push(b'}');
    }
    let any_written = out.len() > start + 1;
    if any_written {
        out.push(b'}');
    } else {
        out.truncate(start);
    }
    Ok(any_written)
}

/// The members of an object; none of a value that stands for nothing.
fn swatch_entries<'a>(
    field: &'static str,
    value: JsonValue<'a>,
) -> Result<impl Iterator<Item = (&'a str, JsonValue<'a>)>, RowFault> {
    if value.is_object() || is_blank(value) {
        Ok(value.entries())
    } else {
        Err(RowFault::field(IssueCode::FieldWrongType, field))
    }
}

/// Returns true, after a warning, if the name of an option or its value is too long.
fn is_too_long(
    field: &'static str,
    name: &str,
    value_bytes: usize,
    most_bytes: usize,
    notes: &mut RowWarnings<'_, '_>,
) -> bool {
    let is_long = name.len() > limits::OPTION_NAME_BYTES || value_bytes > most_bytes;
    if is_long {
        notes.warn_named(IssueCode::VariantValueTooLong, format!("{field}.{name}"));
    }
    is_long
}

/// Returns true for `null`, `false`, a blank text and an empty list.
pub(super) fn is_blank(value: JsonValue<'_>) -> bool {
    match value.json_type() {
        JsonType::Null | JsonType::False => true,
        JsonType::String => value.decode_text().is_none_or(|text| text.trim().is_empty()),
        JsonType::List => value.elements().next().is_none(),
        JsonType::True | JsonType::Number | JsonType::Object => false,
    }
}

/// Length of an attribute's value, in bytes: of a text without its quotes, of anything else as it is written.
pub(super) fn value_bytes(value: JsonValue<'_>) -> usize {
    if let Some(text) = value.decode_text() {
        return text.len();
    }
    let mut written = Vec::new();
    compact(value.as_sent(), &mut written);
    written.len()
}

fn write_named_text(name: &str, text: &str, out: &mut Vec<u8>) {
    write_key(out, |out| escape(name, out));
    write_text(text, out);
}
