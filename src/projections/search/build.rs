//! Opening an index, updating it to the account's catalogue, and building it.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use tokio::task::block_in_place;

use super::apply::{IndexFollower, StatisticsFollower};
use super::fault::SearchFault;
use super::folder;
use super::indices::{SearchEntry, SearchIndicesInner, SearchView};
use super::open_index::{IndexSettings, OpenIndex};
use super::tables::SectionTables;
use crate::accounts::search::{self as settings, SearchSettings};
use crate::catalogue::CatalogueFault;
use crate::catalogue::position::{self, CataloguePosition};
use crate::catalogue::since::CurrentItem;
use crate::catalogue::visible::CatalogueView;
use crate::feeds::section::Section;
use crate::ids::AccountId;
use crate::projections::follow;
use crate::search::index::{Index, IndexFault};
use crate::search::index_context::IndexContext;
use crate::search::statistics::{Statistics, StatisticsCounter};
use crate::{disk, limits};

/// The file of an index's statistics, next to those of the index itself.
const STATISTICS: &str = "statistics";

/// Payload of each commit of an index, besides the documents.
#[derive(serde::Serialize, serde::Deserialize)]
struct CommitPayload {
    position: CataloguePosition,
    changed: u64,
    made_for: IndexSettings,
}

impl SearchIndicesInner {
    /// Opens the index in an account's folder and updates it; builds it if there is no usable one. While it is made
    /// `entry` has the one that lies there.
    pub(super) async fn open_index(
        &self,
        account: AccountId,
        entry: &SearchEntry,
    ) -> Result<OpenIndex, SearchFault> {
        let settings = self.settings(account).await?;
        let turn = self.writers.acquire().await.map_err(|_| SearchFault::Ended)?;
        let mut found = None;
        for folder in folder::list(&self.folder, account) {
            let usable = block_in_place(|| self.usable(&folder, &settings));
            if let Some(index) = usable {
                found = Some((folder, index));
                break;
            }
        }
        let mut tables = SectionTables::default();
        let of_tables = self.read_tables(account, &mut tables).await?;
        drop(turn);
        let Some((folder, (index, payload))) = found else {
            entry.set_last(block_in_place(|| self.read_earlier(account, &settings, &tables)));
            return self.build_index(account).await;
        };
        let last = SearchView {
            snapshot: index.snapshot(),
            shop: tables.shop().clone(),
            outdated: Some(folder::written_at(&folder)),
        };
        let stands = |section| payload.position.sections.get(section) == of_tables.sections.get(section);
        if ![Section::Categories, Section::Brands].iter().all(stands) {
            // Changes in them meanwhile are not known any more.
            entry.set_last(Some(last));
            return self.build_index(account).await;
        }
        tables.set_ahead(true);
        let CommitPayload { position, changed, made_for } = payload;
        let open = OpenIndex { index, folder, tables, position, number: -1, changed, made_for };
        match self.brought_up(account, open).await {
            Err(SearchFault::Outgrown) => {
                entry.set_last(Some(last));
                self.build_index(account).await
            }
            brought_up => brought_up,
        }
    }

    /// Makes an index in a new folder, with statistics of its own.
    pub(super) async fn build_index(&self, account: AccountId) -> Result<OpenIndex, SearchFault> {
        let _turn = self.writers.acquire().await.map_err(|_| SearchFault::Ended)?;
        metrics::counter!("lethe_derived_rebuilds_total", "name" => "search").increment(1);
        let settings = self.settings(account).await?;
        let apart = settings.synonyms.words_apart();
        let analyser = self.spoken.analyser(settings.language(), apart);
        let attributes = settings.attributes.clone();
        let begin = move || StatisticsCounter::new(analyser.clone(), attributes.clone());
        let mut tables = SectionTables::default();
        self.read_tables(account, &mut tables).await?;
        let mut counting = StatisticsFollower { tables: &tables, counter: begin(), begin: &begin };
        follow::read_once(&self.store, &self.blobs, account, &[Section::Products], &mut counting).await?;
        let counter = counting.counter;
        let folder = folder::next(&self.folder, account);
        let unless = folder::RemoveOnDrop(Some(folder.clone()));
        let index = block_in_place(|| self.create_empty(&folder, &settings, counter))?;
        let open = OpenIndex {
            index,
            folder,
            tables: SectionTables::default(),
            position: CataloguePosition::default(),
            number: -1,
            changed: 0,
            made_for: (&settings).into(),
        };
        let number = self.number(account).await?;
        let filled = self.fill_index(account, open, number, None).await?;
        unless.disarm();
        Ok(filled)
    }

    /// Reads the tables that stay in memory while an index is open.
    async fn read_tables(
        &self,
        account: AccountId,
        tables: &mut SectionTables,
    ) -> Result<CataloguePosition, SearchFault> {
        let others = [Section::Categories, Section::Brands, Section::AccountPrices];
        follow::read_once(&self.store, &self.blobs, account, &others, tables).await
    }

    /// An empty index with these statistics.
    fn create_empty(
        &self,
        folder: &Path,
        settings: &SearchSettings,
        counter: StatisticsCounter,
    ) -> Result<Index, IndexFault> {
        let statistics = Arc::new(counter.finish());
        disk::make_folder(folder)?;
        disk::replace(&folder.join(STATISTICS), &statistics.encode())?;
        let apart = settings.synonyms.words_apart();
        Index::create(folder, self.spoken.knowledge(settings.language(), apart, statistics))
    }

    /// The index in a folder, if it is complete and made for the shop's settings.
    fn usable(&self, folder: &Path, settings: &SearchSettings) -> Option<(Index, CommitPayload)> {
        let index = match Index::open(folder, self.read_knowledge(folder, settings)?) {
            Ok(index) => index,
            Err(IndexFault::Missing | IndexFault::Other(_)) => return None,
            Err(fault) => {
                tell_unusable(&fault);
                return None;
            }
        };
        let payload: CommitPayload = serde_json::from_str(&index.payload().ok()?).ok()?;
        (payload.made_for == settings.into()).then_some((index, payload))
    }

    /// The knowledge that goes with the index in a folder.
    fn read_knowledge(&self, folder: &Path, settings: &SearchSettings) -> Option<Arc<IndexContext>> {
        let statistics = Statistics::decode(&std::fs::read(folder.join(STATISTICS)).ok()?);
        let statistics = statistics.inspect_err(|fault| tell_unusable(fault)).ok()?;
        let apart = settings.synonyms.words_apart();
        Some(self.spoken.knowledge(settings.language(), apart, Arc::new(statistics)))
    }

    /// An index that an earlier version of the program left, to answer while it is made anew.
    fn read_earlier(
        &self,
        account: AccountId,
        settings: &SearchSettings,
        tables: &SectionTables,
    ) -> Option<SearchView> {
        folder::list(&self.folder, account).into_iter().find_map(|folder| {
            let knowledge = self.read_knowledge(&folder, settings)?;
            let snapshot = Index::read_earlier(&folder, knowledge).ok()?;
            let outdated = Some(folder::written_at(&folder));
            Some(SearchView { snapshot, shop: tables.shop().clone(), outdated })
        })
    }

    /// Updates an index to the account's current catalogue; rebuilds it if too much changed.
    pub(super) async fn brought_up_or_made(
        &self,
        account: AccountId,
        open: OpenIndex,
    ) -> Result<OpenIndex, SearchFault> {
        match self.brought_up(account, open).await {
            Err(SearchFault::Outgrown) => self.build_index(account).await,
            brought_up => brought_up,
        }
    }

    /// Updates an index to what its account shows now, in one commit.
    pub(super) async fn brought_up(
        &self,
        account: AccountId,
        open: OpenIndex,
    ) -> Result<OpenIndex, SearchFault> {
        let number = self.number(account).await?;
        if number == open.number {
            return Ok(open);
        }
        let _turn = self.writers.acquire().await.map_err(|_| SearchFault::Ended)?;
        let from = Some(open.position.clone());
        self.fill_index(account, open, number, from).await
    }

    async fn number(&self, account: AccountId) -> Result<i64, SearchFault> {
        let number = self.store.look_up(move |tx| position::number(tx, account)).await;
        Ok(number.map_err(CatalogueFault::from)?)
    }

    async fn fill_index(
        &self,
        account: AccountId,
        mut open: OpenIndex,
        number: i64,
        from: Option<CataloguePosition>,
    ) -> Result<OpenIndex, SearchFault> {
        let is_new = from.is_none();
        let room = if is_new { u64::MAX } else { open.room() };
        let mut filling = IndexFollower {
            has_products: from.is_some(),
            index: &mut open.index,
            tables: &mut open.tables,
            taken: 0,
            room,
            touched: BTreeSet::new(),
            is_stale: false,
            is_to_be_cleared: false,
        };
        let mut position = follow::catch_up(&self.store, &self.blobs, account, from, &mut filling).await?;
        // Products that come again because of a brand are no news to the statistics.
        let taken = filling.taken;
        let mut tries = 0..limits::CATCH_UP_TRIES;
        // Again when a feed changes one meanwhile.
        while filling.is_stale {
            tries.next().ok_or(CatalogueFault::Overtaken)?;
            position = follow::catch_up(&self.store, &self.blobs, account, None, &mut filling).await?;
        }
        self.read_touched(account, &mut filling).await?;
        filling.clear_if_due()?;
        // The first content of an index is the base of its statistics.
        open.changed = if is_new { 0 } else { open.changed + taken };
        let payload = CommitPayload {
            position: position.clone(),
            changed: open.changed,
            made_for: open.made_for.clone(),
        };
        let payload = serde_json::to_string(&payload).map_err(|_| SearchFault::Ended)?;
        block_in_place(|| open.index.commit(&payload))?;
        open.tables.set_ahead(false);
        open.position = position;
        open.number = number;
        Ok(open)
    }

    /// Products whose prices for accounts changed, as they are shown now: each that has the id or article number of the
    /// price.
    async fn read_touched(
        &self,
        account: AccountId,
        filling: &mut IndexFollower<'_>,
    ) -> Result<(), SearchFault> {
        if filling.touched.is_empty() {
            return Ok(());
        }
        // The index itself tells them, once it has the changes of this step. These are not visible yet, and a task that
        // opens the index in this state reads the step again.
        let payload = filling.index.payload()?;
        block_in_place(|| filling.index.commit(&payload))?;
        let touched = std::mem::take(&mut filling.touched);
        let named: Vec<String> = block_in_place(|| filling.resolve_keys(touched))?.into_iter().collect();
        for ids in named.chunks(limits::UNIT_ROWS) {
            let ids = ids.to_vec();
            let blobs = self.blobs.clone();
            let reading = self.store.read(move |tx| {
                let mut catalogue = CatalogueView::open(tx, &blobs, account)?;
                let found = ids.iter().map(|id| catalogue.find_by_key(Section::Products, id));
                found.collect::<Result<Vec<_>, CatalogueFault>>()
            });
            let found = reading.await?.into_iter().flatten();
            let seen = found.map(|item| CurrentItem {
                section: Section::Products,
                id: item.id,
                row: Some(item.row),
            });
            follow::Follower::apply_items(filling, seen.collect())?;
        }
        Ok(())
    }

    pub(super) async fn settings(&self, account: AccountId) -> Result<SearchSettings, SearchFault> {
        let settings = self.store.read(move |tx| settings::get(tx, account)).await;
        Ok(settings.map_err(CatalogueFault::from)?)
    }
}

fn tell_unusable(fault: &dyn std::fmt::Display) {
    tracing::warn!(%fault, "a search index cannot be opened; it is made anew");
}
