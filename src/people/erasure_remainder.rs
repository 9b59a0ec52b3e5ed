//! Data that a request to forget leaves, and the requests that would erase it too.

use std::collections::{BTreeMap, HashSet};

use crate::ids::AccountId;
use crate::ids::identifier::{Identifier, IdentifierKind};
use crate::keys::Keys;
use crate::limits;
use crate::people::identifier_links::{LinkKind, LinkedSubject};
use crate::people::person::{Remainder, RemainderReason};
use crate::people::subject::{SubjectFault, SubjectId};
use crate::people::subject_identifiers::identifiers_of;
use crate::store::Tx;

/// Collects and counts the data that stays.
pub(super) struct RemainderCollector {
    /// True if the request names the number of a browser.
    is_of_browser: bool,
    subjects: HashSet<(RemainderReason, SubjectId)>,
    requests: BTreeMap<RemainderReason, Vec<String>>,
}

impl RemainderCollector {
    /// Nothing yet, of a request for an identifier.
    pub(super) fn new(asked: &Identifier) -> Self {
        let is_of_browser = asked.kind() == IdentifierKind::VisitorId;
        Self { is_of_browser, subjects: HashSet::new(), requests: BTreeMap::new() }
    }

    /// Records the subjects that keep an identifier: a linked one, or (`None`) the requested one.
    pub(super) fn add(
        &mut self,
        tx: &mut Tx<'_>,
        (keys, account): (&Keys, AccountId),
        staying: &[LinkedSubject],
        linked: Option<&Identifier>,
    ) -> Result<(), SubjectFault> {
        for led in staying {
            let why = match (linked, led.link) {
                (None, _) if self.is_of_browser => RemainderReason::Browser,
                (None, _) => RemainderReason::Rest,
                (Some(id), _) if id.kind() == IdentifierKind::VisitorId => RemainderReason::Browser,
                (Some(_), LinkKind::Guest) => RemainderReason::Guests,
                (Some(_), _) => RemainderReason::Users,
            };
            if !self.subjects.insert((why, led.subject)) {
                continue;
            }
            let requests = self.requests.entry(why).or_default();
            if requests.len() >= limits::FORGET_LEFT_TOLD {
                continue;
            }
            let request = match linked {
                Some(id) if id.kind() == IdentifierKind::VisitorId => {
                    Some(format!("visitor:{}", id.normal()))
                }
                Some(id) => Some(id.normal().to_owned()),
                None => {
                    user_id_of(tx, keys, account, &led.subject)?.map(|id| format!("userid:{}", id.normal()))
                }
            };
            requests.extend(request.filter(|request| !requests.contains(request)));
        }
        Ok(())
    }

    /// Returns the counts, reason by reason.
    pub(super) fn into_left(mut self) -> Vec<Remainder> {
        let left = RemainderReason::ALL.into_iter().filter_map(|why| {
            let requests = self.requests.remove(&why).unwrap_or_default();
            let count = self.subjects.iter().filter(|(has, _)| *has == why).count() as u64;
            (count > 0).then_some(Remainder { why, count, requests })
        });
        left.collect()
    }
}

fn user_id_of(
    tx: &mut Tx<'_>,
    keys: &Keys,
    account: AccountId,
    subject: &SubjectId,
) -> Result<Option<Identifier>, SubjectFault> {
    let found = identifiers_of(tx, keys, account, subject)?;
    Ok(found.into_iter().find(|found| found.link.is_user()).map(|found| found.id))
}
