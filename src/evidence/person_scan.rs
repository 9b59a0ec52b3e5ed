//! Looking for people in every file, byte by byte.

use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lethe_verify::Scan;
use zeroize::Zeroizing;

use super::fault::EvidenceFault;
use super::residue::{self, FoundText, Scanned, SpecialFiles};
use crate::accounts::{self, about};
use crate::blobs::BlobName;
use crate::ids::identifier::{Identifier, IdentifierKind};
use crate::node::Node;
use crate::people::person::Person;
use crate::store::{Row, StoreFault, Tx};
use crate::{addresses, args, sql};

/// Rows of deltas read in one unit of work: each may be as large as a delta.
const PUTS_READ: i64 = 50;

/// A shorter address occurs in any large file by chance.
const SHORTEST_EMAIL_BYTES: usize = 8;
/// File names that Lethe chooses.
const OURS: [&str; 6] = ["lethe.db", "lethe.db-wal", "slots.key", "epoch.key", "static.key", "journal.log"];

/// Called again and again with the number of bytes read; its error ends a search.
pub type ProgressCallback = Arc<dyn Fn(u64) -> io::Result<()> + Send + Sync>;

/// Result of a file scan for several people.
pub struct Residue {
    /// Number of files read. Like their bytes it counts those of all shops: no single shop may see it.
    pub files: u64,
    /// Number of bytes read.
    pub bytes: u64,
    /// Texts found that are to be reported: each by its index, with the file.
    found: Vec<FoundText>,
    /// Index of the person of each text.
    whose: Vec<usize>,
    /// Number of identifiers of each person that are too common to look for.
    walk_only: Vec<u64>,
    places: Vec<(&'static str, PathBuf)>,
    database: Vec<PathBuf>,
}

impl Residue {
    /// Result of one person, by index.
    #[must_use]
    pub fn scan_of(&self, person: usize) -> Scan {
        let mut folders: Vec<String> = self.places.iter().map(|(name, _)| (*name).to_owned()).collect();
        folders.dedup();
        Scan {
            folders,
            // A link, or a file that was missed, ends a search with a fault.
            complete: self.files > 0,
            scanned: self.whose.iter().filter(|whose| **whose == person).count() as u64,
            walk_only: self.walk_only.get(person).copied().unwrap_or(0),
            found: self.found_of(person).map(|found| found.times).sum(),
        }
    }

    /// The files in which one of their texts was found, for the operator's eyes: a name may be personal itself.
    #[must_use]
    pub fn files_of(&self, person: usize) -> Vec<String> {
        self.found_of(person).map(|found| self.below(&found.file).display().to_string()).collect()
    }

    /// The same for logs and the store: files of other shops without their names.
    #[must_use]
    pub fn known_files_of(&self, person: usize) -> Vec<String> {
        let known = |file: PathBuf| {
            let is_ours = file.starts_with("blobs") || OURS.iter().any(|ours| file == Path::new(ours));
            if is_ours { file.display().to_string() } else { "an unexpected file".to_owned() }
        };
        self.found_of(person).map(|found| known(self.below(&found.file))).collect()
    }

    fn below(&self, file: &Path) -> PathBuf {
        self.places.iter().find_map(|(_, root)| file.strip_prefix(root).ok()).unwrap_or(file).to_owned()
    }

    fn found_of(&self, person: usize) -> impl Iterator<Item = &FoundText> {
        self.found.iter().filter(move |found| self.whose.get(found.text) == Some(&person))
    }

    /// True if something was found in the files of the embedded database, which can be rewritten.
    #[must_use]
    pub fn is_in_database(&self) -> bool {
        self.found.iter().any(|found| self.database.contains(&found.file))
    }
}

/// Searches every byte of every place in which the server keeps files for texts that are a person's alone and do not
/// occur by chance, for several people in one pass. Matches in the catalogues are no residue: they are walked through,
/// which tells an address from a longer one; matches in other shops' catalogues belong to these.
///
/// # Errors
/// [`EvidenceFault::Link`] when a link lies in a folder that is scanned, [`EvidenceFault::Unseen`] when the
/// database or the keys were not among the files read. Also when a file cannot be read, `go_on` ends the
/// search, or the store fails.
pub async fn in_files(
    node: &Node,
    people: &[&Person],
    go_on: &ProgressCallback,
) -> Result<Residue, EvidenceFault> {
    let is_telling = |id: &&Identifier| match id.kind() {
        IdentifierKind::Email => {
            id.normal().len() >= SHORTEST_EMAIL_BYTES && addresses::is_address(id.normal())
        }
        IdentifierKind::UserId | IdentifierKind::AccountId | IdentifierKind::VisitorId => {
            residue::is_telling(id.normal())
        }
    };
    let mut texts = Vec::new();
    let mut whose = Vec::new();
    for (number, person) in people.iter().enumerate() {
        let own = person.own_identifiers().filter(is_telling);
        texts.extend(own.map(|id| Zeroizing::new(id.normal().as_bytes().to_vec())));
        whose.resize(texts.len(), number);
    }
    let walk_only =
        people.iter().map(|person| person.own_identifiers().filter(|id| !is_telling(id)).count() as u64);
    let walk_only = walk_only.collect();
    let places = node.config.places();
    let database = node.config.database_files();
    let scanning = {
        let roots: Vec<PathBuf> = places.iter().map(|(_, root)| root.clone()).collect();
        // Without these it read another place than the server writes to.
        let needed =
            database.iter().take(1).cloned().chain([node.config.key_dir.join("slots.key")]).collect();
        let texts = texts.clone();
        let held = SpecialFiles { needed, ..special_files(node) };
        let go_on = go_on.clone();
        tokio::task::spawn_blocking(move || residue::scan(&roots, &texts, &held, &|bytes| go_on(bytes)))
    };
    let scanned = scanning.await.map_err(|_| EvidenceFault::Panicked)??;
    let Scanned { files, bytes, mut found, links, missed } = scanned;
    if links > 0 {
        return Err(EvidenceFault::Link);
    }
    if !missed.is_empty() {
        return Err(EvidenceFault::Unseen);
    }
    if !found.is_empty() {
        let catalogues = node.store.read(of_catalogues).await?;
        let catalogues: HashSet<PathBuf> = catalogues.iter().map(|name| node.blobs.path(name)).collect();
        found.retain(|found| !catalogues.contains(&found.file));
        if found.iter().any(|found| database.contains(&found.file)) {
            let live = in_changes(node, &texts).await?;
            found.retain(|found| !(live.contains(&found.text) && database.contains(&found.file)));
        }
    }
    Ok(Residue { files, bytes, found, whose, walk_only, places, database })
}

/// The embedded database is read through the handle of the store; its index of the log, which consists of locks, is not
/// read at all.
#[must_use]
pub fn special_files(node: &Node) -> SpecialFiles {
    let Some((path, file)) = node.store.raw() else { return SpecialFiles::default() };
    let mut index = path.as_os_str().to_owned();
    index.push("-shm");
    SpecialFiles {
        open: vec![(path.to_owned(), file.clone())],
        passed: vec![index.into()],
        needed: Vec::new(),
    }
}

/// The files of all catalogues.
fn of_catalogues(tx: &mut Tx<'_>) -> Result<Vec<BlobName>, StoreFault> {
    const SHAPE: StoreFault = StoreFault::Shape { statement: "blob_of_catalogue", column: "blob" };
    let rows = tx.run(&sql::blob_of_catalogue, args![])?;
    rows.iter().map(|row| BlobName::parse(row.text("blob")?).ok_or(SHAPE)).collect()
}

/// Indices of the texts that stand in rows that belong to no person: rows that deltas put, ids of items in differences,
/// names and access keys of accounts, certificates and references of erasures, ledgers, lists and settings of shops.
async fn in_changes(node: &Node, texts: &[Zeroizing<Vec<u8>>]) -> Result<HashSet<usize>, EvidenceFault> {
    let mut live = DatabaseSearch { texts, found: HashSet::new() };
    let names = node.store.read(accounts::list).await?;
    for about in node.store.read(about::list).await?.values() {
        live.search_cell(about.display_name.as_deref().unwrap_or_default().as_bytes());
    }
    for account in &names {
        live.search_cell(account.name.as_bytes());
        live.search_cell(account.access_key.as_bytes());
    }
    look_at_nobodys(node, &mut live).await?;
    let mut after = (0, 0, -1);
    loop {
        let (account, seq, n) = after;
        let page =
            node.store.read(move |tx| tx.run(&sql::change_texts, args![account, seq, n, PUTS_READ])).await;
        let page: Vec<Row> = page.map_err(|fault: StoreFault| fault)?;
        let Some(last) = page.last() else { break };
        after = (last.int("account_id")?, last.int("seq")?, last.int("n")?);
        for row in &page {
            for column in ["item", "sku"] {
                live.search_cell(row.opt_text(column)?.unwrap_or_default().as_bytes());
            }
            for column in ["body", "raw"] {
                live.search_cell(row.opt_blob(column)?.unwrap_or_default());
            }
        }
    }
    let mut after = (0, 0, String::new(), String::new(), -1);
    loop {
        let page = node.store.read(move |tx| {
            let (account, seq, section, kind, n) = &after;
            let args = args![*account, *seq, section.as_str(), kind.as_str(), *n, PUTS_READ * 10];
            tx.run(&sql::difference_texts, args)
        });
        let page: Vec<Row> = page.await.map_err(|fault: StoreFault| fault)?;
        let Some(last) = page.last() else { return Ok(live.found) };
        after = (
            last.int("account_id")?,
            last.int("seq")?,
            last.text("section")?.to_owned(),
            last.text("kind")?.to_owned(),
            last.int("n")?,
        );
        for row in &page {
            live.search_cell(row.text("item")?.as_bytes());
        }
    }
}

/// Searches rows that belong to no person and are random or chosen by a shop: a person who has such an id is not found
/// by it there.
async fn look_at_nobodys(node: &Node, live: &mut DatabaseSearch<'_>) -> Result<(), EvidenceFault> {
    let paged = [
        &sql::certificate_texts,
        &sql::erasure_reference_texts,
        &sql::ledger_texts,
        &sql::shop_list_texts,
        &sql::submission_texts,
        &sql::change_child_texts,
        &sql::row_issue_texts,
        &sql::upload_piece_texts,
        &sql::webhook_message_texts,
    ];
    for statement in paged {
        let mut after = (0, 0, -1, String::new());
        loop {
            let page = node.store.read(move |tx| {
                let (account, seq, n, word) = &after;
                tx.run(statement, args![*account, *seq, *n, word.as_str(), PUTS_READ])
            });
            let page: Vec<Row> = page.await.map_err(|fault: StoreFault| fault)?;
            let Some(last) = page.last() else { break };
            let word = last.text("word")?.to_owned();
            after = (last.int("account_id")?, last.int("seq")?, last.int("n")?, word);
            for row in &page {
                live.search_cell(row.text("word")?.as_bytes());
                live.search_cell(row.text("cell")?.as_bytes());
            }
        }
    }
    let settings = node.store.read(|tx| tx.run(&sql::setting_texts, args![])).await;
    for row in settings.map_err(|fault: StoreFault| fault)? {
        live.search_cell(row.opt_text("cell")?.unwrap_or_default().as_bytes());
    }
    Ok(())
}

/// Texts that are searched in the live data of the database.
struct DatabaseSearch<'a> {
    texts: &'a [Zeroizing<Vec<u8>>],
    found: HashSet<usize>,
}

impl DatabaseSearch<'_> {
    fn search_cell(&mut self, cell: &[u8]) {
        let cell = cell.to_ascii_lowercase();
        let holds = |text: &[u8]| memchr::memmem::find(&cell, &text.to_ascii_lowercase()).is_some();
        self.found
            .extend(self.texts.iter().enumerate().filter(|(_, text)| holds(text)).map(|(number, _)| number));
    }
}

#[cfg(test)]
#[path = "person_scan_tests.rs"]
mod tests;
