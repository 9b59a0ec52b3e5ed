//! Texts with markup, as plain text.

use std::time::{Duration, Instant};

use proptest::prelude::*;

use super::*;

fn assert_plain(texts: &[(&str, &str)]) {
    for (text, plain) in texts {
        assert_eq!(to_plain_text(text), *plain, "{text}");
    }
}

#[test]
fn tags_go_and_blocks_end_in_a_line_break() {
    assert_plain(&[
        ("<p>One</p><p>Two</p>", "One\nTwo"),
        ("One<br>Two<br/>\n<br />Three", "One\nTwo\n\nThree"),
        ("<ul>\n  <li>One</li>\n  <li>Two</li>\n</ul>", "One\nTwo"),
        ("<h2>Head</h2>Text<div>Box</div>End", "Head\nText\nBox\nEnd"),
        ("<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>", "a b\nc"),
        ("bo<b>l</b>d <i>text</i>", "bold text"),
        ("<P CLASS='x'>Loud</P >", "Loud"),
        ("<o:p>Word</o:p><my-part>Own</my-part>", "WordOwn"),
        ("<!DOCTYPE html><?php echo 1 ?>Text", "Text"),
        ("<![CDATA[<b>Bold</b> text]]>", "Bold text"),
    ]);
}

#[test]
fn content_of_scripts_styles_and_comments_goes_too() {
    assert_plain(&[
        ("a<script>if (a < b) { x(\"</p>\") }</script>b", "a b"),
        ("a<STYLE type=x>p { }</Style >b", "a b"),
        ("a<!-- <b>hidden</b> > -->b", "ab"),
        ("a <script>never closed", "a"),
        ("a <!-- never closed > b", "a"),
    ]);
}

#[test]
fn a_sign_that_begins_no_tag_stays() {
    assert_plain(&[
        ("a < b and c > d", "a < b and c > d"),
        ("1<2>1", "1<2>1"),
        ("I <3 it", "I <3 it"),
        ("x <y", "x <y"),
        ("<", "<"),
        ("<a@shop.example>", "<a@shop.example>"),
        ("a <b <i>c</i>", "a <b c"),
        ("R&D, AT&T; & so on", "R&D, AT&T; & so on"),
    ]);
}

#[test]
fn a_quoted_value_may_hold_the_end_of_a_tag() {
    assert_plain(&[
        ("<a title=\"1 > 0\">x</a>", "x"),
        ("<a title = '\"1\" > 0'>x</a>", "x"),
        ("<a title=\"5\" tall\">x</a> <b class=\"y\">z</b>", "x z"),
        ("<a title=\"never closed>x</a>", "x"),
        ("<p don't>x</p>", "x"),
    ]);
}

#[test]
fn entities_are_decoded_once_or_twice_and_may_hide_markup() {
    assert_plain(&[
        ("Home &amp; Garden&reg; &#39;n&#x27; &eacute;t&eacute;", "Home & Garden® 'n' été"),
        ("a&nbsp;&amp;nbsp;b", "a b"),
        ("&lt;p&gt;One&lt;/p&gt;&lt;p&gt;Two&lt;/p&gt;", "One\nTwo"),
        ("&amp;lt;b&amp;gt;Bold&amp;lt;/b&amp;gt;", "Bold"),
        ("<a title=\"5&quot;\">5&quot; pipe</a>", "5\" pipe"),
        ("5 &lt; 6", "5 < 6"),
        ("&unknown; &#0;", "&unknown; &#0;"),
    ]);
    assert_eq!(decode_entities("A &amp;gt; B &lt; C"), "A > B < C");
    assert!(matches!(decode_entities("A & B"), Cow::Borrowed(_)));
}

#[test]
fn shortcodes_and_directives_go_and_other_brackets_stay() {
    assert_plain(&[
        ("[vc_row][vc_column width=\"1/2\"]Text[/vc_column][/vc_row]", "Text"),
        ("One[gallery ids=1,2]Two", "One Two"),
        ("[quote]Said[/quote]", "Said"),
        ("[caption id=\"a\" /]Text [spacer /]", "Text"),
        ("[sic] [quote] [1] [L = 20 cm] [L=20] [] [a [b]", "[sic] [quote] [1] [L = 20 cm] [L=20] [] [a [b]"),
        ("Text [and/or] [Neu!] [a:b c=1]", "Text [and/or] [Neu!] [a:b c=1]"),
        ("a{{widget type=\"Magento\\Cms\" id=\"1\"}}b {{store url=''}}", "a b"),
        ("{{ never closed {a} {{b", "{{ never closed {a} {{b"),
        ("{a} {{b}} {c}", "{a} {c}"),
    ]);
    let long = format!("{{{{{}}}}}", "x".repeat(DIRECTIVE_BYTES_MAX + 1));
    assert_eq!(to_plain_text(&long), long, "no directive is so long");
}

#[test]
fn white_space_is_one_space_or_line_break_with_at_most_one_blank_line() {
    assert_plain(&[
        ("  a \t b\u{a0}\u{2009}c  ", "a b c"),
        ("a \r\n b\n \n\n\nc\n", "a\nb\n\nc"),
        ("<p>a</p>\n\n\n<p> b </p>", "a\n\nb"),
        ("<br><br>a<br>", "a"),
        (" \n", ""),
        ("", ""),
    ]);
}

#[test]
fn hostile_texts_take_linear_time() {
    let pieces = [
        "<",
        "<a",
        "<a ",
        "<a \"",
        "=\"<a \"",
        "<a =\">\"",
        "<a ='>\"",
        "[",
        "[a",
        "[/a",
        "[a=",
        "{{",
        "{{}",
        "&",
        "&a",
        "&amp;",
        "&lt;",
        "<!--",
        "</",
        "<script>",
        "</script",
        "]]>",
        "<![CDATA[",
        "<a ='\"<a =\"'",
        "[a =",
    ];
    for piece in pieces {
        for tail in ["", ">", "]", "}}", "\"", "'>"] {
            let text = piece.repeat(20_000) + tail;
            let begin = Instant::now();
            let _ = to_plain_text(&text);
            assert!(begin.elapsed() < Duration::from_secs(1), "{piece} … {tail}");
        }
    }
}

proptest! {
    #[test]
    fn any_text_is_read_and_clean(text in
        "([<>&\\[\\]{}/=\"' \n]|<br>|<p>|&lt;|&amp;|&nbsp;|[a-z_é!-]){0,80}") {
        let plain = to_plain_text(&text);
        prop_assert_eq!(plain.trim(), &plain);
        prop_assert!(!plain.contains("  ") && !plain.contains("\n\n\n") && !plain.contains(" \n"));
    }
}
