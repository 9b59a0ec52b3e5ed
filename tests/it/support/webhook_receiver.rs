//! A shop's own server that takes messages of its webhook, and the webhook that is set for it.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use lethe::work;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::world::{Shop, World};

/// A call that a receiver got.
#[derive(Clone, Debug, PartialEq)]
pub struct Got {
    pub id: String,
    pub at: i64,
    pub signature: String,
    pub body: String,
}

impl Got {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).expect("JSON")
    }
}

/// A shop's server that takes messages.
#[derive(Clone)]
pub struct Receiver {
    pub url: String,
    pub got: Arc<Mutex<Vec<Got>>>,
    /// Its answers, in turn; then 204.
    pub answers: Arc<Mutex<VecDeque<Response>>>,
    /// Answers wait until it is closed.
    pub gate: Arc<Semaphore>,
}

impl Receiver {
    pub async fn start() -> Self {
        let receiver = Self::slow().await;
        receiver.gate.close();
        receiver
    }

    /// Its answers wait until its gate is closed.
    pub async fn slow() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let url = format!("http://{}/hook?token=canary", listener.local_addr().expect("its address"));
        let gate = Arc::new(Semaphore::new(0));
        let receiver = Self { url, got: Arc::default(), answers: Arc::default(), gate };
        let app = axum::Router::new().fallback(take).with_state(receiver.clone());
        tokio::spawn(async move { axum::serve(listener, app).await });
        receiver
    }

    pub fn got(&self) -> Vec<Got> {
        self.got.lock().expect("got").clone()
    }

    pub fn types(&self) -> Vec<String> {
        self.got().iter().map(|got| got.json()["type"].as_str().expect("a type").to_owned()).collect()
    }

    pub fn set_answer(&self, answer: impl IntoResponse) {
        self.answers.lock().expect("answers").push_back(answer.into_response());
    }

    pub fn answer_often(&self, status: StatusCode, often: usize) {
        (0..often).for_each(|_| self.set_answer(status));
    }
}

async fn take(State(receiver): State<Receiver>, headers: HeaderMap, body: Bytes) -> Response {
    let text = |name: &str| headers[name].to_str().expect("a text").to_owned();
    assert_eq!(text("content-type"), "application/json");
    let got = Got {
        id: text("webhook-id"),
        at: text("webhook-timestamp").parse().expect("seconds"),
        signature: text("webhook-signature"),
        body: String::from_utf8(body.to_vec()).expect("a text"),
    };
    receiver.got.lock().expect("got").push(got);
    let answer = receiver.answers.lock().expect("answers").pop_front();
    let _ = receiver.gate.acquire().await;
    answer.unwrap_or_else(|| StatusCode::NO_CONTENT.into_response())
}

/// HMAC-SHA-256 (RFC 2104), written out: not the library that signs.
fn hmac(key: &[u8], text: &[u8]) -> Vec<u8> {
    let mut block = [0; 64];
    block[..key.len()].copy_from_slice(key);
    let inner = Sha256::new().chain_update(block.map(|byte| byte ^ 0x36)).chain_update(text).finalize();
    Sha256::new().chain_update(block.map(|byte| byte ^ 0x5c)).chain_update(inner).finalize().to_vec()
}

pub fn signature(secret: &str, got: &Got) -> String {
    let key = STANDARD.decode(secret.strip_prefix("whsec_").expect("a secret")).expect("base64");
    assert!((24..=64).contains(&key.len()));
    let mac = hmac(&key, format!("{}.{}.{}", got.id, got.at, got.body).as_bytes());
    format!("v1,{}", STANDARD.encode(mac))
}

/// Sets a webhook; gives its secret if it was made now.
pub async fn set_webhook(world: &World, shop: &Shop, url: &str) -> Option<String> {
    let set = world.ask_json(shop, "/api/webhook/set", json!({ "Url": url })).await;
    assert_eq!(set["Url"], url);
    set["Secret"].as_str().map(str::to_owned)
}

pub async fn fetch_webhook(world: &World, shop: &Shop) -> Value {
    world.ask_json(shop, "/api/webhook", json!({})).await
}

pub async fn test(world: &World, shop: &Shop) {
    let state = world.ask_json(shop, "/api/webhook/test", json!({})).await;
    assert_eq!(state, json!({"State": "waiting"}));
}

/// Begins the tries that are due.
pub async fn begin(world: &World, stop: &CancellationToken) -> TaskTracker {
    let tasks = TaskTracker::new();
    work::webhooks::start_due(world.node(), &tasks, stop).await.expect("the store answers");
    tasks.close();
    tasks
}

/// Tries due messages, and waits for the answers.
pub async fn deliver(world: &World) {
    begin(world, &CancellationToken::new()).await.wait().await;
}

pub async fn until(is_so: impl Fn() -> bool) {
    while !is_so() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}
