//! Texts of all languages: the same keys and placeholders in each, and how dates, numbers and amounts are written.

use std::collections::{BTreeMap, BTreeSet};

use super::*;

/// Table of the advice for issues, whose English stands beside the codes.
const ADVICE: &str = "issue_advice.";

/// Every text by its key.
fn flat(table: &Table, above: &str, all: &mut BTreeMap<String, String>) {
    for (name, value) in table {
        match value {
            toml::Value::Table(table) => flat(table, &format!("{above}{name}."), all),
            toml::Value::String(text) => {
                all.insert(format!("{above}{name}"), text.clone());
            }
            other => panic!("{above}{name} is no text: {other}"),
        }
    }
}

fn placeholders(text: &str) -> BTreeSet<&str> {
    text.split('{').skip(1).filter_map(|rest| rest.split_once('}')).map(|(name, _)| name).collect()
}

fn all(language: UiLanguage) -> BTreeMap<String, String> {
    let mut all = BTreeMap::new();
    flat(&Translations::load(language).texts, "", &mut all);
    all.retain(|key, _| !key.starts_with(ADVICE));
    all
}

#[test]
fn every_language_has_the_same_texts_with_the_same_placeholders() {
    let english = all(UiLanguage::English);
    assert!(english.len() > 140, "{}", english.len());
    for language in UiLanguage::ALL {
        let texts = all(language);
        assert_eq!(texts.keys().collect::<Vec<_>>(), english.keys().collect::<Vec<_>>(), "{language:?}");
        for (key, text) in &texts {
            // A day of the month may be left out.
            if key != "format.date_first" {
                assert_eq!(placeholders(text), placeholders(&english[key]), "{language:?}: {key}");
            }
            // Thousands are separated by a no-break space.
            assert!(!text.trim().is_empty() || key == "format.thousands", "{language:?}: {key}");
            assert!(!text.is_empty() && !text.contains(['\n', '<', '&']), "{language:?}: {key}");
            assert!(!text.contains("  "), "{language:?}: {key}");
        }
        assert_eq!(texts["format.months"].split(' ').count(), 12, "{language:?}");
    }
    for other in [UiLanguage::German, UiLanguage::French] {
        let same: Vec<_> =
            all(other).into_iter().filter(|(key, text)| text.len() > 20 && english[key] == *text).collect();
        assert!(same.is_empty(), "not translated into {other:?}: {same:?}");
    }
}

#[test]
fn a_language_is_known_by_its_code_and_every_other_is_english_with_a_sentence() {
    for (code, language) in [
        ("de", UiLanguage::German),
        ("DE", UiLanguage::German),
        ("de-AT", UiLanguage::German),
        ("fr_CH", UiLanguage::French),
        (" en ", UiLanguage::English),
    ] {
        assert_eq!(UiLanguage::or_english(code), (language, None), "{code}");
    }
    for unknown in ["", "xx", "deu", "german", "-", "de–AT"] {
        let (language, said) = UiLanguage::or_english(unknown);
        assert_eq!(language, UiLanguage::English, "{unknown}");
        let said = said.expect("a sentence");
        assert!(said.ends_with("There are: en (English), de (German), fr (French)."), "{said}");
    }
}

#[test]
fn dates_and_numbers_are_written_as_the_language_writes_them() {
    let new_year = Some(1_767_225_600_000);
    let written = UiLanguage::ALL.map(|language| {
        let texts = Translations::load(language);
        [
            texts.day(new_year),
            texts.time(Some(1_774_023_240_000)),
            texts.number(1_234_567),
            texts.amount("5.00"),
        ]
    });
    assert_eq!(written[0], ["1 January 2026", "20 March 2026, 16:14 UTC", "1,234,567", "5.00"]);
    assert_eq!(written[1], ["1. Januar 2026", "20. März 2026, 16:14 Uhr (UTC)", "1.234.567", "5,00"]);
    assert_eq!(
        written[2],
        ["1er janvier 2026", "20 mars 2026 à 16:14 UTC", "1\u{202f}234\u{202f}567", "5,00"]
    );
    let money = UiLanguage::ALL.map(|language| {
        let texts = Translations::load(language);
        [
            texts.money(21159.64, "GBP"),
            texts.money(-5.0, "CHF"),
            texts.money(1234.4, "JPY"),
            texts.decimal(-0.24, 1),
        ]
    });
    assert_eq!(money[0], ["£21,159.64", "-CHF\u{a0}5.00", "JPY\u{a0}1,234", "-0.2"]);
    assert_eq!(money[1], ["21.159,64\u{a0}£", "-5,00\u{a0}CHF", "1.234\u{a0}JPY", "-0,2"]);
    assert_eq!(money[2], ["21\u{202f}159,64\u{a0}£", "-5,00\u{a0}CHF", "1\u{202f}234\u{a0}JPY", "-0,2"]);
    let texts = Translations::load(UiLanguage::English);
    assert_eq!(texts.money(1310.5, ""), "1,310.50");
    assert_eq!((texts.number(0), texts.number(999)), ("0".to_owned(), "999".to_owned()));
    assert_eq!(texts.day(None), "(day unknown)");
    assert_eq!(
        (texts.time(Some(i64::MAX)), texts.amount("1.5 kg")),
        ("(day unknown)".into(), "1.5 kg".into())
    );
}

#[test]
fn one_and_several_have_the_form_of_the_language() {
    let forms = |language| {
        [0, 1, 2].map(|n| Translations::load(language).many("removed.records", n).expect("a text"))
    };
    let [none, one, two] = forms(UiLanguage::French);
    assert!(none.starts_with("0 fiche contenant") && one.starts_with("1 fiche contenant"), "{none}");
    assert!(two.starts_with("2 fiches contenant"));
    let [none, one, two] = forms(UiLanguage::German);
    assert!(none.starts_with("0 Einträge") && one.starts_with("1 Eintrag ") && two.starts_with("2 Einträge"));
    assert_eq!(Translations::load(UiLanguage::German).many("removed.nothing", 1), None);
}

#[test]
fn a_value_is_not_looked_through_for_names() {
    assert_eq!(fill_placeholders("{a} {b} {c", &[("a", "{b}"), ("b", "x{a}")]), "{b} x{a} {c");
    assert_eq!(fill_placeholders("{unknown} {}", &[("a", "1")]), "{unknown} {}");
}

#[test]
fn what_is_no_amount_keeps_its_points() {
    let texts = Translations::load(UiLanguage::German);
    let amounts = ["-5.00", "1.5 kg", "1.234.5", "v1.0", "7", ""].map(|amount| texts.amount(amount));
    assert_eq!(amounts, ["-5,00", "1.5 kg", "1,234,5", "v1.0", "7", ""]);
    let numbers = [1, 10, 100, 1000, 12_345, 123_456].map(|number| texts.number(number));
    assert_eq!(numbers, ["1", "10", "100", "1.000", "12.345", "123.456"]);
}

#[test]
fn each_month_has_its_name_and_the_first_day_its_form() {
    let texts = Translations::load(UiLanguage::French);
    let day = |day: &str| {
        let at: jiff::Timestamp = format!("{day}T23:59:59Z").parse().expect("a time");
        texts.day(Some(at.as_millisecond()))
    };
    let days = ["2026-01-31", "2026-02-01", "2026-12-02", "2026-12-11"].map(day);
    assert_eq!(days, ["31 janvier 2026", "1er février 2026", "2 décembre 2026", "11 décembre 2026"]);
    assert_eq!(texts.day(Some(i64::MAX)), texts.translate("format.unknown_time", &[]));
}

#[test]
fn a_key_leads_to_one_text_and_to_no_part_of_them() {
    let texts = Translations::load(UiLanguage::English);
    assert_eq!(texts.find("format.decimal"), Some("."));
    for none in ["", "format", "format.", "decimal", "format.decimal.x", "decimal.format"] {
        assert_eq!(texts.find(none), None, "{none}");
        assert_eq!(texts.translate(none, &[("x", "y")]), none);
    }
    assert_eq!(texts.translate("no {x} {y}{x}", &[("x", "1"), ("y", "2")]), "no 1 21");
    assert_eq!((texts.many("removed.nothing", 1), texts.many("no.such", 1)), (None, None));
    assert_eq!(UiLanguage::ALL.map(|one| Translations::load(one).language()), UiLanguage::ALL);
}
