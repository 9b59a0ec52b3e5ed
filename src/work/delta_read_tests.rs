//! Payloads of deltas, as operations.

use super::*;
use crate::feeds::reader::RowOrigin;

const CONTEXT: NormaliserContext<'static> =
    NormaliserContext { default_currency: None, account_tag: &|_| "TAG".to_owned(), noticed: None };

fn issues_of(section: FeedPart, json: &str) -> Vec<IssueCode> {
    let mut issues = Vec::new();
    let row = RawRow { section, number: 1, offset: 0, origin: RowOrigin::Feed, json: json.as_bytes() };
    let read = operation(&row, &CONTEXT, &|_| false, &mut issues);
    assert_eq!(read.is_some(), issues.is_empty());
    issues.into_iter().map(|issue| issue.code).collect()
}

#[test]
fn a_row_is_kept_as_it_was_sent_unless_it_names_an_account_or_a_person_or_is_large() {
    let long = format!(r#"{{"Id":"1","Title":"{}"}}"#, "x".repeat(limits::RAW_ROW_KEPT_BYTES));
    for (section, json, is_kept) in [
        (FeedPart::PRODUCTS, r#"{ "Id": 1.0 , "Title": "T" }"#, true),
        (FeedPart::CATEGORIES, r#"{"Id":"1"}"#, true),
        (FeedPart::ACCOUNT_PRICES, r#"{"AccountId":"a","Id":"1","Prices":["1 GBP"]}"#, false),
        (FeedPart::Users, r#"{"UserId":"7"}"#, false),
        (FeedPart::DeleteProducts, r#""1""#, false),
        (FeedPart::PRODUCTS, &long, false),
        (FeedPart::PRODUCTS, r#"{"Id":"1","Variants":[{"Id":"v","StockQty":1}]}"#, true),
        (
            FeedPart::PRODUCTS,
            r#"{"Id":"1","Variants":[{"Id":"v","AccountPrices":{"a":{"Prices":["1 GBP"]}}}]}"#,
            false,
        ),
        (
            FeedPart::PRODUCTS,
            r#"{"Id":"1","Variants":[{"Id":"v","Prices":"x","AccountPrices":{"a":{}}}]}"#,
            false,
        ),
        (FeedPart::PRODUCTS, r#"{"Id":"1","Variants":{"v":{"AccountPrices":{"a":{}}}}}"#, false),
        (
            FeedPart::PRODUCTS,
            r#"{"Id":"1","Variants":[{"Id":"v"},{"Id":"v","AccountPrices":{"a":{}}}]}"#,
            false,
        ),
    ] {
        let row = RawRow { section, number: 3, offset: 0, origin: RowOrigin::Feed, json: json.as_bytes() };
        let read = step(&row, 0, &CONTEXT, &|_| false, &mut Vec::new()).expect("a good row");
        assert_eq!(read.row_number, 3);
        assert_eq!(read.raw.as_deref(), is_kept.then_some(json.as_bytes()), "{section:?}");
    }
}

#[test]
fn ids_that_stand_for_nobody_are_bad_rows() {
    for id in ["0", "-1", "\"0\"", "\"Guest\"", "\" null \""] {
        let user = issues_of(FeedPart::Users, &format!(r#"{{"UserId":{id}}}"#));
        assert_eq!(user, [IssueCode::UserUnidentified], "{id}");
        assert_eq!(issues_of(FeedPart::DeleteUsers, id), [IssueCode::UserUnidentified], "{id}");
    }
    assert_eq!(issues_of(FeedPart::Users, r#"{"UserId":"a\tb"}"#), [IssueCode::IdMalformed]);
    assert_eq!(issues_of(FeedPart::Users, r#"{"UserId":"7"}"#), []);
}

#[test]
fn a_row_is_kept_up_to_its_limit() {
    let around = r#"{"Id":"1","Title":""}"#.len();
    for (more, is_kept) in [(0, true), (1, false)] {
        let title = "x".repeat(limits::RAW_ROW_KEPT_BYTES - around + more);
        let json = format!(r#"{{"Id":"1","Title":"{title}"}}"#);
        let row = RawRow {
            section: FeedPart::PRODUCTS,
            number: 1,
            offset: 0,
            origin: RowOrigin::Feed,
            json: json.as_bytes(),
        };
        let read = step(&row, 0, &CONTEXT, &|_| false, &mut Vec::new()).expect("a good row");
        assert_eq!(read.raw.is_some(), is_kept, "{} bytes", json.len());
    }
}

/// The operations of a payload, each with its number and its row.
fn list_operations(read: &ReadDelta) -> Vec<(i64, u64, String)> {
    let name = |op: &Op| match op {
        Op::Put { item, .. } => format!("put {item}"),
        Op::DeleteProduct(key) => format!("remove {key}"),
        Op::Delete { section, .. } => format!("remove of {}", section.as_str()),
        Op::Membership { product, join, .. } => {
            format!("{product} {}", if *join { "joins" } else { "leaves" })
        }
        Op::SetVariant(op) => {
            format!(
                "set {} of {}",
                op.row.id.as_deref().unwrap_or_default(),
                op.row.product.as_deref().unwrap_or("?")
            )
        }
        Op::DeleteVariant(op) => format!("remove variant {}", op.row.sku.as_deref().unwrap_or_default()),
        Op::User(profile) => format!("person {}", profile.user_id.normal()),
        Op::DeleteUser(id) => format!("remove person {}", id.normal()),
    };
    read.steps.iter().map(|step| (step.n, step.row_number, name(&step.op))).collect()
}

#[test]
fn operations_are_numbered_with_the_rows_that_are_left_out() {
    let payload = r#"{"Products": [{"Id": "a"}, {"Id": ""}, {"Id": "b"}],
        "SetCategoryOnProducts": [{"CategoryId": "c", "ProductIds": ["p", "q"]}, 7],
        "RemoveCategoryFromProducts": [{"CategoryId": "c", "ProductIds": ["p"]}],
        "DeleteProducts": ["x"], "Users": [{"UserId": "8"}], "DeleteUsers": ["0", "7"]}"#;
    let read = read_steps(payload.as_bytes(), &CONTEXT, &|_| false);
    let expected = [
        (0, 1, "put a"),
        (2, 3, "put b"),
        (3, 1, "p joins"),
        (4, 1, "q joins"),
        (6, 1, "p leaves"),
        (7, 1, "remove x"),
        (8, 1, "person 8"),
        (10, 2, "remove person 7"),
    ];
    assert_eq!(list_operations(&read), expected.map(|(n, row, op)| (n, row, op.to_owned())));
    assert_eq!((read.bad, read.unusable), (3, None));
    let cut = read_steps(&payload.as_bytes()[..30], &CONTEXT, &|_| false);
    assert_eq!((list_operations(&cut), cut.bad), (vec![(0, 1, "put a".to_owned())], 0));
    assert!(cut.unusable.is_some());
}

#[test]
fn a_person_whose_email_field_names_somebody_forgotten_among_others_is_left_out() {
    let emails = |field: &str, forgotten: &str| {
        let json = format!(r#"{{"UserId":"7","Email":"{field}"}}"#);
        let row = RawRow {
            section: FeedPart::Users,
            number: 1,
            offset: 0,
            origin: RowOrigin::Feed,
            json: json.as_bytes(),
        };
        let read = profile(&row, &CONTEXT, &|email| email == forgotten, &mut Vec::new());
        read.map(|profile| profile.email.map(|email| email.normal().to_owned()))
    };
    let ada = Some("ada@shop.test".to_owned());
    for field in ["ada@shop.test", "ada@shop.test;"] {
        assert_eq!(emails(field, ""), Some(ada.clone()), "{field}");
        assert_eq!(emails(field, "ada@shop.test"), Some(ada.clone()), "{field}: the door decides");
    }
    let both = "ada@shop.test, bob@shop.test";
    assert_eq!(emails(both, ""), Some(None));
    assert_eq!([emails(both, "ada@shop.test"), emails(both, "bob@shop.test")], [None, None]);
}

#[test]
fn rows_about_variants_come_after_all_others_and_removals_before_what_is_set() {
    let payload = r#"{"DeleteVariants": [{"ProductId": "p", "Sku": "S"}, {"ProductId": "p"}, {"Sku": "T"}],
        "SetVariants": [{"ProductId": "p", "Id": "v"}, 7, {"Id": "w"}],
        "Products": [{"Id": "a"}, {"Id": ""}], "DeleteProducts": ["x"]}"#;
    let read = read_steps(payload.as_bytes(), &CONTEXT, &|_| false);
    let expected = [
        (0, 1, "put a"),
        (2, 1, "remove x"),
        (3, 1, "remove variant S"),
        (5, 3, "remove variant T"),
        (6, 1, "set v of p"),
        (8, 3, "set w of ?"),
    ];
    assert_eq!(list_operations(&read), expected.map(|(n, row, op)| (n, row, op.to_owned())));
    assert_eq!(read.bad, 3);
    assert!(read.steps.iter().skip(1).all(|step| step.raw.is_none()));
    let offsets = read.steps.iter().filter_map(|step| match &step.op {
        Op::SetVariant(op) | Op::DeleteVariant(op) => usize::try_from(op.offset).ok(),
        _ => None,
    });
    let rows = offsets.map(|offset| &payload[offset..offset + 6]).collect::<Vec<_>>();
    assert_eq!(rows, [r#"{"Prod"#, r#"{"Sku""#, r#"{"Prod"#, r#"{"Id":"#]);
    assert_eq!([read.steps[2].op.rows(), read.steps[4].op.rows()], [1, 3]);
}

#[test]
fn a_delta_has_so_many_rows_about_variants_and_no_more() {
    let rows = |count: usize| vec![r#"{"Id":"v"}"#; count].join(",");
    for (set, deleted, bad) in [
        (limits::VARIANT_CHANGES, 0, 0),
        (limits::VARIANT_CHANGES - 1, 1, 0),
        (limits::VARIANT_CHANGES - 1, 3, 2),
        (limits::VARIANT_CHANGES + 1, 0, 1),
    ] {
        let payload = format!(r#"{{"SetVariants":[{}],"DeleteVariants":[{}]}}"#, rows(set), rows(deleted));
        let read = read_steps(payload.as_bytes(), &CONTEXT, &|_| false);
        let good = read.steps.len() as u64;
        assert_eq!((good, read.bad), ((set + deleted) as u64 - bad, bad), "{set} and {deleted}");
        let codes: Vec<_> = read.found.counts().map(|counted| counted.code).collect();
        let expected = if bad > 0 { vec![IssueCode::VariantChangesTooMany] } else { Vec::new() };
        assert_eq!(codes, expected);
    }
}
