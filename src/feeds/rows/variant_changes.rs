//! Changes of deltas to single variants of a stored product: the row stays in its normal form.
//!
//! Nothing here fails: a change that finds nothing to change, or no room, leaves the row as it is, so that the same
//! changes can be applied to the row of a later feed.

use std::collections::HashMap;

use super::listed_variants::{ListedVariant, ListedVariants};
use super::shape::{PRODUCT_SHAPE, key};
use super::stored_variant::{StoredVariant, VariantPatch, owned_text};
use super::variant_effect::{AppliedVariant, UnusedParts, VariantAction, VariantEffect};
use crate::feeds::json::value::JsonValue;
use crate::limits;

const FIELD: &str = crate::feeds::fields::VARIANTS_FIELD;
/// The member of a row with a list of variants, without them and with its comma.
const LIST_BYTES: usize = FIELD.len() + r#","":[]"#.len();
/// Memory of a variant beside its text, roughly.
const VARIANT_BYTES: usize = 512;

/// The row of a product in normal form after changes, each with its action and its body: an object with the variant's
/// `Id`, or its `Sku`, and the fields to set in normal form; `null` takes one away. `None` when the row or a body
/// is no object.
#[must_use]
pub fn with_variant_changes<'c>(
    row: &[u8],
    changes: impl Iterator<Item = (VariantAction, &'c [u8])>,
) -> Option<Vec<u8>> {
    let mut variants = ProductVariants::from_row(row)?;
    for (action, body) in changes {
        variants.apply(action, body)?;
    }
    variants.write_into(row)
}

/// The variants of a product, to which changes are applied.
pub struct ProductVariants {
    /// Id and SKU of the product.
    product: [Option<String>; 2],
    /// In their order; removed ones leave an empty slot. Each listed variant has an empty one behind those of the row:
    /// its place does not depend on which of its changes came first, as older ones may be gone.
    slots: Vec<Option<StoredVariant>>,
    by_id: HashMap<String, usize>,
    by_sku: HashMap<String, usize>,
    /// Variants without fields of their own, until a change sets one.
    listed: ListedVariants,
    /// The slot of the first listed variant.
    first_listed: usize,
    /// Bytes of the product's row without its variants.
    other_bytes: usize,
    /// Bytes of the variants, each with a comma.
    list_bytes: usize,
}

/// A variant of a product.
#[derive(Clone, Copy)]
enum FoundVariant<'v> {
    /// One in this slot.
    Stored(usize, &'v StoredVariant),
    /// One that is listed alone, whose slot is empty.
    Listed(usize, &'v ListedVariant),
}

impl FoundVariant<'_> {
    fn id(&self) -> &str {
        match self {
            Self::Stored(_, variant) => &variant.id,
            Self::Listed(_, variant) => &variant.id,
        }
    }
}

impl ProductVariants {
    /// Reads the variants of a row in normal form; `None` when it is no object.
    #[must_use]
    pub fn from_row(row: &[u8]) -> Option<Self> {
        let row = object(row)?;
        let text_of = |name: &str| {
            row.entries().find(|(member, _)| *member == name).and_then(|(_, value)| owned_text(value))
        };
        let product = [text_of("Id"), text_of("Sku")];
        let mut variants = Self {
            listed: ListedVariants::from_row(row, &product),
            product,
            slots: Vec::new(),
            first_listed: 0,
            by_id: HashMap::new(),
            by_sku: HashMap::new(),
            other_bytes: 0,
            list_bytes: 0,
        };
        let list = row.entries().find(|(member, _)| *member == FIELD);
        for variant in list.into_iter().flat_map(|(_, list)| list.elements()) {
            variants.push(StoredVariant::from_json(variant.as_sent().to_owned())?);
        }
        variants.first_listed = variants.slots.len();
        variants.slots.resize_with(variants.first_listed + variants.listed.as_slice().len(), || None);
        variants.other_bytes = row.as_sent().len().saturating_sub(variants.row_bytes());
        Some(variants)
    }

    /// Bytes of memory that they take, roughly.
    #[must_use]
    pub fn bytes(&self) -> usize {
        2 * self.row_bytes() + self.slots.len() * VARIANT_BYTES
    }

    /// Bytes of the row with these variants.
    fn row_bytes(&self) -> usize {
        self.row_bytes_with(self.list_bytes)
    }

    /// Bytes of the row with variants of so many bytes with their commas.
    const fn row_bytes_with(&self, list_bytes: usize) -> usize {
        let list = if list_bytes == 0 { 0 } else { LIST_BYTES + list_bytes - ",".len() };
        self.other_bytes + list
    }

    /// Ids and SKUs of all variants.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        let stored = self.by_id.keys().chain(self.by_sku.keys());
        let listed =
            self.listed.as_slice().iter().flat_map(|variant| [Some(&variant.id), variant.sku.as_ref()]);
        stored.chain(listed.flatten()).map(String::as_str)
    }

    /// The id of the variant that a row names: the one with this id; without an id the one with this SKU, which stands
    /// in for an id too. An unknown id with the SKU of a variant whose id is that SKU, because it has no other, names
    /// that variant.
    #[must_use]
    pub fn find(&self, id: Option<&str>, sku: Option<&str>) -> Option<&str> {
        match self.locate(id, sku)? {
            FoundVariant::Stored(_, variant) => Some(&variant.id),
            FoundVariant::Listed(_, variant) => Some(&variant.id),
        }
    }

    fn locate(&self, id: Option<&str>, sku: Option<&str>) -> Option<FoundVariant<'_>> {
        match id {
            Some(id) => {
                self.with_id(id).or_else(|| self.with_sku(sku?).filter(|found| Some(found.id()) == sku))
            }
            None => self.with_sku(sku?).or_else(|| self.with_id(sku?)),
        }
    }

    fn with_id(&self, id: &str) -> Option<FoundVariant<'_>> {
        self.find_stored(self.by_id.get(id)).or_else(|| self.unless_stored(self.listed.with_id(id)))
    }

    fn with_sku(&self, sku: &str) -> Option<FoundVariant<'_>> {
        self.find_stored(self.by_sku.get(sku)).or_else(|| self.unless_stored(self.listed.with_sku(sku)))
    }

    fn find_stored(&self, slot: Option<&usize>) -> Option<FoundVariant<'_>> {
        let slot = *slot?;
        self.slots.get(slot)?.as_ref().map(|variant| FoundVariant::Stored(slot, variant))
    }

    /// The listed variant, unless one in a slot has its key: search shows that one alone.
    fn unless_stored<'v>(&self, listed: Option<(usize, &'v ListedVariant)>) -> Option<FoundVariant<'v>> {
        let (position, listed) = listed?;
        let is_stored = self.by_id.contains_key(&listed.id) || self.by_sku.contains_key(&listed.id);
        (!is_stored).then_some(FoundVariant::Listed(self.first_listed + position, listed))
    }

    /// Applies a change; `None` when its body is no object.
    pub fn apply(&mut self, action: VariantAction, body: &[u8]) -> Option<VariantEffect> {
        self.apply_parts(action, body).map(|applied| applied.effect)
    }

    /// The same, with the parts of the change that had no effect.
    pub(super) fn apply_parts(&mut self, action: VariantAction, body: &[u8]) -> Option<AppliedVariant> {
        let patch = VariantPatch::from_body(object(body)?);
        // What is set is set on the very variant that was found for the row.
        let sku = patch.sku.as_deref().filter(|_| action != VariantAction::Set);
        let found = self.locate(patch.id.as_deref(), sku);
        match (action, found) {
            (VariantAction::Delete, Some(FoundVariant::Stored(slot, _))) => {
                self.take(slot);
                Some(AppliedVariant::from_effect(VariantEffect::Applied))
            }
            (VariantAction::Delete, _) | (VariantAction::Set, None) => {
                Some(AppliedVariant::from_effect(VariantEffect::Unknown))
            }
            (VariantAction::Set | VariantAction::Upsert, Some(FoundVariant::Stored(slot, variant))) => {
                let sku = self.sku_after(&variant.id, variant.sku.as_deref(), &patch);
                Some(self.set(slot, &patch, sku))
            }
            (VariantAction::Set | VariantAction::Upsert, Some(FoundVariant::Listed(slot, listed))) => {
                let sku = listed.sku.as_deref().filter(|sku| !self.by_sku.contains_key(*sku));
                let added = StoredVariant::new(&listed.id, sku, listed.title.as_deref());
                let sku = self.sku_after(&listed.id, sku, &patch);
                Some(self.add(Some(slot), added, &patch, sku))
            }
            (VariantAction::Upsert, None) => {
                let id = patch.id.as_deref().or(patch.sku.as_deref())?;
                let sku = self.sku_after(id, None, &patch);
                Some(self.add(None, StoredVariant::new(id, None, None), &patch, sku))
            }
        }
    }

    /// The SKU of a variant after a patch: the present one, unless the patch has another that is free.
    fn sku_after(&self, id: &str, present: Option<&str>, patch: &VariantPatch<'_>) -> SkuAfter {
        let present = present.map(str::to_owned);
        let Some(named) = patch.sku.as_deref() else {
            let is_unused = present.is_none();
            let kept = present.filter(|_| !patch.clears_sku);
            return SkuAfter { kept, is_taken: false, is_unused };
        };
        let holder = self.with_sku(named);
        if holder.is_some_and(|holder| holder.id() != id) {
            return SkuAfter { kept: present, is_taken: true, is_unused: true };
        }
        // As in rows: the SKU of the product is no variant's own.
        let is_products = self.product.iter().any(|own| own.as_deref() == Some(named));
        let kept = (!is_products || id == named).then(|| named.to_owned());
        // Without an id, the SKU names the variant.
        let is_unused = kept == present && patch.id.is_some();
        SkuAfter { kept, is_taken: false, is_unused }
    }

    /// Sets what a patch names on the variant in a slot.
    fn set(&mut self, slot: usize, patch: &VariantPatch<'_>, sku: SkuAfter) -> AppliedVariant {
        let Some(mut variant) = self.take(slot) else {
            return AppliedVariant::from_effect(VariantEffect::Unknown);
        };
        let before = self.list_bytes + variant.bytes() + ",".len();
        let after = self.list_bytes + variant.bytes_after(patch, sku.kept.as_deref()) + ",".len();
        let has_room = after <= before || self.has_room(after);
        let left_out = has_room.then(|| variant.apply(patch, sku.kept.as_deref()));
        self.replace(slot, variant);
        sku.to_applied(left_out)
    }

    /// Adds a variant with what a patch names, in an empty slot or at the end.
    fn add(
        &mut self,
        slot: Option<usize>,
        mut variant: StoredVariant,
        patch: &VariantPatch<'_>,
        sku: SkuAfter,
    ) -> AppliedVariant {
        let after = self.list_bytes + variant.bytes_after(patch, sku.kept.as_deref()) + ",".len();
        let has_room = self.by_id.len() < limits::VARIANTS && self.has_room(after);
        if !has_room {
            return sku.to_applied(None);
        }
        let left_out = variant.apply(patch, sku.kept.as_deref());
        match slot {
            Some(slot) => self.replace(slot, variant),
            None => self.push(variant),
        }
        sku.to_applied(Some(left_out))
    }

    /// Returns true if there is room for variants of so many bytes with their commas.
    const fn has_room(&self, list_bytes: usize) -> bool {
        self.row_bytes_with(list_bytes) <= limits::SNAPSHOT_ROW_BYTES
    }

    /// Takes a variant out of its slot.
    fn take(&mut self, slot: usize) -> Option<StoredVariant> {
        let taken = self.slots.get_mut(slot)?.take()?;
        self.list_bytes -= taken.bytes() + ",".len();
        self.by_id.remove(&taken.id);
        taken.sku.as_ref().map(|sku| self.by_sku.remove(sku));
        Some(taken)
    }

    fn push(&mut self, variant: StoredVariant) {
        self.slots.push(None);
        self.replace(self.slots.len() - 1, variant);
    }

    /// Puts a variant in an empty slot.
    fn replace(&mut self, slot: usize, variant: StoredVariant) {
        self.list_bytes += variant.bytes() + ",".len();
        self.by_id.insert(variant.id.clone(), slot);
        if let Some(sku) = &variant.sku {
            self.by_sku.insert(sku.clone(), slot);
        }
        self.slots[slot] = Some(variant);
    }

    /// The row with these variants in place of its own.
    fn write_into(&self, row: &[u8]) -> Option<Vec<u8>> {
        let row = object(row)?;
        let place_of = |name: &str| PRODUCT_SHAPE.position(name);
        let own_place = place_of(FIELD);
        let mut out = Vec::with_capacity(self.row_bytes());
        let mut is_written = false;
        out.push(b'{');
        for (name, value) in row.entries().filter(|(name, _)| *name != FIELD) {
            if !is_written && place_of(name) > own_place {
                self.write_list(&mut out);
                is_written = true;
            }
            key(name, &mut out);
            out.extend_from_slice(value.as_sent().as_bytes());
        }
        if !is_written {
            self.write_list(&mut out);
        }
        out.push(b'}');
        Some(out)
    }

    fn write_list(&self, out: &mut Vec<u8>) {
        let mut variants = self.slots.iter().flatten();
        let Some(first) = variants.next() else { return };
        key(FIELD, out);
        out.push(b'[');
        first.write(out);
        for variant in variants {
            out.push(b',');
            variant.write(out);
        }
        out.push(b']');
    }
}

/// The SKU that a variant has after a change.
struct SkuAfter {
    kept: Option<String>,
    /// Another variant has the one that the change names.
    is_taken: bool,
    /// The one that the change names changes nothing.
    is_unused: bool,
}

impl SkuAfter {
    /// Effect of the change with this SKU; `left_out` are the attributes without room, `None` if there is no room for
    /// the variant.
    fn to_applied(&self, left_out: Option<Vec<String>>) -> AppliedVariant {
        let effect = match &left_out {
            None => VariantEffect::NoRoom,
            Some(_) if self.is_taken => VariantEffect::SkuTaken,
            Some(left_out) if !left_out.is_empty() => VariantEffect::AttributesFull,
            Some(_) => VariantEffect::Applied,
        };
        let attributes = left_out.unwrap_or_default();
        AppliedVariant { effect, unused: UnusedParts { sku: self.is_unused, attributes } }
    }
}

/// An object that this program wrote.
fn object(json: &[u8]) -> Option<JsonValue<'_>> {
    let json = std::str::from_utf8(json).ok().map(JsonValue::from_trusted)?;
    json.is_object().then_some(json)
}
