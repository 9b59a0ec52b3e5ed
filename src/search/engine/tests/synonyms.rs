//! Words that a shop calls the same.

use super::*;
use crate::search::query::options::Ranking;
use crate::search::synonyms::Synonyms;

fn with_synonyms(query: &str, lines: &str) -> SearchQuery {
    let analyser = Analyser::new(ShopLanguage::English);
    let synonyms = Synonyms::parse(lines, &analyser).expect("synonyms");
    SearchQuery { synonyms: Some(Arc::new(synonyms)), correct: true, ..asking(query) }
}

fn found(shop: &Shop, query: &str, lines: &str) -> Vec<String> {
    ids(&shop.search(&with_synonyms(query, lines)))
}

/// Many things that are no computers, and a few that are.
fn computers() -> Vec<ProductDocument> {
    let mut products = shoes();
    products.push(product("a", "Acme laptop"));
    products.push(product("b", "Acme notebook"));
    products.push(product("c", "Portable computer from Acme"));
    products.push(product("d", "Desktop computer from Acme"));
    products.push(product("e", "Portable radio"));
    products
}

#[test]
fn a_phrase_is_a_synonym_where_all_its_words_are() {
    let shop = Shop::new(&computers());
    let lines = "notebook => portable computer\nportable computer => laptop, notebook";
    assert_eq!(found(&shop, "notebook", lines), ["b", "c"]);
    let portable = found(&shop, "portable computer", lines);
    assert_eq!(portable[0], "c", "{portable:?}");
    assert_eq!(portable.len(), 5);
    // Words that are not side by side are no phrase.
    assert_eq!(found(&shop, "portable acme computer", lines).iter().position(|id| id == "a"), Some(3));
    let answer = shop.search(&with_synonyms("the portable computer", lines));
    assert_eq!(ids(&answer), portable);
}

#[test]
fn a_synonym_holds_the_word_for_all_that_counts() {
    let mut products = computers();
    products.extend((10..22).map(|number| product(&format!("n{number}"), "Silver notebook")));
    let shop = Shop::new(&products);
    let request = with_synonyms("silver laptop", "laptop, notebook");
    let answer = shop.search(&request);
    assert_eq!(
        (answer.total, answer.dropped.as_slice(), answer.relaxed_from),
        (12, &[] as &[String], Some(12))
    );
    let plain = shop.search(&SearchQuery { synonyms: None, ..request });
    assert!(plain.dropped.contains(&"laptop".to_owned()), "{:?}", plain.dropped);
}

/// The word in a description comes before its synonym in a title, but not by much: it would not if the synonym scored
/// or covered as the word does.
#[test]
fn the_word_in_a_worse_place_comes_before_its_synonym() {
    let described = |id: &str, title: &str, words: usize, word: &str| ProductDocument {
        description: format!("{word} {}", "filler ".repeat(words - 1)),
        ..product(id, title)
    };
    let mut products: Vec<_> =
        (10..30).map(|number| described(&format!("s{number}"), "Red shoe", 8, "plain")).collect();
    products.push(described("z", "Grey thing", 11, "notebook"));
    products.push(described("a", "Grey laptop", 8, "plain"));
    let shop = Shop::new(&products);
    let request = with_synonyms("notebook", "notebook => laptop");
    let all_fields = Ranking { detail_percent: 100, ..Ranking::default() };
    let found = shop.search(&SearchQuery { ranking: all_fields, ..request.clone() });
    assert_eq!(ids(&found), ["z", "a"]);
    // A word that only the description has covers less than its synonym in a title.
    assert_eq!(ids(&shop.search(&request)), ["a", "z"]);
}

#[test]
fn a_rare_synonym_scores_no_more_than_the_word() {
    let mut products = shoes();
    products.push(product("z", "Pump"));
    let shop = Shop::new(&products);
    let found = found(&shop, "shoe", "shoe => pump");
    assert_eq!((found.len(), found[found.len() - 1].as_str()), (22, "z"), "{found:?}");
}

#[test]
fn a_word_with_synonyms_is_not_corrected() {
    let mut products = shoes();
    products.extend((0..9).map(|number| product(&format!("k{number}"), "Wireless keyboard")));
    let shop = Shop::new(&products);
    let answer = shop.search(&with_synonyms("keybord", "keybord => wireless"));
    assert_eq!((answer.searched.as_str(), answer.total, answer.did_you_mean), ("keybord", 9, None));
    let plain = shop.search(&SearchQuery { correct: true, ..asking("keybord") });
    assert_eq!(plain.searched, "keyboard");
}

#[test]
fn answers_with_synonyms_are_the_same_whatever_the_segments() {
    let products = many(400);
    let knowledge = knowledge(&products);
    let mut whole = Shop::empty(Arc::clone(&knowledge));
    whole.put_products(&products);
    let mut pieces = Shop::empty(knowledge);
    products.rchunks(37).for_each(|chunk| pieces.put_products(chunk));
    let lines = "red, oak, small bag\nblue shoe => steel lamp\nlamp => chair";
    for query in ["red", "red shoe", "blue shoe lamp", "oak chair lamp", "small bag", "nothing red"] {
        for size in [1, 24, 250] {
            let request = SearchQuery { size, ..with_synonyms(query, lines) };
            let expected = whole.search(&request);
            let found = pieces.search(&request);
            assert_eq!((found.total, ids(&found)), (expected.total, ids(&expected)), "{query}");
            assert_eq!(found.relaxed_from, expected.relaxed_from, "{query}");
        }
    }
    // A page is a part of the whole.
    let all = ids(&whole.search(&SearchQuery { size: 250, ..with_synonyms("red shoe", lines) }));
    let first = ids(&whole.search(&SearchQuery { size: 7, ..with_synonyms("red shoe", lines) }));
    assert_eq!(first, all[..7]);
}

#[test]
fn a_variant_with_the_word_itself_is_meant_and_not_one_with_more_synonyms() {
    let variants =
        ["Blue", "Crimson scarlet", "Red"].map(|title| json!({"Id": title.to_lowercase(), "Title": title}));
    let shop = Shop::new(&[row(&json!({"Id": "c", "Title": "Chair", "Variants": variants}).to_string())]);
    let meant =
        |query: &str| shown_variant(&shop.search(&with_synonyms(query, "red, crimson, scarlet")), "Title");
    assert_eq!(meant("red chair"), "Red");
    assert_eq!(meant("scarlet chair"), "Crimson scarlet");
    assert_eq!(meant("chair"), "Blue");
}

/// A query with this number of words, and lines that give each word 32 synonyms.
fn many_synonyms(words: usize) -> (String, String) {
    let named = |word: usize, from: usize, to: usize| {
        let names: Vec<_> = (from..to).map(|number| format!("syn{word}x{number}")).collect();
        format!("word{word} => {}", names.join(", "))
    };
    let query: Vec<_> = (0..words).map(|word| format!("word{word}")).collect();
    let lines: Vec<_> = (0..words).flat_map(|word| [named(word, 0, 16), named(word, 16, 32)]).collect();
    (query.join(" "), lines.join("\n"))
}

#[test]
fn a_search_reads_so_many_lists_and_says_what_it_left_out() {
    let mut products = shoes();
    products.extend((0..32).map(|number| product(&format!("p{number:02}"), &format!("syn9x{number}"))));
    let shop = Shop::new(&products);
    let answer = |words| {
        let (query, lines) = many_synonyms(words);
        shop.search(&SearchQuery { size: 100, correct: false, ..with_synonyms(&query, &lines) })
    };
    let few = answer(4);
    assert!(!few.cut.synonyms);
    // Ten words have 320 synonyms: of the last word the first ones are looked for too.
    let many = answer(10);
    assert_eq!((many.cut.synonyms, many.cut.products), (true, false));
    let found = ids(&many);
    assert_eq!(
        (found.len(), found.contains(&"p00".to_owned()), found.contains(&"p31".to_owned())),
        (24, true, false)
    );
}

#[test]
fn a_search_ends_when_its_steps_are_spent_and_says_so() {
    let shop = Shop::new(&shoes());
    let whole = shop.search(&asking("red shoe"));
    assert_eq!((whole.total, whole.cut.products), (20, false));
    let cut = shop.search(&SearchQuery { steps: 30, ..asking("red shoe") });
    assert!(cut.cut.products && cut.total > 0 && cut.total < whole.total, "{}", cut.total);
    let again = shop.search(&SearchQuery { steps: 30, ..asking("red shoe") });
    assert_eq!(ids(&again), ids(&cut), "steps are counted, not timed");
    let rows = shop
        .search(&SearchQuery { steps: 10, ..with_synonyms("red", "red => blue shoe, red bag, very long") });
    assert!(rows.cut.products);
}
