//! Deltas at a steady rate, and a client that looks for the newest until a search finds it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::json;
use tokio::sync::watch;

use super::total;
use crate::client::{self, Connection, Run};
use crate::server::{Keys, Server};

/// Pause between two looks.
const LOOK: Duration = Duration::from_millis(2);

/// Deltas of one product each, for shops in turn.
pub struct Following {
    pub shops: Vec<Keys>,
    /// Products that each shop has: they are changed in turn.
    pub products: u64,
    /// Tells the words of one run from those of another.
    pub run: usize,
    pub per_second: u32,
}

/// Observations of a run.
pub struct Seen {
    pub accepted: Run,
    /// From when a delta was due to be sent until a search found it.
    pub visible: Vec<Duration>,
    /// From the last answer until a search found the last delta.
    pub behind: Duration,
}

impl Following {
    /// Sends for so long, and looks.
    pub async fn run(self, server: &Server, length: Duration) -> Seen {
        let this = Arc::new(self);
        let stop = Arc::new(AtomicBool::new(false));
        let (newest, seen) = watch::channel((0, Instant::now()));
        let requests = {
            let this = this.clone();
            move |turn| this.request(turn)
        };
        let answered = move |turn, due| {
            newest.send_if_modified(|newest| {
                let is_newer = newest.0 < turn;
                if is_newer {
                    *newest = (turn, due);
                }
                is_newer
            });
        };
        let per_second = f64::from(this.per_second);
        let sending = async {
            let sent = client::paced(server.address, per_second, requests, answered, stop.clone()).await;
            (sent, Instant::now())
        };
        let ending = async {
            tokio::time::sleep(length).await;
            stop.store(true, Ordering::Relaxed);
        };
        let ((accepted, ended), (visible, last), ()) = tokio::join!(sending, this.look(server, seen), ending);
        Seen { accepted, visible, behind: last.saturating_duration_since(ended) }
    }

    /// Looks for the newest delta until it is found, then for the one that is newest by then.
    async fn look(
        &self,
        server: &Server,
        mut newest: watch::Receiver<(usize, Instant)>,
    ) -> (Vec<Duration>, Instant) {
        let mut connection = Connection::open(server.address).await;
        let mut visible = Vec::new();
        while newest.changed().await.is_ok() {
            let (turn, due) = *newest.borrow_and_update();
            let asked = json!({"Query": self.word(turn), "Size": 1, "Fields": ["Id"]});
            let request = server.request_as(self.shop(turn), "/api/search", asked);
            loop {
                let (status, found) = connection.ask(&request).await;
                if status == 200 && total(found) > 0 {
                    break;
                }
                tokio::time::sleep(LOOK).await;
            }
            visible.push(due.elapsed());
        }
        (visible, Instant::now())
    }

    fn shop(&self, turn: usize) -> &Keys {
        &self.shops[turn % self.shops.len()]
    }

    /// A word that no other product has; one with a digit is never corrected.
    fn word(&self, turn: usize) -> String {
        format!("zv{}x{turn}", self.run)
    }

    fn request(&self, turn: usize) -> Vec<u8> {
        let (access_key, secret_key) = self.shop(turn);
        let number = (turn / self.shops.len()) as u64 % self.products + 1;
        let product = json!({
            "Id": lethe::sample::product_id(number), "Sku": format!("SKU-{number:07}"),
            "Title": format!("Oiled walnut side table {}", self.word(turn)),
            "Description": "A small table for a large armchair. Oiled walnut, 45 cm high, delivered in one piece.",
            "Link": format!("https://shop.example/p/{number}"), "Image": format!("https://shop.example/i/{number}.jpg"),
            "Brand": "b1", "Categories": ["c1", "c7"], "Prices": ["129.00 EUR", "119.00 GBP"], "InStock": true,
            "Colour": ["Brown"], "Material": ["Walnut"]
        });
        let body = json!({"AppKey": access_key, "SecretKey": secret_key, "Products": [product]});
        client::post("/api/delta", body.to_string().as_bytes())
    }
}
