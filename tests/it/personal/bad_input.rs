//! Recommendations for whatever a page may send: any number of ids, ids of any text, a session of one product.

use lethe::ids::AccountId;
use lethe::limits;
use lethe::recommend::recommender::Recommender;
use serde_json::{Value, json};

use crate::support::events::{open_shop, post_events, post_view};
use crate::support::recommendations::{describe_recommended, fetch_recommended};
use crate::support::world::{Shop, World, on_both_engines};

on_both_engines! {
    a_list_of_ids_is_answered_up_to_its_limit
    an_id_of_any_text_is_that_of_a_product_or_of_none
    a_session_of_one_product_a_thousand_times_is_answered_and_so_is_the_next
}

/// Names of the recommenders that always find products: all but a shopper's own lists.
fn recommenders() -> impl Iterator<Item = &'static str> + Clone {
    let own = [Recommender::RecentlyViewed, Recommender::BuyAgain];
    Recommender::ALL.into_iter().filter(move |one| !own.contains(one)).map(Recommender::name)
}

/// Sentence of an event about a product that the shop does not show.
const UNKNOWN: &str = "The shop shows no product of that Id or Sku, nor of a variant";

/// Ids that no product of the shop has, though some look like one.
fn odd_ids() -> Vec<String> {
    const SHORT: &str = " |P1|p1 | p1|p1\n|\t|\u{7f}\u{1b}[2J|\u{feff}p1|\u{200b}p1|\u{202e}1p|p\u{661}|\
        é|e\u{301}|7|007|7.0|-1|1e400|NaN|undefined|[]|' OR 1=1 --|../../p1|%00|\u{10ffff}|👩\u{200d}👧";
    let mut ids: Vec<String> = SHORT.split('|').map(str::to_owned).collect();
    ids.extend([limits::ITEM_ID_BYTES, limits::ITEM_ID_BYTES + 1, 10_000].map(|bytes| "x".repeat(bytes)));
    ids
}

/// Eight people who look at p1, then at p2.
async fn post_pairs(world: &World, shop: &Shop) {
    for person in 0..8 {
        for product in ["p1", "p2"] {
            post_view(world, shop, json!({"UserId": format!("u-{person}")}), product).await;
        }
    }
    world.node().derived.catch_up(AccountId(1)).await;
}

async fn refused_sentence(world: &World, shop: &Shop, mut asked: Value, status: u16) -> String {
    asked["AppKey"] = shop.key.as_str().into();
    world.post("/api/recommend", &asked).await.expect_refusal(status)
}

async fn a_list_of_ids_is_answered_up_to_its_limit(world: World) {
    let shop = open_shop(&world, 9).await;
    post_pairs(&world, &shop).await;
    let of_items = |items: Vec<&str>| json!({"Items": items, "Size": 4});
    let of_one = describe_recommended(&world, &shop, of_items(vec!["p1"])).await;
    assert_eq!((of_one.len(), of_one[0].split(' ').next()), (4, Some("p2")), "{of_one:?}");
    let of_many = describe_recommended(&world, &shop, of_items(vec!["p1"; limits::RECOMMEND_IDS])).await;
    // The newest clicks of a session count, however many there are.
    assert_eq!(of_many, describe_recommended(&world, &shop, of_items(vec!["p1"; 64])).await);
    assert_eq!((of_many.len(), of_many[0].split(' ').next()), (4, Some("p2")), "{of_many:?}");
    for list in ["Items", "Basket", "Exclude"] {
        let most = json!({list: vec!["p3"; limits::RECOMMEND_IDS], "Size": 4});
        assert_eq!(fetch_recommended(&world, &shop, most).await.len(), 4, "{list}");
        let more = json!({list: vec!["p3"; limits::RECOMMEND_IDS + 1], "Size": 4});
        let sentence = format!("{list} has up to {} ids", limits::RECOMMEND_IDS);
        assert_eq!(refused_sentence(&world, &shop, more, 400).await, sentence);
        let wide = json!({list: vec!["x".repeat(100); limits::RECOMMEND_IDS], "Size": 4});
        let sentence = format!(
            "The body of the request is larger than the {} bytes allowed here",
            limits::REQUEST_BODY_BYTES
        );
        assert_eq!(refused_sentence(&world, &shop, wide, 413).await, sentence);
        for no_list in [json!([7]), json!([null]), json!([["p1"]])] {
            let sentence = format!("{list} has to be a list of texts");
            assert_eq!(refused_sentence(&world, &shop, json!({list: no_list}), 400).await, sentence);
        }
    }
    assert_eq!(describe_recommended(&world, &shop, of_items(vec!["p1"])).await, of_one);
}

async fn an_id_of_any_text_is_that_of_a_product_or_of_none(world: World) {
    let shop = open_shop(&world, 9).await;
    post_pairs(&world, &shop).await;
    let of_one = describe_recommended(&world, &shop, json!({"Items": ["p1"], "Size": 4})).await;
    let mut odd = odd_ids();
    let nul = ["\0", "p1\0"].map(str::to_owned);
    odd.extend(nul.clone());
    for (text, recommender) in odd.iter().zip(recommenders().cycle()) {
        let asked = json!({"Items": [text], "Recommender": recommender, "Size": 4});
        assert_eq!(fetch_recommended(&world, &shop, asked).await.len(), 4, "{recommender} {text:?}");
        let before = describe_recommended(&world, &shop, json!({"Items": [text, "p1"], "Size": 4})).await;
        assert_eq!(before, of_one, "{text:?} before the product");
    }
    // All of them at once, for each recommender: as the session, the basket and what is not wanted.
    for recommender in recommenders() {
        let asked =
            json!({"Items": odd, "Basket": odd, "Exclude": odd, "Recommender": recommender, "Size": 4});
        assert_eq!(fetch_recommended(&world, &shop, asked).await.len(), 4, "{recommender}");
    }
    for text in &nul {
        let sentence = refused_sentence(&world, &shop, json!({"Product": text}), 400).await;
        assert_eq!(sentence, "Product holds a NUL character");
    }
    let view = |text: &String| json!({"Name": "product_view", "Product": text, "UserId": "anna"});
    let taken = post_events(&world, &shop, &odd.iter().map(view).collect::<Vec<_>>()).await;
    for (text, taken) in odd.iter().zip(taken) {
        let sentence = if nul.contains(text) { "Product holds a NUL character" } else { UNKNOWN };
        assert_eq!(taken, json!({"LeftOut": sentence}), "{text:?}");
    }
    world.node().derived.catch_up(AccountId(1)).await;
    assert_eq!(describe_recommended(&world, &shop, json!({"Items": ["p1"], "Size": 4})).await, of_one);
}

async fn a_session_of_one_product_a_thousand_times_is_answered_and_so_is_the_next(world: World) {
    let shop = open_shop(&world, 9).await;
    let view = json!({"Name": "product_view", "Product": "p1", "VisitorId": "5f2b8c1e77aa41d2"});
    let mut sessions = Vec::new();
    for _ in 0..limits::SESSION_EVENTS as usize / limits::EVENTS_OF_REQUEST {
        sessions.extend(post_events(&world, &shop, &vec![view.clone(); limits::EVENTS_OF_REQUEST]).await);
    }
    sessions.dedup();
    assert_eq!(sessions.len(), 1, "one session");
    let next = post_events(&world, &shop, &[view]).await;
    assert_ne!(next, sessions, "no session has more events");
    world.node().derived.catch_up(AccountId(1)).await;
    let session = &sessions[0]["SessionId"];
    let ask = |recommender: &str| json!({"SessionId": session, "Recommender": recommender, "Size": 4});
    for recommender in recommenders() {
        let found = fetch_recommended(&world, &shop, ask(recommender)).await;
        let has_own = found.iter().any(|item| item["Id"] == "p1");
        assert!(found.len() == 4 && !has_own, "{recommender}: {found:?}");
    }
    // The newest product is not recommended, and there is no other.
    let own = json!({"SessionId": session, "Recommender": "recently_viewed"});
    assert!(fetch_recommended(&world, &shop, own).await.is_empty());
    post_pairs(&world, &shop).await;
    for asked in [json!({"Items": ["p1"], "Size": 4}), ask("default")] {
        let found = describe_recommended(&world, &shop, asked).await;
        assert_eq!((found.len(), found[0].split(' ').next()), (4, Some("p2")), "{found:?}");
    }
    let verified = world.control("/control/model/verify", json!({"Name": shop.name})).await;
    assert_eq!(verified[0]["SameBytes"], json!(true), "{verified}");
}
