//! Stems by which a plan finds products.

use crate::search::query::plan::{SearchPlan, WordAlternative};

/// The stems of one way to have a word.
pub(super) fn stems_of_way(way: &WordAlternative) -> Vec<&str> {
    match way {
        WordAlternative::Word(scored)
        | WordAlternative::Part(scored, _)
        | WordAlternative::Ending(scored) => {
            vec![&scored.term]
        }
        WordAlternative::Pair(_, parts) => parts.iter().map(|part| part.term.as_str()).collect(),
        WordAlternative::Synonym(parts) => parts.iter().map(|part| part.term.as_str()).collect(),
    }
}

/// The stems that products are found by, without function words and words of speech; of compounds only the part is
/// meant.
pub(super) fn stems_of(plan: &SearchPlan) -> Vec<String> {
    let ways = plan.words.iter().flat_map(|word| &word.alternatives);
    let ways = ways.filter(|way| !matches!(way, WordAlternative::Part(..) | WordAlternative::Ending(_)));
    ways.flat_map(stems_of_way).map(str::to_owned).collect()
}
