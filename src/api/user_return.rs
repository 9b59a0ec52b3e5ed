//! `POST /api/user/return`: a forgotten person comes back of their own will. An addition to the fixed interface.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;

use super::detached_task::to_its_end;
use super::user_forget::AuthenticatedPerson;
use crate::accept::user_forget::{self, ReturnOutcome};
use crate::ids::AccountId;
use crate::ids::identifier::ForgetTarget;
use crate::node::Node;
use crate::recovery::journal::{JournalItem, JournalRecordKind, Record, TagEntry};
use crate::recovery::ledger_copy;
use crate::transport::error_body::ErrorBody;
use crate::transport::refusal::{ErrorCode, OfShop, Refusal};

/// Result of a request to take a person in again.
#[derive(serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "PascalCase")]
pub struct ReturnAnswer {
    /// True if the identifier was forgotten.
    returned: bool,
}

/// Takes a forgotten identifier in again, for data accepted from now on; earlier data do not return. Only with the
/// person's consent: it is written into the ledger, without the person's name.
#[utoipa::path(post, path = "/api/user/return", operation_id = "user_return", tag = "people",
    request_body = AuthenticatedPerson, responses(OfShop,
    (status = 200, description = "Whether the identifier was forgotten", body = ReturnAnswer),
    (status = 409, description = "The person is still being erased", body = ErrorBody<'static>)))]
pub async fn post(
    State(node): State<Arc<Node>>,
    AuthenticatedPerson { account, question, .. }: AuthenticatedPerson,
) -> Result<Json<ReturnAnswer>, Refusal> {
    to_its_end(return_person(node, account.id, question.asked)).await
}

async fn return_person(
    node: Arc<Node>,
    account: AccountId,
    asked: ForgetTarget,
) -> Result<Json<ReturnAnswer>, Refusal> {
    let keys = node.keys.clone();
    let now = node.clock.now();
    let tags = asked.candidates().iter().map(|id| TagEntry {
        tag: keys.suppression_tag(account, id),
        kind: id.kind().code().into(),
        version: id.version().into(),
    });
    let kind = JournalRecordKind::Consent;
    let id = uuid::Uuid::new_v4().into_bytes();
    let tags = tags.collect();
    let record = Record { kind, id, account: account.0, subjects: Vec::new(), asked: None, tags, at: now };
    let returned =
        node.store.write(account, move |tx| user_forget::accept_return(tx, &keys, account, &asked, now));
    match returned.await? {
        ReturnOutcome::StillErased => {
            return Err(Refusal::new(
                ErrorCode::StillErasing,
                "What was stored of this person is still being erased; `lethe erasure list` tells how far it is",
            ));
        }
        ReturnOutcome::NotForgotten => return Ok(Json(ReturnAnswer { returned: false })),
        ReturnOutcome::LetIn => {}
    }
    // Behind the commit, never before it: a door that opens at the next start because of a request that failed would be
    // worse than an older state of the store in which the person is forgotten still.
    let recorded =
        ledger_copy::record(&node.store, &node.journal, account, vec![JournalItem::Record(record)]).await;
    recorded.unwrap_or_else(|fault| tracing::error!(%fault, "a return could not be recorded in the journal"));
    Ok(Json(ReturnAnswer { returned: true }))
}
