//! Row issues of an import: by group with advice, one group row by row, and as a spreadsheet.

use std::sync::Arc;

use axum::extract::{Path, Query, State};
use axum::response::Response;
use serde::Deserialize;
use serde_json::{Value, json};

use super::import_record::load_import;
use crate::console::auth::authorization::{Authorized, View};
use crate::console::auth::console_shop::ConsoleShop;
use crate::console::state::Console;
use crate::console::ui::control_client::with_account;
use crate::console::ui::csv;
use crate::console::ui::problem::Problem;

/// The issues of an import, counted by section and code, each with one example where one is kept.
pub(crate) async fn groups(
    console: &Console,
    shop: &ConsoleShop,
    token: &str,
) -> Result<Vec<Value>, Problem> {
    let first = console.operations.call_for_shop(shop, "/api/issues", json!({"Token": token})).await?;
    let mut groups = first["Counts"].as_array().cloned().unwrap_or_default();
    for group in &mut groups {
        let is_of = |issue: &&Value| issue["Code"] == group["Code"] && issue["Section"] == group["Section"];
        let shown = first["Issues"].as_array().into_iter().flatten().find(is_of).cloned();
        let example = match shown {
            Some(shown) => shown,
            None => load_example(console, shop, token, group).await?,
        };
        group["Example"] = example;
    }
    Ok(groups)
}

/// The first issue of a group that no page was asked for yet; null when none is kept.
async fn load_example(
    console: &Console,
    shop: &ConsoleShop,
    token: &str,
    group: &Value,
) -> Result<Value, Problem> {
    let question = json!({"Token": token, "Code": group["Code"], "Section": group["Section"]});
    let page = console.operations.find_for_shop(shop, "/api/issues", question).await?;
    Ok(page["Issues"][0].clone())
}

/// Filter of the list of issues.
#[derive(Deserialize, Default)]
#[serde(default)]
pub(crate) struct ImportIssuesQuery {
    section: String,
    code: String,
    severity: String,
    /// The number that ended the page before.
    from: u32,
}

impl ImportIssuesQuery {
    fn question(&self, token: &str) -> Value {
        let mut question = json!({"Token": token, "From": self.from});
        for (name, value) in [("Section", &self.section), ("Code", &self.code), ("Severity", &self.severity)]
        {
            if !value.is_empty() {
                question[name] = value.as_str().into();
            }
        }
        question
    }
}

/// The rows of one group, or of all.
pub(crate) async fn list(
    State(console): State<Arc<Console>>,
    may: Authorized<View>,
    Path((_, token)): Path<(String, String)>,
    Query(which): Query<ImportIssuesQuery>,
) -> Result<Response, Problem> {
    let shop = may.shop()?;
    let import = load_import(&console, shop, &token).await?;
    let page = console.operations.call_for_shop(shop, "/api/issues", which.question(&token)).await?;
    let which = json!({"section": which.section, "code": which.code, "severity": which.severity});
    let values = json!({"here": "imports", "import": import, "page": page, "which": which});
    console.drawing.render_signed_in(&may, "import_issues.html", values)
}

/// All of these issues, as a spreadsheet.
pub(crate) async fn file(
    State(console): State<Arc<Console>>,
    may: Authorized<View>,
    Path((_, token)): Path<(String, String)>,
    Query(which): Query<ImportIssuesQuery>,
) -> Result<Response, Problem> {
    let mut question = with_account(may.shop()?, which.question(&token));
    question["Format"] = "csv".into();
    let answered = console.operations.send("/api/issues", question, "text/csv").await?;
    Ok(csv::download("issues", answered.body))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::feeds::issue::IssueCode;
    use crate::i18n::{Translations, UiLanguage};

    #[test]
    fn each_issue_has_its_advice_in_each_other_language() {
        for language in UiLanguage::ALL.into_iter().filter(|language| *language != UiLanguage::English) {
            let texts = Translations::load(language);
            for code in IssueCode::ALL {
                let advice = texts.find(&format!("issue_advice.{}", code.as_str())).unwrap_or_default();
                let is_whole =
                    advice.ends_with('.') && !advice.contains(['<', '&', '\n']) && advice != code.advice();
                assert!(is_whole, "{language:?} {}: {advice}", code.as_str());
            }
        }
        assert_eq!(Translations::load(UiLanguage::English).find("issue_advice.id_missing"), None);
    }

    #[test]
    fn a_page_of_issues_asks_for_what_its_address_names() {
        let all = ImportIssuesQuery::default();
        assert_eq!(all.question("t"), json!({"Token": "t", "From": 0}));
        let which = ImportIssuesQuery {
            section: "Products".to_owned(),
            code: "price_missing".to_owned(),
            severity: "bad".to_owned(),
            from: 200,
        };
        let expected = json!({"Token": "t", "From": 200, "Section": "Products", "Code": "price_missing",
            "Severity": "bad"});
        assert_eq!(which.question("t"), expected);
    }
}
