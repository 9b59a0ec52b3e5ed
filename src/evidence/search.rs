//! Looking for people everywhere: in the text of the catalogue, decompressed, and in every file, byte by byte.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use lethe_verify::Scan;
use unicode_normalization::UnicodeNormalization;
use zeroize::Zeroizing;

use super::EvidenceFault;
use crate::accounts;
use crate::args;
use crate::catalogue::rewriting;
use crate::feeds::rows;
use crate::ids::AccountId;
use crate::node::Node;
use crate::residue::{self, Found, Held, Scanned};
use crate::spelling;
use crate::sql;
use crate::store::{Row, StoreFault, Tx};
use crate::subjects::identifier::{Identifier, Kind};
use crate::subjects::person::Person;

/// Rows of deltas read in one unit of work: each may be as large as a delta.
const PUTS_READ: i64 = 50;

/// Files whose names are ours.
const OURS: [&str; 6] = ["lethe.db", "lethe.db-wal", "slots.key", "epoch.key", "static.key", "journal.log"];

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
    let search = Arc::new(Search::new(emails));
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
    /// Each as a text may say it: with its domain in either spelling.
    said: Vec<(String, String)>,
    found: Mutex<HashMap<String, u64>>,
}

impl Search {
    fn new(emails: HashSet<String>) -> Self {
        let spellings = |email: &String| {
            let readable = email.rsplit_once('@').map(|(local, domain)| {
                let (domain, _) = idna::domain_to_unicode(domain);
                comparable(&format!("{local}@{domain}"))
            });
            let readable = readable.filter(|readable| readable != email);
            std::iter::once(email.clone())
                .chain(readable)
                .map(|said| (email.clone(), said))
                .collect::<Vec<_>>()
        };
        let said = emails.iter().flat_map(spellings).collect();
        Self { emails, said, found: Mutex::default() }
    }

    fn look(&self, row: &[u8]) {
        let asked = RefCell::new(HashMap::new());
        let is_wanted = |email: &str| {
            let normal = Identifier::email(email).ok().filter(|id| self.emails.contains(id.normal()));
            if let Some(id) = &normal {
                *asked.borrow_mut().entry(id.normal().to_owned()).or_insert(0) += 1;
            }
            normal.is_some()
        };
        // What the row would become is of no interest: being asked about is.
        let _ = rows::without_forgotten(row, &is_wanted);
        let mut seen: HashMap<String, u64> = asked.into_inner();
        if rows::may_hold_address(row) {
            let told = self.told(row);
            told.into_iter().for_each(|(email, times)| {
                seen.entry(email).or_insert(times);
            });
        }
        if let Ok(mut found) = self.found.lock() {
            seen.into_iter().for_each(|(email, times)| *found.entry(email).or_default() += times);
        }
    }

    /// The same told in another way, which does not cut texts into addresses: an address that is not understood as one by
    /// those who blank it is not passed over by those who prove that it is gone.
    fn told(&self, row: &[u8]) -> HashMap<String, u64> {
        let mut seen = HashMap::new();
        rows::each_text(row, &mut |text| {
            let layers = spelling::layers(text);
            for layer in std::iter::once(text).chain(layers.iter().map(|layer| layer.text.as_str())) {
                let layer = comparable(layer);
                for (email, _) in self.said.iter().filter(|(_, said)| stands_in(&layer, said)) {
                    *seen.entry(email.clone()).or_default() += 1;
                }
            }
        });
        seen
    }
}

/// A text in the letters of a normal form.
fn comparable(text: &str) -> String {
    text.chars().flat_map(char::to_lowercase).nfkc().collect()
}

/// Whether an address stands in a text, and not as the tail or the beginning of a longer one.
fn stands_in(text: &str, address: &str) -> bool {
    memchr::memmem::find_iter(text.as_bytes(), address.as_bytes()).any(|at| {
        let before = text[..at].trim_end_matches(['.', '-', '_', '+']);
        let after = text[at + address.len()..].trim_start_matches(['.', '-', '_']);
        !before.ends_with(|letter: char| letter.is_ascii_alphanumeric())
            && !after.starts_with(|letter: char| letter.is_ascii_alphanumeric())
    })
}

/// What a scan of the files saw of several people.
pub struct Residue {
    files: u64,
    bytes: u64,
    /// What is to be told: a text by its number, in a file.
    found: Vec<Found>,
    /// Of each text looked for, whose it is.
    whose: Vec<usize>,
    /// Of each person, how many identifiers are too common to be looked for.
    walk_only: Vec<u64>,
    places: Vec<(&'static str, PathBuf)>,
    database: Vec<PathBuf>,
}

impl Residue {
    /// What was seen of one of them, by number.
    #[must_use]
    pub fn of(&self, person: usize) -> Scan {
        let mut folders: Vec<String> = self.places.iter().map(|(name, _)| (*name).to_owned()).collect();
        folders.dedup();
        Scan {
            folders,
            files: self.files,
            bytes: self.bytes,
            scanned: self.whose.iter().filter(|whose| **whose == person).count() as u64,
            walk_only: self.walk_only.get(person).copied().unwrap_or(0),
            found: self.found_of(person).map(|found| found.times).sum(),
        }
    }

    /// The files in which one of them was found, for the operator's eyes: a name may be personal itself.
    #[must_use]
    pub fn files_of(&self, person: usize) -> Vec<String> {
        self.found_of(person).map(|found| self.below(&found.file).display().to_string()).collect()
    }

    /// The same for logs and the store: files of others without their names.
    #[must_use]
    pub fn known_files_of(&self, person: usize) -> Vec<String> {
        let known = |file: PathBuf| {
            let is_ours = file.starts_with("blobs") || OURS.iter().any(|ours| file == Path::new(ours));
            if is_ours { file.display().to_string() } else { "a file that is none of Lethe's".to_owned() }
        };
        self.found_of(person).map(|found| known(self.below(&found.file))).collect()
    }

    fn below(&self, file: &Path) -> PathBuf {
        self.places.iter().find_map(|(_, root)| file.strip_prefix(root).ok()).unwrap_or(file).to_owned()
    }

    fn found_of(&self, person: usize) -> impl Iterator<Item = &Found> {
        self.found.iter().filter(move |found| self.whose.get(found.text) == Some(&person))
    }

    /// Whether something was found in the files of the embedded database, which can be written anew.
    #[must_use]
    pub fn is_in_database(&self) -> bool {
        self.found.iter().any(|found| self.database.contains(&found.file))
    }
}

/// Looks for everything that is a person's alone and stands nowhere by chance, in every byte of every place that the
/// server keeps files in, for several people in one pass. What stands in the catalogues is no residue: they are walked through,
/// where an address is told from a longer one, and those of other shops are theirs.
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
    let (places, database) = (node.config.places(), node.config.database_files());
    let scanning = {
        let roots: Vec<PathBuf> = places.iter().map(|(_, root)| root.clone()).collect();
        // Without these it looked somewhere else than where the server writes.
        let needed =
            database.iter().take(1).cloned().chain([node.config.key_dir.join("slots.key")]).collect();
        let (texts, held, go_on) = (texts.clone(), Held { needed, ..held(node) }, go_on.clone());
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
        let catalogues: HashSet<String> = node.store.read(of_catalogues).await?;
        found.retain(|found| {
            found
                .file
                .file_name()
                .and_then(|name| name.to_str())
                .is_none_or(|name| !catalogues.contains(name))
        });
        if found.iter().any(|found| database.contains(&found.file)) {
            let live = in_changes(node, &texts).await?;
            found.retain(|found| !(live.contains(&found.text) && database.contains(&found.file)));
        }
    }
    Ok(Residue { files, bytes, found, whose, walk_only, places, database })
}

/// The embedded database is read through the handle of the store, and its index of the log, which is locks, not at all.
#[must_use]
pub fn held(node: &Node) -> Held {
    let Some((path, file)) = node.store.raw() else { return Held::default() };
    let mut index = path.as_os_str().to_owned();
    index.push("-shm");
    Held { open: vec![(path.to_owned(), file.clone())], passed: vec![index.into()], needed: Vec::new() }
}

fn of_catalogues(tx: &mut Tx<'_>) -> Result<HashSet<String>, StoreFault> {
    tx.run(&sql::blob_of_catalogue, args![])?.iter().map(|row| row.text(0).map(str::to_owned)).collect()
}

/// Which of these texts stand in what shops wrote into the database themselves: rows that deltas put, ids of items in
/// differences, names of accounts.
async fn in_changes(node: &Node, texts: &[Zeroizing<Vec<u8>>]) -> Result<HashSet<usize>, EvidenceFault> {
    let mut live = Live { texts, found: HashSet::new() };
    let names = node.store.read(accounts::list).await?;
    names.iter().for_each(|account| live.look(account.name.as_bytes()));
    let mut after = (0, 0, -1);
    loop {
        let (account, seq, n) = after;
        let page =
            node.store.read(move |tx| tx.run(&sql::change_texts, args![account, seq, n, PUTS_READ])).await;
        let page: Vec<Row> = page.map_err(|fault: StoreFault| fault)?;
        let Some(last) = page.last() else { break };
        after = (last.int(0)?, last.int(1)?, last.int(2)?);
        for row in &page {
            for column in [3, 4] {
                live.look(row.opt_text(column)?.unwrap_or_default().as_bytes());
            }
            for column in [5, 6] {
                live.look(row.opt_blob(column)?.unwrap_or_default());
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
        after =
            (last.int(0)?, last.int(1)?, last.text(2)?.to_owned(), last.text(3)?.to_owned(), last.int(4)?);
        for row in &page {
            live.look(row.text(5)?.as_bytes());
        }
    }
}

/// Texts that are looked for in what lives in the database.
struct Live<'a> {
    texts: &'a [Zeroizing<Vec<u8>>],
    found: HashSet<usize>,
}

impl Live<'_> {
    fn look(&mut self, cell: &[u8]) {
        let cell = cell.to_ascii_lowercase();
        let holds = |text: &[u8]| memchr::memmem::find(&cell, &text.to_ascii_lowercase()).is_some();
        self.found
            .extend(self.texts.iter().enumerate().filter(|(_, text)| holds(text)).map(|(number, _)| number));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How often each of two addresses is told in a product whose title is a text.
    fn told(title: &str) -> (u64, u64) {
        let emails = ["ada@shop.test", "m\u{fc}ller@xn--bcher-kva.test"];
        let search = Search::new(emails.iter().map(|email| (*email).to_owned()).collect());
        let seen = search.told(serde_json::json!({"Id": emails[0], "Title": title}).to_string().as_bytes());
        let times = |email: &str| seen.get(email).copied().unwrap_or(0);
        (times(emails[0]), times(emails[1]))
    }

    #[test]
    fn an_address_is_told_without_being_cut_out() {
        for text in [
            "ada@shop.test",
            "x'ADA@shop.test.",
            "say \"ada@shop.test\"",
            "-ada@shop.test-",
            "☃ada@shop.test☃",
        ] {
            assert_eq!(told(text), (1, 0), "{text}");
        }
        for text in [
            "m\u{fc}ller@b\u{fc}cher.test",
            "m%C3%BCller@xn--bcher-kva.test",
            "Mu\u{308}ller@b&uuml;cher.test",
        ] {
            assert!(told(text).1 > 0, "{text}");
        }
        for text in
            ["xada@shop.test", "x.ada@shop.test", "ada@shop.test.example", "ada@shop.tests", "ada@shop"]
        {
            assert_eq!(told(text), (0, 0), "{text}");
        }
    }
}
