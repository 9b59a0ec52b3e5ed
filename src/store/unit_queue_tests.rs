//! Turns of the units of work that wait.

use super::*;
use crate::ids::AccountId;
use crate::store::owner::Owner;
use crate::store::tx::Tx;

struct Waiting(i64, UnitKind);

impl UnitOfWork for Waiting {
    fn owner(&self) -> Owner {
        AccountId(self.0).into()
    }
    fn kind(&self) -> UnitKind {
        self.1
    }
    fn ran(&self) -> Duration {
        Duration::ZERO
    }
    fn run(&mut self, _: &mut Tx<'_>) -> bool {
        true
    }
    fn send_answer(&mut self, _: Option<StoreFault>) {
        // Nobody waits for it.
    }
}

fn of_job(account: i64) -> Box<dyn UnitOfWork> {
    Box::new(Waiting(account, UnitKind::OfJob))
}

fn foreground_unit(account: i64) -> Box<dyn UnitOfWork> {
    Box::new(Waiting(account, UnitKind::Asked))
}

#[test]
fn who_waits_goes_before_the_jobs_that_are_left_of_a_batch() {
    let (writer, queue) = UnitSender::new();
    let accounts =
        |batch: &[Box<dyn UnitOfWork>]| batch.iter().map(|unit| unit.owner().account).collect::<Vec<_>>();
    let mut batch = vec![of_job(1), foreground_unit(2), of_job(3), of_job(4)];
    writer.send(foreground_unit(5)).expect("it is taken");
    writer.send(foreground_unit(6)).expect("it is taken");
    queue.let_asked_in(&mut batch, 5);
    assert_eq!(accounts(&batch), [1, 2, 5, 3, 4].map(Some), "no more than fit");
    let mut batch = vec![of_job(1)];
    queue.let_asked_in(&mut batch, 5);
    assert_eq!(accounts(&batch), [Some(1)], "nobody waits behind one unit longer than for it");
}

/// Takes so many units; those of account 1 take 20 ms and all others 5. Returns their accounts.
fn take_units(turns: &mut Turns, units: usize) -> Vec<i64> {
    let take = |_| {
        let account = turns.next().expect("one waits").owner().account;
        let took = if account == Some(1) { 20 } else { 5 };
        turns.charge(account, Duration::from_millis(took));
        account.expect("an account")
    };
    (0..units).map(take).collect()
}

fn wait(turns: &mut Turns, accounts: &[i64]) {
    turns.waiting.extend(accounts.iter().map(|account| of_job(*account)));
}

#[test]
fn who_has_long_units_has_fewer_of_them() {
    let mut turns = Turns::default();
    wait(&mut turns, &[1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2]);
    assert_eq!(take_units(&mut turns, 10), [1, 2, 2, 2, 2, 1, 2, 2, 2, 2]);
}

#[test]
fn units_that_are_taken_together_take_turns() {
    let mut turns = Turns::default();
    wait(&mut turns, &[1, 1, 1, 2, 2, 2]);
    let taken: Vec<_> = (0..6).filter_map(|_| turns.next()).map(|unit| unit.owner().account).collect();
    assert_eq!(taken, [1, 2, 1, 2, 1, 2].map(Some));
}

#[test]
fn who_was_idle_has_saved_nothing() {
    let mut turns = Turns::default();
    wait(&mut turns, &[1, 1, 1]);
    assert_eq!(take_units(&mut turns, 2), [1, 1]);
    wait(&mut turns, &[1, 1, 2, 2, 2, 2, 2, 2, 2]);
    // The account of long units stands at 40 ms; the other begins where the last one began, at 20.
    assert_eq!(take_units(&mut turns, 7), [2, 2, 2, 2, 1, 2, 2]);
}

#[test]
fn accounts_are_not_remembered_for_ever() {
    let mut turns = Turns::default();
    for account in 0..100_000 {
        wait(&mut turns, &[account]);
        take_units(&mut turns, 1);
        assert!(turns.served.len() <= SERVED_ACCOUNTS, "{}", turns.served.len());
    }
}

fn send_all(writer: &UnitSender, units: impl IntoIterator<Item = Box<dyn UnitOfWork>>) {
    units.into_iter().for_each(|unit| writer.send(unit).expect("it is taken"));
}

/// Accounts of the units that begin the next batches.
fn first_units(queue: &UnitQueue, batches: usize) -> Vec<i64> {
    let account = |_| queue.first().and_then(|unit| unit.owner().account).expect("one waits");
    (0..batches).map(account).collect()
}

#[test]
fn a_job_waits_for_four_batches_of_others_and_no_more() {
    let (writer, queue) = UnitSender::new();
    send_all(&writer, (0..12).map(|_| foreground_unit(2)));
    // What went by while no job waited does not count.
    assert_eq!(first_units(&queue, 3), [2, 2, 2]);
    send_all(&writer, [of_job(1), of_job(1)]);
    assert_eq!(writer.waiting(), 11);
    assert_eq!(first_units(&queue, 10), [2, 2, 2, 1, 2, 2, 2, 2, 1, 2]);
    assert_eq!(writer.waiting(), 1);
}

#[test]
fn one_unit_of_a_job_joins_those_that_somebody_waits_for() {
    let (writer, queue) = UnitSender::new();
    send_all(&writer, [of_job(1), of_job(2), of_job(3)]);
    let next = |batch: &[Box<dyn UnitOfWork>]| queue.next(batch).and_then(|unit| unit.owner().account);
    let mut batch = vec![foreground_unit(4)];
    assert_eq!(next(&batch), Some(1));
    batch.push(of_job(1));
    assert_eq!(next(&batch), None, "nobody waits for two of them");
    send_all(&writer, [foreground_unit(5)]);
    assert_eq!(next(&batch), Some(5), "but for others that somebody waits for");
    assert_eq!(
        [next(&[of_job(1)]), next(&[of_job(1), of_job(2)])],
        [Some(2), Some(3)],
        "jobs among themselves"
    );
    assert_eq!(next(&[of_job(1)]), None);
}

#[test]
fn the_time_of_a_batch_is_charged_to_the_accounts_of_its_jobs_in_equal_parts() {
    let (_, queue) = UnitSender::new();
    let millis = Duration::from_millis;
    let served = || lock_turns(&queue.turns).served.clone();
    queue.charge_batch(&[foreground_unit(3)], millis(9));
    assert!(served().is_empty());
    queue.charge_batch(&[foreground_unit(3), of_job(1), of_job(2)], millis(10));
    assert_eq!(served(), HashMap::from([(Some(1), millis(5)), (Some(2), millis(5))]));
    queue.charge_batch(&[of_job(1)], millis(3));
    assert_eq!(served(), HashMap::from([(Some(1), millis(8)), (Some(2), millis(5))]));
}

#[test]
fn a_queue_that_is_full_is_busy_and_one_without_a_reader_is_closed() {
    let (sender, receiver) = flume::bounded(1);
    assert!(send(&sender, 1).is_ok());
    assert!(matches!(send(&sender, 2), Err(StoreFault::Busy)));
    assert_eq!(receiver.try_iter().collect::<Vec<_>>(), [1]);
    drop(receiver);
    assert!(matches!(send(&sender, 3), Err(StoreFault::Closed)));
}
