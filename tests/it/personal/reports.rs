//! Reports: shoppers' impressions, searches, clicks and purchases, counted without names, and without forgotten
//! people.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use lethe::api::events::impressions;
use lethe::ids::AccountId;
use lethe::limits;
use serde_json::{Value, json};

use crate::support::events::{open_shop, post_events};
use crate::support::plugin::{start_visit, view_event};
use crate::support::reports::{await_page, call_server, fetch_report, rows_by_subject};
use crate::support::world::{Shop, World, on_both_engines};

on_both_engines! {
    a_report_says_what_was_done_and_after_an_erasure_what_others_did
    what_a_visitor_clicked_counts_for_who_logs_in
    what_is_bought_by_its_number_counts_where_it_was_clicked
    a_control_group_sees_no_zones
    what_a_page_shows_counts_for_visitors_who_came_back
    what_five_people_searched_completes_what_others_type
    who_withdraws_is_in_no_report
    what_stands_in_the_answer_to_a_no_is_noted_of_nobody
    what_was_seen_is_stored_of_who_saw_it_alone
    a_report_that_cannot_be_is_refused
    a_report_has_so_many_days_and_no_more
}

/// People of the history, each of whom calls three pages, and the number of those forgotten: 60 and 7, or as many as
/// `LETHE_TEST_REPORTED` says, and 100.
fn read_wanted_histories() -> (usize, usize) {
    let people = std::env::var("LETHE_TEST_REPORTED").ok().and_then(|text| text.parse().ok());
    people.map_or((60, 7), |people| (people, 100))
}

/// Events of one person of many: a page with a zone, a search, clicks in both, and an order of everything.
async fn shop_once(world: &World, shop: &Shop, number: usize) {
    let visitor = format!("browser-{number}");
    let page = json!({"events": [view_event("p1")], "zones": [{"id": "HP-01"}],
        "search": {"query": if number.is_multiple_of(2) { "Thing" } else { "thing 2" }}});
    let answer = await_page(world, shop, &visitor, page).await;
    let item = &answer["zones"]["HP-01"]["items"][0];
    let hit = &answer["search"]["products"][0];
    let click =
        |name: &str, id: &Value, source: &Value| json!({"name": name, "data": {"id": id, "refid": source}});
    let search = &answer["search"];
    let customer = json!({"name": "customer_details", "data": {"userid": format!("user-{number}")}});
    let line = |id: &Value, price: usize, source: Value| json!({"id": id, "qty": 1, "unitprice": price, "refid": source});
    let lines = [line(&item["Id"], 5, Value::Null), line(&json!("p9"), 2, search["refId"].clone())];
    let order = json!({"name": "order", "data": {"orderid": format!("order-{number}"), "items": lines}});
    let mut events = vec![
        click(search["clickEventName"].as_str().expect("a name"), &hit["Id"], &search["refId"]),
        click("item_click", &item["Id"], &item["RefId"]),
    ];
    if number.is_multiple_of(3) {
        events.extend([customer, order]);
    }
    call_server(
        world,
        shop,
        json!({"visitorId": visitor, "events": [{"name": "page_view", "data": []}], "zones": ["HP-01"]}),
    )
    .await;
    let told = call_server(world, shop, json!({"visitorId": visitor, "events": events})).await;
    assert_eq!(told.get("errors"), None, "{told:#}");
}

/// Expected report on these people's events.
fn expect_rows(people: &BTreeSet<usize>) -> [BTreeMap<String, [f64; 5]>; 2] {
    let count = |is: &dyn Fn(&usize) -> bool| people.iter().filter(|number| is(number)).count() as f64;
    let row = |is: &dyn Fn(&usize) -> bool, revenue: f64| {
        let all = count(is);
        let orders = count(&|number| is(number) && number.is_multiple_of(3));
        [all, all, all, orders, orders * revenue]
    };
    let zones = [("HP-01/for_you/".to_owned(), row(&|_| true, 5.0))];
    let even = |number: &usize| number.is_multiple_of(2);
    let searches =
        [("thing".to_owned(), row(&even, 2.0)), ("thing 2".to_owned(), row(&|number| !even(number), 2.0))];
    [zones.into(), searches.into()]
}

async fn a_report_says_what_was_done_and_after_an_erasure_what_others_did(mut world: World) {
    let shop = open_shop(&world, 12).await;
    let (count, forgotten) = read_wanted_histories();
    let mut people: BTreeSet<usize> = (0..count).collect();
    for number in &people {
        shop_once(&world, &shop, *number).await;
        // No more new visitors a second than a shop may have.
        world.clock.advance(Duration::from_millis(50));
    }
    let told = async |world: &World| {
        [fetch_report(world, &shop, "zones").await, fetch_report(world, &shop, "search").await]
    };
    let all = told(&world).await;
    assert_eq!([&all[0], &all[1]].map(rows_by_subject), expect_rows(&people));
    let export = world.ask_json(&shop, "/api/user/export", json!({"Identifier": "userid:user-0"})).await;
    let lines = &export["Orders"][0]["Lines"];
    assert!(
        lines[0].get("RefId").is_none() && lines[1]["RefId"].as_str().is_some_and(|id| id.starts_with("s."))
    );
    assert_eq!((all[0].get("Rest"), &all[0]["RestRows"]), (None, &json!(0)));
    let quality = rows_by_subject(&fetch_report(&world, &shop, "quality").await);
    assert_eq!(quality["searches"][..2], [count as f64; 2]);
    let orders = count.div_ceil(3) as f64;
    let found = "orders with something found in a zone or a search";
    assert_eq!(quality[found], [orders, orders, 0.0, 0.0, 7.0 * orders]);
    // Visitors, and people who logged in, whose browser is another subject.
    for number in (0..forgotten).map(|number| number * count / forgotten) {
        world.forget(&shop, &format!("visitor:browser-{number}")).await;
        if number % 3 == 0 {
            world.forget(&shop, &format!("userid:user-{number}")).await;
        }
        people.remove(&number);
    }
    world.run_all_jobs().await;
    let left = told(&world).await;
    assert_eq!([&left[0], &left[1]].map(rows_by_subject), expect_rows(&people));
    world.restart().await;
    assert_eq!(told(&world).await, left, "it is made of what is stored alone");
    // Another period has nothing in it.
    let before = json!({"Report": "zones", "From": "2001-01-01", "Until": "2001-01-31"});
    let before = world.ask_json(&shop, "/api/report", before).await;
    assert_eq!(
        (&before["Rows"], &before["From"], &before["Until"]),
        (&json!([]), &json!("2001-01-01"), &json!("2001-01-31"))
    );
}

async fn what_a_visitor_clicked_counts_for_who_logs_in(world: World) {
    let shop = open_shop(&world, 3).await;
    for number in 0..5 {
        let visitor = format!("browser-{number}");
        let answer =
            await_page(&world, &shop, &visitor, json!({"events": [view_event("p1")], "zones": ["HP-01"]}))
                .await;
        let item = &answer["zones"]["HP-01"]["items"][0];
        let click = json!({"name": "item_click", "data": {"id": item["Id"], "refid": item["RefId"]}});
        call_server(&world, &shop, json!({"visitorId": visitor, "events": [click]})).await;
        world.clock.advance(Duration::from_secs(60));
        let order = json!({"name": "order_track", "data": {"orderid": format!("o{number}"), "email": format!("guest{number}@shop.test"),
            "productcount": 1, "id1": item["Id"], "qty1": 2, "unitprice1": 4}});
        let guest =
            json!({"name": "customer_details", "data": {"email": format!("guest{number}@shop.test")}});
        let told = call_server(&world, &shop, json!({"visitorId": visitor, "events": [guest, order]})).await;
        assert_eq!(told.get("errors"), None);
    }
    let told = fetch_report(&world, &shop, "zones").await;
    assert_eq!(rows_by_subject(&told)["HP-01/for_you/"], [5.0, 5.0, 5.0, 5.0, 40.0]);
}

async fn a_control_group_sees_no_zones(world: World) {
    let shop = open_shop(&world, 12).await;
    let wrong = json!({"Campaigns": [{"Id": "all", "Zone": "*", "Html": "<p>Hello</p>"}]});
    let refused = world.ask(&shop, "/api/zones/set", wrong).await.expect_refusal(400);
    assert!(refused.contains("Empty"), "{refused}");
    let campaigns = json!([{"Id": "text", "Zone": "HP-02", "Html": "<p>Hello</p>"},
        {"Id": "control", "Zone": "*", "Share": 50, "Empty": true}]);
    world.ask_json(&shop, "/api/zones/set", json!({ "Campaigns": campaigns })).await;
    let page = json!({"events": [view_event("p1")], "zones": ["HP-01", "HP-02"]});
    let mut kept = 0;
    for number in 0..60 {
        let visitor = format!("browser-{number}");
        let zones = await_page(&world, &shop, &visitor, page.clone()).await["zones"].clone();
        let shown = zones.as_object().expect("zones").len();
        assert!(shown == 0 || shown == 2, "{zones}");
        kept += usize::from(shown == 0);
        if number % 3 > 0 {
            let events = json!([{"name": "customer_details", "data": {"userid": format!("u{number}")}}, {"name": "order",
                "data": {"orderid": number.to_string(), "items": [{"id": "p1", "unitprice": 3}]}}]);
            call_server(&world, &shop, json!({"visitorId": visitor, "events": events})).await;
        }
    }
    let told = fetch_report(&world, &shop, "zones").await;
    let control = &told["Control"];
    assert!(kept >= 5, "{kept}");
    assert_eq!(
        (&control["PeopleWith"], &control["PeopleWithout"]),
        (&json!((60 - kept) / 5 * 5), &json!(kept / 5 * 5))
    );
    let uplift = &control["Orders"]["Uplift"];
    let [low, measured, high] =
        ["Low", "Measured", "High"].map(|name| uplift[name].as_f64().expect("a number"));
    assert!(low <= measured && measured <= high, "{uplift}");
    let rows = rows_by_subject(&told);
    assert_eq!(rows["HP-02//text"][..2], [60.0 - kept as f64; 2]);
    assert!(fetch_report(&world, &shop, "search").await.get("Control").is_none());
}

async fn what_a_page_shows_counts_for_visitors_who_came_back(world: World) {
    let shop = open_shop(&world, 3).await;
    let page = json!({"appId": shop.key, "zones": ["HP-01"]});
    loop {
        // A number that may never come back: nothing about it is noted.
        let answer = world.post("/api/serverside", &page).await.json();
        if answer.get("errors").is_none() {
            break;
        }
    }
    for _ in 0..5 {
        let first = world.post("/api/serverside", &page).await.json();
        let mut again = page.clone();
        again["visitorId"] = first["visitorId"].clone();
        let click = json!({"name": "item_click", "data": {"id": "p1", "refid": "z.HP-01.for_you."}});
        let invented = json!({"name": "item_click", "data": {"id": "p1", "refid": "z.Nowhere.for_you."}});
        let wrong = json!({"name": "item_click", "data": {"id": "p1", "refid": "zone"}});
        let search = json!({"name": "search", "data": {"query": "Thing", "found": 3, "corrected": true}});
        let address = json!({"name": "search", "data": {"query": "ann@shop.test", "found": 0}});
        again["events"] = json!([click, invented, search, wrong, address]);
        let told = world.post("/api/serverside", &again).await.json();
        let reasons: Vec<_> =
            told["errors"].as_array().expect("reasons").iter().map(Value::to_string).collect();
        assert!(reasons.iter().any(|reason| reason.contains("refid has to be")), "{reasons:?}");
        assert!(reasons.iter().any(|reason| reason.contains("looks like an address")), "{reasons:?}");
    }
    let told = fetch_report(&world, &shop, "zones").await;
    assert_eq!(rows_by_subject(&told), [("HP-01/for_you/".to_owned(), [5.0, 5.0, 5.0, 0.0, 0.0])].into());
    assert_eq!(told["Rest"]["Clicks"], 5, "of a zone that nobody saw");
    assert_eq!(rows_by_subject(&fetch_report(&world, &shop, "search").await)["thing"][..2], [5.0, 5.0]);
    // The shop's own events say the same.
    let event = |n: usize| json!({"Name": "search", "Query": "thing", "Found": 0, "UserId": format!("u{n}")});
    let click = |n: usize| json!({"Name": "item_click", "Product": "no-1", "RefId": "z.HP-01.for_you.", "UserId": format!("u{n}")});
    post_events(&world, &shop, &(0..5).flat_map(|n| [event(n), click(n)]).collect::<Vec<_>>()).await;
    assert_eq!(rows_by_subject(&fetch_report(&world, &shop, "search").await)["thing"][..2], [10.0, 10.0]);
    assert_eq!(
        rows_by_subject(&fetch_report(&world, &shop, "zones").await)["HP-01/for_you/"][..3],
        [5.0, 5.0, 10.0]
    );
    let export = world.ask_json(&shop, "/api/user/export", json!({"Identifier": "u1"})).await;
    let events = export["Events"].as_array().expect("events");
    assert_eq!(
        (&events[0]["Query"], &events[0]["Found"], &events[0]["Corrected"]),
        (&json!("thing"), &json!(0), &json!(false))
    );
    assert_eq!((&events[1]["Product"], &events[1]["RefId"]), (&json!("p1"), &json!("z.HP-01.for_you.")));
}

async fn what_five_people_searched_completes_what_others_type(world: World) {
    let shop = open_shop(&world, 12).await;
    let search = |n: usize, query: &str| json!({"Name": "search", "Query": query, "Found": 1, "UserId": format!("u{n}")});
    let mut searches: Vec<_> = (0..5).map(|n| search(n, "Thing 7")).collect();
    searches.extend((0..4).map(|n| search(n, "thing 8")));
    searches.extend((0..9).map(|n| search(n, "thing of gold")));
    post_events(&world, &shop, &searches).await;
    // The model is made after the first request for it.
    world.node().derived.models().get_or_build(AccountId(1)).await.expect("a model");
    let completed = async || {
        let asked = json!({"AppKey": shop.key, "Query": "thi"});
        let answer = world.post("/api/autocomplete", &asked).await.json();
        let queries = answer["Queries"].as_array().expect("queries").iter();
        queries.map(|query| query["Text"].as_str().expect("a text").to_lowercase()).collect::<Vec<_>>()
    };
    let first = completed().await;
    assert_eq!(first[0], "thing 7", "{first:?}");
    assert!(!first.contains(&"thing of gold".to_owned()), "{first:?}");
    world.forget(&shop, "userid:u0").await;
    world.run_all_jobs().await;
    assert_ne!(completed().await[0], "thing 7");
}

async fn who_withdraws_is_in_no_report(world: World) {
    let shop = open_shop(&world, 3).await;
    for number in 0..5 {
        let page = json!({"events": [view_event("p1")], "zones": ["HP-01"], "search": {"query": "thing"}});
        await_page(&world, &shop, &format!("browser-{number}"), page).await;
    }
    let no = json!({"name": "accept_cookies", "data": false});
    let page =
        json!({"visitorId": "browser-0", "events": [no], "zones": ["HP-01"], "search": {"query": "thing"}});
    call_server(&world, &shop, page).await;
    let told = fetch_report(&world, &shop, "zones").await;
    assert!(rows_by_subject(&told).is_empty() && told.get("Rest").is_none(), "four are left: {told}");
}

async fn what_is_bought_by_its_number_counts_where_it_was_clicked(world: World) {
    let shop = open_shop(&world, 3).await;
    for number in 0..5 {
        let visitor = format!("browser-{number}");
        let page = json!({"events": [view_event("p1")], "zones": ["HP-01"]});
        let answer = await_page(&world, &shop, &visitor, page).await;
        let item = &answer["zones"]["HP-01"]["items"][0];
        let id = item["Id"].as_str().expect("an id");
        let click = json!({"name": "item_click", "data": {"id": id, "refid": item["RefId"]}});
        let customer = json!({"name": "customer_details", "data": {"userid": format!("user-{number}")}});
        let line = json!({"id": id.replace('p', "no-"), "qty": 1, "unitprice": 5});
        let order = json!({"name": "order", "data": {"orderid": format!("order-{number}"), "items": [line]}});
        call_server(&world, &shop, json!({"visitorId": visitor, "events": [click, customer, order]})).await;
    }
    let told = rows_by_subject(&fetch_report(&world, &shop, "zones").await);
    assert_eq!(told["HP-01/for_you/"][3..], [5.0, 25.0], "{told:?}");
}

/// A logged-in user stays stored when they say no in a browser: their impressions there do not.
async fn what_stands_in_the_answer_to_a_no_is_noted_of_nobody(world: World) {
    let shop = open_shop(&world, 3).await;
    let browser = start_visit(&world, &shop).await;
    let customer = json!({"name": "customer_details", "data": {"userid": "anna"}});
    let no = json!({"name": "accept_cookies", "data": false});
    let asked = |events: Value| json!({"visitorId": browser, "events": events, "zones": ["HP-01"], "search": {"query": "thing"}});
    let seen_by_anna = async || {
        impressions::store_all(world.node()).await;
        let export = world.ask_json(&shop, "/api/user/export", json!({"Identifier": "userid:anna"})).await;
        export["Events"].as_array().map_or(0, Vec::len)
    };
    // The index of a new shop is being made.
    await_page(&world, &shop, "somebody", json!({"zones": ["HP-01"], "search": {"query": "thing"}})).await;
    call_server(&world, &shop, json!({"visitorId": browser, "events": [customer]})).await;
    let answer = call_server(&world, &shop, asked(json!([no]))).await;
    assert!(answer["zones"]["HP-01"].is_object() && answer["search"].is_object(), "{answer}");
    assert_eq!(seen_by_anna().await, 0, "told by the shop");
    let mut page = asked(json!([no]));
    page["appId"] = shop.key.as_str().into();
    let answer = world.post("/api/serverside", &page).await.json();
    assert!(answer["zones"]["HP-01"].is_object() && answer["search"].is_object(), "{answer}");
    assert_eq!(seen_by_anna().await, 0, "told by a page");
    // They are logged in, and their other impressions are theirs.
    page["events"] = json!([]);
    world.post("/api/serverside", &page).await;
    assert_eq!(seen_by_anna().await, 2);
}

async fn what_was_seen_is_stored_of_who_saw_it_alone(world: World) {
    let shop = open_shop(&world, 3).await;
    let looks =
        |visitor: &str| json!({"visitorId": visitor, "zones": ["HP-01"], "search": {"query": "thing"}});
    let tells = |visitor: &str, name: &str, data: Value| json!({"visitorId": visitor, "events": [{"name": name, "data": data}]});
    let seen_by = async |identifier: &str| {
        impressions::store_all(world.node()).await;
        let export = world.ask_json(&shop, "/api/user/export", json!({"Identifier": identifier})).await;
        let events = export["Events"].as_array().cloned().unwrap_or_default();
        events.iter().filter(|event| event["Event"] != "product_view").count()
    };
    // Without stored data of a visitor nothing is noted.
    await_page(&world, &shop, "nobody", json!({"zones": ["HP-01"], "search": {"query": "thing"}})).await;
    assert_eq!(seen_by("visitor:nobody").await, 0);
    // A visitor who withdraws, and comes again a moment later, is not stored again by their impressions.
    call_server(&world, &shop, json!({"visitorId": "gone", "events": [view_event("p1")]})).await;
    call_server(&world, &shop, looks("gone")).await;
    call_server(&world, &shop, tells("gone", "accept_cookies", json!(false))).await;
    call_server(&world, &shop, looks("gone")).await;
    assert_eq!(seen_by("visitor:gone").await, 0);
    // Impressions before a log-in or a log-out do not belong to the shopper after it.
    call_server(&world, &shop, json!({"visitorId": "shared", "events": [view_event("p1")]})).await;
    call_server(&world, &shop, looks("shared")).await;
    call_server(&world, &shop, tells("shared", "customer_details", json!({"userid": "anna"}))).await;
    assert_eq!((seen_by("visitor:shared").await, seen_by("userid:anna").await), (0, 0));
    call_server(&world, &shop, looks("shared")).await;
    call_server(&world, &shop, tells("shared", "customer_logout", json!([]))).await;
    assert_eq!((seen_by("visitor:shared").await, seen_by("userid:anna").await), (0, 0));
    world.clock.advance(Duration::from_secs(60));
    call_server(&world, &shop, looks("shared")).await;
    assert_eq!((seen_by("visitor:shared").await, seen_by("userid:anna").await), (2, 0));
    // Impressions stored late would belong to the visitor, also those of a logged-in user.
    call_server(&world, &shop, tells("shared", "customer_details", json!({"userid": "anna"}))).await;
    call_server(&world, &shop, looks("shared")).await;
    world.clock.advance(limits::CLOCKS_APART_DURATION + Duration::from_secs(1));
    assert_eq!((seen_by("visitor:shared").await, seen_by("userid:anna").await), (2, 0));
}

async fn a_report_that_cannot_be_is_refused(world: World) {
    let shop = open_shop(&world, 1).await;
    for (asked, reason) in [
        (json!({}), "Report is missing"),
        (json!({"Report": "money"}), "Report has to be zones, search, missed, products, quality or days"),
        (json!({"Report": "zones", "Format": "pdf"}), "Format has to be json or csv"),
        (json!({"Report": "zones", "From": "yesterday"}), "From has to be a day, such as 2026-11-28"),
        (json!({"Report": "zones", "From": "2026-02-30"}), "From has to be a day, such as 2026-11-28"),
        (
            json!({"Report": "zones", "From": "2026-02-03", "Until": "2026-02-02"}),
            "From comes before Until, by up to 400 days",
        ),
        (
            json!({"Report": "zones", "From": "2016-02-03", "Until": "2026-02-02"}),
            "From comes before Until, by up to 400 days",
        ),
        (json!({"Report": "zones", "Size": 0}), "Size has to be 1 to 10000"),
        (json!({"Report": "zones", "With": ["after"]}), "With has to be a list of before, days and missed"),
        (
            json!({"Report": "zones", "From": "2026-01-01", "Until": "2026-07-20", "With": ["before"]}),
            "From comes before Until, by up to 200 days",
        ),
    ] {
        assert_eq!(world.ask(&shop, "/api/report", asked).await.expect_refusal(400), reason);
    }
    let key_alone = world.post("/api/report", &json!({"AccessKey": shop.key, "Report": "zones"})).await;
    assert_eq!(key_alone.expect_refusal(400), "SecretKey is missing");
    let table = world.ask(&shop, "/api/report", json!({"Report": "quality", "Format": "csv"})).await;
    assert_eq!(table.header("content-type"), "text/csv; charset=utf-8");
    assert_eq!(table.text, "Measure,People,Count,WithoutResult,Corrected,Clicks,Orders,Revenue\n");
    assert_eq!(limits::REPORT_ROW_PEOPLE, 5, "as the interface says");
}

async fn a_report_has_so_many_days_and_no_more(world: World) {
    let shop = world.shop("one").await;
    let asked = |until: &str| json!({"Report": "zones", "From": "2026-01-01", "Until": until});
    // 365 days of 2026, and 35 and 36 of the year after.
    assert_eq!(world.ask(&shop, "/api/report", asked("2027-02-04")).await.status, 200);
    world.ask(&shop, "/api/report", asked("2027-02-05")).await.expect_refusal(400);
}
