//! Edges of what is read of a call: each member given twice, and the most that a limit takes.

use super::*;
use crate::api::testing::{given_twice, with_twice};
use crate::transport::refusal::Refusal;

fn sentence(read: Result<PluginCall, Refusal>) -> Option<String> {
    read.err().map(|refusal| refusal.sentence().to_owned())
}

#[test]
fn a_member_of_a_call_that_is_given_twice_refuses_the_call() {
    for member in ["visitorId", "sessionId", "currency", "events", "zones", "viewed", "fields", "search"] {
        let body = with_twice(json!({"appId": "KEY"}), member).to_string();
        assert_eq!(sentence(PluginCall::of_body(body.as_bytes())), Some(given_twice(member)));
    }
    for (member, key) in [("appId", "AccessKey"), ("secretKey", "SecretKey")] {
        let body = with_twice(json!({}), member).to_string();
        assert_eq!(sentence(PluginCall::of_body(body.as_bytes())), Some(given_twice(key)));
    }
    for member in ["appid", "visitorid", "sessionid", "currency", "evt"] {
        let query = format!("{member}=1&{}=2", member.to_uppercase());
        assert_eq!(sentence(PluginCall::of_address(&query)), Some(given_twice(member)));
    }
    let with_nul = sentence(PluginCall::of_address("appid=a%00b&evt=page_view"));
    assert_eq!(with_nul.as_deref(), Some("appid holds a NUL character"));
}

#[test]
fn an_event_with_a_member_given_twice_is_left_out() {
    let items = json!([{"id": "a"}]);
    for (name, data, member) in [
        ("page_view", json!({}), "page_type"),
        ("page_view", json!({}), "product_id"),
        ("page_view", json!({}), "category_id"),
        ("page_view", json!({}), "brand_id"),
        ("product_view", json!({}), "id"),
        ("set_basket", json!({}), "items"),
        ("set_basket", json!({"id1": "a"}), "productcount"),
        ("customer_details", json!({"userid": 7}), "accid"),
        ("customer_details", json!({"accid": 7}), "userid"),
        ("customer_details", json!({"userid": 7}), "email"),
        ("order", json!({"userid": 7, "items": items}), "orderid"),
        ("order", json!({"orderid": 1, "userid": 7, "items": items}), "accid"),
        ("order_track", json!({"orderid": 1, "items": items}), "userid"),
        ("moto_order_track", json!({"orderid": 1, "userid": 7, "items": items}), "email"),
        ("order", json!({"orderid": 1, "userid": 7}), "items"),
        ("order", json!({"orderid": 1, "userid": 7, "id1": "a"}), "productcount"),
        ("search", json!({"query": "lamp"}), "found"),
        ("search", json!({"query": "lamp", "found": 1}), "corrected"),
        ("search", json!({"found": 1}), "query"),
        ("item_click", json!({"refid": "z.HP-01.for_you."}), "id"),
        ("search_click", json!({"id": "a"}), "refid"),
        ("currency", json!({}), "currency"),
    ] {
        let call = event(name, with_twice(data, member));
        assert_eq!((call.events.len(), call.left_out), (0, 1), "{name} {member}");
        assert_eq!(reasons(call), [format!("event 1: left out: {}", given_twice(member))], "{name}");
    }
    for member in ["name", "data"] {
        let view = json!({"name": "product_view", "data": {"id": "a"}});
        let call = call(&json!({"appId": "KEY", "events": [with_twice(view, member)]}));
        assert_eq!(reasons(call), [format!("event 1: left out: {}", given_twice(member))]);
    }
}

#[test]
fn a_part_with_a_member_given_twice_is_left_out_alone() {
    let two = |line: Value| json!([line, {"id": "b"}]);
    let a = json!({"id": "a"});
    let with_child = |child: Value| two(json!({"id": "a", "children": [child]}));
    let one = "basket 1 x b";
    let both = "basket 1 x a, 1 x b";
    for (data, kept, part, member) in [
        (two(with_twice(a.clone(), "id")), one, "a line was left out: ", "id"),
        (two(with_twice(a.clone(), "qty")), one, "a line was left out: ", "qty"),
        (two(with_twice(a.clone(), "unitprice")), one, "a line was left out: ", "unitprice"),
        (with_twice(json!({"id1": "a", "id2": "b"}), "qty1"), one, "a line was left out: ", "qty"),
        (two(with_twice(a.clone(), "refid")), both, "", "refid"),
        (two(with_twice(a, "children")), both, "", "children"),
        (with_child(with_twice(json!({}), "sku")), both, "a child of a line was left out: ", "sku"),
        (with_child(with_twice(json!({"sku": 1}), "qty")), both, "a child of a line was left out: ", "qty"),
        (
            with_twice(json!({"id1": "a", "id2": "b"}), "children1_0_sku"),
            both,
            "a child of a line was left out: ",
            "sku",
        ),
    ] {
        let call = event("set_basket", data);
        assert_eq!(told(&call), [kept], "{part}{member}");
        assert_eq!(reasons(call), [format!("event 1: {part}{}", given_twice(member))]);
    }
    for member in ["groupid", "group_id"] {
        let call = event("customer_details", with_twice(json!({"userid": 7}), member));
        assert_eq!(told(&call), ["is /7/"]);
        assert_eq!(reasons(call), [format!("event 1: {}", given_twice(member))]);
    }
}

#[test]
fn what_a_limit_takes_is_taken_without_a_word() {
    let lines = |count: usize| (0..count).map(|id| json!({"id": id})).collect::<Value>();
    let children = |count: usize| {
        let children: Vec<_> = (0..count).map(|sku| json!({"sku": sku})).collect();
        json!([{"id": "a", "children": children}])
    };
    let flattened = |count: usize| {
        let mut line = json!({"id1": "a"});
        (0..count).for_each(|child| line[format!("children1_{child}_sku")] = child.into());
        line
    };
    let with = |member: &str, value: Value| json!([{"id": "a"}, {"id": "b", member: value}]);
    let long = |bytes: usize| Value::from("x".repeat(bytes));
    let too_many = "only the first 100 children of a line are taken";
    for (taken, beyond, reason) in [
        (lines(500), lines(501), "only the first 500 lines are taken"),
        (children(100), children(101), too_many),
        (flattened(100), flattened(101), too_many),
        (
            with("unitprice", json!(1_000_000_000)),
            with("unitprice", json!("1000000000.01")),
            "a price was left out: unitprice has to be a number from 0 to 1000000000",
        ),
        (
            with("qty", json!(1_000_000)),
            with("qty", json!("1000000.01")),
            "a line was left out: qty has to be a number above 0 and up to 1000000",
        ),
        (with("id", long(512)), with("id", long(513)), "a line was left out: id is longer than 512 bytes"),
        (with("refid", long(512)), with("refid", long(513)), "refid is longer than 512 bytes"),
    ] {
        assert_eq!(reasons(event("set_basket", taken)), [""; 0], "up to: {reason}");
        assert_eq!(reasons(event("set_basket", beyond)), [format!("event 1: {reason}")]);
    }
    let views = |count: usize| {
        let views = vec![json!({"name": "product_view", "data": {"id": "a"}}); count];
        call(&json!({"appId": "KEY", "events": views, "zones": (0..count).collect::<Vec<_>>()}))
    };
    assert_eq!(reasons(views(50)), [""; 0]);
    let expected = ["only the first 50 events of a call are taken", "only the first 50 zones are taken"];
    assert_eq!(reasons(views(51)), expected);
}
