//! Rows of `DeleteProducts` and `DeleteUsers`: plain ids.

use super::coerce;
use super::context::RowFault;
use super::reading::{check_row, reading, storable_id};
use crate::feeds::issue::{Issue, IssueCode};
use crate::feeds::json::value::JsonType;
use crate::feeds::reader::RawRow;

/// The id (or SKU) in a row that is a number or text. `None` without a new issue: the row is empty (`null`, `""`); with
/// one: a bad row.
pub fn deleted_id(row: &RawRow<'_>, issues: &mut Vec<Issue>) -> Option<String> {
    let read = reading(row, &mut Vec::new(), issues, |_, _| {
        let value = check_row(row.json, &mut Vec::new(), |_| None)?;
        match value.json_type() {
            JsonType::Null => Ok(None),
            JsonType::Number | JsonType::String => {
                let id = coerce::id(value).map_err(|_| RowFault::from_code(IssueCode::FieldWrongType))?;
                id.map(storable_id).transpose()
            }
            JsonType::True | JsonType::False | JsonType::List | JsonType::Object => {
                Err(RowFault::from_code(IssueCode::FieldWrongType))
            }
        }
    });
    read.flatten().map(Into::into)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::feeds::reader::RowOrigin;
    use crate::feeds::section::FeedPart;

    #[test]
    fn ids_are_text_whatever_their_type_and_nothing_deletes_nothing() {
        let mut issues = Vec::new();
        let mut read = |json: &str| {
            let row = RawRow {
                section: FeedPart::DeleteProducts,
                number: 1,
                offset: 0,
                origin: RowOrigin::Feed,
                json: json.as_bytes(),
            };
            deleted_id(&row, &mut issues)
        };
        assert_eq!(read("42").as_deref(), Some("42"));
        assert_eq!(read(r#""a\/b""#).as_deref(), Some("a/b"));
        assert_eq!((read("null"), read(r#""""#)), (None, None));
        assert_eq!(read("tru"), None);
        for wrong in [r#"{"Id":1}"#, "[1]", "true", "false"] {
            assert_eq!(read(wrong), None);
        }
        let longest = "x".repeat(512);
        assert_eq!(read(&format!("\"{longest}\"")), Some(longest));
        let codes: Vec<_> = issues.iter().map(|issue| issue.code).collect();
        assert_eq!((codes[0], &codes[1..]), (IssueCode::RowSyntax, &[IssueCode::FieldWrongType; 4][..]));
    }

    #[test]
    fn an_id_that_no_item_can_have_is_a_bad_row() {
        for (json, code) in [
            (r#""a\u0000b""#.to_owned(), IssueCode::IdMalformed),
            (format!("\"{}\"", "x".repeat(513)), IssueCode::IdTooLong),
        ] {
            let row = RawRow {
                section: FeedPart::DeleteProducts,
                number: 1,
                offset: 0,
                origin: RowOrigin::Feed,
                json: json.as_bytes(),
            };
            let mut issues = Vec::new();
            assert_eq!(deleted_id(&row, &mut issues), None);
            assert_eq!(issues[0].code, code);
        }
    }
}
