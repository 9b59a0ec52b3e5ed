//! The transactions in which a checked feed ends: shown, or held back.

use std::sync::Arc;

use super::WorkFault;
use super::forgotten::Passed;
use super::product_feed_difference::Compared;
use super::product_feed_publish::KnownSource;
use crate::catalogue::base::{self, New, Places};
use crate::clock::Millis;
use crate::feeds::section::Section;
use crate::ids::AccountId;
use crate::jobs::Lease;
use crate::node::Node;
use crate::store::{StoreFault, Tx};
use crate::subjects::profile;
use crate::submissions::{self, Origin, State, followers, issues};
use crate::uploads;

/// The sentence of a feed that comes too late.
pub(super) const REPLACED: &str = "replaced by a feed submitted later";
/// The sentence of a held feed or an older snapshot that has gone meanwhile.
pub(super) const GONE: &str = "what was to be published is not kept any longer";

/// What a feed's last transaction needs.
pub(super) struct Switch {
    /// Where the feed stands.
    pub places: Places,
    /// What it shows.
    pub sections: Vec<New>,
    /// Whether it stored people, so that its end is one also when no section is left.
    pub had_people: bool,
    /// How to recognise it the next time.
    pub source: Option<KnownSource>,
    /// The addresses in its text that were let through.
    pub passed: Passed,
    /// Where it was kept until now, if it is published again.
    pub origin: Option<Origin>,
}

/// What the transaction did.
pub(super) enum Outcome {
    /// The submission ended. These sections changed, with their cuts.
    Ended(Vec<(Section, i64)>),
    /// Nothing: another feed switched, or somebody was forgotten, since that was looked at.
    Outdated,
}

impl Switch {
    /// Switches every section that no later feed has switched, and ends the submission.
    pub async fn over(
        self: &Arc<Self>,
        node: &Node,
        lease: &Lease,
        compared: Compared,
        suppressed: i64,
    ) -> Result<Outcome, WorkFault> {
        let (fence, wake, id, seq) = (lease.fence(), lease.wake, lease.account, lease.seq);
        let (now, switch) = (node.clock.now(), self.clone());
        let switched = node.store.write(move |tx| {
            fence.held(tx)?.ok_or(WorkFault::LeaseLost)?;
            let nobody_since = switch.passed.is_current(tx, id, suppressed)?;
            if !nobody_since || !compared.is_current(&base::list(tx, id)?) {
                return Ok(Outcome::Outdated);
            }
            let cuts = switch.publish(tx, id, seq, now)?;
            fence.done(tx, wake)?;
            Ok::<_, WorkFault>(Outcome::Ended(cuts))
        });
        switched.await
    }

    fn publish(
        &self,
        tx: &mut Tx<'_>,
        id: AccountId,
        seq: i64,
        now: Millis,
    ) -> Result<Vec<(Section, i64)>, StoreFault> {
        let Self { places, sections, had_people, source, passed: _, origin } = self;
        // An erasure may have removed it since it was looked up.
        if let Some(origin) = origin
            && base::kept_under(tx, id, (origin.seq, origin.section))? != *sections
        {
            end(tx, id, seq, State::Failed, Some(GONE), now)?;
            return Ok(Vec::new());
        }
        let bases = base::list(tx, id)?;
        let mut cuts = Vec::new();
        for new in sections {
            let shown = bases.get(&new.section);
            if places.may_publish(shown) {
                cuts.push((new.section, base::publish(tx, id, *places, new, shown, now)?));
            }
        }
        if cuts.is_empty() && !sections.is_empty() && !had_people {
            end(tx, id, seq, State::Failed, Some(REPLACED), now)?;
            return Ok(cuts);
        }
        if let Some(source) = source {
            source.put(tx, id)?;
        }
        if let Some(Origin { seq: held, section: None }) = origin {
            // What was wrong with its rows is told under both tokens.
            issues::copy(tx, id, *held, seq)?;
            base::release(tx, id, *held)?;
        }
        end(tx, id, seq, State::Done, None, now)?;
        Ok(cuts)
    }

    /// Keeps what was checked to be published later, and ends the submission: as failed, if there is a `refusal`.
    /// People are not kept.
    pub async fn hold(
        self: &Arc<Self>,
        node: &Node,
        lease: &Lease,
        refusal: Option<String>,
        suppressed: i64,
    ) -> Result<Outcome, WorkFault> {
        let (fence, wake, id, seq) = (lease.fence(), lease.wake, lease.account, lease.seq);
        let (now, switch) = (node.clock.now(), self.clone());
        let held = node.store.write(move |tx| {
            fence.held(tx)?.ok_or(WorkFault::LeaseLost)?;
            if !switch.passed.is_current(tx, id, suppressed)? {
                return Ok(Outcome::Outdated);
            }
            // What is published again is kept where it was, if it still is.
            if switch.origin.is_none() {
                base::hold(tx, id, seq, &switch.sections)?;
            }
            let state = if refusal.is_some() { State::Failed } else { State::Done };
            end(tx, id, seq, state, refusal.as_deref(), now)?;
            fence.done(tx, wake)?;
            Ok::<_, WorkFault>(Outcome::Ended(Vec::new()))
        });
        held.await
    }
}

/// Ends the submission and those that follow it; its pieces, and what was only remembered because of open feeds, may go.
pub(super) fn end(
    tx: &mut Tx<'_>,
    account: AccountId,
    seq: i64,
    state: State,
    reason: Option<&str>,
    now: Millis,
) -> Result<(), StoreFault> {
    submissions::finish(tx, account, seq, state, reason, now)?;
    followers::finish(tx, account, seq, state, reason, now, Millis::MAX)?;
    uploads::delete_pieces(tx, account, seq)?;
    profile::sweep_removals(tx, account)
}
