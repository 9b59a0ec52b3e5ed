//! Context in which zones are filled.

use std::time::Instant;

use super::item::WantedFields;
use crate::accounts::KnownAccount;
use crate::api::search::{AnswerRoom, TurnOf};
use crate::personalise::request::ShopperIdentity;
use crate::projections::models::ModelHandle as Model;
use crate::reports::attribution::AttributionSource;
use crate::search::document::ShopTables;
use crate::search::index::snapshot::IndexSnapshot;
use crate::search::pricing::BuyerContext;
use crate::zones::{Campaign, ZonePage};

/// Request for the zones of a page. Ids are the catalogue's.
pub struct PageZonesRequest {
    /// The zones, each with the page that it is on.
    pub zones: Vec<(String, ZonePage)>,
    /// Products that the shopper looked at, the newest last, where the session does not say so.
    pub viewed: Vec<String>,
    /// Products in the basket, if these are known.
    pub basket: Option<Vec<String>>,
    /// The shopper, if known.
    pub shopper: ShopperIdentity,
    /// The group that the visitor is in: 0 to 99.
    pub group: u8,
    /// Fields of an item that are sent.
    pub needed: WantedFields,
    /// Owner of the turn that it takes.
    pub turn_of: TurnOf,
}

/// Fills the zones of one page, one after the other.
pub(super) struct Filler<'f> {
    pub(super) known: &'f KnownAccount,
    pub(super) snapshot: &'f IndexSnapshot,
    /// Categories and brands of the shop.
    pub(super) shop: &'f ShopTables,
    pub(super) model: &'f Model,
    pub(super) caller: BuyerContext,
    /// Time when the first zone was begun.
    pub(super) begun: Instant,
    /// Products that an earlier zone of the page shows.
    pub(super) taken: Vec<String>,
    /// Names of the usual titles over earlier zones of the page.
    pub(super) titled: Vec<&'static str>,
    /// Reason why a template could not draw the zone that is being filled.
    pub(super) undrawn: Option<&'static str>,
    /// Room that is left for the zones of the page.
    pub(super) room: AnswerRoom,
    /// True if something of the zone that is being filled had no room.
    pub(super) is_cut: bool,
}

/// Source under which a campaign counts in reports; `None` for one that shows nothing on purpose.
pub(super) fn source_of(campaign: &Campaign) -> Option<AttributionSource> {
    if campaign.empty {
        return None;
    }
    let recommender = campaign.products_shown.as_ref().map_or("", |products| products.recommender.name());
    Some(AttributionSource::Zone {
        zone: campaign.zone.clone(),
        recommender: recommender.to_owned(),
        campaign: campaign.id.clone(),
    })
}
