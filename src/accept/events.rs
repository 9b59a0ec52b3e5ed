//! Accepting events: they are stored in the request's own transaction, and there is no job.

use crate::accounts;
use crate::clock::Millis;
use crate::fairness::Entry;
use crate::ids::AccountId;
use crate::keys::{Keys, Spares};
use crate::store::Tx;
use crate::subjects::admit::Desk;
use crate::subjects::event::{self, Event, Run, Stored};
use crate::subjects::subject::SubjectFault;

/// Stores the events of a request, and says what became of each. New visitors are counted by `visitors`.
///
/// # Errors
/// When the store or a key fails, or when more people are new than there are keys for.
pub fn accept(
    tx: &mut Tx<'_>,
    keys: &Keys,
    account: AccountId,
    (spares, visitors): (&Spares, &Entry),
    events: &[Event],
    now: Millis,
) -> Result<Vec<Stored>, SubjectFault> {
    spares.begin();
    let seq = accounts::next_seq(tx, account)?;
    let desk = Desk { keys, account, seq, now, spares };
    event::ask_ahead(tx, &desk, events)?;
    let mut run = Run::begin(visitors);
    let stored = events.iter().enumerate();
    stored.map(|(number, event)| event::store(tx, &desk, &mut run, event, number)).collect()
}
