//! Rules of a shop's search: set, shown, previewed and undone.

use lethe::limits;
use serde_json::{Value, json};

use crate::support::world::{Shop, World, on_both_engines};

on_both_engines! {
    rules_change_what_is_found_and_an_undo_brings_the_same_answer_back
    who_has_not_seen_the_last_change_changes_nothing
    rules_that_name_what_the_shop_does_not_show_are_kept_and_told
    what_many_rules_name_is_looked_up_to_the_last
    a_preview_shows_both_answers_and_changes_nothing
    the_rules_of_one_shop_say_nothing_to_another
    rules_that_cannot_be_are_refused_and_those_before_go_on
    rules_go_on_after_a_restart
    the_newest_lists_of_rules_are_kept
    rules_change_once_in_a_while
    each_part_of_a_rule_that_names_what_is_not_shown_is_told
    lists_of_two_kinds_are_paused_and_kept_apart
}

async fn shop(world: &World, name: &str) -> Shop {
    let shop = world.shop(name).await;
    let products: Vec<_> = (10..30)
        .map(|n| json!({"Id": n.to_string(), "Title": "Red shoe", "Brand": "acme", "Categories": ["c"], "Prices": ["10 GBP"]}))
        .collect();
    let feed = json!({"Products": products, "Categories": [{"Id": "c", "DisplayName": "Shoes"}]});
    world.complete_feed(&shop, &format!("/{name}"), &feed).await;
    shop
}

/// An answer without what tells one answer from the next.
async fn search(world: &World, shop: &Shop, query: &str) -> Value {
    let asked = json!({"AppKey": shop.key, "Query": query, "Facets": ["Brand"]});
    let reply = world.post("/api/search", &asked).await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    let mut found = reply.json();
    found["RefId"] = Value::Null;
    found["TookMicros"] = Value::Null;
    found
}

fn first(found: &Value) -> &Value {
    &found["Items"][0]["Id"]
}

async fn set_rules(world: &World, shop: &Shop, rules: Value) -> Value {
    world.clock.advance(limits::SEARCH_RULES_DURATION);
    world.ask_json(shop, "/api/rules/set", json!({ "Rules": rules })).await
}

async fn rules_change_what_is_found_and_an_undo_brings_the_same_answer_back(world: World) {
    let shop = shop(&world, "one").await;
    let before = search(&world, &shop, "red shoe").await;
    let rules = json!([
        {"Id": "front", "Query": "shoes", "Pin": ["17"], "Banner": "New in", "Redirect": "/shoes"},
        {"Id": "gone", "Hide": {"Ids": ["10"]}},
    ]);
    assert_eq!(set_rules(&world, &shop, rules.clone()).await, json!({"Version": 1, "Warnings": []}));
    let after = search(&world, &shop, "red shoe").await;
    assert_eq!(first(&after), "17");
    assert_eq!((&after["Total"], &after["Facets"]["Brand"][0]["Count"]), (&json!(19), &json!(19)));
    assert_eq!((&after["Banners"], &after["Redirect"]), (&json!(["New in"]), &json!("/shoes")));
    let completed = json!({"AppKey": shop.key, "Query": "red sh"});
    let completed = world.post("/api/autocomplete", &completed).await.json();
    assert!(!completed["Products"].as_array().expect("products").iter().any(|product| product["Id"] == "10"));

    world.clock.advance(limits::SEARCH_RULES_DURATION);
    assert_eq!(world.ask_json(&shop, "/api/rules/undo", json!({})).await["Version"], 2);
    assert_eq!(search(&world, &shop, "red shoe").await, before);
    world.clock.advance(limits::SEARCH_RULES_DURATION);
    assert_eq!(world.ask_json(&shop, "/api/rules/undo", json!({"Version": 1})).await["Version"], 3);
    assert_eq!(search(&world, &shop, "red shoe").await, after);
    let history = world.ask_json(&shop, "/api/rules/history", json!({})).await;
    let told: Vec<_> = history.as_array().expect("a list").iter().map(|kept| &kept["Restored"]).collect();
    assert_eq!(told, [&json!(1), &json!(0), &Value::Null]);
    assert_eq!((&history[0]["Count"], &history[1]["Count"]), (&json!(2), &json!(0)));
    assert_eq!(world.ask_json(&shop, "/api/rules", json!({"Version": 1})).await["Rules"], rules);
    assert_eq!(world.ask_json(&shop, "/api/rules", json!({"Version": 2})).await["Rules"], json!([]));
    assert_eq!(world.ask(&shop, "/api/rules", json!({"Version": 9})).await.status, 404);
    world.clock.advance(limits::SEARCH_RULES_DURATION);
    let unknown = world.ask(&shop, "/api/rules/undo", json!({"Version": 9})).await;
    assert_eq!(unknown.status, 404, "{}", unknown.text);
}

async fn who_has_not_seen_the_last_change_changes_nothing(world: World) {
    let shop = shop(&world, "one").await;
    let now = world.ask_json(&shop, "/api/rules", json!({})).await;
    assert_eq!(now, json!({"Version": 0, "Rules": []}));
    set_rules(&world, &shop, json!([{"Id": "theirs", "Banner": "x"}])).await;
    world.clock.advance(limits::SEARCH_RULES_DURATION);
    let mine = json!({"Rules": [{"Id": "mine", "Banner": "y"}], "Before": now["Version"]});
    let refused = world.ask(&shop, "/api/rules/set", mine).await;
    assert_eq!(refused.status, 409, "{}", refused.text);
    let now = world.ask_json(&shop, "/api/rules", json!({})).await;
    assert_eq!(now, json!({"Version": 1, "Rules": [{"Id": "theirs", "Banner": "x"}]}));
}

async fn rules_that_name_what_the_shop_does_not_show_are_kept_and_told(world: World) {
    let shop = shop(&world, "one").await;
    let rules = json!([{"Id": "a", "Category": "x", "Banner": "x"}, {"Id": "b", "Pin": ["new", "11"]}]);
    let told = set_rules(&world, &shop, rules).await["Warnings"].clone();
    assert_eq!(told[0], "rule b: the shop shows no product new now; it counts when it comes", "{told}");
    assert_eq!(told[1], "rule a: the shop shows no category x now; it counts when it comes", "{told}");
    assert_eq!(first(&search(&world, &shop, "red shoe").await), "11");
    world
        .apply_delta(&shop, json!({"Products": [{"Id": "new", "Title": "Bag", "Prices": ["10 GBP"]}]}))
        .await;
    assert_eq!(first(&search(&world, &shop, "red shoe").await), "new");
}

async fn what_many_rules_name_is_looked_up_to_the_last(world: World) {
    let shop = shop(&world, "one").await;
    let rule = |n: usize| json!({"Id": format!("r{n}"), "Pin": [format!("gone-{n}"), "11"]});
    let rules: Vec<_> = (0..60).map(rule).collect();
    let told = set_rules(&world, &shop, json!(rules)).await["Warnings"].clone();
    assert_eq!(told.as_array().map(Vec::len), Some(60), "{told}");
}

async fn a_preview_shows_both_answers_and_changes_nothing(world: World) {
    let shop = shop(&world, "one").await;
    let asked = json!({"Rules": [{"Id": "a", "Pin": ["20"]}], "Query": "red shoe", "Size": 1});
    let both = world.ask_json(&shop, "/api/rules/preview", asked.clone()).await;
    assert_eq!((first(&both["Before"]), first(&both["After"])), (&json!("10"), &json!("20")));
    assert_eq!(first(&search(&world, &shop, "red shoe").await), "10");
    let mut without = asked;
    without["AppKey"] = shop.key.clone().into();
    let refused = world.post("/api/rules/preview", &without).await;
    assert_eq!(refused.status, 403, "{}", refused.text);
}

async fn the_rules_of_one_shop_say_nothing_to_another(world: World) {
    let one = shop(&world, "one").await;
    let two = shop(&world, "two").await;
    set_rules(&world, &one, json!([{"Id": "a", "Hide": {"Brand": ["acme"]}}])).await;
    assert_eq!(search(&world, &one, "red shoe").await["Total"], 0);
    assert_eq!(search(&world, &two, "red shoe").await["Total"], 20);
    assert_eq!(world.ask_json(&two, "/api/rules", json!({})).await["Version"], 0);
}

async fn rules_that_cannot_be_are_refused_and_those_before_go_on(world: World) {
    let shop = shop(&world, "one").await;
    set_rules(&world, &shop, json!([{"Id": "a", "Pin": ["20"]}])).await;
    for (rules, sentence) in [
        (json!([{"Id": "b", "Redirect": "https://elsewhere.example/"}]), "Rules: rule 1 (b) redirects"),
        (json!([{"Id": "b", "Banner": "ada@example.com"}]), "Rules: rule 1 (b) holds an email address"),
        (json!({"Id": "b"}), "Rules has to be a list of rules"),
        (
            json!([{"Id": "b", "Hide": {"Ids": ["\u{0}"]}}]),
            "Rules: rule 1 (b) has a text with a control character",
        ),
        (
            json!([{"Id": "b", "Hide": {"Category": ["a", "\n"]}}]),
            "Rules: rule 1 (b) has a text with a control",
        ),
    ] {
        let refused = world.ask(&shop, "/api/rules/set", json!({ "Rules": rules })).await;
        assert_eq!(refused.status, 400, "{}", refused.text);
        assert!(refused.text.contains(sentence), "{}", refused.text);
    }
    assert_eq!(first(&search(&world, &shop, "red shoe").await), "20");
}

async fn rules_go_on_after_a_restart(mut world: World) {
    let shop = shop(&world, "one").await;
    set_rules(&world, &shop, json!([{"Id": "a", "Pin": ["20"]}])).await;
    world.restart().await;
    assert_eq!(first(&search(&world, &shop, "red shoe").await), "20");
}

async fn the_newest_lists_of_rules_are_kept(world: World) {
    let shop = shop(&world, "one").await;
    for n in 1..=52 {
        set_rules(&world, &shop, json!([{"Id": n.to_string(), "Banner": "x"}])).await;
    }
    let history = world.ask_json(&shop, "/api/rules/history", json!({})).await;
    let versions: Vec<_> = history.as_array().expect("a list").iter().map(|kept| &kept["Version"]).collect();
    assert_eq!((versions.len(), versions[0], versions[49]), (50, &json!(52), &json!(3)));
}

async fn rules_change_once_in_a_while(world: World) {
    let shop = shop(&world, "one").await;
    set_rules(&world, &shop, json!([])).await;
    for (path, asked) in [("/api/rules/set", json!({"Rules": []})), ("/api/rules/undo", json!({}))] {
        let refused = world.ask(&shop, path, asked).await;
        assert_eq!(refused.status, 429, "{}", refused.text);
    }
    // Another shop is not held up by it.
    let other = world.shop("two").await;
    assert_eq!(world.ask(&other, "/api/rules/set", json!({"Rules": []})).await.status, 200);
}

async fn each_part_of_a_rule_that_names_what_is_not_shown_is_told(world: World) {
    let shop = shop(&world, "one").await;
    let parts = ["Boost", "Bury", "Hide", "Filter"];
    let rule = |part: &str, name: &str| json!({"Id": format!("{part}-{name}"), part: {name: [format!("no-{part}"), "11", "c"]}});
    let rules: Vec<_> = parts.iter().flat_map(|part| [rule(part, "Ids"), rule(part, "Category")]).collect();
    let told = set_rules(&world, &shop, json!(rules)).await["Warnings"].clone();
    let told: Vec<_> = told.as_array().expect("a list").iter().filter_map(Value::as_str).collect();
    for part in parts {
        for (name, kind) in [("Ids", "product"), ("Category", "category")] {
            let sentence = format!("rule {part}-{name}: the shop shows no {kind} no-{part} now");
            assert!(told.iter().any(|told| told.starts_with(&sentence)), "{sentence}: {told:?}");
        }
    }
    // "c" is no product, and "11" no category.
    assert_eq!(told.len(), 4 * 4, "{told:?}");
}

async fn lists_of_two_kinds_are_paused_and_kept_apart(world: World) {
    let shop = world.shop("one").await;
    for (path, name) in [("/api/rules/set", "Rules"), ("/api/zones/set", "Campaigns")] {
        for wrong in [json!({}), json!({name: {}}), json!({name: [], "Before": "x"})] {
            let refused = world.ask(&shop, path, wrong).await.expect_refusal(400);
            assert!(refused.starts_with(name) || refused.starts_with("Before"), "{refused}");
        }
    }
    let none = world.ask(&shop, "/api/rules/undo", json!({})).await;
    assert!(none.expect_refusal(404).contains("`lethe rules history`"), "{}", none.text);
    set_rules(&world, &shop, json!([{"Id": "a", "Banner": "x"}])).await;
    let campaigns = json!({"Campaigns": [{"Id": "sale", "Zone": "HP-01", "Html": "x"}]});
    assert_eq!(world.ask_json(&shop, "/api/zones/set", campaigns).await["Version"], 1, "at the same moment");
    let set = async || world.ask(&shop, "/api/rules/set", json!({"Rules": []})).await.status;
    let pause = i64::try_from(limits::SEARCH_RULES_DURATION.as_millis()).expect("short");
    world.clock.jump(pause - 1);
    assert_eq!(set().await, 429);
    world.clock.jump(1);
    assert_eq!(set().await, 200);
    // A clock that was ahead keeps nobody out.
    world.clock.jump(-1);
    assert_eq!(set().await, 200);
    world.clock.jump(pause);
    for version in 4..=limits::SEARCH_RULE_VERSIONS + 3 {
        assert_eq!(set().await, 200, "{version}");
        world.clock.jump(pause);
    }
    let history = world.ask_json(&shop, "/api/rules/history", json!({})).await;
    assert_eq!(history.as_array().map(Vec::len), Some(50));
    assert_eq!(world.ask(&shop, "/api/rules", json!({"Version": 3})).await.status, 404);
    for path in ["/api/rules", "/api/zones"] {
        let empty = world.ask_json(&shop, path, json!({"Version": 0})).await;
        assert_eq!(
            (&empty["Version"], empty.get("Rules").or(empty.get("Campaigns"))),
            (&json!(0), Some(&json!([])))
        );
    }
    assert_eq!(
        world.ask_json(&shop, "/api/zones", json!({"Version": 1})).await["Campaigns"][0]["Id"],
        "sale"
    );
}
