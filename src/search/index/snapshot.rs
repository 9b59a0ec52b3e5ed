//! A snapshot of the index of an account, in which searches run.

use std::sync::Arc;

use tantivy::directory::{Directory, META_LOCK};
use tantivy::index::SegmentReader;

use super::fault::IndexFault;
use super::schema::IndexFields;
use super::view::SegmentView;
use crate::search::index_context::IndexContext;

/// The products as of one commit; shared by all searches until the next.
pub struct IndexSnapshot {
    pub(crate) knowledge: Arc<IndexContext>,
    pub(crate) segments: Vec<Arc<SegmentView>>,
}

impl IndexSnapshot {
    /// Opens the products as of the last commit; unchanged segments are not opened again.
    ///
    /// # Errors
    ///
    /// If a file of the index is missing or torn.
    pub fn open(
        index: &tantivy::Index,
        fields: &IndexFields,
        knowledge: Arc<IndexContext>,
        before: Option<&Self>,
    ) -> Result<Self, IndexFault> {
        let known = before.map_or(&[][..], |before| &before.segments);
        // A merge that ends now would remove files of the list before they are opened.
        let _lock = index.directory().acquire_lock(&META_LOCK).map_err(tantivy::TantivyError::from)?;
        let mut segments = Vec::new();
        for segment in index.searchable_segments()? {
            let before = known.iter().find(|view| view.reader().segment_id() == segment.id());
            let removed = segment.meta().delete_opstamp();
            segments.push(match before {
                Some(same) if same.reader().delete_opstamp() == removed => Arc::clone(same),
                Some(before) => Arc::new(before.after_removals(SegmentReader::open(&segment)?)),
                None => Arc::new(SegmentView::open(SegmentReader::open(&segment)?, fields)?),
            });
        }
        Ok(Self { knowledge, segments })
    }

    /// Knowledge that the search uses besides the index.
    #[must_use]
    pub const fn knowledge(&self) -> &Arc<IndexContext> {
        &self.knowledge
    }

    /// The parts of the index.
    #[must_use]
    pub fn segments(&self) -> &[Arc<SegmentView>] {
        &self.segments
    }
}
