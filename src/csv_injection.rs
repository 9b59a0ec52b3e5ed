//! Guard against CSV injection: a cell of a table that a spreadsheet would read as a formula is escaped.

/// First letters of a formula.
const BEGINNINGS: [char; 8] = ['=', '+', '-', '@', '＝', '＋', '－', '＠'];

/// Letters after which a spreadsheet may begin a new cell: some split lines at semicolons.
const SEPARATORS: [char; 4] = [';', '\t', '\r', '\n'];

/// A text as a cell that no spreadsheet takes for a formula: a sign that would begin one, there or after a separator
/// within it, gets an apostrophe in front.
#[must_use]
pub fn sheet_cell(text: &str) -> String {
    let mut cell = String::with_capacity(text.len() + 1);
    let mut is_begin = true;
    for letter in text.chars() {
        let is_formula = is_begin && BEGINNINGS.contains(&letter);
        let is_first_separator = cell.is_empty() && SEPARATORS[1..].contains(&letter);
        if is_formula || is_first_separator {
            cell.push('\'');
        }
        cell.push(letter);
        is_begin = SEPARATORS.contains(&letter);
    }
    cell
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_cell_is_a_formula() {
        for text in ["=1+1", "+1", "-1", "@SUM(A1)", "\t1", "\r1", "＝1"] {
            assert_eq!(sheet_cell(text), format!("'{text}"));
        }
        for (text, cell) in [
            ("\t=1", "'\t'=1"),
            ("\n=1", "'\n'=1"),
            ("x;=1;-2", "x;'=1;'-2"),
            (";=1", ";'=1"),
            (";a", ";a"),
            ("a\n@b", "a\n'@b"),
        ] {
            assert_eq!(sheet_cell(text), cell);
        }
        assert_eq!([sheet_cell(""), sheet_cell("a=1")], ["", "a=1"]);
    }
}
