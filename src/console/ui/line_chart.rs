//! Charts of lines over days, as their templates draw them: in percent of the field, which is stretched over the page.

use jiff::civil::Date;
use serde_json::{Value, json};

use crate::limits;

/// The width and the height of the field.
const FIELD: (f64, f64) = (1000.0, 100.0);
/// Least distance between two labels at the ends of lines, in percent of the height.
const LABEL_GAP: f64 = 14.0;
/// Most days that are named under the axis.
const NAMED_DAYS: i32 = 7;

/// Days of a chart, from the first to the last.
struct ChartDays {
    first: Date,
    count: i32,
}

/// A day, counted from the first of the chart, and its number.
type Point = (i32, f64);

/// Numbers of a measure, in the order of their days.
type Series = Vec<Point>;

impl ChartDays {
    fn parse(report: &Value) -> Option<Self> {
        let first = date(&report["From"])?;
        let last = date(&report["Until"])?;
        let count = days_between(first, last) + 1;
        (count > 0).then_some(Self { first, count })
    }

    /// The days before, as many.
    fn before(&self) -> Option<Self> {
        let first = self.first.checked_sub(jiff::Span::new().days(self.count)).ok()?;
        Some(Self { first, count: self.count })
    }

    fn series(&self, rows: &Value, measure: &str, field: &str) -> Series {
        let rows = rows.as_array().into_iter().flatten().filter(|row| row["Measure"] == measure);
        let point = |row: &Value| Some((days_between(self.first, date(&row["Day"])?), row[field].as_f64()?));
        rows.filter_map(point).filter(|(day, _)| (0..self.count).contains(day)).collect()
    }

    /// Place of a day across the field, from 0 to 1.
    fn place(&self, day: i32) -> f64 {
        f64::from(day) / f64::from((self.count - 1).max(1))
    }

    /// Polylines of a series, where the field is `top` high. A line is broken at a day without a number.
    fn polylines(&self, series: &[Point], top: f64) -> Vec<Value> {
        let at = |(day, count): &Point| {
            format!("{:.1},{:.1}", self.place(*day) * FIELD.0, FIELD.1 * (1.0 - count / top))
        };
        let runs = series.chunk_by(|(day, _), (next, _)| day + 1 == *next);
        // One day alone is a point: a line to where it is.
        let twice = |run: &[Point]| if run.len() == 1 { [run, run].concat() } else { run.to_vec() };
        let drawn = |run| twice(run).iter().map(at).collect::<Vec<_>>().join(" ");
        runs.map(|run| json!({"Points": drawn(run), "IsOne": run.len() == 1})).collect()
    }

    /// Days that are named under the axis: all of a week, and of more days the Mondays, as many as there is room for.
    fn ticks(&self) -> Vec<Value> {
        let named = (0..self.count).filter_map(|day| {
            let date = self.first.checked_add(jiff::Span::new().days(day)).ok()?;
            let weekday = date.weekday().to_monday_one_offset();
            (self.count <= NAMED_DAYS || weekday == 1).then_some((day, date, weekday))
        });
        let named: Vec<_> = named.collect();
        let step = named.len().div_ceil(NAMED_DAYS.unsigned_abs() as usize).max(1);
        let tick = |(day, date, weekday): &(i32, Date, i8)| json!({"X": percent(self.place(*day)), "Weekday": weekday, "Day": date.to_string(), "Of": date.day()});
        named.iter().step_by(step).map(tick).collect()
    }

    /// Columns of the days with the numbers of both series, which the reader points at. Many days have none: their
    /// numbers would weigh more than the page.
    fn columns(&self, both: &[Series; 2]) -> Vec<Value> {
        let width = FIELD.0 / f64::from((self.count - 1).max(1));
        let count_of = |series: &Series, day: i32| {
            let found = series.iter().find(|(other, _)| *other == day);
            found.map(|(_, count)| *count)
        };
        let column = |day: i32| {
            let date = self.first.checked_add(jiff::Span::new().days(day)).ok()?;
            let left = self.place(day) * FIELD.0 - width / 2.0;
            let counts = both.each_ref().map(|series| count_of(series, day));
            Some(json!({"Left": format!("{left:.1}"), "Day": date.to_string(), "Counts": counts}))
        };
        let is_long = self.count.unsigned_abs() as usize > limits::PAGE_DAYS;
        if is_long { Vec::new() } else { (0..self.count).filter_map(column).collect() }
    }
}

fn date(value: &Value) -> Option<Date> {
    value.as_str()?.parse().ok()
}

fn days_between(first: Date, day: Date) -> i32 {
    first.until(day).map(|span| span.get_days()).unwrap_or_default()
}

fn percent(part: f64) -> String {
    format!("{:.2}%", 100.0 * part)
}

/// The lowest round number, at least 2, that is not below `most`: its half is written at the middle line.
fn round_up(most: f64) -> f64 {
    let power = 10_f64.powf(most.max(1.0).log10().floor());
    let steps = [2.0, 4.0, 6.0, 8.0, 10.0].map(|step| step * power);
    steps.into_iter().find(|step| *step >= most).unwrap_or(most)
}

/// Highest number of some series.
fn highest<'s>(all: impl Iterator<Item = &'s Series>) -> f64 {
    all.flatten().map(|(_, count)| *count).fold(0.0, f64::max)
}

/// Small line of a measure over the days of a report, without an axis; `null` when no day has a number. `rows` are
/// those of the report of days, `field` the number of them that is drawn.
pub(crate) fn sparkline(report: &Value, rows: &Value, [measure, field]: [&str; 2]) -> Value {
    let Some(days) = ChartDays::parse(report) else { return Value::Null };
    let series = days.series(rows, measure, field);
    let most = highest(std::iter::once(&series));
    if most <= 0.0 {
        return Value::Null;
    }
    json!({"Runs": days.polylines(&series, most), "Most": most, "Told": series.len(), "Days": days.count})
}

/// Lines of two measures over the days of a report, and of the first in the days before; `null` when neither has a
/// number for any day.
pub(crate) fn lines(report: &Value, measures: [&str; 2]) -> Value {
    let Some(days) = ChartDays::parse(report) else { return Value::Null };
    let both = measures.map(|measure| days.series(&report["Rows"], measure, "Count"));
    let before = days.before().map(|days| days.series(&report["Before"]["Rows"], measures[0], "Count"));
    let before = before.unwrap_or_default();
    if highest(both.iter()) <= 0.0 {
        return Value::Null;
    }
    let top = round_up(highest(both.iter().chain([&before])));
    let is_broken = |series: &Series| (1..days.count.unsigned_abs() as usize).contains(&series.len());
    let has_gap = both.iter().any(is_broken);
    json!({"Measures": measures, "Runs": both.each_ref().map(|series| days.polylines(series, top)),
        "Before": days.polylines(&before, top), "Top": top, "Middle": top / 2.0, "Ends": end_labels(&days, &both, top),
        "Ticks": days.ticks(), "Columns": days.columns(&both), "HasGap": has_gap,
        "ColumnWidth": format!("{:.1}", FIELD.0 / f64::from((days.count - 1).max(1)))})
}

/// Labels of the numbers of the last day, in percent from the top; two that would cover each other are moved apart.
fn end_labels(days: &ChartDays, both: &[Series; 2], top: f64) -> Vec<Value> {
    let last =
        |series: &Series| series.last().filter(|(day, _)| day + 1 == days.count).map(|(_, count)| *count);
    let mut labels: Vec<(usize, f64, f64)> = Vec::new();
    for (number, series) in both.iter().enumerate() {
        labels.extend(last(series).map(|count| (number, count, 100.0 * (1.0 - count / top))));
    }
    labels.sort_by(|one, other| one.2.total_cmp(&other.2));
    if let [upper, lower] = labels.as_mut_slice()
        && lower.2 - upper.2 < LABEL_GAP
    {
        upper.2 = (upper.2 - LABEL_GAP / 2.0).clamp(0.0, 100.0 - LABEL_GAP);
        lower.2 = upper.2 + LABEL_GAP;
    }
    let label = |(number, count, y): &(usize, f64, f64)| json!({"Of": number, "Count": count, "Y": format!("{y:.2}%")});
    labels.iter().map(label).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report_of_five_days() -> Value {
        let row = |day: u8, count: u64| json!({"Day": format!("2026-11-0{day}"), "Measure": "orders", "Count": count});
        let before = json!({"Day": "2026-10-29", "Measure": "orders", "Count": 30});
        json!({"From": "2026-11-01", "Until": "2026-11-05", "Rows": [row(1, 10), row(2, 20), row(5, 5)],
            "Before": {"Rows": [before]}})
    }

    #[test]
    fn a_line_is_broken_where_a_day_is_not_told() {
        let report = report_of_five_days();
        let drawn = lines(&report, ["orders", "searches"]);
        let runs = [("0.0,75.0 250.0,50.0", false), ("1000.0,87.5 1000.0,87.5", true)];
        let runs = runs.map(|(points, is_one)| json!({"Points": points, "IsOne": is_one}));
        assert_eq!(drawn["Runs"], json!([runs, []]));
        assert_eq!(drawn["Before"], json!([{"Points": "500.0,25.0 500.0,25.0", "IsOne": true}]));
        assert_eq!((&drawn["Top"], &drawn["HasGap"]), (&json!(40.0), &json!(true)));
        assert_eq!(lines(&report, ["searches"; 2]), Value::Null);
    }

    #[test]
    fn each_day_tells_its_numbers_and_the_last_stands_at_its_end() {
        let drawn = lines(&report_of_five_days(), ["orders", "searches"]);
        let columns = drawn["Columns"].as_array().expect("columns");
        assert_eq!(columns.len(), 5);
        assert_eq!(columns[1], json!({"Left": "125.0", "Day": "2026-11-02", "Counts": [20.0, null]}));
        assert_eq!(drawn["Ends"], json!([{"Of": 0, "Count": 5.0, "Y": "87.50%"}]));
        // The second of November 2026 is a Monday.
        let tick = json!({"X": "25.00%", "Weekday": 1, "Day": "2026-11-02", "Of": 2});
        assert_eq!((drawn["Ticks"].as_array().map(Vec::len), &drawn["Ticks"][1]), (Some(5), &tick));
    }

    #[test]
    fn a_long_chart_names_mondays_as_many_as_there_is_room_for() {
        let days = ChartDays { first: Date::constant(2026, 9, 1), count: 90 };
        let ticks = days.ticks();
        assert!(ticks.len() <= 7 && ticks.iter().all(|tick| tick["Weekday"] == 1), "{ticks:?}");
    }

    #[test]
    fn days_have_their_numbers_as_long_as_the_page_has_room_for_them() {
        let columns = |count: i32| {
            let days = ChartDays { first: Date::constant(2026, 1, 1), count };
            days.columns(&[vec![(0, 1.0)], Vec::new()]).len()
        };
        let most = limits::PAGE_DAYS as i32;
        assert_eq!([most, most + 1].map(columns), [limits::PAGE_DAYS, 0]);
    }

    #[test]
    fn labels_at_the_ends_do_not_cover_each_other() {
        let days = ChartDays { first: Date::constant(2026, 9, 1), count: 2 };
        let both = [vec![(1, 50.0)], vec![(1, 49.0)]];
        let labels = end_labels(&days, &both, 100.0);
        assert_eq!(labels[0], json!({"Of": 0, "Count": 50.0, "Y": "43.00%"}));
        assert_eq!(labels[1]["Y"], "57.00%");
    }

    #[test]
    fn the_axis_ends_at_a_round_number() {
        let tops = [0.5, 3.0, 10.0, 129.0, 4100.0].map(round_up);
        assert_eq!(tops, [2.0, 4.0, 20.0, 200.0, 6000.0]);
    }

    #[test]
    fn a_small_line_is_as_high_as_its_highest_day() {
        let report = report_of_five_days();
        let drawn = sparkline(&report, &report["Rows"], ["orders", "Count"]);
        assert_eq!(drawn["Runs"][0]["Points"], "0.0,50.0 250.0,0.0");
        assert_eq!((&drawn["Told"], &drawn["Days"]), (&json!(3), &json!(5)));
        assert_eq!(sparkline(&report, &report["Rows"], ["orders", "Revenue"]), Value::Null);
    }

    #[test]
    fn a_line_of_one_day_and_a_day_without_a_number_are_drawn() {
        let row = |day: &str, count: Value| json!({"Day": day, "Measure": "orders", "Count": count});
        let one = json!({"From": "2026-11-01", "Until": "2026-11-01", "Rows": [row("2026-11-01", json!(4))]});
        let run = |points: &str, is_one: bool| json!({"Points": points, "IsOne": is_one});
        let drawn = lines(&one, ["orders", "x"]);
        assert_eq!(drawn["Runs"], json!([[run("0.0,0.0 0.0,0.0", true)], []]));
        assert_eq!(drawn["HasGap"], json!(false));
        // A number that is withheld is none, and what is no day is on none.
        let rows = [
            row("2026-11-01", json!(4)),
            row("2026-11-02", Value::Null),
            row("soon", json!(4)),
            row("2026-11-03", json!(2)),
        ];
        let three = json!({"From": "2026-11-01", "Until": "2026-11-03", "Rows": rows});
        let runs = [run("0.0,0.0 0.0,0.0", true), run("1000.0,50.0 1000.0,50.0", true)];
        let tick = |x: &str, weekday: u8, day: u8| json!({"X": x, "Weekday": weekday, "Day": format!("2026-11-0{day}"), "Of": day});
        let column = |left: &str, day: u8, count: Value| json!({"Left": left, "Day": format!("2026-11-0{day}"), "Counts": [count, null]});
        let expected = json!({"Measures": ["orders", "x"], "Runs": [runs, []], "Before": [], "Top": 4.0, "Middle": 2.0,
            "Ends": [{"Of": 0, "Count": 2.0, "Y": "50.00%"}],
            "Ticks": [tick("0.00%", 7, 1), tick("50.00%", 1, 2), tick("100.00%", 2, 3)],
            "Columns": [column("-250.0", 1, json!(4.0)), column("250.0", 2, Value::Null), column("750.0", 3, json!(2.0))],
            "HasGap": true, "ColumnWidth": "500.0"});
        assert_eq!(lines(&three, ["orders", "x"]), expected);
        let none =
            json!({"From": "2026-11-01", "Until": "2026-11-03", "Rows": [row("2026-11-01", json!(0))]});
        assert_eq!(lines(&none, ["orders", "x"]), Value::Null);
        let never = json!({"From": "soon", "Until": "2026-11-03", "Rows": [row("2026-11-01", json!(4))]});
        assert_eq!(lines(&never, ["orders", "x"]), Value::Null);
    }
}
