//! Figures of a report of measures: counts, shares and changes. A number that the report withholds is absent, not zero.

use serde_json::Value;

/// The rows of a report of one period, a row for each measure.
#[derive(Clone, Copy)]
pub(super) struct ReportFigures<'r>(&'r Value);

impl<'r> ReportFigures<'r> {
    /// Figures of `Rows` of a report, or of its `Before`.
    pub(super) fn new(report: &'r Value) -> Self {
        Self(&report["Rows"])
    }

    /// Row of a measure.
    pub(super) fn find_row(self, measure: &str) -> Option<&'r Value> {
        self.0.as_array()?.iter().find(|row| row["Measure"] == measure)
    }

    /// Number in a field of the row of a measure.
    pub(super) fn number(self, measure: &str, field: &str) -> Option<f64> {
        self.find_row(measure)?[field].as_f64()
    }

    /// Count of a measure.
    pub(super) fn count(self, measure: &str) -> Option<f64> {
        self.number(measure, "Count")
    }

    /// Count of a measure as a part of that of another one.
    pub(super) fn share(self, part: &str, whole: &str) -> Option<f64> {
        let whole = self.count(whole).filter(|whole| *whole > 0.0)?;
        Some(self.count(part)? / whole)
    }
}

/// Growth from one number to another, as a part of the first.
pub(super) fn relative_change(before: Option<f64>, now: Option<f64>) -> Option<f64> {
    let before = before.filter(|before| *before > 0.0)?;
    now.map(|now| now / before - 1.0)
}

/// Returns true if a report has no rows.
pub(super) fn is_empty(report: &Value) -> bool {
    report["Rows"].as_array().is_none_or(Vec::is_empty)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_figure_of_a_withheld_number_is_absent() {
        let report = json!({"Rows": [{"Measure": "searches", "Count": 200}, {"Measure": "orders", "Count": 0},
            {"Measure": "clicks on a hit", "Count": 50, "Revenue": 7.5}, {"Measure": "zones seen", "Count": null}]});
        let figures = ReportFigures::new(&report);
        assert_eq!((figures.count("searches"), figures.count("zones seen")), (Some(200.0), None));
        assert_eq!(figures.number("clicks on a hit", "Revenue"), Some(7.5));
        for (part, whole, share) in [
            ("clicks on a hit", "searches", Some(0.25)),
            ("orders", "searches", Some(0.0)),
            ("searches", "orders", None),
            ("searches", "zones seen", None),
            ("zones seen", "searches", None),
            ("no measure", "searches", None),
        ] {
            assert_eq!(figures.share(part, whole), share, "{part} of {whole}");
        }
        assert!(ReportFigures::new(&json!({})).find_row("searches").is_none());
    }

    #[test]
    fn a_change_needs_a_number_before() {
        for (before, now, change) in [
            (Some(100.0), Some(150.0), Some(0.5)),
            (Some(100.0), Some(0.0), Some(-1.0)),
            (Some(0.0), Some(5.0), None),
            (None, Some(5.0), None),
            (Some(5.0), None, None),
        ] {
            assert_eq!(relative_change(before, now), change, "{before:?} {now:?}");
        }
    }

    #[test]
    fn a_report_is_empty_without_rows() {
        for (report, expected) in
            [(json!({}), true), (json!({"Rows": []}), true), (json!({"Rows": [{}]}), false)]
        {
            assert_eq!(is_empty(&report), expected, "{report}");
        }
    }
}
