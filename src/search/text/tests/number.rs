//! Singular and plural.

use super::*;
use crate::search::text::number::NumberForms;

/// Words of one stem, `plural-singular`.
const TOGETHER: [(ShopLanguage, &str); 12] = [
    (
        ShopLanguage::English,
        "knives-knife mice-mouse lenses-lens tvs-tv buses-bus gases-gas canvases-canvas womens-woman \
         women-woman mens-man mp3s-mp3 shelves-shelf cables-cable",
    ),
    (
        ShopLanguage::German,
        "Autos-Auto Babys-Baby Sofas-Sofa Taxis-Taxi Laptops-Laptop Themen-Thema Busse-Bus Tees-Tee \
         Jacken-Jacke",
    ),
    (
        ShopLanguage::French,
        "bijoux-bijou cheveux-cheveu tuyaux-tuyau clous-clou blanches-blanc jeux-jeu chaises-chaise",
    ),
    (
        ShopLanguage::Spanish,
        "colores-color collares-collar papeles-papel robots-robot menús-menú luces-luz sillas-silla",
    ),
    (
        ShopLanguage::Dutch,
        "keukens-keuken tafels-tafel kinderen-kind muizen-muis foto’s-foto broodjes-broodje",
    ),
    (ShopLanguage::Swedish, "böcker-bok nycklar-nyckel stövlar-stövel"),
    (ShopLanguage::Danish, "bøger-bog cykler-cykel tænder-tand"),
    (ShopLanguage::Italian, "uova-uovo chiavi-chiave"),
    (ShopLanguage::Polish, "kubki-kubek zegarki-zegarek"),
    (ShopLanguage::Norwegian, "føtter-fot sykler-sykkel støvler-støvel gensere-genser skoene-sko"),
    (ShopLanguage::Portuguese, "mãos-mão lençóis-lençol azuis-azul infantis-infantil ovos-ovo"),
    (ShopLanguage::Czech, "nože-nůž stoly-stůl oken-okno oči-oko"),
];

/// Words that look like singular and plural, and are not.
const APART: [(ShopLanguage, &str); 4] = [
    (ShopLanguage::English, "lens-len gas-ga mouse-mouth"),
    (ShopLanguage::German, "Thermos-Thermo Extras-Extra Glas-Glasur Kreis-Krei Eis-Ei"),
    (ShopLanguage::French, "bras-bra jus-ju fois-foie fraîche-fraise gaz-gare"),
    (ShopLanguage::Dutch, "matras-mat las-lat"),
];

fn pairs(words: &str) -> impl Iterator<Item = (&str, &str)> {
    words.split_whitespace().filter_map(|pair| pair.split_once('-'))
}

#[test]
fn a_word_and_its_plural_have_one_stem() {
    for (language, words) in TOGETHER {
        let analyser = Analyser::new(language);
        for (plural, singular) in pairs(words) {
            assert_eq!(analyser.stems(plural), analyser.stems(singular), "{plural} in {language:?}");
        }
    }
}

#[test]
fn words_that_only_look_like_a_plural_keep_their_own_stem() {
    for (language, words) in APART {
        let analyser = Analyser::new(language);
        for (first, second) in pairs(words) {
            assert_ne!(analyser.stems(first), analyser.stems(second), "{first} in {language:?}");
        }
    }
}

#[test]
fn the_singular_of_a_word_is_read_from_the_word_alone() {
    for (language, word, singular) in [
        (ShopLanguage::English, "knives", "knife"),
        (ShopLanguage::English, "cables", "cables"),
        (ShopLanguage::German, "autos", "auto"),
        (ShopLanguage::German, "thermos", "thermos"),
        (ShopLanguage::German, "kostenlos", "kostenlos"),
        (ShopLanguage::German, "t2os", "t2os"),
        (ShopLanguage::German, "abos", "abos"),
        (ShopLanguage::Spanish, "collares", "collar"),
        (ShopLanguage::Spanish, "tapas", "tapas"),
        (ShopLanguage::Dutch, "tafels", "tafel"),
        (ShopLanguage::Dutch, "matras", "matras"),
        (ShopLanguage::Other, "knives", "knives"),
    ] {
        assert_eq!(NumberForms::new(language).singular(word), singular, "{word} in {language:?}");
    }
}
