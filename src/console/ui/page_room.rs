//! Room of a page: it weighs less than 150 kB, however many rows its lists have and however long their texts are.

use serde_json::Value;

use super::url_fields::FieldMap;
use crate::limits;

/// Rows of a list that one page shows, and the address of the next page; `None` after the last one.
pub(crate) fn page_of_rows(rows: &[Value], asked: &FieldMap) -> (Vec<Value>, Option<String>) {
    let from = first_row(asked);
    let until = from.saturating_add(limits::PAGE_ROWS);
    let next = (until < rows.len()).then(|| asked.address_with("from", &until.to_string()));
    (rows.iter().skip(from).take(limits::PAGE_ROWS).cloned().collect(), next)
}

/// The same of entries that may be large, such as rules: a page holds few bytes of them, and at least one.
pub(crate) fn page_of_entries(entries: &[Value], asked: &FieldMap) -> (Vec<Value>, Option<String>) {
    let from = first_row(asked);
    let mut left = limits::LIST_PAGE_BYTES;
    let fits = |(place, entry): &(usize, &Value)| {
        let rest = left.checked_sub(entry.to_string().len());
        left = rest.unwrap_or_default();
        *place == 0 || rest.is_some()
    };
    let some = entries.iter().skip(from).take(limits::LIST_PAGE_ROWS).enumerate();
    let shown: Vec<_> = some.take_while(fits).map(|(_, entry)| entry.clone()).collect();
    let until = from.saturating_add(shown.len());
    let next = (until < entries.len()).then(|| asked.address_with("from", &until.to_string()));
    (shown, next)
}

/// The row with which the page of an address begins.
fn first_row(asked: &FieldMap) -> usize {
    asked.number("from").and_then(|from| usize::try_from(from).ok()).unwrap_or_default()
}

/// Room for texts, in bytes as HTML writes them.
pub(crate) struct TextRoom {
    left: usize,
    /// True if a text did not fit.
    pub is_short: bool,
}

impl TextRoom {
    /// Room for so many bytes.
    pub fn new(bytes: usize) -> Self {
        Self { left: bytes, is_short: false }
    }

    /// The text, if there is room for it; null otherwise, and for null.
    pub fn fit(&mut self, text: &Value) -> Value {
        let Some(written) = text.as_str().map(html_bytes) else { return Value::Null };
        if let Some(left) = self.left.checked_sub(written) {
            self.left = left;
            return text.clone();
        }
        self.is_short = true;
        Value::Null
    }
}

/// Bytes of a text in a page, where some signs are written as entities.
fn html_bytes(text: &str) -> usize {
    text.bytes().map(|sign| if b"\"'<>&/".contains(&sign) { 6 } else { 1 }).sum()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_long_list_has_pages_and_the_last_one_leads_nowhere() {
        let rows: Vec<_> = (0..2 * limits::PAGE_ROWS).map(|row| json!(row)).collect();
        let page = |from: &'static str| {
            let (shown, next) = page_of_rows(&rows, &[("from", from), ("x", "y")].into_iter().collect());
            (shown.len(), shown.first().cloned().unwrap_or_default(), next)
        };
        let second = format!("?from={}&x=y", limits::PAGE_ROWS);
        assert_eq!(page(""), (limits::PAGE_ROWS, json!(0), Some(second)));
        assert_eq!(page("-1"), page(""));
        assert_eq!(page("200"), (limits::PAGE_ROWS, json!(limits::PAGE_ROWS), None));
        assert_eq!(page("399"), (1, json!(399), None));
        assert_eq!(page("400"), (0, Value::Null, None));
    }

    #[test]
    fn a_page_of_entries_ends_after_some_rows_or_bytes_and_never_shows_none() {
        let page = |entries: &[Value], from: &'static str| {
            let (shown, next) = page_of_entries(entries, &[("from", from)].into_iter().collect());
            (shown.len(), next)
        };
        let small = vec![json!({"Id": "a"}); limits::LIST_PAGE_ROWS + 1];
        let next = |from: usize| Some(format!("?from={from}"));
        assert_eq!(page(&small, ""), (limits::LIST_PAGE_ROWS, next(limits::LIST_PAGE_ROWS)));
        assert_eq!(page(&small, "50"), (1, None));
        let large = json!({"Html": "x".repeat(limits::LIST_PAGE_BYTES)});
        let mixed = [large.clone(), json!({"Id": "a"}), json!({"Id": "b"}), large];
        let pages = ["", "1", "3"].map(|from| page(&mixed, from));
        assert_eq!(pages, [(1, next(1)), (2, next(3)), (1, None)]);
        assert_eq!(page(&mixed, "4"), (0, None));
    }

    #[test]
    fn a_text_without_room_is_left_out_and_a_shorter_one_still_fits() {
        let mut room = TextRoom::new(10);
        assert_eq!((room.fit(&Value::Null), room.is_short), (Value::Null, false));
        assert_eq!((room.fit(&json!("<ab")), room.is_short), (json!("<ab"), false), "eight bytes");
        assert_eq!((room.fit(&json!("abc")), room.is_short), (Value::Null, true));
        assert_eq!((room.fit(&json!("ab")), room.is_short), (json!("ab"), true));
    }
}
