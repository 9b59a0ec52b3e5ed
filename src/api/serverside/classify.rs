//! Sorts the content of a call into records that can be stored.

use super::customer::Customer;
use super::event::{ParsedPluginEvent, ToldOrder};
use super::lines::ToldLine;
use super::request::PluginCall;
use super::skipped::SkippedReasons;
use crate::accept::events::{AcceptedAs, AcceptedEvent};
use crate::api::events::store;
use crate::clock::Millis;
use crate::ids::identifier::Identifier;
use crate::limits;
use crate::people::actor::Actor;
use crate::people::consent::Withdrawal;
use crate::people::event::{self, NewEvent};
use crate::people::event_action::{EventAction, ResolvedItems};
use crate::people::log_in::LogIn;
use crate::people::order::{self, Order, PurchaseLine};
use crate::reports::attribution::AttributionSource;
use crate::search::pricing::Currency;

/// Reason why an event is left out for now.
pub(super) const LATER: &str =
    "too many visitors of the shop are new just now: it can be told again in a minute";

/// Context that decides which events of a call are accepted.
pub struct PluginCallContext<'a> {
    /// The products as the catalogue names them.
    pub shown: &'a ResolvedItems,
    /// Time when the call came.
    pub now: Millis,
    /// Number of the browser's visitor.
    pub visitor: &'a Identifier,
    /// True if the browser got its number before. Nothing is stored about a browser that may never come back.
    pub is_back: bool,
    /// True if consent may be withdrawn with the number: also when nothing else is stored.
    pub is_theirs: bool,
    /// True if the shop itself sends the call, with its secret. A page's word about a shopper's identity or purchases
    /// is a claim, and is not stored.
    pub is_proven: bool,
    /// The currency of prices in which the shop counts.
    pub shop_currency: Option<Currency>,
}

impl PluginCallContext<'_> {
    /// Returns the events of a call that are to be stored; adds reasons for those that cannot be to the call.
    pub fn accept_events(&self, call: &mut PluginCall) -> Vec<AcceptedEvent> {
        let has_other_prices = self.shop_currency.zip(call.currency).is_some_and(|(own, told)| own != told);
        let mut accepted = Vec::with_capacity(call.events.len());
        let mut is_somebody = self.is_back;
        let events = std::mem::take(&mut call.events);
        let is_taken = |told: &ParsedPluginEvent| self.is_proven || told.is_look();
        let (events, claims): (Vec<_>, Vec<_>) = events.into_iter().partition(is_taken);
        store::count("claimed", claims.len());
        for told in events {
            let taken = match told {
                ParsedPluginEvent::ProductViewed(product) => store::find_item(self.shown, &product)
                    .map(|item| self.accept_action(EventAction::ProductViewed(item)).filter(|_| is_somebody))
                    .ok_or("a product_view was left out: the shop shows no product of that id or sku, nor of a variant"),
                ParsedPluginEvent::BasketSet(lines) => {
                    store::basket_set(self.shown, lines.iter().map(|line: &ToldLine| &line.product))
                        .map(|what| self.accept_action(what).filter(|_| is_somebody))
                        .ok_or("a set_basket was left out: the shop shows none of its products")
                }
                ParsedPluginEvent::Ordered(order) => {
                    if has_other_prices {
                        call.reasons.add(
                            "prices of an order were left out: they are in another currency than the shop's"
                                .to_owned(),
                        );
                    }
                    self.accept_order(order, has_other_prices)
                }
                ParsedPluginEvent::LoggedIn(customer) => {
                    is_somebody = true;
                    let visitor = self.visitor.clone();
                    Ok(Some(AcceptedEvent::LoggedIn(LogIn { visitor, who: customer.into(), at: self.now })))
                }
                ParsedPluginEvent::LoggedOut => {
                    is_somebody = self.is_back;
                    Ok(Some(AcceptedEvent::LoggedOut(self.visitor.clone())))
                }
                ParsedPluginEvent::Consented(false) => {
                    is_somebody = false;
                    let withdrawal = || Withdrawal { visitor: self.visitor.clone(), is_proven: self.is_proven };
                    Ok(self.is_theirs.then(withdrawal).map(AcceptedEvent::Withdrawn))
                }
                ParsedPluginEvent::Searched(Some(search)) => Ok(self.accept_action(EventAction::Searched(search)).filter(|_| is_somebody)),
                ParsedPluginEvent::Searched(None) => Err(UNCOUNTED),
                ParsedPluginEvent::Clicked(product, source) => match store::find_item(self.shown, &product) {
                    Some(item) => Ok(self.accept_action(EventAction::Clicked(item, source)).filter(|_| is_somebody)),
                    None => Err("a click was left out: the shop shows no product of that id or sku"),
                },
                ParsedPluginEvent::Rated => Ok(None),
                ParsedPluginEvent::Paged(_) | ParsedPluginEvent::CurrencySet(_) | ParsedPluginEvent::Consented(true) => Ok(None),
            };
            match taken {
                Ok(taken) => accepted.extend(taken),
                Err(reason) => {
                    call.left_out += 1;
                    call.reasons.add(reason.to_owned());
                }
            }
        }
        accepted
    }

    fn accept_action(&self, what: EventAction) -> Option<AcceptedEvent> {
        let who = Actor { visitor: Some(self.visitor.clone()), ..Actor::default() };
        Some(AcceptedEvent::Event(NewEvent { who, at: self.now, what, is_of_page: !self.is_proven }))
    }

    fn accept_order(
        &self,
        told: ToldOrder,
        has_other_prices: bool,
    ) -> Result<Option<AcceptedEvent>, &'static str> {
        let ToldOrder { id, customer, lines, is_by_browser } = told;
        let is_named = customer.leading().is_some();
        let order = self.order(id, customer, lines, has_other_prices);
        if is_named {
            Ok(Some(AcceptedEvent::Order(order)))
        } else if is_by_browser {
            Ok(Some(AcceptedEvent::OrderAt(order, self.visitor.clone())))
        } else {
            Err(NOBODY)
        }
    }

    fn order(&self, id: String, customer: Customer, lines: Vec<ToldLine>, has_other_prices: bool) -> Order {
        let line = |(number, line): (usize, ToldLine)| PurchaseLine {
            number: number as u64,
            product: line.product,
            quantity: line.quantity,
            unit_price: line.unit_price.filter(|_| !has_other_prices),
            source: line.ref_id.as_deref().and_then(AttributionSource::parse_sent),
        };
        let lines = lines.into_iter().enumerate().map(line).collect();
        store::order(id, customer.into(), lines, self.now)
    }
}

/// Reason why a search is not counted.
const UNCOUNTED: &str =
    "a search was left out: it is empty or too long, or looks like an address or a long number";

/// Reason why an order is left out.
const NOBODY: &str =
    "an order was left out: it names nobody by accid, userid or email, and nobody is logged in";

/// Adds reasons for omissions, and returns the session of the stored events. Nothing is stored about a forgotten
/// person, and nothing here says so.
pub fn report_outcomes(became: &[AcceptedAs], reasons: &mut SkippedReasons) -> Option<uuid::Uuid> {
    let mut session = None;
    for became in became {
        match became {
            AcceptedAs::Event(event::EventOutcome::In(visit)) => {
                session = Some(uuid::Uuid::from_u128(visit.id))
            }
            AcceptedAs::Event(event::EventOutcome::Later) => reasons.add(LATER.to_owned()),
            AcceptedAs::Order(order::OrderOutcome::Mixed) => {
                reasons.add("an order was left out: one of its number is somebody else's".to_owned());
            }
            AcceptedAs::Order(order::OrderOutcome::TooManyLines) => {
                reasons.add(format!("an order was left out: it has more than {} lines", limits::ORDER_LINES));
            }
            AcceptedAs::OfNobody => reasons.add(NOBODY.to_owned()),
            // Earlier events belong to another person.
            AcceptedAs::Heard => session = None,
            AcceptedAs::Withdrawn
            | AcceptedAs::Event(event::EventOutcome::Nothing)
            | AcceptedAs::Order(
                order::OrderOutcome::Kept
                | order::OrderOutcome::Dropped
                | order::OrderOutcome::TakenBack
                | order::OrderOutcome::Repeated,
            ) => {}
        }
    }
    session
}

impl From<Customer> for Actor {
    fn from(Customer { company, user_id, email, group: _ }: Customer) -> Self {
        Self { user_id, email, company, visitor: None }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_script_of_pages_knows_the_sentences_after_which_it_asks_again() {
        let script = include_str!("../web/storefront/server.js");
        let understood = |name: &str| {
            let line = script.lines().find(|line| line.starts_with(&format!("const {name} = "))).unwrap();
            line.split('"').nth(1).unwrap().to_owned()
        };
        assert!(super::LATER.contains(&understood("LATER")));
        assert!(crate::api::serverside::call::ZONES_LEFT_OUT.contains(&understood("BUSY")));
    }
}
