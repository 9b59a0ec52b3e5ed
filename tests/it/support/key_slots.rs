//! Keys of people that a damaged disk took away.

use std::fs::File;
use std::os::unix::fs::FileExt;

use super::world::World;

/// Damages the key of everybody; the node has to be stopped.
pub fn damage_keys(world: &World) {
    const SLOT_BYTES: u64 = 64;
    let opened = File::options().read(true).write(true).open(world.config.key_dir.join("slots.key"));
    let file = opened.expect("the keys");
    for slot in 1..file.metadata().expect("their size").len() / SLOT_BYTES {
        file.write_all_at(&[7; 5], slot * SLOT_BYTES + 20).expect("damaged");
    }
}
