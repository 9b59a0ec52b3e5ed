//! `POST /api/issues`: faults in the rows of a submission. An addition to the fixed interface.

use std::sync::Arc;

use axum::Json;
use axum::body::Bytes;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use tokio::sync::mpsc;

use super::extract::Authenticated;
use super::from_fields::{FromFields, MemberNames};
use super::json_fields::{JsonFields, whole_number};
use super::plain_answer;
use crate::feeds::issue::{IssueCode, Severity};
use crate::feeds::listing::{IssueItem, IssueWriter, ListFormat};
use crate::feeds::section::FeedPart;
use crate::ids::{AccountId, SubmissionToken};
use crate::limits;
use crate::node::Node;
use crate::store::StoreFault;
use crate::submissions::{self, issues};
use crate::transport::error_body::ErrorBody;
use crate::transport::refusal::{OfShop, Refusal};

/// A question about row issues.
#[derive(utoipa::ToSchema)]
pub struct IssuesRequest {
    /// The submission's token.
    #[schema(rename = "Token", value_type = String)]
    token: Option<SubmissionToken>,
    /// `Next` of the page before.
    #[schema(rename = "From", required = false)]
    from: u32,
    /// Only issues of one section, such as `Products`.
    #[schema(rename = "Section", value_type = String, required = false)]
    section: Option<FeedPart>,
    /// Only issues of one code; `/docs/issues` explains each.
    #[schema(rename = "Code", value_type = String, required = false)]
    code: Option<IssueCode>,
    /// Only bad rows, or only warnings.
    #[schema(rename = "Severity", value_type = Severity, required = false)]
    severity: Option<Severity>,
    /// All issues as lines, instead of a page.
    #[schema(rename = "Format", value_type = ListFormat, required = false)]
    format: Option<ListFormat>,
}

impl FromFields for IssuesRequest {
    const MEMBERS: MemberNames = MemberNames::Tolerant;

    fn from_fields(fields: &JsonFields<'_>) -> Result<Self, Refusal> {
        let token = SubmissionToken::parse(&fields.text(&["Token"])?);
        let [section, code, severity, form] =
            ["Section", "Code", "Severity", "Format"].map(|name| fields.opt_text(&[name]));
        let from = fields.find(&["From"])?.map_or(Some(0), |value| whole_number(value.get()));
        Ok(Self {
            token,
            section: word("Section", section?, FeedPart::parse, "a section such as Products")?,
            code: word("Code", code?, IssueCode::parse, "one of the codes that /docs/issues explains")?,
            severity: word("Severity", severity?, Severity::parse, "bad or warning")?,
            from: from
                .and_then(|from| u32::try_from(from).ok())
                .ok_or_else(|| Refusal::malformed("From has to be a whole number"))?,
            format: word("Format", form?, format, "ndjson or csv")?,
        })
    }
}

impl IssuesRequest {
    fn filter(&self) -> issues::IssueFilter {
        issues::IssueFilter { section: self.section, code: self.code, severity: self.severity }
    }
}

type IssuesBySecret = Authenticated<IssuesRequest>;

/// Counts of a submission's row issues, and a page of those kept one by one.
#[derive(serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "PascalCase")]
pub struct IssuesPage {
    /// `delta` or `feed`: the kind of the submission.
    kind: &'static str,
    /// Its number among the account's deltas or feeds.
    kind_number: i64,
    /// Counts of all issues, by section and code.
    counts: Vec<IssueCount>,
    /// Number of issues that are kept one by one.
    kept: i64,
    /// A page of these.
    issues: Vec<IssueItem>,
    /// `From` of the next page, if there is one.
    next: Option<i64>,
}

/// Count of an issue in a section.
#[derive(serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "PascalCase")]
pub struct IssueCount {
    /// The section.
    section: String,
    /// Stable code.
    code: String,
    /// `bad` or `warning`.
    severity: String,
    /// Number of times that it was found.
    count: i64,
    /// The first rows with it, by their numbers.
    first_rows: Vec<i64>,
    /// Advice.
    advice: Option<&'static str>,
    /// The page of the server that explains it, such as `/docs/issues/price_malformed`.
    page: Option<&'static str>,
}

/// Row issues of a submission: counts of all, by code and section, and those kept one by one: in pages, or as one list
/// of lines.
#[utoipa::path(post, path = "/api/issues", operation_id = "issues", tag = "additions", request_body = IssuesBySecret,
    responses(OfShop, (status = 200, description = "Counts and a page of issues; as a list, lines of JSON or CSV",
     content((IssuesPage = "application/json"), (String = "application/x-ndjson"), (String = "text/csv"))),
    (status = 404, description = "Unknown token", body = ErrorBody<'static>)))]
pub async fn post(
    State(node): State<Arc<Node>>,
    IssuesBySecret { account, question, .. }: IssuesBySecret,
) -> Result<Response, Refusal> {
    let found = load_issues(&node, account.id, &question).await?;
    let found = found.ok_or_else(Refusal::token_unknown)?;
    match question.format {
        None => Ok(Json(page(&node, found, &question).await?).into_response()),
        Some(format) => Ok(list(node, found, question.filter(), format)),
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

fn format(text: &str) -> Option<ListFormat> {
    match text {
        "ndjson" => Some(ListFormat::Json),
        "csv" => Some(ListFormat::Csv),
        _ => None,
    }
}

/// A submission's issues, counted.
struct SubmissionIssues {
    account: AccountId,
    seq: i64,
    kind: &'static str,
    kind_number: i64,
    counts: Vec<issues::IssueTotal>,
    kept: i64,
}

async fn load_issues(
    node: &Node,
    account: AccountId,
    asked: &IssuesRequest,
) -> Result<Option<SubmissionIssues>, StoreFault> {
    let token = asked.token;
    let filter = asked.filter();
    let found = node.store.read(move |tx| {
        let Some(token) = token else { return Ok::<_, StoreFault>(None) };
        let Some(submission) = submissions::by_token(tx, account, token)? else { return Ok(None) };
        let seq = submission.work_seq();
        let mut counts = issues::counts(tx, account, seq)?;
        counts.retain(|counted| filter.admits(counted));
        Ok(Some(SubmissionIssues {
            account,
            seq,
            kind: submission.input.kind().as_str(),
            kind_number: submission.kind_number,
            counts,
            kept: issues::count_kept(tx, account, seq)?,
        }))
    });
    found.await
}

impl SubmissionIssues {
    /// A page of the issues kept one by one.
    async fn page(
        &self,
        node: &Node,
        filter: issues::IssueFilter,
        from: i64,
        limit: usize,
    ) -> Result<Vec<issues::IssueRecord>, StoreFault> {
        let account = self.account;
        let seq = self.seq;
        node.store.read(move |tx| issues::list(tx, account, seq, filter, from, limit)).await
    }
}

async fn page(node: &Node, found: SubmissionIssues, asked: &IssuesRequest) -> Result<IssuesPage, StoreFault> {
    let page = found.page(node, asked.filter(), asked.from.into(), limits::PAGE_ITEMS).await?;
    let last = page.last().filter(|_| page.len() == limits::PAGE_ITEMS);
    let next = last.map(|issue| issue.n + 1);
    let issues = page.iter().map(|issue| issue.line().to_item()).collect();
    Ok(IssuesPage {
        kind: found.kind,
        kind_number: found.kind_number,
        counts: found.counts.into_iter().map(into_issue_count).collect(),
        kept: found.kept,
        issues,
        next,
    })
}

fn into_issue_count(count: issues::IssueTotal) -> IssueCount {
    let code = IssueCode::parse(&count.code);
    IssueCount {
        section: count.section,
        code: count.code,
        severity: count.severity,
        count: count.found,
        first_rows: count.first_rows,
        advice: code.map(IssueCode::advice),
        page: code.map(IssueCode::page),
    }
}

/// All issues kept one by one as they are read from the store, and the rest of each count.
fn list(
    node: Arc<Node>,
    found: SubmissionIssues,
    filter: issues::IssueFilter,
    format: ListFormat,
) -> Response {
    let (sender, pieces) = mpsc::channel(1);
    tokio::spawn(async move {
        if let Err(fault) = send(&node, &found, filter, format, &sender).await {
            tracing::warn!(%fault, "a list of row issues broke off");
            // The connection breaks off too, so that no client takes a part for the whole.
            let _ = sender.send(Err(fault)).await;
        }
    });
    let media_type = match format {
        ListFormat::Json => "application/x-ndjson",
        ListFormat::Csv => "text/csv; charset=utf-8",
    };
    plain_answer::lines(pieces, media_type)
}

/// Reads a few issues, sends them, and reads on when they have been taken.
async fn send(
    node: &Node,
    found: &SubmissionIssues,
    filter: issues::IssueFilter,
    format: ListFormat,
    sender: &mpsc::Sender<Result<Bytes, StoreFault>>,
) -> Result<(), StoreFault> {
    let mut listing = IssueWriter::new(Vec::new(), format);
    let mut from = 0;
    loop {
        let page = found.page(node, filter, from, limits::UNIT_ROWS).await?;
        for issue in &page {
            // Memory takes every line.
            let _ = listing.line(&issue.line());
        }
        let Some(last) = page.last() else { break };
        from = last.n + 1;
        let lines = std::mem::take(listing.output_mut());
        if sender.send(Ok(lines.into())).await.is_err() {
            // The client has left.
            return Ok(());
        }
    }
    let _ = listing.end(found.counts.iter().map(issues::IssueTotal::line));
    let _ = sender.send(Ok(std::mem::take(listing.output_mut()).into())).await;
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::api::testing::{assert_none_twice, assert_refused, read};

    #[test]
    fn a_question_about_issues_is_read_as_it_was_sent() {
        let token = "6f9619ff-8b86-4011-b42d-00c04fc964ff";
        let asked = json!({"Token": token, "From": 4_294_967_295_u32, "Section": "Users", "Code": "title_missing",
            "Severity": "warning", "Format": "csv"});
        let asked = read::<IssuesRequest>(&asked).expect("a question");
        assert_eq!(asked.token.map(|token| token.to_string()).as_deref(), Some(token));
        assert_eq!((asked.from, asked.section), (u32::MAX, Some(FeedPart::Users)));
        assert_eq!(asked.code.map(IssueCode::as_str), Some("title_missing"));
        assert_eq!(asked.severity.map(Severity::as_str), Some("warning"));
        assert!(matches!(asked.format, Some(ListFormat::Csv)));
        let lines = read::<IssuesRequest>(&json!({"Token": "x", "Format": "ndjson"})).expect("a question");
        assert!(matches!(lines.format, Some(ListFormat::Json)));
        assert!(lines.token.is_none() && lines.section.is_none() && lines.code.is_none());
        assert_eq!((lines.from, lines.severity.map(Severity::as_str)), (0, None));
    }

    #[test]
    fn a_member_that_is_none_of_its_words_is_refused_with_them() {
        for (member, value, sentence) in [
            ("Token", json!(7), "Token has to be a string"),
            ("Section", json!("products"), "Section has to be a section such as Products"),
            ("Section", json!(""), "Section has to be a section such as Products"),
            ("Code", json!("x"), "Code has to be one of the codes that /docs/issues explains"),
            ("Severity", json!("good"), "Severity has to be bad or warning"),
            ("Format", json!("json"), "Format has to be ndjson or csv"),
            ("From", json!(-1), "From has to be a whole number"),
            ("From", json!(1.5), "From has to be a whole number"),
            ("From", json!("7"), "From has to be a whole number"),
            ("From", json!(4_294_967_296_u64), "From has to be a whole number"),
            ("From", json!(7.0), ""),
        ] {
            let mut asked = json!({"Token": "x"});
            asked[member] = value;
            assert_refused::<IssuesRequest>(&asked, sentence);
        }
        assert_refused::<IssuesRequest>(&json!({}), "Token is missing");
        let members = ["Token", "From", "Section", "Code", "Severity", "Format"];
        assert_none_twice::<IssuesRequest>(&json!({"Token": "x"}), &members);
    }
}
