//! The fields of `Categories`, `Brands` and `AccountPrices`.

use super::kind::{FieldType, TextRole};
use super::spec::{AllowedDocuments, FieldRequirement, FieldSpec, RowSchema, UnknownFieldPolicy};
use crate::feeds::issue::IssueCode;
use crate::feeds::section::FeedPart;

/// Rows of `Categories`.
pub static CATEGORIES: RowSchema = RowSchema {
    part: FeedPart::CATEGORIES,
    also: &[],
    mistaken: &["category", "kategorien", "kategorie"],
    stands_in: AllowedDocuments::Feeds,
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
        FieldSpec::new(
            "ParentIds",
            FieldType::List,
            r#"["furniture"]"#,
            "Ids of the categories that it is a part of.",
        )
        .holds(TextRole::Key)
        .mistaken(&["parent", "parents", "parentcategory", "parentcategories", "parentcategoryid"]),
        EXCLUDE,
        IS_ACTIVE,
        OVERRIDE_IMAGE,
        FieldSpec::new(
            "Breadcrumb",
            FieldType::Text,
            r#""Home / Furniture / Chairs""#,
            "The way to it, as the shop shows it.",
        )
        .holds(TextRole::Prose),
        INDEX,
        ATTRIBUTES,
    ],
    others: UnknownFieldPolicy::Attributes,
    example: r#"{"Id":"chairs","DisplayName":"Chairs","Link":"https://shop.example/chairs","ParentIds":["furniture"]}"#,
};

/// Rows of `Brands`.
pub static BRANDS: RowSchema =
    RowSchema {
        part: FeedPart::BRANDS,
        also: &["Brand"],
        mistaken: &["manufacturers", "manufacturer", "marken"],
        stands_in: AllowedDocuments::Feeds,
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
        others: UnknownFieldPolicy::Attributes,
        example: r#"{"Id":"oakworks","DisplayName":"Oakworks","Link":"https://shop.example/oakworks"}"#,
    };

const fn item_id(meaning: &'static str, example: &'static str) -> FieldSpec {
    FieldSpec::new("Id", FieldType::Id, example, meaning)
        .holds(TextRole::Key)
        .need(FieldRequirement::Required)
}

const fn display_name(meaning: &'static str, example: &'static str) -> FieldSpec {
    FieldSpec::new("DisplayName", FieldType::Text, example, meaning)
        .holds(TextRole::Prose)
        .need(FieldRequirement::Wanted(IssueCode::TitleMissing))
}

const IMAGE: FieldSpec = FieldSpec::new(
    "Image",
    FieldType::Text,
    r#""https://shop.example/i.jpg""#,
    "The address of its picture.",
)
.holds(TextRole::Url)
.mistaken(&["imageurl", "imagelink", "picture", "pictureurl", "photo", "thumbnail", "logo", "img"]);

const LINK: FieldSpec =
    FieldSpec::new("Link", FieldType::Text, r#""https://shop.example/p""#, "The address of its page.")
        .holds(TextRole::Url)
        .need(FieldRequirement::Wanted(IssueCode::LinkMissing))
        .mistaken(&["url", "uri", "href", "permalink", "weblink", "deeplink"]);

const DESCRIPTION: FieldSpec =
    FieldSpec::new("Description", FieldType::Text, r#""To sit on""#, "The text of its page.")
        .holds(TextRole::Prose)
        .mistaken(&["desc", "longdescription", "shortdescription", "beschreibung"]);

const EXCLUDE: FieldSpec = FieldSpec::new(
    "ExcludeFromRecommenders",
    FieldType::Flag,
    "false",
    "Whether recommendations leave it out.",
);

const IS_ACTIVE: FieldSpec =
    FieldSpec::new("IsActive", FieldType::Flag, "true", "Whether the shop shows it.")
        .mistaken(&["active", "enabled"]);

const OVERRIDE_IMAGE: FieldSpec = FieldSpec::new(
    "OverrideImage",
    FieldType::Text,
    r#""https://shop.example/o.jpg""#,
    "The address of a picture that is shown instead of the first.",
)
.holds(TextRole::Url);

const INDEX: FieldSpec = FieldSpec::new("_index", FieldType::Ignored, "0", "A counter that one client adds.");

const ATTRIBUTES: FieldSpec = FieldSpec::new(
    "Attributes",
    FieldType::Attributes,
    r#"{"Season":"all year"}"#,
    "Attributes of its own. They may also stand beside the other fields of the row.",
);

/// Rows of `AccountPrices`.
pub static ACCOUNT_PRICES: RowSchema = RowSchema {
    part: FeedPart::ACCOUNT_PRICES,
    also: &[],
    mistaken: &["customerprices", "companyprices", "contractprices"],
    stands_in: AllowedDocuments::Both,
    meaning: "What one account (a company that buys) pays for one product or variant. In a feed the section \
              replaces all account prices; in a delta a row replaces that of its account and id.",
    fields: ACCOUNT_PRICE_FIELDS,
    others: UnknownFieldPolicy::LeftOut,
    example: r#"{"AccountId":"A-17","Id":"chair-1","Prices":["10.00 GBP"]}"#,
};

const ACCOUNT_PRICE_FIELDS: &[FieldSpec] = &[
    ACCOUNT_ID,
    PRODUCT_ID,
    PRODUCT_SKU,
    FieldSpec::new("ParentId", FieldType::Id, r#""chair-1""#, "The id of the product whose variant it is.")
        .holds(TextRole::Key),
    FieldSpec::new("Prices", FieldType::Prices, r#"["10.00 GBP"]"#, "What the account pays.")
        .holds(TextRole::Key)
        .need(FieldRequirement::Wanted(IssueCode::PriceMissing))
        .mistaken(&["price", "accountprice", "unitprice", "preis"]),
    FieldSpec::new(
        "SalePrices",
        FieldType::Prices,
        r#"["9.00 GBP"]"#,
        "What it pays while the product is on offer.",
    )
    .holds(TextRole::Key)
    .mistaken(&["saleprice", "specialprice", "offerprice"]),
];

pub(super) const ACCOUNT_ID: FieldSpec = FieldSpec::new(
    "AccountId",
    FieldType::Id,
    r#""A-17""#,
    "The shop's id of the account. It is stored under a tag and never as it was sent.",
)
.holds(TextRole::Key)
.need(FieldRequirement::Required)
.mistaken(&["account", "accid", "companyid", "company", "customerid"]);

pub(super) const PRODUCT_ID: FieldSpec = FieldSpec::new(
    "Id",
    FieldType::Id,
    r#""chair-1""#,
    "The id of the product or variant; account and id parted by | are understood.",
)
.holds(TextRole::Key)
.need(FieldRequirement::OneOf)
.mistaken(&["productid", "itemid", "articleid"]);

pub(super) const PRODUCT_SKU: FieldSpec =
    FieldSpec::new("Sku", FieldType::Id, r#""CH-OAK""#, "The article number of the product or variant.")
        .holds(TextRole::Key)
        .need(FieldRequirement::OneOf)
        .mistaken(&["productsku", "skucode"]);
