//! Filters, facets, sorts and highlights, on small indexes in memory.

mod facets;
mod highlight;
mod parse;
mod shop;
mod twin;

use self::shop::Shop;
