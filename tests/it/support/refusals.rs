//! Triggers with which the store refuses a write.

use std::time::Duration;

use lethe::args;
use lethe::store::{Owner, Statement, StoreFault};

use crate::support::world::World;

/// Makes the store refuse what ends a submission, or the second transaction of a large delta.
pub const PREPARE: Statement = Statement::new(
    "prepare",
    "DROP TRIGGER IF EXISTS refused",
    "CREATE OR REPLACE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''planted''; END'",
);

pub const REFUSE_END: Statement = Statement::new(
    "refuse_end",
    "CREATE TRIGGER refused BEFORE UPDATE ON submission WHEN NEW.state <> 0 BEGIN SELECT RAISE(ABORT, 'planted'); END",
    "CREATE TRIGGER refused BEFORE UPDATE ON submission FOR EACH ROW WHEN (NEW.state <> 0) EXECUTE FUNCTION refuse()",
);

pub const REFUSE_SECOND_PART: Statement = Statement::new(
    "refuse_second_part",
    "CREATE TRIGGER refused BEFORE INSERT ON change WHEN NEW.n >= 500 BEGIN SELECT RAISE(ABORT, 'planted'); END",
    "CREATE TRIGGER refused BEFORE INSERT ON change FOR EACH ROW WHEN (NEW.n >= 500) EXECUTE FUNCTION refuse()",
);

pub const REFUSE_SWEEP: Statement = Statement::new(
    "refuse_sweep",
    "CREATE TRIGGER refused BEFORE UPDATE ON base WHEN NEW.swept_seq <> OLD.swept_seq
     BEGIN SELECT RAISE(ABORT, 'planted'); END",
    "CREATE TRIGGER refused BEFORE UPDATE ON base FOR EACH ROW WHEN (NEW.swept_seq <> OLD.swept_seq)
     EXECUTE FUNCTION refuse()",
);

pub const ALLOW: Statement =
    Statement::new("allow", "DROP TRIGGER IF EXISTS refused", "DROP FUNCTION IF EXISTS refuse() CASCADE");

pub async fn plant_refusal(world: &World, refusal: &'static Statement) {
    execute_both(world, [&PREPARE, refusal]).await;
}

pub async fn remove_refusal(world: &World) {
    execute_both(world, [&ALLOW, &ALLOW]).await;
    // A failed job is tried again.
    world.clock.advance(Duration::from_secs(120));
}

pub async fn execute_both(world: &World, statements: [&'static Statement; 2]) {
    let done = world.node().store.write(Owner::STORE, move |tx| {
        statements.iter().try_for_each(|statement| tx.exec(statement, args![]).map(drop))
    });
    done.await.map_err(|fault: StoreFault| fault).expect("the trigger");
}
