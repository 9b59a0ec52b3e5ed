//! Large immutable files named by the hash of their content: one small interface over a local folder.
//!
//! A blob is written under `new/` with a random name, and stands in `<first two hex digits>/<name>` once it is whole
//! and on the disk. After a restart the files under `new/` have no owner.

mod blob;
mod blob_name;
mod hashed;
mod hold_counts;
mod sweep;

pub use self::hashed::HashedBlob;
pub use self::sweep::{BlobSweep, Hold};

pub use self::blob::{Blob, BlobWriter, Blobs};
pub use self::blob_name::BlobName;
