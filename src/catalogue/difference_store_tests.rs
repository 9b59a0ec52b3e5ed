//! Differences of submissions in the store.

use super::*;
use crate::store::{Store, StoreOptions};

const SHOP: AccountId = AccountId(1);

fn summary(found: &[(DifferenceKind, u64)], items: &[&str]) -> DifferenceSummary {
    let example = |item: &&str| Example {
        kind: DifferenceKind::PriceJump,
        item: (*item).to_owned(),
        before: Some("1.00 GBP".to_owned()),
        after: None,
    };
    DifferenceSummary {
        found: found.iter().copied().collect(),
        examples: items.iter().map(example).collect(),
    }
}

#[tokio::test]
async fn a_later_attempt_leaves_nothing_of_the_differences_of_an_earlier_one() {
    use DifferenceKind::{Added, Removed};
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::open(&StoreOptions::Sqlite(folder.path().join("lethe.db"))).expect("a store");
    let products = summary(&[(Added, 3)], &["d"]);
    let brands = summary(&[(Removed, 4)], &[]);
    let expected = [
        BTreeMap::from([(Section::Products, products.clone())]),
        BTreeMap::from([(Section::Brands, brands.clone())]),
        BTreeMap::new(),
    ];
    let writing = store.write(SHOP, move |tx| {
        let first = summary(&[(Added, 2), (Removed, 1)], &["a", "b"]);
        let other = summary(&[(Added, 1)], &["c"]);
        write(tx, SHOP, 7, &[(Section::Products, first), (Section::Categories, other)])?;
        write(tx, SHOP, 8, &[(Section::Brands, brands.clone())])?;
        write(tx, SHOP, 7, &[(Section::Products, products.clone())])?;
        Ok::<_, StoreFault>([list(tx, SHOP, 7)?, list(tx, SHOP, 8)?, list(tx, AccountId(2), 7)?])
    });
    assert_eq!(writing.await.expect("it is written"), expected);
}
