//! The shared samples: feeds with every oddity of documented senders.

use super::testing::{ImportedRows, import, shared};
use super::{FeedPart, IssueCode};
use std::fs::File;

fn sample(name: &str) -> Option<ImportedRows> {
    let path = shared()?.join("samples").join(name);
    Some(import(File::open(path).expect("a sample")).expect("a feed"))
}

fn keys(imported: &ImportedRows, section: FeedPart) -> Vec<&str> {
    let of_section = |row: &&(FeedPart, String, String)| row.0 == section;
    imported.rows.iter().filter(of_section).map(|(_, key, _)| key.as_str()).collect()
}

#[test]
fn every_product_of_the_sample_is_a_good_row() {
    let Some(imported) = sample("custom_products.json") else { return };
    assert_eq!(imported.bad(), Vec::<&super::Issue>::new());
    assert_eq!(keys(&imported, FeedPart::PRODUCTS).len(), 50);
    assert!(!keys(&imported, FeedPart::ACCOUNT_PRICES).is_empty());
    for (_, key, json) in &imported.rows {
        assert!(!json.contains("acc1") && !json.contains("acc2") && !json.contains("acc3"), "{key}");
    }
    let (_, _, oddities) = &imported.rows[2];
    assert!(oddities.contains(r#""GroupPrices":{"group1":{"Prices":["63.32 GBP"]},"trade":{"#));
    let encoded = imported.rows.iter().filter(|row| row.2.contains("Mat&eacute;riel")).count();
    assert_eq!(encoded, 14, "HTML in names stays as sent");
    assert!(imported.issues.iter().any(|issue| issue.code == IssueCode::DescriptionMissing));
}

#[test]
fn categories_brands_and_users_of_the_samples_are_good_rows() {
    for (name, section, rows) in
        [("categories.json", FeedPart::CATEGORIES, 12), ("brands.json", FeedPart::BRANDS, 5)]
    {
        let Some(imported) = sample(name) else { return };
        assert!(imported.issues.is_empty(), "{name}: {:?}", imported.issues);
        assert_eq!(keys(&imported, section).len(), rows, "{name}");
    }
    let Some(users) = sample("users.json") else { return };
    assert!(users.issues.is_empty(), "{:?}", users.issues);
    assert_eq!(&keys(&users, FeedPart::Users)[..3], ["500", "501", "USR502"]);
    assert!(users.rows[2].2.contains(r#""LastName":"Smith""#));
}

#[test]
fn the_real_catalogue_is_read_whole() {
    let Some(folder) = shared() else { return };
    let packed = File::open(folder.join("data/electronics-products.json.gz")).expect("the catalogue");
    let imported = import(flate2::read::MultiGzDecoder::new(packed)).expect("a feed");
    assert_eq!(imported.bad(), Vec::<&super::Issue>::new());
    assert_eq!(imported.rows.len(), 19_406);
}
