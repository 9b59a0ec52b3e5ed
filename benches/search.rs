//! The search by itself: products indexed and queries answered per second of CPU, each compared with a bare loop over
//! tantivy with the same schema, documents and answers in the same run; the cost of each step of the ranking; and the
//! same queries through a server.

mod bare;
mod bare_index;
mod catalogue;
mod making;
mod queries;
mod served;
mod variants;

use std::path::Path;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::process;
use crate::report::{Options, load, median};
use crate::server::scratch;
use catalogue::Catalogue;
use making::English;

/// Products that an answer shows.
const HITS: usize = 24;
/// Products of the two searched shops; the larger shows what grows with the shop.
const SIZES: [u64; 2] = [50_000, 500_000];

/// All measurements of the search without a server, and the extra cost of a server.
pub async fn search(options: &Options) {
    println!("\n== search, per second of CPU");
    let Some(catalogue) = Catalogue::read(&options.data) else { return };
    let english = English::new();
    indexing(options, &catalogue, &english);
    for (place, size) in SIZES.into_iter().enumerate() {
        let products = options.scaled(size);
        let folder = folder();
        let began = own_cpu_seconds();
        let mut index = english.index(&catalogue, products, folder.path());
        settle().await;
        let cpu = own_cpu_seconds() - began;
        let snapshot = index.reload().expect("a snapshot");
        println!(
            "\n== search of {products} products, top {HITS} with what is shown: {} segments, {:.0} MB, made with {:.0} rows \
             per CPU-second, merges included; load {}",
            snapshot.segments().len(),
            stored_bytes(folder.path()) as f64 / 1e6,
            products as f64 / cpu,
            load()
        );
        let bare = bare::Bare::open(folder.path(), english.analyser.clone());
        queries::measure(options, &catalogue, &snapshot, &bare, place == 0);
    }
    served::served(options, &catalogue, options.scaled(SIZES[0])).await;
}

/// Costs of variants.
pub async fn variants(options: &Options) {
    let Some(catalogue) = Catalogue::read(&options.data) else { return };
    variants::variants(options, &catalogue, &English::new()).await;
}

/// Rows indexed per second of CPU.
fn indexing(options: &Options, catalogue: &Catalogue, english: &English) {
    let products = catalogue.products();
    let knowledge = english.count(catalogue, products);
    let [mut ours, mut bare, mut alone] = [const { Vec::new() }; 3];
    for _ in 0..options.rounds {
        let per_second = |work: &mut dyn FnMut(&Path)| {
            let folder = folder();
            let before = own_cpu_seconds();
            work(folder.path());
            products as f64 / (own_cpu_seconds() - before)
        };
        ours.push(per_second(&mut |folder| drop(english.index(catalogue, products, folder))));
        bare.push(per_second(&mut |folder| bare_index::from_rows(catalogue, folder)));
        let mut documents = Some(bare_index::documents(catalogue, &knowledge));
        alone.push(per_second(&mut |folder| {
            bare_index::from_documents(documents.take().unwrap_or_default(), folder);
        }));
    }
    let [ours, bare, alone] = [ours, bare, alone].map(median);
    println!(
        "  indexing {products} products: lethe {ours:.0} rows/s (target 12,000), bare loop {bare:.0} rows/s: {:.0} % (target \
         60 %); tantivy alone, given documents made before: {alone:.0} rows/s",
        100.0 * ours / bare
    );
}

/// Answers to all of `questions`, again and again for at least `length`, per second of CPU.
fn per_cpu_second<T>(questions: &[T], length: Duration, answer: &dyn Fn(&T)) -> f64 {
    let began = Instant::now();
    let before = own_cpu_seconds();
    let mut answered = 0;
    while began.elapsed() < length {
        questions.iter().for_each(answer);
        answered += questions.len();
    }
    answered as f64 / (own_cpu_seconds() - before)
}

fn own_cpu_seconds() -> f64 {
    process::cpu_seconds(std::process::id()).expect("this process runs")
}

/// Waits until no background work is left, such as a merge of segments.
async fn settle() {
    loop {
        let before = own_cpu_seconds();
        tokio::time::sleep(Duration::from_millis(500)).await;
        if own_cpu_seconds() - before < 0.02 {
            return;
        }
    }
}

fn folder() -> TempDir {
    tempfile::tempdir_in(scratch()).expect("a folder")
}

fn stored_bytes(folder: &Path) -> u64 {
    let files = std::fs::read_dir(folder).expect("a folder").flatten();
    files.filter_map(|file| file.metadata().ok()).map(|file| file.len()).sum()
}
