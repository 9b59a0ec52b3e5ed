//! Format of a file by its first bytes; files that are no feed, by their kinds.

use std::io::Read;

use quick_xml::events::Event;

use self::json_outline::{JsonKind, JsonOutline, OutlineMember};
pub use self::not_a_feed::NotAFeed;
use super::mapping::format_rules::normalise_name;
use super::records::decoded_text::DecodedText;
use crate::feeds::feed_format::FeedFormat;
use crate::feeds::fields::misnamed::section_meant;

#[path = "detect/json_outline.rs"]
mod json_outline;
#[path = "detect/not_a_feed.rs"]
mod not_a_feed;

/// Bytes of a file by which its format is told.
pub const BEGINNING_BYTES: usize = 64 * 1024;
/// Bytes of text that may stand before an XML document: warnings of the shop's system.
const PROLOGUE_BYTES: usize = 4 * 1024;
/// Beginnings of XML that are looked for behind such text.
const XML_BEGINNINGS: [&str; 5] = ["<?xml", "<rss", "<feed", "<rdf:RDF", "<RDF"];
/// Elements with which web pages and parts of them begin, besides `<!DOCTYPE html>`.
#[rustfmt::skip]
const HTML_ROOTS: [&str; 24] = [
    "html", "head", "body", "title", "meta", "link", "style", "script", "base", "div", "p",
    "br", "b", "i", "a", "span", "h1",
    "h2", "table", "form", "center", "font", "pre", "noscript",
];
/// Letters of the longest name of a root that is shown.
const ROOT_LETTERS_MAX: usize = 30;
/// Text in which control characters are counted.
const CONTROLS_BYTES: usize = 4 * 1024;
/// In text, at most one letter of so many is a control character.
const LETTERS_PER_CONTROL: usize = 50;
/// Delimiters of tables; the first of those that make the most columns.
const DELIMITERS: [u8; 4] = [b',', b';', b'\t', b'|'];

/// Sections of Lethe's own feed, and the other name of one.
const SECTIONS: [&str; 6] = ["Products", "Categories", "Brands", "Brand", "AccountPrices", "Users"];
/// Sections whose names no other document uses for a text.
const CERTAIN_SECTIONS: [&str; 3] = ["Products", "AccountPrices", "Users"];
/// Members of a row of Lethe's own feed, whose case counts.
const LETHE_NAMES: [&str; 3] = ["Id", "Sku", "Title"];
/// Members of Shopify's products.
const SHOPIFY_NAMES: [&str; 4] = ["body_html", "vendor", "handle", "product_type"];
/// Members of the variants of Shopify's products.
const SHOPIFY_VARIANT_NAMES: [&str; 2] = ["price", "option1"];
/// Members of products in WooCommerce's REST API.
const WOOCOMMERCE_NAMES: [&str; 6] =
    ["permalink", "regular_price", "stock_status", "catalog_visibility", "short_description", "manage_stock"];
/// Names of which a foreign product has this many.
const TELLING_NAMES_MIN: usize = 2;
/// Members of one product, as opposed to a document with a list.
const ROW_NAMES: [&str; 4] = ["id", "sku", "title", "name"];
/// Members of a message.
const MESSAGE_NAMES: [&str; 7] =
    ["error", "errors", "message", "messages", "detail", "error_description", "fault"];

/// A feed's format, and the layout of its bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DetectedFeed {
    /// The format.
    pub format: FeedFormat,
    /// The layout.
    pub layout: FeedLayout,
}

/// Layout of a feed's bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FeedLayout {
    /// Lethe's own JSON or NDJSON, which has a reader of its own.
    Lethe,
    /// XML: RSS or Atom.
    Xml,
    /// A table with a heading line.
    Delimited {
        /// The byte between two fields.
        delimiter: u8,
    },
    /// One JSON value: a list of objects, or an object with one.
    JsonDocument,
    /// JSON objects, one a line.
    JsonLines,
}

/// Detects the format of a file by its first [`BEGINNING_BYTES`], of which `first` may have fewer. They are plain, not
/// compressed, in any usual encoding.
///
/// # Errors
/// [`NotAFeed`] for a file that is no feed. JSON that cannot be read at all is given to Lethe's own reader, which names
/// the place.
pub fn detect_format(first: &[u8]) -> Result<DetectedFeed, NotAFeed> {
    let first = first.get(..BEGINNING_BYTES).unwrap_or(first);
    if let Some(other) = NotAFeed::find_by_signature(first) {
        return Err(other);
    }
    let text = decode_text(first)?;
    let text = text.trim_start_matches(|letter: char| letter.is_whitespace() || letter == '\u{feff}');
    if text.is_empty() {
        return Err(NotAFeed::Empty);
    }
    if is_binary(text) {
        return Err(NotAFeed::Binary);
    }
    match text.as_bytes().first() {
        Some(b'{') => detect_object(text),
        Some(b'[') => detect_list(text),
        Some(b'<') => detect_markup(text),
        _ => detect_other_text(text),
    }
}

fn decode_text(first: &[u8]) -> Result<String, NotAFeed> {
    let mut text = Vec::new();
    let decoded = DecodedText::open(first).and_then(|mut source| source.read_to_end(&mut text));
    decoded.map_err(|_| NotAFeed::Binary)?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

/// Returns true if a text has more control characters than a mishap explains.
fn is_binary(text: &str) -> bool {
    let beginning = || text.chars().take(CONTROLS_BYTES);
    let is_control = |letter: &char| letter.is_control() && !letter.is_whitespace();
    beginning().filter(is_control).count() * LETTERS_PER_CONTROL > beginning().count()
}

fn detect_object(text: &str) -> Result<DetectedFeed, NotAFeed> {
    let outline = JsonOutline::read(text);
    let has = |names: &[&str]| outline.members.iter().any(|member| member.is_named(names));
    // A list of brands is also a part of one product, a text called Products of none.
    let is_row = outline.members.iter().any(|member| member.is_named(&ROW_NAMES) && !member.is_container());
    let is_section = |member: &OutlineMember| {
        member.is_named(&CERTAIN_SECTIONS) || (member.is_named(&SECTIONS) && member.is_container())
    };
    let is_lethe = !is_row && outline.members.iter().any(is_section);
    let is_unreadable = outline.members.is_empty();
    if is_unreadable || announces_lines(&outline.members) {
        return Ok(DetectedFeed { format: FeedFormat::Lethe, layout: FeedLayout::Lethe });
    }
    let is_one_line = !text.trim_end().contains('\n');
    if !is_lethe && (outline.is_lines || (is_row && is_one_line)) {
        let is_shopify = text.contains("gid://shopify/") || text.contains("\"__parentId\"");
        let format = if is_shopify { FeedFormat::Shopify } else { FeedFormat::Ndjson };
        return Ok(DetectedFeed { format, layout: FeedLayout::JsonLines });
    }
    match find_shop_system(&outline) {
        Some(format) => Ok(DetectedFeed { format, layout: FeedLayout::JsonDocument }),
        None if outline.has_rows && !is_row && !is_lethe && holds_near_miss(&outline.members) => {
            Ok(DetectedFeed { format: FeedFormat::Lethe, layout: FeedLayout::Lethe })
        }
        None if outline.has_rows && !is_row && !is_lethe => {
            Ok(DetectedFeed { format: FeedFormat::Json, layout: FeedLayout::JsonDocument })
        }
        None if !is_lethe && has(&MESSAGE_NAMES) => Err(NotAFeed::JsonMessage),
        None if is_row && !is_lethe => Err(NotAFeed::JsonWithoutRows),
        // Lethe's own reader says what is missing.
        None => Ok(DetectedFeed { format: FeedFormat::Lethe, layout: FeedLayout::Lethe }),
    }
}

/// Returns true if a name resembles that of a section: Lethe's own reader tells which one is meant. Lists of any system
/// are called items.
fn holds_near_miss(members: &[OutlineMember]) -> bool {
    members.iter().any(|member| !member.is_named(&["items"]) && section_meant(&member.name).is_some())
}

/// Returns true for the first object of Lethe's own lines.
fn announces_lines(members: &[OutlineMember]) -> bool {
    let is_lines =
        |kind: &JsonKind| matches!(kind, JsonKind::Text(text) if text.eq_ignore_ascii_case("ndjson"));
    members.iter().any(|member| member.is_named(&["FileType"]) && is_lines(&member.kind))
}

fn detect_list(text: &str) -> Result<DetectedFeed, NotAFeed> {
    let outline = JsonOutline::read(text);
    if outline.has_rows {
        let format = find_shop_system(&outline).unwrap_or(FeedFormat::Json);
        return Ok(DetectedFeed { format, layout: FeedLayout::JsonDocument });
    }
    // A name of a column may stand in brackets.
    let table = if outline.is_broken { detect_table(text).ok() } else { None };
    table.ok_or(NotAFeed::JsonWithoutRows)
}

/// The system whose products the rows of a document are.
fn find_shop_system(outline: &JsonOutline) -> Option<FeedFormat> {
    let rows = &outline.row_names;
    if LETHE_NAMES.iter().any(|name| rows.contains(*name)) {
        return None;
    }
    let count = |names: &[&str]| names.iter().filter(|name| rows.contains(**name)).count();
    let has_variants = SHOPIFY_VARIANT_NAMES.iter().any(|name| outline.variant_names.contains(*name));
    if count(&WOOCOMMERCE_NAMES) >= TELLING_NAMES_MIN {
        Some(FeedFormat::WooCommerce)
    } else if count(&SHOPIFY_NAMES) + usize::from(has_variants) >= TELLING_NAMES_MIN {
        Some(FeedFormat::Shopify)
    } else {
        None
    }
}

fn detect_markup(text: &str) -> Result<DetectedFeed, NotAFeed> {
    if is_web_page(text) {
        return Err(name_web_page(text));
    }
    let begin = find_xml(text).unwrap_or(0);
    let document = text.get(begin..).unwrap_or(text);
    let Some(root) = find_root(document) else { return Err(NotAFeed::XmlWithoutRoot) };
    let has_records = || document.contains("item") || document.contains("entry");
    match root.as_str() {
        "rss" | "feed" => Ok(DetectedFeed { format: FeedFormat::Google, layout: FeedLayout::Xml }),
        "RDF" if has_records() => Ok(DetectedFeed { format: FeedFormat::Google, layout: FeedLayout::Xml }),
        "urlset" | "sitemapindex" => Err(NotAFeed::Sitemap),
        "Envelope" => Err(NotAFeed::SoapMessage),
        name if HTML_ROOTS.iter().any(|html| name.eq_ignore_ascii_case(html)) => Err(name_web_page(text)),
        name => {
            let letters = name.chars().filter(char::is_ascii_alphanumeric);
            Err(NotAFeed::OtherXml { root: letters.take(ROOT_LETTERS_MAX).collect() })
        }
    }
}

/// Returns true for a text that says by its first words that it is HTML.
fn is_web_page(text: &str) -> bool {
    let begins = |mark: &str| text.get(..mark.len()).is_some_and(|begun| begun.eq_ignore_ascii_case(mark));
    begins("<!doctype html") || begins("<html")
}

fn name_web_page(text: &str) -> NotAFeed {
    let text = text.to_ascii_lowercase();
    let fields = ["type=\"password\"", "type='password'", "type=password"];
    if fields.iter().any(|field| text.contains(field)) { NotAFeed::SignInPage } else { NotAFeed::WebPage }
}

/// Position at which an XML document begins, also behind other text.
fn find_xml(text: &str) -> Option<usize> {
    let end = (0..=PROLOGUE_BYTES.min(text.len())).rev().find(|end| text.is_char_boundary(*end))?;
    let beginning = text.get(..end)?;
    XML_BEGINNINGS.iter().filter_map(|mark| beginning.find(mark)).min()
}

/// Local name of the first element.
fn find_root(document: &str) -> Option<String> {
    let mut reader = quick_xml::Reader::from_str(document);
    loop {
        match reader.read_event() {
            Ok(Event::Start(root) | Event::Empty(root)) => {
                return Some(root.local_name().as_ref().to_owned());
            }
            Ok(Event::DocType(kind)) if is_html(&kind) => return Some("html".to_owned()),
            Ok(Event::Eof) | Err(_) => return None,
            Ok(_) => {}
        }
    }
}

fn is_html(document_type: &str) -> bool {
    document_type.trim_start().get(..4).is_some_and(|name| name.eq_ignore_ascii_case("html"))
}

/// A table, or XML behind a warning.
fn detect_other_text(text: &str) -> Result<DetectedFeed, NotAFeed> {
    let table = detect_table(text);
    let is_known = matches!(table, Ok(DetectedFeed { format, .. }) if format != FeedFormat::Csv);
    match find_xml(text) {
        Some(begin) if !is_known => detect_markup(text.get(begin..).unwrap_or(text)),
        _ => table,
    }
}

fn detect_table(text: &str) -> Result<DetectedFeed, NotAFeed> {
    let mut widest = Heading { delimiter: b',', names: Vec::new() };
    for delimiter in DELIMITERS {
        let heading = Heading::read(skip_separator_line(text), delimiter);
        if heading.names.len() > widest.names.len() {
            widest = heading;
        }
    }
    if widest.names.len() < 2 {
        return Err(NotAFeed::OneColumn);
    }
    let layout = FeedLayout::Delimited { delimiter: widest.delimiter };
    Ok(DetectedFeed { format: widest.find_format(), layout })
}

/// The text without Excel's line `sep=;`.
fn skip_separator_line(text: &str) -> &str {
    let is_separator = |line: &str| line.trim_end().len() == 5 && line.starts_with("sep=");
    text.split_once('\n').filter(|(line, _)| is_separator(line)).map_or(text, |(_, rest)| rest)
}

/// The heading line of a table.
struct Heading {
    delimiter: u8,
    /// Names of the columns, as [`normalise_name`] writes them.
    names: Vec<String>,
}

impl Heading {
    fn read(text: &str, delimiter: u8) -> Self {
        let mut lines =
            csv::ReaderBuilder::new().delimiter(delimiter).has_headers(false).from_reader(text.as_bytes());
        let line = lines.records().next().and_then(Result::ok).unwrap_or_default();
        let names = line.iter().map(|name| normalise_name(name.trim().trim_start_matches("g:")));
        Self { delimiter, names: names.collect() }
    }

    fn has(&self, name: &str) -> bool {
        self.names.iter().any(|known| known == name)
    }

    fn find_format(&self) -> FeedFormat {
        let has_all = |names: &[&str]| names.iter().all(|name| self.has(name));
        let has_any = |names: &[&str]| names.iter().any(|name| self.has(name));
        if self.has("handle") && has_any(&["variantprice", "option1name", "bodyhtml"]) {
            FeedFormat::Shopify
        } else if has_all(&["type", "sku", "name", "regularprice"]) {
            FeedFormat::WooCommerce
        } else if self.has("sku")
            && (has_all(&["producttype", "attributesetcode"])
                || has_any(&["attributeset", "configurablevariations", "additionalattributes"]))
        {
            FeedFormat::Magento
        } else if has_all(&["id", "title", "link"]) && has_any(&["price", "imagelink", "availability"]) {
            FeedFormat::Google
        } else {
            FeedFormat::Csv
        }
    }
}

#[cfg(test)]
#[path = "detect_tests.rs"]
mod tests;
