//! The console's pages of imports and of the catalogue: imports and their outcome, followed while they go on, and the
//! actions of a merchandiser.

use std::sync::Arc;
use std::time::Duration;

use lethe::jobs::Lane;
use reqwest::header::ACCEPT;
use serde_json::{Value, json};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use crate::support::console::Browser;
use crate::support::feed_server::Answer;
use crate::support::world::{Shop, World, on_both_engines};

on_both_engines! {
    the_history_says_what_came_and_is_narrowed_by_its_address
    imports_are_paged_and_narrowed
    an_import_is_followed_to_its_end
    a_failed_try_says_why_and_when_the_next_one_is
    issues_are_grouped_with_advice_and_an_example_of_each
    a_merchandiser_publishes_anyway_and_goes_back
    a_merchandiser_publishes_what_was_checked_and_cancels_what_goes_on
    a_viewer_looks_at_imports_and_changes_none
    the_catalogue_is_browsed_and_prices_of_accounts_are_not
    a_product_says_what_wrote_it
    pictures_are_shown_of_the_hosts_that_the_shop_names
    what_a_feed_wrote_is_text
}

fn product(id: usize) -> Value {
    json!({"Id": id, "Title": format!("Product {id}"), "Link": "/p", "Image": "/i", "Description": "d", "Prices": ["10 GBP"]})
}

fn feed(ids: std::ops::Range<usize>) -> Value {
    json!({"Products": ids.map(product).collect::<Vec<_>>()})
}

/// Sends a feed and works; gives its token, however it ended.
async fn send_feed(world: &World, shop: &Shop, body: &Value, is_dry_run: bool) -> String {
    let url = world.feeds.serve("/f", [Answer::ok(body.to_string())]);
    let reply = world.ask(shop, "/api/productfeed", json!({"url": url, "DryRun": is_dry_run})).await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    let token = reply.header("x-feed-token").to_owned();
    world.run_all_jobs().await;
    token
}

/// A page demands all of these and none of those.
fn says(page: &str, all: &[&str], none: &[&str]) {
    for said in all {
        assert!(page.contains(said), "{said} is missing: {page}");
    }
    for said in none {
        assert!(!page.contains(said), "{said} is there: {page}");
    }
}

async fn merchandiser<'w>(world: &'w World, shop: &Shop) -> Browser<'w> {
    Browser::sign_in_as(world, "Merchandiser", "merchandiser", &[shop]).await
}

async fn the_history_says_what_came_and_is_narrowed_by_its_address(world: World) {
    let shop = world.shop("shop").await;
    let viewer = Browser::sign_in_as(&world, "Viewer", "viewer", &[&shop]).await;
    let page = viewer.page("/shops/shop/imports").await;
    says(
        &page,
        &["Nothing was sent yet", "lethe feed submit https://shop.example/feed.json --account shop --wait"],
        &["<table"],
    );
    let quality = viewer.page("/shops/shop/reports?about=catalogue").await;
    says(&quality, &["No feed was read yet", "/api/productfeed"], &["<table"]);
    let whole = send_feed(&world, &shop, &feed(0..4), false).await;
    let mut few = feed(2..5);
    few["Products"].as_array_mut().expect("rows").push(json!({"Title": "no id"}));
    let bad = send_feed(&world, &shop, &few, false).await;
    let delta = world.delta(&shop, json!({"Products": [product(9)]})).await;
    world.run_all_jobs().await;
    let page = viewer.page("/shops/shop/imports").await;
    says(&page, &[&whole, &bad, &delta, "127.0.0.1", "complete"], &[]);
    let feeds = viewer.page("/shops/shop/imports?kind=feed").await;
    says(&feeds, &[&whole, &bad], &[&delta]);
    let row = feeds.split(&whole).nth(1).expect("a row").split("</tr>").next().expect("its end");
    let figures: Vec<_> =
        row.split("<td class=\"number\">").skip(1).filter_map(|cell| cell.split('<').next()).collect();
    assert_eq!(figures, ["4", "0", "0", "0"], "{row}");
    let failed = viewer.page("/shops/shop/imports?kind=feed&state=failed").await;
    says(&failed, &[&bad, "<div class=\"bad reason short\">"], &[&whole, &delta]);
    let row = failed.split(&bad).nth(1).expect("a row").split("</tr>").next().expect("its end");
    assert!(row.contains("<td class=\"number\">1</td>"), "one row was faulty: {row}");
    let deltas = viewer.page("/shops/shop/imports?kind=delta&state=complete").await;
    says(&deltas, &[&delta], &[&whole, &bad]);
    let open = viewer.page("/shops/shop/imports?state=open").await;
    says(&open, &["None of the newest submissions matches."], &[&whole, &delta, "lethe feed submit"]);
    assert_eq!(viewer.get("/shops/shop/imports/0b0f2f4e-7a7c-4f0e-9d5b-1d5f0c9f7e55").await.status, 404);
    assert_eq!(viewer.get("/shops/shop/imports/nothing").await.status, 404);
}

/// A feed whose second half waits at a gate, and the job that reads it.
async fn start_import(world: &World, shop: &Shop) -> (String, Arc<Semaphore>, tokio::task::JoinHandle<()>) {
    let gate = Arc::new(Semaphore::new(0));
    let url = world.feeds.serve("/slow", [Answer::ok(feed(0..9).to_string()).gated_by(&gate)]);
    let token = world.feed(shop, &url).await;
    let node = world.node().clone();
    let run = tokio::spawn(async move {
        assert!(lethe::work::run_due(&node, Lane::FETCH, &CancellationToken::new()).await.expect("a feed"));
    });
    while world.feeds.requests_of("/slow").is_empty() {
        tokio::task::yield_now().await;
    }
    (token, gate, run)
}

async fn imports_are_paged_and_narrowed(world: World) {
    let shop = world.shop("shop").await;
    let viewer = Browser::sign_in_as(&world, "Viewer", "viewer", &[&shop]).await;
    let feed = send_feed(&world, &shop, &feed(0..1), false).await;
    for id in 0..60 {
        world.delta(&shop, json!({"Products": [product(id)]})).await;
    }
    let failed = world.delta(&shop, json!({"Products": [{"Title": "no id"}]})).await;
    world.run_all_jobs().await;
    let newest = viewer.page("/shops/shop/imports").await;
    // Numbered on their own: the feed and the events before the deltas count in no number of a delta.
    says(&newest, &["?kind=&amp;state=&amp;before=", "Older", ">Delta 61</a>"], &[&feed, ">Delta 62</a>"]);
    // However many came after it.
    says(&viewer.page("/shops/shop/imports?kind=feed").await, &[&feed, ">Feed 1</a>"], &["delta 2"]);
    let asked = json!({"Kind": "delta", "State": "failed"});
    let found = world.ask_json(&shop, "/api/submissions", asked).await;
    assert_eq!((&found[0]["Token"], found[1].is_null()), (&json!(failed), true), "{found}");
    let all = world.ask_json(&shop, "/api/submissions", json!({})).await;
    let all = all.as_array().expect("a list");
    assert_eq!(all.len(), 50);
    let older = viewer.page(&format!("/shops/shop/imports?before={}", all[49]["Number"])).await;
    says(&older, &[&feed], &["Older", &failed]);
    let empty = viewer.page("/shops/shop/imports?kind=feed&before=1").await;
    says(&empty, &["href=\"?\"", "Show all"], &[&feed]);
    for wrong in [json!({"Kind": "x"}), json!({"State": "pending"}), json!({"Before": "x"})] {
        world.ask(&shop, "/api/submissions", wrong).await.expect_refusal(400);
    }
}

async fn an_import_is_followed_to_its_end(world: World) {
    let shop = world.shop("shop").await;
    let viewer = Browser::sign_in_as(&world, "Viewer", "viewer", &[&shop]).await;
    let (token, gate, run) = start_import(&world, &shop).await;
    let path = format!("/shops/shop/imports/{token}");
    says(
        &viewer.page(&path).await,
        &[&format!("data-live=\"{path}/live\""), "in progress", "Refresh"],
        &["Show the result"],
    );
    let follow = viewer.ask("GET", &format!("{path}/live")).header(ACCEPT, "text/event-stream");
    let mut stream = follow.send().await.expect("a stream");
    assert_eq!(
        (stream.status().as_u16(), stream.headers()["content-type"].as_bytes()),
        (200, &b"text/event-stream"[..])
    );
    let patience = Duration::from_secs(20);
    let first = tokio::time::timeout(patience, stream.chunk()).await.expect("in time").expect("a part");
    let first = String::from_utf8(first.expect("a part").to_vec()).expect("a text");
    says(&first, &["in progress", " rows"], &["event: end", "Show the result"]);
    gate.add_permits(1);
    run.await.expect("it ended");
    world.run_all_jobs().await;
    let rest = tokio::time::timeout(patience, stream.text()).await.expect("the stream ends").expect("a text");
    says(&rest, &["complete", "Show the result", "event: end"], &[]);
    says(&viewer.page(&path).await, &["complete"], &["data-live", "Refresh"]);
    assert_eq!(viewer.get("/shops/shop/imports/nothing/live").await.status, 404);
}

async fn a_failed_try_says_why_and_when_the_next_one_is(world: World) {
    let shop = world.shop("shop").await;
    let viewer = Browser::sign_in_as(&world, "Viewer", "viewer", &[&shop]).await;
    let url = world.feeds.serve("/f", [Answer::status(503)]);
    let token = world.feed(&shop, &url).await;
    world.run_all_jobs().await;
    let page = viewer.page(&format!("/shops/shop/imports/{token}")).await;
    says(&page, &["503", "Next attempt:", "Attempts left:", "Known once the rows are read."], &[]);
    says(&viewer.page("/shops/shop/imports?state=open").await, &[&token, "503"], &[]);
}

/// A feed of so many products without anything but an id, and one bad brand at the end.
fn poor(products: usize) -> Value {
    let mut brands: Vec<_> = (0..10).map(|n| json!({"Id": n, "DisplayName": "B", "Link": "l"})).collect();
    brands[6] = json!({"DisplayName": "nobody"});
    json!({"Products": (0..products).map(|n| json!({"Id": n})).collect::<Vec<_>>(), "Brands": brands})
}

async fn issues_are_grouped_with_advice_and_an_example_of_each(world: World) {
    let shop = world.shop("shop").await;
    let viewer = Browser::sign_in_as(&world, "Viewer", "viewer", &[&shop]).await;
    let token = send_feed(&world, &shop, &poor(250), false).await;
    let path = format!("/shops/shop/imports/{token}");
    let page = viewer.page(&path).await;
    let found = world.ask_json(&shop, "/api/issues", json!({"Token": token})).await;
    for group in found["Counts"].as_array().expect("groups") {
        let code = group["Code"].as_str().expect("a code");
        says(&page, &[code], &[]);
        let row =
            page.split(&format!("<code>{code}</code>")).nth(1).and_then(|rest| rest.split("</tr>").next());
        let row = row.expect("a row");
        let advice = group["Advice"]
            .as_str()
            .expect("what to do")
            .split(['\'', '"', '&', '<', '/'])
            .next()
            .expect("its begin");
        assert!(row.contains(&format!("<td class=\"number\">{}</td>", group["Count"])), "{row}");
        // A product that shoppers do not see is found when the whole row is known, at none of its bytes.
        let has_place = row.contains("from byte ") || code == "product_unseen";
        assert!(row.contains(advice) && row.contains("row ") && has_place, "{advice}: {row}");
    }
    // The same as a report of the newest feed.
    let quality = viewer.page("/shops/shop/reports?about=catalogue").await;
    says(
        &quality,
        &[&path, "price_missing, Products</text>", "<code>title_missing", "/help/issues/price_missing"],
        &[],
    );
    for (language, advice) in
        [("de", "Geben Sie dem Produkt einen Preis"), ("fr", "Donnez un prix au produit")]
    {
        viewer.send_form("/language", &[("language", language), ("to", "/places")]).await;
        for path in [&path, &format!("{path}/issues?section=Products&code=price_missing")] {
            says(&viewer.page(path).await, &[advice], &["Give the product a price"]);
        }
    }
    viewer.send_form("/language", &[("language", "en"), ("to", "/places")]).await;
    let group = viewer.page(&format!("{path}/issues?section=Products&code=price_missing")).await;
    says(&group, &["price_missing", ">200</td>", "More</a>"], &["<code>title_missing"]);
    let next = group.split("from=").nth(1).and_then(|rest| rest.split('"').next()).expect("a next page");
    let rest = viewer.page(&format!("{path}/issues?section=Products&code=price_missing&from={next}")).await;
    says(&rest, &[">250</td>"], &[">200</td>", "More</a>"]);
    let csv = viewer.get(&format!("{path}/issues.csv?code=price_missing")).await;
    assert_eq!(csv.header("content-disposition"), "attachment; filename=\"issues.csv\"");
    assert_eq!((csv.header("content-type"), csv.text.lines().count()), ("text/csv; charset=utf-8", 251));
    assert_eq!(viewer.get(&format!("{path}/issues?code=nothing")).await.status, 400);
    assert_eq!(viewer.get("/shops/shop/imports/nothing/issues.csv").await.status, 404);
}

async fn a_merchandiser_publishes_anyway_and_goes_back(world: World) {
    let shop = world.shop("shop").await;
    let merchandiser = merchandiser(&world, &shop).await;
    let first = send_feed(&world, &shop, &feed(0..1000), false).await;
    let stopped = send_feed(&world, &shop, &feed(901..1000), false).await;
    let path = format!("/shops/shop/imports/{stopped}");
    let page = merchandiser.page(&path).await;
    says(
        &page,
        &[
            "This feed was stopped because it removes too many products or repeats ids",
            "Publish anyway",
            "This feed would remove 901 of 1,000 products, and 80\u{a0}% is the most a feed may remove.",
            ">901</td>",
        ],
        &["lethe feed publish"],
    );
    let list = merchandiser.page("/shops/shop/imports").await;
    says(&list, &["Would remove 901 of 1,000 products (limit: 80\u{a0}%)."], &["lethe feed publish"]);
    merchandiser.send_form("/language", &[("language", "de"), ("to", "/places")]).await;
    says(&merchandiser.page(&path).await, &["würde 901 von 1.000 Produkten entfernen"], &["would remove"]);
    merchandiser.send_form("/language", &[("language", "en"), ("to", "/places")]).await;
    says(&page, &["/shops/shop/catalogue/0?section=Products"], &[]);
    // Without `anyway` it is refused with the sentence of the operation, and without a tick too.
    let guarded = merchandiser.send_form(&format!("{path}/publish"), &[]).await;
    assert_eq!(guarded.status, 409);
    says(&guarded.text, &["That feed was stopped, and would be again", "/help/errors/feed_stopped"], &[]);
    let unsure = merchandiser.send_form(&format!("{path}/publish"), &[("anyway", "yes")]).await;
    assert_eq!(unsure.status, 422);
    says(&unsure.text, &["Tick the box beside the button. Nothing was done."], &[]);
    assert_eq!(world.count(&shop, "Products").await, 1000);
    let done =
        merchandiser.send_form(&format!("{path}/publish"), &[("anyway", "yes"), ("sure", "yes")]).await;
    assert_eq!(done.status, 303, "{}", done.text);
    world.run_all_jobs().await;
    says(
        &merchandiser.page(done.header("location")).await,
        &["complete", ", which was held", "Go back to this version"],
        &["Publish anyway"],
    );
    assert_eq!(world.count(&shop, "Products").await, 99);
    // The held import was published, and cannot be once more.
    let gone =
        merchandiser.send_form(&format!("{path}/publish"), &[("anyway", "yes"), ("sure", "yes")]).await;
    assert_eq!(gone.status, 404);
    says(&gone.text, &["Nothing is held of that submission"], &[]);

    let kept = world.ask_json(&shop, "/api/submissions", json!({"Token": first})).await[0]["Number"].clone();
    let list = format!("Products/{kept}");
    let unsure = merchandiser.send_form("/shops/shop/imports/back", &[("earlier", &list)]).await;
    assert_eq!(unsure.status, 422);
    for wrong in ["Products/4711", "Nothing/1", "nothing", ""] {
        let refused =
            merchandiser.send_form("/shops/shop/imports/back", &[("earlier", wrong), ("sure", "yes")]).await;
        assert!(matches!(refused.status, 400 | 404), "{wrong}: {}", refused.status);
        says(&refused.text, &["role=\"alert\"", "Earlier versions of the catalogue"], &[]);
    }
    assert_eq!(world.count(&shop, "Products").await, 99);
    let back =
        merchandiser.send_form("/shops/shop/imports/back", &[("earlier", &list), ("sure", "yes")]).await;
    assert_eq!(back.status, 303, "{}", back.text);
    world.run_all_jobs().await;
    says(&merchandiser.page(back.header("location")).await, &["complete", "Products of feed 1"], &[]);
    assert_eq!(world.count(&shop, "Products").await, 1000);
    let acts = world.control("/control/operator/acts", json!({})).await;
    let about = acts.as_array().into_iter().flatten().find(|act| act["Act"] == "feed-published-anyway");
    assert!(about.is_some() && acts.to_string().contains("earlier-list-shown"), "{acts}");
    for refused in
        ["feed-published, refused", "feed-published-anyway, refused", "earlier-list-shown, refused"]
    {
        assert!(acts.to_string().contains(refused), "{refused}: {acts}");
    }
}

async fn a_merchandiser_publishes_what_was_checked_and_cancels_what_goes_on(world: World) {
    let shop = world.shop("shop").await;
    let merchandiser = merchandiser(&world, &shop).await;
    let checked = send_feed(&world, &shop, &feed(0..3), true).await;
    let path = format!("/shops/shop/imports/{checked}");
    says(&merchandiser.page(&path).await, &["dry run", "This feed was only checked."], &["Publish anyway"]);
    assert_eq!(merchandiser.send_form(&format!("{path}/publish"), &[]).await.status, 303);
    world.run_all_jobs().await;
    assert_eq!(world.count(&shop, "Products").await, 3);

    let url = world.feeds.serve("/f", [Answer::ok(feed(0..2).to_string())]);
    let waits = world.feed(&shop, &url).await;
    let path = format!("/shops/shop/imports/{waits}");
    says(&merchandiser.page(&path).await, &["Cancel this import"], &[]);
    let unsure = merchandiser.send_form(&format!("{path}/cancel"), &[]).await;
    assert_eq!(unsure.status, 422);
    says(&unsure.text, &["Tick the box"], &[]);
    assert_eq!(world.feed_status(&shop, &waits).await[0], "Processing");
    let cancelled = merchandiser.send_form(&format!("{path}/cancel"), &[("sure", "yes")]).await;
    assert_eq!((cancelled.status, cancelled.header("location")), (303, path.as_str()));
    assert_eq!(world.feed_status(&shop, &waits).await, json!(["Error", "cancelled"]));
    says(&merchandiser.page(&path).await, &["failed", "cancelled"], &["Cancel this import"]);
    let acts = world.control("/control/operator/acts", json!({})).await.to_string();
    says(&acts, &["feed-published", "feed-cancelled"], &["anyway"]);
}

async fn a_viewer_looks_at_imports_and_changes_none(world: World) {
    let shop = world.shop("shop").await;
    let other = world.shop("other").await;
    let viewer = Browser::sign_in_as(&world, "Viewer", "viewer", &[&shop]).await;
    let stranger = Browser::sign_in_as(&world, "Stranger", "merchandiser", &[&other]).await;
    let token = send_feed(&world, &shop, &feed(0..3), true).await;
    let path = format!("/shops/shop/imports/{token}");
    says(
        &viewer.page(&path).await,
        &["This feed is held back. A merchandiser may publish it."],
        &["<button class=\"danger\"", "<button>Publish"],
    );
    let acts: [(&str, &[(&str, &str)]); 3] = [
        (&format!("{path}/publish"), &[("anyway", "yes"), ("sure", "yes")]),
        (&format!("{path}/cancel"), &[("sure", "yes")]),
        ("/shops/shop/imports/back", &[("earlier", "Products/1"), ("sure", "yes")]),
    ];
    for (path, fields) in acts {
        assert_eq!(viewer.send_form(path, fields).await.status, 403, "{path}");
        assert_eq!(stranger.send_form(path, fields).await.status, 403, "{path}");
    }
    // A shop's import is not found under another shop, even by an operator who may see all its pages.
    let foreign = path.replace("/shops/shop/", "/shops/other/");
    assert_eq!(stranger.get(&foreign).await.status, 404);
    assert_eq!(stranger.send_form(&format!("{foreign}/publish"), &[]).await.status, 404);
    assert_eq!(stranger.get(&path).await.status, 403);
    assert_eq!(world.count(&shop, "Products").await, 0);
    assert!(!world.control("/control/operator/acts", json!({})).await.to_string().contains("feed-"));
}

async fn the_catalogue_is_browsed_and_prices_of_accounts_are_not(world: World) {
    let shop = world.shop("shop").await;
    let viewer = Browser::sign_in_as(&world, "Viewer", "viewer", &[&shop]).await;
    says(
        &viewer.page("/shops/shop/catalogue").await,
        &["No items here yet", "lethe feed submit"],
        &["<table"],
    );
    let mut all = feed(100..125);
    all["Products"][0] = json!({"Id": "a/b c", "Sku": "SKU-1", "Title": "With a slash", "Prices": ["3 GBP"], "InStock": false});
    all["Brands"] = json!([{"Id": "oak", "DisplayName": "Oak & Sons", "Link": "/oak"}]);
    all["AccountPrices"] = json!([{"AccountId": "acme-4711", "Id": "101", "Prices": ["1 GBP"]}]);
    send_feed(&world, &shop, &all, false).await;
    let page = viewer.page("/shops/shop/catalogue").await;
    says(
        &page,
        &["Product 101", "<td class=\"at\">£10.00</td>", "Products (25)", "Brands (1)"],
        &["With a slash", "AccountPrices"],
    );
    let next = page.split("&amp;from=").nth(1).and_then(|rest| rest.split('"').next()).expect("a next page");
    let rest = viewer.page(&format!("/shops/shop/catalogue?section=Products&from={next}")).await;
    says(&rest, &["With a slash", "Product 124"], &["Product 101", "href=\"?section=Products&amp;from="]);
    let path =
        rest.split("href=\"").find(|link| link.starts_with("/shops/shop/catalogue/a")).expect("a link");
    let product = viewer.page(&path.split('"').next().expect("its end").replace("&#x2f;", "/")).await;
    says(
        &product,
        &["<h1>With a slash</h1>", "£3.00", "3.00 GBP", "&quot;Sku&quot;: &quot;SKU-1&quot;"],
        &[],
    );
    says(&viewer.page("/shops/shop/catalogue?section=Brands").await, &["Oak &amp; Sons"], &["Product 101"]);
    let found = viewer.get("/shops/shop/catalogue?find=SKU-1").await;
    assert_eq!(found.status, 303);
    says(&viewer.page(found.header("location")).await, &["<h1>With a slash</h1>"], &[]);
    let missing = viewer.get("/shops/shop/catalogue?find=nothing").await;
    assert_eq!(missing.status, 404);
    says(
        &missing.text,
        &["Nothing is known of an item of that Id or Sku", "value=\"nothing\"", "role=\"alert\""],
        &[],
    );
    // Their ids are those of customers.
    for path in [
        "catalogue?section=AccountPrices",
        "catalogue/101?section=AccountPrices",
        "catalogue?section=AccountPrices&find=101",
    ] {
        let reply = viewer.get(&format!("/shops/shop/{path}")).await;
        assert_eq!(reply.status, 404, "{path}");
        says(&reply.text, &["There is nothing at this address"], &["acme"]);
    }
    for path in ["catalogue/nothing", "catalogue?section=Nothing"] {
        assert_eq!(viewer.get(&format!("/shops/shop/{path}")).await.status, 404, "{path}");
    }
}

async fn a_product_says_what_wrote_it(world: World) {
    let shop = world.shop("shop").await;
    let viewer = Browser::sign_in_as(&world, "Viewer", "viewer", &[&shop]).await;
    let token = send_feed(&world, &shop, &feed(1..4), false).await;
    let page = viewer.page("/shops/shop/catalogue/1").await;
    says(&page, &["version from feed", &token, "Contained in", "live version"], &["changed since by delta"]);
    let delta =
        world.delta(&shop, json!({"Products": [{"Id": 1, "Title": "Renamed", "InStock": true}]})).await;
    world.run_all_jobs().await;
    let page = viewer.page("/shops/shop/catalogue/1").await;
    says(
        &page,
        &["<h1>Renamed</h1>", "changed since by delta", &delta, "Written by", "Row as sent", "price_missing"],
        &[],
    );
    let newest = page.find(&delta).expect("the delta");
    assert!(newest < page.find(&token).expect("the feed"), "the newest stands first");
    world.apply_delta(&shop, json!({"DeleteProducts": ["1"]})).await;
    let page = viewer.page("/shops/shop/catalogue/1").await;
    says(&page, &["not shown", "Removed by", &token], &["Stored record"]);
}

async fn pictures_are_shown_of_the_hosts_that_the_shop_names(world: World) {
    let shop = world.shop("shop").await;
    let viewer = Browser::sign_in_as(&world, "Viewer", "viewer", &[&shop]).await;
    let mut all = feed(100..104);
    let images = [
        "https://cdn.shop.example/a.jpg",
        "//cdn.shop.example/b.jpg",
        "https://evil.example/c.jpg",
        "javascript:1",
    ];
    for (at, image) in images.iter().enumerate() {
        all["Products"][at]["Image"] = json!(image);
    }
    send_feed(&world, &shop, &all, false).await;
    let policy = async |path: &str| {
        let page = viewer.get(path).await;
        assert_eq!(page.status, 200, "{path}: {}", page.text);
        (page.header("content-security-policy").to_owned(), page.text)
    };
    let catalogue = "/shops/shop/catalogue";
    let (before, page) = policy(catalogue).await;
    assert!(before.contains("img-src 'self';") && !page.contains("<img class="), "{before}: {page}");
    let set = json!({"Name": "shop", "Pictures": ["https://cdn.shop.example"]});
    world.control("/control/account/search", set).await;
    let (after, page) = policy(catalogue).await;
    assert!(after.contains("img-src 'self' https://cdn.shop.example;"), "{after}");
    assert_eq!(page.matches("<img class=\"picture\"").count(), 2, "{page}");
    let one = "<img class=\"picture\" src=\"https://cdn.shop.example/b.jpg\" alt=\"\" referrerpolicy=\"no-referrer\"";
    assert!(
        page.contains(one) && !page.contains("src=\"https://evil") && !page.contains("src=\"javascript:"),
        "{page}"
    );
    let (of_none, page) = policy(&format!("{catalogue}/102")).await;
    assert!(of_none.contains("img-src 'self';") && !page.contains("<img class="), "{of_none}");
    assert!(policy(&format!("{catalogue}/100")).await.1.contains("src=\"https://cdn.shop.example/a.jpg\""));
    assert!(policy("/shops/shop/imports").await.0.contains("img-src 'self';"), "a page without pictures");
}

async fn what_a_feed_wrote_is_text(world: World) {
    const WRITTEN: &str = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>";
    let shop = world.shop("shop").await;
    let merchandiser = merchandiser(&world, &shop).await;
    let mut written = feed(0..3);
    written["Products"][0] =
        json!({"Id": WRITTEN, "Title": WRITTEN, "Prices": [WRITTEN], "Brand": WRITTEN, WRITTEN: WRITTEN});
    written["Products"][1] = json!({"Id": "1", "Title": WRITTEN, WRITTEN: WRITTEN});
    written["Products"].as_array_mut().expect("rows").extend((10..40).map(product));
    written[WRITTEN] = json!([{"Id": 1}]);
    let token = send_feed(&world, &shop, &written, false).await;
    world.apply_delta(&shop, json!({"Products": [{"Id": "1", "Title": WRITTEN, WRITTEN: WRITTEN}]})).await;
    assert_eq!(world.title(&shop, "1").await, WRITTEN);
    let import = format!("/shops/shop/imports/{token}");
    let encoded: String = WRITTEN.bytes().map(|byte| format!("%{byte:02x}")).collect();
    let mut pages = Vec::new();
    for path in [
        "/shops/shop/imports",
        &import,
        &format!("{import}/issues"),
        "/shops/shop/catalogue",
        "/shops/shop/catalogue/1",
    ] {
        pages.push(merchandiser.page(path).await);
    }
    assert!(pages[4].contains("&lt;script&gt;alert(1)"), "{}", pages[4]);
    for path in [
        format!("/shops/shop/catalogue/{encoded}"),
        format!("/shops/shop/catalogue?find={encoded}"),
        format!("/shops/shop/imports?kind={encoded}&state={encoded}"),
        format!("{import}/issues?section={encoded}&code={encoded}"),
    ] {
        pages.push(merchandiser.get(&path).await.text);
    }
    pages.push(
        merchandiser
            .send_form("/shops/shop/imports/back", &[("earlier", WRITTEN), ("sure", "yes")])
            .await
            .text,
    );
    for page in pages {
        says(&page, &[], &["<script>alert", "<img src=x"]);
    }
}
