//! Calls of shop plugins besides feeds and deltas: the exact answers that they read, and the parts of their calls that
//! must not be kept.

use axum::body::Body;
use axum::http::Request;
use lethe::transport::peer::Peer;
use serde_json::{Value, json};
use tower::ServiceExt;

use crate::support::feed_server::Answer;
use crate::support::log_traces;
use crate::support::residue;
use crate::support::uploads::{post_piece, send_feed};
use crate::support::world::{Reply, Shop, World, on_both_engines};

on_both_engines! {
    keys_are_valid_or_not_and_neither_is_a_refusal
    wrong_keys_are_not_validated_without_end
    the_dashboard_has_every_member_in_its_order
    the_next_step_follows_from_what_the_account_shows
    feedback_is_taken_and_its_text_is_nowhere
    a_secret_sent_as_the_id_of_a_step_is_nowhere
    a_deletion_that_is_asked_for_changes_nothing_until_it_is_confirmed
    a_dismissed_deletion_may_be_asked_for_again
    signing_up_is_closed_and_says_so_in_a_list
    wrong_keys_open_nothing_of_a_plugin
}

const VALIDATE: &str = "/api/plugin/validate-account";
const DASHBOARD: &str = "/api/plugin/dashboard";
const FEEDBACK: &str = "/api/plugin/feedback";
const DELETE: &str = "/api/plugin/delete";
const COMPLETE: &str = "/api/next-steps/complete";

const ACCEPTED: &str = "The request was submitted successfully";

fn wrong(shop: &Shop) -> Shop {
    Shop { secret: "wrong".to_owned(), ..shop.clone() }
}

async fn keys_are_valid_or_not_and_neither_is_a_refusal(world: World) {
    let shop = world.shop("one").await;
    let other = world.shop("other").await;
    let validity = async |shop: &Shop| {
        let reply = world.ask(shop, VALIDATE, json!({})).await;
        assert_eq!((reply.status, reply.header("content-type")), (200, "application/json"));
        reply.text
    };
    assert_eq!(validity(&shop).await, r#"{"IsValid":true}"#);
    let foreign = Shop { secret: other.secret.clone(), ..shop.clone() };
    let unknown = Shop { key: "nobody-has-this-key".to_owned(), ..shop.clone() };
    let empty = Shop { key: String::new(), secret: String::new(), ..shop.clone() };
    for wrong in [wrong(&shop), foreign, unknown, empty] {
        assert_eq!(validity(&wrong).await, r#"{"IsValid":false}"#);
    }
    world.post(VALIDATE, &json!({"AccessKey": shop.key})).await.expect_refusal(400);
    world.post(VALIDATE, &json!({"AccessKey": shop.key, "SecretKey": null})).await.expect_refusal(400);
    world.control("/control/key/revoke", json!({"Name": "one", "Number": 1})).await;
    assert_eq!(validity(&shop).await, r#"{"IsValid":false}"#);
}

async fn wrong_keys_are_not_validated_without_end(world: World) {
    let shop = world.shop("one").await;
    let mut answered = 0;
    loop {
        let reply = world.ask(&wrong(&shop), VALIDATE, json!({})).await;
        if reply.status == 429 {
            assert!(reply.header("retry-after").parse::<u32>().is_ok());
            break;
        }
        assert_eq!(reply.text, r#"{"IsValid":false}"#);
        answered += 1;
        assert!(answered < 200, "never limited");
    }
    assert!(answered >= 60, "{answered}");
    assert_eq!(world.ask_json(&shop, VALIDATE, json!({})).await, json!({"IsValid": true}));
}

async fn the_dashboard_has_every_member_in_its_order(world: World) {
    let shop = world.shop("one").await;
    world.apply_delta(&shop, json!({"Products": [{"Id": "1", "Title": "Chair"}]})).await;
    let counts = concat!(
        r#"{"Impressions":0,"Sessions":0,"ConversionRate":0.0,"SalesTotalDisplay":"0.00 GBP","OrderCount":0,"#,
        r#""RecommenderProductTotal":0.0,"RecommenderProductTotalDisplay":"0.00 GBP"}"#
    );
    let wanted = format!(
        "{{{},{},{}}}",
        r#""NextSteps":[]"#,
        format_args!(r#""Stats":{{"today":{counts},"last30days":{counts}}}"#),
        r#""Account":{"IsSignedUp":1,"DaysLeft":0,"FreeTrialEndDate":""}"#
    );
    let reply = world.ask(&shop, DASHBOARD, json!({})).await;
    assert_eq!((reply.status, reply.text), (200, wanted));
    // Without a currency an amount names none.
    let made = world.control("/control/account/create", json!({"Name": "plain"})).await;
    let text = |field: &str| made[field].as_str().expect("a key").to_owned();
    let plain = Shop { name: "plain".to_owned(), key: text("AccessKey"), secret: text("SecretKey") };
    let shown = world.ask_json(&plain, DASHBOARD, json!({})).await;
    assert_eq!(shown["Stats"]["today"]["SalesTotalDisplay"], "0.00");
}

async fn the_next_step_follows_from_what_the_account_shows(world: World) {
    let shop = world.shop("one").await;
    let steps = async || world.ask_json(&shop, DASHBOARD, json!({})).await["NextSteps"].clone();
    let first = async || {
        let steps = steps().await;
        assert_eq!(steps.as_array().map(Vec::len), Some(1), "{steps}");
        let members: Vec<_> = steps[0].as_object().expect("a step").keys().cloned().collect();
        assert_eq!(members, ["id", "title", "description"], "no link that a plugin would prefix");
        (steps[0]["id"].clone(), steps[0]["title"].clone(), steps[0]["description"].clone())
    };
    let (id, title, _) = first().await;
    assert_eq!((id, title), (json!("product-feed"), json!("Send a product feed")));
    let broken = world.feeds.serve("/broken", [Answer::ok("canary, no JSON")]);
    world.feed(&shop, &broken).await;
    assert_eq!(first().await.1, json!("Wait for the feed"));
    world.run_all_jobs().await;
    let (id, title, description) = first().await;
    assert_eq!((id, title), (json!("product-feed"), json!("Repair the feed")));
    assert!(!description.to_string().contains("canary"), "{description}");
    world
        .complete_feed(&shop, "/categories", &json!({"Categories": [{"Id": "c", "DisplayName": "C"}]}))
        .await;
    assert_eq!(first().await.1, json!("Send a product feed"));
    world.complete_feed(&shop, "/good", &json!({"Products": [{"Id": "1", "Title": "Chair"}]})).await;
    assert_eq!(steps().await, json!([]));
    assert_ne!(world.feed(&shop, &broken).await, "");
    assert_eq!(steps().await, json!([]), "while it is read there is nothing to do");
    world.run_all_jobs().await;
    let (id, title, description) = first().await;
    assert_eq!((id, title), (json!("newest-feed"), json!("Repair the newest feed")));
    assert!(
        description.as_str().expect("text").ends_with("shown before it is still shown."),
        "{description}"
    );
    // Saying that it is done does not make it so.
    let done = json!({"appkey": shop.key, "id": "newest-feed"});
    assert_eq!(world.post(COMPLETE, &done).await.status, 200);
    assert_eq!(first().await.0, json!("newest-feed"));
    world.complete_feed(&shop, "/good", &json!({"Products": [{"Id": "1", "Title": "Stool"}]})).await;
    assert_eq!(steps().await, json!([]));
    // Uploads come one for each kind: a good one does not hide a broken one of another kind.
    for (name, feed) in [("product-1", "canary"), ("category-1", r#"{"Categories":[{"Id":"c"}]}"#)] {
        send_feed(&world, &shop, name, &[feed, ""]).await;
        world.run_all_jobs().await;
    }
    assert_eq!(first().await.0, json!("newest-feed"));
    send_feed(&world, &shop, "product-2", &[r#"{"Products":[{"Id":"1"}]}"#, ""]).await;
    world.run_all_jobs().await;
    assert_eq!(steps().await, json!([]));
}

async fn feedback_is_taken_and_its_text_is_nowhere(world: World) {
    let shop = world.shop("one").await;
    let text = "canary-feedback: ask Ada Canary at ada@canary.test";
    for platform in [json!("WooCommerce"), json!("canary-platform"), json!(7), json!(null)] {
        let reply = world.ask(&shop, FEEDBACK, json!({"Feedback": text, "Platform": platform})).await;
        assert_eq!((reply.status, reply.text.as_str()), (200, ACCEPTED));
    }
    assert_eq!(world.ask(&shop, FEEDBACK, json!({})).await.status, 200);
    let refusal = world.ask(&wrong(&shop), FEEDBACK, json!({"Feedback": text})).await;
    assert!(!refusal.expect_refusal(403).contains("canary"));
    let log = log_traces::read_log();
    let noted: Vec<_> = log.lines().filter(|line| line.contains("sent feedback")).collect();
    assert_eq!(noted.iter().filter(|line| line.contains("platform=\"WooCommerce\"")).count(), 1, "{log}");
    assert!(noted.iter().any(|line| line.contains("platform=\"other\"")), "{log}");
    assert!(!log.to_lowercase().contains("canary"), "{log}");
    residue::assert_nothing(&world, &["canary-feedback", "Ada Canary", "ada@canary.test", "canary-platform"])
        .await;
}

async fn a_secret_sent_as_the_id_of_a_step_is_nowhere(world: World) {
    let shop = world.shop("one").await;
    let mut answers = Vec::new();
    for key in [shop.key.as_str(), "nobody-has-this-key"] {
        answers.push(world.post(COMPLETE, &json!({"appkey": key, "id": shop.secret})).await);
    }
    answers.push(world.post(COMPLETE, &json!({"id": shop.secret})).await);
    let twice = format!(r#"{{"appkey":"{}","id":"{}","id":"x"}}"#, shop.key, shop.secret);
    answers.push(world.post_bytes(COMPLETE, twice).await);
    let statuses: Vec<_> = answers.iter().map(|reply| reply.status).collect();
    assert_eq!(statuses, [200, 403, 400, 400]);
    assert_eq!(answers[0].text, ACCEPTED);
    for reply in &answers {
        assert!(!reply.text.contains(&shop.secret) && !format!("{:?}", reply.headers).contains(&shop.secret));
    }
    // Whatever else stands there is not looked at either.
    for id in [json!(7), json!(null), json!({"id": []})] {
        assert_eq!(world.post(COMPLETE, &json!({"appkey": shop.key, "id": id})).await.status, 200);
    }
    assert_eq!(world.post(COMPLETE, &json!({"appkey": shop.key})).await.status, 200);
    assert!(!world.get("/metrics").await.text.contains(&shop.secret));
    assert!(!log_traces::read_log().contains(&shop.secret));
    residue::assert_nothing(&world, &[&shop.secret]).await;
}

/// The state of the deletion of an account, by the operator's list; null when none was asked for.
async fn deletion(world: &World, shop: &Shop) -> Value {
    let all = world.control("/control/account/deletion/list", json!({})).await;
    let found =
        all.as_array().expect("a list").iter().find(|deletion| deletion["Name"] == shop.name.as_str());
    found.map_or(Value::Null, |deletion| deletion["State"].clone())
}

/// The status of one of the operator's requests about an account.
async fn control_status(world: &World, path: &str, name: &str) -> u16 {
    let request = Request::post(path)
        .header("content-type", "application/json")
        .extension(Peer::Operator)
        .body(Body::from(json!({"Name": name}).to_string()))
        .expect("a request");
    let answer =
        lethe::admin::routes::control(world.node().clone()).oneshot(request).await.expect("an answer");
    answer.status().as_u16()
}

async fn a_deletion_that_is_asked_for_changes_nothing_until_it_is_confirmed(world: World) {
    let shop = world.shop("one").await;
    let other = world.shop("other").await;
    world.apply_delta(&shop, json!({"Products": [{"Id": "1", "Title": "Chair"}]})).await;
    assert_eq!(deletion(&world, &shop).await, Value::Null);
    assert_eq!(control_status(&world, "/control/account/deletion/confirm", "one").await, 404);
    world.ask(&wrong(&shop), DELETE, json!({})).await.expect_refusal(403);
    assert_eq!(deletion(&world, &shop).await, Value::Null);
    for _ in 0..2 {
        let reply = world.ask(&shop, DELETE, json!({"Feedback": "canary-farewell"})).await;
        assert_eq!((reply.status, reply.text.as_str()), (200, ACCEPTED));
    }
    assert_eq!(deletion(&world, &shop).await, "asked");
    world.apply_delta(&shop, json!({"Products": [{"Id": "2", "Title": "Table"}]})).await;
    let waiting = world.delta(&shop, json!({"Products": [{"Id": "3", "Title": "Lamp"}]})).await;
    assert_eq!(post_piece(&world, &shop, "/feed-create", "product-1", Some(b"{")).await.status, 200);
    assert_eq!(control_status(&world, "/control/account/deletion/confirm", "nobody").await, 404);
    let confirmed = world.control("/control/account/deletion/confirm", json!({"Name": "one"})).await;
    assert_eq!(confirmed, json!({"Name": "one", "State": "confirmed"}));
    // At once on this node, with the secret and without it.
    for path in ["/api/delta", "/api/productfeed", "/api/user/forget", DASHBOARD, FEEDBACK, DELETE] {
        world.ask(&shop, path, body_for(path)).await.expect_refusal(403);
    }
    for path in ["/feed-create", "/feed-append", "/feed-close"] {
        post_piece(&world, &shop, path, "product-1", Some(b"}")).await.expect_refusal(403);
    }
    let question = json!({"AppKey": shop.key, "Tokens": [waiting]});
    for path in ["/api/productfeedstatus", "/api/productdeltastatus", COMPLETE] {
        world.post(path, &question).await.expect_refusal(403);
    }
    assert_eq!(world.ask_json(&shop, VALIDATE, json!({})).await, json!({"IsValid": false}));
    // Accepted requests are done, nothing is removed, the operator still sees the account, and no one gets new keys.
    world.run_all_jobs().await;
    let seen = world.control("/api/catalogue", json!({"Account": "one", "Limit": 0})).await;
    assert_eq!(seen["Counts"]["Products"], 3);
    assert_eq!(control_status(&world, "/control/key/rotate", "one").await, 409);
    assert_eq!(control_status(&world, "/control/account/deletion/dismiss", "one").await, 404);
    assert_eq!(deletion(&world, &shop).await, "confirmed");
    let keys = world.control("/control/key/list", json!({"Name": "one"})).await;
    assert_eq!(keys["Secrets"][0]["Live"], false);
    world.delta(&other, json!({})).await;
    residue::assert_nothing(&world, &["canary-farewell"]).await;
    assert!(!log_traces::read_log().contains("canary-farewell"));
}

fn body_for(path: &str) -> Value {
    match path {
        "/api/productfeed" => json!({"url": "http://127.0.0.1:9/feed.json"}),
        "/api/user/forget" => json!({"Identifier": "ada@shop.test"}),
        _ => json!({}),
    }
}

async fn a_dismissed_deletion_may_be_asked_for_again(mut world: World) {
    let shop = world.shop("one").await;
    for _ in 0..2 {
        assert_eq!(world.ask(&shop, DELETE, json!({})).await.status, 200);
        let dismissed = world.control("/control/account/deletion/dismiss", json!({"Name": "one"})).await;
        assert_eq!(dismissed, json!({"Name": "one", "State": "dismissed"}));
        assert_eq!(control_status(&world, "/control/account/deletion/confirm", "one").await, 404);
        world.delta(&shop, json!({})).await;
    }
    assert_eq!(world.ask(&shop, DELETE, json!({})).await.status, 200);
    world.restart().await;
    let all = world.control("/control/account/deletion/list", json!({})).await;
    assert_eq!(all.as_array().map(Vec::len), Some(1));
    assert_eq!((&all[0]["State"], &all[0]["DecidedAt"]), (&json!("asked"), &Value::Null));
    world.control("/control/account/deletion/confirm", json!({"Name": "one"})).await;
    world.restart().await;
    world.ask(&shop, "/api/delta", json!({})).await.expect_refusal(403);
    let accounts = world.control("/control/account/list", json!({})).await;
    assert!(accounts[0]["ClosedAt"].is_i64(), "{accounts}");
}

/// The sentence of a refusal that clients read as a list.
fn read_listed_error(reply: &Reply, status: u16) -> String {
    assert_eq!((reply.status, reply.header("content-type")), (status, "application/json"), "{}", reply.text);
    let body = reply.json();
    let sentence = body["Error"].as_str().expect("a sentence").to_owned();
    assert_eq!(reply.text, json!({"Error": sentence, "errors": [sentence]}).to_string());
    sentence
}

async fn signing_up_is_closed_and_says_so_in_a_list(world: World) {
    let shop = world.shop("one").await;
    let asked =
        json!({"Id": "1", "Platform": "WooCommerce", "Email": "ada@canary.test", "Password": "canary-pw"});
    let mut sentences = Vec::new();
    for path in ["/api/plugin/signuprequest", "/api/plugin/signupstatus"] {
        sentences.push(read_listed_error(&world.post(path, &asked).await, 400));
        sentences.push(read_listed_error(&world.post(path, &json!({})).await, 400));
        read_listed_error(&world.post_bytes(path, "canary").await, 400);
        let form = world.request("POST", path).header("content-type", "text/plain").body("canary");
        read_listed_error(&world.send(form).await, 415);
    }
    let store = json!({"Id": "1", "StoreName": "Canary"});
    sentences.push(read_listed_error(&world.ask(&shop, "/api/plugin/add-store", store.clone()).await, 400));
    assert!(sentences.iter().all(|sentence| sentence.contains("closed")), "{sentences:?}");
    read_listed_error(&world.ask(&wrong(&shop), "/api/plugin/add-store", store.clone()).await, 403);
    read_listed_error(&world.post("/api/plugin/add-store", &store).await, 400);
    assert!(!log_traces::read_log().to_lowercase().contains("canary"));
    residue::assert_nothing(&world, &["canary-pw", "ada@canary.test"]).await;
}

async fn wrong_keys_open_nothing_of_a_plugin(world: World) {
    let shop = world.shop("one").await;
    let delta = world.ask(&wrong(&shop), "/api/delta", json!({})).await.expect_refusal(403);
    for path in [DASHBOARD, FEEDBACK, DELETE] {
        assert_eq!(world.ask(&wrong(&shop), path, json!({})).await.expect_refusal(403), delta);
        world.post(path, &json!({"AccessKey": shop.key})).await.expect_refusal(400);
    }
    let unknown = json!({"appkey": "nobody-has-this-key", "id": "x"});
    let unknown = world.post(COMPLETE, &unknown).await.expect_refusal(403);
    assert!(unknown.contains("access key is not known") && unknown.contains("no secret"), "{unknown}");
}
