//! Live parts that pages follow.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use tokio::sync::watch;

use crate::i18n::UiLanguage;

/// A part of a page.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct LivePart {
    pub html: String,
    /// True if it is final.
    pub is_last: bool,
}

/// The newest state of the part; none before it was read once.
pub(super) type LivePartSender = watch::Sender<Option<LivePart>>;

/// An address, a role and a language: all operators of one role see the same part.
pub(super) type LivePartKey = (String, UiLanguage);

pub(super) type LiveParts = HashMap<LivePartKey, Weak<LivePartSender>>;

/// Parts that are followed now.
#[derive(Default)]
pub(crate) struct LiveStreams(Mutex<LiveParts>);

impl LiveStreams {
    /// Receiver of `part`, if another page follows it already.
    pub(super) fn join(&self, part: &LivePartKey) -> Option<watch::Receiver<Option<LivePart>>> {
        subscribe_existing(&self.0.lock().unwrap_or_else(PoisonError::into_inner), part)
    }

    /// Begins to follow a part; `Err` with a receiver if another request has begun meanwhile.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn key(address: &str) -> LivePartKey {
        (address.to_owned(), UiLanguage::English)
    }

    #[test]
    fn a_part_is_joined_as_long_as_somebody_follows_it() {
        let streams = LiveStreams::default();
        let first = Arc::new(LivePartSender::new(None));
        assert!(streams.join(&key("/a")).is_none());
        let Ok(mut began) = streams.begin(key("/a"), &first) else { panic!("it is the first") };
        assert_eq!(began.has_changed().ok(), Some(false));
        let mut joined = streams.join(&key("/a")).expect("it is followed");
        assert_eq!(joined.has_changed().ok(), Some(true), "who comes later gets the last state");
        assert!(streams.join(&key("/b")).is_none());
        assert!(streams.join(&("/a".to_owned(), UiLanguage::German)).is_none(), "in another language");
        let second = Arc::new(LivePartSender::new(None));
        let Err(meanwhile) = streams.begin(key("/a"), &second) else { panic!("another began") };
        assert!(meanwhile.same_channel(&joined) && !meanwhile.same_channel(&second.subscribe()));
        assert!(streams.begin(key("/b"), &second).is_ok());
        assert!(streams.join(&key("/a")).is_some(), "another part leaves it");
        let part = LivePart { html: "x".to_owned(), is_last: false };
        drop(first.send_replace(Some(part.clone())));
        for receiver in [&mut began, &mut joined] {
            assert!(*receiver.borrow_and_update() == Some(part.clone()));
        }
        drop(first);
        assert!(streams.join(&key("/a")).is_none());
        let third = Arc::new(LivePartSender::new(None));
        assert!(streams.begin(key("/c"), &third).is_ok());
        let held = streams
            .0
            .lock()
            .expect("nobody panicked")
            .keys()
            .map(|(address, _)| address.clone())
            .collect::<Vec<_>>();
        assert!(held.len() == 2 && !held.contains(&"/a".to_owned()), "{held:?}");
    }
}
