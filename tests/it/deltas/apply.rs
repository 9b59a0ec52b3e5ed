//! Deltas: applied in the order of acceptance, good rows in spite of bad ones.

use serde_json::{Value, json};

use lethe::args;
use lethe::store::{Statement, StoreFault};

use crate::support::world::{Shop, World, on_both_engines, statement};

const CHANGES: Statement = statement("changes", "SELECT count(*) AS counted FROM change");

on_both_engines! {
    deltas_apply_in_the_order_they_were_accepted
    bad_rows_are_named_and_good_ones_applied
    a_product_in_a_delta_replaces_the_whole_product
    a_product_is_deleted_by_id_by_sku_and_unknown_ones_do_not_matter
    a_removal_by_sku_holds_for_a_feed_submitted_before_it
    a_removal_by_sku_goes_by_the_sku_that_a_delta_gave
    products_join_and_leave_categories
    a_key_means_what_deltas_before_it_put
    a_key_means_what_the_rows_before_it_put
    a_stop_ends_a_large_delta_between_two_slices_and_it_goes_on_at_the_next_start
    what_a_unit_replaces_itself_leaves_nothing
    account_prices_come_and_go_and_the_account_is_never_stored
    a_large_delta_is_applied_in_slices
    a_delta_of_very_many_memberships_has_bad_rows
    a_delta_that_takes_long_is_applied_whole
    an_empty_delta_is_applied
    rows_that_are_none_are_skipped_in_silence
    a_row_that_cannot_be_stored_stops_nothing_behind_it
    a_payload_is_gone_once_it_is_applied
    users_are_stored_and_deleting_them_suppresses_nobody
    the_same_delta_twice_changes_nothing_more
    deltas_survive_a_restart
}

async fn deltas_apply_in_the_order_they_were_accepted(world: World) {
    let shop = world.shop("one").await;
    for n in 0..40 {
        world.delta(&shop, json!({"Products": [{"Id": "1", "Title": format!("Title {n}")}]})).await;
        world.delta(&shop, json!({"DeleteProducts": ["1"]})).await;
    }
    world.delta(&shop, json!({"Products": [{"Id": "1", "Title": "Last"}], "Users": [{"UserId": "7"}]})).await;
    world.delta(&shop, json!({"DeleteUsers": ["7"]})).await;
    world.run_all_jobs().await;
    assert_eq!((world.title(&shop, "1").await, world.subjects(&shop).await), (json!("Last"), 0));
    assert_eq!(world.count(&shop, "Products").await, 1);
}

async fn a_key_means_what_deltas_before_it_put(world: World) {
    let shop = world.shop("one").await;
    for delta in [
        json!({"Products": [{"Id": "1", "Sku": "S", "Title": "old"}]}),
        json!({"SetCategoryOnProducts": [{"CategoryId": "a", "ProductIds": ["S"]}]}),
        json!({"Products": [{"Id": "1", "Sku": "T", "Title": "new"}]}),
        json!({"SetCategoryOnProducts": [{"CategoryId": "b", "ProductIds": ["T"]}]}),
    ] {
        world.delta(&shop, delta).await;
    }
    world.run_all_jobs().await;
    let shown = world.item(&shop, "Products", "1").await;
    assert_eq!((&shown["Title"], &shown["Categories"]), (&json!("new"), &json!(["b"])), "{shown}");
}

/// In one delta, whose rows are applied in the order in which they were sent.
async fn a_key_means_what_the_rows_before_it_put(world: World) {
    let shop = world.shop("one").await;
    let keys = format!(r#""AccessKey": "{}", "SecretKey": "{}""#, shop.key, shop.secret);
    let parts = r#""SetCategoryOnProducts": [{"CategoryId": "a", "ProductIds": ["S"]}],
        "Products": [{"Id": "1", "Sku": "S", "Categories": ["b"]}],
        "RemoveCategoryFromProducts": [{"Sku": "S", "Categories": ["b"]}]"#;
    let reply = world.post_bytes("/api/delta", format!("{{{keys}, {parts}}}")).await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    world.run_all_jobs().await;
    assert_eq!(world.item(&shop, "Products", "1").await["Categories"], json!([]));
}

async fn a_stop_ends_a_large_delta_between_two_slices_and_it_goes_on_at_the_next_start(mut world: World) {
    let shop = world.shop("one").await;
    let products: Vec<_> = (0..1200).map(|n| json!({"Id": n})).collect();
    let token = world.delta(&shop, json!({"Products": products})).await;
    let stop = tokio_util::sync::CancellationToken::new();
    stop.cancel();
    lethe::work::run_due(world.node(), lethe::jobs::Lane::DELTA, &stop).await.expect("it is claimed");
    assert_eq!(world.delta_status(&shop, &token).await, json!([0, null]));
    assert!(world.count(&shop, "Products").await < 1200);
    world.restart().await;
    world.run_all_jobs().await;
    assert_eq!(world.delta_status(&shop, &token).await, json!([1, null]));
    assert_eq!(world.count(&shop, "Products").await, 1200);
}

async fn what_a_unit_replaces_itself_leaves_nothing(world: World) {
    let shop = world.shop("one").await;
    for n in 0..5 {
        // The second one of the same delta is applied on top of the first.
        let twice =
            [json!({"Id": "1", "Title": n.to_string()}), json!({"Id": "1", "Title": format!("{n}!")})];
        world.delta(&shop, json!({"Products": twice})).await;
    }
    world.run_all_jobs().await;
    assert_eq!(world.title(&shop, "1").await, "4!");
    let counted = async || {
        let counted = world
            .node()
            .store
            .read(|tx| tx.row(&CHANGES, args![])?.map(|row| row.int("counted")).transpose());
        let counted: Result<_, StoreFault> = counted.await;
        counted.expect("a count")
    };
    assert_eq!(counted().await, Some(1), "the last row of the last delta");
    // More than fits into a unit.
    let many: Vec<_> = (0..1200).map(|n| json!({"Id": "1", "Title": n.to_string()})).collect();
    world.apply_delta(&shop, json!({"Products": many})).await;
    assert_eq!(counted().await, Some(1), "the last row of a delta of several units");
}

async fn bad_rows_are_named_and_good_ones_applied(world: World) {
    let shop = world.shop("one").await;
    let token = world
        .delta(
            &shop,
            json!({"Products": [{"Id": "1", "Title": "Good"}, {"Title": "canary"}, 7, {"Id": "2"}]}),
        )
        .await;
    world.run_all_jobs().await;
    let status = world.delta_status(&shop, &token).await;
    insta::assert_snapshot!(status[1].as_str().expect("a reason"), @"2 bad rows were skipped, 2 good ones were applied (Products row 2: id_missing; Products row 3: row_not_object)");
    assert_eq!(status[0], 2);
    assert_eq!(world.title(&shop, "1").await, "Good");
    assert_eq!(world.count(&shop, "Products").await, 2);
    let issues = world.ask_json(&shop, "/api/issues", json!({"Token": token})).await;
    let bad: Vec<_> = issues["Issues"]
        .as_array()
        .expect("issues")
        .iter()
        .filter(|issue| issue["Severity"] == "bad")
        .map(|issue| format!("{} {} {}", issue["Section"], issue["Row"], issue["Code"]))
        .collect();
    assert_eq!(bad, [r#""Products" 2 "id_missing""#, r#""Products" 3 "row_not_object""#]);
    assert!(!issues.to_string().contains("canary"));
}

async fn a_product_in_a_delta_replaces_the_whole_product(world: World) {
    let shop = world.shop("one").await;
    world
        .apply_delta(&shop, json!({"Products": [{"Id": "1", "Title": "Old", "Brand": "B", "Colour": "red"}]}))
        .await;
    world.apply_delta(&shop, json!({"Products": [{"Id": 1, "Title": "New"}]})).await;
    assert_eq!(world.item(&shop, "Products", "1").await, json!({"Id": "1", "Title": "New"}));
}

async fn three(world: &World, shop: &Shop) {
    let products: Vec<_> = (1..=3).map(|n| json!({"Id": n, "Sku": format!("sku {n}")})).collect();
    world.complete_feed(shop, "/three", &json!({"Products": products})).await;
}

async fn list_shown(world: &World, shop: &Shop) -> Vec<String> {
    let page = world.ask_json(shop, "/api/catalogue", json!({"Limit": 200})).await;
    let ids = page["Items"]
        .as_array()
        .expect("items")
        .iter()
        .map(|item| item["Id"].as_str().expect("id").to_owned());
    let mut ids: Vec<_> = ids.collect();
    ids.sort();
    assert_eq!(page["Counts"]["Products"], ids.len());
    ids
}

async fn a_product_is_deleted_by_id_by_sku_and_unknown_ones_do_not_matter(world: World) {
    let shop = world.shop("one").await;
    three(&world, &shop).await;
    world.apply_delta(&shop, json!({"DeleteProducts": [1, "sku 3", null, "", "unknown", 99]})).await;
    assert_eq!(list_shown(&world, &shop).await, ["2"]);
    world.apply_delta(&shop, json!({"Products": [{"Id": "9", "Sku": "nine"}]})).await;
    world.apply_delta(&shop, json!({"DeleteProducts": ["nine"]})).await;
    assert_eq!(list_shown(&world, &shop).await, ["2"]);
}

async fn a_removal_by_sku_holds_for_a_feed_submitted_before_it(world: World) {
    let shop = world.shop("one").await;
    let body = json!({"Products": [{"Id": 1, "Sku": "sku 1"}, {"Id": 2, "Sku": "sku 2"}]});
    let url = world.feeds.serve("/late", [crate::support::feed_server::Answer::ok(body.to_string())]);
    let feed = world.feed(&shop, &url).await;
    // The item of this SKU is not known yet.
    let delta = world.delta(&shop, json!({"DeleteProducts": ["sku 1"]})).await;
    world.run_jobs(lethe::jobs::Lane::DELTA).await;
    assert_eq!(world.delta_status(&shop, &delta).await, json!([1, null]));
    world.run_all_jobs().await;
    assert_eq!(world.feed_status(&shop, &feed).await, json!(["Complete", null]));
    assert_eq!(world.item(&shop, "Products", "1").await, Value::Null);
    assert_eq!(world.item(&shop, "Products", "sku 1").await, Value::Null);
    assert_eq!(list_shown(&world, &shop).await, ["2"]);
}

async fn a_removal_by_sku_goes_by_the_sku_that_a_delta_gave(world: World) {
    let shop = world.shop("one").await;
    let body = json!({"Products": [{"Id": 1, "Sku": "old", "Title": "feed"}, {"Id": 2, "Sku": "two"}]});
    let url = world.feeds.serve("/late", [crate::support::feed_server::Answer::ok(body.to_string())]);
    let feed = world.feed(&shop, &url).await;
    // While the feed is on its way the product gets another SKU, and something else is removed under the one it had.
    world.delta(&shop, json!({"Products": [{"Id": 1, "Sku": "new", "Title": "delta"}]})).await;
    let removal = world.delta(&shop, json!({"DeleteProducts": ["old"]})).await;
    world.run_jobs(lethe::jobs::Lane::DELTA).await;
    assert_eq!(world.delta_status(&shop, &removal).await, json!([1, null]));
    world.run_all_jobs().await;
    assert_eq!(world.feed_status(&shop, &feed).await, json!(["Complete", null]));
    assert_eq!(world.title(&shop, "1").await, "delta");
    assert_eq!(list_shown(&world, &shop).await, ["1", "2"]);
    world.apply_delta(&shop, json!({"DeleteProducts": ["new"]})).await;
    assert_eq!(list_shown(&world, &shop).await, ["2"]);
}

async fn products_join_and_leave_categories(world: World) {
    let shop = world.shop("one").await;
    world
        .complete_feed(&shop, "/f", &json!({"Products": [{"Id": 1, "Sku": "s", "Categories": ["a", "b"]}]}))
        .await;
    let categories = async || world.item(&shop, "Products", "1").await["Categories"].clone();
    world
        .apply_delta(&shop, json!({"SetCategoryOnProducts": [{"CategoryId": "c", "ProductIds": ["1", "2"]}]}))
        .await;
    assert_eq!(categories().await, json!(["a", "b", "c"]));
    world
        .apply_delta(&shop, json!({"RemoveCategoryFromProducts": [{"Sku": "s", "Categories": ["a", "x"]}]}))
        .await;
    assert_eq!(categories().await, json!(["b", "c"]));
    assert_eq!(list_shown(&world, &shop).await, ["1"], "joining a category makes no product");
    let token = world.delta(&shop, json!({"SetCategoryOnProducts": [{"CategoryId": "c"}]})).await;
    world.run_all_jobs().await;
    assert_eq!(world.delta_status(&shop, &token).await[0], 2);
}

/// Each product is looked up in the files of a feed; no unit of work has time for all of them.
async fn a_delta_that_takes_long_is_applied_whole(world: World) {
    const PRODUCTS: usize = 400;
    let shop = world.shop("one").await;
    let product = |n: usize| json!({"Id": n.to_string(), "Sku": format!("s{n}"), "Title": "x".repeat(2000)});
    let products: Vec<_> = (0..PRODUCTS).map(product).collect();
    world.complete_feed(&shop, "/f", &json!({"Products": products})).await;
    let skus: Vec<_> = (0..PRODUCTS).map(|n| format!("s{n}")).collect();
    let rows: Vec<_> = skus.chunks(100).map(|skus| json!({"CategoryId": "c", "ProductIds": skus})).collect();
    let users: Vec<_> = (0..500).map(|n| json!({"UserId": format!("u{n}")})).collect();
    world.apply_delta(&shop, json!({"SetCategoryOnProducts": rows, "Users": users})).await;
    for n in (0..PRODUCTS).step_by(PRODUCTS / 20) {
        assert_eq!(world.item(&shop, "Products", &n.to_string()).await["Categories"], json!(["c"]), "{n}");
    }
    assert_eq!(world.item(&shop, "Products", &(PRODUCTS - 1).to_string()).await["Categories"], json!(["c"]));
    assert_eq!(world.subjects(&shop).await, 500);
}

async fn account_prices_come_and_go_and_the_account_is_never_stored(world: World) {
    let shop = world.shop("one").await;
    let row =
        json!({"AccountId": "acme-canary-77", "Sku": "s1", "Id": "acme-canary-77|s1", "Prices": ["9.5 GBP"]});
    let product = json!({"Id": "1", "AccountInclusions": ["acme-canary-77"]});
    world.apply_delta(&shop, json!({"AccountPrices": [row], "Products": [product]})).await;
    assert_eq!(world.count(&shop, "AccountPrices").await, 1);
    world
        .complete_feed(
            &shop,
            "/f",
            &json!({"AccountPrices": [{"AccountId": "acme-canary-77", "Id": "2", "Prices": ["1 GBP"]}]}),
        )
        .await;
    assert_eq!(world.count(&shop, "AccountPrices").await, 1, "a feed with the section replaces all");
    crate::support::residue::assert_nothing(&world, &["acme-canary-77"]).await;
    world
        .apply_delta(&shop, json!({"DeleteAccountPrices": [{"AccountId": "acme-canary-77", "Id": 2}]}))
        .await;
    assert_eq!(world.count(&shop, "AccountPrices").await, 0);
    crate::support::residue::assert_nothing(&world, &["acme-canary-77"]).await;
}

async fn a_large_delta_is_applied_in_slices(world: World) {
    let shop = world.shop("one").await;
    let products: Vec<_> = (0..2100).map(|n| json!({"Id": n, "Title": format!("T{n}")})).collect();
    world.apply_delta(&shop, json!({"Products": products})).await;
    assert_eq!(world.count(&shop, "Products").await, 2100);
    let ids: Vec<_> = (0..2100).filter(|n| n % 2 == 0).collect();
    world.apply_delta(&shop, json!({"DeleteProducts": ids})).await;
    assert_eq!(world.count(&shop, "Products").await, 1050);
    assert_eq!(world.title(&shop, "2099").await, "T2099");
}

async fn a_delta_of_very_many_memberships_has_bad_rows(world: World) {
    let shop = world.shop("one").await;
    let list = |length: usize| (0..length).collect::<Vec<_>>();
    let row = |categories, products| json!({"CategoryId": list(categories), "ProductIds": list(products)});
    let side = lethe::limits::MEMBERSHIPS.isqrt();
    // One row alone, and the rows of a delta together.
    for (rows, bad) in [
        (vec![row(side + 1, side)], "1 bad rows were skipped, 1 good ones"),
        (vec![row(side, side / 2), row(side, side / 2), row(1, 1)], "1 bad rows were skipped, 101 good ones"),
        (vec![row(side, side / 2), row(side, side), row(1, side)], "1 bad rows were skipped, 151 good ones"),
    ] {
        let token = world.delta(&shop, json!({"SetCategoryOnProducts": rows, "Products": [{"Id": 1}]})).await;
        world.run_all_jobs().await;
        let status = world.delta_status(&shop, &token).await;
        let reason = status[1].as_str().expect("a reason");
        assert_eq!(status[0], 2);
        assert!(reason.contains("too_many_memberships") && reason.contains(bad), "{status}");
        assert_eq!(world.count(&shop, "Products").await, 1);
    }
}

async fn an_empty_delta_is_applied(world: World) {
    let shop = world.shop("one").await;
    for body in [
        json!({}),
        json!({"Products": [], "DeleteProducts": []}),
        json!({"Products": null, "Users": "", "Format": "pureclarity_json"}),
        json!({"Products": {}}),
    ] {
        world.apply_delta(&shop, body).await;
    }
}

async fn rows_that_are_none_are_skipped_in_silence(world: World) {
    let shop = world.shop("one").await;
    world.apply_delta(&shop, json!({"Products": [[], {"Id": "1", "Title": "A"}, null, {}, []]})).await;
    assert_eq!(world.count(&shop, "Products").await, 1);
}

async fn a_row_that_cannot_be_stored_stops_nothing_behind_it(world: World) {
    let shop = world.shop("one").await;
    let long = "x".repeat(100_000);
    let mut tokens = Vec::new();
    for bad in ["a\u{0}b", long.as_str()] {
        for body in [
            json!({"Products": [{"Id": bad}]}),
            json!({"Products": [{"Id": 1, "Sku": bad}]}),
            json!({"DeleteProducts": [bad]}),
            json!({"DeleteUsers": [bad]}),
            json!({"Users": [{"UserId": bad}]}),
            json!({"AccountPrices": [{"AccountId": bad, "Id": "1"}]}),
            json!({"DeleteAccountPrices": [{"AccountId": "a", "Id": bad}]}),
            json!({"SetCategoryOnProducts": [{"CategoryId": "1", "ProductIds": [bad]}]}),
        ] {
            tokens.push(world.delta(&shop, body).await);
        }
    }
    for body in [
        json!({"SetCategoryOnProducts": [{"CategoryId": "a\u{0}b", "ProductIds": [7]}]}),
        json!({"Products": [{"Id": 5, "a\u{0}b": [[[{"a": "\u{0}"}]]], "Prices": ["x"]}]}),
        json!({"Users": [{"UserId": "7", "Email": "a\u{0}@b.test", "a\u{0}b": 1}]}),
    ] {
        world.delta(&shop, body).await;
    }
    world.run_all_jobs().await;
    for token in &tokens {
        assert_eq!(world.delta_status(&shop, token).await[0], 2);
    }
    world.apply_delta(&shop, json!({"Products": [{"Id": "last", "Title": "Last"}]})).await;
    assert_eq!(world.title(&shop, "last").await, "Last");
}

async fn a_payload_is_gone_once_it_is_applied(world: World) {
    let shop = world.shop("one").await;
    world.delta(&shop, json!({"Users": [{"UserId": "u-canary-1", "Email": "canary-a@shop.test"}]})).await;
    crate::support::residue::assert_nothing(&world, &["u-canary-1", "canary-a@shop.test"]).await;
    let keys = crate::support::residue::payload_keys(&world).await;
    assert_eq!(keys.len(), 1);
    world.run_all_jobs().await;
    crate::support::residue::assert_payloads_gone(&world, &keys).await;
}

async fn users_are_stored_and_deleting_them_suppresses_nobody(world: World) {
    let shop = world.shop("one").await;
    let users = json!([{"UserId": "7", "Email": "ada@shop.test"}, {"UserId": 8}, {"UserId": "9"}]);
    world.apply_delta(&shop, json!({"Users": users})).await;
    assert_eq!(world.subjects(&shop).await, 3);
    world.apply_delta(&shop, json!({"DeleteUsers": [7, "8", "nobody-known", null]})).await;
    assert_eq!(world.subjects(&shop).await, 1);
    world.apply_delta(&shop, json!({"Users": users})).await;
    assert_eq!(world.subjects(&shop).await, 3, "they may come back");
}

async fn the_same_delta_twice_changes_nothing_more(world: World) {
    let shop = world.shop("one").await;
    let body =
        json!({"Products": [{"Id": "1", "Title": "A"}], "DeleteProducts": ["2"], "Users": [{"UserId": "7"}]});
    world.apply_delta(&shop, body.clone()).await;
    world.apply_delta(&shop, body).await;
    assert_eq!((world.count(&shop, "Products").await, world.subjects(&shop).await), (1, 1));
}

async fn deltas_survive_a_restart(mut world: World) {
    let shop = world.shop("one").await;
    let token = world
        .delta(&shop, json!({"Products": [{"Id": "1", "Title": "A"}], "Users": [{"UserId": "7"}]}))
        .await;
    world.restart().await;
    assert_eq!(world.delta_status(&shop, &token).await, json!([0, null]));
    world.run_all_jobs().await;
    world.restart().await;
    assert_eq!(world.delta_status(&shop, &token).await, json!([1, null]));
    assert_eq!((world.title(&shop, "1").await, world.subjects(&shop).await), (json!("A"), 1));
}
