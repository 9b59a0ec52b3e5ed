//! `lethe-eval leave-one-shop-out`: how good the recommender's weights are for a shop that they were not fitted on.

use std::num::NonZero;

use lethe::cli::{CliFault, print_line, row, table};
use lethe::recommend::session_score::{SIGNAL_COUNT, SignalWeight, SignalWeights};
use serde_json::{Map, Value, json};

use super::recommend::{available_threads, read_text};
use crate::recommend::leave_one_shop_out::{
    LeaveOneShopOut, LeaveOneShopOutFault, LeaveOneShopOutOptions, LeftOutShop, ShopSessions,
    leave_one_shop_out,
};
use crate::recommend::{ProtocolScores, RecommenderQuality, read_sessions};

/// Signals in the order of their weights.
const SIGNAL_NAMES: [&str; SIGNAL_COUNT] = [
    "Alike",
    "Next",
    "TwoAfter",
    "TwoBefore",
    "AfterPair",
    "Clicks",
    "PlaceNewest",
    "PlaceSecond",
    "PlaceThird",
    "PlaceFourth",
    "PlaceOlder",
    "Times",
    "Twice",
    "Repeats",
];

/// The fits, and their data.
#[derive(clap::Args)]
#[command(after_help = "\
The default recommender has one set of weights for every shop. Are they good for a shop that nobody has seen? Each shop
is left out once: weights are fitted on the sessions of all others and measured on this one, beside weights that were
fitted on all shops (on the measured cases too), the shipped ones, and VMIS-kNN, which has none. If the weights of the others are about as good as
the shipped ones, the shipped ones will do for a new shop; if they lose to VMIS-kNN, they fit the shops that they came from alone.

A file has a session a line, the oldest first: ids of items with spaces between, in the order of the clicks. The last
sessions of each are cases: each prefix of one asks for the next click. The others are the history. A fit makes
the next clicks of its cases likely among the candidates, repeats allowed; it starts without knowing any shop, and
shops with many cases say no more than those with few. Figures are HitRate@20 / MRR@20 in percent: how often the next
item is among the first twenty, and the mean of 1 / its rank; once without the newest item, once with it. All cases
count. docs/recommender.md explains the signals.

Examples:
  lethe-eval leave-one-shop-out --train shoes.txt.gz --train lamps.txt.gz --train books.txt.gz
  lethe-eval leave-one-shop-out --train shoes.txt --train lamps.txt --cut 5 --cases 20000 --weights
  lethe-eval leave-one-shop-out --train shoes.txt --train lamps.txt --json > left-out.json")]
pub struct Options {
    /// The sessions of a shop: a file, a URL, or - for standard input; plain, gzip or zstd (give two or more)
    #[arg(long, value_name = "FILE", required = true)]
    train: Vec<String>,
    /// Percentage of each shop's sessions to fit on and to measure, the last ones; they are not in the history
    #[arg(long, value_name = "PERCENT", default_value_t = 10, value_parser = clap::value_parser!(u8).range(1..=50))]
    cut: u8,
    /// Most cases of a shop to fit on and to measure, spread evenly over all; 5,000 take about 150 MB a shop
    #[arg(long, value_name = "NUMBER", default_value = "5000")]
    cases: NonZero<usize>,
    /// Passes of a fit over its cases: more take longer and change little
    #[arg(long, value_name = "NUMBER", default_value_t = 20, value_parser = clap::value_parser!(u16).range(1..=1000))]
    passes: u16,
    /// Print the fitted weights too, in thousandths; --json always has them
    #[arg(long)]
    weights: bool,
    /// Threads; the figures are the same for any number [default: those of the machine]
    #[arg(long, value_name = "NUMBER")]
    threads: Option<NonZero<usize>>,
}

/// Fits, measures and prints.
///
/// # Errors
/// When a file cannot be read, there are fewer than two, or one has nothing to learn from, to fit on or to measure.
pub(super) async fn run(options: Options, json: bool) -> Result<(), CliFault> {
    if let Some(twice) = find_duplicate(&options.train.iter().map(resolve).collect::<Vec<_>>()) {
        return Err(CliFault::Usage(format!("{twice} is given twice: give the file of each shop once")));
    }
    if options.train.len() < 2 {
        return Err(CliFault::Usage(LeaveOneShopOutFault::OneShop.to_string()));
    }
    let mut shops = Vec::new();
    for (file, name) in options.train.iter().zip(name_shops(&options.train)) {
        let sessions = read_sessions(&read_text(file).await?);
        shops.push(ShopSessions { name, sessions });
    }
    let extent = LeaveOneShopOutOptions {
        cut: options.cut.into(),
        cases: options.cases.get(),
        passes: options.passes.into(),
        threads: options.threads.unwrap_or_else(available_threads),
    };
    let measuring = tokio::task::spawn_blocking(move || leave_one_shop_out(shops, extent));
    let report = measuring.await.map_err(|_| CliFault::Failed("the measuring broke off".to_owned()))?;
    let report = report.map_err(|fault| CliFault::Failed(fault.to_string()))?;
    if json {
        print_line(to_json(&report));
    } else {
        format_lines(&report, options.weights).iter().for_each(print_line);
    }
    Ok(())
}

/// The one path of a file, however it was written.
fn resolve(file: &String) -> String {
    std::fs::canonicalize(file).map_or_else(|_| file.clone(), |path| path.display().to_string())
}

fn find_duplicate(files: &[String]) -> Option<&String> {
    files.iter().enumerate().find(|(place, file)| files[..*place].contains(file)).map(|(_, file)| file)
}

/// Names of the shops: their files without folders and endings, or as given if that is not one name each.
fn name_shops(files: &[String]) -> Vec<String> {
    let short = |file: &String| {
        let name = file.rsplit('/').next().unwrap_or(file);
        name.split('.').next().unwrap_or(name).to_owned()
    };
    let names: Vec<String> = files.iter().map(short).collect();
    if find_duplicate(&names).is_some() || names.iter().any(String::is_empty) {
        files.to_vec()
    } else {
        names
    }
}

/// Figures of a recommender under a protocol.
#[derive(Clone, Copy)]
struct Figures {
    hit_rate: f64,
    mrr: f64,
}

impl Figures {
    fn of_protocol(scores: &ProtocolScores) -> Self {
        Self { hit_rate: round(scores.hit_rate()), mrr: round(scores.mrr()) }
    }

    fn difference(self, other: Self) -> Self {
        Self { hit_rate: round(self.hit_rate - other.hit_rate), mrr: round(self.mrr - other.mrr) }
    }

    fn to_json(self) -> Value {
        json!({"HitRate20": self.hit_rate, "Mrr20": self.mrr})
    }
}

fn round(percent: f64) -> f64 {
    // Not -0.
    (percent * 100.0).round() / 100.0 + 0.0
}

/// The protocols in the order of the table.
const PROTOCOLS: [Protocol; 2] = [
    Protocol { name: "LastItemExcluded", says: "left out", scores: |quality| &quality.last_excluded },
    Protocol { name: "RepeatsAllowed", says: "allowed", scores: |quality| &quality.repeats_allowed },
];

/// A protocol: its name in JSON, what the table says of the newest item, and its scores.
struct Protocol {
    name: &'static str,
    says: &'static str,
    scores: fn(&RecommenderQuality) -> &ProtocolScores,
}

/// Figures of a shop under a protocol.
struct LeftOutFigures {
    on_others: Figures,
    on_all: Figures,
    shipped: Figures,
    vmis_knn: Figures,
}

impl LeftOutFigures {
    fn of_shop(shop: &LeftOutShop, protocol: &Protocol) -> Self {
        let figures = |quality| Figures::of_protocol((protocol.scores)(quality));
        Self {
            on_others: figures(&shop.fitted_on_others),
            on_all: figures(&shop.fitted_on_all),
            shipped: figures(&shop.shipped),
            vmis_knn: figures(&shop.vmis_knn),
        }
    }

    fn minus_shipped(&self) -> Figures {
        self.on_others.difference(self.shipped)
    }

    fn minus_vmis_knn(&self) -> Figures {
        self.on_others.difference(self.vmis_knn)
    }
}

fn to_json(report: &LeaveOneShopOut) -> Value {
    let shop_to_json = |shop: &LeftOutShop| {
        let mut object = Map::new();
        object.insert("Shop".to_owned(), shop.name.as_str().into());
        object.insert("Sessions".to_owned(), shop.sessions.into());
        object.insert("Cases".to_owned(), shop.cases.into());
        object.insert("FitCases".to_owned(), shop.fit_cases.into());
        for protocol in &PROTOCOLS {
            let figures = LeftOutFigures::of_shop(shop, protocol);
            let value = json!({
                "FittedOnOthers": figures.on_others.to_json(),
                "FittedOnAll": figures.on_all.to_json(),
                "Shipped": figures.shipped.to_json(),
                "VmisKnn": figures.vmis_knn.to_json(),
                "OthersMinusShipped": figures.minus_shipped().to_json(),
                "OthersMinusVmisKnn": figures.minus_vmis_knn().to_json(),
            });
            object.insert(protocol.name.to_owned(), value);
        }
        object.insert("WeightsOfOthers".to_owned(), weights_to_json(&shop.weights));
        Value::Object(object)
    };
    let shops: Vec<Value> = report.shops.iter().map(shop_to_json).collect();
    json!({"Shops": shops, "WeightsOfAll": weights_to_json(&report.weights_of_all),
           "WeightsOfShipped": weights_to_json(&SignalWeights::SHIPPED)})
}

fn weights_to_json(weights: &SignalWeights) -> Value {
    let weight_to_json = |(name, weight): (&str, &SignalWeight)| {
        json!({"Signal": name, "Base": weight.base, "Popular": weight.popular, "Long": weight.long,
               "Repeating": weight.repeating})
    };
    SIGNAL_NAMES.into_iter().zip(&weights.0).map(weight_to_json).collect()
}

fn format_lines(report: &LeaveOneShopOut, has_weights: bool) -> Vec<String> {
    let mut lines = vec!["HitRate@20 / MRR@20 in percent".to_owned()];
    let mut rows = vec![row([
        "Shop left out",
        "cases",
        "newest item",
        "fitted on others",
        "fitted on all",
        "shipped",
        "VmisKnn",
        "others - shipped",
        "others - VmisKnn",
    ])];
    let cell = |figures: Figures| format!("{:.2} / {:.2}", figures.hit_rate, figures.mrr);
    let signed = |figures: Figures| format!("{:+.2} / {:+.2}", figures.hit_rate, figures.mrr);
    for shop in &report.shops {
        for protocol in &PROTOCOLS {
            let figures = LeftOutFigures::of_shop(shop, protocol);
            let mut cells = vec![shop.name.clone(), shop.cases.to_string(), protocol.says.to_owned()];
            cells.extend([figures.on_others, figures.on_all, figures.shipped, figures.vmis_knn].map(cell));
            cells.extend([figures.minus_shipped(), figures.minus_vmis_knn()].map(signed));
            rows.push(cells);
        }
    }
    lines.extend(table(&rows));
    if has_weights {
        for shop in &report.shops {
            lines.extend(weight_lines(&format!("Fitted on all but {}", shop.name), &shop.weights));
        }
        lines.extend(weight_lines("Fitted on all", &report.weights_of_all));
        lines.extend(weight_lines("Shipped", &SignalWeights::SHIPPED));
    }
    lines
}

fn weight_lines(title: &str, weights: &SignalWeights) -> Vec<String> {
    let mut rows = vec![row([title, "base", "popular", "long", "repeating"])];
    for (name, weight) in SIGNAL_NAMES.into_iter().zip(&weights.0) {
        let mut cells = vec![name.to_owned()];
        let parts = [weight.base, weight.popular, weight.long, weight.repeating];
        cells.extend(parts.map(|part| part.to_string()));
        rows.push(cells);
    }
    let mut lines = vec![String::new()];
    lines.extend(table(&rows));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shop_has_the_name_of_its_file_unless_two_have_it() {
        let names =
            |files: &[&str]| name_shops(&files.iter().map(|file| (*file).to_owned()).collect::<Vec<_>>());
        assert_eq!(names(&["data/shoes.txt.gz", "-", "lamps"]), ["shoes", "-", "lamps"]);
        assert_eq!(names(&["a/train.txt", "b/train.txt"]), ["a/train.txt", "b/train.txt"]);
        assert_eq!(names(&["a/.txt", "b"]), ["a/.txt", "b"]);
    }
}
