//! Asks for a feed: every hop is checked, resolved once, and connected only to the checked addresses.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use reqwest::header::{ACCEPT_ENCODING, HeaderMap, HeaderValue, LOCATION};
use reqwest::{Client, RequestBuilder, Response, redirect, retry};
use tokio::time::{Instant, timeout, timeout_at};
use url::Host;

use super::address::AddressPolicy;
use super::body::FetchedBody;
use super::content_coding;
use super::fault::FetchFault;
use super::feed_url::FeedUrl;
use super::fetch_limits::FetchLimits;
use super::resolve::{PinnedResolver, Resolve};
use super::validators::Validators;

const USER_AGENT: &str = concat!("lethe/", env!("CARGO_PKG_VERSION"));

/// The door to other people's servers.
#[derive(Clone)]
pub struct Outbound {
    policy: AddressPolicy,
    resolver: Arc<dyn Resolve>,
    limits: FetchLimits,
}

/// Result of a fetch.
pub enum Fetched {
    /// The feed is the one whose validators were given.
    NotModified,
    /// A feed, its body still to be read.
    Body(Box<FetchedBody>),
}

impl Outbound {
    /// A door that follows `policy` and asks `resolver` for names.
    #[must_use]
    pub fn new(policy: AddressPolicy, resolver: Arc<dyn Resolve>, limits: FetchLimits) -> Self {
        Self { policy, resolver, limits }
    }

    /// The rule for [`FeedUrl::parse`].
    #[must_use]
    pub fn policy(&self) -> &AddressPolicy {
        &self.policy
    }

    /// Asks for the feed at `url`. With `known`, an unchanged feed is not sent again (default: nothing
    /// known).
    ///
    /// # Errors
    /// [`FetchFault`]: transient if trying later can help.
    pub async fn fetch_feed(&self, url: &FeedUrl, known: &Validators) -> Result<Fetched, FetchFault> {
        let deadline = Instant::now() + self.limits.total;
        let followed = timeout_at(deadline, self.follow(url, known, deadline)).await;
        followed.unwrap_or_else(|_| Err(FetchFault::deadline()))
    }

    async fn follow(
        &self,
        first: &FeedUrl,
        known: &Validators,
        deadline: Instant,
    ) -> Result<Fetched, FetchFault> {
        let conditions = known.conditions();
        let mut seen = vec![first.clone()];
        for _ in 0..=self.limits.redirects {
            let here = &seen[seen.len() - 1];
            // Validators could tell another server which feed this is.
            let at_origin = here.same_origin(first);
            let conditions = if at_origin { conditions.clone() } else { HeaderMap::new() };
            let may_be_unmodified = !conditions.is_empty();
            let answer =
                self.send_request(here, |client| client.get(here.expose()).headers(conditions)).await?;
            match answer.status().as_u16() {
                200 => {
                    let validators = if at_origin {
                        Validators::from_headers(answer.headers())
                    } else {
                        Validators::default()
                    };
                    let body = FetchedBody::new(answer, validators, self.limits.clone(), deadline)?;
                    return Ok(Fetched::Body(Box::new(body)));
                }
                304 if may_be_unmodified => return Ok(Fetched::NotModified),
                301 | 302 | 303 | 307 | 308 => seen.push(self.next_hop(location(&answer), &seen)?),
                _ => return Err(FetchFault::of_answer(&answer)),
            }
        }
        Err(FetchFault::lasting(format!("the feed is redirected more than {} times", self.limits.redirects)))
    }

    /// The target of a redirect from the last of `seen`, if it may be followed.
    pub(super) fn next_hop(&self, location: Option<&str>, seen: &[FeedUrl]) -> Result<FeedUrl, FetchFault> {
        let here = &seen[seen.len() - 1];
        let Some(location) = location else {
            return Err(FetchFault::lasting("the feed is redirected to nowhere"));
        };
        let Ok(next) = here.join(location, &self.policy) else {
            return Err(FetchFault::lasting("the feed is redirected to a URL that is not allowed"));
        };
        if here.is_https() && !next.is_https() {
            return Err(FetchFault::lasting("the feed is redirected from https to http"));
        }
        if seen.contains(&next) {
            return Err(FetchFault::lasting("the feed is redirected in a circle"));
        }
        Ok(next)
    }

    /// One request to one checked place; gives the answer when its head has arrived.
    pub(super) async fn send_request(
        &self,
        url: &FeedUrl,
        request: impl FnOnce(&Client) -> RequestBuilder,
    ) -> Result<Response, FetchFault> {
        let addresses = self.addresses(url).await?;
        let client = self.client(url, &addresses).map_err(|error| FetchFault::of_request(&error))?;
        let request = request(&client).send();
        let answer = timeout(self.limits.connect + self.limits.head, request).await;
        let answer = answer.map_err(|_| FetchFault::transient("the feed's server did not answer in time"))?;
        let answer = answer.map_err(|error| FetchFault::of_request(&error))?;
        match answer.remote_addr() {
            Some(peer) if addresses.iter().any(|address| is_same(*address, peer)) => Ok(answer),
            _ => Err(FetchFault::lasting("the feed was answered from an address that was not asked")),
        }
    }

    /// All addresses of a URL's host, each permitted.
    async fn addresses(&self, url: &FeedUrl) -> Result<Vec<SocketAddr>, FetchFault> {
        let hosts = match url.host() {
            Host::Ipv4(address) => vec![IpAddr::V4(address)],
            Host::Ipv6(address) => vec![IpAddr::V6(address)],
            Host::Domain(name) => self.resolve(name).await?,
        };
        let addresses: Vec<_> = hosts.into_iter().map(|host| SocketAddr::new(host, url.port())).collect();
        // One forbidden address among permitted ones is an attack or a mistake: connecting would be a lottery.
        if addresses.iter().all(|address| self.policy.permits(*address)) {
            return Ok(addresses);
        }
        Err(FetchFault::lasting("the feed's server has an address or port that is not allowed"))
    }

    async fn resolve(&self, name: &str) -> Result<Vec<IpAddr>, FetchFault> {
        match timeout(self.limits.connect, self.resolver.resolve(name)).await {
            Ok(Ok(found)) if !found.is_empty() => Ok(found),
            _ => Err(FetchFault::transient("the name of the feed's server could not be resolved")),
        }
    }

    /// A client for one hop: it knows only the checked addresses, follows nothing, adds nothing, decodes nothing.
    fn client(&self, url: &FeedUrl, addresses: &[SocketAddr]) -> reqwest::Result<Client> {
        let builder = Client::builder();
        // Reading the system's certificates costs more than a small feed: only where they are needed.
        let builder = if url.is_https() { builder } else { builder.tls_certs_only([]) };
        builder
            .dns_resolver(Arc::new(PinnedResolver(addresses.to_vec())))
            .redirect(redirect::Policy::none())
            .retry(retry::never())
            .referer(false)
            .no_proxy()
            .no_gzip()
            .no_zstd()
            .no_brotli()
            .no_deflate()
            .http1_only()
            .pool_max_idle_per_host(0)
            .connect_timeout(self.limits.connect)
            .user_agent(USER_AGENT)
            .default_headers(HeaderMap::from_iter([(
                ACCEPT_ENCODING,
                HeaderValue::from_static(content_coding::ACCEPTED),
            )]))
            .build()
    }
}

fn location(answer: &Response) -> Option<&str> {
    std::str::from_utf8(answer.headers().get(LOCATION)?.as_bytes()).ok()
}

/// Returns true if two addresses are the same, even if one is written as IPv4 in IPv6.
fn is_same(one: SocketAddr, other: SocketAddr) -> bool {
    one.port() == other.port() && one.ip().to_canonical() == other.ip().to_canonical()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_the_same_in_both_spellings_and_at_its_port() {
        let one = "127.0.0.1:80".parse().unwrap();
        for (other, is) in [
            ("127.0.0.1:80", true),
            ("[::ffff:127.0.0.1]:80", true),
            ("127.0.0.1:81", false),
            ("127.0.0.2:80", false),
            ("[::ffff:127.0.0.2]:80", false),
            ("[::1]:80", false),
        ] {
            let other = other.parse().unwrap();
            assert_eq!([is_same(one, other), is_same(other, one)], [is, is], "{other}");
        }
    }
}
