//! The terms that a variant has of its own, and their bytes: what they leave out is the product's.
//!
//! Flags (a byte), the period of the sale, prices, sale prices, then the groups' and the accounts' prices, each only
//! where its flag is set, in the form of the product's terms.

use super::price::Price;
use super::terms::{
    Period, PriceTerms, join_account_prices, write_account_prices, write_groups, write_period, write_prices,
};

/// A flag of the encoded terms of a variant.
pub(super) mod variant_flag {
    /// The period of the sale prices follows.
    pub const SALE_IN_PERIOD: u8 = 1;
    /// Prices follow.
    pub const HAS_LISTS: u8 = 2;
    /// Sale prices follow.
    pub const HAS_SALES: u8 = 4;
    /// Prices of groups and accounts follow.
    pub const HAS_MORE: u8 = 8;
}

/// Prices of a variant that differ from its product's.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct VariantTerms {
    /// Its usual prices; an empty list: it has none.
    pub lists: Option<Vec<Price>>,
    /// Its prices during the sale; an empty list: it has none.
    pub sales: Option<Vec<Price>>,
    /// The period in which sale prices count.
    pub sale: Option<Period>,
    /// Prices of customer groups; groups that are not named pay the product's.
    pub groups: Vec<(String, PriceTerms)>,
    /// Prices of accounts, by tag; accounts that are not named pay the product's.
    pub accounts: Vec<(String, PriceTerms)>,
}

impl VariantTerms {
    /// Adds prices of accounts from rows of their own, as [`super::OfferTerms::add_account_prices`] does.
    pub fn add_account_prices(&mut self, rows: Vec<(String, PriceTerms)>) {
        join_account_prices(&mut self.accounts, rows);
    }

    /// The bytes that [`super::CallerTerms::variant_offer`] reads; none if all terms are the product's.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let has_more = !(self.groups.is_empty() && self.accounts.is_empty());
        let flags = [
            (self.sale.is_some(), variant_flag::SALE_IN_PERIOD),
            (self.lists.is_some(), variant_flag::HAS_LISTS),
            (self.sales.is_some(), variant_flag::HAS_SALES),
            (has_more, variant_flag::HAS_MORE),
        ];
        let flags = flags.iter().filter(|(is_set, _)| *is_set).fold(0, |all, (_, flag)| all | flag);
        if flags == 0 {
            return Vec::new();
        }
        let mut out = vec![flags];
        if let Some(sale) = self.sale {
            write_period(sale, &mut out);
        }
        for prices in [&self.lists, &self.sales].into_iter().flatten() {
            write_prices(prices, &mut out);
        }
        if has_more {
            write_groups(&self.groups, &mut out);
            write_account_prices(&self.accounts, &mut out);
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::pricing::{BuyerContext, CallerTerms, OfferTerms};

    fn prices(list: &str, sale: &str) -> PriceTerms {
        let parse = |text: &str| Price::parse(text).into_iter().collect();
        PriceTerms { lists: parse(list), sales: parse(sale) }
    }

    fn product() -> OfferTerms {
        OfferTerms {
            prices: prices("20.00 GBP", "15.00 GBP"),
            groups: vec![("trade".to_owned(), prices("12.00 GBP", ""))],
            accounts: vec![("acme".to_owned(), prices("11.00 GBP", ""))],
            ..OfferTerms::default()
        }
    }

    /// Price and usual price of a variant for everybody, for the group and for the account.
    fn paid(product: &OfferTerms, variant: &VariantTerms) -> [String; 3] {
        let product = product.encode();
        let variant = variant.encode();
        let text = |price: Option<Price>| price.map(|price| price.decimal()).unwrap_or_default();
        [(None, None), (Some("trade"), None), (None, Some("acme"))].map(|(group, account)| {
            let caller = BuyerContext {
                group: group.map(str::to_owned),
                account_tag: account.map(str::to_owned),
                currency: Some(*b"GBP"),
                now: 100,
                ..BuyerContext::default()
            };
            let offer = CallerTerms::read(&product, &caller).expect("terms").variant_offer(&variant);
            assert_eq!(offer.visible, offer.price.is_some());
            [text(offer.price), text(offer.list)].join(" of ")
        })
    }

    #[test]
    fn what_a_variant_leaves_out_is_its_products() {
        let list = |text: &str| Some(Price::parse(text).into_iter().collect());
        let plain = VariantTerms::default();
        let ended = Period { from: 0, until: 100 };
        let of_group = vec![("trade".to_owned(), prices("9.00 GBP", ""))];
        let of_account = vec![("acme".to_owned(), prices("8.00 GBP", ""))];
        for (variant, expected) in [
            (plain.clone(), ["15.00 of 20.00", "12.00 of 20.00", "11.00 of 20.00"]),
            (
                VariantTerms { lists: list("30.00 GBP"), ..plain.clone() },
                ["15.00 of 30.00", "12.00 of 30.00", "11.00 of 30.00"],
            ),
            (
                VariantTerms { lists: list("30.00 GBP"), sales: list(""), ..plain.clone() },
                ["30.00 of 30.00", "12.00 of 30.00", "11.00 of 30.00"],
            ),
            (
                VariantTerms { sale: Some(ended), ..plain.clone() },
                ["20.00 of 20.00", "12.00 of 20.00", "11.00 of 20.00"],
            ),
            (
                VariantTerms { groups: of_group, ..plain.clone() },
                ["15.00 of 20.00", "9.00 of 20.00", "11.00 of 20.00"],
            ),
            (
                VariantTerms { accounts: of_account, ..plain.clone() },
                ["15.00 of 20.00", "12.00 of 20.00", "8.00 of 20.00"],
            ),
            (
                VariantTerms { lists: list("5.00 EUR"), sales: list(""), ..plain },
                [" of ", "12.00 of ", "11.00 of "],
            ),
        ] {
            assert_eq!(paid(&product(), &variant), expected, "{variant:?}");
        }
    }

    #[test]
    fn torn_terms_of_a_variant_hide_it() {
        let variant = VariantTerms {
            lists: Some(prices("5.00 GBP", "").lists),
            sale: Some(Period::ALWAYS),
            accounts: vec![("acme".to_owned(), prices("8.00 GBP", ""))],
            ..VariantTerms::default()
        };
        let whole = variant.encode();
        let product = product().encode();
        let caller = BuyerContext { account_tag: Some("acme".to_owned()), ..BuyerContext::default() };
        let terms = CallerTerms::read(&product, &caller).expect("terms");
        assert!(terms.variant_offer(&whole).visible);
        for end in 1..whole.len() {
            assert!(!terms.variant_offer(&whole[..end]).visible, "{end} of {}", whole.len());
        }
    }
}
