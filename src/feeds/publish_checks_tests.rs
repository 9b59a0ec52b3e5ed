//! Counts of whole sections, and feeds whose sections nobody knows.

use super::issue::{Issue, IssueCode};
use super::publish_checks::FeedCounts;
use super::reader::UnknownSection;
use super::section::FeedPart;
use super::variant_product_overlap::OverlapCounts;

/// Products without a title, and brands without issues: so many rows of each.
fn count_rows(products: u64, brands: u64) -> FeedCounts {
    let mut counts = FeedCounts::default();
    for row in 1..=products {
        let issue = Issue { code: IssueCode::TitleMissing, ..Issue::oversize(FeedPart::PRODUCTS, row, 0) };
        counts.add(FeedPart::PRODUCTS, &mut vec![issue]);
    }
    (0..brands).for_each(|_| counts.add(FeedPart::BRANDS, &mut Vec::new()));
    counts
}

#[test]
fn counts_of_whole_sections_name_their_first_rows() {
    use IssueCode as Is;
    let mut counts = count_rows(6, 2);
    counts.add_duplicates(FeedPart::BRANDS, 2, &[5, 6]);
    counts.add_duplicates(FeedPart::PRODUCTS, 1, &[7]);
    counts.add_named_by_title(1, &[9]);
    counts.add_overlaps(&OverlapCounts { overlaps: 2, first_rows: vec![8], unchecked: 0 });
    counts.add_unseen();
    let found: Vec<_> = counts
        .issues()
        .counts()
        .map(|group| (group.section, group.code, group.found, group.first_rows.to_vec()))
        .collect();
    let expected = [
        (FeedPart::PRODUCTS, Is::TitleMissing, 6, vec![1, 2, 3, 4, 5]),
        (FeedPart::PRODUCTS, Is::CategoryByTitle, 1, vec![9]),
        (FeedPart::PRODUCTS, Is::ProductUnseen, 6, vec![1, 2, 3, 4, 5]),
        (FeedPart::PRODUCTS, Is::DuplicateId, 1, vec![7]),
        (FeedPart::PRODUCTS, Is::VariantIsProduct, 2, vec![8]),
        (FeedPart::BRANDS, Is::DuplicateId, 2, vec![5, 6]),
    ];
    assert_eq!(found, expected);
    let sections = [FeedPart::PRODUCTS, FeedPart::CATEGORIES, FeedPart::BRANDS];
    assert_eq!(sections.map(|section| counts.rows(section)), [6, 0, 2]);
    assert_eq!(sections.map(|section| counts.count_repeated(section)), [1, 0, 2]);
    assert_eq!(counts.sections().collect::<Vec<_>>(), [FeedPart::PRODUCTS, FeedPart::BRANDS]);
}

#[test]
fn ids_that_were_not_compared_are_told_with_their_number() {
    let mut counts = count_rows(0, 1);
    counts.add_overlaps(&OverlapCounts::default());
    assert_eq!(counts.issues().counts().count(), 0);
    counts.add_overlaps(&OverlapCounts { unchecked: 7_000_000, ..OverlapCounts::default() });
    let told: Vec<_> = counts.issues().counts().map(|group| (group.code, group.found)).collect();
    assert_eq!(told, [(IssueCode::VariantsUnchecked, 7_000_000)]);
}

#[test]
fn of_sections_that_repeat_too_many_ids_the_first_is_told() {
    let mut counts = count_rows(40, 20);
    counts.add_duplicates(FeedPart::BRANDS, 2, &[1]);
    counts.add_duplicates(FeedPart::PRODUCTS, 3, &[1]);
    let sentence = counts.refuse_repeated().expect("a refusal");
    assert!(sentence.starts_with("3 of 40 rows of Products have an id"), "{sentence}");
}

#[test]
fn a_feed_without_a_section_is_told_the_sections_that_its_names_are_like() {
    let sentence = "the feed holds none of Products, Categories, Brands, Users and AccountPrices";
    let mut counts = FeedCounts::default();
    assert_eq!(counts.judge(false), Err(sentence.to_owned()));
    for (name, meant) in
        [("Brandz", FeedPart::BRANDS), ("Produkts", FeedPart::PRODUCTS), ("Items", FeedPart::PRODUCTS)]
    {
        let unknown = UnknownSection { name: name.to_owned(), meant, offset: 1 };
        counts.add_outside_rows(&mut vec![Issue::unknown_section(unknown)]);
    }
    assert_eq!(counts.judge(false), Err(format!("{sentence}; a name in it is like Products and Brands")));
    assert_eq!(counts.judge(true), Ok(()));
}
