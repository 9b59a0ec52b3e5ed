//! What is held of a person: counted for an officer, opened for the person themselves.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::EvidenceFault;
use super::search::{self, GoOn};
use crate::accounts::Account;
use crate::erase::came_with;
use crate::erase::places::{self, Mark, PLACES, Walk};
use crate::ids::AccountId;
use crate::ids::identifier::{Asked, Identifier};
use crate::keys::Keys;
use crate::node::Node;
use crate::store::{StoreFault, Tx};
use crate::subjects::door::{self, Shut};
use crate::subjects::person::{Left, Person};
use crate::subjects::subject::SubjectFault;
use crate::subjects::{closure, order, profile};

/// Payloads accepted at any time count.
const EVER: i64 = i64::MAX;

/// Who would be forgotten, and how much is held of them, place by place: `Known`, `Who`, `Identifiers` by kind, `Subjects`, `Suppression`, `Places`; and
/// what would be left, with some of the requests that would erase it too: `Left`.
pub async fn held(node: &Arc<Node>, account: AccountId, asked: Asked) -> Result<Value, EvidenceFault> {
    let keys = node.keys.clone();
    let counted = node.store.read(move |tx| {
        let person = closure::of(tx, &keys, account, &asked)?;
        let walk = Walk { keys: &keys, account, seq: EVER, person: &person };
        let suppression = suppression_of(tx, &keys, account, &asked)?;
        Ok::<_, SubjectFault>((places::left(tx, &walk)?, suppression, person))
    });
    let (left, suppression, person) = counted.await?;
    let mut told = told(&person, &suppression, &left);
    told["Who"] = known_as(&person);
    let left = |left: &Left| json!({"Name": left.why.name(), "Says": left.why.says(), "Count": left.count, "Requests": left.requests});
    told["Left"] = person.left.iter().map(left).collect();
    Ok(told)
}

/// How much is held of a person; for the operator also in every file: `Scan`. Nothing in it says who they are. A shop is not told about files, which all shops share.
pub async fn searched(
    node: &Arc<Node>,
    account: AccountId,
    asked: Asked,
    in_files: bool,
) -> Result<Value, EvidenceFault> {
    let keys = node.keys.clone();
    let counted = node.store.read(move |tx| {
        let person = closure::of(tx, &keys, account, &asked)?;
        let walk = Walk { keys: &keys, account, seq: EVER, person: &person };
        let suppression = suppression_of(tx, &keys, account, &asked)?;
        Ok::<_, SubjectFault>((places::left(tx, &walk)?, suppression, person))
    });
    let (mut left, suppression, person) = counted.await?;
    if !in_files {
        return Ok(told(&person, &suppression, &left));
    }
    let go_on: GoOn = Arc::new(|_| Ok(()));
    let residue = search::in_files(node, &[&person], &go_on).await?;
    let scan = residue.of(0);
    left.push((places::FILES, scan.found));
    let mut answer = told(&person, &suppression, &left);
    answer["Scan"] = json!({"Files": scan.files, "Bytes": scan.bytes, "Found": scan.found, "FoundIn": residue.files_of(0),
                            "IdentifiersScanned": scan.scanned, "IdentifiersWalkedOnly": scan.walk_only});
    Ok(answer)
}

fn told(person: &Person, suppression: &Value, left: &[(&'static str, u64)]) -> Value {
    let mut kinds = Map::new();
    for id in person.identifiers() {
        let count = kinds.get(id.kind().as_str()).and_then(Value::as_u64).unwrap_or(0);
        kinds.insert(id.kind().as_str().to_owned(), (count + 1).into());
    }
    let places = PLACES.iter().filter_map(|place| {
        let (_, count) = left.iter().find(|(name, _)| *name == place.name)?;
        Some(json!({"Name": place.name, "Says": place.says, "Found": count}))
    });
    let places: Vec<Value> = places.collect();
    // Payloads that wait may hold anybody.
    let is_anywhere = left.iter().any(|(name, count)| *count > 0 && *name != places::PAYLOADS);
    json!({"Known": !person.subjects.is_empty(), "FoundAnywhere": is_anywhere, "Identifiers": kinds,
           "Subjects": person.subjects.len(), "Suppression": suppression, "Places": places})
}

/// Everything that is stored about a person, opened: `Identifiers`, `Profiles`, `Orders`, and what is kept of a forgotten
/// one. For the person: Article 15 GDPR.
pub async fn export(node: &Arc<Node>, shop: &Account, asked: Asked) -> Result<Value, EvidenceFault> {
    let account = shop.id;
    let keys = node.keys.clone();
    let found = node.store.read(move |tx| {
        let person = closure::of(tx, &keys, account, &asked)?;
        let came_with = came_with::records(tx, &keys, account, &person)?;
        let suppression = suppression_of(tx, &keys, account, &asked)?;
        Ok::<_, SubjectFault>((person, came_with, suppression))
    });
    let (person, came_with, suppression) = found.await?;
    let (mut profiles, mut orders, mut others) = (Vec::new(), Vec::new(), Vec::new());
    for subject in &person.subjects {
        let mut mark = Some(Mark::default());
        while let Some(after) = mark {
            let (keys, subject) = (node.keys.clone(), *subject);
            let page = node.store.read(move |tx| places::records(tx, &keys, account, &subject, &after));
            let (records, next) = page.await?;
            for (kind, record) in records {
                match kind.as_str() {
                    profile::KIND => profiles.push(record),
                    order::KIND => orders.push(record),
                    _ => others.push(record),
                }
            }
            // red: it::erasures::sqlite::a_person_with_many_records_is_erased_in_slices
            mark = mutant!("an-export-ends-with-its-first-page", next, None);
        }
    }
    orders.extend(came_with);
    let mut export = json!({"At": node.clock.now(), "Shop": shop.name, "Currency": shop.currency,
                            "Identifiers": known_as(&person), "Profiles": profiles, "Orders": orders,
                            "Suppression": suppression});
    if !others.is_empty() {
        export["Others"] = others.into();
    }
    Ok(export)
}

/// The identifiers under which somebody is held.
fn known_as(person: &Person) -> Value {
    let identifier = |id: &Identifier| json!({"Kind": id.kind().as_str(), "Value": id.normal()});
    match person.subjects.is_empty() {
        true => json!([]),
        false => person.identifiers().map(identifier).collect(),
    }
}

/// What is kept of a forgotten person: whether the door is shut, since when.
pub async fn suppression(node: &Arc<Node>, account: AccountId, asked: Asked) -> Result<Value, EvidenceFault> {
    let keys = node.keys.clone();
    Ok(node.store.read(move |tx| suppression_of(tx, &keys, account, &asked)).await?)
}

/// By the first reading of the identifier that is suppressed.
fn suppression_of(
    tx: &mut Tx<'_>,
    keys: &Keys,
    account: AccountId,
    asked: &Asked,
) -> Result<Value, StoreFault> {
    for id in asked.candidates() {
        if let Some(Shut { lifted_seq, since, version, .. }) = door::find(tx, keys, account, id)? {
            return Ok(
                json!({"Suppressed": lifted_seq.is_none(), "Since": since, "Kind": id.kind().as_str(),
                             "RulesOfSpelling": version, "CameBack": lifted_seq.is_some()}),
            );
        }
    }
    Ok(json!({"Suppressed": false}))
}
