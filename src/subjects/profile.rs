//! Profiles: a person as a user feed or a delta describes one, sealed under the key of their subject.

use crate::args;
use crate::ids::AccountId;
use crate::ids::identifier::Identifier;
use crate::keys::{Keys, SlotNumber};
use crate::sql;
use crate::store::{StoreFault, Tx};
use crate::subjects::admit::{About, Admitted, Desk, Row, admit};
use crate::subjects::door;
use crate::subjects::named::{Named, Role};
use crate::subjects::records::PROFILE;
use crate::subjects::rows;
use crate::subjects::subject::{self, SubjectFault};
use zeroize::Zeroizing;

/// A profile with its identifiers in normal form. Cannot be printed.
pub struct Profile {
    /// The shop's id of the person.
    pub user_id: Identifier,
    /// Their email address, if it is one.
    pub email: Option<Identifier>,
    /// The profile as JSON, overwritten when dropped.
    pub json: Zeroizing<Vec<u8>>,
}

crate::unprintable::unprintable!(Profile);

/// What became of a profile.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stored {
    /// Under its person.
    Kept,
    /// The person is forgotten, or was removed after this row was sent: dropped.
    Dropped,
}

/// Stores a profile; an older one never replaces a newer one.
///
/// # Errors
/// As [`admit`].
pub fn store(tx: &mut Tx<'_>, desk: &Desk<'_>, profile: &Profile) -> Result<Stored, SubjectFault> {
    let named = Named::default()
        .with(Role::UserId, Some(&profile.user_id))
        .with(Role::ProfileEmail, profile.email.as_ref());
    let row = Row { named, about: About::Profile };
    let subject = match admit(tx, desk, &row)? {
        Admitted::Known(subject) => subject,
        Admitted::New(vacancy) => vacancy.fill(tx, desk)?,
        Admitted::Dropped => return Ok(Stored::Dropped),
    };
    if subject.put(tx, desk, (PROFILE, 0), &profile.json)? {
        subject.lead(tx, desk, &row.named)?;
    }
    Ok(Stored::Kept)
}

/// Removes a profile that is not newer than place `seq` (`DeleteUsers`: no erasure, nobody is suppressed).
/// Gives the key slot of a subject of whom nothing is left, to be destroyed after the commit; one who has orders stays,
/// with the identifiers that lead to them. An older feed that is still open does not bring the user back.
pub fn remove(
    tx: &mut Tx<'_>,
    keys: &Keys,
    account: AccountId,
    user_id: &Identifier,
    seq: i64,
) -> Result<Option<SlotNumber>, StoreFault> {
    let feeds = tx.row(&sql::submission_feeds_before, args![account.0, seq])?;
    // A forgotten user is kept out by the suppression; nothing else remembers them.
    let is_forgotten = door::find(tx, keys, account, user_id)?.is_some_and(|shut| shut.keeps_out(seq));
    if feeds.map_or(Ok(0), |row| row.int(0))? > 0 && !is_forgotten {
        tx.exec(&sql::user_removal_put, args![account.0, &keys.lookup_tag(account, user_id), seq])?;
    }
    let named = Named::default().with(Role::UserId, Some(user_id));
    let Some((subject, slot)) = subject::find(tx, keys, account, &named)? else { return Ok(None) };
    tx.exec(&sql::record_delete_kind, args![&subject, PROFILE.name(), seq])?;
    let is_anybody = rows::is_anybody(tx, &subject)?;
    let forgotten = tx.row(&sql::subject_get, args![&subject])?.map_or(Ok(None), |row| row.opt_int(1))?;
    // red: it::orders::sqlite::removing_a_user_keeps_the_orders
    if mutant!("a-removed-profile-takes-the-orders-along", is_anybody, false) || forgotten.is_some() {
        return Ok(None);
    }
    rows::delete(tx, &subject)?;
    Ok(Some(slot))
}

/// Forgets which users deltas removed, as far as no open feed can bring them back.
pub fn sweep_removals(tx: &mut Tx<'_>, account: AccountId) -> Result<(), StoreFault> {
    tx.exec(&sql::user_removal_sweep, args![account.0])?;
    Ok(())
}
