//! Visibility of products and prices of variants, read from the rows alone (docs/search.md, "Prices" and "Variants";
//! docs/ranking.md, "Prices and visibility").

use serde_json::Value;

use super::requests::PlainCaller;

/// Letters of a moment without its offset, which is that of UTC in all rows.
const MOMENT_LETTERS: usize = 19;

/// A variant with the row of its product; a product without variants is its own one.
#[derive(Debug, Clone, Copy)]
pub(super) struct PlainVariant<'r> {
    pub product: &'r Value,
    /// Its own row; null for a product without variants.
    pub own: &'r Value,
}

/// An amount in ten-thousandths, and the code of its currency.
pub(super) type PlainPrice = (i64, String);

/// Prices and sale prices of everybody, a group or an account.
#[derive(Clone, Copy)]
struct PriceLevel<'r> {
    lists: &'r Value,
    sales: &'r Value,
}

/// Everything that decides the price of a variant for a caller.
struct CallerPrices<'r> {
    /// The first with a price decides.
    levels: Vec<PriceLevel<'r>>,
    /// Where the price stands that is called usual.
    usual: Option<PriceLevel<'r>>,
    is_sale: bool,
    /// The currency that counts where the caller names none.
    first_currency: Option<&'r str>,
}

/// Returns true if the shop shows the product to the caller, whatever it costs.
pub(super) fn is_product_shown(product: &Value, caller: &PlainCaller, is_listing: bool) -> bool {
    let is_set = |flag: &str| product[flag] == true;
    let has_account = |list: &str| {
        let mut tags = product[list].as_array().into_iter().flatten();
        tags.any(|tag| tag.as_str() == caller.account)
    };
    let is_excluded = is_set("ExcludeFromSearch") || (is_listing && is_set("ExcludeFromProductListing"));
    let is_for_others = product.get("AccountInclusions").is_some() && !has_account("AccountInclusions");
    let is_shut_out = is_for_others || has_account("AccountExclusions");
    !is_excluded && !is_shut_out && is_within(&product["StartDate"], &product["EndDate"], caller.now)
}

/// Returns true if a moment is in a period. Dates are compared as texts: of two that begin alike the day is the earlier
/// one, and the last day belongs to the period.
fn is_within(from: &Value, until: &Value, now: &str) -> bool {
    let bound = |date: &Value| date.as_str().map(|text| text[..text.len().min(MOMENT_LETTERS)].to_owned());
    let from = bound(from);
    let until = bound(until);
    let is_readable = |date: &Option<String>| date.as_ref().is_none_or(|text| text.starts_with("2026-"));
    let has_begun = from.as_ref().is_none_or(|from| from.as_str() <= now);
    let is_over = until.as_ref().is_some_and(|until| until.as_str() < &now[..until.len()]);
    is_readable(&from) && is_readable(&until) && has_begun && !is_over
}

/// Prices as `12.50 EUR`, all with two decimals.
fn read_prices(prices: &Value) -> impl Iterator<Item = (i64, &str)> {
    prices.as_array().into_iter().flatten().map(|price| {
        let text = price.as_str().expect("a price is a text");
        let (number, currency) = text.split_once(' ').expect("a price has a currency");
        let cents: i64 = number.replace('.', "").parse().expect("a number with two decimals");
        (cents * 100, currency)
    })
}

/// The lowest price in a currency.
fn lowest(prices: &Value, currency: &str) -> Option<i64> {
    read_prices(prices).filter(|(_, code)| *code == currency).map(|(amount, _)| amount).min()
}

impl<'r> PlainVariant<'r> {
    /// A member of the variant's row; that of the product if it is left out.
    fn member(&self, name: &str) -> &'r Value {
        self.own.get(name).unwrap_or(&self.product[name])
    }

    /// The id of a variant; `None` of a product without variants.
    pub(super) fn id(&self) -> Option<String> {
        let id = self.own.get("Id").or_else(|| self.own.get("Sku"))?;
        id.as_str().map(str::to_owned)
    }

    /// Returns true if it can be bought: a number in stock decides where its row does not say so.
    pub(super) fn is_in_stock(&self) -> bool {
        let said = |row: &Value| {
            let quantity = row["StockQty"].as_f64().map(|quantity| quantity > 0.0);
            row["InStock"].as_bool().or(quantity)
        };
        said(self.own).or_else(|| said(self.product)).unwrap_or(true)
    }

    /// Its prices for a group or an account: its own entry, else that of the product.
    fn level_of(&self, list: &str, name: Option<&str>) -> Option<PriceLevel<'r>> {
        let entry = |row: &'r Value| row.get(list)?.get(name?);
        let entry = entry(self.own).or_else(|| entry(self.product))?;
        Some(PriceLevel { lists: &entry["Prices"], sales: &entry["SalePrices"] })
    }

    fn prices_for(&self, caller: &PlainCaller) -> CallerPrices<'r> {
        let account = self.level_of("AccountPrices", caller.account);
        let group = self.level_of("GroupPrices", caller.group);
        let public = PriceLevel { lists: self.member("Prices"), sales: self.member("SalePrices") };
        let is_own_only = self.product["NoDefaultPriceForAccounts"] == true && caller.account.is_some();
        let levels = if is_own_only { vec![account] } else { vec![account, group, Some(public)] };
        let period = ["SalePriceStartDate", "SalePriceEndDate"].map(|name| self.member(name));
        CallerPrices {
            levels: levels.into_iter().flatten().collect(),
            usual: if is_own_only { account } else { Some(public) },
            is_sale: is_within(period[0], period[1], caller.now),
            first_currency: read_prices(public.lists).next().map(|(_, currency)| currency),
        }
    }

    /// The price that a caller pays. In a currency that they name, or in that of the first price; where there is none
    /// in that, the first price of all.
    pub(super) fn price(&self, caller: &PlainCaller) -> Option<PlainPrice> {
        let prices = self.prices_for(caller);
        let wanted = caller.currency.or(prices.first_currency);
        let found = wanted.and_then(|currency| Some((prices.amount_in(currency)?, currency.to_owned())));
        if found.is_some() || caller.currency.is_some() {
            return found;
        }
        prices.levels.iter().find_map(|level| prices.first_of(level))
    }

    /// The usual price in a currency.
    pub(super) fn list_price(&self, caller: &PlainCaller, currency: &str) -> Option<PlainPrice> {
        let usual = self.prices_for(caller).usual?;
        lowest(usual.lists, currency).map(|amount| (amount, currency.to_owned()))
    }
}

impl CallerPrices<'_> {
    fn amount_in(&self, currency: &str) -> Option<i64> {
        let amount = |level| self.sale_in(level, currency).or_else(|| lowest(level.lists, currency));
        self.levels.iter().find_map(amount)
    }

    /// The sale price of a level, if it is lower than the list price of the same, or of the public one.
    fn sale_in(&self, level: &PriceLevel<'_>, currency: &str) -> Option<i64> {
        let sale = lowest(level.sales, currency).filter(|_| self.is_sale)?;
        let usual = || self.usual.and_then(|usual| lowest(usual.lists, currency));
        let compared = lowest(level.lists, currency).or_else(usual);
        compared.is_none_or(|list| sale < list).then_some(sale)
    }

    /// The first price of a level in any currency.
    fn first_of(&self, level: &PriceLevel<'_>) -> Option<PlainPrice> {
        let sale = |(_, currency): (i64, &str)| Some((self.sale_in(level, currency)?, currency.to_owned()));
        let list = |(_, currency): (i64, &str)| Some((lowest(level.lists, currency)?, currency.to_owned()));
        read_prices(level.sales).find_map(sale).or_else(|| read_prices(level.lists).find_map(list))
    }
}
