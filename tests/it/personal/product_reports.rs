//! The report of products: views of them and of their variants, without names, and without forgotten people.

use serde_json::{Value, json};

use crate::support::events::post_events;
use crate::support::reports::fetch_report;
use crate::support::world::{Shop, World, on_both_engines};

on_both_engines! {
    a_product_has_its_variants_below_and_after_an_erasure_those_of_others
}

/// People view one thing each, once.
async fn view_product(world: &World, shop: &Shop, people: std::ops::Range<usize>, product: &str) {
    let view = |number: usize| json!({"Name": "product_view", "Product": product, "UserId": format!("user-{number}")});
    let taken = post_events(world, shop, &people.map(view).collect::<Vec<_>>()).await;
    assert!(taken.iter().all(|taken| taken.get("SessionId").is_some()), "{taken:?}");
}

/// A row of a report that many people are in, once each.
fn row(name: &str, of: &str, people: u64) -> Value {
    json!({name: of, "People": people, "Count": people})
}

async fn a_product_has_its_variants_below_and_after_an_erasure_those_of_others(mut world: World) {
    let shop = world.shop("one").await;
    let tee = json!({"Id": "p1", "Sku": "no-1", "Title": "Tee", "Prices": ["5.00 GBP"],
        "AssociatedIds": ["v1", "v2", "v3"], "AssociatedSkus": ["s1", "s2", "s3"]});
    let mug = json!({"Id": "p2", "Title": "Mug", "Prices": ["5.00 GBP"]});
    world.complete_feed(&shop, "/shop", &json!({"Products": [tee, mug]})).await;
    view_product(&world, &shop, 0..6, "v1").await;
    view_product(&world, &shop, 6..11, "s2").await;
    view_product(&world, &shop, 11..14, "v3").await;
    view_product(&world, &shop, 14..16, "no-1").await;
    view_product(&world, &shop, 0..5, "p2").await;
    let report = fetch_report(&world, &shop, "products").await;
    let mut tee = row("Product", "p1", 16);
    tee["Variants"] = json!([row("Variant", "v1", 6), row("Variant", "v2", 5)]);
    assert_eq!(report["Rows"], json!([tee, row("Product", "p2", 5)]));
    assert_eq!((&report["RestRows"], report.get("Rest")), (&json!(0), None));
    let table = world.ask(&shop, "/api/report", json!({"Report": "products", "Format": "csv"})).await;
    let lines: Vec<_> = table.text.lines().skip(1).collect();
    assert_eq!(lines, ["p1,,16,16,,,,,", "p1,v1,6,6,,,,,", "p1,v2,5,5,,,,,", "p2,,5,5,,,,,"]);
    for about in ["zones", "search", "quality", "days"] {
        assert_eq!(fetch_report(&world, &shop, about).await["Rows"], json!([]), "{about}");
    }
    // Four people who viewed a variant are no row: they count with the product.
    world.forget(&shop, "userid:user-7").await;
    world.run_all_jobs().await;
    tee = row("Product", "p1", 15);
    tee["Variants"] = json!([row("Variant", "v1", 6)]);
    let left = json!([tee, row("Product", "p2", 5)]);
    assert_eq!(fetch_report(&world, &shop, "products").await["Rows"], left);
    world.restart().await;
    assert_eq!(fetch_report(&world, &shop, "products").await["Rows"], left);
    let first = json!({"Report": "products", "Size": 1, "With": ["before"]});
    let first = world.ask_json(&shop, "/api/report", first).await;
    let told = (&first["Rows"][0], &first["RestRows"], &first["Rest"], &first["Before"]["Rows"]);
    assert_eq!(told, (&left[0], &json!(1), &json!({"Count": 5}), &json!([])));
}
