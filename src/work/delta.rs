//! Applying an account's deltas, one after the other, in the order they were accepted.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::delta_parts::Delta;
use super::delta_read::{Op, Step};
use super::{Ended, WorkFault, forgotten, spares};
use crate::accounts::{self, Account};
use crate::catalogue::CatalogueFault;
use crate::catalogue::changes::{self, Change, What};
use crate::catalogue::visible::Catalogue;
use crate::clock::Millis;
use crate::feeds::section::Section;
use crate::ids::AccountId;
use crate::jobs::{End, Fence, Lease};
use crate::keys::SlotNumber;
use crate::limits;
use crate::node::Node;
use crate::store::Tx;
use crate::subjects::door;
use crate::subjects::profile::{self, Stored};
use crate::submissions::{self, State, Waiting, issues};

/// How long one account's deltas keep a worker while others wait.
const TURN_DURATION: Duration = Duration::from_secs(1);

/// Applies what waits until nothing does.
pub async fn run(node: &Arc<Node>, lease: &Lease) -> Ended {
    let account = lease.account;
    let Some(account) = node.store.read(move |tx| accounts::by_id(tx, account)).await? else {
        return Ok(End::Done);
    };
    let began = Instant::now();
    loop {
        if began.elapsed() > TURN_DURATION {
            return Ok(End::RetryAt(node.clock.now(), "waiting for its turn"));
        }
        let waiting = node
            .store
            .read({
                let id = account.id;
                move |tx| submissions::waiting(tx, id, limits::DELTAS_READ)
            })
            .await?;
        if waiting.is_empty() {
            let (fence, id) = (lease.fence(), account.id);
            let ended = node.store.write(move |tx| done(tx, &fence, id)).await?;
            if ended {
                return Ok(End::Done);
            }
        }
        if lease.attempts > 1 {
            // Something failed before: the first one alone, whose tries these are, and then anew.
            if let Some(first) = waiting.into_iter().next() {
                apply_alone(node, lease, &account, first).await?;
            }
            return Ok(End::RetryAt(node.clock.now(), "waiting for its turn"));
        }
        let mut batch = Batch::default();
        for delta in waiting {
            for part in Delta::read(node, &account, delta).await?.into_parts() {
                if !batch.is_empty() && batch.rows + part.rows() > limits::UNIT_ROWS {
                    std::mem::take(&mut batch).apply(node, &account, lease.fence()).await?;
                }
                batch.push(part);
            }
            lease.progress.rows.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        }
        batch.apply(node, &account, lease.fence()).await?;
    }
}

/// Applies one delta; after the last try it is given up, so that those behind it go on.
async fn apply_alone(
    node: &Arc<Node>,
    lease: &Lease,
    account: &Account,
    waiting: Waiting,
) -> Result<(), WorkFault> {
    let (seq, slot) = (waiting.seq, waiting.slot);
    let applied = async {
        super::survivable(lease)?;
        for part in Delta::read(node, account, waiting).await?.into_parts() {
            let mut batch = Batch::default();
            batch.push(part);
            batch.apply(node, account, lease.fence()).await?;
        }
        Ok(())
    };
    match applied.await {
        Err(WorkFault::LeaseLost) => Err(WorkFault::LeaseLost),
        Err(fault) if fault.is_passing() => Err(fault),
        Err(fault) if fault.is_lost() || lease.attempts >= limits::JOB_TRIES => {
            tracing::error!(%fault, account = account.id.0, seq, "a delta was given up");
            give_up(node, lease, seq, fault.reason()).await?;
            spares::release(node, slot.into_iter().collect()).await
        }
        ended => ended,
    }
}

async fn give_up(node: &Arc<Node>, lease: &Lease, seq: i64, reason: &'static str) -> Result<(), WorkFault> {
    let (fence, account, now) = (lease.fence(), lease.account, node.clock.now());
    let ended = node.store.write(move |tx| {
        fence.held(tx)?.ok_or(WorkFault::LeaseLost)?;
        Ok::<_, WorkFault>(submissions::finish(tx, account, seq, State::Failed, Some(reason), now)?)
    });
    ended.await
}

/// Ends the job unless a delta came since.
fn done(tx: &mut Tx<'_>, fence: &Fence, account: AccountId) -> Result<bool, WorkFault> {
    let wake = fence.held(tx)?.ok_or(WorkFault::LeaseLost)?;
    if !submissions::waiting(tx, account, 1)?.is_empty() {
        return Ok(false);
    }
    Ok(fence.done(tx, wake)?)
}

/// Deltas that are applied in one transaction, with what their removals mean now.
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

    async fn apply(self, node: &Arc<Node>, account: &Account, fence: Fence) -> Result<(), WorkFault> {
        if self.is_empty() {
            return Ok(());
        }
        let people = self
            .deltas
            .iter()
            .flat_map(|delta| &delta.read.steps)
            .filter(|step| matches!(step.op, Op::User(_)));
        let spares = spares::take(node, people.count()).await?;
        let mut payload_slots: Vec<_> = self.deltas.iter().filter_map(|delta| delta.slot).collect();
        let unit = Unit {
            node: node.clone(),
            account: account.id,
            fence,
            deltas: self.deltas,
            spares: spares.clone(),
        };
        let unit = Arc::new(unit);
        let applied = node.store.write({
            let unit = unit.clone();
            move |tx| unit.apply(tx)
        });
        let freed = spares::settle(node, &spares, applied.await, |freed| &freed.used)?;
        payload_slots.extend(freed.slots);
        spares::release(node, payload_slots).await
    }
}

/// One unit of work: some deltas, in order.
struct Unit {
    node: Arc<Node>,
    account: AccountId,
    fence: Fence,
    deltas: Vec<Delta>,
    spares: Vec<SlotNumber>,
}

/// Key slots after a unit: those that new subjects took, and those nobody needs any more.
#[derive(Default)]
struct Freed {
    used: Vec<SlotNumber>,
    slots: Vec<SlotNumber>,
}

impl Unit {
    fn apply(&self, tx: &mut Tx<'_>) -> Result<Freed, WorkFault> {
        self.fence.held(tx)?.ok_or(WorkFault::LeaseLost)?;
        let mut freed = Freed::default();
        let mut spares = self.spares.iter();
        let now = self.node.clock.now();
        for delta in &self.deltas {
            let mut known = HashMap::new();
            // Somebody may have been forgotten since the addresses in its text were asked about.
            let is_current = match delta.suppressed {
                Some(suppressed) => door::suppressed(tx, self.account)? == suppressed,
                None => true,
            };
            for (n, step) in (delta.first..).zip(&delta.read.steps) {
                match &step.op {
                    Op::User(profile) => {
                        let Some(&spare) = spares.next() else { continue };
                        let stored = profile::store(
                            tx,
                            &self.node.keys,
                            self.account,
                            profile,
                            spare,
                            delta.seq,
                            now,
                        )?;
                        freed.used.extend((stored == Stored::New).then_some(spare));
                    }
                    Op::DeleteUser(id) => {
                        freed.slots.extend(profile::remove(
                            tx,
                            &self.node.keys,
                            self.account,
                            id,
                            delta.seq,
                        )?);
                    }
                    Op::Put { .. } | Op::Delete { .. } | Op::DeleteProduct(_) | Op::Membership { .. } => {
                        let mut change = self.change(tx, step, &mut known)?;
                        if !is_current && let Some(body) = &change.body {
                            let blanked = forgotten::blanked(tx, &self.node.keys, self.account, body)?;
                            change.body = blanked.or(change.body);
                        }
                        changes::write(tx, self.account, delta.seq, n as i64, &change)?;
                    }
                }
            }
            if let Some((state, reason)) = &delta.end {
                self.end(tx, delta, *state, reason.as_deref(), now)?;
            }
        }
        Ok(freed)
    }
}

/// Which item a product's Id or SKU means.
#[derive(Clone)]
struct Target {
    item: String,
    /// The SKU, unless the key is certainly an Id: an item that a feed brings later may have it.
    sku: Option<String>,
}

impl Unit {
    fn end(
        &self,
        tx: &mut Tx<'_>,
        delta: &Delta,
        state: State,
        reason: Option<&str>,
        now: Millis,
    ) -> Result<(), WorkFault> {
        for (first, some) in delta.read.found.slices() {
            issues::write(tx, self.account, delta.seq, first, &some)?;
        }
        delta.read.found.write_counts(tx, self.account, delta.seq)?;
        submissions::finish(tx, self.account, delta.seq, state, reason, now)?;
        Ok(())
    }

    /// The change that an operation on the catalogue means now.
    fn change(
        &self,
        tx: &mut Tx<'_>,
        Step { op, row_number, raw }: &Step,
        known: &mut HashMap<String, Target>,
    ) -> Result<Change, WorkFault> {
        let row_number = i64::try_from(*row_number).unwrap_or(i64::MAX);
        let delete = |section, Target { item, sku }| Change {
            section,
            item,
            sku,
            children: Vec::new(),
            what: What::Delete,
            body: None,
            row_number,
            raw: None,
        };
        Ok(match op {
            Op::Put { section, item, sku, children, body } => Change {
                section: *section,
                item: item.clone(),
                sku: sku.clone(),
                children: children.clone(),
                what: What::Put,
                body: Some(body.clone()),
                row_number,
                raw: raw.clone(),
            },
            Op::Delete { section, item } => delete(*section, Target { item: item.clone(), sku: None }),
            Op::DeleteProduct(key) => delete(Section::Products, self.target(tx, key, known)?),
            Op::Membership { product, categories, join } => Change {
                section: Section::Products,
                item: self.target(tx, product, known)?.item,
                sku: None,
                children: Vec::new(),
                what: if *join { What::Join } else { What::Leave },
                body: Some(serde_json::to_vec(categories).map_err(|_| CatalogueFault::Row)?),
                row_number,
                raw: None,
            },
            Op::User(_) | Op::DeleteUser(_) => return Err(CatalogueFault::Row.into()),
        })
    }

    /// Id first, then SKU; a key nobody knows yet may be either.
    fn target(
        &self,
        tx: &mut Tx<'_>,
        key: &str,
        known: &mut HashMap<String, Target>,
    ) -> Result<Target, WorkFault> {
        if let Some(target) = known.get(key) {
            return Ok(target.clone());
        }
        let mut catalogue = Catalogue::open(tx, &self.node.blobs, self.account)?;
        let target = if catalogue.get(Section::Products, key)?.is_some() {
            Target { item: key.to_owned(), sku: None }
        } else {
            let id = catalogue.id_of_sku(Section::Products, key)?;
            Target { item: id.unwrap_or_else(|| key.to_owned()), sku: Some(key.to_owned()) }
        };
        known.insert(key.to_owned(), target.clone());
        Ok(target)
    }
}
