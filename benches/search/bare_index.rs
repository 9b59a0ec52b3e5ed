//! Bare loops that write the same products with tantivy alone, in the schema of the search, with one writer.

use std::collections::BTreeMap;
use std::path::Path;

use lethe::search::document::{ShopTables, read_document};
use lethe::search::index::schema::{self, IndexFields};
use lethe::search::index::{DIMENSIONS, IndexFormat, RecordMaker, UnsyncedDirectory};
use lethe::search::index_context::IndexContext;
use lethe::search::query::columns;
use serde::Deserialize;
use tantivy::schema::{OwnedValue, Schema};
use tantivy::tokenizer::{Language, LowerCaser, RemoveLongFilter, SimpleTokenizer, Stemmer, TextAnalyzer};
use tantivy::{Index, IndexSettings, IndexWriter, TantivyDocument};

use super::catalogue::Catalogue;

/// Memory of its writer before it writes a segment: twice that of `search::index`.
const WRITER_MEMORY_BYTES: usize = 64 << 20;
/// Bytes of the facts of a product, as `search::index` keeps them.
const FACT_BYTES: usize = 14;
/// A longer value has no place in a column.
const VALUE_BYTES: usize = 200;
/// tantivy's own limit for a word.
const WORD_BYTES: usize = 40;

/// A product as a user of tantivy would read it.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Row {
    id: String,
    sku: String,
    title: String,
    description: String,
    brand: String,
    categories: Vec<String>,
    prices: Vec<String>,
    specs: Vec<String>,
}

/// Reads each row with serde, has its texts cut and stemmed by tantivy's own English analyser, and writes the same
/// fields: words, exact names, columns, the shown row, and as many bytes of fingerprint, facts and offer.
///
/// It does not: count statistics, or read the products a second time for them; fold letters beyond lower case; strip
/// markup; tell attributes, numbers and units apart; find measures and joined words; know in which field a word
/// stands; compute fingerprints; read prices; choose the shown fields (the whole row is shown).
pub fn from_rows(catalogue: &Catalogue, folder: &Path) {
    let (schema, fields) = schema::schema(IndexFormat::Present);
    let english = TextAnalyzer::builder(SimpleTokenizer::default())
        .filter(RemoveLongFilter::limit(WORD_BYTES))
        .filter(LowerCaser)
        .filter(Stemmer::new(Language::English))
        .build();
    let index = create(folder, &schema, &fields);
    index.tokenizers().register(schema::REPEAT_TOKENIZER, english);
    let mut writer: IndexWriter = index.writer_with_num_threads(1, WRITER_MEMORY_BYTES).expect("a writer");
    for number in 0..catalogue.products() {
        let text = catalogue.row(number);
        let row: Row = serde_json::from_str(&text).expect("a row");
        writer.add_document(document(&row, &text, &fields)).expect("written");
    }
    writer.commit().expect("committed");
}

/// The documents as the search itself makes them.
pub fn documents(catalogue: &Catalogue, knowledge: &IndexContext) -> Vec<TantivyDocument> {
    let fields = schema::schema(IndexFormat::Present).1;
    let tables = ShopTables::default();
    let mut maker = RecordMaker::default();
    let mut made = |number| {
        let product = read_document(catalogue.row(number).as_bytes(), &tables).expect("a product");
        maker.make(&product, &fields, knowledge)
    };
    (0..catalogue.products()).map(&mut made).collect()
}

/// Writes documents that were made before: what of the work is tantivy's alone. It does nothing else.
pub fn from_documents(documents: Vec<TantivyDocument>, folder: &Path) {
    let (schema, fields) = schema::schema(IndexFormat::Present);
    let index = create(folder, &schema, &fields);
    let mut writer: IndexWriter = index.writer_with_num_threads(1, WRITER_MEMORY_BYTES).expect("a writer");
    for document in documents {
        writer.add_document(document).expect("written");
    }
    writer.commit().expect("committed");
}

fn create(folder: &Path, schema: &Schema, fields: &IndexFields) -> Index {
    let settings = IndexSettings { docstore_compress_dedicated_thread: false, ..IndexSettings::default() };
    let mut builder =
        Index::builder().schema(schema.clone()).settings(settings).tokenizers(schema::tokenizers());
    for plugin in schema::plugins(fields) {
        builder = builder.register_plugin(plugin);
    }
    builder.open_or_create(UnsyncedDirectory::open(folder).expect("a folder")).expect("an index")
}

fn document(row: &Row, text: &str, fields: &IndexFields) -> TantivyDocument {
    let columns = fields.columns;
    let mut document = TantivyDocument::new();
    document.add_text(fields.id, &row.id);
    document.add_custom(fields.facts, &[0; FACT_BYTES]);
    document.add_custom(fields.fingerprint, &[0; DIMENSIONS]);
    document.add_custom(fields.offer, row.prices.concat().as_bytes());
    document.add_custom(fields.shown, text.as_bytes());
    document.add_text(columns.brand, &row.brand);
    row.categories.iter().for_each(|category| document.add_text(columns.categories, category));
    document.add_text(columns.title, row.title.to_lowercase());
    document.add_u64(columns.flags, columns::IN_STOCK);
    document.add_i64(columns.newest, 0);
    let specs = row.specs.iter().filter(|value| !value.is_empty() && value.len() <= VALUE_BYTES);
    let specs: Vec<OwnedValue> = specs.map(|value| OwnedValue::Str(value.clone())).collect();
    if !specs.is_empty() {
        let named = BTreeMap::from([("Specs".to_owned(), OwnedValue::Array(specs))]);
        document.add_object(columns.attributes, named);
    }
    let texts = [&row.title, &row.brand, &row.sku, &row.description];
    for text in texts.into_iter().chain(&row.categories).chain(&row.specs) {
        document.add_text(fields.words, text);
    }
    document.add_text(fields.exact, row.id.to_lowercase());
    document.add_text(fields.exact, row.sku.to_lowercase());
    document
}
