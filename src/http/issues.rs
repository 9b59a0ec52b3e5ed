//! `POST /api/issues`: what was wrong with the rows of a submission. An addition beside the fixed interface.

use std::sync::Arc;

use axum::Json;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::Request;
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::body::{Fields, read_json};
use super::refusal::{ErrorBody, Refusal};
use super::{answer, credentials, peer_of};
use crate::feeds::issue::{IssueCode, Severity};
use crate::feeds::listing::{Format, Listing};
use crate::feeds::section::Part;
use crate::ids::{AccountId, Token};
use crate::limits;
use crate::node::Node;
use crate::store::StoreFault;
use crate::submissions::{self, issues};

/// Row issues of a submission: all of them counted, by code and section, and those kept one by one: in pages, or as one
/// list of lines.
#[utoipa::path(post, path = "/api/issues", tag = "additions", responses(
    (status = 200, description = "Counts and a page of issues; as a list, lines of JSON or CSV"),
    (status = 400, description = "Malformed, missing or ambiguous", body = ErrorBody<'static>),
    (status = 403, description = "Wrong credentials", body = ErrorBody<'static>),
    (status = 404, description = "Unknown token", body = ErrorBody<'static>)))]
pub async fn post(State(node): State<Arc<Node>>, request: Request<Body>) -> Result<Response, Refusal> {
    let peer = peer_of(&request);
    let body = read_json(request, limits::REQUEST_BODY_BYTES).await?;
    let fields = Fields::parse(&body)?;
    let asked = Asked::read(&fields)?;
    let account = credentials::by_secret(&node, peer, &fields).await?;
    let asked = asked()?;
    let found = found(&node, account.id, &asked).await?;
    let found = found.ok_or_else(|| Refusal::unknown(super::tokens::UNKNOWN))?;
    match asked.format {
        None => Ok(Json(page(&node, found, &asked).await?).into_response()),
        Some(format) => Ok(list(node, found, asked.filter, format)),
    }
}

/// What a request asks for.
struct Asked {
    token: Option<Token>,
    from: u32,
    filter: issues::Filter,
    format: Option<Format>,
}

impl Asked {
    /// Reads what was sent. What it means is told by the second step, and only to who has the keys.
    fn read(fields: &Fields<'_>) -> Result<impl FnOnce() -> Result<Self, Refusal>, Refusal> {
        let token = fields.text(&["Token"])?;
        let from = fields.find(&["From"])?.map(|value| serde_json::from_str(value.get()));
        let [section, code, severity, form] =
            ["Section", "Code", "Severity", "Format"].map(|name| fields.opt_text(&[name]));
        let (section, code, severity, form) = (section?, code?, severity?, form?);
        Ok(move || {
            let filter = issues::Filter {
                section: word("Section", section, Part::parse, "a section such as Products")?,
                code: word("Code", code, IssueCode::parse, "one of the codes in docs/issues.md")?,
                severity: word("Severity", severity, Severity::parse, "bad or warning")?,
            };
            Ok(Self {
                token: Token::parse(&token),
                from: from
                    .unwrap_or(Ok(0))
                    .map_err(|_| Refusal::malformed("From has to be a whole number"))?,
                filter,
                format: word("Format", form, format, "ndjson or csv")?,
            })
        })
    }
}

/// A member that is one of a few words, if it is there.
fn word<T>(
    name: &str,
    text: Option<String>,
    parse: impl Fn(&str) -> Option<T>,
    allowed: &str,
) -> Result<Option<T>, Refusal> {
    let Some(text) = text else { return Ok(None) };
    let word = parse(&text).ok_or_else(|| Refusal::malformed(format!("{name} has to be {allowed}")))?;
    Ok(Some(word))
}

fn format(text: &str) -> Option<Format> {
    match text {
        "ndjson" => Some(Format::Json),
        "csv" => Some(Format::Csv),
        _ => None,
    }
}

/// A submission's issues, counted.
struct Found {
    account: AccountId,
    seq: i64,
    counts: Vec<issues::Counted>,
    kept: i64,
}

async fn found(node: &Node, account: AccountId, asked: &Asked) -> Result<Option<Found>, StoreFault> {
    let (token, filter) = (asked.token, asked.filter);
    let found = node.store.read(move |tx| {
        let Some(token) = token else { return Ok::<_, StoreFault>(None) };
        let Some(submission) = submissions::by_token(tx, account, token)? else { return Ok(None) };
        let seq = submission.work_seq();
        let mut counts = issues::counts(tx, account, seq)?;
        counts.retain(|counted| filter.admits(counted));
        Ok(Some(Found { account, seq, counts, kept: issues::kept(tx, account, seq)? }))
    });
    found.await
}

impl Found {
    /// A page of the issues kept one by one.
    async fn page(
        &self,
        node: &Node,
        filter: issues::Filter,
        from: i64,
        limit: usize,
    ) -> Result<Vec<issues::Shown>, StoreFault> {
        let (account, seq) = (self.account, self.seq);
        node.store.read(move |tx| issues::list(tx, account, seq, filter, from, limit)).await
    }
}

async fn page(node: &Node, found: Found, asked: &Asked) -> Result<Value, StoreFault> {
    let page = found.page(node, asked.filter, asked.from.into(), limits::PAGE_ITEMS).await?;
    let last = page.last().filter(|_| page.len() == limits::PAGE_ITEMS);
    Ok(json!({
        "Counts": found.counts.iter().map(counted).collect::<Vec<_>>(),
        "Kept": found.kept,
        "Issues": page.iter().map(|issue| issue.line().json()).collect::<Vec<_>>(),
        "Next": last.map(|issue| issue.n + 1),
    }))
}

fn counted(count: &issues::Counted) -> Value {
    let code = IssueCode::parse(&count.code);
    json!({"Section": count.section, "Code": count.code, "Severity": count.severity, "Count": count.found,
           "FirstRows": count.first_rows, "Advice": code.map(IssueCode::advice), "Page": code.map(IssueCode::page)})
}

/// All issues kept one by one as they are read from the store, and the rest of each count.
fn list(node: Arc<Node>, found: Found, filter: issues::Filter, format: Format) -> Response {
    let (sender, pieces) = mpsc::channel(1);
    tokio::spawn(async move {
        if let Err(fault) = send(&node, &found, filter, format, &sender).await {
            tracing::warn!(%fault, "a list of row issues broke off");
            // The connection breaks off too, so that nobody takes a part for the whole.
            let _ = sender.send(Err(fault)).await;
        }
    });
    let media_type = match format {
        Format::Json => "application/x-ndjson",
        Format::Csv => "text/csv; charset=utf-8",
    };
    answer::lines(pieces, media_type)
}

/// Reads a few issues, sends them, and reads on when they have been taken.
async fn send(
    node: &Node,
    found: &Found,
    filter: issues::Filter,
    format: Format,
    sender: &mpsc::Sender<Result<Bytes, StoreFault>>,
) -> Result<(), StoreFault> {
    let mut listing = Listing::new(Vec::new(), format);
    let mut from = 0;
    loop {
        let page = found.page(node, filter, from, limits::UNIT_ROWS).await?;
        for issue in &page {
            // Memory takes every line.
            let _ = listing.line(&issue.line());
        }
        let Some(last) = page.last() else { break };
        from = last.n + 1;
        let lines = std::mem::take(listing.out());
        if sender.send(Ok(lines.into())).await.is_err() {
            // Nobody reads on.
            return Ok(());
        }
    }
    let _ = listing.end(found.counts.iter().map(issues::Counted::line));
    let _ = sender.send(Ok(std::mem::take(listing.out()).into())).await;
    Ok(())
}
