//! What is held of a person: counted for an officer, opened for the person themselves.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::EvidenceFault;
use super::search::{self, GoOn};
use crate::accounts::Account;
use crate::erase::places::{self, Counts, Export, PLACES, Seen, Walk};
use crate::ids::AccountId;
use crate::ids::identifier::Asked;
use crate::node::Node;
use crate::store::Tx;
use crate::subjects::closure;
use crate::subjects::person::{Left, Person};
use crate::subjects::records::{Mark, ORDER};
use crate::subjects::subject::SubjectFault;

/// Payloads accepted at any time count.
const EVER: i64 = i64::MAX;

/// Who would be forgotten, and how much is held of them, place by place: `Known`, `Who`, `Identifiers` by kind,
/// `Subjects`, `Suppression`, `Places`; and what would be left, with some of the requests that would erase it too:
/// `Left`.
pub async fn held(node: &Arc<Node>, account: AccountId, asked: Asked) -> Result<Value, EvidenceFault> {
    let found = Found::look(node, account, asked, false).await?;
    let mut told = found.to_json();
    told["Who"] = places::known_as(&found.person);
    let left = |left: &Left| json!({"Name": left.why.name(), "Says": left.why.says(), "Count": left.count, "Requests": left.requests});
    told["Left"] = found.person.left.iter().map(left).collect();
    Ok(told)
}

/// How much is held of a person; for the operator also in every file: `Scan`. Nothing in it says who they are. A shop
/// is not told about files, which all shops share.
pub async fn searched(
    node: &Arc<Node>,
    account: AccountId,
    asked: Asked,
    in_files: bool,
) -> Result<Value, EvidenceFault> {
    let found = Found::look(node, account, asked, in_files).await?;
    let mut answer = found.to_json();
    if let Some(scan) = found.scan {
        answer["Scan"] = scan;
    }
    Ok(answer)
}

/// What is held of somebody, as the register counts it.
struct Found {
    person: Person,
    suppression: Value,
    counts: Counts,
    scan: Option<Value>,
}

impl Found {
    async fn look(
        node: &Arc<Node>,
        account: AccountId,
        asked: Asked,
        in_files: bool,
    ) -> Result<Self, EvidenceFault> {
        let keys = node.keys.clone();
        let found = node.store.read(move |tx| {
            let suppression = places::suppression(tx, &keys, account, &asked)?;
            Ok::<_, SubjectFault>((closure::of(tx, &keys, account, &asked)?, suppression))
        });
        let (person, suppression) = found.await?;
        let models = node.derived.count(account, &person.subjects).await;
        let (mut seen, mut scan) = (Seen { models: Some(models), files: None }, None);
        if in_files {
            let go_on: GoOn = Arc::new(|_| Ok(()));
            let residue = search::in_files(node, &[&person], &go_on).await?;
            let seen_of = residue.of(0);
            seen.files = Some(seen_of.found);
            scan = Some(json!({"Files": seen_of.files, "Bytes": seen_of.bytes, "Found": seen_of.found,
                               "FoundIn": residue.files_of(0), "IdentifiersScanned": seen_of.scanned,
                               "IdentifiersWalkedOnly": seen_of.walk_only}));
        }
        let (keys, walked) = (node.keys.clone(), person.clone());
        let counted = node.store.read(move |tx| {
            places::held(tx, &Walk { keys: &keys, account, seq: EVER, person: &walked, seen })
        });
        Ok(Self { counts: counted.await?, person, suppression, scan })
    }

    fn to_json(&self) -> Value {
        let mut kinds = Map::new();
        for id in self.person.identifiers() {
            let count = kinds.get(id.kind().as_str()).and_then(Value::as_u64).unwrap_or(0);
            kinds.insert(id.kind().as_str().to_owned(), (count + 1).into());
        }
        let places = PLACES.iter().filter_map(|place| {
            let (_, count) = self.counts.iter().find(|(name, _)| *name == place.name)?;
            Some(json!({"Name": place.name, "Says": place.says, "Found": count}))
        });
        let places: Vec<Value> = places.collect();
        // Payloads that wait may hold anybody.
        let is_anywhere = self.counts.iter().any(|(name, count)| *count > 0 && *name != places::PAYLOADS);
        json!({"Known": !self.person.subjects.is_empty(), "FoundAnywhere": is_anywhere, "Identifiers": kinds,
               "Subjects": self.person.subjects.len(), "Suppression": self.suppression, "Places": places})
    }
}

/// Everything that is stored about a person, opened, as the register exports it: `Identifiers`, a list for each kind of
/// records, and what is kept of a forgotten one. For the person: Article 15 GDPR.
pub async fn export(node: &Arc<Node>, shop: &Account, asked: Asked) -> Result<Value, EvidenceFault> {
    let (account, keys) = (shop.id, node.keys.clone());
    let asked = Arc::new(asked);
    let of = asked.clone();
    let person = Arc::new(node.store.read(move |tx| closure::of(tx, &keys, account, &of)).await?);
    let reader = Reader { node, account, person, asked };
    let mut export = json!({"At": node.clock.now(), "Shop": shop.name, "Currency": shop.currency});
    for place in PLACES {
        match place.export {
            Export::Field(name, of) => {
                export[name] = reader.read(of).await?;
            }
            Export::Lists(lists, page) => {
                for list in lists() {
                    export[list] = json!([]);
                }
                let mut mark = Some(Mark::default());
                while let Some(after) = mark {
                    let read = reader.read(move |tx, walk, _| page(tx, walk, &after));
                    let (entries, next) = read.await?;
                    for (list, entry) in entries {
                        match &mut export[list] {
                            Value::Array(entries) => entries.push(entry),
                            first => *first = json!([entry]),
                        }
                    }
                    // red: it::erasures::sqlite::a_person_with_many_records_is_erased_in_slices
                    mark = mutant!("an-export-ends-with-its-first-page", next, None);
                }
            }
            Export::Nothing(_) => {}
        }
    }
    // Of several subjects they come in the order of random ids.
    if let Some(orders) = export[ORDER.list()].as_array_mut() {
        orders.sort_by_key(|order| order["OrderedAt"].as_i64());
    }
    Ok(export)
}

/// Reads about one person, a unit of work at a time.
struct Reader<'a> {
    node: &'a Node,
    account: AccountId,
    person: Arc<Person>,
    asked: Arc<Asked>,
}

impl Reader<'_> {
    async fn read<T: Send + 'static>(
        &self,
        of: impl Fn(&mut Tx<'_>, &Walk<'_>, &Asked) -> Result<T, SubjectFault> + Send + 'static,
    ) -> Result<T, EvidenceFault> {
        let (keys, account) = (self.node.keys.clone(), self.account);
        let (person, asked) = (self.person.clone(), self.asked.clone());
        let read = self.node.store.read(move |tx| {
            let walk = Walk { keys: &keys, account, seq: EVER, person: &person, seen: Seen::default() };
            of(tx, &walk, &asked)
        });
        Ok(read.await?)
    }
}

/// What is kept of a forgotten person: whether the door is shut, since when.
pub async fn suppression(node: &Arc<Node>, account: AccountId, asked: Asked) -> Result<Value, EvidenceFault> {
    let keys = node.keys.clone();
    Ok(node.store.read(move |tx| places::suppression(tx, &keys, account, &asked)).await?)
}
