//! Markup that can only be seen in a page: a merchandiser may set it without an owner. It is defined by an allowlist in
//! plain spelling, not by known dangers: text that a browser might read otherwise is refused.

/// Allowed elements: content and links.
const ELEMENTS: [&str; 37] = [
    "a",
    "abbr",
    "article",
    "b",
    "blockquote",
    "br",
    "code",
    "dd",
    "div",
    "dl",
    "dt",
    "em",
    "figcaption",
    "figure",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "hr",
    "i",
    "img",
    "li",
    "ol",
    "p",
    "picture",
    "s",
    "section",
    "small",
    "source",
    "span",
    "strong",
    "sub",
    "sup",
    "u",
    "ul",
];
/// Allowed attributes of style and meaning.
const ATTRIBUTES: [&str; 18] = [
    "alt", "class", "colspan", "dir", "height", "hidden", "lang", "loading", "media", "rel", "role",
    "rowspan", "sizes", "srcset", "target", "title", "type", "width",
];
/// Allowed attributes that hold an address.
const ADDRESSES: [&str; 2] = ["href", "src"];
/// Allowed beginnings of addresses.
const BEGINNINGS: [&str; 6] = ["https://", "http://", "/", "#", "?", "mailto:"];

/// Returns true if a text of HTML is plain: text, and elements of `ELEMENTS` whose attributes are allowed and stand in
/// double quotes.
#[must_use]
pub fn is_plain(html: &str) -> bool {
    let mut parts = html.split('<');
    // Before the first element.
    parts.next();
    parts.all(|part| part.split_once('>').is_some_and(|(tag, _)| is_plain_tag(tag)))
}

fn is_plain_tag(tag: &str) -> bool {
    let (is_end, tag) = tag.strip_prefix('/').map_or((false, tag), |tag| (true, tag));
    let tag = tag.strip_suffix('/').unwrap_or(tag);
    let end = tag.find(|letter: char| !letter.is_ascii_alphanumeric()).unwrap_or(tag.len());
    let (name, attributes) = tag.split_at(end);
    let is_known = ELEMENTS.iter().any(|element| element.eq_ignore_ascii_case(name));
    is_known && if is_end { attributes.trim_ascii().is_empty() } else { are_plain(attributes) }
}

/// Returns true if each attribute is an allowed ` name="value"`.
fn are_plain(mut rest: &str) -> bool {
    loop {
        let trimmed = rest.trim_ascii_start();
        if trimmed.is_empty() {
            return true;
        }
        let Some((name, behind)) = trimmed.split_once("=\"") else { return false };
        let Some((value, behind)) = behind.split_once('"') else { return false };
        if trimmed.len() == rest.len() || !is_plain_attribute(&name.to_ascii_lowercase(), value) {
            return false;
        }
        rest = behind;
    }
}

fn is_plain_attribute(name: &str, value: &str) -> bool {
    if ADDRESSES.contains(&name) {
        return BEGINNINGS.iter().any(|beginning| value.starts_with(beginning));
    }
    let is_of_letters = |rest: &str| rest.bytes().all(|letter| letter.is_ascii_lowercase() || letter == b'-');
    ATTRIBUTES.contains(&name) || name.strip_prefix("aria-").is_some_and(is_of_letters)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_only_be_seen_is_plain() {
        for html in [
            "",
            "Sale & more, 3 > 2",
            "<p>Sale</p>",
            r#"<DIV class="wide"><a href="/sale?a=1&amp;b=2" target="_blank">Sale</a><br/><hr /></DIV >"#,
            r#"<img src="https://shop.test/a.jpg" alt="A chair" width="10" loading="lazy">"#,
            "<h2\n  title=\"a\"\n  aria-label=\"b\">x</h2>",
        ] {
            assert!(is_plain(html), "{html}");
        }
    }

    #[test]
    fn what_a_browser_may_run_is_not_plain() {
        for html in [
            "<script>alert(1)</script>",
            "<img src=x onerror=alert(1)>",
            r#"<img src="/x" onerror="alert(1)">"#,
            r#"<p onmouseover="alert(1)">x</p>"#,
            r#"<img/onerror="alert(1)"src="/x">"#,
            r#"<a href="javascript:alert(1)">x</a>"#,
            r#"<a href=" javascript:alert(1)">x</a>"#,
            r#"<a href="java&#115;cript:alert(1)">x</a>"#,
            r#"<a href="JAVASCRIPT&colon;alert(1)">x</a>"#,
            r#"<a href='javascript:alert(1)'>x</a>"#,
            "<svg onload=alert(1)>",
            r#"<iframe src="https://evil.test"></iframe>"#,
            r#"<form action="https://evil.test"><input name="card"></form>"#,
            r#"<p style="position:fixed">x</p>"#,
            r#"<a href="/"title="x">x</a>"#,
            r#"<p title="a>b" onclick="alert(1)">x</p>"#,
            "<p title=\"<img src=x onerror=alert(1)>\">x</p>",
            "<!--><img src=x onerror=alert(1)>-->",
            "<p",
            "<p/onclick=alert(1)>",
            "<base href=\"https://evil.test/\">",
            "<?xml ?>",
            "<p class>x</p>",
        ] {
            assert!(!is_plain(html), "{html}");
        }
    }
}
