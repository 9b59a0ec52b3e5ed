//! Roles of links, and the owners of an address among those that it leads to.

use super::LinkKind::{Alone, Former, Guest, Leaving, LoggedIn, Profile, Removed, Typed, User};
use super::*;

/// Links of one address, each with what is said of its subject: `closing`, `sole`. The place of a link is the id of its
/// subject.
fn linked(links: &[(LinkKind, &str)]) -> Vec<LinkedSubject> {
    let slot = SlotNumber::from_row(1).expect("a slot");
    let subject_of = |(place, (link, is)): (usize, &(LinkKind, &str))| LinkedSubject {
        subject: [place as u8; 16],
        slot,
        link: *link,
        is_closing: is.contains("closing"),
        is_sole: is.contains("sole"),
    };
    links.iter().enumerate().map(subject_of).collect()
}

#[test]
fn each_role_has_its_number_and_belongs_to_a_user_id_or_a_profile_or_neither() {
    let numbers = |is: fn(LinkKind) -> bool| -> Vec<i64> {
        LinkKind::ALL.into_iter().filter(|link| is(*link)).map(LinkKind::code).collect()
    };
    assert_eq!(numbers(|_| true), [1, 2, 3, 4, 5, 6, 9, 10, 11, 12, 13, 14, 15]);
    assert_eq!(numbers(LinkKind::is_user), [1, 2, 3]);
    assert_eq!(numbers(LinkKind::is_by_profile), [4, 5, 9]);
    assert_eq!(numbers(LinkKind::is_of_user), [4, 5, 9, 12]);
}

#[test]
fn the_owners_of_an_address_are_those_of_profiles_and_else_those_nobody_else_can_be() {
    for (links, whole, bounds) in [
        (vec![(Alone, ""), (Former, ""), (Typed, "sole")], vec![0, 2], (11, 13)),
        (vec![(Profile, ""), (Guest, ""), (Typed, "sole")], vec![0, 1], (11, 0)),
        (vec![(Profile, "closing"), (Typed, "sole")], vec![1], (11, 13)),
        (vec![(Removed, ""), (User, "closing")], vec![0], (11, 0)),
        (vec![(Guest, "closing"), (Former, ""), (Former, "closing")], vec![1], (12, 13)),
        (vec![(Former, "sole")], vec![0], (12, 13)),
        (vec![(Typed, "")], vec![], (12, 13)),
        (vec![(LoggedIn, ""), (Leaving, "")], vec![], (12, 13)),
        (vec![], vec![], (12, 13)),
    ] {
        let owners = Owners::from_linked(&linked(&links));
        let places: Vec<u8> = owners.whole.iter().map(|subject| subject[0]).collect();
        assert_eq!((places, (owners.up_to, owners.sole)), (whole, bounds), "{links:?}");
    }
}

#[test]
fn an_address_is_owned_elsewhere_if_somebody_who_stays_owns_it() {
    for (links, erased, is_owned) in [
        (vec![(Profile, "")], vec![], true),
        (vec![(Profile, "")], vec![0], false),
        (vec![(Profile, "closing")], vec![], false),
        (vec![(Guest, ""), (Profile, "")], vec![], true),
        (vec![(Guest, ""), (Profile, "")], vec![1], false),
        (vec![(Typed, "sole")], vec![], true),
        (vec![(Typed, "")], vec![], false),
        (vec![(Profile, "closing"), (Typed, "sole")], vec![], false),
        (vec![], vec![], false),
    ] {
        let whole: HashSet<SubjectId> = erased.iter().map(|place: &u8| [*place; 16]).collect();
        assert_eq!(is_owned_elsewhere(&linked(&links), &whole), is_owned, "{links:?} {erased:?}");
    }
}
