//! The references of erasures in the console: typed with the request, shown, searched for, changed.

use serde_json::json;

use crate::support::console::Browser;
use crate::support::world::{World, on_both_engines};

on_both_engines! {
    an_officer_finds_an_erasure_by_the_reference_of_the_case
}

async fn an_officer_finds_an_erasure_by_the_reference_of_the_case(world: World) {
    let shop = world.shop("shop").await;
    world.apply_delta(&shop, json!({"Users": [{"UserId": "canary-7"}]})).await;
    let officer = Browser::sign_in_as(&world, "Officer", "privacy-officer", &[&shop]).await;
    let person = officer.find(&shop, "userid:canary-7").await;
    let forget = format!("{person}/forget");
    let confirmed = ("confirmation", "userid:canary-7");
    for (reference, sentence) in [
        ("case canary-7", "the identifier of the person must not stand in it"),
        ("a@b", "an email address must not stand in it"),
        ("a;b", "Use letters, digits, blanks"),
    ] {
        let refused = officer.send_form(&forget, &[confirmed, ("reference", reference)]).await;
        assert_eq!(refused.status, 422, "{reference}");
        assert!(refused.text.contains(sentence), "{reference}: {}", refused.text);
        assert!(refused.text.contains(&format!("value=\"{reference}\"")), "{}", refused.text);
    }
    let forgotten = officer.send_form(&forget, &[confirmed, ("reference", "CASE-88.1")]).await;
    assert_eq!(forgotten.status, 303, "{}", forgotten.text);
    let erasure = forgotten.header("location").to_owned();
    world.run_all_jobs().await;
    assert!(officer.page(&erasure).await.contains("<h1>Erasure CASE-88.1</h1>"));
    let found = officer.page("/shops/shop/erasures?reference=case-88").await;
    assert!(found.contains(&erasure) && found.contains("<td>CASE-88.1</td>"), "{found}");
    let none = officer.page("/shops/shop/erasures?reference=CASE-99").await;
    assert!(!none.contains(&erasure) && none.contains("No erasure has this reference."), "{none}");
    let table = officer.get("/shops/shop/erasures?csv").await.text;
    assert!(table.starts_with("Number,Erasure,Reference,") && table.contains(",CASE-88.1,"), "{table}");
    let letter = officer.get(&format!("{erasure}/letter?file&language=de")).await.text;
    assert!(letter.contains("unter dem Aktenzeichen CASE-88.1."), "{letter}");

    let change = format!("{erasure}/reference");
    let refused = officer.send_form(&change, &[("reference", "a@b")]).await;
    assert_eq!(refused.status, 422);
    assert!(refused.text.contains("an email address must not stand in it"), "{}", refused.text);
    for reference in ["A-7, B.8", ""] {
        let changed = officer.send_form(&change, &[("reference", reference)]).await;
        assert_eq!((changed.status, changed.header("location")), (303, erasure.as_str()), "{}", changed.text);
        let shown = officer.page(&erasure).await;
        assert!(shown.contains(&format!("value=\"{reference}\"")) && !shown.contains("CASE-88"), "{shown}");
    }
    let viewer = Browser::sign_in_as(&world, "Viewer", "viewer", &[&shop]).await;
    assert!(!viewer.page(&erasure).await.contains("name=\"reference\""));
    assert_eq!(viewer.send_form(&change, &[("reference", "X-1")]).await.status, 403);
    let acts = world.control("/control/operator/acts", json!({})).await.to_string();
    assert!(acts.contains("erasure-reference-set") && !acts.contains("B.8"), "{acts}");
    assert!(!acts.contains("CASE-88"), "{acts}");
}
