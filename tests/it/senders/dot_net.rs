//! The .NET package: whole files, products by SKU without an id, attributes encoded for HTML, prices of accounts, and
//! deltas without a secret.

use serde_json::json;

use super::{apply_delta, assert_same_lines, list_people, list_shown, post, publish_complete};
use crate::support::world::{Shop, World, on_both_engines};

on_both_engines! {
    a_file_holds_products_by_sku_whose_first_child_is_the_product
    categories_brands_and_users_are_files_of_their_own
    prices_of_accounts_replace_those_before_and_are_deleted_by_account_and_sku
    a_delta_without_a_secret_is_refused_and_its_status_needs_none
    deltas_replace_and_delete_by_sku
}

/// The shown list, with the word after `tag:` for the tag of that account. Prices of accounts are shown by their tags,
/// whose order is chance: here they are sorted.
async fn shown_with_tags(world: &World, shop: &Shop) -> String {
    let tag = |account: &str| world.node().keys.account_tag(lethe::ids::AccountId(1), account);
    let shown = list_shown(world, shop).await;
    assert!(!shown.contains("acme") && !shown.contains("bolt"));
    let shown = shown.replace(&tag("acme"), "tag:acme").replace(&tag("bolt"), "tag:bolt");
    let (mut prices, mut lines): (Vec<_>, Vec<_>) =
        shown.lines().partition(|line| line.starts_with("AccountPrices"));
    prices.sort_unstable();
    lines.append(&mut prices);
    lines.join("\n")
}

async fn a_file_holds_products_by_sku_whose_first_child_is_the_product(world: World) {
    let shop = world.shop("dot-net").await;
    let file = r#"{"Products":[{"Sku":"RT-1","Title":"Torch","Link":"/torch","Image":"/torch.jpg","Categories":["LIGHT"],"Prices":["8.5 GBP","12 GBP"],"SalePrices":["7 GBP","9 GBP"],"GroupPrices":{"Trade":{"Prices":["6 GBP"]}},"AssociatedSkus":["RT-1","RT-1-R","RT-1-B"],"AssociatedTitles":["Torch","Torch red","Torch blue"],"Visibility":4,"AccountInclusions":["acme"],"NoDefaultPriceForAccounts":true,"Size &amp; colour":["6&quot;","red &lt;new&gt;"]},{"Sku":"RT-2","Title":"Lamp","Link":"/lamp","Image":"/lamp.jpg","Prices":["3 GBP"],"AssociatedSkus":["RT-2"],"AssociatedTitles":["Lamp"],"Visibility":1,"AccountExclusions":["bolt"]}],"Version":2}"#;
    publish_complete(&world, &shop, "/PureClarityFeed-20260107093011.json", file).await;
    assert_same_lines(
        &shown_with_tags(&world, &shop).await,
        r#"
        Products {"Id":"RT-1","Sku":"RT-1","Title":"Torch","Link":"/torch","Image":"/torch.jpg","Categories":["LIGHT"],"Visibility":"4","Prices":["8.50 GBP","12.00 GBP"],"SalePrices":["7.00 GBP","9.00 GBP"],"GroupPrices":{"Trade":{"Prices":["6.00 GBP"]}},"AssociatedSkus":["RT-1-R","RT-1-B"],"AssociatedTitles":["Torch red","Torch blue"],"AccountInclusions":["tag:acme"],"NoDefaultPriceForAccounts":true,"Attributes":{"Size &amp; colour":["6&quot;","red &lt;new&gt;"]}}
        Products {"Id":"RT-2","Sku":"RT-2","Title":"Lamp","Link":"/lamp","Image":"/lamp.jpg","Visibility":"1","Prices":["3.00 GBP"],"AccountExclusions":["tag:bolt"]}
        "#,
    );
    assert_eq!(world.item(&shop, "Products", "RT-1-B").await["Id"], "RT-1");
}

async fn categories_brands_and_users_are_files_of_their_own(world: World) {
    let shop = world.shop("dot-net").await;
    let categories = r#"{"Categories":[{"Id":"LIGHT","DisplayName":"Light","Image":"/l.jpg","Link":"/light","ParentIds":[],"Breadcrumb":"Home"},{"Id":"TORCH","DisplayName":"Torches","Link":"/torches","ParentIds":["LIGHT"],"Breadcrumb":"Home > Light"}],"Version":2}"#;
    publish_complete(&world, &shop, "/PureClarityFeed-20260107093011.json", categories).await;
    let brands = r#"{"Brands":[{"Id":"RT","DisplayName":"RT","Image":"/rt.jpg","Link":"/rt"}],"Version":2}"#;
    publish_complete(&world, &shop, "/PureClarityFeed-20260107093012.json", brands).await;
    let users = r#"{"Users":[{"UserId":"u1","Email":"a@shop.example","FirstName":"A","LastName":"B","Salutation":"Dr","DOB":"31/12/1980","Gender":"Male","City":"York","Country":"GB","Newsletter":true,"Interests":["light"]}],"Version":2}"#;
    publish_complete(&world, &shop, "/PureClarityFeed-20260107093013.json", users).await;
    assert_same_lines(
        &list_shown(&world, &shop).await,
        r#"
        Categories {"Id":"LIGHT","DisplayName":"Light","Image":"/l.jpg","Link":"/light","Breadcrumb":"Home"}
        Categories {"Id":"TORCH","DisplayName":"Torches","Link":"/torches","ParentIds":["LIGHT"],"Breadcrumb":"Home > Light"}
        Brands {"Id":"RT","DisplayName":"RT","Image":"/rt.jpg","Link":"/rt"}
        "#,
    );
    assert_same_lines(
        &list_people(&world).await,
        r#"{"UserId":"u1","Email":"a@shop.example","FirstName":"A","LastName":"B","Salutation":"Dr","DOB":"31/12/1980","Gender":"Male","City":"York","Country":"GB","Attributes":{"Newsletter":true,"Interests":["light"]}}"#,
    );
}

async fn prices_of_accounts_replace_those_before_and_are_deleted_by_account_and_sku(world: World) {
    let shop = world.shop("dot-net").await;
    let first = r#"{"AccountPrices":[{"AccountId":"acme","Sku":"RT-1-R","ParentId":"RT-1","Prices":["5 GBP"],"SalePrices":["4.5 GBP"]},{"AccountId":"bolt","Sku":"RT-2","ParentId":"RT-2","Prices":["2 GBP"],"SalePrices":[]}],"Version":2}"#;
    publish_complete(&world, &shop, "/PureClarityFeed-20260107093011.json", first).await;
    // A feed without the section leaves them, one with it replaces them all.
    let products = r#"{"Products":[{"Sku":"RT-2","Title":"Lamp"}],"Version":2}"#;
    publish_complete(&world, &shop, "/PureClarityFeed-20260108093011.json", products).await;
    let both = r#"
        Products {"Id":"RT-2","Sku":"RT-2","Title":"Lamp"}
        AccountPrices {"AccountTag":"tag:acme","Sku":"RT-1-R","ParentId":"RT-1","Prices":["5.00 GBP"],"SalePrices":["4.50 GBP"]}
        AccountPrices {"AccountTag":"tag:bolt","Sku":"RT-2","ParentId":"RT-2","Prices":["2.00 GBP"]}
        "#;
    assert_same_lines(&shown_with_tags(&world, &shop).await, both);
    let delete = r#"{"AppKey":"KEY","SecretKey":"SECRET","DeleteAccountPrices":[{"AccountId":"bolt","Sku":"RT-2","Id":"bolt|RT-2"},{"AccountId":"acme","Sku":"RT-9","Id":"acme|RT-9"}]}"#;
    apply_delta(&world, &shop, "/api/productdelta", delete).await;
    let one = r#"
        Products {"Id":"RT-2","Sku":"RT-2","Title":"Lamp"}
        AccountPrices {"AccountTag":"tag:acme","Sku":"RT-1-R","ParentId":"RT-1","Prices":["5.00 GBP"],"SalePrices":["4.50 GBP"]}
        "#;
    assert_same_lines(&shown_with_tags(&world, &shop).await, one);
    let second = r#"{"AccountPrices":[{"AccountId":"bolt","Sku":"RT-2","ParentId":"RT-2","Prices":["1.5 GBP"]}],"Version":2}"#;
    publish_complete(&world, &shop, "/PureClarityFeed-20260109093011.json", second).await;
    let replaced = r#"
        Products {"Id":"RT-2","Sku":"RT-2","Title":"Lamp"}
        AccountPrices {"AccountTag":"tag:bolt","Sku":"RT-2","ParentId":"RT-2","Prices":["1.50 GBP"]}
        "#;
    assert_same_lines(&shown_with_tags(&world, &shop).await, replaced);
}

async fn a_delta_without_a_secret_is_refused_and_its_status_needs_none(world: World) {
    let shop = world.shop("dot-net").await;
    let bare = r#"{"AppKey":"KEY","Products":[{"Sku":"RT-1","Title":"Torch"}],"DeleteProducts":[]}"#;
    let sentence = post(&world, &shop, "/api/productdelta", bare).await.expect_refusal(400);
    assert_eq!(sentence, "SecretKey is missing");
    assert_same_lines(&list_shown(&world, &shop).await, "");
    let token = world.delta(&shop, json!({"Products": [{"Sku": "RT-1", "Title": "Torch"}]})).await;
    world.run_all_jobs().await;
    let asked = format!(r#"{{"AppKey":"KEY","Tokens":["{token}"]}}"#);
    let told = post(&world, &shop, "/api/productdeltastatus", &asked).await;
    assert_eq!((told.status, told.json()), (200, json!([{"Token": token, "Status": 1}])));
}

async fn deltas_replace_and_delete_by_sku(world: World) {
    let shop = world.shop("dot-net").await;
    let put = r#"{"AppKey":"KEY","SecretKey":"SECRET","Products":[{"Sku":"RT-1","Title":"Torch","AssociatedSkus":["RT-1","RT-1-R"],"AssociatedTitles":["Torch","Torch red"]},{"Sku":"RT-2","Title":"Lamp"}],"DeleteProducts":[]}"#;
    apply_delta(&world, &shop, "/api/productdelta", put).await;
    // A changed child is sent as its parent, so its SKU deletes nothing.
    let delete = r#"{"AppKey":"KEY","SecretKey":"SECRET","Products":[],"DeleteProducts":["RT-2","RT-1-R"]}"#;
    apply_delta(&world, &shop, "/api/productdelta", delete).await;
    assert_same_lines(
        &list_shown(&world, &shop).await,
        r#"Products {"Id":"RT-1","Sku":"RT-1","Title":"Torch","AssociatedSkus":["RT-1-R"],"AssociatedTitles":["Torch red"]}"#,
    );
    assert_eq!(world.item(&shop, "Products", "RT-1-R").await["Id"], "RT-1");
}
