//! The copy of the ledger in the journal: what was signed outlives the store it was signed in.
//!
//! The ledger grows in the transaction of what it tells, and the journal follows; a crash between the two is
//! made good by the next start. An older state of the store gets back what it lacks, so that nobody's
//! checkpoint is ahead of it.

use super::journal::{Item, Journal};
use super::replay::{self, ReplayFault};
use crate::ledger::{self, LedgerFault};
use crate::store::{Owner, Store};

/// Entries copied at once.
const ENTRIES: u64 = 1000;

/// Records what happened to people in the journal, and whatever the ledger has and the journal lacks.
///
/// # Errors
/// When the store fails or the journal cannot be written.
pub async fn record(store: &Store, journal: &Journal, items: Vec<Item>) -> Result<(), ReplayFault> {
    let end = journal.recorded(items).await?;
    store.write(Owner::STORE, move |tx| replay::note(tx, &end)).await?;
    follow(store, journal).await
}

/// Copies what the ledger has and the journal lacks.
///
/// # Errors
/// When the store fails or the journal cannot be written.
pub async fn follow(store: &Store, journal: &Journal) -> Result<(), ReplayFault> {
    loop {
        let from = journal.entries();
        let lines = store.read(move |tx| ledger::entries(tx, from, ENTRIES)).await?;
        if lines.is_empty() {
            return Ok(());
        }
        let items = (from..).zip(lines).map(|(number, line)| Item::Entry { number, line });
        journal.recorded(items.collect()).await?;
    }
}

/// Gives the ledger of an older state of the store the entries that the journal has after it; returns how
/// many. A ledger that went on differently stays as it is, and from now on the journal follows it.
///
/// # Errors
/// When the store fails or the journal cannot be read.
pub async fn bring_back(store: &Store, journal: &Journal) -> Result<u64, ReplayFault> {
    if store.read(ledger::size).await? >= journal.entries() {
        return Ok(0);
    }
    let mut lines: Vec<String> = Vec::new();
    for (_, item) in journal.read()? {
        if let Item::Entry { number, line } = item {
            lines.truncate(usize::try_from(number).unwrap_or(usize::MAX));
            lines.push(line);
        }
    }
    let (mut from, mut grown) = (0, 0);
    for some in lines.chunks(ENTRIES as usize) {
        let lines = some.to_vec();
        match store.write(Owner::STORE, move |tx| ledger::catch_up(tx, from, &lines)).await {
            Ok(new) => grown += new,
            Err(LedgerFault::Store(fault)) => return Err(fault.into()),
            Err(fault) => {
                tracing::error!(%fault, "the copy of the ledger in the journal is not used");
                journal.give_entries_up();
                break;
            }
        }
        from += some.len() as u64;
    }
    Ok(grown)
}
