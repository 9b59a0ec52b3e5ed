//! The editor of rules, over HTTP as a browser without a script goes: buttons keep what was typed, the effect stands
//! beside the form, and a rule is published among those of others.

use lethe::limits;
use serde_json::{Value, json};

use crate::support::console::Browser;
use crate::support::world::{Reply, Shop, World, on_both_engines};

on_both_engines! {
    a_product_is_pinned_dragged_boosted_and_published
    a_list_is_searched_and_put_in_order
    a_rule_of_others_stays_and_theirs_is_merged
    a_rule_is_not_published_where_nothing_changed
    a_rule_is_opened_with_all_that_it_has_and_is_deleted
    a_refusal_stands_beside_its_field
    what_was_typed_in_an_editor_is_given_back
}

const EDIT: &str = "/shops/one/rules/edit";
const RULES: &str = "/api/rules";

async fn open(world: &World) -> (Shop, Browser<'_>) {
    let shop = world.shop("one").await;
    let rug = |id: &str| json!({"Id": id, "Title": format!("Oak rug {id}"), "Brand": "b1", "Categories": ["c1"], "Prices": ["10 GBP"]});
    let products = ["p1", "p2", "p3", "p4"].map(rug);
    let feed = json!({"Products": products, "Brands": [{"Id": "b1", "DisplayName": "Acme"}],
        "Categories": [{"Id": "c1", "DisplayName": "Rugs", "ParentIds": []}]});
    world.complete_feed(&shop, "/one", &feed).await;
    let seller = Browser::sign_in_as(world, "Seller", "merchandiser", &[&shop]).await;
    (shop, seller)
}

/// The fields of an editor's form, as a browser would send them.
fn fields_of(page: &str) -> Vec<(String, String)> {
    let form = page.split("<form id=\"editor-form\"").nth(1).and_then(|rest| rest.split("</form>").next());
    let form = form.unwrap_or_else(|| panic!("no editor: {page}"));
    let attribute = |tag: &str, name: &str| {
        let value = tag.split(&format!(" {name}=\"")).nth(1)?.split('"').next()?;
        Some(value.replace("&quot;", "\"").replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&"))
    };
    let inputs = form.split("<input").skip(1).filter_map(|rest| {
        let tag = &rest[..rest.find('>')?];
        let is_sent = !tag.contains("type=\"checkbox\"") || tag.ends_with(" checked");
        let name = attribute(tag, "name").filter(|_| is_sent)?;
        Some((name, attribute(tag, "value").unwrap_or_default()))
    });
    let chosen = form.split("<option value=\"").find(|rest| rest.contains("\" selected>"));
    let chosen = chosen.and_then(|rest| rest.split('"').next()).unwrap_or_default();
    let texts = form.split("<textarea").skip(1).filter_map(|rest| {
        let (tag, text) = rest.split_once(">\n")?;
        Some((attribute(tag, "name")?, text.split("</textarea>").next()?.to_owned()))
    });
    inputs.chain([("match".to_owned(), chosen.to_owned())]).chain(texts).collect()
}

/// Sends the form of a page with some fields filled in otherwise, by a button.
async fn press(seller: &Browser<'_>, page: &str, button: &str, filled_in: &[(&str, &str)]) -> Reply {
    let shown = fields_of(page);
    let is_kept = |name: &str| filled_in.iter().all(|(other, _)| *other != name);
    let kept =
        shown.iter().filter(|(name, _)| is_kept(name)).map(|(name, value)| (name.as_str(), value.as_str()));
    let fields: Vec<_> = kept.chain(filled_in.iter().copied()).chain([("do", button)]).collect();
    seller.send(EDIT, &fields).await
}

/// The page after a button that changes the form.
async fn change(seller: &Browser<'_>, page: &str, button: &str, filled_in: &[(&str, &str)]) -> String {
    let led = press(seller, page, button, filled_in).await;
    assert_eq!(led.status, 303, "{button}: {}", led.text);
    seller.page(led.header("location")).await
}

async fn publish(world: &World, seller: &Browser<'_>, page: &str, filled_in: &[(&str, &str)]) -> Reply {
    world.clock.advance(limits::SEARCH_RULES_DURATION);
    press(seller, page, "publish", filled_in).await
}

/// The values of a field on a page, in their order.
fn values(page: &str, name: &str) -> Vec<String> {
    fields_of(page).into_iter().filter(|(field, _)| field == name).map(|(_, value)| value).collect()
}

async fn live(world: &World, shop: &Shop) -> Value {
    world.ask_json(shop, RULES, json!({})).await["Rules"].clone()
}

async fn a_product_is_pinned_dragged_boosted_and_published(world: World) {
    let (shop, seller) = open(&world).await;
    let page = seller.page(&format!("{EDIT}?query=rug&pin=p3")).await;
    assert_eq!(
        (values(&page, "pin"), values(&page, "query")),
        (vec!["p3".to_owned()], vec!["rug".to_owned()])
    );
    assert!(page.contains("Oak rug p3") && page.contains("data-unpublished"), "{page}");
    let after = values(&page, "after");
    assert_eq!((after.len(), after[0].as_str()), (4, "p3"));
    let [edited, now] = ["edited", "now"].map(|side| page.find(&format!("id=\"side-{side}\"")).expect(side));
    assert!(edited < now, "the edited side comes first: {page}");
    assert!(page.contains("was 3 (▲2)"), "{page}");
    // To pin a product at its place pins all before it.
    let third = after[2].clone();
    let page = change(&seller, &page, &format!("pin:{third}"), &[]).await;
    assert_eq!(values(&page, "pin"), after[..3]);
    let last = after[3].clone();
    let page = change(&seller, &page, &format!("add:bury_ids:{last}"), &[("bury_by", "40")]).await;
    assert_eq!(values(&page, "bury_ids"), [last.as_str()]);
    assert_eq!(live(&world, &shop).await, json!([]), "to look changes nothing");
    let set = publish(&world, &seller, &page, &[("banner", "Rugs <3")]).await;
    assert_eq!((set.status, set.header("location")), (303, "/shops/one/rules?set=1"), "{}", set.text);
    let rule = json!({"Id": "rug", "Query": "rug", "Match": "exact", "Pin": after[..3], "Banner": "Rugs <3",
        "Bury": {"Ids": [last], "By": 40}});
    assert_eq!(live(&world, &shop).await, json!([rule]));
    // The rules name the product and lead to its editor.
    let list = seller.page("/shops/one/rules").await;
    let synonyms = "class=\"icon-synonyms\" href=\"/shops/one/rules#synonyms\"";
    for said in
        ["Oak rug p3", "only this search term", "/shops/one/rules/edit?id=rug\"", "New rule", synonyms]
    {
        assert!(list.contains(said), "{said}: {list}");
    }
    let folded = ["<summary>All rules as text (JSON)</summary>", "<summary>Synonyms as text</summary>"];
    assert!(folded.iter().all(|named| list.contains(named)), "each has a name of its own: {list}");
    // The rule for exactly this query is opened again, and another is begun for another query.
    let again = seller.page(&format!("{EDIT}?query=rug&pin={last}")).await;
    assert_eq!(
        (values(&again, "id"), values(&again, "pin")[0].as_str()),
        (vec!["rug".to_owned()], last.as_str())
    );
    let other = seller.page(&format!("{EDIT}?query=Oak+rug")).await;
    assert!(values(&other, "id") == [""] && !other.contains("data-unpublished"), "{other}");
    assert!(other.contains("id=\"side-now\"") && !other.contains("id=\"side-edited\""), "{other}");
}

async fn a_list_is_searched_and_put_in_order(world: World) {
    let (_, seller) = open(&world).await;
    let page = seller.page(EDIT).await;
    let page = change(&seller, &page, "find:pin", &[("find_pin", "rug"), ("query", "rug")]).await;
    assert!(page.contains("value=\"add:pin:p1\"") && page.contains("value=\"add:pin:p4\""), "{page}");
    let page = change(&seller, &page, "add:pin:p1", &[]).await;
    let page = change(&seller, &page, "add:pin:p2", &[]).await;
    assert!(page.contains("already in the list") && !page.contains("value=\"add:pin:p1\""), "{page}");
    let page = change(&seller, &page, "up:pin:p2", &[]).await;
    assert_eq!(values(&page, "pin"), ["p2", "p1"]);
    let page = change(&seller, &page, "down:pin:p2", &[]).await;
    assert_eq!(values(&page, "pin"), ["p1", "p2"]);
    let page = change(&seller, &page, "remove:pin:p1", &[]).await;
    assert_eq!(values(&page, "pin"), ["p2"]);
    // Categories and brands are found by a part of their names, and by their ids.
    let searches = [("find_category", "RUG"), ("find_boost_brand", "b1"), ("find_hide_brand", "nothing")];
    let page = change(&seller, &page, "try", &searches).await;
    for button in ["add:category:c1", "add:boost_brand:b1"] {
        assert!(page.contains(&format!("value=\"{button}\"")), "{button}: {page}");
    }
    assert!(page.contains("Nothing found."), "{page}");
    let page = change(&seller, &page, "add:pin:gone", &[]).await;
    assert!(page.contains("The shop does not show it now."), "{page}");
    assert_eq!(values(&page, "pin"), ["p2", "gone"]);
}

async fn a_rule_of_others_stays_and_theirs_is_merged(world: World) {
    let (shop, seller) = open(&world).await;
    let first = json!({"Rules": [{"Id": "a", "Query": "a", "Banner": "x"}, {"Id": "b", "Query": "b", "Banner": "y"}]});
    world.ask_json(&shop, "/api/rules/set", first).await;
    let page = seller.page(&format!("{EDIT}?id=a")).await;
    world.clock.advance(limits::SEARCH_RULES_DURATION);
    let theirs = json!({"Rules": [{"Id": "c", "Banner": "z"},
        {"Id": "a", "Query": "a", "Banner": "theirs", "Pin": ["p2"]}]});
    world.ask_json(&shop, "/api/rules/set", theirs.clone()).await;
    let refused = publish(&world, &seller, &page, &[("banner", "mine & yours")]).await;
    assert_eq!(refused.status, 409, "{}", refused.text);
    for said in
        ["version 2 is live", "What others published meanwhile", "mine &amp; yours", "&quot;theirs&quot;"]
    {
        assert!(refused.text.contains(said), "{said}: {}", refused.text);
    }
    assert_eq!(live(&world, &shop).await, theirs["Rules"]);
    let set = publish(&world, &seller, &refused.text, &[]).await;
    assert_eq!((set.status, set.header("location")), (303, "/shops/one/rules?set=3"), "{}", set.text);
    // What both changed is as it was sent last; what they alone changed stays.
    let merged = json!([{"Id": "c", "Banner": "z"},
        {"Id": "a", "Query": "a", "Banner": "mine & yours", "Pin": ["p2"]}]);
    assert_eq!(live(&world, &shop).await, merged);
}

async fn a_rule_is_not_published_where_nothing_changed(world: World) {
    const UNCHANGED: &str = "/shops/one/rules?unchanged=yes";
    let (shop, seller) = open(&world).await;
    let rules =
        json!({"Rules": [{"Id": "a", "Query": "a", "Banner": "x", "Boost": {"Brand": ["b1"], "By": 5}}]});
    world.ask_json(&shop, "/api/rules/set", rules.clone()).await;
    let page = seller.page(&format!("{EDIT}?id=a")).await;
    let same = publish(&world, &seller, &page, &[]).await;
    assert_eq!(same.header("location"), UNCHANGED, "{}", same.text);
    let list = rules.to_string();
    let form = [("list", list.as_str()), ("before", "1"), ("do", "set")];
    assert_eq!(seller.send_form("/shops/one/rules", &form).await.header("location"), UNCHANGED);
    assert!(seller.page(UNCHANGED).await.contains("Nothing changed"));
    assert_eq!(live(&world, &shop).await, rules["Rules"]);
    // Others were faster with the deletion.
    world.clock.advance(limits::SEARCH_RULES_DURATION);
    world.ask_json(&shop, "/api/rules/set", json!({"Rules": []})).await;
    let late = press(&seller, &page, "delete", &[("confirm", "yes")]).await;
    assert!(late.status == 409 && late.text.contains("nothing was deleted"), "{}", late.text);
    let gone = press(&seller, &late.text, "delete", &[("confirm", "yes")]).await;
    assert_eq!(gone.header("location"), UNCHANGED, "{}", gone.text);
    assert_eq!(world.ask_json(&shop, RULES, json!({})).await["Version"], 2);
}

async fn a_rule_is_opened_with_all_that_it_has_and_is_deleted(world: World) {
    let (shop, seller) = open(&world).await;
    let rule = json!({"Id": "a/1", "Priority": 3, "Query": "red rug", "Match": "contains", "Category": "c1",
        "From": "2020-01-01T00:00:00.5Z", "Until": "2099-01-01T08:00:00+02:00", "Pin": ["p2"],
        "Boost": {"Attributes": {"Colour": ["red"]}, "Brand": ["b1"], "By": 7.5}, "Bury": {"InStock": false},
        "Hide": {"Ids": ["p4"]}, "Filter": {"Category": ["c1"], "Price": {"To": 50}}, "Redirect": "/sale",
        "Banner": "a \"quoted\" text", "Synonyms": ["rug, carpet"], "StopWords": ["red", "a"]});
    let other = json!({"Id": "other", "Banner": "x"});
    world.ask_json(&shop, "/api/rules/set", json!({"Rules": [rule, other]})).await;
    let page = seller.page(&format!("{EDIT}?id=a%2F1")).await;
    for said in [
        "{&quot;Colour&quot;:[&quot;red&quot;]}",
        "2099-01-01T06:00",
        "InStock <code>false</code>",
        "Acme",
        "Rugs",
    ] {
        assert!(page.contains(said), "{said}: {page}");
    }
    // What was not changed stays as it was written.
    let set = publish(&world, &seller, &page, &[("boost_by", "8")]).await;
    assert_eq!(set.status, 303, "{}", set.text);
    let mut expected = rule.clone();
    expected["Boost"]["By"] = json!(8);
    assert_eq!(live(&world, &shop).await, json!([expected, other]));
    let page = seller.page(&format!("{EDIT}?id=a%2F1")).await;
    world.clock.advance(limits::SEARCH_RULES_DURATION);
    let unsure = press(&seller, &page, "delete", &[]).await;
    assert!(unsure.status == 422 && unsure.text.contains("Tick the box"), "{}", unsure.text);
    let gone = press(&seller, &page, "delete", &[("confirm", "yes")]).await;
    assert_eq!((gone.status, gone.header("location")), (303, "/shops/one/rules?set=3"), "{}", gone.text);
    assert_eq!(live(&world, &shop).await, json!([other]));
    assert_eq!(seller.get(&format!("{EDIT}?id=a%2F1")).await.status, 404);
}

async fn a_refusal_stands_beside_its_field(world: World) {
    let (shop, seller) = open(&world).await;
    let page = seller.page(&format!("{EDIT}?query=rug")).await;
    for (field, typed, status, sentence) in [
        ("priority", "high", 422, "This has to be a number."),
        ("query", "", 422, "Type the search term"),
        ("redirect", "https://elsewhere.test/", 400, "The rule redirects to another place"),
        ("synonyms", "rug =>", 400, "Synonyms: line 1"),
    ] {
        let refused = publish(&world, &seller, &page, &[(field, typed), ("banner", "kept")]).await;
        assert_eq!(refused.status, status, "{field}: {}", refused.text);
        let marked =
            refused.text.split(&format!(" name=\"{field}\"")).nth(1).and_then(|rest| rest.split('>').next());
        assert!(marked.expect("a field").contains("aria-invalid=\"true\""), "{field}: {}", refused.text);
        assert!(refused.text.contains(sentence), "{field}: {}", refused.text);
        assert_eq!(
            (values(&refused.text, "banner"), values(&refused.text, "before")),
            (vec!["kept".to_owned()], vec!["0".to_owned()])
        );
    }
    let nothing = publish(&world, &seller, &page, &[]).await;
    assert!(nothing.status == 400 && nothing.text.contains("The rule does nothing"), "{}", nothing.text);
    // The preview says it before anything is published.
    let tried = change(&seller, &page, "try", &[("boost_ids", "p1"), ("boost_flag", "InStock")]).await;
    assert!(tried.contains("has Ids and filters in Boost"), "{tried}");
    assert_eq!(live(&world, &shop).await, json!([]));
    let viewer = Browser::sign_in_as(&world, "Viewer", "viewer", &[&shop]).await;
    assert_eq!(viewer.get(EDIT).await.status, 403);
}

async fn what_was_typed_in_an_editor_is_given_back(world: World) {
    let (_, seller) = open(&world).await;
    let page = seller.page(&format!("{EDIT}?query=rug&pin=p3")).await;
    world.clock.advance(limits::CONSOLE_IDLE_DURATION);
    let refused = press(&seller, &page, "publish", &[("banner", "long & good")]).await;
    assert_eq!(refused.status, 401, "{}", refused.text);
    for line in ["query: rug\n", "banner: long &amp; good", "pin: p3"] {
        assert!(refused.text.contains(line), "{line}: {}", refused.text);
    }
    for line in ["form_token:", "before:", "after:", "was:"] {
        assert!(!refused.text.contains(line), "{line} {}", refused.text);
    }
}
