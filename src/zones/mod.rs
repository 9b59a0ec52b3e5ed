//! Zones: places of a shop's pages, and their content. Pure: the content is looked up elsewhere.
//!
//! A shop has one list of campaigns. Among a zone's campaigns whose conditions hold, the first that has something to
//! show is shown; after it comes the zone's content without any campaign. So the usual zones are full from the first
//! day.

mod campaign;
mod defaults;
mod html_allowlist;
mod page;
mod read;
pub mod template;
#[cfg(test)]
mod tests;
pub mod titles;

pub use self::campaign::{
    Campaign, CampaignItemCount, CampaignPicture, CampaignProducts, EVERY_ZONE, Within,
};

use std::borrow::Cow;

use serde_json::Value;

use self::template::Template;
use crate::clock::ValidityPeriod;

pub use self::defaults::{NUMBERS, PREFIXES, default_campaign};
pub use self::html_allowlist::is_plain;
pub use self::page::{PageKind, ZonePage};
pub use self::read::{CampaignFault, parse_campaigns};

/// The campaigns of a shop, ready for use.
#[derive(Debug, Default)]
pub struct CampaignList(Vec<PreparedCampaign>);

/// A campaign, with its moments parsed.
#[derive(Debug)]
struct PreparedCampaign {
    campaign: Campaign,
    span: ValidityPeriod,
    template: Option<Template>,
}

/// The page, the visitor and the time for which a zone is filled.
#[derive(Debug, Clone, Copy)]
pub struct ZoneContext<'l> {
    /// The page that it is on.
    pub page: &'l ZonePage,
    /// One of 100 groups that the visitor is in: 0 to 99.
    pub group: u8,
    /// Seconds since 1970.
    pub now: i64,
}

impl CampaignList {
    /// The campaigns of a shop from the stored text, as [`parse_campaigns`] returned it. They were checked when they
    /// were taken: a campaign that another version cannot read is dropped.
    #[must_use]
    pub fn from_stored(text: &str) -> Self {
        let all: Vec<Value> = serde_json::from_str(text).unwrap_or_default();
        let read = |campaign| serde_json::from_value::<Campaign>(campaign).ok();
        all.into_iter().filter_map(read).collect::<Vec<_>>().into()
    }

    /// Campaigns that may fill a zone, in their order; for an unknown zone at most that of the control group.
    pub fn list_for_zone<'c>(&'c self, zone: &str, context: ZoneContext<'_>) -> Vec<Cow<'c, Campaign>> {
        let is_its = |ready: &&PreparedCampaign| ready.campaign.is_for_zone(zone) && ready.applies(context);
        let is_control =
            |ready: &&PreparedCampaign| ready.campaign.is_for_every_zone() && ready.campaign.empty;
        let of_every = |ready: &&PreparedCampaign| is_control(ready) && ready.applies(context);
        // The control group sees no content at all: its campaign comes first.
        let own = self.0.iter().filter(of_every).take(1).chain(self.0.iter().filter(is_its));
        let own = own.map(|ready| Cow::Borrowed(&ready.campaign));
        own.chain(default_campaign(zone).map(Cow::Owned)).collect()
    }

    /// Template for the products of a campaign: its own, or the first of a campaign for all zones that has one and
    /// whose conditions hold.
    #[must_use]
    pub fn template(&self, campaign: &Campaign, context: ZoneContext<'_>) -> Option<&Template> {
        let is_own = |ready: &&PreparedCampaign| ready.template.is_some() && ready.campaign.id == campaign.id;
        let of_every = |ready: &&PreparedCampaign| {
            let applies = ready.applies(context);
            ready.template.is_some() && ready.campaign.is_for_every_zone() && applies
        };
        let found = self.0.iter().find(is_own).or_else(|| self.0.iter().find(of_every));
        found.and_then(|ready| ready.template.as_ref())
    }

    /// Returns true if there is a zone of this name.
    #[must_use]
    pub fn has_zone(&self, zone: &str) -> bool {
        default_campaign(zone).is_some() || self.0.iter().any(|ready| ready.campaign.is_for_zone(zone))
    }
}

impl From<Vec<Campaign>> for CampaignList {
    fn from(campaigns: Vec<Campaign>) -> Self {
        Self(campaigns.into_iter().map(PreparedCampaign::from).collect())
    }
}

impl From<Campaign> for PreparedCampaign {
    fn from(campaign: Campaign) -> Self {
        // It was checked when it was taken.
        let span =
            ValidityPeriod::parse(campaign.from.as_deref(), campaign.until.as_deref()).unwrap_or_default();
        let text = Some(&*campaign.template).filter(|text| !text.is_empty());
        let template = text.and_then(|text| Template::parse(text).ok());
        Self { campaign, span, template }
    }
}

impl PreparedCampaign {
    fn applies(&self, ZoneContext { page, group, now }: ZoneContext<'_>) -> bool {
        let Campaign { pages, categories, brands, products, share, .. } = &self.campaign;
        let is_of = |wanted: &[String], own: &Option<String>| {
            wanted.is_empty() || own.as_ref().is_some_and(|own| wanted.contains(own))
        };
        let is_its_page = pages.is_empty() || page.kind.is_some_and(|kind| pages.contains(&kind));
        let is_its_time = self.span.holds(now);
        let is_in_share = share.is_none_or(|share| group < share);
        let is_its_category_and_brand = is_of(categories, &page.category) && is_of(brands, &page.brand);
        is_its_page
            && is_its_time
            && is_in_share
            && is_its_category_and_brand
            && is_of(products, &page.product)
    }
}
