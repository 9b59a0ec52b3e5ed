//! Links: identifiers that lead to a subject, and their roles. A profile proves whose an address is; an address typed
//! into an order does not.

use std::collections::HashSet;

use crate::args;
use crate::ids::AccountId;
use crate::ids::identifier::Identifier;
use crate::keys::{Keys, SlotNumber, Tag};
use crate::people::subject::SubjectId;
use crate::sql;
use crate::store::{Row, StoreFault, Tx};

/// Role in which an identifier leads to a subject. The number is in the store and in statements, which compare it: up
/// to 11 the subject owns the identifier.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum LinkKind {
    /// A user id whose profiles never had an address.
    User = 1,
    /// A user id with an address in an earlier profile, and none in the newest.
    UserBefore = 2,
    /// A user id whose newest profile has an address.
    UserNow = 3,
    /// The address in the newest profile.
    Profile = 4,
    /// An address that the user id holds, or the company's.
    Address = 5,
    /// The number in the cookie of a person without any other identifier.
    Visitor = 6,
    /// The address in the newest profile, which was removed: its own until another user id's profile has it.
    Removed = 9,
    /// The address of an order without a user id.
    Guest = 10,
    /// A company that is all that an order names.
    Alone = 11,
    /// An address that an earlier profile had.
    Former = 12,
    /// An address that only orders named.
    Typed = 13,
    /// An address with a request to forget it, of a subject that stays: the link goes, with the orders that came with
    /// it.
    Leaving = 14,
    /// The number in the cookie of a browser in which the person is logged in: until the log-out, or until another
    /// person logs in there.
    LoggedIn = 15,
}

impl LinkKind {
    const ALL: [Self; 13] = [
        Self::User,
        Self::UserBefore,
        Self::UserNow,
        Self::Profile,
        Self::Address,
        Self::Visitor,
        Self::Removed,
        Self::Guest,
        Self::Alone,
        Self::Former,
        Self::Typed,
        Self::Leaving,
        Self::LoggedIn,
    ];

    /// Number in the store.
    #[must_use]
    pub fn code(self) -> i64 {
        self as i64
    }

    pub(super) fn from_row(row: &Row) -> Result<Self, StoreFault> {
        let code = row.int("role")?;
        let link = Self::ALL.into_iter().find(|link| link.code() == code);
        link.ok_or_else(|| row.unreadable("role"))
    }

    /// Returns true if it is a user id.
    #[must_use]
    pub fn is_user(self) -> bool {
        matches!(self, Self::User | Self::UserBefore | Self::UserNow)
    }

    /// Returns true if a profile, or the user id itself, proves that an address is this person's.
    #[must_use]
    pub fn is_by_profile(self) -> bool {
        matches!(self, Self::Profile | Self::Address | Self::Removed)
    }

    /// Returns true if the owner of a user id has, or had, this address.
    #[must_use]
    pub fn is_of_user(self) -> bool {
        self.is_by_profile() || self == Self::Former
    }
}

/// A subject that an identifier leads to.
#[derive(Clone, Copy)]
pub struct LinkedSubject {
    /// The subject.
    pub subject: SubjectId,
    /// Slot of its key.
    pub slot: SlotNumber,
    /// Role of the identifier.
    pub link: LinkKind,
    /// True if it is being erased.
    pub is_closing: bool,
    /// True if it is the only address in the orders of a user id that never had one in a profile, and is no profile
    /// address itself.
    pub is_sole: bool,
}

/// The first subjects that an identifier leads to.
///
/// # Errors
/// When the store fails.
pub fn list_linked(
    tx: &mut Tx<'_>,
    account: AccountId,
    tag: &Tag,
    limit: i64,
) -> Result<Vec<LinkedSubject>, StoreFault> {
    let rows = tx.run(&sql::identifier_by_tag, args![account.0, tag, limit])?;
    let led = rows.iter().map(|row| {
        let slot = SlotNumber::from_row(row.int("slot")?);
        let link = LinkKind::from_row(row)?;
        Ok(LinkedSubject {
            subject: row.bytes("subject_id")?,
            slot: slot.ok_or(StoreFault::Shape { statement: "identifier_by_tag", column: "slot" })?,
            link,
            is_closing: row.opt_int("forgotten_seq")?.is_some(),
            is_sole: link == LinkKind::Typed && row.int("other_addresses")? == 0,
        })
    });
    led.collect()
}

/// Finds the subject of something that comes with only the number in a cookie: the person logged in in that browser,
/// else the visitor. If it is late, always the visitor.
///
/// # Errors
/// When the store fails.
pub fn of_visitor(
    tx: &mut Tx<'_>,
    account: AccountId,
    tag: &Tag,
    is_late: bool,
) -> Result<Option<LinkedSubject>, StoreFault> {
    let mut led = list_linked(tx, account, tag, i64::MAX)?;
    let is_whose = |link| link == LinkKind::Visitor || link == LinkKind::LoggedIn && !is_late;
    led.retain(|led| is_whose(led.link));
    Ok(led.into_iter().max_by_key(|led| led.link.code()))
}

/// The subject that only this identifier is known for: a guest, or a company that ordered.
///
/// # Errors
/// When the store fails.
pub fn find_by_sole_link(
    tx: &mut Tx<'_>,
    keys: &Keys,
    account: AccountId,
    (id, link): (&Identifier, LinkKind),
) -> Result<Option<LinkedSubject>, StoreFault> {
    let tag = keys.lookup_tag(account, id);
    let Some(row) = tx.row(&sql::identifier_alone, args![account.0, &tag, link.code()])? else {
        return Ok(None);
    };
    let slot = SlotNumber::from_row(row.int("slot")?);
    let slot = slot.ok_or(StoreFault::Shape { statement: "identifier_alone", column: "slot" })?;
    Ok(Some(LinkedSubject {
        subject: row.bytes("subject_id")?,
        slot,
        link,
        is_closing: false,
        is_sole: false,
    }))
}

/// Finds the role in which an identifier leads to a subject; `None` if it does not lead there.
///
/// # Errors
/// When the store fails.
pub fn find_link(
    tx: &mut Tx<'_>,
    account: AccountId,
    tag: &Tag,
    subject: &SubjectId,
) -> Result<Option<LinkKind>, StoreFault> {
    let row = tx.row(&sql::identifier_leads, args![account.0, tag, subject])?;
    row.map(|row| LinkKind::from_row(&row)).transpose()
}

/// Owners of an identifier among the subjects that stay: whole subjects, or its former owners if it has no owner any
/// more.
#[derive(Default)]
pub struct Owners {
    /// Subjects of the owners.
    pub whole: Vec<SubjectId>,
    /// Links up to this code are theirs …
    up_to: i64,
    /// … and subjects known only from orders, if there is no better one.
    sole: i64,
}

impl Owners {
    /// Tells owners from others.
    #[must_use]
    pub fn from_linked(led: &[LinkedSubject]) -> Self {
        let staying = || led.iter().filter(|led| !led.is_closing);
        let is_by_profile = staying().any(|led| led.link.is_by_profile());
        let is_owner = |led: &&LinkedSubject| {
            led.link.code() <= LinkKind::Alone.code()
                || led.link == LinkKind::Typed && led.is_sole && !is_by_profile
        };
        let mut owners = Self {
            whole: staying().filter(is_owner).map(|led| led.subject).collect(),
            up_to: LinkKind::Alone.code(),
            sole: if is_by_profile { 0 } else { LinkKind::Typed.code() },
        };
        if owners.whole.is_empty() {
            owners.whole =
                staying().filter(|led| led.link == LinkKind::Former).map(|led| led.subject).collect();
            owners.up_to = LinkKind::Former.code();
        }
        owners
    }

    /// Closes subjects: from now on nothing is stored for them, and the erasure at `seq` works on them.
    ///
    /// # Errors
    /// When the store fails.
    pub fn close(&self, tx: &mut Tx<'_>, account: AccountId, tag: &Tag, seq: i64) -> Result<(), StoreFault> {
        // Thousands may share an address: one statement.
        tx.exec(&sql::subject_close_led, args![seq, account.0, tag, self.up_to, self.sole])?;
        Ok(())
    }
}

/// Returns true if a subject outside of `whole` owns an address by a user id.
#[must_use]
pub fn is_owned_elsewhere(led: &[LinkedSubject], whole: &HashSet<SubjectId>) -> bool {
    let others = || led.iter().filter(|led| !led.is_closing && !whole.contains(&led.subject));
    let is_by_profile = led.iter().any(|led| led.link.is_by_profile());
    others().any(|led| led.link.is_by_profile() || led.is_sole && !is_by_profile)
}

#[cfg(test)]
mod tests;
