//! Identifiers that are the person's own, and readings of a request that stay.

use super::LinkKind::{
    Address, Alone, Former, Guest, Leaving, LoggedIn, Profile, Removed, Typed, User, UserBefore, UserNow,
    Visitor,
};
use super::*;
use crate::keys::SlotNumber;

/// Subjects that stay, to which an identifier leads in these roles.
fn staying(links: &[LinkKind]) -> Vec<LinkedSubject> {
    let slot = SlotNumber::from_row(1).expect("a slot");
    let subject = |link| LinkedSubject { subject: [1; 16], slot, link, is_closing: false, is_sole: false };
    links.iter().copied().map(subject).collect()
}

#[test]
fn an_identifier_is_shut_out_unless_somebody_who_stays_has_it_too() {
    let all = [
        User, UserBefore, UserNow, Guest, Profile, Address, Removed, Former, Typed, Alone, Leaving, Visitor,
        LoggedIn,
    ];
    for (links, own) in [
        (vec![], &all[..9]),
        (vec![Leaving], &all[..9]),
        (vec![Leaving, Guest], &all[..8]),
        (vec![Guest], &all[..8]),
        (vec![Guest, Profile], &all[..4]),
        (vec![Removed], &all[..4]),
    ] {
        let found: Vec<_> = all.into_iter().filter(|link| is_own(*link, &staying(&links))).collect();
        assert_eq!(found, own, "{links:?}");
    }
}

#[test]
fn readings_that_stay_are_counted_with_the_requests_for_them() {
    let id = |kind| Identifier::parse(kind, "4711").ok().unwrap();
    let mut person = Person::unknown(id(IdentifierKind::UserId));
    add_readings(&mut person, &[]);
    assert!(person.left.is_empty());
    add_readings(&mut person, &[id(IdentifierKind::AccountId), id(IdentifierKind::VisitorId)]);
    let requests = vec!["accid:4711".to_owned(), "visitor:4711".to_owned()];
    assert!(person.left == [Remainder { why: RemainderReason::Readings, count: 2, requests }]);
}
