//! Zones of pages: `/api/zones…` sets what stands in them, `filling` finds it out for a page, and `item` writes a
//! product as clients read it.

pub mod filling;
pub mod item;
pub mod preview;
pub mod set;
