//! Two builds side by side: the report of one, read again, is the base of the other's gains.

use std::collections::HashMap;

use serde::Serialize;

use super::judged::LanguageScores;
use super::pairs::{PairKind, PairScores};
use super::report::WordsReport;
use crate::floor::Floor;
use crate::search::bootstrap::{Gain, gain};

/// The largest loss on the English catalogue: its words were found before.
const ENGLISH_LOSS: f64 = 0.002;
/// The largest loss of the share of nDCG that is kept with typing errors.
const KEPT_LOSS: f64 = 0.01;

/// A query whose nDCG@10 changed.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct ChangedQuery {
    /// The query.
    pub query: String,
    /// nDCG@10 raw before.
    pub before: f64,
    /// nDCG@10 raw now.
    pub after: f64,
}

/// Gain in one language, query by query.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct LanguageGain {
    /// Code of the language.
    pub language: String,
    /// Mean nDCG@10 raw before, of the queries of both reports.
    pub before: f64,
    /// Gain of nDCG@10 raw.
    pub raw: Gain,
    /// Gain of nDCG@10 condensed.
    pub condensed: Gain,
    /// The queries that changed, the greatest loss first.
    pub changed: Vec<ChangedQuery>,
}

/// The gains of a report over another in all languages that both have.
#[must_use]
pub fn language_gains(report: &WordsReport, before: &WordsReport) -> Vec<LanguageGain> {
    let both = report.languages.iter().filter_map(|scores| {
        let base = before.languages.iter().find(|base| base.language == scores.language)?;
        Some(language_gain(scores, base))
    });
    both.collect()
}

fn language_gain(scores: &LanguageScores, before: &LanguageScores) -> LanguageGain {
    let base: HashMap<&str, _> = before.queries.iter().map(|score| (score.query.as_str(), score)).collect();
    let both = scores.queries.iter();
    let both = both.filter_map(|score| Some((score, *base.get(score.query.as_str())?)));
    let both: Vec<_> = both.collect();
    let now: Vec<f64> = both.iter().map(|(now, _)| now.raw).collect();
    let then: Vec<f64> = both.iter().map(|(_, then)| then.raw).collect();
    let condensed_now: Vec<f64> = both.iter().map(|(now, _)| now.condensed).collect();
    let condensed_then: Vec<f64> = both.iter().map(|(_, then)| then.condensed).collect();
    let changed = both.iter().filter(|(now, then)| (now.raw - then.raw).abs() > f64::EPSILON);
    let mut changed: Vec<ChangedQuery> = changed
        .map(|(now, then)| ChangedQuery { query: now.query.clone(), before: then.raw, after: now.raw })
        .collect();
    changed.sort_by(|one, other| (one.after - one.before).total_cmp(&(other.after - other.before)));
    LanguageGain {
        language: scores.language.clone(),
        before: then.iter().sum::<f64>() / then.len().max(1) as f64,
        raw: gain(&now, &then),
        condensed: gain(&condensed_now, &condensed_then),
        changed,
    }
}

/// The pairs of the same kind and language in another report.
#[must_use]
pub fn same_row<'r>(scores: &PairScores, report: &'r WordsReport) -> Option<&'r PairScores> {
    report.pairs.iter().find(|other| other.name() == scores.name())
}

/// Floors that only two reports have: English is no worse, words that stay apart do so, typing errors are kept.
#[must_use]
pub fn relative_floors(report: &WordsReport, before: &WordsReport) -> Vec<Floor> {
    let english = language_gains(report, before).into_iter().filter(|gain| gain.language == "en");
    let mut floors: Vec<Floor> = english
        .map(|gain| Floor::at_least("gain of nDCG@10 raw, en", gain.raw.mean, -ENGLISH_LOSS))
        .collect();
    let apart = report.pairs.iter().filter(|scores| !scores.is_joined && scores.kind != PairKind::Compound);
    floors.extend(apart.filter_map(|scores| {
        let base = same_row(scores, before)?;
        Some(Floor::at_least(
            format!("right pairs, {}, as before", scores.name()),
            scores.share(),
            base.share(),
        ))
    }));
    if let (Some(now), Some(then)) = (&report.corrections, &before.corrections) {
        let bound = then.kept - KEPT_LOSS;
        floors.push(Floor::at_least("typing errors: nDCG kept, as before", now.kept, bound));
    }
    floors
}

#[cfg(test)]
mod tests {
    use super::super::corrections::CorrectionScores;
    use super::*;
    use crate::search::judged::QueryScore;

    fn report(language: &str, scores: &[(&str, f64)], apart: usize, kept: f64) -> WordsReport {
        let queries = scores.iter().map(|(query, raw)| QueryScore {
            query: (*query).to_owned(),
            raw: *raw,
            condensed: *raw,
            has_hits: true,
        });
        let pairs = PairScores {
            language: language.to_owned(),
            kind: PairKind::Number,
            is_joined: false,
            pairs: 10,
            right: apart,
            wrong: Vec::new(),
            excused: 0,
        };
        WordsReport {
            languages: vec![LanguageScores {
                language: language.to_owned(),
                products: 1,
                queries: queries.collect(),
                without_hits: Vec::new(),
            }],
            pairs: vec![pairs],
            corrections: Some(CorrectionScores { kept, ..CorrectionScores::default() }),
            ..WordsReport::default()
        }
    }

    #[test]
    fn queries_are_compared_by_their_text() {
        let before = report("de", &[("jacke", 0.2), ("hose", 0.5), ("alt", 0.9)], 8, 0.94);
        let after = report("de", &[("hose", 0.4), ("jacke", 0.8), ("neu", 0.1)], 8, 0.94);
        let gains = language_gains(&after, &before);
        assert_eq!(gains.len(), 1);
        assert!(
            (gains[0].before - 0.35).abs() < 1e-9 && (gains[0].raw.mean - 0.25).abs() < 1e-9,
            "{gains:?}"
        );
        let changed: Vec<_> = gains[0].changed.iter().map(|one| one.query.as_str()).collect();
        assert_eq!(changed, ["hose", "jacke"], "the greatest loss first");
        assert_eq!(language_gains(&report("nl", &[("jas", 0.5)], 8, 0.9), &before), []);
    }

    #[test]
    fn a_loss_beyond_its_bound_is_red() {
        let before = report("en", &[("mouse", 0.8)], 8, 0.94);
        let missed = |after: &WordsReport| {
            let floors = relative_floors(after, &before);
            floors.into_iter().filter(|floor| !floor.is_reached).map(|floor| floor.name).collect::<Vec<_>>()
        };
        assert_eq!(missed(&report("en", &[("mouse", 0.799)], 8, 0.931)), [""; 0]);
        assert_eq!(missed(&report("en", &[("mouse", 0.797)], 8, 0.94)), ["gain of nDCG@10 raw, en"]);
        assert_eq!(
            missed(&report("en", &[("mouse", 0.8)], 7, 0.94)),
            ["right pairs, en number, apart, as before"]
        );
        assert_eq!(
            missed(&report("en", &[("mouse", 0.8)], 8, 0.92)),
            ["typing errors: nDCG kept, as before"]
        );
    }
}
