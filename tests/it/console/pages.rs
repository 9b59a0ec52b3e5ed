//! The console: who gets in, what each may see and do, and the paths of an officer, over HTTP as a browser goes them.

use std::time::Duration;

use lethe::args;
use lethe::jobs::Lane;
use lethe::limits;
use lethe::operators::OperatorFault;
use lethe::sql;
use lethe::store::Owner;
use reqwest::header::{HOST, LOCATION};
use serde_json::json;

use crate::support::console::{Browser, FORM, PASSWORD, encode_form, link_path, operator_page, send_request};
use crate::support::events::open_shop;
use crate::support::log_ins::{log_in_event, send_accepted_events};
use crate::support::plugin::{start_visit, view_event};
use crate::support::world::{Shop, World, on_both_engines};

on_both_engines! {
    who_has_no_session_sees_only_the_form_to_sign_in
    a_link_is_used_once_and_not_for_ever
    a_viewer_sees_and_changes_nothing_of_people
    rights_of_one_shop_open_nothing_of_another
    a_session_ends_with_every_change_of_its_operator
    who_signed_out_is_out
    a_page_that_follows_by_itself_keeps_nobody_signed_in
    a_foreign_site_gets_nothing_and_can_do_nothing
    guessing_passwords_ends_soon_and_locks_nobody_else_out
    an_officer_finds_exports_and_forgets_without_a_terminal
    the_address_of_a_person_is_of_who_found_them_and_lives_an_hour
    every_act_is_a_line_that_names_nobody
    the_page_of_a_person_says_what_would_stay_and_of_whom_else
    who_left_has_no_name_and_their_acts_stay
    the_last_owner_stays
    one_operator_more_than_there_may_be_is_refused
    the_overview_counts_of_the_first_shops_and_names_all
    every_page_may_do_nothing_but_what_it_needs
    what_others_wrote_is_text_on_every_page
    the_pages_are_in_three_languages
    an_owner_sets_a_shop_and_a_secret_is_shown_once
}

async fn person(world: &World, shop: &Shop) {
    let user = json!({"Users": [{"UserId": "canary-7", "Email": "canary-7@shop.example", "FirstName": "Quintessa"}]});
    world.delta(shop, user).await;
    world.run_all_jobs().await;
}

async fn who_has_no_session_sees_only_the_form_to_sign_in(world: World) {
    let shop = world.shop("shop").await;
    let browser = Browser::new(&world);
    for path in ["/", "/shops/shop", "/shops/shop/people", "/operators", "/acts", "/health", "/places"] {
        let reply = browser.get(path).await;
        assert_eq!(reply.status, 303, "{path}");
        let to = path.replace('/', "%2F");
        assert_eq!(reply.headers[LOCATION], format!("/sign-in?to={to}"), "{path}");
    }
    for path in ["/shops/shop/people", "/operators", "/sign-out"] {
        assert_eq!(browser.send(path, &[("identifier", "userid:1")]).await.status, 303, "{path}");
    }
    let form = browser.page("/sign-in?to=%2Fplaces").await;
    assert!(form.contains("lethe operator add") && !form.contains(&shop.name), "{form}");
    assert_eq!(browser.get("/nothing").await.status, 404);
    // The pages of the console are nowhere else.
    assert_eq!(world.get("/sign-in").await.status, 404);
}

async fn a_link_is_used_once_and_not_for_ever(world: World) {
    let made = world.control("/control/operator/add", json!({"Name": "Owner"})).await;
    let link = link_path(&made["Link"]);
    let mut browser = Browser::new(&world);
    assert_eq!(browser.sign_in("Owner", "").await.status, 401, "nobody signs in without a password");
    let short = browser.send(&link, &[("password", "short"), ("again", "short")]).await;
    assert_eq!(short.status, 422);
    assert!(short.text.contains("A password has at least 12 characters."), "{}", short.text);
    let differ = browser.send(&link, &[("password", PASSWORD), ("again", "another password")]).await;
    assert!(differ.status == 422 && differ.text.contains("The two passwords differ."), "{}", differ.text);
    assert_eq!(browser.follow_link(&link).await.status, 303);
    assert_eq!(browser.follow_link(&link).await.status, 404, "it was used");
    assert_eq!(browser.get(&link).await.status, 404);
    assert_eq!(browser.sign_in("OWNER ", PASSWORD).await.status, 303, "in whatever case");

    let renewed = world.control("/control/operator/reset", json!({"Name": "owner"})).await;
    let link = link_path(&renewed["Link"]);
    assert_eq!(browser.sign_in("Owner", PASSWORD).await.status, 401, "the old password counts no longer");
    let late = link_path(&world.control("/control/operator/add", json!({"Name": "Late"})).await["Link"]);
    world.clock.advance(Duration::from_secs(24 * 60 * 60));
    assert_eq!(browser.get(&late).await.status, 404, "so is that of who is new");
    assert_eq!(browser.get(&link).await.status, 404, "it is too old");
    assert_eq!(browser.follow_link(&link).await.status, 404);
}

async fn a_viewer_sees_and_changes_nothing_of_people(world: World) {
    let shop = world.shop("shop").await;
    person(&world, &shop).await;
    let officer = Browser::sign_in_as(&world, "Officer", "privacy-officer", &[&shop]).await;
    let viewer = Browser::sign_in_as(&world, "Viewer", "viewer", &[&shop]).await;
    let page = officer.find(&shop, "userid:canary-7").await;
    for path in ["/", "/shops/shop", "/shops/shop/erasures", "/shops/shop/ledger", "/places"] {
        viewer.page(path).await;
    }
    for path in ["/shops/shop/people", "/operators", "/acts", "/health", &page] {
        assert_eq!(viewer.get(path).await.status, 403, "{path}");
    }
    let acts: [(&str, &[(&str, &str)]); 4] = [
        ("/shops/shop/people", &[("identifier", "userid:canary-7")]),
        (&format!("{page}/forget"), &[("confirmation", "userid:canary-7")]),
        ("/operators", &[("name", "Another"), ("role", "owner")]),
        (&operator_page(&world, "Officer").await, &[("do", "remove")]),
    ];
    for (path, fields) in acts {
        assert_eq!(viewer.send_form(path, fields).await.status, 403, "{path}");
    }
    let merchandiser = Browser::sign_in_as(&world, "Seller", "merchandiser", &[&shop]).await;
    assert_eq!(merchandiser.get("/shops/shop/people").await.status, 403);
    let held = world.ask_json(&shop, "/api/user/held", json!({"Identifier": "userid:canary-7"})).await;
    assert_eq!(held["FoundAnywhere"], true);
}

async fn rights_of_one_shop_open_nothing_of_another(world: World) {
    let one = world.shop("one").await;
    world.shop("other").await;
    let officer = Browser::sign_in_as(&world, "Officer", "privacy-officer", &[&one]).await;
    let home = officer.page("/").await;
    assert!(home.contains("/shops/one") && !home.contains("other"), "{home}");
    officer.page("/shops/one/erasures").await;
    for path in ["", "/people", "/erasures", "/ledger", "/ledger/entries.jsonl"] {
        let refused = officer.get(&format!("/shops/other{path}")).await;
        let unknown = officer.get(&format!("/shops/unknown{path}")).await;
        assert_eq!((refused.status, unknown.status), (403, 403), "{path}");
        assert_eq!(refused.text, unknown.text, "nobody can tell whether it is there");
    }
    let found = officer.send_form("/shops/other/people", &[("identifier", "userid:1")]).await;
    assert_eq!(found.status, 403);
    let none = world.control_answer("/control/operator/add", json!({"Name": "X", "Role": "viewer"})).await;
    assert!(none.0 == 400 && none.1.contains("name one at least"), "{none:?}");
}

async fn a_session_ends_with_every_change_of_its_operator(world: World) {
    let shop = world.shop("shop").await;
    Browser::sign_in_as(&world, "Other owner", "owner", &[]).await;
    let mut browser = Browser::sign_in_as(&world, "Owner", "owner", &[]).await;
    let viewer = json!({"Name": "Owner", "Role": "viewer", "Shops": ["shop"]});
    for (path, change) in [
        ("set", viewer),
        ("set", json!({"Name": "Owner", "State": "disabled"})),
        ("set", json!({"Name": "Owner", "State": "enabled"})),
        ("reset", json!({"Name": "Owner"})),
    ] {
        let is_in = browser.get("/places").await.status == 200;
        let changed = world.control(&format!("/control/operator/{path}"), change.clone()).await;
        let again = browser.get("/places").await.status;
        assert_eq!(again, 303, "{change}: was in: {is_in}");
        if path == "reset" {
            assert_eq!(browser.follow_link(&link_path(&changed["Link"])).await.status, 303);
        }
        let signed = browser.sign_in("Owner", PASSWORD).await.status;
        assert_eq!(signed, if change["State"] == "disabled" { 401 } else { 303 }, "{change}");
    }
    // At last by itself.
    browser.page("/places").await;
    world.clock.advance(Duration::from_secs(60 * 60));
    assert_eq!(browser.get("/places").await.status, 303);
    drop(shop);
}

async fn who_signed_out_is_out(world: World) {
    let browser = Browser::sign_in_as(&world, "Owner", "owner", &[]).await;
    let out = browser.send_form("/sign-out", &[]).await;
    assert_eq!((out.status, out.header("location")), (303, "/sign-in"));
    assert!(out.header("set-cookie").starts_with("__Host-lethe=; Path=/; Max-Age=0"), "{:?}", out.headers);
    // Also for a client that kept the cookie.
    assert_eq!(browser.get("/places").await.status, 303);
}

async fn a_page_that_follows_by_itself_keeps_nobody_signed_in(world: World) {
    let shop = world.shop("shop").await;
    let asked = json!({"Identifier": "userid:canary-1"});
    let erasure = world.ask(&shop, "/api/user/forget", asked).await.header("x-erasure-id").to_owned();
    world.run_all_jobs().await;
    let viewer = Browser::sign_in_as(&world, "Viewer", "viewer", &[&shop]).await;
    let page = format!("/shops/shop/erasures/{erasure}");
    let step = limits::CONSOLE_IDLE_DURATION / 3;
    for _ in 0..2 {
        world.clock.advance(step);
        assert_eq!(viewer.get(&format!("{page}/live")).await.status, 200);
    }
    world.clock.advance(step);
    assert_eq!(viewer.get(&format!("{page}/live")).await.status, 303);
    assert_eq!(viewer.get(&page).await.status, 303, "nobody was at the desk for an hour");
}

async fn a_foreign_site_gets_nothing_and_can_do_nothing(world: World) {
    let shop = world.shop("shop").await;
    let mut browser = Browser::sign_in_as(&world, "Owner", "owner", &[]).await;
    // By another name nothing is answered, whatever the cookie.
    let rebound = send_request(browser.ask("GET", "/places").header(HOST, "evil.example")).await;
    assert_eq!(rebound.status, 421);
    let fields = [("name", "Thief"), ("role", "owner")];
    assert_eq!(browser.send("/operators", &fields).await.status, 403, "without the token of the session");
    assert_eq!(browser.send("/operators", &[("form_token", "guess"), fields[0]]).await.status, 403);
    let home = browser.page("/places").await;
    let token = home.split("form_token\" value=\"").nth(1).and_then(|rest| rest.split('"').next());
    let token = token.expect("a token").to_owned();
    let with = [("form_token", token.as_str()), fields[0], fields[1]];
    for (name, value) in
        [("origin", "https://evil.example"), ("sec-fetch-site", "cross-site"), ("origin", "null")]
    {
        let refused = send_request(
            browser
                .ask("POST", "/operators")
                .header("content-type", FORM)
                .body(encode_form(&with))
                .header(name, value),
        )
        .await;
        assert_eq!(refused.status, 403, "{name}: {value}");
        let signing = [("name", "Owner"), ("password", PASSWORD)];
        let refused = send_request(
            browser
                .ask("POST", "/sign-in")
                .header("content-type", FORM)
                .body(encode_form(&signing))
                .header(name, value),
        )
        .await;
        assert_eq!(refused.status, 403, "{name}: {value}");
    }
    // Nor can a page of a sister host, whose cookies are those of the same site.
    for value in ["same-site", "none"] {
        let sent = browser.ask("POST", "/operators").header("content-type", FORM).body(encode_form(&with));
        let refused = send_request(sent.header("sec-fetch-site", value)).await;
        assert_eq!(refused.status, 403, "{value}");
    }
    assert_eq!(world.control("/control/operator/list", json!({})).await.as_array().map(Vec::len), Some(1));
    let here = world.page("");
    let own = send_request(
        browser
            .ask("POST", "/operators")
            .header("content-type", FORM)
            .body(encode_form(&with))
            .header("origin", here),
    )
    .await;
    assert_eq!(own.status, 303, "{}", own.text);
    // Signing in leads to a page of the console, and nowhere else.
    for to in ["https://evil.example", "//evil.example", "/\\evil.example", "places"] {
        let form = [("name", "Owner"), ("password", PASSWORD)];
        let query: String = to.bytes().map(|byte| format!("%{byte:02x}")).collect();
        let signed = browser.send(&format!("/sign-in?to={query}"), &form).await;
        assert_eq!(signed.header("location"), "/", "{to}");
    }
    assert_eq!(browser.sign_in("Owner", PASSWORD).await.status, 303);
    drop(shop);
}

async fn guessing_passwords_ends_soon_and_locks_nobody_else_out(world: World) {
    let mut owner = Browser::sign_in_as(&world, "Owner", "owner", &[]).await;
    let mut guesser = Browser::new(&world);
    let mut tries = 0;
    loop {
        let reply = guesser.sign_in("Owner", &format!("guess number {tries}")).await;
        if reply.status == 429 {
            assert_eq!(reply.header("retry-after"), "60");
            break;
        }
        assert_eq!(reply.status, 401);
        // A wrong password and an unknown name are refused alike.
        if tries == 0 {
            let nobody = reply.text.replace("value=\"Owner\"", "value=\"Nobody\"");
            assert_eq!(guesser.sign_in("Nobody", "guess number 0").await.text, nobody);
        }
        tries += 1;
        // Slow machines let more time pass, in which tries come again.
        assert!(tries < 100, "it never ends");
    }
    assert!(tries >= 6, "{tries}");
    // A signed-in operator goes on.
    owner.page("/places").await;
    // All clients of a test have one address; another has its own tries. The one of a trusted proxy is told by it.
    assert_eq!(owner.sign_in("Owner", PASSWORD).await.status, 429);
}

async fn an_officer_finds_exports_and_forgets_without_a_terminal(world: World) {
    let shop = world.shop("shop").await;
    person(&world, &shop).await;
    let officer = Browser::sign_in_as(&world, "Officer", "privacy-officer", &[&shop]).await;
    let wrong = officer.send_form("/shops/shop/people", &[("identifier", "email:nothing")]).await;
    assert_eq!(wrong.status, 400);
    assert!(
        wrong.text.contains("value=\"email:nothing\"") && wrong.text.contains("role=\"alert\""),
        "{}",
        wrong.text
    );

    let page = officer.find(&shop, "userid:canary-7").await;
    assert!(!page.contains("canary"), "{page}");
    let shown = officer.page(&page).await;
    assert!(shown.contains("canary-7@shop.example") && shown.contains("data is stored"), "{shown}");
    assert!(!shown.split("</title>").next().unwrap_or_default().contains("canary"), "{shown}");
    let export = officer.get(&format!("{page}/export")).await;
    assert!(export.status == 200 && export.text.contains("Quintessa"), "{}", export.text);
    assert!(
        export.header("content-security-policy").starts_with("default-src 'none'"),
        "{:?}",
        export.headers
    );
    let json = officer.get(&format!("{page}/export?json")).await;
    assert_eq!(json.header("content-disposition"), "attachment; filename=\"export.json\"");
    assert!(json.json().to_string().contains("Quintessa"));

    let colleague = Browser::sign_in_as(&world, "Colleague", "privacy-officer", &[&shop]).await;
    let theirs = colleague.find(&shop, "userid:canary-7").await;
    let forget = format!("{page}/forget");
    let unconfirmed = officer.send_form(&forget, &[("confirmation", "userid:canary-8")]).await;
    assert_eq!(unconfirmed.status, 422);
    assert!(unconfirmed.text.contains("Nothing was done."), "{}", unconfirmed.text);
    let asked = json!({"Identifier": "userid:canary-7"});
    assert_eq!(world.ask_json(&shop, "/api/user/held", asked.clone()).await["FoundAnywhere"], true);
    let forgotten = officer.send_form(&forget, &[("confirmation", "userid:canary-7")]).await;
    assert_eq!(forgotten.status, 303, "{}", forgotten.text);
    let erasure = forgotten.header("location").to_owned();
    assert_eq!(officer.get(&page).await.status, 404, "nothing names who is forgotten");
    assert_eq!(colleague.get(&theirs).await.status, 404, "with nobody");
    let going_on = officer.page(&erasure).await;
    assert!(going_on.contains(&format!("data-live=\"{erasure}/live\"")), "{going_on}");
    assert_eq!(officer.get(&format!("{erasure}/certificate")).await.status, 409);
    while world.run_jobs(Lane::ERASE).await > 0 {}
    world.run_all_jobs().await;

    let live = officer.get(&format!("{erasure}/live")).await;
    assert_eq!(live.header("content-type"), "text/event-stream");
    assert!(
        live.text.contains("<strong>verified</strong>")
            && live.text.contains("Show its documents")
            && live.text.contains("event: end"),
        "{}",
        live.text
    );
    let done = officer.page(&erasure).await;
    assert!(!done.contains("data-live") && done.contains("/letter\""), "{done}");
    let file = officer.get(&format!("{erasure}/certificate?file")).await;
    lethe_verify::check_certificate(&file.text, None).expect("the certificate holds");
    let paper = officer.get(&format!("{erasure}/certificate?language=de")).await;
    assert!(paper.text.contains("lang=\"de\""), "{}", paper.text);
    let letter = officer.get(&format!("{erasure}/letter?language=fr")).await;
    assert!(
        letter.status == 200 && letter.text.contains("<h1>Votre demande d’effacement</h1>"),
        "{}",
        letter.text
    );
    assert_eq!(letter.header("content-security-policy"), paper.header("content-security-policy"));
    let text = officer.get(&format!("{erasure}/letter?file")).await;
    assert!(text.text.starts_with("You asked the shop “shop”"), "{}", text.text);
    let board = officer.page("/shops/shop/erasures?state=verified").await;
    assert!(board.contains(&erasure), "{board}");
    assert!(!officer.page("/shops/shop/erasures?state=open").await.contains(&erasure));

    let again = officer.find(&shop, "userid:canary-7").await;
    let nothing = officer.page(&again).await;
    assert!(nothing.contains("no data is stored") && nothing.contains("forgotten and blocked"), "{nothing}");
    let looked = officer.post_form(&format!("{again}/look"), &[]).await;
    for _ in 0..2 {
        let page = officer.page(&looked).await;
        assert!(page.contains("nothing found"), "{page}");
    }
    let table = officer.get(&format!("{looked}&csv=found")).await.text;
    assert!(table.starts_with("Name,Found,Says\n") && table.contains("\npayloads,0,"), "{table}");
    let gone = officer.get(&format!("{again}?answer=7d444840-9dc0-4f5b-8c3b-0a2b6d5f6e11")).await;
    assert!(gone.status == 404 && gone.text.contains("href=\"/shops/shop/people\""), "{}", gone.text);
    let entries = officer.get("/shops/shop/ledger/entries.jsonl").await;
    assert_eq!(entries.text.matches("\"Kind\":\"erasure\"").count(), 1, "{}", entries.text);
    let key = officer.get("/shops/shop/ledger/key.txt").await.text;
    assert!(key.len() == 64 && key.chars().all(|digit| digit.is_ascii_hexdigit()), "{key}");
}

async fn the_address_of_a_person_is_of_who_found_them_and_lives_an_hour(world: World) {
    let shop = world.shop("shop").await;
    let other = world.shop("other").await;
    person(&world, &shop).await;
    let officer = Browser::sign_in_as(&world, "Officer", "privacy-officer", &[&shop, &other]).await;
    let colleague = Browser::sign_in_as(&world, "Colleague", "privacy-officer", &[&shop]).await;
    let page = officer.find(&shop, "userid:canary-7").await;
    assert_eq!(colleague.get(&page).await.status, 404);
    assert_eq!(officer.get(&page.replace("/shops/shop/", "/shops/other/")).await.status, 404);
    assert_eq!(officer.get("/shops/shop/people/nobody").await.status, 404);
    officer.page(&page).await;
    world.clock.advance(Duration::from_secs(40 * 60));
    officer.page("/places").await;
    world.clock.advance(Duration::from_secs(20 * 60));
    let gone = officer.get(&page).await;
    assert!(gone.status == 404 && gone.text.contains("Find the person again"), "{}", gone.text);
}

async fn every_act_is_a_line_that_names_nobody(world: World) {
    let shop = world.shop("shop").await;
    person(&world, &shop).await;
    let owner = Browser::sign_in_as(&world, "Owner", "owner", &[]).await;
    let page = owner.find(&shop, "userid:canary-7").await;
    owner.get(&format!("{page}/export")).await;
    owner.send_form(&format!("{page}/forget"), &[("confirmation", "userid:canary-7")]).await;
    world.clock.advance(Duration::from_secs(1));
    owner.send_form("/operators", &[("name", "Viewer"), ("role", "viewer"), ("shop", "shop")]).await;
    let acts = world.control("/control/operator/acts", json!({})).await;
    let done: Vec<_> = acts.as_array().into_iter().flatten().filter_map(|act| act["Act"].as_str()).collect();
    assert!(done[..2].contains(&"operator-added"), "{done:?}");
    let mut of_people: Vec<_> =
        done.iter().filter(|act| act.starts_with("person") || act.starts_with("erasure")).collect();
    of_people.sort_unstable();
    assert_eq!(of_people, [&"erasure-begun", &"person-exported", &"person-forgotten", &"person-looked-at"]);
    assert!(!acts.to_string().contains("canary"), "{acts}");
    let line = |act: &str| {
        acts.as_array().into_iter().flatten().find(|line| line["Act"] == act).cloned().expect("a line")
    };
    assert_eq!(
        (&line("operator-added")["Name"], &line("person-forgotten")["Shop"]),
        (&json!("Owner"), &json!("shop"))
    );
    assert!(line("erasure-begun")["About"].is_string());
    let shown = owner.page("/acts").await;
    assert!(shown.contains("had a person forgotten") && !shown.contains("canary"), "{shown}");
    owner.send_form("/sign-out", &[]).await;
    let acts = world.control("/control/operator/acts", json!({})).await;
    assert!(acts.to_string().contains("signed-out"), "{acts}");
}

async fn the_page_of_a_person_says_what_would_stay_and_of_whom_else(world: World) {
    let shop = open_shop(&world, 4).await;
    let officer = Browser::sign_in_as(&world, "Officer", "privacy-officer", &[&shop]).await;
    let browser = start_visit(&world, &shop).await;
    send_accepted_events(
        &world,
        &shop,
        &browser,
        &[view_event("p1"), log_in_event("anna"), view_event("p2")],
    )
    .await;
    let page = officer.page(&officer.find(&shop, &format!("visitor:{browser}")).await).await;
    assert!(page.contains("<code>userid:anna</code>"), "{page}");
    assert!(page.contains("To erase it too") && page.contains("<strong>1</strong>"), "{page}");
    assert!(!page.contains("When it was requested"), "{page}");
    world.forget(&shop, "userid:anna").await;
    world.run_all_jobs().await;
    let page = officer.page(&officer.find(&shop, "userid:anna").await).await;
    let list = format!("href=\"/shops/{}/erasures\"", shop.name);
    assert!(page.contains("When it was requested, and its status") && page.contains(&list), "{page}");
}

async fn who_left_has_no_name_and_their_acts_stay(world: World) {
    let shop = world.shop("shop").await;
    let owner = Browser::sign_in_as(&world, "Owner", "owner", &[]).await;
    let officer = Browser::sign_in_as(&world, "Zebedee", "privacy-officer", &[&shop]).await;
    officer.find(&shop, "userid:1").await;
    let page = operator_page(&world, "Zebedee").await;
    let removed = owner.send_form(&page, &[("do", "remove")]).await;
    assert_eq!(removed.status, 303, "{}", removed.text);
    assert_eq!(officer.get("/places").await.status, 303);
    let listed = world.control("/control/operator/list", json!({})).await;
    assert!(!listed.to_string().contains("Zebedee"), "{listed}");
    let left = listed.as_array().into_iter().flatten().find(|one| one["Name"].is_null()).expect("they left");
    let acts = world.control("/control/operator/acts", json!({})).await;
    let theirs = acts.as_array().into_iter().flatten().find(|act| act["Act"] == "person-looked-at");
    assert_eq!(theirs.expect("a line")["Operator"], left["Number"]);
    assert_eq!(owner.get(&page).await.status, 404);
    // Another person may have the name now, and is another operator.
    let anew = Browser::sign_in_as(&world, "Zebedee", "viewer", &[&shop]).await;
    assert_eq!(anew.get("/shops/shop/people").await.status, 403);
}

async fn the_last_owner_stays(world: World) {
    let shop = world.shop("shop").await;
    let owner = Browser::sign_in_as(&world, "Owner", "owner", &[]).await;
    for fields in [
        vec![("do", "remove")],
        vec![("do", "disable")],
        vec![("do", "set"), ("role", "viewer"), ("shop", "shop")],
    ] {
        let refused = owner.send_form(&operator_page(&world, "Owner").await, &fields).await;
        assert_eq!(refused.status, 409, "{fields:?}");
        assert!(refused.text.contains("this is the last owner"), "{}", refused.text);
    }
    owner.page("/operators").await;
    drop(shop);
}

async fn every_page_may_do_nothing_but_what_it_needs(world: World) {
    world.shop("shop").await;
    let owner = Browser::sign_in_as(&world, "Owner", "owner", &[]).await;
    let pages =
        ["/sign-in", "/", "/shops/shop", "/shops/shop/people", "/operators", "/acts", "/health", "/nothing"];
    for path in pages {
        let reply = owner.get(path).await;
        let policy = reply.header("content-security-policy");
        assert!(
            policy.starts_with("default-src 'none'; style-src 'self'; script-src 'self'"),
            "{path}: {policy}"
        );
        for part in ["form-action 'self'", "connect-src 'self'", "base-uri 'none'", "frame-ancestors 'none'"]
        {
            assert!(policy.contains(part), "{path}: {policy}");
        }
        assert_eq!(reply.header("x-content-type-options"), "nosniff", "{path}");
        assert_eq!(reply.header("cache-control"), "no-store", "{path}");
        assert!(!reply.text.contains("style=") && !reply.text.contains("onclick"), "{path}");
    }
    for file in ["style.css", "page.js", "editor.js", "icon.svg", "icons.svg"] {
        assert_eq!(owner.get(&format!("/files/{file}")).await.status, 200, "{file}");
    }
    assert_eq!(owner.get("/files/nothing").await.status, 404);
}

async fn what_others_wrote_is_text_on_every_page(world: World) {
    const WRITTEN: &str = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>";
    let shop = world.shop("shop").await;
    let owner = Browser::sign_in_as(&world, "Owner", "owner", &[]).await;
    let about = json!({"Name": "shop", "DisplayName": "<b>Shop</b>"});
    world.control("/control/account/set", about).await;
    let added =
        owner.page(&owner.post_form("/operators", &[("name", WRITTEN), ("role", "owner")]).await).await;
    assert!(added.contains("/link/"), "{added}");
    let users = json!({"Users": [{"UserId": WRITTEN, "Email": "canary-1@shop.example"}]});
    world.delta(&shop, users).await;
    world.run_all_jobs().await;
    let person = owner.find(&shop, "canary-1@shop.example").await;
    let mut pages = vec![added];
    for path in ["/", "/operators", "/acts", "/shops/shop", &person] {
        pages.push(owner.page(path).await);
    }
    let wrong = owner.send_form("/operators", &[("name", WRITTEN), ("role", WRITTEN)]).await;
    pages.push(wrong.text);
    for page in pages {
        for written in ["<script>alert", "<img src=x", "<b>Shop"] {
            assert!(!page.contains(written), "{page}");
        }
    }
}

async fn the_pages_are_in_three_languages(world: World) {
    let browser = Browser::new(&world);
    for (code, says) in [("de-AT,de;q=0.9", "Anmelden"), ("fr", "Se connecter"), ("es", "Sign in")] {
        let form = send_request(browser.ask("GET", "/sign-in").header("accept-language", code)).await;
        assert!(form.text.contains(says), "{code}: {}", form.text);
    }
    let owner = Browser::sign_in_as(&world, "Owner", "owner", &[]).await;
    assert!(owner.page("/places").await.contains("lang=\"en\""));
    let chosen = owner.send_form("/language", &[("language", "de"), ("to", "/places")]).await;
    assert_eq!(chosen.header("location"), "/places");
    assert!(owner.page("/places").await.contains("lang=\"de\""));
    // Findings are in the language of the page.
    let health = owner.page("/health").await;
    assert!(health.contains("<td>Der Schlüsselordner liegt getrennt von den Daten.</td>"), "{health}");
    assert!(health.contains("<td>Schlüssel der Personen</td>"), "{health}");
    assert!(health.contains("<span class=\"state good\">gut</span>"), "{health}");
    assert!(owner.page("/acts").await.contains("<td>hat ein Passwort gewählt</td>"));
}

async fn an_owner_sets_a_shop_and_a_secret_is_shown_once(world: World) {
    let owner = Browser::sign_in_as(&world, "Owner", "owner", &[]).await;
    let wrong = owner.send_form("/new-shop", &[("name", "no name"), ("currency", "GBP")]).await;
    assert!(wrong.status == 400 && wrong.text.contains("value=\"no name\""), "{}", wrong.text);
    let added = owner.send_form("/new-shop", &[("name", "new"), ("currency", "gbp")]).await;
    let shown = owner.page(added.header("location")).await;
    assert!(added.status == 303 && shown.contains("SecretKey ls_"), "{shown}");
    assert!(!owner.page(added.header("location")).await.contains("ls_"));
    let page = "/shops/new/settings";
    let about = [
        ("do", "about"),
        ("display_name", "The New"),
        ("contact", "privacy@new.example"),
        ("language", "de"),
    ];
    assert_eq!(owner.send_form(page, &about).await.status, 303);
    let set = owner.page(page).await;
    assert!(set.contains("value=\"The New\"") && !set.contains("ls_"), "{set}");
    let quota = owner.send_form(page, &[("do", "quota"), ("quota", "many")]).await;
    assert!(quota.status == 400 && quota.text.contains("value=\"many\""), "{}", quota.text);
    assert_eq!(owner.send_form(page, &[("do", "quota"), ("quota", "2GB")]).await.status, 303);
    assert_eq!(owner.send_form(page, &[("do", "guard"), ("percent", "35")]).await.status, 303);
    let listed = world.control("/control/account/list", json!({})).await;
    assert_eq!((&listed[0]["QuotaBytes"], &listed[0]["RemovalGuard"]), (&json!(2_000_000_000), &json!(35)));
    let hosts = [
        ("do", "hosts"),
        ("pictures", "https://a.new.example  https://b.example"),
        ("origins", "https://new.example"),
    ];
    assert_eq!(owner.send_form(page, &hosts).await.status, 303);
    let search = world.control("/control/account/search", json!({"Name": "new"})).await;
    assert_eq!(search["Pictures"], json!(["https://a.new.example", "https://b.example"]));
    assert_eq!(search["Origins"], json!(["https://new.example"]));
    let shown = owner.page(page).await.replace("&#x2f;", "/");
    assert!(
        shown.contains("value=\"https://a.new.example https://b.example\"")
            && shown.contains("value=\"2GB\""),
        "{shown}"
    );
    let made = owner.post_form(page, &[("do", "rotate")]).await;
    assert!(owner.page(&made).await.contains("<pre>ls_"));
    // Loading the page again makes no other secret, and shows none.
    assert!(!owner.page(&made).await.contains("ls_"));
    assert_eq!(owner.send_form(page, &[("do", "revoke"), ("number", "1")]).await.status, 303);
    let keys = world.control("/control/key/list", json!({"Name": "new"})).await;
    assert_eq!(keys["Secrets"][0]["Live"], false);
    let refused = owner.send_form(page, &[("do", "webhook"), ("url", "http://10.0.0.1/hook")]).await;
    assert!(refused.status == 400 && refused.text.contains("10.0.0.1"), "{}", refused.text);
    let told = owner.post_form(page, &[("do", "webhook"), ("url", "http://127.0.0.1:9/hook")]).await;
    assert!(owner.page(&told).await.contains("whsec_"));
    assert_eq!(owner.send_form(page, &[("do", "webhook-test")]).await.status, 303);
    assert!(owner.page(page).await.contains("Waiting messages: 1."));
    assert_eq!(owner.send_form(page, &[("do", "webhook-remove")]).await.status, 303);
    assert_eq!(owner.send_form(page, &[("do", "anything")]).await.status, 404);
    let shop = Shop { name: "new".to_owned(), key: String::new(), secret: String::new() };
    let viewer = Browser::sign_in_as(&world, "Viewer", "viewer", &[&shop]).await;
    for path in [page, "/new-shop"] {
        assert_eq!(viewer.get(path).await.status, 403);
        assert_eq!(viewer.send_form(path, &[("do", "rotate"), ("name", "x")]).await.status, 403);
    }
}

async fn one_operator_more_than_there_may_be_is_refused(world: World) {
    let keys = world.node().keys.clone();
    let now = world.clock.now();
    let adding = world.node().store.write(Owner::STORE, move |tx| {
        for number in 1..limits::OPERATORS {
            let id = (number as u128).to_be_bytes();
            let name = format!("operator {number}");
            let sealed = keys.seal_operator_name(&id, name.as_bytes())?;
            tx.exec(&sql::operator_insert, args![&id, "owner", &id, now, now])?;
            tx.exec(&sql::operator_name_insert, args![&keys.operator_tag(&name), &id, sealed.as_slice()])?;
        }
        Ok::<_, OperatorFault>(())
    });
    adding.await.map_err(|fault| fault.to_string()).expect("added");
    let add = async |name: &str| {
        let answer = world.control_answer("/control/operator/add", json!({"Name": name})).await;
        (answer.0.as_u16(), answer.1)
    };
    assert_eq!(add("The last").await.0, 200);
    let refused = add("One more").await;
    let sentence = "there are 500 operators already, the most there may be";
    assert!(refused.0 == 409 && refused.1.contains(sentence), "{refused:?}");
    // A removed operator makes room.
    world.control("/control/operator/remove", json!({"Name": "Operator 1"})).await;
    assert_eq!((add("One more").await.0, add("Two more").await.0), (200, 409));
}

async fn the_overview_counts_of_the_first_shops_and_names_all(world: World) {
    const MORE: usize = 2;
    for number in 0..limits::OVERVIEW_SHOPS + MORE {
        world.shop(&format!("shop{number}")).await;
    }
    let browser = Browser::sign_in_as(&world, "Owner", "owner", &[]).await;
    let page = browser.page("/").await;
    // None has anything published.
    let count = |overdue: &str| {
        let cells = "<td class=\"number\">–</td><td class=\"number\">";
        page.matches(&format!("{cells}{overdue}</td>")).count()
    };
    assert_eq!((count("0"), count("–")), (limits::OVERVIEW_SHOPS, MORE), "{page}");
    assert_eq!(page.matches("<tr><td><a href=\"/shops/").count(), limits::OVERVIEW_SHOPS + MORE);
    assert!(page.contains("first 100"), "it says so: {page}");
}
