//! The dashboard and the alert rules of the program use only metrics that a server has.

use std::collections::{BTreeMap, BTreeSet};

use lethe::jobs::Lane;
use serde_json::{Value, json};

use crate::support::world::{World, on_both_engines};

on_both_engines! {
    every_expression_asks_for_what_is_told
    every_metric_says_what_it_is
}

const DASHBOARD: &str = include_str!("../../../packaging/monitoring/grafana.json");
const ALERTS: &str = include_str!("../../../packaging/monitoring/alerts.yml");

/// All expressions, of panels and of alerts.
fn expressions() -> Vec<String> {
    let dashboard: Value = serde_json::from_str(DASHBOARD).expect("JSON");
    let panels = dashboard["panels"].as_array().expect("panels").iter();
    let targets = panels.flat_map(|panel| panel["targets"].as_array().expect("targets"));
    let of_panels = targets.map(|target| target["expr"].as_str().expect("an expression").to_owned());
    let of_alerts = ALERTS.lines().filter_map(|line| line.trim().strip_prefix("expr: ")).map(str::to_owned);
    of_panels.chain(of_alerts).collect()
}

/// The metrics of an expression, each with the labels that stand in its braces.
fn metrics(expression: &str) -> Vec<(String, Vec<String>)> {
    let is_word = |sign: char| sign.is_ascii_alphanumeric() || sign == '_';
    let mut all = Vec::new();
    for (at, _) in expression.match_indices("lethe_") {
        let rest = &expression[at..];
        let end = rest.find(|sign| !is_word(sign)).unwrap_or(rest.len());
        let braces = rest[end..].strip_prefix('{').and_then(|rest| rest.split_once('}'));
        let labels = braces.map_or_else(Vec::new, |(inner, _)| {
            let each = inner.split(',').map(|pair| pair.split(['=', '!', '~']).next().unwrap_or_default());
            each.map(str::to_owned).collect()
        });
        all.push((rest[..end].to_owned(), labels));
    }
    all
}

/// Metrics of a scrape, each with its labels.
fn parse_scrape(scrape: &str) -> BTreeMap<String, BTreeSet<String>> {
    let mut all = BTreeMap::<_, BTreeSet<_>>::new();
    for line in scrape.lines().filter(|line| !line.starts_with('#')) {
        let end = line.find(['{', ' ']).unwrap_or(line.len());
        let labels = all.entry(line[..end].to_owned()).or_default();
        let inner = line[end..].strip_prefix('{').and_then(|rest| rest.split_once('}'));
        let pairs = inner.map_or("", |(inner, _)| inner).split("\",");
        labels.extend(pairs.filter_map(|pair| Some(pair.split_once('=')?.0.to_owned())));
    }
    all
}

async fn every_expression_asks_for_what_is_told(world: World) {
    drop(lethe::telemetry::metrics());
    let shop = world.shop("shop").await;
    world.shop("another").await;
    world.control("/control/account/quota", json!({"Name": "shop", "Quota": "1GB"})).await;
    world.delta(&shop, json!({"Users": [{"UserId": "u1"}]})).await;
    world.run_all_jobs().await;
    world.ask(&shop, "/api/user/forget", json!({"Identifier": "userid:u1"})).await;
    while world.run_jobs(Lane::ERASE).await > 0 {}
    let event = json!({"Name": "product_view", "Product": "none", "VisitorId": "a-visitor-of-the-test"});
    world.ask(&shop, "/api/events", json!({"Events": [event]})).await;
    let zones = json!({"appId": shop.key, "secretKey": shop.secret, "zones": [{"id": "nowhere"}]});
    world.post("/api/serverside", &zones).await;

    let told = parse_scrape(&world.get("/metrics").await.text);
    let expressions = expressions();
    assert!(expressions.len() > 20, "{expressions:?}");
    let manual = include_str!("../../../docs/operating.md");
    for expression in &expressions {
        let asked = metrics(expression);
        assert!(!asked.is_empty(), "{expression}");
        let grouped = expression.split("by (").skip(1).filter_map(|rest| rest.split(')').next());
        for (name, mut labels) in asked {
            assert!(manual.contains(&format!("`{name}")), "{name}");
            let known = told.get(&name).unwrap_or_else(|| panic!("{name} is not told: {expression}"));
            labels.extend(grouped.clone().map(str::to_owned));
            for label in labels {
                assert!(known.contains(&label), "{name} has no {label}, only {known:?}: {expression}");
            }
        }
    }
}

/// As `promtool check metrics` wants it.
async fn every_metric_says_what_it_is(world: World) {
    drop(lethe::telemetry::metrics());
    let shop = world.shop("shop").await;
    world.control("/control/account/quota", json!({"Name": "shop", "Quota": "1GB"})).await;
    world.delta(&shop, json!({"Users": [{"UserId": "u1"}]})).await;
    world.get("/metrics").await;
    let scrape = world.get("/metrics").await.text;
    let said = |head: &str| -> BTreeSet<String> {
        let lines = scrape.lines().filter_map(|line| line.strip_prefix(head)?.split_once(' '));
        lines.filter(|(_, says)| !says.trim().is_empty()).map(|(name, _)| name.to_owned()).collect()
    };
    let names: BTreeSet<String> = parse_scrape(&scrape).into_keys().filter(|name| !name.is_empty()).collect();
    assert!(names.len() >= 30, "{names:?}");
    assert_eq!((&said("# HELP "), &said("# TYPE ")), (&names, &names));
    let twice = scrape.lines().filter(|line| line.starts_with("# ")).count();
    assert_eq!(twice, 2 * names.len(), "each once");
}
