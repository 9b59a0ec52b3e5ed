//! Rules and explanations whose products cannot be read.

use std::io;
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::json;
use tantivy::HasLen;
use tantivy::directory::error::{DeleteError, OpenReadError, OpenWriteError};
use tantivy::directory::{
    Directory, FileHandle, OwnedBytes, RamDirectory, WatchCallback, WatchHandle, WritePtr,
};

use super::*;
use crate::search::query::matching::MatchExplainer;

/// A directory whose files cannot be read while `is_broken`.
#[derive(Debug, Clone)]
struct BreakableDirectory {
    inner: RamDirectory,
    is_broken: Arc<AtomicBool>,
}

#[derive(Debug)]
struct BreakableFile {
    inner: Arc<dyn FileHandle>,
    is_broken: Arc<AtomicBool>,
}

impl HasLen for BreakableFile {
    fn len(&self) -> usize {
        self.inner.len()
    }
}

impl FileHandle for BreakableFile {
    fn read_bytes(&self, range: Range<usize>) -> io::Result<OwnedBytes> {
        if self.is_broken.load(Ordering::SeqCst) {
            return Err(io::Error::other("the disk is broken"));
        }
        self.inner.read_bytes(range)
    }
}

impl Directory for BreakableDirectory {
    fn get_file_handle(&self, path: &Path) -> Result<Arc<dyn FileHandle>, OpenReadError> {
        let inner = self.inner.get_file_handle(path)?;
        Ok(Arc::new(BreakableFile { inner, is_broken: Arc::clone(&self.is_broken) }))
    }

    fn delete(&self, path: &Path) -> Result<(), DeleteError> {
        self.inner.delete(path)
    }

    fn exists(&self, path: &Path) -> Result<bool, OpenReadError> {
        self.inner.exists(path)
    }

    fn open_write(&self, path: &Path) -> Result<WritePtr, OpenWriteError> {
        self.inner.open_write(path)
    }

    fn atomic_read(&self, path: &Path) -> Result<Vec<u8>, OpenReadError> {
        self.inner.atomic_read(path)
    }

    fn atomic_write(&self, path: &Path, data: &[u8]) -> io::Result<()> {
        self.inner.atomic_write(path, data)
    }

    fn sync_directory(&self) -> io::Result<()> {
        self.inner.sync_directory()
    }

    fn watch(&self, callback: WatchCallback) -> tantivy::Result<WatchHandle> {
        self.inner.watch(callback)
    }
}

/// Shoes in an index whose files cannot be read while the flag is set.
fn breakable_shop() -> (Shop, Arc<AtomicBool>) {
    let is_broken = Arc::new(AtomicBool::new(false));
    let directory = BreakableDirectory { inner: RamDirectory::create(), is_broken: Arc::clone(&is_broken) };
    let products = shoes();
    let index = Index::create_in(Box::new(directory), knowledge(&products)).expect("an index");
    let mut shop = Shop { index };
    shop.put_products(&products);
    (shop, is_broken)
}

#[test]
fn a_rule_whose_products_cannot_be_read_is_a_fault_and_not_without_effect() {
    let (shop, is_broken) = breakable_shop();
    let snapshot = shop.index.snapshot();
    // Each names another product: a selection that was read once is cached.
    for (member, value) in [
        ("Pin", json!(["s10"])),
        ("Hide", json!({"Ids": ["s11"]})),
        ("Filter", json!({"Ids": ["s12"]})),
        ("Boost", json!({"Ids": ["s13"]})),
        ("Bury", json!({"Ids": ["s14"]})),
    ] {
        let request = rules::with("", &json!([{"Id": "a", (member): value}]));
        let rules = request.rules.expect("rules");
        let effects = rules.effects(&[""], snapshot.knowledge().analyser(), &[], 0);
        let caller = BuyerContext::default();
        is_broken.store(true, Ordering::SeqCst);
        assert!(snapshot.resolve_rules(&effects, &caller).is_err(), "{member}");
        is_broken.store(false, Ordering::SeqCst);
        assert!(snapshot.resolve_rules(&effects, &caller).is_ok(), "{member}");
    }
}

#[test]
fn a_word_that_cannot_be_read_is_a_fault_of_an_explanation_and_not_lacking() {
    let (shop, is_broken) = breakable_shop();
    let snapshot = shop.index.snapshot();
    let request = asking("red shoe");
    let prepared = snapshot.prepare(&request, &BuyerContext::default()).expect("a plan");
    let explainer = MatchExplainer {
        segment: &snapshot.segments()[0],
        doc: 0,
        weights: snapshot.knowledge().weights(request.ranking.weighing),
        statistics: snapshot.knowledge().statistics(),
    };
    is_broken.store(true, Ordering::SeqCst);
    assert!(explainer.explain(&prepared.plan).is_err());
    is_broken.store(false, Ordering::SeqCst);
    let held = explainer.explain(&prepared.plan).expect("read");
    assert_eq!((held.words.len(), held.lacking.len()), (2, 0));
}
