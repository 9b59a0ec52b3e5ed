//! The operator's requests over the control socket: each of their members missing, of another kind, and given twice.

use std::collections::BTreeSet;

use lethe::limits;
use serde_json::{Value, json};

use crate::support::world::{World, on_sqlite};

/// Requests without a member.
const WITHOUT_MEMBERS: [&str; 8] = [
    "/control/account/deletion/list",
    "/control/account/list",
    "/control/config",
    "/control/doctor",
    "/control/key-epoch/rotate",
    "/control/key-epoch/show",
    "/control/ledger/key",
    "/control/operator/list",
];

/// Another request, with all its members.
struct Row {
    path: &'static str,
    body: Value,
    /// Members that have to be there.
    needed: &'static [&'static str],
}

impl Row {
    const fn new(path: &'static str, body: Value, needed: &'static [&'static str]) -> Self {
        Self { path, body, needed }
    }
}

fn rows() -> Vec<Row> {
    let of_shop = |path: &'static str| Row::new(path, json!({"Name": "one"}), &["Name"]);
    let of_operator = |path: &'static str| Row::new(path, json!({"Name": "Front desk"}), &["Name"]);
    let search = json!({"Name": "one", "Language": "de", "Attributes": ["Colour"], "Origins": ["https://a.test"],
        "Pictures": ["https://b.test"], "Synonyms": "sofa, couch", "Popularity": true,
        "BoughtTogether": "balanced"});
    let about = json!({"Name": "one", "DisplayName": "One", "Contact": "desk@one.test", "Language": "de"});
    let added = json!({"Name": "x", "Role": "viewer", "Shops": ["one"]});
    let set = json!({"Name": "Front desk", "Role": "viewer", "Shops": ["one"], "State": "disabled"});
    let acts = json!({"Before": 1, "Behind": "00000000-0000-0000-0000-000000000000"});
    vec![
        Row::new("/control/account/create", json!({"Name": "two", "Currency": "GBP"}), &["Name"]),
        of_shop("/control/account/deletion/confirm"),
        of_shop("/control/account/deletion/dismiss"),
        Row::new("/control/account/feed", json!({"Name": "one", "Format": "csv", "Mapping": ""}), &["Name"]),
        Row::new("/control/account/guard", json!({"Name": "one", "Percent": 10}), &["Name"]),
        Row::new("/control/account/quota", json!({"Name": "one", "Quota": "1GB"}), &["Name"]),
        Row::new("/control/account/search", search, &["Name"]),
        of_shop("/control/account/search/renew"),
        Row::new("/control/account/set", about, &["Name"]),
        Row::new("/control/backup", json!({"Target": "/nowhere"}), &["Target"]),
        of_shop("/control/key/list"),
        Row::new("/control/key/revoke", json!({"Name": "one", "Number": 9}), &["Name", "Number"]),
        Row::new("/control/key/rotate", json!({"Name": "one", "Hours": 1}), &["Name"]),
        of_shop("/control/ledger/checkpoint"),
        of_shop("/control/ledger/export"),
        Row::new("/control/ledger/growth", json!({"Name": "one", "Size": 1}), &["Name", "Size"]),
        Row::new("/control/model/verify", json!({"Name": "one", "Sample": 1}), &[]),
        Row::new("/control/operator/acts", acts, &[]),
        Row::new("/control/operator/add", added, &["Name"]),
        of_operator("/control/operator/remove"),
        of_operator("/control/operator/reset"),
        Row::new("/control/operator/set", set, &["Name"]),
    ]
}

#[test]
fn every_request_of_the_operator_has_a_row() {
    let table = include_str!("../../../src/admin/routes.rs");
    let known: BTreeSet<_> =
        table.split(".route(\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    let told: BTreeSet<_> = rows().iter().map(|row| row.path).chain(WITHOUT_MEMBERS).collect();
    assert_eq!(told, known);
}

/// Accounts and operators as they are.
async fn list_all(world: &World) -> [Value; 2] {
    let accounts = world.control("/control/account/list", json!({})).await;
    [accounts, world.control("/control/operator/list", json!({})).await]
}

/// Asks, and notes an answer that is no refusal with this sentence.
async fn ask_wrongly(world: &World, path: &str, body: Value, sentence: &str, others: &mut Vec<String>) {
    let (status, text) = world.control_answer(path, body.clone()).await;
    if status != 400 || !text.contains(sentence) {
        others.push(format!("{path} {body}: {status} and not {sentence:?}: {text}"));
    }
}

#[test]
fn the_operator_is_refused_a_member_that_is_missing_of_another_kind_or_given_twice() {
    on_sqlite(async |world| {
        world.shop("one").await;
        world.control("/control/operator/add", json!({"Name": "Front desk"})).await;
        let before = list_all(&world).await;
        let mut others = Vec::new();
        for Row { path, body, needed } in rows() {
            for member in body.as_object().expect("members").keys() {
                let [mut wrong, mut twice] = [body.clone(), body.clone()];
                wrong[member] = json!({"a": [1]});
                ask_wrongly(&world, path, wrong, &format!("{member} has to be"), &mut others).await;
                twice[member.to_lowercase()] = json!({"a": [1]});
                ask_wrongly(&world, path, twice, &format!("{member} is given twice"), &mut others).await;
            }
            for member in needed {
                let mut missing = body.clone();
                missing.as_object_mut().expect("members").remove(*member);
                ask_wrongly(&world, path, missing, &format!("{member} is missing"), &mut others).await;
            }
        }
        assert_eq!(others, [""; 0]);
        assert_eq!(list_all(&world).await, before, "nothing was done");
    });
}

#[test]
fn the_operator_is_refused_a_body_that_is_too_large() {
    on_sqlite(async |world| {
        // Of all these requests the one with synonyms may have the largest.
        let largest = 2 * limits::SEARCH_SYNONYMS_BYTES + limits::REQUEST_BODY_BYTES;
        let body = json!({"Name": "x".repeat(largest)});
        for Row { path, .. } in rows() {
            let (status, text) = world.control_answer(path, body.clone()).await;
            assert_eq!(status, 413, "{path}: {text}");
        }
    });
}
