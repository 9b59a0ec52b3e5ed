//! Feeds that arrive in pieces, as the public clients send them.

use std::sync::Arc;
use std::time::Duration;

use lethe::jobs::Lane;
use lethe::store::Owner;
use serde_json::{Value, json};

use crate::support::feed_server::Answer;
use crate::support::uploads::{close_upload, post_piece, send_feed, send_piece};
use crate::support::world::{Shop, World, on_both_engines, statement};

on_both_engines! {
    a_feed_in_pieces_is_published_whole_at_its_end
    pieces_may_be_cut_anywhere
    the_documented_clients_shapes_all_arrive
    an_empty_feed_changes_nothing_and_empties_no_catalogue
    a_piece_without_an_open_feed_is_refused_with_409
    creating_an_open_name_again_starts_over
    an_unknown_type_or_a_malformed_form_is_refused
    the_cut_of_an_upload_is_its_beginning_and_its_order_among_feeds_its_end
    a_feed_published_in_between_keeps_its_cut
    an_open_upload_survives_a_restart
    an_upload_that_nobody_goes_on_with_is_given_up
    an_erasure_waits_for_an_open_upload_and_gives_an_idle_one_up
    an_upload_begun_after_a_request_to_forget_is_not_given_up_for_it
    what_an_upload_leaves_behind_goes_with_it
    a_user_upload_stores_people_and_drops_the_forgotten
    more_open_uploads_than_allowed_are_refused
    more_pieces_than_an_upload_may_have_are_refused_and_it_goes_on
    files_go_while_there_is_always_somebody_who_holds_some
    order_files_arrive_as_the_clients_write_them
    an_order_file_that_cannot_be_read_says_why_and_shows_nothing_of_it
}

const HOUR: Duration = Duration::from_secs(60 * 60);

async fn await_status(world: &World, shop: &Shop, token: &str) -> Value {
    world.run_all_jobs().await;
    world.feed_status(shop, token).await
}

/// Sends it and demands that it was published.
async fn complete_upload(world: &World, shop: &Shop, name: &str, pieces: &[&str]) {
    let token = send_feed(world, shop, name, pieces).await;
    assert_eq!(await_status(world, shop, &token).await, json!(["Complete", null]), "{name}");
}

async fn a_feed_in_pieces_is_published_whole_at_its_end(world: World) {
    let shop = world.shop("one").await;
    send_piece(&world, &shop, "/feed-create", "product-1", r#"{"Version": 2, "Products":["#).await;
    send_piece(&world, &shop, "/feed-append", "product-1", r#"{"Id":"1","Title":"one"}"#).await;
    world.run_all_jobs().await;
    assert_eq!(world.count(&shop, "Products").await, 0);
    send_piece(&world, &shop, "/feed-append", "product-1", r#",{"Id":"2","Title":"two"}"#).await;
    let token = close_upload(&world, &shop, "product-1", "]}").await;
    assert_eq!(world.feed_status(&shop, &token).await, json!(["Processing", null]));
    assert_eq!(await_status(&world, &shop, &token).await, json!(["Complete", null]));
    assert_eq!(world.count(&shop, "Products").await, 2);
    assert_eq!(world.title(&shop, "2").await, "two");
}

async fn pieces_may_be_cut_anywhere(world: World) {
    let shop = world.shop("one").await;
    let feed =
        r#"{"Version":2,"Products":[{"Id":"é1","Title":"Käse & Brot + 100 %"},{"Id":"2","Title":"\"x\""}]}"#;
    let bytes = feed.as_bytes();
    for size in [1, 2, 3, 7] {
        let name = format!("product-{size}");
        send_piece(&world, &shop, "/feed-create", &name, "").await;
        for piece in bytes.chunks(size) {
            let reply = post_piece(&world, &shop, "/feed-append", &name, Some(piece)).await;
            assert_eq!(reply.text, "OK");
        }
        let token = close_upload(&world, &shop, &name, "").await;
        assert_eq!(await_status(&world, &shop, &token).await, json!(["Complete", null]), "pieces of {size}");
        assert_eq!(world.title(&shop, "é1").await, "Käse & Brot + 100 %");
        assert_eq!(world.title(&shop, "2").await, "\"x\"");
    }
}

async fn the_documented_clients_shapes_all_arrive(world: World) {
    let shop = world.shop("one").await;
    let rows = r#"{"Id":"1","Sku":"s","Title":"t","_index":0}"#;
    // The SDK: later pages begin with the comma; the comma of a row that it could not encode stays.
    complete_upload(
        &world,
        &shop,
        "product-sdk",
        &[
            r#"{"Version": 2, "Products":["#,
            rows,
            r#",{"Id":"2","Title":"u"}"#,
            r#",,{"Id":"3","Title":"v"}"#,
            "]}",
        ],
    )
    .await;
    assert_eq!(world.count(&shop, "Products").await, 3);
    // Magento 1: the version first, the section with the first page, one category a call.
    let pieces = [
        r#"{"Version": 2"#,
        r#","Categories":[{"Id":"1","DisplayName":"Root","ParentIds":[]}"#,
        r#",{"Id":"2","DisplayName":"Shoes","ParentIds":["1"]}"#,
        "]",
        "}",
    ];
    complete_upload(&world, &shop, "category-5f3c0a1b2c3d4", &pieces).await;
    assert_eq!(world.count(&shop, "Categories").await, 2);
    // One name of an earlier upload, and another type: the sender's clock is not unique.
    complete_upload(
        &world,
        &shop,
        "brand-5f3c0a1b2c3d4",
        &[r#"{"Version":2,"Brands":["#, r#"{"Id":"9","DisplayName":"Z"}"#, "]}"],
    )
    .await;
    assert_eq!(world.count(&shop, "Brands").await, 1);
    // WooCommerce 2: blanks in the opening.
    complete_upload(&world, &shop, "product-woo", &[r#"{ "Version": 2, "Products": ["#, rows, "]}"]).await;
    assert_eq!(world.count(&shop, "Products").await, 1);
}

async fn an_empty_feed_changes_nothing_and_empties_no_catalogue(world: World) {
    let shop = world.shop("one").await;
    let feed =
        json!({"Products": [{"Id": "1", "Title": "t"}], "Categories": [{"Id": "1", "DisplayName": "c"}]});
    world.complete_feed(&shop, "/f", &feed).await;
    // Every row was skipped: with the section, and without it.
    for pieces in [[r#"{"Version":2,"Categories":["#, "]}"], [r#"{"Version": 2"#, "}"]] {
        complete_upload(&world, &shop, "category-1", &pieces).await;
    }
    assert_eq!(world.count(&shop, "Categories").await, 1);
    for pieces in [[r#"{"Version":2,"Products":["#, "]}"], [r#"{"Version": 2"#, "}"], ["", ""]] {
        let token = send_feed(&world, &shop, "product-1", &pieces).await;
        let status = await_status(&world, &shop, &token).await;
        assert_eq!(status[0], "Error", "{pieces:?}");
        assert!(status[1].as_str().expect("a sentence").len() > 20);
    }
    assert_eq!(world.count(&shop, "Products").await, 1);
}

async fn a_piece_without_an_open_feed_is_refused_with_409(world: World) {
    let shop = world.shop("one").await;
    let name = "product-1";
    for path in ["/feed-append", "/feed-close"] {
        let told = post_piece(&world, &shop, path, name, Some(b"x")).await.expect_refusal(409);
        assert!(told.contains("/feed-create"), "{told}");
    }
    complete_upload(&world, &shop, name, &[r#"{"Products":["#, r#"{"Id":"1"}]}"#]).await;
    for path in ["/feed-append", "/feed-close"] {
        post_piece(&world, &shop, path, name, None).await.expect_refusal(409);
    }
    // Another shop's upload of that name is not this one's.
    let other = world.shop("two").await;
    send_piece(&world, &other, "/feed-create", name, "{").await;
    post_piece(&world, &shop, "/feed-append", name, Some(b"x")).await.expect_refusal(409);
}

async fn creating_an_open_name_again_starts_over(world: World) {
    let shop = world.shop("one").await;
    send_piece(&world, &shop, "/feed-create", "product-1", r#"{"Products":[{"Id":"lost"}"#).await;
    complete_upload(&world, &shop, "product-1", &[r#"{"Products":["#, r#"{"Id":"kept"}]}"#]).await;
    assert_eq!(world.count(&shop, "Products").await, 1);
    assert_eq!(world.item(&shop, "Products", "lost").await, Value::Null);
    let listed = world.ask_json(&shop, "/api/submissions", json!({})).await;
    assert_eq!(listed[1]["Reason"], "the upload was started over");
}

async fn an_unknown_type_or_a_malformed_form_is_refused(world: World) {
    let shop = world.shop("one").await;
    for name in ["", "feed", "products-1", "../product-1"] {
        let told = post_piece(&world, &shop, "/feed-create", name, Some(b"{}")).await.expect_refusal(400);
        assert!(told.contains("product, category, brand"), "{told}");
    }
    let told = post_piece(&world, &shop, "/feed-create", &format!("product-{}", "x".repeat(300)), None).await;
    assert!(told.expect_refusal(400).contains("feedName is longer than 200 bytes"));
    let form = |body: String| {
        let request = world.request("POST", "/feed-create");
        request.header("content-type", "application/x-www-form-urlencoded").body(body)
    };
    let key = &shop.key;
    let secret = &shop.secret;
    let cases = [
        (String::new(), 400, "feedName is missing"),
        ("feedName=product-1".to_owned(), 400, "AccessKey is missing"),
        (format!("feedName=product-1&accessKey={key}"), 400, "SecretKey is missing"),
        (format!("feedName=product-1&accessKey={key}&secretKey=wrong"), 403, "do not belong together"),
        (format!("feedName=a&feedName=b&accessKey={key}&secretKey={secret}"), 400, "twice"),
        (format!("feedName=product-%FF&accessKey={key}&secretKey={secret}"), 400, "UTF-8"),
        (format!("feedName=product-%00&accessKey={key}&secretKey={secret}"), 400, "NUL"),
    ];
    for (body, status, told) in cases {
        let reply = world.send(form(body)).await;
        let sentence = reply.expect_refusal(status);
        assert!(sentence.contains(told), "{sentence}");
    }
    let told = world.ask(&shop, "/feed-create", json!({"feedName": "product-1"})).await.expect_refusal(415);
    assert!(told.contains("application/x-www-form-urlencoded"), "{told}");
    assert_eq!(world.ask_json(&shop, "/api/submissions", json!({})).await, json!([]));
}

async fn the_cut_of_an_upload_is_its_beginning_and_its_order_among_feeds_its_end(world: World) {
    let shop = world.shop("one").await;
    world.apply_delta(&shop, json!({"Products": [{"Id": "old", "Title": "before"}]})).await;
    send_piece(&world, &shop, "/feed-create", "product-1", r#"{"Products":["#).await;
    world.apply_delta(&shop, json!({"Products": [{"Id": "new", "Title": "meanwhile"}]})).await;
    // Submitted while the upload was open, and fetched until after its end.
    let gate = Arc::new(tokio::sync::Semaphore::new(0));
    let feed = json!({"Products": [{"Id": "9", "Title": "url"}]}).to_string();
    let by_url = world.feed(&shop, &world.feeds.serve("/f", [Answer::ok(feed).gated_by(&gate)])).await;
    let node = world.node().clone();
    let import = tokio::spawn(async move {
        lethe::work::run_due(&node, Lane::FETCH, &tokio_util::sync::CancellationToken::new()).await
    });
    while world.feeds.requests_of("/f").is_empty() {
        tokio::task::yield_now().await;
    }
    let upload = close_upload(&world, &shop, "product-1", r#"{"Id":"1","Title":"upload"}]}"#).await;
    assert_eq!(await_status(&world, &shop, &upload).await, json!(["Complete", null]));
    gate.add_permits(1);
    assert!(import.await.expect("it ran").expect("its end"));
    world.run_all_jobs().await;
    let replaced = json!(["Error", "replaced by a feed submitted later"]);
    assert_eq!(world.feed_status(&shop, &by_url).await, replaced);
    assert_eq!(world.title(&shop, "1").await, "upload");
    assert_eq!(world.title(&shop, "new").await, "meanwhile");
    assert_eq!(world.item(&shop, "Products", "9").await, Value::Null);
    assert_eq!(world.item(&shop, "Products", "old").await, Value::Null);
}

async fn a_feed_published_in_between_keeps_its_cut(world: World) {
    let shop = world.shop("one").await;
    send_piece(&world, &shop, "/feed-create", "product-1", r#"{"Products":["#).await;
    world.apply_delta(&shop, json!({"Products": [{"Id": "a", "Title": "delta"}]})).await;
    world.complete_feed(&shop, "/f", &json!({"Products": [{"Id": "9", "Title": "url"}]})).await;
    world.apply_delta(&shop, json!({"Products": [{"Id": "b", "Title": "delta"}]})).await;
    let token = close_upload(&world, &shop, "product-1", r#"{"Id":"1","Title":"upload"}]}"#).await;
    assert_eq!(await_status(&world, &shop, &token).await, json!(["Complete", null]));
    // Items that the feed by URL replaced do not come back; later ones stay.
    assert_eq!(world.item(&shop, "Products", "a").await, Value::Null);
    assert_eq!(world.title(&shop, "b").await, "delta");
    assert_eq!(world.title(&shop, "1").await, "upload");
    // The URL is not taken for the catalogue's source.
    world.complete_feed(&shop, "/f", &json!({"Products": [{"Id": "9", "Title": "url"}]})).await;
    assert_eq!(world.title(&shop, "9").await, "url");
    assert_eq!(world.item(&shop, "Products", "1").await, Value::Null);
}

async fn an_open_upload_survives_a_restart(mut world: World) {
    let shop = world.shop("one").await;
    send_piece(&world, &shop, "/feed-create", "product-1", r#"{"Products":["#).await;
    send_piece(&world, &shop, "/feed-append", "product-1", r#"{"Id":"1","Title":"kept"}"#).await;
    world.restart().await;
    send_piece(&world, &shop, "/feed-append", "product-1", r#",{"Id":"2"}"#).await;
    let token = close_upload(&world, &shop, "product-1", "]}").await;
    world.restart().await;
    assert_eq!(await_status(&world, &shop, &token).await, json!(["Complete", null]));
    assert_eq!(world.title(&shop, "1").await, "kept");
    assert_eq!(world.count(&shop, "Products").await, 2);
}

async fn an_upload_that_nobody_goes_on_with_is_given_up(world: World) {
    let shop = world.shop("one").await;
    send_piece(&world, &shop, "/feed-create", "product-1", r#"{"Products":["#).await;
    world.clock.advance(23 * HOUR);
    lethe::work::upload::give_up_idle(world.node(), world.clock.now()).await;
    send_piece(&world, &shop, "/feed-append", "product-1", r#"{"Id":"1"}"#).await;
    world.clock.advance(25 * HOUR);
    lethe::work::upload::give_up_idle(world.node(), world.clock.now()).await;
    world.run_all_jobs().await;
    post_piece(&world, &shop, "/feed-append", "product-1", Some(b"x")).await.expect_refusal(409);
    let listed = world.ask_json(&shop, "/api/submissions", json!({})).await;
    assert_eq!(listed[0]["Status"], "Error");
    assert_eq!(listed[0]["Reason"], "nothing was added to the upload for 24 hours");
    assert_eq!(pieces_left(&world).await, 0);
}

async fn an_erasure_waits_for_an_open_upload_and_gives_an_idle_one_up(world: World) {
    let shop = world.shop("one").await;
    world.apply_delta(&shop, json!({"Users": [{"UserId": "7", "Email": "anna@shop.example"}]})).await;
    send_piece(
        &world,
        &shop,
        "/feed-create",
        "user-1",
        r#"{"Users":[{"UserId":"7","Email":"anna@shop.example"}"#,
    )
    .await;
    world.forget(&shop, "anna@shop.example").await;
    // Its pieces still hold her.
    assert_eq!(world.run_jobs(Lane::ERASE).await, 1);
    assert_eq!(open_erasures(&world).await, 1);
    world.clock.advance(HOUR / 4 + Duration::from_secs(1));
    world.run_all_jobs().await;
    assert_eq!(open_erasures(&world).await, 0);
    assert_eq!((pieces_left(&world).await, world.subjects(&shop).await), (0, 0));
    post_piece(&world, &shop, "/feed-append", "user-1", Some(b"]}")).await.expect_refusal(409);
}

async fn an_upload_begun_after_a_request_to_forget_is_not_given_up_for_it(world: World) {
    let shop = world.shop("one").await;
    send_piece(&world, &shop, "/feed-create", "user-1", r#"{"Users":["#).await;
    world.forget(&shop, "anna@shop.example").await;
    send_piece(&world, &shop, "/feed-create", "user-2", r#"{"Users":[{"UserId":"8"}"#).await;
    world.clock.advance(HOUR / 4 + Duration::from_secs(1));
    world.run_all_jobs().await;
    assert_eq!(open_erasures(&world).await, 0);
    post_piece(&world, &shop, "/feed-append", "user-1", Some(b"]}")).await.expect_refusal(409);
    let token = close_upload(&world, &shop, "user-2", "]}").await;
    assert_eq!(await_status(&world, &shop, &token).await, json!(["Complete", null]));
}

async fn what_an_upload_leaves_behind_goes_with_it(world: World) {
    let shop = world.shop("one").await;
    let canary = "Zwölfender-7F3A91";
    let feed = json!({"Users": [{"UserId": "7", "Email": "anna@shop.example", "City": canary}]}).to_string();
    let (front, back) = feed.split_at(40);
    send_piece(&world, &shop, "/feed-create", "user-1", front).await;
    send_piece(&world, &shop, "/feed-append", "user-1", back).await;
    crate::support::residue::assert_nothing(&world, &[canary]).await;
    let token = close_upload(&world, &shop, "user-1", "").await;
    assert_eq!(await_status(&world, &shop, &token).await, json!(["Complete", null]));
    assert_eq!(pieces_left(&world).await, 0);
    const SLOTS: lethe::store::Statement = statement("slots", "SELECT count(*) AS counted FROM payload");
    let held = world
        .node()
        .store
        .read(|tx| tx.row(&SLOTS, lethe::args![])?.map_or(Ok(-1), |row| row.int("counted")));
    assert_eq!(held.await.map_err(|fault: lethe::store::StoreFault| fault).expect("a count"), 0);
    let blobs = world.node().blobs.list().expect("the folder").count();
    assert_eq!(blobs, 0, "the files of the pieces are gone");
}

async fn a_user_upload_stores_people_and_drops_the_forgotten(world: World) {
    let shop = world.shop("one").await;
    world.forget(&shop, "ben@shop.example").await;
    world.run_all_jobs().await;
    let pieces = [
        r#"{"Version":2,"Users":[{"UserId":1,"Email":"anna@shop.example"}"#,
        r#",{"UserId":"2","Email":"ben@shop.example"}"#,
        "]}",
    ];
    complete_upload(&world, &shop, "user-1", &pieces).await;
    assert_eq!(world.subjects(&shop).await, 1);
}

async fn more_open_uploads_than_allowed_are_refused(world: World) {
    let shop = world.shop("one").await;
    for n in 0..lethe::limits::UPLOADS_OPEN {
        send_piece(&world, &shop, "/feed-create", &format!("product-{n}"), "").await;
    }
    let reply = post_piece(&world, &shop, "/feed-create", "product-more", Some(b"{")).await;
    assert_eq!(reply.header("retry-after"), "60");
    reply.expect_refusal(429);
    // Its piece was on the disk already.
    world.node().sweep_blobs(Duration::ZERO).await.expect("a look at the files");
    assert_eq!(world.node().blobs.list().expect("the folder").count(), 0);
    // One that is open may start over, and another shop may begin.
    send_piece(&world, &shop, "/feed-create", "product-5", "").await;
    let other = world.shop("two").await;
    send_piece(&world, &other, "/feed-create", "product-1", "").await;
    close_upload(&world, &shop, "product-6", "").await;
    send_piece(&world, &shop, "/feed-create", "product-more", "").await;
}

/// As on a server that is never idle: before one lets go of its files, the next one holds some.
async fn files_go_while_there_is_always_somebody_who_holds_some(world: World) {
    let shop = world.shop("one").await;
    let node = world.node();
    let files = || node.blobs.list().expect("the folder").count();
    let mut hold = node.blobs.hold_files();
    send_piece(&world, &shop, "/feed-create", "product-1", r#"{"Products":[{"Id":"1"}"#).await;
    send_piece(&world, &shop, "/feed-close", "product-1", "]}").await;
    world.run_all_jobs().await;
    let before = files();
    let busy = async {
        loop {
            tokio::task::yield_now().await;
            let next = node.blobs.hold_files();
            drop(std::mem::replace(&mut hold, next));
        }
    };
    tokio::select! {
        swept = node.sweep_blobs(HOUR) => swept.expect("a look at the files"),
        () = busy => {}
    }
    assert!(before > 1 && files() == 1, "all that is left is the snapshot: {before}");
}

async fn more_pieces_than_an_upload_may_have_are_refused_and_it_goes_on(world: World) {
    let shop = world.shop("one").await;
    let files = || world.node().blobs.list().expect("the folder").count();
    send_piece(&world, &shop, "/feed-create", "product-1", r#"{"Products":[{"Id":"1"}"#).await;
    const ALL_BUT_ONE: lethe::store::Statement = statement("all_but_one", "UPDATE upload SET pieces = $1");
    let most = lethe::limits::UPLOAD_PIECES;
    let writing =
        world.node().store.write(Owner::STORE, move |tx| tx.exec(&ALL_BUT_ONE, lethe::args![most - 1]));
    assert_eq!(writing.await.map_err(|fault: lethe::store::StoreFault| fault).expect("it is written"), 1);
    send_piece(&world, &shop, "/feed-append", "product-1", "]}").await;
    for path in ["/feed-append", "/feed-close"] {
        let told = post_piece(&world, &shop, path, "product-1", Some(b" ")).await.expect_refusal(413);
        assert!(told.starts_with("The upload has 20000 pieces, as many as one may have"), "{told}");
    }
    world.node().sweep_blobs(Duration::ZERO).await.expect("a look at the files");
    assert_eq!((pieces_left(&world).await, files()), (2, 2), "what was refused left no file");
    // It is as it was: an empty piece is none, and it can be closed.
    send_piece(&world, &shop, "/feed-append", "product-1", "").await;
    let token = close_upload(&world, &shop, "product-1", "").await;
    assert_eq!(await_status(&world, &shop, &token).await, json!(["Complete", null]));
    assert_eq!((world.count(&shop, "Products").await, pieces_left(&world).await), (1, 0));
}

async fn pieces_left(world: &World) -> i64 {
    number(world, "SELECT count(*) AS counted FROM upload_piece").await
}

async fn open_erasures(world: &World) -> i64 {
    number(world, "SELECT count(*) AS counted FROM erasure WHERE verified_at IS NULL").await
}

async fn number(world: &World, query: &'static str) -> i64 {
    let statement = statement("number", query);
    let found = world
        .node()
        .store
        .read(move |tx| tx.row(&statement, lethe::args![])?.map_or(Ok(-1), |row| row.int("counted")));
    found.await.map_err(|fault: lethe::store::StoreFault| fault).expect("a number")
}

/// Orders kept, by their number in the register of known ones.
async fn orders(world: &World) -> i64 {
    number(world, "SELECT count(*) AS counted FROM order_known").await
}

async fn order_files_arrive_as_the_clients_write_them(world: World) {
    let shop = world.shop("one").await;
    let day = "2026-01-0";
    // The SDK: a misspelt header without a line break, each row with one in front, and nothing at the close.
    let sdk = "OrderId,UserId,Email,DateTimeStamp,ProdCode,Quantity,UnityPrice,LinePrice";
    let rows = format!("\n1001,7,anna@shop.example,{day}2 10:00:00,P-1,1.0000,5.00,5.00");
    let more = format!("\n1001,7,anna@shop.example,{day}2 10:00:00,P-2,2.0000,5.00,10.00");
    complete_upload(&world, &shop, "orders-5f3c0a1b2c3d4", &[sdk, &rows, &more, ""]).await;
    assert_eq!((orders(&world).await, world.subjects(&shop).await), (1, 1));
    // WooCommerce 2: another type name, seven columns, dates with an offset, guests with user 0.
    let woo = "OrderId,UserId,Email,DateTimeStamp,ProdCode,Quantity,UnityPrice";
    let guest = format!("\n1002,0,guest@shop.example,{day}3T10:00:00+01:00,12,1,5.00");
    let again = format!("\n1001,7,anna@shop.example,{day}2T10:00:00+00:00,P-9,1,5.00");
    complete_upload(&world, &shop, "order-1", &[woo, &guest, &again, ""]).await;
    assert_eq!((orders(&world).await, world.subjects(&shop).await), (2, 2));
    // A forgotten person's orders go, and do not come back.
    world.forget(&shop, "anna@shop.example").await;
    world.run_all_jobs().await;
    assert_eq!((orders(&world).await, world.subjects(&shop).await), (1, 1));
    let later = format!("\n1003,7,anna@shop.example,{day}4 10:00:00,P-1,1,5.00,5.00");
    complete_upload(&world, &shop, "orders-2", &[sdk, &later, ""]).await;
    assert_eq!((orders(&world).await, world.subjects(&shop).await), (1, 1));
    assert_eq!(pieces_left(&world).await, 0);
}

async fn an_order_file_that_cannot_be_read_says_why_and_shows_nothing_of_it(world: World) {
    let shop = world.shop("one").await;
    let token = send_feed(&world, &shop, "orders-1", &["1001,anna@shop.example", "\n1002,7", ""]).await;
    let status = await_status(&world, &shop, &token).await;
    assert_eq!(status[0], "Error");
    let sentence = status[1].as_str().expect("a sentence");
    assert!(sentence.contains("OrderID") && !sentence.contains("anna"), "{sentence}");
    // It blocks nothing that comes after it.
    complete_upload(&world, &shop, "product-1", &[r#"{"Products":["#, r#"{"Id":"1"}]}"#]).await;
}
