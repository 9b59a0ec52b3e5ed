//! The rules on whole feeds: whether a feed is shown, and the sentence if it is not. The server and `lethe check` both
//! judge by them.

use std::collections::BTreeMap;

use super::fields;
use super::issue::{Issue, IssueCode, Severity};
use super::issue_collector::{IssueCollector, ROWS_NAMED};
use super::section::FeedPart;
use super::variant_product_overlap::OverlapCounts;
use crate::limits;

/// The rows of a feed so far: their number in each section, and their issues.
#[derive(Default)]
pub struct FeedCounts {
    seen: BTreeMap<FeedPart, u64>,
    repeated: BTreeMap<FeedPart, u64>,
    unseen: UnfindableProducts,
    found: IssueCollector,
}

/// Used products that shoppers do not find.
#[derive(Default)]
struct UnfindableProducts {
    products: u64,
    first_rows: Vec<u64>,
}

impl UnfindableProducts {
    /// Counts a row of a product, by its issues.
    fn count(&mut self, issues: &[Issue]) {
        let is_used = issues.iter().all(|issue| issue.severity() == Severity::Warning);
        let Some(issue) = issues.iter().find(|issue| hides(issue)).filter(|_| is_used) else { return };
        self.products += 1;
        if self.first_rows.len() < ROWS_NAMED {
            self.first_rows.push(issue.row);
        }
    }
}

/// Returns true if shoppers do not find a product with this warning.
fn hides(issue: &Issue) -> bool {
    match issue.code {
        IssueCode::TitleMissing | IssueCode::PriceMissing | IssueCode::PriceOtherCurrency => true,
        IssueCode::DateMalformed => matches!(issue.field.as_deref(), Some("StartDate" | "EndDate")),
        _ => false,
    }
}

/// The products of a feed, and the number that shoppers find.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ProductCounts {
    /// Rows that are used, each with an id of its own.
    pub used: u64,
    /// Rows among them with a title, a price in the shop's currency and readable dates.
    pub seen: u64,
}

impl FeedCounts {
    /// Begins a section; it may have no rows, and may come again.
    ///
    /// # Errors
    /// Reason to refuse the feed, when only a delta has such a section.
    pub fn begin(&mut self, section: FeedPart) -> Result<(), String> {
        self.seen.entry(section).or_default();
        if fields::schema_of(section).stands_in.is_of_feeds() {
            Ok(())
        } else {
            Err(format!("a feed has no section {}; only a delta has", section.as_str()))
        }
    }

    /// Counts one row, and takes its issues.
    pub fn add(&mut self, section: FeedPart, issues: &mut Vec<Issue>) {
        *self.seen.entry(section).or_default() += 1;
        if section == FeedPart::PRODUCTS {
            self.unseen.count(issues);
        }
        self.found.add(issues);
    }

    /// Takes issues that belong to no row, or to one that is counted at another time.
    pub fn add_outside_rows(&mut self, issues: &mut Vec<Issue>) {
        self.found.add(issues);
    }

    /// Counts ids that came again later in their section; `first_rows` are the first that were left out for it.
    pub fn add_duplicates(&mut self, section: FeedPart, duplicates: u64, first_rows: &[u64]) {
        *self.repeated.entry(section).or_default() += duplicates;
        self.found.count(section, IssueCode::DuplicateId, duplicates, first_rows);
    }

    /// Counts the used products that shoppers do not find, once all rows are counted.
    pub fn add_unseen(&mut self) {
        let UnfindableProducts { products, first_rows } = &self.unseen;
        self.found.count(FeedPart::PRODUCTS, IssueCode::ProductUnseen, *products, first_rows);
    }

    /// Rows of a section that are not used because their id came again later.
    #[must_use]
    pub fn count_repeated(&self, section: FeedPart) -> u64 {
        self.repeated.get(&section).copied().unwrap_or(0)
    }

    /// The products, and the number that shoppers find; `None` without a section of products.
    #[must_use]
    pub fn products(&self) -> Option<ProductCounts> {
        let rows = self.seen.get(&FeedPart::PRODUCTS)?;
        let left_out = self.found.bad(FeedPart::PRODUCTS) + self.count_repeated(FeedPart::PRODUCTS);
        let used = rows.saturating_sub(left_out);
        Some(ProductCounts { used, seen: used.saturating_sub(self.unseen.products) })
    }

    /// Reason to hold the feed until it is published by hand: more rows of a section have the id of another row than an
    /// accident explains. `None` if it need not be held.
    #[must_use]
    pub fn refuse_repeated(&self) -> Option<String> {
        let percent = limits::FEED_REPEATED_ROWS_PERCENT;
        let is_much = |section: FeedPart, repeated: u64| {
            let rows = self.rows(section);
            rows >= limits::FEED_REPEATED_ROWS_MIN && repeated * 100 > rows * percent
        };
        let mut much = self.repeated.iter().filter(|(section, repeated)| is_much(**section, **repeated));
        let (section, repeated) = much.next()?;
        let rows = self.rows(*section);
        let name = section.as_str();
        Some(format!(
            "{repeated} of {rows} rows of {name} have an id that comes again later, and {percent} % is the most that may; \
             the catalogue was left alone"
        ))
    }

    /// Counts categories that products name by title.
    pub fn add_named_by_title(&mut self, named: u64, first_rows: &[u64]) {
        self.found.count(FeedPart::PRODUCTS, IssueCode::CategoryByTitle, named, first_rows);
    }

    /// Counts products that others list as their variants, and ids that were too many to be compared.
    pub fn add_overlaps(&mut self, counted: &OverlapCounts) {
        let OverlapCounts { overlaps, first_rows, unchecked } = counted;
        self.found.count(FeedPart::PRODUCTS, IssueCode::VariantIsProduct, *overlaps, first_rows);
        self.found.count(FeedPart::PRODUCTS, IssueCode::VariantsUnchecked, *unchecked, &[]);
    }

    /// Rows of a section so far, good and bad.
    #[must_use]
    pub fn rows(&self, section: FeedPart) -> u64 {
        self.seen.get(&section).copied().unwrap_or(0)
    }

    /// The sections that came, in the order of [`FeedPart::ALL`].
    pub fn sections(&self) -> impl Iterator<Item = FeedPart> + '_ {
        self.seen.keys().copied()
    }

    /// Issues of the rows.
    #[must_use]
    pub fn issues(&self) -> &IssueCollector {
        &self.found
    }

    /// The same, when nothing more comes.
    #[must_use]
    pub fn into_found(self) -> IssueCollector {
        self.found
    }

    /// Judges a feed that was read completely: it needs a section unless it `may_be_empty`, most rows of each section
    /// have to be good, and the products must not be emptied.
    ///
    /// # Errors
    /// Reason to refuse the feed; the sentence quotes nothing from the feed.
    pub fn judge(&self, may_be_empty: bool) -> Result<(), String> {
        if self.seen.is_empty() && !may_be_empty {
            return Err(self.nothing_known());
        }
        self.seen.iter().try_for_each(|(section, seen)| self.judge_section(*section, *seen))
    }

    /// The sentence for a feed without a section: it names the sections that the feed's names are like.
    fn nothing_known(&self) -> String {
        let sentence = "the feed holds none of Products, Categories, Brands, Users and AccountPrices";
        let unknown = self.found.counts().filter(|counted| counted.code == IssueCode::SectionUnknown);
        let meant: Vec<_> = unknown.map(|counted| counted.section.as_str()).collect();
        if meant.is_empty() {
            sentence.to_owned()
        } else {
            format!("{sentence}; a name in it is like {}", meant.join(" and "))
        }
    }

    fn judge_section(&self, section: FeedPart, seen: u64) -> Result<(), String> {
        let good = seen.saturating_sub(self.found.bad(section));
        let is_empty = section == FeedPart::PRODUCTS && good == 0;
        let is_poor = good * 100 < seen * limits::FEED_GOOD_ROWS_PERCENT;
        let sentence = if is_empty {
            format!("the feed has no usable product among {seen} rows; the catalogue was left alone")
        } else if is_poor {
            let percent = limits::FEED_GOOD_ROWS_PERCENT;
            let name = section.as_str();
            format!("only {good} of {seen} rows of {name} can be used, and {percent} % have to")
        } else {
            return Ok(());
        };
        let worst = self.found.most_frequent_codes(3).join(", ");
        Err(if worst.is_empty() { sentence } else { format!("{sentence} (mostly: {worst})") })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(section: FeedPart, good: u64, bad: u64) -> FeedCounts {
        let mut tally = FeedCounts::default();
        tally.begin(section).expect("a section of feeds");
        for row in 1..=good + bad {
            let mut issues = Vec::new();
            if row > good {
                issues.push(Issue::oversize(section, row, 0));
            }
            tally.add(section, &mut issues);
        }
        tally
    }

    #[test]
    fn a_tenth_of_bad_rows_passes_and_one_more_does_not() {
        assert_eq!(tally(FeedPart::BRANDS, 90, 10).judge(false), Ok(()));
        let sentence = tally(FeedPart::BRANDS, 89, 10).judge(false).expect_err("a refusal");
        assert_eq!(
            sentence,
            "only 89 of 99 rows of Brands can be used, and 90 % have to (mostly: row_too_large)"
        );
    }

    #[test]
    fn products_are_never_emptied_and_other_sections_may_be() {
        for section in FeedPart::ALL.into_iter().filter(|section| tally_begins(*section)) {
            assert_eq!(tally(section, 0, 0).judge(true).is_err(), section == FeedPart::PRODUCTS);
        }
        assert!(FeedCounts::default().judge(false).is_err_and(|sentence| sentence.contains("holds none of")));
        assert_eq!(FeedCounts::default().judge(true), Ok(()));
    }

    #[test]
    fn a_twentieth_of_repeated_ids_passes_and_one_more_does_not() {
        let refused = |rows, repeated| {
            let mut tally = tally(FeedPart::PRODUCTS, rows, 0);
            tally.add_duplicates(FeedPart::PRODUCTS, repeated, &[1]);
            tally.refuse_repeated()
        };
        assert_eq!((refused(100, 5), refused(19, 18)), (None, None));
        assert_eq!(
            refused(100, 6).as_deref(),
            Some(
                "6 of 100 rows of Products have an id that comes again later, and 5 % is the most that may; the catalogue \
                 was left alone"
            )
        );
    }

    fn tally_begins(section: FeedPart) -> bool {
        FeedCounts::default().begin(section).is_ok()
    }

    #[test]
    fn sections_of_deltas_refuse_a_feed() {
        let refused: Vec<_> = FeedPart::ALL.into_iter().filter(|section| !tally_begins(*section)).collect();
        assert_eq!(refused, FeedPart::ALL[5..]);
    }

    #[test]
    fn each_section_is_judged_by_its_own_rows() {
        let mut tally = tally(FeedPart::PRODUCTS, 20, 0);
        for (section, good, bad) in [(FeedPart::CATEGORIES, 9, 1), (FeedPart::BRANDS, 8, 1)] {
            tally.begin(section).expect("a section of feeds");
            for row in 1..=good + bad {
                let mut issues = Vec::new();
                issues.extend((row > good).then(|| Issue::oversize(section, row, 0)));
                tally.add(section, &mut issues);
            }
        }
        let sentence = tally.judge(false).expect_err("a refusal");
        assert!(sentence.starts_with("only 8 of 9 rows of Brands can be used"), "{sentence}");
    }

    #[test]
    fn ids_may_repeat_in_few_rows_and_in_no_section_of_many() {
        let mut tally = tally(FeedPart::PRODUCTS, 100, 0);
        for _ in 0..20 {
            tally.add(FeedPart::BRANDS, &mut Vec::new());
        }
        tally.add_duplicates(FeedPart::PRODUCTS, 2, &[1]);
        tally.add_duplicates(FeedPart::BRANDS, 1, &[1]);
        assert_eq!(tally.refuse_repeated(), None, "a twentieth of the fewest rows that are looked at");
        tally.add_duplicates(FeedPart::BRANDS, 1, &[1]);
        let sentence = tally.refuse_repeated().expect("a refusal");
        assert!(sentence.starts_with("2 of 20 rows of Brands have an id"), "{sentence}");
    }

    #[test]
    fn products_are_used_unless_they_are_bad_or_repeated_and_seen_unless_a_warning_hides_them() {
        use IssueCode as Is;
        let mut tally = FeedCounts::default();
        assert_eq!(tally.products(), None);
        let issue = |code, field: Option<&'static str>| {
            let field = field.map(std::borrow::Cow::Borrowed);
            Issue { code, field, ..Issue::oversize(FeedPart::PRODUCTS, 1, 0) }
        };
        let rows = [
            vec![],
            vec![issue(Is::LinkMissing, None)],
            vec![issue(Is::DateMalformed, Some("SalePriceEndDate"))],
            vec![issue(Is::DateMalformed, Some("EndDate"))],
            vec![issue(Is::TitleMissing, None), issue(Is::PriceMissing, None)],
            vec![issue(Is::IdMissing, None), issue(Is::TitleMissing, None)],
            vec![],
        ];
        rows.into_iter().for_each(|mut issues| tally.add(FeedPart::PRODUCTS, &mut issues));
        // What is wrong with brands hides no product.
        tally.add(
            FeedPart::BRANDS,
            &mut vec![Issue { section: FeedPart::BRANDS, ..issue(Is::TitleMissing, None) }],
        );
        tally.add_duplicates(FeedPart::PRODUCTS, 1, &[1]);
        tally.add_unseen();
        assert_eq!(tally.products(), Some(ProductCounts { used: 5, seen: 3 }));
        let unseen =
            tally.issues().counts().find(|counted| counted.code == Is::ProductUnseen).expect("a count");
        assert_eq!(unseen.found, 2);
    }

    #[test]
    fn an_emptied_catalogue_is_refused_with_its_three_most_frequent_codes() {
        use IssueCode as Is;
        let sentence = |rows: u64, mostly: &str| -> Result<(), String> {
            Err(format!(
                "the feed has no usable product among {rows} rows; the catalogue was left alone{mostly}"
            ))
        };
        assert_eq!(tally(FeedPart::PRODUCTS, 0, 0).judge(false), sentence(0, ""));
        assert_eq!(tally(FeedPart::PRODUCTS, 1, 0).judge(false), Ok(()));
        let mut counts = FeedCounts::default();
        for (code, times) in
            [(Is::IdMissing, 2), (Is::RowSyntax, 4), (Is::IdTooLong, 1), (Is::PriceMalformed, 3)]
        {
            for row in 1..=times {
                let issue = Issue { code, ..Issue::oversize(FeedPart::PRODUCTS, row, 0) };
                counts.add(FeedPart::PRODUCTS, &mut vec![issue]);
            }
        }
        let mostly = " (mostly: row_syntax, price_malformed, id_missing)";
        assert_eq!(counts.judge(false), sentence(10, mostly));
    }
}
