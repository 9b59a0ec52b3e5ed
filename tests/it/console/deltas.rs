//! The console's pages of deltas, refused requests, recommendations, and tables as spreadsheets.

use std::time::Duration;

use serde_json::{Value, json};

use crate::support::console::{Browser, PASSWORD};
use crate::support::feed_server::Answer;
use crate::support::world::{Shop, World, on_both_engines};

on_both_engines! {
    deltas_say_what_waits_and_how_long_they_take
    deltas_are_paged_and_narrowed_by_their_state
    an_integrator_sees_what_was_refused_and_nobody_elses
    what_was_refused_is_counted_and_who_has_no_secret_pushes_nothing_out
    recommendations_say_why_and_read_nobodys_history
    lists_are_spreadsheets_without_formulas
    erasures_are_counted_and_narrowed_by_their_state
    an_officer_looks_again_behind_an_erasure
}

fn product(id: usize) -> Value {
    json!({"Id": id, "Title": format!("Product {id}"), "Link": "/p", "Image": "/i", "Description": "d", "Prices": ["10 GBP"],
        "Categories": ["chairs"]})
}

/// A page demands all of these and none of those.
fn says(page: &str, all: &[&str], none: &[&str]) {
    let page = page.replace("&#x2f;", "/");
    for said in all {
        assert!(page.contains(said), "{said} is missing: {page}");
    }
    for said in none {
        assert!(!page.contains(said), "{said} is there: {page}");
    }
}

async fn viewer<'w>(world: &'w World, shop: &Shop) -> Browser<'w> {
    Browser::sign_in_as(world, "Viewer", "viewer", &[shop]).await
}

async fn deltas_say_what_waits_and_how_long_they_take(world: World) {
    let shop = world.shop("shop").await;
    let other = world.shop("other").await;
    let viewer = viewer(&world, &shop).await;
    says(
        &viewer.page("/shops/shop/deltas").await,
        &["None waiting.", "lethe delta send - --account shop", "No delta was sent yet"],
        &["<svg"],
    );
    for lag in [Duration::from_millis(50), Duration::from_secs(5)] {
        world.delta(&shop, json!({"Products": [product(1)]})).await;
        world.clock.advance(lag);
        world.run_all_jobs().await;
    }
    let failed = world.delta(&shop, json!({"Products": [{"Title": "no id"}]})).await;
    world.run_all_jobs().await;
    world.delta(&other, json!({"Products": [product(1)]})).await;
    let waits = world.delta(&shop, json!({"Products": [product(2)]})).await;
    let page = viewer.page("/shops/shop/deltas").await;
    says(
        &page,
        &[
            "<div class=\"figure\">1</div>",
            "The oldest arrived <time",
            &failed,
            &waits,
            "Over 3 finished deltas",
            "up to 10 s",
            "<svg",
        ],
        &["None waiting."],
    );
    let found = world.ask_json(&shop, "/api/deltas", json!({})).await;
    assert_eq!((&found["Waiting"], &found["Ended"]), (&json!(1), &json!(3)));
    let [median, most] = ["MedianMs", "Percentile95Ms"].map(|name| found[name].as_i64().expect("a time"));
    assert!((50..5_000).contains(&median) && (5_000..60_000).contains(&most), "{found}");
    assert_eq!(found["OldestAt"], found["Deltas"][0]["AcceptedAt"]);
    let counts: i64 =
        found["Lags"].as_array().expect("lags").iter().filter_map(|lag| lag["Failed"].as_i64()).sum();
    assert_eq!(counts, 1, "{found}");
    for refused in
        ["/shops/other/deltas", "/shops/other/refused.csv", "/shops/other/recommendations?product=1"]
    {
        assert_eq!(viewer.get(refused).await.status, 403, "{refused}");
    }
}

async fn deltas_are_paged_and_narrowed_by_their_state(world: World) {
    let shop = world.shop("shop").await;
    let viewer = viewer(&world, &shop).await;
    let failed = world.delta(&shop, json!({"Products": [{"Title": "no id"}]})).await;
    for number in 0..51 {
        world.delta(&shop, json!({"Products": [product(number)]})).await;
    }
    world.run_all_jobs().await;
    let first = viewer.page("/shops/shop/deltas").await;
    says(&first, &["before=", "Older"], &[&failed]);
    let next = first.split("before=").nth(1).and_then(|rest| rest.split('"').next()).expect("a next page");
    let second = viewer.page(&format!("/shops/shop/deltas?state=&before={next}")).await;
    says(&second, &[&failed], &["Older"]);
    says(
        &viewer.page("/shops/shop/deltas?state=failed").await,
        &[&failed, "<div class=\"bad reason\">"],
        &["Older"],
    );
    says(
        &viewer.page("/shops/shop/deltas?state=pending").await,
        &["None of the submissions matches."],
        &[&failed],
    );
    let wrong = viewer.get("/shops/shop/deltas?state=nothing").await;
    assert_eq!(wrong.status, 400);
    says(&wrong.text, &["State has to be pending, applied or failed", "role=\"alert\""], &[]);
}

async fn an_integrator_sees_what_was_refused_and_nobody_elses(world: World) {
    let shop = world.shop("shop").await;
    let other = world.shop("other").await;
    let viewer = viewer(&world, &shop).await;
    says(
        &viewer.page("/shops/shop/imports").await,
        &["Recently refused requests", "No request was refused."],
        &[],
    );
    world.ask(&shop, "/api/productfeed", json!({"url": "ftp://canary-host/feed"})).await.expect_refusal(400);
    world.ask(&other, "/api/submissions", json!({"Tokens": 1})).await.expect_refusal(400);
    let wrong = json!({"AccessKey": shop.key, "SecretKey": other.secret, "Canary": "canary-value"});
    for _ in 0..12 {
        world.post("/api/submissions", &wrong).await.expect_refusal(403);
    }
    let mistyped = json!({"AccessKey": shop.key, "SecretKey": "canary-secret"});
    world.post("/api/deltastatus", &mistyped).await.expect_refusal(403);
    // Without a secret at all.
    world
        .post("/api/user/forget", &json!({"AccessKey": shop.key, "Identifier": "x"}))
        .await
        .expect_refusal(400);
    // Refusals of an unknown account, and of the operator, are on no list.
    world
        .post("/api/submissions", &json!({"AccessKey": "nobody", "SecretKey": "x"}))
        .await
        .expect_refusal(403);
    world.control_answer("/api/submission", json!({"Account": "shop", "Token": "x"})).await;
    for path in ["/shops/shop/imports", "/shops/shop/deltas"] {
        let page = viewer.page(path).await;
        says(
            &page,
            &[
                "/api/productfeed",
                "url: ",
                "× 12",
                "/api/deltastatus",
                "/api/user/forget",
                "access key alone",
                "access key and secret",
                "The access key and the secret key do not belong together",
            ],
            &["canary", "Tokens", "127.0.0.1:"],
        );
    }
    let listed = world.ask_json(&shop, "/api/refused", json!({})).await;
    let told: Vec<_> = listed
        .as_array()
        .expect("a list")
        .iter()
        .map(|one| (one["Path"].clone(), one["Count"].clone(), one["WithSecret"].clone()))
        .collect();
    assert_eq!(told.len(), 4, "{listed}");
    assert!(told.contains(&(json!("/api/submissions"), json!(12), json!(false))), "{listed}");
    assert!(told.contains(&(json!("/api/productfeed"), json!(1), json!(true))), "{listed}");
    let csv = viewer.get("/shops/shop/refused.csv").await;
    assert_eq!((csv.header("content-type"), csv.text.lines().count()), ("text/csv; charset=utf-8", 5));
    let of_other = world.ask_json(&other, "/api/refused", json!({})).await;
    assert_eq!(
        (of_other.as_array().map(Vec::len), &of_other[0]["Path"]),
        (Some(1), &json!("/api/submissions"))
    );
}

async fn what_was_refused_is_counted_and_who_has_no_secret_pushes_nothing_out(world: World) {
    let shop = world.shop("shop").await;
    world.ask(&shop, "/api/issues", json!({"Token": "nothing"})).await.expect_refusal(404);
    // Sentences that name a part of the request, each another.
    for number in 0..80 {
        let asked = json!({"AppKey": shop.key, "Query": "x", "Filters": {format!("someone-{number}@elsewhere.example"): ["x"]}});
        world.clock.advance(Duration::from_secs(1));
        let refused = world.post("/api/search", &asked).await;
        assert_eq!(refused.status, 400, "{}", refused.text);
    }
    let listed = world.ask_json(&shop, "/api/refused", json!({})).await;
    let all = listed.as_array().expect("a list");
    assert!(all.len() <= 51, "{}", all.len());
    assert!(all.iter().any(|one| one["Path"] == "/api/issues" && one["WithSecret"] == true), "{listed}");
    assert!(!listed.to_string().contains("@elsewhere.example"), "{listed}");
}

async fn recommendations_say_why_and_read_nobodys_history(world: World) {
    let shop = world.shop("shop").await;
    let viewer = viewer(&world, &shop).await;
    says(
        &viewer.page("/shops/shop/recommendations").await,
        &["lethe recommend 4711 --account shop", "Choose the product that a shopper views."],
        &["<ol"],
    );
    let mut with_sku = product(7);
    with_sku["Sku"] = "SKU-7".into();
    world.apply_delta(&shop, json!({"Products": [product(1), product(2), with_sku]})).await;
    let page =
        viewer.page("/shops/shop/recommendations?recommender=category&product=SKU-7&currency=GBP").await;
    says(
        &page,
        &["<strong>Product 1</strong>", "from the category of 7", "£10.00"],
        &["<strong>Product 7</strong>", "role=\"alert\""],
    );
    let seen =
        viewer.page("/shops/shop/recommendations?recommender=recently_viewed&items=1,2&product=7").await;
    says(&seen, &["<strong>Product 2</strong>", "viewed before"], &["role=\"alert\""]);
    let unknown = viewer.get("/shops/shop/recommendations?recommender=default&product=%3Cb%3E").await;
    assert_eq!(unknown.status, 404);
    says(&unknown.text, &["Nothing is known of an item", "value=\"&lt;b&gt;\"", "role=\"alert\""], &["<b>"]);
    // A session in the address is ignored: its views belong to a person.
    let viewed = |id: &str| json!({"Name": "product_view", "Product": id, "UserId": "canary-7"});
    let events = json!({"Events": [viewed("1"), viewed("2")]});
    let session = world.ask_json(&shop, "/api/events", events).await["Events"][1]["SessionId"].clone();
    world.node().derived.catch_up(lethe::ids::AccountId(1)).await;
    let by_it = json!({"SessionId": session, "Recommender": "recently_viewed"});
    assert_eq!(world.ask_json(&shop, "/api/recommend", by_it).await["Items"][0]["Id"], "1");
    let session = session.as_str().expect("a session");
    let page = viewer
        .page(&format!("/shops/shop/recommendations?recommender=recently_viewed&session={session}"))
        .await;
    says(&page, &["No recommendations"], &["<strong>Product 1</strong>"]);
    let csv = viewer.get("/shops/shop/recommendations?recommender=category&product=7&csv").await;
    assert!(
        csv.text.starts_with("Id,Title,Price,Currency,InStock,Reason.Code,Reason.Product\n"),
        "{}",
        csv.text
    );
    says(&viewer.page("/shops/shop/catalogue/7").await, &["/shops/shop/recommendations?product=7"], &[]);
}

async fn lists_are_spreadsheets_without_formulas(world: World) {
    let shop = world.shop("shop").await;
    world.shop("other").await;
    let owner = Browser::sign_in_as(&world, "Owner", "owner", &[]).await;
    let products = json!({"Products": [product(1), product(2)]});
    let feed = world.feed(&shop, &world.feeds.serve("/shop", [Answer::ok(products.to_string())])).await;
    world.run_all_jobs().await;
    let feed = format!("/shops/shop/imports/{feed}");
    let mut formula = product(1);
    formula["Title"] = "=HYPERLINK(\"https://evil.example\")".into();
    world.apply_delta(&shop, json!({"Products": [formula]})).await;
    let erasure = world.ask(&shop, "/api/user/forget", json!({"Identifier": "userid:canary-1"})).await;
    let erasure = erasure.header("x-erasure-id").to_owned();
    let rules = json!([{"Id": "=1+1", "Query": "shoe", "Hide": {"Brand": "acme"}}]);
    world.ask_json(&shop, "/api/rules/set", json!({ "Rules": rules })).await;
    let campaigns = json!([{"Id": "@c", "Zone": "HP-01", "ProductsShown": {"Recommender": "new_arrivals"}}]);
    world.ask_json(&shop, "/api/zones/set", json!({ "Campaigns": campaigns })).await;
    let tables = [
        ("/", "shop"),
        ("/health", "keys apart from data,Good"),
        ("/shops/shop", ",feed,complete,"),
        ("/shops/shop/settings", "\n1,"),
        ("/shops/shop/rules", "'=1+1,,shoe,,,,,,,,\"{\"\"Brand\"\":\"\"acme\"\"}\","),
        ("/shops/shop/zones", "'@c,HP-01,"),
        ("/shops/shop/search?q=product", "2,"),
        (&feed, "Products,2,0,0,0,"),
        ("/shops/shop/imports", "delta"),
        ("/shops/shop/deltas", ",applied,,"),
        ("/shops/shop/erasures", &erasure),
        ("/shops/shop/catalogue", "\"'=HYPERLINK(\"\"https://evil.example\"\")\""),
        ("/acts", "password-chosen"),
        ("/operators", "owner"),
        ("/places", "ledger"),
    ];
    let mut tables: Vec<_> = tables.map(|(page, holds)| (page, "csv", holds)).into();
    tables.extend([
        ("/health", "csv=settings", ","),
        ("/shops/shop/imports", "csv=lists", "Products,1,2,20"),
        (&feed, "csv=lists", "Products,1,2,20"),
        ("/shops/shop/rules", "csv=history", "1,20"),
        ("/shops/shop/zones", "csv=history", "1,20"),
        ("/shops/shop/zones?zone=HP-01", "csv=shown", "2,"),
    ]);
    for (path, table, holds) in tables {
        let page = owner.page(path).await;
        let sign = if path.contains('?') { "&" } else { "?" };
        let file = format!("{path}{sign}{table}");
        says(&page, &[&format!("href=\"{}\"", file.replace('&', "&amp;"))], &[]);
        let csv = owner.get(&file).await;
        assert_eq!((csv.status, csv.header("content-type")), (200, "text/csv; charset=utf-8"), "{path}");
        assert!(csv.header("content-disposition").starts_with("attachment; filename=\""), "{path}");
        says(&csv.text, &[holds], &["Owner", "<"]);
        assert!(csv.text.lines().count() > 1, "{path}: {}", csv.text);
    }
    let sealed = owner.get("/places?fate=sealed&csv").await.text;
    assert!(sealed.lines().count() > 5, "{sealed}");
    assert_eq!(owner.get("/places?fate=seald").await.status, 404);
    assert!(sealed.lines().skip(1).all(|line| line.contains(",sealed,")), "{sealed}");
    let map = owner.page("/places").await;
    let (open, folded) = map.split_once("<details>").expect("folded places");
    for (part, shown, hidden) in [(open, "erased", "not personal"), (folded, "not personal", "erased")] {
        let cell = |fate: &str| part.contains(&format!("<td>{fate}</td>"));
        assert!(cell(shown) && !cell(hidden), "{part}");
    }
    let viewer = viewer(&world, &shop).await;
    for path in ["/acts?csv", "/operators?csv", "/backups"] {
        assert_eq!(viewer.get(path).await.status, 403, "{path}");
    }
    let shops = viewer.get("/?csv").await.text;
    assert!(shops.contains("shop") && !shops.contains("other"), "{shops}");
}

async fn erasures_are_counted_and_narrowed_by_their_state(world: World) {
    let shop = world.shop("shop").await;
    let other = world.shop("other").await;
    let forget = async |number: usize| {
        let asked = json!({"Identifier": format!("userid:canary-{number}")});
        world.ask(&shop, "/api/user/forget", asked).await.header("x-erasure-id").to_owned()
    };
    let done = forget(0).await;
    world.run_all_jobs().await;
    let late = forget(1).await;
    world.clock.advance(Duration::from_secs(40 * 24 * 60 * 60));
    let open = forget(2).await;
    let counted = world.ask_json(&shop, "/api/erasures/count", json!({})).await;
    assert_eq!(
        (&counted["Open"], &counted["Overdue"], &counted["Failing"]),
        (&json!(2), &json!(1), &json!(0)),
        "{counted}"
    );
    let none = world.ask_json(&other, "/api/erasures/count", json!({})).await;
    assert_eq!(none, json!({"Open": 0, "Overdue": 0, "Failing": 0, "OldestAt": null}));
    let viewer = viewer(&world, &shop).await;
    for (state, all, missing) in [
        ("open", vec![&open, &late], vec![&done]),
        ("overdue", vec![&late], vec![&open, &done]),
        ("verified", vec![&done], vec![&open, &late]),
        ("accepted", vec![&open, &late], vec![&done]),
        ("lost", vec![], vec![&open, &late, &done]),
        ("", vec![&open, &late, &done], vec![]),
    ] {
        let page = viewer.page(&format!("/shops/shop/erasures?state={state}")).await;
        let [all, missing] =
            [all, missing].map(|some| some.into_iter().map(String::as_str).collect::<Vec<_>>());
        says(&page, &all, &missing);
    }
    says(&viewer.page("/").await, &["href=\"/shops/shop/erasures?state=overdue\">1</a>"], &[]);
    let wrong = world.ask(&shop, "/api/erasures", json!({"State": "late"})).await.expect_refusal(400);
    assert!(wrong.starts_with("State has to be open, overdue, accepted, "), "{wrong}");
}

async fn an_officer_looks_again_behind_an_erasure(world: World) {
    let shop = world.shop("shop").await;
    let officer = Browser::sign_in_as(&world, "Officer", "privacy-officer", &[&shop]).await;
    let viewer = viewer(&world, &shop).await;
    world
        .apply_delta(&shop, json!({"Users": [{"UserId": "canary-7", "Email": "canary-7@shop.example"}]}))
        .await;
    let erasure = world.ask(&shop, "/api/user/forget", json!({"Identifier": "userid:canary-7"})).await;
    let path = format!("/shops/shop/erasures/{}", erasure.header("x-erasure-id"));
    says(&officer.page(&path).await, &[], &["id=\"look\""]);
    world.run_all_jobs().await;
    says(&officer.page(&path).await, &["Search again", "The server no longer knows"], &["canary"]);
    says(&viewer.page(&path).await, &["Certificate to print"], &["id=\"look\""]);
    let look = format!("{path}/look");
    assert_eq!(viewer.send_form(&look, &[("identifier", "userid:canary-7")]).await.status, 403);
    let again = officer.post_form(&look, &[("identifier", "userid:canary-7")]).await;
    says(
        &officer.page(&again).await,
        &["nothing found", "forgotten and blocked", "Result of the search in all places"],
        &["canary", "was not forgotten in this shop"],
    );
    // It belongs to the operator who looked, as long as their rights stay the same.
    assert_eq!(viewer.get(&again).await.status, 404);
    let mut demoted = Browser::sign_in_as(&world, "Demoted", "privacy-officer", &[&shop]).await;
    let before = demoted.post_form(&look, &[("identifier", "userid:canary-7")]).await;
    let changed = json!({"Name": "Demoted", "Role": "viewer", "Shops": ["shop"]});
    world.control("/control/operator/set", changed).await;
    assert_eq!(demoted.sign_in("Demoted", PASSWORD).await.status, 303);
    assert_eq!(demoted.get(&format!("{before}&csv=found")).await.status, 404);
    let other = officer.post_form(&look, &[("identifier", "userid:canary-8")]).await;
    says(
        &officer.page(&other).await,
        &["This identifier was not forgotten in this shop", "nothing found"],
        &["canary"],
    );
    let wrong = officer.send_form(&look, &[("identifier", "")]).await;
    assert_eq!(wrong.status, 400);
    says(&wrong.text, &["role=\"alert\"", "Certificate to print"], &[]);
    let acts = world.control("/control/operator/acts", json!({})).await.to_string();
    says(&acts, &["erasure-looked-behind"], &["canary"]);
}
