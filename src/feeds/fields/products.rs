//! The fields of `Products`.

use super::{Field, Holds, Kind, Need, Others, Rows, StandsIn};
use crate::feeds::issue::IssueCode;
use crate::feeds::section::Part;

/// Rows of `Products`.
pub static PRODUCTS: Rows = Rows {
    part: Part::PRODUCTS,
    also: &[],
    mistaken: &["items", "articles", "updateproducts", "addproducts", "setproducts", "produkte"],
    stands_in: StandsIn::Both,
    meaning: "A product. In a feed the section is the whole catalogue: products that are not in it are gone. \
              In a delta a row replaces the product of its id whole. Variants are no rows of their own: their \
              product lists them in AssociatedIds, AssociatedSkus and AssociatedTitles, side by side.",
    fields: FIELDS,
    others: Others::Attributes,
    example: r#"{"Id":"chair-1","Title":"Oak chair","Link":"https://shop.example/chair-1","Prices":["12.50 GBP"]}"#,
};

const FIELDS: &[Field] = &[
    Field::new("Id", Kind::Id, r#""chair-1""#, "The shop's id of the product. Without it, Sku is the id.")
        .holds(Holds::Key)
        .need(Need::OneOf)
        .mistaken(&["productid", "itemid", "articleid", "entityid"]),
    Field::new("Sku", Kind::Id, r#""CH-OAK""#, "The article number; the product is found by it too.")
        .holds(Holds::Key)
        .need(Need::OneOf)
        .mistaken(&["productsku", "skucode"]),
    Field::new("Title", Kind::Text, r#""Oak chair""#, "What the product is called.")
        .holds(Holds::Prose)
        .need(Need::Wanted(IssueCode::TitleMissing))
        .mistaken(&["name", "productname", "displayname", "producttitle", "producttitel", "label"]),
    Field::new("Description", Kind::Text, r#""Oiled oak, woven seat""#, "The text of its page.")
        .holds(Holds::Prose)
        .need(Need::Wanted(IssueCode::DescriptionMissing))
        .mistaken(&["desc", "longdescription", "shortdescription", "productdescription", "beschreibung"]),
    Field::new("Link", Kind::Text, r#""https://shop.example/chair-1""#, "The address of its page.")
        .holds(Holds::Url)
        .need(Need::Wanted(IssueCode::LinkMissing))
        .mistaken(&["url", "uri", "href", "permalink", "producturl", "productlink", "weblink", "deeplink"]),
    Field::new("Image", Kind::Text, r#""https://shop.example/chair-1.jpg""#, "The address of its picture.")
        .holds(Holds::Url)
        .need(Need::Wanted(IssueCode::ImageMissing))
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
    Field::new(
        "ImageOverlay",
        Kind::Text,
        r#""https://shop.example/new.png""#,
        "The address of a picture that is laid over the first.",
    )
    .holds(Holds::Url),
    Field::new(
        "AllImages",
        Kind::List,
        r#"["https://shop.example/chair-1.jpg"]"#,
        "The addresses of all its pictures.",
    )
    .holds(Holds::Url)
    .mistaken(&["images", "imageurls", "additionalimages", "additionalimagelink", "pictures", "gallery"]),
    Field::new("Brand", Kind::Text, r#""oakworks""#, "The id of its brand, as in Brands.")
        .holds(Holds::Key)
        .mistaken(&["brandid", "brandname"]),
    Field::new(
        "Categories",
        Kind::List,
        r#"["chairs"]"#,
        "Ids of its categories, as in Categories; not their names.",
    )
    .holds(Holds::Key)
    .mistaken(&["category", "categoryid", "categoryids", "kategorien"]),
    Field::new(
        "MagentoCategories",
        Kind::List,
        r#"["Chairs"]"#,
        "Names of its categories, as Magento sends them.",
    )
    .holds(Holds::Key),
    Field::new("MagentoProductType", Kind::Text, r#""configurable""#, "The type of product in Magento."),
    Field::new("ProductType", Kind::Text, r#""variable""#, "The type of product in the shop's system."),
    Field::new("Visibility", Kind::Text, r#""4""#, "Where the shop's system shows it."),
    Field::new("InStock", Kind::Flag, "true", "Whether it can be bought now.").mistaken(&[
        "isinstock",
        "available",
        "isavailable",
        "availability",
        "stockstatus",
    ]),
    Field::new("StockQty", Kind::Number, "12", "How many are in stock; fractions are fine. Without InStock, 0 or less cannot be bought.").mistaken(&[
        "qty",
        "quantity",
        "stock",
        "stockquantity",
        "stocklevel",
        "inventory",
    ]),
    Field::new(
        "Prices",
        Kind::Prices,
        r#"["12.50 GBP"]"#,
        "What it costs; the lowest and the highest price of its variants.",
    )
    .holds(Holds::Key)
    .need(Need::Wanted(IssueCode::PriceMissing))
    .mistaken(&["price", "regularprice", "listprice", "unitprice", "baseprice", "preis"]),
    Field::new("SalePrices", Kind::Prices, r#"["9.99 GBP"]"#, "What it costs while it is on offer; a price that is not lower than the lowest of Prices does not count.")
        .holds(Holds::Key)
        .mistaken(&["saleprice", "specialprice", "specialprices", "offerprice", "discountprice"]),
    Field::new(
        "GroupPrices",
        Kind::GroupPrices,
        r#"{"trade":{"Prices":["11.00 GBP"]}}"#,
        "Prices of customer groups, by the group's id or name.",
    )
    .holds(Holds::Key),
    Field::new(
        "AccountPrices",
        Kind::AccountPrices,
        r#"{"A-17":{"Prices":["10.00 GBP"]}}"#,
        "Prices agreed with accounts, by the account's id.",
    )
    .holds(Holds::Key),
    Field::new(
        "SalePriceStartDate",
        Kind::Date,
        r#""2026-02-01T00:00:00+00:00""#,
        "When the sale prices begin; with a date that cannot be read they do not count.",
    ),
    Field::new("SalePriceEndDate", Kind::Date, r#""2026-02-28T23:59:59+00:00""#, "When the sale prices end, likewise."),
    Field::new("StartDate", Kind::Date, r#""2026-02-01""#, "The first day on which it is shown; with a date that cannot be read it is not shown."),
    Field::new("EndDate", Kind::Date, r#""2026-12-31""#, "The last day on which it is shown, likewise."),
    Field::new(
        "SearchTags",
        Kind::Tags,
        r#"["seat","kitchen"]"#,
        "Words by which it is found besides its text.",
    )
    .holds(Holds::Prose)
    .mistaken(&["tags", "keywords", "searchterms", "searchkeywords", "searchwords"]),
    Field::new("AssociatedIds", Kind::AlignedList, r#"["11","12"]"#, "Ids of its variants.")
        .holds(Holds::Key)
        .mistaken(&["variantids", "variationids", "childids", "childrenids"]),
    Field::new(
        "AssociatedSkus",
        Kind::AlignedList,
        r#"["CH-OAK-S","CH-OAK-L"]"#,
        "Article numbers of its variants, in the order of AssociatedIds.",
    )
    .holds(Holds::Key)
    .mistaken(&["variants", "variations", "children", "variantskus", "variationskus", "childskus"]),
    Field::new(
        "AssociatedTitles",
        Kind::AlignedList,
        r#"["Oak chair, small","Oak chair, large"]"#,
        "What its variants are called, in the same order.",
    )
    .mistaken(&["varianttitles", "variantnames", "childtitles"]),
    Field::new("NewArrival", Kind::Flag, "true", "Whether it is new.").mistaken(&["isnew", "newproduct"]),
    Field::new("OnOffer", Kind::Flag, "false", "Whether it is on offer.").mistaken(&[
        "onsale",
        "isonsale",
        "isonoffer",
    ]),
    Field::new("ExcludeFromSearch", Kind::Flag, "false", "Whether search leaves it out."),
    Field::new("ExcludeFromProductListing", Kind::Flag, "false", "Whether category pages leave it out."),
    Field::new("ExcludeFromRecommenders", Kind::Flag, "false", "Whether recommendations leave it out."),
    Field::new("AccountInclusions", Kind::Accounts, r#"["A-17"]"#, "The only accounts that see it."),
    Field::new("AccountExclusions", Kind::Accounts, r#"["A-18"]"#, "Accounts that do not see it."),
    Field::new(
        "NoDefaultPriceForAccounts",
        Kind::Flag,
        "false",
        "Whether accounts without a price of their own see none.",
    ),
    Field::new("PromoMessage", Kind::Text, r#""Two for one""#, "A line of advertising beside it.")
        .holds(Holds::Prose),
    Field::new(
        "jsonconfig",
        Kind::Embedded,
        r#""{\"attributes\":{}}""#,
        "Magento's settings of its variants.",
    ),
    Field::new(
        "swatchrenderjson",
        Kind::Embedded,
        r#""{\"swatches\":{}}""#,
        "Magento's colours of its variants.",
    ),
    Field::new("_index", Kind::Ignored, "0", "A counter that one client adds."),
    Field::new(
        "Attributes",
        Kind::Attributes,
        r#"{"Colour":"oak","Seat height":45}"#,
        "The product's own attributes. They may also stand beside the other fields of the row.",
    ),
];

/// The fields of an entry of `GroupPrices` and of `AccountPrices` in a product.
pub const PRICE_PAIR: [Field; 2] = [
    Field::new("Prices", Kind::Prices, r#"["11.00 GBP"]"#, "What it costs them."),
    Field::new("SalePrices", Kind::Prices, r#"["9.00 GBP"]"#, "What it costs them while it is on offer."),
];
