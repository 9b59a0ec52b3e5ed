//! Search over HTTP: from feeds and deltas to hits, facets, prices and completions.

use lethe::admission::Tenant;
use lethe::ids::AccountId;
use lethe::limits;
use serde_json::{Value, json};

use crate::support::world::{Reply, Shop, World, on_both_engines};

on_both_engines! {
    what_a_feed_shows_is_found_and_what_a_delta_removes_is_not
    a_product_is_found_by_a_variant_and_counted_once
    filters_are_joined_and_a_facets_own_selection_does_not_narrow_it
    a_price_is_the_same_in_filter_facet_sort_and_display
    who_shows_no_secret_is_not_believed_an_account_or_a_group
    prices_agreed_with_accounts_follow_deltas
    a_price_agreed_for_an_article_number_is_that_of_each_product_with_it
    a_price_of_an_id_that_another_product_has_as_its_number_reaches_both
    an_agreed_price_that_came_while_nobody_searched_is_shown
    a_brand_that_was_renamed_while_nobody_searched_is_found_and_one_index_is_left
    a_feed_that_renames_a_brand_and_changes_products_leaves_each_once
    what_a_delta_hid_is_completed_no_longer_once_the_index_is_made_anew
    a_feed_that_changes_most_products_makes_the_index_anew_at_once
    names_of_brands_and_categories_follow_feeds
    what_is_hidden_is_not_found_by_its_sku
    an_index_goes_on_after_a_restart_and_a_damaged_one_is_made_anew
    an_index_that_is_made_anew_answers_as_before
    the_language_and_the_origins_of_a_shop_are_set
    a_facet_of_few_numbers_has_its_values_with_their_unit
    a_script_of_a_page_reads_answers_where_the_shop_allows_it
    who_searches_without_a_secret_is_held_to_so_many_a_second
    the_searches_of_one_shop_leave_turns_for_another
    a_search_that_cannot_be_is_refused_with_the_reason
    whatever_is_typed_is_text
    what_is_typed_is_completed_and_similar_products_are_found
    one_shop_finds_nothing_of_another
    the_index_of_a_large_feed_is_begun_when_it_is_published
    the_index_before_answers_while_another_is_made
}

/// A search with the access key alone.
async fn search(world: &World, shop: &Shop, mut asked: Value) -> Reply {
    asked["AppKey"] = shop.key.clone().into();
    world.post("/api/search", &asked).await
}

async fn search_items(world: &World, shop: &Shop, asked: Value) -> Value {
    let reply = search(world, shop, asked).await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    reply.json()
}

/// The ids of the hits, in order.
async fn ids(world: &World, shop: &Shop, asked: Value) -> Vec<String> {
    ids_of(&search_items(world, shop, asked).await)
}

fn ids_of(found: &Value) -> Vec<String> {
    let items = found["Items"].as_array().expect("items");
    items.iter().map(|item| item["Id"].as_str().expect("an id").to_owned()).collect()
}

fn chair(id: &str, title: &str, price: &str) -> Value {
    json!({"Id": id, "Sku": format!("SKU-{id}"), "Title": title, "Link": format!("https://shop.example/{id}"),
           "Image": "https://shop.example/i.jpg", "Description": "To sit on", "Brand": "oak", "Categories": ["chairs"],
           "Prices": [price]})
}

/// A small shop with a tree of categories.
async fn furniture(world: &World, name: &str) -> Shop {
    let shop = world.shop(name).await;
    let mut red = chair("1", "Red chair", "10 GBP");
    red["Colour"] = "red".into();
    let mut blue = chair("2", "Blue chair", "20 GBP");
    blue["Colour"] = "blue".into();
    let mut table = chair("3", "Red table", "30 GBP");
    table["Colour"] = "red".into();
    table["Brand"] = "elm".into();
    table["Categories"] = json!(["tables"]);
    table["InStock"] = false.into();
    let feed = json!({
        "Products": [red, blue, table],
        "Categories": [{"Id": "furniture", "DisplayName": "Furniture"},
                       {"Id": "chairs", "DisplayName": "Seating", "ParentIds": ["furniture"]},
                       {"Id": "tables", "DisplayName": "Tables", "ParentIds": ["furniture"]}],
        "Brands": [{"Id": "oak", "DisplayName": "Oakworks"}, {"Id": "elm", "DisplayName": "Elmworks"}],
    });
    world.complete_feed(&shop, &format!("/{name}"), &feed).await;
    shop
}

async fn what_a_feed_shows_is_found_and_what_a_delta_removes_is_not(world: World) {
    let shop = furniture(&world, "one").await;
    let chairs = search_items(&world, &shop, json!({"Query": "red chairs"})).await;
    assert_eq!(ids_of(&chairs)[0], "1", "{chairs}");
    let first = &chairs["Items"][0];
    assert_eq!(
        (&first["Title"], &first["Brand"], &first["Price"], &first["Currency"], &first["InStock"]),
        (&json!("Red chair"), &json!("Oakworks"), &json!(10.0), &json!("GBP"), &json!(true)),
    );
    // The status of a delta is final when a search here sees it.
    world.apply_delta(&shop, json!({"Products": [chair("4", "Velvet armchair", "99 GBP")]})).await;
    assert_eq!(ids(&world, &shop, json!({"Query": "velvet"})).await, ["4"]);
    world.apply_delta(&shop, json!({"DeleteProducts": ["4"]})).await;
    assert_eq!(ids(&world, &shop, json!({"Query": "velvet"})).await, [""; 0]);
    // Nothing typed shows everything.
    assert_eq!(search_items(&world, &shop, json!({})).await["Total"], 3);
    let feed = json!({"Products": [chair("9", "Rattan stool", "1 GBP")]});
    world.complete_feed(&shop, "/one", &feed).await;
    assert_eq!(ids(&world, &shop, json!({})).await, ["9"]);
}

async fn a_product_is_found_by_a_variant_and_counted_once(world: World) {
    let shop = world.shop("one").await;
    let mut chair = chair("1", "Chair", "10 GBP");
    chair["AssociatedIds"] = json!(["1a", "1b"]);
    chair["AssociatedSkus"] = json!(["CH-S", "CH-L"]);
    chair["AssociatedTitles"] = json!(["Chair small", "Chair enormous"]);
    chair["jsonconfig"] = json!({"attributes": {"93": {"code": "colour", "label": "Colour", "options": [
        {"id": "5", "label": "Teal", "products": ["1a"]}, {"id": "6", "label": "Ochre", "products": ["1b"]}]}}})
    .to_string()
    .into();
    world.complete_feed(&shop, "/feed", &json!({"Products": [chair]})).await;
    for (query, variant) in [("CH-L", "1b"), ("ch-s", "1a"), ("enormous chair", "1b"), ("teal chair", "1a")] {
        for sort in ["relevance", "price"] {
            let asked = json!({"Query": query, "Facets": ["Brand"], "Currency": "GBP", "Sort": sort});
            let found = search_items(&world, &shop, asked).await;
            assert_eq!((&found["Total"], &found["Items"][0]["Id"]), (&json!(1), &json!("1")), "{query}");
            assert_eq!(found["Items"][0]["Variant"]["Id"], variant, "{query}, {sort}: {found}");
            assert_eq!(found["Facets"]["Brand"][0]["Count"], 1, "{query}");
        }
    }
}

async fn filters_are_joined_and_a_facets_own_selection_does_not_narrow_it(world: World) {
    let shop = furniture(&world, "one").await;
    let asked = |filters: Value| json!({"Query": "", "Sort": "price", "Filters": filters});
    for (filters, expected) in [
        (json!({"Brand": ["oak"]}), vec!["1", "2"]),
        (json!({"Brand": ["oak", "elm"]}), vec!["1", "2", "3"]),
        (json!({"Category": ["furniture"]}), vec!["1", "2", "3"]),
        (json!({"Category": ["tables"]}), vec!["3"]),
        (json!({"InStock": true}), vec!["1", "2"]),
        (json!({"Attributes": {"Colour": ["red"]}, "Brand": ["oak"]}), vec!["1"]),
    ] {
        assert_eq!(ids(&world, &shop, asked(filters.clone())).await, expected, "{filters}");
    }
    let mut asked = asked(json!({"Brand": ["elm"]}));
    asked["Facets"] = json!(["Brand", "Category", "Attributes.Colour"]);
    let found = search_items(&world, &shop, asked).await;
    let count = |facet: &str, value: &str| {
        let values = found["Facets"][facet].as_array().expect("a facet");
        values.iter().find(|counted| counted["Value"] == value).map(|counted| counted["Count"].clone())
    };
    assert_eq!((count("Brand", "oak"), count("Brand", "elm")), (Some(json!(2)), Some(json!(1))), "{found}");
    assert_eq!((count("Category", "furniture"), count("Category", "chairs")), (Some(json!(1)), None));
    assert_eq!(count("Attributes.Colour", "red"), Some(json!(1)));
}

/// An account without a currency of its own.
async fn without_currency(world: &World) -> Shop {
    let made = world.control("/control/account/create", json!({"Name": "bare"})).await;
    let text = |field: &str| made[field].as_str().expect("a key").to_owned();
    Shop { name: "bare".to_owned(), key: text("AccessKey"), secret: text("SecretKey") }
}

async fn open_priced_shop(world: &World) -> Shop {
    let shop = world.shop("one").await;
    world.complete_feed(&shop, "/feed", &price_rows()).await;
    shop
}

/// Products whose list, sale, group and account prices differ.
fn price_rows() -> Value {
    let mut sale = chair("sale", "Chair on sale", "100 GBP");
    sale["SalePrices"] = json!(["40 GBP"]);
    let mut later = chair("later", "Chair on sale later", "50 GBP");
    later["SalePrices"] = json!(["1 GBP"]);
    later["SalePriceStartDate"] = "2990-01-01".into();
    let mut trade = chair("trade", "Chair of the trade", "60 GBP");
    trade["GroupPrices"] = json!({"trade": {"Prices": ["5 GBP"]}});
    let mut agreed = chair("agreed", "Chair as agreed", "70 GBP");
    agreed["AccountPrices"] = json!({"A-17": {"Prices": ["3 GBP"]}});
    let dollars = chair("dollars", "Chair in dollars", "7 USD");
    json!({"Products": [sale, later, trade, agreed, dollars]})
}

async fn a_price_is_the_same_in_filter_facet_sort_and_display(world: World) {
    let shop = open_priced_shop(&world).await;
    let asked = json!({"Query": "chair", "Currency": "GBP", "Sort": "price", "Facets": ["Price"]});
    let all = search_items(&world, &shop, asked.clone()).await;
    assert_eq!(ids_of(&all), ["sale", "later", "trade", "agreed"], "{all}");
    let prices: Vec<_> = all["Items"].as_array().expect("items").iter().map(|item| &item["Price"]).collect();
    assert_eq!(prices, [&json!(40.0), &json!(50.0), &json!(60.0), &json!(70.0)]);
    assert_eq!(
        (&all["Facets"]["Price"]["Min"], &all["Facets"]["Price"]["Max"]),
        (&json!(40.0), &json!(70.0))
    );
    assert_eq!(all["Items"][0]["ListPrice"], 100.0);
    let mut between = asked.clone();
    between["Filters"] = json!({"Price": {"From": 40, "To": 50}});
    assert_eq!(ids(&world, &shop, between).await, ["sale", "later"]);
    // Without a currency it is the account's. With neither all appear, each with its first price, and none can be
    // compared.
    assert_eq!(search_items(&world, &shop, json!({"Query": "chair"})).await["Total"], 4);
    let bare = without_currency(&world).await;
    world.complete_feed(&bare, "/bare", &price_rows()).await;
    assert_eq!(search_items(&world, &bare, json!({"Query": "chair"})).await["Total"], 5);
    for asked in [
        json!({"Query": "chair", "Sort": "price"}),
        json!({"Filters": {"Price": {"From": 1}}}),
        json!({"Facets": ["Price"]}),
    ] {
        let sentence = search(&world, &bare, asked.clone()).await.expect_refusal(400);
        assert!(sentence.contains("Currency"), "{asked}: {sentence}");
    }
}

async fn who_shows_no_secret_is_not_believed_an_account_or_a_group(world: World) {
    let shop = open_priced_shop(&world).await;
    let asked =
        |name: &str, value: &str| json!({"Query": "chair", "Currency": "GBP", "Sort": "price", name: value});
    for (name, value, cheapest) in
        [("GroupId", "trade", ("trade", 5.0)), ("AccountId", "A-17", ("agreed", 3.0))]
    {
        let claimed = search_items(&world, &shop, asked(name, value)).await;
        assert_eq!(claimed["Items"][0]["Id"], "sale", "{name}");
        let proved = world.ask_json(&shop, "/api/search", asked(name, value)).await;
        let first = &proved["Items"][0];
        assert_eq!(
            (first["Id"].as_str(), first["Price"].as_f64()),
            (Some(cheapest.0), Some(cheapest.1)),
            "{name}"
        );
    }
}

async fn prices_agreed_with_accounts_follow_deltas(world: World) {
    let shop = open_priced_shop(&world).await;
    let price = async |id: &str| {
        let asked = json!({"Query": "chair", "Currency": "GBP", "AccountId": "B-2"});
        let found = world.ask_json(&shop, "/api/search", asked).await;
        let items = found["Items"].as_array().expect("items").clone();
        items.iter().find(|item| item["Id"] == id).map(|item| item["Price"].clone())
    };
    assert_eq!(price("later").await, Some(json!(50.0)));
    let agreed = json!({"AccountId": "B-2", "Id": "later", "Prices": ["11 GBP"]});
    world.apply_delta(&shop, json!({"AccountPrices": [agreed]})).await;
    assert_eq!(price("later").await, Some(json!(11.0)));
    world.apply_delta(&shop, json!({"DeleteAccountPrices": [{"AccountId": "B-2", "Id": "later"}]})).await;
    assert_eq!(price("later").await, Some(json!(50.0)));
}

async fn a_price_agreed_for_an_article_number_is_that_of_each_product_with_it(world: World) {
    let shop = world.shop("one").await;
    let mut chairs = ["1", "2", "3", "4"].map(|id| chair(id, "Chair", "50 GBP"));
    chairs.iter_mut().for_each(|chair| chair["Sku"] = "CH-7".into());
    let [first, second, third, fourth] = chairs;
    world.complete_feed(&shop, "/feed", &json!({"Products": [first, second]})).await;
    let prices = async || {
        let asked = json!({"Sort": "title", "AccountId": "B-2"});
        let found = world.ask_json(&shop, "/api/search", asked).await;
        let items = found["Items"].as_array().expect("items").iter();
        items.filter_map(|item| item["Price"].as_f64()).collect::<Vec<_>>()
    };
    assert_eq!(prices().await, [50.0, 50.0]);
    let agreed = |price: &str| json!([{"AccountId": "B-2", "Sku": "CH-7", "Prices": [price]}]);
    world.apply_delta(&shop, json!({"AccountPrices": agreed("11 GBP")})).await;
    assert_eq!(prices().await, [11.0, 11.0]);
    // Also for products that come in the same step.
    world.delta(&shop, json!({"Products": [third, fourth]})).await;
    world.apply_delta(&shop, json!({"AccountPrices": agreed("12 GBP")})).await;
    assert_eq!(prices().await, [12.0; 4]);
}

async fn a_price_of_an_id_that_another_product_has_as_its_number_reaches_both(world: World) {
    let shop = world.shop("one").await;
    let mut set = chair("set", "Set of chairs", "50 GBP");
    set["AssociatedIds"] = json!(["single"]);
    let feed = |title: &str, price: &str| {
        json!({"Products": [set, chair("single", title, "50 GBP")],
               "AccountPrices": [{"AccountId": "B-2", "Id": "single", "Prices": [price]}]})
    };
    let prices = async || {
        let asked = json!({"Sort": "title", "AccountId": "B-2"});
        let found = world.ask_json(&shop, "/api/search", asked).await;
        let items = found["Items"].as_array().expect("items").iter();
        items.filter_map(|item| item["Price"].as_f64()).collect::<Vec<_>>()
    };
    world.complete_feed(&shop, "/first", &feed("Chair", "12 GBP")).await;
    assert_eq!(prices().await, [12.0, 12.0]);
    // The one that has the id comes with the price, the other does not.
    world.complete_feed(&shop, "/second", &feed("Chair of oak", "9 GBP")).await;
    assert_eq!(prices().await, [9.0, 9.0]);
}

async fn an_agreed_price_that_came_while_nobody_searched_is_shown(mut world: World) {
    let shop = open_priced_shop(&world).await;
    let price = async |world: &World| {
        let asked = json!({"Query": "later", "Currency": "GBP", "AccountId": "B-2"});
        world.ask_json(&shop, "/api/search", asked).await["Items"][0]["Price"].clone()
    };
    assert_eq!(price(&world).await, 50.0);
    world.restart().await;
    let agreed = json!({"AccountId": "B-2", "Id": "later", "Prices": ["11 GBP"]});
    world.apply_delta(&shop, json!({"AccountPrices": [agreed]})).await;
    assert_eq!(price(&world).await, 11.0);
}

async fn a_brand_that_was_renamed_while_nobody_searched_is_found_and_one_index_is_left(mut world: World) {
    let shop = furniture(&world, "one").await;
    assert_eq!(ids(&world, &shop, json!({"Query": "elmworks"})).await, ["3"]);
    world.restart().await;
    let feed =
        json!({"Brands": [{"Id": "oak", "DisplayName": "Quercus"}, {"Id": "elm", "DisplayName": "Ulmus"}]});
    world.complete_feed(&shop, "/brands", &feed).await;
    assert_eq!(ids(&world, &shop, json!({"Query": "ulmus"})).await, ["3"]);
    let folders = std::fs::read_dir(world.config.data_dir.join("search/1")).expect("a folder").count();
    assert_eq!(folders, 1);
}

async fn a_feed_that_renames_a_brand_and_changes_products_leaves_each_once(world: World) {
    let shop = furniture(&world, "one").await;
    assert_eq!(search_items(&world, &shop, json!({})).await["Total"], 3);
    let mut table = chair("3", "Red table with a drawer", "30 GBP");
    table["Brand"] = "elm".into();
    let feed = json!({
        "Products": [chair("1", "Red chair", "11 GBP"), chair("2", "Blue chair", "20 GBP"), table],
        "Brands": [{"Id": "oak", "DisplayName": "Quercus"}, {"Id": "elm", "DisplayName": "Ulmus"}],
    });
    world.complete_feed(&shop, "/one", &feed).await;
    assert_eq!(search_items(&world, &shop, json!({})).await["Total"], 3);
    assert_eq!(ids(&world, &shop, json!({"Query": "ulmus"})).await, ["3"]);
    assert_eq!(ids(&world, &shop, json!({"Query": "drawer"})).await, ["3"]);
}

async fn what_a_delta_hid_is_completed_no_longer_once_the_index_is_made_anew(world: World) {
    let shop = furniture(&world, "one").await;
    let offered = async || {
        let asked = json!({"AppKey": shop.key, "Query": "blue ch"});
        world.post("/api/autocomplete", &asked).await.json()["Queries"].as_array().expect("queries").len()
    };
    assert!(offered().await > 0);
    let mut hidden = chair("2", "Blue chair", "20 GBP");
    hidden["ExcludeFromSearch"] = true.into();
    world.apply_delta(&shop, json!({"Products": [hidden]})).await;
    world.control("/control/account/search/renew", json!({"Name": "one"})).await;
    assert_eq!(offered().await, 0);
}

async fn a_feed_that_changes_most_products_makes_the_index_anew_at_once(world: World) {
    // Counted from the first look on.
    world.get("/metrics").await;
    let shop = world.shop("one").await;
    let feed = |price: &str| {
        let products: Vec<_> = (0..400).map(|n| chair(&n.to_string(), "Red chair", price)).collect();
        json!({ "Products": products })
    };
    world.complete_feed(&shop, "/one", &feed("10 GBP")).await;
    let at = |price: u32| json!({"Query": "chair", "Filters": {"Price": {"From": price, "To": price}}, "Currency": "GBP"});
    assert_eq!(search_items(&world, &shop, at(10)).await["Total"], 400);
    world.complete_feed(&shop, "/two", &feed("11 GBP")).await;
    assert_eq!(search_items(&world, &shop, at(10)).await["Total"], 0);
    assert_eq!(search_items(&world, &shop, at(11)).await["Total"], 400);
    world.apply_delta(&shop, json!({"Products": [chair("7", "Red chair", "12 GBP")]})).await;
    assert_eq!(ids(&world, &shop, at(12)).await, ["7"]);
    let metrics = world.get("/metrics").await.text;
    let written = metrics.lines().find_map(|line| line.strip_prefix("lethe_search_written_products_total "));
    // Built, changed up to a quarter and one, rebuilt, and the product of the delta.
    assert_eq!(written, Some("902"));
    let folders = std::fs::read_dir(world.config.data_dir.join("search/1")).expect("a folder").count();
    assert_eq!(folders, 1);
}

async fn names_of_brands_and_categories_follow_feeds(world: World) {
    let shop = furniture(&world, "one").await;
    assert_eq!(ids(&world, &shop, json!({"Query": "elmworks"})).await, ["3"]);
    assert_eq!(ids(&world, &shop, json!({"Query": "seating"})).await.len(), 2);
    let feed =
        json!({"Brands": [{"Id": "oak", "DisplayName": "Quercus"}, {"Id": "elm", "DisplayName": "Ulmus"}]});
    world.complete_feed(&shop, "/brands", &feed).await;
    assert_eq!(ids(&world, &shop, json!({"Query": "elmworks"})).await, [""; 0]);
    assert_eq!(ids(&world, &shop, json!({"Query": "ulmus"})).await, ["3"]);
}

async fn what_is_hidden_is_not_found_by_its_sku(world: World) {
    let shop = world.shop("one").await;
    let mut hidden = chair("1", "Hidden chair", "10 GBP");
    hidden["ExcludeFromSearch"] = true.into();
    let mut theirs = chair("2", "Chair of theirs", "10 GBP");
    theirs["AccountInclusions"] = json!(["A-17"]);
    let feed = json!({"Products": [hidden, theirs, chair("3", "Chair", "10 GBP")]});
    world.complete_feed(&shop, "/feed", &feed).await;
    for query in ["SKU-1", "1", "SKU-2", "hidden", "theirs"] {
        let found = ids(&world, &shop, json!({"Query": query})).await;
        assert!(found.iter().all(|id| id == "3"), "{query}: {found:?}");
    }
    let proved = world.ask_json(&shop, "/api/search", json!({"Query": "SKU-2", "AccountId": "A-17"})).await;
    assert_eq!(ids_of(&proved)[0], "2");
}

async fn an_index_goes_on_after_a_restart_and_a_damaged_one_is_made_anew(mut world: World) {
    let shop = furniture(&world, "one").await;
    let asked = json!({"Query": "red chair", "Facets": ["Brand", "Attributes.Colour"]});
    let answer = async |world: &World| {
        let mut found = search_items(world, &shop, asked.clone()).await;
        found["TookMicros"].take();
        found["RefId"].take();
        found
    };
    let before = answer(&world).await;
    world.restart().await;
    assert_eq!(answer(&world).await, before);
    world.stop().await;
    for file in files_below(&world.config.data_dir.join("search")) {
        let length = std::fs::metadata(&file).expect("a file").len();
        let opened = std::fs::OpenOptions::new().write(true).open(&file).expect("a file");
        opened.set_len(length / 2).expect("half a file");
    }
    world.restart().await;
    assert_eq!(answer(&world).await, before);
}

fn files_below(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() { files.extend(files_below(&path)) } else { files.push(path) }
    }
    files
}

async fn an_index_that_is_made_anew_answers_as_before(world: World) {
    let shop = furniture(&world, "one").await;
    assert_eq!(ids(&world, &shop, json!({"Query": "red"})).await.len(), 2);
    world.apply_delta(&shop, json!({"Products": [chair("4", "Red armchair", "99 GBP")]})).await;
    let renewed = world.control("/control/account/search/renew", json!({"Name": "one"})).await;
    assert_eq!(renewed, json!({"Name": "one", "Products": 4}));
    assert_eq!(ids(&world, &shop, json!({"Query": "red"})).await.len(), 3);
    let folders = std::fs::read_dir(world.config.data_dir.join("search/1")).expect("a folder").count();
    assert_eq!(folders, 1, "the index before is gone");
}

async fn the_language_and_the_origins_of_a_shop_are_set(world: World) {
    let shop = world.shop("one").await;
    let feed = json!({"Products": [chair("1", "Rote Stühle", "1 GBP"), chair("2", "Tisch", "1 GBP")]});
    world.complete_feed(&shop, "/feed", &feed).await;
    let set = |body: Value| {
        let mut body = body;
        body["Name"] = "one".into();
        world.control("/control/account/search", body)
    };
    assert_eq!(
        set(json!({})).await,
        json!({"Name": "one", "Language": "en", "Attributes": [], "Origins": [], "Pictures": [], "Synonyms": "",
            "Popularity": true, "BoughtTogether": "likely", "GroupBy": ""})
    );
    let answer =
        set(json!({"Language": "de", "Origins": ["https://Shop.example:443/"], "Attributes": ["Colour"],
            "Popularity": "false", "BoughtTogether": "specific", "GroupBy": "Colour"}));
    let expected = json!({"Name": "one", "Language": "de", "Attributes": ["Colour"],
                          "Origins": ["https://shop.example"], "Pictures": [], "Synonyms": "",
                          "Popularity": false, "BoughtTogether": "specific", "GroupBy": "Colour"});
    assert_eq!(answer.await, expected);
    assert_eq!(set(json!({})).await, expected);
    world.control("/control/account/search/renew", json!({"Name": "one"})).await;
    assert_eq!(ids(&world, &shop, json!({"Query": "roter stuhl"})).await[0], "1");
    for wrong in [
        json!({"Language": "xx"}),
        json!({"Origins": ["shop"]}),
        json!({"Attributes": [""]}),
        json!({"BoughtTogether": "much"}),
        json!({"GroupBy": "a\nb"}),
    ] {
        let mut body = wrong.clone();
        body["Name"] = "one".into();
        let (status, _) = world.control_answer("/control/account/search", body).await;
        assert_eq!(status, 400, "{wrong}");
    }
}

async fn a_facet_of_few_numbers_has_its_values_with_their_unit(world: World) {
    let shop = world.shop("one").await;
    let wide = |id: usize, width: &str| {
        let mut product = chair(&id.to_string(), "Oak chair", "1 GBP");
        product["Attributes"] = json!({"Width": [width], "Depth": [format!("{} cm", 10 + id)]});
        product
    };
    let products: Vec<_> = (0..30).map(|id| wide(id, ["40 cm", "45 cm", "45 cm"][id % 3])).collect();
    world.complete_feed(&shop, "/feed", &json!({"Products": products})).await;
    let asked = json!({"Query": "chair", "Facets": ["Attributes.Width", "Attributes.Depth"]});
    let facets = search_items(&world, &shop, asked).await["Facets"].clone();
    let values =
        json!([{"Value": "45", "Name": "45 cm", "Count": 20}, {"Value": "40", "Name": "40 cm", "Count": 10}]);
    assert_eq!(facets["Attributes.Width"], values);
    let depth = &facets["Attributes.Depth"];
    assert_eq!(
        (&depth["Min"], &depth["Max"], &depth["Unit"]),
        (&json!(10.0), &json!(39.0), &json!("cm")),
        "{depth}"
    );
    let narrow = json!({"Query": "chair", "Filters": {"Attributes": {"Width": ["40"]}}, "Facets": ["*"]});
    let narrow = search_items(&world, &shop, narrow).await;
    assert_eq!((&narrow["Total"], &narrow["Facets"]["Attributes.Width"]), (&json!(10), &values));
}

async fn a_script_of_a_page_reads_answers_where_the_shop_allows_it(world: World) {
    let shop = furniture(&world, "one").await;
    let origins = json!({"Name": "one", "Origins": ["https://shop.example"]});
    world.control("/control/account/search", origins).await;
    let ask = async |origin: &str, sort: &str| {
        let asked = json!({"AppKey": shop.key, "Query": "chair", "Sort": sort});
        let request = world.request("POST", "/api/search").header("origin", origin);
        let request = request.header("content-type", "application/json").body(asked.to_string());
        let reply = world.send(request).await;
        (reply.status, reply.header("access-control-allow-origin").to_owned())
    };
    assert_eq!(ask("https://shop.example", "price").await, (200, "https://shop.example".to_owned()));
    assert_eq!(ask("https://other.example", "price").await, (200, String::new()));
    // The reason for a refusal is no secret of the shop, and the page's author needs it.
    for origin in ["https://shop.example", "https://other.example"] {
        assert_eq!(ask(origin, "nearest").await, (400, "*".to_owned()), "{origin}");
    }
    let preflight = world.send(world.request("OPTIONS", "/api/search")).await;
    assert_eq!((preflight.status, preflight.header("access-control-allow-methods")), (204, "GET, POST"));
}

async fn who_searches_without_a_secret_is_held_to_so_many_a_second(world: World) {
    let shop = furniture(&world, "one").await;
    let mut refused = None;
    for _ in 0..=limits::SEARCHES_AT_A_STROKE + 20 * limits::SEARCHES_PER_SECOND {
        let reply = search(&world, &shop, json!({"Query": "chair", "Size": 1})).await;
        if reply.status == 429 {
            refused = Some(reply);
            break;
        }
    }
    let refused = refused.expect("a refusal");
    assert_eq!(refused.header("retry-after"), "1");
    // A caller with the secret is held to the account's share of the work alone.
    let proved = world.ask(&shop, "/api/search", json!({"Query": "chair"})).await;
    assert_eq!(proved.status, 200, "{}", proved.text);
}

async fn the_searches_of_one_shop_leave_turns_for_another(world: World) {
    let one = furniture(&world, "one").await;
    let two = furniture(&world, "two").await;
    for shop in [&one, &two] {
        assert_eq!(search_items(&world, shop, json!({"Query": "chair"})).await["Total"], 2);
    }
    let searches = world.node().resources.searches.clone();
    let mut turns = Vec::new();
    while let Some(turn) = searches.try_take(Tenant::Account(AccountId(1)), 1) {
        turns.push(turn);
    }
    assert_eq!(turns.len(), limits::SEARCHES_OF_ACCOUNT);
    assert_eq!(search(&world, &one, json!({"Query": "chair"})).await.status, 503);
    assert_eq!(search(&world, &two, json!({"Query": "chair"})).await.status, 200);
}

async fn a_search_that_cannot_be_is_refused_with_the_reason(world: World) {
    let shop = furniture(&world, "one").await;
    for (asked, says) in [
        (json!({"Query": 7}), "Query"),
        (json!({"Page": 0}), "Page"),
        (json!({"Size": 251}), "Size has to be 0 to 250"),
        (json!({"Page": 500, "Size": 250}), "10000"),
        (json!({"Sort": "colour"}), "Sort"),
        (json!({"Facets": ["Nothing"]}), "Facets"),
        (json!({"Filters": {"Nothing": ["a"]}}), "Filters"),
        (json!({"Filters": {"Price": {"From": "x"}}, "Currency": "GBP"}), "Price"),
        (json!({"Currency": "Euro"}), "Currency"),
        (json!({"Language": "de"}), "Language"),
        (json!({"Fields": "x", "Highlight": "maybe"}), "Highlight"),
    ] {
        let sentence = search(&world, &shop, asked.clone()).await.expect_refusal(400);
        assert!(sentence.contains(says), "{asked}: {sentence}");
    }
    let wrong = world.post("/api/search", &json!({"AppKey": "nobody", "Query": "x"})).await;
    wrong.expect_refusal(403);
    let address = format!("/api/search?AppKey={}&Query=red+chair&UserToken=x", shop.key);
    let sentence = world.get(&address).await.expect_refusal(400);
    assert!(sentence.contains("UserToken"), "{sentence}");
    let address = format!(
        "/api/search?AppKey={}&Query=red+chair&Size=1&Facets=Brand,Category&Filters=%7B%22Brand%22%3A%5B%22oak%22%5D%7D",
        shop.key
    );
    assert_eq!(world.get(&address).await.json()["Items"][0]["Id"], "1");
}

async fn whatever_is_typed_is_text(world: World) {
    let shop = furniture(&world, "one").await;
    let long = "chair ".repeat(1_700);
    let typed = [
        long.as_str(),
        "\"red",
        "red*",
        "(red OR",
        "-red",
        "a:b",
        "red\u{1}chair",
        "\u{202e}red",
        "'; DROP TABLE account; --",
        "^.*$",
        "\\",
        "title:red^10",
        "🪑",
        "   ",
        "%_",
        "[1 TO 2]",
        "~1",
    ];
    for typed in typed {
        let reply = search(&world, &shop, json!({"Query": typed})).await;
        assert_eq!(reply.status, 200, "{typed:?}: {}", reply.text);
    }
}

async fn what_is_typed_is_completed_and_similar_products_are_found(world: World) {
    let shop = furniture(&world, "one").await;
    let ask = async |path: &str, mut asked: Value| {
        asked["AppKey"] = shop.key.clone().into();
        let reply = world.post(path, &asked).await;
        assert_eq!(reply.status, 200, "{}", reply.text);
        reply.json()
    };
    let completed = ask("/api/autocomplete", json!({"Query": "oakw"})).await;
    assert_eq!(completed["Brands"][0]["Text"], "Oakworks", "{completed}");
    let completed = ask("/api/autocomplete", json!({"Query": "red cha"})).await;
    let offered = json!({"Text": "Red chair", "Id": "1", "Image": "https://shop.example/i.jpg", "Price": 10.0, "Currency": "GBP"});
    assert_eq!(completed["Products"][0], offered, "{completed}");
    let similar = ask("/api/similar", json!({"Id": "1", "Size": 2})).await;
    assert!(!ids_of(&similar).contains(&"1".to_owned()), "{similar}");
    world.post("/api/similar", &json!({"AppKey": shop.key, "Id": "nothing"})).await.expect_refusal(404);
}

async fn one_shop_finds_nothing_of_another(world: World) {
    let one = furniture(&world, "one").await;
    let two = world.shop("two").await;
    world.complete_feed(&two, "/two", &json!({"Products": [chair("z", "Green sofa", "1 GBP")]})).await;
    assert_eq!(ids(&world, &one, json!({"Query": "sofa"})).await, [""; 0]);
    assert_eq!(ids(&world, &two, json!({"Query": "seating"})).await, [""; 0]);
    assert_eq!(ids(&world, &two, json!({"Query": "sofa"})).await, ["z"]);
}

/// Before any search: a small index is built when a search comes.
async fn the_index_of_a_large_feed_is_begun_when_it_is_published(world: World) {
    let few = world.shop("few").await;
    let many = world.shop("many").await;
    let feed = |count: i64| {
        let products: Vec<_> = (0..count).map(|n| json!({"Id": n, "Title": "Chair"})).collect();
        json!({"Products": products})
    };
    let is_begun = |shop: &Shop| {
        let key = shop.key.clone();
        let node = world.node().clone();
        async move {
            let known = node.directory.find(&node.store, &key).await.expect("a store").expect("an account");
            node.derived.searches().shown_if_open(known.account.id).is_some()
        }
    };
    world.complete_feed(&few, "/few", &feed(lethe::limits::SEARCH_BEGUN_PRODUCTS - 1)).await;
    world.complete_feed(&many, "/many", &feed(lethe::limits::SEARCH_BEGUN_PRODUCTS)).await;
    for _ in 0..3000 {
        if is_begun(&many).await {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    assert!(is_begun(&many).await);
    assert!(!is_begun(&few).await);
}

async fn the_index_before_answers_while_another_is_made(mut world: World) {
    let count = lethe::limits::SEARCH_BEGUN_PRODUCTS - 1;
    let shop = world.shop("one").await;
    let feed = |brand: &str| {
        let product =
            |n: i64| json!({"Id": n, "Title": format!("Chair {n}"), "Brand": "oak", "Prices": ["1 GBP"]});
        let products: Vec<_> = (0..count).map(product).collect();
        json!({"Products": products, "Brands": [{"Id": "oak", "DisplayName": brand}]})
    };
    world.complete_feed(&shop, "/one", &feed("Oakworks")).await;
    assert_eq!(search_items(&world, &shop, json!({"Query": "oakworks"})).await["Total"], count);
    world.restart().await;
    // A brand's name stands in each of its products, and these were not noted: the index is rebuilt.
    world.complete_feed(&shop, "/one", &feed("Quercus")).await;
    let ask = async |number: u64| {
        tokio::time::sleep(std::time::Duration::from_millis(6 * number)).await;
        search_items(&world, &shop, json!({"Query": "oakworks"})).await
    };
    let searches = (0..100).map(ask);
    let all = futures_util::future::join_all(searches).await;
    let outdated: Vec<_> = all.iter().filter(|told| told["IndexAgeSeconds"].is_u64()).collect();
    assert!(!outdated.is_empty() && outdated.iter().all(|told| told["Total"] == count), "{outdated:?}");
    let made = loop {
        let told = search_items(&world, &shop, json!({"Query": "quercus"})).await;
        if told.get("IndexAgeSeconds").is_none() {
            break told;
        }
    };
    assert_eq!(made["Total"], count);
}
