//! Each number of docs/ranking.md, "Correction", on both of its sides; and the dictionaries of each language.

use super::*;

/// Title and description of some products, and their number.
type Products = (&'static str, &'static str, usize);

fn corrector(shop: &[Products]) -> Corrector {
    let analyser = Arc::new(Analyser::new(ShopLanguage::English));
    let mut counter = WordCounter::new(Arc::clone(&analyser));
    for (title, description, products) in shop {
        for _ in 0..*products {
            counter.add(&ProductTexts { title, others: &[*description], ..ProductTexts::default() });
        }
    }
    let dictionary = Arc::new(Dictionary::empty(ShopLanguage::English));
    Corrector::new(Arc::new(counter.finish()), analyser, dictionary)
}

/// The query that is meant, be it only offered.
fn meant_by(corrector: &Corrector, query: &str) -> String {
    let corrected = corrector.correct(query);
    corrected.did_you_mean.unwrap_or(corrected.searched)
}

fn assert_searched(cases: &[(&[Products], &str, &str)]) {
    for (shop, query, searched) in cases {
        assert_eq!(corrector(shop).correct(query).searched, *searched, "{query} in {shop:?}");
    }
}

fn assert_meant(cases: &[(&[Products], &str, &str)]) {
    for (shop, query, meant) in cases {
        assert_eq!(meant_by(&corrector(shop), query), *meant, "{query} in {shop:?}");
    }
}

/// For each part the number of products at which the other word wins.
#[test]
fn each_part_of_the_score_weighs_what_the_documentation_says() {
    assert_meant(&[
        // Another first letter: e² times as many.
        (&[("bump", "", 10), ("lamp", "", 73)], "bamp", "bump"),
        (&[("bump", "", 10), ("lamp", "", 74)], "bamp", "lamp"),
        // In no title: e² times as many.
        (&[("ramp", "", 10), ("", "romp", 73)], "rimp", "ramp"),
        (&[("ramp", "", 10), ("", "romp", 74)], "rimp", "romp"),
        // One edit more: e⁴ times as many.
        (&[("lantern", "", 10), ("lantorm", "", 545)], "lantirn", "lantern"),
        (&[("lantern", "", 10), ("lantorm", "", 546)], "lantirn", "lantorm"),
        // Two products with the next word: (1 + 2)² times as many.
        (&[("romp boot", "", 2), ("ramp", "", 17)], "rimp boot", "romp boot"),
        (&[("romp boot", "", 2), ("ramp", "", 19)], "rimp boot", "ramp boot"),
        // One more with the word before: (1 + 1 + 2)² times as many.
        (&[("wood romp", "", 1), ("romp boot", "", 2), ("ramp", "", 47)], "wood rimp boot", "wood romp boot"),
        (&[("wood romp", "", 1), ("romp boot", "", 2), ("ramp", "", 49)], "wood rimp boot", "wood ramp boot"),
        // Equal scores: the lesser word, also if it is the longer one.
        (&[("romp", "", 5), ("ramp", "", 5)], "rimp", "ramp"),
        (&[("rump", "", 5), ("raimp", "", 5)], "rimp", "raimp"),
        // Two words of many titles, against one word that is one edit away.
        (&[("oak", "", 12), ("hut", "", 12), ("oakhat", "", 11)], "oakhut", "oak hut"),
        (&[("oak", "", 12), ("hut", "", 12), ("oakhat", "", 13)], "oakhut", "oakhat"),
    ]);
}

#[test]
fn a_change_needs_words_of_enough_letters_and_products() {
    assert_searched(&[
        // Replaced from 5 letters on, typed or meant, by two edits from 8 on.
        (&[("bag", "", 20)], "bga", "bga"),
        (&[("lamp", "", 20)], "lamo", "lamo"),
        (&[("lamps", "", 20)], "lamqs", "lamps"),
        (&[("lamps", "", 20)], "lams", "lamps"),
        (&[("basket", "", 20)], "biskit", "biskit"),
        (&[("lantern", "", 20)], "lantirm", "lantirm"),
        (&[("lanterns", "", 20)], "lantirms", "lanterns"),
        // Another first letter: from 6 letters and 10 products on.
        (&[("lantern", "", 9)], "mantern", "mantern"),
        (&[("lantern", "", 10)], "mantern", "lantern"),
        (&[("lamps", "", 10)], "tamps", "tamps"),
        (&[("screen", "", 10)], "creen", "screen"),
        (&[("screen", "", 9)], "creen", "creen"),
        // Split from 4 letters on, in parts of 2 that stand side by side, or in one letter that does so thrice.
        (&[("xl bg", "", 1)], "xlbg", "xl bg"),
        (&[("xl b", "", 12)], "xlb", "xlb"),
        (&[("xl lamp", "", 1)], "xllamp", "xl lamp"),
        (&[("x lantern", "", 2)], "xlantern", "xlantern"),
        (&[("x lantern", "", 3)], "xlantern", "x lantern"),
        // Split in parts of 3 letters that stand in 10 titles.
        (&[("xl", "", 12), ("lamp", "", 12)], "xllamp", "xllamp"),
        (&[("red", "", 10), ("lamp", "", 10)], "redlamp", "red lamp"),
        (&[("red", "", 9), ("lamp", "", 10)], "redlamp", "redlamp"),
        (&[("red", "", 10), ("lamp", "", 9)], "redlamp", "redlamp"),
        // Split in words of the shop alone, not in one of them and the first of all that stands beside it.
        (&[("desk lamp", "", 12)], "xylamp", "xylamp"),
        (&[("lamp desk", "", 12)], "lampxy", "lampxy"),
        // Joined to 5 letters that stand in 2 products.
        (&[("notebook", "", 1)], "note book", "note book"),
        (&[("notebook", "", 2)], "note book", "notebook"),
        (&[("xtop", "", 2)], "x top", "x top"),
        (&[("xline", "", 2)], "x line", "xline"),
    ]);
    let lamps = corrector(&[("lamp", "", 20)]);
    let before = |words: usize| "lamp ".repeat(words);
    assert_eq!(meant_by(&lamps, &(before(31) + "lamo")), before(31) + "lamp");
    assert_eq!(meant_by(&lamps, &(before(32) + "lamo")), before(32) + "lamo", "the 33rd word");
}

/// The files of a system's dictionaries, by language.
const FILES: &[(ShopLanguage, &str)] = &[
    (ShopLanguage::Bulgarian, "bulgarian bg_BG.dic"),
    (ShopLanguage::Catalan, "catalan ca.dic"),
    (ShopLanguage::Czech, "cs_CZ.dic"),
    (ShopLanguage::Danish, "danish da_DK.dic"),
    (ShopLanguage::German, "ngerman ogerman swiss de_DE.dic de_AT.dic de_CH.dic"),
    (ShopLanguage::Greek, "el_GR.dic"),
    (ShopLanguage::Spanish, "spanish es_ES.dic"),
    (ShopLanguage::Estonian, "et_EE.dic"),
    (ShopLanguage::Basque, "eu.dic"),
    (ShopLanguage::Finnish, "finnish fi_FI.dic"),
    (ShopLanguage::French, "french fr_FR.dic"),
    (ShopLanguage::Irish, "irish ga_IE.dic"),
    (ShopLanguage::Croatian, "hr_HR.dic"),
    (ShopLanguage::Hungarian, "hu_HU.dic"),
    (ShopLanguage::Icelandic, "is_IS.dic"),
    (ShopLanguage::Italian, "italian it_IT.dic"),
    (ShopLanguage::Lithuanian, "lt_LT.dic"),
    (ShopLanguage::Latvian, "lv_LV.dic"),
    (ShopLanguage::Dutch, "dutch nl_NL.dic"),
    (ShopLanguage::Norwegian, "bokmaal nynorsk nb_NO.dic nn_NO.dic"),
    (ShopLanguage::Polish, "polish pl_PL.dic"),
    (ShopLanguage::Portuguese, "portuguese brazilian pt_PT.dic pt_BR.dic"),
    (ShopLanguage::Romanian, "ro_RO.dic"),
    (ShopLanguage::Russian, "ru_RU.dic"),
    (ShopLanguage::Slovak, "sk_SK.dic"),
    (ShopLanguage::Slovenian, "sl_SI.dic"),
    (ShopLanguage::Serbian, "sr_RS.dic sr_Latn.dic"),
    (ShopLanguage::Swedish, "swedish sv_SE.dic"),
    (ShopLanguage::Turkish, "tr_TR.dic"),
    (ShopLanguage::Ukrainian, "ukrainian uk_UA.dic"),
];

#[test]
fn each_language_reads_its_own_dictionaries() {
    // Each file holds one word: the letters of its name.
    let word_of = |file: &str| file.replace(['.', '_'], "").to_lowercase();
    let folder = tempfile::tempdir().expect("a folder");
    for file in FILES.iter().flat_map(|(_, files)| files.split(' ')) {
        std::fs::write(folder.path().join(file), word_of(file)).expect("written");
    }
    for (language, files) in FILES {
        let dictionary = Dictionary::of_system(*language, &[folder.path()]);
        let words: Vec<_> = files.split(' ').map(word_of).collect();
        assert_eq!(dictionary.len(), words.len(), "{language:?}");
        for word in words {
            assert!(dictionary.has(&word), "{language:?}: {word}");
        }
    }
}

#[test]
fn words_of_1_to_64_letters_are_compared() {
    let is_compared = |letters: usize| {
        let word = "é".repeat(letters);
        WordPattern::new(&word).map(|pattern| (pattern.letters().len(), pattern.distance(&word)))
    };
    let compared = [0, 1, 64, 65].map(is_compared);
    assert_eq!(compared, [None, Some((1, 0)), Some((64, 0)), None]);
}
