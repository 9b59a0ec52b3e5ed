//! The terms of a product, and the bytes in which its document holds them.
//!
//! All numbers are little-endian. Flags (two bytes), the two periods if they are not always, the product's prices, the
//! groups', the accounts that see it, those that do not, the accounts' prices. Accounts are 128-bit hashes of their
//! tags, sorted, so that many accounts do not slow a product down and the index names none.

use std::collections::BTreeMap;

use xxhash_rust::xxh3::xxh3_128;

use super::price::Price;

/// A flag of the encoded terms.
pub(super) mod flag {
    /// Search leaves the product out.
    pub const HIDDEN: u16 = 1;
    /// Category pages leave the product out.
    pub const UNLISTED: u16 = 2;
    /// Accounts without a price of their own see none.
    pub const OWN_PRICES_ONLY: u16 = 4;
    /// The period in which the product is shown follows.
    pub const SHOWN_IN_PERIOD: u16 = 8;
    /// The period of the sale prices follows.
    pub const SALE_IN_PERIOD: u16 = 16;
    /// More follows the product's prices.
    pub const HAS_MORE: u16 = 32;
    /// Recommendations leave the product out.
    pub const UNRECOMMENDED: u16 = 64;
}

/// A time span in seconds since 1970.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Period {
    /// The first second.
    pub from: i64,
    /// The first second after it.
    pub until: i64,
}

impl Period {
    /// Without begin and end.
    pub const ALWAYS: Self = Self { from: i64::MIN, until: i64::MAX };
    /// The empty period.
    pub const NEVER: Self = Self { from: i64::MAX, until: i64::MIN };

    /// Returns true if the second is in the period.
    #[must_use]
    pub fn contains(&self, second: i64) -> bool {
        self.from <= second && second < self.until
    }
}

impl Default for Period {
    fn default() -> Self {
        Self::ALWAYS
    }
}

/// Prices and sale prices, of the product or of one group or account. Of several prices in a currency the lowest
/// counts.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PriceTerms {
    /// The usual prices, in the order in which the shop sent them.
    pub lists: Vec<Price>,
    /// The prices during the sale.
    pub sales: Vec<Price>,
}

/// All terms that decide which callers see a product, and at what price.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct OfferTerms {
    /// Prices for all callers.
    pub prices: PriceTerms,
    /// When sale prices count.
    pub sale: Period,
    /// When the product is shown.
    pub shown: Period,
    /// Prices of customer groups, by the group's id or name.
    pub groups: Vec<(String, PriceTerms)>,
    /// Prices of accounts, by the account's tag.
    pub accounts: Vec<(String, PriceTerms)>,
    /// The only accounts that see the product, by tag; if empty, all accounts do.
    pub inclusions: Vec<String>,
    /// The accounts that do not see it, by tag.
    pub exclusions: Vec<String>,
    /// True if an account without a price of its own sees none.
    pub own_prices_only: bool,
    /// True if search leaves the product out.
    pub hidden: bool,
    /// True if category pages, that is queries without words, leave it out.
    pub unlisted: bool,
    /// True if recommendations leave it out.
    pub unrecommended: bool,
}

impl OfferTerms {
    /// Adds prices of accounts from rows of their own; an account that has one gets it in place of the price in the
    /// product's row. Rows by id and by article number are joined.
    pub fn add_account_prices(&mut self, rows: Vec<(String, PriceTerms)>) {
        join_account_prices(&mut self.accounts, rows);
    }

    /// The bytes that [`super::resolve::resolve()`] reads.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(32);
        out.extend_from_slice(&self.flags().to_le_bytes());
        if self.shown != Period::ALWAYS {
            write_period(self.shown, &mut out);
        }
        if self.sale != Period::ALWAYS {
            write_period(self.sale, &mut out);
        }
        write_terms(&self.prices, &mut out);
        if self.has_more() {
            write_groups(&self.groups, &mut out);
            write_accounts(&self.inclusions, &mut out);
            write_accounts(&self.exclusions, &mut out);
            write_account_prices(&self.accounts, &mut out);
        }
        out
    }

    fn has_more(&self) -> bool {
        let is_empty = self.groups.is_empty() && self.accounts.is_empty();
        !(is_empty && self.inclusions.is_empty() && self.exclusions.is_empty())
    }

    fn flags(&self) -> u16 {
        let flags = [
            (self.hidden, flag::HIDDEN),
            (self.unlisted, flag::UNLISTED),
            (self.unrecommended, flag::UNRECOMMENDED),
            (self.own_prices_only, flag::OWN_PRICES_ONLY),
            (self.shown != Period::ALWAYS, flag::SHOWN_IN_PERIOD),
            (self.sale != Period::ALWAYS, flag::SALE_IN_PERIOD),
            (self.has_more(), flag::HAS_MORE),
        ];
        flags.iter().filter(|(is_set, _)| *is_set).fold(0, |all, (_, flag)| all | flag)
    }
}

/// Adds prices of accounts: an account's rows are joined and replace the prices that it had.
pub(super) fn join_account_prices(accounts: &mut Vec<(String, PriceTerms)>, rows: Vec<(String, PriceTerms)>) {
    let mut joined: BTreeMap<String, PriceTerms> = BTreeMap::new();
    for (tag, PriceTerms { lists, sales }) in rows {
        let earlier = joined.entry(tag).or_default();
        earlier.lists.extend(lists);
        earlier.sales.extend(sales);
    }
    accounts.retain(|(account, _)| !joined.contains_key(account));
    accounts.extend(joined);
}

/// Key of an account in encoded terms.
pub(super) fn account_key(tag: &str) -> u128 {
    xxh3_128(tag.as_bytes())
}

pub(super) fn write_period(period: Period, out: &mut Vec<u8>) {
    out.extend_from_slice(&period.from.to_le_bytes());
    out.extend_from_slice(&period.until.to_le_bytes());
}

/// A count or a length: 32 bits, which no row of a feed can exceed.
fn write_length(length: usize, out: &mut Vec<u8>) {
    out.extend_from_slice(&u32::try_from(length).unwrap_or(u32::MAX).to_le_bytes());
}

fn write_terms(terms: &PriceTerms, out: &mut Vec<u8>) {
    write_prices(&terms.lists, out);
    write_prices(&terms.sales, out);
}

/// One price per currency, the lowest, in the order in which the currencies came.
pub(super) fn write_prices(prices: &[Price], out: &mut Vec<u8>) {
    let mut lowest: Vec<Price> = Vec::with_capacity(prices.len());
    for price in prices {
        match lowest.iter_mut().find(|earlier| earlier.currency == price.currency) {
            Some(earlier) => {
                let lower = earlier.amount.min(price.amount);
                earlier.amount = lower;
            }
            None => lowest.push(*price),
        }
    }
    // There are fewer than 200 currencies.
    lowest.truncate(usize::from(u8::MAX));
    out.push(u8::try_from(lowest.len()).unwrap_or(u8::MAX));
    for price in &lowest {
        out.extend_from_slice(&price.currency);
        out.extend_from_slice(&price.amount.to_le_bytes());
    }
}

pub(super) fn write_groups(groups: &[(String, PriceTerms)], out: &mut Vec<u8>) {
    write_length(groups.len(), out);
    for (name, terms) in groups {
        let mut body = Vec::new();
        write_terms(terms, &mut body);
        write_length(name.len(), out);
        write_length(body.len(), out);
        out.extend_from_slice(name.as_bytes());
        out.extend_from_slice(&body);
    }
}

fn write_accounts(tags: &[String], out: &mut Vec<u8>) {
    let mut keys: Vec<u128> = tags.iter().map(|tag| account_key(tag)).collect();
    keys.sort_unstable();
    keys.dedup();
    write_length(keys.len(), out);
    keys.iter().for_each(|key| out.extend_from_slice(&key.to_le_bytes()));
}

/// Keys, then the start of each key's prices, then the prices.
pub(super) fn write_account_prices(accounts: &[(String, PriceTerms)], out: &mut Vec<u8>) {
    let mut keyed: Vec<(u128, &PriceTerms)> =
        accounts.iter().map(|(tag, terms)| (account_key(tag), terms)).collect();
    // The last one counts if an account stands there twice.
    keyed.reverse();
    keyed.sort_by_key(|(key, _)| *key);
    keyed.dedup_by_key(|(key, _)| *key);
    write_length(keyed.len(), out);
    keyed.iter().for_each(|(key, _)| out.extend_from_slice(&key.to_le_bytes()));
    let mut bodies = Vec::new();
    for (_, terms) in &keyed {
        write_length(bodies.len(), out);
        write_terms(terms, &mut bodies);
    }
    out.extend_from_slice(&bodies);
}
