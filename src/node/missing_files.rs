//! Catalogue files that rows name and that are not in the data folder, as after a start on another machine with the
//! same database.

use std::sync::atomic::Ordering;

use super::instance::Node;
use crate::blobs::Blobs;
use crate::catalogue::base;
use crate::store::{Store, StoreFault};

/// Section of a shop that is shown and has files that cannot be read.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct MissingSection {
    /// Name of the account.
    pub account: String,
    /// The section.
    pub section: String,
}

impl Node {
    /// The sections that accounts show whose files are missing. Asks the store only while some were missing when it was
    /// looked last, at the start or by [`Node::look_for_files`].
    ///
    /// # Errors
    /// When the store fails.
    pub async fn missing_files(&self) -> Result<Vec<MissingSection>, StoreFault> {
        if self.missing.0.load(Ordering::Relaxed) { self.look_for_files().await } else { Ok(Vec::new()) }
    }

    /// The same from a new search: the name of each shown file, and nothing from its content.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn look_for_files(&self) -> Result<Vec<MissingSection>, StoreFault> {
        let missing = find_missing(&self.store, &self.blobs).await?;
        self.missing.0.store(!missing.is_empty(), Ordering::Relaxed);
        Ok(missing)
    }
}

/// Most sections that are named.
const SECTIONS_NAMED: usize = 10;

/// Sentence about missing files; `None` if there are none.
#[must_use]
pub fn in_words(missing: &[MissingSection]) -> Option<String> {
    if missing.is_empty() {
        return None;
    }
    let named = missing.iter().take(SECTIONS_NAMED);
    let mut named: Vec<_> =
        named.map(|MissingSection { account, section }| format!("{account}: {section}")).collect();
    let others = missing.len() - named.len();
    if others > 0 {
        named.push(format!("and {others} more"));
    }
    Some(format!(
        "Catalogue files that are shown are not in the data folder ({}): what they hold cannot be searched. Put the folder \
         `blobs` of this store back, from the machine that ran before or with `lethe restore` of the newest backup; or \
         have these shops send their feeds again.",
        named.join(", ")
    ))
}

async fn find_missing(store: &Store, blobs: &Blobs) -> Result<Vec<MissingSection>, StoreFault> {
    let shown = store.read(base::blobs_shown).await?;
    let blobs = blobs.clone();
    let looking = tokio::task::spawn_blocking(move || {
        let missing = shown.into_iter().filter(|(name, ..)| !blobs.path(name).exists());
        let mut missing: Vec<_> =
            missing.map(|(_, account, section)| MissingSection { account, section }).collect();
        missing.dedup();
        missing
    });
    looking.await.map_err(|_| StoreFault::Panicked)
}
