//! `POST /api/product` and `/api/catalogue`: what the shop shows now. Additions beside the fixed interface.

use std::sync::Arc;

use axum::Json;
use axum::body::Body;
use axum::extract::State;
use axum::http::Request;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::body::{Fields, read_json};
use super::refusal::{ErrorBody, Refusal};
use super::{credentials, peer_of};
use crate::catalogue::CatalogueFault;
use crate::catalogue::visible::{Catalogue, Item};
use crate::derived::listing::{List, ListingFault};
use crate::feeds::section::Section;
use crate::limits;
use crate::node::Node;

impl From<CatalogueFault> for Refusal {
    fn from(fault: CatalogueFault) -> Self {
        match fault {
            CatalogueFault::Store(fault) => fault.into(),
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

/// One product as the shop shows it now, by its Id or SKU or by those of a variant that it lists.
#[utoipa::path(post, path = "/api/product", tag = "additions", responses(
    (status = 200, description = "The product, and which feed and delta it comes from"),
    (status = 400, description = "Malformed, missing or ambiguous", body = ErrorBody<'static>),
    (status = 403, description = "Wrong credentials", body = ErrorBody<'static>),
    (status = 404, description = "Not in the catalogue", body = ErrorBody<'static>)))]
pub async fn post_product(
    State(node): State<Arc<Node>>,
    request: Request<Body>,
) -> Result<Json<Value>, Refusal> {
    let peer = peer_of(&request);
    let body = read_json(request, limits::REQUEST_BODY_BYTES).await?;
    let fields = Fields::parse(&body)?;
    let key = fields.text(&["Id", "Sku"])?;
    let section = fields.opt_text(&["Section"])?;
    let account = credentials::by_secret(&node, peer, &fields).await?;
    let section = section_named(section.as_deref())?;
    let blobs = node.blobs.clone();
    let item =
        node.store.read(move |tx| Catalogue::open(tx, &blobs, account.id)?.find(section, &key)).await?;
    let item = item.ok_or_else(|| Refusal::unknown("The catalogue shows no item of that Id or Sku"))?;
    Ok(Json(shown(item)?))
}

/// The section of the catalogue that a request means.
pub(super) fn section_named(name: Option<&str>) -> Result<Section, Refusal> {
    let Some(name) = name else { return Ok(Section::Products) };
    Section::named(name)
        .ok_or_else(|| Refusal::malformed("Section has to be Products, Categories, Brands or AccountPrices"))
}

fn limit_of(limit: Option<&RawValue>) -> Result<usize, Refusal> {
    let Some(limit) = limit else { return Ok(20) };
    serde_json::from_str(limit.get())
        .ok()
        .filter(|limit| *limit <= limits::PAGE_ITEMS)
        .ok_or_else(|| Refusal::malformed(format!("Limit has to be 0 to {}", limits::PAGE_ITEMS)))
}

fn shown(item: Item) -> Result<Value, CatalogueFault> {
    let row: Value = serde_json::from_slice(&item.row).map_err(|_| CatalogueFault::Row)?;
    Ok(json!({"Id": item.id, "Feed": item.feed_seq, "Delta": item.delta_seq, "Item": row}))
}

/// What the shop shows now: counts, and a page of items in the order of their ids.
#[utoipa::path(post, path = "/api/catalogue", tag = "additions", responses(
    (status = 200, description = "Counts of all sections and a page of one"),
    (status = 400, description = "Malformed, missing or ambiguous", body = ErrorBody<'static>),
    (status = 403, description = "Wrong credentials", body = ErrorBody<'static>)))]
pub async fn post_catalogue(
    State(node): State<Arc<Node>>,
    request: Request<Body>,
) -> Result<Json<Value>, Refusal> {
    let peer = peer_of(&request);
    let body = read_json(request, limits::REQUEST_BODY_BYTES).await?;
    let fields = Fields::parse(&body)?;
    let (section, from) = (fields.opt_text(&["Section"])?, fields.opt_text(&["From"])?);
    let limit = fields.find(&["Limit"])?;
    let account = credentials::by_secret(&node, peer, &fields).await?;
    let (section, limit) = (section_named(section.as_deref())?, limit_of(limit)?);
    let page =
        node.derived.listing().read(account.id, |list| Page::of(list, section, from.as_deref(), limit));
    let Page { counts, ids, next } = page.await?;
    let blobs = node.blobs.clone();
    let items = node.store.read(move |tx| {
        let mut catalogue = Catalogue::open(tx, &blobs, account.id)?;
        let mut items = Vec::with_capacity(ids.len());
        for id in &ids {
            // One that went since the list was looked at is left out.
            items.extend(catalogue.get(section, id)?.map(shown).transpose()?);
        }
        Ok::<_, CatalogueFault>(items)
    });
    let items = items.await?;
    Ok(Json(json!({"Counts": counts, "Section": section.as_str(), "Items": items, "Next": next})))
}

/// A page of the list of what is shown.
struct Page {
    counts: Map<String, Value>,
    ids: Vec<String>,
    /// Where the next page begins, if there is one.
    next: Option<String>,
}

impl Page {
    fn of(list: &List, section: Section, from: Option<&str>, limit: usize) -> Self {
        let sections = Section::ALL;
        let counts =
            sections.into_iter().map(|section| (section.as_str().to_owned(), list.count(section).into()));
        let mut items = list.items(section, from).map(|(id, _)| id.to_owned());
        let ids: Vec<String> = items.by_ref().take(limit).collect();
        let next = items.next().and_then(|_| ids.last().cloned());
        Self { counts: counts.collect(), ids, next }
    }
}
