//! Records of people: the table of their kinds, and how a person's are read page by page.

use std::collections::HashSet;

use serde_json::{Value, json};

use super::record_kind::{KINDS, OTHER, RecordForm, RecordKind};
use crate::ids::AccountId;
use crate::keys::Keys;
use crate::people::event_action::{CountedSearch, EventAction, EventItem, StoredEvent};
use crate::people::subject::{self, SubjectFault, SubjectId, record_aad};
use crate::people::{event, order};
use crate::store::Tx;
use crate::{args, sql};

/// Records read in one unit of work of an export.
const RECORDS_READ: i64 = 500;

/// The lists of an export in which records stand, in order; the list of data stored by another program is left out.
pub fn lists() -> impl Iterator<Item = &'static str> {
    KINDS.iter().map(RecordKind::list)
}

fn kind_of(name: &str) -> &'static RecordKind {
    KINDS.iter().find(|kind| kind.name() == name).unwrap_or(&OTHER)
}

/// A record of a kind in readable form.
///
/// # Errors
/// When the bytes are no record of this kind.
pub fn export(kind: &RecordKind, content: &[u8]) -> Result<Value, SubjectFault> {
    match kind.form() {
        RecordForm::AsSent => as_sent(content),
        RecordForm::Order => of_order(content),
        RecordForm::Event => of_event(content),
    }
}

/// JSON as it was stored, or the text.
fn as_sent(content: &[u8]) -> Result<Value, SubjectFault> {
    let text = || String::from_utf8_lossy(content).into_owned().into();
    Ok(serde_json::from_slice(content).unwrap_or_else(|_| text()))
}

fn of_order(content: &[u8]) -> Result<Value, SubjectFault> {
    let (id, bought) = order::decode(content)?;
    let lines: Vec<Value> = bought
        .lines
        .iter()
        .map(|line| {
            let mut told = json!({"Product": line.product, "Quantity": line.quantity.to_string(),
                   "UnitPrice": line.unit_price.map(|price| price.to_string())});
            if let Some(source) = &line.source {
                told["RefId"] = source.to_string().into();
            }
            told
        })
        .collect();
    Ok(json!({"Order": id, "OrderedAt": bought.ordered_at, "Lines": lines}))
}

fn of_event(content: &[u8]) -> Result<Value, SubjectFault> {
    let StoredEvent { at, visit, what, .. } = event::decode(content)?;
    let session = uuid::Uuid::from_u128(visit.id).to_string();
    let mut event = json!({"Event": what.name(), "At": at, "Session": session});
    match what {
        EventAction::ProductViewed(item) => set_item(&mut event, item),
        EventAction::BasketSet(items) | EventAction::Ordered(items) => {
            let variant = |EventItem { product, variant }: &EventItem| {
                variant.as_ref().map(|variant| json!({"Product": product, "Variant": variant}))
            };
            let variants: Vec<Value> = items.iter().filter_map(variant).collect();
            if !variants.is_empty() {
                event["Variants"] = variants.into();
            }
            let mut seen = HashSet::new();
            let products = items.iter().map(|item| item.product.as_str()).filter(|id| seen.insert(*id));
            event["Products"] = products.collect();
        }
        EventAction::Searched(CountedSearch { query, found, is_corrected }) => {
            event["Query"] = query.into();
            event["Found"] = found.into();
            event["Corrected"] = is_corrected.into();
        }
        EventAction::Clicked(item, source) => {
            set_item(&mut event, item);
            event["RefId"] = source.to_string().into();
        }
        EventAction::ZonesSeen(sources) => {
            event["RefIds"] = sources.iter().map(ToString::to_string).collect::<Vec<_>>().into();
        }
    }
    Ok(event)
}

/// Adds a product to an event, and its variant if it has one.
fn set_item(event: &mut Value, EventItem { product, variant }: EventItem) {
    event["Product"] = product.into();
    if let Some(variant) = variant {
        event["Variant"] = variant.into();
    }
}

/// Position at which reading a person's records continues.
#[derive(Clone)]
pub struct RecordCursor {
    /// Index of the subject among the person's.
    subject: usize,
    kind: String,
    n: i64,
}

impl RecordCursor {
    /// Before the first record of a subject, by its number among the person's.
    const fn before(subject: usize) -> Self {
        Self { subject, kind: String::new(), n: -1 }
    }
}

impl Default for RecordCursor {
    fn default() -> Self {
        Self::before(0)
    }
}

/// Records in readable form, each with the list in which it stands, and the position at which reading continues.
pub type RecordPage = (Vec<(&'static str, Value)>, Option<RecordCursor>);

/// The records of a person after a mark, opened. A subject whose key is lost has none that can be read.
///
/// # Errors
/// When the store or a key fails.
pub fn page(
    tx: &mut Tx<'_>,
    keys: &Keys,
    account: AccountId,
    subjects: &[SubjectId],
    after: &RecordCursor,
) -> Result<RecordPage, SubjectFault> {
    let Some(subject) = subjects.get(after.subject) else { return Ok((Vec::new(), None)) };
    let next = RecordCursor::before(after.subject + 1);
    let open = match subject::open(tx, keys, account, subject) {
        Ok(Some(open)) => open,
        Ok(None) => return Ok((Vec::new(), Some(next))),
        Err(SubjectFault::Keys(fault)) if fault.is_lost() => return Ok((Vec::new(), Some(next))),
        Err(fault) => return Err(fault),
    };
    let args = args![account.0, subject, after.kind.as_str(), after.n, RECORDS_READ];
    let rows = tx.run(&sql::record_all, args)?;
    let mut found = Vec::with_capacity(rows.len());
    for row in &rows {
        let kind = row.text("kind")?;
        let n = row.int("n")?;
        let content = open.sealer.open(&record_aad(account, subject, kind, n), row.blob("sealed")?)?;
        let kind = kind_of(kind);
        found.push((kind.list(), export(kind, &content)?));
    }
    let mark = match rows.last() {
        Some(row) => {
            RecordCursor { subject: after.subject, kind: row.text("kind")?.to_owned(), n: row.int("n")? }
        }
        None => next,
    };
    Ok((found, Some(mark)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::people::event_action::ShopperSession;
    use crate::people::event_text::encode;
    use crate::people::order::{Purchase, PurchaseLine};
    use crate::people::record_kind::{EVENT, LOG_IN, ORDER, PROFILE};
    use crate::reports::attribution::AttributionSource;

    #[test]
    fn kinds_have_names_and_lists_of_their_own() {
        let own = |of: fn(&RecordKind) -> &'static str| {
            let mut names: Vec<_> = KINDS.iter().chain([&OTHER]).map(of).collect();
            let all = names.len();
            names.sort_unstable();
            names.dedup();
            (names.len(), all)
        };
        for (different, all) in [own(RecordKind::name), own(RecordKind::list)] {
            assert_eq!(different, all);
        }
        let names = [PROFILE, ORDER, EVENT, LOG_IN].map(RecordKind::name);
        assert_eq!(names, ["profile", "order", "event", "log-in"]);
        assert_eq!(kind_of("something-new").list(), "Others");
    }

    #[test]
    fn an_order_is_readable_line_by_line_and_other_texts_as_they_were_sent() {
        let line = |price: Option<&str>| PurchaseLine {
            number: 7,
            product: "p1".to_owned(),
            quantity: "1.5".parse().unwrap(),
            unit_price: price.map(|price| price.parse().unwrap()),
            source: price.map(|_| AttributionSource::Control),
        };
        let bought = Purchase { ordered_at: 5, lines: vec![line(Some("12.50")), line(None)] };
        let lines = json!([
            {"Product": "p1", "Quantity": "1.5", "UnitPrice": "12.50", "RefId": "c"},
            {"Product": "p1", "Quantity": "1.5", "UnitPrice": null},
        ]);
        let told = export(ORDER, &order::encode("o-1", &bought)).unwrap();
        assert_eq!(told, json!({"Order": "o-1", "OrderedAt": 5, "Lines": lines}));
        assert_eq!(export(PROFILE, b"{\"Name\": \"Ada\"}").unwrap(), json!({"Name": "Ada"}));
        assert_eq!(export(&OTHER, b"x\xff").unwrap(), json!("x\u{fffd}"));
        assert!(export(ORDER, b"{}").is_err() && export(EVENT, b"{}").is_err());
    }

    #[test]
    fn an_event_is_readable_with_what_it_was_about() {
        let plain = |product: &str| EventItem::from(product.to_owned());
        let variant = |product: &str| EventItem { variant: Some("v1".to_owned()), ..plain(product) };
        let products = || vec![plain("p1"), plain("p2")];
        let query = "tea".to_owned();
        let both = json!({"Products": ["p1", "p2"]});
        for (what, name, about) in [
            (EventAction::ProductViewed(plain("p1")), "product_view", json!({"Product": "p1"})),
            (
                EventAction::ProductViewed(variant("p1")),
                "product_view",
                json!({"Product": "p1", "Variant": "v1"}),
            ),
            (
                EventAction::BasketSet(vec![variant("p2"), plain("p1"), plain("p2")]),
                "set_basket",
                json!({"Products": ["p2", "p1"], "Variants": [{"Product": "p2", "Variant": "v1"}]}),
            ),
            (EventAction::BasketSet(products()), "set_basket", both.clone()),
            (EventAction::Ordered(products()), "order", both),
            (
                EventAction::Searched(CountedSearch { query, found: 7, is_corrected: true }),
                "search",
                json!({"Query": "tea", "Found": 7, "Corrected": true}),
            ),
            (
                EventAction::Clicked(variant("p1"), AttributionSource::Control),
                "item_click",
                json!({"Product": "p1", "Variant": "v1", "RefId": "c"}),
            ),
            (
                EventAction::ZonesSeen(vec![AttributionSource::Control]),
                "zones_seen",
                json!({"RefIds": ["c"]}),
            ),
        ] {
            let visit = ShopperSession { id: 1, start: 3 };
            let noted = StoredEvent { at: 5, visit, number: 2, what, is_for_person_alone: false };
            let session = "00000000-0000-0000-0000-000000000001";
            let mut wanted = json!({"Event": name, "At": 5, "Session": session});
            for (field, value) in about.as_object().unwrap() {
                wanted[field.as_str()] = value.clone();
            }
            assert_eq!(export(EVENT, &encode(&noted)).unwrap(), wanted);
        }
    }
}
