//! A page of what is stored about a person, for the person: one file, no scripts, nothing from elsewhere.

use std::fmt::Write as _;
use std::fs::{OpenOptions, Permissions};
use std::io::Write as _;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::Path;

use html_escape::encode_text;
use serde_json::Value;

use super::CliFault;
use super::table::{cell, time};

const HEAD: &str = "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\
<title>What is stored about you</title><style>body{font:16px/1.5 sans-serif;max-width:50em;margin:2em auto;padding:0 1em}\
table{border-collapse:collapse;width:100%}td,th{border-bottom:1px solid #ccc;padding:.3em .6em;text-align:left;\
vertical-align:top}</style></head><body>\n<h1>What is stored about you</h1>\n";

/// Writes the page into a file that only its owner may read.
pub fn write(file: &Path, export: &Value) -> Result<(), CliFault> {
    let unwritten = |error| CliFault::Failed(format!("{} cannot be written: {error}", file.display()));
    write_private(file, page(export).as_bytes()).map_err(unwritten)
}

/// A file that is there already is closed to others before anything is in it.
fn write_private(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let mut options = OpenOptions::new();
    let mut file = options.create(true).truncate(false).write(true).mode(0o600).open(path)?;
    file.set_permissions(Permissions::from_mode(0o600))?;
    file.set_len(0)?;
    file.write_all(bytes)
}

/// The page.
fn page(export: &Value) -> String {
    let mut page = HEAD.to_owned();
    let items = |name: &str| export[name].as_array().cloned().unwrap_or_default();
    // Writing into a text cannot fail.
    let _ = writeln!(page, "<p>As of {}.</p>", encode_text(&time(&export["At"])));
    section(&mut page, "How you are recognised", &items("Identifiers"));
    section(&mut page, "Your profile", &items("Profiles"));
    section(&mut page, "Your orders", &items("Orders"));
    section(&mut page, "Other records", &items("Others"));
    if export["Suppression"]["Suppressed"] == true {
        page.push_str(
            "<h2>You were forgotten</h2><p>One keyed hash of each of your identifiers is kept, to recognise you and \
             keep you out. It restores nothing.</p>\n",
        );
    }
    page.push_str("</body></html>\n");
    page
}

fn section(page: &mut String, title: &str, items: &[Value]) {
    if items.is_empty() {
        return;
    }
    let _ = writeln!(page, "<h2>{}</h2>", encode_text(title));
    items.iter().for_each(|item| table(page, item));
}

/// An object as a table of its members, a list as one of its items.
fn table(page: &mut String, value: &Value) {
    match value {
        Value::Object(members) => {
            page.push_str("<table>\n");
            for (name, value) in members {
                let _ = write!(page, "<tr><th>{}</th><td>", encode_text(name));
                match name.as_str() {
                    "OrderedAt" => page.push_str(&encode_text(&time(value))),
                    _ => table(page, value),
                }
                page.push_str("</td></tr>\n");
            }
            page.push_str("</table>\n");
        }
        Value::Array(items) => items.iter().for_each(|item| table(page, item)),
        other => page.push_str(&encode_text(&cell(other))),
    }
}

#[cfg(test)]
mod tests {
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
}
