//! The PHP SDK (3.0.0), under the current WooCommerce, X-Cart and Magento plugins: pages of rows with a counter, PHP's
//! escapes, the misspelt header of orders, `Secret`.

use serde_json::json;

use super::{apply_delta, assert_same_lines, list_people, list_shown, post, upload, upload_complete};
use crate::support::world::{World, on_both_engines};

on_both_engines! {
    pages_of_rows_join_and_a_lost_row_leaves_its_comma
    categories_brands_and_users_are_written_alike
    the_next_night_products_categories_and_brands_are_replaced_and_users_added
    a_feed_whose_rows_were_all_skipped_is_closed_at_once
    orders_have_the_misspelt_header_and_no_last_piece
    deltas_send_both_keys_and_the_secret_as_secret
    a_delta_that_could_not_be_encoded_is_an_empty_body
}

async fn pages_of_rows_join_and_a_lost_row_leaves_its_comma(world: World) {
    let shop = world.shop("sdk").await;
    let pieces = [
        r#"{"Version": 2, "Products":["#,
        r#"{"_index":1,"Id":"1","Sku":"T-1","Title":"Caf\u00e9 \u2014 17\" 50% + more & tea","Description":"<p>Hot<\/p>","Link":"\/\/shop.example\/caf%C3%A9","Image":"\/\/shop.example\/i\/1.jpg","Prices":["12.50 GBP"]},,{"_index":3,"Id":"3","Title":"\ud83c\udf75","Description":" ","Link":"\/\/shop.example\/3","Image":"","Prices":["1 GBP"]}"#,
        r#",{"_index":4,"Id":"4","Title":"Last","Description":"d","Link":"\/\/shop.example\/4","Image":"\/\/shop.example\/i\/4.jpg","Prices":["3.999 GBP","4.00 EUR"]}"#,
        "]}",
    ];
    upload_complete(&world, &shop, "product-61a8f0c3d2e4b", &pieces).await;
    assert_same_lines(
        &list_shown(&world, &shop).await,
        r#"
        Products {"Id":"1","Sku":"T-1","Title":"Café — 17\" 50% + more & tea","Description":"<p>Hot</p>","Link":"//shop.example/caf%C3%A9","Image":"//shop.example/i/1.jpg","Prices":["12.50 GBP"]}
        Products {"Id":"3","Title":"🍵","Link":"//shop.example/3","Prices":["1.00 GBP"]}
        Products {"Id":"4","Title":"Last","Description":"d","Link":"//shop.example/4","Image":"//shop.example/i/4.jpg","Prices":["4.00 GBP","4.00 EUR"]}
        "#,
    );
}

async fn categories_brands_and_users_are_written_alike(world: World) {
    let shop = world.shop("sdk").await;
    let pieces = [
        r#"{"Version": 2, "Categories":["#,
        r#"{"_index":1,"Id":"2","DisplayName":"Tea","Image":"","Link":"\/\/shop.example\/tea","ParentIds":[]}"#,
        r#",{"_index":2,"Id":"3","DisplayName":"Green","Image":"\/\/shop.example\/g.jpg","Link":"\/\/shop.example\/green","ParentIds":["2"]}"#,
        "]}",
    ];
    upload_complete(&world, &shop, "category-61a8f0c3d2e4b", &pieces).await;
    let brand =
        r#"{"_index":1,"Id":"9","DisplayName":"M\u00fcller","Image":"","Link":"\/\/shop.example\/m"}"#;
    upload_complete(&world, &shop, "brand-61a8f0c3d2e4c", &[r#"{"Version": 2, "Brands":["#, brand, "]}"])
        .await;
    let user = r#"{"_index":1,"UserId":"7","Email":"a@shop.example","FirstName":"A","LastName":"B","Salutation":null,"DOB":null,"Gender":null,"City":"K\u00f6ln","State":"","Country":"DE"}"#;
    upload_complete(&world, &shop, "user-61a8f0c3d2e4d", &[r#"{"Version": 2, "Users":["#, user, "]}"]).await;
    assert_same_lines(
        &list_shown(&world, &shop).await,
        r#"
        Categories {"Id":"2","DisplayName":"Tea","Link":"//shop.example/tea"}
        Categories {"Id":"3","DisplayName":"Green","Image":"//shop.example/g.jpg","Link":"//shop.example/green","ParentIds":["2"]}
        Brands {"Id":"9","DisplayName":"Müller","Link":"//shop.example/m"}
        "#,
    );
    assert_same_lines(
        &list_people(&world).await,
        r#"{"UserId":"7","Email":"a@shop.example","FirstName":"A","LastName":"B","City":"Köln","Country":"DE"}"#,
    );
}

async fn the_next_night_products_categories_and_brands_are_replaced_and_users_added(world: World) {
    let shop = world.shop("sdk").await;
    let night = |number: usize| {
        let row = |name: &str, id: usize| format!(r#"{{"_index":1,"{name}":"{id}"}}"#);
        [
            ("product", "Products", "Id"),
            ("category", "Categories", "Id"),
            ("brand", "Brands", "Id"),
            ("user", "Users", "UserId"),
        ]
        .map(|(kind, section, id)| {
            let opening = format!("{{\"Version\": 2, \"{section}\":[");
            (format!("{kind}-{number}"), opening, row(id, number), format!(",{}", row(id, number + 1)))
        })
    };
    for number in [1, 2] {
        for (name, opening, first, second) in night(number) {
            upload_complete(&world, &shop, &name, &[&opening, &first, &second, "]}"]).await;
        }
    }
    assert_same_lines(
        &list_shown(&world, &shop).await,
        r#"
        Products {"Id":"2"}
        Products {"Id":"3"}
        Categories {"Id":"2"}
        Categories {"Id":"3"}
        Brands {"Id":"2"}
        Brands {"Id":"3"}
        "#,
    );
    assert_same_lines(
        &list_people(&world).await,
        "{\"UserId\":\"1\"}\n{\"UserId\":\"2\"}\n{\"UserId\":\"3\"}",
    );
}

async fn a_feed_whose_rows_were_all_skipped_is_closed_at_once(world: World) {
    let shop = world.shop("sdk").await;
    upload_complete(&world, &shop, "product-1", &[r#"{"Version": 2, "Products":["#, r#"{"Id":"1"}"#, "]}"])
        .await;
    let refused = upload(&world, &shop, "product-2", &[r#"{"Version": 2, "Products":["#, "]}"]).await;
    let sentence = "the feed has no usable product among 0 rows; the catalogue was left alone";
    assert_eq!(refused, json!(["Error", sentence]));
    for section in ["Categories", "Brands", "Users"] {
        let opening = format!("{{\"Version\": 2, \"{section}\":[");
        let kind = match section {
            "Categories" => "category-3",
            "Brands" => "brand-3",
            _ => "user-3",
        };
        upload_complete(&world, &shop, kind, &[&opening, "]}"]).await;
    }
    assert_same_lines(&list_shown(&world, &shop).await, r#"Products {"Id":"1"}"#);
}

async fn orders_have_the_misspelt_header_and_no_last_piece(world: World) {
    let shop = world.shop("sdk").await;
    let user = r#"{"_index":1,"UserId":"7","Email":"a@shop.example"}"#;
    upload_complete(&world, &shop, "user-1", &[r#"{"Version": 2, "Users":["#, user, "]}"]).await;
    let pieces = [
        "OrderId,UserId,Email,DateTimeStamp,ProdCode,Quantity,UnityPrice,LinePrice",
        "\n1001,7,a@shop.example,2026-01-02 10:00:00,1,1.0000,12.5000,12.5000\
         \n1001,7,a@shop.example,2026-01-02 10:00:00,T-2,2.0000,3.0000,6.0000",
        "\n1002,,b@shop.example,2026-01-03 11:30:00,1,0.5000,12.5000,6.2500",
        "",
    ];
    upload_complete(&world, &shop, "orders-61a8f0c3d2e4e", &pieces).await;
    assert_same_lines(
        &list_people(&world).await,
        r#"
        somebody
        1002 2026-01-03T11:30:00Z: 0.5 x 1 at 12.5
        {"UserId":"7","Email":"a@shop.example"}
        1001 2026-01-02T10:00:00Z: 1 x 1 at 12.5, 2 x T-2 at 3
        "#,
    );
}

async fn deltas_send_both_keys_and_the_secret_as_secret(world: World) {
    let shop = world.shop("sdk").await;
    let products = r#"{"AppKey":"KEY","Secret":"SECRET","Products":[{"Id":"1","Title":"One"},{"Id":2,"Title":"Two"}],"DeleteProducts":[],"Format":"pureclarity_json"}"#;
    apply_delta(&world, &shop, "/api/productdelta", products).await;
    let deleted = r#"{"AppKey":"KEY","Secret":"SECRET","Products":[],"DeleteProducts":["1"],"Format":"pureclarity_json"}"#;
    apply_delta(&world, &shop, "/api/productdelta", deleted).await;
    // After an exception everything is sent again.
    apply_delta(&world, &shop, "/api/productdelta", deleted).await;
    assert_same_lines(&list_shown(&world, &shop).await, r#"Products {"Id":"2","Title":"Two"}"#);
    let users = r#"{"AppKey":"KEY","Secret":"SECRET","Users":[{"UserId":7,"Email":"a@shop.example"}],"DeleteUsers":[],"Format":"pureclarity_json"}"#;
    apply_delta(&world, &shop, "/api/productdelta", users).await;
    assert_same_lines(&list_people(&world).await, r#"{"UserId":"7","Email":"a@shop.example"}"#);
    let removed =
        r#"{"AppKey":"KEY","Secret":"SECRET","Users":[],"DeleteUsers":["7"],"Format":"pureclarity_json"}"#;
    apply_delta(&world, &shop, "/api/productdelta", removed).await;
    assert_same_lines(&list_people(&world).await, "");
    // The profile comes back: a removal is no erasure.
    apply_delta(&world, &shop, "/api/productdelta", users).await;
    assert_same_lines(&list_people(&world).await, r#"{"UserId":"7","Email":"a@shop.example"}"#);
}

async fn a_delta_that_could_not_be_encoded_is_an_empty_body(world: World) {
    let shop = world.shop("sdk").await;
    post(&world, &shop, "/api/productdelta", "").await.expect_refusal(400);
}
