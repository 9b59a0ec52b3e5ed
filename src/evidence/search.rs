//! Looking for people everywhere: in the text of the catalogue, decompressed, and in every file, byte by byte.

use std::collections::{HashMap, HashSet};
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use lethe_verify::Scan;
use zeroize::Zeroizing;

use super::EvidenceFault;
use crate::catalogue::rewriting;
use crate::feeds::rows;
use crate::ids::AccountId;
use crate::node::Node;
use crate::residue::{self, Scanned};
use crate::store::StoreOptions;
use crate::subjects::identifier::{Identifier, Kind};
use crate::subjects::person::Person;

/// Rows of deltas read in one unit of work: each may be as large as a delta.
const PUTS_READ: i64 = 50;

/// Asked again and again with the number of bytes read; its error ends a search.
pub type GoOn = Arc<dyn Fn(u64) -> io::Result<()> + Send + Sync>;

/// How often each of these addresses, in normal form, stands in the text of the account's catalogue: in every snapshot
/// that is kept, and in what deltas put.
pub async fn in_text(
    node: &Arc<Node>,
    account: AccountId,
    emails: HashSet<String>,
    go_on: &GoOn,
) -> Result<HashMap<String, u64>, EvidenceFault> {
    let search = Arc::new(Search { emails, found: Mutex::default() });
    if search.emails.is_empty() {
        return Ok(HashMap::new());
    }
    let mut after = (0, -1);
    loop {
        let puts = node.store.read(move |tx| rewriting::puts(tx, account, after, PUTS_READ)).await?;
        let Some(last) = puts.last() else { break };
        after = (last.seq, last.n);
        puts.iter().for_each(|put| search.look(&put.row));
    }
    let mut looked = HashSet::new();
    loop {
        // The sweep leaves the file until it is read.
        let publishing = node.publishing.clone().read_owned().await;
        let kept = node.store.read(move |tx| rewriting::kept(tx, account)).await?;
        let Some(blob) = kept.into_iter().map(|kept| kept.blob).find(|blob| looked.insert(*blob)) else {
            break;
        };
        let (node, go_on, search) = (node.clone(), go_on.clone(), search.clone());
        let looking = tokio::task::spawn_blocking(move || {
            let _publishing = publishing;
            rewriting::each_row(&node.blobs, &blob, &|| go_on(0), &mut |row| search.look(row))
        });
        looking.await.map_err(|_| EvidenceFault::Panicked)??;
    }
    let found = search.found.lock().map_err(|_| EvidenceFault::Panicked)?;
    Ok(found.clone())
}

/// Addresses that are looked for in rows.
struct Search {
    emails: HashSet<String>,
    found: Mutex<HashMap<String, u64>>,
}

impl Search {
    fn look(&self, row: &[u8]) {
        let is_wanted = |email: &str| {
            let normal = Identifier::email(email).ok().filter(|id| self.emails.contains(id.normal()));
            if let (Some(id), Ok(mut found)) = (&normal, self.found.lock()) {
                *found.entry(id.normal().to_owned()).or_default() += 1;
            }
            normal.is_some()
        };
        // What the row would become is of no interest: being asked about is.
        let _ = rows::without_forgotten(row, &is_wanted);
    }
}

/// What a scan of the files saw of several people.
pub struct Residue {
    scanned: Scanned,
    /// Of each text looked for, whose it is.
    whose: Vec<usize>,
    /// Of each person, how many identifiers are too common to be looked for.
    walk_only: Vec<u64>,
    database: Vec<PathBuf>,
}

impl Residue {
    /// What was seen of one of them, by number.
    #[must_use]
    pub fn of(&self, person: usize) -> Scan {
        let own = || self.whose.iter().zip(&self.scanned.found).filter(|(whose, _)| **whose == person);
        Scan {
            folders: vec!["data".to_owned(), "keys".to_owned()],
            files: self.scanned.files,
            bytes: self.scanned.bytes,
            scanned: own().count() as u64,
            walk_only: self.walk_only.get(person).copied().unwrap_or(0),
            found: own().map(|(_, found)| found).sum(),
        }
    }

    /// Whether something was found in the files of the embedded database, which can be written anew.
    #[must_use]
    pub fn is_in_database(&self) -> bool {
        self.scanned.places.iter().any(|place| self.database.contains(place))
    }
}

/// Looks for everything that is a person's alone and stands nowhere by chance, in every byte below the data folder and
/// the key folder, for several people in one pass.
pub async fn in_files(node: &Node, people: &[&Person], go_on: &GoOn) -> Result<Residue, EvidenceFault> {
    let is_telling = |id: &&Identifier| residue::is_telling(id.normal(), id.kind() == Kind::Email);
    let (mut texts, mut whose) = (Vec::new(), Vec::new());
    for (number, person) in people.iter().enumerate() {
        let own = person.own().filter(is_telling);
        texts.extend(own.map(|id| Zeroizing::new(id.normal().as_bytes().to_vec())));
        whose.resize(texts.len(), number);
    }
    let walk_only = people.iter().map(|person| person.own().filter(|id| !is_telling(id)).count() as u64);
    let walk_only = walk_only.collect();
    let database = database_files(node);
    let mut roots = vec![node.config.data_dir.clone(), node.config.key_dir.clone()];
    roots.extend(database.iter().filter(|file| !file.starts_with(&node.config.data_dir)).cloned());
    let go_on = go_on.clone();
    let scanning = tokio::task::spawn_blocking(move || residue::scan(&roots, &texts, &|bytes| go_on(bytes)));
    let scanned = scanning.await.map_err(|_| EvidenceFault::Panicked)??;
    Ok(Residue { scanned, whose, walk_only, database })
}

/// The files of the embedded database.
fn database_files(node: &Node) -> Vec<PathBuf> {
    match node.config.store_options() {
        StoreOptions::Sqlite(file) => {
            let mut log = file.clone().into_os_string();
            log.push("-wal");
            vec![file, log.into()]
        }
        StoreOptions::Postgres(_) => Vec::new(),
    }
}
