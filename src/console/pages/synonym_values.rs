//! Values of the synonyms on the page of the rules: as they are live, or as they are being edited.

use aws_lc_rs::digest::{SHA256, digest};
use serde_json::{Value, json};
use tokio::task::block_in_place;

use super::synonym_rows::{SynonymRow, join_rows, offer_row, parse_rows};
use crate::console::auth::console_shop::ConsoleShop;
use crate::console::state::Console;
use crate::console::ui::problem::Problem;
use crate::console::ui::url_fields::FieldMap;
use crate::limits;
use crate::search::synonyms::APART;

/// Values of the list that an address or an answer brings: rows that are being edited, or a word that begins a row.
pub(crate) fn typed_values(asked: &FieldMap, answer: &Value) -> Value {
    let mut values = answer["synonyms"].clone();
    values["is_set"] = (asked.text("synonyms") == "set").into();
    values["is_same"] = (asked.text("synonyms") == "unchanged").into();
    for field in ["word", "apart", "form"] {
        values[field] = asked.text(field).into();
    }
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
        (None, None) => {
            let [word, other] = ["word", "apart"].map(|field| values[field].as_str().unwrap_or_default());
            with_word(live.to_owned(), word, other)
        }
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
    values["forms"] = load_forms(console, shop, values["form"].as_str().unwrap_or_default()).await;
    Ok(())
}

/// The words of the shop that count as the same word as a typed one; `null` without one, or without an index.
async fn load_forms(console: &Console, shop: &ConsoleShop, typed: &str) -> Value {
    if typed.is_empty() {
        return Value::Null;
    }
    let Ok(view) = console.node.derived.searches().get_or_open(shop.id).await else {
        return json!({"Word": typed});
    };
    // Reads all words of the shop.
    let Some((word, others)) = block_in_place(|| view.snapshot.word_forms(typed)) else {
        return Value::Null;
    };
    let others = others.iter().map(|form| json!({"Word": form.word, "Products": form.products}));
    json!({"Word": word, "Others": others.collect::<Vec<_>>()})
}

/// The lines of synonyms with one more that begins with a word, or that keeps it apart from another one; as they are
/// without a word.
fn with_word(mut lines: String, word: &str, apart: &str) -> String {
    let word = without_notation(word);
    if !word.is_empty() {
        if !lines.is_empty() && !lines.ends_with('\n') {
            lines.push('\n');
        }
        let line = match without_notation(apart) {
            other if other.is_empty() => format!("{word}, "),
            other => format!("{word} {APART} {other}"),
        };
        lines.push_str(&line);
    }
    lines
}

/// The words of a text without the signs of the notation, which would make other synonyms of it.
fn without_notation(text: &str) -> String {
    let words = text.split([',', '=', '>', '#', '!']).flat_map(str::split_whitespace);
    words.collect::<Vec<_>>().join(" ")
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
        let begun = ["tv, television", "tv, television\n", ""]
            .map(|lines| with_word(lines.to_owned(), "blue  hat", ""));
        assert_eq!(begun, ["tv, television\nblue hat, ", "tv, television\nblue hat, ", "blue hat, "]);
        assert_eq!(with_word(String::new(), "a => b, #c", ""), "a b c, ");
        assert_eq!(with_word("tv".to_owned(), "", "x"), "tv");
        assert_eq!(with_word("tv".to_owned(), "glass", "!= glasses"), "tv\nglass != glasses");
    }

    #[test]
    fn a_text_has_a_mark_of_its_own() {
        let nothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(mark(""), nothing);
        assert_eq!(mark("a"), "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb");
    }
}
