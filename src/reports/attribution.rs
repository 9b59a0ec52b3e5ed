//! Attribution: the place where a shopper found a product. It goes out with each item shown, as `RefId`, and comes back
//! with a click or a line of an order: it holds nothing about the shopper.

use std::fmt::{Display, Formatter};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

use super::query;
use crate::addresses;
use crate::limits;

/// A place where a product was shown.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AttributionSource {
    /// A zone of a page.
    Zone {
        /// The zone.
        zone: String,
        /// Recommender of its products.
        recommender: String,
        /// The campaign; empty for content without one.
        campaign: String,
    },
    /// A search, by the [`query::mark`] of its text.
    Search(String),
    /// The zones of a page that were left out, because the visitor is in the control group.
    Control,
}

/// Signs that stand for themselves: they mean nothing in HTML, a script, an address, or between two parts.
const PLAIN: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_');

impl AttributionSource {
    /// About how many bytes of memory it takes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let texts = match self {
            Self::Zone { zone, recommender, campaign } => zone.len() + recommender.len() + campaign.len(),
            Self::Search(mark) => mark.len(),
            Self::Control => 0,
        };
        size_of::<Self>() + texts
    }

    /// Reads a source that a client sent. A text that holds an address is refused.
    #[must_use]
    pub fn parse_sent(text: &str) -> Option<Self> {
        Self::parse_shown(text).filter(|source| *source != Self::Control)
    }

    /// Reads a source that a shop's server reports as shown or left out on a page. A text that holds an address is
    /// refused.
    #[must_use]
    pub fn parse_shown(text: &str) -> Option<Self> {
        Self::parse(text).filter(|source| !source.holds_address())
    }

    fn holds_address(&self) -> bool {
        let Self::Zone { zone, recommender, campaign } = self else { return false };
        let is_address = |text: &String| addresses::holds_address(text);
        [zone, recommender, campaign].into_iter().any(is_address)
    }

    /// Reads the output of [`Display`]; `None` for anything else.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        if text.len() > limits::REF_ID_BYTES {
            return None;
        }
        let parts: Vec<_> = text.split('.').collect();
        let plain = |part: &str| percent_decode_str(part).decode_utf8().ok().map(|text| text.into_owned());
        match *parts.as_slice() {
            ["z", zone, recommender, campaign] => {
                let [zone, recommender, campaign] = [plain(zone)?, plain(recommender)?, plain(campaign)?];
                let is_text = |text: &String| !text.chars().any(char::is_control);
                let is_whole = !zone.is_empty() && [&zone, &recommender, &campaign].into_iter().all(is_text);
                is_whole.then_some(Self::Zone { zone, recommender, campaign })
            }
            ["s", mark] => query::is_mark(mark).then(|| Self::Search(mark.to_owned())),
            ["c"] => Some(Self::Control),
            _ => None,
        }
    }
}

impl Display for AttributionSource {
    fn fmt(&self, to: &mut Formatter<'_>) -> std::fmt::Result {
        let coded = |text| utf8_percent_encode(text, PLAIN);
        match self {
            Self::Zone { zone, recommender, campaign } => {
                write!(to, "z.{}.{}.{}", coded(zone), coded(recommender), coded(campaign))
            }
            Self::Search(mark) => write!(to, "s.{mark}"),
            Self::Control => to.write_str("c"),
        }
    }
}
