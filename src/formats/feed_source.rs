//! A feed of any format, opened: Lethe's own is read as it is, any other is converted.

use std::io::{Cursor, Read};

use super::conversion_options::ConversionOptions;
use super::converted::ConvertedFeed;
use super::detect::{BEGINNING_BYTES, DetectedFeed, FeedLayout, detect_format};
use crate::blobs::Blobs;
use crate::feeds::feed_format::FeedFormat;
use crate::feeds::{FeedFault, FeedPiece, FeedReader};

/// Reader of one feed.
pub enum OpenedFeed<'a> {
    /// Lethe's own JSON or NDJSON.
    Lethe(Box<FeedReader<Box<dyn Read + 'a>>>),
    /// Any other format.
    Converted(Box<ConvertedFeed<'a>>),
}

impl<'a> OpenedFeed<'a> {
    /// Opens a feed by its first bytes; a conversion keeps rows in files of `blobs`.
    ///
    /// # Errors
    /// [`FeedFault`] when the source cannot be read, or is no feed: the sentence says what it is.
    pub fn open(
        mut source: impl Read + 'a,
        blobs: &Blobs,
        options: &ConversionOptions<'a>,
    ) -> Result<Self, FeedFault> {
        let mut first = Vec::with_capacity(BEGINNING_BYTES);
        let beginning = source.by_ref().take(BEGINNING_BYTES as u64).read_to_end(&mut first);
        beginning.map_err(|source| FeedFault::Read { offset: first.len() as u64, source })?;
        // Lethe's own reader says that it is empty.
        let is_empty = first.trim_ascii().is_empty();
        let lethe = DetectedFeed { format: FeedFormat::Lethe, layout: FeedLayout::Lethe };
        let detected = if is_empty { lethe } else { detect(&first, options.format)? };
        let source: Box<dyn Read + 'a> = Box::new(Cursor::new(first).chain(source));
        if detected.layout == FeedLayout::Lethe {
            return Ok(Self::Lethe(Box::new(FeedReader::new(source))));
        }
        ConvertedFeed::open(source, detected, blobs, options).map(|feed| Self::Converted(Box::new(feed)))
    }

    /// The next piece; `None` once the feed has ended well.
    ///
    /// # Errors
    /// When the feed is no feed of its format, also at each further call; or when the source cannot be read.
    pub fn next_piece(&mut self) -> Result<Option<FeedPiece<'_>>, FeedFault> {
        match self {
            Self::Lethe(feed) => feed.next_piece(),
            Self::Converted(feed) => feed.next_piece(),
        }
    }

    /// Format of the feed.
    #[must_use]
    pub fn format(&self) -> FeedFormat {
        match self {
            Self::Lethe(_) => FeedFormat::Lethe,
            Self::Converted(feed) => feed.format(),
        }
    }
}

/// Format and layout of a feed that begins so; `named` is the format that its sender named.
///
/// # Errors
/// [`FeedFault::NotAFeed`] when it begins as no feed does, or as one of another format than `named`.
pub fn detect(first: &[u8], named: Option<FeedFormat>) -> Result<DetectedFeed, FeedFault> {
    if named == Some(FeedFormat::Lethe) {
        return Ok(DetectedFeed { format: FeedFormat::Lethe, layout: FeedLayout::Lethe });
    }
    let detected = detect_format(first).map_err(|what| FeedFault::NotAFeed(what.to_string()))?;
    let Some(named) = named.filter(|named| *named != detected.format) else { return Ok(detected) };
    let layout = match (named, detected.layout) {
        (FeedFormat::Ndjson, FeedLayout::Lethe) => FeedLayout::JsonLines,
        (_, FeedLayout::Lethe) => FeedLayout::JsonDocument,
        (_, layout) => layout,
    };
    if !is_layout_of(named, layout) {
        let sentence = format!(
            "it was announced as a feed of {}, but begins as one of {}; name no format, or the right one",
            named.title(),
            detected.format.title()
        );
        return Err(FeedFault::NotAFeed(sentence));
    }
    Ok(DetectedFeed { format: named, layout })
}

/// Returns true if feeds of a format come in a layout.
const fn is_layout_of(format: FeedFormat, layout: FeedLayout) -> bool {
    match format {
        FeedFormat::Lethe => matches!(layout, FeedLayout::Lethe),
        FeedFormat::Google => matches!(layout, FeedLayout::Xml | FeedLayout::Delimited { .. }),
        FeedFormat::Shopify | FeedFormat::WooCommerce => {
            !matches!(layout, FeedLayout::Lethe | FeedLayout::Xml)
        }
        FeedFormat::Magento | FeedFormat::Csv => matches!(layout, FeedLayout::Delimited { .. }),
        FeedFormat::Json => matches!(layout, FeedLayout::JsonDocument),
        FeedFormat::Ndjson => matches!(layout, FeedLayout::JsonLines),
    }
}
