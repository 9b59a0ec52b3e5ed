//! Promises made to one shop, and whether the server kept them.
//!
//! Each operation has a number. A delta of number n sets the title of product `d` to n; a feed of number n sets
//! `d`, product `f`, category `c` and brand `c` to n. So after any crash the order of acceptance, half feeds and
//! lost acknowledgements all show in four titles. A search shows them too, as they were at one time: the products that
//! only feeds set, the name of their brand and that of their category all have one number.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::server::{Home, Keys, Server};
use super::web::{Web, send};
use crate::support::waits::wait_until;

const DELTA_STATUS: &str = "/api/deltastatus";
const FEED_STATUS: &str = "/api/productfeedstatus";
/// Products of a feed besides `d` and `f`: so many that an index is rebuilt after a few feeds.
const FED_PRODUCTS: usize = 20;

/// The web server of all shops: `/n` is the feed of number n.
pub fn shop_web() -> Web {
    Web::start(([127, 0, 0, 1], 0).into(), |path, stream| {
        let n = path.trim_start_matches('/');
        let item =
            |id: &str| json!({"Id": id, "Title": n, "DisplayName": n, "Brand": "c", "Categories": ["c"]});
        let others = (0..FED_PRODUCTS).map(|number| item(&format!("f{number}")));
        let products: Vec<_> = [item("d"), item("f")].into_iter().chain(others).collect();
        let feed = json!({"Products": products, "Categories": [item("c")], "Brands": [item("c")]});
        send(stream, &feed.to_string());
    })
}

/// The numbers a title may show: the last acknowledged one, and those sent after it.
#[derive(Default)]
struct Title {
    promised: bool,
    any_of: Vec<u32>,
}

impl Title {
    fn sent(&mut self, n: u32) {
        self.any_of.push(n);
    }

    fn acknowledged(&mut self, n: u32) {
        *self = Self { promised: true, any_of: vec![n] };
    }
}

/// One shop with one sender; a thread of load has one of its own.
pub struct Ledger {
    pub keys: Keys,
    number: u32,
    /// Possible titles of `d` now.
    shown: Title,
    /// The same for titles that only feeds set.
    fed: Title,
    deltas: Vec<String>,
    feeds: Vec<String>,
    /// A submission that is not known to have ended, with its number.
    pending: Option<(&'static str, String, u32)>,
    /// The highest titles of `f` and `d` that a search showed.
    found: [u32; 2],
    people: Vec<u32>,
    people_sent: u32,
    forgotten: Vec<u32>,
    forgets_sent: u32,
}

impl Ledger {
    pub fn new(keys: Keys) -> Self {
        Self {
            keys,
            number: 0,
            shown: Title::default(),
            fed: Title::default(),
            deltas: Vec::new(),
            feeds: Vec::new(),
            pending: None,
            found: [0; 2],
            people: Vec::new(),
            people_sent: 0,
            forgotten: Vec::new(),
            forgets_sent: 0,
        }
    }

    /// Number of acknowledged requests so far.
    pub fn acknowledged(&self) -> usize {
        self.deltas.len() + self.feeds.len() + self.forgotten.len()
    }

    /// A delta about the product; whether it was acknowledged.
    pub fn delta(&mut self, server: &Server) -> bool {
        self.number += 1;
        let n = self.number;
        self.shown.sent(n);
        let products = json!([{"Id": "d", "Title": n.to_string()}]);
        let token = self.accepted(server, "/api/delta", json!({"Products": products}));
        let Some(token) = token else { return false };
        self.pending.get_or_insert((DELTA_STATUS, token.clone(), n));
        self.deltas.push(token);
        self.shown.acknowledged(n);
        true
    }

    /// A feed; whether it was acknowledged.
    pub fn feed(&mut self, server: &Server, web: &Web) -> bool {
        self.number += 1;
        let n = self.number;
        self.shown.sent(n);
        self.fed.sent(n);
        let url = web.url(&format!("/{n}"));
        let Ok(answer) = server.post(&self.keys, "/api/productfeed", json!({"url": url})) else {
            return false;
        };
        if answer.status != 200 {
            return false;
        }
        let token = answer.header("x-feed-token").unwrap();
        self.pending.get_or_insert((FEED_STATUS, token.clone(), n));
        self.feeds.push(token);
        self.shown.acknowledged(n);
        self.fed.acknowledged(n);
        true
    }

    /// A new person, by a delta; whether it was acknowledged.
    pub fn person(&mut self, server: &Server) -> bool {
        self.people_sent += 1;
        let n = self.people_sent;
        let token = self.accepted(server, "/api/delta", json!({"Users": [person(n)]}));
        let Some(token) = token else { return false };
        self.deltas.push(token);
        self.people.push(n);
        true
    }

    /// Forgets the oldest person that is not forgotten; whether it was acknowledged.
    pub fn forget(&mut self, server: &Server) -> bool {
        let Some(&n) = self.people.iter().find(|n| !self.forgotten.contains(n)) else { return true };
        self.forgets_sent += 1;
        let identifier = json!({"Identifier": format!("P{n}@Shop.Example")});
        let Ok(answer) = server.post(&self.keys, "/api/user/forget", identifier) else { return false };
        if answer.status == 200 {
            self.forgotten.push(n);
        }
        answer.status == 200
    }

    /// A turn of everything, until something is not acknowledged.
    pub fn turn(&mut self, server: &Server, web: &Web) -> bool {
        self.delta(server)
            && self.person(server)
            && self.delta(server)
            && self.feed(server, web)
            && self.delta(server)
            && self.forget(server)
            && self.search(server).is_some()
            && self.find_ended(server)
    }

    /// The titles of `f` and `d` that a search shows, 0 for a missing one; `None` when no server answers. It shows one
    /// state of the shop, and none from before an earlier search.
    fn search(&mut self, server: &Server) -> Option<[u32; 2]> {
        let asked = json!({"Size": 250, "Facets": ["Category"]});
        let answer = server.post(&self.keys, "/api/search", asked).ok()?;
        if answer.status != 200 {
            return None;
        }
        let answer = answer.json();
        let number = |value: &Value| value.as_str().unwrap().parse::<u32>().unwrap();
        let (of_delta, fed): (Vec<&Value>, Vec<&Value>) =
            answer["Items"].as_array().unwrap().iter().partition(|item| item["Id"] == "d");
        let mut numbers: BTreeSet<u32> =
            fed.iter().flat_map(|item| [number(&item["Title"]), number(&item["Brand"])]).collect();
        if !fed.is_empty() {
            let categories = answer["Facets"]["Category"].as_array().unwrap();
            numbers.extend(categories.iter().map(|value| number(&value["Name"])));
            assert!(numbers.len() == 1 && fed.len() == FED_PRODUCTS + 1, "half a feed is found: {answer}");
        }
        let found = [
            numbers.first().copied().unwrap_or_default(),
            of_delta.first().map_or(0, |item| number(&item["Title"])),
        ];
        let before = std::mem::replace(&mut self.found, found);
        assert!(before[0] <= found[0] && before[1] <= found[1], "{before:?} were found, and now {found:?}");
        Some(found)
    }

    /// A search finds the changes that have ended; false when no server answers.
    fn find_ended(&mut self, server: &Server) -> bool {
        let Some((path, token, n)) = self.pending.take() else { return true };
        let Ok(answer) = server.post(&self.keys, path, json!({"Tokens": [token]})) else { return false };
        let item = answer.json()[0].clone();
        if answer.status != 200 || !has_ended(&item) {
            self.pending = Some((path, token, n));
            return answer.status == 200;
        }
        let Some([fed, shown]) = self.search(server) else { return false };
        let is_fed = path == FEED_STATUS && item["Error"].is_null();
        assert!(shown >= n && (fed >= n || !is_fed), "{n} has ended, and {shown} and {fed} are found");
        true
    }

    fn accepted(&self, server: &Server, path: &str, body: Value) -> Option<String> {
        let answer = server.post(&self.keys, path, body).ok()?;
        if answer.status != 200 {
            return None;
        }
        answer.json()["Token"].as_str().map(str::to_owned)
    }

    /// Waits for the end of everything and checks it all.
    pub fn verify(&mut self, home: &Home, server: &Server) {
        wait_until("a search is answered", || self.search(server));
        self.verify_statuses(server);
        wait_until("nothing waits", || {
            let title = |section| server.title(&self.keys, section, "c");
            let before = title("Categories");
            let brand = title("Brands");
            let after = title("Categories");
            // Titles only grow: no feed was published in between, so the brand is of the same one.
            assert!(before != after || brand == before, "half a feed is shown: {before:?}, {brand:?}");
            let ready = server.get("/ready").ok()?.json();
            ready["Waiting"].as_object()?.values().all(|waiting| waiting == 0).then_some(())
        });
        let shown = self.one_of(server, "Products", "d", &self.shown);
        let fed = ["Products", "Categories", "Brands"];
        let fed = fed.map(|section| {
            self.one_of(server, section, if section == "Products" { "f" } else { "c" }, &self.fed)
        });
        assert!(fed[0] == fed[1] && fed[1] == fed[2], "half a feed is shown: {fed:?}");
        let found = wait_until("a search is answered", || self.search(server));
        assert_eq!(found, [fed[0], shown].map(Option::unwrap_or_default), "what is found is what is shown");
        // A request without an answer is decided now.
        shown.into_iter().for_each(|n| self.shown.acknowledged(n));
        fed[0].into_iter().for_each(|n| self.fed.acknowledged(n));
        self.verify_people(home, server);
    }

    fn one_of(&self, server: &Server, section: &str, id: &str, expected: &Title) -> Option<u32> {
        let shown = server.title(&self.keys, section, id);
        let Some(shown) = shown else {
            assert!(!expected.promised, "{section} {id} is lost");
            return None;
        };
        let shown = shown.parse().unwrap();
        let promised = &expected.any_of;
        assert!(promised.contains(&shown), "{section} {id} is {shown}, one of {promised:?} was promised");
        Some(shown)
    }

    fn verify_statuses(&self, server: &Server) {
        for (path, tokens) in [(DELTA_STATUS, &self.deltas), (FEED_STATUS, &self.feeds)] {
            for tokens in tokens.chunks(1000) {
                wait_until("every acknowledged submission has ended", || {
                    let answer = server.post(&self.keys, path, json!({"Tokens": tokens})).ok()?.json();
                    let items = answer.as_array()?.clone();
                    assert_eq!(items.len(), tokens.len());
                    items.iter().all(has_ended).then_some(())
                });
            }
        }
    }

    /// A forgotten person is gone, and does not come back with the next delta.
    fn verify_people(&mut self, home: &Home, server: &Server) {
        let held = self.subjects(home);
        let known = self.people.len() as i64;
        let forgotten = self.forgotten.len() as i64;
        let least = known - i64::from(self.forgets_sent);
        let most = i64::from(self.people_sent) - forgotten;
        assert!((least..=most).contains(&held), "{held} people are held, {least} to {most} were promised");
        if self.forgotten.is_empty() {
            return;
        }
        for again in self.forgotten.chunks(500) {
            let people: Vec<_> = again.iter().copied().map(person).collect();
            let token = self.accepted(server, "/api/delta", json!({"Users": people}));
            self.deltas.push(token.expect("the delta is accepted"));
        }
        self.verify_statuses(server);
        assert_eq!(self.subjects(home), held, "a forgotten person came back");
    }

    fn subjects(&self, home: &Home) -> i64 {
        let access_key = &self.keys.access;
        home.count(&format!(
            "SELECT count(*) FROM subject JOIN account ON account.id = account_id WHERE access_key = '{access_key}'"
        ))
    }
}

fn person(n: u32) -> Value {
    json!({"UserId": format!("p{n}"), "Email": format!("p{n}@shop.example")})
}

/// Ended as it has to: a feed that a later one overtook says so.
fn has_ended(item: &Value) -> bool {
    match (&item["Status"], item["Error"].as_str()) {
        (Value::Number(status), _) => {
            assert!(item.get("Reason").is_none(), "an acknowledged delta failed: {item}");
            status.as_i64() == Some(1)
        }
        (status, Some(error)) => {
            assert_eq!(error, "replaced by a feed submitted later", "{status}");
            true
        }
        (status, None) => status == "Complete",
    }
}

/// Checks the files, whatever was promised: the database is sound, and at a fresh start every catalogue file and every
/// key is referred to.
pub fn verify_files(home: &Home) {
    if !home.is_postgres() {
        assert_eq!(home.texts("PRAGMA integrity_check"), ["ok"]);
    }
    let needed = home
        .texts("SELECT blob FROM snapshot UNION SELECT sku_blob FROM snapshot WHERE sku_blob IS NOT NULL");
    let needed: BTreeSet<String> = needed.into_iter().collect();
    assert_eq!(blobs(home), needed, "catalogue files and their rows");
    let used = count_named_slots(home);
    let keys = std::fs::read(home.keys.join("slots.key")).unwrap();
    // Behind the header; a destroyed key leaves a version in front of zeros.
    let blocks = keys.as_chunks::<64>().0.iter().skip(1);
    let keyed = blocks.filter(|block| block[12..60] != [0; 48]).count() as i64;
    assert!(keyed <= used + lethe::limits::KEY_POOL_SLOTS as i64, "{keyed} keys for {used} rows");
}

/// Number of key slots that rows name, in any table: the schema says which columns are slots, not the statement by
/// which a start decides what to keep.
fn count_named_slots(home: &Home) -> i64 {
    let columns = home.texts(if home.is_postgres() {
        "SELECT table_name || ' ' || column_name FROM information_schema.columns
             WHERE table_schema = current_schema() AND column_name LIKE '%slot'"
    } else {
        "SELECT t.name || ' ' || c.name FROM sqlite_master t, pragma_table_info(t.name) c
             WHERE t.type = 'table' AND c.name LIKE '%slot'"
    });
    assert!(columns.iter().any(|column| column == "subject slot"));
    let columns = columns.iter().map(|column| column.split_once(' ').unwrap());
    let named = columns.map(|(table, column)| {
        home.count(&format!("SELECT count(DISTINCT {column}) FROM {table} WHERE {column} IS NOT NULL"))
    });
    named.sum()
}

fn blobs(home: &Home) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for shelf in std::fs::read_dir(home.data.join("blobs")).unwrap() {
        for file in std::fs::read_dir(shelf.unwrap().path()).unwrap() {
            names.insert(file.unwrap().file_name().into_string().unwrap());
        }
    }
    names
}
