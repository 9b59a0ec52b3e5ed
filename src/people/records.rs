//! Records of people: the table of their kinds, and how a person's are read page by page.

use serde_json::{Value, json};

use super::record_kind::{KINDS, OTHER, RecordForm, RecordKind};
use crate::ids::AccountId;
use crate::keys::Keys;
use crate::people::event_action::{CountedSearch, EventAction, StoredEvent};
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
        EventAction::ProductViewed(product) => event["Product"] = product.into(),
        EventAction::BasketSet(products) | EventAction::Ordered(products) => {
            event["Products"] = products.into()
        }
        EventAction::Searched(CountedSearch { query, found, is_corrected }) => {
            event["Query"] = query.into();
            event["Found"] = found.into();
            event["Corrected"] = is_corrected.into();
        }
        EventAction::Clicked(product, source) => {
            event["Product"] = product.into();
            event["RefId"] = source.to_string().into();
        }
        EventAction::ZonesSeen(sources) => {
            event["RefIds"] = sources.iter().map(ToString::to_string).collect::<Vec<_>>().into();
        }
    }
    Ok(event)
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
    use crate::people::record_kind::{EVENT, LOG_IN, ORDER, PROFILE};

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
}
