//! The WooCommerce plugin before September 2020 (2.3.2): it compares whole bodies with `OK`, writes seven columns into
//! a feed called `order`, and posts deltas as forms.

use super::{assert_same_lines, list_people, list_shown, upload_complete};
use crate::support::world::{World, on_both_engines};

on_both_engines! {
    one_page_of_products_between_blanks_in_the_opening
    orders_have_seven_columns_and_guests_the_user_0
    deltas_as_forms_are_refused
}

async fn one_page_of_products_between_blanks_in_the_opening(world: World) {
    let shop = world.shop("woo-2").await;
    let pieces = [
        r#"{ "Version": 2, "Products": ["#,
        r#"{"_index":0,"Id":"31","Sku":"cap","Title":"Cap &amp; hat","Description":"A cap. [gallery ids=\"1,2\"]","Categories":["16"],"InStock":true,"Link":"\/\/shop.example\/product\/cap","Image":"\/\/shop.example\/cap.jpg","ImageOverlay":"","AllImages":["\/\/shop.example\/cap.jpg"],"ProductType":"simple","Prices":["9.5 EUR"]}"#,
        "]}",
    ];
    upload_complete(&world, &shop, "product-5e5f1a2b3c4d5", &pieces).await;
    assert_same_lines(
        &list_shown(&world, &shop).await,
        r#"Products {"Id":"31","Sku":"cap","Title":"Cap &amp; hat","Description":"A cap. [gallery ids=\"1,2\"]","Link":"//shop.example/product/cap","Image":"//shop.example/cap.jpg","AllImages":["//shop.example/cap.jpg"],"Categories":["16"],"ProductType":"simple","InStock":true,"Prices":["9.50 EUR"]}"#,
    );
}

async fn orders_have_seven_columns_and_guests_the_user_0(world: World) {
    let shop = world.shop("woo-2").await;
    let pieces = [
        "OrderId,UserId,Email,DateTimeStamp,ProdCode,Quantity,UnityPrice\n",
        "501,0,b@shop.example,2026-04-01T10:00:00+02:00,31,1,9.5\n\
         502,4,a@shop.example,2026-04-02T10:00:00+02:00,31,2,9.5\n\
         503,0,a@shop.example,2026-04-03T10:00:00+02:00,32,1,3\n",
        "",
    ];
    upload_complete(&world, &shop, "order-5e5f1a2b3c4d5", &pieces).await;
    assert_same_lines(
        &list_people(&world).await,
        "
        somebody
        501 2026-04-01T08:00:00Z: 1 x 31 at 9.5
        somebody
        502 2026-04-02T08:00:00Z: 2 x 31 at 9.5
        somebody
        503 2026-04-03T08:00:00Z: 1 x 32 at 3
        ",
    );
}

async fn deltas_as_forms_are_refused(world: World) {
    let shop = world.shop("woo-2").await;
    let body = format!(
        "AppKey={}&Secret={}&Products%5B0%5D%5BId%5D=31&Products%5B0%5D%5BTitle%5D=Cap&Format=pureclarity_json",
        shop.key, shop.secret
    );
    for path in ["/api/delta", "/api/productdelta"] {
        let request = world.request("POST", path).header("accept", "*/*");
        let request = request.header("content-type", "application/x-www-form-urlencoded").body(body.clone());
        let sentence = world.send(request).await.expect_refusal(415);
        assert!(sentence.contains("application/json") && !sentence.contains(&shop.secret), "{sentence}");
    }
    world.run_all_jobs().await;
    assert_same_lines(&list_shown(&world, &shop).await, "");
}
