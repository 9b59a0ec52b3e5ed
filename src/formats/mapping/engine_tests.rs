//! Rules applied to records.

use super::*;

/// Rules by which a column's use is its position.
struct TestRules(&'static [ColumnUse]);

impl MappingRules for TestRules {
    fn find_use(&self, name: &str) -> ColumnUse {
        let number: Option<usize> = name.strip_prefix('c').and_then(|number| number.parse().ok());
        number.and_then(|number| self.0.get(number)).copied().unwrap_or(ColumnUse::Attribute)
    }

    fn complete(&self, _: &mut DraftRow, _: &Extras, _: &MappingContext<'_>) {}
}

/// Maps values, each of the column with its position, by uses.
fn map_values(uses: &'static [ColumnUse], values: &[&str]) -> DraftRow {
    let names: Vec<String> = (0..values.len()).map(|number| format!("c{number}")).collect();
    let values: Vec<(&str, &str)> = names.iter().map(String::as_str).zip(values.iter().copied()).collect();
    map_named(uses, &values, MappingContext::default())
}

fn map_named(uses: &'static [ColumnUse], values: &[(&str, &str)], context: MappingContext<'_>) -> DraftRow {
    let mut headings = Headings::default();
    let mut record = FeedRecord::default();
    for (name, text) in values {
        let column = headings.intern(name).unwrap();
        record.values.push(crate::formats::records::record::RecordValue { column, text: (*text).to_owned() });
    }
    RecordMapper::new(TestRules(uses), context).map_record(&headings, &record)
}

fn is_malformed(text: &str) -> bool {
    parse_date(text, &MappingContext::default()) == DateReading::Malformed
}

#[test]
fn the_first_value_of_a_field_counts_and_blank_words_do_not() {
    let row = map_values(&[ColumnUse::Id, ColumnUse::Id, ColumnUse::Id], &["N/A", "7", "8"]);
    assert_eq!(row.id.as_deref(), Some("7"));
}

#[test]
fn stock_is_a_number_as_json_writes_it() {
    for (text, english, german) in [
        ("12", "12", "12"),
        ("12.0", "12", "12"),
        ("007", "7", "7"),
        ("-3", "-3", "-3"),
        ("100.0000", "100", "100"),
        ("0.500", "0.5", "0.5"),
        ("1,200", "1200", "1.2"),
        ("1.200", "1.2", "1200"),
        ("1.200,5", "1200.5", "1200.5"),
        ("1,200.5", "1200.5", "1200.5"),
        ("1.200.000", "1200000", "1200000"),
        ("1'200", "1200", "1200"),
        ("> 10", "10", "10"),
        ("10+", "10", "10"),
        ("5 Stück", "5", "5"),
    ] {
        assert_eq!(parse_quantity(text, false).as_deref(), Some(english), "{text}");
        assert_eq!(parse_quantity(text, true).as_deref(), Some(german), "{text}");
    }
    for text in ["", "many", "approx. 5", "99999999999999999999999999999999", "."] {
        assert_eq!(parse_quantity(text, false), None, "{text}");
    }
}

#[test]
fn a_word_in_the_column_of_the_stock_says_whether_it_can_be_bought() {
    let row = map_values(&[ColumnUse::Quantity], &["out of stock"]);
    assert_eq!((row.quantity, row.in_stock), (None, Some(false)));
    let row = map_values(&[ColumnUse::Quantity], &["perhaps"]);
    assert_eq!(row.issues.first().map(|issue| issue.code), Some(IssueCode::AvailabilityUnknown));
}

#[test]
fn dates_of_a_sale_are_separated_by_the_slash_in_their_middle() {
    let row = map_values(&[ColumnUse::SaleDates], &["2026-11-27T00:00Z/2026-12-01T00:00Z"]);
    assert!(row.sale_start.is_some_and(|start| start.starts_with("2026-11-27")));
    assert!(row.sale_end.is_some_and(|end| end.starts_with("2026-12-01")));
    let row = map_values(&[ColumnUse::SaleDates], &["11/27/2026 / 12/31/2026"]);
    assert!(row.sale_start.is_some_and(|start| start.starts_with("2026-11-27")));
    assert!(row.sale_end.is_some_and(|end| end.starts_with("2026-12-31")));
    let row = map_values(&[ColumnUse::SaleDates], &["2026-11-27/"]);
    assert_eq!((row.sale_start.as_deref(), row.sale_end.as_deref()), (Some("2026-11-27"), None));
}

#[test]
fn a_range_that_cannot_be_read_stays_as_sent_so_that_its_sale_is_off() {
    for text in ["11/27/2026", "on Black Friday"] {
        let row = map_values(&[ColumnUse::SaleDates], &[text]);
        assert_eq!(row.sale_start.as_deref(), Some(text));
    }
    assert!(is_malformed("on Black Friday"));
}

#[test]
fn a_sale_that_is_not_lower_is_none_and_loses_its_dates() {
    const USES: &[ColumnUse] = &[ColumnUse::Price, ColumnUse::SalePrice, ColumnUse::SaleStart];
    for (price, sale, kept) in [
        ("10.00 EUR", "8.00 EUR", true),
        ("10.00 EUR", "10.00 EUR", false),
        ("10.00 EUR", "12.00 EUR", false),
        ("10.00 EUR", "0.00 EUR", false),
        ("10.00 EUR", "12.00 USD", true),
    ] {
        let row = map_values(USES, &[price, sale, "2026-11-27"]);
        assert_eq!(!row.sale_prices.is_empty(), kept, "{price} {sale}");
        assert_eq!(row.sale_start.is_some(), kept, "{price} {sale}");
        assert!(row.issues.is_empty());
    }
}

#[test]
fn one_price_of_each_currency_counts() {
    let row = map_values(&[ColumnUse::Price; 3], &["10 EUR", "11 USD", "12 EUR"]);
    assert_eq!(row.prices.len(), 2);
    assert!(row.prices.iter().all(|price| !price.starts_with("12")));
}

#[test]
fn pictures_are_cut_where_the_next_address_begins() {
    let list = "https://a.example/1,2.jpg, https://a.example/2.jpg|https://a.example/3.jpg?a=1&amp;b=2";
    let row = map_values(&[ColumnUse::Image, ColumnUse::MoreImages], &[list, "https://a.example/1,2.jpg"]);
    assert_eq!(row.image.as_deref(), Some("https://a.example/1,2.jpg"));
    assert_eq!(row.more_images, ["https://a.example/2.jpg", "https://a.example/3.jpg?a=1&b=2"]);
}

#[test]
fn packed_attributes_may_have_a_section_and_commas_in_their_values() {
    let row = map_values(
        &[ColumnUse::PackedAttributes],
        &["General:Type:Digital player, Memory:8 GB,General:Ports:USB, HDMI,loose"],
    );
    let found: Vec<(&str, &str)> =
        row.attributes.iter().map(|(name, values)| (name.as_str(), values[0].as_str())).collect();
    assert_eq!(found, [("Type", "Digital player"), ("Memory", "8 GB"), ("Ports", "USB, HDMI,loose")]);
}

#[test]
fn a_value_without_a_name_before_it_is_no_attribute() {
    const USES: &[ColumnUse] = &[ColumnUse::AttributeName, ColumnUse::AttributeValue];
    let values = [("c1", "lost"), ("c0", "Zoom"), ("c1", "3x"), ("c1", "lost"), ("c0", "Weight")];
    let row = map_named(USES, &values, MappingContext::default());
    assert_eq!(row.attributes, [("Zoom".to_owned(), vec!["3x".to_owned()])]);
}

#[test]
fn attributes_are_plain_text_and_keep_their_brackets() {
    let row = map_values(&[ColumnUse::Attribute, ColumnUse::Attribute], &["<b>Oak</b> &amp; ash", "[a]"]);
    assert_eq!(row.attributes[0].1, ["Oak & ash"]);
    assert_eq!(row.attributes[1].1, ["[a]"]);
}

#[test]
fn values_of_one_attribute_come_together_in_rows_of_few_and_of_many_attributes() {
    for count in [2, ATTRIBUTES_UNMAPPED_MAX + 1, 5_000] {
        let names: Vec<String> = (0..count).map(|number| format!("attribute {number}")).collect();
        let twice: Vec<(&str, &str)> = names.iter().chain(&names).map(|name| (name.as_str(), "x")).collect();
        let row = map_named(&[], &twice, MappingContext::default());
        assert_eq!(row.attributes.len(), count);
        assert!(row.attributes.iter().all(|(_, values)| values.len() == 2));
        assert!(row.attributes.iter().zip(&names).all(|((name, _), sent)| name == sent));
    }
}

#[test]
fn categories_of_a_row_are_bounded() {
    let many: Vec<String> = (0..2 * CATEGORIES_MAX).map(|number| format!("Shop > {number}")).collect();
    let row = map_values(&[ColumnUse::CategoryPaths(',', '>')], &[&many.join(",")]);
    assert_eq!(row.categories.len(), CATEGORIES_MAX);
}

#[test]
fn the_currency_of_a_column_belongs_to_prices_before_and_after_it() {
    const USES: &[ColumnUse] = &[ColumnUse::Price, ColumnUse::Currency, ColumnUse::SalePrice];
    let row = map_values(USES, &["12.50", "CHF", "9.00"]);
    assert_eq!((row.prices, row.sale_prices), (vec!["12.50 CHF".to_owned()], vec!["9.00 CHF".to_owned()]));
}

#[test]
fn paths_that_repeat_are_dropped_and_options_beyond_their_number_are_attributes() {
    let row = map_values(&[ColumnUse::CategoryPaths(',', '>')], &["A > B, A>B,A > C"]);
    assert_eq!(row.categories, [["A", "B"], ["A", "C"]]);
    let names: Vec<String> = (0..2 * OPTIONS_MAX).map(|number| format!("c{number}")).collect();
    let values: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "x")).collect();
    let row = map_named(&[ColumnUse::Option; 2 * OPTIONS_MAX], &values, MappingContext::default());
    assert_eq!((row.options.len(), row.attributes.len()), (OPTIONS_MAX, OPTIONS_MAX));
}
