//! A request comes in: wire names, status codes and words, and nothing else. The route table is here.

mod account;
mod answer;
mod backup;
pub mod body;
mod credentials;
pub mod delta;
mod delta_status;
mod doctor;
mod erasures;
pub mod form;
mod health;
mod issues;
mod key_epoch;
mod ledger;
pub mod listener;
mod plugin;
mod plugin_dashboard;
mod plugin_signup;
mod product;
mod product_feed;
mod product_feed_status;
mod product_why;
pub mod refusal;
mod republish;
mod snapshots;
mod submission;
mod submission_events;
pub mod tokens;
mod upload;
mod user_export;
pub mod user_forget;
mod user_held;
mod user_return;
mod user_scan;
mod user_suppression;

use std::sync::Arc;

use axum::extract::{MatchedPath, Request, State};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Extension, Router};
use tower_http::catch_panic::CatchPanicLayer;
use utoipa::OpenApi;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use zeroize::Zeroizing;

use self::listener::Peer;
pub use self::product_feed::FEED_TOKEN;
use self::refusal::Refusal;
pub use self::tokens::UNKNOWN as UNKNOWN_TOKEN;
use crate::evidence::EvidenceFault;
use crate::ids::AccountId;
use crate::keys::{KeyFault, SlotNumber};
use crate::node::Node;
use crate::store::{StoreFault, Tx};
use crate::subjects::subject::SubjectFault;

/// The description that the generated document begins with.
#[derive(OpenApi)]
#[openapi(info(
    title = "Lethe",
    description = "Personalisation and search backend for online shops that forgets exactly. \
                   Credentials travel in the body. Every refusal is {\"Error\": \"one sentence\"}."
))]
struct Document;

/// The routes of the public listener with their generated document.
fn documented() -> OpenApiRouter<Arc<Node>> {
    OpenApiRouter::with_openapi(Document::openapi())
        .routes(routes!(user_forget::post))
        .routes(routes!(delta_status::post))
        .routes(routes!(product_feed::post))
        .routes(routes!(product_feed_status::post))
        .routes(routes!(delta::post))
        .routes(routes!(upload::create))
        .routes(routes!(upload::append))
        .routes(routes!(upload::close))
        .routes(routes!(delta_status::post_without_secret))
        .routes(routes!(product::post_product))
        .routes(routes!(product_why::post))
        .routes(routes!(product::post_catalogue))
        .routes(routes!(issues::post))
        .routes(routes!(submission::post))
        .routes(routes!(snapshots::of_feed))
        .routes(routes!(republish::publish))
        .routes(routes!(snapshots::list))
        .routes(routes!(snapshots::compare))
        .routes(routes!(republish::back))
        .routes(routes!(submission_events::post))
        .routes(routes!(erasures::list))
        .routes(routes!(erasures::show))
        .routes(routes!(erasures::certificate))
        .routes(routes!(user_held::post))
        .routes(routes!(user_export::post))
        .routes(routes!(user_scan::post))
        .routes(routes!(user_suppression::post))
        .routes(routes!(user_return::post))
        .routes(routes!(plugin::validate))
        .routes(routes!(plugin_dashboard::post))
        .routes(routes!(plugin::feedback))
        .routes(routes!(plugin::delete))
        .routes(routes!(plugin::complete_step))
        .routes(routes!(plugin_signup::request))
        .routes(routes!(plugin_signup::status))
        .routes(routes!(plugin_signup::add_store))
        .routes(routes!(health::health))
        .routes(routes!(health::ready))
        .routes(routes!(health::metrics))
}

/// The generated OpenAPI document.
#[must_use]
pub fn openapi() -> utoipa::openapi::OpenApi {
    documented().into_openapi()
}

/// What clients on the network reach.
pub fn public(node: Arc<Node>) -> Router {
    let (router, document) = documented().split_for_parts();
    let document = axum::Json(document);
    finish(
        router.route("/api/productdelta", post(delta::post)).route(
            "/openapi.json",
            get(move || {
                let document = document.clone();
                async move { document }
            }),
        ),
        node,
    )
}

/// What the operator reaches over the control socket: everything, and accounts, keys and the ledger.
pub fn control(node: Arc<Node>) -> Router {
    let (router, _) = documented().split_for_parts();
    finish(
        router
            .route("/api/productdelta", post(delta::post))
            .route("/control/account/create", post(account::create))
            .route("/control/account/list", post(account::list))
            .route("/control/account/guard", post(account::guard))
            .route("/control/account/deletion/list", post(account::deletions))
            .route("/control/account/deletion/confirm", post(account::confirm_deletion))
            .route("/control/account/deletion/dismiss", post(account::dismiss_deletion))
            .route("/control/key/rotate", post(account::rotate))
            .route("/control/key/revoke", post(account::revoke))
            .route("/control/key/list", post(account::list_keys))
            .route("/control/backup", post(backup::post))
            .route("/control/doctor", post(doctor::post))
            .route("/control/ledger/key", post(ledger::key))
            .route("/control/ledger/checkpoint", post(ledger::checkpoint))
            .route("/control/ledger/export", post(ledger::export))
            .route("/control/ledger/growth", post(ledger::growth))
            .route("/control/key-epoch/show", post(key_epoch::show))
            .route("/control/key-epoch/rotate", post(key_epoch::rotate)),
        node,
    )
}

/// What stores something that a shop or the operator must not lose.
const ACCEPTING: [&str; 17] = [
    "/api/delta",
    "/api/productdelta",
    "/api/productfeed",
    "/api/feed/publish",
    "/api/snapshots/back",
    "/api/user/forget",
    "/api/user/return",
    "/api/plugin/delete",
    "/feed-create",
    "/feed-append",
    "/feed-close",
    "/control/account/create",
    "/control/account/guard",
    "/control/account/deletion/confirm",
    "/control/account/deletion/dismiss",
    "/control/key/rotate",
    "/control/key/revoke",
];

/// Refuses what would be stored in one place only, where a standby is required.
async fn with_standby(State(node): State<Arc<Node>>, request: Request, next: Next) -> Response {
    let route = request.extensions().get::<MatchedPath>();
    let accepts = route.is_some_and(|route| ACCEPTING.contains(&route.as_str()));
    match node.standby.problem() {
        Some(_) if accepts => Refusal::no_standby().into_response(),
        _ => next.run(request).await,
    }
}

fn finish(router: Router<Arc<Node>>, node: Arc<Node>) -> Router {
    router
        .fallback(async || Refusal::unknown("There is nothing at this address"))
        .method_not_allowed_fallback(async || Refusal::method())
        .layer(Extension(submission_events::Places::default()))
        .layer(middleware::from_fn_with_state(node.clone(), with_standby))
        .layer(middleware::from_fn(count))
        .layer(CatchPanicLayer::custom(|_| {
            tracing::error!("a request handler panicked");
            Refusal::fault().into_response()
        }))
        .with_state(node)
}

/// Counts answers by route and status. An unmatched path is nobody's text in a metric.
async fn count(request: Request, next: Next) -> Response {
    let route = request.extensions().get::<MatchedPath>().cloned();
    let response = next.run(request).await;
    let route = route.as_ref().map_or("unknown", MatchedPath::as_str).to_owned();
    let status = response.status().as_u16().to_string();
    metrics::counter!("lethe_requests_total", "route" => route, "status" => status).increment(1);
    response
}

/// Where a request came from, as the listener noted it.
fn peer_of<B>(request: &axum::http::Request<B>) -> Peer {
    let unknown = Peer::Address(std::net::Ipv4Addr::UNSPECIFIED.into());
    request.extensions().get::<Peer>().copied().unwrap_or(unknown)
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
    let slot = node.keys.taken().await.map_err(key_fault)?;
    let stored = match seal(slot).await {
        Ok(sealed) => {
            let accepting = move |tx: &mut Tx<'_>| accept(tx, slot, &sealed).map_err(Into::into);
            Ok(node.store.write(account, accepting).await)
        }
        Err(refusal) => Err(refusal),
    };
    let is_used = match &stored {
        Ok(Ok(answer)) => uses(answer),
        // Nobody can say; the sweep at the next start will.
        Ok(Err(SubjectFault::Store(StoreFault::UnknownOutcome | StoreFault::Closed))) => true,
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

/// Seals `plain` under a fresh key and runs the accepting transaction; `uses` says whether it stored what was sealed.
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
