//! The form of a rule: its fields as they stand for a rule, and the rule that fields stand for. Parts of a rule whose
//! fields were not changed stay as they were written, and so do those without a field.

use serde_json::{Map, Number, Value, json};

use super::editor_lists::ItemList;
use super::filter_fields::{FilterFields, parse_number, set_or_remove, texts_in};
use super::moment_field::{field_of_moment, moment_of_field};
use crate::console::ui::editor_fields::EditorFields;

/// A choice of products on which a rule acts.
pub(super) struct SelectionForm {
    /// Member of the rule.
    pub member: &'static str,
    /// Beginning of the names of its fields, and the name of its group.
    pub group: &'static str,
    /// True if it has a strength in percent.
    pub takes_percent: bool,
}

/// The choices of products of a rule.
pub(super) const SELECTIONS: [SelectionForm; 4] = [
    SelectionForm { member: "Boost", group: "boost", takes_percent: true },
    SelectionForm { member: "Bury", group: "bury", takes_percent: true },
    SelectionForm { member: "Hide", group: "hide", takes_percent: false },
    SelectionForm { member: "Filter", group: "filter", takes_percent: false },
];

/// The lists of the form.
pub(super) const LISTS: [ItemList; 14] = [
    ItemList::single("category", "Categories"),
    ItemList::new("pin", "Products"),
    ItemList::new("boost_ids", "Products"),
    ItemList::new("boost_brand", "Brands"),
    ItemList::new("boost_category", "Categories"),
    ItemList::new("bury_ids", "Products"),
    ItemList::new("bury_brand", "Brands"),
    ItemList::new("bury_category", "Categories"),
    ItemList::new("hide_ids", "Products"),
    ItemList::new("hide_brand", "Brands"),
    ItemList::new("hide_category", "Categories"),
    ItemList::new("filter_ids", "Products"),
    ItemList::new("filter_brand", "Brands"),
    ItemList::new("filter_category", "Categories"),
];

/// Texts of a rule that stand in a field as they are.
const TEXTS: [(&str, &str); 3] = [("category", "Category"), ("redirect", "Redirect"), ("banner", "Banner")];
/// Moments of a rule.
const MOMENTS: [(&str, &str); 2] = [("from", "From"), ("until", "Until")];
/// Members with which a rule does something.
const EFFECTS: [&str; 9] =
    ["Pin", "Boost", "Bury", "Hide", "Filter", "Redirect", "Banner", "Synonyms", "StopWords"];
/// Ways to match a query, by the field `match`, which need its words.
const WITH_WORDS: [&str; 3] = ["exact", "words", "contains"];

impl SelectionForm {
    /// Name of a field of this choice.
    pub fn field(&self, name: &str) -> String {
        format!("{}_{name}", self.group)
    }

    fn fill_fields(&self, which: &Value, fields: &mut EditorFields) {
        FilterFields::from_filters(which).fill_fields(fields, &self.field(""));
        fields.set_values(&self.field("ids"), texts_in(&which["Ids"]));
        fields.set(&self.field("by"), &which["By"].as_number().map_or_else(String::new, Number::to_string));
    }

    /// Writes the choice into a rule; none where only a strength is given.
    fn write(&self, rule: &mut Map<String, Value>, fields: &EditorFields, before: &EditorFields) {
        let mut which = rule.get(self.member).and_then(Value::as_object).cloned().unwrap_or_default();
        FilterFields::from_fields(fields, &self.field("")).apply_to(&mut which);
        let ids = self.field("ids");
        if !fields.has_same(before, &ids) {
            let chosen = fields.values(&ids);
            set_or_remove(&mut which, "Ids", (!chosen.is_empty()).then(|| json!(chosen)));
        }
        let by = self.field("by");
        if !fields.has_same(before, &by) {
            set_or_remove(&mut which, "By", number(fields.text(&by)));
        }
        let selects = which.keys().any(|name| name != "By");
        set_or_remove(rule, self.member, selects.then(|| which.into()));
    }

    /// Fields of numbers.
    fn number_fields(&self) -> [String; 3] {
        ["by", "price_from", "price_to"].map(|name| self.field(name))
    }

    /// True if a field of the group is filled in, or searches for something.
    pub fn is_used(&self, fields: &EditorFields) -> bool {
        let lists = ["ids", "brand", "category"];
        let others = ["by", "price_from", "price_to", "flag"].map(|name| self.field(name));
        let mut names = others.into_iter().chain(lists.map(|name| self.field(name)));
        let mut searches = lists.map(|name| format!("find_{}", self.field(name))).into_iter();
        names.any(|name| !fields.text(&name).is_empty())
            || searches.any(|name| !fields.text(&name).is_empty())
    }
}

/// The fields that stand for a rule.
pub(super) fn fields_of_rule(rule: &Value) -> EditorFields {
    let mut fields = EditorFields::default();
    let text = |member: &str| rule[member].as_str().unwrap_or_default();
    fields.set("query", text("Query"));
    fields.set("match", match_field(rule));
    for (field, member) in TEXTS {
        fields.set(field, text(member));
    }
    for (field, member) in MOMENTS {
        fields.set(field, &field_of_moment(text(member)));
    }
    if let Some(priority) = rule["Priority"].as_number() {
        fields.set("priority", &priority.to_string());
    }
    fields.set_values("pin", texts_in(&rule["Pin"]));
    fields.set("synonyms", &texts_in(&rule["Synonyms"]).join("\n"));
    fields.set("stop_words", &texts_in(&rule["StopWords"]).join(", "));
    for selection in &SELECTIONS {
        selection.fill_fields(&rule[selection.member], &mut fields);
    }
    fields
}

/// The value of the field `match`: how the query is matched, `any` without one, `browse` for one without words.
fn match_field(rule: &Value) -> &str {
    let Some(query) = rule["Query"].as_str() else { return "any" };
    match rule["Match"].as_str() {
        Some("exact") if query.trim().is_empty() => "browse",
        Some(how) => how,
        None => "words",
    }
}

/// The rule that the fields stand for, made of the rule as it was opened; null for a new one.
pub(super) fn rule_of_fields(opened: &Value, fields: &EditorFields) -> Value {
    let before = fields_of_rule(opened);
    let mut rule = opened.as_object().cloned().unwrap_or_default();
    let is_changed = |field: &str| !fields.has_same(&before, field);
    if is_changed("query") || is_changed("match") || opened.is_null() {
        write_condition(&mut rule, fields);
    }
    for (field, member) in TEXTS.into_iter().filter(|(field, _)| is_changed(field)) {
        set_or_remove(&mut rule, member, text_or_none(fields.text(field)));
    }
    for (field, member) in MOMENTS.into_iter().filter(|(field, _)| is_changed(field)) {
        let written = moment_of_field(fields.text(field), "");
        set_or_remove(&mut rule, member, text_or_none(&written));
    }
    if is_changed("priority") {
        set_or_remove(&mut rule, "Priority", number(fields.text("priority")));
    }
    let lists = [
        ("pin", "Pin", fields.values("pin").to_vec()),
        ("synonyms", "Synonyms", parts(fields.text("synonyms"), '\n')),
        ("stop_words", "StopWords", parts(fields.text("stop_words"), ',')),
    ];
    for (_, member, values) in lists.into_iter().filter(|(field, ..)| is_changed(field)) {
        set_or_remove(&mut rule, member, (!values.is_empty()).then(|| json!(values)));
    }
    for selection in &SELECTIONS {
        selection.write(&mut rule, fields, &before);
    }
    rule.into()
}

fn write_condition(rule: &mut Map<String, Value>, fields: &EditorFields) {
    let how = fields.text("match");
    let query = match how {
        "any" => None,
        "browse" => Some(""),
        _ => Some(fields.text("query")),
    };
    let matched = match how {
        "exact" | "browse" => Some("exact"),
        "contains" => Some("contains"),
        _ => None,
    };
    set_or_remove(rule, "Query", query.map(Value::from));
    set_or_remove(rule, "Match", matched.map(Value::from));
}

/// True if a rule has an effect on any search.
pub(super) fn does_something(rule: &Value) -> bool {
    EFFECTS.iter().any(|member| rule.get(member).is_some())
}

/// The first field that cannot be read, and the key of the sentence that says so.
pub(super) fn unreadable_field(fields: &EditorFields) -> Option<(String, &'static str)> {
    let needs_words = WITH_WORDS.contains(&fields.text("match"));
    if needs_words && fields.text("query").is_empty() {
        return Some(("query".to_owned(), "console.rule_editor.no_query"));
    }
    let numbers = SELECTIONS.iter().flat_map(SelectionForm::number_fields);
    let mut numbers = numbers.chain(["priority".to_owned()]);
    let is_none = |field: &String| number(fields.text(field)).is_some_and(|value| !value.is_number());
    numbers.find(is_none).map(|field| (field, "console.rule_editor.no_number"))
}

/// A typed number; its text where it is none, and `None` for nothing.
fn number(typed: &str) -> Option<Value> {
    (!typed.is_empty()).then(|| parse_number(typed))
}

fn text_or_none(text: &str) -> Option<Value> {
    (!text.is_empty()).then(|| text.into())
}

/// The parts of a text between signs that are not blank.
fn parts(text: &str, between: char) -> Vec<String> {
    text.split(between).map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole_rule() -> Value {
        json!({"Id": "sale", "Priority": -2, "Query": "red shoe", "Match": "contains", "Category": "c1",
            "From": "2026-12-01T08:30:15+01:00", "Until": "2026-12-24T00:00:00Z", "Pin": ["a", "b"],
            "Boost": {"Brand": ["acme"], "Category": "c2", "Price": {"From": 10, "To": 49.5}, "InStock": true,
                "NewArrival": false, "Attributes": {"Colour": ["red"]}, "By": 30.0},
            "Bury": {"Ids": ["x"], "By": 5}, "Hide": {"Ids": ["y", "z"]}, "Filter": {"OnOffer": true},
            "Redirect": "/sale", "Banner": "Sale", "Synonyms": ["shoe, boot", "pump => shoe"],
            "StopWords": ["the", "a"], "Later": {"Unknown": 1}})
    }

    #[test]
    fn a_rule_that_is_opened_and_not_changed_stays_as_it_was_written() {
        let rules = [
            whole_rule(),
            json!({"Id": "a", "Pin": ["1"]}),
            json!({"Id": "b", "Query": "", "Match": "exact", "Banner": "x"}),
            json!({"Id": "c", "Query": "oak", "Boost": {"By": 7, "Attributes": {"Colour": ["red"]}}}),
        ];
        for rule in rules {
            assert_eq!(rule_of_fields(&rule, &fields_of_rule(&rule)), rule);
        }
    }

    #[test]
    fn a_changed_field_changes_its_part_of_the_rule_alone() {
        let changed = |field: &str, values: &[&str]| {
            let mut fields = fields_of_rule(&whole_rule());
            fields.set_values(field, values.iter().map(|value| (*value).to_owned()).collect());
            rule_of_fields(&whole_rule(), &fields)
        };
        let expected = |member: &str, value: Value| {
            let mut rule = whole_rule();
            let members = rule.as_object_mut().expect("an object");
            set_or_remove(members, member, (!value.is_null()).then_some(value));
            rule
        };
        assert_eq!(changed("pin", &["b", "a", "c"]), expected("Pin", json!(["b", "a", "c"])));
        assert_eq!(changed("pin", &[]), expected("Pin", Value::Null));
        assert_eq!(changed("banner", &[" New "]), expected("Banner", json!("New")));
        assert_eq!(changed("match", &["words"]), expected("Match", Value::Null));
        assert_eq!(changed("priority", &["7"]), expected("Priority", json!(7)));
        assert_eq!(changed("until", &["2026-12-26T10:00"]), expected("Until", json!("2026-12-26T10:00:00Z")));
        assert_eq!(changed("synonyms", &["a, b\n\n c "]), expected("Synonyms", json!(["a, b", "c"])));
        assert_eq!(
            changed("stop_words", &["the,, a , an"]),
            expected("StopWords", json!(["the", "a", "an"]))
        );
        assert_eq!(changed("hide_ids", &[]), expected("Hide", Value::Null));
        assert_eq!(changed("bury_by", &["12,5"]), expected("Bury", json!({"Ids": ["x"], "By": 12.5})));
        assert_eq!(changed("filter_flag", &["InStock"]), expected("Filter", json!({"InStock": true})));
        let boost = changed("boost_brand", &[])["Boost"].clone();
        assert_eq!(boost["Attributes"], json!({"Colour": ["red"]}), "it has no field");
        assert_eq!((boost.get("Brand"), &boost["NewArrival"]), (None, &json!(false)));
    }

    #[test]
    fn a_new_rule_has_the_condition_of_its_form_and_nothing_else() {
        let made = |how: &str, query: &str| {
            let mut fields = EditorFields::default();
            fields.set("match", how);
            fields.set("query", query);
            fields.set("boost_by", "30");
            rule_of_fields(&Value::Null, &fields)
        };
        assert_eq!(made("exact", "rug"), json!({"Query": "rug", "Match": "exact"}));
        assert_eq!(made("words", "rug"), json!({"Query": "rug"}));
        assert_eq!(made("contains", "rug"), json!({"Query": "rug", "Match": "contains"}));
        assert_eq!(made("any", "rug"), json!({}));
        assert_eq!(made("browse", "rug"), json!({"Query": "", "Match": "exact"}));
        assert!(!does_something(&made("exact", "rug")) && does_something(&whole_rule()));
        assert!(EFFECTS.iter().all(|member| does_something(&json!({*member: "x"}))));
    }

    #[test]
    fn a_field_that_cannot_be_read_is_named() {
        let named = |filled_in: &[(&str, &str)]| {
            let mut fields = EditorFields::default();
            fields.set("query", "rug");
            fields.set("match", "exact");
            filled_in.iter().for_each(|(field, text)| fields.set(field, text));
            unreadable_field(&fields)
        };
        let number = |field: &str| Some((field.to_owned(), "console.rule_editor.no_number"));
        assert_eq!(named(&[("priority", "3"), ("bury_price_to", "9,99"), ("boost_by", "20")]), None);
        assert_eq!(named(&[("priority", "high")]), number("priority"));
        assert_eq!(named(&[("bury_by", "much")]), number("bury_by"));
        assert_eq!(named(&[("filter_price_from", "10 GBP")]), number("filter_price_from"));
        assert_eq!(named(&[("query", "")]), Some(("query".to_owned(), "console.rule_editor.no_query")));
        assert_eq!(named(&[("query", ""), ("match", "any")]), None);
        assert_eq!(named(&[("query", ""), ("match", "browse")]), None);
    }

    #[test]
    fn a_group_is_used_when_a_field_of_it_is_filled_in_or_searches() {
        let is_used = |field: &str| {
            let mut fields = EditorFields::default();
            fields.set(field, "x");
            SELECTIONS[1].is_used(&fields)
        };
        for field in ["bury_ids", "bury_flag", "bury_price_to", "bury_by", "find_bury_category"] {
            assert!(is_used(field), "{field}");
        }
        assert!(!is_used("boost_ids") && !is_used("query"));
    }

    #[test]
    fn every_list_of_a_choice_of_products_is_in_the_form() {
        for selection in &SELECTIONS {
            for (name, section) in [("ids", "Products"), ("brand", "Brands"), ("category", "Categories")] {
                let field = selection.field(name);
                assert!(LISTS.iter().any(|list| list.name == field && list.section == section), "{field}");
            }
        }
    }
}
