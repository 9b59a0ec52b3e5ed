//! Events as they are sent.

use std::slice;

use rust_decimal::Decimal;
use serde_json::value::RawValue;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ArrayBuilder, ObjectBuilder, Ref, Schema, Type};
use utoipa::{PartialSchema, ToSchema};

use crate::api::from_fields::{FromFields, MemberNames};
use crate::api::json_fields::{JsonFields, RequestFields};
use crate::clock::Millis;
use crate::feeds::orders::values;
use crate::ids::identifier::{Identifier, IdentifierRefusal};
use crate::limits;
use crate::people::actor::Actor;
use crate::people::event_action::{
    CountedSearch, ITEM_CLICK, ORDER_PLACED, PRODUCT_VIEW, SEARCH, SET_BASKET, ZONES_SEEN,
};
use crate::people::order::PurchaseLine;
use crate::reports::attribution::AttributionSource;
use crate::reports::query;
use crate::transport::refusal::Refusal;

/// Events, in the order in which they happened.
pub struct EventsRequest {
    pub(super) events: Vec<Result<SentEvent, String>>,
    /// By which the shop knows the request.
    pub(super) key: Option<String>,
}

/// An event as it was sent.
pub(super) enum SentEvent {
    /// A shopper's action.
    Done { did: Box<ShopperAction>, at: Option<Millis>, who: Actor },
    /// The order of this number does not count any more, whoever placed it.
    Cancelled(String),
    /// Refused consent, with the browser's id if it is sent.
    Withdrawn(Option<Identifier>),
}

impl SentEvent {
    /// The products whose catalogue ids are stored with it.
    pub(super) fn products(&self) -> slice::Iter<'_, String> {
        match self {
            Self::Done { did, .. } => did.products(),
            Self::Withdrawn(_) | Self::Cancelled(_) => [].iter(),
        }
    }
}

/// An action of a shopper, with products as the shop calls them.
pub(super) enum ShopperAction {
    Viewed(String),
    Basket(Vec<String>),
    Ordered { id: String, lines: Vec<PurchaseLine> },
    Searched(CountedSearch),
    Clicked(String, AttributionSource),
    SawZones(Vec<AttributionSource>),
}

impl ShopperAction {
    /// The products whose catalogue ids are stored with the event: those of an order are looked up later.
    fn products(&self) -> slice::Iter<'_, String> {
        match self {
            Self::Viewed(product) | Self::Clicked(product, _) => slice::from_ref(product).iter(),
            Self::Basket(products) => products.iter(),
            Self::Ordered { .. } | Self::Searched(_) | Self::SawZones(_) => [].iter(),
        }
    }
}

/// An action of a shopper. It needs one id of the shopper; the first valid one decides.
#[derive(utoipa::ToSchema)]
#[schema(rename_all = "PascalCase")]
#[expect(dead_code, reason = "describes what is read field by field")]
struct ShopperEvent {
    /// The action: `product_view`, `set_basket`, `order`, `search`, `item_click` or `zones_seen`.
    #[schema(example = "product_view")]
    name: String,
    /// For a view or a click: the product's id or SKU, or those of one of its variants.
    #[schema(required = false, example = "4711")]
    product: String,
    /// For an order: the shop's order id; each counts once.
    #[schema(required = false)]
    order: String,
    /// For an order its products: `[]` takes back the order of that number. For a basket all products that are in it
    /// now: `[]` empties it.
    #[schema(required = false)]
    items: Vec<BasketItem>,
    /// For an order: `true` says that it does not count any more, as `Items: []` does; its customer need not be named.
    #[schema(required = false)]
    cancelled: bool,
    /// For a click: the `RefId` of the zone or the search that showed the product.
    #[schema(required = false)]
    ref_id: String,
    /// For zones that were seen with content: the `RefId` of an item of each.
    #[schema(required = false)]
    ref_ids: Vec<String>,
    /// For a search: the text that was typed. One that looks like an address or a long number is left out.
    #[schema(required = false)]
    query: String,
    /// For a search: the number of products that were found.
    #[schema(required = false)]
    found: u64,
    /// For a search: `true` if something else was searched than was typed; by default `false`.
    #[schema(required = false)]
    corrected: bool,
    /// Time of the event, in milliseconds since 1970; by default now.
    #[schema(required = false)]
    at: i64,
    /// The shop's id of the shopper.
    #[schema(required = false, example = "7")]
    user_id: String,
    /// `false`: nothing of this event is stored, and the events of a visitor with this `VisitorId` are destroyed. If
    /// it is missing, the shopper consents.
    #[schema(required = false)]
    consent: bool,
    /// Their email address; it is not kept if a user id is sent.
    #[schema(required = false)]
    email: String,
    /// The number in their browser's cookie; it is not read if a user id or an address is sent.
    #[schema(required = false)]
    visitor_id: String,
    /// The company that did it, if no person is named.
    #[schema(required = false)]
    account_id: String,
}

/// A product in a basket or an order; a text or a whole number alone is one.
#[derive(utoipa::ToSchema)]
#[schema(rename_all = "PascalCase")]
#[expect(dead_code, reason = "describes what is read field by field")]
struct BasketItem {
    /// Its id or SKU, or those of one of its variants, as for a view.
    #[schema(example = "4711")]
    product: String,
    /// Quantity, above 0; by default 1. Kept for orders only.
    #[schema(required = false)]
    quantity: f64,
    /// Price of one, in the shop's currency. Kept for orders only.
    #[schema(required = false)]
    unit_price: f64,
}

impl PartialSchema for EventsRequest {
    fn schema() -> RefOr<Schema> {
        let events = ArrayBuilder::new().items(Ref::from_schema_name(ShopperEvent::name()));
        let events = events.max_items(Some(limits::EVENTS_OF_REQUEST));
        let key = ObjectBuilder::new()
            .schema_type(Type::String)
            .max_length(Some(limits::EVENTS_KEY_BYTES))
            .description(Some("One that was taken with this key within a day is not taken again"));
        ObjectBuilder::new()
            .property("Events", events)
            .required("Events")
            .property("IdempotencyKey", key)
            .into()
    }
}

impl ToSchema for EventsRequest {
    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        schemas.push((ShopperEvent::name().into_owned(), ShopperEvent::schema()));
        schemas.push((BasketItem::name().into_owned(), BasketItem::schema()));
    }
}

impl FromFields for EventsRequest {
    const LIMIT_BYTES: usize = limits::EVENTS_BODY_BYTES;
    const ACCESS_KEY: &str = "AppKey";
    const MEMBERS: MemberNames = MemberNames::Tolerant;

    fn from_fields(fields: &JsonFields<'_>) -> Result<Self, Refusal> {
        let malformed = || Refusal::malformed("Events has to be a list of objects");
        let events = fields.find(&["Events"])?.ok_or_else(|| Refusal::missing("Events is missing"))?;
        let events: Vec<&RawValue> = serde_json::from_str(events.get()).map_err(|_| malformed())?;
        if events.len() > limits::EVENTS_OF_REQUEST {
            let most = limits::EVENTS_OF_REQUEST;
            return Err(Refusal::malformed(format!(
                "Events has up to {most} events: send the rest after them"
            )));
        }
        let key = fields.opt_text(&["IdempotencyKey"])?.filter(|key| !key.is_empty());
        if key.as_ref().is_some_and(|key| key.len() > limits::EVENTS_KEY_BYTES) {
            let most = limits::EVENTS_KEY_BYTES;
            return Err(Refusal::malformed(format!("IdempotencyKey has up to {most} bytes")));
        }
        Ok(Self { events: events.into_iter().map(parse_event).collect(), key })
    }
}

fn parse_event(event: &RawValue) -> Result<SentEvent, String> {
    let said = |refusal: Refusal| refusal.sentence().to_owned();
    if !event.get().starts_with('{') {
        return Err("An event has to be an object".to_owned());
    }
    let fields = JsonFields::parse(event.get().as_bytes()).map_err(said)?;
    let consent = consent(&fields)?;
    if !consent {
        return Ok(SentEvent::Withdrawn(parse_identity(&fields)?.visitor));
    }
    let did = match parse_action(&fields)? {
        ShopperAction::Ordered { id, lines } if lines.is_empty() => return Ok(SentEvent::Cancelled(id)),
        did => did,
    };
    let has_time =
        fields.as_sent(&["At"]).map_err(said)?.is_some_and(|at| !matches!(at.as_str(), "" | "null"));
    let at = has_time.then(|| fields.number(&["At"]).map_err(said)).transpose()?;
    let mut who = parse_identity(&fields)?;
    leave_address(&mut who)?;
    if matches!(did, ShopperAction::Ordered { .. }) && who.is_visitor() {
        return Err("An order names a customer: UserId, Email or AccountId is needed".to_owned());
    }
    Ok(SentEvent::Done { did: Box::new(did), at, who })
}

/// Returns true if `Consent` is missing or true.
fn consent(fields: &JsonFields<'_>) -> Result<bool, String> {
    let sent = fields.as_sent(&["Consent"]).map_err(|refusal| refusal.sentence().to_owned())?;
    match sent.as_deref() {
        None | Some("true" | "1") => Ok(true),
        Some("false" | "0") => Ok(false),
        Some(_) => Err("Consent has to be true or false: nothing of it is stored".to_owned()),
    }
}

fn parse_action(fields: &JsonFields<'_>) -> Result<ShopperAction, String> {
    let said = |refusal: Refusal| refusal.sentence().to_owned();
    let name = fields.text(&["Name"]).map_err(said)?;
    match name.as_str() {
        PRODUCT_VIEW => {
            let product = fields.opt_id("Product").map_err(said)?.ok_or("Product is missing")?;
            Ok(ShopperAction::Viewed(product))
        }
        SET_BASKET => {
            Ok(ShopperAction::Basket(items(fields)?.into_iter().map(|line| line.product).collect()))
        }
        ORDER_PLACED => {
            let id = fields.opt_id("Order").map_err(said)?.ok_or("Order is missing: the shop's id of it")?;
            if id.len() > limits::ITEM_ID_BYTES {
                return Err(format!("Order has up to {} bytes", limits::ITEM_ID_BYTES));
            }
            let lines = if is_true(fields, "Cancelled")? { Vec::new() } else { items(fields)? };
            Ok(ShopperAction::Ordered { id, lines })
        }
        SEARCH => Ok(ShopperAction::Searched(search(fields)?)),
        ITEM_CLICK => {
            let product = fields.opt_id("Product").map_err(said)?.ok_or("Product is missing")?;
            let source = AttributionSource::parse_sent(&fields.text(&["RefId"]).map_err(said)?);
            let source = source.ok_or("RefId has to be that of the zone or the search that showed it")?;
            Ok(ShopperAction::Clicked(product, source))
        }
        ZONES_SEEN => Ok(ShopperAction::SawZones(zones_seen(fields)?)),
        _ => Err(format!(
            "Name has to be {PRODUCT_VIEW}, {SET_BASKET}, {ORDER_PLACED}, {SEARCH}, {ITEM_CLICK} or {ZONES_SEEN}; \
             others are not taken"
        )),
    }
}

fn zones_seen(fields: &JsonFields<'_>) -> Result<Vec<AttributionSource>, String> {
    let sent =
        fields.opt_texts("RefIds").map_err(|refusal| refusal.sentence().to_owned())?.unwrap_or_default();
    if sent.is_empty() || sent.len() > limits::SERVERSIDE_ZONES {
        return Err(format!("RefIds has from one to {} of zones", limits::SERVERSIDE_ZONES));
    }
    let zone = |text: &String| {
        AttributionSource::parse_shown(text).filter(|source| !matches!(source, AttributionSource::Search(_)))
    };
    let seen: Option<Vec<_>> = sent.iter().map(zone).collect();
    seen.ok_or_else(|| "RefIds has to hold those of zones".to_owned())
}

fn search(fields: &JsonFields<'_>) -> Result<CountedSearch, String> {
    let said = |refusal: Refusal| refusal.sentence().to_owned();
    let query = query::normalize(&fields.text(&["Query"]).map_err(said)?);
    let query = query.ok_or("Query is empty or too long, or looks like an address or a long number")?;
    let found = fields.number(&["Found"]).map_err(said)?;
    let found = u64::try_from(found).map_err(|_| "Found has to be how many products were found")?;
    let is_corrected = is_true(fields, "Corrected")?;
    Ok(CountedSearch { query, found, is_corrected })
}

fn is_true(fields: &JsonFields<'_>, name: &str) -> Result<bool, String> {
    let sent = fields.as_sent(&[name]).map_err(|refusal| refusal.sentence().to_owned())?;
    Ok(matches!(sent.as_deref(), Some("true" | "1")))
}

fn items(fields: &JsonFields<'_>) -> Result<Vec<PurchaseLine>, String> {
    let malformed = || "Items has to be a list of products".to_owned();
    let sent = fields.find(&["Items"]).map_err(|refusal| refusal.sentence().to_owned())?;
    let sent = sent.ok_or("Items is missing")?;
    let sent: Vec<&RawValue> = serde_json::from_str(sent.get()).map_err(|_| malformed())?;
    if sent.len() > limits::BASKET_LINES {
        return Err(format!("Items has up to {} products", limits::BASKET_LINES));
    }
    sent.into_iter().enumerate().map(|(number, item)| line(number, item)).collect()
}

fn line(number: usize, item: &RawValue) -> Result<PurchaseLine, String> {
    let said = |refusal: Refusal| refusal.sentence().to_owned();
    if !item.get().starts_with('{') {
        let is_number = item.get().bytes().all(|digit| digit.is_ascii_digit());
        let text = if is_number { Ok(item.get().to_owned()) } else { serde_json::from_str(item.get()) };
        let product = text.map_err(|_| "Items has to be a list of products".to_owned())?;
        return line_of(number, product, Decimal::ONE, None);
    }
    let fields = JsonFields::parse(item.get().as_bytes()).map_err(said)?;
    let amount = |name: &str, read: fn(&str) -> Option<Decimal>| {
        let sent = fields.as_sent(&[name]).map_err(said)?;
        match sent.as_deref().map(str::trim) {
            None | Some("" | "null") => Ok(None),
            Some(text) => read(text).map(Some).ok_or_else(|| format!("{name} is no amount that can be")),
        }
    };
    let product = fields.opt_id("Product").map_err(said)?.ok_or("Product is missing in Items")?;
    let quantity = amount("Quantity", values::quantity)?.unwrap_or(Decimal::ONE);
    line_of(number, product, quantity, amount("UnitPrice", values::price)?)
}

fn line_of(
    number: usize,
    product: String,
    quantity: Decimal,
    unit_price: Option<Decimal>,
) -> Result<PurchaseLine, String> {
    if product.len() > limits::ITEM_ID_BYTES {
        return Err(format!("A product in Items has up to {} bytes", limits::ITEM_ID_BYTES));
    }
    Ok(PurchaseLine { number: number as u64, product, quantity, unit_price, source: None })
}

/// Leaves out a `VisitorId` that holds an address: with a user id or an address it is not read.
fn leave_address(who: &mut Actor) -> Result<(), String> {
    let Some(visitor) = &who.visitor else { return Ok(()) };
    match Identifier::browser_number(visitor.normal()) {
        Ok(_) => Ok(()),
        Err(_) if who.user_id.is_some() || who.email.is_some() => {
            who.visitor = None;
            Ok(())
        }
        Err(refusal) => Err(format!("VisitorId: {refusal}")),
    }
}

/// Reads the ids of the shopper. A placeholder counts as missing.
fn parse_identity(fields: &JsonFields<'_>) -> Result<Actor, String> {
    let id = |name: &str, read: fn(&str) -> Result<Identifier, IdentifierRefusal>| {
        let Some(text) = fields.opt_id(name).map_err(|refusal| refusal.sentence().to_owned())? else {
            return Ok(None);
        };
        match read(&text) {
            Ok(id) => Ok(Some(id)),
            Err(IdentifierRefusal::Nobody | IdentifierRefusal::Empty) => Ok(None),
            Err(refusal) => Err(format!("{name}: {refusal}")),
        }
    };
    let who = Actor {
        user_id: id("UserId", Identifier::user_id)?,
        email: id("Email", Identifier::email)?,
        company: id("AccountId", Identifier::account_id)?,
        visitor: id("VisitorId", Identifier::visitor_id)?,
    };
    if who.is_nobody() {
        return Err("It names nobody: UserId, Email, AccountId or VisitorId is needed".to_owned());
    }
    Ok(who)
}

#[cfg(test)]
mod tests;
