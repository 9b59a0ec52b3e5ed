//! `POST /api/rules`, `/api/rules/set`, `/api/rules/history` and `/api/rules/undo`: a merchandiser's rules for
//! searches.

use std::collections::BTreeSet;
use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use serde_json::Value;
use serde_json::value::RawValue;

use super::account_change::change;
use super::compute_pool;
use super::extract::Authenticated;
use super::from_fields::{FromFields, MemberNames};
use super::json_fields::{JsonFields, unreadable};
use super::search::TurnOf;
use super::versioned_list::{
    ListHistoryRequest, ListOfVersion, ListOfVersionRequest, ListUndone, list_versions, read_version,
    restore_version, version_field,
};
use crate::accounts::list_kind::ListKind;
use crate::accounts::{lists, search};
use crate::catalogue::CatalogueFault;
use crate::catalogue::visible::CatalogueView;
use crate::feeds::section::Section;
use crate::ids::AccountId;
use crate::limits;
use crate::node::Node;
use crate::search::rules::{ProductSelector, Rule, RuleFault, parse_rules};
use crate::store::{Owner, StoreFault, Tx};
use crate::transport::error_body::ErrorBody;
use crate::transport::refusal::{OfShop, Refusal};

/// Most products and categories of rules that are looked up, to tell whether the shop shows them.
const LOOKED_UP: usize = 500;
/// Number looked up in one transaction, so that no other request waits for all.
const LOOKED_UP_AT_ONCE: usize = 50;

impl From<RuleFault> for Refusal {
    fn from(fault: RuleFault) -> Self {
        Self::malformed(fault.to_string())
    }
}

/// The rules of a request.
///
/// # Errors
/// When they are no list.
pub(super) fn rules_of(fields: &JsonFields<'_>) -> Result<Vec<Value>, Refusal> {
    let sent =
        fields.find(&["Rules"])?.ok_or_else(|| Refusal::missing("Rules is missing: a list of rules"))?;
    serde_json::from_str(RawValue::get(sent)).map_err(|fault| unreadable("Rules", &fault, "a list of rules"))
}

/// A list of rules, and which version it is.
#[derive(serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "PascalCase")]
pub struct RulesNow {
    /// 0: they were never set.
    version: i64,
    /// The rules.
    #[schema(value_type = Vec<Rule>)]
    rules: Box<RawValue>,
}

type RulesBySecret = Authenticated<ListOfVersionRequest>;

/// The rules of the shop's search; of a version that is kept, those that were set then.
#[utoipa::path(post, path = "/api/rules", operation_id = "rules", tag = "search", request_body = RulesBySecret,
    responses(OfShop, (status = 200, description = "The rules", body = RulesNow),
    (status = 404, description = "That version is not kept", body = ErrorBody<'static>)))]
pub async fn list(
    State(node): State<Arc<Node>>,
    RulesBySecret { account, question, .. }: RulesBySecret,
) -> Result<Json<RulesNow>, Refusal> {
    let (version, rules) = read_version(&node, account.id, ListKind::Rules, question).await?;
    Ok(Json(RulesNow { version, rules }))
}

/// A whole list of rules.
#[derive(utoipa::ToSchema)]
#[schema(as = RulesSetRequest)]
pub struct RulesSetRequest {
    /// All rules from now on.
    #[schema(rename = "Rules", value_type = Vec<Rule>)]
    rules: Vec<Value>,
    /// The version that was edited. If another one is live by now, nothing is changed.
    #[schema(rename = "Before", required = false, value_type = i64)]
    before: Option<i64>,
}

impl FromFields for RulesSetRequest {
    const LIMIT_BYTES: usize = limits::RULES_BODY_BYTES;
    const MEMBERS: MemberNames = MemberNames::Hints(&[&["Rules", "Before"]]);

    fn from_fields(fields: &JsonFields<'_>) -> Result<Self, Refusal> {
        Ok(Self { rules: rules_of(fields)?, before: version_field(fields, "Before")? })
    }
}

/// Result of setting rules.
#[derive(serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "PascalCase")]
pub struct RulesSet {
    /// The live version.
    version: i64,
    /// Products and categories that rules name and the shop does not show: the rules act on them when they come.
    warnings: Vec<String>,
}

type RulesSetBySecret = Authenticated<RulesSetRequest>;

/// Sets the whole list of rules.
#[utoipa::path(post, path = "/api/rules/set", operation_id = "rules_set", tag = "search", request_body = RulesSetBySecret,
    responses(OfShop, (status = 200, description = "They are live", body = RulesSet),
    (status = 409, description = "Others changed them since", body = ErrorBody<'static>)))]
pub async fn set(
    State(node): State<Arc<Node>>,
    RulesSetBySecret { account, question: RulesSetRequest { rules: sent, before }, peer }: RulesSetBySecret,
) -> Result<Json<RulesSet>, Refusal> {
    let id = account.id;
    let set = node.store.read(move |tx| search::get(tx, id)).await.map_err(|fault: StoreFault| fault)?;
    // Thousands of rules take their time.
    let reading = move || Ok(parse_rules(&sent, &set.analyser(), &set.origins)?);
    let (read, text) = compute_pool::work_apart(&node, TurnOf::new(id, peer), reading).await?;
    let now = node.clock.now();
    let count = read.len();
    let work = move |tx: &mut Tx<'_>| lists::set(tx, (id, ListKind::Rules), before, (&text, count), now);
    let setting = change(&node, Owner::with_store(id), work).await?;
    tracing::info!(account = id.0, version = setting, rules = count, "the rules of a search were set");
    let warnings = unknown(&node, id, &read).await?;
    Ok(Json(RulesSet { version: setting, warnings }))
}

/// Sentences about products and categories that rules name and the shop does not show.
async fn unknown(node: &Node, account: AccountId, rules: &[Rule]) -> Result<Vec<String>, Refusal> {
    let mut named = BTreeSet::new();
    for rule in rules {
        let of = |section, ids: Vec<String>| ids.into_iter().map(move |id| (section, id, rule.id.clone()));
        named.extend(of(Section::Products, rule.pin.clone()));
        named.extend(of(Section::Categories, rule.category.iter().cloned().collect()));
        for which in [&rule.boost, &rule.bury, &rule.hide, &rule.filter] {
            named.extend(of(Section::Products, texts(which, "Ids")));
            named.extend(of(Section::Categories, texts(which, "Category")));
        }
    }
    let named: Vec<_> = named.into_iter().take(LOOKED_UP).collect();
    let mut warnings = Vec::new();
    for some in named.chunks(LOOKED_UP_AT_ONCE) {
        let some = some.to_vec();
        let blobs = node.blobs.clone();
        let looking = node.store.read(move |tx| {
            let mut catalogue = CatalogueView::open(tx, &blobs, account)?;
            let mut unknown = Vec::new();
            for named in &some {
                if catalogue.get(named.0, &named.1)?.is_none() {
                    unknown.push(warning(named));
                }
            }
            Ok::<_, CatalogueFault>(unknown)
        });
        warnings.extend(looking.await?);
    }
    Ok(warnings)
}

fn warning((section, id, rule): &(Section, String, String)) -> String {
    let kind = if *section == Section::Products { "product" } else { "category" };
    format!("rule {rule}: the shop shows no {kind} {id} now; it counts when it comes")
}

fn texts(which: &ProductSelector, name: &str) -> Vec<String> {
    let list = which.get(name).and_then(Value::as_array).into_iter().flatten();
    list.filter_map(Value::as_str).map(str::to_owned).collect()
}

type RulesHistoryBySecret = Authenticated<ListHistoryRequest>;

/// The lists of rules that were set, newest first.
#[utoipa::path(post, path = "/api/rules/history", operation_id = "rules_history", tag = "search",
    request_body = RulesHistoryBySecret,
    responses(OfShop, (status = 200, description = "The newest lists that were set", body = Vec<ListOfVersion>)))]
pub async fn history(
    State(node): State<Arc<Node>>,
    RulesHistoryBySecret { account, .. }: RulesHistoryBySecret,
) -> Result<Json<Vec<ListOfVersion>>, Refusal> {
    list_versions(&node, account.id, ListKind::Rules).await.map(Json)
}

type RulesUndoBySecret = Authenticated<ListOfVersionRequest>;

/// Brings back an earlier list of rules. That is a change as any other, and can be undone.
#[utoipa::path(post, path = "/api/rules/undo", operation_id = "rules_undo", tag = "search", request_body = RulesUndoBySecret,
    responses(OfShop, (status = 200, description = "It is live", body = ListUndone),
    (status = 404, description = "That version is not kept", body = ErrorBody<'static>)))]
pub async fn undo(
    State(node): State<Arc<Node>>,
    RulesUndoBySecret { account, question, .. }: RulesUndoBySecret,
) -> Result<Json<ListUndone>, Refusal> {
    restore_version(&node, account.id, ListKind::Rules, question).await.map(Json)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::api::testing::{assert_none_twice, assert_refused, read};

    #[test]
    fn a_list_of_rules_is_set_over_the_version_that_was_looked_at() {
        let read =
            |before: Value| read::<RulesSetRequest>(&json!({"Rules": [{"Id": "a"}, 7], "Before": before}));
        for (before, version) in
            [(json!(3), Some(3)), (json!("0"), Some(0)), (json!(null), None), (json!(""), None)]
        {
            let asked = read(before).expect("rules");
            assert_eq!((asked.rules, asked.before), (vec![json!({"Id": "a"}), json!(7)], version));
        }
        let deep = "Rules holds a number beyond the largest that is read, or is nested more than 127 deep";
        let nested = (0..128).fold(Value::Null, |inner, _| json!([inner]));
        for (asked, sentence) in [
            (json!({}), "Rules is missing: a list of rules"),
            (json!({"Rules": {}}), "Rules has to be a list of rules"),
            (json!({"Rules": nested}), deep),
            (json!({"Rules": [], "Before": "x"}), "Before has to be a whole number"),
        ] {
            assert_refused::<RulesSetRequest>(&asked, sentence);
        }
        assert_none_twice::<RulesSetRequest>(&json!({"Rules": []}), &["Rules", "Before"]);
        assert_none_twice::<ListOfVersionRequest>(&json!({}), &["Version"]);
    }

    #[test]
    fn a_warning_names_what_the_shop_does_not_show() {
        let named = |section| (section, "7".to_owned(), "sale".to_owned());
        for (section, kind) in [(Section::Products, "product"), (Section::Categories, "category")] {
            let says = format!("rule sale: the shop shows no {kind} 7 now; it counts when it comes");
            assert_eq!(warning(&named(section)), says);
        }
    }

    #[test]
    fn the_texts_of_a_selection_are_those_of_its_list() {
        let Value::Object(which) = json!({"Ids": ["a", 7, "b"], "By": 3}) else { panic!("no object") };
        assert_eq!(texts(&which, "Ids"), ["a", "b"]);
        assert_eq!(texts(&which, "By"), [""; 0]);
        assert_eq!(texts(&which, "Category"), [""; 0]);
    }
}
