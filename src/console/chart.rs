//! Bars of a chart, as its template draws them: lengths in percent, so that letters stay as large on a phone.

use serde_json::{Value, json};

/// Rows that are drawn; all of them stand in the table below.
const BARS: usize = 10;
/// The height of a row in pixels: its name, and two bars.
const ROW: usize = 52;
/// Letters of a name that are drawn.
const LETTERS: usize = 48;

/// The first rows with the two counts of each; `null` when there is nothing to draw.
pub(super) fn bars(rows: &Value, [first, second]: [&str; 2]) -> Value {
    let rows: Vec<_> = rows.as_array().into_iter().flatten().take(BARS).collect();
    let count = |row: &Value, name: &str| row[name].as_f64();
    let all = rows.iter().flat_map(|row| [first, second].map(|name| count(row, name).unwrap_or_default()));
    let longest = all.fold(0.0, f64::max);
    if longest <= 0.0 {
        return Value::Null;
    }
    // Beside the longest bar its number has room.
    let length =
        |row: &Value, name: &str| format!("{:.2}%", count(row, name).unwrap_or_default() / longest * 82.0);
    let row = |(number, row): (usize, &&Value)| {
        let top = number * ROW;
        let bar = |class: &str, of: &str, below: usize| json!({"Class": class, "Top": top + below, "Length": length(row, of), "Count": row[of]});
        json!({"Name": name(row), "Top": top, "Bars": [bar("first", first, 20), bar("second", second, 34)]})
    };
    let drawn: Vec<_> = rows.iter().enumerate().map(row).collect();
    json!({"Rows": drawn, "Height": rows.len() * ROW})
}

/// What a row is about.
fn name(row: &Value) -> String {
    let parts =
        ["Name", "Zone", "Campaign", "Recommender", "Query"].iter().filter_map(|name| row[*name].as_str());
    let whole = parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ");
    let mut letters = whole.chars();
    let short: String = letters.by_ref().take(LETTERS).collect();
    if letters.next().is_some() { format!("{short}…") } else { short }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_as_long_as_their_counts() {
        let rows = json!([{"Zone": "HP-01", "Campaign": "", "Recommender": "for_you", "Count": 40, "Clicks": 10},
            {"Query": "x".repeat(60), "Count": 20}]);
        let chart = bars(&rows, ["Count", "Clicks"]);
        assert_eq!(chart["Rows"][0]["Name"], "HP-01, for_you");
        assert_eq!(chart["Rows"][0]["Bars"][0]["Length"], "82.00%");
        assert_eq!(chart["Rows"][0]["Bars"][1]["Length"], "20.50%");
        assert_eq!(chart["Rows"][1]["Bars"][0]["Length"], "41.00%");
        // What is not told is not drawn as if it were nothing.
        assert_eq!(chart["Rows"][1]["Bars"][1]["Count"], Value::Null);
        assert_eq!(chart["Rows"][1]["Name"].as_str().map(|name| name.chars().count()), Some(49));
        assert_eq!(chart["Height"], 104);
        assert_eq!(bars(&json!([]), ["Count", "Clicks"]), Value::Null);
    }
}
