//! The WooCommerce plugin (3.3.1) over the SDK: variations by id with their parent's SKU, slugs as attributes, an
//! invented root of categories, roles as an object, and `DeleteUsers` for every edited profile.

use super::{apply_delta, assert_same_lines, list_people, list_shown, upload_complete};
use crate::support::world::{World, on_both_engines};

on_both_engines! {
    a_variable_product_keeps_variations_that_share_a_sku
    categories_hang_below_an_invented_root
    users_have_roles_and_an_edited_profile_is_removed_first
    orders_have_dates_with_an_offset
    deltas_delete_by_text_and_are_sent_again
}

async fn a_variable_product_keeps_variations_that_share_a_sku(world: World) {
    let shop = world.shop("woo-3").await;
    let pieces = [
        r#"{"Version": 2, "Products":["#,
        r#"{"_index":0,"Id":"40","Sku":"tee","Title":"Tee &#8211; soft","Description":" ","Link":"\/\/shop.example\/product\/caf%c3%a9-tee\/","Image":"\/\/shop.example\/tee.jpg","ImageOverlay":"","AllImages":[],"Categories":["16","17"],"ProductType":"variable","InStock":true,"StockQty":2.5,"Prices":["15 EUR","12.5 EUR"],"SalePrices":["10 EUR"],"SalePriceStartDate":"2026-01-01T00:00:00+01:00","SalePriceEndDate":"2026-12-31T23:59:59+01:00","SearchTags":["soft","red"],"AssociatedIds":[41,42,43],"AssociatedSkus":["tee","tee","tee-l"],"AssociatedTitles":["Tee - S","Tee - M","Tee - L"],"pa_gr\u00f6\u00dfe":["S","M","L"],"Weight":["0.2"],"Length":["70"],"ExcludeFromRecommenders":true}"#,
        r#",{"_index":1,"Id":"50","Title":"Voucher","Description":"","Link":"\/\/shop.example\/product\/voucher\/","Image":"","AllImages":[],"Categories":[],"ProductType":"external","InStock":false,"Prices":["20 EUR"]}"#,
        "]}",
    ];
    upload_complete(&world, &shop, "product-61a8f0c3d2e4b", &pieces).await;
    assert_same_lines(
        &list_shown(&world, &shop).await,
        r#"
        Products {"Id":"40","Sku":"tee","Title":"Tee &#8211; soft","Link":"//shop.example/product/caf%c3%a9-tee/","Image":"//shop.example/tee.jpg","Categories":["16","17"],"ProductType":"variable","InStock":true,"StockQty":2.5,"Prices":["15.00 EUR","12.50 EUR"],"SalePrices":["10.00 EUR"],"SalePriceStartDate":"2026-01-01T00:00:00+01:00","SalePriceEndDate":"2026-12-31T23:59:59+01:00","SearchTags":["soft","red"],"AssociatedIds":["41","42","43"],"AssociatedSkus":["tee","tee","tee-l"],"AssociatedTitles":["Tee - S","Tee - M","Tee - L"],"ExcludeFromRecommenders":true,"Attributes":{"pa_größe":["S","M","L"],"Weight":["0.2"],"Length":["70"]}}
        Products {"Id":"50","Title":"Voucher","Link":"//shop.example/product/voucher/","ProductType":"external","InStock":false,"Prices":["20.00 EUR"]}
        "#,
    );
    for key in ["40", "tee", "42", "tee-l"] {
        assert_eq!(world.item(&shop, "Products", key).await["Id"], "40", "{key}");
    }
}

async fn categories_hang_below_an_invented_root(world: World) {
    let shop = world.shop("woo-3").await;
    let pieces = [
        r#"{"Version": 2, "Categories":["#,
        r#"{"_index":0,"Id":"-1","DisplayName":"Root","Link":"","Image":"","ParentIds":[]}"#,
        r#",{"_index":1,"Id":"16","DisplayName":"Tops","Link":"\/\/shop.example\/product-category\/tops\/","Image":"","ParentIds":["-1"]}"#,
        r#",{"_index":2,"Id":"17","DisplayName":"Tees","Link":"\/\/shop.example\/product-category\/tees\/","Image":"","Description":"Soft","ParentIds":["16"]}"#,
        "]}",
    ];
    upload_complete(&world, &shop, "category-61a8f0c3d2e4b", &pieces).await;
    assert_same_lines(
        &list_shown(&world, &shop).await,
        r#"
        Categories {"Id":"-1","DisplayName":"Root"}
        Categories {"Id":"16","DisplayName":"Tops","Link":"//shop.example/product-category/tops/","ParentIds":["-1"]}
        Categories {"Id":"17","DisplayName":"Tees","Link":"//shop.example/product-category/tees/","Description":"Soft","ParentIds":["16"]}
        "#,
    );
}

async fn users_have_roles_and_an_edited_profile_is_removed_first(world: World) {
    let shop = world.shop("woo-3").await;
    let pieces = [
        r#"{"Version": 2, "Users":["#,
        r#"{"_index":0,"UserId":4,"Email":"a@shop.example","FirstName":"A","LastName":"B","Roles":{"1":"customer"},"City":"Bonn","State":"","Country":"DE"}"#,
        r#",{"_index":1,"UserId":5,"Email":"b@shop.example","FirstName":"","LastName":"","Roles":["customer","shop_manager"]}"#,
        "]}",
    ];
    upload_complete(&world, &shop, "user-61a8f0c3d2e4b", &pieces).await;
    let first = r#"{"UserId":"4","Email":"a@shop.example","FirstName":"A","LastName":"B","City":"Bonn","Country":"DE","Roles":["customer"]}"#;
    let second = r#"{"UserId":"5","Email":"b@shop.example","Roles":["customer","shop_manager"]}"#;
    assert_same_lines(&list_people(&world).await, &format!("{first}\n{second}"));
    // An edited profile: the row builder gets an id where it needs an object, and a removal is sent instead.
    let edited =
        r#"{"AppKey":"KEY","Secret":"SECRET","Users":[],"DeleteUsers":[4],"Format":"pureclarity_json"}"#;
    apply_delta(&world, &shop, "/api/productdelta", edited).await;
    assert_same_lines(&list_people(&world).await, second);
    // The nightly feed brings them back, and suppressed no one.
    upload_complete(&world, &shop, "user-61a8f0c3d2e4c", &pieces).await;
    assert_same_lines(&list_people(&world).await, &format!("{first}\n{second}"));
}

async fn orders_have_dates_with_an_offset(world: World) {
    let shop = world.shop("woo-3").await;
    let pieces = [
        "OrderId,UserId,Email,DateTimeStamp,ProdCode,Quantity,UnityPrice,LinePrice",
        "\n601,4,a@shop.example,2026-05-01T10:00:00+02:00,40,2,12.5,25",
        "\n602,,b@shop.example,2026-05-02T10:00:00+02:00,50,1,20,20",
        "",
    ];
    upload_complete(&world, &shop, "orders-61a8f0c3d2e4b", &pieces).await;
    // The same orders again, a month later.
    upload_complete(&world, &shop, "orders-62a8f0c3d2e4b", &pieces).await;
    assert_same_lines(
        &list_people(&world).await,
        "
        somebody
        601 2026-05-01T08:00:00Z: 2 x 40 at 12.5
        somebody
        602 2026-05-02T08:00:00Z: 1 x 50 at 20
        ",
    );
}

async fn deltas_delete_by_text_and_are_sent_again(world: World) {
    let shop = world.shop("woo-3").await;
    let put = r#"{"AppKey":"KEY","Secret":"SECRET","Products":[{"Id":"40","Sku":"tee","Title":"Tee","AssociatedIds":[41],"AssociatedSkus":["tee-s"]},{"Id":"50","Title":"Voucher"}],"DeleteProducts":[],"Format":"pureclarity_json"}"#;
    let delete = r#"{"AppKey":"KEY","Secret":"SECRET","Products":[],"DeleteProducts":["50"],"Format":"pureclarity_json"}"#;
    for _ in 0..2 {
        apply_delta(&world, &shop, "/api/productdelta", put).await;
        apply_delta(&world, &shop, "/api/productdelta", delete).await;
    }
    assert_same_lines(
        &list_shown(&world, &shop).await,
        r#"Products {"Id":"40","Sku":"tee","Title":"Tee","AssociatedIds":["41"],"AssociatedSkus":["tee-s"]}"#,
    );
    assert_eq!(world.item(&shop, "Products", "41").await["Id"], "40");
}
