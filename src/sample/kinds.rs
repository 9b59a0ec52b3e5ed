//! The kinds of things that the made-up shop sells, and its categories.

use super::random::SampleRandom;

/// Kind of product: its words, its picture, and what it costs.
pub struct SampleKind {
    /// Last words of the titles.
    pub title: &'static str,
    /// Name of the drawing in [`super::pictures`].
    pub drawing: &'static str,
    /// Category, by its name: one that has a parent.
    pub category: &'static str,
    /// Material of each product: one of these.
    pub materials: &'static [&'static str],
    /// Lowest price and the one above the highest, in pence.
    pub pence: (u64, u64),
    /// Measures of the products.
    pub measures: SampleMeasures,
}

/// Measures of a kind of product, and its variants.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum SampleMeasures {
    /// In a hand or on a table.
    Small,
    /// Furniture.
    Large,
    /// Cloth, in the sizes of rooms and beds.
    Textile,
    /// Clothes, in the sizes of people.
    Clothing,
    /// Shoes, in European sizes.
    Shoes,
}

/// Category of the shop.
pub struct SampleCategory {
    /// Its name.
    pub name: &'static str,
    /// The department above it, which stands before it in [`CATEGORIES`]; none for a department.
    pub parent: Option<&'static str>,
    /// Name of its drawing.
    pub drawing: &'static str,
}

impl SampleKind {
    const fn new(
        title: &'static str,
        drawing: &'static str,
        category: &'static str,
        materials: &'static [&'static str],
        pence: (u64, u64),
        measures: SampleMeasures,
    ) -> Self {
        Self { title, drawing, category, materials, pence, measures }
    }
}

impl SampleMeasures {
    /// The sizes in which such a product is sold; empty if there is only one.
    pub fn sizes(self) -> &'static [&'static str] {
        match self {
            Self::Small | Self::Large => &[],
            Self::Textile => &["Small", "Medium", "Large"],
            Self::Clothing => &["S", "M", "L", "XL"],
            Self::Shoes => &["38", "39", "40", "41", "42", "43", "44"],
        }
    }

    /// Draws length, width (in centimetres) and weight (in grams).
    pub fn draw(self, random: &mut SampleRandom) -> [u64; 3] {
        let [length, width, weight] = match self {
            Self::Small => [(6, 40), (5, 30), (80, 3_000)],
            Self::Large => [(40, 220), (38, 110), (3_500, 60_000)],
            Self::Textile => [(40, 300), (40, 200), (200, 9_000)],
            Self::Clothing => [(50, 120), (40, 70), (120, 1_600)],
            Self::Shoes => [(24, 31), (9, 12), (500, 1_200)],
        };
        [length, width, weight].map(|(low, high)| low + random.below(high - low))
    }
}

const fn department(name: &'static str, drawing: &'static str) -> SampleCategory {
    SampleCategory { name, parent: None, drawing }
}

const fn category(name: &'static str, parent: &'static str, drawing: &'static str) -> SampleCategory {
    SampleCategory { name, parent: Some(parent), drawing }
}

/// The categories: departments, and those below one.
pub const CATEGORIES: &[SampleCategory] = &[
    department("Furniture", "sofa"),
    department("Lighting", "floor-lamp"),
    department("Textiles", "rug"),
    department("Kitchen", "teapot"),
    department("Decoration", "vase"),
    department("Clothing", "shirt"),
    department("Office", "desk"),
    category("Chairs", "Furniture", "chair"),
    category("Sofas", "Furniture", "sofa"),
    category("Beds", "Furniture", "bed"),
    category("Tables", "Furniture", "table"),
    category("Storage", "Furniture", "shelf"),
    category("Lamps", "Lighting", "desk-lamp"),
    category("Carpets and Rugs", "Textiles", "rug"),
    category("Cushions and Curtains", "Textiles", "cushion"),
    category("Bed and Bath", "Textiles", "towel"),
    category("Tableware", "Kitchen", "plate"),
    category("Tea and Coffee", "Kitchen", "mug"),
    category("Vases and Candles", "Decoration", "candle-holder"),
    category("Mirrors and Frames", "Decoration", "mirror"),
    category("Tops", "Clothing", "t-shirt"),
    category("Coats and Dresses", "Clothing", "coat"),
    category("Shoes and Accessories", "Clothing", "shoe"),
    category("Desks and Chairs", "Office", "office-chair"),
    category("Stationery", "Office", "notebook"),
];

const WOODS: &[&str] = &["Ash", "Bamboo", "Oak", "Walnut"];
const CLOTHS: &[&str] = &["Cotton", "Linen", "Silk", "Wool"];
const COVERS: &[&str] = &["Cotton", "Leather", "Linen", "Velvet", "Wool"];
const METALS: &[&str] = &["Brass", "Copper", "Steel"];
const POTTERY: &[&str] = &["Ceramic", "Glass", "Porcelain", "Stoneware"];

/// The kinds of products.
pub const KINDS: &[SampleKind] = {
    use SampleMeasures::{Clothing, Large, Shoes, Small, Textile};
    &[
        SampleKind::new("Armchair", "armchair", "Chairs", COVERS, (19_900, 69_900), Large),
        SampleKind::new("Chair", "chair", "Chairs", WOODS, (4_900, 22_900), Large),
        SampleKind::new("Stool", "stool", "Chairs", WOODS, (2_900, 12_900), Large),
        SampleKind::new("Sofa", "sofa", "Sofas", COVERS, (39_900, 189_900), Large),
        SampleKind::new("Bed", "bed", "Beds", WOODS, (24_900, 119_900), Large),
        SampleKind::new("Bedside Table", "bedside-table", "Beds", WOODS, (5_900, 19_900), Large),
        SampleKind::new("Table", "table", "Tables", WOODS, (14_900, 89_900), Large),
        SampleKind::new("Wardrobe", "wardrobe", "Storage", WOODS, (29_900, 129_900), Large),
        SampleKind::new("Shelf", "shelf", "Storage", WOODS, (3_900, 24_900), Large),
        SampleKind::new("Desk Lamp", "desk-lamp", "Lamps", METALS, (2_900, 14_900), Small),
        SampleKind::new("Floor Lamp", "floor-lamp", "Lamps", METALS, (5_900, 29_900), Large),
        SampleKind::new(
            "Carpet",
            "rug",
            "Carpets and Rugs",
            &["Jute", "Sisal", "Wool"],
            (9_900, 79_900),
            Textile,
        ),
        SampleKind::new(
            "Rug",
            "rug",
            "Carpets and Rugs",
            &["Cotton", "Jute", "Wool"],
            (3_900, 39_900),
            Textile,
        ),
        SampleKind::new(
            "Doormat",
            "doormat",
            "Carpets and Rugs",
            &["Coir", "Cotton", "Jute"],
            (900, 3_900),
            Small,
        ),
        SampleKind::new("Cushion", "cushion", "Cushions and Curtains", CLOTHS, (900, 4_900), Small),
        SampleKind::new("Curtain", "curtain", "Cushions and Curtains", CLOTHS, (2_900, 14_900), Textile),
        SampleKind::new("Blanket", "blanket", "Bed and Bath", CLOTHS, (2_900, 14_900), Textile),
        SampleKind::new("Pillow", "pillow", "Bed and Bath", CLOTHS, (1_200, 7_900), Small),
        SampleKind::new(
            "Towel",
            "towel",
            "Bed and Bath",
            &["Bamboo", "Cotton", "Linen"],
            (700, 3_900),
            Textile,
        ),
        SampleKind::new("Bowl", "bowl", "Tableware", POTTERY, (600, 3_900), Small),
        SampleKind::new("Plate", "plate", "Tableware", POTTERY, (500, 2_900), Small),
        SampleKind::new("Serving Tray", "tray", "Tableware", WOODS, (1_400, 5_900), Small),
        SampleKind::new("Apron", "apron", "Tableware", &["Cotton", "Linen"], (1_400, 4_900), Small),
        SampleKind::new("Jug", "jug", "Tea and Coffee", POTTERY, (1_200, 5_900), Small),
        SampleKind::new("Kettle", "kettle", "Tea and Coffee", METALS, (2_400, 12_900), Small),
        SampleKind::new("Mug", "mug", "Tea and Coffee", POTTERY, (500, 2_400), Small),
        SampleKind::new("Teapot", "teapot", "Tea and Coffee", POTTERY, (1_900, 8_900), Small),
        SampleKind::new("Candle Holder", "candle-holder", "Vases and Candles", METALS, (800, 4_900), Small),
        SampleKind::new("Plant Pot", "planter", "Vases and Candles", POTTERY, (900, 6_900), Small),
        SampleKind::new("Vase", "vase", "Vases and Candles", POTTERY, (1_400, 9_900), Small),
        SampleKind::new("Mirror", "mirror", "Mirrors and Frames", METALS, (3_900, 24_900), Large),
        SampleKind::new("Picture Frame", "picture-frame", "Mirrors and Frames", WOODS, (900, 5_900), Small),
        SampleKind::new("Shirt", "shirt", "Tops", &["Cotton", "Linen", "Silk"], (2_900, 11_900), Clothing),
        SampleKind::new("T-Shirt", "t-shirt", "Tops", &["Bamboo", "Cotton"], (1_200, 4_900), Clothing),
        SampleKind::new(
            "Coat",
            "coat",
            "Coats and Dresses",
            &["Canvas", "Leather", "Wool"],
            (8_900, 39_900),
            Clothing,
        ),
        SampleKind::new("Dress", "dress", "Coats and Dresses", CLOTHS, (4_900, 22_900), Clothing),
        SampleKind::new(
            "Jeans",
            "jeans",
            "Coats and Dresses",
            &["Cotton", "Denim"],
            (3_900, 14_900),
            Clothing,
        ),
        SampleKind::new(
            "Hat",
            "hat",
            "Shoes and Accessories",
            &["Cotton", "Straw", "Wool"],
            (1_900, 7_900),
            Small,
        ),
        SampleKind::new("Scarf", "scarf", "Shoes and Accessories", CLOTHS, (1_900, 9_900), Small),
        SampleKind::new(
            "Shoes",
            "shoe",
            "Shoes and Accessories",
            &["Canvas", "Leather"],
            (4_900, 18_900),
            Shoes,
        ),
        SampleKind::new(
            "Backpack",
            "backpack",
            "Shoes and Accessories",
            &["Canvas", "Leather"],
            (3_900, 17_900),
            Small,
        ),
        SampleKind::new(
            "Wallet",
            "wallet",
            "Shoes and Accessories",
            &["Canvas", "Leather"],
            (1_900, 8_900),
            Small,
        ),
        SampleKind::new("Desk", "desk", "Desks and Chairs", WOODS, (12_900, 69_900), Large),
        SampleKind::new("Office Chair", "office-chair", "Desks and Chairs", COVERS, (9_900, 44_900), Large),
        SampleKind::new(
            "Bookend",
            "bookend",
            "Stationery",
            &["Marble", "Oak", "Slate", "Steel"],
            (900, 4_900),
            Small,
        ),
        SampleKind::new(
            "Notebook",
            "notebook",
            "Stationery",
            &["Cork", "Leather", "Linen"],
            (500, 2_900),
            Small,
        ),
    ]
};

/// Place of a category in [`CATEGORIES`], from 1 on: the number in its id.
///
/// # Panics
/// When there is no such category.
pub fn category_number(name: &str) -> usize {
    let place = CATEGORIES.iter().position(|category| category.name == name);
    1 + place.expect("a category of the shop")
}
