//! A call of a plugin, as it is sent.

use serde_json::value::RawValue;

use super::event::{ParsedPluginEvent, page_of};
use super::lenient_json::{ByName, text_of};
use super::search::PluginSearch;
use super::skipped::SkippedReasons;
use crate::api::credentials::{ACCESS_KEY, SECRET_KEY};
use crate::api::events::store;
use crate::api::json_fields::{JsonFields, RequestFields};
use crate::api::search::currency_of;
use crate::ids::identifier::{Identifier, IdentifierRefusal};
use crate::limits;
use crate::search::document::first_elements;
use crate::search::pricing::Currency;
use crate::transport::refusal::Refusal;
use crate::zones::ZonePage;

/// A plugin's call about one shopper: events, and questions. The address of the shopper, their browser and their pages
/// (`ip`, `userAgent`, `referer`, `currentUrl`) are not read. Cannot be printed.
pub struct PluginCall {
    /// Keys of the shop.
    pub keys: ShownKeys,
    /// The number in the shopper's browser, if one is known that can be kept.
    pub visitor_id: Option<Identifier>,
    /// The session that they were told last, as sent.
    pub session_id: Option<String>,
    /// The currency that they see.
    pub currency: Option<Currency>,
    /// Actions of the shopper, in the order in which they were told: up to [`limits::SERVERSIDE_EVENTS`].
    pub events: Vec<ParsedPluginEvent>,
    /// Number of events that were left out.
    pub left_out: usize,
    /// The requested zones, each once, with the page fields that come with them: up to [`limits::SERVERSIDE_ZONES`].
    pub zones: Vec<(String, ZonePage)>,
    /// The products that the shopper looked at, as sent, the newest last: up to [`limits::ZONE_VIEWED`].
    pub viewed: Vec<String>,
    /// The search that is asked for.
    pub search: Option<PluginSearch>,
    /// Fields of items that a page needs besides those of a card: up to [`limits::SEARCH_FIELDS`].
    pub fields: Vec<String>,
    /// Reasons for leaving out events, parts of events, or zones.
    pub reasons: SkippedReasons,
}

/// The keys that a call shows; a page, and some plugins, show no secret. Cannot be printed.
pub struct ShownKeys {
    /// The access key.
    pub access_key: Option<String>,
    /// The secret, unless it is empty.
    pub secret: Option<String>,
}

static_assertions::assert_not_impl_any!(PluginCall: std::fmt::Debug, std::fmt::Display, serde::Serialize);
static_assertions::assert_not_impl_any!(ShownKeys: std::fmt::Debug, std::fmt::Display, serde::Serialize);

impl RequestFields for ShownKeys {
    fn opt_text(&self, spellings: &[&str]) -> Result<Option<String>, Refusal> {
        let is_of = |known: &[&str]| spellings == known;
        let key = Some(&self.access_key).filter(|_| is_of(ACCESS_KEY));
        Ok(key.or(Some(&self.secret).filter(|_| is_of(SECRET_KEY))).cloned().flatten())
    }

    fn as_sent(&self, spellings: &[&str]) -> Result<Option<String>, Refusal> {
        self.opt_text(spellings)
    }
}

impl PluginCall {
    /// A call that shows keys, and tells and asks nothing yet.
    pub(super) fn new(keys: ShownKeys) -> Self {
        Self {
            keys,
            visitor_id: None,
            session_id: None,
            currency: None,
            events: Vec::new(),
            left_out: 0,
            zones: Vec::new(),
            viewed: Vec::new(),
            search: None,
            fields: Vec::new(),
            reasons: SkippedReasons::default(),
        }
    }

    /// The customer group of the user who is logged in at the end of the call, if the call says so.
    pub fn group(&self) -> Option<String> {
        let group = |before, told: &ParsedPluginEvent| match told {
            ParsedPluginEvent::LoggedIn(customer) => customer.group.clone(),
            ParsedPluginEvent::LoggedOut => None,
            _ => before,
        };
        self.events.iter().fold(None, group)
    }

    /// Reads the body of `POST /api/serverside`.
    ///
    /// # Errors
    /// A refusal when it is not one JSON object, a field is given twice with different values, or a key is not a text.
    pub fn of_body(body: &[u8]) -> Result<Self, Refusal> {
        let fields = JsonFields::parse(body)?;
        let secret = fields.opt_text(SECRET_KEY)?.filter(|secret| !secret.is_empty());
        let mut call = Self::new(ShownKeys { access_key: fields.opt_text(ACCESS_KEY)?, secret });
        let text = |name: &str| Ok::<_, Refusal>(fields.find(&[name])?.map(text_of).unwrap_or_default());
        call.take_ids(&text("visitorId")?, &text("sessionId")?);
        call.take_currency(&text("currency")?);
        // The elements after these are neither read nor counted: a list can be long, and no plugin sends so many.
        let most = limits::SERVERSIDE_ELEMENTS;
        let first = |list| first_elements(list, most);
        let listed = |name: &str| Ok::<_, Refusal>(fields.find(&[name])?.map(first).unwrap_or_default());
        for event in listed("events")? {
            call.take_event(|reasons| ParsedPluginEvent::parse(event, reasons));
        }
        for zone in listed("zones")? {
            call.take_zone(zone);
        }
        let viewed = listed("viewed")?.into_iter().map(text_of).filter(|id| is_id(id, limits::ITEM_ID_BYTES));
        let most = limits::ZONE_VIEWED;
        call.viewed = viewed.take(most).collect();
        call.fields = listed("fields")?.into_iter().take(limits::SEARCH_FIELDS).map(text_of).collect();
        call.search = fields.find(&["search"])?.and_then(PluginSearch::parse);
        Ok(call)
    }

    /// Takes the ids of a visitor and a session; empty ones are not known. One that cannot be kept is as if it were not
    /// known.
    pub(super) fn take_ids(&mut self, visitor: &str, session: &str) {
        self.visitor_id = match Identifier::browser_number(visitor) {
            Ok(id) => Some(id),
            Err(IdentifierRefusal::Empty | IdentifierRefusal::Nobody) => None,
            Err(refusal) => {
                self.reasons.add(format!("visitorId: {refusal}"));
                None
            }
        };
        let is_kept = session.len() <= limits::IDENTIFIER_BYTES && !session.chars().any(char::is_control);
        self.session_id = (is_kept && !session.is_empty()).then(|| session.to_owned());
    }

    /// Takes the currency that the shopper sees.
    pub(super) fn take_currency(&mut self, code: &str) {
        self.currency = currency_of(code);
        if self.currency.is_none() && !code.is_empty() {
            self.reasons.add("currency has to be three letters of ISO 4217, such as EUR".to_owned());
        }
    }

    /// Takes an event, or leaves it out with the reason.
    pub(super) fn take_event(
        &mut self,
        read: impl FnOnce(&mut SkippedReasons) -> Result<ParsedPluginEvent, String>,
    ) {
        let most = limits::SERVERSIDE_EVENTS;
        let number = self.events.len() + self.left_out;
        if number >= most {
            self.left_out += 1;
            self.reasons.add(format!("only the first {most} events of a call are taken"));
            return;
        }
        let mut reasons = SkippedReasons::default();
        match read(&mut reasons) {
            Ok(told) => self.events.push(told),
            Err(reason) => {
                self.left_out += 1;
                reasons.add(format!("left out: {reason}"));
            }
        }
        self.reasons.add_all(&format!("event {}", number + 1), reasons);
    }

    /// Returns true if it withdraws consent.
    pub(super) fn withdraws(&self) -> bool {
        self.events.iter().any(ParsedPluginEvent::withdraws)
    }

    /// Leaves all but withdrawals of consent out.
    pub(super) fn keep_withdrawals(&mut self) {
        let before = self.events.len();
        self.events.retain(ParsedPluginEvent::withdraws);
        self.left_out += before - self.events.len();
    }

    /// Leaves all but the first events out, and withdrawals of consent.
    pub(super) fn keep_first(&mut self, most: usize) {
        let before = self.events.len();
        let mut number = 0;
        self.events.retain(|told| {
            number += 1;
            number <= most || told.withdraws()
        });
        let left = before - self.events.len();
        if left > 0 {
            self.left_out += left;
            self.reasons.add(format!("only the first {most} events of a page's call are taken"));
        }
    }

    /// Leaves out views beyond the number that pages may send, but keeps withdrawals of consent.
    pub(super) fn leave_out_beyond(&mut self, take: &mut impl FnMut() -> bool) {
        let before = self.events.len();
        self.events.retain(|told| !told.is_look() || told.withdraws() || take());
        let limited = before - self.events.len();
        if limited > 0 {
            store::count("limited", limited);
            self.reasons.add("events were left out: the pages of the shop told too many".to_owned());
        }
    }

    /// Takes a zone: its id, or an object with it, and with `data` of the page. Pages ask for several in one text too,
    /// with commas between them.
    fn take_zone(&mut self, zone: &RawValue) {
        let plain = text_of(zone);
        let members = ByName::from_object(zone);
        let ids = if plain.is_empty() { members.text("id").unwrap_or_default() } else { plain };
        let data = members.find("data").ok().flatten().map(ByName::from_object).unwrap_or_default();
        let page = page_of(&data).unwrap_or_default();
        let is_between = |sign: char| sign == ',';
        for id in ids.split(is_between).take(limits::SERVERSIDE_ZONES + 1) {
            self.take_zone_of(id.trim(), &page);
        }
    }

    fn take_zone_of(&mut self, id: &str, page: &ZonePage) {
        let most = limits::SERVERSIDE_ZONES;
        let is_taken = self.zones.iter().any(|(known, _)| known.eq_ignore_ascii_case(id));
        if !is_id(id, limits::IDENTIFIER_BYTES) {
            self.reasons.add("a zone was left out: it has no id that can be one".to_owned());
        } else if self.zones.len() >= most {
            self.reasons.add(format!("only the first {most} zones are taken"));
        } else if !is_taken {
            self.zones.push((id.to_owned(), page.clone()));
        }
    }
}

fn is_id(id: &str, most: usize) -> bool {
    !id.is_empty() && id.len() <= most && !id.chars().any(char::is_control)
}
