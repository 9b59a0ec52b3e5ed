//! Explains a product's present state: everything that touched it, newest first, with its rows and their issues.

use serde_json::{Value, json};

use crate::support::feed_server::Answer;
use crate::support::world::{Shop, World, on_both_engines};

on_both_engines! {
    feeds_and_deltas_that_touched_a_product_are_told_newest_first
    a_product_that_is_gone_is_explained_as_long_as_something_tells_of_it
    a_sku_leads_to_the_product_also_when_it_is_gone
    the_issues_of_the_row_are_told_and_no_others
    a_product_that_only_a_delta_brought_has_no_feed
    no_account_is_in_any_answer
    what_nobody_knows_is_not_found
}

async fn why(world: &World, shop: &Shop, key: &str) -> Value {
    world.ask_json(shop, "/api/product/why", json!({"Id": key})).await
}

/// `[Kind, What, RowNumber]` of each entry.
fn summarize_why(why: &Value) -> Value {
    let entries = why["Timeline"].as_array().expect("a timeline").iter();
    entries.map(|entry| json!([entry["Kind"], entry["What"], entry["RowNumber"]])).collect()
}

/// Sends a delta whose sections stand as they are; gives its token.
async fn send_delta(world: &World, shop: &Shop, sections: &str) -> String {
    let body = format!(r#"{{"AccessKey":"{}","SecretKey":"{}",{sections}}}"#, shop.key, shop.secret);
    let reply = world.post_bytes("/api/delta", body).await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    world.run_all_jobs().await;
    reply.json()["Token"].as_str().expect("a token").to_owned()
}

async fn feeds_and_deltas_that_touched_a_product_are_told_newest_first(world: World) {
    let shop = world.shop("one").await;
    let url = world.feeds.serve("/a", [Answer::ok(r#"{"Products":[{"Id":"0"},{"Id":"1","Title":"A"}]}"#)]);
    let feed = world.feed(&shop, &url).await;
    world.run_all_jobs().await;
    let found = why(&world, &shop, "1").await;
    assert_eq!(
        (&found["Id"], &found["Section"], &found["Item"]["Title"]),
        (&"1".into(), &"Products".into(), &"A".into())
    );
    assert_eq!(summarize_why(&found), json!([["feed", "holds", 2]]));
    let entry = &found["Timeline"][0];
    assert_eq!((&entry["Token"], &entry["Number"]), (&feed.as_str().into(), &1.into()));
    assert_eq!(
        (&entry["IsBase"], &entry["IsAsShown"], &entry["Row"]),
        (&true.into(), &true.into(), &found["Item"])
    );
    assert_eq!((entry["AcceptedAt"].is_i64(), entry["PublishedAt"].is_i64()), (true, true));

    let raw = r#"{ "id": 1 ,"Title" : "B" }"#;
    let delta = send_delta(&world, &shop, &format!(r#""Products":[{{"Id":"x"}}, {raw}]"#)).await;
    send_delta(&world, &shop, r#""SetCategoryOnProducts":[{"CategoryId":"c1","ProductIds":["1"]}]"#).await;
    let found = why(&world, &shop, "1").await;
    assert_eq!(
        summarize_why(&found),
        json!([["delta", "join", 1], ["delta", "put", 2], ["feed", "holds", 2]])
    );
    let [join, put, feed] = [0, 1, 2].map(|at| &found["Timeline"][at]);
    assert_eq!((&join["SentIn"], &join["Row"]), (&"SetCategoryOnProducts".into(), &json!(["c1"])));
    assert_eq!((&put["Token"], &put["Raw"]), (&delta.as_str().into(), &raw.into()), "byte for byte");
    assert_eq!((&put["Row"]["Id"], &put["Row"]["Title"]), (&"1".into(), &"B".into()), "the normal form");
    assert_eq!((&feed["IsBase"], &feed["IsAsShown"]), (&true.into(), &false.into()));

    world.complete_feed(&shop, "/b", &json!({"Products": [{"Id": "1", "Title": "C"}]})).await;
    let found = why(&world, &shop, "1").await;
    assert_eq!(
        summarize_why(&found),
        json!([["feed", "holds", 1], ["feed", "holds", 2]]),
        "the feed replaced the deltas"
    );
    assert_eq!((&found["Item"]["Title"], &found["Timeline"][1]["Row"]["Title"]), (&"C".into(), &"A".into()));
    assert_eq!(found["Timeline"][1]["IsBase"], false);
}

async fn a_product_that_is_gone_is_explained_as_long_as_something_tells_of_it(world: World) {
    let shop = world.shop("one").await;
    world.complete_feed(&shop, "/0", &json!({"Products": [{"Id": "1", "Title": "A"}, {"Id": "2"}]})).await;
    send_delta(&world, &shop, r#""DeleteProducts":["x","1"]"#).await;
    let found = why(&world, &shop, "1").await;
    assert!(found["Item"].is_null());
    assert_eq!(summarize_why(&found), json!([["delta", "delete", 2], ["feed", "holds", 1]]));
    assert_eq!(found["Timeline"][0]["SentIn"], "DeleteProducts");
    for n in 1..lethe::limits::SNAPSHOTS_KEPT {
        world.complete_feed(&shop, &format!("/{n}"), &json!({"Products": [{"Id": "2", "Title": n}]})).await;
    }
    let found = why(&world, &shop, "1").await;
    assert!(found["Item"].is_null());
    assert_eq!(
        summarize_why(&found),
        json!([["feed", "lacks", null], ["feed", "lacks", null], ["feed", "holds", 1]])
    );
    assert_eq!(
        (&found["Timeline"][0]["IsBase"], &found["Timeline"][0]["IsAsShown"]),
        (&true.into(), &true.into())
    );
    world.complete_feed(&shop, "/last", &json!({"Products": [{"Id": "2", "Title": "last"}]})).await;
    world.ask(&shop, "/api/product/why", json!({"Id": "1"})).await.expect_refusal(404);
}

async fn a_sku_leads_to_the_product_also_when_it_is_gone(world: World) {
    let shop = world.shop("one").await;
    // Removed by a SKU before anybody knew whose it is.
    let url = world.feeds.serve(
        "/f",
        [Answer::ok(r#"{"Products":[{"Id":"1","Sku":"s1"},{"Id":"9","Sku":"s9"},{"Id":"5","Sku":"s5"}]}"#)],
    );
    world.feed(&shop, &url).await;
    world.delta(&shop, json!({"DeleteProducts": ["s9"]})).await;
    world.run_jobs(lethe::jobs::Lane::DELTA).await;
    world.run_all_jobs().await;
    assert_eq!(why(&world, &shop, "s1").await["Id"], "1");
    let found = why(&world, &shop, "9").await;
    assert!(found["Item"].is_null(), "{found}");
    assert_eq!(summarize_why(&found), json!([["delta", "delete", 1], ["feed", "holds", 2]]));
    send_delta(&world, &shop, r#""DeleteProducts":["s1"]"#).await;
    let found = why(&world, &shop, "s1").await;
    assert_eq!((&found["Id"], &found["Item"]), (&"1".into(), &Value::Null));
    assert_eq!(summarize_why(&found), json!([["delta", "delete", 1], ["feed", "holds", 1]]));
    // One that came by a delta and went by a delta.
    send_delta(&world, &shop, r#""Products":[{"Id":"7","Sku":"s7"}]"#).await;
    assert_eq!(why(&world, &shop, "s7").await["Id"], "7");
    send_delta(&world, &shop, r#""DeleteProducts":["s7"]"#).await;
    let found = why(&world, &shop, "s7").await;
    assert_eq!(
        (&found["Id"], summarize_why(&found)[0].clone()),
        (&"7".into(), json!(["delta", "delete", 1]))
    );
    // One that the newest feed lacks.
    world.complete_feed(&shop, "/g", &json!({"Products": [{"Id": "2"}]})).await;
    assert_eq!(why(&world, &shop, "s5").await["Id"], "5");
}

async fn the_issues_of_the_row_are_told_and_no_others(world: World) {
    let shop = world.shop("one").await;
    let mut products = vec![json!({"Title": "no id"}), json!({"Id": "1"})];
    products.extend(
        (2..20).map(|n| json!({"Id": n, "Title": "T", "Url": "http://s.test/", "Image": "http://s.test/i"})),
    );
    world.complete_feed(&shop, "/f", &json!({"Products": products})).await;
    let found = why(&world, &shop, "1").await;
    let entry = &found["Timeline"][0];
    assert_eq!(entry["RowNumber"], 2, "the bad row before it counts");
    let issues = entry["Issues"].as_array().expect("issues");
    assert!(issues.iter().any(|issue| issue["Code"] == "title_missing"), "{entry}");
    assert!(issues.iter().all(|issue| issue["Row"] == 2 && issue["Advice"].is_string()), "{entry}");
    send_delta(&world, &shop, r#""DeleteProducts":[{}],"Products":[{"Id":"1","Title":"T"},{"Id":"2"}]"#)
        .await;
    let issues_of = |found: &Value| {
        let issues = found["Timeline"][0]["Issues"].as_array().expect("issues").clone();
        issues.iter().map(|issue| issue["Code"].as_str().expect("a code").to_owned()).collect::<Vec<_>>()
    };
    let one = why(&world, &shop, "1").await;
    let two = why(&world, &shop, "2").await;
    assert!(!issues_of(&one).contains(&"title_missing".to_owned()), "{one}");
    assert!(issues_of(&two).contains(&"title_missing".to_owned()), "{two}");
}

async fn a_product_that_only_a_delta_brought_has_no_feed(world: World) {
    let shop = world.shop("one").await;
    send_delta(&world, &shop, r#""Products":[{"Id":"1","Title":"A"}]"#).await;
    assert_eq!(summarize_why(&why(&world, &shop, "1").await), json!([["delta", "put", 1]]));
    world.complete_feed(&shop, "/f", &json!({"Products": [{"Id": "2"}]})).await;
    world.ask(&shop, "/api/product/why", json!({"Id": "1"})).await.expect_refusal(404);
    send_delta(&world, &shop, r#""Products":[{"Id":"1","Title":"A"}]"#).await;
    assert_eq!(
        summarize_why(&why(&world, &shop, "1").await),
        json!([["delta", "put", 1], ["feed", "lacks", null]])
    );
    // The rows as sent go with the next feed: they are not shown later.
    let count = "SELECT count(*) AS counted FROM change WHERE raw IS NOT NULL";
    world.complete_feed(&shop, "/g", &json!({"Products": [{"Id": "3"}]})).await;
    let count = crate::support::world::statement("raw", count);
    let left = world.node().store.read(move |tx| tx.row(&count, lethe::args![])).await.expect("a count");
    assert_eq!(left.expect("a row").int("counted").expect("a number"), 0);
}

async fn no_account_is_in_any_answer(world: World) {
    let shop = world.shop("one").await;
    let product = r#"{"Id":"1","Title":"A","AccountInclusions":["canary-1"],"AccountPrices":{"canary-2":{"Prices":["1 GBP"]}}}"#;
    let price = r#"{"AccountId":"canary-3","Id":"1","Prices":["1 GBP"]}"#;
    world
        .complete_feed(
            &shop,
            "/f",
            &serde_json::from_str(&format!(r#"{{"Products":[{product}],"AccountPrices":[{price}]}}"#))
                .expect("JSON"),
        )
        .await;
    send_delta(&world, &shop, &format!(r#""Products":[{product}],"AccountPrices":[{price}]"#)).await;
    let found = why(&world, &shop, "1").await;
    assert!(found["Timeline"][0]["Raw"].is_null(), "{found}");
    let listed = world.ask_json(&shop, "/api/catalogue", json!({"Section": "AccountPrices"})).await;
    let key = listed["Items"][0]["Id"].as_str().expect("an item").to_owned();
    let body = json!({"Id": key, "Section": "AccountPrices"});
    let price = world.ask_json(&shop, "/api/product/why", body).await;
    assert_eq!(summarize_why(&price), json!([["delta", "put", 1], ["feed", "holds", 1]]));
    for text in [found.to_string(), price.to_string()] {
        assert!(!text.contains("canary"), "{text}");
    }
}

async fn what_nobody_knows_is_not_found(world: World) {
    let shop = world.shop("one").await;
    let other = world.shop("other").await;
    world.complete_feed(&other, "/f", &json!({"Products": [{"Id": "1"}]})).await;
    let path = "/api/product/why";
    for key in ["1", "", "nothing"] {
        world.ask(&shop, path, json!({"Id": key})).await.expect_refusal(404);
    }
    world.ask(&other, path, json!({"Id": "1", "Section": "Users"})).await.expect_refusal(400);
    world.ask(&other, path, json!({"Id": "1", "Section": "Brands"})).await.expect_refusal(404);
    let stranger = Shop { secret: shop.secret.clone(), ..other.clone() };
    world.ask(&stranger, path, json!({"Id": "1"})).await.expect_refusal(403);
}
