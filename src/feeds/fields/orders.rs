//! The columns of an order file.

use super::kind::{FieldType, TextRole};
use super::spec::{AllowedDocuments, FieldRequirement, FieldSpec, RowSchema, UnknownFieldPolicy};
use crate::feeds::section::FeedPart;

/// Lines of an order file; the columns in the order of [`crate::feeds::orders`].
pub static ORDERS: RowSchema = RowSchema {
    part: FeedPart::Orders,
    also: &[],
    mistaken: &[],
    stands_in: AllowedDocuments::OrderFiles,
    meaning: "A product that somebody bought: one line of a CSV file whose first line names the columns, in any \
              order. The lines of one order stand below each other. An order is stored once; orders older than a \
              year are ignored.",
    fields: COLUMNS,
    others: UnknownFieldPolicy::LeftOut,
    example: "1001,7,ada@shop.example,2026-01-31 12:30:00,chair-1,1,99.00,99.00,",
};

const COLUMNS: &[FieldSpec] = &[
    FieldSpec::new("OrderID", FieldType::Id, "1001", "The shop's id of the order.")
        .holds(TextRole::Key)
        .need(FieldRequirement::Required)
        .mistaken(&["order", "ordernumber", "orderno", "orderref", "id"]),
    FieldSpec::new("AccountId", FieldType::Id, "A-17", "The shop's id of the customer's company.")
        .holds(TextRole::Key)
        .need(FieldRequirement::OneOf)
        .mistaken(&["account", "companyid", "company"]),
    FieldSpec::new("UserId", FieldType::Id, "7", "The shop's id of the customer; empty or 0 for a guest.")
        .holds(TextRole::Key)
        .need(FieldRequirement::OneOf)
        .mistaken(&["user", "customerid", "customer"]),
    FieldSpec::new("Email", FieldType::Id, "ada@shop.example", "The customer's email address.")
        .holds(TextRole::Key)
        .need(FieldRequirement::OneOf)
        .mistaken(&["mail", "emailaddress", "customeremail"]),
    FieldSpec::new("DateTime", FieldType::Moment, "2026-01-31 12:30:00", "When it was ordered.")
        .also(&["DateTimeStamp"])
        .need(FieldRequirement::Required)
        .mistaken(&["date", "orderdate", "createdat", "timestamp", "time"]),
    FieldSpec::new("ProdCode", FieldType::Id, "chair-1", "Id or SKU of the product, or of its variant.")
        .holds(TextRole::Key)
        .need(FieldRequirement::Required)
        .mistaken(&["productcode", "product", "productid", "sku", "itemid", "item"]),
    FieldSpec::new("Quantity", FieldType::Amount, "1", "How many, above 0; one if it is left out.")
        .mistaken(&["qty", "count", "units"]),
    FieldSpec::new("UnitPrice", FieldType::Amount, "99.00", "What one cost, in the shop's own currency.")
        .also(&["UnityPrice"])
        .mistaken(&["price", "itemprice"]),
    FieldSpec::new(
        "LinePrice",
        FieldType::Amount,
        "99.00",
        "What all of the line cost; used where UnitPrice is left out.",
    )
    .mistaken(&["linetotal", "total", "rowtotal", "subtotal"]),
    FieldSpec::new(
        "Cancelled",
        FieldType::Flag,
        "true",
        "The order does not count any more; a row without product and quantity says the same.",
    )
    .also(&["Canceled"])
    .mistaken(&["iscancelled", "iscanceled", "cancellation", "refunded"]),
];
