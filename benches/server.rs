//! The real server as a process of its own, and a web server that has a feed.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use serde_json::Value;
use tokio::io::AsyncWriteExt;
use tokio_util::io::ReaderStream;

use crate::{client, process};

/// A running `lethe serve`, killed when dropped.
pub struct Server {
    child: Child,
    pub address: SocketAddr,
    /// The keys of its first shop.
    keys: Keys,
    /// Its database, if that is PostgreSQL.
    database: Option<String>,
    folder: tempfile::TempDir,
}

/// Access key and secret of a shop.
pub type Keys = (String, String);

impl Server {
    /// Starts it on a fresh folder, or on a fresh database of a PostgreSQL server.
    pub async fn start(postgres: Option<&str>) -> Self {
        let database = match postgres {
            Some(url) => Some(fresh_database(url).await),
            None => None,
        };
        let folder = tempfile::tempdir_in(scratch()).expect("a folder");
        let mut server = Self::start_in(folder, database).await;
        server.keys = server.shop("bench");
        server
    }

    /// Starts it on the data in a folder, and in a database of PostgreSQL.
    pub async fn start_in(folder: tempfile::TempDir, database: Option<String>) -> Self {
        let address = SocketAddr::from(([127, 0, 0, 1], free_port()));
        let child = serve(address, folder.path(), database.as_deref());
        let server = Self { child, address, keys: Keys::default(), database, folder };
        server.wait().await;
        server
    }

    /// Kills it and starts it again on its data.
    pub async fn restart(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        self.child = serve(self.address, self.folder.path(), self.database.as_deref());
        self.wait().await;
    }

    /// The folder of its folders: `data`, and `keys` next to it.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The keys of its first shop.
    pub fn keys(&self) -> Keys {
        self.keys.clone()
    }

    /// Its database, if that is PostgreSQL.
    pub fn database(&self) -> Option<&str> {
        self.database.as_deref()
    }

    /// Its process.
    pub fn process(&self) -> u32 {
        self.child.id()
    }

    async fn wait(&self) {
        for _ in 0..400 {
            if tokio::net::TcpStream::connect(self.address).await.is_ok() {
                return;
            }
            tokio::time::sleep(Duration::from_millis(25)).await;
        }
        panic!("lethe does not listen");
    }

    /// Makes a shop; gives its keys.
    pub fn shop(&self, name: &str) -> Keys {
        let made = Command::new(process::program())
            .args(["account", "create", name, "--json", "--data-dir"])
            .arg(self.folder.path().join("data"))
            .output()
            .expect("an account");
        let keys: Value = serde_json::from_slice(&made.stdout).expect("keys");
        let text = |name: &str| keys[name].as_str().expect("a key").to_owned();
        (text("AccessKey"), text("SecretKey"))
    }

    /// Makes many shops, over the control socket.
    pub async fn shops(&self, count: usize) -> Vec<Keys> {
        let socket = lethe::node::control_socket(&self.folder.path().join("data"));
        let mut stream = tokio::net::UnixStream::connect(socket).await.expect("the control socket");
        let mut keys = Vec::with_capacity(count);
        let mut buffer = Vec::new();
        for number in 0..count {
            let body = serde_json::json!({"Name": format!("shop-{number}")}).to_string();
            let request = client::post("/control/account/create", body.as_bytes());
            stream.write_all(&request).await.expect("sent");
            let (status, body) = client::answer(&mut stream, &mut buffer).await;
            assert_eq!(status, 200, "{}", String::from_utf8_lossy(body));
            let made: Value = serde_json::from_slice(body).expect("keys");
            let text = |name: &str| made[name].as_str().expect("a key").to_owned();
            keys.push((text("AccessKey"), text("SecretKey")));
        }
        keys
    }

    /// Deadlocks and undone transactions of its PostgreSQL database, and how many submissions have been applied.
    pub async fn conflicts(&self) -> (i64, i64, i64) {
        let url = self.database.clone().expect("a database");
        let asking = tokio::task::spawn_blocking(move || {
            let mut client = postgres::Client::connect(&url, postgres::NoTls).expect("PostgreSQL");
            let text = "SELECT deadlocks, xact_rollback, (SELECT count(*) FROM submission WHERE state = 1) \
                        FROM pg_stat_database WHERE datname = current_database()";
            let row = client.query_one(text, &[]).expect("statistics");
            (row.get(0), row.get(1), row.get(2))
        });
        asking.await.expect("statistics")
    }

    /// A request body with the first shop's keys.
    pub fn signed(&self, rest: Value) -> Vec<u8> {
        signed(&self.keys, rest)
    }

    /// A request of a shop, ready to be sent.
    pub fn request_as(&self, keys: &Keys, path: &str, rest: Value) -> Vec<u8> {
        client::post(path, &signed(keys, rest))
    }

    /// Asks for the first shop and expects 200.
    pub async fn ask(&self, path: &str, rest: Value) -> Value {
        self.ask_as(&self.keys, path, rest).await
    }

    /// Asks for a shop and expects 200; null for an answer that is not JSON.
    pub async fn ask_as(&self, keys: &Keys, path: &str, rest: Value) -> Value {
        let (status, _, body) = client::ask(self.address, &client::post(path, &signed(keys, rest))).await;
        assert_eq!(status, 200, "{path}: {}", String::from_utf8_lossy(&body));
        serde_json::from_slice(&body).unwrap_or(Value::Null)
    }

    /// Asks for the first shop, expects 200, and gives the head of the answer.
    pub async fn head(&self, path: &str, rest: Value) -> String {
        let (status, head, _) = client::ask(self.address, &client::post(path, &self.signed(rest))).await;
        assert_eq!(status, 200, "{path}");
        head
    }

    /// Searches in a shop; nothing while its index is being made.
    pub async fn search_as(&self, keys: &Keys, asked: Value) -> Option<Value> {
        let request = client::post("/api/search", &signed(keys, asked));
        let (status, _, body) = client::ask(self.address, &request).await;
        assert!(matches!(status, 200 | 503), "{}", String::from_utf8_lossy(&body));
        (status == 200).then(|| serde_json::from_slice(&body).expect("an answer"))
    }

    /// Waits until a search in a shop is answered; gives the first answer.
    pub async fn searchable(&self, keys: &Keys) -> Value {
        loop {
            if let Some(found) = self.search_as(keys, serde_json::json!({"Size": 1})).await {
                return found;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// Bytes of all files in the data folder.
    pub fn stored_bytes(&self) -> u64 {
        fn below(path: &Path) -> u64 {
            let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
            entries
                .map(|entry| match entry.metadata() {
                    Ok(found) if found.is_dir() => below(&entry.path()),
                    found => found.map_or(0, |found| found.len()),
                })
                .sum()
        }
        below(&self.folder.path().join("data"))
    }

    /// Sends a piece of an upload of the first shop; gives the token, if the answer tells one.
    pub async fn piece(&self, path: &str, name: &str, piece: &str) -> Option<String> {
        self.piece_as(&self.keys, path, name, piece).await
    }

    /// A piece of an upload of a shop, ready to be sent.
    pub fn form_as(&self, keys: &Keys, path: &str, name: &str, piece: &str) -> Vec<u8> {
        let mut form = url::form_urlencoded::Serializer::new(String::new());
        form.append_pair("accessKey", &keys.0).append_pair("secretKey", &keys.1);
        form.append_pair("feedName", name);
        if !piece.is_empty() {
            form.append_pair("payLoad", piece);
        }
        client::form(path, &form.finish())
    }

    /// Sends a piece of an upload of a shop; gives the token, if the answer tells one.
    pub async fn piece_as(&self, keys: &Keys, path: &str, name: &str, piece: &str) -> Option<String> {
        let (status, head, body) = client::ask(self.address, &self.form_as(keys, path, name, piece)).await;
        assert_eq!((status, &body[..]), (200, &b"OK"[..]), "{}", String::from_utf8_lossy(&body));
        token(&head)
    }

    /// Submits a feed and waits for its end; gives the seconds from acceptance to publication.
    pub async fn import(&self, url: &str) -> f64 {
        self.import_as(&self.keys, url).await
    }

    /// The same for a shop.
    pub async fn import_as(&self, keys: &Keys, url: &str) -> f64 {
        let began = std::time::Instant::now();
        let request = client::post("/api/productfeed", &signed(keys, serde_json::json!({"url": url})));
        let (status, head, _) = client::ask(self.address, &request).await;
        assert_eq!(status, 200);
        self.complete_as(keys, &token(&head).expect("a token")).await;
        began.elapsed().as_secs_f64()
    }

    /// Waits until a feed of the first shop is complete.
    pub async fn complete(&self, token: &str) {
        self.complete_as(&self.keys, token).await;
    }

    /// Waits until a feed of a shop is complete.
    pub async fn complete_as(&self, keys: &Keys, token: &str) {
        loop {
            let status =
                self.ask_as(keys, "/api/productfeedstatus", serde_json::json!({"Tokens": [token]})).await;
            match status[0]["Status"].as_str() {
                Some("Complete") => return,
                Some("Processing") => tokio::time::sleep(Duration::from_millis(20)).await,
                _ => panic!("the feed failed: {status}"),
            }
        }
    }

    /// CPU-seconds used so far, with those of the database's processes if it has one.
    pub fn cpu_seconds(&self) -> f64 {
        let database = self.database.as_ref().map_or(0.0, |_| process::all_cpu_seconds("postgres"));
        database + process::cpu_seconds(self.child.id()).expect("it runs")
    }

    /// Peak resident memory in bytes.
    pub fn peak_bytes(&self) -> u64 {
        process::memory(self.child.id(), "VmHWM:").expect("it runs")
    }

    /// Resident memory in bytes.
    pub fn resident_bytes(&self) -> u64 {
        process::memory(self.child.id(), "VmRSS:").expect("it runs")
    }

    /// Resident memory in bytes that holds no file: the system cannot take it back.
    pub fn held_bytes(&self) -> u64 {
        process::memory(self.child.id(), "RssAnon:").expect("it runs")
    }
}

fn signed((access_key, secret_key): &Keys, rest: Value) -> Vec<u8> {
    let mut body = rest;
    body["AppKey"] = access_key.as_str().into();
    body["SecretKey"] = secret_key.as_str().into();
    body.to_string().into_bytes()
}

fn token(head: &str) -> Option<String> {
    head.lines().find_map(|line| line.strip_prefix("x-feed-token: ")).map(str::to_owned)
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn serve(address: SocketAddr, folder: &Path, database: Option<&str>) -> Child {
    let mut command = Command::new(process::program());
    let listen = address.to_string();
    command.args(["serve", "--feed-allow", "127.0.0.0/8", "--listen", &listen, "--data-dir"]);
    command.arg(folder.join("data")).stdout(Stdio::null());
    command.args(database.into_iter().flat_map(|database| ["--store", database]));
    command.spawn().expect("lethe starts")
}

/// A folder on a real disk: a temporary folder may be memory, where an fsync costs nothing.
pub fn scratch() -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    std::fs::create_dir_all(&folder).expect("a scratch folder");
    folder
}

fn free_port() -> u16 {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("an address").port()
}

pub async fn fresh_database(url: &str) -> String {
    let url = url.to_owned();
    let name = format!("bench_{}", uuid::Uuid::new_v4().simple());
    tokio::task::spawn_blocking(move || {
        let mut client = postgres::Client::connect(&url, postgres::NoTls).expect("PostgreSQL");
        client.batch_execute(&format!("CREATE DATABASE {name}")).expect("a database");
        let mut parsed = url::Url::parse(&url).expect("a URL");
        parsed.set_path(&name);
        parsed.to_string()
    })
    .await
    .expect("a database")
}

/// A web server with one feed; knows ETags when told to.
pub struct FeedServer {
    pub url: String,
    pub sent: Arc<AtomicU64>,
}

#[derive(Clone)]
struct Feed {
    path: PathBuf,
    sent: Arc<AtomicU64>,
}

impl FeedServer {
    pub async fn start(path: &Path) -> Self {
        let sent = Arc::new(AtomicU64::new(0));
        let feed = Feed { path: path.to_owned(), sent: sent.clone() };
        let router = Router::new().route("/feed.json", get(send)).with_state(feed);
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self { url: format!("http://{address}/feed.json"), sent }
    }
}

async fn send(State(feed): State<Feed>, headers: HeaderMap) -> Response {
    if headers.get(header::IF_NONE_MATCH).is_some_and(|etag| etag == "\"bench\"") {
        return StatusCode::NOT_MODIFIED.into_response();
    }
    feed.sent.fetch_add(1, Ordering::Relaxed);
    let file = tokio::fs::File::open(&feed.path).await.expect("the feed");
    let body = Body::from_stream(ReaderStream::with_capacity(file, 256 * 1024));
    ([(header::ETAG, "\"bench\"")], body).into_response()
}
