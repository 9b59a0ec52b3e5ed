//! `POST /feed-create`, `/feed-append`, `/feed-close`: a feed that arrives in pieces, form-encoded.
//!
//! The senders take nothing but the two letters `OK`, wait 5 s for them and send nothing twice: a piece is on the
//! disk when it is answered, and nothing else is done in the request.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::http::Request;
use axum::response::{IntoResponse, Response};
use zeroize::Zeroizing;

use super::credentials::{self, Caller};
use super::detached_task::to_its_end;
use super::feed_format;
use super::form::UrlEncodedForm;
use super::json_fields::RequestFields;
use super::product_feed::with_token;
use super::sealed_accept::accept_under_key;
use crate::accept::upload::{PieceRefusal, Upload};
use crate::accounts::Account;
use crate::accounts::quota::DefaultQuota;
use crate::admission::Permit;
use crate::api::faults::key_fault;
use crate::blobs::Hold;
use crate::clock::Millis;
use crate::feeds::feed_format::FeedFormat;
use crate::ids::{AccountId, SubmissionToken};
use crate::jobs::Lane;
use crate::keys::{SlotNumber, Tag};
use crate::node::Node;
use crate::store::{StoreFault, Tx};
use crate::submissions::{PublishMode, UploadKind};
use crate::transport::body_stream::IncomingBody;
use crate::transport::error_body::ErrorBody;
use crate::transport::refusal::{ErrorCode, OfShop, Refusal};
use crate::uploads::{self, OpenUpload, UploadPiece};
use crate::{accept, limits};

/// One call of an upload.
#[derive(utoipa::ToSchema)]
#[expect(dead_code, reason = "describes the body; its fields are read under all their spellings")]
pub struct UploadRequest {
    /// The account's access key.
    #[schema(rename = "accessKey")]
    access_key: String,
    /// A live secret of the account.
    #[schema(rename = "secretKey")]
    secret_key: String,
    /// `product`, `category`, `brand`, `user` or `orders`, then `-` and anything that tells uploads apart.
    #[schema(
        rename = "feedName",
        max_length = 200,
        pattern = "^(product|category|brand|user|orders)(-|$)",
        example = "product-main"
    )]
    feed_name: String,
    /// The next piece of the feed's text, cut anywhere; absent when there is none. The whole text is a `FeedDocument`;
    /// of `orders` it is a CSV file, whose columns are the properties of `OrdersRow`.
    #[schema(rename = "payLoad", value_type = String, required = false)]
    payload: Option<String>,
    /// At the beginning: whether to stop before publishing.
    #[schema(rename = "dryRun", value_type = bool, required = false)]
    dry_run: Option<bool>,
    /// At the beginning: `lethe`, `google`, `shopify`, `woocommerce`, `magento`, `csv`, `json` or `ndjson`; by
    /// default the content tells.
    #[schema(rename = "format", value_type = Option<String>, required = false)]
    format: Option<FeedFormat>,
}

/// Begins a feed; one of the same name that is open starts over.
#[utoipa::path(post, path = "/feed-create", operation_id = "feed_create", tag = "uploads", responses(OfShop,
    (status = 200, description = "`OK`: the piece is stored, durably; the token is in the header X-Feed-Token", body = String,
     content_type = "text/plain", headers(("X-Feed-Token" = String, description = "Token for /api/feed/cancel")))),
    request_body(content = UploadRequest, content_type = "application/x-www-form-urlencoded"))]
pub async fn create(State(node): State<Arc<Node>>, request: Request<Body>) -> Result<Response, Refusal> {
    let call = Call::from_request(&node, request).await?;
    let Some(holds) = call.holds else {
        return Err(Refusal::malformed(format!(
            "feedName has to begin with a type of feed: one of {}",
            UploadKind::ALL.map(UploadKind::as_str).join(", ")
        )));
    };
    if holds == UploadKind::Orders && call.manner == PublishMode::DryRun {
        return Err(Refusal::malformed("dryRun is for feeds of the catalogue and of users, not for orders"));
    }
    let token = to_its_end(call.create(node, holds)).await?;
    Ok(with_token("OK".into_response(), token))
}

/// Adds a piece to an open feed.
#[utoipa::path(post, path = "/feed-append", operation_id = "feed_append", tag = "uploads", responses(OfShop,
    (status = 200, description = "`OK`: the piece is stored, durably", body = String, content_type = "text/plain"),
    (status = 409, description = "No feed of this name is open", body = ErrorBody<'static>)),
    request_body(content = UploadRequest, content_type = "application/x-www-form-urlencoded"))]
pub async fn append(State(node): State<Arc<Node>>, request: Request<Body>) -> Result<&'static str, Refusal> {
    let call = Call::from_request(&node, request).await?;
    to_its_end(call.extend(node, accept::upload::append)).await.map(|_| "OK")
}

/// Ends a feed: it is checked and published whole or not at all.
#[utoipa::path(post, path = "/feed-close", operation_id = "feed_close", tag = "uploads", responses(OfShop,
    (status = 200, description = "`OK`: accepted, durably; the token is in the header X-Feed-Token", body = String,
     content_type = "text/plain", headers(("X-Feed-Token" = String, description = "Token for /api/productfeedstatus"))),
    (status = 409, description = "No feed of this name is open", body = ErrorBody<'static>)),
    request_body(content = UploadRequest, content_type = "application/x-www-form-urlencoded"))]
pub async fn close(State(node): State<Arc<Node>>, request: Request<Body>) -> Result<Response, Refusal> {
    let call = Call::from_request(&node, request).await?;
    let token = to_its_end(call.extend(node.clone(), accept::upload::close)).await?;
    node.lanes.wake_lane(Lane::FEED);
    Ok(with_token("OK".into_response(), token))
}

/// A call whose sender is known.
struct Call {
    account: Arc<Account>,
    name: Tag,
    holds: Option<UploadKind>,
    manner: PublishMode,
    format: Option<FeedFormat>,
    /// The piece, if it is not empty.
    payload: Arc<Zeroizing<Vec<u8>>>,
    /// Share of the memory for requests.
    _share: Option<Permit>,
}

/// An accepting transaction of an open upload: `append` or `close`.
type AcceptPiece = fn(
    &mut Tx<'_>,
    AccountId,
    &Tag,
    SubmissionToken,
    Option<&UploadPiece>,
    DefaultQuota,
    Millis,
) -> Result<Result<OpenUpload, PieceRefusal>, StoreFault>;

impl Call {
    async fn from_request(node: &Node, request: Request<Body>) -> Result<Self, Refusal> {
        let caller = &Caller::from_request(&request);
        UrlEncodedForm::check(request.headers())?;
        let mut arriving =
            IncomingBody::begin(request, limits::UPLOAD_PIECE_BYTES, limits::UPLOAD_PIECE_DURATION)?;
        let shown = |begun: Vec<u8>| async move {
            credentials::peek_valid_account(node, caller, &UrlEncodedForm::parse_partial(&begun)?).await
        };
        arriving.find_owner(shown).await?;
        arriving.read_all().await?;
        let (body, share) = arriving.into_parts();
        let form = UrlEncodedForm::parse(&body)?;
        let feed_name = form.text(&["feedName"])?;
        if feed_name.len() > limits::UPLOAD_NAME_BYTES {
            let most = limits::UPLOAD_NAME_BYTES;
            return Err(Refusal::malformed(format!("feedName is longer than {most} bytes")));
        }
        let manner = if form.flag(&["dryRun"])? { PublishMode::DryRun } else { PublishMode::Guarded };
        let format = feed_format::parse(&form)?;
        let payload = Arc::new(Zeroizing::new(form.bytes(&["payLoad"])?.unwrap_or_default()));
        let account = credentials::by_secret(node, caller, &form).await?;
        let name = node.keys.upload_tag(account.id, &feed_name);
        Ok(Self {
            account,
            name,
            holds: UploadKind::of_name(&feed_name),
            manner,
            format,
            payload,
            _share: share,
        })
    }

    async fn create(self, node: Arc<Node>, holds: UploadKind) -> Result<SubmissionToken, Refusal> {
        let now = node.clock.now();
        let id = self.account.id;
        let name = self.name;
        let manner = self.manner;
        let format = self.format;
        let token = SubmissionToken::issue(now);
        let part = node.quota_part();
        let hold = Arc::new(node.blobs.hold_files());
        let written = hold.clone();
        let accept = move |tx: &mut Tx<'_>, slot, piece: &Option<UploadPiece>| {
            // Until here its file is held, even if the caller has left.
            let _ = &written;
            let upload = Upload { name, token, slot, holds, manner, format };
            accept::upload::create(tx, id, &upload, piece.as_ref(), part, now)
        };
        let sealing = node.clone();
        let seal = move |slot| async move { self.seal(&sealing, hold, slot, token).await };
        let stored = accept_under_key(node.clone(), id, seal, accept, Result::is_ok).await;
        // An upload that was started over ends with its job.
        node.lanes.wake_lane(Lane::FEED);
        into_answer(&node, stored).map(|()| token)
    }

    /// Adds the piece to the upload that is open; gives its token.
    async fn extend(self, node: Arc<Node>, accept: AcceptPiece) -> Result<SubmissionToken, Refusal> {
        let id = self.account.id;
        let name = self.name;
        let now = node.clock.now();
        let part = node.quota_part();
        let open = node.store.read(move |tx| uploads::open(tx, id, &name)).await?;
        let Some(open) = open else { return Err(PieceRefusal::NotOpen.into()) };
        let token = open.token;
        if !self.payload.is_empty() {
            // Before anything is written: a piece that is refused would lie there until the next sweep.
            accept::upload::check(&open, i64::try_from(self.payload.len()).unwrap_or(i64::MAX))?;
        }
        let hold = Arc::new(node.blobs.hold_files());
        let piece = self.seal(&node, hold.clone(), open.slot, token).await?;
        let taken = node.store.write(id, move |tx| {
            let _ = &hold;
            accept(tx, id, &name, token, piece.as_ref(), part, now)
        });
        let taken = taken.await;
        into_answer(&node, taken.map_err(Refusal::from)).map(|open| open.token)
    }

    /// Puts the piece on the disk, sealed under the key of its upload.
    async fn seal(
        &self,
        node: &Arc<Node>,
        hold: Arc<Hold>,
        slot: SlotNumber,
        token: SubmissionToken,
    ) -> Result<Option<UploadPiece>, Refusal> {
        if self.payload.is_empty() {
            return Ok(None);
        }
        let node = node.clone();
        let plain = self.payload.clone();
        let aad = accept::payload_aad(self.account.id, token);
        let sealing = tokio::task::spawn_blocking(move || {
            let sealer = node.keys.sealer(slot).map_err(key_fault)?;
            let bytes = i64::try_from(plain.len()).unwrap_or(i64::MAX);
            let blob =
                uploads::pieces::write(&node.blobs, &hold, &sealer, &aad, &plain).map_err(|error| {
                    tracing::error!(kind = ?error.kind(), "a piece of an upload cannot be written");
                    Refusal::busy()
                })?;
            Ok(UploadPiece { blob, bytes })
        });
        sealing.await.unwrap_or_else(|_| Err(Refusal::fault())).map(Some)
    }
}

/// The answer of an accepting transaction. The file of a refused piece has no owner.
fn into_answer<T>(node: &Node, taken: Result<Result<T, PieceRefusal>, Refusal>) -> Result<T, Refusal> {
    let taken = taken.and_then(|taken| taken.map_err(Refusal::from));
    if taken.is_err() {
        node.note_files_left();
        // It may have ended its upload.
        node.lanes.wake_lane(Lane::FEED);
    }
    taken
}

impl From<PieceRefusal> for Refusal {
    fn from(refused: PieceRefusal) -> Self {
        match refused {
            PieceRefusal::NotOpen => {
                Self::new(ErrorCode::NoOpenFeed, "No feed of this name is open; begin it with /feed-create")
            }
            PieceRefusal::TooMany => Self::too_many_uploads(),
            PieceRefusal::TooManyPieces => Self::too_many_pieces(),
            PieceRefusal::NoRoom(no_room) => no_room.into(),
            PieceRefusal::TooLarge => {
                Self::too_large(usize::try_from(limits::FEED_WIRE_BYTES).unwrap_or(usize::MAX))
            }
        }
    }
}
