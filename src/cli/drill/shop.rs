//! The made-up shop of a drill: it sends one person through every door, and lets them shop.

use std::net::Ipv4Addr;

use axum::Router;
use serde_json::{Value, json};
use tokio::net::TcpListener;

use super::super::account::text;
use super::super::serve::Server;
use super::canary::Canary;
use crate::cli::control;
use crate::cli::fault::CliFault;

/// Most tries of one plugin call.
const CALLS: usize = 100;

/// A shop with its account and its web server.
pub struct DrillShop {
    base: String,
    access_key: String,
    secret_key: String,
    feed_url: String,
    serving: tokio::task::JoinHandle<()>,
}

fn shop_fault(error: impl std::fmt::Display) -> CliFault {
    CliFault::Failed(format!("the shop of the drill: {error}"))
}

impl DrillShop {
    /// Makes the account, and serves a feed that names the person among its users and in a product's text.
    ///
    /// # Errors
    /// When the account cannot be made or no port can be listened on.
    pub async fn open(server: &Server, canary: &Canary) -> Result<Self, CliFault> {
        let body = json!({"Name": "drill"}).to_string();
        let made = control::in_process(&server.node, "/control/account/create", body)
            .await?
            .error_for_status()?
            .answer;
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.map_err(shop_fault)?;
        let feed_url = format!("http://{}/feed.json", listener.local_addr().map_err(shop_fault)?);
        let feed = json!({
            "Products": [{"Id": "1", "Sku": "S-1", "Title": "A chair", "Description": format!("Ask {}", canary.email)}],
            "Users": [user(canary)],
        });
        let router = Router::new().fallback(move || async move { feed.to_string() });
        let serving = tokio::spawn(async move {
            // It ends with the drill.
            let _ = axum::serve(listener, router).await;
        });
        Ok(Self {
            base: format!("http://{}", server.address),
            access_key: text(&made, "AccessKey").to_owned(),
            secret_key: text(&made, "SecretKey").to_owned(),
            feed_url,
            serving,
        })
    }

    /// The same shop at another server.
    pub fn moved_to(&self, server: &Server) -> DrillClient<'_> {
        DrillClient { shop: self, base: format!("http://{}", server.address) }
    }

    /// Sends the person through every door; gives each door with its token.
    ///
    /// # Errors
    /// When the server does not answer or refuses something.
    pub async fn plant(&self, canary: &Canary) -> Result<Vec<(&'static str, String)>, CliFault> {
        DrillClient { shop: self, base: self.base.clone() }.plant(canary).await
    }

    /// Lets the person shop, at every door that takes shoppers' events; returns each door and whether it took them.
    ///
    /// # Errors
    /// When the server does not answer or refuses something.
    pub async fn go_shopping(&self, canary: &Canary) -> Result<Vec<(&'static str, bool)>, CliFault> {
        DrillClient { shop: self, base: self.base.clone() }.go_shopping(canary).await
    }

    /// Returns true if the person is known under any of their identifiers.
    ///
    /// # Errors
    /// When the server does not answer or refuses.
    pub async fn is_known(&self, canary: &Canary) -> Result<bool, CliFault> {
        DrillClient { shop: self, base: self.base.clone() }.is_known(canary).await
    }

    /// Forgets them.
    ///
    /// # Errors
    /// When the server does not answer or refuses.
    pub async fn forget(&self, canary: &Canary) -> Result<(), CliFault> {
        let client = DrillClient { shop: self, base: self.base.clone() };
        client.post("/api/user/forget", json!({"Identifier": canary.email})).await.map(drop)
    }

    /// Number of unfinished submissions.
    ///
    /// # Errors
    /// When the server does not answer, refuses or sends no list.
    pub async fn submissions(&self) -> Result<usize, CliFault> {
        let client = DrillClient { shop: self, base: self.base.clone() };
        let (listed, _) = client.post("/api/submissions", json!({})).await?;
        let listed: Value = serde_json::from_str(&listed).map_err(shop_fault)?;
        let listed = listed.as_array().ok_or_else(|| shop_fault("no list of submissions"))?;
        let done = |submission: &&Value| submission["Status"] == 1 || submission["Status"] == "Complete";
        Ok(listed.len() - listed.iter().filter(done).count())
    }

    /// Ends its web server.
    pub async fn close(self) {
        self.serving.abort();
    }
}

fn user(canary: &Canary) -> Value {
    json!({"UserId": canary.user_id, "Email": canary.email, "FirstName": canary.name})
}

/// A shop at a server.
pub struct DrillClient<'a> {
    shop: &'a DrillShop,
    base: String,
}

impl DrillClient<'_> {
    /// Sends the person through every door.
    ///
    /// # Errors
    /// When the server does not answer or refuses something.
    pub async fn plant(&self, canary: &Canary) -> Result<Vec<(&'static str, String)>, CliFault> {
        let mut tokens = Vec::new();
        let (_, token) = self.post("/api/productfeed", json!({"Url": self.shop.feed_url})).await?;
        tokens.push(("a feed by URL, as a user and in a product's text", token));
        let users = json!({"Users": [user(canary)]}).to_string();
        tokens.push(("an upload of users", self.upload("user-drill", &users).await?));
        let orders = format!(
            "OrderId,UserId,Email,DateTimeStamp,ProdCode,Quantity,UnityPrice,LinePrice\n\
             O-1,{},{},{},1,2.0000,12.5000,25.0000\n",
            canary.user_id,
            canary.email,
            yesterday()
        );
        tokens.push(("an upload of orders", self.upload("orders-drill", &orders).await?));
        let delta = json!({
            "Users": [user(canary)],
            "Products": [{"Id": "2", "Sku": canary.key, "Title": format!("Bed, by {}", canary.email)}],
        });
        let (answer, _) = self.post("/api/delta", delta).await?;
        let answer: Value = serde_json::from_str(&answer).map_err(shop_fault)?;
        tokens.push(("a delta, as a user and in a product's text", text(&answer, "Token").to_owned()));
        Ok(tokens)
    }

    /// Lets the person shop, at every door that takes shoppers' events; returns each door and whether it took them.
    ///
    /// # Errors
    /// When the server does not answer or refuses something.
    pub async fn go_shopping(&self, canary: &Canary) -> Result<Vec<(&'static str, bool)>, CliFault> {
        let Canary { email, user_id, .. } = canary;
        let mut doors = Vec::new();
        let view = json!({"Name": "product_view", "Product": "1", "UserId": user_id});
        doors.push(("an event of their user id", self.takes_event(view).await?));
        let guest = json!({"Name": "set_basket", "Items": ["1"], "Email": email});
        doors.push(("an event of their address", self.takes_event(guest).await?));
        let held = json!({"Name": "product_view", "Product": "1", "AccountId": format!("Firm of {email}")});
        doors.push(("an event of a company with their address in its id", self.takes_event(held).await?));
        let order =
            json!({"Name": "order", "Order": "E-1", "Items": ["1"], "UserId": user_id, "Email": email});
        doors.push(("an order among events", self.takes_event(order).await?));
        let call = json!({"events": [{"name": "page_view", "data": []}]});
        let first = self.call(call).await?;
        let browser = text(&first, "visitorId");
        let log_in = json!({"name": "customer_details", "data": {"userid": user_id, "email": email}});
        let called = json!({"visitorId": browser, "zones": ["HP-01"], "search": {"query": "chair"},
            "events": [log_in, {"name": "product_view", "data": {"id": "1"}}]});
        let answer = self.call(called).await?;
        doors.push(("a log-in, a view, zones and a search by a plugin", answer.get("errors").is_none()));
        let order = json!({"name": "order_track", "data": {"orderid": "S-1", "productcount": 1, "id1": "1", "qty1": "1"}});
        let answer = self.call(json!({"visitorId": browser, "events": [order]})).await?;
        doors.push(("an order of who is logged in, by a plugin", answer.get("errors").is_none()));
        let key = &self.shop.access_key;
        let seen = format!("{}/api/track?appid={key}&visitorid={browser}&evt=product_view&id=1", self.base);
        let (answer, _) = send_request(reqwest::Client::new().get(seen)).await?;
        let answer: Value = serde_json::from_str(&answer).map_err(shop_fault)?;
        doors.push(("a view told by a page", answer.get("errors").is_none()));
        // So that the model of the shop has them too.
        self.post("/api/recommend", json!({"Items": ["1"]})).await?;
        Ok(doors)
    }

    /// Returns true if the person is known under any of their identifiers.
    ///
    /// # Errors
    /// When the server does not answer or refuses.
    pub async fn is_known(&self, canary: &Canary) -> Result<bool, CliFault> {
        for identifier in [canary.email.clone(), format!("userid:{}", canary.user_id)] {
            let (held, _) = self.post("/api/user/held", json!({"Identifier": identifier})).await?;
            let held: Value = serde_json::from_str(&held).map_err(shop_fault)?;
            if held["Known"] != false {
                return Ok(true);
            }
        }
        Ok(false)
    }

    async fn takes_event(&self, event: Value) -> Result<bool, CliFault> {
        let (answer, _) = self.post("/api/events", json!({"Events": [event]})).await?;
        let answer: Value = serde_json::from_str(&answer).map_err(shop_fault)?;
        Ok(answer["Accepted"] == 1)
    }

    /// A call of a plugin; again while the products of a new shop are being made ready.
    async fn call(&self, call: Value) -> Result<Value, CliFault> {
        let mut tries = 0;
        loop {
            let (answer, _) = self.post("/api/serverside", call.clone()).await?;
            let answer: Value = serde_json::from_str(&answer).map_err(shop_fault)?;
            tries += 1;
            if answer.get("errors").is_none() || tries == CALLS {
                return Ok(answer);
            }
            tokio::time::sleep(super::canary::LOOK_DURATION).await;
        }
    }

    /// The answer's text and the token in its head.
    async fn post(&self, path: &str, mut body: Value) -> Result<(String, String), CliFault> {
        body["AccessKey"] = self.shop.access_key.as_str().into();
        body["SecretKey"] = self.shop.secret_key.as_str().into();
        let request = reqwest::Client::new().post(format!("{}{path}", self.base));
        send_request(request.header("content-type", "application/json").body(body.to_string())).await
    }

    async fn upload(&self, name: &str, content: &str) -> Result<String, CliFault> {
        self.piece("/feed-create", name, content).await?;
        self.piece("/feed-close", name, "").await
    }

    async fn piece(&self, path: &str, name: &str, content: &str) -> Result<String, CliFault> {
        let shop = self.shop;
        let mut form = url::form_urlencoded::Serializer::new(String::new());
        form.append_pair("accessKey", &shop.access_key).append_pair("secretKey", &shop.secret_key);
        form.append_pair("feedName", name);
        if !content.is_empty() {
            form.append_pair("payLoad", content);
        }
        let request = reqwest::Client::new().post(format!("{}{path}", self.base));
        let request = request.header("content-type", "application/x-www-form-urlencoded").body(form.finish());
        Ok(send_request(request).await?.1)
    }
}

async fn send_request(request: reqwest::RequestBuilder) -> Result<(String, String), CliFault> {
    let answer = request.send().await.map_err(shop_fault)?;
    let status = answer.status();
    let token =
        answer.headers().get("x-feed-token").and_then(|token| token.to_str().ok()).unwrap_or_default();
    let token = token.to_owned();
    let text = answer.text().await.map_err(shop_fault)?;
    if status.is_success() { Ok((text, token)) } else { Err(shop_fault(text)) }
}

/// Orders older than a year are not kept.
fn yesterday() -> String {
    let day = crate::clock::Clock::system().now() - 86_400_000;
    let at = jiff::Timestamp::from_millisecond(day).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
    at.strftime("%Y-%m-%d %H:%M:%S").to_string()
}
