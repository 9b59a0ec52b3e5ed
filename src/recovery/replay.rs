//! Replaying the journal at every start, before it serves any request.
//!
//! The store remembers the last record that took effect in it: number and chain. Later records of the journal are done
//! again: a backup was restored, the machine went back to a snapshot, or a crash came between the record and the
//! transaction. A store that remembers more records than the journal has, or others, is not started, nor is an older
//! copy with newer keys.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use lethe_verify::Entry;

use super::journal::{Journal, JournalFault, JournalItem, JournalPosition, JournalRecordKind, Record};
use super::ledger_copy;
use super::ledger_copy::number;
use super::replay_fault::ReplayFault;
use crate::clock::Millis;
use crate::erasure::places;
use crate::ids::AccountId;
use crate::keys::{Keys, SlotNumber};
use crate::people::subject::{SubjectFault, SubjectId};
use crate::people::{order_email, suppression_gate};
use crate::store::{Owner, Store, StoreFault, Tx};
use crate::{accounts, args, erasure, ledger, limits, sql};

/// Records done in one transaction.
const RECORDS: usize = 50;

/// Result of a replay.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Replayed {
    /// Records that had not taken effect, of erasures and of people who came back.
    pub records: u64,
    /// Those of erasures.
    pub erasures: u64,
    /// People who were stored and no longer are.
    pub subjects: u64,
    /// Identifiers that were not suppressed and are now.
    pub tags: u64,
    /// Records of accounts that the store does not know.
    pub unknown_accounts: u64,
    /// True if a part of the journal is missing, and the operator chose to go on.
    pub gap_accepted: bool,
}

/// Facts about the state of the store before its start.
#[derive(Clone, Copy)]
pub struct StoreBeforeStart {
    /// It comes out of a backup.
    pub is_restored: bool,
    /// The operator chooses to go on although a part of the journal is missing …
    pub accept_gap: bool,
    /// … and chose so already at the restore.
    pub has_gap: bool,
}

/// Records of the journal that the store has not seen, found before anything is changed.
pub struct PendingReplay {
    records: Vec<Record>,
    end: JournalPosition,
    /// The highest account number in all of the journal.
    last_account: i64,
    /// The store comes out of a backup.
    pub is_restored: bool,
    gap_accepted: bool,
    /// Erasures that the store does not know: more than a crash explains, so the ledger reports it.
    unknown_erasures: usize,
}

/// Compares the journal with the store; `None` when there is nothing to do. Changes nothing.
///
/// # Errors
/// [`JournalFault::OlderStore`] for an older copy with newer keys, unless it comes out of a backup or the keys went
/// back too; a fault when the store has seen more records than the journal has, or others, unless that gap is accepted;
/// or when either cannot be read.
pub async fn compare(
    store: &Store,
    journal: &Journal,
    before: StoreBeforeStart,
) -> Result<Option<PendingReplay>, ReplayFault> {
    let seen = store.read(last_seen).await?;
    let end = journal.last();
    let is_seen = seen == Some((end.records, end.chain)) || seen.is_none() && end.records == 0;
    let mut gap_accepted = before.has_gap || journal.is_cut();
    if is_seen && !before.is_restored && !gap_accepted {
        return Ok(None);
    }
    let items = journal.read_items()?;
    let from = match behind(&items, seen) {
        Ok(from) => from,
        Err(fault) if !before.accept_gap => return Err(fault.into()),
        // The last record seen is not there: all present ones count.
        Err(_) => {
            gap_accepted = true;
            0
        }
    };
    let record = |(at, item): (JournalPosition, JournalItem)| match item {
        JournalItem::Record(record) => Some((at.records, record)),
        JournalItem::Entry { .. } => None,
    };
    let all: Vec<_> = items.into_iter().filter_map(record).collect();
    let last_account = all.iter().map(|(_, record)| record.account).max().unwrap_or(0);
    let unseen: Vec<_> = all.into_iter().filter(|(number, _)| *number > from).collect();
    let erasures = unseen.iter().filter(|(_, record)| record.kind == JournalRecordKind::Erasure);
    let erasures: Vec<_> = erasures.map(|(number, record)| (*number, record.id)).collect();
    let unknown = store.read(move |tx| unknown(tx, &erasures)).await?;
    let missing = unknown.iter().filter(|number| **number <= journal.own_records()).count();
    if missing > 0 && !before.is_restored && !gap_accepted {
        return Err(JournalFault::OlderStore { missing }.into());
    }
    let records = unseen.into_iter().map(|(_, record)| record).collect();
    let is_restored = before.is_restored;
    let unknown_erasures = unknown.len();
    Ok(Some(PendingReplay { records, end, last_account, is_restored, gap_accepted, unknown_erasures }))
}

/// The numbers of the records whose erasure the store does not know: it was accepted in a later state of the store.
fn unknown(tx: &mut Tx<'_>, erasures: &[(u64, [u8; 16])]) -> Result<Vec<u64>, StoreFault> {
    let mut unknown = Vec::new();
    for (number, id) in erasures {
        if !erasure::is_known(tx, erasure::ErasureId::from_bytes(*id))? {
            unknown.push(*number);
        }
    }
    Ok(unknown)
}

/// Repeats the records that the store has not seen, and reports that in every ledger unless the reason was only a
/// crash.
///
/// # Errors
/// When the store fails, or the journal or a key cannot be read.
pub async fn replay_pending(
    store: &Store,
    keys: &Keys,
    journal: &Journal,
    pending: PendingReplay,
    now: Millis,
) -> Result<Replayed, ReplayFault> {
    let PendingReplay { records, end, last_account, is_restored, gap_accepted, unknown_erasures } = pending;
    let mut replayed = Replayed { gap_accepted, ..Replayed::default() };
    let mut redone = BTreeMap::new();
    records.iter().for_each(|record| *redone.entry(AccountId(record.account)).or_insert(0) += 1);
    for some in records.chunks(RECORDS) {
        redo(store, keys, some, &mut replayed).await?;
    }
    let grown = ledger_copy::bring_back(store, journal).await?;
    let is_told = is_restored || gap_accepted || unknown_erasures > 0 || grown > 0;
    let ending = store.write(Owner::STORE, move |tx| {
        tx.exec(&sql::node_journal_put, args![number(&end), &end.chain])?;
        tx.exec(&sql::node_journal_account, args![last_account])?;
        if !is_told {
            return Ok(());
        }
        tell_all(tx, &redone, gap_accepted, now)
    });
    ending.await?;
    Ok(replayed)
}

/// Enters a restore in every ledger, also of closed and lost accounts. Each gets the number of records repeated for
/// this account alone, under an id of its own.
fn tell_all(
    tx: &mut Tx<'_>,
    redone: &BTreeMap<AccountId, u64>,
    gap_accepted: bool,
    now: Millis,
) -> Result<(), StoreFault> {
    let day = lethe_verify::day(now);
    let ledgers = ledger::sizes(tx)?;
    let told = ledgers.len();
    for (account, _) in ledgers.into_iter().take(told) {
        let replayed = redone.get(&account).copied().unwrap_or(0);
        let restore = uuid::Uuid::new_v4();
        let entry = |ledger| Entry::Restore { ledger, restore, day, replayed, gap_accepted };
        ledger::append(tx, account, entry)?;
    }
    Ok(())
}

/// Number and chain of the last record that took effect; `None` when none has.
fn last_seen(tx: &mut Tx<'_>) -> Result<Option<(u64, [u8; 32])>, StoreFault> {
    let Some(row) = tx.row(&sql::node_journal_get, args![])? else { return Ok(None) };
    match row.opt_blob("journal_chain")? {
        None => Ok(None),
        Some(_) => Ok(Some((row.int("journal_n")?.unsigned_abs(), row.bytes("journal_chain")?))),
    }
}

/// Number of items that the store has seen.
fn behind(
    items: &[(JournalPosition, JournalItem)],
    seen: Option<(u64, [u8; 32])>,
) -> Result<u64, JournalFault> {
    let Some((number, chain)) = seen.filter(|(number, _)| *number > 0) else { return Ok(0) };
    let found = usize::try_from(number).ok().and_then(|number| items.get(number - 1));
    match found {
        None => Err(JournalFault::Gap { seen: number, records: items.len() as u64 }),
        Some((at, _)) if at.chain == chain => Ok(number),
        Some(_) => Err(JournalFault::OtherStory { records: number }),
    }
}

async fn redo(
    store: &Store,
    keys: &Keys,
    some: &[Record],
    replayed: &mut Replayed,
) -> Result<(), ReplayFault> {
    let of_reader = keys.clone();
    let looked = some.to_vec();
    let doomed = store.read(move |tx| list_doomed(tx, &of_reader, &looked)).await?;
    let slots: Vec<SlotNumber> = doomed.iter().filter_map(|doomed| doomed.slot).collect();
    // First the keys: a crash after this line leaves records that can never be opened.
    let destroying = keys.clone();
    let overwritten = slots.clone();
    let destroyed = tokio::task::spawn_blocking(move || destroying.destroy(&overwritten)).await;
    destroyed.map_err(|_| StoreFault::Panicked)??;
    for record in some {
        redo_single_orders(store, keys, record).await?;
    }
    let tagged = some.to_vec();
    let reader = keys.clone();
    let done = store.write(Owner::STORE, move |tx| put_tags(tx, &reader, &tagged)).await?;
    let mut of_account: BTreeMap<AccountId, Vec<SubjectId>> = BTreeMap::new();
    doomed.iter().for_each(|doomed| of_account.entry(doomed.account).or_default().push(doomed.subject));
    for (account, subjects) in of_account {
        delete(store, account, subjects.into()).await?;
    }
    slots.iter().try_for_each(|slot| keys.put_back(*slot))?;
    replayed.records += some.len() as u64;
    replayed.erasures +=
        some.iter().filter(|record| record.kind == JournalRecordKind::Erasure).count() as u64;
    replayed.subjects += doomed.len() as u64;
    replayed.tags += done.tags;
    replayed.unknown_accounts += done.unknown_accounts;
    Ok(())
}

/// Deletes the stored data of some people of an account, slice by slice.
async fn delete(store: &Store, account: AccountId, subjects: Arc<[SubjectId]>) -> Result<(), StoreFault> {
    loop {
        let subjects = subjects.clone();
        if store
            .write(account, move |tx| places::delete_slice(tx, account, &subjects, |_, _, _| Ok(())))
            .await?
        {
            return Ok(());
        }
    }
}

/// Removes other people's orders that came with the requested address, and its links. Removes nothing if the person has
/// come back since in this state of the store: their data may be newer.
async fn redo_single_orders(store: &Store, keys: &Keys, record: &Record) -> Result<(), ReplayFault> {
    let (Some(asked), Some(tag)) = (record.asked, record.tags.first().map(|tag| tag.tag)) else {
        return Ok(());
    };
    let account = AccountId(record.account);
    let id = erasure::ErasureId::from_bytes(record.id);
    let at = record.at;
    loop {
        let keys = keys.clone();
        let removing = store.write(Owner::STORE, move |tx| {
            if suppression_gate::came_back_since(tx, account, &tag, at)? || erasure::goes_on(tx, &keys, id)? {
                return Ok::<_, SubjectFault>(false);
            }
            order_email::leave(tx, account, &asked)?;
            Ok(order_email::delete_some(tx, account, &asked, limits::UNIT_ROWS as u64)?.is_more)
        });
        if !removing.await? {
            return Ok(());
        }
    }
}

/// A subject that is stored and has to go.
struct Doomed {
    account: AccountId,
    subject: SubjectId,
    slot: Option<SlotNumber>,
}

/// The subjects of the records that are stored, with their key slots. The subjects of a running erasure are left to its
/// own job, which counts its removals.
fn list_doomed(tx: &mut Tx<'_>, keys: &Keys, records: &[Record]) -> Result<Vec<Doomed>, SubjectFault> {
    let mut doomed = Vec::new();
    for record in records {
        if erasure::goes_on(tx, keys, erasure::ErasureId::from_bytes(record.id))? {
            continue;
        }
        let account = AccountId(record.account);
        for subject in &record.subjects {
            if let Some(row) = tx.row(&sql::subject_get, args![account.0, subject])? {
                let slot = SlotNumber::from_row(row.int("slot")?);
                doomed.push(Doomed { account, subject: *subject, slot });
            }
        }
    }
    Ok(doomed)
}

fn put_tags(tx: &mut Tx<'_>, keys: &Keys, records: &[Record]) -> Result<Replayed, SubjectFault> {
    let mut done = Replayed::default();
    let mut places = HashMap::new();
    for record in records {
        let account = AccountId(record.account);
        if accounts::by_id(tx, account)?.is_none() {
            done.unknown_accounts += 1;
            continue;
        }
        // Its doors were shut in this very state of the store, and are its own.
        if record.kind == JournalRecordKind::Erasure
            && erasure::goes_on(tx, keys, erasure::ErasureId::from_bytes(record.id))?
        {
            continue;
        }
        // Everything in the store was accepted before this place, whatever number the erasure had.
        let seq = match places.get(&account) {
            Some(seq) => *seq,
            None => *places.entry(account).or_insert(accounts::next_seq(tx, account)?),
        };
        for tag in &record.tags {
            match record.kind {
                JournalRecordKind::Erasure => {
                    let is_new = suppression_gate::shut_tag(
                        tx,
                        account,
                        &tag.tag,
                        (tag.kind, tag.version),
                        seq,
                        record.at,
                    )?;
                    done.tags += u64::from(is_new);
                }
                JournalRecordKind::Consent => {
                    suppression_gate::lift_again(tx, account, &tag.tag, seq, record.at)?;
                }
            }
        }
    }
    Ok(done)
}

#[cfg(test)]
#[path = "replay_tests.rs"]
mod tests;
