//! The sections that only a delta has.

use super::catalogue::{ACCOUNT_ID, PRODUCT_ID, PRODUCT_SKU};
use super::kind::{FieldType, TextRole};
use super::spec::{AllowedDocuments, FieldRequirement, FieldSpec, RowSchema, UnknownFieldPolicy};
use super::variants::{CHANGED_VARIANT, DELETED_VARIANT};
use crate::feeds::section::FeedPart;

/// Rows of `DeleteProducts`.
pub static DELETE_PRODUCTS: RowSchema = RowSchema {
    part: FeedPart::DeleteProducts,
    also: &[],
    mistaken: &["removeproducts", "deletedproducts", "productdeletes", "deleteitems", "removeitems"],
    stands_in: AllowedDocuments::Deltas,
    meaning: "Each row is the Id or the SKU of a product that goes, a text or a number.",
    fields: &[],
    others: UnknownFieldPolicy::LeftOut,
    example: r#""chair-1""#,
};

/// Rows of `DeleteAccountPrices`.
pub static DELETE_ACCOUNT_PRICES: RowSchema = RowSchema {
    part: FeedPart::DeleteAccountPrices,
    also: &[],
    mistaken: &["removeaccountprices", "deletedaccountprices"],
    stands_in: AllowedDocuments::Deltas,
    meaning: "The price of one account for one product or variant goes.",
    fields: &[ACCOUNT_ID, PRODUCT_ID, PRODUCT_SKU],
    others: UnknownFieldPolicy::LeftOut,
    example: r#"{"AccountId":"A-17","Id":"chair-1"}"#,
};

/// Rows of `DeleteUsers`.
pub static DELETE_USERS: RowSchema = RowSchema {
    part: FeedPart::DeleteUsers,
    also: &[],
    mistaken: &["removeusers", "deletedusers", "deletecustomers", "removecustomers"],
    stands_in: AllowedDocuments::Deltas,
    meaning: "Each row is the user id of a profile that goes, a text or a number. Nobody is forgotten by it: for \
              that, ask POST /api/user/forget.",
    fields: &[],
    others: UnknownFieldPolicy::LeftOut,
    example: r#""1041""#,
};

/// Rows of `SetCategoryOnProducts`.
pub static SET_CATEGORY_ON_PRODUCTS: RowSchema = RowSchema {
    part: FeedPart::SetCategoryOnProducts,
    also: &[],
    mistaken: &["setcategoriesonproducts", "setcategory", "addcategorytoproducts", "addproductstocategory"],
    stands_in: AllowedDocuments::Deltas,
    meaning: "Products join categories: CategoryId with ProductIds, Id (of the category) with ProductIds, or \
              CategoryId with Id or Sku (of the product). At most 10,000 pairs in a delta.",
    fields: MEMBERSHIP,
    others: UnknownFieldPolicy::LeftOut,
    example: r#"{"CategoryId":"chairs","ProductIds":["chair-1","chair-2"]}"#,
};

/// Rows of `RemoveCategoryFromProducts`.
pub static REMOVE_CATEGORY_FROM_PRODUCTS: RowSchema = RowSchema {
    part: FeedPart::RemoveCategoryFromProducts,
    also: &[],
    mistaken: &["removecategoriesfromproducts", "removecategory", "removeproductsfromcategory"],
    stands_in: AllowedDocuments::Deltas,
    meaning: "Products leave categories, in the same shapes as in SetCategoryOnProducts.",
    fields: MEMBERSHIP,
    others: UnknownFieldPolicy::LeftOut,
    example: r#"{"CategoryId":"chairs","ProductIds":["chair-1","chair-2"]}"#,
};

/// Rows of `SetVariants`.
pub static SET_VARIANTS: RowSchema = RowSchema {
    part: FeedPart::SetVariants,
    also: &[],
    mistaken: &[
        "setvariant",
        "updatevariants",
        "addvariants",
        "setvariations",
        "updatevariations",
        "variantupdates",
    ],
    stands_in: AllowedDocuments::Deltas,
    meaning: "A variant of a product, by its Id, or without one by its Sku, gets the fields that the row sets; the \
              others stay as they are. null, an empty text, list or object takes a field or an attribute away; an \
              empty list of Prices or SalePrices says that there are none. AccountPrices and GroupPrices replace \
              those of all accounts or groups; for the price of one account send AccountPrices as a section. An \
              unknown variant is added at the end. These rows are applied after all others of the delta. At most \
              10,000 with those of DeleteVariants.",
    fields: &CHANGED_VARIANT,
    others: UnknownFieldPolicy::Attributes,
    example: r#"{"ProductId":"chair-1","Id":"chair-1-s","StockQty":0}"#,
};

/// Rows of `DeleteVariants`.
pub static DELETE_VARIANTS: RowSchema = RowSchema {
    part: FeedPart::DeleteVariants,
    also: &[],
    mistaken: &["deletevariant", "removevariants", "deletevariations", "removevariations", "deletedvariants"],
    stands_in: AllowedDocuments::Deltas,
    meaning: "A variant of a product goes, by its Id, or without one by its Sku. These rows are applied after all others \
              of the delta but SetVariants.",
    fields: &DELETED_VARIANT,
    others: UnknownFieldPolicy::LeftOut,
    example: r#"{"ProductId":"chair-1","Id":"chair-1-s"}"#,
};

/// The fields of rows about categories of products: the categories by id, the products by `Id` or `Sku`.
pub const MEMBERSHIP: &[FieldSpec; 4] = &[
    FieldSpec::new("CategoryId", FieldType::List, r#""chairs""#, "The id of a category, or a list of ids.")
        .also(&["Category", "CategoryIds", "Categories"])
        .holds(TextRole::Key)
        .need(FieldRequirement::OneOf)
        .mistaken(&["catid", "categoryname"]),
    FieldSpec::new("ProductIds", FieldType::List, r#"["chair-1"]"#, "Ids or SKUs of products, or one.")
        .also(&["Products", "Skus", "ProductId"])
        .holds(TextRole::Key)
        .need(FieldRequirement::OneOf)
        .mistaken(&["product", "items", "itemids", "productskus", "productsku"]),
    FieldSpec::new(
        "Id",
        FieldType::List,
        r#""chair-1""#,
        "Beside CategoryId, of a product; beside ProductIds, of a category.",
    )
    .holds(TextRole::Key)
    .need(FieldRequirement::OneOf),
    FieldSpec::new("Sku", FieldType::List, r#""CH-OAK""#, "The SKU of a product, where it has no Id here.")
        .holds(TextRole::Key)
        .need(FieldRequirement::OneOf),
];
