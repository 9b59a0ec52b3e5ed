//! A delta that was read, in parts of one unit of work each.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::WorkFault;
use super::delta_read::{self, Read};
use super::erasure::forgotten;
use crate::accept;
use crate::accounts::Account;
use crate::feeds::rows::Context;
use crate::keys::SlotNumber;
use crate::node::Node;
use crate::submissions::Waiting;

/// Row issues a Reason names.
const NAMED_ISSUES: usize = 3;

/// A delta, or a part of a large one, that was read and is ready to be applied.
pub(super) struct Delta {
    pub(super) seq: i64,
    pub(super) slot: Option<SlotNumber>,
    pub(super) read: Read,
    /// How the delta ends, with its last part.
    pub(super) end: Option<Result<(), String>>,
}

impl Delta {
    /// Reads a delta; a panic over its content is a fault of this delta alone.
    pub(super) async fn read(node: &Node, account: &Account, waiting: Waiting) -> Result<Self, WorkFault> {
        let read = |is_forgotten: &dyn Fn(&str) -> bool| Self::caught(node, account, &waiting, is_forgotten);
        forgotten::reading(node, account.id, read).await
    }

    fn caught(
        node: &Node,
        account: &Account,
        waiting: &Waiting,
        is_forgotten: &dyn Fn(&str) -> bool,
    ) -> Result<Self, WorkFault> {
        let reading = AssertUnwindSafe(|| Self::read_payload(node, account, waiting, is_forgotten));
        catch_unwind(reading).unwrap_or(Err(WorkFault::Panicked))
    }

    fn read_payload(
        node: &Node,
        account: &Account,
        waiting: &Waiting,
        is_forgotten: &dyn Fn(&str) -> bool,
    ) -> Result<Self, WorkFault> {
        let id = account.id;
        let tag = |text: &str| node.keys.account_tag(id, text);
        let context =
            Context { default_currency: account.currency.as_deref(), account_tag: &tag, noticed: None };
        let read = match waiting.slot {
            None => delta_read::read(&waiting.payload, &context, is_forgotten),
            Some(slot) => {
                let opened = node.keys.sealer(slot).and_then(|sealer| {
                    sealer.open(&accept::payload_aad(id, waiting.token), &waiting.payload)
                });
                match opened {
                    Ok(payload) => delta_read::read(&payload, &context, is_forgotten),
                    // A lost or damaged key never comes back; the queue behind it must go on.
                    Err(fault) if fault.is_lost() => Read::unusable(
                        "the delta can no longer be read, because its key is lost; send it again",
                    ),
                    Err(fault) => return Err(fault.into()),
                }
            }
        };
        let end = Some(outcome(&read));
        Ok(Self { seq: waiting.seq, slot: waiting.slot, read, end })
    }

    /// Rows it writes, counting its own and its issues.
    pub(super) fn rows(&self) -> usize {
        1 + self.read.found.kept().len() + self.read.steps.iter().map(|step| step.op.rows()).sum::<usize>()
    }

    /// Parts of at most one unit of work each; only the last one ends the delta. Applied again after a crash
    /// they write the same changes.
    pub(super) fn into_parts(mut self) -> Vec<Self> {
        let mut parts = Vec::new();
        loop {
            let fitting = delta_read::fitting(&self.read.steps);
            if fitting >= self.read.steps.len() {
                break;
            }
            let rest = self.read.steps.split_off(fitting);
            let steps = std::mem::replace(&mut self.read.steps, rest);
            let read = Read { steps, ..Read::default() };
            parts.push(Self { seq: self.seq, slot: None, read, end: None });
        }
        parts.push(self);
        parts
    }
}

/// Applied, or failed with a reason that names the first bad rows.
fn outcome(read: &Read) -> Result<(), String> {
    if let Some(reason) = &read.unusable {
        return Err(reason.clone());
    }
    if read.bad == 0 {
        return Ok(());
    }
    let named = read.found.first_bad(NAMED_ISSUES).join("; ");
    let good = read.steps.len();
    let bad = read.bad;
    Err(format!("{bad} bad rows were skipped, {good} good ones were applied ({named})"))
}
