//! From a host's name to its addresses: once a hop, and the connection is bound to the answer.

use std::future::Future;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;

/// An answer that is being waited for.
pub type Resolving<'a> = Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send + 'a>>;

/// Finds the addresses of a name. Never asked for literal addresses.
pub trait Resolve: Send + Sync {
    /// All addresses of `host`; an empty list counts as not found.
    fn resolve<'a>(&'a self, host: &'a str) -> Resolving<'a>;
}

/// The machine's own resolver (`getaddrinfo`), so `/etc/hosts` and local DNS settings hold.
pub struct SystemResolver;

impl Resolve for SystemResolver {
    fn resolve<'a>(&'a self, host: &'a str) -> Resolving<'a> {
        Box::pin(
            async move { Ok(tokio::net::lookup_host((host, 0)).await?.map(|found| found.ip()).collect()) },
        )
    }
}

/// Gives a client the addresses that were checked and no others, whatever name it asks for: there is no second
/// look-up that could answer differently.
pub(super) struct PinnedResolver(pub Vec<SocketAddr>);

impl reqwest::dns::Resolve for PinnedResolver {
    fn resolve(&self, _name: reqwest::dns::Name) -> reqwest::dns::Resolving {
        let addresses: reqwest::dns::Addrs = Box::new(self.0.clone().into_iter());
        Box::pin(std::future::ready(Ok(addresses)))
    }
}
