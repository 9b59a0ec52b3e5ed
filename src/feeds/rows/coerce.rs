//! Values as senders write them, brought into the documented types.
//!
//! Every function that writes returns whether there was anything to write: `null`, `false` (for anything but a flag),
//! `""`, white space and empty lists are nothing.

use std::borrow::Cow;
use std::collections::HashSet;

use crate::feeds::json::value::{JsonType, JsonValue};
use crate::feeds::json::{compact, escape, is_blank, transcode, write_text};

/// The value cannot be brought into the type.
#[derive(Debug)]
pub(super) struct WrongType;

/// An identifier: text, or a number as it is written; a list of one is that one.
pub(super) fn id(value: JsonValue<'_>) -> Result<Option<Cow<'_, str>>, WrongType> {
    match value.json_type() {
        JsonType::Null | JsonType::False => Ok(None),
        JsonType::Number => Ok(Some(Cow::Borrowed(value.as_sent()))),
        JsonType::String => Ok(value.decode_text().filter(|text| !text.trim().is_empty())),
        JsonType::List => match single(value)? {
            Some(single) if single.json_type() != JsonType::List => id(single),
            Some(_) => Err(WrongType),
            None => Ok(None),
        },
        JsonType::True | JsonType::Object => Err(WrongType),
    }
}

/// The only element of a list, `None` if it is empty.
fn single(list: JsonValue<'_>) -> Result<Option<JsonValue<'_>>, WrongType> {
    let mut elements = list.elements();
    let first = elements.next();
    if elements.next().is_some() { Err(WrongType) } else { Ok(first) }
}

/// Writes one text. A list becomes its lines, without blanks and repetitions.
pub(super) fn text(value: JsonValue<'_>, out: &mut Vec<u8>) -> Result<bool, WrongType> {
    let start = out.len();
    out.push(b'"');
    match value.json_type() {
        JsonType::List => lines(value, out)?,
        JsonType::Object => return Err(WrongType),
        _ => scalar(value, out)?,
    }
    if is_blank(&out[start + 1..]) {
        out.truncate(start);
        return Ok(false);
    }
    out.push(b'"');
    Ok(true)
}

fn lines(list: JsonValue<'_>, out: &mut Vec<u8>) -> Result<(), WrongType> {
    let mut written: HashSet<Vec<u8>> = HashSet::new();
    for element in list.elements() {
        let before = out.len();
        if !written.is_empty() {
            out.extend_from_slice(b"\\n");
        }
        let start = out.len();
        scalar(element, out)?;
        if is_blank(&out[start..]) || !written.insert(out[start..].to_vec()) {
            out.truncate(before);
        }
    }
    Ok(())
}

/// Writes the content of a scalar as text, without quotes.
fn scalar(value: JsonValue<'_>, out: &mut Vec<u8>) -> Result<(), WrongType> {
    match value.json_type() {
        JsonType::Null | JsonType::False => {}
        JsonType::String => transcode(value.inner().unwrap_or_default(), out),
        JsonType::True | JsonType::Number => out.extend_from_slice(value.as_sent().as_bytes()),
        JsonType::List | JsonType::Object => return Err(WrongType),
    }
    Ok(())
}

/// Writes text that holds JSON.
pub(super) fn embedded_json(value: JsonValue<'_>, out: &mut Vec<u8>) -> bool {
    if value.elements().next().is_none() {
        // A scalar, or an empty list: as any other text, which cannot fail for these.
        return text(value, out).unwrap_or(false);
    }
    let mut json = Vec::new();
    compact(value.as_sent(), &mut json);
    write_text(&String::from_utf8_lossy(&json), out);
    true
}

/// Writes `true` or `false`; words and digits count in any case, a list of one is that one.
pub(super) fn flag(value: JsonValue<'_>, out: &mut Vec<u8>) -> Result<bool, WrongType> {
    let is_set = match value.json_type() {
        JsonType::Null => return Ok(false),
        JsonType::True => true,
        JsonType::False => false,
        JsonType::Number => digit_flag(value.as_sent())?,
        JsonType::String => match value.decode_text().unwrap_or_default().trim() {
            "" => return Ok(false),
            word if word.eq_ignore_ascii_case("true") => true,
            word if word.eq_ignore_ascii_case("false") => false,
            digit => digit_flag(digit)?,
        },
        JsonType::List => match single(value)? {
            Some(single) if single.json_type() != JsonType::List => return flag(single, out),
            Some(_) => return Err(WrongType),
            None => return Ok(false),
        },
        JsonType::Object => return Err(WrongType),
    };
    out.extend_from_slice(if is_set { b"true" } else { b"false" });
    Ok(true)
}

fn digit_flag(digit: &str) -> Result<bool, WrongType> {
    match digit {
        "1" => Ok(true),
        "0" => Ok(false),
        _ => Err(WrongType),
    }
}

/// Writes a number as it is spelled; text that spells a JSON number counts, a list of one is that one.
pub(super) fn number(value: JsonValue<'_>, out: &mut Vec<u8>) -> Result<bool, WrongType> {
    match value.json_type() {
        JsonType::Null | JsonType::False => Ok(false),
        JsonType::Number => {
            out.extend_from_slice(value.as_sent().as_bytes());
            Ok(true)
        }
        JsonType::String => {
            let text = value.decode_text().unwrap_or_default();
            let Some(text) = Some(text.trim()).filter(|text| !text.is_empty()) else { return Ok(false) };
            match JsonValue::check(text) {
                Ok(spelled) if spelled.json_type() == JsonType::Number => number(spelled, out),
                _ => Err(WrongType),
            }
        }
        JsonType::List => match single(value)? {
            Some(single) if single.json_type() != JsonType::List => number(single, out),
            Some(_) => Err(WrongType),
            None => Ok(false),
        },
        JsonType::True | JsonType::Object => Err(WrongType),
    }
}

/// The elements a list field stands for: those of a list, the values of an object, or one scalar.
pub(super) fn list_elements<'a>(value: JsonValue<'a>) -> impl Iterator<Item = JsonValue<'a>> {
    let is_scalar = !matches!(value.json_type(), JsonType::List | JsonType::Object);
    is_scalar.then_some(value).into_iter().chain(value.elements())
}

/// The text that an element of a list stands for; empty for nothing.
pub(super) fn element_text(element: JsonValue<'_>) -> Result<Cow<'_, str>, WrongType> {
    match element.json_type() {
        JsonType::String => Ok(element.decode_text().unwrap_or_default()),
        JsonType::Number | JsonType::True => Ok(Cow::Borrowed(element.as_sent())),
        JsonType::Null | JsonType::False => Ok(Cow::Borrowed("")),
        JsonType::List | JsonType::Object => Err(WrongType),
    }
}

/// Writes a list of texts without blanks.
pub(super) fn list(value: JsonValue<'_>, out: &mut Vec<u8>) -> Result<bool, WrongType> {
    write_list(value, out, |element, out| {
        let start = out.len();
        scalar(element, out)?;
        Ok(!is_blank(&out[start..]))
    })
}

/// Writes a list of texts in which blanks keep their place, without those at positions that are left out; nothing if
/// there are only blanks.
pub(super) fn aligned_list(
    value: JsonValue<'_>,
    out: &mut Vec<u8>,
    is_left_out: impl Fn(usize) -> bool,
) -> Result<bool, WrongType> {
    let start = out.len();
    let mut positions = 0..;
    let mut has_text = false;
    write_list(value, out, |element, out| {
        let start = out.len();
        scalar(element, out)?;
        let is_kept = !positions.next().is_some_and(&is_left_out);
        has_text |= is_kept && !is_blank(&out[start..]);
        Ok(is_kept)
    })?;
    if !has_text {
        out.truncate(start);
    }
    Ok(has_text)
}

/// Writes a list of texts, each converted by `convert`; blank ones are left out.
pub(super) fn converted_list(
    value: JsonValue<'_>,
    out: &mut Vec<u8>,
    convert: impl Fn(&str) -> String,
) -> Result<bool, WrongType> {
    write_list(value, out, |element, out| {
        let decoded = element_text(element)?;
        if decoded.trim().is_empty() {
            return Ok(false);
        }
        escape(&convert(&decoded), out);
        Ok(true)
    })
}

/// Writes a list; `write` writes the content of an element's string and returns whether to keep it.
fn write_list(
    value: JsonValue<'_>,
    out: &mut Vec<u8>,
    mut write: impl FnMut(JsonValue<'_>, &mut Vec<u8>) -> Result<bool, WrongType>,
) -> Result<bool, WrongType> {
    let start = out.len();
    out.push(b'[');
    for element in list_elements(value) {
        let before = out.len();
        if before > start + 1 {
            out.push(b',');
        }
        out.push(b'"');
        if write(element, out)? {
            out.push(b'"');
        } else {
            out.truncate(before);
        }
    }
    if out.len() == start + 1 {
        out.truncate(start);
        return Ok(false);
    }
    out.push(b']');
    Ok(true)
}
