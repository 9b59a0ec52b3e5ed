//! Variants that shoppers look at, click and buy: an event names the product, and keeps its variant.

use lethe::ids::AccountId;
use lethe::personalise::request::RecommendRequest;
use lethe::personalise::viewed_variants::list_viewed_variants;
use lethe::recommend::model::Model;
use lethe::recommend::model_diff::compare_models;
use lethe::work::order_events;
use serde_json::{Map, Value, json};

use crate::support::events::{count_events, post_events};
use crate::support::order_files::process_order_file;
use crate::support::plugin::{export_person, send_events, start_visit, view_event};
use crate::support::world::{Shop, World, on_both_engines};

on_both_engines! {
    an_event_keeps_the_variant_that_the_shop_named
    a_plugin_and_its_pages_name_variants
    an_order_file_names_variants
    a_variant_of_a_delta_is_known_at_once
    a_later_catalogue_changes_no_stored_variant
}

const SHOP: AccountId = AccountId(1);

/// Opens a shop whose product `p1` has the variants `v1` and `v2`, and one that is called as the product `p2` is.
async fn open_shop(world: &World) -> Shop {
    let shop = world.shop("one").await;
    let tee = json!({"Id": "p1", "Sku": "no-1", "Title": "Tee", "Prices": ["5.00 GBP"],
        "AssociatedIds": ["v1", "v2", "p2"], "AssociatedSkus": ["s1", "s2", "s3"]});
    let mug = json!({"Id": "p2", "Sku": "no-2", "Title": "Mug", "Prices": ["5.00 GBP"]});
    world.complete_feed(&shop, "/shop", &json!({"Products": [tee, mug]})).await;
    shop
}

/// An event of Anna.
fn event(name: &str, more: Value) -> Value {
    let mut event = json!({"Name": name, "UserId": "anna"});
    more.as_object().into_iter().flatten().for_each(|(member, value)| event[member] = value.clone());
    event
}

fn view(product: &str) -> Value {
    event("product_view", json!({"Product": product}))
}

async fn record_orders(world: &World) {
    order_events::record_orders(world.node(), SHOP).await.expect("recorded");
}

/// The products and variants of each of a person's events, as their export names them.
async fn list_items(world: &World, shop: &Shop, identifier: &str) -> Vec<Value> {
    let export = export_person(world, shop, identifier).await;
    let items = |event: &Value| -> Value {
        let named = ["Product", "Variant", "Products", "Variants"];
        let members = named.into_iter().filter_map(|name| Some((name.to_owned(), event.get(name)?.clone())));
        members.collect::<Map<_, _>>().into()
    };
    export["Events"].as_array().into_iter().flatten().map(items).collect()
}

/// The one product with this variant, in a list.
fn tee(variant: &str) -> Value {
    json!({"Products": ["p1"], "Variants": [{"Product": "p1", "Variant": variant}]})
}

/// Asserts that the model is the one that the stored events make.
async fn assert_model(world: &World) {
    let compare = |live: &Model, anew: &Model| compare_models(live, anew, usize::MAX).is_same();
    let models = world.node().derived.models();
    let compared = models.compare_with_rebuilt(SHOP, compare).await.expect("a model");
    assert_eq!(compared, (true, false));
}

/// The products that a session viewed a variant of, each with the last one.
async fn list_variants(world: &World, session: uuid::Uuid) -> Vec<(String, String)> {
    let model = world.node().derived.models().get_or_build(SHOP).await.expect("a model");
    let asked = RecommendRequest { session: Some(session.as_u128()), ..RecommendRequest::default() };
    let variants = model.with_model(|model, _| list_viewed_variants(model, &asked));
    variants.iter().map(|(product, variant)| (product.to_string(), variant.to_string())).collect()
}

async fn an_event_keeps_the_variant_that_the_shop_named(mut world: World) {
    let shop = open_shop(&world).await;
    let items = json!(["v1", "s1", "p1", "p2", {"Product": "v2", "Quantity": 2}]);
    let events = [
        view("v1"),
        view("s2"),
        view("p1"),
        view("no-1"),
        // The product itself, and not the variant of another one.
        view("p2"),
        view("s3"),
        event("set_basket", json!({"Items": items})),
        event("item_click", json!({"Product": "v2", "RefId": "z.HP-01.for_you."})),
        event("order", json!({"Order": "A-1", "Items": ["s1", "p2", "no-1"]})),
    ];
    let taken = post_events(&world, &shop, &events).await;
    assert!(taken.iter().all(|taken| taken.get("LeftOut").is_none()), "{taken:?}");
    record_orders(&world).await;
    let expected = [
        json!({"Product": "p1", "Variant": "v1"}),
        json!({"Product": "p1", "Variant": "v2"}),
        json!({"Product": "p1"}),
        json!({"Product": "p1"}),
        json!({"Product": "p2"}),
        json!({"Product": "p1", "Variant": "p2"}),
        json!({"Products": ["p1", "p2"],
            "Variants": [{"Product": "p1", "Variant": "v1"}, {"Product": "p1", "Variant": "v2"}]}),
        json!({"Product": "p1", "Variant": "v2"}),
        json!({"Products": ["p1", "p2"], "Variants": [{"Product": "p1", "Variant": "v1"}]}),
    ];
    assert_eq!(list_items(&world, &shop, "anna").await, expected);
    let lines = export_person(&world, &shop, "anna").await["Orders"][0]["Lines"].clone();
    assert_eq!(lines[0]["Product"], "s1", "an order stays as it was sent");
    assert_model(&world).await;
    let session =
        taken[0]["SessionId"].as_str().and_then(|id| id.parse::<uuid::Uuid>().ok()).expect("a session");
    assert_eq!(
        list_variants(&world, session).await,
        [("p1".to_owned(), "p2".to_owned())],
        "that of the last view"
    );
    world.restart().await;
    assert_model(&world).await;
    assert_eq!(list_items(&world, &shop, "anna").await, expected);
    world.forget(&shop, "userid:anna").await;
    world.run_all_jobs().await;
    assert_model(&world).await;
    assert_eq!(count_events(&world).await, 0);
    assert_eq!(list_variants(&world, session).await, []);
}

async fn a_plugin_and_its_pages_name_variants(world: World) {
    let shop = open_shop(&world).await;
    let visitor = start_visit(&world, &shop).await;
    let basket = json!([{"id": "v2", "qty": 1}, {"id": "p2", "qty": 1}]);
    let events = json!([
        view_event("s1"),
        {"name": "set_basket", "data": basket},
        {"name": "item_click", "data": {"id": "v2", "refid": "z.HP-01.for_you."}},
    ]);
    send_events(&world, &shop, &visitor, events).await;
    let expected = [
        json!({"Product": "p1", "Variant": "v1"}),
        json!({"Products": ["p1", "p2"], "Variants": [{"Product": "p1", "Variant": "v2"}]}),
        json!({"Product": "p1", "Variant": "v2"}),
    ];
    assert_eq!(list_items(&world, &shop, &format!("visitor:{visitor}")).await, expected);
    let events = json!([
        {"name": "customer_details", "data": {"userid": "berta"}},
        {"name": "order_track", "data": {"orderid": "B-1", "id1": "v2", "qty1": "1"}},
    ]);
    send_events(&world, &shop, &visitor, events).await;
    let page = format!("/api/track?appid={}&visitorid={visitor}&evt=product_view&id=v1", shop.key);
    assert_eq!(world.send(world.request("GET", &page)).await.status, 200);
    record_orders(&world).await;
    let expected = [json!({"Product": "p1", "Variant": "v1"}), tee("v2")];
    assert_eq!(list_items(&world, &shop, "berta").await, expected);
    assert_model(&world).await;
}

async fn an_order_file_names_variants(world: World) {
    let shop = open_shop(&world).await;
    let file = "OrderId,UserId,DateTimeStamp,ProdCode,Quantity\nC-1,carla,2026-11-21 09:00:00,v1,1\n";
    process_order_file(&world, 1000, file).await.expect("stored");
    record_orders(&world).await;
    assert_eq!(list_items(&world, &shop, "carla").await, [tee("v1")]);
}

async fn a_variant_of_a_delta_is_known_at_once(world: World) {
    let shop = open_shop(&world).await;
    let cap = |skus: Value| json!({"Products": [{"Id": "p3", "Title": "Cap", "Prices": ["5.00 GBP"], "AssociatedSkus": skus}]});
    world.apply_delta(&shop, cap(json!(["s8", "s9"]))).await;
    post_events(&world, &shop, &[view("s9")]).await;
    world.apply_delta(&shop, cap(json!(["s8"]))).await;
    let taken = post_events(&world, &shop, &[view("s9"), view("s8")]).await;
    assert!(taken[0].get("LeftOut").is_some() && taken[1].get("LeftOut").is_none(), "{taken:?}");
    let expected = ["s9", "s8"].map(|sku| json!({"Product": "p3", "Variant": sku}));
    assert_eq!(list_items(&world, &shop, "anna").await, expected);
}

async fn a_later_catalogue_changes_no_stored_variant(world: World) {
    let shop = open_shop(&world).await;
    let order = event("order", json!({"Order": "A-1", "Items": ["v2"]}));
    post_events(&world, &shop, &[view("v1"), order]).await;
    record_orders(&world).await;
    let before = list_items(&world, &shop, "anna").await;
    assert_eq!(before, [json!({"Product": "p1", "Variant": "v1"}), tee("v2")]);
    let product = |id: &str| json!({"Id": id, "Title": "Thing", "Prices": ["5.00 GBP"]});
    let products = json!({"Products": [product("p1"), product("v1")]});
    world.complete_feed(&shop, "/shop", &products).await;
    let taken = post_events(&world, &shop, &[view("v1"), view("v2")]).await;
    assert!(taken[1].get("LeftOut").is_some(), "{taken:?}");
    let expected = [&before[..], &[json!({"Product": "v1"})]].concat();
    assert_eq!(list_items(&world, &shop, "anna").await, expected);
}
