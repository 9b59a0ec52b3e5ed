//! The words in which a search is explained.

use super::*;
use crate::search::query::sort::Direction;

fn word(word: &str, form: MatchForm, fields: &[SearchField], score: f32) -> TermMatch {
    TermMatch { word: word.to_owned(), form, fields: fields.to_vec(), score }
}

fn english() -> ReasonWriter {
    ReasonWriter::new(UiLanguage::English)
}

/// A hit by a word and by a measure, which is not the best one.
fn hit() -> RankExplanation {
    let mut why =
        RankExplanation { coverage: 1.0, of_words: 0.8, is_by_words: true, ..RankExplanation::default() };
    why.held.words = vec![word("red", MatchForm::Itself, &[SearchField::Title], 3.0)];
    why.held.extras = vec![word("2kg", MatchForm::Measure, &[SearchField::Attributes], 1.0)];
    why
}

#[test]
fn a_hit_says_what_share_of_its_score_each_word_has_where_that_decides() {
    let with_shares = ["Matches ‘red’ in title: 0.60", "Matches ‘2kg’ as a measure in attributes: 0.20"];
    assert_eq!(english().rank_reasons(&hit(), &Sort::Relevance), with_shares);
    let plain = ["Matches ‘red’ in title", "Matches ‘2kg’ as a measure in attributes"];
    let mut by_rule = RankExplanation { is_by_words: false, is_by_number: true, ..hit() };
    by_rule.pinned_by = Some("r1".to_owned());
    let number = "The search term is its id or article number, or that of a variant";
    let expected = ["Pinned by the rule ‘r1’", number, plain[0], plain[1]];
    assert_eq!(english().rank_reasons(&by_rule, &Sort::Relevance), expected);
    let other = "Not sorted by relevance: the words do not decide the rank";
    let by_price = RankExplanation { is_by_words: true, ..by_rule };
    assert_eq!(
        english().rank_reasons(&by_price, &Sort::Price(Direction::Up)),
        [other, number, plain[0], plain[1]]
    );
    let mut weightless = hit();
    weightless.held.words[0].score = 0.0;
    weightless.held.extras[0].score = 0.0;
    assert_eq!(english().rank_reasons(&weightless, &Sort::Relevance), plain);
}

#[test]
fn what_lifts_a_hit_is_told_with_its_part() {
    let mut why = hit();
    why.weighed_by = Some(("r1".to_owned(), 0.3));
    why.boosts.rules = 0.24;
    why.boosts.centroid = -0.25;
    why.boosts.favour = 0.5;
    why.boosts.popular = 0.04;
    why.boosts.personal = 0.08;
    let expected = [
        "Boosted 30 % by the rule ‘r1’: +0.24",
        "Similar to the top results: -0.25",
        "New: +0.50",
        "Popular: +5.0 %",
        "Fits what this shopper viewed: +10.0 %",
    ];
    assert_eq!(english().describe_boosts(&why), expected);
    assert_eq!(english().rank_reasons(&why, &Sort::Relevance)[2..], expected);
    why.weighed_by = Some(("r1".to_owned(), -0.5));
    why.boosts.rules = -0.4;
    assert_eq!(english().describe_boosts(&why)[0], "Buried 50 % by the rule ‘r1’: -0.40");

    let liked = |has_word: bool, has_extra: bool, of_words: f64| {
        let mut why = RankExplanation { of_words, ..hit() };
        why.boosts.popular = 0.04;
        why.held.words.truncate(usize::from(has_word));
        why.held.extras.truncate(usize::from(has_extra));
        english().describe_boosts(&why)
    };
    let share = "Popular: +5.0 %";
    assert_eq!(liked(true, false, 0.8), [share]);
    assert_eq!(liked(false, true, 0.8), [share]);
    assert_eq!(liked(true, true, 0.0), [""; 0]);
    assert_eq!(liked(false, false, 0.0), ["Popular: +0.04"]);
    assert_eq!(english().describe_boosts(&hit()), [""; 0]);
}

#[test]
fn a_word_matches_in_its_fields_in_one_of_five_ways() {
    use SearchField::{Attributes, Brand, Categories, Description, Sku, Title};
    let all = [Title, Brand, Categories, Sku, Attributes, Description];
    for (fields, place) in [
        (&all[..0], "a field"),
        (&all[..1], "title"),
        (&all[..2], "title, brand"),
        (&all[1..4], "brand, category, article number"),
        (&all[4..], "attributes, description"),
    ] {
        assert_eq!(
            english().describe_match(&word("red", MatchForm::Itself, fields, 1.0)),
            format!("Matches ‘red’ in {place}")
        );
    }
    for (form, expected) in [
        (MatchForm::Joined, "Matches ‘red’ joined with the next word in title"),
        (MatchForm::Apart, "Matches ‘red’ as two words in title"),
        (MatchForm::Measure, "Matches ‘red’ as a measure in title"),
        (MatchForm::OtherForm("Reds".to_owned()), "Matches ‘Reds’, another form of ‘red’, in title"),
        (MatchForm::Part(Some("Infrared".to_owned())), "Matches ‘red’, a part of ‘Infrared’, in title"),
        (MatchForm::Part(None), "Matches ‘red’ as a part of a longer word in title"),
        (MatchForm::Synonym("crimson".to_owned()), "Matches ‘crimson’, a synonym of ‘red’, in title"),
    ] {
        assert_eq!(english().describe_match(&word("red", form, &[Title], 1.0)), expected);
    }
}
