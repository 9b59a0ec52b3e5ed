//! Input of a submission: a type for each way in, with its data, and its columns in the store.

use crate::feeds::feed_format::FeedFormat;
use crate::feeds::section::Section;
use crate::store::{Row, StoreFault};

/// Input of a submission.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Input {
    /// Ordered changes.
    Delta,
    /// A full feed that is fetched. Its URL waits sealed.
    Url {
        /// The server of the URL, without path and query.
        host: String,
        /// Manner of publishing it.
        manner: PublishMode,
        /// Format that its sender named; `None` to tell it by the content.
        format: Option<FeedFormat>,
    },
    /// A full feed or an order file that arrives in pieces.
    Upload {
        /// Content that its sender declared.
        holds: UploadKind,
        /// Manner of publishing it.
        manner: PublishMode,
        /// Format that its sender named; `None` to tell it by the content.
        format: Option<FeedFormat>,
    },
    /// Something from an earlier submission is published.
    Republish {
        /// Earlier submission that it comes from.
        origin: RepublishSource,
        /// Manner of publishing it.
        manner: PublishMode,
    },
}

/// Kind of submission that a token stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SubmissionKind {
    /// Ordered changes.
    Delta,
    /// Everything that replaces whole sections, and order files.
    Feed,
}

impl SubmissionKind {
    /// The word for it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Delta => "delta",
            Self::Feed => "feed",
        }
    }

    /// Kind of an input, by its name in the store.
    pub(super) fn of_input(name: &str) -> Self {
        if name == DELTA { Self::Delta } else { Self::Feed }
    }
}

/// Manner of publishing a feed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PublishMode {
    /// Unless the removal guard stops it.
    Guarded,
    /// Also when the removal guard would stop it.
    Anyway,
    /// Not at all: it is checked and held.
    DryRun,
}

impl PublishMode {
    const ALL: [Self; 3] = [Self::Guarded, Self::Anyway, Self::DryRun];

    const fn as_str(self) -> &'static str {
        match self {
            Self::Guarded => "guarded",
            Self::Anyway => "anyway",
            Self::DryRun => "dry run",
        }
    }
}

/// Content that an upload declares. JSON has its sections; this decides for order files.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UploadKind {
    /// Products.
    Product,
    /// Categories.
    Category,
    /// Brands.
    Brand,
    /// People.
    User,
    /// Orders, as an order file.
    Orders,
}

impl UploadKind {
    /// All kinds.
    pub const ALL: [Self; 5] = [Self::Product, Self::Category, Self::Brand, Self::User, Self::Orders];

    /// The word as senders write it and as it stands in the store.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Product => "product",
            Self::Category => "category",
            Self::Brand => "brand",
            Self::User => "user",
            Self::Orders => "orders",
        }
    }

    /// The word before the first `-` of a feed's name.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        let word = name.split('-').next().unwrap_or_default();
        if word.eq_ignore_ascii_case("order") {
            return Some(Self::Orders);
        }
        Self::ALL.into_iter().find(|known| word.eq_ignore_ascii_case(known.as_str()))
    }
}

/// Content of an earlier submission, to be published.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RepublishSource {
    /// Place of the earlier submission.
    pub seq: i64,
    /// The snapshot of this section that it published; `None`: all its snapshots that are held.
    pub section: Option<Section>,
}

const DELTA: &str = "delta";
const URL: &str = "url";
const UPLOAD: &str = "upload";
const REPUBLISH: &str = "republish";

impl Input {
    /// Kind of the submission.
    #[must_use]
    pub const fn kind(&self) -> SubmissionKind {
        match self {
            Self::Delta => SubmissionKind::Delta,
            Self::Url { .. } | Self::Upload { .. } | Self::Republish { .. } => SubmissionKind::Feed,
        }
    }

    /// The word for it, as it stands in the store.
    #[must_use]
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Delta => DELTA,
            Self::Url { .. } => URL,
            Self::Upload { .. } => UPLOAD,
            Self::Republish { .. } => REPUBLISH,
        }
    }

    /// Its source, in words; `None` for a delta. `origin` is the number of the feed that is published again.
    #[must_use]
    pub fn source(&self, origin: Option<i64>) -> Option<String> {
        let feed = origin.map_or_else(|| "an earlier feed".to_owned(), |number| format!("feed {number}"));
        match self {
            Self::Delta => None,
            Self::Url { host, .. } => Some(host.clone()),
            Self::Upload { .. } => Some("upload".to_owned()),
            Self::Republish { origin: RepublishSource { section: None, .. }, .. } => {
                Some(format!("{feed}, which was held"))
            }
            Self::Republish { origin: RepublishSource { section: Some(section), .. }, .. } => {
                Some(format!("{} of {feed}", section.as_str()))
            }
        }
    }

    /// Manner of publishing it; `None` for a delta, which is always published.
    #[must_use]
    pub const fn publish_mode(&self) -> Option<PublishMode> {
        match self {
            Self::Delta => None,
            Self::Url { manner, .. } | Self::Upload { manner, .. } | Self::Republish { manner, .. } => {
                Some(*manner)
            }
        }
    }

    /// Format that its sender named.
    #[must_use]
    pub const fn format(&self) -> Option<FeedFormat> {
        match self {
            Self::Url { format, .. } | Self::Upload { format, .. } => *format,
            Self::Delta | Self::Republish { .. } => None,
        }
    }

    /// True if it is checked and held, not published.
    #[must_use]
    pub fn is_dry_run(&self) -> bool {
        self.publish_mode() == Some(PublishMode::DryRun)
    }

    /// As the store keeps it.
    pub(super) fn columns(&self) -> InputColumns<'_> {
        let nothing = InputColumns {
            input: DELTA,
            host: None,
            upload: None,
            manner: None,
            from: None,
            from_section: None,
            format: self.format().map(FeedFormat::as_str),
        };
        let columns = InputColumns { manner: self.publish_mode().map(PublishMode::as_str), ..nothing };
        match self {
            Self::Delta => columns,
            Self::Url { host, .. } => InputColumns { input: URL, host: Some(host), ..columns },
            Self::Upload { holds, .. } => {
                InputColumns { input: UPLOAD, upload: Some(holds.as_str()), ..columns }
            }
            Self::Republish { origin, .. } => InputColumns {
                input: REPUBLISH,
                from: Some(origin.seq),
                from_section: origin.section.map(Section::as_str),
                ..columns
            },
        }
    }

    /// Reads its columns.
    ///
    /// # Errors
    /// [`StoreFault::Shape`] when they are not the columns of one input: one is missing, or one of another input is
    /// there.
    pub(super) fn from_row(row: &Row) -> Result<Self, StoreFault> {
        let columns = InputColumns {
            input: row.text("input")?,
            host: row.opt_text("host")?,
            upload: row.opt_text("upload")?,
            manner: row.opt_text("manner")?,
            from: row.opt_int("from_seq")?,
            from_section: row.opt_text("from_section")?,
            format: row.opt_text("format")?,
        };
        columns.input().ok_or_else(|| row.unreadable("input"))
    }
}

/// The columns of an input: its name, and the columns of all inputs, some of them set for each.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct InputColumns<'a> {
    pub(super) input: &'a str,
    pub(super) host: Option<&'a str>,
    pub(super) upload: Option<&'a str>,
    pub(super) manner: Option<&'a str>,
    pub(super) from: Option<i64>,
    pub(super) from_section: Option<&'a str>,
    pub(super) format: Option<&'a str>,
}

impl InputColumns<'_> {
    /// The input that has exactly these columns, if there is one.
    fn input(&self) -> Option<Input> {
        let manner = || PublishMode::ALL.into_iter().find(|manner| Some(manner.as_str()) == self.manner);
        let format = match self.format {
            Some(name) => Some(FeedFormat::parse(name)?),
            None => None,
        };
        let input = match self.input {
            DELTA => Input::Delta,
            URL => Input::Url { host: self.host?.to_owned(), manner: manner()?, format },
            UPLOAD => {
                let holds = UploadKind::ALL.into_iter().find(|holds| Some(holds.as_str()) == self.upload)?;
                Input::Upload { holds, manner: manner()?, format }
            }
            REPUBLISH => {
                let section = match self.from_section {
                    Some(name) => Some(Section::parse(name)?),
                    None => None,
                };
                Input::Republish { origin: RepublishSource { seq: self.from?, section }, manner: manner()? }
            }
            _ => return None,
        };
        (input.columns() == *self).then_some(input)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inputs() -> Vec<Input> {
        let host = || "https://shop.test".to_owned();
        let mut inputs = vec![Input::Delta];
        for manner in PublishMode::ALL {
            for format in [None, Some(FeedFormat::Google)] {
                inputs.push(Input::Url { host: host(), manner, format });
                inputs.extend(UploadKind::ALL.map(|holds| Input::Upload { holds, manner, format }));
            }
            for section in [None, Some(Section::Products)] {
                inputs.push(Input::Republish { origin: RepublishSource { seq: 7, section }, manner });
            }
        }
        inputs
    }

    #[test]
    fn every_input_is_read_as_it_was_written() {
        for input in inputs() {
            assert_eq!(input.columns().input().as_ref(), Some(&input));
        }
    }

    #[test]
    fn columns_that_belong_to_no_input_are_refused() {
        for input in inputs() {
            let is = input.columns();
            let is_republished = is.input == REPUBLISH;
            for wrong in [
                InputColumns { input: "letter", ..is },
                InputColumns { host: if is.host.is_some() { None } else { Some("https://shop.test") }, ..is },
                InputColumns { upload: if is.upload.is_some() { None } else { Some("product") }, ..is },
                InputColumns { upload: Some("letters"), ..is },
                InputColumns { manner: if is.manner.is_some() { None } else { Some("guarded") }, ..is },
                InputColumns { manner: Some("rudely"), ..is },
                InputColumns { from: if is_republished { None } else { Some(7) }, ..is },
                InputColumns {
                    from_section: Some(if is_republished { "Letters" } else { "Products" }),
                    ..is
                },
            ] {
                assert_eq!(wrong.input(), None, "{wrong:?}");
            }
        }
    }

    #[test]
    fn what_an_upload_holds_is_the_word_in_front_of_the_first_hyphen() {
        assert_eq!(UploadKind::of_name("product-5f3c0a1b2c3d4"), Some(UploadKind::Product));
        assert_eq!(UploadKind::of_name("Category-1-2"), Some(UploadKind::Category));
        assert_eq!(UploadKind::of_name("brand"), Some(UploadKind::Brand));
        assert_eq!(UploadKind::of_name("orders-1"), Some(UploadKind::Orders));
        assert_eq!(UploadKind::of_name("order-1"), Some(UploadKind::Orders));
        for unknown in ["", "-", "products-1", "5f3c0a1b2c3d4-product", "product 1"] {
            assert_eq!(UploadKind::of_name(unknown), None, "{unknown}");
        }
    }

    #[test]
    fn each_input_has_a_kind_a_source_in_words_and_a_manner() {
        let manner = PublishMode::DryRun;
        let published = |section| Input::Republish { origin: RepublishSource { seq: 7, section }, manner };
        for (input, kind, name, source) in [
            (Input::Delta, SubmissionKind::Delta, "delta", None),
            (
                Input::Url { host: "h".to_owned(), manner, format: None },
                SubmissionKind::Feed,
                "url",
                Some("h"),
            ),
            (
                Input::Upload { holds: UploadKind::User, manner, format: None },
                SubmissionKind::Feed,
                "upload",
                Some("upload"),
            ),
            (published(None), SubmissionKind::Feed, "republish", Some("feed 3, which was held")),
            (published(Some(Section::Brands)), SubmissionKind::Feed, "republish", Some("Brands of feed 3")),
        ] {
            assert_eq!((input.kind(), SubmissionKind::of_input(name)), (kind, kind));
            assert_eq!((input.as_str(), input.source(Some(3)).as_deref()), (name, source));
            assert_eq!(input.is_dry_run(), kind == SubmissionKind::Feed);
        }
        assert_eq!(published(None).source(None).as_deref(), Some("an earlier feed, which was held"));
        let guarded = Input::Url { host: String::new(), manner: PublishMode::Guarded, format: None };
        assert!(!guarded.is_dry_run());
    }
}
