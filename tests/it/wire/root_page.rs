//! The pages at the root of a server.

use serde_json::Value;

use crate::support::world::{World, on_both_engines};

on_both_engines! {
    the_root_says_what_this_is_and_where_to_go
}

async fn the_root_says_what_this_is_and_where_to_go(world: World) {
    let text = world.get("/").await;
    assert_eq!(text.status, 200);
    assert_eq!(text.headers["content-type"], "text/plain; charset=utf-8");
    assert!(text.text.starts_with("Lethe: search and recommendations for online shops"), "{}", text.text);
    let asking = |accept: &str| world.request("GET", "/").header("accept", accept.to_owned());
    let page = world.send(asking("text/html,application/xhtml+xml,*/*;q=0.8")).await;
    assert_eq!(page.status, 200);
    assert_eq!(page.headers["content-type"], "text/html; charset=utf-8");
    assert_eq!(page.headers["vary"], "accept");
    let policy = page.header("content-security-policy");
    assert!(policy.starts_with("default-src 'none'; style-src 'self'"), "{policy}");
    assert!(page.text.contains("<link rel=\"stylesheet\" href=\"/docs/style.css\">"), "{}", page.text);
    for accept in ["*/*", "application/json", "text/plain, text/html;q=0"] {
        assert_eq!(world.send(asking(accept)).await.text, text.text, "{accept}");
    }

    // Every address that it names is one of this server, and described.
    let document: Value = world.get("/openapi.json").await.json();
    let named: Vec<_> =
        text.text.lines().filter_map(|line| line.strip_prefix("  /")?.split(' ').next()).collect();
    assert!(named.len() > 3, "{}", text.text);
    for name in named {
        assert!(page.text.contains(&format!("<a href=\"/{name}\">")), "{}", page.text);
        assert_ne!(world.get(&format!("/{name}")).await.status, 404, "{name}");
        assert!(
            ["openapi.json", "docs", "docs/errors", "docs/issues"].contains(&name)
                || document["paths"][format!("/{name}")].is_object(),
            "{name}"
        );
    }

    // Nothing of this server: no version, no account, no folder.
    world.shop("canary-shop").await;
    assert_eq!(world.get("/").await.text, text.text);
    for word in [env!("CARGO_PKG_VERSION"), "canary", "sqlite", "postgres", "127.0.0.1"] {
        assert!(!text.text.contains(word) && !page.text.contains(word), "{word}");
    }
}
