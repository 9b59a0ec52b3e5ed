//! Lists that come in pages: each is walked to its end, and has every item once, by its operation and in the console.

use std::collections::BTreeSet;

use lethe::args;
use lethe::ids::AccountId;
use lethe::limits;
use lethe::operators::audit_log::{self, OperatorAct};
use lethe::operators::{self, OperatorFault};
use lethe::store::{Owner, Statement, StoreFault};
use serde_json::{Value, json};

use crate::support::console::Browser;
use crate::support::feed_server::Answer;
use crate::support::openapi;
use crate::support::world::{Shop, World, on_both_engines, statement};

on_both_engines! {
    every_list_is_walked_to_its_end
    an_empty_page_of_deltas_leads_on
    every_search_is_walked_to_its_last_hit
    every_list_of_the_console_is_walked_to_its_end
}

/// Way to ask for the next page.
enum Next {
    /// By this member of the answer.
    Told,
    /// By this member of the last item, until nothing more comes.
    LastItem(&'static str),
    /// By the number of the page, until nothing more comes.
    Counted,
}

/// An operation whose answer is a page of a list.
struct Paged {
    id: &'static str,
    path: &'static str,
    /// The member that says where a page begins.
    begins: &'static str,
    next: Next,
    /// Place of the items in the answer, and the member that tells one from another.
    items: &'static str,
    key: &'static str,
}

const fn paged(
    (id, path): (&'static str, &'static str),
    (begins, next): (&'static str, Next),
    (items, key): (&'static str, &'static str),
) -> Paged {
    Paged { id, path, begins, next, items, key }
}

/// All of them. Items with an empty key are told apart by their whole content.
const PAGED: [Paged; 5] = [
    paged(("submissions", "/api/submissions"), ("Before", Next::LastItem("Number")), ("", "Number")),
    paged(("deltas", "/api/deltas"), ("Before", Next::Told), ("/Deltas", "Number")),
    paged(("erasures", "/api/erasures"), ("Before", Next::LastItem("Number")), ("", "Number")),
    paged(("catalogue", "/api/catalogue"), ("From", Next::Told), ("/Items", "Id")),
    paged(("issues", "/api/issues"), ("From", Next::Told), ("/Issues", "")),
];

const SEARCHES: [Paged; 1] = [paged(("search", "/api/search"), ("Page", Next::Counted), ("/Items", "Id"))];

/// Members of requests that are called like the begin of a page, and are none.
const NO_PAGES: [(&str, &str); 5] = [
    ("rules_set", "Before"),
    ("zones_set", "Before"),
    ("snapshots_compare", "From"),
    ("report", "From"),
    ("zones_preview", "Page"),
];

/// The same search by another way.
const ALSO: [(&str, &str); 1] = [("search_by_address", "Page")];

const PRODUCTS: usize = 140;
/// Each product has no link, no image and no description.
const ISSUES: usize = 3 * PRODUCTS;
const DELTAS: usize = 101;
const ERASURES: usize = 101;
const ACTS: usize = 201;

#[test]
fn no_paged_operation_is_left_out() {
    let begins = ["Before", "Behind", "After", "From", "Since", "Page", "Offset", "Cursor"];
    let mut found = BTreeSet::new();
    for (id, members) in openapi::list_request_members() {
        found.extend(begins.into_iter().filter(|name| members.contains(*name)).map(|name| (id, name)));
    }
    let walked = PAGED.iter().chain(&SEARCHES).map(|paged| (paged.id, paged.begins));
    let expected: BTreeSet<_> = walked.chain(NO_PAGES).chain(ALSO).collect();
    assert_eq!(found, expected, "a paged operation belongs in PAGED, what is none in NO_PAGES");
}

fn product(number: usize) -> Value {
    json!({"Id": format!("p{number:03}"), "Title": format!("Thing {number}"), "Prices": ["5.00 GBP"]})
}

/// A shop with more than two pages of everything; returns it and the token of its feed. Each row of the feed has
/// several issues.
async fn shop_of_many(world: &World) -> (Shop, String) {
    let shop = world.shop("shop").await;
    let rows: Vec<_> = (0..PRODUCTS).map(product).collect();
    let url = world.feeds.serve("/f", [Answer::ok(json!({"Products": rows}).to_string())]);
    let feed = world.feed(&shop, &url).await;
    for number in 0..DELTAS {
        world.delta(&shop, json!({"Products": [product(number)]})).await;
    }
    world.run_all_jobs().await;
    for number in 0..ERASURES {
        world.forget(&shop, &format!("userid:canary-{number}")).await;
    }
    (shop, feed)
}

/// Walks a list to its end; gives how many items each page has. Every item stands on one page.
async fn walk(world: &World, shop: &Shop, paged: &Paged, asked: &Value) -> Vec<usize> {
    let mut sizes = Vec::new();
    let mut seen = BTreeSet::new();
    let mut asked = asked.clone();
    loop {
        let page = world.ask_json(shop, paged.path, asked.clone()).await;
        let items = page.pointer(paged.items).and_then(Value::as_array).expect("items");
        for item in items {
            let key = if paged.key.is_empty() { item } else { &item[paged.key] };
            assert!(seen.insert(key.to_string()), "{}: {key} stands on two pages", paged.id);
        }
        if items.is_empty() {
            return sizes;
        }
        sizes.push(items.len());
        assert!(sizes.len() < 20, "{}: it never ends", paged.id);
        let next = match paged.next {
            Next::Told => page["Next"].clone(),
            Next::LastItem(member) => items[items.len() - 1][member].clone(),
            Next::Counted => json!(sizes.len() + 1),
        };
        if next.is_null() {
            return sizes;
        }
        asked[paged.begins] = next;
    }
}

async fn every_list_is_walked_to_its_end(world: World) {
    let (shop, feed) = shop_of_many(&world).await;
    for paged in &PAGED {
        let (asked, expected) = match paged.id {
            "submissions" => (json!({}), vec![50, 50, DELTAS + 1 - 100]),
            "deltas" => (json!({}), vec![50, 50, DELTAS - 100]),
            "erasures" => (json!({}), vec![100, ERASURES - 100]),
            "catalogue" => (json!({"Limit": 50}), vec![50, 50, PRODUCTS - 100]),
            "issues" => (json!({"Token": feed}), vec![200, 200, ISSUES - 400]),
            other => panic!("how much there is of {other} has to be said"),
        };
        assert_eq!(walk(&world, &shop, paged, &asked).await, expected, "{}", paged.id);
    }
    // A page that is full and the last one has no next.
    let full = world.ask_json(&shop, "/api/catalogue", json!({"Limit": PRODUCTS})).await;
    assert_eq!((full["Items"].as_array().map(Vec::len), &full["Next"]), (Some(PRODUCTS), &Value::Null));
    // Narrowed lists go on too.
    let narrowed = [
        ("submissions", json!({"Kind": "delta", "State": "complete"}), vec![50, 50, DELTAS - 100]),
        ("deltas", json!({"State": "applied"}), vec![50, 50, DELTAS - 100]),
        ("erasures", json!({"State": "open"}), vec![100, ERASURES - 100]),
        ("erasures", json!({"State": "accepted"}), vec![100, ERASURES - 100]),
        ("issues", json!({"Token": feed, "Code": "link_missing"}), vec![PRODUCTS]),
        ("issues", json!({"Token": feed, "Severity": "warning"}), vec![200, 200, ISSUES - 400]),
    ];
    for (id, asked, expected) in narrowed {
        let paged = PAGED.iter().find(|paged| paged.id == id).expect("it is paged");
        assert_eq!(walk(&world, &shop, paged, &asked).await, expected, "{id} {asked}");
    }
    world.clock.advance(std::time::Duration::from_secs(40 * 24 * 60 * 60));
    let overdue = walk(&world, &shop, &PAGED[2], &json!({"State": "overdue"})).await;
    assert_eq!(overdue, [100, ERASURES - 100]);
}

/// So many submissions are looked through for a page: none may match.
async fn an_empty_page_of_deltas_leads_on(world: World) {
    const PUT: Statement = statement(
        "a delta that was applied",
        "INSERT INTO submission (account_id, seq, token, input, state, accepted_at, finished_at) \
         VALUES ($1, $2, $3, 'delta', 1, $4, $4)",
    );
    let shop = world.shop("shop").await;
    let failed = world.delta(&shop, json!({"Products": [{"Title": "no id"}]})).await;
    world.run_all_jobs().await;
    let now = world.clock.now();
    let putting = world.node().store.write(AccountId(1), move |tx| {
        for seq in 1_000..1_000 + limits::DELTAS_LOOKED_THROUGH {
            let token = u128::from(seq.unsigned_abs()).to_be_bytes();
            tx.exec(&PUT, args![1, seq, token.as_slice(), now])?;
        }
        Ok::<_, StoreFault>(())
    });
    putting.await.expect("put");
    let first = world.ask_json(&shop, "/api/deltas", json!({"State": "failed"})).await;
    assert_eq!((&first["Deltas"], &first["Next"]), (&json!([]), &json!(1_000)));
    let second = json!({"State": "failed", "Before": first["Next"]});
    let second = world.ask_json(&shop, "/api/deltas", second).await;
    assert_eq!((&second["Deltas"][0]["Token"], &second["Next"]), (&json!(failed), &Value::Null));
}

async fn every_search_is_walked_to_its_last_hit(world: World) {
    let shop = world.shop("shop").await;
    let rows: Vec<_> = (0..PRODUCTS).map(product).collect();
    world.complete_feed(&shop, "/f", &json!({"Products": rows})).await;
    for query in ["thing", ""] {
        let asked = json!({"Query": query, "Size": 50});
        let walked = walk(&world, &shop, &SEARCHES[0], &asked).await;
        assert_eq!(walked, [50, 50, PRODUCTS - 100], "{query}");
    }
}

/// Pages of a list from the first to the last, as the links at their ends lead.
async fn pages(browser: &Browser<'_>, path: &str) -> Vec<String> {
    let here = path.split('?').next().unwrap_or_default();
    let mut pages = vec![browser.page(path).await];
    loop {
        let links = pages[pages.len() - 1].split("<a class=\"button plain\" href=\"").skip(1);
        let links = links.filter_map(|rest| rest.split('"').next());
        let links = links.map(|link| link.strip_prefix(here).unwrap_or(link));
        let is_begun = |link: &&str| link.contains("before=") || link.contains("from=");
        // The same page as a spreadsheet has the address of the page.
        let mut next = links.filter(|link| link.starts_with('?') && is_begun(link));
        let Some(next) = next.next() else { return pages };
        let next = next.replace("&amp;", "&");
        assert!(pages.len() < 20, "{path}: {next}");
        pages.push(browser.page(&format!("{here}{next}")).await);
    }
}

async fn every_list_of_the_console_is_walked_to_its_end(world: World) {
    let (shop, feed) = shop_of_many(&world).await;
    let browser = Browser::sign_in_as(&world, "Owner", "owner", &[]).await;
    act_often(&world).await;
    let rule = |n: usize| json!({"Id": format!("r{n}"), "Query": format!("thing {n}"), "Banner": "x"});
    let rules: Vec<_> = (0..PRODUCTS).map(rule).collect();
    world.ask_json(&shop, "/api/rules/set", json!({"Rules": rules})).await;
    let campaign = |n: usize| json!({"Id": format!("c{n}"), "Zone": format!("HP-{}", n % 3), "Empty": true});
    let campaigns: Vec<_> = (0..PRODUCTS).map(campaign).collect();
    world.ask_json(&shop, "/api/zones/set", json!({"Campaigns": campaigns})).await;
    let issues = format!("/shops/shop/imports/{feed}/issues?severity=warning");
    let import = "<td><a href=\"/shops/shop/imports/";
    let row = "<tr><td>";
    let expected = [
        ("imports.html", import, "/shops/shop/imports", vec![50, 50, DELTAS + 1 - 100]),
        // Few are looked through for a narrow list: more may come after them.
        ("imports.html", import, "/shops/shop/imports?kind=delta", vec![50, 50, DELTAS - 100, 0]),
        (
            "deltas.html",
            "<td class=\"id at\">",
            "/shops/shop/deltas?state=applied",
            vec![50, 50, DELTAS - 100],
        ),
        (
            "erasures.html",
            "<tr><td class=\"id\">",
            "/shops/shop/erasures?state=open",
            vec![100, ERASURES - 100],
        ),
        ("catalogue.html", "<td class=\"id wide\">", "/shops/shop/catalogue", vec![20; PRODUCTS / 20]),
        ("import_issues.html", row, issues.as_str(), vec![200, 200, ISSUES - 400]),
        ("rules.html", "<tr><td class=\"id\">", "/shops/shop/rules", vec![50, 50, PRODUCTS - 100]),
        ("zones.html", "<tr><td class=\"id\">", "/shops/shop/zones", vec![50, 50, PRODUCTS - 100]),
        // Besides these, the lines of the sign-in.
        ("acts.html", row, "/acts", vec![100, 100, ACTS + 2 - 200]),
    ];
    for (_, row, path, sizes) in &expected {
        let walked = pages(&browser, path).await;
        let rows: Vec<_> = walked.iter().map(|page| page.matches(row).count()).collect();
        assert_eq!(rows, *sizes, "{path}");
    }
    for number in 0..limits::PAGE_ROWS {
        let shop = json!({"Name": format!("shop-{number}")});
        world.control("/control/account/create", shop).await;
        let operator = json!({"Name": format!("Viewer {number}"), "Role": "viewer", "Shops": ["shop"]});
        world.control("/control/operator/add", operator).await;
    }
    let of_the_server =
        [("overview.html", "<tr><td><a href=\"/shops/", "/"), ("operators.html", row, "/operators")];
    for (_, row, path) in of_the_server {
        let walked = pages(&browser, path).await;
        let rows: Vec<_> = walked.iter().map(|page| page.matches(row).count()).collect();
        assert_eq!(rows, [limits::PAGE_ROWS, 1], "{path}");
    }
    // Every template with a way to a further page is among them.
    let mut templates = BTreeSet::new();
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/console/ui/templates");
    for entry in std::fs::read_dir(folder).expect("the templates") {
        let path = entry.expect("a template").path();
        let text = std::fs::read_to_string(&path).expect("its text");
        if text.contains("t(\"frame.older\")") || text.contains("t(\"import.further\")") {
            templates.insert(path.file_name().expect("a name").to_string_lossy().into_owned());
        }
    }
    let walked = expected.iter().map(|(template, ..)| *template);
    let walked = walked.chain(of_the_server.map(|(template, ..)| template));
    assert_eq!(templates, walked.map(str::to_owned).collect());
    drop(shop);
}

/// Notes many acts of the one operator, all of one moment.
async fn act_often(world: &World) {
    let keys = world.node().keys.clone();
    let now = world.clock.now();
    let noting = world.node().store.write(Owner::STORE, move |tx| {
        let operator = operators::list(tx, &keys)?.first().expect("an operator").id;
        for number in 0..ACTS {
            audit_log::record(tx, &OperatorAct::new(operator, &format!("canary-{number}"), now))?;
        }
        Ok::<_, OperatorFault>(())
    });
    noting.await.map_err(|fault| fault.to_string()).expect("noted");
}
