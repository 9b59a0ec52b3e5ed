//! The live catalogue of a shop: its snapshots with the changes after their cuts on top.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use crate::blobs::{BlobName, Blobs, Hold};
use crate::catalogue::base::{self, Base, Bases};
use crate::catalogue::changes::{self, AfterCut, ChangeAction, StoredChange};
use crate::catalogue::fault::CatalogueFault;
use crate::catalogue::names;
use crate::catalogue::snapshot::{RowsAnywhere, Snapshot};
use crate::feeds::section::Section;
use crate::ids::AccountId;
use crate::store::Tx;

/// A view of one account's catalogue inside a read transaction.
pub struct CatalogueView<'a, 'tx> {
    pub(super) tx: &'a mut Tx<'tx>,
    /// Keeps the files of the account's bases while they are read.
    hold: Hold,
    account: AccountId,
    bases: Bases,
    /// Those read so far: opening one reads its footer.
    files: HashMap<BlobName, RowsAnywhere>,
}

/// An item that is shown.
pub struct VisibleItem {
    /// Its id.
    pub id: String,
    /// Its row in normal form, as JSON.
    pub row: Vec<u8>,
    /// The feed that its section stands on, by sequence; 0 when no feed was published.
    pub feed_seq: i64,
    /// The delta that touched it last, if one did after that feed.
    pub delta_seq: Option<i64>,
}

impl<'a, 'tx> CatalogueView<'a, 'tx> {
    /// Opens the view of an account.
    ///
    /// # Errors
    /// When the store fails.
    pub fn open(tx: &'a mut Tx<'tx>, blobs: &Blobs, account: AccountId) -> Result<Self, CatalogueFault> {
        let hold = blobs.hold_files();
        let bases = base::list(tx, account)?;
        Ok(Self { tx, hold, account, bases, files: HashMap::new() })
    }

    /// Bases of the account.
    pub(super) fn bases(&self) -> &Bases {
        &self.bases
    }

    fn base(&self, section: Section) -> Option<&Base> {
        self.bases.get(&section)
    }

    pub(super) fn changes(&self, section: Section) -> AfterCut {
        let cut = self.base(section).map_or(0, |base| base.cut_seq);
        AfterCut { account: self.account, section, cut }
    }

    /// Prefetches the changes of items that are going to be read one by one.
    ///
    /// # Errors
    /// When the store fails.
    pub fn prefetch(&mut self, section: Section, ids: &[&String]) -> Result<(), CatalogueFault> {
        Ok(self.changes(section).prefetch(self.tx, ids)?)
    }

    /// An item by its id.
    ///
    /// # Errors
    /// When the store fails, or a snapshot or change cannot be read.
    pub fn get(&mut self, section: Section, id: &str) -> Result<Option<VisibleItem>, CatalogueFault> {
        let mut steps = self.changes(section).of_item(self.tx, id)?;
        // Steps before the last whole replacement do not count.
        let whole = steps.iter().rposition(|step| step.what == ChangeAction::Put);
        let row = match whole {
            Some(at) => {
                let rest = steps.split_off(at + 1);
                let put = steps.pop().map(|step| (step.body, step.at.seq));
                put.map(|(body, seq)| apply_steps(body, Some(seq), rest)).transpose()?.flatten()
            }
            None if steps.iter().any(|step| step.what == ChangeAction::Delete) => None,
            None => match self.row_in_base(section, id)? {
                Some(row) if !self.is_removed_by_sku(section, id, &row)? => apply_steps(row, None, steps)?,
                _ => None,
            },
        };
        let feed_seq = self.base(section).map_or(0, |base| base.snapshot_seq);
        Ok(row.map(|(row, delta_seq)| VisibleItem { id: id.to_owned(), row, feed_seq, delta_seq }))
    }

    /// Returns true if a removal after the cut named the SKU of an item that stands as the feed has it. If several
    /// items have one SKU, this is the one to which the SKU leads.
    fn is_removed_by_sku(&mut self, section: Section, id: &str, row: &[u8]) -> Result<bool, CatalogueFault> {
        let Some(sku) = changes::sku_of(row)?.filter(|sku| sku != id) else { return Ok(false) };
        Ok(self.changes(section).removed_sku(self.tx, &sku)?.is_some()
            && self.id_of_sku_in_base(section, &sku)?.as_deref() == Some(id))
    }

    pub(super) fn id_of_parent_in_base(
        &mut self,
        section: Section,
        key: &str,
    ) -> Result<Option<String>, CatalogueFault> {
        let Some(name) = self.base(section).and_then(|base| base.sku_blob) else { return Ok(None) };
        names::id_of_parent(self.file(name)?, key)
    }

    pub(super) fn id_of_sku_in_base(
        &mut self,
        section: Section,
        sku: &str,
    ) -> Result<Option<String>, CatalogueFault> {
        let Some(name) = self.base(section).and_then(|base| base.sku_blob) else { return Ok(None) };
        names::id_of_sku(self.file(name)?, sku)
    }

    fn file(&mut self, name: BlobName) -> Result<&mut RowsAnywhere, CatalogueFault> {
        Ok(match self.files.entry(name) {
            Entry::Occupied(open) => open.into_mut(),
            Entry::Vacant(free) => free.insert(Snapshot::open(&self.hold, &name)?.rows_anywhere()?),
        })
    }

    fn row_in_base(&mut self, section: Section, id: &str) -> Result<Option<Vec<u8>>, CatalogueFault> {
        let Some(name) = self.base(section).map(|base| base.blob) else { return Ok(None) };
        Ok(self.file(name)?.get(id)?)
    }
}

/// The row of an item as it is shown, and the delta that touched it last.
type ShownRow = (Vec<u8>, Option<i64>);

/// A row with the later changes on top, and the delta that touched it last; `None` when it was removed.
fn apply_steps(
    mut row: Vec<u8>,
    mut delta_seq: Option<i64>,
    steps: Vec<StoredChange>,
) -> Result<Option<ShownRow>, CatalogueFault> {
    let are_alike = |one: &StoredChange, other: &StoredChange| {
        (one.is_of_categories() && other.is_of_categories())
            || (one.is_of_variants() && other.is_of_variants())
    };
    for steps in steps.chunk_by(are_alike) {
        row = match steps {
            [StoredChange { what: ChangeAction::Put, body, .. }] => body.clone(),
            [StoredChange { what: ChangeAction::Delete, .. }] => return Ok(None),
            [first, ..] if first.is_of_variants() => changes::with_variants(&row, steps)?,
            of_categories => changes::with_categories(&row, of_categories)?,
        };
        delta_seq = steps.last().map(|step| step.at.seq).or(delta_seq);
    }
    Ok(Some((row, delta_seq)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::changes::ChangeAction::{AddVariant, Delete, Join, Leave, Put, SetVariant};
    use crate::catalogue::position::ChangePlace;

    /// An item after changes, each with its delta's sequence and its body, and the delta that touched it last.
    fn apply(delta_seq: Option<i64>, steps: &[(i64, ChangeAction, &str)]) -> Option<(String, Option<i64>)> {
        let stored = steps.iter().map(|(seq, what, body)| {
            let at = ChangePlace { seq: *seq, n: 0 };
            StoredChange { at, what: *what, body: body.as_bytes().to_vec() }
        });
        let shown = apply_steps(br#"{"Id":"1"}"#.to_vec(), delta_seq, stored.collect()).expect("rows");
        shown.map(|(row, seq)| (String::from_utf8(row).expect("text"), seq))
    }

    #[test]
    fn changes_are_applied_in_their_order_and_the_last_one_touched_the_item() {
        let item = |row: &str, seq: Option<i64>| Some((row.to_owned(), seq));
        assert_eq!(apply(None, &[]), item(r#"{"Id":"1"}"#, None));
        assert_eq!(apply(Some(3), &[]), item(r#"{"Id":"1"}"#, Some(3)));
        let joined = [(4, Join, r#"["a","b"]"#), (5, Leave, r#"["b"]"#), (6, Join, r#"["c"]"#)];
        assert_eq!(apply(Some(3), &joined), item(r#"{"Id":"1","Categories":["a","c"]}"#, Some(6)));
        let put = r#"{"Id":"1","Title":"t"}"#;
        let replaced = [(4, Join, r#"["a"]"#), (5, Put, put), (6, Join, r#"["b"]"#)];
        assert_eq!(apply(None, &replaced), item(r#"{"Id":"1","Title":"t","Categories":["b"]}"#, Some(6)));
        assert_eq!(apply(None, &replaced[..2]), item(put, Some(5)));
        let variants = [
            (4, AddVariant, r#"{"Id":"v"}"#),
            (5, Join, r#"["a"]"#),
            (6, SetVariant, r#"{"Id":"v","StockQty":1}"#),
            (7, SetVariant, r#"{"Id":"w","StockQty":1}"#),
        ];
        let with_variant = r#"{"Id":"1","Categories":["a"],"Variants":[{"Id":"v","StockQty":1}]}"#;
        assert_eq!(apply(None, &variants), item(with_variant, Some(7)));
        for removed in [[(4, Join, r#"["a"]"#), (5, Delete, "")], [(4, Delete, ""), (5, Join, r#"["a"]"#)]] {
            assert_eq!(apply(Some(3), &removed), None);
        }
    }
}
