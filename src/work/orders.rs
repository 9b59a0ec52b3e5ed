//! Doing an order file: read, checked and spooled sealed, then each order stored under the key of its person.
//!
//! Lines of one order normally follow each other. Such a run of lines is one entry of the spool; a later run with the
//! same order id joins the stored order, so that nothing has to be sorted and memory holds one order at a time.

use std::io::{self, BufReader, Read};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use zeroize::Zeroizing;

use super::erasure::address_check;
use super::fault::WorkFault;
use super::{key_slots, people};
use crate::blobs::{BlobWriter, Blobs};
use crate::clock::{Millis, millis};
use crate::feeds::issue::{Issue, IssueCode};
use crate::feeds::orders::{OrderLine, OrderReader, OrderRow, OrdersFault};
use crate::feeds::publish_checks::FeedCounts;
use crate::feeds::reader::{RawRow, RowOrigin};
use crate::feeds::section::FeedPart;
use crate::ids::identifier::{Identifier, IdentifierRefusal};
use crate::jobs::Lease;
use crate::keys::{SealedReader, SealedWriter, Sealer};
use crate::node::Node;
use crate::people::order::{self, Order, OrderOutcome, Purchase, PurchaseLine};
use crate::people::row_context::RowContext;
use crate::store::Tx;
use crate::submissions::issues::IssueCollector;
use crate::{addresses, limits};

pub use super::feed::read::FeedFailure;

/// Orders stored in one unit of work: each is up to six rows.
const UNIT_ORDERS: usize = limits::UNIT_ROWS / 6;

static_assertions::assert_not_impl_any!(OrderLine: std::fmt::Debug, std::fmt::Display, serde::Serialize);
static_assertions::assert_not_impl_any!(ReadyOrders: std::fmt::Debug, std::fmt::Display, serde::Serialize);
static_assertions::assert_not_impl_any!(OrderRun: std::fmt::Debug, std::fmt::Display, serde::Serialize);

/// Context for reading an order file.
pub struct OrdersReadContext<'a> {
    /// Blobs to which the spool is written.
    pub blobs: &'a Blobs,
    /// Seals the spool; of the submission's own key.
    pub sealer: &'a Sealer,
    /// Associated data that binds the spool.
    pub aad: &'a [u8],
    /// Shows the number of rows read; reading stops when it is lost.
    pub lease: &'a Lease,
    /// Time at which the file was sent. The age of orders is counted from it, so that every run of the job has the same
    /// result.
    pub accepted_at: Millis,
}

/// An order file that was read and found good enough to be stored.
pub struct ReadyOrders {
    /// Issues of single rows.
    pub found: IssueCollector,
    /// The orders, sealed.
    spool: BlobWriter,
}

/// Reads and checks a whole file. Blocks. Before the call, record that the submission holds rows about people
/// ([`crate::submissions::payload::note_people`]); keep the record until [`store`] is done.
///
/// # Errors
/// [`FeedFailure::Final`] when it is no usable file of orders, with a sentence for the shop; [`FeedFailure::Fault`]
/// when it cannot be read, the spool cannot be written, or the lease is lost.
pub fn read_file(source: impl Read, reading: &OrdersReadContext<'_>) -> Result<ReadyOrders, FeedFailure> {
    let mut tally = FeedCounts::default();
    let mut spool = SealedWriter::new(reading.sealer, reading.aad, reading.blobs.create()?)?;
    let sentence = match collect(source, reading, &mut spool, &mut tally) {
        Err(FeedFailure::Final(sentence, _)) => sentence,
        Err(refused) => return Err(refused),
        // A shop without orders sends a header alone.
        Ok(()) => match tally.judge(true) {
            Ok(()) => return Ok(ReadyOrders { found: tally.into_found(), spool: spool.finish()? }),
            Err(sentence) => sentence,
        },
    };
    Err(FeedFailure::Final(sentence, tally.into_found()))
}

/// Stores the orders that were read, and returns all issues of the file's rows. Leaves orders stored by an earlier run
/// of the same submission as they are.
///
/// # Errors
/// When the store or a key fails, the spool does not open, or the lease is lost.
pub async fn store(
    node: &Arc<Node>,
    lease: &Arc<Lease>,
    sealer: &Sealer,
    aad: &[u8],
    checked: ReadyOrders,
) -> Result<IssueCollector, WorkFault> {
    lease.progress.enter("storing orders");
    let ReadyOrders { mut found, mut spool } = checked;
    let blob = spool.read_back()?;
    let mut reader = SealedReader::new(sealer, aad, BufReader::new(blob.reader()))?;
    let account = lease.account;
    loop {
        let spooled = next_runs(&mut reader)?;
        if spooled.is_empty() {
            return Ok(found);
        }
        let read = |is_forgotten: &dyn Fn(&str) -> bool| runs_of(&spooled, is_forgotten);
        let runs = address_check::reading(node, account, read).await?;
        let places: Vec<_> = runs.iter().map(|run| (run.number, run.offset)).collect();
        let store =
            |tx: &mut Tx<'_>, desk: &RowContext<'_>, run: &OrderRun| order::store(tx, desk, &run.order);
        let stored = key_slots::store_each(node, lease, runs, |_, _, _| Ok(()), store);
        for ((row, offset), stored) in places.into_iter().zip(stored.await?) {
            let code = match stored {
                // A report must not reveal that a person is forgotten.
                OrderOutcome::Kept | OrderOutcome::Dropped | OrderOutcome::TakenBack => continue,
                OrderOutcome::Repeated => IssueCode::OrderKnown,
                OrderOutcome::Mixed => IssueCode::OrderMixed,
                OrderOutcome::TooManyLines => IssueCode::OrderTooManyLines,
            };
            let field = Some("OrderID".into());
            found.add(&mut vec![Issue {
                code,
                section: FeedPart::Orders,
                row,
                offset,
                line: None,
                field,
                meant: None,
            }]);
        }
    }
}

/// Lines of one order that follow each other, and the place of the first.
struct OrderRun {
    number: u64,
    offset: u64,
    order: Order,
    /// The addresses of an email field that names several, and so no person.
    several: Vec<String>,
}

impl OrderRun {
    /// Joins the next line to the run if it is of the same order and person; else returns the run and begins the next.
    /// A line that names another person does not join: whether both names lead to one person is decided when it is
    /// stored. If some lines of an order are cancelled the others count.
    fn join(&mut self, next: Self) -> Option<Self> {
        let is_same_order = self.order.id == next.order.id;
        if is_same_order && next.is_cancelled() {
            return None;
        }
        if is_same_order && self.is_cancelled() {
            *self = next;
            return None;
        }
        if !self.is_of(&next) || self.order.bought.lines.len() >= limits::ORDER_LINES {
            return Some(std::mem::replace(self, next));
        }
        self.order.bought.lines.extend(next.order.bought.lines);
        None
    }

    fn is_cancelled(&self) -> bool {
        self.order.bought.lines.is_empty()
    }

    fn is_of(&self, next: &Self) -> bool {
        let one = &self.order;
        let other = &next.order;
        one.id == other.id
            && one.user_id == other.user_id
            && one.email == other.email
            && one.company == other.company
            && self.several == next.several
    }
}

fn collect(
    source: impl Read,
    reading: &OrdersReadContext<'_>,
    spool: &mut SealedWriter<BlobWriter>,
    tally: &mut FeedCounts,
) -> Result<(), FeedFailure> {
    reading.lease.progress.begin_reading();
    let mut lines = OrderReader::new(source).map_err(refused_by)?;
    let (mut run, mut issues): (Option<OrderRun>, _) = (None, lines.header_issues());
    tally.add_outside_rows(&mut issues);
    while let Some(row) = lines.next_row().map_err(refused_by)? {
        if reading.lease.is_lost() {
            return Err(WorkFault::LeaseLost.into());
        }
        reading.lease.progress.rows.fetch_add(1, Ordering::Relaxed);
        let next = row.and_then(|row| match row {
            OrderRow::Line(line) => one_line(line, reading.accepted_at, &mut issues),
            OrderRow::Cancelled { number, offset, order_id } => {
                Ok(OrderRun { number, offset, order: Order::new_cancelled(order_id), several: Vec::new() })
            }
        });
        match next {
            Ok(next) => match &mut run {
                Some(run) => write(spool, run.join(next))?,
                None => run = Some(next),
            },
            Err(issue) => issues.push(issue),
        }
        tally.add(FeedPart::Orders, &mut issues);
    }
    Ok(write(spool, run)?)
}

fn refused_by(fault: OrdersFault) -> FeedFailure {
    match fault {
        OrdersFault::Read(error) => FeedFailure::Fault(WorkFault::of_reading(&error)),
        fault => FeedFailure::Final(fault.to_string(), IssueCollector::default()),
    }
}

/// Determines the person of a line, and whether its date counts.
fn one_line(line: OrderLine, accepted_at: Millis, issues: &mut Vec<Issue>) -> Result<OrderRun, Issue> {
    let number = line.number;
    let offset = line.offset;
    let issue = |code, field: &'static str| Issue {
        code,
        section: FeedPart::Orders,
        row: number,
        offset,
        line: None,
        field: Some(field.into()),
        meant: None,
    };
    if line.ordered_at > accepted_at + millis(limits::ORDER_AHEAD_DURATION) {
        return Err(issue(IssueCode::OrderDateMalformed, "DateTime"));
    }
    if line.ordered_at < accepted_at - millis(limits::ORDER_AGE_DURATION) {
        return Err(issue(IssueCode::OrderTooOld, "DateTime"));
    }
    let nobody = |refusal| matches!(refusal, IdentifierRefusal::Nobody | IdentifierRefusal::Empty);
    let named = |read: Result<Identifier, IdentifierRefusal>, field| match read {
        Ok(id) => Ok(Some(id)),
        Err(refusal) if nobody(refusal) => Ok(None),
        Err(IdentifierRefusal::TooLong) => Err(issue(IssueCode::IdTooLong, field)),
        Err(_) => Err(issue(IssueCode::IdMalformed, field)),
    };
    let user_id = named(Identifier::user_id(&line.user_id), "UserId")?;
    let company = named(Identifier::account_id(&line.account_id), "AccountId")?;
    let mut emails = Identifier::emails_in(&line.email);
    let several = if emails.len() > 1 {
        emails.iter().map(|email| email.normal().to_owned()).collect()
    } else {
        Vec::new()
    };
    let email = if line.email.trim().is_empty() {
        None
    } else if emails.len() == 1 {
        emails.pop()
    } else {
        issues.push(issue(IssueCode::EmailMalformed, "Email"));
        None
    };
    if user_id.is_none() && email.is_none() && company.is_none() {
        return Err(issue(IssueCode::OrderUnidentified, "UserId"));
    }
    let OrderLine { order_id: id, ordered_at, product, quantity, unit_price, .. } = line;
    let lines = vec![PurchaseLine { number, product, quantity, unit_price, source: None }];
    let bought = Purchase { ordered_at, lines };
    let order = Order { id, blanked_id: None, user_id, email, company, bought };
    Ok(OrderRun { number, offset, order, several })
}

/// Writes a run into the spool: its identifiers as a line of JSON, and the order as it will be stored.
fn write(spool: &mut SealedWriter<BlobWriter>, run: Option<OrderRun>) -> Result<(), WorkFault> {
    let Some(OrderRun { number, offset, order, several }) = run else { return Ok(()) };
    let normal = |id: &Option<Identifier>| id.as_ref().map(|id| id.normal().to_owned());
    let named = (normal(&order.user_id), normal(&order.email), normal(&order.company), several);
    let mut json = Zeroizing::new(serde_json::to_vec(&named).map_err(io::Error::from)?);
    json.push(b'\n');
    json.extend_from_slice(&order::encode(&order.id, &order.bought));
    people::write(
        spool,
        &RawRow { section: FeedPart::Orders, number, offset, origin: RowOrigin::Feed, json: &json },
    )?;
    Ok(())
}

/// Reads as many runs as one unit of work stores, in number and in bytes.
fn next_runs(spool: &mut impl Read) -> Result<Vec<people::Spooled>, WorkFault> {
    let mut runs = Vec::with_capacity(UNIT_ORDERS);
    let mut bytes = 0;
    while runs.len() < UNIT_ORDERS && bytes < limits::UNIT_PROFILES_BYTES {
        let Some(spooled) = people::read_row(spool)? else { break };
        bytes += spooled.json.len();
        runs.push(spooled);
    }
    Ok(runs)
}

/// The runs without addresses of forgotten people in their texts, and without runs whose email field names one among
/// others. Ids that hold one are left to the door.
fn runs_of(
    spooled: &[people::Spooled],
    is_forgotten: &dyn Fn(&str) -> bool,
) -> Result<Vec<OrderRun>, WorkFault> {
    let blanked = |text: &str| addresses::without_known(text, is_forgotten);
    let mut runs = Vec::with_capacity(spooled.len());
    for spooled in spooled {
        let mut run = read_back(spooled)?;
        let order = &mut run.order;
        let is_named = run.several.iter().any(|one| is_forgotten(one));
        if is_named {
            continue;
        }
        order.blanked_id = blanked(&order.id);
        for line in &mut order.bought.lines {
            line.product = blanked(&line.product).unwrap_or_else(|| std::mem::take(&mut line.product));
        }
        runs.push(run);
    }
    Ok(runs)
}

/// Reads [`write()`]. The identifiers were in their normal form, so they are accepted again.
fn read_back(spooled: &people::Spooled) -> Result<OrderRun, WorkFault> {
    type Normal = Option<String>;
    let mut halves = spooled.json.splitn(2, |byte| *byte == b'\n');
    let mut half = || halves.next().unwrap_or_default();
    let (user_id, email, company, several): (Normal, Normal, Normal, Vec<String>) =
        serde_json::from_slice(half()).map_err(io::Error::from)?;
    let (id, bought) = order::decode(half())?;
    let named = |text: Normal, read: fn(&str) -> Result<Identifier, IdentifierRefusal>| {
        text.and_then(|text| read(&text).ok())
    };
    let order = Order {
        id,
        blanked_id: None,
        user_id: named(user_id, Identifier::user_id),
        email: named(email, Identifier::email),
        company: named(company, Identifier::account_id),
        bought,
    };
    Ok(OrderRun { number: spooled.number, offset: spooled.offset, order, several })
}

#[cfg(test)]
#[path = "orders_tests.rs"]
mod tests;
