//! The address of a feed as a shop gives it: checked once, kept secret (its query often holds a token).

use std::fmt;
use std::net::IpAddr;

use url::{Host, Url};

use super::address::{self, AddressPolicy};
use crate::limits;

/// An absolute http(s) URL whose literal address and port are permitted. It has no `Debug`, and shows only its host.
#[derive(Clone, PartialEq, Eq)]
pub struct FeedUrl(Url);

/// Reason why a URL is not accepted. The sentences name the rule and never quote the URL.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum FeedUrlRefusal {
    /// Longer than [`limits::FEED_URL_BYTES`], as sent or percent-encoded.
    #[error(
        "the URL is too long: at most {} bytes are allowed, percent-encoding included",
        limits::FEED_URL_BYTES
    )]
    TooLong,
    /// A tab, line break or another control character.
    #[error("the URL contains a control character: percent-encode it or leave it out")]
    ControlCharacter,
    /// No scheme, so it would depend on where it is read.
    #[error("the URL is relative: give an absolute one that begins with https:// or http://")]
    Relative,
    /// Not a URL at all.
    #[error("the URL cannot be read: give an absolute one such as https://shop.example/feed.json")]
    Malformed,
    /// Neither http nor https.
    #[error("the URL's scheme is not allowed: use https or http")]
    Scheme,
    /// Nothing between the slashes.
    #[error("the URL names no host: give an absolute one such as https://shop.example/feed.json")]
    EmptyHost,
    /// `user@` or `user:password@`.
    #[error("the URL carries a user name or password: only URLs without credentials are allowed")]
    UserInfo,
    /// A literal address outside the public internet and outside the operator's trusted networks.
    #[error("the URL's address is private or reserved: only public addresses are allowed")]
    Address,
    /// A port outside the operator's list.
    #[error("the URL's port is not allowed: use one of {allowed}")]
    Port {
        /// The allowed ports, comma-separated.
        allowed: String,
    },
}

impl FeedUrl {
    /// Reads and checks a URL. Drops white space around it, and its fragment.
    ///
    /// Allows a name on an unusual port when the operator trusts any network, because the name may resolve
    /// into that; the addresses of names are checked when the feed is fetched.
    ///
    /// # Errors
    /// [`FeedUrlRefusal`] says which rule is broken.
    pub fn parse(text: &str, policy: &AddressPolicy) -> Result<Self, FeedUrlRefusal> {
        if text.len() > limits::FEED_URL_BYTES {
            return Err(FeedUrlRefusal::TooLong);
        }
        if text.chars().any(char::is_control) {
            return Err(FeedUrlRefusal::ControlCharacter);
        }
        Self::from_url(Url::parse(text).map_err(refusal_of)?, policy)
    }

    /// The whole URL, for sealing and for storing sealed. [`FeedUrl::parse`] reads it back.
    #[must_use]
    pub fn expose(&self) -> &str {
        self.0.as_str()
    }

    /// The target of a redirect from here, under the same rules.
    pub(super) fn join(&self, location: &str, policy: &AddressPolicy) -> Result<Self, FeedUrlRefusal> {
        Self::from_url(self.0.join(location).map_err(refusal_of)?, policy)
    }

    /// The host as the one parser understood it: every spelling of an address has become that address.
    pub(super) fn host(&self) -> Host<&str> {
        self.0.host().unwrap_or(Host::Domain(""))
    }

    pub(super) fn port(&self) -> u16 {
        self.0.port_or_known_default().unwrap_or(0)
    }

    pub(super) fn is_https(&self) -> bool {
        self.0.scheme() == "https"
    }

    pub(super) fn same_origin(&self, other: &Self) -> bool {
        self.0.origin() == other.0.origin()
    }

    fn from_url(mut url: Url, policy: &AddressPolicy) -> Result<Self, FeedUrlRefusal> {
        if !matches!(url.scheme(), "http" | "https") {
            return Err(FeedUrlRefusal::Scheme);
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(FeedUrlRefusal::UserInfo);
        }
        url.set_fragment(None);
        // Percent-encoding lengthens; a stored URL must be readable again.
        if url.as_str().len() > limits::FEED_URL_BYTES {
            return Err(FeedUrlRefusal::TooLong);
        }
        let url = Self(url);
        url.check_host(policy)?;
        Ok(url)
    }

    fn check_host(&self, policy: &AddressPolicy) -> Result<(), FeedUrlRefusal> {
        let literal = match self.host() {
            Host::Domain("") => return Err(FeedUrlRefusal::EmptyHost),
            Host::Domain(_) => None,
            Host::Ipv4(address) => Some(IpAddr::V4(address)),
            Host::Ipv6(address) => Some(IpAddr::V6(address)),
        };
        let trusted = literal.map_or(!policy.allow.is_empty(), |address| policy.trusts(address));
        if trusted {
            return Ok(());
        }
        if literal.is_some_and(|address| !address::is_public(address)) {
            return Err(FeedUrlRefusal::Address);
        }
        if !policy.ports.contains(&self.port()) {
            let allowed = policy.ports.iter().map(u16::to_string).collect::<Vec<_>>().join(", ");
            return Err(FeedUrlRefusal::Port { allowed });
        }
        Ok(())
    }
}

impl fmt::Display for FeedUrl {
    /// Scheme and host only: path and query may hold a secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://{}/…", self.0.scheme(), self.host())
    }
}

fn refusal_of(error: url::ParseError) -> FeedUrlRefusal {
    match error {
        url::ParseError::RelativeUrlWithoutBase => FeedUrlRefusal::Relative,
        url::ParseError::EmptyHost => FeedUrlRefusal::EmptyHost,
        _ => FeedUrlRefusal::Malformed,
    }
}
