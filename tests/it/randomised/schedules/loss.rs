//! A backup in the middle of a schedule, and the day on which the data folder is lost.
//!
//! The restored state is that of the backup, with the erasures in the journal done again. So the model is taken back
//! too, and gets the facts of the journal: a request to forget whose erasure had not come to the journal is lost with
//! the data folder, as everything that was accepted since.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use lethe::recovery::journal::JournalItem;

use super::drive::{Drive, Open, Pending};
use super::model::{Model, Told};
use crate::support::backups::{back_up, stop_and_restore};

/// A backup, and the expected state of the node at its moment.
pub struct Saved {
    backup: PathBuf,
    models: Vec<Model>,
    pending: Vec<Pending>,
    open: BTreeMap<(usize, usize), Open>,
    erasures: BTreeMap<(usize, String), bool>,
    /// Events of people since.
    since: Vec<Since>,
}

/// Event of people in a shop, and its erasure.
#[derive(Clone)]
pub struct Since {
    pub shop: usize,
    pub told: Told,
    pub erasure: Option<String>,
}

impl Saved {
    /// The backup is thrown away: the next one takes its place, or the schedule ends.
    pub fn remove(self) {
        std::fs::remove_dir_all(self.backup).expect("the backup goes");
    }
}

impl Drive<'_> {
    /// Notes a fact for a backup that is restored later.
    pub fn since(&mut self, since: Since) {
        self.saved.iter_mut().for_each(|saved| saved.since.push(since.clone()));
    }

    pub async fn back_up(&mut self) -> String {
        self.saved.take().into_iter().for_each(Saved::remove);
        let saved = Saved {
            backup: back_up(self.world, "backup").await,
            models: self.models.clone(),
            pending: self.pending.clone(),
            open: self.open.clone(),
            erasures: self.erasures.clone(),
            since: Vec::new(),
        };
        self.saved = Some(saved);
        String::new()
    }

    /// The data folder is lost. The key folder and the journal in it are today's.
    pub async fn restore(&mut self) -> String {
        let Some(mut saved) = self.saved.take() else { return "no backup".to_owned() };
        let unverified = self.unverified().await;
        // The keys of ended submissions went with them.
        let pending: BTreeSet<_> = self.pending.iter().map(|one| one.token.clone()).collect();
        saved.pending.iter_mut().for_each(|one| one.may_be_lost |= !pending.contains(&one.token));
        for (name, open) in &mut saved.open {
            // One that an erasure had to wait for may have been given up, which its sender is told at the next call.
            let is_open = self.open.get(name).is_some_and(|now| now.accepted == open.accepted);
            open.may_be_lost |= !is_open || !self.erasures.is_empty();
        }
        saved.erasures.iter_mut().for_each(|(erasure, may_be_lost)| {
            *may_be_lost |= !unverified.contains_key(erasure);
        });
        let recorded = self.recorded();
        let lost = self.world.config.data_dir.clone();
        self.losses += 1;
        let folder = format!("data-{}-{}", self.shops[0].name, self.losses);
        stop_and_restore(self.world, &saved.backup, &folder).await;
        std::fs::remove_dir_all(lost).expect("the old folder goes");
        (self.models, self.pending) = (saved.models.clone(), saved.pending.clone());
        (self.open, self.erasures) = (saved.open.clone(), saved.erasures.clone());
        for (shop, model) in self.models.iter_mut().enumerate() {
            let is_known = |since: &&Since| {
                since.shop == shop && since.erasure.as_ref().is_none_or(|erasure| recorded.contains(erasure))
            };
            let told: Vec<Told> =
                saved.since.iter().filter(is_known).map(|since| since.told.clone()).collect();
            model.catch_up(&told, self.world.clock.now());
        }
        let told = format!("told {} of {}", recorded.len(), saved.since.len());
        self.saved = Some(saved);
        told
    }

    /// The erasures in the journal.
    fn recorded(&self) -> BTreeSet<String> {
        let items = self.world.node().journal.read_items().expect("the journal");
        let ids = items.into_iter().filter_map(|(_, item)| match item {
            JournalItem::Record(record) => Some(uuid::Uuid::from_bytes(record.id).to_string()),
            JournalItem::Entry { .. } => None,
        });
        ids.collect()
    }
}
