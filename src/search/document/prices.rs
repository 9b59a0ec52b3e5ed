//! Lists of prices in rows.

use std::borrow::Cow;

use serde_json::value::RawValue;

use super::json;
use crate::search::pricing::{Price, PriceTerms};

/// The prices of a list.
pub(super) fn prices(value: &RawValue) -> Vec<Price> {
    json::elements(value).into_iter().filter_map(|element| Price::parse(&json::scalar(element))).collect()
}

/// Prices by customer group or account.
pub(super) fn keyed_prices(value: &RawValue) -> Vec<(String, PriceTerms)> {
    let read = |(key, entry): &(Cow<'_, str>, &RawValue)| {
        let mut terms = PriceTerms::default();
        for (name, value) in json::members(entry) {
            match &*name {
                "Prices" => terms.lists = prices(value),
                "SalePrices" => terms.sales = prices(value),
                _ => {}
            }
        }
        (key.clone().into_owned(), terms)
    };
    json::members(value).iter().map(read).collect()
}
