//! Zones of pages: `/api/zones…` sets what stands in them, `filling` finds it out for a page, and `item` writes a
//! product as clients read it; `waiting` adds what is only in the catalogue's rows.

mod content;
pub mod filling;
pub mod item;
pub mod preview;
pub mod set;
mod waiting;
