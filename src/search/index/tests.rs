//! An index on disk: opened again, missing, torn, of another kind.

mod merges;
mod slow;
mod variant_tables;

use std::fs;
use std::sync::Arc;

use tantivy::tokenizer::{TokenStream, Tokenizer};

use super::term_frequency::{RepeatTokenizer, push_number};
use super::*;
use crate::search::document::Variant;
use crate::search::spellcheck::Dictionary;
use crate::search::statistics::StatisticsCounter;
use crate::search::text::{Analyser, ShopLanguage};

fn product(id: &str, title: &str) -> ProductDocument {
    ProductDocument { id: id.to_owned(), title: title.to_owned(), ..ProductDocument::default() }
}

fn knowledge(products: &[ProductDocument]) -> Arc<IndexContext> {
    let language = ShopLanguage::parse("en").expect("a language");
    let analyser = Arc::new(Analyser::new(language));
    let mut counter = StatisticsCounter::new(Arc::clone(&analyser), []);
    products.iter().for_each(|product| counter.add(product));
    IndexContext::new(analyser, Arc::new(counter.finish()), Arc::new(Dictionary::empty(language)))
}

fn written(folder: &Path) -> Arc<IndexContext> {
    let products: Vec<_> = (0..50).map(|number| product(&format!("p{number}"), "Oak chair")).collect();
    let knowledge = knowledge(&products);
    let mut index = Index::create(folder, Arc::clone(&knowledge)).expect("an index");
    for product in &products {
        index.write(DocumentChange::Put(product)).expect("written");
    }
    index.commit("position 7").expect("committed");
    knowledge
}

#[test]
fn an_index_that_is_opened_again_knows_where_it_is() {
    let folder = tempfile::tempdir().expect("a folder");
    let knowledge = written(folder.path());
    let mut index = Index::open(folder.path(), Arc::clone(&knowledge)).expect("an index");
    assert_eq!(index.payload().expect("a payload"), "position 7");
    assert_eq!(index.snapshot().products(), 50);
    index.write(DocumentChange::Put(&product("p1", "Steel lamp"))).expect("written");
    index.write(DocumentChange::Remove("p2")).expect("removed");
    assert_eq!(index.commit("position 8").expect("committed").products(), 49);
    assert_eq!(index.payload().expect("a payload"), "position 8");
}

#[test]
fn an_index_of_the_format_before_is_read_without_variants_and_not_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut shirt = product("p1", "Shirt");
    let display = br#"{"Id":"v1"}"#.to_vec();
    shirt.variants.push(Variant { id: "v1".to_owned(), display, ..Variant::default() });
    let knowledge = knowledge(std::slice::from_ref(&shirt));
    let directory = UnsyncedDirectory::open(folder.path()).expect("a folder");
    let index =
        Index::create_in_format(Box::new(directory.clone()), Arc::clone(&knowledge), IndexFormat::Earlier);
    let mut index = index.expect("an index");
    index.write(DocumentChange::Put(&shirt)).expect("written");
    index.commit("").expect("committed");
    drop(index);
    let stamp = directory.atomic_read(Path::new(SETTINGS_FILE)).expect("a stamp");
    let stamp: Stamp = serde_json::from_slice(&stamp).expect("a stamp");
    assert_eq!((stamp.format, FORMAT), (7, 8), "the format of the release before");
    let opened = Index::open(folder.path(), Arc::clone(&knowledge));
    assert!(matches!(opened, Err(IndexFault::Other(_))));
    let snapshot = Index::read_earlier(folder.path(), Arc::clone(&knowledge)).expect("an index");
    assert_eq!((snapshot.products(), snapshot.segments()[0].id(0)), (1, "p1"));
    let segment = &snapshot.segments()[0];
    assert!(segment.variant_table(0).is_none() && segment.shown_variants(0).json(0).is_empty());
    let present = tempfile::tempdir().expect("a folder");
    let earlier = Index::read_earlier(present.path(), written(present.path()));
    assert!(matches!(earlier, Err(IndexFault::Other(_))), "the present format is opened, not read");
}

#[test]
fn what_was_not_committed_is_not_there() {
    let folder = tempfile::tempdir().expect("a folder");
    let knowledge = written(folder.path());
    let mut index = Index::open(folder.path(), Arc::clone(&knowledge)).expect("an index");
    index.write(DocumentChange::Put(&product("new", "Steel lamp"))).expect("written");
    drop(index);
    let index = Index::open(folder.path(), knowledge).expect("an index");
    assert_eq!(
        (index.snapshot().products(), index.payload().expect("a payload")),
        (50, "position 7".to_owned())
    );
}

#[test]
fn a_folder_without_an_index_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let opened = Index::open(folder.path(), knowledge(&[]));
    assert!(matches!(opened, Err(IndexFault::Missing)));
}

#[test]
fn what_was_written_for_no_commit_is_removed() {
    let folder = tempfile::tempdir().expect("a folder");
    let knowledge = written(folder.path());
    let names = || fs::read_dir(folder.path()).expect("a folder").count();
    let before = names();
    for ending in ["term", "57.del"] {
        let name = format!("0123456789abcdef0123456789abcdef.{ending}");
        fs::write(folder.path().join(name), "").expect("written");
    }
    let index = Index::open(folder.path(), knowledge).expect("an index");
    assert_eq!((index.snapshot().products(), names()), (50, before));
}

#[test]
fn a_file_that_a_merge_was_writing_hurts_no_index() {
    let folder = tempfile::tempdir().expect("a folder");
    let knowledge = written(folder.path());
    let mut index = Index::open(folder.path(), Arc::clone(&knowledge)).expect("an index");
    let merged = index.writer.new_segment();
    let begun = merged.open_write(tantivy::index::SegmentComponent::Custom(blobs::BLOB_FILE.to_owned()));
    index.write(DocumentChange::Put(&product("new", "Steel lamp"))).expect("written");
    index.commit("").expect("committed");
    drop((begun.expect("a file"), index));
    let index = Index::open(folder.path(), knowledge).expect("an index");
    assert_eq!(index.snapshot().products(), 51);
}

#[test]
fn an_index_with_the_list_of_an_earlier_commit_is_torn() {
    let folder = tempfile::tempdir().expect("a folder");
    let knowledge = written(folder.path());
    let list = folder.path().join(directory::LIST_FILE);
    let earlier = fs::read(&list).expect("a list");
    let mut index = Index::open(folder.path(), Arc::clone(&knowledge)).expect("an index");
    index.write(DocumentChange::Put(&product("new", "Steel lamp"))).expect("written");
    index.commit("").expect("committed");
    drop(index);
    fs::write(&list, earlier).expect("written");
    assert!(matches!(Index::open(folder.path(), knowledge), Err(IndexFault::Torn(_))));
}

#[test]
fn a_removal_is_not_lost_to_a_merge_before_its_commit() {
    let remove: [fn(&mut Index); 2] = [
        |index| index.clear().expect("cleared"),
        |index| {
            let all = ["p3", "p1", "p2", "p4"].into_iter();
            all.for_each(|id| index.write(DocumentChange::Remove(id)).expect("removed"));
        },
    ];
    for remove in remove {
        let folder = tempfile::tempdir().expect("a folder");
        let knowledge = knowledge(&[]);
        let mut index = Index::create(folder.path(), Arc::clone(&knowledge)).expect("an index");
        for id in ["p1", "p3"] {
            index.write(DocumentChange::Put(&product(id, "Lamp"))).expect("written");
        }
        index.commit("").expect("committed");
        // This commit removes some products of the first segment, not all. A merge begins with the larger segment.
        for id in ["p1", "p2", "p4"] {
            index.write(DocumentChange::Put(&product(id, "Chair"))).expect("written");
        }
        assert_eq!(index.commit("").expect("committed").products(), 4);
        drop(index);
        let mut index = Index::open(folder.path(), knowledge).expect("an index");
        remove(&mut index);
        index.merge_all().expect("merged");
        assert_eq!(index.commit("").expect("committed").products(), 0);
    }
}

#[test]
fn an_index_of_other_statistics_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    written(folder.path());
    let opened = Index::open(folder.path(), knowledge(&[product("p", "Lamp")]));
    assert!(matches!(opened, Err(IndexFault::Other(_))));
}

#[test]
fn a_torn_file_is_noticed_whichever_it_is() {
    let folder = tempfile::tempdir().expect("a folder");
    let knowledge = written(folder.path());
    let is_whole = || Index::open(folder.path(), Arc::clone(&knowledge)).is_ok();
    let names = fs::read_dir(folder.path()).expect("a folder").map(|entry| entry.expect("an entry").path());
    for name in names.filter(|name| !name.to_string_lossy().ends_with(".lock")).collect::<Vec<_>>() {
        let whole = fs::read(&name).expect("a file");
        for place in 0..10 {
            let mut torn = whole.clone();
            torn[place * (whole.len() - 1) / 9] ^= 0x20;
            fs::write(&name, &torn).expect("written");
            assert!(!is_whole(), "{} is torn at {place} tenths", name.display());
            fs::write(&name, &whole[..place * whole.len() / 10]).expect("written");
            assert!(!is_whole(), "{} ends after {place} tenths", name.display());
        }
        for stump in 1..9 {
            fs::write(&name, &whole[..stump.min(whole.len() - 1)]).expect("written");
            assert!(!is_whole(), "{} ends after {stump} bytes", name.display());
        }
        fs::remove_file(&name).expect("removed");
        assert!(!is_whole(), "{} is gone", name.display());
        fs::write(&name, &whole).expect("written");
    }
    assert!(is_whole(), "it is whole again");
}

#[test]
fn a_product_for_which_no_file_can_be_made_is_a_fault() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut index = Index::create(folder.path(), knowledge(&[])).expect("an index");
    fs::remove_dir_all(folder.path()).expect("removed");
    assert!(index.write(DocumentChange::Put(&product("p1", "Lamp"))).is_err());
}

#[test]
fn a_stem_comes_as_often_as_its_number_says_at_one_place() {
    let stems = [("oak", 1), ("desk", 3), ("lamp", 250)];
    let mut text = String::new();
    stems.iter().for_each(|(stem, number)| push_number(&mut text, stem, *number));
    let mut tokenizer = RepeatTokenizer::default();
    // Every text begins at the first place.
    for _ in 0..2 {
        let mut tokens = tokenizer.token_stream(&text);
        let mut read = Vec::new();
        while tokens.advance() {
            read.push((tokens.token().text.clone(), tokens.token().position));
        }
        let expected = stems.iter().enumerate().flat_map(|(place, (stem, number))| {
            std::iter::repeat_n(((*stem).to_owned(), place), usize::from(*number))
        });
        assert_eq!(read, expected.collect::<Vec<_>>());
    }
}
