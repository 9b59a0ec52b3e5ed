//! Live parts that pages follow.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use tokio::sync::watch;

use crate::i18n::UiLanguage;

/// A part of a page.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct LivePart {
    pub html: String,
    /// True if nothing changes any more.
    pub is_last: bool,
}

/// The part as it was looked at last; none before the first look.
pub(super) type LivePartSender = watch::Sender<Option<LivePart>>;

/// An address and a language. A part is the same for all who may see it.
pub(super) type LivePartKey = (String, UiLanguage);

pub(super) type LiveParts = HashMap<LivePartKey, Weak<LivePartSender>>;

/// Parts that are followed now.
#[derive(Default)]
pub(crate) struct LiveStreams(Mutex<LiveParts>);

impl LiveStreams {
    /// Receiver of `part`, if someone follows it already.
    pub(super) fn join(&self, part: &LivePartKey) -> Option<watch::Receiver<Option<LivePart>>> {
        subscribe_existing(&self.0.lock().unwrap_or_else(PoisonError::into_inner), part)
    }

    /// Begins to follow it; `Err` with a receiver if another request began meanwhile.
    pub(super) fn begin(
        &self,
        part: LivePartKey,
        looked: &Arc<LivePartSender>,
    ) -> Result<watch::Receiver<Option<LivePart>>, watch::Receiver<Option<LivePart>>> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|_, looked| looked.strong_count() > 0);
        if let Some(joined) = subscribe_existing(&all, &part) {
            return Err(joined);
        }
        all.insert(part, Arc::downgrade(looked));
        Ok(looked.subscribe())
    }
}

pub(super) fn subscribe_existing(
    all: &LiveParts,
    part: &LivePartKey,
) -> Option<watch::Receiver<Option<LivePart>>> {
    let mut receiver = all.get(part).and_then(Weak::upgrade)?.subscribe();
    // A later follower gets the last state, too.
    receiver.mark_changed();
    Some(receiver)
}
