//! Help for errors and issues: every code has a section in `docs/errors.md` or `docs/issues.md` and a page, and every
//! refusal leads to the page of its code.

use axum::body::Body;
use axum::http::Request;
use axum::response::IntoResponse;
use lethe::accounts::{AccountFault, list_kind};
use lethe::admission::Tenant;
use lethe::feeds::issue::IssueCode;
use lethe::limits;
use lethe::transport::peer::Peer;
use lethe::transport::refusal::{ErrorCode, Refusal};
use serde_json::{Value, json};
use tower::ServiceExt;

use crate::support::console::Browser;
use crate::support::error_pages::linked_code;
use crate::support::uploads;
use crate::support::world::{Reply, Shop, World, on_both_engines};

on_both_engines! {
    a_refusal_leads_to_its_page
    every_code_has_its_page
    what_is_not_explained_says_where_to_look
    the_console_explains_what_it_shows
}

const ERRORS: &str = include_str!("../../../docs/errors.md");

/// Heading and text of each section.
fn sections() -> impl Iterator<Item = (&'static str, &'static str)> {
    ERRORS.split("\n## ").skip(1).map(|section| section.split_once('\n').expect("a text below the heading"))
}

/// The answer that the section of a code shows; a shortened one ends with `…`.
fn read_shown_answer(code: ErrorCode) -> String {
    let name = code.as_str();
    let (_, text) = sections().find(|(section, _)| *section == name).expect(name);
    let line = text.lines().find_map(|line| line.strip_prefix("- Answer: ")).expect(name);
    let answer: Value = serde_json::from_str(line.trim_matches(['`', ' '])).expect(name);
    answer["Error"].as_str().expect(name).to_owned()
}

#[test]
fn every_error_code_has_its_section_and_no_other_has() {
    let explained: Vec<_> = sections().map(|(code, _)| code).collect();
    let all: Vec<_> = ErrorCode::ALL.iter().map(|code| code.as_str()).collect();
    assert_eq!(explained, all);
    for ((name, text), code) in sections().zip(ErrorCode::ALL) {
        let status = code.status().as_u16();
        assert!(
            text.trim_start().starts_with(&format!("Status: {status}. Send the same request again: ")),
            "{name}"
        );
        assert!(ERRORS.contains(&format!("| [{name}](#{name}) | {status} |")), "{name}");
        for part in ["- Why: ", "- What to do: ", "- Example: ", "- Answer: "] {
            assert_eq!(text.matches(&format!("\n{part}")).count(), 1, "{name}: {part}");
        }
    }
}

/// A refusal with this code, as the program makes it; `None` where it depends on the request.
fn make_refusal(code: ErrorCode) -> Option<Refusal> {
    Some(match code {
        // Asked for in `a_refusal_leads_to_its_page`, or shortened.
        ErrorCode::Malformed
        | ErrorCode::FieldMissing
        | ErrorCode::NotJson
        | ErrorCode::NotFound
        | ErrorCode::TokenTaken
        | ErrorCode::NoOpenFeed
        | ErrorCode::FeedStopped
        | ErrorCode::StillErasing
        | ErrorCode::NoRoom => return None,
        ErrorCode::FieldTwice => Refusal::field_twice("Products"),
        ErrorCode::OperatorOnly => Refusal::operator_only(),
        ErrorCode::Credentials => Refusal::credentials(),
        ErrorCode::UserToken => Refusal::user_token("has ended: Exp is in the past"),
        ErrorCode::NoSuchAddress => Refusal::no_such_address(),
        ErrorCode::TokenUnknown => Refusal::token_unknown(),
        ErrorCode::Method => Refusal::method(),
        ErrorCode::TooSlow => Refusal::too_late(limits::BODY_TOTAL_DURATION),
        ErrorCode::ChangedMeanwhile => AccountFault::ListChanged(list_kind::ListKind::Rules).into(),
        ErrorCode::Conflict => AccountFault::NameTaken.into(),
        ErrorCode::PersonLost => Refusal::person_lost(),
        ErrorCode::TooLarge => Refusal::too_large(limits::DELTA_BODY_BYTES),
        ErrorCode::TooManyPieces => Refusal::too_many_pieces(),
        ErrorCode::UnknownSender => Refusal::unknown_sender(limits::REQUEST_MEMORY_OF_CLIENT_BYTES / 2),
        ErrorCode::MediaType => Refusal::media_type("application/json"),
        ErrorCode::ContentEncoding => Refusal::content_encoding(),
        ErrorCode::TooManyFailures => Refusal::too_many_failures(1),
        ErrorCode::TooManySearches => Refusal::too_many_searches(),
        ErrorCode::TooManyChanges => AccountFault::ListTooSoon(list_kind::ListKind::Rules).into(),
        ErrorCode::TooManyOpen => Refusal::too_many_uploads(),
        ErrorCode::Fault => Refusal::fault(),
        ErrorCode::Busy => Refusal::busy(),
        ErrorCode::SearchIsMade => Refusal::search_is_made(),
        ErrorCode::TooManyNew => Refusal::too_many_new(),
        ErrorCode::ReportTakesLong => Refusal::report_takes_long(),
        ErrorCode::NoStandby => Refusal::no_standby(),
        ErrorCode::FilesMissing => Refusal::files_missing(),
    })
}

#[test]
fn the_answers_that_are_shown_are_those_of_the_program() {
    for ((name, text), code) in sections().zip(ErrorCode::ALL) {
        let Some(refusal) = make_refusal(*code) else { continue };
        assert_eq!(
            (refusal.code(), refusal.sentence()),
            (*code, read_shown_answer(*code).as_str()),
            "{name}"
        );
        let says = text.trim_start().lines().next().unwrap_or_default();
        let waits = refusal.into_response().headers().contains_key("retry-after");
        assert_eq!(waits, says.contains("`Retry-After`"), "{name}: {says}");
    }
}

/// Waits for the first refusal for too many wrong keys.
async fn exhaust_attempts(world: &World) -> Reply {
    let wrong = json!({"AppKey": "nobody", "SecretKey": "wrong", "Tokens": []});
    for _ in 0..2 * limits::FAILED_CREDENTIALS_PER_MINUTE + 20 {
        let reply = world.post("/api/deltastatus", &wrong).await;
        if reply.status == 429 {
            return reply;
        }
    }
    panic!("never limited");
}

/// A delta whose address can have no memory, since its keys stand at its end.
async fn refuse_memory(world: &World, shop: &Shop) -> Reply {
    let memory = world.node().resources.request_memory.clone();
    let address = Tenant::Client("127.0.0.1".parse().expect("an address"));
    let all = memory.try_take(address, limits::REQUEST_MEMORY_OF_CLIENT_BYTES);
    let _all = all.expect("nobody has any of it yet");
    let rows = json!([{"Id": "1", "Title": "x".repeat(200_000)}]);
    let keys = format!("\"AccessKey\":\"{}\",\"SecretKey\":\"{}\"", shop.key, shop.secret);
    world.post_bytes("/api/delta", format!("{{\"Products\":{rows},{keys}}}")).await
}

/// Refusals of all kinds that are easily had.
async fn refusals(world: &World, shop: &Shop) -> Vec<(ErrorCode, Reply)> {
    let keys = format!("\"AccessKey\":\"{}\",\"SecretKey\":\"{}\"", shop.key, shop.secret);
    let wrong = Shop { secret: "wrong".to_owned(), ..world.shop("another").await };
    let token = json!("0b0f2f4e-7a7c-4f0e-9d5b-1d5f0c9f7e55");
    let product = |id: &str| json!([{"Id": id, "Title": "Oak chair"}]);
    let sent = json!({"Token": token, "Products": product("1")});
    assert_eq!(world.ask(shop, "/api/delta", sent).await.status, 200);
    world.forget(shop, "7").await;
    let delta = |name: &str, value: &str| {
        let request = world.request("POST", "/api/delta").header("content-type", "application/json");
        world.send(request.header(name, value.to_owned()).body("{}"))
    };
    let large = format!("{{{keys},\"Products\":[\"{}\"]}}", "x".repeat(limits::DELTA_BODY_BYTES));
    let form = world.request("POST", "/api/delta").header("content-type", "text/plain").body("{}");
    vec![
        (ErrorCode::Malformed, world.ask(shop, "/api/delta", json!({"Products": "chair-1"})).await),
        (ErrorCode::FieldMissing, world.ask(shop, "/api/deltastatus", json!({})).await),
        (
            ErrorCode::FieldTwice,
            world.post_bytes("/api/delta", format!("{{{keys},\"Products\":[],\"Products\":[]}}")).await,
        ),
        (ErrorCode::NotJson, world.post_bytes("/api/delta", "[{\"Id\":\"chair-1\"}]").await),
        (ErrorCode::OperatorOnly, world.send(world.request("GET", "/metrics")).await),
        (ErrorCode::Credentials, world.ask(&wrong, "/api/delta", json!({})).await),
        (ErrorCode::NoSuchAddress, world.post("/api/changes", &json!({})).await),
        (ErrorCode::NotFound, world.ask(shop, "/api/product", json!({"Id": "none"})).await),
        (
            ErrorCode::TokenUnknown,
            world.ask(&world.shop("third").await, "/api/issues", json!({"Token": token})).await,
        ),
        (ErrorCode::Method, world.get("/api/delta").await),
        (
            ErrorCode::TokenTaken,
            world.ask(shop, "/api/delta", json!({"Token": token, "Products": product("2")})).await,
        ),
        (
            ErrorCode::NoOpenFeed,
            uploads::post_piece(world, shop, "/feed-append", "product-1", Some(b"x")).await,
        ),
        (ErrorCode::StillErasing, world.ask(shop, "/api/user/return", json!({"Identifier": "7"})).await),
        (ErrorCode::TooLarge, world.post_bytes("/api/delta", large).await),
        (ErrorCode::MediaType, world.send(form).await),
        (ErrorCode::ContentEncoding, delta("content-encoding", "gzip").await),
        (ErrorCode::TooManyFailures, exhaust_attempts(world).await),
        (ErrorCode::Busy, refuse_memory(world, shop).await),
    ]
}

async fn a_refusal_leads_to_its_page(world: World) {
    let shop = world.shop("shop").await;
    for (code, reply) in refusals(&world, &shop).await {
        let name = code.as_str();
        assert_eq!(reply.expect_refusal(code.status().as_u16()), read_shown_answer(code), "{name}");
        assert_eq!(reply.header("link"), format!("</docs/errors/{name}>; rel=\"help\""));
        let page = world.get(&format!("/docs/errors/{name}")).await;
        assert_eq!(page.status, 200, "{name}");
        assert!(page.text.contains(&format!("<h1><code>{name}</code></h1>")), "{}", page.text);
    }
    // Refusals with a list too, and over the control socket, where the same pages are.
    let tracked = world.get("/api/track?appid=nobody&evt=x").await;
    assert_eq!(
        (tracked.json()["errors"].is_array(), linked_code(&tracked)),
        (true, "credentials"),
        "{}",
        tracked.text
    );
    let request = Request::get("/docs/errors/busy").extension(Peer::Operator).body(Body::empty());
    let router = lethe::admin::routes::control(world.node().clone());
    assert_eq!(router.oneshot(request.expect("a request")).await.expect("an answer").status(), 200);
}

async fn every_code_has_its_page(world: World) {
    let errors = ErrorCode::ALL.iter().map(|code| ("errors", code.as_str()));
    let issues = IssueCode::ALL.iter().map(|code| ("issues", code.as_str()));
    let lists = [world.get("/docs/errors").await, world.get("/docs/issues").await];
    for (name, code) in errors.chain(issues) {
        let path = format!("/docs/{name}/{code}");
        let page = world.get(&path).await;
        assert_eq!((page.status, page.header("content-type")), (200, "text/html; charset=utf-8"), "{path}");
        let policy = page.header("content-security-policy");
        assert!(policy.starts_with("default-src 'none'; style-src 'self'"), "{policy}");
        assert!(page.text.contains(&format!("<h1><code>{code}</code></h1>")), "{path}: {}", page.text);
        assert!(page.text.contains("<li>What to do: "), "{path}: {}", page.text);
        assert!(page.text.contains(&format!("<a href=\"/docs/{name}\">")), "{path}: {}", page.text);
        let list = &lists[usize::from(name == "issues")];
        assert!(list.text.contains(&format!("<a href=\"{path}\">{code}</a>")), "{path}: {}", list.text);
        for loads in ["<script", "<img", "style=\"", "http://", "https://"] {
            let outside =
                page.text.split("<code>").map(|part| part.split("</code>").last().unwrap_or_default());
            assert!(!outside.collect::<String>().contains(loads), "{path}: {loads}");
        }
    }
    for path in ["/docs/errors", "/docs/issues", "/docs/errors/busy", "/docs/issues/row_syntax"] {
        let head = world.send(world.request("HEAD", path)).await;
        assert_eq!((head.status, head.text.as_str()), (200, ""), "{path}");
        assert_eq!(
            world.post(path, &json!({})).await.expect_refusal(405),
            read_shown_answer(ErrorCode::Method),
            "{path}"
        );
    }
}

async fn what_is_not_explained_says_where_to_look(world: World) {
    for path in
        ["/docs/errors/nothing", "/docs/errors/%FF", "/docs/errors/price_missing", "/docs/errors/BUSY"]
    {
        assert!(
            world.get(path).await.expect_refusal(404).ends_with("/docs/errors lists those that are"),
            "{path}"
        );
        let page = world.send(world.request("GET", path).header("accept", "text/html")).await;
        assert_eq!((page.status, page.header("content-type")), (404, "text/html; charset=utf-8"), "{path}");
        assert!(page.text.contains("<a href=\"/docs/errors\">"), "{}", page.text);
    }
    assert!(world.get("/docs/issues/busy").await.expect_refusal(404).contains("/docs/issues"));
}

async fn the_console_explains_what_it_shows(world: World) {
    let shop = world.shop("shop").await;
    let viewer = Browser::sign_in_as(&world, "Viewer", "viewer", &[&shop]).await;
    let token = world.delta(&shop, json!({"Products": [{"Title": "no id"}]})).await;
    world.run_all_jobs().await;
    let path = format!("/shops/shop/imports/{token}");
    assert!(viewer.page(&path).await.contains("<a href=\"/help/issues/id_missing\""));
    let group = viewer.page(&format!("{path}/issues?code=id_missing")).await;
    assert!(group.contains("<a href=\"/help/issues/id_missing\""), "{group}");
    let refused = viewer.get(&format!("{path}/issues?code=nothing")).await;
    assert_eq!(refused.status, 400, "{}", refused.text);
    assert!(refused.text.contains("<a href=\"/help/errors/malformed\""), "{}", refused.text);

    for (name, code) in [("issues", "id_missing"), ("errors", "malformed")] {
        let page = viewer.page(&format!("/help/{name}/{code}")).await;
        assert!(page.contains(&format!("<h1><code>{code}</code></h1>")), "{page}");
        assert!(page.contains("<li>What to do: ") && !page.contains("&lt;li"), "{page}");
        let list = viewer.page(&format!("/help/{name}")).await;
        assert!(list.contains(&format!("<a href=\"/help/{name}/{code}\">{code}</a>")), "{list}");
    }
    for path in ["/help/issues/nothing", "/help/nothing", "/help/nothing/busy"] {
        assert_eq!(viewer.get(path).await.status, 404, "{path}");
    }
    // For signed-in operators.
    assert_eq!(Browser::new(&world).get("/help/issues").await.status, 303);
}
