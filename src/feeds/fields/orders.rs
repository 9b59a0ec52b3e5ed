//! The columns of an order file.

use super::{Field, Holds, Kind, Need, Others, Rows, StandsIn};
use crate::feeds::section::Part;

/// Lines of an order file; the columns in the order of [`crate::feeds::orders`].
pub static ORDERS: Rows = Rows {
    part: Part::Orders,
    also: &[],
    mistaken: &[],
    stands_in: StandsIn::OrderFiles,
    meaning: "A product that somebody bought: one line of a CSV file whose first line names the columns, in any \
              order. The lines of one order stand below each other. An order is stored once; orders older than a \
              year are ignored.",
    fields: COLUMNS,
    others: Others::LeftOut,
    example: "1001,7,ada@shop.example,2026-01-31 12:30:00,chair-1,1,99.00,99.00,",
};

const COLUMNS: &[Field] = &[
    Field::new("OrderID", Kind::Id, "1001", "The shop's id of the order.")
        .holds(Holds::Key)
        .need(Need::Required)
        .mistaken(&["order", "ordernumber", "orderno", "orderref", "id"]),
    Field::new("AccountId", Kind::Id, "A-17", "The shop's id of the customer's company.")
        .holds(Holds::Key)
        .need(Need::OneOf)
        .mistaken(&["account", "companyid", "company"]),
    Field::new("UserId", Kind::Id, "7", "The shop's id of the customer; empty or 0 for a guest.")
        .holds(Holds::Key)
        .need(Need::OneOf)
        .mistaken(&["user", "customerid", "customer"]),
    Field::new("Email", Kind::Id, "ada@shop.example", "The customer's email address.")
        .holds(Holds::Key)
        .need(Need::OneOf)
        .mistaken(&["mail", "emailaddress", "customeremail"]),
    Field::new("DateTime", Kind::Moment, "2026-01-31 12:30:00", "When it was ordered.")
        .also(&["DateTimeStamp"])
        .need(Need::Required)
        .mistaken(&["date", "orderdate", "createdat", "timestamp", "time"]),
    Field::new("ProdCode", Kind::Id, "chair-1", "Id or SKU of the product, or of its variant.")
        .holds(Holds::Key)
        .need(Need::Required)
        .mistaken(&["productcode", "product", "productid", "sku", "itemid", "item"]),
    Field::new("Quantity", Kind::Amount, "1", "How many, above 0; one if it is left out.")
        .mistaken(&["qty", "count", "units"]),
    Field::new("UnitPrice", Kind::Amount, "99.00", "What one cost, in the shop's own currency.")
        .also(&["UnityPrice"])
        .mistaken(&["price", "itemprice"]),
    Field::new(
        "LinePrice",
        Kind::Amount,
        "99.00",
        "What all of the line cost; used where UnitPrice is left out.",
    )
    .mistaken(&["linetotal", "total", "rowtotal", "subtotal"]),
    Field::new(
        "Cancelled",
        Kind::Flag,
        "true",
        "The order does not count any more; a row without product and quantity says the same.",
    )
    .also(&["Canceled"])
    .mistaken(&["iscancelled", "iscanceled", "cancellation", "refunded"]),
];
