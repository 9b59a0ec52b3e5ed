//! Rows of a delta about single variants, as they mean at the time of their turn.
//!
//! A row finds its product and its variant when it is applied. What it changes is stored as a change of its own, so
//! that it holds for the row of a feed that was submitted before the delta and is published later.

use super::delta::DeltaUnit;
use super::delta_read::{DeltaStep, Op, VariantOp};
use super::delta_targets::{Target, Targets};
use super::fault::WorkFault;
use crate::catalogue::CatalogueFault;
use crate::catalogue::changes::{ChangeAction, ItemChange};
use crate::catalogue::find::ItemWithChild;
use crate::catalogue::position::ChangePlace;
use crate::catalogue::visible::{CatalogueView, VisibleItem};
use crate::catalogue::write::AppliedChanges;
use crate::feeds::issue::{Issue, IssueCode};
use crate::feeds::rows::{self, ProductVariants, VariantAction, VariantChange, VariantEffect, VariantRow};
use crate::feeds::section::{FeedPart, Section};
use crate::store::Tx;
use crate::submissions::issues;

impl DeltaUnit {
    /// Applies a row about a variant, unless it was applied before.
    pub(super) fn apply_variant(
        &self,
        tx: &mut Tx<'_>,
        applied: &mut AppliedChanges,
        at: ChangePlace,
        step: &DeltaStep,
        known: &mut Targets,
    ) -> Result<(), WorkFault> {
        let (Op::SetVariant(op) | Op::DeleteVariant(op)) = &step.op else {
            return Err(CatalogueFault::Row.into());
        };
        if applied.has(at) {
            return Ok(());
        }
        let is_removal = matches!(step.op, Op::DeleteVariant(_));
        let item = self.product_of(tx, applied, op, known)?;
        let Some(item) = item else {
            applied.skip(at);
            return self.add_issue(tx, at.seq, step, IssueCode::VariantProductMissing, "ProductId");
        };
        let variants = known.variants.variants_mut(&item);
        let changed = op.row.to_change(is_removal, variants).ok_or(CatalogueFault::Row)?;
        let effect = changed.effect;
        if !is_removal {
            known.variants.record_holder(&item, &op.row);
        }
        if effect == VariantEffect::NoRoom {
            applied.skip(at);
        } else {
            let row_number = i64::try_from(step.row_number).unwrap_or(i64::MAX);
            applied.record_change(at, build_change(item, &op.row, changed, row_number));
        }
        let named = if op.row.id.is_some() { "Id" } else { "Sku" };
        let told = match effect {
            VariantEffect::Applied => None,
            VariantEffect::SkuTaken => Some((IssueCode::VariantRepeated, "Sku")),
            VariantEffect::AttributesFull => Some((IssueCode::VariantAttributesTooMany, "Attributes")),
            VariantEffect::Unknown => Some((IssueCode::VariantUnknown, named)),
            VariantEffect::ProductUnknown => Some((IssueCode::VariantProductUnknown, "ProductId")),
            VariantEffect::NoRoom => Some((IssueCode::VariantLimitReached, named)),
        };
        told.map_or(Ok(()), |(code, field)| self.add_issue(tx, at.seq, step, code, field))
    }

    /// The id of the product that a row is about, whose variants are known then: the one that the row names, by Id or
    /// SKU, else the one that has the variant; `None` when no product has it.
    fn product_of(
        &self,
        tx: &mut Tx<'_>,
        applied: &mut AppliedChanges,
        op: &VariantOp,
        known: &mut Targets,
    ) -> Result<Option<String>, WorkFault> {
        let named = op.row.product.as_deref();
        let cached = match named {
            Some(key) => known.find_target(key).map(|target| target.item),
            None => known.variants.find_holder(&op.row).map(str::to_owned),
        };
        if let Some(item) = cached.filter(|item| known.variants.contains(item)) {
            return Ok(Some(item));
        }
        applied.settle(tx)?;
        let mut catalogue = CatalogueView::open(tx, &self.node.blobs, self.account)?;
        let found = match named {
            Some(key) => catalogue.find_by_id_or_sku(Section::Products, key)?,
            None => find_holder(&mut catalogue, op)?,
        };
        let item = found.as_ref().map(|found| found.id.as_str()).or(named);
        let Some(item) = item.map(str::to_owned) else { return Ok(None) };
        if let Some(key) = named {
            let sku = (item != key).then(|| key.to_owned());
            known.record(key, &Target { item: item.clone(), sku });
        }
        if !known.variants.contains(&item) {
            known.variants.record(&item, found.as_ref().map(|found| found.row.as_slice()))?;
        }
        Ok(Some(item))
    }

    /// Tells what is wrong with a row that was applied, or could not be.
    fn add_issue(
        &self,
        tx: &mut Tx<'_>,
        seq: i64,
        step: &DeltaStep,
        code: IssueCode,
        field: &'static str,
    ) -> Result<(), WorkFault> {
        let (section, offset) = match &step.op {
            Op::DeleteVariant(op) => (FeedPart::DeleteVariants, op.offset),
            Op::SetVariant(op) => (FeedPart::SetVariants, op.offset),
            _ => return Err(CatalogueFault::Row.into()),
        };
        let field = Some(field.into());
        let issue = Issue { code, section, row: step.row_number, offset, line: None, field, meant: None };
        Ok(issues::add(tx, self.account, seq, &issue)?)
    }
}

/// The product that has the variant of a row, by the variant's Id or SKU.
fn find_holder(
    catalogue: &mut CatalogueView<'_, '_>,
    VariantOp { row, .. }: &VariantOp,
) -> Result<Option<VisibleItem>, CatalogueFault> {
    for key in row.id.iter().chain(&row.sku) {
        if let Some(ItemWithChild { item: product, .. }) = catalogue.parent(Section::Products, key)? {
            return Ok(Some(product));
        }
        // A variant may have a key of its product, which is no child's.
        let has_variant = |product: &VisibleItem| {
            let variants = ProductVariants::from_row(&product.row);
            variants.is_some_and(|variants| variants.find(row.id.as_deref(), row.sku.as_deref()).is_some())
        };
        let product = catalogue.find_by_id_or_sku(Section::Products, key)?;
        if let Some(product) = product.filter(has_variant) {
            return Ok(Some(product));
        }
    }
    Ok(None)
}

fn build_change(item: String, row: &VariantRow, change: VariantChange, row_number: i64) -> ItemChange {
    let VariantChange { action, body, has_sku, effect: _ } = change;
    // A variant that the product has is found by its keys anyway, but for a SKU that it gets.
    let id = row.id.iter().filter(|_| action == VariantAction::Upsert);
    let sku = row.sku.iter().filter(|_| has_sku && action != VariantAction::Delete);
    ItemChange {
        section: Section::Products,
        sku: rows::supersede_key(&item, &body),
        children: id.chain(sku).cloned().collect(),
        item,
        what: ChangeAction::from(action),
        body: Some(body),
        row_number,
        raw: None,
    }
}
