//! The whole database as one SQLite file, written from either engine and loaded into either.
//!
//! The statements here are made from the schema, which is one text for both, so that a new table needs no line here.

use std::path::Path;

use rusqlite::Connection;
use rusqlite::backup::{Backup, StepResult};

use super::copied_table::{CopiedTable, CopyProgress, copy_fault, open_copy, tables};
use super::engine::{Store, StoreOptions};
use super::fault::StoreFault;
use super::sqlite::{self, Statements};
use super::tx::Tx;
use super::{copy_postgres, schema};
use crate::disk;

/// Pages copied between two reports, and between two chances for other threads.
const STEP_PAGES: i32 = 1024;

/// Content of a copy.
pub struct CopyContent {
    /// Version of its schema.
    pub schema: i32,
    /// Rows of each table, in the order of the schema.
    pub rows: Vec<(String, u64)>,
}

impl Store {
    /// Writes the present state of the database into the new SQLite file `to`. Units of work go on meanwhile, but
    /// pages that they overwrite stay in the database's log until the copy is done. Blocks.
    ///
    /// # Errors
    /// When the database cannot be read or `to` cannot be written.
    pub fn copy_to(&self, to: &Path, tell: &mut CopyProgress<'_>) -> Result<(), StoreFault> {
        match self.options() {
            StoreOptions::Sqlite(from) => copy_file(from, to, tell).map_err(|error| copy_fault(&error)),
            StoreOptions::Postgres(address) => copy_postgres::write(address, to, tell),
        }
    }
}

impl Store {
    /// Looks at every page of a SQLite file and returns true if all are sound; false on PostgreSQL, which is
    /// not looked at. Blocks.
    ///
    /// # Errors
    /// [`StoreFault::Damaged`] when a page is wrong; another fault when the file cannot be opened or read.
    pub fn quick_check(&self) -> Result<bool, StoreFault> {
        let StoreOptions::Sqlite(path) = self.options() else { return Ok(false) };
        let said = sqlite::open_reader(path)
            .and_then(|file| file.query_row("PRAGMA quick_check(1)", [], |row| row.get::<_, String>(0)));
        match said.map_err(|error| copy_fault(&error))?.as_str() {
            "ok" => Ok(true),
            _ => Err(StoreFault::Damaged),
        }
    }
}

impl StoreOptions {
    /// Returns true if nothing is stored there yet. Blocks.
    ///
    /// # Errors
    /// When the PostgreSQL database cannot be asked.
    pub fn is_unused(&self) -> Result<bool, StoreFault> {
        match self {
            Self::Sqlite(path) => Ok(!path.exists()),
            Self::Postgres(address) => copy_postgres::is_unused(address),
        }
    }

    /// Makes a copy the database there, in place of any stored one. Blocks. On PostgreSQL it happens whole or not at
    /// all.
    ///
    /// # Errors
    /// When the copy cannot be read, or the disk or PostgreSQL refuses it.
    pub fn load(&self, from: &Path, tell: &mut CopyProgress<'_>) -> Result<(), StoreFault> {
        match self {
            Self::Sqlite(to) => copy_durably(from, to).map_err(|_| StoreFault::Refused {
                statement: "the copy of the database",
                code: "the disk refused".to_owned(),
            }),
            Self::Postgres(address) => copy_postgres::load(address, from, tell),
        }
    }
}

fn copy_durably(from: &Path, to: &Path) -> std::io::Result<()> {
    for ending in ["", "-wal", "-shm"] {
        let mut old = to.as_os_str().to_owned();
        old.push(ending);
        disk::remove(Path::new(&old))?;
    }
    disk::copy(from, to)?;
    // Its name too: a database may lie in a folder of its own.
    disk::sync_folder(disk::parent_folder(to))
}

/// One read transaction around all steps: a copy of another state would begin again with each commit of a writer.
fn copy_file(from: &Path, to: &Path, tell: &mut CopyProgress<'_>) -> rusqlite::Result<()> {
    let source = sqlite::open_reader(from)?;
    source.execute_batch("BEGIN")?;
    source.query_row("PRAGMA schema_version", [], |_| Ok(()))?;
    let mut target = Connection::open(to)?;
    let backup = Backup::new(&source, &mut target)?;
    loop {
        let step = backup.step(STEP_PAGES)?;
        let progress = backup.progress();
        let total = u64::try_from(progress.pagecount).unwrap_or(0);
        tell(total - u64::try_from(progress.remaining).unwrap_or(0).min(total), total);
        match step {
            StepResult::Done => break,
            _ => std::thread::yield_now(),
        }
    }
    drop(backup);
    // The copy is one file: without this it would ask for a log next to it.
    target.query_row("PRAGMA journal_mode = delete", [], |_| Ok(()))
}

/// Runs `work` on a copy that stays unchanged, as do its file and folder.
///
/// # Errors
/// When the copy cannot be opened, and the fault of `work`.
pub fn read_copy<T>(
    path: &Path,
    work: impl FnOnce(&mut Tx<'_>) -> Result<T, StoreFault>,
) -> Result<T, StoreFault> {
    let mut statements = Statements::new(open_copy(path).map_err(|error| copy_fault(&error))?);
    work(&mut Tx::new(&mut statements))
}

/// Checks every page, index and reference of a copy, and counts its rows.
///
/// # Errors
/// [`StoreFault::Damaged`] when one is wrong, [`StoreFault::NewerSchema`] and [`StoreFault::OtherSchema`] for a copy
/// with other tables than this binary's.
pub fn check_copy(path: &Path) -> Result<CopyContent, StoreFault> {
    let copy = open_copy(path).map_err(|error| copy_fault(&error))?;
    let applied = applied_to(&copy).map_err(|error| copy_fault(&error))?;
    schema::check_applied(&applied)?;
    let content = content_of(&copy).map_err(|error| copy_fault(&error))?;
    let content = content.ok_or(StoreFault::Damaged)?;
    Ok(content)
}

/// The migrations that were applied to a copy: version and checksum.
fn applied_to(copy: &Connection) -> rusqlite::Result<Vec<(i32, String)>> {
    let mut listing =
        copy.prepare("SELECT version, checksum FROM refinery_schema_history ORDER BY version")?;
    listing.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
}

fn content_of(copy: &Connection) -> rusqlite::Result<Option<CopyContent>> {
    let said: String = copy.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))?;
    let dangling = copy.prepare("PRAGMA foreign_key_check")?.exists([])?;
    if said != "ok" || dangling {
        return Ok(None);
    }
    let schema = copy.query_row("SELECT max(version) FROM refinery_schema_history", [], |row| row.get(0))?;
    let mut rows = Vec::new();
    for CopiedTable { name, .. } in tables(copy)? {
        let count =
            copy.query_row(&format!("SELECT count(*) FROM {name}"), [], |row| row.get::<_, i64>(0))?;
        rows.push((name, count.unsigned_abs()));
    }
    Ok(Some(CopyContent { schema, rows }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args;
    use crate::store::{Owner, Statement};

    const PUT: Statement = Statement::new(
        "put",
        "INSERT INTO user_removal (account_id, tag, seq) VALUES ($1, $2, $1)",
        "INSERT INTO user_removal (account_id, tag, seq) VALUES ($1, $2, $1)",
    );

    #[tokio::test(flavor = "multi_thread")]
    async fn a_copy_is_one_state_although_writers_go_on() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&StoreOptions::Sqlite(folder.path().join("lethe.db"))).unwrap();
        let put = |n: i64| {
            let store = store.clone();
            async move {
                let filler = vec![7_u8; 4000];
                store
                    .write::<_, StoreFault, _>(Owner::STORE, move |tx| {
                        tx.exec(&PUT, args![n, &*[&filler[..], &n.to_be_bytes()].concat()])
                    })
                    .await
            }
        };
        for n in 0..3000 {
            put(n).await.unwrap();
        }
        let copying = {
            let store = store.clone();
            let to = folder.path().join("copy.db");
            tokio::task::spawn_blocking(move || {
                let mut told = Vec::new();
                store.copy_to(&to, &mut |done, total| told.push((done, total))).unwrap();
                told
            })
        };
        let mut n = 3000;
        while !copying.is_finished() {
            put(n).await.unwrap();
            n += 1;
        }
        let told = copying.await.unwrap();
        assert!(told.len() > 1 && told[0].0 < told[0].1, "{told:?}");
        assert!(told.iter().all(|(done, total)| done <= total), "{told:?}");
        assert!(told.last().is_some_and(|(done, total)| done == total), "{told:?}");
        let content = check_copy(&folder.path().join("copy.db")).unwrap();
        let (_, rows) = content.rows.iter().find(|(table, _)| table == "user_removal").unwrap();
        assert!((3000..=n.unsigned_abs()).contains(rows), "{rows}");
        assert_eq!(content.schema, schema::LATEST);
        let names: Vec<_> =
            std::fs::read_dir(folder.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
        assert!(!names.iter().any(|name| name.to_string_lossy().starts_with("copy.db-")), "{names:?}");
    }

    /// A new store with one row, and a copy of it.
    async fn store_and_copy(folder: &Path) -> std::path::PathBuf {
        let store = Store::open(&StoreOptions::Sqlite(folder.join("lethe.db"))).unwrap();
        let putting = store.write(Owner::STORE, |tx| tx.exec(&PUT, args![1, &[7; 16]]));
        putting.await.map_err(|fault: StoreFault| fault).unwrap();
        let copy = folder.join("copy.db");
        store.copy_to(&copy, &mut |_, _| ()).unwrap();
        assert!(store.quick_check().unwrap());
        copy
    }

    #[tokio::test]
    async fn a_copy_with_a_row_that_refers_to_none_is_damaged() {
        let folder = tempfile::tempdir().unwrap();
        let copy = store_and_copy(folder.path()).await;
        assert!(check_copy(&copy).is_ok());
        let file = Connection::open(&copy).unwrap();
        file.pragma_update(None, "foreign_keys", false).unwrap();
        file.execute("INSERT INTO change_child (account_id, seq, n, child) VALUES (1, 1, 1, 'c')", [])
            .unwrap();
        drop(file);
        assert!(matches!(check_copy(&copy), Err(StoreFault::Damaged)));
    }

    #[tokio::test]
    async fn a_copy_takes_the_place_of_a_database_and_of_its_log() {
        let folder = tempfile::tempdir().unwrap();
        let copy = store_and_copy(folder.path()).await;
        let to = folder.path().join("other.db");
        let files = ["other.db", "other.db-wal", "other.db-shm"].map(|name| folder.path().join(name));
        let options = StoreOptions::Sqlite(to.clone());
        assert!(options.is_unused().unwrap());
        files.iter().for_each(|file| std::fs::write(file, "of the database before").unwrap());
        assert!(!options.is_unused().unwrap());
        options.load(&copy, &mut |_, _| ()).unwrap();
        assert_eq!(files.map(|file| file.exists()), [true, false, false]);
        assert!(std::fs::read(&copy).unwrap() == std::fs::read(&to).unwrap());
        let rows = check_copy(&to).unwrap().rows.into_iter().find(|(table, _)| table == "user_removal");
        assert_eq!(rows, Some(("user_removal".to_owned(), 1)));
    }
}
