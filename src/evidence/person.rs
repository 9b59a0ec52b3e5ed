//! Data held about a person: counted for an officer, opened for the person themselves.

use std::sync::Arc;

use serde_json::{Map, Value, json};
use utoipa::ToSchema;

use super::fault::EvidenceFault;
use super::person_scan::{self, ProgressCallback};
use crate::accounts::{Account, about};
use crate::erasure::places::{self, OutsideCounts, PLACES, PlaceContext, PlaceCounts, PlaceExport};
use crate::ids::AccountId;
use crate::ids::identifier::ForgetTarget;
use crate::keys::KeyFault;
use crate::node::Node;
use crate::people::erasure_scope;
use crate::people::person::{Person, Remainder};
use crate::people::record_kind::ORDER;
use crate::people::records::RecordCursor;
use crate::people::subject::SubjectFault;
use crate::recovery::lost_keys;
use crate::store::Tx;

/// Payloads accepted at any time count.
const EVER: i64 = i64::MAX;

pub use crate::erasure::places::{KnownAs, Suppression};

/// Amount of data held about a person, place by place. It does not say who they are.
#[derive(serde::Serialize, ToSchema)]
#[serde(rename_all = "PascalCase")]
pub struct HeldCounts {
    /// True if anything is stored under the identifier.
    known: bool,
    /// True if anything is found in any place, except waiting payloads: those may hold anyone's data.
    found_anywhere: bool,
    /// Number of identifiers of each kind.
    #[schema(value_type = BTreeMap<String, u64>)]
    identifiers: Map<String, Value>,
    /// Number of subjects.
    subjects: usize,
    /// Suppression of the identifier.
    suppression: Suppression,
    /// The places.
    places: Vec<FoundIn>,
}

/// Amount of data found in a place.
#[derive(serde::Serialize, ToSchema)]
#[serde(rename_all = "PascalCase")]
pub struct FoundIn {
    /// Its name in the register.
    name: &'static str,
    /// Content of the place, in words.
    says: &'static str,
    /// Number of things found.
    found: u64,
}

/// Data held about the people that a request would erase, and the data that would be left.
#[derive(serde::Serialize, ToSchema)]
#[serde(rename_all = "PascalCase")]
pub struct Held {
    #[serde(flatten)]
    counts: HeldCounts,
    /// The identifiers under which they are held.
    who: Vec<KnownAs>,
    /// Data that would be left.
    left: Vec<WouldBeLeft>,
}

/// Something that would be left.
#[derive(serde::Serialize, ToSchema)]
#[serde(rename_all = "PascalCase")]
pub struct WouldBeLeft {
    /// Its name.
    name: &'static str,
    /// Description, in words.
    says: &'static str,
    /// Number of things.
    count: u64,
    /// Some of the requests that would erase it too.
    requests: Vec<String>,
}

/// Data held about a person; for the operator also in every file.
#[derive(serde::Serialize, ToSchema)]
#[serde(rename_all = "PascalCase")]
pub struct Searched {
    #[serde(flatten)]
    counts: HeldCounts,
    /// Result of the scan; for the operator alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = FileScan, required = false)]
    scan: Option<FileScan>,
}

/// A search of the files.
#[derive(serde::Serialize, ToSchema)]
#[serde(rename_all = "PascalCase")]
pub struct FileScan {
    /// Number of files read.
    files: u64,
    /// Number of bytes read.
    bytes: u64,
    /// Number of times an identifier was found.
    found: u64,
    /// The files in which it was found.
    found_in: Vec<String>,
    /// Number of identifiers looked for byte by byte.
    identifiers_scanned: u64,
    /// Number of identifiers too short or too common for that.
    identifiers_walked_only: u64,
}

/// Names the people that would be forgotten, and counts the data held about them, place by place, unless their key is
/// lost: `Known`, `Who`, `Identifiers` by kind, `Subjects`, `Suppression`, `Places`. `Left` is the data that would be
/// left, with some of the requests that would erase it too.
///
/// # Errors
/// When the store fails. [`KeyFault::SealBroken`] when a key of the person is lost: the held data is unknown then.
pub async fn count_held(
    node: &Arc<Node>,
    account: AccountId,
    asked: ForgetTarget,
) -> Result<Held, EvidenceFault> {
    let found = PersonFindings::collect(node, account, asked, false).await?;
    require_keys(node, account, &found.person).await?;
    let left = |left: &Remainder| WouldBeLeft {
        name: left.why.name(),
        says: left.why.describe_remainder(),
        count: left.count,
        requests: left.requests.clone(),
    };
    let left = found.person.left.iter().map(left).collect();
    Ok(Held { who: places::known_as(&found.person), left, counts: found.into_counts() })
}

/// Fails with [`KeyFault::SealBroken`] when a key of the person is lost: nobody can tell the stored data then.
async fn require_keys(node: &Arc<Node>, account: AccountId, person: &Person) -> Result<(), EvidenceFault> {
    let keys = node.keys.clone();
    let subjects = person.subjects.clone();
    if node.store.read(move |tx| lost_keys::has_any(tx, &keys, account, &subjects)).await? {
        Err(EvidenceFault::Keys(KeyFault::SealBroken))
    } else {
        Ok(())
    }
}

/// Counts the data held about a person; for the operator also in every file (`Scan`). The result does not say who they
/// are. Shops learn nothing about files, which all shops share.
///
/// # Errors
/// As [`person_scan::in_files`], if `in_files`; otherwise when the store fails.
pub async fn search_person(
    node: &Arc<Node>,
    account: AccountId,
    asked: ForgetTarget,
    in_files: bool,
) -> Result<Searched, EvidenceFault> {
    let mut found = PersonFindings::collect(node, account, asked, in_files).await?;
    Ok(Searched { scan: found.scan.take(), counts: found.into_counts() })
}

/// Data held about a person, as the register counts it.
struct PersonFindings {
    person: Person,
    suppression: Suppression,
    counts: PlaceCounts,
    scan: Option<FileScan>,
}

impl PersonFindings {
    async fn collect(
        node: &Arc<Node>,
        account: AccountId,
        asked: ForgetTarget,
        in_files: bool,
    ) -> Result<Self, EvidenceFault> {
        let keys = node.keys.clone();
        let found = node.store.read(move |tx| {
            let suppression = places::suppression(tx, &keys, account, &asked)?;
            Ok::<_, SubjectFault>((erasure_scope::preview(tx, &keys, account, &asked)?, suppression))
        });
        let (person, suppression) = found.await?;
        let models = node.derived.count(account, &person.subjects).await;
        let mut seen = OutsideCounts { models: Some(models), files: None };
        let mut scan = None;
        if in_files {
            let go_on: ProgressCallback = Arc::new(|_| Ok(()));
            let residue = person_scan::in_files(node, &[&person], &go_on).await?;
            let seen_of = residue.scan_of(0);
            seen.files = Some(seen_of.found);
            scan = Some(FileScan {
                files: residue.files,
                bytes: residue.bytes,
                found: seen_of.found,
                found_in: residue.files_of(0),
                identifiers_scanned: seen_of.scanned,
                identifiers_walked_only: seen_of.walk_only,
            });
        }
        let keys = node.keys.clone();
        let walked = person.clone();
        let counted = node.store.read(move |tx| {
            places::count_held(tx, &PlaceContext { keys: &keys, account, seq: EVER, person: &walked, seen })
        });
        Ok(Self { counts: counted.await?, person, suppression, scan })
    }

    fn into_counts(self) -> HeldCounts {
        let mut kinds = Map::new();
        for id in self.person.identifiers() {
            let count = kinds.get(id.kind().as_str()).and_then(Value::as_u64).unwrap_or(0);
            kinds.insert(id.kind().as_str().to_owned(), (count + 1).into());
        }
        let places = PLACES.iter().filter_map(|place| {
            let (_, count) = self.counts.iter().find(|(name, _)| *name == place.name)?;
            Some(FoundIn { name: place.name, says: place.says, found: *count })
        });
        let places = places.collect();
        // Waiting payloads may hold anyone's data.
        let is_anywhere = self.counts.iter().any(|(name, count)| *count > 0 && *name != places::PAYLOADS);
        HeldCounts {
            known: !self.person.subjects.is_empty(),
            found_anywhere: is_anywhere,
            identifiers: kinds,
            subjects: self.person.subjects.len(),
            suppression: self.suppression,
            places,
        }
    }
}

/// Everything that is stored about a person, opened, as the register exports it: `Identifiers`, a list for each kind of
/// records, and the data kept about a forgotten person. For the person: Article 15 GDPR.
///
/// # Errors
/// When the store fails, a key of the person is lost, or a record does not open.
pub async fn export(node: &Arc<Node>, shop: &Account, asked: ForgetTarget) -> Result<Value, EvidenceFault> {
    let account = shop.id;
    let keys = node.keys.clone();
    let asked = Arc::new(asked);
    let of = asked.clone();
    let person = Arc::new(node.store.read(move |tx| erasure_scope::preview(tx, &keys, account, &of)).await?);
    require_keys(node, account, &person).await?;
    let reader = PersonReader { node, account, person, asked };
    let about = node.store.read(move |tx| about::get(tx, account)).await?;
    let mut export = json!({"At": node.clock.now(), "Shop": shop.name, "DisplayName": about.display_name,
                            "Contact": about.contact(&node.keys, account)?, "Language": about.language.code(),
                            "Currency": shop.currency});
    for place in PLACES {
        match place.export {
            PlaceExport::Field(name, of) => {
                export[name] = reader.read_unit(of).await?;
            }
            PlaceExport::Lists(lists, page) => {
                for list in lists() {
                    export[list] = json!([]);
                }
                let mut mark = Some(RecordCursor::default());
                while let Some(after) = mark {
                    let read = reader.read_unit(move |tx, walk, _| page(tx, walk, &after));
                    let (entries, next) = read.await?;
                    for (list, entry) in entries {
                        match &mut export[list] {
                            Value::Array(entries) => entries.push(entry),
                            first => *first = json!([entry]),
                        }
                    }
                    mark = next;
                }
            }
            PlaceExport::Nothing(_) => {}
        }
    }
    // With several subjects they come in the order of random ids.
    if let Some(orders) = export[ORDER.list()].as_array_mut() {
        orders.sort_by_key(|order| order["OrderedAt"].as_i64());
    }
    Ok(export)
}

/// Reads about one person, a unit of work at a time.
struct PersonReader<'a> {
    node: &'a Node,
    account: AccountId,
    person: Arc<Person>,
    asked: Arc<ForgetTarget>,
}

impl PersonReader<'_> {
    async fn read_unit<T: Send + 'static>(
        &self,
        of: impl Fn(&mut Tx<'_>, &PlaceContext<'_>, &ForgetTarget) -> Result<T, SubjectFault> + Send + 'static,
    ) -> Result<T, EvidenceFault> {
        let keys = self.node.keys.clone();
        let account = self.account;
        let person = self.person.clone();
        let asked = self.asked.clone();
        let read = self.node.store.read(move |tx| {
            let walk = PlaceContext {
                keys: &keys,
                account,
                seq: EVER,
                person: &person,
                seen: OutsideCounts::default(),
            };
            of(tx, &walk, &asked)
        });
        Ok(read.await?)
    }
}

/// Suppression of a forgotten person: whether the door is shut, and since when.
///
/// # Errors
/// When the store fails.
pub async fn suppression(
    node: &Arc<Node>,
    account: AccountId,
    asked: ForgetTarget,
) -> Result<Suppression, EvidenceFault> {
    let keys = node.keys.clone();
    Ok(node.store.read(move |tx| places::suppression(tx, &keys, account, &asked)).await?)
}
