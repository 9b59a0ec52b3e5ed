//! The price of a product for a caller, from its encoded terms, without allocating.

use super::price::{Currency, Price};
use super::terms::{Period, account_key, flag};
use super::variant_terms::variant_flag;

/// The caller, and the time. Account and group come from a signed token, never from a request.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct BuyerContext {
    /// The tag of the account for which they buy.
    pub account_tag: Option<String>,
    /// The id or name of their customer group.
    pub group: Option<String>,
    /// The currency in which they want prices; else the shop's.
    pub currency: Option<Currency>,
    /// Seconds since 1970.
    pub now: i64,
    /// Purpose of the query: the shop excludes some products from each.
    pub purpose: QueryPurpose,
}

/// Purpose for which products are requested.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum QueryPurpose {
    /// To be found by words.
    #[default]
    Search,
    /// Browsing without a query, as on a category's page: products excluded from search are excluded here too.
    Listing,
    /// To be recommended.
    Recommendation,
}

/// Visibility and price of a product for a caller.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Offer {
    /// True if they see it. Otherwise there is no price either.
    pub visible: bool,
    /// Price that they pay.
    pub price: Option<Price>,
    /// The usual price to show with it, in the same currency; equal to `price` where nothing is reduced.
    pub list: Option<Price>,
}

/// Reason why a caller does not see a product.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HiddenReason {
    /// The shop leaves it out of search.
    Hidden,
    /// The shop leaves it out where nothing is typed.
    Unlisted,
    /// The shop leaves it out of recommendations.
    Unrecommended,
    /// Its dates do not hold now.
    OutOfPeriod,
    /// It is for other accounts.
    OfOtherAccounts,
    /// It has no price for this caller.
    WithoutPrice,
}

/// Resolves visibility and price of the product with these terms for a caller. The account's price counts before the
/// group's, the group's before the sale price, the sale price before the usual one, unless it is not lower; each in the
/// currency of the caller. Without a currency, in that of the product's first price. Bytes that are no terms hide the
/// product from all callers.
#[must_use]
pub fn resolve(terms: &[u8], caller: &BuyerContext) -> Offer {
    CallerTerms::read(terms, caller).map(|terms| terms.offer()).unwrap_or_default()
}

/// Terms of a product as one caller reads them: the product is for this caller at this moment. Its own price and those
/// of its variants follow from them.
#[derive(Clone, Copy)]
pub struct CallerTerms<'t, 'c> {
    caller: &'c BuyerContext,
    levels: CallerLevels<'t>,
    /// True if only prices agreed with the caller's account count.
    own_only: bool,
    sale: Period,
}

impl<'t, 'c> CallerTerms<'t, 'c> {
    /// Reads the encoded terms of a product.
    ///
    /// # Errors
    /// The reason why the caller does not see the product; [`HiddenReason::Hidden`] for bytes that are no terms.
    pub fn read(terms: &'t [u8], caller: &'c BuyerContext) -> Result<Self, HiddenReason> {
        Self::read_whole(terms, caller).unwrap_or(Err(HiddenReason::Hidden))
    }

    /// Visibility and price of the product itself.
    #[must_use]
    pub fn offer(&self) -> Offer {
        choose_price(&self.levels, self.own_only, self.sale.contains(self.caller.now), self.caller.currency)
    }

    /// The currency in which the caller wants prices.
    #[must_use]
    pub const fn currency(&self) -> Option<Currency> {
        self.caller.currency
    }

    /// Visibility and price of a variant with these encoded terms: what they leave out is the product's. Bytes that are
    /// no terms hide the variant.
    #[must_use]
    pub fn variant_offer(&self, terms: &[u8]) -> Offer {
        if terms.is_empty() {
            return self.offer();
        }
        self.read_variant(terms).unwrap_or_default()
    }

    /// `None` for bytes that are no terms.
    fn read_whole(terms: &'t [u8], caller: &'c BuyerContext) -> Option<Result<Self, HiddenReason>> {
        let mut rest = TermsReader(terms);
        let flags = rest.number::<2>().map(u16::from_le_bytes)?;
        let is_set = |flag: u16| flags & flag != 0;
        let shown = if is_set(flag::SHOWN_IN_PERIOD) { rest.period()? } else { Period::ALWAYS };
        let sale = if is_set(flag::SALE_IN_PERIOD) { rest.period()? } else { Period::ALWAYS };
        match caller.purpose {
            QueryPurpose::Search | QueryPurpose::Listing if is_set(flag::HIDDEN) => {
                return Some(Err(HiddenReason::Hidden));
            }
            QueryPurpose::Listing if is_set(flag::UNLISTED) => return Some(Err(HiddenReason::Unlisted)),
            QueryPurpose::Recommendation if is_set(flag::UNRECOMMENDED) => {
                return Some(Err(HiddenReason::Unrecommended));
            }
            _ => {}
        }
        if !shown.contains(caller.now) {
            return Some(Err(HiddenReason::OutOfPeriod));
        }
        let default = Level::read(&mut rest)?;
        let own = if is_set(flag::HAS_MORE) { Own::read(&mut rest, caller)? } else { Own::default() };
        if !own.is_admitted {
            return Some(Err(HiddenReason::OfOtherAccounts));
        }
        let own_only = caller.account_tag.is_some() && is_set(flag::OWN_PRICES_ONLY);
        let levels = CallerLevels { account: own.account, group: own.group, default };
        Some(Ok(Self { caller, levels, own_only, sale }))
    }

    /// `None` for bytes that are no terms.
    fn read_variant(&self, terms: &[u8]) -> Option<Offer> {
        let mut rest = TermsReader(terms);
        let [flags] = rest.number::<1>()?;
        let is_set = |flag: u8| flags & flag != 0;
        let Self { caller, levels, own_only, .. } = self;
        let sale = if is_set(variant_flag::SALE_IN_PERIOD) { rest.period()? } else { self.sale };
        let mut default = levels.default;
        if is_set(variant_flag::HAS_LISTS) {
            default.lists = rest.prices()?;
        }
        if is_set(variant_flag::HAS_SALES) {
            default.sales = rest.prices()?;
        }
        let mut levels = CallerLevels { default, ..*levels };
        if is_set(variant_flag::HAS_MORE) {
            levels.group = read_group(&mut rest, caller.group.as_deref())?.or(levels.group);
            let key = caller.account_tag.as_deref().map(account_key);
            levels.account = read_account(&mut rest, key)?.or(levels.account);
        }
        Some(choose_price(&levels, *own_only, sale.contains(caller.now), caller.currency))
    }
}

/// Prices that may count for a caller, the first first.
#[derive(Clone, Copy)]
struct CallerLevels<'t> {
    account: Option<Level<'t>>,
    group: Option<Level<'t>>,
    /// Prices for all callers.
    default: Level<'t>,
}

/// The first price of the levels: account, group, all callers.
fn choose_price(
    CallerLevels { account, group, default }: &CallerLevels<'_>,
    own_only: bool,
    is_sale: bool,
    wanted: Option<Currency>,
) -> Offer {
    let levels = if own_only { [*account, None, None] } else { [*account, *group, Some(*default)] };
    let currency = wanted.or_else(|| default.lists.first().map(|price| price.currency));
    let usual = if own_only { *account } else { Some(*default) };
    let first_of =
        |currency| levels.iter().flatten().find_map(|level| level.price(is_sale, currency, usual.as_ref()));
    // Without a currency to go by, or without a price in it: the first price.
    let price = match first_of(currency) {
        None if wanted.is_none() => first_of(None),
        found => found,
    };
    let list = price.and_then(|price| usual?.lists.in_currency(price.currency));
    Offer { visible: price.is_some() || wanted.is_none(), price, list }
}

/// Prices and sale prices at one level: the product's, a group's or an account's.
#[derive(Clone, Copy)]
struct Level<'t> {
    lists: Prices<'t>,
    sales: Prices<'t>,
}

impl<'t> Level<'t> {
    fn read(rest: &mut TermsReader<'t>) -> Option<Self> {
        Some(Self { lists: rest.prices()?, sales: rest.prices()? })
    }

    /// The price of this level. A sale price counts when it is lower than the other price of the level, or than the
    /// usual one where the level has no other.
    fn price(&self, is_sale: bool, currency: Option<Currency>, usual: Option<&Self>) -> Option<Price> {
        let is_wanted = |price: &Price| currency.is_none_or(|wanted| price.currency == wanted);
        let is_lower = |sale: &Price| {
            let own = self.lists.in_currency(sale.currency);
            let compared = own.or_else(|| usual?.lists.in_currency(sale.currency));
            compared.is_none_or(|other| sale.amount < other.amount)
        };
        let sale = || self.sales.iter().filter(is_wanted).find(is_lower);
        is_sale.then(sale).flatten().or_else(|| self.lists.iter().find(is_wanted))
    }
}

/// Access and prices of this caller in the terms.
#[derive(Clone, Copy)]
struct Own<'t> {
    is_admitted: bool,
    group: Option<Level<'t>>,
    account: Option<Level<'t>>,
}

impl Default for Own<'_> {
    fn default() -> Self {
        Self { is_admitted: true, group: None, account: None }
    }
}

impl<'t> Own<'t> {
    fn read(rest: &mut TermsReader<'t>, caller: &BuyerContext) -> Option<Self> {
        let key = caller.account_tag.as_deref().map(account_key);
        let group = read_group(rest, caller.group.as_deref())?;
        let included = rest.keys()?;
        let excluded = rest.keys()?;
        let is_in = |keys: AccountKeys<'_>| key.is_some_and(|key| keys.position(key).is_some());
        let is_included = included.0.is_empty() || is_in(included);
        let is_excluded = is_in(excluded);
        let account = read_account(rest, key)?;
        Some(Self { is_admitted: is_included && !is_excluded, group, account })
    }
}

/// The prices of a group; the outer `None` for bytes that are no terms.
fn read_group<'t>(rest: &mut TermsReader<'t>, wanted: Option<&str>) -> Option<Option<Level<'t>>> {
    let mut found = None;
    for _ in 0..rest.length()? {
        let name_bytes = rest.length()?;
        let body_bytes = rest.length()?;
        let name = rest.take_bytes(name_bytes)?;
        let body = rest.take_bytes(body_bytes)?;
        if wanted.is_some_and(|wanted| wanted.as_bytes() == name) {
            found = Some(Level::read(&mut TermsReader(body))?);
        }
    }
    Some(found)
}

/// The prices of an account; the outer `None` for bytes that are no terms.
fn read_account<'t>(rest: &mut TermsReader<'t>, key: Option<u128>) -> Option<Option<Level<'t>>> {
    let keys = rest.keys()?;
    let begins = rest.take_bytes((keys.0.len() / 16).checked_mul(4)?)?;
    let Some(position) = key.and_then(|key| keys.position(key)) else { return Some(None) };
    let begin = TermsReader(begins.get(position * 4..)?).length()?;
    Level::read(&mut TermsReader(rest.0.get(begin..)?)).map(Some)
}

/// Prices of different currencies.
#[derive(Clone, Copy)]
struct Prices<'t>(&'t [u8]);

/// Three letters and an amount.
const PRICE_BYTES: usize = 11;

impl Prices<'_> {
    fn first(&self) -> Option<Price> {
        self.iter().next()
    }

    fn iter(&self) -> impl Iterator<Item = Price> {
        self.0.chunks_exact(PRICE_BYTES).filter_map(price)
    }

    fn in_currency(&self, currency: Currency) -> Option<Price> {
        self.0.chunks_exact(PRICE_BYTES).find(|bytes| bytes[..3] == currency).and_then(price)
    }
}

fn price(bytes: &[u8]) -> Option<Price> {
    let mut rest = TermsReader(bytes);
    Some(Price { currency: rest.number()?, amount: rest.number().map(i64::from_le_bytes)? })
}

/// Sorted keys of accounts.
#[derive(Clone, Copy)]
struct AccountKeys<'t>(&'t [u8]);

impl AccountKeys<'_> {
    fn position(&self, key: u128) -> Option<usize> {
        let mut low = 0;
        let mut high = self.0.len() / 16;
        while low < high {
            let middle = low + (high - low) / 2;
            let found = TermsReader(self.0.get(middle * 16..)?).number().map(u128::from_le_bytes)?;
            match found.cmp(&key) {
                std::cmp::Ordering::Equal => return Some(middle),
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        None
    }
}

/// Reads terms; holds the bytes that are left.
struct TermsReader<'t>(&'t [u8]);

impl<'t> TermsReader<'t> {
    fn take_bytes(&mut self, bytes: usize) -> Option<&'t [u8]> {
        let (taken, rest) = self.0.split_at_checked(bytes)?;
        self.0 = rest;
        Some(taken)
    }

    fn number<const BYTES: usize>(&mut self) -> Option<[u8; BYTES]> {
        self.take_bytes(BYTES)?.try_into().ok()
    }

    fn length(&mut self) -> Option<usize> {
        self.number().map(u32::from_le_bytes).and_then(|length| usize::try_from(length).ok())
    }

    fn period(&mut self) -> Option<Period> {
        let from = self.number().map(i64::from_le_bytes)?;
        let until = self.number().map(i64::from_le_bytes)?;
        Some(Period { from, until })
    }

    fn prices(&mut self) -> Option<Prices<'t>> {
        let [count] = self.number()?;
        self.take_bytes(usize::from(count) * PRICE_BYTES).map(Prices)
    }

    fn keys(&mut self) -> Option<AccountKeys<'t>> {
        let count = self.length()?;
        self.take_bytes(count.checked_mul(16)?).map(AccountKeys)
    }
}
