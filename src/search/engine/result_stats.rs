//! The hits of a search as numbers, for callers that compare them with other lists of products.

use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, HashMap};

use tantivy::DocId;

use super::answer::SearchResult;
use super::pipeline::PreparedSearch;
use super::plan_stems::stems_of_way;
use super::search_query::SearchQuery;
use crate::search::index::IndexFault;
use crate::search::index::snapshot::IndexSnapshot;
use crate::search::pricing::BuyerContext;
use crate::search::query::plan::PlannedWord;

/// Result of a search, as numbers of products.
#[derive(Debug)]
pub struct SearchSample {
    /// All hits of each segment, rising.
    pub hits: Vec<Vec<DocId>>,
    /// Those of the page: segment and product, best first.
    pub page: Vec<(usize, DocId)>,
    /// Number of further products it would find with mistyped words corrected.
    pub coming: usize,
}

/// The place of a product with a mistyped word, and the stem of the word that may be meant.
pub type MistypedHit = ((usize, DocId), String);

impl IndexSnapshot {
    /// Searches. `request` was checked, and neither filters nor counts.
    ///
    /// # Errors
    ///
    /// If a file of the index cannot be read.
    pub fn sample_search(
        &self,
        request: &SearchQuery,
        caller: &BuyerContext,
        mistyped: &[MistypedHit],
    ) -> Result<SearchSample, IndexFault> {
        let prepared = self.prepare(request, caller)?;
        let search = self.search_of(request, &prepared);
        let matches = search.matches(None)?;
        let hits: Vec<Vec<_>> =
            matches.hits.iter().map(|hits| hits.iter().map(|hit| hit.doc).collect()).collect();
        let page = self.page(request, &prepared, &search, &mut SearchResult::default())?;
        // Products after the matches are no hits.
        let page = page.iter().take(request.size).filter(|found| found.tier.is_match());
        let page = page.map(|found| (found.segment, found.hit.doc)).collect();
        let coming = self.coming(&prepared, &hits, mistyped)?;
        Ok(SearchSample { hits, page, coming })
    }

    /// Number of further products that a search finds with mistyped words corrected: the caller sees them, no rule
    /// leaves them out, and they hold all the other words.
    fn coming(
        &self,
        prepared: &PreparedSearch<'_>,
        hits: &[Vec<DocId>],
        mistyped: &[MistypedHit],
    ) -> Result<usize, IndexFault> {
        let mut coming = BTreeSet::new();
        let mut lists = PostingsCache { snapshot: self, lists: HashMap::new() };
        let words = &prepared.plan.words;
        for (place, meant) in mistyped {
            let is_meant = |word: &PlannedWord| {
                word.alternatives.iter().flat_map(stems_of_way).any(|stem| stem == meant)
            };
            let (number, doc) = *place;
            let segment = &self.segments[number];
            let is_hit = hits[number].binary_search(&doc).is_ok();
            if is_hit || !words.iter().any(is_meant) || !segment.is_seen(doc, &prepared.caller) {
                continue;
            }
            let mut comes = !prepared.ruled.ruling.is_out(number, segment, doc, &prepared.caller);
            for word in words.iter().filter(|word| !is_meant(word) && word.share > 0.0) {
                comes = comes && lists.contains_word(*place, word)?;
            }
            if comes {
                coming.insert(*place);
            }
        }
        Ok(coming.len())
    }

    /// The id of the product of a place: segment and number.
    #[must_use]
    pub fn id_at(&self, (segment, doc): (usize, DocId)) -> &str {
        self.segments[segment].id(doc)
    }

    /// The title of the product of a place.
    #[must_use]
    pub fn title_at(&self, (segment, doc): (usize, DocId)) -> String {
        let [card, _] = self.segments[segment].display_bytes(doc);
        super::answer::title_of(&card).unwrap_or_default()
    }
}

/// The products that have a stem, by segment and stem: each list is read once.
struct PostingsCache<'s> {
    snapshot: &'s IndexSnapshot,
    lists: HashMap<(usize, String), Vec<DocId>>,
}

impl PostingsCache<'_> {
    /// Returns true if a product holds a word in any of the ways in which a search takes it.
    fn contains_word(
        &mut self,
        (number, doc): (usize, DocId),
        word: &PlannedWord,
    ) -> Result<bool, IndexFault> {
        for way in &word.alternatives {
            let mut holds = true;
            for stem in stems_of_way(way) {
                let list = match self.lists.entry((number, stem.to_owned())) {
                    Entry::Occupied(known) => known.into_mut(),
                    Entry::Vacant(new) => new.insert(self.snapshot.segments[number].with_word(stem)?),
                };
                holds &= list.binary_search(&doc).is_ok();
            }
            if holds {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
