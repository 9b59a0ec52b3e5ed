//! The effect of a rule that is edited: what a search finds now, and what it would find with the rule.

use axum::http::StatusCode;
use serde_json::{Value, json};

use super::entry_publishing::{LiveList, put_entry};
use super::rule_form::does_something;
use super::search::beside;
use crate::console::auth::console_shop::ConsoleShop;
use crate::console::state::Console;
use crate::console::ui::editor_fields::EditorFields;
use crate::console::ui::problem::Problem;

/// Hits on each side.
const HITS: i64 = 12;

/// Sides of the effect, or the refusal of the rule beside the search as it is now.
pub(super) struct RuleEffect {
    /// Answers of the search, as `found.html` shows them; none where the search itself is refused.
    pub sides: Vec<Value>,
    /// Refusal of the rule.
    pub refused: Option<Problem>,
}

/// Searches with the live rules, and with the rule in its place among them, as if its period had begun. A rule without
/// an effect is not tried: the hits of now can be edited.
///
/// # Errors
/// When the search cannot be asked.
pub(super) async fn load_effect(
    console: &Console,
    shop: &ConsoleShop,
    live: LiveList,
    fields: &EditorFields,
    rule: &Value,
) -> Result<RuleEffect, Problem> {
    let question = question(fields, rule);
    let mut refused = None;
    if does_something(rule) {
        let mut entries = live.entries;
        put_entry(&mut entries, in_force(rule));
        let mut tried = question.clone();
        tried["Rules"] = entries.into();
        match console.operations.call_for_shop(shop, "/api/rules/preview", tried).await {
            Ok(both) => return Ok(RuleEffect { sides: compare(&both, rule), refused }),
            Err(problem) if is_about_values(&problem) => refused = Some(problem),
            Err(problem) => return Err(problem),
        }
    }
    let found = match console.operations.call_for_shop(shop, "/api/search", question).await {
        Ok(found) => found,
        Err(problem) if is_about_values(&problem) => {
            return Ok(RuleEffect { sides: Vec::new(), refused: Some(refused.unwrap_or(problem)) });
        }
        Err(problem) => return Err(problem),
    };
    // A rule begins with what is found now.
    let is_edited = refused.is_none();
    let now = json!({"Name": "now", "From": 1, "Found": found, "IsEdited": is_edited});
    Ok(RuleEffect { sides: vec![now], refused })
}

fn is_about_values(problem: &Problem) -> bool {
    [StatusCode::BAD_REQUEST, StatusCode::UNPROCESSABLE_ENTITY].contains(&problem.status)
}

/// The search for which the rule is tried: a typed one, or that of its query, in its category.
fn question(fields: &EditorFields, rule: &Value) -> Value {
    let sample = fields.text("sample");
    let query = if sample.is_empty() { rule["Query"].as_str().unwrap_or_default() } else { sample };
    let mut question = json!({"Query": query, "Size": HITS});
    if let Some(category) = rule["Category"].as_str() {
        question["Filters"]["Category"] = json!([category]);
    }
    question
}

/// The rule without its period.
fn in_force(rule: &Value) -> Value {
    let mut rule = rule.clone();
    if let Some(members) = rule.as_object_mut() {
        members.remove("From");
        members.remove("Until");
    }
    rule
}

/// Both answers beside each other, that with the rule first, as it is edited; its hits say whether the rule pins them,
/// and by which id: their own or that of their variant.
fn compare(both: &Value, rule: &Value) -> Vec<Value> {
    let mut after = both["After"].clone();
    let pins = rule["Pin"].as_array().cloned().unwrap_or_default();
    for hit in after["Items"].as_array_mut().into_iter().flatten() {
        let pinned = [&hit["Id"], &hit["Variant"]["Id"]].into_iter().find(|id| pins.contains(id)).cloned();
        hit["IsPinned"] = pinned.is_some().into();
        hit["PinnedAs"] = pinned.into();
    }
    let mut sides = beside(1, ("now", both["Before"].clone()), ("edited", after));
    sides.reverse();
    if let Some(edited) = sides.first_mut() {
        edited["IsEdited"] = true.into();
    }
    sides
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_is_tried_with_its_query_or_a_typed_one_and_in_its_category() {
        let mut fields = EditorFields::default();
        let rule = json!({"Query": "rug", "Category": "c1"});
        let filters = json!({"Category": ["c1"]});
        assert_eq!(question(&fields, &rule), json!({"Query": "rug", "Size": 12, "Filters": filters}));
        fields.set("sample", "red rug");
        assert_eq!(question(&fields, &json!({})), json!({"Query": "red rug", "Size": 12}));
        assert_eq!(question(&EditorFields::default(), &json!({}))["Query"], "");
    }

    #[test]
    fn a_rule_is_tried_as_if_its_period_had_begun() {
        let rule = json!({"Id": "a", "From": "2030-01-01T00:00:00Z", "Until": "2031-01-01T00:00:00Z"});
        assert_eq!(in_force(&rule), json!({"Id": "a"}));
    }

    #[test]
    fn the_first_side_can_be_edited_and_says_what_is_pinned() {
        let hits = json!({"Items": [{"Id": "a"}, {"Id": "b"}]});
        let sides = compare(&json!({"Before": hits, "After": hits}), &json!({"Pin": ["b"]}));
        assert_eq!((&sides[0]["Name"], &sides[1]["Name"]), (&json!("edited"), &json!("now")));
        assert_eq!((&sides[0]["IsEdited"], sides[1].get("IsEdited")), (&json!(true), None));
        let pinned = [0, 1].map(|place| sides[0]["Found"]["Items"][place]["IsPinned"].clone());
        assert_eq!(pinned, [json!(false), json!(true)]);
        let hits = json!({"Items": [{"Id": "a", "Variant": {"Id": "a-red"}}, {"Id": "b", "Variant": {"Id": "b-red"}}]});
        let sides = compare(&json!({"Before": hits, "After": hits}), &json!({"Pin": ["b-red"]}));
        let pinned = [0, 1].map(|place| sides[0]["Found"]["Items"][place]["PinnedAs"].clone());
        assert_eq!(pinned, [Value::Null, json!("b-red")]);
    }
}
