//! Weight of pages: however much a shop has, a page stays below 150 kB, and says where the rest is.

use lethe::limits;
use serde_json::{Value, json};

use crate::support::console::{Browser, PAGE_BYTES};
use crate::support::world::{Shop, World, on_both_engines};

on_both_engines! {
    pages_of_much_stay_small_and_say_where_the_rest_is
}

fn product(n: usize) -> Value {
    json!({"Id": format!("p{n}"), "Title": format!("Oak chair {n} {}", "of a long name ".repeat(8)), "Prices": ["1 GBP"],
        "Categories": ["c1"], "Brand": "b1", "Description": "\"Oak\" & more. ".repeat(400)})
}

fn entry_with_long_name(n: usize) -> Value {
    json!({"Id": format!("a-long-identifier-{n}"), "DisplayName": format!("Name {n} {}", "<&> ".repeat(20))})
}

/// As many rules and campaigns as a shop may have; before these, one rule.
async fn set_long_lists(world: &World, shop: &Shop) {
    let rule = |n: usize| json!({"Id": format!("rule-{n}"), "Query": format!("red shoe {n}"), "Banner": "<&> ".repeat(9)});
    let campaign = |n: usize| json!({"Id": format!("campaign-{n}"), "Zone": format!("HP-{}", n % 40), "Title": "<&> ".repeat(9), "Empty": true});
    let rules: Vec<_> = (0..limits::SEARCH_RULES).map(rule).collect();
    let campaigns: Vec<_> = (0..limits::CAMPAIGNS).map(campaign).collect();
    world.ask_json(shop, "/api/rules/set", json!({"Rules": [rule(0)]})).await;
    world.clock.advance(limits::SEARCH_RULES_DURATION);
    world.ask_json(shop, "/api/rules/set", json!({"Rules": rules})).await;
    world.ask_json(shop, "/api/zones/set", json!({"Campaigns": campaigns})).await;
}

async fn pages_of_much_stay_small_and_say_where_the_rest_is(world: World) {
    let shop = world.shop("one").await;
    let all = |count: usize| (0..count).map(entry_with_long_name).collect::<Vec<_>>();
    let products: Vec<_> = (0..120).map(product).collect();
    let feed = json!({"Products": products, "Categories": all(300), "Brands": all(300)});
    world.complete_feed(&shop, "/f", &feed).await;
    for _ in 0..limits::TIMELINE_SHOWN {
        world.delta(&shop, json!({"Products": [product(1)]})).await;
    }
    world.run_all_jobs().await;
    set_long_lists(&world, &shop).await;
    for n in 0..limits::SHOP_BOXES {
        world.shop(&format!("shop-{n}-{}", "of-a-long-name".repeat(2))).await;
    }
    let owner = Browser::sign_in_as(&world, "Owner", "owner", &[]).await;
    let shops = "/shops/one";
    for (path, said) in [
        ("/".to_owned(), "shop-99"),
        ("/operators".to_owned(), "Account names, one per line"),
        (format!("{shops}/catalogue"), "Oak chair"),
        (format!("{shops}/catalogue/p1"), "lethe product p1 --why"),
        (format!("{shops}/search?q=oak&size=50"), "Oak chair"),
        (format!("{shops}/search?q=oak&size=50&compare=rules"), "Without rules"),
        (format!("{shops}/recommendations?product=p1&size=100"), "Oak chair"),
        (format!("{shops}/rules"), "lethe rules list --account one"),
        (format!("{shops}/rules?from=4990"), "rule-4999"),
        (format!("{shops}/rules?version=1"), "4,949 more."),
        (format!("{shops}/rules/edit?query=oak&pin=p1"), "Oak chair"),
        (format!("{shops}/zones"), "lethe zones list --account one"),
        (format!("{shops}/zones?zone=HP-01"), "HP-01"),
        (format!("{shops}/zones/edit?zone=HP-01"), "HP-01"),
    ] {
        let page = owner.page(&path).await;
        assert!(page.len() < PAGE_BYTES, "{path}: {} bytes", page.len());
        assert!(page.contains(said), "{path}: {said} is not in {page}");
    }
    // Names that were typed count as those that were ticked.
    let fields = [("name", "Bo"), ("role", "viewer"), ("shop", "one\r\nshop-1-of-a-long-nameof-a-long-name")];
    assert_eq!(owner.send_form("/operators", &fields).await.status, 303);
    let operators = world.control("/control/operator/list", json!({})).await;
    let added =
        operators.as_array().into_iter().flatten().find(|one| one["Name"] == "Bo").expect("an operator");
    assert_eq!(added["Shops"], json!(["one", "shop-1-of-a-long-nameof-a-long-name"]));
}
