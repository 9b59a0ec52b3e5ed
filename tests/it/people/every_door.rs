//! All doors by which a person's data come in, and the treatment at each of an address in an id, of a forgotten
//! identifier in any spelling, of late or repeated rows, and of claims without the secret.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::support::events::{count_events, open_shop};
use crate::support::feed_server::Answer;
use crate::support::paths::{
    ERASURE_PATHS, PERSON_PATHS, PLUGIN_PATHS, SEARCH_PATHS, SUBMISSION_PATHS, WEBHOOK_PATHS,
};
use crate::support::plugin::start_visit;
use crate::support::residue::assert_nothing;
use crate::support::uploads;
use crate::support::world::{Shop, World, on_both_engines};

on_both_engines! {
    every_door_knows_an_address_in_an_id
    no_door_lets_a_forgotten_identifier_in
    what_comes_late_is_kept_out_by_every_door
    what_comes_again_is_kept_out_by_every_door
    what_is_claimed_without_the_secret_opens_no_door
    no_text_beside_a_person_keeps_an_address
    no_refusal_repeats_an_address
}

/// A kind of row that names a person.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Door {
    DeltaUser,
    FeedUser,
    UploadedUser,
    OrderLine,
    View,
    Order,
    LogIn,
    ToldOrder,
    ToldView,
    TrackedView,
    ZonesSeen,
}

use Door::{
    DeltaUser, FeedUser, LogIn, Order, OrderLine, ToldOrder, ToldView, TrackedView, UploadedUser, View,
    ZonesSeen,
};

/// Every door: its operation, and the identifiers by which its rows name a person.
const DOORS: [(Door, &str, &[&str]); 11] = [
    (DeltaUser, "/api/delta", &["UserId", "Email"]),
    (FeedUser, "/api/productfeed", &["UserId", "Email"]),
    (UploadedUser, "/feed-create", &["UserId", "Email"]),
    (OrderLine, "/feed-create", &["UserId", "Email", "AccountId"]),
    (View, "/api/events", &["UserId", "Email", "AccountId", "VisitorId"]),
    (Order, "/api/events", &["UserId", "Email", "AccountId"]),
    (LogIn, "/api/serverside", &["UserId", "Email", "AccountId"]),
    (ToldOrder, "/api/serverside", &["UserId", "Email", "AccountId"]),
    (ToldView, "/api/serverside", &["VisitorId"]),
    (TrackedView, "/api/track", &["VisitorId"]),
    (ZonesSeen, "/api/serverside", &["VisitorId"]),
];

/// Operations by which nothing of a person is stored that is not asked to be forgotten or returned; and those that are
/// another way to a door.
const NO_DOORS: [&[&str]; 12] = [
    // Other ways to the doors above: the same code reads them.
    &["/api/productdelta", "/feed-append", "/feed-close"],
    // The person of a request is sealed until the erasure is verified, or asked about and not stored.
    &PERSON_PATHS,
    // Questions of a page or the shop: none is stored.
    &SEARCH_PATHS,
    &["/api/product", "/api/product/why", "/api/catalogue"],
    // Data of the shop itself, where addresses are refused or sealed.
    &[
        "/api/rules",
        "/api/rules/set",
        "/api/rules/history",
        "/api/rules/undo",
        "/api/rules/preview",
        "/api/zones",
        "/api/zones/set",
        "/api/zones/history",
        "/api/zones/undo",
        "/api/zones/preview",
        "/api/account",
    ],
    &WEBHOOK_PATHS,
    // Named by random names. A reference of an erasure is no place for a person: addresses are refused.
    &SUBMISSION_PATHS,
    &ERASURE_PATHS,
    &["/api/erasure/reference"],
    // Operations of shops' plugins, which name the shop.
    &PLUGIN_PATHS,
    &["/api/plugin/signuprequest", "/api/plugin/signupstatus"],
    // The server.
    &["/health", "/ready", "/metrics"],
];

/// One row at a door: the person, the identifier, and the number of the row.
struct Sent<'s> {
    door: Door,
    field: &'s str,
    text: &'s str,
    number: &'s str,
    has_secret: bool,
}

impl<'s> Sent<'s> {
    fn new(door: Door, field: &'s str, text: &'s str, number: &'s str) -> Self {
        Self { door, field, text, number, has_secret: true }
    }

    /// Sends it; gives the answer's status.
    async fn go(&self, world: &World, shop: &Shop) -> u16 {
        let Self { door, field, text, number, .. } = *self;
        let mut user = json!({"UserId": format!("new-{number}"), "City": "Canaryville"});
        user[field] = text.into();
        let users = json!({"Users": [user]});
        match door {
            DeltaUser => self.ask(world, shop, "/api/delta", users).await,
            FeedUser => {
                let url = world.feeds.serve(&format!("/users-{number}"), [Answer::ok(users.to_string())]);
                self.ask(world, shop, "/api/productfeed", json!({"url": url})).await
            }
            UploadedUser => self.upload(world, shop, &format!("user-{number}"), &users.to_string()).await,
            OrderLine => {
                let columns = ["UserId", "Email", "AccountId"].map(|column| {
                    if column == field { format!("\"{}\"", text.replace('"', "\"\"")) } else { String::new() }
                });
                let file = format!(
                    "OrderID,UserId,Email,AccountId,DateTime,ProdCode\no-{number},{},2026-11-01 10:00:00,p1\n",
                    columns.join(",")
                );
                self.upload(world, shop, &format!("orders-{number}"), &file).await
            }
            View => self.event(world, shop, json!({"Name": "product_view", "Product": "p1"})).await,
            Order => {
                let order = json!({"Name": "order", "Order": format!("e-{number}"), "Items": ["p1"]});
                self.event(world, shop, order).await
            }
            LogIn => {
                self.call_plugin(world, shop, json!({"name": "customer_details", "data": self.customer()}))
                    .await
            }
            ToldOrder => {
                let mut data = self.customer();
                let order =
                    json!({"orderid": format!("s-{number}"), "productcount": 1, "id1": "p1", "qty1": "1"});
                order.as_object().into_iter().flatten().for_each(|(name, value)| data[name] = value.clone());
                self.call_plugin(world, shop, json!({"name": "order_track", "data": data})).await
            }
            ToldView => {
                self.call_plugin(world, shop, json!({"name": "product_view", "data": {"id": "p1"}})).await
            }
            ZonesSeen => self.call_plugin(world, shop, json!({"name": "page_view", "data": []})).await,
            TrackedView => {
                let mut query = url::form_urlencoded::Serializer::new(String::new());
                query.append_pair("appid", &shop.key).append_pair("visitorid", text);
                let query = query.append_pair("evt", "product_view").append_pair("id", "p1").finish();
                world.send(world.request("GET", &format!("/api/track?{query}"))).await.status
            }
        }
    }

    fn customer(&self) -> Value {
        let name = match self.field {
            "UserId" => "userid",
            "Email" => "email",
            _ => "accid",
        };
        json!({name: self.text})
    }

    async fn ask(&self, world: &World, shop: &Shop, path: &str, mut body: Value) -> u16 {
        if self.has_secret {
            return world.ask(shop, path, body).await.status;
        }
        body["AccessKey"] = shop.key.as_str().into();
        world.post(path, &body).await.status
    }

    async fn event(&self, world: &World, shop: &Shop, mut event: Value) -> u16 {
        event[self.field] = self.text.into();
        let body = json!({"Events": [event], "IdempotencyKey": format!("{:?}-{}", self.door, self.number)});
        self.ask(world, shop, "/api/events", body).await
    }

    /// A call of a plugin, from a browser of its own.
    async fn call_plugin(&self, world: &World, shop: &Shop, event: Value) -> u16 {
        let browser =
            if self.field == "VisitorId" { self.text.to_owned() } else { start_visit(world, shop).await };
        let body = json!({"visitorId": browser, "events": [event], "zones": ["HP-01"], "viewed": ["p1"]});
        self.ask(world, shop, "/api/serverside", body).await
    }

    async fn upload(&self, world: &World, shop: &Shop, name: &str, text: &str) -> u16 {
        if self.has_secret {
            uploads::send_feed(world, shop, name, &[text, ""]).await;
            return 200;
        }
        let anybody = Shop { secret: String::new(), ..shop.clone() };
        uploads::post_piece(world, &anybody, "/feed-create", name, Some(text.as_bytes())).await.status
    }
}

/// Everything of the table: each door with each identifier, and a number.
fn all_doors() -> impl Iterator<Item = (Door, &'static str, String)> {
    let of = |(door, _, fields): &'static (Door, &str, &'static [&'static str])| {
        fields.iter().map(move |field| (*door, *field, format!("{door:?}-{field}")))
    };
    DOORS.iter().flat_map(of)
}

async fn ask_held(world: &World, shop: &Shop, identifier: &str) -> Value {
    world.ask_json(shop, "/api/user/held", json!({"Identifier": identifier})).await["Subjects"].clone()
}

async fn assert_nobody(world: &World, shop: &Shop, why: &str) {
    world.run_all_jobs().await;
    lethe::api::events::impressions::store_all(world.node()).await;
    assert_eq!((world.subjects(shop).await, count_events(world).await), (0, 0), "{why}");
}

/// Ids that hold an address, in different forms.
const IN_IDS: [&str; 5] = [
    "NAME@people.test",
    "NAME%40people.test#7",
    "N: NAME@people.test",
    "7#NAME@people.test",
    "NAME@people.test,NAME@PEOPLE.test",
];

async fn every_door_knows_an_address_in_an_id(world: World) {
    let shop = open_shop(&world, 2).await;
    for name in ["eve.canary", "ada.canary"] {
        let texts = IN_IDS.map(|text| text.replace("NAME", name));
        if name == "ada.canary" {
            world.forget(&shop, "ada.canary@people.test").await;
            world.run_all_jobs().await;
        }
        for (door, field, number) in all_doors().filter(|(_, field, _)| *field != "Email") {
            for (n, text) in texts.iter().enumerate() {
                let number = format!("{}-{number}-{n}", &name[..1]);
                assert_eq!(
                    Sent::new(door, field, text, &number).go(&world, &shop).await,
                    200,
                    "{door:?} {text}"
                );
            }
        }
        if name == "ada.canary" {
            assert_nobody(&world, &shop, "a forgotten address in an id").await;
            continue;
        }
        world.run_all_jobs().await;
        // For each text one person by its user id, one company, and no browser.
        let people = 2 * texts.len();
        assert_eq!(ask_held(&world, &shop, "eve.canary@people.test").await, people);
        assert_eq!(world.subjects(&shop).await, people as u64);
        world.forget(&shop, "Eve.Canary@people.test").await;
        assert_nobody(&world, &shop, "a forget of the address finds them").await;
    }
    assert_nothing(&world, &["eve.canary", "ada.canary", "Canaryville"]).await;
}

async fn no_door_lets_a_forgotten_identifier_in(world: World) {
    let shop = open_shop(&world, 2).await;
    let browser = start_visit(&world, &shop).await;
    let own = format!("visitor:{browser}");
    for identifier in ["ada.canary@people.test", "userid:ada-77", "accid:firm-77", &own] {
        world.forget(&shop, identifier).await;
    }
    world.run_all_jobs().await;
    for (door, field, number) in all_doors() {
        let padded = format!(" {browser} ");
        let texts: &[&str] = match field {
            "UserId" => &["ada-77", " ada-77\u{a0}"],
            "AccountId" => &["firm-77", " firm-77 "],
            "VisitorId" => &[&browser, &padded],
            _ => &[
                "ADA.canary@people.test",
                "ada.canary%40people.test",
                "Ada <ada.canary@people.test>",
                "ada.canary＠people.test.",
            ],
        };
        for (n, text) in texts.iter().enumerate() {
            let number = format!("{number}-{n}");
            assert_eq!(Sent::new(door, field, text, &number).go(&world, &shop).await, 200, "{door:?} {text}");
        }
    }
    assert_nobody(&world, &shop, "forgotten").await;
    assert_nothing(&world, &["ada.canary", "Canaryville"]).await;
}

/// The identifiers of one person for each door.
fn one_of(field: &str, browser: &str) -> (String, String) {
    match field {
        "UserId" => ("ada-77".to_owned(), "userid:ada-77".to_owned()),
        "AccountId" => ("firm-77".to_owned(), "accid:firm-77".to_owned()),
        "VisitorId" => (browser.to_owned(), format!("visitor:{browser}")),
        _ => ("ada.canary@people.test".to_owned(), "ada.canary@people.test".to_owned()),
    }
}

async fn what_comes_late_is_kept_out_by_every_door(world: World) {
    let shop = open_shop(&world, 2).await;
    let browser = start_visit(&world, &shop).await;
    // Rows that wait while a person is forgotten, and rows sent then about earlier events.
    for (door, field, number) in all_doors() {
        let (text, _) = one_of(field, &browser);
        Sent::new(door, field, &text, &number).go(&world, &shop).await;
    }
    let before = world.clock.now();
    for field in ["UserId", "AccountId", "VisitorId", "Email"] {
        world.forget(&shop, &one_of(field, &browser).1).await;
    }
    assert_nobody(&world, &shop, "what waited").await;
    for (_, field, _) in all_doors().filter(|(door, ..)| *door == View) {
        let event = json!({"Name": "product_view", "Product": "p1", "At": before - 1000, field: one_of(field, &browser).0});
        world.ask_json(&shop, "/api/events", json!({"Events": [event]})).await;
    }
    assert_nobody(&world, &shop, "what was done before").await;
    assert_nothing(&world, &["ada.canary", "Canaryville"]).await;
}

async fn what_comes_again_is_kept_out_by_every_door(world: World) {
    let shop = open_shop(&world, 2).await;
    let browser = start_visit(&world, &shop).await;
    for round in 0..2 {
        for (door, field, number) in all_doors() {
            let (text, _) = one_of(field, &browser);
            assert_eq!(
                Sent::new(door, field, &text, &number).go(&world, &shop).await,
                200,
                "{door:?} {field}"
            );
        }
        if round == 1 {
            break;
        }
        world.run_all_jobs().await;
        // A user, a guest of orders and events, the users whose rows named the address, a company and a browser.
        assert!(world.subjects(&shop).await >= 4);
        for field in ["UserId", "AccountId", "VisitorId", "Email"] {
            world.forget(&shop, &one_of(field, &browser).1).await;
        }
        assert_nobody(&world, &shop, "forgotten").await;
    }
    assert_nobody(&world, &shop, "sent again").await;
}

async fn what_is_claimed_without_the_secret_opens_no_door(world: World) {
    let shop = open_shop(&world, 2).await;
    for (door, field, number) in all_doors() {
        // A number that was not issued here.
        let (text, _) = one_of(field, "number-of-nobody");
        let sent = Sent { has_secret: false, ..Sent::new(door, field, &text, &number) };
        let status = sent.go(&world, &shop).await;
        let is_page = matches!(door, LogIn | ToldOrder | ToldView | TrackedView | ZonesSeen);
        assert_eq!(status == 200, is_page, "{door:?} {field}: {status}");
    }
    assert_nobody(&world, &shop, "claimed").await;
}

async fn no_text_beside_a_person_keeps_an_address(world: World) {
    let shop = open_shop(&world, 2).await;
    let events = |of: &dyn Fn(&str) -> Value| json!({"Events": [of("z.canary%40people%2Etest.X.Y"), of("z.H.X.canary%2540people.test")]});
    let click = |source: &str| json!({"Name": "item_click", "Product": "p1", "RefId": source, "UserId": "7"});
    let answer = world.ask_json(&shop, "/api/events", events(&click)).await;
    assert_eq!(answer["Accepted"], 0, "{answer}");
    let line = |source: &str| {
        json!({"name": "order_track", "data": {"orderid": "canary@people.test", "userid": "7",
        "productcount": 1, "id1": "canary@people.test", "qty1": "1", "refid1": source}})
    };
    let told = json!({"events": [line("z.canary@people.test.X.Y")], "visitorId": ""});
    world.ask_json(&shop, "/api/serverside", told).await;
    let export = world.ask_json(&shop, "/api/user/export", json!({"Identifier": "7"})).await;
    assert!(export["Orders"][0].is_object() && !export.to_string().contains("canary"), "{export}");
}

async fn no_refusal_repeats_an_address(world: World) {
    let shop = open_shop(&world, 1).await;
    const NAME: &str = "canary@people.test";
    let filters = json!({"Filters": {NAME: ["x"]}, "Facets": [NAME], "Sort": NAME});
    let campaign =
        json!({"Campaigns": [{"Id": "a", "Zone": "HP-01", "ProductsShown": {"Filters": {NAME: ["x"]}}}]});
    let member = json!({"Campaigns": [{"Id": "a", "Zone": "HP-01", NAME: 1}]});
    for (path, body) in [
        ("/api/search", filters.clone()),
        ("/api/recommend", filters.clone()),
        ("/api/similar", filters),
        ("/api/search", json!({"Sort": NAME})),
        ("/api/search", json!({"Facets": [NAME]})),
        ("/api/zones/set", campaign),
        ("/api/zones/set", member),
        ("/api/rules/set", json!({"Rules": [{"Id": "a", NAME: 1}]})),
        ("/api/report", json!({"Report": NAME})),
        ("/api/product", json!({"Id": "1", "Section": NAME})),
    ] {
        let reply = world.ask(&shop, path, body).await;
        assert!(
            reply.status >= 400 && !reply.text.contains("canary"),
            "{path}: {} {}",
            reply.status,
            reply.text
        );
    }
}

#[test]
fn every_operation_is_a_door_or_says_why_not() {
    let document = serde_json::to_value(lethe::api::documented::openapi()).expect("a document");
    let known: BTreeSet<&str> = DOORS.iter().map(|(_, path, _)| *path).chain(NO_DOORS.concat()).collect();
    let paths = document["paths"].as_object().expect("paths").keys();
    let unknown: Vec<_> = paths.filter(|path| !known.contains(path.as_str())).collect();
    assert_eq!(unknown, ["/"], "is anything of a person stored by these?");
}

#[test]
fn every_kind_of_records_has_a_door() {
    let of = |door| match door {
        DeltaUser | FeedUser | UploadedUser => "profile",
        OrderLine | Order | ToldOrder => "order",
        View | ToldView | TrackedView | ZonesSeen => "event",
        LogIn => "log-in",
    };
    let known: BTreeSet<&str> = DOORS.iter().map(|(door, ..)| of(*door)).collect();
    let kinds: BTreeSet<&str> = lethe::people::record_kind::KINDS.iter().map(|kind| kind.name()).collect();
    assert_eq!(known, kinds);
}
