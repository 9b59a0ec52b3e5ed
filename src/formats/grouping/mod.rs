//! Rows of one product brought together: `row_spool` collects them on the disk, sealed, wherever they stand in the
//! file; `merge` makes one product of them, or several where the group is a category in disguise; `product_json` writes
//! it.

pub mod merge;
pub mod product_json;
pub mod row_spool;
pub mod shared_title;
