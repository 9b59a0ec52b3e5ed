//! Shopify: `products.json`, the Admin REST API, and lines of a GraphQL bulk operation.
//!
//! REST writes members in snake case and ids as numbers; GraphQL writes camel case, `gid://shopify/Product/1` and
//! lists as connections (`{"edges":[{"node":…}]}`). In a bulk operation each child of a product is an object of its
//! own, whose `__parentId` names the product. A text that many variants share is short, so that a record stays small
//! as rows.

mod attributes;
mod members;

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use self::attributes::{add_metafields, push_metafield, read_grams};
use self::members::{
    GlobalId, IMAGE_MEMBERS, Object, SHARED_TEXT_BYTES, find_member, find_object, list_objects, parse_gid,
    read_decimal, read_id, read_image, read_object_image, read_plain_text, read_text, unwrap_object,
};
use super::context::MappingContext;
use super::shopify_csv::{
    add_option_values, apply_compare_price, is_buyable, is_default_option, is_hidden_status, push_category,
    push_weight, read_taxonomy,
};
use crate::feeds::IssueCode;
use crate::formats::draft_row::{DraftIssue, DraftOption, DraftRow, RecordPlace, RowRole};
use crate::formats::values::availability::parse_availability;
use crate::formats::values::markup::to_plain_text;
use crate::formats::values::price_text::parse_price;

/// Rows of one product. Lethe uses 2,000 variants; some more show its own check that there were too many.
const ROWS_MAX: usize = 3_000;
/// Pictures of a product. Shopify keeps 250.
const IMAGES_MAX: usize = 250;
/// Options of a product. Shopify has 3.
const OPTIONS_MAX: usize = 20;
/// Collections of a product.
const COLLECTIONS_MAX: usize = 100;
/// The rows that an object means: of a product, a row for itself and one for each of its variants; of a child of a bulk
/// operation, the one row that it is. Empty for objects that say nothing about a product.
#[must_use]
pub fn map_shopify_product(
    object: &Object,
    place: RecordPlace,
    context: &MappingContext<'_>,
) -> Vec<DraftRow> {
    // Shopify writes a decimal point in every language.
    let context = MappingContext { is_decimal_comma: false, ..*context };
    let object = unwrap_object(object, &["node", "product"]);
    let mapper = ObjectMapper { place, context: &context };
    let parent = find_member(object, &["__parentId"]).and_then(parse_gid);
    let mut rows = match find_kind(object) {
        ObjectKind::Product => mapper.map_product(object),
        ObjectKind::Variant => mapper.map_lone_variant(object, parent),
        kind => mapper.map_addition(object, kind, parent),
    };
    rows.truncate(ROWS_MAX);
    rows
}

/// Kind of an object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum ObjectKind {
    Product,
    Variant,
    Image,
    Metafield,
    Collection,
    Other,
}

impl ObjectKind {
    fn parse(name: &str) -> Self {
        match name {
            "Product" => Self::Product,
            "ProductVariant" => Self::Variant,
            "Image" | "ImageSource" | "ProductImage" | "MediaImage" => Self::Image,
            "Metafield" => Self::Metafield,
            "Collection" => Self::Collection,
            _ => Self::Other,
        }
    }
}

/// Kind by the type, else by the id, else by the members: a child of a bulk operation may come without an id.
fn find_kind(object: &Object) -> ObjectKind {
    if let Some(name) = find_member(object, &["__typename"]).and_then(Value::as_str) {
        return ObjectKind::parse(name);
    }
    if let Some(gid) = find_member(object, &["id"]).and_then(parse_gid) {
        return ObjectKind::parse(gid.kind);
    }
    let has_any = |names: &[&str]| find_member(object, names).is_some();
    if !object.contains_key("__parentId") {
        ObjectKind::Product
    } else if has_any(&["price", "sku", "selectedOptions", "inventoryQuantity", "availableForSale"]) {
        ObjectKind::Variant
    } else if has_any(&["value"]) {
        ObjectKind::Metafield
    } else if has_any(&IMAGE_MEMBERS) {
        ObjectKind::Image
    } else {
        ObjectKind::Other
    }
}

/// A product's facts that its variants share.
#[derive(Default)]
struct ProductShared<'a> {
    id: Option<String>,
    currency: Option<&'a str>,
    option_names: HashMap<u8, String>,
    image_addresses: HashMap<String, String>,
}

struct ObjectMapper<'a> {
    place: RecordPlace,
    context: &'a MappingContext<'a>,
}

impl ObjectMapper<'_> {
    fn map_product(&self, product: &Object) -> Vec<DraftRow> {
        let shared = read_shared(product);
        let mut row = self.start_row(RowRole::Parent, shared.id.clone());
        row.id.clone_from(&shared.id);
        fill_product(&mut row, product);
        let variants = list_objects(product.get("variants"));
        let mut items: Vec<DraftRow> = Vec::new();
        for variant in variants.into_iter().take(ROWS_MAX - 1) {
            items.push(self.map_variant(variant, &shared));
        }
        let is_line = product.get("id").is_some_and(|id| parse_gid(id).is_some());
        let is_plain = items.len() == 1 && items.iter().all(|item| item.options.is_empty());
        if items.is_empty() && is_line {
            // The variants of a bulk operation are objects of their own.
            return vec![row];
        }
        if items.is_empty() || is_plain || shared.id.is_none() {
            return vec![join_plain(row, items.into_iter().next())];
        }
        let is_hidden = row.is_hidden;
        for item in &mut items {
            item.is_hidden = is_hidden;
        }
        items.insert(0, row);
        items
    }

    /// A variant that stands alone: the child of a product, or with its product inside.
    fn map_lone_variant(&self, variant: &Object, parent: Option<GlobalId<'_>>) -> Vec<DraftRow> {
        let product = find_object(variant, "product");
        let mut shared = product.map(read_shared).unwrap_or_default();
        if let Some(parent) = parent.filter(|parent| parent.kind == "Product") {
            shared.id = Some(parent.number.to_owned());
        }
        let mut rows = Vec::new();
        if let Some(product) = product.filter(|_| shared.id.is_some()) {
            let mut row = self.start_row(RowRole::Parent, shared.id.clone());
            row.id.clone_from(&shared.id);
            fill_product(&mut row, product);
            rows.push(row);
        }
        rows.push(self.map_variant(variant, &shared));
        rows
    }

    /// A child of a bulk operation that adds to its product.
    fn map_addition(&self, object: &Object, kind: ObjectKind, parent: Option<GlobalId<'_>>) -> Vec<DraftRow> {
        let Some(product) = parent.filter(|parent| parent.kind == "Product") else { return Vec::new() };
        let mut row = self.start_row(RowRole::More, Some(product.number.to_owned()));
        match kind {
            ObjectKind::Image => row.more_images.extend(read_object_image(object)),
            ObjectKind::Metafield => push_metafield(&mut row, object),
            ObjectKind::Collection => push_title(&mut row, object.get("title")),
            ObjectKind::Product | ObjectKind::Variant | ObjectKind::Other => {}
        }
        let is_empty = row.more_images.is_empty() && row.attributes.is_empty() && row.categories.is_empty();
        if is_empty { Vec::new() } else { vec![row] }
    }

    fn start_row(&self, role: RowRole, group: Option<String>) -> DraftRow {
        DraftRow { place: self.place, role, group, ..DraftRow::default() }
    }

    fn map_variant(&self, variant: &Object, shared: &ProductShared<'_>) -> DraftRow {
        let mut row = self.start_row(RowRole::Item, shared.id.clone());
        row.sku = find_member(variant, &["sku"]).and_then(read_text);
        row.gtin = find_member(variant, &["barcode"]).and_then(read_text);
        row.options = read_options(variant, shared);
        let is_default = row.options.iter().any(is_default_option);
        row.options.retain(|option| !is_default_option(option));
        if row.options.is_empty() && !is_default {
            let title = find_member(variant, &["title"]).and_then(read_plain_text);
            row.title = title.filter(|title| title != "Default Title");
        }
        let id = find_member(variant, &["id"]).and_then(read_id).or_else(|| row.sku.clone());
        row.id = id.or_else(|| shared.id.clone().map(|id| add_option_values(id, &row.options)));
        self.set_prices(&mut row, variant, shared);
        set_stock(&mut row, variant);
        let image = find_member(variant, &["featured_image", "featuredImage", "image"]).and_then(read_image);
        let image_id = find_member(variant, &["image_id", "imageId"]).and_then(read_id);
        let known_image = || image_id.and_then(|id| shared.image_addresses.get(&id).cloned());
        let media = || list_objects(variant.get("media")).into_iter().find_map(read_object_image);
        row.image = image.or_else(known_image).or_else(media);
        if let Some(grams) = read_grams(variant) {
            push_weight(&mut row, grams);
        }
        add_metafields(&mut row, variant);
        row
    }

    fn set_prices(&self, row: &mut DraftRow, variant: &Object, shared: &ProductShared<'_>) {
        let mut read = |name: &str, value: Option<&Value>| {
            let price = value.map(|value| self.read_price(value, shared));
            if price == Some(None) {
                row.issues.push(DraftIssue { code: IssueCode::PriceUnreadable, column: name.to_owned() });
            }
            price.flatten()
        };
        let price = read("price", find_member(variant, &["price", "priceV2"]));
        let compare_members = ["compare_at_price", "compareAtPrice", "compareAtPriceV2"];
        let compare = read("compare_at_price", find_member(variant, &compare_members));
        row.prices.extend(price);
        apply_compare_price(row, compare);
    }

    /// A price as text, as number, or as `{"amount": "12.50", "currencyCode": "GBP"}`.
    fn read_price(&self, value: &Value, shared: &ProductShared<'_>) -> Option<String> {
        let currency = value.get("currencyCode").and_then(read_currency).or(shared.currency);
        let text = read_text(value.get("amount").unwrap_or(value))?;
        parse_price(&text, currency, self.context)
    }
}

/// A product and its only variant as one row.
fn join_plain(product: DraftRow, variant: Option<DraftRow>) -> DraftRow {
    let mut row = DraftRow { role: RowRole::Item, group: None, ..product };
    let Some(variant) = variant else { return row };
    row.id = row.id.or(variant.id);
    row.image = row.image.or(variant.image);
    row.attributes.extend(variant.attributes);
    DraftRow {
        sku: variant.sku,
        gtin: variant.gtin,
        prices: variant.prices,
        sale_prices: variant.sale_prices,
        in_stock: variant.in_stock,
        quantity: variant.quantity,
        options: variant.options,
        issues: variant.issues,
        ..row
    }
}

fn read_shared(product: &Object) -> ProductShared<'_> {
    let mut shared = ProductShared {
        id: find_member(product, &["id", "handle"]).and_then(read_id),
        ..ProductShared::default()
    };
    let ranges = ["priceRangeV2", "priceRange"].iter().filter_map(|name| find_object(product, name));
    let mut prices = ranges.filter_map(|range| range.get("minVariantPrice")?.get("currencyCode"));
    shared.currency = prices.find_map(read_currency);
    let options = product.get("options").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    for (position, option) in (1..).zip(options.iter().take(OPTIONS_MAX)) {
        let own_position =
            option.get("position").and_then(Value::as_u64).and_then(|own| u8::try_from(own).ok());
        let name = option.get("name").unwrap_or(option).as_str().map(str::trim).unwrap_or_default();
        if !name.is_empty() && name.len() <= SHARED_TEXT_BYTES {
            shared.option_names.insert(own_position.unwrap_or(position), name.to_owned());
        }
    }
    for image in list_objects(product.get("images")).into_iter().take(IMAGES_MAX) {
        let id = image.get("id").and_then(read_id);
        shared.image_addresses.extend(id.zip(read_object_image(image)));
    }
    shared
}

/// A code of three letters; short, because every variant's price repeats it.
fn read_currency(value: &Value) -> Option<&str> {
    value.as_str().filter(|code| code.len() == 3)
}

fn fill_product(row: &mut DraftRow, product: &Object) {
    row.title = find_member(product, &["title"]).and_then(read_plain_text);
    let descriptions = ["body_html", "descriptionHtml", "bodyHtml", "description"];
    row.description = find_member(product, &descriptions).and_then(read_plain_text);
    row.brand = find_member(product, &["vendor"]).and_then(read_plain_text);
    row.link = find_member(product, &["onlineStoreUrl"]).and_then(read_text);
    row.tags = read_tags(product);
    row.is_hidden = is_hidden(product);
    add_categories(row, product);
    add_images(row, product);
    add_metafields(row, product);
}

/// Draft, archived, unlisted, or taken out of the online store, which is a `published_at` of null.
fn is_hidden(product: &Object) -> bool {
    let status = product.get("status").and_then(Value::as_str).unwrap_or_default();
    let is_unpublished =
        ["published_at", "publishedAt"].iter().any(|name| product.get(*name) == Some(&Value::Null));
    is_unpublished || is_hidden_status(status)
}

fn read_tags(product: &Object) -> Vec<String> {
    let tags: Vec<&str> = match product.get("tags") {
        Some(Value::String(text)) => text.split(',').collect(),
        Some(Value::Array(list)) => list.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    tags.into_iter().map(|tag| to_plain_text(tag.trim())).filter(|tag| !tag.is_empty()).collect()
}

fn add_categories(row: &mut DraftRow, product: &Object) {
    let category =
        find_object(product, "category").and_then(|node| find_member(node, &["fullName", "full_name"]));
    let former = ["productCategory", "standardizedProductType"]
        .iter()
        .find_map(|name| find_object(product, name)?.get("productTaxonomyNode")?.get("fullName"));
    let path = category.or(former).and_then(Value::as_str).map(read_taxonomy);
    push_category(row, path.unwrap_or_default());
    push_title(row, find_member(product, &["product_type", "productType"]));
    for collection in list_objects(product.get("collections")).into_iter().take(COLLECTIONS_MAX) {
        push_title(row, collection.get("title"));
    }
}

fn push_title(row: &mut DraftRow, title: Option<&Value>) {
    push_category(row, title.and_then(read_plain_text).into_iter().collect());
}

fn add_images(row: &mut DraftRow, product: &Object) {
    let main = find_member(product, &["image", "featuredImage", "featuredMedia"]).and_then(read_image);
    let lists = [product.get("images"), product.get("media")].map(list_objects);
    let listed = lists.iter().flatten().take(IMAGES_MAX).filter_map(|image| read_object_image(image));
    let mut seen = HashSet::new();
    let mut images = main.into_iter().chain(listed).filter(|image| seen.insert(image.clone()));
    row.image = images.next();
    row.more_images = images.collect();
}

/// `option1` to `option3` with the names of the product, or `selectedOptions`.
fn read_options(variant: &Object, shared: &ProductShared<'_>) -> Vec<DraftOption> {
    let selected = variant.get("selectedOptions").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let numbered = ["option1", "option2", "option3"].map(|name| variant.get(name));
    let mut options = Vec::new();
    for (position, option) in (1..).zip(selected.iter().take(OPTIONS_MAX)) {
        let name = option.get("name").and_then(read_plain_text);
        let value = option.get("value").and_then(read_plain_text);
        options.extend(value.map(|value| DraftOption { position, name: name.unwrap_or_default(), value }));
    }
    if options.is_empty() {
        for (position, value) in (1..).zip(numbered) {
            let name = shared.option_names.get(&position).map(|name| to_plain_text(name)).unwrap_or_default();
            let value = value.and_then(read_plain_text);
            options.extend(value.map(|value| DraftOption { position, name, value }));
        }
    }
    options
}

/// Returns true if it can be bought: as the shop says, else by quantity, policy and tracking, as far as these are
/// there.
fn set_stock(row: &mut DraftRow, variant: &Object) {
    let quantity = find_member(variant, &["inventory_quantity", "inventoryQuantity", "quantityAvailable"]);
    let count = quantity.and_then(read_decimal);
    row.quantity = count.map(|count| count.normalize().to_string());
    let said = match find_member(variant, &["available", "availableForSale"]) {
        Some(Value::Bool(is_available)) => Some(*is_available),
        Some(value) => value.as_str().and_then(parse_availability),
        None => None,
    };
    let management = variant.get("inventory_management").or_else(|| variant.get("inventoryManagement"));
    let is_managed = management.map(|system| !matches!(system.as_str(), None | Some("" | "NOT_MANAGED")));
    let tracked = find_object(variant, "inventoryItem").and_then(|item| item.get("tracked")?.as_bool());
    let is_tracked = tracked.or(is_managed);
    let policy = find_member(variant, &["inventory_policy", "inventoryPolicy"]).and_then(Value::as_str);
    let is_known = count.is_some() || is_tracked == Some(false);
    let counted = is_known.then(|| is_buyable(count, is_tracked.unwrap_or(true), policy.unwrap_or_default()));
    row.in_stock = said.or(counted);
}

#[cfg(test)]
#[path = "shopify_json_tests.rs"]
mod tests;
