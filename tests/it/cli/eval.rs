//! `lethe eval search` reaches its floors on the electronics catalogue.

use serde_json::Value;

use super::program::Program;

#[test]
fn the_search_reaches_its_floors() {
    let Some(data) = crate::world::shared("data") else { return };
    let words = format!(
        "--json eval search --feed {0}/electronics-products.json.gz --judgments {0}/electronics-judgments.csv --typos \
         --known-items --completion --floors",
        data.display()
    );
    let ended = Program::new().run(&words);
    assert_eq!(ended.code, 0, "{}", ended.err);
    let report = ended.json();
    let floors = report["Floors"].as_array().expect("floors");
    assert_eq!(floors.len(), 9, "{report}");
    assert!(floors.iter().all(|floor| floor["Reached"] == true), "{report}");
    let steps = report["Steps"].as_array().expect("steps");
    assert_eq!(steps[steps.len() - 1]["WithoutHits"], 0, "every query finds something");
    // Each step of the ranking has a line, the base first.
    let names: Vec<_> = steps.iter().map(|step| &step["Name"]).collect();
    assert_eq!((names[0], names[names.len() - 1]), (&Value::from("base"), &Value::from("stock, newness")));
    // This catalogue says nothing of stock and days: what they gain must not change a thing.
    assert_eq!(steps[7]["Raw"], steps[6]["Raw"]);
    let missed = Program::new().run("eval search --feed nothing.json --judgments nothing.csv");
    assert_eq!(missed.code, 2, "{}", missed.err);
}
