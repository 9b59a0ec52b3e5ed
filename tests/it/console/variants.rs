//! Variants in the console: a product's page lists them, cards show options, and a rule that pins a variant names it.

use serde_json::{Value, json};

use crate::support::console::Browser;
use crate::support::world::{Shop, World, on_both_engines};
use crate::support::zones::set_campaigns;

on_both_engines! {
    a_product_lists_its_variants_and_its_card_shows_their_options
    a_missed_variant_is_told_with_the_one_that_is_shown
    the_page_of_a_product_tells_every_kind_of_change
    a_rule_that_pins_a_variant_goes_on_to_name_it
    zones_recommendations_and_tried_rules_show_options_too
}

fn variant(id: &str, colour: &str, size: &str, price: &str) -> Value {
    json!({"Id": id, "Options": {"Colour": colour, "Size": size}, "Prices": [price], "StockQty": 3})
}

async fn open(world: &World) -> (Shop, Browser<'_>) {
    let shop = world.shop("one").await;
    let shirt = json!({"Id": "shirt", "Title": "Linen shirt", "Prices": ["10.00 GBP"],
        "Swatches": {"Colour": {"Red": "#c00"}},
        "Variants": [variant("red-s", "Red", "S", "10.00 GBP"), variant("blue-m", "Blue", "M", "30.00 GBP")]});
    let cap = json!({"Id": "cap", "Title": "Linen cap", "Prices": ["28.00 GBP"]});
    world.complete_feed(&shop, "/one", &json!({"Products": [shirt, cap]})).await;
    let seller = Browser::sign_in_as(world, "Seller", "merchandiser", &[&shop]).await;
    (shop, seller)
}

async fn a_product_lists_its_variants_and_its_card_shows_their_options(world: World) {
    let (_, seller) = open(&world).await;
    let page = seller.page("/shops/one/catalogue/shirt").await;
    assert!(page.contains("<h2 id=\"variants\">Variants</h2>"), "{page}");
    assert!(page.contains("<th scope=\"col\">Colour</th><th scope=\"col\">Size</th>"), "{page}");
    let table = page.split("<h2 id=\"variants\">").nth(1).and_then(|rest| rest.split("</table>").next());
    let row = table.and_then(|table| table.split("<tr>").find(|row| row.contains("blue-m"))).expect("a row");
    for cell in ["<td>Blue</td><td>M</td>", "£30.00", "yes (3)"] {
        assert!(row.contains(cell), "{cell}: {row}");
    }
    let cap = seller.page("/shops/one/catalogue/cap").await;
    assert!(!cap.contains("id=\"variants\""), "{cap}");
    let found = seller.page("/shops/one/search?q=red+shirt").await;
    let colours = found.split("<ul class=\"option\" aria-label=\"Colour\">").nth(1).unwrap_or_default();
    let marked = "<li aria-current=\"true\"><svg class=\"colour\" aria-hidden=\"true\">\
                  <rect width=\"100%\" height=\"100%\" fill=\"#c00\"/></svg>Red</li>";
    assert!(colours.starts_with(marked), "{found}");
    let sizes = "<li class=\"label\" aria-current=\"true\">S</li><li class=\"label\">M</li>";
    assert!(found.contains(&format!("<ul class=\"option\" aria-label=\"Size\">{sizes}</ul>")), "{found}");
}

async fn a_missed_variant_is_told_with_the_one_that_is_shown(world: World) {
    let (_, seller) = open(&world).await;
    let page = seller.page("/shops/one/search?q=red+shirt&id=blue-m").await;
    assert!(page.contains("<li>The variant ‘red-s’ is shown, and not ‘blue-m’"), "{page}");
}

async fn the_page_of_a_product_tells_every_kind_of_change(world: World) {
    let (shop, seller) = open(&world).await;
    for delta in [
        json!({"SetVariants": [{"ProductId": "shirt", "Id": "red-s", "StockQty": 9}]}),
        json!({"SetVariants": [{"ProductId": "shirt", "Id": "green-l", "Sku": "G"}]}),
        json!({"DeleteVariants": [{"ProductId": "shirt", "Id": "green-l"}]}),
        json!({"SetCategoryOnProducts": [{"CategoryId": "c1", "ProductIds": ["shirt"]}]}),
        json!({"RemoveCategoryFromProducts": [{"ProductId": "shirt", "Categories": ["c1"]}]}),
        json!({"DeleteProducts": ["cap"]}),
    ] {
        world.apply_delta(&shop, delta).await;
    }
    let history = |page: String| -> String {
        page.split("<h2").find(|part| part.contains("History")).unwrap_or_default().to_owned()
    };
    let shirt = history(seller.page("/shops/one/catalogue/shirt").await);
    let sentences = ["Variant changed by", "Variant added by", "Variant removed by", "Contained in"];
    for sentence in sentences.into_iter().chain(["Put into categories by", "Taken out of categories by"]) {
        assert!(shirt.contains(&format!("<strong>{sentence}")), "{sentence}: {shirt}");
    }
    let cap = history(seller.page("/shops/one/catalogue/cap").await);
    for sentence in ["Removed by", "Contained in"] {
        assert!(cap.contains(&format!("<strong>{sentence}")), "{sentence}: {cap}");
    }
    world.apply_delta(&shop, json!({"Products": [{"Id": "cap", "Title": "Felt cap"}]})).await;
    let cap = history(seller.page("/shops/one/catalogue/cap").await);
    assert!(cap.contains("<strong>Written by"), "the removal was superseded: {cap}");
}

async fn a_rule_that_pins_a_variant_goes_on_to_name_it(world: World) {
    let (_, seller) = open(&world).await;
    let page = seller.page("/shops/one/rules/edit?query=linen&pin=blue-m").await;
    let (form, effect) = page.split_once("<div id=\"effect\">").expect("an effect");
    let pinned = form.split("<li data-id=\"blue-m\"").nth(1).and_then(|rest| rest.split("</li>\n").next());
    let pinned = pinned.unwrap_or_else(|| panic!("no pin: {form}"));
    assert!(pinned.contains("Linen shirt") && pinned.contains("£30.00"), "{pinned}");
    assert!(
        form.contains("aria-label=\"Size\"><li class=\"label\" aria-current=\"true\">M</li></ul>"),
        "{form}"
    );
    assert!(
        effect.contains("<li data-id=\"blue-m\"") && effect.contains("value=\"remove:pin:blue-m\""),
        "{effect}"
    );
    assert!(!effect.contains("name=\"after\" value=\"shirt\""), "dragging would lose the variant: {effect}");
    assert!(effect.contains("name=\"after\" value=\"cap\""), "{effect}");
}

async fn zones_recommendations_and_tried_rules_show_options_too(world: World) {
    let (shop, seller) = open(&world).await;
    let newest = json!({"Recommender": "new_arrivals", "Size": 2, "Min": 1});
    set_campaigns(&world, &shop, json!([{"Id": "own", "Zone": "Footer", "ProductsShown": newest}])).await;
    let rules = [("do", "try"), ("list", "[]"), ("query", "linen")];
    let tried = seller.post_form("/shops/one/rules", &rules).await;
    let paths =
        ["/shops/one/zones?zone=Footer", "/shops/one/recommendations?recommender=new_arrivals", &tried];
    for path in paths {
        let page = seller.page(path).await;
        assert!(page.contains("<ul class=\"option\" aria-label=\"Size\">"), "{path}: {page}");
    }
}
