//! Pages of a document, drawn to be printed.

use std::sync::LazyLock;

use lethe_verify::Fault;
use serde_json::Value;

use crate::i18n::UiLanguage;
use crate::templates::{PageRenderer, RenderFault, Templates};

/// The templates: each paper is one, around those in HTML stands `paper.html`.
pub(super) const TEMPLATES: Templates = &[
    ("certificate.html", include_str!("templates/certificate.html")),
    ("export.html", include_str!("templates/export.html")),
    ("letter.html", include_str!("templates/letter.html")),
    ("letter.txt", include_str!("templates/letter.txt")),
    ("paper.html", include_str!("templates/paper.html")),
    ("style.css", include_str!("templates/style.css")),
];

/// Draws papers.
pub(super) static DRAWING: LazyLock<PageRenderer> = LazyLock::new(|| PageRenderer::new(TEMPLATES, ""));

/// Content security policy of a page: it may use this one style, and nothing else.
pub(super) const CONTENT: &str = "default-src 'none'; style-src 'sha256-wco1sXWTE6Ij6w/JqYuOPAHM7Y1yFj9AKt3Z9aF83ss='; base-uri 'none'; form-action 'none'";

/// The same as a response header, which also forbids other pages to frame it.
pub const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; style-src 'sha256-wco1sXWTE6Ij6w/JqYuOPAHM7Y1yFj9AKt3Z9aF83ss='; base-uri 'none'; \
    form-action 'none'; frame-ancestors 'none'";

/// Reason why there is no paper.
#[derive(Debug, thiserror::Error)]
pub enum PaperFault {
    /// The certificate does not prove its content.
    #[error(transparent)]
    Certificate(#[from] Fault),
    /// Its template cannot be drawn.
    #[error(transparent)]
    Drawing(#[from] RenderFault),
}

/// The shop as people know it.
pub struct ShopContact {
    /// The operator's name for the account.
    pub name: String,
    /// The name that people know the shop by.
    pub display_name: Option<String>,
    /// Contact of the shop for people.
    pub contact: Option<String>,
}

impl ShopContact {
    /// From an account's own description; in an export the account's name has another key.
    #[must_use]
    pub fn from_json(about: &Value) -> Self {
        let text = |name: &str| about[name].as_str().map(str::to_owned);
        let name = text("Name").or_else(|| text("Shop")).unwrap_or_default();
        Self { name, display_name: text("DisplayName"), contact: text("Contact") }
    }

    /// The name to call it by.
    #[must_use]
    pub fn public_name(&self) -> &str {
        self.display_name.as_deref().unwrap_or(&self.name)
    }
}

/// A page to print, or a letter as plain text.
pub(super) fn page(
    language: UiLanguage,
    template: &str,
    shop: &ShopContact,
    mut values: Value,
) -> Result<String, RenderFault> {
    values["policy"] = CONTENT.into();
    values["shop"] = shop.public_name().into();
    values["contact"] = shop.contact.as_deref().into();
    DRAWING.text(language, template, values)
}

/// A JSON value as text: nothing for null.
pub(super) fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use sha2::{Digest, Sha256};

    use super::super::export_page::export_page;
    use super::*;

    /// As a policy writes it (RFC 4648).
    fn base64(bytes: &[u8]) -> String {
        const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let mut written = String::new();
        for piece in bytes.chunks(3) {
            let number = piece.iter().fold(0_u32, |number, byte| number << 8 | u32::from(*byte))
                << (8 * (3 - piece.len()));
            for at in 0..=piece.len() {
                written.push(char::from(LETTERS[(number >> (18 - 6 * at)) as usize & 63]));
            }
        }
        written + &"=".repeat((3 - bytes.len() % 3) % 3)
    }

    #[test]
    fn every_template_can_be_read_and_says_what_there_is() {
        crate::templates::testing::check(TEMPLATES, "");
    }

    #[test]
    fn the_policy_lets_the_style_of_the_pages_in_and_no_other() {
        assert_eq!(base64(b"light"), "bGlnaHQ=");
        let page = export_page(&serde_json::json!({}), UiLanguage::English).expect("a page");
        let style = page.split_once("<style>").and_then(|(_, rest)| rest.split_once("</style>"));
        let (style, _) = style.expect("a style");
        let style = format!("style-src 'sha256-{}';", base64(&Sha256::digest(style)));
        assert!(CONTENT.contains(&style) && CONTENT_SECURITY_POLICY.contains(&style), "{style}");
        assert!(
            CONTENT_SECURITY_POLICY.starts_with(CONTENT) && page.contains(&format!("content=\"{CONTENT}\""))
        );
    }

    #[test]
    fn a_shop_is_named_as_people_know_it_or_as_its_account_is() {
        let shop = |about| {
            let shop = ShopContact::from_json(&about);
            (shop.public_name().to_owned(), shop.name, shop.contact)
        };
        let text = str::to_owned;
        let all =
            serde_json::json!({"Name": "tea", "Shop": "s", "DisplayName": "Tea", "Contact": "a@b.example"});
        assert_eq!(shop(all), (text("Tea"), text("tea"), Some(text("a@b.example"))));
        assert_eq!(shop(serde_json::json!({"Shop": "s", "Name": 7})), (text("s"), text("s"), None));
        assert_eq!(shop(serde_json::json!({"DisplayName": null})), (text(""), text(""), None));
        let cells = [
            serde_json::json!(null),
            serde_json::json!("a\"b"),
            serde_json::json!(1.5),
            serde_json::json!([1]),
        ];
        assert_eq!(cells.map(|value| cell(&value)), ["", "a\"b", "1.5", "[1]"]);
    }
}
