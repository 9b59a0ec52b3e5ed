//! `POST /api/user/forget`.

use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use axum::response::Response;
use zeroize::Zeroizing;

use super::detached_task::to_its_end;
use super::extract::Authenticated;
use super::from_fields::{FromFields, MemberNames};
use super::json_fields::JsonFields;
use super::plain_answer;
use super::plain_answer::AcceptedErasure;
use super::sealed_accept::accept_under_key;
use crate::accept::erasure_reference::CaseReference;
use crate::accept::user_forget::{self, Forget, Forgotten};
use crate::api::faults::key_fault;
use crate::ids::AccountId;
use crate::ids::identifier::{ForgetTarget, Identifier};
use crate::jobs::Lane;
use crate::node::Node;
use crate::store::Tx;
use crate::transport::refusal::{OfShop, Refusal};

/// Header that names the erasure: the same for a known and an unknown person.
pub const ERASURE_ID: HeaderName = HeaderName::from_static("x-erasure-id");

/// A request about one person.
#[derive(utoipa::ToSchema)]
pub struct PersonRequest {
    /// An email address, or an id the shop uses for the person; `email:`, `userid:`, `accid:` and `visitor:` say which.
    #[schema(rename = "Identifier", value_type = String, max_length = 254, example = "userid:4711")]
    pub asked: ForgetTarget,
}

impl FromFields for PersonRequest {
    const MEMBERS: MemberNames = MemberNames::Tolerant;

    fn from_fields(fields: &JsonFields<'_>) -> Result<Self, Refusal> {
        let identifier = Zeroizing::new(fields.text(&["Identifier"])?);
        let asked = Identifier::parse_forget(&identifier)
            .map_err(|refusal| Refusal::malformed(format!("Identifier: {refusal}")))?;
        Ok(Self { asked })
    }
}

/// A request about one person, and the shop that sent it.
pub type AuthenticatedPerson = Authenticated<PersonRequest>;

/// A request to forget a person.
#[derive(utoipa::ToSchema)]
pub struct UserForgetRequest {
    /// An email address, or an id the shop uses for the person; `email:`, `userid:`, `accid:` and `visitor:` say which.
    #[schema(rename = "Identifier", value_type = String, max_length = 254, example = "userid:4711")]
    asked: ForgetTarget,
    /// The shop's own reference of the case: letters, digits, blanks and `-_/.#`. It is kept after the erasure, so it
    /// must name nobody.
    #[schema(rename = "Reference", value_type = String, required = false, max_length = 64, example = "DSR-2026-114")]
    reference: Option<CaseReference>,
}

impl FromFields for UserForgetRequest {
    const MEMBERS: MemberNames = MemberNames::Tolerant;

    fn from_fields(fields: &JsonFields<'_>) -> Result<Self, Refusal> {
        let PersonRequest { asked } = PersonRequest::from_fields(fields)?;
        let reference = fields.opt_text(&["Reference"])?.unwrap_or_default();
        let reference = CaseReference::parse_of_request(&reference, &asked)
            .map_err(|refusal| Refusal::malformed(format!("Reference: {refusal}")))?;
        Ok(Self { asked, reference })
    }
}

type UserForgetBySecret = Authenticated<UserForgetRequest>;

/// Forgets a person: from the answer on, nothing about them is stored again; stored data are destroyed soon.
#[utoipa::path(post, path = "/api/user/forget", operation_id = "user_forget", tag = "operations",
    request_body = UserForgetBySecret, responses(OfShop, AcceptedErasure))]
pub async fn post(
    State(node): State<Arc<Node>>,
    headers: HeaderMap,
    UserForgetBySecret { account, question, .. }: UserForgetBySecret,
) -> Result<Response, Refusal> {
    let account = account.id;
    let question = Arc::new(question);
    let forgotten = match accept(&node, account, question.clone()).await {
        Err(refusal)
            if refusal.is_of_the_server() && node.ballast.is_disk_full() && node.ballast.release() =>
        {
            tracing::warn!("the disk is full: an erasure is accepted in the room that was kept for it");
            accept(&node, account, question).await?
        }
        accepted => accepted?,
    };
    node.lanes.wake_lane(Lane::ERASE);
    let mut response = plain_answer::accepted_response(&headers);
    if let Ok(id) = HeaderValue::from_str(&forgotten.id.to_string()) {
        response.headers_mut().insert(ERASURE_ID, id);
    }
    Ok(response)
}

async fn accept(
    node: &Arc<Node>,
    account: AccountId,
    question: Arc<UserForgetRequest>,
) -> Result<Forgotten, Refusal> {
    let node = node.clone();
    let keys = node.keys.clone();
    let now = node.clock.now();
    let id = uuid::Uuid::new_v4();
    let seal = {
        let keys = keys.clone();
        move |slot| async move { keys.sealer(slot).map_err(key_fault) }
    };
    let accept = move |tx: &mut Tx<'_>, slot, sealer: &_| {
        let UserForgetRequest { asked, reference } = &*question;
        let forget = Forget { asked, slot, sealer, id, reference: reference.as_ref() };
        user_forget::accept(tx, &keys, account, &forget, now)
    };
    let accepting = async move {
        let forgotten = accept_under_key(node, account, seal, accept, |forgotten| forgotten.is_new).await?;
        if forgotten.is_new {
            tracing::info!(account = account.0, erasure = %forgotten.id, "an erasure was asked for");
        }
        Ok::<_, Refusal>(forgotten)
    };
    to_its_end(accepting).await
}
