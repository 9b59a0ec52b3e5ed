//! `lethe sample`.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use serde_json::json;

use super::context::CommandContext;
use super::fault::CliFault;
use super::feed_file;
use super::print::print_line;
use crate::clock::{Clock, Millis};
use crate::disk;
use crate::feeds::orders::moment;
use crate::sample::{
    DEFAULT_PICTURES_ORIGIN, SampleHistory, SampleShop, ShelfItem, write_feed, write_history,
};
use crate::search::document::ProductDocument;

/// The feed or history to make up.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Options {
    /// Number of good products, about 760 bytes each
    #[arg(long, default_value_t = 2_000)]
    products: u64,
    /// Another seed gives another shop; the same seed gives the same bytes
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Number of people with a profile, all invented. In a history: number who log in; 0 means one for each 40 events
    #[arg(long, default_value_t = 0)]
    people: u64,
    /// Put a dozen deliberate mistakes after the rows
    #[arg(long)]
    errors: bool,
    /// Origin of the server that shows the products' pictures: `lethe serve` draws them itself
    #[arg(long, value_name = "ORIGIN", default_value = DEFAULT_PICTURES_ORIGIN, conflicts_with = "events")]
    pictures: String,
    /// Instead of the feed write shoppers' events: number of lines for `lethe events import`
    #[arg(long, value_name = "NUMBER", conflicts_with = "errors")]
    events: Option<u64>,
    /// The last days over which the events are spread
    #[arg(long, default_value_t = 59, requires = "events", value_parser = clap::value_parser!(u64).range(1..=3650))]
    days: u64,
    /// When the history ends: a date, or a moment such as 2026-11-01T12:00:00Z; now, if it is left out
    #[arg(long, value_name = "TIME", requires = "events", value_parser = parse_moment)]
    until: Option<Millis>,
    /// Take the products of this feed: a file, a URL, or - for standard input
    #[arg(long, value_name = "FILE", requires = "events", conflicts_with = "products")]
    feed: Option<String>,
    /// File to write, or - for standard output
    #[arg(long, default_value = "-", value_name = "FILE")]
    output: PathBuf,
}

const EXAMPLES: &str = "\
A history uses the products of the feed with the same seed and number of products. Most views are of a few products, and
similar products are often viewed one after the other. Shoppers search (sometimes in vain), see zones and click, fill
baskets and order; they log in, share devices and buy for companies; there are robots too. Visitors without any other
identifier come in the last 29 days only, because a server does not keep them longer. The same seed with the same
--until gives the same lines.

Examples:
  lethe sample --products 2000 --people 300 --errors --output feed.json
  lethe sample --products 330000 --output big.json     # about 250 MB
  lethe sample --products 330000 | gzip > big.json.gz
  lethe sample --products 2000 --events 20000 --output visits.ndjson
  lethe sample --feed feed.json --events 100000 --until 2026-11-01 | lethe events import - --account myshop";

fn parse_moment(text: &str) -> Result<Millis, &'static str> {
    moment(text.trim()).ok_or("it is a date such as 2026-11-01, or a moment such as 2026-11-01T12:00:00Z")
}

/// Writes the feed, or the history. To standard output it writes nothing else.
///
/// # Errors
/// When it cannot be written, or the feed of a history's products cannot be read. A closed pipe is not an error.
pub async fn run(context: &CommandContext, options: &Options) -> Result<(), CliFault> {
    let Options { products, seed, people, errors, .. } = *options;
    let pictures = options.pictures.trim_end_matches('/').to_owned();
    let shop = SampleShop { seed, products, people, errors, pictures, ..SampleShop::default() };
    let Some(events) = options.events else {
        let made = json!({"Products": products, "People": people});
        let told = format!("{products} products, {people} people");
        return write_to(context, &options.output, (made, told), |out| write_feed(out, &shop));
    };
    let items = match &options.feed {
        Some(feed) => feed_file::read_products(feed, None).await?.into_iter().map(item).collect(),
        None => ShelfItem::list_products(&shop),
    };
    if items.is_empty() && events > 0 {
        return Err(CliFault::Failed("a history needs products, and there are none".to_owned()));
    }
    let until = options.until.unwrap_or_else(|| Clock::system().now());
    let history = SampleHistory { shop: &shop, events, days: options.days, until };
    let made = (json!({"Events": events}), format!("{events} events"));
    write_to(context, &options.output, made, |out| write_history(out, &history, &items))
}

/// A product of a feed; products with the same first category are alike.
fn item(document: ProductDocument) -> ShelfItem {
    let group = document.categories.into_iter().next().unwrap_or_default();
    ShelfItem { id: document.id, group, title: document.title, pence: None }
}

/// Writes to a file, with a summary; or to standard output.
fn write_to(
    context: &CommandContext,
    output: &Path,
    (made, told): (serde_json::Value, String),
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), CliFault> {
    if output == Path::new("-") {
        return match write_buffered(io::stdout().lock(), write) {
            // `| head` has seen enough.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            other => other.map_err(|error| CliFault::Failed(format!("it could not be written: {error}"))),
        };
    }
    let shown = output.display();
    let failed = |error: io::Error| CliFault::Failed(format!("{shown} could not be written: {error}"));
    let file = disk::output(output).map_err(failed)?;
    write_buffered(&file, write).map_err(failed)?;
    let bytes = file.metadata().map_err(failed)?.len();
    if context.json {
        let file = json!({"File": shown.to_string()});
        let parts = [file, made, json!({"Bytes": bytes})];
        let members = parts.into_iter().filter_map(|part| part.as_object().cloned());
        print_line(serde_json::Value::Object(members.flatten().collect()));
    } else {
        print_line(format!("{shown}: {told}, {bytes} bytes"));
    }
    Ok(())
}

fn write_buffered(out: impl Write, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(1 << 16, out);
    write(&mut out)?;
    out.flush()
}
