//! Opening a rule, the buttons of its form, and the refusals beside its fields.

use super::*;
use crate::i18n::UiLanguage;

fn live() -> LiveList {
    let entries = json!([
        {"Id": "any", "Query": "rug", "Pin": ["z"]},
        {"Id": "rug", "Query": "rug", "Match": "exact", "Pin": ["z", "a"]},
        {"Id": "front", "Query": "", "Match": "exact", "Banner": "x"},
    ]);
    LiveList { version: 7, entries: entries.as_array().cloned().unwrap_or_default() }
}

fn open(asked: &[(&'static str, &'static str)]) -> RuleDraft {
    RuleDraft::open(&live(), &asked.iter().copied().collect()).expect("a draft")
}

#[test]
fn a_rule_is_opened_by_its_id_or_as_the_one_for_exactly_a_query() {
    for (asked, id, pins) in [
        (&[("id", "any")][..], "any", "z"),
        (&[("query", "rug")], "rug", "z a"),
        (&[("query", "rug"), ("pin", "b")], "rug", "b z a"),
        (&[("query", "rug"), ("pin", "a")], "rug", "a z"),
        (&[("query", ""), ("pin", "a")], "front", "a"),
        (&[("query", "shoe"), ("pin", "a")], "", "a"),
        (&[("query", "shoe")], "", ""),
        (&[], "", ""),
    ] {
        let draft = open(asked);
        let found = (draft.fields.text("id"), draft.fields.values("pin").join(" "));
        assert_eq!(found, (id, pins.to_owned()), "{asked:?}");
        assert_eq!(draft.fields.text("before"), "7");
        let is_pinned = asked.iter().any(|(name, _)| *name == "pin");
        assert_eq!(draft.is_changed, is_pinned, "{asked:?}");
    }
    let unknown = [("id", "none")].into_iter().collect();
    let refused = RuleDraft::open(&live(), &unknown).err().map(|problem| problem.status);
    assert_eq!(refused, Some(StatusCode::NOT_FOUND));
}

#[test]
fn a_new_rule_is_for_exactly_its_query_and_gets_an_id_of_it() {
    let others = live().entries;
    let draft = open(&[("query", "Red shoe"), ("pin", "a")]);
    let expected = json!({"Id": "red-shoe", "Query": "Red shoe", "Match": "exact", "Pin": ["a"]});
    assert_eq!(draft.rule(&others), expected);
    let taken = [json!({"Id": "red-shoe"})];
    assert_eq!(draft.rule(&taken)["Id"], "red-shoe-2");
    let browsing = RuleDraft::open(
        &LiveList { version: 0, entries: Vec::new() },
        &[("query", ""), ("pin", "a")].into_iter().collect(),
    );
    let browsing = browsing.expect("a draft").rule(&others);
    assert_eq!(browsing, json!({"Id": "rule", "Query": "", "Match": "exact", "Pin": ["a"]}));
}

#[test]
fn a_change_of_others_in_the_same_rule_is_taken_over_where_it_was_not_changed_here() {
    let mut draft = open(&[("id", "rug")]);
    draft.fields.set("banner", "mine");
    let mut theirs = json!({"Id": "rug", "Query": "rug", "Match": "exact", "Pin": ["q"], "Priority": 2,
        "Banner": "theirs", "Hide": {"Ids": ["y"], "Attributes": {"Colour": ["red"]}}});
    draft.take_over(&theirs);
    theirs["Banner"] = "mine".into();
    assert_eq!(draft.rule(&[]), theirs);
}

#[test]
fn an_opened_rule_keeps_its_id_and_all_that_was_not_changed() {
    let mut draft = open(&[("id", "front")]);
    assert_eq!(draft.rule(&[]), live().entries[2]);
    draft.fields.set("banner", "y");
    assert_eq!(draft.rule(&[]), json!({"Id": "front", "Query": "", "Match": "exact", "Banner": "y"}));
}

#[test]
fn a_found_product_is_pinned_with_all_before_it_in_front_of_the_other_pins() {
    for (pins, after, button, expected) in [
        ("", "a b c d", "pin:c", "a b c"),
        ("z", "a b c d", "pin:a", "a z"),
        ("b a", "b a c d", "pin:d", "b a c d"),
        ("a b", "d a b c", "pin:d", "d a b"),
        ("a", "a b", "pin:x:1", "x:1 a"),
        ("a b", "a b", "remove:pin:a", "b"),
        ("a", "a b", "try", "a"),
    ] {
        let mut fields = EditorFields::default();
        let list = |text: &str| text.split_whitespace().map(str::to_owned).collect();
        fields.set_values("pin", list(pins));
        fields.set_values("after", list(after));
        press(&mut fields, button);
        assert_eq!(fields.values("pin").join(" "), expected, "{button}");
    }
    let mut fields = EditorFields::default();
    press(&mut fields, "add:bury_ids:a");
    assert_eq!(fields.values("bury_ids"), ["a"]);
}

#[test]
fn a_refusal_stands_beside_the_field_that_it_is_about() {
    let texts = Translations::load(UiLanguage::English);
    for (sentence, field) in [
        ("Rules: rule 3 (boost-query) does nothing: it needs Pin, Boost, Bury, Hide", "effect"),
        ("Rules: rule 3 (a) pins more than 50 products", "pin"),
        ("Rules: rule 3 (a) has Ids and filters in Boost: make two rules of it", "boost"),
        ("Rules: rule 3 (a) does not say which products Filter means", "filter"),
        ("Rules: rule 3 (a) has Ids and filters in Hide: make two rules of it", "hide"),
        ("Rules: rule 3 (a) Synonyms: line 1 has one word", "synonyms"),
        ("Rules: rule 3 redirects to another place than a path of the shop", "redirect"),
        ("Rules: rule 3 (a) needs a moment as RFC 3339 has it in From, such as", "from"),
        ("Rules: rule 3 (a) ends before it begins", "until"),
        ("Rules: rule 3 (a) has a Query of more than 10 words", "query"),
        ("Rules: rule 3 (a) holds an email address", ""),
    ] {
        let mut draft = RuleDraft::new(EditorFields::default());
        draft.refuse(&Problem::new(StatusCode::BAD_REQUEST, sentence), &texts);
        let (wrong, said) = draft.fault.expect("a fault");
        assert_eq!(wrong, field, "{sentence}");
        let begin = if field == "synonyms" { "Synonyms: line 1" } else { "The rule " };
        assert!(said.starts_with(begin) && !said.contains('('), "{said}");
    }
    let mut draft = RuleDraft::new(EditorFields::default());
    draft.refuse(&Problem::new(StatusCode::SERVICE_UNAVAILABLE, "problem.busy"), &texts);
    let (wrong, said) = draft.fault.expect("a fault");
    assert_eq!((wrong.as_str(), said), ("", texts.translate("console.problem.busy", &[])));
    assert_eq!(own_part("Rules has up to 5 bytes"), "Rules has up to 5 bytes");
}

#[test]
fn a_field_that_cannot_be_read_is_told_in_the_language_of_the_page() {
    let texts = Translations::load(UiLanguage::German);
    let mut draft = open(&[("id", "rug")]);
    assert!(!draft.check(&texts) && draft.fault.is_none());
    draft.fields.set("priority", "high");
    assert!(draft.check(&texts));
    let sentence = texts.translate("console.rule_editor.no_number", &[]);
    assert_eq!(draft.fault, Some(("priority".to_owned(), sentence)));
}
