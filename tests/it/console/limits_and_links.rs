//! Limits of the console, links that open nothing any more, and what an owner does to operators by its forms.

use std::time::Duration;

use lethe::limits;
use reqwest::header::ACCEPT;
use serde_json::{Value, json};

use crate::support::console::{
    Browser, FORM, PASSWORD, encode_form, find_operator, link_path, operator_page, send_request,
};
use crate::support::feed_server::Answer;
use crate::support::key_slots::damage_keys;
use crate::support::world::{Reply, Shop, World, on_both_engines};

on_both_engines! {
    the_link_of_an_operator_who_may_do_nothing_opens_nothing
    a_name_is_of_one_operator_and_has_its_length
    an_owner_changes_operators_by_forms_and_each_change_is_a_line
    codes_of_one_operator_are_tried_a_few_times_from_whatever_address
    codes_are_tried_a_few_times_from_one_address_whoever_tries
    what_was_begun_can_be_left
    files_may_be_kept_and_pages_may_not
    a_list_may_be_long_and_another_form_may_not
    a_part_that_stays_the_same_is_sent_once
    so_many_parts_of_a_shop_are_followed_and_those_of_another_shop_still_are
    a_person_whose_key_is_lost_is_shown_and_forgotten
    the_quality_of_the_catalogue_is_that_of_the_newest_feed_that_was_read
    the_page_of_a_shop_counts_what_failed_and_what_is_verified
    a_new_secret_of_a_webhook_is_shown_once
    an_operator_changes_their_own_password_and_their_other_sessions_end
    a_missing_shop_is_named_to_an_owner_alone
    an_item_whose_id_browsers_take_for_a_folder_has_its_page
}

async fn an_item_whose_id_browsers_take_for_a_folder_has_its_page(world: World) {
    let shop = world.shop("one").await;
    let chair = |id: &str| json!({"Id": id, "Title": format!("Chair {id}"), "Prices": ["1 GBP"]});
    world.complete_feed(&shop, "/f", &json!({"Products": ([".", ".."].map(chair))})).await;
    let viewer = Browser::sign_in_as(&world, "Viewer", "viewer", &[&shop]).await;
    let found = viewer.page("/shops/one/search?q=chair").await;
    for id in [".", ".."] {
        let address = format!("/shops/one/catalogue?id={id}");
        assert!(found.contains(&format!("href=\"{address}\"")), "{address}: {found}");
        let page = viewer.page(&address).await;
        assert!(page.contains(&format!("<h1>Chair {id}</h1>")), "{page}");
        let led = viewer.get(&format!("/shops/one/catalogue?find={id}")).await;
        assert!(viewer.page(led.header("location")).await.contains(&format!("<h1>Chair {id}</h1>")), "{id}");
    }
}

async fn an_operator_changes_their_own_password_and_their_other_sessions_end(world: World) {
    let mut browser = Browser::sign_in_as(&world, "Owner", "owner", &[]).await;
    let mut other = Browser::new(&world);
    assert_eq!(other.sign_in("Owner", PASSWORD).await.status, 303);
    let new = "another password of mine";
    let change = async |browser: &Browser<'_>, present: &str, new: &str, again: &str| {
        let form = [("do", "password"), ("password", present), ("new", new), ("again", again)];
        browser.send_form("/me", &form).await
    };
    for (present, typed, again, said) in [
        ("not the password", new, new, "This password is wrong."),
        (PASSWORD, new, "another one of mine", "The two passwords differ."),
        (PASSWORD, "short", "short", "A password has at least"),
    ] {
        let refused = change(&browser, present, typed, again).await;
        assert!(refused.status == 422 && refused.text.contains(said), "{said}: {}", refused.text);
    }
    let changed = change(&browser, PASSWORD, new, new).await;
    assert_eq!((changed.status, changed.header("location")), (303, "/me?changed=yes"), "{}", changed.text);
    assert_eq!(browser.get("/me").await.status, 303, "this session goes on as a new one");
    browser.cookie = changed.header("set-cookie").split(';').next().unwrap_or_default().to_owned();
    assert!(browser.page("/me?changed=yes").await.contains("Your password was changed."));
    assert_eq!(other.get("/me").await.status, 303, "the other session has ended");
    assert_eq!(other.sign_in("Owner", PASSWORD).await.status, 401);
    assert_eq!(other.sign_in("Owner", new).await.status, 303);
    let acts = world.control("/control/operator/acts", json!({})).await.to_string();
    assert!(acts.contains("password-changed") && acts.contains("password-refused"), "{acts}");
}

async fn a_missing_shop_is_named_to_an_owner_alone(world: World) {
    let shop = world.shop("one").await;
    let owner = Browser::sign_in_as(&world, "Owner", "owner", &[]).await;
    let missing = owner.get("/shops/nope").await;
    assert_eq!(missing.status, 404);
    assert!(missing.text.contains("There is no shop ‘nope’."), "{}", missing.text);
    let viewer = Browser::sign_in_as(&world, "Viewer", "viewer", &[&shop]).await;
    world.shop("other").await;
    for foreign in ["/shops/nope", "/shops/other"] {
        let refused = viewer.get(foreign).await;
        assert!(refused.status == 403 && !refused.text.contains("There is no shop"), "{}", refused.text);
    }
}

async fn the_link_of_an_operator_who_may_do_nothing_opens_nothing(world: World) {
    let made = world.control("/control/operator/add", json!({"Name": "Front desk"})).await;
    let link = link_path(&made["Link"]);
    let browser = Browser::new(&world);
    let state = async |state: &str| {
        world.control("/control/operator/set", json!({"Name": "Front desk", "State": state})).await;
    };
    state("disabled").await;
    assert_eq!(browser.get(&link).await.status, 404);
    assert_eq!(browser.follow_link(&link).await.status, 404);
    state("enabled").await;
    assert_eq!(browser.get(&link).await.status, 200);
    world.clock.advance(limits::OPERATOR_LINK_DURATION - Duration::from_millis(1));
    assert_eq!(browser.get(&link).await.status, 200, "to the day");
    let renewed = world.control("/control/operator/reset", json!({"Name": "Front desk"})).await;
    assert_eq!(browser.get(&link).await.status, 404, "another took its place");
    let link = link_path(&renewed["Link"]);
    assert_eq!(browser.get(&link).await.status, 200);
    world.control("/control/operator/remove", json!({"Name": "Front desk"})).await;
    assert_eq!(browser.follow_link(&link).await.status, 404);
}

async fn a_name_is_of_one_operator_and_has_its_length(world: World) {
    world.shop("shop").await;
    world.shop("other").await;
    let add = async |body: Value| world.control_answer("/control/operator/add", body).await.0.as_u16();
    let long = "é".repeat(limits::OPERATOR_NAME_CHARS);
    assert_eq!(add(json!({"Name": long})).await, 200);
    assert_eq!(add(json!({"Name": format!("{long}é")})).await, 400);
    for name in ["", "  ", "a\u{202e}b", "a\nb"] {
        assert_eq!(add(json!({"Name": name})).await, 400, "{name:?}");
    }
    assert_eq!(add(json!({"Name": " Front Desk "})).await, 200);
    assert_eq!(add(json!({"Name": "front desk"})).await, 409);
    assert_eq!(find_operator(&world, "Front Desk").await["Role"], "owner");
    // A shop that is named twice counts once; and a change of the role alone leaves the shops as they are.
    let twice = json!({"Name": "Viewer", "Role": "viewer", "Shops": ["other", "shop", "other"]});
    assert_eq!(add(twice).await, 200);
    assert_eq!(find_operator(&world, "Viewer").await["Shops"], json!(["shop", "other"]));
    let set = async |body: Value| world.control_answer("/control/operator/set", body).await.0.as_u16();
    assert_eq!(set(json!({"Name": "Viewer", "Role": "merchandiser"})).await, 200);
    let now = find_operator(&world, "Viewer").await;
    assert_eq!((&now["Role"], &now["Shops"]), (&json!("merchandiser"), &json!(["shop", "other"])));
    assert_eq!(set(json!({"Name": "viewer", "Shops": ["shop"]})).await, 200);
    let now = find_operator(&world, "Viewer").await;
    assert_eq!((&now["Role"], &now["Shops"]), (&json!("merchandiser"), &json!(["shop"])));
    assert_eq!(set(json!({"Name": "Viewer", "Shops": []})).await, 400, "no shop is left");
    assert_eq!(set(json!({"Name": "Viewer", "Shops": ["shop", "gone"]})).await, 404, "no such shop");
    assert_eq!(add(json!({"Name": "Nobody", "Role": "viewer", "Shops": ["gone"]})).await, 404);
    assert_eq!(find_operator(&world, "Viewer").await["Shops"], json!(["shop"]));
    assert_eq!(set(json!({"Name": "Viewer", "State": "gone"})).await, 400);
    // The time since which they may do nothing is that of the first word.
    let disable = json!({"Name": "Viewer", "State": "disabled"});
    set(disable.clone()).await;
    let since = find_operator(&world, "Viewer").await["DisabledAt"].clone();
    world.clock.advance(Duration::from_secs(60));
    set(disable).await;
    assert_eq!(find_operator(&world, "Viewer").await["DisabledAt"], since);
}

async fn an_owner_changes_operators_by_forms_and_each_change_is_a_line(world: World) {
    let shop = world.shop("shop").await;
    let owner = Browser::sign_in_as(&world, "Owner", "owner", &[]).await;
    let mut viewer = Browser::sign_in_as(&world, "Viewer", "viewer", &[&shop]).await;
    let page = operator_page(&world, "Viewer").await;
    let change = async |fields: &[(&str, &str)]| owner.send_form(&page, fields).await;
    assert_eq!(change(&[("do", "disable")]).await.header("location"), "/operators");
    assert_eq!(viewer.sign_in("Viewer", PASSWORD).await.status, 401);
    assert_eq!(change(&[("do", "enable")]).await.status, 303);
    assert_eq!(viewer.sign_in("Viewer", PASSWORD).await.status, 303);
    assert_eq!(change(&[("do", "set"), ("role", "merchandiser"), ("shop", "shop")]).await.status, 303);
    assert_eq!(find_operator(&world, "Viewer").await["Role"], "merchandiser");
    for wrong in [vec![("do", "set"), ("role", "king"), ("shop", "shop")], vec![("do", "nothing")], vec![]] {
        assert_eq!(change(&wrong).await.status, 404, "{wrong:?}");
    }
    let reset = change(&[("do", "reset")]).await;
    let link = reset.header("location").to_owned();
    assert!(owner.page(&link).await.contains("/link/"));
    assert!(!owner.page(&link).await.contains("/link/"), "once");
    assert_eq!(viewer.sign_in("Viewer", PASSWORD).await.status, 401);
    let acts = world.control("/control/operator/acts", json!({})).await;
    for act in ["operator-disabled", "operator-enabled", "operator-became-merchandiser", "operator-reset"] {
        let line = acts.as_array().into_iter().flatten().find(|line| line["Act"] == act);
        let about = line.unwrap_or_else(|| panic!("{act}: {acts}"))["About"].as_str().expect("a number");
        assert!(page.ends_with(about), "{act}: {about}");
    }
}

/// Sends a code that cannot be right, as a proxy passes it on for a client.
async fn send_code(browser: &Browser<'_>, token: &str, client: &str) -> u16 {
    let form = encode_form(&[("form_token", token), ("do", "off"), ("code", "000000")]);
    let request = browser.ask("POST", "/me").header("content-type", FORM).header("x-forwarded-for", client);
    send_request(request.body(form)).await.status
}

async fn behind_a_proxy(mut world: World) -> World {
    world.config.trusted_proxies = vec!["127.0.0.0/8".parse().expect("a network")];
    world.restart().await;
    world
}

async fn codes_of_one_operator_are_tried_a_few_times_from_whatever_address(world: World) {
    let world = behind_a_proxy(world).await;
    let owner = Browser::sign_in_as(&world, "Owner", "owner", &[]).await;
    let other = Browser::sign_in_as(&world, "Other", "owner", &[]).await;
    let token = owner.form_token().await;
    let mut answers = Vec::new();
    for number in 0..=limits::CODES_OF_OPERATOR {
        answers.push(send_code(&owner, &token, &format!("10.0.0.{number}")).await);
    }
    let (last, before) = answers.split_last().expect("answers");
    assert!(before.iter().all(|status| *status == 422) && *last == 429, "{answers:?}");
    let token = other.form_token().await;
    assert_eq!(send_code(&other, &token, "10.0.0.1").await, 422, "others are not held up");
}

async fn codes_are_tried_a_few_times_from_one_address_whoever_tries(world: World) {
    let world = behind_a_proxy(world).await;
    let mut answers = Vec::new();
    for name in ["One", "Two", "Three"] {
        let browser = Browser::sign_in_as(&world, name, "owner", &[]).await;
        let token = browser.form_token().await;
        for _ in 0..limits::CODES_OF_OPERATOR - 4 {
            answers.push(send_code(&browser, &token, "10.0.0.1").await);
        }
    }
    assert!(answers.contains(&429), "{answers:?}");
}

async fn what_was_begun_can_be_left(world: World) {
    let owner = Browser::sign_in_as(&world, "Owner", "owner", &[]).await;
    owner.send_form("/me", &[("do", "begin"), ("password", PASSWORD)]).await;
    assert!(owner.page("/me").await.contains("<svg"));
    let left = owner.send_form("/me", &[("do", "leave")]).await;
    assert_eq!((left.status, left.header("location")), (303, "/me"));
    assert!(!owner.page("/me").await.contains("<svg"), "whoever sits there next does not see it");
}

async fn files_may_be_kept_and_pages_may_not(world: World) {
    let owner = Browser::sign_in_as(&world, "Owner", "owner", &[]).await;
    let page = owner.page("/places").await;
    let (_, style) = page.split_once("href=\"/files/style.css").expect("a style");
    let style = format!("/files/style.css{}", style.split('"').next().unwrap_or_default());
    assert!(style.contains("?v="), "the address says which content it is for: {style}");
    for (path, status, kept) in [
        (style.as_str(), 200, "public, max-age=31536000, immutable"),
        // Asked for by a page of another version.
        ("/files/style.css?v=0123456789abcdef", 200, "no-cache"),
        ("/files/style.css", 200, "no-cache"),
        ("/files/nothing", 404, "no-store"),
        ("/places", 200, "no-store"),
        ("/nothing", 404, "no-store"),
    ] {
        let reply = owner.get(path).await;
        assert_eq!((reply.status, reply.header("cache-control")), (status, kept), "{path}");
        assert_eq!(reply.header("referrer-policy"), "same-origin", "{path}");
        assert_eq!(reply.header("cross-origin-opener-policy"), "same-origin", "{path}");
    }
}

async fn a_list_may_be_long_and_another_form_may_not(world: World) {
    let shop = world.shop("shop").await;
    let seller = Browser::sign_in_as(&world, "Seller", "merchandiser", &[&shop]).await;
    let officer = Browser::sign_in_as(&world, "Officer", "privacy-officer", &[&shop]).await;
    // Each letter takes three in a form.
    let long = format!("[{}]", " ".repeat(limits::FORM_BYTES / 3 + 1));
    let tried = seller.send_form("/shops/shop/rules", &[("list", &long), ("do", "try")]).await;
    assert_eq!(tried.status, 303, "{}", tried.text);
    let refused = officer.send_form("/shops/shop/people", &[("identifier", &long)]).await;
    assert_eq!(refused.status, 413, "{}", refused.text);
}

/// Begins an erasure; returns the path of its page.
async fn forget(world: &World, shop: &Shop, number: usize) -> String {
    let asked = json!({"Identifier": format!("userid:canary-{number}")});
    let erasure = world.ask(shop, "/api/user/forget", asked).await.header("x-erasure-id").to_owned();
    format!("/shops/{}/erasures/{erasure}", shop.name)
}

async fn follow(browser: &Browser<'_>, page: &str) -> reqwest::Response {
    let following = browser.ask("GET", &format!("{page}/live")).header(ACCEPT, "text/event-stream");
    following.send().await.expect("an answer")
}

async fn a_part_that_stays_the_same_is_sent_once(world: World) {
    let shop = world.shop("shop").await;
    let page = forget(&world, &shop, 1).await;
    let viewer = Browser::sign_in_as(&world, "Viewer", "viewer", &[&shop]).await;
    let mut stream = follow(&viewer, &page).await;
    let first = stream.chunk().await.expect("a text").expect("a part");
    assert!(String::from_utf8_lossy(&first).contains("It continues"), "{first:?}");
    let more = tokio::time::timeout(Duration::from_millis(1000), stream.chunk()).await;
    assert!(more.is_err(), "{more:?}");
    // Who comes later gets it at once, and not only when it changes.
    let mut later = follow(&viewer, &page).await;
    let first = tokio::time::timeout(Duration::from_secs(20), later.chunk()).await.expect("in time");
    assert!(first.expect("a text").is_some());
}

async fn so_many_parts_of_a_shop_are_followed_and_those_of_another_shop_still_are(world: World) {
    let shop = world.shop("shop").await;
    let other = world.shop("other").await;
    let viewer = Browser::sign_in_as(&world, "Viewer", "viewer", &[&shop, &other]).await;
    let mut followed = Vec::new();
    for number in 0..limits::EVENT_STREAMS_OF_ACCOUNT {
        let page = forget(&world, &shop, number).await;
        let stream = follow(&viewer, &page).await;
        assert_eq!(stream.status(), 200, "{number}");
        followed.push((page, stream));
    }
    let one_more = forget(&world, &shop, 999).await;
    assert_eq!(follow(&viewer, &one_more).await.status(), 503);
    assert_eq!(follow(&viewer, &followed[0].0).await.status(), 200, "it is followed already");
    let of_other = forget(&world, &other, 1).await;
    assert_eq!(follow(&viewer, &of_other).await.status(), 200);
}

async fn a_person_whose_key_is_lost_is_shown_and_forgotten(mut world: World) {
    let shop = world.shop("shop").await;
    world.apply_delta(&shop, json!({"Users": [{"UserId": "canary-7", "FirstName": "Quintessa"}]})).await;
    world.stop().await;
    damage_keys(&world);
    world.restart().await;
    let officer = Browser::sign_in_as(&world, "Officer", "privacy-officer", &[&shop]).await;
    let person = officer.find(&shop, "userid:canary-7").await;
    let page = officer.page(&person).await;
    assert!(page.contains("lost") && !page.contains("Quintessa"), "{page}");
    assert_eq!(officer.get(&format!("{person}/export")).await.status, 410);
    let confirmed = [("confirmation", "userid:canary-7")];
    let forgotten = officer.send_form(&format!("{person}/forget"), &confirmed).await;
    assert_eq!(forgotten.status, 303, "{}", forgotten.text);
    world.run_all_jobs().await;
    assert_eq!(world.subjects(&shop).await, 0);
}

/// Sends a feed and works; returns its token, however it ended.
async fn send_feed(world: &World, shop: &Shop, path: &str, body: &str, is_dry_run: bool) -> String {
    let url = world.feeds.serve(path, [Answer::ok(body.to_owned())]);
    let reply: Reply = world.ask(shop, "/api/productfeed", json!({"url": url, "DryRun": is_dry_run})).await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    world.run_all_jobs().await;
    reply.header("x-feed-token").to_owned()
}

async fn the_quality_of_the_catalogue_is_that_of_the_newest_feed_that_was_read(world: World) {
    let shop = world.shop("shop").await;
    let viewer = Browser::sign_in_as(&world, "Viewer", "viewer", &[&shop]).await;
    let feed = |id: usize| json!({"Products": [{"Id": id, "Title": "A chair"}]}).to_string();
    let older = send_feed(&world, &shop, "/older", &feed(1), false).await;
    let read = send_feed(&world, &shop, "/read", &feed(2), false).await;
    let dry = send_feed(&world, &shop, "/dry", &feed(3), true).await;
    let page = "/shops/shop/reports?about=catalogue";
    // So many that could not be read are passed over.
    for number in 0..4 {
        send_feed(&world, &shop, &format!("/{number}"), "<html>", false).await;
        let told = viewer.page(page).await;
        assert!(told.contains(&read) && !told.contains(&older) && !told.contains(&dry), "{number}: {told}");
    }
    let url = world.feeds.serve("/waits", [Answer::ok(feed(9))]);
    let open = world.feed(&shop, &url).await;
    let told = viewer.page(page).await;
    assert!(told.contains(&read) && !told.contains(&open), "{told}");
    world.run_all_jobs().await;
    assert!(viewer.page(page).await.contains(&open), "it is the newest now");
}

async fn the_page_of_a_shop_counts_what_failed_and_what_is_verified(world: World) {
    let shop = world.shop("shop").await;
    let viewer = Browser::sign_in_as(&world, "Viewer", "viewer", &[&shop]).await;
    let page = viewer.page("/shops/shop").await;
    assert!(page.contains("<div class=\"figure\">0 / 0</div>") && !page.contains("figure bad"), "{page}");
    send_feed(&world, &shop, "/good", &json!({"Products": [{"Id": 1}]}).to_string(), false).await;
    send_feed(&world, &shop, "/bad", "<html>", false).await;
    world.delta(&shop, json!({"Products": [{"Title": "no id"}]})).await;
    world.delta(&shop, json!({"Products": [{"Id": 2}]})).await;
    forget(&world, &shop, 1).await;
    world.run_all_jobs().await;
    forget(&world, &shop, 2).await;
    world.delta(&shop, json!({"Products": [{"Id": 3}]})).await;
    let page = viewer.page("/shops/shop").await;
    assert!(page.contains("<div class=\"figure bad\">2</div>"), "a feed and a delta: {page}");
    assert!(page.contains("<div class=\"figure\">1 / 2</div>"), "{page}");
}

async fn a_new_secret_of_a_webhook_is_shown_once(world: World) {
    world.shop("shop").await;
    let owner = Browser::sign_in_as(&world, "Owner", "owner", &[]).await;
    let page = "/shops/shop/settings";
    let set = owner.post_form(page, &[("do", "webhook"), ("url", "http://127.0.0.1:9/hook")]).await;
    let secret = |page: &str| page.split("whsec_").nth(1).map(|rest| rest[..20].to_owned());
    let first = secret(&owner.page(&set).await).expect("a secret");
    let rotated = owner.post_form(page, &[("do", "webhook-rotate")]).await;
    let second = secret(&owner.page(&rotated).await).expect("a secret");
    assert!(first != second && secret(&owner.page(&rotated).await).is_none());
    let acts = world.control("/control/operator/acts", json!({})).await.to_string();
    assert!(acts.contains("webhook-secret-changed") && !acts.contains(&second), "{acts}");
}
