//! The invented person of a drill.

use std::time::Duration;

/// Pause between two looks.
pub(super) const LOOK_DURATION: Duration = Duration::from_millis(100);

/// An invented person: long and random enough to stand nowhere by chance.
pub(super) struct Canary {
    pub(super) email: String,
    pub(super) user_id: String,
    pub(super) name: String,
    /// Key of a product, which no erasure touches: it shows that the scan sees what is there.
    pub(super) key: String,
}

impl Canary {
    pub(super) fn new() -> Self {
        let random = || uuid::Uuid::new_v4().simple().to_string();
        let number = random();
        Self {
            email: format!("drill-{number}@person.example"),
            user_id: format!("drill-{}", random()),
            name: format!("Name{}", random()),
            key: format!("drill-key-{number}"),
        }
    }

    pub(super) fn texts(&self) -> [&str; 3] {
        [&self.email, &self.user_id, &self.name]
    }
}
