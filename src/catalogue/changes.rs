//! Changes: what deltas did to single items, in their order, on top of a snapshot.

use crate::args;
use crate::catalogue::CatalogueFault;
use crate::feeds::section::Section;
use crate::ids::AccountId;
use crate::sql;
use crate::store::{Row, StoreFault, Tx};

/// What a change does to its item.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum What {
    /// Replaces it whole, or adds it.
    Put,
    /// Removes it.
    Delete,
    /// It joins categories.
    Join,
    /// It leaves categories.
    Leave,
}

impl What {
    /// The word for it, in the store and where it is told.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Put => "put",
            Self::Delete => "delete",
            Self::Join => "join",
            Self::Leave => "leave",
        }
    }

    pub(super) fn parse(text: &str) -> Option<Self> {
        [Self::Put, Self::Delete, Self::Join, Self::Leave].into_iter().find(|what| what.as_str() == text)
    }
}

/// One change of a delta.
#[derive(Clone)]
pub struct Change {
    /// Section of the item.
    pub section: Section,
    /// The item's id.
    pub item: String,
    /// The SKU of an item that is put, or the one a removal named.
    pub sku: Option<String>,
    /// The ids and SKUs of its children, if it is put.
    pub children: Vec<String>,
    /// What happens.
    pub what: What,
    /// The new row, or the list of categories.
    pub body: Option<Vec<u8>>,
    /// Number of the delta's row that says so, in its section.
    pub row_number: i64,
    /// That row as it was sent, where it is kept.
    pub raw: Option<Vec<u8>>,
}

/// Writes change number `n` of the delta at `seq`. A whole replacement or a removal makes older changes of its
/// item unreachable under every cut, so they go.
pub fn write(
    tx: &mut Tx<'_>,
    account: AccountId,
    seq: i64,
    n: i64,
    change: &Change,
) -> Result<(), StoreFault> {
    let section = change.section.as_str();
    if matches!(change.what, What::Put | What::Delete) {
        tx.exec(&sql::change_delete_older, args![account.0, section, change.item.as_str(), seq - 1])?;
    }
    let args = args![
        account.0,
        seq,
        n,
        section,
        change.item.as_str(),
        change.sku.as_deref(),
        change.what.as_str(),
        change.body.as_deref(),
        change.row_number,
        change.raw.as_deref()
    ];
    tx.exec(&sql::change_insert, args)?;
    for child in &change.children {
        tx.exec(&sql::change_child_insert, args![account.0, seq, n, child.as_str()])?;
    }
    Ok(())
}

/// A change as it is applied to an item.
struct Step {
    seq: i64,
    n: i64,
    what: What,
    body: Vec<u8>,
}

/// An item with the place of the delta that touched it last, if one did.
pub struct Folded {
    /// The row as JSON; `None` when it is removed, or was never there.
    pub row: Option<Vec<u8>>,
    /// Sequence of the last delta that touched it.
    pub changed_seq: Option<i64>,
}

/// Puts the changes of an item after `cut` on top of its row in the snapshot.
pub fn fold(
    tx: &mut Tx<'_>,
    account: AccountId,
    section: Section,
    item: &str,
    cut: i64,
    row: Option<Vec<u8>>,
) -> Result<Folded, CatalogueFault> {
    let mut steps = steps(&tx.run(&sql::change_of_item, args![account.0, section.as_str(), item, cut])?)?;
    let newest = steps.iter().rev().find(|step| step.what == What::Put).map(|step| &step.body);
    let sku = newest.or(row.as_ref()).map(|row| sku_of(row)).transpose()?.flatten();
    if let Some(sku) = sku.filter(|sku| sku != item) {
        // A removal that named the SKU before anybody knew which item has it.
        let args = args![account.0, section.as_str(), sku.as_str(), cut];
        steps.extend(self::steps(&tx.run(&sql::change_deletes_by_sku, args)?)?);
        steps.sort_by_key(|step| (step.seq, step.n));
    }
    let mut folded = Folded { row, changed_seq: None };
    for step in steps {
        folded.changed_seq = Some(step.seq);
        folded.row = match step.what {
            What::Put => Some(step.body),
            What::Delete => None,
            What::Join | What::Leave => {
                folded.row.map(|row| with_categories(&row, &step.body, step.what)).transpose()?
            }
        };
    }
    Ok(folded)
}

fn steps(rows: &[Row]) -> Result<Vec<Step>, StoreFault> {
    rows.iter()
        .map(|row| {
            let what = What::parse(row.text(2)?);
            Ok(Step {
                seq: row.int(0)?,
                n: row.int(1)?,
                what: what.ok_or(StoreFault::Shape { statement: "change_of_item", column: 2 })?,
                body: row.opt_blob(3)?.unwrap_or_default().to_vec(),
            })
        })
        .collect()
}

/// The SKU of a row in normal form.
pub(super) fn sku_of(row: &[u8]) -> Result<Option<String>, CatalogueFault> {
    #[derive(serde::Deserialize)]
    struct Keys {
        #[serde(rename = "Sku")]
        sku: Option<String>,
    }
    serde_json::from_slice::<Keys>(row).map(|keys| keys.sku).map_err(|_| CatalogueFault::Row)
}

/// The row with categories added to its list, or taken from it.
fn with_categories(row: &[u8], categories: &[u8], what: What) -> Result<Vec<u8>, CatalogueFault> {
    let mut row: serde_json::Map<String, serde_json::Value> =
        serde_json::from_slice(row).map_err(|_| CatalogueFault::Row)?;
    let named: Vec<String> = serde_json::from_slice(categories).map_err(|_| CatalogueFault::Row)?;
    let list = row.entry("Categories").or_insert_with(|| serde_json::Value::Array(Vec::new()));
    let list = list.as_array_mut().ok_or(CatalogueFault::Row)?;
    for category in named {
        let at = list.iter().position(|known| known.as_str() == Some(category.as_str()));
        match (what, at) {
            (What::Leave, Some(at)) => drop(list.remove(at)),
            (What::Join, None) => list.push(serde_json::Value::String(category)),
            _ => {}
        }
    }
    serde_json::to_vec(&row).map_err(|_| CatalogueFault::Row)
}

/// The items that changes after `cut` touched, in pages: up to `limit` ids greater than `after`.
pub fn items(
    tx: &mut Tx<'_>,
    account: AccountId,
    section: Section,
    cut: i64,
    after: &str,
    limit: i64,
) -> Result<Vec<String>, StoreFault> {
    tx.run(&sql::change_items, args![account.0, section.as_str(), cut, after, limit])?
        .iter()
        .map(|row| row.text(0).map(str::to_owned))
        .collect()
}

/// The SKUs that deltas after `cut` removed, in pages: up to `limit` greater than `after`.
pub fn deleted_skus(
    tx: &mut Tx<'_>,
    account: AccountId,
    section: Section,
    cut: i64,
    after: &str,
    limit: i64,
) -> Result<Vec<String>, StoreFault> {
    tx.run(&sql::change_deleted_skus, args![account.0, section.as_str(), cut, after, limit])?
        .iter()
        .map(|row| row.text(0).map(str::to_owned))
        .collect()
}

/// Whether a delta after `cut` touched the item under its own id.
pub fn is_touched(
    tx: &mut Tx<'_>,
    account: AccountId,
    section: Section,
    item: &str,
    cut: i64,
) -> Result<bool, StoreFault> {
    Ok(tx.row(&sql::change_of_item, args![account.0, section.as_str(), item, cut])?.is_some())
}

/// The item that a delta after `cut` put under this SKU last.
pub fn item_of_sku(
    tx: &mut Tx<'_>,
    account: AccountId,
    section: Section,
    sku: &str,
    cut: i64,
) -> Result<Option<String>, StoreFault> {
    let row = tx.row(&sql::change_by_sku, args![account.0, section.as_str(), sku, cut])?;
    row.map(|row| row.text(0).map(str::to_owned)).transpose()
}

/// The item that a delta after `cut` put last and that lists this child.
pub fn item_of_child(
    tx: &mut Tx<'_>,
    account: AccountId,
    section: Section,
    child: &str,
    cut: i64,
) -> Result<Option<String>, StoreFault> {
    let row = tx.row(&sql::change_by_child, args![account.0, child, section.as_str(), cut])?;
    row.map(|row| row.text(0).map(str::to_owned)).transpose()
}

/// Removes changes up to `cut` for up to `limit` items; gives how many items.
pub fn sweep(
    tx: &mut Tx<'_>,
    account: AccountId,
    section: Section,
    cut: i64,
    limit: i64,
) -> Result<usize, StoreFault> {
    let items = tx.run(&sql::change_cut_items, args![account.0, section.as_str(), cut, limit])?;
    for row in &items {
        tx.exec(&sql::change_delete_older, args![account.0, section.as_str(), row.text(0)?, cut])?;
    }
    Ok(items.len())
}
