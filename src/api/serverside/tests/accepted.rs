//! Events of a call that are to be stored, and the reasons why others are not.

use super::*;
use crate::accept::events::{AcceptedAs, AcceptedEvent};
use crate::api::serverside::classify::{LATER, PluginCallContext, report_outcomes};
use crate::api::serverside::skipped::SkippedReasons;
use crate::people::event::EventOutcome;
use crate::people::event_action::{EventAction, EventItem, ResolvedItems, ShopperSession};
use crate::people::order::{Order, OrderOutcome};

const NOBODY: &str =
    "an order was left out: it names nobody by accid, userid or email, and nobody is logged in";

/// The sender of a call, its browser, and the currency of its shop.
#[derive(Clone, Copy)]
struct Caller {
    is_back: bool,
    is_theirs: bool,
    is_proven: bool,
    shop_currency: Option<[u8; 3]>,
}

const SHOP: Caller = Caller { is_back: true, is_theirs: true, is_proven: true, shop_currency: Some(*b"EUR") };

fn order_text(order: &Order) -> String {
    let line = |line: &crate::people::order::PurchaseLine| {
        let price = line.unit_price.map_or_else(|| "-".to_owned(), |price| price.to_string());
        let source = line.source.as_ref().map_or_else(|| "-".to_owned(), ToString::to_string);
        format!("{}: {} {} {price} {source}", line.number, line.quantity, line.product)
    };
    let user = order.user_id.as_ref().map_or("-", |id| id.normal());
    let lines = order.bought.lines.iter().map(line).collect::<Vec<_>>().join(", ");
    format!("{} of {user} at {}: {lines}", order.id, order.bought.ordered_at)
}

fn item_text(EventItem { product, variant }: &EventItem) -> String {
    variant.as_ref().map_or_else(|| product.clone(), |variant| format!("{product}/{variant}"))
}

fn action_text(what: &EventAction) -> String {
    match what {
        EventAction::ProductViewed(item) => format!("view {}", item_text(item)),
        EventAction::BasketSet(items) => {
            format!("basket [{}]", items.iter().map(item_text).collect::<Vec<_>>().join(" "))
        }
        EventAction::Clicked(item, source) => format!("click {} in {source}", item_text(item)),
        other => format!("{other:?}"),
    }
}

fn accepted_text(accepted: &AcceptedEvent) -> String {
    match accepted {
        AcceptedEvent::Event(event) | AcceptedEvent::Observed(event, _) => {
            let visitor = event.who.visitor.as_ref().map_or("-", |id| id.normal());
            let door = if event.is_of_page { "page" } else { "shop" };
            format!("{} of {visitor} at {} by {door}", action_text(&event.what), event.at)
        }
        AcceptedEvent::Order(order) => format!("order {}", order_text(order)),
        AcceptedEvent::OrderAt(order, visitor) => {
            format!("order in {} {}", visitor.normal(), order_text(order))
        }
        AcceptedEvent::LoggedIn(log_in) => {
            let user = log_in.who.user_id.as_ref().map_or("-", |id| id.normal());
            format!("{user} logs in at {} in {}", log_in.at, log_in.visitor.normal())
        }
        AcceptedEvent::LoggedOut(visitor) => format!("log-out in {}", visitor.normal()),
        AcceptedEvent::Withdrawn(withdrawn) => {
            let word = if withdrawn.is_proven { "proven" } else { "claimed" };
            format!("{} withdraws, {word}", withdrawn.visitor.normal())
        }
    }
}

/// The events of a call that are accepted, with the number of those that are left out, and the reasons.
fn accept(caller: Caller, mut call: PluginCall) -> (Vec<String>, usize, Vec<String>) {
    let shown =
        [("a", Some(("A", None))), ("b", None), ("c", Some(("C", None))), ("r", Some(("C", Some("red"))))];
    let item = |(product, variant): (&str, Option<&str>)| EventItem {
        product: product.to_owned(),
        variant: variant.map(str::to_owned),
    };
    let shown: ResolvedItems =
        shown.into_iter().map(|(sent, named)| (sent.to_owned(), named.map(item))).collect();
    let visitor = Identifier::visitor_id("v1").expect("a number");
    let Caller { is_back, is_theirs, is_proven, shop_currency } = caller;
    let context = PluginCallContext {
        shown: &shown,
        now: 5,
        visitor: &visitor,
        is_back,
        is_theirs,
        is_proven,
        shop_currency,
    };
    let accepted = context.accept_events(&mut call).iter().map(accepted_text).collect();
    let left_out = call.left_out;
    (accepted, left_out, reasons(call))
}

fn accept_all(caller: Caller, events: &[(&str, Value)]) -> (Vec<String>, usize, Vec<String>) {
    let events: Vec<_> = events.iter().map(|(name, data)| json!({"name": name, "data": data})).collect();
    accept(caller, call(&json!({"appId": "KEY", "events": events})))
}

fn view(id: &str) -> (&'static str, Value) {
    ("product_view", json!({"id": id}))
}

#[test]
fn of_what_a_shopper_did_the_shown_products_are_stored_and_the_rest_has_its_reason() {
    let click = |id: &str| ("item_click", json!({"id": id, "refid": "z.HP-01.for_you."}));
    let (accepted, left_out, reasons) = accept_all(
        SHOP,
        &[
            view("a"),
            view("r"),
            view("b"),
            view("unknown"),
            (
                "set_basket",
                json!([{"id": "c"}, {"id": "b"}, {"id": "a"}, {"id": "r"}, {"id": "c"}, {"id": "r"}]),
            ),
            ("set_basket", json!([{"id": "b"}])),
            ("set_basket", json!([])),
            ("search", json!({"query": "Lamp", "found": 2})),
            ("search", json!({"query": "ada@shop.test", "found": 2})),
            click("c"),
            click("r"),
            click("b"),
            ("page_view", json!({})),
            ("product_rate", json!({})),
            ("currency", json!("EUR")),
            ("accept_cookies", json!(true)),
        ],
    );
    let expected = [
        "view A of v1 at 5 by shop",
        "view C/red of v1 at 5 by shop",
        "basket [C A C/red] of v1 at 5 by shop",
        "basket [] of v1 at 5 by shop",
        "Searched(CountedSearch { query: \"lamp\", found: 2, is_corrected: false }) of v1 at 5 by shop",
        "click C in z.HP-01.for_you. of v1 at 5 by shop",
        "click C/red in z.HP-01.for_you. of v1 at 5 by shop",
    ];
    assert_eq!(accepted, expected);
    assert_eq!(left_out, 5);
    let expected = [
        "a product_view was left out: the shop shows no product of that id or sku, nor of a variant (2 times)",
        "a set_basket was left out: the shop shows none of its products",
        "a search was left out: it is empty or too long, or looks like an address or a long number",
        "a click was left out: the shop shows no product of that id or sku",
    ];
    assert_eq!(reasons, expected);
}

#[test]
fn of_a_browser_that_may_never_come_back_nothing_is_stored_but_while_somebody_is_logged_in() {
    let new = Caller { is_back: false, is_theirs: false, ..SHOP };
    let events = [
        view("a"),
        ("set_basket", json!([])),
        ("search", json!({"query": "Lamp", "found": 2})),
        ("item_click", json!({"id": "a", "refid": "z.HP-01.for_you."})),
        ("customer_details", json!({"userid": 7})),
        view("c"),
        ("customer_logout", json!([])),
        view("a"),
        ("accept_cookies", json!(false)),
    ];
    let stored = ["7 logs in at 5 in v1", "view C of v1 at 5 by shop", "log-out in v1"];
    let (accepted, left_out, reasons) = accept_all(new, &events);
    assert_eq!(accepted, stored);
    assert_eq!((left_out, reasons), (0, Vec::new()));
    // One that came back has its history also after the log-out.
    let (accepted, ..) = accept_all(SHOP, &events[4..]);
    let after = ["view A of v1 at 5 by shop", "v1 withdraws, proven"];
    assert_eq!(accepted, [&stored[..], &after].concat());
}

#[test]
fn nothing_is_stored_after_a_withdrawal_and_one_that_is_not_theirs_withdraws_nothing() {
    let events = [view("a"), ("accept_cookies", json!(false)), view("c"), ("set_basket", json!([]))];
    let first = "view A of v1 at 5 by shop";
    assert_eq!(accept_all(SHOP, &events).0, [first, "v1 withdraws, proven"]);
    let strange = Caller { is_theirs: false, ..SHOP };
    assert_eq!(accept_all(strange, &events).0, [first]);
}

#[test]
fn a_page_tells_looks_and_its_claims_are_passed_over_in_silence() {
    let page = Caller { is_proven: false, shop_currency: None, ..SHOP };
    let order = json!({"orderid": 1, "userid": 7, "items": [{"id": "a"}]});
    let (accepted, left_out, reasons) = accept_all(
        page,
        &[
            view("a"),
            ("customer_details", json!({"userid": 7})),
            ("order", order),
            ("customer_logout", json!([])),
            ("accept_cookies", json!(false)),
        ],
    );
    assert_eq!(accepted, ["view A of v1 at 5 by page", "v1 withdraws, claimed"]);
    assert_eq!((left_out, reasons), (0, Vec::new()));
}

#[test]
fn an_order_is_of_its_customer_or_of_who_is_logged_in_in_the_browser_or_of_nobody() {
    let order = |userid: Value| {
        json!({"orderid": "o-1", "userid": userid, "items": [
            {"id": "a", "qty": 2, "unitprice": "1.50", "refid": "z.HP-01.for_you."}, {"id": "zz", "refid": "none"}]})
    };
    let lines = "0: 2 a 1.50 z.HP-01.for_you., 1: 1 zz - -";
    for (name, userid, accepted) in [
        ("order", json!(7), Some(format!("order o-1 of 7 at 5: {lines}"))),
        ("order_track", json!(""), Some(format!("order in v1 o-1 of - at 5: {lines}"))),
        ("moto_order_track", json!(7), Some(format!("order o-1 of 7 at 5: {lines}"))),
        ("moto_order_track", json!(""), None),
    ] {
        let is_left_out = accepted.is_none();
        let accepted: Vec<String> = accepted.into_iter().collect();
        let reasons: Vec<String> = is_left_out.then(|| NOBODY.to_owned()).into_iter().collect();
        let expected = (accepted, usize::from(is_left_out), reasons);
        assert_eq!(accept_all(SHOP, &[(name, order(userid))]), expected, "{name}");
    }
}

#[test]
fn prices_of_an_order_in_another_currency_than_the_shops_are_left_out() {
    let other = "prices of an order were left out: they are in another currency than the shop's";
    for (shop, told, price, reason) in [
        (Some(*b"EUR"), "EUR", "1.50", None),
        (Some(*b"EUR"), "", "1.50", None),
        (None, "GBP", "1.50", None),
        (Some(*b"EUR"), "GBP", "-", Some(other)),
    ] {
        let items = json!([{"id": "a", "unitprice": "1.50"}]);
        let events = json!([{"name": "order", "data": {"orderid": 1, "userid": 7, "items": items}}]);
        let call = call(&json!({"appId": "KEY", "currency": told, "events": events}));
        let (accepted, left_out, reasons) = accept(Caller { shop_currency: shop, ..SHOP }, call);
        assert_eq!(accepted, [format!("order 1 of 7 at 5: 0: 1 a {price} -")], "{told}");
        assert_eq!(left_out, 0);
        assert_eq!(reasons, reason.into_iter().collect::<Vec<_>>(), "{told}");
    }
}

#[test]
fn the_session_of_an_answer_is_that_of_the_last_event_of_the_present_shopper() {
    let within = |id: u128| AcceptedAs::Event(EventOutcome::In(ShopperSession { id, start: 0 }));
    let session = |became: &[AcceptedAs]| {
        let mut reasons = SkippedReasons::default();
        let session = report_outcomes(became, &mut reasons).map(|session| session.as_u128());
        (session, reasons.into_sentences())
    };
    assert_eq!(session(&[]), (None, Vec::new()));
    assert_eq!(session(&[within(1), within(2)]), (Some(2), Vec::new()));
    assert_eq!(session(&[within(1), AcceptedAs::Heard]), (None, Vec::new()));
    assert_eq!(session(&[within(1), AcceptedAs::Heard, within(3)]), (Some(3), Vec::new()));
    let of_order = |outcome| AcceptedAs::Order(outcome);
    let became = [
        AcceptedAs::Event(EventOutcome::Later),
        of_order(OrderOutcome::Mixed),
        of_order(OrderOutcome::TooManyLines),
        AcceptedAs::OfNobody,
        AcceptedAs::Withdrawn,
        AcceptedAs::Event(EventOutcome::Nothing),
        of_order(OrderOutcome::Kept),
        of_order(OrderOutcome::Dropped),
        of_order(OrderOutcome::TakenBack),
        of_order(OrderOutcome::Repeated),
    ];
    let reasons = [
        LATER,
        "an order was left out: one of its number is somebody else's",
        "an order was left out: it has more than 1000 lines",
        NOBODY,
    ];
    assert_eq!(session(&became), (None, reasons.map(str::to_owned).to_vec()));
}
