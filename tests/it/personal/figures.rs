//! The list of all shown numbers, `docs/privacy/figures.txt`, compared with the interface: a number made from people's
//! events cannot be new without a rule of what it tells.

use std::collections::BTreeSet;

use serde_json::Value;

/// The names of the schemas to which a part of the document refers.
fn collect_references(part: &Value, names: &mut Vec<String>) {
    match part {
        Value::Object(members) => {
            let reference = members.get("$ref").and_then(Value::as_str);
            names.extend(reference.and_then(|path| path.rsplit('/').next()).map(str::to_owned));
            members.values().for_each(|member| collect_references(member, names));
        }
        Value::Array(parts) => parts.iter().for_each(|part| collect_references(part, names)),
        _ => {}
    }
}

/// Returns true if a schema holds a number of its own.
fn has_number(schema: &Value) -> bool {
    match schema {
        Value::Object(members) => {
            let is_number = |of: &Value| of == "integer" || of == "number";
            let is_own = match members.get("type") {
                Some(Value::Array(types)) => types.iter().any(is_number),
                Some(one) => is_number(one),
                None => false,
            };
            is_own || members.values().any(has_number)
        }
        Value::Array(parts) => parts.iter().any(has_number),
        _ => false,
    }
}

fn answers_with_numbers(document: &Value) -> BTreeSet<String> {
    let mut waiting = Vec::new();
    let paths = document["paths"].as_object().expect("paths").values();
    for operation in paths.flat_map(|path| path.as_object().expect("operations").values()) {
        collect_references(&operation["responses"], &mut waiting);
    }
    let mut known = BTreeSet::new();
    while let Some(name) = waiting.pop() {
        if known.insert(name.clone()) {
            collect_references(&document["components"]["schemas"][&name], &mut waiting);
        }
    }
    known.retain(|name| has_number(&document["components"]["schemas"][name]));
    known
}

#[test]
fn every_number_that_is_shown_says_what_it_is_made_of() {
    let document = serde_json::to_value(lethe::api::documented::openapi()).expect("a document");
    let mut expected = answers_with_numbers(&document);
    let metrics = include_str!("../../../docs/operating.md").lines().filter(|line| line.contains("{account"));
    let names = metrics.flat_map(|line| line.split('`').filter_map(|name| name.strip_suffix("{account}")));
    expected.extend(names.map(str::to_owned));
    let lines =
        include_str!("../../../docs/privacy/figures.txt").lines().filter(|line| !line.starts_with('#'));
    let listed: Vec<_> = lines.map(|line| line.split_whitespace().collect::<Vec<_>>()).collect();
    for line in &listed {
        assert!(line.len() > 2 && ["deeds", "people", "else"].contains(&line[1]), "{line:?}");
    }
    let listed: BTreeSet<_> = listed.iter().map(|line| line[0].to_owned()).collect();
    let missing: Vec<_> = expected.difference(&listed).collect();
    let gone: Vec<_> = listed.difference(&expected).collect();
    assert_eq!(
        (missing, gone),
        (vec![], vec![]),
        "docs/privacy/figures.txt lacks these, and has these too many"
    );
}
