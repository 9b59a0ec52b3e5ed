//! The table as a whole, and similar names.

use super::misnamed::{FieldTable, NearMisses, field_meant, section_meant};
use super::*;
use crate::feeds::section::FeedPart;

const PRODUCTS_TABLE: FieldTable = FieldTable::Rows(FeedPart::PRODUCTS);

fn meant(part: FeedPart, name: &str) -> Option<&'static str> {
    field_meant(schema_of(part).fields, name).map(|meant| meant.field.name)
}

#[test]
fn sections_stand_in_their_order_and_no_name_means_two_things() {
    for (rows, part) in SECTIONS.into_iter().zip(FeedPart::ALL) {
        assert_eq!(rows.part, part);
    }
    for fields in SECTIONS.into_iter().map(|rows| rows.fields).chain([VARIANT]) {
        let mut names = std::collections::BTreeSet::new();
        for field in fields {
            let known = std::iter::once(&field.name).chain(field.also).map(|name| name.to_ascii_lowercase());
            let mistaken = field.mistaken.iter().map(|name| (*name).to_owned());
            for name in known.chain(mistaken) {
                assert!(names.insert(name.clone()), "{} of {}: {name}", field.name, fields[0].name);
            }
            assert!(field.meaning.ends_with('.') && !field.example.is_empty(), "{}", field.name);
        }
    }
}

#[test]
fn mistaken_names_are_found_and_written_as_they_are_compared() {
    for fields in SECTIONS.into_iter().map(|rows| rows.fields).chain([VARIANT]) {
        for field in fields {
            for name in field.mistaken {
                let meant = field_meant(fields, name).map(|meant| meant.field.name);
                assert_eq!(meant, Some(field.name), "{name}");
            }
        }
    }
    for rows in SECTIONS {
        for name in rows.mistaken {
            assert_eq!(section_meant(name), Some(rows.part), "{name}");
            assert_eq!(FeedPart::parse_lenient(name), None, "{name} is read");
        }
    }
}

#[test]
fn near_misses_mean_the_field_that_is_nearest() {
    for (part, name, field) in [
        (FeedPart::PRODUCTS, "price", "Prices"),
        (FeedPart::PRODUCTS, "URL", "Link"),
        (FeedPart::PRODUCTS, "Name", "Title"),
        (FeedPart::PRODUCTS, "Product variants", "Variants"),
        (FeedPart::PRODUCTS, "Variant", "Variants"),
        (FeedPart::PRODUCTS, "variations", "Variants"),
        (FeedPart::PRODUCTS, "variant_skus", "AssociatedSkus"),
        (FeedPart::PRODUCTS, "in_stock", "InStock"),
        (FeedPart::PRODUCTS, "Titel", "Title"),
        (FeedPart::PRODUCTS, "Discription", "Description"),
        (FeedPart::PRODUCTS, "search-tags", "SearchTags"),
        (FeedPart::PRODUCTS, "DisplayName", "Title"),
        (FeedPart::PRODUCTS, "Brands", "Brand"),
        (FeedPart::CATEGORIES, "Title", "DisplayName"),
        (FeedPart::CATEGORIES, "Parents", "ParentIds"),
        (FeedPart::Users, "Id", "UserId"),
        (FeedPart::Users, "e-mail", "Email"),
        (FeedPart::ACCOUNT_PRICES, "Account_Id", "AccountId"),
        (FeedPart::SetCategoryOnProducts, "CategoryIDS ", "CategoryId"),
        (FeedPart::Orders, "Order Date", "DateTime"),
        (FeedPart::Orders, "UnitPrices", "UnitPrice"),
        (FeedPart::Orders, "Uint Price", "UnitPrice"),
        (FeedPart::Orders, "Lint Price", "LinePrice"),
        (FeedPart::Orders, "Kuantity", "Quantity"),
        (FeedPart::PRODUCTS, "Tytle", "Title"),
        (FeedPart::PRODUCTS, "Discripton", "Description"),
    ] {
        assert_eq!(meant(part, name), Some(field), "{name}");
    }
}

#[test]
fn own_names_are_not_taken_for_others() {
    for name in [
        "Colour",
        "Size",
        "Weight",
        "Length",
        "Image2",
        "Link 3",
        "Eco Collection",
        "Mat&eacute;riel",
        "",
        "-",
    ] {
        assert_eq!(meant(FeedPart::PRODUCTS, name), None, "{name}");
    }
    for name in ["County", "Newsletter", "LoyaltyPoints", "VIPCustomer", "Interests", "News"] {
        assert_eq!(meant(FeedPart::Users, name), None, "{name}");
    }
    for name in ["Version", "Format", "FileType", "Type", "Token", "AppKey", "Secret", "Specs", "Page"] {
        assert_eq!(section_meant(name), None, "{name}");
    }
}

#[test]
fn sections_are_known_by_what_is_like_their_names() {
    for (name, part) in [
        ("Categorys", FeedPart::CATEGORIES),
        ("Produkts", FeedPart::PRODUCTS),
        ("product", FeedPart::PRODUCTS),
        ("delete_products", FeedPart::DeleteProducts),
        ("Customers", FeedPart::Users),
        ("AccountPrice", FeedPart::ACCOUNT_PRICES),
    ] {
        assert_eq!(section_meant(name), Some(part), "{name}");
    }
}

#[test]
fn very_many_names_are_not_all_remembered() {
    let names = NearMisses::default();
    for n in 0..5000 {
        assert!(names.find_meant_field(PRODUCTS_TABLE, n, &format!("Own {n}")).is_none());
    }
    assert!(names.find_meant_field(PRODUCTS_TABLE, 0, &"price".repeat(20)).is_none());
    assert_eq!(names.count_remembered(), 1000);
    assert!(
        names.find_meant_field(FieldTable::Rows(FeedPart::Users), 0, "mail").is_some(),
        "each section has its own"
    );
    let of_variants = names.find_meant_field(FieldTable::Variants, 0, "qty").map(|meant| meant.field.name);
    assert_eq!(of_variants, Some("StockQty"), "and so have variants");
}

#[test]
fn the_name_at_each_position_is_remembered_up_to_a_thousand() {
    let names = NearMisses::default();
    for (position, remembered) in [(0, 1), (7, 8), (999, 1000), (1000, 1000), (5000, 1000)] {
        assert!(names.find_meant_field(PRODUCTS_TABLE, position, "Own").is_none());
        assert_eq!(names.count_remembered(), remembered, "{position}");
    }
}

#[test]
fn a_name_means_the_same_wherever_it_stands() {
    let names = NearMisses::default();
    let meant =
        |position, name| names.find_meant_field(PRODUCTS_TABLE, position, name).map(|meant| meant.field.name);
    for _ in 0..3 {
        for (position, name, field) in [
            (0, "Own", None),
            (1, "price", Some("Prices")),
            (0, "price", Some("Prices")),
            (1, "Own", None),
            (7, "url", Some("Link")),
        ] {
            assert_eq!(meant(position, name), field, "{position} {name}");
        }
    }
}

#[test]
fn a_name_with_more_wrong_letters_than_its_length_allows_is_another_name() {
    for (part, name) in [
        (FeedPart::PRODUCTS, "Imag"),
        (FeedPart::PRODUCTS, "Tytel"),
        (FeedPart::PRODUCTS, "Diskripton"),
        (FeedPart::Orders, "UnitPrc"),
        (FeedPart::Orders, "Kuantiti"),
    ] {
        assert_eq!(meant(part, name), None, "{name}");
    }
}

#[test]
fn names_are_like_a_documented_one_up_to_a_length() {
    for (bytes, is_like) in [(40, true), (41, false)] {
        let field = format!("{:_<bytes$}", "price");
        let section = format!("{:_<bytes$}", "items");
        let is_field = NearMisses::default().find_meant_field(PRODUCTS_TABLE, 0, &field).is_some();
        assert_eq!((is_field, section_meant(&section).is_some()), (is_like, is_like), "{bytes}");
    }
}

#[test]
fn names_that_take_turns_at_a_position_are_remembered_once() {
    let names = NearMisses::default();
    for (turn, name) in ["Own", "price"].into_iter().cycle().take(2500).enumerate() {
        let is_like = names.find_meant_field(PRODUCTS_TABLE, 0, name).is_some();
        assert_eq!(is_like, name == "price", "{turn}");
    }
    assert_eq!(names.count_remembered(), 2);
}
