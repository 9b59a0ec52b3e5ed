//! Values of every JSON type, brought into each documented type.

use super::coerce::{WrongType, aligned_list, converted_list, embedded_json, flag, id, list, number, text};
use crate::feeds::json::value::JsonValue;

fn value(json: &str) -> JsonValue<'_> {
    JsonValue::check(json).expect("JSON")
}

/// The text that a value is written as, empty for nothing; `None` for a wrong type. Nothing else may be left behind.
fn written(
    json: &str,
    write: impl Fn(JsonValue<'_>, &mut Vec<u8>) -> Result<bool, WrongType>,
) -> Option<String> {
    let mut out = b"before".to_vec();
    let is_written = write(value(json), &mut out).ok()?;
    let all = String::from_utf8(out).expect("text");
    let text = all.strip_prefix("before").expect("what stood there");
    assert_eq!(is_written, !text.is_empty(), "{json}");
    Some(text.to_owned())
}

fn assert_written(
    write: impl Fn(JsonValue<'_>, &mut Vec<u8>) -> Result<bool, WrongType>,
    cases: &[(&str, &str)],
    wrong: &[&str],
) {
    for (json, expected) in cases {
        assert_eq!(written(json, &write).as_deref(), Some(*expected), "{json}");
    }
    for json in wrong {
        assert_eq!(written(json, &write), None, "{json}");
    }
}

#[test]
fn a_text_is_one_scalar_or_the_lines_of_a_list() {
    let cases = [
        ("null", ""),
        ("false", ""),
        (r#""""#, ""),
        (r#"" \n\t""#, ""),
        ("[]", ""),
        (r#"["",null,false]"#, ""),
        ("true", r#""true""#),
        ("1.50", r#""1.50""#),
        (r#""a\/b""#, r#""a/b""#),
        (r#"["a",7," ","a",null,"b"]"#, r#""a\n7\nb""#),
    ];
    assert_written(text, &cases, &["{}", "[[1]]", r#"["a",{}]"#]);
}

#[test]
fn a_flag_is_a_boolean_a_digit_or_a_word_or_a_list_of_one() {
    let cases = [
        ("null", ""),
        (r#"" ""#, ""),
        ("[]", ""),
        ("[null]", ""),
        ("true", "true"),
        ("false", "false"),
        ("1", "true"),
        ("0", "false"),
        (r#"" TRUE ""#, "true"),
        (r#""False""#, "false"),
        (r#""1""#, "true"),
        (r#""0""#, "false"),
        ("[false]", "false"),
        (r#"["1"]"#, "true"),
    ];
    assert_written(flag, &cases, &["2", r#""01""#, r#""yes""#, "{}", "[[true]]", "[1,1]"]);
}

#[test]
fn a_number_is_one_as_it_is_spelled_or_a_list_of_one() {
    let cases = [
        ("null", ""),
        ("false", ""),
        (r#"" ""#, ""),
        ("[]", ""),
        ("1.50", "1.50"),
        ("-0", "-0"),
        (r#"" 2.50 ""#, "2.50"),
        (r#""1e3""#, "1e3"),
        ("[7]", "7"),
        (r#"["7"]"#, "7"),
    ];
    let wrong = ["true", "{}", "[[7]]", "[7,7]", r#""x""#, r#""true""#, r#""[7]""#, r#""7 8""#, r#""01""#];
    assert_written(number, &cases, &wrong);
}

#[test]
fn an_id_is_a_text_or_a_number_or_a_list_of_one() {
    let cases = [
        ("null", None),
        ("false", None),
        (r#"" ""#, None),
        ("[]", None),
        ("[null]", None),
        ("7.0", Some("7.0")),
        (r#"" a\/b ""#, Some(" a/b ")),
        ("[7]", Some("7")),
        (r#"["a"]"#, Some("a")),
    ];
    for (json, expected) in cases {
        assert_eq!(id(value(json)).expect("the right type").as_deref(), expected, "{json}");
    }
    for json in ["true", "{}", "[[7]]", "[7,8]", "[true]"] {
        assert!(id(value(json)).is_err(), "{json}");
    }
}

#[test]
fn a_list_is_its_texts_without_blanks_the_values_of_an_object_or_one_scalar() {
    let cases = [
        ("null", ""),
        (r#"[""," ",false]"#, ""),
        (r#""a""#, r#"["a"]"#),
        (r#"[1,"","b","b"]"#, r#"["1","b","b"]"#),
        (r#"{"x":1,"y":true}"#, r#"["1","true"]"#),
    ];
    assert_written(list, &cases, &["[[1]]", r#"{"x":{}}"#]);
    let converted = [("null", ""), (r#"[" "]"#, ""), (r#"[" a\"",null,7]"#, r#"["< a\">","<7>"]"#)];
    let convert =
        |value: JsonValue<'_>, out: &mut Vec<u8>| converted_list(value, out, |text| format!("<{text}>"));
    assert_written(convert, &converted, &["[[1]]"]);
}

#[test]
fn blanks_of_an_aligned_list_keep_their_place_unless_there_are_only_blanks() {
    let without_second =
        |value: JsonValue<'_>, out: &mut Vec<u8>| aligned_list(value, out, |position| position == 1);
    let cases = [
        ("[]", ""),
        (r#"["","b"," "]"#, ""),
        (r#"["a","b",""]"#, r#"["a",""]"#),
        (r#"["","b","c"]"#, r#"["","c"]"#),
    ];
    assert_written(without_second, &cases, &["[[1]]"]);
}

#[test]
fn json_is_kept_as_a_text_that_holds_it() {
    let embed = |value: JsonValue<'_>, out: &mut Vec<u8>| Ok(embedded_json(value, out));
    let cases = [
        ("null", ""),
        ("[]", ""),
        ("7", r#""7""#),
        (r#""{\"a\": 1}""#, r#""{\"a\": 1}""#),
        (r#"{"a" : [1, "b"]}"#, r#""{\"a\":[1,\"b\"]}""#),
    ];
    assert_written(embed, &cases, &[]);
}
