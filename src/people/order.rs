//! Orders: a person's purchases, sealed under the key of their subject, each order id once.

use rust_decimal::Decimal;
use zeroize::Zeroizing;

use crate::clock::Millis;
use crate::ids::AccountId;
use crate::ids::identifier::Identifier;
use crate::keys::{KeyFault, Tag};
use crate::people::actor::Actor;
use crate::people::identifier_links::{self, LinkKind};
use crate::people::identifiers::{AddressesInIds, IdentifierRole, RowIdentifiers};
use crate::people::record_kind::ORDER;
use crate::people::row_context::RowContext;
use crate::people::subject::{SubjectFault, SubjectId};
use crate::people::subject_row::{RowKind, SubjectRow};
use crate::people::writable_subject::{Admission, WritableSubject, admit, let_in};
use crate::reports::attribution::AttributionSource;
use crate::store::{StoreFault, Tx};
use crate::{args, limits, sql};

/// Bytes of a line's record besides the product code: two numbers, a price and punctuation.
const LINE_BYTES: usize = 96;

/// An order, or some of its lines. Cannot be printed.
pub struct Order {
    /// The shop's id of the order.
    pub id: String,
    /// Part of the id that is kept if the id holds the address of a forgotten person.
    pub blanked_id: Option<String>,
    /// The customer's user id.
    pub user_id: Option<Identifier>,
    /// The customer's email; the only identifier of a guest.
    pub email: Option<Identifier>,
    /// The company of the customer.
    pub company: Option<Identifier>,
    /// Contents and time of the purchase.
    pub bought: Purchase,
}

/// Contents of one order. Cannot be printed.
#[derive(Clone, PartialEq, Eq)]
pub struct Purchase {
    /// Time of the order.
    pub ordered_at: Millis,
    /// Its lines, by their position in the file they came from.
    pub lines: Vec<PurchaseLine>,
}

/// One line of an order. Cannot be printed.
#[derive(Clone, PartialEq, Eq)]
pub struct PurchaseLine {
    /// Its position in the file it came from, to recognise a stored line.
    pub number: u64,
    /// Id or SKU of the product, also of a variant.
    pub product: String,
    /// Quantity, above 0.
    pub quantity: Decimal,
    /// Price of each, if the shop gave it; in its own currency.
    pub unit_price: Option<Decimal>,
    /// Place where the product was found, as the shop states it.
    pub source: Option<AttributionSource>,
}

static_assertions::assert_not_impl_any!(Order: std::fmt::Debug, std::fmt::Display, serde::Serialize);
static_assertions::assert_not_impl_any!(Purchase: std::fmt::Debug, std::fmt::Display, serde::Serialize);
static_assertions::assert_not_impl_any!(PurchaseLine: std::fmt::Debug, std::fmt::Display, serde::Serialize);

impl Order {
    /// Identifiers that the order names, and the addresses that its ids hold.
    fn identifiers<'a>(&'a self, held: &'a AddressesInIds) -> RowIdentifiers<'a> {
        RowIdentifiers::default()
            .with_identifier(IdentifierRole::UserId, self.user_id.as_ref())
            .with_identifier(IdentifierRole::OrderEmail, self.email.as_ref())
            .with_identifier(IdentifierRole::Company, self.company.as_ref())
            .with_addresses(held)
    }

    /// The same order with this owner.
    #[must_use]
    pub fn with_owner(&self, who: Actor) -> Self {
        Self {
            id: self.id.clone(),
            blanked_id: self.blanked_id.clone(),
            user_id: who.user_id,
            email: who.email,
            company: who.company,
            bought: self.bought.clone(),
        }
    }

    /// A cancelled order, independent of its owner.
    #[must_use]
    pub fn new_cancelled(id: String) -> Self {
        let bought = Purchase { ordered_at: 0, lines: Vec::new() };
        Self { id, blanked_id: None, user_id: None, email: None, company: None, bought }
    }

    fn kept_id(&self) -> &str {
        self.blanked_id.as_deref().unwrap_or(&self.id)
    }
}

/// Outcome of storing an order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OrderOutcome {
    /// Under its person.
    Kept,
    /// The person is forgotten: dropped.
    Dropped,
    /// It does not count any more, if it was stored: whether it was may be a forgotten person's secret.
    TakenBack,
    /// Another submission brought this order id before: dropped as a whole.
    Repeated,
    /// Lines that name another person than the lines stored before: dropped.
    Mixed,
    /// More lines than an order may have: these were dropped.
    TooManyLines,
}

/// Location of a stored order.
struct StoredOrder {
    subject: SubjectId,
    n: i64,
    seq: i64,
    has_email: bool,
}

/// Stores an order that a submission brings. Further lines join those stored before, each once, however often the
/// submission runs. An order without lines takes back the stored one.
///
/// # Errors
/// As [`admit`].
pub fn store(tx: &mut Tx<'_>, desk: &RowContext<'_>, order: &Order) -> Result<OrderOutcome, SubjectFault> {
    if order.bought.lines.is_empty() {
        return take_back(tx, desk, &order.id);
    }
    let held = AddressesInIds::from_ids(order.user_id.as_ref(), order.company.as_ref());
    let row =
        SubjectRow { named: order.identifiers(&held), about: RowKind::Interaction(order.bought.ordered_at) };
    let admitted = admit(tx, desk, &row)?;
    if matches!(admitted, Admission::Dropped) {
        return Ok(OrderOutcome::Dropped);
    }
    let tag = desk.keys.order_tag(desk.account, &order.id);
    if let Some(place) = place(tx, desk.account, &tag)? {
        if place.seq != desk.seq {
            return Ok(OrderOutcome::Repeated);
        }
        let Admission::Known(subject) = admitted else { return Ok(OrderOutcome::Mixed) };
        if *subject.id() != place.subject {
            return Ok(OrderOutcome::Mixed);
        }
        // The first address counts: an order came with one.
        if !place.has_email
            && let Some(email) = link_identifiers(tx, desk, &subject, &row.named)?
        {
            tx.exec(&sql::order_known_came_with, args![&email, desk.account.0, &tag])?;
        }
        return add_lines(tx, desk, order, &subject, (&tag, place.n));
    }
    let Some(subject) = admitted.into_subject(tx, desk)? else { return Ok(OrderOutcome::Dropped) };
    let email = link_identifiers(tx, desk, &subject, &row.named)?;
    let n = tx
        .row(&sql::record_next, args![desk.account.0, subject.id(), ORDER.name()])?
        .map_or(Ok(0), |row| row.int("n"))?;
    subject.put_record(tx, desk, (ORDER, n), &encode(order.kept_id(), &order.bought))?;
    let at = order.bought.ordered_at;
    let email = email.as_ref().map(Tag::as_slice);
    tx.exec(&sql::order_known_insert, args![desk.account.0, &tag, subject.id(), n, desk.seq, at, email])?;
    Ok(OrderOutcome::Kept)
}

/// Removes the lines of an order. Its number stays known: the order does not come back when it is sent once more.
fn take_back(tx: &mut Tx<'_>, desk: &RowContext<'_>, id: &str) -> Result<OrderOutcome, SubjectFault> {
    let tag = desk.keys.order_tag(desk.account, id);
    let Some(place) = place(tx, desk.account, &tag)? else { return Ok(OrderOutcome::TakenBack) };
    let subject = match let_in(tx, desk.keys, desk.account, &place.subject) {
        Ok(Some(subject)) => subject,
        Ok(None) => return Ok(OrderOutcome::TakenBack),
        Err(SubjectFault::Keys(fault)) if fault.is_lost() => return Ok(OrderOutcome::TakenBack),
        Err(fault) => return Err(fault),
    };
    let (kept_id, mut bought) = decode(&subject.open_record(tx, desk.account, (ORDER, place.n))?)?;
    if !bought.lines.is_empty() {
        bought.lines.clear();
        subject.put_record(tx, desk, (ORDER, place.n), &encode(&kept_id, &bought))?;
        tx.exec(&sql::order_known_grew, args![desk.account.0, &tag])?;
    }
    Ok(OrderOutcome::TakenBack)
}

/// Links the identifiers of an order to its subject. Returns the address that it came with, if only orders name it:
/// that of a user id whose profile has none. If the profile has one, the order's is not stored at all.
fn link_identifiers(
    tx: &mut Tx<'_>,
    desk: &RowContext<'_>,
    subject: &WritableSubject,
    named: &RowIdentifiers<'_>,
) -> Result<Option<Tag>, SubjectFault> {
    let is_user = named.identifier(IdentifierRole::UserId).is_some();
    subject.lead_first(tx, desk, named)?;
    let Some(email) = named.identifier(IdentifierRole::OrderEmail).filter(|_| is_user) else {
        return Ok(None);
    };
    if subject.link() == Some(LinkKind::UserNow) {
        return Ok(None);
    }
    let tag = desk.keys.lookup_tag(desk.account, email);
    match identifier_links::find_link(tx, desk.account, &tag, subject.id())? {
        None => subject.add_link(tx, desk, email, LinkKind::Typed)?,
        Some(LinkKind::Typed) => {}
        // The user id's own, now or before: it does not show another owner.
        Some(_) => return Ok(None),
    }
    Ok(Some(tag))
}

fn place(tx: &mut Tx<'_>, account: AccountId, tag: &Tag) -> Result<Option<StoredOrder>, StoreFault> {
    let Some(row) = tx.row(&sql::order_known_get, args![account.0, tag])? else { return Ok(None) };
    let has_email = row.opt_blob("email")?.is_some();
    Ok(Some(StoredOrder {
        subject: row.bytes("subject_id")?,
        n: row.int("n")?,
        seq: row.int("seq")?,
        has_email,
    }))
}

/// Further lines of a stored order, which keeps the date of its first ones.
fn add_lines(
    tx: &mut Tx<'_>,
    desk: &RowContext<'_>,
    order: &Order,
    subject: &WritableSubject,
    (tag, n): (&Tag, i64),
) -> Result<OrderOutcome, SubjectFault> {
    let (id, mut bought) = decode(&subject.open_record(tx, desk.account, (ORDER, n))?)?;
    let is_new = |line: &&PurchaseLine| bought.lines.iter().all(|stored| stored.number != line.number);
    let more: Vec<_> = order.bought.lines.iter().filter(is_new).cloned().collect();
    if more.is_empty() {
        return Ok(OrderOutcome::Kept);
    }
    bought.lines.extend(more);
    if bought.lines.len() > limits::ORDER_LINES {
        return Ok(OrderOutcome::TooManyLines);
    }
    subject.put_record(tx, desk, (ORDER, n), &encode(&id, &bought))?;
    tx.exec(&sql::order_known_grew, args![desk.account.0, tag])?;
    Ok(OrderOutcome::Kept)
}

/// An order in JSON, as it is sealed: `[id, ordered_at, [[number, product, quantity, unit price or null], …]]`; a line
/// with a source has it as a fifth value.
#[must_use]
pub fn encode(id: &str, bought: &Purchase) -> Zeroizing<Vec<u8>> {
    let lines: Vec<_> = bought
        .lines
        .iter()
        .map(|line| {
            let price = line.unit_price.map(|price| price.to_string());
            let four = (line.number, line.product.clone(), line.quantity.to_string(), price);
            match &line.source {
                None => WrittenLine::Four(four),
                Some(source) => WrittenLine::Five(four.0, four.1, four.2, four.3, source.to_string()),
            }
        })
        .collect();
    let bytes: usize = bought.lines.iter().map(|line| LINE_BYTES + 2 * line.product.len()).sum();
    // Rarely longer: growing would leave copies in memory.
    let mut json = Zeroizing::new(Vec::with_capacity(LINE_BYTES + 2 * id.len() + bytes));
    // Texts and numbers in memory can always be written.
    let _ = serde_json::to_writer(&mut *json, &(id, bought.ordered_at, lines));
    json
}

/// A line as it is sealed.
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(untagged)]
enum WrittenLine {
    Four((u64, String, String, Option<String>)),
    Five(u64, String, String, Option<String>, String),
}

/// Reads the output of [`encode`].
///
/// # Errors
/// [`KeyFault::SealBroken`] for any other bytes: Lethe sealed them, so they count as damaged.
pub fn decode(json: &[u8]) -> Result<(String, Purchase), KeyFault> {
    type Written = (String, Millis, Vec<WrittenLine>);
    let (id, ordered_at, lines): Written = serde_json::from_slice(json).map_err(|_| KeyFault::SealBroken)?;
    let number = |text: &str| text.parse::<Decimal>().map_err(|_| KeyFault::SealBroken);
    let lines = lines.into_iter().map(|line| {
        let ((position, product, quantity, price), source) = match line {
            WrittenLine::Four(four) => (four, None),
            WrittenLine::Five(position, product, quantity, price, source) => {
                ((position, product, quantity, price), AttributionSource::parse(&source))
            }
        };
        let unit_price = price.as_deref().map(number).transpose()?;
        Ok(PurchaseLine { number: position, product, quantity: number(&quantity)?, unit_price, source })
    });
    Ok((id, Purchase { ordered_at, lines: lines.collect::<Result<_, KeyFault>>()? }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_comes_back_as_it_was_written() {
        let line = |number, unit_price: Option<&str>| PurchaseLine {
            number,
            product: "ä\"\\,\u{1}".to_owned(),
            quantity: "1.5".parse().unwrap(),
            unit_price: unit_price.map(|price| price.parse().unwrap()),
            source: unit_price.map(|_| AttributionSource::Search("0123456789abcdef".to_owned())),
        };
        let bought = Purchase { ordered_at: -5, lines: vec![line(1, Some("12.50")), line(u64::MAX, None)] };
        let json = encode("№ 1", &bought);
        assert!(json.starts_with("[\"№ 1\",-5,[[1,".as_bytes()));
        let (id, back) = decode(&json).ok().unwrap();
        assert!(id == "№ 1" && back == bought);
        assert!(decode(b"[]").is_err());
    }

    #[test]
    fn an_order_with_ids_of_any_length_comes_back() {
        for length in [0, LINE_BYTES / 2, LINE_BYTES / 2 + 1, 600] {
            let line = PurchaseLine {
                number: 1,
                product: "p".repeat(length),
                quantity: Decimal::ONE,
                unit_price: None,
                source: None,
            };
            let bought = Purchase { ordered_at: 1, lines: vec![line] };
            let (id, back) = decode(&encode(&"o".repeat(length), &bought)).ok().unwrap();
            assert!(id.len() == length && back == bought, "{length}");
        }
    }
}
