//! Cursor over the documents of one alternative of a word.

use tantivy::{DocId, DocSet, TERMINATED};

use super::postings::{ScoringState, WordPostings};
use crate::search::index::SegmentView;
use crate::search::query::plan::{PlannedWord, WordAlternative};
use crate::search::query::work_budget::StepBudget;
use crate::search::statistics::saturate;

/// One way to hold a word: by itself, as two words side by side that score together, as a part of a compound, or as a
/// synonym of one or several words.
pub(super) struct AlternativeCursor {
    pub(super) list: WordPostings,
    /// Further lists that score if the list has a product: the two words, or the other words of a synonym.
    with: Vec<WordPostings>,
    /// A product has to hold the other words too.
    pub(super) is_synonym: bool,
    /// Its occurrences add up with those of other ways.
    pub(super) adds_up: bool,
    /// No more products are looked for, because no steps are left.
    is_ended: bool,
}

/// Score of a product that holds a word in one way.
#[derive(Debug, Clone, Copy)]
pub(super) struct WayScore {
    pub(super) score: f32,
    /// The number of the pattern of the first list.
    pub(super) number: u8,
}

/// Occurrences of a word in a product, by itself and in compounds: they add up before they are saturated.
#[derive(Debug, Default)]
pub(super) struct AddedOccurrences {
    factor: f32,
    sum: f32,
}

impl AddedOccurrences {
    /// Adds those of a way in which the product holds the word.
    #[inline]
    pub(super) fn add(&mut self, way: &AlternativeCursor, number: u8, weighed: &ScoringState<'_>) {
        if way.adds_up {
            self.factor = way.list.factor;
            self.sum += way.list.occurrences(number, weighed);
        }
    }

    /// Their score; 0 without any.
    #[inline]
    pub(super) fn score(&self) -> f32 {
        self.factor * saturate(self.sum)
    }
}

impl AlternativeCursor {
    /// The ways to hold a word that some product uses, each with its place among those of the plan.
    pub(super) fn open_all(
        word: &PlannedWord,
        segment: &SegmentView,
        steps: &StepBudget,
    ) -> tantivy::Result<Vec<(usize, Self)>> {
        let mut ways = Vec::with_capacity(word.alternatives.len());
        for (place, alternative) in word.alternatives.iter().enumerate() {
            if let Some(mut way) = Self::open(alternative, segment, steps)? {
                way.adds_up = word.adds_up(place);
                ways.push((place, way));
            }
        }
        Ok(ways)
    }

    /// `None` if no product holds it.
    fn open(
        alternative: &WordAlternative,
        segment: &SegmentView,
        steps: &StepBudget,
    ) -> tantivy::Result<Option<Self>> {
        Ok(match alternative {
            WordAlternative::Word(scored) | WordAlternative::Ending(scored) => {
                let list = WordPostings::open(scored, segment)?;
                list.map(|list| Self::new(list, Vec::new()))
            }
            WordAlternative::Part(scored, worth) => {
                let list = WordPostings::open_part(scored, *worth, segment)?;
                list.map(|list| Self::new(list, Vec::new()))
            }
            WordAlternative::Pair(term, [left, right]) => match segment.postings(term)? {
                None => None,
                Some(postings) => {
                    let parts = [WordPostings::open(left, segment)?, WordPostings::open(right, segment)?];
                    let with = parts.into_iter().flatten().collect();
                    Some(Self::new(WordPostings { postings, factor: 0.0, worth: 1.0 }, with))
                }
            },
            WordAlternative::Synonym(words) => {
                let lists = words.iter().map(|word| WordPostings::open(word, segment));
                let lists = lists.collect::<tantivy::Result<Option<Vec<_>>>>()?;
                lists.and_then(|lists| Self::synonym(lists, steps))
            }
        })
    }

    const fn new(list: WordPostings, with: Vec<WordPostings>) -> Self {
        Self { list, with, is_synonym: false, adds_up: false, is_ended: false }
    }

    fn synonym(mut lists: Vec<WordPostings>, steps: &StepBudget) -> Option<Self> {
        if lists.is_empty() {
            return None;
        }
        let mut way = Self { is_synonym: true, ..Self::new(lists.remove(0), lists) };
        way.align(steps);
        Some(way)
    }

    #[inline]
    pub(super) fn doc(&self) -> DocId {
        if self.is_ended { TERMINATED } else { self.list.postings.doc() }
    }

    #[inline]
    pub(super) fn advance(&mut self, steps: &StepBudget) {
        self.list.postings.advance();
        self.align(steps);
    }

    #[inline]
    pub(super) fn seek(&mut self, target: DocId, steps: &StepBudget) {
        if self.doc() < target {
            self.list.postings.seek(target);
            self.align(steps);
        }
    }

    /// Goes on to the first product that also holds the other words of a synonym.
    #[inline]
    fn align(&mut self, steps: &StepBudget) {
        if !self.is_synonym || self.with.is_empty() {
            return;
        }
        let mut doc = self.doc();
        'products: while doc != TERMINATED {
            steps.spend(1 + self.with.len());
            if steps.is_spent() {
                self.is_ended = true;
                return;
            }
            for other in &mut self.with {
                let found = other.seek(doc);
                if found != doc {
                    doc = self.list.postings.seek(found);
                    continue 'products;
                }
            }
            return;
        }
    }

    /// The numbers of all patterns by which the product is scored, as [`AlternativeCursor::score`] reads them.
    #[inline]
    pub(super) fn push_numbers(&mut self, doc: DocId, numbers: &mut Vec<u8>) {
        let number = self.list.number_if_at(doc);
        numbers.push(number);
        let with = self.with.iter_mut();
        numbers.extend(with.map(|other| if number == 0 { 0 } else { other.number_at(doc) }));
    }

    /// Score of a product with these numbers; `None` if it does not hold the word in this way.
    #[inline]
    pub(super) fn score(
        &self,
        numbers: &mut impl Iterator<Item = u8>,
        weighed: &ScoringState<'_>,
    ) -> Option<WayScore> {
        let number = numbers.next().unwrap_or(0);
        let mut score = self.list.score(number, weighed);
        for other in &self.with {
            score += other.score(numbers.next().unwrap_or(0), weighed);
        }
        (number > 0).then_some(WayScore { score, number })
    }
}
