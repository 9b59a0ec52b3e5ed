//! `lethe search QUERY` and `lethe complete PREFIX`: a shopper's results.

use serde_json::{Value, json};

use super::account::text;
use super::api::{AccountOption, Api};
use super::context::CommandContext;
use super::fault::CliFault;
use super::print::print_line;
use super::table::{cell, row, table};
use super::view::items;
use crate::addresses::printable;

/// A search.
#[derive(clap::Args)]
#[command(after_help = "\
Values of one filter are alternatives, several filters are joined. Price takes FROM..TO, InStock true or false; any
other name but Brand and Category is that of an attribute.

Examples:
  lethe search 'red shoe' --account myshop
  lethe search laptop --filter Brand=Acme --filter Price=100..500 --currency EUR --facet Brand --facet Colour
  lethe search '' --sort newest --json
  lethe search 'red shoe' --explain               # why each hit is where it is
  lethe search 'red shoe' --session SESSIONID     # as who did something in a session finds it
  lethe search 'red shoe' --why-not 4711          # where one product is, or why it is missing")]
pub struct SearchOptions {
    /// Text that a shopper types; '' shows everything
    query: String,
    /// A filter, NAME=VALUE; may be repeated
    #[arg(long = "filter", value_name = "NAME=VALUE")]
    filters: Vec<String>,
    /// A facet that is counted: Brand, Category, Price, InStock or an attribute; may be repeated. '*': those that help
    #[arg(long = "facet", value_name = "NAME")]
    facets: Vec<String>,
    /// relevance, price, -price, newest, title, or an attribute that has an order
    #[arg(long)]
    sort: Option<String>,
    /// Option for each of whose values a product appears once, such as Colour; '' for none
    #[arg(long, value_name = "OPTION")]
    group_by: Option<String>,
    /// Currency of prices, such as EUR
    #[arg(long, value_name = "CODE")]
    currency: Option<String>,
    /// Number of the page, from 1
    #[arg(long, default_value_t = 1)]
    page: u32,
    /// Number of hits on a page
    #[arg(long, default_value_t = 10)]
    size: u32,
    /// The shopper's session, as the answer to events names it
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// Say of each hit why it is where it is
    #[arg(long)]
    explain: bool,
    /// Say where the product with this id or number is, or why it is missing; of a variant, whether it is shown
    #[arg(long, value_name = "ID", conflicts_with = "explain")]
    why_not: Option<String>,
    #[command(flatten)]
    whose: AccountOption,
}

/// The completion of a text that is being typed.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  lethe complete 'red sh' --account myshop")]
pub struct CompleteOptions {
    /// Text typed so far
    prefix: String,
    /// Number of results of each kind
    #[arg(long, default_value_t = 5)]
    size: u32,
    #[command(flatten)]
    whose: AccountOption,
}

/// Searches and prints the hits.
///
/// # Errors
/// When a filter is malformed, or the server cannot be asked or refuses.
pub async fn search(context: &CommandContext, options: &SearchOptions) -> Result<(), CliFault> {
    let mut asked = json!({"Query": options.query, "Page": options.page, "Size": options.size});
    asked["Filters"] = filters(&options.filters)?;
    let facet = |name: &String| match name.as_str() {
        "Brand" | "Category" | "Price" | "InStock" | "*" => name.clone(),
        name if name.starts_with("Attributes.") => name.to_owned(),
        name => format!("Attributes.{name}"),
    };
    asked["Facets"] = options.facets.iter().map(facet).collect();
    for (name, text) in [
        ("Sort", &options.sort),
        ("GroupBy", &options.group_by),
        ("Currency", &options.currency),
        ("SessionId", &options.session),
    ] {
        if let Some(text) = text {
            asked[name] = text.as_str().into();
        }
    }
    let api = Api::open(context, &options.whose)?;
    if let Some(id) = &options.why_not {
        asked["Id"] = id.as_str().into();
        let why = api.post("/api/search/why", &asked).await?;
        if context.json {
            print_line(&why)
        } else {
            print_reasons(&why["Reasons"], "");
            print_reasons(&json!([why["Variant"]["Says"]]), "");
        }
        return Ok(());
    }
    if options.explain {
        asked["Explain"] = true.into();
    }
    let found = api.post("/api/search", &asked).await?;
    if context.json {
        print_line(&found)
    } else {
        print_hits(&found, options.size)
    }
    Ok(())
}

/// `Brand=A`, `Price=10..50`, `Colour=red` as the API takes them.
///
/// # Errors
/// When one is malformed.
pub fn filters(given: &[String]) -> Result<Value, CliFault> {
    let mut filters = json!({});
    for filter in given {
        let (name, value) = filter.split_once('=').ok_or_else(|| {
            CliFault::Usage(format!("a filter is NAME=VALUE, such as Brand=Acme: {filter}"))
        })?;
        match name {
            "Price" => filters["Price"] = price(value)?,
            "InStock" => filters["InStock"] = json!(value == "true"),
            "Brand" | "Category" => add(&mut filters[name], value),
            name => {
                // Facets and reasons call it `Attributes.NAME`.
                let attribute = name.strip_prefix("Attributes.").unwrap_or(name);
                add(&mut filters["Attributes"][attribute], value);
            }
        }
    }
    Ok(filters)
}

fn add(values: &mut Value, value: &str) {
    match values.as_array_mut() {
        Some(values) => values.push(value.into()),
        None => *values = json!([value]),
    }
}

fn price(range: &str) -> Result<Value, CliFault> {
    let malformed =
        || CliFault::Usage("a price filter is FROM..TO, such as Price=10..50 or Price=..50".to_owned());
    let (from, to) = range.split_once("..").ok_or_else(malformed)?;
    let mut price = json!({});
    for (name, bound) in [("From", from), ("To", to)] {
        if !bound.is_empty() {
            price[name] = bound.parse::<f64>().map_err(|_| malformed())?.into();
        }
    }
    Ok(price)
}

/// Row of the first hit of a page that lacks a word; the first hit is in row 1.
fn first_partial_row(found: &Value, size: u32) -> Option<usize> {
    let place = found["Query"]["RelaxedFrom"].as_u64()?;
    let skipped = found["Page"].as_u64()?.saturating_sub(1).saturating_mul(size.into());
    usize::try_from(place.checked_sub(skipped)?).ok().filter(|row| *row > 0)
}

/// Numbers of the hits that hold all words, and of those that lack one.
fn describe_totals(found: &Value) -> String {
    let total = found["Total"].as_u64().unwrap_or_default();
    let all = found["TotalRelaxed"].as_u64().unwrap_or(total);
    let lacking = items(&found["Query"]["RelaxedWithout"]).filter_map(Value::as_str);
    let lacking: Vec<_> = lacking.map(printable).collect();
    match (all.saturating_sub(total), lacking.as_slice()) {
        (0, _) => format!("{total} in all"),
        (more, _) if total == 0 => format!("Nothing has all words; {more} have most"),
        (more, [word]) => format!("{total} with all words, {more} more without {word}"),
        (more, words) => format!("{total} with all words, {more} more that lack {}", words.join(" or ")),
    }
}

fn print_hits(found: &Value, size: u32) {
    let query = &found["Query"];
    if query["Searched"] != query["Asked"] {
        print_line(format!("Searched for: {}", printable(text(query, "Searched"))));
    }
    if let Some(other) = query["DidYouMean"].as_str() {
        print_line(format!("Did you mean: {}", printable(other)));
    }
    let mut rows = vec![row(["Id", "Price", "Stock", "Title"])];
    rows.extend(items(&found["Items"]).map(hit_row));
    let partial = first_partial_row(found, size);
    for (number, line) in table(&rows).iter().enumerate() {
        if partial == Some(number) {
            print_line("These hold fewer of the words:");
        }
        print_line(line);
        // The first line is that of the headings.
        let why = number.checked_sub(1).map(|hit| &found["Items"][hit]["Why"]);
        why.into_iter().for_each(|why| print_reasons(why, "    "));
    }
    print_line(describe_totals(found));
    for rule in found["Rules"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        print_line(format!("The rule {} acts on this search.", printable(rule)));
    }
    for name in found["NotHeld"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        print_line(format!("No product has {}, or too few have it.", printable(name)));
    }
    for (name, facet) in found["Facets"].as_object().into_iter().flatten() {
        print_line("");
        print_line(format!("{}:", printable(name)));
        let values = facet["Ranges"].as_array().or(facet.as_array());
        for value in values.into_iter().flatten() {
            let label = match value["Value"].as_str() {
                Some(value) => printable(value),
                None => format!("{} to {}", cell(&value["From"]), cell(&value["To"])),
            };
            print_line(format!("  {label}  {}", value["Count"]));
        }
    }
}

/// Id, price, stock and title of a hit, with the options of the variant that stands for it.
pub fn hit_row(hit: &Value) -> Vec<String> {
    let mut price = cell(&hit["Price"]);
    if price.split_once('.').is_some_and(|(_, decimals)| decimals.len() == 1) {
        price.push('0');
    }
    let price = format!("{price} {}", text(hit, "Currency"));
    // The price is that of the variant too.
    let in_stock = if hit["Variant"].is_object() { &hit["Variant"]["InStock"] } else { &hit["InStock"] };
    let stock = if *in_stock == true { "yes" } else { "no" };
    let options = hit["Variant"]["Options"].as_object().into_iter().flatten();
    let told = |value: &Value| match value.as_array() {
        Some(values) => values.iter().map(cell).collect::<Vec<_>>().join("/"),
        None => cell(value),
    };
    let options: Vec<_> = options.map(|(_, value)| told(value)).collect();
    let title = text(hit, "Title");
    let title =
        if options.is_empty() { title.to_owned() } else { format!("{title} ({})", options.join(", ")) };
    vec![text(hit, "Id").to_owned(), price.trim().to_owned(), stock.to_owned(), title]
}

fn print_reasons(reasons: &Value, indent: &str) {
    let reasons = reasons.as_array().into_iter().flatten().filter_map(Value::as_str);
    reasons.for_each(|reason| print_line(format!("{indent}{}", printable(reason))));
}

/// Completes and prints a shopper's offers.
///
/// # Errors
/// When the server cannot be asked or refuses.
pub async fn complete(context: &CommandContext, options: &CompleteOptions) -> Result<(), CliFault> {
    let asked = json!({"Query": options.prefix, "Size": options.size});
    let found = Api::open(context, &options.whose)?.post("/api/autocomplete", &asked).await?;
    if context.json {
        print_line(&found);
        return Ok(());
    }
    for kind in ["Queries", "Products", "Categories", "Brands"] {
        let lines: Vec<_> = items(&found[kind]).map(|found| printable(text(found, "Text"))).collect();
        if !lines.is_empty() {
            print_line(format!("{kind}:"));
            lines.iter().for_each(|line| print_line(format!("  {line}")));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(given: &[&str]) -> Result<Value, String> {
        let given: Vec<_> = given.iter().map(|filter| (*filter).to_owned()).collect();
        filters(&given).map_err(|fault| fault.to_string())
    }

    #[test]
    fn filters_are_those_of_the_interface() {
        for (given, expected) in [
            (&["Brand=a=b", "Brand=c", "Category=d"][..], json!({"Brand": ["a=b", "c"], "Category": ["d"]})),
            (&["Price=10.."], json!({"Price": {"From": 10.0}})),
            (&["Price=..0.5"], json!({"Price": {"To": 0.5}})),
            (&["Price=.."], json!({"Price": {}})),
            (&["InStock=true"], json!({"InStock": true})),
            (&["InStock=yes"], json!({"InStock": false})),
            (
                &["Colour=red", "Attributes.Colour=", "Size=7"],
                json!({"Attributes": {"Colour": ["red", ""], "Size": ["7"]}}),
            ),
            (&[], json!({})),
        ] {
            assert_eq!(read(given), Ok(expected), "{given:?}");
        }
        let price = "a price filter is FROM..TO, such as Price=10..50 or Price=..50";
        for (filter, sentence) in [
            ("Brand", "a filter is NAME=VALUE, such as Brand=Acme: Brand"),
            ("Price=10", price),
            ("Price=a..50", price),
            ("Price=10..b", price),
        ] {
            assert_eq!(read(&["Brand=a", filter]), Err(sentence.to_owned()));
        }
    }

    #[test]
    fn hits_that_lack_a_word_are_counted_apart() {
        for (total, all, lacking, line) in [
            (12, 12, json!([]), "12 in all"),
            (0, 0, json!(null), "0 in all"),
            (3, 74, json!(["grey"]), "3 with all words, 71 more without grey"),
            (3, 74, json!(["grey", "oak"]), "3 with all words, 71 more that lack grey or oak"),
            (0, 71, json!(["grey"]), "Nothing has all words; 71 have most"),
        ] {
            let found = json!({"Total": total, "TotalRelaxed": all, "Query": {"RelaxedWithout": lacking}});
            assert_eq!(describe_totals(&found), line);
        }
        for (from, page, row) in [
            (json!(4), 1, Some(4)),
            (json!(4), 2, None),
            (json!(11), 2, Some(1)),
            (json!(14), 2, Some(4)),
            (json!(null), 1, None),
        ] {
            let found = json!({"Page": page, "Query": {"RelaxedFrom": from}});
            assert_eq!(first_partial_row(&found, 10), row, "{found}");
        }
    }

    #[test]
    fn a_hit_is_told_in_four_columns() {
        for (hit, columns) in [
            (
                json!({"Id": "1", "Price": 5.5, "Currency": "GBP", "InStock": true, "Title": "T"}),
                ["1", "5.50 GBP", "yes", "T"],
            ),
            (json!({"Id": "2", "InStock": "true"}), ["2", "", "no", ""]),
            (
                json!({"Id": "3", "Title": "T", "InStock": true,
                    "Variant": {"InStock": false, "Options": {"Colour": "Red", "Size": ["S", "M"]}}}),
                ["3", "", "no", "T (Red, S/M)"],
            ),
            (json!({"Id": "4", "Price": 5, "Variant": {"InStock": true}}), ["4", "5", "yes", ""]),
        ] {
            assert_eq!(hit_row(&hit), columns);
        }
    }
}
