//! A delta that was read, in parts of one unit of work each.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::delta_read::{self, DeltaStep, Op, ReadDelta};
use super::erasure::address_check;
use super::fault::WorkFault;
use crate::accept;
use crate::accounts::Account;
use crate::feeds::issue::Severity;
use crate::feeds::rows::NormaliserContext;
use crate::keys::SlotNumber;
use crate::node::Node;
use crate::submissions::PendingDelta;
use crate::submissions::issues::IssueTotal;

/// Row issues a Reason names.
const NAMED_ISSUES: usize = 3;

/// A delta, or a part of a large one, that was read and is ready to be applied.
pub(super) struct Delta {
    pub(super) seq: i64,
    pub(super) slot: Option<SlotNumber>,
    pub(super) read: ReadDelta,
    /// End of the delta, with its last part.
    pub(super) end: Option<DeltaEnd>,
}

/// End of a delta, as far as it is known before its rows are applied.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct DeltaEnd {
    unusable: Option<String>,
    good: u64,
    bad: u64,
    /// The first bad rows.
    named: Vec<String>,
    /// Rows are about variants, which are found to be bad only when they are applied.
    pub(super) has_variants: bool,
}

impl DeltaEnd {
    fn from_read(read: &ReadDelta) -> Self {
        let is_of_variant = |step: &DeltaStep| matches!(step.op, Op::SetVariant(_) | Op::DeleteVariant(_));
        Self {
            unusable: read.unusable.clone(),
            good: read.steps.len() as u64,
            bad: read.bad,
            named: read.found.first_bad(NAMED_ISSUES),
            has_variants: read.steps.last().is_some_and(is_of_variant),
        }
    }

    /// Applied, or failed with a reason that names the first bad rows; `told` are the issues that were found while rows
    /// were applied.
    pub(super) fn outcome(&self, told: &[IssueTotal]) -> Result<(), String> {
        if let Some(reason) = &self.unusable {
            return Err(reason.clone());
        }
        let told: Vec<_> = told.iter().filter(|told| told.severity == Severity::Bad.as_str()).collect();
        let late = told.iter().map(|told| told.found.unsigned_abs()).sum::<u64>();
        let bad = self.bad + late;
        if bad == 0 {
            return Ok(());
        }
        let rows_of = |told: &&IssueTotal| {
            let IssueTotal { section, code, first_rows, .. } = told;
            first_rows.iter().map(|row| format!("{section} row {row}: {code}")).collect::<Vec<_>>()
        };
        let named = self.named.iter().cloned().chain(told.iter().flat_map(rows_of));
        let named = named.take(NAMED_ISSUES).collect::<Vec<_>>().join("; ");
        let good = self.good.saturating_sub(late);
        Err(format!("{bad} bad rows were skipped, {good} good ones were applied ({named})"))
    }
}

impl Delta {
    /// Reads a delta; a panic over its content is a fault of this delta alone.
    pub(super) async fn read_pending(
        node: &Node,
        account: &Account,
        waiting: PendingDelta,
    ) -> Result<Self, WorkFault> {
        let read = |is_forgotten: &dyn Fn(&str) -> bool| {
            Self::read_catching_panic(node, account, &waiting, is_forgotten)
        };
        address_check::reading(node, account.id, read).await
    }

    fn read_catching_panic(
        node: &Node,
        account: &Account,
        waiting: &PendingDelta,
        is_forgotten: &dyn Fn(&str) -> bool,
    ) -> Result<Self, WorkFault> {
        let reading = AssertUnwindSafe(|| Self::read_payload(node, account, waiting, is_forgotten));
        catch_unwind(reading).unwrap_or(Err(WorkFault::Panicked))
    }

    fn read_payload(
        node: &Node,
        account: &Account,
        waiting: &PendingDelta,
        is_forgotten: &dyn Fn(&str) -> bool,
    ) -> Result<Self, WorkFault> {
        let id = account.id;
        let tag = |text: &str| node.keys.account_tag(id, text);
        let context = NormaliserContext {
            default_currency: account.currency.as_deref(),
            account_tag: &tag,
            noticed: None,
        };
        let read = match waiting.slot {
            None => delta_read::read_steps(&waiting.payload, &context, is_forgotten),
            Some(slot) => {
                let opened = node.keys.sealer(slot).and_then(|sealer| {
                    sealer.open(&accept::payload_aad(id, waiting.token), &waiting.payload)
                });
                match opened {
                    Ok(payload) => delta_read::read_steps(&payload, &context, is_forgotten),
                    // A lost or damaged key never comes back; the queue after it must go on.
                    Err(fault) if fault.is_lost() => ReadDelta::unusable(
                        "the delta can no longer be read, because its key is lost; send it again",
                    ),
                    Err(fault) => return Err(fault.into()),
                }
            }
        };
        let end = Some(DeltaEnd::from_read(&read));
        Ok(Self { seq: waiting.seq, slot: waiting.slot, read, end })
    }

    /// Rows it writes, counting its own and its issues.
    pub(super) fn rows(&self) -> usize {
        1 + self.read.found.issues().len() + self.read.steps.iter().map(|step| step.op.rows()).sum::<usize>()
    }

    /// Parts of at most one unit of work each; only the last one ends the delta. Applied again after a crash
    /// they write the same changes.
    pub(super) fn into_parts(mut self) -> Vec<Self> {
        let mut parts = Vec::new();
        let mut steps = std::mem::take(&mut self.read.steps).into_iter();
        loop {
            let fitting = delta_read::count_fitting(steps.as_slice());
            if fitting >= steps.len() {
                break;
            }
            // Each part gets only the memory that it needs: `split_off` would leave the room of the whole rest in every
            // part.
            let mut part = Vec::with_capacity(fitting);
            part.extend(steps.by_ref().take(fitting));
            let read = ReadDelta { steps: part, ..ReadDelta::default() };
            parts.push(Self { seq: self.seq, slot: None, read, end: None });
        }
        self.read.steps = steps.collect();
        parts.push(self);
        parts
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::feeds::issue::Issue;
    use crate::feeds::section::{FeedPart, Section};
    use crate::limits;
    use crate::submissions::issues::IssueCollector;

    #[test]
    fn parts_have_no_more_room_than_the_delta() {
        let count = 40 * limits::UNIT_ROWS;
        let step = |n: usize| DeltaStep {
            n: n as i64,
            op: Op::DeleteProduct("unknown".to_owned()),
            row_number: n as u64 + 1,
            raw: None,
        };
        let read = ReadDelta { steps: (0..count).map(step).collect(), ..ReadDelta::default() };
        let parts = Delta { seq: 1, slot: None, read, end: Some(DeltaEnd::default()) }.into_parts();
        assert_eq!(parts.iter().map(|part| part.read.steps.len()).sum::<usize>(), count);
        assert!(parts.iter().map(|part| part.read.steps.capacity()).sum::<usize>() <= 2 * count);
    }

    /// A delta that removes so many products and replaces one with so many children, if any.
    fn delta(removals: usize, children: Option<usize>) -> Delta {
        let put = children.map(|count| Op::Put {
            section: Section::Products,
            item: "p".to_owned(),
            sku: None,
            children: vec!["child".to_owned(); count],
            body: Vec::new(),
        });
        let removals = (0..removals).map(|n| Op::DeleteProduct(n.to_string()));
        let step = |(n, op): (i64, Op)| DeltaStep { n, op, row_number: 1, raw: None };
        let steps = (0..).zip(removals.chain(put)).map(step).collect();
        Delta {
            seq: 7,
            slot: None,
            read: ReadDelta { steps, ..ReadDelta::default() },
            end: Some(DeltaEnd::default()),
        }
    }

    /// Bad rows of products, from the third on.
    fn collector_after(rows: u64) -> IssueCollector {
        let mut found = IssueCollector::of_delta();
        found.add(&mut (3..3 + rows).map(|row| Issue::oversize(FeedPart::PRODUCTS, row, 0)).collect());
        found
    }

    #[test]
    fn a_part_is_a_unit_of_work_and_the_last_one_ends_the_delta() {
        const MOST: usize = limits::UNIT_ROWS;
        for (removals, children, parts) in [
            (0, None, vec![0]),
            (MOST, None, vec![MOST]),
            (MOST + 1, None, vec![MOST, 1]),
            (2 * MOST, None, vec![MOST, MOST]),
            (1, Some(MOST - 2), vec![2]),
            (1, Some(MOST - 1), vec![1, 1]),
            (0, Some(3 * MOST), vec![1]),
        ] {
            let split = delta(removals, children).into_parts();
            let sizes: Vec<_> = split.iter().map(|part| part.read.steps.len()).collect();
            assert_eq!(sizes, parts, "{removals} removals, {children:?} children");
            let numbers = split.iter().flat_map(|part| &part.read.steps).map(|step| step.n);
            assert!(numbers.eq(0..(removals + usize::from(children.is_some())) as i64));
            let ends: Vec<_> = split.iter().map(|part| (part.seq, part.end.is_some())).collect();
            let expected: Vec<_> = (1..=parts.len()).map(|part| (7, part == parts.len())).collect();
            assert_eq!(ends, expected);
        }
    }

    #[test]
    fn a_delta_writes_its_own_row_its_issues_its_operations_and_their_children() {
        assert_eq!(delta(0, None).rows(), 1);
        let mut delta = delta(3, Some(4));
        delta.read.found = collector_after(2);
        assert_eq!(delta.rows(), 1 + 2 + 3 + 5);
    }

    #[test]
    fn a_delta_with_bad_rows_names_the_first_three() {
        let outcome = |bad| {
            let Delta { read, .. } = delta(2, None);
            DeltaEnd::from_read(&ReadDelta { bad, found: collector_after(bad), ..read }).outcome(&[])
        };
        assert_eq!(outcome(0), Ok(()));
        let row = |row: u64| format!("Products row {row}: row_too_large");
        let said =
            |bad, rows: &str| format!("{bad} bad rows were skipped, 2 good ones were applied ({rows})");
        assert_eq!(outcome(1), Err(said(1, &row(3))));
        assert_eq!(outcome(4), Err(said(4, &[3, 4, 5].map(row).join("; "))));
        let end = DeltaEnd::from_read(&ReadDelta::unusable("it is no JSON"));
        assert_eq!(end.outcome(&[]), Err("it is no JSON".to_owned()));
    }

    #[test]
    fn rows_that_are_found_to_be_bad_when_they_are_applied_are_no_longer_good() {
        let told = |severity: &str, found: i64, first_rows: &[i64]| IssueTotal {
            section: "SetVariants".to_owned(),
            code: "variant_product_missing".to_owned(),
            severity: severity.to_owned(),
            found,
            first_rows: first_rows.to_vec(),
        };
        let outcome = |bad, told: &[IssueTotal]| {
            let Delta { read, .. } = delta(4, None);
            DeltaEnd::from_read(&ReadDelta { bad, found: collector_after(bad), ..read }).outcome(told)
        };
        assert_eq!(outcome(0, &[told("warning", 3, &[1, 2, 3])]), Ok(()));
        let row = |row: u64| format!("SetVariants row {row}: variant_product_missing");
        let expected =
            format!("3 bad rows were skipped, 1 good ones were applied ({}; {}; {})", row(2), row(5), row(9));
        assert_eq!(outcome(0, &[told("warning", 1, &[1]), told("bad", 3, &[2, 5, 9])]), Err(expected));
        let expected = format!(
            "3 bad rows were skipped, 2 good ones were applied (Products row 3: row_too_large; {}; {})",
            row(2),
            row(5)
        );
        assert_eq!(outcome(1, &[told("bad", 2, &[2, 5])]), Err(expected));
    }
}
