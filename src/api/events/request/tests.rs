//! Events as they are sent: what is read of each, and why one is left out.

use serde_json::{Value, json};

use super::*;
use crate::api::testing::{assert_none_twice, assert_refused, given_twice, read, with_twice};

const CLICKED: &str = "z.HP-01.for_you.";

fn id_text(id: Option<&Identifier>) -> &str {
    id.map_or("-", Identifier::normal)
}

fn line_text(line: &PurchaseLine) -> String {
    let price = line.unit_price.map_or_else(|| "-".to_owned(), |price| price.to_string());
    format!("{}: {} {} {price}", line.number, line.quantity, line.product)
}

fn action_text(did: &ShopperAction) -> String {
    match did {
        ShopperAction::Viewed(product) => format!("viewed {product}"),
        ShopperAction::Basket(products) => format!("basket {}", products.join(" ")),
        ShopperAction::Ordered { id, lines } => {
            format!("ordered {id} ({})", lines.iter().map(line_text).collect::<Vec<_>>().join(", "))
        }
        ShopperAction::Searched(search) => {
            format!("searched {} {} {}", search.query, search.found, search.is_corrected)
        }
        ShopperAction::Clicked(product, source) => format!("clicked {product} in {source}"),
        ShopperAction::SawZones(zones) => {
            format!("saw {}", zones.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "))
        }
    }
}

/// An event as it is read, or the reason why it is left out.
fn read_event(event: &Value) -> Result<String, String> {
    let asked = read::<EventsRequest>(&json!({"Events": [event]}))?;
    asked.events.into_iter().next().expect("an event").map(|sent| match sent {
        SentEvent::Done { did, at, who } => {
            let [user, email, company, visitor] = [&who.user_id, &who.email, &who.company, &who.visitor]
                .map(|id| id_text(id.as_ref()).to_owned());
            format!("{} at {at:?} by {user}/{email}/{company}/{visitor}", action_text(&did))
        }
        SentEvent::Cancelled(order) => format!("cancelled {order}"),
        SentEvent::Withdrawn(visitor) => format!("withdrawn {}", id_text(visitor.as_ref())),
    })
}

/// An event of anna with other members.
fn with(name: &str, more: Value) -> Value {
    let mut event = json!({"Name": name, "UserId": "anna"});
    more.as_object().into_iter().flatten().for_each(|(member, value)| event[member] = value.clone());
    event
}

fn assert_left_out(event: &Value, reason: &str) {
    assert_eq!(read_event(event), Err(reason.to_owned()), "{event}");
}

#[test]
fn an_event_is_read_as_it_was_sent() {
    let anna = "anna/-/-/-";
    let items = json!(["a", 7, {"Product": "b"}, {"Product": 8, "Quantity": "2.50", "UnitPrice": 1.5},
        {"Product": "c", "Quantity": null, "UnitPrice": " "}]);
    for (event, text) in [
        (with("product_view", json!({"Product": 7})), format!("viewed 7 at None by {anna}")),
        (with("product_view", json!({"Product": "a", "At": null})), format!("viewed a at None by {anna}")),
        (with("product_view", json!({"Product": "a", "At": ""})), format!("viewed a at None by {anna}")),
        (with("product_view", json!({"Product": "a", "At": 5})), format!("viewed a at Some(5) by {anna}")),
        (with("set_basket", json!({"Items": items})), format!("basket a 7 b 8 c at None by {anna}")),
        (with("set_basket", json!({"Items": []})), format!("basket  at None by {anna}")),
        (
            with("order", json!({"Order": 9, "Items": items})),
            format!("ordered 9 (0: 1 a -, 1: 1 7 -, 2: 1 b -, 3: 2.5 8 1.5, 4: 1 c -) at None by {anna}"),
        ),
        (
            with("search", json!({"Query": " Red  MUG", "Found": 3, "Corrected": "1"})),
            format!("searched red mug 3 true at None by {anna}"),
        ),
        (
            with("search", json!({"Query": "mug", "Found": 0, "Corrected": "yes"})),
            format!("searched mug 0 false at None by {anna}"),
        ),
        (
            with("item_click", json!({"Product": "a", "RefId": CLICKED})),
            format!("clicked a in {CLICKED} at None by {anna}"),
        ),
        (with("zones_seen", json!({"RefIds": CLICKED})), format!("saw {CLICKED} at None by {anna}")),
        (
            with("zones_seen", json!({"RefIds": [CLICKED, "c", "z.PP-01.similar.c1"]})),
            format!("saw {CLICKED} c z.PP-01.similar.c1 at None by {anna}"),
        ),
        (with("order", json!({"Order": "o", "Items": []})), "cancelled o".to_owned()),
        (with("order", json!({"Order": "o", "Cancelled": true})), "cancelled o".to_owned()),
    ] {
        assert_eq!(read_event(&event), Ok(text), "{event}");
    }
}

#[test]
fn whoever_did_it_is_read_with_all_their_ids_and_a_placeholder_is_none() {
    let view = |more: Value| {
        let mut event = json!({"Name": "product_view", "Product": "a"});
        more.as_object().into_iter().flatten().for_each(|(member, value)| event[member] = value.clone());
        read_event(&event).map(|text| text.trim_start_matches("viewed a at None by ").to_owned())
    };
    let all = json!({"UserId": 7, "Email": "Ada@Shop.test", "AccountId": "acme", "VisitorId": "v1"});
    assert_eq!(view(all), Ok("7/ada@shop.test/acme/v1".to_owned()));
    assert_eq!(view(json!({"UserId": "guest", "AccountId": "acme"})), Ok("-/-/acme/-".to_owned()));
    // Beside a user or an address a browser's number that holds an address is not read.
    for known in [json!({"UserId": "7", "VisitorId": "ada@shop.test"}), json!({"UserId": "7"})] {
        assert_eq!(view(known), Ok("7/-/-/-".to_owned()));
    }
    let address = view(json!({"Email": "ada@shop.test", "VisitorId": "ada@shop.test"}));
    assert_eq!(address, Ok("-/ada@shop.test/-/-".to_owned()));
    for beside in
        [json!({"VisitorId": "ada@shop.test"}), json!({"VisitorId": "ada@shop.test", "AccountId": "acme"})]
    {
        let reason =
            "VisitorId: the identifier holds an e-mail address: the number of a browser names nobody";
        assert_eq!(view(beside), Err(reason.to_owned()));
    }
    let nobody = "It names nobody: UserId, Email, AccountId or VisitorId is needed";
    for who in [json!({}), json!({"UserId": null, "Email": "", "VisitorId": "guest"})] {
        assert_eq!(view(who), Err(nobody.to_owned()));
    }
    let no_email = "Email: the identifier is no e-mail address: it needs something on both sides of an `@`";
    assert_eq!(view(json!({"UserId": "7", "Email": "ada"})), Err(no_email.to_owned()));
}

#[test]
fn refused_consent_stores_nothing_but_the_number_of_the_browser() {
    for no in [json!(false), json!("false"), json!(0), json!("0")] {
        let event = json!({"Consent": no, "VisitorId": "v1", "Name": 7});
        assert_eq!(read_event(&event), Ok("withdrawn v1".to_owned()));
    }
    let named = json!({"Consent": false, "UserId": "anna"});
    assert_eq!(read_event(&named), Ok("withdrawn -".to_owned()));
    for yes in [json!(true), json!("true"), json!(1), json!("1")] {
        let event = with("product_view", json!({"Product": "a", "Consent": yes}));
        assert_eq!(read_event(&event), Ok("viewed a at None by anna/-/-/-".to_owned()));
    }
    for unclear in [json!(null), json!(""), json!("no"), json!({})] {
        let event = with("product_view", json!({"Product": "a", "Consent": unclear}));
        assert_left_out(&event, "Consent has to be true or false: nothing of it is stored");
    }
}

#[test]
fn an_event_that_cannot_be_is_left_out_with_its_reason() {
    let long = |bytes: usize| "x".repeat(bytes);
    let line = |line: Value| json!({"Order": "o", "Items": ["a", line]});
    let query = "Query is empty or too long, or looks like an address or a long number";
    let other = "Name has to be product_view, set_basket, order, search, item_click or zones_seen; others are not \
        taken";
    let count = "RefIds has from one to 50 of zones";
    let zones = "RefIds has to hold those of zones";
    for (name, more, reason) in [
        ("zones_shown", json!({}), other),
        ("zones_seen", json!({}), count),
        ("zones_seen", json!({"RefIds": null}), count),
        ("zones_seen", json!({"RefIds": []}), count),
        ("zones_seen", json!({"RefIds": vec![CLICKED; 51]}), count),
        ("zones_seen", json!({"RefIds": [7]}), "RefIds has to be a list of texts"),
        ("zones_seen", json!({"RefIds": [CLICKED, "s.0"]}), zones),
        ("zones_seen", json!({"RefIds": [CLICKED, ""]}), zones),
        ("product_view", json!({}), "Product is missing"),
        ("product_view", json!({"Product": "a", "At": "x"}), "At has to be a whole number"),
        ("set_basket", json!({}), "Items is missing"),
        ("set_basket", json!({"Items": "a"}), "Items has to be a list of products"),
        ("set_basket", json!({"Items": [[]]}), "Items has to be a list of products"),
        ("set_basket", json!({"Items": vec!["a"; 501]}), "Items has up to 500 products"),
        ("set_basket", json!({"Items": [long(513)]}), "A product in Items has up to 512 bytes"),
        ("order", json!({"Items": ["a"]}), "Order is missing: the shop's id of it"),
        ("order", json!({"Order": long(513), "Items": ["a"]}), "Order has up to 512 bytes"),
        ("order", line(json!({"Quantity": 1})), "Product is missing in Items"),
        ("order", line(json!({"Product": "a", "Quantity": 0})), "Quantity is no amount that can be"),
        ("order", line(json!({"Product": "a", "UnitPrice": -1})), "UnitPrice is no amount that can be"),
        ("search", json!({"Query": "a@b.test", "Found": 1}), query),
        ("search", json!({"Found": 1}), "Query is missing"),
        ("search", json!({"Query": "mug"}), "Found is missing"),
        ("search", json!({"Query": "mug", "Found": -1}), "Found has to be how many products were found"),
        ("item_click", json!({"RefId": CLICKED}), "Product is missing"),
        ("item_click", json!({"Product": "a"}), "RefId is missing"),
        (
            "item_click",
            json!({"Product": "a", "RefId": "c"}),
            "RefId has to be that of the zone or the search that showed it",
        ),
    ] {
        assert_left_out(&with(name, more), reason);
    }
    assert_left_out(&json!("product_view"), "An event has to be an object");
    assert_left_out(&json!({"UserId": "anna"}), "Name is missing");
    let order = json!({"Name": "order", "Order": "o", "Items": ["a"]});
    let of_browser = "An order names a customer: UserId, Email or AccountId is needed";
    for (member, is_taken) in [("UserId", true), ("AccountId", true), ("VisitorId", false)] {
        let mut order = order.clone();
        order[member] = "x1".into();
        assert_eq!(read_event(&order).err().as_deref(), (!is_taken).then_some(of_browser), "{member}");
    }
    let most = json!({"Order": long(512), "Items": vec![long(512); 500]});
    assert!(read_event(&with("order", most)).is_ok());
    assert!(read_event(&with("zones_seen", json!({"RefIds": vec![CLICKED; 50]}))).is_ok());
    let searched = format!("s.{}", crate::reports::query::mark("mug"));
    assert_left_out(&with("zones_seen", json!({"RefIds": [searched]})), zones);
}

#[test]
fn an_event_with_a_member_given_twice_is_left_out() {
    let order = json!({"Order": "o", "Items": ["a"]});
    for (event, member) in [
        (with("product_view", json!({})), "Product"),
        (with("product_view", json!({"Product": "a"})), "Name"),
        (with("product_view", json!({"Product": "a"})), "Consent"),
        (with("product_view", json!({"Product": "a"})), "At"),
        (with("product_view", json!({"Product": "a"})), "UserId"),
        (with("product_view", json!({"Product": "a"})), "Email"),
        (with("product_view", json!({"Product": "a"})), "AccountId"),
        (with("product_view", json!({"Product": "a"})), "VisitorId"),
        (with("set_basket", json!({})), "Items"),
        (with("order", order.clone()), "Order"),
        (with("order", order), "Cancelled"),
        (with("search", json!({"Found": 1})), "Query"),
        (with("search", json!({"Query": "mug"})), "Found"),
        (with("search", json!({"Query": "mug", "Found": 1})), "Corrected"),
        (with("item_click", json!({"RefId": CLICKED})), "Product"),
        (with("item_click", json!({"Product": "a"})), "RefId"),
        (with("zones_seen", json!({})), "RefIds"),
    ] {
        assert_left_out(&with_twice(event, member), &given_twice(member));
    }
    for member in ["Product", "Quantity", "UnitPrice"] {
        let item = with_twice(json!({"Product": "a"}), member);
        assert_left_out(&with("set_basket", json!({"Items": [item]})), &given_twice(member));
    }
    let withdrawn = with_twice(json!({"Consent": false, "UserId": "anna"}), "VisitorId");
    assert_left_out(&withdrawn, &given_twice("VisitorId"));
}

#[test]
fn a_request_has_up_to_200_events_and_a_key_of_up_to_200_bytes() {
    let views = |count: usize| vec![with("product_view", json!({"Product": "a"})); count];
    let most = json!({"Events": views(200), "IdempotencyKey": "k".repeat(200)});
    let read_most = read::<EventsRequest>(&most).expect("events");
    assert_eq!((read_most.events.len(), read_most.key), (200, Some("k".repeat(200))));
    let blank = read::<EventsRequest>(&json!({"Events": [], "IdempotencyKey": ""})).expect("events");
    assert_eq!((blank.events.len(), blank.key), (0, None));
    for (asked, sentence) in [
        (json!({"Events": views(201)}), "Events has up to 200 events: send the rest after them"),
        (json!({"Events": [], "IdempotencyKey": "k".repeat(201)}), "IdempotencyKey has up to 200 bytes"),
        (json!({}), "Events is missing"),
        (json!({"Events": {}}), "Events has to be a list of objects"),
    ] {
        assert_refused::<EventsRequest>(&asked, sentence);
    }
    assert_none_twice::<EventsRequest>(&json!({"Events": []}), &["Events", "IdempotencyKey"]);
}

#[test]
fn the_products_of_an_event_are_looked_up_but_not_those_of_an_order() {
    let products = |event: Value| -> Vec<String> {
        let asked = read::<EventsRequest>(&json!({"Events": [event]})).expect("events");
        let sent = asked.events.into_iter().next().expect("an event").expect("one that can be");
        sent.products().cloned().collect()
    };
    assert_eq!(products(with("product_view", json!({"Product": "a"}))), ["a"]);
    assert_eq!(products(with("item_click", json!({"Product": "a", "RefId": CLICKED}))), ["a"]);
    assert_eq!(products(with("set_basket", json!({"Items": ["a", "b"]}))), ["a", "b"]);
    let none: [&str; 0] = [];
    assert_eq!(products(with("order", json!({"Order": "o", "Items": ["a"]}))), none);
    assert_eq!(products(with("order", json!({"Order": "o", "Items": []}))), none);
    assert_eq!(products(with("search", json!({"Query": "mug", "Found": 1}))), none);
    assert_eq!(products(with("zones_seen", json!({"RefIds": [CLICKED]}))), none);
    assert_eq!(products(json!({"Consent": false, "VisitorId": "v1"})), none);
}
