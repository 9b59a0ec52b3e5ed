//! Words, stems and measures.

mod beside;
mod bounds;
mod edges;
mod number;
mod scripts;
mod tables;

use super::{Analyser, ShopLanguage, fold_identifier, fold_text};

fn english() -> Analyser {
    Analyser::new(ShopLanguage::English)
}

#[test]
fn the_table_is_in_the_order_of_the_enum() {
    for (at, language) in ShopLanguage::ALL.iter().enumerate() {
        assert_eq!(*language as usize, at);
        assert_eq!(ShopLanguage::parse(language.code()), Some(*language));
        let name = language.name();
        let analyser = Analyser::new(*language);
        assert_eq!(analyser.language(), *language, "{name}");
        for word in language.row().function_words.split_whitespace() {
            assert_eq!(fold_text(word), word, "a function word of {name} is not folded");
            assert!(analyser.is_function_word(word));
        }
    }
    assert_eq!(ShopLanguage::parse("EN-gb"), Some(ShopLanguage::English));
    assert_eq!(ShopLanguage::parse("nb"), Some(ShopLanguage::Norwegian));
    assert_eq!(ShopLanguage::parse("xx"), None);
}

#[test]
fn words_are_folded_and_know_where_they_stand() {
    let text = "Café CRÈME-brûlée, Women's 15\" Core™2";
    let mut seen = Vec::new();
    english().for_each_word(text, &mut |token| {
        seen.push((token.word.to_owned(), text[token.start..token.end].to_owned(), token.position));
    });
    let expected = [
        ("cafe", "Café", 0),
        ("creme", "CRÈME", 1),
        ("brulee", "brûlée", 2),
        ("women", "Women", 3),
        ("15", "15", 4),
        ("core", "Core", 5),
        ("2", "2", 6),
    ];
    let expected =
        expected.map(|(word, original, position)| (word.to_owned(), original.to_owned(), position));
    assert_eq!(seen, expected);
}

#[test]
fn composed_and_decomposed_letters_are_the_same() {
    assert_eq!(
        fold_text("Straße Æble Łódź İstanbul ırmak ﬁne ㎏"),
        "strasse aeble lodz istanbul irmak fine kg"
    );
    assert_eq!(fold_text("Cafe\u{301}"), "cafe");
    assert_eq!(fold_text("новый ёлка"), "новый елка");
    assert_eq!(fold_text("новыи\u{306}"), "новый");
    assert_eq!(fold_text("soft\u{ad}hyphen right\u{200f}mark a\u{200b}b"), "softhyphen rightmark a b");
    assert_eq!(fold_text("ΛΌΓΟΣ λόγος"), "λογοσ λογοσ");
}

#[test]
fn scripts_without_spaces_become_pairs() {
    let analyser = Analyser::new(ShopLanguage::Other);
    assert_eq!(analyser.words("東京タワー"), ["東京", "京タ", "タワ", "ワー"]);
    assert_eq!(analyser.words("ｶﾞｽ 茶 Sony製"), ["ガス", "茶", "sony", "製"]);
    assert_eq!(analyser.words("한국어"), ["한국", "국어"]);
    assert_eq!(analyser.words("รองเท้า").len(), 5);
    assert_eq!(fold_text("東京タワー Tokyo"), "東京タワー tokyo");
}

#[test]
fn stems_join_the_forms_of_a_word() {
    let pairs = [
        (ShopLanguage::English, "printers", "printer"),
        (ShopLanguage::English, "women's", "womens"),
        (ShopLanguage::German, "Kühlschränke", "kuehlschrank"),
        (ShopLanguage::German, "Häuser", "Haus"),
        (ShopLanguage::French, "chaussures", "chaussure"),
        (ShopLanguage::Spanish, "zapatos", "zapato"),
        (ShopLanguage::Spanish, "iluminación", "iluminaciones"),
        (ShopLanguage::Portuguese, "decoração", "decorações"),
        (ShopLanguage::Italian, "scarpe", "scarpa"),
        (ShopLanguage::Dutch, "schoenen", "schoen"),
        (ShopLanguage::Danish, "skoene", "skoen"),
        (ShopLanguage::Swedish, "bilarna", "bilar"),
        (ShopLanguage::Finnish, "kengissä", "kengissa"),
        (ShopLanguage::Polish, "buty", "butów"),
        (ShopLanguage::Czech, "boty", "bota"),
        (ShopLanguage::Russian, "красный", "красные"),
        (ShopLanguage::Greek, "παπούτσια", "παπουτσι"),
        (ShopLanguage::Turkish, "ayakkabıları", "ayakkabi"),
        (ShopLanguage::Turkish, "çantası", "çantalar"),
        (ShopLanguage::Turkish, "çanta", "cantalar"),
        (ShopLanguage::Hungarian, "kabátok", "kabát"),
        (ShopLanguage::Hungarian, "táskák", "taska"),
        (ShopLanguage::Hungarian, "cipőben", "cipő"),
        (ShopLanguage::Bulgarian, "роклята", "рокли"),
        (ShopLanguage::Portuguese, "corações", "coração"),
        (ShopLanguage::Portuguese, "papéis", "papel"),
        (ShopLanguage::Spanish, "luces", "luz"),
        (ShopLanguage::Swedish, "jackan", "jackor"),
        (ShopLanguage::Latvian, "kurpju", "kurpe"),
        (ShopLanguage::Romanian, "pantofilor", "pantof"),
        (ShopLanguage::Lithuanian, "suknelės", "suknelė"),
        (ShopLanguage::Norwegian, "jakken", "jakker"),
        (ShopLanguage::Slovak, "topánky", "topanka"),
        (ShopLanguage::Serbian, "ципеле", "cipela"),
        (ShopLanguage::Ukrainian, "кросівки", "кросівках"),
        (ShopLanguage::Slovenian, "čevlji", "čevlja"),
    ];
    let mut apart = Vec::new();
    for (language, first, second) in pairs {
        let analyser = Analyser::new(language);
        if analyser.stems(first) != analyser.stems(second) {
            apart.push((analyser.stems(first), analyser.stems(second)));
        }
    }
    assert!(apart.is_empty(), "{apart:?}");
    assert_eq!(english().stem("p7450s"), "p7450s");
}

#[test]
fn cached_stems_are_those_of_the_stemmer() {
    let analyser = english();
    for _ in 0..2 {
        for number in 0..30_000_u32 {
            let letters = char::from(b'a' + u8::try_from(number % 26).expect("a letter"));
            let word = format!("running{letters}{}s", "xyz".repeat(number as usize % 7));
            assert_eq!(analyser.stems(&word), [analyser.stem(&word)]);
        }
    }
}

#[test]
fn measures_have_one_spelling() {
    let units = |text: &str| english().units(text);
    for text in ["15\"", "15 inch", "15-inch", "15in", "15 Inches", "15.0”", "15''"] {
        assert_eq!(units(text), ["15in"], "{text}");
    }
    assert_eq!(units("1tb 1 TB"), ["1tb", "1tb"]);
    assert_eq!(units("2x4 m, 2 x 4m"), ["2x4m", "2x4m"]);
    assert_eq!(units("1440 x 900 pixels"), ["1440x900"]);
    assert_eq!(units("3 in 1"), Vec::<String>::new());
    assert_eq!(units("dv7 2010 10-20 cm 1,000 mAh 2.50 kg"), ["20cm", "1000mah", "2.5kg"]);
    assert_eq!(units("RJ-45 DB 20 °C 40°F 5 f USB-C 2m"), ["20c", "40f", "2m"]);
    assert_eq!(units("5 to 10 1st 2000 go"), Vec::<String>::new());
    assert_eq!(Analyser::new(ShopLanguage::French).units("1 To, 500 Go"), ["1tb", "500gb"]);
    let german = Analyser::new(ShopLanguage::German);
    assert_eq!(german.units("17,3 Zoll 1.000 g 15,60\""), ["17.3in", "1000g", "15.6in"]);
    for odd in ["\"", "1", "1x", "1 x", "١٢ kg", "1.", "1.é", "9×9×", "½ l", "1 "] {
        let _ = units(odd);
    }
}

#[test]
fn plurals_share_a_key() {
    for (first, second) in
        [("boxes", "box"), ("batteries", "battery"), ("cables", "cable"), ("glass", "glass")]
    {
        assert_eq!(english().plural(first), english().plural(second));
    }
    assert_eq!(english().plural("glass"), "glass");
}

#[test]
fn squeezed_keeps_letters_and_digits() {
    assert_eq!(fold_identifier(" AB-12/x é"), "ab12xe");
    assert_eq!(fold_identifier("東京タ"), "東京タ");
}

mod any_text {
    use proptest::prelude::*;

    use super::super::{Analyser, ShopLanguage, fold_text};

    proptest! {
        #[test]
        fn words_are_cut_from_the_text_and_fold_to_themselves(text in "\\PC{0,60}") {
            let analyser = Analyser::new(ShopLanguage::German);
            let mut last = 0;
            analyser.for_each_word(&text, &mut |token| {
                assert!(token.start >= last && token.start < token.end && text.is_char_boundary(token.end));
                last = token.start;
                assert!(!token.word.is_empty());
            });
            prop_assert_eq!(fold_text(&fold_text(&text)), fold_text(&text));
            let _ = analyser.units(&text);
        }
    }
}
