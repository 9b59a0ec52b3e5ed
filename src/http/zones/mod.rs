//! Zones of pages: `/api/zones…` sets their content, `filling` finds it for a page, and `item` writes a product as
//! clients read it; `waiting` adds the parts that are only in the catalogue's rows.

mod content;
pub mod filling;
pub mod item;
pub mod preview;
pub mod set;
mod waiting;
