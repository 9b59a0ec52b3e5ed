//! The fields of `Products`.

use super::kind::{FieldType, TextRole};
use super::spec::{AllowedDocuments, FieldRequirement, FieldSpec, RowSchema, UnknownFieldPolicy};
use super::variants::VARIANTS_FIELD;
use crate::feeds::issue::IssueCode;
use crate::feeds::section::FeedPart;

/// Rows of `Products`.
pub static PRODUCTS: RowSchema = RowSchema {
    part: FeedPart::PRODUCTS,
    also: &[],
    mistaken: &["items", "articles", "updateproducts", "addproducts", "setproducts", "produkte"],
    stands_in: AllowedDocuments::Both,
    meaning: "A product. In a feed the section is the whole catalogue: products that are not in it are gone. \
              In a delta a row replaces the product of its id whole. Variants are no rows of their own: their \
              product lists them in Variants; or, where they have ids and titles alone, in AssociatedIds, \
              AssociatedSkus and AssociatedTitles, side by side.",
    fields: FIELDS,
    others: UnknownFieldPolicy::Attributes,
    example: r#"{"Id":"chair-1","Title":"Oak chair","Link":"https://shop.example/chair-1","Prices":["12.50 GBP"]}"#,
};

const FIELDS: &[FieldSpec] = &[
    FieldSpec::new("Id", FieldType::Id, r#""chair-1""#, "The shop's id of the product. Without it, Sku is the id.")
        .holds(TextRole::Key)
        .need(FieldRequirement::OneOf)
        .mistaken(&["productid", "itemid", "articleid", "entityid"]),
    FieldSpec::new("Sku", FieldType::Id, r#""CH-OAK""#, "The article number; the product is found by it too.")
        .holds(TextRole::Key)
        .need(FieldRequirement::OneOf)
        .mistaken(&["productsku", "skucode"]),
    FieldSpec::new("Title", FieldType::Text, r#""Oak chair""#, "What the product is called.")
        .holds(TextRole::Prose)
        .need(FieldRequirement::Wanted(IssueCode::TitleMissing))
        .mistaken(&["name", "productname", "displayname", "producttitle", "producttitel", "label"]),
    FieldSpec::new("Description", FieldType::Text, r#""Oiled oak, woven seat""#, "The text of its page.")
        .holds(TextRole::Prose)
        .need(FieldRequirement::Wanted(IssueCode::DescriptionMissing))
        .mistaken(&["desc", "longdescription", "shortdescription", "productdescription", "beschreibung"]),
    FieldSpec::new("Link", FieldType::Text, r#""https://shop.example/chair-1""#, "The address of its page.")
        .holds(TextRole::Url)
        .need(FieldRequirement::Wanted(IssueCode::LinkMissing))
        .mistaken(&["url", "uri", "href", "permalink", "producturl", "productlink", "weblink", "deeplink"]),
    FieldSpec::new("Image", FieldType::Text, r#""https://shop.example/chair-1.jpg""#, "The address of its picture.")
        .holds(TextRole::Url)
        .need(FieldRequirement::Wanted(IssueCode::ImageMissing))
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
        "ImageOverlay",
        FieldType::Text,
        r#""https://shop.example/new.png""#,
        "The address of a picture that is laid over the first.",
    )
    .holds(TextRole::Url),
    FieldSpec::new(
        "AllImages",
        FieldType::List,
        r#"["https://shop.example/chair-1.jpg"]"#,
        "The addresses of all its pictures.",
    )
    .holds(TextRole::Url)
    .mistaken(&["images", "imageurls", "additionalimages", "additionalimagelink", "pictures", "gallery"]),
    FieldSpec::new("Brand", FieldType::Text, r#""oakworks""#, "The id of its brand, as in Brands.")
        .holds(TextRole::Key)
        .mistaken(&["brandid", "brandname"]),
    FieldSpec::new(
        "Categories",
        FieldType::List,
        r#"["chairs"]"#,
        "Ids of its categories, as in Categories; not their names.",
    )
    .holds(TextRole::Key)
    .mistaken(&["category", "categoryid", "categoryids", "kategorien"]),
    FieldSpec::new(
        "MagentoCategories",
        FieldType::List,
        r#"["Chairs"]"#,
        "Names of its categories, as Magento sends them.",
    )
    .holds(TextRole::Key),
    FieldSpec::new("MagentoProductType", FieldType::Text, r#""configurable""#, "The type of product in Magento."),
    FieldSpec::new("ProductType", FieldType::Text, r#""variable""#, "The type of product in the shop's system."),
    FieldSpec::new("Visibility", FieldType::Text, r#""4""#, "Where the shop's system shows it."),
    FieldSpec::new("InStock", FieldType::Flag, "true", "Whether it can be bought now.").mistaken(&[
        "isinstock",
        "available",
        "isavailable",
        "availability",
        "stockstatus",
    ]),
    FieldSpec::new("StockQty", FieldType::Number, "12", "How many are in stock; fractions are fine. Without InStock, 0 or less cannot be bought.").mistaken(&[
        "qty",
        "quantity",
        "stock",
        "stockquantity",
        "stocklevel",
        "inventory",
    ]),
    FieldSpec::new(
        "Prices",
        FieldType::Prices,
        r#"["12.50 GBP"]"#,
        "What it costs; the lowest and the highest price of its variants.",
    )
    .holds(TextRole::Key)
    .need(FieldRequirement::Wanted(IssueCode::PriceMissing))
    .mistaken(&["price", "regularprice", "listprice", "unitprice", "baseprice", "preis"]),
    FieldSpec::new("SalePrices", FieldType::Prices, r#"["9.99 GBP"]"#, "What it costs while it is on offer; a price that is not lower than the lowest of Prices does not count.")
        .holds(TextRole::Key)
        .mistaken(&["saleprice", "specialprice", "specialprices", "offerprice", "discountprice"]),
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
    FieldSpec::new(
        "SalePriceStartDate",
        FieldType::Date,
        r#""2026-02-01T00:00:00+00:00""#,
        "When the sale prices begin; with a date that cannot be read they do not count.",
    ),
    FieldSpec::new("SalePriceEndDate", FieldType::Date, r#""2026-02-28T23:59:59+00:00""#, "When the sale prices end, likewise."),
    FieldSpec::new("StartDate", FieldType::Date, r#""2026-02-01""#, "The first day on which it is shown; with a date that cannot be read it is not shown."),
    FieldSpec::new("EndDate", FieldType::Date, r#""2026-12-31""#, "The last day on which it is shown, likewise."),
    FieldSpec::new(
        "SearchTags",
        FieldType::Tags,
        r#"["seat","kitchen"]"#,
        "Words by which it is found besides its text.",
    )
    .holds(TextRole::Prose)
    .mistaken(&["tags", "keywords", "searchterms", "searchkeywords", "searchwords"]),
    FieldSpec::new("AssociatedIds", FieldType::AlignedList, r#"["11","12"]"#, "Ids of its variants.")
        .holds(TextRole::Key)
        .mistaken(&["variantids", "variationids", "childids", "childrenids"]),
    FieldSpec::new(
        "AssociatedSkus",
        FieldType::AlignedList,
        r#"["CH-OAK-S","CH-OAK-L"]"#,
        "Article numbers of its variants, in the order of AssociatedIds.",
    )
    .holds(TextRole::Key)
    .mistaken(&["children", "variantskus", "variationskus", "childskus"]),
    FieldSpec::new(
        "AssociatedTitles",
        FieldType::AlignedList,
        r#"["Oak chair, small","Oak chair, large"]"#,
        "What its variants are called, in the same order.",
    )
    .mistaken(&["varianttitles", "variantnames", "childtitles"]),
    FieldSpec::new(
        VARIANTS_FIELD,
        FieldType::Variants,
        r#"[{"Id":"chair-1-s","Options":{"Size":"S"},"Prices":["12.50 GBP"],"StockQty":3}]"#,
        "Its variants, in the shop's order; what a variant leaves out is the product's.",
    )
    .holds(TextRole::Key)
    .mistaken(&[
        "variations",
        "variantlist",
        "variationlist",
        "productvariants",
        "productvariations",
        "childproducts",
    ]),
    FieldSpec::new(
        "Swatches",
        FieldType::Swatches,
        r##"{"Colour":{"Oak":"#b8860b","Floral":"https://shop.example/floral.png"}}"##,
        "The colour or the picture of an option's value.",
    )
    .mistaken(&["swatch", "colourswatches", "colorswatches"]),
    FieldSpec::new("NewArrival", FieldType::Flag, "true", "Whether it is new.").mistaken(&["isnew", "newproduct"]),
    FieldSpec::new("OnOffer", FieldType::Flag, "false", "Whether it is on offer.").mistaken(&[
        "onsale",
        "isonsale",
        "isonoffer",
    ]),
    FieldSpec::new("ExcludeFromSearch", FieldType::Flag, "false", "Whether search leaves it out."),
    FieldSpec::new("ExcludeFromProductListing", FieldType::Flag, "false", "Whether category pages leave it out."),
    FieldSpec::new("ExcludeFromRecommenders", FieldType::Flag, "false", "Whether recommendations leave it out."),
    FieldSpec::new("AccountInclusions", FieldType::Accounts, r#"["A-17"]"#, "The only accounts that see it."),
    FieldSpec::new("AccountExclusions", FieldType::Accounts, r#"["A-18"]"#, "Accounts that do not see it."),
    FieldSpec::new(
        "NoDefaultPriceForAccounts",
        FieldType::Flag,
        "false",
        "Whether accounts without a price of their own see none.",
    ),
    FieldSpec::new("PromoMessage", FieldType::Text, r#""Two for one""#, "A line of advertising beside it.")
        .holds(TextRole::Prose),
    FieldSpec::new(
        "jsonconfig",
        FieldType::Embedded,
        r#""{\"attributes\":{}}""#,
        "Magento's settings of its variants. Of them the options are read: the labels of attributes and of their values; prices, pictures and stock are read of Variants.",
    ),
    FieldSpec::new(
        "swatchrenderjson",
        FieldType::Embedded,
        r#""{\"swatches\":{}}""#,
        "Magento's colours of its variants, for the plugin's own script; cards and filters use Swatches.",
    ),
    FieldSpec::new("_index", FieldType::Ignored, "0", "A counter that one client adds."),
    FieldSpec::new(
        "Attributes",
        FieldType::Attributes,
        r#"{"Colour":"oak","Seat height":45}"#,
        "The product's own attributes. They may also stand beside the other fields of the row.",
    ),
];

/// The fields of an entry of `GroupPrices` and of `AccountPrices` in a product.
pub const PRICE_PAIR: [FieldSpec; 2] = [
    FieldSpec::new("Prices", FieldType::Prices, r#"["11.00 GBP"]"#, "What it costs them."),
    FieldSpec::new(
        "SalePrices",
        FieldType::Prices,
        r#"["9.00 GBP"]"#,
        "What it costs them while it is on offer.",
    ),
];
