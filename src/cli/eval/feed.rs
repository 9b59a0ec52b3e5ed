//! The products of a feed, as a server would index them.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use crate::cli::check;
use crate::cli::fault::CliFault;
use crate::feeds::reader::{FeedPiece, FeedReader};
use crate::feeds::rows::{self, NormaliserContext as RowContext};
use crate::feeds::section::Section;
use crate::outbound::{FeedBytes, FetchProgress};
use crate::search::document::{ProductDocument, ShopTables, read_document};

/// Reads the products of a feed; bad rows are left out, as a server leaves them out.
///
/// # Errors
/// When the feed cannot be read or is none.
pub async fn products(feed: &str, currency: Option<String>) -> Result<Vec<ProductDocument>, CliFault> {
    let source = check::open(feed, &Arc::new(FetchProgress::default())).await?;
    let reading = tokio::task::spawn_blocking(move || read_documents(source, currency.as_deref()));
    let read = reading.await.map_err(|_| CliFault::Failed("the feed could not be read".to_owned()))?;
    read.map_err(CliFault::Failed)
}

fn read_documents(source: FeedBytes, currency: Option<&str>) -> Result<Vec<ProductDocument>, String> {
    let mut feed = FeedReader::new(source);
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
