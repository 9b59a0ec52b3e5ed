//! Text for people: rows in aligned columns, names with values, JSON.

use crate::addresses::printable;

/// Lines with every column as wide as its widest cell. What would move the cursor is shown as a dot.
pub fn table(rows: &[Vec<String>]) -> Vec<String> {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width =
        |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max();
    let widths: Vec<usize> = (0..columns).map(|column| width(column).unwrap_or(0)).collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{:<width$}", printable(cell)));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    rows.iter().map(line).collect()
}

/// Names and values, one pair a line, with the values below each other.
pub fn facts(facts: &[(&str, &str)]) -> Vec<String> {
    let width = facts.iter().map(|(name, _)| name.len()).max().unwrap_or(0) + 1;
    let line = |(name, value): &(&str, &str)| {
        let value = if value.is_empty() { "-".to_owned() } else { printable(value) };
        format!("{:<width$} {value}", format!("{name}:"))
    };
    facts.iter().map(line).collect()
}

/// JSON for people, indented. Invisible signs are written with digits, which is the same JSON.
pub fn pretty(value: &serde_json::Value) -> String {
    let text = serde_json::to_string_pretty(value).unwrap_or_default();
    let lines: Vec<String> = text.split('\n').map(with_digits).collect();
    lines.join("\n")
}

fn with_digits(line: &str) -> String {
    let mut written = String::with_capacity(line.len());
    for (letter, shown) in line.chars().zip(printable(line).chars()) {
        if letter == shown {
            written.push(letter);
            continue;
        }
        let mut units = [0; 2];
        written.extend(letter.encode_utf16(&mut units).iter().map(|unit| format!("\\u{unit:04x}")));
    }
    written
}

/// A JSON value as a cell: text without quotes, nothing for null.
pub fn cell(value: &serde_json::Value) -> String {
    match value {
        serde_json::Value::Null => String::new(),
        serde_json::Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Milliseconds since 1970 as a time people read, to the millisecond because deltas come in quick succession.
pub fn time(millis: &serde_json::Value) -> String {
    let at = millis.as_i64().and_then(|millis| jiff::Timestamp::from_millisecond(millis).ok());
    at.map_or_else(|| "at an unknown time".to_owned(), |at| at.to_string())
}

/// The same to the second.
pub fn time_of_day(millis: &serde_json::Value) -> String {
    let at = millis.as_i64().and_then(|millis| jiff::Timestamp::from_millisecond(millis).ok());
    at.map_or_else(|| "an unknown time".to_owned(), |at| at.strftime("%H:%M:%S UTC").to_string())
}

/// A number of things: `1 file`, `2 files`.
pub fn many(count: u64, one: &str, more: &str) -> String {
    format!("{} {}", indicatif::HumanCount(count), if count == 1 { one } else { more })
}

/// A column's names or a row from literals.
pub fn row<const N: usize>(cells: [&str; N]) -> Vec<String> {
    cells.map(str::to_owned).to_vec()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn rows_may_lack_cells_and_no_line_ends_with_blanks() {
        let rows = [row(["Id", "Title", "Stock"]), row(["P-1"]), row(["é", "", "no"])];
        assert_eq!(table(&rows), ["Id   Title  Stock", "P-1", "é           no"]);
        assert_eq!(table(&[]), [""; 0]);
        assert_eq!(table(&[Vec::new()]), [""]);
        assert_eq!(facts(&[]), [""; 0]);
    }

    #[test]
    fn values_are_told_for_people() {
        for (value, text) in [
            (json!(null), ""),
            (json!("a \"b\""), "a \"b\""),
            (json!(1.5), "1.5"),
            (json!(true), "true"),
            (json!(["a", 1]), "[\"a\",1]"),
        ] {
            assert_eq!(cell(&value), text);
        }
        for (millis, at, of_day) in [
            (json!(0), "1970-01-01T00:00:00Z", "00:00:00 UTC"),
            (json!(86_399_999), "1970-01-01T23:59:59.999Z", "23:59:59 UTC"),
            (json!(-1), "1969-12-31T23:59:59.999Z", "23:59:59 UTC"),
            (json!(null), "at an unknown time", "an unknown time"),
            (json!("0"), "at an unknown time", "an unknown time"),
            (json!(i64::MAX), "at an unknown time", "an unknown time"),
        ] {
            assert_eq!((time(&millis).as_str(), time_of_day(&millis).as_str()), (at, of_day), "{millis}");
        }
        for (count, text) in [(0, "0 files"), (1, "1 file"), (2, "2 files"), (1_234_567, "1,234,567 files")] {
            assert_eq!(many(count, "file", "files"), text);
        }
    }

    #[test]
    fn what_nobody_sees_is_written_with_digits() {
        let title = "a\u{202e}b\u{9b}\u{1b}\u{e0041}\n·é";
        let value = serde_json::json!({"Title": title});
        let text = pretty(&value);
        assert_eq!(text, "{\n  \"Title\": \"a\\u202eb\\u009b\\u001b\\udb40\\udc41\\n·é\"\n}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).expect("JSON"), value);
    }

    #[test]
    fn values_stand_below_each_other() {
        let lines = facts(&[("Name", "shop"), ("Contact", ""), ("AccessKey", "LA\u{1b}")]);
        assert_eq!(lines, ["Name:      shop", "Contact:   -", "AccessKey: LA·"]);
    }

    #[test]
    fn columns_are_aligned_and_escape_codes_are_dead() {
        let rows = [row(["Id", "Title"]), row(["P-1", "\u{1b}[2J"])];
        assert_eq!(table(&rows), ["Id   Title", "P-1  ·[2J"]);
    }
}
