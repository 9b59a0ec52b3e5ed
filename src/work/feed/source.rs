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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blobs::BlobName;
    use crate::catalogue::base::Base;
    use crate::store::{Store, StoreOptions};

    fn source(etag: Option<&str>, modified: Option<&str>) -> KnownSource {
        let [etag, last_modified] = [etag, modified].map(|text| text.map(str::to_owned));
        let sections = vec![Section::Products, Section::Brands];
        KnownSource { validators: Validators { etag, last_modified }, tag: [7; 16], seq: 5, sections }
    }

    #[test]
    fn a_feed_is_the_present_one_while_all_its_sections_stand_on_it() {
        let known = source(None, None);
        let base = |ready_seq| {
            let blob = BlobName::from_hash([1; 32]);
            Base { snapshot_seq: 5, cut_seq: 5, blob, sku_blob: None, items: 1, ready_seq, swept_seq: 0 }
        };
        let is_current = |products: i64, brands: Option<i64>| {
            let brands = brands.map(|seq| (Section::Brands, base(seq)));
            let others = [(Section::Products, base(products)), (Section::Categories, base(9))];
            known.is_current(&others.into_iter().chain(brands).collect())
        };
        let current =
            [is_current(5, Some(5)), is_current(5, Some(6)), is_current(4, Some(5)), is_current(5, None)];
        assert_eq!(current, [true, false, false, false]);
    }

    #[tokio::test]
    async fn a_feed_is_known_by_either_version_and_not_without_one() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::open(&StoreOptions::Sqlite(folder.path().join("lethe.db"))).expect("a store");
        for (account, etag, modified) in
            [(1, None, None), (2, Some("a"), None), (3, None, Some("b")), (4, Some("a"), Some("b"))]
        {
            let saved = source(etag, modified);
            let saving = store.write(AccountId(account), move |tx| {
                // The catalogue stands on it.
                tx.exec(&sql::base_put, args![account, "Products", 5, 5, 5])?;
                saved.save(tx, AccountId(account))?;
                let row = tx.row(&sql::feed_source_get, args![account, &saved.tag])?;
                let read = |row: crate::store::Row| {
                    let [etag, modified] = [row.opt_text("etag")?, row.opt_text("last_modified")?];
                    let sections = row.text("sections")?.to_owned();
                    Ok::<_, StoreFault>((sections, etag.map(str::to_owned), modified.map(str::to_owned)))
                };
                row.map(read).transpose()
            });
            let known = saving.await.expect("saved");
            let [etag, modified] = [etag, modified].map(|text| text.map(str::to_owned));
            let expected = (account > 1).then(|| ("Products,Brands".to_owned(), etag, modified));
            assert_eq!(known, expected, "{account}");
        }
    }
    #[tokio::test]
    async fn a_feed_on_which_no_section_stands_any_more_is_forgotten() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::open(&StoreOptions::Sqlite(folder.path().join("lethe.db"))).expect("a store");
        let earlier = source(Some("a"), None);
        let later = KnownSource { tag: [8; 16], seq: 6, ..source(None, None) };
        for (saved, is_known) in [(earlier, true), (later, false)] {
            let seq = saved.seq;
            let saving = store.write(AccountId(1), move |tx| {
                tx.exec(&sql::base_put, args![1, "Products", seq, seq, seq])?;
                saved.save(tx, AccountId(1))?;
                Ok::<_, StoreFault>(tx.row(&sql::feed_source_get, args![1, &[7; 16]])?.is_some())
            });
            assert_eq!(saving.await.expect("saved"), is_known, "after feed {seq}");
        }
    }
}
