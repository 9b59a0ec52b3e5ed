//! A page of stored events, as a model reads them.

use crate::recommend::model::Interaction;

/// Events after a place.
pub(super) struct EventPage {
    /// In the order in which they were accepted.
    pub(super) deeds: Vec<Interaction>,
    /// The place of each.
    pub(super) places: Vec<i64>,
    /// The last place that was read.
    pub(super) upto: i64,
    /// True if there were no more.
    pub(super) is_last: bool,
}
