//! `POST /api/events`: what shoppers do, as the shop's server tells it.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use serde_json::value::RawValue;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ArrayBuilder, ObjectBuilder, Ref, Schema};
use utoipa::{PartialSchema, ToSchema};

use super::asking::{BySecret, Question};
use super::body::{Fields, Named};
use super::refusal::{OfShop, Refusal};
use super::{account_quota, to_its_end};
use crate::accept;
use crate::catalogue::CatalogueFault;
use crate::catalogue::visible::Catalogue;
use crate::clock::{Millis, day_of, millis};
use crate::fairness::{self, Asker, Entry};
use crate::feeds::section::Section;
use crate::ids::AccountId;
use crate::ids::identifier::{Identifier, IdentifierRefusal};
use crate::keys::Spares;
use crate::limits;
use crate::node::Node;
use crate::store::Tx;
use crate::subjects::event::{Event, PRODUCT_VIEW, Stored, What, Who};
use crate::subjects::subject::SubjectFault;

/// Why an event of a new visitor is left out for now.
pub const LATER: &str = "Too many visitors of the shop are new just now: send this event again in a minute";

/// Events, in the order in which they happened.
pub struct EventsRequest {
    events: Vec<Result<Sent, String>>,
}

/// An event as it was sent.
struct Sent {
    product: String,
    at: Option<Millis>,
    who: Who,
}

/// Something that a shopper did. Of who did it one id is needed; the first that names somebody decides.
#[derive(utoipa::ToSchema)]
#[schema(rename_all = "PascalCase")]
#[expect(dead_code, reason = "describes what is read field by field")]
struct ShopperEvent {
    /// What: `product_view`.
    #[schema(example = "product_view")]
    name: String,
    /// The product's id or SKU, or those of one of its variants.
    #[schema(example = "4711")]
    product: String,
    /// When, in milliseconds since 1970; now, if it is not there.
    #[schema(required = false)]
    at: i64,
    /// The shop's id of who did it.
    #[schema(required = false, example = "7")]
    user_id: String,
    /// Their email address; beside a user id it is not kept.
    #[schema(required = false)]
    email: String,
    /// The number in their browser's cookie; beside a user id or an address it is not read.
    #[schema(required = false)]
    visitor_id: String,
    /// The company that did it, if nobody else is named.
    #[schema(required = false)]
    account_id: String,
}

impl PartialSchema for EventsRequest {
    fn schema() -> RefOr<Schema> {
        let events = ArrayBuilder::new().items(Ref::from_schema_name(ShopperEvent::name()));
        let events = events.max_items(Some(limits::EVENTS_OF_REQUEST));
        ObjectBuilder::new().property("Events", events).required("Events").into()
    }
}

impl ToSchema for EventsRequest {
    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        schemas.push((ShopperEvent::name().into_owned(), ShopperEvent::schema()));
    }
}

/// What became of the events.
#[derive(serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "PascalCase")]
pub struct EventsAnswer {
    /// How many were taken.
    accepted: usize,
    /// Of each event its session, or why it was left out.
    events: Vec<TakenEvent>,
}

/// What became of an event.
#[derive(serde::Serialize, utoipa::ToSchema)]
pub enum TakenEvent {
    /// It was taken. The id of its session, for recommendations.
    SessionId(String),
    /// It was left out, and why.
    LeftOut(String),
}

impl Question for EventsRequest {
    const LIMIT_BYTES: usize = limits::EVENTS_BODY_BYTES;
    const ACCESS_KEY: &str = "AppKey";

    fn read(fields: &Fields<'_>) -> Result<Self, Refusal> {
        let malformed = || Refusal::malformed("Events has to be a list of objects");
        let events = fields.find(&["Events"])?.ok_or_else(|| Refusal::malformed("Events is missing"))?;
        let events: Vec<&RawValue> = serde_json::from_str(events.get()).map_err(|_| malformed())?;
        if events.len() > limits::EVENTS_OF_REQUEST {
            let most = limits::EVENTS_OF_REQUEST;
            return Err(Refusal::malformed(format!(
                "Events has up to {most} events: send the rest after them"
            )));
        }
        Ok(Self { events: events.into_iter().map(sent).collect() })
    }
}

fn sent(event: &RawValue) -> Result<Sent, String> {
    let said = |refusal: Refusal| refusal.sentence().to_owned();
    if !event.get().starts_with('{') {
        return Err("An event has to be an object".to_owned());
    }
    let fields = Fields::parse(event.get().as_bytes()).map_err(said)?;
    if fields.text(&["Name"]).map_err(said)? != PRODUCT_VIEW {
        return Err(format!("Name has to be {PRODUCT_VIEW}; other events are not taken yet"));
    }
    let product = fields.opt_id("Product").map_err(said)?.ok_or("Product is missing")?;
    let has_time =
        fields.as_sent(&["At"]).map_err(said)?.is_some_and(|at| !matches!(at.as_str(), "" | "null"));
    let at = has_time.then(|| fields.number(&["At"]).map_err(said)).transpose()?;
    Ok(Sent { product, at, who: who(&fields)? })
}

/// Who did it. What names nobody is as if it were not there.
fn who(fields: &Fields<'_>) -> Result<Who, String> {
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
    let who = Who {
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

type Asked = BySecret<EventsRequest>;

/// Takes what shoppers did; it counts in recommendations within a second.
#[utoipa::path(post, path = "/api/events", operation_id = "events", tag = "additions", request_body = Asked,
    responses(OfShop, (status = 200, description = "Taken, durably, or left out, with the reason", body = EventsAnswer)))]
pub async fn post(
    State(node): State<Arc<Node>>,
    Asked { account, question, .. }: Asked,
) -> Result<Json<EventsAnswer>, Refusal> {
    let account = account.id;
    account_quota::check(&node, account).await?;
    let products = question.events.iter().flatten().map(|event| event.product.clone()).collect();
    let ids = resolved(&node, account, products).await?;
    let now = node.clock.now();
    let mut taken = Vec::with_capacity(question.events.len());
    let mut events = Vec::with_capacity(question.events.len());
    for sent in question.events {
        match sent.and_then(|sent| event(sent, &ids, now)) {
            Ok(event) => {
                taken.push(None);
                events.push(event);
            }
            Err(reason) => taken.push(Some(TakenEvent::LeftOut(reason))),
        }
    }
    let left_out = taken.len() - events.len();
    let stored = stored(&node, account, events).await?;
    let later = stored.iter().filter(|stored| **stored == Stored::Later).count();
    let accepted = stored.len() - later;
    for (outcome, count) in [("accepted", accepted), ("left_out", left_out), ("later", later)] {
        metrics::counter!("lethe_events_total", "outcome" => outcome).increment(count as u64);
    }
    node.derived.models().wake(account);
    let mut stored = stored.into_iter().map(told);
    let events = taken.into_iter().filter_map(|left_out| left_out.or_else(|| stored.next()));
    Ok(Json(EventsAnswer { accepted, events: events.collect() }))
}

fn told(stored: Stored) -> TakenEvent {
    let session = |id: uuid::Uuid| TakenEvent::SessionId(id.to_string());
    match stored {
        Stored::In(visit) => session(uuid::Uuid::from_u128(visit.id)),
        // Of somebody who is forgotten nothing is stored, and the answer does not say so.
        Stored::Nothing => session(uuid::Uuid::new_v4()),
        Stored::Later => TakenEvent::LeftOut(LATER.to_owned()),
    }
}

/// The catalogue ids of what was named, once: what an event is about does not change any more.
async fn resolved(
    node: &Node,
    account: AccountId,
    products: Vec<String>,
) -> Result<HashMap<String, String>, Refusal> {
    let mut ids: HashMap<String, String> = HashMap::new();
    let mut others: BTreeSet<String> = BTreeSet::new();
    // Most are ids of what a search shows, and asking it costs little.
    let search = node.derived.searches().shown_if_open(account);
    for product in products {
        match &search {
            // One that cannot be read is as one that does not have it.
            Some(shown) if matches!(shown.snapshot.has(&product), Ok(true)) => {
                drop(ids.insert(product.clone(), product))
            }
            _ => drop(others.insert(product)),
        }
    }
    if others.is_empty() {
        return Ok(ids);
    }
    let blobs = node.blobs.clone();
    let reading = node.store.read(move |tx| {
        let mut catalogue = Catalogue::open(tx, &blobs, account)?;
        let mut found = Vec::with_capacity(others.len());
        for product in &others {
            let item = catalogue.find(Section::Products, product)?;
            found.extend(item.map(|item| (product.clone(), item.id)));
        }
        Ok::<_, CatalogueFault>(found)
    });
    ids.extend(reading.await?);
    Ok(ids)
}

fn event(sent: Sent, ids: &HashMap<String, String>, now: Millis) -> Result<Event, String> {
    let at = sent.at.unwrap_or(now);
    if at > now + millis(limits::CLOCKS_APART_DURATION) {
        return Err("At is in the future: it is in milliseconds since 1970".to_owned());
    }
    if sent.who.until(at) <= day_of(now) {
        return Err("At is so long ago that the event would not be kept".to_owned());
    }
    let id = ids.get(&sent.product);
    let id = id.ok_or("The shop shows no product of that Id or Sku, nor of a variant")?;
    Ok(Event { who: sent.who, at: at.min(now), what: What::ProductViewed(id.clone()) })
}

async fn stored(node: &Arc<Node>, account: AccountId, events: Vec<Event>) -> Result<Vec<Stored>, Refusal> {
    if events.is_empty() {
        return Ok(Vec::new());
    }
    // red: it::fairness::sqlite::events_of_one_shop_leave_turns_for_another
    let who = mutant!(
        "all-accounts-store-events-in-one-turn",
        fairness::Who::Account(account),
        fairness::Who::Operator
    );
    let turn = node.fairness.events.take(who, events.len(), limits::EVENTS_WAIT_DURATION).await;
    let turn = turn.ok_or_else(Refusal::busy)?;
    let people = events.iter().map(|event| &event.who).collect::<HashSet<_>>().len();
    let unit = Arc::new(Unit {
        node: node.clone(),
        account,
        events,
        now: node.clock.now(),
        visitors: node.fairness.new_visitors.entry(account, Asker::Secret),
    });
    let keys = node.keys.clone();
    let storing = async move {
        // It ends with the work, also when nobody waits for it any longer.
        let _turn = turn;
        let write = |spares| unit.clone().write(spares);
        // red: it::visitors::sqlite::who_is_known_waits_for_no_key
        let stored = mutant!(
            "an-event-of-somebody-known-waits-for-a-key",
            keys.with_spares_at_need(people, is_unknown, write).await,
            keys.with_spares(people, is_unknown, write).await
        );
        stored.map_err(Refusal::from)
    };
    to_its_end(storing).await
}

/// Events that are stored together.
struct Unit {
    node: Arc<Node>,
    account: AccountId,
    events: Vec<Event>,
    now: Millis,
    visitors: Entry,
}

impl Unit {
    async fn write(self: Arc<Self>, spares: Arc<Spares>) -> Result<Vec<Stored>, SubjectFault> {
        let unit = self.clone();
        let of_unit = spares.clone();
        let storing = self.node.store.write(self.account, move |tx: &mut Tx<'_>| {
            let Self { node, account, events, now, visitors } = &*unit;
            accept::events::accept(tx, &node.keys, *account, (&of_unit, visitors), events, *now)
        });
        let stored = storing.await;
        if stored.as_ref().is_err_and(|fault| !is_unknown(fault)) {
            self.visitors.put_back();
        }
        let stored = stored?;
        self.node.derived.forget(self.account, &spares.lost()).await;
        Ok(stored)
    }
}

fn is_unknown(fault: &SubjectFault) -> bool {
    matches!(fault, SubjectFault::Store(fault) if fault.is_outcome_unknown())
}
