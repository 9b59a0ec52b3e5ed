//! All measures of words at once, with their floors.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::catalogues::{CATALOGUES, ShopIndex};
use super::corrections::CorrectionScores;
use super::cost::IndexCost;
use super::judged::LanguageScores;
use super::natural::NaturalScores;
use super::pairs::{PairScores, WordPair};
use crate::floor::Floor;
use crate::search::feed::{Judgments, SearchEvalFault};
use lethe::search::document::ProductDocument;
use lethe::search::text::ShopLanguage;

/// The language of the lists of brands, typing errors and natural queries.
const LISTS: ShopLanguage = ShopLanguage::English;

/// Products of a catalogue and its judged queries.
pub struct JudgedProducts {
    /// Their language.
    pub language: ShopLanguage,
    /// The products.
    pub products: Vec<ProductDocument>,
    /// The queries.
    pub judgments: Judgments,
}

/// Files of a measurement, parsed.
#[derive(Default)]
pub struct WordsData {
    /// Catalogues with judged queries.
    pub catalogues: Vec<JudgedProducts>,
    /// Pairs of words.
    pub pairs: Vec<WordPair>,
    /// Brands that the English catalogue does not have.
    pub brands: Vec<String>,
    /// Natural queries.
    pub natural: Option<Judgments>,
    /// Products for the natural queries; the English catalogue if there are none.
    pub natural_products: Option<Vec<ProductDocument>>,
    /// Names of files that are not there.
    pub missing: Vec<String>,
}

/// Measurements of words.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct WordsReport {
    /// Judged queries of each catalogue.
    pub languages: Vec<LanguageScores>,
    /// Pairs by kind and language.
    pub pairs: Vec<PairScores>,
    /// Corrections in the English catalogue.
    pub corrections: Option<CorrectionScores>,
    /// Natural queries.
    pub natural: Option<NaturalScores>,
    /// Cost of each catalogue's index, by the code of its language.
    pub costs: BTreeMap<String, IndexCost>,
    /// Files that were not there: what needs them was not run.
    pub not_run: Vec<String>,
}

impl WordsReport {
    /// Measures all that there are files for; with a language only that.
    ///
    /// # Errors
    ///
    /// If an index cannot be made or read.
    pub fn measure(data: &WordsData, only: Option<ShopLanguage>) -> Result<Self, SearchEvalFault> {
        let mut report = Self { not_run: data.missing.clone(), ..Self::default() };
        for catalogue in &data.catalogues {
            let shop = ShopIndex::build(&catalogue.products, catalogue.language)?;
            let scores = LanguageScores::measure(&shop, &catalogue.judgments)?;
            report.costs.insert(scores.language.clone(), IndexCost::measure(&shop)?);
            report.languages.push(scores);
            if catalogue.language == LISTS {
                report.measure_lists(data, catalogue, &shop)?;
            }
        }
        if let (Some(queries), Some(products)) = (&data.natural, &data.natural_products) {
            let shop = ShopIndex::build(products, LISTS)?;
            report.natural = Some(NaturalScores::measure(&shop.snapshot, products, queries)?);
        }
        report.pairs = PairScores::measure(&data.pairs, only)?;
        Ok(report)
    }

    fn measure_lists(
        &mut self,
        data: &WordsData,
        catalogue: &JudgedProducts,
        shop: &ShopIndex,
    ) -> Result<(), SearchEvalFault> {
        self.corrections = Some(CorrectionScores::measure(shop, &catalogue.judgments, &data.brands)?);
        if let Some(queries) = data.natural.as_ref().filter(|_| data.natural_products.is_none()) {
            self.natural = Some(NaturalScores::measure(&shop.snapshot, &catalogue.products, queries)?);
        }
        Ok(())
    }

    /// Every figure that has a floor (docs/relevance.md, "Words"), for the halves of the lists that are in `data/`.
    #[must_use]
    pub fn floors(&self) -> Vec<Floor> {
        let mut floors = Vec::new();
        for scores in &self.languages {
            let is_it = |code: &str| code == scores.language;
            let catalogue = CATALOGUES.iter().find(|catalogue| is_it(catalogue.language.code()));
            let name = format!("nDCG@10 raw, {}", scores.language);
            floors
                .extend(catalogue.map(|catalogue| Floor::at_least(name, scores.raw().mean, catalogue.floor)));
        }
        let empty: usize = self.languages.iter().map(|scores| scores.without_hits.len()).sum();
        if !self.languages.is_empty() {
            floors.push(Floor::at_most(
                "queries without hits although a product is meant",
                empty as f64,
                0.0,
            ));
        }
        floors.extend(self.pairs.iter().filter_map(PairScores::floor));
        floors.extend(self.corrections.iter().flat_map(CorrectionScores::floors));
        floors.extend(self.natural.iter().filter_map(NaturalScores::floor));
        floors
    }
}

#[cfg(test)]
mod tests {
    use super::super::catalogues::titled;
    use super::*;

    fn data() -> WordsData {
        let list = "query,product_id,rating\nstoel,a,3\nzwembad,b,3\n";
        let products = vec![titled("a".to_owned(), "Stoel"), titled("b".to_owned(), "Tafel")];
        let pairs = WordPair::parse_all("lang,a,b,kind,joined,why\nnl,stoel,stoelen,number,1,\n");
        WordsData {
            catalogues: vec![JudgedProducts {
                language: ShopLanguage::Dutch,
                products,
                judgments: Judgments::parse(list).expect("judgments"),
            }],
            pairs: pairs.expect("pairs"),
            missing: vec!["brands-unknown.json".to_owned()],
            ..WordsData::default()
        }
    }

    #[test]
    fn every_floor_of_the_measured_figures_is_listed() {
        let report = WordsReport::measure(&data(), None).expect("a report");
        let floors: Vec<_> =
            report.floors().into_iter().map(|floor| (floor.name, floor.is_reached)).collect();
        let floor = |name: &str, is_reached| (name.to_owned(), is_reached);
        let expected = [
            floor("nDCG@10 raw, nl", false),
            floor("queries without hits although a product is meant", false),
            floor("right pairs, nl number", true),
        ];
        assert_eq!(floors, expected);
        assert_eq!(report.not_run, ["brands-unknown.json"]);
        assert_eq!((report.corrections, report.natural), (None, None), "there is no English catalogue");
    }

    #[test]
    fn a_report_is_read_as_it_was_written() {
        let report = WordsReport::measure(&data(), Some(ShopLanguage::Dutch)).expect("a report");
        let text = serde_json::to_string(&report).expect("JSON");
        assert!(text.starts_with("{\"Languages\":[{\"Language\":\"nl\",\"Products\":2,"), "{text}");
        assert_eq!(serde_json::from_str::<WordsReport>(&text).expect("a report"), report);
    }

    #[test]
    fn another_language_is_left_out() {
        let report = WordsReport::measure(&data(), Some(ShopLanguage::German)).expect("a report");
        assert_eq!(report.pairs, []);
    }

    #[test]
    fn each_measured_language_has_a_catalogue() {
        let codes: Vec<_> = CATALOGUES.iter().map(|catalogue| catalogue.language.code()).collect();
        assert_eq!(codes, ["en", "de", "nl", "fr", "es", "pl"]);
    }
}
