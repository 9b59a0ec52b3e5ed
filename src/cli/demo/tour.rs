//! The steps of the tour, each over HTTP, each with what it must show.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::narrator::Narrator;
use super::shop_server::ShopServer;
use crate::cli::account::text;
use crate::cli::api::{Api, client, unreachable};
use crate::cli::fault::CliFault;
use crate::sample::{self, EXPECTED_ISSUES};

/// More than any step needs on a slow machine; a demo must not hang.
const STEP_DURATION: Duration = Duration::from_secs(60);
const POLL_DURATION: Duration = Duration::from_millis(50);

/// The person that is forgotten.
const FORGOTTEN: u64 = 7;
/// The product that a delta changes, and the one that it removes.
const CHANGED: u64 = 42;
const REMOVED: u64 = 43;

/// The products that a shopper looks at, and the number of a zone's products that are shown.
const VIEWED: [u64; 3] = [100, 200, 300];
const SHOWN: usize = 4;

/// State of the tour's steps.
pub struct Tour<'a> {
    /// The way to the server.
    pub api: Api<'a>,
    /// The server.
    pub url: &'a str,
    /// Opens the counts of people.
    pub metrics_token: &'a str,
    /// The shop's web server.
    pub shop: &'a ShopServer,
    /// The narrator.
    pub narrator: Narrator,
}

impl Tour<'_> {
    /// Walks all steps in order and returns the narrator.
    ///
    /// # Errors
    /// When a step does not show what it should, or the server does not answer or refuses.
    pub async fn walk(mut self) -> Result<Narrator, CliFault> {
        let token = self.feed().await?;
        self.issues(&token).await?;
        self.delta().await?;
        self.forget().await?;
        self.shopper().await?;
        Ok(self.narrator)
    }

    async fn feed(&mut self) -> Result<String, CliFault> {
        self.narrator.heading("A product feed, by its URL");
        let shop = &self.shop.shop;
        let url = self.shop.feed_url.as_str();
        let size =
            format!("{} products, {} people, {} bytes", shop.products, shop.people, self.shop.feed_bytes);
        self.narrator.narrate(&format!("The shop's web server offers {size} at {url}"));
        let body = json!({"url": url});
        self.narrator.curl("/api/productfeed", &body);
        let reply = self.api.post_text("/api/productfeed", &body.to_string()).await?;
        let token = reply.feed_token.unwrap_or_default();
        self.narrator.evidence("Answer", reply.answer);
        self.narrator.evidence("X-Feed-Token", token.as_str());
        let asked = json!({"Tokens": [token]});
        self.narrator.curl("/api/productfeedstatus", &asked);
        let status = self.api.post("/api/productfeedstatus", &asked).await?;
        self.narrator.evidence("Status", status[0]["Status"].clone());
        must(status[0]["Status"] == "Processing", "the feed is in work while the shop prepares it")?;
        self.narrator.narrate("The shop's web server hands the feed out …");
        self.shop.open();
        let ended = self
            .until("/api/productfeedstatus", &asked, |answer| answer[0]["Status"] != "Processing")
            .await?;
        self.narrator.evidence("Status", ended[0]["Status"].clone());
        must(ended[0]["Status"] == "Complete", "the feed is published")?;
        Ok(token)
    }

    async fn issues(&mut self, token: &str) -> Result<(), CliFault> {
        self.narrator.heading("What the shop shows now, and what its feed lacks");
        let page = json!({"Limit": 0});
        self.narrator.curl("/api/catalogue", &page);
        let counts = self.api.post("/api/catalogue", &page).await?["Counts"].take();
        self.narrator.evidence("Counts", counts.clone());
        must(counts["Products"].as_u64() >= Some(self.shop.shop.products), "every good product is there")?;
        let asked = json!({"Token": token});
        self.narrator.curl("/api/issues", &asked);
        let found = self.api.post("/api/issues", &asked).await?["Counts"].take();
        let counted = found.as_array().into_iter().flatten();
        for count in counted.clone() {
            let line = format!(
                "{} {} × {}: {}",
                count["Count"],
                text(count, "Severity"),
                text(count, "Section"),
                text(count, "Advice")
            );
            self.narrator.evidence(text(count, "Code"), line);
        }
        let has = |code: &&&str| counted.clone().any(|count| count["Code"] == **code);
        let absent = EXPECTED_ISSUES.iter().find(|code| !has(code));
        must(absent.is_none(), &format!("every deliberate mistake is found ({})", absent.unwrap_or(&"all")))
    }

    async fn delta(&mut self) -> Result<(), CliFault> {
        self.narrator.heading("A delta: a new price, and a product less");
        let changed = sample::product_id(CHANGED);
        let removed = sample::product_id(REMOVED);
        let asked = json!({"Id": changed});
        self.narrator.curl("/api/product", &asked);
        let before = self.api.post("/api/product", &asked).await?["Item"].take();
        self.narrator.evidence("Before", summary(&before));
        let mut product: Value =
            serde_json::from_str(&sample::product(&self.shop.shop, CHANGED)).unwrap_or_default();
        product["Title"] = "A title from the delta".into();
        product["Prices"] = json!(["1.99 GBP", "2.49 EUR", "2.69 USD", "27.00 SEK"]);
        self.send_delta(&json!({"Products": [product], "DeleteProducts": [removed]})).await?;
        let after = self.api.post("/api/product", &asked).await?["Item"].take();
        self.narrator.evidence("After", summary(&after));
        must(
            before["Title"] != after["Title"] && after["Prices"][0] == "1.99 GBP",
            "the product is replaced",
        )?;
        let gone = self.api.post("/api/product", &json!({"Id": removed})).await;
        let Err(CliFault::Answered { sentence, .. }) = gone else {
            return must(false, "the other product is gone");
        };
        self.narrator.evidence(&removed, sentence);
        Ok(())
    }

    async fn forget(&mut self) -> Result<(), CliFault> {
        self.narrator.heading("A person is forgotten");
        let shop = &self.shop.shop;
        let email = sample::email(shop, FORGOTTEN);
        let person = sample::person(shop, FORGOTTEN);
        let stranger = sample::person(shop, shop.people + 1);
        let before = self.people().await?;
        self.narrator.evidence("People stored", before);
        let body = json!({"Identifier": email});
        self.narrator.curl("/api/user/forget", &body);
        let answer = self.api.post("/api/user/forget", &body).await?;
        self.narrator.evidence("Answer", answer);
        let deadline = Instant::now() + STEP_DURATION;
        while self.people().await? == before && Instant::now() < deadline {
            tokio::time::sleep(POLL_DURATION).await;
        }
        let without = self.people().await?;
        self.narrator.evidence("People stored after", without);
        must(without + 1 == before, "exactly one person is gone")?;
        self.narrator.heading("The next delta does not bring them back");
        self.narrator.narrate("It holds the forgotten person once more, and one that was never seen.");
        let sections = format!("{{\"Users\":[{person},{stranger}]}}");
        self.send_delta(&serde_json::from_str(&sections).unwrap_or_default()).await?;
        let after = self.people().await?;
        self.narrator.evidence("People stored after the delta", after);
        must(after == without + 1, "the new person is stored and the forgotten one is not")
    }

    async fn shopper(&mut self) -> Result<(), CliFault> {
        self.narrator.heading("A shopper looks at products, and the page's zones follow");
        let first = self.api.post("/api/serverside", &json!({"events": []})).await?;
        let visitor = text(&first, "visitorId").to_owned();
        let mut shown = Vec::new();
        for number in VIEWED {
            let product = sample::product_id(number);
            let view = json!({"name": "product_view", "data": {"id": product}});
            let call = json!({"visitorId": visitor, "events": [view], "zones": ["PP-01"]});
            self.narrator.curl("/api/serverside", &call);
            let answer =
                self.until("/api/serverside", &call, |answer| answer["zones"]["PP-01"].is_object()).await?;
            let zone = titles(&answer["zones"]["PP-01"]);
            self.narrator.evidence(&product, zone.join(", "));
            must(!zone.is_empty() && !shown.contains(&zone), "each product has recommendations of its own")?;
            shown.push(zone);
        }
        let seen = json!({"visitorId": visitor, "zones": ["AC-03"]});
        self.narrator.curl("/api/serverside", &seen);
        let all = self.until("/api/serverside", &seen, |answer| {
            titles(&answer["zones"]["AC-03"]).len() == VIEWED.len()
        });
        let all = titles(&all.await?["zones"]["AC-03"]);
        self.narrator.evidence("What they looked at", all.join(", "));
        must(all.len() == VIEWED.len(), "what the shopper looked at is known")?;
        self.narrator.heading("The shopper asks to be forgotten");
        let body = json!({"Identifier": format!("visitor:{visitor}")});
        self.narrator.curl("/api/user/forget", &body);
        self.api.post("/api/user/forget", &body).await?;
        let left = self.until("/api/serverside", &seen, |answer| answer["zones"]["AC-03"].is_null()).await?;
        self.narrator.evidence("What they looked at", titles(&left["zones"]["AC-03"]).join(", "));
        must(left["zones"]["AC-03"].is_null(), "nothing is known of what the shopper looked at")
    }

    /// Sends a delta and waits until it is applied.
    async fn send_delta(&mut self, sections: &Value) -> Result<(), CliFault> {
        self.narrator.curl("/api/delta", sections);
        let token = self.api.post("/api/delta", sections).await?["Token"].take();
        self.narrator.evidence("Token", token.clone());
        let asked = json!({"Tokens": [token]});
        self.narrator.curl("/api/deltastatus", &asked);
        let ended = self.until("/api/deltastatus", &asked, |answer| answer[0]["Status"] != 0).await?;
        self.narrator.evidence("Status", ended[0]["Status"].clone());
        must(ended[0]["Status"] == 1, "the delta is applied")
    }

    /// Asks until the answer is as wanted, or the time is over; the last answer.
    async fn until(&self, path: &str, body: &Value, wanted: fn(&Value) -> bool) -> Result<Value, CliFault> {
        let deadline = Instant::now() + STEP_DURATION;
        loop {
            let answer = self.api.post(path, body).await?;
            if wanted(&answer) || Instant::now() > deadline {
                return Ok(answer);
            }
            tokio::time::sleep(POLL_DURATION).await;
        }
    }

    /// Number of people that the account holds, from the operator's metrics.
    async fn people(&self) -> Result<u64, CliFault> {
        let request = client()?.get(format!("{}/metrics", self.url)).bearer_auth(self.metrics_token);
        let lost = |error| unreachable(self.url, &error);
        let text = request.send().await.map_err(lost)?.text().await.map_err(lost)?;
        let line = text.lines().find_map(|line| line.strip_prefix("lethe_subjects{account=\"demo-shop\"} "));
        let count = line.and_then(|count| count.parse().ok());
        count.ok_or_else(|| CliFault::Failed("the metrics do not count people".to_owned()))
    }
}

/// The titles of the first products in a zone.
fn titles(zone: &Value) -> Vec<String> {
    let items = zone["items"].as_array().into_iter().flatten().take(SHOWN);
    items.map(|item| text(item, "Title").to_owned()).collect()
}

/// The line of a product that a person looks at.
fn summary(item: &Value) -> String {
    format!("{}, {}", text(item, "Title"), item["Prices"])
}

/// Ends the tour when a step did not show what it should.
fn must(is_so: bool, what: &str) -> Result<(), CliFault> {
    if is_so { Ok(()) } else { Err(CliFault::Failed(format!("the demo did not show that {what}"))) }
}

#[cfg(test)]
mod tests {
    use std::collections::{HashMap, VecDeque};
    use std::net::Ipv4Addr;
    use std::sync::{Arc, Mutex};

    use axum::Router;
    use axum::http::{StatusCode, Uri};
    use tokio::net::TcpListener;

    use super::*;
    use crate::cli::api::Network;
    use crate::cli::table::cell;
    use crate::sample::SampleShop;

    /// Answers by path, in their order; the last one again and again.
    type TourAnswers = HashMap<&'static str, VecDeque<Value>>;

    fn status(status: impl Into<Value>) -> Value {
        let status: Value = status.into();
        json!([{"Status": status}])
    }

    fn product(title: &str, price: &str) -> Value {
        json!({"Item": {"Title": title, "Prices": [price]}})
    }

    fn people(counts: [u64; 4]) -> Vec<Value> {
        let line = |count| format!("lethe_subjects{{account=\"demo-shop\"}} {count}\n");
        counts.map(|count| Value::from(line(count))).to_vec()
    }

    fn zone(name: &str, titles: &[&str]) -> Value {
        let items: Vec<_> = titles.iter().map(|title| json!({"Title": title})).collect();
        json!({"zones": {name: {"items": items}}})
    }

    fn issues(codes: &[&str]) -> Value {
        let counts: Vec<_> = codes.iter().map(|code| json!({"Code": code})).collect();
        json!({"Counts": counts})
    }

    /// The answers of a server with which all is well.
    fn good_answers() -> TourAnswers {
        let shopping = vec![
            json!({"visitorId": "v"}),
            zone("PP-01", &["a"]),
            zone("PP-01", &["b"]),
            zone("PP-01", &["c"]),
            zone("AC-03", &["x", "y", "z"]),
            json!({"zones": {}}),
        ];
        let answers = [
            ("/api/productfeed", vec![json!("OK")]),
            ("/api/productfeedstatus", vec![status("Processing"), status("Complete")]),
            ("/api/catalogue", vec![json!({"Counts": {"Products": 10}})]),
            ("/api/issues", vec![issues(EXPECTED_ISSUES)]),
            (
                "/api/product",
                vec![product("A", "9.00 GBP"), product("B", "1.99 GBP"), json!({"Error": "unknown"})],
            ),
            ("/api/delta", vec![json!({"Token": "d"})]),
            ("/api/deltastatus", vec![status(1)]),
            ("/metrics", people([10, 9, 9, 10])),
            ("/api/user/forget", vec![json!("OK")]),
            ("/api/serverside", shopping),
        ];
        HashMap::from(answers.map(|(path, answers)| (path, VecDeque::from(answers))))
    }

    /// Serves the answers; returns the address.
    async fn serve(answers: TourAnswers) -> String {
        let answers = Arc::new(Mutex::new(answers));
        let next = move |uri: Uri| {
            let mut all = answers.lock().expect("answers");
            let left = all.get_mut(uri.path()).expect("a known path");
            let answer = if left.len() > 1 { left.pop_front() } else { left.front().cloned() };
            let answer = answer.expect("an answer");
            let status = if answer["Error"].is_null() { StatusCode::OK } else { StatusCode::NOT_FOUND };
            std::future::ready((status, [("x-feed-token", "f")], cell(&answer)))
        };
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        tokio::spawn(axum::serve(listener, Router::new().fallback(next)).into_future());
        url
    }

    /// Walks the tour; returns the number of its steps, or the sentence of its failure.
    async fn walk(answers: TourAnswers) -> Result<usize, String> {
        let url = serve(answers).await;
        let shop = SampleShop { products: 10, people: 5, ..SampleShop::default() };
        let shop = ShopServer::start(&shop).await.expect("a shop");
        let network = Network::new(&url, "key".to_owned(), "secret".to_owned()).expect("an address");
        let narrator = Narrator::new(true, &url, "key", "secret");
        let api = Api::Network(network);
        let ended = Tour { api, url: &url, metrics_token: "token", shop: &shop, narrator }.walk().await;
        shop.stop().await;
        ended.map(|narrator| narrator.into_steps().len()).map_err(|fault| fault.to_string())
    }

    #[tokio::test]
    async fn a_server_that_shows_something_else_ends_the_tour() {
        assert_eq!(walk(good_answers()).await, Ok(7));
        let first = json!({"visitorId": "v"});
        for (path, answers, sentence) in [
            ("/api/productfeedstatus", vec![status("Complete")], "the feed is in work"),
            ("/api/productfeedstatus", vec![status("Processing"), status("Error")], "the feed is published"),
            ("/api/catalogue", vec![json!({"Counts": {"Products": 9}})], "every good product is there"),
            ("/api/issues", vec![issues(&EXPECTED_ISSUES[1..])], "every deliberate mistake is found"),
            ("/api/product", vec![product("A", "1.99 GBP")], "the product is replaced"),
            (
                "/api/product",
                vec![product("A", "9.00 GBP"), product("B", "9.00 GBP")],
                "the product is replaced",
            ),
            (
                "/api/product",
                vec![product("A", "9.00 GBP"), product("B", "1.99 GBP")],
                "the other product is gone",
            ),
            ("/api/deltastatus", vec![status(2)], "the delta is applied"),
            ("/metrics", people([10, 8, 8, 9]), "exactly one person is gone"),
            ("/metrics", people([10, 11, 11, 12]), "exactly one person is gone"),
            ("/metrics", people([10, 9, 9, 9]), "the new person is stored"),
            ("/metrics", people([10, 9, 9, 11]), "the new person is stored"),
            ("/metrics", vec![json!("lethe_subjects{account=\"another\"} 7\n")], "do not count people"),
            (
                "/api/serverside",
                vec![first.clone(), zone("PP-01", &["a"])],
                "each product has recommendations",
            ),
            ("/api/serverside", vec![first.clone(), zone("PP-01", &[])], "each product has recommendations"),
        ] {
            let mut others = good_answers();
            others.insert(path, answers.into());
            let ended = walk(others).await;
            assert!(ended.as_ref().is_err_and(|told| told.contains(sentence)), "{sentence}: {ended:?}");
        }
    }
}
