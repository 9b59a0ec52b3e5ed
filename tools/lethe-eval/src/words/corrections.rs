//! Corrections in one shop: typing errors, first letters, and brands and words that must stay as they are.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::catalogues::ShopIndex;
use crate::floor::Floor;
use crate::search::feed::{Judgments, SearchEvalFault};
use crate::search::report::measure_correction;
use crate::search::typos::{ForeignReport, KEPT_FLOOR, measure_foreign};

/// The largest share of other shops' brands that may be replaced silently.
const BRANDS_CEILING: f64 = 0.12;

/// Words that a shop does not have, and their silent replacements.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct ReplacedWords {
    /// Words that the shop does not have.
    pub words: usize,
    /// The words, of these, that are replaced, with the query that is searched instead.
    pub replaced: Vec<(String, String)>,
}

impl ReplacedWords {
    /// Share of the words that are replaced.
    #[must_use]
    pub fn share(&self) -> f64 {
        self.replaced.len() as f64 / self.words.max(1) as f64
    }
}

impl From<ForeignReport> for ReplacedWords {
    fn from(report: ForeignReport) -> Self {
        Self { words: report.words, replaced: report.replaced }
    }
}

/// Scores of correction.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct CorrectionScores {
    /// Share of nDCG that is kept with typing errors.
    pub kept: f64,
    /// The same for each kind of error.
    pub kept_by_kind: BTreeMap<String, f64>,
    /// Share of nDCG that is kept with a wrong first letter.
    pub kept_first_letter: f64,
    /// Queries without errors that are changed, with the query that is searched instead.
    pub clean_changed: Vec<(String, String)>,
    /// Brands of other shops.
    pub brands: ReplacedWords,
    /// English words of other shops.
    pub foreign: ReplacedWords,
}

impl CorrectionScores {
    /// Measures an English shop.
    ///
    /// # Errors
    ///
    /// If the index cannot be read.
    pub fn measure(
        shop: &ShopIndex,
        judgments: &Judgments,
        brands: &[String],
    ) -> Result<Self, SearchEvalFault> {
        let summary = measure_correction(&shop.snapshot, judgments)?;
        let kinds = summary.typos.by_kind.iter();
        let brands = measure_foreign(brands.iter().map(String::as_str), shop.knowledge.corrector());
        Ok(Self {
            kept: summary.typos.all.retained_share(),
            kept_by_kind: kinds.map(|(kind, share)| (format!("{kind:?}"), share.retained_share())).collect(),
            kept_first_letter: summary.first_letters.retained_share(),
            clean_changed: summary.clean_changed,
            brands: brands.into(),
            foreign: summary.foreign.into(),
        })
    }

    /// The floors of correction.
    #[must_use]
    pub fn floors(&self) -> Vec<Floor> {
        let mut floors = vec![Floor::at_least("typing errors: nDCG kept", self.kept, KEPT_FLOOR)];
        if self.brands.words > 0 {
            let share = self.brands.share();
            floors.push(Floor::at_most("brands of other shops silently replaced", share, BRANDS_CEILING));
        }
        floors
    }
}

/// Reads a list of brands: a JSON array of texts.
///
/// # Errors
///
/// If it is something else.
pub fn parse_brands(text: &str) -> Result<Vec<String>, SearchEvalFault> {
    serde_json::from_str(text).map_err(|_| SearchEvalFault::Brands)
}

#[cfg(test)]
mod tests {
    use super::super::catalogues::titled;
    use super::*;
    use lethe::search::text::ShopLanguage;

    #[test]
    fn brands_are_read_from_a_list_of_texts_alone() {
        assert_eq!(parse_brands(r#"["shein", "nike"]"#).expect("brands"), ["shein", "nike"]);
        for wrong in ["", "{}", r#"["shein", 1]"#] {
            assert!(parse_brands(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn brands_that_the_shop_has_do_not_count() {
        let products = [titled("a".to_owned(), "Nike trainers"), titled("b".to_owned(), "Nike socks")];
        let shop = ShopIndex::build(&products, ShopLanguage::English).expect("an index");
        let judgments = Judgments::parse("query,product_id,rating\nsocks,b,3\n").expect("judgments");
        let brands = ["nike", "zzyzx"].map(str::to_owned);
        let scores = CorrectionScores::measure(&shop, &judgments, &brands).expect("scores");
        assert_eq!((scores.brands.words, scores.brands.replaced.len()), (1, 0));
        assert_eq!(scores.clean_changed, []);
        assert!(scores.foreign.words > 300, "nearly all words of the list: {}", scores.foreign.words);
        // Too few products for another first letter to be sure.
        assert!(scores.kept > 0.0 && scores.kept_first_letter < 1e-9, "{scores:?}");
        assert_eq!(scores.floors().len(), 2);
    }

    #[test]
    fn too_many_replaced_brands_miss_the_floor() {
        let replaced = |count: usize| ReplacedWords {
            words: 100,
            replaced: vec![("shein".to_owned(), "sheen".to_owned()); count],
        };
        let reached = |count: usize| {
            let scores =
                CorrectionScores { kept: 1.0, brands: replaced(count), ..CorrectionScores::default() };
            scores.floors().iter().all(|floor| floor.is_reached)
        };
        assert!(reached(12) && !reached(13));
    }
}
