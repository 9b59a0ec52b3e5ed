//! Files and folders that survive a power cut, and the room kept for the day the disk is full. Nothing else in the
//! program writes to a disk, but the database's engine, and writers of files that they got here.
//!
//! Everything made here is for its owner alone (files 0600, folders 0700). Content is durable once its file
//! is synced, a name once the folder that it stands in is.

mod ballast;
mod checksum;
mod files;
mod walk;

pub use self::files::{
    LOCK, Lock, close_file, close_folder, copy_over, create, create_folder, empty, is_full, lock,
    make_folder, mark, names, new_output, open, open_existing, open_output, open_regular, output, overwrite,
    parent_folder, publish, remove, remove_folder, rename, replace, reserve, sync, sync_folder, volume_bytes,
    write_atomically, write_end, write_output, write_private,
};

pub use self::ballast::Ballast;
pub use self::checksum::{ContentSum, copy, sum};
pub use self::walk::{EntryKind, link_below, walk};

#[cfg(test)]
mod tests;
