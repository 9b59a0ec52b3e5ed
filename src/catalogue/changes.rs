//! Changes: operations of deltas on single items, in their order, on top of a snapshot.

use std::collections::HashMap;

use crate::catalogue::fault::CatalogueFault;
use crate::catalogue::position::ChangePlace;
use crate::feeds::rows::{self, VariantAction};
use crate::feeds::section::Section;
use crate::ids::AccountId;
use crate::store::{Arg, Row, Statement, StoreFault, Tx};
use crate::{args, limits, sql};

/// Action of a change on its item.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ChangeAction {
    /// Replaces it whole, or adds it.
    Put,
    /// Removes it.
    Delete,
    /// It joins categories.
    Join,
    /// It leaves categories.
    Leave,
    /// Sets fields of a variant, which is added if there is none.
    AddVariant,
    /// Sets fields of a variant that it has.
    SetVariant,
    /// Removes a variant of it.
    DeleteVariant,
}

impl ChangeAction {
    pub(super) const ALL: [Self; 7] = [
        Self::Put,
        Self::Delete,
        Self::Join,
        Self::Leave,
        Self::AddVariant,
        Self::SetVariant,
        Self::DeleteVariant,
    ];

    /// Its word in the store and in answers.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Put => "put",
            Self::Delete => "delete",
            Self::Join => "join",
            Self::Leave => "leave",
            Self::AddVariant => "add_variant",
            Self::SetVariant => "set_variant",
            Self::DeleteVariant => "delete_variant",
        }
    }

    pub(super) fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|what| what.as_str() == text)
    }

    /// The action on a variant of the item, if it is one.
    pub(super) fn on_variant(self) -> Option<VariantAction> {
        match self {
            Self::Put | Self::Delete | Self::Join | Self::Leave => None,
            Self::AddVariant => Some(VariantAction::Upsert),
            Self::SetVariant => Some(VariantAction::Set),
            Self::DeleteVariant => Some(VariantAction::Delete),
        }
    }
}

impl From<VariantAction> for ChangeAction {
    fn from(action: VariantAction) -> Self {
        match action {
            VariantAction::Upsert => Self::AddVariant,
            VariantAction::Set => Self::SetVariant,
            VariantAction::Delete => Self::DeleteVariant,
        }
    }
}

/// One change of a delta.
#[derive(Clone)]
pub struct ItemChange {
    /// Section of the item.
    pub section: Section,
    /// The item's id.
    pub item: String,
    /// The SKU of an item that is put, or the SKU in a removal. Of a change of a variant, its supersede key
    /// ([`rows::supersede_key`]).
    pub sku: Option<String>,
    /// The ids and SKUs of its children, if it is put; those of a variant that it gets.
    pub children: Vec<String>,
    /// Action on the item.
    pub what: ChangeAction,
    /// The new row, the list of categories, or the fields of a variant.
    pub body: Option<Vec<u8>>,
    /// Number of the delta's row with this change, in its section.
    pub row_number: i64,
    /// That row as it was sent, where it is kept.
    pub raw: Option<Vec<u8>>,
}

/// A change as it is applied to an item.
pub(super) struct StoredChange {
    pub at: ChangePlace,
    pub what: ChangeAction,
    pub body: Vec<u8>,
}

impl StoredChange {
    /// Returns true if it changes only the categories of its item.
    pub fn is_of_categories(&self) -> bool {
        matches!(self.what, ChangeAction::Join | ChangeAction::Leave)
    }

    /// Returns true if it changes only a variant of its item.
    pub fn is_of_variants(&self) -> bool {
        self.what.on_variant().is_some()
    }
}

/// The changes of a section after its cut.
#[derive(Clone, Copy)]
pub(super) struct AfterCut {
    pub account: AccountId,
    pub section: Section,
    pub cut: i64,
}

impl AfterCut {
    /// Prefetches the rows that [`AfterCut::of_item`] needs for each of these.
    ///
    /// # Errors
    /// When the store fails.
    pub fn prefetch<'i>(self, tx: &mut Tx<'_>, items: &'i [&'i String]) -> Result<(), StoreFault> {
        let args = |item: &&'i String| {
            args![self.account.0, self.section.as_str(), item.as_str(), self.cut].to_vec()
        };
        tx.prefetch(&sql::change_of_item, items, args)
    }

    /// Prefetches the rows that [`AfterCut::item_of_sku`] and the first [`AfterCut::newest_of_child`] need for each of
    /// these keys.
    ///
    /// # Errors
    /// When the store fails.
    pub fn prefetch_names(self, tx: &mut Tx<'_>, keys: &[String]) -> Result<(), StoreFault> {
        let section = self.section.as_str();
        let put = ChangeAction::Put.as_str();
        tx.prefetch(&sql::change_by_sku, keys, |key| {
            args![self.account.0, section, key.as_str(), put, self.cut].to_vec()
        })?;
        tx.prefetch(&sql::change_by_child, keys, |key| self.child_args(key, &[]))
    }

    fn query_by_key(self, tx: &mut Tx<'_>, statement: &Statement, key: &str) -> Result<Vec<Row>, StoreFault> {
        tx.run(statement, args![self.account.0, self.section.as_str(), key, self.cut])
    }

    /// Changes of an item, in order.
    ///
    /// # Errors
    /// When the store fails or a change cannot be read.
    pub fn of_item(self, tx: &mut Tx<'_>, item: &str) -> Result<Vec<StoredChange>, StoreFault> {
        steps(&self.query_by_key(tx, &sql::change_of_item, item)?)
    }

    /// The place of the last removal that named this SKU.
    ///
    /// # Errors
    /// When the store fails.
    pub fn removed_sku(self, tx: &mut Tx<'_>, sku: &str) -> Result<Option<ChangePlace>, StoreFault> {
        Ok(self.newest_of_sku(tx, sku, ChangeAction::Delete)?.map(|(place, _)| place))
    }

    /// The item that was put under this SKU last.
    ///
    /// # Errors
    /// When the store fails.
    pub fn item_of_sku(self, tx: &mut Tx<'_>, sku: &str) -> Result<Option<String>, StoreFault> {
        Ok(self.newest_of_sku(tx, sku, ChangeAction::Put)?.map(|(_, item)| item))
    }

    /// The item last put or removed under this SKU.
    ///
    /// # Errors
    /// When the store fails.
    pub fn touched_by_sku(self, tx: &mut Tx<'_>, sku: &str) -> Result<Option<String>, StoreFault> {
        let put = self.newest_of_sku(tx, sku, ChangeAction::Put)?;
        let removed = self.newest_of_sku(tx, sku, ChangeAction::Delete)?;
        Ok(put.max(removed).map(|(_, item)| item))
    }

    /// The newest change of one kind that names this SKU: its place and its item.
    fn newest_of_sku(
        self,
        tx: &mut Tx<'_>,
        sku: &str,
        what: ChangeAction,
    ) -> Result<Option<(ChangePlace, String)>, StoreFault> {
        let args = args![self.account.0, self.section.as_str(), sku, what.as_str(), self.cut];
        let Some(row) = tx.row(&sql::change_by_sku, args)? else { return Ok(None) };
        let place = ChangePlace { seq: row.int("seq")?, n: row.int("n")? };
        Ok(Some((place, row.text("item")?.to_owned())))
    }

    /// The item to which the newest change gave this child, besides those that were tried.
    ///
    /// # Errors
    /// When the store fails.
    pub fn newest_of_child(
        self,
        tx: &mut Tx<'_>,
        child: &str,
        tried: &[String],
    ) -> Result<Option<String>, StoreFault> {
        let row = tx.row(&sql::change_by_child, &self.child_args(child, tried))?;
        row.map(|row| row.text("item").map(str::to_owned)).transpose()
    }

    fn child_args<'t>(self, child: &'t str, tried: &'t [String]) -> Vec<Arg<'t>> {
        // The statement has as many places as there may be items before the last; no item has an empty id.
        let tried = tried.iter().map(String::as_str).chain(std::iter::repeat(""));
        let tried = tried.take(limits::CHILD_PARENTS_TRIED - 1).map(Arg::from);
        let args = args![self.account.0, self.section.as_str(), child, self.cut];
        args.iter().copied().chain(tried).collect()
    }
}

fn steps(rows: &[Row]) -> Result<Vec<StoredChange>, StoreFault> {
    rows.iter()
        .map(|row| {
            let what = ChangeAction::parse(row.text("op")?);
            Ok(StoredChange {
                at: ChangePlace { seq: row.int("seq")?, n: row.int("n")? },
                what: what.ok_or(StoreFault::Shape { statement: "change_of_item", column: "op" })?,
                body: row.opt_blob("body")?.unwrap_or_default().to_vec(),
            })
        })
        .collect()
}

/// A change that was applied, as far as a reader of the items needs it.
pub(super) struct TouchedItem {
    pub at: ChangePlace,
    pub section: Section,
    pub item: String,
    /// The SKU that a removal named.
    pub removed_sku: Option<String>,
}

/// The changes of all sections after a place, in the order in which they were applied, up to `limit`.
pub(super) fn after(
    tx: &mut Tx<'_>,
    account: AccountId,
    after: ChangePlace,
    limit: usize,
) -> Result<Vec<TouchedItem>, StoreFault> {
    const SHAPE: StoreFault = StoreFault::Shape { statement: "change_after", column: "section" };
    let rows = tx.run(&sql::change_after, args![account.0, after.seq, after.n, limit as i64])?;
    rows.iter()
        .map(|row| {
            let is_removal = row.text("op")? == ChangeAction::Delete.as_str();
            Ok(TouchedItem {
                at: ChangePlace { seq: row.int("seq")?, n: row.int("n")? },
                section: Section::parse(row.text("section")?).ok_or(SHAPE)?,
                item: row.text("item")?.to_owned(),
                removed_sku: row.opt_text("sku")?.filter(|_| is_removal).map(str::to_owned),
            })
        })
        .collect()
}

/// The SKU of a row in normal form.
pub(super) fn sku_of(row: &[u8]) -> Result<Option<String>, CatalogueFault> {
    #[derive(serde::Deserialize)]
    struct RowSku {
        #[serde(rename = "Sku")]
        sku: Option<String>,
    }
    serde_json::from_slice::<RowSku>(row).map(|keys| keys.sku).map_err(|_| CatalogueFault::Row)
}

/// The row with categories added to its list, and taken from it, in the order of `steps`: lists of categories, each
/// with its operation. The row is read and written once, however many steps there are.
pub(super) fn with_categories(row: &[u8], steps: &[StoredChange]) -> Result<Vec<u8>, CatalogueFault> {
    let mut row: serde_json::Map<String, serde_json::Value> =
        serde_json::from_slice(row).map_err(|_| CatalogueFault::Row)?;
    let list = row.entry("Categories").or_insert_with(|| serde_json::Value::Array(Vec::new()));
    let list = list.as_array_mut().ok_or(CatalogueFault::Row)?;
    // Each category with its place in the list.
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut next = 0;
    let mut join = |places: &mut HashMap<String, usize>, category: String| {
        places.entry(category).or_insert(next);
        next += 1;
    };
    for category in list.drain(..) {
        let serde_json::Value::String(category) = category else { return Err(CatalogueFault::Row) };
        join(&mut places, category);
    }
    for step in steps {
        let named: Vec<String> = serde_json::from_slice(&step.body).map_err(|_| CatalogueFault::Row)?;
        for category in named {
            if step.what == ChangeAction::Join {
                join(&mut places, category);
            } else {
                places.remove(&category);
            }
        }
    }
    let mut places: Vec<_> = places.into_iter().collect();
    places.sort_unstable_by_key(|(_, place)| *place);
    list.extend(places.into_iter().map(|(category, _)| serde_json::Value::String(category)));
    serde_json::to_vec(&row).map_err(|_| CatalogueFault::Row)
}

/// The row with its variants changed, in the order of `steps`. The row is read and written once, however many steps
/// there are.
pub(super) fn with_variants(row: &[u8], steps: &[StoredChange]) -> Result<Vec<u8>, CatalogueFault> {
    let changes = steps.iter().filter_map(|step| Some((step.what.on_variant()?, step.body.as_slice())));
    rows::with_variant_changes(row, changes).ok_or(CatalogueFault::Row)
}
