//! Reading of a row, and the checks that all sections share.

use std::borrow::Cow;

use super::context::{RowFault, RowWarnings};
use crate::feeds::issue::{Issue, IssueCode, shorten_name};
use crate::feeds::json::value::JsonValue;
use crate::feeds::json::{Flaw, JsonMember, Malformed, scan_row};
use crate::feeds::reader::RawRow;
use crate::limits;

/// Runs `read` on a row; a refusal becomes the row's one issue and leaves `out` as it was.
pub(super) fn reading<T>(
    row: &RawRow<'_>,
    out: &mut Vec<u8>,
    issues: &mut Vec<Issue>,
    read: impl FnOnce(&mut Vec<u8>, &mut RowWarnings<'_, '_>) -> Result<T, RowFault>,
) -> Option<T> {
    let written = out.len();
    let noted = issues.len();
    match read(out, &mut RowWarnings { row, issues }) {
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
pub(super) fn object_members<'a>(
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
pub(super) fn check_row<'a>(
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
pub(super) fn storable_id(id: Cow<'_, str>) -> Result<Cow<'_, str>, RowFault> {
    bounded_id(id, limits::ITEM_ID_BYTES)
}

/// The same of an id that may have `max_bytes`.
pub(super) fn bounded_id(id: Cow<'_, str>, max_bytes: usize) -> Result<Cow<'_, str>, RowFault> {
    if id.len() > max_bytes {
        return Err(RowFault::from_code(IssueCode::IdTooLong));
    }
    if id.contains('\0') {
        return Err(RowFault::from_code(IssueCode::IdMalformed));
    }
    Ok(id)
}
