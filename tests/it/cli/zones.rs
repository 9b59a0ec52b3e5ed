//! Campaigns and reports by the commands, as the guides show them.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::program::{Ended, Program, web_server};

/// Answer of a command as soon as the shop's products are ready.
fn ready(program: &Program, words: &str) -> Ended {
    let began = Instant::now();
    loop {
        let ended = program.run(words);
        if ended.code == 0 {
            return ended;
        }
        assert!(began.elapsed() < Duration::from_secs(60), "{}", ended.err);
    }
}

#[test]
fn campaigns_are_applied_previewed_and_undone_and_reports_are_shown() {
    let mut program = Program::new();
    let _served = program.serve();
    program.account("shop");
    let product = |n: usize| json!({"Id": format!("p{n}"), "Sku": format!("no-{n}"), "Title": format!("Thing {n}"), "Prices": ["5.00 GBP"], "Brand": "b"});
    let brand = json!({"Id": "b", "DisplayName": "Acme", "Link": "/acme"});
    let feed = json!({"Products": (0..14).map(product).collect::<Vec<Value>>(), "Brands": [brand]});
    let url = web_server(feed.to_string().into_bytes());
    let sent = program.run(&format!("feed submit {url} --wait"));
    assert_eq!(sent.code, 0, "{}", sent.err);
    let plain = ready(&program, "zones preview HP-01").out;
    assert!(plain.starts_with("default content: recommender-product\n"), "{plain}");
    let of_page = program.run("zones preview PP-01 --page product_page --product p1 --viewed p2 --group 7");
    assert!(of_page.out.contains("Thing"), "{}", of_page.err);
    let file = program.path().join("zones.json");
    let campaigns = json!({"Campaigns": [{"Id": "sale", "Zone": "HP-01", "Html": "<p>Sale</p>"}]});
    std::fs::write(&file, campaigns.to_string()).expect("a file");
    let trying = program.path().join("trying.json");
    let preview = format!("zones preview HP-02 --file {}", trying.display());
    let brands = json!({"Id": "brands", "Zone": "HP-02", "BrandsShown": {}});
    std::fs::write(&trying, json!({"Campaigns": [brands]}).to_string()).expect("a file");
    let shown = program.run(&preview).out;
    assert!(shown.starts_with("campaign brands: recommender-brand\nBrands for you\n"), "{shown}");
    assert!(shown.contains("b   Acme  /acme"), "{shown}");
    let none = json!({"Id": "none", "Zone": "HP-02", "Empty": true});
    let many = json!({"Id": "many", "Zone": "HP-02", "BrandsShown": {"Min": 2}});
    std::fs::write(&trying, json!({"Campaigns": [many, none]}).to_string()).expect("a file");
    let why = "there are no categories or brands of products, or fewer than its Min";
    let shown = program.run(&preview).out;
    assert_eq!(shown, format!("campaign many is skipped: {why}\nThe zone is empty.\n"));
    let plan = program.run(&format!("zones apply {} --json", file.display())).json();
    assert_eq!(plan, json!({"Plan": ["+ sale"]}));
    assert_eq!(program.run("zones list").json(), json!({"Campaigns": []}), "nothing was changed");
    let popup = json!({"Id": "news", "Zone": "HP-02", "Html": "<p>New</p>", "Popup": true});
    std::fs::write(&trying, json!({"Campaigns": [popup]}).to_string()).expect("a file");
    let refused = program.run(&preview);
    assert!(refused.code == 1 && refused.err.contains("(news) has Popup without a Title"), "{}", refused.err);
    let applied = program.run(&format!("zones apply {} --yes", file.display()));
    assert_eq!(applied.out, "+ sale\nVersion 1 is live.\n");
    // A node reads them again once in a while.
    let began = Instant::now();
    while !program.run("zones preview HP-01").out.starts_with("campaign sale: html\n<p>Sale</p>") {
        assert!(began.elapsed() < Duration::from_secs(60), "it acts soon");
    }
    // Nor are they changed twice at once.
    assert_eq!(ready(&program, "zones undo").out, "Version 2 is live.\n");
    let report = program.run("report zones");
    assert!(report.out.starts_with("From 20") && report.out.contains("Zone  Recommender"), "{}", report.out);
    let table = program.run("report search --csv --from 2026-01-01 --until 2026-01-31").out;
    assert_eq!(table, "Query,People,Count,WithoutResult,Corrected,Clicks,Orders,Revenue\n");
    assert_eq!(program.run("report quality --json").json()["Rows"], json!([]));
    let refused = program.run("report zones --from yesterday");
    assert!(refused.code == 1 && refused.err.contains("From has to be a day"), "{}", refused.err);
}
