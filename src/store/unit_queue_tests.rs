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
