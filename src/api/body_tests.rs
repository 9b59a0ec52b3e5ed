//! Reading of request bodies.

use super::*;
use crate::api::json_fields::{COMPARED_BYTES, whole_number};

#[test]
fn the_members_of_an_object_that_breaks_off_are_those_that_are_whole() {
    let body = r#"{"AccessKey":"a","SecretKey":"b","Products":[{"Id":"ü"}]}"#;
    let shown = |bytes| {
        let fields = JsonFields::parse_partial(&body.as_bytes()[..bytes]);
        [&["AccessKey"], &["SecretKey"]].map(|name| fields.opt_text(name).ok().flatten().is_some())
    };
    assert_eq!(shown(0), [false, false]);
    for bytes in 0..=body.len() {
        let whole = [r#"{"AccessKey":"a""#, r#"{"AccessKey":"a","SecretKey":"b""#];
        assert_eq!(shown(bytes), whole.map(|begun| bytes >= begun.len()), "{bytes}");
    }
}

#[test]
fn long_values_of_one_name_are_the_same_only_byte_by_byte() {
    let found = |count: usize| {
        let list = vec!["1"; count];
        let body = format!("{{\"Ids\":[{}],\"ids\":[{}]}}", list.join(","), list.join(", "));
        JsonFields::parse(body.as_bytes()).is_ok_and(|fields| fields.find(&["Ids"]).is_ok())
    };
    assert!(found(10) && !found(COMPARED_BYTES));
}

#[test]
fn a_whole_number_is_one_however_json_writes_it() {
    for (text, number) in
        [("7", 7), ("-7", -7), ("4983.0", 4983), ("1e3", 1000), ("9223372036854775807", i64::MAX)]
    {
        assert_eq!(whole_number(text), Some(number), "{text}");
    }
    for text in ["", "x", "1.5", "\"7\"", "1e300", "NaN", "inf", "9223372036854775808"] {
        assert_eq!(whole_number(text), None, "{text}");
    }
}
