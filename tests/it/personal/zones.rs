//! Zones of a shop's pages and their content.

use lethe::admission::Tenant;
use lethe::ids::AccountId;
use lethe::limits;
use lethe::work::order_events;
use serde_json::{Value, json};

use crate::support::events::{open_shop, post_events};
use crate::support::plugin::{start_visit, view_event};
use crate::support::world::{World, on_both_engines};
use crate::support::zones::{LEFT_OUT, await_zones, set_campaigns};

on_both_engines! {
    the_usual_zones_are_full_of_items_as_clients_read_them
    zones_are_asked_for_with_commas_between_them
    no_product_stands_in_two_zones_of_a_page
    a_campaign_shows_what_it_says_where_it_says_so
    a_template_of_the_shop_draws_its_zones
    a_zone_that_there_is_not_is_left_out_and_counted
    a_zone_follows_what_its_session_does
    a_page_reads_no_sessions_history
    nobody_sees_the_zones_of_who_was_there_before
    zones_of_a_page_count_as_calls
    a_zone_asks_for_so_many_recommendations
    zones_keep_no_page_waiting
    campaigns_are_set_shown_previewed_and_undone
}

fn ids(zone: &Value) -> Vec<&str> {
    let items = zone["items"].as_array().into_iter().flatten();
    items.map(|item| item["Id"].as_str().expect("an id")).collect()
}

async fn the_usual_zones_are_full_of_items_as_clients_read_them(world: World) {
    let shop = world.shop("one").await;
    let shoe = json!({"Id": "4711", "Sku": "S 1/2", "Title": "Red shoe", "Link": "/red-shoe", "Image": "/red.png",
        "ImageOverlay": "/new.png", "AllImages": ["/red.png", "/red2.png"], "Description": "A <b>shoe</b>",
        "Categories": ["c"], "SearchTags": ["red"], "Brand": "b", "AssociatedIds": ["4712"],
        "AssociatedSkus": ["S 1/2-38"], "Prices": ["10.00 GBP"], "SalePrices": ["7.50 GBP"], "Colour": "red",
        "Attributes": {"Categories": "other", "Price": 1}});
    let feed = json!({"Products": [shoe, {"Id": "it's", "Sku": "two", "Title": "Hat", "Prices": ["3 GBP"]}],
        "Categories": [{"Id": "c", "DisplayName": "Shoes"}], "Brands": [{"Id": "b", "DisplayName": "Acme"}]});
    world.complete_feed(&shop, "/one", &feed).await;
    let page = json!({"events": [{"name": "page_view", "data": {"page_type": "homepage"}}],
        "zones": [{"id": "HP-01"}, "hp-04"], "currency": "GBP"});
    let zones = await_zones(&world, &shop, page).await;
    let keys: Vec<_> = zones.as_object().expect("an object").keys().collect();
    assert_eq!(keys, ["HP-01"], "two products fill one zone");
    let zone = &zones["HP-01"];
    assert_eq!(
        (&zone["type"], &zone["title"]),
        (&json!("recommender-product"), &json!("Recommended for you"))
    );
    let mut items = zone["items"].as_array().expect("items").clone();
    items.sort_by_key(|item| item["Id"].to_string());
    let expected = json!({"Id": "4711", "Sku": "S 1/2", "Title": "Red shoe", "Link": "/red-shoe", "Image": "/red.png",
        "ImageOverlay": "/new.png", "AllImages": ["/red.png", "/red2.png"], "Description": "A <b>shoe</b>",
        "Categories": ["c"], "SearchTags": ["red"], "AssociatedIds": ["4712"], "AssociatedSkus": ["S 1/2-38"],
        "Colour": "red", "Brand": {"Id": "b", "DisplayName": "Acme"}, "InStock": true, "Price": 7.5,
        "Variant": {"Id": "4712", "Sku": "S 1/2-38", "Price": 7.5, "ListPrice": 10.0, "Currency": "GBP", "InStock": true},
        "DisplayPrice": "£7.50", "CurrencySymbol": "£", "WasPrice": 10.0, "DisplayWasPrice": "£10.00",
        "SavingPrice": 2.5, "SavingDisplayPrice": "£2.50", "SavingPercent": 25,
        "RefId": "z.HP-01.for_you.", "clickEvt": "_pc('item_click',{id:'4711',refid:'z.HP-01.for_you.'})"});
    assert_eq!(items[0], expected);
    assert_eq!(items[1]["clickEvt"], "_pc('item_click',{id:'it\\u{27}s',refid:'z.HP-01.for_you.'})");
    assert_eq!((&items[1]["Price"], items[1].get("WasPrice")), (&json!(3.0), None));
}

async fn zones_are_asked_for_with_commas_between_them(world: World) {
    let shop = open_shop(&world, 30).await;
    for asked in [json!(["HP-01, HP-02"]), json!([{"id": "HP-01,HP-02"}])] {
        let zones = await_zones(&world, &shop, json!({"zones": asked})).await;
        let names: Vec<_> = zones.as_object().expect("an object").keys().collect();
        assert_eq!(names, ["HP-01", "HP-02"]);
    }
    world.clock.advance(limits::SEARCH_RULES_DURATION);
    let campaign = json!({"Campaigns": [{"Id": "a", "Zone": "HP-01, HP-02", "Html": "<p>x</p>"}]});
    let refused = world.ask(&shop, "/api/zones/set", campaign).await;
    assert!(refused.expect_refusal(400).contains("a Zone without a comma"), "{}", refused.text);
}

async fn no_product_stands_in_two_zones_of_a_page(world: World) {
    let shop = open_shop(&world, 30).await;
    let page = json!({"events": [view_event("p1")], "zones": [{"id": "PP-01"}, {"id": "PP-03"}, {"id": "PP-04"}],
        "viewed": ["p2", "gone", "no-3"]});
    let zones = await_zones(&world, &shop, page).await;
    let first = ids(&zones["PP-01"]);
    let second = ids(&zones["PP-03"]);
    assert_eq!((first.len(), second.len()), (12, 12));
    assert!(!first.iter().any(|id| second.contains(id)) && !first.contains(&"p1") && !second.contains(&"p1"));
    assert_eq!(ids(&zones["PP-04"]), ["p3", "p2"], "what was looked at is shown wherever else it stands");
}

async fn a_campaign_shows_what_it_says_where_it_says_so(world: World) {
    let shop = open_shop(&world, 5).await;
    let picture = |n: usize| json!({"Src": format!("/{n}.png"), "Alt": "\"Sale\" <1>", "Link": "/sale"});
    let set = set_campaigns(
        &world,
        &shop,
        json!([{"Id": "few", "Zone": "HP-01", "ProductsShown": {"Min": 12}},
        {"Id": "attribute", "Zone": "HP-01", "ProductsShown": {"Filters": {"Attributes": {"Nothing": ["x"]}}}},
        {"Id": "text", "Zone": "HP-01", "Pages": ["homepage"], "Html": "<p>Sale & more</p>"},
        {"Id": "one", "Zone": "HP-02", "Images": [picture(1)]},
        {"Id": "two", "Zone": "HP-03", "Images": [picture(1), picture(2)]},
        {"Id": "none", "Zone": "HP-04", "Empty": true},
        {"Id": "own", "Zone": "Footer", "Title": "Look", "ProductsShown": {"Recommender": "new_arrivals", "Size": 2}}]),
    );
    assert_eq!(set.await, json!({"Version": 1}));
    let zone = |id: &str| json!({ "id": id });
    let all = ["HP-01", "HP-02", "HP-03", "HP-04", "footer"].map(zone);
    let page = json!({"events": [{"name": "page_view", "data": {"page_type": "homepage"}}], "zones": all});
    let shown = await_zones(&world, &shop, page.clone()).await;
    assert_eq!(shown["HP-01"], json!({"type": "html", "html": "<p>Sale & more</p>"}));
    let html = "<a href=\"/sale\"><img src=\"/1.png\" alt=\"&quot;Sale&quot; &lt;1&gt;\"></a>";
    assert_eq!(shown["HP-02"], json!({"type": "staticimage", "html": html}));
    assert_eq!(shown["HP-03"]["type"], "carousel");
    assert!(shown.get("HP-04").is_none());
    assert_eq!((&shown["footer"]["title"], ids(&shown["footer"]).len()), (&json!("Look"), 2));
    // On another page the zone shows its content without a campaign.
    let mut other = page;
    other["events"][0]["data"]["page_type"] = "my_account".into();
    assert_eq!(ids(&await_zones(&world, &shop, other).await["HP-01"]).len(), 5);
}

async fn a_template_of_the_shop_draws_its_zones(world: World) {
    let shop = world.shop("one").await;
    let product = |id: &str, link: &str| json!({"Id": id, "Sku": id, "Title": format!("{id} & \"co\""), "Link": link, "Prices": ["2.00 GBP"]});
    let products =
        [product("a", "https://shop.test/a"), product("b", "/b"), product("c", "java\tscript:alert(1)")];
    world.complete_feed(&shop, "/one", &json!({ "Products": products })).await;
    let draw = "{% for item in items %}<a href=\"{{ item.Link }}\" data-refid=\"{{ item.RefId }}\">{{ item.Title }}</a>{% endfor %}";
    let all = json!({"Id": "all", "Zone": "*", "Template": draw});
    let own = json!({"Id": "own", "Zone": "HP-02", "Title": "Few", "ProductsShown": {"Recommender": "new_arrivals"},
        "Template": "{{ zone }}: {{ title }} {{ items.0.Id }}"});
    let long = json!({"Id": "long", "Zone": "HP-03", "ProductsShown": {"Recommender": "new_arrivals"},
        "Template": "{% for a in items %}".repeat(16) + &"{% endfor %}".repeat(16)});
    set_campaigns(&world, &shop, json!([all, own, long])).await;
    let shown = async |id: &str| await_zones(&world, &shop, json!({"zones": [id]})).await[id].clone();
    let zone = shown("HP-01").await;
    assert_eq!(zone["type"], "recommender-product");
    let html = zone["html"].as_str().expect("html");
    for link in ["https:&#x2f;&#x2f;shop.test&#x2f;a", "&#x2f;b", ""] {
        assert!(html.contains(&format!("<a href=\"{link}\" data-refid=\"z.HP-01.for_you.\">")), "{html}");
    }
    assert!(html.contains(">a &amp; &quot;co&quot;</a>") && !html.contains("alert"), "{html}");
    assert!(shown("HP-02").await["html"].as_str().is_some_and(|html| html.starts_with("HP-02: Few ")));
    let preview = world.ask_json(&shop, "/api/zones/preview", json!({"Zone": "HP-03"})).await;
    assert_eq!(preview["Passed"], json!([{"Campaign": "long", "Why": "its Template takes too many steps"}]));
    assert!(preview["Zone"].get("html").is_none() && preview["Zone"]["items"].is_array());
    // One with a fault is refused, and the list before goes on.
    let wrong = json!({"Id": "all", "Zone": "*", "Template": "<p>\n{{ title"});
    let refused = world.ask(&shop, "/api/zones/set", json!({"Campaigns": [wrong]})).await.expect_refusal(400);
    assert!(refused.contains("line 2, column 1: what begins here never ends"), "{refused}");
    assert!(shown("HP-01").await["html"].is_string());
}

async fn a_zone_that_there_is_not_is_left_out_and_counted(world: World) {
    let shop = open_shop(&world, 2).await;
    await_zones(&world, &shop, json!({"zones": ["HP-01"]})).await;
    world.get("/metrics").await;
    let page = json!({"zones": ["XX-01", {"id": "HP-99", "data": {"product_id": "p1"}}, {"id": ""}, 7]});
    let answer = world.ask_json(&shop, "/api/serverside", page).await;
    assert_eq!(answer["zones"], json!({}));
    assert_eq!(answer["errors"], json!(["a zone was left out: it has no id that can be one"]));
    let counted = world.get("/metrics").await.text;
    assert!(counted.contains("lethe_zones_total{outcome=\"unknown\"} 3"), "{counted}");
    // A shop without products has pages too.
    let empty = world.shop("two").await;
    let answer = world.ask_json(&empty, "/api/serverside", json!({"zones": ["HP-01"]})).await;
    assert_eq!(answer["zones"], json!({}));
}

async fn a_zone_follows_what_its_session_does(world: World) {
    let shop = open_shop(&world, 9).await;
    let mut events = Vec::new();
    for number in 0..20 {
        for id in ["p7", "p8"] {
            events.push(json!({"Name": "product_view", "Product": id, "UserId": format!("a{number}")}));
        }
    }
    post_events(&world, &shop, &events).await;
    let browser = start_visit(&world, &shop).await;
    let ask = |events: Value| json!({"visitorId": browser, "events": events, "zones": ["PP-01", "HP-01"]});
    let mut first = Value::Null;
    // The model has it within a second.
    for _ in 0..100 {
        first = await_zones(&world, &shop, ask(json!([view_event("p7")]))).await;
        if ids(&first["PP-01"]).first() == Some(&"p8") {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    assert_eq!(ids(&first["PP-01"]).first(), Some(&"p8"), "{first}");
    // Products in the basket, and others that go with them, by the call itself.
    let order = |number: usize| {
        let items = if number < 5 { ["p1", "p2"] } else { ["p3", "p4"] };
        json!({"Name": "order", "Order": format!("o-{number}"), "UserId": format!("b{number}"), "Items": items})
    };
    // The best seller is another product.
    post_events(&world, &shop, &(0..15).map(order).collect::<Vec<_>>()).await;
    order_events::record_orders(world.node(), AccountId(1)).await.expect("noted");
    let basket = json!({"name": "set_basket", "data": [{"id": "no-1", "qty": 1}]});
    let ask = json!({"visitorId": browser, "events": [basket], "viewed": ["p5", "p6"], "zones": ["BP-01"]});
    let mut basket = Value::Null;
    for _ in 0..100 {
        basket = await_zones(&world, &shop, ask.clone()).await;
        if ids(&basket["BP-01"]).first() == Some(&"p2") {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    assert_eq!(ids(&basket["BP-01"]).first(), Some(&"p2"), "{basket}");
    assert!(!ids(&basket["BP-01"]).contains(&"p1"));
}

async fn a_page_reads_no_sessions_history(world: World) {
    let shop = open_shop(&world, 9).await;
    let browser = start_visit(&world, &shop).await;
    let told = json!({"visitorId": browser, "events": [view_event("p7"), view_event("p8"), view_event("p9")], "zones": ["AC-03"]});
    let session = world.ask_json(&shop, "/api/serverside", told).await["sessionId"].clone();
    // Also for a visitor who comes back without it.
    let by_secret = json!({"visitorId": browser, "zones": ["AC-03"]});
    let mut own = Value::Null;
    for _ in 0..100 {
        own = await_zones(&world, &shop, by_secret.clone()).await;
        if ids(&own["AC-03"]).len() == 3 {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    assert_eq!(ids(&own["AC-03"]), ["p9", "p8", "p7"]);
    let page =
        json!({"appId": shop.key, "visitorId": browser, "sessionId": session, "zones": ["AC-03", "HP-01"]});
    let answer = world.post("/api/serverside", &page).await.json();
    assert!(answer["zones"].get("AC-03").is_none(), "{answer}");
    assert_eq!(ids(&answer["zones"]["HP-01"]).len(), 9);
    // The page sends what it knows itself.
    let page = json!({"appId": shop.key, "visitorId": browser, "viewed": ["p1", "p2"], "zones": ["AC-03"]});
    let answer = world.post("/api/serverside", &page).await.json();
    assert_eq!(ids(&answer["zones"]["AC-03"]), ["p2", "p1"]);
}

async fn nobody_sees_the_zones_of_who_was_there_before(world: World) {
    let shop = open_shop(&world, 9).await;
    let browser = start_visit(&world, &shop).await;
    let log_in = json!({"name": "customer_details", "data": {"userid": "anna"}});
    let events = json!([log_in, view_event("p7"), view_event("p8")]);
    let told =
        world.ask_json(&shop, "/api/serverside", json!({"visitorId": browser, "events": events})).await;
    let session = told["sessionId"].clone();
    let ask = json!({"visitorId": browser, "sessionId": session, "zones": ["AC-03"]});
    let mut own = Value::Null;
    for _ in 0..100 {
        own = await_zones(&world, &shop, ask.clone()).await;
        if ids(&own["AC-03"]).len() == 2 {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    assert_eq!(ids(&own["AC-03"]), ["p8", "p7"]);
    let log_out = json!([view_event("p9"), {"name": "customer_logout", "data": []}]);
    let mut out = ask.clone();
    out["events"] = log_out;
    let answer = world.ask_json(&shop, "/api/serverside", out).await;
    assert!(answer["zones"].get("AC-03").is_none(), "{answer}");
    assert_ne!(answer["sessionId"], session);
    assert_eq!(await_zones(&world, &shop, ask).await, json!({}), "whatever session is sent");
}

async fn a_zone_asks_for_so_many_recommendations(world: World) {
    let shop = open_shop(&world, 3).await;
    let campaign = |number: usize| json!({"Id": format!("c{number}"), "Zone": "HP-01", "ProductsShown": {"Size": 50, "Min": 50}});
    let campaigns: Vec<_> = (0..20).map(campaign).collect();
    set_campaigns(&world, &shop, json!(campaigns)).await;
    let preview = world.ask_json(&shop, "/api/zones/preview", json!({"Zone": "HP-01"})).await;
    let passed = preview["Passed"].as_array().expect("a list");
    assert_eq!(
        (passed.len(), &preview["Zone"]),
        (limits::ZONE_CAMPAIGNS_TRIED + 1, &Value::Null),
        "{preview}"
    );
}

async fn zones_keep_no_page_waiting(world: World) {
    let shop = open_shop(&world, 3).await;
    await_zones(&world, &shop, json!({"zones": ["HP-01"]})).await;
    let searches = world.node().resources.searches.clone();
    let all = searches.acquire(
        Tenant::Account(AccountId(1)),
        limits::SEARCHES_OF_ACCOUNT,
        limits::SEARCH_WAIT_DURATION,
    );
    let _held = all.await.expect("they are free");
    let asking =
        world.ask_json(&shop, "/api/serverside", json!({"events": [view_event("p1")], "zones": ["HP-01"]}));
    let sooner = limits::SEARCH_WAIT_DURATION * 19 / 20;
    let answer = tokio::time::timeout(sooner, asking).await.expect("it waits no longer");
    assert_eq!((&answer["zones"], &answer["errors"]), (&json!({}), &json!([LEFT_OUT])));
}

async fn zones_of_a_page_count_as_calls(world: World) {
    let shop = open_shop(&world, 1).await;
    let all: Vec<_> = (0..limits::SERVERSIDE_ZONES).map(|number| format!("XX-{number}")).collect();
    let page = json!({"appId": shop.key, "zones": all});
    let mut calls = 0;
    while world.post("/api/serverside", &page).await.status == 200 {
        calls += 1;
        assert!(calls < 100, "{calls} calls of 50 zones");
    }
    assert!(calls >= 10, "{calls}");
}

async fn campaigns_are_set_shown_previewed_and_undone(world: World) {
    let shop = open_shop(&world, 5).await;
    let other = world.shop("two").await;
    let sale = json!([{"Id": "sale", "Zone": "HP-01", "Html": "<p>Sale</p>"}]);
    assert_eq!(set_campaigns(&world, &shop, sale.clone()).await["Version"], 1);
    assert_eq!(
        world.ask_json(&shop, "/api/zones", json!({})).await,
        json!({"Version": 1, "Campaigns": sale})
    );
    assert_eq!(world.ask_json(&other, "/api/zones", json!({})).await, json!({"Version": 0, "Campaigns": []}));
    // An editor who has not seen the last change changes nothing.
    world.clock.advance(limits::SEARCH_RULES_DURATION);
    let unseen = json!({"Campaigns": [], "Before": 0});
    assert_eq!(world.ask(&shop, "/api/zones/set", unseen).await.status, 409);
    let wrong =
        world.ask(&shop, "/api/zones/set", json!({"Campaigns": [{"Id": "a", "Zone": "HP-01"}]})).await;
    assert_eq!(wrong.status, 400);
    assert!(wrong.text.contains("campaign 1 (a) needs one of"), "{}", wrong.text);
    // A preview says what would stand there, and changes nothing.
    let few = json!({"Id": "few", "Zone": "HP-01", "ProductsShown": {"Min": 9}});
    let trying = json!({"Zone": "HP-01", "Page": "homepage", "Campaigns": [few, {"Id": "b", "Zone": "HP-01", "Share": 50, "Html": "b"}]});
    let preview = world.ask_json(&shop, "/api/zones/preview", trying.clone()).await;
    let passed = json!([{"Campaign": "few", "Why": "there are no products, or fewer than its Min"}]);
    assert_eq!((&preview["Campaign"], &preview["Passed"]), (&json!("b"), &passed));
    assert_eq!(preview["Zone"]["html"], "b");
    let mut control = trying;
    control["Group"] = 50.into();
    assert_eq!(ids(&world.ask_json(&shop, "/api/zones/preview", control).await["Zone"]).len(), 5);
    let now = world.ask_json(&shop, "/api/zones/preview", json!({"Zone": "HP-01"})).await;
    assert_eq!((&now["Campaign"], &now["Zone"]["html"]), (&json!("sale"), &json!("<p>Sale</p>")));
    let open = json!({"AppKey": shop.key, "Zone": "HP-01"});
    assert_eq!(world.post("/api/zones/preview", &open).await.status, 403);
    world.clock.advance(limits::SEARCH_RULES_DURATION);
    assert_eq!(world.ask_json(&shop, "/api/zones/undo", json!({})).await["Version"], 2);
    assert_eq!(world.ask_json(&shop, "/api/zones", json!({})).await["Campaigns"], json!([]));
    let unknown = world.ask(&shop, "/api/zones", json!({"Version": 9})).await.expect_refusal(404);
    assert!(unknown.contains("`lethe zones history`"), "{unknown}");
    let history = world.ask_json(&shop, "/api/zones/history", json!({})).await;
    assert_eq!((&history[0]["Restored"], &history[1]["Count"]), (&json!(0), &json!(1)));
    let many = json!({"Zone": "HP-01", "Viewed": vec!["p1"; limits::RECOMMEND_IDS + 1]});
    world.ask(&shop, "/api/zones/preview", many).await.expect_refusal(400);
    // Rules are another list.
    assert_eq!(world.ask_json(&shop, "/api/rules/history", json!({})).await, json!([]));
}
