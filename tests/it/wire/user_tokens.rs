//! Tokens in which a shop's server names a shopper, and what a page opens with them.

use std::time::Duration;

use base64::Engine;
use base64::prelude::{BASE64_URL_SAFE, BASE64_URL_SAFE_NO_PAD};
use lethe::keys::secret::SecretKey;
use lethe::keys::user_token::TokenKey;
use lethe::store::{Owner, Statement, StoreFault};
use lethe::{args, limits};
use serde_json::{Value, json};

use crate::support::world::{Reply, Shop, World, on_both_engines, statement};

on_both_engines! {
    a_page_with_a_token_is_shown_the_prices_of_its_shopper
    a_token_that_no_live_secret_signed_opens_nothing
    a_token_ends_and_lives_an_hour_at_most
    a_token_stands_in_no_address
    a_secret_from_before_there_were_tokens_signs_none
    a_token_whose_key_cannot_be_opened_is_not_called_unsigned
}

/// A shop whose one product costs 70, for the account A-17 3, and for the group 8 5.
async fn shop(world: &World, name: &str) -> Shop {
    let shop = world.shop(name).await;
    let chair = json!({"Id": "1", "Sku": "1", "Title": "Chair", "Link": "https://shop.example/1",
        "Image": "https://shop.example/1.jpg", "Prices": ["70 GBP"],
        "GroupPrices": {"8": {"Prices": ["5 GBP"]}}, "AccountPrices": {"A-17": {"Prices": ["3 GBP"]}}});
    world.complete_feed(&shop, &format!("/{name}"), &json!({"Products": [chair]})).await;
    shop
}

/// Seconds since 1970 after `seconds`.
fn after(world: &World, seconds: i64) -> i64 {
    world.clock.now() / 1000 + seconds
}

fn sign_token(shop: &Shop, said: &str) -> String {
    let secret = SecretKey::parse(&shop.secret).expect("a secret");
    let key = TokenKey::from_secret(&secret).expect("a key");
    format!("{said}.{}", BASE64_URL_SAFE_NO_PAD.encode(key.sign(said.as_bytes())))
}

/// A token of the shop for half an hour.
fn token(world: &World, shop: &Shop, mut said: Value) -> String {
    said["AccessKey"] = shop.key.clone().into();
    if said["Exp"].is_null() {
        said["Exp"] = after(world, 1800).into();
    }
    sign_token(shop, &BASE64_URL_SAFE_NO_PAD.encode(said.to_string()))
}

async fn search(world: &World, shop: &Shop, token: &str) -> Reply {
    let asked = json!({"AppKey": shop.key, "Currency": "GBP", "UserToken": token, "AccountId": "A-17"});
    world.post("/api/search", &asked).await
}

async fn price(world: &World, shop: &Shop, token: &str) -> Option<f64> {
    let reply = search(world, shop, token).await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    reply.json()["Items"][0]["Price"].as_f64()
}

async fn a_page_with_a_token_is_shown_the_prices_of_its_shopper(world: World) {
    let shop = shop(&world, "one").await;
    assert_eq!(price(&world, &shop, "").await, Some(70.0), "what a page says without one is not believed");
    let cases = [
        (json!({"AccountId": "A-17"}), 3.0),
        (json!({"GroupId": "8"}), 5.0),
        (json!({"GroupId": 8, "UserId": "U-1"}), 5.0),
        (json!({"UserId": "U-1"}), 70.0),
    ];
    for (said, expected) in cases {
        let token = token(&world, &shop, said.clone());
        assert_eq!(price(&world, &shop, &token).await, Some(expected), "{said}");
    }
    // As libraries write it that pad.
    let said = json!({"AccessKey": shop.key, "AccountId": "A-17", "Exp": after(&world, 60)}).to_string();
    let padded = BASE64_URL_SAFE.encode(said.clone() + if said.len().is_multiple_of(3) { " " } else { "" });
    assert!(padded.ends_with('='));
    assert_eq!(price(&world, &shop, &sign_token(&shop, &padded)).await, Some(3.0));
}

async fn a_token_that_no_live_secret_signed_opens_nothing(world: World) {
    let shop = shop(&world, "one").await;
    let other = self::shop(&world, "two").await;
    let right = token(&world, &shop, json!({"AccountId": "A-17"}));
    let refused = async |token: &str| search(&world, &shop, token).await.expect_refusal(403);
    let unsigned = "UserToken was not signed with a live secret of this account";
    let said = right.split('.').next().expect("a first part");
    for wrong in [
        sign_token(&other, said),
        format!("{said}."),
        format!("{said}.AAAA"),
        format!("A{right}"),
        token(&world, &other, json!({"AccountId": "A-17"})),
    ] {
        assert_eq!(refused(&wrong).await, unsigned);
    }
    let form = "UserToken has to be base64url(JSON).base64url(HMAC-SHA-256)";
    for wrong in ["x", "a.b.c", "ä.ö", &format!("{right}=="), said] {
        assert_eq!(refused(wrong).await, form, "{wrong}");
    }
    assert_eq!(refused(&"x".repeat(5000)).await, "UserToken is too long");
    let elsewhere = json!({"AccessKey": other.key, "Exp": after(&world, 60)}).to_string();
    let elsewhere = sign_token(&shop, &BASE64_URL_SAFE_NO_PAD.encode(elsewhere));
    assert_eq!(refused(&elsewhere).await, "UserToken is of another access key");
    let text = sign_token(&shop, &BASE64_URL_SAFE_NO_PAD.encode("\"A-17\""));
    assert_eq!(refused(&text).await, "UserToken has to hold one JSON object");
    // It ends with its secret, and works together with the next one until then.
    let made = world.control("/control/key/rotate", json!({"Name": "one", "Hours": 2})).await;
    let next = Shop { secret: made["SecretKey"].as_str().expect("a secret").to_owned(), ..shop.clone() };
    for live in [&right, &token(&world, &next, json!({"AccountId": "A-17"}))] {
        assert_eq!(price(&world, &shop, live).await, Some(3.0));
    }
    world.control("/control/key/revoke", json!({"Name": "one", "Number": 1})).await;
    assert_eq!(refused(&right).await, unsigned);
}

async fn a_token_ends_and_lives_an_hour_at_most(world: World) {
    let shop = shop(&world, "one").await;
    let until = |seconds| token(&world, &shop, json!({"AccountId": "A-17", "Exp": after(&world, seconds)}));
    let lives = until(60);
    assert_eq!(price(&world, &shop, &lives).await, Some(3.0));
    let ended = "UserToken has ended: Exp is in the past";
    assert_eq!(search(&world, &shop, &until(0)).await.expect_refusal(403), ended);
    let hour = i64::try_from(limits::USER_TOKEN_DURATION.as_secs()).expect("a number");
    // A shop's clock may be ahead by a minute.
    assert_eq!(price(&world, &shop, &until(hour + 60)).await, Some(3.0));
    for long in [hour + 61, i64::MAX / 2] {
        let sentence = search(&world, &shop, &until(long)).await.expect_refusal(403);
        assert_eq!(sentence, "UserToken lives too long: Exp is up to an hour ahead, in Unix seconds");
    }
    let endless = json!({"AccessKey": shop.key, "AccountId": "A-17"}).to_string();
    let endless = sign_token(&shop, &BASE64_URL_SAFE_NO_PAD.encode(endless));
    let form =
        "UserToken has to hold AccessKey, Exp in Unix seconds, and ids that are texts or whole numbers";
    assert_eq!(search(&world, &shop, &endless).await.expect_refusal(403), form);
    let strange = token(&world, &shop, json!({"AccountId": ["A-17"]}));
    assert_eq!(search(&world, &shop, &strange).await.expect_refusal(403), form);
    world.clock.advance(Duration::from_secs(60));
    assert_eq!(search(&world, &shop, &lives).await.expect_refusal(403), ended);
}

async fn a_token_stands_in_no_address(world: World) {
    let shop = shop(&world, "one").await;
    let token = token(&world, &shop, json!({"AccountId": "A-17"}));
    let reply = world.get(&format!("/api/search?AppKey={}&UserToken={token}", shop.key)).await;
    let sentence = reply.expect_refusal(400);
    assert_eq!(sentence, "UserToken is not taken in an address, which logs keep: send it with POST");
}

/// Changes the one secret of the store.
async fn change_secret(world: &World, change: &'static Statement) {
    let node = world.node();
    let done = node.store.write(Owner::STORE, move |tx| tx.exec(change, args![])).await;
    assert_eq!(done.map_err(|fault: StoreFault| fault).expect("a change"), 1);
    node.directory.clear();
}

async fn a_secret_from_before_there_were_tokens_signs_none(world: World) {
    static FORGET: Statement = statement("secret_of_before", "UPDATE secret SET token_key = NULL");
    let shop = shop(&world, "one").await;
    change_secret(&world, &FORGET).await;
    let token = token(&world, &shop, json!({"AccountId": "A-17"}));
    let sentence = search(&world, &shop, &token).await.expect_refusal(403);
    assert_eq!(sentence, "UserToken was not signed with a live secret of this account");
    // The secret itself works on.
    world.apply_delta(&shop, json!({})).await;
}

async fn a_token_whose_key_cannot_be_opened_is_not_called_unsigned(world: World) {
    static DAMAGE: Statement =
        statement("secret_damaged", "UPDATE secret SET token_key = substr(token_key, 2)");
    let shop = shop(&world, "one").await;
    let token = token(&world, &shop, json!({"AccountId": "A-17"}));
    assert_eq!(search(&world, &shop, &token).await.status, 200);
    change_secret(&world, &DAMAGE).await;
    search(&world, &shop, &token).await.expect_refusal(503);
}
