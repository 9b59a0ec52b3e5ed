//! Feeds of other systems over HTTP: the same catalogue in each of their formats gives the same products, variants,
//! prices, stock and answers.

use serde_json::{Value, json};

use crate::support::feed_server::Answer;
use crate::support::world::{Shop, World, on_both_engines};

on_both_engines! {
    each_format_gives_the_same_answers
    a_feed_that_is_cut_off_or_no_feed_touches_nothing
    issues_name_the_line_and_the_column
    a_named_format_and_a_mapping_decide
}

/// A shirt in two colours and a cap, as each system writes them: name, text.
const CATALOGUE: [(&str, &str); 9] = [
    (
        "lethe",
        r#"{"Products": [
        {"Id": "shirt", "Title": "Linen shirt", "Description": "Cool.", "Brand": "lin", "Categories": ["men > shirts"],
         "Image": "https://cdn.test/s.jpg", "Prices": ["20.00 GBP", "25.00 GBP"], "Variants": [
            {"Id": "shirt-red", "Sku": "shirt-red", "Options": {"Color": "Red"}, "Prices": ["20.00 GBP"], "StockQty": 3, "InStock": true},
            {"Id": "shirt-blue", "Sku": "shirt-blue", "Options": {"Color": "Blue"}, "Prices": ["25.00 GBP"], "StockQty": 0, "InStock": false}]},
        {"Id": "cap", "Sku": "cap", "Title": "Cap", "Description": "Warm.", "Brand": "lin", "Categories": ["men > caps"],
         "Image": "https://cdn.test/c.jpg", "Prices": ["9.50 GBP"], "StockQty": 5, "InStock": true}],
        "Categories": [{"Id": "men", "DisplayName": "Men"}, {"Id": "men > shirts", "DisplayName": "Shirts", "ParentIds": ["men"]},
                       {"Id": "men > caps", "DisplayName": "Caps", "ParentIds": ["men"]}],
        "Brands": [{"Id": "lin", "DisplayName": "Lin"}]}"#,
    ),
    (
        "google",
        r#"<?xml version="1.0"?><rss version="2.0" xmlns:g="http://base.google.com/ns/1.0"><channel><title>Shop</title>
<item><g:id>shirt-red</g:id><g:item_group_id>shirt</g:item_group_id><title>Linen shirt</title><description>&lt;p&gt;Cool.&lt;/p&gt;</description>
  <g:color>Red</g:color><g:price>20.00 GBP</g:price><g:availability>in_stock</g:availability><g:quantity>3</g:quantity><g:brand>Lin</g:brand>
  <g:product_type>Men &gt; Shirts</g:product_type><g:image_link>https://cdn.test/s.jpg</g:image_link></item>
<item><g:id>cap</g:id><title>Cap</title><description>Warm.</description><g:price>9.50 GBP</g:price><g:availability>in stock</g:availability>
  <g:quantity>5</g:quantity><g:brand>Lin</g:brand><g:product_type>Men &gt; Caps</g:product_type><g:image_link>https://cdn.test/c.jpg</g:image_link></item>
<item><g:id>shirt-blue</g:id><g:item_group_id>shirt</g:item_group_id><title>Linen shirt</title><description>Cool.</description>
  <g:color>Blue</g:color><g:price>25.00 GBP</g:price><g:availability>out of stock</g:availability><g:quantity>0</g:quantity><g:brand>Lin</g:brand>
  <g:product_type>Men &gt; Shirts</g:product_type><g:image_link>https://cdn.test/s.jpg</g:image_link></item>
</channel></rss>"#,
    ),
    (
        "google",
        "id\titem group id\ttitle\tdescription\tcolor\tprice\tavailability\tquantity\tbrand\tproduct type\timage link\tlink\n\
        shirt-red\tshirt\tLinen shirt\tCool.\tRed\tGBP 20.00\tin stock\t3\tLin\tMen > Shirts\thttps://cdn.test/s.jpg\t\n\
        shirt-blue\tshirt\tLinen shirt\tCool.\tBlue\t25.00 GBP\tout_of_stock\t0\tLin\tMen > Shirts\thttps://cdn.test/s.jpg\t\n\
        cap\t\tCap\tWarm.\t\t9.50 GBP\tin_stock\t5\tLin\tMen > Caps\thttps://cdn.test/c.jpg\t\n",
    ),
    (
        "shopify",
        "Handle,Title,Body (HTML),Vendor,Product Category,Option1 Name,Option1 Value,Variant SKU,Variant Inventory Tracker,\
        Variant Inventory Qty,Variant Inventory Policy,Variant Price,Image Src\n\
        shirt,Linen shirt,<p>Cool.</p>,Lin,Men > Shirts,Color,Red,shirt-red,shopify,3,deny,20.00,https://cdn.test/s.jpg\n\
        shirt,,,,,,Blue,shirt-blue,shopify,0,deny,25.00,\n\
        cap,Cap,Warm.,Lin,Men > Caps,Title,Default Title,cap,shopify,5,deny,9.50,https://cdn.test/c.jpg\n",
    ),
    (
        "shopify",
        r#"{"products": [
        {"id": "shirt", "handle": "shirt", "title": "Linen shirt", "body_html": "<p>Cool.</p>", "vendor": "Lin", "category": {"full_name": "Men > Shirts"},
         "options": [{"name": "Color", "position": 1}], "images": [{"src": "https://cdn.test/s.jpg"}], "variants": [
            {"id": "shirt-red", "sku": "shirt-red", "option1": "Red", "price": "20.00", "inventory_quantity": 3, "inventory_management": "shopify", "inventory_policy": "deny"},
            {"id": "shirt-blue", "sku": "shirt-blue", "option1": "Blue", "price": "25.00", "inventory_quantity": 0, "inventory_management": "shopify", "inventory_policy": "deny"}]},
        {"id": "cap", "handle": "cap", "title": "Cap", "body_html": "Warm.", "vendor": "Lin", "category": {"full_name": "Men > Caps"},
         "options": [{"name": "Title", "position": 1}], "images": [{"src": "https://cdn.test/c.jpg"}], "variants": [
            {"id": "c", "sku": "cap", "title": "Default Title", "option1": "Default Title", "price": "9.50", "inventory_quantity": 5, "inventory_management": "shopify", "inventory_policy": "deny"}]}]}"#,
    ),
    (
        "woocommerce",
        "ID,Type,SKU,Name,Published,Description,In stock?,Stock,Regular price,Categories,Images,Parent,Brands,\
        Attribute 1 name,Attribute 1 value(s)\n\
        shirt-red,variation,shirt-red,Linen shirt,1,,1,3,20.00,,,shirt,,Color,Red\n\
        shirt,variable,shirt,Linen shirt,1,<p>Cool.</p>,,,,Men > Shirts,https://cdn.test/s.jpg,,Lin,Color,\"Red, Blue\"\n\
        shirt-blue,variation,shirt-blue,Linen shirt,1,,0,0,25.00,,,id:shirt,,Color,Blue\n\
        cap,simple,cap,Cap,1,Warm.,1,5,9.50,Men > Caps,https://cdn.test/c.jpg,,Lin,,\n",
    ),
    (
        "magento",
        "sku,product_type,attribute_set_code,name,description,price,qty,is_in_stock,visibility,categories,base_image,\
        manufacturer,configurable_variations\n\
        shirt-red,simple,Default,Linen shirt,,20.00,3,1,Not Visible Individually,,,,\n\
        shirt-blue,simple,Default,Linen shirt,,25.00,0,0,Not Visible Individually,,,,\n\
        shirt,configurable,Default,Linen shirt,<p>Cool.</p>,,,1,\"Catalog, Search\",Default Category/Men/Shirts,https://cdn.test/s.jpg,Lin,\
        \"sku=shirt-red,Color=Red|sku=shirt-blue,Color=Blue\"\n\
        cap,simple,Default,Cap,Warm.,9.50,5,1,\"Catalog, Search\",Default Category/Men/Caps,https://cdn.test/c.jpg,Lin,\n",
    ),
    (
        "csv",
        "Artikelnummer;Id;Gruppe;Name;Beschreibung;Preis;Lagerbestand;Marke;Kategorie;Bild;Color\n\
        shirt-red;shirt-red;shirt;Linen shirt;Cool.;20.00 GBP;3;Lin;Men > Shirts;https://cdn.test/s.jpg;Red\n\
        cap;cap;;Cap;Warm.;9.50 GBP;5;Lin;Men > Caps;https://cdn.test/c.jpg;\n\
        shirt-blue;shirt-blue;shirt;Linen shirt;Cool.;25.00 GBP;0;Lin;Men > Shirts;https://cdn.test/s.jpg;Blue\n",
    ),
    (
        "json",
        r#"[{"id": "shirt-red", "sku": "shirt-red", "parent": "shirt", "title": "Linen shirt", "description": "Cool.", "price": "20.00 GBP", "stock": 3,
         "brand": "Lin", "category": "Men > Shirts", "image": "https://cdn.test/s.jpg", "Color": "Red"},
        {"id": "shirt-blue", "sku": "shirt-blue", "parent": "shirt", "title": "Linen shirt", "description": "Cool.", "price": "25.00 GBP", "stock": 0,
         "brand": "Lin", "category": "Men > Shirts", "image": "https://cdn.test/s.jpg", "Color": "Blue"},
        {"id": "cap", "sku": "cap", "title": "Cap", "description": "Warm.", "price": "9.50 GBP", "stock": 5,
         "brand": "Lin", "category": "Men > Caps", "image": "https://cdn.test/c.jpg"}]"#,
    ),
];

/// The mapping of the tables and the JSON whose columns are the shop's own.
const MAPPING: &str = r#"{"Columns": {
    "Artikelnummer": "Sku", "Id": "Id", "Gruppe": "Group", "Name": "Title", "Beschreibung": "Description", "Preis": "Price",
    "Lagerbestand": "Quantity", "Marke": "Brand", "Kategorie": "CategoryPath", "Bild": "Image", "Color": "Option"}}"#;

/// Fetches a feed of one text, to its end; returns its token.
async fn fetch(world: &World, shop: &Shop, path: &str, text: &str) -> String {
    let url = world.feeds.serve(path, [Answer::ok(text.to_owned())]);
    let token = world.feed(shop, &url).await;
    world.run_all_jobs().await;
    token
}

async fn search(world: &World, shop: &Shop, mut asked: Value) -> Value {
    asked["AppKey"] = shop.key.clone().into();
    let reply = world.post("/api/search", &asked).await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    reply.json()
}

/// Members of a hit that are the same whatever system sent its product.
fn outline(item: &Value) -> Value {
    let pick = |from: &Value, names: &[&str]| -> Value {
        names
            .iter()
            .map(|name| ((*name).to_owned(), from[*name].clone()))
            .collect::<serde_json::Map<_, _>>()
            .into()
    };
    let variant = pick(&item["Variant"], &["Id", "Options", "Price", "InStock"]);
    json!([pick(item, &["Title", "Price", "Image", "InStock", "Options"]), variant])
}

/// Answers to a search, a facet and filters.
async fn answers(world: &World, shop: &Shop) -> Value {
    let mut all = Vec::new();
    for asked in [
        json!({"Query": "shirt", "Facets": ["Attributes.Color", "Category", "Brand", "Price"]}),
        json!({"Query": "", "Sort": "price", "Facets": ["Category"]}),
        json!({"Filters": {"Attributes": {"Color": ["Blue"]}}}),
        json!({"Filters": {"Category": ["men > shirts"]}}),
        json!({"Filters": {"InStock": true}, "Query": "cool"}),
    ] {
        let found = search(world, shop, asked).await;
        let items: Vec<Value> = found["Items"].as_array().expect("items").iter().map(outline).collect();
        all.push(json!([found["Total"], items, found["Facets"]]));
    }
    all.into()
}

async fn each_format_gives_the_same_answers(world: World) {
    let mut expected = None;
    for (number, (format, text)) in CATALOGUE.into_iter().enumerate() {
        let shop = world.shop(&format!("shop-{number}")).await;
        if format == "csv" {
            world.control("/control/account/feed", json!({"Name": shop.name, "Mapping": MAPPING})).await;
        }
        let token = fetch(&world, &shop, &format!("/{number}"), text).await;
        assert_eq!(world.feed_status(&shop, &token).await, json!(["Complete", null]), "{number} {format}");
        let listed = world.ask(&shop, "/api/submissions", json!({})).await.json();
        assert_eq!(listed[0]["Format"], json!(format), "{number}");
        let answers = answers(&world, &shop).await;
        let expected = expected.get_or_insert_with(|| answers.clone());
        assert_eq!(answers, *expected, "{number} {format}");
    }
    let expected = expected.expect("answers");
    assert_eq!(expected[2][0], 1, "one blue shirt: {expected}");
    assert_eq!(expected[3][0], 1, "one product is a shirt: {expected}");
}

async fn a_feed_that_is_cut_off_or_no_feed_touches_nothing(world: World) {
    let shop = world.shop("one").await;
    fetch(&world, &shop, "/whole", CATALOGUE[1].1).await;
    let whole = search(&world, &shop, json!({"Query": ""})).await["Total"].clone();
    assert_eq!(whole, 2);
    let cut = CATALOGUE[1].1.trim_end().strip_suffix("</channel></rss>").expect("the end");
    let quoted = "id,title,link,price\n1,\"Chair,https://shop.test/1,2 GBP\n";
    for (path, text, part) in [
        ("/cut", cut, "Google Merchant Center: the feed ends in its middle"),
        ("/quote", quoted, "Google Merchant Center: the feed ends in its middle"),
        ("/html", "<!DOCTYPE html><html><body><form><input type=password></form></body></html>", "sign in"),
        ("/pdf", "%PDF-1.7 and so on", "PDF"),
        (
            "/bomb",
            "<?xml version='1.0'?><!DOCTYPE a [<!ENTITY a 'b'>]><rss><channel/></rss>",
            "Google Merchant Center",
        ),
        ("/mixed", "<rss><channel><item><id>1</item></channel></rss>", "Google Merchant Center"),
    ] {
        let token = fetch(&world, &shop, path, text).await;
        let status = world.feed_status(&shop, &token).await;
        let reason = status[1].as_str().unwrap_or_default();
        assert!(status[0] == "Error" && reason.contains(part), "{path}: {status}");
        assert_eq!(search(&world, &shop, json!({"Query": ""})).await["Total"], whole, "{path}");
    }
}

async fn issues_name_the_line_and_the_column(world: World) {
    let shop = world.shop("one").await;
    let text = "id,title,link,price,availability\n\
                1,Oak chair,https://shop.test/1,2.00 GBP,in stock\n\
                2,\"Oak\ntable\",https://shop.test/2,on request,perhaps\n\
                3,Lamp,https://shop.test/3,1.00 GBP,in stock,more\n";
    let token = fetch(&world, &shop, "/f", text).await;
    let listed = world.ask(&shop, "/api/issues", json!({"Token": token})).await.json();
    let told = |code: &str| -> Value {
        let issues = listed["Issues"].as_array().into_iter().flatten();
        issues
            .filter(|issue| issue["Code"] == code)
            .map(|issue| json!([issue["Row"], issue["Line"], issue["Field"]]))
            .collect()
    };
    assert_eq!(told("price_unreadable"), json!([[2, 3, "price"]]), "{listed}");
    assert_eq!(told("availability_unknown"), json!([[2, 3, "availability"]]));
    assert_eq!(told("price_missing"), json!([[2, 3, "Prices"]]));
    assert_eq!(told("row_fields"), json!([[3, 5, null]]));
}

async fn a_named_format_and_a_mapping_decide(world: World) {
    let shop = world.shop("one").await;
    let url = world
        .feeds
        .serve("/f", [Answer::ok("id,title,link,price\n1,Chair,https://shop.test/1,2.00 GBP\n".to_owned())]);
    for (format, status, part) in [("magento", 200, ""), ("tabular", 400, "Format is none of lethe, google")]
    {
        let reply = world.ask(&shop, "/api/productfeed", json!({"url": url, "Format": format})).await;
        assert!(reply.status == status && reply.text.contains(part), "{}", reply.text);
    }
    world.run_all_jobs().await;
    let listed = world.ask(&shop, "/api/submissions", json!({})).await.json();
    assert_eq!(listed[0]["Format"], "magento", "though it looks like a feed of Google");
    let mapping = r#"{"Columns": {"Nr": "Id", "Was": "Title", "Kostet": "Price"}, "Others": "LeftOut"}"#;
    let set = world
        .control("/control/account/feed", json!({"Name": shop.name, "Format": "csv", "Mapping": mapping}))
        .await;
    assert_eq!(set["Format"], "csv");
    assert_eq!(set["Mapping"]["Columns"]["Was"], "Title");
    fetch(&world, &shop, "/own", "Nr;Was;Kostet;Intern\n7;Stuhl;12.50 GBP;x\n").await;
    let item = world.item(&shop, "Products", "7").await;
    assert_eq!(
        (&item["Title"], &item["Prices"], &item["Intern"]),
        (&json!("Stuhl"), &json!(["12.50 GBP"]), &Value::Null)
    );
    let kept = world.control("/control/account/feed", json!({"Name": shop.name, "Mapping": ""})).await;
    assert_eq!((&kept["Format"], &kept["Mapping"]), (&json!("csv"), &Value::Null));
    let (status, text) =
        world.control_answer("/control/account/feed", json!({"Name": shop.name, "Mapping": "{}"})).await;
    assert!(status == 400 && text.contains("Mapping"), "{text}");
}
