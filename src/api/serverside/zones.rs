//! The page that a call's zones are on.

use super::event::ParsedPluginEvent;
use super::request::PluginCall;
use crate::api::events::store;
use crate::api::search::TurnOf;
use crate::api::zones::filler::PageZonesRequest;
use crate::api::zones::item::WantedFields;
use crate::people::event_action::ResolvedItems;
use crate::personalise::request::ShopperIdentity;
use crate::zones::{PageKind, ZonePage};

/// Requested zones, and the shopper's page. Products are named as sent. Cannot be printed.
pub struct PluginZonesRequest {
    zones: Vec<(String, ZonePage)>,
    viewed: Vec<String>,
    page: ZonePage,
    basket: Option<Vec<String>>,
}

static_assertions::assert_not_impl_any!(PluginZonesRequest: std::fmt::Debug, std::fmt::Display, serde::Serialize);

impl PluginZonesRequest {
    /// Takes it from a call, whose events stay.
    pub fn from_call(call: &mut PluginCall) -> Self {
        let zones = std::mem::take(&mut call.zones);
        let viewed = std::mem::take(&mut call.viewed);
        let mut page = ZonePage::default();
        let mut basket = None;
        for told in &call.events {
            match told {
                ParsedPluginEvent::Paged(of) => page = of.clone().completed_by(page),
                ParsedPluginEvent::ProductViewed(id) => {
                    let of = ZonePage {
                        kind: Some(PageKind::ProductPage),
                        product: Some(id.clone()),
                        ..ZonePage::default()
                    };
                    page = page.completed_by(of);
                }
                ParsedPluginEvent::BasketSet(lines) => {
                    basket = Some(lines.iter().map(|line| line.product.clone()).collect());
                }
                _ => {}
            }
        }
        Self { zones, viewed, page, basket }
    }

    /// Number of zones.
    pub fn count(&self) -> usize {
        self.zones.len()
    }

    /// The products whose catalogue ids are needed; none where no zone is asked for.
    pub fn products(&self) -> impl Iterator<Item = &String> {
        let of_zones = self.zones.iter().filter_map(|(_, page)| page.product.as_ref());
        let all =
            self.viewed.iter().chain(&self.page.product).chain(of_zones).chain(self.basket.iter().flatten());
        all.filter(|_| !self.zones.is_empty())
    }

    /// Request for the zones, in the catalogue's ids.
    pub fn filling(
        self,
        items: &ResolvedItems,
        shopper: ShopperIdentity,
        group: u8,
        (needed, turn_of): (WantedFields, TurnOf),
    ) -> PageZonesRequest {
        let id_of = |sent: String| store::find_item(items, &sent).map(|item| item.product);
        let shown = |page: ZonePage| ZonePage { product: page.product.and_then(id_of), ..page };
        let Self { zones, viewed, page, basket } = self;
        PageZonesRequest {
            zones: zones
                .into_iter()
                .map(|(zone, own)| (zone, shown(own.completed_by(page.clone()))))
                .collect(),
            viewed: viewed.into_iter().filter_map(id_of).collect(),
            basket: basket.map(|lines| lines.into_iter().filter_map(id_of).collect()),
            shopper,
            group,
            needed,
            turn_of,
        }
    }
}
