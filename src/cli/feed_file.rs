//! A feed named on the command line: its bytes, and its products as a server would index them.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use tokio::runtime::Handle;

use super::fault::CliFault;
use super::folder::TemporaryFolder;
use crate::blobs::Blobs;
use crate::feeds::reader::FeedPiece;
use crate::feeds::rows::{self, NormaliserContext as RowContext};
use crate::feeds::section::Section;
use crate::formats::mapping::context::MappingContext;
use crate::formats::{ConversionOptions, OpenedFeed};
use crate::outbound::{
    AddressPolicy, FeedBytes, FeedUrl, FetchFault, FetchLimits, FetchProgress, Fetched, Outbound,
    SystemResolver, Validators, WireReader,
};
use crate::search::document::{ProductDocument, ShopTables, read_document};

/// The bytes of a feed, decompressed as the server does it.
///
/// # Errors
/// When the URL may not be fetched, the fetch fails, or the file cannot be opened.
pub async fn open(feed: &str, progress: &Arc<FetchProgress>) -> Result<FeedBytes, CliFault> {
    if feed.contains("://") {
        return fetch(feed, progress).await;
    }
    if feed == "-" {
        return Ok(FeedBytes::new(WireReader::of_file(std::io::stdin(), None, progress.clone())));
    }
    let failed = |error: std::io::Error| CliFault::unreadable(feed, &error);
    let file = File::open(Path::new(feed)).map_err(failed)?;
    let found = file.metadata().map_err(failed)?;
    if found.is_dir() {
        return Err(CliFault::Usage(format!("{feed} cannot be read: it is a folder")));
    }
    let length = found.is_file().then_some(found.len());
    Ok(FeedBytes::new(WireReader::of_file(file, length, progress.clone())))
}

/// Fetches a URL by the server's rules, but for those on addresses: this is a person's own machine.
async fn fetch(url: &str, progress: &Arc<FetchProgress>) -> Result<FeedBytes, CliFault> {
    let policy = AddressPolicy::trust_all();
    let url = FeedUrl::parse(url, &policy).map_err(|refusal| CliFault::Usage(refusal.to_string()))?;
    let outbound = Outbound::new(policy, Arc::new(SystemResolver), FetchLimits::default());
    let failed = |fault: FetchFault| CliFault::Failed(fault.reason);
    match outbound.fetch_feed(&url, &Validators::default()).await.map_err(failed)? {
        Fetched::Body(body) => Ok(FeedBytes::new(body.into_wire(&Handle::current(), progress.clone()))),
        // Nothing was known that could be unchanged.
        Fetched::NotModified => Err(CliFault::Failed("the feed's server sent no feed".to_owned())),
    }
}

/// Reads the products of a feed; bad rows are left out, as a server leaves them out.
///
/// # Errors
/// When the feed cannot be read or is none.
pub async fn read_products(feed: &str, currency: Option<String>) -> Result<Vec<ProductDocument>, CliFault> {
    let source = open(feed, &Arc::new(FetchProgress::default())).await?;
    let reading = tokio::task::spawn_blocking(move || read_documents(source, currency.as_deref()));
    let read = reading.await.map_err(|_| CliFault::Failed("the feed could not be read".to_owned()))?;
    read.map_err(CliFault::Failed)
}

/// Opens a feed of any format as a server would; a conversion writes to `folder`.
///
/// # Errors
/// The sentence that says why it is no feed, or cannot be read.
pub fn open_rows<'a>(
    source: FeedBytes,
    folder: &TemporaryFolder,
    currency: Option<&'a str>,
) -> Result<OpenedFeed<'a>, String> {
    let blobs = Blobs::open(&folder.path().join("blobs")).map_err(|error| error.kind().to_string())?;
    let context = MappingContext::from_currency(currency);
    let options = ConversionOptions { context, ..ConversionOptions::default() };
    OpenedFeed::open(source, &blobs, &options).map_err(|fault| fault.to_string())
}

fn read_documents(source: FeedBytes, currency: Option<&str>) -> Result<Vec<ProductDocument>, String> {
    let folder = TemporaryFolder::create("feed").map_err(|fault| fault.to_string())?;
    let mut feed = open_rows(source, &folder, currency)?;
    let tags = RefCell::new(BTreeMap::new());
    let account_tag = |account: &str| {
        let mut tags = tags.borrow_mut();
        let next = tags.len();
        format!("{:032x}", *tags.entry(account.to_owned()).or_insert(next))
    };
    let context = RowContext { default_currency: currency, account_tag: &account_tag, noticed: None };
    let mut tables = ShopTables::default();
    let mut products = Vec::new();
    while let Some(piece) = feed.next_piece().map_err(|fault| fault.to_string())? {
        let FeedPiece::Row(row) = piece else { continue };
        let mut stored = Vec::new();
        let Some(key) = rows::normalise_item(&row, &context, &mut stored, &mut Vec::new()) else { continue };
        let put = match row.section.section() {
            Some(Section::Products) => {
                products.push(stored);
                Ok(())
            }
            Some(Section::Categories) => tables.categories.put_row(&key.id, &stored),
            Some(Section::Brands) => tables.brands.put_row(&key.id, &stored),
            Some(Section::AccountPrices) | None => Ok(()),
        };
        put.map_err(|fault| fault.to_string())?;
    }
    let documents = products.iter().map(|row| read_document(row, &tables));
    documents.collect::<Result<_, _>>().map_err(|fault| fault.to_string())
}
