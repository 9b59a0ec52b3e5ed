//! Columns of Shopify's product CSV, in the headings of both generations.

use crate::formats::mapping::column_rule::ColumnUse::{
    AttributeNamed, Brand, Description, Extra as Collected, Group, Gtin, Image, LeftOut, OptionName,
    OptionValue, Price, Quantity, Sku, Tags, Title,
};
use crate::formats::mapping::column_rule::{ColumnRule, ColumnUse, Extra};

/// Category of one title, the merchant's own.
pub const TYPE: Extra = Extra::Other(0);
/// Path in Shopify's taxonomy.
pub const TAXONOMY: Extra = Extra::Other(1);
/// Path or number in Google's taxonomy.
pub const GOOGLE_TAXONOMY: Extra = Extra::Other(2);
/// Title of a collection.
pub const COLLECTION: Extra = Extra::Other(3);
/// Weight in grams.
pub const GRAMS: Extra = Extra::Other(4);

/// The documented columns, with the headings of today as other names.
pub const COLUMNS: &[ColumnRule] = &[
    rule("Handle", Group).also(&["URL handle"]).with_note("Id of the product; its rows share it."),
    rule("Title", Title),
    rule("Body (HTML)", Description).also(&["Description"]),
    rule("Vendor", Brand),
    rule("Type", Collected(TYPE)).also(&["Custom Product Type"]).with_note("A category of this title."),
    rule("Product Category", Collected(TAXONOMY))
        .also(&["Standardized Product Type", "Standard Product Type"])
        .with_note(
            "A path of categories, separated by `>`; a number or code of the taxonomy is passed over.",
        ),
    rule("Collection", Collected(COLLECTION)).with_note("A category of this title."),
    rule("Tags", Tags),
    rule("Published", Collected(Extra::Published))
        .also(&["Published on online store"])
        .with_note("`FALSE` leaves the product out."),
    rule("Status", Collected(Extra::Status))
        .with_note("`draft`, `archived` and `unlisted` leave the product out."),
    rule("Option1 Name", OptionName(1)).with_note("Counts for all rows of the product."),
    rule("Option1 Value", OptionValue(1)).with_note("`Default Title` is no option."),
    rule("Option2 Name", OptionName(2)).with_note("Counts for all rows of the product."),
    rule("Option2 Value", OptionValue(2)),
    rule("Option3 Name", OptionName(3)).with_note("Counts for all rows of the product."),
    rule("Option3 Value", OptionValue(3)),
    left_out("Option1 Linked To", "The link of an option to a metafield; its values stand in the option."),
    left_out("Option2 Linked To", "As `Option1 Linked To`."),
    left_out("Option3 Linked To", "As `Option1 Linked To`."),
    rule("Variant SKU", Sku)
        .also(&["SKU"])
        .with_note("Also the variant's id; without it, handle and options are."),
    rule("Variant Barcode", Gtin).also(&["Barcode"]),
    rule("Variant Price", Price)
        .also(&["Price"])
        .with_note("The sale price, where the compare-at price is higher."),
    rule("Variant Compare At Price", Collected(Extra::CompareAtPrice))
        .also(&["Compare-at price"])
        .with_note("The list price, where it is higher than the price."),
    rule("Variant Inventory Tracker", Collected(Extra::StockTracked))
        .also(&["Inventory tracker"])
        .with_note("Without one, the variant can be bought at any quantity."),
    rule("Variant Inventory Qty", Quantity)
        .also(&["Inventory quantity"])
        .with_note("At 0 or below the variant cannot be bought, if it is tracked and its policy is `deny`."),
    rule("Variant Inventory Policy", Collected(Extra::StockPolicy))
        .also(&["Continue selling when out of stock"])
        .with_note("With `continue`, the variant can be bought at any quantity."),
    rule("Variant Grams", Collected(GRAMS))
        .also(&["Weight value (grams)"])
        .with_note("The attribute Weight, such as `250 g`."),
    left_out("Variant Weight Unit", "The unit in which the shop shows the weight.")
        .also(&["Weight unit for display"]),
    rule("Image Src", Image)
        .also(&["Product image URL"])
        .with_note("A picture of the product; that of the first row is its main one."),
    left_out("Image Position", "The rows stand in this order.").also(&["Product image position"]),
    left_out("Image Alt Text", "The text for a picture that cannot be seen.")
        .also(&["Product image alt text"]),
    rule("Variant Image", Collected(Extra::VariantImage))
        .also(&["Variant image URL"])
        .with_note("The picture of the variant."),
    rule("Google Shopping / Google Product Category", Collected(GOOGLE_TAXONOMY))
        .with_note("As `Product Category`, where that is empty."),
    rule("Google Shopping / Gender", AttributeNamed("Gender")),
    rule("Google Shopping / Age Group", AttributeNamed("Age Group")),
    rule("Google Shopping / MPN", AttributeNamed("MPN"))
        .also(&["Google Shopping / Manufacturer part number (MPN)"]),
    rule("Google Shopping / Condition", AttributeNamed("Condition")),
    rule("Google Shopping / Custom Label 0", AttributeNamed("Custom Label 0")),
    rule("Google Shopping / Custom Label 1", AttributeNamed("Custom Label 1")),
    rule("Google Shopping / Custom Label 2", AttributeNamed("Custom Label 2")),
    rule("Google Shopping / Custom Label 3", AttributeNamed("Custom Label 3")),
    rule("Google Shopping / Custom Label 4", AttributeNamed("Custom Label 4")),
    left_out("Google Shopping / AdWords Grouping", "A setting of advertisements.")
        .also(&["Google Shopping / Ad group name"]),
    left_out("Google Shopping / AdWords Labels", "A setting of advertisements.")
        .also(&["Google Shopping / Ads labels"]),
    left_out("Google Shopping / Custom Product", "It says that there is neither barcode nor MPN."),
    left_out("SEO Title", "It repeats the title for search engines."),
    left_out("SEO Description", "It repeats the description for search engines."),
    left_out("Gift Card", "A setting of the checkout."),
    left_out("Variant Fulfillment Service", "A setting of the shop's own work.")
        .also(&["Fulfillment service"]),
    left_out("Variant Requires Shipping", "A setting of the checkout.").also(&["Requires shipping"]),
    left_out("Variant Taxable", "A setting of the checkout.").also(&["Charge tax"]),
    left_out("Variant Tax Code", "A setting of the checkout.").also(&["Tax code"]),
    left_out("Cost per item", "The merchant's own cost is no business of shoppers.").also(&["Variant Cost"]),
    left_out("Unit price total measure", "The amount of the base price.")
        .also(&["Variant Unit Price Total Measure"]),
    left_out("Unit price total measure unit", "The unit of that amount.")
        .also(&["Variant Unit Price Total Measure Unit"]),
    left_out("Unit price base measure", "The amount to which the base price is brought.")
        .also(&["Variant Unit Price Base Measure"]),
    left_out("Unit price base measure unit", "The unit of that amount.")
        .also(&["Variant Unit Price Base Measure Unit"]),
    left_out("Included / International", "A setting of a market; also with the name of any other market."),
    left_out(
        "Price / International",
        "The price of a market, without its currency; also of any other market.",
    ),
    left_out("Compare At Price / International", "As `Price / International`."),
    left_out("Sales Channel", "A setting of the shop's own work."),
];

const fn rule(name: &'static str, becomes: ColumnUse) -> ColumnRule {
    ColumnRule::new(name, becomes)
}

const fn left_out(name: &'static str, reason: &'static str) -> ColumnRule {
    ColumnRule::new(name, LeftOut).with_note(reason)
}
