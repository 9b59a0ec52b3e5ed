//! Preferences from orders: the products of each and their variants, as the shop's catalogue names them, recorded as an
//! event of the customer. An order is stored whenever it comes; its event is recorded once the shop shows products, and
//! again when the order grows.

use std::collections::HashSet;

use crate::clock::{Millis, day_of, millis};
use crate::ids::AccountId;
use crate::keys::{Keys, Tag};
use crate::people::event::place_of;
use crate::people::event_action::{EventAction, EventItem, ResolvedItems, ShopperSession, StoredEvent};
use crate::people::event_text::encode;
use crate::people::order::{self, Purchase};
use crate::people::record_kind::{EVENT, ORDER};
use crate::people::subject::{SubjectFault, SubjectId};
use crate::people::writable_subject::{WritableSubject, let_in};
use crate::store::{StoreFault, Tx};
use crate::{args, limits, sql};

/// Orders recorded in one unit of work: each is up to six statements.
const UNIT_ORDERS: usize = limits::UNIT_ROWS / 6;

/// An order that was not looked at since it came or grew.
pub struct PendingOrder {
    tag: Tag,
    subject: SubjectId,
    n: i64,
    /// Ids and SKUs of its products, as they were sent; none if the order can no longer be read.
    pub products: Vec<String>,
}

static_assertions::assert_not_impl_any!(PendingOrder: std::fmt::Debug, std::fmt::Display, serde::Serialize);

/// The session of an order with this keyed hash of its shop's id.
#[must_use]
pub fn session_of(tag: &[u8]) -> u128 {
    tag.iter().take(16).fold(0, |id, byte| id << 8 | u128::from(*byte))
}

/// The accounts with orders that were not looked at.
///
/// # Errors
/// When the store fails.
pub fn accounts(tx: &mut Tx<'_>) -> Result<Vec<AccountId>, StoreFault> {
    let rows = tx.run(&sql::order_known_accounts, args![])?;
    rows.iter().map(|row| row.int("id").map(AccountId)).collect()
}

/// Some orders of an account that were not looked at, after the one of the tag `after`, and the tag of the last one;
/// none after the last. Orders of people who are being forgotten are passed over.
///
/// # Errors
/// When the store or a key fails.
pub fn waiting(
    tx: &mut Tx<'_>,
    keys: &Keys,
    account: AccountId,
    after: &[u8],
) -> Result<(Vec<PendingOrder>, Option<Tag>), SubjectFault> {
    let rows = tx.run(&sql::order_known_waiting, args![account.0, after, UNIT_ORDERS as i64])?;
    let mut all = Vec::with_capacity(rows.len());
    for row in &rows {
        let tag = row.bytes("tag")?;
        let subject = row.bytes("subject_id")?;
        let n = row.int("n")?;
        let products = match open(tx, keys, account, (&subject, n)) {
            Ok(Some((_, bought))) => products(&bought),
            Ok(None) => continue,
            Err(SubjectFault::Keys(fault)) if fault.is_lost() => Vec::new(),
            Err(fault) => return Err(fault),
        };
        all.push(PendingOrder { tag, subject, n, products });
    }
    let last = rows.last().map(|row| row.bytes("tag")).transpose()?;
    Ok((all, last))
}

/// Opens an order with the key of its person, unless they are gone or being forgotten.
fn open(
    tx: &mut Tx<'_>,
    keys: &Keys,
    account: AccountId,
    (subject, n): (&SubjectId, i64),
) -> Result<Option<(WritableSubject, Purchase)>, SubjectFault> {
    let Some(subject) = let_in(tx, keys, account, subject)? else { return Ok(None) };
    let content = subject.open_record(tx, account, (ORDER, n))?;
    Ok(Some((subject, order::decode(&content)?.1)))
}

fn products(bought: &Purchase) -> Vec<String> {
    bought.lines.iter().map(|line| line.product.clone()).collect()
}

/// Records orders as events of the place `seq`, with the catalogue ids of their products, as many as the shop shows:
/// these do not change any more. An order that went meanwhile, or grew by a product that was not looked up, is passed
/// over. Returns whether any was recorded.
///
/// # Errors
/// When the store or a key fails.
pub fn record_events(
    tx: &mut Tx<'_>,
    (keys, account, seq): (&Keys, AccountId, i64),
    orders: &[PendingOrder],
    shown: &ResolvedItems,
    now: Millis,
) -> Result<bool, SubjectFault> {
    let mut has_noted = false;
    for (number, waiting) in orders.iter().enumerate() {
        let Some(row) = tx.row(&sql::order_known_get, args![account.0, &waiting.tag])? else { continue };
        let is_same = row.bytes("subject_id")? == waiting.subject && row.int("n")? == waiting.n;
        if !is_same || row.int("is_noted")? != 0 {
            continue;
        }
        let event = match open(tx, keys, account, (&waiting.subject, waiting.n)) {
            Ok(Some((subject, bought))) => {
                let Some(known) = find_resolved_items(&products(&bought), shown) else { continue };
                let was_noted = row.opt_int("event_n")?.is_some();
                // Products recorded before are in models; an order without products removes them.
                if known.is_empty() && !was_noted {
                    None
                } else {
                    let place = (account, seq, place_of(seq, number));
                    add(tx, place, (&subject, &waiting.tag), (bought.ordered_at, known), now)?
                }
            }
            Ok(None) => continue,
            // The order can no longer be read.
            Err(SubjectFault::Keys(fault)) if fault.is_lost() => None,
            Err(fault) => return Err(fault),
        };
        if let Some(before) = row.opt_int("event_n")? {
            tx.exec(&sql::record_drop, args![account.0, &waiting.subject, EVENT.name(), before])?;
        }
        tx.exec(&sql::order_known_noted, args![event, account.0, &waiting.tag])?;
        has_noted |= event.is_some();
    }
    Ok(has_noted)
}

/// The shown items among products, each once; `None` when one was not looked up.
fn find_resolved_items(products: &[String], shown: &ResolvedItems) -> Option<Vec<EventItem>> {
    let mut seen = HashSet::new();
    let mut known = Vec::with_capacity(products.len());
    for product in products {
        known.extend(shown.get(product)?.iter().filter(|item| seen.insert(*item)).cloned());
    }
    Some(known)
}

/// Stores the event of an order, unless it would go at once. Returns its number.
fn add(
    tx: &mut Tx<'_>,
    (account, seq, n): (AccountId, i64, i64),
    (subject, tag): (&WritableSubject, &Tag),
    (at, items): (Millis, Vec<EventItem>),
    now: Millis,
) -> Result<Option<i64>, SubjectFault> {
    let until = day_of(at + millis(limits::EVENTS_KEPT_DURATION));
    if until <= day_of(now) {
        return Ok(None);
    }
    let visit = ShopperSession { id: session_of(tag), start: at };
    let noted =
        StoredEvent { at, visit, number: 0, what: EventAction::Ordered(items), is_for_person_alone: false };
    subject.add(tx, (account, seq), (EVENT, n, until), &encode(&noted))?;
    Ok(Some(n))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_products_of_an_order_are_named_once_each_if_all_were_looked_up() {
        let item = |product: &str, variant: Option<&str>| EventItem {
            product: product.to_owned(),
            variant: variant.map(str::to_owned),
        };
        let looked_up = [
            ("a", Some(item("1", None))),
            ("sku-a", Some(item("1", None))),
            ("red-a", Some(item("1", Some("red-a")))),
            ("sku-red-a", Some(item("1", Some("red-a")))),
            ("b", Some(item("2", None))),
            ("gone", None),
        ];
        let shown: ResolvedItems = looked_up.map(|(sent, item)| (sent.to_owned(), item)).into();
        let known = |sent: &[&str]| {
            let sent: Vec<_> = sent.iter().map(|text| (*text).to_owned()).collect();
            find_resolved_items(&sent, &shown)
        };
        let of_order = known(&["b", "a", "gone", "sku-a", "sku-red-a", "b", "red-a"]);
        assert_eq!(of_order, Some(vec![item("2", None), item("1", None), item("1", Some("red-a"))]));
        assert_eq!(known(&["a", "new"]), None);
        assert_eq!(known(&["gone"]), Some(Vec::new()));
    }

    #[test]
    fn the_session_of_an_order_is_the_number_of_its_first_sixteen_bytes() {
        let tag: Vec<u8> = (1..=20).collect();
        assert_eq!(session_of(&tag), 0x0102_0304_0506_0708_090a_0b0c_0d0e_0f10);
        assert_eq!(session_of(&[1, 0]), 256);
    }
}
