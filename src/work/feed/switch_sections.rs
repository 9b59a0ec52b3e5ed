//! The transactions in which a checked feed ends: shown, or held back.

use std::sync::Arc;

use super::difference::FeedComparison;
use super::log_line::{self, EndedFeed};
use super::source::KnownSource;
use crate::accept::end_feed;
use crate::catalogue::base::{self, NewSnapshot, Places};
use crate::catalogue::write;
use crate::clock::Millis;
use crate::ids::AccountId;
use crate::jobs::Lease;
use crate::node::Node;
use crate::store::{StoreFault, Tx};
use crate::submissions::{self, RepublishSource, SubmissionOutcome, issues};
use crate::uploads;
use crate::work::fault::WorkFault;

/// The sentence of a feed that comes too late.
pub(super) const REPLACED: &str = "replaced by a feed submitted later";
/// Sentence for a held feed or an older snapshot that is gone by now.
pub(super) const GONE: &str = "what was to be published is not kept any longer";

/// Input of a feed's last transaction.
pub(super) struct SectionSwitch {
    /// Places of the feed.
    pub places: Places,
    /// Snapshots that it shows.
    pub sections: Vec<NewSnapshot>,
    /// True if it stored people: it then ends well even when no section is left.
    pub had_people: bool,
    /// Source by which it is recognised the next time.
    pub source: Option<KnownSource>,
    /// Earlier submission that kept it until now, if it is published again.
    pub origin: Option<RepublishSource>,
}

impl SectionSwitch {
    /// Switches every section that no later feed has switched, which publishes the submission. Returns
    /// `None`, and changes nothing, if another feed switched after `compared` was made.
    ///
    /// # Errors
    /// When the store fails or the lease is lost.
    pub async fn switch_sections(
        self: &Arc<Self>,
        node: &Node,
        lease: &Lease,
        compared: FeedComparison,
    ) -> Result<Option<()>, WorkFault> {
        let id = lease.account;
        let seq = lease.seq;
        let now = node.clock.now();
        let switch = self.clone();
        let switched = lease.write(&node.store, move |tx| {
            if !compared.is_current(&base::list(tx, id)?) {
                return Ok(None);
            }
            switch.publish(tx, id, seq, now)?;
            Ok::<_, WorkFault>(Some(()))
        });
        switched.await
    }

    fn publish(&self, tx: &mut Tx<'_>, id: AccountId, seq: i64, now: Millis) -> Result<(), StoreFault> {
        let Self { places, sections, had_people, source, origin } = self;
        // An erasure may have removed it since it was looked up.
        if let Some(origin) = origin
            && base::kept_under(tx, id, (origin.seq, origin.section))? != *sections
        {
            return finish_published(tx, id, seq, Err(GONE));
        }
        let bases = base::list(tx, id)?;
        let mut is_shown = false;
        for new in sections {
            let shown = bases.get(&new.section);
            if places.may_publish(shown) {
                write::publish(tx, id, *places, new, shown, now)?;
                is_shown = true;
            }
        }
        if !is_shown && !sections.is_empty() && !had_people {
            return finish_published(tx, id, seq, Err(REPLACED));
        }
        if let Some(source) = source {
            source.save(tx, id)?;
        }
        if let Some(RepublishSource { seq: held, section: None }) = origin {
            // The issues of its rows are reported under both tokens.
            issues::copy(tx, id, *held, seq)?;
            base::release(tx, id, *held)?;
        }
        finish_published(tx, id, seq, Ok(()))
    }

    /// Keeps the checked sections to be published later, and ends the submission: as failed if there is a `refusal`.
    /// Does not keep people.
    ///
    /// # Errors
    /// When the store fails or the lease is lost.
    pub async fn hold_back(
        self: &Arc<Self>,
        node: &Node,
        lease: &Lease,
        refusal: Option<String>,
    ) -> Result<(), WorkFault> {
        let id = lease.account;
        let seq = lease.seq;
        let now = node.clock.now();
        let switch = self.clone();
        let became = if refusal.is_some() { log_line::STOPPED } else { log_line::DRY_RUN };
        let held = lease.write_last(&node.store, move |tx| {
            // Republished sections are kept where they were, if they still are.
            if switch.origin.is_none() {
                base::hold_snapshots(tx, id, seq, &switch.sections)?;
            }
            end_feed(tx, id, seq, refusal.as_deref().map_or(Ok(()), Err), now)?;
            Ok::<_, WorkFault>(Some(EndedFeed::load(tx, id, seq)?))
        });
        held.await?.flatten().iter().for_each(|feed| feed.log(lease, became));
        Ok(())
    }
}

/// The last row of the submission is shown. Its input is not needed any more.
pub(super) fn finish_published(
    tx: &mut Tx<'_>,
    account: AccountId,
    seq: i64,
    outcome: SubmissionOutcome<'_>,
) -> Result<(), StoreFault> {
    submissions::published::record_outcomes(tx, account, &[(seq, outcome)])?;
    uploads::delete_pieces(tx, account, seq)
}
