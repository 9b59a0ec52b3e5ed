//! `lethe doctor`: dangers of a loss for ever on this server, in plain words.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;

use crate::accounts;
use crate::args;
use crate::clock::{Millis, millis};
use crate::erasure;
use crate::limits;
use crate::node::{Node, missing_in_words};
use crate::people::subject::SubjectFault;
use crate::recovery::{bundle, lost_keys};
use crate::sql;
use crate::store::{StoreFault, Tx};

/// A backup older than this is reported.
pub const BACKUP_DURATION: Duration = Duration::from_secs(7 * 24 * 3600);

/// Most accounts that a finding names.
const ACCOUNTS_NAMED: usize = 10;

/// State of something that was checked.
#[derive(Serialize, Clone, Copy, PartialEq, Eq, Debug)]
pub enum CheckStatus {
    /// It is as it should be.
    Good,
    /// It works, and something would be lost in a case that happens.
    Weak,
    /// Something has to be done.
    Act,
}

/// One thing that was looked at.
#[derive(Serialize, Clone)]
#[serde(rename_all = "PascalCase")]
pub struct Finding {
    /// Subject of the check.
    pub check: &'static str,
    /// Its state.
    pub standing: CheckStatus,
    /// Sentence with the finding and, unless it is good, the remedy.
    pub sentence: String,
}

/// Checks everything and returns one finding for each subject.
///
/// # Errors
/// When the store fails.
pub async fn examine(node: &Arc<Node>) -> Result<Vec<Finding>, StoreFault> {
    Ok(vec![
        keys_apart(node),
        key_folder(node),
        people(node).await?,
        erasures(node).await?,
        recovery_key(node),
        journal(node),
        catalogue_files(node).await?,
        last_backup(node).await?,
        database(node).await,
        check_acknowledged(node),
        proxies(node),
    ])
}

fn finding(check: &'static str, standing: CheckStatus, sentence: impl Into<String>) -> Finding {
    Finding { check, standing, sentence: sentence.into() }
}

fn keys_apart(node: &Node) -> Finding {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    if real(&node.config.key_dir).starts_with(real(&node.config.data_dir)) {
        finding(
            "keys apart from data",
            CheckStatus::Act,
            "The key folder lies inside the data folder: a copy of the one takes the other along, and undoes every \
             erasure since. Stop the server, move the key folder, and name it with --key-dir.",
        )
    } else {
        finding("keys apart from data", CheckStatus::Good, "The key folder is apart from the data.")
    }
}

fn key_folder(node: &Node) -> Finding {
    match node.key_warnings.as_slice() {
        [] => finding(
            "key folder",
            CheckStatus::Good,
            "It has a live second copy, and nothing speaks against its disk.",
        ),
        warnings => finding("key folder", CheckStatus::Weak, warnings.join(" ")),
    }
}

/// Checks every person's key again: a slot may hold a key by now that opens nothing of its former person.
async fn people(node: &Node) -> Result<Finding, StoreFault> {
    let counts = match lost_keys::count(&node.store, &node.keys).await {
        Ok(counts) => counts,
        Err(SubjectFault::Store(fault)) => return Err(fault),
        Err(SubjectFault::Keys(fault)) => {
            let sentence = format!("Whether everybody's key is there cannot be looked up: {fault}.");
            return Ok(finding("keys of people", CheckStatus::Act, sentence));
        }
    };
    let count = counts.values().sum();
    let accounts = node.store.read(accounts::list).await?;
    let named = accounts.into_iter().filter_map(|account| Some((account.name, *counts.get(&account.id)?)));
    let of_accounts = by_account(named.collect());
    Ok(match unreadable_in_words(count, &of_accounts) {
        None => finding("keys of people", CheckStatus::Good, "There is a key for everybody who is stored."),
        Some(sentence) => finding("keys of people", CheckStatus::Act, sentence),
    })
}

/// ` (shop: 3, other: 1)`: the accounts with the most first, and at most [`ACCOUNTS_NAMED`].
fn by_account(mut counts: Vec<(String, u64)>) -> String {
    if counts.is_empty() {
        return String::new();
    }
    counts.sort_by(|(name, count), (other, more)| more.cmp(count).then_with(|| name.cmp(other)));
    let mut told: Vec<_> =
        counts.iter().take(ACCOUNTS_NAMED).map(|(name, count)| format!("{name}: {count}")).collect();
    let others = counts.len() - told.len();
    if others > 0 {
        told.push(format!("and {others} more"));
    }
    format!(" ({})", told.join(", "))
}

/// Sentence about people whose keys the start found gone or damaged, if there are any.
#[must_use]
pub fn unreadable(node: &Node) -> Option<String> {
    unreadable_in_words(node.unreadable as u64, "")
}

fn unreadable_in_words(count: u64, of_accounts: &str) -> Option<String> {
    (count > 0).then(|| {
        format!(
            "{count} people are stored whose keys are gone or damaged{of_accounts}: nobody can read what is stored of \
             them. Put the key file back that belongs to this store, from the key mirror; if it is lost, `lethe forget` \
             erases one of them, and an empty file `restored` in the data folder clears what is left of all at the next \
             start."
        )
    })
}

async fn erasures(node: &Node) -> Result<Finding, StoreFault> {
    let now = node.clock.now();
    let waiting = node.store.read(move |tx| erasure::waiting(tx, now)).await?;
    Ok(match (waiting.overdue, waiting.failing) {
        (0, 0) => finding(
            "erasures",
            CheckStatus::Good,
            format!("{} are going on; none failed, none is overdue.", waiting.open),
        ),
        (overdue, failing) => finding(
            "erasures",
            CheckStatus::Act,
            format!(
                "{overdue} are overdue and {failing} failed when they were tried last; `lethe erasure list` says why."
            ),
        ),
    })
}

fn check_acknowledged(node: &Node) -> Finding {
    let check = "what was acknowledged";
    match describe_loss(node) {
        None => finding(check, CheckStatus::Good, "The database has lost nothing since the server began."),
        Some(sentence) => finding(check, CheckStatus::Act, sentence),
    }
}

/// Sentence about a database that lost acknowledged commits, until the process ends.
#[must_use]
pub fn describe_loss(node: &Node) -> Option<String> {
    node.store.acknowledged_numbers().all_lost().map(|lost| {
        format!(
            "Requests that were acknowledged and that the database has lost: {} (accounts: {}). A server took the place \
             of another that it lagged behind. Who was erased was erased again. Have the shops send their catalogues and \
             what people did since again; with a synchronous standby and --require-standby nothing is lost.",
            lost.requests, lost.accounts
        )
    })
}

/// Finding about requests that were forwarded by a server that is not named as a proxy. Any client can write the
/// header, so the finding is no more than a hint, and ends by itself.
fn proxies(node: &Node) -> Finding {
    let check = "reverse proxy";
    if !node.resources.unnamed_proxy.is_told(node.clock.now()) {
        let sentence =
            "No request of the last day was forwarded by a server that --trusted-proxies does not name.";
        return finding(check, CheckStatus::Good, sentence);
    }
    let visitors = limits::NEW_VISITORS_OF_CLIENT_PER_MINUTE;
    let asked = limits::SEARCHES_PER_SECOND;
    let sentence = format!(
        "A request of the last day says that it was forwarded ({}), by an address that --trusted-proxies does not name. If a \
         reverse proxy stands before this server, name its address there: until then all shoppers behind it count as one \
         client, with {visitors} new visitors a minute, and {asked} searches, zones and events a second. If none does, a \
         client wrote this header itself; it is not believed, and this finding ends a day after the last such request.",
        node.config.forwarded_header
    );
    finding(check, CheckStatus::Weak, sentence)
}

fn recovery_key(node: &Node) -> Finding {
    match bundle::public(&node.config.key_dir) {
        Ok(Some(_)) => finding("recovery key", CheckStatus::Good, "Backups carry the recognition bundle."),
        Ok(None) => finding(
            "recovery key",
            CheckStatus::Act,
            "There is no recovery key: losing the key folder would lose every account's secrets and who was forgotten. \
             Run `lethe recovery-key new` and keep what it prints somewhere else.",
        ),
        Err(fault) => finding("recovery key", CheckStatus::Act, format!("{fault}.")),
    }
}

fn journal(node: &Node) -> Finding {
    let records = node.journal.last().records;
    match (node.journal.is_mirrored(), node.journal.is_equal()) {
        (_, Err(fault)) => finding(
            "journal of erasures",
            CheckStatus::Act,
            format!("{fault}. Erasures wait until it is mended."),
        ),
        (true, Ok(true)) => finding(
            "journal of erasures",
            CheckStatus::Good,
            format!("{records} records, the same on its mirror."),
        ),
        (_, Ok(false)) => finding(
            "journal of erasures",
            CheckStatus::Act,
            "The journal or its mirror on the disk is not what was written. Start the server again: it compares them.",
        ),
        (false, Ok(true)) => finding(
            "journal of erasures",
            CheckStatus::Weak,
            format!(
                "{records} records, in one place: when the whole machine goes back to a snapshot, or loses the disk of \
                 the key folder, erasures since then are not known. Name a folder on another volume with --journal-mirror."
            ),
        ),
    }
}

/// Time of the newest backup.
///
/// # Errors
/// When the store fails.
pub fn backup_at(tx: &mut Tx<'_>) -> Result<Option<Millis>, StoreFault> {
    tx.row(&sql::node_backup_get, args![])?.map_or(Ok(None), |row| row.opt_int("backup_at"))
}

async fn catalogue_files(node: &Node) -> Result<Finding, StoreFault> {
    let check = "catalogue files";
    Ok(match missing_in_words(&node.look_for_files().await?) {
        None => finding(check, CheckStatus::Good, "Every file that a shop shows is in the data folder."),
        Some(sentence) => finding(check, CheckStatus::Act, sentence),
    })
}

async fn last_backup(node: &Node) -> Result<Finding, StoreFault> {
    let made: Option<i64> = node.store.read(backup_at).await?;
    Ok(match made.map(|at| node.clock.now() - at) {
        None => finding("backup", CheckStatus::Act, "No backup was made yet. Run `lethe backup FOLDER`."),
        Some(age) if age > millis(BACKUP_DURATION) => {
            let days = age / millis(Duration::from_secs(24 * 3600));
            finding(
                "backup",
                CheckStatus::Weak,
                format!("The newest backup is {days} days old. Run `lethe backup FOLDER`."),
            )
        }
        Some(_) => finding("backup", CheckStatus::Good, "The newest backup is less than a week old."),
    })
}

async fn database(node: &Node) -> Finding {
    let store = node.store.clone();
    let checked =
        tokio::task::spawn_blocking(move || store.quick_check()).await.unwrap_or(Err(StoreFault::Panicked));
    match checked {
        Ok(true) => finding("database", CheckStatus::Good, "Its pages are sound."),
        Ok(false) => finding(
            "database",
            CheckStatus::Good,
            "PostgreSQL looks after its own pages; they were not looked at.",
        ),
        Err(fault) => finding(
            "database",
            CheckStatus::Act,
            format!("{fault}. Stop the server, move the data folder away, and restore the newest backup."),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(count: u64) -> Vec<(String, u64)> {
        (1..=count).map(|number| (format!("shop-{number}"), number)).collect()
    }

    #[test]
    fn the_accounts_with_the_most_lost_people_are_named_first_and_ten_at_most() {
        let same = [("b", 1), ("shop", 3), ("a", 1)].map(|(name, count)| (name.to_owned(), count));
        assert_eq!(by_account(same.to_vec()), " (shop: 3, a: 1, b: 1)");
        assert!(by_account(counts(10)).ends_with("shop-2: 2, shop-1: 1)"));
        let told = by_account(counts(13));
        assert!(told.starts_with(" (shop-13: 13, ") && told.ends_with(", shop-4: 4, and 3 more)"), "{told}");
    }
}
