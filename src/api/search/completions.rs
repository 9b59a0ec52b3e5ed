//! Suggestions while a shopper types, as they are sent.

use serde_json::value::RawValue;

use super::answer_budget::AnswerRoom;
use super::hit::reduced_from;
use crate::limits;
use crate::search::autocomplete::{Completion, Completions};
use crate::search::engine::ProductResult;
use crate::search::pricing::Price;

/// Suggestions while a shopper types.
#[derive(serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "PascalCase")]
pub struct AutocompleteAnswer {
    queries: Vec<AutocompleteOffer>,
    products: Vec<AutocompleteProduct>,
    categories: Vec<AutocompleteOffer>,
    brands: Vec<AutocompleteOffer>,
}

/// Something that is offered.
#[derive(serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "PascalCase")]
#[schema(as = AutocompleteOffer)]
struct AutocompleteOffer {
    text: String,
    /// Number of products that it leads to.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = u32)]
    count: Option<u32>,
    /// Id of a category or brand.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = String)]
    id: Option<String>,
}

/// A product that is offered, with the content of a small card.
#[derive(serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "PascalCase")]
#[schema(as = AutocompleteProduct)]
struct AutocompleteProduct {
    /// Its title.
    text: String,
    id: String,
    /// Address of its picture.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[schema(required = false)]
    image: String,
    /// Its price, in the currency of the account.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = f64)]
    price: Option<Box<RawValue>>,
    /// Usual price, if the price is lower.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = f64)]
    list_price: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = String)]
    currency: Option<String>,
}

impl AutocompleteAnswer {
    /// Completions, and the products of the first of them.
    pub(super) fn from_completions(found: Completions, products: &[ProductResult]) -> Self {
        let Completions { queries, categories, brands, .. } = found;
        let mut room = AnswerRoom::default();
        // No shopper reads an offer longer than a page.
        let mut fit = |bytes: usize| room.try_take(bytes + OFFER_BYTES);
        let mut offers = |found: Vec<Completion>| -> Vec<AutocompleteOffer> {
            found.into_iter().map(AutocompleteOffer::from).filter(|offer| fit(offer.text.len())).collect()
        };
        let queries = offers(queries);
        let categories = offers(categories);
        let brands = offers(brands);
        let products = products.iter().filter(|item| fit_card(&item.card)).map(AutocompleteProduct::from);
        let products = products.filter(|offer| fit(offer.text.len() + offer.image.len()));
        Self { queries, products: products.collect(), categories, brands }
    }
}

/// Bytes around the text of an offer: its id, its count and its prices.
const OFFER_BYTES: usize = limits::ITEM_ID_BYTES + 128;

/// Returns true if a product's card is short enough to be searched for a title.
fn fit_card(card: &[u8]) -> bool {
    card.len() <= limits::ANSWER_BYTES
}

impl From<Completion> for AutocompleteOffer {
    fn from(Completion { text, products, id }: Completion) -> Self {
        Self {
            text,
            count: Some(products).filter(|count| *count > 0),
            id: Some(id).filter(|id| !id.is_empty()),
        }
    }
}

impl From<&ProductResult> for AutocompleteProduct {
    fn from(item: &ProductResult) -> Self {
        #[derive(Default, serde::Deserialize)]
        #[serde(rename_all = "PascalCase", default)]
        struct Pictured {
            title: String,
            image: String,
        }
        let Pictured { title, image } = serde_json::from_slice(&item.card).unwrap_or_default();
        let number = |price: Price| RawValue::from_string(price.decimal()).ok();
        Self {
            text: title,
            id: item.id.clone(),
            image,
            price: item.offered.price.and_then(number),
            list_price: reduced_from(&item.offered).and_then(number),
            currency: item.offered.price.map(|price| price.code().to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::api::testing::{offer, product};

    #[test]
    fn offers_tell_their_count_and_their_id_where_they_have_one() {
        let completion = |text: &str, products: u32, id: &str| Completion {
            text: text.to_owned(),
            products,
            id: id.to_owned(),
        };
        let found = Completions {
            queries: vec![completion("shoe", 3, ""), completion("shoes", 0, "")],
            products: vec![completion("not here", 1, "x")],
            categories: vec![completion("Shoes", 1, "c")],
            brands: vec![completion("Shoemaker", 0, "b")],
        };
        let products =
            [product("1", &json!({"Title": "T"}), &json!({})), product("2", &json!({"Id": "2"}), &json!({}))];
        let answer = AutocompleteAnswer::from_completions(found, &products);
        let expected = json!({
            "Queries": [{"Text": "shoe", "Count": 3}, {"Text": "shoes"}],
            "Products": [{"Text": "T", "Id": "1"}, {"Text": "", "Id": "2"}],
            "Categories": [{"Text": "Shoes", "Count": 1, "Id": "c"}],
            "Brands": [{"Text": "Shoemaker", "Id": "b"}]
        });
        assert_eq!(serde_json::to_value(answer).expect("JSON"), expected);
    }

    #[test]
    fn a_product_that_is_offered_has_its_picture_and_its_prices() {
        let card = json!({"Title": "T", "Image": "/a.png"});
        let written = |price: &str, list: &str| {
            let item = ProductResult { offered: offer(price, list), ..product("1", &card, &json!({})) };
            serde_json::to_string(&AutocompleteProduct::from(&item)).expect("JSON")
        };
        let start = r#"{"Text":"T","Id":"1","Image":"/a.png""#;
        for (price, list, more) in [
            ("", "3.00 GBP", ""),
            ("2.00 GBP", "", r#","Price":2.00,"Currency":"GBP""#),
            ("2.00 GBP", "2.00 GBP", r#","Price":2.00,"Currency":"GBP""#),
            ("2.00 GBP", "2.01 GBP", r#","Price":2.00,"ListPrice":2.01,"Currency":"GBP""#),
        ] {
            assert_eq!(written(price, list), format!("{start}{more}}}"), "{price} {list}");
        }
    }

    #[test]
    fn an_offer_without_room_is_left_out_and_a_shorter_one_behind_it_is_not() {
        let offer = |bytes: usize| Completion { text: "x".repeat(bytes), ..Completion::default() };
        let whole = limits::ANSWER_BYTES - OFFER_BYTES;
        let texts = |queries: Vec<usize>| {
            let found =
                Completions { queries: queries.into_iter().map(offer).collect(), ..Completions::default() };
            let answer = AutocompleteAnswer::from_completions(found, &[]);
            answer.queries.iter().map(|offer| offer.text.len()).collect::<Vec<_>>()
        };
        assert_eq!(texts(vec![whole]), [whole]);
        assert_eq!(texts(vec![whole + 1, 1]), [1]);
        assert_eq!(texts(vec![whole - OFFER_BYTES - 1, 2, 1]), [whole - OFFER_BYTES - 1, 1]);
    }

    #[test]
    fn a_card_as_long_as_an_answer_is_searched_for_a_title_and_a_longer_one_is_not() {
        let card = vec![b' '; limits::ANSWER_BYTES + 1];
        assert!(fit_card(&card[1..]) && !fit_card(&card));
    }
}
