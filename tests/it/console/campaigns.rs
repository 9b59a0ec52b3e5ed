//! The editor of campaigns, over HTTP: a campaign is written field by field, previewed, published, moved and deleted,
//! and nothing that was typed is lost, whatever happens meanwhile.

use lethe::limits;
use serde_json::{Value, json};

use crate::support::console::Browser;
use crate::support::events::open_shop;
use crate::support::world::{Reply, Shop, World, on_both_engines};

on_both_engines! {
    a_campaign_is_written_previewed_published_and_deleted_by_hand
    a_new_campaign_comes_first_in_its_zone_and_is_moved_by_buttons
    a_campaign_is_added_to_what_others_published_meanwhile
    a_change_of_others_in_the_same_campaign_is_kept
    a_campaign_is_not_published_where_nothing_changed
    a_filter_without_a_field_stays_when_the_campaign_is_edited
    items_and_pictures_of_a_campaign_are_put_in_order_by_buttons
    a_refused_campaign_says_so_beside_the_field
    markup_of_an_edited_campaign_is_published_by_an_owner
    a_viewer_has_no_editor_of_campaigns
}

const EDITOR: &str = "/shops/one/zones/edit";
const LIST: &str = "/shops/one/zones";

type Fields<'f> = &'f [(&'f str, &'f str)];

async fn seller<'w>(world: &'w World, shop: &Shop) -> Browser<'w> {
    Browser::sign_in_as(world, "Seller", "merchandiser", &[shop]).await
}

async fn live(world: &World, shop: &Shop) -> Value {
    world.ask_json(shop, "/api/zones", json!({})).await
}

async fn set(world: &World, shop: &Shop, campaigns: Value) {
    world.clock.advance(limits::SEARCH_RULES_DURATION);
    world.ask_json(shop, "/api/zones/set", json!({ "Campaigns": campaigns })).await;
}

/// Presses a button of the editor, a while after the last change.
async fn press(world: &World, browser: &Browser<'_>, button: &str, fields: Fields<'_>) -> Reply {
    world.clock.advance(limits::SEARCH_RULES_DURATION);
    browser.send_form(EDITOR, &[fields, &[("do", button)]].concat()).await
}

/// The page after a button that publishes nothing.
async fn page_after(world: &World, browser: &Browser<'_>, button: &str, fields: Fields<'_>) -> String {
    let led = press(world, browser, button, fields).await;
    assert_eq!(led.status, 303, "{}", led.text);
    browser.page(led.header("location")).await
}

/// Values of a field of the form, in the order of the page.
fn values(page: &str, name: &str) -> Vec<String> {
    let field = format!(" name=\"{name}\"");
    let fields = page.split(&field).skip(1).filter_map(|rest| {
        let tag = rest.split('>').next()?;
        tag.split(" value=\"").nth(1)?.split('"').next()
    });
    fields.map(|value| html_escape::decode_html_entities(value).into_owned()).collect()
}

fn value(page: &str, name: &str) -> String {
    values(page, name).into_iter().next().unwrap_or_else(|| panic!("{name}: {page}"))
}

fn ids(list: &Value) -> Vec<&str> {
    let campaigns = list["Campaigns"].as_array().into_iter().flatten();
    campaigns.map(|campaign| campaign["Id"].as_str().expect("an id")).collect()
}

/// The name of the field that is marked as wrong.
fn wrong_field(page: &str) -> &str {
    assert_eq!(page.matches("id=\"fault\" role=\"alert\"").count(), 1, "{page}");
    let before = page.split_once(" aria-invalid").map_or("", |(before, _)| before);
    let name = before.rsplit_once('<').and_then(|(_, tag)| tag.split(" name=\"").nth(1));
    name.and_then(|rest| rest.split('"').next()).unwrap_or_default()
}

async fn a_campaign_is_written_previewed_published_and_deleted_by_hand(world: World) {
    let shop = open_shop(&world, 12).await;
    let seller = seller(&world, &shop).await;
    let list = seller.page(LIST).await;
    assert!(list.contains(&format!("href=\"{EDITOR}\">New campaign</a>")), "{list}");
    let opened = seller.page(&format!("{EDITOR}?zone=HP-01")).await;
    assert_eq!((value(&opened, "zone"), value(&opened, "before")), ("HP-01".to_owned(), "0".to_owned()));
    assert!(opened.contains("name=\"shows\" value=\"products\" checked"), "{opened}");
    assert!(opened.contains("<option value=\"HP-01\">Home page</option>"), "{opened}");
    let typed = [
        ("id", ""),
        ("before", "0"),
        ("zone", "HP-01"),
        ("title", "Warm, of wool"),
        ("pages", "homepage"),
        ("from", "2099-12-01T08:00"),
        ("share", "50"),
        ("shows", "html"),
        ("html", "<p>Wool</p>"),
    ];
    let tried = page_after(&world, &seller, "try", &typed).await;
    let (_, with_it) = tried.split_once("<h2 id=\"zone-edited\">").expect("the zone with the campaign");
    let with_it = with_it.split("</section>").next().unwrap_or_default();
    assert!(with_it.contains("&lt;p&gt;Wool"), "as if it were live: {with_it}");
    assert!(tried.contains("name=\"pages\" value=\"homepage\" checked"), "{tried}");
    assert!(tried.contains("data-unpublished") && !opened.contains("data-unpublished"), "{tried}");
    assert_eq!(live(&world, &shop).await["Version"], 0);

    let published = press(&world, &seller, "publish", &typed).await;
    assert_eq!(published.header("location"), "/shops/one/zones?set=1", "{}", published.text);
    let made = json!([{"Id": "hp-01-warm-of-wool", "Zone": "HP-01", "Title": "Warm, of wool",
        "Pages": ["homepage"], "From": "2099-12-01T08:00:00Z", "Share": 50, "Html": "<p>Wool</p>"}]);
    assert_eq!(live(&world, &shop).await["Campaigns"], made);
    let list = seller.page(LIST).await;
    let own = format!("{EDITOR}?id=hp-01-warm-of-wool");
    assert!(list.contains(&format!("href=\"{own}\"")), "{list}");
    let again = seller.page(&own).await;
    assert_eq!(value(&again, "from"), "2099-12-01T08:00");

    let named = [("id", "hp-01-warm-of-wool"), ("zone", "HP-01"), ("before", "1")];
    let unsure = press(&world, &seller, "delete", &named).await;
    assert_eq!((unsure.status, wrong_field(&unsure.text)), (422, "sure"));
    let gone = press(&world, &seller, "delete", &[&named[..], &[("sure", "yes")]].concat()).await;
    assert_eq!(gone.header("location"), "/shops/one/zones?set=2", "{}", gone.text);
    assert_eq!(live(&world, &shop).await["Campaigns"], json!([]));
    assert_eq!(seller.get(&own).await.status, 404);
    let acts = world.control("/control/operator/acts", json!({})).await.to_string();
    assert_eq!(acts.matches("\"zones-set\"").count(), 2, "{acts}");
}

async fn a_new_campaign_comes_first_in_its_zone_and_is_moved_by_buttons(world: World) {
    let shop = open_shop(&world, 2).await;
    let seller = seller(&world, &shop).await;
    let empty = |id: &str, zone: &str| json!({"Id": id, "Zone": zone, "Empty": true});
    set(&world, &shop, json!([empty("a", "PP-01"), empty("b", "HP-01"), empty("c", "hp-01")])).await;
    let new = [("before", "1"), ("zone", "HP-01"), ("title", "New"), ("shows", "nothing")];
    let published = press(&world, &seller, "publish", &new).await;
    assert_eq!(published.status, 303, "{}", published.text);
    assert_eq!(ids(&live(&world, &shop).await), ["a", "hp-01-new", "b", "c"]);
    let page = seller.page(LIST).await;
    assert!(page.contains("value=\"down:hp-01-new\"") && !page.contains("value=\"up:hp-01-new\""), "{page}");
    assert!(!page.contains(":a\""), "it is alone in its zone: {page}");
    let press_move = async |button: &str, before: &str| {
        world.clock.advance(limits::SEARCH_RULES_DURATION);
        seller.send_form(LIST, &[("do", button), ("before", before)]).await
    };
    assert_eq!(press_move("down:hp-01-new", "2").await.header("location"), "/shops/one/zones?set=3");
    assert_eq!(ids(&live(&world, &shop).await), ["a", "b", "hp-01-new", "c"]);
    let late = press_move("up:c", "2").await;
    assert!(late.status == 409 && late.text.contains("Nothing was moved."), "{}", late.text);
    assert_eq!(press_move("up:c", "3").await.status, 303);
    assert_eq!(ids(&live(&world, &shop).await), ["a", "b", "c", "hp-01-new"]);
}

async fn a_campaign_is_added_to_what_others_published_meanwhile(world: World) {
    let shop = open_shop(&world, 2).await;
    let seller = seller(&world, &shop).await;
    let opened = seller.page(EDITOR).await;
    let before = value(&opened, "before");
    set(&world, &shop, json!([{"Id": "theirs", "Zone": "HP-01", "Empty": true}])).await;
    let typed = [("zone", "HP-01"), ("title", "Mine & more"), ("shows", "html"), ("html", "<p>Oak</p>")];
    let late =
        press(&world, &seller, "publish", &[&typed[..], &[("before", before.as_str())]].concat()).await;
    assert_eq!(late.status, 409, "{}", late.text);
    for part in [
        "What others published meanwhile",
        "<span class=\"id\">theirs</span>",
        "&lt;p&gt;Oak&lt;/p&gt;</textarea>",
    ] {
        assert!(late.text.contains(part), "{part}: {}", late.text);
    }
    assert!(!late.text.contains("Nothing was published yet."), "{}", late.text);
    assert_eq!((value(&late.text, "title"), value(&late.text, "before")), ("Mine & more".into(), "1".into()));
    assert_eq!(ids(&live(&world, &shop).await), ["theirs"]);
    let seen = press(&world, &seller, "publish", &[&typed[..], &[("before", "1")]].concat()).await;
    assert_eq!(seen.status, 303, "{}", seen.text);
    assert_eq!(ids(&live(&world, &shop).await), ["hp-01-mine-more", "theirs"]);
}

async fn a_change_of_others_in_the_same_campaign_is_kept(world: World) {
    let shop = open_shop(&world, 2).await;
    let seller = seller(&world, &shop).await;
    set(&world, &shop, json!([{"Id": "c", "Zone": "HP-01", "Title": "Sale", "Html": "<p>Oak</p>"}])).await;
    let base = value(&seller.page(&format!("{EDITOR}?id=c")).await, "base");
    let theirs = json!({"Id": "c", "Zone": "HP-01", "Title": "Sale", "Share": 20, "Html": "<p>Theirs</p>"});
    set(&world, &shop, json!([theirs])).await;
    let own = [("id", "c"), ("zone", "HP-01"), ("title", "Mine"), ("shows", "html")];
    let first = [("before", "1"), ("base", base.as_str()), ("html", "<p>Oak</p>")];
    let late = press(&world, &seller, "publish", &[&own[..], &first].concat()).await;
    assert_eq!(late.status, 409, "{}", late.text);
    assert_eq!((value(&late.text, "share"), value(&late.text, "title")), ("20".into(), "Mine".into()));
    assert!(late.text.contains("&lt;p&gt;Theirs"), "{}", late.text);
    let base = value(&late.text, "base");
    let second = [("before", "2"), ("base", base.as_str()), ("html", "<p>Theirs</p>"), ("share", "20")];
    let set = press(&world, &seller, "publish", &[&own[..], &second].concat()).await;
    assert_eq!(set.status, 303, "{}", set.text);
    let mut merged = theirs.clone();
    merged["Title"] = "Mine".into();
    assert_eq!(live(&world, &shop).await["Campaigns"], json!([merged]));
}

async fn a_campaign_is_not_published_where_nothing_changed(world: World) {
    const UNCHANGED: &str = "/shops/one/zones?unchanged=yes";
    let shop = open_shop(&world, 2).await;
    let seller = seller(&world, &shop).await;
    let campaigns = json!([{"Id": "c", "Zone": "HP-01", "Html": "<p>Oak</p>"}]);
    set(&world, &shop, campaigns.clone()).await;
    let base = value(&seller.page(&format!("{EDITOR}?id=c")).await, "base");
    let own = [
        ("id", "c"),
        ("before", "1"),
        ("base", base.as_str()),
        ("zone", "HP-01"),
        ("shows", "html"),
        ("recommender", "default"),
        ("html", "<p>Oak</p>"),
    ];
    let same = press(&world, &seller, "publish", &own).await;
    assert_eq!(same.header("location"), UNCHANGED, "{}", same.text);
    let gone = press(&world, &seller, "delete", &[("id", "gone"), ("before", "1"), ("sure", "yes")]).await;
    assert_eq!(gone.header("location"), UNCHANGED, "{}", gone.text);
    let list = campaigns.to_string();
    let forms = [
        vec![("do", "up:c"), ("before", "1")],
        vec![("do", "set"), ("before", "1"), ("list", list.as_str())],
    ];
    for form in forms {
        let same = seller.send_form(LIST, &form).await;
        assert_eq!(same.header("location"), UNCHANGED, "{form:?}: {}", same.text);
    }
    assert!(seller.page(UNCHANGED).await.contains("Nothing changed"));
    assert_eq!(live(&world, &shop).await["Version"], 1);
    // After a change of others it is told of a deletion.
    set(&world, &shop, json!([{"Id": "c", "Zone": "HP-01", "Empty": true}])).await;
    let late = press(&world, &seller, "delete", &[&own[..], &[("sure", "yes")]].concat()).await;
    assert!(late.status == 409 && late.text.contains("Nothing was deleted"), "{}", late.text);
}

async fn a_filter_without_a_field_stays_when_the_campaign_is_edited(world: World) {
    let shop = open_shop(&world, 2).await;
    let seller = seller(&world, &shop).await;
    let filters = json!({"Attributes": {"Colour": ["red"]}, "InStock": false, "Price": {"To": 10}});
    let shown = json!({"Recommender": "similar", "Filters": filters});
    set(&world, &shop, json!([{"Id": "c", "Zone": "PP-01", "ProductsShown": shown}])).await;
    let page = seller.page(&format!("{EDITOR}?id=c")).await;
    assert!(page.contains("Attributes: <code>{&quot;Colour&quot;:[&quot;red&quot;]}</code>"), "{page}");
    let base = value(&page, "base");
    let typed = [
        ("id", "c"),
        ("before", "1"),
        ("base", base.as_str()),
        ("zone", "PP-01"),
        ("title", "Alike"),
        ("shows", "products"),
        ("recommender", "similar"),
        ("filter_price_to", "20"),
        ("filter_flag", "OnOffer"),
    ];
    let published = press(&world, &seller, "publish", &typed).await;
    assert_eq!(published.status, 303, "{}", published.text);
    let filters =
        json!({"Attributes": {"Colour": ["red"]}, "InStock": false, "Price": {"To": 20}, "OnOffer": true});
    let campaign = &live(&world, &shop).await["Campaigns"][0];
    assert_eq!((&campaign["ProductsShown"]["Filters"], &campaign["Title"]), (&filters, &json!("Alike")));
}

async fn items_and_pictures_of_a_campaign_are_put_in_order_by_buttons(world: World) {
    let shop = open_shop(&world, 3).await;
    let seller = seller(&world, &shop).await;
    let typed = [("zone", "PP-01"), ("shows", "images"), ("products", "p1"), ("find_products", "no-2")];
    let found = page_after(&world, &seller, "find:products", &typed).await;
    assert!(found.contains("<strong>Thing 1</strong>"), "{found}");
    assert!(found.contains("value=\"add:products:p2\""), "{found}");
    let added = page_after(&world, &seller, "add:products:p2", &typed).await;
    assert_eq!(values(&added, "products"), ["p1", "p2"]);
    let both = [typed[0], typed[1], ("products", "p1"), ("products", "p2")];
    let turned = page_after(&world, &seller, "up:products:p2", &both).await;
    assert_eq!(values(&turned, "products"), ["p2", "p1"]);
    let images = [typed[0], typed[1], ("image_src", "/a.png"), ("image_src", "/b.png"), ("image_src", "")];
    let turned = page_after(&world, &seller, "up:image:1", &images).await;
    assert_eq!(values(&turned, "image_src"), ["/b.png", "/a.png", ""], "with a row for a further one");
    assert_eq!(live(&world, &shop).await["Version"], 0);
}

async fn a_refused_campaign_says_so_beside_the_field(world: World) {
    let shop = open_shop(&world, 2).await;
    let seller = seller(&world, &shop).await;
    let refusals: [(Fields<'_>, u16, &str); 7] = [
        (&[("shows", "nothing")], 400, "zone"),
        (&[("zone", "HP-01"), ("shows", "html")], 400, "html"),
        (&[("zone", "HP-01"), ("shows", "html"), ("html", "<p>x</p>"), ("popup", "yes")], 400, "title"),
        (&[("zone", "HP-01"), ("shows", "nothing"), ("share", "half")], 422, "share"),
        (&[("zone", "HP-01"), ("shows", "nothing"), ("until", "soon")], 400, "until"),
        (&[("zone", "HP-01"), ("shows", "images"), ("image_src", "x:y")], 400, "image_src"),
        (&[("zone", "HP-01"), ("shows", "products"), ("filter_price_to", "much")], 400, "filter_price_to"),
    ];
    for (fields, status, wrong) in refusals {
        let refused = press(&world, &seller, "publish", fields).await;
        assert_eq!((refused.status, wrong_field(&refused.text)), (status, wrong), "{}", refused.text);
    }
    assert_eq!(live(&world, &shop).await["Version"], 0);
    // What is not finished yet is previewed as far as it goes.
    let unfinished = page_after(&world, &seller, "try", &[("zone", "HP-01"), ("shows", "html")]).await;
    assert!(unfinished.contains("This cannot be published yet:"), "{unfinished}");
}

async fn markup_of_an_edited_campaign_is_published_by_an_owner(world: World) {
    let shop = open_shop(&world, 2).await;
    let seller = seller(&world, &shop).await;
    let owner = Browser::sign_in_as(&world, "Owner", "owner", &[]).await;
    let script = [("zone", "HP-01"), ("shows", "html"), ("html", "<img src=\"/x\" onerror=\"alert(1)\">")];
    let drawn = [("zone", "HP-01"), ("shows", "products"), ("template", "{{ title }}")];
    for (fields, field) in [(script, "html"), (drawn, "template")] {
        let refused = press(&world, &seller, "publish", &fields).await;
        assert_eq!((refused.status, wrong_field(&refused.text)), (403, field), "{}", refused.text);
        assert!(refused.text.contains("Only an owner may publish it"), "{}", refused.text);
    }
    assert_eq!(live(&world, &shop).await["Version"], 0);
    assert_eq!(press(&world, &owner, "publish", &script).await.status, 303);
    // The owner's markup stays as it is, and may go.
    let opened = seller.page(&format!("{EDITOR}?id=hp-01")).await;
    let base = value(&opened, "base");
    let own = [("id", "hp-01"), ("before", "1"), ("base", base.as_str())];
    let same = press(&world, &seller, "publish", &[&own[..], &script[..]].concat()).await;
    assert_eq!(same.status, 303, "{}", same.text);
    let titled = [&own[..], &script[..], &[("title", "Now")]].concat();
    assert_eq!(press(&world, &seller, "publish", &titled).await.status, 403);
}

async fn a_viewer_has_no_editor_of_campaigns(world: World) {
    let shop = open_shop(&world, 2).await;
    set(&world, &shop, json!([{"Id": "c", "Zone": "HP-01", "Empty": true}])).await;
    let viewer = Browser::sign_in_as(&world, "Viewer", "viewer", &[&shop]).await;
    let list = viewer.page(&format!("{LIST}?zone=HP-01")).await;
    assert!(!list.contains("/zones/edit") && !list.contains("value=\"down:"), "{list}");
    assert_eq!(viewer.get(&format!("{EDITOR}?id=c")).await.status, 403);
    for button in ["try", "publish", "delete"] {
        let fields = [("id", "c"), ("zone", "HP-01"), ("shows", "nothing"), ("before", "1"), ("sure", "yes")];
        assert_eq!(press(&world, &viewer, button, &fields).await.status, 403, "{button}");
    }
    let moved = viewer.send_form(LIST, &[("do", "up:c"), ("before", "1")]).await;
    assert_eq!(moved.status, 403);
    assert_eq!(live(&world, &shop).await["Version"], 1);
}
