//! Reading a feed for `lethe check`: as the server reads it, into files that are thrown away.

use std::io::{BufWriter, Stdout};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use aws_lc_rs::hmac;
use aws_lc_rs::rand::SystemRandom;
use lethe_verify::hex;

use super::converted_file::ConvertedFile;
use crate::blobs::Blobs;
use crate::feeds::issue::Issue;
use crate::feeds::listing::{IssueLine, IssueWriter};
use crate::feeds::publish_checks::FeedCounts;
use crate::feeds::reader::RawRow;
use crate::feeds::rows::NormaliserContext;
use crate::formats::mapping::context::MappingContext;
use crate::formats::mapping::shop_mapping::ShopMapping;
use crate::formats::{ConversionOptions, FeedFormat};
use crate::outbound::FeedBytes;
use crate::work::WorkFault;
use crate::work::feed::rows::{FeedRejection, FeedRows, FeedSink};

/// Every issue, as it is found.
pub type IssueListing = IssueWriter<BufWriter<Stdout>>;

/// Currency of the shop whose feed is checked.
pub enum ShopCurrency {
    /// Nobody said which shop it is, so it is unknown whether its shoppers see a price.
    Unknown,
    /// ISO 4217 code; `None` for an account without a currency, whose shoppers see any price.
    Known(Option<String>),
}

impl ShopCurrency {
    /// The code, if there is one.
    pub fn code(&self) -> Option<&str> {
        match self {
            Self::Unknown | Self::Known(None) => None,
            Self::Known(Some(code)) => Some(code),
        }
    }
}

/// A feed that was checked.
pub struct FeedCheck {
    /// Currency of its shop.
    pub currency: ShopCurrency,
    /// The counts.
    pub tally: FeedCounts,
    /// The sentence with which the server would leave the catalogue alone.
    pub refusal: Option<String>,
    /// Format of the feed, unless it is no feed.
    pub format: Option<FeedFormat>,
}

impl FeedCheck {
    /// Returns true if the server would show the feed with all its rows, and shoppers would find products.
    pub fn is_flawless(&self) -> bool {
        self.refusal.is_none() && self.bad_rows() == 0 && !self.is_unseen()
    }

    /// Returns true if it is flawless and shoppers find each of its products, for a price that they see.
    pub fn is_good(&self) -> bool {
        let finds_all = self.tally.products().is_none_or(|products| products.seen == products.used);
        self.is_flawless() && finds_all && !self.lacks_currency()
    }

    /// Returns true if it has products and the currency of its shop is unknown.
    pub fn lacks_currency(&self) -> bool {
        self.tally.products().is_some() && matches!(self.currency, ShopCurrency::Unknown)
    }

    /// Returns true if it has products and shoppers find none.
    fn is_unseen(&self) -> bool {
        self.tally.products().is_some_and(|products| products.seen == 0)
    }

    /// Rows that cannot be used.
    pub fn bad_rows(&self) -> u64 {
        self.tally.sections().map(|section| self.tally.issues().bad(section)).sum()
    }

    /// The verdict for people; the server's own sentence if it would refuse.
    pub fn sentence(&self) -> String {
        let rows: u64 = self.tally.sections().map(|section| self.tally.rows(section)).sum();
        let repeated: u64 = self.tally.sections().map(|section| self.tally.count_repeated(section)).sum();
        let used = match (&self.refusal, self.bad_rows()) {
            (Some(refusal), _) => return refusal.clone(),
            (None, 0) if repeated > 0 => {
                let used = rows.saturating_sub(repeated);
                format!("{used} of {rows} rows can be used; the ids of the others come again later")
            }
            (None, 0) if rows == 1 => "its one row can be used".to_owned(),
            (None, 0) => format!("all {rows} rows can be used"),
            (None, bad) => format!("{bad} of {rows} rows cannot be used; the others would be shown"),
        };
        let Some(products) = self.tally.products() else { return used };
        match products.seen {
            0 => format!(
                "{used}, but shoppers would find none of its products: each needs a title, a price in the shop's \
                 currency, and dates that can be read"
            ),
            seen if seen < products.used => {
                format!("{used}; shoppers would find {seen} of {} products", products.used)
            }
            1 => format!("{used}; shoppers would find its product"),
            seen => format!("{used}; shoppers would find all {seen} products"),
        }
    }
}

/// Reading of feeds of other systems, as the command line names it.
#[derive(Default)]
pub struct FeedConversion {
    /// The format, if it is named.
    pub format: Option<FeedFormat>,
    /// Mapping of the columns, if a file names one.
    pub mapping: Option<ShopMapping>,
}

/// Sees every row pass.
pub struct RowObserver {
    /// Rows read so far.
    pub rows: Arc<AtomicU64>,
    listing: Option<IssueListing>,
    converted: Option<ConvertedFile>,
}

impl RowObserver {
    /// Lists every issue, and writes every row, where told to.
    pub fn new(listing: Option<IssueListing>, converted: Option<ConvertedFile>) -> Self {
        Self { rows: Arc::default(), listing, converted }
    }
}

impl FeedSink for RowObserver {
    fn begin_people(&mut self) -> Result<(), WorkFault> {
        Ok(())
    }

    fn take_person(&mut self, _: &RawRow<'_>) -> Result<(), WorkFault> {
        Ok(())
    }

    fn see_row(&mut self, row: &RawRow<'_>) -> Result<(), WorkFault> {
        Ok(self.converted.as_mut().map_or(Ok(()), |converted| converted.write_row(row))?)
    }

    fn on_row(&mut self, issues: &[Issue]) -> Result<(), WorkFault> {
        self.rows.fetch_add(1, Ordering::Relaxed);
        self.on_issues(issues)
    }

    fn on_issues(&mut self, issues: &[Issue]) -> Result<(), WorkFault> {
        if let Some(listing) = &mut self.listing {
            issues.iter().try_for_each(|issue| listing.line(&IssueLine::from_issue(issue)))?;
        }
        Ok(())
    }
}

/// Reads the whole feed; writes to the folder `place`, which is made.
///
/// # Errors
/// When a temporary file cannot be written or read, or an issue cannot be listed. An unusable feed is not an
/// error: [`FeedCheck::refusal`] says why the server would refuse it.
pub fn check_feed(
    mut source: FeedBytes,
    place: &Path,
    currency: ShopCurrency,
    conversion: &FeedConversion,
    mut watch: RowObserver,
) -> Result<FeedCheck, WorkFault> {
    let blobs = Blobs::open(place)?;
    let key =
        hmac::Key::generate(hmac::HMAC_SHA256, &SystemRandom::new()).map_err(|_| WorkFault::Panicked)?;
    let account_tag = |account: &str| tag(&key, account);
    let context =
        NormaliserContext { default_currency: currency.code(), account_tag: &account_tag, noticed: None };
    let conversion = ConversionOptions {
        format: conversion.format,
        mapping: conversion.mapping.as_ref(),
        context: MappingContext::from_currency(currency.code()),
    };
    let mut rows = FeedRows::new(&blobs, &context, false).with_conversion(conversion);
    let read = rows.read_all(&mut source, &mut watch);
    let format = rows.format;
    let (tally, refusal) = match read {
        Ok(()) => {
            let tally = rows.finish(&blobs.hold_files())?.1;
            let held = tally.refuse_repeated();
            (tally, held)
        }
        Err(FeedRejection::Fault(fault)) => return Err(fault),
        Err(unusable) => (rows.tally, Some(unusable.to_string())),
    };
    if let Some(listing) = &mut watch.listing {
        listing.end(tally.issues().counts().map(|counted| IssueLine::from_group(&counted)))?;
    }
    watch.converted.take().map_or(Ok(()), ConvertedFile::finish)?;
    Ok(FeedCheck { currency, tally, refusal, format })
}

/// Placeholder for an account id in the files: of the same length as the server's, under a key that is not kept.
fn tag(key: &hmac::Key, account: &str) -> String {
    hex::encode(&hmac::sign(key, account.as_bytes()).as_ref()[..16])
}
