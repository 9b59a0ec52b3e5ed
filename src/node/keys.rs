//! The key folder and the store, which belong together: told at the start, before a key is destroyed.

use super::start::{StartFault, has_no_keys};
use crate::catalogue::position;
use crate::config::Config;
use crate::keys::{KeyFault, Keys, LookupKeys, SlotNumber, SlotSweep, StoreMark, filesystem_check};
use crate::recovery::folder_progress::{self, KeysReached};
use crate::recovery::layout::RESTORED;
use crate::store::{Owner, Statement, Store, StoreFault};
use crate::{args, sql};

/// Warnings about the places of the keys, a sentence each; the log says so too.
pub(super) fn warnings(config: &Config) -> Vec<String> {
    let mirror = config.key_mirror.as_deref();
    let warnings = filesystem_check::warnings(&config.key_dir, mirror, &config.data_dir);
    warnings.iter().for_each(|warning| tracing::warn!("{warning}"));
    warnings
}

/// Returns true if the database knows this key folder already. The two belong together: with another database's list
/// of slots in use, the sweep at the start would destroy every key.
pub(super) async fn are_bound(
    store: &Store,
    keys: &Keys,
    config: &Config,
    is_new: bool,
) -> Result<bool, StartFault> {
    match bound_keys(store).await? {
        Some(bound) if bound == keys.set_id() => check_copy(store, keys, config).await.map(|()| true),
        None if is_new => Ok(false),
        Some(_) | None => Err(StartFault::OtherKeys),
    }
}

async fn bound_keys(store: &Store) -> Result<Option<Vec<u8>>, StoreFault> {
    let bound = store.read(|tx| {
        let row = tx
            .row(&sql::node_get, args![])?
            .ok_or(StoreFault::Shape { statement: "node_get", column: "key_set" })?;
        Ok::<_, StoreFault>(row.opt_blob("key_set")?.map(<[u8]>::to_vec))
    });
    bound.await
}

/// Refuses an empty key folder in the place of the store's own, and that one when it has lost slots that rows
/// name: a new file would make people unreadable, and give their slots to others. After a restore it is
/// meant.
pub(super) async fn check_slots(store: &Store, config: &Config) -> Result<(), StartFault> {
    // Fresh keys would open nothing, and stand in the way of a restore with the recovery key.
    if has_no_keys(config) && bound_keys(store).await?.is_some() {
        return Err(StartFault::KeysLost);
    }
    let set = LookupKeys::load(&config.key_dir)?.map(|keys| keys.set_id().to_vec());
    if config.data_dir.join(RESTORED).exists() || set.is_none() || bound_keys(store).await? != set {
        return Ok(());
    }
    let last = store.read(|tx| tx.row(&sql::slot_last, args![])?.map_or(Ok(None), |row| row.opt_int("slot")));
    let last: Option<i64> = last.await.map_err(|fault: StoreFault| fault)?;
    match last.and_then(SlotNumber::from_row) {
        Some(last) => Ok(Keys::check_reach(&config.key_dir, config.key_mirror.as_deref(), last)?),
        None => Ok(()),
    }
}

/// Refuses a copy of the store that the keys did not go on with, and a copy of the keys that the store did not go on
/// with.
async fn check_copy(store: &Store, keys: &Keys, config: &Config) -> Result<(), StartFault> {
    let Some(mark) = mark_of(store, config).await? else { return Ok(()) };
    match StoreMark::load(&config.key_dir)? {
        Some(found) if !found.is_of_same_store(&mark) => {
            return Err(StartFault::OtherCopy);
        }
        _ => {}
    }
    let reached = store.read(KeysReached::load).await?;
    let found = KeysReached { epoch: keys.epoch().number.into(), starts: starts_counted(config, &mark)? };
    if found.starts < reached.starts || found.epoch < reached.epoch {
        return Err(StartFault::OlderKeys);
    }
    Ok(())
}

/// The starts that the key folder, or its second copy, counts with the store of `mark`: the higher number; the other
/// copy catches up.
fn starts_counted(config: &Config, mark: &StoreMark) -> Result<i64, StartFault> {
    let own = StoreMark::load(&config.key_dir)?;
    let mirrored = config.key_mirror.as_deref().map_or(Ok(None), StoreMark::load);
    let found = [own, mirrored.map_err(KeyFault::in_mirror)?].into_iter().flatten();
    Ok(found.filter(|found| found.is_of_same_store(mark)).map(|found| found.starts).fold(0, i64::max))
}

/// The mark that the key folder of this store has, without its starts; `None` after a restore, which makes it where it
/// ends.
async fn mark_of(store: &Store, config: &Config) -> Result<Option<StoreMark>, StoreFault> {
    if config.data_dir.join(RESTORED).exists() {
        return Ok(None);
    }
    let history = store.read(position::history).await?;
    Ok(Some(StoreMark { engine: store.engine().to_owned(), history, starts: 0 }))
}

/// Binds the store to this key folder: from here on it starts with this one only, which remembers it.
pub(super) async fn bind(
    store: &Store,
    keys: &Keys,
    config: &Config,
    is_bound: bool,
) -> Result<(), StartFault> {
    let set = keys.set_id();
    if !is_bound {
        store.write(Owner::STORE, move |tx| tx.exec(&sql::node_bind_keys, args![&set])).await?;
    }
    match mark_of(store, config).await? {
        Some(mark) => {
            let starts = starts_counted(config, &mark)?;
            Ok(folder_progress::count_start(store, keys, config, StoreMark { starts, ..mark }).await?)
        }
        None => Ok(()),
    }
}

/// Overwrites the keys that no row names, and makes the first ones ready.
pub(super) async fn start(store: &Store, keys: &Keys) -> Result<SlotSweep, StartFault> {
    let swept = keys.start(slots(store, &sql::slot_used).await?)?;
    if swept.orphans > 0 {
        tracing::info!(keys = swept.orphans, "spare keys, which nobody has used, were made anew");
    }
    if swept.has_losses() {
        let damaged = swept.damaged;
        let keyless = swept.keyless;
        tracing::warn!(damaged, keyless, "keys that rows name are damaged or gone: what they sealed is lost");
    }
    Ok(swept)
}

/// Counts the people whose data cannot be read, without a request to forget them.
pub(super) async fn unreadable(store: &Store, keys: &Keys, swept: &SlotSweep) -> Result<usize, StartFault> {
    if !swept.has_losses() {
        return Ok(0);
    }
    let known = slots(store, &sql::slot_of_known).await?;
    let unreadable = known.into_iter().filter(|slot| keys.sealer(*slot).is_err_and(|fault| fault.is_lost()));
    Ok(unreadable.count())
}

async fn slots(store: &Store, statement: &'static Statement) -> Result<Vec<SlotNumber>, StoreFault> {
    let read = store.read(move |tx| {
        let mut slots = Vec::new();
        tx.each_row(statement, args![], &mut |row| {
            slots.extend(SlotNumber::from_row(row.int("slot")?));
            Ok(())
        })?;
        Ok(slots)
    });
    read.await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_places_of_the_keys_are_warned_of_as_the_settings_name_them() {
        let folder = tempfile::tempdir().expect("a folder");
        let [data, mirror] = ["data", "mirror"].map(|name| folder.path().join(name));
        let keys = data.join("keys");
        [&keys, &mirror].into_iter().for_each(|path| std::fs::create_dir_all(path).expect("a folder"));
        let mut config = Config::local(data, keys);
        let inside = "the key folder is inside the data folder";
        let alone = "there is no key mirror";
        let told = |config: &Config| {
            let said = warnings(config);
            [inside, alone].map(|begin| said.iter().filter(|sentence| sentence.starts_with(begin)).count())
        };
        assert_eq!(told(&config), [1, 1]);
        config.key_mirror = Some(mirror);
        assert_eq!(told(&config), [1, 0]);
        config.data_dir = folder.path().join("elsewhere");
        assert_eq!(told(&config), [0, 0]);
    }
}
