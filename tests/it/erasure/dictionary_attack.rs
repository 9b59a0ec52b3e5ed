//! A thief who has the whole database and a list of everybody: without the keys no entry of the list is recognised,
//! not by a plain hash, not with a key that anybody could guess, not with another node's keys.

use std::collections::HashSet;
use std::path::Path;

use aws_lc_rs::hmac;
use lethe::args;
use lethe::ids::AccountId;
use lethe::ids::identifier::{Identifier, IdentifierKind};
use lethe::keys::Keys;
use lethe::store::{Statement, StoreFault};
use serde_json::json;
use sha2::{Digest, Sha256};

use crate::support::backups::{back_up, path_beside};
use crate::support::feed_server::Answer;
use crate::support::uploads;
use crate::support::world::{World, on_both_engines, statement};

on_both_engines! {
    a_stolen_database_and_a_list_of_everybody_match_nobody
}

const ACCOUNT: AccountId = AccountId(1);
const PEOPLE: usize = 12;
/// As many as are recognised by a keyed hash.
type Tag = [u8; 16];

/// Columns with the hash of something that a person or a shop could be known by, and how many rows each has here.
const HASHED: [(Statement, usize); 7] = [
    (statement("identifiers", "SELECT tag FROM identifier"), 2 * (PEOPLE - 4)),
    (statement("suppressed", "SELECT tag FROM suppression"), 2 * 4 + 2),
    (statement("orders", "SELECT tag FROM order_known"), PEOPLE - 4),
    (statement("removals", "SELECT tag FROM user_removal"), 1),
    (statement("uploads", "SELECT name AS tag FROM upload"), 1),
    (statement("requests", "SELECT tag FROM event_request"), 1),
    (statement("feeds", "SELECT url_tag AS tag FROM feed_source"), 1),
];

/// The thief's list.
struct List {
    people: Vec<Identifier>,
    companies: Vec<String>,
    orders: Vec<String>,
    uploads: Vec<String>,
    urls: Vec<String>,
    requests: Vec<String>,
}

impl List {
    /// Every hash that a node with these keys has of anything of the list.
    fn by_keys(&self, keys: &Keys) -> HashSet<Tag> {
        let lookups = self.people.iter().map(|id| keys.lookup_tag(ACCOUNT, id));
        let suppressions = self.people.iter().map(|id| keys.suppression_tag(ACCOUNT, id));
        let orders = self.orders.iter().map(|id| keys.order_tag(ACCOUNT, id));
        let uploads = self.uploads.iter().map(|name| keys.upload_tag(ACCOUNT, name));
        let urls = self.urls.iter().map(|url| keys.url_tag(ACCOUNT, url));
        let requests = self.requests.iter().map(|key| keys.content_tag(ACCOUNT, "events", key.as_bytes()));
        let companies = self.companies.iter().map(|id| from_hex(keys.account_tag(ACCOUNT, id).as_bytes()));
        let companies = companies.map(|tag| tag.expect("hexadecimal digits"));
        lookups
            .chain(suppressions)
            .chain(orders)
            .chain(uploads)
            .chain(urls)
            .chain(requests)
            .chain(companies)
            .collect()
    }

    /// Every hash that a thief without a key could compute: plain, and keyed with nothing or zeros, of each text alone
    /// and after each prefix that the source shows.
    fn without_keys(&self) -> HashSet<Tag> {
        const DOMAINS: [&str; 8] = [
            "",
            "lethe/lookup/v1/",
            "lethe/suppress/v1/",
            "lethe/order/v1/",
            "lethe/account-tag/v1/",
            "lethe/url-tag/v1/",
            "lethe/upload-tag/v1/",
            "lethe/secret/v1/",
        ];
        let number = ACCOUNT.0;
        let accounts = [
            Vec::new(),
            number.to_le_bytes().to_vec(),
            number.to_be_bytes().to_vec(),
            number.to_string().into_bytes(),
            format!("{number}/").into_bytes(),
            format!("{number}:").into_bytes(),
        ];
        let mut kinds = vec![Vec::new()];
        kinds.extend(IdentifierKind::ALL.iter().map(|kind| vec![kind.code()]));
        kinds.extend(IdentifierKind::ALL.iter().map(|kind| format!("{}:", kind.as_str()).into_bytes()));
        kinds.extend(["email:", "userid:", "accid:", "visitor:"].map(|prefix| prefix.as_bytes().to_vec()));
        let people = self.people.iter().map(Identifier::normal);
        let rest = [&self.companies, &self.orders, &self.uploads, &self.urls, &self.requests];
        let texts = people.chain(rest.into_iter().flatten().map(String::as_str));
        let keys = [&[][..], &[0; 16], &[0; 32]].map(|key| hmac::Key::new(hmac::HMAC_SHA256, key));
        let mut guesses = HashSet::new();
        for text in texts {
            for domain in DOMAINS {
                for account in &accounts {
                    for kind in &kinds {
                        let message = [domain.as_bytes(), account, kind, text.as_bytes()].concat();
                        guesses.extend(beginning(&Sha256::digest(&message)));
                        guesses.extend(
                            keys.iter().filter_map(|key| beginning(hmac::sign(key, &message).as_ref())),
                        );
                    }
                }
            }
        }
        guesses
    }
}

fn beginning(hash: &[u8]) -> Option<Tag> {
    hash.first_chunk().copied()
}

/// 32 hexadecimal digits.
fn from_hex(digits: &[u8]) -> Option<Tag> {
    let text = std::str::from_utf8(digits).ok().filter(|text| !text.starts_with('+'))?;
    u128::from_str_radix(text, 16).ok().map(u128::to_be_bytes)
}

/// The hashes whose whole or first half stands anywhere in a file: as bytes or in hexadecimal digits.
fn find_tags(file: &Path, tags: &HashSet<Tag>) -> HashSet<Tag> {
    let bytes = std::fs::read(file).expect("the file");
    let plain = bytes.windows(16).filter_map(beginning);
    let is_digit = |byte: &u8| byte.is_ascii_hexdigit();
    let digits = bytes.chunk_by(|one, other| is_digit(one) == is_digit(other));
    let written = digits.filter(|run| is_digit(&run[0])).flat_map(|run| run.windows(32).filter_map(from_hex));
    plain.chain(written).filter(|tag| tags.contains(tag)).collect()
}

fn email(n: usize) -> String {
    format!("person-{n}@shop.test")
}

fn user(n: usize) -> String {
    format!("user-{n}")
}

/// A shop with people, orders and prices; some people are forgotten and one was removed; and the thief's list.
async fn shop(world: &World) -> List {
    let shop = world.shop("one").await;
    let users: Vec<_> = (0..PEOPLE)
        .map(|n| json!({"UserId": user(n), "Email": email(n), "GroupId": "company-1", "FirstName": "Ada"}))
        .collect();
    world.complete_feed(&shop, "/people", &json!({"Users": users})).await;
    // The address is remembered if its server sends a version.
    let goods = json!({"Products": [{"Id": "1", "Title": "A chair"}]}).to_string();
    let url = world.feeds.serve("/goods", [Answer::ok(goods).header("etag", "\"1\"")]);
    let token = world.feed(&shop, &url).await;
    world.run_all_jobs().await;
    assert_eq!(world.feed_status(&shop, &token).await, json!(["Complete", null]));
    let price = json!({"AccountId": "company-1", "Id": "1", "Prices": ["1 GBP"]});
    world.apply_delta(&shop, json!({"AccountPrices": [price]})).await;
    let mut file = "OrderID,UserId,Email,DateTime,ProdCode\n".to_owned();
    for n in 0..PEOPLE {
        file += &format!("order-{n},{},{},2026-11-01 10:00:00,1\n", user(n), email(n));
    }
    uploads::send_feed(world, &shop, "orders-1", &[&file, ""]).await;
    world.run_all_jobs().await;
    for n in 0..4 {
        world.forget(&shop, &email(n)).await;
    }
    world.forget(&shop, "stranger@shop.test").await;
    world.forget(&shop, "visitor:visitor-1").await;
    world.run_all_jobs().await;
    // While an older feed is open a removal is remembered.
    uploads::post_piece(world, &shop, "/feed-create", "user-1", Some(b"{\"Version\":2,\"Users\":[")).await;
    world.apply_delta(&shop, json!({"DeleteUsers": [user(4)]})).await;
    world.ask_json(&shop, "/api/events", json!({"Events": [], "IdempotencyKey": "request-1"})).await;
    let numbers = 0..PEOPLE + 3;
    let id = |read: fn(&str) -> Result<Identifier, _>, text: String| read(&text).expect("an identifier");
    let mut people: Vec<_> = numbers.clone().map(|n| id(Identifier::email, email(n))).collect();
    people.extend(numbers.clone().map(|n| id(Identifier::user_id, user(n))));
    people.push(id(Identifier::email, "stranger@shop.test".to_owned()));
    people.push(id(Identifier::visitor_id, "visitor-1".to_owned()));
    people.push(id(Identifier::account_id, "company-1".to_owned()));
    List {
        people,
        companies: vec!["company-1".to_owned()],
        orders: numbers.map(|n| format!("order-{n}")).collect(),
        uploads: ["orders-1", "user-1"].map(str::to_owned).to_vec(),
        urls: vec![url],
        requests: vec!["request-1".to_owned()],
    }
}

async fn a_stolen_database_and_a_list_of_everybody_match_nobody(world: World) {
    let list = shop(&world).await;
    let stolen = back_up(&world, "stolen").await.join("lethe.db");
    let foreign = Keys::open(&path_beside(&world, "keys-of-another-node")).expect("keys");
    let own = list.by_keys(&world.node().keys);
    let mut stored = HashSet::new();
    for (statement, count) in &HASHED {
        let tags = world.node().store.read(move |tx| {
            let rows = tx.run(statement, args![])?;
            rows.iter().map(|row| row.bytes("tag")).collect::<Result<Vec<Tag>, StoreFault>>()
        });
        let tags = tags.await.expect("hashes");
        assert_eq!(tags.len(), *count, "{}", statement.name);
        assert!(tags.iter().all(|tag| own.contains(tag)), "{}: the list is not whole", statement.name);
        stored.extend(tags);
    }
    stored.extend(from_hex(world.node().keys.account_tag(ACCOUNT, "company-1").as_bytes()));
    assert_eq!(find_tags(&stolen, &stored), stored, "with the keys everything is found");
    assert_eq!(find_tags(&stolen, &list.by_keys(&foreign)), HashSet::new(), "by another node's keys");
    assert_eq!(find_tags(&stolen, &list.without_keys()), HashSet::new(), "without a key");
}
