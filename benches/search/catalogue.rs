//! The shop that is searched: the electronics catalogue of `../shared/data` with the queries that people judged, and
//! larger shops in which its products stand again and again.

use std::io::{BufWriter, Read, Write};
use std::path::Path;

use flate2::read::GzDecoder;
use lethe::search::eval::completion::LETTERS;
use lethe::search::eval::feed::Judgments;
use lethe::search::eval::typos::{TypoKind, mistype};
use serde_json::value::RawValue;

/// Beginning of each row of the feed; the id follows.
const BEGIN: &str = "{\"Id\": \"";

/// Products as rows of JSON, and shoppers' queries.
pub struct Catalogue {
    rows: Vec<Box<RawValue>>,
    /// The judged queries.
    pub queries: Vec<String>,
}

#[derive(serde::Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Feed {
    products: Vec<Box<RawValue>>,
}

impl Catalogue {
    /// Reads it from a folder; says that it is missing where it is.
    pub fn read(folder: &Path) -> Option<Self> {
        if !folder.is_dir() {
            println!("  not run: {} is missing", folder.display());
            return None;
        }
        let mut feed = String::new();
        let file = std::fs::File::open(folder.join("electronics-products.json.gz")).expect("the feed");
        GzDecoder::new(file).read_to_string(&mut feed).expect("the feed");
        let Feed { products } = serde_json::from_str(&feed).expect("the feed");
        let judged = std::fs::read_to_string(folder.join("electronics-judgments.csv")).expect("judgments");
        let judgments = Judgments::parse(&judged).expect("judgments");
        let queries = judgments.queries.into_iter().map(|(query, _)| query).collect();
        Some(Self { rows: products, queries })
    }

    /// Number of its products.
    pub fn products(&self) -> u64 {
        self.rows.len() as u64
    }

    /// The id of a product of the catalogue.
    pub fn id(&self, number: u64) -> &str {
        let row = self.rows[number as usize].get();
        let id = row.strip_prefix(BEGIN).and_then(|rest| rest.split_once('"'));
        id.expect("a row begins with its id").0
    }

    /// The row of a product of a shop of any size: those of the catalogue, then the same under other ids.
    pub fn row(&self, number: u64) -> String {
        let row = self.rows[(number % self.products()) as usize].get();
        let again = number / self.products();
        if again == 0 {
            return row.to_owned();
        }
        let id_and_rest = row.strip_prefix(BEGIN).expect("a row begins with its id");
        let (id, rest) = id_and_rest.split_once('"').expect("an id ends");
        format!("{BEGIN}{id}-{again}\"{rest}")
    }

    /// Writes the feed of a shop of this size.
    pub fn write_feed(&self, path: &Path, products: u64) {
        let mut feed = BufWriter::new(std::fs::File::create(path).expect("a feed"));
        feed.write_all(b"{\"Products\":[").expect("written");
        for number in 0..products {
            let comma = if number == 0 { "" } else { ",\n" };
            write!(feed, "{comma}{}", self.row(number)).expect("written");
        }
        feed.write_all(b"]}").expect("written");
        feed.flush().expect("written");
    }

    /// Contents of the field while the queries are typed.
    pub fn prefixes(&self) -> Vec<String> {
        let typed = |query: &String| LETTERS.map(|letters| query.chars().take(letters).collect());
        self.queries.iter().flat_map(typed).collect()
    }

    /// The queries with the letters of a word in the wrong order, where there is one long enough.
    pub fn mistyped(&self) -> Vec<String> {
        let numbered = (0..).zip(&self.queries);
        numbered.filter_map(|(seed, query)| mistype(query, TypoKind::Swap, seed)).collect()
    }
}
