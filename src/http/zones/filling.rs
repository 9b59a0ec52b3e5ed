//! What stands in the zones of a page.

use std::sync::Arc;

use html_escape::encode_double_quoted_attribute as escaped;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::item;
use crate::accounts::Known;
use crate::derived::models::Shown as Model;
use crate::derived::search::Shown;
use crate::http::recommend::chain::Recommending;
use crate::http::recommend::{self, question::RecommendRequest};
use crate::http::refusal::Refusal;
use crate::http::search::computed;
use crate::node::Node;
use crate::recommend::recommender::Recommender;
use crate::search::document::ObjectWriter;
use crate::search::engine::{Snapshot, Wanted};
use crate::search::offer::{Caller, Purpose};
use crate::search::query::filters::Filters;
use crate::zones::{Campaign, CampaignList, Look, Page, Picture, Products, Within};

/// What is asked of the zones of a page. Ids are the catalogue's.
#[derive(Default)]
pub struct Filling {
    /// The zones, each with the page that it is on.
    pub zones: Vec<(String, Page)>,
    /// What the shopper looked at, the newest last, where the session does not say so.
    pub viewed: Vec<String>,
    /// What is in the basket, where that is known.
    pub basket: Option<Vec<String>>,
    /// The session.
    pub session: Option<u128>,
    /// The group that the visitor is in: 0 to 99.
    pub group: u8,
}

/// What stands in a zone.
pub struct Filled {
    /// The zone.
    pub zone: String,
    /// The id of the campaign; empty where the zone shows what it shows without one.
    pub campaign: String,
    /// What clients read: an object. `None`: nothing stands there.
    pub content: Option<String>,
    /// Why campaigns before it were passed over, each with its id.
    pub passed: Vec<(String, &'static str)>,
}

/// The zones of a page in JSON, without those in which nothing stands; the clients read an object by their ids.
///
/// # Errors
/// A refusal when there is no turn in time, or the search's index cannot be used.
pub async fn filled(
    node: &Node,
    known: &Arc<Known>,
    caller: Caller,
    filling: Filling,
) -> Result<Box<RawValue>, Refusal> {
    let campaigns = known.campaigns.clone();
    let filled = computed_all(node, known, caller, campaigns, filling, |all| {
        let shown = all.into_iter().filter_map(|filled| filled.content.map(|content| (filled.zone, content)));
        let mut object = ObjectWriter::default();
        shown.for_each(|(zone, content)| object.raw(&zone, &content));
        text_of(object).and_then(|zones| RawValue::from_string(zones).map_err(|_| Refusal::fault()))
    });
    let zones = String::from_utf8(filled.await?).map_err(|_| Refusal::fault())?;
    RawValue::from_string(zones).map_err(|_| Refusal::fault())
}

fn text_of(object: ObjectWriter) -> Result<String, Refusal> {
    String::from_utf8(object.finish()).map_err(|_| Refusal::fault())
}

/// Finds out what stands in zones with these campaigns, in the account's turn, and gives what is `told` of it in JSON.
///
/// # Errors
/// As [`filled`].
pub async fn computed_all<T: serde::Serialize>(
    node: &Node,
    known: &Arc<Known>,
    caller: Caller,
    campaigns: Arc<CampaignList>,
    filling: Filling,
    told: impl FnOnce(Vec<Filled>) -> Result<T, Refusal> + Send + 'static,
) -> Result<Vec<u8>, Refusal> {
    let account = known.account.id;
    let Shown { snapshot, .. } = node.derived.searches().shown(account).await?;
    let model = recommend::model(node, account).await;
    let caller = Caller { purpose: Purpose::Recommendation, ..caller };
    let set = known.clone();
    let work = move || {
        let mut page = Filler { known: &set, snapshot: &snapshot, model: &model, caller, taken: Vec::new() };
        let zones = filling.zones.iter();
        let all = zones.map(|(zone, of)| page.fill(zone, of, &campaigns, &filling)).collect::<Result<_, _>>();
        told(all?)
    };
    computed(node, known, work).await
}

/// Fills the zones of one page, one after the other.
struct Filler<'f> {
    known: &'f Known,
    snapshot: &'f Snapshot,
    model: &'f Model,
    caller: Caller,
    /// Products that an earlier zone of the page shows.
    taken: Vec<String>,
}

impl Filler<'_> {
    fn fill(
        &mut self,
        zone: &str,
        page: &Page,
        campaigns: &CampaignList,
        filling: &Filling,
    ) -> Result<Filled, Refusal> {
        let look = Look { page, group: filling.group, now: self.caller.now };
        let mut passed = Vec::new();
        for campaign in campaigns.of_zone(zone, look) {
            let content = match self.content(&campaign, page, filling)? {
                Ok(content) => content,
                Err(why) => {
                    passed.push((campaign.id.clone(), why));
                    continue;
                }
            };
            count(if content.is_some() { "shown" } else { "empty" });
            let campaign = campaign.into_owned().id;
            return Ok(Filled { zone: zone.to_owned(), campaign, content, passed });
        }
        let is_known = campaigns.knows(zone);
        // red: it::zones::sqlite::a_zone_that_there_is_not_is_left_out_and_counted
        count(mutant!("unknown-zones-are-not-counted", if is_known { "empty" } else { "unknown" }, "empty"));
        Ok(Filled { zone: zone.to_owned(), campaign: String::new(), content: None, passed })
    }

    /// What a campaign shows, or why it has nothing to show here; `None` where it wants that nothing is shown.
    fn content(
        &mut self,
        campaign: &Campaign,
        page: &Page,
        filling: &Filling,
    ) -> Result<Result<Option<String>, &'static str>, Refusal> {
        if let Some(products) = &campaign.products_shown {
            return self.products(campaign, products, page, filling);
        }
        Ok(Ok(match &*campaign.images {
            [] if campaign.empty => None,
            [] => Some(json!({"type": "html", "html": campaign.html}).to_string()),
            [one] => Some(json!({"type": "staticimage", "html": picture(one)}).to_string()),
            several => {
                let all: String =
                    several.iter().map(|image| format!("<li>{}</li>", picture(image))).collect();
                Some(json!({"type": "carousel", "html": format!("<ul>{all}</ul>")}).to_string())
            }
        }))
    }

    fn products(
        &mut self,
        campaign: &Campaign,
        products: &Products,
        page: &Page,
        filling: &Filling,
    ) -> Result<Result<Option<String>, &'static str>, Refusal> {
        let Ok(filters) = self.filters(products, page) else {
            return Ok(Err("its Filters name something that no product has"));
        };
        let is_own = matches!(products.recommender, Recommender::RecentlyViewed | Recommender::BuyAgain);
        let asked = RecommendRequest {
            recommender: products.recommender,
            items: filling.viewed.clone(),
            session: filling.session,
            product: page.product.clone(),
            knows_page: true,
            basket: filling.basket.clone(),
            // red: it::zones::sqlite::no_product_stands_in_two_zones_of_a_page
            exclude: mutant!(
                "zones-repeat-each-other",
                if is_own { Vec::new() } else { self.taken.clone() },
                Vec::new()
            ),
            size: products.size,
            min: products.min,
            ..RecommendRequest::default()
        };
        let wanted =
            Wanted { filters: &filters, rules: self.known.search.rules.rules(), caller: &self.caller };
        let recommending = Recommending { asked: &asked, snapshot: self.snapshot, wanted: &wanted };
        let found = recommending.items(self.model)?;
        if found.is_empty() {
            return Ok(Err("there are no products, or fewer than its Min"));
        }
        self.taken.extend(found.iter().map(|(item, _)| item.id.clone()));
        let language = self.known.search.language();
        let items = found.iter().map(|(item, _)| item::json(item, &campaign.zone, language));
        let items = items.collect::<Result<Vec<_>, _>>().map_err(|_| Refusal::fault())?;
        let title = match &*campaign.title {
            "" => item::title(products.recommender, language),
            title => title.to_owned(),
        };
        let mut zone = ObjectWriter::default();
        zone.member("type", &"recommender-product");
        zone.member("title", &title);
        zone.raw("items", &format!("[{}]", items.join(",")));
        Ok(Ok(Some(text_of(zone)?)))
    }

    /// What the products have to be: as the campaign says, and of the page's own kin.
    fn filters(&self, products: &Products, page: &Page) -> Result<Filters, Refusal> {
        let mut filters = Value::Object(products.filters.clone());
        let kin = match products.within {
            Some(Within::Category) => page.category.as_ref().map(|id| ("Category", id)),
            Some(Within::Brand) => page.brand.as_ref().map(|id| ("Brand", id)),
            None => None,
        };
        if let Some((name, id)) = kin {
            filters[name] = json!([id]);
        }
        Ok(Filters::parse(&filters, self.snapshot.knowledge().columns())?)
    }
}

fn picture(Picture { src, alt, link }: &Picture) -> String {
    let image = format!("<img src=\"{}\" alt=\"{}\">", escaped(src), escaped(alt));
    if link.is_empty() { image } else { format!("<a href=\"{}\">{image}</a>", escaped(link)) }
}

fn count(outcome: &'static str) {
    metrics::counter!("lethe_zones_total", "outcome" => outcome).increment(1);
}
