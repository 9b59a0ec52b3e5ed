//! The edges of every page of the console, as a table: asked again, with nothing there, two at once, by those whom it
//! is not for, and with a store that fails and is mended.

use std::collections::BTreeSet;

use serde_json::json;

use crate::support::console::{Browser, NO_LINES, PASSWORD, link_path};
use crate::support::feed_server::Answer;
use crate::support::operations::{PAUSE, set_lists};
use crate::support::statements::take_failed;
use crate::support::tables::rename_tables;
use crate::support::world::{Reply, Shop, World, on_both_engines, on_sqlite};

on_both_engines! {
    every_page_ends_as_its_row_says_again_and_in_an_empty_shop
    every_page_of_the_server_is_there_before_anything_else_is
    every_page_is_there_when_a_spreadsheet_is_asked_for
    every_page_answers_two_who_ask_at_once
    every_page_of_an_unknown_thing_or_shop_says_so
    every_page_is_for_its_operators_alone
}

/// Operators whom a page is for.
#[derive(Clone, Copy, PartialEq)]
enum Who {
    /// Clients without a session too.
    Everybody,
    Operators,
    Owners,
    /// Operators of the shop of the address; the rows are asked by an owner.
    OfShop,
}

/// Answer of a row when all is well.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Kind {
    Page,
    /// A download, or a stream of parts of a page.
    File,
    /// A form: leads to a page, or is the page again with a fault.
    Form,
}

/// A page or a form and the statuses with which it ends.
#[derive(Clone, Copy)]
struct Row {
    kind: Kind,
    /// As the route table has it.
    route: &'static str,
    /// As it is asked for: the names in it stand for things of [`Held`].
    path: &'static str,
    fields: &'static [(&'static str, &'static str)],
    /// In a shop that has something of everything.
    filled: u16,
    /// The same once more.
    again: u16,
    /// In a shop, or on a server, that has nothing.
    empty: u16,
}

const fn row(kind: Kind, route: &'static str, [filled, again, empty]: [u16; 3]) -> Row {
    Row { kind, route, path: route, fields: &[], filled, again, empty }
}

const fn page(route: &'static str, statuses: [u16; 3]) -> Row {
    row(Kind::Page, route, statuses)
}

const fn file(route: &'static str, statuses: [u16; 3]) -> Row {
    row(Kind::File, route, statuses)
}

const fn form(
    route: &'static str,
    fields: &'static [(&'static str, &'static str)],
    statuses: [u16; 3],
) -> Row {
    Row { fields, ..row(Kind::Form, route, statuses) }
}

impl Row {
    /// The same at an address that says more than the route.
    const fn at(self, path: &'static str) -> Self {
        Self { path, ..self }
    }

    const fn method(&self) -> &'static str {
        match self.kind {
            Kind::Page | Kind::File => "GET",
            Kind::Form => "POST",
        }
    }

    /// True if the address names a thing besides the shop.
    fn names_thing(&self) -> bool {
        self.path.replace("{shop}", "").contains('{')
    }
}

/// Routes without a row, and where their edges are tested instead: they need a sign-in that waits for its code.
const OTHERS: [(&str, &str, &str); 2] =
    [("GET", "/sign-in/code", "console::two_factor"), ("POST", "/sign-in/code", "console::two_factor")];

/// Pages that need no store.
const WITHOUT_STORE: [(&str, &str); 2] = [("GET", "/sign-in"), ("GET", "/files/{name}")];

const SIGNING_IN: &[Row] = &[
    page("/sign-in", [200; 3]),
    form("/sign-in", &[("name", "nobody"), ("password", "not a password")], [401; 3]),
    page("/link/{link}", [200, 200, 404]),
    form("/link/{link}", &[("password", PASSWORD), ("again", "another one")], [422, 422, 404]),
    form("/link/{link}", &[("password", PASSWORD), ("again", PASSWORD)], [303, 404, 404]),
    file("/files/{name}", [200, 200, 404]),
];

const OF_OPERATORS: &[Row] = &[
    page("/", [200; 3]),
    page("/places", [200; 3]),
    page("/places", [200; 3]).at("/places?fate=erase"),
    page("/help/{book}", [200, 200, 404]),
    page("/help/{book}/{code}", [200, 200, 404]),
    page("/me", [200; 3]),
    page("/me", [200; 3]).at("/me?changed=yes"),
    form("/me", &[("do", "leave")], [303; 3]),
    form("/language", &[("language", "en"), ("to", "/places")], [303; 3]),
];

const OF_OWNERS: &[Row] = &[
    page("/health", [200; 3]),
    page("/operators", [200; 3]),
    form("/operators", &[("name", "Another"), ("role", "owner")], [303, 409, 303]),
    page("/operators/{number}", [200, 200, 404]),
    form("/operators/{number}", &[("do", "disable")], [303, 303, 404]),
    page("/acts", [200; 3]),
    page("/acts", [400; 3]).at("/acts?before=x"),
    page("/backups", [200; 3]),
    form("/backups", &[("target", "no/absolute/path")], [422; 3]),
    file("/backups/live", [200; 3]),
    page("/new-shop", [200; 3]),
    form("/new-shop", &[("name", "another")], [303, 409, 303]),
];

const OF_SHOP: &[Row] = &[
    page("/shops/{shop}", [200; 3]),
    page("/shops/{shop}", [200; 3]).at("/shops/{shop}?count=now"),
    file("/shops/{shop}/figures/live", [200; 3]),
    page("/shops/{shop}/settings", [200; 3]),
    form(
        "/shops/{shop}/settings",
        &[("do", "about"), ("display_name", "Oak"), ("contact", "privacy@oak.example"), ("language", "en")],
        [303; 3],
    ),
    form("/shops/{shop}/settings", &[("do", "webhook"), ("url", "https://hooks.example/lethe")], [303; 3]),
    form("/shops/{shop}/settings", &[("do", "webhook-test")], [303; 3]),
    form("/shops/{shop}/settings", &[("do", "webhook-rotate")], [303; 3]),
    form("/shops/{shop}/settings", &[("do", "webhook-remove")], [303, 404, 303]),
    page("/shops/{shop}/people", [200; 3]),
    form("/shops/{shop}/people", &[("identifier", "userid:ada")], [303; 3]),
    page("/shops/{shop}/people/{handle}", [200, 200, 404]),
    page("/shops/{shop}/people/{handle}/export", [200, 200, 404]),
    file("/shops/{shop}/people/{handle}/export", [200, 200, 404])
        .at("/shops/{shop}/people/{handle}/export?json"),
    form("/shops/{shop}/people/{handle}/look", &[], [303, 303, 404]),
    page("/shops/{shop}/erasures", [200; 3]),
    page("/shops/{shop}/erasures", [200; 3]).at("/shops/{shop}/erasures?state=overdue"),
    page("/shops/{shop}/erasures/{id}", [200, 200, 404]),
    file("/shops/{shop}/erasures/{id}/live", [200, 200, 404]),
    form("/shops/{shop}/erasures/{id}/look", &[("identifier", "userid:cy")], [303, 303, 404]),
    form("/shops/{shop}/erasures/{id}/reference", &[("reference", "DSR-1")], [303, 303, 404]),
    page("/shops/{shop}/erasures", [200; 3]).at("/shops/{shop}/erasures?reference=DSR"),
    page("/shops/{shop}/erasures/{id}/certificate", [200, 200, 404]),
    file("/shops/{shop}/erasures/{id}/certificate", [200, 200, 404])
        .at("/shops/{shop}/erasures/{id}/certificate?file"),
    page("/shops/{shop}/erasures/{id}/letter", [200, 200, 404]),
    file("/shops/{shop}/erasures/{id}/letter", [200, 200, 404]).at("/shops/{shop}/erasures/{id}/letter?file"),
    page("/shops/{shop}/ledger", [200; 3]),
    file("/shops/{shop}/ledger/{file}", [200; 3]),
    file("/shops/{shop}/ledger/{file}", [200; 3]).at("/shops/{shop}/ledger/checkpoint.json"),
    file("/shops/{shop}/ledger/{file}", [200; 3]).at("/shops/{shop}/ledger/key.txt"),
    // Ends the addresses of people of the shop.
    form("/shops/{shop}/people/{handle}/forget", &[("confirmation", "userid:ada")], [303, 404, 404]),
];

/// The form with a file.
const UPLOAD: &str = "/shops/{shop}/imports/upload";

const OF_THE_CATALOGUE: &[Row] = &[
    page("/shops/{shop}/imports", [200; 3]),
    page("/shops/{shop}/imports", [200; 3]).at("/shops/{shop}/imports?kind=feed&state=complete"),
    form("/shops/{shop}/imports/back", &[("earlier", "Products/1")], [422; 3]),
    form("/shops/{shop}/imports/back", &[("earlier", "Products/999"), ("sure", "yes")], [404; 3]),
    form("/shops/{shop}/imports/back", &[("earlier", "Products/{list}"), ("sure", "yes")], [303, 303, 404]),
    page("/shops/{shop}/imports/{token}", [200, 200, 404]),
    file("/shops/{shop}/imports/{token}/live", [200, 200, 404]),
    page("/shops/{shop}/imports/{token}/issues", [200, 200, 404]),
    page("/shops/{shop}/imports/{token}/issues", [200, 200, 404])
        .at("/shops/{shop}/imports/{token}/issues?severity=warning"),
    file("/shops/{shop}/imports/{token}/issues.csv", [200, 200, 404]),
    form("/shops/{shop}/imports/{token}/cancel", &[], [422, 422, 404]),
    form("/shops/{shop}/imports/{token}/cancel", &[("sure", "yes")], [303, 303, 404]),
    form("/shops/{shop}/imports/{token}/publish", &[], [303, 303, 404])
        .at("/shops/{shop}/imports/{checked}/publish"),
    form(UPLOAD, &[("file", r#"{"Products": [{"Id": "1", "Title": "lamp 1"}]}"#)], [303; 3]),
    form(UPLOAD, &[("file", "<html>")], [422; 3]),
    page("/shops/{shop}/deltas", [200; 3]),
    page("/shops/{shop}/deltas", [200; 3]).at("/shops/{shop}/deltas?state=failed"),
    file("/shops/{shop}/refused.csv", [200; 3]),
    page("/shops/{shop}/catalogue", [200; 3]),
    page("/shops/{shop}/catalogue", [200; 3]).at("/shops/{shop}/catalogue?section=Brands"),
    page("/shops/{shop}/catalogue", [303, 303, 404]).at("/shops/{shop}/catalogue?find=1"),
    page("/shops/{shop}/catalogue/{*id}", [200, 200, 404]),
];

const RULES: &str = r#"[{"Id": "r9", "Query": "lamp", "Pin": ["1"]}]"#;
const CAMPAIGNS: &str = r#"[{"Id": "c9", "Zone": "HP-01", "Html": "<p>oak</p>"}]"#;

const OF_SELLING: &[Row] = &[
    page("/shops/{shop}/search", [200; 3]),
    page("/shops/{shop}/search", [200; 3]).at("/shops/{shop}/search?q=lamp"),
    page("/shops/{shop}/search", [200; 3]).at("/shops/{shop}/search?q=lamp&compare=rules&id=1"),
    page("/shops/{shop}/search", [200; 3]).at("/shops/{shop}/search?q=lamp&brand=Oak&category=none"),
    page("/shops/{shop}/recommendations", [200; 3]),
    page("/shops/{shop}/recommendations", [200; 3])
        .at("/shops/{shop}/recommendations?recommender=new_arrivals"),
    page("/shops/{shop}/recommendations", [200, 200, 404]).at("/shops/{shop}/recommendations?product=1"),
    page("/shops/{shop}/rules", [200; 3]),
    page("/shops/{shop}/rules", [200, 200, 404]).at("/shops/{shop}/rules?version=1"),
    page("/shops/{shop}/rules/edit", [200; 3]),
    page("/shops/{shop}/rules/edit", [200; 3]).at("/shops/{shop}/rules/edit?query=lamp&pin=1"),
    page("/shops/{shop}/rules/edit", [404; 3]).at("/shops/{shop}/rules/edit?id=none"),
    form("/shops/{shop}/rules/edit", &[("do", "add:pin:1"), ("query", "lamp")], [303; 3]),
    form("/shops/{shop}/rules/edit", &[("do", "publish"), ("priority", "high")], [422; 3]),
    form(
        "/shops/{shop}/rules/edit",
        &[("do", "publish"), ("query", "lamp"), ("pin", "1"), ("before", "99")],
        [409; 3],
    ),
    form("/shops/{shop}/rules/edit", &[("do", "delete"), ("id", "r3")], [422; 3]),
    form("/shops/{shop}/rules", &[("do", "set"), ("list", "[")], [422; 3]),
    form("/shops/{shop}/rules", &[("do", "try"), ("list", RULES)], [303; 3]),
    form("/shops/{shop}/rules", &[("do", "set"), ("list", RULES), ("before", "3")], [303, 409, 409]),
    form("/shops/{shop}/rules/undo", &[("version", "1")], [303, 303, 404]),
    form("/shops/{shop}/synonyms", &[("lines", "couch, sofa"), ("before", NO_LINES)], [303, 409, 303]),
    form(
        "/shops/{shop}/synonyms",
        &[("kind", "same"), ("words", "a"), ("target", ""), ("do", "add")],
        [303; 3],
    ),
    page("/shops/{shop}/zones", [200; 3]),
    page("/shops/{shop}/zones", [200; 3]).at("/shops/{shop}/zones?zone=HP-01"),
    page("/shops/{shop}/zones", [200; 3]).at("/shops/{shop}/zones?zone=PP-01&product=none&category=none"),
    page("/shops/{shop}/zones", [200, 200, 404]).at("/shops/{shop}/zones?version=1"),
    form("/shops/{shop}/zones", &[("do", "set"), ("list", "[")], [422; 3]),
    form("/shops/{shop}/zones", &[("do", "try"), ("list", CAMPAIGNS)], [303; 3]),
    form("/shops/{shop}/zones", &[("do", "set"), ("list", CAMPAIGNS), ("before", "3")], [303, 409, 409]),
    form("/shops/{shop}/zones", &[("do", "up:c9"), ("before", "99")], [409; 3]),
    form("/shops/{shop}/zones/undo", &[("version", "1")], [303, 303, 404]),
    page("/shops/{shop}/zones/edit", [200; 3]),
    page("/shops/{shop}/zones/edit", [200; 3]).at("/shops/{shop}/zones/edit?zone=PP-01"),
    page("/shops/{shop}/zones/edit", [404; 3]).at("/shops/{shop}/zones/edit?id=none"),
    form("/shops/{shop}/zones/edit", &[("do", "add:products:1"), ("zone", "PP-01")], [303; 3]),
    form("/shops/{shop}/zones/edit", &[("do", "publish"), ("shows", "products"), ("size", "many")], [422; 3]),
    form(
        "/shops/{shop}/zones/edit",
        &[("do", "publish"), ("zone", "HP-01"), ("shows", "html"), ("before", "99")],
        [409; 3],
    ),
    form("/shops/{shop}/zones/edit", &[("do", "delete"), ("id", "c1")], [422; 3]),
    page("/shops/{shop}/reports", [200; 3]),
    page("/shops/{shop}/reports", [200; 3]).at("/shops/{shop}/reports?about=days&days=7"),
    page("/shops/{shop}/reports", [200; 3]).at("/shops/{shop}/reports?about=search"),
    page("/shops/{shop}/reports", [200; 3]).at("/shops/{shop}/reports?about=missed"),
    page("/shops/{shop}/reports", [200; 3]).at("/shops/{shop}/reports?about=products"),
    page("/shops/{shop}/reports", [200; 3]).at("/shops/{shop}/reports?about=quality"),
    page("/shops/{shop}/reports", [200; 3]).at("/shops/{shop}/reports?about=days"),
    page("/shops/{shop}/reports", [200; 3]).at("/shops/{shop}/reports?about=catalogue"),
    file("/shops/{shop}/reports.csv", [200; 3]),
];

/// The last row, as it ends the session of the others.
const SIGNING_OUT: &[Row] = &[form("/sign-out", &[], [303; 3])];

const TABLE: [(Who, &[Row]); 7] = [
    (Who::Everybody, SIGNING_IN),
    (Who::Operators, OF_OPERATORS),
    (Who::Owners, OF_OWNERS),
    (Who::OfShop, OF_SHOP),
    (Who::OfShop, OF_THE_CATALOGUE),
    (Who::OfShop, OF_SELLING),
    (Who::Operators, SIGNING_OUT),
];

fn all_rows() -> impl Iterator<Item = (Who, &'static Row)> {
    TABLE.into_iter().flat_map(|(who, rows)| rows.iter().map(move |row| (who, row)))
}

/// The names in addresses and fields, each with the thing that it stands for.
struct Held(Vec<(&'static str, String)>);

impl Held {
    /// Ids that no thing has.
    fn unknown() -> Self {
        const NAMES: [&str; 12] = [
            "{*id}",
            "{book}",
            "{checked}",
            "{code}",
            "{file}",
            "{handle}",
            "{id}",
            "{link}",
            "{list}",
            "{name}",
            "{number}",
            "{token}",
        ];
        Self(NAMES.map(|name| (name, "nothing".to_owned())).into())
    }

    fn fill_in(&self, text: &str, shop: &str) -> String {
        let begin = text.replace("{shop}", shop);
        self.0.iter().fold(begin, |text, (name, thing)| text.replace(name, thing))
    }
}

/// The browser of an operator, with the token of its forms.
struct Desk<'w> {
    world: &'w World,
    browser: Browser<'w>,
    token: String,
}

impl<'w> Desk<'w> {
    async fn open(world: &'w World, name: &str, role: &str, shops: &[&Shop]) -> Self {
        let browser = Browser::sign_in_as(world, name, role, shops).await;
        let token = browser.form_token().await;
        Self { world, browser, token }
    }

    async fn open_as_owner(world: &'w World) -> Self {
        Self::open(world, "Owner", "owner", &[]).await
    }

    fn without_session(world: &'w World) -> Self {
        Self { world, browser: Browser::new(world), token: String::new() }
    }

    /// Asks for a row's page, or sends its form, a while after the request before.
    async fn ask(&self, row: &Row, held: &Held, shop: &str) -> Reply {
        self.world.clock.advance(PAUSE);
        let path = held.fill_in(row.path, shop);
        if row.kind != Kind::Form {
            return self.browser.get(&path).await;
        }
        let filled: Vec<_> =
            row.fields.iter().map(|(name, value)| (*name, held.fill_in(value, shop))).collect();
        let mut fields = vec![("form_token", self.token.as_str())];
        if row.route == UPLOAD {
            return self.browser.send_file(&path, &fields, ("feed.json", filled[0].1.as_bytes())).await;
        }
        fields.extend(filled.iter().map(|(name, value)| (*name, value.as_str())));
        self.browser.send(&path, &fields).await
    }
}

/// Fills a shop: products, people, a checked feed, deltas, an erasure, an event, a refusal, rules and campaigns; and
/// adds an operator who has no password yet.
async fn fill(world: &World, desk: &Desk<'_>, shop: &Shop) -> Held {
    let product = |id: usize| {
        let price = format!("{id}.00 GBP");
        json!({"Id": id.to_string(), "Title": format!("lamp {id}"), "Prices": [price]})
    };
    let products: Vec<_> = (1..=9).map(product).collect();
    let users = json!([{"UserId": "ada", "Email": "ada@shop.example"}, {"UserId": "bea"}, {"UserId": "cy"}]);
    let brands = json!([{"Id": "oak", "DisplayName": "Oak & Sons", "Link": "/oak"}]);
    let body = json!({"Products": products, "Brands": brands, "Users": users}).to_string();
    let url = world.feeds.serve("/edges", [Answer::ok(body.clone())]);
    let token = world.feed(shop, &url).await;
    world.run_all_jobs().await;
    world.delta(shop, json!({"Products": [product(1)]})).await;
    world.delta(shop, json!({"Products": [{"Title": "no id"}]})).await;
    let again = world.feeds.serve("/edges-checked", [Answer::ok(body)]);
    let checked = world.ask(shop, "/api/productfeed", json!({"url": again, "DryRun": true})).await;
    let order =
        json!({"Name": "order", "Order": "77", "UserId": "bea", "Items": [{"Product": "1", "Quantity": 1}]});
    world.ask_json(shop, "/api/events", json!({"Events": [order]})).await;
    world.ask(shop, "/api/issues", json!({"Token": "nothing"})).await.expect_refusal(404);
    let erased = world.ask(shop, "/api/user/forget", json!({"Identifier": "userid:cy"})).await;
    world.run_all_jobs().await;
    set_lists(world, shop).await;
    let list = world.ask_json(shop, "/api/submissions", json!({"Token": token})).await[0]["Number"].clone();
    let person = desk.browser.find(shop, "userid:ada").await;
    let pending = json!({"Name": "Pending", "Role": "viewer", "Shops": [shop.name]});
    let pending = world.control("/control/operator/add", pending).await;
    Held(vec![
        ("{*id}", "1".to_owned()),
        ("{book}", "errors".to_owned()),
        ("{checked}", checked.header("x-feed-token").to_owned()),
        ("{code}", "feed_stopped".to_owned()),
        ("{file}", "entries.jsonl".to_owned()),
        ("{handle}", person.rsplit('/').next().expect("a handle").to_owned()),
        ("{id}", erased.header("x-erasure-id").to_owned()),
        ("{link}", link_path(&pending["Link"]).trim_start_matches("/link/").to_owned()),
        ("{list}", list.to_string()),
        ("{name}", "style.css".to_owned()),
        ("{number}", pending["Number"].as_str().expect("a number").to_owned()),
        ("{token}", token),
    ])
}

/// Returns true if a value that is not there stands on a page: `None`, and not the first word of a sentence.
fn shows_none(page: &str) -> bool {
    page.match_indices("None").any(|(at, none)| {
        let rest = &page[at + none.len()..];
        let is_part = page[..at].ends_with(char::is_alphanumeric) || rest.starts_with(char::is_alphanumeric);
        let next = rest.strip_prefix(' ').and_then(|rest| rest.chars().next());
        !is_part && !next.is_some_and(|letter| letter.is_ascii_lowercase())
    })
}

/// Reason why an answer is not what an operator can read, or take away as a file.
fn find_fault(kind: Kind, reply: &Reply) -> Option<&'static str> {
    const NOT_RENDERED: [&str; 3] = ["{{", "{%", "Some("];
    if reply.status == 303 {
        return reply.header("location").is_empty().then_some("it leads nowhere");
    }
    let is_page = reply.header("content-type").starts_with("text/html");
    if kind == Kind::File && reply.status == 200 {
        return (is_page || reply.text.is_empty()).then_some("it is no file");
    }
    if !is_page {
        Some("it is no page")
    } else if !reply.text.trim_end().ends_with("</html>") {
        Some("the page breaks off")
    } else if NOT_RENDERED.iter().any(|sign| reply.text.contains(sign)) || shows_none(&reply.text) {
        Some("a value or a template stands there as it is written in code")
    } else {
        None
    }
}

/// Notes an answer with another status than those expected, or that cannot be read.
fn note_faults(faults: &mut Vec<String>, row: &Row, reply: &Reply, expected: &[u16]) {
    let mut note = |fault: &str| {
        let main = reply.text.split("<main").nth(1).unwrap_or(&reply.text);
        let text: String = main.chars().take(300).collect();
        faults.push(format!("{} {} {}: {fault}: {text}", row.method(), row.path, reply.status));
    };
    if !expected.contains(&reply.status) {
        note(&format!("none of {expected:?}"));
    }
    if let Some(fault) = find_fault(row.kind, reply) {
        note(fault);
    }
}

/// The methods and paths of the console's route table.
fn list_routes() -> BTreeSet<(&'static str, &'static str)> {
    const SOURCE: &str = include_str!("../../../src/console/routes.rs");
    let mut routes = BTreeSet::new();
    for part in SOURCE.split(".route(").skip(1) {
        let path = part.trim_start().strip_prefix('"').and_then(|rest| rest.split_once('"'));
        let (path, rest) = path.expect("a path");
        let methods = rest.split("\n}").next().unwrap_or_default();
        let calls = [("GET", "get("), ("POST", "post(")];
        let all = calls.into_iter().filter(|(_, call)| methods.contains(call));
        let before = routes.len();
        routes.extend(all.map(|(method, _)| (method, path)));
        assert!(routes.len() > before, "{path}: a method that is not known here, or twice");
    }
    routes
}

#[test]
fn a_value_that_is_not_there_is_seen_on_a_page() {
    assert!(
        ["<td>None</td>", "<a title=\"None\">", "since None, as", "since None"].into_iter().all(shows_none)
    );
    assert!(!["<p>None waiting.</p>", "<p>Nonesuch</p>", "none yet"].into_iter().any(shows_none));
}

#[test]
fn every_page_has_a_row_or_says_where_its_edges_are_tested() {
    let rows: BTreeSet<_> = all_rows().map(|(_, row)| (row.method(), row.route)).collect();
    let others = OTHERS.map(|(method, route, _)| (method, route));
    let told: BTreeSet<_> = rows.iter().copied().chain(others).collect();
    assert_eq!(told, list_routes());
    assert_eq!(told.len(), rows.len() + OTHERS.len(), "a route has rows, and is said to have none");
    let is_of_shop = |row: &Row| row.route.starts_with("/shops/{shop}");
    assert!(all_rows().all(|(who, row)| is_of_shop(row) == (who == Who::OfShop)));
}

async fn every_page_ends_as_its_row_says_again_and_in_an_empty_shop(world: World) {
    let filled = world.shop("filled").await;
    let empty = world.shop("empty").await;
    let desk = Desk::open_as_owner(&world).await;
    let held = fill(&world, &desk, &filled).await;
    let mut faults = Vec::new();
    for (who, row) in all_rows() {
        for expected in [row.filled, row.again] {
            note_faults(&mut faults, row, &desk.ask(row, &held, &filled.name).await, &[expected]);
        }
        if who == Who::OfShop {
            note_faults(&mut faults, row, &desk.ask(row, &held, &empty.name).await, &[row.empty]);
        }
    }
    assert_eq!(faults, [""; 0], "in a full shop, again, in an empty one");
}

async fn every_page_of_the_server_is_there_before_anything_else_is(world: World) {
    let desk = Desk::open_as_owner(&world).await;
    let mut faults = Vec::new();
    for (_, row) in all_rows().filter(|(who, _)| *who != Who::OfShop) {
        note_faults(&mut faults, row, &desk.ask(row, &Held::unknown(), "").await, &[row.empty]);
    }
    assert_eq!(faults, [""; 0], "on a server without a shop");
}

async fn every_page_is_there_when_a_spreadsheet_is_asked_for(world: World) {
    let shop = world.shop("filled").await;
    let desk = Desk::open_as_owner(&world).await;
    let held = fill(&world, &desk, &shop).await;
    let mut faults = Vec::new();
    let mut tables = 0;
    for (_, row) in all_rows().filter(|(_, row)| row.kind == Kind::Page && row.filled == 200) {
        let path = held.fill_in(row.path, &shop.name);
        let sign = if path.contains('?') { '&' } else { '?' };
        let reply = desk.browser.get(&format!("{path}{sign}csv")).await;
        // A page without a table is shown as ever.
        let is_table = reply.header("content-type").starts_with("text/csv");
        tables += usize::from(is_table);
        let kind = if is_table { Kind::File } else { Kind::Page };
        note_faults(&mut faults, &Row { kind, ..*row }, &reply, &[200]);
    }
    assert_eq!(faults, [""; 0]);
    assert!(tables > 10, "{tables}");
}

async fn every_page_answers_two_who_ask_at_once(world: World) {
    let shop = world.shop("filled").await;
    let desk = Desk::open_as_owner(&world).await;
    let held = fill(&world, &desk, &shop).await;
    let mut faults = Vec::new();
    for (_, row) in all_rows() {
        let (one, other) = tokio::join!(desk.ask(row, &held, &shop.name), desk.ask(row, &held, &shop.name));
        for reply in [one, other] {
            note_faults(&mut faults, row, &reply, &[row.filled, row.again, 409, 429]);
        }
    }
    assert_eq!(faults, [""; 0]);
}

async fn every_page_of_an_unknown_thing_or_shop_says_so(world: World) {
    let shop = world.shop("filled").await;
    let desk = Desk::open_as_owner(&world).await;
    let mut faults = Vec::new();
    for (who, row) in all_rows() {
        if row.names_thing() {
            let reply = desk.ask(row, &Held::unknown(), &shop.name).await;
            note_faults(&mut faults, row, &reply, &[404]);
        }
        if who == Who::OfShop {
            // An owner works for all shops, and may know which there are.
            let reply = desk.ask(row, &Held::unknown(), "nobody").await;
            note_faults(&mut faults, row, &reply, &[404]);
        }
    }
    assert_eq!(faults, [""; 0]);
}

async fn every_page_is_for_its_operators_alone(world: World) {
    let shop = world.shop("filled").await;
    let other = world.shop("other").await;
    let owner = Desk::open_as_owner(&world).await;
    let held = fill(&world, &owner, &shop).await;
    let stranger = Desk::open(&world, "Stranger", "privacy-officer", &[&other]).await;
    let nobody = Desk::without_session(&world);
    let tokenless = Desk { token: String::new(), ..owner };
    let mut faults = Vec::new();
    for (who, row) in all_rows() {
        let own = [row.filled, row.again];
        let is_open = who == Who::Everybody;
        let reply = nobody.ask(row, &held, &shop.name).await;
        note_faults(&mut faults, row, &reply, if is_open { &own[..] } else { &[303] });
        if !is_open && !reply.header("location").starts_with("/sign-in?to=") {
            faults.push(format!("{}: no sign-in, but {}", row.path, reply.header("location")));
        }
        let is_theirs = is_open || who == Who::Operators;
        let reply = stranger.ask(row, &held, &shop.name).await;
        note_faults(&mut faults, row, &reply, if is_theirs { &own[..] } else { &[403] });
        if row.kind == Kind::Form && !is_open {
            let reply = tokenless.ask(row, &held, &shop.name).await;
            note_faults(&mut faults, row, &reply, &[403]);
        }
    }
    assert_eq!(faults, [""; 0], "without a session, as an operator of other shops, without the form's token");
}

#[test]
fn every_page_says_that_the_store_fails_and_goes_on_when_it_is_mended() {
    on_sqlite(async |world| {
        let shop = world.shop("filled").await;
        let desk = Desk::open_as_owner(&world).await;
        let held = fill(&world, &desk, &shop).await;
        let mut faults = Vec::new();
        rename_tables(&world, ("", "_away"), |_| true);
        for (_, row) in all_rows() {
            let needs_store = !WITHOUT_STORE.contains(&(row.method(), row.route));
            let expected: &[u16] = if needs_store { &[500, 503] } else { &[row.filled] };
            note_faults(&mut faults, row, &desk.ask(row, &held, &shop.name).await, expected);
        }
        assert_eq!(faults, [""; 0], "while it fails");
        rename_tables(&world, ("_away", ""), |_| true);
        for (_, row) in all_rows() {
            let reply = desk.ask(row, &held, &shop.name).await;
            note_faults(&mut faults, row, &reply, &[row.filled, row.again]);
        }
        assert_eq!(faults, [""; 0], "when it is mended");
    });
}

/// Returns true if sessions and the shops of their operators are read from this table.
fn is_of_sessions(table: &str) -> bool {
    const OTHERS: [&str; 4] = ["node", "secret", "search_settings", "shop_list"];
    ["operator", "account"].iter().any(|begin| table.starts_with(begin)) || OTHERS.contains(&table)
}

#[test]
fn every_page_is_whole_or_says_why_when_half_of_the_store_fails() {
    on_sqlite(async |world| {
        let shop = world.shop("filled").await;
        let mut desk = Desk::open_as_owner(&world).await;
        let held = fill(&world, &desk, &shop).await;
        let mut faults = Vec::new();
        rename_tables(&world, ("", "_away"), |name| !is_of_sessions(name));
        for (_, row) in all_rows() {
            take_failed();
            let reply = desk.ask(row, &held, &shop.name).await;
            note_faults(&mut faults, row, &reply, &[row.filled, row.again, 500, 503]);
            let failed = take_failed();
            if !failed.is_empty() && ![500, 503].contains(&reply.status) {
                faults.push(format!("{}: {}, though {failed:?} failed", row.path, reply.status));
            }
        }
        assert_eq!(faults, [""; 0], "while it fails");
        rename_tables(&world, ("_away", ""), |name| name.ends_with("_away"));
        // The last row signed out.
        assert_eq!(desk.browser.sign_in("Owner", PASSWORD).await.status, 303);
        desk.browser.page("/shops/filled/settings").await;
    });
}
