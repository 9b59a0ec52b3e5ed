//! NDJSON: one row a line, by every door, and the same catalogue as from one JSON object.

use serde_json::json;

use crate::support::feed_server::Answer;
use crate::support::uploads;
use crate::support::world::{Shop, World, on_both_engines};

on_both_engines! {
    the_same_rows_in_both_forms_make_the_same_files
    lines_arrive_in_pieces_under_every_type_of_upload
    a_broken_line_is_a_bad_row_and_the_others_are_shown
    lines_that_belong_nowhere_touch_nothing
    a_header_alone_is_a_feed_without_sections
}

const HEADER: &str = r#"{"FileType":"ndjson","Version":2}"#;

/// Rows of every section, those of people too.
const SECTIONS: [(&str, &[&str]); 5] = [
    (
        "Products",
        &[r#"{"Id":1,"Sku":"a","Title":"Käse","Prices":["1 GBP"]}"#, r#"{"Sku":"b","Title":"\u00e9"}"#],
    ),
    ("Categories", &[r#"{"Id":"c","DisplayName":"C","ParentIds":[]}"#, "[]"]),
    ("Brand", &[r#"{"Id":"b","DisplayName":"B"}"#]),
    ("Users", &[r#"{"UserId":7,"Email":"a@shop.example"}"#]),
    ("AccountPrices", &[r#"{"AccountId":"acme","Id":"1","Prices":["1 GBP"]}"#]),
];

fn as_json() -> String {
    let section = |(name, rows): &(&str, &[&str])| format!("\"{name}\":[{}]", rows.join(","));
    format!("{{\"Version\":2,{}}}", SECTIONS.iter().map(section).collect::<Vec<_>>().join(","))
}

fn as_lines(end: &str) -> String {
    let mut lines = vec![HEADER.to_owned()];
    for (name, rows) in SECTIONS {
        lines.push(format!("{{\"Type\":\"{name}\"}}"));
        lines.extend(rows.iter().map(|row| (*row).to_owned()));
    }
    lines.join(end)
}

/// Publishes bytes by URL; gives the status.
async fn publish_bytes(world: &World, shop: &Shop, path: &str, body: String) -> serde_json::Value {
    let url = world.feeds.serve(path, [Answer::ok(body)]);
    let token = world.feed(shop, &url).await;
    world.run_all_jobs().await;
    world.feed_status(shop, &token).await
}

/// Names of the files on which the catalogue stands.
async fn files(world: &World) -> Vec<String> {
    let bases = world.node().store.read(|tx| {
        let bases = lethe::catalogue::base::list(tx, lethe::ids::AccountId(1))?;
        let files = bases.into_values().map(|base| {
            format!("{} {}", base.blob, base.sku_blob.map(|name| name.to_string()).unwrap_or_default())
        });
        Ok::<_, lethe::store::StoreFault>(files.collect())
    });
    bases.await.expect("the bases")
}

async fn the_same_rows_in_both_forms_make_the_same_files(world: World) {
    let shop = world.shop("one").await;
    assert_eq!(publish_bytes(&world, &shop, "/json", as_json()).await, json!(["Complete", null]));
    let from_json = files(&world).await;
    assert_eq!((from_json.len(), world.subjects(&shop).await), (4, 1));
    for (path, end) in [("/lines", "\n"), ("/feed.json", "\r\n"), ("/blank", "\r\n\n")] {
        let other = json!({"Products": [{"Id": "x"}], "Categories": [{"Id": "x"}], "Brands": [{"Id": "x"}]});
        world.complete_feed(&shop, "/other", &other).await;
        assert_ne!(files(&world).await, from_json);
        assert_eq!(
            publish_bytes(&world, &shop, path, as_lines(end)).await,
            json!(["Complete", null]),
            "{path}"
        );
        assert_eq!(files(&world).await, from_json, "{path}");
    }
}

async fn lines_arrive_in_pieces_under_every_type_of_upload(world: World) {
    let shop = world.shop("one").await;
    for kind in ["product", "category", "brand", "user"] {
        let feed = format!("{HEADER}\n{{\"Type\":\"Products\"}}\n{{\"Id\":\"1\",\"Title\":\"by {kind}\"}}\n");
        for cut in [1, HEADER.len(), HEADER.len() + 1, HEADER.len() + 9, feed.len() - 1] {
            let (front, back) = feed.split_at(cut);
            let token = uploads::send_feed(&world, &shop, &format!("{kind}-{cut}"), &[front, back, ""]).await;
            world.run_all_jobs().await;
            assert_eq!(world.feed_status(&shop, &token).await, json!(["Complete", null]), "{kind} {cut}");
            assert_eq!(world.title(&shop, "1").await, format!("by {kind}"));
        }
    }
}

async fn a_broken_line_is_a_bad_row_and_the_others_are_shown(world: World) {
    let shop = world.shop("one").await;
    let rows: Vec<_> = (1..=20).map(|id| format!("{{\"Id\":{id},\"Title\":\"t\"}}")).collect();
    let broken = [r#"{"Id":21,"Title":"17" wide"}"#, r#"{"Id":22,"Tags":["a"}"#];
    let body = format!("{HEADER}\n{{\"Type\":\"Products\"}}\n{}\n{}\n", broken.join("\n"), rows.join("\n"));
    let url = world.feeds.serve("/feed", [Answer::ok(body)]);
    let token = world.feed(&shop, &url).await;
    world.run_all_jobs().await;
    assert_eq!(world.feed_status(&shop, &token).await, json!(["Complete", null]));
    assert_eq!(world.count(&shop, "Products").await, 20);
    let issues = world.ask_json(&shop, "/api/issues", json!({"Token": token})).await;
    let bad: Vec<_> = issues["Issues"]
        .as_array()
        .expect("issues")
        .iter()
        .filter(|issue| issue["Severity"] == "bad")
        .map(|issue| json!([issue["Row"], issue["Code"]]))
        .collect();
    assert_eq!(bad, [json!([1, "row_syntax"]), json!([2, "row_syntax"])]);
}

async fn lines_that_belong_nowhere_touch_nothing(world: World) {
    let shop = world.shop("one").await;
    world.complete_feed(&shop, "/before", &json!({"Products": [{"Id": "kept"}]})).await;
    for (path, lines, said) in [
        ("/a", "{\"Id\":1}\n", "a row stands above the first line that names a section"),
        ("/b", "{\"Type\":\"Products\"}\n{\"Id\":1}\n{\"Type\":\"Brands\n{\"Id\":2}\n", "is broken"),
        ("/c", "{\"Type\":\"Products\"}\n{\"Id\":1}\n{\"Id\":2,\"Ti", "it was cut off"),
        ("/d", "{\"Type\":\"DeleteProducts\"}\n\"kept\"\n", "a feed has no section DeleteProducts"),
        ("/e", "{\"Type\":\"Products\"}\n\n", "no usable product"),
    ] {
        let status = publish_bytes(&world, &shop, path, format!("{HEADER}\n{lines}")).await;
        assert_eq!(status[0], "Error", "{path}");
        assert!(status[1].as_str().is_some_and(|sentence| sentence.contains(said)), "{path}: {status}");
    }
    assert_eq!(world.count(&shop, "Products").await, 1);
}

async fn a_header_alone_is_a_feed_without_sections(world: World) {
    let shop = world.shop("one").await;
    let status = publish_bytes(&world, &shop, "/feed", HEADER.to_owned()).await;
    assert!(status[1].as_str().is_some_and(|sentence| sentence.contains("holds none of")), "{status}");
    let token = uploads::send_feed(&world, &shop, "category-1", &[HEADER, "\n"]).await;
    world.run_all_jobs().await;
    assert_eq!(world.feed_status(&shop, &token).await, json!(["Complete", null]));
}
