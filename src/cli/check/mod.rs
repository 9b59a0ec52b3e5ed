//! `lethe check`: the server's own rules on a feed, without a server.

mod converted_file;
mod fields;
mod formats;
mod reading;
mod report;

use std::io::{BufWriter, IsTerminal};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use self::converted_file::ConvertedFile;
use self::reading::{FeedCheck, FeedConversion, RowObserver, ShopCurrency};
use super::api::{AccountOption, Api};
use super::context::CommandContext;
use super::fault::CliFault;
use super::feed_file;
use super::folder::TemporaryFolder;
use super::serve::on_signal;
use super::text_file::read_text_file;
use super::wait::SubmissionBar;
use crate::accounts::AccountFault;
use crate::clock::millis;
use crate::feeds::listing::{IssueWriter, ListFormat};
use crate::formats::FeedFormat;
use crate::formats::mapping::shop_mapping::ShopMapping;
use crate::jobs::ReportedProgress;
use crate::outbound::FetchProgress;
use crate::work::WorkFault;

/// Often enough to look alive, seldom enough to cost nothing.
const POLL_DURATION: Duration = Duration::from_millis(200);

/// The feed, and how to list its faults.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Options {
    /// A file, an http or https URL, or - for standard input; plain, gzip or zstd
    #[arg(value_name = "FILE|URL", required_unless_present_any = ["fields", "formats"])]
    feed: Option<String>,
    /// Print the fields that rows may have, of all sections or of one, and check nothing
    #[arg(long, value_name = "SECTION", num_args = 0..=1, default_missing_value = "", conflicts_with = "feed")]
    fields: Option<String>,
    /// Print the formats that a feed may have, or the columns of one, and check nothing
    #[arg(long, value_name = "FORMAT", num_args = 0..=1, default_missing_value = "", conflicts_with_all = ["feed", "fields"])]
    formats: Option<String>,
    /// With --fields or --formats: as the page docs/fields.md or docs/feeds.md
    #[arg(long, conflicts_with = "feed")]
    markdown: bool,
    /// Format of the feed (its content tells otherwise): lethe, google, shopify, woocommerce, magento, csv, json,
    /// ndjson
    #[arg(long, value_name = "FORMAT", value_parser = formats::parse_format)]
    format: Option<FeedFormat>,
    /// Mapping of the columns of a table or of JSON: a JSON file; without it, the columns are guessed
    #[arg(long, value_name = "FILE")]
    map: Option<PathBuf>,
    /// Write what was understood into this new file, as Lethe's own JSON
    #[arg(long, value_name = "OUT")]
    convert: Option<PathBuf>,
    /// Currency of the shop: of prices that name none, and of those that its shoppers see
    #[arg(long, value_name = "CODE", value_parser = currency, conflicts_with = "account")]
    currency: Option<String>,
    #[command(flatten)]
    whose: AccountOption,
    /// List every issue, each as a line of JSON, and no summary
    #[arg(long)]
    all: bool,
    /// The same as CSV
    #[arg(long)]
    csv: bool,
}

const EXAMPLES: &str = "\
Examples:
  lethe check feed.json --currency GBP
  lethe check feed.json --account myshop
  lethe check https://shop.example/feed.json.gz --json
  lethe check feed.json --csv > issues.csv
  make-feed | lethe check -
  lethe check google.xml --currency EUR --convert understood.json
  lethe check articles.csv --map columns.json
  lethe check --fields Products
  lethe check --formats google

Exit code 1 when the server would not show the feed, or not all of its rows, or shoppers would find no product of it. Issues are explained in
docs/issues.md, and by a server at /docs/issues. Order files are not checked. Temporary files of about the size of the compressed feed are written to TMPDIR.";

/// Checks the feed; its faults make the command fail.
///
/// # Errors
/// When the feed cannot be read, the check is interrupted, or the server would refuse the feed or one of its rows;
/// with `--fields`, when there is no such section.
pub async fn run(context: &CommandContext, options: &Options) -> Result<(), CliFault> {
    if let Some(format) = &options.formats {
        return formats::print(context, format, options.markdown);
    }
    let Some(feed) = &options.feed else {
        return fields::print(context, options.fields.as_deref().unwrap_or_default(), options.markdown);
    };
    let told = CancellationToken::new();
    on_signal(told.clone())?;
    let fetched = Arc::new(FetchProgress::default());
    let source = feed_file::open(feed, &fetched).await?;
    let folder = TemporaryFolder::create("check")?;
    let conversion = options.conversion()?;
    let converted = options.convert.as_deref().map(ConvertedFile::create).transpose()?;
    let watch = RowObserver::new(options.listing(), converted);
    let rows = watch.rows.clone();
    let place = folder.path().join("blobs");
    let currency = options.shop_currency(context).await?;
    let reading = tokio::task::spawn_blocking(move || {
        reading::check_feed(source, &place, currency, &conversion, watch)
    });
    let bar = options.bar();
    let began = Instant::now();
    tokio::pin!(reading);
    let ended = loop {
        tokio::select! {
            ended = &mut reading => break ended,
            () = told.cancelled() => return Err(CliFault::Failed("the check was interrupted".to_owned())),
            () = tokio::time::sleep(POLL_DURATION) => {}
        }
        if let Some(bar) = &bar {
            let rows = rows.load(std::sync::atomic::Ordering::Relaxed);
            bar.update(&progress(rows, &fetched, began.elapsed()));
        }
    };
    if let Some(bar) = bar {
        bar.clear();
    }
    match ended.unwrap_or(Err(WorkFault::Panicked)) {
        Ok(checked) => options.print_outcome(context, &checked),
        // `| head` has seen enough.
        Err(WorkFault::File(std::io::ErrorKind::BrokenPipe)) => Ok(()),
        Err(fault) => Err(to_cli_fault(&fault)),
    }
}

/// Progress of the check, in the words and by the sums of a server's job.
fn progress(rows: u64, fetched: &FetchProgress, reading: Duration) -> Value {
    let number = |value: u64| i64::try_from(value).unwrap_or(i64::MAX);
    let seen = ReportedProgress {
        phase: "checking".to_owned(),
        rows: number(rows),
        bytes: number(fetched.wire_bytes()),
        bytes_total: fetched.content_length().map(number),
        reading_ms: millis(reading),
        next_try_at: 0,
        fault: None,
        tries_left: None,
    };
    json!({"Phase": seen.phase, "Rows": seen.rows, "RowsPerSecond": seen.rows_per_second(), "Bytes": seen.bytes,
           "BytesTotal": seen.bytes_total, "SecondsLeft": seen.seconds_left()})
}

impl Options {
    /// Currency that was named, or that of the account.
    async fn shop_currency(&self, context: &CommandContext) -> Result<ShopCurrency, CliFault> {
        if let Some(code) = &self.currency {
            return Ok(ShopCurrency::Known(Some(code.clone())));
        }
        if self.whose.account.is_none() {
            return Ok(ShopCurrency::Unknown);
        }
        let shop = Api::open(context, &self.whose)?.post("/api/account", &json!({})).await?;
        Ok(ShopCurrency::Known(shop["Currency"].as_str().map(str::to_owned)))
    }

    /// Format and mapping that were named.
    fn conversion(&self) -> Result<FeedConversion, CliFault> {
        let read = |path: &PathBuf| {
            let text = read_text_file(path)?;
            ShopMapping::parse(&text).map_err(|fault| CliFault::Usage(format!("{}: {fault}", path.display())))
        };
        let mapping = self.map.as_ref().map(read).transpose()?;
        Ok(FeedConversion { format: self.format, mapping })
    }

    fn listing(&self) -> Option<reading::IssueListing> {
        let format = if self.csv { ListFormat::Csv } else { ListFormat::Json };
        (self.all || self.csv).then(|| IssueWriter::new(BufWriter::new(std::io::stdout()), format))
    }

    /// A bar would be drawn across lines that are listed on the same terminal.
    fn bar(&self) -> Option<SubmissionBar> {
        let lists_here = (self.all || self.csv) && std::io::stdout().is_terminal();
        (!lists_here).then(SubmissionBar::new)
    }

    fn print_outcome(&self, context: &CommandContext, checked: &FeedCheck) -> Result<(), CliFault> {
        if !self.all && !self.csv {
            report::print(context, checked);
        }
        if checked.is_flawless() { Ok(()) } else { Err(CliFault::Refused(checked.sentence())) }
    }
}

fn currency(text: &str) -> Result<String, AccountFault> {
    let known = iso_currency::Currency::from_code(text).is_some();
    known.then(|| text.to_owned()).ok_or(AccountFault::CurrencyUnknown)
}

fn to_cli_fault(fault: &WorkFault) -> CliFault {
    let folder = std::env::temp_dir();
    CliFault::Failed(format!(
        "the check could not be finished: {fault} (temporary files stand in {}; TMPDIR names another folder)",
        folder.display()
    ))
}
