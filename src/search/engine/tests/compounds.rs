//! Words that are found as parts of others, in languages that write compounds as one word.

use serde_json::json;

use super::*;
use crate::search::query::matching::MatchForm;
use crate::search::spellcheck::ChangeKind;

fn shop_in(language: ShopLanguage, products: &[ProductDocument]) -> Shop {
    let mut shop = Shop::empty(knowledge_in(language, products));
    shop.put_products(products);
    shop
}

/// Products with these titles, which answers show.
fn titled(titles: &[&str]) -> Vec<ProductDocument> {
    let row = |(number, title)| row(&json!({"Id": format!("p{number}"), "Title": title}).to_string());
    titles.iter().enumerate().map(row).collect()
}

/// Jackets, and enough other things.
fn jackets() -> Vec<ProductDocument> {
    let mut products = titled(&[
        "Jacke blau",
        "Jacke rot",
        "Winter",
        "Winter",
        "Winterjacke blau",
        "Jackett",
        "Regenjacken rot",
    ]);
    products.extend((10..40).map(|number| product(&format!("t{number}"), "Tisch weiss")));
    products
}

#[test]
fn a_word_is_found_as_the_head_of_a_compound_and_its_modifier_counts_less() {
    let shop = shop_in(ShopLanguage::German, &jackets());
    // Itself, as a head, and as the ending of a word whose first part the shop does not have.
    assert_eq!(shop.find("jacken"), ["p0", "p1", "p4", "p6"]);
    assert_eq!(shop.find("winter"), ["p2", "p3", "p4"]);
    let scores = |query: &str| {
        let answer = shop.search(&SearchQuery { explain: true, ..asking(query) });
        let score = |why: RankExplanation| (why.held.words[0].score, why.coverage);
        answer.items.into_iter().map(|item| score(item.why.expect("reasons"))).collect::<Vec<_>>()
    };
    let jackets = scores("jacke");
    let winter = scores("winter");
    assert!(jackets.iter().chain(&winter).all(|(_, coverage)| *coverage == 1.0));
    // Both titles have two words: six tenths of an occurrence, saturated.
    let ratio = jackets[2].0 / jackets[0].0;
    assert!((ratio - 0.799).abs() < 1e-3, "{ratio}");
    assert!(winter[2].0 < 0.51 * winter[0].0, "{winter:?}");
}

#[test]
fn occurrences_of_a_word_add_up_with_those_in_compounds() {
    let within = |id: &str, title: &str, category: &str| ProductDocument {
        category_names: vec![category.to_owned()],
        ..product(id, title)
    };
    let mut products = vec![
        within("softener", "Weichspüler Flasche", "Waschen"),
        within("steel", "Trinkflasche Stahl", "Flaschen"),
        within("glass", "Glasflasche Stahl", "Trinkflaschen"),
        within("cup", "Trink Glas", "Küche"),
    ];
    products.extend((10..40).map(|number| within(&format!("t{number}"), "Tisch weiss", "Möbel")));
    let shop = shop_in(ShopLanguage::German, &products);
    let answer = shop.search(&SearchQuery { explain: true, ..asking("flasche") });
    assert_eq!(ids(&answer), ["steel", "softener", "glass"]);
    let score = |place: usize| answer.items[place].why.as_ref().map_or(0.0, |why| why.held.words[0].score);
    // A title counts twice: 0.6 · 2 + 1 occurrences, 2, and 0.6 · 2 + 0.6, all saturated.
    for (place, expected) in [(0, (2.2 / 3.4) / (2.0 / 3.2)), (2, (1.8 / 3.0) / (2.0 / 3.2))] {
        let ratio = score(place) / score(1);
        assert!((ratio - expected).abs() < 1e-4, "{place}: {ratio}");
    }
}

#[test]
fn the_answer_says_of_which_word_a_word_is_a_part() {
    let shop = shop_in(ShopLanguage::German, &jackets());
    let request = SearchQuery { explain: true, highlight: true, ..asking("jacken") };
    let answer = shop.search(&request);
    let told = |place: usize| {
        let item = &answer.items[place];
        let title = item.highlight.as_ref().and_then(|highlight| highlight.title.clone());
        (item.why.as_ref().map(|why| why.held.words[0].form.clone()), title)
    };
    let part = |word: &str| Some(MatchForm::Part(Some(word.to_owned())));
    let html = |html: &str| Some(html.to_owned());
    assert_eq!(told(0), (Some(MatchForm::OtherForm("Jacke".to_owned())), html("<em>Jacke</em> blau")));
    assert_eq!(told(2), (part("Winterjacke"), html("Winter<em>jacke</em> blau")));
    assert_eq!(told(3), (part("Regenjacken"), html("Regen<em>jacken</em> rot")));
    let winter = shop.search(&SearchQuery { query: "winter".to_owned(), ..request });
    let title = winter.items[2].highlight.as_ref().and_then(|highlight| highlight.title.clone());
    assert_eq!(title, html("<em>Winter</em>jacke blau"));
}

fn marked_title(shop: &Shop, query: &str, id: &str) -> Option<String> {
    let answer = shop.search(&SearchQuery { highlight: true, ..asking(query) });
    let item = answer.items.into_iter().find(|item| item.id == id);
    item.and_then(|item| item.highlight).and_then(|highlight| highlight.title)
}

#[test]
fn the_part_of_a_word_is_marked_where_folding_changes_its_bytes() {
    let products = titled(&["Gürtel", "Gürtel", "Füße", "Füße", "Fußgürtel", "Gürtelfüße"]);
    let shop = shop_in(ShopLanguage::German, &products);
    let title = |query: &str, id: &str| marked_title(&shop, query, id);
    assert_eq!(title("fuss", "p5").as_deref(), Some("Gürtel<em>füße</em>"));
    assert_eq!(title("gürtel", "p5").as_deref(), Some("<em>Gürtel</em>füße"));
}

#[test]
fn the_mark_of_a_part_begins_with_a_letter_and_no_word_takes_long() {
    let blown = format!("Café{}tasse", "\u{ad}".repeat(100));
    let products = titled(&["Café", "Café", "Tasse", "Tasse", "Cafe\u{301}tasse", &blown]);
    let shop = shop_in(ShopLanguage::German, &products);
    let title = |query: &str, id: &str| marked_title(&shop, query, id);
    assert_eq!(title("tasse", "p4").as_deref(), Some("Cafe\u{301}<em>tasse</em>"));
    assert_eq!(title("café", "p4").as_deref(), Some("<em>Cafe\u{301}</em>tasse"));
    // A word of invisible letters is marked whole.
    assert_eq!(title("tasse", "p5"), Some(format!("<em>{blown}</em>")));
}

#[test]
fn a_small_shop_finds_rare_words_as_endings() {
    let mut products = titled(&["Gamingstoel zwart", "Bureaustoelen", "Spel"]);
    products.extend((10..40).map(|number| product(&format!("t{number}"), "Tafel wit")));
    let shop = shop_in(ShopLanguage::Dutch, &products);
    assert_eq!(shop.find("stoel").len(), 2);
    assert_eq!(shop.find("stoelen").len(), 2);
    assert!(shop.find("pel").is_empty());
    let answer = shop.search(&SearchQuery { explain: true, ..asking("stoel") });
    let forms: Vec<_> =
        answer.items.into_iter().map(|item| item.why.expect("reasons").held.words[0].form.clone()).collect();
    assert!(forms.contains(&MatchForm::Part(Some("Bureaustoelen".to_owned()))), "{forms:?}");
}

#[test]
fn words_of_speech_do_not_decide_while_there_are_others() {
    let mut products: Vec<_> = (10..30).map(|number| product(&format!("s{number}"), "Mug hot")).collect();
    products.extend(titled(&["Keep hot"]));
    products.push(product("x", "Keep poster"));
    products.push(product("y", "Something blue"));
    let shop = Shop::new(&products);
    let answer = shop.search(&asking("something to keep hot"));
    assert_eq!((answer.total, answer.dropped.as_slice()), (21, &[] as &[String]));
    assert_eq!(marked_title(&shop, "something to keep hot", "p0").as_deref(), Some("Keep <em>hot</em>"));
    assert_eq!(shop.find("something"), ["y"]);
    assert_eq!(shop.find("keep something"), ["y", "p0", "x"]);
    // A number alone is no other word.
    assert_eq!(shop.find("something 5"), ["y"]);
}

#[test]
fn a_word_of_letters_and_digits_is_cut_where_the_shop_cuts_it() {
    let mut products: Vec<_> =
        (10..30).map(|number| product(&format!("s{number}"), "Apple iPhone 15 Pro Max")).collect();
    products.push(product("c", "Network cable cat6"));
    products.push(product("d", "Network cable cat 6"));
    products.push(product("e", "Network cable cat 6, long"));
    let shop = Shop::new(&products);
    let corrected = |query: &str| shop.search(&SearchQuery { correct: true, ..asking(query) });
    let answer = corrected("iphone15promax");
    assert_eq!((answer.searched.as_str(), answer.total), ("iphone 15 pro max", 20));
    assert_eq!(answer.corrected[0].kind, ChangeKind::Split);
    // A known word is not corrected, and finds both spellings; so do the two.
    for query in ["cat6", "cat 6"] {
        let answer = corrected(query);
        let mut found = ids(&answer);
        found.sort();
        assert_eq!((answer.searched.as_str(), found.join(" ")), (query, "c d e".to_owned()));
    }
}

#[test]
fn a_word_that_only_the_description_holds_covers_less() {
    let described = |id: String, title: &str, description: &str| ProductDocument {
        description: description.to_owned(),
        ..product(&id, title)
    };
    let mut products: Vec<_> =
        (10..30).map(|number| described(format!("s{number}"), "Peanut butter", "With protein")).collect();
    products.push(described("a".to_owned(), "Protein powder of a long name with butter", ""));
    let shop = Shop::new(&products);
    assert_eq!(shop.find("protein butter")[0], "a");
    let answer = shop.search(&SearchQuery { explain: true, ..asking("protein butter") });
    let coverages: Vec<_> =
        answer.items.iter().map(|item| item.why.as_ref().expect("reasons").coverage).collect();
    assert!(coverages[0] == 1.0 && coverages[1..].iter().all(|coverage| *coverage < 1.0), "{coverages:?}");
}

mod any_history {
    use proptest::prelude::*;

    use super::*;

    const TITLES: [&str; 12] = [
        "Jacke",
        "Winterjacke blau",
        "Regenjacken",
        "Winter",
        "Regen",
        "Tischlampe",
        "Lampe Tisch",
        "Schneejacke",
        "Jacken Winterjacken",
        "cat 6",
        "cat6 Kabel",
        "Lampenkabel",
    ];
    const QUERIES: [&str; 9] =
        ["jacke", "jacken", "winter", "lampe", "lampen tisch", "kabel", "cat6", "schnee", "regen"];

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]
        /// Heads and endings come from the statistics alone: an index that follows changes answers as one that is built
        /// at once from the same products and statistics.
        #[test]
        fn an_index_that_follows_finds_parts_as_one_that_is_made_anew(
            counted in proptest::collection::vec(0..TITLES.len(), 1..20),
            changes in proptest::collection::vec((0..12_usize, proptest::option::of(0..TITLES.len()), 0..4_u8), 1..40),
        ) {
            let counted: Vec<_> = counted.iter().map(|title| TITLES[*title]).collect();
            let knowledge = knowledge_in(ShopLanguage::German, &titled(&counted));
            let mut following = Shop::empty(Arc::clone(&knowledge));
            let mut left = std::collections::BTreeMap::new();
            for (id, title, commit) in changes {
                let id = format!("p{id}");
                match title {
                    Some(title) => {
                        let product = product(&id, TITLES[title]);
                        following.index.write(DocumentChange::Put(&product)).expect("written");
                        left.insert(id, product);
                    }
                    None => {
                        following.index.write(DocumentChange::Remove(&id)).expect("removed");
                        left.remove(&id);
                    }
                }
                if commit == 0 {
                    following.index.commit("").expect("committed");
                }
            }
            following.index.commit("").expect("committed");
            let mut anew = Shop::empty(knowledge);
            anew.put_products(&left.into_values().collect::<Vec<_>>());
            for query in QUERIES {
                let request = SearchQuery { explain: true, highlight: true, correct: true, ..asking(query) };
                prop_assert_eq!(following.search(&request), anew.search(&request), "{}", query);
            }
        }
    }
}
