//! Names of fields and sections that are like documented ones are told, and nothing else changes by it.

use lethe::feeds::fields::{self, FieldType};
use lethe::feeds::issue::{IssueCode, Severity};
use lethe::feeds::rows::NormaliserContext;
use lethe::work::delta_read;
use serde_json::{Value, json};

use crate::support::feed_server::Answer;
use crate::support::program::Program;
use crate::support::uploads;
use crate::support::world::{Shop, World, on_both_engines};

on_both_engines! {
    near_misses_of_names_are_told_and_stay_attributes
    near_misses_of_sections_are_told
    a_delta_without_a_known_section_is_refused
    names_of_people_s_fields_are_told_without_their_own_words
    columns_of_an_order_file_that_are_like_others_are_told
    what_a_million_rows_misname_is_counted
    categories_that_are_named_by_their_titles_are_told
}

/// Written from that page alone, with most of its fields.
const ALONE: &str = include_str!("fields_alone.json");
const PAGE: &str = include_str!("../../../docs/fields.md");
const FEEDS_PAGE: &str = include_str!("../../../docs/feeds.md");

/// `[Section, Row, Field, Meant]` of each issue with a code that names the intended field.
async fn meant(world: &World, shop: &Shop, token: &str) -> Vec<Value> {
    let found = world.ask_json(shop, "/api/issues", json!({"Token": token})).await;
    let issues = found["Issues"].as_array().expect("a list").iter();
    let meant = issues.filter(|issue| !issue["Meant"].is_null());
    meant.map(|issue| json!([issue["Section"], issue["Row"], issue["Field"], issue["Meant"]])).collect()
}

async fn near_misses_of_names_are_told_and_stay_attributes(world: World) {
    let shop = world.shop("one").await;
    let row = json!({"Id": "1", "name": "Oak chair", "url": "https://shop.example/1", "price": "9 GBP",
                     "in_stock": true, "Colour": "oak", "Image2": "x"});
    let feed = json!({"Products": [row, {"Id": "2", "Title": "T", "name": "own"}]});
    let url = world.feeds.serve("/f", [Answer::ok(feed.to_string())]);
    let token = world.feed(&shop, &url).await;
    world.run_all_jobs().await;
    assert_eq!(world.feed_status(&shop, &token).await, json!(["Complete", null]));
    let expected = [("name", "Title"), ("url", "Link"), ("price", "Prices"), ("in_stock", "InStock")];
    let expected = expected.map(|(field, meant)| json!(["Products", 1, field, meant]));
    assert_eq!(meant(&world, &shop, &token).await, expected);
    let attributes = json!({"name": "Oak chair", "url": "https://shop.example/1", "price": "9 GBP",
                            "in_stock": true, "Colour": "oak", "Image2": "x"});
    assert_eq!(world.item(&shop, "Products", "1").await["Attributes"], attributes);

    let token = world.delta(&shop, feed).await;
    world.run_all_jobs().await;
    assert_eq!(world.delta_status(&shop, &token).await, json!([1, null]));
    assert_eq!(meant(&world, &shop, &token).await, expected);
    let bad = world.delta(&shop, json!({"AccountPrices": [{"Account": "a", "Sku": "1", "Price": 1}]})).await;
    world.run_all_jobs().await;
    let expected =
        [json!(["AccountPrices", 1, "account", "AccountId"]), json!(["AccountPrices", 1, "price", "Prices"])];
    assert_eq!(meant(&world, &shop, &bad).await, expected, "a bad row says so too");
    let csv = json!({"Token": bad, "Format": "csv"});
    let csv = world.ask(&shop, "/api/issues", csv).await.text;
    assert!(csv.contains("field_misnamed,warning,price,1,") && csv.contains(",Prices,\n"), "{csv}");
}

async fn near_misses_of_sections_are_told(world: World) {
    let shop = world.shop("one").await;
    let products = json!([{"Id": "1"}]);
    let feed = json!({"Version": 2, "Products": products, "Categorys": [{"Id": "c"}], "Brandz": "x"});
    let lines = "{\"FileType\":\"ndjson\"}\n{\"Type\":\"Products\"}\n{\"Id\":\"1\"}\n{\"Type\":\"Categorys\"}\n{\"Id\":\"c\"}";
    for (path, body) in [("/json", feed.to_string()), ("/lines", lines.to_owned())] {
        let url = world.feeds.serve(path, [Answer::ok(body)]);
        let token = world.feed(&shop, &url).await;
        world.run_all_jobs().await;
        assert_eq!(world.feed_status(&shop, &token).await, json!(["Complete", null]));
        let expected = [json!(["Categories", null, "Categorys", "Categories"])];
        assert_eq!(meant(&world, &shop, &token).await, expected, "{path}");
    }
    let url = world.feeds.serve("/none", [Answer::ok(json!({"Produkts": products}).to_string())]);
    let token = world.feed(&shop, &url).await;
    world.run_all_jobs().await;
    let sentence = "the feed holds none of Products, Categories, Brands, Users and AccountPrices; \
                    a name in it is like Products";
    assert_eq!(world.feed_status(&shop, &token).await, json!(["Error", sentence]));

    let delta = json!({"DeleteProducts": [], "Produkts": products, "Userz": [{"UserId": 7}], "Own": [1]});
    let token = world.delta(&shop, delta).await;
    world.run_all_jobs().await;
    assert_eq!(world.delta_status(&shop, &token).await, json!([1, null]));
    let expected = [json!(["Products", null, "Produkts", "Products"]), json!(["Users", null, null, "Users"])];
    assert_eq!(meant(&world, &shop, &token).await, expected);
}

async fn a_delta_without_a_known_section_is_refused(world: World) {
    let shop = world.shop("one").await;
    let refused = async |delta: Value| world.ask(&shop, "/api/delta", delta).await.expect_refusal(400);
    let sections = "The delta has none of the sections Products, AccountPrices, Users, DeleteProducts, \
                    DeleteAccountPrices, DeleteUsers, SetCategoryOnProducts, RemoveCategoryFromProducts, \
                    SetVariants, DeleteVariants";
    assert_eq!(refused(json!({"Produkts": []})).await, format!("{sections}; a name in it is like Products"));
    assert_eq!(refused(json!({"Canary": [{"Id": 1}], "Format": "x"})).await, sections);
    for fine in [
        json!({}),
        json!({"Format": "pureclarity_json"}),
        json!({"Products": []}),
        json!({"Products": null, "Canary": [1]}),
        json!({"DeleteProducts": "", "Products": []}),
    ] {
        let token = world.delta(&shop, fine).await;
        world.run_all_jobs().await;
        assert_eq!(world.delta_status(&shop, &token).await, json!([1, null]));
    }
}

async fn names_of_people_s_fields_are_told_without_their_own_words(world: World) {
    let shop = world.shop("one").await;
    let users =
        json!({"Users": [{"UserId": "7", "Mail": "ada@shop.example", "Citty": "Ulm", "Ann's news": 1}]});
    let token = world.delta(&shop, users).await;
    world.run_all_jobs().await;
    let expected = [json!(["Users", 1, "mail", "Email"])];
    assert_eq!(meant(&world, &shop, &token).await, expected);
    let token = world.delta(&shop, json!({"Users": [{"UserId": "8", "Countryy": "GB"}]})).await;
    world.run_all_jobs().await;
    assert_eq!(meant(&world, &shop, &token).await, [json!(["Users", 1, null, "Country"])]);
}

async fn columns_of_an_order_file_that_are_like_others_are_told(world: World) {
    let shop = world.shop("one").await;
    let header = "OrderID,UserId,DateTime,ProdCode,Qty,Price\n";
    let row = "1001,7,2026-11-01 12:00:00,chair-1,2,9.00\n";
    let token = uploads::send_feed(&world, &shop, "orders-1", &[header, row]).await;
    world.run_all_jobs().await;
    assert_eq!(world.feed_status(&shop, &token).await, json!(["Complete", null]));
    let expected =
        [json!(["Orders", null, "qty", "Quantity"]), json!(["Orders", null, "price", "UnitPrice"])];
    assert_eq!(meant(&world, &shop, &token).await, expected);
}

async fn what_a_million_rows_misname_is_counted(world: World) {
    let shop = world.shop("one").await;
    let rows: Vec<_> = (0..20_000).map(|n| json!({"Id": n, "Title": "T", "price": "1 GBP"})).collect();
    let url = world.feeds.serve("/f", [Answer::ok(json!({"Products": rows}).to_string())]);
    let token = world.feed(&shop, &url).await;
    world.run_all_jobs().await;
    let found = world.ask_json(&shop, "/api/issues", json!({"Token": token})).await;
    assert_eq!(found["Kept"], lethe::limits::ROW_ISSUES_KEPT);
    let counts = found["Counts"].as_array().expect("counts").iter();
    let counted = counts.filter(|count| count["Code"] == "field_misnamed").collect::<Vec<_>>();
    assert_eq!(counted.len(), 1);
    assert_eq!((&counted[0]["Count"], &counted[0]["FirstRows"]), (&json!(20_000), &json!([1, 2, 3, 4, 5])));
}

async fn categories_that_are_named_by_their_titles_are_told(world: World) {
    let shop = world.shop("one").await;
    let product = |id: u64, categories: Value| json!({"Id": id, "Title": "T", "Categories": categories});
    let feed = json!({
        "Products": [product(1, json!(["c1"])), product(2, json!(["Chairs", "unknown"])), product(3, json!(" Chairs ")),
                     product(4, json!(["Tables"]))],
        "Categories": [{"Id": "c1", "DisplayName": "Chairs"}, {"Id": "Tables", "DisplayName": "Tables"}],
    });
    let url = world.feeds.serve("/f", [Answer::ok(feed.to_string())]);
    let token = world.feed(&shop, &url).await;
    world.run_all_jobs().await;
    let found =
        world.ask_json(&shop, "/api/issues", json!({"Token": token, "Code": "category_by_title"})).await;
    let count = &found["Counts"][0];
    let told = (&count["Section"], &count["Count"], &count["FirstRows"]);
    assert_eq!(told, (&json!("Products"), &json!(2), &json!([2, 3])));
}

#[test]
fn the_page_of_fields_is_the_one_that_the_program_makes() {
    let made = fields::page::page();
    assert!(PAGE == made, "write docs/fields.md with: lethe check --fields --markdown > docs/fields.md");
}

#[test]
fn a_feed_written_from_the_page_alone_has_neither_bad_rows_nor_warnings() {
    let ended = Program::new().run_with("check - --json", ALONE);
    assert_eq!(ended.code, 0, "{}", ended.err);
    let checked = ended.json();
    assert_eq!(
        (&checked["Verdict"], &checked["Bad"], &checked["Counts"]),
        (&json!("Complete"), &json!(0), &json!([]))
    );
    let feed: Value = serde_json::from_str(ALONE).expect("JSON");
    for rows in fields::SECTIONS.into_iter().filter(|rows| rows.stands_in.is_of_feeds()) {
        let section = feed[rows.part.as_str()].as_array().expect("a list");
        assert_eq!(checked["Sections"][rows.part.as_str()]["Rows"], section.len());
        let is_there = |field: &&fields::FieldSpec| section.iter().any(|row| !row[field.name].is_null());
        let there = rows.fields.iter().filter(is_there).count();
        assert!(there * 10 >= rows.fields.len() * 9, "{}: {there} of its fields", rows.part.as_str());
    }
}

#[test]
fn the_page_names_every_warning_that_a_feed_can_have() {
    for code in IssueCode::ALL.iter().copied().filter(|code| code.severity() == Severity::Warning) {
        let name = code.as_str();
        let is_wanted = |rows: &fields::RowSchema| {
            rows.fields.iter().any(|field| field.need == fields::FieldRequirement::Wanted(code))
        };
        let is_wanted = fields::SECTIONS.into_iter().any(is_wanted);
        let is_of_orders = name.starts_with("order_");
        assert!(
            is_wanted
                || is_of_orders
                || PAGE.contains(&format!("(issues.md#{name})"))
                || FEEDS_PAGE.contains(&format!("(issues.md#{name})")),
            "{name}"
        );
    }
}

/// A row of all fields of a section with the values of their examples, as the page gives them.
fn row_of_examples(rows: &fields::RowSchema) -> String {
    if rows.fields.is_empty() {
        return rows.example.to_owned();
    }
    // An account's visible products are given in one way or the other, and a category's products by one field.
    let is_left_out = |name: &str| {
        name == "AccountExclusions"
            || (rows.example.contains("ProductIds") && !rows.example.contains(&format!("\"{name}\"")))
    };
    let fields = rows.fields.iter().filter(|field| !is_left_out(field.name));
    let members: Vec<_> = fields.map(|field| format!("\"{}\":{}", field.name, field.example)).collect();
    format!("{{{}}}", members.join(","))
}

#[test]
fn a_row_written_from_the_page_alone_has_no_issue() {
    let context =
        NormaliserContext { default_currency: None, account_tag: &|_| "tag".to_owned(), noticed: None };
    for rows in
        fields::SECTIONS.into_iter().filter(|rows| rows.stands_in != fields::AllowedDocuments::OrderFiles)
    {
        for row in [row_of_examples(rows), rows.example.to_owned()] {
            let payload = format!("{{\"{}\":[{row}]}}", rows.part.as_str());
            let read = delta_read::read_steps(payload.as_bytes(), &context, &|_| false);
            let codes: Vec<_> = read.found.counts().map(|counted| counted.code.as_str()).collect();
            let is_whole = row != rows.example;
            assert_eq!(
                codes.iter().filter(|code| is_whole || !code.ends_with("_missing")).count(),
                0,
                "{row}: {codes:?}"
            );
            assert!(read.unusable.is_none(), "{row}");
        }
        for spelling in rows.fields.iter().flat_map(|field| field.also) {
            assert!(PAGE.contains(&format!("`{spelling}`")), "{spelling}");
        }
        assert!(
            rows.fields.iter().all(|field| field.kind != FieldType::Moment),
            "only order files have those"
        );
    }
}
