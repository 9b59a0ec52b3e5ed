//! The limits of feeds of other systems, while they are read as Lethe's own rows.

/// Most columns of one feed, or different names of elements and members: tables of a shop have hundreds. Names of the
/// greatest length still fit in the memory of an import.
pub const FEED_COLUMNS: usize = 10_000;
/// Longest name of a column; longer ones are told by their beginnings.
pub const FEED_COLUMN_NAME_BYTES: usize = 1024;
/// Most rows that become one product; more can be no variants of one product. Rows of pictures count too.
pub const FEED_GROUP_ROWS: usize = 3_000;
/// Most bytes of these rows: they are held in memory together. The row of a product may have half as many.
pub const FEED_GROUP_BYTES: usize = 8 << 20;
/// Most categories, and most brands, that the texts of one feed become: a shop has thousands. Their rows wait in memory
/// until the products are read.
pub const FEED_DERIVED_ITEMS: usize = 100_000;
/// Most levels of a path of categories, each of which becomes a category: the taxonomy of Google has seven.
pub const FEED_CATEGORY_LEVELS: usize = 20;
/// Largest mapping of columns, in bytes of JSON: one of 1,000 columns with usual names has about 40,000.
pub const FEED_MAPPING_BYTES: usize = 64 * 1024;
/// Most columns that a mapping names; each value of a feed looks for its column among them.
pub const FEED_MAPPING_COLUMNS: usize = 1_000;
/// Longest name of a column in a mapping: sentences quote it, and headings of tables are shorter.
pub const FEED_MAPPING_NAME_BYTES: usize = 200;
