//! Cost of a snapshot: the products of a made-up shop are written, looked up, and read again.

use std::time::Instant;

use lethe::blobs::Blobs;
use lethe::catalogue::snapshot::Snapshot;
use lethe::catalogue::snapshot_writer::{SnapshotSummary, SnapshotWriter};
use lethe::sample::{self, SampleShop};

use crate::report::{Options, load, median};
use crate::server::scratch;

/// Different rows; a larger snapshot repeats them under ids of their own.
const ROWS: u64 = 20_000;
const LOOKED_UP: u64 = 1000;

/// Writes and reads a snapshot of `--products` rows; and the size of one whose rows have no numbers.
pub fn snapshot(options: &Options) {
    let folder = tempfile::tempdir_in(scratch()).expect("a folder");
    let blobs = Blobs::open(folder.path()).expect("a folder of blobs");
    let shop = SampleShop { products: ROWS, ..SampleShop::default() };
    let rows: Vec<String> = (0..ROWS).map(|number| sample::product(&shop, number)).collect();
    let mean = rows.iter().map(String::len).sum::<usize>() / rows.len();
    println!("\n== snapshot of {} products, {mean} bytes each", options.products);
    let mut rates = Vec::new();
    for round in 0..options.rounds {
        let began = Instant::now();
        let written = write(&blobs, &rows, options.products, |number| number);
        let seconds = began.elapsed().as_secs_f64();
        rates.push(options.products as f64 / seconds);
        let snapshot = Snapshot::open(&blobs.hold_files(), &written.name).expect("the snapshot");
        let began = Instant::now();
        for number in 0..LOOKED_UP {
            let id = format!("sku-{}", number * (options.products / LOOKED_UP).max(1));
            snapshot.get(&id).expect("it is read");
        }
        let looked_up = began.elapsed();
        let began = Instant::now();
        assert_eq!(snapshot.rows().expect("rows").count() as u64, options.products);
        println!(
            "  round {round}: written {:.0} rows/s, {:.1} MB; {LOOKED_UP} looked up in {looked_up:?}; read in {:?}, load {}",
            options.products as f64 / seconds,
            written.bytes as f64 / 1e6,
            began.elapsed(),
            load()
        );
    }
    println!("  median: {:.0} rows written a second", median(rates));
    let with = write(&blobs, &rows, options.products, |number| number).bytes;
    let without = write(&blobs, &rows, options.products, |_| 0).bytes;
    println!(
        "  the numbers of the rows are {:.2} % of the file",
        100.0 * (with as f64 - without as f64) / with as f64
    );
}

fn write(blobs: &Blobs, rows: &[String], products: u64, number_of: impl Fn(u64) -> u64) -> SnapshotSummary {
    let mut writer = SnapshotWriter::create(blobs).expect("a writer");
    for number in 0..products {
        let row = &rows[(number % ROWS) as usize];
        writer.push(number_of(number + 1), &format!("sku-{number}"), row.as_bytes()).expect("a row");
    }
    writer.finish(&blobs.hold_files()).expect("a snapshot")
}
