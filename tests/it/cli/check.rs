//! `lethe check` and the server on the same feeds: the same codes, counts, rows and sentences.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use lethe::feeds::issue::IssueCode;
use serde_json::{Value, json};

use super::scripted_server::{program_for, serve_script};
use crate::support::feed_server::Answer;
use crate::support::program::{Ended, Program};
use crate::support::world::{Shop, World, on_both_engines};

on_both_engines! {
    check_and_server_count_the_same_issues
    a_feed_that_the_server_refuses_is_refused_with_the_same_sentence
}

/// Returns true if rows of a small feed can have the issue, and not only those of deltas or order files.
fn is_of_feeds(code: &str) -> bool {
    let others = [
        // More ids than fit into tens of megabytes.
        "variants_unchecked",
        // Of feeds of other systems.
        "row_fields",
        "text_not_utf8",
        "price_unreadable",
        "date_ambiguous",
        "availability_unknown",
        "group_is_category",
        "parent_missing",
        "product_not_published",
        "too_many_memberships",
        "membership_shape",
        "variant_changes_too_many",
        "variant_limit_reached",
        "variant_product_missing",
        "variant_product_unknown",
        "variant_unknown",
    ];
    !others.contains(&code) && !code.starts_with("order_")
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).expect("memory");
    encoder.finish().expect("memory")
}

/// The object of `--json`, whatever the exit code.
fn object(ended: &Ended) -> Value {
    serde_json::from_str(&ended.out).unwrap_or_else(|_| panic!("no object: {} {}", ended.out, ended.err))
}

fn product(id: &str, rest: &str) -> Vec<u8> {
    format!(
        r#"{{"Id":"{id}","Title":"T","Description":"D","Link":"https://shop.example/","Image":"https://shop.example/i"{rest}}}"#
    )
    .into_bytes()
}

/// A product with more names than a row may have.
fn wide_row() -> String {
    let names: String = (0..70_000).map(|n| format!(r#","{n}":0"#)).collect();
    format!(r#"{{"Id":"wide"{names}}}"#)
}

/// A product for each code that products can have, among so many good ones that the feed is shown.
fn products() -> Vec<Vec<u8>> {
    let mut rows: Vec<_> = (0..300).map(|n| product(&format!("P{n}"), r#","Prices":["1.00 GBP"]"#)).collect();
    rows.extend((0..3).map(|_| product("again", r#","Prices":["1.00 GBP"]"#)));
    let mut invalid_utf8 = product("u", r#","Brand":"?""#);
    let at = invalid_utf8.iter().position(|byte| *byte == b'?').expect("the mark");
    invalid_utf8[at] = 0xff;
    rows.push(invalid_utf8);
    let wrong = [
        r#""only-an-id""#.to_owned(),
        format!(r#"{{"Id":"large","Title":"{}"}}"#, "x".repeat(4 << 20)),
        r#"{"Id":"syntax","InStock":True}"#.to_owned(),
        r#"{"Id":"surrogate","Title":"\ud83d"}"#.to_owned(),
        r#"{"Id":"number","StockQty":1e400}"#.to_owned(),
        format!(r#"{{"Id":"deep","Own":{}{}}}"#, "[".repeat(70), "]".repeat(70)),
        wide_row(),
        r#"{"Id":"one","Id":"two"}"#.to_owned(),
        r#"{"Title":"no id"}"#.to_owned(),
        format!(r#"{{"Id":"{}"}}"#, "i".repeat(513)),
        r#"{"Id":"a\u0000b"}"#.to_owned(),
        r#"{"Id":"type","Title":{"en":"T"}}"#.to_owned(),
        r#"{"Id":"words","Prices":["one pound"]}"#.to_owned(),
        r#"{"Id":"nowhere","Prices":["1.00 QQQ"]}"#.to_owned(),
        r#"{"Id":"bare"}"#.to_owned(),
    ];
    rows.extend(wrong.map(String::into_bytes));
    rows.push(product("by title", r#","Prices":["1.00 GBP"],"Categories":["Chairs"]"#));
    rows.push(product("misnamed", r#","price":"1.00 GBP""#));
    rows.push(product("exact", r#","Prices":["3.333 GBP"]"#));
    rows.push(product("plain", r#","Prices":["3.50"]"#));
    rows.push(product("abroad", r#","Prices":["3.50 EUR"]"#));
    rows.push(product("dates", r#","Prices":["1.00 GBP"],"EndDate":"27.11.2026""#));
    let options: Vec<_> = (0..21).map(|n| format!(r#""{n}":"x""#)).collect();
    let attributes: Vec<_> = (0..101).map(|n| format!(r#""Field {n}":1"#)).collect();
    let long = "x".repeat(201);
    let faulty = [
        "5".to_owned(),
        r#"{"Id":"va","Gtin":"123"},{"Id":"va"}"#.to_owned(),
        format!(r#"{{"Id":"vb","Options":{{{}}}}}"#, options.join(",")),
        format!(r#"{{"Id":"vf",{}}}"#, attributes.join(",")),
        format!(r#"{{"Id":"vc","Options":{{"Colour":"{long}"}}}}"#),
        r#"{"Id":"vd","Prices":["1.00 GBP"]},{"Id":"ve","Prices":["1.00 EUR"]},{"Id":"P1"}"#.to_owned(),
    ];
    let many: Vec<_> = (0..2001).map(|n| format!(r#"{{"Id":"vm{n}"}}"#)).collect();
    for (id, variants) in [("faulty", faulty.join(",")), ("many", many.join(","))] {
        rows.push(product(id, &format!(r#","Prices":["1.00 GBP"],"Variants":[{variants}]"#)));
    }
    rows.push(product("object", r#","Prices":["1.00 GBP"],"Variants":{"0":{"Id":"vo"}}"#));
    rows.push(product("contact", r#","Prices":["1.00 GBP"],"Own":"+44 20 7946 0958, help@shop.example""#));
    rows
}

fn section(name: &str, rows: &[Vec<u8>]) -> Vec<u8> {
    [format!("\"{name}\":[").as_bytes(), &rows.join(&b","[..]), b"]"].concat()
}

/// Sections with every issue that a feed can have.
fn every_issue() -> [(&'static str, Vec<Vec<u8>>); 5] {
    let text = |rows: Vec<String>| rows.into_iter().map(String::into_bytes).collect::<Vec<_>>();
    let mut users: Vec<_> = (0..40).map(|n| format!(r#"{{"UserId":"U{n}"}}"#)).collect();
    users.push(r#"{"UserId":"guest"}"#.to_owned());
    users.push(format!(r#"{{"UserId":"long","Email":"{}@shop.example"}}"#, "x".repeat(254)));
    users.push(r#"{"UserId":"broken","Email":"no address"}"#.to_owned());
    let price = |account: &str| format!(r#"{{"AccountId":"{account}","Id":"P1","Prices":["1.00 GBP"]}}"#);
    let mut prices: Vec<_> = (0..20).map(|n| price(&format!("A{n}"))).collect();
    prices.extend([price("A1"), r#"{"Id":"P1","Prices":["1.00 GBP"]}"#.to_owned()]);
    [
        ("Products", products()),
        ("Categories", text(vec![r#"{"Id":"c1","DisplayName":"Chairs","Link":"l"}"#.to_owned()])),
        ("Users", text(users)),
        ("AccountPrices", text(prices)),
        ("Categorys", text(vec!["{\"Id\":1}".to_owned()])),
    ]
}

fn as_json(sections: &[(&str, Vec<Vec<u8>>)]) -> Vec<u8> {
    let sections: Vec<_> = sections.iter().map(|(name, rows)| section(name, rows)).collect();
    [b"{", &sections.join(&b","[..])[..], b"}"].concat()
}

fn as_lines(sections: &[(&str, Vec<Vec<u8>>)]) -> Vec<u8> {
    let mut lines = vec![br#"{"FileType":"ndjson"}"#.to_vec()];
    for (name, rows) in sections {
        lines.push(format!("{{\"Type\":\"{name}\"}}").into_bytes());
        lines.extend_from_slice(rows);
    }
    lines.join(&b"\n"[..])
}

/// `(section, code, severity, count)` of each of the counts.
fn counts(list: &Value) -> BTreeSet<(String, String, String, u64)> {
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let counts = list.as_array().expect("counts").iter();
    counts
        .map(|count| {
            let named = |name: &str| text(&count[name]);
            (named("Section"), named("Code"), named("Severity"), count["Count"].as_u64().expect("a count"))
        })
        .collect()
}

async fn shop_without_a_currency(world: &World) -> Shop {
    let made = world.control("/control/account/create", json!({"Name": "plain"})).await;
    let text = |field: &str| made[field].as_str().expect("a key").to_owned();
    Shop { name: "plain".to_owned(), key: text("AccessKey"), secret: text("SecretKey") }
}

async fn check_and_server_count_the_same_issues(world: World) {
    let program = Program::new();
    let sections = every_issue();
    let feed = as_json(&sections);
    std::fs::write(program.path().join("feed.json"), &feed).expect("a file");
    std::fs::write(program.path().join("lines.json"), as_lines(&sections)).expect("a file");
    std::fs::write(program.path().join("feed.json.gz"), gzip(&feed)).expect("a file");
    let url = world.feeds.serve("/feed", [Answer::ok(feed)]);
    let pounds = world.shop("pounds").await;
    let plain = shop_without_a_currency(&world).await;
    for (shop, flags, unreachable) in
        [(plain, "", "price_other_currency"), (pounds, " --currency GBP", "price_without_currency")]
    {
        let ended = program.run(&format!("check feed.json --json{flags}"));
        assert_eq!(ended.code, 1, "bad rows: {}", ended.err);
        let checked = object(&ended);
        assert_eq!(checked["Verdict"], "Complete", "{}", checked["Sentence"]);

        let token = world.feed(&shop, &url).await;
        world.run_all_jobs().await;
        assert_eq!(world.feed_status(&shop, &token).await, json!(["Complete", null]));
        let served = world.ask_json(&shop, "/api/issues", json!({"Token": token})).await;
        assert_eq!(counts(&checked["Counts"]), counts(&served["Counts"]));
        assert_eq!(checked["Issues"], served["Issues"]);

        let codes: BTreeSet<_> = counts(&checked["Counts"]).into_iter().map(|count| count.1).collect();
        let every = IssueCode::ALL.iter().map(|code| code.as_str());
        let expected = every.filter(|code| is_of_feeds(code) && *code != unreachable);
        assert_eq!(codes, expected.map(str::to_owned).collect());

        let packed = program.run(&format!("check feed.json.gz --json{flags}"));
        assert_eq!(object(&packed), checked);
        let fetched = program.run(&format!("check {url} --json{flags}"));
        assert_eq!(object(&fetched), checked);
        let lines = program.run(&format!("check lines.json --json{flags}"));
        assert_eq!(counts(&object(&lines)["Counts"]), counts(&checked["Counts"]));
    }
}

async fn a_feed_that_the_server_refuses_is_refused_with_the_same_sentence(world: World) {
    let shop = world.shop("shop").await;
    let program = Program::new();
    let bodies: [&[u8]; 10] = [
        b"",
        b"[1,2]",
        b"<html>no feed</html>",
        br#"{"Products":[{"Id":"1"},{"Id":"2""#,
        br#"{"Version":1}"#,
        br#"{"Products":[]}"#,
        br#"{"DeleteProducts":["1"]}"#,
        br#"{"Brands":[{"Id":"1"},{"Name":"2"}]}"#,
        &gzip(b"no feed"),
        b"\x1f\x8b\x08 and no more of gzip",
    ];
    for (number, body) in bodies.into_iter().enumerate() {
        std::fs::write(program.path().join("feed"), body).expect("a file");
        let ended = program.run("check feed --json");
        let checked = object(&ended);
        assert_eq!((ended.code, &checked["Verdict"]), (1, &json!("Error")), "{checked}");
        let url = world.feeds.serve(&format!("/{number}"), [Answer::ok(body)]);
        let token = world.feed(&shop, &url).await;
        world.run_all_jobs().await;
        let sentence = &checked["Sentence"];
        assert_eq!(world.feed_status(&shop, &token).await, json!(["Error", sentence]));
        let fault: Value = serde_json::from_str(&ended.err).expect("JSON");
        assert_eq!((&fault["Error"], &fault["ExitCode"]), (sentence, &json!(1)));
        let served = world.ask_json(&shop, "/api/issues", json!({"Token": token})).await;
        assert_eq!(counts(&checked["Counts"]), counts(&served["Counts"]));
    }
}

#[test]
fn check_exits_with_0_for_a_good_feed_1_for_a_bad_one_and_2_for_bad_usage() {
    let program = Program::new();
    let good = r#"{"Products":[{"Id":"1","Title":"Chair","Prices":["1 GBP"]}]}"#;
    let ended = program.run_with("check - --currency GBP", good);
    assert_eq!((ended.code, ended.err.as_str()), (0, ""), "{}", ended.out);
    assert!(ended.out.contains("link_missing"), "{}", ended.out);
    let good_end = "The feed is good: its one row can be used; shoppers would find its product.\n";
    assert!(ended.out.ends_with(good_end), "{}", ended.out);
    let rows: Vec<_> = (0..10).map(|n| format!("{{\"Id\":{n}}}")).collect();
    let bad = format!("{{\"Brands\":[{},7]}}", rows.join(","));
    let ended = program.run_with("check -", &bad);
    assert_eq!(ended.err, "lethe: 1 of 11 rows cannot be used; the others would be shown\n");
    assert_eq!(ended.code, 1);
    for (words, code, said) in [
        ("check nowhere.json", 2, "nowhere.json cannot be read: "),
        ("check .", 2, "it is a folder"),
        ("check ftp://shop.example/feed", 2, "use https or http"),
        ("check", 2, "FILE|URL"),
        ("check feed.json --currency EURO", 2, "ISO 4217"),
        ("check feed.json --currency EUR --account shop", 2, "cannot be used with"),
    ] {
        let ended = program.run(words);
        assert_eq!(ended.code, code, "{words}: {}", ended.err);
        assert!(ended.err.contains(said), "{words}: {}", ended.err);
    }
    let zstd = zstd::encode_all(good.as_bytes(), 3).expect("memory");
    std::fs::write(program.path().join("good.zst"), &zstd).expect("a file");
    std::fs::write(program.path().join("cut.zst"), &zstd[..zstd.len() / 2]).expect("a file");
    assert_eq!(program.run("check good.zst --json").out, program.run_with("check - --json", good).out);
    assert_eq!((program.run("check good.zst").code, program.run("check cut.zst").code), (0, 1));
    std::fs::write(program.path().join("cut.gz"), &gzip(good.as_bytes())[..20]).expect("a file");
    let ended = program.run("check cut.gz");
    assert_eq!((ended.code, ended.err.as_str()), (1, "lethe: the feed ended before it was complete\n"));
}

#[test]
fn check_says_how_many_products_shoppers_find() {
    let program = Program::new();
    let check = |products: &str| {
        let feed = format!("{{\"Products\":[{products}]}}");
        let summary = program.run_with("check - --json", &feed).out;
        (program.run_with("check -", &feed), serde_json::from_str::<Value>(&summary).expect("an object"))
    };
    let (ended, summary) = check(r#"{"Id":"1","Title":"Chair"},{"Id":"2","Prices":["1 GBP"]}"#);
    let none = "lethe: all 2 rows can be used, but shoppers would find none of its products: each needs a title, a \
        price in the shop's currency, and dates that can be read\n";
    assert_eq!((ended.code, ended.err.as_str()), (1, none));
    assert_eq!((&summary["ProductsSeen"], &summary["Verdict"]), (&json!(0), &json!("Complete")));
    let (ended, _) = check(r#"{"Id":"1","Title":"Chair"},{"Id":"2","Title":"Table","Prices":["1 GBP"]}"#);
    assert_eq!((ended.code, ended.err.as_str()), (0, ""));
    let some = "The feed can be used: all 2 rows can be used; shoppers would find 1 of 2 products.";
    assert!(ended.out.contains(some) && ended.out.contains("product_unseen"), "{}", ended.out);
    let one = |_| r#"{"Id":"1","Title":"Chair","Prices":["1 GBP"]}"#;
    let (ended, summary) = check(&[0; 30].map(one).join(","));
    assert_eq!((ended.code, &summary["Verdict"]), (1, &json!("Error")));
    assert!(
        ended.err.contains("29 of 30 rows of Products have an id that comes again later"),
        "{}",
        ended.err
    );
}

#[test]
fn a_feed_is_good_when_shoppers_see_its_prices_in_the_currency_of_the_shop() {
    let mut program = Program::new();
    let _served = program.serve();
    for words in ["account create shop --currency GBP", "account create plain"] {
        assert_eq!(program.run(words).code, 0, "{words}");
    }
    let feed = |price: &str| format!(r#"{{"Products":[{{"Id":"1","Title":"Chair","Prices":["{price}"]}}]}}"#);
    let found = "its one row can be used; shoppers would find its product.\n";
    let asks = "Shoppers find a product if it has a price in the currency of the shop: ";
    for (words, price, code, said) in [
        ("check -", "1 EUR", 0, format!("The feed can be used: {found}{asks}")),
        ("check - --currency EUR", "1 EUR", 0, format!("The feed is good: {found}")),
        ("check - --account shop", "1 GBP", 0, format!("The feed is good: {found}")),
        ("check - --account plain", "1 EUR", 0, format!("The feed is good: {found}")),
        ("check - --account shop", "1", 0, format!("The feed is good: {found}")),
        ("check - --account shop", "1 EUR", 1, "price_other_currency".to_owned()),
        ("check - --account nobody", "1 EUR", 7, String::new()),
    ] {
        let ended = program.run_with(words, &feed(price));
        assert_eq!(ended.code, code, "{words} {price}: {}{}", ended.out, ended.err);
        assert!(ended.out.contains(&said), "{words} {price}: {}", ended.out);
    }
}

#[test]
fn a_misnamed_field_is_told_with_the_one_that_was_meant() {
    let program = Program::new();
    let feed = r#"{"Products":[{"id":"1","title":"Chair","price":"1 GBP"}],"Categorys":[{"Id":"c"}]}"#;
    let ended = program.run_with("check -", feed);
    assert_eq!(ended.code, 1, "{}", ended.out);
    let line = |code: &str| ended.out.lines().find(|line| line.contains(code)).unwrap_or_default();
    assert!(line("field_misnamed").ends_with("  price: did you mean Prices?"), "{}", ended.out);
    assert!(line("section_unknown").ends_with("  Categorys: did you mean Categories?"), "{}", ended.out);
    assert!(
        ended.err.starts_with("lethe: its one row can be used, but shoppers would find none"),
        "{}",
        ended.err
    );
    let (url, _) = serve_script(|_| {
        let count =
            |code: &str| json!({"Section": "Products", "Code": code, "Count": 1, "Advice": "Mend it."});
        let named =
            json!({"Section": "Products", "Code": "field_misnamed", "Field": "price", "Meant": "Prices"});
        let told =
            json!({"Counts": [count("field_misnamed"), count("link_missing")], "Kept": 1, "Issues": [named]});
        (200, "", told.to_string())
    });
    let told = program_for(&url).run("issues 6f9619ff-8b86-4011-b42d-00c04fc964ff").out;
    let advice: Vec<_> =
        told.lines().skip(1).take(2).filter_map(|line| line.split("  ").last()).map(str::trim).collect();
    assert_eq!(advice, ["price: did you mean Prices?", "Mend it."], "{told}");
}

#[test]
fn check_lists_every_issue_and_keeps_no_file() {
    let mut program = Program::new();
    let temporary = program.path().join("tmp");
    std::fs::create_dir(&temporary).expect("a folder");
    program.set("TMPDIR", temporary.to_str().expect("a path"));
    let rows: Vec<_> = (0..1_000)
        .map(|n| format!("{{\"Id\":{},\"Title\":\"T\",\"Prices\":[\"1 GBP\"]}}", n % 990))
        .collect();
    let feed = format!("{{\"Products\":[{}]}}", rows.join(","));
    let summary = program.run_with("check - --json", &feed).json();
    assert_eq!(summary["Issues"].as_array().map(Vec::len), Some(3000), "as many as are kept");
    let listed = program.run_with("check - --all", &feed);
    assert_eq!(listed.code, 0, "{}", listed.err);
    let mut sums: BTreeMap<String, u64> = BTreeMap::new();
    for line in listed.out.lines() {
        let line: Value = serde_json::from_str(line).expect("an object");
        *sums.entry(line["Code"].to_string()).or_default() += line["Count"].as_u64().expect("a count");
    }
    let counted = summary["Counts"].as_array().expect("counts").iter();
    let counted = counted.map(|count| (count["Code"].to_string(), count["Count"].as_u64().expect("a count")));
    assert_eq!(sums, counted.collect());
    assert_eq!(sums["\"duplicate_id\""], 10);
    let csv = program.run_with("check - --csv", &feed);
    assert_eq!(csv.out.lines().count(), listed.out.lines().count() + 1, "a line of names before them");
    assert_eq!(std::fs::read_dir(&temporary).expect("the folder").count(), 0);
}

#[test]
fn check_prints_the_fields_of_a_section_or_of_all() {
    let program = Program::new();
    let products = program.run("check --fields products --json").json();
    let fields = products["Products"]["Fields"].as_array().expect("a list");
    let prices = fields.iter().find(|field| field["Name"] == "Prices").expect("the field");
    assert_eq!((&prices["Type"], &prices["Need"]), (&json!("prices"), &json!("wanted")));
    let text = program.run("check --fields brand");
    assert_eq!(text.code, 0, "{}", text.err);
    assert!(
        text.out.starts_with("Brands (in feeds)\n") && text.out.contains("\nDisplayName "),
        "{}",
        text.out
    );
    let all = program.run("check --fields --json").json();
    assert_eq!(all.as_object().map(serde_json::Map::len), Some(13));
    assert!(program.run("check --fields orders").out.contains("DateTimeStamp"));
    let page = program.run("check --fields --markdown").out;
    assert!(page.starts_with("# Fields of feeds") && page == include_str!("../../../docs/fields.md"));
    let formats = program.run("check --formats --markdown").out;
    assert!(
        formats == include_str!("../../../docs/feeds.md"),
        "lethe check --formats --markdown > docs/feeds.md"
    );
    let google = program.run("check --formats google --json").json();
    let columns = google["google"]["Columns"].as_array().expect("columns");
    assert!(columns.iter().any(|column| column["Names"][0] == "item_group_id"), "{google}");
    let ended = program.run("check --formats excel");
    assert_eq!(ended.code, 2);
    assert!(ended.err.contains("there is no such format; there are lethe, google"), "{}", ended.err);
    let ended = program.run("check --fields Produkts");
    assert_eq!(ended.code, 2);
    assert!(
        ended.err.contains("there is no such section") && ended.err.contains("Products is like it"),
        "{}",
        ended.err
    );
}
