//! The pages, a file each: what an address shows, and what its forms do.

pub mod audit_log;
pub mod backup_run;
pub mod backups;
pub mod catalogue;
pub mod deltas;
pub mod erasures;
pub mod help;
pub mod help_topics;
pub mod import_actions;
pub mod import_issues;
pub mod import_record;
pub mod imports;
pub mod operators;
pub mod overview;
pub mod own_account;
pub mod people;
pub mod places;
pub mod recent_errors;
pub mod recommendations;
pub mod reports;
pub mod rules;
pub mod search;
pub mod settings;
pub mod versioned_lists;
pub mod zones;
