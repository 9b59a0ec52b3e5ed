//! The Magento 1 plugin: the section begins with the first page, one category a call, and the brackets close one by
//! one.

use serde_json::json;

use super::{apply_delta, assert_same_lines, list_people, list_shown, upload, upload_complete};
use crate::support::world::{World, on_both_engines};

on_both_engines! {
    a_product_feed_opens_its_section_with_the_first_row
    one_name_serves_feeds_of_several_types
    an_empty_feed_has_no_section
    orders_end_their_rows_and_come_ten_a_call
    deltas_delete_by_sku_and_hold_nulls
}

async fn a_product_feed_opens_its_section_with_the_first_row(world: World) {
    let shop = world.shop("magento-1").await;
    let pieces = [
        r#"{"Version": 2"#,
        r#","Products":[{"_index":0,"Id":"11","Sku":"mug 1","Title":"Mug","Description":["Long","Short",""],"Link":"\/\/shop.example\/mug","Image":"http:\/\/shop.example\/mug.jpg","AllImages":["\/\/shop.example\/mug.jpg"],"Categories":["2"],"MagentoCategories":["Tea"],"MagentoProductType":"simple","InStock":"1","Prices":["5.00 GBP","5.00 GBP"],"SalePrices":[],"PromoMessage":"Two for one","GroupPrices":{"1":{"Prices":["4.50 GBP"],"SalePrices":[]},"4":{"Prices":["4.00 GBP"],"SalePrices":["3.50 GBP"]}},"SearchTags":["mug"," cup "],"Brand":["Acme",7]}"#,
        r#",{"_index":1,"Id":"12","Sku":"pot","Title":"Pot","Description":["Pot"],"Link":"\/\/shop.example\/pot","Image":"","AllImages":[],"Categories":[],"MagentoProductType":"configurable","InStock":"0","Prices":["9.00 GBP","12.00 GBP"],"SalePrices":[],"GroupPrices":[],"AssociatedSkus":["pot-s","pot-l","pot-s"],"AssociatedTitles":["Pot S","Pot L","Pot S"],"SearchTags":[]}"#,
        "]",
        "}",
    ];
    upload_complete(&world, &shop, "product-5f3c0a1b2c3d4", &pieces).await;
    assert_same_lines(
        &list_shown(&world, &shop).await,
        r#"
        Products {"Id":"11","Sku":"mug 1","Title":"Mug","Description":"Long\nShort","Link":"//shop.example/mug","Image":"http://shop.example/mug.jpg","AllImages":["//shop.example/mug.jpg"],"Brand":"Acme\n7","Categories":["2"],"MagentoCategories":["Tea"],"MagentoProductType":"simple","InStock":true,"Prices":["5.00 GBP","5.00 GBP"],"GroupPrices":{"1":{"Prices":["4.50 GBP"]},"4":{"Prices":["4.00 GBP"],"SalePrices":["3.50 GBP"]}},"SearchTags":["mug","cup"],"PromoMessage":"Two for one"}
        Products {"Id":"12","Sku":"pot","Title":"Pot","Description":"Pot","Link":"//shop.example/pot","MagentoProductType":"configurable","InStock":false,"Prices":["9.00 GBP","12.00 GBP"],"AssociatedSkus":["pot-s","pot-l"],"AssociatedTitles":["Pot S","Pot L"]}
        "#,
    );
}

async fn one_name_serves_feeds_of_several_types(world: World) {
    let shop = world.shop("magento-1").await;
    let categories = [
        r#"{"Version": 2"#,
        r#","Categories":[{"Id":"1","DisplayName":"Root","Image":"","Link":"","ParentIds":[]}"#,
        r#",{"Id":"2","DisplayName":"2","Image":"","Link":"\/\/shop.example\/2","ParentIds":["1"],"ExcludeFromRecommenders":true}"#,
        "]",
        "}",
    ];
    upload_complete(&world, &shop, "category-5f3c0a1b2c3d4", &categories).await;
    let brands = [
        r#"{"Version": 2"#,
        r#","Brands":[{"Id":"7","DisplayName":"Acme","Image":"","Link":"\/\/shop.example\/acme"}"#,
        "]",
        "}",
    ];
    upload_complete(&world, &shop, "brand-5f3c0a1b2c3d4", &brands).await;
    let users = [
        r#"{"Version": 2"#,
        r#","Users":[{"UserId":"31","Email":"a@shop.example","FirstName":"A","LastName":"B","Salutation":"","DOB":"1980-12-31","Gender":"M","Group":"General","GroupId":"1","City":"Leeds","State":null,"Country":"GB"}"#,
        "]",
        "}",
    ];
    upload_complete(&world, &shop, "user-5f3c0a1b2c3d4", &users).await;
    assert_same_lines(
        &list_shown(&world, &shop).await,
        r#"
        Categories {"Id":"1","DisplayName":"Root"}
        Categories {"Id":"2","DisplayName":"2","Link":"//shop.example/2","ParentIds":["1"],"ExcludeFromRecommenders":true}
        Brands {"Id":"7","DisplayName":"Acme","Link":"//shop.example/acme"}
        "#,
    );
    assert_same_lines(
        &list_people(&world).await,
        r#"{"UserId":"31","Email":"a@shop.example","FirstName":"A","LastName":"B","DOB":"1980-12-31","Gender":"M","Group":"General","GroupId":"1","City":"Leeds","Country":"GB"}"#,
    );
}

async fn an_empty_feed_has_no_section(world: World) {
    let shop = world.shop("magento-1").await;
    for kind in ["category-1", "brand-1", "user-1"] {
        upload_complete(&world, &shop, kind, &[r#"{"Version": 2"#, "}"]).await;
    }
    let refused = upload(&world, &shop, "product-1", &[r#"{"Version": 2"#, "}"]).await;
    let sentence = "the feed holds none of Products, Categories, Brands, Users and AccountPrices";
    assert_eq!(refused, json!(["Error", sentence]));
    assert_same_lines(&list_shown(&world, &shop).await, "");
}

async fn orders_end_their_rows_and_come_ten_a_call(world: World) {
    let shop = world.shop("magento-1").await;
    let pieces = [
        "OrderId,UserId,Email,DateTimeStamp,ProdCode,Quantity,UnityPrice,LinePrice\n",
        "100000001,31,a@shop.example,2026-02-01 08:00:00,11,1.0000,5.0000,5.0000\n\
         100000002,,b@shop.example,2026-02-01 09:00:00,12,1.0000,9.0000,9.0000\n",
        "100000001,31,a@shop.example,2026-02-01 08:00:00,12,1.0000,9.0000,9.0000\n",
        "",
    ];
    upload_complete(&world, &shop, "orders-5f3c0a1b2c3d4", &pieces).await;
    assert_same_lines(
        &list_people(&world).await,
        "
        somebody
        100000001 2026-02-01T08:00:00Z: 1 x 11 at 5, 1 x 12 at 9
        somebody
        100000002 2026-02-01T09:00:00Z: 1 x 12 at 9
        ",
    );
}

async fn deltas_delete_by_sku_and_hold_nulls(world: World) {
    let shop = world.shop("magento-1").await;
    let all = r#"{"AppKey":"KEY","Secret":"SECRET","Products":[{"_index":0,"Id":"11","Sku":"mug 1","Title":"Mug"},{"_index":1,"Id":"12","Sku":"pot","Title":"Pot","AssociatedSkus":["pot-s"]},{"_index":2,"Id":"13","Sku":"pan","Title":"Pan"}],"DeleteProducts":["pan","pot-s",null],"Format":"magentoplugin1.0.0"}"#;
    apply_delta(&world, &shop, "/api/productdelta", all).await;
    let two = r#"
        Products {"Id":"11","Sku":"mug 1","Title":"Mug"}
        Products {"Id":"12","Sku":"pot","Title":"Pot","AssociatedSkus":["pot-s"]}
        "#;
    assert_same_lines(&list_shown(&world, &shop).await, two);
    let none = r#"{"AppKey":"KEY","Secret":"SECRET","Products":[],"DeleteProducts":[null,""],"Format":"magentoplugin1.0.0"}"#;
    apply_delta(&world, &shop, "/api/productdelta", none).await;
    assert_same_lines(&list_shown(&world, &shop).await, two);
}
