//! Suggestions while a shopper types, as they are sent.

use super::answer_budget::AnswerRoom;
use crate::limits;
use crate::search::autocomplete::{Completion, Completions};
use crate::search::engine::ProductResult;

/// Suggestions while a shopper types.
#[derive(serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "PascalCase")]
pub struct AutocompleteAnswer {
    queries: Vec<AutocompleteOffer>,
    products: Vec<AutocompleteOffer>,
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
    /// Id of a product, category or brand.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = String)]
    id: Option<String>,
}

impl AutocompleteAnswer {
    /// Completions, and the products of the first of them.
    pub(super) fn from_completions(found: Completions, products: &[ProductResult]) -> Self {
        let Completions { queries, categories, brands, .. } = found;
        let mut room = AnswerRoom::default();
        // No shopper reads an offer longer than a page.
        let mut fit = |offer: &AutocompleteOffer| room.try_take(offer.text.len() + OFFER_BYTES);
        let mut offers = |found: Vec<Completion>| -> Vec<AutocompleteOffer> {
            found.into_iter().map(AutocompleteOffer::from).filter(&mut fit).collect()
        };
        let queries = offers(queries);
        let categories = offers(categories);
        let brands = offers(brands);
        let products =
            products.iter().filter(|item| fit_card(&item.card)).map(AutocompleteOffer::from).filter(&mut fit);
        Self { queries, products: products.collect(), categories, brands }
    }
}

/// Bytes around the text of an offer: its id and its count.
const OFFER_BYTES: usize = limits::ITEM_ID_BYTES + 64;

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

impl From<&ProductResult> for AutocompleteOffer {
    fn from(item: &ProductResult) -> Self {
        #[derive(Default, serde::Deserialize)]
        #[serde(rename_all = "PascalCase", default)]
        struct Titled {
            title: String,
        }
        let Titled { title } = serde_json::from_slice(&item.card).unwrap_or_default();
        Self { text: title, count: None, id: Some(item.id.clone()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_card_as_long_as_an_answer_is_searched_for_a_title_and_a_longer_one_is_not() {
        let card = vec![b' '; limits::ANSWER_BYTES + 1];
        assert!(fit_card(&card[1..]) && !fit_card(&card));
    }
}
