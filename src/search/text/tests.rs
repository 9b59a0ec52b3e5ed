//! Words, stems and measures.

use super::{Analyser, Language, folded, squeezed};

fn english() -> Analyser {
    Analyser::new(Language::English)
}

#[test]
fn the_table_is_in_the_order_of_the_enum() {
    for (at, language) in Language::ALL.iter().enumerate() {
        assert_eq!(*language as usize, at);
        assert_eq!(Language::parse(language.code()), Some(*language));
        let name = language.name();
        let analyser = Analyser::new(*language);
        assert_eq!(analyser.language(), *language, "{name}");
        for word in language.row().function_words.split_whitespace() {
            assert_eq!(folded(word), word, "a function word of {name} is not folded");
            assert!(analyser.is_function_word(word));
        }
    }
    assert_eq!(Language::parse("EN-gb"), Some(Language::English));
    assert_eq!(Language::parse("nb"), Some(Language::Norwegian));
    assert_eq!(Language::parse("xx"), None);
}

#[test]
fn words_are_folded_and_know_where_they_stand() {
    let text = "Café CRÈME-brûlée, Women's 15\" Core™2";
    let mut seen = Vec::new();
    english().each(text, &mut |token| {
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
    assert_eq!(folded("Straße Æble Łódź İstanbul ırmak ﬁne ㎏"), "strasse aeble lodz istanbul irmak fine kg");
    assert_eq!(folded("Cafe\u{301}"), "cafe");
    assert_eq!(folded("новый ёлка"), "новый елка");
    assert_eq!(folded("новыи\u{306}"), "новый");
    assert_eq!(folded("soft\u{ad}hyphen right\u{200f}mark a\u{200b}b"), "softhyphen rightmark a b");
    assert_eq!(folded("ΛΌΓΟΣ λόγος"), "λογοσ λογοσ");
}

#[test]
fn scripts_without_spaces_become_pairs() {
    let analyser = Analyser::new(Language::Other);
    assert_eq!(analyser.words("東京タワー"), ["東京", "京タ", "タワ", "ワー"]);
    assert_eq!(analyser.words("ｶﾞｽ 茶 Sony製"), ["ガス", "茶", "sony", "製"]);
    assert_eq!(analyser.words("한국어"), ["한국", "국어"]);
    assert_eq!(analyser.words("รองเท้า").len(), 5);
    assert_eq!(folded("東京タワー Tokyo"), "東京タワー tokyo");
}

#[test]
fn stems_join_the_forms_of_a_word() {
    let pairs = [
        (Language::English, "printers", "printer"),
        (Language::English, "women's", "womens"),
        (Language::German, "Kühlschränke", "kuehlschrank"),
        (Language::German, "Häuser", "Haus"),
        (Language::French, "chaussures", "chaussure"),
        (Language::Spanish, "zapatos", "zapato"),
        (Language::Spanish, "iluminación", "iluminaciones"),
        (Language::Portuguese, "decoração", "decorações"),
        (Language::Italian, "scarpe", "scarpa"),
        (Language::Dutch, "schoenen", "schoen"),
        (Language::Danish, "skoene", "skoen"),
        (Language::Swedish, "bilarna", "bilar"),
        (Language::Finnish, "kengissä", "kengissa"),
        (Language::Polish, "buty", "butów"),
        (Language::Czech, "boty", "bota"),
        (Language::Russian, "красный", "красные"),
        (Language::Greek, "παπούτσια", "παπουτσι"),
        (Language::Turkish, "ayakkabıları", "ayakkabi"),
        (Language::Turkish, "çantası", "çantalar"),
        (Language::Turkish, "çanta", "cantalar"),
        (Language::Hungarian, "kabátok", "kabát"),
        (Language::Hungarian, "táskák", "taska"),
        (Language::Hungarian, "cipőben", "cipő"),
        (Language::Bulgarian, "роклята", "рокли"),
        (Language::Portuguese, "corações", "coração"),
        (Language::Portuguese, "papéis", "papel"),
        (Language::Spanish, "luces", "luz"),
        (Language::Swedish, "jackan", "jackor"),
        (Language::Latvian, "kurpju", "kurpe"),
        (Language::Romanian, "pantofilor", "pantof"),
        (Language::Lithuanian, "suknelės", "suknelė"),
        (Language::Norwegian, "jakken", "jakker"),
        (Language::Slovak, "topánky", "topanka"),
        (Language::Serbian, "ципеле", "cipela"),
        (Language::Ukrainian, "кросівки", "кросівках"),
        (Language::Slovenian, "čevlji", "čevlja"),
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
    assert_eq!(Analyser::new(Language::French).units("1 To, 500 Go"), ["1tb", "500gb"]);
    let german = Analyser::new(Language::German);
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
    assert_eq!(squeezed(" AB-12/x é"), "ab12xe");
    assert_eq!(squeezed("東京タ"), "東京タ");
}

mod any_text {
    use proptest::prelude::*;

    use super::super::{Analyser, Language, folded};

    proptest! {
        #[test]
        fn words_are_cut_from_the_text_and_fold_to_themselves(text in "\\PC{0,60}") {
            let analyser = Analyser::new(Language::German);
            let mut last = 0;
            analyser.each(&text, &mut |token| {
                assert!(token.start >= last && token.start < token.end && text.is_char_boundary(token.end));
                last = token.start;
                assert!(!token.word.is_empty());
            });
            prop_assert_eq!(folded(&folded(&text)), folded(&text));
            let _ = analyser.units(&text);
        }
    }
}
