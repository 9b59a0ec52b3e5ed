//! What stands in the zones of a page.

use std::sync::Arc;
use std::time::Instant;

use html_escape::encode_double_quoted_attribute as escaped;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::item;
use crate::accounts::Known;
use crate::derived::models::Shown as Model;
use crate::derived::search::Shown;
use crate::http::recommend;
use crate::http::recommend::chain::Recommending;
use crate::http::recommend::question::{RecommendRequest, Shopper};
use crate::http::refusal::Refusal;
use crate::http::search::in_turn;
use crate::limits;
use crate::node::Node;
use crate::recommend::recommender::Recommender;
use crate::reports::source::Source;
use crate::search::document::ObjectWriter;
use crate::search::engine::{Snapshot, Wanted};
use crate::search::offer::{Caller, Purpose};
use crate::search::query::facets::check_currency;
use crate::search::query::filters::Filters;
use crate::zones::template::{Drawn, Template};
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
    /// Who it is, where that is known.
    pub shopper: Shopper,
    /// The group that the visitor is in: 0 to 99.
    pub group: u8,
}

/// What stands in a zone.
pub struct Filled {
    /// The zone.
    pub zone: String,
    /// The id of the campaign; empty where the zone shows what it shows without one.
    pub campaign: String,
    /// As what it counts in reports.
    pub source: Option<Source>,
    /// What clients read: an object. `None`: nothing stands there.
    pub content: Option<String>,
    /// Why campaigns before it were passed over, each with its id; and why its template does not draw it.
    pub passed: Vec<(String, &'static str)>,
    /// Whether there is such a zone.
    pub is_known: bool,
}

/// The zones of a page in JSON, without those in which nothing stands; the clients read an object by their ids. And
/// what of it reports count.
///
/// # Errors
/// A refusal when there is no turn in time, or the search's index cannot be used.
pub async fn filled(
    node: &Node,
    known: &Arc<Known>,
    caller: Caller,
    filling: Filling,
) -> Result<(Box<RawValue>, Vec<Source>), Refusal> {
    let campaigns = known.campaigns.clone();
    let asked = filling.zones.len();
    let filled = computed_all(
        node,
        known,
        caller,
        move || Ok(campaigns),
        filling,
        |all| {
            all.iter().for_each(count_one);
            let mut seen: Vec<_> = all.iter().filter_map(|filled| filled.source.clone()).collect();
            seen.dedup();
            let shown =
                all.into_iter().filter_map(|filled| filled.content.map(|content| (filled.zone, content)));
            let mut object = ObjectWriter::default();
            shown.for_each(|(zone, content)| object.raw(&zone, &content));
            let zones = RawValue::from_string(text_of(object)?).map_err(|_| Refusal::fault())?;
            Ok((zones, seen))
        },
    );
    // red: it::zones::sqlite::zones_keep_no_page_waiting
    let longest =
        mutant!("a-page-waits-for-its-zones", limits::ZONES_WAIT_DURATION, 9 * limits::ZONES_WAIT_DURATION);
    let filled = tokio::time::timeout(longest, filled).await.unwrap_or_else(|_| Err(Refusal::busy()));
    if let Err(refusal) = &filled {
        count("left_out", asked);
        tracing::warn!(
            account = known.account.id.0,
            why = refusal.sentence(),
            "the zones of a page were left out"
        );
    }
    filled
}

fn text_of(object: ObjectWriter) -> Result<String, Refusal> {
    String::from_utf8(object.finish()).map_err(|_| Refusal::fault())
}

/// Finds out what stands in zones with these `campaigns`, in the account's turn, and gives what is `told` of it.
///
/// # Errors
/// As [`filled`].
pub async fn computed_all<T: Send + 'static>(
    node: &Node,
    known: &Arc<Known>,
    caller: Caller,
    campaigns: impl FnOnce() -> Result<Arc<CampaignList>, Refusal> + Send + 'static,
    filling: Filling,
    told: impl FnOnce(Vec<Filled>) -> Result<T, Refusal> + Send + 'static,
) -> Result<T, Refusal> {
    let account = known.account.id;
    let Shown { snapshot, .. } = node.derived.searches().shown(account).await?;
    let model = recommend::model(node, account).await;
    let caller = Caller { purpose: Purpose::Recommendation, ..caller };
    let set = known.clone();
    let work = move || {
        let campaigns = campaigns()?;
        let begun = Instant::now();
        let mut page = Filler {
            known: &set,
            snapshot: &snapshot,
            model: &model,
            caller,
            begun,
            taken: Vec::new(),
            undrawn: None,
        };
        let zones = filling.zones.iter();
        let all = zones.map(|(zone, of)| page.fill(zone, of, &campaigns, &filling)).collect::<Result<_, _>>();
        told(all?)
    };
    in_turn(node, known, work).await
}

/// Fills the zones of one page, one after the other.
struct Filler<'f> {
    known: &'f Known,
    snapshot: &'f Snapshot,
    model: &'f Model,
    caller: Caller,
    /// When the first zone was begun.
    begun: Instant,
    /// Products that an earlier zone of the page shows.
    taken: Vec<String>,
    /// Why a template could not draw the zone that is being filled.
    undrawn: Option<&'static str>,
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
        let is_known = campaigns.knows(zone);
        let mut filled = Filled {
            zone: zone.to_owned(),
            campaign: String::new(),
            source: None,
            content: None,
            passed: Vec::new(),
            is_known,
        };
        let mut control = None;
        for campaign in campaigns.of_zone(zone, look) {
            if campaign.is_of_every_zone() {
                control = Some(campaign.into_owned().id);
                continue;
            }
            // red: it::zones::sqlite::a_zone_asks_for_so_many_recommendations
            let is_too_many = mutant!(
                "a-zone-asks-for-any-number",
                filled.passed.len() >= limits::ZONE_CAMPAIGNS_TRIED,
                false
            );
            if is_too_many || self.begun.elapsed() > limits::ZONES_WAIT_DURATION {
                filled
                    .passed
                    .push((campaign.id.clone(), "too many before it, or too slow ones, had nothing to show"));
                break;
            }
            let template = campaigns.template(&campaign, look);
            let content = self.content(&campaign, template, page, filling)?;
            if let Some(why) = self.undrawn.take() {
                filled.passed.push((campaign.id.clone(), why));
            }
            match content {
                Ok(content) => {
                    filled.content = content;
                    filled.source = source_of(&campaign);
                    filled.campaign = campaign.into_owned().id;
                    break;
                }
                Err(why) => filled.passed.push((campaign.id.clone(), why)),
            }
        }
        // The control group is of those to whom something would be shown, as the others are.
        // red: it::reporting::sqlite::a_control_group_sees_no_zones
        if let Some(id) = mutant!("a-control-group-sees-all", control, None) {
            filled.source = filled.content.take().map(|_| Source::Control);
            filled.campaign = id;
        }
        Ok(filled)
    }

    /// What a campaign shows, or why it has nothing to show here; `None` where it wants that nothing is shown.
    fn content(
        &mut self,
        campaign: &Campaign,
        template: Option<&Template>,
        page: &Page,
        filling: &Filling,
    ) -> Result<Result<Option<String>, &'static str>, Refusal> {
        if let Some(products) = &campaign.products_shown {
            return self.products((campaign, products), template, page, filling);
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
        (campaign, products): (&Campaign, &Products),
        template: Option<&Template>,
        page: &Page,
        filling: &Filling,
    ) -> Result<Result<Option<String>, &'static str>, Refusal> {
        let Ok(filters) = self.filters(products, page) else {
            return Ok(Err(
                "its Filters name an attribute that no product has, or a price without a currency",
            ));
        };
        let is_own = matches!(products.recommender, Recommender::RecentlyViewed | Recommender::BuyAgain);
        let asked = RecommendRequest {
            recommender: products.recommender,
            items: filling.viewed.clone(),
            shopper: filling.shopper,
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
        let source = source_of(campaign).map(|source| source.to_string()).unwrap_or_default();
        let mut items = Vec::with_capacity(found.len());
        for (item, _) in &found {
            match item::json(item, &source, language) {
                Ok(item) => items.push(item),
                Err(_) => {
                    tracing::error!(account = self.known.account.id.0, "a product of the index is damaged")
                }
            }
        }
        let title = match &*campaign.title {
            "" => item::title(products.recommender, language),
            title => title.to_owned(),
        };
        let mut zone = ObjectWriter::default();
        zone.member("type", &"recommender-product");
        zone.member("title", &title);
        zone.raw("items", &format!("[{}]", items.join(",")));
        if let Some(template) = template {
            let items: Vec<_> = items.iter().map(|item| item::for_html(item)).collect();
            match template.draw(&Drawn { zone: &campaign.zone, title: &title, items: &items }) {
                Ok(html) => zone.member("html", &html),
                // A page has its own way to draw them.
                Err(why) => self.undrawn = Some(why),
            }
        }
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
        let filters = Filters::parse(&filters, self.snapshot.knowledge().columns())?;
        check_currency(&filters, &[], self.caller.currency.is_some())?;
        Ok(filters)
    }
}

/// As what a campaign counts in reports; `None` where it wants that nothing is shown.
fn source_of(campaign: &Campaign) -> Option<Source> {
    if campaign.empty {
        return None;
    }
    let recommender = campaign.products_shown.as_ref().map_or("", |products| products.recommender.name());
    Some(Source::Zone {
        zone: campaign.zone.clone(),
        recommender: recommender.to_owned(),
        campaign: campaign.id.clone(),
    })
}

fn picture(Picture { src, alt, link }: &Picture) -> String {
    let image = format!("<img src=\"{}\" alt=\"{}\">", escaped(src), escaped(alt));
    if link.is_empty() { image } else { format!("<a href=\"{}\">{image}</a>", escaped(link)) }
}

fn count_one(filled: &Filled) {
    let outcome = match (&filled.content, filled.is_known) {
        (Some(_), _) => "shown",
        (None, true) => "empty",
        // red: it::zones::sqlite::a_zone_that_there_is_not_is_left_out_and_counted
        (None, false) => mutant!("unknown-zones-are-not-counted", "unknown", "empty"),
    };
    count(outcome, 1);
}

fn count(outcome: &'static str, zones: usize) {
    metrics::counter!("lethe_zones_total", "outcome" => outcome).increment(zones as u64);
}
