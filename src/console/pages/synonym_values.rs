//! Values of the synonyms on the page of the rules: as they are live, or as they are being edited.

use aws_lc_rs::digest::{SHA256, digest};
use serde_json::{Value, json};

use super::synonym_rows::{SynonymRow, join_rows, offer_row, parse_rows};
use crate::console::auth::console_shop::ConsoleShop;
use crate::console::state::Console;
use crate::console::ui::problem::Problem;
use crate::console::ui::url_fields::FieldMap;
use crate::limits;

/// Values of the list that an address or an answer brings: rows that are being edited, or a word that begins a row.
pub(crate) fn typed_values(asked: &FieldMap, answer: &Value) -> Value {
    let mut values = answer["synonyms"].clone();
    values["is_set"] = (asked.text("synonyms") == "set").into();
    values["is_same"] = (asked.text("synonyms") == "unchanged").into();
    values["word"] = asked.text("word").into();
    values
}

/// Puts the page's view of the synonyms into `values`, which hold typed `rows` or a typed `text`, if there are any.
///
/// # Errors
/// When the store fails.
pub(crate) async fn fill_page_values(
    console: &Console,
    shop: &ConsoleShop,
    values: &mut Value,
) -> Result<(), Problem> {
    let settings = console.search_of(shop).await?;
    let live = settings.synonyms.text();
    let typed_rows = serde_json::from_value::<Vec<SynonymRow>>(values["rows"].take()).ok();
    let typed_text = values["text"].as_str().map(str::to_owned);
    let is_text = typed_text.is_some();
    let text = match (&typed_rows, typed_text) {
        (Some(rows), _) => join_rows(rows).text,
        (None, Some(text)) => text,
        (None, None) => with_word(live.to_owned(), values["word"].as_str().unwrap_or_default()),
    };
    let mut rows = typed_rows.unwrap_or_else(|| parse_rows(&text));
    offer_row(&mut rows);
    let is_long = rows.len() > limits::SYNONYM_ROWS || text.len() > limits::SYNONYM_ROWS_BYTES;
    if values["before"].is_null() {
        values["before"] = mark(live).into();
    }
    values["is_long"] = is_long.into();
    values["is_text"] = is_text.into();
    values["rows"] = if is_long { json!([]) } else { json!(rows) };
    values["text"] = text.into();
    values["live"] = live.into();
    Ok(())
}

/// The lines of synonyms with one more that begins with a word; as they are without a word.
fn with_word(mut lines: String, word: &str) -> String {
    // Signs of the notation would make other synonyms of it.
    let words: Vec<_> = word.split([',', '=', '>', '#']).flat_map(str::split_whitespace).collect();
    if !words.is_empty() {
        if !lines.is_empty() && !lines.ends_with('\n') {
            lines.push('\n');
        }
        lines.push_str(&words.join(" "));
        lines.push_str(", ");
    }
    lines
}

/// Says of a text whether it is still the same.
pub(super) fn mark(text: &str) -> String {
    lethe_verify::hex::encode(digest(&SHA256, text.as_bytes()).as_ref())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_begins_a_line_of_synonyms() {
        let begun =
            ["tv, television", "tv, television\n", ""].map(|lines| with_word(lines.to_owned(), "blue  hat"));
        assert_eq!(begun, ["tv, television\nblue hat, ", "tv, television\nblue hat, ", "blue hat, "]);
        assert_eq!(with_word(String::new(), "a => b, #c"), "a b c, ");
        assert_eq!(with_word("tv".to_owned(), ""), "tv");
    }

    #[test]
    fn a_text_has_a_mark_of_its_own() {
        let nothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(mark(""), nothing);
        assert_eq!(mark("a"), "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb");
    }
}
