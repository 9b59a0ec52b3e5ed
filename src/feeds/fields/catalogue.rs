//! The fields of `Categories`, `Brands` and `AccountPrices`.

use super::{Field, Holds, Kind, Need, Others, Rows, StandsIn};
use crate::feeds::issue::IssueCode;
use crate::feeds::section::Part;

/// Rows of `Categories`.
pub static CATEGORIES: Rows = Rows {
    part: Part::CATEGORIES,
    also: &[],
    mistaken: &["category", "kategorien", "kategorie"],
    stands_in: StandsIn::Feeds,
    meaning: "A category of products. The section replaces all categories.",
    fields: &[
        item_id("The shop's id of the category, as products name it in Categories.", r#""chairs""#)
            .mistaken(&["categoryid", "catid", "entityid"]),
        display_name("What the category is called.", r#""Chairs""#).mistaken(&[
            "name",
            "title",
            "categoryname",
            "label",
        ]),
        IMAGE,
        LINK,
        DESCRIPTION,
        Field::new(
            "ParentIds",
            Kind::List,
            r#"["furniture"]"#,
            "Ids of the categories that it is a part of.",
        )
        .holds(Holds::Key)
        .mistaken(&["parent", "parents", "parentcategory", "parentcategories", "parentcategoryid"]),
        EXCLUDE,
        IS_ACTIVE,
        OVERRIDE_IMAGE,
        Field::new(
            "Breadcrumb",
            Kind::Text,
            r#""Home / Furniture / Chairs""#,
            "The way to it, as the shop shows it.",
        )
        .holds(Holds::Prose),
        INDEX,
        ATTRIBUTES,
    ],
    others: Others::Attributes,
    example: r#"{"Id":"chairs","DisplayName":"Chairs","Link":"https://shop.example/chairs","ParentIds":["furniture"]}"#,
};

/// Rows of `Brands`.
pub static BRANDS: Rows =
    Rows {
        part: Part::BRANDS,
        also: &["Brand"],
        mistaken: &["manufacturers", "manufacturer", "marken"],
        stands_in: StandsIn::Feeds,
        meaning: "A brand of products. The section replaces all brands.",
        fields: &[
            item_id("The shop's id of the brand, as products name it in Brand.", r#""oakworks""#)
                .mistaken(&["brandid", "manufacturerid", "entityid"]),
            display_name("What the brand is called.", r#""Oakworks""#).mistaken(&[
                "name",
                "title",
                "brandname",
                "label",
            ]),
            IMAGE,
            LINK,
            DESCRIPTION,
            EXCLUDE,
            IS_ACTIVE,
            OVERRIDE_IMAGE,
            INDEX,
            ATTRIBUTES,
        ],
        others: Others::Attributes,
        example: r#"{"Id":"oakworks","DisplayName":"Oakworks","Link":"https://shop.example/oakworks"}"#,
    };

const fn item_id(meaning: &'static str, example: &'static str) -> Field {
    Field::new("Id", Kind::Id, example, meaning).holds(Holds::Key).need(Need::Required)
}

const fn display_name(meaning: &'static str, example: &'static str) -> Field {
    Field::new("DisplayName", Kind::Text, example, meaning)
        .holds(Holds::Prose)
        .need(Need::Wanted(IssueCode::TitleMissing))
}

const IMAGE: Field =
    Field::new("Image", Kind::Text, r#""https://shop.example/i.jpg""#, "The address of its picture.")
        .holds(Holds::Url)
        .mistaken(&["imageurl", "imagelink", "picture", "pictureurl", "photo", "thumbnail", "logo", "img"]);

const LINK: Field = Field::new("Link", Kind::Text, r#""https://shop.example/p""#, "The address of its page.")
    .holds(Holds::Url)
    .need(Need::Wanted(IssueCode::LinkMissing))
    .mistaken(&["url", "uri", "href", "permalink", "weblink", "deeplink"]);

const DESCRIPTION: Field = Field::new("Description", Kind::Text, r#""To sit on""#, "The text of its page.")
    .holds(Holds::Prose)
    .mistaken(&["desc", "longdescription", "shortdescription", "beschreibung"]);

const EXCLUDE: Field =
    Field::new("ExcludeFromRecommenders", Kind::Flag, "false", "Whether recommendations leave it out.");

const IS_ACTIVE: Field =
    Field::new("IsActive", Kind::Flag, "true", "Whether the shop shows it.").mistaken(&["active", "enabled"]);

const OVERRIDE_IMAGE: Field = Field::new(
    "OverrideImage",
    Kind::Text,
    r#""https://shop.example/o.jpg""#,
    "The address of a picture that is shown instead of the first.",
)
.holds(Holds::Url);

const INDEX: Field = Field::new("_index", Kind::Ignored, "0", "A counter that one client adds.");

const ATTRIBUTES: Field = Field::new(
    "Attributes",
    Kind::Attributes,
    r#"{"Season":"all year"}"#,
    "Attributes of its own. They may also stand beside the other fields of the row.",
);

/// Rows of `AccountPrices`.
pub static ACCOUNT_PRICES: Rows = Rows {
    part: Part::ACCOUNT_PRICES,
    also: &[],
    mistaken: &["customerprices", "companyprices", "contractprices"],
    stands_in: StandsIn::Both,
    meaning: "What one account (a company that buys) pays for one product. In a feed the section replaces all \
              account prices; in a delta a row replaces that of its account and product.",
    fields: ACCOUNT_PRICE_FIELDS,
    others: Others::LeftOut,
    example: r#"{"AccountId":"A-17","Id":"chair-1","Prices":["10.00 GBP"]}"#,
};

const ACCOUNT_PRICE_FIELDS: &[Field] = &[
    ACCOUNT_ID,
    PRODUCT_ID,
    PRODUCT_SKU,
    Field::new("ParentId", Kind::Id, r#""chair-1""#, "The id of the product whose variant it is.")
        .holds(Holds::Key),
    Field::new("Prices", Kind::Prices, r#"["10.00 GBP"]"#, "What the account pays.")
        .holds(Holds::Key)
        .need(Need::Wanted(IssueCode::PriceMissing))
        .mistaken(&["price", "accountprice", "unitprice", "preis"]),
    Field::new("SalePrices", Kind::Prices, r#"["9.00 GBP"]"#, "What it pays while the product is on offer.")
        .holds(Holds::Key)
        .mistaken(&["saleprice", "specialprice", "offerprice"]),
];

pub(super) const ACCOUNT_ID: Field = Field::new(
    "AccountId",
    Kind::Id,
    r#""A-17""#,
    "The shop's id of the account. It is stored under a tag and never as it was sent.",
)
.holds(Holds::Key)
.need(Need::Required)
.mistaken(&["account", "accid", "companyid", "company", "customerid"]);

pub(super) const PRODUCT_ID: Field = Field::new(
    "Id",
    Kind::Id,
    r#""chair-1""#,
    "The id of the product; account and product parted by | are understood.",
)
.holds(Holds::Key)
.need(Need::OneOf)
.mistaken(&["productid", "itemid", "articleid"]);

pub(super) const PRODUCT_SKU: Field =
    Field::new("Sku", Kind::Id, r#""CH-OAK""#, "The article number of the product.")
        .holds(Holds::Key)
        .need(Need::OneOf)
        .mistaken(&["productsku", "skucode"]);
