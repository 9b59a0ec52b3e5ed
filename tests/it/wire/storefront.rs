//! The script of a shop's pages, and a style for it, as they are served. Its work in a browser is tested by `scripts/pages-test`.

use crate::support::events::open_shop;
use crate::support::world::{World, on_both_engines};

on_both_engines! {
    a_page_of_the_shop_loads_a_small_script_that_it_may_keep
    a_page_without_a_style_of_its_own_loads_one
}

async fn a_page_of_the_shop_loads_a_small_script_that_it_may_keep(world: World) {
    let shop = open_shop(&world, 1).await;
    let path = format!("/{}/cs.js", shop.key);
    let script = world.get(&path).await;
    assert_eq!((script.status, script.header("content-type")), (200, "text/javascript; charset=utf-8"));
    assert!(script.text.starts_with("(() => {") && script.text.ends_with("})();\n"));
    assert!(!script.text.contains(&shop.key), "it is the same for all shops");
    let version = script.header("etag").to_owned();
    let packed = world.send(world.request("GET", &path).header("accept-encoding", "br, gzip")).await;
    assert_eq!(packed.header("content-encoding"), "gzip");
    let again = world.send(world.request("GET", &path).header("if-none-match", format!("W/{version}"))).await;
    assert_eq!((again.status, again.text.as_str()), (304, ""));
    assert_eq!(script.header("cache-control"), "public, max-age=300");
    assert_eq!(world.get("/NOBODY/cs.js").await.status, 404);
}

async fn a_page_without_a_style_of_its_own_loads_one(world: World) {
    let shop = open_shop(&world, 1).await;
    let style = world.get(&format!("/{}/cs.css", shop.key)).await;
    assert_eq!((style.status, style.header("content-type")), (200, "text/css; charset=utf-8"));
    assert_eq!(style.header("cross-origin-resource-policy"), "cross-origin");
    assert!(style.text.contains(".pc-zone") && style.text.contains(".pc-options"), "{}", style.text);
    assert_eq!(world.get("/NOBODY/cs.css").await.status, 404);
}
