//! `POST /api/serverside` and `GET /api/track`: calls of shop plugins about shoppers, from their server with the
//! secret, or from a page, which has none.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, Request};
use axum::response::Response;
use serde_json::value::RawValue;
use tokio::time::Instant;

use super::browser::{BrowserOf, who_is};
use super::classify::{PluginCallContext, report_outcomes};
use super::event::ParsedPluginEvent;
use super::request::PluginCall;
use super::response::{ServersideAnswer, ServersideRequest};
use super::search::{self as search_of_call, PageSearchAnswer};
use super::visitor;
use super::zones::PluginZonesRequest;
use crate::accept::events::AcceptedAs;
use crate::accounts::Account;
use crate::admission::VisitorSource;
use crate::api::answer_memory::SmallAnswer;
use crate::api::body::read_json_of_account;
use crate::api::credentials::{self, Caller, SECRET_KEY};
use crate::api::events::store;
use crate::api::json_fields::{JsonFields, RequestFields};
use crate::api::zones::fill::FilledPage;
use crate::api::zones::filler::PageZonesRequest;
use crate::api::zones::item::WantedFields;
use crate::api::{account_quota, compute_pool, search, user_token, zones};
use crate::ids::AccountId;
use crate::ids::identifier::Identifier;
use crate::limits;
use crate::node::Node;
use crate::people::event_action::{EventAction, ResolvedItems};
use crate::people::subject::SubjectId;
use crate::personalise::request::ShopperIdentity;
use crate::transport::peer::Peer;
use crate::transport::refusal::{OfListReader, Refusal};

/// Takes a shopper's events, as plugins of shops send them, and answers the number of the browser. Without the secret
/// it takes views only, in browsers whose numbers were issued here.
#[utoipa::path(post, path = "/api/serverside", operation_id = "serverside", tag = "plugin", request_body = ServersideRequest,
    responses(OfListReader, (status = 200, description = "Taken, durably; what was left out stands in `errors`", body = ServersideAnswer)))]
pub async fn post(State(node): State<Arc<Node>>, request: Request<Body>) -> Result<Response, Refusal> {
    run_serverside(&node, request).await.map_err(Refusal::with_list)
}

/// Takes one event of a page, with the access key alone: views only, in browsers whose numbers were issued here.
#[utoipa::path(get, path = "/api/track", operation_id = "track", tag = "plugin",
    params(("appid" = String, Query, pattern = "[!-~]", description = "The account's access key"),
        ("evt" = String, Query, description = "The name of the event; its data are further names, as `id`"),
        ("visitorid" = Option<String>, Query, description = "The number in the shopper's browser"),
        ("sessionid" = Option<String>, Query, description = "The session, as an earlier answer gave it")),
    responses(OfListReader, (status = 200, description = "Taken, or not; what was left out stands in `errors`", body = ServersideAnswer)))]
pub async fn track(State(node): State<Arc<Node>>, request: Request<Body>) -> Result<Response, Refusal> {
    run_track(&node, request).await.map_err(Refusal::with_list)
}

async fn run_track(node: &Arc<Node>, request: Request<Body>) -> Result<Response, Refusal> {
    let caller = Caller::from_request(&request);
    let peer = caller.peer;
    let (asked, _) = request.into_parts();
    search::count(node, peer, 1)?;
    let call = PluginCall::of_address(asked.uri.query().unwrap_or_default())?;
    let account = account_of_page(node, &caller, &call.keys).await?;
    run_page_call(node, (account, peer), &asked.headers, call).await
}

async fn run_serverside(node: &Arc<Node>, request: Request<Body>) -> Result<Response, Refusal> {
    let caller = Caller::from_request(&request);
    let peer = caller.peer;
    let headers = request.headers().clone();
    let body = read_json_of_account(node, request, limits::SERVERSIDE_BODY_BYTES).await?;
    let fields = JsonFields::parse(&body)?;
    let shows_secret = fields.opt_text(SECRET_KEY)?.is_some_and(|secret| !secret.is_empty());
    if !shows_secret && peer != Peer::Operator {
        // The events are read after the rate limit has passed the call: they can be long.
        search::count(node, peer, 1)?;
        let account = account_of_page(node, &caller, &fields).await?;
        let turn_of = search::TurnOf::new(account.id, peer);
        let call = compute_pool::read_body(node, turn_of, body.clone(), PluginCall::of_body).await?;
        return run_page_call(node, (account, peer), &headers, call).await;
    }
    let account = credentials::by_secret(node, &caller, &fields).await?;
    let turn_of = search::TurnOf::new(account.id, peer);
    let mut call = compute_pool::read_body(node, turn_of, body.clone(), PluginCall::of_body).await?;
    check_quota(node, account.id, &mut call).await?;
    let is_withdrawn = call.withdraws();
    let on_page = PluginZonesRequest::from_call(&mut call);
    let group = call.group();
    let (visitor, is_back) = match call.visitor_id.take() {
        Some(sent) => (sent, true),
        None => (visitor::issue(&node.keys, account.id)?, false),
    };
    let now = node.clock.now();
    let shown = resolve_items(node, &account, &call, &on_page).await?;
    let shop_currency = account.currency.as_deref().and_then(|code| code.as_bytes().try_into().ok());
    let taking = PluginCallContext {
        shown: &shown,
        now,
        visitor: &visitor,
        is_back,
        is_theirs: is_back,
        is_proven: true,
        shop_currency,
    };
    let accepted = taking.accept_events(&mut call);
    store::count("left_out", call.left_out);
    let became =
        store::store(node, account.id, VisitorSource::Secret, accepted.into()).await?.unwrap_or_default();
    let stored = report_outcomes(&became, &mut call.reasons).map(|session| session.to_string());
    // After a log-in or a log-out the answer does not name the session of the earlier shopper.
    let is_same = !became.iter().any(|became| matches!(became, AcceptedAs::Heard));
    let session = stored.or(call.session_id.take().filter(|_| is_same));
    let asks = on_page.count() > 0 || call.search.is_some();
    let who = who_is(node, account.id, &visitor, asks).await?;
    let filling = on_page.filling(
        &shown,
        who.now.map_or(ShopperIdentity::Unknown, ShopperIdentity::Known),
        visitor::group(&node.keys, account.id, &visitor),
        (WantedFields::All, turn_of),
    );
    let seen_by = who.now.filter(|_| is_back && !is_withdrawn);
    let answering = PluginAnswerParts { seen_by, is_of_page: false, visitor, session, call, filling, group };
    build_answer(node, &account, &headers, answering).await
}

/// Refuses a call if the shop is over its quota. Refused consent is taken even then.
async fn check_quota(node: &Node, account: AccountId, call: &mut PluginCall) -> Result<(), Refusal> {
    let Err(full) = account_quota::check(node, account).await else { return Ok(()) };
    if !call.withdraws() {
        return Err(full);
    }
    call.reasons.add(full.sentence().to_owned());
    call.keep_withdrawals();
    Ok(())
}

/// A call without the secret. Its answer says the same whoever was forgotten: it does not name the session in which
/// something was stored.
async fn run_page_call(
    node: &Arc<Node>,
    (account, peer): (Arc<Account>, Peer),
    headers: &HeaderMap,
    mut call: PluginCall,
) -> Result<Response, Refusal> {
    call.keep_first(limits::SERVERSIDE_EVENTS_OF_PAGE);
    let is_withdrawn = call.withdraws();
    let on_page = PluginZonesRequest::from_call(&mut call);
    count_of_page(node, peer, &call, on_page.count())?;
    let asker = match peer {
        Peer::Address(address) => VisitorSource::Client(crate::transport::peer::prefix(address)),
        Peer::Operator => VisitorSource::Secret,
    };
    // A page is not told how much the shop holds.
    let has_room = account_quota::check(node, account.id).await.is_ok();
    let (visitor, is_theirs) = match call.visitor_id.take() {
        Some(sent) => {
            let is_issued = visitor::is_issued(&node.keys, account.id, &sent);
            (sent, is_issued)
        }
        None => (visitor::issue(&node.keys, account.id)?, false),
    };
    let is_back = is_theirs && has_room;
    let now = node.clock.now();
    if !is_back {
        // Nothing is stored: the shop is not asked for products. Claims are counted all the same.
        call.events.retain(|told| !told.is_look() || told.withdraws());
    }
    call.leave_out_beyond(&mut || node.resources.told_by_pages.try_take(account.id, now));
    let shown = resolve_items(node, &account, &call, &on_page).await?;
    let taking = PluginCallContext {
        shown: &shown,
        now,
        visitor: &visitor,
        is_back,
        is_theirs,
        is_proven: false,
        shop_currency: None,
    };
    let accepted = taking.accept_events(&mut call);
    store::count("left_out", call.left_out);
    let came = Instant::now();
    let is_stored = !accepted.is_empty();
    let became = store::store(node, account.id, asker, accepted.into()).await?.unwrap_or_default();
    if is_stored {
        until_a_step(came).await;
    }
    report_outcomes(&became, &mut call.reasons);
    let session = call.session_id.take();
    let asks = on_page.count() > 0 || call.search.is_some();
    let who = if is_back { who_is(node, account.id, &visitor, asks).await? } else { BrowserOf::default() };
    let in_group = visitor::group(&node.keys, account.id, &visitor);
    let needed = WantedFields::of_page(std::mem::take(&mut call.fields));
    let turn_of = search::TurnOf::new(account.id, peer);
    let filling = on_page.filling(&shown, who.seen_by_page(), in_group, (needed, turn_of));
    let seen_by = who.now.filter(|_| !is_withdrawn);
    let answering =
        PluginAnswerParts { seen_by, is_of_page: true, visitor, session, call, filling, group: None };
    build_answer(node, &account, headers, answering).await
}

/// Counts the parts of a page's call as requests of their own: each event, each zone (a recommendation), and a search.
fn count_of_page(node: &Node, peer: Peer, call: &PluginCall, zones: usize) -> Result<(), Refusal> {
    let events = call.events.len().saturating_sub(1);
    let searches = usize::from(call.search.is_some());
    search::count(node, peer, (events + zones + searches) as u32)
}

/// Waits for the end of a step since the call came, and then for a random while. Storing an event takes a little
/// longer than dropping it. So the time of an answer would show a browser that is still logged in that its user is
/// forgotten. At the end of a step the machine still has more to do for a stored event; the random while is far longer
/// than that.
async fn until_a_step(came: Instant) {
    let step = limits::PAGE_ANSWER_STEP_DURATION.as_micros() as u64;
    let took = came.elapsed().as_micros() as u64;
    let end = came + Duration::from_micros(took.next_multiple_of(step));
    tokio::time::sleep_until(end + a_while(uuid::Uuid::new_v4())).await;
}

/// A part of the longest while, by random bits.
fn a_while(random: uuid::Uuid) -> Duration {
    let most = limits::PAGE_ANSWER_SPREAD_DURATION.as_micros() as u64;
    Duration::from_micros(random.as_u64_pair().1 % most)
}

async fn account_of_page(
    node: &Node,
    caller: &Caller,
    keys: &impl RequestFields,
) -> Result<Arc<Account>, Refusal> {
    credentials::by_key(node, caller, keys).await.map_err(Refusal::of_access_key_alone)
}

async fn resolve_items(
    node: &Node,
    account: &Account,
    call: &PluginCall,
    on_page: &PluginZonesRequest,
) -> Result<ResolvedItems, Refusal> {
    let named =
        call.events.iter().flat_map(ParsedPluginEvent::products).chain(on_page.products()).cloned().collect();
    Ok(node.derived.resolve_items(&node.store, &node.blobs, account.id, named).await?)
}

/// Reason why zones are left out.
pub(super) const ZONES_LEFT_OUT: &str = "the zones were left out: the shop's products are not ready, or busy";

/// Reason why items of zones are left out.
const ZONES_CUT: &str = "items of zones were left out: an answer has no room for them";

/// The same of a search's products, which are there by their ids alone.
const SEARCH_CUT: &str =
    "fields of products that were searched were left out: an answer has no room for them";

/// The same of a search.
const SEARCH_LEFT_OUT: &str = "the search was left out: the shop's products are not ready, or busy";

/// Parts that an answer is made of.
struct PluginAnswerParts {
    /// Subject to record impressions for, if they may be recorded.
    seen_by: Option<SubjectId>,
    /// True if a page asks, which has no secret.
    is_of_page: bool,
    visitor: Identifier,
    session: Option<String>,
    call: PluginCall,
    filling: PageZonesRequest,
    /// The customer group whose prices are shown, if a caller that knows it says so.
    group: Option<String>,
}

async fn build_answer(
    node: &Node,
    account: &Account,
    headers: &HeaderMap,
    PluginAnswerParts { seen_by, is_of_page, visitor, session, mut call, filling, group }: PluginAnswerParts,
) -> Result<Response, Refusal> {
    let known = node.directory.find(&node.store, &account.access_key).await?;
    let known = known.ok_or_else(Refusal::credentials)?;
    let shopper = user_token::ShopperClaims { account: None, group };
    let caller = search::buyer_context(node, &known, shopper, call.currency);
    let of_search = (caller.clone(), filling.shopper, filling.needed.clone());
    let turn_of = filling.turn_of;
    let mut zones = RawValue::from_string("{}".to_owned()).map_err(|_| Refusal::fault())?;
    let mut observed = Vec::new();
    if !filling.zones.is_empty() {
        match zones::fill::fill_page(node, &known, caller, filling).await {
            Ok(FilledPage { zones: filled, seen, is_cut }) => {
                zones = filled;
                if is_cut {
                    call.reasons.add(ZONES_CUT.to_owned());
                }
                observed.extend((!seen.is_empty()).then_some(EventAction::ZonesSeen(seen)));
            }
            // The events are stored: a page whose zones are empty is better than one that sends them again.
            Err(_) => call.reasons.add(ZONES_LEFT_OUT.to_owned()),
        }
    }
    let mut found = None;
    if let Some(asked) = call.search.take() {
        match search_of_call::search_for_page(node, &known, turn_of, of_search, asked).await {
            Ok(PageSearchAnswer { answer, search, is_cut }) => {
                found = Some(answer);
                if is_cut {
                    call.reasons.add(SEARCH_CUT.to_owned());
                }
                observed.extend(search.map(EventAction::Searched));
            }
            Err(refusal) => {
                tracing::warn!(
                    account = account.id.0,
                    why = refusal.sentence(),
                    "the search of a page was left out"
                );
                call.reasons.add(SEARCH_LEFT_OUT.to_owned());
            }
        }
    }
    if let Some(subject) = seen_by {
        let notes = node.derived.observed_events();
        let at = node.clock.now();
        let noted = observed
            .into_iter()
            .map(|what| notes.record_event(account.id, (subject, &visitor), at, (what, is_of_page)));
        store::count("left_out", noted.filter(|is_noted| !is_noted).count());
    }
    let said = ServersideAnswer {
        visitor_id: visitor.normal().to_owned(),
        session_id: session.unwrap_or_else(|| uuid::Uuid::new_v4().to_string()),
        zones,
        search: found,
        errors: call.reasons.into_sentences(),
    };
    said.into_response(search::origin_of(&known, headers))
}

impl ServersideAnswer {
    /// The answer, and the small one that goes out where there is no memory for it.
    fn into_response(mut self, origin: Option<HeaderValue>) -> Result<Response, Refusal> {
        let whole = serde_json::to_vec(&self).map_err(|_| Refusal::fault())?;
        let is_large = whole.len() > limits::ANSWER_FREE_BYTES;
        let mut response = search::build_response(origin, whole);
        if is_large {
            self.leave_out_content()?;
            let small = serde_json::to_vec(&self).map_err(|_| Refusal::fault())?;
            response.extensions_mut().insert(SmallAnswer(small.into()));
        }
        Ok(response)
    }

    /// Leaves out the page's content: its events are stored, and are not to be sent again.
    fn leave_out_content(&mut self) -> Result<(), Refusal> {
        self.zones = RawValue::from_string("{}".to_owned()).map_err(|_| Refusal::fault())?;
        if self.search.take().is_some() {
            self.errors.push(SEARCH_LEFT_OUT.to_owned());
        }
        self.errors.push(ZONES_LEFT_OUT.to_owned());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_random_while_is_of_any_length_up_to_the_longest() {
        let whiles: Vec<_> = (0..1000).map(|_| a_while(uuid::Uuid::new_v4())).collect();
        let most = limits::PAGE_ANSWER_SPREAD_DURATION;
        assert!(whiles.iter().all(|one| *one < most));
        for quarter in 0..4 {
            let of = most * quarter / 4..most * (quarter + 1) / 4;
            let count = whiles.iter().filter(|one| of.contains(*one)).count();
            assert!((150..350).contains(&count), "quarter {quarter}: {count}");
        }
    }
}
