//! Parts of a call that are kept, and those that are left out.

use super::*;
use crate::api::serverside::skipped::SkippedReasons;
use crate::people::event_action::CountedSearch;
use crate::zones::{PageKind, ZonePage};

/// A call of these events, each a name and its data.
fn call_of(events: &[(&str, Value)]) -> PluginCall {
    let events: Vec<_> = events.iter().map(|(name, data)| json!({"name": name, "data": data})).collect();
    call(&json!({"appId": "KEY", "events": events}))
}

#[test]
fn a_session_is_kept_up_to_254_bytes_and_without_control_characters() {
    let session = |id: &str| call(&json!({"appId": "KEY", "sessionId": id})).session_id;
    let longest = "s".repeat(limits::IDENTIFIER_BYTES);
    assert_eq!(session(&longest).as_deref(), Some(longest.as_str()));
    let longer = format!("{longest}s");
    for not in ["", "a\tb", longer.as_str()] {
        assert_eq!(session(not), None, "{not:?}");
    }
}

#[test]
fn a_visitor_that_is_no_number_of_a_browser_is_left_out_and_a_placeholder_without_a_word() {
    for (sent, reason) in [
        ("", None),
        ("0", None),
        ("guest", None),
        (
            "ada@shop.test",
            Some("visitorId: the identifier holds an e-mail address: the number of a browser names nobody"),
        ),
    ] {
        let call = call(&json!({"appId": "KEY", "visitorId": sent}));
        assert!(call.visitor_id.is_none(), "{sent}");
        assert_eq!(reasons(call), reason.into_iter().collect::<Vec<_>>(), "{sent}");
    }
}

#[test]
fn a_currency_is_known_in_any_case_and_another_text_is_left_out() {
    let unknown = "currency has to be three letters of ISO 4217, such as EUR";
    for (sent, currency, reason) in [
        ("eur", Some(*b"EUR"), None),
        ("", None, None),
        ("EURO", None, Some(unknown)),
        ("XQQ", None, Some(unknown)),
    ] {
        let call = call(&json!({"appId": "KEY", "currency": sent}));
        assert_eq!(call.currency, currency, "{sent}");
        assert_eq!(reasons(call), reason.into_iter().collect::<Vec<_>>(), "{sent}");
    }
}

#[test]
fn the_group_is_that_of_who_is_logged_in_at_the_end() {
    let of = |group: Value| ("customer_details", group);
    let left = || ("customer_logout", json!([]));
    let view = || ("product_view", json!({"id": "a"}));
    for (events, group) in [
        (vec![], None),
        (vec![view()], None),
        (vec![of(json!({"userid": 7, "groupid": "g"}))], Some("g")),
        (vec![of(json!({"userid": 7, "group_id": 5}))], Some("5")),
        (vec![of(json!({"userid": 7, "groupid": "g", "group_id": "h"}))], Some("g")),
        (vec![of(json!({"userid": 7, "groupid": "g"})), view()], Some("g")),
        (vec![of(json!({"userid": 7, "groupid": "g"})), left()], None),
        (vec![left(), of(json!({"userid": 7, "groupid": "g"}))], Some("g")),
        (vec![of(json!({"userid": 7, "groupid": "g"})), of(json!({"userid": 8}))], None),
    ] {
        assert_eq!(call_of(&events).group().as_deref(), group, "{events:?}");
    }
}

#[test]
fn of_a_pages_events_the_first_are_kept_and_every_withdrawal() {
    let views = |count: usize| vec![("product_view", json!({"id": "a"})); count];
    let mut few = call_of(&views(5));
    few.keep_first(5);
    assert_eq!((few.events.len(), few.left_out, reasons(few)), (5, 0, Vec::new()));
    let mut events = views(6);
    events.extend([("accept_cookies", json!(false)), ("accept_cookies", json!(true))]);
    let mut many = call_of(&events);
    many.keep_first(5);
    let kept: Vec<_> = ["viewed a"; 5].into_iter().chain(["consents false"]).collect();
    assert_eq!(told(&many), kept);
    assert_eq!(many.left_out, 2);
    assert_eq!(reasons(many), ["only the first 5 events of a page's call are taken"]);
}

#[test]
fn of_a_call_that_withdraws_consent_the_withdrawals_alone_can_be_kept() {
    let view = || ("product_view", json!({"id": "a"}));
    assert!(!call_of(&[view(), ("accept_cookies", json!(true))]).withdraws());
    let mut call =
        call_of(&[view(), ("accept_cookies", json!("false")), ("accept_cookies", json!(1)), view()]);
    assert!(call.withdraws());
    call.keep_withdrawals();
    assert_eq!((told(&call), call.left_out), (vec!["consents false".to_owned()], 3));
}

#[test]
fn looks_beyond_the_number_of_a_shop_are_left_out_and_nothing_else() {
    let view = |id: &str| ("product_view", json!({"id": id}));
    let events = [
        view("a"),
        ("customer_details", json!({"userid": 7})),
        view("b"),
        ("accept_cookies", json!(false)),
        view("c"),
    ];
    for (room, kept, is_cut) in [
        (3, &["viewed a", "is /7/", "viewed b", "consents false", "viewed c"][..], false),
        (1, &["viewed a", "is /7/", "consents false"], true),
        (0, &["is /7/", "consents false"], true),
    ] {
        let mut call = call_of(&events);
        let mut asked = 0;
        call.leave_out_beyond(&mut || {
            asked += 1;
            asked <= room
        });
        assert_eq!(told(&call), kept);
        assert_eq!((asked, call.left_out), (3, 0));
        let reason = "events were left out: the pages of the shop told too many";
        assert_eq!(reasons(call), is_cut.then_some(reason).into_iter().collect::<Vec<_>>());
    }
}

#[test]
fn zones_are_asked_for_one_by_one_or_in_one_text_each_once_with_the_page_that_comes_with_them() {
    let page = json!({"page_type": " Product_Page ", "product_id": 7, "category_id": "c", "brand_id": "b"});
    let asked = call(&json!({"appId": "KEY", "zones": ["HP-01,hp-01, PP-02 ,",
        {"id": "CP-01,CP-02", "data": page}, {"ID": 5}, {"data": page}, "a\tb"]}));
    let of_page = ZonePage {
        kind: Some(PageKind::ProductPage),
        product: Some("7".to_owned()),
        category: Some("c".to_owned()),
        brand: Some("b".to_owned()),
    };
    let zone = |id: &str, page: &ZonePage| (id.to_owned(), page.clone());
    let none = ZonePage::default();
    let expected = [
        zone("HP-01", &none),
        zone("PP-02", &none),
        zone("CP-01", &of_page),
        zone("CP-02", &of_page),
        zone("5", &none),
    ];
    assert_eq!(asked.zones, expected);
    assert_eq!(reasons(asked), ["a zone was left out: it has no id that can be one (3 times)"]);
    let longest = "z".repeat(limits::IDENTIFIER_BYTES);
    let ids = |text: String| {
        let call = call(&json!({"appId": "KEY", "zones": [text]}));
        (call.zones.len(), reasons(call))
    };
    assert_eq!(ids(longest.clone()), (1, Vec::new()));
    let wrong = "a zone was left out: it has no id that can be one".to_owned();
    assert_eq!(ids(format!("{longest}z")), (0, vec![wrong]));
    // Of one text no more than one zone beyond the most is looked at.
    let many = (0..200).map(|number| number.to_string()).collect::<Vec<_>>().join(",");
    assert_eq!(ids(many), (50, vec!["only the first 50 zones are taken".to_owned()]));
}

#[test]
fn fields_of_items_and_viewed_products_are_read_within_their_limits() {
    let fields: Vec<_> = (0..=limits::SEARCH_FIELDS).map(|number| number.to_string()).collect();
    let longest = "p".repeat(limits::ITEM_ID_BYTES);
    let viewed = json!(["", 7, " a ", "b\tc", longest, format!("{longest}p"), [], "d"]);
    let read = call(&json!({"appId": "KEY", "fields": fields, "viewed": viewed}));
    assert_eq!(read.fields, fields[..limits::SEARCH_FIELDS]);
    assert_eq!(read.viewed, ["7", "a", longest.as_str(), "d"]);
    assert_eq!(reasons(read), [""; 0]);
}

#[test]
fn each_event_says_whether_it_is_a_look_and_which_products_it_names() {
    let two = json!([{"id": "a"}, {"id": "b"}]);
    let order = json!({"orderid": 1, "userid": 7, "items": two});
    for (name, data, is_look, products) in [
        ("product_view", json!({"id": "a"}), true, &["a"][..]),
        ("set_basket", two, true, &["a", "b"]),
        ("page_view", json!({"product_id": "a"}), true, &[]),
        ("product_rate", json!({"id": "a"}), true, &[]),
        ("search", json!({"query": "lamp", "found": 1}), true, &[]),
        ("item_click", json!({"id": "a", "refid": "z.HP-01.for_you."}), true, &["a"]),
        ("accept_cookies", json!(true), true, &[]),
        ("currency", json!("EUR"), true, &[]),
        ("customer_details", json!({"userid": 7}), false, &[]),
        ("customer_logout", json!([]), false, &[]),
        ("order", order, false, &[]),
    ] {
        let call = event(name, data);
        let told = &call.events[0];
        assert_eq!((told.is_look(), told.withdraws()), (is_look, false), "{name}");
        assert_eq!(told.products().collect::<Vec<_>>(), products, "{name}");
    }
}

#[test]
fn consent_is_read_as_yes_or_no_and_anything_else_is_left_out() {
    for (sent, consents) in [
        (json!(true), Some(true)),
        (json!("true"), Some(true)),
        (json!(1), Some(true)),
        (json!("1"), Some(true)),
        (json!(false), Some(false)),
        (json!("false"), Some(false)),
        (json!(0), Some(false)),
        (json!("0"), Some(false)),
        (json!("yes"), None),
        (json!({}), None),
        (Value::Null, None),
    ] {
        let call = event("accept_cookies", sent.clone());
        let expected = consents.map(|consents| format!("consents {consents}"));
        assert_eq!(told(&call), expected.into_iter().collect::<Vec<_>>(), "{sent}");
        let reason = "event 1: left out: data of accept_cookies has to be true or false";
        let is_left_out = consents.is_none();
        assert_eq!(reasons(call), is_left_out.then_some(reason).into_iter().collect::<Vec<_>>(), "{sent}");
    }
}

#[test]
fn a_search_is_read_with_its_count_and_a_correction_only_by_a_plain_yes() {
    let with = |corrected: Value| json!({"query": " Red \n SHOE ", "found": "3", "corrected": corrected});
    for (corrected, is_corrected) in [
        (json!(true), true),
        (json!("1"), true),
        (json!("yes"), false),
        (json!(false), false),
        (json!(2), false),
    ] {
        let search = CountedSearch { query: "red shoe".to_owned(), found: 3, is_corrected };
        assert!(
            event("search", with(corrected.clone())).events == [ParsedPluginEvent::Searched(Some(search))],
            "{corrected}"
        );
    }
    let not_counted = event("search", json!({"query": "ada@shop.test", "found": 0}));
    assert!(not_counted.events == [ParsedPluginEvent::Searched(None)]);
    for found in [json!(""), json!(-1), json!(1.5), json!("many")] {
        let call = event("search", json!({"query": "lamp", "found": found}));
        let reason = "event 1: left out: found has to be how many products were found";
        assert_eq!(reasons(call), [reason], "{found}");
    }
}

#[test]
fn what_an_event_lacks_is_its_reason_to_be_left_out() {
    for (name, data, reason) in [
        ("product_view", json!({}), "id is missing"),
        ("item_click", json!({"refid": "z.HP-01.for_you."}), "id is missing"),
        (
            "search_click",
            json!({"id": "a", "refid": "c"}),
            "refid has to be that of the zone or the search that showed it",
        ),
        ("customer_details", json!({"userid": "guest"}), "it names nobody by accid, userid or email"),
        ("set_basket", json!("a"), "data has to be the list of all lines"),
        ("order", json!({"id1": "a"}), "orderid is missing"),
        ("order", json!({"orderid": 1}), "it has no lines"),
        ("currency", json!("EURO"), "it is no currency of ISO 4217"),
        ("currency", json!({}), "it is no currency of ISO 4217"),
    ] {
        let call = event(name, data);
        assert_eq!((call.events.len(), call.left_out), (0, 1), "{name}");
        assert_eq!(reasons(call), [format!("event 1: left out: {reason}")], "{name}");
    }
    let without = call(&json!({"appId": "KEY", "events": [{"name": "set_basket"}]}));
    let reason = "event 1: left out: data is missing; an empty list clears a basket";
    assert_eq!(reasons(without), [reason]);
    assert_eq!(told(&event("currency", json!({"currency": " eur "}))), ["EUR"]);
}

#[test]
fn an_order_by_the_shop_for_a_customer_is_told_from_one_in_their_browser() {
    for (name, is_by_browser) in [("order", true), ("Order_Track", true), ("moto_order_track", false)] {
        let call = event(name, json!({"orderid": 1, "userid": 7, "items": [{"id": "a"}]}));
        let Some(ParsedPluginEvent::Ordered(order)) = call.events.first() else { panic!("no order: {name}") };
        assert_eq!(order.is_by_browser, is_by_browser, "{name}");
    }
}

#[test]
fn an_address_of_a_customer_is_looked_for_in_a_field_of_a_kilobyte() {
    let address = " ada@shop.test";
    let most = 4 * limits::IDENTIFIER_BYTES;
    for (bytes, is_read) in [(most, true), (most + 1, false)] {
        let sent = format!("{}{address}", "x".repeat(bytes - address.len()));
        let call = event("customer_details", json!({"userid": 7, "email": sent}));
        assert_eq!(told(&call), [if is_read { "is /7/ada@shop.test" } else { "is /7/" }]);
        let reason = "event 1: email holds no address, or several";
        assert_eq!(reasons(call), (!is_read).then_some(reason).into_iter().collect::<Vec<_>>());
    }
}

#[test]
fn reasons_beyond_the_most_are_counted_together() {
    let mut all = SkippedReasons::default();
    for number in (0..25).chain(0..25) {
        all.add(format!("r{number}"));
    }
    let expected: Vec<_> = (0..20).map(|number| format!("r{number} (2 times)")).collect();
    let mut sentences = all.into_sentences();
    assert_eq!(sentences.pop().as_deref(), Some("10 more were left out"));
    assert_eq!(sentences, expected);

    let mut whole = SkippedReasons::default();
    (0..19).for_each(|number| whole.add(format!("r{number}")));
    let mut part = SkippedReasons::default();
    (0..22).for_each(|number| part.add(format!("p{number}")));
    part.add("p0".to_owned());
    part.add("p1".to_owned());
    whole.add_all("event 1", part);
    let sentences = whole.into_sentences();
    // Of the part one has room; 19 others of it are left, one of them twice, and two had no room in the part itself.
    assert_eq!(sentences[18..], ["r18", "event 1: p0 (2 times)", "22 more were left out"]);

    for (count, end) in [(20, "r19"), (21, "1 more were left out")] {
        let mut reasons = SkippedReasons::default();
        (0..count).for_each(|number| reasons.add(format!("r{number}")));
        assert_eq!(reasons.into_sentences().last().map(String::as_str), Some(end));
    }
}

#[test]
fn a_child_of_a_line_with_no_amount_that_can_be_is_left_out_alone() {
    let most = limits::LINE_QUANTITY_MAX;
    let of_children = |children: Value| event("set_basket", json!([{"id": "a", "children": children}]));
    let beyond = (most + 1).to_string();
    for qty in ["0", "-1", "x", &beyond] {
        let call = of_children(json!([{"sku": "b", "qty": qty}, {"sku": "c", "qty": most}, {"sku": "d"}]));
        assert_eq!(told(&call), [format!("basket 1 x a [{most} x c] [1 x d]")], "{qty}");
        let reason = format!("qty has to be a number above 0 and up to {most}");
        assert_eq!(reasons(call), [format!("event 1: a child of a line was left out: {reason}")], "{qty}");
    }
}
