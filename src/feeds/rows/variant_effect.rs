//! Changes of single variants: their actions and their effects.

/// Action of a change on a variant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum VariantAction {
    /// Sets fields of the variant, which is added at the end if there is none.
    Upsert,
    /// Sets fields of the variant if there is one.
    Set,
    /// Removes it.
    Delete,
}

/// Effect of a change on a variant, and the parts of the change that had none.
#[derive(PartialEq, Eq, Debug)]
pub(super) struct AppliedVariant {
    pub(super) effect: VariantEffect,
    pub(super) unused: UnusedParts,
}

/// Parts of a change that had no effect.
#[derive(Default, PartialEq, Eq, Debug)]
pub(super) struct UnusedParts {
    /// The SKU: the variant has it, or it is no variant's own, or another has it.
    pub(super) sku: bool,
    /// Names of attributes for which the variant had no room.
    pub(super) attributes: Vec<String>,
}

impl AppliedVariant {
    pub(super) fn from_effect(effect: VariantEffect) -> Self {
        Self { effect, unused: UnusedParts::default() }
    }
}

/// Effect of a change on a variant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum VariantEffect {
    /// It was applied.
    Applied,
    /// It was applied without its SKU, which another variant of the product has.
    SkuTaken,
    /// It was applied without some of its attributes, for which the variant has no room.
    AttributesFull,
    /// The product has no such variant: nothing was changed.
    Unknown,
    /// The product is not shown: the change is for a row that a feed may bring.
    ProductUnknown,
    /// The product has no room for it: nothing was changed.
    NoRoom,
}
