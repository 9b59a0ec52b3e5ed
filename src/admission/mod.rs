//! Shares of what all accounts have in common, so that no account takes so much that others get nothing.
//!
//! Every resource that serves all accounts and can run out is a row of [`SharedResources`], and has a gauge.

mod new_visitors;
mod page_events;
mod tenant_permits;
mod tenant_semaphore;
mod unnamed_proxy;

use std::sync::Arc;

use crate::limits;

pub use self::new_visitors::{NewVisitors, VisitorReservation, VisitorSource};
pub use self::page_events::PageEvents;
pub use self::tenant_semaphore::{Permit, SemaphoreLimits, Tenant, TenantSemaphore};
pub use self::unnamed_proxy::UnnamedProxy;

/// Resources that serve all accounts and can run out, each handed out in shares.
pub struct SharedResources {
    /// Open connections, but those of the control socket.
    pub connections: Arc<TenantSemaphore>,
    /// Open connections to the console: however many others are open, operators reach it.
    pub console_connections: Arc<TenantSemaphore>,
    /// Memory, in bytes, of bodies of requests that are still arriving, and of pieces on their way to the disk.
    pub request_memory: Arc<TenantSemaphore>,
    /// Turns of searches through a whole catalogue, or for a person in all places: work of seconds where much is
    /// stored.
    pub looks: Arc<TenantSemaphore>,
    /// Turns of reports on product quality: they are as much work, and no search for a person waits for them.
    pub quality: Arc<TenantSemaphore>,
    /// Turns of reports: work of seconds, and memory.
    pub reports: Arc<TenantSemaphore>,
    /// Searches that are computed: each is a few thousandths of a second of a processor, or more.
    pub searches: Arc<TenantSemaphore>,
    /// Turns to read what long bodies of requests ask for: some milliseconds of a processor for a megabyte.
    pub long_bodies: Arc<TenantSemaphore>,
    /// Memory, in bytes, of large answers until their readers have taken them.
    pub answers: Arc<TenantSemaphore>,
    /// Events that are being stored: the one writer, for which all accounts wait.
    pub events: Arc<TenantSemaphore>,
    /// Sub-limit for events sent by pages without the secret, so that they never delay the shop's own events.
    pub page_events: Arc<TenantSemaphore>,
    /// Streams of events: each asks the store again and again for as long as it is open.
    pub event_streams: Arc<TenantSemaphore>,
    /// Fetches of feeds: a slow server keeps one for as long as it sends.
    pub fetches: Arc<TenantSemaphore>,
    /// Workers for jobs without a fetch.
    pub feeds: Arc<TenantSemaphore>,
    /// Room on the disk, in bytes, of feeds that are fetched or wait to be read.
    pub spool_bytes: Arc<TenantSemaphore>,
    /// Turns of feeds to be read and published: work, and memory.
    pub readings: Arc<TenantSemaphore>,
    /// Turns to empty the database's log and to prove erasures, for which every file is read.
    pub proofs: Arc<TenantSemaphore>,
    /// Parts of pages of the console that follow what happens: each asks the store again and again.
    pub followed_parts: Arc<TenantSemaphore>,
    /// Feeds that operators send as files: each holds a connection and a thread for as long as it arrives.
    pub feed_files: Arc<TenantSemaphore>,
    /// Passwords of the console that are looked at: memory, and work.
    pub sign_ins: Arc<TenantSemaphore>,
    /// Tries to tell shops' servers something: a slow one keeps one for as long as a try may take.
    pub webhooks: Arc<TenantSemaphore>,
    /// Budget of new visitors: not given back, but refilled with time.
    pub new_visitors: Arc<NewVisitors>,
    /// Newest request of a proxy that `--trusted-proxies` does not name: all its clients may count as one.
    pub unnamed_proxy: UnnamedProxy,
    /// Rate limit of the events that pages send. It refills with time too.
    pub told_by_pages: Arc<PageEvents>,
}

impl Default for SharedResources {
    fn default() -> Self {
        Self {
            connections: TenantSemaphore::new(SemaphoreLimits {
                name: "connections",
                all: limits::CONNECTIONS,
                // No account is known yet; the proxies bring all clients.
                of_one: limits::CONNECTIONS,
                of_client: limits::CONNECTIONS_OF_CLIENT,
                of_clients: limits::CONNECTIONS,
                ..PARTS
            }),
            console_connections: TenantSemaphore::new(SemaphoreLimits {
                name: "console_connections",
                all: limits::CONSOLE_CONNECTIONS,
                of_one: limits::CONSOLE_CONNECTIONS,
                of_client: limits::CONSOLE_CONNECTIONS_OF_CLIENT,
                of_clients: limits::CONSOLE_CONNECTIONS,
                ..PARTS
            }),
            request_memory: TenantSemaphore::new(SemaphoreLimits {
                name: "request_memory",
                all: limits::REQUEST_MEMORY_BYTES,
                of_one: limits::REQUEST_MEMORY_OF_ACCOUNT_BYTES,
                of_client: limits::REQUEST_MEMORY_OF_CLIENT_BYTES,
                of_clients: limits::REQUEST_MEMORY_OF_CLIENTS_BYTES,
                ..PARTS
            }),
            looks: turns("looks", limits::LOOKS, limits::LOOKS_OF_ACCOUNT),
            quality: turns("quality", limits::LOOKS, limits::LOOKS_OF_ACCOUNT),
            reports: turns("reports", limits::LOOKS, limits::LOOKS_OF_ACCOUNT),
            searches: TenantSemaphore::new(SemaphoreLimits {
                name: "searches",
                all: limits::SEARCHES_AT_ONCE,
                for_newcomers: limits::SEARCHES_FOR_NEWCOMERS,
                of_one: limits::SEARCHES_OF_ACCOUNT,
                ..PARTS
            }),
            long_bodies: long_bodies(),
            answers: answers(),
            events: turns("events", limits::EVENTS_AT_ONCE, limits::EVENTS_OF_ACCOUNT),
            page_events: turns("page_events", limits::PAGE_EVENTS_AT_ONCE, limits::PAGE_EVENTS_OF_ACCOUNT),
            event_streams: turns("event_streams", limits::EVENT_STREAMS, limits::EVENT_STREAMS_OF_ACCOUNT),
            fetches: turns("fetches", limits::FETCHES_AT_ONCE, limits::FETCHES_OF_ACCOUNT),
            feeds: turns("feeds", limits::FEEDS_AT_ONCE, 1),
            spool_bytes: turns("spool_bytes", limits::SPOOL_BYTES, limits::SPOOL_OF_ACCOUNT_BYTES),
            readings: turns("readings", limits::FEEDS_AT_ONCE, 1),
            proofs: turns("proofs", 1, 1),
            followed_parts: turns("followed_parts", limits::EVENT_STREAMS, limits::EVENT_STREAMS_OF_ACCOUNT),
            feed_files: turns("feed_files", limits::FEED_FILES_AT_ONCE, limits::FEED_FILES_OF_ACCOUNT),
            sign_ins: TenantSemaphore::new(SemaphoreLimits {
                name: "sign_ins",
                all: limits::SIGN_INS_AT_ONCE,
                of_one: limits::SIGN_INS_OF_CLIENT,
                of_client: limits::SIGN_INS_OF_CLIENT,
                of_clients: limits::SIGN_INS_AT_ONCE,
                ..PARTS
            }),
            webhooks: turns("webhooks", limits::WEBHOOKS_AT_ONCE, 1),
            new_visitors: Arc::default(),
            unnamed_proxy: UnnamedProxy::default(),
            told_by_pages: Arc::default(),
        }
    }
}

/// Limits of a quantity that only accounts take.
const PARTS: SemaphoreLimits = SemaphoreLimits {
    name: "",
    all: 0,
    for_newcomers: 0,
    of_one: 0,
    of_client: 0,
    of_clients: 0,
    of_address: usize::MAX,
    waiting_of_one: limits::WAITING_OF_ACCOUNT,
};

fn long_bodies() -> Arc<TenantSemaphore> {
    TenantSemaphore::new(SemaphoreLimits {
        name: "long_bodies",
        all: limits::LONG_BODIES_AT_ONCE,
        for_newcomers: limits::LONG_BODIES_AT_ONCE - limits::LONG_BODIES_OF_ACCOUNT,
        of_one: limits::LONG_BODIES_OF_ACCOUNT,
        waiting_of_one: limits::LONG_BODIES_WAITING,
        ..PARTS
    })
}

fn answers() -> Arc<TenantSemaphore> {
    TenantSemaphore::new(SemaphoreLimits {
        name: "answers",
        all: limits::ANSWERS_BYTES,
        for_newcomers: limits::ANSWER_BYTES,
        of_one: limits::ANSWERS_OF_ACCOUNT_BYTES,
        of_client: limits::ANSWERS_OF_CLIENT_BYTES,
        of_clients: limits::ANSWERS_OF_ADDRESS_BYTES,
        of_address: limits::ANSWERS_OF_ADDRESS_BYTES,
        waiting_of_one: limits::ANSWERS_WAITING,
    })
}

/// A quantity that only accounts take.
fn turns(name: &'static str, all: usize, of_one: usize) -> Arc<TenantSemaphore> {
    TenantSemaphore::new(SemaphoreLimits { name, all, of_one, ..PARTS })
}

impl SharedResources {
    /// All resources that are taken and given back, each once.
    #[must_use]
    pub fn all_shares(&self) -> [&TenantSemaphore; 21] {
        let Self {
            connections,
            console_connections,
            request_memory,
            looks,
            quality,
            reports,
            searches,
            long_bodies,
            answers,
            events,
            page_events,
            event_streams,
            fetches,
            feeds,
            spool_bytes,
            readings,
            proofs,
            followed_parts,
            feed_files,
            sign_ins,
            webhooks,
            new_visitors: _,
            unnamed_proxy: _,
            told_by_pages: _,
        } = self;
        [
            connections,
            console_connections,
            request_memory,
            looks,
            quality,
            reports,
            searches,
            long_bodies,
            answers,
            events,
            page_events,
            event_streams,
            fetches,
            feeds,
            spool_bytes,
            readings,
            proofs,
            followed_parts,
            feed_files,
            sign_ins,
            webhooks,
        ]
    }
}

#[cfg(test)]
mod tests;
