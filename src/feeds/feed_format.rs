//! Names of the formats that a feed may have.

/// Format of a feed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub enum FeedFormat {
    /// Lethe's own JSON or NDJSON.
    Lethe,
    /// Google Merchant Center: RSS 2.0, Atom, TSV or CSV.
    Google,
    /// Shopify: CSV export, `products.json` or lines of a bulk operation.
    Shopify,
    /// WooCommerce: CSV export or JSON of its REST API.
    WooCommerce,
    /// Magento: CSV export of products.
    Magento,
    /// A table with columns of the shop's own, by a mapping.
    Csv,
    /// A list of JSON objects, by a mapping.
    Json,
    /// JSON objects, one a line, by a mapping.
    Ndjson,
}

impl FeedFormat {
    /// Every format.
    pub const ALL: [Self; 8] = [
        Self::Lethe,
        Self::Google,
        Self::Shopify,
        Self::WooCommerce,
        Self::Magento,
        Self::Csv,
        Self::Json,
        Self::Ndjson,
    ];

    /// The name in requests, answers and the store.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Lethe => "lethe",
            Self::Google => "google",
            Self::Shopify => "shopify",
            Self::WooCommerce => "woocommerce",
            Self::Magento => "magento",
            Self::Csv => "csv",
            Self::Json => "json",
            Self::Ndjson => "ndjson",
        }
    }

    /// The name for people.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::Lethe => "Lethe",
            Self::Google => "Google Merchant Center",
            Self::Shopify => "Shopify",
            Self::WooCommerce => "WooCommerce",
            Self::Magento => "Magento",
            Self::Csv => "CSV",
            Self::Json => "JSON",
            Self::Ndjson => "NDJSON",
        }
    }

    /// Reads [`FeedFormat::as_str`] in any case; `None` for any other text.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.as_str().eq_ignore_ascii_case(text.trim()))
    }
}
