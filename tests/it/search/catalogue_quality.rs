//! Gaps in the products of a shop.

use lethe::admission::Tenant;
use lethe::ids::AccountId;
use lethe::limits;
use serde_json::{Value, json};

use crate::support::world::{Shop, World, on_both_engines};

on_both_engines! {
    what_products_lack_is_told_with_what_mending_it_changes
    what_products_lack_is_for_who_has_the_secret
    who_looks_for_faults_takes_no_turn_of_those_who_look_for_a_person
}

async fn what_products_lack_is_told_with_what_mending_it_changes(world: World) {
    let shop = world.shop("one").await;
    let sound: Vec<_> = (10..40).map(|n| sound(&format!("k{n}"), &format!("Keyboard {n}"))).collect();
    let faulty = [
        change_fields(sound_one("a1"), &json!({"Image": ""})),
        change_fields(sound_one("a2"), &json!({"Brand": null})),
        change_fields(sound_one("a3"), &json!({"Categories": []})),
        change_fields(sound_one("a4"), &json!({"Prices": ["5 USD"]})),
        change_fields(sound_one("a5"), &json!({"Title": "Oak lamp a1"})),
        change_fields(sound_one("a6"), &json!({"Title": "Lamp ".repeat(31)})),
        change_fields(sound_one("a7"), &json!({"Hight": "9 cm"})),
        change_fields(sound_one("a8"), &json!({"Title": "Gaming keybaord"})),
        change_fields(sound_one("a9"), &json!({"Title": "Oak lamp a1", "ExcludeFromSearch": true})),
    ];
    let products: Vec<_> = sound.into_iter().chain(faulty).collect();
    let categories = json!([{"Id": "12", "Name": "Things"}]);
    world.complete_feed(&shop, "/one", &json!({"Products": products, "Categories": categories})).await;
    let asked = json!({"Queries": ["keyboard", "lamp"], "Rows": 3});
    let told = world.ask_json(&shop, "/api/quality", asked).await;
    assert_eq!(told["Products"], 38);
    let seen: Vec<_> = told["Faults"].as_array().expect("faults").iter().map(summary).collect();
    let expected = [
        "no_image 1 a1",
        "no_brand 1 a2",
        "no_category 1 a3",
        "no_price GBP 1 a4",
        "no_price USD 37 a1 a2 a3",
        "shared_title 2 a1",
        "long_title 1 a6",
        "lone_attribute 1 a7",
        "mistyped_word 1 a8",
    ];
    assert_eq!(seen, expected, "{told:#}");
    let of = |name: &str| {
        let faults = told["Faults"].as_array().expect("faults");
        faults.iter().find(|fault| fault["Fault"] == name).expect("a fault").clone()
    };
    assert_eq!(of("no_image")["Percent"], 2.63);
    assert_eq!(of("no_image")["Says"], "1 product has no image: a page shows a placeholder.");
    assert_eq!(of("shared_title")["Rows"][0]["Others"], json!(["a5"]));
    assert_eq!(of("long_title")["Rows"][0]["Letters"], 154);
    assert_eq!(of("lone_attribute")["Rows"][0]["Attribute"], "Hight");
    let row = &of("mistyped_word")["Rows"][0];
    assert_eq!((&row["Word"], &row["Meant"]), (&json!("keybaord"), &json!("keyboard")));
    assert_eq!(told["Searches"][0], json!({"Query": "keyboard", "Hits": 30}));
    let comes = json!([{"Query": "keyboard", "FirstPage": 0, "Hits": 0, "Comes": 1,
        "Says": "1 product would be found besides."}]);
    assert_eq!(of("mistyped_word")["Searches"], comes);
    let image = &of("no_image")["Searches"];
    assert_eq!(image[0]["Query"], "lamp");
    assert_eq!(image[0]["Says"], "1 of the first 6 hits would show a picture.");
    assert_eq!(image.as_array().map(Vec::len), Some(1));
    // A search in pounds leaves out a product with a price in dollars alone.
    let besides = json!([{"Query": "lamp", "FirstPage": 0, "Hits": 0, "Comes": 1,
        "Says": "1 product would be found besides when prices are in GBP."}]);
    assert_eq!(of("no_price")["Searches"], besides);
}

async fn who_looks_for_faults_takes_no_turn_of_those_who_look_for_a_person(world: World) {
    let shop = world.shop("one").await;
    let looks = world.node().resources.looks.clone();
    let take = |account| looks.try_take(Tenant::Account(AccountId(account)), 1).expect("a turn");
    let _all = [take(98), take(99)];
    let told = world.ask_json(&shop, "/api/quality", json!({})).await;
    assert_eq!(told["Products"], 0);
    assert_eq!(world.node().resources.quality.gauge().taken, 0, "the turn ends with the work");
}

async fn what_products_lack_is_for_who_has_the_secret(world: World) {
    let shop = world.shop("one").await;
    let empty = world.ask_json(&shop, "/api/quality", json!({"Queries": ["lamp"]})).await;
    assert_eq!((&empty["Products"], &empty["Searches"][0]["Hits"]), (&json!(0), &json!(0)));
    let key_alone = world.post("/api/quality", &json!({"AppKey": shop.key})).await;
    assert_eq!(key_alone.status, 403, "{}", key_alone.text);
    let many = vec!["lamp"; limits::QUALITY_QUERIES + 1];
    let long = "l".repeat(limits::SEARCH_QUERY_BYTES + 1);
    for (wrong, says) in [
        (json!({"Queries": many}), "Queries has up to 50 searches"),
        (json!({"Queries": [long]}), "bytes"),
        (json!({"Rows": limits::QUALITY_ROWS + 1}), "Rows"),
        (json!({"Queries": 5}), "Queries has to be a list of texts"),
    ] {
        assert_refused(&world, &shop, wrong, says).await;
    }
}

async fn assert_refused(world: &World, shop: &Shop, asked: Value, says: &str) {
    let refused = world.ask(shop, "/api/quality", asked).await;
    assert_eq!(refused.status, 400, "{}", refused.text);
    assert!(refused.text.contains(says), "{}", refused.text);
}

fn sound(id: &str, title: &str) -> Value {
    json!({"Id": id, "Title": title, "Brand": "Acme", "Image": "https://shop.example/a.jpg", "Prices": ["5 GBP"],
        "Categories": ["12"]})
}

fn sound_one(id: &str) -> Value {
    sound(id, &format!("Oak lamp {id}"))
}

/// A product with some fields changed.
fn change_fields(mut product: Value, fields: &Value) -> Value {
    for (name, value) in fields.as_object().expect("fields") {
        product[name] = value.clone();
    }
    product
}

/// Name, currency, number and first products of a fault.
fn summary(fault: &Value) -> String {
    let rows = fault["Rows"].as_array().expect("rows");
    let ids = rows.iter().filter_map(|row| row["Id"].as_str());
    let name = [&fault["Fault"], &fault["Currency"]].into_iter().filter_map(Value::as_str);
    let count = fault["Products"].to_string();
    name.chain([count.as_str()]).chain(ids).collect::<Vec<_>>().join(" ")
}
