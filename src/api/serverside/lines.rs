//! The lines of baskets and orders.

use std::borrow::Borrow;

use rust_decimal::Decimal;
use serde_json::value::RawValue;

use super::lenient_json::ByName;
use super::skipped::SkippedReasons;
use crate::feeds::orders;
use crate::limits;
use crate::search::document::first_elements;

/// A line of a basket or an order. Cannot be printed.
#[derive(Clone, PartialEq, Eq)]
pub struct ToldLine {
    /// The product's id, as sent.
    pub product: String,
    /// Quantity, above 0 and up to [`limits::LINE_QUANTITY_MAX`].
    pub quantity: Decimal,
    /// Price of one, if it was said: 0 to [`limits::LINE_PRICE_MAX`], in the currency of the call.
    pub unit_price: Option<Decimal>,
    /// The recommendation or search by which it was found, if there was one.
    pub ref_id: Option<String>,
    /// Products that it consists of, up to [`limits::LINE_CHILDREN`].
    pub children: Vec<ToldChild>,
}

/// A product within a line. Cannot be printed.
#[derive(Clone, PartialEq, Eq)]
pub struct ToldChild {
    /// Its SKU, as sent.
    pub sku: String,
    /// Quantity in one of the line, with the bounds of a line's.
    pub quantity: Decimal,
}

static_assertions::assert_not_impl_any!(ToldLine: std::fmt::Debug, std::fmt::Display, serde::Serialize);
static_assertions::assert_not_impl_any!(ToldChild: std::fmt::Debug, std::fmt::Display, serde::Serialize);

/// The lines of a basket: a list, in its order; the list `items`; or flattened. An empty list has none.
///
/// # Errors
/// When it is none of these, or none of its lines can be read: that is no empty basket.
pub fn of_basket(data: &RawValue, reasons: &mut SkippedReasons) -> Result<Vec<ToldLine>, String> {
    if !data.get().starts_with(['[', '{']) {
        return Err("data has to be the list of all lines".to_owned());
    }
    let members = ByName::from_object(data);
    if let Some(items) = members.find("items")? {
        read_list(items, reasons)
    } else if is_flattened(&members) {
        flattened_lines(&members, reasons)
    } else {
        read_list(data, reasons)
    }
}

/// The lines of an order: the list `items`, or flattened.
///
/// # Errors
/// When there is no line that can be read.
pub fn of_order(data: &ByName<'_>, reasons: &mut SkippedReasons) -> Result<Vec<ToldLine>, String> {
    let lines = match data.find("items")? {
        Some(items) => read_list(items, reasons)?,
        None => flattened_lines(data, reasons)?,
    };
    if lines.is_empty() { Err("it has no lines".to_owned()) } else { Ok(lines) }
}

fn read_list(items: &RawValue, reasons: &mut SkippedReasons) -> Result<Vec<ToldLine>, String> {
    // One more than are taken, so that the excess is reported.
    let items = first_elements(items, limits::BASKET_LINES + 1).into_iter();
    read_all(items.map(|item| (ByName::from_object(item), String::new())), reasons)
}

/// Reads lines, each with the number after its names. Lines that cannot be read are left out, and those beyond
/// [`limits::BASKET_LINES`], with the reasons.
///
/// # Errors
/// When there are lines, and none can be read.
pub fn read_all<'a, M: Borrow<ByName<'a>>>(
    lines: impl Iterator<Item = (M, String)>,
    reasons: &mut SkippedReasons,
) -> Result<Vec<ToldLine>, String> {
    let most = limits::BASKET_LINES;
    let mut kept = Vec::new();
    let mut sent = 0;
    for (members, number) in lines {
        sent += 1;
        if sent > most {
            reasons.add(format!("only the first {most} lines are taken"));
            break;
        }
        match line(members.borrow(), &number, reasons) {
            Ok(line) => kept.push(line),
            Err(reason) => reasons.add(format!("a line was left out: {reason}")),
        }
    }
    if sent > 0 && kept.is_empty() {
        return Err("none of its lines can be read".to_owned());
    }
    Ok(kept)
}

fn line(members: &ByName<'_>, number: &str, reasons: &mut SkippedReasons) -> Result<ToldLine, String> {
    let name = |name: &str| format!("{name}{number}");
    let product = members.id(&name("id"))?;
    let quantity = quantity(&members.text(&name("qty"))?)?;
    let unit_price = unit_price(&members.text(&name("unitprice"))?);
    let unit_price = unit_price.unwrap_or_else(|reason| {
        reasons.add(reason);
        None
    });
    let ref_id = members.opt_id(&name("refid")).unwrap_or_else(|reason| {
        reasons.add(reason);
        None
    });
    let children = children(members, number, reasons);
    Ok(ToldLine { product, quantity, unit_price, ref_id, children })
}

/// Reads a quantity; an empty text is one.
fn quantity(text: &str) -> Result<Decimal, String> {
    let most = limits::LINE_QUANTITY_MAX;
    if text.is_empty() {
        return Ok(Decimal::ONE);
    }
    let is_possible = |quantity: &Decimal| *quantity <= most.into();
    let quantity = orders::quantity(text).filter(is_possible);
    quantity.ok_or_else(|| format!("qty has to be a number above 0 and up to {most}"))
}

fn unit_price(text: &str) -> Result<Option<Decimal>, String> {
    let most = limits::LINE_PRICE_MAX;
    if text.is_empty() {
        return Ok(None);
    }
    let is_possible = |price: &Decimal| *price <= most.into();
    let price = orders::price(text).filter(is_possible);
    price
        .map(Some)
        .ok_or_else(|| format!("a price was left out: unitprice has to be a number from 0 to {most}"))
}

/// The children of a line: a list, or flattened as `children1_0_sku`.
fn children(members: &ByName<'_>, number: &str, reasons: &mut SkippedReasons) -> Vec<ToldChild> {
    let most = limits::LINE_CHILDREN;
    let mut read = Vec::new();
    match members.find(&format!("children{number}")) {
        Err(reason) => reasons.add(reason),
        Ok(Some(list)) => {
            let listed = first_elements(list, most + 1).into_iter();
            read.extend(listed.map(|element| child(&ByName::from_object(element), "")));
        }
        Ok(None) => {
            let begins = (0..=most).map(|child| format!("children{number}_{child}_"));
            let there = begins.take_while(|begin| members.has(&format!("{begin}sku")));
            read.extend(there.map(|begin| child(members, &begin)));
        }
    }
    if read.len() > most {
        read.truncate(most);
        reasons.add(format!("only the first {most} children of a line are taken"));
    }
    let mut kept = Vec::with_capacity(read.len());
    for child in read {
        match child {
            Ok(child) => kept.push(child),
            Err(reason) => reasons.add(format!("a child of a line was left out: {reason}")),
        }
    }
    kept
}

fn child(members: &ByName<'_>, begin: &str) -> Result<ToldChild, String> {
    let sku = members.id(&format!("{begin}sku"))?;
    Ok(ToldChild { sku, quantity: quantity(&members.text(&format!("{begin}qty"))?)? })
}

/// Returns true if an object holds the lines as plugins flatten them: `productcount`, then `id1`, `qty1`, `unitprice1`,
/// `refid1`, `children1`, then `id2`, and so on.
fn is_flattened(data: &ByName<'_>) -> bool {
    data.has("productcount") || data.has("id1")
}

/// The flattened lines, as many as `productcount` says, or as there are, if these are more.
fn flattened_lines(data: &ByName<'_>, reasons: &mut SkippedReasons) -> Result<Vec<ToldLine>, String> {
    let told: u64 = data.text("productcount")?.parse().unwrap_or(0);
    let is_there = |number: &u64| *number <= told || data.has(&format!("id{number}"));
    let numbers = (1..).take_while(is_there);
    read_all(numbers.map(|number| (data, number.to_string())), reasons)
}
