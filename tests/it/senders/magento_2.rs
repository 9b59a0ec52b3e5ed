//! The Magento 2 plugin: descriptions as lists, brands as numbers, flags as words, attributes under their labels, price
//! lists by group in every shape; and the one file of its first version.

use super::{apply_delta, assert_same_lines, list_people, list_shown, publish_complete, upload_complete};
use crate::support::world::{World, on_both_engines};

on_both_engines! {
    a_configurable_product_keeps_its_children_and_its_json_texts
    group_prices_come_as_a_list_or_by_group
    categories_brands_and_users_arrive
    the_first_version_wrote_all_sections_into_one_file
    deltas_delete_by_number
    orders_name_products_by_their_id
}

async fn a_configurable_product_keeps_its_children_and_its_json_texts(world: World) {
    let shop = world.shop("magento-2").await;
    let pieces = [
        r#"{"Version": 2, "Products":["#,
        r#"{"_index":0,"Id":"67","Sku":"MH01 \/ tee","Title":"Hoodie","Description":["Long <p>text<\/p>","","Short","Long <p>text<\/p>"],"Link":"\/\/shop.example\/hoodie.html","Image":"https:\/\/shop.example\/h.jpg","ImageOverlay":"","AllImages":["\/\/shop.example\/h.jpg","\/\/shop.example\/b.jpg"],"Categories":["3","14"],"MagentoCategories":["Men","Tops"],"MagentoProductType":"configurable","InStock":"true","Brand":215,"Prices":["52.00 GBP","61.36 EUR"],"SalePrices":[],"GroupPrices":[],"SearchTags":{"0":" warm","2":"hooded "},"AssociatedSkus":["MH01-XS","MH01-S"],"AssociatedTitles":["Hoodie-XS","Hoodie-S"],"jsonconfig":"{\"attributes\":{\"93\":{\"id\":\"93\",\"label\":\"Color\"}},\"url\":\"https:\\\/\\\/shop.example\"}","swatchrenderjson":"{\"jsonSwatchConfig\":[]}","NewArrival":true,"Set Product as New from Date":["2026-01-01 00:00:00"],"Eco Collection":["No",false],"Pattern":["Solid"],"Weight":["1.5000"]}"#,
        "]}",
    ];
    upload_complete(&world, &shop, "product-61a8f0c3d2e4b", &pieces).await;
    assert_same_lines(
        &list_shown(&world, &shop).await,
        r#"Products {"Id":"67","Sku":"MH01 / tee","Title":"Hoodie","Description":"Long <p>text</p>\nShort","Link":"//shop.example/hoodie.html","Image":"https://shop.example/h.jpg","AllImages":["//shop.example/h.jpg","//shop.example/b.jpg"],"Brand":"215","Categories":["3","14"],"MagentoCategories":["Men","Tops"],"MagentoProductType":"configurable","InStock":true,"Prices":["52.00 GBP","61.36 EUR"],"SearchTags":["warm","hooded"],"AssociatedSkus":["MH01-XS","MH01-S"],"AssociatedTitles":["Hoodie-XS","Hoodie-S"],"NewArrival":true,"jsonconfig":"{\"attributes\":{\"93\":{\"id\":\"93\",\"label\":\"Color\"}},\"url\":\"https:\\/\\/shop.example\"}","swatchrenderjson":"{\"jsonSwatchConfig\":[]}","Attributes":{"Set Product as New from Date":["2026-01-01 00:00:00"],"Eco Collection":["No",false],"Pattern":["Solid"],"Weight":["1.5000"]}}"#,
    );
}

async fn group_prices_come_as_a_list_or_by_group(world: World) {
    let shop = world.shop("magento-2").await;
    let pieces = [
        r#"{"Version": 2, "Products":["#,
        r#"{"Id":"1","Prices":["5.00 GBP"],"GroupPrices":[{"Prices":["5.00 GBP"],"SalePrices":[]},{"Prices":["4.00 GBP"],"SalePrices":["3.00 GBP"]}]}"#,
        r#",{"Id":"2","Prices":["5.00 GBP"],"GroupPrices":{"0":{"Prices":["5.00 GBP"],"SalePrices":[]},"1":{"Prices":["4.00 GBP"],"SalePrices":["3.00 GBP"]}}}"#,
        r#",{"Id":"3","Prices":["5.00 GBP"],"GroupPrices":{"5":{"Prices":["2.00 GBP"]}}}"#,
        r#",{"Id":"4","Prices":["5.00 GBP"],"GroupPrices":[]}"#,
        "]}",
    ];
    upload_complete(&world, &shop, "product-61a8f0c3d2e4b", &pieces).await;
    assert_same_lines(
        &list_shown(&world, &shop).await,
        r#"
        Products {"Id":"1","Prices":["5.00 GBP"],"GroupPrices":{"0":{"Prices":["5.00 GBP"]},"1":{"Prices":["4.00 GBP"],"SalePrices":["3.00 GBP"]}}}
        Products {"Id":"2","Prices":["5.00 GBP"],"GroupPrices":{"0":{"Prices":["5.00 GBP"]},"1":{"Prices":["4.00 GBP"],"SalePrices":["3.00 GBP"]}}}
        Products {"Id":"3","Prices":["5.00 GBP"],"GroupPrices":{"5":{"Prices":["2.00 GBP"]}}}
        Products {"Id":"4","Prices":["5.00 GBP"]}
        "#,
    );
}

async fn categories_brands_and_users_arrive(world: World) {
    let shop = world.shop("magento-2").await;
    let categories = [
        r#"{"Version": 2, "Categories":["#,
        r#"{"Id":"2","DisplayName":"Default Category","Image":"","Description":"","Link":"\/","ParentIds":[]}"#,
        r#",{"Id":"20","DisplayName":"20","Image":"\/\/shop.example\/c.jpg","Description":"","Link":"\/\/shop.example\/20","ParentIds":["2"],"ExcludeFromRecommenders":true,"IsActive":false,"OverrideImage":"\/\/shop.example\/o.jpg"}"#,
        "]}",
    ];
    upload_complete(&world, &shop, "category-61a8f0c3d2e4b", &categories).await;
    let brands = [
        r#"{"Version": 2, "Brands":["#,
        r#"{"Id":"215","DisplayName":"Acme","Image":"","Link":"\/\/shop.example\/acme"}"#,
        "]}",
    ];
    upload_complete(&world, &shop, "brand-61a8f0c3d2e4b", &brands).await;
    let users = [
        r#"{"Version": 2, "Users":["#,
        r#"{"UserId":"1","Email":"A@Shop.example","FirstName":"A","LastName":"B","Salutation":null,"DOB":"1973-12-15","Group":"General","GroupId":"1","Gender":"F","City":"Calder","State":"Michigan","Country":"US"}"#,
        r#",{"UserId":2,"Email":"b@shop.example","FirstName":"C","LastName":"D","GroupId":3,"City":null}"#,
        "]}",
    ];
    upload_complete(&world, &shop, "user-61a8f0c3d2e4b", &users).await;
    assert_same_lines(
        &list_shown(&world, &shop).await,
        r#"
        Categories {"Id":"2","DisplayName":"Default Category","Link":"/"}
        Categories {"Id":"20","DisplayName":"20","Image":"//shop.example/c.jpg","Link":"//shop.example/20","ParentIds":["2"],"ExcludeFromRecommenders":true,"IsActive":false,"OverrideImage":"//shop.example/o.jpg"}
        Brands {"Id":"215","DisplayName":"Acme","Link":"//shop.example/acme"}
        "#,
    );
    assert_same_lines(
        &list_people(&world).await,
        r#"
        {"UserId":"1","Email":"A@Shop.example","FirstName":"A","LastName":"B","DOB":"1973-12-15","Gender":"F","Group":"General","GroupId":"1","City":"Calder","State":"Michigan","Country":"US"}
        {"UserId":"2","Email":"b@shop.example","FirstName":"C","LastName":"D","GroupId":"3"}
        "#,
    );
}

async fn the_first_version_wrote_all_sections_into_one_file(world: World) {
    let shop = world.shop("magento-2").await;
    let expected = r#"
        Products {"Id":"67","Sku":"MH01","Title":"Hoodie","Brand":"215"}
        Categories {"Id":"2","DisplayName":"Default"}
        Brands {"Id":"215","DisplayName":"Acme"}
        "#;
    let user = r#"{"UserId":"1","Email":"a@shop.example"}"#;
    // JSON inside, whatever the name.
    let json = r#"{"Version":2,"Products":[{"Id":67,"Sku":"MH01","Title":"Hoodie","Brand":215}],"Categories":[{"Id":"2","DisplayName":"Default","ParentIds":[]}],"Brand":[{"Id":"215","DisplayName":"Acme"}],"Users":[{"UserId":"1","Email":"a@shop.example"}]}"#;
    publish_complete(&world, &shop, "/magento-feeds/PureClarityFeed-1.ndjson", json).await;
    assert_same_lines(&list_shown(&world, &shop).await, expected);
    assert_same_lines(&list_people(&world).await, user);
    publish_complete(&world, &shop, "/other", r#"{"Products":[{"Id":1}],"Brand":[{"Id":2}]}"#).await;
    let lines = concat!(
        "{\"FileType\":\"ndjson\",\"Version\":2}\n{\"Type\":\"Products\"}\n",
        "{\"Id\":67,\"Sku\":\"MH01\",\"Title\":\"Hoodie\",\"Brand\":215}\n",
        "{\"Type\":\"Categories\"}\n{\"Id\":\"2\",\"DisplayName\":\"Default\",\"ParentIds\":[]}\n",
        "{\"Type\":\"Brand\"}\n{\"Id\":\"215\",\"DisplayName\":\"Acme\"}\n",
        "{\"Type\":\"Users\"}\n{\"UserId\":\"1\",\"Email\":\"a@shop.example\"}\n",
    );
    publish_complete(&world, &shop, "/magento-feeds/PureClarityFeed-2.json", lines).await;
    assert_same_lines(&list_shown(&world, &shop).await, expected);
    assert_same_lines(&list_people(&world).await, user);
}

async fn deltas_delete_by_number(world: World) {
    let shop = world.shop("magento-2").await;
    let put = r#"{"AppKey":"KEY","Secret":"SECRET","Products":[{"_index":0,"Id":"67","Sku":"MH01","Title":"Hoodie"},{"_index":1,"Id":68,"Sku":"MH02","Title":"Tee"}],"DeleteProducts":[],"Format":"magentoplugin1.0.0"}"#;
    apply_delta(&world, &shop, "/api/productdelta", put).await;
    let delete = r#"{"AppKey":"KEY","Secret":"SECRET","Products":[],"DeleteProducts":[67,9999],"Format":"magentoplugin1.0.0"}"#;
    apply_delta(&world, &shop, "/api/productdelta", delete).await;
    assert_same_lines(&list_shown(&world, &shop).await, r#"Products {"Id":"68","Sku":"MH02","Title":"Tee"}"#);
}

async fn orders_name_products_by_their_id(world: World) {
    let shop = world.shop("magento-2").await;
    let pieces = [
        "OrderId,UserId,Email,DateTimeStamp,ProdCode,Quantity,UnityPrice,LinePrice",
        "\n000000001,1,a@shop.example,2026-03-01 10:00:00,67,2.0000,52.0000,104.0000\
         \n000000002,,c@shop.example,2026-03-02 10:00:00,67,1.0000,52.0000,52.0000",
        "",
    ];
    upload_complete(&world, &shop, "orders-61a8f0c3d2e4b", &pieces).await;
    assert_same_lines(
        &list_people(&world).await,
        "
        somebody
        000000001 2026-03-01T10:00:00Z: 2 x 67 at 52
        somebody
        000000002 2026-03-02T10:00:00Z: 1 x 67 at 52
        ",
    );
}
