//! The shape of the code and its costs.

pub mod arrows;
pub mod benchmarks;
pub mod costs;
pub mod growth;
pub mod names;
pub mod tidy;
pub mod whole_numbers;
