//! A world for a test: a real node on a fresh folder, served over real HTTP, with a clock that the test moves,
//! jobs that run when the test says so, and a shop's web server to fetch feeds from.

use std::future::Future;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::http::Request;
use http_body_util::BodyExt;
use lethe::api;
use lethe::clock::Clock;
use lethe::config::Config;
use lethe::console;
use lethe::ids::AccountId;
use lethe::jobs::Lane;
use lethe::keys::Keys;
use lethe::limits;
use lethe::node::{Node, StartFault};
use lethe::outbound::{AddressPolicy, FetchLimits, Outbound, SystemResolver};
use lethe::people::record_kind::RecordKind;
use lethe::people::subject::{self, SubjectFault, SubjectId, record_aad};
use lethe::store::{Owner, Statement, StoreFault, Tx};
use lethe::transport::listener;
use lethe::work;
use serde_json::{Value, json};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tower::ServiceExt;
use zeroize::Zeroizing;

use crate::support::error_pages;
use crate::support::feed_server::{Answer, FeedServer};
use crate::support::log_traces;
use crate::support::openapi;
use crate::support::postgres::Database;
use crate::support::statements;

/// Makes `sqlite::NAME` and `postgres::NAME` from each `async fn NAME(World)` of the module.
macro_rules! on_both_engines {
    ($($name:ident)*) => {
        mod sqlite { $(#[test] fn $name() { crate::support::world::on_sqlite(super::$name); })* }
        mod postgres { $(#[test] fn $name() { crate::support::world::on_postgres(super::$name); })* }
    };
}
pub(crate) use on_both_engines;

/// The records of one kind of a subject, opened.
pub fn records(
    tx: &mut Tx<'_>,
    keys: &Keys,
    account: AccountId,
    subject: &SubjectId,
    kind: &RecordKind,
) -> Result<Vec<Zeroizing<Vec<u8>>>, SubjectFault> {
    let Some(open) = subject::open(tx, keys, account, subject)? else { return Ok(Vec::new()) };
    let mut records = Vec::new();
    for row in tx.run(&lethe::sql::record_all, lethe::args![account.0, subject, "", -1, i64::MAX])? {
        let name = row.text("kind")?;
        let n = row.int("n")?;
        if name == kind.name() {
            records.push(open.sealer.open(&record_aad(account, subject, name, n), row.blob("sealed")?)?);
        }
    }
    Ok(records)
}

/// A statement of the test that both engines understand.
pub const fn statement(name: &'static str, text: &'static str) -> Statement {
    Statement::new(name, text, text)
}

/// Number of suppressed identifiers of an account.
pub const SUPPRESSED: Statement =
    statement("suppressed", "SELECT count(*) AS counted FROM suppression WHERE account_id = $1");

/// Body of a test in its world. In a box, so that the runtime is compiled once and not for each test.
type Test = Pin<Box<dyn Future<Output = ()>>>;

/// Runs a property on the embedded store.
pub fn on_sqlite<F: Future<Output = ()> + 'static>(property: impl Fn(World) -> F + 'static) {
    run(None, Box::new(move |world| Box::pin(property(world))));
}

/// Runs a property on a fresh PostgreSQL database, if there is a server.
pub fn on_postgres<F: Future<Output = ()> + 'static>(property: impl Fn(World) -> F + 'static) {
    let Some(database) = Database::create_migrated() else { return };
    run(Some(database), Box::new(move |world| Box::pin(property(world))));
}

/// Every wait of a test has an end: two minutes, more where more than usual was asked for.
fn run(database: Option<Database>, property: Box<dyn Fn(World) -> Test>) {
    let more = (crate::support::repetitions::read_wanted_rounds() as u64 / 300)
        .max(crate::support::repetitions::read_wanted_people() / 20);
    let more = more.max(crate::support::repetitions::read_wanted_samples() as u64 / 20);
    let most = Duration::from_secs(120) * u32::try_from(more).unwrap_or(1).max(1);
    log_traces::capture_logs();
    let is_postgres = database.is_some();
    let test = async { property(World::open(database).await).await };
    let ended = runtime().block_on(async { tokio::time::timeout(most, test).await });
    ended.unwrap_or_else(|_| panic!("the test ends within {most:?}"));
    log_traces::assert_clean();
    statements::write_names(is_postgres);
}

pub fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("a runtime")
}

/// Noon of a day in 2026.
pub const NOON: i64 = 1_795_262_400_000;

pub struct World {
    pub clock: Clock,
    pub config: Config,
    pub feeds: FeedServer,
    pub database: Option<Database>,
    client: reqwest::Client,
    running: Option<Running>,
    crashes: usize,
    /// True if the folder is one in memory.
    is_in_memory: bool,
    folder: tempfile::TempDir,
}

/// A node with its listener.
struct Running {
    node: Arc<Node>,
    base: String,
    console: String,
    stop: CancellationToken,
    served: [JoinHandle<()>; 2],
}

/// A shop with its keys.
#[derive(Clone)]
pub struct Shop {
    pub name: String,
    pub key: String,
    pub secret: String,
}

/// Token for the operator's metrics.
pub const METRICS_TOKEN: &str = "metrics-token-of-the-test";

/// Answer to a request.
pub struct Reply {
    pub status: u16,
    pub headers: reqwest::header::HeaderMap,
    pub text: String,
}

impl Reply {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|_| panic!("no JSON: {}", self.text))
    }

    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }

    /// The sentence of a refusal with this status.
    pub fn expect_refusal(&self, status: u16) -> String {
        assert_eq!(self.status, status, "{}", self.text);
        assert_eq!(self.header("content-type"), "application/json");
        let body = self.json();
        assert_eq!(body.as_object().map(|fields| fields.len()), Some(1), "{body}");
        body["Error"].as_str().expect("a sentence").to_owned()
    }
}

/// A client for `http` alone, which reads none of the system's certificates.
pub fn plain_client() -> reqwest::Client {
    client_builder().build().expect("a client")
}

/// The same before it is built. It uses no connection again that the server may be about to close.
pub fn client_builder() -> reqwest::ClientBuilder {
    let builder = reqwest::Client::builder().no_proxy().tls_certs_only([]);
    builder.pool_idle_timeout(limits::HEAD_DURATION / 2)
}

impl World {
    pub async fn open(database: Option<Database>) -> Self {
        // Power cuts are a matter of `faults`: all else may lie in memory.
        let folder = match std::env::var_os("LETHE_TEST_FOLDER") {
            Some(folder) => tempfile::tempdir_in(folder),
            None => tempfile::tempdir(),
        };
        Self::open_in(folder.expect("a folder"), database).await
    }

    /// The same in memory, where the machine has such a folder: for tests that sync very often.
    pub async fn open_in_memory(database: Option<Database>) -> Self {
        let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir());
        let mut world = Self::open_in(folder.expect("a folder"), database).await;
        world.is_in_memory = true;
        world.without_ballast();
        world
    }

    /// The room kept for a full disk would be copied at each crash and scanned by each erasure of a test in memory.
    fn without_ballast(&self) {
        if self.is_in_memory {
            let _ = std::fs::remove_file(self.config.data_dir.join("ballast"));
        }
    }

    async fn open_in(folder: tempfile::TempDir, database: Option<Database>) -> Self {
        let config = Config {
            store: database.as_ref().map_or_else(|| "sqlite:".to_owned(), Database::url),
            feed_allow: vec!["127.0.0.0/8".parse().expect("a network")],
            feed_ports: vec![80, 443],
            metrics_token: Some(METRICS_TOKEN.to_owned()),
            ..Config::local(folder.path().join("data"), folder.path().join("keys"))
        };
        let clock = Clock::set_to(NOON);
        let client = plain_client();
        let feeds = FeedServer::start().await;
        let running = Some(Running::start(&config, &clock).await);
        database.iter().for_each(Database::watch_owners);
        Self { clock, config, feeds, database, client, running, crashes: 0, is_in_memory: false, folder }
    }

    fn running(&self) -> &Running {
        self.running.as_ref().expect("the node runs")
    }

    pub fn node(&self) -> &Arc<Node> {
        &self.running().node
    }

    pub fn url(&self, path: &str) -> String {
        format!("{}{path}", self.running().base)
    }

    /// A page of the console.
    pub fn page(&self, path: &str) -> String {
        format!("{}{path}", self.running().console)
    }

    pub fn is_postgres(&self) -> bool {
        self.database.is_some()
    }

    /// Stops the node as SIGTERM does.
    pub async fn stop(&mut self) {
        self.client = plain_client();
        if let Some(running) = self.running.take() {
            running.stop().await;
        }
    }

    /// Stops the node and opens it again on the same folders.
    pub async fn restart(&mut self) {
        self.stop().await;
        self.running = Some(Running::start(&self.config, &self.clock).await);
        self.without_ballast();
    }

    /// Renames a table, so that what needs it fails.
    pub async fn rename(&self, from: &str, to: &str) {
        let renaming = statement("rename", String::leak(format!("ALTER TABLE {from} RENAME TO {to}")));
        let renamed = self.node().store.write(Owner::STORE, move |tx| tx.exec(&renaming, lethe::args![]));
        renamed.await.map_err(|fault: StoreFault| fault).expect("renamed");
    }

    /// Ends the node as `kill -9` does between two of its writes: a copy of its files as they are at this moment is
    /// opened, and whatever the old one still does reaches nothing but its own.
    pub async fn crash(&mut self) {
        self.crash_and(|_| ()).await;
    }

    /// The same; `hurt` is given the data folder before it is opened again.
    pub async fn crash_and(&mut self, hurt: impl FnOnce(&Path)) {
        self.client = plain_client();
        let running = self.running.take().expect("the node runs");
        self.crashes += 1;
        let old = (self.config.data_dir.clone(), self.config.key_dir.clone());
        self.config.data_dir = self.folder.path().join(format!("data-{}", self.crashes));
        self.config.key_dir = self.folder.path().join(format!("keys-{}", self.crashes));
        copy_folder(&old.0, &self.config.data_dir);
        copy_folder(&old.1, &self.config.key_dir);
        if self.is_postgres() {
            // As if the next start had waited until the dead one counts as dead.
            running.node.release().await;
        }
        running.stop.cancel();
        running.served.iter().for_each(JoinHandle::abort);
        drop(running);
        hurt(&self.config.data_dir);
        self.running = Some(Running::start(&self.config, &self.clock).await);
        self.without_ballast();
        for folder in [old.0, old.1] {
            remove_folder(&folder);
        }
    }

    /// Tries to open the stopped node again, which has to fail.
    pub async fn open_fault(&self) -> StartFault {
        for _ in 0..200 {
            match try_open(&self.config, &self.clock).await {
                Ok(_) => panic!("the node opened"),
                Err(StartFault::InUse(_)) => tokio::time::sleep(Duration::from_millis(10)).await,
                Err(fault) => return fault,
            }
        }
        panic!("the folder is still in use")
    }

    /// Makes an account over the control socket's routes.
    pub async fn shop(&self, name: &str) -> Shop {
        let made = self.control("/control/account/create", json!({"Name": name, "Currency": "GBP"})).await;
        let text = |field: &str| made[field].as_str().expect("a key").to_owned();
        Shop { name: name.to_owned(), key: text("AccessKey"), secret: text("SecretKey") }
    }

    /// One of the operator's requests.
    pub async fn control(&self, path: &str, body: Value) -> Value {
        serde_json::from_str(&self.control_text(path, body).await).expect("JSON")
    }

    /// The same, with whatever text it answers.
    pub async fn control_text(&self, path: &str, body: Value) -> String {
        let (status, text) = self.control_answer(path, body).await;
        assert!(status.is_success(), "{path}: {status} {text}");
        text
    }

    /// The same with its status, also when it is refused.
    pub async fn control_answer(&self, path: &str, body: Value) -> (reqwest::StatusCode, String) {
        let request = Request::post(path)
            .header("content-type", "application/json")
            .extension(lethe::transport::peer::Peer::Operator)
            .body(Body::from(body.to_string()))
            .expect("a request");
        let answer =
            lethe::admin::routes::control(self.node().clone()).oneshot(request).await.expect("an answer");
        let status = answer.status();
        let body = answer.into_body().collect().await.expect("a body").to_bytes();
        (status, String::from_utf8_lossy(&body).into_owned())
    }

    /// Any request.
    pub async fn send(&self, request: reqwest::RequestBuilder) -> Reply {
        let (client, request) = request.build_split();
        let request = request.expect("a request");
        let method = request.method().as_str().to_lowercase();
        let sent = tokio::time::timeout(Duration::from_secs(60), client.execute(request)).await;
        let answer = sent.expect("an answer in time").expect("an answer");
        let status = answer.status().as_u16();
        let headers = answer.headers().clone();
        let path = answer.url().path().to_owned();
        let text = answer.text().await.expect("a text");
        log_traces::assert_silent(&path, status, &text);
        let reply = Reply { status, headers, text };
        error_pages::assert_explained(&reply);
        openapi::assert_described(&method, &path, &reply);
        reply
    }

    pub fn request(&self, method: &str, path: &str) -> reqwest::RequestBuilder {
        self.client.request(method.parse().expect("a method"), self.url(path))
    }

    /// Bytes as a JSON body.
    pub async fn post_bytes(&self, path: &str, body: impl Into<reqwest::Body>) -> Reply {
        let request = self.request("POST", path).header("content-type", "application/json").body(body);
        self.send(request).await
    }

    pub async fn post(&self, path: &str, body: &Value) -> Reply {
        self.post_bytes(path, body.to_string()).await
    }

    /// Asks as the operator.
    pub async fn get(&self, path: &str) -> Reply {
        self.send(self.request("GET", path).bearer_auth(METRICS_TOKEN)).await
    }

    /// Posts `body` with the shop's credentials.
    pub async fn ask(&self, shop: &Shop, path: &str, mut body: Value) -> Reply {
        body["AccessKey"] = shop.key.as_str().into();
        body["SecretKey"] = shop.secret.as_str().into();
        self.post(path, &body).await
    }

    /// The same, expecting 200 and JSON.
    pub async fn ask_json(&self, shop: &Shop, path: &str, body: Value) -> Value {
        let reply = self.ask(shop, path, body).await;
        assert_eq!(reply.status, 200, "{path}: {}", reply.text);
        reply.json()
    }

    /// Sends a delta; gives its token.
    pub async fn delta(&self, shop: &Shop, body: Value) -> String {
        self.ask_json(shop, "/api/delta", body).await["Token"].as_str().expect("a token").to_owned()
    }

    /// `[Status, Reason or null]` of a delta.
    pub async fn delta_status(&self, shop: &Shop, token: &str) -> Value {
        let items = self.ask_json(shop, "/api/deltastatus", json!({"Tokens": [token]})).await;
        json!([items[0]["Status"], items[0]["Reason"]])
    }

    /// Sends a delta, works, and demands that it was applied.
    pub async fn apply_delta(&self, shop: &Shop, body: Value) {
        let token = self.delta(shop, body).await;
        self.run_all_jobs().await;
        assert_eq!(self.delta_status(shop, &token).await, json!([1, null]));
    }

    /// Submits a feed; gives its token.
    pub async fn feed(&self, shop: &Shop, url: &str) -> String {
        let reply = self.ask(shop, "/api/productfeed", json!({"url": url})).await;
        assert_eq!(reply.status, 200, "{}", reply.text);
        reply.header("x-feed-token").to_owned()
    }

    /// `[Status, Error or null]` of a feed.
    pub async fn feed_status(&self, shop: &Shop, token: &str) -> Value {
        let body = json!({"AppKey": shop.key, "Tokens": [token]});
        let items = self.post("/api/productfeedstatus", &body).await.json();
        json!([items[0]["Status"], items[0]["Error"]])
    }

    /// Publishes a body as a feed under an address of its own, works, and gives its status.
    pub async fn publish_feed(&self, shop: &Shop, path: &str, body: &Value) -> Value {
        let url = self.feeds.serve(path, [Answer::ok(body.to_string())]);
        let token = self.feed(shop, &url).await;
        self.run_all_jobs().await;
        self.feed_status(shop, &token).await
    }

    /// The same, which has to end well.
    pub async fn complete_feed(&self, shop: &Shop, path: &str, body: &Value) {
        assert_eq!(self.publish_feed(shop, path, body).await, json!(["Complete", null]));
    }

    /// The state in which an erasure stays that cannot be proven.
    pub fn unprovable_state(&self) -> &'static str {
        if self.database.is_none() { "settled" } else { "unlearned" }
    }

    pub async fn forget(&self, shop: &Shop, identifier: &str) {
        let reply = self.ask(shop, "/api/user/forget", json!({"Identifier": identifier})).await;
        assert_eq!(reply.status, 200, "{}", reply.text);
    }

    /// An item of any section as the shop shows it; null when it does not.
    pub async fn item(&self, shop: &Shop, section: &str, key: &str) -> Value {
        let reply = self.ask(shop, "/api/product", json!({"Id": key, "Section": section})).await;
        match reply.status {
            404 => Value::Null,
            _ => reply.json()["Item"].clone(),
        }
    }

    /// The title of a product; null when it is not shown.
    pub async fn title(&self, shop: &Shop, key: &str) -> Value {
        self.item(shop, "Products", key).await["Title"].clone()
    }

    /// Number of shown items of a section.
    pub async fn count(&self, shop: &Shop, section: &str) -> i64 {
        let shown = self.ask_json(shop, "/api/catalogue", json!({"Limit": 0})).await;
        shown["Counts"][section].as_i64().expect("a count")
    }

    /// Subjects held for a shop, by the operator's metrics.
    pub async fn subjects(&self, shop: &Shop) -> u64 {
        let request = self.request("GET", "/metrics").bearer_auth(METRICS_TOKEN);
        let text = self.send(request).await.text;
        let wanted = format!("lethe_subjects{{account=\"{}\"}} ", shop.name);
        let line = text.lines().find_map(|line| line.strip_prefix(&wanted)).expect("the shop's line");
        line.parse().expect("a number")
    }

    /// Runs due jobs of one lane; gives how many.
    pub async fn run_jobs(&self, lane: Lane) -> usize {
        let stop = CancellationToken::new();
        let mut ran = 0;
        while work::run_due(self.node(), lane, &stop).await.expect("a job is claimed") {
            ran += 1;
            assert!(ran < 10_000, "the jobs of {lane:?} never end");
        }
        ran
    }

    /// Runs jobs until nothing is due, also a quarter of a second later: an erasure looks that often whether
    /// what holds it up has ended.
    pub async fn run_all_jobs(&self) {
        for _ in 0..200 {
            let mut ran = 0;
            for lane in lethe::work::KINDS.iter().map(|kind| kind.lane) {
                ran += self.run_jobs(lane).await;
            }
            if ran == 0 {
                crate::support::catalogue_follower::assert_lists(self).await;
                crate::support::quota::assert_sizes_counted(self).await;
                return;
            }
            self.clock.advance(Duration::from_millis(250));
        }
        panic!("the work never ends");
    }

    /// The folders in which anything may be stored.
    pub fn folders(&self) -> [PathBuf; 2] {
        [self.config.data_dir.clone(), self.config.key_dir.clone()]
    }
}

impl Running {
    async fn start(config: &Config, clock: &Clock) -> Self {
        let node = open(config, clock).await;
        let listener = tokio::net::TcpListener::bind(config.listen).await.expect("a port");
        let base = format!("http://{}", listener.local_addr().expect("its address"));
        let stop = CancellationToken::new();
        let for_console = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = for_console.local_addr().expect("its address");
        let pages =
            console::routes::router(node.clone(), lethe::admin::routes::control(node.clone()), address);
        let of_operators = node.resources.console_connections.clone();
        let served = [
            tokio::spawn(listener::serve(
                listener,
                node.clone(),
                api::routes::public(node.clone()),
                stop.clone(),
            )),
            tokio::spawn(listener::serve_among(of_operators, for_console, node.clone(), pages, stop.clone())),
        ];
        Self { node, base, console: format!("http://{address}"), stop, served }
    }

    async fn stop(self) {
        self.stop.cancel();
        for served in self.served {
            served.await.expect("the listener ended");
        }
        self.node.release().await;
    }
}

/// Copies a folder's files as they are. Of a search index some may go meanwhile: segments are merged by themselves.
pub fn copy_folder(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a folder");
    for entry in std::fs::read_dir(from).expect("a folder").map(|entry| entry.expect("an entry")) {
        let copy = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy_folder(&entry.path(), &copy);
        } else if let Err(fault) = std::fs::copy(entry.path(), copy) {
            let is_gone = fault.kind() == std::io::ErrorKind::NotFound;
            assert!(is_gone && is_of_search(&entry.path()), "{}: {fault}", entry.path().display());
        }
    }
}

fn is_of_search(path: &Path) -> bool {
    path.ancestors().any(|folder| folder.ends_with("search"))
}

/// Removes a folder of a node that ended; what merges an index there may still write into it, which stays until the
/// end of the test.
pub fn remove_folder(folder: &Path) {
    if let Err(fault) = std::fs::remove_dir_all(folder) {
        assert!(folder.join("search").exists(), "the old folder goes: {fault}");
    }
}

/// Opens the node; threads of one that was just stopped may need a moment to let go of the folders.
async fn open(config: &Config, clock: &Clock) -> Arc<Node> {
    let mut tries = 0;
    loop {
        match try_open(config, clock).await {
            Ok(node) => return node,
            Err(fault) if tries == 200 => panic!("the node does not open: {fault}"),
            Err(_) => tokio::time::sleep(Duration::from_millis(10)).await,
        }
        tries += 1;
    }
}

async fn try_open(config: &Config, clock: &Clock) -> Result<Arc<Node>, StartFault> {
    let policy = AddressPolicy { allow: config.feed_allow.clone(), ports: config.feed_ports.clone() };
    let outbound = Outbound::new(policy, Arc::new(SystemResolver), FetchLimits::default());
    Node::open_with(config.clone(), clock.clone(), outbound).await
}

/// A folder of `../shared`, such as `data`; `None` in a lone clone, which passes without it.
pub fn shared_folder(name: &str) -> Option<PathBuf> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared").join(name);
    if folder.exists() {
        return Some(folder);
    }
    crate::support::postgres::not_run(&format!("what needs ../shared/{name}"));
    None
}
