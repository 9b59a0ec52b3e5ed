//! Shares: the next tenant that gets one, and the refused ones.

use super::*;

const LONG: Duration = Duration::from_secs(60);
const SHORT: Duration = Duration::from_millis(20);
const SHOP: Tenant = Tenant::Account(AccountId(1));
const OTHER: Tenant = Tenant::Account(AccountId(2));

const fn parts() -> SemaphoreLimits {
    SemaphoreLimits {
        name: "test",
        all: 10,
        for_newcomers: 0,
        of_one: 6,
        of_client: 3,
        of_clients: 4,
        of_address: usize::MAX,
        waiting_of_one: 4,
    }
}

fn shares() -> Arc<TenantSemaphore> {
    TenantSemaphore::new(parts())
}

fn client(last: u8) -> Tenant {
    Tenant::Client(IpAddr::from([192, 0, 2, last]))
}

/// Starts a task that takes an amount, and returns once the task has asked.
async fn asking(
    shares: &Arc<TenantSemaphore>,
    who: Tenant,
    amount: usize,
) -> tokio::task::JoinHandle<Option<Permit>> {
    let shares = shares.clone();
    let asking = tokio::spawn(async move { shares.acquire(who, amount, LONG).await });
    tokio::task::yield_now().await;
    asking
}

#[tokio::test]
async fn nobody_gets_more_than_their_part_and_others_pass_by() {
    let shares = shares();
    let held = shares.acquire(SHOP, 6, LONG).await.unwrap();
    let more = asking(&shares, SHOP, 1).await;
    assert!(!more.is_finished());
    let other = shares.acquire(OTHER, 4, LONG).await.unwrap();
    assert_eq!(shares.gauge().taken, 10);
    drop(held);
    assert_eq!(more.await.unwrap().unwrap().amount(), 1);
    drop(other);
    assert_eq!((shares.gauge().taken, shares.gauge().waiting), (0, 0));
}

#[tokio::test]
async fn clients_leave_the_rest_to_accounts() {
    let shares = shares();
    let _one = shares.acquire(client(1), 3, LONG).await.unwrap();
    assert!(shares.is_used_up_by(client(1)) && !shares.is_used_up_by(client(2)));
    assert!(shares.acquire(client(1), 1, SHORT).await.is_none(), "one client's part");
    let _two = shares.acquire(client(2), 1, LONG).await.unwrap();
    assert!(shares.acquire(client(3), 1, SHORT).await.is_none(), "the part of all clients");
    assert!(shares.acquire(SHOP, 6, LONG).await.is_some());
}

#[tokio::test]
async fn a_large_one_is_not_kept_out_by_small_ones() {
    let shares = shares();
    let first = shares.acquire(SHOP, 6, LONG).await.unwrap();
    let large = asking(&shares, OTHER, 5).await;
    let small = asking(&shares, Tenant::Operator, 1).await;
    assert!(!large.is_finished() && !small.is_finished());
    drop(first);
    assert_eq!(large.await.unwrap().unwrap().amount(), 5);
    assert!(small.await.unwrap().is_some());
}

#[test]
fn who_was_turned_away_comes_before_who_has_just_had_it() {
    let shares = TenantSemaphore::new(SemaphoreLimits { all: 1, of_one: 1, ..parts() });
    let held = shares.try_take(SHOP, 1).unwrap();
    assert!(shares.try_take(OTHER, 1).is_none());
    drop(held);
    assert!(shares.try_take(SHOP, 1).is_none(), "somebody else was turned away before");
    let others = shares.try_take(OTHER, 1).unwrap();
    drop(others);
    assert!(shares.try_take(OTHER, 1).is_none() && shares.try_take(SHOP, 1).is_some());
    assert_eq!(shares.gauge().taken, 0);
}

#[tokio::test]
async fn who_gives_up_waiting_takes_nothing() {
    let shares = shares();
    let held = shares.acquire(SHOP, 6, LONG).await.unwrap();
    assert!(shares.acquire(SHOP, 6, SHORT).await.is_none());
    assert!(shares.acquire(SHOP, 7, LONG).await.is_none(), "more than its part");
    let gone = asking(&shares, SHOP, 2).await;
    gone.abort();
    assert!(gone.await.is_err());
    drop(held);
    assert_eq!(shares.gauge().taken, 0);
    let mut grown = shares.acquire(SHOP, 2, LONG).await.unwrap();
    assert!(grown.acquire_more(4, LONG).await && !grown.acquire_more(1, SHORT).await);
    assert_eq!((grown.amount(), shares.gauge().taken), (6, 6));
}

fn address(last: u8) -> IpAddr {
    IpAddr::from([192, 0, 2, last])
}

/// The same of a request that came from an address.
async fn asking_at(
    shares: &Arc<TenantSemaphore>,
    who: Tenant,
    last: u8,
) -> tokio::task::JoinHandle<Option<Permit>> {
    let shares = shares.clone();
    let asking = tokio::spawn(async move { shares.take_at(who, Some(address(last)), 1, LONG).await });
    tokio::task::yield_now().await;
    asking
}

#[tokio::test]
async fn a_turn_that_comes_free_goes_to_who_holds_least() {
    let shares = TenantSemaphore::new(SemaphoreLimits { all: 4, of_one: 2, ..parts() });
    let flooders = [Tenant::Account(AccountId(7)), Tenant::Account(AccountId(8))];
    let mut held = Vec::new();
    let mut queue = Vec::new();
    for flooder in flooders {
        for _ in 0..2 {
            held.push(shares.acquire(flooder, 1, LONG).await.unwrap());
        }
        for _ in 0..4 {
            queue.push(asking(&shares, flooder, 1).await);
        }
    }
    let quiet = [asking(&shares, SHOP, 1).await, asking(&shares, OTHER, 1).await];
    assert_eq!(shares.gauge().waiting, 10);
    drop(held.remove(0));
    let [one, other] = quiet;
    let first = one.await.unwrap().unwrap();
    assert!(queue.iter().all(|waiting| !waiting.is_finished()) && !other.is_finished());
    drop(held.remove(0));
    let second = other.await.unwrap().unwrap();
    assert!(queue.iter().all(|waiting| !waiting.is_finished()));
    // The flooder that holds none is next, and again, as it holds less than the other.
    drop((first, second));
    tokio::task::yield_now().await;
    let served: Vec<_> = queue.iter().map(tokio::task::JoinHandle::is_finished).collect();
    assert_eq!(served, [true, true, false, false, false, false, false, false]);
}

#[tokio::test]
async fn who_waits_with_many_is_served_in_turn_with_who_waits_with_one() {
    let shares = TenantSemaphore::new(SemaphoreLimits { all: 1, of_one: 1, ..parts() });
    let held = shares.acquire(SHOP, 1, LONG).await.unwrap();
    let many = [asking(&shares, SHOP, 1).await, asking(&shares, SHOP, 1).await];
    let one = asking(&shares, OTHER, 1).await;
    drop(held);
    drop(one.await.unwrap().expect("it never had any"));
    for waiting in many {
        drop(waiting.await.unwrap().expect("its turn comes"));
    }
}

#[tokio::test]
async fn within_an_account_the_client_that_holds_least_is_next() {
    let shares = TenantSemaphore::new(SemaphoreLimits { all: 2, of_one: 2, ..parts() });
    let first = shares.take_at(SHOP, Some(address(1)), 1, LONG).await.unwrap();
    let _second = shares.take_at(SHOP, Some(address(1)), 1, LONG).await.unwrap();
    let flood = [asking_at(&shares, SHOP, 1).await, asking_at(&shares, SHOP, 1).await];
    let shopper = asking_at(&shares, SHOP, 2).await;
    drop(first);
    let _turn = shopper.await.unwrap().unwrap();
    assert!(flood.iter().all(|waiting| !waiting.is_finished()));
}

#[tokio::test]
async fn so_many_of_one_account_wait_and_the_rest_is_refused_at_once() {
    let shares = TenantSemaphore::new(SemaphoreLimits { all: 1, of_one: 1, ..parts() });
    let held = shares.acquire(SHOP, 1, LONG).await.unwrap();
    let mut flood = Vec::new();
    for _ in 0..4 {
        flood.push(asking_at(&shares, SHOP, 1).await);
    }
    assert!(shares.take_at(SHOP, Some(address(1)), 1, LONG).await.is_none(), "four wait already");
    // Another client of the shop takes the place of the newest request of the client with most.
    let shopper = asking_at(&shares, SHOP, 2).await;
    assert!(flood.pop().unwrap().await.unwrap().is_none() && !shopper.is_finished());
    let other = asking(&shares, OTHER, 1).await;
    assert_eq!(shares.gauge().waiting, 5, "another account has places of its own");
    drop(held);
    drop(other.await.unwrap().unwrap());
    drop(flood);
    drop(shopper.await.unwrap().unwrap());
}

#[tokio::test]
async fn a_part_is_kept_for_who_holds_nothing() {
    let shares = TenantSemaphore::new(SemaphoreLimits { all: 6, for_newcomers: 2, of_one: 4, ..parts() });
    let _all = shares.acquire(SHOP, 4, LONG).await.unwrap();
    let first = shares.acquire(OTHER, 1, SHORT).await.unwrap();
    assert!(shares.acquire(OTHER, 1, SHORT).await.is_none(), "it is no newcomer any more");
    assert!(shares.acquire(Tenant::Operator, 1, SHORT).await.is_some());
    drop(first);
}

#[tokio::test]
async fn an_address_holds_so_much_whatever_accounts_it_names() {
    let shares = TenantSemaphore::new(SemaphoreLimits { of_address: 3, ..parts() });
    let at = |who, amount| shares.take_at(who, Some(address(1)), amount, SHORT);
    let held = at(SHOP, 2).await.unwrap();
    assert!(at(OTHER, 2).await.is_none() && at(OTHER, 4).await.is_none());
    let more = at(OTHER, 1).await.unwrap();
    assert!(shares.take_at(OTHER, Some(address(2)), 3, SHORT).await.is_some());
    drop(held);
    assert!(at(OTHER, 3).await.is_none(), "one of three is still held");
    assert!(at(OTHER, 2).await.is_some());
    drop(more);
    let state = shares.lock();
    assert!(state.addresses.is_empty() && state.holders.is_empty(), "who holds nothing takes no memory");
}

#[tokio::test]
async fn ever_new_clients_do_not_pass_by_who_waits_all_the_time() {
    let shares = TenantSemaphore::new(SemaphoreLimits { all: 1, of_one: 1, ..parts() });
    let held = shares.acquire(SHOP, 1, LONG).await.unwrap();
    let first = asking_at(&shares, SHOP, 1).await;
    let second = asking_at(&shares, SHOP, 1).await;
    drop(held);
    let turn = first.await.unwrap().unwrap();
    let new = asking_at(&shares, SHOP, 2).await;
    drop(turn);
    let _turn = second.await.unwrap().unwrap();
    assert!(!new.is_finished());
}

#[tokio::test]
async fn who_gives_up_holds_up_nobody_any_longer() {
    let shares = TenantSemaphore::new(SemaphoreLimits { of_one: 10, ..parts() });
    let _held = shares.acquire(SHOP, 6, LONG).await.unwrap();
    let large = asking(&shares, OTHER, 8).await;
    let small = asking(&shares, Tenant::Account(AccountId(3)), 2).await;
    tokio::task::yield_now().await;
    assert!(!small.is_finished(), "the large one is waited for");
    large.abort();
    assert_eq!(small.await.unwrap().unwrap().amount(), 2);
}

#[test]
fn who_holds_as_much_as_one_may_is_told_to_the_last_part() {
    let shares = shares();
    assert_eq!((shares.holds_most([].into_iter()), shares.is_used_up_by(SHOP)), (None, false));
    let mut held = vec![shares.try_take(SHOP, 5).unwrap(), shares.try_take(client(1), 2).unwrap()];
    assert!(shares.full().is_empty() && !shares.is_used_up_by(SHOP) && !shares.is_used_up_by(client(1)));
    assert_eq!(shares.holds_most([client(1), SHOP, OTHER].into_iter()), Some(SHOP));
    held.extend([shares.try_take(SHOP, 1).unwrap(), shares.try_take(client(1), 1).unwrap()]);
    assert_eq!(shares.full(), [AccountId(1)]);
    assert!(shares.is_used_up_by(SHOP) && shares.is_used_up_by(client(1)) && !shares.is_used_up());
    assert!(shares.try_take(SHOP, 1).is_none() && shares.try_take(client(1), 1).is_none());
    held.push(shares.try_take(OTHER, 1).unwrap());
    assert!(shares.is_used_up() && shares.try_take(Tenant::Operator, 1).is_none());
    let Gauge { name, all, taken, waiting } = shares.gauge();
    assert_eq!((name, all, taken, waiting), ("test", 10, 10, 0));
    held.clear();
    assert_eq!((shares.gauge().taken, shares.full(), shares.is_used_up()), (0, Vec::new(), false));
}

#[test]
fn those_turned_away_come_in_the_order_in_which_they_first_asked() {
    let third = Tenant::Account(AccountId(3));
    let shares = TenantSemaphore::new(SemaphoreLimits { all: 1, of_one: 1, ..parts() });
    let held = shares.try_take(SHOP, 1).unwrap();
    for who in [OTHER, third, OTHER] {
        assert!(shares.try_take(who, 1).is_none());
    }
    drop(held);
    assert!(shares.try_take(third, 1).is_none());
    drop(shares.try_take(OTHER, 1).unwrap());
    assert!(shares.try_take(OTHER, 1).is_none(), "the third asked before");
    drop(shares.try_take(third, 1).unwrap());
    assert!(shares.try_take(third, 1).is_none() && shares.try_take(OTHER, 1).is_some());
}

#[test]
fn clients_may_take_again_what_clients_gave_back() {
    let shares = shares();
    drop(shares.try_take(client(1), 3).unwrap());
    let _one = shares.try_take(client(2), 3).unwrap();
    let two = shares.try_take(client(3), 1).unwrap();
    assert!(shares.try_take(client(4), 1).is_none(), "the part of all clients");
    drop(two);
    assert!(shares.try_take(client(4), 2).is_none() && shares.try_take(client(4), 1).is_some());
}
