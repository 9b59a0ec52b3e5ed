//! The merchandiser's pages of the console, over HTTP: a query without result gets a synonym, a product is put in
//! front, a campaign is set, each seen before and after, and taken back; reports say what their operation says.

use lethe::limits;
use serde_json::{Value, json};

use crate::support::console::{Browser, PASSWORD};
use crate::support::events::{open_shop, post_events};
use crate::support::plugin::view_event;
use crate::support::reports::{await_page, call_server, fetch_report};
use crate::support::world::{Reply, Shop, World, on_both_engines};

on_both_engines! {
    a_query_without_result_gets_a_synonym
    a_product_is_pinned_seen_before_and_after_and_let_go_again
    what_cannot_be_read_stays_as_it_was_typed
    what_was_written_until_the_session_ended_is_given_back
    who_has_not_seen_the_last_change_changes_nothing
    a_campaign_is_set_tried_and_undone
    scripts_of_campaigns_are_set_by_an_owner
    a_viewer_looks_and_changes_nothing
    a_report_says_what_its_operation_says
    two_settings_stand_side_by_side
    what_is_wrong_stands_beside_its_field
    names_are_taken_for_ids_and_reasons_are_in_the_language_of_the_page
}

async fn names_are_taken_for_ids_and_reasons_are_in_the_language_of_the_page(world: World) {
    let shop = world.shop("one").await;
    let product = |id: &str, title: &str, brand: &str| json!({"Id": id, "Title": title, "Brand": brand, "Categories": ["c1"], "Prices": ["10 GBP"]});
    let feed = json!({"Products": [product("p1", "Red shoe", "b1"), product("p2", "Blue shoe", "b2")],
        "Brands": [{"Id": "b1", "DisplayName": "Acme"}, {"Id": "b2", "DisplayName": "Oak"}],
        "Categories": [{"Id": "c1", "DisplayName": "Shoes", "ParentIds": []}]});
    world.complete_feed(&shop, "/one", &feed).await;
    let seller = seller(&world, &shop).await;
    let page = seller.page("/shops/one/search?q=shoe&brand=ACME&category=shoes").await;
    assert_eq!(ids(&page), ["p1"]);
    assert!(page.contains("<option value=\"Acme\">b1</option>") && page.contains("<details open>"), "{page}");
    assert_eq!(ids(&seller.page("/shops/one/search?q=shoe&brand=b2").await), ["p2"], "an id is an id");
    let page = seller.page("/shops/one/search?q=shoe").await;
    assert!(page.contains("<details><summary>More options"), "{page}");
    let page = seller.page("/shops/one/search?q=shoe&id=blue+shoe").await;
    assert!(page.contains("<span class=\"id\">p2</span>") && page.contains("Rank "), "{page}");
    let page = seller.page("/shops/one/recommendations?recommender=category&product=red+shoe").await;
    assert_eq!(ids(&page), ["p2"]);
    seller.send_form("/language", &[("language", "de"), ("to", "/")]).await;
    let german = seller.page("/shops/one/search?q=red+shoe").await;
    assert!(german.contains("Enthält „red“ in: Titel") && german.contains("Weitere Optionen"), "{german}");
}

async fn shop(world: &World) -> Shop {
    let shop = world.shop("one").await;
    let shoe = |n: usize| json!({"Id": format!("p{n}"), "Title": "Red shoe", "Brand": "acme", "Prices": ["10.50 GBP"]});
    let mut products: Vec<_> = (10..30).map(shoe).collect();
    products.push(json!({"Id": "hat", "Title": "<i>Blue</i> & hat", "Brand": "acme", "Prices": ["5 GBP"]}));
    world.complete_feed(&shop, "/one", &json!({"Products": products})).await;
    shop
}

async fn seller<'w>(world: &'w World, shop: &Shop) -> Browser<'w> {
    Browser::sign_in_as(world, "Seller", "merchandiser", &[shop]).await
}

/// Value of a hidden field of a page.
fn hidden(page: &str, after: &str, name: &str) -> String {
    let form = page.split(after).nth(1).unwrap_or_else(|| panic!("{after}: {page}"));
    let value = form.split(&format!("name=\"{name}\" value=\"")).nth(1).expect("a field");
    value.split('"').next().unwrap_or_default().to_owned()
}

const EDITOR: &str = "id=\"editor\"";
const SYNONYMS: &str = "id=\"synonyms\"";

/// Sends the form of a list, as the page had it.
async fn send(world: &World, browser: &Browser<'_>, page: &str, list: &str, more: &[(&str, &str)]) -> Reply {
    world.clock.advance(limits::SEARCH_RULES_DURATION);
    let before = hidden(&browser.page(page).await, EDITOR, "before");
    browser.send_form(page, &[&[("list", list), ("before", before.as_str())], more].concat()).await
}

/// Tries a list; returns the page that shows its effect.
async fn try_list(
    world: &World,
    browser: &Browser<'_>,
    page: &str,
    list: &str,
    more: &[(&str, &str)],
) -> Reply {
    let led = send(world, browser, page, list, &[more, &[("do", "try")]].concat()).await;
    assert_eq!(led.status, 303, "{}", led.text);
    let [first, again] =
        [browser.get(led.header("location")).await, browser.get(led.header("location")).await];
    assert_eq!((first.status, ids(&first.text)), (again.status, ids(&again.text)));
    again
}

/// The ids of the hits in a part of a page, in their order.
fn ids(part: &str) -> Vec<&str> {
    let hits =
        part.split("<ol class=\"hits\"").nth(1).unwrap_or_default().split("</ol>").next().unwrap_or_default();
    hits.split("<span class=\"quiet id\">").skip(1).filter_map(|rest| rest.split('<').next()).collect()
}

/// The part after the heading of a side.
fn side<'p>(page: &'p str, name: &str) -> &'p str {
    page.split(&format!("<h2 id=\"{name}\">")).nth(1).unwrap_or_else(|| panic!("{name}: {page}"))
}

async fn a_query_without_result_gets_a_synonym(world: World) {
    let shop = shop(&world).await;
    let seller = seller(&world, &shop).await;
    let overview = seller.page("/").await;
    assert!(overview.contains("<td class=\"number\">21</td><td class=\"number\">0</td>"), "{overview}");
    let search = "/shops/one/search?q=trainers&size=5";
    let page = seller.page(search).await;
    assert!(
        page.contains("No results.") && page.contains("/shops/one/rules?word=trainers#new-synonym"),
        "{page}"
    );
    let before = hidden(&seller.page("/shops/one/rules").await, SYNONYMS, "before");
    let wrong = [("lines", "trainers =>"), ("before", before.as_str())];
    let refused = seller.send_form("/shops/one/synonyms", &wrong).await;
    assert_eq!(refused.status, 400);
    assert!(
        refused.text.contains("trainers =&gt;</textarea>") && refused.text.contains("line 1"),
        "{}",
        refused.text
    );
    let right = [("lines", "# of shoppers\r\ntrainers => shoe"), ("before", before.as_str())];
    let set = seller.send_form("/shops/one/synonyms", &right).await;
    assert_eq!((set.status, set.header("location")), (303, "/shops/one/rules?synonyms=set#synonyms"));
    let page = seller.page(search).await;
    assert_eq!(ids(&page).len(), 5);
    assert!(page.contains("a synonym of ‘trainers’") && page.contains("£10.50"), "{page}");
    assert!(page.contains("page=2"), "{page}");
    let page = seller.page("/shops/one/rules").await;
    assert!(page.contains("# of shoppers\ntrainers =&gt; shoe</textarea>"), "{page}");
    // The same words as the operation has them.
    let set = world.control("/control/account/search", json!({"Name": "one"})).await;
    assert_eq!(set["Synonyms"], "# of shoppers\ntrainers => shoe");
}

async fn a_product_is_pinned_seen_before_and_after_and_let_go_again(world: World) {
    let shop = shop(&world).await;
    let seller = seller(&world, &shop).await;
    let found = seller.page("/shops/one/search?q=red+shoe").await;
    assert_eq!(ids(&found)[0], "p10");
    assert!(found.contains("/shops/one/rules/edit?query=red%20shoe&amp;pin=p10\""), "{found}");
    let typed = r#"[{"Id": "pin-1", "Query": "red shoe", "Match": "exact", "Pin": ["p25"]}]"#;
    let tried_with = try_list(&world, &seller, "/shops/one/rules", typed, &[("query", "red shoe")]).await;
    let tried_with = tried_with.text;
    assert_eq!(ids(side(&tried_with, "side-now"))[0], "p10");
    assert_eq!(ids(side(&tried_with, "side-then"))[..2], ["p25", "p10"]);
    assert!(tried_with.contains("new on this page") && tried_with.contains("was 1 (▼"), "{}", tried_with);
    assert!(
        tried_with.contains("<span class=\"state good\">new</span> <span class=\"id\">pin-1</span>"),
        "{}",
        tried_with
    );
    // To look changes nothing.
    assert_eq!(world.ask_json(&shop, "/api/rules", json!({})).await["Version"], 0);

    let set = send(&world, &seller, "/shops/one/rules", typed, &[("do", "set")]).await;
    assert_eq!((set.status, set.header("location")), (303, "/shops/one/rules?set=1"));
    assert!(seller.page("/shops/one/rules?set=1").await.contains("Version 1 is live."));
    let found = seller.page("/shops/one/search?q=red+shoe").await;
    assert_eq!(ids(&found)[0], "p25");
    assert!(found.contains("<span class=\"state\">pin-1</span>"), "{found}");
    let more = typed.replace("\"p25\"", "\"p25\", \"p26\"");
    let changed = try_list(&world, &seller, "/shops/one/rules", &more, &[]).await;
    let of_pin = "Pin: <code>[&quot;p25&quot;]</code> → <code>[&quot;p25&quot;,&quot;p26&quot;]</code>";
    assert!(changed.text.contains(of_pin), "{}", changed.text);
    // The page reports products that the shop does not show.
    let unknown = "[{\"Id\": \"pin-1\", \"Pin\": [\"nothing\"]}]";
    let warned = send(&world, &seller, "/shops/one/rules", unknown, &[("do", "set")]).await;
    assert_eq!(warned.status, 303, "{}", warned.text);
    let warned = seller.page(warned.header("location")).await;
    let told = ["the shop shows no product nothing now", "Version 2 is live."];
    assert!(told.iter().all(|said| warned.contains(said)), "{warned}");

    world.clock.advance(limits::SEARCH_RULES_DURATION);
    let undone = seller.send_form("/shops/one/rules/undo", &[("version", "0")]).await;
    assert_eq!((undone.status, undone.header("location")), (303, "/shops/one/rules?set=3"));
    assert_eq!(ids(&seller.page("/shops/one/search?q=red+shoe").await)[0], "p10");
    let old = seller.page("/shops/one/rules?version=1").await;
    assert!(old.contains("This is version 1, which is not live.") && old.contains("p25"), "{old}");
    // Its changes, before it is restored.
    assert!(
        old.contains("What would change") && old.contains(">new</span> <span class=\"id\">pin-1"),
        "{old}"
    );
    let other = seller.page("/shops/one/rules?version=2").await;
    assert!(other.contains("What would change"), "{other}");
    let acts = world.control("/control/operator/acts", json!({})).await;
    let acts: Vec<_> = acts.as_array().expect("acts").iter().map(|act| act["Act"].as_str()).collect();
    assert!(acts.contains(&Some("rules-set")) && acts.contains(&Some("rules-undone")), "{acts:?}");
}

async fn what_cannot_be_read_stays_as_it_was_typed(world: World) {
    let shop = shop(&world).await;
    let seller = seller(&world, &shop).await;
    for page in ["/shops/one/rules", "/shops/one/zones"] {
        for doing in ["try", "set"] {
            let broken = send(&world, &seller, page, "[{\"Id\": \"a<b\",]", &[("do", doing)]).await;
            assert_eq!(broken.status, 422, "{page}");
            assert!(
                broken.text.contains("[{&quot;Id&quot;: &quot;a&lt;b&quot;,]</textarea>"),
                "{}",
                broken.text
            );
            assert!(
                broken.text.contains("This is not valid JSON: ") && broken.text.contains("line 1 column 15"),
                "{}",
                broken.text
            );
        }
        let other = send(&world, &seller, page, "{\"Other\": []}", &[("do", "set")]).await;
        assert!(other.status == 422 && other.text.contains("or an object with the list"), "{}", other.text);
    }
    // A refusal of an operation is shown in its words.
    for doing in ["try", "set"] {
        let of = async |page: &str| {
            let list = "[{\"Id\": \"idle\"}]";
            let is_set = doing == "set";
            if is_set {
                send(&world, &seller, page, list, &[("do", doing)]).await
            } else {
                try_list(&world, &seller, page, list, &[]).await
            }
        };
        let nothing = of("/shops/one/rules").await;
        assert_eq!(nothing.status, 400);
        assert!(
            nothing.text.contains("rule 1 (idle) does nothing")
                && nothing.text.contains("idle&quot;}]</textarea>"),
            "{}",
            nothing.text
        );
        let nothing = of("/shops/one/zones").await;
        assert!(
            nothing.status == 400 && nothing.text.contains("idle&quot;}]</textarea>"),
            "{}",
            nothing.text
        );
    }
    for bad in [
        "search?q=x&size=many",
        "search?q=x&size=51",
        "search?q=x&currency=gold",
        "search?q=x&sort=cheap",
        "zones?zone=HP-01&kind=x",
        "reports?from=2026-13-01",
    ] {
        let refused = seller.get(&format!("/shops/one/{bad}")).await;
        assert!(refused.status == 400 && refused.text.contains("class=\"fault\""), "{bad}: {}", refused.text);
    }
    assert_eq!(seller.get("/shops/one/reports?about=people").await.status, 404);
    assert_eq!(seller.get("/shops/one/rules?version=9").await.status, 404);
}

async fn what_was_written_until_the_session_ended_is_given_back(world: World) {
    let shop = shop(&world).await;
    let mut seller = seller(&world, &shop).await;
    let page = seller.page("/shops/one/rules").await;
    let token = hidden(&page, EDITOR, "form_token");
    let written = [("form_token", token.as_str()), ("list", "[<b>\n\"long\"")];
    world.clock.advance(limits::CONSOLE_IDLE_DURATION);
    let late = seller.send("/shops/one/rules", &written).await;
    assert_eq!(late.status, 401, "{}", late.text);
    assert!(late.text.contains("[&lt;b&gt;\n&quot;long&quot;</textarea>"), "{}", late.text);
    assert!(late.text.contains("href=\"/sign-in?to=%2F\""), "{}", late.text);
    // Nothing of the form is shown without an earlier session, nor from another operator's form.
    let foreign = [("form_token", "another"), written[1]];
    assert_eq!(seller.send("/shops/one/rules", &foreign).await.status, 303);
    let known = std::mem::replace(&mut seller.cookie, "__Host-lethe=nobody".to_owned());
    assert_eq!(seller.send("/shops/one/rules", &written).await.status, 303);
    seller.cookie = known;
    assert_eq!(seller.get("/shops/one/rules").await.status, 303, "the session is over");
    seller.sign_in("Seller", PASSWORD).await;
    // Their page of before, sent now.
    let older = seller.send("/shops/one/rules", &written).await;
    assert!(older.status == 403 && older.text.contains("[&lt;b&gt;"), "{}", older.text);
    let page = seller.page("/shops/one/rules").await;
    assert!(page.contains("Nothing was published yet."), "{page}");
    // A signed-out operator wanted to leave nothing.
    let token = hidden(&page, EDITOR, "form_token");
    seller.send_form("/sign-out", &[]).await;
    let out = [("form_token", token.as_str()), written[1]];
    assert_eq!(seller.send("/shops/one/rules", &out).await.status, 303);
    // Nor does who left the shop have anything read.
    let signed = seller.sign_in("Seller", PASSWORD).await;
    assert!(signed.header("set-cookie").contains("; Max-Age=86400;"), "{:?}", signed.headers);
    let page = seller.page("/shops/one/rules").await;
    let token = hidden(&page, EDITOR, "form_token");
    world.control("/control/operator/set", json!({"Name": "Seller", "State": "disabled"})).await;
    let left = [("form_token", token.as_str()), written[1]];
    assert_eq!(seller.send("/shops/one/rules", &left).await.status, 303);
}

async fn who_has_not_seen_the_last_change_changes_nothing(world: World) {
    let shop = shop(&world).await;
    let seller = seller(&world, &shop).await;
    let opened = seller.page("/shops/one/rules").await;
    let before = hidden(&opened, EDITOR, "before");
    world.ask_json(&shop, "/api/rules/set", json!({"Rules": [{"Id": "theirs", "Banner": "x"}]})).await;
    world.clock.advance(limits::SEARCH_RULES_DURATION);
    let mine =
        [("list", "[{\"Id\": \"mine\", \"Banner\": \"y\"}]"), ("before", before.as_str()), ("do", "set")];
    let refused = seller.send_form("/shops/one/rules", &mine).await;
    assert_eq!(refused.status, 409, "{}", refused.text);
    assert!(refused.text.contains("mine&quot;") && refused.text.contains(">theirs</a>"), "{}", refused.text);
    assert_eq!(world.ask_json(&shop, "/api/rules", json!({})).await["Rules"][0]["Id"], "theirs");
    // Now they have seen it.
    let now = hidden(&refused.text, EDITOR, "before");
    let set = seller.send_form("/shops/one/rules", &[mine[0], ("before", &now), mine[2]]).await;
    assert_eq!(set.status, 303, "{}", set.text);

    let before = hidden(&opened, SYNONYMS, "before");
    world.control("/control/account/search", json!({"Name": "one", "Synonyms": "theirs, other"})).await;
    let refused =
        seller.send_form("/shops/one/synonyms", &[("lines", "mine, other"), ("before", &before)]).await;
    assert_eq!(refused.status, 409, "{}", refused.text);
    assert!(refused.text.contains("mine, other</textarea>"), "{}", refused.text);
    let set = world.control("/control/account/search", json!({"Name": "one"})).await;
    assert_eq!(set["Synonyms"], "theirs, other");
}

async fn a_campaign_is_set_tried_and_undone(world: World) {
    let shop = open_shop(&world, 12).await;
    let seller = seller(&world, &shop).await;
    let at = "/shops/one/zones?zone=HP-02&kind=homepage";
    let empty = seller.page(at).await;
    assert!(empty.contains("default content"), "{empty}");
    let campaigns = "{\"Campaigns\": [{\"Id\": \"sale\", \"Zone\": \"HP-02\", \"Html\": \"<p>Sale</p>\"}]}";
    let place = [("zone", "HP-02"), ("kind", "homepage")];
    let with_them = try_list(&world, &seller, "/shops/one/zones", campaigns, &place).await;
    assert_eq!(with_them.status, 200, "{}", with_them.text);
    let then = side(&with_them.text, "zone-then");
    assert!(
        then.contains("&lt;p&gt;Sale&lt;/p&gt;") || then.contains("&lt;p&gt;Sale&lt;&#x2f;p&gt;"),
        "{then}"
    );
    assert_eq!(world.ask_json(&shop, "/api/zones", json!({})).await["Version"], 0);
    let led =
        send(&world, &seller, "/shops/one/zones", campaigns, &[&place[..], &[("do", "try")]].concat()).await;
    for (table, begins) in
        [("csv=shown", "Id,Title,DisplayName"), ("csv", "Id,Zone,"), ("csv=history", "Version,")]
    {
        let file = seller.get(&format!("{}&{table}", led.header("location"))).await;
        assert!(
            file.header("content-type").starts_with("text/csv") && file.text.starts_with(begins),
            "{}",
            file.text
        );
    }

    let set = send(&world, &seller, "/shops/one/zones", campaigns, &[("do", "set")]).await;
    assert_eq!((set.status, set.header("location")), (303, "/shops/one/zones?set=1"));
    let shown = seller.page(at).await;
    assert!(side(&shown, "zone-now").contains("<span class=\"id\">sale</span>"), "{shown}");
    world.clock.advance(limits::SEARCH_RULES_DURATION);
    let undone = seller.send_form("/shops/one/zones/undo", &[("version", "0")]).await;
    assert_eq!(undone.status, 303, "{}", undone.text);
    let now = seller.page(at).await;
    assert!(!side(&now, "zone-now").contains("sale"), "{now}");
    let acts = world.control("/control/operator/acts", json!({})).await.to_string();
    assert!(acts.contains("zones-set") && acts.contains("zones-undone"), "{acts}");
}

/// Markup that runs in every shopper's page can do as much as the shop's secret.
async fn scripts_of_campaigns_are_set_by_an_owner(world: World) {
    let shop = shop(&world).await;
    let seller = seller(&world, &shop).await;
    let owner = Browser::sign_in_as(&world, "Owner", "owner", &[]).await;
    let page = "/shops/one/zones";
    let script = json!({"Id": "run", "Zone": "HP-01", "Html": "<img src=\"/x\" onerror=\"alert(1)\">"});
    let drawn = json!({"Id": "run", "Zone": "HP-01", "ProductsShown": {}, "Template": "{% for item in items %}x{% endfor %}"});
    for campaign in [&script, &drawn] {
        let refused = send(&world, &seller, page, &json!([campaign]).to_string(), &[("do", "set")]).await;
        assert_eq!(refused.status, 403, "{}", refused.text);
        assert!(refused.text.contains("Only an owner may publish it"), "{}", refused.text);
        assert_eq!(world.ask_json(&shop, "/api/zones", json!({})).await["Version"], 0);
    }
    let set = send(&world, &owner, page, &json!([script]).to_string(), &[("do", "set")]).await;
    assert_eq!(set.status, 303, "{}", set.text);
    // The owner's settings stay when the merchandiser changes others.
    let plain = json!({"Id": "sale", "Zone": "HP-02", "Html": "<p class=\"wide\">Sale</p>"});
    let both = json!([script, plain]).to_string();
    let set = send(&world, &seller, page, &both, &[("do", "set")]).await;
    assert_eq!((set.status, set.header("location")), (303, "/shops/one/zones?set=2"), "{}", set.text);
    // A merchandiser does not bring back an entry that an owner took out.
    let set = send(&world, &owner, page, &json!([plain]).to_string(), &[("do", "set")]).await;
    assert_eq!(set.status, 303, "{}", set.text);
    world.clock.advance(limits::SEARCH_RULES_DURATION);
    let undone = seller.send_form("/shops/one/zones/undo", &[("version", "1")]).await;
    assert_eq!(undone.status, 403, "{}", undone.text);
    assert!(undone.text.contains("Only an owner may publish it"), "{}", undone.text);
    let undone = owner.send_form("/shops/one/zones/undo", &[("version", "1")]).await;
    assert_eq!(undone.status, 303, "{}", undone.text);
}

async fn a_viewer_looks_and_changes_nothing(world: World) {
    let shop = shop(&world).await;
    world.shop("other").await;
    let seller = seller(&world, &shop).await;
    send(
        &world,
        &seller,
        "/shops/one/rules",
        "[{\"Id\": \"r\", \"Query\": \"x\", \"Boost\": {\"Brand\": [\"acme\"], \"By\": 30}}]",
        &[("do", "set")],
    )
    .await;
    let campaign = "[{\"Id\": \"c\", \"Zone\": \"HP-01\", \"Pages\": [\"homepage\"], \"Share\": 50, \"ProductsShown\": {\"Recommender\": \"best_sellers\"}}]";
    send(&world, &seller, "/shops/one/zones", campaign, &[("do", "set")]).await;
    let viewer = Browser::sign_in_as(&world, "Viewer", "viewer", &[&shop]).await;
    let pages = [
        "search?q=hat&compare=rules&currency=GBP&sort=price",
        "search?q=hat&id=p10",
        "rules",
        "zones?zone=PP-01&product=p10",
        "reports",
        "reports?about=search",
        "reports?about=quality",
        "reports.csv",
    ];
    for page in pages {
        let page = viewer.page(&format!("/shops/one/{page}")).await;
        assert!(
            !page.contains("<textarea") && !page.contains("/undo\"") && !page.contains("rules/edit"),
            "{page}"
        );
    }
    let forms: [(&str, &[(&str, &str)]); 5] = [
        ("rules", &[("list", "[]"), ("before", "1"), ("do", "set")]),
        ("rules/undo", &[("version", "0")]),
        ("synonyms", &[("lines", "a, b"), ("before", "")]),
        ("zones", &[("list", "[]"), ("before", "1"), ("do", "set")]),
        ("zones/undo", &[("version", "0")]),
    ];
    world.clock.advance(limits::SEARCH_RULES_DURATION);
    for (form, fields) in forms {
        assert_eq!(viewer.send_form(&format!("/shops/one/{form}"), fields).await.status, 403, "{form}");
        assert_eq!(seller.send_form(&format!("/shops/other/{form}"), fields).await.status, 403, "{form}");
    }
    for page in ["search?q=hat", "rules", "zones", "reports", "reports.csv"] {
        assert_eq!(seller.get(&format!("/shops/other/{page}")).await.status, 403, "{page}");
    }
    for path in ["/api/rules", "/api/zones"] {
        assert_eq!(world.ask_json(&shop, path, json!({})).await["Version"], 1);
    }
}

async fn a_report_says_what_its_operation_says(world: World) {
    let shop = open_shop(&world, 12).await;
    let campaigns = json!([{"Id": "control", "Zone": "*", "Share": 50, "Empty": true}]);
    world.ask_json(&shop, "/api/zones/set", json!({ "Campaigns": campaigns })).await;
    for number in 0..60 {
        let visitor = format!("browser-{number}");
        let page = json!({"events": [view_event("p1")], "zones": ["HP-01"]});
        await_page(&world, &shop, &visitor, page).await;
        if number % 3 > 0 {
            let events = json!([{"name": "customer_details", "data": {"userid": format!("u{number}")}}, {"name": "order",
                "data": {"orderid": number.to_string(), "items": [{"id": "p1", "unitprice": 3}]}}]);
            call_server(&world, &shop, json!({"visitorId": visitor, "events": events})).await;
        }
    }
    // One person alone searched something else.
    let search = |n: usize, query: &str| json!({"Name": "search", "Query": query, "Found": 1, "UserId": format!("u{n}")});
    let mut searches: Vec<_> = (0..18).filter(|n| n % 3 > 0).map(|n| search(n, "thing")).collect();
    searches.extend((20..30).filter(|n| n % 3 > 0).map(|n| search(n, "hat")));
    searches.push(search(19, "my own secret"));
    searches.extend(
        (30..50).map(|n| json!({"Name": "search", "Query": "mead", "Found": 0, "UserId": format!("u{n}")})),
    );
    let taken = post_events(&world, &shop, &searches).await;
    assert!(taken.iter().all(|taken| taken["SessionId"].is_string()), "{taken:?}");
    let zones = fetch_report(&world, &shop, "zones").await;
    let viewer = Browser::sign_in_as(&world, "Viewer", "viewer", &[&shop]).await;
    let page = viewer.page("/shops/one/reports").await;
    let row = &zones["Rows"][0];
    let cells = format!(
        "<td>HP-01</td><td>for you, from all viewed products</td><td>–</td><td class=\"number\">{}</td>",
        row["People"]
    );
    assert!(page.contains(&cells), "{page}");
    assert!(
        page.contains("<title id=\"chart-title\">How often zones were seen, and clicked</title>"),
        "{page}"
    );
    let uplift = &zones["Control"]["Orders"]["Uplift"];
    let [low, high] = ["Low", "High"]
        .map(|name| format!("{:+.1}\u{202f}%", 100.0 * uplift[name].as_f64().expect("a number")));
    assert!(page.contains(&format!("between {low} and {high}.")), "{low} {high}: {page}");
    let until = zones["Until"].as_str().expect("a day");
    let searches = viewer.page(&format!("/shops/one/reports?about=search&from={until}&until={until}")).await;
    assert!(searches.contains("<td><a href=\"/shops/one/search?q=thing\">thing</a></td>"), "{searches}");
    // A lone person's events are in no sum.
    assert!(searches.contains("search?q=hat\">hat</a>"), "{searches}");
    assert!(!searches.contains("secret") && !searches.contains("others together"), "{searches}");
    let missed = viewer.page("/shops/one/reports?about=missed").await;
    assert!(!missed.contains("q=thing\"") && missed.contains("search?q=mead\">mead</a>"), "{missed}");
    let days = viewer.page("/shops/one/reports?about=days").await;
    for said in [
        "Day by day: Searches, Searches without a result</title>",
        "<polyline class=\"bad one\"",
        "<text class=\"main\"",
        "A gap is a day on which fewer than five people did this",
        "Clicks in a zone</th>",
    ] {
        assert!(days.contains(said), "{said}: {days}");
    }
    let day = until.parse::<jiff::civil::Date>().expect("a day").strftime("%-d %B %Y").to_string();
    for told in [format!("<th scope=\"row\">{day}</th>"), format!("<title>{day}: Searches ")] {
        assert!(days.contains(&told), "{told}: {days}");
    }
    let totals = viewer.page("/shops/one/reports?about=quality&days=7").await;
    for told in [
        "of searches</span>",
        "<th scope=\"row\">Searches corrected</th>",
        "not shown</span>",
        "aria-current=\"true\">Last 7 days</a>",
    ] {
        assert!(totals.contains(told), "{told}: {totals}");
    }
    // The spreadsheet is the table of the operation, byte by byte.
    for about in ["zones", "search", "missed", "products", "quality", "days"] {
        let file = viewer.get(&format!("/shops/one/reports.csv?about={about}")).await;
        let own =
            world.ask(&shop, "/api/report", json!({"Report": about, "Format": "csv", "Size": 100})).await;
        assert_eq!((file.status, &file.text), (200, &own.text));
        assert!(
            file.header("content-type").starts_with("text/csv")
                && file.header("content-disposition").contains("attachment")
        );
        assert!(!file.text.contains("secret"));
    }
}

async fn two_settings_stand_side_by_side(world: World) {
    let shop = shop(&world).await;
    let seller = seller(&world, &shop).await;
    send(
        &world,
        &seller,
        "/shops/one/rules",
        "[{\"Id\": \"front\", \"Pin\": [\"p29\"], \"Banner\": \"<b>New</b>\"}]",
        &[("do", "set")],
    )
    .await;
    let both = seller.page("/shops/one/search?q=red+shoe&compare=rules&size=3").await;
    assert_eq!(ids(side(&both, "side-without_rules")), ["p10", "p11", "p12"]);
    assert_eq!(ids(side(&both, "side-with_rules")), ["p29", "p10", "p11"]);
    assert!(both.contains("&lt;b&gt;New") && !both.contains("<b>New"), "{both}");
    let both = seller.page("/shops/one/search?q=red+shoe&compare=popularity&size=3&page=2").await;
    assert_eq!(ids(side(&both, "side-without_popularity")), ids(side(&both, "side-with_popularity")));
    assert!(both.contains("same place") && both.contains("start=\"4\""), "{both}");
    let both =
        seller.page("/shops/one/search?q=red+shoe&currency=GBP&compare=currency&other=EUR&size=3").await;
    let priced = ["side-as_asked", "side-as_other"].map(|name| side(&both, name).contains("£10.50"));
    assert_eq!(priced, [true, false], "{both}");
    let both = seller.page("/shops/one/search?q=red+shoe&compare=group&other=dealers&size=3").await;
    assert_eq!(ids(side(&both, "side-as_asked")), ids(side(&both, "side-as_other")));
    let hat = seller.page("/shops/one/search?q=shoe&id=hat&brand=acme&stock=yes").await;
    assert!(hat.contains("not found") && hat.contains("Matches no word of the search term"), "{hat}");
    let hat = seller.page("/shops/one/search?q=hat").await;
    assert!(hat.contains("&lt;i&gt;Blue") && !hat.contains("<i>Blue"), "{hat}");
}

/// The field of a page that says it is wrong: its tag names the sentence that follows it.
fn wrong_field(page: &str) -> &str {
    assert_eq!(page.matches("aria-invalid").count(), 1, "{page}");
    assert_eq!(page.matches("id=\"fault\" role=\"alert\"").count(), 1, "{page}");
    let (before, behind) =
        page.split_once(" aria-invalid=\"true\" aria-describedby=\"fault").expect("a field");
    let tag = before.rsplit_once('<').expect("a tag").1;
    let named =
        tag.split_once("name=\"").map_or("shops", |(_, name)| name.split('"').next().unwrap_or_default());
    let fault = behind.split_once("id=\"fault\"").expect("a sentence").0;
    let others = fault.matches("<input").count() - fault.matches("type=\"checkbox\"").count();
    assert_eq!((others, fault.matches("<form").count()), (0, 0), "{fault}");
    named
}

async fn what_is_wrong_stands_beside_its_field(world: World) {
    let shop = shop(&world).await;
    let owner = Browser::sign_in_as(&world, "Owner", "owner", &[]).await;
    let new = owner.send_form("/operators", &[("name", "V"), ("role", "viewer"), ("shop", "one")]).await;
    assert_eq!(new.status, 303);
    let listed = world.control("/control/operator/list", json!({})).await;
    let is_new = |row: &&Value| row["Name"] == "V";
    let number = listed.as_array().into_iter().flatten().find(is_new).expect("an operator")["Number"].clone();
    let operator = format!("/operators/{}", number.as_str().expect("a number"));
    let settings = "/shops/one/settings";
    let about = |name: &'static str, contact: &'static str| {
        [("do", "about"), ("language", "en"), ("display_name", name), ("contact", contact)]
    };
    let long = "x".repeat(2000).leak();
    type Form<'f> = (&'f str, Vec<(&'f str, &'f str)>, &'f str);
    let forms: Vec<Form> = vec![
        ("/new-shop", vec![("name", "a b")], "name"),
        ("/new-shop", vec![("name", "ab"), ("currency", "XXQ")], "currency"),
        ("/operators", vec![("name", ""), ("role", "owner")], "name"),
        ("/operators", vec![("name", "N"), ("role", "nobody")], "role"),
        ("/operators", vec![("name", "N"), ("role", "viewer")], "shops"),
        (&operator, vec![("do", "set"), ("role", "viewer")], "shops"),
        (settings, about("a@b.example", "").to_vec(), "display_name"),
        (settings, about("A", long).to_vec(), "contact"),
        (settings, vec![("do", "quota"), ("quota", "many")], "quota"),
        (settings, vec![("do", "guard"), ("percent", "0")], "percent"),
        (settings, vec![("do", "hosts"), ("pictures", "http://x/y")], "pictures"),
        (settings, vec![("do", "hosts"), ("origins", "http://x/y")], "origins"),
        (settings, vec![("do", "webhook"), ("url", "http://10.0.0.1/")], "url"),
    ];
    for (path, fields, wrong) in forms {
        let refused = owner.send_form(path, &fields).await;
        assert!(refused.status >= 400, "{path} {fields:?}");
        assert_eq!(wrong_field(&refused.text), wrong, "{path} {fields:?}");
    }
    let addresses = [
        ("recommendations?product=nothing", "product"),
        ("recommendations?product=p10&items=nothing", "items"),
        ("recommendations?product=p10&size=many", "size"),
        ("recommendations?product=p10&currency=gold", "currency"),
        ("recommendations?recommender=none", "recommender"),
        ("reports?from=soon", "from"),
        ("reports?until=late", "until"),
        ("zones?zone=HP-01&kind=x", "kind"),
        ("search?q=x&currency=gold", "currency"),
        ("search?q=x&size=51", "size"),
    ];
    for (address, wrong) in addresses {
        let refused = owner.get(&format!("/shops/{}/{address}", shop.name)).await;
        assert_eq!(
            (refused.status, wrong_field(&refused.text)),
            (if address.contains("nothing") { 404 } else { 400 }, wrong),
            "{address}"
        );
    }
    let person = owner.find(&shop, "userid:canary-7").await;
    let refused = owner.send_form(&format!("{person}/forget"), &[("confirmation", "userid:canary-8")]).await;
    assert_eq!(wrong_field(&refused.text), "confirmation");
    assert!(refused.text.contains("value=\"userid:canary-8\""), "{}", refused.text);
    let wrong = owner.send("/sign-in", &[("name", "Owner"), ("password", "wrong")]).await;
    assert_eq!(wrong_field(&wrong.text), "password");
}
