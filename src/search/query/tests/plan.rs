//! Plans of searches: which terms are looked for, and what each is worth.

use std::sync::Arc;

use super::shop::product;
use crate::limits;
use crate::search::query::options::{Coverage, Ranking};
use crate::search::query::plan::{PlannedWord, ScoredTerm, SearchPlan, WordAlternative, Wording};
use crate::search::statistics::{PAIR, Statistics, StatisticsCounter, UNIT, key_of};
use crate::search::synonyms::Synonyms;
use crate::search::text::{Analyser, ShopLanguage};

/// A shop of products with these titles.
struct Titles {
    analyser: Arc<Analyser>,
    statistics: Statistics,
}

impl Titles {
    fn new(titles: &[&str]) -> Self {
        let analyser = Arc::new(Analyser::new(ShopLanguage::English));
        let mut counter = StatisticsCounter::new(Arc::clone(&analyser), []);
        for (number, title) in titles.iter().enumerate() {
            counter.add(&product(&number.to_string(), title, ""));
        }
        Self { analyser, statistics: counter.finish() }
    }

    fn plan_as(&self, query: &str, wording: Wording<'_>, ranking: &Ranking) -> SearchPlan {
        SearchPlan::new(query, &self.analyser, &self.statistics, wording, ranking)
    }

    fn plan(&self, query: &str) -> SearchPlan {
        self.plan_as(query, Wording::default(), &Ranking::default())
    }

    fn synonyms(&self, lines: &str) -> Synonyms {
        Synonyms::parse(lines, &self.analyser).expect("synonyms")
    }

    fn idf(&self, term: &str) -> f32 {
        self.statistics.idf(key_of(term))
    }

    /// A term that scores this part of its idf.
    fn term(&self, term: &str, worth: f32) -> ScoredTerm {
        ScoredTerm { term: term.to_owned(), factor: self.idf(term) * worth }
    }

    fn word(&self, term: &str, worth: f32) -> WordAlternative {
        WordAlternative::Word(self.term(term, worth))
    }

    /// The ways to hold a word that is written as two.
    fn pair(&self, joined: &str, parts: [&str; 2]) -> WordAlternative {
        let stems = parts.map(|part| self.term(&self.analyser.stem(part), 1.0));
        WordAlternative::Pair(format!("{PAIR}{}", self.analyser.stem(joined)), stems)
    }
}

fn words(plan: &SearchPlan) -> Vec<&str> {
    plan.words.iter().map(|word| word.word.as_str()).collect()
}

fn ways<'p>(plan: &'p SearchPlan, word: &str) -> &'p [WordAlternative] {
    let found: Option<&PlannedWord> = plan.words.iter().find(|planned| planned.word == word);
    &found.expect("a word of the plan").alternatives
}

#[test]
fn each_word_has_its_share_and_each_stem_counts_once() {
    let shop = Titles::new(&["red shoe", "red bag", "red chair", "blue shoe"]);
    let plan = shop.plan("Shoes shoe RED shoes");
    assert_eq!(words(&plan), ["shoes", "red"]);
    let sum = shop.idf("shoe") + shop.idf("red");
    let shares: Vec<_> = plan.words.iter().map(|word| (word.stem.as_str(), word.share)).collect();
    assert_eq!(shares, [("shoe", shop.idf("shoe") / sum), ("red", shop.idf("red") / sum)]);
    assert!(shop.idf("shoe") > shop.idf("red"));
    assert_eq!(ways(&plan, "shoes"), [shop.word("shoe", 1.0)]);
    assert!(plan.extras.is_empty() && plan.dropped.is_empty() && !plan.lacks_synonyms);
    assert!(!plan.is_empty());
    let tiers = Ranking { coverage: Coverage::Tiers, ..Ranking::default() };
    let tiers = shop.plan_as("red shoe", Wording::default(), &tiers);
    assert_eq!(tiers.words.iter().map(|word| word.share).collect::<Vec<_>>(), [0.5, 0.5]);
}

#[test]
fn function_words_and_stop_words_raise_scores_a_little() {
    let shop = Titles::new(&["shoe for rain", "cheap shoe", "the who"]);
    let plan = shop.plan("shoe for rain");
    assert_eq!((words(&plan), &plan.extras), (vec!["shoe", "rain"], &vec![shop.term("for", 0.1)]));
    let stopping = Wording { stop_stems: &["cheap"], ..Wording::default() };
    let plan = shop.plan_as("cheap shoe", stopping, &Ranking::default());
    assert_eq!((words(&plan), &plan.extras), (vec!["shoe"], &vec![shop.term("cheap", 0.1)]));
    let plan = shop.plan("the who");
    assert_eq!((words(&plan), plan.extras.len()), (vec!["the", "who"], 0), "there is nothing else");
    let ranking = Ranking { function_words: false, ..Ranking::default() };
    let plan = shop.plan_as("shoe for rain", Wording::default(), &ranking);
    assert_eq!((words(&plan), plan.extras.len()), (vec!["shoe", "for", "rain"], 0));
}

#[test]
fn of_a_long_query_the_first_words_are_searched() {
    let shop = Titles::new(&["shoe"]);
    let text = |count: usize| (0..count).map(|number| format!("w{number}x ")).collect::<String>();
    let whole = shop.plan(&text(limits::SEARCH_WORDS));
    assert_eq!((whole.words.len(), whole.dropped.len()), (limits::SEARCH_WORDS, 0));
    let cut = shop.plan(&text(limits::SEARCH_WORDS + 2));
    assert_eq!((cut.words.len(), cut.dropped.join(" ")), (limits::SEARCH_WORDS, "w32x w33x".to_owned()));
}

#[test]
fn neighbours_are_searched_as_one_word() {
    let shop = Titles::new(&["headphone", "abcd", "12345", "12volt", "oakdesk", "phonecase"]);
    let plan = shop.plan("head phone case");
    let [left, right] = ["headphone", "phonecase"].map(|word| shop.word(&shop.analyser.stem(word), 0.5));
    assert_eq!(ways(&plan, "head"), [shop.word("head", 1.0), left.clone()]);
    let stem = shop.analyser.stem("phone");
    assert_eq!(ways(&plan, "phone"), [shop.word(&stem, 1.0), left, right.clone()]);
    assert_eq!(ways(&plan, "case"), [shop.word(&shop.analyser.stem("case"), 1.0), right]);
    // Two numbers, and not the word itself.
    for query in ["12 345", "phone head"] {
        let plan = shop.plan(query);
        assert!(plan.words.iter().all(|word| word.alternatives.len() == 1), "{plan:?}");
    }
    // Four letters are enough.
    assert!(ways(&shop.plan("ab cd"), "cd").contains(&shop.word("abcd", 0.5)));
    let joined = shop.plan("oak desk");
    assert_eq!(ways(&joined, "oak"), [shop.word("oak", 1.0), shop.word(&shop.analyser.stem("oakdesk"), 0.5)]);
    assert!(ways(&shop.plan("12 volt"), "volt").contains(&shop.word("12volt", 0.5)));
    let ranking = Ranking { compounds: false, ..Ranking::default() };
    let plain = shop.plan_as("head phone", Wording::default(), &ranking);
    assert!(plain.words.iter().all(|word| word.alternatives.len() == 1), "{plain:?}");
}

#[test]
fn a_word_is_searched_as_two_that_the_shop_writes_so() {
    let shop = Titles::new(&[
        "head phone",
        "head phone",
        "red cap",
        "red cap",
        "oak bd",
        "oak bd",
        "x shirt x",
        "x shirt x",
        "one lamp",
        "xl shirt",
        "xl shirt",
        "car petrug",
        "car petrug",
        "carpet rug",
        "carpet rug",
        "sun flower",
        "sun flower",
        "sunf lower",
        "sunf lower",
        "sunf lower",
    ]);
    for (word, parts) in [
        ("headphone", ["head", "phone"]),
        ("redcap", ["red", "cap"]),
        ("xlshirt", ["xl", "shirt"]),
        // Of equally frequent ones the first, and else the most frequent.
        ("carpetrug", ["car", "petrug"]),
        ("sunflower", ["sunf", "lower"]),
        // Parts may be single letters.
        ("oakbd", ["oak", "bd"]),
        ("xshirt", ["x", "shirt"]),
        ("shirtx", ["shirt", "x"]),
    ] {
        let own = shop.word(&shop.analyser.stem(word), 1.0);
        assert_eq!(ways(&shop.plan(word), word), [own, shop.pair(word, parts)], "{word}");
    }
    for word in ["onelamp", "redcap2", "redlamp"] {
        assert_eq!(ways(&shop.plan(word), word).len(), 1, "{word}");
    }
}

#[test]
fn a_letter_and_a_digit_are_searched_apart_where_they_stood_side_by_side_once() {
    let shop = Titles::new(&["cat6 cable", "cat 6 cable", "ps4", "x 9"]);
    assert_eq!(ways(&shop.plan("cat6"), "cat6"), [shop.word("cat6", 1.0), shop.pair("cat6", ["cat", "6"])]);
    assert_eq!(ways(&shop.plan("ps4"), "ps4").len(), 1);
    let apart = shop.plan("cat 6");
    assert_eq!(ways(&apart, "6"), [shop.word("6", 1.0), shop.word("cat6", 0.5)]);
    // Two letters are joined where a sign stands between them.
    let marked = Titles::new(&["ac", "abcd"]);
    assert!(ways(&marked.plan("a/c"), "c").contains(&marked.word("ac", 0.5)));
}

#[test]
fn words_of_speech_count_as_function_words_while_another_word_is_left() {
    let shop = Titles::new(&["keep hot mug", "something blue", "mug"]);
    let plan = shop.plan("something to keep hot");
    assert_eq!(words(&plan), ["hot"]);
    assert_eq!(plan.extras.len(), 3);
    for query in ["keep something", "keep something 5"] {
        assert!(words(&shop.plan(query)).contains(&"keep"), "{query}");
    }
    let ranking = Ranking { function_words: false, ..Ranking::default() };
    let plain = shop.plan_as("keep hot", Wording::default(), &ranking);
    assert_eq!(words(&plain), ["keep", "hot"]);
}

#[test]
fn a_number_is_searched_with_its_unit() {
    let shop = Titles::new(&["Oak desk 120 cm", "TV 15 inch", "desk 1 m"]);
    let unit = |unit: &str| format!("{UNIT}{unit}");
    for (query, measure, parts, other) in [
        ("desk 120 cm", "120cm", "120 cm", "desk"),
        ("tv 15\"", "15in", "15", "tv"),
        ("15-inch tv", "15in", "15 inch", "tv"),
        ("120cm desk", "120cm", "120cm", "desk"),
    ] {
        let plan = shop.plan(query);
        let measure = shop.term(&unit(measure), 0.3);
        assert_eq!(plan.extras, std::slice::from_ref(&measure), "{query}");
        let is_held = |word: &str| ways(&plan, word).contains(&WordAlternative::Word(measure.clone()));
        assert!(parts.split(' ').all(is_held) && !is_held(other), "{query}: {plan:?}");
    }
    let many = shop.plan("2 kg 2 kg 1 kg lamp 7");
    assert_eq!(many.extras, ["1kg", "2kg"].map(|measure| shop.term(&unit(measure), 0.3)));
    let ranking = Ranking { units: false, ..Ranking::default() };
    let plain = shop.plan_as("desk 120 cm", Wording::default(), &ranking);
    assert!(plain.extras.is_empty() && ways(&plain, "120").len() == 1);
}

#[test]
fn a_synonym_scores_less_than_the_word() {
    let shop = Titles::new(&["tv", "tv stand", "television", "chess set", "tea set", "set", "set", "set"]);
    let television = shop.analyser.stem("television");
    let synonyms = shop.synonyms("tv => television set\ntv => set");
    let with_both = Wording { synonyms: &[&synonyms, &synonyms], ..Wording::default() };
    let plan = shop.plan_as("tv", with_both, &Ranking::default());
    let sum: f32 = [&*television, "set"].iter().map(|stem| shop.idf(stem)).sum();
    assert!(
        sum > shop.idf("tv") && shop.idf("set") < shop.idf("tv") && shop.idf(&television) > shop.idf("set")
    );
    // All its words together score as much as the word, at the most, and the rarest comes first.
    let worth = 0.7 * (shop.idf("tv") / sum);
    let phrase = [shop.term(&television, worth), shop.term("set", worth)].to_vec();
    let expected = [
        shop.word("tv", 1.0),
        WordAlternative::Synonym(phrase),
        WordAlternative::Synonym(vec![shop.term("set", 0.7)]),
    ];
    assert_eq!(ways(&plan, "tv"), expected);
    assert!(!plan.lacks_synonyms);
}

#[test]
fn a_phrase_has_its_synonyms_where_its_words_stand_side_by_side() {
    let shop = Titles::new(&["portable computer", "laptop"]);
    let synonyms = shop.synonyms("portable red computer => laptop\nportable => mobile");
    let count = |query: &str| -> Vec<usize> {
        let wording = Wording { synonyms: &[&synonyms], ..Wording::default() };
        let plan = shop.plan_as(query, wording, &Ranking::default());
        plan.words
            .iter()
            .map(|word| word.alternatives.iter().filter(|way| way.is_synonym()).count())
            .collect()
    };
    assert_eq!(count("big portable red computer bag"), [0, 2, 1, 1, 0]);
    assert_eq!(count("portable red"), [1, 0]);
    assert_eq!(count("portable computer red"), [1, 0, 0]);
    assert_eq!(count("red computer"), [0, 0]);
}

#[test]
fn a_word_has_so_many_synonyms_the_first_of_the_shop_first() {
    let shop = Titles::new(&["tv"]);
    let line = |letter: char| -> String {
        let names: Vec<_> = (0..19).map(|number| format!("{letter}{number}")).collect();
        format!("tv => {}", names.join(", "))
    };
    let [of_shop, of_rule] = ['x', 'y'].map(|letter| shop.synonyms(&line(letter)));
    let wording = Wording { synonyms: &[&of_shop, &of_rule], ..Wording::default() };
    let plan = shop.plan_as("tv", wording, &Ranking::default());
    let names: Vec<_> = ways(&plan, "tv")[1..]
        .iter()
        .map(|way| match way {
            WordAlternative::Synonym(words) => words[0].term.as_str(),
            other => panic!("{other:?} is no synonym"),
        })
        .collect();
    assert_eq!((names.len(), names[0], names[18], names[19], names[31]), (32, "x0", "x18", "y0", "y12"));
    assert!(plan.lacks_synonyms, "it says that some were left out");
    // A list has room alone, and brings nothing new the second time.
    for synonyms in [&[&of_shop][..], &[&of_shop, &of_shop]] {
        let plan = shop.plan_as("tv", Wording { synonyms, ..Wording::default() }, &Ranking::default());
        assert!(!plan.lacks_synonyms);
    }
}

#[test]
fn a_query_without_a_word_matches_nothing() {
    let plan = SearchPlan::without_words(" ★ ");
    let word =
        PlannedWord { word: "★".to_owned(), stem: String::new(), share: 1.0, alternatives: Vec::new() };
    assert_eq!(plan, SearchPlan { words: vec![word], ..SearchPlan::default() });
    assert!(!plan.is_empty() && SearchPlan::default().is_empty());
    let of_signs = Titles::new(&["shoe"]).plan("★ !");
    assert!(of_signs.is_empty(), "{of_signs:?}");
}

#[test]
fn a_decimal_is_planned_as_one_word_and_a_sign_as_an_extra() {
    let shop =
        Titles::new(&["Laptop 15.6 inch", "Laptop 15 inch", "Cable 3.5mm", "Galaxy S23+", "Galaxy S23"]);
    let plan = shop.plan("laptop 15,6");
    assert_eq!(words(&plan), ["laptop", "15.6"]);
    assert_eq!(ways(&plan, "15.6").first(), Some(&shop.word("\u{3}15.6", 1.0)));
    let plan = shop.plan("3.5mm");
    assert_eq!(words(&plan), ["3.5"]);
    assert!(ways(&plan, "3.5").contains(&shop.word(&format!("{UNIT}3.5mm"), 0.3)));
    let plan = shop.plan("s23+ s23+");
    assert_eq!(words(&plan), ["s23"]);
    assert_eq!(plan.extras, [shop.term("\u{4}s23+", 0.5)]);
}
