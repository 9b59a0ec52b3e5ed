//! The start page of a shop: its figures, what to do next, and what is shown of few people or of none.

use std::time::Duration;

use lethe::limits;
use serde_json::{Value, json};

use crate::support::console::Browser;
use crate::support::events::{open_shop, post_events};
use crate::support::feed_server::Answer;
use crate::support::world::{Shop, World, on_both_engines};

on_both_engines! {
    a_shop_without_data_says_what_to_begin_with
    the_figures_are_those_of_five_people_or_more
    the_figures_are_remembered_for_minutes_and_until_somebody_leaves
    a_missed_search_opens_the_form_of_synonyms_for_who_may_set_them
    what_waits_for_somebody_is_told_with_its_page
    a_shop_is_called_by_its_name_for_people
    reports_open_on_searches_while_zones_are_empty
}

/// The page of a shop that waits for its figures.
const COUNTED: &str = "/shops/one?count=now";

/// Searches of some people, each once.
async fn search(world: &World, shop: &Shop, people: std::ops::Range<usize>, query: &str, found: u64) {
    let search = |number: usize| json!({"Name": "search", "Query": query, "Found": found, "UserId": format!("u{number}")});
    let taken = post_events(world, shop, &people.map(search).collect::<Vec<_>>()).await;
    assert!(taken.iter().all(|taken| taken["SessionId"].is_string()), "{taken:?}");
}

async fn a_shop_without_data_says_what_to_begin_with(world: World) {
    let shop = world.shop("one").await;
    let viewer = Browser::sign_in_as(&world, "Viewer", "viewer", &[&shop]).await;
    let page = viewer.page(COUNTED).await;
    for said in ["no search or click came from five people", "Try a search</a>", "Send a feed</a>"] {
        assert!(page.contains(said), "{said}: {page}");
    }
    assert!(!page.contains("data-live") && !page.contains("Checks of the server"), "{page}");
}

async fn the_figures_are_those_of_five_people_or_more(world: World) {
    let shop = open_shop(&world, 3).await;
    search(&world, &shop, 0..15, "thing", 3).await;
    search(&world, &shop, 0..5, "mead", 0).await;
    search(&world, &shop, 0..4, "my own secret", 0).await;
    let viewer = Browser::sign_in_as(&world, "Viewer", "viewer", &[&shop]).await;
    let page = viewer.page(COUNTED).await;
    for said in [
        "<div class=\"figure\">20</div>",
        "<div class=\"figure\">25.0\u{202f}%</div>",
        "Searches without a result: 5",
        "<svg class=\"spark bad\"",
        "Not shown: fewer than five people, or nobody.",
    ] {
        assert!(page.contains(said), "{said}: {page}");
    }
    assert!(!page.contains("secret"), "{page}");
    // The same comes by itself where the page does not wait for it.
    let live = viewer.get("/shops/one/figures/live").await;
    assert!(live.text.contains(">20</div>") && live.text.contains("event: end"), "{}", live.text);
    let german = viewer.send_form("/language", &[("language", "de"), ("to", "/shops/one")]).await;
    assert_eq!(german.status, 303);
    let page = viewer.page(COUNTED).await;
    assert!(page.contains("25,0\u{202f}%") && page.contains("Suchen ohne Ergebnis: 5"), "{page}");
}

async fn the_figures_are_remembered_for_minutes_and_until_somebody_leaves(world: World) {
    let shop = open_shop(&world, 3).await;
    let viewer = Browser::sign_in_as(&world, "Viewer", "viewer", &[&shop]).await;
    let figure = async |address: &str| {
        let page = viewer.get(address).await.text;
        let shown = page.split("<div class=\"figure\">").nth(1).and_then(|rest| rest.split("</div>").next());
        shown.expect("a figure").to_owned()
    };
    let live = "/shops/one/figures/live";
    search(&world, &shop, 0..5, "thing", 3).await;
    assert_eq!(figure(live).await, "5");
    search(&world, &shop, 5..10, "thing", 3).await;
    assert_eq!(figure(live).await, "5");
    assert_eq!((figure(COUNTED).await, figure(live).await), ("10".to_owned(), "10".to_owned()));
    search(&world, &shop, 10..15, "thing", 3).await;
    world.clock.advance(limits::FIGURES_REMEMBERED_DURATION - Duration::from_millis(1));
    assert_eq!(figure(live).await, "10");
    world.clock.advance(Duration::from_millis(1));
    assert_eq!(figure(live).await, "15");
    world.forget(&shop, "userid:u0").await;
    world.run_all_jobs().await;
    assert_eq!(figure(live).await, "14");
}

async fn a_missed_search_opens_the_form_of_synonyms_for_who_may_set_them(world: World) {
    let shop = open_shop(&world, 3).await;
    search(&world, &shop, 0..5, "mead & ale", 0).await;
    let seller = Browser::sign_in_as(&world, "Seller", "merchandiser", &[&shop]).await;
    let viewer = Browser::sign_in_as(&world, "Viewer", "viewer", &[&shop]).await;
    let link = "/shops/one/rules?word=mead%20%26%20ale#new-synonym";
    let page = seller.page(COUNTED).await;
    assert!(page.contains(link), "{page}");
    let form = seller.page("/shops/one/rules?word=mead%20%26%20ale").await;
    assert!(form.contains("\nmead &amp; ale, </textarea>"), "{form}");
    assert!(form.contains("id=\"new-synonym\" autocomplete=\"off\" value=\"mead &amp; ale,\""), "{form}");
    // A part that is followed is apart for each role.
    for path in [COUNTED, "/shops/one/figures/live"] {
        let seen = viewer.get(path).await.text;
        assert!(seen.contains("mead &amp; ale</a>") && !seen.contains("rules?word="), "{path}: {seen}");
    }
}

async fn what_waits_for_somebody_is_told_with_its_page(world: World) {
    let shop = world.shop("one").await;
    let products = json!({"Products": [{"Id": "1", "Title": "A chair"}, {"Id": "2", "Prices": ["5 GBP"]}]});
    world.complete_feed(&shop, "/lacking", &products).await;
    let owner = Browser::sign_in_as(&world, "Owner", "owner", &[]).await;
    let page = owner.page(COUNTED).await;
    for said in ["code=price_missing\">Products without a price: 1</a>", "Products without a picture: 2</a>"]
    {
        assert!(page.contains(said), "{said}: {page}");
    }
    assert!(!page.contains("The newest feed failed."), "{page}");
    let url = world.feeds.serve("/bad", [Answer::ok("<html>".to_owned())]);
    world.feed(&shop, &url).await;
    world.run_all_jobs().await;
    world.ask(&shop, "/api/user/forget", json!({"Identifier": "userid:7"})).await;
    let page = owner.page(COUNTED).await;
    for said in ["The newest feed failed.</a>", "erasures?state=open\">Erasures that go on: 1</a>"] {
        assert!(page.contains(said), "{said}: {page}");
    }
}

async fn a_shop_is_called_by_its_name_for_people(world: World) {
    let shop = world.shop("one").await;
    let viewer = Browser::sign_in_as(&world, "Viewer", "viewer", &[&shop]).await;
    assert!(viewer.page("/shops/one").await.contains("<p class=\"group\">one</p>"));
    let named: Value = json!({"Name": "one", "DisplayName": "The Rug Shop"});
    world.control("/control/account/set", named).await;
    let other = viewer.page("/shops/one/imports").await;
    assert!(other.contains("<title>Imports · The Rug Shop</title>"), "{other}");
    let page = viewer.page("/shops/one").await;
    for said in ["<p class=\"group\">The Rug Shop</p>", "<h1>The Rug Shop ", "<title>The Rug Shop</title>"] {
        assert!(page.contains(said), "{said}: {page}");
    }
    let owner = Browser::sign_in_as(&world, "Owner", "owner", &[]).await;
    owner.send_form("/shops/one/settings", &[("do", "guard"), ("percent", "50")]).await;
    let operators = owner.page("/operators").await;
    let choice = "value=\"one\"> The Rug Shop <span class=\"quiet\">one</span></label>";
    assert!(operators.contains("<td>The Rug Shop</td>") && operators.contains(choice), "{operators}");
    let acts = owner.page("/acts").await;
    assert!(acts.contains("<td>The Rug Shop</td>"), "{acts}");
}

async fn reports_open_on_searches_while_zones_are_empty(world: World) {
    let shop = open_shop(&world, 3).await;
    let viewer = Browser::sign_in_as(&world, "Viewer", "viewer", &[&shop]).await;
    let page = viewer.page("/shops/one/reports").await;
    let current = "aria-current=\"true\">Searches</a>";
    for said in [current, "Nothing was done on these days", "days=90\">Look at the last 90 days</a>"] {
        assert!(page.contains(said), "{said}: {page}");
    }
    // Commands come after it, folded.
    let folded = page.split("<details>").last().unwrap_or_default();
    assert!(
        folded.contains("lethe report search --account one --from ") && !page.contains("<table"),
        "{page}"
    );
    let further = viewer.page("/shops/one/reports?about=search&days=90").await;
    assert!(further.contains("Try a search</a>"), "{further}");
    let zones = viewer.page("/shops/one/reports?about=zones").await;
    assert!(zones.contains("aria-current=\"true\">Zones</a>"), "{zones}");
    search(&world, &shop, 0..5, "mead", 0).await;
    let page = viewer.page("/shops/one/reports").await;
    for said in [current, ">mead</a>", "100.0\u{202f}%", "Share without result</th>", "class=\"bad\" x=\"0\""]
    {
        assert!(page.contains(said), "{said}: {page}");
    }
}
