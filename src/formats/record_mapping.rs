//! Reader and mapping of one foreign feed, by its format and layout.

use std::collections::VecDeque;
use std::io::Read;

use super::conversion_options::ConversionOptions;
use super::detect::{DetectedFeed, FeedLayout};
use super::draft_row::{DraftRow, RecordPlace};
use super::mapping::context::MappingContext;
use super::mapping::engine::{RecordMapper, drop_false_sales};
use super::mapping::format_rules::{FormatRules, GroupRule};
use super::mapping::google::GOOGLE;
use super::mapping::magento_csv::MAGENTO_CSV;
use super::mapping::shop_mapping::ShopMapping;
use super::mapping::shopify_csv::{SHOPIFY_CSV, split_first_row};
use super::mapping::shopify_json::map_shopify_product;
use super::mapping::woocommerce_csv::WOOCOMMERCE_CSV;
use super::mapping::woocommerce_json::map_woocommerce_product;
use super::records::decoded_text::DecodedText;
use super::records::delimited::DelimitedRecords;
use super::records::fault::RecordFault;
use super::records::headings::Headings;
use super::records::json::JsonRecords;
use super::records::record::{FeedRecord, RecordSource};
use super::records::xml::XmlRecords;
use crate::feeds::feed_format::FeedFormat;
use crate::limits::FEED_ROW_BYTES;

/// Records by which the mapping of unknown columns is guessed.
const SAMPLE_RECORDS: usize = 50;
/// Bytes of these records, which are held together; the record that exceeds them is the last.
const SAMPLE_BYTES: usize = FEED_ROW_BYTES;

/// Mapping of an object of JSON that may hold variants.
type ObjectMapping =
    fn(&serde_json::Map<String, serde_json::Value>, RecordPlace, &MappingContext<'_>) -> Vec<DraftRow>;

/// Mapping of the records of one feed.
pub enum RecordMapping<'a> {
    /// Records of named values; the function makes several rows of one that means several.
    Flat(RecordMapper<'a>, GroupRule, fn(DraftRow) -> Vec<DraftRow>),
    /// Objects with variants inside.
    Objects(ObjectMapping, MappingContext<'a>),
}

impl<'a> RecordMapping<'a> {
    /// The records of a feed and their mapping.
    ///
    /// # Errors
    /// When the first records cannot be read.
    pub fn open(
        source: Box<dyn Read + 'a>,
        detected: DetectedFeed,
        options: &ConversionOptions<'a>,
        headings: &mut Headings,
    ) -> Result<(Box<dyn RecordSource + 'a>, Self), RecordFault> {
        let text = DecodedText::open(source).map_err(|source| RecordFault::Read { offset: 0, source })?;
        let mut records: Box<dyn RecordSource + 'a> = match detected.layout {
            FeedLayout::Xml => Box::new(XmlRecords::new(text)),
            FeedLayout::Delimited { delimiter } => Box::new(DelimitedRecords::new(text, Some(delimiter))),
            FeedLayout::JsonLines => Box::new(JsonRecords::new(text, true)),
            FeedLayout::JsonDocument | FeedLayout::Lethe => Box::new(JsonRecords::new(text, false)),
        };
        let is_table = matches!(detected.layout, FeedLayout::Delimited { .. });
        let mapping = match detected.format {
            FeedFormat::Google => Self::by_rules(&GOOGLE, options),
            FeedFormat::Magento => Self::by_rules(&MAGENTO_CSV, options),
            FeedFormat::Shopify if is_table => {
                let mapper = RecordMapper::new(&SHOPIFY_CSV, options.context);
                Self::Flat(mapper, SHOPIFY_CSV.groups, split_first_row)
            }
            FeedFormat::WooCommerce if is_table => Self::by_rules(&WOOCOMMERCE_CSV, options),
            FeedFormat::Shopify => Self::Objects(map_shopify_product, options.context),
            FeedFormat::WooCommerce => Self::Objects(map_woocommerce_product, options.context),
            FeedFormat::Lethe | FeedFormat::Csv | FeedFormat::Json | FeedFormat::Ndjson => {
                let mapper = match options.mapping {
                    Some(mapping) => RecordMapper::new(mapping, options.context),
                    None => {
                        let mut sampled = SampledRecords::read(records, headings)?;
                        let guessed = ShopMapping::guess(headings.names(), sampled.sample());
                        guessed.check().map_err(|fault| RecordFault::Unmapped(fault.to_string()))?;
                        records = Box::new(sampled);
                        RecordMapper::new(guessed, options.context)
                    }
                };
                Self::Flat(mapper, GroupRule::Checked, |row| vec![row])
            }
        };
        Ok((records, mapping))
    }

    fn by_rules(rules: &'static FormatRules, options: &ConversionOptions<'a>) -> Self {
        Self::Flat(RecordMapper::new(rules, options.context), rules.groups, |row| vec![row])
    }

    /// Adds the rows that a record means.
    pub fn map_record(&mut self, headings: &Headings, record: &FeedRecord, rows: &mut Vec<DraftRow>) {
        match self {
            Self::Flat(mapper, _, split) => rows.extend(split(mapper.map_record(headings, record))),
            Self::Objects(map, context) => {
                if let Some(object) = &record.json {
                    let mapped = map(object, record.place, context);
                    rows.extend(mapped.into_iter().map(|mut row| {
                        drop_false_sales(&mut row);
                        row
                    }));
                }
            }
        }
    }

    /// Trust in the groups of the feed.
    #[must_use]
    pub fn group_rule(&self) -> GroupRule {
        match self {
            Self::Flat(_, rule, _) => *rule,
            Self::Objects(..) => GroupRule::Parented,
        }
    }
}

/// Records of which the first were read before, to look at them.
struct SampledRecords<'a> {
    first: VecDeque<FeedRecord>,
    rest: Box<dyn RecordSource + 'a>,
}

impl<'a> SampledRecords<'a> {
    fn read(mut rest: Box<dyn RecordSource + 'a>, headings: &mut Headings) -> Result<Self, RecordFault> {
        let mut first = VecDeque::new();
        let mut bytes = 0;
        while first.len() < SAMPLE_RECORDS && bytes < SAMPLE_BYTES {
            let mut record = FeedRecord::default();
            if !rest.read_record(headings, &mut record)? {
                break;
            }
            bytes += record.values.iter().map(|value| value.text.len()).sum::<usize>();
            first.push_back(record);
        }
        Ok(Self { first, rest })
    }

    fn sample(&mut self) -> &[FeedRecord] {
        self.first.make_contiguous()
    }
}

impl RecordSource for SampledRecords<'_> {
    fn read_record(&mut self, headings: &mut Headings, record: &mut FeedRecord) -> Result<bool, RecordFault> {
        match self.first.pop_front() {
            Some(first) => {
                *record = first;
                Ok(true)
            }
            None => self.rest.read_record(headings, record),
        }
    }
}
