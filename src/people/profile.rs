//! Profiles: a person as a user feed or a delta describes one, sealed under the key of their subject.

use zeroize::Zeroizing;

use crate::ids::AccountId;
use crate::ids::identifier::Identifier;
use crate::keys::{Keys, SlotNumber};
use crate::people::identifier_links::{self, LinkKind};
use crate::people::identifiers::{AddressesInIds, IdentifierRole, RowIdentifiers};
use crate::people::record_kind::PROFILE;
use crate::people::row_context::RowContext;
use crate::people::subject::SubjectFault;
use crate::people::subject_row::{RowKind, SubjectRow};
use crate::people::writable_subject::{WritableSubject, admit};
use crate::people::{rows, suppression_gate};
use crate::store::{StoreFault, Tx};
use crate::{args, sql};

/// A profile with its identifiers in normal form. Cannot be printed.
pub struct Profile {
    /// The shop's id of the person.
    pub user_id: Identifier,
    /// Their email address, if it is one.
    pub email: Option<Identifier>,
    /// The profile as JSON, overwritten when dropped.
    pub json: Zeroizing<Vec<u8>>,
}

static_assertions::assert_not_impl_any!(Profile: std::fmt::Debug, std::fmt::Display, serde::Serialize);

/// Outcome of storing a profile.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ProfileOutcome {
    /// Under its person.
    Kept,
    /// The person is forgotten, or was removed after this row was sent: dropped.
    Dropped,
}

/// Stores a profile; an older one never replaces a newer one.
///
/// # Errors
/// As [`admit`].
pub fn store(
    tx: &mut Tx<'_>,
    desk: &RowContext<'_>,
    profile: &Profile,
) -> Result<ProfileOutcome, SubjectFault> {
    let held = AddressesInIds::from_ids(Some(&profile.user_id), None);
    let named = RowIdentifiers::default()
        .with_identifier(IdentifierRole::UserId, Some(&profile.user_id))
        .with_identifier(IdentifierRole::ProfileEmail, profile.email.as_ref())
        .with_addresses(&held);
    let admitted = admit(tx, desk, &SubjectRow { named: named.clone(), about: RowKind::Profile })?;
    let Some(subject) = admitted.into_subject(tx, desk)? else { return Ok(ProfileOutcome::Dropped) };
    if subject.put_record(tx, desk, (PROFILE, 0), &profile.json)? {
        link_identifiers(tx, desk, &subject, profile, &named)?;
    }
    Ok(ProfileOutcome::Kept)
}

/// Prefetches, in one query, the rows that [`store`] needs for each of many profiles.
///
/// # Errors
/// When the store fails.
pub fn prefetch(tx: &mut Tx<'_>, desk: &RowContext<'_>, profiles: &[Profile]) -> Result<(), SubjectFault> {
    if !tx.asks_ahead() {
        return Ok(());
    }
    let keys = desk.keys;
    let account = desk.account;
    let users: Vec<_> = profiles.iter().map(|profile| keys.lookup_tag(account, &profile.user_id)).collect();
    let emails = || profiles.iter().filter_map(|profile| profile.email.as_ref());
    let addresses: Vec<_> = emails().map(|email| keys.lookup_tag(account, email)).collect();
    let of_door = profiles.iter().map(|profile| &profile.user_id).chain(emails());
    let of_door: Vec<_> = of_door.map(|id| keys.suppression_tag(account, id)).collect();
    tx.prefetch(&sql::suppression_get, &of_door, |tag| vec![account.0.into(), tag.into()])?;
    tx.prefetch(&sql::user_removal_get, &users, |tag| vec![account.0.into(), tag.into()])?;
    tx.prefetch(&sql::identifier_formers, &addresses, |tag| vec![account.0.into(), tag.into()])?;
    tx.prefetch(&sql::identifier_by_tag, &users, |tag| vec![account.0.into(), tag.into(), 1_i64.into()])?;
    let mut known = Vec::new();
    for tag in &users {
        known.extend(identifier_links::list_linked(tx, account, tag, 1)?.iter().map(|led| led.subject));
    }
    tx.prefetch(&sql::identifier_of_subject, &known, |subject| vec![account.0.into(), subject.into()])?;
    tx.prefetch(&sql::record_seq, &known, |subject| {
        vec![account.0.into(), subject.into(), PROFILE.name().into(), 0_i64.into()]
    })?;
    Ok(())
}

/// Links the identifiers of a newer profile to its subject. An address that it has no more is a former one; one that it
/// has is no former one of another user id; and addresses that only orders named do not count any more.
fn link_identifiers(
    tx: &mut Tx<'_>,
    desk: &RowContext<'_>,
    subject: &WritableSubject,
    profile: &Profile,
    named: &RowIdentifiers<'_>,
) -> Result<(), SubjectFault> {
    let email = profile.email.as_ref();
    let user = match (email, subject.link()) {
        (Some(_), _) => LinkKind::UserNow,
        (None, None | Some(LinkKind::User)) => LinkKind::User,
        (None, Some(_)) => LinkKind::UserBefore,
    };
    if subject.link().is_none() {
        // Read before its own link is written, as in the prefetch.
        let had_before = has_formers(tx, desk, email)?;
        subject.add_link(tx, desk, &profile.user_id, user)?;
        for (_, address) in named.leading().filter(|(role, _)| *role == IdentifierRole::UserAddress) {
            subject.add_link(tx, desk, address, LinkKind::Address)?;
        }
        if let Some(email) = email {
            subject.add_link(tx, desk, email, LinkKind::Profile)?;
        }
        return if had_before { end_formers(tx, desk, subject, email) } else { Ok(()) };
    }
    let become_ = |tx: &mut Tx<'_>, tag: &[u8], link: LinkKind| {
        tx.exec(&sql::identifier_become, args![link.code(), desk.account.0, tag, subject.id()])
    };
    if subject.link() != Some(user) {
        become_(tx, &desk.keys.lookup_tag(desk.account, &profile.user_id), user)?;
    }
    let tag = email.map(|email| desk.keys.lookup_tag(desk.account, email));
    let mut has = None;
    for row in tx.run(&sql::identifier_of_subject, args![desk.account.0, subject.id()])? {
        let link = LinkKind::from_row(&row)?;
        if tag.as_ref().is_some_and(|tag| row.blob("tag").is_ok_and(|has| has == tag.as_slice())) {
            has = Some(link);
        } else if matches!(link, LinkKind::Profile | LinkKind::Removed) {
            become_(tx, row.blob("tag")?, LinkKind::Former)?;
        }
    }
    let (Some(email), Some(tag)) = (email, tag) else { return Ok(()) };
    match has {
        Some(LinkKind::Profile | LinkKind::Address) => {}
        Some(_) => drop(become_(tx, &tag, LinkKind::Profile)?),
        None => subject.add_link(tx, desk, email, LinkKind::Profile)?,
    }
    if subject.link() != Some(LinkKind::UserNow) {
        tx.exec(&sql::order_known_untyped, args![desk.account.0, subject.id()])?;
        tx.exec(&sql::identifier_typed_delete, args![desk.account.0, subject.id()])?;
    }
    // Also for a row that is sent again: until now the address may have belonged to another user id.
    if has_formers(tx, desk, Some(email))? { end_formers(tx, desk, subject, Some(email)) } else { Ok(()) }
}

/// Returns true if the address of a newer profile had a former owner.
fn has_formers(
    tx: &mut Tx<'_>,
    desk: &RowContext<'_>,
    email: Option<&Identifier>,
) -> Result<bool, StoreFault> {
    let Some(email) = email else { return Ok(false) };
    let tag = desk.keys.lookup_tag(desk.account, email);
    Ok(!tx.run(&sql::identifier_formers, args![desk.account.0, &tag])?.is_empty())
}

/// Removes the links of an address to its former owners: a newer profile has it now.
fn end_formers(
    tx: &mut Tx<'_>,
    desk: &RowContext<'_>,
    subject: &WritableSubject,
    email: Option<&Identifier>,
) -> Result<(), SubjectFault> {
    let Some(email) = email else { return Ok(()) };
    let tag = desk.keys.lookup_tag(desk.account, email);
    tx.exec(&sql::identifier_former_end, args![desk.account.0, &tag, subject.id()])?;
    Ok(())
}

/// Removes a profile that is not newer than place `seq` (`DeleteUsers`: no erasure and no suppression). An older feed
/// that is still open does not bring the user back.
///
/// Returns the key slot of the subject if nothing else is stored about it; destroy the slot after the commit. A person
/// who has orders stays, with the identifiers that lead to them.
///
/// # Errors
/// When the store fails.
pub fn remove(
    tx: &mut Tx<'_>,
    keys: &Keys,
    account: AccountId,
    user_id: &Identifier,
    seq: i64,
) -> Result<Option<SlotNumber>, StoreFault> {
    let feeds = tx.row(&sql::submission_feeds_before, args![account.0, seq])?;
    // The suppression alone keeps a forgotten user out; nothing else remembers them.
    let is_forgotten = suppression_gate::find_suppression(tx, keys, account, user_id)?
        .is_some_and(|shut| shut.keeps_out(seq));
    if feeds.map_or(Ok(0), |row| row.int("counted"))? > 0 && !is_forgotten {
        tx.exec(&sql::user_removal_put, args![account.0, &keys.lookup_tag(account, user_id), seq])?;
    }
    let Some(led) = identifier_links::list_linked(tx, account, &keys.lookup_tag(account, user_id), 1)?.pop()
    else {
        return Ok(None);
    };
    let subject = led.subject;
    let slot = led.slot;
    tx.exec(&sql::record_delete_kind, args![account.0, &subject, PROFILE.name(), seq])?;
    let is_anybody = rows::is_anybody(tx, account, &subject)?;
    if is_anybody || led.is_closing {
        tx.exec(&sql::identifier_profile_removed, args![account.0, &subject])?;
        return Ok(None);
    }
    rows::delete(tx, account, &subject)?;
    Ok(Some(slot))
}

/// Forgets which users deltas removed, unless an open feed could bring them back.
///
/// # Errors
/// When the store fails.
pub fn sweep_removals(tx: &mut Tx<'_>, account: AccountId) -> Result<(), StoreFault> {
    tx.exec(&sql::user_removal_sweep, args![account.0])?;
    Ok(())
}
