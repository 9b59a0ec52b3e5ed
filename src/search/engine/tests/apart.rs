//! Words that a shop keeps apart, although they are forms of one word.

use super::*;
use crate::search::synonyms::SynonymLines;

/// Glass and glasses, in a shop with these lines of synonyms.
fn glasses(lines: &str) -> Shop {
    let mut products = shoes();
    products.push(product("g1", "Glass table"));
    products.push(product("g2", "Reading glasses"));
    products.push(product("g3", "Sun glasses"));
    let lines = SynonymLines::new(lines.to_owned(), ShopLanguage::English);
    let analyser = Arc::new(Analyser::with_words_apart(ShopLanguage::English, lines.words_apart()));
    let mut counter = StatisticsCounter::new(Arc::clone(&analyser), []);
    products.iter().for_each(|product| counter.add(product));
    let dictionary = Arc::new(Dictionary::empty(ShopLanguage::English));
    let mut shop = Shop::empty(IndexContext::new(analyser, Arc::new(counter.finish()), dictionary));
    shop.put_products(&products);
    shop
}

fn forms(shop: &Shop, text: &str) -> Option<(String, Vec<(String, u32)>)> {
    let (word, forms) = shop.index.snapshot().word_forms(text)?;
    Some((word, forms.into_iter().map(|form| (form.word, form.products)).collect()))
}

#[test]
fn words_that_are_not_the_same_find_their_own_spelling_alone() {
    let shop = glasses("");
    assert_eq!(shop.find("glass").len(), 3);
    let shop = glasses("tv, television\nGlass != glasses");
    assert_eq!(shop.find("glass"), ["g1"]);
    let mut found = shop.find("Glasses");
    found.sort();
    assert_eq!(found, ["g2", "g3"]);
    assert_eq!(shop.find("shoes").len(), shop.find("shoe").len(), "all others stay as they are");
}

#[test]
fn a_word_kept_apart_is_not_corrected_to_the_other() {
    // No product has the plural.
    let request = SearchQuery { correct: true, ..asking("tables") };
    for (lines, found) in [("", vec!["g1"]), ("table != tables", Vec::new())] {
        let answer = glasses(lines).search(&request);
        assert_eq!((answer.searched.as_str(), &answer.did_you_mean), ("tables", &None), "{lines}");
        assert_eq!(ids(&answer), found, "{lines}");
    }
}

#[test]
fn the_other_forms_of_a_word_are_told_with_their_products() {
    let shop = glasses("");
    let other = vec![("glasses".to_owned(), 2)];
    assert_eq!(forms(&shop, " Glass table"), Some(("glass".to_owned(), other)));
    assert_eq!(forms(&shop, "sun"), Some(("sun".to_owned(), Vec::new())));
    assert_eq!(forms(&shop, "★"), None);
    let shop = glasses("glass != glasses");
    assert_eq!(forms(&shop, "glass"), Some(("glass".to_owned(), Vec::new())));
}

#[test]
fn a_form_that_begins_with_another_letter_is_told_too() {
    let products = [product("e1", "Crème yeux"), product("e2", "Gel œil"), product("e3", "Yaourt")];
    let mut shop = Shop::empty(knowledge_in(ShopLanguage::French, &products));
    shop.put_products(&products);
    for (word, other) in [("yeux", "oeil"), ("œil", "yeux")] {
        let told = forms(&shop, word).map(|(_, forms)| forms);
        assert_eq!(told, Some(vec![(other.to_owned(), 1)]), "{word}");
    }
}
