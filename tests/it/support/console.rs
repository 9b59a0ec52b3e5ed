//! Browser of an operator of the console.

use reqwest::header::{COOKIE, SET_COOKIE};
use reqwest::redirect::Policy;
use serde_json::{Value, json};

use crate::support::world::{Reply, Shop, World, client_builder};

pub const FORM: &str = "application/x-www-form-urlencoded";

/// Media type of a form with a file.
pub const FILE_FORM: &str = "multipart/form-data; boundary=part";

pub const PASSWORD: &str = "a password of the test";

/// Mark of synonyms that were never set: SHA-256 of nothing.
pub const NO_LINES: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

/// Bytes that a page is smaller than.
pub const PAGE_BYTES: usize = 150_000;

/// A browser of an operator.
pub struct Browser<'w> {
    world: &'w World,
    client: reqwest::Client,
    pub cookie: String,
}

impl<'w> Browser<'w> {
    pub fn new(world: &'w World) -> Self {
        let client = client_builder().redirect(Policy::none());
        Self { world, client: client.build().expect("a client"), cookie: String::new() }
    }

    /// Adds an operator, and signs in as them.
    pub async fn sign_in_as(world: &'w World, name: &str, role: &str, shops: &[&Shop]) -> Self {
        let shops: Vec<_> = shops.iter().map(|shop| shop.name.as_str()).collect();
        let added = json!({"Name": name, "Role": role, "Shops": shops});
        let made = world.control("/control/operator/add", added).await;
        let mut browser = Self::new(world);
        assert_eq!(browser.follow_link(&link_path(&made["Link"])).await.status, 303);
        assert_eq!(browser.sign_in(name, PASSWORD).await.status, 303);
        browser
    }

    pub async fn follow_link(&self, link: &str) -> Reply {
        self.send(link, &[("password", PASSWORD), ("again", PASSWORD)]).await
    }

    pub async fn sign_in(&mut self, name: &str, password: &str) -> Reply {
        let reply = self.send("/sign-in", &[("name", name), ("password", password)]).await;
        if let Some(set) = reply.headers.get(SET_COOKIE) {
            let set = set.to_str().expect("a text");
            assert!(set.ends_with("; Secure; HttpOnly; SameSite=Strict"), "{set}");
            self.cookie = set.split(';').next().unwrap_or_default().to_owned();
            assert!(self.cookie.starts_with("__Host-lethe="), "{set}");
        }
        reply
    }

    pub fn ask(&self, method: &str, path: &str) -> reqwest::RequestBuilder {
        let request = self.client.request(method.parse().expect("a method"), self.world.page(path));
        request.header(COOKIE, &self.cookie)
    }

    pub async fn get(&self, path: &str) -> Reply {
        send_request(self.ask("GET", path)).await
    }

    /// A page that is shown.
    pub async fn page(&self, path: &str) -> String {
        let reply = self.get(path).await;
        assert_eq!(reply.status, 200, "{path}: {}", reply.text);
        reply.text
    }

    /// Sends a form without the token of its session.
    pub async fn send(&self, path: &str, fields: &[(&str, &str)]) -> Reply {
        send_request(self.ask("POST", path).header("content-type", FORM).body(encode_form(fields))).await
    }

    /// Sends a form with a file as a browser does: the fields in front, then the file.
    pub async fn send_file(&self, path: &str, fields: &[(&str, &str)], file: (&str, &[u8])) -> Reply {
        let request =
            self.ask("POST", path).header("content-type", FILE_FORM).body(encode_parts(fields, file));
        send_request(request).await
    }

    /// The token of the forms of the session.
    pub async fn form_token(&self) -> String {
        let home = self.page("/places").await;
        let token = home.split("name=\"form_token\" value=\"").nth(1).and_then(|rest| rest.split('"').next());
        token.expect("a token").to_owned()
    }

    /// Sends a form of the session.
    pub async fn send_form(&self, path: &str, fields: &[(&str, &str)]) -> Reply {
        let token = self.form_token().await;
        let own = [("form_token", token.as_str())];
        self.send(path, &[&own, fields].concat()).await
    }

    /// Sends a form whose answer has an address of its own; gives the address.
    pub async fn post_form(&self, path: &str, fields: &[(&str, &str)]) -> String {
        let answered = self.send_form(path, fields).await;
        assert_eq!(answered.status, 303, "{}", answered.text);
        let address = answered.header("location").to_owned();
        assert!(address.contains("answer="), "{address}");
        address
    }

    /// Finds a person; returns the path of their page.
    pub async fn find(&self, shop: &Shop, identifier: &str) -> String {
        let found =
            self.send_form(&format!("/shops/{}/people", shop.name), &[("identifier", identifier)]).await;
        assert_eq!(found.status, 303, "{}", found.text);
        found.header("location").to_owned()
    }
}

pub async fn send_request(request: reqwest::RequestBuilder) -> Reply {
    let answer = request.send().await.expect("an answer");
    let status = answer.status().as_u16();
    let headers = answer.headers().clone();
    Reply { status, headers, text: answer.text().await.expect("a text") }
}

/// Fields as a browser sends them.
pub fn encode_form(fields: &[(&str, &str)]) -> String {
    let part = |text: &str| text.bytes().map(|byte| format!("%{byte:02x}")).collect::<String>();
    let pairs: Vec<_> =
        fields.iter().map(|(name, value)| format!("{}={}", part(name), part(value))).collect();
    pairs.join("&")
}

/// Fields and a file as a browser sends them in parts.
pub fn encode_parts(fields: &[(&str, &str)], (name, bytes): (&str, &[u8])) -> Vec<u8> {
    let part = |head: &str| format!("--part\r\nContent-Disposition: form-data; {head}\r\n");
    let mut parts = Vec::new();
    for (name, value) in fields {
        parts.extend(format!("{}\r\n{value}\r\n", part(&format!("name=\"{name}\""))).into_bytes());
    }
    let head = part(&format!("name=\"file\"; filename=\"{name}\""));
    parts.extend(format!("{head}Content-Type: application/octet-stream\r\n\r\n").into_bytes());
    parts.extend(bytes);
    parts.extend(b"\r\n--part--\r\n");
    parts
}

/// The path of a link that was printed.
pub fn link_path(link: &serde_json::Value) -> String {
    let link = link.as_str().expect("a link");
    link[link.find("/link/").expect("a link")..].to_owned()
}

/// An operator as the operator's list has them.
pub async fn find_operator(world: &World, name: &str) -> Value {
    let listed = world.control("/control/operator/list", json!({})).await;
    let one = listed.as_array().into_iter().flatten().find(|one| one["Name"] == name).cloned();
    one.unwrap_or_else(|| panic!("{name}: {listed}"))
}

/// The path of the page of an operator.
pub async fn operator_page(world: &World, name: &str) -> String {
    format!("/operators/{}", find_operator(world, name).await["Number"].as_str().expect("a number"))
}
