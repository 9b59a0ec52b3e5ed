//! The limits of lists that people look at.

/// Lines of the operators' audit log on a page.
pub const ACTS_SHOWN: i64 = 100;
/// Refused requests of an account that are kept in memory: so many from callers with a secret, and as many from
/// callers with the access key alone.
pub const REFUSED_SHOWN: usize = 50;
/// Lists, two per account; the one that was longest without an addition goes.
pub const REFUSED_LISTS: usize = 2_000;
/// Characters of the sentence of one.
pub const REFUSED_SENTENCE_CHARACTERS: usize = 300;
/// Submissions that are looked through for a page of deltas, and for how long deltas took.
pub const DELTAS_LOOKED_THROUGH: i64 = 500;
/// Submissions that are looked through for a page of those of a kind or a state.
pub const SUBMISSIONS_LOOKED_THROUGH: i64 = 5_000;
/// Deltas that wait are counted up to so many.
pub const DELTAS_COUNTED: i64 = 10_000;
/// Submissions in the list of recent ones.
pub const SUBMISSIONS_SHOWN: i64 = 50;
/// Erasures shown on a page.
pub const ERASURES_SHOWN: i64 = 100;
/// Erasures with a reference that are looked through for a page of those that have a certain one.
pub const ERASURES_LOOKED_THROUGH: i64 = 10_000;
/// Characters of a reference that a shop gives to an erasure.
pub const CASE_REFERENCE_CHARS: usize = 64;
/// References of one erasure: of each request that it answers. The oldest goes for a further one.
pub const CASE_REFERENCES_KEPT: usize = 5;
/// Shops of the overview whose products and overdue erasures are counted, which asks the store twice for each; the
/// others have a dash.
pub const OVERVIEW_SHOPS: usize = 100;
