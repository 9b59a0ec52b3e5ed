//! Charts, as their templates draw them: bars and intervals with lengths in percent, so that letters stay as large on a
//! phone.

use serde_json::{Value, json};

/// Rows that are drawn; the table below has all rows.
const BARS: usize = 10;
/// The height of a row in pixels: its name, and its bar.
const ROW: usize = 42;
/// Letters of a name that are drawn.
const LETTERS: usize = 48;

/// Relation of the two counts that share a bar.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum BarParts {
    /// The second count is a part of the first.
    Within,
    /// The counts are apart, and stand one after the other.
    Beside,
}

/// The first rows, each with one bar of two colours; `null` when there is nothing to draw.
pub(crate) fn bars(rows: &Value, names: [&str; 2], parts: BarParts) -> Value {
    let rows: Vec<_> = rows.as_array().into_iter().flatten().take(BARS).collect();
    let count = |row: &Value, name: &str| row[name].as_f64().unwrap_or_default();
    let segments = |row: &Value| {
        let [first, second] = names.map(|name| count(row, name));
        match parts {
            BarParts::Within => [first.max(second) - second, second],
            BarParts::Beside => [first, second],
        }
    };
    let longest = rows.iter().map(|row| segments(row).iter().sum::<f64>()).fold(0.0, f64::max);
    if longest <= 0.0 {
        return Value::Null;
    }
    // Beside the longest bar its numbers have room.
    let percent = |count: f64| format!("{:.2}%", count / longest * 78.0);
    let row = |(number, row): (usize, &&Value)| {
        let [first, second] = segments(row);
        let counts = names.map(|name| row[name].clone());
        json!({"Name": name(row), "Method": row["Recommender"], "Top": number * ROW, "Counts": counts, "Second": percent(second),
            "First": percent(first), "End": percent(first + second)})
    };
    let drawn: Vec<_> = rows.iter().enumerate().map(row).collect();
    json!({"Rows": drawn, "Height": rows.len() * ROW})
}

/// An interval on a line around nothing, in percent of the line; `null` when it is not known.
pub(crate) fn interval(uplift: &Value) -> Value {
    let part = |name: &str| uplift[name].as_f64();
    let Some(((low, measured), high)) = part("Low").zip(part("Measured")).zip(part("High")) else {
        return Value::Null;
    };
    let reach = low.abs().max(high.abs()).max(f64::EPSILON);
    let at = |part: f64| 50.0 + 48.0 * part / reach;
    let percent = |length: f64| format!("{length:.2}%");
    json!({"Left": percent(at(low)), "Width": percent(at(high) - at(low)), "Measured": percent(at(measured))})
}

/// Label of a row: the names in it besides its recommender, cut to `LETTERS` characters.
fn name(row: &Value) -> String {
    let parts = ["Name", "Zone", "Campaign", "Query"].iter().filter_map(|name| row[*name].as_str());
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
        let chart = bars(&rows, ["Count", "Clicks"], BarParts::Within);
        let lengths = |row: &Value| ["Second", "First", "End"].map(|name| row[name].clone());
        assert_eq!(
            (&chart["Rows"][0]["Name"], &chart["Rows"][0]["Method"]),
            (&json!("HP-01"), &json!("for_you"))
        );
        assert_eq!(lengths(&chart["Rows"][0]), ["19.50%", "58.50%", "78.00%"]);
        assert_eq!(lengths(&chart["Rows"][1]), ["0.00%", "39.00%", "39.00%"]);
        // A withheld number is not written as zero.
        assert_eq!(chart["Rows"][1]["Counts"], json!([20, null]));
        assert_eq!(chart["Rows"][1]["Name"].as_str().map(|name| name.chars().count()), Some(49));
        assert_eq!(chart["Height"], 84);
        let apart = bars(&rows, ["Count", "Clicks"], BarParts::Beside);
        assert_eq!(lengths(&apart["Rows"][0]), ["15.60%", "62.40%", "78.00%"]);
        assert_eq!(bars(&json!([]), ["Count", "Clicks"], BarParts::Within), Value::Null);
        let none = json!([{"Zone": "HP-01", "Count": 0}]);
        assert_eq!(bars(&none, ["Count", "Clicks"], BarParts::Within), Value::Null);
        // The first ten alone are drawn, and measured.
        let rows: Vec<_> =
            (1..=11).map(|number| json!({"Query": number.to_string(), "Count": number})).collect();
        let chart = bars(&rows.into(), ["Count", "Clicks"], BarParts::Within);
        assert_eq!((chart["Rows"].as_array().map(Vec::len), &chart["Height"]), (Some(10), &json!(420)));
        assert_eq!(chart["Rows"][9]["First"], "78.00%");
    }

    #[test]
    fn an_interval_stands_around_nothing() {
        let drawn = interval(&json!({"Low": -0.1, "Measured": 0.05, "High": 0.2}));
        assert_eq!(drawn, json!({"Left": "26.00%", "Width": "72.00%", "Measured": "62.00%"}));
        assert_eq!(interval(&Value::Null), Value::Null);
    }

    #[test]
    fn each_row_stands_below_the_one_before() {
        let long = "x".repeat(LETTERS);
        let rows = json!([{"Query": long, "Count": 4}, {"Query": "b", "Count": 1}]);
        let row = |name: &str, top: usize, count: u64, [first, second]: [&str; 2]| json!({"Name": name, "Method": null, "Top": top, "Counts": [count, count], "First": first, "Second": second, "End": second});
        let within = bars(&rows, ["Count", "Count"], BarParts::Within);
        let expected = [row(&long, 0, 4, ["0.00%", "78.00%"]), row("b", 42, 1, ["0.00%", "19.50%"])];
        assert_eq!(within, json!({"Rows": expected, "Height": 84}));
        let mut beside = [row(&long, 0, 4, ["39.00%", "39.00%"]), row("b", 42, 1, ["9.75%", "9.75%"])];
        beside[0]["End"] = json!("78.00%");
        beside[1]["End"] = json!("19.50%");
        let drawn = bars(&rows, ["Count", "Count"], BarParts::Beside);
        assert_eq!(drawn, json!({"Rows": beside, "Height": 84}));
        let longer = json!([{"Query": format!("{long}y"), "Count": 4}]);
        let longer = bars(&longer, ["Count", "Count"], BarParts::Within);
        assert_eq!(longer["Rows"][0]["Name"], format!("{long}…"));
    }

    #[test]
    fn an_interval_without_any_width_stands_in_the_middle() {
        let nothing = interval(&json!({"Low": 0.0, "Measured": 0.0, "High": 0.0}));
        assert_eq!(nothing, json!({"Left": "50.00%", "Width": "0.00%", "Measured": "50.00%"}));
        let low = interval(&json!({"Low": -0.4, "Measured": -0.3, "High": -0.2}));
        assert_eq!(low, json!({"Left": "2.00%", "Width": "24.00%", "Measured": "14.00%"}));
        assert_eq!(interval(&json!({"Low": 0.1, "Measured": 0.1})), Value::Null);
    }
}
