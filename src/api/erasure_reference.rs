//! `POST /api/erasure/reference`: the shop's own references of an erasure. An addition to the fixed interface.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;

use super::erasures;
use super::extract::Authenticated;
use super::from_fields::{FromFields, MemberNames};
use super::json_fields::JsonFields;
use crate::accept::erasure_reference::{self, CaseReference};
use crate::node::Node;
use crate::transport::error_body::ErrorBody;
use crate::transport::refusal::{OfShop, Refusal};

/// The references of an erasure.
#[derive(utoipa::ToSchema)]
pub struct ErasureReferenceRequest {
    /// The id of the erasure.
    #[schema(rename = "Erasure", value_type = String, example = "6f1c1f0e-4f7e-4c0e-9d5b-1d5f0c9f7e55")]
    id: uuid::Uuid,
    /// A reference of up to 64 letters, digits, blanks and `-_/.#`, or up to five with commas between them. They take
    /// the place of those before; without one there is none.
    #[schema(rename = "Reference", value_type = String, required = false, example = "DSR-2026-114")]
    references: Vec<CaseReference>,
}

impl FromFields for ErasureReferenceRequest {
    // A misspelt `Reference` would clear what is there.
    const MEMBERS: MemberNames = MemberNames::Hints(&[&["Erasure", "Reference"]]);

    fn from_fields(fields: &JsonFields<'_>) -> Result<Self, Refusal> {
        let erasures::ErasureRequest { id } = erasures::ErasureRequest::from_fields(fields)?;
        let text = fields.opt_text(&["Reference"])?.unwrap_or_default();
        let references = CaseReference::parse_list(&text)
            .map_err(|refusal| Refusal::malformed(format!("Reference: {refusal}")))?;
        Ok(Self { id, references })
    }
}

type ErasureReferenceBySecret = Authenticated<ErasureReferenceRequest>;

/// The references that an erasure has now.
#[derive(serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "PascalCase")]
pub struct ErasureReferences {
    /// The id of the erasure.
    erasure: String,
    /// Its references, with commas between them; null without one.
    reference: Option<String>,
}

/// Sets the shop's own references of an erasure, or clears them. They stand in no ledger, certificate or log.
#[utoipa::path(post, path = "/api/erasure/reference", operation_id = "erasure_reference", tag = "people",
    request_body = ErasureReferenceBySecret, responses(OfShop,
    (status = 200, description = "The references that it has now", body = ErasureReferences),
    (status = 404, description = "No erasure of this id", body = ErrorBody<'static>)))]
pub async fn post(
    State(node): State<Arc<Node>>,
    ErasureReferenceBySecret { account, question, .. }: ErasureReferenceBySecret,
) -> Result<Json<ErasureReferences>, Refusal> {
    let account = account.id;
    let ErasureReferenceRequest { id, references } = question;
    let reference = CaseReference::join(&references);
    let setting =
        node.store.write(account, move |tx| erasure_reference::accept(tx, account, id, &references));
    if !setting.await? {
        return Err(Refusal::unknown(erasures::UNKNOWN));
    }
    Ok(Json(ErasureReferences { erasure: id.to_string(), reference }))
}
