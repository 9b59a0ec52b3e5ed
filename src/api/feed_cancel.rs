//! `POST /api/feed/cancel`: ends a feed before it is published. An addition.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;

use super::detached_task::to_its_end;
use super::extract::Authenticated;
use super::status_tokens;
use super::status_tokens::TokenRequest;
use super::submission::{ShownSubmission, describe_submission};
use crate::accept::feed_cancel::{self, CancelOutcome};
use crate::ids::{AccountId, SubmissionToken};
use crate::node::Node;
use crate::store::StoreFault;
use crate::submissions;
use crate::transport::error_body::ErrorBody;
use crate::transport::refusal::{OfShop, Refusal};

type FeedCancelBySecret = Authenticated<TokenRequest>;

/// A submission after a request to cancel it.
#[derive(serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "PascalCase")]
pub struct AfterCancelling {
    #[serde(flatten)]
    submission: ShownSubmission,
    /// True if this request ended it.
    cancelled: bool,
}

/// Ends a feed that waits or runs, so that it is not published. One that has ended stays as it ended.
#[utoipa::path(post, path = "/api/feed/cancel", tag = "additions", operation_id = "feed_cancel",
    request_body = FeedCancelBySecret, responses(OfShop,
    (status = 200, description = "The submission as it is now, and whether this request ended it", body = AfterCancelling),
    (status = 404, description = "No feed has this token", body = ErrorBody<'static>)))]
pub async fn post(
    State(node): State<Arc<Node>>,
    FeedCancelBySecret { account, question, .. }: FeedCancelBySecret,
) -> Result<Json<AfterCancelling>, Refusal> {
    to_its_end(async move { cancel(&node, account.id, question.token).await }).await.map(Json)
}

async fn cancel(node: &Node, account: AccountId, token: SubmissionToken) -> Result<AfterCancelling, Refusal> {
    let now = node.clock.now();
    let cancelling = node.store.write(account, move |tx| {
        let cancelled = feed_cancel::cancel(tx, account, token, now)?;
        let found = submissions::by_token(tx, account, token)?;
        let found =
            found.map(|found| Ok::<_, StoreFault>((found.seq, describe_submission(tx, account, &found)?)));
        Ok::<_, StoreFault>(cancelled.zip(found.transpose()?))
    });
    let (cancelled, (seq, submission)) = cancelling.await?.ok_or_else(Refusal::token_unknown)?;
    let answer = AfterCancelling { submission, cancelled: matches!(cancelled, CancelOutcome::Now(_)) };
    if let CancelOutcome::Now(slot) = cancelled {
        tracing::info!(account = account.0, seq, "a feed was cancelled");
        // Its pieces, and the rows that were read from it.
        status_tokens::destroy_keys(node, slot.into_iter().collect()).await;
        node.note_files_left();
    }
    Ok(answer)
}
