//! `lethe doctor`: dangers of a loss for ever on this server, in plain words.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use serde::Serialize;

use crate::accounts;
use crate::args;
use crate::clock::{Millis, millis};
use crate::erasure;
use crate::i18n::{Translations, UiLanguage};
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
    /// Key of the sentence among the texts of `doctor`, for readers of other languages; empty if there is none.
    pub text: &'static str,
    /// Values of the placeholders of that text.
    pub values: BTreeMap<&'static str, String>,
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

/// A finding whose sentence is a text.
fn finding<const N: usize>(
    check: &'static str,
    standing: CheckStatus,
    text: &'static str,
    values: [(&'static str, String); N],
) -> Finding {
    static ENGLISH: LazyLock<Translations> = LazyLock::new(|| Translations::load(UiLanguage::English));
    let filled: Vec<_> = values.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let sentence = ENGLISH.translate(&format!("doctor.{text}"), &filled);
    Finding { check, standing, sentence, text, values: values.into() }
}

/// A finding in the words of a fault, which are English.
fn fault_finding(check: &'static str, standing: CheckStatus, sentence: String) -> Finding {
    Finding { check, standing, sentence, text: "", values: BTreeMap::new() }
}

fn keys_apart(node: &Node) -> Finding {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    if real(&node.config.key_dir).starts_with(real(&node.config.data_dir)) {
        finding("keys apart from data", CheckStatus::Act, "keys_inside", [])
    } else {
        finding("keys apart from data", CheckStatus::Good, "keys_apart", [])
    }
}

fn key_folder(node: &Node) -> Finding {
    match node.key_warnings.as_slice() {
        [] => finding("key folder", CheckStatus::Good, "keys_copied", []),
        warnings => fault_finding("key folder", CheckStatus::Weak, warnings.join(" ")),
    }
}

/// Checks every person's key again: a slot may hold a key by now that opens nothing of its former person.
async fn people(node: &Node) -> Result<Finding, StoreFault> {
    let counts = match lost_keys::count(&node.store, &node.keys).await {
        Ok(counts) => counts,
        Err(SubjectFault::Store(fault)) => return Err(fault),
        Err(SubjectFault::Keys(fault)) => {
            let sentence = format!("Whether everybody's key is there cannot be looked up: {fault}.");
            return Ok(fault_finding("keys of people", CheckStatus::Act, sentence));
        }
    };
    let count = counts.values().sum();
    let accounts = node.store.read(accounts::list).await?;
    let named = accounts.into_iter().filter_map(|account| Some((account.name, *counts.get(&account.id)?)));
    let of_accounts = by_account(named.collect());
    Ok(match unreadable_in_words(count, &of_accounts) {
        None => finding("keys of people", CheckStatus::Good, "people_keyed", []),
        Some(sentence) => fault_finding("keys of people", CheckStatus::Act, sentence),
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
        (0, 0) => {
            let values = [("open", waiting.open.to_string())];
            finding("erasures", CheckStatus::Good, "erasures_good", values)
        }
        (overdue, failing) => {
            let values = [("overdue", overdue.to_string()), ("failing", failing.to_string())];
            finding("erasures", CheckStatus::Act, "erasures_bad", values)
        }
    })
}

fn check_acknowledged(node: &Node) -> Finding {
    let check = "what was acknowledged";
    match describe_loss(node) {
        None => finding(check, CheckStatus::Good, "nothing_lost", []),
        Some(sentence) => fault_finding(check, CheckStatus::Act, sentence),
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
        return finding(check, CheckStatus::Good, "proxies_named", []);
    }
    let values = [
        ("header", node.config.forwarded_header.to_string()),
        ("visitors", limits::NEW_VISITORS_OF_CLIENT_PER_MINUTE.to_string()),
        ("searches", limits::SEARCHES_PER_SECOND.to_string()),
    ];
    finding(check, CheckStatus::Weak, "proxy_unnamed", values)
}

fn recovery_key(node: &Node) -> Finding {
    match bundle::public(&node.config.key_dir) {
        Ok(Some(_)) => finding("recovery key", CheckStatus::Good, "recovery_key_made", []),
        Ok(None) => finding("recovery key", CheckStatus::Act, "recovery_key_missing", []),
        Err(fault) => fault_finding("recovery key", CheckStatus::Act, format!("{fault}.")),
    }
}

fn journal(node: &Node) -> Finding {
    let check = "journal of erasures";
    let records = [("records", node.journal.last().records.to_string())];
    match (node.journal.is_mirrored(), node.journal.is_equal()) {
        (_, Err(fault)) => {
            fault_finding(check, CheckStatus::Act, format!("{fault}. Erasures wait until it is mended."))
        }
        (true, Ok(true)) => finding(check, CheckStatus::Good, "journal_mirrored", records),
        (_, Ok(false)) => finding(check, CheckStatus::Act, "journal_differs", []),
        (false, Ok(true)) => finding(check, CheckStatus::Weak, "journal_alone", records),
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
        None => finding(check, CheckStatus::Good, "files_there", []),
        Some(sentence) => fault_finding(check, CheckStatus::Act, sentence),
    })
}

async fn last_backup(node: &Node) -> Result<Finding, StoreFault> {
    let made: Option<i64> = node.store.read(backup_at).await?;
    Ok(match made.map(|at| node.clock.now() - at) {
        None => finding("backup", CheckStatus::Act, "backup_none", []),
        Some(age) if age > millis(BACKUP_DURATION) => {
            let days = age / millis(Duration::from_secs(24 * 3600));
            finding("backup", CheckStatus::Weak, "backup_old", [("days", days.to_string())])
        }
        Some(_) => finding("backup", CheckStatus::Good, "backup_new", []),
    })
}

async fn database(node: &Node) -> Finding {
    let store = node.store.clone();
    let checked =
        tokio::task::spawn_blocking(move || store.quick_check()).await.unwrap_or(Err(StoreFault::Panicked));
    match checked {
        Ok(true) => finding("database", CheckStatus::Good, "database_sound", []),
        Ok(false) => finding("database", CheckStatus::Good, "database_postgres", []),
        Err(fault) => fault_finding(
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
    fn a_finding_is_an_english_sentence_with_its_text_and_values() {
        let old = finding("backup", CheckStatus::Weak, "backup_old", [("days", "9".to_owned())]);
        assert_eq!(old.sentence, "The newest backup is 9 days old. Run `lethe backup FOLDER`.");
        assert_eq!((old.text, old.values["days"].as_str()), ("backup_old", "9"));
    }

    #[test]
    fn the_accounts_with_the_most_lost_people_are_named_first_and_ten_at_most() {
        let same = [("b", 1), ("shop", 3), ("a", 1)].map(|(name, count)| (name.to_owned(), count));
        assert_eq!(by_account(same.to_vec()), " (shop: 3, a: 1, b: 1)");
        assert!(by_account(counts(10)).ends_with("shop-2: 2, shop-1: 1)"));
        let told = by_account(counts(13));
        assert!(told.starts_with(" (shop-13: 13, ") && told.ends_with(", shop-4: 4, and 3 more)"), "{told}");
    }

    #[test]
    fn nothing_is_said_of_people_who_can_be_read() {
        assert_eq!((unreadable_in_words(0, ""), by_account(Vec::new())), (None, String::new()));
        let said = unreadable_in_words(2, " (shop: 2)").expect("a sentence");
        let begins =
            "2 people are stored whose keys are gone or damaged (shop: 2): nobody can read what is stored";
        assert!(
            said.starts_with(begins) && said.ends_with("clears what is left of all at the next start."),
            "{said}"
        );
        assert!(unreadable_in_words(1, "").is_some());
        let eleven = by_account(counts(11));
        assert!(eleven.ends_with(", shop-2: 2, and 1 more)"), "{eleven}");
    }
}
