//! Tests of the mapping between a campaign and the fields of its form.

use super::*;

#[test]
fn a_change_of_others_in_the_same_campaign_is_taken_over_where_it_was_not_changed_here() {
    let opened =
        json!({"Id": "a", "Zone": "HP-01", "Title": "Sale", "ProductsShown": {"Size": 12}, "Later": 1});
    let theirs = json!({"Id": "a", "Zone": "HP-02", "Title": "Theirs", "Share": 20,
        "ProductsShown": {"Size": 12, "Recommender": "similar", "Filters": {"Attributes": {"Colour": ["red"]}}}});
    let mut fields = fields_of_campaign(&opened);
    fields.set("title", "Mine");
    take_over(&mut fields, &theirs);
    let mut merged = theirs.clone();
    merged["Title"] = "Mine".into();
    assert_eq!(campaign_of_fields(&fields), merged);
    // Their content takes the place of the one that was not touched here.
    let mut fields = fields_of_campaign(&opened);
    fields.set("share", "5");
    take_over(&mut fields, &json!({"Id": "a", "Zone": "HP-01", "Title": "Sale", "Html": "<p>x</p>"}));
    let merged = json!({"Id": "a", "Zone": "HP-01", "Title": "Sale", "Share": 5, "Html": "<p>x</p>"});
    assert_eq!(campaign_of_fields(&fields), merged);
}

#[test]
fn pictures_are_taken_over_all_together() {
    let of = |images: Value| json!({"Id": "a", "Zone": "HP-01", "Images": images});
    let opened = of(json!([{"Src": "/a", "Alt": "A"}, {"Src": "/b", "Alt": ""}]));
    let theirs = of(json!([{"Src": "/b", "Alt": "B"}]));
    let mut fields = fields_of_campaign(&opened);
    fields.values_mut("image_src")[0] = "/mine".to_owned();
    take_over(&mut fields, &theirs);
    let own = of(json!([{"Src": "/mine", "Alt": "A"}, {"Src": "/b", "Alt": ""}]));
    assert_eq!(campaign_of_fields(&fields), own, "no text of theirs comes to a picture of ours");
    let mut fields = fields_of_campaign(&opened);
    fields.set("title", "T");
    take_over(&mut fields, &theirs);
    assert_eq!(campaign_of_fields(&fields)["Images"], theirs["Images"]);
}

#[test]
fn usual_values_that_were_written_out_stay_in_a_campaign_that_was_not_changed() {
    let opened = json!({"Id": "a", "Zone": " HP-01", "Template": "a\r\nb", "Popup": false,
        "ProductsShown": {"Recommender": "default", "Size": 12, "Min": 0}});
    let mut fields = fields_of_campaign(&opened);
    for (name, value) in [("before", "3"), ("find_brands", "oak"), ("on_kind", "homepage"), ("image_src", "")]
    {
        fields.set_values(name, vec![value.to_owned()]);
    }
    assert_eq!(campaign_of_fields(&fields), opened);
    fields.set("title", "x");
    assert_ne!(campaign_of_fields(&fields), opened);
}

/// The fields of a sent form.
fn fields_of(pairs: &[(&str, &str)]) -> EditorFields {
    let mut fields = EditorFields::default();
    for (name, value) in pairs {
        fields.values_mut(name).push((*value).to_owned());
    }
    fields
}

fn campaign_showing(fields: &EditorFields, content: &str) -> Value {
    let mut fields = fields.clone();
    fields.set("shows", content);
    campaign_of_fields(&fields)
}

#[test]
fn a_campaign_that_is_only_opened_stays_as_it_is() {
    let campaigns = json!([
        {"Id": "a", "Zone": "PP-01", "Title": "Warm", "Pages": ["product_page"], "Categories": ["12"],
         "Brands": ["acme"], "Products": ["p1", "p2"], "From": "2026-12-01T00:00:00+01:00",
         "Until": "2027-01-01T00:00:00Z", "Share": 50, "Template": "{{ title }}",
         "ProductsShown": {"Recommender": "similar", "Size": 8, "Min": 4, "Within": "category",
          "Filters": {"Brand": "acme", "InStock": false, "Attributes": {"Colour": ["red"]}}, "Swatches": true}},
        {"Id": "b", "Zone": "HP-01", "ProductsShown": {}},
        {"Id": "c", "Zone": "HP-01", "CategoriesShown": {"Size": 4, "Min": 1}},
        {"Id": "d", "Zone": "HP-01", "BrandsShown": {}},
        {"Id": "e", "Zone": "HP-01", "Title": "Sale", "Html": "<p>\n a</p>\n", "Popup": true},
        {"Id": "f", "Zone": "HP-01", "Images": [{"Src": "/a", "Alt": ""}, {"Src": "/b", "Alt": "b", "Link": "/c"}]},
        {"Id": "g", "Zone": "*", "Template": "{{ title }}"},
        {"Id": "h", "Zone": "*", "Share": 10, "Empty": true},
    ]);
    let contents = ["products", "products", "categories", "brands", "html", "images", "template", "nothing"];
    for (campaign, content) in campaigns.as_array().into_iter().flatten().zip(contents) {
        let fields = fields_of_campaign(campaign);
        assert_eq!((&campaign_of_fields(&fields), fields.text("shows")), (campaign, content));
        assert_eq!(wrong_number(&fields), None);
    }
}

#[test]
fn the_fields_of_a_sent_form_are_a_campaign() {
    let fields = fields_of(&[
        ("zone", " HP-01 "),
        ("title", "Warm"),
        ("pages", "homepage"),
        ("pages", "search_results"),
        ("categories", "c 1"),
        ("from", "2026-12-01T08:00"),
        ("share", "50"),
        ("shows", "products"),
        ("recommender", "default"),
        ("size", "12"),
        ("min", "0"),
        ("within", ""),
        ("filter_brand", "acme"),
        ("filter_price_to", "10"),
        ("swatches", "yes"),
        ("html", "<p>not chosen</p>"),
        ("image_src", "/a.png"),
    ]);
    let made = json!({"Zone": "HP-01", "Title": "Warm", "Pages": ["homepage", "search_results"],
        "Categories": ["c 1"], "From": "2026-12-01T08:00:00Z", "Share": 50,
        "ProductsShown": {"Swatches": true, "Filters": {"Brand": ["acme"], "Price": {"To": 10}}}});
    assert_eq!(campaign_of_fields(&fields), made);
    let html = campaign_showing(&fields, "html");
    assert_eq!((&html["Html"], &html["ProductsShown"]), (&json!("<p>not chosen</p>"), &Value::Null));
    let images = campaign_showing(&fields, "images");
    assert_eq!(images["Images"], json!([{"Src": "/a.png", "Alt": ""}]), "the other contents are not lost");
}

#[test]
fn only_the_content_that_is_chosen_counts() {
    let opened = json!({"Id": "a", "Zone": "HP-01", "Title": "Sale", "Html": "<p>Sale</p>", "Popup": true});
    let fields = fields_of_campaign(&opened);
    let empty = json!({"Id": "a", "Zone": "HP-01", "Title": "Sale", "Empty": true});
    assert_eq!(campaign_showing(&fields, "nothing"), empty);
    let without = json!({"Id": "a", "Zone": "HP-01", "Title": "Sale"});
    assert_eq!(campaign_showing(&fields, "images"), without, "no picture was typed");
    assert_eq!(campaign_showing(&fields, "unknown"), without);
    assert_eq!(campaign_showing(&fields, "brands")["BrandsShown"], json!({}));
    assert_eq!(campaign_showing(&fields, "html"), opened);
}

const IMAGES: [(&str, &str); 9] = [
    ("image_src", "/a"),
    ("image_alt", "A"),
    ("image_link", ""),
    ("image_src", ""),
    ("image_alt", ""),
    ("image_link", ""),
    ("image_src", "/b"),
    ("image_alt", ""),
    ("image_link", "/to"),
];

#[test]
fn rows_of_pictures_keep_their_order_and_empty_ones_are_left_out() {
    let images = campaign_showing(&fields_of(&IMAGES), "images");
    let expected = json!([{"Src": "/a", "Alt": "A"}, {"Src": "/b", "Alt": "", "Link": "/to"}]);
    assert_eq!(images["Images"], expected);
    // The row for a further picture is no row of the campaign.
    let typed = fields_of(&[&IMAGES[..6], &IMAGES[3..6]].concat());
    assert_eq!(image_rows(&typed), [["/a", "A", ""]]);
}

#[test]
fn rows_of_pictures_are_changed_by_their_buttons() {
    let pressed = |button: &str| {
        let mut fields = fields_of(&IMAGES);
        apply_image_button(&mut fields, button);
        image_rows(&fields).iter().map(|row| row.concat()).collect::<Vec<_>>().join(" ")
    };
    for (button, expected) in [
        ("up:image:2", "/aA /b/to"),
        ("down:image:0", " /aA /b/to"),
        ("remove:image:1", "/aA /b/to"),
        ("up:image:0", "/aA  /b/to"),
        ("down:image:2", "/aA  /b/to"),
        ("remove:image:3", "/aA  /b/to"),
        ("up:image:x", "/aA  /b/to"),
        ("up:products:1", "/aA  /b/to"),
    ] {
        assert_eq!(pressed(button), expected, "{button}");
    }
}

#[test]
fn a_number_that_is_none_is_found_at_its_field() {
    let wrong = |pairs: &[(&str, &str)]| wrong_number(&fields_of(pairs));
    assert_eq!(wrong(&[("shows", "products"), ("size", "many")]), Some("size"));
    assert_eq!(wrong(&[("shows", "products"), ("size", "4"), ("min", "-1")]), Some("min"));
    assert_eq!(wrong(&[("shows", "brands"), ("kinds_min", "1.5"), ("size", "many")]), Some("kinds_min"));
    assert_eq!(wrong(&[("shows", "html"), ("share", "half"), ("size", "many")]), Some("share"));
    assert_eq!(wrong(&[("shows", "html"), ("size", "many")]), None, "it does not count");
}
