//! Batches whose commits fail: which units run again, and what each is answered.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use super::*;
use crate::store::connection::SqlConnection;
use crate::store::row::Row;
use crate::store::statement::{Arg, Statement};

/// A database without rows, whose commits end one after the other as it is told, and well after these.
#[derive(Default)]
struct ScriptedEngine {
    commits: VecDeque<Option<StoreFault>>,
    /// The calls of it, in their order.
    calls: Vec<&'static str>,
}

impl SqlConnection for ScriptedEngine {
    fn query_each(
        &mut self,
        _: &Statement,
        _: &[Arg<'_>],
        _: &mut dyn FnMut(Row) -> Result<(), StoreFault>,
    ) -> Result<(), StoreFault> {
        Ok(())
    }

    fn execute(&mut self, _: &Statement, _: &[Arg<'_>]) -> Result<u64, StoreFault> {
        Ok(0)
    }
}

impl Engine for ScriptedEngine {
    fn begin(&mut self, _: &[Owner]) -> Result<(), StoreFault> {
        self.calls.push("begin");
        Ok(())
    }

    fn text(&mut self, text: &'static str) -> Result<(), StoreFault> {
        self.calls.push(text);
        Ok(())
    }

    fn connection(&mut self) -> Result<&mut dyn SqlConnection, StoreFault> {
        Ok(self)
    }

    fn is_alive(&self) -> bool {
        true
    }

    fn is_alone(&self) -> bool {
        false
    }

    fn commit(&mut self) -> Result<(), StoreFault> {
        self.calls.push("commit");
        self.commits.pop_front().flatten().map_or(Ok(()), Err)
    }

    fn rollback(&mut self) {
        self.calls.push("rollback");
    }

    fn leave(&mut self) {
        self.calls.push("leave");
    }
}

/// The number of each unit that was answered, and the fault that it was told.
type Answers = Arc<Mutex<Vec<(usize, Option<String>)>>>;

struct NumberedUnit {
    number: usize,
    answers: Answers,
}

impl UnitOfWork for NumberedUnit {
    fn owner(&self) -> Owner {
        Owner::NONE
    }

    fn kind(&self) -> UnitKind {
        UnitKind::Asked
    }

    fn ran(&self) -> Duration {
        Duration::ZERO
    }

    fn run(&mut self, _: &mut Tx<'_>) -> bool {
        true
    }

    fn send_answer(&mut self, fault: Option<StoreFault>) {
        let fault = fault.map(|fault| format!("{fault:?}"));
        self.answers.lock().expect("the answers").push((self.number, fault));
    }
}

/// End of a batch: what the writer is told, the calls and the answers.
type BatchEnd = (Option<String>, Vec<&'static str>, Vec<(usize, Option<String>)>);

/// Runs three units as the writer does.
fn run_three(commits: &[Option<StoreFault>]) -> BatchEnd {
    let answers = Answers::default();
    let unit =
        |number| -> Box<dyn UnitOfWork> { Box::new(NumberedUnit { number, answers: Arc::clone(&answers) }) };
    let mut batch: Vec<_> = (0..3).map(unit).collect();
    let mut engine =
        ScriptedEngine { commits: commits.iter().cloned().collect(), ..ScriptedEngine::default() };
    let outcome = run_batch(&mut engine, &mut batch, None);
    let settled = settle(&mut engine, &mut batch, outcome);
    let answers = answers.lock().expect("the answers").clone();
    (settled.err().map(|fault| format!("{fault:?}")), engine.calls, answers)
}

/// The same answer for this number of units.
fn answered(units: usize, fault: Option<&str>) -> Vec<(usize, Option<String>)> {
    (0..units).map(|number| (number, fault.map(str::to_owned))).collect()
}

#[test]
fn a_batch_that_was_disturbed_runs_again_whole() {
    for (fault, undone) in [(StoreFault::Conflict, "rollback"), (StoreFault::Disconnected, "leave")] {
        let (told, calls, answers) = run_three(&[Some(fault.clone()), Some(fault)]);
        let expected = ["begin", "commit", undone, "begin", "commit", undone, "begin", "commit"];
        assert_eq!((told, calls, answers), (None, expected.to_vec(), answered(3, None)));
    }
}

#[test]
fn a_batch_whose_outcome_is_unknown_runs_no_second_time() {
    for fault in [StoreFault::UnknownOutcome, StoreFault::WentBack] {
        let name = format!("{fault:?}");
        let (told, calls, answers) = run_three(&[Some(fault)]);
        assert_eq!((told.as_ref(), calls), (Some(&name), vec!["begin", "commit", "rollback"]));
        assert_eq!(answers, answered(3, Some(&name)));
    }
}

#[test]
fn the_units_of_a_batch_that_fails_run_alone_until_an_outcome_is_unknown() {
    let full = || Some(StoreFault::DiskFull);
    let (told, calls, answers) = run_three(&[full(), None, full(), None]);
    let alone = ["begin", "commit"];
    let expected = [&alone[..], &["rollback"], &alone, &alone, &["rollback"], &alone].concat();
    let told_of_second = |fault: &str| (1, Some(fault.to_owned()));
    assert_eq!((told, calls), (None, expected));
    assert_eq!(answers, [(0, None), told_of_second("DiskFull"), (2, None)]);
    let (told, calls, answers) = run_three(&[full(), None, Some(StoreFault::UnknownOutcome)]);
    let expected = [&alone[..], &["rollback"], &alone, &alone, &["rollback"]].concat();
    assert_eq!((told.as_deref(), calls), (Some("UnknownOutcome"), expected));
    assert_eq!(answers, [(0, None), told_of_second("UnknownOutcome")]);
}
