//! Calls as plugins make them, and as no client should.

mod accepted;
mod edges;
mod kept;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::customer::Customer;
use super::event::{ParsedPluginEvent, ToldOrder};
use super::lines::ToldLine;
use super::request::PluginCall;
use crate::api::credentials::{ACCESS_KEY, SECRET_KEY};
use crate::api::json_fields::RequestFields as _;
use crate::ids::identifier::Identifier;
use crate::limits;

fn call(body: &Value) -> PluginCall {
    PluginCall::of_body(body.to_string().as_bytes())
        .unwrap_or_else(|refusal| panic!("{}", refusal.sentence()))
}

fn track(query: &str) -> PluginCall {
    PluginCall::of_address(query).unwrap_or_else(|refusal| panic!("{}", refusal.sentence()))
}

/// The call of one event.
fn event(name: &str, data: Value) -> PluginCall {
    call(&json!({"appId": "KEY", "events": [{"name": name, "data": data}]}))
}

fn lines_text(lines: &[ToldLine]) -> String {
    let line = |line: &ToldLine| {
        let price = line.unit_price.map(|price| format!(" at {price}")).unwrap_or_default();
        let found = line.ref_id.as_ref().map(|id| format!(" by {id}")).unwrap_or_default();
        let children = line.children.iter().map(|child| format!(" [{} x {}]", child.quantity, child.sku));
        format!("{} x {}{price}{found}{}", line.quantity, line.product, children.collect::<String>())
    };
    lines.iter().map(line).collect::<Vec<_>>().join(", ")
}

fn customer_text(customer: &Customer) -> String {
    let of = |id: &Option<Identifier>| id.as_ref().map(|id| id.normal().to_owned()).unwrap_or_default();
    format!("{}/{}/{}", of(&customer.company), of(&customer.user_id), of(&customer.email))
}

fn told(call: &PluginCall) -> Vec<String> {
    let text = |told: &ParsedPluginEvent| match told {
        ParsedPluginEvent::ProductViewed(id) => format!("viewed {id}"),
        ParsedPluginEvent::BasketSet(lines) => format!("basket {}", lines_text(lines)),
        ParsedPluginEvent::LoggedIn(customer) => format!("is {}", customer_text(customer)),
        ParsedPluginEvent::LoggedOut => "left".to_owned(),
        ParsedPluginEvent::Ordered(ToldOrder { id, customer, lines, is_by_browser: _ }) => {
            format!("ordered {id} of {}: {}", customer_text(customer), lines_text(lines))
        }
        ParsedPluginEvent::Paged(_) => "page".to_owned(),
        ParsedPluginEvent::Searched(search) => {
            format!("searched {}", search.as_ref().map_or("", |search| &search.query))
        }
        ParsedPluginEvent::Clicked(product, source) => format!("clicked {product} in {source}"),
        ParsedPluginEvent::Consented(yes) => format!("consents {yes}"),
        ParsedPluginEvent::Rated => "rated".to_owned(),
        ParsedPluginEvent::CurrencySet(code) => String::from_utf8_lossy(code).into_owned(),
    };
    call.events.iter().map(text).collect()
}

fn reasons(call: PluginCall) -> Vec<String> {
    call.reasons.into_sentences()
}

/// As Magento 2 sends it: numbers as texts, an empty list for an empty object, empty unknown values.
#[test]
fn a_call_of_magento_2_is_read_whole_and_in_order() {
    let call = call(&json!({
        "appId": "KEY", "secretKey": "SECRET",
        "events": [
            {"name": "page_view", "data": []},
            {"name": "product_view", "data": {"id": "1021"}},
            {"name": "customer_details", "data": {"userid": "501", "email": "User1@mail.example.test", "groupid": "1",
                "firstname": "A", "lastname": "B", "salutation": ""}},
            {"name": "set_basket", "data": [
                {"id": 1007, "qty": "2.0000", "unitprice": "10.4460", "refid": "", "children": []},
                {"id": "1012", "qty": 1.5, "unitprice": 69.8493, "refid": "r-7",
                 "children": [{"sku": "bag-s", "qty": 1}, {"sku": "bag-m", "qty": "2"}]}]},
            {"name": "order_track", "data": {"orderid": "100000001", "ordertotal": "31.34", "userid": "501",
                "email": "user1@mail.example.test", "productcount": 2, "id1": "1007", "refid1": "", "qty1": "2.0000",
                "unitprice1": "10.4460", "children1": [], "id2": 1012, "refid2": "r-7", "qty2": 1,
                "unitprice2": "69.8493", "children2": [{"sku": "bag-s", "qty": "1.0000"}]}},
            {"name": "customer_logout", "data": []}
        ],
        "zones": [{"id": "HP-01", "data": {"product_id": "5"}}, "HP-02", {"id": "HP-01"}],
        "referer": "https://shop.example/", "currentUrl": "https://shop.example/x", "currency": "GBP",
        "visitorId": "", "sessionId": "", "userAgent": "Mozilla/5.0", "ip": "192.0.2.1"
    }));
    let expected = [
        "page",
        "viewed 1021",
        "is /501/user1@mail.example.test",
        "basket 2 x 1007 at 10.4460, 1.5 x 1012 at 69.8493 by r-7 [1 x bag-s] [2 x bag-m]",
        "ordered 100000001 of /501/user1@mail.example.test: 2 x 1007 at 10.4460, \
         1 x 1012 at 69.8493 by r-7 [1 x bag-s]",
        "left",
    ];
    assert_eq!(told(&call), expected);
    assert_eq!(call.zones.iter().map(|(zone, _)| zone.as_str()).collect::<Vec<_>>(), ["HP-01", "HP-02"]);
    assert!(call.visitor_id.is_none() && call.session_id.is_none() && call.search.is_none());
    assert_eq!(call.currency, Some(*b"GBP"));
    let key = |names| call.keys.opt_text(names).ok().flatten();
    assert_eq!((key(ACCESS_KEY).as_deref(), key(SECRET_KEY).as_deref()), (Some("KEY"), Some("SECRET")));
    assert_eq!((call.left_out, reasons(call)), (0, Vec::new()));
}

#[test]
fn who_comes_back_is_known_by_the_ids_that_were_given() {
    let known = call(&json!({"APPID": "KEY", "secretKey": "", "visitorId": " v-1 ", "sessionId": "s-1",
        "search": {"query": "mug", "pageSize": "2000"}}));
    assert!(known.visitor_id.as_ref() == Identifier::visitor_id("v-1").ok().as_ref());
    assert_eq!(
        (known.session_id.as_deref(), known.search.is_some(), known.keys.secret),
        (Some("s-1"), true, None)
    );
    let strange =
        call(&json!({"appId": "KEY", "visitorId": "v\u{1}", "sessionId": ["s"], "search": [], "zones": {}}));
    assert!(strange.visitor_id.is_none() && strange.session_id.is_none() && strange.search.is_none());
    assert_eq!(reasons(strange), ["visitorId: the identifier holds a control character"]);
}

#[test]
fn an_address_tells_one_event_whose_values_need_not_be_encoded() {
    let order = track(
        "appid=KEY&evt=moto_order_track&orderid=7/a b&email=Ada+1@shop.test&productcount=2&id1=Salt & Co&qty1=2\
         &unitprice1=1.50&refid1=&children1_0_sku=a&children1_0_qty=3&children1_1_sku=b%2f&id2=8&qty2=1",
    );
    let expected = "ordered 7/a b of //ada+1@shop.test: 2 x Salt & Co at 1.50 [3 x a] [1 x b/], 1 x 8";
    assert_eq!(told(&order), [expected]);
    assert_eq!(order.keys.access_key.as_deref(), Some("KEY"));
    assert_eq!(told(&track("evt=product_view&ID=100%&appid=k&visitorid=v")), ["viewed 100%"]);
    assert_eq!(told(&track("appid=k&evt=set_basket&currency=EUR&productcount=0")), ["basket "]);
    assert_eq!(told(&track("appid=k&evt=currency&currency=eur")), ["EUR"]);
    let no_secret = track("appid=k&secretkey=s&evt=page_view");
    assert!(no_secret.keys.secret.is_none());
    assert!(PluginCall::of_address("appid=k&AppId=other&evt=page_view").is_err());
    for nothing in ["", "&&&", "x", "=", "evt=", "evt=nothing", "%=%&evt=%ff", "appid=k&evt=product_view"] {
        let call = track(nothing);
        assert_eq!((call.events.len(), call.left_out, reasons(call).len()), (0, 1, 1), "{nothing}");
    }
}

#[test]
fn the_account_wins_over_the_user_and_the_user_over_the_address() {
    let leading = |data: Value| {
        let call = event("customer_details", data);
        let Some(ParsedPluginEvent::LoggedIn(customer)) = call.events.first() else { return String::new() };
        let leading = customer.leading().expect("somebody");
        format!("{} {}", leading.kind().as_str(), leading.normal())
    };
    assert_eq!(leading(json!({"email": "a@shop.test", "userid": 7, "accid": "c"})), "AccountId c");
    assert_eq!(leading(json!({"email": "a@shop.test", "userId": 7, "accid": 0})), "UserId 7");
    assert_eq!(leading(json!({"email": "A@shop.test;", "userid": "guest"})), "Email a@shop.test");
    assert_eq!(leading(json!({"email": "", "userid": "0"})), "");
    assert_eq!(leading(json!([])), "");
}

#[test]
fn an_id_given_twice_with_different_values_is_nobodys() {
    let twice = event("customer_details", json!({"userid": "7", "userId": "8"}));
    assert!(twice.events.is_empty());
    assert_eq!(reasons(twice), ["event 1: left out: userid is given twice, with different values"]);
    assert_eq!(told(&event("customer_details", json!({"userid": "7", "userId": 7}))), ["is /7/"]);
    let several = event("customer_details", json!({"userid": 7, "email": "a@shop.test, b@shop.test"}));
    assert_eq!(told(&several), ["is /7/"]);
    assert_eq!(reasons(several), ["event 1: email holds no address, or several"]);
}

#[test]
fn a_basket_comes_as_a_list_or_as_what_php_makes_of_one() {
    let line = json!({"id": "a"});
    for lines in [json!([line]), json!({"3": line}), json!({"items": [line]}), json!({"id1": "a"})] {
        assert_eq!(told(&event("set_basket", lines)), ["basket 1 x a"]);
    }
    for nothing in [json!([]), json!({}), json!({"productcount": "0"})] {
        assert_eq!(told(&event("Set_Basket", nothing)), ["basket "]);
    }
    for not in [Value::Null, json!("[]"), json!(1)] {
        let call = event("set_basket", not);
        assert_eq!((call.events.len(), call.left_out), (0, 1));
    }
    let missing = call(&json!({"events": {"1": {"name": "set_basket"}, "4": {"name": "page_view"}}}));
    assert_eq!(told(&missing), ["page"]);
}

#[test]
fn a_basket_without_a_line_that_can_be_read_clears_nothing() {
    let bad = event("set_basket", json!([{"id": ""}, 7, {"id": "a", "qty": 0}]));
    assert!(bad.events.is_empty());
    let expected = [
        "event 1: a line was left out: id is missing (2 times)",
        "event 1: a line was left out: qty has to be a number above 0 and up to 1000000",
        "event 1: left out: none of its lines can be read",
    ];
    assert_eq!(reasons(bad), expected);
}

#[test]
fn a_basket_of_ten_thousand_lines_keeps_the_first_and_says_so() {
    let lines: Vec<_> =
        (0..10_000).map(|n| json!({"id": n, "qty": "1.0000", "unitprice": "12.50"})).collect();
    let large = event("set_basket", json!(lines));
    let ParsedPluginEvent::BasketSet(kept) = &large.events[0] else { panic!("no basket") };
    assert_eq!((kept.len(), kept[499].product.as_str()), (500, "499"));
    assert_eq!(reasons(large), ["event 1: only the first 500 lines are taken"]);
    let counted = event("order_track", json!({"orderid": 1, "productcount": "4000000000", "id1": "a"}));
    assert_eq!(told(&counted), ["ordered 1 of //: 1 x a"]);
    let expected = [
        "event 1: a line was left out: id is missing (499 times)",
        "event 1: only the first 500 lines are taken",
    ];
    assert_eq!(reasons(counted), expected);
    let children: Vec<_> = (0..101).map(|n| json!({"sku": n})).collect();
    let wide = event("set_basket", json!([{"id": "a", "children": children}]));
    let ParsedPluginEvent::BasketSet(kept) = &wide.events[0] else { panic!("no basket") };
    assert_eq!(kept[0].children.len(), 100);
    assert_eq!(reasons(wide), ["event 1: only the first 100 children of a line are taken"]);
}

#[test]
fn more_lines_than_were_counted_are_read() {
    let data = json!({"orderid": "7", "productcount": 1, "id1": "a", "id2": "b", "qty2": "0.5"});
    assert_eq!(told(&event("order_track", data)), ["ordered 7 of //: 1 x a, 0.5 x b"]);
    let items = json!({"orderid": "7", "userId": "u", "items": [{"id": "a", "qty": 2, "unitprice": "1e1"}]});
    assert_eq!(told(&event("order", items)), ["ordered 7 of /u/: 2 x a at 10"]);
    for nothing in
        [json!({"orderid": "7"}), json!({"orderid": "7", "items": []}), json!({"id1": "a"}), json!([])]
    {
        assert_eq!(event("order", nothing).left_out, 1);
    }
}

#[test]
fn what_is_absurd_is_left_out_with_a_reason() {
    for quantity in
        [json!("1000000.1"), json!(-1), json!("1e400"), json!("NaN"), json!("1,5"), json!("9".repeat(400))]
    {
        let call = event("set_basket", json!([{"id": "a", "qty": quantity}, {"id": "b", "qty": 1_000_000}]));
        assert_eq!(told(&call), ["basket 1000000 x b"], "{quantity}");
        let expected = "event 1: a line was left out: qty has to be a number above 0 and up to 1000000";
        assert_eq!(reasons(call), [expected]);
    }
    for price in [json!("-0.01"), json!(1_000_000_001_i64), json!("£5"), json!("1e-400e")] {
        let call = event("set_basket", json!([{"id": "a", "unitprice": price}]));
        assert_eq!(told(&call), ["basket 1 x a"], "{price}");
        let expected = "event 1: a price was left out: unitprice has to be a number from 0 to 1000000000";
        assert_eq!(reasons(call), [expected]);
    }
    let long = "x".repeat(513);
    let call = event("product_view", json!({"id": long}));
    assert_eq!(reasons(call), ["event 1: left out: id is longer than 512 bytes"]);
    let call = event("product_view", json!({"id": "a\u{0}"}));
    assert_eq!(reasons(call), ["event 1: left out: id holds a control character"]);
    let unknown = event("wishlist ada@shop.test", json!({}));
    assert!(unknown.left_out == 1 && !reasons(unknown).concat().contains('@'));
}

#[test]
fn more_events_than_a_call_may_have_are_left_out() {
    let events: Vec<_> = (0..60).map(|n| json!({"name": "product_view", "data": {"id": n}})).collect();
    let many = call(&json!({"appId": "KEY", "events": events, "zones": (0..60).collect::<Vec<_>>()}));
    assert_eq!((many.events.len(), many.left_out, many.zones.len()), (50, 10, 50));
    let expected = [
        "only the first 50 events of a call are taken (10 times)",
        "only the first 50 zones are taken (10 times)",
    ];
    assert_eq!(reasons(many), expected);
    let bad: Vec<_> = (0..50).map(|n| json!([n])).collect();
    let bad = call(&json!({"appId": "KEY", "events": bad}));
    let sentences = reasons(bad);
    assert_eq!((sentences.len(), sentences[20].as_str()), (21, "30 more were left out"));
}

#[test]
fn of_a_long_list_the_first_elements_are_looked_at() {
    let long = call(&json!({"appId": "KEY", "zones": vec![json!({}); 3 * limits::SERVERSIDE_ELEMENTS]}));
    assert_eq!(reasons(long), ["a zone was left out: it has no id that can be one (1000 times)"]);
}

/// Each would take minutes, if every part were compared with every other.
#[test]
fn a_large_body_made_to_cost_time_is_read_in_one_go() {
    let addresses: Vec<_> = (0..150_000).map(|n| format!("{n}@a.b")).collect();
    let names = |value: &str| (0..150_000).map(|n| format!("\"a{n}\":{value}")).collect::<Vec<_>>().join(",");
    let same = format!("\"id\":\"{}\",", "x".repeat(100_000)).repeat(15);
    let datas = [
        format!("{{\"userid\":1,\"email\":\"{}\"}}", addresses.join(",")),
        format!("{{\"productcount\":\"99999999999\",\"orderid\":1,{}}}", names("1")),
        format!("{{{same}\"id1\":{}1{}}}", "[".repeat(100_000), "]".repeat(100_000)),
        format!("[{}{{}}]", "{\"id\":1,\"children\":[1]},".repeat(80_000)),
    ];
    for data in datas {
        for name in ["customer_details", "set_basket", "order"] {
            let body = format!("{{\"appId\":\"KEY\",\"events\":[{{\"name\":\"{name}\",\"data\":{data}}}]}}");
            assert!(body.len() < limits::SERVERSIDE_BODY_BYTES + 1_000_000);
            if let Ok(call) = PluginCall::of_body(body.as_bytes()) {
                assert_within_bounds(call);
            }
        }
    }
}

#[test]
fn a_body_that_is_not_one_object_is_refused() {
    for body in [
        "",
        "[]",
        "null",
        "{",
        r#"{"appId":1}"#,
        r#"{"visitorId":"a","VISITORID":"b"}"#,
        r#"{"appId":"a\u0000"}"#,
    ] {
        assert!(PluginCall::of_body(body.as_bytes()).is_err(), "{body}");
    }
}

/// Any JSON, often with the names that mean something.
fn any_json() -> impl Strategy<Value = Value> {
    let name = || {
        let names =
            ["name", "data", "id", "qty", "unitprice", "children", "items", "sku", "orderid", "productcount"];
        let more =
            ["id1", "qty1", "children1", "children1_0_sku", "userid", "email", "accid", "currency", "refid"];
        prop_oneof![prop::sample::select([&names[..], &more[..]].concat()).prop_map(str::to_owned), ".{0,4}"]
    };
    let events =
        ["set_basket", "order", "order_track", "customer_details", "product_view", "currency", "page_view"];
    let scalar = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".{0,12}".prop_map(Value::from),
        prop::sample::select(events.to_vec()).prop_map(Value::from),
    ];
    scalar.prop_recursive(5, 60, 6, move |inner| {
        let list = prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from);
        let object = prop::collection::vec((name(), inner), 0..6);
        prop_oneof![list, object.prop_map(|members| Value::Object(members.into_iter().collect()))]
    })
}

fn assert_within_bounds(call: PluginCall) {
    assert!(call.events.len() <= limits::SERVERSIDE_EVENTS && call.zones.len() <= limits::SERVERSIDE_ZONES);
    for told in &call.events {
        let lines = match told {
            ParsedPluginEvent::BasketSet(lines) => lines,
            ParsedPluginEvent::Ordered(order) => &order.lines,
            _ => continue,
        };
        assert!(lines.len() <= limits::BASKET_LINES);
        for line in lines {
            assert!(!line.quantity.is_zero() && line.quantity <= limits::LINE_QUANTITY_MAX.into());
            assert!((1..=limits::ITEM_ID_BYTES).contains(&line.product.len()));
            assert!(line.children.len() <= limits::LINE_CHILDREN);
        }
    }
    assert!(call.reasons.into_sentences().len() <= limits::SERVERSIDE_REASONS + 1);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn nothing_that_is_sent_panics_or_breaks_a_bound(
        events in prop::collection::vec(any_json(), 0..8),
        name in prop::sample::select(vec!["set_basket", "order_track", "customer_details", "product_view"]),
        data in any_json(),
        zones in any_json(),
    ) {
        let mut events = events;
        events.push(json!({"name": name, "data": data}));
        assert_within_bounds(call(&json!({"appId": "KEY", "events": events, "zones": zones, "search": data})));
    }

    #[test]
    fn no_address_panics_or_breaks_a_bound(query in ".{0,200}", pairs in "([a-z0-9_]{1,6}=[^&]{0,5}&){0,9}") {
        for query in [format!("evt=set_basket&{query}"), format!("evt=order_track&orderid=1&{pairs}"), query] {
            if let Ok(call) = PluginCall::of_address(&query) {
                assert_within_bounds(call);
            }
        }
    }
}

#[test]
fn of_what_was_looked_at_so_much_is_read() {
    let viewed: Vec<_> = (0..limits::ZONE_VIEWED + 5).map(|number| format!("p{number}")).collect();
    let read = call(&json!({"appId": "KEY", "viewed": viewed})).viewed;
    assert_eq!(read, viewed[..limits::ZONE_VIEWED]);
}
