//! Variants of a stored product, alone and as a table: their options, numbers, prices and stock. What a variant leaves
//! out is its product's.

use std::borrow::Cow;
use std::collections::HashSet;

use serde_json::{Map, Value, json};

use crate::console::ui::option_rows::shorten;

/// Variants of a page, so that it stays light.
const ROWS: usize = 50;
/// Options that have a column.
const COLUMNS: usize = 6;

/// The table of a product's variants; null without any.
pub(super) fn variant_table(product: &Value) -> Value {
    let variants = list_variants(product);
    if variants.is_empty() {
        return Value::Null;
    }
    let columns = option_names(&variants);
    let rows: Vec<_> = variants.iter().take(ROWS).map(|variant| row(variant, product, &columns)).collect();
    let names: Vec<_> = columns.iter().map(|name| shorten(name)).collect();
    json!({"Options": names, "Left": variants.len() - rows.len(), "Rows": rows})
}

/// The variant of a row with this id.
pub(super) fn find_variant<'p>(product: &'p Value, id: &str) -> Option<Cow<'p, Value>> {
    list_variants(product).into_iter().find(|variant| id_of_variant(variant) == id)
}

/// The id of a variant; its article number where it has no id.
fn id_of_variant(variant: &Value) -> &Value {
    variant.get("Id").unwrap_or(&variant["Sku"])
}

/// A member of a variant; its product's where it leaves it out.
pub(super) fn member_of_variant<'v>(variant: &'v Value, product: &'v Value, name: &str) -> &'v Value {
    variant.get(name).or(product.get(name)).unwrap_or(&Value::Null)
}

/// Returns true if a variant can be bought, as search reads its row; `None` where neither it nor its product says so.
pub(super) fn is_in_stock(variant: &Value, product: &Value) -> Option<bool> {
    let is_there = |row: &Value| row["InStock"].as_bool().or(number(&row["StockQty"]).map(|left| left > 0.0));
    is_there(variant).or_else(|| is_there(product))
}

/// The variants of a row: its own, and those of its lists of numbers and titles that are not among these.
fn list_variants(product: &Value) -> Vec<Cow<'_, Value>> {
    let own = product["Variants"].as_array().into_iter().flatten();
    let mut variants: Vec<_> = own.map(Cow::Borrowed).collect();
    let keys = variants.iter().flat_map(|variant| ["Id", "Sku"].map(|name| variant[name].as_str()));
    let told: HashSet<String> = keys.flatten().map(str::to_owned).collect();
    let lists = [("Id", "AssociatedIds"), ("Sku", "AssociatedSkus"), ("Title", "AssociatedTitles")];
    let count = lists.iter().filter_map(|(_, list)| product[*list].as_array()).map(Vec::len).max();
    let variant = |at: usize| -> Value {
        let members = lists.iter().map(|(name, list)| ((*name).to_owned(), product[*list][at].clone()));
        members.filter(|(_, value)| is_told(value)).collect::<Map<_, _>>().into()
    };
    let listed = (0..count.unwrap_or_default()).map(variant);
    let is_new = |variant: &Value| id_of_variant(variant).as_str().is_none_or(|id| !told.contains(id));
    variants.extend(listed.filter(is_new).map(Cow::Owned));
    variants
}

/// Returns true unless a value is null or an empty text, as in a list whose places are those of another.
fn is_told(value: &Value) -> bool {
    !value.is_null() && *value != ""
}

/// Names of the options that have a column, in the shop's order.
fn option_names<'v>(variants: &'v [Cow<'_, Value>]) -> Vec<&'v str> {
    let mut names = Vec::new();
    let options = variants.iter().filter_map(|variant| variant["Options"].as_object());
    for name in options.flat_map(|options| options.keys()) {
        if names.len() < COLUMNS && !names.contains(&name.as_str()) {
            names.push(name.as_str());
        }
    }
    names
}

fn row(variant: &Value, product: &Value, columns: &[&str]) -> Value {
    let price = member_of_variant(variant, product, "Prices")[0].as_str();
    let amount = price.and_then(split_price);
    let options: Vec<_> = columns.iter().map(|name| text(&variant["Options"][*name])).collect();
    json!({"Id": text(id_of_variant(variant)), "Sku": text(&variant["Sku"]), "Gtin": text(&variant["Gtin"]),
        "Title": text(&variant["Title"]), "Options": options, "Price": price,
        "Amount": amount.map(|(amount, _)| amount), "Currency": amount.map(|(_, currency)| currency),
        "InStock": is_in_stock(variant, product), "StockQty": text(&variant["StockQty"])})
}

fn text(value: &Value) -> Value {
    match value {
        Value::String(text) => shorten(text).into(),
        Value::Number(number) => number.to_string().into(),
        _ => Value::Null,
    }
}

/// A quantity, which rows have as a number or as a text.
fn number(value: &Value) -> Option<f64> {
    value.as_f64().or_else(|| value.as_str()?.parse().ok())
}

/// Amount and currency of a price such as `5.00 GBP`, as the hits of a search have them.
pub(super) fn split_price(price: &str) -> Option<(f64, &str)> {
    let (amount, currency) = price.trim().split_once(' ')?;
    let amount = amount.parse::<f64>().ok().filter(|amount| amount.is_finite())?;
    Some((amount, currency))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variant_says_its_own_and_else_what_its_product_says() {
        let product = json!({"Prices": ["10.00 GBP"], "InStock": true, "Variants": [
            {"Id": "v1", "Sku": "S1", "Gtin": "4006381333931", "Title": "Red", "Options": {"Size": "M", "Colour": "Red"},
             "Prices": ["12.50 EUR"], "StockQty": 0},
            {"Sku": "S2", "Options": {"Size": 38, "Fit": "wide"}, "StockQty": "2.5"},
            {"Id": "v3", "InStock": false, "StockQty": 4, "Prices": []}]});
        let expected = json!({"Options": ["Size", "Colour", "Fit"], "Left": 0, "Rows": [
            {"Id": "v1", "Sku": "S1", "Gtin": "4006381333931", "Title": "Red", "Options": ["M", "Red", null],
             "Price": "12.50 EUR", "Amount": 12.5, "Currency": "EUR", "InStock": false, "StockQty": "0"},
            {"Id": "S2", "Sku": "S2", "Gtin": null, "Title": null, "Options": ["38", null, "wide"],
             "Price": "10.00 GBP", "Amount": 10.0, "Currency": "GBP", "InStock": true, "StockQty": "2.5"},
            {"Id": "v3", "Sku": null, "Gtin": null, "Title": null, "Options": [null, null, null],
             "Price": null, "Amount": null, "Currency": null, "InStock": false, "StockQty": "4"}]});
        assert_eq!(variant_table(&product), expected);
    }

    #[test]
    fn a_variant_without_stock_of_its_own_has_that_of_its_product() {
        let in_stock = |product: Value| variant_table(&product)["Rows"][0]["InStock"].clone();
        assert_eq!(in_stock(json!({"InStock": false, "Variants": [{"Id": "v"}]})), json!(false));
        assert_eq!(in_stock(json!({"StockQty": 0, "Variants": [{"Id": "v"}]})), json!(false));
        assert_eq!(
            in_stock(json!({"InStock": false, "Variants": [{"Id": "v", "StockQty": 1}]})),
            json!(true)
        );
        assert_eq!(in_stock(json!({"Variants": [{"Id": "v"}]})), Value::Null);
    }

    #[test]
    fn variants_that_are_lists_of_numbers_and_titles_are_shown_too() {
        let product =
            json!({"AssociatedIds": ["1", ""], "AssociatedSkus": ["a", "b"], "AssociatedTitles": ["S"]});
        let table = variant_table(&product);
        let said = |at: usize| ["Id", "Sku", "Title"].map(|name| table["Rows"][at][name].clone());
        assert_eq!(said(0), [json!("1"), json!("a"), json!("S")]);
        assert_eq!(said(1), [json!("b"), json!("b"), Value::Null]);
        assert_eq!((table["Rows"].as_array().map(Vec::len), &table["Options"]), (Some(2), &json!([])));
    }

    #[test]
    fn listed_numbers_that_are_those_of_variants_are_shown_once() {
        let product = json!({"AssociatedIds": ["1", "2", ""], "AssociatedSkus": ["a", "b", "c"],
            "Variants": [{"Id": "1", "Sku": "a"}, {"Id": "3", "Sku": "c"}]});
        let table = variant_table(&product);
        let ids: Vec<_> = (0..4).map(|at| table["Rows"][at]["Id"].as_str()).collect();
        assert_eq!(ids, [Some("1"), Some("3"), Some("2"), None]);
        let found = |id: &str| find_variant(&product, id).map(|variant| variant["Sku"].clone());
        assert_eq!([found("3"), found("2"), found("c")], [Some(json!("c")), Some(json!("b")), None]);
    }

    #[test]
    fn a_table_has_few_rows_and_columns_and_says_how_many_are_left() {
        let options: Value =
            (0..9).map(|number| (format!("o{number}"), json!("x"))).collect::<Map<_, _>>().into();
        let variants = vec![json!({"Id": "v", "Options": options}); ROWS + 7];
        let table = variant_table(&json!({ "Variants": variants }));
        assert_eq!(table["Options"], json!(["o0", "o1", "o2", "o3", "o4", "o5"]));
        assert_eq!((table["Rows"].as_array().map(Vec::len), &table["Left"]), (Some(ROWS), &json!(7)));
        for none in [json!({}), json!({"Variants": []}), json!({"Variants": "x"}), Value::Null] {
            assert_eq!(variant_table(&none), Value::Null, "{none}");
        }
    }
}
