//! Reading rules as they are sent, with a sentence for each refusal.

use std::collections::HashSet;

use serde_json::Value;

use super::rule::{Match, ProductSelector, Rule};
use crate::clock::ValidityPeriod;
use crate::search::synonyms::{APART, SynonymFault, Synonyms};
use crate::search::text::Analyser;
use crate::{addresses, limits};

/// Default percent by which a rule lifts or lowers.
pub(super) const BY_DEFAULT: f64 = 20.0;
/// The most.
pub(super) const BY_MAX: f64 = 100.0;

/// Members that select products, besides `Ids`.
const FILTERS: &[&str] = &["Brand", "Category", "Price", "InStock", "NewArrival", "OnOffer", "Attributes"];

/// Message for a text that cannot be typed.
const CONTROL: &str = "has a text with a control character";

/// Refusal of rules.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum RuleFault {
    /// There are too many.
    #[error("Rules has {0} rules; up to {max} are taken", max = limits::SEARCH_RULES)]
    TooMany(usize),
    /// Together they are too long.
    #[error("Rules has up to {} bytes", limits::SEARCH_RULES_BYTES)]
    Bytes,
    /// A member of a rule is refused.
    #[error("Rules: rule {number}{id} {fault}")]
    Rule {
        /// Number of the rule, from 1.
        number: usize,
        /// Its id, if it has one.
        id: String,
        /// Sentence that names the fault.
        fault: String,
    },
}

/// Parses rules from a list of JSON objects; returns them and the text to store. `origins` are those of the shop's
/// pages: a redirect leads nowhere else.
///
/// # Errors
/// The first thing that cannot be.
pub fn parse_rules(
    list: &[Value],
    analyser: &Analyser,
    origins: &[String],
) -> Result<(Vec<Rule>, String), RuleFault> {
    if list.len() > limits::SEARCH_RULES {
        return Err(RuleFault::TooMany(list.len()));
    }
    let mut ids = HashSet::new();
    let mut rules = Vec::new();
    for (place, value) in list.iter().enumerate() {
        let id = value.get("Id").and_then(Value::as_str).unwrap_or_default();
        let id = if is_id(id) { format!(" ({id})") } else { String::new() };
        let wrong = |fault: String| RuleFault::Rule { number: place + 1, id: id.clone(), fault };
        // The fault of a type quotes the value, which may be anything.
        let rule: Rule = serde_json::from_value(value.clone()).map_err(|fault| wrong(sentence_of(&fault)))?;
        check(&rule, analyser, origins).map_err(wrong)?;
        if !ids.insert(rule.id.clone()) {
            return Err(wrong("has the Id of a rule before it".to_owned()));
        }
        rules.push(rule);
    }
    let text = serde_json::to_string(&rules).unwrap_or_default();
    if text.len() > limits::SEARCH_RULES_BYTES {
        return Err(RuleFault::Bytes);
    }
    Ok((rules, text))
}

fn sentence_of(fault: &serde_json::Error) -> String {
    let text = fault.to_string();
    let is_plain = text.starts_with("unknown field") || text.starts_with("missing field");
    if is_plain || text.starts_with("unknown variant") {
        format!("has an {text}").replace("an missing", "a missing")
    } else {
        "has a field of the wrong type: docs/search.md says what each field is".to_owned()
    }
}

fn is_id(id: &str) -> bool {
    !id.is_empty() && id.len() <= limits::SEARCH_RULE_TEXT_BYTES && !id.contains(char::is_control)
}

fn check(rule: &Rule, analyser: &Analyser, origins: &[String]) -> Result<(), String> {
    if !is_id(&rule.id) {
        let most = limits::SEARCH_RULE_TEXT_BYTES;
        return Err(format!("needs an Id of up to {most} bytes without control characters"));
    }
    check_texts(rule)?;
    check_condition(rule, analyser)?;
    let acts = [&rule.boost, &rule.bury, &rule.hide, &rule.filter].iter().any(|which| !which.is_empty());
    let says = rule.redirect.is_some() || rule.banner.is_some();
    let lists = [&rule.pin, &rule.synonyms, &rule.stop_words].iter().any(|list| !list.is_empty());
    if !(acts || says || lists) {
        return Err("does nothing: it needs Pin, Boost, Bury, Hide, Filter, Redirect, Banner, Synonyms or \
                    StopWords"
            .to_owned());
    }
    if rule.pin.len() > limits::SEARCH_RULE_PINS {
        return Err(format!("pins more than {} products", limits::SEARCH_RULE_PINS));
    }
    for (name, which, takes_by) in [
        ("Boost", &rule.boost, true),
        ("Bury", &rule.bury, true),
        ("Hide", &rule.hide, false),
        ("Filter", &rule.filter, false),
    ] {
        check_which(name, which, takes_by)?;
    }
    if let Some(redirect) = &rule.redirect {
        check_redirect(redirect, origins)?;
    }
    let lines = rule.synonyms.join("\n");
    if lines.contains(APART) {
        return Err(format!("Synonyms: {APART} may stand only in the shop's own synonyms"));
    }
    Synonyms::parse(&lines, analyser).map(drop).map_err(|fault| match fault {
        SynonymFault::Line { number, fault } => format!("Synonyms: line {number} {fault}"),
        fault => fault.to_string(),
    })
}

/// All that stands readable in the store.
fn check_texts(rule: &Rule) -> Result<(), String> {
    let texts = [&rule.query, &rule.category, &rule.redirect].into_iter().flatten();
    let texts = texts.chain(&rule.pin).chain(&rule.stop_words).chain(&rule.banner).chain([&rule.id]);
    for text in texts {
        let most = limits::SEARCH_RULE_TEXT_BYTES;
        if text.len() > most {
            return Err(format!("has a text of more than {most} bytes"));
        }
        if text.contains(char::is_control) {
            return Err(CONTROL.to_owned());
        }
    }
    let named = [&rule.boost, &rule.bury, &rule.hide, &rule.filter].into_iter().flatten();
    if named.into_iter().any(|(name, value)| name.contains(char::is_control) || holds_control(value)) {
        return Err(CONTROL.to_owned());
    }
    let whole = serde_json::to_value(rule).unwrap_or_default();
    // The address could belong to a person who asks to be forgotten.
    if addresses::json_holds_address(&whole) {
        return Err("holds an email address".to_owned());
    }
    Ok(())
}

/// Control characters: no store can search for some of them.
fn holds_control(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains(char::is_control),
        Value::Array(values) => values.iter().any(holds_control),
        Value::Object(members) => {
            members.iter().any(|(name, value)| name.contains(char::is_control) || holds_control(value))
        }
        _ => false,
    }
}

fn check_condition(rule: &Rule, analyser: &Analyser) -> Result<(), String> {
    if let Some(query) = &rule.query {
        let mut words = 0;
        analyser.for_each_word(query, &mut |_| words += 1);
        if words > limits::SEARCH_RULE_WORDS {
            return Err(format!("has a Query of more than {} words", limits::SEARCH_RULE_WORDS));
        }
        if words == 0 && rule.r#match != Match::Exact {
            return Err(
                "has a Query without a word: leave it out for any query; with Match exact it is for \
                        browsing"
                    .to_owned(),
            );
        }
    } else if rule.r#match != Match::Words {
        return Err("has Match without Query".to_owned());
    }
    ValidityPeriod::parse(rule.from.as_deref(), rule.until.as_deref()).map(drop)
}

fn check_which(name: &str, which: &ProductSelector, takes_by: bool) -> Result<(), String> {
    if which.is_empty() {
        return Ok(());
    }
    for member in which.keys() {
        let is_known = member == "Ids" || takes_by && member == "By" || FILTERS.contains(&member.as_str());
        if !is_known {
            let by = if takes_by { ", By" } else { "" };
            return Err(format!("has an unknown member in {name}; it takes Ids{by}, {}", FILTERS.join(", ")));
        }
    }
    let filters = which.keys().filter(|member| FILTERS.contains(&member.as_str())).count();
    match which.get("Ids") {
        Some(_) if filters > 0 => {
            return Err(format!("has Ids and filters in {name}: make two rules of it"));
        }
        Some(Value::Array(ids)) if ids.len() > limits::SEARCH_FILTER_VALUES => {
            return Err(format!("has more than {} Ids in {name}", limits::SEARCH_FILTER_VALUES));
        }
        Some(Value::Array(ids)) if ids.iter().all(Value::is_string) => {}
        Some(_) => return Err(format!("needs a list of texts in {name}.Ids")),
        None if filters == 0 => return Err(format!("does not say which products {name} means")),
        None => {}
    }
    match which.get("By").map(Value::as_f64) {
        None => Ok(()),
        Some(Some(by)) if by > 0.0 && by <= BY_MAX => Ok(()),
        Some(_) => Err(format!("needs a number of percent in {name}.By, more than 0 and up to {BY_MAX}")),
    }
}

/// A path of the shop, or an address of one of its origins.
fn check_redirect(redirect: &str, origins: &[String]) -> Result<(), String> {
    let is_path = redirect.starts_with('/') && !redirect.starts_with("//") && !redirect.contains('\\');
    if is_path {
        return Ok(());
    }
    let refused = || {
        Err("redirects to another place than a path of the shop, such as /sale, or an https or http address of \
             one of its origins, which `lethe account search --origin` sets"
            .to_owned())
    };
    let Ok(url) = url::Url::parse(redirect) else { return refused() };
    let is_web = matches!(url.scheme(), "http" | "https") && url.username().is_empty();
    let origin = url.origin().ascii_serialization();
    let is_own = origins.contains(&origin);
    if is_web && is_own { Ok(()) } else { refused() }
}
