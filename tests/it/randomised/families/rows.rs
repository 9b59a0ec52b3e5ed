//! Everything a shop has stored of people: every row as it is, and every record as it reads.

use std::collections::BTreeSet;

use lethe::args;
use lethe::people::record_kind::{ORDER, PROFILE};
use lethe::people::subject::{SubjectFault, SubjectId};
use lethe::store::{Row, Statement, StoreFault};
use serde_json::Value;

use crate::support::world::{Shop, World, records, statement};

const SUBJECTS: Statement = statement(
    "subjects",
    "SELECT subject.id, account.id AS account_id, subject.slot, subject.created_at, COALESCE(forgotten_seq, 0) AS forgotten_seq
     FROM subject JOIN account ON account.id = account_id WHERE access_key = $1",
);
const RECORDS: Statement = statement(
    "records",
    "SELECT record.subject_id, record.sealed, record.kind, record.n, record.seq FROM record
     JOIN subject ON subject.id = record.subject_id JOIN account ON account.id = subject.account_id
     WHERE access_key = $1",
);
const LINKS: Statement = statement(
    "links",
    "SELECT subject_id, identifier.sealed, tag, kind, role FROM identifier
     JOIN account ON account.id = account_id WHERE access_key = $1",
);
const ORDERS: Statement = statement(
    "orders",
    "SELECT subject_id, tag, COALESCE(email, tag) AS email, n, order_known.seq, ordered_at FROM order_known
     JOIN account ON account.id = account_id WHERE access_key = $1",
);

async fn read<T: Send + 'static>(
    world: &World,
    shop: &Shop,
    statement: &'static Statement,
    one: fn(&Row) -> Result<T, StoreFault>,
) -> Vec<T> {
    let key = shop.key.clone();
    let reading = world.node().store.read(move |tx| {
        tx.run(statement, args![key.as_str()])?.iter().map(one).collect::<Result<Vec<_>, StoreFault>>()
    });
    reading.await.expect("rows")
}

/// Every row, as text.
pub async fn rows(world: &World, shop: &Shop) -> BTreeSet<String> {
    let mut rows = BTreeSet::new();
    let subjects = |row: &Row| {
        Ok(format!(
            "subject {:?} {:?} {:?}",
            row.blob("id")?,
            row.int("slot")?,
            (row.int("created_at")?, row.int("forgotten_seq")?)
        ))
    };
    rows.extend(read(world, shop, &SUBJECTS, subjects).await);
    let records = |row: &Row| {
        Ok(format!(
            "record {:?} {:?} {:?}",
            row.blob("subject_id")?,
            row.blob("sealed")?,
            (row.text("kind")?, row.int("n")?, row.int("seq")?)
        ))
    };
    rows.extend(read(world, shop, &RECORDS, records).await);
    let links = |row: &Row| {
        let numbers = (row.int("kind")?, row.int("role")?);
        Ok(format!(
            "link {:?} {:?} {:?} {numbers:?}",
            row.blob("subject_id")?,
            row.blob("sealed")?,
            row.blob("tag")?
        ))
    };
    rows.extend(read(world, shop, &LINKS, links).await);
    let orders = |row: &Row| {
        let numbers = (row.int("n")?, row.int("seq")?, row.int("ordered_at")?);
        Ok(format!(
            "order {:?} {:?} {:?} {numbers:?}",
            row.blob("subject_id")?,
            row.blob("tag")?,
            row.blob("email")?
        ))
    };
    rows.extend(read(world, shop, &ORDERS, orders).await);
    rows
}

/// Every record as it reads: `order 1`, `profile mark`.
pub async fn contents(world: &World, shop: &Shop) -> BTreeSet<String> {
    let all = |row: &Row| {
        let subject: SubjectId = row.bytes("id")?;
        Ok((subject, row.int("account_id")?))
    };
    let subjects = read(world, shop, &SUBJECTS, all).await;
    let keys = world.node().keys.clone();
    let reading = world.node().store.read(move |tx| {
        let mut contents = BTreeSet::new();
        for (id, account) in &subjects {
            let account = lethe::ids::AccountId(*account);
            for kind in [ORDER, PROFILE] {
                for content in records(tx, &keys, account, id, kind)? {
                    let read: Value = serde_json::from_slice(&content).expect("JSON");
                    let mark = if kind.name() == ORDER.name() { &read[0] } else { &read["FirstName"] };
                    contents.insert(format!("{} {}", kind.name(), mark.as_str().expect("a mark")));
                }
            }
        }
        Ok::<_, SubjectFault>(contents)
    });
    reading.await.expect("records")
}
