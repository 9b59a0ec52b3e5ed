//! Pages over operations of which one fails: each page says so, whichever it is, and none takes an empty answer for it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{Request, StatusCode, header};
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse, Response};
use lethe::console::routes::router;
use lethe::limits;
use lethe::transport::listener::ListenerStop;
use serde_json::json;
use tower::ServiceExt;

use self::Row::{Form, Page};
use crate::support::console::{Browser, FORM, PASSWORD, encode_form};
use crate::support::operations::{PAUSE, fill};
use crate::support::world::{Shop, World, on_sqlite};

/// Most operations that a request asks.
const OPERATIONS: usize = 60;

/// A request, and its status while nothing fails.
#[derive(Clone, Copy)]
enum Row {
    Page(&'static str, u16),
    Form(&'static str, &'static [(&'static str, &'static str)], u16),
}

/// Operations that a page does without: a shop that is closed just now, one without a webhook, and figures that the
/// server is too busy to count.
const SPARED: [(&str, &str); 5] = [
    ("/", "/api/snapshots"),
    ("/", "/api/erasures/count"),
    ("/shops/shop/settings", "/api/webhook"),
    ("/shops/shop", "/api/report"),
    ("/shops/shop?count=now", "/api/report"),
];

const OF_THE_SERVER: &[Row] = &[
    Page("/", 200),
    Page("/health", 200),
    Page("/health?csv=settings", 200),
    Page("/operators", 200),
    Page("/operators?csv", 200),
    Page("/operators/{operator}", 200),
    Page("/acts", 200),
    Page("/backups", 200),
    Form("/backups", &[("target", "no/absolute/path")], 422),
    Form("/operators", &[("name", ""), ("role", "owner")], 400),
    Form("/operators", &[("name", "Another"), ("role", "owner")], 303),
    Form("/operators/{operator}", &[("do", "set"), ("role", "viewer")], 400),
    Form("/operators/{operator}", &[("do", "disable")], 303),
    Form("/operators/{operator}", &[("do", "enable")], 303),
    Form("/operators/{operator}", &[("do", "reset")], 303),
    Form("/operators/{operator}", &[("do", "remove")], 303),
    Form("/new-shop", &[("name", "a b")], 400),
    Form("/new-shop", &[("name", "another")], 303),
    Page("/shops/shop", 200),
    Page("/shops/shop?count=now", 200),
    Page("/shops/shop?csv", 200),
    Page("/shops/shop/settings", 200),
    Page("/shops/shop/settings?csv", 200),
    Form("/shops/shop/settings", &[("do", "quota"), ("quota", "many")], 400),
    Form("/shops/shop/settings", &[("do", "quota"), ("quota", "2GB")], 303),
    Form("/shops/shop/settings", &[("do", "rotate")], 303),
];

const OF_PEOPLE: &[Row] = &[
    Page("{person}", 200),
    Page("{person}?csv", 200),
    Page("{person}/export", 200),
    Page("{person}/export?json", 200),
    Form("/shops/shop/people", &[("identifier", "email:nothing")], 400),
    Form("/shops/shop/people", &[("identifier", "userid:bea")], 303),
    Form("{person}/look", &[], 303),
    Form("{person}/forget", &[("confirmation", "userid:bea")], 422),
    Page("/shops/shop/erasures", 200),
    Page("/shops/shop/erasures?csv", 200),
    Page("/shops/shop/erasures/{erasure}", 200),
    Page("/shops/shop/erasures/{erasure}/certificate", 200),
    Page("/shops/shop/erasures/{erasure}/certificate?file", 200),
    Page("/shops/shop/erasures/{erasure}/letter", 200),
    Page("/shops/shop/erasures/{erasure}/letter?file", 200),
    Form("/shops/shop/erasures/{erasure}/look", &[("identifier", "")], 400),
    Form("/shops/shop/erasures/{erasure}/look", &[("identifier", "userid:cy")], 303),
    Form("/shops/shop/erasures/{erasure}/reference", &[("reference", "a@b")], 422),
    Form("/shops/shop/erasures/{erasure}/reference", &[("reference", "DSR-1")], 303),
    Page("/shops/shop/ledger", 200),
    Page("/shops/shop/ledger/entries.jsonl", 200),
    Page("/shops/shop/ledger/checkpoint.json", 200),
    Page("/shops/shop/ledger/key.txt", 200),
    Form("{person}/forget", &[("confirmation", "userid:ada")], 303),
];

const OF_THE_CATALOGUE: &[Row] = &[
    Page("/shops/shop/imports", 200),
    Page("/shops/shop/imports?csv=lists", 200),
    Page("/shops/shop/imports/{feed}", 200),
    Page("/shops/shop/imports/{feed}?csv=lists", 200),
    Page("/shops/shop/imports/{feed}/issues", 200),
    Page("/shops/shop/imports/{feed}/issues.csv", 200),
    Page("/shops/shop/deltas", 200),
    Page("/shops/shop/refused.csv", 200),
    Page("/shops/shop/catalogue", 200),
    Page("/shops/shop/catalogue?find=1", 303),
    Page("/shops/shop/catalogue?find=nothing", 404),
    Page("/shops/shop/catalogue/1", 200),
    Page("/shops/shop/reports?about=catalogue", 200),
    Form("/shops/shop/imports/back", &[("earlier", "Products/1")], 422),
    Form("/shops/shop/imports/back", &[("earlier", "Products/999"), ("sure", "yes")], 404),
    Form("/shops/shop/imports/{checked}/publish", &[("anyway", "yes")], 422),
    Form("/shops/shop/imports/{checked}/publish", &[], 303),
    Form("/shops/shop/imports/{feed}/cancel", &[], 422),
    Form("/shops/shop/imports/{feed}/cancel", &[("sure", "yes")], 303),
];

const RULES: &str = r#"[{"Id": "r9", "Query": "lamp", "Pin": ["1"]}]"#;
const CAMPAIGNS: &str = r#"[{"Id": "c9", "Zone": "HP-01", "Html": "<p>oak</p>"}]"#;
const SCRIPT: &str = r#"[{"Id": "c9", "Zone": "HP-01", "Html": "<img src=\"/x\" onerror=\"alert(1)\">"}]"#;

/// A campaign with an item that is chosen and one that is searched.
const TYPED_CAMPAIGN: &[(&str, &str)] = &[
    ("do", "find:categories"),
    ("zone", "PL-01"),
    ("shows", "products"),
    ("categories", "none"),
    ("find_categories", "lamps"),
    ("on_product", "1"),
];

/// A rule with an item that is chosen and one that is searched.
const TYPED_RULE: &[(&str, &str)] = &[
    ("do", "find:bury_brand"),
    ("query", "lamp"),
    ("pin", "1"),
    ("bury_ids", "2"),
    ("find_bury_brand", "oak"),
];
const PUBLISHED_RULE: &[(&str, &str)] =
    &[("do", "publish"), ("query", "lamp"), ("pin", "1"), ("before", "5")];

/// Lists that are only tried, by the names of the pages that show their effect.
const TRIED: [(&str, Row); 4] = [
    ("{tried rules}", Form("/shops/shop/rules", &[("do", "try"), ("list", RULES), ("query", "lamp")], 303)),
    (
        "{tried campaigns}",
        Form("/shops/shop/zones", &[("do", "try"), ("list", CAMPAIGNS), ("zone", "HP-01")], 303),
    ),
    ("{typed rule}", Form("/shops/shop/rules/edit", TYPED_RULE, 303)),
    ("{typed campaign}", Form("/shops/shop/zones/edit", TYPED_CAMPAIGN, 303)),
];

const OF_SELLING: &[Row] = &[
    Page("/shops/shop/search?q=lamp", 200),
    Page("/shops/shop/search?q=lamp&compare=rules&id=1", 200),
    Page("/shops/shop/search?q=lamp&compare=popularity", 200),
    Page("/shops/shop/search?q=lamp&compare=group&other=dealers", 200),
    Page("/shops/shop/recommendations?product=1&items=2,3", 200),
    Page("/shops/shop/reports", 200),
    Page("/shops/shop/reports?about=days", 200),
    Page("/shops/shop/reports.csv", 200),
    Page("/shops/shop/rules", 200),
    Page("/shops/shop/rules?csv=history", 200),
    Page("/shops/shop/rules?version=1", 200),
    Page("/shops/shop/rules/edit?id=r3", 200),
    Page("/shops/shop/rules/edit?query=lamp&pin=1", 200),
    Page("{typed rule}", 200),
    Form("/shops/shop/rules/edit", &[("do", "publish"), ("query", "lamp"), ("priority", "high")], 422),
    Form("/shops/shop/rules/edit", &[("do", "publish"), ("query", "lamp"), ("before", "2")], 409),
    Page("{tried rules}", 200),
    Form("/shops/shop/rules", &[("do", "set"), ("list", "[")], 422),
    Form("/shops/shop/rules", &[("do", "set"), ("list", RULES), ("before", "2")], 409),
    Form("/shops/shop/rules", &[("do", "set"), ("list", RULES), ("before", "3")], 303),
    Form("/shops/shop/rules/undo", &[("version", "1")], 303),
    Form("/shops/shop/rules/edit", &[("do", "publish"), ("query", "lamp"), ("before", "5")], 400),
    Form("/shops/shop/rules/edit", PUBLISHED_RULE, 303),
    Form("/shops/shop/synonyms", &[("lines", "couch, sofa"), ("before", "another")], 409),
    Page("/shops/shop/zones", 200),
    Page("/shops/shop/zones?zone=HP-01", 200),
    Page("/shops/shop/zones?zone=HP-01&csv=shown", 200),
    Page("/shops/shop/zones?version=1", 200),
    Page("{tried campaigns}", 200),
    Page("/shops/shop/zones/edit?id=c3", 200),
    Page("{typed campaign}", 200),
    Form("/shops/shop/zones", &[("do", "up:c3"), ("before", "2")], 409),
    Form("/shops/shop/zones/edit", &[("do", "publish"), ("zone", "HP-01"), ("share", "half")], 422),
    Form(
        "/shops/shop/zones/edit",
        &[("do", "publish"), ("zone", "HP-01"), ("shows", "nothing"), ("before", "2")],
        409,
    ),
    Form("/shops/shop/zones/edit", &[("do", "delete"), ("id", "c3"), ("before", "3")], 422),
    Form("/shops/shop/zones", &[("do", "set"), ("list", "[")], 422),
    Form("/shops/shop/zones", &[("do", "set"), ("list", SCRIPT), ("before", "3")], 403),
    Form("/shops/shop/zones", &[("do", "set"), ("list", CAMPAIGNS), ("before", "3")], 303),
    Form("/shops/shop/zones/undo", &[("version", "1")], 303),
    Form(
        "/shops/shop/zones/edit",
        &[("do", "publish"), ("zone", "HP-01"), ("shows", "nothing"), ("before", "5")],
        303,
    ),
];

/// Pages whose parts follow: the first of their operations fails before anything is sent.
const FOLLOWED: [&str; 3] =
    ["/shops/shop/figures/live", "/shops/shop/imports/{feed}/live", "/shops/shop/erasures/{erasure}/live"];

/// The operations that a request asked. The first that has not failed before fails: which place it takes among those
/// that are asked at once is chance, and a count of figures goes on when its page has ended.
#[derive(Default)]
struct Asked {
    /// Number of times that the request asked each operation.
    counts: BTreeMap<String, usize>,
    /// Operations that failed in earlier requests and this one, each with how often it had been asked.
    failures: BTreeSet<(String, usize)>,
    failed: Option<String>,
    /// True if any may fail.
    is_failing: bool,
    /// The operation that fails each time.
    broken: Option<&'static str>,
}

type SharedAsked = Arc<Mutex<Asked>>;

fn lock(asked: &SharedAsked) -> MutexGuard<'_, Asked> {
    asked.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Notes an operation; returns true if it is the one that fails.
fn note_asked(asked: &SharedAsked, path: &str) -> bool {
    let mut asked = lock(asked);
    let count = asked.counts.entry(path.to_owned()).or_default();
    *count += 1;
    let place = (path.to_owned(), *count);
    let is_next = asked.is_failing && asked.failed.is_none() && asked.failures.insert(place);
    let fails = is_next || asked.broken == Some(path);
    if fails {
        asked.failed = Some(path.to_owned());
    }
    fails
}

/// The console of a world over operations that are watched.
fn open_console(world: &World, asked: &SharedAsked) -> Router {
    let asked = asked.clone();
    let watch = move |request: Request<Body>, next: Next| {
        let fails = note_asked(&asked, request.uri().path());
        async move {
            if fails {
                let refusal = json!({"Error": "This operation fails."}).to_string();
                (StatusCode::SERVICE_UNAVAILABLE, refusal).into_response()
            } else {
                next.run(request).await
            }
        }
    };
    let operations = lethe::admin::routes::control(world.node().clone()).layer(from_fn(watch));
    router(world.node().clone(), operations, ([127, 0, 0, 1], 80).into())
}

/// A signed-in operator at that console.
struct Desk<'w> {
    world: &'w World,
    pages: Router,
    asked: SharedAsked,
    cookie: String,
    token: String,
    /// Names in paths, each with the thing that it stands for.
    names: Vec<(&'static str, String)>,
}

/// End of a request: its status, the address that it leads to, and the operation that failed, if it came so far.
struct Ended {
    status: u16,
    leads_to: String,
    failed: Option<String>,
}

impl<'w> Desk<'w> {
    async fn open(world: &'w World, role: &str, shops: &[&Shop]) -> Self {
        Browser::sign_in_as(world, "Desk", role, shops).await;
        let asked = SharedAsked::default();
        let pages = open_console(world, &asked);
        let mut desk =
            Self { world, pages, asked, cookie: String::new(), token: String::new(), names: Vec::new() };
        let signing = encode_form(&[("name", "Desk"), ("password", PASSWORD)]);
        let signed = desk.send("POST", "/sign-in", signing).await;
        let set = signed.headers()[header::SET_COOKIE].to_str().expect("a text");
        desk.cookie = set.split(';').next().expect("a cookie").to_owned();
        let home = desk.send("GET", "/places", String::new()).await;
        let home = to_bytes(home.into_body(), usize::MAX).await.expect("a page");
        let home = String::from_utf8_lossy(&home).into_owned();
        let token = home.split("name=\"form_token\" value=\"").nth(1).expect("a token");
        desk.token = token.split('"').next().expect("its end").to_owned();
        desk
    }

    async fn send(&self, method: &str, path: &str, form: String) -> Response {
        let request = Request::builder()
            .method(method)
            .uri(path)
            .header(header::HOST, "localhost")
            .header(header::COOKIE, &self.cookie)
            .header(header::CONTENT_TYPE, FORM)
            .extension(ListenerStop::default())
            .body(Body::from(form))
            .expect("a request");
        self.pages.clone().oneshot(request).await.expect("an answer")
    }

    fn fill_in(&self, path: &str) -> String {
        self.names.iter().fold(path.to_owned(), |path, (name, thing)| path.replace(name, thing))
    }

    /// Lets any operation fail again, or none.
    fn allow_failures(&self, is_failing: bool) {
        *lock(&self.asked) = Asked { is_failing, ..Asked::default() };
    }

    /// Begins to count the operations of the next request.
    fn expect_request(&self) {
        let mut asked = lock(&self.asked);
        asked.counts.clear();
        asked.failed = None;
    }

    /// Sends a request; the first of its operations that has not failed before fails.
    async fn send_failing(&self, row: Row) -> Ended {
        self.expect_request();
        let reply = match row {
            Page(path, _) => self.send("GET", &self.fill_in(path), String::new()).await,
            Form(path, fields, _) => {
                let own = [("form_token", self.token.as_str())];
                let form = encode_form(&[&own, fields].concat());
                self.send("POST", &self.fill_in(path), form).await
            }
        };
        let leads_to = reply.headers().get(header::LOCATION).and_then(|to| to.to_str().ok());
        let leads_to = leads_to.unwrap_or_default().to_owned();
        let failed = lock(&self.asked).failed.clone();
        Ended { status: reply.status().as_u16(), leads_to, failed }
    }

    /// Address that a form leads to while nothing fails.
    async fn follow(&self, row: Row) -> String {
        self.allow_failures(false);
        let ended = self.send_failing(row).await;
        assert_eq!(ended.status, 303, "it leads on");
        ended.leads_to
    }

    /// Lets each operation of a request fail in turn, until none is left that fails; gives the wrong answers.
    async fn find_faults(&self, row: Row) -> Vec<String> {
        self.world.clock.advance(PAUSE);
        let (path, whole) = match row {
            Page(path, status) | Form(path, _, status) => (path, status),
        };
        let mut faults = Vec::new();
        self.allow_failures(true);
        for _ in 0..OPERATIONS {
            let ended = self.send_failing(row).await;
            let is_spared =
                ended.failed.as_ref().is_none_or(|failed| SPARED.contains(&(path, failed.as_str())));
            let due = if is_spared { whole } else { 503 };
            if ended.status != due {
                faults.push(format!("{path}: {}, not {due}, with {:?} failing", ended.status, ended.failed));
            }
            if ended.failed.is_none() {
                return faults;
            }
        }
        panic!("{path} asks ever more");
    }

    async fn assert_told(&self, rows: &[Row]) {
        let mut faults = Vec::new();
        for row in rows {
            faults.extend(self.find_faults(*row).await);
        }
        assert_eq!(faults, [""; 0]);
    }

    /// The tokens of the feeds of a shop, and the number of its erasure.
    async fn learn_names(&mut self, shop: &Shop) {
        let feeds = self.world.ask_json(shop, "/api/submissions", json!({"Kind": "feed"})).await;
        for (name, is_checked) in [("{feed}", false), ("{checked}", true)] {
            let feed = feeds.as_array().into_iter().flatten().find(|feed| feed["DryRun"] == is_checked);
            let token = feed.expect("a feed")["Token"].as_str().expect("a token");
            self.names.push((name, token.to_owned()));
        }
        let erasures = self.world.ask_json(shop, "/api/erasures", json!({})).await;
        self.names.push(("{erasure}", erasures[0]["Erasure"].as_str().expect("an id").to_owned()));
    }
}

#[test]
fn a_page_of_the_server_says_that_an_operation_fails() {
    on_sqlite(async |world| {
        let shop = world.shop("shop").await;
        fill(&world, &shop).await;
        let mut desk = Desk::open(&world, "owner", &[]).await;
        let pending = json!({"Name": "Pending", "Role": "viewer", "Shops": ["shop"]});
        let pending = world.control("/control/operator/add", pending).await;
        desk.names.push(("{operator}", pending["Number"].as_str().expect("a number").to_owned()));
        desk.assert_told(OF_THE_SERVER).await;
        // A page that does without its figures says why, in their place.
        world.clock.advance(limits::FIGURES_REMEMBERED_DURATION);
        *lock(&desk.asked) = Asked { broken: Some("/api/report"), ..Asked::default() };
        let page = desk.send("GET", "/shops/shop?count=now", String::new()).await;
        let page = to_bytes(page.into_body(), usize::MAX).await.expect("a page");
        let fault = "<p class=\"note\">The figures could not be counted. This operation fails. <a ";
        assert!(String::from_utf8_lossy(&page).contains(fault));
    });
}

#[test]
fn a_page_about_people_says_that_an_operation_fails() {
    on_sqlite(async |world| {
        let shop = world.shop("shop").await;
        fill(&world, &shop).await;
        let mut desk = Desk::open(&world, "privacy-officer", &[&shop]).await;
        desk.learn_names(&shop).await;
        let person = desk.follow(Form("/shops/shop/people", &[("identifier", "userid:ada")], 303)).await;
        desk.names.push(("{person}", person));
        desk.assert_told(OF_PEOPLE).await;
    });
}

#[test]
fn a_page_of_the_catalogue_says_that_an_operation_fails() {
    on_sqlite(async |world| {
        let shop = world.shop("shop").await;
        fill(&world, &shop).await;
        let mut desk = Desk::open(&world, "merchandiser", &[&shop]).await;
        desk.learn_names(&shop).await;
        desk.assert_told(OF_THE_CATALOGUE).await;
        for path in FOLLOWED {
            desk.allow_failures(true);
            let ended = desk.send_failing(Page(path, 200)).await;
            assert_eq!((ended.status, ended.failed.is_some()), (503, true), "{path}");
        }
    });
}

#[test]
fn a_page_of_rules_and_zones_says_that_an_operation_fails() {
    on_sqlite(async |world| {
        let shop = world.shop("shop").await;
        fill(&world, &shop).await;
        let mut desk = Desk::open(&world, "merchandiser", &[&shop]).await;
        for (name, form) in TRIED {
            let tried = desk.follow(form).await;
            desk.names.push((name, tried));
        }
        desk.assert_told(OF_SELLING).await;
    });
}
