//! Segments that are merged while somebody opens their files.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::thread::{self, ThreadId};
use std::time::Duration;

use tantivy::directory::error::{DeleteError, OpenReadError, OpenWriteError};
use tantivy::directory::{Directory, FileHandle, RamDirectory, WatchCallback, WatchHandle, WritePtr};

use super::merges::eager;
use super::*;

/// A directory that one thread reads so slowly that merges end meanwhile.
#[derive(Debug, Clone)]
struct SlowDirectory {
    inner: RamDirectory,
    slow: ThreadId,
}

impl SlowDirectory {
    fn wait(&self) {
        if thread::current().id() == self.slow {
            thread::park_timeout(Duration::from_millis(30));
        }
    }
}

impl Directory for SlowDirectory {
    fn get_file_handle(&self, path: &Path) -> Result<Arc<dyn FileHandle>, OpenReadError> {
        if path.extension().is_some_and(|name| name == blobs::BLOB_FILE) {
            self.wait();
        }
        self.inner.get_file_handle(path)
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
    let products: Vec<_> = (0..20).map(|number| product(&format!("p{number}"), "Oak chair")).collect();
    let directory = SlowDirectory { inner: RamDirectory::create(), slow: thread::current().id() };
    let mut index = Index::create_in(Box::new(directory), knowledge(&products)).expect("an index");
    index.writer.set_merge_policy(Box::new(eager()));
    for (before, product) in products.iter().enumerate() {
        index.write(Change::Put(product)).expect("written");
        assert_eq!(index.commit("").expect("committed").products(), before + 1);
    }
}
