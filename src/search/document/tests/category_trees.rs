//! Trees of categories: children, ancestors and paths, with hidden categories, circles and endless chains.

use super::*;

/// Categories by their id and the rest of their rows.
fn categories(rows: &[(&str, &str)]) -> NameTable {
    let mut categories = NameTable::default();
    for (id, row) in rows {
        categories.put_row(id, row.as_bytes()).expect("a category");
    }
    categories
}

/// Each category below the one before it.
fn chain(count: usize) -> NameTable {
    let mut chain = NameTable::default();
    for number in 0..count {
        let above = if number == 0 { Vec::new() } else { vec![format!("c{}", number - 1)] };
        let row = serde_json::json!({"ParentIds": above}).to_string();
        chain.put_row(&format!("c{number}"), row.as_bytes()).expect("a category");
    }
    chain
}

#[test]
fn a_category_is_called_by_its_name_or_its_id() {
    let mut categories =
        categories(&[("a", r#"{"DisplayName":"Caf&eacute;s"}"#), ("b", r#"{"DisplayName":" "}"#)]);
    assert_eq!(["a", "b", "c"].map(|id| categories.name(id)), ["Cafés", "b", "c"]);
    categories.remove("a");
    assert_eq!(categories.name("a"), "a");
    let fault = categories.put_row("d", b"[]").expect_err("no object");
    assert!(fault.to_string().starts_with("the row is no object of JSON: "), "{fault}");
    assert_eq!(DocumentFault::Missing("Id").to_string(), "the row has no Id");
}

#[test]
fn a_category_is_recommended_if_it_is_shown_and_not_left_out() {
    let categories = categories(&[
        ("shown", "{}"),
        ("hidden", r#"{"IsActive":false}"#),
        ("out", r#"{"ExcludeFromRecommenders":true}"#),
        ("in", r#"{"IsActive":true,"ExcludeFromRecommenders":false}"#),
    ]);
    let recommended = ["shown", "hidden", "out", "in", "unknown"].map(|id| categories.is_recommended(id));
    assert_eq!(recommended, [true, false, false, true, false]);
}

#[test]
fn children_come_in_the_order_of_their_ids_without_hidden_ones() {
    let categories = categories(&[
        ("home", "{}"),
        ("c", r#"{"ParentIds":["home"]}"#),
        ("a", r#"{"ParentIds":["home","garden"]}"#),
        ("b", r#"{"ParentIds":["home"]}"#),
        ("hidden", r#"{"ParentIds":["home","a"],"IsActive":false}"#),
    ]);
    let mut children: Vec<_> = categories.children().into_iter().collect();
    children.sort_unstable();
    assert_eq!(children, [("garden", vec!["a"]), ("home", vec!["a", "b", "c"])]);
    assert_eq!(categories.parents("a").collect::<Vec<_>>(), ["home", "garden"]);
    assert_eq!(categories.parents("unknown").count(), 0);
}

#[test]
fn ancestors_come_once_and_level_by_level() {
    let categories = categories(&[
        ("desk", r#"{"ParentIds":["lamps","office"]}"#),
        ("lamps", r#"{"ParentIds":["home"]}"#),
        ("office", r#"{"ParentIds":["home","soon"]}"#),
        ("soon", r#"{"ParentIds":["top"],"IsActive":false}"#),
    ]);
    let with_ancestors = |ids: &[&str]| {
        let own: Vec<_> = ids.iter().map(|id| (*id).to_owned()).collect();
        categories.with_ancestors(&own).join(" ")
    };
    assert_eq!(with_ancestors(&["desk"]), "desk lamps office home");
    assert_eq!(with_ancestors(&["lamps", "soon", "desk", "lamps"]), "lamps desk home office");
    assert_eq!(with_ancestors(&[]), "");
}

#[test]
fn a_chain_of_categories_is_followed_32_levels() {
    let deep = chain(40);
    let path = deep.path("c39");
    assert_eq!((path.len(), path[0], path[31]), (32, "c8", "c39"));
    let all = deep.with_ancestors(&["c39".to_owned()]);
    assert_eq!((all.len(), all[0].as_str(), all[31].as_str()), (32, "c39", "c8"));
    assert_eq!(chain(32).path("c31").len(), 32);
    let circle = categories(&[("a", r#"{"ParentIds":["b"]}"#), ("b", r#"{"ParentIds":["a"]}"#)]);
    assert_eq!(circle.path("a"), ["b", "a"]);
    assert_eq!(circle.with_ancestors(&["a".to_owned()]), ["a", "b"]);
    assert!(circle.is_below("a", &["b".to_owned()]) && !circle.is_below("a", &["a".to_owned()]));
}
