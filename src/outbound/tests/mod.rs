//! Fetching from scripted servers on the loopback network, whose every byte the test decides.

mod addresses;
mod bodies;
mod bounds;
mod feed_urls;
mod redirects;
mod requests;
mod scripted;
mod tls;
