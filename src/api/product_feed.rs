//! `POST /api/productfeed`.

use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use axum::response::Response;
use zeroize::Zeroizing;

use super::detached_task::to_its_end;
use super::extract::Authenticated;
use super::from_fields::{FromFields, MemberNames};
use super::json_fields::{JsonFields, RequestFields};
use super::plain_answer::AcceptedFeed;
use super::sealed_accept::accept_sealed;
use super::{account_quota, feed_format, plain_answer, status_tokens};
use crate::accept::product_feed::NewFeed;
use crate::accept::{self, Acceptance};
use crate::feeds::feed_format::FeedFormat;
use crate::ids::SubmissionToken;
use crate::jobs::Lane;
use crate::node::Node;
use crate::outbound::FeedUrl;
use crate::store::Tx;
use crate::submissions::PublishMode;
use crate::transport::error_body::ErrorBody;
use crate::transport::refusal::{OfShop, Refusal};

/// Header that tells the token of a feed: the interface's answer has no place for it.
pub const FEED_TOKEN: HeaderName = HeaderName::from_static("x-feed-token");

/// A feed to fetch.
#[derive(utoipa::ToSchema)]
pub struct ProductFeedRequest {
    /// Absolute http or https URL; it has to stay downloadable for 24 hours.
    #[schema(format = "uri", example = "https://shop.example/feed.json")]
    url: String,
    /// A GUID of the caller's own: the same feed sent again under it is the same submission.
    #[schema(rename = "Token", value_type = Option<String>, format = "uuid", required = false)]
    token: Option<SubmissionToken>,
    /// `true` stops before publishing: the feed is checked, compared and held.
    #[schema(rename = "DryRun", required = false)]
    dry_run: bool,
    /// `lethe`, `google`, `shopify`, `woocommerce`, `magento`, `csv`, `json` or `ndjson`; by default the content tells.
    #[schema(rename = "Format", value_type = Option<String>, required = false)]
    format: Option<FeedFormat>,
}

impl FromFields for ProductFeedRequest {
    const ACCESS_KEY: &str = "appKey";
    const SECRET_KEY: &str = "secretKey";
    const MEMBERS: MemberNames = MemberNames::Tolerant;

    fn from_fields(fields: &JsonFields<'_>) -> Result<Self, Refusal> {
        let url = fields.text(&["url"])?;
        let token = status_tokens::parse_client_token(fields)?;
        let format = feed_format::parse(fields)?;
        Ok(Self { url, token, dry_run: fields.flag(&["DryRun"])?, format })
    }
}

type ProductFeedBySecret = Authenticated<ProductFeedRequest>;

/// Accepts a feed: it is fetched soon, checked, and published whole or not at all.
#[utoipa::path(post, path = "/api/productfeed", operation_id = "product_feed", tag = "operations", request_body = ProductFeedBySecret,
    responses(OfShop, AcceptedFeed,
    (status = 400, description = "Malformed, missing or ambiguous, or an address that is never fetched", body = ErrorBody<'static>),
    (status = 409, description = "The token stands for something else", body = ErrorBody<'static>)))]
pub async fn post(
    State(node): State<Arc<Node>>,
    headers: HeaderMap,
    ProductFeedBySecret { account, question, .. }: ProductFeedBySecret,
) -> Result<Response, Refusal> {
    let manner = if question.dry_run { PublishMode::DryRun } else { PublishMode::Guarded };
    let url = FeedUrl::parse(&question.url, node.outbound.policy())
        .map_err(|refusal| Refusal::malformed(format!("url: {refusal}")))?;
    let id = account.id;
    let now = node.clock.now();
    account_quota::check(&node, id).await?;
    let token = question.token.unwrap_or_else(|| SubmissionToken::issue(now));
    // A dry run waits for no other feed, and none for it.
    let content = if manner == PublishMode::DryRun { "dry run of url" } else { "url" };
    let content = question
        .format
        .map_or_else(|| content.to_owned(), |format| format!("{content} as {}", format.as_str()));
    let digest = node.keys.content_tag(id, &content, url.expose().as_bytes());
    let host = url.to_string();
    let address = Zeroizing::new(url.expose().as_bytes().to_vec());
    let format = question.format;
    let accept = move |tx: &mut Tx<'_>, slot, url: &[u8]| {
        let feed = NewFeed { token, host: &host, manner, format, slot, url, digest: &digest };
        accept::product_feed::accept(tx, id, &feed, now)
    };
    let aad = accept::payload_aad(id, token);
    to_its_end(async move {
        let accepted = accept_sealed(&node, id, aad, address, accept, Acceptance::is_stored).await?;
        node.lanes.wake_lane(Lane::FETCH);
        status_tokens::settle(&node, accepted).await
    })
    .await?;
    Ok(with_token(plain_answer::accepted_response(&headers), token))
}

/// An answer with the token of the accepted request.
pub fn with_token(mut response: Response, token: SubmissionToken) -> Response {
    if let Ok(token) = HeaderValue::from_str(&token.to_string()) {
        response.headers_mut().insert(FEED_TOKEN, token);
    }
    response
}
