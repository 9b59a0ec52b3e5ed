//! What a request to forget leaves, and the requests that would erase it too.

use std::collections::{BTreeMap, HashSet};

use crate::ids::AccountId;
use crate::ids::identifier::{Identifier, Kind};
use crate::keys::Keys;
use crate::limits;
use crate::store::Tx;
use crate::subjects::closure::identifiers_of;
use crate::subjects::links::{Led, Link};
use crate::subjects::person::{Left, Why};
use crate::subjects::subject::{SubjectFault, SubjectId};

/// What is left, while it is counted.
pub(super) struct Leaving {
    /// Whether the number of a browser was asked for.
    is_of_browser: bool,
    subjects: HashSet<(Why, SubjectId)>,
    requests: BTreeMap<Why, Vec<String>>,
}

impl Leaving {
    /// Nothing yet, of a request for an identifier.
    pub(super) fn of(asked: &Identifier) -> Self {
        let is_of_browser = asked.kind() == Kind::VisitorId;
        Self { is_of_browser, subjects: HashSet::new(), requests: BTreeMap::new() }
    }

    /// Adds those who stay of whom an identifier leads to: one that is linked, or (`None`) the one that was asked for.
    pub(super) fn add(
        &mut self,
        tx: &mut Tx<'_>,
        (keys, account): (&Keys, AccountId),
        staying: &[Led],
        linked: Option<&Identifier>,
    ) -> Result<(), SubjectFault> {
        for led in staying {
            let why = match (linked, led.link) {
                (None, _) if self.is_of_browser => Why::Browser,
                (None, _) => Why::Rest,
                (Some(id), _) if id.kind() == Kind::VisitorId => Why::Browser,
                (Some(_), Link::Guest) => Why::Guests,
                (Some(_), _) => Why::Users,
            };
            if !self.subjects.insert((why, led.subject)) {
                continue;
            }
            let requests = self.requests.entry(why).or_default();
            if requests.len() >= limits::FORGET_LEFT_TOLD {
                continue;
            }
            let request = match linked {
                Some(id) if id.kind() == Kind::VisitorId => Some(format!("visitor:{}", id.normal())),
                Some(id) => Some(id.normal().to_owned()),
                None => {
                    user_id_of(tx, keys, account, &led.subject)?.map(|id| format!("userid:{}", id.normal()))
                }
            };
            requests.extend(request.filter(|request| !requests.contains(request)));
        }
        Ok(())
    }

    /// What was counted, reason by reason.
    pub(super) fn into_left(mut self) -> Vec<Left> {
        let left = Why::ALL.into_iter().filter_map(|why| {
            let requests = self.requests.remove(&why).unwrap_or_default();
            let staying = self.subjects.iter().filter(|(has, _)| *has == why).count();
            let count = staying as u64;
            (count > 0).then_some(Left { why, count, requests })
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
