//! The step of an erasure before its keys are destroyed: it is recorded in the journal, durably, in both its places.

use super::WorkFault;
use crate::args;
use crate::clock::Millis;
use crate::erase::SubjectId;
use crate::ids::AccountId;
use crate::node::Node;
use crate::recovery::journal::{Kind, Position, Record, TagEntry};
use crate::sql;
use crate::store::{StoreFault, Tx};

/// An erasure whose every identifier is suppressed by now.
pub struct Fenced {
    /// Its random id.
    pub id: [u8; 16],
    /// Its place in its account.
    pub seq: i64,
    /// The person's subjects.
    pub subjects: Vec<SubjectId>,
    /// When it was asked for.
    pub asked_at: Millis,
}

/// Records erasures, each once. What comes back is noted ([`crate::recovery::replay::note`]) in the transaction in which
/// they are shredded.
pub async fn record(node: &Node, account: AccountId, fenced: Vec<Fenced>) -> Result<Position, WorkFault> {
    let reading = node.store.read(move |tx| {
        let records = fenced.iter().map(|one| record_of(tx, account, one));
        records.collect::<Result<Vec<_>, StoreFault>>()
    });
    Ok(node.journal.recorded(reading.await?).await?)
}

fn record_of(tx: &mut Tx<'_>, account: AccountId, fenced: &Fenced) -> Result<Record, StoreFault> {
    let rows = tx.run(&sql::suppression_list, args![account.0, fenced.seq])?;
    let tags =
        rows.iter().map(|row| Ok(TagEntry { tag: row.bytes(0)?, kind: row.int(1)?, version: row.int(2)? }));
    Ok(Record {
        kind: Kind::Erasure,
        id: fenced.id,
        account: account.0,
        subjects: fenced.subjects.clone(),
        tags: tags.collect::<Result<_, StoreFault>>()?,
        at: fenced.asked_at,
    })
}
