//! The matcher: texts that it takes for addresses, texts that it leaves, and the work that it takes.

use super::*;
use crate::addresses::step_counter;

fn blanked(text: &str) -> String {
    without_addresses(text).unwrap_or_else(|| text.to_owned())
}

#[test]
fn an_address_is_found_in_any_script_between_any_punctuation() {
    for (text, expected) in [
        ("ada@shop.test", "***"),
        ("Write to Ada@Shop.test.", "Write to ***."),
        ("E-Mail:ada@shop.test,bob@shop.test", "E-Mail:***,***"),
        ("Fragen an „müller@bücher.test“", "Fragen an „***“"),
        ("«müller@bücher.test»", "«***»"),
        ("‘müller@bücher.test’s", "‘***"),
        ("müller@bücher.test – x", "*** – x"),
        ("émüller@books.test, jörg@shop.test", "***, ***"),
        ("☃ada@shop.test☃", "☃***☃"),
        ("连络ada@shop.test", "***"),
        ("用户@例子.广告，", "***，"),
        ("ada@☃.test snow☃man@shop.test", "*** ***"),
        ("m!a#b$c%d&e*f/g=h?i^j`k{l|m}n~o'p@shop.test", "***"),
        ("-ada@shop.test- ...ada@shop.test", "***- ...***"),
        ("'ada@shop.test' o'brien@shop.test <a title='ada@shop.test'>", "'***' *** <a title='***'>"),
        ("\"ada\"@shop.test, \"ada l\"@shop.test \\\"ada l.\\\"@shop.test", "***, *** \\***"),
        ("x@xn--bcher-kva.xn--p1ai _x@shop.co.uk +x@shop.test", "*** *** ***"),
        ("ada@shop.test.png", "***"),
        ("{\"a\":\"x\\nada@shop.test\\u003cada@shop.test\"}", "{\"a\":\"x***\"}"),
        ("ada@sh_op.test ada@shop。test", "*** ***"),
        ("a@b.test@c.test", "***@c.test"),
    ] {
        assert_eq!(blanked(text), expected, "{text}");
    }
}

#[test]
fn what_only_looks_like_an_address_stays() {
    for text in [
        "shoe@2x.png",
        "pkg@1.2.3",
        "2 @ 9.99",
        "@brand",
        "20V@3.25A",
        "https://shop.test/@shop.official",
        "4K@60Hz",
        "2.4GHz@5.0",
        "@media screen{a.b}",
        "https://maps.test/@51.5,-0.1",
        "12@home",
        "a @ b.test",
        "100%40",
        "ada@shop",
        "@shop.test",
        "ada@",
        "a@b.c",
        "price@...see",
        "❤@shop.official .@shop.official",
        "/p?width=40shop.css&amp;h=40",
        "<a class=\"y\" title=\"@shop.official\">",
        "\"@shop.official\" and \"@shop.fr\", \"x\",\"@shop.test\" or (\"@shop.test\")",
        "<b class=&quot;y&quot; title=&quot;@shop.official&quot;>",
        "{\\\"a\\\": \\\"@shop.official\\\"}",
        "Tom &amp; Jerry 50&nbsp;% \u{d7} 3",
    ] {
        assert_eq!(blanked(text), text);
    }
}

#[test]
fn an_address_is_found_in_every_spelling() {
    for text in [
        "ada%40shop.test",
        "ada%2540shop%252Etest",
        "ada&#64;shop&#46;test",
        "ada&#X40;shop&period;test",
        "ada&commat;shop.test",
        "ada&amp;#64;shop.test",
        "ada&#00000000000000000000000000000000000000000000000064;shop.test",
        "ada＠shop．test",
        "ａｄａ﹫ｓｈｏｐ．ｔｅｓｔ",
        "ada\\u0040shop.test",
        "ada%\\u0034\\u0030shop.test",
        "ada\\x40shop.test",
        "ada\\u{40}shop.test",
        "ada\\u00&#52;0shop.test",
        "ada\\u004&#48;shop.test",
        "ada\\u{0040&#125;shop.test",
        "ada\\40 shop.test",
        "ada=40shop.test",
        "ada=40shop=2Etest",
        "ada=26#64;shop.test",
        "a\u{ad}da@sh\u{200b}op.test",
        "ada\u{115f}@\u{1160}sh\u{3164}op\u{e0001}.test",
        "ada@shop.t\u{1}est",
        "m%C3%BCller%40b%C3%BCcher.test",
        "m&uuml;ller@b&uuml;cher.test",
        "mu\u{308}ller@bücher.test",
        "&quot;ada&quot;@shop.test",
        "jos\u{e9}\u{200d}@shop.test",
        "jos\u{e9}\u{200c}\u{200d}\u{200b}\u{200d}\u{200c}\u{200d}&#64;shop.test",
        "\u{645}\u{200c}@\u{200d}shop.test",
    ] {
        assert_eq!(blanked(&format!("To <b>{text}</b>, ok")), "To <b>***</b>, ok", "{text}");
        assert!(prefilter::may_hold_address(text.as_bytes()), "{text}");
    }
}

#[test]
fn links_and_markup_around_an_address_stay() {
    for (text, expected) in [
        ("<a href='mailto:ada%40shop.test'>ada&#64;shop.test</a>", "<a href='mailto:***'>***</a>"),
        ("mailto%3Aada%40shop.test%3F", "mailto%3A***%3F"),
        ("?to=ada@shop.test&x=1", "?***&x=1"),
        ("&lt;ada@shop.test&gt;", "&lt;***&gt;"),
    ] {
        assert_eq!(blanked(text), expected, "{text}");
    }
}

#[test]
fn the_work_is_linear_in_the_length_of_the_text() {
    const BYTES: usize = 1 << 20;
    for part in [
        "@",
        "@.",
        "a@",
        "a@.",
        "a@b.",
        "a.b@c.d",
        "a@bb.cc",
        "-",
        "\"@aa.bb",
        "\"",
        "a@b.1.",
        "&#64;",
        "&#0",
        "&#",
        "&",
        "&a",
        "&aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
        "&amp;",
        "&amp",
        "%",
        "%25",
        "%4",
        "%EF%BC",
        "=40",
        "=",
        "a=40b.cc ",
        "\\",
        "\\u",
        "\\u0040",
        "\\x40\\",
        "\\0",
        "＠",
        "é@",
        "中@文",
        "\u{ad}",
        "%\u{ad}40",
        "ﷺ@",
        "é\u{200d}",
        "م\u{200d}\u{200b}",
    ] {
        let text = part.repeat(BYTES / part.len());
        let steps = step_counter::count(|| drop(without_addresses(&text)));
        let gate = step_counter::count(|| {
            std::hint::black_box(prefilter::may_hold_address(text.as_bytes()));
        });
        assert!(steps <= 24 * BYTES && gate <= 12 * BYTES, "{part:?}: {steps}, {gate}");
        let half = part.repeat(BYTES / part.len() / 2);
        let half = step_counter::count(|| drop(without_addresses(&half)));
        assert!(steps <= 2 * half + 4000, "{part:?}: {half}, then {steps}");
    }
}

#[test]
fn a_normal_address_is_one_from_end_to_end() {
    for address in ["ada@shop.test", "m\u{fc}ller@xn--bcher-kva.test", "o'brien+x@a.co"] {
        assert!(is_address(address), "{address}");
    }
    for other in ["ada@shop", "4711", "x ada@shop.test", "ada.@shop.test"] {
        assert!(!is_address(other), "{other}");
    }
}

#[test]
fn a_part_of_an_address_has_so_many_bytes_and_no_more() {
    for (text, expected) in [
        (format!("{}@shop.test", "a".repeat(254)), "***".to_owned()),
        (format!("{}@shop.test", "a".repeat(300)), format!("{}***", "a".repeat(46))),
        (format!("ada@{}.test", "b".repeat(249)), "***".to_owned()),
        (format!("ada@{}.test", "b".repeat(250)), "***t".to_owned()),
        (format!("ada@{}.té", "é".repeat(125)), "***".to_owned()),
        (format!("ada@{}.téé", "é".repeat(125)), "***é".to_owned()),
    ] {
        assert_eq!(blanked(&text), expected, "{text}");
    }
}

#[test]
fn encodings_within_encodings_are_undone_four_deep() {
    let encoded = |depth: usize| format!("ada%{}40shop.test", "25".repeat(depth - 1));
    for depth in 1..=4 {
        assert_eq!(blanked(&encoded(depth)), "***", "{depth}");
    }
    assert_eq!(blanked(&encoded(5)), encoded(5));
}

#[test]
fn an_address_is_found_in_texts_and_names_of_json() {
    for json in [
        r#""ada@shop.test""#,
        r#"["x", "ada@shop.test"]"#,
        r#"{"a": "x", "b": "ada@shop.test"}"#,
        r#"{"a": "x", "ada@shop.test": 1}"#,
        r#"[1, {"a": {"b": [null, "ada@shop.test"]}}]"#,
    ] {
        assert!(json_holds_address(&serde_json::from_str(json).unwrap()), "{json}");
    }
    for json in ["1", "null", "true", "[]", r#"{"a": ["x", 1, null, false, {"b": "ada@shop"}]}"#] {
        assert!(!json_holds_address(&serde_json::from_str(json).unwrap()), "{json}");
    }
}

#[test]
fn an_address_is_named_as_a_whole_and_without_rare_punctuation() {
    for (text, found) in [
        ("to=ada@shop.test’s", vec!["to=ada@shop.test’s", "ada@shop.test"]),
        ("Ask ada@shop.test, b.o+b_-x@sh_op.te-st.", vec!["ada@shop.test", "b.o+b_-x@sh_op.te-st"]),
        ("o'brien@shop.test", vec!["o'brien@shop.test"]),
        ("x!ada@shop.test", vec!["x!ada@shop.test", "ada@shop.test"]),
        ("ada@shop.test☃x", vec!["ada@shop.test☃x", "ada@shop.test"]),
        ("ada%40shop.test", vec!["ada@shop.test"]),
        ("nobody", vec![]),
    ] {
        assert_eq!(addresses_in(text), found, "{text}");
    }
}

#[test]
fn a_known_address_is_blanked_in_whatever_stands_around_it() {
    let text = "to=ada@shop.test’s, bob@shop.test";
    let without = |known: &'static str| without_known(text, &|address| address == known);
    assert_eq!(without("ada@shop.test").as_deref(), Some("***, bob@shop.test"));
    assert_eq!(without("to=ada@shop.test’s").as_deref(), Some("***, bob@shop.test"));
    assert_eq!(without("bob@shop.test").as_deref(), Some("to=ada@shop.test’s, ***"));
    assert_eq!(without("eve@shop.test"), None);
}
