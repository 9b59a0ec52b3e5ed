//! Backups, lost folders and restores of a world.

use std::path::{Path, PathBuf};
use std::time::Duration;

use lethe::maintenance::backup;
use lethe::node::FolderLock;
use lethe::recovery::bundle::RecoveryKey;
use lethe::recovery::restore::{self, RestoreRequest};
use lethe::recovery::{Manifest, RecoveryFault};

use crate::support::postgres::Database;
use crate::support::world::World;

/// A folder next to the world's.
pub fn path_beside(world: &World, name: &str) -> PathBuf {
    world.config.data_dir.with_file_name(name)
}

pub async fn back_up(world: &World, name: &str) -> PathBuf {
    let target = path_beside(world, name);
    backup::make(world.node(), target.clone(), |_| ())
        .await
        .map_err(|fault| fault.to_string())
        .expect("a backup");
    target
}

/// Gives the stopped world a data folder and a database that nothing was stored in.
pub fn lose_data(world: &mut World, name: &str) {
    world.config.data_dir = path_beside(world, name);
    if world.is_postgres() {
        let database = Database::create().expect("a database");
        world.config.store = database.url();
        world.database = Some(database);
    }
}

pub fn restore(world: &World, backup: &Path) -> Result<Manifest, RecoveryFault> {
    restore_with(world, backup, None, false)
}

pub fn restore_with(
    world: &World,
    backup: &Path,
    recovery_key: Option<RecoveryKey>,
    accept_gap: bool,
) -> Result<Manifest, RecoveryFault> {
    let journal = world.config.journal_mirror.clone();
    run_restore(
        world,
        RestoreRequest {
            backup: backup.to_path_buf(),
            recovery_key,
            journal,
            accept_gap,
            change_engine: false,
        },
    )
}

pub fn run_restore(world: &World, asked: RestoreRequest) -> Result<Manifest, RecoveryFault> {
    let lock = FolderLock::acquire(&world.config.data_dir).expect("the folder is free");
    // PostgreSQL's driver blocks on a runtime of its own.
    std::thread::scope(|scope| {
        scope
            .spawn(|| restore::restore_backup(&world.config, &lock, &asked, &mut |_| ()))
            .join()
            .expect("it ran")
    })
}

pub async fn stop_and_restore(world: &mut World, backup: &Path, name: &str) {
    world.stop().await;
    lose_data(world, name);
    // Background work of the node may hold the keys for a moment.
    let mut done = restore(world, backup).map_err(|fault| fault.to_string());
    for _ in 0..200 {
        if done.as_ref().is_err_and(|fault| fault.contains("in use by another process")) {
            tokio::time::sleep(Duration::from_millis(10)).await;
            done = restore(world, backup).map_err(|fault| fault.to_string());
        }
    }
    done.expect("restored");
    world.restart().await;
}

/// Loses data and key folder, and starts with the keys and data that the recovery key restores from a backup.
pub async fn restart_from_backup(world: &mut World, backup: &Path, key: RecoveryKey, accept_gap: bool) {
    world.stop().await;
    lose_data(world, "data-2");
    world.config.key_dir = path_beside(world, "keys-2");
    restore_with(world, backup, Some(key), accept_gap).map_err(|fault| fault.to_string()).expect("restored");
    world.restart().await;
}

/// Brings the world back from a backup after its key folder was lost, with the recovery key alone.
pub async fn lose_keys(world: &mut World) {
    let mirror = path_beside(world, "mirror");
    std::fs::create_dir(&mirror).expect("a folder");
    world.config.journal_mirror = Some(mirror);
    world.restart().await;
    let key = RecoveryKey::random().expect("a key");
    key.adopt(&world.config.key_dir).expect("adopted");
    let backup = back_up(world, "backup").await;
    restart_from_backup(world, &backup, key, false).await;
}
