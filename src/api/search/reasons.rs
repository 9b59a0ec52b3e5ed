//! Reasons for the rank of a product, or for its absence, as sentences in the language of the reader.

use std::sync::LazyLock;

use crate::i18n::{Translations, UiLanguage};
use crate::limits;
use crate::search::engine::{NotFoundReason, RankExplanation, VariantExplanation};
use crate::search::pricing::HiddenReason;
use crate::search::query::matching::{MatchForm, TermMatch};
use crate::search::query::sort::Sort;
use crate::search::statistics::SearchField;

/// Writes reasons in one language.
#[derive(Clone, Copy)]
pub(super) struct ReasonWriter(&'static Translations);

impl ReasonWriter {
    /// A writer in a language.
    pub(super) fn new(language: UiLanguage) -> Self {
        static TEXTS: LazyLock<[Translations; 3]> = LazyLock::new(|| UiLanguage::ALL.map(Translations::load));
        let all = &*TEXTS;
        Self(all.iter().find(|texts| texts.language() == language).unwrap_or(&all[0]))
    }

    fn text(&self, name: &str, values: &[(&str, &str)]) -> String {
        self.0.translate(&format!("why.{name}"), values)
    }

    /// A sentence with its share of the score.
    fn format_score(&self, says: &str, score: &str) -> String {
        let decimal = self.0.translate("format.decimal", &[]);
        self.text("scored", &[("says", says), ("score", &score.replace('.', &decimal))])
    }

    /// The place of a product over all pages, and its page if pages have hits.
    pub(super) fn describe_rank(&self, place: usize, page: Option<usize>) -> String {
        let place = place.to_string();
        match page {
            Some(page) => self.text("rank_on_page", &[("place", &place), ("page", &page.to_string())]),
            None => self.text("rank", &[("place", &place)]),
        }
    }

    /// Sentences on the place of a product. Scores are given only where they decide: in order of relevance, and not if
    /// a typed number or a rule puts the product in front.
    pub(super) fn rank_reasons(&self, why: &RankExplanation, sort: &Sort) -> Vec<String> {
        let mut says = Vec::new();
        let is_by_relevance = *sort == Sort::Relevance;
        if !is_by_relevance {
            says.push(self.text("order", &[]));
        }
        if let Some(rule) = why.pinned_by.as_ref().filter(|_| is_by_relevance) {
            says.push(self.text("pinned", &[("rule", rule)]));
        }
        if why.is_by_number {
            says.push(self.text("number", &[]));
        }
        let held = &why.held;
        let decides = is_by_relevance && why.is_by_words;
        let all = held.words.iter().chain(&held.extras).map(|word| f64::from(word.score)).sum::<f64>();
        let told = |word: &TermMatch| {
            let says = self.describe_match(word);
            if decides && all > 0.0 {
                let share = f64::from(word.score) / all * why.of_words;
                self.format_score(&says, &format!("{share:.2}"))
            } else {
                says
            }
        };
        says.extend(held.words.iter().chain(&held.extras).map(told));
        if decides {
            says.extend(self.describe_coverage(why));
            says.extend(self.describe_boosts(why));
        }
        says.extend(why.variant.as_ref().map(|id| self.text("variant", &[("id", id)])));
        says
    }

    /// The sentence on a variant in the answer to a search.
    pub(super) fn describe_variant(&self, why: &VariantExplanation) -> String {
        let VariantExplanation { id, shown, missing, groups: _ } = why;
        if let Some(missing) = missing.first() {
            return self.text("variant_out", &[("id", id), ("says", &self.describe_absence(missing))]);
        }
        match shown {
            Some(shown) if shown == id => self.text("variant", &[("id", id)]),
            Some(shown) => self.text("variant_other", &[("id", id), ("other", shown)]),
            None => self.describe_absence(&NotFoundReason::Unseen(HiddenReason::WithoutPrice)),
        }
    }

    fn describe_coverage(&self, why: &RankExplanation) -> Option<String> {
        let percent = percent(why.coverage.into());
        let lacking = &why.held.lacking;
        if !lacking.is_empty() {
            return Some(self.text("lacks", &[("words", &self.quote_words(lacking)), ("percent", &percent)]));
        }
        (why.coverage < 1.0).then(|| self.text("counts_less", &[("percent", &percent)]))
    }

    /// Sentences on gains and losses besides its words.
    fn describe_boosts(&self, why: &RankExplanation) -> Vec<String> {
        let boosts = &why.boosts;
        let mut says = Vec::new();
        if let Some((rule, by)) = &why.weighed_by {
            let name = if *by < 0.0 { "buried" } else { "boosted" };
            let told = self.text(name, &[("rule", rule), ("percent", &percent(by.abs()))]);
            says.push(self.format_score(&told, &format!("{:+.2}", boosts.rules)));
        }
        let favour = if boosts.favour < 0.0 { "unavailable" } else { "new" };
        for (name, lift) in [("similar", boosts.centroid), (favour, boosts.favour)] {
            let rounds_to_nothing = lift.abs() < 0.005;
            if !rounds_to_nothing {
                says.push(self.format_score(&self.text(name, &[]), &format!("{lift:+.2}")));
            }
        }
        let has_words = !why.held.words.is_empty() || !why.held.extras.is_empty();
        for (name, lift) in [("popular", boosts.popular), ("personal", boosts.personal)] {
            if lift > 0.0 && !has_words {
                says.push(self.format_score(&self.text(name, &[]), &format!("{lift:+.2}")));
            } else if lift > 0.0 && why.of_words > 0.0 {
                let part = lift / why.of_words * 100.0;
                says.push(self.format_score(&self.text(name, &[]), &format!("{part:+.1} %")));
            }
        }
        says
    }

    fn quote_words(&self, words: &[String]) -> String {
        let words: Vec<_> = words.iter().map(|word| self.text("quoted", &[("word", word)])).collect();
        words.join(", ")
    }

    /// The fields that a word matches, and how.
    fn describe_match(&self, held: &TermMatch) -> String {
        let TermMatch { word, form, .. } = held;
        let place = self.list_fields(held);
        let values = [("word", word.as_str()), ("place", place.as_str())];
        match form {
            MatchForm::Itself => self.text("itself", &values),
            MatchForm::Joined => self.text("joined", &values),
            MatchForm::Apart => self.text("apart", &values),
            MatchForm::OtherForm(other) => {
                self.text("other_form", &[("other", other), ("word", word), ("place", &place)])
            }
            MatchForm::Part(Some(other)) => {
                self.text("part", &[("other", other), ("word", word), ("place", &place)])
            }
            MatchForm::Part(None) => self.text("part_of_word", &values),
            MatchForm::Measure => self.text("measure", &values),
            MatchForm::Synonym(other) => {
                self.text("synonym", &[("other", other), ("word", word), ("place", &place)])
            }
        }
    }

    /// The fields that hold a word, such as `title, brand`.
    fn list_fields(&self, held: &TermMatch) -> String {
        let names: Vec<_> = held.fields.iter().map(|field| self.text(field_text_name(*field), &[])).collect();
        if names.is_empty() { self.text("field", &[]) } else { names.join(", ") }
    }

    /// The sentence on why a product is not found.
    pub(super) fn describe_absence(&self, missing: &NotFoundReason) -> String {
        let name = match missing {
            NotFoundReason::Unknown => "unknown",
            NotFoundReason::Unseen(HiddenReason::Hidden) => "hidden",
            NotFoundReason::Unseen(HiddenReason::Unlisted) => "unlisted",
            NotFoundReason::Unseen(HiddenReason::Unrecommended) => "unrecommended",
            NotFoundReason::Unseen(HiddenReason::OutOfPeriod) => "out_of_period",
            NotFoundReason::Unseen(HiddenReason::OfOtherAccounts) => "of_other_accounts",
            NotFoundReason::Unseen(HiddenReason::WithoutPrice) => "without_price",
            NotFoundReason::HoldsNothing => "no_word",
            NotFoundReason::FilteredTogether => "filtered_together",
            NotFoundReason::Filtered(name) => return self.text("filtered", &[("name", name)]),
            NotFoundReason::Ruled(rule) => return self.text("ruled", &[("rule", rule)]),
            NotFoundReason::Lacks(words) => {
                return self.text("fewer_words", &[("words", &self.quote_words(words))]);
            }
            NotFoundReason::Beyond => {
                let count = self.0.number(limits::SEARCH_HITS as u64);
                return self.text("beyond", &[("count", &count)]);
            }
        };
        self.text(name, &[])
    }
}

fn percent(part: f64) -> String {
    format!("{:.0}", (part * 100.0).round())
}

const fn field_text_name(field: SearchField) -> &'static str {
    match field {
        SearchField::Title => "title",
        SearchField::Brand => "brand",
        SearchField::Categories => "categories",
        SearchField::Sku => "sku",
        SearchField::Attributes => "attributes",
        SearchField::Description => "description",
    }
}

#[cfg(test)]
#[path = "reasons_tests.rs"]
mod word_tests;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hit_by_its_words_says_what_share_of_the_query_it_matches() {
        let english = ReasonWriter::new(UiLanguage::English);
        let synonyms = "Matches some words only by synonyms, in attributes or in the description: \
                        counts as 95 % of the search term";
        let lacks = "Without ‘blue’, ‘kids’: matches 40 % of the search term";
        for (coverage, lacking, says) in
            [(1.0, vec![], None), (0.95, vec![], Some(synonyms)), (0.404, vec!["blue", "kids"], Some(lacks))]
        {
            let mut why = RankExplanation { coverage, is_by_words: true, ..RankExplanation::default() };
            why.held.lacking = lacking.into_iter().map(str::to_owned).collect();
            assert_eq!(english.rank_reasons(&why, &Sort::Relevance), says.into_iter().collect::<Vec<_>>());
            why.is_by_words = false;
            assert_eq!(english.rank_reasons(&why, &Sort::Relevance), [""; 0]);
        }
    }

    #[test]
    fn a_gain_that_is_shown_as_nothing_is_not_told() {
        let english = ReasonWriter::new(UiLanguage::English);
        for (gain, says) in
            [(0.0049, None), (0.005, Some("Similar to the top results: +0.01")), (-0.0049, None)]
        {
            let mut why = RankExplanation::default();
            why.boosts.centroid = gain;
            assert_eq!(english.describe_boosts(&why), says.into_iter().collect::<Vec<_>>());
        }
        for (gain, says) in [
            (0.0049, None),
            (0.005, Some("New: +0.01")),
            (-0.0049, None),
            (-0.005, Some("Cannot be bought now: -0.01")),
        ] {
            let mut why = RankExplanation::default();
            why.boosts.favour = gain;
            assert_eq!(english.describe_boosts(&why), says.into_iter().collect::<Vec<_>>());
        }
    }

    #[test]
    fn reasons_are_in_the_language_of_the_reader() {
        let mut why =
            RankExplanation { weighed_by: Some(("sale".to_owned(), 0.3)), ..RankExplanation::default() };
        why.boosts.rules = 0.26;
        let said = UiLanguage::ALL.map(|language| ReasonWriter::new(language).describe_boosts(&why));
        assert_eq!(said[0], ["Boosted 30 % by the rule ‘sale’: +0.26"]);
        assert_eq!(said[1], ["Von der Regel „sale“ um 30 % angehoben: +0,26"]);
        assert_eq!(said[2], ["Rehaussé de 30 % par la règle « sale » : +0,26"]);
        let beyond = UiLanguage::ALL
            .map(|language| ReasonWriter::new(language).describe_absence(&NotFoundReason::Beyond));
        assert_eq!(beyond[0], "Beyond the first 10,000 results");
        assert_eq!(beyond[1], "Hinter den ersten 10.000 Treffern");
    }
}
