//! Before a feed is published: its difference, and the decision of the removal guard.

use std::sync::Arc;

use crate::accounts::Account;
use crate::catalogue::base::{self, Bases, NewSnapshot, Places};
use crate::catalogue::difference::{self, DifferenceKind, DifferenceSummary};
use crate::catalogue::snapshot::{Snapshot, SnapshotFault};
use crate::catalogue::{CatalogueFault, hold_reasons};
use crate::feeds::section::Section;
use crate::ids::SubmissionToken;
use crate::jobs::Lease;
use crate::limits;
use crate::node::Node;
use crate::work::fault::WorkFault;

/// Changes that a feed makes in each of its sections.
pub struct FeedComparison {
    /// Snapshots that the account showed when they were compared.
    bases: Bases,
    differences: Vec<(Section, DifferenceSummary)>,
}

impl FeedComparison {
    /// Returns true if the sections still show the bases of the comparison.
    pub fn is_current(&self, bases: &Bases) -> bool {
        let file = |bases: &Bases, section| bases.get(section).map(|base| base.blob);
        self.differences.iter().all(|(section, _)| file(bases, section) == file(&self.bases, section))
    }

    /// Reason why the feed is not published without an explicit order; `None` if it may be.
    pub fn refusal(&self, account: &Account, places: Places, token: SubmissionToken) -> Option<String> {
        let (_, difference) = self.differences.iter().find(|(section, _)| *section == Section::Products)?;
        // A feed that comes too late removes nothing.
        let base = self.bases.get(&Section::Products).filter(|base| places.may_publish(Some(base)))?;
        let items = base.items;
        let percent = account.removal_percent.unwrap_or(limits::REMOVAL_GUARD_PERCENT);
        let removed = i64::try_from(difference.items_of_kind(DifferenceKind::Removed)).unwrap_or(i64::MAX);
        let is_too_much = items >= limits::REMOVAL_GUARD_ITEMS
            && percent < 100
            && removed.saturating_mul(100) > items.saturating_mul(percent);
        is_too_much.then(|| hold_reasons::sentence(removed, items, percent, token))
    }
}

/// Compares a feed with the present catalogue, and stores the difference with the submission.
///
/// # Errors
/// When the store fails, a snapshot cannot be read, or the lease is lost.
pub async fn compare(
    node: &Arc<Node>,
    lease: &Arc<Lease>,
    sections: &[NewSnapshot],
) -> Result<FeedComparison, WorkFault> {
    lease.progress.enter("comparing");
    let id = lease.account;
    let seq = lease.seq;
    let files = node.blobs.hold_files();
    let bases = node.store.read(move |tx| base::list(tx, id)).await?;
    let blobs = node.blobs.clone();
    let news = sections.to_vec();
    let olds = bases.clone();
    let watched = lease.clone();
    let comparing = tokio::task::spawn_blocking(move || {
        let of = |new: &NewSnapshot| {
            let old = olds.get(&new.section);
            let old = match old.map(|base| Snapshot::open(&files, &base.blob)).transpose() {
                // The old file is missing: the feed brings its content back, and there is nothing to compare it with.
                Err(SnapshotFault::Missing) => None,
                opened => opened.map_err(CatalogueFault::from)?,
            };
            let new_file = Snapshot::open(&files, &new.blob).map_err(CatalogueFault::from)?;
            let goes_on = || !watched.is_lost();
            let difference =
                DifferenceSummary::compute(&blobs, new.section, old.as_ref(), &new_file, &goes_on)?;
            Ok::<_, WorkFault>((new.section, difference.ok_or(WorkFault::LeaseLost)?))
        };
        news.iter().map(of).collect::<Result<Vec<_>, _>>()
    });
    let differences = comparing.await.map_err(|_| WorkFault::Panicked)??;
    let written = differences.clone();
    let writing =
        lease.write(&node.store, move |tx| Ok::<_, WorkFault>(difference::write(tx, id, seq, &written)?));
    writing.await?;
    Ok(FeedComparison { bases, differences })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blobs::BlobName;
    use crate::catalogue::base::Base;
    use crate::ids::AccountId;

    fn base(file: u8, items: i64) -> Base {
        let blob = BlobName::from_hash([file; 32]);
        Base { snapshot_seq: 5, cut_seq: 5, blob, sku_blob: None, items, ready_seq: 5, swept_seq: 0 }
    }

    /// A feed that removes so many of the items of a section.
    fn comparison(section: Section, removed: u64, items: i64) -> FeedComparison {
        let found = [(DifferenceKind::Removed, removed), (DifferenceKind::Added, 10_000)].into();
        let difference = DifferenceSummary { found, ..DifferenceSummary::default() };
        FeedComparison { bases: [(section, base(1, items))].into(), differences: vec![(section, difference)] }
    }

    fn account(removal_percent: Option<i64>) -> Account {
        Account {
            id: AccountId(1),
            name: "one".to_owned(),
            access_key: String::new(),
            currency: None,
            created_at: 0,
            closed_at: None,
            removal_percent,
        }
    }

    #[test]
    fn the_guard_holds_a_feed_that_removes_more_than_its_part_of_enough_products() {
        const ENOUGH: i64 = limits::REMOVAL_GUARD_ITEMS;
        let places = Places::from_seq(6);
        let token = SubmissionToken::issue(0);
        for (removed, items, percent, is_held) in [
            (400, ENOUGH, None, false),
            (401, ENOUGH, None, true),
            (499, ENOUGH - 1, None, false),
            (990, 1000, Some(99), false),
            (991, 1000, Some(99), true),
            (1000, 1000, Some(100), false),
            (10, 1000, Some(1), false),
            (11, 1000, Some(1), true),
        ] {
            let of_products = comparison(Section::Products, removed, items);
            let part = percent.unwrap_or(limits::REMOVAL_GUARD_PERCENT);
            let sentence = is_held.then(|| hold_reasons::sentence(removed as i64, items, part, token));
            assert_eq!(
                of_products.refusal(&account(percent), places, token),
                sentence,
                "{removed} of {items}"
            );
            let of_brands = comparison(Section::Brands, removed, items);
            assert_eq!(of_brands.refusal(&account(percent), places, token), None);
        }
        let all = comparison(Section::Products, 1000, 1000);
        assert_eq!(all.refusal(&account(None), Places::from_seq(5), token), None, "it comes too late");
    }

    #[test]
    fn a_comparison_counts_while_all_its_sections_show_the_same_files() {
        let mut compared = comparison(Section::Products, 0, 1);
        compared.differences.push((Section::Brands, DifferenceSummary::default()));
        let bases = |files: &[(Section, u8)]| -> Bases {
            files.iter().map(|(section, file)| (*section, base(*file, 9))).collect()
        };
        let products = (Section::Products, 1);
        assert!(compared.is_current(&bases(&[products])));
        assert!(compared.is_current(&bases(&[products, (Section::Categories, 2)])));
        assert!(!compared.is_current(&bases(&[products, (Section::Brands, 1)])));
        assert!(!compared.is_current(&bases(&[(Section::Products, 2)])));
        assert!(!compared.is_current(&bases(&[])));
    }
}
