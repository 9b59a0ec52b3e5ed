//! Resources that all shops share: a hostile shop, or a client without a key, leaves the others their part.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use lethe::admission::Tenant;
use lethe::ids::AccountId;
use lethe::jobs::Lane;
use lethe::limits;
use lethe::work;

use crate::support::admission::{
    announce_piece, get_health_from, open_dripping_client, read_taken_share, take_all_turns,
};
use crate::support::feed_server::Answer;
use crate::support::uploads::{self, send_feed};
use crate::support::world::{Shop, World, on_both_engines};

on_both_engines! {
    connections_of_one_address_leave_the_rest_to_others
    the_oldest_silent_connection_makes_room_for_another_address
    a_connection_that_falls_silent_makes_room_for_who_waits
    bodies_of_nobody_leave_room_for_the_pieces_of_shops
    pieces_of_one_shop_sent_at_once_all_arrive
    a_body_that_drips_is_refused_and_leaves_its_room
    deltas_that_show_their_keys_early_go_on_where_an_address_has_nothing_left
    who_looks_at_one_shop_leaves_a_turn_for_another
    submissions_of_a_kind_wait_for_a_turn
    events_of_one_shop_leave_turns_for_another
    pages_of_a_shop_leave_turns_for_its_server
    keys_are_destroyed_while_another_shops_erasures_are_proven
    slow_feeds_of_one_shop_leave_places_for_another
    what_is_on_the_disk_waits_for_no_server
    feeds_have_turns_to_be_read
    feeds_on_their_way_share_the_room_on_the_disk
}

/// A client in the middle of its body: the server says that it reads on.
async fn connect_and_begin(world: &World, announced: usize, bytes: usize) -> TcpStream {
    let server = world.url("").replace("http://", "");
    let mut stream = TcpStream::connect(server).await.expect("a connection");
    let head = format!(
        "POST /feed-append HTTP/1.1\r\nHost: l\r\nContent-Type: application/x-www-form-urlencoded\r\n\
         Content-Length: {announced}\r\nExpect: 100-continue\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).await.expect("sent");
    let mut begun = [0; 25];
    stream.read_exact(&mut begun).await.expect("a word to go on");
    assert_eq!(&begun, b"HTTP/1.1 100 Continue\r\n\r\n");
    stream.write_all(b"payLoad=").await.expect("sent");
    stream.write_all(&vec![b'x'; bytes]).await.expect("sent");
    stream
}

async fn answer_of(mut stream: TcpStream) -> String {
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await.expect("an answer");
    String::from_utf8_lossy(&answer).into_owned()
}

async fn connections_of_one_address_leave_the_rest_to_others(world: World) {
    let connections = world.node().resources.connections.clone();
    let address = Tenant::Client("127.0.0.1".parse().expect("an address"));
    let mut held: Vec<_> = std::iter::from_fn(|| connections.try_take(address, 1)).collect();
    assert_eq!(held.len(), limits::CONNECTIONS_OF_CLIENT);
    // When all are taken, a client without any waits.
    let rest = connections.try_take(Tenant::Proxies, limits::CONNECTIONS - held.len()).expect("the rest");
    let freeing = async {
        while connections.gauge().waiting == 0 {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        drop(rest);
    };
    let (answer, ()) = tokio::join!(get_health_from(&world, "127.0.0.2"), freeing);
    assert!(answer.ends_with("OK"), "{answer}");
    assert_eq!(get_health_from(&world, "127.0.0.1").await, "", "closed at once");
    let answer = get_health_from(&world, "127.0.0.2").await;
    assert!(answer.ends_with("OK"), "{answer}");
    held.truncate(10);
    let answer = get_health_from(&world, "127.0.0.1").await;
    assert!(answer.ends_with("OK"), "{answer}");
    assert!(read_taken_share(&world, "connections").await > held.len(), "the one that asks counts too");
}

async fn the_oldest_silent_connection_makes_room_for_another_address(world: World) {
    let connections = world.node().resources.connections.clone();
    let server = world.url("").replace("http://", "");
    let mut silent = Vec::new();
    for number in 1..=3 {
        silent.push(TcpStream::connect(&server).await.expect("a connection"));
        while connections.gauge().taken < number {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }
    // Half a head is as good as nothing: by itself the connection would close when it was too slow.
    silent[0].write_all(b"GET /hea").await.expect("sent");
    let rest = limits::CONNECTIONS - silent.len();
    let _rest = connections.try_take(Tenant::Proxies, rest).expect("the rest");
    let health = get_health_from(&world, "127.0.0.2");
    let answer = tokio::time::timeout(limits::HEAD_DURATION / 2, health).await.expect("a place at once");
    assert!(answer.ends_with("OK"), "{answer}");
    let mut rest = Vec::new();
    let ended = silent[0].read_to_end(&mut rest);
    // The unread rest resets the connection instead of ending it.
    let _ = tokio::time::timeout(limits::HEAD_DURATION / 2, ended).await.expect("the oldest is closed");
    // The others are there, and answered.
    for stream in &mut silent[1..] {
        stream.write_all(b"GET /health HTTP/1.1\r\nHost: l\r\n\r\n").await.expect("sent");
        let mut head = [0; 12];
        stream.read_exact(&mut head).await.expect("an answer");
        assert_eq!(&head, b"HTTP/1.1 200");
    }
    // The console has connections of its own.
    let page = crate::support::world::plain_client().get(world.page("/")).send().await.expect("an answer");
    assert!(!page.status().is_server_error(), "{}", page.status());
}

async fn a_connection_that_falls_silent_makes_room_for_who_waits(world: World) {
    let connections = world.node().resources.connections.clone();
    let mut asking = connect_and_begin(&world, 100, 50).await;
    let _rest = connections.try_take(Tenant::Proxies, limits::CONNECTIONS - 1).expect("the rest");
    let mut waiting = Box::pin(get_health_from(&world, "127.0.0.2"));
    let early = tokio::time::timeout(Duration::from_millis(300), &mut waiting).await;
    assert!(early.is_err(), "{early:?}");
    asking.write_all(&[b'x'; 42]).await.expect("sent");
    // By itself it would close when it was silent for this long.
    let health = tokio::time::timeout(limits::HEAD_DURATION / 2, waiting).await.expect("a place in time");
    assert!(health.ends_with("OK"), "{health}");
    let answer = answer_of(asking).await;
    assert!(answer.starts_with("HTTP/1.1 400"), "{answer}");
}

async fn bodies_of_nobody_leave_room_for_the_pieces_of_shops(world: World) {
    let shop = world.shop("one").await;
    let most = limits::REQUEST_MEMORY_OF_CLIENT_BYTES / 2;
    let drippers = [
        open_dripping_client(&world, "203.0.113.7", most / 2).await,
        open_dripping_client(&world, "203.0.113.7", most / 4).await,
    ];
    while read_taken_share(&world, "request_memory").await < most {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    // From the same address, which has little left: what shows early whose it is takes from its account's part.
    let rows = format!("{{\"Products\":[{{\"Id\":\"1\",\"Title\":\"{}\"}}", "x".repeat(3 << 20));
    let token = send_feed(&world, &shop, "product-1", &["", &rows, "]}"]).await;
    assert!(!token.is_empty());
    assert!(read_taken_share(&world, "request_memory").await <= limits::REQUEST_MEMORY_OF_CLIENT_BYTES);
    drop(drippers);
    while read_taken_share(&world, "request_memory").await > 0 {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    // A request without them is refused at once, if it is more than an address may have.
    let nobodys = announce_piece(&world, "203.0.113.7", most + 1, limits::CREDENTIALS_WITHIN_BYTES).await;
    let answer = answer_of(nobodys).await;
    assert!(answer.starts_with("HTTP/1.1 413") && answer.contains("in its first 65536 bytes"), "{answer}");
    world.run_all_jobs().await;
    assert_eq!(world.count(&shop, "Products").await, 1);
    // A wrong secret is told before the rest is sent.
    let wrong = Shop { secret: shop.secret.replace(&shop.secret[shop.secret.len() - 4..], "AAAA"), ..shop };
    let body = format!("accessKey={}&secretKey={}&payLoad={}", wrong.key, wrong.secret, "x".repeat(1 << 20));
    let form = "application/x-www-form-urlencoded";
    let request = world.request("POST", "/feed-append").header("content-type", form).body(body);
    assert_eq!(world.send(request).await.status, 403);
}

async fn pieces_of_one_shop_sent_at_once_all_arrive(world: World) {
    let shop = world.shop("one").await;
    // Each needs more than half of the shop's share.
    let piece = vec![b'x'; limits::UPLOAD_PIECE_BYTES / 4 * 3];
    let sent = async |name| uploads::post_piece(&world, &shop, "/feed-create", name, Some(&piece)).await.text;
    let answers = tokio::join!(sent("product-1"), sent("product-2"), sent("product-3"), sent("product-4"));
    assert_eq!(answers, ["OK"; 4].map(str::to_owned).into());
    assert_eq!(read_taken_share(&world, "request_memory").await, 0);
}

async fn a_body_that_drips_is_refused_and_leaves_its_room(world: World) {
    let (mut reading, mut writing) = open_dripping_client(&world, "203.0.113.7", 1 << 20).await.into_split();
    while read_taken_share(&world, "request_memory").await == 0 {
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    let dripping = tokio::spawn(async move {
        while writing.write_all(b"x").await.is_ok() {
            tokio::time::sleep(std::time::Duration::from_millis(100)).await;
        }
    });
    let mut answer = Vec::new();
    let read = tokio::time::timeout(limits::UPLOAD_PIECE_DURATION / 2, reading.read_to_end(&mut answer));
    read.await.expect("nobody waits for it to its end").expect("an answer");
    dripping.abort();
    let answer = String::from_utf8_lossy(&answer).into_owned();
    assert!(answer.starts_with("HTTP/1.1 408") && answer.contains("connection: close"), "{answer}");
    assert!(answer.contains("too slowly: less than 81920 bytes in 10 s"), "{answer}");
    assert!(answer.contains("link: </docs/errors/too_slow>; rel=\"help\""), "{answer}");
    while read_taken_share(&world, "request_memory").await > 0 {
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
}

async fn deltas_that_show_their_keys_early_go_on_where_an_address_has_nothing_left(world: World) {
    let shop = world.shop("one").await;
    let memory = world.node().resources.request_memory.clone();
    let address = Tenant::Client("127.0.0.1".parse().expect("an address"));
    let all = memory.try_take(address, limits::REQUEST_MEMORY_OF_CLIENT_BYTES);
    let _all = all.expect("nobody has any of it yet");
    let rows = json!([{"Id": "1", "Title": "x".repeat(200_000)}]);
    let keys = |secret: &str| format!("{{\"AccessKey\":\"{}\",\"SecretKey\":\"{secret}\"", shop.key);
    let early = format!("{},\"Products\":{rows}}}", keys(&shop.secret));
    assert_eq!(world.post_bytes("/api/delta", early).await.status, 200);
    // A request that shows them at its end, or wrong ones, takes from the address's part.
    let late = format!("{{\"Products\":{rows},{}", keys(&shop.secret).replacen('{', "", 1) + "}");
    let wrong = format!("{},\"Products\":{rows}}}", keys(&shop.secret.replace(&shop.secret[8..], "AAAA")));
    for body in [late, wrong] {
        assert_eq!(world.post_bytes("/api/delta", body).await.status, 503);
    }
    world.run_all_jobs().await;
    assert_eq!(world.count(&shop, "Products").await, 1);
}

async fn submissions_of_a_kind_wait_for_a_turn(world: World) {
    let shop = world.shop("one").await;
    let looks = world.node().resources.looks.clone();
    let turn = looks.acquire(Tenant::Account(AccountId(1)), 1, limits::LOOK_WAIT_DURATION).await;
    let asking = world.ask_json(&shop, "/api/submissions", json!({"Kind": "feed"}));
    let ending = async {
        while looks.gauge().waiting == 0 {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        drop(turn);
    };
    let both = async { tokio::join!(asking, ending) };
    let (found, ()) =
        tokio::time::timeout(Duration::from_secs(20), both).await.expect("it waits, and is answered");
    assert_eq!(found, json!([]));
}

async fn who_looks_at_one_shop_leaves_a_turn_for_another(world: World) {
    let one = world.shop("one").await;
    let other = world.shop("other").await;
    let held = json!({"Identifier": "7"});
    let looks = world.node().resources.looks.clone();
    let turn = looks.acquire(Tenant::Account(AccountId(1)), 1, limits::LOOK_WAIT_DURATION).await;
    let asking = world.ask_json(&one, "/api/user/held", held.clone());
    let others = async {
        while looks.gauge().waiting == 0 {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        let told: Value = world.ask_json(&other, "/api/user/held", held.clone()).await;
        assert_eq!(told["Known"], false);
        assert_eq!((read_taken_share(&world, "looks").await, looks.gauge().waiting), (1, 1));
        drop(turn);
    };
    let (told, ()) = tokio::join!(asking, others);
    assert_eq!((&told["Known"], looks.gauge().taken), (&json!(false), 0));
}

async fn events_of_one_shop_leave_turns_for_another(world: World) {
    let one = world.shop("one").await;
    let other = world.shop("other").await;
    for shop in [&one, &other] {
        world.apply_delta(shop, json!({"Products": [{"Id": "1", "Title": "A"}]})).await;
    }
    let body = json!({"Events": [{"Name": "product_view", "Product": "1", "UserId": "7"}]});
    let events = world.node().resources.events.clone();
    let turns = events.try_take(Tenant::Account(AccountId(1)), limits::EVENTS_OF_ACCOUNT);
    let turns = turns.expect("nobody has any of them yet");
    let asking = world.ask_json(&one, "/api/events", body.clone());
    let others = async {
        while events.gauge().waiting == 0 {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        let told: Value = world.ask_json(&other, "/api/events", body.clone()).await;
        assert_eq!(told["Accepted"], 1);
        let held = read_taken_share(&world, "events").await;
        assert_eq!((held, events.gauge().waiting), (limits::EVENTS_OF_ACCOUNT, 1), "it waits for its own");
        drop(turns);
    };
    let waiting = async { tokio::join!(asking, others) };
    let done = tokio::time::timeout(limits::EVENTS_WAIT_DURATION, waiting).await;
    let (told, ()) = done.expect("nobody is turned away");
    assert_eq!((&told["Accepted"], events.gauge().taken), (&json!(1), 0));
}

async fn pages_of_a_shop_leave_turns_for_its_server(world: World) {
    let shop = world.shop("one").await;
    world.apply_delta(&shop, json!({"Products": [{"Id": "1", "Title": "A"}]})).await;
    let browser = crate::support::plugin::start_visit(&world, &shop).await;
    let pages = world.node().resources.page_events.clone();
    let turns = pages.try_take(Tenant::Account(AccountId(1)), limits::PAGE_EVENTS_OF_ACCOUNT);
    let turns = turns.expect("nobody has any of them yet");
    let path = format!("/api/track?appid={}&evt=product_view&id=1&visitorid={browser}", shop.key);
    let page = world.get(&path);
    let server = async {
        while pages.gauge().waiting == 0 {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        let event = json!({"Name": "product_view", "Product": "1", "UserId": "7"});
        let told: Value = world.ask_json(&shop, "/api/events", json!({"Events": [event]})).await;
        assert_eq!((&told["Accepted"], read_taken_share(&world, "events").await), (&json!(1), 0));
        drop(turns);
    };
    let done = async { tokio::join!(page, server) };
    let (answer, ()) = tokio::time::timeout(limits::EVENTS_WAIT_DURATION, done).await.expect("in time");
    assert_eq!(answer.status, 200);
}

async fn keys_are_destroyed_while_another_shops_erasures_are_proven(world: World) {
    let shop = world.shop("one").await;
    world.apply_delta(&shop, json!({"Users": [{"UserId": "7", "Email": "ada-canary@shop.test"}]})).await;
    world.forget(&shop, "7").await;
    // Another shop's erasures, with much to read.
    let proofs = world.node().resources.proofs.clone();
    let others = proofs.try_take(Tenant::Account(AccountId(99)), 1).expect("nobody proves yet");
    let working = tokio::time::timeout(limits::READY_DURATION, world.run_jobs(Lane::ERASE)).await;
    assert_eq!(working.expect("nobody waits for a turn"), 1);
    let state = || async { world.ask_json(&shop, "/api/erasures", json!({})).await[0]["State"].clone() };
    assert_eq!((world.subjects(&shop).await, state().await), (0, json!("unlearned")));
    drop(others);
    // It looks again a second later.
    world.clock.advance(Duration::from_secs(1));
    world.run_all_jobs().await;
    assert_eq!(state().await, "verified");
    let erasing = lethe::work::KINDS.iter().find(|kind| kind.lane == Lane::ERASE).expect("a kind");
    assert!(erasing.workers > 1, "one that proves leaves nobody for the keys of others");
}

async fn slow_feeds_of_one_shop_leave_places_for_another(world: World) {
    let one = world.shop("one").await;
    let other = world.shop("other").await;
    let gate = Arc::new(Semaphore::new(0));
    let rows = r#"{"Products":[{"Id":"1"}]}"#;
    for n in 0..=limits::FETCHES_OF_ACCOUNT {
        let url = world.feeds.serve(&format!("/slow/{n}"), [Answer::ok(rows).gated_by(&gate)]);
        world.feed(&one, &url).await;
    }
    let quick = world.feeds.serve("/quick", [Answer::ok(rows)]);
    let stop = CancellationToken::new();
    let run = || work::run_due(world.node(), Lane::FETCH, &stop);
    let others = async {
        for n in 0..limits::FETCHES_OF_ACCOUNT {
            while world.feeds.requests_of(&format!("/slow/{n}")).is_empty() {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        }
        world.feed(&other, &quick).await;
        assert!(run().await.expect("a job is claimed"), "the other shop's feed has its turn");
        assert_eq!(world.count(&other, "Products").await, 1);
        let third = tokio::time::timeout(limits::READY_DURATION, run()).await;
        assert!(!third.expect("no place is left for the rest").expect("nothing fails"));
        gate.add_permits(1 + limits::FETCHES_OF_ACCOUNT);
    };
    let (first, second, ()) = tokio::join!(run(), run(), others);
    assert!([first, second].into_iter().all(|ran| ran.expect("a job is claimed")));
    world.run_all_jobs().await;
    assert_eq!((world.count(&one, "Products").await, world.node().resources.fetches.gauge().taken), (1, 0));
}

async fn what_is_on_the_disk_waits_for_no_server(world: World) {
    let shop = world.shop("one").await;
    let gate = Arc::new(Semaphore::new(0));
    for n in 0..=limits::FETCHES_OF_ACCOUNT {
        let url = world.feeds.serve(&format!("/slow/{n}"), [Answer::ok(r#"{"Brands":[]}"#).gated_by(&gate)]);
        world.feed(&shop, &url).await;
    }
    let stop = CancellationToken::new();
    let tasks = TaskTracker::new();
    work::start(world.node(), &tasks, &stop);
    while world.feeds.requests_of("/slow/0").is_empty() {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let token = send_feed(&world, &shop, "product-1", &[r#"{"Products":[{"Id":"1"}]}"#, ""]).await;
    let read = async {
        while world.feed_status(&shop, &token).await[0] == "Processing" {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    let read = tokio::time::timeout(Duration::from_secs(30), read).await;
    stop.cancel();
    gate.add_permits(1 + limits::FETCHES_OF_ACCOUNT);
    tasks.close();
    tasks.wait().await;
    assert!(read.is_ok(), "it waits behind servers of others");
    assert_eq!(world.count(&shop, "Products").await, 1);
}

async fn feeds_have_turns_to_be_read(world: World) {
    let shop = world.shop("one").await;
    let url = world.feeds.serve("/f", [Answer::ok(r#"{"Products":[{"Id":"1"}]}"#)]);
    world.feed(&shop, &url).await;
    let turns = take_all_turns(&world).await;
    let readings = world.node().resources.readings.clone();
    let stop = CancellationToken::new();
    let others = async {
        let waiting = async {
            while readings.gauge().waiting == 0 {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(30), waiting).await.expect("it waits for its turn");
        assert_eq!(world.count(&shop, "Products").await, 0);
        drop(turns);
    };
    let (ran, ()) = tokio::join!(work::run_due(world.node(), Lane::FETCH, &stop), others);
    assert!(ran.expect("a job is claimed"));
    assert_eq!((world.count(&shop, "Products").await, readings.gauge().taken), (1, 0));
}

async fn feeds_on_their_way_share_the_room_on_the_disk(world: World) {
    let shop = world.shop("one").await;
    // Two steps of room.
    let feed = json!({"Products": [{"Id": "1"}]}).to_string() + &" ".repeat(9 << 20);
    let url = world.feeds.serve("/f", [Answer::ok(feed)]);
    world.feed(&shop, &url).await;
    let room = world.node().resources.spool_bytes.clone();
    let turns = take_all_turns(&world).await;
    let first = room.try_take(Tenant::Account(AccountId(1)), limits::SPOOL_OF_ACCOUNT_BYTES);
    let first = first.expect("nobody has any of it yet");
    let stop = CancellationToken::new();
    let others = async {
        while room.gauge().waiting == 0 {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        assert_eq!(read_taken_share(&world, "spool_bytes").await, limits::SPOOL_OF_ACCOUNT_BYTES);
        drop(first);
        while world.node().resources.readings.gauge().waiting == 0 {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        assert_eq!(read_taken_share(&world, "spool_bytes").await, 16 << 20, "it is on the disk");
        drop(turns);
    };
    let working = async { tokio::join!(work::run_due(world.node(), Lane::FETCH, &stop), others) };
    let (ran, ()) = tokio::time::timeout(Duration::from_secs(60), working).await.expect("it waits for room");
    assert!(ran.expect("a job is claimed"));
    assert_eq!((world.count(&shop, "Products").await, room.gauge().taken), (1, 0));
}
