//! The OpenAPI document, its page, and the pages that explain errors and row issues.

pub mod base;
pub mod docs_page;
pub mod document;
pub mod error_pages;
pub mod page_frame;
pub mod schemas;
