//! The shop that is searched: the electronics catalogue of `../shared/data` with the queries that people judged, and
//! larger shops in which its products stand again and again.

use std::io::{BufWriter, Read, Write};
use std::path::Path;

use flate2::read::GzDecoder;
use itertools::Itertools as _;
use serde_json::value::RawValue;

/// Beginning of each row of the feed; the id follows.
const BEGIN: &str = "{\"Id\": \"";

/// Letters typed before completions are asked for.
const LETTERS: [usize; 5] = [2, 3, 4, 5, 6];

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
        let judgments = csv::Reader::from_path(folder.join("electronics-judgments.csv")).expect("judgments");
        let rated = judgments.into_records().map(|row| row.expect("a judgment")[0].to_owned());
        Some(Self { rows: products, queries: rated.unique().collect() })
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
        let numbered = (0_usize..).zip(&self.queries);
        numbered.filter_map(|(number, query)| mistyped(query, number)).collect()
    }
}

/// A query with two neighbouring letters of its first long word in the wrong order; `None` where no word is long enough.
fn mistyped(query: &str, number: usize) -> Option<String> {
    let mut words: Vec<String> = query.split_whitespace().map(str::to_lowercase).collect();
    let word = words
        .iter_mut()
        .find(|word| word.len() >= 5 && word.bytes().all(|sign| sign.is_ascii_lowercase()))?;
    let mut letters: Vec<char> = word.chars().collect();
    let places: Vec<usize> = (1..letters.len()).filter(|at| letters[at - 1] != letters[*at]).collect();
    let at = *places.get(number % places.len().max(1))?;
    letters.swap(at - 1, at);
    *word = letters.into_iter().collect();
    Some(words.join(" "))
}
