//! Following what an account shows: reads, in pages, the steps from one position to the next.

use std::collections::HashSet;

use crate::blobs::Blobs;
use crate::catalogue::CatalogueFault;
use crate::catalogue::position::CataloguePosition;
use crate::catalogue::since::{
    CatalogueSteps, CatchUpPlan, ChangePage, CurrentItem, SeenStream, steps_since,
};
use crate::feeds::section::Section;
use crate::ids::AccountId;
use crate::limits;
use crate::store::Store;

/// Receives the items that are read.
pub trait Follower: Send {
    /// Fault of a follower that cannot take something.
    type Fault: From<CatalogueFault> + Send;

    /// Drops everything: all items come again.
    fn clear(&mut self);

    /// Takes items as they are shown; an item that comes again replaces its earlier version.
    ///
    /// # Errors
    /// When it has no room for them.
    fn apply_items(&mut self, items: Vec<CurrentItem>) -> Result<(), Self::Fault>;
}

/// Brings a follower from the position `from` (`None`: it has nothing yet) to what the account shows now. Returns the
/// new position. A change made meanwhile may be read in part; the next steps name it again.
///
/// # Errors
/// When the store fails, a file cannot be read, or the follower fails, which then has to start over.
pub async fn catch_up<F: Follower>(
    store: &Store,
    blobs: &Blobs,
    account: AccountId,
    from: Option<CataloguePosition>,
    follower: &mut F,
) -> Result<CataloguePosition, F::Fault> {
    let mut from = from;
    for _ in 0..limits::CATCH_UP_TRIES {
        match next_steps(store, blobs, account, from.clone()).await? {
            Next::There(position) => return Ok(position),
            Next::Again => from = None,
            // Items read in the transaction that names them are complete.
            Next::Seen(items, position) => {
                follower.apply_items(items)?;
                return Ok(position);
            }
            Next::Steps(steps) => {
                if from.is_none() {
                    follower.clear();
                }
                from = read_plan(store, blobs, &steps, follower).await?.then_some(steps.to);
            }
        }
    }
    // Changes are applied all the time: this is the position when the last steps began.
    from.ok_or_else(|| CatalogueFault::Overtaken.into())
}

/// Reads every item of some sections, each once and as it is shown now.
///
/// # Errors
/// As [`catch_up`].
pub async fn read_once<F: Follower>(
    store: &Store,
    blobs: &Blobs,
    account: AccountId,
    sections: &[Section],
    follower: &mut F,
) -> Result<CataloguePosition, F::Fault> {
    for _ in 0..limits::CATCH_UP_TRIES {
        let files = blobs.clone();
        let steps = store
            .read(move |tx| CatchUpPlan::full_rebuild(tx, &files, account))
            .await
            .map_err(F::Fault::from)?;
        let steps = steps.of_sections(sections);
        follower.clear();
        let mut named = HashSet::new();
        // An item of several changes comes with each page that has one of these changes.
        let mut take = |mut page: Vec<CurrentItem>| {
            page.retain(|seen| named.insert((seen.section, seen.id.clone())));
            follower.apply_items(page)
        };
        if !read_changes(store, blobs, &steps, &mut take).await? {
            continue;
        }
        let mut take = |mut page: Vec<CurrentItem>| {
            page.retain(|seen| !named.contains(&(seen.section, seen.id.clone())));
            follower.apply_items(page)
        };
        read_files(blobs, &steps, &mut take).await?;
        return Ok(steps.to);
    }
    Err(CatalogueFault::Overtaken.into())
}

enum Next {
    There(CataloguePosition),
    /// A few changes: these items, and where that leads.
    Seen(Vec<CurrentItem>, CataloguePosition),
    Steps(CatchUpPlan),
    Again,
}

async fn next_steps(
    store: &Store,
    blobs: &Blobs,
    account: AccountId,
    from: Option<CataloguePosition>,
) -> Result<Next, CatalogueFault> {
    let blobs = blobs.clone();
    let read = store.read(move |tx| {
        let Some(from) = &from else {
            return Ok(Next::Steps(CatchUpPlan::full_rebuild(tx, &blobs, account)?));
        };
        Ok::<_, CatalogueFault>(match steps_since(tx, &blobs, account, from)? {
            CatalogueSteps::Same => Next::There(from.clone()),
            CatalogueSteps::Steps(steps) if steps.has_files() => Next::Steps(steps),
            CatalogueSteps::Steps(steps) => {
                match steps.page(tx, &blobs, steps.first_page(), limits::UNIT_ROWS)? {
                    ChangePage::Items(items, next) if next.is_none() => Next::Seen(items, steps.to),
                    _ => Next::Steps(steps),
                }
            }
            CatalogueSteps::Rebuild => Next::Again,
        })
    });
    read.await
}

/// Reads all that the steps name; false when something was swept meanwhile, so that the follower has to start over.
async fn read_plan<F: Follower>(
    store: &Store,
    blobs: &Blobs,
    steps: &CatchUpPlan,
    follower: &mut F,
) -> Result<bool, F::Fault> {
    read_files(blobs, steps, &mut |page| follower.apply_items(page)).await?;
    read_changes(store, blobs, steps, &mut |page| follower.apply_items(page)).await
}

/// Takes a page of items.
type Take<'a, E> = dyn FnMut(Vec<CurrentItem>) -> Result<(), E> + Send + 'a;

/// Reads the rows of files in which steps differ.
async fn read_files<E: From<CatalogueFault>>(
    blobs: &Blobs,
    steps: &CatchUpPlan,
    take: &mut Take<'_, E>,
) -> Result<(), E> {
    let mut files = {
        let steps = steps.clone();
        let blobs = blobs.clone();
        blocking(move || steps.files(&blobs)).await?
    };
    loop {
        let (rest, page) = blocking(move || page_of_files(files)).await?;
        files = rest;
        if page.is_empty() {
            return Ok(());
        }
        take(page)?;
    }
}

/// Reads the items of changes that steps name; false when some were swept meanwhile.
async fn read_changes<E: From<CatalogueFault> + Send>(
    store: &Store,
    blobs: &Blobs,
    steps: &CatchUpPlan,
    take: &mut Take<'_, E>,
) -> Result<bool, E> {
    let mut after = steps.first_page();
    loop {
        let steps = steps.clone();
        let blobs = blobs.clone();
        let page = store.read(move |tx| steps.page(tx, &blobs, after, limits::UNIT_ROWS));
        match page.await.map_err(E::from)? {
            ChangePage::Rebuild => return Ok(false),
            ChangePage::Items(items, next) => {
                take(items)?;
                match next {
                    Some(next) => after = next,
                    None => return Ok(true),
                }
            }
        }
    }
}

fn page_of_files(mut files: SeenStream) -> Result<(SeenStream, Vec<CurrentItem>), CatalogueFault> {
    let mut page = Vec::new();
    let mut bytes = 0;
    while page.len() < limits::UNIT_ROWS && bytes < limits::FOLLOWED_PAGE_BYTES {
        let Some(seen) = files.next().transpose()? else { break };
        bytes += seen.row.as_ref().map_or(0, Vec::len);
        page.push(seen);
    }
    Ok((files, page))
}

/// Files are read on a thread of their own.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, CatalogueFault> + Send + 'static,
) -> Result<T, CatalogueFault> {
    tokio::task::spawn_blocking(work).await.unwrap_or(Err(CatalogueFault::Panicked))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Items with rows of so many bytes, or without one; a fault in the place of a number of its own.
    fn stream(rows: Vec<Option<usize>>) -> SeenStream {
        const FAULT: Option<usize> = Some(usize::MAX);
        let item = |row: Option<usize>| CurrentItem {
            section: Section::Products,
            id: "a".to_owned(),
            row: row.map(|bytes| vec![b' '; bytes]),
        };
        Box::new(
            rows.into_iter()
                .map(move |row| if row == FAULT { Err(CatalogueFault::Row) } else { Ok(item(row)) }),
        )
    }

    /// The lengths of the pages.
    fn pages(rows: Vec<Option<usize>>) -> Result<Vec<usize>, CatalogueFault> {
        let mut files = stream(rows);
        let mut lengths = Vec::new();
        loop {
            let (rest, page) = page_of_files(files)?;
            files = rest;
            if page.is_empty() {
                return Ok(lengths);
            }
            lengths.push(page.len());
        }
    }

    #[test]
    fn a_page_ends_with_the_row_that_fills_it_by_number_or_by_bytes() {
        const BYTES: usize = limits::FOLLOWED_PAGE_BYTES;
        let lengths = |rows| pages(rows).expect("pages");
        assert_eq!(lengths(vec![Some(1); limits::UNIT_ROWS]), [limits::UNIT_ROWS]);
        assert_eq!(lengths(vec![None; limits::UNIT_ROWS + 1]), [limits::UNIT_ROWS, 1]);
        assert_eq!(lengths(vec![Some(BYTES - 1), None, Some(1), None, Some(BYTES), Some(9)]), [3, 2, 1]);
        assert!(lengths(Vec::new()).is_empty());
    }

    #[test]
    fn a_row_that_cannot_be_read_is_a_fault_of_its_page() {
        assert!(matches!(pages(vec![Some(1), Some(usize::MAX), Some(1)]), Err(CatalogueFault::Row)));
    }
}
