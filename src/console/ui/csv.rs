//! Tables as files for spreadsheets (RFC 4180): the rows of a page, at the same address with `csv` in it; for a
//! further table of the page with `csv=` and the table's name.

use axum::http::header;
use axum::response::{IntoResponse, Response};
use jiff::Timestamp;
use serde_json::Value;

use super::problem::Problem;
use crate::csv_injection::sheet_cell;

/// The field of an address that asks for a spreadsheet.
const QUERY_FIELD: &str = "csv";

/// The address of a page as a spreadsheet.
pub(crate) fn address(page: &str) -> String {
    let sign = if page.contains('?') { '&' } else { '?' };
    format!("{page}{sign}{QUERY_FIELD}")
}

/// The name of the table that a query asks for as a spreadsheet; empty for the first table of the page.
pub(crate) fn requested_table(query: &str) -> Option<String> {
    let mut fields = url::form_urlencoded::parse(query.as_bytes());
    fields.find(|(name, _)| name == QUERY_FIELD).map(|(_, table)| table.into_owned())
}

/// A list of rows as a file of this name. A column is called as its field is; one within another is `Outer.Inner`. A
/// field whose name ends with `At` is a time.
///
/// # Errors
/// When the table cannot be written.
pub(crate) fn file(name: &str, columns: &[&str], rows: &Value) -> Result<Response, Problem> {
    table(columns, rows).map(|table| download(name, table)).map_err(|_| Problem::fault())
}

/// A table that is written already, as a file of this name.
pub(crate) fn download(name: &str, table: impl IntoResponse) -> Response {
    let headers = [
        (header::CONTENT_TYPE, "text/csv; charset=utf-8".to_owned()),
        (header::CONTENT_DISPOSITION, format!("attachment; filename=\"{name}.csv\"")),
    ];
    (headers, table).into_response()
}

fn table(columns: &[&str], rows: &Value) -> Result<Vec<u8>, csv::Error> {
    let mut table = csv::Writer::from_writer(Vec::new());
    table.write_record(columns)?;
    for row in rows.as_array().into_iter().flatten() {
        table.write_record(columns.iter().map(|column| {
            let value = column.split('.').fold(row, |within, name| &within[name]);
            cell(value, column.ends_with("At"))
        }))?;
    }
    table.into_inner().map_err(|fault| fault.into_error().into())
}

fn cell(value: &Value, is_time: bool) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => sheet_cell(text),
        Value::Array(all) => {
            let all: Vec<_> = all.iter().map(|one| cell(one, is_time)).collect();
            sheet_cell(&all.join(", "))
        }
        Value::Object(_) => sheet_cell(&value.to_string()),
        other => {
            let at = other.as_i64().filter(|_| is_time).and_then(|at| Timestamp::from_millisecond(at).ok());
            at.map_or_else(|| other.to_string(), |at| at.to_string())
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_cell_is_a_time_a_number_or_a_text_and_no_formula() {
        let row = json!({"Number": 7, "AcceptedAt": 1_795_262_400_000_i64, "Figures": {"New": 3}, "Reason": "=1+\"2\", x",
            "Shops": ["-a", "b"], "Gone": null, "Held": true, "Hide": {"Brand": ";=1+1"}});
        let columns =
            ["Number", "AcceptedAt", "Figures.New", "Reason", "Shops", "Gone", "Held", "Hide", "None.Such"];
        let table = String::from_utf8(table(&columns, &json!([row])).expect("a table")).expect("a text");
        assert_eq!(
            table,
            "Number,AcceptedAt,Figures.New,Reason,Shops,Gone,Held,Hide,None.Such\n\
             7,2026-11-21T12:00:00Z,3,\"'=1+\"\"2\"\", x\",\"'-a, b\",,true,\"{\"\"Brand\"\":\"\";'=1+1\"\"}\",\n"
        );
        assert_eq!(address("/acts"), "/acts?csv");
        assert_eq!(requested_table("state=failed&csv="), Some(String::new()));
        assert_eq!(
            (requested_table("csv=lists"), requested_table("state=csv")),
            (Some("lists".to_owned()), None)
        );
        assert_eq!(address("/shops/a/imports?state=failed"), "/shops/a/imports?state=failed&csv");
    }
}
