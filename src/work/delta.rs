//! Applying an account's deltas, one after the other, in the order they were accepted.

use std::ops::RangeInclusive;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::delta_parts::Delta;
use super::delta_read::{DeltaStep, Op};
use super::delta_targets::{Target, Targets};
use super::fault::{JobResult, WorkFault};
use super::key_slots;
use super::time_slice::UnitTime;
use crate::accounts::{self, Account};
use crate::catalogue::CatalogueFault;
use crate::catalogue::changes::{ChangeAction, ItemChange};
use crate::catalogue::position::ChangePlace;
use crate::catalogue::visible::CatalogueView;
use crate::catalogue::write::{self, AppliedChanges};
use crate::feeds::section::Section;
use crate::ids::AccountId;
use crate::jobs::{End, Lease, TURN};
use crate::keys::{ReservedSlots, SlotNumber};
use crate::limits;
use crate::node::Node;
use crate::people::profile;
use crate::people::row_context::RowContext;
use crate::store::{StoreFault, Tx};
use crate::submissions::{self, PendingDelta, issues, published};

/// Longest time that one account's deltas keep a worker while others wait.
const TURN_DURATION: Duration = Duration::from_secs(1);

/// All places of an account's submissions.
const ALL: RangeInclusive<i64> = 0..=i64::MAX;

/// Applies waiting deltas until none is left.
pub async fn run(node: &Arc<Node>, lease: &Lease) -> JobResult {
    let id = lease.account;
    let beginning = node.store.read(move |tx| {
        let Some(account) = accounts::by_id(tx, id)? else { return Ok(None) };
        Ok::<_, StoreFault>(Some((account, submissions::waiting(tx, id, limits::DELTAS_READ)?)))
    });
    let Some((account, mut waiting)) = beginning.await? else {
        return super::fault::end_idle(node, lease).await;
    };
    if lease.attempts > 1 {
        // An earlier try failed, or the process ended: these are the tries of the first delta.
        end_published(node, lease).await?;
        return apply_first(node, lease, &account).await;
    }
    let began = Instant::now();
    let mut is_first = true;
    loop {
        let applied = match (waiting.first(), waiting.last()) {
            // An earlier run may have applied some deltas before these and not ended them.
            (Some(_), Some(last)) if is_first => 0..=last.seq,
            (Some(first), Some(last)) => first.seq..=last.seq,
            _ => ALL,
        };
        is_first = false;
        match apply_together(node, lease, &account, waiting).await {
            Err(WorkFault::LeaseLost) => return Err(WorkFault::LeaseLost),
            Err(fault) if !fault.is_passing() => {
                tracing::warn!(%fault, account = id.0, "a delta failed among others, and the first is tried alone");
                return apply_first(node, lease, &account).await;
            }
            applied => applied?,
        }
        if end_last(node, lease, applied).await?.is_some() {
            return Ok(End::Done);
        }
        if began.elapsed() > TURN_DURATION {
            return Ok(End::RetryAt { when: node.clock.now(), phase: TURN, setback: None });
        }
        waiting = self::waiting(node, id, limits::DELTAS_READ).await?;
    }
}

/// Ends the deltas between two places whose last row is shown; and the job with them, unless a delta came since.
async fn end_last(node: &Node, lease: &Lease, places: RangeInclusive<i64>) -> Result<Option<()>, WorkFault> {
    let account = lease.account;
    let now = node.clock.now();
    lease.until_stopped(shown_by_all(node, account)).await?;
    let ending = lease.write_last(&node.store, move |tx| {
        published::finish_deltas(tx, account, &places, now)?;
        Ok::<_, WorkFault>(submissions::waiting(tx, account, 1)?.is_empty().then_some(()))
    });
    ending.await
}

/// Ends all deltas whose last row is shown.
async fn end_published(node: &Node, lease: &Lease) -> Result<(), WorkFault> {
    let account = lease.account;
    if !node.store.read(move |tx| published::has_deltas(tx, account)).await? {
        return Ok(());
    }
    lease.until_stopped(shown_by_all(node, account)).await?;
    let now = node.clock.now();
    lease.write(&node.store, move |tx| Ok(published::finish_deltas(tx, account, &ALL, now)?)).await
}

/// A delta ends as soon as everything derived shows it: one wait serves many.
async fn shown_by_all(node: &Node, account: AccountId) {
    node.derived.catch_up(account).await;
}

async fn waiting(node: &Node, account: AccountId, limit: usize) -> Result<Vec<PendingDelta>, StoreFault> {
    node.store.read(move |tx| submissions::waiting(tx, account, limit)).await
}

/// Applies deltas, as many in one transaction as make up a unit of work.
async fn apply_together(
    node: &Arc<Node>,
    lease: &Lease,
    account: &Account,
    waiting: Vec<PendingDelta>,
) -> Result<(), WorkFault> {
    let known = Arc::default();
    let mut batch = Batch::default();
    for delta in waiting {
        for part in Delta::read_pending(node, account, delta).await?.into_parts() {
            if !batch.is_empty() && batch.rows + part.rows() > limits::UNIT_ROWS {
                std::mem::take(&mut batch).apply(node, lease, &known).await?;
            }
            batch.push(part);
        }
        lease.progress.rows.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    }
    batch.apply(node, lease, &known).await
}

/// Applies the first waiting delta alone, so that a fault is known to be its own.
async fn apply_first(node: &Arc<Node>, lease: &Lease, account: &Account) -> JobResult {
    let known = Arc::default();
    for delta in waiting(node, account.id, 1).await? {
        for part in Delta::read_pending(node, account, delta).await?.into_parts() {
            let mut batch = Batch::default();
            batch.push(part);
            batch.apply(node, lease, &known).await?;
        }
    }
    end_published(node, lease).await?;
    Ok(End::RetryAt { when: node.clock.now(), phase: TURN, setback: None })
}

/// Ends as failed the first delta that waits, which failed alone, so that those after it go on.
///
/// # Errors
/// When the store fails or the lease is lost: the delta then still waits. Also when its key could not be
/// destroyed: it has ended then.
pub async fn give_up(node: &Node, lease: &Lease, why: &str) -> Result<(), WorkFault> {
    // If published deltas cannot be ended, that is no fault of the waiting ones.
    end_published(node, lease).await?;
    let account = lease.account;
    let now = node.clock.now();
    let why = why.to_owned();
    let giving_up = lease.write(&node.store, move |tx| {
        let Some(first) = submissions::waiting(tx, account, 1)?.pop() else { return Ok(None) };
        submissions::finish(tx, account, first.seq, Err(&why), now)?;
        Ok::<_, WorkFault>(Some((first.seq, first.slot)))
    });
    let Some((seq, slot)) = giving_up.await? else { return Ok(()) };
    tracing::error!(account = account.0, seq, "a delta was given up");
    key_slots::release(node, slot.into_iter().collect()).await
}

/// Deltas that are applied in one transaction, with the present meaning of their removals.
#[derive(Default)]
struct Batch {
    deltas: Vec<Delta>,
    rows: usize,
}

impl Batch {
    fn is_empty(&self) -> bool {
        self.deltas.is_empty()
    }

    fn push(&mut self, delta: Delta) {
        self.rows += delta.rows();
        self.deltas.push(delta);
    }

    /// Between two units of work a stop of the node ends it: applied operations are not applied again.
    async fn apply(
        self,
        node: &Arc<Node>,
        lease: &Lease,
        known: &Arc<Mutex<Targets>>,
    ) -> Result<(), WorkFault> {
        if self.is_empty() {
            return Ok(());
        }
        let deltas = Arc::new(self.deltas);
        let mut from = DeltaProgress::default();
        while from.deltas < deltas.len() {
            lease.go_on()?;
            let steps = deltas[from.deltas..].iter().flat_map(|delta| &delta.read.steps).skip(from.steps);
            let people = steps.filter(|step| matches!(step.op, Op::User(_))).count();
            let known = known.clone();
            let unit =
                DeltaUnit { node: node.clone(), account: lease.account, deltas: deltas.clone(), from, known };
            let applied = key_slots::write(node, lease, people, move |tx, spares| unit.apply(tx, spares));
            let (done, mut freed) = applied.await?;
            let ended = &deltas[from.deltas..done.deltas];
            freed.extend(ended.iter().filter_map(|delta| delta.slot));
            key_slots::release(node, freed).await?;
            from = done;
        }
        Ok(())
    }
}

/// Position up to which deltas are applied.
#[derive(Clone, Copy, Default)]
struct DeltaProgress {
    /// Number of deltas that are applied whole.
    deltas: usize,
    /// Number of applied steps of the next one.
    steps: usize,
}

/// One unit of work: deltas from a place on, in order, as many of their steps as it has time for.
pub(super) struct DeltaUnit {
    pub(super) node: Arc<Node>,
    pub(super) account: AccountId,
    deltas: Arc<Vec<Delta>>,
    from: DeltaProgress,
    known: Arc<Mutex<Targets>>,
}

impl DeltaUnit {
    /// Returns its progress, and the key slots that are no longer needed.
    fn apply(
        &self,
        tx: &mut Tx<'_>,
        spares: &ReservedSlots,
    ) -> Result<(DeltaProgress, Vec<SlotNumber>), WorkFault> {
        let began = Instant::now();
        let mut time = UnitTime::new(|| began.elapsed());
        let mut done = self.from;
        let mut freed = Vec::new();
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.begin_unit(self.place_of(done));
        write::apply_changes(tx, self.account, |tx, applied| {
            for delta in &self.deltas[self.from.deltas..] {
                known.begin_delta(delta.seq);
                for step in &delta.read.steps[done.steps..] {
                    if !time.goes_on() {
                        return Ok(());
                    }
                    freed.extend(self.apply_step(tx, applied, (delta.seq, step), spares, &mut known)?);
                    done.steps += 1;
                }
                done = DeltaProgress { deltas: done.deltas + 1, steps: 0 };
            }
            Ok::<_, WorkFault>(())
        })?;
        self.publish(tx, &self.deltas[self.from.deltas..done.deltas])?;
        Ok((done, freed))
    }

    /// The place of the next step.
    fn place_of(&self, DeltaProgress { deltas, steps }: DeltaProgress) -> Option<ChangePlace> {
        let delta = self.deltas.get(deltas)?;
        delta.read.steps.get(steps).map(|step| ChangePlace { seq: delta.seq, n: step.n })
    }

    fn apply_step(
        &self,
        tx: &mut Tx<'_>,
        applied: &mut AppliedChanges,
        (seq, step): (i64, &DeltaStep),
        spares: &ReservedSlots,
        known: &mut Targets,
    ) -> Result<Option<SlotNumber>, WorkFault> {
        let keys = &self.node.keys;
        let now = self.node.clock.now();
        match &step.op {
            Op::User(profile) => {
                let desk = RowContext { keys, account: self.account, seq, now, spares };
                profile::store(tx, &desk, profile)?;
            }
            Op::DeleteUser(id) => return Ok(profile::remove(tx, keys, self.account, id, seq)?),
            Op::SetVariant(_) | Op::DeleteVariant(_) => {
                self.apply_variant(tx, applied, ChangePlace { seq, n: step.n }, step, known)?;
            }
            Op::Put { .. } | Op::Delete { .. } | Op::DeleteProduct(_) | Op::Membership { .. } => {
                let at = ChangePlace { seq, n: step.n };
                if !applied.has(at) {
                    let change = self.change(tx, applied, step, known)?;
                    applied.record_change(at, change);
                }
            }
        }
        Ok(None)
    }
}

impl DeltaUnit {
    /// Writes the issues and the outcome of each delta whose last part this is.
    fn publish(&self, tx: &mut Tx<'_>, whole: &[Delta]) -> Result<(), StoreFault> {
        let mut ended = Vec::new();
        for delta in whole {
            let Some(end) = &delta.end else { continue };
            // Those of rows about variants, which were found while they were applied.
            let told =
                if end.has_variants { issues::counts(tx, self.account, delta.seq)? } else { Vec::new() };
            issues::write_of_delta(tx, self.account, delta.seq, &delta.read.found)?;
            ended.push((delta.seq, end.outcome(&told)));
        }
        let ended: Vec<_> =
            ended.iter().map(|(seq, end)| (*seq, end.as_ref().copied().map_err(String::as_str))).collect();
        published::record_outcomes(tx, self.account, &ended)
    }

    /// The present meaning of an operation on the catalogue, as a change.
    fn change(
        &self,
        tx: &mut Tx<'_>,
        applied: &mut AppliedChanges,
        DeltaStep { op, row_number, raw, .. }: &DeltaStep,
        known: &mut Targets,
    ) -> Result<ItemChange, WorkFault> {
        let row_number = i64::try_from(*row_number).unwrap_or(i64::MAX);
        let delete = |section, Target { item, sku }| ItemChange {
            section,
            item,
            sku,
            children: Vec::new(),
            what: ChangeAction::Delete,
            body: None,
            row_number,
            raw: None,
        };
        Ok(match op {
            Op::Put { section, item, sku, children, body } => {
                known.forget(*section, item, sku.as_deref());
                ItemChange {
                    section: *section,
                    item: item.clone(),
                    sku: sku.clone(),
                    children: children.clone(),
                    what: ChangeAction::Put,
                    body: Some(body.clone()),
                    row_number,
                    raw: raw.clone(),
                }
            }
            Op::Delete { section, item } => delete(*section, Target { item: item.clone(), sku: None }),
            Op::DeleteProduct(key) => delete(Section::Products, self.target(tx, applied, key, known)?),
            Op::Membership { product, categories, join } => ItemChange {
                section: Section::Products,
                item: self.target(tx, applied, product, known)?.item,
                sku: None,
                children: Vec::new(),
                what: if *join { ChangeAction::Join } else { ChangeAction::Leave },
                body: Some(serde_json::to_vec(categories).map_err(|_| CatalogueFault::Row)?),
                row_number,
                raw: None,
            },
            Op::User(_) | Op::DeleteUser(_) | Op::SetVariant(_) | Op::DeleteVariant(_) => {
                return Err(CatalogueFault::Row.into());
            }
        })
    }

    /// Id first, then SKU; an unknown key may be either.
    fn target(
        &self,
        tx: &mut Tx<'_>,
        applied: &mut AppliedChanges,
        key: &str,
        known: &mut Targets,
    ) -> Result<Target, WorkFault> {
        if let Some(target) = known.find_target(key) {
            return Ok(target);
        }
        applied.settle(tx)?;
        let mut catalogue = CatalogueView::open(tx, &self.node.blobs, self.account)?;
        let found = catalogue.find_by_id_or_sku(Section::Products, key)?.map(|item| item.id);
        let is_id = found.as_deref() == Some(key);
        let item = found.unwrap_or_else(|| key.to_owned());
        let target = Target { item, sku: (!is_id).then(|| key.to_owned()) };
        known.record(key, &target);
        Ok(target)
    }
}
