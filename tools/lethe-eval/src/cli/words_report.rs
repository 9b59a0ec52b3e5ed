//! Measurements of words, for people and as JSON.

use lethe::cli::{row, table};
use serde_json::{Value, json};

use super::floors::floor_lines;
use crate::floor::Floor;
use crate::search::bootstrap::Gain;
use crate::words::compare::{LanguageGain, language_gains, relative_floors, same_row};
use crate::words::corrections::CorrectionScores;
use crate::words::natural::NaturalScores;
use crate::words::report::WordsReport;
use crate::words::splits::SplitSample;

/// Changed queries of a language that are shown.
const CHANGED_MAX: usize = 10;
/// Words and brands of a list that are shown.
const LISTED_MAX: usize = 20;

/// A report, and the one to compare it with.
pub(super) struct WordsTables {
    pub(super) report: WordsReport,
    pub(super) before: Option<WordsReport>,
}

impl WordsTables {
    /// All floors, with those that only two reports have.
    pub(super) fn floors(&self) -> Vec<Floor> {
        let mut floors = self.report.floors();
        floors.extend(self.before.iter().flat_map(|before| relative_floors(&self.report, before)));
        floors
    }

    fn gains(&self) -> Vec<LanguageGain> {
        self.before.as_ref().map(|before| language_gains(&self.report, before)).unwrap_or_default()
    }

    /// The report as `--compare` reads it, with its floors; with `Gains` beside another.
    pub(super) fn to_json(&self) -> Value {
        let mut report = json!(self.report);
        report["Floors"] = json!(self.floors());
        if self.before.is_some() {
            report["Gains"] = json!(self.gains());
        }
        report
    }

    pub(super) fn lines(&self) -> Vec<String> {
        let parts = [
            self.language_lines(),
            self.pair_lines(),
            self.wrong_lines(),
            self.correction_lines(),
            self.natural_lines(),
            self.cost_lines(),
            floor_lines(&self.floors()),
        ];
        let parts: Vec<_> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        parts.join(&String::new())
    }

    fn language_lines(&self) -> Vec<String> {
        let mut rows =
            vec![row(["Language", "products", "queries", "nDCG@10 raw", "condensed", "without hits"])];
        let gains = self.gains();
        if self.before.is_some() {
            rows[0].extend(row(["raw before", "gain raw", "gain condensed"]));
        }
        for scores in &self.report.languages {
            let mut cells = vec![
                scores.language.clone(),
                scores.products.to_string(),
                scores.queries.len().to_string(),
                interval(&scores.raw()),
                interval(&scores.condensed()),
                scores.without_hits.len().to_string(),
            ];
            let gain = gains.iter().find(|gain| gain.language == scores.language);
            cells.extend(gain.into_iter().flat_map(|gain| {
                [format!("{:.3}", gain.before), signed_interval(&gain.raw), signed_interval(&gain.condensed)]
            }));
            rows.push(cells);
        }
        let mut lines = filled_table(&rows);
        for gain in &gains {
            let changed = gain.changed.iter().take(CHANGED_MAX);
            let changed = changed.map(|one| format!("{} {:.2} → {:.2}", one.query, one.before, one.after));
            let changed: Vec<_> = changed.collect();
            if !changed.is_empty() {
                lines.push(format!("{}: {}", gain.language, changed.join("; ")));
            }
        }
        lines
    }

    fn pair_lines(&self) -> Vec<String> {
        let mut rows = vec![row(["Pairs", "counted", "right", "share", "not counted"])];
        if self.before.is_some() {
            rows[0].push("right before".to_owned());
        }
        for scores in &self.report.pairs {
            let mut cells = vec![
                scores.name(),
                scores.pairs.to_string(),
                scores.right.to_string(),
                format!("{:.3}", scores.share()),
                scores.excused.to_string(),
            ];
            let base = self.before.as_ref().and_then(|before| same_row(scores, before));
            cells.extend(base.map(|base| base.right.to_string()));
            rows.push(cells);
        }
        filled_table(&rows)
    }

    fn wrong_lines(&self) -> Vec<String> {
        let wrong = self.report.pairs.iter().filter(|scores| !scores.wrong.is_empty());
        wrong
            .map(|scores| format!("wrong, {}: {}", scores.name(), arrows(&scores.wrong, usize::MAX)))
            .collect()
    }

    fn correction_lines(&self) -> Vec<String> {
        let Some(scores) = &self.report.corrections else { return Vec::new() };
        let before = self.before.as_ref().and_then(|before| before.corrections.as_ref());
        let mut rows = vec![row(["Corrections", "is"])];
        rows[0].extend(before.map(|_| "before".to_owned()));
        let base = before.map(correction_figures);
        for (name, figure) in correction_figures(scores) {
            let then = base.as_ref().and_then(|figures| figures.iter().find(|(other, _)| *other == name));
            let mut cells = vec![name.clone(), format!("{figure:.3}")];
            cells.extend(then.map(|(_, figure)| format!("{figure:.3}")));
            rows.push(cells);
        }
        let mut lines = table(&rows);
        for (name, list) in [
            ("changed without an error", &scores.clean_changed),
            ("replaced brands", &scores.brands.replaced),
            ("replaced words", &scores.foreign.replaced),
        ] {
            if !list.is_empty() {
                lines.push(format!("{name}: {}", arrows(list, LISTED_MAX)));
            }
        }
        lines
    }

    fn natural_lines(&self) -> Vec<String> {
        let told = |name: &str, scores: &NaturalScores| {
            let NaturalScores { judged, in_catalogue, queries, good, good_of_judged } = scores;
            let floor = if scores.is_whole() { "" } else { "; no floor without the other products" };
            format!(
                "natural queries{name}: {queries}, {good:.3} good among the first five, {good_of_judged:.3} of the \
                 judged among them; {in_catalogue} of {judged} judged products are in the catalogue{floor}"
            )
        };
        let before = self.before.as_ref().and_then(|before| before.natural.as_ref());
        let now = self.report.natural.iter().map(|scores| told("", scores));
        now.chain(before.map(|scores| told(" before", scores))).collect()
    }

    fn cost_lines(&self) -> Vec<String> {
        let names = ["Cost", "tokens", "terms", "postings", "index bytes", "statistics bytes"];
        let mut rows = vec![row(names)];
        for (language, cost) in &self.report.costs {
            let base = self.before.as_ref().and_then(|before| before.costs.get(language));
            let figures = cost.figures();
            let mut cells = vec![language.clone()];
            cells.extend(figures.iter().enumerate().map(|(place, figure)| match base {
                Some(base) => format!("{figure} ({})", change(*figure, base.figures()[place])),
                None => figure.to_string(),
            }));
            rows.push(cells);
        }
        filled_table(&rows)
    }
}

/// The table, or nothing if it has a heading alone.
fn filled_table(rows: &[Vec<String>]) -> Vec<String> {
    if rows.len() > 1 { table(rows) } else { Vec::new() }
}

/// Shares of correction by their names.
fn correction_figures(scores: &CorrectionScores) -> Vec<(String, f64)> {
    let named = |name: &str, figure: f64| (name.to_owned(), figure);
    let mut figures = vec![named("typing errors: nDCG kept", scores.kept)];
    let kinds = scores.kept_by_kind.iter();
    figures.extend(kinds.map(|(kind, kept)| (format!("typing error {kind}"), *kept)));
    figures.push(named("first letter wrong: nDCG kept", scores.kept_first_letter));
    figures.push(named("brands of other shops replaced", scores.brands.share()));
    figures.push(named("words of other shops replaced", scores.foreign.share()));
    figures
}

/// The words that the index splits, a line each, with the stems of their parts.
pub(super) fn split_lines(language: &str, splits: &SplitSample) -> Vec<String> {
    let mut rows = vec![row(["Word", "modifier", "head", "products"])];
    rows.extend(splits.sample.iter().map(|split| {
        vec![split.word.clone(), split.modifier.clone(), split.head.clone(), split.products.to_string()]
    }));
    let mut lines =
        vec![format!("{language}: {} of {} long words are split; some of them:", splits.split, splits.words)];
    lines.extend(table(&rows));
    lines
}

fn interval(figure: &Gain) -> String {
    format!("{:.3} [{:.3}, {:.3}]", figure.mean, figure.low, figure.high)
}

/// A gain with its interval, signed.
pub(super) fn signed_interval(gain: &Gain) -> String {
    format!("{:+.3} [{:+.3}, {:+.3}]", gain.mean, gain.low, gain.high)
}

/// Change of a number in percent.
fn change(now: u64, before: u64) -> String {
    let percent = (now as f64 / before.max(1) as f64 - 1.0) * 100.0;
    format!("{percent:+.1} %")
}

fn arrows(pairs: &[(String, String)], most: usize) -> String {
    let shown: Vec<_> = pairs.iter().take(most).map(|(from, to)| format!("{from} → {to}")).collect();
    let more = pairs.len() - shown.len();
    let rest = if more > 0 { format!(", and {more} more") } else { String::new() };
    format!("{}{rest}", shown.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::judged::QueryScore;
    use crate::words::cost::IndexCost;
    use crate::words::judged::LanguageScores;
    use crate::words::pairs::{PairKind, PairScores};

    fn report(raw: f64, tokens: u64) -> WordsReport {
        let query = QueryScore { query: "jacke".to_owned(), raw, condensed: raw, has_hits: true };
        let pair = ("jacke".to_owned(), "winterjacke".to_owned());
        WordsReport {
            languages: vec![LanguageScores {
                language: "de".to_owned(),
                products: 3,
                queries: vec![query],
                without_hits: Vec::new(),
            }],
            pairs: vec![PairScores {
                language: "de".to_owned(),
                kind: PairKind::Compound,
                is_joined: true,
                pairs: 2,
                right: 1,
                wrong: vec![pair],
                excused: 0,
            }],
            costs: [("de".to_owned(), IndexCost { tokens, ..IndexCost::default() })].into(),
            ..WordsReport::default()
        }
    }

    #[test]
    fn a_report_alone_has_no_columns_of_before() {
        let lines = WordsTables { report: report(0.5, 100), before: None }.lines();
        assert_eq!(
            lines[0],
            "Language  products  queries  nDCG@10 raw           condensed             without hits"
        );
        assert_eq!(lines[1], "de        3         1        0.500 [0.500, 0.500]  0.500 [0.500, 0.500]  0");
        assert!(lines.contains(&"de compound  2        1      0.500  0".to_owned()), "{lines:#?}");
        assert!(lines.contains(&"wrong, de compound: jacke → winterjacke".to_owned()), "{lines:#?}");
        assert!(!lines.iter().any(|line| line.contains("before") || line.contains('%')), "{lines:#?}");
    }

    #[test]
    fn two_reports_stand_side_by_side() {
        let tables = WordsTables { report: report(0.75, 129), before: Some(report(0.5, 100)) };
        let lines = tables.lines();
        assert!(
            lines[1].ends_with("0.500       +0.250 [+0.250, +0.250]  +0.250 [+0.250, +0.250]"),
            "{lines:#?}"
        );
        assert!(lines.contains(&"de: jacke 0.50 → 0.75".to_owned()), "{lines:#?}");
        assert!(lines.iter().any(|line| line.starts_with("de    129 (+29.0 %)")), "{lines:#?}");
        let json = tables.to_json();
        assert_eq!(json["Gains"][0]["Raw"]["Mean"], 0.25);
        let again: WordsReport = serde_json::from_value(json).expect("a report");
        assert_eq!(again, tables.report, "floors and gains are passed over");
    }

    #[test]
    fn a_long_list_says_how_many_more_there_are() {
        let pairs = vec![("a".to_owned(), "b".to_owned()); 3];
        assert_eq!(arrows(&pairs, 2), "a → b, a → b, and 1 more");
        assert_eq!(arrows(&pairs, 3), "a → b, a → b, a → b");
        assert_eq!((change(129, 100).as_str(), change(5, 0).as_str()), ("+29.0 %", "+400.0 %"));
    }
}
