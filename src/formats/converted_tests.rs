//! Feeds of other systems as pieces: order, groups, issues, faults, and bytes of any kind.

use std::io::Read;

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::blobs::Blobs;
use crate::feeds::{FeedFault, FeedPiece, Severity};
use crate::formats::{ConversionOptions, OpenedFeed};

/// Everything that a feed gives.
#[derive(Default, PartialEq, Debug)]
struct Given {
    /// Section and row, in the order in which they come.
    rows: Vec<(&'static str, Value)>,
    /// Code, row, line and column.
    issues: Vec<(&'static str, u64, Option<u64>, Option<String>)>,
    fault: Option<String>,
}

impl Given {
    fn ids(&self, section: &str) -> Vec<&str> {
        let rows = self.rows.iter().filter(|(of, _)| *of == section);
        rows.map(|(_, row)| row["Id"].as_str().unwrap_or_default()).collect()
    }

    fn codes(&self) -> Vec<&str> {
        self.issues.iter().map(|(code, ..)| *code).collect()
    }
}

fn read(source: impl Read) -> Given {
    let folder = tempfile::tempdir().expect("a folder");
    let blobs = Blobs::open(folder.path()).expect("a folder of files");
    let mut given = Given::default();
    let mut feed = match OpenedFeed::open(source, &blobs, &ConversionOptions::default()) {
        Ok(feed) => feed,
        Err(fault) => return Given { fault: Some(fault.to_string()), ..given },
    };
    loop {
        match feed.next_piece() {
            Ok(Some(FeedPiece::Row(row))) => {
                let json = serde_json::from_slice(row.json).unwrap_or(Value::Null);
                given.rows.push((row.section.as_str(), json));
            }
            Ok(Some(FeedPiece::Issue(issue))) => {
                let field = issue.field.map(|field| field.into_owned());
                given.issues.push((issue.code.as_str(), issue.row, issue.line, field));
            }
            Ok(Some(FeedPiece::Section(_) | FeedPiece::Unknown(_))) => {}
            Ok(None) => return given,
            Err(fault) => return Given { fault: Some(fault.to_string()), ..given },
        }
    }
}

#[test]
fn rows_of_one_product_may_stand_anywhere_and_products_come_in_the_order_of_their_first_rows() {
    let given = read(
        &b"id,title,item_group_id,color,price,link\n\
           b-red,Oak bench,b,red,5 GBP,\n\
           single,Lamp,,,6 GBP,\n\
           a-red,Ash table,a,red,7 GBP,\n\
           b-blue,Oak bench,b,blue,8 GBP,\n\
           a-blue,Ash table,a,blue,9 GBP,\n"[..],
    );
    assert_eq!(given.ids("Products"), ["single", "b", "a"], "{given:?}");
    let bench = &given.rows[1].1;
    assert_eq!(bench["Title"], "Oak bench");
    assert_eq!(bench["Prices"], json!(["5 GBP", "8 GBP"]), "the lowest and the highest");
    let variants = json!([
        {"Id": "b-red", "Prices": ["5 GBP"], "Options": {"Color": "red"}},
        {"Id": "b-blue", "Prices": ["8 GBP"], "Options": {"Color": "blue"}}]);
    assert_eq!(bench["Variants"], variants, "without the title that they share");
}

#[test]
fn products_with_variants_come_in_the_order_of_their_first_rows() {
    let keys = ["h", "c", "a", "f", "b", "g", "e", "d"];
    let row = |key: &str, colour: &str| format!("{key}-{colour},Oak bench,{key},{colour},5 GBP,\n");
    let first = keys.map(|key| row(key, "red")).concat();
    let rest = ["a", "b", "c", "d", "e", "f", "g", "h"].map(|key| row(key, "blue")).concat();
    let table = format!("id,title,item_group_id,color,price,link\n{first}{rest}");
    assert_eq!(read(table.as_bytes()).ids("Products"), keys);
}

#[test]
fn a_group_whose_rows_are_no_variants_is_told_and_its_rows_are_products() {
    let given = read(
        &b"id,title,link,item_group_id,color,price\n1,Lamp,,g,red,1 GBP\n2,Chair,,g,blue,2 GBP\n3,Rug,,g,green,3 GBP\n"[..],
    );
    assert_eq!(given.ids("Products"), ["1", "2", "3"]);
    assert_eq!(given.issues, [("group_is_category", 1, Some(2), Some("item_group_id".to_owned()))]);
    assert_eq!(given.rows[0].1["Attributes"], json!({"item_group_id": "g", "Color": "red"}));
}

#[test]
fn no_row_is_lost_of_a_category_with_more_rows_than_are_read_together() {
    let rows = 2 * crate::limits::FEED_GROUP_ROWS + 10;
    let row = |number: usize| format!("{number},Lamp,chairs,c{number},5 GBP,\n");
    let lines: String = (0..rows).map(row).collect();
    let given = read(format!("id,title,item_group_id,color,price,link\n{lines}").as_bytes());
    assert_eq!(given.ids("Products").len(), rows);
    assert_eq!(given.codes(), ["group_is_category"]);
}

#[test]
fn parents_that_list_each_other_keep_their_own_variants() {
    let given = read(
        &b"sku,product_type,attribute_set_code,name,price,configurable_variations\n\
           A,configurable,D,Chair,,\"sku=B,size=M|sku=a1,size=S\"\n\
           B,configurable,D,Table,,\"sku=A,size=M|sku=b1,size=S\"\n\
           a1,simple,D,Chair S,5 GBP,\n\
           b1,simple,D,Table S,6 GBP,\n"[..],
    );
    assert_eq!(given.ids("Products"), ["A", "B"]);
    let titles: Vec<&Value> = given.rows.iter().map(|(_, row)| &row["Title"]).collect();
    assert_eq!(titles, ["Chair", "Table"]);
    let prices: Vec<&Value> = given.rows.iter().map(|(_, row)| &row["Prices"]).collect();
    assert_eq!(prices, [&json!(["5 GBP"]), &json!(["6 GBP"])]);
}

#[test]
fn a_sale_price_of_json_that_is_not_lower_is_none() {
    let given = read(
        &br#"[{"id":1,"name":"Lamp","permalink":"https://s.example/1","regular_price":"5","sale_price":"5",
             "stock_status":"instock"}]"#[..],
    );
    assert_eq!(given.rows[0].1.get("SalePrices"), None, "{given:?}");
}

#[test]
fn categories_and_brands_come_after_the_products_each_once() {
    let given = read(
        &b"id,title,link,price,brand,product_type\n1,A,,1 GBP,Lin,Home > Chairs\n2,B,,1 GBP,LIN,Home > Lamps\n"[..],
    );
    assert_eq!(given.ids("Categories"), ["home", "home > chairs", "home > lamps"]);
    assert_eq!(given.ids("Brands"), ["lin"]);
    assert_eq!(given.rows[1].1["Categories"], json!(["home > lamps"]));
    let last = given.rows.last().expect("rows");
    assert_eq!(last.0, "Brands");
}

#[test]
fn what_the_shop_does_not_show_is_left_out_and_told() {
    let given = read(
        &b"ID,Type,SKU,Name,Published,Regular price,Parent\n\
           1,variable,V,Shirt,0,,\n2,variation,V-S,Shirt,1,5,V\n3,simple,C,Cap,-1,5,\n4,variation,X-S,Coat,1,5,X\n"[..],
    );
    assert_eq!(given.ids("Products"), ["4"], "its product is not in the file");
    assert_eq!(given.codes(), ["product_not_published", "product_not_published", "parent_missing"]);
}

#[test]
fn a_fault_names_the_format_and_the_place_and_stays() {
    let folder = tempfile::tempdir().expect("a folder");
    let blobs = Blobs::open(folder.path()).expect("a folder of files");
    let cut = &b"<rss><channel><item><id>1</id><title>A</title></item>\n<item><id>2"[..];
    let mut feed = OpenedFeed::open(cut, &blobs, &ConversionOptions::default()).expect("a beginning");
    let fault = loop {
        match feed.next_piece() {
            Ok(Some(_)) => {}
            Ok(None) => panic!("it ended well"),
            Err(fault) => break fault,
        }
    };
    let said = fault.to_string();
    assert!(
        said.starts_with("it was read as a feed of Google Merchant Center: the feed ends in its middle"),
        "{said}"
    );
    assert!(said.contains("line 2"), "{said}");
    assert!(matches!(fault, FeedFault::Foreign { is_cut_off: true, .. }));
    assert_eq!(feed.next_piece().err().map(|fault| fault.to_string()), Some(said));
}

#[test]
fn a_large_group_is_cut_and_told() {
    use std::fmt::Write as _;
    let mut table = "Handle,Title,Option1 Name,Option1 Value,Variant Price\n".to_owned();
    for size in 0..4_000 {
        let _ = writeln!(table, "shirt,Shirt,Size,{size},5");
    }
    let given = read(table.as_bytes());
    assert_eq!(given.ids("Products"), ["shirt"]);
    assert!(given.codes().contains(&"variants_too_many"), "{:?}", given.codes());
}

/// Small feeds of each format.
const FEEDS: [&str; 7] = [
    "<?xml version=\"1.0\"?><rss xmlns:g=\"http://base.google.com/ns/1.0\"><channel><item><g:id>1</g:id><title>A &amp; B</title>\
     <g:price>5 GBP</g:price><g:item_group_id>g</g:item_group_id><g:color>red</g:color></item></channel></rss>",
    "id\ttitle\tlink\tprice\titem_group_id\tcolor\n1\tA\thttps://shop.test/1\t5 GBP\tg\tred\n2\tA\t\t6 GBP\tg\tblue\n",
    "Handle,Title,Option1 Name,Option1 Value,Variant Price\nshirt,Shirt,Size,S,5\nshirt,,,M,6\n",
    "{\"products\":[{\"id\":1,\"handle\":\"a\",\"vendor\":\"V\",\"title\":\"A\",\"variants\":[{\"id\":2,\"price\":\"3.00\",\"option1\":\"S\"}]}]}",
    "ID,Type,SKU,Name,Regular price,Parent\n1,variable,V,Shirt,,\n2,variation,V-S,Shirt,5,V\n",
    "sku,product_type,attribute_set_code,name,price,configurable_variations\nV,configurable,D,Shirt,,\"sku=S,size=1\"\nS,simple,D,Shirt,5,\n",
    "Nr;Name;Preis;Kategorie\n1;Stuhl;12,50;Haus > Stuhl\n",
];

/// One of the feeds with bytes changed, removed, doubled and swapped.
fn mutated_feed() -> impl Strategy<Value = Vec<u8>> {
    let change = (0_usize..4, any::<prop::sample::Index>(), any::<prop::sample::Index>(), any::<u8>());
    (0..FEEDS.len(), prop::collection::vec(change, 0..6)).prop_map(|(feed, changes)| {
        let mut bytes = FEEDS[feed].as_bytes().to_vec();
        for (kind, one, other, byte) in changes {
            if bytes.is_empty() {
                break;
            }
            let one = one.index(bytes.len());
            let other = other.index(bytes.len());
            match kind {
                0 => bytes[one] = byte,
                1 => bytes.truncate(one),
                2 => bytes.swap(one, other),
                _ => {
                    let piece = bytes[one.min(other)..one.max(other)].to_vec();
                    bytes.splice(one..one, piece);
                }
            }
        }
        bytes
    })
}

/// Reader that gives one byte at a time.
struct Bytewise<'a>(&'a [u8]);

impl Read for Bytewise<'_> {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        let few = into.len().min(1);
        self.0.read(&mut into[..few])
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases()))]

    #[test]
    fn no_bytes_make_it_panic_and_the_pieces_depend_on_nothing_else(feed in mutated_feed()) {
        let given = read(&feed[..]);
        prop_assert_eq!(&given, &read(Bytewise(&feed)));
        for (code, ..) in &given.issues {
            prop_assert!(crate::feeds::IssueCode::parse(code).is_some());
        }
        let is_lethe = given.issues.is_empty() && given.rows.iter().any(|(_, row)| row.is_null());
        for (_, row) in &given.rows {
            prop_assert!(is_lethe || row.is_object(), "only Lethe's own rows are given as they were sent");
        }
    }
}

/// Cases of the random test: `LETHE_TEST_FORMATS`, or few.
fn cases() -> u32 {
    std::env::var("LETHE_TEST_FORMATS").ok().and_then(|cases| cases.parse().ok()).unwrap_or(300)
}

#[test]
fn a_bad_record_counts_as_a_row_and_its_values_as_none() {
    let given = read(&b"id,title,link,price\n1,A,,5 GBP\n2,B,,6 GBP,7\n3,C,,8 GBP\n"[..]);
    assert_eq!(given.ids("Products"), ["1", "3"]);
    assert_eq!(given.issues, [("row_fields", 2, Some(3), None)]);
    let code = crate::feeds::IssueCode::parse("row_fields").expect("a code");
    assert_eq!(code.severity(), Severity::Bad);
}
