//! Figures of a shop's start page, made of a report: four numbers with their trend, and the most missed searches.

use serde_json::{Value, json};

use super::report_figures::{ReportFigures, is_empty, relative_change};
use crate::console::ui::line_chart::sparkline;

/// Measures of the report of quality that the figures are made of.
const SEARCHES: &str = "searches";
const MISSED: &str = "searches without a result";
const CLICKS: &str = "clicks on a hit";
const ORDERS: &str = "orders with something found in a zone or a search";

/// Missed searches that are listed.
const MISSED_LISTED: usize = 5;

/// The figures of a report of quality with the days before, the rows of its days, and its missed searches.
pub(super) fn build_figures(report: &Value) -> Value {
    let now = ReportFigures::new(report);
    let before = ReportFigures::new(&report["Before"]);
    let line = |measure: &str, field: &str| sparkline(report, &report["Days"], [measure, field]);
    let rate = |figures: ReportFigures<'_>, measure: &str| figures.share(measure, SEARCHES);
    let points = |measure: &str| Some(rate(now, measure)? - rate(before, measure)?);
    let growth = |measure: &str, field: &str| {
        relative_change(before.number(measure, field), now.number(measure, field))
    };
    let figures = json!([
        {"Name": "searches", "Value": now.count(SEARCHES), "Line": line(SEARCHES, "Count"),
            "Change": growth(SEARCHES, "Count"), "Good": null},
        {"Name": "missed", "Value": rate(now, MISSED), "Of": now.count(MISSED), "Line": line(MISSED, "Count"),
            "Change": points(MISSED), "Good": "down"},
        {"Name": "clicks", "Value": rate(now, CLICKS), "Of": now.count(CLICKS), "Line": line(CLICKS, "Count"),
            "Change": points(CLICKS), "Good": "up"},
        {"Name": "revenue", "Value": now.number(ORDERS, "Revenue"), "Of": now.count(ORDERS),
            "Line": line(ORDERS, "Revenue"), "Change": growth(ORDERS, "Revenue"), "Good": "up"},
    ]);
    let is_broken = |figure: &Value| figure["Line"]["Told"].as_i64() < figure["Line"]["Days"].as_i64();
    let has_gap = figures.as_array().into_iter().flatten().any(is_broken);
    let missed: Vec<_> = report["Missed"].as_array().into_iter().flatten().take(MISSED_LISTED).collect();
    json!({"From": report["From"], "Until": report["Until"], "IsEmpty": is_empty(report), "HasGap": has_gap, "Figures": figures, "Missed": missed})
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measure(name: &str, count: u64) -> Value {
        json!({"Measure": name, "Count": count})
    }

    #[test]
    fn four_figures_have_their_change_to_the_days_before() {
        let mut orders = measure(ORDERS, 4);
        orders["Revenue"] = json!(150.0);
        let mut orders_before = measure(ORDERS, 3);
        orders_before["Revenue"] = json!(100.0);
        let day = json!({"Day": "2026-11-02", "Measure": SEARCHES, "Count": 9});
        let report = json!({"From": "2026-11-01", "Until": "2026-11-28", "Days": [day],
            "Rows": [measure(SEARCHES, 200), measure(MISSED, 20), measure(CLICKS, 100), orders],
            "Before": {"Rows": [measure(SEARCHES, 100), measure(MISSED, 5), orders_before]},
            "Missed": (0..7).map(|number| json!({"Query": number.to_string()})).collect::<Vec<_>>()});
        let told = build_figures(&report);
        let figures =
            |name: &str| (0..4).map(|number| told["Figures"][number][name].clone()).collect::<Vec<_>>();
        assert_eq!(figures("Value"), [json!(200.0), json!(0.1), json!(0.5), json!(150.0)]);
        assert_eq!(figures("Of"), [Value::Null, json!(20.0), json!(100.0), json!(4.0)]);
        assert_eq!(figures("Change"), [json!(1.0), json!(0.05), Value::Null, json!(0.5)]);
        let is_drawn: Vec<_> = figures("Line").iter().map(|line| !line.is_null()).collect();
        assert_eq!(is_drawn, [true, false, false, false]);
        assert_eq!(told["HasGap"], true);
        assert_eq!((told["Missed"].as_array().map(Vec::len), &told["IsEmpty"]), (Some(5), &json!(false)));
    }

    #[test]
    fn a_withheld_number_is_no_zero() {
        let report = json!({"From": "2026-11-01", "Until": "2026-11-28", "Rows": [measure(SEARCHES, 200)], "Days": []});
        let told = build_figures(&report);
        assert_eq!(told["Figures"][1]["Value"], Value::Null);
        assert_eq!((&told["Figures"][0]["Change"], &told["HasGap"]), (&Value::Null, &json!(false)));
        assert_eq!(build_figures(&json!({"Rows": []}))["IsEmpty"], true);
    }
}
