//! The steps of the tour, each over HTTP, each with what it must show.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::narrator::Narrator;
use super::shop_server::ShopServer;
use crate::cli::account::text;
use crate::cli::api::{Api, client, unreachable};
use crate::cli::fault::CliFault;
use crate::clock::Clock;
use crate::limits;
use crate::sample::{self, EXPECTED_ISSUES, SampleHistory, ShelfItem, write_history};

/// More than any step needs on a slow machine; a demo must not hang.
const STEP_DURATION: Duration = Duration::from_secs(60);
const POLL_DURATION: Duration = Duration::from_millis(50);

/// The person that is forgotten.
const FORGOTTEN: u64 = 7;
/// The product that a delta changes, and the one that it removes.
const CHANGED: u64 = 42;
const REMOVED: u64 = 43;

/// Events of the history before the tour, and its days.
const HISTORY_EVENTS: u64 = 22_000;
const HISTORY_DAYS: u64 = 56;

/// A search with a typing error, and what is searched instead.
const SEARCHED: &str = "blue chiar";
const FOUND: &str = "blue chair";

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
        self.import_feed().await?;
        self.send_history().await?;
        self.search_with_typing_error().await?;
        self.change_products().await?;
        self.forget_person().await?;
        self.follow_shopper().await?;
        self.import_mistakes().await?;
        Ok(self.narrator)
    }

    async fn import_feed(&mut self) -> Result<(), CliFault> {
        self.narrator.begin_step("A product feed, by its URL");
        let shop = &self.shop.shop;
        let url = self.shop.feed_url.as_str();
        let asked = self.submit(url).await?;
        let status = self.api.post("/api/productfeedstatus", &asked).await?;
        self.narrator.show_answer("Status", status[0]["Status"].clone());
        ensure_shown(status[0]["Status"] == "Processing", "the feed is in work while the shop prepares it")?;
        self.shop.open();
        self.wait_for_feed(&asked).await?;
        let page = json!({"Limit": 0});
        self.narrator.print_curl("/api/catalogue", &page);
        let counts = self.api.post("/api/catalogue", &page).await?["Counts"].take();
        self.narrator.show_answer("Counts", counts.clone());
        ensure_shown(counts["Products"].as_u64() >= Some(shop.products), "every good product is there")?;
        let kilobytes = self.shop.feed_bytes / 1000;
        let told =
            format!("{} products and {} people from {url}, {kilobytes} kB.", shop.products, shop.people);
        self.narrator.narrate(&told);
        Ok(())
    }

    /// Sends the URL of a feed; returns the question for its status.
    async fn submit(&mut self, url: &str) -> Result<Value, CliFault> {
        let body = json!({"url": url});
        self.narrator.print_curl("/api/productfeed", &body);
        let reply = self.api.post_text("/api/productfeed", &body.to_string()).await?;
        let token = reply.feed_token.unwrap_or_default();
        self.narrator.show_answer("Answer", reply.answer);
        self.narrator.show_answer("X-Feed-Token", token.as_str());
        let asked = json!({"Tokens": [token]});
        self.narrator.print_curl("/api/productfeedstatus", &asked);
        Ok(asked)
    }

    async fn wait_for_feed(&mut self, asked: &Value) -> Result<(), CliFault> {
        let ended = self
            .poll_until("/api/productfeedstatus", asked, |answer| answer[0]["Status"] != "Processing")
            .await?;
        self.narrator.show_answer("Status", ended[0]["Status"].clone());
        ensure_shown(ended[0]["Status"] == "Complete", "the feed is published")
    }

    async fn send_history(&mut self) -> Result<(), CliFault> {
        self.narrator.begin_step("Eight weeks of shoppers");
        let shop = &self.shop.shop;
        let mut lines = Vec::new();
        let until = Clock::system().now();
        let history = SampleHistory { shop, events: HISTORY_EVENTS, days: HISTORY_DAYS, until };
        let unwritten = |error| CliFault::Failed(format!("the history cannot be made: {error}"));
        write_history(&mut lines, &history, &ShelfItem::list_products(shop)).map_err(unwritten)?;
        let events: Vec<Value> =
            lines.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok()).collect();
        let mut accepted = 0;
        for events in events.chunks(limits::EVENTS_OF_REQUEST) {
            let answer = self.api.post("/api/events", &json!({"Events": events})).await?;
            accepted += answer["Accepted"].as_u64().unwrap_or_default();
        }
        self.narrator.show_answer("Accepted", accepted);
        ensure_shown(accepted == events.len() as u64, "all that shoppers did is taken")?;
        let told = "views, searches, clicks, baskets and orders are in the reports of the console.";
        self.narrator.narrate(&format!("{accepted} {told}"));
        Ok(())
    }

    async fn search_with_typing_error(&mut self) -> Result<(), CliFault> {
        self.narrator.begin_step("A search with a typing error");
        let asked = json!({"Query": SEARCHED, "Size": SHOWN});
        self.narrator.print_curl("/api/search", &asked);
        let answer = self
            .poll_until("/api/search", &asked, |answer| answer["TotalRelaxed"].as_u64() > Some(0))
            .await?;
        let searched = text(&answer["Query"], "Searched").to_owned();
        self.narrator.show_answer("Searched", searched.as_str());
        self.narrator.show_answer("Total", answer["Total"].clone());
        let titles = item_titles(&answer["Items"]);
        self.narrator.show_answer("Items", titles.join(", "));
        ensure_shown(searched == FOUND && !titles.is_empty(), "the typing error is corrected")?;
        let total = &answer["Total"];
        let first = &titles[0];
        self.narrator.narrate(&format!("\"{SEARCHED}\" finds {total} for \"{searched}\", such as {first}."));
        Ok(())
    }

    async fn change_products(&mut self) -> Result<(), CliFault> {
        self.narrator.begin_step("A delta: a new price, and a product less");
        let changed = sample::product_id(CHANGED);
        let removed = sample::product_id(REMOVED);
        let asked = json!({"Id": changed});
        self.narrator.print_curl("/api/product", &asked);
        let before = self.api.post("/api/product", &asked).await?["Item"].take();
        self.narrator.show_answer("Before", title_and_prices(&before));
        let mut product: Value =
            serde_json::from_str(&sample::product(&self.shop.shop, CHANGED)).unwrap_or_default();
        product["Prices"] = json!(["1.99 GBP", "2.49 EUR", "2.69 USD", "27.00 SEK"]);
        self.send_delta(&json!({"Products": [product], "DeleteProducts": [removed]})).await?;
        let after = self.api.post("/api/product", &asked).await?["Item"].take();
        self.narrator.show_answer("After", title_and_prices(&after));
        ensure_shown(
            before["Prices"] != after["Prices"] && after["Prices"][0] == "1.99 GBP",
            "the product is replaced",
        )?;
        let gone = self.api.post("/api/product", &json!({"Id": removed})).await;
        let Err(CliFault::Answered { sentence, .. }) = gone else {
            return ensure_shown(false, "the other product is gone");
        };
        self.narrator.show_answer(&removed, sentence);
        let title = text(&after, "Title");
        self.narrator.narrate(&format!(
            "{title}: {} is {} now; another product is gone.",
            before["Prices"][0], after["Prices"][0]
        ));
        Ok(())
    }

    async fn forget_person(&mut self) -> Result<(), CliFault> {
        self.narrator.begin_step("A person is forgotten, and the next delta does not bring them back");
        let shop = &self.shop.shop;
        let email = sample::email(shop, FORGOTTEN);
        let person = sample::person(shop, FORGOTTEN);
        let stranger = sample::person(shop, shop.people + 1);
        let before = self.count_people().await?;
        self.narrator.show_answer("People stored", before);
        let body = json!({"Identifier": email});
        self.narrator.print_curl("/api/user/forget", &body);
        let answer = self.api.post("/api/user/forget", &body).await?;
        self.narrator.show_answer("Answer", answer);
        let without = self.wait_for_people(before).await?;
        self.narrator.show_answer("People stored after", without);
        // The person, and the browser that was theirs alone.
        ensure_shown(
            (1..=2).contains(&before.saturating_sub(without)),
            "one person is gone, and nobody else",
        )?;
        // The forgotten person once more, and one that was never seen.
        let sections = format!("{{\"Users\":[{person},{stranger}]}}");
        self.send_delta(&serde_json::from_str(&sections).unwrap_or_default()).await?;
        let after = self.count_people().await?;
        self.narrator.show_answer("People stored after the delta", after);
        ensure_shown(after == without + 1, "the new person is stored and the forgotten one is not")?;
        self.narrator.narrate(&format!(
            "{before} people and browsers are known before, {without} after; with a new person {after}."
        ));
        Ok(())
    }

    async fn follow_shopper(&mut self) -> Result<(), CliFault> {
        self.narrator.begin_step("A shopper looks at products, and the page's zones follow");
        let first = self.api.post("/api/serverside", &json!({"events": []})).await?;
        let visitor = text(&first, "visitorId").to_owned();
        let mut shown = Vec::new();
        for number in VIEWED {
            let product = sample::product_id(number);
            let view = json!({"name": "product_view", "data": {"id": product}});
            let call = json!({"visitorId": visitor, "events": [view], "zones": ["PP-01"]});
            self.narrator.print_curl("/api/serverside", &call);
            let answer = self
                .poll_until("/api/serverside", &call, |answer| answer["zones"]["PP-01"].is_object())
                .await?;
            let zone = zone_titles(&answer["zones"]["PP-01"]);
            self.narrator.show_answer(&product, zone.join(", "));
            ensure_shown(
                !zone.is_empty() && !shown.contains(&zone),
                "each product has recommendations of its own",
            )?;
            shown.push(zone);
        }
        let seen = json!({"visitorId": visitor, "zones": ["AC-03"]});
        self.narrator.print_curl("/api/serverside", &seen);
        let all = self.poll_until("/api/serverside", &seen, |answer| {
            zone_titles(&answer["zones"]["AC-03"]).len() == VIEWED.len()
        });
        let all = zone_titles(&all.await?["zones"]["AC-03"]);
        self.narrator.show_answer("What they looked at", all.join(", "));
        ensure_shown(all.len() == VIEWED.len(), "what the shopper looked at is known")?;
        self.narrator.narrate(&format!("They looked at {}.", all.join(", ")));
        self.narrator.begin_step("The shopper asks to be forgotten");
        let body = json!({"Identifier": format!("visitor:{visitor}")});
        self.narrator.print_curl("/api/user/forget", &body);
        self.api.post("/api/user/forget", &body).await?;
        let left =
            self.poll_until("/api/serverside", &seen, |answer| answer["zones"]["AC-03"].is_null()).await?;
        self.narrator.show_answer("What they looked at", zone_titles(&left["zones"]["AC-03"]).join(", "));
        ensure_shown(left["zones"]["AC-03"].is_null(), "nothing is known of what the shopper looked at")?;
        self.narrator.narrate("Nothing is known any more of what they looked at.");
        Ok(())
    }

    async fn import_mistakes(&mut self) -> Result<(), CliFault> {
        self.narrator.begin_step("A feed with mistakes");
        let url = self.shop.faulty_url.as_str();
        let asked = self.submit(url).await?;
        self.wait_for_feed(&asked).await?;
        let asked = json!({"Token": asked["Tokens"][0]});
        self.narrator.print_curl("/api/issues", &asked);
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
            self.narrator.show_answer(text(count, "Code"), line);
        }
        let has = |code: &&&str| counted.clone().any(|count| count["Code"] == **code);
        let absent = EXPECTED_ISSUES.iter().find(|code| !has(code));
        ensure_shown(
            absent.is_none(),
            &format!("every deliberate mistake is found ({})", absent.unwrap_or(&"all")),
        )?;
        let kinds = counted.count();
        self.narrator
            .narrate(&format!("{kinds} kinds of mistakes in its last rows, each told with its remedy."));
        Ok(())
    }

    /// Sends a delta and waits until it is applied.
    async fn send_delta(&mut self, sections: &Value) -> Result<(), CliFault> {
        self.narrator.print_curl("/api/delta", sections);
        let token = self.api.post("/api/delta", sections).await?["Token"].take();
        self.narrator.show_answer("Token", token.clone());
        let asked = json!({"Tokens": [token]});
        self.narrator.print_curl("/api/deltastatus", &asked);
        let ended = self.poll_until("/api/deltastatus", &asked, |answer| answer[0]["Status"] != 0).await?;
        self.narrator.show_answer("Status", ended[0]["Status"].clone());
        ensure_shown(ended[0]["Status"] == 1, "the delta is applied")
    }

    /// Asks again until the answer is as wanted or the step takes too long; returns the last answer.
    async fn poll_until(
        &self,
        path: &str,
        body: &Value,
        wanted: fn(&Value) -> bool,
    ) -> Result<Value, CliFault> {
        let deadline = Instant::now() + STEP_DURATION;
        loop {
            let answer = self.api.post(path, body).await?;
            if wanted(&answer) || Instant::now() > deadline {
                return Ok(answer);
            }
            tokio::time::sleep(POLL_DURATION).await;
        }
    }

    /// Number of people and browsers once it differs from `before` and stays the same.
    async fn wait_for_people(&self, before: u64) -> Result<u64, CliFault> {
        let deadline = Instant::now() + STEP_DURATION;
        let mut last = before;
        loop {
            tokio::time::sleep(4 * POLL_DURATION).await;
            let now = self.count_people().await?;
            if (now == last && now != before) || Instant::now() > deadline {
                return Ok(now);
            }
            last = now;
        }
    }

    /// Number of people and browsers that the account holds, from the operator's metrics.
    async fn count_people(&self) -> Result<u64, CliFault> {
        let request = client()?.get(format!("{}/metrics", self.url)).bearer_auth(self.metrics_token);
        let lost = |error| unreachable(self.url, &error);
        let text = request.send().await.map_err(lost)?.text().await.map_err(lost)?;
        let line = text.lines().find_map(|line| line.strip_prefix("lethe_subjects{account=\"demo-shop\"} "));
        let count = line.and_then(|count| count.parse().ok());
        count.ok_or_else(|| CliFault::Failed("the metrics do not count people".to_owned()))
    }
}

/// The titles of the first products in a zone.
fn zone_titles(zone: &Value) -> Vec<String> {
    item_titles(&zone["items"])
}

fn item_titles(items: &Value) -> Vec<String> {
    let items = items.as_array().into_iter().flatten().take(SHOWN);
    items.map(|item| text(item, "Title").to_owned()).collect()
}

/// A product in one line.
fn title_and_prices(item: &Value) -> String {
    format!("{}, {}", text(item, "Title"), item["Prices"])
}

/// Ends the tour unless a step showed what it should.
///
/// # Errors
/// When it did not.
fn ensure_shown(is_so: bool, what: &str) -> Result<(), CliFault> {
    if is_so { Ok(()) } else { Err(CliFault::Failed(format!("the demo did not show that {what}"))) }
}

#[cfg(test)]
mod tests;
