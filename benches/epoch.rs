//! Cost per key of a rotation of the key-encryption epoch.

use lethe::keys::Keys;

use crate::report::{Options, load, median};
use crate::server::scratch;

const KEYS: usize = 200_000;

/// Rotates the epoch of 200,000 keys, without and with a mirror on the same disk.
pub fn epoch(options: &Options) {
    for with_mirror in [false, true] {
        let folder = tempfile::tempdir_in(scratch()).expect("a folder");
        let mirror = with_mirror.then(|| folder.path().join("mirror"));
        let keys = Keys::open_with(&folder.path().join("keys"), mirror.as_deref(), 0).expect("keys");
        keys.start([]).expect("it starts");
        for _ in 0..KEYS {
            keys.take_slot().expect("a key");
        }
        println!("\n== rotation of the key epoch, {KEYS} keys, mirror: {with_mirror}");
        let mut costs = Vec::new();
        for round in 0..options.rounds {
            let rotation = keys.rotate(1).expect("it rotates");
            let micros = rotation.duration.as_secs_f64() * 1e6 / rotation.survivors as f64;
            println!("  round {round}: {:?}, {micros:.2} us a key, load {}", rotation.duration, load());
            costs.push(micros);
        }
        println!("  median: {:.2} us a key (bar: 5)", median(costs));
    }
}
