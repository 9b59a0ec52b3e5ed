//! Counts the actions of an account's people for a report, one person after the other.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;

use crate::clock::{self, Day};
use crate::ids::AccountId;
use crate::limits;
use crate::node::Node;
use crate::people::subject::SubjectId;
use crate::people::timeline::{self, TimelineCursor};
use crate::reports::{ReportCounts, ReportFact, ReportedAction, cover_periods};
use crate::transport::refusal::Refusal;

/// Counts all that was done on some days, and on those before from `first_read` on, a person after the other. Product
/// views are most of what is stored: they are counted where `counts_views` is true.
pub(super) async fn count_facts(
    node: &Node,
    account: AccountId,
    days: &Range<Day>,
    first_read: Day,
    counts_views: bool,
) -> Result<ReportCounts, Refusal> {
    let reading = node.store.read(move |tx| timeline::logged_in(tx, account));
    let mut people = People {
        tallies: ReportCounts::with_days_before(days.clone(), first_read),
        logged_in: reading.await?,
        held: BTreeMap::new(),
        current: None,
    };
    people.held = people.logged_in.values().map(|person| (*person, Vec::new())).collect();
    let counted = cover_periods(&(first_read..days.end));
    // Clicks before the period say where something was found.
    let before = clock::days(limits::ATTRIBUTED_DURATION);
    let read = (counted.start - before, counted.end - 1);
    let mut next = Some(TimelineCursor::default());
    while let Some(after) = next {
        let keys = node.keys.clone();
        let reading = node.store.read(move |tx| timeline::page(tx, &keys, account, read, &after));
        let mut page = reading.await?;
        if !counts_views {
            page.facts.retain(|(_, fact)| !matches!(fact.did, ReportedAction::Viewed { .. }));
        }
        resolve(node, account, &mut page.facts).await?;
        page.facts.into_iter().for_each(|(subject, fact)| people.add(subject, fact));
        next = page.next;
    }
    Ok(people.end())
}

/// Names the products of orders as the catalogue does, as those of clicks are.
async fn resolve(
    node: &Node,
    account: AccountId,
    facts: &mut [(SubjectId, ReportFact)],
) -> Result<(), Refusal> {
    let lines = |fact: &'_ mut ReportFact| match &mut fact.did {
        ReportedAction::Ordered(lines) => std::mem::take(lines),
        _ => Vec::new(),
    };
    let mut all: Vec<_> = facts.iter_mut().map(|(_, fact)| lines(fact)).collect();
    let named: BTreeSet<_> = all.iter().flatten().map(|line| line.product.clone()).collect();
    let shown = node.derived.resolve_items(&node.store, &node.blobs, account, named).await?;
    for line in all.iter_mut().flatten() {
        if let Some(Some(item)) = shown.get(&line.product) {
            line.product.clone_from(&item.product);
        }
    }
    for ((_, fact), own) in facts.iter_mut().zip(all) {
        if let ReportedAction::Ordered(lines) = &mut fact.did {
            *lines = own;
        }
    }
    Ok(())
}

/// People as they are read. A visitor in whose browser a user is logged in counts as that user.
struct People {
    tallies: ReportCounts,
    logged_in: HashMap<SubjectId, SubjectId>,
    /// Facts of people who are logged in somewhere: these stand in several places.
    held: BTreeMap<SubjectId, Vec<ReportFact>>,
    current: Option<(SubjectId, Vec<ReportFact>)>,
}

impl People {
    fn add(&mut self, subject: SubjectId, fact: ReportFact) {
        let person = *self.logged_in.get(&subject).unwrap_or(&subject);
        if let Some(held) = self.held.get_mut(&person) {
            held.push(fact);
            return;
        }
        match &mut self.current {
            Some((current, facts)) if *current == person => facts.push(fact),
            _ => {
                let before = self.current.replace((person, vec![fact]));
                self.count(before);
            }
        }
    }

    fn count(&mut self, did: Option<(SubjectId, Vec<ReportFact>)>) {
        if let Some((_, facts)) = did.filter(|(_, facts)| !facts.is_empty()) {
            self.tallies.add(facts);
        }
    }

    fn end(mut self) -> ReportCounts {
        let last = self.current.take();
        self.count(last);
        let held = std::mem::take(&mut self.held);
        held.into_iter().for_each(|held| self.count(Some(held)));
        self.tallies
    }
}
