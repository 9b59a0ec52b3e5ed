//! Counted sizes of accounts, compared with their files.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use lethe::accounts::quota::{self, DefaultQuota};
use lethe::accounts::{self};
use lethe::ids::AccountId;
use lethe::store::{Statement, StoreFault};
use lethe::{args, limits};

use crate::support::world::{World, statement};

pub const FILES: Statement = statement(
    "files",
    "SELECT account_id, blob, sku_blob FROM snapshot UNION ALL SELECT account_id, blob, sku_blob FROM held_snapshot",
);

pub const PIECES: Statement = statement("pieces", "SELECT account_id, bytes FROM upload_piece");

/// The newest accounts, each also asked for alone: schedules go on with new ones.
pub const ASKED_ALONE: usize = 4;

/// The counted size of each account is that of its catalogue files, and of the pieces of its uploads with a block for
/// each.
pub async fn assert_sizes_counted(world: &World) {
    let reading = world.node().store.read(|tx| {
        let mut files: BTreeMap<i64, Vec<String>> = BTreeMap::new();
        for row in tx.run(&FILES, args![])? {
            let of_account = files.entry(row.int("account_id")?).or_default();
            of_account.push(row.text("blob")?.to_owned());
            of_account.extend(row.opt_text("sku_blob")?.map(str::to_owned));
        }
        let mut pieces: BTreeMap<i64, i64> = BTreeMap::new();
        for row in tx.run(&PIECES, args![])? {
            *pieces.entry(row.int("account_id")?).or_default() +=
                row.int("bytes")? + limits::UPLOAD_PIECE_QUOTA_BYTES;
        }
        let listed = quota::list(tx, DefaultQuota(i64::MAX))?;
        let mut accounts: Vec<_> = accounts::list(tx)?.into_iter().map(|account| account.id.0).collect();
        accounts.sort_unstable_by_key(|id| Reverse(*id));
        let mut counted = Vec::new();
        for (place, id) in accounts.into_iter().enumerate() {
            let held = listed[&id].held_bytes;
            let mut told = vec![held];
            if place < ASKED_ALONE {
                told.push(quota::quota_use(tx, AccountId(id), None, DefaultQuota(i64::MAX))?.held_bytes);
            }
            let pieces = pieces.remove(&id).unwrap_or(0);
            counted.push((id, told, files.remove(&id).unwrap_or_default(), pieces));
        }
        Ok::<_, StoreFault>(counted)
    });
    for (account, told, files, pieces) in reading.await.expect("rows") {
        let sizes = files.iter().map(|file| {
            let path = world.config.data_dir.join("blobs").join(&file[..2]).join(file);
            std::fs::metadata(path).map(|file| file.len() as i64)
        });
        // A file that a test took away is none that could be counted.
        let Ok(sizes) = sizes.collect::<Result<Vec<_>, _>>() else { continue };
        let holds = sizes.iter().sum::<i64>() + pieces;
        assert!(
            told.iter().all(|held| *held == holds),
            "account {account} holds {holds}, and is told {told:?}"
        );
    }
}
