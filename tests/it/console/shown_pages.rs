//! Pages to the letter: what a refused form shows again, where a page of hits ends, which version acts, and the lines
//! and places that a page leaves behind.

use std::time::Duration;

use lethe::limits;
use reqwest::header::ACCEPT;
use serde_json::{Value, json};

use crate::support::console::{Browser, operator_page};
use crate::support::feed_server::Answer;
use crate::support::operations::set_lists;
use crate::support::world::{Shop, World, on_both_engines, on_sqlite};

on_both_engines! {
    a_refused_change_of_an_operator_shows_what_was_chosen
    an_operator_is_named_beside_their_link_and_in_the_log
    a_version_is_an_earlier_one_unless_it_acts
    a_page_of_hits_leads_on_while_there_are_more
    imports_are_filtered_once_something_came
    a_part_that_nobody_follows_gives_its_place_back
}

async fn a_refused_change_of_an_operator_shows_what_was_chosen(world: World) {
    world.shop("one").await;
    world.shop("two").await;
    let owner = Browser::sign_in_as(&world, "Owner", "owner", &[]).await;
    let page = operator_page(&world, "Owner").await;
    let chosen = |text: &str| -> Vec<String> {
        let tags = text.split("value=\"").skip(1).filter_map(|rest| rest.split_once('"'));
        let marked = tags.filter(|(_, rest)| rest.starts_with(" selected>") || rest.starts_with(" checked>"));
        marked.map(|(value, _)| value.to_owned()).collect()
    };
    let set = owner.send_form(&page, &[("do", "set"), ("role", "viewer"), ("shop", "two")]).await;
    assert_eq!((set.status, chosen(&set.text)), (409, vec!["viewer".to_owned(), "two".to_owned()]));
    let disabled = owner.send_form(&page, &[("do", "disable"), ("role", "viewer"), ("shop", "two")]).await;
    assert_eq!((disabled.status, chosen(&disabled.text)), (409, vec!["owner".to_owned()]));
    for refused in [set, disabled] {
        let told = "<p class=\"fault\" id=\"fault\" role=\"alert\">this is the last owner who may sign in";
        assert_eq!(refused.text.matches(told).count(), 1, "{}", refused.text);
        assert!(!refused.text.contains("aria-invalid"), "no field is wrong: {}", refused.text);
    }
}

async fn an_operator_is_named_beside_their_link_and_in_the_log(world: World) {
    let owner = Browser::sign_in_as(&world, "Owner", "owner", &[]).await;
    let made = owner.post_form("/operators", &[("name", " Zoe Q "), ("role", "owner")]).await;
    let shown = owner.page(&made).await;
    assert!(shown.contains("Zoe Q") && shown.contains("/link/"), "{shown}");
    let page = operator_page(&world, "Zoe Q").await;
    let reset = owner.post_form(&page, &[("do", "reset")]).await;
    let shown = owner.page(&reset).await;
    assert!(shown.contains("Zoe Q") && shown.contains("/link/"), "{shown}");
    let acts = world.control("/control/operator/acts", json!({})).await;
    let about = |name: &str| -> Vec<Value> {
        let lines = acts.as_array().into_iter().flatten().filter(|line| line["Act"] == name);
        lines.map(|line| line["About"].clone()).collect()
    };
    let number = page.rsplit('/').next().expect("a number");
    assert_eq!(about("operator-may-choose-a-password"), [json!(number)]);
    assert_eq!((about("operator-added"), about("operator-reset")), (vec![Value::Null], vec![json!(number)]));
}

async fn a_version_is_an_earlier_one_unless_it_acts(world: World) {
    let shop = world.shop("shop").await;
    set_lists(&world, &shop).await;
    let seller = Browser::sign_in_as(&world, "Seller", "merchandiser", &[&shop]).await;
    for list in ["rules", "zones"] {
        let page = async |query: &str| seller.page(&format!("/shops/shop/{list}{query}")).await;
        for query in ["", "?version=3"] {
            let acting = page(query).await;
            assert!(
                acting.contains("id=\"editor\"") && !acting.contains("which is not live"),
                "{query}: {acting}"
            );
        }
        for version in [1, 2] {
            let old = page(&format!("?version={version}")).await;
            let said = format!("This is version {version}, which is not live.");
            assert!(old.contains(&said) && !old.contains("id=\"editor\""), "{old}");
            assert!(old.contains("What would change"), "{old}");
        }
    }
}

async fn a_page_of_hits_leads_on_while_there_are_more(world: World) {
    let shop = world.shop("shop").await;
    let lamp = |id: usize| json!({"Id": id.to_string(), "Title": "A lamp", "Prices": ["5 GBP"]});
    let products: Vec<_> = (1..=20).map(lamp).collect();
    world.complete_feed(&shop, "/lamps", &json!({ "Products": products })).await;
    let viewer = Browser::sign_in_as(&world, "Viewer", "viewer", &[&shop]).await;
    let links = async |query: &str| -> Vec<String> {
        let page = viewer.page(&format!("/shops/shop/search{query}")).await;
        let hits = page.split("<ol class=\"hits\"").nth(1).and_then(|rest| rest.split("</ol>").next());
        assert_eq!(hits.expect("hits").matches("<span class=\"quiet id\">").count(), 10, "{page}");
        let links = page.split("<a class=\"button plain\" href=\"?").skip(1);
        links.filter_map(|rest| rest.split('"').next()).map(str::to_owned).collect()
    };
    // Ten hits are a page, where nothing else is said.
    assert_eq!(links("?q=lamp").await, ["page=2&amp;q=lamp"]);
    assert_eq!(links("?q=lamp&page=1&size=10").await, ["page=2&amp;q=lamp&amp;size=10"]);
    assert_eq!(links("?q=lamp&page=2").await, ["page=1&amp;q=lamp"], "the last hit is on it");
    let second = viewer.page("/shops/shop/search?q=lamp&page=2").await;
    assert!(second.contains("start=\"11\""), "{second}");
    let third = viewer.page("/shops/shop/search?q=lamp&page=3&size=6").await;
    assert!(third.contains("start=\"13\"") && third.contains("href=\"?page=4&amp;"), "{third}");
}

async fn imports_are_filtered_once_something_came(world: World) {
    let shop = world.shop("shop").await;
    let viewer = Browser::sign_in_as(&world, "Viewer", "viewer", &[&shop]).await;
    let filters = "href=\"?kind=feed&amp;state=\"";
    let empty = viewer.page("/shops/shop/imports").await;
    assert!(empty.contains("lethe feed submit") && !empty.contains(filters), "{empty}");
    world.delta(&shop, json!({"Products": [{"Id": 1}]})).await;
    for (query, has_row) in [("", true), ("?kind=delta", true), ("?kind=feed", false), ("?before=1", false)] {
        let page = viewer.page(&format!("/shops/shop/imports{query}")).await;
        assert!(page.contains(filters) && !page.contains("lethe feed submit"), "{query}: {page}");
        assert_eq!(page.contains("<caption"), has_row, "{query}: {page}");
        assert_eq!(page.contains("href=\"?\""), !has_row, "{query}: {page}");
    }
}

/// Begins an erasure; returns the path of its part.
async fn forget(world: &World, shop: &Shop, number: usize) -> String {
    let asked = json!({"Identifier": format!("userid:canary-{number}")});
    let begun = world.ask(shop, "/api/user/forget", asked).await;
    format!("/shops/{}/erasures/{}/live", shop.name, begun.header("x-erasure-id"))
}

async fn open_stream(browser: &Browser<'_>, path: &str) -> reqwest::Response {
    let asked = browser.ask("GET", path).header(ACCEPT, "text/event-stream");
    let stream = asked.send().await.expect("an answer");
    assert_eq!(stream.status(), 200, "{path}");
    stream
}

async fn a_part_that_nobody_follows_gives_its_place_back(world: World) {
    let shop = world.shop("shop").await;
    let viewer = Browser::sign_in_as(&world, "Viewer", "viewer", &[&shop]).await;
    // The query makes no part of its own, nor one of two that have the same.
    let erasure = forget(&world, &shop, 0).await;
    let url = world.feeds.serve("/f", [Answer::ok("{}".to_owned())]);
    let feed = world.feed(&shop, &url).await;
    let mut followed = vec![open_stream(&viewer, &format!("{erasure}?x")).await];
    followed.push(open_stream(&viewer, &format!("/shops/shop/imports/{feed}/live?x")).await);
    for (stream, said) in followed.iter_mut().zip(["It continues", "127.0.0.1"]) {
        let first = tokio::time::timeout(Duration::from_secs(20), stream.chunk()).await.expect("in time");
        let first = first.expect("a text").expect("a part");
        assert!(String::from_utf8_lossy(&first).contains(said), "{said}: {first:?}");
    }
    for number in followed.len()..limits::EVENT_STREAMS_OF_ACCOUNT {
        let path = forget(&world, &shop, number).await;
        followed.push(open_stream(&viewer, &path).await);
    }
    let places = &world.node().resources.followed_parts;
    assert_eq!(places.gauge().taken, limits::EVENT_STREAMS_OF_ACCOUNT);
    drop(followed);
    let giving_back = async {
        while places.gauge().taken > 0 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), giving_back).await.expect("all places are free");
    open_stream(&viewer, &forget(&world, &shop, 999).await).await;
}

#[test]
fn who_takes_papers_away_is_in_the_log_and_who_asks_for_none_is_not() {
    on_sqlite(async |world| {
        let shop = world.shop("shop").await;
        let path = forget(&world, &shop, 1).await;
        world.run_all_jobs().await;
        let officer = Browser::sign_in_as(&world, "Officer", "privacy-officer", &[&shop]).await;
        let taken = async || -> Vec<Value> {
            let acts = world.control("/control/operator/acts", json!({})).await;
            let lines = acts.as_array().into_iter().flatten();
            let lines = lines.filter(|line| line["Act"].as_str().is_some_and(|act| act.ends_with("-taken")));
            let mut lines: Vec<_> =
                lines.map(|line| json!([line["Act"], line["About"], line["Shop"], line["Name"]])).collect();
            lines.sort_by_key(Value::to_string);
            lines
        };
        for none in ["erasures/nothing/certificate", "erasures/nothing/letter", "ledger/nothing"] {
            assert_eq!(officer.get(&format!("/shops/shop/{none}")).await.status, 404, "{none}");
        }
        assert!(taken().await.is_empty());
        let erasure = path.trim_end_matches("/live");
        for page in [format!("{erasure}/certificate"), format!("{erasure}/letter?file")] {
            officer.page(&page).await;
        }
        let checkpoint = officer.page("/shops/shop/ledger/checkpoint.json").await;
        let own = world.control_text("/control/ledger/checkpoint", json!({"Name": "shop"})).await;
        let checkpoints = [checkpoint, own].map(|text| serde_json::from_str::<Value>(&text).expect("JSON"));
        assert_eq!(checkpoints[0], checkpoints[1]);
        let about = erasure.rsplit('/').next().expect("an id");
        let expected = [
            json!(["certificate-taken", about, "shop", "Officer"]),
            json!(["ledger-taken", null, "shop", "Officer"]),
            json!(["letter-taken", about, "shop", "Officer"]),
        ];
        assert_eq!(taken().await, expected);
    });
}
