//! Work grows as its input does: what asks for twice as much costs twice as much, not four times. Counted in steps of
//! the database, which no load of the machine changes.

use serde_json::{Value, json};

use crate::support::feed_server::Answer;
use crate::support::uploads;
use crate::support::world::{Shop, World, on_sqlite};

/// Twice the work may cost so many percent: twice, and something for the fixed cost of a unit.
const PERCENT: u64 = 240;

/// Way in which a shop sends much at once.
#[derive(Clone, Copy)]
enum Door {
    Delta,
    Feed,
    OrderFile,
    Events,
}

/// Operation of a shop with an input of a size.
struct Operation {
    door: Door,
    name: &'static str,
    /// The smaller of the two sizes. What replaces itself is more than a unit of work in both.
    size: usize,
    body: fn(usize) -> String,
}

static DELTAS: [Operation; 9] = [
    Operation {
        door: Door::Delta,
        name: "removals of unknown products",
        size: 500,
        body: |size| removals(&mut (0..size).map(|n| format!("unknown {n}"))),
    },
    Operation {
        door: Door::Delta,
        name: "one removal again and again",
        size: 500,
        body: |size| removals(&mut (0..size).map(|_| "unknown".to_owned())),
    },
    Operation { door: Door::Delta, name: "one product put and removed", size: 250, body: put_and_removed },
    Operation {
        door: Door::Delta,
        name: "products and their removal by SKU",
        size: 250,
        body: |size| {
            let products: Vec<_> = (0..size).map(|n| json!({"Id": n, "Sku": format!("s{n}")})).collect();
            let skus: Vec<_> = (0..size).map(|n| format!("s{n}")).collect();
            json!({"Products": products, "DeleteProducts": skus}).to_string()
        },
    },
    Operation {
        door: Door::Delta,
        name: "one product in many categories",
        size: 600,
        body: |size| {
            let row = |n| json!({"CategoryId": format!("c{n}"), "ProductIds": ["in many"]});
            json!({"SetCategoryOnProducts": (0..size).map(row).collect::<Vec<_>>()}).to_string()
        },
    },
    Operation {
        door: Door::Delta,
        name: "products with children",
        size: 250,
        body: |size| {
            let row = |n| json!({"Id": n, "AssociatedSkus": [format!("child {n}"), "child of all"]});
            json!({"Products": (0..size).map(row).collect::<Vec<_>>()}).to_string()
        },
    },
    Operation {
        door: Door::Delta,
        name: "prices of companies and their removal",
        size: 500,
        body: |size| {
            let row = |n| json!({"AccountId": "acme", "Id": n, "Prices": ["1 GBP"]});
            let key = |n| json!({"AccountId": "acme", "Id": n});
            let rows: Vec<Value> = (0..size).map(row).collect();
            let keys: Vec<Value> = (0..size).map(key).collect();
            json!({"AccountPrices": rows, "DeleteAccountPrices": keys}).to_string()
        },
    },
    Operation {
        door: Door::Delta,
        name: "people",
        size: 200,
        body: |size| {
            let row = |n| json!({"UserId": n, "Email": format!("p{n}@shop.test")});
            json!({"Users": (1..=size).map(row).collect::<Vec<_>>()}).to_string()
        },
    },
    Operation {
        door: Door::Delta,
        name: "one person again and again, and removals of people",
        size: 200,
        body: |size| {
            let users: Vec<_> = (0..size).map(|n| json!({"UserId": "7", "Name": n.to_string()})).collect();
            let removed: Vec<_> = (0..size).map(|n| format!("u{n}")).collect();
            json!({"Users": users, "DeleteUsers": removed}).to_string()
        },
    },
];

/// The events of a request are 200 at most.
static OTHERS: [Operation; 7] = [
    Operation { door: Door::Feed, name: "products of a feed", size: 500, body: products },
    Operation {
        door: Door::Feed,
        name: "people of a feed",
        size: 300,
        body: |size| {
            let row = |n| json!({"UserId": format!("u{n}"), "Email": format!("p{n}@shop.test")});
            json!({"Users": (0..size).map(row).collect::<Vec<_>>()}).to_string()
        },
    },
    Operation { door: Door::OrderFile, name: "orders", size: 300, body: |size| orders(size, |n| (n, n)) },
    Operation {
        door: Door::OrderFile,
        name: "orders of one person",
        size: 300,
        body: |size| orders(size, |n| (n, 7)),
    },
    Operation {
        door: Door::OrderFile,
        name: "lines of one order",
        size: 300,
        body: |size| orders(size, |_| (1, 7)),
    },
    Operation {
        door: Door::Events,
        name: "events of one person",
        size: 100,
        body: |size| events(size, |_| 7),
    },
    Operation {
        door: Door::Events,
        name: "events of many people",
        size: 100,
        body: |size| events(size, |n| n),
    },
];

fn products(size: usize) -> String {
    let row = |n: usize| json!({"Id": n, "Sku": format!("s{n}"), "Title": n.to_string()});
    json!({"Products": (0..size).map(row).collect::<Vec<_>>()}).to_string()
}

/// Order and person of each line.
fn orders(size: usize, of: fn(usize) -> (usize, usize)) -> String {
    let row = |n| {
        let (order, person) = of(n);
        format!("o{order},u{person},p{person}@shop.test,2026-11-21 09:00:00,s{n},1,2.00,2.00\n")
    };
    let header = "OrderId,UserId,Email,DateTimeStamp,ProdCode,Quantity,UnityPrice,LinePrice\n";
    header.to_owned() + &(0..size).map(row).collect::<String>()
}

fn events(size: usize, person: fn(usize) -> usize) -> String {
    let row = |n| json!({"Name": "product_view", "UserId": format!("u{}", person(n)), "Product": "in many"});
    json!({"Events": (0..size).map(row).collect::<Vec<_>>()}).to_string()
}

fn removals(keys: &mut dyn Iterator<Item = String>) -> String {
    json!({"DeleteProducts": keys.collect::<Vec<_>>()}).to_string()
}

fn put_and_removed(size: usize) -> String {
    let products: Vec<_> = (0..size).map(|n| json!({"Id": "a", "Title": n.to_string()})).collect();
    json!({"Products": products, "DeleteProducts": vec!["a"; size]}).to_string()
}

/// Sends an input by its door, until all work that it makes has ended.
async fn send(world: &World, shop: &Shop, (door, name): (Door, &str), body: String) {
    let with_keys =
        || format!("{{\"AccessKey\": \"{}\", \"SecretKey\": \"{}\", ", shop.key, shop.secret) + &body[1..];
    match door {
        Door::Delta => {
            let reply = world.post_bytes("/api/delta", with_keys()).await;
            assert_eq!(reply.status, 200, "{}", reply.text);
            let token = reply.json()["Token"].as_str().expect("a token").to_owned();
            world.run_all_jobs().await;
            assert_eq!(world.delta_status(shop, &token).await, json!([1, null]), "{name}");
        }
        Door::Feed => {
            let url = world.feeds.serve(&format!("/sent-{name}"), [Answer::ok(body)]);
            let token = world.feed(shop, &url).await;
            world.run_all_jobs().await;
            assert_eq!(world.feed_status(shop, &token).await[0], "Complete", "{name}");
        }
        Door::OrderFile => {
            let (begin, rest) = body.split_at(body.len() / 2);
            let token = uploads::send_feed(world, shop, "orders", &[begin, rest]).await;
            world.run_all_jobs().await;
            assert_eq!(world.feed_status(shop, &token).await[0], "Complete", "{name}");
        }
        Door::Events => {
            let reply = world.post_bytes("/api/events", with_keys()).await;
            assert_eq!(reply.status, 200, "{}", reply.text);
            assert!(!reply.text.contains("Reason"), "{name}: {}", reply.text);
            world.run_all_jobs().await;
        }
    }
}

/// The steps that an input costs a shop of its own, until all has ended.
async fn steps_of(world: &World, door: Door, name: &str, body: String) -> u64 {
    let name = name.replace(|letter: char| !letter.is_ascii_alphanumeric(), "-");
    let shop = world.shop(&name).await;
    // Searches and pages follow.
    world
        .complete_feed(&shop, &format!("/{name}"), &json!({"Products": [{"Id": "in many", "Title": "T"}]}))
        .await;
    let before = world.node().store.steps();
    send(world, &shop, (door, &name), body).await;
    world.node().store.steps() - before
}

fn assert_grows(operations: &'static [Operation]) {
    on_sqlite(move |world: World| async move {
        for Operation { door, name, size, body } in operations {
            let once = steps_of(&world, *door, &format!("{name} once"), body(*size)).await;
            let twice = steps_of(&world, *door, &format!("{name} twice"), body(2 * size)).await;
            assert!(twice * 100 <= once * PERCENT, "{name}: {once} steps, with twice as much {twice}");
        }
    });
}

#[test]
fn repeated_work_of_a_delta_grows_no_faster_than_the_delta() {
    assert_grows(&DELTAS[1..5]);
}

#[test]
fn work_of_a_delta_grows_no_faster_than_the_delta() {
    assert_grows(&DELTAS[..1]);
    assert_grows(&DELTAS[5..]);
}

#[test]
fn work_of_feeds_order_files_and_events_grows_no_faster_than_they_do() {
    assert_grows(&OTHERS);
}

/// The steps of an event that names so many variants of one product, each of which a delta brought: the product is made
/// of so many changes.
async fn steps_of_variants(world: &World, size: usize) -> u64 {
    let shop = world.shop(&format!("variants-{size}")).await;
    let path = format!("/{size}");
    world.complete_feed(&shop, &path, &json!({"Products": [{"Id": "p", "Title": "T"}]})).await;
    let set: Vec<_> = (0..size).map(|n| json!({"ProductId": "p", "Id": format!("v{n}")})).collect();
    world.apply_delta(&shop, json!({"SetVariants": set})).await;
    let names: Vec<_> = (0..size).map(|n| format!("v{n}")).collect();
    let body = json!({"Events": [{"Name": "set_basket", "UserId": "u1", "Items": names}]});
    let before = world.node().store.steps();
    send(world, &shop, (Door::Events, "names of variants"), body.to_string()).await;
    world.node().store.steps() - before
}

#[test]
fn a_product_is_read_once_for_all_names_of_its_variants() {
    on_sqlite(|world: World| async move {
        let once = steps_of_variants(&world, 200).await;
        let twice = steps_of_variants(&world, 400).await;
        assert!(twice * 100 <= once * PERCENT, "{once} steps, with twice as many names {twice}");
    });
}

/// Each of many deltas costs as much as one of few, also without a feed between them.
#[test]
fn many_deltas_cost_each_what_few_do() {
    on_sqlite(|world: World| async move {
        let shop = world.shop("one").await;
        let mut spent = Vec::new();
        for round in 0..3 {
            let before = world.node().store.steps();
            for n in 0..60 {
                let sku = format!("{round} {n}");
                let product = json!({"Id": sku, "Sku": "of all", "AssociatedSkus": ["child"]});
                world.delta(&shop, json!({"Products": [product], "DeleteProducts": ["of all"]})).await;
            }
            world.run_all_jobs().await;
            spent.push(world.node().store.steps() - before);
        }
        assert!(spent[2] * 100 <= spent[0] * 130, "{spent:?}");
    });
}
