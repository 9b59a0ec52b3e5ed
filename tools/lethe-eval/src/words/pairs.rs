//! Pairs of words: forms of one word that must find each other, and words that must not.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::pair_shop::PairShop;
use crate::floor::Floor;
use crate::search::feed::SearchEvalFault;
use lethe::search::text::ShopLanguage;

/// Relation of the two words of a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum PairKind {
    /// Singular and plural.
    Number,
    /// A word written as one, as two or with a hyphen.
    Join,
    /// A blank between letters and digits, or none.
    Digits,
    /// Signs within a word, such as points and ampersands.
    Signs,
    /// Numbers with a decimal point.
    Decimal,
    /// A word and a compound that ends in it.
    Compound,
}

impl PairKind {
    /// The kind of this name in the file.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "number" => Self::Number,
            "join" => Self::Join,
            "digits" => Self::Digits,
            "signs" => Self::Signs,
            "decimal" => Self::Decimal,
            "compound" => Self::Compound,
            _ => return None,
        })
    }
}

/// A line of `word-pairs.csv`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WordPair {
    /// Language of both words.
    pub language: ShopLanguage,
    /// The typed word.
    pub typed: String,
    /// The word in the title of a product.
    pub written: String,
    /// Relation of the two.
    pub kind: PairKind,
    /// True if the typed word must find the other, false if it must not.
    pub is_joined: bool,
    /// True if the list says that no result is wrong ("not counted").
    pub is_excused: bool,
}

impl WordPair {
    /// Reads a CSV with a heading and the columns language, typed word, written word, kind, 1 or 0, and a remark.
    ///
    /// # Errors
    ///
    /// If a line has another form.
    pub fn parse_all(text: &str) -> Result<Vec<Self>, SearchEvalFault> {
        let lines = text.lines().enumerate().skip(1).filter(|(_, line)| !line.is_empty());
        lines.map(|(number, line)| Self::parse(line).ok_or(SearchEvalFault::Pairs(number + 1))).collect()
    }

    fn parse(line: &str) -> Option<Self> {
        let mut columns = line.splitn(6, ',');
        let language = ShopLanguage::parse(columns.next()?)?;
        let typed = columns.next()?.to_owned();
        let written = columns.next()?.to_owned();
        let kind = PairKind::parse(columns.next()?)?;
        let is_joined = match columns.next()? {
            "1" => true,
            "0" => false,
            _ => return None,
        };
        let is_excused = columns.next().is_some_and(|remark| remark.contains("not counted"));
        Some(Self { language, typed, written, kind, is_joined, is_excused })
    }
}

/// Result for the pairs of one kind in one language.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct PairScores {
    /// Code of the language.
    pub language: String,
    /// Relation of the words.
    pub kind: PairKind,
    /// True if the typed words must find the others, false if they must not.
    pub is_joined: bool,
    /// Pairs that count.
    pub pairs: usize,
    /// Pairs, of these, with the right result.
    pub right: usize,
    /// Pairs with the wrong result, the typed word first.
    pub wrong: Vec<(String, String)>,
    /// Pairs of which the list says that no result is wrong.
    pub excused: usize,
}

impl PairScores {
    /// Measures all pairs, in a shop of its own for each language; with a language only its pairs.
    ///
    /// # Errors
    ///
    /// If an index cannot be made or read.
    pub fn measure(pairs: &[WordPair], only: Option<ShopLanguage>) -> Result<Vec<Self>, SearchEvalFault> {
        let mut scores = BTreeMap::new();
        for language in ShopLanguage::ALL.into_iter().filter(|one| only.is_none_or(|only| only == *one)) {
            let of_language: Vec<_> = pairs.iter().filter(|pair| pair.language == language).collect();
            if !of_language.is_empty() {
                measure_language(language, &of_language, &mut scores)?;
            }
        }
        Ok(scores.into_values().collect())
    }

    /// Share of the right results; 1 if no pair counts.
    #[must_use]
    pub fn share(&self) -> f64 {
        if self.pairs == 0 { 1.0 } else { self.right as f64 / self.pairs as f64 }
    }

    /// Name of the row, such as `de number` and `de number, apart`.
    #[must_use]
    pub fn name(&self) -> String {
        let kind = format!("{:?}", self.kind).to_lowercase();
        format!("{} {kind}{}", self.language, if self.is_joined { "" } else { ", apart" })
    }

    /// The floor of this row, if it has one.
    #[must_use]
    pub fn floor(&self) -> Option<Floor> {
        let is_of_row = |language: &str| language == "*" || language == self.language;
        let (_, _, _, bound) = FLOORS.iter().find(|(language, kind, is_joined, _)| {
            *kind == self.kind && *is_joined == self.is_joined && is_of_row(language)
        })?;
        let is_counted = self.pairs > 0;
        is_counted.then(|| Floor::at_least(format!("right pairs, {}", self.name()), self.share(), *bound))
    }
}

type ScoresByRow = BTreeMap<(PairKind, bool, &'static str), PairScores>;

fn measure_language(
    language: ShopLanguage,
    pairs: &[&WordPair],
    scores: &mut ScoresByRow,
) -> Result<(), SearchEvalFault> {
    let shop = PairShop::build(language, pairs)?;
    for pair in pairs {
        let row = (pair.kind, !pair.is_joined, language.code());
        let scored = scores.entry(row).or_insert_with(|| PairScores {
            language: language.code().to_owned(),
            kind: pair.kind,
            is_joined: pair.is_joined,
            pairs: 0,
            right: 0,
            wrong: Vec::new(),
            excused: 0,
        });
        if pair.is_excused {
            scored.excused += 1;
            continue;
        }
        scored.pairs += 1;
        if shop.finds(pair)? == pair.is_joined {
            scored.right += 1;
        } else {
            scored.wrong.push((pair.typed.clone(), pair.written.clone()));
        }
    }
    Ok(())
}

/// Shares of the pairs beside the project that must be right: language (`*` is any), kind, joined or not, and the
/// share. Words that stay apart have the share of the version before the rules of number.
static FLOORS: [(&str, PairKind, bool, f64); 18] = [
    ("en", PairKind::Number, true, 0.97),
    ("fr", PairKind::Number, true, 0.96),
    ("nl", PairKind::Number, true, 0.94),
    ("sv", PairKind::Number, true, 0.93),
    ("es", PairKind::Number, true, 0.93),
    ("de", PairKind::Number, true, 0.84),
    ("no", PairKind::Number, true, 0.95),
    ("pt", PairKind::Number, true, 0.95),
    ("cs", PairKind::Number, true, 0.95),
    ("*", PairKind::Join, true, 1.0),
    ("*", PairKind::Digits, true, 0.83),
    ("*", PairKind::Signs, true, 0.9),
    ("en", PairKind::Number, false, 0.88),
    ("de", PairKind::Number, false, 0.83),
    ("fr", PairKind::Number, false, 0.73),
    ("nl", PairKind::Number, false, 1.0),
    ("sv", PairKind::Number, false, 1.0),
    ("pl", PairKind::Number, false, 1.0),
];

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: &str = "lang,a,b,kind,joined,why\nen,shoe,shoes,number,1,\nen,wi-fi,router,join,0,\n\
        en,short,shorts,number,0,\"another product, or none: not counted\"\nde,Jacke,Winterjacke,compound,1,\n";

    #[test]
    fn a_list_of_pairs_is_read() {
        let pairs = WordPair::parse_all(LIST).expect("pairs");
        assert_eq!(pairs.len(), 4);
        assert_eq!((pairs[0].typed.as_str(), pairs[0].written.as_str()), ("shoe", "shoes"));
        assert_eq!((pairs[0].kind, pairs[0].is_joined, pairs[0].is_excused), (PairKind::Number, true, false));
        assert_eq!((pairs[2].is_joined, pairs[2].is_excused), (false, true));
        assert_eq!(pairs[3].language, ShopLanguage::German);
    }

    #[test]
    fn a_line_of_another_form_is_named() {
        for wrong in
            ["en,shoe,shoes,number", "en,shoe,shoes,number,2,", "en,shoe,shoes,colour,1,", "qq,a,b,join,1,"]
        {
            let read = WordPair::parse_all(&format!("lang,a,b,kind,joined,why\n{wrong}\n"));
            let told = read.err().map(|fault| fault.to_string()).unwrap_or_default();
            assert!(told.starts_with("line 2 of the pairs"), "{wrong}: {told}");
        }
    }

    #[test]
    fn each_kind_and_language_is_counted_apart() {
        let pairs = WordPair::parse_all(LIST).expect("pairs");
        let scores = PairScores::measure(&pairs, Some(ShopLanguage::English)).expect("scores");
        let rows: Vec<_> = scores.iter().map(|row| (row.name(), row.pairs, row.right, row.excused)).collect();
        let row = |name: &str, pairs, right, excused| (name.to_owned(), pairs, right, excused);
        let expected =
            [row("en number", 1, 1, 0), row("en number, apart", 0, 0, 1), row("en join, apart", 1, 1, 0)];
        assert_eq!(rows, expected);
        let floors: Vec<_> = scores.iter().filter_map(PairScores::floor).collect();
        assert_eq!(
            floors.len(),
            1,
            "rows that do not count, and joins of other words, have none: {floors:?}"
        );
        assert!(floors[0].is_reached);
    }

    #[test]
    fn a_wrong_result_is_told_and_misses_the_floor() {
        let pairs = WordPair {
            language: ShopLanguage::English,
            typed: "lamp".to_owned(),
            written: "carpet".to_owned(),
            kind: PairKind::Number,
            is_joined: true,
            is_excused: false,
        };
        let scores = PairScores::measure(&[pairs], None).expect("scores");
        assert_eq!(scores[0].wrong, [("lamp".to_owned(), "carpet".to_owned())]);
        assert!(scores[0].floor().is_some_and(|floor| !floor.is_reached));
    }
}
