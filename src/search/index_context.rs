//! Knowledge that all snapshots of a shop's index share: its language and statistics, and structures built from them.

use std::sync::Arc;

use crate::search::autocomplete::Completer;
use crate::search::query::columns::AttributeColumns;
use crate::search::spellcheck::{Corrector, Dictionary};
use crate::search::statistics::{CompoundSplitter, Compounds, FieldCombination, Statistics, Weights};
use crate::search::text::Analyser;

/// Knowledge that a search uses besides the index.
pub struct IndexContext {
    analyser: Arc<Analyser>,
    statistics: Arc<Statistics>,
    weights: [Weights; 2],
    columns: AttributeColumns,
    compounds: Compounds,
    corrector: Corrector,
    completer: Completer,
}

impl IndexContext {
    /// Builds the structures derived from the statistics; takes about a second for a hundred thousand words.
    #[must_use]
    pub fn new(
        analyser: Arc<Analyser>,
        statistics: Arc<Statistics>,
        dictionary: Arc<Dictionary>,
    ) -> Arc<Self> {
        let words = statistics.words();
        let heads = Arc::clone(statistics.heads());
        let splitter = CompoundSplitter::new(Arc::clone(&analyser), Arc::clone(words), heads);
        let compounds = Compounds::new(splitter, Arc::clone(statistics.compounds()));
        let corrector = Corrector::new(Arc::clone(words), Arc::clone(&analyser), dictionary);
        let weights = [FieldCombination::Fields, FieldCombination::Flat];
        let weights =
            weights.map(|how| Weights::new(how, statistics.patterns(), statistics.average_lengths()));
        let columns = AttributeColumns::new(statistics.attributes());
        let completer = Completer::new(Arc::clone(statistics.completion()));
        Arc::new(Self { analyser, statistics, weights, columns, compounds, corrector, completer })
    }

    /// The analyser of the shop's language.
    #[must_use]
    pub const fn analyser(&self) -> &Arc<Analyser> {
        &self.analyser
    }

    /// The statistics of the shop's products.
    #[must_use]
    pub const fn statistics(&self) -> &Arc<Statistics> {
        &self.statistics
    }

    /// Weights of words.
    #[must_use]
    pub const fn weights(&self, weighing: FieldCombination) -> &Weights {
        &self.weights[weighing as usize]
    }

    /// The attributes that have columns.
    #[must_use]
    pub const fn columns(&self) -> &AttributeColumns {
        &self.columns
    }

    /// The compounds of the shop's words, and their parts.
    #[must_use]
    pub const fn compounds(&self) -> &Compounds {
        &self.compounds
    }

    /// Completer of prefixes.
    #[must_use]
    pub const fn completer(&self) -> &Completer {
        &self.completer
    }

    /// Corrects typing errors.
    #[must_use]
    pub const fn corrector(&self) -> &Corrector {
        &self.corrector
    }
}
