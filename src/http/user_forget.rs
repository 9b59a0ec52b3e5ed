//! `POST /api/user/forget`.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderName, HeaderValue, Request};
use axum::response::Response;
use zeroize::Zeroizing;

use super::body::{Fields, read_json};
use super::refusal::{ErrorBody, Refusal};
use super::{accept_under_key, answer, credentials, key_fault, peer_of, to_its_end};
use crate::accept::user_forget::{self, Forget, Forgotten};
use crate::accounts::Account;
use crate::ids::AccountId;
use crate::ids::identifier::{Asked, Identifier};
use crate::jobs::Lane;
use crate::limits;
use crate::node::Node;
use crate::store::Tx;

/// Header that names the erasure: the same for a person who is known and for one who is not.
pub const ERASURE_ID: HeaderName = HeaderName::from_static("x-erasure-id");

/// A request to forget a person.
#[derive(utoipa::ToSchema)]
#[expect(dead_code, reason = "describes the body; its fields are read under all their spellings")]
pub struct ForgetRequest {
    /// The account's access key.
    #[schema(rename = "AccessKey")]
    access_key: String,
    /// A live secret of the account.
    #[schema(rename = "SecretKey")]
    secret_key: String,
    /// An email address, or an id the shop uses for the person; `email:`, `userid:`, `accid:` and `visitor:` say which.
    #[schema(rename = "Identifier")]
    identifier: String,
}

/// Forgets a person: from the answer on, nothing about them is stored again; what is stored is destroyed soon.
#[utoipa::path(post, path = "/api/user/forget", tag = "operations", request_body = ForgetRequest, responses(
    (status = 200, description = "Accepted, durably; the header X-Erasure-Id names the erasure for /api/erasure",
     body = String, content_type = "text/plain", headers(("X-Erasure-Id" = String, description = "Id of the erasure"))),
    (status = 400, description = "Malformed, missing or ambiguous", body = ErrorBody<'static>),
    (status = 403, description = "Wrong credentials", body = ErrorBody<'static>),
    (status = 503, description = "Not now; send it again", body = ErrorBody<'static>)))]
pub async fn post(State(node): State<Arc<Node>>, request: Request<Body>) -> Result<Response, Refusal> {
    let headers = request.headers().clone();
    let (account, asked) = about(&node, request).await?;
    let (account, asked) = (account.id, Arc::new(asked));
    let forgotten = match accept(&node, account, asked.clone()).await {
        Err(refusal)
            if refusal.is_of_the_server() && node.ballast.is_disk_full() && node.ballast.release() =>
        {
            // red: it::faults::disk::a_full_disk_takes_requests_to_forget
            mutant!("a-full-disk-takes-no-request", return Err(refusal));
            tracing::warn!("the disk is full: an erasure is accepted in the room that was kept for it");
            accept(&node, account, asked).await?
        }
        accepted => accepted?,
    };
    node.lanes.rouse(Lane::ERASE);
    let mut response = answer::accepted(&headers);
    if let Ok(id) = HeaderValue::from_str(&forgotten.id.to_string()) {
        response.headers_mut().insert(ERASURE_ID, id);
    }
    Ok(response)
}

async fn accept(node: &Arc<Node>, account: AccountId, asked: Arc<Asked>) -> Result<Forgotten, Refusal> {
    let (keys, now, id) = (node.keys.clone(), node.clock.now(), uuid::Uuid::new_v4());
    let seal = {
        let keys = keys.clone();
        move |slot| async move { keys.sealer(slot).map_err(key_fault) }
    };
    let accept = move |tx: &mut Tx<'_>, slot, sealer: &_| {
        user_forget::accept(tx, &keys, account, &Forget { asked: &asked, slot, sealer, id }, now)
    };
    let accepting = accept_under_key(node.clone(), account, seal, accept, |forgotten| forgotten.is_new);
    to_its_end(accepting).await
}

/// Reads a request about one person: whose shop, and who is meant.
pub async fn about(node: &Arc<Node>, request: Request<Body>) -> Result<(Arc<Account>, Asked), Refusal> {
    let peer = peer_of(&request);
    let body = read_json(request, limits::REQUEST_BODY_BYTES).await?;
    let fields = Fields::parse(&body)?;
    let identifier = Zeroizing::new(fields.text(&["Identifier"])?);
    let account = credentials::by_secret(node, peer, &fields).await?;
    // red: it::people::sqlite::nothing_personal_is_readable_on_disk_at_any_stage
    mutant!("a-log-names-people", tracing::trace!(identifier = identifier.as_str(), "asked"));
    let asked = Identifier::parse_forget(&identifier)
        .map_err(|refusal| Refusal::malformed(format!("Identifier: {refusal}")))?;
    Ok((account, asked))
}
