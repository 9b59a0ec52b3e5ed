//! Other names of the items of a snapshot: a second file that leads from SKUs, and from children, to ids.
//!
//! Children stand in it after a NUL, which no SKU holds, so that a lookup by SKU never finds one.

use std::collections::{HashMap, HashSet};
use std::io;

use super::changes;
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

/// Children of a product, as its row lists them.
#[derive(serde::Deserialize)]
struct ChildLists {
    #[serde(rename = "AssociatedIds", default)]
    ids: Vec<String>,
    #[serde(rename = "AssociatedSkus", default)]
    skus: Vec<String>,
    #[serde(rename = "Variants", default)]
    variants: Vec<ListedVariant>,
}

/// Keys of a variant in the row of its product.
#[derive(serde::Deserialize)]
struct ListedVariant {
    #[serde(rename = "Id")]
    id: Option<String>,
    #[serde(rename = "Sku")]
    sku: Option<String>,
}

/// Kind of key by which an item is looked for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum KeyKind {
    Id,
    Sku,
    /// Id or SKU of a child.
    Child,
}

/// Part of an item that a key names.
#[derive(PartialEq, Eq, Debug)]
pub(super) enum NamedPart {
    Whole,
    /// The child with this id; a child without an id is known by its SKU.
    Child(String),
}

impl NamedPart {
    pub fn into_child(self) -> Option<String> {
        match self {
            Self::Whole => None,
            Self::Child(id) => Some(id),
        }
    }
}

/// Keys in the row of an item as it is shown. The row is parsed once for each kind of key, however many keys are
/// looked for.
pub(super) struct RowKeys<'r> {
    row: &'r [u8],
    /// The SKU, once it was read.
    sku: Option<Option<String>>,
    /// The children, once they were read.
    children: Option<KnownChildren>,
}

impl<'r> RowKeys<'r> {
    pub fn new(row: &'r [u8]) -> Self {
        Self { row, sku: None, children: None }
    }

    /// The part of the item that a key names. The item was found by its id, so that an id names it whole; a SKU or a
    /// child may be another's by now: `None`.
    ///
    /// # Errors
    /// When the row is not in its form.
    pub fn find(&mut self, kind: KeyKind, key: &str) -> Result<Option<NamedPart>, CatalogueFault> {
        let is_whole = match kind {
            KeyKind::Id => true,
            KeyKind::Sku => self.sku()? == Some(key),
            KeyKind::Child => return Ok(self.children()?.find_id(key).map(NamedPart::Child)),
        };
        Ok(is_whole.then_some(NamedPart::Whole))
    }

    fn sku(&mut self) -> Result<Option<&str>, CatalogueFault> {
        if self.sku.is_none() {
            self.sku = Some(changes::sku_of(self.row)?);
        }
        Ok(self.sku.as_ref().and_then(Option::as_deref))
    }

    fn children(&mut self) -> Result<&KnownChildren, CatalogueFault> {
        let children = match self.children.take() {
            Some(children) => children,
            None => KnownChildren::from_row(self.row)?,
        };
        Ok(self.children.insert(children))
    }
}

/// Children of a product, by the keys that it lists.
struct KnownChildren {
    ids: HashSet<String>,
    /// The id, or the SKU of a child without an id, by the SKU; of children with one SKU the first.
    by_sku: HashMap<String, String>,
}

impl KnownChildren {
    fn from_row(row: &[u8]) -> Result<Self, CatalogueFault> {
        let ChildLists { ids, skus, variants } =
            serde_json::from_slice(row).map_err(|_| CatalogueFault::Row)?;
        // Lists of one length stand side by side.
        let beside = if ids.len() == skus.len() { ids.as_slice() } else { &[] };
        let listed = skus.iter().enumerate().map(|(at, sku)| (beside.get(at), Some(sku)));
        let known = variants.iter().map(|variant| (variant.id.as_ref(), variant.sku.as_ref())).chain(listed);
        let mut by_sku = HashMap::new();
        for (id, sku) in known {
            let Some(sku) = sku else { continue };
            let id = id.filter(|id| !id.trim().is_empty()).unwrap_or(sku);
            by_sku.entry(sku.clone()).or_insert_with(|| id.clone());
        }
        let ids = ids.into_iter().chain(variants.into_iter().filter_map(|variant| variant.id)).collect();
        Ok(Self { ids, by_sku })
    }

    /// The id of the child with this id or SKU.
    fn find_id(&self, key: &str) -> Option<String> {
        self.ids.get(key).or_else(|| self.by_sku.get(key)).cloned()
    }
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
    fn a_child_is_known_by_its_id_and_found_by_its_number_too() {
        let find = |row: &str, key: &str| RowKeys::new(row.as_bytes()).find(KeyKind::Child, key);
        let id_of = |row: &str, key: &str| find(row, key).expect("a row").and_then(NamedPart::into_child);
        let known = |id: &str| Some(id.to_owned());
        let beside = r#"{"AssociatedIds":["11","","s3"],"AssociatedSkus":["s1","s2","s4"]}"#;
        let found = ["11", "s1", "s2", "s3", "s4", "13"].map(|key| id_of(beside, key));
        assert_eq!(found, [known("11"), known("11"), known("s2"), known("s3"), known("s3"), None]);
        let apart = r#"{"AssociatedIds":["11","12"],"AssociatedSkus":["s"]}"#;
        assert_eq!(["12", "s"].map(|key| id_of(apart, key)), [known("12"), known("s")]);
        let variants =
            r#"{"AssociatedSkus":["s1"],"Variants":[{"Id":"v1","Sku":"s1","Title":"t"},{"Sku":"s2"}]}"#;
        let found = ["v1", "s1", "s2", "s3"].map(|key| id_of(variants, key));
        assert_eq!(found, [known("v1"), known("v1"), known("s2"), None]);
        assert_eq!(id_of("{}", "11"), None);
        assert!(matches!(find(r#"{"AssociatedIds":"11"}"#, "11"), Err(CatalogueFault::Row)));
        assert!(matches!(find(r#"{"Variants":{}}"#, "11"), Err(CatalogueFault::Row)));
        let same_sku = r#"{"AssociatedIds":["a"],"Variants":[{"Id":"v1","Sku":"s"},{"Id":"v2","Sku":"s"},
            {"Id":"w","Sku":"a"}]}"#;
        assert_eq!(["s", "a"].map(|key| id_of(same_sku, key)), [known("v1"), known("a")], "ids come first");
    }

    #[test]
    fn a_row_answers_for_all_keys_that_are_looked_for_in_it() {
        let row = br#"{"Id":"p","Sku":"s","Variants":[{"Id":"v","Sku":"s"},{"Sku":"w"}]}"#;
        let mut keys = RowKeys::new(row);
        let asked = [
            (KeyKind::Child, "w", Some(NamedPart::Child("w".to_owned()))),
            (KeyKind::Sku, "s", Some(NamedPart::Whole)),
            (KeyKind::Child, "s", Some(NamedPart::Child("v".to_owned()))),
            (KeyKind::Sku, "w", None),
            (KeyKind::Child, "p", None),
            (KeyKind::Id, "p", Some(NamedPart::Whole)),
        ];
        for (kind, key, part) in asked {
            assert_eq!(keys.find(kind, key).expect("a row"), part, "{key}");
        }
    }
}
