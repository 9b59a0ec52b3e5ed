//! Zones of categories and brands, popups, swatches, and prices of the shopper's group.

use serde_json::{Value, json};

use crate::support::plugin::start_visit;
use crate::support::world::{Shop, World, on_both_engines};
use crate::support::zones::{await_zones, set_campaigns};

on_both_engines! {
    categories_and_brands_of_what_was_looked_at_come_first
    what_the_shop_leaves_out_is_not_recommended
    a_popup_says_what_it_is
    swatches_are_in_the_items_of_a_campaign_that_wants_them
    swatches_have_so_much_room
    prices_are_those_of_the_group_that_the_shop_names
    a_page_gets_cards_and_what_it_names
    recommendations_are_cards_or_what_is_named
    a_page_has_the_products_of_its_own_brand_or_category_and_the_other_brands
    who_is_in_a_control_group_sees_no_categories
    filters_that_cannot_be_pass_a_campaign_over_and_say_why
    a_preview_is_asked_for_so_much_and_no_more
    what_is_saved_is_never_rounded_up_and_prices_are_in_the_language_of_the_shop
}

/// Among p1 to p12 each two are of a brand, b1 to b6, and of a category, c1 to c6; c2 to c6 stand below c1.
fn kinds() -> Value {
    let product = |number: usize| {
        let kind = number.div_ceil(2);
        json!({"Id": format!("p{number}"), "Sku": format!("no-{number}"), "Title": format!("Thing {number}"),
            "Prices": ["5.00 GBP"], "Brand": format!("b{kind}"), "Categories": [format!("c{kind}")]})
    };
    let named = |prefix: &str, number: usize| {
        json!({"Id": format!("{prefix}{number}"), "DisplayName": format!("Name {number}"), "Image": format!("/{number}.png"),
            "Link": format!("/{prefix}/{number}"), "Description": format!("All <b>{number}</b>")})
    };
    let category = |number: usize| {
        let mut category = named("c", number);
        category["ParentIds"] = if number == 1 { json!([]) } else { json!(["c1"]) };
        category
    };
    json!({"Products": (1..=12).map(product).collect::<Vec<_>>(),
        "Categories": (1..=6).map(category).collect::<Vec<_>>(),
        "Brands": (1..=6).map(|number| named("b", number)).collect::<Vec<_>>()})
}

async fn shop_with(world: &World, feed: Value) -> Shop {
    let shop = world.shop("one").await;
    world.complete_feed(&shop, "/kinds", &feed).await;
    shop
}

fn ids(zone: &Value) -> Vec<&str> {
    let items = zone["items"].as_array().into_iter().flatten();
    items.map(|item| item["Id"].as_str().expect("an id")).collect()
}

async fn categories_and_brands_of_what_was_looked_at_come_first(world: World) {
    let shop = shop_with(&world, kinds()).await;
    let campaigns = json!([{"Id": "c", "Zone": "HP-01", "CategoriesShown": {"Size": 3}},
        {"Id": "b", "Zone": "HP-02", "Title": "Brands", "BrandsShown": {}},
        {"Id": "many", "Zone": "HP-03", "BrandsShown": {"Min": 7}}]);
    set_campaigns(&world, &shop, campaigns).await;
    let page = json!({"viewed": ["p9", "p3", "p4"], "zones": ["HP-01", "HP-02", "HP-03"]});
    let shown = await_zones(&world, &shop, page).await;
    let categories = &shown["HP-01"];
    assert_eq!(
        (&categories["type"], &categories["title"]),
        (&json!("recommender-category"), &json!("Categories for you"))
    );
    assert_eq!((ids(categories).len(), &ids(categories)[..2]), (3, &["c2", "c5"][..]));
    let expected = json!({"Id": "c2", "DisplayName": "Name 2", "Image": "/2.png", "Link": "/c/2",
        "Description": "All <b>2</b>", "Parents": ["c1"], "Children": [], "AllChildIds": []});
    assert_eq!(categories["items"][0], expected);
    let brands = &shown["HP-02"];
    assert_eq!((&brands["type"], &brands["title"]), (&json!("recommender-brand"), &json!("Brands")));
    assert_eq!((ids(brands).len(), &ids(brands)[..2]), (6, &["b2", "b5"][..]));
    let expected = json!({"Id": "b2", "DisplayName": "Name 2", "Image": "/2.png", "Link": "/b/2", "Description": "All <b>2</b>"});
    assert_eq!(brands["items"][0], expected);
    assert_eq!(shown["HP-03"]["type"], "recommender-product", "there are six");
    // All that is below a category, and not the category of the page itself.
    let page = json!({"events": [{"name": "page_view", "data": {"category_id": "c2"}}], "viewed": ["p3", "p1"], "zones": ["HP-01"]});
    let shown = await_zones(&world, &shop, page).await;
    let first = &shown["HP-01"]["items"][0];
    let below = json!(["c2", "c3", "c4", "c5", "c6"]);
    assert_eq!((&first["Id"], &first["Children"], &first["AllChildIds"]), (&json!("c1"), &below, &below));
    assert!(!ids(&shown["HP-01"]).contains(&"c2"), "{shown}");
    // The views of a page's own shopper count without the secret too.
    let page = json!({"appId": shop.key, "viewed": ["p7"], "zones": ["HP-02"]});
    let answer = world.post("/api/serverside", &page).await.json();
    assert_eq!(ids(&answer["zones"]["HP-02"])[0], "b4", "{answer}");
}

async fn what_the_shop_leaves_out_is_not_recommended(world: World) {
    let mut feed = kinds();
    feed["Brands"][0]["ExcludeFromRecommenders"] = true.into();
    feed["Brands"][1]["OverrideImage"] = "/o.png".into();
    feed["Brands"].as_array_mut().expect("a list").pop();
    feed["Categories"][2]["IsActive"] = false.into();
    let shop = shop_with(&world, feed).await;
    let campaigns = json!([{"Id": "b", "Zone": "HP-01", "BrandsShown": {}}, {"Id": "c", "Zone": "HP-02", "CategoriesShown": {}}]);
    set_campaigns(&world, &shop, campaigns).await;
    let shown =
        await_zones(&world, &shop, json!({"viewed": ["p1", "p11", "p3"], "zones": ["HP-01", "HP-02"]})).await;
    let mut brands = ids(&shown["HP-01"]);
    assert_eq!(brands[0], "b2");
    brands.sort_unstable();
    assert_eq!(brands, ["b2", "b3", "b4", "b5"], "one is left out by the shop, and one has no row");
    let first = &shown["HP-01"]["items"][0];
    assert_eq!((&first["DisplayName"], &first["Image"]), (&json!("Name 2"), &json!("/o.png")));
    let mut categories = ids(&shown["HP-02"]);
    categories.sort_unstable();
    assert_eq!(categories, ["c1", "c2", "c4", "c5", "c6"]);
}

async fn a_popup_says_what_it_is(world: World) {
    let shop = shop_with(&world, kinds()).await;
    let popup = json!({"Id": "news", "Zone": "HP-01", "Title": "News", "Html": "<p>New</p>", "Popup": true});
    set_campaigns(&world, &shop, json!([popup])).await;
    let shown = await_zones(&world, &shop, json!({"zones": ["HP-01"]})).await;
    let expected = json!({"type": "popup", "id": "news", "title": "News", "html": "<p>New</p>"});
    assert_eq!(shown, json!({"HP-01": expected}));
    let unnamed = json!([{"Id": "news", "Zone": "HP-01", "Html": "<p>New</p>", "Popup": true}]);
    let refused = world.ask(&shop, "/api/zones/set", json!({"Campaigns": unnamed})).await.expect_refusal(400);
    assert!(refused.contains("campaign 1 (news) has Popup without a Title"), "{refused}");
}

/// Products with texts of Magento of so many bytes; the last has none.
async fn shop_with_swatches(world: &World, count: usize, bytes: usize) -> Shop {
    let shop = world.shop("one").await;
    let product = |number: usize| {
        let mut product = json!({"Id": format!("p{number}"), "Sku": format!("no-{number}"), "Title": format!("Thing {number}"),
            "Prices": ["5.00 GBP"]});
        if number < count {
            product["jsonconfig"] = json!({"number": number, "text": "x".repeat(bytes)}).to_string().into();
            product["swatchrenderjson"] = r#"{"swatches":["é"]}"#.into();
        }
        product
    };
    let products: Vec<_> = (1..=count).map(product).collect();
    world.complete_feed(&shop, "/swatches", &json!({ "Products": products })).await;
    shop
}

async fn swatches_are_in_the_items_of_a_campaign_that_wants_them(world: World) {
    let shop = shop_with_swatches(&world, 3, 100).await;
    // It came with a delta, which is in no feed.
    world
        .apply_delta(
            &shop,
            json!({"Products": [{"Id": "p1", "Sku": "no-1", "Title": "Thing 1", "Prices": ["5.00 GBP"],
        "jsonconfig": "{\"new\":1}"}]}),
        )
        .await;
    world.node().derived.catch_up(lethe::ids::AccountId(1)).await;
    let products = json!({"Recommender": "new_arrivals", "Swatches": true});
    let draw = "{{ items.0.jsonconfig }}{{ title }}";
    let with = json!({"Id": "with", "Zone": "HP-01", "ProductsShown": products, "Template": draw});
    set_campaigns(&world, &shop, json!([with, {"Id": "without", "Zone": "HP-02", "ProductsShown": {}}]))
        .await;
    let shown = await_zones(&world, &shop, json!({"zones": ["HP-01"]})).await;
    let zone = &shown["HP-01"];
    assert_eq!((&zone["type"], &zone["html"]), (&json!("recommender-product"), &json!("New in the shop")));
    let of = |id: &str| -> Vec<Value> {
        let items = zone["items"].as_array().expect("items");
        let item = items.iter().find(|item| item["Id"] == id).expect("an item");
        [&item["jsonconfig"], &item["swatchrenderjson"]].map(Value::clone).to_vec()
    };
    assert_eq!(of("p1"), [json!("{\"new\":1}"), Value::Null]);
    let sent = json!({"number": 2, "text": "x".repeat(100)}).to_string();
    assert_eq!(of("p2"), [json!(sent), json!(r#"{"swatches":["é"]}"#)], "as sent");
    assert_eq!(of("p3"), [Value::Null, Value::Null]);
    let shown = await_zones(&world, &shop, json!({"zones": ["HP-02"]})).await;
    assert!(!shown.to_string().contains("jsonconfig"), "{shown}");
}

async fn swatches_have_so_much_room(world: World) {
    world.get("/metrics").await;
    let shop = shop_with_swatches(&world, 13, 100 << 10).await;
    let products = json!({"Recommender": "new_arrivals", "Swatches": true, "Size": 13});
    set_campaigns(&world, &shop, json!([{"Id": "with", "Zone": "HP-01", "ProductsShown": products}])).await;
    let shown = await_zones(&world, &shop, json!({"zones": ["HP-01"]})).await;
    let items = shown["HP-01"]["items"].as_array().expect("items");
    let count = |name: &str| items.iter().filter(|item| item[name].is_string()).count();
    assert_eq!((items.len(), count("jsonconfig"), count("swatchrenderjson")), (13, 10, 12));
    let counted = world.get("/metrics").await.text;
    let line = counted.lines().find(|line| line.starts_with("lethe_zone_fields_left_out_total "));
    assert!(line.is_some_and(|line| !line.ends_with(" 0")), "{line:?}");
}

async fn prices_are_those_of_the_group_that_the_shop_names(world: World) {
    let shop = world.shop("one").await;
    let chair = json!({"Id": "1", "Sku": "1", "Title": "Chair", "Prices": ["70 GBP"],
        "GroupPrices": {"8": {"Prices": ["5 GBP"]}}});
    world.complete_feed(&shop, "/one", &json!({"Products": [chair]})).await;
    let browser = start_visit(&world, &shop).await;
    let price = async |events: Value| {
        let page = json!({"visitorId": browser, "events": events, "zones": ["HP-02"], "search": {"query": "chair"}, "currency": "GBP"});
        let mut asked = page;
        asked["currentUrl"] = "https://canary.test/page".into();
        await_zones(&world, &shop, json!({"zones": ["HP-02"]})).await;
        let answer = world.ask_json(&shop, "/api/serverside", asked).await;
        let zone = answer["zones"]["HP-02"]["items"][0]["Price"].as_f64();
        assert_eq!(zone, answer["search"]["products"][0]["Price"].as_f64(), "{answer}");
        zone
    };
    let customer =
        |group: Value| json!({"name": "customer_details", "data": {"userid": "anna", "groupid": group}});
    assert_eq!(price(json!([])).await, Some(70.0));
    assert_eq!(price(json!([customer(json!(8))])).await, Some(5.0));
    assert_eq!(price(json!([])).await, Some(70.0), "it is not kept");
    let also = json!({"name": "customer_details", "data": {"userid": "anna", "group_id": "8"}});
    assert_eq!(price(json!([also])).await, Some(5.0));
    assert_eq!(price(json!([customer(json!("9"))])).await, Some(70.0));
    let out = json!({"name": "customer_logout", "data": []});
    assert_eq!(price(json!([customer(json!("8")), out])).await, Some(70.0));
    // A page's word about its shopper is a claim.
    let page =
        json!({"appId": shop.key, "events": [customer(json!("8"))], "zones": ["HP-02"], "currency": "GBP"});
    let answer = world.post("/api/serverside", &page).await.json();
    assert_eq!(answer["zones"]["HP-02"]["items"][0]["Price"], 70.0, "{answer}");
}

/// A shop whose products have long texts, with zones of all kinds; and a call for all zones.
async fn wordy_shop(world: &World) -> (Shop, Value) {
    let mut feed = kinds();
    for product in feed["Products"].as_array_mut().expect("products") {
        product["Description"] = "A thing to look at. ".repeat(200).into();
        product["Badge"] = "new".into();
        product["AssociatedSkus"] = json!(["a", "b"]);
        product["Care"] = "Wash it. ".repeat(200).into();
    }
    let shop = shop_with(world, feed).await;
    let drawn = json!({"Id": "drawn", "Zone": "CP-01", "ProductsShown": {"Size": 4}, "Template": "{{ items.0.Description }}"});
    let kinds = [("HP-03", "CategoriesShown"), ("HP-04", "BrandsShown")];
    let kinds = kinds.map(|(zone, shown)| json!({"Id": zone, "Zone": zone, shown: {}}));
    set_campaigns(world, &shop, json!([drawn, kinds[0], kinds[1]])).await;
    let asked = json!({"zones": ["CP-01", "HP-01", "HP-03", "HP-04"], "search": {"query": "thing"}, "currency": "GBP"});
    await_zones(world, &shop, asked.clone()).await;
    (shop, asked)
}

fn names(item: &Value) -> Vec<&str> {
    item.as_object().expect("an item").keys().map(String::as_str).collect()
}

/// Fields that no page renders.
const LONG: [&str; 3] = ["Description", "Care", "AssociatedSkus"];

async fn a_page_gets_cards_and_what_it_names(world: World) {
    let (shop, asked) = wordy_shop(&world).await;
    let whole = world.ask_json(&shop, "/api/serverside", asked.clone()).await;
    let page = async |fields: Value| {
        let mut page = asked.clone();
        page["appId"] = shop.key.as_str().into();
        page["fields"] = fields;
        world.post("/api/serverside", &page).await
    };
    let cards = page(json!([])).await;
    assert!(cards.text.len() * 3 < whole.to_string().len(), "{} bytes", cards.text.len());
    let item = |answer: &Value| answer["zones"]["HP-01"]["items"][0].clone();
    let cards = cards.json();
    let drawn = [
        "Id",
        "Sku",
        "Title",
        "Link",
        "Image",
        "Badge",
        "Brand",
        "InStock",
        "Price",
        "DisplayPrice",
        "RefId",
        "clickEvt",
    ];
    assert!(drawn.iter().all(|name| names(&item(&cards)).contains(name)), "{}", item(&cards));
    for answer in [&item(&cards), &cards["search"]["products"][0]] {
        assert!(LONG.iter().all(|name| answer.get(name).is_none()), "{answer}");
    }
    for answer in [&item(&whole), &whole["search"]["products"][0]] {
        assert!(LONG.iter().all(|name| answer.get(name).is_some()), "{answer}");
    }
    for zone in ["HP-03", "HP-04"] {
        assert_eq!(names(&cards["zones"][zone]["items"][0]), ["Id", "DisplayName", "Image", "Link"]);
        assert!(whole["zones"][zone]["items"][0]["Description"].is_string());
    }
    // A template of the shop renders any field.
    let html = cards["zones"]["CP-01"]["html"].as_str();
    assert!(html.is_some_and(|html| html.starts_with("A thing to look at.")), "{html:?}");
    // More fields are answered on request.
    let named = page(json!(["Care", "Description"])).await.json();
    assert_eq!(LONG.map(|name| item(&named).get(name).is_some()), [true, true, false]);
    assert!(named["zones"]["HP-03"]["items"][0]["Description"].is_string());
    assert_eq!(names(&item(&page(json!(["*"])).await.json())), names(&item(&whole)));
}

async fn recommendations_are_cards_or_what_is_named(world: World) {
    let (shop, _) = wordy_shop(&world).await;
    let recommended = async |fields: Value| {
        let asked = json!({"AppKey": shop.key, "Fields": fields});
        world.post("/api/recommend", &asked).await.json()["Items"][0].clone()
    };
    let card = recommended(json!([])).await;
    assert!(LONG.iter().all(|name| card.get(name).is_none()), "{card}");
    assert_eq!(names(&recommended(json!(["Description"])).await), ["Id", "Description", "Reason"]);
    let many = json!({"AppKey": shop.key, "Fields": vec!["a"; lethe::limits::SEARCH_FIELDS + 1]});
    assert_eq!(world.post("/api/recommend", &many).await.expect_refusal(400), "Fields has up to 100 names");
}

/// Preview of a zone with these campaigns, on a page with these members.
async fn preview(world: &World, shop: &Shop, campaigns: Value, page: Value) -> Value {
    let mut asked = page;
    asked["Zone"] = "HP-01".into();
    asked["Campaigns"] = campaigns;
    world.ask_json(shop, "/api/zones/preview", asked).await
}

fn sorted_ids(preview: &Value) -> Vec<&str> {
    let mut ids = ids(&preview["Zone"]);
    ids.sort_unstable();
    ids
}

async fn a_page_has_the_products_of_its_own_brand_or_category_and_the_other_brands(world: World) {
    let shop = shop_with(&world, kinds()).await;
    await_zones(&world, &shop, json!({"zones": ["HP-01"]})).await;
    let page = json!({"Brand": "b2", "Category": "c3"});
    let brands = json!([{"Id": "b", "Zone": "HP-01", "BrandsShown": {}}]);
    assert_eq!(
        sorted_ids(&preview(&world, &shop, brands, page.clone()).await),
        ["b1", "b3", "b4", "b5", "b6"]
    );
    let within = |kin: &str, min: usize| json!([{"Id": "w", "Zone": "HP-01", "ProductsShown": {"Within": kin, "Min": min}}]);
    assert_eq!(sorted_ids(&preview(&world, &shop, within("brand", 2), page.clone()).await), ["p3", "p4"]);
    assert_eq!(sorted_ids(&preview(&world, &shop, within("category", 2), page.clone()).await), ["p5", "p6"]);
    let fewer = preview(&world, &shop, within("brand", 3), page).await;
    assert_eq!((&fewer["Campaign"], &fewer["Passed"][0]["Campaign"]), (&json!(""), &json!("w")), "{fewer}");
    let elsewhere = preview(&world, &shop, within("brand", 12), json!({})).await;
    assert_eq!((&elsewhere["Campaign"], ids(&elsewhere["Zone"]).len()), (&json!("w"), 12), "{elsewhere}");
    let all = json!([{"Id": "all", "Zone": "HP-01", "BrandsShown": {"Min": 6}}]);
    assert_eq!(preview(&world, &shop, all, json!({})).await["Campaign"], "all");
}

/// A shop without a currency: the attributes of products are known only when they are shown.
async fn filters_that_cannot_be_pass_a_campaign_over_and_say_why(world: World) {
    let made = world.control("/control/account/create", json!({"Name": "one"})).await;
    let key = |name: &str| made[name].as_str().expect("a key").to_owned();
    let shop = Shop { name: "one".to_owned(), key: key("AccessKey"), secret: key("SecretKey") };
    world.complete_feed(&shop, "/kinds", &kinds()).await;
    await_zones(&world, &shop, json!({"zones": ["HP-01"]})).await;
    let cannot_be = "its Filters have an invalid value, or a price without a currency";
    for (filters, why) in [
        (json!({"Attributes": {"Colour": ["red"]}}), "its Filters name an attribute that no product has"),
        (json!({"Attributes": {"Colour": true}}), cannot_be),
        (json!({"Price": {"From": 1}}), cannot_be),
    ] {
        let campaigns = json!([{"Id": "few", "Zone": "HP-01", "ProductsShown": {"Filters": filters}}]);
        let told = preview(&world, &shop, campaigns, json!({})).await;
        assert_eq!(told["Passed"][0], json!({"Campaign": "few", "Why": why}), "{told}");
    }
    let brand = json!([{"Id": "few", "Zone": "HP-01", "ProductsShown": {"Filters": {"Brand": ["b1"]}}}]);
    assert_eq!(preview(&world, &shop, brand, json!({})).await["Campaign"], "few");
}

async fn who_is_in_a_control_group_sees_no_categories(world: World) {
    let shop = shop_with(&world, kinds()).await;
    await_zones(&world, &shop, json!({"zones": ["HP-01"]})).await;
    for shown in ["CategoriesShown", "BrandsShown", "ProductsShown"] {
        let own = match shown {
            // They wait for rows of the catalogue, as categories do.
            "ProductsShown" => json!({"Id": "own", "Zone": "HP-01", shown: {"Swatches": true}}),
            _ => json!({"Id": "own", "Zone": "HP-01", shown: {}}),
        };
        let campaigns = json!([own, {"Id": "control", "Zone": "*", "Share": 50, "Empty": true}]);
        let kept = preview(&world, &shop, campaigns.clone(), json!({"Group": 49})).await;
        assert_eq!((&kept["Campaign"], &kept["Zone"]), (&json!("control"), &Value::Null), "{kept}");
        let seen = preview(&world, &shop, campaigns, json!({"Group": 50})).await;
        assert_eq!((&seen["Campaign"], seen["Zone"]["items"].is_array()), (&json!("own"), true), "{seen}");
    }
}

async fn a_preview_is_asked_for_so_much_and_no_more(world: World) {
    let shop = shop_with(&world, kinds()).await;
    await_zones(&world, &shop, json!({"zones": ["HP-01"]})).await;
    let most = lethe::limits::RECOMMEND_IDS;
    for (name, taken, refused) in [
        ("Viewed", json!(vec!["p1"; most]), json!(vec!["p1"; most + 1])),
        ("Basket", json!(vec!["p1"; most]), json!(vec!["p1"; most + 1])),
        ("Group", json!(99), json!(100)),
        ("Page", json!("Product_Page"), json!("page")),
    ] {
        for (value, status) in [(taken, 200), (refused, 400)] {
            let reply = world.ask(&shop, "/api/zones/preview", json!({"Zone": "HP-01", name: value})).await;
            assert_eq!(reply.status, status, "{name}: {}", reply.text);
        }
    }
}

async fn what_is_saved_is_never_rounded_up_and_prices_are_in_the_language_of_the_shop(world: World) {
    let shop = world.shop("one").await;
    let chair =
        json!({"Id": "1", "Sku": "1", "Title": "Chair", "Prices": ["10 GBP"], "SalePrices": ["0.05 GBP"]});
    world.complete_feed(&shop, "/one", &json!({"Products": [chair]})).await;
    let item = async || {
        let zones = await_zones(&world, &shop, json!({"zones": ["HP-01"], "currency": "GBP"})).await;
        let item = &zones["HP-01"]["items"][0];
        json!([
            item["DisplayPrice"],
            item["SavingDisplayPrice"],
            item["SavingPercent"],
            zones["HP-01"]["title"]
        ])
    };
    assert_eq!(item().await, json!(["£0.05", "£9.95", 99, "Recommended for you"]));
    world.control("/control/account/search", json!({"Name": "one", "Language": "de"})).await;
    let german = item().await;
    assert_eq!(
        (&german[0], &german[1], &german[2]),
        (&json!("0,05\u{a0}£"), &json!("9,95\u{a0}£"), &json!(99))
    );
    assert_ne!(german[3], "Recommended for you");
}
