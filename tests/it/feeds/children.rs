//! Variants are no items: a request for one by its id or SKU finds the product that lists it.

use serde_json::{Value, json};

use lethe::catalogue::CatalogueFault;
use lethe::catalogue::find::ResolvedKey;
use lethe::catalogue::visible::CatalogueView;
use lethe::feeds::section::Section;
use lethe::ids::AccountId;

use crate::support::random::Random;
use crate::support::world::{Shop, World, on_both_engines};

on_both_engines! {
    a_product_is_found_by_its_children_in_feeds_and_deltas
    a_child_never_wins_over_an_id_or_a_sku
    a_child_that_a_delta_took_away_is_found_no_more
    a_feed_replaces_the_children_of_deltas_before_it
    deleting_a_child_deletes_no_product
    a_delta_with_very_many_children_is_applied
    keys_that_are_resolved_together_name_what_each_names_alone
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

/// Keys of which all ids and SKUs are, so that most of them are several things at once.
const KEYS: u64 = 30;

fn any_key(random: &mut Random) -> String {
    format!("k{}", random.below(KEYS))
}

fn any_product(random: &mut Random, id: &str) -> Value {
    let mut product = json!({"Id": id, "Sku": any_key(random)});
    match random.below(3) {
        0 => {
            product["AssociatedIds"] = json!([any_key(random), any_key(random)]);
            product["AssociatedSkus"] = json!([any_key(random), any_key(random)]);
        }
        1 => product["AssociatedSkus"] = json!([any_key(random), any_key(random), any_key(random)]),
        _ => {
            let variants = (0..2).map(|at| json!({"Id": format!("k{}", 2 * random.below(KEYS / 2) + at)}));
            product["Variants"] = variants.collect();
            product["Variants"][0]["Sku"] = any_key(random).into();
        }
    }
    product
}

/// Asserts that each key resolves to one thing, and returns the number of keys that name children.
async fn count_resolved_children(world: &World) -> usize {
    let blobs = world.node().blobs.clone();
    let keys: Vec<_> = (0..KEYS).map(|n| format!("k{n}")).collect();
    let read = world.node().store.read(move |tx| {
        let mut catalogue = CatalogueView::open(tx, &blobs, AccountId(1))?;
        let together = catalogue.resolve_keys(Section::Products, &keys)?;
        assert_eq!(together.len(), keys.len());
        let mut children = 0;
        for (key, together) in keys.iter().zip(together) {
            let alone = catalogue.find_with_child(Section::Products, key)?;
            let alone = alone.map(|found| ResolvedKey { item: found.item.id, child: found.child });
            children += usize::from(alone.as_ref().is_some_and(|found| found.child.is_some()));
            assert_eq!(together, alone, "{key}");
        }
        Ok::<_, CatalogueFault>(children)
    });
    read.await.expect("keys")
}

async fn keys_that_are_resolved_together_name_what_each_names_alone(world: World) {
    let shop = world.shop("one").await;
    let random = &mut Random(47);
    let products: Vec<_> = (0..10).map(|n| any_product(random, &format!("k{n}"))).collect();
    world.complete_feed(&shop, "/feed", &json!({"Products": products})).await;
    let mut children = count_resolved_children(&world).await;
    for _ in 0..12 {
        let put = any_key(random);
        let set = json!({"ProductId": any_key(random), "Id": any_key(random), "Sku": any_key(random)});
        let delta = json!({
            "Products": [any_product(random, &put)],
            "DeleteProducts": [any_key(random)],
            "SetVariants": [set],
            "DeleteVariants": [{"ProductId": any_key(random), "Id": any_key(random)}],
        });
        // Some rows name nothing, which is told.
        world.delta(&shop, delta).await;
        world.run_all_jobs().await;
        children += count_resolved_children(&world).await;
    }
    assert!(children > 12, "{children} children were found");
}
