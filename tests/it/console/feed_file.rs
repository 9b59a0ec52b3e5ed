//! A feed that an operator sends as a file from the page of imports: it becomes an import, or says what it is instead,
//! and what breaks off is closed at once.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use lethe::admission::Tenant;
use lethe::ids::AccountId;
use lethe::limits;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::support::console::{Browser, FILE_FORM, encode_parts, send_request};
use crate::support::tables::rename_tables;
use crate::support::waits::PATIENCE;
use crate::support::world::{Reply, Shop, World, on_both_engines, on_sqlite};

on_both_engines! {
    a_file_becomes_an_import_with_its_difference
    a_file_that_is_no_feed_says_what_it_is_and_leaves_nothing
    a_file_that_breaks_off_is_closed_at_once
    a_field_after_the_file_is_refused_and_nothing_is_published
    a_file_beyond_the_disk_limit_says_so_and_ends
    a_form_of_another_session_sends_nothing
    a_file_of_an_operator_who_lost_the_right_is_not_published
    the_files_of_one_shop_leave_turns_to_the_others
}

const FORM: &str = "/shops/one/imports/upload";

fn feed(products: usize) -> Vec<u8> {
    let product =
        |id: usize| json!({"Id": id.to_string(), "Title": format!("Oak lamp {id}"), "Prices": ["5 GBP"]});
    json!({"Products": (0..products).map(product).collect::<Vec<_>>()}).to_string().into_bytes()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(bytes).expect("memory");
    packed.finish().expect("memory")
}

async fn seller<'w>(world: &'w World, shop: &Shop) -> Browser<'w> {
    Browser::sign_in_as(world, "Seller", "merchandiser", &[shop]).await
}

async fn send(browser: &Browser<'_>, more: &[(&str, &str)], name: &str, bytes: &[u8]) -> Reply {
    let token = browser.form_token().await;
    browser.send_file(FORM, &[&[("form_token", token.as_str())], more].concat(), (name, bytes)).await
}

async fn submissions(world: &World, shop: &Shop) -> Vec<Value> {
    let listed = world.ask_json(shop, "/api/submissions", json!({})).await;
    listed.as_array().expect("a list").clone()
}

/// Sends the first half of a feed; returns the rest.
async fn send_half(world: &World, seller: &Browser<'_>) -> (TcpStream, Vec<u8>) {
    let token = seller.form_token().await;
    let mut whole = encode_parts(&[("form_token", &token)], ("feed.json", &feed(20_000)));
    let host = world.page("").trim_start_matches("http://").to_owned();
    let head = format!(
        "POST {FORM} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\nCookie: {}\r\nContent-Type: {FILE_FORM}\r\n\
         Content-Length: {}\r\n\r\n",
        seller.cookie,
        whole.len()
    );
    let rest = whole.split_off(whole.len() / 2);
    let mut stream = TcpStream::connect(&host).await.expect("a connection");
    stream.write_all(head.as_bytes()).await.expect("sent");
    stream.write_all(&whole).await.expect("sent");
    (stream, rest)
}

/// Waits until the newest submission has this status.
async fn wait_for_status(world: &World, shop: &Shop, expected: &str) -> Value {
    let waiting = async {
        loop {
            let listed = submissions(world, shop).await;
            if listed.first().is_some_and(|one| one["Status"] == expected) {
                return listed[0].clone();
            }
        }
    };
    tokio::time::timeout(PATIENCE, waiting).await.expect("in time")
}

async fn a_file_becomes_an_import_with_its_difference(world: World) {
    let shop = world.shop("one").await;
    let seller = seller(&world, &shop).await;
    let empty = seller.page("/shops/one/imports").await;
    let [card, note] = ["id=\"feed-file\"", "Nothing was sent yet"].map(|part| empty.find(part).expect(part));
    assert!(card < note, "the card comes first");
    let large = feed(12_000);
    assert!(large.len() > 2 * limits::UPLOAD_SENT_BYTES, "more than two pieces");
    for (name, bytes) in [("feed.json", large), ("feed.json.gz", gzip(&feed(12_001)))] {
        let sent = send(&seller, &[], name, &bytes).await;
        assert_eq!(sent.status, 303, "{name}: {}", sent.text);
        let open = seller.page(sent.header("location")).await;
        assert!(open.contains("data-live="), "{open}");
        world.run_all_jobs().await;
        let page = seller.page(sent.header("location")).await;
        assert!(!page.contains("data-live=") && page.contains(">12,000</td>"), "{page}");
    }
    assert_eq!(world.count(&shop, "Products").await, 12_001);
    let checked = send(&seller, &[("dry_run", "yes")], "feed.json", &feed(11_990)).await;
    world.run_all_jobs().await;
    let page = seller.page(checked.header("location")).await;
    assert!(page.contains("This feed was only checked."), "{page}");
    assert_eq!(world.count(&shop, "Products").await, 12_001);
    let acts = world.control("/control/operator/acts", json!({})).await.to_string();
    assert_eq!(acts.matches("\"feed-sent\"").count(), 3, "{acts}");
}

async fn a_file_that_is_no_feed_says_what_it_is_and_leaves_nothing(world: World) {
    let shop = world.shop("one").await;
    let seller = seller(&world, &shop).await;
    let png = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR";
    let cases: [(&str, &[u8], &str); 7] = [
        ("", b"", "Choose a file first."),
        ("empty.json", b" ", "empty.json was not sent: the file is empty."),
        ("page.html", b"<html>no feed</html>", "page.html was not sent: it is a web page, not a feed"),
        ("list.xls", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "list.xls was not sent: it is a spreadsheet"),
        ("a.png", png, "a.png was not sent: it is not text"),
        ("<b>.csv", b"[1]", "&lt;b&gt;.csv was not sent"),
        ("cut.json.gz", b"\x1f\x8b\x08 and no more of gzip", "cut.json.gz: the feed"),
    ];
    for (name, bytes, said) in cases {
        let refused = send(&seller, &[], name, bytes).await;
        assert_eq!(refused.status, 422, "{name}: {}", refused.text);
        let fault = refused.text.split("id=\"file-fault\">").nth(1).expect("a fault");
        assert!(fault.split("</div>").next().expect("its end").contains(said), "{name}: {fault}");
    }
    assert_eq!(submissions(&world, &shop).await, [Value::Null; 0]);
    // A larger one is read to its end, as a browser shows no answer before.
    let refused = send(&seller, &[], "list.txt", "a title\n".repeat(1 << 20).as_bytes()).await;
    assert_eq!(refused.status, 422, "{}", refused.text);
}

async fn a_file_that_breaks_off_is_closed_at_once(world: World) {
    let shop = world.shop("one").await;
    let seller = seller(&world, &shop).await;
    let (stream, _) = send_half(&world, &seller).await;
    wait_for_status(&world, &shop, "Processing").await;
    drop(stream);
    let ended = wait_for_status(&world, &shop, "Error").await;
    assert_eq!(ended["Reason"], "cancelled", "{ended}");
    assert_eq!(world.count(&shop, "Products").await, 0);
    // The next one is sent as ever.
    assert_eq!(send(&seller, &[], "feed.json", &feed(3)).await.status, 303);
    world.run_all_jobs().await;
    assert_eq!(world.count(&shop, "Products").await, 3);
}

async fn a_field_after_the_file_is_refused_and_nothing_is_published(world: World) {
    let shop = world.shop("one").await;
    let seller = seller(&world, &shop).await;
    let token = seller.form_token().await;
    let mut parts = encode_parts(&[("form_token", &token)], ("feed.json", &feed(3)));
    parts.truncate(parts.len() - b"--part--\r\n".len());
    parts.extend(b"--part\r\nContent-Disposition: form-data; name=\"dry_run\"\r\n\r\nyes\r\n--part--\r\n");
    let request = seller.ask("POST", FORM).header("content-type", FILE_FORM).body(parts);
    let refused = send_request(request).await;
    assert!(refused.status == 422 && refused.text.contains("a field after its file"), "{}", refused.text);
    world.run_all_jobs().await;
    assert_eq!(submissions(&world, &shop).await[0]["Reason"], "cancelled");
    assert_eq!(world.count(&shop, "Products").await, 0);
}

async fn a_file_beyond_the_disk_limit_says_so_and_ends(world: World) {
    let shop = world.shop("one").await;
    let seller = seller(&world, &shop).await;
    world.control("/control/account/quota", json!({"Name": "one", "Quota": "400kB"})).await;
    let refused = send(&seller, &[], "feed.json", &feed(20_000)).await;
    assert_eq!(refused.status, 413, "{}", refused.text);
    assert!(refused.text.contains("There is no room for this"), "{}", refused.text);
    world.run_all_jobs().await;
    let ended = submissions(&world, &shop).await;
    let reason = ended[0]["Reason"].as_str().unwrap_or_default();
    assert!(reason.starts_with("there was no room for the next piece"), "{ended:?}");
}

async fn a_form_of_another_session_sends_nothing(world: World) {
    let shop = world.shop("one").await;
    let seller = seller(&world, &shop).await;
    let viewer = Browser::sign_in_as(&world, "Viewer", "viewer", &[&shop]).await;
    assert!(!viewer.page("/shops/one/imports").await.contains("feed-file"));
    assert_eq!(send(&viewer, &[], "feed.json", &feed(1)).await.status, 403);
    let token = seller.form_token().await;
    let forms: [&[(&str, &str)]; 3] = [&[], &[("form_token", "another")], &[("dry_run", "yes")]];
    for fields in forms {
        assert_eq!(seller.send_file(FORM, fields, ("feed.json", &feed(1))).await.status, 403);
    }
    // A form of the plain kind is none of this page, and neither is one of another site.
    assert_eq!(seller.send(FORM, &[("form_token", &token)]).await.status, 403);
    let foreign =
        seller.ask("POST", FORM).header("content-type", FILE_FORM).header("sec-fetch-site", "cross-site");
    let parts = encode_parts(&[("form_token", &token)], ("feed.json", &feed(1)));
    assert_eq!(send_request(foreign.body(parts)).await.status, 403);
    assert_eq!(submissions(&world, &shop).await, [Value::Null; 0]);
}

async fn a_file_of_an_operator_who_lost_the_right_is_not_published(world: World) {
    let shop = world.shop("one").await;
    let seller = seller(&world, &shop).await;
    let (mut stream, rest) = send_half(&world, &seller).await;
    wait_for_status(&world, &shop, "Processing").await;
    world.control("/control/operator/set", json!({"Name": "Seller", "State": "disabled"})).await;
    stream.write_all(&rest).await.expect("sent");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.expect("an answer");
    assert!(answer.starts_with("HTTP/1.1 403"), "{answer}");
    let ended = wait_for_status(&world, &shop, "Error").await;
    assert_eq!(ended["Reason"], "cancelled", "{ended}");
    world.run_all_jobs().await;
    assert_eq!(world.count(&shop, "Products").await, 0);
}

async fn the_files_of_one_shop_leave_turns_to_the_others(world: World) {
    let shops = [world.shop("one").await, world.shop("two").await];
    let seller = Browser::sign_in_as(&world, "Seller", "merchandiser", &[&shops[0], &shops[1]]).await;
    let turns = &world.node().resources.feed_files;
    let other = Tenant::Account(AccountId(99));
    let own: Vec<_> = std::iter::from_fn(|| turns.try_take(other, 1)).collect();
    assert_eq!(own.len(), limits::FEED_FILES_OF_ACCOUNT, "slow files of another shop");
    let mut streams = Vec::new();
    for number in 1..=limits::FEED_FILES_OF_ACCOUNT {
        streams.push(send_half(&world, &seller).await);
        let taken = async {
            while turns.gauge().taken < own.len() + number {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(PATIENCE, taken).await.expect("in time");
    }
    assert_eq!(send(&seller, &[], "feed.json", &feed(1)).await.status, 503);
    let token = seller.form_token().await;
    let fields = [("form_token", token.as_str())];
    let of_two = seller.send_file("/shops/two/imports/upload", &fields, ("feed.json", &feed(1))).await;
    assert_eq!(of_two.status, 303, "{}", of_two.text);
}

#[test]
fn a_file_whose_act_cannot_be_recorded_is_not_sent() {
    on_sqlite(async |world| {
        let shop = world.shop("one").await;
        let seller = seller(&world, &shop).await;
        let token = seller.form_token().await;
        rename_tables(&world, ("", "_away"), |name| name == "operator_act");
        let fields = [("form_token", token.as_str())];
        let refused = seller.send_file(FORM, &fields, ("feed.json", &feed(1))).await;
        assert!([500, 503].contains(&refused.status), "{}", refused.text);
        rename_tables(&world, ("_away", ""), |name| name == "operator_act_away");
        assert_eq!(submissions(&world, &shop).await, [Value::Null; 0]);
    });
}
