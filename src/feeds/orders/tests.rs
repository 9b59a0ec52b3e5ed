//! Order files as documented and as the clients write them, and files that must not be misread.

use std::io;

use proptest::prelude::*;

use super::*;

/// The header that the clients write.
const CLIENTS: &str = "OrderId,UserId,Email,DateTimeStamp,ProdCode,Quantity,UnityPrice,LinePrice";
/// 31 January 2026, noon.
const NOON: i64 = 1_769_860_800_000;

fn read(file: &[u8]) -> Result<Vec<Result<OrderRow, Issue>>, OrdersFault> {
    let mut reader = OrderReader::new(file)?;
    let mut lines = Vec::new();
    while let Some(row) = reader.next_row()? {
        lines.push(row);
    }
    Ok(lines)
}

fn refused(file: &str) -> String {
    read(file.as_bytes()).err().expect("a refusal").to_string()
}

/// A line in one text: order | user | email | account | date | product | quantity | price.
fn describe_row(row: Result<OrderRow, Issue>) -> String {
    match row {
        Ok(OrderRow::Cancelled { order_id, .. }) => format!("{order_id} cancelled"),
        Ok(OrderRow::Line(line)) => {
            let price = line.unit_price.map_or("-".to_owned(), |price| price.to_string());
            let OrderLine { order_id, user_id, email, account_id, ordered_at, product, quantity, .. } = line;
            let ids = format!("{order_id}|{user_id}|{email}|{account_id}");
            format!("{ids}|{}|{product}|{quantity}|{price}", ordered_at - NOON)
        }
        Err(issue) => {
            assert_eq!(issue.section, FeedPart::Orders);
            let field = issue.field.map_or_else(String::new, |field| format!(" {field}"));
            format!("{}: {}{field}", issue.row, issue.code.as_str())
        }
    }
}

fn lines(file: &str) -> Vec<String> {
    read(file.as_bytes()).expect("a file").into_iter().map(describe_row).collect()
}

/// The only line below the clients' header.
fn line(row: &str) -> String {
    lines(&format!("{CLIENTS}\n{row}")).pop().expect("a line")
}

#[test]
fn a_row_says_that_its_order_is_cancelled() {
    let header = "OrderID,UserId,DateTime,ProdCode,Quantity,Cancelled";
    let rows = ["1,7,2026-01-31,A,1,true", "2,7,2026-01-31,A,1,1", "3,,,,,", "4,7,2026-01-31,A,1,false"];
    let told = lines(&format!("{header}\n{}", rows.join("\n")));
    assert_eq!(told[..3], ["1 cancelled", "2 cancelled", "3 cancelled"]);
    assert!(told[3].starts_with("4|7|"), "{}", told[3]);
}

#[test]
fn the_documented_file_is_read() {
    let file = "OrderID,AccountId,UserId,Email,DateTime,ProdCode,Quantity,UnitPrice\r\n\
                1001,acme,7,ada@shop.test,2026-01-31T12:00:00Z,A,2,12.50\r\n\
                1001,acme,7,ada@shop.test,2026-01-31T13:00:00+01:00,B,1,\r\n";
    let expected = ["1001|7|ada@shop.test|acme|0|A|2|12.50", "1001|7|ada@shop.test|acme|0|B|1|-"];
    assert_eq!(lines(file), expected);
}

#[test]
fn the_clients_file_is_read() {
    // Magento: no zone, long quantities, both prices, no line break at the end; WooCommerce: guests are 0.
    let file = format!(
        "{CLIENTS}\n100000012,7,ada@shop.test,2026-01-31 12:00:00,42,2.0000,10.0000,20.0000\n\
         100000013,,guest@shop.test,2026-01-31 12:00:01,42,1.0000,10.0000,10.0000\n\
         77,0,woo@shop.test,2026-01-31T12:00:00+00:00,43,1,9.99,9.99"
    );
    let expected = [
        "100000012|7|ada@shop.test||0|42|2|10.0000",
        "100000013||guest@shop.test||1000|42|1|10.0000",
        "77|0|woo@shop.test||0|43|1|9.99",
    ];
    assert_eq!(lines(&file), expected);
    let woo2 = "OrderId,UserId,Email,DateTimeStamp,ProdCode,Quantity,UnityPrice\n\
                1,0,g@shop.test,2026-01-31 12:00:00,5,3,1.5";
    assert_eq!(lines(woo2), ["1|0|g@shop.test||0|5|3|1.5"]);
}

#[test]
fn columns_may_stand_in_any_order_and_case_beside_others() {
    let file = "\u{feff}prodcode , DATETIME,\"Email\",Colour,orderid\n\
                A,2026-01-31 12:00,ada@shop.test,red,1\n";
    assert_eq!(lines(file), ["1||ada@shop.test||0|A|1|-"]);
}

#[test]
fn a_header_that_lacks_columns_is_refused_by_their_names_and_never_quoted() {
    assert_eq!(
        refused("1001,7,ada@shop.test,2026-01-31,A,1,1,1\n"),
        "the header line of the order file lacks OrderID, DateTime, ProdCode, one of UserId, Email and AccountId"
    );
    assert_eq!(
        refused("OrderId;UserId;ProdCode\n"),
        refused("<html>\n"),
        "another separator is no separator"
    );
    assert_eq!(refused("OrderId,UserId,ProdCode\n"), "the header line of the order file lacks DateTime");
    assert_eq!(
        refused("OrderId,UserId,ProdCode,DateTime,DateTimeStamp\n"),
        "the header line of the order file names DateTime twice"
    );
    for empty in ["", "\n\r\n  \n", "\u{feff}\n"] {
        assert_eq!(
            refused(empty),
            "the order file is empty; it begins with a header line that names its columns"
        );
    }
    assert!(lines(CLIENTS).is_empty(), "a file without orders is one all the same");
}

#[test]
fn a_header_has_so_many_columns_and_no_more() {
    let own = |count: usize| ",x".repeat(count);
    assert!(lines(&format!("{CLIENTS}{}\n", own(limits::REQUEST_FIELDS - 8))).is_empty());
    assert_eq!(refused(&format!("OrderId{}\n", own(limits::REQUEST_FIELDS))), refused("<html>\n"));
}

#[test]
fn a_misspelt_column_is_told_unless_the_file_has_the_column_that_is_meant() {
    let header = "OrderId,UserId,DateTime,ProdCode,Emial,Order Date,QTY,Colour\n";
    let issue = |field: Option<&'static str>, meant: &'static str| Issue {
        code: IssueCode::FieldMisnamed,
        section: FeedPart::Orders,
        row: 0,
        offset: 0,
        line: None,
        field: field.map(Cow::Borrowed),
        meant: Some(meant),
    };
    let told = OrderReader::new(header.as_bytes()).expect("a header").header_issues();
    assert_eq!(told, [issue(None, "Email"), issue(Some("qty"), "Quantity")]);
}

#[test]
fn blank_lines_are_no_rows() {
    let file = format!("\r\n{CLIENTS}\r\n\r\n1,7,,2026-01-31,A,1,1,1\r\n  \r\n2,7,,2026-01-31,A,1,1\r\n");
    assert_eq!(lines(&file), ["1|7|||-43200000|A|1|1", "2: order_row_fields"]);
    let offsets: Vec<_> = read(file.as_bytes()).expect("a file");
    let offset = offsets.into_iter().find_map(Result::err).expect("an issue").offset;
    assert_eq!(offset, file.find("2,7").expect("the row") as u64);
}

#[test]
fn a_comma_in_a_sku_makes_a_bad_row_and_never_another_order() {
    assert_eq!(line("1,7,a@b.test,2026-01-31 12:00:00,A,B,1,1,1"), "1: order_row_fields");
    assert_eq!(line("1,7,a@b.test,2026-01-31 12:00:00,\"A,B\",1,1,1"), "1|7|a@b.test||0|A,B|1|1");
    assert_eq!(line("1,7,a@b.test,2026-01-31 12:00:00"), "1: order_row_fields");
}

#[test]
fn a_row_of_too_many_fields_spoils_no_later_one() {
    let row = |order: &str, sku: &str| format!("{order},7,,2026-01-31 12:00:00,{sku},1,1,1\n");
    let file = [format!("{CLIENTS}\n"), row("1", "A,B"), row("2", "B"), row("3", "C")].concat();
    assert_eq!(lines(&file), ["1: order_row_fields", "2|7|||0|B|1|1", "3|7|||0|C|1|1"]);
    assert_eq!(line("x"), "1: order_row_fields", "a last line of one letter is one");
}

#[test]
fn quotation_marks_spoil_their_own_row_at_most() {
    let row = |sku: &str| line(&format!("1,7,,2026-01-31 12:00:00,{sku},1,1,1"));
    assert_eq!(row("\"A \"\"4\"\"\""), "1|7|||0|A \"4\"|1|1");
    assert_eq!(row("12\" pipe"), "1|7|||0|12\" pipe|1|1");
    assert_eq!(row("\"A4\" box"), "1: order_row_fields");
    let file = format!("{CLIENTS}\n1,7,,2026-01-31,\"A,1,1,1\n2,7,,2026-01-31 12:00:00,B,1,1,1\n");
    assert_eq!(lines(&file), ["1: order_row_fields", "2|7|||0|B|1|1"]);
}

#[test]
fn dates_without_a_zone_are_utc() {
    let at = |date: &str| line(&format!("1,7,,{date},A,1,1,1"));
    for noon in [
        "2026-01-31 12:00:00",
        "2026-01-31T12:00:00",
        "2026-01-31 12:00",
        "2026-01-31T12:00:00.000",
        "2026-01-31T12:00:00Z",
        "2026-01-31 12:00:00+00:00",
        "2026-01-31T13:30:00+01:30",
        "2026-01-31T07:00:00-0500",
    ] {
        assert_eq!(at(noon), "1|7|||0|A|1|1", "{noon}");
    }
    assert_eq!(at("2026-01-31"), "1|7|||-43200000|A|1|1");
    for none in [
        "",
        "31/01/2026",
        "2026-02-30",
        "0000-00-00 00:00:00",
        "1769860800",
        "2026-01-31T12:00:00+99:00",
        "2026-01-31T12:00:00[Europe/Paris]",
        "2026-01-31 12:00:00 CET",
        "yesterday",
    ] {
        assert_eq!(at(none), "1: order_date_malformed DateTime", "{none}");
    }
}

#[test]
fn quantities_and_prices_are_exact() {
    let of = |quantity: &str, unit: &str, line_price: &str| {
        let told = line(&format!("1,7,,2026-01-31 12:00:00,A,{quantity},{unit},{line_price}"));
        told.trim_start_matches("1|7|||0|A|").to_owned()
    };
    assert_eq!(of("1.0000", "12.5000", "99"), "1|12.5000", "the unit price is the one that counts");
    assert_eq!(of("0.5", "", "6.25"), "0.5|12.5");
    assert_eq!(of("3", "", "10"), "3|3.3333");
    assert_eq!(of("2", "", "0.0005"), "2|0.0002", "a price in the middle becomes the even one");
    assert_eq!(of("", "1", ""), "1|1");
    assert_eq!(of("1", "", ""), "1|-");
    for quantity in ["0", "0.0000", "-1", "1 pc", "NaN"] {
        assert_eq!(of(quantity, "1", "1"), "1: order_quantity_malformed Quantity", "{quantity}");
    }
    for price in ["-1", "12.50 GBP", "£3", "1e99"] {
        assert_eq!(of("1", price, ""), "1: order_price_malformed UnitPrice", "{price}");
        assert_eq!(of("1", "", price), "1: order_price_malformed LinePrice", "{price}");
    }
    assert_eq!(of("0.0000000000000000000001", "", "999999999999999"), "1: order_price_malformed LinePrice");
}

#[test]
fn ids_are_texts_within_limits() {
    assert_eq!(line(" ,7,,2026-01-31,A,1,1,1"), "1: order_id_missing OrderID");
    assert_eq!(line("1,7,,2026-01-31, ,1,1,1"), "1: order_product_missing ProdCode");
    let longest = "x".repeat(limits::ITEM_ID_BYTES);
    let told = line(&format!("{longest},7,,2026-01-31 12:00:00,{longest},1,1,1"));
    assert_eq!(told, format!("{longest}|7|||0|{longest}|1|1"));
    let long = longest + "x";
    assert_eq!(line(&format!("{long},7,,2026-01-31,A,1,1,1")), "1: id_too_long OrderID");
    assert_eq!(line(&format!("1,7,,2026-01-31,{long},1,1,1")), "1: id_too_long ProdCode");
    let file = [CLIENTS.as_bytes(), b"\n1,7,\xff@b.test,2026-01-31,A,1,1,1"].concat();
    let told: Vec<_> = read(&file).expect("a file").into_iter().map(describe_row).collect();
    assert_eq!(told, ["1: row_invalid_utf8 Email"]);
}

#[test]
fn a_line_of_any_length_takes_no_more_memory_than_a_row() {
    let long = "x".repeat(2 * limits::FEED_ROW_BYTES);
    let file = format!("{CLIENTS}\n1,7,,2026-01-31,{long},1,1,1\n2,7,,2026-01-31 12:00:00,B,1,1,1\n");
    let mut reader = OrderReader::new(file.as_bytes()).expect("a header");
    let first = reader.next_row().ok().flatten().expect("a line");
    assert_eq!(describe_row(first), "1: row_too_large");
    let second = reader.next_row().ok().flatten().expect("a line");
    assert_eq!(describe_row(second), "2|7|||0|B|1|1");
    assert!(refused(&long).contains("lacks OrderID"));
}

#[test]
fn a_line_of_exactly_the_largest_size_is_read() {
    let row = |bytes: usize| {
        let begin = "1,7,,2026-01-31,";
        let end = ",1,1,1\n";
        [begin, &"x".repeat(bytes - begin.len() - end.len()), end].concat()
    };
    for (bytes, told) in [
        (limits::FEED_ROW_BYTES, "1: id_too_long ProdCode"),
        (limits::FEED_ROW_BYTES + 1, "1: row_too_large"),
    ] {
        assert_eq!(line(&row(bytes)), told, "{bytes}");
    }
}

#[test]
fn a_source_that_fails_is_a_fault_of_reading() {
    struct Failing;
    impl Read for Failing {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::ErrorKind::ConnectionReset.into())
        }
    }
    let file = format!("{CLIENTS}\n1,7,,2026-01-31,A,1,1,1");
    let mut reader = OrderReader::new(file.as_bytes().chain(Failing)).expect("a header");
    assert!(matches!(reader.next_row(), Err(OrdersFault::Read(_))));
}

proptest! {
    #[test]
    fn no_bytes_make_it_panic(bytes: Vec<u8>, rows in "([0-9a-z\",.: \r\n+-]{0,40}\n){0,5}") {
        let _ = read(&bytes);
        let _ = read(&[CLIENTS.as_bytes(), b"\n", &bytes].concat());
        let _ = read(format!("{CLIENTS}\n{rows}").as_bytes());
    }

    #[test]
    fn no_row_is_read_with_another_number_of_fields(fields in prop::collection::vec("[a-z0-9 .-]{0,12}", 1..12)) {
        let row = format!("1,{}", fields.join(","));
        if fields.len() != 7 {
            prop_assert_eq!(line(&row), "1: order_row_fields");
        }
    }
}
