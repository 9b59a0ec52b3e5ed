//! One event of a shopper.

use serde_json::value::RawValue;

use super::customer::Customer;
use super::lenient_json::{ByName, text_of};
use super::lines::{self, ToldLine};
use super::skipped::SkippedReasons;
use crate::api::search::currency_of;
use crate::people::event_action::CountedSearch;
use crate::reports::attribution::AttributionSource;
use crate::reports::query;
use crate::search::pricing::Currency;
use crate::zones::{PageKind, ZonePage};

/// An event of a shopper. Cannot be printed.
#[derive(Clone, PartialEq, Eq)]
pub enum ParsedPluginEvent {
    /// They look at a product, whose id this is, as sent: `product_view`.
    ProductViewed(String),
    /// This is the whole basket: `set_basket`. Without lines it is empty.
    BasketSet(Vec<ToldLine>),
    /// They say who they are; at least one of the three is there: `customer_details`.
    LoggedIn(Customer),
    /// `customer_logout`.
    LoggedOut,
    /// They bought something: `order`, `order_track`, `moto_order_track`.
    Ordered(ToldOrder),
    /// They look at a page; its subject is not kept, and decides the content of its zones: `page_view`.
    Paged(ZonePage),
    /// They rated a product; passed over in silence: `product_rate`.
    Rated,
    /// They see prices in this currency: `currency`.
    CurrencySet(Currency),
    /// They searched; `None` for a search that is not counted: `search`.
    Searched(Option<CountedSearch>),
    /// They clicked a product, as sent, that was shown to them somewhere: `item_click`, `search_click`.
    Clicked(String, AttributionSource),
    /// True if they consent to the storage of their events: `accept_cookies`.
    Consented(bool),
}

/// An order. Cannot be printed.
#[derive(Clone, PartialEq, Eq)]
pub struct ToldOrder {
    /// The shop's order id.
    pub id: String,
    /// The customer, as far as the order names one.
    pub customer: Customer,
    /// The lines, at least one.
    pub lines: Vec<ToldLine>,
    /// True if it was made in the shopper's browser, and not by the shop for them.
    pub is_by_browser: bool,
}

static_assertions::assert_not_impl_any!(ParsedPluginEvent: std::fmt::Debug, std::fmt::Display, serde::Serialize);
static_assertions::assert_not_impl_any!(ToldOrder: std::fmt::Debug, std::fmt::Display, serde::Serialize);

/// Names that an event may have.
const NAMES: &str = "page_view, product_view, set_basket, customer_details, customer_logout, order, order_track, \
                     moto_order_track, product_rate, search, item_click, search_click, accept_cookies or currency";

impl ParsedPluginEvent {
    /// True if it only says what the shopper looks at, and neither who they are nor what they bought.
    pub fn is_look(&self) -> bool {
        match self {
            Self::ProductViewed(_)
            | Self::BasketSet(_)
            | Self::Paged(_)
            | Self::Rated
            | Self::CurrencySet(_)
            | Self::Searched(_)
            | Self::Clicked(..)
            | Self::Consented(_) => true,
            Self::LoggedIn(_) | Self::LoggedOut | Self::Ordered(_) => false,
        }
    }

    /// True if it withdraws consent.
    pub fn withdraws(&self) -> bool {
        *self == Self::Consented(false)
    }

    /// The products whose catalogue ids are stored with it, as sent: those of an order are looked up later.
    pub fn products(&self) -> impl Iterator<Item = &String> {
        let lines = match self {
            Self::BasketSet(lines) => lines.as_slice(),
            _ => &[],
        };
        let viewed = match self {
            Self::ProductViewed(product) | Self::Clicked(product, _) => Some(product),
            _ => None,
        };
        viewed.into_iter().chain(lines.iter().map(|line| &line.product))
    }

    /// Reads an event of a list: an object with a `name` and `data`.
    ///
    /// # Errors
    /// A reason why it is left out.
    pub fn parse(event: &RawValue, reasons: &mut SkippedReasons) -> Result<Self, String> {
        let event = ByName::from_object(event);
        Self::parse_data(&event.text("name")?, event.find("data")?, reasons)
    }

    /// Reads the data of an event of a name, in any case. The `reasons` report parts that are left out alone.
    ///
    /// # Errors
    /// A reason why it is left out.
    pub fn parse_data(
        name: &str,
        sent: Option<&RawValue>,
        reasons: &mut SkippedReasons,
    ) -> Result<Self, String> {
        let data = sent.map(ByName::from_object).unwrap_or_default();
        match name.to_ascii_lowercase().as_str() {
            "page_view" => page_of(&data).map(Self::Paged),
            "product_view" => data.id("id").map(Self::ProductViewed),
            "set_basket" => {
                let sent = sent.ok_or("data is missing; an empty list clears a basket")?;
                lines::of_basket(sent, reasons).map(Self::BasketSet)
            }
            "customer_details" => {
                let customer = Customer::parse(&data, reasons)?;
                let named = Some(customer).filter(|customer| customer.leading().is_some());
                named
                    .map(Self::LoggedIn)
                    .ok_or_else(|| "it names nobody by accid, userid or email".to_owned())
            }
            "customer_logout" => Ok(Self::LoggedOut),
            name @ ("order" | "order_track" | "moto_order_track") => {
                let id = data.id("orderid")?;
                let customer = Customer::parse(&data, reasons)?;
                let lines = lines::of_order(&data, reasons)?;
                let is_by_browser = name != "moto_order_track";
                Ok(Self::Ordered(ToldOrder { id, customer, lines, is_by_browser }))
            }
            "product_rate" => Ok(Self::Rated),
            "search" => {
                let found = data.text("found")?;
                let found = found.parse().map_err(|_| "found has to be how many products were found")?;
                let is_corrected = matches!(&*data.text("corrected")?, "true" | "1");
                let query = query::normalize(&data.text("query")?);
                Ok(Self::Searched(query.map(|query| CountedSearch { query, found, is_corrected })))
            }
            "item_click" | "search_click" => {
                let product = data.id("id")?;
                let source = AttributionSource::parse_sent(&data.text("refid")?);
                source
                    .map(|source| Self::Clicked(product, source))
                    .ok_or_else(|| "refid has to be that of the zone or the search that showed it".to_owned())
            }
            // As with `Consent` of `/api/events`: an unclear value is left out.
            "accept_cookies" => match sent.map(|data| data.get().trim_matches('"')) {
                Some("true" | "1") => Ok(Self::Consented(true)),
                Some("false" | "0") => Ok(Self::Consented(false)),
                _ => Err("data of accept_cookies has to be true or false".to_owned()),
            },
            "currency" => {
                let plain = sent.map(text_of).filter(|code| !code.is_empty());
                let code = plain.map_or_else(|| data.text("currency"), Ok)?;
                currency_of(&code)
                    .map(Self::CurrencySet)
                    .ok_or_else(|| "it is no currency of ISO 4217".to_owned())
            }
            _ => Err(format!("name has to be {NAMES}")),
        }
    }
}

/// Reads the kind and ids of a page. An unknown kind counts as none.
///
/// # Errors
/// When an id cannot be one, or is given twice with different values.
pub fn page_of(data: &ByName<'_>) -> Result<ZonePage, String> {
    Ok(ZonePage {
        kind: PageKind::from_name(&data.text("page_type")?),
        product: data.opt_id("product_id")?,
        category: data.opt_id("category_id")?,
        brand: data.opt_id("brand_id")?,
    })
}
