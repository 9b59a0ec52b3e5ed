//! Senders: the exact bytes that each family of public clients really writes, and the catalogue, the people and the
//! orders that must result. The shapes are facts; the values are made up.

mod dot_net;
mod magento_1;
mod magento_2;
mod php_sdk;
mod woocommerce_2;
mod woocommerce_3;
mod x_cart;

use lethe::args;
use lethe::feeds::section::FeedPart;
use lethe::ids::AccountId;
use lethe::people::order;
use lethe::people::record_kind::{ORDER, PROFILE};
use lethe::people::subject::SubjectFault;
use lethe::store::Statement;
use serde_json::{Value, json};

use crate::support::feed_server::Answer;
use crate::support::world::{Reply, Shop, World, records, statement};

/// One call of PHP's `http_build_query` and curl: credentials first, then the piece if it is not empty.
async fn post_piece(world: &World, shop: &Shop, path: &str, name: &str, piece: &str, more: &str) -> Reply {
    let encode = |text: &str| url::form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>();
    let key = encode(&shop.key);
    let secret = encode(&shop.secret);
    let name = encode(name);
    let mut body = format!("accessKey={key}&secretKey={secret}&feedName={name}");
    if !piece.is_empty() {
        body += &format!("&payLoad={}", encode(piece));
    }
    body += more;
    let request = world.request("POST", path).header("accept", "*/*");
    world.send(request.header("content-type", "application/x-www-form-urlencoded").body(body)).await
}

/// Sends a feed, the first piece with create and the last with close; each answer has to be 200 and the two letters.
/// Gives its status.
async fn upload(world: &World, shop: &Shop, name: &str, pieces: &[&str]) -> Value {
    let mut token = String::new();
    for (number, piece) in pieces.iter().enumerate() {
        let (path, more) = match number {
            0 => ("/feed-create", "&php=7.4.33&browser=unknown"),
            last if last + 1 == pieces.len() => ("/feed-close", "&php=7.4.33"),
            _ => ("/feed-append", "&php=7.4.33"),
        };
        let reply = post_piece(world, shop, path, name, piece, more).await;
        assert_eq!((reply.status, reply.text.as_str()), (200, "OK"), "{path} {piece}");
        token = reply.header("x-feed-token").to_owned();
    }
    world.run_all_jobs().await;
    world.feed_status(shop, &token).await
}

/// The documented fields.
const PAGE: &str = include_str!("../../../docs/fields.md");
/// Undocumented names that shops gave themselves: attributes.
const OWN_NAMES: [&str; 10] = [
    "Colour",
    "Eco Collection",
    "Interests",
    "Length",
    "Newsletter",
    "Pattern",
    "Set Product as New from Date",
    "Size &amp; colour",
    "Weight",
    "pa_größe",
];

/// Every other name in a row has to stand in the page, in the table of its section. Whoever writes their own feed reads
/// no more than that.
fn assert_names_documented(feed: &str) {
    // Some clients write commas too many, which JSON has not; others send the same rows without.
    let Ok(Value::Object(feed)) = serde_json::from_str(feed) else { return };
    for (section, rows) in &feed {
        let Some(part) = FeedPart::parse_lenient(section) else { continue };
        let behind = PAGE.split(&format!("\n## {}\n", part.as_str())).nth(1).expect("a section of the page");
        let table = behind.split("\n## ").next().unwrap_or(behind).to_lowercase();
        let rows: Vec<_> = match rows {
            Value::Array(rows) => rows.iter().collect(),
            Value::Object(rows) => rows.values().collect(),
            _ => continue,
        };
        for name in rows.iter().filter_map(|row| row.as_object()).flat_map(|row| row.keys()) {
            let is_there = table.contains(&format!("`{}`", name.to_lowercase()));
            assert!(
                is_there || OWN_NAMES.contains(&name.as_str()),
                "docs/fields.md does not say {section}.{name}"
            );
        }
    }
}

/// The same, which has to end well.
async fn upload_complete(world: &World, shop: &Shop, name: &str, pieces: &[&str]) {
    assert_names_documented(&pieces.concat());
    assert_eq!(upload(world, shop, name, pieces).await, json!(["Complete", null]), "{name}");
}

/// Publishes a feed by URL, which has to end well.
async fn publish_complete(world: &World, shop: &Shop, path: &str, body: &str) {
    assert_names_documented(body);
    let url = world.feeds.serve(path, [Answer::ok(body.to_owned())]);
    let token = world.feed(shop, &url).await;
    world.run_all_jobs().await;
    assert_eq!(world.feed_status(shop, &token).await, json!(["Complete", null]), "{path}");
}

/// Posts JSON in which `KEY` and `SECRET` stand for the shop's own.
async fn post(world: &World, shop: &Shop, path: &str, body: &str) -> Reply {
    let body = body.replace("SECRET", &shop.secret).replace("KEY", &shop.key);
    world.post_bytes(path, body).await
}

/// Sends a delta, which has to be answered by an object with a token, and applied.
async fn apply_delta(world: &World, shop: &Shop, path: &str, body: &str) {
    assert_names_documented(body);
    let reply = post(world, shop, path, body).await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    let token = reply.json()["Token"].as_str().expect("a token").to_owned();
    world.run_all_jobs().await;
    assert_eq!(world.delta_status(shop, &token).await, json!([1, null]), "{body}");
}

/// Everything the shop shows, an item a line.
async fn list_shown(world: &World, shop: &Shop) -> String {
    let mut lines = Vec::new();
    for section in ["Products", "Categories", "Brands", "AccountPrices"] {
        let asked = json!({"Section": section, "Limit": 200});
        let page = world.ask_json(shop, "/api/catalogue", asked).await;
        let items = page["Items"].as_array().expect("items");
        assert_eq!(page["Counts"][section], items.len());
        lines.extend(items.iter().map(|item| format!("{section} {}", item["Item"])));
    }
    lines.join("\n")
}

/// All stored people, sorted: the profile, then the orders below it.
async fn list_people(world: &World) -> String {
    const ACCOUNT: AccountId = AccountId(1);
    const SUBJECTS: Statement = statement("subjects", "SELECT id FROM subject WHERE account_id = $1");
    let keys = world.node().keys.clone();
    let people = world.node().store.read(move |tx| {
        let mut people = Vec::new();
        for row in tx.run(&SUBJECTS, args![ACCOUNT.0])? {
            let id = row.bytes("id")?;
            let profiles = records(tx, &keys, ACCOUNT, &id, PROFILE)?;
            let person = profiles.first().map_or("somebody".into(), |json| String::from_utf8_lossy(json));
            let orders = records(tx, &keys, ACCOUNT, &id, ORDER)?;
            let orders = orders.iter().map(|order| Ok(describe_order(order::decode(order)?)));
            let mut orders = orders.collect::<Result<Vec<_>, SubjectFault>>()?;
            orders.sort();
            people.push(format!("{person}{}", orders.concat()));
        }
        people.sort();
        Ok::<_, SubjectFault>(people.join("\n"))
    });
    people.await.expect("people")
}

fn describe_order((id, bought): (String, order::Purchase)) -> String {
    let at = jiff::Timestamp::from_millisecond(bought.ordered_at).expect("a date");
    let lines = bought.lines.iter().map(|line| {
        let price = line.unit_price.map_or_else(|| "?".to_owned(), |price| price.normalize().to_string());
        format!(" {} x {} at {price}", line.quantity.normalize(), line.product)
    });
    format!("\n{id} {at}:{}", lines.collect::<Vec<_>>().join(","))
}

/// Compares whole texts line by line; the expected one may be indented.
fn assert_same_lines(found: &str, expected: &str) {
    let expected: Vec<_> = expected.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    assert_eq!(found.lines().collect::<Vec<_>>(), expected, "found:\n{found}\n");
}
