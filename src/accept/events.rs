//! Accepting events: they are stored in the request's own transaction, and there is no job.

use crate::accounts;
use crate::clock::Millis;
use crate::ids::AccountId;
use crate::keys::{Keys, Spares};
use crate::store::Tx;
use crate::subjects::admit::Desk;
use crate::subjects::event::{self, Event, Newest, Visit};
use crate::subjects::subject::SubjectFault;

/// Stores the events of a request, and gives the session of each; `None` of somebody who is forgotten.
///
/// # Errors
/// When the store or a key fails, or when more people are new than keys were set aside for.
pub fn accept(
    tx: &mut Tx<'_>,
    keys: &Keys,
    account: AccountId,
    spares: &Spares,
    events: &[Event],
    now: Millis,
) -> Result<Vec<Option<Visit>>, SubjectFault> {
    spares.begin();
    let seq = accounts::next_seq(tx, account)?;
    let desk = Desk { keys, account, seq, now, spares };
    event::ask_ahead(tx, &desk, events)?;
    let mut newest = Newest::default();
    let stored = events.iter().enumerate();
    stored.map(|(number, event)| event::store(tx, &desk, &mut newest, event, number)).collect()
}
