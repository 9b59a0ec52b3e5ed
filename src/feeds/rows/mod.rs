//! Rows in their normal form, one file per section.
//!
//! Every function takes a raw row and answers `None` after pushing exactly one bad issue, or its result and perhaps
//! warnings. Names that resemble a documented one are reported for bad rows too.

mod account_prices;
mod brands;
mod categories;
mod children;
mod coerce;
mod contacts;
mod context;
mod deletions;
mod listed_variants;
mod memberships;
mod options;
mod phone;
mod price;
mod price_lists;
mod products;
mod reading;
mod shape;
mod sorted_row;
mod stored_variant;
mod users;
mod variant_changes;
mod variant_effect;
mod variant_rows;
mod variants;

#[cfg(test)]
mod coerce_tests;
#[cfg(test)]
mod listed_variants_tests;
#[cfg(test)]
mod options_tests;
#[cfg(test)]
mod prices_tests;
#[cfg(test)]
mod products_tests;
#[cfg(test)]
mod stored_variant_tests;
#[cfg(test)]
mod variant_changes_tests;
#[cfg(test)]
mod variant_replay_tests;
#[cfg(test)]
mod variants_tests;
#[cfg(test)]
mod variants_texts_tests;

pub use self::account_prices::deleted_account_price;
pub use self::contacts::profile_without_forgotten;
pub use self::deletions::deleted_id;
pub use self::memberships::{CategoryChange, category_change};
pub(super) use self::price::parse_amount;
pub use self::price::{DecimalPrice, PriceFault};
pub use self::users::{UserRow, normalise_user};
pub use self::variant_changes::{ProductVariants, with_variant_changes};
pub use self::variant_effect::{VariantAction, VariantEffect};
pub use self::variant_rows::{VariantChange, VariantRow, deleted_variant, set_variant, supersede_key};

use self::reading::reading;
use super::issue::Issue;
use super::reader::RawRow;
use super::section::Section;

pub use self::context::{ItemKey, NormaliserContext, RowObservations};

/// Appends the normal form of an item of the catalogue to `out`, in the shape of its section. `None`: a bad row, with
/// exactly one bad issue and nothing appended; or a part without items, with neither.
pub fn normalise_item(
    row: &RawRow<'_>,
    context: &NormaliserContext<'_>,
    out: &mut Vec<u8>,
    issues: &mut Vec<Issue>,
) -> Option<ItemKey> {
    let shape = match row.section.section()? {
        Section::Products => return products::normalise_product(row, context, out, issues),
        Section::AccountPrices => return account_prices::normalise_account_price(row, context, out, issues),
        Section::Categories => &categories::SHAPE,
        Section::Brands => &brands::SHAPE,
    };
    reading(row, out, issues, |out, notes| shape.write_item(row, context, out, notes))
}
