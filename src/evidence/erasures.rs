//! Erasures as they are shown: how far, what was removed where, the certificate.

use serde_json::{Value, json};

use super::EvidenceFault;
use crate::clock::Millis;
use crate::erase::places::PLACES;
use crate::erase::{self, ErasureId, Shown, State};
use crate::ids::AccountId;
use crate::keys::Keys;
use crate::ledger::{self, Issued};
use crate::store::{StoreFault, Tx};

pub use crate::erase::{Waiting, waiting};

/// A page of an account's erasures before a place, newest first.
pub fn list(
    tx: &mut Tx<'_>,
    account: AccountId,
    before: i64,
    limit: i64,
    now: Millis,
) -> Result<Vec<Value>, StoreFault> {
    Ok(erase::list(tx, account, before, limit)?.iter().map(|shown| head(shown, now)).collect())
}

/// One erasure with its steps and places; `None`: there is none of this id.
pub fn show(
    tx: &mut Tx<'_>,
    account: AccountId,
    id: ErasureId,
    now: Millis,
) -> Result<Option<Value>, StoreFault> {
    let Some(shown) = erase::get(tx, account, id)? else { return Ok(None) };
    let steps = erase::steps(tx, account, shown.seq)?;
    let steps: Vec<Value> =
        steps.into_iter().map(|(state, at)| json!({"State": state.as_str(), "At": at})).collect();
    let cleared = erase::cleared(tx, account, shown.seq)?;
    let places = PLACES.iter().filter(|place| !place.is_kept()).map(|place| {
        let counts = cleared.iter().find(|cleared| cleared.place == place.name);
        let (removed, left) = counts.map_or((0, None), |counts| (counts.removed, counts.found));
        json!({"Name": place.name, "Says": place.says, "Removed": removed, "Left": left})
    });
    let places: Vec<Value> = places.collect();
    let mut shown = head(&shown, now);
    shown["Steps"] = steps.into();
    shown["Places"] = places.into();
    Ok(Some(shown))
}

/// The certificate of an erasure, proven to the ledger as it is now; `None`: it is not verified, or there is none.
pub fn certificate(
    tx: &mut Tx<'_>,
    keys: &Keys,
    account: AccountId,
    id: ErasureId,
    now: Millis,
) -> Result<Option<String>, EvidenceFault> {
    let Some(kept) = erase::certificate(tx, account, id)? else { return Ok(None) };
    let erase::Certificate { index, body, signature } = kept;
    let issued = Issued { index: index.unsigned_abs(), body, signature };
    Ok(Some(ledger::certificate(tx, keys, issued, now)?.to_string()))
}

fn head(shown: &Shown, now: Millis) -> Value {
    // A lost erasure has ended, and proves nothing.
    let verified_at = shown.verified_at.filter(|_| shown.state == State::Verified);
    let is_overdue = shown.verified_at.is_none() && shown.due_at < now;
    json!({"Erasure": shown.id.to_string(), "Number": shown.seq, "State": shown.state.as_str(), "AskedAt": shown.asked_at,
           "DueAt": shown.due_at, "VerifiedAt": verified_at, "Overdue": is_overdue,
           "WaitsFor": shown.waits_for, "Fault": shown.fault, "Faults": shown.faults})
}
