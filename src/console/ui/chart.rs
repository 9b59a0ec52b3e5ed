//! Charts, as their templates draw them: bars and intervals with lengths in percent, so that letters stay as large on a
//! phone, and lines over days.

use jiff::civil::Date;
use serde_json::{Value, json};

/// Rows that are drawn; the table below has all rows.
const BARS: usize = 10;
/// The height of a row in pixels: its name, and two bars.
const ROW: usize = 52;
/// Letters of a name that are drawn.
const LETTERS: usize = 48;

/// The first rows with the two counts of each; `null` when there is nothing to draw.
pub(crate) fn bars(rows: &Value, [first, second]: [&str; 2]) -> Value {
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

/// The width and the height of lines; they are stretched over the page.
const FIELD: (f64, f64) = (1000.0, 100.0);

/// Lines of two measures over the days of a report; `null` when neither has a number for any day. A line is broken at
/// a day without a number.
pub(crate) fn lines(report: &Value, measures: [&str; 2]) -> Value {
    let date = |value: &Value| value.as_str().and_then(|day| day.parse::<Date>().ok());
    let Some((first, last)) = date(&report["From"]).zip(date(&report["Until"])) else { return Value::Null };
    let days_to = |day: Date| first.until(day).map(|span| span.get_days()).unwrap_or_default();
    let points = |measure: &str| -> Vec<(i32, f64)> {
        let rows = report["Rows"].as_array().into_iter().flatten();
        let told = rows.filter(|row| row["Measure"] == measure);
        told.filter_map(|row| Some((days_to(date(&row["Day"])?), row["Count"].as_f64()?))).collect()
    };
    let both = measures.map(points);
    let most = both.iter().flatten().map(|(_, count)| *count).fold(0.0, f64::max);
    if most <= 0.0 {
        return Value::Null;
    }
    let across = FIELD.0 / f64::from(days_to(last).max(1));
    let at = |(day, count): &(i32, f64)| {
        format!("{:.1},{:.1}", f64::from(*day) * across, FIELD.1 * (1.0 - count / most))
    };
    let runs = |points: &Vec<(i32, f64)>| -> Vec<Value> {
        let runs = points.chunk_by(|(day, _), (next, _)| day + 1 == *next);
        // One day alone is a point: a line to where it is.
        let twice = |run: &[(i32, f64)]| if run.len() == 1 { [run, run].concat() } else { run.to_vec() };
        let drawn = |run| twice(run).iter().map(at).collect::<Vec<_>>().join(" ");
        runs.map(|run| json!({"Points": drawn(run), "IsOne": run.len() == 1})).collect()
    };
    json!({"Measures": measures, "Runs": both.each_ref().map(runs), "Most": most})
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

/// Label of a row: the names in it, cut to `LETTERS` characters.
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
        // A withheld number is not drawn as zero.
        assert_eq!(chart["Rows"][1]["Bars"][1]["Count"], Value::Null);
        assert_eq!(chart["Rows"][1]["Name"].as_str().map(|name| name.chars().count()), Some(49));
        assert_eq!(chart["Height"], 104);
        assert_eq!(bars(&json!([]), ["Count", "Clicks"]), Value::Null);
        assert_eq!(bars(&json!([{"Zone": "HP-01", "Count": 0}]), ["Count", "Clicks"]), Value::Null);
        // The first ten alone are drawn, and measured.
        let rows: Vec<_> =
            (1..=11).map(|number| json!({"Query": number.to_string(), "Count": number})).collect();
        let chart = bars(&rows.into(), ["Count", "Clicks"]);
        assert_eq!((chart["Rows"].as_array().map(Vec::len), &chart["Height"]), (Some(10), &json!(520)));
        assert_eq!(chart["Rows"][9]["Bars"][0]["Length"], "82.00%");
    }

    #[test]
    fn a_line_is_broken_where_a_day_is_not_told() {
        let row = |day: u8, count: u64| json!({"Day": format!("2026-11-0{day}"), "Measure": "orders", "Count": count});
        let rows = [row(1, 10), row(2, 20), row(5, 5)];
        let report = json!({"From": "2026-11-01", "Until": "2026-11-05", "Rows": rows});
        let drawn = lines(&report, ["orders", "searches"]);
        let runs = [("0.0,50.0 250.0,0.0", false), ("1000.0,75.0 1000.0,75.0", true)];
        let runs = runs.map(|(points, is_one)| json!({"Points": points, "IsOne": is_one}));
        assert_eq!(drawn["Runs"], json!([runs, []]));
        assert_eq!((&drawn["Most"], lines(&report, ["searches"; 2])), (&json!(20.0), Value::Null));
    }

    #[test]
    fn an_interval_stands_around_nothing() {
        let drawn = interval(&json!({"Low": -0.1, "Measured": 0.05, "High": 0.2}));
        assert_eq!(drawn, json!({"Left": "26.00%", "Width": "72.00%", "Measured": "62.00%"}));
        assert_eq!(interval(&Value::Null), Value::Null);
    }
}
