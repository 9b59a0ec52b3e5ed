//! Reason to refuse a feed as a whole, with the byte at which it stopped making sense.

/// The feed cannot be used; no part may be published. No content is quoted.
#[derive(Debug, thiserror::Error)]
pub enum FeedFault {
    /// The sender's text is not a feed.
    #[error("{reason} (at byte {offset})")]
    Malformed {
        /// Reason for the refusal.
        reason: FaultReason,
        /// Offset in the decoded feed, from 0.
        offset: u64,
    },
    /// The source stopped: network, decompression or a limit of the given reader.
    #[error("the feed could not be read beyond byte {offset}")]
    Read {
        /// Offset in the decoded feed, from 0.
        offset: u64,
        /// Error of the reader; not part of the sentence, because it may name an address.
        #[source]
        source: std::io::Error,
    },
    /// A feed of another system breaks off, or breaks the grammar of its format.
    #[error("it was read as a feed of {format}: {sentence}")]
    Foreign {
        /// Name of the format.
        format: &'static str,
        /// Fault and place.
        sentence: String,
        /// True if it ends in its middle.
        is_cut_off: bool,
    },
    /// A file that is no feed.
    #[error("{0}")]
    NotAFeed(String),
    /// The rows of a feed of another system could not be kept on the disk, or read back.
    #[error("the rows of the feed could not be kept on the disk")]
    Spool(#[source] std::io::Error),
}

/// Reason why a feed is malformed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum FaultReason {
    /// No byte but white space.
    #[error("the feed is empty")]
    Empty,
    /// Compressed, UTF-16 or otherwise binary.
    #[error("the feed is not UTF-8 text; send plain UTF-8 JSON, or name its compression in Content-Encoding")]
    NotText,
    /// HTML or XML.
    #[error("a web page or XML document was sent instead of a JSON feed")]
    Markup,
    /// JSON perhaps, but no object.
    #[error("the feed is not a JSON object; it must look like {{\"Products\": [...]}}")]
    NotObject,
    /// The bytes end inside the document.
    #[error("the feed ends before its closing brace; it was cut off")]
    Truncated,
    /// More text after the document.
    #[error("something follows the closing brace of the feed")]
    TrailingText,
    /// A member of the document does not begin with a quoted name.
    #[error("a quoted section name is expected here")]
    NameExpected,
    /// No colon after a name.
    #[error("a colon is missing after a name")]
    ColonMissing,
    /// Two rows or members without a comma between them.
    #[error("a comma is missing between two rows or sections")]
    CommaMissing,
    /// A bracket or a colon where a row or value should begin.
    #[error("a row or value is expected here")]
    ValueExpected,
    /// A section is text, number or boolean.
    #[error("a section must be a list of rows")]
    SectionNotList,
    /// `]` closes `{` or the reverse: the bounds of rows are no longer known.
    #[error("a bracket closes something that was not opened")]
    BracketMismatch,
    /// A text begins or ends in an impossible place: the bounds of rows are no longer known.
    #[error("a quotation mark is out of place; inside a text it must be written \\\"")]
    QuoteMisplaced,
    /// Nesting beyond [`crate::limits::FEED_CUT_DEPTH_LEVELS`].
    #[error("the feed is nested too deeply")]
    TooDeep,
    /// NDJSON: a row above any line that names a section.
    #[error("a row stands above the first line that names a section, such as {{\"Type\":\"Products\"}}")]
    MarkerMissing,
    /// NDJSON: a line that names a section is not JSON, so the rows below it belong nowhere.
    #[error("a line that names a section is broken; it must look like {{\"Type\":\"Products\"}}")]
    MarkerMalformed,
    /// A value outside the sections is not JSON.
    #[error("a value outside the sections is not valid JSON")]
    ValueMalformed,
}

impl FaultReason {
    /// The fault of this reason at a byte of the feed.
    pub(super) const fn at_offset(self, offset: u64) -> FeedFault {
        FeedFault::Malformed { reason: self, offset }
    }
}
