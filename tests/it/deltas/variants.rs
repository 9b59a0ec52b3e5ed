//! Deltas about single variants: what a row names is set, the rest stays, on the row of a later feed too.

use serde_json::{Value, json};

use lethe::args;
use lethe::jobs::Lane;
use lethe::limits::CHILD_PARENTS_TRIED;
use lethe::store::{Statement, StoreFault};

use crate::support::catalogue_follower::{Watcher, find_account};
use crate::support::feed_server::Answer;
use crate::support::residue;
use crate::support::world::{Shop, World, on_both_engines, statement};

const CHANGES: Statement = statement("changes", "SELECT count(*) AS counted FROM change");

on_both_engines! {
    a_row_sets_what_it_names_and_leaves_the_rest
    variants_come_and_go_and_the_product_is_found_by_them
    a_large_product_is_read_once_for_all_changes_of_its_variants
    a_variant_that_left_other_products_leads_to_the_one_that_shows_it
    rows_about_variants_are_applied_after_all_others
    a_variant_moves_or_is_replaced_in_one_delta
    what_names_nothing_is_told_with_its_row
    a_change_holds_for_a_feed_submitted_before_it_and_a_later_feed_replaces_it
    many_changes_of_one_stock_are_kept_as_one
    changes_of_a_removed_variant_go_with_it
    a_listed_variant_is_changed_by_its_sku_and_not_doubled
    a_large_delta_of_variants_goes_on_after_a_stop_and_tells_its_rows_once
    a_product_has_room_for_so_many_variants
    the_accounts_of_changed_variants_are_never_stored
    a_changed_variant_is_in_the_timeline_of_its_product
}

/// The variants of a product as it is shown.
async fn variants(world: &World, shop: &Shop, product: &str) -> Value {
    world.item(shop, "Products", product).await["Variants"].clone()
}

/// A shop with a product of two variants, from a feed.
async fn shop_with_tee(world: &World) -> Shop {
    let shop = world.shop("one").await;
    let tee = json!({"Id": "tee", "Sku": "T", "Title": "Tee", "Variants": [
        {"Id": "s", "Sku": "T-S", "Options": {"Size": "S"}, "Prices": ["10 GBP"], "StockQty": 3, "Fit": "slim"},
        {"Id": "m", "Sku": "T-M", "Options": {"Size": "M"}},
    ]});
    world.complete_feed(&shop, "/feed", &json!({"Products": [tee, {"Id": "cap"}]})).await;
    shop
}

async fn a_row_sets_what_it_names_and_leaves_the_rest(world: World) {
    let shop = shop_with_tee(&world).await;
    world.apply_delta(&shop, json!({"SetVariants": [{"ProductId": "tee", "Id": "s", "StockQty": 0}]})).await;
    world
        .apply_delta(&shop, json!({"SetVariants": [{"ProductId": "T", "Sku": "T-M", "Prices": ["12.5"]}]}))
        .await;
    world
        .apply_delta(
            &shop,
            json!({"SetVariants": [{"Id": "s", "Fit": null, "Cut": "long", "SalePrices": []}]}),
        )
        .await;
    world.apply_delta(&shop, json!({"SetVariants": [{"Sku": "T-M", "InStock": "1"}]})).await;
    let expected = json!([
        {"Id": "s", "Sku": "T-S", "Options": {"Size": "S"}, "Prices": ["10.00 GBP"], "SalePrices": [], "StockQty": 0,
         "Attributes": {"Cut": "long"}},
        {"Id": "m", "Sku": "T-M", "Options": {"Size": "M"}, "Prices": ["12.50 GBP"], "InStock": true},
    ]);
    assert_eq!(variants(&world, &shop, "tee").await, expected);
    assert_eq!(world.title(&shop, "tee").await, "Tee");
    // On top of a product that a delta put, too.
    let put = json!({"Id": "tee", "Title": "New", "Variants": [{"Id": "l", "StockQty": 1}]});
    world.apply_delta(&shop, json!({"Products": [put]})).await;
    world
        .apply_delta(&shop, json!({"SetVariants": [{"ProductId": "tee", "Id": "l", "Title": "Large"}]}))
        .await;
    assert_eq!(variants(&world, &shop, "tee").await, json!([{"Id": "l", "Title": "Large", "StockQty": 1}]));
}

async fn variants_come_and_go_and_the_product_is_found_by_them(world: World) {
    let shop = shop_with_tee(&world).await;
    let find = async |key: &str| world.item(&shop, "Products", key).await["Id"].clone();
    let rows = json!([{"ProductId": "tee", "Id": "l", "Sku": "T-L"}, {"ProductId": "cap", "Sku": "C"}, {"Id": "m", "Sku": "T-MM"}]);
    world.apply_delta(&shop, json!({"SetVariants": rows})).await;
    for (key, id) in
        [("l", "tee"), ("T-L", "tee"), ("C", "cap"), ("T-MM", "tee"), ("m", "tee"), ("T-S", "tee")]
    {
        assert_eq!(find(key).await, id, "{key}");
    }
    assert_eq!(find("T-M").await, Value::Null);
    assert_eq!(variants(&world, &shop, "cap").await, json!([{"Id": "C", "Sku": "C"}]));
    let rows = json!([{"ProductId": "tee", "Id": "s"}, {"Sku": "T-L"}, {"ProductId": "cap", "Sku": "C"}]);
    world.apply_delta(&shop, json!({"DeleteVariants": rows})).await;
    let left = json!([{"Id": "m", "Sku": "T-MM", "Options": {"Size": "M"}}]);
    assert_eq!(
        (variants(&world, &shop, "tee").await, variants(&world, &shop, "cap").await),
        (left, Value::Null)
    );
    for key in ["s", "T-S", "l", "T-L", "C"] {
        assert_eq!(find(key).await, Value::Null, "{key}");
    }
    assert_eq!(world.count(&shop, "Products").await, 2);
}

async fn a_large_product_is_read_once_for_all_changes_of_its_variants(world: World) {
    let shop = world.shop("one").await;
    let title = "x".repeat(lethe::limits::FOLLOWED_PAGE_BYTES / 1000);
    let variants: Vec<_> = (0..1100).map(|n| json!({"Id": n, "Title": title})).collect();
    world.complete_feed(&shop, "/feed", &json!({"Products": [{"Id": "p", "Variants": variants}]})).await;
    let account = find_account(&world, &shop).await;
    let mut watcher = Watcher::default();
    watcher.assert_follows(&world, account).await;
    let before = watcher.read;
    let rows: Vec<_> = (0..50).map(|n| json!({"ProductId": "p", "Id": n, "StockQty": n})).collect();
    world.apply_delta(&shop, json!({"SetVariants": rows})).await;
    watcher.assert_follows(&world, account).await;
    assert_eq!(watcher.read - before, 1);
}

async fn a_variant_that_left_other_products_leads_to_the_one_that_shows_it(world: World) {
    let shop = world.shop("one").await;
    let others: Vec<_> = (2..=CHILD_PARENTS_TRIED).map(|n| format!("p{n}")).collect();
    let products: Vec<_> = others.iter().map(|id| json!({"Id": id})).collect();
    world.complete_feed(&shop, "/feed", &json!({"Products": products})).await;
    let first = json!({"Id": "p1", "Variants": [{"Id": "v", "Sku": "V"}]});
    world.apply_delta(&shop, json!({"Products": [first]})).await;
    let set = |products: &[String]| -> Value {
        products.iter().map(|product| json!({"ProductId": product, "Id": "v", "Sku": "V"})).collect()
    };
    let removed = |products: &[String]| -> Value {
        products.iter().map(|product| json!({"ProductId": product, "Id": "v"})).collect()
    };
    let find = async |key: &str| world.item(&shop, "Products", key).await["Id"].clone();
    world.apply_delta(&shop, json!({"SetVariants": set(&others)})).await;
    assert_eq!([find("v").await, find("V").await], ["p5", "p5"], "the last that it was given to");
    world.apply_delta(&shop, json!({"DeleteVariants": removed(&others)})).await;
    assert_eq!([find("v").await, find("V").await], ["p1", "p1"]);
    // However often another one has it for a while.
    for _ in 0..CHILD_PARENTS_TRIED {
        let other = &others[..1];
        world.apply_delta(&shop, json!({"SetVariants": set(other)})).await;
        world.apply_delta(&shop, json!({"DeleteVariants": removed(other)})).await;
    }
    assert_eq!([find("v").await, find("V").await], ["p1", "p1"]);
    world.apply_delta(&shop, json!({"DeleteVariants": [{"ProductId": "p1", "Id": "v"}]})).await;
    assert_eq!([find("v").await, find("V").await], [Value::Null, Value::Null]);
}

async fn rows_about_variants_are_applied_after_all_others(world: World) {
    let shop = world.shop("one").await;
    let keys = format!(r#""AccessKey": "{}", "SecretKey": "{}""#, shop.key, shop.secret);
    let parts = r#""DeleteVariants": [{"ProductId": "1", "Id": "b"}, {"Sku": "C"}],
        "SetVariants": [{"ProductId": "P", "Id": "a", "StockQty": 7}, {"ProductId": "1", "Id": "b"}],
        "Products": [{"Id": "1", "Sku": "P", "Variants": [{"Id": "a", "StockQty": 1}, {"Sku": "C"}]}],
        "SetCategoryOnProducts": [{"CategoryId": "c", "ProductIds": ["1"]}]"#;
    let reply = world.post_bytes("/api/delta", format!("{{{keys}, {parts}}}")).await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    world.run_all_jobs().await;
    let shown = world.item(&shop, "Products", "1").await;
    assert_eq!(
        (&shown["Variants"], &shown["Categories"]),
        (&json!([{"Id": "a", "StockQty": 7}, {"Id": "b"}]), &json!(["c"]))
    );
}

/// Removals of a delta go before its rows that set something.
async fn a_variant_moves_or_is_replaced_in_one_delta(world: World) {
    let shop = shop_with_tee(&world).await;
    let set = json!([
        {"ProductId": "cap", "Id": "s", "Sku": "T-S", "StockQty": 1},
        {"Id": "s", "Title": "Small"},
        {"ProductId": "tee", "Id": "m", "StockQty": 2},
    ]);
    let removed = json!([{"Id": "s"}, {"ProductId": "tee", "Sku": "T-M"}]);
    let token = world.delta(&shop, json!({"SetVariants": set, "DeleteVariants": removed})).await;
    world.run_all_jobs().await;
    assert_eq!(world.delta_status(&shop, &token).await, json!([1, null]));
    let moved = json!([{"Id": "s", "Sku": "T-S", "Title": "Small", "StockQty": 1}]);
    assert_eq!(variants(&world, &shop, "cap").await, moved);
    assert_eq!(variants(&world, &shop, "tee").await, json!([{"Id": "m", "StockQty": 2}]));
    for key in ["s", "T-S"] {
        assert_eq!(world.item(&shop, "Products", key).await["Id"], "cap", "{key}");
    }
}

/// `[Code, Section, Row, Field]` of each issue of a delta, and its status.
async fn list_issues(world: &World, shop: &Shop, token: &str) -> (Vec<Value>, Value) {
    let found = world.ask_json(shop, "/api/issues", json!({"Token": token})).await;
    let issues = found["Issues"].as_array().expect("a list").iter();
    let issues = issues.map(|issue| json!([issue["Code"], issue["Section"], issue["Row"], issue["Field"]]));
    (issues.collect(), world.delta_status(shop, token).await)
}

async fn what_names_nothing_is_told_with_its_row(world: World) {
    let shop = shop_with_tee(&world).await;
    let set = json!([
        {"ProductId": "nobody", "Id": "x", "StockQty": 1},
        {"Id": "nobody", "StockQty": 1},
        {"ProductId": "tee", "Id": "s", "Prices": ["1,50 GBP"]},
        {"ProductId": "tee", "Id": "m", "Sku": "T-S", "StockQty": 4},
        {"ProductId": "tee"},
        {"ProductId": "tee", "Id": "s", "qty": 1},
    ]);
    let removed = json!([{"ProductId": "tee", "Id": "nobody"}, {"Sku": "nobody"}]);
    let token = world.delta(&shop, json!({"SetVariants": set, "DeleteVariants": removed})).await;
    world.run_all_jobs().await;
    let (mut issues, status) = list_issues(&world, &shop, &token).await;
    issues.sort_by_key(|issue| (issue[1] == "DeleteVariants", issue[2].as_u64()));
    let expected = [
        json!(["variant_product_unknown", "SetVariants", 1, "ProductId"]),
        json!(["variant_product_missing", "SetVariants", 2, "ProductId"]),
        json!(["price_malformed", "SetVariants", 3, "Prices"]),
        json!(["variant_repeated", "SetVariants", 4, "Sku"]),
        json!(["id_missing", "SetVariants", 5, "Id"]),
        json!(["field_misnamed", "SetVariants", 6, "qty"]),
        json!(["variant_unknown", "DeleteVariants", 1, "Id"]),
        json!(["variant_product_missing", "DeleteVariants", 2, "ProductId"]),
    ];
    assert_eq!(issues, expected);
    let reason = "4 bad rows were skipped, 4 good ones were applied (SetVariants row 3: price_malformed; SetVariants \
                  row 5: id_missing; DeleteVariants row 2: variant_product_missing)";
    assert_eq!(status, json!([2, reason]));
    let shown = variants(&world, &shop, "tee").await;
    assert_eq!((&shown[0]["Attributes"]["qty"], &shown[0]["Prices"]), (&json!(1), &json!(["10.00 GBP"])));
    assert_eq!((&shown[1]["Sku"], &shown[1]["StockQty"]), (&json!("T-M"), &json!(4)));
    assert_eq!(world.count(&shop, "Products").await, 2, "a variant makes no product");
    // Warnings alone leave a delta applied.
    let rows = json!([{"ProductId": "nobody", "Id": "x"}, {"ProductId": "tee", "Id": "nobody"}]);
    let token = world.delta(&shop, json!({"DeleteVariants": rows})).await;
    world.run_all_jobs().await;
    let (issues, status) = list_issues(&world, &shop, &token).await;
    assert_eq!((issues.len(), status), (2, json!([1, null])));
}

async fn a_change_holds_for_a_feed_submitted_before_it_and_a_later_feed_replaces_it(world: World) {
    let shop = shop_with_tee(&world).await;
    let feed = json!({"Products": [
        {"Id": "tee", "Title": "Late", "Variants": [{"Id": "s", "StockQty": 9, "Fit": "wide"}, {"Id": "new", "StockQty": 1}]},
        {"Id": "bag", "Variants": [{"Id": "b", "StockQty": 1}]},
    ]});
    let url = world.feeds.serve("/late", [Answer::ok(feed.to_string())]);
    let token = world.feed(&shop, &url).await;
    let set = json!([
        {"ProductId": "tee", "Id": "s", "StockQty": 0},
        {"ProductId": "tee", "Id": "m", "StockQty": 0},
        {"ProductId": "tee", "Id": "new", "StockQty": 5},
        {"ProductId": "bag", "Id": "b", "StockQty": 6},
    ]);
    let delta = world.delta(&shop, json!({"SetVariants": set})).await;
    world.run_jobs(Lane::DELTA).await;
    let shown = variants(&world, &shop, "tee").await;
    let stock: Vec<_> =
        shown.as_array().expect("a list").iter().map(|variant| &variant["StockQty"]).collect();
    assert_eq!(stock, [&json!(0), &json!(0), &json!(5)]);
    world.run_all_jobs().await;
    assert_eq!(world.feed_status(&shop, &token).await, json!(["Complete", null]));
    assert_eq!(world.delta_status(&shop, &delta).await, json!([1, null]));
    // What was set on a variant that the feed has no more does not bring it back.
    let expected =
        json!([{"Id": "s", "StockQty": 0, "Attributes": {"Fit": "wide"}}, {"Id": "new", "StockQty": 5}]);
    assert_eq!(variants(&world, &shop, "tee").await, expected);
    assert_eq!(variants(&world, &shop, "bag").await, json!([{"Id": "b", "StockQty": 6}]));
    world.complete_feed(&shop, "/later", &feed).await;
    assert_eq!(variants(&world, &shop, "tee").await[0]["StockQty"], 9);
    assert_eq!(count_changes(&world).await, 0);
}

async fn count_changes(world: &World) -> i64 {
    let counting =
        world.node().store.read(|tx| tx.row(&CHANGES, args![])?.map_or(Ok(-1), |row| row.int("counted")));
    counting.await.map_err(|fault: StoreFault| fault).expect("a count")
}

async fn many_changes_of_one_stock_are_kept_as_one(world: World) {
    let shop = shop_with_tee(&world).await;
    for stock in 0..20 {
        // By id and by SKU, several in a delta, some in one unit of work and some in another.
        let rows = json!([{"ProductId": "tee", "Id": "s", "StockQty": stock}, {"ProductId": "tee", "Sku": "T-S", "StockQty": stock + 1}]);
        world.delta(&shop, json!({"SetVariants": rows})).await;
        if stock % 5 == 0 {
            world.run_all_jobs().await;
        }
    }
    world.run_all_jobs().await;
    assert_eq!(variants(&world, &shop, "tee").await[0]["StockQty"], 20);
    assert_eq!(count_changes(&world).await, 1);
    world.apply_delta(&shop, json!({"SetVariants": [{"ProductId": "tee", "Id": "m", "StockQty": 1}, {"Id": "s", "Title": "S"}]})).await;
    assert_eq!(count_changes(&world).await, 3);
    world.apply_delta(&shop, json!({"DeleteProducts": ["tee"]})).await;
    assert_eq!(count_changes(&world).await, 1, "the removal alone");
}

async fn changes_of_a_removed_variant_go_with_it(world: World) {
    let shop = shop_with_tee(&world).await;
    let set = async |row: Value| world.apply_delta(&shop, json!({"SetVariants": [row]})).await;
    let remove = async |row: Value| world.apply_delta(&shop, json!({"DeleteVariants": [row]})).await;
    for stock in 0..3 {
        // With the SKU of another variant, its own, and that of its product.
        for (id, sku) in [("s", "T-M"), ("s", "T-S"), ("x", "T")] {
            set(json!({"ProductId": "tee", "Id": id, "Sku": sku, "StockQty": stock})).await;
        }
    }
    let count = count_changes(&world).await;
    assert_eq!(count, 3, "the stock of one, and the other with its stock");
    for _ in 0..3 {
        set(json!({"ProductId": "tee", "Id": "m", "StockQty": 1})).await;
        remove(json!({"ProductId": "tee", "Id": "m"})).await;
    }
    let removed = count_changes(&world).await;
    assert_eq!(removed, count + 1, "one removal, and no change of what it removed");
    // One that takes the SKU of the removed variant needs the removal before it.
    set(json!({"ProductId": "tee", "Id": "new", "Sku": "T-M"})).await;
    remove(json!({"ProductId": "tee", "Id": "m"})).await;
    assert_eq!(count_changes(&world).await, removed + 2);
    let shown = variants(&world, &shop, "tee").await;
    assert_eq!(shown[2], json!({"Id": "new", "Sku": "T-M"}));
}

async fn a_listed_variant_is_changed_by_its_sku_and_not_doubled(world: World) {
    let shop = world.shop("one").await;
    let tee = json!({
        "Id": "tee", "Sku": "T", "Title": "Tee", "Prices": ["10 GBP"], "AssociatedIds": ["11", "12"],
        "AssociatedSkus": ["T-11", "T-12"], "AssociatedTitles": ["Small", "Large"],
    });
    let bag = json!({"Id": "bag", "Variants": [{"Sku": "B-1", "StockQty": 3}]});
    world.complete_feed(&shop, "/feed", &json!({"Products": [tee, bag]})).await;
    for _ in 0..2 {
        let rows = json!([{"ProductId": "tee", "Sku": "T-11", "StockQty": 0}, {"Id": "12", "StockQty": 0}]);
        world.apply_delta(&shop, json!({"SetVariants": rows})).await;
    }
    let expected = json!([
        {"Id": "11", "Sku": "T-11", "Title": "Small", "StockQty": 0},
        {"Id": "12", "Sku": "T-12", "Title": "Large", "StockQty": 0},
    ]);
    assert_eq!(variants(&world, &shop, "tee").await, expected);
    assert_eq!(count_changes(&world).await, 2);
    for key in ["11", "T-11", "12", "T-12"] {
        assert_eq!(world.item(&shop, "Products", key).await["Id"], "tee", "{key}");
    }
    let asked = json!({"AppKey": shop.key, "Query": "T-11", "Fields": ["Variants"]});
    let found = world.post("/api/search", &asked).await.json();
    let shown = found["Items"][0]["Variants"].as_array().expect("variants");
    assert_eq!(shown.len(), 2, "{found}");
    assert!(shown.iter().all(|variant| variant["InStock"] == false), "{found}");
    // Another system knows the variant by an id, and the feed by its SKU alone.
    let row = json!({"ProductId": "bag", "Id": "9001", "Sku": "B-1", "StockQty": 0});
    world.apply_delta(&shop, json!({"SetVariants": [row]})).await;
    assert_eq!(variants(&world, &shop, "bag").await, json!([{"Id": "B-1", "Sku": "B-1", "StockQty": 0}]));
}

async fn a_large_delta_of_variants_goes_on_after_a_stop_and_tells_its_rows_once(mut world: World) {
    // Several units of work.
    const ROWS: usize = 5_000;
    let shop = world.shop("one").await;
    let products: Vec<_> =
        (0..10).map(|n| json!({"Id": n, "Variants": [{"Id": format!("{n}-0")}]})).collect();
    world.complete_feed(&shop, "/feed", &json!({"Products": products})).await;
    let row = |n: usize| match n % 100 {
        0 => json!({"Id": format!("nobody {n}"), "StockQty": n}),
        1 => json!({"ProductId": "nobody", "Id": "x", "StockQty": n}),
        _ => json!({"ProductId": n % 10, "Id": format!("{}-{}", n % 10, n / 10), "StockQty": n}),
    };
    let token = world.delta(&shop, json!({"SetVariants": (0..ROWS).map(row).collect::<Vec<_>>()})).await;
    let stop = tokio_util::sync::CancellationToken::new();
    // It is stopped once its first unit is there.
    let stopping = async {
        let asked = json!({"Token": token});
        while world.ask_json(&shop, "/api/issues", asked.clone()).await["Kept"] == 0 {
            tokio::time::sleep(std::time::Duration::from_millis(1)).await;
        }
        stop.cancel();
    };
    let running = lethe::work::run_due(world.node(), Lane::DELTA, &stop);
    let (ran, ()) = tokio::join!(running, stopping);
    ran.expect("it is claimed");
    assert_eq!(world.delta_status(&shop, &token).await, json!([0, null]), "a part of it is applied");
    world.restart().await;
    world.run_all_jobs().await;
    let bad = ROWS / 100;
    let status = world.delta_status(&shop, &token).await;
    let reason = status[1].as_str().expect("a reason");
    assert!(
        reason.starts_with(&format!("{bad} bad rows were skipped, {} good ones", ROWS - bad)),
        "{reason}"
    );
    let found = world.ask_json(&shop, "/api/issues", json!({"Token": token})).await;
    assert_eq!(found["Kept"], 2 * bad);
    let counts = found["Counts"].as_array().expect("counts").iter();
    let counts: Vec<_> =
        counts.map(|count| json!([count["Code"], count["Count"], count["FirstRows"]])).collect();
    let expected = [
        json!(["variant_product_missing", bad, [1, 101, 201, 301, 401]]),
        json!(["variant_product_unknown", bad, [2, 102, 202, 302, 402]]),
    ];
    assert_eq!(counts, expected);
    for n in [12, 737, ROWS - 1] {
        let shown = variants(&world, &shop, &(n % 10).to_string()).await;
        let id = format!("{}-{}", n % 10, n / 10);
        let variant = shown.as_array().expect("a list").iter().find(|variant| variant["Id"] == id);
        assert_eq!(variant.expect("a variant")["StockQty"], n);
    }
}

async fn a_product_has_room_for_so_many_variants(world: World) {
    let shop = world.shop("one").await;
    let most = lethe::limits::VARIANTS;
    let list: Vec<_> = (0..most - 1).map(|n| json!({"Id": n})).collect();
    world.complete_feed(&shop, "/feed", &json!({"Products": [{"Id": "p", "Variants": list}]})).await;
    let rows = json!([{"ProductId": "p", "Id": "last"}, {"ProductId": "p", "Id": "more"}, {"ProductId": "p", "Id": "7", "StockQty": 1}]);
    let token = world.delta(&shop, json!({"SetVariants": rows})).await;
    world.run_all_jobs().await;
    let (issues, status) = list_issues(&world, &shop, &token).await;
    assert_eq!(issues, [json!(["variant_limit_reached", "SetVariants", 2, "Id"])]);
    let reason =
        "1 bad rows were skipped, 2 good ones were applied (SetVariants row 2: variant_limit_reached)";
    assert_eq!(status, json!([2, reason]));
    let shown = variants(&world, &shop, "p").await;
    assert_eq!((shown.as_array().map(Vec::len), &shown[7]["StockQty"]), (Some(most), &json!(1)));
}

async fn the_accounts_of_changed_variants_are_never_stored(world: World) {
    let shop = shop_with_tee(&world).await;
    let prices = json!({"acme-canary-79": {"Prices": ["9 GBP"]}});
    let rows = json!([
        {"ProductId": "tee", "Id": "s", "AccountPrices": prices},
        {"ProductId": "tee", "Id": "m", "AccountInclusions": ["acme-canary-79"]},
        {"ProductId": "tee", "Id": "m", "Attributes": {"AccountPrices": prices}},
        {"ProductId": "nobody", "Id": "x", "AccountPrices": prices},
    ]);
    let token = world.delta(&shop, json!({"SetVariants": rows})).await;
    world.run_all_jobs().await;
    residue::assert_nothing(&world, &["acme-canary-79"]).await;
    assert_eq!(world.delta_status(&shop, &token).await[0], 2);
    let shown = variants(&world, &shop, "tee").await;
    for variant in 0..2 {
        let prices = shown[variant]["AccountPrices"].as_object().expect("prices by account");
        assert_eq!(prices.values().collect::<Vec<_>>(), [&json!({"Prices": ["9.00 GBP"]})]);
    }
}

async fn a_changed_variant_is_in_the_timeline_of_its_product(world: World) {
    let shop = shop_with_tee(&world).await;
    let set =
        json!([{"ProductId": "tee", "Id": "s", "StockQty": 0}, {"ProductId": "tee", "Id": "l", "Sku": "L"}]);
    let removed = json!([{"ProductId": "tee", "Sku": "T-M"}]);
    world.apply_delta(&shop, json!({"SetVariants": set, "DeleteVariants": removed})).await;
    let why = world.ask_json(&shop, "/api/product/why", json!({"Id": "tee"})).await;
    let entries = why["Timeline"].as_array().expect("a timeline").iter();
    let told: Vec<_> = entries
        .map(|entry| json!([entry["What"], entry["SentIn"], entry["RowNumber"], entry["Row"]]))
        .collect();
    let expected = [
        json!(["add_variant", "SetVariants", 2, {"Id": "l", "Sku": "L"}]),
        json!(["set_variant", "SetVariants", 1, {"Id": "s", "StockQty": 0}]),
        json!(["delete_variant", "DeleteVariants", 1, {"Id": "m"}]),
    ];
    assert_eq!(told[..3], expected);
    assert_eq!(why["Timeline"][3]["What"], "holds");
    assert_eq!(why["Item"]["Variants"].as_array().map(Vec::len), Some(2));
}
