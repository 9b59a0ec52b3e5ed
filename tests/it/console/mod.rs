//! The console, over HTTP as a browser goes.

pub mod attacks;
pub mod backups;
pub mod campaigns;
pub mod dashboard;
pub mod deltas;
pub mod edges;
pub mod failing_operations;
pub mod feed_file;
pub mod imports;
pub mod limits_and_links;
pub mod merchandising;
pub mod page_weight;
pub mod pages;
pub mod references;
pub mod rule_editor;
pub mod shown_pages;
pub mod synonyms;
pub mod two_factor;
pub mod unrecorded_acts;
pub mod variants;
pub mod word_forms;
