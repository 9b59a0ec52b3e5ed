//! `POST /api/erasures`, `/api/erasure` and `/api/erasure/certificate`: the state of requests to forget, and the
//! evidence. Additions to the fixed interface.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse, Response};

use super::extract::{Authenticated, Credentials};
use super::from_fields::{FromFields, MemberNames};
use super::json_fields::{JsonFields, RequestFields};
use super::openapi::schemas::CertificateAnswer;
use super::read_permits::turn_to_look;
use super::{account_about, plain_answer};
use crate::evidence::documents::{self, PaperFault};
use crate::evidence::erasures::{ErasureBacklog, ErasureFilter, ReferenceSearch};
use crate::evidence::{EvidenceFault, erasures};
use crate::i18n::UiLanguage;
use crate::node::Node;
use crate::transport::error_body::ErrorBody;
use crate::transport::refusal::{ErrorCode, OfShop, Refusal};

/// Says that there is no such erasure.
pub(super) const UNKNOWN: &str = "There is no erasure of this id; `lethe erasure list` shows them";

/// A question about the account's erasures.
#[derive(utoipa::ToSchema)]
pub struct ErasuresRequest {
    /// The `Number` that ended the page before.
    #[schema(rename = "Before", required = false)]
    before: i64,
    /// `open`, `overdue`, or a state; all erasures without one.
    #[schema(rename = "State", value_type = String, required = false, pattern = "^(open|overdue|accepted|fenced|shredded|deleted|unlearned|settled|verified|lost)?$", example = "overdue")]
    which: ErasureFilter,
    /// Only erasures whose `Reference` holds this text.
    #[schema(rename = "Reference", value_type = String, required = false, example = "DSR-2026")]
    reference: Option<String>,
}

impl FromFields for ErasuresRequest {
    const MEMBERS: MemberNames = MemberNames::Tolerant;

    fn from_fields(fields: &JsonFields<'_>) -> Result<Self, Refusal> {
        let before = fields.opt_number(&["Before"])?.unwrap_or(i64::MAX);
        let which = ErasureFilter::from_name(fields.opt_text(&["State"])?.as_deref().unwrap_or_default());
        let which = which.ok_or_else(|| {
            Refusal::malformed(
                "State has to be open, overdue, accepted, fenced, shredded, deleted, unlearned, settled, verified or lost",
            )
        })?;
        let reference = fields.opt_text(&["Reference"])?.filter(|text| !text.trim().is_empty());
        Ok(Self { before, which, reference })
    }
}

type ErasuresBySecret = Authenticated<ErasuresRequest>;

/// A question about one erasure.
#[derive(utoipa::ToSchema)]
pub struct ErasureRequest {
    /// Its id: the header X-Erasure-Id of the request to forget.
    #[schema(rename = "Erasure", value_type = String, example = "6f1c1f0e-4f7e-4c0e-9d5b-1d5f0c9f7e55")]
    pub(super) id: uuid::Uuid,
}

impl FromFields for ErasureRequest {
    const MEMBERS: MemberNames = MemberNames::Tolerant;

    /// A malformed id gets the same answer as an unknown one.
    fn from_fields(fields: &JsonFields<'_>) -> Result<Self, Refusal> {
        let id = fields.text(&["Erasure"])?;
        let id = uuid::Uuid::try_parse(id.trim()).map_err(|_| Refusal::unknown(UNKNOWN))?;
        Ok(Self { id })
    }
}

type ErasureBySecret = Authenticated<ErasureRequest>;

/// The account's erasures, newest first; `Before` a `Number` goes on.
#[utoipa::path(post, path = "/api/erasures", operation_id = "erasures", tag = "people", request_body = ErasuresBySecret,
    responses(OfShop, (status = 200, description = "How far each is, by when it is due, what it waits for",
     body = Vec<erasures::ListedErasure>)))]
pub async fn list(
    State(node): State<Arc<Node>>,
    ErasuresBySecret { account, question, .. }: ErasuresBySecret,
) -> Result<Json<Vec<erasures::ListedErasure>>, Refusal> {
    let now = node.clock.now();
    let ErasuresRequest { before, which, reference } = question;
    // All of the account are looked through for a few.
    let is_search = reference.is_some() || which.may_be_few();
    let _turn = if is_search { Some(turn_to_look(&node.resources.looks, account.id).await?) } else { None };
    let listed = node.store.read(move |tx| match &reference {
        Some(text) => {
            let search = ReferenceSearch { text, which, before };
            erasures::find_by_reference(tx, account.id, search, now)
        }
        None => erasures::list(tx, account.id, which, before, now),
    });
    let listed = listed.await;
    Ok(Json(listed?))
}

/// Counts of an account's erasures that are not verified.
#[derive(serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "PascalCase")]
pub struct ErasureCounts {
    /// Number of erasures that go on.
    open: i64,
    /// Number past their date.
    overdue: i64,
    /// Number whose last try failed.
    failing: i64,
    /// Time when the oldest open one was requested, in milliseconds since 1970.
    oldest_at: Option<i64>,
}

type ErasureCountBySecret = Authenticated<Credentials>;

/// Counts the account's erasures that go on, are overdue, or fail.
#[utoipa::path(post, path = "/api/erasures/count", operation_id = "erasures_count", tag = "people",
    request_body = ErasureCountBySecret,
    responses(OfShop, (status = 200, description = "Those that are not verified, counted", body = ErasureCounts)))]
pub async fn count(
    State(node): State<Arc<Node>>,
    ErasureCountBySecret { account, .. }: ErasureCountBySecret,
) -> Result<Json<ErasureCounts>, Refusal> {
    let now = node.clock.now();
    let waiting = node.store.read(move |tx| erasures::waiting_of(tx, account.id, now)).await?;
    let ErasureBacklog { open, overdue, failing, oldest_at } = waiting;
    Ok(Json(ErasureCounts { open, overdue, failing, oldest_at }))
}

/// One erasure: its steps, and the number of removed things from each place.
#[utoipa::path(post, path = "/api/erasure", operation_id = "erasure", tag = "people", request_body = ErasureBySecret,
    responses(OfShop,
    (status = 200, description = "Steps with their times, places with their counts", body = erasures::Detailed),
    (status = 404, description = "No erasure of this id", body = ErrorBody<'static>)))]
pub async fn show(
    State(node): State<Arc<Node>>,
    ErasureBySecret { account, question, .. }: ErasureBySecret,
) -> Result<Json<erasures::Detailed>, Refusal> {
    let now = node.clock.now();
    let shown = node.store.read(move |tx| erasures::get(tx, account.id, question.id, now)).await?;
    shown.map(Json).ok_or_else(|| Refusal::unknown(UNKNOWN))
}

/// A request for a certificate.
#[derive(utoipa::ToSchema)]
#[schema(as = CertificateRequest)]
pub struct CertificateRequest {
    /// The id of the erasure.
    #[schema(rename = "Erasure", value_type = String, example = "6f1c1f0e-4f7e-4c0e-9d5b-1d5f0c9f7e55")]
    id: uuid::Uuid,
    /// Language of the page: `en`, `de` or `fr`. By default that of the shop.
    #[schema(rename = "Language", value_type = String, required = false, example = "de")]
    language: Option<String>,
}

impl FromFields for CertificateRequest {
    const MEMBERS: MemberNames = MemberNames::Tolerant;

    fn from_fields(fields: &JsonFields<'_>) -> Result<Self, Refusal> {
        let ErasureRequest { id } = ErasureRequest::from_fields(fields)?;
        let language = fields.opt_text(&["Language"])?.filter(|code| !code.is_empty());
        Ok(Self { id, language })
    }
}

type CertificateBySecret = Authenticated<CertificateRequest>;

/// The signed certificate of a verified erasure, with its proof in the ledger; `lethe-verify` checks it offline. With
/// `Accept: text/html` a page to print, in the language of the shop or in `Language`.
#[utoipa::path(post, path = "/api/erasure/certificate", operation_id = "erasure_certificate", tag = "people",
    request_body = CertificateBySecret, responses(OfShop,
    (status = 200, description = "The certificate, byte for byte as it is checked; or a page of it",
     content((CertificateAnswer = "application/json"), (String = "text/html")),
     headers(("X-Language-Note" = String, description = "Says that there are no texts in the language asked for"))),
    (status = 404, description = "No erasure of this id", body = ErrorBody<'static>),
    (status = 409, description = "It is not verified yet", body = ErrorBody<'static>)))]
pub async fn certificate(
    State(node): State<Arc<Node>>,
    headers: HeaderMap,
    asked: CertificateBySecret,
) -> Result<Response, Refusal> {
    let account = asked.account.id;
    let id = asked.question.id;
    let keys = node.keys.clone();
    let now = node.clock.now();
    let found = node.store.read(move |tx| {
        let certificate = erasures::certificate(tx, &keys, account, id, now)?;
        Ok::<_, EvidenceFault>((certificate, erasures::get(tx, account, id, now)?.is_some()))
    });
    match found.await? {
        (Some(certificate), _) if plain_answer::wants_page(&headers) => {
            page(&node, &asked, &certificate).await
        }
        (Some(certificate), _) => {
            let told = [(header::CONTENT_TYPE, "application/json"), (header::VARY, "accept")];
            Ok((told, certificate).into_response())
        }
        (None, true) => Err(Refusal::new(
            ErrorCode::StillErasing,
            "The erasure is not verified yet; `lethe erasure show` tells how far it is",
        )),
        (None, false) => Err(Refusal::unknown(UNKNOWN)),
    }
}

/// A certificate as a page, which a browser shows and nothing else.
async fn page(node: &Node, asked: &CertificateBySecret, certificate: &str) -> Result<Response, Refusal> {
    let about = account_about::load_about(node, &asked.account).await?;
    let (language, note) = match &asked.question.language {
        Some(code) => UiLanguage::or_english(code),
        None => (about.language, None),
    };
    let shop = account_about::on_paper(node, &asked.account, &about);
    let page = documents::certificate_page(certificate, &shop, language).map_err(|fault| match fault {
        PaperFault::Certificate(fault) => Refusal::from(EvidenceFault::Ledger(fault.into())),
        PaperFault::Drawing(_) => Refusal::fault(),
    })?;
    let mut response = plain_answer::page(page, language.code());
    if let Some(note) = note.and_then(|note| HeaderValue::from_str(&note).ok()) {
        response.headers_mut().insert("x-language-note", note);
    }
    Ok(response)
}
