//! Reading of request bodies.

use axum::http::HeaderValue;
use serde_json::{Value, json};

use super::*;
use crate::api::json_fields::{COMPARED_BYTES, RequestFields, whole_number};

/// Asks the fields of a body for something; a refusal is its sentence.
fn ask<T>(body: &Value, read: impl FnOnce(&JsonFields<'_>) -> Result<T, Refusal>) -> Result<T, String> {
    let body = body.to_string();
    let fields = JsonFields::parse(body.as_bytes()).map_err(|refusal| refusal.sentence().to_owned())?;
    read(&fields).map_err(|refusal| refusal.sentence().to_owned())
}

#[test]
fn json_is_known_by_its_media_type_and_its_ending() {
    for (sent, essence, is_json_type) in [
        ("application/json", "application/json", true),
        (" Application/JSON ; charset=utf-8", "Application/JSON", true),
        ("application/problem+json", "application/problem+json", true),
        ("APPLICATION/x+JSON", "APPLICATION/x+JSON", true),
        ("application/+json", "application/+json", false),
        ("application/jsonx", "application/jsonx", false),
        ("text/x+json", "text/x+json", false),
        ("application/json5;x", "application/json5", false),
        ("application/x-www-form-urlencoded", "application/x-www-form-urlencoded", false),
        ("", "", false),
    ] {
        let mut headers = HeaderMap::new();
        assert_eq!((media_type(&headers), is_json(&headers)), ("", false));
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(sent));
        assert_eq!((media_type(&headers), is_json(&headers)), (essence, is_json_type), "{sent}");
    }
}

#[test]
fn a_body_is_one_object_of_up_to_64_fields_each_once() {
    let body = |count: usize| {
        let fields: Vec<_> = (0..count).map(|number| format!("\"f{number}\":{number}")).collect();
        format!("{{{}}}", fields.join(","))
    };
    let sentence = |body: &[u8]| JsonFields::parse(body).err().map(|refusal| refusal.sentence().to_owned());
    assert_eq!(sentence(body(64).as_bytes()), None);
    let many = "The body of the request has more than 64 fields";
    assert_eq!(sentence(body(65).as_bytes()).as_deref(), Some(many));
    let names: Vec<_> = (0..64).map(|number| format!("f{number}")).collect();
    let whole = body(64);
    let read = JsonFields::parse(whole.as_bytes()).expect("fields");
    assert_eq!(read.iter().map(|(name, _)| name).collect::<Vec<_>>(), names);
    let twice = "The body of the request has the field Name twice";
    assert_eq!(sentence(br#"{"Name":1,"name":1,"Name":1}"#).as_deref(), Some(twice));
    assert_eq!(sentence("\u{feff}{\"a\":1}".as_bytes()), None);
    let no_json = "The body of the request has to be one JSON object in UTF-8";
    for wrong in [&b"{\"a\":1} x"[..], b"[]", b"{\"a\":}", b"", b"{\"a\":\"\xff\"}", b"{\"a\":1}{}"] {
        assert_eq!(sentence(wrong).as_deref(), Some(no_json), "{}", String::from_utf8_lossy(wrong));
    }
}

#[test]
fn a_yes_is_true_or_1_and_a_no_may_be_left_out() {
    for (sent, flag, opt_flag) in [
        (json!({}), Ok(false), Ok(None)),
        (json!({"A": null}), Ok(false), Ok(None)),
        (json!({"A": ""}), Ok(false), Ok(None)),
        (json!({"a": false}), Ok(false), Ok(Some(false))),
        (json!({"A": " 0 "}), Ok(false), Ok(Some(false))),
        (json!({"A": true}), Ok(true), Ok(Some(true))),
        (json!({"A": "1"}), Ok(true), Ok(Some(true))),
        (json!({"A": 1, "a": 1}), Ok(true), Ok(Some(true))),
    ] {
        assert_eq!(ask(&sent, |fields| fields.flag(&["A"])), flag, "{sent}");
        assert_eq!(ask(&sent, |fields| fields.opt_flag(&["A"])), opt_flag, "{sent}");
    }
    for (sent, sentence) in [
        (json!({"A": "yes"}), "A has to be true or false"),
        (json!({"A": 2}), "A has to be true or false"),
        (json!({"A": 1, "a": 0}), "A is given twice, with different values"),
    ] {
        assert_eq!(ask(&sent, |fields| fields.flag(&["A"])), Err(sentence.to_owned()));
        assert_eq!(ask(&sent, |fields| fields.opt_flag(&["A"])), Err(sentence.to_owned()));
    }
}

#[test]
fn numbers_ids_and_texts_are_read_by_any_spelling_and_refused_by_the_first() {
    let number = |sent: Value| ask(&sent, |fields| fields.number(&["Count", "Size"]));
    assert_eq!(number(json!({"SIZE": " 7 "})), Ok(7));
    assert_eq!(number(json!({})), Err("Count is missing".to_owned()));
    assert_eq!(number(json!({"Size": "x"})), Err("Count has to be a whole number".to_owned()));
    let twice = "Count is given twice, with different values".to_owned();
    assert_eq!(number(json!({"Size": 1, "count": 2})), Err(twice));
    let id = |sent: Value| ask(&json!({"Id": sent}), |fields| fields.opt_id("Id"));
    for (sent, expected) in [
        (json!(7), Ok(Some("7".to_owned()))),
        (json!("a"), Ok(Some("a".to_owned()))),
        (json!("007"), Ok(Some("007".to_owned()))),
        (json!(""), Ok(None)),
        (json!(null), Ok(None)),
        (json!(1.5), Err("Id has to be a string".to_owned())),
        (json!(-7), Err("Id has to be a string".to_owned())),
        (json!("a\u{0}"), Err("Id holds a NUL character".to_owned())),
    ] {
        assert_eq!(id(sent.clone()), expected, "{sent}");
    }
    let text = |sent: Value| ask(&sent, |fields| fields.text(&["Name", "Title"]));
    assert_eq!(text(json!({"title": " a "})), Ok(" a ".to_owned()));
    assert_eq!(text(json!({})), Err("Name is missing".to_owned()));
    assert_eq!(text(json!({"Title": 7})), Err("Name has to be a string".to_owned()));
    let texts = |sent: Value| ask(&json!({"A": sent}), |fields| fields.opt_texts("A"));
    for (sent, expected) in [
        (json!("a"), &["a"][..]),
        (json!(["b", "a", ""]), &["b", "a", ""]),
        (json!(null), &[]),
        (json!(""), &[]),
        (json!([]), &[]),
    ] {
        let expected: Vec<String> = expected.iter().map(|text| (*text).to_owned()).collect();
        assert_eq!(texts(sent.clone()), Ok(Some(expected)), "{sent}");
    }
    for wrong in [json!(7), json!([7])] {
        assert_eq!(texts(wrong), Err("A has to be a list of texts".to_owned()));
    }
    assert_eq!(ask(&json!({}), |fields| fields.opt_texts("A")), Ok(None));
}

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
    // From here on a number with a fraction part may be another one.
    assert_eq!(whole_number("9007199254740991.0"), Some(9_007_199_254_740_991));
    assert_eq!(whole_number("-9007199254740991.0"), Some(-9_007_199_254_740_991));
    for text in ["9007199254740992.0", "-9007199254740992.0"] {
        assert_eq!(whole_number(text), None, "{text}");
    }
    for text in ["", "x", "1.5", "\"7\"", "1e300", "NaN", "inf", "9223372036854775808"] {
        assert_eq!(whole_number(text), None, "{text}");
    }
}
