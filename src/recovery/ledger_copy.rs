//! The copy of the ledgers in the journal: signed entries outlive their store.
//!
//! A ledger grows in the transaction that it reports, and the journal follows; a crash between the two is made good by
//! the next start. An older state of the store gets back the missing entries, also for accounts that it does not know,
//! so that no checkpoint held by others is ahead of it.

use std::collections::BTreeMap;

use super::journal::{Journal, JournalItem, JournalPosition};
use super::replay_fault::ReplayFault;
use crate::ids::AccountId;
use crate::ledger::{self, LedgerFault};
use crate::store::{Owner, Store, StoreFault, Tx};
use crate::{args, sql};

/// Entries copied at once.
const ENTRIES: u64 = 1000;

/// Records events of people of an account, and the entries that its ledger has and the journal lacks.
///
/// # Errors
/// When the store fails or the journal cannot be written.
pub async fn record(
    store: &Store,
    journal: &Journal,
    account: AccountId,
    items: Vec<JournalItem>,
) -> Result<(), ReplayFault> {
    let end = journal.append_async(items).await?;
    store.write(Owner::STORE, move |tx| record_journal_end(tx, &end)).await?;
    follow(store, journal, account).await
}

/// Copies the entries that the ledger of an account has and the journal lacks.
///
/// # Errors
/// When the store fails or the journal cannot be written.
pub async fn follow(store: &Store, journal: &Journal, account: AccountId) -> Result<(), ReplayFault> {
    copy(store, journal, [account]).await
}

/// The same for all accounts: at a start.
///
/// # Errors
/// When the store fails or the journal cannot be written.
pub async fn follow_all(store: &Store, journal: &Journal) -> Result<(), ReplayFault> {
    let sizes = store.read(ledger::sizes).await?;
    let known = journal.ledgers();
    let is_behind = |(account, size): &(AccountId, u64)| known.get(account).is_none_or(|known| known < size);
    copy(store, journal, sizes.into_iter().filter(is_behind).map(|(account, _)| account)).await
}

/// Copies in pieces: an account has few entries that are new, and there may be many accounts.
async fn copy(
    store: &Store,
    journal: &Journal,
    accounts: impl IntoIterator<Item = AccountId> + Send,
) -> Result<(), ReplayFault> {
    let mut items = Vec::new();
    for account in accounts {
        let mut from = journal.entries(account);
        loop {
            let lines = store.read(move |tx| ledger::entries(tx, account, from, ENTRIES)).await?;
            if lines.is_empty() {
                break;
            }
            for line in lines {
                items.push(JournalItem::Entry { account: account.0, number: from, line });
                from += 1;
            }
            if items.len() as u64 >= ENTRIES {
                journal.append_async(std::mem::take(&mut items)).await?;
            }
        }
    }
    if !items.is_empty() {
        journal.append_async(items).await?;
    }
    Ok(())
}

/// Gives the ledgers of an older state of the store the later entries of the journal; returns their number. A ledger
/// that went on differently stays as it is, and from now on the journal follows it.
///
/// # Errors
/// When the store fails or the journal cannot be read.
pub async fn bring_back(store: &Store, journal: &Journal) -> Result<u64, ReplayFault> {
    let sizes: BTreeMap<_, _> = store.read(ledger::sizes).await?.into_iter().collect();
    let is_behind = |(account, known): &(AccountId, u64)| sizes.get(account).is_none_or(|size| size < known);
    let ledgers = journal.ledgers().into_iter().filter(is_behind);
    let mut ledgers: BTreeMap<AccountId, Vec<String>> =
        ledgers.map(|(account, _)| (account, Vec::new())).collect();
    let Some(last) = ledgers.keys().next_back().copied() else { return Ok(0) };
    for (_, item) in journal.read_items()? {
        if let JournalItem::Entry { account, number, line } = item
            && let Some(lines) = ledgers.get_mut(&AccountId(account))
        {
            lines.truncate(usize::try_from(number).unwrap_or(usize::MAX));
            lines.push(line);
        }
    }
    // The number of a lost account, and with it its ledger, is never given to a new account.
    store.write(Owner::STORE, move |tx| tx.exec(&sql::node_journal_account, args![last.0])).await?;
    let mut grown = 0;
    for (account, lines) in ledgers {
        grown += give_back(store, journal, account, &lines).await?;
    }
    Ok(grown)
}

async fn give_back(
    store: &Store,
    journal: &Journal,
    account: AccountId,
    lines: &[String],
) -> Result<u64, ReplayFault> {
    let mut from = 0;
    let mut grown = 0;
    for some in lines.chunks(ENTRIES as usize) {
        let lines = some.to_vec();
        match store.write(Owner::STORE, move |tx| ledger::catch_up(tx, account, from, &lines)).await {
            Ok(new) => grown += new,
            Err(LedgerFault::Store(fault)) => return Err(fault.into()),
            Err(fault) => {
                let account = account.0;
                tracing::error!(account, %fault, "the copy of a ledger in the journal is not used");
                journal.give_entries_up(AccountId(account));
                break;
            }
        }
        from += some.len() as u64;
    }
    Ok(grown)
}

/// Records, in the transaction in which erasures take effect, that the journal has them, up to `end`. An earlier record
/// that has not taken effect belongs to an erasure that is fenced in this very state of the store; its job ends it.
///
/// # Errors
/// When the store fails.
pub fn record_journal_end(tx: &mut Tx<'_>, end: &JournalPosition) -> Result<(), StoreFault> {
    tx.exec(&sql::node_journal_next, args![number(end), &end.chain])?;
    Ok(())
}

pub(super) fn number(at: &JournalPosition) -> i64 {
    i64::try_from(at.records).unwrap_or(i64::MAX)
}
