//! The sample feed matches its description.

use aws_lc_rs::digest::{SHA256, digest};
use lethe_verify::hex;

use super::*;
use crate::feeds::testing::import;

fn feed(shop: &SampleShop) -> Vec<u8> {
    let mut out = Vec::new();
    write_feed(&mut out, shop).expect("memory takes everything");
    out
}

/// Digest of what is written: another program that follows the description gets the same.
pub(super) fn digest_of(written: &[u8]) -> String {
    hex::encode(digest(&SHA256, written).as_ref())
}

#[test]
fn a_feed_is_the_same_in_every_build() {
    let shop = SampleShop { products: 40, people: 3, errors: true, ..SampleShop::default() };
    let made = feed(&shop);
    assert_eq!(
        (made.len(), digest_of(&made).as_str()),
        (37450, "87ec411a28dbf44e58e8bd809a9b44b51de91f018aa7e8533358f2c41cdb84c1")
    );
    let tail = ",\n{\"UserId\":\"guest\"},\n{\"UserId\":\"U-broken\",\"Email\":\"no address\"}]}\n";
    assert!(made.ends_with(tail.as_bytes()));
    assert_eq!(
        person(&shop, 1),
        "{\"UserId\":\"U000001\",\"Email\":\"perrine.larkwater.1@mail.example\",\"FirstName\":\"Perrine\",\
         \"LastName\":\"Larkwater\",\"DOB\":\"02/05/1987\",\"Group\":\"trade\",\"Country\":\"GB\",\"Newsletter\":false}"
    );
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
    let named = super::kinds::CATEGORIES.len() + super::words::BRANDS.len();
    assert_eq!(clean.rows.len(), named + 400 + 30, "all that was asked for");
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

#[test]
fn a_small_feed_has_each_mistake_and_users_where_there_are_people() {
    let text = |products, people| {
        let shop = SampleShop { products, people, errors: true, ..SampleShop::default() };
        String::from_utf8(feed(&shop)).expect("a text")
    };
    for products in [1, 3, 400] {
        let text = text(products, 0);
        let ids = (1..=12).filter(|number| text.matches(&format!("\"E-{number:04}\"")).count() == 1);
        assert_eq!(ids.count(), 12, "{products}");
        assert!(!text.contains("Users") && !text.contains("guest"));
    }
    let text = text(3, 2);
    assert!(text.contains("U000002") && !text.contains("U000003") && text.contains("guest"));
}

#[test]
fn prices_are_worth_the_same_in_each_currency_and_less_in_a_sale() {
    let shop = SampleShop::default();
    let mut sales = 0;
    for number in 1..=100 {
        let row: serde_json::Value = serde_json::from_str(&product(&shop, number)).expect("JSON");
        let cents = |name: &str| -> Vec<u64> {
            let prices = row[name].as_array().into_iter().flatten();
            let texts =
                prices.map(|price| price.as_str().expect("a price").split(' ').next().expect("an amount"));
            texts.map(|text| text.replace('.', "").parse().expect("cents")).collect()
        };
        let [prices, sale] = ["Prices", "SalePrices"].map(cents);
        let worth =
            |pence: u64| -> Vec<u64> { shop.currencies.iter().map(|(_, rate)| pence * rate / 100).collect() };
        assert_eq!(prices, worth(prices[0]), "{row}");
        if !sale.is_empty() {
            sales += 1;
            assert_eq!(sale, worth(sale[0]), "{row}");
            assert!(sale[0] < prices[0] && sale[0] * 2 > prices[0], "{row}");
        }
    }
    assert!((10..50).contains(&sales), "{sales}");
}
