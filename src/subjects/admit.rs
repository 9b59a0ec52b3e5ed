//! The one way to a subject that may be written to: nothing about a person is stored but under one of these.

use crate::args;
use crate::clock::Millis;
use crate::ids::AccountId;
use crate::keys::{Keys, Newcomer, Sealer, Spares};
use crate::sql;
use crate::store::{StoreFault, Tx};
use crate::subjects::door;
use crate::subjects::named::{Named, Role};
use crate::subjects::records::RecordKind;
use crate::subjects::rows;
use crate::subjects::subject::{self, SubjectFault, SubjectId, identifier_aad, record_aad};

/// What the rows of one unit of work have in common.
pub struct Desk<'a> {
    /// Gives tags and keys.
    pub keys: &'a Keys,
    /// The shop.
    pub account: AccountId,
    /// The place at which the rows were accepted.
    pub seq: i64,
    /// The time.
    pub now: Millis,
    /// Key slots for people who turn out to be new.
    pub spares: &'a Spares,
}

/// What a row says about its person.
#[derive(Clone, Copy)]
pub enum About {
    /// Who they are: it counts unless a later row removed them.
    Profile,
    /// Something that they did at a time: of somebody who came back, nothing of before is stored again.
    Deed(Millis),
}

/// A row that asks to be stored. Cannot be printed.
pub struct Row<'a> {
    /// Whom it names.
    pub named: Named<'a>,
    /// What it says.
    pub about: About,
}

/// What became of a row.
pub enum Admitted {
    /// It may be stored under this subject.
    Known(Subject),
    /// It may be stored under a subject that is made for it.
    New(Vacancy),
    /// The person is forgotten, or was removed after the row was sent, or it is of before they came back.
    Dropped,
}

/// Says that a row may be stored, and that nobody is known under whom.
pub struct Vacancy(());

/// A subject that may be written to.
pub struct Subject {
    id: SubjectId,
    sealer: Sealer,
}

crate::unprintable::unprintable!(Row<'static>, Subject);

/// Finds the subject under which a row may be stored. In this order: the door, a removal that came later, a return, the
/// subject that is known, else one that can be made.
///
/// # Errors
/// When the store or a key fails.
pub fn admit(tx: &mut Tx<'_>, desk: &Desk<'_>, row: &Row<'_>) -> Result<Admitted, SubjectFault> {
    // red: it::people::sqlite::a_forgotten_person_comes_back_by_no_door, it::orders::sqlite::a_forgotten_persons_order_is_dropped_at_the_door
    if mutant!(
        "door-open",
        !door::admits(tx, desk.keys, desk.account, &row.named, desk.seq, desk.now)?,
        false
    ) || is_outdated(tx, desk, row)?
    {
        return Ok(Admitted::Dropped);
    }
    Ok(known(tx, desk, &row.named)?.map_or(Admitted::New(Vacancy(())), Admitted::Known))
}

/// Whether something that was accepted later, or a return, makes a row that the door let in too old.
fn is_outdated(tx: &mut Tx<'_>, desk: &Desk<'_>, row: &Row<'_>) -> Result<bool, StoreFault> {
    let Desk { keys, account, seq, .. } = *desk;
    match row.about {
        About::Profile => {
            let Some(user_id) = row.named.get(Role::UserId) else { return Ok(false) };
            let removed =
                tx.row(&sql::user_removal_get, args![account.0, &keys.lookup_tag(account, user_id)])?;
            // red: it::people::sqlite::a_user_that_a_delta_removed_is_not_brought_back_by_an_older_feed
            removed.map_or(Ok(false), |row| {
                row.int(0).map(|at| mutant!("a-removed-user-comes-back", at > seq, false))
            })
        }
        About::Deed(at) => {
            let came_back_at = door::came_back_at(tx, keys, account, &row.named)?;
            // red: it::erasures::sqlite::a_person_who_comes_back_is_let_in_and_nothing_old_returns
            Ok(came_back_at.is_some_and(|came_back_at| {
                mutant!("what-was-ordered-before-comes-back", at < came_back_at, false)
            }))
        }
    }
}

/// The subject of a person whom the door let in, if there is one. One whose key is lost can never be read again: it
/// goes, so that the person can be stored anew.
fn known(tx: &mut Tx<'_>, desk: &Desk<'_>, named: &Named<'_>) -> Result<Option<Subject>, SubjectFault> {
    let Some((id, slot)) = subject::find(tx, desk.keys, desk.account, named)? else { return Ok(None) };
    match desk.keys.sealer(slot) {
        Ok(sealer) => Ok(Some(Subject { id, sealer })),
        // red: it::people::sqlite::a_person_whose_key_was_lost_is_stored_anew
        Err(fault) if mutant!("a-lost-key-blocks-its-person", fault.is_lost(), false) => {
            tracing::warn!(account = desk.account.0, "a person's key was lost; the person is stored anew");
            rows::delete(tx, &id)?;
            Ok(None)
        }
        Err(fault) => Err(fault.into()),
    }
}

impl Admitted {
    /// The subject of a row of which a part is stored under `only`: that one, if it is the known subject or another one
    /// that the first identifier of the row leads to.
    ///
    /// # Errors
    /// When the store or a key fails.
    pub fn into_only(
        self,
        tx: &mut Tx<'_>,
        desk: &Desk<'_>,
        row: &Row<'_>,
        only: &SubjectId,
    ) -> Result<Option<Subject>, SubjectFault> {
        match self {
            Self::Dropped => return Ok(None),
            Self::Known(subject) if subject.id == *only => return Ok(Some(subject)),
            Self::Known(_) | Self::New(_) => {}
        }
        let Some((_, first)) = row.named.leading().next() else { return Ok(None) };
        if !subject::leads_to(tx, desk.keys, desk.account, first, only)? {
            return Ok(None);
        }
        let open = subject::open(tx, desk.keys, only)?;
        Ok(open.map(|open| Subject { id: open.id, sealer: open.sealer }))
    }
}

impl Vacancy {
    /// Makes a subject, whom nothing leads to yet.
    ///
    /// # Errors
    /// When the store or a key fails, or when more people are new than keys were set aside for.
    pub fn fill(self, tx: &mut Tx<'_>, desk: &Desk<'_>) -> Result<Subject, SubjectFault> {
        let Newcomer { id, slot } = desk.spares.take()?;
        tx.exec(&sql::subject_insert, args![&id, desk.account.0, slot.row(), desk.now])?;
        Ok(Subject { id, sealer: desk.keys.sealer(slot)? })
    }
}

impl Subject {
    /// Its random id.
    #[must_use]
    pub fn id(&self) -> &SubjectId {
        &self.id
    }

    /// Seals a record and stores it as the `n`th of its kind. False: what is stored there came with a later submission,
    /// and stays.
    ///
    /// # Errors
    /// When the store or sealing fails.
    pub fn put(
        &self,
        tx: &mut Tx<'_>,
        desk: &Desk<'_>,
        (kind, n): (&RecordKind, i64),
        content: &[u8],
    ) -> Result<bool, SubjectFault> {
        let kind = kind.name();
        let sealed = self.sealer.seal(&record_aad(desk.account, &self.id, kind, n), content)?;
        // red: it::churn::sqlite::residue_churn_seed_1
        let stored = mutant!("a-profile-in-plain-text", sealed.as_slice(), content);
        Ok(tx.exec(&sql::record_put, args![&self.id, kind, n, desk.seq, stored])? > 0)
    }

    /// Opens a record.
    ///
    /// # Errors
    /// When the store fails, or there is none that opens.
    pub fn get(
        &self,
        tx: &mut Tx<'_>,
        desk: &Desk<'_>,
        (kind, n): (&RecordKind, i64),
    ) -> Result<zeroize::Zeroizing<Vec<u8>>, SubjectFault> {
        let kind = kind.name();
        let row = tx.row(&sql::record_get, args![&self.id, kind, n])?;
        let row = row.ok_or(StoreFault::Shape { statement: "record_get", column: 0 })?;
        Ok(self.sealer.open(&record_aad(desk.account, &self.id, kind, n), row.blob(0)?)?)
    }

    /// Leads the identifiers of a row to it.
    ///
    /// # Errors
    /// When the store or sealing fails.
    pub fn lead(&self, tx: &mut Tx<'_>, desk: &Desk<'_>, named: &Named<'_>) -> Result<(), SubjectFault> {
        for (_, id) in named.leading() {
            let tag = desk.keys.lookup_tag(desk.account, id);
            let aad = identifier_aad(desk.account, &self.id, &tag);
            let sealed = self.sealer.seal(&aad, id.normal().as_bytes())?;
            let kind = i64::from(id.kind().code());
            tx.exec(&sql::identifier_insert, args![desk.account.0, &tag, &self.id, kind, sealed.as_slice()])?;
        }
        if named.get(Role::UserId).is_some() {
            tx.exec(&sql::identifier_of_user, args![&self.id])?;
        }
        Ok(())
    }
}
