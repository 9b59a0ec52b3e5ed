//! The feed of a made-up shop.

use std::fmt::Write as _;
use std::io::{self, Write};

use super::kinds::{CATEGORIES, KINDS, SampleKind, category_number};
use super::mistakes;
use super::pictures::{PICTURES_PATH, picture_name};
use super::random::SampleRandom;
use super::words::{BRANDS, COLOURS, FAMILY_NAMES, GIVEN_NAMES, ORIGINS, SENTENCES};

/// Settings of a made-up shop. Equal shops give equal feeds, byte for byte.
#[derive(Clone, Debug)]
pub struct SampleShop {
    /// Seed of the random numbers.
    pub seed: u64,
    /// Good products, about 760 bytes of JSON each.
    pub products: u64,
    /// People with a profile; 0 leaves `Users` out.
    pub people: u64,
    /// Currencies of the prices with the value of one pound in each, in hundredths.
    pub currencies: &'static [(&'static str, u64)],
    /// True if a dozen deliberate mistakes stand after the good products ([`super::EXPECTED_ISSUES`]). A section
    /// needs some 150 good rows to pass with them.
    pub errors: bool,
    /// Origin of the server of Lethe that serves the pictures, such as `http://127.0.0.1:8080`.
    pub pictures: String,
}

/// Origin of the pictures by default: the address on which `lethe serve` listens.
pub const DEFAULT_PICTURES_ORIGIN: &str = "http://127.0.0.1:8080";

impl Default for SampleShop {
    fn default() -> Self {
        let currencies = &[("GBP", 100), ("EUR", 117), ("USD", 127), ("SEK", 1_340)];
        Self {
            seed: 1,
            products: 2_000,
            people: 0,
            currencies,
            errors: false,
            pictures: DEFAULT_PICTURES_ORIGIN.to_owned(),
        }
    }
}

/// Source of a row's random numbers, so that equal numbers in different sections are unrelated.
#[derive(Clone, Copy)]
pub(super) enum Stream {
    Product = 1,
    Person = 2,
    Popularity = 3,
    Follower = 4,
    Session = 5,
}

/// Writes the whole feed, row by row with bounded memory. Wrap `out` in a buffer.
///
/// # Errors
/// When `out` cannot be written.
pub fn write_feed(out: &mut dyn Write, shop: &SampleShop) -> io::Result<()> {
    out.write_all(b"{\"Categories\":[")?;
    write_categories(out, shop)?;
    out.write_all(b"],\n\"Brands\":[")?;
    write_brands(out)?;
    out.write_all(b"],\n\"Products\":[")?;
    let mut row = String::new();
    for number in 1..=shop.products {
        row.clear();
        row.push_str(if number == 1 { "\n" } else { ",\n" });
        push_product(&mut row, shop, number);
        out.write_all(row.as_bytes())?;
    }
    if shop.errors {
        write_mistakes(out, shop)?;
    }
    if shop.people > 0 {
        out.write_all(b"],\n\"Users\":[")?;
        write_people(out, shop)?;
    }
    out.write_all(b"]}\n")
}

/// Writes the mistakes, and the last product once more: of a product that is sent twice the later row counts.
fn write_mistakes(out: &mut dyn Write, shop: &SampleShop) -> io::Result<()> {
    for mistake in mistakes::MISTAKES {
        out.write_all(mistake.as_bytes())?;
    }
    if shop.products > 0 { write!(out, ",\n{}", product(shop, shop.products)) } else { Ok(()) }
}

fn write_people(out: &mut dyn Write, shop: &SampleShop) -> io::Result<()> {
    for number in 1..=shop.people {
        let comma = if number == 1 { "\n" } else { ",\n" };
        write!(out, "{comma}{}", person(shop, number))?;
    }
    if shop.errors { out.write_all(mistakes::INVALID_PEOPLE.as_bytes()) } else { Ok(()) }
}

fn write_categories(out: &mut dyn Write, shop: &SampleShop) -> io::Result<()> {
    for (index, category) in CATEGORIES.iter().enumerate() {
        let parents = category.parent.map(|parent| format!("\"c{}\"", category_number(parent)));
        let colour = COLOURS[index % COLOURS.len()].0;
        write!(
            out,
            "{}\n{{\"Id\":\"c{}\",\"DisplayName\":\"{}\",\"Link\":\"https://shop.example/c/{}\",\
             \"Image\":\"{}\",\"ParentIds\":[{}]}}",
            if index == 0 { "" } else { "," },
            index + 1,
            category.name,
            path_of(category.name),
            picture_url(shop, category.drawing, colour),
            parents.unwrap_or_default(),
        )?;
    }
    Ok(())
}

fn write_brands(out: &mut dyn Write) -> io::Result<()> {
    for (index, name) in BRANDS.iter().enumerate() {
        let comma = if index == 0 { "" } else { "," };
        let path = path_of(name);
        write!(
            out,
            "{comma}\n{{\"Id\":\"b{}\",\"DisplayName\":\"{name}\",\"Link\":\"https://shop.example/b/{path}\"}}",
            index + 1,
        )?;
    }
    Ok(())
}

fn path_of(name: &str) -> String {
    name.to_lowercase().replace(' ', "-")
}

fn picture_url(shop: &SampleShop, drawing: &str, colour: &str) -> String {
    format!("{}{PICTURES_PATH}{}", shop.pictures, picture_name(drawing, colour))
}

/// The Id of the product of a number from 1.
#[must_use]
pub fn product_id(number: u64) -> String {
    format!("P-{number:07}")
}

/// One product of the shop as JSON.
#[must_use]
pub fn product(shop: &SampleShop, number: u64) -> String {
    let mut row = String::new();
    push_product(&mut row, shop, number);
    row
}

/// One person of the shop as JSON. Every name is invented; `.example` has no real addresses.
#[must_use]
pub fn person(shop: &SampleShop, number: u64) -> String {
    let random = &mut SampleRandom::new(shop.seed, Stream::Person as u64, number);
    let given = random.pick(GIVEN_NAMES);
    let family = random.pick(FAMILY_NAMES);
    let year = 1950 + random.below(55);
    let month = 1 + random.below(12);
    let day = 1 + random.below(28);
    let group = random.pick(&["retail", "trade", "vip"]);
    format!(
        "{{\"UserId\":\"{}\",\"Email\":\"{}\",\"FirstName\":\"{given}\",\"LastName\":\"{family}\",\
         \"DOB\":\"{day:02}/{month:02}/{year}\",\"Group\":\"{group}\",\"Country\":\"GB\",\"Newsletter\":{}}}",
        user_id(number),
        email(shop, number),
        random.below(2) == 0
    )
}

/// The UserId of the person of a number from 1.
#[must_use]
pub fn user_id(number: u64) -> String {
    format!("U{number:06}")
}

/// The email address of the person of a number from 1.
#[must_use]
pub fn email(shop: &SampleShop, number: u64) -> String {
    let random = &mut SampleRandom::new(shop.seed, Stream::Person as u64, number);
    let given = random.pick(GIVEN_NAMES);
    let family = random.pick(FAMILY_NAMES);
    format!("{given}.{family}.{number}@mail.example").to_lowercase()
}

/// Traits of a product, from which its details follow.
pub(super) struct SampleTraits {
    pub kind: &'static SampleKind,
    pub colour: &'static str,
    pub material: &'static str,
    /// Price in pence.
    pub pence: u64,
    /// Lower price of a sale in pence.
    pub sale_pence: Option<u64>,
}

impl SampleTraits {
    /// Draws the traits of a product, from the beginning of its random numbers.
    pub fn draw(random: &mut SampleRandom) -> Self {
        let kind = &KINDS[random.below(KINDS.len() as u64) as usize];
        let colour = COLOURS[random.below(COLOURS.len() as u64) as usize].0;
        let material = random.pick(kind.materials);
        let (low, high) = kind.pence;
        let pence = price_tag(low + random.below(high - low));
        let sale = price_tag(pence * (60 + random.below(31)) / 100);
        let is_in_sale = random.below(4) == 0 && sale < pence;
        Self { kind, colour, material, pence, sale_pence: is_in_sale.then_some(sale) }
    }

    /// Title of the product.
    pub fn title(&self) -> String {
        format!("{} {} {}", self.colour, self.material, self.kind.title)
    }
}

/// A price near this one, in pence, as shops write it.
fn price_tag(pence: u64) -> u64 {
    if pence < 2_000 { pence / 50 * 50 + 49 } else { pence / 500 * 500 + 495 }
}

fn push_product(row: &mut String, shop: &SampleShop, number: u64) {
    let random = &mut SampleRandom::new(shop.seed, Stream::Product as u64, number);
    let traits = SampleTraits::draw(random);
    let SampleTraits { kind, colour, material, .. } = traits;
    let title = traits.title();
    let path = format!("{}-{number}", path_of(&title));
    let category = category_number(kind.category);
    let department = CATEGORIES[category - 1].parent.map(category_number).unwrap_or(category);
    // Writing to a String never fails.
    let _ = write!(
        row,
        "{{\"Id\":\"P-{number:07}\",\"Sku\":\"SKU-{number:07}\",\"Title\":\"{title}\",\
         \"Description\":\"{} {} {} {}\",\"Link\":\"https://shop.example/p/{path}\",\
         \"Image\":\"{}\",\"Brand\":\"b{}\",\"Categories\":[\"c{department}\",\"c{category}\"]",
        random.pick(SENTENCES),
        random.pick(SENTENCES),
        random.pick(SENTENCES),
        random.pick(SENTENCES),
        picture_url(shop, kind.drawing, colour),
        1 + random.below(BRANDS.len() as u64),
    );
    push_prices(row, "Prices", shop, traits.pence);
    if let Some(pence) = traits.sale_pence {
        push_prices(row, "SalePrices", shop, pence);
    }
    let is_in_stock = random.below(10) > 0;
    let _ = write!(row, ",\"SearchTags\":[\"{colour}\",\"{}\"],\"InStock\":{is_in_stock}", kind.title);
    push_variants(row, number, kind);
    let [length, width, weight] = kind.measures.draw(random);
    let _ = write!(
        row,
        ",\"Colour\":[\"{colour}\"],\"Material\":[\"{material}\"],\"Length\":[\"{length} cm\"],\
         \"Width\":[\"{width} cm\"],\"Weight\":\"{weight} g\",\"Origin\":\"{}\",\"Rating\":\"{}.{}\"}}",
        random.pick(ORIGINS),
        3 + random.below(2),
        random.below(10),
    );
}

fn push_prices(row: &mut String, field: &str, shop: &SampleShop, pence: u64) {
    let _ = write!(row, ",\"{field}\":[");
    for (index, (currency, rate)) in shop.currencies.iter().enumerate() {
        let comma = if index == 0 { "" } else { "," };
        let cents = pence * rate / 100;
        let _ = write!(row, "{comma}\"{}.{:02} {currency}\"", cents / 100, cents % 100);
    }
    row.push(']');
}

fn push_variants(row: &mut String, number: u64, kind: &SampleKind) {
    let sizes = kind.measures.sizes();
    if sizes.is_empty() {
        return;
    }
    let list = |text: &dyn Fn(&str) -> String| {
        sizes.iter().map(|size| format!("\"{}\"", text(size))).collect::<Vec<_>>().join(",")
    };
    let skus = list(&|size| format!("SKU-{number:07}-{size}"));
    let titles = list(&|size| format!("{} {size}", kind.title));
    let _ = write!(row, ",\"AssociatedSkus\":[{skus}],\"AssociatedTitles\":[{titles}]");
}
