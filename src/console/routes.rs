//! The route table of the console.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::middleware::from_fn_with_state;
use axum::routing::{get, post};

use super::auth::hosts::Hosts;
use super::auth::pending_two_factor::PendingSignIns;
use super::auth::sessions::Sessions;
use super::auth::throttle::SignInThrottle;
use super::auth::{middleware, sign_in, two_factor};
use super::pages::backup_run::Backups;
use super::pages::counted_figures::CountedFigures;
use super::pages::{
    audit_log, backups, campaign_editor, catalogue, dashboard, deltas, erasures, feed_file, help,
    import_actions, import_issues, imports, operators, overview, own_account, people, places, recent_errors,
    recommendations, reports, rule_editor, rules, search, settings, synonyms, zones,
};
use super::state::Console;
use super::ui::control_client::Operations;
use super::ui::ephemeral_urls::EphemeralUrls;
use super::ui::live_parts::LiveStreams;
use super::ui::render::PAGES;
use super::ui::{error_page, files};
use crate::node::Node;

/// The pages, at `address`. `operations` are those of the control socket.
pub fn router(node: Arc<Node>, operations: Router, address: SocketAddr) -> Router {
    let console = Arc::new(Console {
        operations: Operations(operations),
        drawing: &PAGES,
        sessions: Sessions::default(),
        halves: PendingSignIns::default(),
        people: EphemeralUrls::default(),
        answers: EphemeralUrls::default(),
        followed: LiveStreams::default(),
        figures: CountedFigures::default(),
        backups: Backups::default(),
        throttle: SignInThrottle::new(),
        hosts: Hosts::new(address, &node.config.console.hosts),
        node,
    });
    Router::new()
        .merge(sign_in_routes())
        .merge(server_routes())
        .merge(shop_routes())
        .merge(catalogue_routes())
        .merge(merchandising_routes())
        .route("/files/{name}", get(files::get))
        .fallback(error_page::nothing_here)
        .method_not_allowed_fallback(error_page::nothing_here)
        .layer(from_fn_with_state(console.clone(), middleware::guard_request))
        .with_state(console)
}

fn sign_in_routes() -> Router<Arc<Console>> {
    Router::new()
        .route("/sign-in", get(sign_in::page).post(sign_in::post))
        .route("/sign-in/code", get(two_factor::page).post(two_factor::post))
        .route("/sign-out", post(sign_in::sign_out))
        .route("/link/{link}", get(sign_in::link).post(sign_in::choose))
        .route("/language", post(sign_in::language))
        .route("/me", get(own_account::show).post(own_account::post))
}

fn server_routes() -> Router<Arc<Console>> {
    Router::new()
        .route("/", get(overview::list_shops))
        .route("/health", get(overview::health))
        .route("/operators", get(operators::list).post(operators::add))
        .route("/operators/{number}", get(operators::show).post(operators::change))
        .route("/acts", get(audit_log::list))
        .route("/backups", get(backups::page).post(backups::make))
        .route("/backups/live", get(backups::live))
        .route("/new-shop", get(settings::new).post(settings::add))
        .route("/places", get(places::list))
        .route("/help/{book}", get(help::list))
        .route("/help/{book}/{code}", get(help::show))
}

fn shop_routes() -> Router<Arc<Console>> {
    Router::new()
        .route("/shops/{shop}", get(dashboard::show))
        .route("/shops/{shop}/figures/live", get(dashboard::live))
        .route("/shops/{shop}/settings", get(settings::show).post(settings::set))
        .route("/shops/{shop}/people", get(people::page).post(people::find))
        .route("/shops/{shop}/people/{handle}", get(people::show))
        .route("/shops/{shop}/people/{handle}/export", get(people::export))
        .route("/shops/{shop}/people/{handle}/forget", post(people::forget))
        .route("/shops/{shop}/people/{handle}/look", post(people::search_person))
        .route("/shops/{shop}/erasures", get(erasures::list))
        .route("/shops/{shop}/erasures/{id}", get(erasures::show))
        .route("/shops/{shop}/erasures/{id}/live", get(erasures::live))
        .route("/shops/{shop}/erasures/{id}/look", post(erasures::search_again))
        .route("/shops/{shop}/erasures/{id}/reference", post(erasures::set_reference))
        .route("/shops/{shop}/erasures/{id}/certificate", get(erasures::certificate))
        .route("/shops/{shop}/erasures/{id}/letter", get(erasures::letter))
        .route("/shops/{shop}/ledger", get(erasures::ledger))
        .route("/shops/{shop}/ledger/{file}", get(erasures::ledger_file))
}

fn catalogue_routes() -> Router<Arc<Console>> {
    Router::new()
        .route("/shops/{shop}/imports", get(imports::list))
        .route("/shops/{shop}/imports/back", post(import_actions::restore_list))
        .route("/shops/{shop}/imports/upload", post(feed_file::post))
        .route("/shops/{shop}/imports/{token}", get(imports::show))
        .route("/shops/{shop}/imports/{token}/live", get(imports::live))
        .route("/shops/{shop}/imports/{token}/issues", get(import_issues::list))
        .route("/shops/{shop}/imports/{token}/issues.csv", get(import_issues::file))
        .route("/shops/{shop}/imports/{token}/publish", post(import_actions::publish))
        .route("/shops/{shop}/imports/{token}/cancel", post(import_actions::cancel))
        .route("/shops/{shop}/deltas", get(deltas::list))
        .route("/shops/{shop}/refused.csv", get(recent_errors::file))
        .route("/shops/{shop}/catalogue", get(catalogue::list))
        // An id of a shop may hold a slash.
        .route("/shops/{shop}/catalogue/{*id}", get(catalogue::show))
}

/// Routes of merchandising: previews, rules, campaigns, reports.
fn merchandising_routes() -> Router<Arc<Console>> {
    Router::new()
        .route("/shops/{shop}/search", get(search::page))
        .route("/shops/{shop}/recommendations", get(recommendations::page))
        .route("/shops/{shop}/rules", get(rules::page).post(rules::post))
        .route("/shops/{shop}/rules/edit", get(rule_editor::page).post(rule_editor::post))
        .route("/shops/{shop}/rules/undo", post(rules::undo))
        .route("/shops/{shop}/synonyms", post(synonyms::post))
        .route("/shops/{shop}/zones", get(zones::page).post(zones::post))
        .route("/shops/{shop}/zones/edit", get(campaign_editor::page).post(campaign_editor::post))
        .route("/shops/{shop}/zones/undo", post(zones::undo))
        .route("/shops/{shop}/reports", get(reports::page))
        .route("/shops/{shop}/reports.csv", get(reports::file))
}
