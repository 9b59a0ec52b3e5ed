//! Request for recommendations, as it is sent.

use serde_json::Value;

use crate::api::json_fields::{JsonFields, RequestFields};
use crate::api::question::FromFields;
use crate::api::search::{currency, needed_fields, number, value};
use crate::limits;
use crate::recommend::model::Person;
use crate::recommend::recommender::Recommender;
use crate::search::engine::Diversity;
use crate::search::pricing::Currency;
use crate::transport::refusal::Refusal;

/// A question for recommendations.
#[derive(utoipa::ToSchema, Default)]
pub struct RecommendRequest {
    /// By what: `default`, `for_you`, `also_viewed`, `similar`, `bought_together`, `also_bought`, `best_sellers`,
    /// `trending`, `most_viewed`, `category`, `brand`, `new_arrivals`, `recently_viewed`, `buy_again`. Where one finds
    /// too few, others follow; the last two stand alone.
    #[schema(rename = "Recommender", required = false, value_type = String)]
    pub recommender: Recommender,
    /// Ids of the products that the shopper looked at, the newest last; the newest is not recommended.
    #[schema(rename = "Items", required = false, example = json!(["4711"]))]
    pub items: Vec<String>,
    /// The session, as the answer to events names it: without `Items` its events count; they are excluded from the
    /// statistics.
    #[schema(rename = "SessionId", required = false, value_type = String)]
    pub session: Option<u128>,
    /// The product of the page: it counts as the last one viewed, whatever else is known.
    #[schema(rename = "Product", required = false, value_type = String)]
    pub product: Option<String>,
    /// The shopper, if known otherwise than by a session.
    #[schema(ignore)]
    pub shopper: ShopperIdentity,
    /// True if `product` is that of the page, and `None` means that the page has none: then no product is left out of
    /// the recently viewed ones.
    #[schema(ignore)]
    pub knows_page: bool,
    /// Ids of the products in the basket now, if the caller knows it better than the session's events.
    #[schema(rename = "Basket", required = false, value_type = Vec<String>)]
    pub basket: Option<Vec<String>>,
    /// Ids of unwanted products; those in the session's basket are left out anyway.
    #[schema(rename = "Exclude", required = false)]
    pub exclude: Vec<String>,
    /// True to leave out the purchases of the session's shopper too; by default they stay.
    #[schema(rename = "ExcludeBought", required = false)]
    pub exclude_bought: bool,
    /// Number of products; by default 12.
    #[schema(rename = "Size", required = false, minimum = 1, maximum = 100)]
    pub size: usize,
    /// With fewer products than this the answer has none: a page shows a full row, or no row.
    #[schema(rename = "Min", required = false, minimum = 0, maximum = 100)]
    pub min: usize,
    /// `Brand`, `Category`: most products of one, as long as there are others.
    #[schema(rename = "Diversity", required = false, value_type = Object, example = json!({"Brand": 2}))]
    pub diversity: Diversity,
    /// Conditions that the products have to meet, as in a search.
    #[schema(rename = "Filters", required = false, value_type = Object)]
    pub filters: Value,
    /// Three letters: of prices.
    #[schema(rename = "Currency", required = false, value_type = String, pattern = "^[A-Z]{3}$")]
    pub currency: Option<Currency>,
    /// Fields of a product to answer, `*` for all; by default those of a card, as in a search.
    #[schema(rename = "Fields", required = false)]
    pub fields: Vec<String>,
}

/// The shopper of the request.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ShopperIdentity {
    /// A session, if one is named, or an unknown shopper.
    #[default]
    Unknown,
    /// A person whose history counts.
    Known(Person),
    /// A person whose history is not read: it is only excluded from the statistics.
    LeftOut(Person),
}

/// The recommender of a request.
fn recommender(fields: &JsonFields<'_>) -> Result<Recommender, Refusal> {
    let name = fields.opt_text(&["Recommender"])?.filter(|name| !name.is_empty());
    let Some(name) = name else { return Ok(Recommender::Default) };
    let names = || Recommender::ALL.map(Recommender::name).join(", ");
    Recommender::from_name(&name)
        .ok_or_else(|| Refusal::malformed(format!("Recommender is one of {}", names())))
}

impl FromFields for RecommendRequest {
    const ACCESS_KEY: &str = "AppKey";
    const NAMES: &[&[&str]] = &[&[
        "Recommender",
        "Items",
        "SessionId",
        "Product",
        "Basket",
        "Exclude",
        "ExcludeBought",
        "Size",
        "Min",
        "Diversity",
        "Filters",
        "Currency",
        "Fields",
    ]];

    fn from_fields(fields: &JsonFields<'_>) -> Result<Self, Refusal> {
        let items = fields.opt_texts("Items")?.unwrap_or_default();
        let exclude = fields.opt_texts("Exclude")?.unwrap_or_default();
        let basket = fields.opt_texts("Basket")?;
        let in_basket = basket.as_deref().unwrap_or_default();
        for (name, ids) in [("Items", &*items), ("Exclude", &*exclude), ("Basket", in_basket)] {
            if ids.len() > limits::RECOMMEND_IDS {
                return Err(Refusal::malformed(format!("{name} has up to {} ids", limits::RECOMMEND_IDS)));
            }
        }
        Ok(Self {
            recommender: recommender(fields)?,
            items,
            session: session(fields)?,
            product: fields.opt_id("Product")?,
            shopper: ShopperIdentity::Unknown,
            knows_page: false,
            basket,
            exclude,
            exclude_bought: fields.flag(&["ExcludeBought"])?,
            size: number(fields, "Size", 12, 1..=limits::RECOMMENDED_ITEMS)?,
            min: number(fields, "Min", 0, 0..=limits::RECOMMENDED_ITEMS)?,
            diversity: diversity(fields)?,
            filters: value(fields, "Filters")?,
            currency: currency(fields)?,
            fields: needed_fields(fields)?,
        })
    }
}

/// A session, if one is named.
///
/// # Errors
/// A refusal when it cannot be one.
pub fn session(fields: &JsonFields<'_>) -> Result<Option<u128>, Refusal> {
    let session = fields.opt_text(&["SessionId"])?.filter(|id| !id.is_empty());
    let malformed = |_| Refusal::malformed("SessionId has to be one that an answer to events named");
    let session = session.map(|id| uuid::Uuid::try_parse(&id)).transpose().map_err(malformed)?;
    Ok(session.map(|id| id.as_u128()))
}

fn diversity(fields: &JsonFields<'_>) -> Result<Diversity, Refusal> {
    let mut diversity = Diversity::default();
    let sent = value(fields, "Diversity")?;
    let members = match &sent {
        Value::Null => return Ok(diversity),
        Value::Object(members) => members,
        _ => return Err(Refusal::malformed("Diversity has to be an object, such as {\"Brand\": 2}")),
    };
    for (name, most) in members {
        let of = match name.as_str() {
            "Brand" => &mut diversity.brand,
            "Category" => &mut diversity.category,
            _ => return Err(Refusal::malformed("Diversity has Brand and Category")),
        };
        let count = most.as_u64().and_then(|most| usize::try_from(most).ok());
        let count = count.filter(|most| (1..=limits::RECOMMENDED_ITEMS).contains(most));
        if count.is_none() && !most.is_null() {
            let sentence = format!("Diversity.{name} has to be 1 to {}", limits::RECOMMENDED_ITEMS);
            return Err(Refusal::malformed(sentence));
        }
        *of = count;
    }
    Ok(diversity)
}
