//! Other names of the items of a snapshot: a second file that leads from SKUs, and from children, to ids.
//!
//! Children stand in it after a NUL, which no SKU holds, so that a lookup by SKU never finds one.

use std::io;

use super::fault::CatalogueFault;
use super::snapshot::RowsAnywhere;
use super::snapshot_writer::SnapshotWriter;
use crate::blobs::{BlobName, Blobs, Hold};
use crate::feeds::rows::ItemKey;

/// Writes the names of a snapshot's items. If several items have the same name, the last one gets it.
pub struct NamesWriter(SnapshotWriter);

impl NamesWriter {
    /// Begins a file.
    ///
    /// # Errors
    /// When the disk refuses it.
    pub fn create(blobs: &Blobs) -> io::Result<Self> {
        SnapshotWriter::create(blobs).map(Self)
    }

    /// Adds the names by which an item is found besides its id: its SKU and its children.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn push(&mut self, key: &ItemKey) -> io::Result<()> {
        if let Some(sku) = key.sku.as_deref().filter(|sku| *sku != key.id) {
            self.0.push(0, sku, key.id.as_bytes())?;
        }
        for child in &key.children {
            self.0.push(0, &as_child(child), key.id.as_bytes())?;
        }
        Ok(())
    }

    /// Publishes the file and returns its name and size; `None` when no item has another name.
    ///
    /// # Errors
    /// When the disk refuses; nothing is published then.
    pub fn finish(self, hold: &Hold) -> io::Result<Option<(BlobName, u64)>> {
        let summary = self.0.finish(hold)?;
        Ok((summary.rows > 0).then_some((summary.name, summary.bytes)))
    }
}

fn as_child(child: &str) -> String {
    format!("\0{child}")
}

/// The id of the item with this SKU, when the two differ.
pub(super) fn id_of_sku(names: &mut RowsAnywhere, sku: &str) -> Result<Option<String>, CatalogueFault> {
    let id = names.get(sku)?;
    id.map(|id| String::from_utf8(id).map_err(|_| CatalogueFault::Row)).transpose()
}

/// The id of the item that listed this child.
pub(super) fn id_of_parent(names: &mut RowsAnywhere, child: &str) -> Result<Option<String>, CatalogueFault> {
    id_of_sku(names, &as_child(child))
}

/// Returns true if a product, as it is shown, lists a child with this id or SKU.
pub(super) fn is_listed(row: &[u8], child: &str) -> Result<bool, CatalogueFault> {
    #[derive(serde::Deserialize)]
    struct ChildLists {
        #[serde(rename = "AssociatedIds", default)]
        ids: Vec<String>,
        #[serde(rename = "AssociatedSkus", default)]
        skus: Vec<String>,
    }
    let ChildLists { ids, skus } = serde_json::from_slice(row).map_err(|_| CatalogueFault::Row)?;
    Ok(ids.iter().chain(&skus).any(|listed| listed == child))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::snapshot::Snapshot;

    fn key(id: &str, sku: Option<&str>, children: &[&str]) -> ItemKey {
        let children = children.iter().map(|child| (*child).to_owned()).collect();
        ItemKey { id: id.to_owned(), sku: sku.map(str::to_owned), children }
    }

    #[test]
    fn an_item_is_found_by_its_number_and_its_children_and_the_last_of_a_name_counts() {
        let folder = tempfile::tempdir().unwrap();
        let blobs = Blobs::open(folder.path()).unwrap();
        let hold = blobs.hold_files();
        let write = |keys: &[ItemKey]| {
            let mut names = NamesWriter::create(&blobs).unwrap();
            keys.iter().for_each(|key| names.push(key).unwrap());
            names.finish(&hold).unwrap()
        };
        assert!(write(&[key("1", Some("1"), &[]), key("2", None, &[])]).is_none());
        let (name, bytes) = write(&[key("1", Some("s"), &[])]).expect("a file of one name");
        assert_eq!(bytes, std::fs::metadata(blobs.path(&name)).unwrap().len());
        let items = [key("1", Some("s"), &["c", "s"]), key("2", Some("s"), &["d"])];
        let (name, _) = write(&items).expect("a file");
        let mut file = Snapshot::open(&hold, &name).unwrap().rows_anywhere().unwrap();
        let mut found =
            |name: &str| [id_of_sku(&mut file, name).unwrap(), id_of_parent(&mut file, name).unwrap()];
        let id = |id: &str| Some(id.to_owned());
        assert_eq!(found("s"), [id("2"), id("1")]);
        assert_eq!(found("c"), [None, id("1")]);
        assert_eq!(found("d"), [None, id("2")]);
        assert_eq!(found("1"), [None, None]);
    }

    #[test]
    fn a_child_is_listed_by_its_id_or_its_number() {
        let row = br#"{"AssociatedIds":["11","12"],"AssociatedSkus":["s"]}"#;
        let listed = ["11", "12", "s", "13", ""].map(|child| is_listed(row, child).unwrap());
        assert_eq!(listed, [true, true, true, false, false]);
        assert!(!is_listed(b"{}", "11").unwrap());
        assert!(matches!(is_listed(br#"{"AssociatedIds":"11"}"#, "11"), Err(CatalogueFault::Row)));
    }
}
