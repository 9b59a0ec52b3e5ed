//! Addresses in the text of the catalogue: none enters, whoever's it is, by any door and in any spelling.

use std::io::Read;
use std::path::PathBuf;

use lethe::jobs::Lane;
use lethe::store::StoreFault;
use serde_json::{Value, json};

use crate::support::feed_server::Answer;
use crate::support::residue::{assert_nothing, payload_keys, visit_files};
use crate::support::uploads;
use crate::support::world::{Shop, World, on_both_engines};

on_both_engines! {
    addresses_in_texts_are_blanked_and_told
    no_address_in_a_text_enters_by_any_door
    an_international_address_is_blanked_whatever_stands_beside_it
    an_erasure_finds_nothing_to_do_in_a_catalogue
    an_address_of_a_delta_is_sealed_while_it_waits
    a_row_that_held_an_address_is_not_kept_as_it_was_sent
    an_address_that_is_a_key_stays_and_holds_up_no_erasure
    what_is_no_address_names_nobody
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
            {"Id": 3, "Title": "Lamp", "Link": format!("https://shop.test/?by={ADA}"), ADA: "a name"},
        ],
        "Categories": [{"Id": "c", "DisplayName": format!("Picked by {ADA}")}],
        "Brands": [{"Id": "b", "DisplayName": "Brand", "Description": format!("Founded by {ADA}")}],
    })
}

/// The catalogue files that hold a text, also in rows that a later one superseded: each of their frames is decoded.
fn files_with(world: &World, text: &str) -> Vec<PathBuf> {
    const FRAME: [u8; 4] = zstd::zstd_safe::MAGICNUMBER.to_le_bytes();
    let mut found = Vec::new();
    visit_files(&world.config.data_dir.join("blobs"), &mut |path, bytes| {
        let is_in = |at: usize| {
            let mut rows = Vec::new();
            let frame = zstd::Decoder::with_buffer(&bytes[at..]).expect("a decoder").single_frame();
            // Bytes that only look like the beginning of a frame cannot be decoded.
            let _ = { frame }.read_to_end(&mut rows);
            String::from_utf8_lossy(&rows).to_lowercase().contains(text)
        };
        if memchr::memmem::find_iter(bytes, &FRAME).any(is_in) {
            found.push(path.to_owned());
        }
    });
    found
}

async fn assert_gone(world: &World) {
    assert_eq!(files_with(world, ADA), Vec::<PathBuf>::new());
    assert_nothing(world, &[ADA, "ADA.Canary@people.test"]).await;
}

async fn open_erasures(world: &World) -> i64 {
    let count = world.node().store.read(|tx| {
        tx.row(&lethe::sql::erasure_count_open, lethe::args![0])?.map_or(Ok(-1), |row| row.int("counted"))
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

async fn addresses_in_texts_are_blanked_and_told(world: World) {
    let shop = world.shop("one").await;
    let row =
        json!({"Id": 1, "Title": format!("{OWN} {OWN}"), "Tel": "+44 20 7946 0958", "Ean": "4006381333931"});
    let url = world.feeds.serve("/f", [Answer::ok(json!({"Products": [row.clone()]}).to_string())]);
    let token = world.feed(&shop, &url).await;
    world.run_all_jobs().await;
    assert_eq!(world.feed_status(&shop, &token).await, json!(["Complete", null]));
    assert_eq!(contacts(&world, &shop, &token).await, ["email_in_text Title", "phone_in_text Tel"]);
    assert_eq!(world.title(&shop, "1").await, "*** ***");
    let token = world.delta(&shop, json!({"Products": [row]})).await;
    world.run_all_jobs().await;
    assert_eq!(contacts(&world, &shop, &token).await, ["email_in_text Title", "phone_in_text Tel"]);
    assert_eq!(world.delta_status(&shop, &token).await, json!([1, null]), "no delta fails by it");
}

async fn no_address_in_a_text_enters_by_any_door(world: World) {
    let shop = world.shop("one").await;
    world.complete_feed(&shop, "/f", &feed()).await;
    assert_eq!(files_with(&world, "superseded ***").len(), 1, "what is in the files is seen");
    assert_gone(&world).await;
    let chair = world.item(&shop, "Products", "1").await;
    assert_eq!(chair["Description"], "Wobbles, says <a href=\"mailto:***\">Ada</a>.\nAsk ***");
    let table = world.item(&shop, "Products", "2").await;
    assert_eq!(table["Attributes"], json!({"Review": {"by": ["***", "***"]}}));
    let lamp = world.item(&shop, "Products", "3").await;
    assert_eq!((&lamp["Link"], &lamp["Attributes"]), (&Value::Null, &Value::Null), "{lamp}");
    assert_eq!(world.item(&shop, "Categories", "c").await["DisplayName"], "Picked by ***");
    assert_eq!(world.item(&shop, "Brands", "b").await["Description"], "Founded by ***");

    let text = feed().to_string();
    let (first, second) = text.split_at(text.len() / 2);
    let token = uploads::send_feed(&world, &shop, "product-all", &[first, second]).await;
    world.run_all_jobs().await;
    assert_eq!(world.feed_status(&shop, &token).await, json!(["Complete", null]));
    assert_eq!(world.item(&shop, "Products", "2").await["Attributes"], table["Attributes"]);
    world.apply_delta(&shop, json!({"Products": feed()["Products"]})).await;
    assert_eq!(world.item(&shop, "Products", "1").await["Description"], chair["Description"]);
    let held = world.feeds.serve("/held", [Answer::ok(feed().to_string())]);
    world.ask(&shop, "/api/productfeed", json!({"url": held, "DryRun": true})).await;
    world.run_all_jobs().await;
    assert_gone(&world).await;
}

async fn an_international_address_is_blanked_whatever_stands_beside_it(world: World) {
    let shop = world.shop("one").await;
    let email = "müller@bücher.test";
    let texts = [
        format!("Fragen an „{email}“"),
        format!("«{email}»"),
        format!("{email} – x"),
        format!("{email}’s"),
        format!("😀{email}😀"),
        format!("联系{email}"),
        format!("{email}まで"),
        "m%C3%BCller%40xn--bcher-kva.test".to_owned(),
    ];
    let products: Vec<_> = (0..).zip(&texts).map(|(id, text)| json!({"Id": id, "Title": text})).collect();
    world.complete_feed(&shop, "/f", &json!({"Products": products})).await;
    world.apply_delta(&shop, json!({"Users": [{"UserId": "7", "Email": email}]})).await;
    world.forget(&shop, email).await;
    world.run_all_jobs().await;
    assert_eq!(open_erasures(&world).await, 0);
    world.apply_delta(&shop, json!({"Products": products})).await;
    for id in 0..texts.len() {
        let title = world.title(&shop, &id.to_string()).await.to_string();
        assert!(title.contains("***") && !title.contains('@') && !title.contains("ller"), "{title}");
    }
    for (text, expected) in [
        // A longer address of another person is no part of it.
        ("rg@shop.test jörg@shop.test", "*** ***"),
        // Invisible letters, also where they would mean something between two others.
        ("josé\u{200d}@shop.test م\u{200c}\u{200d}@shop.test", "*** ***"),
        ("<a class=\"y\" title=\"@shop.official\">", "<a class=\"y\" title=\"@shop.official\">"),
    ] {
        world.apply_delta(&shop, json!({"Products": [{"Id": 1, "Title": text}]})).await;
        assert_eq!(world.title(&shop, "1").await, expected);
    }
}

/// The files of the catalogue.
fn files(world: &World) -> Vec<std::path::PathBuf> {
    let mut all = Vec::new();
    visit_files(&world.config.data_dir.join("blobs"), &mut |path, _| all.push(path.to_owned()));
    all.sort();
    all
}

async fn an_erasure_finds_nothing_to_do_in_a_catalogue(world: World) {
    let shop = world.shop("one").await;
    world.complete_feed(&shop, "/f", &feed()).await;
    let before = files(&world);
    world.forget(&shop, ADA).await;
    assert_eq!(open_erasures(&world).await, 1);
    world.run_jobs(Lane::ERASE).await;
    assert_eq!(open_erasures(&world).await, 0);
    assert_eq!(files(&world), before, "every file is the one it was");
    let scan = world.ask_json(&shop, "/api/user/scan", json!({"Identifier": ADA})).await;
    assert_eq!(scan["FoundAnywhere"], false, "{scan}");
}

async fn an_address_of_a_delta_is_sealed_while_it_waits(world: World) {
    let shop = world.shop("one").await;
    let texts = [
        ADA,
        "ada.canary%\\u0034\\u0030people.test",
        "ada.canary\\40 people.test",
        "ada.canary=40people.test",
        "plain",
    ];
    for (id, text) in texts.iter().enumerate() {
        world.delta(&shop, json!({"Products": [{"Id": id, "Title": text}]})).await;
    }
    assert_nothing(&world, &[ADA, "ada.canary"]).await;
    assert_eq!(payload_keys(&world).await.len(), 4, "one that can hold nobody needs no key");
    world.forget(&shop, ADA).await;
    world.run_jobs(Lane::ERASE).await;
    assert_eq!(open_erasures(&world).await, 1, "the waiting deltas may hold the person");
    world.run_all_jobs().await;
    assert_eq!((world.title(&shop, "1").await, open_erasures(&world).await), (json!("***"), 0));
}

async fn a_row_that_held_an_address_is_not_kept_as_it_was_sent(world: World) {
    let shop = world.shop("one").await;
    let texts = ["ada.canary%\\u0034\\u0030people.test", ADA, "ada.canary=40people.test", "plain"];
    for (id, text) in texts.iter().enumerate() {
        world.apply_delta(&shop, json!({"Products": [{"Id": id, "Title": text, "_index": text}]})).await;
        let why = world.ask_json(&shop, "/api/product/why", json!({"Id": id.to_string()})).await;
        assert_eq!(why["Timeline"][0]["Raw"].is_string(), *text == "plain", "{why}");
    }
    assert_nothing(&world, &[ADA, "ada.canary"]).await;
}

async fn an_address_that_is_a_key_stays_and_holds_up_no_erasure(world: World) {
    let shop = world.shop("one").await;
    let bob = "bob.canary@people.test";
    let row = json!({"Id": ADA, "Sku": bob, "Title": "T", "Brand": ADA, "Categories": [ADA]});
    world.complete_feed(&shop, "/f", &json!({"Products": [row]})).await;
    world.apply_delta(&shop, json!({"Products": [row]})).await;
    assert_eq!(world.item(&shop, "Products", ADA).await["Brand"], ADA);
    world.forget(&shop, ADA).await;
    world.forget(&shop, bob).await;
    world.run_all_jobs().await;
    assert_eq!(open_erasures(&world).await, 0);
    assert_eq!(world.title(&shop, bob).await, "T");
}

async fn what_is_no_address_names_nobody(world: World) {
    let shop = world.shop("one").await;
    for nobody in ["\"a b\"@shop.test", "a b@shop.test", "a@b@shop.test", "a;b@shop.test"] {
        world.ask(&shop, "/api/user/forget", json!({"Identifier": nobody})).await.expect_refusal(400);
    }
}

async fn an_address_in_a_version_of_a_feed_is_not_kept(world: World) {
    let one = world.shop("one").await;
    let other = world.shop("other").await;
    for (n, etag) in [format!("\"{ADA}\""), ADA.replace('@', "%40"), "v1".to_owned()].iter().enumerate() {
        let body = json!({"Products": [{"Id": 1, "Title": n}]}).to_string();
        let answer = Answer::ok(body).header("ETag", etag).header("Last-Modified", &format!("Sun, {ADA}"));
        let path = format!("/{n}");
        let url = world.feeds.serve(&path, [answer.clone(), answer]);
        for _ in 0..2 {
            world.feed(&one, &url).await;
            world.run_all_jobs().await;
        }
        let asked = world.feeds.requests_of(&path)[1].to_lowercase();
        assert!(!asked.contains("if-modified-since"), "{asked}");
        assert_eq!(asked.contains("if-none-match"), etag == "v1", "{asked}");
        assert_nothing(&world, &[ADA]).await;
    }
    for shop in [&one, &other] {
        world.forget(shop, ADA).await;
    }
    world.run_all_jobs().await;
    assert_eq!(open_erasures(&world).await, 0, "nothing of another shop's server holds it up");
}
