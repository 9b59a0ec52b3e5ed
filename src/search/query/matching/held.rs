//! How one product holds the words of a query: for people who ask why it is where it is.

use tantivy::DocId;

use super::Way;
use super::list::{List, Weighed};
use crate::search::index::SegmentView;
use crate::search::query::plan::{Alternative, Plan, PlannedWord, Scored};
use crate::search::query::steps::Steps;
use crate::search::statistics::{Field, Statistics, UNIT, Weights};

/// In which way a product holds a word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Form {
    /// It has the word in one of its forms.
    Itself,
    /// It has the word written as one with its neighbour.
    Joined,
    /// It has the word written as two.
    Apart,
    /// It has the number with its unit.
    Measure,
    /// It has what the shop calls a synonym: these words.
    Synonym(String),
}

/// How a product holds a word of a query.
#[derive(Debug, Clone, PartialEq)]
pub struct HeldWord {
    /// The word as it was searched.
    pub word: String,
    /// The way that scores the most.
    pub form: Form,
    /// The fields in which it stands so.
    pub fields: Vec<Field>,
    /// What it scores.
    pub score: f32,
}

/// How a product holds a query.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct HeldQuery {
    /// The words that it holds.
    pub words: Vec<HeldWord>,
    /// The words that it does not hold.
    pub lacking: Vec<String>,
    /// What adds to the score of a product that holds words: function words, numbers with units.
    pub extras: Vec<HeldWord>,
}

/// One product, and what is needed to weigh its words.
pub struct Reading<'s> {
    /// Its segment.
    pub segment: &'s SegmentView,
    /// Its number there.
    pub doc: DocId,
    /// What words count.
    pub weights: &'s Weights,
    /// What is known of the shop's words.
    pub statistics: &'s Statistics,
}

impl Reading<'_> {
    /// How the product holds what a plan looks for.
    ///
    /// # Errors
    ///
    /// If a file of the index cannot be read.
    pub fn held(&self, plan: &Plan) -> tantivy::Result<HeldQuery> {
        let mut held = HeldQuery::default();
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

    fn best_way(&self, word: &PlannedWord) -> tantivy::Result<Option<HeldWord>> {
        let mut best: Option<HeldWord> = None;
        // Of a few hits on a page, each word is looked for at one product.
        let steps = Steps::new(u64::MAX);
        for alternative in &word.alternatives {
            let Some(mut way) = Way::open(alternative, self.segment, &steps)? else { continue };
            way.seek(self.doc, &steps);
            let mut numbers = Vec::new();
            way.push_numbers(self.doc, &mut numbers);
            let Some(score) = way.score(&mut numbers.iter().copied(), &self.weighed()) else { continue };
            let is_better = best.as_ref().is_none_or(|best| score > best.score);
            if is_better {
                let fields = self.fields(numbers.first().copied().unwrap_or_default());
                let form = form_of(alternative, word);
                best = Some(HeldWord { word: word.word.clone(), form, fields, score });
            }
        }
        Ok(best)
    }

    fn extra(&self, extra: &Scored) -> tantivy::Result<Option<HeldWord>> {
        let Some(mut list) = List::open(extra, self.segment)? else { return Ok(None) };
        let number = list.number_at(self.doc);
        let is_unit = extra.term.starts_with(UNIT);
        Ok((number > 0).then(|| HeldWord {
            word: extra.term.trim_start_matches(UNIT).to_owned(),
            form: if is_unit { Form::Measure } else { Form::Itself },
            fields: self.fields(number),
            score: list.score(number, &self.weighed()),
        }))
    }

    fn weighed(&self) -> Weighed<'_> {
        let norms = self.weights.norms(self.segment.facts(self.doc).lengths());
        Weighed { weights: self.weights, norms }
    }

    /// The fields of a pattern with this number.
    fn fields(&self, number: u8) -> Vec<Field> {
        let pattern = usize::from(number)
            .checked_sub(1)
            .and_then(|place| self.statistics.patterns().patterns().get(place));
        let stands = |field: &Field| pattern.is_some_and(|counts| counts[*field as usize] > 0);
        Field::ALL.into_iter().filter(stands).collect()
    }
}

fn form_of(alternative: &Alternative, word: &PlannedWord) -> Form {
    match alternative {
        Alternative::Word(scored) if scored.term.starts_with(UNIT) => Form::Measure,
        Alternative::Word(scored) if scored.term == word.stem => Form::Itself,
        Alternative::Word(_) => Form::Joined,
        Alternative::Pair(..) => Form::Apart,
        Alternative::Synonym(words) => {
            let words: Vec<_> = words.iter().map(|word| word.term.as_str()).collect();
            Form::Synonym(words.join(" "))
        }
    }
}
