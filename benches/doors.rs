//! The doors of a catalogue as a shop uses them: deltas at a steady rate while feeds import, and uploads in many
//! pieces.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::sync::watch;

use crate::report::{Options, load, p99};
use crate::scenario::write_feed;
use crate::server::{FeedServer, Server, scratch};

/// Pause between two deltas: 100 a second.
const PACE: Duration = Duration::from_millis(10);
/// Products that the deltas change in turn.
const ITEMS: usize = 50;

/// 100 deltas a second for a minute (or `--seconds`) while the large feed imports again and again.
pub async fn steady(options: &Options) {
    let length = options.length_or(60);
    let folder = tempfile::tempdir_in(scratch()).expect("a folder");
    let path = folder.path().join("feed.json");
    let bytes = write_feed(&path, options.products);
    println!(
        "\n== 100 deltas a second for {length:?} while {:.0} MB import again and again",
        bytes as f64 / 1e6
    );
    let feed = FeedServer::start(&path).await;
    let server = Server::start(None).await;
    server.import(&feed.url).await;
    let (newest, seen) = watch::channel((String::new(), Instant::now()));
    let ends = Instant::now() + length;
    let importing = async {
        let mut imports = 0;
        // The last deltas come after the last feed, so that the order of each product can be read off.
        while Instant::now() + Duration::from_secs(2) < ends {
            server.import(&feed.url.replace("feed.json", &format!("feed.json?{imports}"))).await;
            imports += 1;
        }
        imports
    };
    let sending = async {
        let sent = send(&server, ends, &newest).await;
        drop(newest);
        sent
    };
    let (imports, (mut accepts, tokens), mut visible) =
        tokio::join!(importing, sending, watch_visible(&server, seen));
    server.import(&feed.url).await;
    let applied = applied(&server, &tokens).await;
    println!(
        "  {} deltas sent, {applied} ended as 1, {imports} imports meanwhile, load {}\n  accept p99 {:?} (target 100 ms), \
         visible after p99 {:?} (target 1 s, {} looked at)",
        tokens.len(),
        load(),
        p99(&mut accepts),
        p99(&mut visible),
        visible.len()
    );
    in_order(&server, tokens.len()).await;
}

fn item(number: usize, version: usize) -> Value {
    json!({"Products": [{"Id": format!("steady-{number}"), "Title": format!("version {version}"), "Link": "/s",
                         "Image": "/s.jpg", "Prices": ["1.00 GBP"]}]})
}

async fn send(
    server: &Server,
    ends: Instant,
    newest: &watch::Sender<(String, Instant)>,
) -> (Vec<Duration>, Vec<String>) {
    let mut accepts = Vec::new();
    let mut tokens = Vec::new();
    let mut ticks = tokio::time::interval(PACE);
    while Instant::now() < ends {
        ticks.tick().await;
        let began = Instant::now();
        let answer = server.ask("/api/delta", item(tokens.len() % ITEMS, tokens.len())).await;
        accepts.push(began.elapsed());
        let token = answer["Token"].as_str().expect("a token").to_owned();
        newest.send_replace((token.clone(), Instant::now()));
        tokens.push(token);
    }
    (accepts, tokens)
}

/// Polls the newest delta until it is visible, then the one that is newest by then.
async fn watch_visible(server: &Server, mut newest: watch::Receiver<(String, Instant)>) -> Vec<Duration> {
    let mut visible = Vec::new();
    while newest.changed().await.is_ok() {
        let (token, accepted) = newest.borrow_and_update().clone();
        while server.ask("/api/deltastatus", json!({"Tokens": [token]})).await[0]["Status"] == 0 {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        visible.push(accepted.elapsed());
    }
    visible
}

async fn applied(server: &Server, tokens: &[String]) -> usize {
    let mut applied = 0;
    for some in tokens.chunks(1000) {
        let statuses = server.ask("/api/deltastatus", json!({"Tokens": some})).await;
        applied += statuses.as_array().into_iter().flatten().filter(|item| item["Status"] == 1).count();
    }
    applied
}

/// Returns true if each product shows its last version: a feed and the deltas after it end in the order of acceptance.
async fn in_order(server: &Server, sent: usize) {
    // The last feed replaced all earlier versions: one more delta for each, the newer version last.
    let mut right = 0;
    for number in 0..ITEMS {
        for version in [sent, sent + 1, sent + 2] {
            server.ask("/api/delta", item(number, version)).await;
        }
    }
    tokio::time::sleep(Duration::from_secs(1)).await;
    for number in 0..ITEMS {
        let shown = server.ask("/api/product", json!({"Id": format!("steady-{number}")})).await;
        right += usize::from(shown["Item"]["Title"] == format!("version {}", sent + 2));
    }
    println!("  {right} of {ITEMS} products show the last of three deltas sent at once");
}

/// 50,000 products in 1,000 appends, then categories, brands, users and orders.
pub async fn uploads(_: &Options) {
    println!("\n== an upload of 50,000 products in 1,000 appends, and one of every other type");
    let server = Server::start(None).await;
    let product = |n: usize| {
        json!({"Id": n, "Sku": format!("S-{n}"), "Title": format!("Product {n}"), "Description": "A product of the bench",
               "Link": format!("//shop.example/{n}"), "Image": "//shop.example/i.jpg", "Prices": ["1.00 GBP"]})
    };
    upload(&server, "product", "Products", 1000, &|page| rows(page, 50, &product)).await;
    let named = |n: usize| json!({"Id": n, "DisplayName": format!("Name {n}"), "Link": format!("/n/{n}")});
    upload(&server, "category", "Categories", 10, &|page| rows(page, 50, &named)).await;
    upload(&server, "brand", "Brands", 10, &|page| rows(page, 50, &named)).await;
    let user = |n: usize| json!({"UserId": n, "Email": format!("user{n}@people.example")});
    upload(&server, "user", "Users", 100, &|page| rows(page, 50, &user)).await;
    upload(&server, "orders", "", 100, &orders).await;
    let shown = server.ask("/api/catalogue", json!({"Limit": 0})).await;
    println!("  shown: {}", shown["Counts"]);
}

fn rows(page: usize, count: usize, row: &dyn Fn(usize) -> Value) -> String {
    let rows: Vec<String> = (page * count..(page + 1) * count).map(|n| row(n + 1).to_string()).collect();
    if page == 0 { rows.join(",") } else { format!(",{}", rows.join(",")) }
}

fn orders(page: usize) -> String {
    let today = jiff::Timestamp::now().strftime("%Y-%m-%d %H:%M:%S").to_string();
    let line = |n: usize| {
        format!(
            "\nO-{n},{},user{}@people.example,{today},{},1.0000,1.00,1.00",
            n % 500 + 1,
            n % 500 + 1,
            n + 1
        )
    };
    (page * 50..(page + 1) * 50).map(line).collect()
}

async fn upload(server: &Server, kind: &str, section: &str, appends: usize, page: &dyn Fn(usize) -> String) {
    let began = Instant::now();
    let name = format!("{kind}-5f3c0a1b2c3d4");
    let (first, last) = match section {
        "" => (
            "OrderId,UserId,Email,DateTimeStamp,ProdCode,Quantity,UnityPrice,LinePrice".to_owned(),
            String::new(),
        ),
        section => (format!("{{\"Version\": 2, \"{section}\":["), "]}".to_owned()),
    };
    server.piece("/feed-create", &name, &first).await;
    let mut answers = Vec::with_capacity(appends);
    for number in 0..appends {
        let sent = Instant::now();
        server.piece("/feed-append", &name, &page(number)).await;
        answers.push(sent.elapsed());
    }
    let token = server.piece("/feed-close", &name, &last).await.expect("a token");
    let sent = began.elapsed();
    server.complete(&token).await;
    println!(
        "  {kind}: {appends} appends in {sent:.1?} (p99 {:?}), Complete after {:.1?}",
        p99(&mut answers),
        began.elapsed()
    );
}
