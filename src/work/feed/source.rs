//! Source of a feed, by which an unchanged feed is recognised.

use crate::catalogue::base::Bases;
use crate::feeds::section::Section;
use crate::ids::AccountId;
use crate::outbound::Validators;
use crate::store::{StoreFault, Tx};
use crate::{args, sql};

/// Last feed from a URL, while the catalogue still stands on it.
#[derive(Clone)]
pub struct KnownSource {
    /// To ask whether it changed.
    pub validators: Validators,
    pub(super) tag: [u8; 16],
    pub(super) seq: i64,
    pub(super) sections: Vec<Section>,
}

impl KnownSource {
    /// Returns true if every section of the feed still stands on it. Changes since then do not count: the feed, sent
    /// again, replaces them.
    pub(super) fn is_current(&self, bases: &Bases) -> bool {
        self.sections.iter().all(|section| bases.get(section).is_some_and(|base| base.ready_seq == self.seq))
    }

    /// Remembers it. A feed without a version cannot be requested by it.
    pub(super) fn save(&self, tx: &mut Tx<'_>, account: AccountId) -> Result<(), StoreFault> {
        let etag = self.validators.etag.as_deref();
        let modified = self.validators.last_modified.as_deref();
        if etag.is_some() || modified.is_some() {
            let names = self.sections.iter().map(|section| section.as_str()).collect::<Vec<_>>().join(",");
            let args = args![account.0, &self.tag, self.seq, names.as_str(), etag, modified];
            tx.exec(&sql::feed_source_put, args)?;
        }
        tx.exec(&sql::feed_source_sweep, args![account.0])?;
        Ok(())
    }
}
