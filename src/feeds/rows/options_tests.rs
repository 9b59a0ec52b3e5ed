//! Options and swatches, as senders write them, after reading.

use super::products_tests::bad;
use super::variants_tests::{describe, is_of_product, read, variants};
use crate::feeds::issue::IssueCode;
use crate::feeds::testing::product;
use crate::limits;

#[test]
fn options_are_an_object_or_a_list_of_names_and_values() {
    let options = |sent: &str| {
        let written = variants(&format!(r#"[{{"Id":"v","Options":{sent}}}]"#));
        written.trim_start_matches(r#"[{"Id":"v","#).trim_end_matches("}]").to_owned()
    };
    let red = r#""Options":{"Colour":"Red","Size":"M"}"#;
    for sent in [
        r#"{"Colour":"Red","Size":"M"}"#,
        r#"{" Colour ":"Red ","Size":["M"],"Length":null,"Width":"","Height":false,"Depth":[]}"#,
        r#"[{"Name":"Colour","Value":"Red"},{"value":"M","name":"Size"}]"#,
        r#"[{"name":"Colour","value":"Red"},null,{"name":"Size","value":"M"},{"name":"Fit"},{"name":"Size","value":"M"}]"#,
    ] {
        assert_eq!(options(sent), red, "{sent}");
    }
    assert_eq!(
        options(r#"{"Size":38.50,"Engraved":true}"#),
        r#""Options":{"Size":"38.50","Engraved":"true"}"#
    );
    for wrong in [
        "7",
        r#""Red""#,
        r#"["Red"]"#,
        r#"{"Colour":["Red","Blue"]}"#,
        r#"{"Colour":{"en":"Red"}}"#,
        r#"{"":"Red"}"#,
        r#"[{"Value":"Red"}]"#,
        r#"[{"Name":{},"Value":"Red"}]"#,
        r#"[{"Name":"Colour","Value":"Red"},{"Name":"Colour","Value":"Blue"}]"#,
    ] {
        let expected = (String::new(), vec!["variant_malformed Variants[0].Options".to_owned()]);
        assert_eq!(read(&format!(r#"[{{"Id":"v","Options":{wrong}}}]"#)), expected, "{wrong}");
    }
}

#[test]
fn options_beyond_the_most_and_values_that_are_too_long_are_left_out_and_told() {
    let options = |count: usize| (0..count).map(|n| format!(r#""o{n}":"x""#)).collect::<Vec<_>>().join(",");
    for (count, is_told) in
        [(limits::VARIANT_OPTIONS, false), (limits::VARIANT_OPTIONS + 1, true), (200, true)]
    {
        let (written, told) = read(&format!(r#"[{{"Id":"v","Options":{{{}}}}}]"#, options(count)));
        assert_eq!(written.matches(r#":"x""#).count(), limits::VARIANT_OPTIONS, "{count}");
        assert_eq!(told == ["variant_options_too_many Variants[0].Options"], is_told, "{count}: {told:?}");
    }
    let name = "n".repeat(limits::OPTION_NAME_BYTES);
    let value = "é".repeat(limits::VARIANT_VALUE_BYTES / 2);
    let longest =
        format!(r#"[{{"Id":"v","Options":{{"{name}":"{value}"}},"Attributes":{{"Text":"{value}"}}}}]"#);
    assert_eq!(variants(&longest), longest);
    let (written, told) = read(&format!(
        r#"[{{"Id":"v","Options":{{"{name}n":"x","Size":"{value}e","Colour":"Red"}},"Text":"{value}e","Own":["{value}"]}}]"#
    ));
    assert_eq!(written, r#"[{"Id":"v","Options":{"Colour":"Red"}}]"#);
    let told: Vec<_> = told.iter().map(|issue| issue.replace(&name[1..], "")).collect();
    assert_eq!(
        told,
        ["Text", "Own", "Options.n", "Options.Size"]
            .map(|field| format!("variant_value_too_long Variants[0].{field}"))
    );
}

#[test]
fn texts_of_variants_are_as_long_as_those_of_products() {
    let text = "x".repeat(10_000);
    let members =
        format!(r#""Title":"{text}","Image":"https://shop.test/{text}","Link":"https://shop.test/{text}""#);
    let list = format!(r#"[{{"Id":"v",{members}}}]"#);
    assert_eq!(variants(&list), list);
    let (written, told) = read(&format!(r#"[{{"Id":"v","Options":{{"Size":"{text}"}},"Own":"{text}"}}]"#));
    assert_eq!(written, r#"[{"Id":"v"}]"#);
    assert_eq!(
        told,
        ["variant_value_too_long Variants[0].Own", "variant_value_too_long Variants[0].Options.Size"]
    );
}

#[test]
fn swatches_are_colours_or_addresses_by_option_and_value() {
    let swatches = |sent: &str| {
        let (json, issues) =
            product(format!(r#"{{"Id":1,"Swatches":{sent}}}"#).as_bytes()).expect("a good row");
        assert_eq!(product(json.as_bytes()).expect("a good row").0, json, "the normal form is its own");
        let told = issues.into_iter().filter(|issue| !is_of_product(issue)).map(describe);
        (json.trim_start_matches(r#"{"Id":"1""#).trim_end_matches('}').to_owned(), told.collect::<Vec<_>>())
    };
    let (kept, told) = swatches(
        r##"{"Colour":{"Red":" #cc0000","Blue":"https:\/\/shop.test\/blue.png","Green":null,"By":"x@b.test"},"Fit":null,"Cut":[]}"##,
    );
    assert_eq!(
        kept,
        r##","Swatches":{"Colour":{"Red":"#cc0000","Blue":"https://shop.test/blue.png","By":"***""##
    );
    assert_eq!(told, ["email_in_text Swatches"]);
    for nothing in ["null", "[]", r#""""#, "{}", r#"{"Colour":[]}"#, r#"{"x@b.test":{"Red":"x"}}"#] {
        assert_eq!(swatches(nothing).0, "", "{nothing}");
    }
    for wrong in ["7", r#""red""#, r##"["#fff"]"##, r##"{"Colour":"#fff"}"##, r#"{"Colour":{"Red":["x"]}}"#] {
        let expected = (IssueCode::FieldWrongType, Some("Swatches".to_owned()));
        assert_eq!(bad(&format!(r#"{{"Id":1,"Swatches":{wrong}}}"#)), expected, "{wrong}");
    }
    let many: Vec<_> = (0..=limits::VARIANT_OPTIONS).map(|n| format!(r#""o{n}":{{"x":"y"}}"#)).collect();
    let (kept, told) = swatches(&format!("{{{}}}", many.join(",")));
    assert_eq!(kept.matches(r#""x":"y""#).count(), limits::VARIANT_OPTIONS);
    assert_eq!(told, ["variant_options_too_many Swatches"]);
    let long = "x".repeat(limits::FEED_URL_BYTES + 1);
    let (kept, told) = swatches(&format!(r#"{{"Colour":{{"Red":"{long}","Blue":"{}"}}}}"#, &long[1..]));
    assert_eq!(kept, format!(r#","Swatches":{{"Colour":{{"Blue":"{}""#, &long[1..]));
    assert_eq!(told, ["variant_value_too_long Swatches.Colour"]);
}
