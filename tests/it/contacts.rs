//! Addresses in the text of the catalogue: a shop's own stay, those of forgotten people go, and come back by no door.

use std::sync::Arc;

use lethe::blobs::{BlobName, Blobs};
use lethe::catalogue::rewriting;
use lethe::catalogue::snapshot::Snapshot;
use lethe::ids::AccountId;
use lethe::jobs::Lane;
use lethe::store::StoreFault;
use serde_json::{Value, json};
use tokio::sync::Semaphore;

use crate::feed_server::Answer;
use crate::residue::{assert_nothing, visit};
use crate::uploads;
use crate::world::{Shop, World, on_both_engines};

on_both_engines! {
    addresses_and_numbers_in_text_are_warnings
    a_forgotten_address_goes_from_the_catalogue_and_from_every_file
    older_snapshots_that_hold_a_forgotten_address_are_destroyed_and_others_stay
    what_is_held_goes_when_it_holds_a_forgotten_address
    every_email_of_a_forgotten_person_goes
    a_forgotten_address_comes_back_by_no_door
    an_unchanged_feed_stays_unchanged_after_its_text_was_blanked
    another_shop_keeps_its_text
    a_forget_while_a_feed_is_read_is_not_lost
    a_forget_while_a_delta_waits_is_not_lost
    an_address_of_a_delta_is_sealed_while_it_waits
    an_address_goes_however_its_letters_are_encoded
    an_address_of_any_signs_goes
    names_of_attributes_that_become_the_same_stay_two
    an_address_in_a_version_of_a_feed_is_not_kept
}

const ADA: &str = "ada.canary@people.test";
const OWN: &str = "help@shop.test";

fn feed() -> Value {
    json!({
        "Products": [
            // The same id later: this row is in the file and is not shown.
            {"Id": 1, "Title": format!("superseded {ADA}")},
            {"Id": 1, "Title": "Chair", "Description": format!("Wobbles, says <a href=\"mailto:{ADA}\">Ada</a>.\nAsk {OWN}")},
            {"Id": 2, "Title": "Table", "Review": {"by": ["ADA.Canary@people.test", "n\\ada.canary@people.test"]}},
            {"Id": 3, "Title": "Lamp", "Description": format!("Ask {OWN}")},
        ],
        "Categories": [{"Id": "c", "DisplayName": format!("Picked by {ADA}")}],
        "Brands": [{"Id": "b", "DisplayName": "Brand", "Description": format!("Founded by {ADA}")}],
    })
}

/// What of `feed()` is shown, without numbers of feeds.
async fn shown(world: &World, shop: &Shop) -> Vec<Value> {
    let mut all = Vec::new();
    for (section, id) in
        [("Products", "1"), ("Products", "2"), ("Products", "3"), ("Categories", "c"), ("Brands", "b")]
    {
        all.push(world.item(shop, section, id).await);
    }
    all
}

/// The same after Ada was forgotten.
fn blanked(shown: &[Value]) -> Vec<Value> {
    let text = json!(shown).to_string().replace(ADA, "***").replace("ADA.Canary@people.test", "***");
    serde_json::from_str(&text).expect("JSON")
}

/// The catalogue files whose rows hold the text.
fn files_with(world: &World, text: &str) -> Vec<BlobName> {
    let folder = world.config.data_dir.join("blobs");
    let blobs = Blobs::open(&folder).expect("the folder");
    let mut found = Vec::new();
    visit(&folder, &mut |path, _| {
        let name = path.file_name().and_then(|name| BlobName::parse(name.to_str()?));
        let Some(name) = name else { return };
        let Ok(snapshot) = Snapshot::open(&blobs, &name) else { return };
        let mut rows = snapshot.rows_with_superseded().expect("rows");
        if rows.any(|row| String::from_utf8_lossy(&row.expect("a row").1.1).to_lowercase().contains(text)) {
            found.push(name);
        }
    });
    found
}

async fn assert_gone(world: &World) {
    assert_eq!(files_with(world, ADA), []);
    assert_nothing(world, &[ADA, "ADA.Canary@people.test"]).await;
}

/// The files an account's sections stand on, and those kept from before.
async fn snapshots(world: &World, account: i64) -> Vec<(bool, BlobName)> {
    let kept = world.node().store.read(move |tx| rewriting::kept(tx, AccountId(account))).await;
    kept.map_err(|fault: StoreFault| fault)
        .expect("rows")
        .into_iter()
        .map(|kept| (kept.is_base, kept.blob))
        .collect()
}

async fn open_erasures(world: &World) -> i64 {
    let count = world.node().store.read(|tx| {
        tx.row(&lethe::sql::erasure_count_open, lethe::args![0])?.map_or(Ok(-1), |row| row.int(0))
    });
    count.await.map_err(|fault: StoreFault| fault).expect("a count")
}

/// `code field` of a submission's issues about contacts, each once.
async fn contacts(world: &World, shop: &Shop, token: &str) -> Vec<String> {
    let found = world.ask_json(shop, "/api/issues", json!({"Token": token})).await;
    assert!(!found.to_string().contains("@"), "an issue never repeats an address");
    let issues = found["Issues"].as_array().expect("issues").iter();
    let about = issues.filter(|issue| !issue["Code"].as_str().expect("a code").contains("missing"));
    about.map(|issue| format!("{} {}", issue["Code"], issue["Field"]).replace('"', "")).collect()
}

async fn addresses_and_numbers_in_text_are_warnings(world: World) {
    let shop = world.shop("one").await;
    let row =
        json!({"Id": 1, "Title": format!("{OWN} {OWN}"), "Tel": "+44 20 7946 0958", "Ean": "4006381333931"});
    let url = world.feeds.set("/f", [Answer::ok(json!({"Products": [row]}).to_string())]);
    let token = world.feed(&shop, &url).await;
    world.work_all().await;
    assert_eq!(contacts(&world, &shop, &token).await, ["email_in_text Title", "phone_in_text Tel"]);
    assert_eq!(world.title(&shop, "1").await, format!("{OWN} {OWN}"));
}

async fn a_forgotten_address_goes_from_the_catalogue_and_from_every_file(mut world: World) {
    let shop = world.shop("one").await;
    world.complete(&shop, "/f", &feed()).await;
    let put = json!({"Id": 4, "Title": format!("Delta {ADA}"), "Description": "x".repeat(20_000)});
    world.applied(&shop, json!({"Products": [put, {"Id": 5, "Title": OWN}]})).await;
    let before = shown(&world, &shop).await;
    assert!(!files_with(&world, ADA).is_empty(), "the search itself can find something");
    // Nobody known under it: only the catalogue holds the address.
    world.forget(&shop, "Ada.Canary@People.test").await;
    assert_eq!(open_erasures(&world).await, 1);
    world.work_all().await;
    assert_eq!(open_erasures(&world).await, 0);
    assert_eq!(shown(&world, &shop).await, blanked(&before));
    assert_eq!(world.title(&shop, "4").await, "Delta ***");
    assert_eq!(world.title(&shop, "5").await, OWN);
    assert_gone(&world).await;
    world.forget(&shop, ADA).await;
    assert_eq!(open_erasures(&world).await, 0, "it was looked for already");
    world.restart().await;
    assert_eq!(shown(&world, &shop).await, blanked(&before));
    assert_gone(&world).await;
}

async fn older_snapshots_that_hold_a_forgotten_address_are_destroyed_and_others_stay(world: World) {
    let shop = world.shop("one").await;
    for (n, title) in [("first", ADA), ("second", OWN), ("third", "new")] {
        world.complete(&shop, &format!("/{n}"), &json!({"Products": [{"Id": 1, "Title": title}]})).await;
    }
    let before = snapshots(&world, 1).await;
    assert_eq!(before.iter().map(|(is_base, _)| *is_base).collect::<Vec<_>>(), [false, false, true]);
    world.forget(&shop, ADA).await;
    world.work_all().await;
    assert_eq!(snapshots(&world, 1).await, before[1..], "the others are the same files");
    assert_gone(&world).await;
    assert_eq!(world.title(&shop, "1").await, "new");
}

async fn what_is_held_goes_when_it_holds_a_forgotten_address(world: World) {
    let shop = world.shop("one").await;
    let mut tokens = Vec::new();
    for (path, title) in [("/ada", ADA), ("/own", OWN)] {
        let body = json!({"Products": [{"Id": 1, "Title": title}]}).to_string();
        let url = world.feeds.set(path, [Answer::ok(body)]);
        let reply = world.ask(&shop, "/api/productfeed", json!({"url": url, "DryRun": true})).await;
        tokens.push(reply.header("x-feed-token").to_owned());
        world.work_all().await;
    }
    assert_eq!(files_with(&world, ADA).len(), 1);
    // It waits to be published while the erasure runs first.
    let publish = world.ask(&shop, "/api/feed/publish", json!({"Token": tokens[0]})).await;
    world.forget(&shop, ADA).await;
    world.work(Lane::Erase).await;
    world.work_all().await;
    assert_gone(&world).await;
    let status = world.feed_status(&shop, publish.header("x-feed-token")).await;
    assert_eq!(status, json!(["Error", "what was to be published is not kept any longer"]));
    let held = world.ask(&shop, "/api/feed/publish", json!({"Token": tokens[1]})).await;
    world.work_all().await;
    assert_eq!(world.feed_status(&shop, held.header("x-feed-token")).await, json!(["Complete", null]));
    assert_eq!(world.title(&shop, "1").await, OWN);
}

async fn every_email_of_a_forgotten_person_goes(world: World) {
    let shop = world.shop("one").await;
    for email in [ADA, "ada.second@people.test"] {
        world.applied(&shop, json!({"Users": [{"UserId": "7", "Email": email}]})).await;
    }
    let title = format!("{ADA}, ada.second@people.test and {OWN}");
    world.complete(&shop, "/f", &json!({"Products": [{"Id": 1, "Title": title}]})).await;
    world.forget(&shop, "userid:7").await;
    world.work_all().await;
    assert_eq!(world.title(&shop, "1").await, format!("***, *** and {OWN}"));
    assert_gone(&world).await;
}

async fn a_forgotten_address_comes_back_by_no_door(world: World) {
    let shop = world.shop("one").await;
    world.complete(&shop, "/f", &feed()).await;
    let wanted = blanked(&shown(&world, &shop).await);
    world.forget(&shop, ADA).await;
    world.work_all().await;
    let files = snapshots(&world, 1).await;

    // The same feed is the same files: the door writes what the erasure wrote.
    let url = world.feeds.set("/f", [Answer::ok(feed().to_string())]);
    let token = world.feed(&shop, &url).await;
    world.work_all().await;
    assert_eq!(snapshots(&world, 1).await, files);
    assert_eq!(shown(&world, &shop).await, wanted);
    let issues = contacts(&world, &shop, &token).await;
    for issue in [
        "email_forgotten Title",
        "email_forgotten Description",
        "email_in_text Description",
        "email_forgotten Review",
    ] {
        assert!(issues.iter().any(|found| found == issue), "{issue}: {issues:?}");
    }

    let text = feed().to_string();
    let (first, second) = text.split_at(text.len() / 2);
    let token = uploads::send(&world, &shop, "product-all", &[first, second]).await;
    world.work_all().await;
    assert_eq!(world.feed_status(&shop, &token).await, json!(["Complete", null]));
    assert_eq!((snapshots(&world, 1).await, shown(&world, &shop).await), (files, wanted));

    let token = world.delta(&shop, json!({"Products": [{"Id": 9, "Title": format!("{ADA} {OWN}")}]})).await;
    world.work_all().await;
    assert_eq!(world.title(&shop, "9").await, format!("*** {OWN}"));
    assert_eq!(contacts(&world, &shop, &token).await, ["email_in_text Title", "email_forgotten Title"]);
    assert_gone(&world).await;
}

async fn an_unchanged_feed_stays_unchanged_after_its_text_was_blanked(world: World) {
    let shop = world.shop("one").await;
    let body = Answer::ok(feed().to_string()).header("ETag", "\"v1\"");
    let url = world.feeds.set("/f", [body, Answer::status(304)]);
    world.feed(&shop, &url).await;
    world.work_all().await;
    let wanted = blanked(&shown(&world, &shop).await);
    world.forget(&shop, ADA).await;
    world.work_all().await;
    let files = snapshots(&world, 1).await;
    let token = world.feed(&shop, &url).await;
    world.work_all().await;
    assert_eq!(world.feed_status(&shop, &token).await, json!(["Complete", null]));
    assert!(world.feeds.asked("/f")[1].to_lowercase().contains("if-none-match: \"v1\""));
    assert_eq!((snapshots(&world, 1).await, shown(&world, &shop).await), (files, wanted));
    assert_gone(&world).await;
}

async fn another_shop_keeps_its_text(world: World) {
    let (one, other) = (world.shop("one").await, world.shop("other").await);
    for shop in [&one, &other] {
        world.complete(shop, "/f", &feed()).await;
    }
    let (before, files) = (shown(&world, &other).await, snapshots(&world, 2).await);
    assert_eq!(snapshots(&world, 1).await, files, "two shops share a file of the same rows");
    world.forget(&one, ADA).await;
    world.work_all().await;
    assert_eq!((shown(&world, &other).await, snapshots(&world, 2).await), (before.clone(), files));
    assert_eq!(shown(&world, &one).await, blanked(&before));
}

/// Runs jobs of a lane in the background; the task ends with the first job.
fn run_one(world: &World, lane: Lane) -> tokio::task::JoinHandle<()> {
    let node = world.node().clone();
    tokio::spawn(async move {
        let stop = tokio_util::sync::CancellationToken::new();
        assert!(lethe::work::run_due(&node, lane, &stop).await.expect("a job"));
    })
}

async fn a_forget_while_a_feed_is_read_is_not_lost(world: World) {
    let shop = world.shop("one").await;
    world.complete(&shop, "/old", &json!({"Products": [{"Id": 1, "Title": "old"}]})).await;
    let gate = Arc::new(Semaphore::new(0));
    let mut feed = feed();
    feed["Brands"][0]["Description"] = "x".repeat(600_000).into();
    let body = Answer::ok(feed.to_string());
    let url = world.feeds.set("/f", [body.clone().behind(&gate), body]);
    let token = world.feed(&shop, &url).await;
    let running = run_one(&world, Lane::Feed);
    loop {
        let held = world.node().store.read(|tx| {
            tx.row(&lethe::sql::submission_holding, lethe::args![1, i64::MAX])?
                .map_or(Ok(0), |row| row.int(0))
        });
        if held.await.map_err(|fault: StoreFault| fault).expect("a count") > 0 {
            break;
        }
        tokio::task::yield_now().await;
    }
    world.forget(&shop, ADA).await;
    world.work(Lane::Erase).await;
    assert_eq!(open_erasures(&world).await, 1, "the running feed's file may hold the address");
    gate.add_permits(1);
    running.await.expect("it ran");
    assert_eq!(world.feed_status(&shop, &token).await, json!(["Processing", null]), "it is read again");
    assert_eq!(world.title(&shop, "1").await, "old");
    assert_gone(&world).await;
    world.work_all().await;
    assert_eq!(world.feed_status(&shop, &token).await, json!(["Complete", null]));
    assert_eq!((world.feeds.asked("/f").len(), open_erasures(&world).await), (2, 0));
    assert_eq!(world.item(&shop, "Categories", "c").await["DisplayName"], "Picked by ***");
    assert_gone(&world).await;
}

async fn a_forget_while_a_delta_waits_is_not_lost(world: World) {
    let shop = world.shop("one").await;
    world.complete(&shop, "/old", &json!({"Products": [{"Id": 1, "Title": "old"}]})).await;
    world.delta(&shop, json!({"Products": [{"Id": 1, "Title": format!("by {ADA}")}]})).await;
    world.forget(&shop, ADA).await;
    world.work(Lane::Erase).await;
    assert_eq!(open_erasures(&world).await, 1, "the waiting delta may hold the person");
    world.work_all().await;
    assert_eq!((world.title(&shop, "1").await, open_erasures(&world).await), (json!("by ***"), 0));
    assert_gone(&world).await;
}

async fn an_address_of_a_delta_is_sealed_while_it_waits(world: World) {
    let shop = world.shop("one").await;
    world.delta(&shop, json!({"Products": [{"Id": 1, "Title": format!("by {ADA}")}]})).await;
    assert_nothing(&world, &[ADA]).await;
}

/// Forgets an address that stands in texts of a shop of its own, and sends the texts once more.
async fn assert_each_goes(world: &World, n: usize, email: &str, texts: &[&str]) {
    let shop = world.shop(&format!("shop-{n}")).await;
    let products: Vec<_> =
        (1..).zip(texts).map(|(id, text)| json!({"Id": id, "Title": format!("By {text}, {OWN}")})).collect();
    world.complete(&shop, "/encoded", &json!({"Products": products})).await;
    let delta = json!({"Products": [{"Id": "d", "Title": format!("By {}, {OWN}", texts[0])}]});
    world.applied(&shop, delta.clone()).await;
    world.forget(&shop, email).await;
    world.work_all().await;
    assert_eq!(open_erasures(world).await, 0, "{email}");
    for sent_again in [false, true] {
        if sent_again {
            world.complete(&shop, "/encoded", &json!({"Products": products})).await;
            world.applied(&shop, delta.clone()).await;
        }
        for (id, text) in (1..).zip(texts) {
            assert_eq!(world.title(&shop, &id.to_string()).await, format!("By ***, {OWN}"), "{text}");
        }
        assert_eq!(world.title(&shop, "d").await, format!("By ***, {OWN}"), "{email}");
    }
    let scan = world.ask_json(&shop, "/api/user/scan", json!({"Identifier": email})).await;
    assert_eq!(scan["FoundAnywhere"], false, "{email}: {scan}");
}

async fn an_address_goes_however_its_letters_are_encoded(world: World) {
    let cases = [
        (
            "ada+news@shop.test",
            &["ada%2Bnews%40shop.test", "ada%2bnews@shop.test", "ada&#43;news@shop.test"][..],
        ),
        (
            "o'brien@shop.test",
            &[
                "o&#39;brien@shop.test",
                "o&#039;brien@shop.test",
                "o&apos;brien@shop.test",
                "o%27brien@shop.test",
            ],
        ),
        (
            "jo.under_score@shop.test",
            &[
                "jo.under%5Fscore%40shop.test",
                "jo.under_score@shop%2Etest",
                "jo.under_score@shop&#46;test",
                "jo.under_score%2540shop.test",
                "ｊｏ．ｕｎｄｅｒ＿ｓｃｏｒｅ＠ｓｈｏｐ．ｔｅｓｔ",
                "jo.under\u{200b}_score@sh&shy;op.test",
            ],
        ),
        ("m\u{fc}ller@b\u{fc}cher.test", &["m%C3%BCller%40b%C3%BCcher.test", "m&uuml;ller@b&uuml;cher.test"]),
    ];
    for (n, (email, texts)) in cases.into_iter().enumerate() {
        assert_each_goes(&world, n, email, texts).await;
    }
}

async fn an_address_of_any_signs_goes(world: World) {
    for (n, email) in
        ["snow☃man@shop.test", "m!a#b$c%d&e*f/g=h?i^j`k{l|m}n~o@shop.test", "ada@sh_op.test", "ada@☃.test"]
            .into_iter()
            .enumerate()
    {
        assert_each_goes(&world, n, email, &[email]).await;
    }
    let shop = world.shop("one").await;
    for nobody in ["\"a b\"@shop.test", "a b@shop.test", "a@b@shop.test", "a;b@shop.test"] {
        world.ask(&shop, "/api/user/forget", json!({"Identifier": nobody})).await.refused(400);
    }
    // Whoever has a forgotten address as the tail of theirs stays.
    world
        .complete(&shop, "/f", &json!({"Products": [{"Id": 1, "Title": format!("x{ADA} x%2e{ADA}")}]}))
        .await;
    world.forget(&shop, ADA).await;
    world.work_all().await;
    assert_eq!(
        (world.title(&shop, "1").await, open_erasures(&world).await),
        (json!(format!("x{ADA} x%2e{ADA}")), 0)
    );
}

async fn names_of_attributes_that_become_the_same_stay_two(world: World) {
    let shop = world.shop("one").await;
    let bob = "bob.canary@people.test";
    let product = json!({"Id": 1, "Title": "T", ADA: "of Ada", bob: {"of": {ADA: 1, bob: 2}}});
    world.complete(&shop, "/f", &json!({"Products": [product]})).await;
    for email in [ADA, bob] {
        world.forget(&shop, email).await;
        world.work_all().await;
    }
    let kept = json!({"***": "of Ada", "*** 2": {"of": {"***": 1, "*** 2": 2}}});
    assert_eq!(world.item(&shop, "Products", "1").await["Attributes"], kept);
    assert_nothing(&world, &[ADA, bob]).await;
}

async fn an_address_in_a_version_of_a_feed_is_not_kept(world: World) {
    let (one, other) = (world.shop("one").await, world.shop("other").await);
    for (n, etag) in [format!("\"{ADA}\""), ADA.replace('@', "%40"), "v1".to_owned()].iter().enumerate() {
        let body = json!({"Products": [{"Id": 1, "Title": n}]}).to_string();
        let answer = Answer::ok(body).header("ETag", etag).header("Last-Modified", &format!("Sun, {ADA}"));
        let path = format!("/{n}");
        let url = world.feeds.set(&path, [answer.clone(), answer]);
        for _ in 0..2 {
            world.feed(&one, &url).await;
            world.work_all().await;
        }
        let asked = world.feeds.asked(&path)[1].to_lowercase();
        assert!(!asked.contains("if-modified-since"), "{asked}");
        assert_eq!(asked.contains("if-none-match"), etag == "v1", "{asked}");
        assert_nothing(&world, &[ADA]).await;
    }
    for shop in [&one, &other] {
        world.forget(shop, ADA).await;
    }
    world.work_all().await;
    assert_eq!(open_erasures(&world).await, 0, "nothing of another shop's server holds it up");
}
