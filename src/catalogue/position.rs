//! The position of an account: names what it shows, so that a follower knows what to read again (`since`).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::args;
use crate::blobs::BlobName;
use crate::catalogue::base::{self, Base, Bases};
use crate::feeds::section::Section;
use crate::ids::AccountId;
use crate::sql;
use crate::store::{StoreFault, Tx};

/// The place of a change: its delta, and its number in the delta. A large delta is applied in several transactions, so
/// its sequence alone is not precise enough.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Debug, Serialize, Deserialize)]
pub struct ChangePlace {
    /// Sequence of the delta.
    pub seq: i64,
    /// Number of the change in the delta, from 0.
    pub n: i64,
}

impl ChangePlace {
    /// The place after every change of the delta at `seq`.
    #[must_use]
    pub const fn after(seq: i64) -> Self {
        Self { seq, n: i64::MAX }
    }
}

/// Files and cut that one section stands on.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SectionPosition {
    /// File of the snapshot.
    pub blob: BlobName,
    /// The file that leads from SKUs to ids, if the snapshot has one.
    pub names: Option<BlobName>,
    /// Changes up to this sequence do not count.
    pub cut: i64,
}

impl From<&Base> for SectionPosition {
    fn from(base: &Base) -> Self {
        Self { blob: base.blob, names: base.sku_blob, cut: base.cut_seq }
    }
}

/// Position of an account: names what it shows. At equal positions of one account equal items are shown.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct CataloguePosition {
    /// The sections that a feed was published of.
    pub sections: BTreeMap<Section, SectionPosition>,
    /// The last change that was applied.
    pub last: ChangePlace,
    /// History of the store: after a restore the same places have other content.
    pub history: i64,
}

impl CataloguePosition {
    /// The present position of an account.
    ///
    /// # Errors
    /// When the store fails.
    pub fn now(tx: &mut Tx<'_>, account: AccountId) -> Result<Self, StoreFault> {
        let bases = base::list(tx, account)?;
        Self::from_bases(tx, account, &bases)
    }

    /// The same with the bases at hand.
    pub(super) fn from_bases(tx: &mut Tx<'_>, account: AccountId, bases: &Bases) -> Result<Self, StoreFault> {
        let sections = bases.iter().map(|(section, base)| (*section, base.into())).collect();
        Ok(Self { sections, last: load_row(tx, account)?.last, history: history(tx)? })
    }

    /// The cut of a section; 0 when no feed has published it.
    pub(super) fn section_cut(&self, section: Section) -> i64 {
        self.sections.get(&section).map_or(0, |standing| standing.cut)
    }
}

/// Position of an account in the store, without its bases.
#[derive(Clone, Copy, Default)]
pub(super) struct PositionRow {
    /// Grows with every change of the visible items.
    pub pos: i64,
    pub last: ChangePlace,
}

pub(super) fn load_row(tx: &mut Tx<'_>, account: AccountId) -> Result<PositionRow, StoreFault> {
    let row = tx.row(&sql::shown_get, args![account.0])?;
    row.map_or(Ok(PositionRow::default()), |row| {
        Ok(PositionRow { pos: row.int("pos")?, last: ChangePlace { seq: row.int("seq")?, n: row.int("n")? } })
    })
}

/// The number of an account's position: it grows with every change of the visible items, and costs one look-up.
///
/// # Errors
/// When the store fails.
pub fn number(tx: &mut Tx<'_>, account: AccountId) -> Result<i64, StoreFault> {
    Ok(load_row(tx, account)?.pos)
}

/// The number of the store's history: 0 until it is restored.
///
/// # Errors
/// When the store fails.
pub fn history(tx: &mut Tx<'_>) -> Result<i64, StoreFault> {
    tx.row(&sql::node_history, args![])?.map_or(Ok(0), |row| row.int("history"))
}

/// Begins a new history for a restored store, so that a position of the earlier history is never taken for one of this.
///
/// # Errors
/// When the store fails.
pub fn begin_history(tx: &mut Tx<'_>) -> Result<(), StoreFault> {
    let mut number = [0; 8];
    number.copy_from_slice(&uuid::Uuid::new_v4().as_bytes()[..8]);
    tx.exec(&sql::node_history_begin, args![i64::from_be_bytes(number)]).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_has_the_cut_of_its_feed_and_none_without_one() {
        let blob = BlobName::from_hash([1; 32]);
        let standing = SectionPosition { blob, names: None, cut: 7 };
        let sections = BTreeMap::from([(Section::Brands, standing)]);
        let position = CataloguePosition { sections, ..CataloguePosition::default() };
        assert_eq!([Section::Brands, Section::Products].map(|of| position.section_cut(of)), [7, 0]);
    }
}
