//! Uses that a mapping may give to a column, by their names.

use crate::formats::mapping::column_rule::ColumnUse;

/// Separator within a path of categories that names none.
pub(in crate::formats::mapping) const PATH_SEPARATOR: char = '>';
/// Separator between paths of categories, where none is named.
const PATHS_SEPARATOR: char = ',';

/// Uses by name.
pub(super) const USES: [(&str, ColumnUse); 26] = [
    ("Id", ColumnUse::Id),
    ("Sku", ColumnUse::Sku),
    ("Gtin", ColumnUse::Gtin),
    ("Group", ColumnUse::Group),
    ("Title", ColumnUse::Title),
    ("Description", ColumnUse::Description),
    ("Link", ColumnUse::Link),
    ("Image", ColumnUse::Image),
    ("MoreImages", ColumnUse::MoreImages),
    ("Brand", ColumnUse::Brand),
    ("CategoryPath", ColumnUse::CategoryPath(PATH_SEPARATOR)),
    ("CategoryPaths", ColumnUse::CategoryPaths(PATHS_SEPARATOR, PATH_SEPARATOR)),
    ("Tags", ColumnUse::Tags),
    ("Price", ColumnUse::Price),
    ("SalePrice", ColumnUse::SalePrice),
    ("Currency", ColumnUse::Currency),
    ("SaleStart", ColumnUse::SaleStart),
    ("SaleEnd", ColumnUse::SaleEnd),
    ("SaleDates", ColumnUse::SaleDates),
    ("Start", ColumnUse::Start),
    ("End", ColumnUse::End),
    ("Availability", ColumnUse::Availability),
    ("Quantity", ColumnUse::Quantity),
    ("Option", ColumnUse::Option),
    ("Attribute", ColumnUse::Attribute),
    ("LeftOut", ColumnUse::LeftOut),
];

/// A use that a mapping may give to a column.
pub struct NamedUse {
    /// Its name.
    pub name: &'static str,
    /// The use, with the usual separators.
    pub becomes: ColumnUse,
    /// True if only one column may have it.
    pub is_single: bool,
}

/// The uses that a mapping may give, in the order of the documentation.
pub fn list_uses() -> impl Iterator<Item = NamedUse> {
    USES.iter().map(|(name, becomes)| NamedUse { name, becomes: *becomes, is_single: is_single(*becomes) })
}

/// Returns true for a use of which only one column counts.
pub(in crate::formats::mapping) fn is_single(becomes: ColumnUse) -> bool {
    !matches!(
        becomes,
        ColumnUse::Image
            | ColumnUse::MoreImages
            | ColumnUse::CategoryPath(_)
            | ColumnUse::CategoryPaths(..)
            | ColumnUse::Tags
            | ColumnUse::Option
            | ColumnUse::Attribute
            | ColumnUse::LeftOut
    )
}

/// Name of a use, whatever its separators.
pub(super) fn name_of(becomes: ColumnUse) -> &'static str {
    let kind = std::mem::discriminant(&becomes);
    let found = USES.iter().find(|(_, known)| std::mem::discriminant(known) == kind);
    found.map_or("Attribute", |(name, _)| name)
}
