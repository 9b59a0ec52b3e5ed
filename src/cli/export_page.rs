//! A page of what is stored about a person, for the person: one file, no scripts, nothing from elsewhere.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::path::Path;

use html_escape::encode_text;
use serde_json::Value;

use super::CliFault;
use super::table::{cell, time};
use crate::disk;
use crate::subjects::records;

const HEAD: &str = "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\
<title>What is stored about you</title><style>body{font:16px/1.5 sans-serif;max-width:50em;margin:2em auto;padding:0 1em}\
table{border-collapse:collapse;width:100%}td,th{border-bottom:1px solid #ccc;padding:.3em .6em;text-align:left;\
vertical-align:top}</style></head><body>\n";

/// Names of members as people say them; others, which the shop invented, stay as they are.
const NAMES: [(&str, &str); 17] = [
    ("Email", "Email address"),
    ("UserId", "Customer number"),
    ("AccountId", "Company number"),
    ("VisitorId", "Number in your browser"),
    ("FirstName", "First name"),
    ("LastName", "Last name"),
    ("Title", "Title"),
    ("DOB", "Date of birth"),
    ("Group", "Customer group"),
    ("GroupId", "Number of the customer group"),
    ("State", "State or region"),
    ("Attributes", "Further details"),
    ("Order", "Order number"),
    ("OrderedAt", "Ordered on"),
    ("Lines", "What you bought"),
    ("UnitPrice", "Price of one"),
    ("Quantity", "How many"),
];

/// Writes the page into a file that only its owner may read.
pub fn write(file: &Path, export: &Value) -> Result<(), CliFault> {
    let unwritten = |error| CliFault::Failed(format!("{} cannot be written: {error}", file.display()));
    disk::write_private(file, page(export).as_bytes()).map_err(unwritten)
}

/// The page.
fn page(export: &Value) -> String {
    let mut page = HEAD.to_owned();
    let items = |name: &str| export[name].as_array().cloned().unwrap_or_default();
    let shop = cell(&export["Shop"]);
    let writer = Writer { currency: export["Currency"].as_str() };
    // Writing into a text cannot fail.
    let _ = writeln!(page, "<h1>What the shop “{}” stores about you</h1>", encode_text(&shop));
    let _ = writeln!(page, "<p>As of {}.</p>", encode_text(&date(&export["At"])));
    let known = items("Identifiers");
    if !known.is_empty() {
        page.push_str("<h2>How you are recognised</h2>\n<table>\n");
        for id in &known {
            let kind = cell(&id["Kind"]);
            let _ = writeln!(
                page,
                "<tr><th>{}</th><td>{}</td></tr>",
                name_of(&kind),
                encode_text(&cell(&id["Value"]))
            );
        }
        page.push_str("</table>\n");
    }
    let kinds = || records::KINDS.iter().chain([&records::OTHER]);
    for kind in kinds() {
        writer.section(&mut page, kind.title(), &items(kind.list()));
    }
    if known.is_empty() && kinds().all(|kind| items(kind.list()).is_empty()) {
        let _ = writeln!(
            page,
            "<p>Nothing else than what this page says is stored about you here: no profile, no order.</p>"
        );
    }
    page.push_str(kept(&export["Suppression"]));
    page.push_str("</body></html>\n");
    page
}

/// What is kept of somebody who was forgotten, also when they are a customer again.
fn kept(suppression: &Value) -> &'static str {
    if suppression["Suppressed"] == true {
        "<h2>You were forgotten</h2><p>Of each of your email addresses and numbers a fingerprint is kept: a code from \
         which the address cannot be worked out without a secret that is kept apart. It serves to recognise you when your \
         data is sent again, and to keep you out. Nothing can be restored from it.</p>\n"
    } else if suppression["CameBack"] == true {
        "<h2>You were forgotten, and came back</h2><p>Of the email address or number that was forgotten a fingerprint is \
         kept: a code from which it cannot be worked out without a secret that is kept apart. It serves to keep out what was \
         sent about you before you came back. Nothing can be restored from it.</p>\n"
    } else {
        ""
    }
}

fn name_of(name: &str) -> Cow<'_, str> {
    let known = NAMES.iter().find(|(own, _)| *own == name);
    encode_text(known.map_or(name, |(_, shown)| shown))
}

/// A day and a time that people read.
fn date(millis: &Value) -> String {
    let at = millis.as_i64().and_then(|millis| jiff::Timestamp::from_millisecond(millis).ok());
    at.map_or_else(|| time(millis), |at| at.strftime("%-d %B %Y, %H:%M UTC").to_string())
}

/// Writes values as tables.
struct Writer<'a> {
    /// Of prices, which are stored without one; the account's, if it has one.
    currency: Option<&'a str>,
}

impl Writer<'_> {
    fn section(&self, page: &mut String, title: &str, items: &[Value]) {
        if items.is_empty() {
            return;
        }
        let _ = writeln!(page, "<h2>{}</h2>", encode_text(title));
        items.iter().for_each(|item| self.table(page, item));
    }

    /// An object as a table of its members, a list as one of its items. What is empty is left out.
    fn table(&self, page: &mut String, value: &Value) {
        match value {
            Value::Object(members) => {
                page.push_str("<table>\n");
                for (name, value) in members.iter().filter(|(_, value)| !value.is_null()) {
                    let _ = write!(page, "<tr><th>{}</th><td>", name_of(name));
                    match (name.as_str(), self.currency) {
                        ("OrderedAt", _) => page.push_str(&encode_text(&date(value))),
                        ("UnitPrice", Some(currency)) => {
                            let _ = write!(page, "{} {}", encode_text(&cell(value)), encode_text(currency));
                        }
                        _ => self.table(page, value),
                    }
                    page.push_str("</td></tr>\n");
                }
                page.push_str("</table>\n");
            }
            Value::Array(items) if items.iter().all(|item| item.is_string() || item.is_number()) => {
                let items: Vec<String> = items.iter().map(cell).collect();
                page.push_str(&encode_text(&items.join(", ")));
            }
            Value::Array(items) => items.iter().for_each(|item| self.table(page, item)),
            other => page.push_str(&encode_text(&cell(other))),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt;

    use super::*;
    use serde_json::json;

    #[test]
    fn a_file_that_others_could_read_is_theirs_no_longer() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("page.html");
        std::fs::write(&file, "x".repeat(100_000)).unwrap();
        std::fs::set_permissions(&file, Permissions::from_mode(0o644)).unwrap();
        write(&file, &json!({"At": 0})).unwrap();
        assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        assert!(std::fs::read_to_string(&file).unwrap().ends_with("</html>\n"));
    }

    #[test]
    fn a_name_cannot_become_a_part_of_the_page() {
        let export =
            json!({"At": 0, "Profiles": [{"FirstName": "<script>x</script>", "<b>": ["a", {"c": "&d"}]}]});
        let page = page(&export);
        assert!(!page.contains("<script") && !page.contains("<b>"), "{page}");
        assert!(page.contains("&lt;script&gt;x") && page.contains("&amp;d"), "{page}");
    }

    #[test]
    fn a_page_speaks_the_language_of_the_person() {
        let export = json!({"At": 0, "Shop": "Tea & more", "Currency": "EUR",
            "Identifiers": [{"Kind": "UserId", "Value": "7"}],
            "Profiles": [{"DOB": "1990-01-01", "Roles": ["a", "b"], "Shoe": "42", "Group": null}],
            "Orders": [{"Order": "o-1", "OrderedAt": 0, "Lines": [{"Product": "p", "Quantity": "1", "UnitPrice": "5.00"}]}],
            "Suppression": {"Suppressed": false, "CameBack": true}});
        let page = page(&export);
        for part in [
            "<h1>What the shop “Tea &amp; more” stores about you</h1>",
            "<th>Customer number</th><td>7</td>",
            "<th>Date of birth</th><td>1990-01-01</td>",
            "<td>a, b</td>",
            "<th>Shoe</th>",
            "<th>Ordered on</th><td>1 January 1970, 00:00 UTC</td>",
            "<th>Price of one</th><td>5.00 EUR</td>",
            "You were forgotten, and came back",
        ] {
            assert!(page.contains(part), "no {part}: {page}");
        }
        for part in ["OrderedAt", "DOB", "UserId", "Kind", "Customer group", "Nothing else"] {
            assert!(!page.contains(part), "{part}: {page}");
        }
    }

    #[test]
    fn a_page_about_nobody_says_that_nothing_is_stored() {
        let page =
            page(&json!({"At": 0, "Shop": "s", "Identifiers": [], "Suppression": {"Suppressed": true}}));
        assert!(page.contains("no profile, no order") && page.contains("You were forgotten</h2>"), "{page}");
    }
}
