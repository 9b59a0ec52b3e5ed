//! `lethe sample`.

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use serde_json::json;

use super::{CliFault, Context, say};
use crate::disk;
use crate::sample::{Shop, write_feed};

/// Which feed to make up.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Options {
    /// How many good products, about 760 bytes each
    #[arg(long, default_value_t = 2_000)]
    products: u64,
    /// Another seed gives another shop; the same seed gives the same bytes
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How many people with a profile; all of them invented
    #[arg(long, default_value_t = 0)]
    people: u64,
    /// Put a dozen deliberate mistakes between the rows
    #[arg(long)]
    errors: bool,
    /// File to write, or - for standard output
    #[arg(long, default_value = "-", value_name = "FILE")]
    output: PathBuf,
}

const EXAMPLES: &str = "\
Examples:
  lethe sample --products 2000 --people 300 --errors --output feed.json
  lethe sample --products 330000 --output big.json     # about 250 MB
  lethe sample --products 330000 | gzip > big.json.gz";

/// Writes the feed. To standard output it writes nothing else.
///
/// # Errors
/// When the feed cannot be written. A closed pipe is not an error.
pub fn run(context: &Context, options: &Options) -> Result<(), CliFault> {
    let Options { products, seed, people, errors, .. } = *options;
    let shop = Shop { seed, products, people, errors, ..Shop::default() };
    if options.output == Path::new("-") {
        return match write_feed_to(std::io::stdout().lock(), &shop) {
            // `| head` has seen enough.
            Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
            other => {
                other.map_err(|error| CliFault::Failed(format!("the feed could not be written: {error}")))
            }
        };
    }
    let shown = options.output.display();
    let failed = |error: std::io::Error| CliFault::Failed(format!("{shown} could not be written: {error}"));
    let file = disk::output(&options.output).map_err(failed)?;
    write_feed_to(&file, &shop).map_err(failed)?;
    let bytes = file.metadata().map_err(failed)?.len();
    if context.json {
        say(json!({"File": shown.to_string(), "Products": products, "People": people, "Bytes": bytes}));
    } else {
        say(format!("{shown}: {products} products, {people} people, {bytes} bytes"));
    }
    Ok(())
}

fn write_feed_to(out: impl Write, shop: &Shop) -> std::io::Result<()> {
    let mut out = BufWriter::with_capacity(1 << 16, out);
    write_feed(&mut out, shop)?;
    out.flush()
}
