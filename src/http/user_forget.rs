//! `POST /api/user/forget`.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::http::Request;
use axum::response::Response;
use zeroize::Zeroizing;

use super::body::{Fields, read_json};
use super::refusal::{ErrorBody, Refusal};
use super::{accept_sealed, answer, credentials, peer_of};
use crate::accept::payload_aad;
use crate::accept::user_forget::{self, Forget};
use crate::ids::Token;
use crate::jobs::Lane;
use crate::limits;
use crate::node::Node;
use crate::store::Tx;
use crate::subjects::identifier::Identifier;

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
    (status = 200, description = "Accepted, durably", body = String, content_type = "text/plain"),
    (status = 400, description = "Malformed, missing or ambiguous", body = ErrorBody<'static>),
    (status = 403, description = "Wrong credentials", body = ErrorBody<'static>),
    (status = 503, description = "Not now; send it again", body = ErrorBody<'static>)))]
pub async fn post(State(node): State<Arc<Node>>, request: Request<Body>) -> Result<Response, Refusal> {
    let (headers, peer) = (request.headers().clone(), peer_of(&request));
    let body = read_json(request, limits::REQUEST_BODY_BYTES).await?;
    let fields = Fields::parse(&body)?;
    let identifier = Zeroizing::new(fields.text(&["Identifier"])?);
    let account = credentials::by_secret(&node, peer, &fields).await?;
    let asked = Identifier::parse_forget(&identifier)
        .map_err(|refusal| Refusal::malformed(format!("Identifier: {refusal}")))?;
    let (id, keys, now) = (account.id, node.keys.clone(), node.clock.now());
    let aad = payload_aad(id, Token::from_bytes([0; 16]));
    let plain = Zeroizing::new(identifier.as_bytes().to_vec());
    let accept = move |tx: &mut Tx<'_>, slot, sealed: &[u8]| {
        user_forget::accept(tx, &keys, id, &Forget { asked: &asked, slot, sealed }, now)
    };
    accept_sealed(&node, aad, plain, accept, |is_stored| *is_stored).await?;
    node.lanes.rouse(Lane::Erase);
    Ok(answer::accepted(&headers))
}
