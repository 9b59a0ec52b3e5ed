//! The start page of a shop in the console, with a year of its shoppers' events.

use std::process::Command;
use std::time::Instant;

use reqwest::header::{COOKIE, SET_COOKIE};
use serde_json::Value;

use crate::personal::{Shop, import};
use crate::process;
use crate::report::{Options, load, median};
use crate::reporting::event;
use crate::server::Server;

/// Products of the shop, and the history of its shoppers.
const PRODUCTS: u64 = 20_000;
const EVENTS: u64 = 1_000_000;
const DAYS: u64 = 365;
const PASSWORD: &str = "a password of the bench";

/// An operator who is signed in.
struct Desk {
    client: reqwest::Client,
    origin: String,
    cookie: String,
}

/// Time and size of the page: before its figures are counted, with remembered ones, and beside a page without figures.
pub async fn dashboard(options: &Options) {
    for (engine, postgres) in options.engines() {
        let events = options.scaled(EVENTS);
        println!("\n== dashboard of {events} events in {DAYS} days, {engine}");
        let mut server = Server::start(postgres).await;
        let ids = import(&server, options.scaled(PRODUCTS).max(1_000)).await;
        let shop = Shop { keys: server.keys(), ids: ids.into() };
        shop.store(&server, events, DAYS, &|number, people, at| event(&shop, number, people, at)).await;
        let mut first = Vec::new();
        let mut later = Vec::new();
        let mut plain = Vec::new();
        let mut bytes = 0;
        let mut is_new = true;
        for _ in 0..options.rounds {
            // A server that starts remembers no figures.
            server.restart().await;
            server.searchable(&shop.keys).await;
            let desk = Desk::open(&server, is_new).await;
            is_new = false;
            let (seconds, _) = desk.get_page("/shops/bench").await;
            first.push(seconds);
            desk.get_page("/shops/bench?count=1").await;
            let (seconds, page) = desk.get_page("/shops/bench").await;
            later.push(seconds);
            bytes = bytes.max(page);
            plain.push(desk.get_page("/places").await.0);
        }
        println!(
            "  first look after a start {:.0} ms (target 300), with figures {:.0} ms and {} kB (target 150), a page without \
             figures {:.0} ms, load {}",
            1e3 * median(first),
            1e3 * median(later),
            bytes / 1000,
            1e3 * median(plain),
            load()
        );
    }
}

impl Desk {
    /// Signs in; chooses the password first if the operator is new.
    async fn open(server: &Server, is_new: bool) -> Self {
        let client = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none());
        let client = client.build().expect("a client");
        // Without a setting the console is on the next port.
        let origin = format!("http://127.0.0.1:{}", server.address.port() + 1);
        let mut desk = Self { client, origin, cookie: String::new() };
        if is_new {
            let chosen = format!("password={PASSWORD}&again={PASSWORD}").replace(' ', "+");
            desk.send(&link_of_operator(server), chosen).await;
        }
        let signed_in =
            desk.send("/sign-in", format!("name=bench&password={PASSWORD}").replace(' ', "+")).await;
        let cookie = signed_in.headers()[SET_COOKIE].to_str().expect("a text");
        desk.cookie = cookie.split(';').next().unwrap_or_default().to_owned();
        desk
    }

    async fn send(&self, path: &str, form: String) -> reqwest::Response {
        let request = self.client.post(format!("{}{path}", self.origin)).body(form);
        let request = request.header("content-type", "application/x-www-form-urlencoded");
        let answer = request.send().await.expect("an answer");
        assert_eq!(answer.status(), 303, "{path}");
        answer
    }

    /// Gets a page; gives the seconds and the bytes.
    async fn get_page(&self, path: &str) -> (f64, usize) {
        let request = self.client.get(format!("{}{path}", self.origin)).header(COOKIE, &self.cookie);
        let began = Instant::now();
        let answer = request.send().await.expect("an answer");
        assert_eq!(answer.status(), 200, "{path}");
        let page = answer.bytes().await.expect("a page");
        (began.elapsed().as_secs_f64(), page.len())
    }
}

/// Adds an owner; gives the path of their link.
fn link_of_operator(server: &Server) -> String {
    let made = Command::new(process::program())
        .args(["operator", "add", "bench", "--role", "owner", "--json", "--data-dir"])
        .arg(server.folder().join("data"))
        .output()
        .expect("an operator");
    let made: Value = serde_json::from_slice(&made.stdout).expect("JSON");
    let link = made["Link"].as_str().expect("a link");
    link[link.find("/link/").expect("a link")..].to_owned()
}
