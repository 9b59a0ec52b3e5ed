//! Searches of an index that follows, compared with those of an index that is built at once.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lethe::feeds::section::Section;
use lethe::ids::AccountId;
use lethe::search::autocomplete::Completions;
use lethe::search::document::{ProductDocument, ShopTables, read_account_price, read_document};
use lethe::search::engine::{ProductResult, SearchQuery, SearchResult};
use lethe::search::index::snapshot::IndexSnapshot;
use lethe::search::index::{DocumentChange, Index};
use lethe::search::index_context::IndexContext;
use lethe::search::pricing::{BuyerContext, PriceTerms, QueryPurpose};
use lethe::search::query::columns::AttributeColumns;
use lethe::search::query::facets::parse_facets;
use lethe::search::query::filters::Filters;
use lethe::search::query::sort::Sort;
use lethe::search::spellcheck::Dictionary;
use lethe::search::statistics::{Statistics, StatisticsCounter};
use lethe::search::text::{Analyser, ShopLanguage};
use serde_json::{Value, json};
use tantivy::directory::RamDirectory;

use crate::support::catalogue_follower::{Rows, list_shown_rows};
use crate::support::random::Random;
use crate::support::world::{NOON, World};

/// Words of titles and of queries: some are there seldom, and near others.
const WORDS: [&str; 26] = [
    "red",
    "blue",
    "oak",
    "chair",
    "lamp",
    "shoe",
    "steel",
    "headphone",
    "head phone",
    "15 inch",
    "1 TB",
    "with",
    "curtain",
    "chait",
    "lampe",
    "shoet",
    "curtian",
    "zanzibar",
    // Compounds and their parts, for the shops that are German.
    "jacke",
    "jacken",
    "winter",
    "winterjacke",
    "winterjacken",
    "regenjacke",
    "tischlampe",
    "cat 6",
];
/// Products that only searched schedules have, so that enough of them match.
const MORE_ITEMS: u64 = 16;
/// Questions in a comparison.
const QUESTIONS: usize = 8;

impl Random {
    fn one_of<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len() as u64) as usize]
    }

    fn words(&mut self, most: u64) -> String {
        let words: Vec<&str> = (0..=self.below(most)).map(|_| *self.one_of(&WORDS)).collect();
        words.join(" ")
    }

    /// Adds to a feed or delta the fields that followers of positions do not need: those searched, filtered, counted
    /// and priced.
    pub fn furnish(&mut self, sent: &mut Value, is_feed: bool) {
        if is_feed && let Some(products) = sent["Products"].as_array_mut() {
            let more = (0..MORE_ITEMS).filter(|_| !self.is_one_in(3));
            products.extend(more.collect::<Vec<_>>().into_iter().map(|n| json!({"Id": format!("x{n}")})));
        } else {
            let id = format!("x{}", self.below(MORE_ITEMS));
            match self.below(4) {
                0 => add(sent, "DeleteProducts", id.into()),
                1 | 2 => add(sent, "Products", json!({"Id": id})),
                _ => {}
            }
        }
        for product in sent["Products"].as_array_mut().into_iter().flatten() {
            self.furnish_product(product);
        }
        for (section, letter) in [("Categories", "c"), ("Brands", "b")] {
            if is_feed && self.is_one_in(3) {
                let of = |n: u64, random: &mut Self| {
                    json!({"Id": format!("{letter}{n}"), "DisplayName": random.words(1), "IsActive": !random.is_one_in(6),
                           "ParentIds": [format!("{letter}{}", random.below(4))]})
                };
                sent[section] = (0..3).map(|n| of(n, self)).collect::<Vec<_>>().into();
            }
        }
    }

    fn furnish_product(&mut self, product: &mut Value) {
        let id = product["Id"].as_str().expect("an id").to_owned();
        product["Title"] = self.words(4).into();
        let mut set = |is_set: bool, name: &str, value: Value| {
            if is_set {
                product[name] = value;
            }
        };
        set(self.is_one_in(2), "Brand", format!("b{}", self.below(3)).into());
        set(self.is_one_in(3), "Description", self.words(6).into());
        set(self.is_one_in(2), "Colour", (*self.one_of(&["red", "blue", "green"])).into());
        set(self.is_one_in(4), "Width", format!("{} cm", self.below(3)).into());
        set(!self.is_one_in(6), "Prices", json!([format!("{} GBP", self.below(9))]));
        set(self.is_one_in(6), "Prices", json!([format!("{} EUR", self.below(9)), "7 GBP"]));
        set(self.is_one_in(4), "SalePrices", json!(["2 GBP"]));
        set(self.is_one_in(8), "SalePriceEndDate", "2026-01-01".into());
        set(self.is_one_in(6), "GroupPrices", json!({"trade": {"Prices": ["1 GBP"]}}));
        set(self.is_one_in(10), "AccountInclusions", json!(["acme"]));
        set(self.is_one_in(10), "AccountExclusions", json!(["acme"]));
        set(self.is_one_in(10), "NoDefaultPriceForAccounts", true.into());
        set(self.is_one_in(8), "ExcludeFromSearch", true.into());
        set(self.is_one_in(8), "ExcludeFromProductListing", true.into());
        set(self.is_one_in(4), "InStock", false.into());
        if self.is_one_in(4) {
            set(true, "AssociatedIds", json!([format!("{id}a"), "shared"]));
            set(true, "AssociatedSkus", json!([format!("V{id}"), "s3"]));
            set(true, "AssociatedTitles", json!([self.words(3), self.words(3)]));
        }
    }
}

fn add(sent: &mut Value, name: &str, item: Value) {
    match sent[name].as_array_mut() {
        Some(list) => list.push(item),
        None => sent[name] = json!([item]),
    }
}

/// The live products of a shop, as search reads them.
struct Shelf {
    shop: ShopTables,
    products: Vec<ProductDocument>,
}

impl Shelf {
    fn read(rows: &Rows) -> Self {
        let mut shop = ShopTables::default();
        let mut agreed: HashMap<&str, Vec<(String, PriceTerms)>> = HashMap::new();
        for ((section, id), row) in rows {
            match section {
                Section::Products => {}
                Section::Categories => shop.categories.put_row(id, row).expect("a category"),
                Section::Brands => shop.brands.put_row(id, row).expect("a brand"),
                Section::AccountPrices => {
                    let (tag, product) = id.split_once('|').expect("a tag and a product");
                    let prices = read_account_price(row).expect("a price").prices;
                    agreed.entry(product).or_default().push((tag.to_owned(), prices));
                }
            }
        }
        let mut products = Vec::new();
        for (_, row) in rows.iter().filter(|((section, _), _)| *section == Section::Products) {
            let mut product = read_document(row, &shop).expect("a product");
            let prices_of = |id: &String, sku: &String| {
                let names = [Some(id), Some(sku).filter(|sku| *sku != id)].into_iter().flatten();
                names.filter_map(|name| agreed.get(name.as_str())).flatten().cloned().collect()
            };
            product.offer.add_account_prices(prices_of(&product.id, &product.sku));
            for variant in &mut product.variants {
                variant.offer.add_account_prices(prices_of(&variant.id, &variant.sku));
            }
            products.push(product);
        }
        Self { shop, products }
    }

    fn index(&self, knowledge: &Arc<IndexContext>) -> Arc<IndexSnapshot> {
        let directory = Box::new(RamDirectory::create());
        let mut index = Index::create_in(directory, Arc::clone(knowledge)).expect("an index");
        for product in &self.products {
            index.write(DocumentChange::Put(product)).expect("written");
        }
        index.commit("").expect("committed")
    }

    /// A caller who may be asking.
    fn caller(&self, random: &mut Random) -> BuyerContext {
        let offers = self.products.iter().map(|product| &product.offer);
        let tags: Vec<&String> = offers
            .flat_map(|offer| offer.accounts.iter().map(|(tag, _)| tag).chain(&offer.inclusions))
            .collect();
        let account_tag = if tags.is_empty() { None } else { Some((*random.one_of(&tags)).clone()) };
        BuyerContext {
            account_tag: account_tag.filter(|_| random.is_one_in(2)),
            group: Some("trade".to_owned()).filter(|_| random.is_one_in(4)),
            currency: *random.one_of(&[None, Some(*b"GBP"), Some(*b"GBP"), Some(*b"EUR")]),
            now: *random.one_of(&[NOON / 1000, 0, 4_000_000_000]),
            purpose: QueryPurpose::Search,
        }
    }

    fn query(&self, random: &mut Random) -> String {
        if self.products.is_empty() || !random.is_one_in(4) {
            return if random.is_one_in(5) { String::new() } else { random.words(3) };
        }
        let product = random.one_of(&self.products);
        let variant = product.variants.first().map(|variant| [&variant.sku, &variant.id, &variant.title]);
        let mut names = vec![&product.id, &product.sku, &product.title];
        names.extend(variant.into_iter().flatten());
        (*random.one_of(&names)).clone()
    }

    fn request(&self, columns: &AttributeColumns, caller: &BuyerContext, random: &mut Random) -> SearchQuery {
        let mut filters = json!({});
        let mut facets = vec!["Brand", "Category", "InStock"];
        let mut sorts = vec!["relevance", "relevance", "title", "-title", "newest"];
        let has_currency = caller.currency.is_some();
        if has_currency {
            facets.push("Price");
            sorts.extend(["price", "-price"]);
        }
        if columns.find_name("Colour").is_some() {
            facets.push("Attributes.Colour");
            sorts.push("Attributes.Colour");
        }
        if random.is_one_in(4) {
            filters["Brand"] = json!(["b0", "b1"]);
        }
        if random.is_one_in(4) {
            filters["Category"] = json!([format!("c{}", random.below(4))]);
        }
        if random.is_one_in(4) && has_currency {
            filters["Price"] = json!({"From": random.below(3), "To": 3 + random.below(6)});
        }
        if random.is_one_in(4) && facets.contains(&"Attributes.Colour") {
            filters["Attributes"] = json!({"Colour": ["red", "blue"]});
        }
        let names: Vec<String> =
            facets.into_iter().filter(|_| random.is_one_in(2)).map(str::to_owned).collect();
        SearchQuery {
            query: self.query(random),
            page: 1 + random.below(2) as usize,
            size: *random.one_of(&[250, 5]),
            filters: Filters::parse(&filters, columns).expect("filters"),
            facets: parse_facets(&names, columns).expect("facets"),
            sort: Sort::parse(random.one_of::<&str>(&sorts), columns, has_currency).expect("an order"),
            highlight: random.is_one_in(3),
            correct: !random.is_one_in(4),
            ..SearchQuery::default()
        }
    }
}

/// All that one question to an index tells.
type Told = (SearchResult, Vec<ProductResult>, (Completions, Vec<ProductResult>));

fn ask(
    snapshot: &IndexSnapshot,
    shop: &ShopTables,
    request: &SearchQuery,
    caller: &BuyerContext,
    like: &str,
) -> Told {
    let mut answer = snapshot.search(request, caller).expect("an answer");
    answer.facets.iter_mut().for_each(|facet| facet.arrange(shop, &[]));
    let similar = snapshot.similar(like, 5, None, caller).expect("similar products");
    let prefix: String = request.query.chars().take(4).collect();
    (
        answer,
        similar,
        snapshot
            .complete((&prefix, &[]), 5, lethe::search::engine::SearchPolicy::default(), caller)
            .expect("completions"),
    )
}

/// Demands that the index of the account, which catches up first if it may be behind, answers as one that is built
/// from the account's live items.
pub async fn assert_answers(world: &World, account: AccountId, random: &mut Random, is_behind: bool) {
    if is_behind {
        world.node().derived.catch_up(account).await;
    }
    let running = world.node().derived.searches().get_or_open(account).await.expect("a search");
    let shelf = Shelf::read(&list_shown_rows(world, account).await);
    let knowledge = running.snapshot.knowledge();
    let rebuilt = shelf.index(knowledge);
    assert_eq!(running.snapshot.products(), shelf.products.len(), "products in the index");
    for _ in 0..QUESTIONS {
        let caller = shelf.caller(random);
        let request = shelf.request(knowledge.columns(), &caller, random);
        let like = format!("x{}", random.below(MORE_ITEMS));
        let found = ask(&running.snapshot, &running.shop, &request, &caller, &like);
        let expected = ask(&rebuilt, &shelf.shop, &request, &caller, &like);
        assert_eq!(found, expected, "{request:?} of {caller:?}");
    }
}

/// Rebuilds an index, and demands that its statistics are those of the account's live items.
pub async fn assert_renewed(world: &World, account: AccountId) {
    world.node().derived.searches().renew(account).await.expect("an index");
    let running = world.node().derived.searches().get_or_open(account).await.expect("a search");
    let analyser = Arc::clone(running.snapshot.knowledge().analyser());
    let mut counter = StatisticsCounter::new(analyser, []);
    Shelf::read(&list_shown_rows(world, account).await)
        .products
        .iter()
        .for_each(|product| counter.add(product));
    assert_eq!(running.snapshot.knowledge().statistics().name(), counter.finish().name(), "statistics");
}

/// The folders of an account's indices: one, and for a while the next.
fn folders(data: &Path, account: AccountId) -> Vec<PathBuf> {
    let found = std::fs::read_dir(data.join("search").join(account.0.to_string())).into_iter().flatten();
    let mut folders: Vec<_> = found.map(|folder| folder.expect("a folder").path()).collect();
    folders.sort();
    folders
}

/// The language in the settings of an index, if they are whole.
fn language_of(folder: &Path) -> Option<ShopLanguage> {
    let settings = std::fs::read(folder.join("lethe.json")).ok()?;
    let settings: Value = serde_json::from_slice(&settings).ok()?;
    ShopLanguage::parse(settings["language"].as_str()?)
}

/// Joins the segments of an account's indices that are not open.
pub fn merge(data: &Path, account: AccountId) {
    for folder in folders(data, account) {
        let Ok(statistics) = std::fs::read(folder.join("statistics")) else { continue };
        let Ok(statistics) = Statistics::decode(&statistics) else { continue };
        let Some(language) = language_of(&folder) else { continue };
        let analyser = Arc::new(Analyser::new(language));
        let dictionary = Arc::new(Dictionary::empty(language));
        let knowledge = IndexContext::new(analyser, Arc::new(statistics), dictionary);
        // A copy made during a write may not be whole.
        let Ok(mut index) = Index::open(&folder, knowledge) else { continue };
        let payload = index.payload().expect("a payload");
        index.merge_all().expect("merged");
        assert!(index.snapshot().segments().len() < 2);
        assert_eq!(index.payload().expect("a payload"), payload);
    }
}

/// A changed file of an index.
pub struct Torn {
    index: PathBuf,
    /// True if the index needs it for certain.
    is_needed: bool,
}

impl Torn {
    /// Tears some file of an account's indices that are not open, if there is one.
    pub fn tear(data: &Path, account: AccountId, random: &mut Random) -> Option<Self> {
        let files =
            folders(data, account).into_iter().flat_map(|folder| std::fs::read_dir(folder).expect("files"));
        let mut files: Vec<_> = files.map(|file| file.expect("a file").path()).collect();
        files.retain(|file| file.metadata().expect("its size").len() > 0);
        files.sort();
        if files.is_empty() {
            return None;
        }
        let file = random.one_of(&files);
        let name = file.file_name().and_then(|name| name.to_str()).expect("a name").to_owned();
        let index = file.parent().expect("a folder").to_owned();
        let list = String::from_utf8_lossy(&std::fs::read(index.join("meta.json")).unwrap_or_default())
            .replace('-', "");
        let segment = name.split_once('.').map_or("", |(segment, _)| segment);
        // Among several lists of removed products, the test ignores which is the last.
        let is_of_segment = segment.len() == 32 && list.contains(segment) && !name.ends_with(".del");
        let is_list = ["statistics", "meta.json", ".managed.json", "lethe.json"].contains(&name.as_str());
        let mut bytes = std::fs::read(file).expect("a file");
        let place = random.below(bytes.len() as u64) as usize;
        match random.below(3) {
            0 => bytes.truncate(place),
            1 => bytes[place] ^= 0x80,
            _ => bytes[place..].fill(0),
        }
        let is_other = bytes != std::fs::read(file).expect("a file");
        std::fs::write(file, bytes).expect("torn");
        Some(Self { index, is_needed: is_other && (is_of_segment || is_list) })
    }

    /// Demands that the torn index was thrown away.
    pub fn assert_noticed(&self, data: &Path, account: AccountId) {
        let is_left = folders(data, account).contains(&self.index);
        assert!(!self.is_needed || !is_left, "a torn file of {} was not noticed", self.index.display());
    }
}
