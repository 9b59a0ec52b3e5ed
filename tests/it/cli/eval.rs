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
    let last = &report["Steps"].as_array().expect("steps")[6];
    assert_eq!(last["WithoutHits"], 0, "every query finds something");
    // Each step of the ranking has a line, the base first.
    let steps: Vec<_> = report["Steps"].as_array().expect("steps").iter().map(|step| &step["Name"]).collect();
    assert_eq!((steps[0], steps[steps.len() - 1]), (&Value::from("base"), &Value::from("centroid")));
    let missed = Program::new().run("eval search --feed nothing.json --judgments nothing.csv");
    assert_eq!(missed.code, 2, "{}", missed.err);
}
