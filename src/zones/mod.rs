//! Zones: places of a shop's pages, and their content. Pure: the content is looked up elsewhere.
//!
//! A shop has one list of campaigns. Among a zone's campaigns whose conditions hold, the first that has something to
//! show is shown; after it comes the zone's content without any campaign. So the usual zones are full from the first
//! day.

mod defaults;
mod page;
mod plain;
mod read;
pub mod template;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

pub use defaults::{NUMBERS, PREFIXES, of_zone};
pub use page::{PageKind, ZonePage};
pub use plain::is_plain;
pub use read::{CampaignFault, parse_campaigns};

use crate::clock::ValidityPeriod;
use crate::recommend::recommender::Recommender;
use template::Template;

/// Content of a zone under some conditions, as it is written and stored.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "PascalCase", deny_unknown_fields)]
pub struct Campaign {
    /// Names it.
    pub id: String,
    /// The zone, as the page calls it, such as `HP-01`.
    pub zone: String,
    /// Title over its content.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schema(required = false)]
    pub title: String,
    /// Kinds of pages to which it is limited, such as `product_page`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub pages: Vec<PageKind>,
    /// Ids of the categories to whose pages it is limited.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub categories: Vec<String>,
    /// Brands to whose pages it is limited.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub brands: Vec<String>,
    /// Products to whose pages it is limited.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub products: Vec<String>,
    /// Moment from which it is shown (RFC 3339).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = String)]
    pub from: Option<String>,
    /// Moment from which it is no longer shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = String)]
    pub until: Option<String>,
    /// Number of visitors in 100 who see it, always the same ones; the others see the zone's next content. Without it:
    /// all visitors.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = u8, minimum = 1, maximum = 99)]
    pub share: Option<u8>,
    /// Products that are recommended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = CampaignProducts)]
    pub products_shown: Option<CampaignProducts>,
    /// Categories: those of the viewed products, then those of the recommended ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = Kinds)]
    pub categories_shown: Option<Kinds>,
    /// Brands, chosen like categories.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = Kinds)]
    pub brands_shown: Option<Kinds>,
    /// A text of HTML, which goes to the page as it is.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schema(required = false)]
    pub html: String,
    /// `Html` stands in a window above the page, until it is closed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    pub popup: bool,
    /// Pictures: of several one is seen at a time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub images: Vec<Picture>,
    /// Draws the products: `title`, `zone` and `items` in the language of Jinja, with `if` and `for`. One for all zones
    /// (`*`) applies where the zone's campaign has none of its own.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schema(required = false)]
    pub template: String,
    /// Nothing stands there.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    pub empty: bool,
}

/// Selection of the products that a zone shows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "PascalCase", deny_unknown_fields)]
pub struct CampaignProducts {
    /// Recommender of the products, as in `/api/recommend`.
    #[serde(default, skip_serializing_if = "is_default")]
    #[schema(required = false, value_type = String)]
    pub recommender: Recommender,
    /// Number shown; by default 12.
    #[serde(default = "twelve", skip_serializing_if = "is_twelve")]
    #[schema(required = false, minimum = 1, maximum = 50)]
    pub size: usize,
    /// Least number; with fewer the zone shows its next content.
    #[serde(default, skip_serializing_if = "is_default")]
    #[schema(required = false, minimum = 0, maximum = 50)]
    pub min: usize,
    /// Filters of the products, as in a search.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    #[schema(required = false, value_type = Object)]
    pub filters: Map<String, Value>,
    /// Only products of the page's category or brand, on a page that has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = Within)]
    pub within: Option<Within>,
    /// Items have `jsonconfig` and `swatchrenderjson`, so that a page can show the colours of a product.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    pub swatches: bool,
}

/// Number of categories or brands that a zone shows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "PascalCase", deny_unknown_fields)]
#[schema(as = CampaignKinds)]
pub struct Kinds {
    /// Number shown; by default 12.
    #[serde(default = "twelve", skip_serializing_if = "is_twelve")]
    #[schema(required = false, minimum = 1, maximum = 50)]
    pub size: usize,
    /// Least number; with fewer the zone shows its next content.
    #[serde(default, skip_serializing_if = "is_default")]
    #[schema(required = false, minimum = 0, maximum = 50)]
    pub min: usize,
}

/// Property of the page that the products have to share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Within {
    /// They are in its category.
    Category,
    /// They are of its brand.
    Brand,
}

/// A picture.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "PascalCase", deny_unknown_fields)]
#[schema(as = CampaignPicture)]
pub struct Picture {
    /// Its address.
    pub src: String,
    /// Description for people who do not see it.
    pub alt: String,
    /// Address to which a click leads.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schema(required = false)]
    pub link: String,
}

const fn twelve() -> usize {
    12
}

fn is_twelve(number: &usize) -> bool {
    *number == twelve()
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl Default for CampaignProducts {
    fn default() -> Self {
        let recommender = Recommender::Default;
        Self { recommender, size: twelve(), min: 0, filters: Map::new(), within: None, swatches: false }
    }
}

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
pub struct Look<'l> {
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
    pub fn of_stored(text: &str) -> Self {
        let all: Vec<Value> = serde_json::from_str(text).unwrap_or_default();
        let read = |campaign| serde_json::from_value::<Campaign>(campaign).ok();
        all.into_iter().filter_map(read).collect::<Vec<_>>().into()
    }

    /// Campaigns that may fill a zone, in their order; for an unknown zone at most that of the control group.
    pub fn of_zone<'c>(&'c self, zone: &str, look: Look<'_>) -> Vec<Cow<'c, Campaign>> {
        let is_its = |ready: &&PreparedCampaign| ready.campaign.is_of(zone) && ready.holds(look);
        let is_control =
            |ready: &&PreparedCampaign| ready.campaign.is_of_every_zone() && ready.campaign.empty;
        let of_every = |ready: &&PreparedCampaign| is_control(ready) && ready.holds(look);
        // The control group sees no content at all: its campaign comes first.
        let own = self.0.iter().filter(of_every).take(1).chain(self.0.iter().filter(is_its));
        let own = own.map(|ready| Cow::Borrowed(&ready.campaign));
        own.chain(of_zone(zone).map(Cow::Owned)).collect()
    }

    /// Template for the products of a campaign: its own, or the first of a campaign for all zones that has one and
    /// whose conditions hold.
    #[must_use]
    pub fn template(&self, campaign: &Campaign, look: Look<'_>) -> Option<&Template> {
        let is_own = |ready: &&PreparedCampaign| ready.template.is_some() && ready.campaign.id == campaign.id;
        let of_every = |ready: &&PreparedCampaign| {
            let holds = ready.holds(look);
            ready.template.is_some() && ready.campaign.is_of_every_zone() && holds
        };
        let found = self.0.iter().find(is_own).or_else(|| self.0.iter().find(of_every));
        found.and_then(|ready| ready.template.as_ref())
    }

    /// Returns true if there is a zone of this name.
    #[must_use]
    pub fn knows(&self, zone: &str) -> bool {
        of_zone(zone).is_some() || self.0.iter().any(|ready| ready.campaign.is_of(zone))
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

impl Campaign {
    /// Returns true if it is for all zones, like that of the control group, which hides their content.
    #[must_use]
    pub fn is_of_every_zone(&self) -> bool {
        self.zone == EVERY_ZONE
    }

    fn is_of(&self, zone: &str) -> bool {
        self.zone.eq_ignore_ascii_case(zone) && !self.is_of_every_zone()
    }
}

/// All zones.
pub const EVERY_ZONE: &str = "*";

impl PreparedCampaign {
    fn holds(&self, Look { page, group, now }: Look<'_>) -> bool {
        let Campaign { pages, categories, brands, products, share, .. } = &self.campaign;
        let is_of = |wanted: &[String], own: &Option<String>| {
            wanted.is_empty() || own.as_ref().is_some_and(|own| wanted.contains(own))
        };
        let is_its_page = pages.is_empty() || page.kind.is_some_and(|kind| pages.contains(&kind));
        let is_its_time = self.span.holds(now);
        let is_in_share = share.is_none_or(|share| group < share);
        let is_its_kin = is_of(categories, &page.category) && is_of(brands, &page.brand);
        is_its_page && is_its_time && is_in_share && is_its_kin && is_of(products, &page.product)
    }
}
