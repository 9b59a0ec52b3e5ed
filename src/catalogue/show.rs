//! Writes what an account shows. Nothing else moves a section to another snapshot, or writes or removes a change; each
//! moves the account's position in the same transaction.

use crate::args;
use crate::catalogue::base::{self, Base, New, Places};
use crate::catalogue::changes::{Change, What};
use crate::catalogue::position::{self, Place};
use crate::clock::Millis;
use crate::feeds::section::Section;
use crate::ids::AccountId;
use crate::limits;
use crate::sql;
use crate::store::{StoreFault, Tx};

/// Publishes a feed's snapshot of one section: from the commit on, the section shows it and the changes after its
/// cut. A snapshot equal to one that is kept is not stored again.
///
/// # Errors
/// Those of the store.
pub fn publish(
    tx: &mut Tx<'_>,
    account: AccountId,
    feed: Places,
    new: &New,
    shown: Option<&Base>,
    now: Millis,
) -> Result<(), StoreFault> {
    let kept = base::kept(tx, account, new.section)?;
    let same = kept.iter().find(|kept| kept.new.blob == new.blob && kept.new.sku_blob == new.sku_blob);
    if let Some(same) = same {
        // It is the newest again, and the last to go.
        let row = args![account.0, new.section.as_str(), same.seq, feed.ready_seq];
        tx.exec(&sql::snapshot_renew, row)?;
        return stand_on(tx, account, new.section, same.seq, feed, shown);
    }
    base::insert(tx, account, feed, new, now)?;
    // red: it::feeds::sqlite::three_snapshots_of_a_section_are_kept
    for old in kept.iter().skip(mutant!("snapshots-pile-up", limits::SNAPSHOTS_KEPT - 1, 30)) {
        tx.exec(&sql::snapshot_delete, args![account.0, new.section.as_str(), old.seq])?;
    }
    stand_on(tx, account, new.section, feed.seq, feed, shown)
}

/// Keeps the snapshot and drops the changes up to the feed's cut: it was sent again unchanged.
///
/// # Errors
/// Those of the store.
pub fn publish_unchanged(
    tx: &mut Tx<'_>,
    account: AccountId,
    section: Section,
    base: &Base,
    feed: Places,
) -> Result<(), StoreFault> {
    stand_on(tx, account, section, base.snapshot_seq, feed, Some(base))
}

fn stand_on(
    tx: &mut Tx<'_>,
    account: AccountId,
    section: Section,
    snapshot_seq: i64,
    feed: Places,
    shown: Option<&Base>,
) -> Result<(), StoreFault> {
    let row = args![account.0, section.as_str(), snapshot_seq, feed.cut_seq(shown), feed.ready_seq];
    tx.exec(&sql::base_put, row)?;
    let last = position::shown(tx, account)?.last;
    move_to(tx, account, last)
}

fn move_to(tx: &mut Tx<'_>, account: AccountId, last: Place) -> Result<(), StoreFault> {
    tx.exec(&sql::shown_move, args![account.0, last.seq, last.n]).map(drop)
}

/// The changes of one unit of work.
pub struct Applied {
    account: AccountId,
    first: Place,
    last: Place,
}

/// Applies changes of deltas in one unit of work, which `work` writes with [`Applied::write`], and moves the position
/// behind the last of them.
///
/// # Errors
/// Those of `work` and of the store.
pub fn apply<T, E: From<StoreFault>>(
    tx: &mut Tx<'_>,
    account: AccountId,
    work: impl FnOnce(&mut Tx<'_>, &mut Applied) -> Result<T, E>,
) -> Result<T, E> {
    let last = position::shown(tx, account)?.last;
    let mut applied = Applied { account, first: last, last };
    let done = work(tx, &mut applied)?;
    if applied.last > applied.first {
        move_to(tx, account, applied.last)?;
    }
    Ok(done)
}

impl Applied {
    /// Whether the change at a place was applied before: by an earlier attempt that broke off after some transactions.
    #[must_use]
    pub fn has(&self, at: Place) -> bool {
        at <= self.last
    }

    /// Writes a change. A whole replacement or a removal makes older changes of its item unreachable under every cut,
    /// so they go. One that was applied before is left alone.
    ///
    /// # Errors
    /// Those of the store.
    pub fn write(&mut self, tx: &mut Tx<'_>, at: Place, change: &Change) -> Result<(), StoreFault> {
        if self.has(at) {
            return Ok(());
        }
        self.last = at;
        let account = self.account.0;
        let Change { section, item, sku, children, what, body, row_number, raw } = change;
        let (section, item, sku) = (section.as_str(), item.as_str(), sku.as_deref());
        if matches!(what, What::Put | What::Delete) {
            let removed = sku.filter(|_| *what == What::Delete);
            tx.exec(&sql::change_delete_older, args![account, section, item, at.seq - 1, removed])?;
        }
        let (what, body, raw) = (what.as_str(), body.as_deref(), raw.as_deref());
        let row = args![account, at.seq, at.n, section, item, sku, what, body, *row_number, raw];
        tx.exec(&sql::change_insert, row)?;
        for child in children {
            tx.exec(&sql::change_child_insert, args![account, at.seq, at.n, child.as_str()])?;
        }
        Ok(())
    }
}

/// Removes changes that the cuts of an account's sections made invisible, of up to `limit` items; gives of how many.
/// Who follows the account from a position before these cuts has to read everything again.
///
/// # Errors
/// Those of the store.
pub fn sweep(tx: &mut Tx<'_>, account: AccountId, limit: i64) -> Result<usize, StoreFault> {
    for (section, base) in base::list(tx, account)? {
        let (section, cut) = (section.as_str(), base.cut_seq);
        let items = tx.run(&sql::change_cut_items, args![account.0, section, cut, limit])?;
        if items.is_empty() {
            continue;
        }
        // red: it::positions::sqlite::who_comes_after_the_sweep_reads_everything
        let noted = mutant!("the-sweep-is-not-noted", cut, 0);
        tx.exec(&sql::base_sweep, args![account.0, section, noted])?;
        for row in &items {
            tx.exec(&sql::change_sweep, args![account.0, section, row.text(0)?, cut])?;
        }
        return Ok(items.len());
    }
    Ok(0)
}
