//! Row issues as people act on them: grouped, narrowed, in pages, and as one list for a spreadsheet.

use std::collections::BTreeMap;

use lethe::limits;
use serde_json::{Value, json};

use crate::support::feed_server::Answer;
use crate::support::world::{Shop, World, on_both_engines};

on_both_engines! {
    issues_are_grouped_and_a_group_is_read_in_pages
    the_whole_list_is_sent_as_lines_and_as_a_spreadsheet
    what_is_counted_and_not_kept_is_said
    a_word_that_is_no_filter_is_refused_with_what_is_allowed
}

/// A feed of so many products without anything but an id, and one bad brand among ten.
fn poor(products: usize) -> Value {
    let rows: Vec<_> = (0..products).map(|n| json!({"Id": n})).collect();
    let mut brands: Vec<_> = (0..10).map(|n| json!({"Id": n, "DisplayName": "B", "Link": "l"})).collect();
    brands[6] = json!({"DisplayName": "nobody"});
    json!({"Products": rows, "Brands": brands})
}

async fn send_feed(world: &World, shop: &Shop, feed: &Value) -> String {
    let url = world.feeds.serve("/f", [Answer::ok(feed.to_string())]);
    let token = world.feed(shop, &url).await;
    world.run_all_jobs().await;
    assert_eq!(world.feed_status(shop, &token).await, json!(["Complete", null]));
    token
}

fn items(list: &Value) -> &[Value] {
    list.as_array().expect("a list")
}

async fn issues_are_grouped_and_a_group_is_read_in_pages(world: World) {
    let shop = world.shop("one").await;
    let token = send_feed(&world, &shop, &poor(450)).await;
    let all = world.ask_json(&shop, "/api/issues", json!({"Token": token})).await;
    assert_eq!(all["Kept"], 450 * 5 + 1);
    let group = items(&all["Counts"]).iter().find(|count| count["Code"] == "price_missing").expect("a group");
    assert_eq!((&group["Count"], &group["FirstRows"]), (&json!(450), &json!([1, 2, 3, 4, 5])));
    assert_eq!(group["Page"], "/docs/issues/price_missing");

    let mut rows = Vec::new();
    let mut from = json!(0);
    while !from.is_null() {
        let asked = json!({"Token": token, "Code": "price_missing", "From": from});
        let page = world.ask_json(&shop, "/api/issues", asked).await;
        assert_eq!(items(&page["Counts"]).len(), 1, "only the group");
        rows.extend(items(&page["Issues"]).iter().map(|issue| issue["Row"].as_u64().expect("a row")));
        from = page["Next"].clone();
    }
    assert_eq!(rows, (1..=450).collect::<Vec<_>>());

    for narrowed in [json!({"Severity": "bad"}), json!({"Section": "Brands"}), json!({"Code": "id_missing"})]
    {
        let mut asked = narrowed;
        asked["Token"] = token.as_str().into();
        let found = world.ask_json(&shop, "/api/issues", asked).await;
        let issue = &items(&found["Issues"])[0];
        assert_eq!((items(&found["Counts"]).len(), items(&found["Issues"]).len()), (1, 1));
        let place = json!([issue["Section"], issue["Row"], issue["Code"], issue["Page"]]);
        assert_eq!(place, json!(["Brands", 7, "id_missing", "/docs/issues/id_missing"]));
    }
}

async fn the_whole_list_is_sent_as_lines_and_as_a_spreadsheet(world: World) {
    let shop = world.shop("one").await;
    let mut feed = poor(700);
    // Twice the same id, and a field that a spreadsheet would take for a formula.
    feed["Products"][699] = json!({"Id": 1});
    let text = feed.to_string().replacen("{\"Id\":5}", "{\"Id\":5,\"=cmd()\":1,\"=cmd()\":2}", 1);
    let url = world.feeds.serve("/f", [Answer::ok(text)]);
    let token = world.feed(&shop, &url).await;
    world.run_all_jobs().await;
    let counts = world.ask_json(&shop, "/api/issues", json!({"Token": token})).await["Counts"].clone();
    let counted: BTreeMap<_, _> = items(&counts)
        .iter()
        .map(|count| (count["Code"].clone().to_string(), count["Count"].as_u64()))
        .collect();

    let lines = world.ask(&shop, "/api/issues", json!({"Token": token, "Format": "ndjson"})).await;
    assert_eq!((lines.status, lines.header("content-type")), (200, "application/x-ndjson"));
    let again = items(&counts).iter().find(|count| count["Code"] == "duplicate_id").expect("a group");
    assert_eq!(again["FirstRows"], json!([2]), "the row that was left out");
    let mut sums: BTreeMap<String, Option<u64>> = BTreeMap::new();
    for line in lines.text.lines() {
        let line: Value = serde_json::from_str(line).expect("an object");
        assert!(line["Advice"].is_string() && line["Page"].is_string(), "{line}");
        let sum = sums.entry(line["Code"].to_string()).or_insert(Some(0));
        *sum = sum.map(|sum| sum + line["Count"].as_u64().expect("a count"));
        let is_counted = line["Code"] == "duplicate_id" || line["Code"] == "product_unseen";
        assert_eq!(line["Row"].is_null(), is_counted, "{line}");
    }
    assert_eq!(sums, counted, "the lines are all that was counted");

    let csv = world.ask(&shop, "/api/issues", json!({"Token": token, "Format": "csv"})).await;
    assert_eq!(csv.header("content-type"), "text/csv; charset=utf-8");
    assert!(csv.text.starts_with("Section,Row,Offset,Code,Severity,Field,Count,Advice,Page,Meant,Line\n"));
    assert_eq!(csv.text.lines().count(), lines.text.lines().count() + 1);
    assert!(csv.text.contains(",duplicate_key,bad,'=cmd(),1,"), "no formula");
    let asked = json!({"Token": token, "Format": "csv", "Severity": "bad"});
    assert_eq!(world.ask(&shop, "/api/issues", asked).await.text.lines().count(), 3);
}

async fn what_is_counted_and_not_kept_is_said(world: World) {
    let shop = world.shop("one").await;
    let rows = limits::ROW_ISSUES_KEPT / 5 + 7;
    let token = send_feed(&world, &shop, &poor(rows)).await;
    let found = world.ask_json(&shop, "/api/issues", json!({"Token": token})).await;
    assert_eq!(found["Kept"], limits::ROW_ISSUES_KEPT);
    let bad = items(&found["Counts"]).iter().find(|count| count["Severity"] == "bad").expect("it is counted");
    assert_eq!(bad["FirstRows"], json!([7]), "its row is named though it is not kept");
    let csv = world.ask(&shop, "/api/issues", json!({"Token": token, "Format": "csv"})).await.text;
    assert!(csv.contains("\nProducts,,,price_missing,warning,,7,"), "{}", &csv[csv.len() - 1500..]);
    assert!(csv.contains("\nBrands,,,id_missing,bad,,1,"));

    let rows: Vec<_> = (0..limits::DELTA_ISSUES_KEPT).map(|n| json!({"Id": n})).collect();
    let token = world.delta(&shop, json!({"Products": rows})).await;
    world.run_all_jobs().await;
    let found = world.ask_json(&shop, "/api/issues", json!({"Token": token})).await;
    assert_eq!(found["Kept"], limits::DELTA_ISSUES_KEPT);
}

async fn a_word_that_is_no_filter_is_refused_with_what_is_allowed(world: World) {
    let shop = world.shop("one").await;
    for (name, allowed) in [
        ("Section", "a section such as Products"),
        ("Code", "one of the codes that /docs/issues explains"),
        ("Severity", "bad or warning"),
        ("Format", "ndjson or csv"),
    ] {
        let mut asked = json!({"Token": "x"});
        asked[name] = "canary".into();
        let sentence = world.ask(&shop, "/api/issues", asked).await.expect_refusal(400);
        assert_eq!(sentence, format!("{name} has to be {allowed}"));
    }
}
