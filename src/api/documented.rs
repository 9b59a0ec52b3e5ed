//! The documented routes, and their generated document.

use std::sync::{Arc, LazyLock};

use axum::Router;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::openapi::base;
use super::web::root;
use super::{
    account_about, delta, delta_status, deltas, erasure_reference, erasures, events, feed_cancel, health,
    issues, plugin, product, product_feed, product_feed_status, product_why, recent_errors, recommend,
    report, republish, rules, search, serverside, snapshots, submission, submission_events, upload,
    user_export, user_forget, user_held, user_return, user_scan, user_suppression, webhook, zones,
};
use crate::node::Node;

/// The routes that are documented, made once: they are the same at every node.
pub(crate) static DOCUMENTED: LazyLock<Router<Arc<Node>>> = LazyLock::new(|| documented_routes().into());

/// The routes of the public listener with their generated document.
pub(super) fn documented_routes() -> OpenApiRouter<Arc<Node>> {
    OpenApiRouter::with_openapi(base::base_document())
        .routes(routes!(user_forget::post))
        .routes(routes!(delta_status::post))
        .routes(routes!(product_feed::post))
        .routes(routes!(product_feed_status::post))
        .routes(routes!(delta::post))
        .routes(routes!(delta::post_product_delta))
        .routes(routes!(events::post))
        .routes(routes!(serverside::call::post))
        .routes(routes!(serverside::call::track))
        .routes(routes!(upload::create))
        .routes(routes!(upload::append))
        .routes(routes!(upload::close))
        .routes(routes!(delta_status::post_without_secret))
        .routes(routes!(product::post_product))
        .routes(routes!(product_why::post))
        .routes(routes!(product::post_catalogue))
        .routes(routes!(issues::post))
        .routes(routes!(submission::post))
        .routes(routes!(deltas::post))
        .routes(routes!(recent_errors::post))
        .routes(routes!(snapshots::of_feed))
        .routes(routes!(republish::publish))
        .routes(routes!(feed_cancel::post))
        .routes(routes!(snapshots::list))
        .routes(routes!(snapshots::compare))
        .routes(routes!(republish::go_back))
        .routes(routes!(submission_events::post))
        .routes(routes!(erasures::list))
        .routes(routes!(erasures::count))
        .routes(routes!(erasures::show))
        .routes(routes!(erasures::certificate))
        .routes(routes!(erasure_reference::post))
        .routes(routes!(search::storefront::search, search::storefront::search_by_address))
        .routes(routes!(search::storefront::complete, search::storefront::complete_by_address))
        .routes(routes!(search::storefront::similar, search::storefront::similar_by_address))
        .routes(routes!(search::preview::preview))
        .routes(routes!(search::explain::post))
        .routes(routes!(search::quality::post))
        .routes(routes!(recommend::post))
        .routes(routes!(report::post))
        .routes(routes!(rules::list))
        .routes(routes!(rules::set))
        .routes(routes!(rules::history))
        .routes(routes!(rules::undo))
        .routes(routes!(zones::campaigns::list))
        .routes(routes!(zones::campaigns::set))
        .routes(routes!(zones::campaigns::history))
        .routes(routes!(zones::campaigns::undo))
        .routes(routes!(zones::preview::preview))
        .routes(routes!(webhook::show))
        .routes(routes!(webhook::set))
        .routes(routes!(webhook::rotate))
        .routes(routes!(webhook::test))
        .routes(routes!(webhook::remove))
        .routes(routes!(account_about::show))
        .routes(routes!(user_held::post))
        .routes(routes!(user_export::post))
        .routes(routes!(user_scan::post))
        .routes(routes!(user_suppression::post))
        .routes(routes!(user_return::post))
        .merge(of_plugins())
        .routes(routes!(root::get))
        .routes(routes!(health::health))
        .routes(routes!(health::ready))
        .routes(routes!(health::metrics))
}

/// Routes that only the settings of shops' plugins call.
pub(super) fn of_plugins() -> OpenApiRouter<Arc<Node>> {
    OpenApiRouter::new()
        .routes(routes!(plugin::validate))
        .routes(routes!(plugin::dashboard::post))
        .routes(routes!(plugin::feedback))
        .routes(routes!(plugin::delete))
        .routes(routes!(plugin::complete_step))
        .routes(routes!(plugin::signup::request))
        .routes(routes!(plugin::signup::status))
        .routes(routes!(plugin::signup::add_store))
}

/// The generated OpenAPI document.
#[must_use]
pub fn openapi() -> utoipa::openapi::OpenApi {
    base::with_links(documented_routes().into_openapi())
}
