//! Compounds: which words are split, where, and how products that hold a part are counted.

use std::sync::Arc;

use super::*;
use crate::search::document::{Attribute, AttributeValue, ProductDocument};
use crate::search::text::{Analyser, ShopLanguage};

struct WordShop {
    analyser: Arc<Analyser>,
    statistics: Statistics,
    compounds: Compounds,
}

fn product(number: usize, title: &str) -> ProductDocument {
    ProductDocument { id: number.to_string(), title: title.to_owned(), ..ProductDocument::default() }
}

fn shop_of(language: ShopLanguage, products: &[ProductDocument]) -> WordShop {
    let analyser = Arc::new(Analyser::new(language));
    let mut counter = StatisticsCounter::new(Arc::clone(&analyser), []);
    products.iter().for_each(|product| counter.add(product));
    let statistics = counter.finish();
    let splitter = CompoundSplitter::new(
        Arc::clone(&analyser),
        Arc::clone(statistics.words()),
        Arc::clone(statistics.heads()),
    );
    let compounds = Compounds::new(splitter, Arc::clone(statistics.compounds()));
    WordShop { analyser, statistics, compounds }
}

fn shop(language: ShopLanguage, titles: &[&str]) -> WordShop {
    let products: Vec<_> = titles.iter().enumerate().map(|(number, title)| product(number, title)).collect();
    shop_of(language, &products)
}

impl WordShop {
    /// Modifier and head of a word, as the word writes them.
    fn split<'w>(&self, word: &'w str) -> Option<(&'w str, &'w str)> {
        let parts = self.compounds.parts(word)?;
        Some(word.split_at(parts.head_start))
    }

    fn frequency(&self, word: &str) -> u32 {
        self.statistics.frequency(key_of(&self.analyser.stem(word)))
    }
}

/// Each of these words stands alone in two titles.
const GERMAN: &str =
    "Winter Jacke Tasche Schule Liebling Buch Hose Kinder Regen Tisch Lampe Wein Schwein Uhr Wand";

fn german() -> WordShop {
    let titles: Vec<&str> = GERMAN.split(' ').flat_map(|word| [word, word]).collect();
    shop(ShopLanguage::German, &titles)
}

#[test]
fn a_word_is_split_at_its_longest_head_after_a_word_of_the_shop() {
    let shop = german();
    for (word, parts) in [
        ("winterjacke", Some(("winter", "jacke"))),
        ("winterjacken", Some(("winter", "jacken"))),
        // Linking letters, and an ending that the modifier lost.
        ("lieblingsbuch", Some(("lieblings", "buch"))),
        ("schultasche", Some(("schul", "tasche"))),
        // A head of three letters that is listed.
        ("wanduhr", Some(("wand", "uhr"))),
        // No head, no word before it, too short, a digit.
        ("winterding", None),
        ("zauberjacke", None),
        ("abjacke", None),
        ("jackett", None),
        ("winterjacke2", None),
    ] {
        assert_eq!(shop.split(word), parts, "{word}");
    }
}

#[test]
fn a_split_by_chance_of_rare_words_is_no_compound() {
    // `Lade` stands alone in one title only, and heads of three letters are listed.
    let rare =
        shop(ShopLanguage::German, &["Lade", "Schoko", "Schokolade", "Mass", "Masse", "Age", "Massage"]);
    for word in ["schokolade", "massage"] {
        assert_eq!(rare.split(word), None, "{word}");
    }
    // A function word stands before no head, and endings that make words are no heads.
    let shop = shop(
        ShopLanguage::German,
        &["Nach Fuller", "Fuller nach", "Freund", "Freund", "lich haft", "lich haft", "Schaft", "Schaft"],
    );
    for word in ["nachfuller", "freundschaft", "freundlich"] {
        assert_eq!(shop.split(word), None, "{word}");
    }
}

#[test]
fn what_a_word_negates_is_no_part_of_it() {
    let shop = shop(
        ShopLanguage::German,
        &["Non", "Anti", "Food", "Food", "Slip", "Slip", "Metall", "Metall", "Frei", "Frei"],
    );
    for word in ["nonfood", "antislip", "metallfrei"] {
        assert_eq!(shop.split(word), None, "{word}");
    }
    assert_eq!(shop.split("metallslip"), Some(("metall", "slip")));
}

#[test]
fn a_word_that_is_no_kind_of_its_ending_stays_whole_in_the_index_and_for_a_query() {
    let titles = ["Hand", "Hand", "Schuh", "Schuhe", "Handschuhe", "Hausschuhe", "Haus", "Haus"];
    let shop = shop(ShopLanguage::German, &titles);
    assert_eq!(shop.split("hausschuhe"), Some(("haus", "schuhe")));
    assert_eq!((shop.split("handschuhe"), shop.split("handschuh")), (None, None));
    assert_eq!(shop.compounds.words_ending_in("schuhe", "schuh", 9), ["hausschuhe"]);
}

#[test]
fn a_brand_is_not_split_nor_found_by_its_ending() {
    let mut products: Vec<_> = ["Land", "Land", "Liebe", "Liebe", "Nächstenliebe", "Nächsten", "Nächsten"]
        .iter()
        .enumerate()
        .map(|(number, title)| product(number, title))
        .collect();
    products.push(ProductDocument { brand: "Landliebe".to_owned(), ..product(9, "Landliebe Joghurt") });
    // A word beside others of a brand may be what the brand sells.
    products.push(ProductDocument { brand: "Nächstenliebe Meyer".to_owned(), ..product(10, "Brot") });
    let shop = shop_of(ShopLanguage::German, &products);
    assert_eq!(shop.split("nachstenliebe"), Some(("nachsten", "liebe")));
    assert_eq!(shop.split("landliebe"), None);
    assert_eq!(shop.compounds.words_ending_in("liebe", "lieb", 9), ["nachstenliebe"]);
}

#[test]
fn a_modifier_with_a_lost_ending_has_four_letters() {
    // `sch` and `e` would make `schweins` hold `wein`.
    let shop = shop(ShopLanguage::German, &["Sche", "Sche", "Weins", "Weins", "Wein", "Wein"]);
    assert_eq!(shop.split("schweins"), None);
}

#[test]
fn each_language_of_compounds_has_its_links_and_others_split_nothing() {
    for (language, titles, word, parts) in [
        (ShopLanguage::Dutch, ["Stoel", "Keuken"], "keukenstoel", Some(("keuken", "stoel"))),
        (ShopLanguage::Swedish, ["Lampa", "Bord"], "bordslampa", Some(("bords", "lampa"))),
        (ShopLanguage::Danish, ["Lampe", "Bord"], "bordlampe", Some(("bord", "lampe"))),
        (ShopLanguage::Norwegian, ["Lampe", "Bord"], "bordlampe", Some(("bord", "lampe"))),
        // Words of three letters that are listed as heads.
        (ShopLanguage::Norwegian, ["Sko", "Jogge"], "joggesko", Some(("jogge", "sko"))),
        (ShopLanguage::Swedish, ["Bok", "Barn"], "barnbok", Some(("barn", "bok"))),
        (ShopLanguage::English, ["Phone", "Head"], "headphone", None),
        (ShopLanguage::Finnish, ["Lamppu", "Seina"], "seinalamppu", None),
    ] {
        let titles: Vec<&str> = titles.iter().flat_map(|title| [*title, *title]).collect();
        let shop = shop(language, &titles);
        assert_eq!(shop.split(word), parts, "{language:?}");
        assert_eq!(shop.compounds.are_written_as_one(), parts.is_some());
    }
}

#[test]
fn a_product_that_holds_a_word_as_a_part_counts_once() {
    let shop = shop(
        ShopLanguage::German,
        &[
            "Jacke",
            "Jacke",
            "Winter",
            "Winter",
            "Winterjacke",
            "Winterjacke Jacke",
            "Winterjacken Winterjacke",
        ],
    );
    // As a head: two without the word itself; as a modifier: three.
    assert_eq!((shop.frequency("jacke"), shop.frequency("winter")), (5, 5));
    let key = |word: &str| key_of(&shop.analyser.stem(word));
    assert_eq!(shop.statistics.frequency_as_head(key("jacke")), 5);
    assert_eq!(shop.statistics.frequency_as_head(key("winter")), 2);
    let decoded = Statistics::decode(&shop.statistics.encode()).expect("statistics");
    assert_eq!(decoded.name(), shop.statistics.name());
    assert_eq!(decoded.frequency_as_head(key("winter")), 2);
    assert_eq!(decoded.heads(), shop.statistics.heads());
    assert_eq!(shop.statistics.compounds().len(), 2, "Winterjacke and its plural");
    assert_eq!(decoded.compounds(), shop.statistics.compounds());
}

#[test]
fn the_order_of_products_does_not_matter() {
    let titles =
        ["Jacke", "Winterjacke", "Jacke rot", "Winter", "Regenjacke", "Regen", "Tischlampe", "Lampe"];
    let products: Vec<_> = titles.iter().enumerate().map(|(number, title)| product(number, title)).collect();
    let mut turned = products.clone();
    turned.reverse();
    let names = [products, turned].map(|all| shop_of(ShopLanguage::German, &all).statistics.name());
    assert_eq!(names[0], names[1]);
}

#[test]
fn parts_are_indexed_in_their_field_and_add_to_no_length() {
    let shop = german();
    let document = ProductDocument {
        title: "Winterjacke".to_owned(),
        brand: "Regenhose".to_owned(),
        category_names: vec!["Tischlampen".to_owned()],
        tags: vec!["Regenhose".to_owned()],
        description: "Winterjacken".to_owned(),
        ..ProductDocument::default()
    };
    let derived = DerivedWords { joined: shop.statistics.joinable_words(), compounds: &shop.compounds };
    let mut bag = WordBag::default();
    bag.fill(&shop.analyser, &document, &derived, &mut |_, _| {});
    let counts = |prefix: char, word: &str| {
        let term = format!("{prefix}{}", shop.analyser.stem(word));
        bag.entries().iter().find(|entry| bag.stem(entry) == term).map(|entry| entry.counts)
    };
    assert_eq!(counts(HEAD, "jacke"), Some([1, 0, 0, 0, 0, 1]));
    assert_eq!(counts(MODIFIER, "winter"), Some([1, 0, 0, 0, 0, 1]));
    // Of a tag and of the name of a category, not of a brand.
    assert_eq!(counts(HEAD, "hose"), Some([0, 0, 1, 0, 0, 0]));
    assert_eq!(counts(HEAD, "lampe"), Some([0, 0, 1, 0, 0, 0]));
    assert_eq!(*bag.lengths(), [1, 1, 2, 0, 0, 1]);
}

#[test]
fn rare_words_are_found_as_the_endings_of_others() {
    let titles = ["Gamingstoel", "Gamingstoel", "Bureaustoelen", "Logeermatras", "Spel", "Tering", "Eenbed"];
    let shop = shop(ShopLanguage::Dutch, &titles);
    let endings = |word: &str| shop.compounds.words_ending_in(word, &shop.analyser.stem(word), 64);
    // Those of most products first, in any form.
    for word in ["stoel", "stoelen"] {
        assert_eq!(endings(word), ["gamingstoel", "bureaustoelen"]);
    }
    assert_eq!(endings("matras"), ["logeermatras"]);
    // The rest has four letters, or is a word of the shop; the ending too.
    for word in ["ring", "pel", "bed", "matras7"] {
        assert!(endings(word).is_empty(), "{word}");
    }
    assert_eq!(shop.compounds.words_ending_in("stoel", "stoel", 1), ["gamingstoel"]);
    let english = self::shop(ShopLanguage::English, &["Headphone", "Headphone"]);
    assert!(english.compounds.words_ending_in("phone", "phone", 64).is_empty());
}

#[test]
fn a_bare_number_does_not_meet_a_length_or_a_weight() {
    let attribute = |name: &str, value: &str| Attribute {
        name: name.to_owned(),
        values: vec![AttributeValue::parse(value)],
    };
    let document = ProductDocument {
        attributes: vec![
            attribute("Length", "100 cm"),
            attribute("Net weight", "250"),
            attribute("Pieces", "40 x"),
            attribute("Pages", "320"),
        ],
        ..ProductDocument::default()
    };
    let mut bag = WordBag::default();
    bag.fill(&Analyser::new(ShopLanguage::English), &document, &NoJoinedWords, &mut |_, _| {});
    let stems: Vec<&str> = bag.entries().iter().map(|entry| bag.stem(entry)).collect();
    let unit = format!("{UNIT}100cm");
    for (term, is_there) in
        [("100", false), ("250", false), ("320", true), ("40", true), ("100cm", true), (unit.as_str(), true)]
    {
        assert_eq!(stems.contains(&term), is_there, "{term} in {stems:?}");
    }
}
