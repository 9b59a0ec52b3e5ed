//! Bare loops that answer with tantivy alone, from the very files that the search reads.

use std::path::Path;
use std::sync::Arc;

use lethe::search::index::{IndexFormat, SegmentView, UnsyncedDirectory, schema};
use lethe::search::query::columns;
use lethe::search::text::Analyser;
use serde_json::json;
use tantivy::aggregation::AggregationCollector;
use tantivy::aggregation::agg_req::Aggregations;
use tantivy::collector::{Collector, Count, TopDocs};
use tantivy::query::{BooleanQuery, Query, TermQuery};
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{DocAddress, Index, ReloadPolicy, Searcher, Term};

use super::HITS;

/// Completions of one kind.
const COMPLETIONS: usize = 5;

/// An index, read by tantivy.
pub struct Bare {
    searcher: Searcher,
    segments: Vec<SegmentView>,
    words: Field,
    analyser: Arc<Analyser>,
    facets: Aggregations,
}

impl Bare {
    /// Opens the index in a folder. Words of queries are stemmed by the same analyser: others are not in it.
    pub fn open(folder: &Path, analyser: Arc<Analyser>) -> Self {
        let fields = schema::schema(IndexFormat::Present).1;
        let directory = UnsyncedDirectory::open(folder).expect("a folder");
        let mut index = Index::open(directory).expect("an index");
        schema::plugins(&fields).into_iter().for_each(|plugin| index.register_plugin(plugin));
        let reader = index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into();
        let searcher = reader.map(|reader: tantivy::IndexReader| reader.searcher()).expect("a reader");
        let readers = searcher.segment_readers().iter();
        let segments = readers.map(|reader| SegmentView::open(reader.clone(), &fields).expect("a segment"));
        let segments = segments.collect();
        // The index has no column of prices, as a price depends on the caller; flags are counted instead.
        let counted = [columns::BRAND, columns::CATEGORIES, columns::FLAGS];
        let counted = counted.map(|name| (name.to_owned(), json!({"terms": {"field": name, "size": 200}})));
        let facets = serde_json::from_value(counted.into_iter().collect()).expect("aggregations");
        Self { searcher, segments, words: fields.words, analyser, facets }
    }

    /// The products with all words, by BM25, the shown fields of the first 24 and the number of all; where there are
    /// fewer than 24, those with any word. It does not correct, find measures, compounds and exact names, check
    /// visibility, weigh fields, or rank by coverage and centroid. Returns the bytes of the shown fields.
    pub fn search(&self, query: &str) -> usize {
        let found = |query: &dyn Query| {
            let (best, total) = self.collect(query, &(TopDocs::with_limit(HITS).order_by_score(), Count));
            assert!(total >= best.len(), "what is shown is counted");
            best
        };
        let words = self.analyser.stems(query);
        let mut best = found(&BooleanQuery::intersection(self.terms(&words)));
        if best.len() < HITS && words.len() > 1 {
            best = found(&BooleanQuery::union(self.terms(&words)));
        }
        self.shown(best.iter().map(|(_, place)| *place))
    }

    /// The same, and how many products with all words have which brand, category and flags.
    pub fn search_with_facets(&self, query: &str) -> usize {
        let words = self.analyser.stems(query);
        let counting = AggregationCollector::from_aggs(self.facets.clone(), Default::default());
        let all = BooleanQuery::intersection(self.terms(&words));
        let collectors = (TopDocs::with_limit(HITS).order_by_score(), Count, counting);
        let (mut best, _, facets) = self.collect(&all, &collectors);
        assert_eq!(facets.0.len(), 3, "three facets");
        if best.len() < HITS && words.len() > 1 {
            let any = BooleanQuery::union(self.terms(&words));
            best = self.collect(&any, &(TopDocs::with_limit(HITS).order_by_score(), Count)).0;
        }
        self.shown(best.iter().map(|(_, place)| *place))
    }

    /// The words that begin with the last typed one and are in most products, and five products with the first of
    /// them. It ignores phrases, brands and categories, and the spelling of a word.
    pub fn complete(&self, prefix: &str) -> usize {
        let mut words = self.analyser.words(prefix);
        let Some(last) = words.pop() else { return 0 };
        let mut best: Vec<(u32, String)> = Vec::new();
        for reader in self.searcher.segment_readers() {
            let index = reader.inverted_index(self.words).expect("an index");
            let mut end = last.clone().into_bytes();
            end.push(u8::MAX);
            let range = index.terms().range().ge(last.as_bytes()).lt(&end);
            let mut terms = range.into_stream().expect("terms");
            while let Some((term, found)) = terms.next() {
                let least = best.last().map_or(0, |(least, _)| *least);
                if best.len() < COMPLETIONS || found.doc_freq > least {
                    best.push((found.doc_freq, String::from_utf8_lossy(term).into_owned()));
                    best.sort_unstable_by(|a, b| b.cmp(a));
                    best.truncate(COMPLETIONS);
                }
            }
        }
        let Some((_, first)) = best.first() else { return 0 };
        words.push(first.clone());
        let all = BooleanQuery::intersection(self.terms(&words));
        let found = self.collect(&all, &TopDocs::with_limit(COMPLETIONS).order_by_score());
        best.len() + self.shown(found.iter().map(|(_, place)| *place))
    }

    fn terms(&self, words: &[String]) -> Vec<Box<dyn Query>> {
        let term = |word: &String| Term::from_field_text(self.words, word);
        let query = |word| TermQuery::new(term(word), IndexRecordOption::WithFreqs);
        words.iter().map(|word| Box::new(query(word)) as Box<dyn Query>).collect()
    }

    fn collect<C: Collector>(&self, query: &dyn Query, collector: &C) -> C::Fruit {
        self.searcher.search(query, collector).expect("found")
    }

    fn shown(&self, places: impl Iterator<Item = DocAddress>) -> usize {
        places
            .map(|place| {
                self.segments[place.segment_ord as usize]
                    .display_bytes(place.doc_id)
                    .map(|part| part.len())
                    .iter()
                    .sum::<usize>()
            })
            .sum()
    }
}
