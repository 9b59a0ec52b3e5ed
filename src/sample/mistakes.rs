//! The deliberate mistakes of a made-up feed, each as some real sender makes it.

/// Texts after the good products; each begins with the comma that separates it from the row before.
pub const MISTAKES: &[&str] = &[
    // Neither Id nor Sku.
    r#",{"Title":"A thing without an id","Link":"https://shop.example/p/x","Prices":["1.00 GBP"]}"#,
    // A stray comma, and rows that are nothing.
    r#",,null,[],{}"#,
    r#",{"Id":"E-0001","Title":{"en":"Title by language"}}"#,
    r#",{"Id":"E-0002","Title":"A price in words","Prices":["twelve pounds"]}"#,
    r#",{"Id":"E-0003","Title":"Money of nowhere","Prices":["12.50 QQQ"]}"#,
    r#",{"Id":"E-0004","Description":"No title, no link, no image","Prices":["12.50 GBP"]}"#,
    r#",{"Id":"E-0005","Title":"An emoji cut in half \ud83d"}"#,
    r#",{"Id":"E-0006","Title":"Infinite stock","StockQty":1e400}"#,
    r#",{"Id":"E-0007","Id":"E-0008","Title":"Two ids"}"#,
    // As Python prints it.
    r#",{"Id":"E-0009","Title":"Printed, not encoded","InStock":True}"#,
    r#",{"Id":"E-0010","Title":"Too exact","Description":"Thirds","Link":"https://shop.example/p/t","Image":"https://img.shop.example/t.jpg","Prices":["3.333 GBP"]}"#,
    r#",{"Id":"E-0011","Title":"Not for sale","Description":"No price","Link":"https://shop.example/p/n","Image":"https://img.shop.example/n.jpg"}"#,
    r#","E-0012""#,
];

/// Users that are no person, or that no address can find.
pub const INVALID_PEOPLE: &str =
    ",\n{\"UserId\":\"guest\"},\n{\"UserId\":\"U-broken\",\"Email\":\"no address\"}";

/// Codes of the row issues that the mistakes give; `Users` ones (the last two) only with people.
pub const EXPECTED_ISSUES: &[&str] = &[
    "id_missing",
    "field_wrong_type",
    "price_malformed",
    "currency_unknown",
    "title_missing",
    "link_missing",
    "image_missing",
    "duplicate_id",
    "row_lone_surrogate",
    "row_number_too_large",
    "duplicate_key",
    "row_syntax",
    "price_rounded",
    "price_missing",
    "row_not_object",
    "user_unidentified",
    "email_malformed",
];
