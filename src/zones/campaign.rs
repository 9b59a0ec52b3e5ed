//! A campaign of a zone.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::page::PageKind;
use crate::recommend::recommender::Recommender;

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
    #[schema(required = false, value_type = CampaignItemCount)]
    pub categories_shown: Option<CampaignItemCount>,
    /// Brands, chosen like categories.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = CampaignItemCount)]
    pub brands_shown: Option<CampaignItemCount>,
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
    pub images: Vec<CampaignPicture>,
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
    #[serde(default = "default_size", skip_serializing_if = "is_default_size")]
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
pub struct CampaignItemCount {
    /// Number shown; by default 12.
    #[serde(default = "default_size", skip_serializing_if = "is_default_size")]
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
pub struct CampaignPicture {
    /// Its address.
    pub src: String,
    /// Description for people who do not see it.
    pub alt: String,
    /// Address to which a click leads.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schema(required = false)]
    pub link: String,
}

pub(super) const fn default_size() -> usize {
    12
}

pub(super) fn is_default_size(number: &usize) -> bool {
    *number == default_size()
}

pub(super) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl Default for CampaignProducts {
    fn default() -> Self {
        let recommender = Recommender::Default;
        Self { recommender, size: default_size(), min: 0, filters: Map::new(), within: None, swatches: false }
    }
}

impl Campaign {
    /// Returns true if it is for all zones, like that of the control group, which hides their content.
    #[must_use]
    pub fn is_for_every_zone(&self) -> bool {
        self.zone == EVERY_ZONE
    }

    pub(super) fn is_for_zone(&self, zone: &str) -> bool {
        self.zone.eq_ignore_ascii_case(zone) && !self.is_for_every_zone()
    }
}

/// All zones.
pub const EVERY_ZONE: &str = "*";
