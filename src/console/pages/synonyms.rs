//! The form of the synonyms of all searches of a shop: a list of rows, or the lines as text.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use serde_json::{Value, json};

use super::rules;
use super::synonym_rows::{JoinedRows, SynonymRow, edit_rows, join_rows, read_rows};
use super::synonym_values::mark;
use crate::console::auth::authorization::{AuthorizedForm, Merchandise};
use crate::console::state::Console;
use crate::console::ui::problem::Problem;
use crate::i18n::Translations;
use crate::limits;
use crate::search::synonyms::{LineFault, SynonymFault, Synonyms};
use crate::search::text::{Analyser, ShopLanguage};

/// Adds or removes a row of the form, or publishes the synonyms of all searches of the shop.
pub(crate) async fn post(
    State(console): State<Arc<Console>>,
    act: AuthorizedForm<Merchandise>,
) -> Result<Response, Problem> {
    let shop = act.may.shop()?;
    let before = act.form.text("before");
    let mut rows = read_rows(&act.form);
    if edit_rows(&mut rows, act.form.text("do")) {
        let answer = json!({"synonyms": {"rows": rows, "before": before}});
        return console.redirect_with_answer(&act.may, &format!("/shops/{}/rules", shop.name), &answer);
    }
    // Forms send the ends of lines as the web does.
    let text = act.form.raw("lines").replace("\r\n", "\n");
    let has_lines = !act.form.values_of("lines").is_empty();
    let typed = match (rows.is_empty(), has_lines) {
        (false, _) => json!({ "rows": rows }),
        (true, true) => json!({ "text": text }),
        // The page shows the live ones: such a form must not clear them.
        (true, false) => json!({}),
    };
    let joined = if rows.is_empty() { JoinedRows { text, rows: Vec::new() } } else { join_rows(&rows) };
    let settings = console.search_of(shop).await?;
    let live = settings.synonyms.text();
    let refused = if rows.is_empty() && !has_lines {
        Some(Problem::new(StatusCode::BAD_REQUEST, "synonyms.no_rows"))
    } else if before != mark(live) {
        Some(Problem::new(StatusCode::CONFLICT, "synonyms.changed"))
    } else if rows.iter().any(SynonymRow::begins_as_comment) {
        Some(Problem::new(StatusCode::BAD_REQUEST, "synonyms_fault.comment"))
    } else if joined.text.trim_end() == live.trim_end() {
        return Ok(lead_to_synonyms(&shop.name, "unchanged"));
    } else {
        let question = json!({"Name": shop.name, "Synonyms": joined.text});
        console.record_and_call(&act.may, "synonyms-set", ("/control/account/search", question)).await.err()
    };
    let Some(refused) = refused else { return Ok(lead_to_synonyms(&shop.name, "set")) };
    let texts = console.drawing.words(act.may.session.language);
    let wrong = find_comment(&rows, texts).or_else(|| find_wrong_row(&joined, settings.language(), texts));
    let values = with_fault(typed, &refused, wrong);
    let page = rules::render_page(&console, &act.may, None, json!({"synonyms": values, "query": ""})).await?;
    Ok((refused.status, page).into_response())
}

/// Leads to the synonyms, which say what was done.
fn lead_to_synonyms(shop: &str, done: &str) -> Response {
    Redirect::to(&format!("/shops/{shop}/rules?synonyms={done}#synonyms")).into_response()
}

/// The first row whose line would be a comment, and the reason.
fn find_comment(rows: &[SynonymRow], texts: &Translations) -> Option<(usize, String)> {
    let row = rows.iter().position(SynonymRow::begins_as_comment)?;
    Some((row, texts.translate("console.synonyms_fault.comment", &[])))
}

/// The typed values with the reason of a refusal: beside its row, if it is about one.
fn with_fault(mut typed: Value, refused: &Problem, wrong_row: Option<(usize, String)>) -> Value {
    typed["is_changed"] = (refused.status == StatusCode::CONFLICT).into();
    typed["fault"] = refused.sentence.as_str().into();
    if let Some((row, says)) = wrong_row.filter(|_| refused.status == StatusCode::BAD_REQUEST) {
        typed["fault_row"] = row.into();
        typed["fault"] = says.into();
    }
    typed
}

/// The first row that cannot be published, and the reason.
fn find_wrong_row(
    joined: &JoinedRows,
    language: ShopLanguage,
    texts: &Translations,
) -> Option<(usize, String)> {
    match Synonyms::parse(&joined.text, &Analyser::new(language)) {
        Err(SynonymFault::Line { number, fault }) => {
            let row = *joined.rows.get(number.checked_sub(1)?)?;
            let (key, most) = describe_fault(fault);
            Some((row, texts.translate(key, &[("most", &most.to_string())])))
        }
        Err(SynonymFault::Bytes | SynonymFault::Lines | SynonymFault::Pairs) | Ok(_) => None,
    }
}

/// The text of a fault, and the number in it.
const fn describe_fault(fault: LineFault) -> (&'static str, usize) {
    match fault {
        LineFault::Alone => ("console.synonyms_fault.alone", 0),
        LineFault::TwoArrows => ("console.synonyms_fault.two_arrows", 0),
        LineFault::NoWord => ("console.synonyms_fault.no_word", 0),
        LineFault::TooMany => ("console.synonyms_fault.too_many", limits::SEARCH_SYNONYMS_OF_LINE),
        LineFault::TooLong => ("console.synonyms_fault.too_long", limits::SEARCH_SYNONYM_WORDS),
        LineFault::TooManyOfWord => {
            ("console.synonyms_fault.too_many_of_word", limits::SEARCH_SYNONYMS_OF_WORD)
        }
        LineFault::NotTwoWords => ("console.synonyms_fault.not_two_words", 0),
        LineFault::Signs => ("console.synonyms_fault.signs", 0),
        LineFault::Address => ("console.synonyms_fault.address", 0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::console::pages::synonym_rows::parse_rows;
    use crate::i18n::UiLanguage;

    #[test]
    fn a_fault_is_told_of_its_row_in_the_language_of_the_page() {
        let found = |text: &str, language| {
            let mut rows = vec![SynonymRow::default()];
            rows.extend(parse_rows(text));
            find_wrong_row(&join_rows(&rows), ShopLanguage::English, &Translations::load(language))
        };
        assert_eq!(found("tv, television", UiLanguage::English), None);
        let (row, says) = found("# first\ntv, television\nalone", UiLanguage::English).expect("a fault");
        assert!(row == 3 && says.contains("one word"), "{row} {says}");
        let many = (0..=limits::SEARCH_SYNONYMS_OF_LINE).map(|word| format!("word{word}"));
        let (row, says) = found(&many.collect::<Vec<_>>().join(", "), UiLanguage::German).expect("a fault");
        assert!(row == 1 && says.contains("20"), "{row} {says}");
    }

    #[test]
    fn a_refusal_stands_beside_a_row_only_where_a_row_is_wrong() {
        let told = |status: StatusCode| {
            with_fault(json!({"rows": []}), &Problem::new(status, "no"), Some((2, "wrong".to_owned())))
        };
        let beside = json!({"rows": [], "is_changed": false, "fault": "wrong", "fault_row": 2});
        assert_eq!(told(StatusCode::BAD_REQUEST), beside);
        assert_eq!(told(StatusCode::CONFLICT), json!({"rows": [], "is_changed": true, "fault": "no"}));
        assert_eq!(
            told(StatusCode::SERVICE_UNAVAILABLE),
            json!({"rows": [], "is_changed": false, "fault": "no"})
        );
    }
}
