//! `POST /api/productfeed`.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderName, HeaderValue, Request};
use axum::response::Response;
use zeroize::Zeroizing;

use super::body::{Fields, Named, read_json};
use super::refusal::{ErrorBody, Refusal};
use super::{accept_sealed, answer, credentials, peer_of, to_its_end, tokens};
use crate::accept::product_feed::Feed;
use crate::accept::{self, Accepted};
use crate::ids::Token;
use crate::jobs::Lane;
use crate::limits;
use crate::node::Node;
use crate::outbound::FeedUrl;
use crate::store::Tx;
use crate::submissions::Manner;

/// Where the token of a feed is told: the interface's answer has no place for it.
pub const FEED_TOKEN: HeaderName = HeaderName::from_static("x-feed-token");

/// A feed to fetch.
#[derive(utoipa::ToSchema)]
#[expect(dead_code, reason = "describes the body; its fields are read under all their spellings")]
pub struct ProductFeedRequest {
    /// The account's access key.
    #[schema(rename = "appKey")]
    app_key: String,
    /// A live secret of the account.
    #[schema(rename = "secretKey")]
    secret_key: String,
    /// Absolute http or https URL; it has to stay downloadable for 24 hours.
    url: String,
    /// A GUID of the caller's own: the same feed sent again under it is the same submission.
    #[schema(rename = "Token")]
    token: Option<String>,
    /// Whether to stop before publishing: the feed is checked, compared and held.
    #[schema(rename = "DryRun")]
    dry_run: Option<bool>,
}

/// Accepts a feed: it is fetched soon, checked, and published whole or not at all.
#[utoipa::path(post, path = "/api/productfeed", tag = "operations", request_body = ProductFeedRequest, responses(
    (status = 200, description = "Accepted, durably; the token is in the header X-Feed-Token", body = String,
     content_type = "text/plain", headers(("X-Feed-Token" = String, description = "Token for /api/productfeedstatus"))),
    (status = 400, description = "Malformed, missing or ambiguous, or an address that is never fetched", body = ErrorBody<'static>),
    (status = 403, description = "Wrong credentials", body = ErrorBody<'static>),
    (status = 409, description = "The token stands for something else", body = ErrorBody<'static>)))]
pub async fn post(State(node): State<Arc<Node>>, request: Request<Body>) -> Result<Response, Refusal> {
    let (headers, peer) = (request.headers().clone(), peer_of(&request));
    let body = read_json(request, limits::REQUEST_BODY_BYTES).await?;
    let fields = Fields::parse(&body)?;
    let (url, own) = (fields.text(&["url"])?, tokens::own(&fields)?);
    let manner = if fields.flag(&["DryRun"])? { Manner::DryRun } else { Manner::Guarded };
    let account = credentials::by_secret(&node, peer, &fields).await?;
    let url = FeedUrl::parse(&url, node.outbound.policy())
        .map_err(|refusal| Refusal::malformed(format!("url: {refusal}")))?;
    let (id, now) = (account.id, node.clock.now());
    let token = own.unwrap_or_else(|| Token::issue(now));
    // A dry run waits for no other feed, and none for it.
    let content = if manner == Manner::DryRun { "dry run of url" } else { "url" };
    let digest = node.keys.content_tag(id, content, url.expose().as_bytes());
    let host = url.to_string();
    let address = Zeroizing::new(url.expose().as_bytes().to_vec());
    let accept = move |tx: &mut Tx<'_>, slot, url: &[u8]| {
        let feed = Feed { token, host: &host, manner, slot, url, digest: &digest };
        accept::product_feed::accept(tx, id, &feed, now)
    };
    let aad = accept::payload_aad(id, token);
    to_its_end(async move {
        let accepted = accept_sealed(&node, id, aad, address, accept, Accepted::is_stored).await?;
        node.lanes.rouse(Lane::FEED);
        tokens::settle(&node, accepted).await
    })
    .await?;
    Ok(with_token(answer::accepted(&headers), token))
}

/// An answer that tells the token of what was accepted.
pub fn with_token(mut response: Response, token: Token) -> Response {
    if let Ok(token) = HeaderValue::from_str(&token.to_string()) {
        response.headers_mut().insert(FEED_TOKEN, token);
    }
    response
}
