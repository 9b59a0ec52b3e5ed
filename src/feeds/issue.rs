//! Issues of single rows: stable codes, and the remedy for each. Never a value.

use std::borrow::Cow;

use super::raw_row::{RawRow, RowOrigin, UnknownSection};
use super::section::FeedPart;
use crate::{addresses, limits};

/// Severity of an issue.
#[derive(Clone, Copy, PartialEq, Eq, Debug, utoipa::ToSchema)]
#[schema(rename_all = "lowercase")]
pub enum Severity {
    /// The row is skipped.
    Bad,
    /// The row is used.
    Warning,
}

impl Severity {
    /// Its name in the store and in answers.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Bad => "bad",
            Self::Warning => "warning",
        }
    }

    /// Reads the text written by [`Severity::as_str`].
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Bad, Self::Warning].into_iter().find(|severity| severity.as_str() == text)
    }
}

/// One finding about one row.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Issue {
    /// Code of the issue; it decides the severity.
    pub code: IssueCode,
    /// The row's section.
    pub section: FeedPart,
    /// The row's number in its section, from 1; 0 for an issue outside of rows.
    pub row: u64,
    /// Offset of the row's first byte in the decoded feed.
    pub offset: u64,
    /// Line on which the row begins, from 1, in a feed that was converted.
    pub line: Option<u64>,
    /// The field's name: a documented one, or an attribute's in rows about products.
    pub field: Option<Cow<'static, str>>,
    /// The documented name that a similar name means, or the check digit that an identifier should have.
    pub meant: Option<&'static str>,
}

impl Issue {
    /// An issue of a row. A field name that is not documented is dropped where rows are personal.
    #[must_use]
    pub fn new(row: &RawRow<'_>, code: IssueCode, field: Option<Cow<'static, str>>) -> Self {
        let field = field.filter(|name| matches!(name, Cow::Borrowed(_)) || !row.section.is_personal());
        Self {
            code,
            section: row.section,
            row: row.number,
            offset: row.offset,
            line: row.origin.line(),
            field,
            meant: None,
        }
    }

    /// An issue of a field whose name resembles the documented one that was meant.
    #[must_use]
    pub fn misnamed_field(row: &RawRow<'_>, field: Option<Cow<'static, str>>, meant: &'static str) -> Self {
        Self { meant: Some(meant), ..Self::new(row, IssueCode::FieldMisnamed, field) }
    }

    /// The issue of a section whose name resembles that of `meant`. It belongs to no row: its number is 0.
    #[must_use]
    pub fn unknown_section(unknown: UnknownSection) -> Self {
        let UnknownSection { name, meant, offset } = unknown;
        let row = RawRow { section: meant, number: 0, offset, origin: RowOrigin::Feed, json: &[] };
        let name = Some(shorten_name(name));
        Self { meant: Some(meant.as_str()), ..Self::new(&row, IssueCode::SectionUnknown, name) }
    }

    /// An issue of a column of a feed of another system; an empty name stands for the whole row.
    #[must_use]
    pub fn of_column(row: &RawRow<'_>, code: IssueCode, column: &str) -> Self {
        let field = (!column.is_empty()).then(|| shorten_name(column.to_owned()));
        Self::new(row, code, field)
    }

    /// The issue of a row whose bytes were not kept (more than [`limits::FEED_ROW_BYTES`]).
    #[must_use]
    pub const fn oversize(section: FeedPart, row: u64, offset: u64) -> Self {
        Self { code: IssueCode::RowTooLarge, section, row, offset, line: None, field: None, meant: None }
    }

    /// Severity of the issue: shows whether the row is lost.
    #[must_use]
    pub const fn severity(&self) -> Severity {
        self.code.severity()
    }
}

/// The codes, their severity and their advice in one table.
macro_rules! issue_codes {
    ($($name:ident $code:literal $severity:ident $advice:literal)*) => {
        /// Issues that a row can have; the text codes are part of the interface.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        pub enum IssueCode {
            $(#[doc = $advice] $name,)*
        }

        impl IssueCode {
            /// Every code.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// The stable text code.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$name => $code,)* }
            }

            /// Severity of the code: shows whether a row with it is skipped.
            #[must_use]
            pub const fn severity(self) -> Severity {
                match self { $(Self::$name => Severity::$severity,)* }
            }

            /// One sentence of advice.
            #[must_use]
            pub const fn advice(self) -> &'static str {
                match self { $(Self::$name => $advice,)* }
            }

            /// The page of a server that explains it with examples.
            #[must_use]
            pub const fn page(self) -> &'static str {
                match self { $(Self::$name => concat!("/docs/issues/", $code),)* }
            }
        }
    };
}

issue_codes! {
    RowNotObject "row_not_object" Bad "Send each row as a JSON object."
    RowTooLarge "row_too_large" Bad "Keep a row below 4 MiB."
    RowSyntax "row_syntax" Bad "Write the row as valid JSON; a JSON encoder does it."
    RowInvalidUtf8 "row_invalid_utf8" Bad "Send the text of the row in UTF-8."
    RowLoneSurrogate "row_lone_surrogate" Bad "Write \\uD800 to \\uDFFF only in pairs; the text was cut inside a letter."
    RowNumberTooLarge "row_number_too_large" Bad "Send numbers that fit a double, or send them as text."
    RowTooDeep "row_too_deep" Bad "Nest lists and objects in a row at most 64 levels deep."
    RowTooManyFields "row_too_many_fields" Bad "Send at most 65,536 names of fields in a row."
    DuplicateKey "duplicate_key" Bad "Send each field of an object once, or every time with the same value."
    IdMissing "id_missing" Bad "Give the row its id: Id or Sku for a product, UserId for a user, otherwise Id."
    IdTooLong "id_too_long" Bad "Use ids of at most 512 bytes, user ids of at most 254."
    IdMalformed "id_malformed" Bad "Use ids without NUL characters."
    UserUnidentified "user_unidentified" Bad "Send a user id that stands for one person; 0, -1, null and guest identify nobody."
    AccountMissing "account_missing" Bad "Give the row its AccountId."
    FieldWrongType "field_wrong_type" Bad "Send the field in its documented type, or leave it out."
    FieldTooLong "field_too_long" Bad "Shorten the field: an email address has at most 254 bytes."
    PriceMalformed "price_malformed" Bad "Write a price as number, space and currency, such as 12.50 GBP."
    CurrencyUnknown "currency_unknown" Bad "Use a three-letter ISO 4217 currency code."
    VariantProductMissing "variant_product_missing" Bad "Name the product of the variant in ProductId; no product has a variant with this id or SKU."
    VariantLimitReached "variant_limit_reached" Bad "Keep the row of a product with all its variants below 8 MiB, and its variants within 2,000; this one was not changed."
    VariantChangesTooMany "variant_changes_too_many" Bad "Send at most 10,000 rows about variants in one delta."
    TooManyMemberships "too_many_memberships" Bad "Send at most 10,000 pairs of a product and a category in one delta."
    MembershipShape "membership_shape" Bad "Send CategoryId with ProductIds, or ProductId with Categories."
    EmailMalformed "email_malformed" Warning "Send an email address as local@domain; this one finds nobody, so a request to forget it cannot either."
    TitleMissing "title_missing" Warning "Give the row a title, so that it can be shown and found."
    LinkMissing "link_missing" Warning "Give the row a link, so that shoppers can reach it."
    ImageMissing "image_missing" Warning "Give the product an image."
    DescriptionMissing "description_missing" Warning "Give the product a description, so that it can be found by it."
    PriceMissing "price_missing" Warning "Give the product a price; without one in the shopper's currency it is not shown."
    PriceWithoutCurrency "price_without_currency" Warning "Write the currency behind the price, or set the account's currency; the price was left out."
    PriceOtherCurrency "price_other_currency" Warning "Give the product a price in the shop's currency; shoppers who ask for no other do not find it."
    PriceRounded "price_rounded" Warning "Send prices with no more decimals than the currency has; it was rounded half to even."
    DateMalformed "date_malformed" Warning "Write dates as 2026-01-31 or 2026-01-31T12:30:00Z; until then the sale is off, or the product is not shown."
    EmailInText "email_in_text" Warning "Leave addresses out of the feed: each is blanked (***), and a URL, a Gtin or an attribute's name that holds one is left out."
    PhoneInText "phone_in_text" Warning "Check that the phone number may be shown to everybody; a shop's own may, a customer's may not."
    FieldMisnamed "field_misnamed" Warning "Write the field's name as documented, if it is meant; as it is, it is a field of your own."
    SectionUnknown "section_unknown" Warning "Write the section's name as documented; nothing of it was read."
    CategoryByTitle "category_by_title" Warning "Name the categories of a product by their ids; by their titles it is in none."
    ProductUnseen "product_unseen" Warning "Give the product a title, a price and dates that can be read; shoppers do not find it."
    DuplicateId "duplicate_id" Warning "Send each id once; the last row with it is used, and a feed in which more than 5 % repeat is held."
    VariantMalformed "variant_malformed" Warning "Send Variants as a list of objects, each with an Id or a Sku and fields of the documented types; this one was left out."
    VariantsNotList "variants_not_list" Warning "Send Variants as a list; the values of the object were used, in their order."
    VariantRepeated "variant_repeated" Warning "Give each variant of a product an Id and a Sku of its own; the first keeps it, and one with another Id stays without the Sku."
    VariantOptionsTooMany "variant_options_too_many" Warning "Give a variant at most 20 options; the first were used."
    VariantAttributesTooMany "variant_attributes_too_many" Warning "Give a variant at most 100 attributes; the first were used."
    VariantValueTooLong "variant_value_too_long" Warning "Keep the names of options within 100 bytes and the values of options and attributes of a variant within 200; this value was left out."
    VariantsTooMany "variants_too_many" Warning "List at most 2,000 variants of a product; the first were used."
    VariantCurrenciesDiffer "variant_currencies_differ" Warning "Give all variants of a product prices in the same currencies; where one has none in the shopper's currency, it is not sold to them."
    VariantIsProduct "variant_is_product" Warning "Send what is sold once: as a product, or as a variant of one; both were kept."
    VariantsUnchecked "variants_unchecked" Warning "Look in your own system for variants that are products too; the feed has more ids than are compared."
    VariantProductUnknown "variant_product_unknown" Warning "Send the product first, or with a feed; the row counts once a feed that was submitted before it brings a product with this Id."
    VariantUnknown "variant_unknown" Warning "Name a variant that the product has; there was none to remove."
    GtinMalformed "gtin_malformed" Warning "Send the identifier in the barcode with all its digits; it stays as sent, and is not found in other writings."
    RowFields "row_fields" Bad "Give each line as many fields as the heading has; put quotation marks around a field that holds the separator."
    TextNotUtf8 "text_not_utf8" Warning "Send the feed in UTF-8, or say its encoding in the XML declaration; this value was read as Windows-1252."
    PriceUnreadable "price_unreadable" Warning "Write the price as a number with its currency, such as 12.50 GBP; it was left out."
    DateAmbiguous "date_ambiguous" Warning "Write dates as 2026-01-31; this one reads as two days, and was read as the shop's country writes it."
    AvailabilityUnknown "availability_unknown" Warning "Write the availability as in_stock, out_of_stock, preorder or backorder; this word was left out."
    GroupIsCategory "group_is_category" Warning "Give one group to the variants of one product alone; these rows differ in more than their options, and each is a product of its own."
    ParentMissing "parent_missing" Warning "Send the product to which these variants belong; without it each is a product of its own."
    ProductNotPublished "product_not_published" Warning "Publish the product in your shop's system to show it; as a draft, hidden or without anything to sell it was left out."
    OrderRowFields "order_row_fields" Bad "Give each line as many fields as the header line has; put quotation marks around a field that holds a comma."
    OrderIdMissing "order_id_missing" Bad "Give each line the id of its order."
    OrderUnidentified "order_unidentified" Bad "Give each line a user id, or a guest's email; 0, -1, null and guest identify nobody."
    OrderDateMalformed "order_date_malformed" Bad "Write the date as 2026-01-31T12:30:00Z or 2026-01-31 12:30:00, which is UTC, and not in the future."
    OrderProductMissing "order_product_missing" Bad "Give each line the Id or SKU of its product."
    OrderQuantityMalformed "order_quantity_malformed" Bad "Write the quantity as a number above 0, such as 2 or 1.5."
    OrderPriceMalformed "order_price_malformed" Bad "Write prices as a number with a decimal point, such as 12.50, without a currency."
    OrderTooManyLines "order_too_many_lines" Bad "Send at most 1,000 lines with one order id."
    OrderMixed "order_mixed" Bad "Send all lines of an order with the same user id and email."
    OrderTooOld "order_too_old" Warning "Orders older than a year are ignored."
    OrderKnown "order_known" Warning "An order is stored once; this id was known already, and the order was dropped as a whole."
}

impl IssueCode {
    /// Reads the text written by [`IssueCode::as_str`].
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|code| code.as_str() == text)
    }
}

/// A field name from a row, short enough to be repeated, and without any address.
pub(super) fn shorten_name(name: String) -> Cow<'static, str> {
    let mut name = addresses::without_addresses(&name).unwrap_or(name);
    // PostgreSQL's texts hold no NUL.
    name.retain(|letter| letter != '\0');
    name.truncate(name.floor_char_boundary(limits::ISSUE_FIELD_BYTES));
    Cow::Owned(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_typed_by_a_person_is_never_in_an_issue_of_a_personal_row() {
        let row = |section| RawRow { section, number: 1, offset: 0, origin: RowOrigin::Feed, json: b"{}" };
        let typed = || Some(Cow::Owned("Mother's maiden name".to_owned()));
        assert_eq!(Issue::new(&row(FeedPart::Users), IssueCode::RowSyntax, typed()).field, None);
        assert!(Issue::new(&row(FeedPart::PRODUCTS), IssueCode::RowSyntax, typed()).field.is_some());
        let ours = Some(Cow::Borrowed("Email"));
        assert_eq!(Issue::new(&row(FeedPart::Users), IssueCode::RowSyntax, ours.clone()).field, ours);
    }

    #[test]
    fn codes_are_told_apart_and_read_back() {
        for code in IssueCode::ALL {
            assert_eq!(IssueCode::parse(code.as_str()), Some(*code));
            assert!(code.advice().ends_with('.'));
        }
    }

    #[test]
    fn a_name_is_repeated_up_to_a_length_without_nul_and_without_any_address() {
        let most = limits::ISSUE_FIELD_BYTES;
        for (name, kept) in [
            ("x".repeat(most), "x".repeat(most)),
            ("x".repeat(most + 1), "x".repeat(most)),
            ("x".repeat(most - 1) + "é", "x".repeat(most - 1)),
            ("a\0b".to_owned(), "ab".to_owned()),
            ("of ada@shop.test".to_owned(), "of ***".to_owned()),
        ] {
            assert_eq!(shorten_name(name), kept);
        }
    }

    #[test]
    fn an_unknown_section_is_an_issue_outside_of_rows_that_names_no_person() {
        for (name, meant, field) in
            [("Produkts", FeedPart::PRODUCTS, Some("Produkts")), ("Ann's", FeedPart::Users, None)]
        {
            let unknown = UnknownSection { name: name.to_owned(), meant, offset: 17 };
            let expected = Issue {
                code: IssueCode::SectionUnknown,
                section: meant,
                row: 0,
                offset: 17,
                line: None,
                field: field.map(Cow::Borrowed),
                meant: Some(meant.as_str()),
            };
            assert_eq!(Issue::unknown_section(unknown), expected);
        }
    }

    #[test]
    fn severities_are_read_as_they_are_written() {
        for severity in [Severity::Bad, Severity::Warning] {
            assert_eq!(Severity::parse(severity.as_str()), Some(severity));
        }
        assert_eq!(Severity::parse("Bad"), None);
    }
}
