//! `POST /api/snapshots`, `/api/snapshots/compare` and `/api/feed/difference`: earlier snapshots, and the changes that
//! a feed makes. Additions to the fixed interface.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use serde_json::{Map, Value};

use super::extract::Authenticated;
use super::from_fields::{FromFields, MemberNames};
use super::json_fields::{JsonFields, RequestFields};
use super::product::{section, section_or_all};
use super::read_permits::turn_to_look;
use super::status_tokens::TokenRequest;
use crate::catalogue::CatalogueFault;
use crate::catalogue::base::{self, RetainedSnapshot};
use crate::catalogue::difference::{self, DifferenceKind, DifferenceSummary};
use crate::catalogue::snapshot::Snapshot;
use crate::feeds::section::Section;
use crate::node::Node;
use crate::store::StoreFault;
use crate::submissions;
use crate::transport::error_body::ErrorBody;
use crate::transport::refusal::{OfShop, Refusal};

/// Says that a snapshot is not there.
pub const NOT_KEPT: &str = "No snapshot of that number is kept; `lethe snapshot list` shows them";

/// A question about the snapshots that are kept.
#[derive(utoipa::ToSchema)]
pub struct SnapshotsRequest {
    /// Only snapshots of one section; by default of all.
    #[schema(rename = "Section", value_type = Section, required = false)]
    section: Option<Section>,
}

impl FromFields for SnapshotsRequest {
    const MEMBERS: MemberNames = MemberNames::Tolerant;

    fn from_fields(fields: &JsonFields<'_>) -> Result<Self, Refusal> {
        Ok(Self { section: section_or_all(fields)? })
    }
}

type SnapshotsBySecret = Authenticated<SnapshotsRequest>;

/// A snapshot that is kept.
#[derive(serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "PascalCase")]
pub struct KeptSnapshot {
    /// Its section.
    section: Section,
    /// Place of the feed that made it, in the account's order of acceptance.
    number: i64,
    /// Number of that feed among the account's feeds: the one to show to people.
    kind_number: Option<i64>,
    /// Items in it.
    items: i64,
    /// Size of its file.
    bytes: i64,
    /// Time when it was published first, in milliseconds since 1970.
    published_at: i64,
    /// True if the shop stands on it now.
    shown: bool,
}

/// The kept snapshots, newest first; one is marked as shown.
#[utoipa::path(post, path = "/api/snapshots", operation_id = "snapshots", tag = "additions",
    request_body = SnapshotsBySecret, responses(OfShop,
    (status = 200, description = "The kept snapshots of all sections, or of one", body = Vec<KeptSnapshot>)))]
pub async fn list(
    State(node): State<Arc<Node>>,
    SnapshotsBySecret { account, question, .. }: SnapshotsBySecret,
) -> Result<Json<Vec<KeptSnapshot>>, Refusal> {
    let id = account.id;
    let sections = question.section.map_or(Section::ALL.to_vec(), |section| vec![section]);
    let listed = node.store.read(move |tx| {
        let bases = base::list(tx, id)?;
        let mut listed = Vec::new();
        for section in &sections {
            let shown = bases.get(section).map(|base| base.snapshot_seq);
            listed.extend(base::list_retained(tx, id, *section)?.iter().map(|kept| KeptSnapshot {
                section: *section,
                number: kept.seq,
                kind_number: kept.kind_number,
                items: kept.new.items,
                bytes: kept.new.bytes,
                published_at: kept.published_at,
                shown: shown == Some(kept.seq),
            }));
        }
        Ok::<_, StoreFault>(listed)
    });
    Ok(Json(listed.await?))
}

/// The two snapshots to compare.
#[derive(utoipa::ToSchema)]
pub struct CompareRequest {
    /// Number of the older one.
    #[schema(rename = "From")]
    from: i64,
    /// Number of the newer one.
    #[schema(rename = "To")]
    to: i64,
    /// Their section; by default `Products`.
    #[schema(rename = "Section", required = false)]
    section: Section,
}

impl FromFields for CompareRequest {
    const MEMBERS: MemberNames = MemberNames::Tolerant;

    fn from_fields(fields: &JsonFields<'_>) -> Result<Self, Refusal> {
        let from = fields.number(&["From"])?;
        let to = fields.number(&["To"])?;
        Ok(Self { from, to, section: section(fields)? })
    }
}

type CompareBySecret = Authenticated<CompareRequest>;

/// Differences of a section.
#[derive(serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "PascalCase")]
pub struct SectionDifference {
    /// The section.
    section: Section,
    /// Number of items for each kind of difference: `added`, `changed`, `removed`, `unchanged`, `price_jump`,
    /// `price_zero`, `currency_lost`.
    #[schema(value_type = BTreeMap<String, u64>)]
    counts: Map<String, Value>,
    /// The first items of each kind.
    examples: Vec<DifferenceExample>,
}

/// An item that differs.
#[derive(serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "PascalCase")]
pub struct DifferenceExample {
    /// In which way.
    kind: &'static str,
    /// Its id.
    id: String,
    /// The price it had, where prices are meant.
    before: Option<String>,
    /// The price it has.
    after: Option<String>,
}

/// Changes that lead from the snapshot `From` to the snapshot `To`.
#[utoipa::path(post, path = "/api/snapshots/compare", operation_id = "snapshots_compare", tag = "additions",
    request_body = CompareBySecret, responses(OfShop,
    (status = 200, description = "Counts, and examples of each kind of difference", body = SectionDifference),
    (status = 404, description = "One of them is not kept", body = ErrorBody<'static>)))]
pub async fn compare(
    State(node): State<Arc<Node>>,
    CompareBySecret { account, question, .. }: CompareBySecret,
) -> Result<Json<SectionDifference>, Refusal> {
    let (id, CompareRequest { from, to, section }) = (account.id, question);
    let turn = turn_to_look(&node.resources.looks, id).await?;
    // The sweep leaves both files until they are open.
    let files = node.blobs.hold_files();
    let kept = node.store.read(move |tx| base::list_retained(tx, id, section)).await;
    let kept: Vec<RetainedSnapshot> = kept.map_err(|fault: StoreFault| Refusal::from(fault))?;
    let file = |number: i64| {
        let kept = kept.iter().find(|kept| kept.seq == number).map(|kept| kept.new.blob);
        kept.ok_or_else(|| Refusal::unknown(NOT_KEPT))
    };
    let from = file(from)?;
    let to = file(to)?;
    let blobs = node.blobs.clone();
    let comparing = tokio::task::spawn_blocking(move || {
        let old = Snapshot::open(&files, &from)?;
        let new = Snapshot::open(&files, &to)?;
        drop(files);
        let compared = DifferenceSummary::compute(&blobs, section, Some(&old), &new, &|| true);
        // Only now, even if the caller has left.
        drop(turn);
        compared
    });
    let compared: Result<_, CatalogueFault> = comparing.await.map_err(|_| Refusal::fault())?;
    Ok(Json(describe_difference(section, compared?.unwrap_or_default())))
}

/// Differences between a feed and the snapshots that were shown.
#[derive(serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "PascalCase")]
pub struct FeedDifference {
    /// Section by section.
    sections: Vec<SectionDifference>,
    /// True if the feed is held.
    held: bool,
}

type FeedSnapshotsBySecret = Authenticated<TokenRequest>;

/// Changes that a feed makes, or made when it was published, section by section; and whether it is held.
#[utoipa::path(post, path = "/api/feed/difference", operation_id = "feed_difference", tag = "additions",
    request_body = FeedSnapshotsBySecret, responses(OfShop,
    (status = 200, description = "Counts, and examples of each kind of difference", body = FeedDifference),
    (status = 404, description = "Unknown token", body = ErrorBody<'static>)))]
pub async fn of_feed(
    State(node): State<Arc<Node>>,
    FeedSnapshotsBySecret { account, question, .. }: FeedSnapshotsBySecret,
) -> Result<Json<FeedDifference>, Refusal> {
    let id = account.id;
    let found = node.store.read(move |tx| {
        let Some(submission) = submissions::by_token(tx, id, question.token)? else { return Ok(None) };
        let differences = difference::list(tx, id, submission.work_seq())?;
        let sections =
            differences.into_iter().map(|(section, found)| describe_difference(section, found)).collect();
        let held = !base::list_held(tx, id, submission.held_seq())?.is_empty();
        Ok::<_, StoreFault>(Some(FeedDifference { sections, held }))
    });
    found.await?.map(Json).ok_or_else(Refusal::token_unknown)
}

fn describe_difference(section: Section, difference: DifferenceSummary) -> SectionDifference {
    let counts = DifferenceKind::ALL
        .map(|kind| (kind.as_str().to_owned(), Value::from(difference.items_of_kind(kind))));
    let examples = difference.examples.into_iter().map(|example| DifferenceExample {
        kind: example.kind.as_str(),
        id: example.item,
        before: example.before,
        after: example.after,
    });
    SectionDifference { section, counts: Map::from_iter(counts), examples: examples.collect() }
}
