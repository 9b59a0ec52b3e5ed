//! Reports of what shoppers saw, viewed, clicked, searched and bought, without the shoppers. Pure: facts are read
//! elsewhere, one person at a time, and are counted here.
//!
//! A report depends on the stored records and on its days, and on nothing else: after an erasure it is that of a shop
//! where the person has never been. Every number is a sum of whole groups of five people or more.

mod aggregate;
pub mod attribution;
pub mod control_group;
mod csv;
mod fact;
mod groups;
mod k_anonymity;
pub mod query;
mod query_texts;
pub use self::fact::{ReportFact, ReportOrderLine, ReportedAction};

#[cfg(test)]
mod boundary_tests;
#[cfg(test)]
mod control_group_tests;
#[cfg(test)]
mod disclosure_attack;
#[cfg(test)]
mod measure_tests;
#[cfg(test)]
mod product_tests;
#[cfg(test)]
mod tests;

pub use self::aggregate::{ReportCounts, ReportKind};
pub use self::groups::cover_periods;
pub use self::k_anonymity::{MEASURES, Measures, ReportRow, ReportRows, ReportVariant};

static_assertions::assert_not_impl_any!(ReportFact: std::fmt::Debug, std::fmt::Display, serde::Serialize);
static_assertions::assert_not_impl_any!(ReportedAction: std::fmt::Debug, std::fmt::Display, serde::Serialize);
static_assertions::assert_not_impl_any!(ReportOrderLine: std::fmt::Debug, std::fmt::Display, serde::Serialize);
