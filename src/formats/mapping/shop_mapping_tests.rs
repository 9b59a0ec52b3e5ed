//! Mappings that shops write, and guesses of them.

use super::*;
use crate::formats::mapping::engine::RecordMapper;
use crate::formats::records::headings::Headings;
use crate::formats::records::record::{FeedRecord, RecordValue};

/// A mapping with one column besides the id.
fn parse_column_use(json: &str) -> Result<ColumnUse, MappingFault> {
    let mapping = ShopMapping::parse(&format!(r#"{{"Columns":{{"nr":"Id","x":{json}}}}}"#))?;
    Ok(mapping.find_use("x"))
}

/// Guesses a table of which the first row has the names.
fn guess(rows: &[&[&str]]) -> ShopMapping {
    let headings: Vec<String> = rows[0].iter().map(|name| (*name).to_owned()).collect();
    let to_value = |(column, text): (usize, &&str)| RecordValue { column, text: (*text).to_owned() };
    let to_record = |row: &&[&str]| {
        let values = row.iter().enumerate().filter(|(_, text)| !text.is_empty()).map(to_value).collect();
        FeedRecord { values, ..FeedRecord::default() }
    };
    let sample: Vec<FeedRecord> = rows[1..].iter().map(to_record).collect();
    ShopMapping::guess(&headings, &sample)
}

fn guessed_uses(rows: &[&[&str]]) -> Vec<ColumnUse> {
    guess(rows).columns().iter().map(MappedColumn::becomes).collect()
}

#[test]
fn a_mapping_gives_the_named_columns_their_uses_and_the_others_theirs() {
    let text = r#"{
        "Columns": {
            "Artikelnummer": "Id", "Bezeichnung": "title", "Preis": "Price", "Farbe": "Option",
            "Stamm": "Group", "Warengruppe": {"Use": "CategoryPath", "Separator": "/"}, "intern": "LeftOut"
        }
    }"#;
    let mapping = ShopMapping::parse(text).unwrap();
    for (name, becomes) in [
        ("Artikelnummer", ColumnUse::Id),
        ("artikel-nummer", ColumnUse::Id),
        ("Bezeichnung", ColumnUse::Title),
        ("Warengruppe", ColumnUse::CategoryPath('/')),
        ("intern", ColumnUse::LeftOut),
        ("Material", ColumnUse::Attribute),
    ] {
        assert_eq!(mapping.find_use(name), becomes, "{name}");
    }
    let without = ShopMapping::parse(r#"{"Others":"LeftOut","Columns":{"nr":"Id"}}"#).unwrap();
    assert_eq!(without.find_use("Material"), ColumnUse::LeftOut);
}

#[test]
fn names_of_signs_alone_and_names_that_fold_alike_are_told_apart() {
    let mapping =
        ShopMapping::parse(r##"{"Columns":{"#":"Id","Preis €":"Price","Preis $":"LeftOut"}}"##).unwrap();
    assert_eq!(mapping.find_use("#"), ColumnUse::Id);
    assert_eq!(mapping.find_use("%"), ColumnUse::Attribute);
    assert_eq!(mapping.find_use("Preis $"), ColumnUse::LeftOut);
}

#[test]
fn a_mapping_is_read_as_it_was_written() {
    let columns: Vec<String> =
        USES.iter().enumerate().map(|(number, (name, _))| format!(r#""column {number}":"{name}""#)).collect();
    let text = format!(r#"{{"Columns":{{{}}},"Others":"LeftOut"}}"#, columns.join(","));
    let mapping = ShopMapping::parse(&text).unwrap();
    assert_eq!(mapping.columns().len(), USES.len());
    assert_eq!(ShopMapping::parse(&mapping.to_json()).as_ref(), Ok(&mapping));
    assert_eq!(
        parse_column_use(r#"{"use":"CategoryPaths","separator":" / ","between":"|"}"#),
        Ok(ColumnUse::CategoryPaths('|', '/'))
    );
}

#[test]
fn each_mistake_has_a_sentence() {
    for (text, sentence) in [
        ("{\n\"Columns\" 5}", "the mapping is not JSON (line 2, column 11)"),
        ("[]", r#"the mapping needs an object `Columns` of names and uses: {"Columns": {"Preis": "Price"}}"#),
        (r#"{"Colums":{}}"#, "`Colums` is no member of a mapping; it has `Columns` and `Others`"),
        (r#"{"Columns":{"a":"Id"},"Others":true}"#, "`Others` is either `Attributes` or `LeftOut`"),
        (r#"{"Columns":{" ":"Id"}}"#, "a column of the mapping has an empty name"),
        (
            r#"{"Columns":{"a":5}}"#,
            "the column `a` needs a use: a text such as `Title`, or an object with `Use`",
        ),
        (r#"{"Columns":{"a":"Prize"}}"#, "the column `a` has the unknown use `Prize`; did you mean `Price`?"),
        (
            r#"{"Columns":{"a":{"Use":"Title","Separator":">"}}}"#,
            "the use of the column `a` has no `Separator`; only paths of categories have a separator",
        ),
        (
            r#"{"Columns":{"a":{"Use":"CategoryPath","Separator":"->"}}}"#,
            "a separator of the column `a` is not one character",
        ),
        (
            r#"{"Columns":{"a":"Id","b":"Title","c":"Title"}}"#,
            "the columns `b` and `c` are both `Title`, of which only one counts",
        ),
        (
            r#"{"Columns":{"b":"Title"}}"#,
            "no column is `Id`; name the one that tells products apart (`Sku` or `Link` serve too)",
        ),
    ] {
        let fault = ShopMapping::parse(text).expect_err(text).to_string();
        assert_eq!(fault, sentence);
    }
}

#[test]
fn an_unknown_use_names_the_one_that_was_meant() {
    for (unknown, nearest) in [
        ("Preis", "Price"),
        ("Titel", "Title"),
        ("Pric", "Price"),
        ("Iamge", "Image"),
        ("Categories", "CategoryPath"),
        ("CategoryPats", "CategoryPaths"),
        ("Bestand", "Quantity"),
        ("SalesPrice", "SalePrice"),
        ("Attributes", "Attribute"),
    ] {
        let fault = parse_column_use(&format!("\"{unknown}\"")).unwrap_err();
        assert!(fault.to_string().ends_with(&format!("did you mean `{nearest}`?")), "{fault}");
    }
}

#[test]
fn a_mapping_is_bounded() {
    let name_of_bytes =
        |bytes: usize| format!(r#"{{"Columns":{{"nr":"Id","{}":"Title"}}}}"#, "ä".repeat(bytes / 2));
    assert!(ShopMapping::parse(&name_of_bytes(200)).is_ok());
    let fault = ShopMapping::parse(&name_of_bytes(202)).unwrap_err();
    assert!(matches!(&fault, MappingFault::NameTooLong(name) if name.chars().count() == 61), "{fault}");
    let columns_of = |count: usize| {
        let columns: Vec<String> = (0..count).map(|number| format!(r#""{number}":"Option""#)).collect();
        ShopMapping::parse(&format!(r#"{{"Columns":{{"nr":"Id",{}}}}}"#, columns.join(",")))
    };
    assert!(columns_of(999).is_ok());
    assert_eq!(columns_of(1_000), Err(MappingFault::TooManyColumns));
    let padded = |bytes: usize| {
        let text = r#"{"Columns":{"nr":"Id"}}"#;
        format!("{text}{}", " ".repeat(bytes - text.len()))
    };
    assert!(ShopMapping::parse(&padded(FEED_MAPPING_BYTES)).is_ok());
    assert_eq!(ShopMapping::parse(&padded(FEED_MAPPING_BYTES + 1)), Err(MappingFault::TooLarge));
}

#[test]
fn options_without_a_group_are_attributes_and_a_row_without_any_id_has_its_link() {
    let mapping = ShopMapping::parse(
        r#"{"Columns":{"nr":"Id","Stamm":"Group","Farbe":"Option","Seite":"Link","Bestand":"Quantity"}}"#,
    )
    .unwrap();
    let mut headings = Headings::default();
    let mut map = |values: &[(&str, &str)]| {
        let mut record = FeedRecord::default();
        for (name, text) in values {
            let column = headings.intern(name).unwrap();
            record.values.push(RecordValue { column, text: (*text).to_owned() });
        }
        RecordMapper::new(&mapping, MappingContext::default()).map_record(&headings, &record)
    };
    let alone = map(&[("Farbe", "rot"), ("Seite", "https://shop.example/a"), ("Bestand", "0")]);
    assert_eq!(alone.id.as_deref(), Some("https://shop.example/a"));
    assert_eq!(alone.attributes, [("Farbe".to_owned(), vec!["rot".to_owned()])]);
    assert_eq!((alone.options.len(), alone.in_stock), (0, Some(false)));
    let variant = map(&[("nr", "7"), ("Stamm", "1"), ("Farbe", "rot")]);
    assert_eq!((variant.id.as_deref(), variant.options.len()), (Some("7"), 1));
}

#[test]
fn columns_are_guessed_by_their_names_in_six_languages() {
    for (names, uses) in crate::formats::mapping::guessed_headings::GUESSED {
        assert_eq!(guessed_uses(&[names]), *uses, "{names:?}");
        assert_eq!(guess(&[names]).check(), Ok(()), "{names:?}");
    }
}

#[test]
fn a_use_of_which_one_column_counts_is_guessed_once() {
    let names: Vec<&str> = crate::formats::mapping::column_words::COLUMN_WORDS
        .iter()
        .flat_map(|entry| entry.words.split(' '))
        .collect();
    let mapping = guess(&[&names]);
    assert_eq!(mapping.check(), Ok(()));
    assert!(!mapping.columns().is_empty());
    let uses = guessed_uses(&[&["Titel", "Bezeichnung", "Bild 1", "Bild 2", "Bild 3"]]);
    let more = ColumnUse::MoreImages;
    assert_eq!(uses, [ColumnUse::Title, ColumnUse::Attribute, ColumnUse::Image, more, more]);
}

#[test]
fn no_word_means_two_uses_and_each_is_folded() {
    let mut known = std::collections::HashSet::new();
    for word in
        crate::formats::mapping::column_words::COLUMN_WORDS.iter().flat_map(|entry| entry.words.split(' '))
    {
        assert!(known.insert(word), "{word}");
        assert_eq!(crate::formats::mapping::column_words::fold_name(word), word);
        assert!(!word.is_empty());
    }
}

#[test]
fn columns_with_names_that_say_nothing_are_guessed_by_their_values() {
    let uses = guessed_uses(&[
        &["f1", "f2", "f3", "f4", "f5", "f6", "f7", "f8"],
        &[
            "https://a.example/1.JPG?v=2",
            "https://a.example/1",
            "12,50 €",
            "4006381333931",
            "A > B",
            "12",
            "",
            "x",
        ],
        &[
            "https://a.example/2.webp",
            "https://a.example/2",
            "EUR 1.299,00",
            "96385074",
            "A > C",
            "13",
            "",
            "a < b",
        ],
    ]);
    use ColumnUse::{Attribute, CategoryPath, Gtin, Image, Link, Price};
    assert_eq!(uses, [Image, Link, Price, Gtin, CategoryPath('>'), Attribute, Attribute, Attribute]);
}

#[test]
fn one_value_that_does_not_fit_is_enough_to_guess_nothing() {
    for other in
        ["https://a.example/1", "4006381333932", "12.50 XYZ", "EUR 34375;US-USD 34375", "<p>A > B</p>"]
    {
        for fitting in ["https://a.example/1.jpg", "4006381333931", "12.50 EUR", "A > B"] {
            let uses = guessed_uses(&[&["f"], &[fitting], &[other]]);
            let is_link = fitting.starts_with("https") && other.starts_with("https");
            assert_eq!(uses == [ColumnUse::Link], is_link, "{fitting} {other}");
            assert_eq!(uses == [ColumnUse::Attribute], !is_link, "{fitting} {other}");
        }
    }
    // By chance, one number of eight digits in ten fits.
    assert_eq!(guessed_uses(&[&["f"], &["96385074"]]), [ColumnUse::Attribute]);
}

#[test]
fn of_several_languages_one_is_guessed_and_the_others_are_left_out() {
    let uses = guessed_uses(&[
        &["sku", "name.de", "name.en", "details.de", "details.en", "name_it", "price_it"],
        &["1", "Stuhl", "Chair", "", "Oak", "", ""],
        &["2", "Tisch", "Table", "", "Ash", "", ""],
    ]);
    use ColumnUse::{Description, LeftOut, Sku, Title};
    assert_eq!(uses, [Sku, LeftOut, Title, LeftOut, Description, LeftOut, LeftOut]);
    // One language is no choice.
    assert_eq!(guessed_uses(&[&["name_de", "Preis"]]), [ColumnUse::Attribute, ColumnUse::Price]);
    let uses = guessed_uses(&[&["name-en-GB", "name-de-CH", "sku"], &["Chair", "Stuhl", "1"]]);
    assert_eq!(uses, [Title, LeftOut, Sku]);
}

#[test]
fn categories_are_guessed_from_columns_of_one_word() {
    use ColumnUse::{Attribute, CategoryPath};
    const PATH: ColumnUse = CategoryPath('>');
    assert_eq!(guessed_uses(&[&["productType", "categories"]]), [Attribute, PATH]);
    assert_eq!(guessed_uses(&[&["Kategorie", "Kategorie 2", "Rubrik"]]), [PATH, PATH, Attribute]);
}

#[test]
fn an_id_that_repeats_beside_article_numbers_is_the_product_of_variants() {
    use ColumnUse::{Group, Id, Sku};
    let uses = guessed_uses(&[&["product_id", "sku"], &["1", "1-s"], &["1", "1-l"]]);
    assert_eq!(uses, [Group, Sku]);
    assert_eq!(guessed_uses(&[&["product_id", "sku"], &["1", "1-s"], &["2", "1-l"]]), [Id, Sku]);
    // The number of a variant within its product is no id.
    assert_eq!(guessed_uses(&[&["variantId", "sku"], &["1", "a"], &["1", "b"]]), [ColumnUse::Attribute, Sku]);
    assert_eq!(guessed_uses(&[&["product_id", "sku"], &["1", "1-s"], &["1", "1-s"]]), [Id, Sku]);
}

#[test]
fn separators_of_categories_are_those_of_the_values() {
    use ColumnUse::{CategoryPath, CategoryPaths};
    for (values, becomes) in [
        (&["Men > Shoes"][..], CategoryPath('>')),
        (&["Men > Shoes, Boots"], CategoryPath('>')),
        (&["Men > Shoes, Men > Boots"], CategoryPaths(',', '>')),
        (&["Men/Shoes|Men/Boots", "Men/Hats"], CategoryPaths('|', '/')),
        (&["Shoes|Boots"], CategoryPaths('|', '>')),
        (&["Audio/Video", "Hats", "Shoes"], CategoryPath('>')),
        (&["Herren » Schuhe"], CategoryPath('»')),
        (&["Bags, Cases"], CategoryPath('>')),
    ] {
        let rows: Vec<&[&str]> = [&["Kategorie"][..]].into_iter().chain(values.chunks(1)).collect();
        assert_eq!(guessed_uses(&rows), [becomes], "{values:?}");
    }
}

#[test]
fn a_guess_of_any_table_is_a_mapping_that_can_be_stored() {
    let names: Vec<String> =
        (0..3_000).map(|number| format!("{number} \"ß\\{}", "x".repeat(number % 260))).collect();
    let mut names: Vec<&str> = names.iter().map(String::as_str).collect();
    names.insert(0, "sku");
    names.insert(1, "");
    let mapping = guess(&[&names]);
    assert_eq!(ShopMapping::parse(&mapping.to_json()).as_ref(), Ok(&mapping));
    assert!(mapping.columns().len() > 100);
}
