//! `POST /api/product` and `/api/catalogue`: the live catalogue. Additions to the fixed interface.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::extract::Authenticated;
use super::from_fields::{FromFields, MemberNames};
use super::json_fields::{JsonFields, whole_number};
use crate::catalogue::snapshot::SnapshotFault;
use crate::catalogue::visible::{CatalogueView, VisibleItem};
use crate::catalogue::{CatalogueFault, base};
use crate::feeds::section::Section;
use crate::ids::AccountId;
use crate::limits;
use crate::node::Node;
use crate::projections::listing::{CatalogueListing, ListingFault};
use crate::store::Tx;
use crate::submissions;
use crate::transport::error_body::ErrorBody;
use crate::transport::refusal::{OfShop, Refusal};

impl From<CatalogueFault> for Refusal {
    fn from(fault: CatalogueFault) -> Self {
        match fault {
            CatalogueFault::Store(fault) => fault.into(),
            // Doctor and the readiness say which.
            CatalogueFault::Snapshot(SnapshotFault::Missing) => Self::files_missing(),
            other => {
                tracing::error!(fault = %other, "the catalogue could not be read");
                Self::fault()
            }
        }
    }
}

impl From<ListingFault> for Refusal {
    fn from(fault: ListingFault) -> Self {
        match fault {
            ListingFault::Catalogue(fault) => fault.into(),
            ListingFault::TooLarge => {
                tracing::error!(%fault, "the catalogue could not be listed");
                Self::busy()
            }
        }
    }
}

/// A question about one item.
#[derive(utoipa::ToSchema)]
pub struct ItemRequest {
    /// The item's Id, or its SKU, or those of a variant that it lists; `Sku` is understood for `Id`.
    #[schema(rename = "Id", example = "4711")]
    pub key: String,
    /// Section of the item; by default `Products`.
    #[schema(rename = "Section", required = false)]
    pub section: Section,
}

impl FromFields for ItemRequest {
    const MEMBERS: MemberNames = MemberNames::Tolerant;

    fn from_fields(fields: &JsonFields<'_>) -> Result<Self, Refusal> {
        Ok(Self { key: fields.text(&["Id", "Sku"])?, section: section(fields)? })
    }
}

/// A question about one item, and the shop that sent it.
pub type AuthenticatedItem = Authenticated<ItemRequest>;

/// The section of the catalogue that a request means.
pub(super) fn section(fields: &JsonFields<'_>) -> Result<Section, Refusal> {
    section_or_all(fields).map(|section| section.unwrap_or(Section::Products))
}

/// The section that a request means, if it names one.
pub(super) fn section_or_all(fields: &JsonFields<'_>) -> Result<Option<Section>, Refusal> {
    let Some(name) = fields.opt_text(&["Section"])? else { return Ok(None) };
    let wrong = || Refusal::malformed("Section has to be Products, Categories, Brands or AccountPrices");
    Section::parse_lenient(&name).ok_or_else(wrong).map(Some)
}

/// An item as the shop shows it now.
#[derive(serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "PascalCase")]
pub struct ShownItem {
    /// Its id.
    id: String,
    /// Place of the feed its section stands on, in the order of acceptance; 0 when no feed was published.
    feed: i64,
    /// Place of the delta that touched it last, if one did after that feed.
    delta: Option<i64>,
    /// Number of that feed among the account's feeds; told of one item, not in a list.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = i64, required = false)]
    feed_number: Option<i64>,
    /// Number of that delta among the account's deltas, as long as its status is kept; told of one item, not in a list.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = i64, required = false)]
    delta_number: Option<i64>,
    /// Its row in normal form.
    #[schema(value_type = Object)]
    item: Box<RawValue>,
}

impl ShownItem {
    fn from_item(item: VisibleItem) -> Result<Self, CatalogueFault> {
        let row = serde_json::from_slice(&item.row).map_err(|_| CatalogueFault::Row)?;
        let VisibleItem { id, feed_seq, delta_seq, .. } = item;
        Ok(Self { id, feed: feed_seq, delta: delta_seq, feed_number: None, delta_number: None, item: row })
    }
}

/// One product as the shop shows it now, by its Id or SKU or by those of a variant that it lists.
#[utoipa::path(post, path = "/api/product", operation_id = "product", tag = "additions", request_body = AuthenticatedItem,
    responses(OfShop, (status = 200, description = "The product, and which feed and delta it comes from", body = ShownItem),
    (status = 404, description = "Not in the catalogue", body = ErrorBody<'static>)))]
pub async fn post_product(
    State(node): State<Arc<Node>>,
    AuthenticatedItem { account, question, .. }: AuthenticatedItem,
) -> Result<Json<ShownItem>, Refusal> {
    let ItemRequest { key, section } = question;
    let blobs = node.blobs.clone();
    let item = node.store.read(move |tx| {
        let found = CatalogueView::open(tx, &blobs, account.id)?.find_by_key(section, &key)?;
        found.map(|item| number_origins(tx, account.id, section, ShownItem::from_item(item)?)).transpose()
    });
    let item = item.await?;
    item.map(Json).ok_or_else(|| Refusal::unknown("The catalogue shows no item of that Id or Sku"))
}

/// Adds the numbers by which people know the feed and the delta that an item comes from.
fn number_origins(
    tx: &mut Tx<'_>,
    account: AccountId,
    section: Section,
    item: ShownItem,
) -> Result<ShownItem, CatalogueFault> {
    let feed_number = base::feed_number(tx, account, section, item.feed)?;
    let delta = item.delta.map(|seq| submissions::load_by_seq(tx, account, seq)).transpose()?.flatten();
    let delta_number = delta.map(|delta| delta.kind_number);
    Ok(ShownItem { feed_number, delta_number, ..item })
}

/// A question about a page of a section.
#[derive(utoipa::ToSchema)]
#[schema(as = CatalogueRequest)]
pub struct CatalogueRequest {
    /// The section; by default `Products`.
    #[schema(rename = "Section", required = false)]
    section: Section,
    /// `Next` of the page before.
    #[schema(rename = "From", value_type = String, required = false)]
    from: Option<String>,
    /// Number of items; by default 20.
    #[schema(rename = "Limit", required = false, minimum = 0, maximum = 200)]
    limit: usize,
}

impl FromFields for CatalogueRequest {
    const MEMBERS: MemberNames = MemberNames::Tolerant;

    fn from_fields(fields: &JsonFields<'_>) -> Result<Self, Refusal> {
        let section = section(fields)?;
        let from = fields.opt_text(&["From"])?;
        Ok(Self { section, from, limit: limit_of(fields.find(&["Limit"])?)? })
    }
}

type CatalogueBySecret = Authenticated<CatalogueRequest>;

fn limit_of(limit: Option<&RawValue>) -> Result<usize, Refusal> {
    let Some(limit) = limit else { return Ok(20) };
    whole_number(limit.get())
        .and_then(|limit| usize::try_from(limit).ok())
        .filter(|limit| *limit <= limits::PAGE_ITEMS)
        .ok_or_else(|| Refusal::malformed(format!("Limit has to be 0 to {}", limits::PAGE_ITEMS)))
}

/// A page of the live items of the shop.
#[derive(serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "PascalCase")]
pub struct CataloguePage {
    /// Number of items that each section shows.
    #[schema(value_type = BTreeMap<String, u64>)]
    counts: Map<String, Value>,
    /// The section of the items.
    section: Section,
    /// The items, in the order of their ids.
    items: Vec<ShownItem>,
    /// `From` of the next page, if there is one.
    next: Option<String>,
}

/// The catalogue that the shop shows now: counts, and a page of items in the order of their ids.
#[utoipa::path(post, path = "/api/catalogue", operation_id = "catalogue", tag = "additions", request_body = CatalogueBySecret,
    responses(OfShop, (status = 200, description = "Counts of all sections and a page of one", body = CataloguePage)))]
pub async fn post_catalogue(
    State(node): State<Arc<Node>>,
    CatalogueBySecret { account, question, .. }: CatalogueBySecret,
) -> Result<Json<CataloguePage>, Refusal> {
    let CatalogueRequest { section, from, limit } = question;
    let page = node
        .derived
        .listing()
        .with_list(account.id, |list| CatalogueIdsPage::from_list(list, section, from.as_deref(), limit));
    let CatalogueIdsPage { counts, ids, next } = page.await?;
    let blobs = node.blobs.clone();
    let reading = node.store.read(move |tx| {
        let mut catalogue = CatalogueView::open(tx, &blobs, account.id)?;
        let mut items = Vec::with_capacity(ids.len());
        let mut room = limits::ANSWER_BYTES;
        for (place, id) in ids.iter().enumerate() {
            // One that went since the list was looked at is left out.
            let Some(item) = catalogue.get(section, id)? else { continue };
            let is_full = item.row.len() > room;
            if is_full && place > 0 {
                // A row that is larger than a page is a page of its own.
                return Ok((items, ids.get(place - 1).cloned()));
            }
            room = room.saturating_sub(item.row.len());
            items.push(ShownItem::from_item(item)?);
        }
        Ok::<_, CatalogueFault>((items, next.clone()))
    });
    let (items, next) = reading.await?;
    Ok(Json(CataloguePage { counts, section, items, next }))
}

/// A page of the list of live items.
struct CatalogueIdsPage {
    counts: Map<String, Value>,
    ids: Vec<String>,
    /// Start of the next page, if there is one.
    next: Option<String>,
}

impl CatalogueIdsPage {
    fn from_list(list: &CatalogueListing, section: Section, from: Option<&str>, limit: usize) -> Self {
        let sections = Section::ALL;
        let counts =
            sections.into_iter().map(|section| (section.as_str().to_owned(), list.count(section).into()));
        let mut items = list.items(section, from).map(|(id, _)| id.to_owned());
        let ids: Vec<String> = items.by_ref().take(limit).collect();
        let next = items.next().and_then(|_| ids.last().cloned());
        Self { counts: counts.collect(), ids, next }
    }
}
