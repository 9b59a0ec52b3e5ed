//! The operator's console: pages for signed-in operators. A page calls the operations of this server, as commands do,
//! and renders their answers; itself it only decides who may see and do what.
//!
//! Each page names the right that it needs in its signature: `signed::May` to look, `signed::Act` to change.

mod acts;
mod answers;
mod ask;
mod backups;
mod catalogue;
mod chart;
mod code;
mod deltas;
mod draw;
mod erasures;
mod fields;
mod files;
mod form;
mod guard;
mod halves;
mod handles;
mod help;
mod import_acts;
mod import_issues;
mod imports;
mod lists;
mod live;
mod me;
mod operators;
mod overview;
mod people;
mod pictures;
mod places;
mod problem;
mod recommendations;
mod refused;
mod reports;
mod rules;
mod search;
mod sessions;
mod settings;
mod sheet;
mod sign_in;
mod signed;
mod words;
mod zones;

use std::net::SocketAddr;
use std::sync::{Arc, LazyLock};

use axum::Router;
use axum::middleware;
use axum::routing::{get, post};

use self::ask::Operations;
use self::backups::Backups;
use self::draw::{PAGES, Pages};
use self::guard::Hosts;
use self::halves::Halves;
use self::handles::Handles;
use self::live::Followed;
use self::sessions::Sessions;
use self::sign_in::Throttle;
use crate::node::Node;

/// State that the pages share.
struct Console {
    node: Arc<Node>,
    operations: Operations,
    drawing: &'static LazyLock<Pages>,
    sessions: Sessions,
    halves: Halves,
    people: Handles,
    answers: Handles,
    followed: Followed,
    backups: Backups,
    throttle: Throttle,
    hosts: Hosts,
}

/// The pages, at `address`. `operations` are those of the control socket.
pub fn router(node: Arc<Node>, operations: Router, address: SocketAddr) -> Router {
    let console = Arc::new(Console {
        operations: Operations(operations),
        drawing: &PAGES,
        sessions: Sessions::default(),
        halves: Halves::default(),
        people: Handles::default(),
        answers: Handles::default(),
        followed: Followed::default(),
        backups: Backups::default(),
        throttle: Throttle::new(),
        hosts: Hosts::new(address, &node.config.console.hosts),
        node,
    });
    Router::new()
        .merge(signing_in())
        .merge(of_the_server())
        .merge(of_a_shop())
        .merge(of_the_catalogue())
        .merge(of_selling())
        .route("/files/{name}", get(files::get))
        .fallback(problem::nothing_here)
        .method_not_allowed_fallback(problem::nothing_here)
        .layer(middleware::from_fn_with_state(console.clone(), guard::guard_request))
        .with_state(console)
}

fn signing_in() -> Router<Arc<Console>> {
    Router::new()
        .route("/sign-in", get(sign_in::page).post(sign_in::post))
        .route("/sign-in/code", get(code::page).post(code::post))
        .route("/sign-out", post(sign_in::sign_out))
        .route("/link/{link}", get(sign_in::link).post(sign_in::choose))
        .route("/language", post(sign_in::language))
        .route("/me", get(me::show).post(me::post))
}

fn of_the_server() -> Router<Arc<Console>> {
    Router::new()
        .route("/", get(overview::list_shops))
        .route("/health", get(overview::health))
        .route("/operators", get(operators::list).post(operators::add))
        .route("/operators/{number}", get(operators::show).post(operators::change))
        .route("/acts", get(acts::list))
        .route("/backups", get(backups::page).post(backups::make))
        .route("/backups/live", get(backups::live))
        .route("/new-shop", get(settings::new).post(settings::add))
        .route("/places", get(places::list))
        .route("/help/{book}", get(help::list))
        .route("/help/{book}/{code}", get(help::show))
}

fn of_a_shop() -> Router<Arc<Console>> {
    Router::new()
        .route("/shops/{shop}", get(overview::shop))
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
        .route("/shops/{shop}/erasures/{id}/certificate", get(erasures::certificate))
        .route("/shops/{shop}/erasures/{id}/letter", get(erasures::letter))
        .route("/shops/{shop}/ledger", get(erasures::ledger))
        .route("/shops/{shop}/ledger/{file}", get(erasures::ledger_file))
}

fn of_the_catalogue() -> Router<Arc<Console>> {
    Router::new()
        .route("/shops/{shop}/imports", get(imports::list))
        .route("/shops/{shop}/imports/back", post(import_acts::restore_list))
        .route("/shops/{shop}/imports/{token}", get(imports::show))
        .route("/shops/{shop}/imports/{token}/live", get(imports::live))
        .route("/shops/{shop}/imports/{token}/issues", get(import_issues::list))
        .route("/shops/{shop}/imports/{token}/issues.csv", get(import_issues::file))
        .route("/shops/{shop}/imports/{token}/publish", post(import_acts::publish))
        .route("/shops/{shop}/imports/{token}/cancel", post(import_acts::cancel))
        .route("/shops/{shop}/deltas", get(deltas::list))
        .route("/shops/{shop}/refused.csv", get(refused::file))
        .route("/shops/{shop}/catalogue", get(catalogue::list))
        // An id of a shop may hold a slash.
        .route("/shops/{shop}/catalogue/{*id}", get(catalogue::show))
}

/// Routes of merchandising: previews, rules, campaigns, reports.
fn of_selling() -> Router<Arc<Console>> {
    Router::new()
        .route("/shops/{shop}/search", get(search::page))
        .route("/shops/{shop}/recommendations", get(recommendations::page))
        .route("/shops/{shop}/rules", get(rules::page).post(rules::post))
        .route("/shops/{shop}/rules/undo", post(rules::undo))
        .route("/shops/{shop}/synonyms", post(rules::synonyms))
        .route("/shops/{shop}/zones", get(zones::page).post(zones::post))
        .route("/shops/{shop}/zones/undo", post(zones::undo))
        .route("/shops/{shop}/reports", get(reports::page))
        .route("/shops/{shop}/reports.csv", get(reports::file))
}
