//! A small shop with an index in memory.

use std::collections::HashMap;

use serde_json::json;
use tantivy::schema::{FAST, STRING, Schema};
use tantivy::{DocId, Index, IndexWriter, TantivyDocument};

use crate::search::document::{
    Attribute, AttributeCounter, AttributeStatistics, AttributeValue, ProductDocument,
};
use crate::search::pricing::{BuyerContext, OfferTerms, Price, PriceTerms};
use crate::search::query::columns::{AttributeColumns, ColumnFields, ID, add_columns};
use crate::search::query::facets::{Facet, parse_facets};
use crate::search::query::filters::Filters;
use crate::search::query::segment::SegmentColumns;
use crate::search::query::selection::Selection;
use crate::search::query::sort::{Sort, Sorting};
use crate::search::query::variants::StoredOffer;

/// A product with this id, title and price.
pub fn product(id: &str, title: &str, price: &str) -> ProductDocument {
    let lists = Price::parse(price).into_iter().collect();
    let prices = PriceTerms { lists, sales: Vec::new() };
    let offer = OfferTerms { prices, ..OfferTerms::default() };
    ProductDocument {
        id: id.to_owned(),
        title: title.to_owned(),
        in_stock: true,
        offer,
        ..ProductDocument::default()
    }
}

/// The product with an attribute more.
pub fn with(mut document: ProductDocument, name: &str, values: &[&str]) -> ProductDocument {
    let values = values.iter().map(|value| AttributeValue::parse(value)).collect();
    document.attributes.push(Attribute { name: name.to_owned(), values });
    document
}

/// The product in these categories.
pub fn within(mut document: ProductDocument, brand: &str, categories: &[&str]) -> ProductDocument {
    document.brand_id = brand.to_owned();
    document.categories = categories.iter().map(|id| (*id).to_owned()).collect();
    document
}

pub fn caller(currency: &str) -> BuyerContext {
    BuyerContext { currency: currency.as_bytes().try_into().ok(), ..BuyerContext::default() }
}

/// Products in segments.
pub struct Shop {
    pub columns: AttributeColumns,
    pub segments: Vec<SegmentColumns>,
    offers: HashMap<String, Vec<u8>>,
}

/// Result of a query.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    pub ids: Vec<String>,
    pub facets: Vec<Facet>,
}

impl Shop {
    /// A segment for each list; `merge` makes them one.
    pub fn new(parts: &[Vec<ProductDocument>], merge: bool) -> Self {
        let mut counter = AttributeCounter::new([]);
        parts.iter().flatten().for_each(|document| counter.add(&document.attributes));
        Self::with_statistics(&counter.finish(), parts, merge)
    }

    /// The same with the columns of these statistics.
    pub fn with_statistics(
        statistics: &AttributeStatistics,
        parts: &[Vec<ProductDocument>],
        merge: bool,
    ) -> Self {
        let columns = AttributeColumns::new(statistics);
        let mut schema = Schema::builder();
        let id = schema.add_text_field(ID, STRING | FAST);
        let fields = add_columns(&mut schema);
        let index = Index::create_in_ram(schema.build());
        let mut writer: IndexWriter = index.writer_with_num_threads(1, 15_000_000).expect("a writer");
        writer.set_merge_policy(Box::new(tantivy::merge_policy::NoMergePolicy));
        for part in parts.iter().filter(|part| !part.is_empty()) {
            for document in part {
                let mut record = TantivyDocument::new();
                record.add_text(id, &document.id);
                fields.fill(document, &columns, &mut record);
                writer.add_document(record).expect("added");
            }
            writer.commit().expect("committed");
        }
        if merge {
            let ids = index.searchable_segment_ids().expect("segments");
            writer.merge(&ids).wait().expect("merged");
        }
        let searcher = index.reader().expect("a reader").searcher();
        assert!(ColumnFields::from_schema(searcher.schema()).is_ok());
        let segments =
            searcher.segment_readers().iter().map(|reader| SegmentColumns::open(reader).expect("columns"));
        let offers = parts.iter().flatten().map(|document| (document.id.clone(), document.offer.encode()));
        Self { columns, segments: segments.collect(), offers: offers.collect() }
    }

    /// All products that the filters leave, in this order, with the facets.
    pub fn find(
        &self,
        filters: serde_json::Value,
        facets: &[&str],
        sort: &str,
        caller: &BuyerContext,
    ) -> Found {
        self.find_first(filters, facets, sort, caller, 1000)
    }

    /// The same, with so many products at most.
    pub fn find_first(
        &self,
        filters: serde_json::Value,
        facets: &[&str],
        sort: &str,
        caller: &BuyerContext,
        most: usize,
    ) -> Found {
        let filters = Filters::parse(&filters, &self.columns).expect("filters");
        let names: Vec<String> = facets.iter().map(|name| (*name).to_owned()).collect();
        let facets = parse_facets(&names, &self.columns).expect("facets");
        let sort = Sort::parse(sort, &self.columns, caller.currency.is_some()).expect("a sort");
        let mut selection = Selection::new(&filters, &facets, caller, &self.columns);
        let mut sorting = Sorting::new(&sort, most);
        for segment in &self.segments {
            let documents: Vec<DocId> = (0..segment.id.ordinals().num_docs()).collect();
            let ids: Vec<u64> =
                documents.iter().filter_map(|document| segment.id.ordinals().first(*document)).collect();
            let ids = segment.id.texts(&ids).expect("ids");
            let selected = selection.add(segment, &documents, |document| StoredOffer {
                terms: &self.offers[&ids[document as usize]],
                variants: None,
            });
            sorting.add(segment, &selected.expect("selected")).expect("sorted");
        }
        let ids = sorting.finish().into_iter().map(|sorted| sorted.id).collect();
        Found { ids, facets: selection.finish().expect("counted") }
    }

    /// The ids that the filters leave, for a caller in pounds.
    pub fn ids(&self, filters: serde_json::Value, sort: &str) -> Vec<String> {
        self.find(filters, &[], sort, &caller("GBP")).ids
    }

    /// Value and count of one facet.
    pub fn counts(&self, filters: serde_json::Value, facet: &str) -> Vec<(String, u64)> {
        let found = self.find(filters, &[facet], "newest", &caller("GBP"));
        found.facets[0].values.iter().map(|value| (value.value.clone(), value.count)).collect()
    }
}

/// Six chairs and a table in two segments.
pub fn chairs(merge: bool) -> Shop {
    let chair = |id: &str, title: &str, price: &str, colour: &[&str], width: &str| {
        with(with(product(id, title, price), "Colour", colour), "Seat width", &[width])
    };
    let first = vec![
        within(chair("c3", "Oak chair", "30.00 GBP", &["oak"], "45 cm"), "oakworks", &["chairs", "home"]),
        within(
            chair("c1", "Ash chair", "10.00 GBP", &["ash", "white"], "40 cm"),
            "ashes",
            &["chairs", "home"],
        ),
        within(chair("c2", "Élan chair", "20.00 GBP", &["white"], "40 cm"), "ashes", &["chairs", "home"]),
    ];
    let mut hidden =
        within(chair("h1", "Hidden", "1.00 GBP", &["oak"], "40 cm"), "oakworks", &["chairs", "home"]);
    hidden.offer.hidden = true;
    let mut sold =
        within(chair("c0", "Old chair", "30.00 GBP", &["oak"], "50.5 cm"), "oakworks", &["chairs", "home"]);
    sold.in_stock = false;
    sold.newest = 5;
    let second = vec![
        sold,
        hidden,
        within(chair("e1", "Euro chair", "5.00 EUR", &["ash"], "40 cm"), "ashes", &["chairs", "home"]),
        within(product("t1", "Table", "99.99 GBP"), "oakworks", &["tables", "home", "tables"]),
    ];
    Shop::new(&[first, second], merge)
}

/// No filters.
pub fn none() -> serde_json::Value {
    json!({})
}
