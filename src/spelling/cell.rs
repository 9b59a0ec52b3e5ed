//! Texts in tables for spreadsheets.

/// A text as a cell that no spreadsheet takes for a formula: what would begin one gets an apostrophe in front.
#[must_use]
pub fn sheet_cell(text: &str) -> String {
    // red: spelling::cell::tests::no_cell_is_a_formula
    let is_formula =
        mutant!("a-cell-is-a-formula", text.starts_with(['=', '+', '-', '@', '\t', '\r']), false);
    if is_formula { format!("'{text}") } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_cell_is_a_formula() {
        for text in ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1"] {
            assert_eq!(sheet_cell(text), format!("'{text}"));
        }
        assert_eq!([sheet_cell(""), sheet_cell("a=1")], ["", "a=1"]);
    }
}
