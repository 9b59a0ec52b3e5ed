//! Zones of pages: `/api/zones…` sets their content, `fill` finds it for a page, and `item` writes a product as
//! clients read it; `pending_rows` adds the parts that are only in the catalogue's rows.

pub mod campaigns;
mod content;
pub mod fill;
pub mod filler;
pub mod item;
mod pending_rows;
pub mod preview;
