//! Pictures of the made-up shop's products: a drawing for each kind, in the colour of the product.

use super::words::COLOURS;

/// Path below which a server of Lethe serves the pictures.
pub const PICTURES_PATH: &str = "/sample/";

/// The colours that stand in the drawings for the colour of the product, its shade and its light.
const MAIN: &str = "#777777";
const SHADE: &str = "#555555";
const LIGHT: &str = "#999999";

macro_rules! drawings {
    ($($name:literal)+) => {
        &[$(($name, include_str!(concat!("pictures/", $name, ".svg")))),+]
    };
}

/// The drawings by name.
const DRAWINGS: &[(&str, &str)] = drawings!(
    "apron" "armchair" "backpack" "bed" "bedside-table" "blanket" "bookend" "bowl" "candle-holder" "chair" "coat"
    "curtain" "cushion" "desk" "desk-lamp" "doormat" "dress" "floor-lamp" "hat" "jeans" "jug" "kettle" "mirror" "mug"
    "notebook" "office-chair" "picture-frame" "pillow" "planter" "plate" "rug" "scarf" "shelf" "shirt" "shoe" "sofa"
    "stool" "t-shirt" "table" "teapot" "towel" "tray" "vase" "wallet" "wardrobe"
);

/// Name of the picture of a drawing in a colour of [`COLOURS`], such as `armchair-teal.svg`.
pub fn picture_name(drawing: &str, colour: &str) -> String {
    format!("{drawing}-{}.svg", slug(colour))
}

/// The picture of a name such as `armchair-teal.svg`, as SVG; `None` for another name.
#[must_use]
pub fn picture(name: &str) -> Option<String> {
    let (drawing, colour) = name.strip_suffix(".svg")?.rsplit_once('-')?;
    let (_, drawing) = DRAWINGS.iter().find(|(known, _)| *known == drawing)?;
    let (_, main) = COLOURS.iter().find(|(known, _)| slug(known) == colour)?;
    let [red, green, blue] = main.map(u32::from);
    let shade = [red, green, blue].map(|part| part * 72 / 100);
    let light = [red, green, blue].map(|part| part + (255 - part) * 35 / 100);
    let painted = drawing.replace(MAIN, &hex([red, green, blue]));
    Some(painted.replace(SHADE, &hex(shade)).replace(LIGHT, &hex(light)))
}

fn hex([red, green, blue]: [u32; 3]) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

fn slug(colour: &str) -> String {
    colour.to_lowercase().replace('é', "e")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::kinds::{CATEGORIES, KINDS};

    #[test]
    fn each_kind_and_category_has_a_picture_in_each_colour() {
        let drawings = KINDS.iter().map(|kind| kind.drawing);
        for drawing in drawings.chain(CATEGORIES.iter().map(|category| category.drawing)) {
            for (colour, _) in COLOURS {
                let picture = picture(&picture_name(drawing, colour)).expect("a picture");
                assert!(picture.starts_with("<svg ") && picture.len() < 3_000, "{drawing}");
                assert!(
                    ![MAIN, SHADE, LIGHT].iter().any(|paint| picture.contains(paint)),
                    "{drawing} {colour}"
                );
            }
        }
        assert_eq!(picture_name("t-shirt", "Écru"), "t-shirt-ecru.svg");
        let teal = picture("mug-teal.svg").expect("a picture");
        assert!(["#2c8c8c", "#1f6464", "#75b4b4"].iter().all(|paint| teal.contains(paint)), "{teal}");
    }

    #[test]
    fn another_name_is_no_picture() {
        for name in
            ["", ".svg", "mug", "mug-teal", "mug-tea.svg", "mugs-teal.svg", "../mug-teal.svg", "-teal.svg"]
        {
            assert_eq!(picture(name), None, "{name}");
        }
    }
}
