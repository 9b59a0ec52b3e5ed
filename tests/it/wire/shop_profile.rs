//! Details of a shop: a name, a contact and a language, in the list of accounts, in exports and on the page of a
//! certificate.

use axum::body::Body;
use axum::http::Request;
use http_body_util::BodyExt;
use lethe::keys::SlotNumber;
use lethe::store::{Statement, StoreFault};
use serde_json::{Value, json};
use tower::ServiceExt;

use crate::support::world::{Reply, Shop, World, on_both_engines, statement};

on_both_engines! {
    a_shop_has_a_name_a_contact_and_a_language
    what_cannot_stand_on_a_page_is_refused_with_the_reason
    a_contact_stands_readable_nowhere_and_holds_no_erasure_up
    a_contact_that_is_changed_leaves_no_key
    a_contact_goes_with_the_key_folder_and_the_name_stays
    a_certificate_is_a_page_for_whoever_accepts_one
}

/// One of the operator's requests, with the status of its answer.
async fn set_profile(world: &World, body: Value) -> (u16, Value) {
    let request = Request::post("/control/account/set")
        .header("content-type", "application/json")
        .extension(lethe::transport::peer::Peer::Operator)
        .body(Body::from(body.to_string()))
        .expect("a request");
    let answer =
        lethe::admin::routes::control(world.node().clone()).oneshot(request).await.expect("an answer");
    let status = answer.status().as_u16();
    let body = answer.into_body().collect().await.expect("a body").to_bytes();
    (status, serde_json::from_slice(&body).expect("JSON"))
}

/// The answer without the account's holding.
async fn about(world: &World, shop: &Shop) -> Value {
    let mut told = world.ask_json(shop, "/api/account", json!({})).await;
    let fields = told.as_object_mut().expect("an object");
    fields.retain(|name, _| !matches!(name.as_str(), "HeldBytes" | "QuotaBytes"));
    told
}

async fn a_shop_has_a_name_a_contact_and_a_language(mut world: World) {
    let shop = world.shop("one").await;
    let other = world.shop("other").await;
    let nothing =
        json!({"Name": "one", "DisplayName": null, "Contact": null, "Language": "en", "Currency": "GBP"});
    assert_eq!(about(&world, &shop).await, nothing);
    let said = json!({"Name": "one", "DisplayName": "Tea & <b>more</b>", "Contact": "dpo@tea.example", "Language": "de-AT"});
    let told = json!({"Name": "one", "DisplayName": "Tea & <b>more</b>", "Contact": "dpo@tea.example", "Language": "de",
                      "Currency": "GBP"});
    assert_eq!(set_profile(&world, said).await, (200, told.clone()));
    assert_eq!(about(&world, &shop).await, told, "at once: it is remembered nowhere");
    // Omitted fields stay, also over a restart.
    let (_, renamed) = set_profile(&world, json!({"Name": "one", "DisplayName": " Tee "})).await;
    assert_eq!(
        [&renamed["DisplayName"], &renamed["Contact"], &renamed["Language"]],
        ["Tee", "dpo@tea.example", "de"]
    );
    world.restart().await;
    assert_eq!(about(&world, &shop).await, renamed);
    let listed = world.control("/control/account/list", json!({})).await;
    for (name, value) in renamed.as_object().expect("an object") {
        assert_eq!(&listed[0][name], value, "{name}: {listed}");
    }
    assert_eq!(about(&world, &other).await["DisplayName"], Value::Null);
    let export = world.ask_json(&shop, "/api/user/export", json!({"Identifier": "nobody"})).await;
    assert_eq!(
        [&export["Shop"], &export["DisplayName"], &export["Contact"], &export["Language"]],
        ["one", "Tee", "dpo@tea.example", "de"]
    );
    // A language without texts is English, and is said to be.
    let (status, told) = set_profile(&world, json!({"Name": "one", "Language": "tlh"})).await;
    assert_eq!((status, &told["Language"]), (200, &json!("en")));
    let note = told["Note"].as_str().expect("a sentence");
    assert!(note.contains("in English") && note.contains("de (German), fr (French)"), "{note}");
    assert!(!note.contains("tlh"), "{note}");
    // Empty and null fields go.
    let (_, told) = set_profile(&world, json!({"Name": "one", "DisplayName": "", "Contact": null})).await;
    assert_eq!(told, nothing);
    assert_eq!(about(&world, &shop).await, nothing);
}

async fn what_cannot_stand_on_a_page_is_refused_with_the_reason(world: World) {
    let shop = world.shop("one").await;
    for (field, text, reason) in [
        ("DisplayName", "Tea\nmore".to_owned(), "one line of visible text"),
        ("DisplayName", "Tea\u{1b}[2J".to_owned(), "a control character"),
        ("DisplayName", "Tea\u{202e}erom".to_owned(), "turns the direction"),
        ("DisplayName", "Tea\u{2067}more".to_owned(), "turns the direction"),
        ("DisplayName", "x".repeat(201), "1 to 200 bytes"),
        ("DisplayName", "   ".to_owned(), "1 to 200 bytes"),
        ("DisplayName", "\u{a0}\u{200d}".to_owned(), "1 to 200 bytes"),
        ("DisplayName", "\u{200b}".to_owned(), "one line of visible text"),
        ("DisplayName", "Tea, ada@shop.test".to_owned(), "Contact is the place"),
        ("Contact", "a@b.example\u{2028}x".to_owned(), "one line of visible text"),
        ("Contact", "x".repeat(401), "1 to 400 bytes"),
    ] {
        let (status, told) = set_profile(&world, json!({"Name": "one", field: text})).await;
        let sentence = told["Error"].as_str().unwrap_or_default();
        assert!(
            status == 400 && sentence.contains(reason) && sentence.contains(field),
            "{field} {text:?}: {told}"
        );
        assert!(!sentence.contains("ada@"), "{sentence}");
    }
    assert_eq!(set_profile(&world, json!({"Name": "one", "Contact": 7})).await.0, 400);
    assert_eq!(set_profile(&world, json!({"Name": "nobody", "Contact": "x"})).await.0, 404);
    assert_eq!(about(&world, &shop).await["DisplayName"], Value::Null);
    // The longest that fits, and letters of every script.
    for fits in ["x".repeat(200), "ש".repeat(100), "Thé & cætera — чай 茶 👩‍🍳".to_owned()] {
        let (status, told) = set_profile(&world, json!({"Name": "one", "DisplayName": fits})).await;
        assert_eq!((status, told["DisplayName"].as_str()), (200, Some(fits.as_str())));
    }
    let refused = world.post("/api/account", &json!({"AccessKey": shop.key, "SecretKey": "wrong"})).await;
    refused.expect_refusal(403);
}

/// Forgets a person and returns the id of the erasure, which has to be verified.
async fn forget_person(world: &World, shop: &Shop, identifier: &str) -> String {
    let reply = world.ask(shop, "/api/user/forget", json!({"Identifier": identifier})).await;
    let id = reply.header("x-erasure-id").to_owned();
    world.run_all_jobs().await;
    let done = world.ask_json(shop, "/api/erasure", json!({"Erasure": id})).await;
    assert_eq!(done["State"], "verified", "{done}");
    id
}

/// The contact of a shop may be a customer of this or another shop, and be forgotten.
async fn a_contact_stands_readable_nowhere_and_holds_no_erasure_up(world: World) {
    const ADDRESS: &str = "ada.lovelace@tea-shop.test";
    let shop = world.shop("one").await;
    assert_eq!(set_profile(&world, json!({"Name": "one", "Contact": ADDRESS})).await.0, 200);
    world.apply_delta(&shop, json!({"Users": [{"UserId": "u-1", "Email": ADDRESS}]})).await;
    let id = forget_person(&world, &shop, ADDRESS).await;
    let body =
        world.ask_json(&shop, "/api/erasure/certificate", json!({"Erasure": id})).await["Body"].clone();
    assert!(body["Scan"]["Scanned"].as_u64() > Some(0) && body["Scan"]["Found"] == 0, "{body}");
    assert_eq!(about(&world, &shop).await["Contact"], ADDRESS, "it is the shop's");
    let (_, stored) = read_sealed_contact(&world).await.expect("a contact");
    assert!(!String::from_utf8_lossy(&stored).contains("lovelace"));
}

/// The sealed contact of the only shop that has one, with its slot.
async fn read_sealed_contact(world: &World) -> Option<(SlotNumber, Vec<u8>)> {
    const STORED: Statement = statement(
        "contact",
        "SELECT contact, contact_slot FROM account_about WHERE contact_slot IS NOT NULL",
    );
    let rows = world.node().store.read(|tx| tx.run(&STORED, lethe::args![])).await;
    let rows = rows.map_err(|fault: StoreFault| fault).expect("rows");
    let row = rows.first()?;
    let slot = SlotNumber::from_row(row.int("contact_slot").expect("a slot")).expect("a slot");
    Some((slot, row.blob("contact").expect("bytes").to_vec()))
}

/// The contact that a copy of the database gives away with the present keys.
fn open_contact(world: &World, (slot, sealed): &(SlotNumber, Vec<u8>)) -> Option<String> {
    let aad = [b"lethe/account-contact/v1/".as_slice(), &1_i64.to_le_bytes()].concat();
    let opened = world.node().keys.sealer(*slot).and_then(|sealer| sealer.open(&aad, sealed));
    opened.ok().map(|text| String::from_utf8_lossy(&text).into_owned())
}

async fn a_contact_that_is_changed_leaves_no_key(world: World) {
    world.shop("one").await;
    let mut old = Vec::new();
    for contact in ["a@b.example", "https://shop.example/contact", ""] {
        assert_eq!(set_profile(&world, json!({"Name": "one", "Contact": contact})).await.0, 200);
        assert!(
            old.iter().all(|old| open_contact(&world, old).is_none()),
            "a copy of what was before {contact:?}"
        );
        if let Some(sealed) = read_sealed_contact(&world).await {
            assert_eq!(open_contact(&world, &sealed).as_deref(), Some(contact));
            old.push(sealed);
        }
    }
    assert_eq!((old.len(), read_sealed_contact(&world).await.is_none()), (2, true));
}

async fn a_contact_goes_with_the_key_folder_and_the_name_stays(mut world: World) {
    let shop = world.shop("one").await;
    let said = json!({"Name": "one", "DisplayName": "Tea", "Contact": "dpo@tea.example", "Language": "fr"});
    assert_eq!(set_profile(&world, said).await.0, 200);
    crate::support::backups::lose_keys(&mut world).await;
    let told = about(&world, &shop).await;
    assert_eq!([&told["DisplayName"], &told["Language"]], ["Tea", "fr"]);
    assert_eq!((&told["Contact"], read_sealed_contact(&world).await.is_none()), (&Value::Null, true));
    // No row names the slot of the lost key, which may hold another's key by now.
    world.restart().await;
    let (status, told) = set_profile(&world, json!({"Name": "one", "Contact": "new@tea.example"})).await;
    assert_eq!((status, &told["Contact"]), (200, &json!("new@tea.example")));
}

async fn page(world: &World, shop: &Shop, accept: &str, mut body: Value) -> Reply {
    body["AccessKey"] = shop.key.as_str().into();
    body["SecretKey"] = shop.secret.as_str().into();
    let request =
        world.request("POST", "/api/erasure/certificate").header("content-type", "application/json");
    world.send(request.header("accept", accept).body(body.to_string())).await
}

async fn a_certificate_is_a_page_for_whoever_accepts_one(world: World) {
    let shop = world.shop("one").await;
    let said = json!({"Name": "one", "DisplayName": "Tee & <script>", "Contact": "dpo@tea.example", "Language": "de"});
    assert_eq!(set_profile(&world, said).await.0, 200);
    world.apply_delta(&shop, json!({"Users": [{"UserId": "u-1", "Email": "ada@shop.test"}]})).await;
    let id = forget_person(&world, &shop, "u-1").await;
    let asked = json!({"Erasure": id});
    for json in ["*/*", "application/json", "text/html, application/json"] {
        let reply = page(&world, &shop, json, asked.clone()).await;
        assert_eq!((reply.header("content-type"), reply.header("vary")), ("application/json", "accept"));
        lethe_verify::check_certificate(&reply.text, None).map(drop).expect("it proves what it says");
    }
    let shown = page(&world, &shop, "text/html,application/xhtml+xml;q=0.9", asked.clone()).await;
    assert_eq!((shown.status, shown.header("content-type")), (200, "text/html; charset=utf-8"));
    let policy = shown.header("content-security-policy");
    for part in ["default-src 'none'", "style-src 'sha256-", "frame-ancestors 'none'", "form-action 'none'"] {
        assert!(policy.contains(part), "{policy}");
    }
    assert!(!policy.contains("unsafe"), "{policy}");
    for (name, value) in [
        ("content-language", "de"),
        ("x-content-type-options", "nosniff"),
        ("cache-control", "no-store"),
        ("vary", "accept"),
        ("x-language-note", ""),
    ] {
        assert_eq!(shown.header(name), value, "{name}");
    }
    let certificate = page(&world, &shop, "*/*", asked.clone()).await.json();
    let key = certificate["Checkpoint"]["Key"].as_str().expect("a key").to_owned();
    for part in [
        "<h1>Bescheinigung über eine Löschung</h1>",
        "Tee &amp; &lt;script&gt;",
        "<td>one</td>",
        "dpo@tea.example",
        &id,
        &key,
        certificate["Checkpoint"]["Root"].as_str().expect("a root"),
        certificate["Entry"]["Certificate"].as_str().expect("a hash"),
        &format!("<th>Eintrag im Löschverzeichnis, von 0 an gezählt</th><td>{}</td>", certificate["Index"]),
        "Profil, Bestellungen und was die Person im Shop getan hat</td><td class=\"n\">1</td><td class=\"n\">0</td>",
    ] {
        assert!(shown.text.contains(part), "no {part}: {}", shown.text);
    }
    assert!(!shown.text.contains("<script") && !shown.text.contains("u-1") && !shown.text.contains("ada@"));
    let french = page(&world, &shop, "text/html", json!({"Erasure": id, "Language": "fr-CA"})).await;
    assert!(
        french.text.contains("<h1>Attestation d’effacement</h1>")
            && french.header("content-language") == "fr"
    );
    let unknown = page(&world, &shop, "text/html", json!({"Erasure": id, "Language": "tlh"})).await;
    assert!(unknown.text.contains("<h1>Certificate of an erasure</h1>"), "{}", unknown.text);
    assert!(unknown.header("x-language-note").contains("in English"), "{:?}", unknown.headers);
    // A refusal stays one sentence of JSON.
    page(&world, &shop, "text/html", json!({"Erasure": "nonsense"})).await.expect_refusal(404);
}

/// A text that is misspelt in the program would be shown by its key; a translation of an unused one is wasted.
#[test]
fn every_text_that_is_named_is_there_and_every_text_is_named() {
    let texts: toml::Table = include_str!("../../../src/i18n/en.toml").parse().expect("TOML");
    let mut there = std::collections::BTreeSet::new();
    for section in ["format", "letter", "files", "export", "access", "certificate"] {
        let keys = texts[section].as_table().expect("a section").keys();
        there.extend(keys.map(|key| format!("{section}.{key}")));
    }
    let sources = crate::support::sources::sources().into_iter();
    let sources =
        sources.filter(|(name, _)| name.starts_with("evidence/documents/") || name == "i18n/mod.rs");
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/evidence/documents/templates");
    let templates = std::fs::read_dir(folder).expect("templates").map(|entry| {
        let path = entry.expect("an entry").path();
        (path.display().to_string(), std::fs::read_to_string(path).expect("a text"))
    });
    let sources = sources.chain(templates);
    let mut named = std::collections::BTreeSet::new();
    for (_, text) in sources {
        let code = text.split("#[cfg(test)]").next().unwrap_or_default().to_owned();
        let is_file = |text: &&str| text.ends_with(".html") || text.ends_with(".txt");
        let quoted = code.split('"').skip(1).step_by(2).filter(|text| !is_file(text));
        let is_key = |text: &&str| {
            let name =
                |name: &str| !name.is_empty() && name.chars().all(|c| c.is_ascii_lowercase() || c == '_');
            text.split_once('.').is_some_and(|(section, key)| texts.contains_key(section) && name(key))
        };
        named.extend(quoted.filter(is_key).map(str::to_owned));
    }
    assert!(named.len() > 70, "{named:?}");
    assert_eq!(named, there);
}
