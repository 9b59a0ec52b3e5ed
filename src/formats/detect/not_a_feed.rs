//! Files that are sent in the place of a feed.

/// Bytes before the name of the first entry of a zip archive; its length stands at [`ZIP_NAME_LENGTH`].
const ZIP_HEADER_BYTES: usize = 30;
/// Position of the length of that name, two bytes, the lower first.
const ZIP_NAME_LENGTH: usize = 26;
/// Position of the mark of a tar archive.
const TAR_MARK: usize = 257;
/// First entries of the zip archives that are files of Excel or Word.
const OFFICE_ENTRIES: [&str; 5] = ["[Content_Types].xml", "_rels/", "docProps/", "xl/", "word/"];
/// Beginnings of archives and compressed files besides zip.
const ARCHIVES: [&[u8]; 6] =
    [b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"7z\xbc\xaf\x27\x1c", b"Rar!\x1a\x07", b"BZh", b"\xfd7zXZ\x00"];
/// Beginnings of pictures besides WebP.
const IMAGES: [&[u8]; 4] = [b"\x89PNG\r\n", b"\xff\xd8\xff", b"GIF87a", b"GIF89a"];

/// A file that is no feed, by its kind. The sentence says what to send instead and quotes nothing but the name of an
/// XML root.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NotAFeed {
    /// No bytes but white space.
    #[error("the feed is empty; wait until the export has finished, then send it again")]
    Empty,
    /// HTML.
    #[error("this is a web page, not a feed; give the address of the feed itself")]
    WebPage,
    /// HTML with a field for a password.
    #[error(
        "this is a page to sign in, not a feed; give an address that opens without a password, or upload the file"
    )]
    SignInPage,
    /// PDF.
    #[error("this is a PDF; export the products as CSV, XML or JSON")]
    Pdf,
    /// A workbook of Excel, or another file of Microsoft Office.
    #[error("this is an Excel or Office file; save the table as \"CSV UTF-8\" and send that")]
    Excel,
    /// A file of LibreOffice.
    #[error("this is an OpenDocument file; save the table as CSV in UTF-8 and send that")]
    OpenDocument,
    /// An archive, or a compressed file within another.
    #[error("this is an archive; send the feed alone, plain or compressed by gzip or zstd")]
    Archive,
    /// PNG, JPEG, GIF or WebP.
    #[error("this is a picture, not a feed; send the products as CSV, XML or JSON")]
    Image,
    /// A list of addresses for search engines.
    #[error("this is a sitemap, which has addresses but no products; give the address of the product feed")]
    Sitemap,
    /// An answer of a SOAP service.
    #[error("this is a SOAP message, not a feed; export the products as RSS, CSV or JSON")]
    SoapMessage,
    /// XML of another kind.
    #[error(
        "this is XML with the root element \"{root}\", neither RSS nor Atom; send a Google feed, CSV or JSON"
    )]
    OtherXml {
        /// Local name of the root, at most 30 letters and digits.
        root: String,
    },
    /// Markup without any element.
    #[error("this begins like XML but has no root element; send a Google feed, CSV or JSON")]
    XmlWithoutRoot,
    /// JSON that a service answers in the place of products.
    #[error(
        "this is a message of a service, probably an error, and has no products; open the address to read it"
    )]
    JsonMessage,
    /// JSON of another kind.
    #[error("this is JSON without a list of products; send a list of objects, or {{\"Products\": [...]}}")]
    JsonWithoutRows,
    /// Text in one column.
    #[error("this is text with one column; send a table with a heading line and commas, semicolons or tabs")]
    OneColumn,
    /// Bytes that are no text.
    #[error("this is not text; send the products as CSV, XML or JSON in UTF-8")]
    Binary,
}

impl NotAFeed {
    /// The kind of a file that is told by its first bytes; `None` for text and for unknown bytes.
    #[must_use]
    pub fn find_by_signature(first: &[u8]) -> Option<Self> {
        let begins = |mark: &&[u8]| first.starts_with(mark);
        if first.starts_with(b"PK\x03\x04") {
            Some(Self::find_by_zip_entry(first))
        } else if first.starts_with(b"PK\x05\x06")
            || ARCHIVES.iter().any(begins)
            || first.get(TAR_MARK..).is_some_and(|mark| mark.starts_with(b"ustar"))
        {
            Some(Self::Archive)
        } else if first.trim_ascii_start().starts_with(b"%PDF-") {
            Some(Self::Pdf)
        } else if first.starts_with(b"\xd0\xcf\x11\xe0") {
            Some(Self::Excel)
        } else if IMAGES.iter().any(begins) || is_webp(first) {
            Some(Self::Image)
        } else {
            None
        }
    }

    /// The kind of a zip archive, by the name of its first entry. The beginning alone has no directory, by which a
    /// reader of archives would know it.
    fn find_by_zip_entry(first: &[u8]) -> Self {
        let length = match first.get(ZIP_NAME_LENGTH..ZIP_NAME_LENGTH + 2) {
            Some([low, high]) => usize::from(u16::from_le_bytes([*low, *high])),
            _ => 0,
        };
        let named = first.get(ZIP_HEADER_BYTES..).unwrap_or_default();
        let name = named.get(..length).unwrap_or(named);
        let content = named.get(length..).unwrap_or_default();
        let is_office = OFFICE_ENTRIES.iter().any(|entry| name.starts_with(entry.as_bytes()));
        if is_office {
            Self::Excel
        } else if name == b"mimetype" && content.starts_with(b"application/vnd.oasis.opendocument") {
            Self::OpenDocument
        } else {
            Self::Archive
        }
    }
}

fn is_webp(first: &[u8]) -> bool {
    first.starts_with(b"RIFF") && first.get(8..).is_some_and(|kind| kind.starts_with(b"WEBP"))
}
