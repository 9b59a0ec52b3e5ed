//! Texts of rows: what markup, shortcodes and references leave of them, and how values of JSON are read as texts.

use serde_json::value::RawValue;

use super::*;

fn raw(text: &str) -> &RawValue {
    serde_json::from_str(text).expect("JSON")
}

#[test]
fn tags_and_comments_end_where_they_end_first() {
    for (text, plain) in [
        ("a<!-- x -->b<!-- y -->c", "abc"),
        ("a<!-- b", "a"),
        ("x<!DOCTYPE html>y", "x y"),
        ("x<?xml version='1'?>y", "x y"),
        ("x</script>y", "x y"),
        ("x<script>a</b>c</SCRIPT >y", "x y"),
        ("x<script>a</script>y</p>z", "x y z"),
        ("x<style>a</style>y<b>z</b>", "x yz"),
        ("x<script>a</s", "x"),
        ("a <b>1</b> < 2", "a 1 < 2"),
    ] {
        assert_eq!(markup::without_markup(text), plain, "{text}");
    }
}

#[test]
fn references_are_decoded_twice_and_not_three_times() {
    for (text, decoded) in [
        ("&amp;amp;", "&"),
        ("&amp;amp;amp;", "&amp;"),
        ("a&nbsp;b&shy;c", "a bc"),
        ("x&CounterClockwiseContourIntegral;y", "x\u{2233}y"),
        ("&no reference; &eacute", "&no reference; &eacute"),
        ("AT&T &eacute;", "AT&T é"),
    ] {
        assert_eq!(with_characters(text), decoded, "{text}");
    }
}

#[test]
fn texts_of_json_are_decoded_and_names_of_members_stay() {
    let decode =
        |json: &str| markup::with_texts_decoded(json, |text| with_characters(text).into_owned()).into_owned();
    for (json, decoded) in [
        (r#"{"a&amp;b":"x &amp; \"y\" &lt;","n":1.50}"#, r#"{"a&amp;b":"x & \"y\" <","n":1.50}"#),
        (r#"{"a&amp;b" : ["\\","c &amp; d"]}"#, r#"{"a&amp;b" : ["\\","c & d"]}"#),
        (r#"["\u00e9","&amp;"]"#, r#"["\u00e9","&"]"#),
        (r#"["&quot;\n"]"#, r#"["\"\n"]"#),
    ] {
        assert_eq!(decode(json), decoded);
    }
}

#[test]
fn a_shortcode_has_an_end_or_attributes_or_a_name_of_one() {
    for (text, plain) in [
        ("x [my_code] y", "x y"),
        ("x [my_code/] y", "x y"),
        ("x [/b] y", "x y"),
        ("x [products] y", "x y"),
        ("x [b] y", "x [b] y"),
        ("x [/b y]", "x [/b y]"),
        ("[x =1]", "[x =1]"),
        ("[a [gallery] b", "[a b"),
        (r#"[x a="it's]"]y"#, "y"),
        (r#"[x a=']']y"#, "y"),
        ("{{if}}y", "y"),
        ("a {{if b", "a {{if b"),
    ] {
        assert_eq!(markup::without_markup(text), plain, "{text}");
    }
}

#[test]
fn a_value_of_any_kind_is_read_as_a_text() {
    for (value, text) in [
        (r#"" a ""#, "a"),
        ("5.0", "5.0"),
        ("true", "true"),
        ("false", ""),
        ("null", ""),
        (r#"{"a": "b"}"#, ""),
        (r#"["a", "", null, 7, [1]]"#, "a\n7"),
    ] {
        assert_eq!(json::text(raw(value)), text, "{value}");
    }
    assert_eq!(json::aligned_texts(raw(r#"["a", "", null, " 7 "]"#)), ["a", "", "", "7"]);
    assert_eq!(json::texts(raw(r#"{"x": "a", "y": "", "z": "b"}"#)), ["a", "b"]);
    let flags = ["1", "true", r#""TRUE""#, r#""1""#, "0", "false", r#""yes""#, "null", "11"];
    let set: Vec<_> = flags.into_iter().filter(|flag| json::flag(raw(flag))).collect();
    assert_eq!(set, ["1", "true", r#""TRUE""#, r#""1""#]);
}

#[test]
fn of_a_list_so_many_elements_are_read() {
    let first = |value: &str, most: usize| -> Vec<String> {
        first_elements(raw(value), most).into_iter().map(|element| element.get().to_owned()).collect()
    };
    assert_eq!(first("[1, 2, 3]", 2), ["1", "2"]);
    assert_eq!(first("[1, 2]", 2), ["1", "2"]);
    assert_eq!(first(r#"{"a": 1, "b": 2}"#, 1), ["1"]);
    assert_eq!(first(r#""text""#, 1), [r#""text""#]);
    assert!(first("null", 1).is_empty() && first("[1]", 0).is_empty());
    let all: Vec<_> = elements(raw(r#"{"a": 1, "b": [2]}"#)).into_iter().map(RawValue::get).collect();
    assert_eq!(all, ["1", "[2]"]);
}

#[test]
fn an_object_is_continued_after_its_members() {
    for (begun, whole) in [
        ("{}", r#"{"a":1,"b":"x\"y"}"#),
        (r#"{"z":0}"#, r#"{"z":0,"a":1,"b":"x\"y"}"#),
        ("", r#"{"a":1,"b":"x\"y"}"#),
    ] {
        let mut writer = ObjectWriter::after(begun.as_bytes());
        writer.raw("a", "1");
        writer.member("b", &"x\"y");
        assert_eq!(String::from_utf8(writer.finish()).as_deref(), Ok(whole));
    }
}

#[test]
fn a_value_of_so_many_bytes_is_on_the_card() {
    let is_on_card = |letters: usize| {
        let row = serde_json::json!({"Id": "1", "Manual": "m".repeat(letters)}).to_string();
        let card: serde_json::Value = serde_json::from_slice(&read(&row).display.card).expect("JSON");
        card.get("Manual").is_some()
    };
    // With its two quotation marks.
    assert!(is_on_card(CARD_VALUE_BYTES - 2) && !is_on_card(CARD_VALUE_BYTES - 1));
}

#[test]
fn pictures_and_ids_are_shown_as_they_were_sent_but_for_ampersands() {
    let document = read(
        r#"{"Id":"1","AllImages":["a?b=1&amp;copy=2&eacute;"],"ImageOverlay":"&amp;&reg;","Categories":["a&amp;b"],
        "Kind":"caf&eacute;","AssociatedIds":["1&amp;2"],"Description":"<p>&amp;</p>"}"#,
    );
    let [card, rest] =
        [document.display.card, document.display.rest].map(|part| String::from_utf8(part).expect("a text"));
    assert_eq!(
        card,
        r#"{"Id":"1","Sku":"","Title":"","Link":"","Image":"","AllImages":["a?b=1&copy=2&eacute;"],"ImageOverlay":"&&reg;","Categories":["a&amp;b"],"Kind":"café"}"#
    );
    assert_eq!(rest, r#"{"AssociatedIds":["1&amp;2"],"Description":"<p>&amp;</p>"}"#);
}

#[test]
fn there_are_as_many_variants_as_the_longest_list_has() {
    for (ids, skus, titles) in [(1, 3, 2), (3, 1, 2), (2, 1, 3), (0, 0, 1)] {
        let list = |count: usize, name: &str| -> Vec<String> {
            (0..count).map(|number| format!("{name}{number}")).collect()
        };
        let row = serde_json::json!({"Id": "1", "AssociatedIds": list(ids, "i"), "AssociatedSkus": list(skus, "s"),
                                     "AssociatedTitles": list(titles, "t")});
        let variants = read(&row.to_string()).variants;
        assert_eq!(variants.len(), ids.max(skus).max(titles));
        for (number, variant) in variants.iter().enumerate() {
            let text = |count: usize, name: &str| {
                if number < count { format!("{name}{number}") } else { String::new() }
            };
            let expected = [text(ids, "i"), text(skus, "s"), text(titles, "t")];
            let Variant { id, sku, title, .. } = variant;
            assert_eq!([id, sku, title], expected.each_ref());
        }
    }
}
