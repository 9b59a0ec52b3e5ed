//! The route table of the public listener.

use std::sync::Arc;

use axum::Router;
use axum::middleware::from_fn_with_state;
use axum::routing::{get, options};

use super::documented::DOCUMENTED;
use super::openapi::{docs_page, document, error_pages};
use super::web::{sample_picture, storefront, try_page};
use super::{middleware, search};
use crate::node::Node;
use crate::transport::refusal::Refusal;

/// Routes that clients on the network reach.
pub fn public(node: Arc<Node>) -> Router {
    let router = add_help_routes(DOCUMENTED.clone())
        .route("/docs", get(docs_page::get))
        .route("/docs/style.css", get(docs_page::style))
        .route("/try/{name}", get(try_page::get))
        .route("/sample/{name}", get(sample_picture::get))
        .route("/{key}/cs.js", get(storefront::get_script))
        .route("/{key}/cs.css", get(storefront::get_style))
        .route("/api/search", options(search::preflight))
        .route("/api/autocomplete", options(search::preflight))
        .route("/api/similar", options(search::preflight))
        .route("/api/recommend", options(search::preflight))
        .route("/api/serverside", options(search::preflight))
        .route("/api/track", options(search::preflight))
        .route("/openapi.json", get(document::get));
    finish(router, node)
}

/// Adds the pages that explain errors and row issues: refusals and issues link to them.
pub(crate) fn add_help_routes(router: Router<Arc<Node>>) -> Router<Arc<Node>> {
    router
        .route("/docs/errors", get(error_pages::errors))
        .route("/docs/errors/{code}", get(error_pages::error))
        .route("/docs/issues", get(error_pages::issues))
        .route("/docs/issues/{code}", get(error_pages::issue))
}

pub(crate) fn finish(router: Router<Arc<Node>>, node: Arc<Node>) -> Router {
    router
        .fallback(async || Refusal::no_such_address())
        .method_not_allowed_fallback(async || Refusal::method())
        .layer(from_fn_with_state(node.clone(), middleware::run_request))
        .with_state(node)
}
