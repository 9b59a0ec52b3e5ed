//! Rows of text in aligned columns.

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

/// Text of a shop without control characters: a title must not command the terminal.
pub fn printable(text: &str) -> String {
    text.chars().map(|letter| if letter.is_control() { '·' } else { letter }).collect()
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
    use super::*;

    #[test]
    fn columns_are_aligned_and_escape_codes_are_dead() {
        let rows = [row(["Id", "Title"]), row(["P-1", "\u{1b}[2J"])];
        assert_eq!(table(&rows), ["Id   Title", "P-1  ·[2J"]);
    }
}
