//! A page of the stored data about a person, for the person.

use serde_json::{Value, json};

use super::paper::{ShopContact, cell, page};
use crate::clock::days;
use crate::i18n::{Translations, UiLanguage};
use crate::limits;
use crate::people::record_kind;
use crate::templates::RenderFault;

/// The page of an export.
///
/// # Errors
/// When it cannot be drawn.
pub fn export_page(export: &Value, language: UiLanguage) -> Result<String, RenderFault> {
    let writer = ExportWriter {
        texts: super::paper::DRAWING.words.in_language(language),
        currency: export["Currency"].as_str(),
    };
    let items = |name: &str| export[name].as_array().into_iter().flatten();
    let known =
        items("Identifiers").map(|id| json!([writer.name_of(&cell(&id["Kind"])), cell(&id["Value"])]));
    let known: Vec<Value> = known.collect();
    let mut sections = Vec::new();
    if !known.is_empty() {
        sections.push(json!({"title": "export.recognised", "tables": [{"rows": known}]}));
    }
    for kind in record_kind::KINDS.iter().chain([&record_kind::OTHER]) {
        let tables: Vec<Value> = items(kind.list()).map(|item| writer.format_value(item, 0)).collect();
        if !tables.is_empty() {
            sections.push(json!({"title": format!("records.{}", kind.list()), "tables": tables}));
        }
    }
    let shop = ShopContact::from_json(export);
    let values = json!({"at": export["At"], "sections": sections, "kept": retention_notice(&export["Suppression"]),
        "access": access_rows(&shop), "events_days": days(limits::EVENTS_KEPT_DURATION),
        "visits_days": days(limits::VISITS_KEPT_DURATION)});
    page(language, "export.html", &shop, values)
}

/// Facts for a person besides the data (Article 15 (1) and (2) GDPR), each with whether the shop has to add to it.
fn access_rows(shop: &ShopContact) -> [(&'static str, bool); 7] {
    [
        ("purposes", true),
        ("source", false),
        ("recipients", true),
        ("period", true),
        ("decisions", false),
        ("rights", shop.contact.is_none()),
        ("complaint", true),
    ]
}

/// Texts about data kept about a forgotten person, even if they are a customer again.
fn retention_notice(suppression: &Value) -> Option<[&'static str; 2]> {
    if suppression["Suppressed"] == true {
        Some(["export.forgotten", "export.forgotten_why"])
    } else {
        (suppression["CameBack"] == true).then_some(["export.returned", "export.returned_why"])
    }
}

/// Maximum number of tables within tables: paper is no wider.
const LEVELS_SHOWN: usize = 32;

/// Writes values as people read them.
struct ExportWriter<'a> {
    texts: &'a Translations,
    /// Currency of prices, which are stored without one; the account's, if it has one.
    currency: Option<&'a str>,
}

impl ExportWriter<'_> {
    /// Readable names of members; others, which the shop invented, stay as they are.
    fn name_of(&self, name: &str) -> String {
        self.texts.find(&format!("names.{name}")).unwrap_or(name).to_owned()
    }

    /// A text, `{"rows": [[name, …]]}` of an object, or `{"parts": […]}` of a list with such in it. Values deeper than
    /// [`LEVELS_SHOWN`] are shown as JSON.
    fn format_value(&self, value: &Value, level: usize) -> Value {
        match value {
            Value::Object(_) | Value::Array(_) if level == LEVELS_SHOWN => value.to_string().into(),
            Value::Object(members) if !members.is_empty() => {
                let rows = members
                    .iter()
                    .map(|(name, value)| json!([self.name_of(name), self.member((name, value), level + 1)]));
                json!({"rows": rows.collect::<Vec<_>>()})
            }
            Value::Array(items) if items.iter().any(|item| item.is_object() || item.is_array()) => {
                json!({"parts": items.iter().map(|item| self.format_value(item, level + 1)).collect::<Vec<_>>()})
            }
            Value::Array(items) if !items.is_empty() => {
                items.iter().map(|item| self.simple(item)).collect::<Vec<_>>().join(", ").into()
            }
            other => self.simple(other).into(),
        }
    }

    fn member(&self, (name, value): (&str, &Value), level: usize) -> Value {
        match name {
            "OrderedAt" => self.texts.time(value.as_i64()).into(),
            "UnitPrice" if !is_empty(value) => {
                let amount = self.texts.amount(&cell(value));
                format!("{amount} {}", self.currency.unwrap_or_default()).trim_end().into()
            }
            "Quantity" => self.texts.amount(&cell(value)).into(),
            _ => self.format_value(value, level),
        }
    }

    /// A value without children, as the language writes it. A text stays as it was sent.
    fn simple(&self, value: &Value) -> String {
        match value {
            value if is_empty(value) => self.texts.translate("export.no_value", &[]),
            Value::Bool(true) => self.texts.translate("export.yes", &[]),
            Value::Bool(false) => self.texts.translate("export.no", &[]),
            Value::Number(number) => self.texts.amount(&number.to_string()),
            other => cell(other),
        }
    }
}

/// Returns true if a value holds nothing: null, or an empty text, list or object.
fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
        Value::Bool(_) | Value::Number(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::i18n::UiLanguage;
    use crate::people::record_kind;
    use serde_json::json;

    fn page_in(language: UiLanguage, export: &Value) -> String {
        export_page(export, language).expect("a page")
    }

    fn english(export: &Value) -> String {
        page_in(UiLanguage::English, export)
    }

    #[test]
    fn a_name_cannot_become_a_part_of_the_page() {
        let export = json!({"At": 0, "Shop": "s", "DisplayName": "<script>1</script>", "Contact": "<b>{time}",
            "Identifiers": [{"Kind": "<b>", "Value": "<b>"}],
            "Profiles": [{"FirstName": "<script>x</script>", "<b>": ["a", {"c": "&d"}]}]});
        let page = english(&export);
        assert!(!page.contains("<script") && !page.contains("<b>"), "{page}");
        assert!(page.contains("&lt;script&gt;x") && page.contains("&amp;d"), "{page}");
        assert!(page.contains("<title>What the shop “&lt;script&gt;1&lt;/script&gt;” stores"), "{page}");
        assert!(page.contains("write to the shop: &lt;b&gt;{time}</p>"), "{page}");
    }

    fn ann() -> Value {
        json!({"At": 0, "Shop": "tea", "DisplayName": "Tea & more", "Currency": "EUR",
            "Identifiers": [{"Kind": "UserId", "Value": "7"}],
            "Profiles": [{"DOB": "1990-01-01", "Roles": ["a", "b"], "Shoe": "42", "Group": null, "a.b": "c"}],
            "Orders": [{"Order": "o-1", "OrderedAt": 0, "Lines": [{"Product": "p", "Quantity": "1", "UnitPrice": "5.00"}]}],
            "Suppression": {"Suppressed": false, "CameBack": true}})
    }

    #[test]
    fn a_page_speaks_the_language_of_the_person() {
        let page = english(&ann());
        for part in [
            "<html lang=\"en\">",
            "<h1>What the shop “Tea &amp; more” stores about you</h1>",
            "<th>Customer number</th><td>7</td>",
            "<th>Date of birth</th><td>1990-01-01</td>",
            "<td>a, b</td>",
            "<th>Shoe</th>",
            "<th>a.b</th><td>c</td>",
            "<th>Ordered on</th><td>1 January 1970, 00:00 UTC</td>",
            "<th>Price of one</th><td>5.00 EUR</td>",
            "You were forgotten, and came back",
        ] {
            assert!(page.contains(part), "no {part}: {page}");
        }
        assert!(page.contains("<th>Customer group</th><td>(not given)</td>"), "{page}");
        for part in ["OrderedAt", "DOB", "UserId", "Kind", "Nothing else", "write to the shop"] {
            assert!(!page.contains(part), "{part}: {page}");
        }
    }

    #[test]
    fn a_page_is_whole_in_every_language() {
        let german = page_in(UiLanguage::German, &ann());
        for part in [
            "<html lang=\"de\">",
            "<h1>Was der Shop „Tea &amp; more“ über Sie speichert</h1>",
            "<h2>Ihre Bestellungen</h2>",
            "<th>Geburtsdatum</th>",
            "<th>Bestellt am</th><td>1. Januar 1970, 00:00 Uhr (UTC)</td>",
            "<th>Einzelpreis</th><td>5,00 EUR</td>",
        ] {
            assert!(german.contains(part), "no {part}: {german}");
        }
        for language in UiLanguage::ALL {
            let texts = Translations::load(language);
            let page = page_in(language, &ann());
            for kind in record_kind::KINDS.iter().chain([&record_kind::OTHER]) {
                assert!(texts.find(&format!("records.{}", kind.list())).is_some(), "{}", kind.list());
            }
            for key in ["export.", "records.", "names.", "access_", "{"] {
                let text = page.split("<body>").nth(1).expect("a body");
                assert!(!text.contains(key), "{key}: {page}");
            }
        }
    }

    #[test]
    fn a_page_says_what_article_15_asks_and_marks_what_the_shop_has_to_add() {
        let fields = |page: &str| page.matches("contenteditable=\"true\" role=\"textbox\"").count();
        let mut export = ann();
        let page = english(&export);
        for part in [
            "<h2>Further information (Article 15 GDPR)</h2>",
            "<th>What your data is for</th>",
            "What you did in the shop: 395 days; without signing in: 30 days.",
            ">[The shop adds: name and address of its authority]</div>",
            ">[The shop adds: the address for requests]</div>",
        ] {
            assert!(page.contains(part), "no {part}: {page}");
        }
        assert_eq!(fields(&page), 5);
        export["Contact"] = "privacy@tea.example".into();
        let page = english(&export);
        assert!(fields(&page) == 4 && !page.contains("the address for requests"), "{page}");
    }

    #[test]
    fn every_value_is_told_and_told_apart() {
        let profile = json!({"Salutation": "Ms", "Gender": "F", "City": "Leeds", "Country": "GB", "Roles": [],
            "Group": null, "Sizes": [38, 39.5, null, true], "Newsletter": false, "Ratio": 1.5, "Id": 4711,
            "Empty": "", "Lists": [[1, 2], [3]], "Nothing": {}});
        let order = json!({"Order": "o", "OrderedAt": 0,
            "Lines": [{"Product": "p", "Quantity": "2.5", "UnitPrice": null}]});
        let export = json!({"At": 0, "Shop": "s", "Profiles": [profile], "Orders": [order]});
        let labels = [
            ["Salutation", "Gender", "City", "Country", "Roles", "Product"],
            ["Anrede", "Geschlecht", "Ort", "Land", "Rollen", "Produkt"],
            ["Civilité", "Genre", "Ville", "Pays", "Rôles", "Produit"],
        ];
        let values = [
            ["(not given)", "yes", "no", "39.5", "1.5", "2.5"],
            ["(keine Angabe)", "ja", "nein", "39,5", "1,5", "2,5"],
            ["(non indiqué)", "oui", "non", "39,5", "1,5", "2,5"],
        ];
        for (language, (labels, [none, yes, no, size, ratio, quantity])) in
            UiLanguage::ALL.into_iter().zip(labels.into_iter().zip(values))
        {
            let page = page_in(language, &export);
            for label in labels {
                assert!(page.contains(&format!("<th>{label}</th>")), "no {label}: {page}");
            }
            for (name, value) in [
                ("Sizes", format!("38, {size}, {none}, {yes}")),
                ("Newsletter", no.to_owned()),
                ("Ratio", ratio.to_owned()),
                ("Id", "4711".to_owned()),
                ("Empty", none.to_owned()),
                ("Nothing", none.to_owned()),
                ("Lists", "<div>1, 2</div>\n<div>3</div>\n".to_owned()),
                (labels[4], none.to_owned()),
                (Translations::load(language).find("names.Group").expect("a name"), none.to_owned()),
                (Translations::load(language).find("names.Quantity").expect("a name"), quantity.to_owned()),
                (Translations::load(language).find("names.UnitPrice").expect("a name"), none.to_owned()),
            ] {
                assert!(page.contains(&format!("<th>{name}</th><td>{value}</td>")), "{name} {value}: {page}");
            }
        }
    }

    #[test]
    fn values_in_values_are_shown_to_the_last() {
        for (levels, last) in [(30, "<td>the last</td>"), (120, "&quot;the last&quot;")] {
            let deep = (0..levels).fold(json!("the last"), |inner, level| match level % 2 {
                0 => json!({"Inner": inner}),
                _ => json!([inner]),
            });
            let page = english(&json!({"At": 0, "Shop": "s", "Profiles": [deep]}));
            assert!(page.contains(last), "{page}");
        }
    }

    #[test]
    fn a_page_about_nobody_says_that_nothing_is_stored() {
        let page =
            english(&json!({"At": 0, "Shop": "s", "Identifiers": [], "Suppression": {"Suppressed": true}}));
        assert!(page.contains("no profile, no order") && page.contains("You were forgotten</h2>"), "{page}");
    }
}
