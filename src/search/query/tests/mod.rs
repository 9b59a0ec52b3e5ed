//! Filters, facets, sorts and highlights, on small indexes in memory.

mod bounds;
mod excerpts;
mod facets;
mod highlight;
mod parse;
mod plan;
mod shop;
mod spans;
mod twin;

use self::shop::Shop;
