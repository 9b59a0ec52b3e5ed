//! Segments that are merged while another thread opens their files.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

use tantivy::directory::error::{DeleteError, OpenReadError, OpenWriteError};
use tantivy::directory::{Directory, FileHandle, RamDirectory, WatchCallback, WatchHandle, WritePtr};

use super::merges::eager;
use super::*;

/// Longest wait for a merge to end. On a slow machine one takes a tenth of a second.
const WAIT_DURATION: Duration = Duration::from_millis(300);

/// A directory that one thread reads so slowly that merges end meanwhile, if they can.
#[derive(Debug, Clone)]
struct SlowDirectory {
    inner: RamDirectory,
    slow: ThreadId,
    removed: Arc<AtomicUsize>,
}

impl SlowDirectory {
    /// Waits until a file was removed.
    fn wait(&self) {
        let is_slow = thread::current().id() == self.slow;
        let removed = self.removed.load(Ordering::SeqCst);
        let began = Instant::now();
        while is_slow && self.removed.load(Ordering::SeqCst) == removed && began.elapsed() < WAIT_DURATION {
            thread::park_timeout(Duration::from_millis(1));
        }
    }
}

impl Directory for SlowDirectory {
    fn get_file_handle(&self, path: &Path) -> Result<Arc<dyn FileHandle>, OpenReadError> {
        self.inner.get_file_handle(path)
    }

    fn delete(&self, path: &Path) -> Result<(), DeleteError> {
        let removed = self.inner.delete(path);
        // Locks are files too.
        if path.extension().is_none_or(|name| name != "lock") {
            self.removed.fetch_add(1, Ordering::SeqCst);
        }
        removed
    }

    fn exists(&self, path: &Path) -> Result<bool, OpenReadError> {
        self.inner.exists(path)
    }

    fn open_write(&self, path: &Path) -> Result<WritePtr, OpenWriteError> {
        self.inner.open_write(path)
    }

    fn atomic_read(&self, path: &Path) -> Result<Vec<u8>, OpenReadError> {
        let read = self.inner.atomic_read(path);
        if path.as_os_str() == "meta.json" {
            self.wait();
        }
        read
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

#[test]
fn segments_are_merged_while_their_files_are_opened() {
    let products: Vec<_> = (0..12).map(|number| product(&format!("p{number}"), "Oak chair")).collect();
    let directory = SlowDirectory {
        inner: RamDirectory::create(),
        slow: thread::current().id(),
        removed: Arc::default(),
    };
    let mut index = Index::create_in(Box::new(directory), knowledge(&products)).expect("an index");
    index.writer.set_merge_policy(Box::new(eager()));
    for (before, product) in products.iter().enumerate() {
        index.write(DocumentChange::Put(product)).expect("written");
        assert_eq!(index.commit("").expect("committed").products(), before + 1);
    }
}
