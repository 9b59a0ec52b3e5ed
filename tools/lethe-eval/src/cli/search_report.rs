//! Measurements of a search, for people and as JSON.

use lethe::cli::{row, table};
use serde_json::{Value, json};

use super::floors::floor_lines;
use super::words_report::signed_interval;
use crate::search::judged::AblationRow;
use crate::search::report::Evaluation;

/// Measurements that are shown on request.
#[derive(clap::Args, Clone, Copy)]
pub(super) struct ReportDetails {
    /// Show also how much of the quality is left of each kind of typing error
    #[arg(long)]
    typos: bool,
    /// Show also how many products were asked for by their number, or by a measure written in another way
    #[arg(long)]
    known_items: bool,
    /// Show also how soon the judged queries are offered while they are typed
    #[arg(long)]
    completion: bool,
}

/// Measurements, and which of them are shown.
pub(super) struct SearchEvalReport {
    pub(super) products: usize,
    pub(super) queries: usize,
    pub(super) evaluation: Evaluation,
    pub(super) details: ReportDetails,
}

impl SearchEvalReport {
    pub(super) fn to_json(&self) -> Value {
        let step = |line: &AblationRow| {
            json!({"Name": line.name, "Raw": line.raw, "Condensed": line.condensed,
                   "RawGain": line.raw_gain, "CondensedGain": line.condensed_gain,
                   "WithoutHits": line.empty})
        };
        let Evaluation { judged, typos, known_items, completion } = &self.evaluation;
        let mut report = json!({
            "Products": self.products,
            "Queries": self.queries,
            "Steps": judged.iter().map(step).collect::<Vec<_>>(),
            "Floors": self.evaluation.floors(),
        });
        if self.details.typos {
            let kinds = typos.typos.by_kind.iter();
            let kinds: Vec<_> = kinds
                .map(|(kind, share)| json!({"Kind": format!("{kind:?}"), "Kept": share.retained_share()}))
                .collect();
            report["Typos"] = json!({"Kept": typos.typos.all.retained_share(), "Kinds": kinds, "Clean": typos.clean,
                "CleanChanged": typos.clean_changed.len(), "ForeignWords": typos.foreign.words,
                "ForeignReplaced": typos.foreign.share()});
        }
        if self.details.known_items {
            report["KnownItems"] = json!({"Measures": known_items.units, "MeasuresInTen": known_items.units_in_ten,
                "Numbers": known_items.skus, "NumbersFirst": known_items.sku_first});
        }
        if self.details.completion {
            let at = |letters, rank| json!({"Letters": letters, "Mrr5": rank});
            let lines = completion.iter().map(|completed| at(completed.letters, completed.reciprocal_rank));
            report["Completion"] = lines.collect();
        }
        report
    }

    pub(super) fn lines(&self) -> Vec<String> {
        let mut lines = vec![format!("{} products, {} judged queries", self.products, self.queries)];
        let mut rows =
            vec![row(["Step", "nDCG@10 raw", "condensed", "gain raw", "gain condensed", "without hits"])];
        rows.extend(self.evaluation.judged.iter().map(|line| {
            vec![
                line.name.to_owned(),
                format!("{:.3}", line.raw),
                format!("{:.3}", line.condensed),
                signed_interval(&line.raw_gain),
                signed_interval(&line.condensed_gain),
                line.empty.to_string(),
            ]
        }));
        lines.extend(table(&rows));
        lines.push(String::new());
        lines.extend(self.details());
        lines.extend(floor_lines(&self.evaluation.floors()));
        lines
    }

    /// Further details that the options ask for.
    fn details(&self) -> Vec<String> {
        let Evaluation { typos, known_items, completion, .. } = &self.evaluation;
        let mut lines = Vec::new();
        if self.details.typos {
            let kinds = typos.typos.by_kind.iter();
            lines.extend(
                kinds.map(|(kind, share)| {
                    format!("typing error {kind:?}: {:.3} kept", share.retained_share())
                }),
            );
        }
        if self.details.known_items {
            let measures = known_items.units;
            let numbers = known_items.skus;
            lines.push(format!(
                "asked for by a measure in another form: {measures}; by their number: {numbers}"
            ));
        }
        if self.details.completion {
            lines.extend(completion.iter().map(|completed| {
                format!("completion at {} letters: MRR@5 {:.3}", completed.letters, completed.reciprocal_rank)
            }));
        }
        if !lines.is_empty() {
            lines.push(String::new());
        }
        lines
    }
}
