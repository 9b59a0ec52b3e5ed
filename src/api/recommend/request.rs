//! Reading of a request for recommendations.

use serde_json::Value;

use crate::api::from_fields::{FromFields, MemberNames};
use crate::api::json_fields::{JsonFields, RequestFields};
use crate::api::search::{currency, needed_fields, number, value};
use crate::limits;
use crate::personalise::request::{RecommendRequest, ShopperIdentity};
use crate::recommend::recommender::Recommender;
use crate::search::engine::Diversity;
use crate::transport::refusal::Refusal;

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
    const MEMBERS: MemberNames = MemberNames::Hints(&[&[
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
    ]]);

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

#[cfg(test)]
mod tests;
