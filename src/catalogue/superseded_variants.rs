//! Changes of variants that the removal of their variant makes meaningless under every cut.

use std::collections::HashMap;

use crate::args;
use crate::catalogue::changes::ChangeAction;
use crate::catalogue::position::ChangePlace;
use crate::feeds::section::Section;
use crate::ids::AccountId;
use crate::sql;
use crate::store::{Row, StoreFault, Tx};

/// A removal of a variant.
#[derive(Clone, Copy)]
pub(super) struct VariantRemoval {
    pub at: ChangePlace,
    /// Older removals and additions of the variant go too: in between, nothing looked for variants by a SKU, for which
    /// it matters whether this one is there.
    pub drops_all: bool,
}

/// Removals of the variants of an item, by their supersede keys.
pub(super) type VariantRemovals = HashMap<String, VariantRemoval>;

/// Returns true for a change of a variant that may touch a SKU: it has no supersede key.
pub(super) fn touches_sku(what: ChangeAction, key: Option<&str>) -> bool {
    let is_of_variant =
        matches!(what, ChangeAction::AddVariant | ChangeAction::SetVariant | ChangeAction::DeleteVariant);
    is_of_variant && key.is_none()
}

/// Returns true if the removal with a key makes an older change with this key meaningless.
pub(super) fn is_dropped(what: ChangeAction, key: Option<&str>, removal: &str, drops_all: bool) -> bool {
    let Some(key) = key else { return false };
    match what {
        ChangeAction::SetVariant => variant_part(key) == removal,
        ChangeAction::AddVariant => drops_all && variant_part(key) == removal,
        ChangeAction::DeleteVariant => drops_all && key == removal,
        ChangeAction::Put | ChangeAction::Delete | ChangeAction::Join | ChangeAction::Leave => false,
    }
}

/// The part of a supersede key that names the product and the variant: its first two lines.
fn variant_part(key: &str) -> &str {
    let mut breaks = key.match_indices('\n');
    breaks.nth(1).map_or(key, |(end, _)| &key[..end])
}

/// Deletes the written changes of an item that these removals make meaningless.
///
/// # Errors
/// When the store fails or a change cannot be read.
pub(super) fn delete_superseded(
    tx: &mut Tx<'_>,
    account: AccountId,
    section: Section,
    item: &str,
    removals: &VariantRemovals,
) -> Result<(), StoreFault> {
    let rows = tx.run(&sql::change_variants_of_item, args![account.0, section.as_str(), item])?;
    let changes = rows.iter().map(WrittenChange::from_row).collect::<Result<Vec<_>, _>>()?;
    let last_by_sku = changes.iter().rposition(|change| touches_sku(change.what, change.key));
    let is_superseded = |position: usize, change: &WrittenChange<'_>| {
        let Some(removal) = change.key.map(variant_part).and_then(|part| removals.get_key_value(part)) else {
            return false;
        };
        let drops_all = removal.1.drops_all && last_by_sku.is_none_or(|last| position > last);
        change.at < removal.1.at && is_dropped(change.what, change.key, removal.0, drops_all)
    };
    let superseded = changes.iter().enumerate().filter(|(position, change)| is_superseded(*position, change));
    let places: Vec<_> = superseded.map(|(_, change)| change.at).collect();
    tx.exec_many(&sql::change_delete_at, &places, |at| args![account.0, at.seq, at.n].to_vec())?;
    Ok(())
}

/// A written change of a variant.
struct WrittenChange<'r> {
    at: ChangePlace,
    what: ChangeAction,
    key: Option<&'r str>,
}

impl<'r> WrittenChange<'r> {
    fn from_row(row: &'r Row) -> Result<Self, StoreFault> {
        let what = ChangeAction::parse(row.text("op")?);
        Ok(Self {
            at: ChangePlace { seq: row.int("seq")?, n: row.int("n")? },
            what: what.ok_or(StoreFault::Shape { statement: "change_variants_of_item", column: "op" })?,
            key: row.opt_text("sku")?,
        })
    }
}
