//! A page that says why something cannot be shown or done, and where to go.

use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use serde_json::json;

use super::locale::preferred_language;
use super::problem::Problem;
use crate::console::auth::cookies::cookie;
use crate::console::state::Console;
use crate::transport::refusal::ErrorCode;

/// There is no such page.
pub(crate) async fn nothing_here(State(_): State<Arc<Console>>) -> Problem {
    Problem::not_found()
}

/// The list that an address belongs to, even if its item is gone: the path of the list, and its name in the menu.
fn parent_list(path: &str) -> Option<(String, &str)> {
    let (shop, rest) = path.strip_prefix("/shops/")?.split_once('/')?;
    let list = rest.split('/').next()?;
    let lists = ["imports", "catalogue", "rules", "zones", "people", "erasures"];
    lists.contains(&list).then(|| (format!("/shops/{shop}/{list}"), list))
}

/// Draws the page of a problem at an address.
pub(crate) fn render_problem(
    console: &Console,
    asked: &HeaderMap,
    path: &str,
    response: Response,
) -> Response {
    let Some(problem) = problem_of(&response) else { return response };
    let Problem { sentence, name, code, written, sign_in, .. } = &*problem;
    let accepted = asked.get(header::ACCEPT_LANGUAGE).and_then(|value| value.to_str().ok());
    let now = console.node.clock.now();
    let session = cookie(asked).and_then(|cookie| console.sessions.find_even_expired(&cookie, now));
    let spoken = session.map(|session| session.language);
    let language = spoken.unwrap_or_else(|| preferred_language(accepted.unwrap_or_default()));
    let texts = console.drawing.words(language);
    let key = format!("console.{sentence}");
    let is_own = texts.find(&key).is_some();
    let said = if is_own { texts.translate(&key, &[("name", name)]) } else { sentence.clone() };
    let is_gone = [StatusCode::NOT_FOUND, StatusCode::GONE].contains(&response.status());
    // The lists of a shop that is missing are missing too.
    let list = parent_list(path).filter(|_| is_gone && name.is_empty());
    let values = json!({"said": said, "list": list, "code": code.map(ErrorCode::as_str), "written": written, "sign_in": sign_in,
        "lang": language.code()});
    let page = console.drawing.page(language, "problem.html", values);
    (response.status(), page).into_response()
}

/// The problem that an answer is about. Rejections of axum's extractors carry none; they get one here.
fn problem_of(response: &Response) -> Option<Arc<Problem>> {
    let own = response.extensions().get::<Arc<Problem>>().cloned();
    let is_page = || {
        response.headers().get(header::CONTENT_TYPE).is_some_and(|is| is.as_bytes().starts_with(b"text/html"))
    };
    let is_rejection =
        || [StatusCode::BAD_REQUEST, StatusCode::NOT_FOUND].contains(&response.status()) && !is_page();
    own.or_else(|| is_rejection().then(|| Problem::new(response.status(), "problem.gone").into()))
}

#[cfg(test)]
mod tests {
    use super::parent_list;

    #[test]
    fn what_is_gone_leads_to_its_list() {
        assert_eq!(
            parent_list("/shops/one/imports/4711/issues"),
            Some(("/shops/one/imports".to_owned(), "imports"))
        );
        assert_eq!(parent_list("/shops/one/rules/undo"), Some(("/shops/one/rules".to_owned(), "rules")));
        assert_eq!(parent_list("/shops/one/rules"), Some(("/shops/one/rules".to_owned(), "rules")));
        for of_none in ["/shops/one", "/operators/7", "/shops/one/nothing/1", "/"] {
            assert_eq!(parent_list(of_none), None, "{of_none}");
        }
    }
}
