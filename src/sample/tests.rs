//! The sample feed matches its description.

use super::*;
use crate::feeds::testing::import;

fn feed(shop: &SampleShop) -> Vec<u8> {
    let mut out = Vec::new();
    write_feed(&mut out, shop).expect("memory takes everything");
    out
}

#[test]
fn the_same_seed_gives_the_same_feed_and_another_seed_another() {
    let shop = SampleShop { products: 50, people: 5, errors: true, ..SampleShop::default() };
    assert_eq!(feed(&shop), feed(&shop));
    assert_ne!(feed(&shop), feed(&SampleShop { seed: 2, ..shop }));
}

#[test]
fn a_product_has_about_760_bytes() {
    let shop = SampleShop::default();
    let bytes: usize = (1..=2_000).map(|number| product(&shop, number).len()).sum();
    assert!((740..=780).contains(&(bytes / 2_000)), "{}", bytes / 2_000);
}

#[test]
fn a_feed_without_mistakes_has_no_issues_and_one_with_them_has_all_of_them() {
    let shop = SampleShop { products: 400, people: 30, ..SampleShop::default() };
    let clean = import(feed(&shop).as_slice()).expect("a feed");
    assert!(clean.issues.is_empty(), "{:?}", clean.issues);
    let wrong = import(feed(&SampleShop { errors: true, ..shop }).as_slice()).expect("a feed");
    let mut found: Vec<_> = wrong.issues.iter().map(|issue| issue.code.as_str()).collect();
    // Found when rows are sorted, and when ids and addresses get their normal form.
    found.extend(["duplicate_id", "user_unidentified", "email_malformed"]);
    for code in EXPECTED_ISSUES {
        assert!(found.contains(code), "{code} is missing from {found:?}");
    }
    // The rows with warnings only, and the user that is no person.
    assert_eq!(wrong.rows.len(), clean.rows.len() + 6);
}

#[test]
fn a_person_is_found_by_the_address_of_its_profile() {
    let shop = SampleShop::default();
    assert!(person(&shop, 7).contains(&format!("\"Email\":\"{}\"", email(&shop, 7))));
}
