//! Zones of pages: `/api/zones…` sets what stands in them, `filling` finds it out for a page, and `item` writes a
//! product as clients read it; `waiting` adds what is only in the catalogue's rows.

pub mod campaigns;
mod content;
pub mod fill;
pub mod item;
mod pending_rows;
pub mod preview;
