//! The feed of a made-up shop.

use std::fmt::Write as _;
use std::io::{self, Write};

use super::mistakes;

use super::random::SampleRandom;
use super::words::{
    BRANDS, CATEGORIES, COLOURS, FAMILY_NAMES, GIVEN_NAMES, MATERIALS, ORIGINS, SENTENCES, SIZES, THINGS,
};

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
    /// True if a dozen deliberate mistakes stand between the good products ([`super::EXPECTED_ISSUES`]). A section
    /// needs some 150 good rows to pass with them.
    pub errors: bool,
}

impl Default for SampleShop {
    fn default() -> Self {
        let currencies = &[("GBP", 100), ("EUR", 117), ("USD", 127), ("SEK", 1_340)];
        Self { seed: 1, products: 2_000, people: 0, currencies, errors: false }
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
    write_named(out, CATEGORIES, "c")?;
    out.write_all(b"],\n\"Brands\":[")?;
    write_named(out, BRANDS, "b")?;
    out.write_all(b"],\n\"Products\":[")?;
    let mut row = String::new();
    for number in 1..=shop.products {
        row.clear();
        row.push_str(if number == 1 { "\n" } else { ",\n" });
        push_product(&mut row, shop, number);
        if shop.errors {
            mistakes::push_after(&mut row, number, shop.products);
        }
        out.write_all(row.as_bytes())?;
    }
    if shop.people > 0 {
        out.write_all(b"],\n\"Users\":[")?;
        write_people(out, shop)?;
    }
    out.write_all(b"]}\n")
}

fn write_people(out: &mut dyn Write, shop: &SampleShop) -> io::Result<()> {
    for number in 1..=shop.people {
        let comma = if number == 1 { "\n" } else { ",\n" };
        write!(out, "{comma}{}", person(shop, number))?;
    }
    if shop.errors { out.write_all(mistakes::NOBODY.as_bytes()) } else { Ok(()) }
}

fn write_named(out: &mut dyn Write, names: &[&str], kind: &str) -> io::Result<()> {
    for (index, name) in names.iter().enumerate() {
        let id = index + 1;
        let comma = if index == 0 { "" } else { "," };
        let path = name.to_lowercase().replace(' ', "-");
        write!(
            out,
            "{comma}\n{{\"Id\":\"{kind}{id}\",\"DisplayName\":\"{name}\",\"Link\":\"https://shop.example/{kind}/{path}\",\
             \"Image\":\"https://img.shop.example/{kind}/{path}.jpg\",\"ParentIds\":[]}}"
        )?;
    }
    Ok(())
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

fn push_product(row: &mut String, shop: &SampleShop, number: u64) {
    let random = &mut SampleRandom::new(shop.seed, Stream::Product as u64, number);
    let colour = random.pick(COLOURS);
    let material = random.pick(MATERIALS);
    let thing = random.pick(THINGS);
    let path = format!("{colour}-{material}-{thing}-{number}").to_lowercase().replace(' ', "-");
    // Writing to a String never fails.
    let _ = write!(
        row,
        "{{\"Id\":\"P-{number:07}\",\"Sku\":\"SKU-{number:07}\",\"Title\":\"{colour} {material} {thing}\",\
         \"Description\":\"{} {} {} {}\",\"Link\":\"https://shop.example/p/{path}\",\
         \"Image\":\"https://img.shop.example/p/{path}.jpg\",\"Brand\":\"b{}\",\"Categories\":[\"c{}\",\"c{}\"]",
        random.pick(SENTENCES),
        random.pick(SENTENCES),
        random.pick(SENTENCES),
        random.pick(SENTENCES),
        1 + random.below(BRANDS.len() as u64),
        1 + random.below(5),
        6 + random.below(CATEGORIES.len() as u64 - 5),
    );
    let pence = 250 + random.below(30_000);
    push_prices(row, "Prices", shop, pence);
    if random.below(4) == 0 {
        push_prices(row, "SalePrices", shop, pence * (60 + random.below(31)) / 100);
    }
    let _ = write!(row, ",\"SearchTags\":[\"{colour}\",\"{thing}\"],\"InStock\":{}", random.below(10) > 0);
    if random.below(3) == 0 {
        push_variants(row, number, thing, random);
    }
    let length = random.below(120);
    let width = random.below(90);
    let weight = random.below(9_000);
    let _ = write!(
        row,
        ",\"Colour\":[\"{colour}\"],\"Material\":[\"{material}\"],\"Length\":[\"{length} cm\"],\
         \"Width\":[\"{width} cm\"],\"Weight\":\"{weight} g\",\"Origin\":\"{}\"}}",
        random.pick(ORIGINS),
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

fn push_variants(row: &mut String, number: u64, thing: &str, random: &mut SampleRandom) {
    let sizes = &SIZES[..2 + random.below(SIZES.len() as u64 - 1) as usize];
    let list = |text: &dyn Fn(&str) -> String| {
        sizes.iter().map(|size| format!("\"{}\"", text(size))).collect::<Vec<_>>().join(",")
    };
    let skus = list(&|size| format!("SKU-{number:07}-{size}"));
    let titles = list(&|size| format!("{thing} {size}"));
    let _ = write!(row, ",\"AssociatedSkus\":[{skus}],\"AssociatedTitles\":[{titles}]");
}
