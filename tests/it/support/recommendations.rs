//! Recommendations of a shop, and a model that is held.

use std::sync::mpsc::Sender;
use std::time::Duration;

use lethe::ids::AccountId;
use lethe::recommend::model::Model;
use serde_json::Value;
use tokio::task::JoinHandle;

use crate::support::world::{Shop, World};

pub async fn fetch_recommended(world: &World, shop: &Shop, mut asked: Value) -> Vec<Value> {
    asked["AppKey"] = shop.key.as_str().into();
    let reply = world.post("/api/recommend", &asked).await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    reply.json()["Items"].as_array().expect("items").clone()
}

/// `id reason` of each.
pub async fn describe_recommended(world: &World, shop: &Shop, asked: Value) -> Vec<String> {
    let item = |item: &Value| {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        format!(
            "{} {} {}",
            text(&item["Id"]),
            text(&item["Reason"]["Code"]),
            text(&item["Reason"]["Product"])
        )
    };
    fetch_recommended(world, shop, asked).await.iter().map(|one| item(one).trim_end().to_owned()).collect()
}

/// Holds the model of the first account until told to stop, while a day begins.
pub async fn hold_model_overnight(world: &World) -> (Sender<()>, JoinHandle<()>) {
    let models = world.node().derived.models().clone();
    let (began, begun) = tokio::sync::oneshot::channel();
    let (end, ended) = std::sync::mpsc::channel::<()>();
    let runtime = tokio::runtime::Handle::current();
    let holding = tokio::task::spawn_blocking(move || {
        let compare = move |_: &Model, _: &Model| {
            began.send(()).expect("somebody waits for it");
            ended.recv().expect("it is said when");
        };
        runtime.block_on(models.compare_with_rebuilt(AccountId(1), compare)).expect("a model");
    });
    begun.await.expect("it is held");
    world.clock.advance(Duration::from_secs(24 * 60 * 60));
    (end, holding)
}
