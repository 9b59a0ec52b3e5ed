//! The messages of a webhook at a fixed time: when each is tried, when it ends, and what its setting says of it.

use super::*;
use crate::clock::Millis;
use crate::ids::AccountId;
use crate::keys::Keys;
use crate::outbound::{AddressPolicy, FeedUrl};
use crate::people::subject::SubjectFault;
use crate::store::{Owner, Store, StoreOptions, Tx};

const SHOP: AccountId = AccountId(1);
const SECOND: Millis = 1000;
const MINUTE: Millis = 60 * SECOND;
const HOUR: Millis = 60 * MINUTE;
const DAY: Millis = 24 * HOUR;
const ADDRESS: &str = "https://shop.example/hook?token=1";

/// Result of a unit of work in an empty store.
async fn in_store<T: Send + 'static>(
    work: impl Fn(&mut Tx<'_>, &Keys) -> Result<T, SubjectFault> + Send + 'static,
) -> T {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::open(&StoreOptions::Sqlite(folder.path().join("lethe.db"))).expect("a store");
    let keys = Keys::open(&folder.path().join("keys")).expect("keys");
    store.write(Owner::STORE, move |tx| work(tx, &keys)).await.expect("done")
}

/// Sets the address of an account; returns the secret if that was made.
fn set_of(
    tx: &mut Tx<'_>,
    keys: &Keys,
    account: AccountId,
    now: Millis,
) -> Result<Option<String>, SubjectFault> {
    let url = FeedUrl::parse(ADDRESS, &AddressPolicy::default()).expect("a URL");
    let secret = set::<SubjectFault>(tx, keys, account, &url, now)?;
    Ok(secret.map(|secret| secret.reveal().as_str().to_owned()))
}

/// Sets the address at time 0, and adds a message at each of these times.
fn set_up(tx: &mut Tx<'_>, keys: &Keys, times: &[Millis]) -> Result<(), SubjectFault> {
    set_of(tx, keys, SHOP, 0)?;
    times.iter().try_for_each(|at| enqueue(tx, SHOP, &WebhookEvent::Test {}, *at))?;
    Ok(())
}

/// The setting, which is there.
fn setting(tx: &mut Tx<'_>) -> Result<Webhook, SubjectFault> {
    Ok(get(tx, SHOP)?.expect("a webhook"))
}

/// The message of a try that begins, which is due.
fn claimed(tx: &mut Tx<'_>, now: Millis) -> Result<ClaimedMessage, SubjectFault> {
    Ok(claim(tx, SHOP, now)?.expect("a message"))
}

/// Effect of a try that fails at once.
fn fail(tx: &mut Tx<'_>, now: Millis) -> Result<DeliveryEffect, SubjectFault> {
    let message = claimed(tx, now)?;
    Ok(end(tx, SHOP, &message, &DeliveryOutcome::Failed("down".to_owned()), now)?)
}

/// The secrets that sign at a time, as the shop was shown them.
fn signers(tx: &mut Tx<'_>, keys: &Keys, now: Millis) -> Result<Vec<String>, SubjectFault> {
    let secrets = setting(tx)?.secrets(keys, SHOP, now)?;
    Ok(secrets.iter().map(|secret| secret.reveal().as_str().to_owned()).collect())
}

/// Makes another secret.
fn rotated(tx: &mut Tx<'_>, keys: &Keys, now: Millis) -> Result<(String, Millis), SubjectFault> {
    let (secret, until) = rotate::<SubjectFault>(tx, keys, SHOP, now)?.expect("a webhook");
    Ok((secret.reveal().as_str().to_owned(), until))
}

#[tokio::test]
async fn every_setting_of_the_address_has_a_later_time_and_the_first_a_secret() {
    let (times, address, is_of_another) = in_store(|tx, keys| {
        let mut times = Vec::new();
        for now in [100, 100, 50, 1000] {
            let is_first = set_of(tx, keys, SHOP, now)?.is_some();
            times.push((is_first, setting(tx)?.set_at));
        }
        let webhook = setting(tx)?;
        let address = webhook.address(keys, SHOP)?.as_str().to_owned();
        Ok((times, address, webhook.address(keys, AccountId(2)).is_ok()))
    })
    .await;
    assert_eq!(times, [(true, 100), (false, 101), (false, 102), (false, 1000)]);
    assert_eq!((address.as_str(), is_of_another), (ADDRESS, false));
}

#[tokio::test]
async fn the_secret_that_a_shop_has_signs_for_a_day_after_the_first_change() {
    in_store(|tx, keys| {
        assert!(rotate::<SubjectFault>(tx, keys, SHOP, 5)?.is_none(), "no webhook");
        let first = set_of(tx, keys, SHOP, 0)?.expect("a secret");
        let (second, until) = rotated(tx, keys, 1000)?;
        assert_eq!(until, 1000 + DAY);
        assert_eq!(signers(tx, keys, until - 1)?, [second.clone(), first.clone()]);
        assert_eq!(signers(tx, keys, until)?, [second]);
        let (third, until) = rotated(tx, keys, 2000)?;
        assert_eq!(until, 2000 + DAY);
        assert_eq!(signers(tx, keys, 3000)?, [third.clone(), first]);
        let (fourth, _) = rotated(tx, keys, until)?;
        assert_eq!(signers(tx, keys, until)?, [fourth, third]);
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn a_webhook_is_removed_with_its_messages_once() {
    in_store(|tx, keys| {
        assert!(!remove(tx, SHOP)?);
        set_up(tx, keys, &[0, 0])?;
        assert_eq!(setting(tx)?.waiting, 2);
        assert!(is_on(tx, SHOP)? && remove(tx, SHOP)?);
        assert!(!is_on(tx, SHOP)? && !remove(tx, SHOP)?);
        enqueue(tx, SHOP, &WebhookEvent::Test {}, 0)?;
        set_up(tx, keys, &[])?;
        assert_eq!(setting(tx)?.waiting, 0);
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn a_try_that_never_ends_holds_its_account_up_for_twice_its_time() {
    in_store(|tx, keys| {
        set_up(tx, keys, &[0, 1])?;
        let message = claimed(tx, 1)?;
        assert!(claim(tx, SHOP, 40 * SECOND)?.is_none() && due(tx, 40 * SECOND)?.is_empty());
        assert_eq!(due(tx, 40 * SECOND + 1)?, [SHOP]);
        let other = claimed(tx, 40 * SECOND + 1)?;
        let again = claimed(tx, 80 * SECOND + 2)?;
        assert!(message.id != other.id && message.id == again.id);
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn an_account_rests_longer_after_each_failure() {
    in_store(|tx, keys| {
        set_up(tx, keys, &[0])?;
        assert_eq!(fail(tx, 20)?, DeliveryEffect::Again);
        let webhook = setting(tx)?;
        let told = (webhook.fails, webhook.failed_at, webhook.failure.as_deref(), webhook.delivered_at);
        assert_eq!(told, (1, Some(20), Some("down"), None));
        assert!(claim(tx, SHOP, 5 * SECOND + 19)?.is_none());
        assert_eq!(fail(tx, 6 * SECOND)?, DeliveryEffect::Again);
        enqueue(tx, SHOP, &WebhookEvent::Test {}, 7 * SECOND)?;
        assert!(claim(tx, SHOP, 16 * SECOND - 1)?.is_none(), "it rests for ten seconds");
        let message = claimed(tx, 16 * SECOND)?;
        let effect = end(tx, SHOP, &message, &DeliveryOutcome::Delivered, 17 * SECOND)?;
        let webhook = setting(tx)?;
        assert_eq!((effect, webhook.waiting, webhook.fails), (DeliveryEffect::Delivered, 1, 0));
        assert_eq!(webhook.delivered_at, Some(17 * SECOND));
        assert!(due(tx, 5 * MINUTE)?.is_empty(), "the message that failed twice waits for five minutes");
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn a_message_is_given_up_behind_its_tenth_try_or_five_days() {
    in_store(|tx, keys| {
        set_up(tx, keys, &[0])?;
        let mut now = 0;
        for pause in
            [MINUTE, 10 * MINUTE, HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR, 16 * HOUR, 23 * HOUR, 27 * HOUR]
        {
            assert_eq!(fail(tx, now)?, DeliveryEffect::Again);
            now += pause;
        }
        assert_eq!(fail(tx, now)?, DeliveryEffect::GivenUp);
        let webhook = setting(tx)?;
        assert_eq!([webhook.fails, webhook.given_up, webhook.left_out, webhook.waiting], [10, 1, 0, 0]);
        let late = now + HOUR + 5 * DAY;
        enqueue(tx, SHOP, &WebhookEvent::Test {}, now + HOUR)?;
        assert_eq!(fail(tx, late)?, DeliveryEffect::Again);
        assert_eq!(fail(tx, late + HOUR)?, DeliveryEffect::GivenUp);
        assert_eq!((setting(tx)?.given_up, setting(tx)?.waiting), (2, 0));
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn an_end_at_the_address_before_says_nothing_about_the_one_that_is_set() {
    in_store(|tx, keys| {
        for outcome in [DeliveryOutcome::Failed("down".to_owned()), DeliveryOutcome::Gone] {
            remove(tx, SHOP)?;
            set_up(tx, keys, &[0])?;
            let message = claimed(tx, 0)?;
            set_of(tx, keys, SHOP, 10)?;
            assert_eq!(end(tx, SHOP, &message, &outcome, 20)?, DeliveryEffect::Again);
            let webhook = setting(tx)?;
            assert_eq!((webhook.fails, webhook.failure, webhook.off), (0, None, None));
            assert_eq!(claimed(tx, 20)?.id, message.id, "it is due at once");
            assert_eq!(end(tx, SHOP, &message, &DeliveryOutcome::Delivered, 30)?, DeliveryEffect::Delivered);
            assert_eq!((setting(tx)?.delivered_at, setting(tx)?.waiting), (None, 0));
        }
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn a_server_that_wants_no_more_is_left_alone_until_it_is_set_again() {
    in_store(|tx, keys| {
        set_up(tx, keys, &[0, 0, 0])?;
        let message = claimed(tx, 5)?;
        assert_eq!(end(tx, SHOP, &message, &DeliveryOutcome::Gone, 7)?, DeliveryEffect::SwitchedOff);
        let webhook = setting(tx)?;
        let why =
            "the server answered with status 410: it wants no more messages; set the address again to go on";
        assert_eq!((webhook.off.as_deref(), webhook.failure.as_deref()), (Some(why), Some(why)));
        assert_eq!((webhook.failed_at, webhook.given_up, webhook.waiting), (Some(7), 3, 0));
        enqueue(tx, SHOP, &WebhookEvent::Test {}, 8)?;
        let marks = MessageMarks { due: (0, 0), backup_day: 0, quota_day: 0 };
        assert!(!is_on(tx, SHOP)? && listening(tx)?.is_empty() && !mark(tx, SHOP, marks, marks)?);
        set_of(tx, keys, SHOP, 9)?;
        let webhook = setting(tx)?;
        assert_eq!((webhook.off, webhook.failed_at, webhook.waiting), (None, None, 0));
        assert!(is_on(tx, SHOP)? && mark(tx, SHOP, marks, marks)?);
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn marks_move_from_where_they_were_read() {
    in_store(|tx, keys| {
        set_up(tx, keys, &[])?;
        let none = MessageMarks { due: (0, 0), backup_day: 0, quota_day: 0 };
        let some = MessageMarks { due: (1, 2), backup_day: 3, quota_day: 4 };
        assert!(mark(tx, SHOP, none, some)?);
        for moved in [
            none,
            MessageMarks { due: (1, 3), ..some },
            MessageMarks { backup_day: 4, ..some },
            MessageMarks { quota_day: 5, ..some },
        ] {
            assert!(!mark(tx, SHOP, moved, none)?);
        }
        let found: Vec<_> = listening(tx)?;
        assert!(found == [(SHOP, some)]);
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn a_clock_that_was_ahead_keeps_no_message_back() {
    for (at, is_due) in [(27 * HOUR, false), (27 * HOUR + 1, true)] {
        in_store(move |tx, keys| {
            set_up(tx, keys, &[at])?;
            assert_eq!(due(tx, 0)?.len(), usize::from(is_due), "a message of {at}");
            assert_eq!(claim(tx, SHOP, 0)?.is_some(), is_due, "a message of {at}");
            Ok(())
        })
        .await;
    }
    for (at, is_due) in [(10 * MINUTE, false), (10 * MINUTE + 1, true)] {
        in_store(move |tx, keys| {
            set_up(tx, keys, &[0, 0])?;
            claimed(tx, at - 40 * SECOND)?;
            assert_eq!(due(tx, 0)?.len(), usize::from(is_due), "a rest until {at}");
            assert_eq!(claim(tx, SHOP, 0)?.is_some(), is_due, "a rest until {at}");
            Ok(())
        })
        .await;
    }
}

#[tokio::test]
async fn accounts_that_were_not_tried_for_longest_come_first_and_at_most_two_turns_of_them() {
    in_store(|tx, keys| {
        for account in (1..=34).map(AccountId) {
            set_of(tx, keys, account, 0)?;
            enqueue(tx, account, &WebhookEvent::Test {}, 0)?;
        }
        assert_eq!(due(tx, 0)?, (1..=32).map(AccountId).collect::<Vec<_>>());
        let message = claimed(tx, 0)?;
        enqueue(tx, SHOP, &WebhookEvent::Test {}, 0)?;
        end(tx, SHOP, &message, &DeliveryOutcome::Delivered, 1)?;
        assert_eq!(due(tx, 1)?, (2..=33).map(AccountId).collect::<Vec<_>>());
        Ok(())
    })
    .await;
}
