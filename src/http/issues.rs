//! `POST /api/issues`: what was wrong with the rows of a submission. An addition beside the fixed interface.

use std::sync::Arc;

use axum::Json;
use axum::body::Body;
use axum::extract::State;
use axum::http::Request;
use serde_json::{Value, json};

use super::body::{Fields, read_json};
use super::refusal::{ErrorBody, Refusal};
use super::{credentials, peer_of};
use crate::feeds::issue::IssueCode;
use crate::ids::Token;
use crate::limits;
use crate::node::Node;
use crate::store::StoreFault;
use crate::submissions::{self, issues};

/// Row issues of a submission: all of them counted, the first thousand one by one, in pages.
#[utoipa::path(post, path = "/api/issues", tag = "additions", responses(
    (status = 200, description = "Counts and a page of issues"),
    (status = 400, description = "Malformed, missing or ambiguous", body = ErrorBody<'static>),
    (status = 403, description = "Wrong credentials", body = ErrorBody<'static>),
    (status = 404, description = "Unknown token", body = ErrorBody<'static>)))]
pub async fn post(State(node): State<Arc<Node>>, request: Request<Body>) -> Result<Json<Value>, Refusal> {
    let peer = peer_of(&request);
    let body = read_json(request, limits::REQUEST_BODY_BYTES).await?;
    let fields = Fields::parse(&body)?;
    let token = Token::parse(&fields.text(&["Token"])?);
    let from = fields.find(&["From"])?;
    let account = credentials::by_secret(&node, peer, &fields).await?;
    let from = from.map_or(Ok(0_u32), |value| serde_json::from_str(value.get()));
    let from = from.map_err(|_| Refusal::malformed("From has to be a whole number"))?;
    let found = node
        .store
        .read(move |tx| {
            let Some(token) = token else { return Ok::<_, StoreFault>(None) };
            let Some(submission) = submissions::by_token(tx, account.id, token)? else { return Ok(None) };
            let (seq, page) = (submission.work_seq(), limits::PAGE_ITEMS as i64);
            let counts = issues::counts(tx, account.id, seq)?;
            Ok(Some((counts, issues::list(tx, account.id, seq, i64::from(from), page)?)))
        })
        .await?;
    let (counts, page) = found.ok_or_else(|| Refusal::unknown(super::tokens::UNKNOWN))?;
    let next = (page.len() == limits::PAGE_ITEMS).then_some(from as usize + page.len());
    Ok(Json(json!({
        "Counts": counts.iter().map(counted).collect::<Vec<_>>(),
        "Issues": page.iter().map(shown).collect::<Vec<_>>(),
        "Next": next,
    })))
}

fn advice(code: &str) -> Option<&'static str> {
    IssueCode::parse(code).map(IssueCode::advice)
}

fn counted(count: &issues::Counted) -> Value {
    json!({"Section": count.section, "Code": count.code, "Severity": count.severity, "Count": count.found,
           "Advice": advice(&count.code)})
}

fn shown(issue: &issues::Shown) -> Value {
    json!({"Section": issue.section, "Row": issue.row, "Offset": issue.offset, "Code": issue.code,
           "Severity": issue.severity, "Field": issue.field, "Advice": advice(&issue.code)})
}
