//! Words that are treated as one, on the page of the rules, and how a merchandiser tells two of them apart.

use serde_json::json;

use crate::support::console::Browser;
use crate::support::world::{World, on_both_engines};

on_both_engines! {
    forms_of_a_word_are_shown_and_told_apart
}

async fn forms_of_a_word_are_shown_and_told_apart(world: World) {
    let shop = world.shop("one").await;
    let product = |id: &str, title: &str| json!({"Id": id, "Title": title, "Prices": ["10 GBP"]});
    let products =
        [product("a", "Glass table"), product("b", "Reading glasses"), product("c", "Sun glasses")];
    world.complete_feed(&shop, "/one", &json!({ "Products": products })).await;
    let seller = Browser::sign_in_as(&world, "Seller", "merchandiser", &[&shop]).await;
    let page = seller.page("/shops/one/rules?form=Glass").await;
    for said in ["These count as the same word as “glass”:", "<strong>glasses</strong>", "2 products"] {
        assert!(page.contains(said), "{said}: {page}");
    }
    let link = "/shops/one/rules?word=glass&amp;apart=glasses#synonyms";
    assert!(page.contains(link), "{page}");
    let none = seller.page("/shops/one/rules?form=table").await;
    assert!(none.contains("No other word of this shop counts as “table”."), "{none}");
    // The link begins a row, and publishes nothing.
    let page = seller.page("/shops/one/rules?word=glass&apart=glasses").await;
    assert!(page.contains("<option value=\"apart\" selected>"), "{page}");
    assert!(page.contains("glass != glasses</textarea>"), "{page}");
    let rest = page.split("action=\"/shops/one/synonyms").nth(1).expect("the form of the synonyms");
    let before = rest.split("name=\"before\" value=\"").nth(1).expect("a field");
    let before = before.split('"').next().unwrap_or_default();
    let row =
        [("before", before), ("kind", "apart"), ("words", "glass"), ("target", "glasses"), ("do", "set")];
    let set = seller.send_form("/shops/one/synonyms", &row).await;
    assert_eq!(set.status, 303, "{}", set.text);
    let set = world.control("/control/account/search", json!({"Name": "one"})).await;
    assert_eq!(set["Synonyms"], "glass != glasses");
    let viewer = Browser::sign_in_as(&world, "Viewer", "viewer", &[&shop]).await;
    let page = viewer.page("/shops/one/rules?form=table").await;
    assert!(
        page.contains("counts as “table”") && !page.contains("Add a word with the same meaning"),
        "{page}"
    );
}
