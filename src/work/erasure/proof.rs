//! Proving erasures: every place is checked again, by the register's own walk and byte by byte, once for all waiting
//! erasures; then the certificate and the entry in the ledger are written in the transaction that ends them.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use lethe_verify::{Body, Kept, Place, Remains, Scan, VERSION};

use super::context::{ErasureRun, WAITS_FOR_PAYLOADS};
use crate::accounts;
use crate::clock::Millis;
use crate::erasure::places::{self, Database, FileSearch, PLACES, PlaceContext, PlaceTreatment};
use crate::erasure::{self, ErasureState, OpenErasure, RemovedCounts};
use crate::evidence::person_scan::{self, ProgressCallback};
use crate::ledger::{self, IssuedCertificate};
use crate::people::person::Person;
use crate::store::{StoreFault, Tx};
use crate::webhooks::{self, WebhookEvent};
use crate::work::fault::WorkFault;
use crate::work::key_slots;

/// Proves all that have come so far. Data found for a person is recorded with their erasure, and returned as a fault:
/// it is tried again, and alarms until nothing is found.
pub(super) async fn prove(
    run: &ErasureRun<'_>,
    open: &mut [OpenErasure],
) -> Result<Option<WorkFault>, WorkFault> {
    let newest = open.iter().map(|erasure| erasure.seq).max().unwrap_or_default();
    let mut people = Vec::new();
    for erasure in open.iter_mut().filter(|erasure| run.is_to_prove(erasure.state)) {
        let account = run.account;
        let seq = erasure.seq;
        // A feed that was accepted earlier has arrived only now: its content is searched after its end.
        if run.node.store.read(move |tx| places::payloads_before(tx, account, seq)).await? > 0 {
            run.write(move |tx| Ok(erasure::wait(tx, account, seq, WAITS_FOR_PAYLOADS)?)).await?;
            continue;
        }
        people.push((erasure.person(&run.node.keys, run.account)?, erasure));
    }
    if people.is_empty() {
        return Ok(None);
    }
    run.lease.progress.enter("verifying");
    let go_on = go_on(run);
    let everybody: Vec<&Person> = people.iter().map(|(person, _)| person).collect();
    let reading = person_scan::in_files(run.node, &everybody, &go_on);
    let (residue, mut failed) = run.forget_beside(newest, reading).await;
    let mut residue = residue?;
    run.lease.progress.enter("verifying");
    // More and more seldom: data found again and again is no leftover between the rows.
    let is_tried = |faults: i64| faults == 0 || faults.unsigned_abs().is_power_of_two();
    if residue.is_in_database() && people.iter().any(|(_, erasure)| is_tried(erasure.faults)) {
        // Bytes of a row that a shop wrote and deleted may lie between the rows.
        run.node.store.rebuild().await?;
        residue = person_scan::in_files(run.node, &everybody, &go_on).await?;
    }
    for (number, (person, erasure)) in people.into_iter().enumerate() {
        let models = run.node.derived.count(run.account, &person.subjects).await;
        let scan = residue.scan_of(number);
        let files = residue.known_files_of(number);
        let seen = PersonScan { person, scan, files, models };
        match conclude(run, erasure, seen).await? {
            Concluded::Verified => {
                erasure.state = ErasureState::Verified;
                log_verified(run, erasure);
                // The data sealed by this key went with the commit.
                key_slots::release(run.node, vec![erasure.slot]).await?;
            }
            Concluded::Waits => {}
            Concluded::Unproven(fault) => {
                let account = run.account.0;
                let seq = erasure.seq;
                tracing::error!(account, seq, %fault, "an erasure cannot be verified");
                failed = Some(fault);
            }
        }
    }
    Ok(failed)
}

/// The log line of an erasure that ended: its id is random and unrelated to the person.
fn log_verified(run: &ErasureRun<'_>, erasure: &OpenErasure) {
    let account = run.account.0;
    let seq = erasure.seq;
    let id = erasure.id;
    let ms = run.node.clock.now() - erasure.asked_at;
    tracing::info!(account, seq, erasure = %id, ms, "an erasure was verified");
}

/// Ends a search when the lease is lost, and shows its progress.
fn go_on(run: &ErasureRun<'_>) -> ProgressCallback {
    let lease = run.lease.clone();
    Arc::new(move |bytes| {
        if lease.is_lost() {
            Err(io::Error::other("the lease was lost"))
        } else {
            lease.progress.bytes.store(bytes, Ordering::Relaxed);
            Ok(())
        }
    })
}

/// Findings about one person.
struct PersonScan {
    person: Person,
    scan: Scan,
    files: Vec<String>,
    models: u64,
}

/// Result of looking everywhere.
enum Concluded {
    /// Nothing is left.
    Verified,
    /// Something is left that will end by itself.
    Waits,
    /// Something is left that should not be there.
    Unproven(WorkFault),
}

/// Searches the database again, and ends the erasure when nothing is left anywhere.
async fn conclude(
    run: &ErasureRun<'_>,
    erasure: &OpenErasure,
    looked: PersonScan,
) -> Result<Concluded, WorkFault> {
    let account = run.account;
    let keys = run.node.keys.clone();
    let now = run.node.clock.now();
    let database = Database::from_store(&run.node.store);
    let seq = erasure.seq;
    let id = erasure.id;
    let asked_at = erasure.asked_at;
    let due_at = erasure.due_at;
    let concluded = run.write(move |tx| {
        let seen = places::OutsideCounts { models: Some(looked.models), files: Some(looked.scan.found) };
        let walk = PlaceContext { keys: &keys, account, seq, person: &looked.person, seen };
        let mut found = places::count_left(tx, &walk)?;
        // These go with this very step, and are counted after it.
        found.extend(places::final_places().map(|place| (place, 0)));
        for (place, left) in &found {
            erasure::note_found(tx, account, seq, place, *left)?;
        }
        let left: Vec<&str> = found.iter().filter(|(_, left)| *left > 0).map(|(place, _)| *place).collect();
        if left == [places::PAYLOADS] {
            erasure::wait(tx, account, seq, WAITS_FOR_PAYLOADS)?;
            return Ok(Concluded::Waits);
        }
        if !left.is_empty() {
            let places: Vec<&str> = left.into_iter().chain(looked.files.iter().map(String::as_str)).collect();
            let fault = WorkFault::Residue(places.join(", "));
            erasure::fail(tx, account, seq, &fault.to_string())?;
            return Ok(Concluded::Unproven(fault));
        }
        let times = Times { asked_at, due_at, verified_at: now };
        let body = body(tx, &walk, id, times, looked.scan.clone(), database)?;
        end(tx, &walk, &body, now)?;
        let verified = WebhookEvent::ErasureVerified { erasure: id, asked_at, verified_at: now };
        webhooks::enqueue(tx, account, &verified, now)?;
        Ok(Concluded::Verified)
    });
    concluded.await
}

/// Writes the entry in the ledger and the certificate, and removes the erasure's own traces; does none of this while
/// one of them is still there.
fn end(tx: &mut Tx<'_>, walk: &PlaceContext<'_>, body: &Body, now: Millis) -> Result<(), WorkFault> {
    let IssuedCertificate { index, body, signature } = ledger::issue(tx, walk.keys, walk.account, body)?;
    let index = i64::try_from(index).unwrap_or(i64::MAX);
    erasure::end(tx, walk.account, walk.seq, &erasure::Certificate { index, body, signature }, now)?;
    match places::not_ended(tx, walk)?.into_iter().find(|(_, left)| *left > 0) {
        Some((place, _)) => Err(WorkFault::Residue(place.to_owned())),
        None => Ok(()),
    }
}

#[derive(Clone, Copy)]
struct Times {
    asked_at: Millis,
    due_at: Millis,
    verified_at: Millis,
}

/// Builds the content of the certificate.
fn body(
    tx: &mut Tx<'_>,
    walk: &PlaceContext<'_>,
    id: erasure::ErasureId,
    times: Times,
    scan: Scan,
    database: Database,
) -> Result<Body, WorkFault> {
    let account = walk.account;
    let seq = walk.seq;
    let steps: BTreeMap<_, _> = erasure::steps(tx, account, seq)?.into_iter().collect();
    let at = |state| steps.get(&state).copied();
    let mut identifiers = BTreeMap::new();
    for id in walk.person.identifiers() {
        *identifiers.entry(id.kind().as_str().to_owned()).or_insert(0) += 1;
    }
    let cleared = erasure::list_cleared(tx, account, seq)?;
    let searched = FileSearch { scanned: scan.scanned, walk_only: scan.walk_only, database };
    let kept = list_kept(walk);
    let head = ledger::head(tx, account)?
        .ok_or(StoreFault::Shape { statement: "ledger_head_get", column: "ledger" })?;
    Ok(Body {
        version: VERSION,
        erasure: id,
        ledger: head.ledger,
        shop: accounts::by_id(tx, account)?.map(|account| account.name).unwrap_or_default(),
        asked_at: times.asked_at,
        fenced_at: at(ErasureState::Fenced),
        shredded_at: at(ErasureState::Shredded),
        deleted_at: at(ErasureState::Deleted),
        unlearned_at: at(ErasureState::Unlearned),
        settled_at: at(ErasureState::Settled),
        verified_at: times.verified_at,
        due_at: times.due_at,
        identifiers,
        places: PLACES
            .iter()
            .filter_map(|place| place_of(place, &cleared, &searched))
            .collect::<Result<_, _>>()?,
        kept,
        database: database.as_str().to_owned(),
        remains: remains(database),
        scan,
        program: concat!("lethe ", env!("CARGO_PKG_VERSION")).to_owned(),
    })
}

/// Entry of a place in the certificate; `None` if the place is kept.
fn place_of(
    place: &places::StoragePlace,
    cleared: &[RemovedCounts],
    searched: &FileSearch,
) -> Option<Result<Place, WorkFault>> {
    if place.is_kept() {
        return None;
    }
    let counts = cleared.iter().find(|cleared| cleared.place == place.name);
    // A place that was not checked again is as bad as one with something left.
    let Some(left) = counts.and_then(|counts| counts.found) else {
        return Some(Err(WorkFault::Residue(place.name.to_owned())));
    };
    Some(Ok(Place {
        name: place.name.to_owned(),
        says: place.says.to_owned(),
        removed: counts.map_or(0, |counts| counts.removed.unsigned_abs()),
        left: left.unsigned_abs(),
        proof: place.proof.after(searched),
    }))
}

fn remains(database: Database) -> Vec<Remains> {
    let told = database.remains().iter().map(|remains| Remains {
        name: remains.name.to_owned(),
        says: remains.says.to_owned(),
        until: remains.until.to_owned(),
    });
    told.collect()
}

fn list_kept(walk: &PlaceContext<'_>) -> Vec<Kept> {
    let kept = PLACES.iter().filter_map(|place| match place.fate {
        PlaceTreatment::Kept(why, count) => Some(Kept {
            name: place.name.to_owned(),
            says: format!("{}: {why}", place.says),
            count: count(walk.person),
        }),
        _ => None,
    });
    let left = walk.person.left.iter().map(|left| Kept {
        name: left.why.name().to_owned(),
        says: left.why.describe_remainder().to_owned(),
        count: left.count,
    });
    kept.chain(left).collect()
}
