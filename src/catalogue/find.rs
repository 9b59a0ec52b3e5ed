//! Finds items by their keys: by the id, else by the SKU, else by a child that an item lists.

use std::collections::BTreeMap;

use crate::catalogue::fault::CatalogueFault;
use crate::catalogue::names::{KeyKind, NamedPart, RowKeys};
use crate::catalogue::visible::{CatalogueView, VisibleItem};
use crate::feeds::section::Section;
use crate::limits;

/// An item that a key names.
pub struct ItemWithChild {
    /// The item.
    pub item: VisibleItem,
    /// The id of its child, if the key is one of the child's.
    pub child: Option<String>,
}

/// Ids of the item, and of the child of it, that a key names.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ResolvedKey {
    /// The id of the item.
    pub item: String,
    /// The id of its child, if the key is one of the child's.
    pub child: Option<String>,
}

/// Place that leads from a key to items.
#[derive(Clone, Copy, PartialEq, Eq)]
enum KeySource {
    Id,
    SkuInChanges,
    SkuInFeed,
    ChildInChanges,
    ChildInFeed,
}

impl KeySource {
    const ALL: &[Self] =
        &[Self::Id, Self::SkuInChanges, Self::SkuInFeed, Self::ChildInChanges, Self::ChildInFeed];
    const OF_ID_OR_SKU: &[Self] = &[Self::Id, Self::SkuInChanges, Self::SkuInFeed];
    const OF_CHILD: &[Self] = &[Self::ChildInChanges, Self::ChildInFeed];

    fn kind(self) -> KeyKind {
        match self {
            Self::Id => KeyKind::Id,
            Self::SkuInChanges | Self::SkuInFeed => KeyKind::Sku,
            Self::ChildInChanges | Self::ChildInFeed => KeyKind::Child,
        }
    }
}

/// An item that a key may name: its row as it is shown decides.
struct Candidate {
    item: String,
    kind: KeyKind,
}

/// The candidates of a key, in the order in which they are tried. Each is looked up when its turn comes.
struct Candidates<'k> {
    key: &'k str,
    sources: &'static [KeySource],
    /// Items to which changes gave the child, as far as they were tried.
    parents: Vec<String>,
}

impl<'k> Candidates<'k> {
    fn new(key: &'k str, sources: &'static [KeySource]) -> Self {
        Self { key, sources, parents: Vec::new() }
    }
}

impl CatalogueView<'_, '_> {
    /// An item by its id; if none has it, by its SKU; if none has that either, the product that lists it as a child.
    ///
    /// # Errors
    /// As [`CatalogueView::get`].
    pub fn find_by_key(
        &mut self,
        section: Section,
        key: &str,
    ) -> Result<Option<VisibleItem>, CatalogueFault> {
        Ok(self.find_with_child(section, key)?.map(|found| found.item))
    }

    /// The same, with the child that the key names.
    ///
    /// # Errors
    /// As [`CatalogueView::get`].
    pub fn find_with_child(
        &mut self,
        section: Section,
        key: &str,
    ) -> Result<Option<ItemWithChild>, CatalogueFault> {
        self.find_in(section, Candidates::new(key, KeySource::ALL))
    }

    /// An item by its id; if none has it, by its SKU.
    ///
    /// # Errors
    /// As [`CatalogueView::get`].
    pub fn find_by_id_or_sku(
        &mut self,
        section: Section,
        key: &str,
    ) -> Result<Option<VisibleItem>, CatalogueFault> {
        let found = self.find_in(section, Candidates::new(key, KeySource::OF_ID_OR_SKU))?;
        Ok(found.map(|found| found.item))
    }

    /// The item that lists this child, as it is shown: of those that deltas gave the child the last one that still has
    /// it, else the feed's.
    ///
    /// # Errors
    /// As [`CatalogueView::get`].
    pub fn parent(&mut self, section: Section, key: &str) -> Result<Option<ItemWithChild>, CatalogueFault> {
        self.find_in(section, Candidates::new(key, KeySource::OF_CHILD))
    }

    /// Finds what [`CatalogueView::find_with_child`] finds for each of many keys, without the rows. Keys of one item
    /// are looked for in it together: its row, which may have megabytes, is read once.
    ///
    /// # Errors
    /// As [`CatalogueView::get`].
    pub fn resolve_keys(
        &mut self,
        section: Section,
        keys: &[String],
    ) -> Result<Vec<Option<ResolvedKey>>, CatalogueFault> {
        self.prefetch_keys(section, keys)?;
        let mut resolved = vec![None; keys.len()];
        let mut waiting: Vec<_> =
            keys.iter().map(|key| Candidates::new(key, KeySource::ALL)).enumerate().collect();
        while !waiting.is_empty() {
            let mut by_item: BTreeMap<String, Vec<(usize, KeyKind)>> = BTreeMap::new();
            let mut tried = Vec::with_capacity(waiting.len());
            for (at, mut candidates) in waiting {
                if let Some(Candidate { item, kind }) = self.next_candidate(section, &mut candidates)? {
                    by_item.entry(item).or_default().push((at, kind));
                    tried.push((at, candidates));
                }
            }
            for (item, asked) in by_item {
                let Some(VisibleItem { id, row, .. }) = self.get(section, &item)? else { continue };
                let mut in_row = RowKeys::new(&row);
                for (at, kind) in asked {
                    let part = in_row.find(kind, &keys[at])?;
                    resolved[at] =
                        part.map(|part| ResolvedKey { item: id.clone(), child: part.into_child() });
                }
            }
            waiting = tried.into_iter().filter(|(at, _)| resolved[*at].is_none()).collect();
        }
        Ok(resolved)
    }

    fn find_in(
        &mut self,
        section: Section,
        mut candidates: Candidates<'_>,
    ) -> Result<Option<ItemWithChild>, CatalogueFault> {
        while let Some(Candidate { item, kind }) = self.next_candidate(section, &mut candidates)? {
            let Some(item) = self.get(section, &item)? else { continue };
            let part = RowKeys::new(&item.row).find(kind, candidates.key)?;
            if let Some(child) = part.map(NamedPart::into_child) {
                return Ok(Some(ItemWithChild { item, child }));
            }
        }
        Ok(None)
    }

    fn next_candidate(
        &mut self,
        section: Section,
        of: &mut Candidates<'_>,
    ) -> Result<Option<Candidate>, CatalogueFault> {
        while let Some((source, later)) = of.sources.split_first() {
            let item = match source {
                KeySource::Id => Some(of.key.to_owned()),
                KeySource::SkuInChanges => self.changes(section).item_of_sku(self.tx, of.key)?,
                KeySource::SkuInFeed => self.id_of_sku_in_base(section, of.key)?,
                KeySource::ChildInChanges => self.next_parent(section, of)?,
                KeySource::ChildInFeed => self.id_of_parent_in_base(section, of.key)?,
            };
            // Changes may lead from a child to several items, from the other keys to one.
            if *source != KeySource::ChildInChanges || item.is_none() {
                of.sources = later;
            }
            if let Some(item) = item {
                return Ok(Some(Candidate { item, kind: source.kind() }));
            }
        }
        Ok(None)
    }

    /// The item to which changes gave the child last, besides the candidates before it.
    fn next_parent(
        &mut self,
        section: Section,
        of: &mut Candidates<'_>,
    ) -> Result<Option<String>, CatalogueFault> {
        if of.parents.len() == limits::CHILD_PARENTS_TRIED {
            return Ok(None);
        }
        let parent = self.changes(section).newest_of_child(self.tx, of.key, &of.parents)?;
        of.parents.extend(parent.clone());
        Ok(parent)
    }

    /// Prefetches, in three queries, what [`CatalogueView::find_with_child`] reads for each of many keys.
    fn prefetch_keys(&mut self, section: Section, keys: &[String]) -> Result<(), CatalogueFault> {
        if !self.tx.asks_ahead() {
            return Ok(());
        }
        let changes = self.changes(section);
        changes.prefetch_names(self.tx, keys)?;
        let mut items = keys.to_vec();
        for key in keys {
            items.extend(changes.item_of_sku(self.tx, key)?);
            items.extend(changes.newest_of_child(self.tx, key, &[])?);
            items.extend(self.id_of_sku_in_base(section, key)?);
            items.extend(self.id_of_parent_in_base(section, key)?);
        }
        self.prefetch(section, &items.iter().collect::<Vec<_>>())
    }
}
