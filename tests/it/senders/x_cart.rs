//! The X-Cart module over the SDK: numbers for ids, tags as one text, prices by membership, `[]` for excluded products,
//! and all ancestors of a category.

use super::{apply_delta, assert_same_lines, list_people, list_shown, upload_complete};
use crate::support::world::{World, on_both_engines};

on_both_engines! {
    products_have_numbers_tags_in_one_text_and_membership_prices
    an_excluded_product_is_no_row
    categories_list_all_their_ancestors
    users_have_a_state_that_is_a_number
    orders_name_variants_by_their_sku
}

async fn products_have_numbers_tags_in_one_text_and_membership_prices(world: World) {
    let shop = world.shop("x-cart").await;
    let pieces = [
        r#"{"Version": 2, "Products":["#,
        r#"{"_index":1,"Id":15,"Sku":"desk","Title":"Desk","Link":"https:\/\/shop.example\/desk.html","Image":"https:\/\/shop.example\/desk.jpg","AllImages":["https:\/\/shop.example\/desk.jpg"],"Categories":[3,8],"Brand":"","Prices":["120.5 EUR"],"SalePrices":null,"GroupPrices":{"2":{"Prices":["110 EUR"]},"5":{"Prices":["100 EUR"],"SalePrices":["90 EUR"]}},"SearchTags":"desk, oak","StartDate":"2026-01-01","EndDate":"2026-12-31T23:59:59+00:00","OnOffer":0,"NewArrival":1,"ExcludeFromSearch":false,"AssociatedSkus":["desk-oak","desk-ash"],"AssociatedTitles":["Desk","Desk"],"Colour":["Oak","Ash"]}"#,
        r#",{"_index":2,"Id":16,"Sku":"lamp","Title":"Lamp","Link":"https:\/\/shop.example\/lamp.html","Image":"","Categories":"","Prices":["30 EUR"],"SalePrices":"","SearchTags":null,"InStock":"true"}"#,
        "]}",
    ];
    upload_complete(&world, &shop, "product-61a8f0c3d2e4b", &pieces).await;
    assert_same_lines(
        &list_shown(&world, &shop).await,
        r#"
        Products {"Id":"15","Sku":"desk","Title":"Desk","Link":"https://shop.example/desk.html","Image":"https://shop.example/desk.jpg","AllImages":["https://shop.example/desk.jpg"],"Categories":["3","8"],"Prices":["120.50 EUR"],"GroupPrices":{"2":{"Prices":["110.00 EUR"]},"5":{"Prices":["100.00 EUR"],"SalePrices":["90.00 EUR"]}},"StartDate":"2026-01-01","EndDate":"2026-12-31T23:59:59+00:00","SearchTags":["desk, oak"],"AssociatedSkus":["desk-oak","desk-ash"],"AssociatedTitles":["Desk","Desk"],"NewArrival":true,"OnOffer":false,"ExcludeFromSearch":false,"Attributes":{"Colour":["Oak","Ash"]}}
        Products {"Id":"16","Sku":"lamp","Title":"Lamp","Link":"https://shop.example/lamp.html","InStock":true,"Prices":["30.00 EUR"]}
        "#,
    );
}

async fn an_excluded_product_is_no_row(world: World) {
    let shop = world.shop("x-cart").await;
    let feed =
        [r#"{"Version": 2, "Products":["#, r#"[],{"_index":1,"Id":15,"Title":"Desk"},[]"#, ",[]", "]}"];
    upload_complete(&world, &shop, "product-61a8f0c3d2e4b", &feed).await;
    let delta = r#"{"AppKey":"KEY","Secret":"SECRET","Products":[[],{"Id":16,"Title":"Lamp"},[]],"DeleteProducts":[],"Format":"pureclarity_json"}"#;
    apply_delta(&world, &shop, "/api/productdelta", delta).await;
    assert_same_lines(
        &list_shown(&world, &shop).await,
        r#"
        Products {"Id":"15","Title":"Desk"}
        Products {"Id":"16","Title":"Lamp"}
        "#,
    );
}

async fn categories_list_all_their_ancestors(world: World) {
    let shop = world.shop("x-cart").await;
    let pieces = [
        r#"{"Version": 2, "Categories":["#,
        r#"{"_index":1,"Id":1,"DisplayName":"Home","Link":"https:\/\/shop.example\/","ParentIds":[]},{"_index":2,"Id":3,"DisplayName":"Office","Link":"https:\/\/shop.example\/office","ParentIds":[1]},{"_index":3,"Id":8,"DisplayName":"Desks","Link":"https:\/\/shop.example\/desks","Image":"https:\/\/shop.example\/d.jpg","ParentIds":[1,3]}"#,
        "]}",
    ];
    upload_complete(&world, &shop, "category-61a8f0c3d2e4b", &pieces).await;
    assert_same_lines(
        &list_shown(&world, &shop).await,
        r#"
        Categories {"Id":"1","DisplayName":"Home","Link":"https://shop.example/"}
        Categories {"Id":"3","DisplayName":"Office","Link":"https://shop.example/office","ParentIds":["1"]}
        Categories {"Id":"8","DisplayName":"Desks","Image":"https://shop.example/d.jpg","Link":"https://shop.example/desks","ParentIds":["1","3"]}
        "#,
    );
}

async fn users_have_a_state_that_is_a_number(world: World) {
    let shop = world.shop("x-cart").await;
    let user = r#"{"_index":1,"UserId":9,"Email":"a@shop.example","FirstName":"A","LastName":"B","Title":null,"Group":"Trade","GroupId":5,"City":"Graz","State":62,"Country":"AT"}"#;
    upload_complete(&world, &shop, "user-61a8f0c3d2e4b", &[r#"{"Version": 2, "Users":["#, user, "]}"]).await;
    assert_same_lines(
        &list_people(&world).await,
        r#"{"UserId":"9","Email":"a@shop.example","FirstName":"A","LastName":"B","Group":"Trade","GroupId":"5","City":"Graz","State":"62","Country":"AT"}"#,
    );
}

async fn orders_name_variants_by_their_sku(world: World) {
    let shop = world.shop("x-cart").await;
    let pieces = [
        "OrderId,UserId,Email,DateTimeStamp,ProdCode,Quantity,UnityPrice,LinePrice",
        "\n701,9,a@shop.example,2026-06-01 10:00:00,desk-oak,1,120.5,120.5",
        "",
    ];
    upload_complete(&world, &shop, "orders-61a8f0c3d2e4b", &pieces).await;
    assert_same_lines(
        &list_people(&world).await,
        "somebody\n701 2026-06-01T10:00:00Z: 1 x desk-oak at 120.5",
    );
}
