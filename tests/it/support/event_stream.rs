//! Streams of the events of a submission.

use serde_json::{Value, json};

use crate::support::openapi::assert_event_described;
use crate::support::world::{Shop, World};

/// An open stream of events.
pub struct EventStream {
    answer: reqwest::Response,
    unread: String,
}

impl EventStream {
    pub async fn open_stream(world: &World, shop: &Shop, token: &str) -> Self {
        let answer = request_stream(world, shop, token).await;
        assert_eq!(answer.status(), 200);
        assert_eq!(answer.headers()["content-type"], "text/event-stream");
        Self { answer, unread: String::new() }
    }

    /// The next event: its name and its data; `None` when the stream ended.
    pub async fn next(&mut self) -> Option<(String, Value)> {
        loop {
            if let Some((event, rest)) = self.unread.split_once("\n\n") {
                let field = |name| event.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
                let told = field("event:").zip(field("data:")).map(|(name, data)| {
                    assert_event_described(name, data);
                    (name.to_owned(), serde_json::from_str(data).expect("JSON on one line"))
                });
                self.unread = rest.to_owned();
                if told.is_some() {
                    return told;
                }
                continue;
            }
            let piece = self.answer.chunk().await.ok()??;
            self.unread.push_str(std::str::from_utf8(&piece).expect("text"));
        }
    }

    /// The first state whose progress is as wanted.
    pub async fn await_progress(&mut self, is_wanted: impl Fn(&Value) -> bool) -> Value {
        loop {
            let (name, state) = self.next().await.expect("an event");
            assert_eq!(name, "progress", "{state}");
            if is_wanted(&state["Progress"]) {
                return state;
            }
        }
    }
}

pub async fn request_stream(world: &World, shop: &Shop, token: &str) -> reqwest::Response {
    let body = json!({"AccessKey": shop.key, "SecretKey": shop.secret, "Token": token});
    let request = world.request("POST", "/api/submission/events").header("content-type", "application/json");
    request.body(body.to_string()).send().await.expect("an answer")
}
