//! Options of products on their cards, as shoppers see them: colours as swatches, all others as small labels.

use serde_json::{Map, Value, json};
use url::Url;

use crate::templates::find_colour;

/// Options on a card, and values of each.
const OPTIONS: usize = 3;
const VALUES: usize = 6;
/// Characters of a name or a value, so that a page with many cards stays light.
const CHARS: usize = 40;

/// Adds to each product of an answer that has options the rows that its card shows, as `OptionRows`, and the picture of
/// the variant that stands for it. Templates do not see in which order an object's members stand.
pub(crate) fn add_option_rows(values: &mut Value) {
    match values {
        Value::Array(all) => all.iter_mut().for_each(add_option_rows),
        Value::Object(members) if is_with_options(members) => complete_card(members),
        Value::Object(members) => members.values_mut().for_each(add_option_rows),
        _ => {}
    }
}

fn is_with_options(members: &Map<String, Value>) -> bool {
    let is_object = |name: &str| members.get(name).is_some_and(Value::is_object);
    members.contains_key("Id") && (is_object("Options") || is_object("Variant"))
}

fn complete_card(product: &mut Map<String, Value>) {
    let member = |name: &str| product.get(name).unwrap_or(&Value::Null);
    let options = member("Options").as_object().into_iter().flatten();
    let rows: Vec<_> = options
        .take(OPTIONS)
        .filter_map(|(name, values)| {
            option_row(name, values, &member("Swatches")[name], &member("Variant")["Options"][name])
        })
        .collect();
    let image = member("Variant")["Image"].as_str().filter(|image| !image.is_empty()).map(Value::from);
    if let Some(image) = image {
        product.insert("Image".to_owned(), image);
    }
    product.insert("OptionRows".to_owned(), rows.into());
}

/// The row of an option with the swatches of its values, of which one may be marked; `None` without values.
fn option_row(name: &str, values: &Value, swatches: &Value, marked: &Value) -> Option<Value> {
    let values = texts(values);
    let marked = texts(marked).into_iter().next();
    let swatch_of = |value: &str| swatches[value].as_str().filter(|swatch| is_swatch(swatch));
    let is_colour = values.iter().any(|value| swatch_of(value).is_some())
        || values.iter().all(|one| find_colour(one).is_some());
    let shown = first_values(&values, marked.as_deref());
    let drawn = shown.iter().map(|value| {
        let swatch = swatch_of(value);
        let colour =
            swatch.filter(|swatch| is_hex(swatch)).or_else(|| find_colour(value)).filter(|_| is_colour);
        let image = swatch.filter(|swatch| !is_hex(swatch));
        let is_marked = marked.as_deref() == Some(*value);
        json!({"Name": shorten(value), "Colour": colour, "Image": image, "IsMarked": is_marked})
    });
    let drawn: Vec<_> = drawn.collect();
    let left = values.len() - drawn.len();
    (!drawn.is_empty()).then(|| json!({"Name": shorten(name), "Values": drawn, "More": left}))
}

/// Values as texts: an answer has a list, or one value alone.
fn texts(values: &Value) -> Vec<String> {
    match values {
        Value::Array(all) => all.iter().flat_map(texts).collect(),
        Value::String(text) => vec![text.clone()],
        Value::Number(number) => vec![number.to_string()],
        _ => Vec::new(),
    }
}

/// The first values, the marked one among them.
fn first_values<'v>(values: &'v [String], marked: Option<&str>) -> Vec<&'v str> {
    let mut shown: Vec<&str> = values.iter().take(VALUES).map(String::as_str).collect();
    let beyond = values.iter().skip(VALUES).find(|value| Some(value.as_str()) == marked);
    if let (Some(last), Some(marked)) = (shown.last_mut(), beyond) {
        *last = marked;
    }
    shown
}

/// Returns true for a colour or the address of a picture.
fn is_swatch(text: &str) -> bool {
    is_hex(text) || Url::parse(text).is_ok_and(|url| ["http", "https"].contains(&url.scheme()))
}

fn is_hex(text: &str) -> bool {
    let digits = text.strip_prefix('#').unwrap_or_default();
    [3, 6].contains(&digits.len()) && digits.bytes().all(|sign| sign.is_ascii_hexdigit())
}

/// The beginning of a long text, with an ellipsis.
pub(crate) fn shorten(text: &str) -> String {
    let end = text.char_indices().nth(CHARS).map(|(end, _)| end);
    end.map_or_else(|| text.to_owned(), |end| format!("{}…", &text[..end]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::console::ui::render::PAGES;
    use crate::i18n::UiLanguage;

    /// The rows of a product, each as its name, its values with a star at the marked one, and how many are left out.
    fn rows(product: &Value) -> Vec<String> {
        let mut page = json!({"sides": [{"Items": [product]}]});
        page["sides"][0]["Items"][0]["Id"] = "1".into();
        add_option_rows(&mut page);
        let rows = page["sides"][0]["Items"][0]["OptionRows"].as_array().cloned().unwrap_or_default();
        let said = |value: &Value| {
            let star = if value["IsMarked"] == true { "*" } else { "" };
            let swatch = value["Colour"].as_str().or(value["Image"].as_str()).unwrap_or_default();
            format!("{star}{}{swatch}", value["Name"].as_str().unwrap_or_default())
        };
        let values =
            |row: &Value| row["Values"].as_array().into_iter().flatten().map(said).collect::<Vec<_>>();
        rows.iter()
            .map(|row| format!("{}: {} +{}", row["Name"], values(row).join(" "), row["More"]))
            .collect()
    }

    #[test]
    fn options_are_rows_in_their_order_and_the_variants_values_are_marked() {
        let sizes = ["XS", "S", "M", "L", "XL", "XXL", "3XL", "4XL"];
        let product = json!({"Options": {"Size": sizes, "Colour": ["Red", "Blue"], "Age": 7, "Fit": "wide"},
            "Swatches": {"Colour": {"Red": "#c00"}}, "Variant": {"Options": {"Size": "4XL", "Colour": "Blue"}}});
        let expected =
            ["\"Size\": XS S M L XL *4XL +2", "\"Colour\": Red#c00 *Blue#3a6ea5 +0", "\"Age\": 7 +0"];
        assert_eq!(rows(&product), expected);
        let small = json!({"Options": {"Size": sizes[..6]}, "Variant": {"Options": {"Size": "XXL"}}});
        assert_eq!(rows(&small), ["\"Size\": XS S M L XL *XXL +0"]);
        assert!(rows(&json!({"Options": {"Size": [], "Fit": null}})).is_empty());
        assert!(rows(&json!({"Title": "without options"})).is_empty());
    }

    #[test]
    fn values_are_swatches_where_one_is_told_or_all_are_called_like_colours() {
        let colours = |values: Value, swatches: Value| {
            rows(&json!({"Options": {"x": values}, "Swatches": {"x": swatches}}))[0].clone()
        };
        assert_eq!(colours(json!(["Rot", "Vert"]), Value::Null), "\"x\": Rot#c8463c Vert#4f9150 +0");
        assert_eq!(colours(json!(["Red", "S"]), Value::Null), "\"x\": Red S +0");
        let told = json!({"Oak": "https://cdn.test/o.png", "Red": "#12345"});
        assert_eq!(
            colours(json!(["Oak", "Red", "S"]), told),
            "\"x\": Oakhttps://cdn.test/o.png Red#c8463c S +0"
        );
        for wrong in ["#12", "#gggggg", "url(//evil.test)", "javascript:1", "red;x:y", "#éé"] {
            assert_eq!(colours(json!(["S"]), json!({ "S": wrong })), "\"x\": S +0", "{wrong}");
        }
    }

    #[test]
    fn a_card_shows_the_picture_of_its_variant_and_short_names() {
        let hit = |image: &str| json!({"Id": "1", "Image": "a", "Variant": {"Image": image}});
        let filters = json!({"Options": {"x": "y"}});
        let mut page = json!([hit("b"), hit(""), filters]);
        add_option_rows(&mut page);
        assert_eq!((&page[0]["Image"], &page[1]["Image"]), (&json!("b"), &json!("a")));
        assert_eq!(page[2], filters, "no product");
        let long = "é".repeat(CHARS);
        assert_eq!((shorten(&long), shorten(&format!("{long}x"))), (long.clone(), format!("{long}…")));
    }

    #[test]
    fn a_card_has_its_rows_and_whatever_a_feed_says_stays_a_text() {
        let hostile = "\"><script>x</script>";
        let mut hit = json!({"Id": "1", "Title": "T", "Options": {hostile: [hostile, "M"], "Colour": ["Red", "Sky", "Sea"]},
            "Swatches": {"Colour": {"Red": "#c00", "Sky": "https://cdn.test/s.png", "Sea": "https://evil.test/s.png"}},
            "Variant": {"Options": {"Colour": "Red"}}});
        add_option_rows(&mut hit);
        let shop = json!({"name": "s", "pictures": ["https://cdn.test"]});
        let card = PAGES.text(UiLanguage::English, "card.html", json!({"hit": hit, "shop": shop})).ok();
        let card = card.expect("a card");
        let marked = "<li aria-current=\"true\"><svg class=\"colour\" aria-hidden=\"true\">\
                      <rect width=\"100%\" height=\"100%\" fill=\"#c00\"/></svg>Red</li>";
        assert!(card.contains(marked), "{card}");
        let picture =
            "<li title=\"Sky\"><span class=\"colour\"><img class=\"picture\" src=\"https://cdn.test/s.png\"";
        assert!(card.contains(picture) && card.contains("<span class=\"unseen\">Sky</span></li>"), "{card}");
        assert!(
            card.contains("<li class=\"label\">Sea</li>") && card.contains("<li class=\"label\">M</li>"),
            "{card}"
        );
        assert!(!card.contains("<script") && !card.contains("evil.test"), "{card}");
    }
}
