//! The one way to a writable subject: everything about a person is stored under one of these.

use super::row_context::RowContext;
use super::subject_row::{RowKind, SubjectRow};
use crate::clock::{Day, second_of};
use crate::ids::AccountId;
use crate::ids::identifier::Identifier;
use crate::keys::{Keys, ReservedSlot, Sealer, SlotNumber, Tag};
use crate::people::browser::{self, BrowserOwner};
use crate::people::identifier_links::{self, LinkKind, LinkedSubject};
use crate::people::identifiers::{IdentifierRole, RowIdentifiers};
use crate::people::record_kind::RecordKind;
use crate::people::subject::{SubjectFault, SubjectId, identifier_aad, record_aad};
use crate::people::{rows, suppression_gate};
use crate::store::{StoreFault, Tx};
use crate::{args, limits, sql};

/// Outcome of admitting a row.
pub enum Admission {
    /// It may be stored under this subject.
    Known(WritableSubject),
    /// It may be stored under a new subject.
    New(NewSubjectPermit),
    /// The person is forgotten, or was removed after the row was sent, or the row is older than their return.
    Dropped,
}

/// Permission to create a subject for a row whose person is not known yet.
pub struct NewSubjectPermit(());

/// A subject that may be written to.
pub struct WritableSubject {
    id: SubjectId,
    sealer: Sealer,
    /// Role in which the row's identifier leads to it; `None` if the subject was made for the row.
    link: Option<LinkKind>,
}

static_assertions::assert_not_impl_any!(SubjectRow<'static>: std::fmt::Debug, std::fmt::Display, serde::Serialize);
static_assertions::assert_not_impl_any!(WritableSubject: std::fmt::Debug, std::fmt::Display, serde::Serialize);

/// The subject of something that was let in before, for a further record; `None` when it is gone or is being forgotten.
///
/// # Errors
/// When the store fails or the key was destroyed.
pub fn let_in(
    tx: &mut Tx<'_>,
    keys: &Keys,
    account: AccountId,
    id: &SubjectId,
) -> Result<Option<WritableSubject>, SubjectFault> {
    let Some(row) = tx.row(&sql::subject_get, args![account.0, id])? else { return Ok(None) };
    if row.opt_int("forgotten_seq")?.is_some() {
        return Ok(None);
    }
    let slot = SlotNumber::from_row(row.int("slot")?);
    let slot = slot.ok_or(StoreFault::Shape { statement: "subject_get", column: "slot" })?;
    Ok(Some(WritableSubject { id: *id, sealer: keys.sealer(slot)?, link: None }))
}

/// Finds the subject under which a row may be stored. In this order: the door, a later removal, a return, the known
/// subject, else a new one.
///
/// # Errors
/// When the store or a key fails.
pub fn admit(
    tx: &mut Tx<'_>,
    desk: &RowContext<'_>,
    row: &SubjectRow<'_>,
) -> Result<Admission, SubjectFault> {
    let whose = browser::whose_of(tx, desk, row)?;
    let found = find_subject(tx, desk, row, whose)?;
    let is_let_in = suppression_gate::admits(tx, desk, &row.named, found.as_ref())?;
    if whose == BrowserOwner::KeptOut || !is_let_in || found.is_some_and(|led| led.is_closing) {
        tx.exec(&sql::account_count_kept_out, args![desk.account.0])?;
        return Ok(Admission::Dropped);
    }
    if is_outdated(tx, desk, row, found.as_ref())? {
        return Ok(Admission::Dropped);
    }
    let Some(led) = found else { return Ok(Admission::New(NewSubjectPermit(()))) };
    Ok(open_subject(tx, desk, &led)?.map_or(Admission::New(NewSubjectPermit(())), Admission::Known))
}

/// Way to look up the subject of a row.
pub(super) enum Lookup<'a> {
    /// By the tag of a user id.
    User(Tag),
    /// By that of the number in a cookie.
    Visitor(Tag),
    /// As a guest or company known only by this identifier.
    Alone(&'a Identifier, LinkKind),
}

/// Chooses how to look up the subject of a row: by its user id, otherwise as the guest of its email, or as the company
/// if the row names nothing else. Two user ids never become one person, and an email in an order creates no user.
pub(super) fn lookup_of<'a>(
    keys: &Keys,
    account: AccountId,
    named: &RowIdentifiers<'a>,
) -> Option<Lookup<'a>> {
    let (role, first) = named.leading().next()?;
    Some(match role {
        IdentifierRole::UserId => Lookup::User(keys.lookup_tag(account, first)),
        IdentifierRole::Visitor => Lookup::Visitor(keys.lookup_tag(account, first)),
        IdentifierRole::UserAddress
        | IdentifierRole::CompanyAddress
        | IdentifierRole::ProfileEmail
        | IdentifierRole::OrderEmail => Lookup::Alone(first, LinkKind::Guest),
        IdentifierRole::Company => Lookup::Alone(first, LinkKind::Alone),
    })
}

fn find_subject(
    tx: &mut Tx<'_>,
    desk: &RowContext<'_>,
    row: &SubjectRow<'_>,
    whose: BrowserOwner,
) -> Result<Option<LinkedSubject>, StoreFault> {
    let RowContext { keys, account, .. } = *desk;
    match lookup_of(keys, account, &row.named) {
        Some(Lookup::User(tag)) => Ok(identifier_links::list_linked(tx, account, &tag, 1)?.pop()),
        Some(Lookup::Visitor(tag)) => {
            identifier_links::of_visitor(tx, account, &tag, whose == BrowserOwner::Own)
        }
        Some(Lookup::Alone(id, link)) => identifier_links::find_by_sole_link(tx, keys, account, (id, link)),
        None => Ok(None),
    }
}

/// Returns true if a row that the door let in is too old, because of a later removal or a return of the person.
fn is_outdated(
    tx: &mut Tx<'_>,
    desk: &RowContext<'_>,
    row: &SubjectRow<'_>,
    found: Option<&LinkedSubject>,
) -> Result<bool, StoreFault> {
    let RowContext { keys, account, seq, .. } = *desk;
    match row.about {
        RowKind::Profile => {
            let Some(user_id) = row.named.identifier(IdentifierRole::UserId) else { return Ok(false) };
            let removed =
                tx.row(&sql::user_removal_get, args![account.0, &keys.lookup_tag(account, user_id)])?;
            removed.map_or(Ok(false), |row| row.int("seq").map(|at| at > seq))
        }
        RowKind::Interaction(at) => {
            let came_back_at =
                suppression_gate::came_back_at(tx, keys, account, &counting(&row.named, found))?;
            Ok(came_back_at.is_some_and(|came_back_at| at < second_of(came_back_at)))
        }
    }
}

/// Identifiers that say whom a row is about. The email of an order does not if its user id has one in a profile.
fn counting<'a>(named: &RowIdentifiers<'a>, found: Option<&LinkedSubject>) -> RowIdentifiers<'a> {
    match found {
        Some(led) if led.link == LinkKind::UserNow => named.clone().without(IdentifierRole::OrderEmail),
        _ => named.clone(),
    }
}

/// Opens a known subject. A subject whose key is lost can never be read again: it is removed, so that the person can be
/// stored again.
fn open_subject(
    tx: &mut Tx<'_>,
    desk: &RowContext<'_>,
    led: &LinkedSubject,
) -> Result<Option<WritableSubject>, SubjectFault> {
    match desk.keys.sealer(led.slot) {
        Ok(sealer) => Ok(Some(WritableSubject { id: led.subject, sealer, link: Some(led.link) })),
        Err(fault) if fault.is_lost() => {
            tracing::warn!(account = desk.account.0, "a person's key was lost; the person is stored anew");
            give_up(tx, desk, &led.subject)?;
            Ok(None)
        }
        Err(fault) => Err(fault.into()),
    }
}

/// Gives up an unreadable subject. If its rows exceed one unit of work, its identifiers go now, and
/// [`crate::people::retention`] removes the rest.
fn give_up(tx: &mut Tx<'_>, desk: &RowContext<'_>, subject: &SubjectId) -> Result<(), StoreFault> {
    desk.spares.note_lost(*subject);
    // If there are many, the first one: the others go later, whole.
    let is_first = desk.spares.lost_subjects().len() <= 1;
    let most = limits::UNIT_ROWS as i64;
    if is_first && rows::delete_some(tx, desk.account, subject, most)? {
        return Ok(());
    }
    (rows::IDENTIFIERS.delete)(tx, desk.account, subject, most)?;
    tx.exec(&sql::subject_close, args![desk.account.0, subject, rows::GIVEN_UP]).map(drop)
}

impl Admission {
    /// The subject, created now if the person is unknown; `None` when the row is dropped.
    ///
    /// # Errors
    /// As [`NewSubjectPermit::fill`].
    pub fn into_subject(
        self,
        tx: &mut Tx<'_>,
        desk: &RowContext<'_>,
    ) -> Result<Option<WritableSubject>, SubjectFault> {
        match self {
            Self::Known(subject) => Ok(Some(subject)),
            Self::New(vacancy) => vacancy.fill(tx, desk).map(Some),
            Self::Dropped => Ok(None),
        }
    }
}

impl NewSubjectPermit {
    /// Makes a subject to which no identifier leads yet.
    ///
    /// # Errors
    /// When the store or a key fails, or when there are more new people than reserved keys.
    pub fn fill(self, tx: &mut Tx<'_>, desk: &RowContext<'_>) -> Result<WritableSubject, SubjectFault> {
        let ReservedSlot { id, slot } = desk.spares.take_newcomer()?;
        tx.defer(&sql::subject_insert, args![desk.account.0, &id, slot.row(), desk.now])?;
        Ok(WritableSubject { id, sealer: desk.keys.sealer(slot)?, link: None })
    }
}

impl WritableSubject {
    /// Its random id.
    #[must_use]
    pub fn id(&self) -> &SubjectId {
        &self.id
    }

    /// Seals a record and stores it as the `n`th of its kind. Returns false if a later submission stored a
    /// record there, which stays.
    ///
    /// # Errors
    /// When the store or sealing fails.
    pub fn put_record(
        &self,
        tx: &mut Tx<'_>,
        desk: &RowContext<'_>,
        (kind, n): (&RecordKind, i64),
        content: &[u8],
    ) -> Result<bool, SubjectFault> {
        let kind = kind.name();
        if self.has_newer(tx, desk, kind, n)? {
            return Ok(false);
        }
        let sealed = self.sealer.seal(&record_aad(desk.account, &self.id, kind, n), content)?;
        tx.defer(&sql::record_put, args![desk.account.0, &self.id, kind, n, desk.seq, sealed.as_slice()])?;
        Ok(true)
    }

    /// Returns true if a later submission stored the record. Always false if the subject was made for the row.
    fn has_newer(
        &self,
        tx: &mut Tx<'_>,
        desk: &RowContext<'_>,
        kind: &str,
        n: i64,
    ) -> Result<bool, StoreFault> {
        if self.link.is_none() {
            return Ok(false);
        }
        let stored = tx.row(&sql::record_seq, args![desk.account.0, &self.id, kind, n])?;
        stored.map_or(Ok(false), |row| Ok(row.int("seq")? > desk.seq))
    }

    /// Opens a record.
    ///
    /// # Errors
    /// When the store fails, or when there is no record or it does not open.
    pub fn open_record(
        &self,
        tx: &mut Tx<'_>,
        account: AccountId,
        (kind, n): (&RecordKind, i64),
    ) -> Result<zeroize::Zeroizing<Vec<u8>>, SubjectFault> {
        let kind = kind.name();
        let row = tx.row(&sql::record_get, args![account.0, &self.id, kind, n])?;
        let row = row.ok_or(StoreFault::Shape { statement: "record_get", column: "sealed" })?;
        Ok(self.sealer.open(&record_aad(account, &self.id, kind, n), row.blob("sealed")?)?)
    }

    /// Opens the newest record of a kind, if there is one. `None` for a subject created for the row.
    ///
    /// # Errors
    /// When the store fails, or when it does not open.
    pub fn newest(
        &self,
        tx: &mut Tx<'_>,
        desk: &RowContext<'_>,
        kind: &RecordKind,
    ) -> Result<Option<zeroize::Zeroizing<Vec<u8>>>, SubjectFault> {
        if self.link.is_none() {
            return Ok(None);
        }
        let row = tx.row(&sql::record_newest, args![desk.account.0, &self.id, kind.name()])?;
        let Some(row) = row else { return Ok(None) };
        let aad = record_aad(desk.account, &self.id, kind.name(), row.int("n")?);
        Ok(Some(self.sealer.open(&aad, row.blob("sealed")?)?))
    }

    /// Seals a record with an end and stores it as the `n`th of its kind, which no other submission has: until the UTC
    /// day `until`, counted from 1970.
    ///
    /// # Errors
    /// When the store or sealing fails.
    pub fn add(
        &self,
        tx: &mut Tx<'_>,
        (account, seq): (AccountId, i64),
        (kind, n, until): (&RecordKind, i64, Day),
        content: &[u8],
    ) -> Result<(), SubjectFault> {
        let kind = kind.name();
        let sealed = self.sealer.seal(&record_aad(account, &self.id, kind, n), content)?;
        let args = args![account.0, &self.id, kind, n, seq, sealed.as_slice(), until];
        Ok(tx.defer(&sql::record_add, args)?)
    }

    /// Role in which the row's own identifier led to it; `None` if the subject was made for the row.
    #[must_use]
    pub fn link(&self) -> Option<LinkKind> {
        self.link
    }

    /// Links the identifiers of a row to the subject created for it. An email that comes with a user id is not linked:
    /// anyone can type an address.
    ///
    /// # Errors
    /// As [`WritableSubject::add_link`].
    pub fn lead_first(
        &self,
        tx: &mut Tx<'_>,
        desk: &RowContext<'_>,
        named: &RowIdentifiers<'_>,
    ) -> Result<(), SubjectFault> {
        if self.link.is_some() {
            return Ok(());
        }
        let is_user = named.identifier(IdentifierRole::UserId).is_some();
        for (role, id) in named.leading() {
            let link = match role {
                IdentifierRole::UserId => LinkKind::User,
                IdentifierRole::UserAddress => LinkKind::Address,
                // A company is not stored when the row has a person, and its address belongs to no subject.
                IdentifierRole::CompanyAddress if !named.is_company() => continue,
                IdentifierRole::CompanyAddress => LinkKind::Address,
                IdentifierRole::OrderEmail | IdentifierRole::ProfileEmail if is_user => continue,
                IdentifierRole::OrderEmail | IdentifierRole::ProfileEmail => LinkKind::Guest,
                IdentifierRole::Company => LinkKind::Alone,
                IdentifierRole::Visitor => LinkKind::Visitor,
            };
            self.add_link(tx, desk, id, link)?;
        }
        Ok(())
    }

    /// Stores that an identifier leads to the subject.
    ///
    /// # Errors
    /// When the store or sealing fails.
    pub fn add_link(
        &self,
        tx: &mut Tx<'_>,
        desk: &RowContext<'_>,
        id: &Identifier,
        link: LinkKind,
    ) -> Result<(), SubjectFault> {
        let tag = desk.keys.lookup_tag(desk.account, id);
        let sealed =
            self.sealer.seal(&identifier_aad(desk.account, &self.id, &tag), id.normal().as_bytes())?;
        let kind = i64::from(id.kind().code());
        let args = args![desk.account.0, &tag, &self.id, kind, sealed.as_slice(), link.code()];
        Ok(tx.defer(&sql::identifier_insert, args)?)
    }
}
