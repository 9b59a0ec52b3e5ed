//! `POST /api/report`: what shoppers saw, viewed, searched, clicked and bought, without the shoppers. For the shop's
//! server.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use jiff::civil::Date;

use super::extract::Authenticated;
use super::from_fields::{FromFields, MemberNames};
use super::json_fields::JsonFields;
use super::read_permits::turn_to_look;
use super::report_counting::count_facts;
use super::search;
use crate::clock::{Day, day_name, day_of};
use crate::limits;
use crate::node::Node;
use crate::reports::{ReportKind, ReportRow, ReportRows};
use crate::transport::refusal::{OfShop, Refusal};

/// Days of a report that names none.
const DAYS: Day = 28;

/// A request for a report.
#[derive(utoipa::ToSchema)]
pub struct ReportRequest {
    /// `zones`, `search`, `missed` (searches without a result), `products` (views of products and their variants),
    /// `quality`, or `days` (the measures of `quality` for each day).
    #[schema(rename = "Report", value_type = String, example = "zones")]
    kind: ReportKind,
    /// The first day, in UTC; by default 27 days before the last.
    #[schema(rename = "From", required = false, value_type = String, example = "2026-11-01")]
    first: Option<Day>,
    /// The last day; by default today.
    #[schema(rename = "Until", required = false, value_type = String, example = "2026-11-28")]
    last: Option<Day>,
    /// Number of rows that are shown; all others are one sum. The report `missed` has no sum, and `days` all rows.
    #[schema(rename = "Size", required = false, minimum = 1, maximum = 10_000)]
    size: usize,
    /// `json`, or `csv` for the rows alone.
    #[schema(rename = "Format", required = false, value_type = String)]
    is_table: bool,
    /// Further reports from the same count: `before` (the same report of as many days before), `days` and `missed`.
    #[schema(rename = "With", required = false, value_type = Vec<String>, example = json!(["before"]))]
    further: FurtherReports,
}

/// Reports that are built from the same count as the requested one.
#[derive(Clone, Copy, Default)]
struct FurtherReports {
    before: bool,
    days: bool,
    missed: bool,
}

impl FurtherReports {
    fn parse(names: &[String]) -> Result<Self, Refusal> {
        let mut further = Self::default();
        for name in names {
            match name.as_str() {
                "before" => further.before = true,
                "days" => further.days = true,
                "missed" => further.missed = true,
                _ => return Err(Refusal::malformed("With has to be a list of before, days and missed")),
            }
        }
        Ok(further)
    }
}

impl FromFields for ReportRequest {
    const MEMBERS: MemberNames =
        MemberNames::Hints(&[&["Report", "From", "Until", "Size", "Format", "With"]]);

    fn from_fields(fields: &JsonFields<'_>) -> Result<Self, Refusal> {
        let kind = match &*fields.text(&["Report"])? {
            "zones" => ReportKind::Zones,
            "search" => ReportKind::Search,
            "missed" => ReportKind::Missed,
            "products" => ReportKind::Products,
            "quality" => ReportKind::Quality,
            "days" => ReportKind::Days,
            _ => {
                let kinds = "zones, search, missed, products, quality or days";
                return Err(Refusal::malformed(format!("Report has to be {kinds}")));
            }
        };
        let is_table = match fields.opt_text(&["Format"])?.as_deref() {
            None | Some("" | "json") => false,
            Some("csv") => true,
            Some(_) => return Err(Refusal::malformed("Format has to be json or csv")),
        };
        let size = search::number(fields, "Size", 1000, 1..=limits::REPORT_ROWS)?;
        let further = FurtherReports::parse(&fields.opt_texts("With")?.unwrap_or_default())?;
        Ok(Self { kind, first: day(fields, "From")?, last: day(fields, "Until")?, size, is_table, further })
    }
}

fn day(fields: &JsonFields<'_>, name: &str) -> Result<Option<Day>, Refusal> {
    let Some(text) = fields.opt_text(&[name])?.filter(|text| !text.is_empty()) else { return Ok(None) };
    let malformed = || Refusal::malformed(format!("{name} has to be a day, such as 2026-11-28"));
    let date: Date = text.parse().map_err(|_| malformed())?;
    let since = date.since(Date::constant(1970, 1, 1)).map_err(|_| malformed())?;
    Ok(Some(since.get_days().into()))
}

/// A report, of whole days in UTC.
#[derive(serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "PascalCase")]
#[schema(as = ReportAnswer)]
pub struct ReportAnswer {
    /// The first day.
    #[schema(example = "2026-11-01")]
    from: String,
    /// The last day.
    #[schema(example = "2026-11-28")]
    until: String,
    #[serde(flatten)]
    arranged: ReportRows,
    /// The same report of as many days before, if `With` asks for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = ReportRows)]
    before: Option<ReportRows>,
    /// Rows of the report `days`, if `With` asks for them.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = Vec<ReportRow>)]
    days: Option<Vec<ReportRow>>,
    /// Rows of the report `missed`, if `With` asks for them.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = Vec<ReportRow>)]
    missed: Option<Vec<ReportRow>>,
}

type ReportBySecret = Authenticated<ReportRequest>;

/// Reports on zones and their results, on searches, on both in a few figures, or on products and their variants.
#[utoipa::path(post, path = "/api/report", operation_id = "report", tag = "additions", request_body = ReportBySecret,
    responses(OfShop, (status = 200, description = "Rows of sums, each of what five people or more did",
     content((ReportAnswer = "application/json"), (String = "text/csv")))))]
pub async fn post(
    State(node): State<Arc<Node>>,
    ReportBySecret { account, question, .. }: ReportBySecret,
) -> Result<Response, Refusal> {
    let ReportRequest { kind, first, last, size, is_table, further } = question;
    let last = last.unwrap_or_else(|| day_of(node.clock.now()));
    let first = first.unwrap_or(last - DAYS + 1);
    // Of a comparison both halves are read.
    let most = if further.before { limits::REPORT_DAYS / 2 } else { limits::REPORT_DAYS };
    if first > last || last - first >= most {
        return Err(Refusal::malformed(format!("From comes before Until, by up to {most} days")));
    }
    if is_table && (further.before || further.days || further.missed) {
        return Err(Refusal::malformed("With adds nothing to a table: leave it out, or Format"));
    }
    let days = first..last + 1;
    let first_read = if further.before { first - (last + 1 - first) } else { first };
    // No shopper waits for it, and it reads everything that was stored in these days.
    let turn = turn_to_look(&node.resources.reports, account.id).await?;
    let left = || node.derived.count_departures(account.id);
    let counts_views = kind == ReportKind::Products;
    let count = || count_facts(&node, account.id, &days, first_read, counts_views);
    let counting = while_nobody_leaves(left, count);
    let tallies = within(limits::REPORT_DURATION, counting).await?;
    let arranged = tallies.build_report(kind, size);
    if is_table {
        let table = arranged.csv(kind).map_err(|_| Refusal::fault())?;
        return Ok(([(header::CONTENT_TYPE, "text/csv; charset=utf-8")], Body::from(table)).into_response());
    }
    let rows_of = |kind| tallies.build_report(kind, size).rows;
    let answer = ReportAnswer {
        from: day_name(first),
        until: day_name(last),
        arranged,
        before: further.before.then(|| tallies.build_report_before(kind, size)),
        days: further.days.then(|| rows_of(ReportKind::Days)),
        missed: further.missed.then(|| rows_of(ReportKind::Missed)),
    };
    // Until here: the counts take memory.
    drop(turn);
    Ok(axum::Json(answer).into_response())
}

/// Counts, for so long.
async fn within<T>(
    longest: Duration,
    counting: impl Future<Output = Result<T, Refusal>>,
) -> Result<T, Refusal> {
    tokio::time::timeout(longest, counting).await.unwrap_or_else(|_| Err(Refusal::report_takes_long()))
}

/// Counts again if a person left meanwhile: they may have been read before. `left` is the number of such departures.
async fn while_nobody_leaves<T, C>(left: impl Fn() -> u64, mut count: impl FnMut() -> C) -> Result<T, Refusal>
where
    C: Future<Output = Result<T, Refusal>>,
{
    const TRIES: usize = 3;
    for _ in 0..TRIES {
        let before = left();
        let counted = count().await?;
        if left() == before {
            return Ok(counted);
        }
    }
    Err(Refusal::busy())
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::future::{pending, ready};

    use serde_json::json;

    use super::*;
    use crate::api::testing::{assert_none_twice, assert_refused, member_names, read};

    /// Counts while a person leaves in each of the first counts; returns the number of counts and the result.
    async fn counts(leaving: u64) -> (u64, Result<u64, Refusal>) {
        let left = Cell::new(0);
        let count = Cell::new(0);
        let counted = while_nobody_leaves(
            || left.get(),
            || {
                left.set(left.get() + u64::from(count.get() < leaving));
                count.set(count.get() + 1);
                ready(Ok(count.get()))
            },
        );
        let counted = counted.await;
        (count.get(), counted)
    }

    #[tokio::test]
    async fn a_report_is_counted_anew_when_somebody_leaves_meanwhile() {
        for leaving in 0..3 {
            let (count, counted) = counts(leaving).await;
            assert_eq!((count, counted.ok()), (leaving + 1, Some(leaving + 1)));
        }
        let (count, refused) = counts(3).await;
        assert!(count == 3 && refused.is_err_and(|refusal| refusal.is_of_the_server()));
    }

    #[test]
    fn a_report_that_names_its_kind_alone_has_a_thousand_rows_of_the_last_days() {
        let fields = JsonFields::parse(br#"{"Report": "search"}"#).expect("JSON");
        let asked = ReportRequest::from_fields(&fields).expect("a report");
        assert_eq!((asked.kind, asked.first, asked.last), (ReportKind::Search, None, None));
        assert_eq!((asked.size, asked.is_table), (1000, false));
        assert!(!asked.further.before && !asked.further.days && !asked.further.missed);
    }

    #[test]
    fn a_report_is_asked_for_by_its_days_its_rows_and_its_form() {
        for (name, kind) in [
            ("zones", ReportKind::Zones),
            ("search", ReportKind::Search),
            ("missed", ReportKind::Missed),
            ("products", ReportKind::Products),
            ("quality", ReportKind::Quality),
            ("days", ReportKind::Days),
        ] {
            let asked = json!({"Report": name, "From": "1969-12-31", "Until": "1971-01-02", "Format": "csv"});
            let asked = read::<ReportRequest>(&asked).expect("a report");
            assert_eq!((asked.kind, asked.is_table), (kind, true));
            assert_eq!((asked.first, asked.last), (Some(-1), Some(366)));
        }
        let blank = json!({"Report": "days", "From": "", "Until": null, "Size": "", "Format": "json"});
        assert_refused::<ReportRequest>(&blank, "Until has to be a string");
        for (member, value, sentence) in [
            ("Report", json!("best"), "Report has to be zones, search, missed, products, quality or days"),
            ("Format", json!("xml"), "Format has to be json or csv"),
            ("Format", json!(""), ""),
            ("With", json!(["before", "days", "missed"]), ""),
            ("With", json!(["before", "zones"]), "With has to be a list of before, days and missed"),
            ("With", json!(7), "With has to be a list of texts"),
            ("Size", json!(1), ""),
            ("Size", json!(10_000), ""),
            ("Size", json!(0), "Size has to be 1 to 10000"),
            ("Size", json!(10_001), "Size has to be 1 to 10000"),
            ("From", json!(""), ""),
            ("From", json!("2026-02-29"), "From has to be a day, such as 2026-11-28"),
            ("Until", json!("tomorrow"), "Until has to be a day, such as 2026-11-28"),
        ] {
            let mut asked = json!({"Report": "zones"});
            asked[member] = value;
            assert_refused::<ReportRequest>(&asked, sentence);
        }
        assert_none_twice::<ReportRequest>(&json!({"Report": "zones"}), &member_names::<ReportRequest>());
    }

    #[tokio::test]
    async fn a_report_that_takes_long_is_refused() {
        let counting = within(Duration::ZERO, pending::<Result<(), Refusal>>());
        let ended = tokio::time::timeout(limits::DERIVED_WAIT_DURATION, counting).await;
        let response = ended.expect("an answer").expect_err("a refusal").into_response();
        assert_eq!(response.status(), 503);
        assert_eq!(response.headers()[header::RETRY_AFTER], "60");
        assert!(within(limits::REPORT_DURATION, ready(Ok(1))).await.is_ok());
    }
}
