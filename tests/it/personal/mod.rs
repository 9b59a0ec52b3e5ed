//! Recommendations, zones and reports.

pub mod affinity;
pub mod bad_input;
pub mod counted_once;
pub mod figures;
pub mod product_reports;
pub mod recommend;
pub mod report_days;
pub mod reports;
pub mod zone_kinds;
pub mod zone_titles;
pub mod zones;
