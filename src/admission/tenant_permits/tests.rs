//! A holder: its places to wait, and the clients that it knows.

use super::*;

/// A client address by its last byte; 0 stands for none.
fn address(last: u8) -> Option<IpAddr> {
    (last > 0).then(|| IpAddr::from([192, 0, 2, last]))
}

/// A holder for which requests of these addresses wait, the first as number 1, and what they wait for.
fn waiting(addresses: &[u8]) -> (Holder, Vec<oneshot::Receiver<Permit>>) {
    let mut holder = Holder::default();
    let mut receivers = Vec::new();
    for (place, last) in addresses.iter().enumerate() {
        let (granted, share) = oneshot::channel();
        let request = PermitRequest { address: address(*last), amount: 1, came: place as u64 + 1, granted };
        assert!(holder.add(request, usize::MAX));
        receivers.push(share);
    }
    (holder, receivers)
}

/// The numbers of the requests that wait.
fn numbers(holder: &Holder) -> Vec<u64> {
    holder.waiting.iter().map(|waiting| waiting.came).collect()
}

#[test]
fn a_new_request_takes_the_place_of_the_newest_of_a_client_that_has_two_more() {
    for (before, new, after) in [
        (vec![1, 1, 2, 3], 4, vec![1, 3, 4, 9]),
        (vec![1, 1, 2, 3], 2, vec![1, 2, 3, 4]),
        (vec![1, 1, 1, 2], 2, vec![1, 2, 4, 9]),
        (vec![1, 2, 3, 4], 5, vec![1, 2, 3, 4]),
        (vec![1, 1, 1, 1], 1, vec![1, 2, 3, 4]),
        (vec![0, 2, 0, 0], 2, vec![1, 2, 3, 9]),
        (vec![1, 1, 1], 1, vec![1, 2, 3, 9]),
    ] {
        let (mut holder, _receivers) = waiting(&before);
        let (granted, _share) = oneshot::channel();
        let request = PermitRequest { address: address(new), amount: 1, came: 9, granted };
        let is_added = holder.add(request, 4);
        assert_eq!((is_added, numbers(&holder)), (after.contains(&9), after), "{before:?} {new}");
    }
}

#[test]
fn a_request_whose_client_is_gone_waits_no_more() {
    let (mut holder, mut receivers) = waiting(&[1, 2, 3]);
    assert_eq!((holder.oldest(), holder.count_waiting()), (1, 3));
    drop(receivers.remove(0));
    assert_eq!((holder.oldest(), holder.count_waiting()), (1, 2));
    assert!(holder.forget_gone() && holder.waits() && !holder.is_idle());
    assert_eq!((holder.oldest(), numbers(&holder)), (2, vec![2, 3]));
    assert!(holder.remove(address(3), 2).is_none());
    let removed = holder.remove(address(3), 1).map(|request| request.came);
    assert_eq!((removed, numbers(&holder)), (Some(3), vec![2]));
    receivers.clear();
    assert!(!holder.forget_gone() && !holder.waits() && holder.is_idle());
    assert_eq!((holder.oldest(), holder.count_waiting()), (u64::MAX, 0));
    holder.record_grant(None, 1, 7);
    assert!(holder.forget_gone() && !holder.is_idle());
    assert_eq!((holder.held, holder.served), (1, 7));
}

#[test]
fn a_client_that_holds_nothing_and_waits_for_nothing_is_forgotten() {
    let (mut holder, _receivers) = waiting(&[3, 4]);
    for last in 1..=4 {
        holder.record_grant(address(last), 1, u64::from(last));
    }
    for last in [1, 3] {
        holder.take_back(address(last), 1);
    }
    assert_eq!(holder.held, 2);
    assert!(holder.forget_gone());
    let mut known: Vec<_> = holder.clients.keys().copied().collect();
    known.sort_unstable();
    assert_eq!(known, [2, 3, 4].map(address));
    let next = |holder: &Holder, is_full: fn(IpAddr, usize) -> bool| {
        holder.choose_request(is_full).map(|request| request.came)
    };
    assert_eq!(next(&holder, |_, _| false), Some(1), "the third holds less than the fourth");
    assert_eq!(
        next(&holder, |address, amount| amount == 1 && address == IpAddr::from([192, 0, 2, 3])),
        Some(2)
    );
    assert_eq!(next(&holder, |_, _| true), None);
}
