//! The fields of a variant, which a product lists and a delta changes.

use super::kind::{FieldType, TextRole};
use super::spec::{FieldRequirement, FieldSpec};

/// The field of a product that lists its variants.
pub const VARIANTS_FIELD: &str = "Variants";

/// The fields of an entry of `Variants`, in the order of the normal form. What a variant leaves out is its product's.
pub const VARIANT: &[FieldSpec] = &FIELDS;

/// The product of a row about a variant.
pub(super) const PRODUCT: FieldSpec = FieldSpec::new(
    "ProductId",
    FieldType::Id,
    r#""chair-1""#,
    "The Id or SKU of the product; without it, the product that has the variant.",
)
.also(&["Product", "ParentId"])
.holds(TextRole::Key)
.mistaken(&["productsku", "parentsku", "itemid", "articleid", "parent"]);

/// The fields of a row that changes a variant.
pub(super) const CHANGED_VARIANT: [FieldSpec; FIELDS.len() + 1] = {
    let mut fields = [PRODUCT; FIELDS.len() + 1];
    let mut position = 0;
    while position < FIELDS.len() {
        fields[position + 1] = FIELDS[position];
        position += 1;
    }
    fields
};

/// The fields of a row that removes one.
pub(super) const DELETED_VARIANT: [FieldSpec; 3] = [PRODUCT, FIELDS[0], FIELDS[1]];

const FIELDS: [FieldSpec; 16] = [
    FieldSpec::new(
        "Id",
        FieldType::Id,
        r#""chair-1-s""#,
        "The shop's id of the variant. Without it, Sku is the id.",
    )
    .holds(TextRole::Key)
    .need(FieldRequirement::OneOf)
    .mistaken(&["variantid", "variationid", "childid"]),
    FieldSpec::new(
        "Sku",
        FieldType::Id,
        r#""CH-OAK-S""#,
        "The article number; the product is found by it too.",
    )
    .holds(TextRole::Key)
    .need(FieldRequirement::OneOf)
    .mistaken(&["variantsku", "variationsku", "skucode"]),
    FieldSpec::new(
        "Gtin",
        FieldType::Id,
        r#""4006381333931""#,
        "The identifier in its barcode: GTIN, EAN, UPC or ISBN; spaces and dashes are fine.",
    )
    .also(&["Ean", "Upc", "Isbn", "Barcode"])
    .holds(TextRole::Key)
    .mistaken(&["gtin8", "gtin12", "gtin13", "gtin14", "ean13", "isbn10", "isbn13", "eancode", "barcodes"]),
    FieldSpec::new("Title", FieldType::Text, r#""Oak chair, small""#, "What the variant is called.")
        .holds(TextRole::Prose)
        .mistaken(&["name", "displayname", "varianttitle", "variantname", "label"]),
    FieldSpec::new(
        "Options",
        FieldType::Options,
        r#"{"Colour":"oak","Size":"S"}"#,
        "What a shopper chooses by: the variant's value of each option.",
    )
    .mistaken(&["option", "selectedoptions", "variantoptions", "optionvalues"]),
    FieldSpec::new("Prices", FieldType::Prices, r#"["12.50 GBP"]"#, "What it costs.")
        .holds(TextRole::Key)
        .mistaken(&["price", "regularprice", "listprice", "unitprice", "baseprice", "preis"]),
    FieldSpec::new(
        "SalePrices",
        FieldType::Prices,
        r#"["9.99 GBP"]"#,
        "What it costs while it is on offer; an empty list is no offer, though its product has one.",
    )
    .holds(TextRole::Key)
    .mistaken(&["saleprice", "specialprice", "specialprices", "offerprice", "discountprice"]),
    FieldSpec::new(
        "SalePriceStartDate",
        FieldType::Date,
        r#""2026-02-01T00:00:00+00:00""#,
        "When the sale prices begin.",
    ),
    FieldSpec::new(
        "SalePriceEndDate",
        FieldType::Date,
        r#""2026-02-28T23:59:59+00:00""#,
        "When the sale prices end.",
    ),
    FieldSpec::new(
        "GroupPrices",
        FieldType::GroupPrices,
        r#"{"trade":{"Prices":["11.00 GBP"]}}"#,
        "Prices of customer groups, by the group's id or name.",
    )
    .holds(TextRole::Key),
    FieldSpec::new(
        "AccountPrices",
        FieldType::AccountPrices,
        r#"{"A-17":{"Prices":["10.00 GBP"]}}"#,
        "Prices agreed with accounts, by the account's id.",
    )
    .holds(TextRole::Key),
    FieldSpec::new("InStock", FieldType::Flag, "true", "Whether it can be bought now.").mistaken(&[
        "isinstock",
        "available",
        "isavailable",
        "availability",
        "stockstatus",
    ]),
    FieldSpec::new(
        "StockQty",
        FieldType::Number,
        "12",
        "How many are in stock. Without InStock, 0 or less cannot be bought.",
    )
    .mistaken(&[
        "qty",
        "quantity",
        "stock",
        "stockquantity",
        "stocklevel",
        "inventory",
        "inventoryquantity",
    ]),
    FieldSpec::new(
        "Image",
        FieldType::Text,
        r#""https://shop.example/chair-1-s.jpg""#,
        "The address of its picture.",
    )
    .holds(TextRole::Url)
    .mistaken(&[
        "imageurl",
        "imagelink",
        "mainimage",
        "picture",
        "pictureurl",
        "photo",
        "thumbnail",
        "img",
    ]),
    FieldSpec::new(
        "Link",
        FieldType::Text,
        r#""https://shop.example/chair-1?size=s""#,
        "The address of its page.",
    )
    .holds(TextRole::Url)
    .mistaken(&["url", "uri", "href", "permalink", "weblink", "deeplink"]),
    FieldSpec::new(
        "Attributes",
        FieldType::Attributes,
        r#"{"Material":"oak"}"#,
        "Attributes of its own. They may also stand beside the other fields of the variant.",
    ),
];

/// The fields of each object in the list of a field; none where its values are no such objects.
#[must_use]
pub const fn entry_fields(kind: FieldType) -> &'static [FieldSpec] {
    if matches!(kind, FieldType::Variants) { VARIANT } else { &[] }
}
