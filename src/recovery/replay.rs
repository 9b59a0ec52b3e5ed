//! Replaying the journal at every start, before anybody can ask anything.
//!
//! The store remembers the last record that took effect in it: number and chain. What the journal has behind that
//! record is done again: a backup was restored, the machine went back to a snapshot, or a crash came between the record
//! and the transaction. A store that remembers more than there is, or something else, is not started.

use std::collections::{HashMap, HashSet};

use lethe_verify::Entry;

use super::journal::{Appended, Journal, JournalFault, Kind, Position, Record};
use crate::clock::Millis;
use crate::ids::AccountId;
use crate::jobs::{self, Lane};
use crate::keys::{KeyFault, Keys, SlotNumber};
use crate::store::{Store, StoreFault, Tx};
use crate::subjects::subject::SubjectId;
use crate::subjects::{door, identifier, subject};
use crate::{accounts, args, erase, ledger, limits, sql};

/// Records done in one transaction.
const RECORDS: usize = 50;

/// What a replay did.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Replayed {
    /// Records that had not taken effect.
    pub records: u64,
    /// People who were stored and are not any more.
    pub subjects: u64,
    /// Identifiers that were not suppressed and are now.
    pub tags: u64,
    /// Records of accounts that the store does not know.
    pub unknown_accounts: u64,
    /// Whether a part of the journal is missing, and the operator said to go on.
    pub gap_accepted: bool,
}

/// A fault of the replay; nothing may start.
#[derive(Debug, thiserror::Error)]
pub enum ReplayFault {
    /// The journal.
    #[error(transparent)]
    Journal(#[from] JournalFault),
    /// The store.
    #[error(transparent)]
    Store(#[from] StoreFault),
    /// The keys.
    #[error(transparent)]
    Keys(#[from] KeyFault),
}

/// What is known of the state of the store before its start.
#[derive(Clone, Copy)]
pub struct Before {
    /// It comes out of a backup.
    pub is_restored: bool,
    /// The operator said to go on although a part of the journal is missing.
    pub accept_gap: bool,
}

/// Does again what the journal has and the store has not seen, and says so in the ledger.
pub async fn run(
    store: &Store,
    keys: &Keys,
    journal: &Journal,
    before: Before,
    now: Millis,
) -> Result<Replayed, ReplayFault> {
    let mut replayed = Replayed::default();
    let seen = store.read(seen).await?;
    let is_seen = seen == Some((journal.end().records, journal.end().chain));
    if !before.is_restored && (is_seen || seen.is_none() && journal.end().records == 0) {
        return Ok(replayed);
    }
    let records = journal.read()?;
    let from = match behind(&records, seen) {
        Ok(from) => from,
        Err(fault) if !before.accept_gap => return Err(fault.into()),
        // What was seen is not there: all that is counts.
        Err(_) => {
            replayed.gap_accepted = true;
            0
        }
    };
    for some in records[from..].chunks(RECORDS) {
        redo(store, keys, some, now, &mut replayed).await?;
    }
    let (end, gap_accepted) = (journal.end(), replayed.gap_accepted);
    let (day, redone) = (lethe_verify::day(now), replayed.records);
    let ending = store.write(move |tx| {
        tx.exec(&sql::node_journal_put, args![number(end), &end.chain])?;
        let restore = uuid::Uuid::new_v4();
        ledger::append(tx, &Entry::Restore { restore, day, replayed: redone, gap_accepted }).map(drop)
    });
    ending.await?;
    Ok(replayed)
}

/// Number and chain of the last record that took effect; `None` when none has.
fn seen(tx: &mut Tx<'_>) -> Result<Option<(u64, [u8; 32])>, StoreFault> {
    let Some(row) = tx.row(&sql::node_journal_get, args![])? else { return Ok(None) };
    match row.opt_blob(1)? {
        None => Ok(None),
        Some(_) => Ok(Some((row.int(0)?.unsigned_abs(), row.bytes(1)?))),
    }
}

/// The first record that was not seen.
fn behind(records: &[(Position, Record)], seen: Option<(u64, [u8; 32])>) -> Result<usize, JournalFault> {
    let Some((number, chain)) = seen else { return Ok(0) };
    if number == 0 {
        return Ok(0);
    }
    let have = records.len() as u64;
    let at = usize::try_from(number).ok().filter(|at| *at <= records.len());
    let at = at.ok_or(JournalFault::Gap { seen: number, records: have })?;
    match records[at - 1].0.chain == chain {
        true => Ok(at),
        false => Err(JournalFault::OtherStory { records: number }),
    }
}

/// Notes, in the transaction in which erasures take effect, that the journal has them. Only a record that follows the
/// last one noted counts; others are done again at the next start, which does no harm.
pub fn note(tx: &mut Tx<'_>, appended: &Appended) -> Result<(), StoreFault> {
    let Appended { before, behind } = appended;
    tx.exec(&sql::node_journal_next, args![number(*before), number(*behind), &behind.chain])?;
    Ok(())
}

fn number(at: Position) -> i64 {
    i64::try_from(at.records).unwrap_or(i64::MAX)
}

async fn redo(
    store: &Store,
    keys: &Keys,
    some: &[(Position, Record)],
    now: Millis,
    replayed: &mut Replayed,
) -> Result<(), ReplayFault> {
    let records: Vec<Record> = some.iter().map(|(_, record)| record.clone()).collect();
    let (looked, own) = (records.clone(), keys.clone());
    let reading = store.read(move |tx| {
        let (mut found, mut goes_on) = (Vec::new(), HashSet::new());
        for record in &looked {
            for subject in &record.subjects {
                if is_being_erased(tx, &own, AccountId(record.account), subject)? {
                    goes_on.insert(*subject);
                    continue;
                }
                let slot = tx.row(&sql::subject_get, args![subject])?.map(|row| row.int(0)).transpose()?;
                found.extend(slot.and_then(SlotNumber::from_row));
            }
        }
        Ok::<_, StoreFault>((found, goes_on))
    });
    let (slots, goes_on) = reading.await?;
    // First the keys: a crash behind this line leaves records that open for nobody.
    let (destroying, doomed) = (keys.clone(), slots.clone());
    let destroyed = tokio::task::spawn_blocking(move || destroying.destroy(&doomed)).await;
    destroyed.map_err(|_| StoreFault::Panicked)??;
    let done = store.write(move |tx| redo_in(tx, &records, &goes_on, now)).await?;
    slots.iter().try_for_each(|slot| keys.put_back(*slot))?;
    replayed.records += some.len() as u64;
    replayed.subjects += done.subjects;
    replayed.tags += done.tags;
    replayed.unknown_accounts += done.unknown_accounts;
    Ok(())
}

/// Whether the store has an erasure of the subject that goes on by itself: killed between the journal and its
/// transaction. It deletes the subject, and counts what it deletes.
fn is_being_erased(
    tx: &mut Tx<'_>,
    keys: &Keys,
    account: AccountId,
    subject: &SubjectId,
) -> Result<bool, StoreFault> {
    let forgotten = tx.row(&sql::subject_get, args![subject])?.map_or(Ok(None), |row| row.opt_int(1))?;
    let Some(seq) = forgotten else { return Ok(false) };
    let open = erase::working(tx, account, limits::ERASURES_AT_ONCE)?;
    Ok(open.iter().any(|erasure| erasure.seq == seq && erasure.person(keys, account).is_ok()))
}

fn redo_in(
    tx: &mut Tx<'_>,
    records: &[Record],
    goes_on: &HashSet<SubjectId>,
    now: Millis,
) -> Result<Replayed, StoreFault> {
    let (mut done, mut places) = (Replayed::default(), HashMap::new());
    for record in records {
        let account = AccountId(record.account);
        if accounts::by_id(tx, account)?.is_none() {
            done.unknown_accounts += 1;
            continue;
        }
        // Everything in the store was accepted before this place, whatever number the erasure had once.
        let seq = match places.get(&account) {
            Some(seq) => *seq,
            None => *places.entry(account).or_insert(accounts::next_seq(tx, account)?),
        };
        for tag in &record.tags {
            let changed = match record.kind {
                Kind::Erasure => door::shut_tag(tx, account, &tag.tag, (tag.kind, tag.version), seq, now)?,
                Kind::Consent => door::lift_tag(tx, account, &tag.tag, seq, now)?,
            };
            if changed && record.kind == Kind::Erasure {
                done.tags += 1;
                if tag.kind == i64::from(identifier::Kind::Email.code()) && erase::has_catalogue(tx, account)?
                {
                    erase::set_text_due(tx, account, true)?;
                    jobs::wake(tx, Lane::Erase, account, erase::JOB_SEQ, now)?;
                }
            }
        }
        for id in record.subjects.iter().filter(|id| !goes_on.contains(*id)) {
            let is_there = tx.row(&sql::subject_get, args![id])?.is_some();
            subject::delete(tx, id)?;
            done.subjects += u64::from(is_there);
        }
    }
    Ok(done)
}
