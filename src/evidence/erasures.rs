//! Erasures as they are shown: state, removals by place, certificate.

use super::fault::EvidenceFault;
use crate::clock::Millis;
use crate::erasure::places::PLACES;
use crate::erasure::{self, ErasureId, ErasureState, ErasureSummary};
use crate::ids::AccountId;
use crate::keys::Keys;
use crate::ledger::{self, IssuedCertificate};
use crate::store::{StoreFault, Tx};

pub use crate::erasure::reference::ReferenceSearch;
pub use crate::erasure::{ErasureBacklog, ErasureFilter, waiting, waiting_of};

/// An erasure in a list.
#[derive(serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "PascalCase")]
pub struct ListedErasure {
    /// Its id.
    erasure: String,
    /// Its place in the account's order.
    number: i64,
    /// `accepted`, `fenced`, `shredded`, `deleted`, `unlearned`, `settled`, `verified` or `lost`.
    state: &'static str,
    /// Time of the request, in milliseconds since 1970.
    asked_at: i64,
    /// By when it has to be done.
    due_at: i64,
    /// When it was verified.
    verified_at: Option<i64>,
    /// True if it is overdue.
    overdue: bool,
    /// Reason why it waits.
    waits_for: Option<String>,
    /// Fault of the last try.
    fault: Option<String>,
    /// Number of failed tries.
    faults: i64,
    /// The shop's own references of it, with commas between them.
    reference: Option<String>,
}

/// An erasure with its steps and places.
#[derive(serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "PascalCase")]
#[schema(as = DetailedErasure)]
pub struct Detailed {
    #[serde(flatten)]
    listed: ListedErasure,
    /// The steps it has taken.
    steps: Vec<ErasureStep>,
    /// The places, and the number of removals in each.
    places: Vec<ErasurePlace>,
}

/// A step of an erasure.
#[derive(serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "PascalCase")]
#[schema(as = ErasureStep)]
pub struct ErasureStep {
    /// State that it reached.
    state: &'static str,
    /// When.
    at: i64,
}

/// A place that an erasure clears.
#[derive(serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "PascalCase")]
#[schema(as = ErasurePlace)]
pub struct ErasurePlace {
    /// Its name in the register.
    name: &'static str,
    /// Content of the place, in words.
    says: &'static str,
    /// Number of things removed.
    removed: i64,
    /// Number of things left when the place was checked again; null before that check.
    left: Option<i64>,
}

/// Returns true if an erasure of an account is not verified yet.
///
/// # Errors
/// When the store fails.
pub fn is_any_going_on(tx: &mut Tx<'_>, account: AccountId) -> Result<bool, StoreFault> {
    Ok(!erasure::working(tx, account, 1)?.is_empty())
}

/// A page of an account's erasures before a place, newest first.
///
/// # Errors
/// When the store fails.
pub fn list(
    tx: &mut Tx<'_>,
    account: AccountId,
    which: ErasureFilter,
    before: i64,
    now: Millis,
) -> Result<Vec<ListedErasure>, StoreFault> {
    Ok(erasure::list(tx, account, which, before, now)?
        .into_iter()
        .map(|shown| to_listed(shown, now))
        .collect())
}

/// A page of an account's erasures whose references hold a text, newest first.
///
/// # Errors
/// When the store fails.
pub fn find_by_reference(
    tx: &mut Tx<'_>,
    account: AccountId,
    search: ReferenceSearch<'_>,
    now: Millis,
) -> Result<Vec<ListedErasure>, StoreFault> {
    let found = erasure::reference::find(tx, account, search, now)?;
    Ok(found.into_iter().map(|shown| to_listed(shown, now)).collect())
}

/// One erasure with its steps and places; `None` when no erasure has this id.
///
/// # Errors
/// When the store fails.
pub fn get(
    tx: &mut Tx<'_>,
    account: AccountId,
    id: ErasureId,
    now: Millis,
) -> Result<Option<Detailed>, StoreFault> {
    let Some(shown) = erasure::load_by_id(tx, account, id)? else { return Ok(None) };
    let steps = erasure::steps(tx, account, shown.seq)?;
    let steps = steps.into_iter().map(|(state, at)| ErasureStep { state: state.as_str(), at }).collect();
    let cleared = erasure::list_cleared(tx, account, shown.seq)?;
    let places = PLACES.iter().filter(|place| !place.is_kept()).map(|place| {
        let counts = cleared.iter().find(|cleared| cleared.place == place.name);
        let (removed, left) = counts.map_or((0, None), |counts| (counts.removed, counts.found));
        ErasurePlace { name: place.name, says: place.says, removed, left }
    });
    let places = places.collect();
    Ok(Some(Detailed { listed: to_listed(shown, now), steps, places }))
}

/// The certificate of an erasure, proven to the account's ledger as it is now; `None` when it is not verified, or does
/// not exist.
///
/// # Errors
/// When the store fails, the ledger does not fit the certificate, or the proof cannot be signed.
pub fn certificate(
    tx: &mut Tx<'_>,
    keys: &Keys,
    account: AccountId,
    id: ErasureId,
    now: Millis,
) -> Result<Option<String>, EvidenceFault> {
    let Some(kept) = erasure::certificate(tx, account, id)? else { return Ok(None) };
    let erasure::Certificate { index, body, signature } = kept;
    let issued = IssuedCertificate { index: index.unsigned_abs(), body, signature };
    Ok(Some(ledger::certificate(tx, keys, account, issued, now)?.to_string()))
}

fn to_listed(shown: ErasureSummary, now: Millis) -> ListedErasure {
    ListedErasure {
        erasure: shown.id.to_string(),
        number: shown.seq,
        state: shown.state.as_str(),
        asked_at: shown.asked_at,
        due_at: shown.due_at,
        // A lost erasure has ended, and proves nothing.
        verified_at: shown.verified_at.filter(|_| shown.state == ErasureState::Verified),
        overdue: shown.verified_at.is_none() && shown.due_at < now,
        waits_for: shown.waits_for,
        fault: shown.fault,
        faults: shown.faults,
        reference: shown.reference,
    }
}
