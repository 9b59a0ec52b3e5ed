//! A request comes in: wire names, status codes and words, and nothing else. The route table is here.

mod account;
mod account_about;
mod account_quota;
mod account_search;
mod answer;
mod apart;
mod around;
mod arriving;
mod asking;
mod backup;
pub mod body;
mod config;
pub mod credentials;
pub mod delta;
mod delta_status;
mod deltas;
mod descriptors;
mod docs_page;
mod doctor;
mod document;
mod erasures;
pub mod events;
mod feed_cancel;
pub mod form;
pub mod forwarded;
mod front;
mod head;
mod health;
mod held_answer;
mod help_page;
mod issues;
mod key_epoch;
mod known_names;
mod ledger;
pub mod listener;
mod model;
mod operators;
mod pace;
mod packing;
mod plugin;
mod plugin_dashboard;
mod plugin_signup;
mod product;
mod product_feed;
mod product_feed_status;
mod product_why;
mod recommend;
pub mod refusal;
mod refusal_codes;
mod refusals_described;
mod refused;
mod report;
mod republish;
mod rules;
mod schemas;
mod search;
mod serverside;
mod silent;
mod snapshots;
mod storefront;
mod submission;
mod submission_events;
pub mod tokens;
mod try_page;
mod upload;
mod user_export;
pub mod user_forget;
mod user_held;
mod user_return;
mod user_scan;
mod user_suppression;
mod user_token;
mod webhook;
mod zones;

use std::sync::{Arc, LazyLock};

use axum::Router;
use axum::middleware;
use axum::routing::{get, options, post};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use zeroize::Zeroizing;

use self::listener::Peer;
pub use self::product_feed::FEED_TOKEN;
use self::refusal::Refusal;
pub use self::tokens::UNKNOWN as UNKNOWN_TOKEN;
use crate::evidence::EvidenceFault;
use crate::fairness::{Fairness, Permit, Tenant, TenantSemaphore};
use crate::ids::AccountId;
use crate::keys::{KeyFault, SlotNumber};
use crate::limits;
use crate::node::Node;
use crate::store::{StoreFault, Tx};
use crate::people::subject::SubjectFault;

/// The routes that are documented, made once: they are the same at every node.
static DOCUMENTED: LazyLock<Router<Arc<Node>>> = LazyLock::new(|| documented_routes().into());

/// The routes of the public listener with their generated document.
fn documented_routes() -> OpenApiRouter<Arc<Node>> {
    OpenApiRouter::with_openapi(document::base_document())
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
        .routes(routes!(refused::post))
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
        .routes(routes!(search::search, search::search_by_address))
        .routes(routes!(search::complete, search::complete_by_address))
        .routes(routes!(search::similar, search::similar_by_address))
        .routes(routes!(search::preview::preview))
        .routes(routes!(search::why::post))
        .routes(routes!(search::quality::post))
        .routes(routes!(recommend::post))
        .routes(routes!(report::post))
        .routes(routes!(rules::list))
        .routes(routes!(rules::set))
        .routes(routes!(rules::history))
        .routes(routes!(rules::undo))
        .routes(routes!(zones::set::list))
        .routes(routes!(zones::set::set))
        .routes(routes!(zones::set::history))
        .routes(routes!(zones::set::undo))
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
        .routes(routes!(front::get))
        .routes(routes!(health::health))
        .routes(routes!(health::ready))
        .routes(routes!(health::metrics))
}

/// Routes that only the settings of shops' plugins call.
fn of_plugins() -> OpenApiRouter<Arc<Node>> {
    OpenApiRouter::new()
        .routes(routes!(plugin::validate))
        .routes(routes!(plugin_dashboard::post))
        .routes(routes!(plugin::feedback))
        .routes(routes!(plugin::delete))
        .routes(routes!(plugin::complete_step))
        .routes(routes!(plugin_signup::request))
        .routes(routes!(plugin_signup::status))
        .routes(routes!(plugin_signup::add_store))
}

/// The generated OpenAPI document.
#[must_use]
pub fn openapi() -> utoipa::openapi::OpenApi {
    document::with_links(documented_routes().into_openapi())
}

/// Routes that clients on the network reach.
pub fn public(node: Arc<Node>) -> Router {
    let router = add_help_routes(DOCUMENTED.clone())
        .route("/docs", get(docs_page::get))
        .route("/docs/style.css", get(docs_page::style))
        .route("/try/{name}", get(try_page::get))
        .route("/{key}/cs.js", get(storefront::get))
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
fn add_help_routes(router: Router<Arc<Node>>) -> Router<Arc<Node>> {
    router
        .route("/docs/errors", get(help_page::errors))
        .route("/docs/errors/{code}", get(help_page::error))
        .route("/docs/issues", get(help_page::issues))
        .route("/docs/issues/{code}", get(help_page::issue))
}

/// Routes that the operator reaches over the control socket: all operations, and accounts, keys and the ledger.
pub fn control(node: Arc<Node>) -> Router {
    finish(
        add_help_routes(DOCUMENTED.clone())
            .route("/control/account/create", post(account::create))
            .route("/control/account/list", post(account::list))
            .route("/control/account/guard", post(account::guard))
            .route("/control/account/quota", post(account_quota::set))
            .route("/control/account/search", post(account_search::set))
            .route("/control/account/search/renew", post(account_search::renew))
            .route("/control/account/set", post(account_about::set))
            .route("/control/account/deletion/list", post(account::deletions))
            .route("/control/account/deletion/confirm", post(account::confirm_deletion))
            .route("/control/account/deletion/dismiss", post(account::dismiss_deletion))
            .route("/control/key/rotate", post(account::rotate))
            .route("/control/key/revoke", post(account::revoke))
            .route("/control/key/list", post(account::list_keys))
            .route("/control/backup", post(backup::post))
            .route("/control/config", post(config::post))
            .route("/control/doctor", post(doctor::post))
            .route("/control/operator/add", post(operators::add))
            .route("/control/operator/list", post(operators::list))
            .route("/control/operator/set", post(operators::set))
            .route("/control/operator/reset", post(operators::reset))
            .route("/control/operator/remove", post(operators::remove))
            .route("/control/operator/acts", post(operators::acts))
            .route("/control/model/verify", post(model::verify))
            .route("/control/ledger/key", post(ledger::key))
            .route("/control/ledger/checkpoint", post(ledger::checkpoint))
            .route("/control/ledger/export", post(ledger::export))
            .route("/control/ledger/growth", post(ledger::growth))
            .route("/control/key-epoch/show", post(key_epoch::show))
            .route("/control/key-epoch/rotate", post(key_epoch::rotate)),
        node,
    )
}

fn finish(router: Router<Arc<Node>>, node: Arc<Node>) -> Router {
    router
        .fallback(async || Refusal::no_such_address())
        .method_not_allowed_fallback(async || Refusal::method())
        .layer(middleware::from_fn_with_state(node.clone(), around::run_request))
        .with_state(node)
}

/// Sender of a request, as the listener noted it.
fn peer_of<B>(request: &axum::http::Request<B>) -> Peer {
    let unknown = Peer::Address(std::net::Ipv4Addr::UNSPECIFIED.into());
    request.extensions().get::<Peer>().copied().unwrap_or(unknown)
}

/// Tenant whose share a request takes from before its account is known.
fn who_is(peer: Peer) -> Tenant {
    match peer {
        Peer::Address(address) => Tenant::Client(credentials::prefix(address)),
        Peer::Operator => Tenant::Operator,
    }
}

/// The client address of a request; none of the operator.
fn peer_address(peer: Peer) -> Option<std::net::IpAddr> {
    match peer {
        Peer::Address(address) => Some(credentials::prefix(address)),
        Peer::Operator => None,
    }
}

/// Shares that this request's node hands out.
fn fairness_of<B>(request: &axum::http::Request<B>) -> Arc<Fairness> {
    request.extensions().get::<Arc<Fairness>>().cloned().unwrap_or_default()
}

/// A turn to look through a whole catalogue or thousands of submissions, or for a person in all places. No shopper
/// waits for it.
async fn turn_to_look(turns: &Arc<TenantSemaphore>, account: AccountId) -> Result<Permit, Refusal> {
    let turn = turns.acquire(Tenant::Account(account), 1, limits::LOOK_WAIT_DURATION);
    turn.await.ok_or_else(Refusal::busy)
}

/// A fault of the keys while accepting: nothing was stored.
fn key_fault(fault: KeyFault) -> Refusal {
    tracing::error!(%fault, "a request was refused because of the keys");
    Refusal::busy()
}

/// Runs `work` in a task of its own, so that a client that disconnects leaks neither a key slot nor a file.
async fn to_its_end<T: Send + 'static>(
    work: impl Future<Output = Result<T, Refusal>> + Send + 'static,
) -> Result<T, Refusal> {
    tokio::spawn(work).await.unwrap_or_else(|_| Err(Refusal::fault()))
}

/// Seals something under a fresh key and runs the accepting transaction. The key slot is given back unless the answer
/// of the transaction `uses` it.
async fn accept_under_key<S, T, F, Sealing>(
    node: Arc<Node>,
    account: AccountId,
    seal: impl FnOnce(SlotNumber) -> Sealing + Send,
    accept: impl Fn(&mut Tx<'_>, SlotNumber, &S) -> Result<T, F> + Send + 'static,
    uses: fn(&T) -> bool,
) -> Result<T, Refusal>
where
    S: Send + 'static,
    T: Send + 'static,
    F: Into<SubjectFault>,
    Sealing: Future<Output = Result<S, Refusal>> + Send,
{
    let slot = node.keys.take_slot_async().await.map_err(key_fault)?;
    let stored = match seal(slot).await {
        Ok(sealed) => {
            let accepting = move |tx: &mut Tx<'_>| accept(tx, slot, &sealed).map_err(Into::into);
            Ok(node.store.write(account, accepting).await)
        }
        Err(refusal) => Err(refusal),
    };
    let is_used = match &stored {
        Ok(Ok(answer)) => uses(answer),
        // The outcome is unknown; the sweep at the next start will tell.
        Ok(Err(SubjectFault::Store(fault))) if fault.is_outcome_unknown() => true,
        Ok(Err(_)) | Err(_) => false,
    };
    if !is_used {
        node.keys.put_back(slot).map_err(key_fault)?;
    }
    Ok(stored??)
}

impl From<EvidenceFault> for Refusal {
    fn from(fault: EvidenceFault) -> Self {
        match fault {
            EvidenceFault::Store(fault) => fault.into(),
            EvidenceFault::Keys(fault) if fault.is_lost() => {
                tracing::warn!(%fault, "somebody was asked for whose key is lost");
                Self::person_lost()
            }
            EvidenceFault::Keys(fault) => key_fault(fault),
            fault => {
                tracing::error!(%fault, "evidence could not be gathered");
                Self::fault()
            }
        }
    }
}

impl From<SubjectFault> for Refusal {
    fn from(fault: SubjectFault) -> Self {
        match fault {
            SubjectFault::Store(fault) => fault.into(),
            SubjectFault::Keys(fault) => key_fault(fault),
        }
    }
}

/// Seals `plain` under a fresh key and runs the accepting transaction; `uses` tells whether it stored the sealed
/// bytes.
async fn accept_sealed<T: Send + 'static>(
    node: &Arc<Node>,
    account: AccountId,
    aad: Vec<u8>,
    plain: Zeroizing<Vec<u8>>,
    accept: impl Fn(&mut Tx<'_>, SlotNumber, &[u8]) -> Result<T, StoreFault> + Send + 'static,
    uses: fn(&T) -> bool,
) -> Result<T, Refusal> {
    let keys = node.keys.clone();
    let seal = move |slot| async move {
        keys.sealer(slot).and_then(|sealer| sealer.seal(&aad, &plain)).map_err(key_fault)
    };
    let accept = move |tx: &mut Tx<'_>, slot, sealed: &Vec<u8>| accept(tx, slot, sealed);
    to_its_end(accept_under_key(node.clone(), account, seal, accept, uses)).await
}
