//! Actions of shoppers, as they are stored.

use std::collections::HashMap;

use crate::clock::Millis;
use crate::reports::attribution::AttributionSource;

/// Action of a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EventAction {
    /// Looked at a product.
    ProductViewed(EventItem),
    /// Changed their basket: its present content, each product and variant once.
    BasketSet(Vec<EventItem>),
    /// Ordered: the order's products, each product and variant once. The order itself is a record of its own.
    Ordered(Vec<EventItem>),
    /// Searched.
    Searched(CountedSearch),
    /// Clicked a product that was shown somewhere.
    Clicked(EventItem, AttributionSource),
    /// Saw the content of zones.
    ZonesSeen(Vec<AttributionSource>),
}

/// A product in an event, and its variant. The catalogue of the moment in which the event is stored decides on both:
/// later catalogues change neither.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct EventItem {
    /// Catalogue id of the product.
    pub product: String,
    /// Id of the variant, if the shop named one and not the product itself.
    pub variant: Option<String>,
}

impl From<String> for EventItem {
    fn from(product: String) -> Self {
        Self { product, variant: None }
    }
}

/// Items by the ids and SKUs that the shop sent; `None` for a product that the catalogue does not show.
pub type ResolvedItems = HashMap<String, Option<EventItem>>;

/// A search, as reports count it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CountedSearch {
    /// Searched text, normalized by [`crate::reports::query::normalize`].
    pub query: String,
    /// Number of products that were found.
    pub found: u64,
    /// True if a corrected text was searched instead of the typed one.
    pub is_corrected: bool,
}

/// A session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShopperSession {
    /// Random.
    pub id: u128,
    /// Time of its first event.
    pub start: Millis,
}

/// An event as it was stored.
pub struct StoredEvent {
    /// Time of the event.
    pub at: Millis,
    /// Session of the event.
    pub visit: ShopperSession,
    /// Its number there, from 0 on.
    pub number: u32,
    /// The action.
    pub what: EventAction,
    /// True if a page sent it while the person was logged in there: it counts for the person, and does not influence
    /// other shoppers.
    pub is_for_person_alone: bool,
}

static_assertions::assert_not_impl_any!(StoredEvent: std::fmt::Debug, std::fmt::Display, serde::Serialize);

impl EventAction {
    /// Its name on the wire.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::ProductViewed(_) => PRODUCT_VIEW,
            Self::BasketSet(_) => SET_BASKET,
            Self::Ordered(_) => ORDER_PLACED,
            Self::Searched(_) => SEARCH,
            Self::Clicked(..) => ITEM_CLICK,
            Self::ZonesSeen(_) => ZONES_SEEN,
        }
    }
}

/// The name of [`EventAction::ProductViewed`] on the wire and in records.
pub const PRODUCT_VIEW: &str = "product_view";

/// Name of [`EventAction::BasketSet`].
pub const SET_BASKET: &str = "set_basket";

/// Name of [`EventAction::Ordered`].
pub const ORDER_PLACED: &str = "order";

/// Name of [`EventAction::Searched`].
pub const SEARCH: &str = "search";

/// Name of [`EventAction::Clicked`].
pub const ITEM_CLICK: &str = "item_click";

/// Name of [`EventAction::ZonesSeen`]: the server records it, and takes it from a shop's server.
pub const ZONES_SEEN: &str = "zones_seen";
