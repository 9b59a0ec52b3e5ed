//! Subjects of all shops, and a model that knows them.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use futures_util::future::BoxFuture;
use lethe::args;
use lethe::ids::AccountId;
use lethe::people::subject::SubjectId;
use lethe::projections::Derived;
use lethe::store::{Row, Statement, StoreFault};

use crate::support::world::{World, statement};

pub async fn read_rows(world: &World, statement: Statement) -> Vec<Row> {
    let read = world.node().store.read(move |tx| tx.run(&statement, args![])).await;
    read.map_err(|fault: StoreFault| fault).expect("rows")
}

/// The subjects of all shops.
pub async fn list_subject_ids(world: &World) -> Vec<SubjectId> {
    const SUBJECTS: Statement = statement("subjects", "SELECT id FROM subject ORDER BY id");
    read_rows(world, SUBJECTS).await.iter().map(|row| row.bytes("id").expect("an id")).collect()
}

/// Something that knows people, like a popularity model.
#[derive(Default)]
pub struct KnowingModel {
    pub known: Mutex<Vec<SubjectId>>,
    /// True if it keeps people who should be left out.
    pub keeps: AtomicBool,
}

impl KnowingModel {
    /// One that the node has from now on.
    pub fn install(world: &World) -> Arc<Self> {
        let model = Arc::new(Self::default());
        world.node().derived.add(model.clone());
        model
    }

    pub fn set_people(&self, people: Vec<SubjectId>) {
        *self.known.lock().expect("nobody panicked") = people;
    }
}

impl Derived for KnowingModel {
    fn name(&self) -> &'static str {
        "a model of a test"
    }

    fn catch_up(&self, _: AccountId) -> BoxFuture<'_, ()> {
        Box::pin(std::future::ready(()))
    }

    fn forget<'a>(&'a self, _: AccountId, people: &'a [SubjectId]) -> BoxFuture<'a, ()> {
        if !self.keeps.load(Ordering::SeqCst) {
            self.known.lock().expect("nobody panicked").retain(|known| !people.contains(known));
        }
        Box::pin(std::future::ready(()))
    }

    fn count<'a>(&'a self, _: AccountId, people: &'a [SubjectId]) -> BoxFuture<'a, u64> {
        let known = self.known.lock().expect("nobody panicked");
        let count = known.iter().filter(|known| people.contains(known)).count();
        Box::pin(std::future::ready(count as u64))
    }

    fn is_caught_up(&self) -> bool {
        true
    }
}

/// Enough people that PostgreSQL plans as it does for a shop.
pub const INSERT_MANY_PEOPLE: &str = "
-- No unit of work writes them.
SET session_replication_role = replica;
INSERT INTO subject (account_id, id, slot, created_at)
SELECT 1, decode(md5(n::text), 'hex'), n, n FROM generate_series(1, 20000) AS n;
INSERT INTO identifier (account_id, tag, subject_id, kind, sealed, role)
SELECT 1, sha256((n || '-' || kind)::bytea), decode(md5(n::text), 'hex'), kind, sha256((n || 's')::bytea), 1 + 12 * kind
FROM generate_series(1, 20000) AS n, generate_series(0, 1) AS kind;
INSERT INTO record (account_id, subject_id, kind, n, seq, sealed)
SELECT 1, decode(md5(n::text), 'hex'), 'order', 0, n, sha256(n::text::bytea) FROM generate_series(1, 20000) AS n;
INSERT INTO order_known (account_id, tag, subject_id, n, seq, ordered_at, email)
SELECT 1, sha256((n || 'o')::bytea), decode(md5(n::text), 'hex'), 0, n, n, sha256((n || '-1')::bytea)
FROM generate_series(1, 20000) AS n;
ANALYZE;
SET plan_cache_mode = force_generic_plan;
";
