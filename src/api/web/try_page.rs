//! `GET /try/ACCESSKEY`: a page on which people try the search of a shop. It is there only when the operator opens it
//! (`lethe serve --try`), in the language of the shop's search. The shop's texts do not change it: its scripts call the
//! operations of the search.

use std::sync::{Arc, LazyLock};

use axum::extract::{Request, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use serde_json::json;

use crate::accounts::about;
use crate::api::search;
use crate::i18n::UiLanguage;
use crate::node::Node;
use crate::templates::{PageRenderer, Templates};
use crate::transport::peer::peer_of;
use crate::transport::refusal::Refusal;

const PAGE: Templates = &[("page.html", include_str!("try_page/page.html"))];

/// Draws the page.
static DRAWING: LazyLock<PageRenderer> = LazyLock::new(|| PageRenderer::new(PAGE, "try_page."));

const CSS: &str = "text/css; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";
const PICTURE: &str = "image/svg+xml";

/// Names of colours as a module for the page's scripts.
const COLOURS: &str = concat!("export const COLOURS = ", include_str!("../../templates/colours.json"), ";\n");

/// The files of the page: name, type and content.
const FILES: [(&str, &str, &str); 19] = [
    ("page.css", CSS, include_str!("try_page/page.css")),
    ("page.js", SCRIPT, include_str!("try_page/page.js")),
    ("state.js", SCRIPT, include_str!("try_page/state.js")),
    ("ask.js", SCRIPT, include_str!("try_page/ask.js")),
    ("texts.js", SCRIPT, include_str!("try_page/texts.js")),
    ("build.js", SCRIPT, include_str!("try_page/build.js")),
    ("box.js", SCRIPT, include_str!("try_page/box.js")),
    ("facets.js", SCRIPT, include_str!("try_page/facets.js")),
    ("notes.js", SCRIPT, include_str!("try_page/notes.js")),
    ("none.js", SCRIPT, include_str!("try_page/none.js")),
    ("picture.js", SCRIPT, include_str!("try_page/picture.js")),
    ("colours.js", SCRIPT, COLOURS),
    ("options.js", SCRIPT, include_str!("try_page/options.js")),
    ("card.js", SCRIPT, include_str!("try_page/card.js")),
    ("similar.js", SCRIPT, include_str!("try_page/similar.js")),
    ("zones.js", SCRIPT, include_str!("try_page/zones.js")),
    ("shop.js", SCRIPT, include_str!("try_page/shop.js")),
    ("icon.svg", PICTURE, include_str!("try_page/icon.svg")),
    ("similar.svg", PICTURE, include_str!("try_page/similar.svg")),
];

/// A file of the page, or the page of the shop with this access key.
///
/// # Errors
/// A refusal when the page is not open, no shop has the key, the address asks too often, or the store fails.
pub async fn get(State(node): State<Arc<Node>>, request: Request) -> Result<Response, Refusal> {
    if !node.config.try_page {
        return Err(Refusal::no_such_address());
    }
    // Names of files and access keys are letters that an address has as they are.
    let name = request.uri().path().strip_prefix("/try/").unwrap_or_default().to_owned();
    if let Some((_, kind, content)) = FILES.iter().find(|(file, ..)| *file == name) {
        return Ok(with_headers(kind, "default-src 'none'", (*content).to_owned()));
    }
    search::count(&node, peer_of(&request), 1)?;
    let known = node.directory.find(&node.store, &name).await?;
    let known = known.ok_or_else(|| Refusal::unknown("There is no shop with this access key"))?;
    let account = known.account.id;
    let about = node.store.read(move |tx| about::get(tx, account)).await?;
    let shop = about.display_name.as_deref().unwrap_or(&known.account.name);
    let pictures = known.search.pictures.join(" ");
    let language = UiLanguage::from_code(known.search.language().code()).unwrap_or_default();
    let values = json!({
        "shop": shop,
        "pictures": pictures,
        "currency": known.account.currency.as_deref().unwrap_or_default(),
        "group": known.search.group_by,
        "texts": DRAWING.words.in_language(language).to_json("try_page"),
    });
    let page = DRAWING.text(language, "page.html", values).map_err(|_| Refusal::fault())?;
    Ok(with_headers("text/html; charset=utf-8", &policy(&pictures), page))
}

/// Security policy of the page: own files, requests of its scripts to here, and pictures of hosts that the shop names.
fn policy(pictures: &str) -> String {
    format!(
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
         img-src 'self' {pictures}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
}

fn with_headers(kind: &'static str, policy: &str, content: String) -> Response {
    let headers = [
        (header::CONTENT_TYPE, kind),
        (header::CONTENT_SECURITY_POLICY, policy),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-cache"),
    ];
    (headers, content).into_response()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::templates::testing;

    #[test]
    fn the_page_and_its_scripts_name_texts_that_there_are() {
        testing::check(PAGE, "try_page.");
        let english = DRAWING.words.in_language(UiLanguage::English);
        let scripts = FILES.iter().filter(|(_, kind, _)| *kind == SCRIPT).map(|(.., content)| *content);
        let calls = ["translate(", "translateParts("];
        let named =
            scripts.flat_map(|script| calls.into_iter().flat_map(move |call| script.split(call).skip(1)));
        let keys =
            named.filter_map(|rest| rest.strip_prefix('"')?.split('"').next()).collect::<BTreeSet<_>>();
        assert!(keys.len() > 40, "{keys:?}");
        for key in keys {
            let is_text =
                ["", ".other"].iter().any(|form| english.find(&format!("try_page.{key}{form}")).is_some());
            assert!(is_text, "{key}");
        }
    }
}
