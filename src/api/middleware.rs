//! Middleware of every request, before and after its handler.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use axum::extract::{MatchedPath, Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use futures_util::FutureExt;

use super::credentials::Caller;
use super::{answer_memory, search};
use crate::node::{Node, RefusedRequest};
use crate::transport::peer::peer_of;
use crate::transport::refusal::{Refusal, RefusalSentence};
use crate::transport::{forwarded, headers};

/// Routes that store something that a shop or the operator must not lose.
const ACCEPTING: [&str; 36] = [
    "/api/delta",
    "/api/events",
    "/api/productdelta",
    "/api/productfeed",
    "/api/serverside",
    "/api/track",
    "/api/feed/publish",
    "/api/feed/cancel",
    "/api/snapshots/back",
    "/api/user/forget",
    "/api/user/return",
    "/api/rules/set",
    "/api/rules/undo",
    "/api/zones/set",
    "/api/zones/undo",
    "/api/webhook/set",
    "/api/webhook/rotate",
    "/api/webhook/test",
    "/api/webhook/remove",
    "/api/plugin/delete",
    "/feed-create",
    "/feed-append",
    "/feed-close",
    "/control/account/create",
    "/control/account/guard",
    "/control/account/quota",
    "/control/account/search",
    "/control/account/set",
    "/control/account/deletion/confirm",
    "/control/account/deletion/dismiss",
    "/control/key/rotate",
    "/control/key/revoke",
    "/control/operator/add",
    "/control/operator/set",
    "/control/operator/reset",
    "/control/operator/remove",
];

/// Runs a request, and counts the answer. Refuses one whose head is not understood here, and one that would be stored
/// in one place only where a standby is required. A handler that panics answers too.
pub(super) async fn run_request(State(node): State<Arc<Node>>, mut request: Request, next: Next) -> Response {
    let route = request.extensions().get::<MatchedPath>().cloned();
    let route = route.as_ref().map_or("unknown", MatchedPath::as_str);
    forwarded::note_client(&node, &mut request);
    request.extensions_mut().insert(node.resources.clone());
    let caller = Caller::from_peer(peer_of(&request));
    request.extensions_mut().insert(caller.clone());
    let answered = match may_pass(&node, route, &request) {
        Ok(()) => AssertUnwindSafe(next.run(request)).catch_unwind().await,
        Err(refusal) => Ok(refusal.into_response()),
    };
    let response = answered.unwrap_or_else(|_| {
        tracing::error!("a request handler panicked");
        Refusal::fault().into_response()
    });
    note_refused(&node, route, &caller, &response);
    let mut response = answer_memory::reserve_answer_memory(&node, &caller, response).await;
    count(route, &response);
    search::let_pages_read(route, &mut response);
    response
}

fn may_pass(node: &Node, route: &str, request: &Request) -> Result<(), Refusal> {
    // It would be read as something else than was sent.
    headers::check(request.headers(), peer_of(request))?;
    let is_listed = ["/api/serverside", "/api/track"].contains(&route);
    match node.standby.problem() {
        Some(_) if is_listed => Err(Refusal::no_standby().with_list()),
        Some(_) if ACCEPTING.contains(&route) => Err(Refusal::no_standby()),
        _ => Ok(()),
    }
}

/// Notes a refusal for the shop whose access key was shown.
fn note_refused(node: &Node, route: &str, caller: &Caller, response: &Response) {
    let told = response.extensions().get::<RefusalSentence>();
    let Some((RefusalSentence(sentence), showed)) = told.zip(caller.shown_keys()) else { return };
    let now = node.clock.now();
    let refused = RefusedRequest {
        at: now,
        first_at: now,
        count: 1,
        path: route.to_owned(),
        status: response.status().as_u16(),
        error: sentence.clone().into_owned(),
        with_secret: showed.with_secret,
    };
    node.refused_requests.record(showed.account, refused);
}

/// Counts answers by route and status. The text of an unmatched path stands in no metric.
fn count(route: &str, response: &Response) {
    let status = response.status().as_u16().to_string();
    metrics::counter!("lethe_requests_total", "route" => route.to_owned(), "status" => status).increment(1);
}
