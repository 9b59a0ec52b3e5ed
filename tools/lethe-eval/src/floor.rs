//! Bounds of measured figures, which `--floors` and CI demand.

use serde::Serialize;

/// A figure and its bound.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct Floor {
    /// Name of the measurement.
    pub name: String,
    /// Measured figure.
    pub figure: f64,
    /// Bound that it must reach, or must not exceed.
    pub bound: f64,
    /// True if the figure reaches or keeps to the bound.
    #[serde(rename = "Reached")]
    pub is_reached: bool,
}

impl Floor {
    /// A figure that must reach its bound.
    #[must_use]
    pub fn at_least(name: impl Into<String>, figure: f64, bound: f64) -> Self {
        Self { name: name.into(), figure, bound, is_reached: figure >= bound }
    }

    /// A figure that must not exceed its bound.
    #[must_use]
    pub fn at_most(name: impl Into<String>, figure: f64, bound: f64) -> Self {
        Self { name: name.into(), figure, bound, is_reached: figure <= bound }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_at_its_bound_reaches_it() {
        assert!(
            Floor::at_least("kept", 0.92, 0.92).is_reached
                && Floor::at_most("replaced", 0.12, 0.12).is_reached
        );
        assert!(!Floor::at_least("kept", 0.91, 0.92).is_reached);
        assert!(!Floor::at_most("replaced", 0.13, 0.12).is_reached);
    }

    #[test]
    fn a_figure_that_is_no_number_reaches_nothing() {
        assert!(!Floor::at_least("kept", f64::NAN, 0.92).is_reached);
        assert!(!Floor::at_most("replaced", f64::NAN, 0.12).is_reached);
    }
}
