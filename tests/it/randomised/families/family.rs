//! A shop with people, whose erasures are compared with its exports.

use std::collections::BTreeSet;

use super::rows::{contents, rows};
use serde_json::json;

use crate::support::uploads;
use crate::support::world::{Shop, World};

/// A shop with people.
pub struct Family {
    pub world: World,
    pub shop: Shop,
}

impl Family {
    pub async fn new(world: World) -> Self {
        let shop = world.shop("one").await;
        Self { world, shop }
    }

    /// A profile with a mark, and an email unless that is empty.
    pub async fn apply_profile(&self, user: &str, email: &str, mark: &str) {
        apply_profile(&self.world, &self.shop, user, email, mark).await;
    }

    /// Orders: number, user id, email.
    pub async fn send_orders(&self, orders: &[[&str; 3]]) {
        send_orders(&self.world, &self.shop, orders).await;
    }

    pub async fn assert_holds(&self, expected: &[&str]) {
        let expected: BTreeSet<String> = expected.iter().map(|text| (*text).to_owned()).collect();
        assert_eq!(contents(&self.world, &self.shop).await, expected);
    }

    /// Forgets, and demands that exactly these went, that the dry run and the export had told so, and that every row
    /// that is left is one that was there, byte by byte. Gives the id of the erasure.
    pub async fn forget_exactly(&self, asked: &str, gone: &[&str]) -> String {
        let gone: BTreeSet<String> = gone.iter().map(|text| (*text).to_owned()).collect();
        let (erasure, went) = forget_exactly(&self.world, &self.shop, asked).await;
        assert_eq!(went, gone, "by {asked}");
        erasure
    }

    pub async fn is_suppressed(&self, asked: &str) -> bool {
        is_suppressed(&self.world, &self.shop, asked).await
    }

    /// Data that a dry run says would be left: `name: requests`.
    pub async fn list_left(&self, asked: &str) -> Vec<String> {
        let held = self.world.ask_json(&self.shop, "/api/user/held", json!({"Identifier": asked})).await;
        let told = held["Left"].as_array().expect("what is left").iter().map(|left| {
            let requests = left["Requests"].as_array().expect("requests").iter();
            let mut requests: Vec<_> = requests.map(|one| one.as_str().expect("a request")).collect();
            requests.sort_unstable();
            format!("{} {}: {}", left["Name"].as_str().expect("a name"), left["Count"], requests.join(" "))
        });
        told.collect()
    }
}

pub async fn apply_profile(world: &World, shop: &Shop, user: &str, email: &str, mark: &str) {
    let mut row = json!({"UserId": user, "FirstName": mark});
    if !email.is_empty() {
        row["Email"] = email.into();
    }
    world.apply_delta(shop, json!({"Users": [row]})).await;
}

pub async fn send_orders(world: &World, shop: &Shop, orders: &[[&str; 3]]) {
    let mut file = "OrderID,UserId,Email,DateTime,ProdCode\n".to_owned();
    for [order, user, email] in orders {
        file += &format!("{order},{user},{email},2026-11-01 10:00:00,p\n");
    }
    let token = uploads::send_feed(world, shop, "orders-1", &[&file, ""]).await;
    world.run_all_jobs().await;
    assert_eq!(world.feed_status(shop, &token).await, json!(["Complete", null]));
}

pub async fn forget_exactly(world: &World, shop: &Shop, asked: &str) -> (String, BTreeSet<String>) {
    let export = world.ask_json(shop, "/api/user/export", json!({"Identifier": asked})).await;
    let texts = |list: &str, field: &str, kind: &str| -> Vec<String> {
        let all = export[list].as_array().expect("a list").iter();
        all.map(|one| format!("{kind} {}", one[field].as_str().expect("a text"))).collect()
    };
    let exported: BTreeSet<String> = texts("Profiles", "FirstName", "profile")
        .into_iter()
        .chain(texts("Orders", "Order", "order"))
        .collect();
    let held = world.ask_json(shop, "/api/user/held", json!({"Identifier": asked})).await;
    let places = held["Places"].as_array().expect("places");
    let records = places.iter().find(|place| place["Name"] == "records").expect("records");
    assert_eq!(records["Found"], exported.len(), "a dry run counts what an export shows: {held}");
    let before = contents(world, shop).await;
    let rows_before = rows(world, shop).await;
    let reply = world.ask(shop, "/api/user/forget", json!({"Identifier": asked})).await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    let erasure = reply.header("x-erasure-id").to_owned();
    world.run_all_jobs().await;
    let shown = world.ask_json(shop, "/api/erasure", json!({"Erasure": erasure})).await;
    assert_eq!(shown["State"], "verified", "{shown}");
    let after = contents(world, shop).await;
    assert!(after.is_subset(&before));
    let strange: Vec<String> = rows(world, shop).await.difference(&rows_before).cloned().collect();
    assert!(strange.is_empty(), "rows that were not there before {asked}: {strange:?}");
    let went: BTreeSet<String> = before.difference(&after).cloned().collect();
    assert_eq!(went, exported, "an export of {asked} shows what its forget erases");
    let scan = world.ask_json(shop, "/api/user/held", json!({"Identifier": asked})).await;
    assert_eq!((&scan["Known"], &scan["FoundAnywhere"]), (&json!(false), &json!(false)), "{scan}");
    (erasure, went)
}

pub async fn is_suppressed(world: &World, shop: &Shop, asked: &str) -> bool {
    let shown = world.ask_json(shop, "/api/user/suppression", json!({"Identifier": asked})).await;
    shown["Suppressed"] == true
}
