//! `POST /api/zones/preview`: the content that a zone would show, its campaign, and why others were passed over. For
//! the shop's server.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use serde_json::Value;
use serde_json::value::RawValue;

use super::campaigns::campaigns_of;
use super::fill::{Filled, fill_zones};
use super::filler::PageZonesRequest;
use super::item::WantedFields;
use crate::api::from_fields::{FromFields, MemberNames};
use crate::api::json_fields::{JsonFields, RequestFields};
use crate::api::search::{self, StorefrontRequest, number};
use crate::limits;
use crate::node::Node;
use crate::personalise::request::ShopperIdentity;
use crate::transport::refusal::{OfShop, Refusal};
use crate::zones::{Campaign, PageKind, ZonePage, parse_campaigns};

/// A zone, the page that it is on, and campaigns to try.
#[derive(utoipa::ToSchema)]
pub struct ZonesPreviewRequest {
    /// The zone.
    #[schema(rename = "Zone", example = "PP-01")]
    zone: String,
    /// Campaigns to try instead of those of the shop.
    #[schema(rename = "Campaigns", required = false, value_type = Vec<Campaign>)]
    campaigns: Option<Vec<Value>>,
    /// Kind and subject of the page: `Page`, `Product`, `Category`, `Brand`.
    #[schema(rename = "Page", required = false, value_type = PageKind)]
    page: ZonePage,
    /// Ids of the products that the shopper looked at, the newest last.
    #[schema(rename = "Viewed", required = false)]
    viewed: Vec<String>,
    /// Ids of the products in the basket.
    #[schema(rename = "Basket", required = false, value_type = Vec<String>)]
    basket: Option<Vec<String>>,
    /// Group of the visitor, of 100, for campaigns with a `Share`; group 0 sees all campaigns.
    #[schema(rename = "Group", required = false, minimum = 0, maximum = 99)]
    group: usize,
}

impl FromFields for ZonesPreviewRequest {
    const LIMIT_BYTES: usize = limits::CAMPAIGNS_BODY_BYTES;
    const MEMBERS: MemberNames = MemberNames::Hints(&[&[
        "Zone",
        "Campaigns",
        "Page",
        "Product",
        "Category",
        "Brand",
        "Viewed",
        "Basket",
        "Group",
    ]]);

    fn from_fields(fields: &JsonFields<'_>) -> Result<Self, Refusal> {
        let kind = fields.opt_text(&["Page"])?.filter(|kind| !kind.is_empty());
        let unknown = || Refusal::malformed("Page has to be a kind of page, such as product_page");
        let kind = kind.map(|kind| PageKind::from_name(&kind).ok_or_else(unknown)).transpose()?;
        let page = ZonePage {
            kind,
            product: fields.opt_id("Product")?,
            category: fields.opt_id("Category")?,
            brand: fields.opt_id("Brand")?,
        };
        let viewed = fields.opt_texts("Viewed")?.unwrap_or_default();
        let basket = fields.opt_texts("Basket")?;
        let named = viewed.len().max(basket.as_ref().map_or(0, Vec::len));
        if named > limits::RECOMMEND_IDS {
            let sentence = format!("Viewed and Basket have up to {} ids", limits::RECOMMEND_IDS);
            return Err(Refusal::malformed(sentence));
        }
        Ok(Self {
            zone: fields.text(&["Zone"])?,
            campaigns: campaigns_of(fields)?,
            page,
            viewed,
            basket,
            group: number(fields, "Group", 0, 0..=99)?,
        })
    }
}

/// Content that a zone would have.
#[derive(serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "PascalCase")]
pub struct ZonePreview {
    /// The id of the campaign; empty for the zone's content without a campaign.
    campaign: String,
    /// As a page gets it; not there where nothing stands there.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = Object)]
    zone: Option<Box<RawValue>>,
    /// Campaigns for this page and moment that were passed over.
    passed: Vec<PassedOver>,
}

/// A campaign that had nothing to show.
#[derive(serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "PascalCase")]
pub struct PassedOver {
    /// Its id; empty for the zone's content without a campaign.
    campaign: String,
    /// Reason why it was passed over.
    why: &'static str,
}

impl From<Filled> for ZonePreview {
    fn from(Filled { campaign, content, passed, .. }: Filled) -> Self {
        let zone = content.and_then(|content| RawValue::from_string(content).ok());
        let passed = passed.into_iter().map(|(campaign, why)| PassedOver { campaign, why });
        Self { campaign, zone, passed: passed.collect() }
    }
}

type StorefrontZonesPreview = StorefrontRequest<ZonesPreviewRequest>;

/// Shows the content that a zone would have.
#[utoipa::path(post, path = "/api/zones/preview", operation_id = "zones_preview", tag = "zones",
    request_body = StorefrontZonesPreview,
    responses(OfShop, (status = 200, description = "What would stand there, and why", body = ZonePreview)))]
pub async fn preview(
    State(node): State<Arc<Node>>,
    asked: StorefrontZonesPreview,
) -> Result<Response, Refusal> {
    if !asked.shows_secret {
        return Err(Refusal::credentials());
    }
    let StorefrontRequest { known, question, shopper, origin, turn_of, .. } = asked;
    let own = known.campaigns.clone();
    let sent = question.campaigns;
    // A large list takes its time.
    let campaigns = move || match sent {
        Some(sent) => Ok(Arc::new(parse_campaigns(&sent)?.0.into())),
        None => Ok(own),
    };
    let filling = PageZonesRequest {
        zones: vec![(question.zone, question.page)],
        viewed: question.viewed,
        basket: question.basket,
        shopper: ShopperIdentity::Unknown,
        group: u8::try_from(question.group).unwrap_or_default(),
        needed: WantedFields::All,
        turn_of,
    };
    let caller = search::buyer_context(&node, &known, shopper, None);
    let all = fill_zones(&node, &known, caller, campaigns, filling).await?;
    let filled = all.into_iter().next().ok_or_else(Refusal::fault)?;
    let answered = serde_json::to_vec(&ZonePreview::from(filled)).map_err(|_| Refusal::fault())?;
    Ok(search::build_response(origin, answered))
}
