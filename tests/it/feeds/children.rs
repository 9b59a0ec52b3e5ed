//! Variants are no items: a request for one by its id or SKU finds the product that lists it.

use serde_json::{Value, json};

use crate::support::world::{Shop, World, on_both_engines};

on_both_engines! {
    a_product_is_found_by_its_children_in_feeds_and_deltas
    a_child_never_wins_over_an_id_or_a_sku
    a_child_that_a_delta_took_away_is_found_no_more
    a_feed_replaces_the_children_of_deltas_before_it
    deleting_a_child_deletes_no_product
    a_delta_with_very_many_children_is_applied
}

/// The id of the product that is found.
async fn find_item(world: &World, shop: &Shop, key: &str) -> Value {
    world.item(shop, "Products", key).await["Id"].clone()
}

async fn a_product_is_found_by_its_children_in_feeds_and_deltas(world: World) {
    let shop = world.shop("one").await;
    let product = json!({"Id": 1, "Sku": "p", "AssociatedIds": [11, 12], "AssociatedSkus": ["a", "b"]});
    world
        .complete_feed(&shop, "/feed", &json!({"Products": [product, {"Id": 2, "AssociatedSkus": "c"}]}))
        .await;
    world
        .apply_delta(&shop, json!({"Products": [{"Id": 3, "AssociatedIds": [31], "AssociatedSkus": ["d"]}]}))
        .await;
    for (key, id) in [("11", "1"), ("12", "1"), ("a", "1"), ("b", "1"), ("c", "2"), ("31", "3"), ("d", "3")] {
        assert_eq!(find_item(&world, &shop, key).await, id, "{key}");
    }
    assert_eq!(find_item(&world, &shop, "e").await, Value::Null);
    assert_eq!(world.count(&shop, "Products").await, 3);
    // Another shop has other children.
    let other = world.shop("two").await;
    assert_eq!(find_item(&world, &other, "d").await, Value::Null);
}

async fn a_child_never_wins_over_an_id_or_a_sku(world: World) {
    let shop = world.shop("one").await;
    let parent = json!({"Id": "parent", "AssociatedIds": ["x"], "AssociatedSkus": ["y"]});
    for products in [
        json!([parent, {"Id": "x"}, {"Id": "other", "Sku": "y"}]),
        json!([{"Id": "x"}, {"Id": "other", "Sku": "y"}, parent]),
    ] {
        world.complete_feed(&shop, "/feed", &json!({"Products": products})).await;
        assert_eq!(find_item(&world, &shop, "x").await, "x");
        assert_eq!(find_item(&world, &shop, "y").await, "other");
    }
    world.apply_delta(&shop, json!({"Products": [parent]})).await;
    assert_eq!(find_item(&world, &shop, "x").await, "x");
    assert_eq!(find_item(&world, &shop, "y").await, "other");
    world.apply_delta(&shop, json!({"DeleteProducts": ["x", "other"]})).await;
    assert_eq!(find_item(&world, &shop, "x").await, "parent");
    assert_eq!(find_item(&world, &shop, "y").await, "parent");
}

async fn a_child_that_a_delta_took_away_is_found_no_more(world: World) {
    let shop = world.shop("one").await;
    let lists = |id: u8, children: Value| json!({"Id": id, "AssociatedSkus": children});
    world.complete_feed(&shop, "/feed", &json!({"Products": [lists(1, json!(["a", "b"]))]})).await;
    world.apply_delta(&shop, json!({"Products": [lists(1, json!(["b"]))]})).await;
    assert_eq!(find_item(&world, &shop, "a").await, Value::Null);
    assert_eq!(find_item(&world, &shop, "b").await, "1");
    // It moves from one product to another, and back when that one goes.
    world.apply_delta(&shop, json!({"Products": [lists(2, json!(["b"]))]})).await;
    assert_eq!(find_item(&world, &shop, "b").await, "2");
    world.apply_delta(&shop, json!({"DeleteProducts": [2]})).await;
    assert_eq!(find_item(&world, &shop, "b").await, "1");
    world.apply_delta(&shop, json!({"DeleteProducts": [1]})).await;
    assert_eq!(find_item(&world, &shop, "b").await, Value::Null);
}

async fn a_feed_replaces_the_children_of_deltas_before_it(world: World) {
    let shop = world.shop("one").await;
    world.apply_delta(&shop, json!({"Products": [{"Id": 1, "AssociatedSkus": ["a"]}]})).await;
    world.complete_feed(&shop, "/feed", &json!({"Products": [{"Id": 1, "AssociatedSkus": ["b"]}]})).await;
    assert_eq!(find_item(&world, &shop, "a").await, Value::Null);
    assert_eq!(find_item(&world, &shop, "b").await, "1");
    const CHILDREN: lethe::store::Statement =
        crate::support::world::statement("children", "SELECT count(*) AS counted FROM change_child");
    let left = world
        .node()
        .store
        .read(|tx| tx.row(&CHILDREN, lethe::args![])?.map_or(Ok(-1), |row| row.int("counted")));
    assert_eq!(left.await.map_err(|fault: lethe::store::StoreFault| fault).expect("a count"), 0);
}

async fn deleting_a_child_deletes_no_product(world: World) {
    let shop = world.shop("one").await;
    world.complete_feed(&shop, "/feed", &json!({"Products": [{"Id": 1, "AssociatedSkus": ["a"]}]})).await;
    world.apply_delta(&shop, json!({"Products": [{"Id": 2, "AssociatedIds": ["b"]}]})).await;
    world.apply_delta(&shop, json!({"DeleteProducts": ["a", "b"]})).await;
    assert_eq!(world.count(&shop, "Products").await, 2);
    assert_eq!(find_item(&world, &shop, "a").await, "1");
    assert_eq!(find_item(&world, &shop, "b").await, "2");
}

async fn a_delta_with_very_many_children_is_applied(world: World) {
    let shop = world.shop("one").await;
    let children = |from: u32, count: u32| (from..from + count).map(|n| format!("c{n}")).collect::<Vec<_>>();
    let products: Vec<_> =
        (0..30).map(|id| json!({"Id": id, "AssociatedSkus": children(id * 200, 200)})).collect();
    world.apply_delta(&shop, json!({"Products": products})).await;
    assert_eq!(world.count(&shop, "Products").await, 30);
    assert_eq!(find_item(&world, &shop, "c5999").await, "29");
    world
        .apply_delta(&shop, json!({"Products": [{"Id": "many", "AssociatedSkus": children(10_000, 3_000)}]}))
        .await;
    assert_eq!(find_item(&world, &shop, "c12999").await, "many");
}
