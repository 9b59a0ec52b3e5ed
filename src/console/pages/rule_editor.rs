//! The editor of a rule: its form, its effect beside it, and publishing it among the other rules.

use std::sync::Arc;

use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

use super::catalogue_names::load_choices;
use super::editor_lists::{apply_list_button, load_lists};
use super::entry_publishing::{
    LiveList, PublishOutcome, find_entry, opened_version, put_entry, remove_entry, unused_id,
};
use super::filter_fields::{FLAGS, FilterFields};
use super::rule_effect::load_effect;
use super::rule_form::{LISTS, SELECTIONS, does_something, fields_of_rule, rule_of_fields, unreadable_field};
use super::rules::{RULES, lead_to_published};
use crate::console::auth::authorization::{Authorized, AuthorizedForm, Merchandise};
use crate::console::state::Console;
use crate::console::ui::editor_fields::EditorFields;
use crate::console::ui::option_rows::add_option_rows;
use crate::console::ui::problem::Problem;
use crate::console::ui::url_fields::FieldMap;
use crate::i18n::Translations;

/// Fields of the form, by words of refusals of the operation that are about them.
const FIELDS: [(&str, &str); 13] = [
    ("does nothing", "effect"),
    ("pins more", "pin"),
    ("Boost", "boost"),
    ("Bury", "bury"),
    ("Hide", "hide"),
    ("Filter", "filter"),
    ("Synonyms", "synonyms"),
    ("redirects", "redirect"),
    ("in From", "from"),
    ("in Until", "until"),
    ("before it begins", "until"),
    ("Query", "query"),
    ("", ""),
];

/// A rule that is edited, with all that was typed.
struct RuleDraft {
    fields: EditorFields,
    /// Field that is wrong, or nothing, and the sentence that says why.
    fault: Option<(String, String)>,
    /// Changes that others published meanwhile; null without.
    plan: Value,
    /// True if it holds changes that are not published.
    is_changed: bool,
}

impl RuleDraft {
    fn new(fields: EditorFields) -> Self {
        Self { fields, fault: None, plan: Value::Null, is_changed: true }
    }

    /// Opens the rule that an address names by its id or its query, or begins one.
    ///
    /// # Errors
    /// When there is no rule of that id.
    fn open(live: &LiveList, asked: &FieldMap) -> Result<Self, Problem> {
        let rule = match asked.text("id") {
            "" => find_exact(&live.entries, asked),
            id => Some(find_entry(&live.entries, id).ok_or_else(Problem::not_found)?),
        };
        let mut fields = rule.map_or_else(|| new_fields(asked), fields_of_rule);
        fields.set("before", &live.version.to_string());
        if let Some(rule) = rule {
            fields.set("id", rule["Id"].as_str().unwrap_or_default());
            fields.set("was", &rule.to_string());
        }
        let pin = asked.text("pin");
        if !pin.is_empty() {
            pin_in_front(&mut fields, &[pin.to_owned()]);
        }
        Ok(Self { is_changed: !pin.is_empty(), ..Self::new(fields) })
    }

    /// The rule as it was opened; null for a new one.
    fn parse_opened(&self) -> Value {
        serde_json::from_str(self.fields.text("was")).unwrap_or_default()
    }

    /// The rule as the form has it, with its id; among rules that do not have it yet, with one of its own.
    fn rule(&self, others: &[Value]) -> Value {
        let mut rule = rule_of_fields(&self.parse_opened(), &self.fields);
        if rule["Id"].is_null() {
            rule["Id"] = unused_id(others, self.fields.text("query"), "rule").into();
        }
        rule
    }

    /// Takes over what others changed in the rule meanwhile; a field that was changed here stays as it is here.
    fn take_over(&mut self, theirs: &Value) {
        let [opened, live] = [&self.parse_opened(), theirs].map(fields_of_rule);
        self.fields.take_over(&opened, &live);
        self.fields.set("was", &theirs.to_string());
    }

    /// Puts a refusal beside the field that it is about.
    fn refuse(&mut self, problem: &Problem, texts: &Translations) {
        let key = format!("console.{}", problem.sentence);
        let sentence = texts.find(&key).map_or_else(|| own_part(&problem.sentence), str::to_owned);
        let wrong = Problem::new(problem.status, &sentence).field(&FIELDS).to_owned();
        self.fault = Some((wrong, sentence));
    }

    /// Checks what can be told without the operation; returns true if a field is wrong.
    fn check(&mut self, texts: &Translations) -> bool {
        let unreadable = unreadable_field(&self.fields);
        let fault = unreadable.map(|(field, key)| (field, texts.translate(key, &[])));
        let is_wrong = fault.is_some();
        if is_wrong {
            self.fault = fault;
        }
        is_wrong
    }
}

/// The rule for exactly the query that an address names.
fn find_exact<'l>(rules: &'l [Value], asked: &FieldMap) -> Option<&'l Value> {
    let is_for_it = |rule: &&Value| rule["Query"] == asked.text("query") && rule["Match"] == "exact";
    asked.has("query").then(|| rules.iter().find(is_for_it)).flatten()
}

/// The fields of a new rule, for a query if the address names one; an empty query is that of browsing.
fn new_fields(asked: &FieldMap) -> EditorFields {
    let mut fields = EditorFields::default();
    let query = asked.text("query");
    fields.set("query", query);
    let is_browsing = asked.has("query") && query.is_empty();
    fields.set("match", if is_browsing { "browse" } else { "exact" });
    fields
}

/// Puts products in front of the pinned ones, each once.
fn pin_in_front(fields: &mut EditorFields, ids: &[String]) {
    let pins = fields.values_mut("pin");
    pins.retain(|pin| !ids.contains(pin));
    pins.splice(0..0, ids.iter().cloned());
}

/// Changes the fields by a button of the form: those of lists, and `pin:ID`, which pins a found product at its place
/// and so all that stand before it.
fn press(fields: &mut EditorFields, button: &str) {
    if apply_list_button(&LISTS, fields, button) {
        return;
    }
    if let Some(id) = button.strip_prefix("pin:") {
        let found = fields.values("after");
        let place = found.iter().position(|hit| hit == id);
        let front = place.map_or_else(|| vec![id.to_owned()], |place| found[..=place].to_vec());
        pin_in_front(fields, &front);
    }
}

/// The part of a refusal after the number and the id of the rule, which is the only one here.
fn own_part(sentence: &str) -> String {
    let part = sentence.strip_prefix("Rules: rule ").and_then(|rest| rest.split_once(' '));
    let Some((_, rest)) = part else { return sentence.to_owned() };
    // An id in parentheses may hold any sign.
    let own = if rest.starts_with('(') { rest.split_once(") ").map_or(rest, |(_, own)| own) } else { rest };
    let goes_on = own.starts_with(char::is_lowercase);
    if goes_on { format!("The rule {own}") } else { own.to_owned() }
}

/// The editor of the rule that an address names, or of a new one; or the state that a button left.
pub(crate) async fn page(
    State(console): State<Arc<Console>>,
    may: Authorized<Merchandise>,
    Query(asked): Query<FieldMap>,
) -> Result<Response, Problem> {
    let mut answer = console.find_answer(&may)?;
    // The answer of another form has no fields.
    let draft = if answer["fields"].is_object() {
        RuleDraft::new(serde_json::from_value(answer["fields"].take()).unwrap_or_default())
    } else {
        RuleDraft::open(&RULES.load_live(&console, may.shop()?).await?, &asked)?
    };
    render_page(&console, &may, draft).await
}

async fn render_page(
    console: &Console,
    may: &Authorized<Merchandise>,
    mut draft: RuleDraft,
) -> Result<Response, Problem> {
    let shop = may.shop()?;
    let live = RULES.load_live(console, shop).await?;
    let rule = draft.rule(&live.entries);
    let texts = console.drawing.words(may.session.language);
    let is_checked = draft.fault.is_none() && does_something(&rule);
    let is_unreadable = is_checked && draft.check(texts);
    let tried = if is_unreadable { json!({"Query": rule["Query"]}) } else { rule.clone() };
    let effect = load_effect(console, shop, live, &draft.fields, &tried).await?;
    if let Some(refused) = effect.refused.filter(|_| draft.fault.is_none()) {
        draft.refuse(&refused, texts);
    }
    let RuleDraft { fields, fault, plan, is_changed } = draft;
    let groups = SELECTIONS.map(|selection| {
        let others = FilterFields::other_filters(&rule[selection.member], &["Ids", "By"]);
        json!({"Group": selection.group, "TakesPercent": selection.takes_percent, "Others": others,
            "Flags": fields.values(&selection.field("flag")), "IsUsed": selection.is_used(&fields)})
    });
    let mut values = json!({"here": "rules", "typed": fields.to_typed(), "groups": groups, "flags": FLAGS,
        "plan": plan, "is_changed": is_changed, "sides": effect.sides, "has_period": rule.get("From").or(rule.get("Until")).is_some()});
    add_option_rows(&mut values["sides"]);
    if let Some((wrong, sentence)) = fault {
        values["wrong"] = wrong.into();
        values["fault"] = sentence.into();
    }
    values["lists"] = load_lists(console, shop, &LISTS, &fields).await?;
    values["choices"] = load_choices(console, shop, &["Brands", "Categories"]).await?;
    console.drawing.render_signed_in(may, "rule_editor.html", values)
}

/// Changes the form by one of its buttons, or publishes or deletes the rule.
pub(crate) async fn post(
    State(console): State<Arc<Console>>,
    act: AuthorizedForm<Merchandise>,
) -> Result<Response, Problem> {
    let mut draft = RuleDraft::new(EditorFields::from_form(&act.form));
    match act.form.text("do") {
        "publish" => publish(&console, &act.may, draft).await,
        "delete" => delete(&console, &act.may, draft).await,
        button => {
            press(&mut draft.fields, button);
            let page = format!("{}/edit", RULES.at_shop(act.may.shop()?));
            console.redirect_with_answer(&act.may, &page, &json!({"fields": draft.fields}))
        }
    }
}

async fn publish(
    console: &Console,
    may: &Authorized<Merchandise>,
    mut draft: RuleDraft,
) -> Result<Response, Problem> {
    if draft.check(console.drawing.words(may.session.language)) {
        return render_refused(console, may, draft, StatusCode::UNPROCESSABLE_ENTITY).await;
    }
    let put = |rules: &mut Vec<Value>| {
        let rule = draft.rule(rules);
        put_entry(rules, rule);
    };
    let outcome = RULES.publish_change(console, may, opened_version(&draft.fields), put).await?;
    finish(console, may, draft, outcome, "console.rule_editor.superseded").await
}

async fn delete(
    console: &Console,
    may: &Authorized<Merchandise>,
    mut draft: RuleDraft,
) -> Result<Response, Problem> {
    if draft.fields.text("confirm").is_empty() {
        let texts = console.drawing.words(may.session.language);
        let sentence = texts.translate("console.rule_editor.confirm_first", &[]);
        draft.fault = Some(("confirm".to_owned(), sentence));
        return render_refused(console, may, draft, StatusCode::UNPROCESSABLE_ENTITY).await;
    }
    let opened = draft.parse_opened();
    let remove = |rules: &mut Vec<Value>| remove_entry(rules, opened["Id"].as_str().unwrap_or_default());
    let outcome = RULES.publish_change(console, may, opened_version(&draft.fields), remove).await?;
    finish(console, may, draft, outcome, "console.rule_editor.superseded_delete").await
}

/// Leads to the rules after a change; or shows why it was refused, with everything that was typed: after a change of
/// others by the sentence of a key.
async fn finish(
    console: &Console,
    may: &Authorized<Merchandise>,
    mut draft: RuleDraft,
    outcome: PublishOutcome,
    superseded: &str,
) -> Result<Response, Problem> {
    let texts = console.drawing.words(may.session.language);
    let status = match outcome {
        PublishOutcome::Published(set) => return lead_to_published(console, may, &set),
        PublishOutcome::Unchanged => return Ok(RULES.redirect_unchanged(may.shop()?)),
        PublishOutcome::Refused(problem) => {
            draft.refuse(&problem, texts);
            problem.status
        }
        PublishOutcome::Superseded { version, plan } => {
            let version = version.to_string();
            let sentence = texts.translate(superseded, &[("version", &version)]);
            draft.fault = Some((String::new(), sentence));
            // Whoever publishes once more has seen this version.
            draft.fields.set("before", &version);
            draft.plan = plan;
            let live = RULES.load_live(console, may.shop()?).await?;
            if let Some(theirs) = find_entry(&live.entries, draft.fields.text("id")) {
                draft.take_over(theirs);
            }
            StatusCode::CONFLICT
        }
    };
    render_refused(console, may, draft, status).await
}

async fn render_refused(
    console: &Console,
    may: &Authorized<Merchandise>,
    draft: RuleDraft,
    status: StatusCode,
) -> Result<Response, Problem> {
    Ok((status, render_page(console, may, draft).await?).into_response())
}

#[cfg(test)]
#[path = "rule_editor_tests.rs"]
mod tests;
