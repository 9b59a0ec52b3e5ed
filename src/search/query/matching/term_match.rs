//! The match between one product and the words of a query, for explanations of ranks.

use tantivy::DocId;

use super::alternative_cursor::{AddedOccurrences, AlternativeCursor, WayScore};
use super::postings::{ScoringState, WordPostings};
use crate::search::index::SegmentView;
use crate::search::query::plan::{PlannedWord, ScoredTerm, SearchPlan, WordAlternative};
use crate::search::query::work_budget::StepBudget;
use crate::search::statistics::{SearchField, Statistics, UNIT, Weights};
use crate::search::text::{DECIMAL, SIGN};

/// In which way a product holds a word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MatchForm {
    /// It has the word in one of its forms.
    Itself,
    /// It has the word written as one with its neighbour.
    Joined,
    /// It has the word written as two.
    Apart,
    /// It has another form of the word: this one, as the product writes it.
    OtherForm(String),
    /// It has a compound of which the word is a part: this one, if title or description have it.
    Part(Option<String>),
    /// It has the number with its unit.
    Measure,
    /// It has a synonym from the shop's list: these words.
    Synonym(String),
}

/// A word of a query as a product holds it.
#[derive(Debug, Clone, PartialEq)]
pub struct TermMatch {
    /// The word as it was searched.
    pub word: String,
    /// The way that scores the most.
    pub form: MatchForm,
    /// The fields in which it stands so.
    pub fields: Vec<SearchField>,
    /// Its score.
    pub score: f32,
}

/// Words of a query that a product holds, and those that it lacks.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct QueryTermMatch {
    /// The words that it holds.
    pub words: Vec<TermMatch>,
    /// The words that it does not hold.
    pub lacking: Vec<String>,
    /// Terms that add to the score of a product that holds words: function words, numbers with units.
    pub extras: Vec<TermMatch>,
}

/// One product, and the data to weigh its words.
pub struct MatchExplainer<'s> {
    /// Its segment.
    pub segment: &'s SegmentView,
    /// Its number there.
    pub doc: DocId,
    /// Weights of words.
    pub weights: &'s Weights,
    /// Statistics of the shop's words.
    pub statistics: &'s Statistics,
}

impl MatchExplainer<'_> {
    /// Explains how the product holds the words of a plan.
    ///
    /// # Errors
    ///
    /// If a file of the index cannot be read.
    pub fn explain(&self, plan: &SearchPlan) -> tantivy::Result<QueryTermMatch> {
        let mut held = QueryTermMatch::default();
        for word in &plan.words {
            match self.best_way(word)? {
                Some(word) => held.words.push(word),
                None => held.lacking.push(word.word.clone()),
            }
        }
        for extra in &plan.extras {
            held.extras.extend(self.extra(extra)?);
        }
        Ok(held)
    }

    fn best_way(&self, word: &PlannedWord) -> tantivy::Result<Option<TermMatch>> {
        let mut best: Option<TermMatch> = None;
        // For the few hits of a page, each word is looked up in one product.
        let steps = StepBudget::new(u64::MAX);
        let weighed = self.field_weights();
        let mut added = AddedOccurrences::default();
        for (place, mut way) in AlternativeCursor::open_all(word, self.segment, &steps)? {
            way.seek(self.doc, &steps);
            let mut numbers = Vec::new();
            way.push_numbers(self.doc, &mut numbers);
            let Some(WayScore { score, number }) = way.score(&mut numbers.into_iter(), &weighed) else {
                continue;
            };
            added.add(&way, number, &weighed);
            let is_better = best.as_ref().is_none_or(|best| score > best.score);
            if is_better && let Some(alternative) = word.alternatives.get(place) {
                let form = form_of(alternative, word);
                best = Some(TermMatch { word: word.word.clone(), form, fields: self.fields(number), score });
            }
        }
        Ok(best.map(|best| TermMatch { score: best.score.max(added.score()), ..best }))
    }

    fn extra(&self, extra: &ScoredTerm) -> tantivy::Result<Option<TermMatch>> {
        let Some(mut list) = WordPostings::open(extra, self.segment)? else { return Ok(None) };
        let number = list.number_at(self.doc);
        let is_unit = extra.term.starts_with(UNIT);
        Ok((number > 0).then(|| TermMatch {
            word: extra.term.trim_start_matches([UNIT, SIGN]).to_owned(),
            form: if is_unit { MatchForm::Measure } else { MatchForm::Itself },
            fields: self.fields(number),
            score: list.score(number, &self.field_weights()),
        }))
    }

    fn field_weights(&self) -> ScoringState<'_> {
        let norms = self.weights.norms(self.segment.facts(self.doc).lengths());
        ScoringState { weights: self.weights, norms }
    }

    /// The fields of a pattern with this number.
    fn fields(&self, number: u8) -> Vec<SearchField> {
        let pattern = usize::from(number)
            .checked_sub(1)
            .and_then(|place| self.statistics.patterns().patterns().get(place));
        let stands = |field: &SearchField| pattern.is_some_and(|counts| counts[*field as usize] > 0);
        SearchField::ALL.into_iter().filter(stands).collect()
    }
}

fn form_of(alternative: &WordAlternative, word: &PlannedWord) -> MatchForm {
    match alternative {
        WordAlternative::Word(scored) if scored.term.starts_with(UNIT) => MatchForm::Measure,
        WordAlternative::Word(scored) if scored.term == word.stem => MatchForm::Itself,
        WordAlternative::Word(_) => MatchForm::Joined,
        WordAlternative::Pair(..) => MatchForm::Apart,
        WordAlternative::Part(..) | WordAlternative::Ending(_) => MatchForm::Part(None),
        WordAlternative::Synonym(words) => {
            let words: Vec<_> = words.iter().map(|word| word.term.trim_start_matches(DECIMAL)).collect();
            MatchForm::Synonym(words.join(" "))
        }
    }
}
