//! The page on which people try the search of a shop.

use serde_json::json;

use crate::support::world::{World, on_both_engines};

on_both_engines! {
    the_page_is_there_when_the_operator_opens_it
    the_page_speaks_the_language_of_the_shop
    the_page_loads_nothing_from_elsewhere_but_pictures_of_named_hosts
}

async fn the_page_is_there_when_the_operator_opens_it(mut world: World) {
    let shop = world.shop("one").await;
    let page = format!("/try/{}", shop.key);
    for path in [page.as_str(), "/try/page.js", "/try/%ff%fe"] {
        assert_eq!(world.get(path).await.status, 404, "{path}");
    }
    world.config.try_page = true;
    world.restart().await;
    let shown = world.get(&page).await;
    assert_eq!(shown.status, 200);
    assert!(shown.text.contains("<title>one: try the search</title>"), "{}", shown.text);
    assert!(!shown.text.contains("{{"), "every marker is filled");
    // Every file that it or its scripts name is there.
    let is_file = |text: &String| [".js", ".css", ".svg"].iter().any(|ending| text.ends_with(ending));
    let mut named: Vec<String> =
        list_quoted(&shown.text).filter(is_file).map(|name| format!("/try/{name}")).collect();
    let mut seen = 0;
    while let Some(path) = named.get(seen).cloned() {
        let file = world.get(&path).await;
        assert_eq!(file.status, 200, "{path}");
        let imported =
            list_quoted(&file.text).filter_map(|text| Some(format!("/try/{}", text.strip_prefix("./")?)));
        for path in imported.collect::<Vec<_>>() {
            if !named.contains(&path) {
                named.push(path);
            }
        }
        seen += 1;
    }
    assert_eq!(named.len(), 19 + 1, "the icon is named twice, and all files are needed: {named:?}");
    for nobody in ["/try/nobody", "/try/%ff%fe", "/try/..%2fapi"] {
        assert_eq!(
            world.get(nobody).await.expect_refusal(404),
            "There is no shop with this access key",
            "{nobody}"
        );
    }
    let about = json!({"Name": "one", "DisplayName": "Tea & \"more\" <b>"});
    world.control("/control/account/set", about).await;
    let shown = world.get(&page).await.text;
    assert!(shown.contains("data-shop=\"Tea &amp; &quot;more&quot; &lt;b&gt;\""), "{shown}");
    assert!(shown.contains("data-group=\"\""), "{shown}");
    world.control("/control/account/search", json!({"Name": "one", "GroupBy": "Size \"EU\""})).await;
    let shown = world.get(&page).await.text;
    assert!(shown.contains("data-group=\"Size &quot;EU&quot;\""), "{shown}");
}

async fn the_page_speaks_the_language_of_the_shop(mut world: World) {
    world.config.try_page = true;
    world.restart().await;
    let shop = world.shop("one").await;
    let page = format!("/try/{}", shop.key);
    for (shop_language, language, question) in [
        ("en", "en", "What are you looking for?"),
        ("de", "de", "Was suchen Sie?"),
        ("fr", "fr", "Que cherchez-vous\u{a0}?"),
        ("it", "en", "What are you looking for?"),
    ] {
        world.control("/control/account/search", json!({"Name": "one", "Language": shop_language})).await;
        let shown = world.get(&page).await.text;
        assert!(shown.contains(&format!("<html lang=\"{language}\">")), "{shown}");
        assert!(
            shown.contains(&format!("<label class=\"unseen\" for=\"box\">{question}</label>")),
            "{shown}"
        );
        // Its scripts have the same texts.
        assert!(shown.contains(&format!("&quot;question&quot;:&quot;{question}&quot;")), "{shown}");
    }
}

fn list_quoted(text: &str) -> impl Iterator<Item = String> {
    text.split('"').skip(1).step_by(2).map(str::to_owned)
}

async fn the_page_loads_nothing_from_elsewhere_but_pictures_of_named_hosts(mut world: World) {
    world.config.try_page = true;
    world.restart().await;
    let shop = world.shop("one").await;
    let page = format!("/try/{}", shop.key);
    let policy = async |world: &World| {
        let shown = world.get(&page).await;
        (shown.header("content-security-policy").to_owned(), shown.text)
    };
    let (before, _) = policy(&world).await;
    assert_eq!(
        before,
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' ; \
         base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    );
    let set = json!({"Name": "one", "Pictures": ["https://CDN.shop.example:443/", "http://img.example"]});
    let told = world.control("/control/account/search", set).await;
    assert_eq!(told["Pictures"], json!(["http://img.example", "https://cdn.shop.example"]));
    let (after, text) = policy(&world).await;
    assert!(after.contains("img-src 'self' http://img.example https://cdn.shop.example;"), "{after}");
    assert!(text.contains("data-pictures=\"http://img.example https://cdn.shop.example\""), "{text}");
    for wrong in [
        json!(["*"]),
        json!(["cdn"]),
        json!(["https://a.example/path"]),
        json!(["https://a;script-src"]),
        json!(["https://*"]),
    ] {
        let set = json!({"Name": "one", "Pictures": wrong}).to_string();
        let (status, told) =
            world.control_answer("/control/account/search", serde_json::from_str(&set).expect("json")).await;
        assert_eq!(status, 400, "{told}");
    }
    world.restart().await;
    assert_eq!(policy(&world).await.0, after, "it is kept");
}
