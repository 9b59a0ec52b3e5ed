//! Settings by which a feed is read.

use super::mapping::context::MappingContext;
use super::mapping::shop_mapping::ShopMapping;
use crate::feeds::feed_format::FeedFormat;

/// Settings by which a shop's feed is read.
#[derive(Clone, Copy, Default)]
pub struct ConversionOptions<'a> {
    /// Format that the sender named; `None` to tell it by the content.
    pub format: Option<FeedFormat>,
    /// The shop's own mapping of tables and JSON; `None` to guess it.
    pub mapping: Option<&'a ShopMapping>,
    /// Habits of the shop's country.
    pub context: MappingContext<'a>,
}
