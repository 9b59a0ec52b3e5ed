//! Writes to an account's catalogue. Nothing else moves a section to another snapshot, or writes or removes a change;
//! each moves the account's position in the same transaction.

use std::collections::{BTreeMap, HashMap};

use crate::args;
use crate::catalogue::base::{self, Base, NewSnapshot, Places};
use crate::catalogue::changes::{ChangeAction, ItemChange};
use crate::catalogue::position::{self, ChangePlace};
use crate::catalogue::superseded_variants::{self, VariantRemoval, VariantRemovals};
use crate::clock::Millis;
use crate::feeds::section::Section;
use crate::ids::AccountId;
use crate::limits;
use crate::sql;
use crate::store::{StoreFault, Tx};

/// Publishes a feed's snapshot of one section: from the commit on, the section shows it and the changes after its cut.
/// A snapshot equal to a kept one is not stored again.
///
/// # Errors
/// When the store fails.
pub fn publish(
    tx: &mut Tx<'_>,
    account: AccountId,
    feed: Places,
    new: &NewSnapshot,
    shown: Option<&Base>,
    now: Millis,
) -> Result<(), StoreFault> {
    let kept = base::list_retained(tx, account, new.section)?;
    let same = kept.iter().find(|kept| kept.new.blob == new.blob && kept.new.sku_blob == new.sku_blob);
    if let Some(same) = same {
        // It is the newest again, and the last to go.
        let row = args![account.0, new.section.as_str(), same.seq, feed.ready_seq];
        tx.exec(&sql::snapshot_renew, row)?;
        return stand_on(tx, account, new.section, same.seq, feed, shown);
    }
    base::insert(tx, account, feed, new, now)?;
    for old in kept.iter().skip(limits::SNAPSHOTS_KEPT - 1) {
        tx.exec(&sql::snapshot_delete, args![account.0, new.section.as_str(), old.seq])?;
    }
    stand_on(tx, account, new.section, feed.seq, feed, shown)
}

/// Keeps the snapshot, because the feed was sent again unchanged, and drops the changes up to the feed's cut.
///
/// # Errors
/// When the store fails.
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
    let last = position::load_row(tx, account)?.last;
    move_to(tx, account, last)
}

fn move_to(tx: &mut Tx<'_>, account: AccountId, last: ChangePlace) -> Result<(), StoreFault> {
    tx.exec(&sql::shown_move, args![account.0, last.seq, last.n]).map(drop)
}

/// The changes of one unit of work.
pub struct AppliedChanges {
    account: AccountId,
    first: ChangePlace,
    last: ChangePlace,
    /// Changes that are not written yet, by their place: most items change once in a unit, or are replaced whole again.
    waiting: BTreeMap<ChangePlace, ItemChange>,
    /// By item, and by the SKU that a removal names: the place before which its older changes go.
    replaced: HashMap<SectionItem, HashMap<Option<String>, ChangePlace>>,
    /// Places of the waiting changes of each item.
    places: HashMap<SectionItem, Vec<ChangePlace>>,
    /// By section and supersede key ([`ItemChange::sku`]): the place before which older changes like it go.
    superseded: HashMap<(Section, String), ChangePlace>,
    /// By item: removals of its variants, which older changes of the same variants go for.
    removed_variants: HashMap<SectionItem, VariantRemovals>,
}

/// Section and id.
type SectionItem = (Section, String);

/// Applies changes of deltas in one unit of work; `work` notes them with [`AppliedChanges::record_change`]. Moves the
/// position past the last change.
///
/// # Errors
/// When `work` or the store fails.
pub fn apply_changes<T, E: From<StoreFault>>(
    tx: &mut Tx<'_>,
    account: AccountId,
    work: impl FnOnce(&mut Tx<'_>, &mut AppliedChanges) -> Result<T, E>,
) -> Result<T, E> {
    let last = position::load_row(tx, account)?.last;
    let mut applied = AppliedChanges::new(account, last);
    let done = work(tx, &mut applied)?;
    applied.settle(tx)?;
    if applied.last > applied.first {
        move_to(tx, account, applied.last)?;
    }
    Ok(done)
}

impl AppliedChanges {
    fn new(account: AccountId, last: ChangePlace) -> Self {
        let (waiting, replaced, places, superseded, removed_variants) = Default::default();
        Self { account, first: last, last, waiting, replaced, places, superseded, removed_variants }
    }

    /// True if the change at a place was applied before: by an earlier attempt that broke off after some transactions.
    #[must_use]
    pub fn has(&self, at: ChangePlace) -> bool {
        at <= self.last
    }

    /// Records a change, to be written with the others of the unit. A whole replacement or a removal makes older
    /// changes of its item unreachable under every cut, so they go. A change that was applied before is left alone.
    pub fn record_change(&mut self, at: ChangePlace, change: ItemChange) {
        if self.has(at) {
            return;
        }
        self.last = at;
        let item = (change.section, change.item.clone());
        if matches!(change.what, ChangeAction::Put | ChangeAction::Delete) {
            let removed = change.sku.clone().filter(|_| change.what == ChangeAction::Delete);
            self.forget_older(&item, removed.as_deref());
            self.replaced.entry(item.clone()).or_default().insert(removed, at);
        }
        match (change.what, &change.sku) {
            (ChangeAction::SetVariant, Some(key)) => {
                self.drop_superseded(&item, key);
                self.superseded.insert((change.section, key.clone()), at);
            }
            (ChangeAction::DeleteVariant, Some(key)) => {
                let drops_all = self.drop_removed(&item, key);
                let removals = self.removed_variants.entry(item.clone()).or_default();
                removals.insert(key.clone(), VariantRemoval { at, drops_all });
            }
            _ => {}
        }
        self.places.entry(item).or_default().push(at);
        self.waiting.insert(at, change);
    }

    /// Skips the operation at a place, which changes nothing: it is not applied again.
    pub fn skip(&mut self, at: ChangePlace) {
        self.last = self.last.max(at);
    }

    /// Drops an older change that is not written yet and set the same fields of the same variant.
    fn drop_superseded(&mut self, item: &SectionItem, key: &str) {
        let Some(places) = self.places.get_mut(item) else { return };
        places.retain(|at| {
            let is_like = self.waiting.get(at).is_some_and(|older| {
                older.what == ChangeAction::SetVariant && older.sku.as_deref() == Some(key)
            });
            if is_like {
                self.waiting.remove(at);
            }
            !is_like
        });
    }

    /// Drops older changes of a removed variant that are not written yet. Returns true if no change of the item that
    /// waits touches a SKU.
    fn drop_removed(&mut self, item: &SectionItem, removal: &str) -> bool {
        let Some(places) = self.places.get_mut(item) else { return true };
        let waiting = &mut self.waiting;
        let touches_sku =
            |change: &ItemChange| superseded_variants::touches_sku(change.what, change.sku.as_deref());
        let last_by_sku = places.iter().rev().copied().find(|at| waiting.get(at).is_some_and(touches_sku));
        places.retain(|at| {
            let drops_all = last_by_sku.is_none_or(|last| *at > last);
            let is_dropped = waiting.get(at).is_some_and(|older| {
                superseded_variants::is_dropped(older.what, older.sku.as_deref(), removal, drops_all)
            });
            if is_dropped {
                waiting.remove(at);
            }
            !is_dropped
        });
        last_by_sku.is_none()
    }

    /// Forgets older changes of an item that are not written yet, as the statement does with written ones.
    fn forget_older(&mut self, item: &SectionItem, removed: Option<&str>) {
        let Some(places) = self.places.get_mut(item) else { return };
        places.retain(|at| {
            let is_kept = self.waiting.get(at).is_some_and(|older| {
                older.what == ChangeAction::Delete && older.sku.is_some() && older.sku.as_deref() != removed
            });
            if !is_kept {
                self.waiting.remove(at);
            }
            is_kept
        });
    }

    /// Writes the recorded changes. Call it before anything reads them.
    ///
    /// # Errors
    /// When the store fails.
    pub fn settle(&mut self, tx: &mut Tx<'_>) -> Result<(), StoreFault> {
        let account = self.account.0;
        let replaced = std::mem::take(&mut self.replaced);
        let older: Vec<_> =
            replaced.iter().flat_map(|(item, seqs)| seqs.iter().map(move |by| (item, by))).collect();
        tx.exec_many(&sql::change_delete_older, &older, |((section, item), (removed, at))| {
            args![account, section.as_str(), item.as_str(), at.seq, at.n, removed.as_deref()].to_vec()
        })?;
        let superseded: Vec<_> = std::mem::take(&mut self.superseded).into_iter().collect();
        tx.exec_many(&sql::change_delete_variant, &superseded, |((section, key), at)| {
            args![account, section.as_str(), key.as_str(), at.seq, at.n].to_vec()
        })?;
        for ((section, item), removals) in std::mem::take(&mut self.removed_variants) {
            superseded_variants::delete_superseded(tx, self.account, section, &item, &removals)?;
        }
        self.places.clear();
        for (at, change) in std::mem::take(&mut self.waiting) {
            let ItemChange { section, item, sku, children, what, body, row_number, raw } = &change;
            let body = body.as_deref();
            let raw = raw.as_deref();
            let section = section.as_str();
            let sku = sku.as_deref();
            let what = what.as_str();
            let row = args![account, at.seq, at.n, section, item.as_str(), sku, what, body, *row_number, raw];
            tx.defer(&sql::change_insert, row)?;
            for child in children {
                tx.defer(&sql::change_child_insert, args![account, at.seq, at.n, child.as_str()])?;
            }
        }
        Ok(())
    }
}

/// Removes changes that the cuts of an account's sections made invisible, of up to `limit` items; returns the number of
/// items. A follower of the account at a position before these cuts has to read everything again.
///
/// # Errors
/// When the store fails.
pub fn sweep(tx: &mut Tx<'_>, account: AccountId, limit: i64) -> Result<usize, StoreFault> {
    for (section, base) in base::list(tx, account)? {
        let section = section.as_str();
        let cut = base.cut_seq;
        let items = tx.run(&sql::change_cut_items, args![account.0, section, cut, limit])?;
        if items.is_empty() {
            continue;
        }
        tx.exec(&sql::base_sweep, args![account.0, section, cut])?;
        let items = items.iter().map(|row| row.text("item")).collect::<Result<Vec<_>, _>>()?;
        tx.exec_many(&sql::change_sweep, &items, |item| args![account.0, section, *item, cut].to_vec())?;
        return Ok(items.len());
    }
    Ok(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::changes::ChangeAction::{AddVariant, Delete, DeleteVariant, Join, Put, SetVariant};

    const fn place(n: i64) -> ChangePlace {
        ChangePlace { seq: 1, n }
    }

    fn change(item: &str, what: ChangeAction, sku: Option<&str>) -> ItemChange {
        ItemChange {
            section: Section::Products,
            item: item.to_owned(),
            sku: sku.map(str::to_owned),
            children: Vec::new(),
            what,
            body: None,
            row_number: 0,
            raw: None,
        }
    }

    /// A unit of work after the change at place 0.
    fn begin_unit() -> AppliedChanges {
        AppliedChanges::new(AccountId(1), place(0))
    }

    fn list_waiting(unit: &AppliedChanges) -> Vec<i64> {
        unit.waiting.keys().map(|at| at.n).collect()
    }

    /// The statement `change_delete_older` does the same with changes that are written.
    #[test]
    fn of_older_changes_in_a_unit_removals_of_other_numbers_are_left() {
        for (changes, left) in [
            (vec![(Put, Some("a")), (Put, Some("b"))], vec![2]),
            (vec![(Join, None), (Put, None)], vec![2]),
            (vec![(Put, None), (Join, None)], vec![1, 2]),
            (vec![(Delete, Some("a")), (Delete, Some("a"))], vec![2]),
            (vec![(Delete, Some("a")), (Delete, Some("b"))], vec![1, 2]),
            (vec![(Delete, Some("a")), (Delete, None)], vec![1, 2]),
            (vec![(Delete, None), (Delete, Some("a"))], vec![2]),
            (vec![(Delete, Some("a")), (Put, Some("a"))], vec![1, 2]),
            (vec![(Delete, None), (Put, Some("a"))], vec![2]),
            (vec![(Put, Some("a")), (Delete, Some("a"))], vec![2]),
            (vec![(Delete, Some("a")), (Join, None), (Delete, Some("a"))], vec![3]),
        ] {
            let mut unit = begin_unit();
            for ((what, sku), n) in changes.iter().zip(1..) {
                unit.record_change(place(n), change("x", *what, *sku));
            }
            assert_eq!(list_waiting(&unit), left, "{changes:?}");
        }
    }

    /// The statement `change_delete_variant` does the same with changes that are written.
    #[test]
    fn of_changes_to_one_variant_the_last_with_the_same_members_stays() {
        for (changes, left) in [
            (vec![(SetVariant, Some("v")), (SetVariant, Some("v"))], vec![2]),
            (vec![(SetVariant, Some("v")), (SetVariant, Some("w"))], vec![1, 2]),
            (vec![(SetVariant, None), (SetVariant, None)], vec![1, 2]),
            (vec![(AddVariant, None), (SetVariant, Some("v")), (SetVariant, Some("v"))], vec![1, 3]),
            (vec![(SetVariant, Some("v")), (DeleteVariant, None), (SetVariant, Some("v"))], vec![2, 3]),
            (vec![(Delete, Some("v")), (SetVariant, Some("v"))], vec![1, 2]),
            (vec![(SetVariant, Some("v")), (Put, None)], vec![2]),
        ] {
            let mut unit = begin_unit();
            for ((what, set), n) in changes.iter().zip(1..) {
                unit.record_change(place(n), change("x", *what, *set));
            }
            assert_eq!(list_waiting(&unit), left, "{changes:?}");
        }
    }

    #[test]
    fn a_removed_variant_takes_its_older_changes_along_where_no_sku_was_touched_in_between() {
        const V: &str = "\"x\"\n\"v\"";
        const STOCK: &str = "\"x\"\n\"v\"\nStockQty";
        const LONGER: &str = "\"x\"\n\"v1\"\nStockQty";
        for (changes, left) in [
            (vec![(SetVariant, Some(STOCK)), (DeleteVariant, Some(V))], vec![2]),
            (vec![(AddVariant, Some(STOCK)), (SetVariant, Some(V)), (DeleteVariant, Some(V))], vec![3]),
            (vec![(SetVariant, Some(LONGER)), (DeleteVariant, Some(V))], vec![1, 2]),
            (vec![(AddVariant, None), (SetVariant, Some(STOCK)), (DeleteVariant, Some(V))], vec![1, 3]),
            (
                vec![(DeleteVariant, Some(V)), (SetVariant, Some(LONGER)), (DeleteVariant, Some(V))],
                vec![2, 3],
            ),
            (vec![(DeleteVariant, Some(V)), (SetVariant, None), (DeleteVariant, Some(V))], vec![1, 2, 3]),
            (vec![(AddVariant, Some(STOCK)), (SetVariant, None), (DeleteVariant, Some(V))], vec![1, 2, 3]),
            (vec![(DeleteVariant, None), (DeleteVariant, Some(V)), (DeleteVariant, Some(V))], vec![1, 3]),
            (
                vec![(Join, None), (DeleteVariant, Some(V)), (Join, None), (DeleteVariant, Some(V))],
                vec![1, 3, 4],
            ),
        ] {
            let mut unit = begin_unit();
            for ((what, key), n) in changes.iter().zip(1..) {
                unit.record_change(place(n), change("x", *what, *key));
            }
            assert_eq!(list_waiting(&unit), left, "{changes:?}");
        }
    }

    #[test]
    fn a_skipped_operation_is_not_applied_again() {
        let mut unit = begin_unit();
        for n in [5, 4] {
            unit.skip(place(n));
        }
        unit.record_change(place(5), change("x", Put, None));
        assert_eq!(
            (list_waiting(&unit), unit.last.n),
            (vec![], 5),
            "what was passed over is not applied again"
        );
    }

    #[test]
    fn a_change_at_a_place_that_was_applied_is_left_alone_and_one_of_another_item_stays() {
        let mut unit = begin_unit();
        assert!(unit.has(place(0)) && !unit.has(place(1)));
        for (n, item) in [(0, "x"), (1, "x"), (1, "y"), (2, "y")] {
            unit.record_change(place(n), change(item, Put, None));
        }
        assert_eq!(list_waiting(&unit), [1, 2]);
        assert_eq!(unit.waiting[&place(1)].item, "x");
    }
}
