//! Default content of the usual zones, without a campaign.

use super::campaign::{Campaign, CampaignProducts, Within};
use crate::recommend::recommender::Recommender;

/// Prefixes of the usual zones: home page, product page, product list, category, search results in two spellings,
/// basket, order complete, account.
pub const PREFIXES: [&str; 9] = ["HP", "PP", "PL", "CP", "SR", "SP", "BP", "OC", "AC"];
/// The numbers of the usual zones of a page.
pub const NUMBERS: std::ops::RangeInclusive<u8> = 1..=4;

/// Campaign of a zone for which the shop has none; `None` if the zone is not one of the usual ones.
#[must_use]
pub fn default_campaign(zone: &str) -> Option<Campaign> {
    let (prefix, number) = zone.split_once('-')?;
    let prefix = prefix.to_ascii_uppercase();
    let number = number.parse::<u8>().ok().filter(|number| NUMBERS.contains(number))?;
    let recommender = default_recommenders(&prefix)?[usize::from(number - 1)];
    let is_list = ["PL", "CP"].contains(&prefix.as_str());
    let within = is_list.then_some(Within::Category);
    let products = CampaignProducts { recommender, within, ..CampaignProducts::default() };
    Some(Campaign {
        zone: format!("{prefix}-{number:02}"),
        products_shown: Some(products),
        ..Campaign::default()
    })
}

fn default_recommenders(prefix: &str) -> Option<[Recommender; 4]> {
    use Recommender::{
        AlsoBought, AlsoViewed, BestSellers, BoughtTogether, BuyAgain, Default, ForYou, NewArrivals,
        RecentlyViewed, Similar, Trending,
    };
    Some(match prefix {
        "HP" => [ForYou, Trending, BestSellers, NewArrivals],
        "PP" => [AlsoViewed, BoughtTogether, Similar, RecentlyViewed],
        "PL" | "CP" => [Default, BestSellers, NewArrivals, RecentlyViewed],
        "SR" | "SP" => [Default, Trending, BestSellers, RecentlyViewed],
        "BP" => [BoughtTogether, AlsoBought, ForYou, RecentlyViewed],
        "OC" => [AlsoBought, ForYou, Trending, NewArrivals],
        "AC" => [ForYou, BuyAgain, RecentlyViewed, Trending],
        _ => return None,
    })
}
