//! The sections that only a delta has.

use super::catalogue::{ACCOUNT_ID, PRODUCT_ID, PRODUCT_SKU};
use super::{Field, Holds, Kind, Need, Others, Rows, StandsIn};
use crate::feeds::section::Part;

/// Rows of `DeleteProducts`.
pub static DELETE_PRODUCTS: Rows = Rows {
    part: Part::DeleteProducts,
    also: &[],
    mistaken: &["removeproducts", "deletedproducts", "productdeletes", "deleteitems", "removeitems"],
    stands_in: StandsIn::Deltas,
    meaning: "Each row is the Id or the SKU of a product that goes, a text or a number.",
    fields: &[],
    others: Others::LeftOut,
    example: r#""chair-1""#,
};

/// Rows of `DeleteAccountPrices`.
pub static DELETE_ACCOUNT_PRICES: Rows = Rows {
    part: Part::DeleteAccountPrices,
    also: &[],
    mistaken: &["removeaccountprices", "deletedaccountprices"],
    stands_in: StandsIn::Deltas,
    meaning: "The price of one account for one product goes.",
    fields: &[ACCOUNT_ID, PRODUCT_ID, PRODUCT_SKU],
    others: Others::LeftOut,
    example: r#"{"AccountId":"A-17","Id":"chair-1"}"#,
};

/// Rows of `DeleteUsers`.
pub static DELETE_USERS: Rows = Rows {
    part: Part::DeleteUsers,
    also: &[],
    mistaken: &["removeusers", "deletedusers", "deletecustomers", "removecustomers"],
    stands_in: StandsIn::Deltas,
    meaning: "Each row is the user id of a profile that goes, a text or a number. Nobody is forgotten by it: for \
              that, ask POST /api/user/forget.",
    fields: &[],
    others: Others::LeftOut,
    example: r#""1041""#,
};

/// Rows of `SetCategoryOnProducts`.
pub static SET_CATEGORY_ON_PRODUCTS: Rows = Rows {
    part: Part::SetCategoryOnProducts,
    also: &[],
    mistaken: &["setcategoriesonproducts", "setcategory", "addcategorytoproducts", "addproductstocategory"],
    stands_in: StandsIn::Deltas,
    meaning: "Products join categories: CategoryId with ProductIds, Id (of the category) with ProductIds, or \
              CategoryId with Id or Sku (of the product). At most 10,000 pairs in a delta.",
    fields: MEMBERSHIP,
    others: Others::LeftOut,
    example: r#"{"CategoryId":"chairs","ProductIds":["chair-1","chair-2"]}"#,
};

/// Rows of `RemoveCategoryFromProducts`.
pub static REMOVE_CATEGORY_FROM_PRODUCTS: Rows = Rows {
    part: Part::RemoveCategoryFromProducts,
    also: &[],
    mistaken: &["removecategoriesfromproducts", "removecategory", "removeproductsfromcategory"],
    stands_in: StandsIn::Deltas,
    meaning: "Products leave categories, in the same shapes as in SetCategoryOnProducts.",
    fields: MEMBERSHIP,
    others: Others::LeftOut,
    example: r#"{"CategoryId":"chairs","ProductIds":["chair-1","chair-2"]}"#,
};

/// The fields of rows about categories of products: which, of which, and either by `Id` or `Sku`.
pub const MEMBERSHIP: &[Field; 4] = &[
    Field::new("CategoryId", Kind::List, r#""chairs""#, "The id of a category, or a list of ids.")
        .also(&["Category", "CategoryIds", "Categories"])
        .holds(Holds::Key)
        .need(Need::OneOf)
        .mistaken(&["catid", "categoryname"]),
    Field::new("ProductIds", Kind::List, r#"["chair-1"]"#, "Ids or SKUs of products, or one.")
        .also(&["Products", "Skus", "ProductId"])
        .holds(Holds::Key)
        .need(Need::OneOf)
        .mistaken(&["product", "items", "itemids", "productskus", "productsku"]),
    Field::new(
        "Id",
        Kind::List,
        r#""chair-1""#,
        "Beside CategoryId, of a product; beside ProductIds, of a category.",
    )
    .holds(Holds::Key)
    .need(Need::OneOf),
    Field::new("Sku", Kind::List, r#""CH-OAK""#, "The SKU of a product, where it has no Id here.")
        .holds(Holds::Key)
        .need(Need::OneOf),
];
