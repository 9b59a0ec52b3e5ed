//! The search itself: a query over a snapshot of the index.

mod answer;
mod explain;
mod explain_variant;
mod filtered;
mod form_names;
mod lookup;
mod pipeline;
mod places;
mod plan_stems;
mod query_words;
mod relations;
mod result_stats;
mod rule_effects;
mod search_query;
mod searches;
mod similar;
mod sku_lookup;
#[cfg(test)]
mod tests;
mod typed_number;
mod variant_choice;
mod variant_groups;
mod word_forms;

pub use self::search_query::{SearchPolicy, SearchQuery};

pub use self::answer::{Highlight, ProductResult, RankExplanation, SearchResult, Truncation};
pub use self::explain::{NotFoundReason, SearchExplanation};
pub use self::explain_variant::VariantExplanation;
pub use self::lookup::ProductConstraints;
pub use self::relations::{Diversity, DiversityLimiter, GroupKind, ProductGroups};
pub use self::result_stats::{MistypedHit, SearchSample};
pub use self::variant_choice::VariantResult;
pub use self::word_forms::WordForm;
