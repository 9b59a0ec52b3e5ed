//! Random shops and their changes: rows as they are stored.

use std::collections::BTreeMap;

use proptest::collection::vec;
use proptest::option::weighted;
use proptest::prelude::*;
use proptest::sample::{Index as Pick, select, subsequence};
use serde_json::{Value, json};

/// The rows of a shop by the ids of their products.
pub(super) type Rows = BTreeMap<String, Value>;

/// Most products of a shop.
const PRODUCTS_MAX: usize = 14;
/// Most variants of a product.
const VARIANTS_MAX: usize = 12;

pub(super) const COLOURS: &[&str] = &["Red", "Blue", "Green"];
pub(super) const MATERIALS: &[&str] = &["Cotton", "Wool"];
pub(super) const BRANDS: &[&str] = &["b1", "b2", "b3"];
pub(super) const CATEGORIES: &[&str] = &["c1", "c2", "c3"];
pub(super) const ACCOUNTS: &[&str] = &["tag-a", "tag-b"];
pub(super) const GROUPS: &[&str] = &["trade", "vip"];
/// Sizes of a shop: letters, numbers, or both.
const SIZES: [&[&str]; 3] = [&["S", "M", "XL"], &["38", "38.5", "40"], &["S", "XL", "38", "40"]];
/// Widths of a shop: of one unit, of several and of none, and a text.
const WIDTHS: [&[&str]; 4] = [
    &["45 cm", "50 cm", "60 cm"],
    &["45", "50", "60"],
    &["45 cm", "50 cm", "1 m", "45"],
    &["45 cm", "60 cm", "45", "wide"],
];
/// Titles that all have the word of the queries; some differ in case and marks alone.
const TITLES: &[&str] = &["Shirt", "Shirt Alfa", "shirt alfa", "Shirt Béta", "shirt beta", "Shirt Gamma"];
/// Days, one of them with a time, and a text that is no date.
const DATES: &[&str] = &["2026-03-03", "2026-03-06", "2026-03-06T06:00:00+00:00", "2026-03-09", "06.03.2026"];
/// Moments before, between and after [`DATES`], none of them at an end.
pub(super) const MOMENTS: &[&str] = &[
    "2026-03-02T12:00:00",
    "2026-03-03T12:00:00",
    "2026-03-06T03:00:00",
    "2026-03-06T12:00:00",
    "2026-03-10T12:00:00",
];

/// A member of a row; without a value it is left out.
type RowMember = (&'static str, Option<Value>);

/// Values from which the products of one shop take theirs.
#[derive(Debug, Clone, Copy)]
struct ValuePools {
    sizes: &'static [&'static str],
    widths: &'static [&'static str],
}

/// A shop, and changes to it in their order.
#[derive(Debug, Clone)]
pub(super) struct RandomShop {
    pub rows: Rows,
    /// The product's id and its new row; none where it is removed.
    pub changes: Vec<(String, Option<Value>)>,
}

/// Change of one product.
#[derive(Debug, Clone)]
enum RowChange {
    Remove,
    Replace(Value),
    AddVariant(Value),
    ReplaceVariant(Pick, Value),
    RemoveVariant(Pick),
}

fn object(members: impl IntoIterator<Item = RowMember>) -> Value {
    members.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
}

fn some_prices() -> BoxedStrategy<Value> {
    let amounts = ["5.00", "9.99", "10.00", "12.50", "15.00", "20.00", "25.00", "30.00", "35.00"];
    let currency = prop_oneof![3 => Just("EUR"), 1 => Just("GBP")];
    let price = (select(amounts.to_vec()), currency).prop_map(|(amount, code)| format!("{amount} {code}"));
    prop_oneof![1 => Just(json!([])), 6 => vec(price, 1..4).prop_map(|prices| json!(prices))].boxed()
}

/// Prices of these groups or accounts; some have none.
fn some_named_prices(names: &'static [&'static str]) -> BoxedStrategy<Value> {
    let entry = (weighted(0.8, some_prices()), weighted(0.4, some_prices()));
    let entry = entry.prop_map(|(lists, sales)| object([("Prices", lists), ("SalePrices", sales)]));
    vec(weighted(0.6, entry), names.len())
        .prop_map(|entries| object(names.iter().copied().zip(entries)))
        .boxed()
}

/// Prices and the period of the sale, each of them there in this share of rows or less.
fn some_terms(share: f64) -> BoxedStrategy<Vec<RowMember>> {
    let prices = (weighted(share, some_prices()), weighted(share / 2.0, some_prices()));
    let period = (weighted(share / 3.0, select(DATES)), weighted(share / 3.0, select(DATES)));
    let named = (
        weighted(share / 3.0, some_named_prices(GROUPS)),
        weighted(share / 3.0, some_named_prices(ACCOUNTS)),
    );
    (prices, period, named)
        .prop_map(|((lists, sales), (start, end), (groups, accounts))| {
            vec![
                ("Prices", lists),
                ("SalePrices", sales),
                ("SalePriceStartDate", start.map(Value::from)),
                ("SalePriceEndDate", end.map(Value::from)),
                ("GroupPrices", groups),
                ("AccountPrices", accounts),
            ]
        })
        .boxed()
}

fn some_stock() -> BoxedStrategy<Vec<RowMember>> {
    let quantity = select(vec![json!(0), json!(-1), json!(0.5), json!(3)]);
    (weighted(0.3, any::<bool>()), weighted(0.4, quantity))
        .prop_map(|(in_stock, quantity)| vec![("InStock", in_stock.map(Value::from)), ("StockQty", quantity)])
        .boxed()
}

/// One of these values, or seldom two.
fn some_values(pool: &'static [&'static str], share: f64) -> BoxedStrategy<Option<Value>> {
    let one = select(pool).prop_map(|value| json!(value));
    let two = subsequence(pool, 2).prop_shuffle().prop_map(|values| json!(values));
    weighted(share, prop_oneof![9 => one, 1 => two]).boxed()
}

/// A variant without its numbers.
fn some_variant(pools: ValuePools) -> BoxedStrategy<Value> {
    let options = (some_values(COLOURS, 0.9), some_values(pools.sizes, 0.85), some_values(pools.widths, 0.5));
    let options = options
        .prop_map(|(colour, size, width)| object([("Colour", colour), ("Size", size), ("Width", width)]));
    // An option may stand among the attributes too.
    let attributes = (some_values(MATERIALS, 0.4), some_values(COLOURS, 0.1), some_values(pools.widths, 0.1));
    let attributes = attributes.prop_map(|(material, colour, width)| {
        object([("Material", material), ("Colour", colour), ("Width", width)])
    });
    let named = (weighted(0.95, options), weighted(0.6, attributes));
    (some_terms(0.4), some_stock(), named)
        .prop_map(|(terms, stock, (options, attributes))| {
            let named = [("Options", options), ("Attributes", attributes)];
            object(terms.into_iter().chain(stock).chain(named))
        })
        .boxed()
}

/// Flags, dates and accounts that hide a product from some; few products have them.
fn some_visibility() -> BoxedStrategy<Vec<RowMember>> {
    let flag = || weighted(0.08, Just(json!(true)));
    let flags = (flag(), flag(), weighted(0.2, Just(json!(true))));
    let dates = (weighted(0.15, select(DATES)), weighted(0.1, select(DATES)));
    let accounts = |share| weighted(share, subsequence(ACCOUNTS, 1..=2).prop_map(|tags| json!(tags)));
    (flags, dates, (accounts(0.1), accounts(0.05)))
        .prop_map(|(flags, (start, end), accounts)| {
            vec![
                ("ExcludeFromSearch", flags.0),
                ("ExcludeFromProductListing", flags.1),
                ("NoDefaultPriceForAccounts", flags.2),
                ("StartDate", start.map(Value::from)),
                ("EndDate", end.map(Value::from)),
                ("AccountInclusions", accounts.0),
                ("AccountExclusions", accounts.1),
            ]
        })
        .boxed()
}

/// A product without its id.
fn some_product(pools: ValuePools) -> BoxedStrategy<Value> {
    let text = (
        select(TITLES),
        weighted(0.8, select(BRANDS)),
        subsequence(CATEGORIES, 0..=2),
        weighted(0.4, any::<bool>()),
    );
    let text = text.prop_map(|(title, brand, categories, on_offer)| {
        vec![
            ("Title", Some(json!(title))),
            ("Brand", brand.map(Value::from)),
            ("Categories", Some(json!(categories)).filter(|_| !categories.is_empty())),
            ("OnOffer", on_offer.map(Value::from)),
        ]
    });
    let attributes = (
        some_values(COLOURS, 0.3),
        some_values(pools.sizes, 0.2),
        some_values(pools.widths, 0.4),
        some_values(MATERIALS, 0.6),
    );
    let attributes = attributes.prop_map(|(colour, size, width, material)| {
        object([("Colour", colour), ("Size", size), ("Width", width), ("Material", material)])
    });
    let variants =
        weighted(0.75, vec(some_variant(pools), 1..=VARIANTS_MAX)).prop_map(|v| v.map(Value::from));
    let named = (weighted(0.8, attributes), variants);
    (text, some_terms(0.9), some_stock(), some_visibility(), named)
        .prop_map(|(text, terms, stock, visibility, (attributes, variants))| {
            let named = [("Attributes", attributes), ("Variants", variants)];
            object(text.into_iter().chain(terms).chain(stock).chain(visibility).chain(named))
        })
        .boxed()
}

fn some_change(pools: ValuePools) -> BoxedStrategy<RowChange> {
    let pick = any::<Pick>;
    prop_oneof![
        1 => Just(RowChange::Remove),
        2 => some_product(pools).prop_map(RowChange::Replace),
        2 => some_variant(pools).prop_map(RowChange::AddVariant),
        4 => (pick(), some_variant(pools)).prop_map(|(pick, new)| RowChange::ReplaceVariant(pick, new)),
        2 => pick().prop_map(RowChange::RemoveVariant),
    ]
    .boxed()
}

/// A shop of one to fourteen products, and one to five changes.
pub(super) fn some_shop() -> impl Strategy<Value = RandomShop> {
    (select(SIZES.to_vec()), select(WIDTHS.to_vec())).prop_flat_map(|(sizes, widths)| {
        let pools = ValuePools { sizes, widths };
        let products = vec(some_product(pools), 1..=PRODUCTS_MAX);
        let changes = vec((any::<Pick>(), some_change(pools)), 1..6);
        (products, changes).prop_map(|(products, changes)| RandomShop::new(products, changes))
    })
}

impl RandomShop {
    fn new(products: Vec<Value>, changes: Vec<(Pick, RowChange)>) -> Self {
        // Ids whose order is neither that of the rows nor that of their numbers.
        let ids = (0..).map(|number: usize| format!("p{}", number * 5 % PRODUCTS_MAX));
        let rows: Rows = ids.zip(products).map(|(id, row)| (id.clone(), with_ids(&id, row))).collect();
        let mut now = rows.clone();
        let apply = |(number, (pick, change))| apply_change(&mut now, &pick, change, number);
        let changes = (VARIANTS_MAX..).zip(changes).filter_map(apply).collect();
        Self { rows, changes }
    }
}

/// Changes a product of the shop; `number` is that of a new variant. `None` if the shop has no product.
fn apply_change(
    rows: &mut Rows,
    pick: &Pick,
    change: RowChange,
    number: usize,
) -> Option<(String, Option<Value>)> {
    let ids: Vec<String> = rows.keys().cloned().collect();
    let id = ids.get(pick.index(ids.len().max(1)))?.clone();
    let mut row = rows.remove(&id)?;
    let mut variants = row["Variants"].as_array().cloned().unwrap_or_default();
    match change {
        RowChange::Remove => return Some((id, None)),
        RowChange::Replace(new) => {
            row = with_ids(&id, new);
            variants = row["Variants"].as_array().cloned().unwrap_or_default();
        }
        RowChange::AddVariant(new) => variants.push(with_number(&id, number, new)),
        RowChange::ReplaceVariant(pick, mut new) if !variants.is_empty() => {
            let place = pick.index(variants.len());
            let old = &mut variants[place];
            for name in ["Id", "Sku"] {
                if let Some(text) = old.get(name) {
                    new[name] = text.clone();
                }
            }
            *old = new;
        }
        RowChange::RemoveVariant(pick) if !variants.is_empty() => {
            let place = pick.index(variants.len());
            variants.remove(place);
        }
        RowChange::ReplaceVariant(..) | RowChange::RemoveVariant(_) => {}
    }
    if row.get("Variants").is_some() || !variants.is_empty() {
        row["Variants"] = Value::from(variants);
    }
    rows.insert(id.clone(), row.clone());
    Some((id, Some(row)))
}

fn with_ids(id: &str, mut row: Value) -> Value {
    row["Id"] = json!(id);
    if let Some(variants) = row.get_mut("Variants").and_then(Value::as_array_mut) {
        for (number, variant) in variants.iter_mut().enumerate() {
            *variant = with_number(id, number, variant.take());
        }
    }
    row
}

/// Every fourth variant is known by its article number alone.
fn with_number(id: &str, number: usize, mut variant: Value) -> Value {
    variant["Sku"] = json!(format!("{id}-s{number}"));
    if number % 4 != 3 {
        variant["Id"] = json!(format!("{id}-v{number}"));
    }
    variant
}
