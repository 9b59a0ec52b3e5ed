//! Doing an order file: read, checked and spooled sealed, then each order stored under the key of its person.
//!
//! Lines of one order normally follow each other. Such a run of lines is one entry of the spool; a later run with the
//! same order id joins the stored order, so that nothing has to be sorted and memory holds one order at a time.

use std::io::{self, BufReader, Read};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use zeroize::Zeroizing;

use super::{WorkFault, people, spares};
use crate::blobs::{BlobWriter, Blobs};
use crate::clock::{Millis, millis};
use crate::feeds::issue::{Issue, IssueCode};
use crate::feeds::orders::{OrderLine, OrderReader, OrdersFault};
use crate::feeds::reader::RawRow;
use crate::feeds::section::Section;
use crate::feeds::verdict::Tally;
use crate::jobs::Lease;
use crate::keys::{SealedReader, SealedWriter, Sealer};
use crate::limits;
use crate::node::Node;
use crate::subjects::identifier::{Identifier, IdentifierRefusal};
use crate::subjects::order::{self, Bought, Line, Order, Stored};
use crate::submissions::issues::Found;

pub use super::product_feed_read::Refused;

/// Orders stored in one unit of work: each is up to six rows.
const UNIT_ORDERS: usize = limits::UNIT_ROWS / 6;

crate::keys::unprintable::unprintable!(OrderLine, Checked, Run);

/// What reading an order file needs.
pub struct Reading<'a> {
    /// Where the spool is written.
    pub blobs: &'a Blobs,
    /// Seals the spool; of the submission's own key.
    pub sealer: &'a Sealer,
    /// What the spool is bound to.
    pub aad: &'a [u8],
    /// Shows how many rows are read; reading stops when it is lost.
    pub lease: &'a Lease,
    /// When the file was sent: the age of orders is told from there, so that every run of the job says the same.
    pub accepted_at: Millis,
}

/// An order file that was read and found good enough to be stored.
pub struct Checked {
    /// What was wrong with single rows.
    pub found: Found,
    /// The orders, sealed.
    spool: BlobWriter,
}

/// Reads and checks a whole file; blocking. The submission has to count as holding rows about people before this is
/// called ([`crate::submissions::note_spool`]), and until [`store`] is done.
pub fn read(source: impl Read, reading: &Reading<'_>) -> Result<Checked, Refused> {
    let mut tally = Tally::default();
    let mut spool = SealedWriter::new(reading.sealer, reading.aad, reading.blobs.create()?)?;
    let sentence = match collect(source, reading, &mut spool, &mut tally) {
        Err(Refused::Final(sentence, _)) => sentence,
        Err(refused) => return Err(refused),
        // A header without orders is what a shop sends that has none.
        Ok(()) => match tally.judge(true) {
            Ok(()) => return Ok(Checked { found: tally.into_found(), spool: spool.finish()? }),
            Err(sentence) => sentence,
        },
    };
    Err(Refused::Final(sentence, tally.into_found()))
}

/// Stores the orders that were read, and gives all that was wrong with rows of the file. What an earlier run of the
/// same submission stored is left as it is.
pub async fn store(
    node: &Arc<Node>,
    lease: &Arc<Lease>,
    sealer: &Sealer,
    aad: &[u8],
    checked: Checked,
) -> Result<Found, WorkFault> {
    lease.progress.enter("storing orders");
    let Checked { mut found, mut spool } = checked;
    let blob = spool.read_back()?;
    let mut reader = SealedReader::new(sealer, aad, BufReader::new(blob.reader()))?;
    let (account, seq) = (lease.account, lease.seq);
    loop {
        let runs = next_runs(&mut reader)?;
        if runs.is_empty() {
            return Ok(found);
        }
        let places: Vec<_> = runs.iter().map(|run| (run.number, run.offset)).collect();
        let (keys, now) = (node.keys.clone(), node.clock.now());
        let stored = spares::store_each(
            node,
            lease,
            runs,
            move |tx, run, spare| order::store(tx, &keys, account, &run.order, spare, seq, now),
            |stored| *stored == Stored::New,
        );
        for ((row, offset), stored) in places.into_iter().zip(stored.await?) {
            let code = match stored {
                // That a person is forgotten is nobody's to know.
                Stored::New | Stored::Known | Stored::Dropped => continue,
                Stored::Repeated => IssueCode::OrderKnown,
                Stored::Mixed => IssueCode::OrderMixed,
                Stored::TooManyLines => IssueCode::OrderTooManyLines,
            };
            let field = Some("OrderID".into());
            found.add(&mut vec![Issue { code, section: Section::Orders, row, offset, field }]);
        }
    }
}

/// Lines of one order that follow each other, and where the first of them stands.
struct Run {
    number: u64,
    offset: u64,
    order: Order,
}

impl Run {
    /// Whether a line belongs to the same order of the same person. One that names somebody else does not: whether
    /// both names lead to one person is found out when it is stored.
    fn is_of(&self, other: &Self) -> bool {
        let (one, other) = (&self.order, &other.order);
        one.id == other.id
            && one.user_id == other.user_id
            && one.email == other.email
            && one.company == other.company
    }
}

fn collect(
    source: impl Read,
    reading: &Reading<'_>,
    spool: &mut SealedWriter<BlobWriter>,
    tally: &mut Tally,
) -> Result<(), Refused> {
    reading.lease.progress.begin_reading();
    let mut lines = OrderReader::new(source).map_err(refused_by)?;
    let (mut run, mut issues): (Option<Run>, _) = (None, Vec::new());
    while let Some(line) = lines.next_line().map_err(refused_by)? {
        if reading.lease.is_lost() {
            return Err(WorkFault::LeaseLost.into());
        }
        reading.lease.progress.rows.fetch_add(1, Ordering::Relaxed);
        match line.and_then(|line| one_line(line, reading.accepted_at, &mut issues)) {
            Ok(next) => match &mut run {
                Some(run) if run.is_of(&next) && run.order.bought.lines.len() < limits::ORDER_LINES => {
                    run.order.bought.lines.extend(next.order.bought.lines);
                }
                _ => write(spool, run.replace(next))?,
            },
            Err(issue) => issues.push(issue),
        }
        tally.add(Section::Orders, &mut issues);
    }
    Ok(write(spool, run)?)
}

fn refused_by(fault: OrdersFault) -> Refused {
    match fault {
        OrdersFault::Read(error) => Refused::Fault(error.into()),
        fault => Refused::Final(fault.to_string(), Found::default()),
    }
}

/// Finds out whom a line is about, and whether its date is one that counts.
fn one_line(line: OrderLine, accepted_at: Millis, issues: &mut Vec<Issue>) -> Result<Run, Issue> {
    let (number, offset) = (line.number, line.offset);
    let issue = |code, field: &'static str| Issue {
        code,
        section: Section::Orders,
        row: number,
        offset,
        field: Some(field.into()),
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
    let email = match Identifier::email(&line.email) {
        Ok(email) => Some(email),
        Err(IdentifierRefusal::Empty) => None,
        Err(_) => {
            issues.push(issue(IssueCode::EmailMalformed, "Email"));
            None
        }
    };
    // Some shops have no other ids than addresses.
    let email = email.or_else(|| Identifier::email(user_id.as_ref()?.normal()).ok());
    if user_id.is_none() && email.is_none() && company.is_none() {
        return Err(issue(IssueCode::OrderUnidentified, "UserId"));
    }
    let OrderLine { order_id: id, ordered_at, product, quantity, unit_price, .. } = line;
    let lines = vec![Line { number, product, quantity, unit_price }];
    let bought = Bought { ordered_at, lines };
    Ok(Run { number, offset, order: Order { id, user_id, email, company, bought } })
}

/// Writes a run into the spool: its identifiers as a line of JSON, and the order as it will be stored.
fn write(spool: &mut SealedWriter<BlobWriter>, run: Option<Run>) -> Result<(), WorkFault> {
    let Some(Run { number, offset, order }) = run else { return Ok(()) };
    let normal = |id: &Option<Identifier>| id.as_ref().map(|id| id.normal().to_owned());
    let named = (normal(&order.user_id), normal(&order.email), normal(&order.company));
    let mut json = Zeroizing::new(serde_json::to_vec(&named).map_err(io::Error::from)?);
    json.push(b'\n');
    json.extend_from_slice(&order::written(&order.id, &order.bought));
    people::write(spool, &RawRow { section: Section::Orders, number, offset, json: &json })?;
    Ok(())
}

/// Reads as many runs as one unit of work stores, in number and in bytes.
fn next_runs(spool: &mut impl Read) -> Result<Vec<Run>, WorkFault> {
    let (mut runs, mut bytes) = (Vec::with_capacity(UNIT_ORDERS), 0);
    while runs.len() < UNIT_ORDERS && bytes < limits::UNIT_PROFILES_BYTES {
        let Some(spooled) = people::read(spool)? else { break };
        bytes += spooled.json.len();
        runs.push(read_back(&spooled)?);
    }
    Ok(runs)
}

/// Reads [`write`]. The identifiers were in their normal form, so they are accepted again.
fn read_back(spooled: &people::Spooled) -> Result<Run, WorkFault> {
    type Normal = Option<String>;
    let mut halves = spooled.json.splitn(2, |byte| *byte == b'\n');
    let mut half = || halves.next().unwrap_or_default();
    let (user_id, email, company): (Normal, Normal, Normal) =
        serde_json::from_slice(half()).map_err(io::Error::from)?;
    let (id, bought) = order::read(half())?;
    let named = |text: Normal, read: fn(&str) -> Result<Identifier, IdentifierRefusal>| {
        text.and_then(|text| read(&text).ok())
    };
    let order = Order {
        id,
        user_id: named(user_id, Identifier::user_id),
        email: named(email, Identifier::email),
        company: named(company, Identifier::account_id),
        bought,
    };
    Ok(Run { number: spooled.number, offset: spooled.offset, order })
}
