//! Documents and packages against the program.

pub mod container;
pub mod debian_package;
pub mod error_pages;
pub mod issues_page;
pub mod letter_languages;
pub mod readme;
