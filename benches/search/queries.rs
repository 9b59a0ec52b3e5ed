//! Queries answered per second of CPU, and the cost of each step of an answer.

use std::sync::Arc;

use lethe::search::engine::{SearchPolicy, SearchQuery};
use lethe::search::index::snapshot::IndexSnapshot;
use lethe::search::pricing::BuyerContext;
use lethe::search::query::facets::parse_facets;
use lethe::search::query::filters::Filters;
use lethe::search::query::options::Ranking;
use lethe::search::query::sort::Sort;
use lethe::search::rules::Rules;
use serde_json::{Value, json};

use super::bare::Bare;
use super::catalogue::Catalogue;
use super::per_cpu_second;
use crate::report::{Options, median};

/// The facets of the measured queries.
const FACETS: [&str; 3] = ["Brand", "Category", "Price"];
/// Completions of one kind, as the interface gives them.
const COMPLETIONS: usize = 5;
/// A moment in which the catalogue's offers hold, in seconds since 1970.
const NOW: i64 = 1_750_000_000;

/// Makes a rule for a query and a product.
type RuleOf = fn(&str, &str) -> Value;
const RULES: [(&str, RuleOf); 4] = [
    (
        "that begin with its words and do not act",
        |query, id| json!({"Query": format!("{query} zebra"), "Match": "contains", "Pin": [id]}),
    ),
    ("of which one pins", |query, id| json!({"Query": query, "Match": "exact", "Pin": [id]})),
    ("of which one boosts", |query, id| json!({"Query": query, "Match": "exact", "Boost": {"Ids": [id]}})),
    (
        "of which one boosts a brand",
        |query, _| json!({"Query": query, "Match": "exact", "Boost": {"Brand": ["HP"]}}),
    ),
];

/// A shop's index and how it is asked.
struct Asking<'a> {
    options: &'a Options,
    snapshot: &'a IndexSnapshot,
    caller: BuyerContext,
}

/// The promised figures next to bare loops, then a line for each step. `is_small` marks the size that has targets of
/// its own.
pub fn measure(
    options: &Options,
    catalogue: &Catalogue,
    snapshot: &IndexSnapshot,
    bare: &Bare,
    is_small: bool,
) {
    let caller = BuyerContext { currency: Some(*b"EUR"), now: NOW, ..BuyerContext::default() };
    let asking = Asking { options, snapshot, caller };
    let queries = &catalogue.queries;
    let target = |small: &'static str, large: &'static str| if is_small { small } else { large };
    let plain = asking.requests(queries, &SearchQuery::default());
    asking.beside("plain", &plain, queries, &|query| bare.search(query), target(" (target 3,500)", ""));
    let counted = SearchQuery { facets: asking.facets(&FACETS), ..SearchQuery::default() };
    let counted = asking.requests(queries, &counted);
    let target_of_facets = target(" (target 1,500)", "");
    asking.beside(
        "with three facets",
        &counted,
        queries,
        &|query| bare.search_with_facets(query),
        target_of_facets,
    );
    asking.completion(&catalogue.prefixes(), bare);
    asking.steps(catalogue);
}

impl Asking<'_> {
    fn requests(&self, queries: &[String], like: &SearchQuery) -> Vec<SearchQuery> {
        queries.iter().map(|query| SearchQuery { query: query.clone(), ..like.clone() }).collect()
    }

    fn facets(&self, names: &[&str]) -> Vec<lethe::search::query::product_property::ProductProperty> {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        parse_facets(&names, self.snapshot.knowledge().columns()).expect("facets")
    }

    fn run_query(&self, request: &SearchQuery) {
        let answer = self.snapshot.search(request, &self.caller).expect("an answer");
        std::hint::black_box(answer.items.iter().map(|item| item.card.len()).sum::<usize>());
    }

    fn rate(&self, requests: &[SearchQuery]) -> f64 {
        per_cpu_second(requests, self.options.length / 5, &|request| self.run_query(request))
    }

    /// The rates of the search and of a bare loop, in turn.
    fn beside(
        &self,
        name: &str,
        requests: &[SearchQuery],
        queries: &[String],
        bare: &dyn Fn(&str) -> usize,
        target: &str,
    ) {
        let mut ours = Vec::new();
        let mut bares = Vec::new();
        for _ in 0..self.options.rounds {
            ours.push(self.rate(requests));
            let length = self.options.length / 5;
            bares.push(per_cpu_second(queries, length, &|query| {
                std::hint::black_box(bare(query));
            }));
        }
        print(name, median(ours), target, median(bares));
    }

    fn completion(&self, prefixes: &[String], bare: &Bare) {
        let mut ours = Vec::new();
        let mut bares = Vec::new();
        for _ in 0..self.options.rounds {
            let length = self.options.length / 5;
            ours.push(per_cpu_second(prefixes, length, &|prefix| {
                let completed = self
                    .snapshot
                    .complete((prefix, &[]), COMPLETIONS, SearchPolicy::default(), &self.caller)
                    .expect("completed");
                std::hint::black_box(completed.1.len());
            }));
            bares.push(per_cpu_second(prefixes, length, &|prefix| {
                std::hint::black_box(bare.complete(prefix));
            }));
        }
        print("completion", median(ours), " (target 10,000)", median(bares));
    }

    /// Cost of each step: of the ranking, each over the one before; then of the further parts of an answer, each over
    /// the whole ranking.
    fn steps(&self, catalogue: &Catalogue) {
        println!("  microseconds a query                            more");
        let queries = &catalogue.queries;
        let mut before = 0.0;
        for (name, ranking) in Ranking::STEPS {
            let like = SearchQuery { ranking, correct: false, ..SearchQuery::default() };
            before = self.step(name, &self.requests(queries, &like), before);
        }
        let all = self.step("correction", &self.requests(queries, &SearchQuery::default()), before);
        let mistyped = self.requests(&catalogue.mistyped(), &SearchQuery::default());
        self.step("correction of mistyped queries", &mistyped, all);
        for (name, like) in self.besides() {
            self.step(name, &self.requests(queries, &like), all);
        }
        let plain = self.requests(queries, &SearchQuery::default());
        for (name, of_query) in RULES {
            let rules = Some(self.rules(queries, of_query));
            let like = SearchQuery { rules, ..SearchQuery::default() };
            self.in_turn(&format!("1,000 rules {name}"), &self.requests(queries, &like), &plain);
        }
    }

    /// 1,000 rules, one for each query, that name a product of its answer.
    fn rules(&self, queries: &[String], of_query: RuleOf) -> Arc<Rules> {
        let rule = |(number, query): (usize, &String)| {
            let request = SearchQuery { query: query.clone(), ..SearchQuery::default() };
            let answer = self.snapshot.search(&request, &self.caller).expect("an answer");
            let id = answer.items.last().map_or("nothing", |item| &item.id);
            // One rule for a query; the others begin like it.
            let other = format!("{query} {number}");
            let mut rule = of_query(if number < queries.len() { query } else { &other }, id);
            rule["Id"] = number.to_string().into();
            serde_json::from_value(rule).expect("a rule")
        };
        let rules = queries.iter().cycle().take(1_000).enumerate().map(rule).collect();
        Arc::new(Rules::new(rules, self.snapshot.knowledge().analyser()))
    }

    fn besides(&self) -> Vec<(&'static str, SearchQuery)> {
        let columns = self.snapshot.knowledge().columns();
        let filters = |wanted: Value| Filters::parse(&wanted, columns).expect("filters");
        let sort = |name: &str| Sort::parse(name, columns, true).expect("an order");
        let with = SearchQuery::default;
        vec![
            (
                "filter by brand",
                SearchQuery { filters: filters(json!({"Brand": ["HP", "Lenovo"]})), ..with() },
            ),
            (
                "filter by price",
                SearchQuery { filters: filters(json!({"Price": {"From": 10, "To": 50}})), ..with() },
            ),
            ("filter by stock", SearchQuery { filters: filters(json!({"InStock": true})), ..with() }),
            ("facet of brands", SearchQuery { facets: self.facets(&FACETS[..1]), ..with() }),
            ("facets of brands and categories", SearchQuery { facets: self.facets(&FACETS[..2]), ..with() }),
            (
                "facets of brands, categories and prices",
                SearchQuery { facets: self.facets(&FACETS), ..with() },
            ),
            ("sorted by price", SearchQuery { sort: sort("price"), ..with() }),
            ("sorted by newest", SearchQuery { sort: sort("newest"), ..with() }),
            ("sorted by title", SearchQuery { sort: sort("title"), ..with() }),
            ("sorted by attribute", SearchQuery { sort: sort("Attributes.Specs"), ..with() }),
            ("highlights", SearchQuery { highlight: true, ..with() }),
            ("page 20", SearchQuery { page: 20, ..with() }),
        ]
    }

    /// Prints the extra cost of queries over others, which run in turn with them: a difference of a few percent is
    /// lost in the noise of a shared machine between two steps.
    fn in_turn(&self, name: &str, requests: &[SearchQuery], others: &[SearchQuery]) {
        let shares = (0..2 * self.options.rounds).map(|_| self.rate(others) / self.rate(requests));
        println!("    {name:<56} {:+6.1} %", 100.0 * (median(shares.collect()) - 1.0));
    }

    /// Prints the cost of a query, and its excess over `before`; returns the cost.
    fn step(&self, name: &str, requests: &[SearchQuery], before: f64) -> f64 {
        let rates = (0..self.options.rounds).map(|_| self.rate(requests)).collect();
        let micros = 1e6 / median(rates);
        let more = if before > 0.0 { format!("{:+9.1}", micros - before) } else { String::new() };
        println!("    {name:<40} {micros:>8.1} {more}");
        micros
    }
}

fn print(name: &str, ours: f64, target: &str, bare: f64) {
    println!(
        "  {name}: lethe {ours:.0}/s{target}, bare loop {bare:.0}/s: {:.0} % (target 40 %)",
        100.0 * ours / bare
    );
}
