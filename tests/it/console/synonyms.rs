//! The list of synonyms on the page of rules, over HTTP: rows are added, removed and published, and what was typed
//! stays whatever happens meanwhile.

use serde_json::json;

use crate::support::console::{Browser, PAGE_BYTES};
use crate::support::world::{World, on_both_engines};

on_both_engines! {
    synonyms_are_edited_row_by_row_and_published_at_once
    a_wrong_row_is_told_beside_it_and_nothing_typed_is_lost
    a_row_becomes_no_comment_and_a_form_without_rows_clears_nothing
    a_long_list_of_synonyms_is_a_text_and_its_page_stays_small
}

const PAGE: &str = "/shops/one/rules";
const FORM: &str = "/shops/one/synonyms";

async fn set(world: &World, lines: &str) {
    world.control("/control/account/search", json!({"Name": "one", "Synonyms": lines})).await;
}

async fn live(world: &World) -> String {
    let settings = world.control("/control/account/search", json!({"Name": "one"})).await;
    settings["Synonyms"].as_str().expect("a text").to_owned()
}

/// The mark of the list that the form of a page was made from.
fn mark(page: &str) -> String {
    let form = page.split("<h2 id=\"synonyms\">").nth(1).unwrap_or_else(|| panic!("no synonyms: {page}"));
    let value = form.split("name=\"before\" value=\"").nth(1).and_then(|rest| rest.split('"').next());
    value.expect("a mark").to_owned()
}

/// The fields of a form with these rows: kind, words and target.
fn fields<'f>(rows: &[[&'f str; 3]], before: &'f str, button: &'f str) -> Vec<(&'f str, &'f str)> {
    let rows = rows.iter().flat_map(|row| ["kind", "words", "target"].into_iter().zip(*row));
    rows.chain([("before", before), ("do", button)]).collect()
}

async fn synonyms_are_edited_row_by_row_and_published_at_once(world: World) {
    let shop = world.shop("one").await;
    let seller = Browser::sign_in_as(&world, "Seller", "merchandiser", &[&shop]).await;
    let stored = "# of shoppers\n\ntv, television\nsneaker => shoe";
    set(&world, stored).await;
    let page = seller.page(PAGE).await;
    for part in [
        "value=\"# of shoppers\"",
        "value=\"tv, television\"",
        "value=\"sneaker\"",
        "value=\"shoe\"",
        "remove:4",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    let before = mark(&page);
    let mut rows = vec![
        ["kept", "# of shoppers", ""],
        ["kept", "", ""],
        ["same", "tv, television, telly", ""],
        ["one_way", "sneaker", "shoe"],
        ["one_way", "couch", "sofa, settee"],
    ];
    let added = seller.post_form(FORM, &fields(&rows, &before, "add")).await;
    for _ in 0..2 {
        let page = seller.page(&added).await;
        assert!(page.contains("value=\"tv, television, telly\"") && page.contains("remove:5"), "{page}");
        assert_eq!(mark(&page), before);
    }
    let removed = seller.post_form(FORM, &fields(&rows, &before, "remove:3")).await;
    let page = seller.page(&removed).await;
    assert!(!page.contains("value=\"sneaker\"") && page.contains("value=\"sofa, settee\""), "{page}");
    assert_eq!(live(&world).await, stored, "nothing is published yet");
    rows.remove(3);
    rows.push(["same", " ", ""]);
    let published = seller.send_form(FORM, &fields(&rows, &before, "set")).await;
    assert_eq!(
        (published.status, published.header("location")),
        (303, "/shops/one/rules?synonyms=set#synonyms")
    );
    assert_eq!(live(&world).await, "# of shoppers\n\ntv, television, telly\ncouch => sofa, settee");
}

async fn a_wrong_row_is_told_beside_it_and_nothing_typed_is_lost(world: World) {
    let shop = world.shop("one").await;
    let seller = Browser::sign_in_as(&world, "Seller", "merchandiser", &[&shop]).await;
    let before = mark(&seller.page(PAGE).await);
    let rows = [["same", "", ""], ["same", "tv, television", ""], ["same", "alone", ""]];
    let refused = seller.send_form(FORM, &fields(&rows, &before, "set")).await;
    assert_eq!(refused.status, 400, "{}", refused.text);
    let wrong = refused.text.split("value=\"alone\"").nth(1).expect("the row");
    let wrong = wrong.split("</li>").next().expect("the row");
    assert!(wrong.contains("aria-invalid") && wrong.contains("only one word"), "{wrong}");
    assert_eq!(refused.text.matches("id=\"synonym-fault\"").count(), 1);
    assert_eq!(live(&world).await, "");
    // Somebody else was faster.
    set(&world, "theirs, other").await;
    let refused = seller.send_form(FORM, &fields(&rows[..2], &before, "set")).await;
    assert_eq!(refused.status, 409, "{}", refused.text);
    for part in ["value=\"tv, television\"", "<pre>theirs, other</pre>", "Somebody changed the synonyms"] {
        assert!(refused.text.contains(part), "{part}: {}", refused.text);
    }
    let again = seller.send_form(FORM, &fields(&rows[..2], &mark(&refused.text), "set")).await;
    assert_eq!(again.status, 303, "{}", again.text);
    assert_eq!(live(&world).await, "tv, television");
}

async fn a_row_becomes_no_comment_and_a_form_without_rows_clears_nothing(world: World) {
    let shop = world.shop("one").await;
    let seller = Browser::sign_in_as(&world, "Seller", "merchandiser", &[&shop]).await;
    set(&world, "tv, television").await;
    let before = mark(&seller.page(PAGE).await);
    let refused = seller.send_form(FORM, &fields(&[["same", "#tag, label", ""]], &before, "set")).await;
    assert_eq!(refused.status, 400, "{}", refused.text);
    let row = refused.text.split("value=\"#tag, label\"").nth(1).expect("the row");
    assert!(row.split("</li>").next().expect("its end").contains("would become a comment"), "{row}");
    let empty = seller.send_form(FORM, &fields(&[], &before, "set")).await;
    assert!(empty.status == 400 && empty.text.contains("The form had no synonyms."), "{}", empty.text);
    let same = seller.send_form(FORM, &fields(&[["same", "tv, television", ""]], &before, "set")).await;
    assert_eq!(same.header("location"), "/shops/one/rules?synonyms=unchanged#synonyms", "{}", same.text);
    assert_eq!(live(&world).await, "tv, television");
    let cleared = seller.send_form(FORM, &[("lines", ""), ("before", &before)]).await;
    assert_eq!((cleared.status, live(&world).await), (303, String::new()), "{}", cleared.text);
}

async fn a_long_list_of_synonyms_is_a_text_and_its_page_stays_small(world: World) {
    let shop = world.shop("one").await;
    let seller = Browser::sign_in_as(&world, "Seller", "merchandiser", &[&shop]).await;
    let lines = |count: usize| (0..count).map(|n| format!("word{n}, other{n}\n")).collect::<String>();
    let most = lethe::limits::SYNONYM_ROWS - 1;
    for (count, is_rows) in [(most, true), (most + 1, false), (1000, false)] {
        set(&world, &lines(count)).await;
        let page = seller.page(PAGE).await;
        assert_eq!(page.contains("name=\"kind\""), is_rows, "{count}");
        assert!(page.len() < PAGE_BYTES && page.contains("id=\"lines\""), "{count}: {} bytes", page.len());
    }
    let long = format!("# {}", "w".repeat(lethe::limits::SYNONYM_ROWS_BYTES));
    set(&world, &long).await;
    assert!(!seller.page(PAGE).await.contains("name=\"kind\""));
}
