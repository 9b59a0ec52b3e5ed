//! A campaign as the fields of its editor's form, and the fields as a campaign again. Each content has its own fields:
//! those of a content that is not chosen stay in the form and do not count.

use serde_json::{Map, Value, json};

use super::filter_fields::{FilterFields, set_or_remove, texts_in};
use super::moment_field::{field_of_moment, moment_of_field};
use crate::console::ui::editor_fields::EditorFields;

/// Contents that a campaign can have, as the form names them, each with its member.
pub(crate) const CONTENTS: [(&str, &str); 7] = [
    ("products", "ProductsShown"),
    ("categories", "CategoriesShown"),
    ("brands", "BrandsShown"),
    ("html", "Html"),
    ("images", "Images"),
    ("template", "Template"),
    ("nothing", "Empty"),
];

/// Members that are texts, by their fields.
const TEXTS: [(&str, &str); 5] =
    [("id", "Id"), ("zone", "Zone"), ("title", "Title"), ("html", "Html"), ("template", "Template")];
/// Members that are lists of texts, by their fields.
const LISTS: [(&str, &str); 4] =
    [("pages", "Pages"), ("categories", "Categories"), ("brands", "Brands"), ("products", "Products")];
/// Members that are moments, by their fields.
const MOMENTS: [(&str, &str); 2] = [("from", "From"), ("until", "Until")];
/// Members of a picture, by their fields, of which each row has one.
pub(crate) const IMAGE: [(&str, &str); 3] =
    [("image_src", "Src"), ("image_alt", "Alt"), ("image_link", "Link")];

/// Beginning of the names of the fields of filters.
pub(crate) const FILTER: &str = "filter_";
/// Value of a ticked box.
const TICKED: &str = "yes";
/// Recommender of a campaign that names none.
const USUAL_RECOMMENDER: &str = "default";
/// Fields of the form that are no part of the campaign, and beginnings of the names of others.
const OF_THE_FORM: [&str; 3] = ["base", "before", "sure"];
const OF_THE_FORM_BEGIN: [&str; 2] = ["find_", "on_"];
/// Number of products, categories or brands that a zone shows where a campaign says none.
const USUAL_SIZE: u64 = 12;

/// The fields of a campaign. The campaign itself stands in `base`: members that have no field come from there, and it
/// tells what was changed since.
pub(crate) fn fields_of_campaign(campaign: &Value) -> EditorFields {
    let mut fields = EditorFields::default();
    fields.set("base", &if campaign.is_object() { campaign.to_string() } else { String::new() });
    for (field, member) in TEXTS {
        // Forms are read with these ends of lines.
        fields.set(field, &text(&campaign[member]).replace("\r\n", "\n"));
    }
    for (field, member) in LISTS {
        fields.set_values(field, texts_in(&campaign[member]));
    }
    for (field, member) in MOMENTS {
        fields.set(field, &field_of_moment(text(&campaign[member])));
    }
    fields.set("share", &digits(&campaign["Share"]));
    fields.set("shows", content_of(campaign));
    fields.set("popup", if campaign["Popup"] == true { TICKED } else { "" });
    for (field, member) in IMAGE {
        let images = campaign["Images"].as_array().into_iter().flatten();
        fields.set_values(field, images.map(|image| text(&image[member]).to_owned()).collect());
    }
    fill_products(&mut fields, &campaign["ProductsShown"]);
    let kinds = ["CategoriesShown", "BrandsShown"].map(|name| &campaign[name]);
    if let Some(kinds) = kinds.into_iter().find(|kinds| kinds.is_object()) {
        fields.set("kinds_size", &digits(&kinds["Size"]));
        fields.set("kinds_min", &digits(&kinds["Min"]));
    }
    fields
}

fn fill_products(fields: &mut EditorFields, products: &Value) {
    fields.set("recommender", products["Recommender"].as_str().unwrap_or(USUAL_RECOMMENDER));
    fields.set("size", &digits(&products["Size"]));
    fields.set("min", &digits(&products["Min"]));
    fields.set("within", text(&products["Within"]));
    fields.set("swatches", if products["Swatches"] == true { TICKED } else { "" });
    FilterFields::from_filters(&products["Filters"]).fill_fields(fields, FILTER);
}

/// The campaign as it was opened; null for a new one.
pub(crate) fn opened_campaign(fields: &EditorFields) -> Value {
    serde_json::from_str(fields.text("base")).unwrap_or_default()
}

/// Takes over what others changed in the campaign meanwhile; a field that was changed here stays as it is here, and the
/// pictures are one field.
pub(crate) fn take_over(fields: &mut EditorFields, theirs: &Value) {
    let [opened, live] = [&opened_campaign(fields), theirs].map(fields_of_campaign);
    let own_images = (image_rows(fields) != image_rows(&opened))
        .then(|| IMAGE.map(|(field, _)| (field, fields.values(field).to_vec())));
    fields.take_over(&opened, &live);
    for (field, column) in own_images.into_iter().flatten() {
        fields.set_values(field, column);
    }
    fields.set("base", &theirs.to_string());
}

/// True if no field was changed since the campaign was opened.
fn is_as_opened(fields: &EditorFields, opened: &Value) -> bool {
    let before = fields_of_campaign(opened);
    let is_part = |name: &&str| {
        !OF_THE_FORM.contains(name) && !OF_THE_FORM_BEGIN.iter().any(|begin| name.starts_with(begin))
    };
    let mut names = fields.names().chain(before.names()).filter(is_part);
    opened.is_object()
        && names.all(|name| fields.has_same(&before, name))
        && image_rows(fields) == image_rows(&before)
}

/// The campaign that the fields stand for.
pub(crate) fn campaign_of_fields(fields: &EditorFields) -> Value {
    let opened = opened_campaign(fields);
    if is_as_opened(fields, &opened) {
        return opened;
    }
    let mut made = opened.as_object().cloned().unwrap_or_default();
    for (field, member) in [("zone", "Zone"), ("title", "Title")] {
        set_text(&mut made, member, fields.text(field));
    }
    for (field, member) in LISTS {
        let filled = fields.values(field).iter().filter(|value| !value.is_empty());
        let list: Vec<_> = filled.map(String::as_str).collect();
        set_or_remove(&mut made, member, (!list.is_empty()).then(|| json!(list)));
    }
    for (field, member) in MOMENTS {
        set_text(&mut made, member, &moment_of_field(fields.text(field), text(&opened[member])));
    }
    set_or_remove(&mut made, "Share", number(fields.text("share")));
    for (_, member) in CONTENTS {
        made.shift_remove(member);
    }
    made.shift_remove("Popup");
    add_content(fields, &opened, &mut made);
    made.into()
}

/// Writes the chosen content.
fn add_content(fields: &EditorFields, opened: &Value, made: &mut Map<String, Value>) {
    let shows = fields.text("shows");
    let Some((_, member)) = CONTENTS.into_iter().find(|(content, _)| *content == shows) else { return };
    let content = match shows {
        "products" => Some(products_of_fields(fields, &opened[member])),
        "categories" | "brands" => Some(kinds_of_fields(fields, &opened[member])),
        "images" => Some(images_of_fields(fields)).filter(|images| !images.is_empty()).map(Value::from),
        "nothing" => Some(true.into()),
        _ => as_typed(fields, shows),
    };
    set_or_remove(made, member, content);
    match shows {
        // A template draws the products of its campaign.
        "products" => set_or_remove(made, "Template", as_typed(fields, "template")),
        "html" => set_or_remove(made, "Popup", is_ticked(fields, "popup").then_some(true.into())),
        _ => {}
    }
}

fn products_of_fields(fields: &EditorFields, opened: &Value) -> Value {
    let mut shown = opened.as_object().cloned().unwrap_or_default();
    let recommender = Some(fields.text("recommender")).filter(|name| *name != USUAL_RECOMMENDER);
    set_text(&mut shown, "Recommender", recommender.unwrap_or_default());
    set_size(&mut shown, fields.text("size"), fields.text("min"));
    set_text(&mut shown, "Within", fields.text("within"));
    set_or_remove(&mut shown, "Swatches", is_ticked(fields, "swatches").then_some(true.into()));
    let mut filters = opened["Filters"].as_object().cloned().unwrap_or_default();
    FilterFields::from_fields(fields, FILTER).apply_to(&mut filters);
    set_or_remove(&mut shown, "Filters", (!filters.is_empty()).then(|| filters.into()));
    shown.into()
}

fn kinds_of_fields(fields: &EditorFields, opened: &Value) -> Value {
    let mut shown = opened.as_object().cloned().unwrap_or_default();
    set_size(&mut shown, fields.text("kinds_size"), fields.text("kinds_min"));
    shown.into()
}

/// Writes the number that is shown and the least number, unless they are the usual ones and were not written out.
fn set_size(shown: &mut Map<String, Value>, size: &str, min: &str) {
    for (name, typed, usual) in [("Size", size, USUAL_SIZE), ("Min", min, 0)] {
        let is_kept = |number: &Value| *number != json!(usual) || shown.get(name) == Some(number);
        let written = number(typed).filter(is_kept);
        set_or_remove(shown, name, written);
    }
}

/// The pictures of the rows in which something is typed.
fn images_of_fields(fields: &EditorFields) -> Vec<Value> {
    let rows = image_rows(fields).into_iter();
    let filled = rows.filter(|row| !is_empty_row(row));
    let image = |[src, alt, link]: [&str; 3]| {
        let mut image = Map::new();
        // Both stand there, even if they are empty.
        image.insert("Src".to_owned(), src.into());
        image.insert("Alt".to_owned(), alt.into());
        set_text(&mut image, "Link", link);
        Value::from(image)
    };
    filled.map(image).collect()
}

/// The rows of pictures, each with its address, its text and its link, up to the last one in which something is typed.
pub(crate) fn image_rows(fields: &EditorFields) -> Vec<[&str; 3]> {
    let columns = IMAGE.map(|(field, _)| fields.values(field));
    let count = columns.iter().map(|column| column.len()).max().unwrap_or_default();
    let mut rows: Vec<_> = (0..count).map(|row| columns.map(|column| cell_of(column, row))).collect();
    while rows.last().is_some_and(is_empty_row) {
        rows.pop();
    }
    rows
}

fn is_empty_row(row: &[&str; 3]) -> bool {
    row.iter().all(|cell| cell.is_empty())
}

fn cell_of(column: &[String], row: usize) -> &str {
    column.get(row).map_or("", |cell| cell.trim())
}

/// Changes the rows of pictures by a button of the form: `up:image:ROW`, `down:image:ROW` or `remove:image:ROW`.
pub(crate) fn apply_image_button(fields: &mut EditorFields, button: &str) {
    let Some((action, row)) = button.split_once(":image:") else { return };
    let Ok(row) = row.parse::<usize>() else { return };
    let count = image_rows(fields).len();
    for (field, _) in IMAGE {
        let cells = fields.values_mut(field);
        cells.resize(count, String::new());
        match action {
            "up" if (1..count).contains(&row) => cells.swap(row - 1, row),
            "down" if row + 1 < count => cells.swap(row, row + 1),
            "remove" if row < count => drop(cells.remove(row)),
            _ => {}
        }
    }
}

/// The first field of a number that holds none, among those that count.
pub(crate) fn wrong_number(fields: &EditorFields) -> Option<&'static str> {
    let of_content: &[&str] = match fields.text("shows") {
        "products" => &["size", "min"],
        "categories" | "brands" => &["kinds_size", "kinds_min"],
        _ => &[],
    };
    let is_wrong = |field: &&str| number(fields.text(field)).is_some_and(|number| !number.is_u64());
    ["share"].iter().chain(of_content).copied().find(is_wrong)
}

/// Content of a campaign, as the form names it. A template stands beside the products that it draws.
fn content_of(campaign: &Value) -> &'static str {
    let shown = CONTENTS.into_iter().find(|(_, member)| !campaign[*member].is_null());
    shown.map_or(CONTENTS[0].0, |(content, _)| content)
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn digits(value: &Value) -> String {
    value.as_u64().map(|number| number.to_string()).unwrap_or_default()
}

/// A typed whole number; its text where it is none, and nothing where nothing is typed.
fn number(typed: &str) -> Option<Value> {
    let number = typed.parse::<u64>().map_or_else(|_| Value::from(typed), Value::from);
    (!typed.is_empty()).then_some(number)
}

/// A text of several lines with its blanks, if it has more than these.
fn as_typed(fields: &EditorFields, name: &str) -> Option<Value> {
    let written = fields.values(name).first().filter(|text| !text.trim().is_empty());
    written.map(|text| text.as_str().into())
}

fn is_ticked(fields: &EditorFields, name: &str) -> bool {
    fields.text(name) == TICKED
}

fn set_text(object: &mut Map<String, Value>, name: &str, text: &str) {
    set_or_remove(object, name, (!text.is_empty()).then(|| text.into()));
}

#[cfg(test)]
#[path = "campaign_form_tests.rs"]
mod tests;
