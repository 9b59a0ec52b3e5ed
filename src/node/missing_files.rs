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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_sections_are_named_and_the_others_counted() {
        let told = |count: usize| {
            let section =
                |number| MissingSection { account: format!("s{number}"), section: "Products".to_owned() };
            let said = in_words(&(1..=count).map(section).collect::<Vec<_>>())?;
            let (named, rest) = said.split_once("): what they hold cannot be searched. Put the folder")?;
            assert!(rest.ends_with("or have these shops send their feeds again."), "{said}");
            named
                .strip_prefix("Catalogue files that are shown are not in the data folder (")
                .map(str::to_owned)
        };
        let ten = (1..=10).map(|number| format!("s{number}: Products")).collect::<Vec<_>>().join(", ");
        assert_eq!(told(0), None);
        assert_eq!(told(1).as_deref(), Some("s1: Products"));
        assert_eq!(told(10).as_deref(), Some(ten.as_str()));
        assert_eq!(told(11), Some(format!("{ten}, and 1 more")));
        assert_eq!(told(13), Some(format!("{ten}, and 3 more")));
    }
}
