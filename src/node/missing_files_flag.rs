//! Mark that files were missing at the last look.

use std::sync::atomic::AtomicBool;

/// True if files were missing at the last look.
#[derive(Default)]
pub(super) struct MissingFiles(pub(super) AtomicBool);
