//! From one position to the present catalogue: the rows to read again.
//!
//! It is the difference of the two snapshots of each section, every item of a change that a new cut took away (a feed
//! that holds an item unchanged undoes a delta's removal of it, and the difference of the files does not name it), and
//! every item of a change that was applied since.

use std::collections::{BTreeMap, BTreeSet};

use super::base::{self, Bases};
use super::changes::{self, TouchedItem};
use super::fault::CatalogueFault;
use super::position::{CataloguePosition, ChangePlace};
use super::snapshot::{Snapshot, SnapshotFault, SnapshotRow};
use super::visible::CatalogueView;
use super::{names, snapshot_diff};
use crate::blobs::{BlobName, Blobs, Hold};
use crate::feeds::section::Section;
use crate::ids::AccountId;
use crate::limits;
use crate::store::Tx;

/// Steps from a position to the present catalogue.
pub enum CatalogueSteps {
    /// The catalogue is the same.
    Same,
    /// These steps.
    Steps(CatchUpPlan),
    /// A file or change that the steps need is gone: everything has to be read ([`CatchUpPlan::full_rebuild`]).
    Rebuild,
}

/// Rows to read again: first those of the files ([`CatchUpPlan::files`]), then the items of changes, page by page
/// ([`CatchUpPlan::page`]): a row read later replaces one read before. After the last page everything is shown that the
/// account showed at `to`; some changes applied meanwhile may be shown too, and the next steps name them again.
#[derive(Clone)]
pub struct CatchUpPlan {
    account: AccountId,
    /// The position to which they lead.
    pub to: CataloguePosition,
    sections: BTreeMap<Section, SectionSteps>,
    /// Every change after this place is read.
    first: ChangePlace,
}

/// The steps of one section.
#[derive(Clone, Default)]
struct SectionSteps {
    /// The previous and the present file, where they differ.
    files: Option<(Option<Snapshot>, Snapshot)>,
    /// Files that lead from SKUs to ids, before and now.
    names: Vec<Snapshot>,
    /// The items of changes after this place are read again.
    after: ChangePlace,
    /// None of the changes after this sequence may have been swept.
    needed: i64,
}

/// An item as it is shown now.
pub struct CurrentItem {
    /// Its section.
    pub section: Section,
    /// Its id.
    pub id: String,
    /// Its row in normal form, as JSON; `None`: it is not shown.
    pub row: Option<Vec<u8>>,
}

/// A page of items of changes.
pub enum ChangePage {
    /// Items, and the change after which the next page begins, if there is one.
    Items(Vec<CurrentItem>, Option<ChangePlace>),
    /// A change that the page needs was swept meanwhile: everything has to be read.
    Rebuild,
}

/// Rows of files, one by one.
pub type SeenStream = Box<dyn Iterator<Item = Result<CurrentItem, CatalogueFault>> + Send>;

/// Steps from the position `from` of an account to its present catalogue. Reads no row.
///
/// # Errors
/// When the store fails, or a file that is shown now cannot be read.
pub fn steps_since(
    tx: &mut Tx<'_>,
    blobs: &Blobs,
    account: AccountId,
    from: &CataloguePosition,
) -> Result<CatalogueSteps, CatalogueFault> {
    let files = blobs.hold_files();
    let bases = base::list(tx, account)?;
    let to = CataloguePosition::from_bases(tx, account, &bases)?;
    if to == *from {
        return Ok(CatalogueSteps::Same);
    }
    let is_lost = |section: &Section| !bases.contains_key(section);
    if to.history != from.history || to.last < from.last || from.sections.keys().any(is_lost) {
        // The store is another one, as after a restore.
        return Ok(CatalogueSteps::Rebuild);
    }
    let mut sections = BTreeMap::new();
    for section in Section::ALL {
        let Some(steps) = section_steps(&files, section, from, &to)? else {
            return Ok(CatalogueSteps::Rebuild);
        };
        sections.insert(section, steps);
    }
    let steps = CatchUpPlan::new(account, to, sections);
    Ok(if steps.are_there(&bases) { CatalogueSteps::Steps(steps) } else { CatalogueSteps::Rebuild })
}

/// The steps of a section; `None` when the previous file is gone, or the cut went back.
fn section_steps(
    files: &Hold,
    section: Section,
    from: &CataloguePosition,
    to: &CataloguePosition,
) -> Result<Option<SectionSteps>, CatalogueFault> {
    let before = from.sections.get(&section);
    let Some(now) = to.sections.get(&section) else {
        return Ok(Some(SectionSteps { after: from.last, needed: i64::MAX, ..SectionSteps::default() }));
    };
    let cut = from.section_cut(section);
    if now.cut < cut {
        return Ok(None);
    }
    let mut names: Vec<BlobName> = before.and_then(|before| before.names).into_iter().collect();
    names.extend(now.names.filter(|name| !names.contains(name)));
    let Some(names) =
        names.iter().map(|name| open_if_present(files, name)).collect::<Result<Option<Vec<_>>, _>>()?
    else {
        return Ok(None);
    };
    if before == Some(now) {
        return Ok(Some(SectionSteps { files: None, names, after: from.last, needed: i64::MAX }));
    }
    let changed = if before.is_some_and(|before| before.blob == now.blob) {
        None
    } else {
        let old = match before {
            Some(before) => match open_if_present(files, &before.blob)? {
                Some(old) => Some(old),
                None => return Ok(None),
            },
            None => None,
        };
        Some((old, Snapshot::open(files, &now.blob)?))
    };
    Ok(Some(SectionSteps { files: changed, names, after: ChangePlace::after(cut), needed: cut }))
}

/// A file that may be gone.
fn open_if_present(files: &Hold, name: &BlobName) -> Result<Option<Snapshot>, CatalogueFault> {
    match Snapshot::open(files, name) {
        Ok(file) => Ok(Some(file)),
        Err(SnapshotFault::Missing) => Ok(None),
        Err(fault) => Err(fault.into()),
    }
}

impl CatchUpPlan {
    fn new(account: AccountId, to: CataloguePosition, sections: BTreeMap<Section, SectionSteps>) -> Self {
        let first = sections.values().map(|steps| steps.after).min().unwrap_or_default();
        Self { account, to, sections, first }
    }

    /// Everything that an account shows.
    ///
    /// # Errors
    /// When the store fails or a file cannot be read.
    pub fn full_rebuild(tx: &mut Tx<'_>, blobs: &Blobs, account: AccountId) -> Result<Self, CatalogueFault> {
        let files = blobs.hold_files();
        let to = CataloguePosition::now(tx, account)?;
        let mut sections = BTreeMap::new();
        for section in Section::ALL {
            let mut steps = SectionSteps { needed: i64::MAX, ..SectionSteps::default() };
            if let Some(now) = to.sections.get(&section) {
                let names = now.names.map(|name| Snapshot::open(&files, &name)).transpose()?;
                steps.files = Some((None, Snapshot::open(&files, &now.blob)?));
                steps.names = names.into_iter().collect();
                steps.after = ChangePlace::after(now.cut);
            }
            sections.insert(section, steps);
        }
        Ok(Self::new(account, to, sections))
    }

    /// True if rows of files have to be read; false for changes alone.
    #[must_use]
    pub fn has_files(&self) -> bool {
        self.sections.values().any(|steps| steps.files.is_some())
    }

    /// The same for these sections alone.
    #[must_use]
    pub fn of_sections(self, sections: &[Section]) -> Self {
        let Self { account, to, sections: mut steps, .. } = self;
        steps.retain(|section, _| sections.contains(section));
        Self::new(account, to, steps)
    }

    /// True if no change that is needed was swept.
    fn are_there(&self, bases: &Bases) -> bool {
        self.sections
            .iter()
            .all(|(section, steps)| bases.get(section).is_none_or(|base| base.swept_seq <= steps.needed))
    }

    /// The rows in which the files differ, as the files now have them; changes of deltas to them come with the pages.
    /// Needs no transaction and bounded memory: `blobs` takes the overflow. Blocks.
    ///
    /// # Errors
    /// When a file cannot be read, or the disk refuses the overflow.
    pub fn files(&self, blobs: &Blobs) -> Result<SeenStream, CatalogueFault> {
        let mut all: SeenStream = Box::new(std::iter::empty());
        // Products come last: the names of their brand and categories stand in the other sections.
        for (section, steps) in self.sections.iter().rev() {
            let section = *section;
            let is_shown = move |row: Result<SnapshotRow, SnapshotFault>| {
                let (id, row) = row?;
                Ok(CurrentItem { section, id, row: Some(row) })
            };
            match &steps.files {
                None => {}
                Some((None, new)) => all = Box::new(all.chain(new.rows()?.map(is_shown))),
                Some((Some(old), new)) => {
                    let difference = snapshot_diff::difference(blobs, old, new)?;
                    let changed = difference.changed.map(|pair| pair.map(|(_, after)| after));
                    let is_gone = move |row: Result<SnapshotRow, SnapshotFault>| {
                        Ok(CurrentItem { section, id: row?.0, row: None })
                    };
                    let rows = difference.added.chain(changed).map(is_shown);
                    all = Box::new(all.chain(rows).chain(difference.removed.map(is_gone)));
                }
            }
        }
        Ok(all)
    }

    /// The first page of items of changes begins after this place.
    #[must_use]
    pub fn first_page(&self) -> ChangePlace {
        self.first
    }

    /// The items of up to `limit` changes after a place, as they are shown now; fewer where the rows are
    /// large.
    ///
    /// # Errors
    /// When the store fails or a file cannot be read.
    pub fn page(
        &self,
        tx: &mut Tx<'_>,
        blobs: &Blobs,
        after: ChangePlace,
        limit: usize,
    ) -> Result<ChangePage, CatalogueFault> {
        let touched = changes::after(tx, self.account, after, limit)?;
        let is_last = touched.len() < limit;
        let mut next = after;
        let mut catalogue = CatalogueView::open(tx, blobs, self.account)?;
        if !self.are_there(catalogue.bases()) {
            return Ok(ChangePage::Rebuild);
        }
        let mut named = BTreeSet::new();
        let mut items = Vec::new();
        let mut bytes = 0;
        for touched in touched {
            let at = touched.at;
            let mut unread = self.items_of(touched)?;
            unread.retain(|item| !named.contains(item));
            // Further changes of items that were read belong to this page: a large item is read once for all of them.
            if bytes >= limits::FOLLOWED_PAGE_BYTES && !unread.is_empty() {
                return Ok(ChangePage::Items(items, Some(next)));
            }
            next = at;
            for (section, id) in unread {
                if named.insert((section, id.clone())) {
                    let row = catalogue.get(section, &id)?.map(|item| item.row);
                    bytes += row.as_ref().map_or(0, Vec::len);
                    items.push(CurrentItem { section, id, row });
                }
            }
        }
        Ok(ChangePage::Items(items, Some(next).filter(|_| !is_last)))
    }

    /// The items that a change concerns: its own, and that of the SKU in a removal.
    fn items_of(&self, touched: TouchedItem) -> Result<Vec<(Section, String)>, CatalogueFault> {
        let TouchedItem { at, section, item, removed_sku } = touched;
        let Some(steps) = self.sections.get(&section).filter(|steps| at > steps.after) else {
            return Ok(Vec::new());
        };
        let mut items = vec![(section, item)];
        if let Some(sku) = removed_sku {
            for file in &steps.names {
                items.extend(names::id_of_sku(&mut file.rows_anywhere()?, &sku)?.map(|id| (section, id)));
            }
        }
        Ok(items)
    }
}
