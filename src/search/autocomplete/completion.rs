//! A completion of what was typed.

/// One completion.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Completion {
    /// Text to show: a query, or a name as the shop writes it.
    pub text: String,
    /// Number of products when the statistics were made; 0 if it was not counted.
    pub products: u32,
    /// The id of the product, category or brand; empty for a query.
    pub id: String,
}

/// The completions of a prefix, each list with the best first.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Completions {
    /// Queries.
    pub queries: Vec<Completion>,
    /// Products: empty here, the index has them.
    pub products: Vec<Completion>,
    /// Categories.
    pub categories: Vec<Completion>,
    /// Brands.
    pub brands: Vec<Completion>,
}
