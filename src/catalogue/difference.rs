//! Difference of a new snapshot for people: counts, prices that jump, and the first few items of each kind.

use std::collections::BTreeMap;

use rust_decimal::Decimal;

use super::fault::CatalogueFault;
use super::snapshot::{Snapshot, SnapshotRow};
use super::snapshot_diff;
use crate::blobs::Blobs;
use crate::feeds::rows::DecimalPrice;
use crate::feeds::section::Section;
use crate::ids::AccountId;
use crate::store::{StoreFault, Tx};
use crate::{args, limits, sql};

/// A way in which an item differs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum DifferenceKind {
    /// Only the new snapshot has it.
    Added,
    /// Both have it, with another row.
    Changed,
    /// Only the old snapshot has it.
    Removed,
    /// Both have it, with the same row.
    Unchanged,
    /// Its lowest price in some currency changes by more than half.
    PriceJump,
    /// Its lowest price in some currency becomes 0.
    PriceZero,
    /// It loses its price in a currency.
    CurrencyLost,
}

impl DifferenceKind {
    /// All kinds. A changed item may have several.
    pub const ALL: [Self; 7] = [
        Self::Added,
        Self::Changed,
        Self::Removed,
        Self::Unchanged,
        Self::PriceJump,
        Self::PriceZero,
        Self::CurrencyLost,
    ];

    /// The kind as it stands in the store and in answers.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Changed => "changed",
            Self::Removed => "removed",
            Self::Unchanged => "unchanged",
            Self::PriceJump => "price_jump",
            Self::PriceZero => "price_zero",
            Self::CurrencyLost => "currency_lost",
        }
    }

    fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
    }
}

/// One of the first items of a kind.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Example {
    /// Kind of its difference.
    pub kind: DifferenceKind,
    /// Its id.
    pub item: String,
    /// The price it had, where prices are meant.
    pub before: Option<String>,
    /// The price it has.
    pub after: Option<String>,
}

/// The difference of one section.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct DifferenceSummary {
    /// Number of items of each kind; kinds without items are missing.
    pub found: BTreeMap<DifferenceKind, u64>,
    /// First items of each kind; no unchanged ones, and no account prices, whose ids stand for people.
    pub examples: Vec<Example>,
}

impl DifferenceSummary {
    /// Computes the changes of `new` in a section that shows `old`; `None` when `goes_on` ends it. Decodes only the
    /// rows that changed and the examples.
    ///
    /// # Errors
    /// When one of the two files is damaged or cannot be read.
    pub fn compute(
        blobs: &Blobs,
        section: Section,
        old: Option<&Snapshot>,
        new: &Snapshot,
        goes_on: &dyn Fn() -> bool,
    ) -> Result<Option<Self>, CatalogueFault> {
        let mut difference = Self::default();
        let Some(old) = old else {
            difference.count(DifferenceKind::Added, new.len());
            return Ok(Some(difference));
        };
        let snapshot_diff::SnapshotDiff { counts, added, changed, removed } =
            snapshot_diff::difference(blobs, old, new)?;
        difference.count(DifferenceKind::Added, counts.added);
        difference.count(DifferenceKind::Changed, counts.changed);
        difference.count(DifferenceKind::Removed, counts.removed);
        difference.count(DifferenceKind::Unchanged, counts.unchanged);
        if section.is_personal() {
            return Ok(Some(difference));
        }
        for (kind, rows) in [(DifferenceKind::Added, added), (DifferenceKind::Removed, removed)] {
            for row in rows.take(limits::DIFFERENCE_EXAMPLES) {
                difference.add_example(kind, &row?.0, None, None);
            }
        }
        for pair in changed {
            if !goes_on() {
                return Ok(None);
            }
            let (before, after) = pair?;
            difference.add_example(DifferenceKind::Changed, &after.0, None, None);
            if section == Section::Products {
                difference.compare_prices(&before, &after);
            }
        }
        Ok(Some(difference))
    }

    fn count(&mut self, kind: DifferenceKind, found: u64) {
        if found > 0 {
            *self.found.entry(kind).or_default() += found;
        }
    }

    fn add_example(
        &mut self,
        kind: DifferenceKind,
        item: &str,
        before: Option<DecimalPrice>,
        after: Option<DecimalPrice>,
    ) {
        if self.examples.iter().filter(|example| example.kind == kind).count() < limits::DIFFERENCE_EXAMPLES {
            let text = |price: Option<DecimalPrice>| price.map(|price| price.to_string());
            self.examples.push(Example {
                kind,
                item: item.to_owned(),
                before: text(before),
                after: text(after),
            });
        }
    }

    /// Records each kind once for an item, with the first currency it happens in.
    fn compare_prices(&mut self, (id, before): &SnapshotRow, (_, after): &SnapshotRow) {
        let before = lowest_prices(before);
        let after = lowest_prices(after);
        let mut noted = Vec::new();
        for (currency, old) in before {
            let new = after.get(currency).copied();
            let Some(kind) = kind_of(old, new).filter(|kind| !noted.contains(kind)) else { continue };
            noted.push(kind);
            self.count(kind, 1);
            self.add_example(kind, id, Some(old), new);
        }
    }

    /// Items of a kind.
    #[must_use]
    pub fn items_of_kind(&self, kind: DifferenceKind) -> u64 {
        self.found.get(&kind).copied().unwrap_or(0)
    }
}

fn kind_of(old: DecimalPrice, new: Option<DecimalPrice>) -> Option<DifferenceKind> {
    let Some(new) = new else { return Some(DifferenceKind::CurrencyLost) };
    let old = old.amount();
    let new = new.amount();
    match new.is_zero() {
        true if !old.is_zero() => Some(DifferenceKind::PriceZero),
        _ if (new - old).abs() * Decimal::TWO > old && !old.is_zero() => Some(DifferenceKind::PriceJump),
        _ => None,
    }
}

/// The lowest price of a product in each currency.
fn lowest_prices(row: &[u8]) -> BTreeMap<&'static str, DecimalPrice> {
    #[derive(serde::Deserialize)]
    struct Priced {
        #[serde(rename = "Prices", default)]
        prices: Vec<String>,
    }
    let mut lowest: BTreeMap<&'static str, DecimalPrice> = BTreeMap::new();
    let prices = serde_json::from_slice::<Priced>(row).map(|row| row.prices).unwrap_or_default();
    for (price, _) in prices.iter().filter_map(|text| DecimalPrice::parse(text, None).ok()) {
        let known = lowest.entry(price.currency()).or_insert(price);
        if price.amount() < known.amount() {
            *known = price;
        }
    }
    lowest
}

/// Writes the differences of a submission's sections in place of those of an earlier attempt.
///
/// # Errors
/// When the store fails.
pub fn write(
    tx: &mut Tx<'_>,
    account: AccountId,
    seq: i64,
    differences: &[(Section, DifferenceSummary)],
) -> Result<(), StoreFault> {
    tx.exec(&sql::difference_delete, args![account.0, seq])?;
    tx.exec(&sql::difference_example_delete, args![account.0, seq])?;
    for (section, difference) in differences {
        for (kind, found) in &difference.found {
            let found = i64::try_from(*found).unwrap_or(i64::MAX);
            let row = args![account.0, seq, section.as_str(), kind.as_str(), found];
            tx.exec(&sql::difference_insert, row)?;
        }
        for (n, Example { kind, item, before, after }) in difference.examples.iter().enumerate() {
            let section = section.as_str();
            let kind = kind.as_str();
            let n = n as i64;
            let item = item.as_str();
            let before = before.as_deref();
            let after = after.as_deref();
            let row = args![account.0, seq, section, kind, n, item, before, after];
            tx.exec(&sql::difference_example_insert, row)?;
        }
    }
    Ok(())
}

/// The stored differences of a submission's sections.
///
/// # Errors
/// When the store fails or a row names no section or kind.
pub fn list(
    tx: &mut Tx<'_>,
    account: AccountId,
    seq: i64,
) -> Result<BTreeMap<Section, DifferenceSummary>, StoreFault> {
    const SHAPE: StoreFault = StoreFault::Shape { statement: "difference_list", column: "section" };
    let mut differences: BTreeMap<Section, DifferenceSummary> = BTreeMap::new();
    for row in tx.run(&sql::difference_list, args![account.0, seq])? {
        let section = Section::parse(row.text("section")?).ok_or(SHAPE)?;
        let kind = DifferenceKind::parse(row.text("kind")?).ok_or(SHAPE)?;
        let found = u64::try_from(row.int("found")?).unwrap_or(0);
        differences.entry(section).or_default().found.insert(kind, found);
    }
    for row in tx.run(&sql::difference_example_list, args![account.0, seq])? {
        let section = Section::parse(row.text("section")?).ok_or(SHAPE)?;
        let text = |column| Ok::<_, StoreFault>(row.opt_text(column)?.map(str::to_owned));
        let example = Example {
            kind: DifferenceKind::parse(row.text("kind")?).ok_or(SHAPE)?,
            item: row.text("item")?.to_owned(),
            before: text("before")?,
            after: text("after")?,
        };
        differences.entry(section).or_default().examples.push(example);
    }
    Ok(differences)
}

#[cfg(test)]
#[path = "difference_store_tests.rs"]
mod store_tests;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::snapshot_tests::World;

    fn compared(before: &str, after: &str) -> Vec<(DifferenceKind, Option<String>, Option<String>)> {
        let mut difference = DifferenceSummary::default();
        let row = |prices: &str| ("1".to_owned(), format!(r#"{{"Prices":{prices}}}"#).into_bytes());
        difference.compare_prices(&row(before), &row(after));
        difference.examples.into_iter().map(|example| (example.kind, example.before, example.after)).collect()
    }

    #[test]
    fn a_price_jumps_beyond_half_and_not_at_half() {
        let jumps = |before: &str, after: &str| !compared(before, after).is_empty();
        assert!(!jumps(r#"["10.00 GBP"]"#, r#"["15.00 GBP"]"#));
        assert!(!jumps(r#"["10.00 GBP"]"#, r#"["5.00 GBP"]"#));
        assert!(jumps(r#"["10.00 GBP"]"#, r#"["15.01 GBP"]"#));
        assert!(jumps(r#"["10.00 GBP"]"#, r#"["4.99 GBP"]"#));
        assert!(!jumps(r#"["0.00 GBP"]"#, r#"["4.99 GBP"]"#), "what was free may cost something");
    }

    #[test]
    fn the_lowest_price_of_each_currency_counts_and_each_kind_once() {
        let before = r#"["20.00 GBP","10.00 GBP","8.00 EUR","5.00 USD","5.00 CHF"]"#;
        let after = r#"["10.00 GBP","90.00 GBP","0.00 EUR"]"#;
        let text = |text: &str| Some(text.to_owned());
        assert_eq!(
            compared(before, after),
            [
                (DifferenceKind::CurrencyLost, text("5.00 CHF"), None),
                (DifferenceKind::PriceZero, text("8.00 EUR"), text("0.00 EUR"))
            ]
        );
    }

    #[test]
    fn every_kind_is_read_as_it_was_written() {
        assert!(
            DifferenceKind::ALL.into_iter().all(|kind| DifferenceKind::parse(kind.as_str()) == Some(kind))
        );
    }

    /// Counts of a difference, and its examples: kind and item.
    type ComputedDifference = (Vec<(DifferenceKind, u64)>, Vec<(DifferenceKind, String)>);

    /// The difference that rows make in a section.
    fn compute_of_rows(
        section: Section,
        old: Option<&[(&str, &str)]>,
        new: &[(&str, &str)],
    ) -> ComputedDifference {
        let world = World::new();
        let snapshot = |rows: &[(&str, &str)]| {
            let rows: Vec<_> =
                rows.iter().map(|(id, row)| ((*id).to_owned(), row.as_bytes().to_vec())).collect();
            Snapshot::open(&world.blobs.hold_files(), &world.write(&rows, 10).name).unwrap()
        };
        let old = old.map(snapshot);
        let new = snapshot(new);
        let computed = DifferenceSummary::compute(&world.blobs, section, old.as_ref(), &new, &|| true);
        let DifferenceSummary { found, examples } = computed.unwrap().expect("a difference");
        let ended = DifferenceSummary::compute(&world.blobs, section, old.as_ref(), &new, &|| false).unwrap();
        let has_changed = found.contains_key(&DifferenceKind::Changed);
        assert_eq!(ended.is_none(), has_changed && !section.is_personal(), "only changed rows are read on");
        let examples = examples.into_iter().map(|example| (example.kind, example.item)).collect();
        (found.into_iter().collect(), examples)
    }

    #[test]
    fn a_section_is_compared_row_by_row_and_prices_of_products_alone() {
        use DifferenceKind::{Added, Changed, PriceJump, Removed, Unchanged};
        let old = [("a", "{}"), ("b", r#"{"Prices":["10.00 GBP"]}"#), ("c", "{}")];
        let new = [("c", "{}"), ("d", "{}"), ("b", r#"{"Prices":["20.00 GBP"]}"#)];
        let mut counts = vec![(Added, 1), (Changed, 1), (Removed, 1), (Unchanged, 1)];
        let mut examples = [(Added, "d"), (Removed, "a"), (Changed, "b")].map(owned).to_vec();
        let of = |section| compute_of_rows(section, Some(&old[..]), &new);
        assert_eq!(of(Section::Categories), (counts.clone(), examples.clone()));
        assert_eq!(of(Section::AccountPrices), (counts.clone(), Vec::new()), "its ids stand for people");
        counts.push((PriceJump, 1));
        examples.push(owned((PriceJump, "b")));
        assert_eq!(of(Section::Products), (counts, examples));
        assert_eq!(compute_of_rows(Section::Products, None, &new), (vec![(Added, 3)], Vec::new()));
        assert_eq!(compute_of_rows(Section::Products, None, &[]), (Vec::new(), Vec::new()));
    }

    fn owned((kind, item): (DifferenceKind, &str)) -> (DifferenceKind, String) {
        (kind, item.to_owned())
    }

    #[test]
    fn each_kind_is_counted_once_for_an_item_and_has_so_many_examples() {
        let mut difference = DifferenceSummary::default();
        let most = limits::DIFFERENCE_EXAMPLES;
        for number in 0..=most {
            let row = |prices: &str| (number.to_string(), format!(r#"{{"Prices":{prices}}}"#).into_bytes());
            difference.compare_prices(&row(r#"["1 GBP","2 EUR","3 CHF"]"#), &row(r#"["0 CHF"]"#));
        }
        let kinds = [DifferenceKind::CurrencyLost, DifferenceKind::PriceZero, DifferenceKind::PriceJump];
        let count = most as u64 + 1;
        assert_eq!(kinds.map(|kind| difference.items_of_kind(kind)), [count, count, 0]);
        let examples =
            |kind: DifferenceKind| difference.examples.iter().filter(|example| example.kind == kind).count();
        assert_eq!(kinds.map(examples), [most, most, 0]);
    }
}
