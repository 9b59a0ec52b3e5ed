//! The OpenAPI document against the server: every operation is described whole, and every answer that any test of this
//! suite gets over HTTP is one that the document describes.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::support::openapi::{DOCUMENT, escape_segment, find_fault, find_undescribed, list_operations};
use crate::support::world::{World, on_both_engines};

on_both_engines! {
    the_page_needs_nothing_but_itself
    the_page_shows_no_markdown_and_says_common_errors_once
    an_answer_that_is_not_described_is_noticed
}

async fn an_answer_that_is_not_described_is_noticed(world: World) {
    let shop = world.shop("one").await;
    let mut reply = world.ask(&shop, "/api/delta", json!({"Products": []})).await;
    assert_eq!(find_undescribed("post", "/api/delta", &reply), None);
    reply.text = json!({"Token": 7}).to_string();
    assert!(find_undescribed("post", "/api/delta", &reply).is_some_and(|what| what.contains("string")));
    reply.text = json!({}).to_string();
    assert!(find_undescribed("post", "/api/delta", &reply).is_some_and(|what| what.contains("Token")));
    reply.status = 418;
    assert!(find_undescribed("post", "/api/delta", &reply).is_some_and(|what| what.contains("418")));
}

#[test]
fn every_operation_is_described_whole() {
    let mut ids = BTreeSet::new();
    for (method, path, operation) in list_operations() {
        let id = operation["operationId"].as_str().expect("an id");
        assert!(ids.insert(id), "{path}: {id} is another operation's id");
        assert!(operation["summary"].as_str().is_some_and(|says| says.len() > 10), "{path}: no summary");
        assert!(operation["tags"][0].is_string(), "{path}: no tag");
        if method == "post" {
            let bodies = operation["requestBody"]["content"].as_object().expect("a body");
            for (media_type, body) in bodies {
                assert!(body["schema"].is_object(), "{path}: {media_type} without a schema");
            }
        }
        let answers = operation["responses"].as_object().expect("answers");
        for (status, answer) in answers {
            let content = answer["content"].as_object();
            // Only the operator gets a body for readiness.
            let has_none = path == "/ready" && matches!(status.as_str(), "200" | "503");
            assert!(
                has_none || content.is_some_and(|content| !content.is_empty()),
                "{path} {status}: no body"
            );
            for (media_type, body) in content.into_iter().flatten() {
                assert!(body["schema"].is_object(), "{path} {status}: {media_type} without a schema");
            }
            if status.starts_with(['4', '5']) && !has_none {
                let schema = answer["content"]["application/json"]["schema"]["$ref"].as_str();
                let is_refusal = schema.is_some_and(|schema| schema.ends_with("ErrorBody"));
                assert!(is_refusal, "{path} {status}: {schema:?} is no refusal");
            }
        }
        let codes: &[&str] = match method {
            "post" => &["400", "403", "405", "408", "413", "415", "429", "500", "503"],
            _ => &["400", "405", "500"],
        };
        for code in codes {
            assert!(answers.contains_key(*code), "{path}: {code} is missing");
        }
    }
    assert!(ids.len() > 35, "{} operations", ids.len());
}

/// A broken reference would make every schema that uses it say nothing.
#[test]
fn every_reference_leads_to_a_schema_and_every_example_is_one() {
    fn references(value: &Value, found: &mut BTreeSet<String>) {
        match value {
            Value::Object(members) => {
                found.extend(members.get("$ref").and_then(Value::as_str).map(str::to_owned));
                members.values().for_each(|value| references(value, found));
            }
            Value::Array(items) => items.iter().for_each(|value| references(value, found)),
            _ => {}
        }
    }
    let mut found = BTreeSet::new();
    references(&DOCUMENT, &mut found);
    assert!(found.len() > 30, "{found:?}");
    for reference in found {
        let place = reference.strip_prefix('#').expect("a reference into the document");
        assert!(DOCUMENT.pointer(place).is_some_and(Value::is_object), "{reference}");
    }
    for (name, schema) in DOCUMENT["components"]["schemas"].as_object().expect("schemas") {
        let examples = schema["examples"].as_array().into_iter().flatten();
        for example in examples.filter(|example| !example.is_null()) {
            let place = format!("/components/schemas/{}", escape_segment(name));
            assert_eq!(find_fault(&place, example), None, "{name}: {example}");
        }
    }
}

/// The routes of the public listener that are no operations are these.
#[test]
fn what_is_not_in_the_document_is_the_document_itself() {
    let table = include_str!("../../../src/api/routes.rs");
    let routes = table.split(".route(\"").skip(1).filter_map(|rest| rest.split('"').next());
    // Preflight requests of browsers for the operations of pages.
    let routes: BTreeSet<_> = routes.collect();
    let searches = ["/api/autocomplete", "/api/recommend", "/api/search", "/api/similar"];
    let before = searches.into_iter().chain(["/api/serverside", "/api/track"]);
    let document = ["/docs", "/docs/style.css", "/openapi.json"];
    let explained = ["/docs/errors", "/docs/errors/{code}", "/docs/issues", "/docs/issues/{code}"];
    // A page for people.
    let page = ["/try/{name}", "/sample/{name}", "/{key}/cs.js", "/{key}/cs.css"];
    assert_eq!(routes, before.chain(document).chain(explained).chain(page).collect());
}

async fn the_page_shows_no_markdown_and_says_common_errors_once(world: World) {
    let page = world.get("/docs").await.text;
    let prose: String =
        page.split("<pre>").map(|part| part.split("</pre>").last().unwrap_or_default()).collect();
    assert!(!prose.contains('`') && !prose.contains("**"), "signs of Markdown are shown");
    assert!(prose.contains("<code>lethe-verify</code> checks it"), "{prose}");
    let fault = "A fault of the server, which was logged";
    assert!(list_operations().all(|(_, _, operation)| operation["responses"]["500"]["description"] == fault));
    // Once for each form of the body that refusals have.
    let told = page.matches(fault).count();
    assert!((1..=2).contains(&told), "{told}");
    let errors = page.split("<h2 id=\"errors\">").nth(1).expect("the errors").split("<h2>").next();
    let errors = errors.expect("their end");
    for code in ["400", "403", "405", "408", "413", "415", "429", "500", "503"] {
        assert!(errors.contains(&format!("<tr><td>{code}<td>")), "{code}: {errors}");
    }
    for (_, path, operation) in list_operations() {
        let id = operation["operationId"].as_str().expect("an id");
        let part = page.split(&format!("<details id=\"{id}\">")).nth(1).expect(id);
        let part = part.split("</details>").next().expect("its end");
        // Each code of the operation stands there, in its own row or with a way to the errors.
        for code in operation["responses"].as_object().expect("answers").keys() {
            let is_listed = part.contains(&format!("<tr><td>{code}<td>"))
                || part.split("<p>And ").nth(1).is_some_and(|rest| rest.contains(code.as_str()));
            assert!(is_listed, "{path} {code}: {part}");
        }
        assert!(part.contains("href=\"#errors\""), "{path}: {part}");
    }
    // What is not closed would hold all that comes after it.
    for name in ["details", "summary", "table", "pre", "code", "p", "a", "h1", "h2", "body"] {
        let [plain, with] = [format!("<{name}>"), format!("<{name} ")];
        let opened = page.matches(&plain).count() + page.matches(&with).count();
        let closed = page.matches(&format!("</{name}>")).count();
        assert!(opened > 0 && opened == closed, "{name}: {opened} are opened and {closed} closed");
    }
}

async fn the_page_needs_nothing_but_itself(world: World) {
    let page = world.get("/docs").await;
    assert_eq!((page.status, page.header("content-type")), (200, "text/html; charset=utf-8"));
    let policy = page.header("content-security-policy");
    assert!(policy.starts_with("default-src 'none'; style-src 'self'"), "{policy}");
    assert!(!policy.contains("unsafe") && !policy.contains("http"), "{policy}");
    for (method, path, operation) in list_operations() {
        let id = operation["operationId"].as_str().expect("an id");
        assert!(page.text.contains(&format!("<details id=\"{id}\">")), "{id}");
        assert!(page.text.contains(&format!("{} {path}", method.to_uppercase())), "{path}");
    }
    for name in DOCUMENT["components"]["schemas"].as_object().expect("schemas").keys() {
        assert!(page.text.contains(&format!("<details id=\"{name}\">")), "{name}");
    }
    let without_examples: String =
        page.text.split("<pre>").map(|part| part.split("</pre>").last().unwrap_or_default()).collect();
    for loads in ["<script", "<img", "<iframe", "style=\"", "onload", "javascript:"] {
        let is_there = without_examples.contains(loads);
        assert!(!is_there, "{loads}");
    }
    let links = page.text.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next());
    for link in links {
        let target = link.strip_prefix('#');
        let is_here = target.is_some_and(|id| page.text.contains(&format!("id=\"{id}\"")));
        assert!(
            is_here || ["/docs/style.css", "/docs/errors", "/docs/issues", "/openapi.json"].contains(&link),
            "{link}"
        );
    }
    let style = world.get("/docs/style.css").await;
    assert_eq!((style.status, style.header("content-type")), (200, "text/css; charset=utf-8"));
    assert!(!style.text.contains("url(") && !style.text.contains("@import"));
}

/// Optional members of a request stay optional in clients that are generated from the document: many of these require a
/// member with a default.
#[test]
fn nothing_of_a_request_has_a_default() {
    fn defaults(place: &str, value: &Value, found: &mut Vec<String>) {
        match value {
            Value::Object(members) => {
                for (name, member) in members {
                    if name == "default" && members.contains_key("type") {
                        found.push(place.to_owned());
                    }
                    defaults(&format!("{place}/{name}"), member, found);
                }
            }
            Value::Array(items) => items.iter().for_each(|item| defaults(place, item, found)),
            _ => {}
        }
    }
    let mut found = Vec::new();
    defaults("", &DOCUMENT, &mut found);
    assert_eq!(found, [""; 0]);
}

#[test]
fn what_plugins_tell_is_described_as_they_tell_it() {
    let request = "/paths/~1api~1serverside/post/requestBody/content/application~1json/schema";
    let call = |events: Value, zones: Value| json!({"appId": "key", "events": events, "zones": zones});
    for (name, data) in [
        ("set_basket", json!([{"id": "1", "qty": 2}])),
        ("set_basket", json!([])),
        ("currency", json!("EUR")),
        ("accept_cookies", json!(true)),
        ("product_view", json!({"id": "1"})),
    ] {
        let told = call(
            json!([{"name": name, "data": data}]),
            json!(["PP-04", {"id": "HP-01", "data": {"product_id": "1"}}]),
        );
        assert_eq!(find_fault(request, &told), None, "{told}");
    }
    assert!(find_fault(request, &call(json!([]), json!([7]))).is_some(), "a zone is a text or an object");
    let says = DOCUMENT["components"]["schemas"]["PluginEvent"]["properties"]["name"]["description"].as_str();
    for name in ["search", "item_click", "search_click", "product_rate", "moto_order_track"] {
        assert!(says.is_some_and(|says| says.contains(&format!("`{name}`"))), "{name}");
    }
    let answer = "/components/schemas/ServersideAnswer";
    let zone = json!({"type": "recommender-product", "title": "For you", "items": [{"Id": "1"}]});
    let answered = json!({"visitorId": "v", "sessionId": "s", "zones": {"HP-01": zone}});
    assert_eq!(find_fault(answer, &answered), None);
    let untyped = json!({"visitorId": "v", "sessionId": "s", "zones": {"HP-01": {"title": "For you"}}});
    assert!(find_fault(answer, &untyped).is_some(), "a zone has a type");
}

/// Tools that fill requests in use an example, and make something up where there is none.
#[test]
fn a_tool_can_fill_a_request_in() {
    assert!(DOCUMENT["servers"][0]["url"].as_str().is_some_and(|url| url.starts_with("http://")));
    let mut keys = 0;
    for (_, path, operation) in list_operations() {
        let mut schema = &operation["requestBody"]["content"]["application/json"]["schema"];
        while let Some(reference) = schema["$ref"].as_str() {
            schema = DOCUMENT.pointer(reference.strip_prefix('#').expect("here")).expect("a schema");
        }
        for name in ["AccessKey", "AppKey", "SecretKey", "appId", "secretKey"] {
            let key = &schema["properties"][name];
            if key.is_object() {
                keys += 1;
                assert!(key["example"].is_string() || key["examples"][0].is_string(), "{path} {name}");
            }
        }
    }
    assert!(keys > 60, "{keys}");
    let name = &DOCUMENT["components"]["schemas"]["UploadRequest"]["properties"]["feedName"];
    assert!(
        name["pattern"]
            .as_str()
            .is_some_and(|pattern| pattern.contains("product|category|brand|user|orders"))
    );
    for path in ["/api/user/forget", "/api/productfeed"] {
        let accepted = &DOCUMENT["paths"][path]["post"]["responses"]["200"];
        assert!(
            accepted["content"]["text/plain"].is_object()
                && accepted["content"]["application/json"].is_object()
        );
        assert!(
            accepted["description"]
                .as_str()
                .is_some_and(|says| says.contains("`Accept` names application/json"))
        );
    }
}
