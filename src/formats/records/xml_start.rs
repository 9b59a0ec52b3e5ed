//! Beginnings of XML that is read as a feed: its root and its records, found in bytes that are no XML yet.

/// Beginnings of a feed in XML, after the `<`.
const XML_ROOTS: [&[u8]; 6] = [b"?xml", b"rss", b"feed", b"rdf:RDF", b"RDF", b"atom:feed"];

/// Offset at which an XML document begins: its declaration or root, after warnings of the shop's system.
pub(super) fn find_xml_start(window: &[u8]) -> usize {
    let blank = window.len() - window.trim_ascii_start().len();
    let text = window.get(blank..).unwrap_or_default();
    if text.starts_with(b"<?") || text.starts_with(b"<!") {
        return blank;
    }
    // A root of another name begins with the first tag; its records come before any of the known beginnings.
    let mut first = None;
    for at in memchr::memchr_iter(b'<', window) {
        first = first.or(Some(at));
        let name = read_tag_name(window, at);
        if XML_ROOTS.contains(&name) || name.eq_ignore_ascii_case(b"!doctype") {
            return at;
        }
        if is_xml_record(name) {
            break;
        }
    }
    first.unwrap_or(blank)
}

/// True if the root or a record of a feed begins in `window`.
pub(super) fn has_xml_feed(window: &[u8]) -> bool {
    let mut names = memchr::memchr_iter(b'<', window).map(|at| read_tag_name(window, at));
    names.any(|name| XML_ROOTS.contains(&name) || is_xml_record(name))
}

/// True for the local name of a record's element.
pub(super) fn is_xml_record(local_name: &[u8]) -> bool {
    local_name == b"item" || local_name == b"entry"
}

/// Name of the tag whose `<` is at `at`; empty for one of more than ten bytes.
fn read_tag_name(window: &[u8], at: usize) -> &[u8] {
    let tag = window.get(at + 1..).unwrap_or_default();
    let tag = tag.get(..11).unwrap_or(tag);
    let end = tag.iter().position(|byte| byte.is_ascii_whitespace() || matches!(byte, b'>' | b'/'));
    end.and_then(|end| tag.get(..end)).unwrap_or_default()
}
